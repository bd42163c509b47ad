// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the tests of moving shapes share.

#include "tests/support/run.h"

#include "tact/geometry/moving.h"
#include "tests/geometry/boxes.h"
#include "tests/geometry/vectors.h"

static const tact_vec3 still = {0, 0, 0};

static inline void expect(tact_moving_hit h, float t, tact_vec3 point, tact_vec3 normal)
{
    assert_true(h.hit);
    assert_true(h.t == t);
    assert_true(h.point.x == point.x && h.point.y == point.y && h.point.z == point.z);
    assert_true(h.normal.x == normal.x && h.normal.y == normal.y && h.normal.z == normal.z);
}

/// As expect, to a few units of rounding.
static inline void expect_near(tact_moving_hit h, float t, tact_vec3 point, tact_vec3 normal)
{
    assert_true(h.hit);
    assert_true(fabsf(h.t - t) <= 1e-6f);
    const float off[6] = {h.point.x - point.x,   h.point.y - point.y,   h.point.z - point.z,
                          h.normal.x - normal.x, h.normal.y - normal.y, h.normal.z - normal.z};
    for (int i = 0; i < 6; ++i)
        assert_true(fabsf(off[i]) <= 1e-5f);
}

/// Exact boxes: coordinates are whole multiples of 2^-12, at most 2^12 of them, so that everything fits into 64 bits.
typedef struct grid_box {
    int64_t low[3], high[3];
} grid_box;

static inline int64_t grid_number(test_random* r, bool coarse)
{
    return coarse ? 4096 * ((int64_t)test_random_below(r, 7) - 3) : (int64_t)test_random_below(r, 32769) - 16384;
}

static inline grid_box grid_make(test_random* r, bool coarse)
{
    grid_box b;
    for (int i = 0; i < 3; ++i) {
        const int64_t p = grid_number(r, coarse), q = p + (grid_number(r, coarse) + 16384) / 4;
        b.low[i] = p;
        b.high[i] = q;
    }
    return b;
}

static inline float grid_float(int64_t x, float size)
{
    return size * (float)x;
}

static inline tact_vec3 grid_vector(const int64_t x[3], float size)
{
    return v3(grid_float(x[0], size), grid_float(x[1], size), grid_float(x[2], size));
}

static inline tact_aabb grid_aabb(const grid_box* b, float size)
{
    return (tact_aabb){grid_vector(b->low, size), grid_vector(b->high, size)};
}

typedef struct dv {
    double x, y, z;
} dv;

static inline dv dv_of(tact_vec3 v)
{
    return (dv){(double)v.x, (double)v.y, (double)v.z};
}

static inline dv dv_sub(dv a, dv b)
{
    return (dv){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline dv dv_cross(dv a, dv b)
{
    return (dv){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double dv_dot(dv a, dv b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
