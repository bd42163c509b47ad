// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
/// number generators, 2014), and fractions made of its top 24 bits, which a float holds exactly.

#include <stdint.h>

typedef struct tact_random {
    uint64_t state;
} tact_random;

static inline uint64_t tact_random_next(tact_random* random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// A multiple of 2^-24 in [0, 1).
static inline double tact_random_fraction(tact_random* random)
{
    return (double)(tact_random_next(random) >> 40) * (1.0 / 16777216.0);
}

/// In [0, count), near enough uniform for counts far below 2^64.
static inline uint64_t tact_random_below(tact_random* random, uint64_t count)
{
    return tact_random_next(random) % count;
}

/// In [low, high).
static inline double tact_random_between(tact_random* random, double low, double high)
{
    return low + (high - low) * tact_random_fraction(random);
}
