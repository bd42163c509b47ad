// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/numbers.h"

/// A whole number of 128 bits.
typedef struct wide {
    uint64_t high, low;
} wide;

static wide product(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffffu);
    const wide p = {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & 0xffffffffu)};
    return p;
}

static uint64_t size_of(int64_t x)
{
    return x < 0 ? 0u - (uint64_t)x : (uint64_t)x;
}

static int sign_of(tact_fraction f)
{
    if (f.numerator == 0) return 0;
    return (f.numerator < 0) == (f.denominator < 0) ? 1 : -1;
}

int tact_fraction_compare(tact_fraction a, tact_fraction b)
{
    if (a.denominator == 0 || b.denominator == 0) return 2;
    const int sign = sign_of(a), other = sign_of(b);
    if (sign != other) return sign > other ? 1 : -1;
    const wide p = product(size_of(a.numerator), size_of(b.denominator));
    const wide q = product(size_of(b.numerator), size_of(a.denominator));
    if (p.high != q.high) return p.high > q.high ? sign : -sign;
    if (p.low != q.low) return p.low > q.low ? sign : -sign;
    return 0;
}

bool tact_divide_down(int64_t a, int64_t b, int64_t* quotient, int64_t* remainder)
{
    const bool good = b != 0 && !(a == INT64_MIN && b == -1);
    *quotient = good ? a / b : 0;
    int64_t rest = good ? a % b : 0;
    // C rounds towards 0.
    if (rest != 0 && (rest < 0) != (b < 0)) {
        --*quotient;
        rest += b;
    }
    if (remainder) *remainder = rest;
    return good;
}
