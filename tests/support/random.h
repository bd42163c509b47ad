// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Seeded numbers for tests: the same on every machine.

#include <stdint.h>
#include <string.h>

typedef struct test_random {
    uint64_t state;
} test_random;

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
static inline uint64_t test_random_bits(test_random* r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Uniform in [0, 1).
static inline float test_random_unit(test_random* r)
{
    return (float)(test_random_bits(r) >> 40) * 0x1p-24f;
}

/// Uniform in [-1, 1).
static inline float test_random_signed(test_random* r)
{
    return 2.0f * test_random_unit(r) - 1.0f;
}

static inline uint32_t test_random_below(test_random* r, uint32_t n)
{
    return (uint32_t)((test_random_bits(r) >> 32) * n >> 32);
}

/// Any bit pattern: NaNs, infinities and subnormal numbers too.
static inline float test_random_any(test_random* r)
{
    const uint32_t bits = (uint32_t)(test_random_bits(r) >> 32);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
