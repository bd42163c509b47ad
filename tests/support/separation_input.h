// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Meshes and poses for the tests of distances.

#include <math.h>
#include <string.h>

#include "tests/support/meshes.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static inline double unit(test_random* r)
{
    return (double)test_random_unit(r);
}

// ---- Meshes ----

enum { RINGS = 20, SIDES = 10, TORUS_VERTICES = RINGS * SIDES, TORUS_TRIANGLES = 2 * TORUS_VERTICES };

static inline void torus(float* positions, uint32_t* indices)
{
    for (uint32_t i = 0; i < RINGS; ++i) {
        for (uint32_t j = 0; j < SIDES; ++j) {
            const double u = 6.283185307179586 * i / RINGS, v = 6.283185307179586 * j / SIDES, r = 1.0 + 0.3 * cos(v);
            float* p = positions + 3 * (i * SIDES + j);
            p[0] = (float)(r * cos(u));
            p[1] = (float)(r * sin(u));
            p[2] = (float)(0.3 * sin(v));
            const uint32_t a = i * SIDES + j, b = i * SIDES + (j + 1) % SIDES;
            const uint32_t c = (i + 1) % RINGS * SIDES + j, d = (i + 1) % RINGS * SIDES + (j + 1) % SIDES;
            const uint32_t two[6] = {a, c, b, b, c, d};
            memcpy(indices + 6 * a, two, sizeof two);
        }
    }
}

static inline tact_mesh* make_torus(void)
{
    float p[3 * TORUS_VERTICES];
    uint32_t t[3 * TORUS_TRIANGLES];
    torus(p, t);
    return make_mesh(context, p, TORUS_VERTICES, t, TORUS_TRIANGLES);
}

/// Triangles of every sort: large and small, flat, points, copies of each other, and some that are not there.
static inline tact_mesh* make_soup(test_random* r, size_t count, float size)
{
    float p[3 * 3 * 200];
    uint32_t t[3 * 200];
    assert_true(count <= 200);
    for (size_t i = 0; i < count; ++i) {
        float* c = p + 9 * i;
        const double scale = pow(10.0, -3.0 * unit(r));
        double at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = 2.0 * unit(r) - 1.0;
        for (int k = 0; k < 9; ++k)
            c[k] = size * (float)(at[k % 3] + scale * (2.0 * unit(r) - 1.0));
        const uint64_t sort = test_random_bits(r) % 12;
        if (sort == 0) memcpy(c + 3, c, 3 * sizeof *c);
        if (sort <= 1) memcpy(c + 6, c + 3, 3 * sizeof *c);
        if (sort == 2)
            for (int k = 0; k < 3; ++k)
                c[6 + k] = 0.5f * (c[k] + c[3 + k]);
        if (sort == 3 && i > 0) memcpy(c, c - 9, 9 * sizeof *c);
        if (sort == 4) c[test_random_bits(r) % 9] = i % 2 ? NAN : 2e18f;
        for (uint32_t k = 0; k < 3; ++k)
            t[3 * i + k] = (uint32_t)(3 * i) + k;
    }
    return make_mesh(context, p, 3 * count, t, count);
}

// ---- Poses ----

static inline void rigid(const double axis[3], double angle, const double shift[3], float pose[12])
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) + 1e-30;
    const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    const double c = cos(angle), s = sin(angle), d = 1.0 - c;
    const double m[12] = {c + x * x * d,     x * y * d - z * s, x * z * d + y * s, shift[0],
                          y * x * d + z * s, c + y * y * d,     y * z * d - x * s, shift[1],
                          z * x * d - y * s, z * y * d + x * s, c + z * z * d,     shift[2]};
    for (int i = 0; i < 12; ++i)
        pose[i] = (float)m[i];
}

static inline void random_pose(test_random* r, double spread, float pose[12])
{
    double axis[3], shift[3];
    for (int k = 0; k < 3; ++k) {
        axis[k] = 2.0 * unit(r) - 1.0;
        shift[k] = spread * (2.0 * unit(r) - 1.0);
    }
    rigid(axis, 6.3 * unit(r), shift, pose);
    const uint64_t sort = test_random_bits(r) % 8;
    if (sort == 0)  // any matrix
        for (int k = 0; k < 12; ++k)
            pose[k] = (float)(2.0 * unit(r) - 1.0) * (k % 4 == 3 ? (float)spread : 1.5f);
    if (sort == 1)  // a flat one
        for (int k = 0; k < 3; ++k)
            pose[k] = 0.0f;
}
