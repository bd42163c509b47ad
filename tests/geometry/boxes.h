// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Random frames and boxes for the tests of oriented boxes.

#include "tact/geometry/types.h"
#include "tests/support/random.h"

static inline tact_vec3 test_vec3(test_random* r, float size)
{
    const float x = test_random_signed(r), y = test_random_signed(r), z = test_random_signed(r);
    return (tact_vec3){size * x, size * y, size * z};
}

/// A rotation's columns, rounded to float.
static inline void test_frame(test_random* r, tact_vec3 axis[3])
{
    double q[4], n = 0.0;
    do {
        n = 0.0;
        for (int i = 0; i < 4; ++i) {
            q[i] = (double)test_random_signed(r);
            n += q[i] * q[i];
        }
    } while (n > 1.0 || n < 0.01);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    axis[0] = (tact_vec3){(float)((w * w + x * x - y * y - z * z) / n), (float)(2 * (x * y + w * z) / n),
                          (float)(2 * (x * z - w * y) / n)};
    axis[1] = (tact_vec3){(float)(2 * (x * y - w * z) / n), (float)((w * w - x * x + y * y - z * z) / n),
                          (float)(2 * (y * z + w * x) / n)};
    axis[2] = (tact_vec3){(float)(2 * (x * z + w * y) / n), (float)(2 * (y * z - w * x) / n),
                          (float)((w * w - x * x - y * y + z * z) / n)};
}

/// The nearest frame that keeps the first axis' direction and the plane of the first two.
static inline void test_orthonormalize(tact_vec3 axis[3])
{
    double u[3][3];
    for (int i = 0; i < 3; ++i) {
        u[i][0] = (double)axis[i].x;
        u[i][1] = (double)axis[i].y;
        u[i][2] = (double)axis[i].z;
        for (int k = 0; k < i; ++k) {
            const double along = u[i][0] * u[k][0] + u[i][1] * u[k][1] + u[i][2] * u[k][2];
            for (int c = 0; c < 3; ++c)
                u[i][c] -= along * u[k][c];
        }
        const double length = sqrt(u[i][0] * u[i][0] + u[i][1] * u[i][1] + u[i][2] * u[i][2]);
        for (int c = 0; c < 3; ++c)
            u[i][c] /= length;
        axis[i] = (tact_vec3){(float)u[i][0], (float)u[i][1], (float)u[i][2]};
    }
}

static inline tact_obb test_obb(test_random* r, float spread, float least, float most)
{
    tact_obb b = {.center = test_vec3(r, spread)};
    test_frame(r, b.axis);
    b.half.x = least + (most - least) * test_random_unit(r);
    b.half.y = least + (most - least) * test_random_unit(r);
    b.half.z = least + (most - least) * test_random_unit(r);
    return b;
}

static inline tact_vec3 test_at(const tact_obb* b, double r0, double r1, double r2)
{
    const double s[3] = {r0 * (double)b->half.x, r1 * (double)b->half.y, r2 * (double)b->half.z};
    double x = (double)b->center.x, y = (double)b->center.y, z = (double)b->center.z;
    for (int i = 0; i < 3; ++i) {
        x += s[i] * (double)b->axis[i].x;
        y += s[i] * (double)b->axis[i].y;
        z += s[i] * (double)b->axis[i].z;
    }
    return (tact_vec3){(float)x, (float)y, (float)z};
}

static inline tact_vec3 test_times(tact_vec3 v, float s)
{
    return (tact_vec3){v.x * s, v.y * s, v.z * s};
}

/// 1 to 60 points: in a brick (0), in a plane (1), on a line (2), one (3), in a needle (4), far away (5), coinciding
/// (6), tiny (7), huge (8).
static inline size_t test_cloud(test_random* r, int variant, tact_vec3* points)
{
    const size_t count = variant == 3 ? 1 : 1 + test_random_below(r, 60);
    tact_obb box = test_obb(r, 2.0f, 0.1f, 2.0f);
    if (variant == 1) box.half.y = 0.0f;
    if (variant == 2) box.half.x = box.half.z = 0.0f;
    if (variant == 4) box.half.x = 1e4f;
    if (variant == 5) box.center.x = 1e5f;
    for (size_t i = 0; i < count; ++i) {
        const double u = (double)test_random_signed(r), v = (double)test_random_signed(r);
        points[i] = test_at(&box, u, v, (double)test_random_signed(r));
        if (variant == 6) points[i] = points[0];
        if (variant == 7) points[i] = test_times(points[i], 1e-6f);
        if (variant == 8) points[i] = test_times(points[i], 1e6f);
    }
    return count;
}
