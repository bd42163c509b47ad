// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Damage to what was saved, for the programs that stand in for libFuzzer.

#include "tests/fuzz/fuzz_input.h"
#include "tests/support/saved.h"

#ifndef TACT_LIBFUZZER

static inline void fuzz_put(uint8_t* at, uint64_t x, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
        at[i] = (uint8_t)(x >> (8 * i));
}

/// Numbers that are hard on counts and on floats.
static const uint32_t fuzz_words[] = {0,          1,          2,          16,         17,
                                      255,        256,        0x3f800000, 0x40000000, 0x40000001,
                                      0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x80000000,
                                      0x00000001, 0x7fffffff, 0xffffffff, 0xbf800000, 0x3dcccccd};

/// Changes a copy of a seed; returns its new size.
static inline size_t fuzz_mutate(tact_random* r, uint8_t* bytes, size_t size)
{
    for (uint64_t changes = tact_random_below(r, 4); changes > 0; --changes) {
        const size_t at = (size_t)tact_random_below(r, size);
        const size_t word = at & ~(size_t)3;
        switch (tact_random_below(r, 8)) {
            case 0:
                bytes[at] ^= (uint8_t)(1u << tact_random_below(r, 8));
                break;
            case 1:
                bytes[at] = (uint8_t)tact_random_next(r);
                break;
            case 2:
                if (tact_random_below(r, 4) == 0) size = at + 1;
                break;
            case 3:
                if (word + 4 <= size) fuzz_put(bytes + word, tact_random_next(r), 4);
                break;
            default:
                if (word + 4 <= size) {
                    fuzz_put(bytes + word, fuzz_words[tact_random_below(r, sizeof fuzz_words / sizeof *fuzz_words)], 4);
                }
                break;
        }
    }
    return size;
}

/// Mostly makes a damaged copy of a seed look sound from outside.
static inline void fuzz_seal(tact_random* r, uint8_t* copy, size_t size, const uint8_t* seed)
{
    if (size < TACT_SAVED_HEADER || tact_random_below(r, 16) == 0) return;
    memcpy(copy, seed, 16);
    saved_mend(copy, size);
}

#endif
