// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What compilers have beyond C, for the loops that gain by it, and what stands for it elsewhere. The sets of
/// instructions have their own header, base/simd.h.

#include <stdint.h>

// Asks for memory that will be read, or written, soon. Any address may be given: nothing is read.
#if defined(__GNUC__)
#define TACT_PREFETCH(address) __builtin_prefetch(address)
#define TACT_PREFETCH_WRITE(address) __builtin_prefetch(address, 1)
#else
#define TACT_PREFETCH(address) ((void)(address))
#define TACT_PREFETCH_WRITE(address) ((void)(address))
#endif

// A variable that each thread has for itself.
#if defined(_MSC_VER) && !defined(__clang__)
#define TACT_THREAD_LOCAL __declspec(thread)
#else
#define TACT_THREAD_LOCAL _Thread_local
#endif

// A variable that several threads read and write, by plain operators.
#if defined(__STDC_NO_ATOMICS__)
#define TACT_ATOMIC(type) type
#else
#define TACT_ATOMIC(type) _Atomic(type)
#endif

/// Index of the lowest bit that is set; there must be one.
static inline uint32_t tact_lowest_bit_64(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t index = 0;
    for (; (bits & 1u) == 0; bits >>= 1)
        ++index;
    return index;
#endif
}

static inline uint32_t tact_lowest_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    return tact_lowest_bit_64(bits);
#endif
}

/// How many bits are set.
static inline uint32_t tact_bits_set(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_popcount(bits);
#else
    uint32_t n = 0;
    for (; bits; bits &= bits - 1u)
        ++n;
    return n;
#endif
}

/// How many bits a number has, without leading zeroes.
static inline uint32_t tact_bit_width(uint64_t x)
{
    uint32_t bits = 0;
    for (; x; x >>= 1)
        ++bits;
    return bits;
}
