// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Points of a hull, four at a time. They are read as they lie, twelve numbers for four points.

#include "base/simd_threes.h"
#include "cpu_ref/geometry/hull_internal.h"

enum { LANE = 4, CHUNK = 64 };  // as many as a word has bits

hull_extent tact_hull_extent(const tact_vec3* points, uint32_t count)
{
    const f4 zero = f4_set(0.0f);
    // Twelve numbers: the first coordinates are the first, the fourth and so on.
    f4 most = zero, sum[3] = {zero, zero, zero};
    uint32_t i = 0;
    for (; i + LANE <= count; i += LANE) {
        const float* p = &points[i].x;
        const f4 a = f4_load(p), b = f4_load(p + 4), c = f4_load(p + 8);
        const f4 x = f4_abs(a), y = f4_abs(b), z = f4_abs(c);
        most = f4_max(most, f4_max(x, f4_max(y, z)));
        sum[0] = f4_add(sum[0], a);
        sum[1] = f4_add(sum[1], b);
        sum[2] = f4_add(sum[2], c);
    }
    float each[12], own[LANE];
    for (int k = 0; k < 3; ++k)
        f4_store(each + LANE * k, sum[k]);
    f4_store(own, most);
    hull_extent e = {f1_max(f1_max(own[0], own[1]), f1_max(own[2], own[3])), {0.0f, 0.0f, 0.0f}};
    e.middle.x = (each[0] + each[3]) + (each[6] + each[9]);
    e.middle.y = (each[1] + each[4]) + (each[7] + each[10]);
    e.middle.z = (each[2] + each[5]) + (each[8] + each[11]);
    for (; i < count; ++i) {
        const tact_vec3 p = points[i];
        e.largest = f1_max(e.largest, f1_max(fabsf(p.x), f1_max(fabsf(p.y), fabsf(p.z))));
        e.middle = (tact_vec3){e.middle.x + p.x, e.middle.y + p.y, e.middle.z + p.z};
    }
    const float part = 1.0f / (float)count;
    e.middle = (tact_vec3){e.middle.x * part, e.middle.y * part, e.middle.z * part};
    // A sum is finite only where all that it is made of is.
    if (!v_finite(e.middle) && !v_all_finite(points, count)) e.largest = INFINITY;
    return e;
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

/// A direction in floats, no coordinate of which is above 1.
static threes shrunk(dvec d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z), wide = x > y ? x : y;
    const double shrink = 1.0 / (wide > z ? wide : z);
    return (threes){f4_set((float)(d.x * shrink)), f4_set((float)(d.y * shrink)), f4_set((float)(d.z * shrink))};
}

uint32_t tact_hull_farthest_of_many(const tact_vec3* points, uint32_t count, float largest, dvec d)
{
    const threes along = shrunk(d);
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

uint32_t tact_hull_roughly_farthest(const tact_vec3* points, uint32_t count, float largest, dvec d)
{
    // Heights that floats hold as they are.
    const double length = (fabs(d.x) + fabs(d.y)) + fabs(d.z), high_most = length * (double)largest;
    const bool usual = length > 0x1p-60 && length < 0x1p60 && high_most > 0x1p-60 && high_most < 0x1p60;
    const threes along = usual ? (threes){f4_set((float)d.x), f4_set((float)d.y), f4_set((float)d.z)} : shrunk(d);
    f4 kept[CHUNK / LANE];
    uint32_t at = 0, done = 0;
    float best = -INFINITY;
    for (uint32_t size = 0; done + LANE <= count; done += size) {
        size = count - done < CHUNK ? (count - done) / LANE * LANE : CHUNK;
        f4 high = f4_set(-INFINITY);
        for (uint32_t i = 0; i < size; i += LANE) {
            kept[i / LANE] = heights_of(&points[done + i].x, &along);
            high = f4_max(high, kept[i / LANE]);
        }
        if (!(f4_most(high) > best)) continue;
        best = f4_most(high);
        uint64_t bits = 0;
        for (uint32_t i = 0; i < size; i += LANE)
            bits |= (uint64_t)f4_le_bits(f4_set(best), kept[i / LANE]) << i;
        at = done + tact_lowest_bit_64(bits);
    }
    float x[LANE], y[LANE], z[LANE];
    f4_store(x, along.x);
    f4_store(y, along.y);
    f4_store(z, along.z);
    for (; done < count; ++done) {
        const float height = (points[done].x * x[0] + points[done].y * y[0]) + points[done].z * z[0];
        if (!(height > best)) continue;
        best = height;
        at = done;
    }
    return at;
}
