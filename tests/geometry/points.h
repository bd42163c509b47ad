// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Points and numbers that tests of shapes make. Include after run.h.

#include "tact/geometry/types.h"
#include "tests/geometry/vectors.h"
#include "tests/support/random.h"

/// Small integers (kind 0), sizes from 2^-15 to 2^15 (1), scales 1e-6 and 1e6 (2, 3), far from the origin (4).
static inline float number(test_random* r, uint32_t kind)
{
    const float x = test_random_signed(r);
    if (kind == 0) return (float)test_random_below(r, 5) - 2.0f;
    if (kind == 1) return ldexpf(x, (int)test_random_below(r, 30) - 15);
    if (kind == 2) return 1e-6f * x;
    if (kind == 3) return 1e6f * x;
    return 1e6f + floorf(16 * x) * 0.0625f;
}

static inline tact_vec3 point(test_random* r, uint32_t kind)
{
    const float x = number(r, kind), y = number(r, kind), z = number(r, kind);
    return (tact_vec3){x, y, z};
}

/// But for the last bits.
static inline void same_point(tact_vec3 a, float x, float y, float z)
{
    const float size = fabsf(x) + fabsf(y) + fabsf(z);
    assert_true(fabsf(a.x - x) <= 3e-7f * size && fabsf(a.y - y) <= 3e-7f * size && fabsf(a.z - z) <= 3e-7f * size);
}

/// The axes exchanged in a circle, one of them turned round, and all moved and scaled by what floats do exactly.
static inline tact_vec3 moved(tact_vec3 p, float move, float scale)
{
    return v3((move - p.y) * scale, (p.z + move) * scale, (p.x + move) * scale);
}

/// The largest coordinate.
static inline double size_of(const tact_vec3* p, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, fmax(fabs((double)p[i].x), fmax(fabs((double)p[i].y), fabs((double)p[i].z))));
    return most;
}
