// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Particles as they lie in the caller's buffers: in words, since what comes in and goes out must keep its bits on
// devices that flush subnormal numbers to zero or divide in a way of their own.
#ifndef TACT_PARTICLE_ROWS_H
#define TACT_PARTICLE_ROWS_H

#include "dialect.h"
#include "ordered.h"

#define TACT_WORD_INFINITY 0x7f800000u

// 1 / x, rounded to the nearest, of a positive finite x: long division of the mantissas.
FN uint tact_word_reciprocal(uint x)
{
    uint m = x & 0x007fffffu;
    int exponent = to_int(x >> 23);
    if (exponent == 0) {
        exponent = 1;
        for (int i = 0; i < 23; ++i) {
            if (m >= 0x00800000u) break;
            m = m << 1;
            --exponent;
        }
    } else {
        m = m | 0x00800000u;
    }
    // 2^47 / m, which has 24 bits too; a power of two has 2^46 / m instead.
    uint q = 0x00800000u;
    uint rest = 0u;
    int scale = 254 - exponent;
    if (m != 0x00800000u) {
        q = 0u;
        rest = 0x00800000u;
        --scale;
        for (int i = 0; i < 24; ++i) {
            rest = rest << 1;
            q = q << 1;
            if (rest >= m) {
                rest -= m;
                q += 1u;
            }
        }
    }
    if (scale >= 255) return TACT_WORD_INFINITY;
    // No quotient lies half-way between two normal numbers. A carry goes into the exponent, as it should.
    if (scale >= 1) return (to_uint(scale) << 23) + (q - 0x00800000u) + (2u * rest > m ? 1u : 0u);
    uint shift = to_uint(1 - scale);
    uint cut = q & ((1u << shift) - 1u);
    uint half_way = 1u << (shift - 1u);
    uint result = q >> shift;
    if (cut > half_way || (cut == half_way && (rest > 0u || (result & 1u) != 0u))) result += 1u;
    return result;
}

// The mass of a particle from its reciprocal (0: infinite).
FN uint tact_word_mass(uint inverse)
{
    if (inverse == 0u) return TACT_WORD_INFINITY;
    return tact_word_reciprocal(inverse);
}

// The reciprocal of a mass that is positive or infinite.
FN uint tact_word_inverse_mass(uint mass)
{
    if (mass == TACT_WORD_INFINITY) return 0u;
    return tact_word_reciprocal(mass);
}

// A coordinate in the order of floats, where both zeros are one.
FN uint tact_word_place(uint x)
{
    return tact_ordered(x == 0x80000000u ? 0u : x);
}

// Whether a word is a float greater than 0 and at most `most`.
FN bool tact_word_positive(uint x, uint most)
{
    return x > 0u && x <= most;
}

// Whether a word is a float of at most this magnitude.
FN bool tact_word_within(uint x, uint most)
{
    return (x & 0x7fffffffu) <= most;
}

FN bool tact_word_finite(uint x)
{
    return (x & TACT_WORD_INFINITY) != TACT_WORD_INFINITY;
}

#endif
