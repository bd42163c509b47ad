// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Seeded numbers for tests: the same on every machine.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"

typedef tact_random test_random;

/// The numbers of `seed`, or others when the environment variable TACT_TEST_SEED is set: the long tests run the same
/// programs on other cases.
static inline test_random test_random_seeded(uint64_t seed)
{
    const char* const more = getenv("TACT_TEST_SEED");
    const test_random r = {seed + (more ? 0xd1342543de82ef95u * strtoull(more, NULL, 10) : 0u)};
    return r;
}

static inline uint64_t test_random_bits(test_random* r)
{
    return tact_random_next(r);
}

/// Uniform in [0, 1).
static inline float test_random_unit(test_random* r)
{
    return (float)tact_random_fraction(r);
}

/// Uniform in [-1, 1).
static inline float test_random_signed(test_random* r)
{
    return 2.0f * test_random_unit(r) - 1.0f;
}

static inline uint32_t test_random_below(test_random* r, uint32_t n)
{
    return (uint32_t)tact_random_below(r, n);
}

/// Any bit pattern: NaNs, infinities and subnormal numbers too.
static inline float test_random_any(test_random* r)
{
    const uint32_t bits = (uint32_t)(test_random_bits(r) >> 32);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/// Three axes, turned from the coordinate axes by a random quaternion.
static inline void test_random_rotation(test_random* r, float* axes)
{
    float q[4], size = 0.0f;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_random_signed(r) + 0.001f;
        size += q[i] * q[i];
    }
    size = sqrtf(size);
    const float w = q[0] / size, x = q[1] / size, y = q[2] / size, z = q[3] / size;
    const float m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
                        2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                        2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
    memcpy(axes, m, sizeof m);
}
