// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Seeded numbers for tests: the same on every machine.

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
