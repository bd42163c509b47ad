// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Points of a hull, four at a time. They are read as they lie, twelve numbers for four points.

#include <float.h>

#include "base/simd_threes.h"
#include "cpu_ref/geometry/hull_internal.h"

enum { LANE = 4, CHUNK = 64 };  // as many as a word has bits

float tact_hull_largest(const tact_vec3* points, uint32_t count)
{
    const f4 all = f4_set(FLT_MAX);
    f4 most = f4_set(0.0f);
    bool finite = true;
    uint32_t i = 0;
    for (; TACT_LANES_ISA > 0 && i + LANE <= count; i += LANE) {
        const float* p = &points[i].x;
        const f4 a = f4_abs(f4_load(p)), b = f4_abs(f4_load(p + 4)), c = f4_abs(f4_load(p + 8));
        finite = finite && f4_within(a, b, c, all);
        most = f4_max(most, f4_max(a, f4_max(b, c)));
    }
    float largest = f4_most(most);
    for (; i < count; ++i) {
        const tact_vec3 p = {fabsf(points[i].x), fabsf(points[i].y), fabsf(points[i].z)};
        finite = finite && v_finite(p);
        largest = f1_max(largest, f1_max(p.x, f1_max(p.y, p.z)));
    }
    return finite ? largest : INFINITY;
}

LANES_INLINE f4 heights_of(const float* p, const threes* d)
{
    // x y z x, y z x y, z x y z
    f4 r[4] = {f4_load(p), f4_load(p + 3), f4_load(p + 6), f4_last_three(f4_load(p + 8))};
    f4_turn(r);
    return threes_dot((threes){r[0], r[1], r[2]}, d->x, d->y, d->z);
}

/// Which of at most CHUNK points, a multiple of four, may be the farthest of them; `largest` bounds their coordinates.
static uint64_t candidates(const tact_vec3* points, uint32_t count, const threes* d, float largest)
{
    f4 kept[CHUNK / LANE], high = f4_set(-INFINITY);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i += LANE) {
        kept[i / LANE] = heights_of(&points[i].x, d);
        high = f4_max(high, kept[i / LANE]);
    }
    // Two heights are each off by at most 4 units of 2^-24 of three products.
    const f4 least = f4_set(f4_most(high) - (0x1p-19f * largest + 0x1p-120f));
    for (uint32_t i = 0; i < count; i += LANE)
        bits |= (uint64_t)f4_le_bits(least, kept[i / LANE]) << i;
    return bits;
}

uint32_t tact_hull_farthest_of_many(const tact_vec3* points, uint32_t count, float largest, dvec d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z), wide = x > y ? x : y, most = wide > z ? wide : z;
    const double shrink = 1.0 / most;
    const threes along = {f4_set((float)(d.x * shrink)), f4_set((float)(d.y * shrink)), f4_set((float)(d.z * shrink))};
    hull_farthest best = {0, 0.0};
    uint32_t done = 0;
    while (done + LANE <= count) {
        const uint32_t size = count - done < CHUNK ? (count - done) / LANE * LANE : CHUNK;
        uint64_t bits = candidates(points + done, size, &along, largest);
        for (; bits != 0; bits &= bits - 1)
            best = hull_closely(points, d, done + tact_lowest_bit_64(bits), best);
        done += size;
    }
    for (; done < count; ++done)
        best = hull_closely(points, d, done, best);
    return best.at;
}
