// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Arrays that sorts get wrong: shared by the tests of the building blocks on the CPU and on devices.

#include "tests/support/random.h"

typedef enum key_pattern {
    KEYS_RANDOM,
    KEYS_EQUAL,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_HIGH_BITS,  ///< differ in the highest byte alone
    KEYS_FEW,        ///< five distinct ones: only stability orders the rest
    KEY_PATTERNS
} key_pattern;

static inline uint64_t test_key(key_pattern pattern, uint64_t i, uint64_t count, uint32_t words, test_random* random)
{
    const uint64_t bits = test_random_bits(random);
    const uint32_t top = words == 2 ? 56 : 24;
    switch (pattern) {
        case KEYS_EQUAL:
            return 0xdeadbeefcafef00du;
        case KEYS_SORTED:
            return i * 3 + (words == 2 ? (i << 33) : 0);
        case KEYS_REVERSED:
            return (count - i) * 3 + (words == 2 ? ((count - i) << 33) : 0);
        case KEYS_HIGH_BITS:
            return (bits & 0xff) << top;
        case KEYS_FEW:
            return (bits >> 8) % 5 * 0x123456789abcdefu;
        case KEYS_RANDOM:
        default:
            return bits;
    }
}

/// Fills `count` keys of one or two words, low word first.
static inline void test_keys(key_pattern pattern, uint32_t* keys, size_t count, uint32_t words, uint64_t seed)
{
    test_random random = {seed};
    for (size_t i = 0; i < count; ++i) {
        const uint64_t key = test_key(pattern, i, count, words, &random);
        keys[i * words] = (uint32_t)key;
        if (words == 2) keys[i * words + 1] = (uint32_t)(key >> 32);
    }
}
