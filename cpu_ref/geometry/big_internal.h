// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Whole numbers of up to 3,328 bits, for signs that doubles leave open: products of eleven floats fit, such as those
/// in determinants of places that are found from planes.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tact/geometry/types.h"

enum {
    BIG_WORDS = 104,
    BIG_LEAST = -149  ///< a finite float is a whole number times 2^-149
};

/// The words from the lowest, `count` of them; none for 0.
typedef struct tact_big {
    int count;
    bool negative;
    uint32_t word[BIG_WORDS];
} tact_big;

static inline void big_trim(tact_big* a)
{
    while (a->count > 0 && a->word[a->count - 1] == 0)
        --a->count;
}

static inline int big_sign(const tact_big* a)
{
    return a->count == 0 ? 0 : a->negative ? -1 : 1;
}

/// The lowest power of two, above BIG_LEAST, that a finite float is made of; INT32_MAX for 0.
static inline int32_t big_shift_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t exponent = (int32_t)(bits >> 23 & 0xffu);
    if ((bits & 0x7fffffffu) == 0) return INT32_MAX;
    return exponent ? exponent - 1 : 0;
}

/// A finite float, in units of 2^(BIG_LEAST + scale). `scale` is at most its shift.
static inline void big_set(tact_big* a, float x, int32_t scale)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t exponent = bits >> 23 & 0xffu, fraction = bits & 0x7fffffu;
    a->count = 0;
    a->negative = bits >> 31 != 0;
    if ((bits & 0x7fffffffu) == 0) return;
    const uint32_t shift = (exponent ? exponent - 1 : 0) - (uint32_t)scale;
    const uint64_t mantissa = (uint64_t)(exponent ? fraction | 0x800000u : fraction) << (shift % 32);
    const int low = (int)(shift / 32);
    for (int i = 0; i < low; ++i)
        a->word[i] = 0;
    a->word[low] = (uint32_t)mantissa;
    a->word[low + 1] = (uint32_t)(mantissa >> 32);
    a->count = low + 2;
    big_trim(a);
}

static inline int big_compare_sizes(const tact_big* a, const tact_big* b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count; i-- > 0;) {
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    }
    return 0;
}

/// a + b, or a - b; `sum` may be one of them.
static inline void big_add(const tact_big* a, const tact_big* b, bool subtract, tact_big* sum)
{
    const bool b_negative = b->negative != subtract;
    if (a->negative == b_negative) {
        const bool negative = a->negative;
        const int count = a->count > b->count ? a->count : b->count;
        const int a_count = a->count, b_count = b->count;
        uint64_t carry = 0;
        for (int i = 0; i < count; ++i) {
            carry += (uint64_t)(i < a_count ? a->word[i] : 0) + (i < b_count ? b->word[i] : 0);
            sum->word[i] = (uint32_t)carry;
            carry >>= 32;
        }
        sum->count = count;
        if (carry) sum->word[sum->count++] = (uint32_t)carry;
        sum->negative = negative;
        return;
    }
    const bool swap = big_compare_sizes(a, b) < 0;
    const tact_big *more = swap ? b : a, *less = swap ? a : b;
    const bool negative = swap ? b_negative : a->negative;
    const int count = more->count, less_count = less->count;
    int64_t borrow = 0;
    for (int i = 0; i < count; ++i) {
        borrow += (int64_t)more->word[i] - (i < less_count ? less->word[i] : 0);
        sum->word[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    sum->count = count;
    sum->negative = negative;
    big_trim(sum);
}

/// a b; `product` is neither of them.
static inline void big_multiply(const tact_big* a, const tact_big* b, tact_big* product)
{
    product->count = a->count && b->count ? a->count + b->count : 0;
    product->negative = a->negative != b->negative;
    for (int i = 0; i < product->count; ++i)
        product->word[i] = 0;
    for (int i = 0; i < a->count && product->count; ++i) {
        uint64_t carry = 0;
        for (int k = 0; k < b->count; ++k) {
            carry += (uint64_t)a->word[i] * b->word[k] + product->word[i + k];
            product->word[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        product->word[i + b->count] = (uint32_t)carry;
    }
    big_trim(product);
}

/// a b - c d; `difference` is none of them.
static inline void big_minor(const tact_big* a, const tact_big* b, const tact_big* c, const tact_big* d,
                             tact_big* difference)
{
    tact_big other;
    big_multiply(a, b, difference);
    big_multiply(c, d, &other);
    big_add(difference, &other, true, difference);
}

/// The determinant of three rows.
static inline void big_determinant(const tact_big a[3], const tact_big b[3], const tact_big c[3], tact_big* sum)
{
    sum->count = 0;
    sum->negative = false;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        tact_big minor, term;
        if (a[k].count == 0) continue;
        big_minor(&b[i], &c[j], &b[j], &c[i], &minor);
        big_multiply(&a[k], &minor, &term);
        big_add(sum, &term, false, sum);
    }
}

/// The coordinates of a point.
static inline void big_vector(tact_vec3 p, int32_t scale, tact_big v[3])
{
    big_set(&v[0], p.x, scale);
    big_set(&v[1], p.y, scale);
    big_set(&v[2], p.z, scale);
}

/// The vector from q to p.
static inline void big_difference(tact_vec3 p, tact_vec3 q, int32_t scale, tact_big v[3])
{
    tact_big from[3];
    big_vector(p, scale, v);
    big_vector(q, scale, from);
    for (int k = 0; k < 3; ++k)
        big_add(&v[k], &from[k], true, &v[k]);
}
