// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Four integers of 64 bits side by side, l4, by the conventions of base/simd.h, for sums that must not depend on their
// order: kernels/exact_sum.h.

#include "base/simd.h"

#define L4_LOG2 30  // a whole number in units of what it is cut to

#if TACT_LANES_ISA >= 2

#define l4 __m256i
/// Numbers of at most 2^31, cut to multiples of 2^-30, towards zero.
LANES_FN l4 l4_cut(f4 t)
{
    const __m128i whole = _mm_cvttps_epi32(t);
    const f4 left = _mm_mul_ps(_mm_sub_ps(t, _mm_cvtepi32_ps(whole)), _mm_set1_ps(0x1p30f));
    return _mm256_add_epi64(_mm256_slli_epi64(_mm256_cvtepi32_epi64(whole), L4_LOG2),
                            _mm256_cvtepi32_epi64(_mm_cvttps_epi32(left)));
}
LANES_FN void l4_add_to(int64_t* p, l4 a)
{
    _mm256_storeu_si256((void*)p, _mm256_add_epi64(_mm256_loadu_si256((const void*)p), a));
}
LANES_FN void l4_take_from(int64_t* p, l4 a)
{
    _mm256_storeu_si256((void*)p, _mm256_sub_epi64(_mm256_loadu_si256((const void*)p), a));
}
LANES_FN f4 l4_low_words(l4 a)
{
    return _mm_castsi128_ps(
        _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6))));
}
/// Multiples of 2^-30, of less than 2^61 of them, as floats: the upper part and the lower part are rounded, then their
/// sum, of the magnitude.
LANES_FN f4 l4_value(const int64_t* p)
{
    const l4 a = _mm256_loadu_si256((const void*)p), sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
    const l4 size = _mm256_sub_epi64(_mm256_xor_si256(a, sign), sign);
    const l4 low = _mm256_and_si256(size, _mm256_set1_epi64x((1 << L4_LOG2) - 1));
    const f4 high = f4_from_words(l4_low_words(_mm256_srli_epi64(size, L4_LOG2)));
    const f4 part = _mm_mul_ps(f4_from_words(l4_low_words(low)), _mm_set1_ps(0x1p-30f));
    return _mm_xor_ps(_mm_add_ps(high, part), _mm_and_ps(l4_low_words(sign), _mm_set1_ps(-0.0f)));
}

#elif TACT_LANES_ISA == 1

typedef struct l4 {
    __m128i low, high;
} l4;

/// Two words as longs; `upper`: the last two of four.
LANES_FN __m128i l2_of_words(__m128i words, const bool upper)
{
    const __m128i sign = _mm_srai_epi32(words, 31);
    return upper ? _mm_unpackhi_epi32(words, sign) : _mm_unpacklo_epi32(words, sign);
}
LANES_FN l4 l4_cut(f4 t)
{
    const __m128i whole = _mm_cvttps_epi32(t);
    const f4 left = _mm_mul_ps(_mm_sub_ps(t, _mm_cvtepi32_ps(whole)), _mm_set1_ps(0x1p30f));
    const __m128i rest = _mm_cvttps_epi32(left);
    const l4 a = {_mm_add_epi64(_mm_slli_epi64(l2_of_words(whole, false), L4_LOG2), l2_of_words(rest, false)),
                  _mm_add_epi64(_mm_slli_epi64(l2_of_words(whole, true), L4_LOG2), l2_of_words(rest, true))};
    return a;
}
LANES_FN void l4_add_to(int64_t* p, l4 a)
{
    _mm_storeu_si128((void*)p, _mm_add_epi64(_mm_loadu_si128((const void*)p), a.low));
    _mm_storeu_si128((void*)(p + 2), _mm_add_epi64(_mm_loadu_si128((const void*)(p + 2)), a.high));
}
LANES_FN void l4_take_from(int64_t* p, l4 a)
{
    _mm_storeu_si128((void*)p, _mm_sub_epi64(_mm_loadu_si128((const void*)p), a.low));
    _mm_storeu_si128((void*)(p + 2), _mm_sub_epi64(_mm_loadu_si128((const void*)(p + 2)), a.high));
}
LANES_FN __m128i l2_sign(__m128i a)
{
    return _mm_shuffle_epi32(_mm_srai_epi32(a, 31), _MM_SHUFFLE(3, 3, 1, 1));
}
LANES_FN f4 l2_low_words(__m128i a, __m128i b)
{
    return _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0));
}
LANES_FN f4 l4_value(const int64_t* p)
{
    const __m128i a = _mm_loadu_si128((const void*)p), b = _mm_loadu_si128((const void*)(p + 2));
    const __m128i sign_a = l2_sign(a), sign_b = l2_sign(b), mask = _mm_set1_epi64x((1 << L4_LOG2) - 1);
    const __m128i size_a = _mm_sub_epi64(_mm_xor_si128(a, sign_a), sign_a);
    const __m128i size_b = _mm_sub_epi64(_mm_xor_si128(b, sign_b), sign_b);
    const f4 high = f4_from_words(l2_low_words(_mm_srli_epi64(size_a, L4_LOG2), _mm_srli_epi64(size_b, L4_LOG2)));
    const f4 low = f4_from_words(l2_low_words(_mm_and_si128(size_a, mask), _mm_and_si128(size_b, mask)));
    const f4 value = _mm_add_ps(high, _mm_mul_ps(low, _mm_set1_ps(0x1p-30f)));
    return _mm_xor_ps(value, _mm_and_ps(l2_low_words(sign_a, sign_b), _mm_set1_ps(-0.0f)));
}

#else

typedef struct l4 {
    int64_t of[4];
} l4;

LANES_FN l4 l4_cut(f4 t)
{
    l4 a;
    for (int i = 0; i < 4; ++i) {
        const int32_t whole = (int32_t)t.of[i];
        const int32_t rest = (int32_t)((t.of[i] - (float)whole) * 0x1p30f);
        a.of[i] = (int64_t)whole * (INT64_C(1) << L4_LOG2) + rest;
    }
    return a;
}
LANES_FN void l4_add_to(int64_t* p, l4 a)
{
    for (int i = 0; i < 4; ++i)
        p[i] += a.of[i];
}
LANES_FN void l4_take_from(int64_t* p, l4 a)
{
    for (int i = 0; i < 4; ++i)
        p[i] -= a.of[i];
}
LANES_FN f4 l4_value(const int64_t* p)
{
    f4 value;
    for (int i = 0; i < 4; ++i) {
        const int64_t size = p[i] < 0 ? -p[i] : p[i];
        const float high = (float)(int32_t)(size >> L4_LOG2);
        const float low = (float)(int32_t)(size & ((1 << L4_LOG2) - 1));
        const float sum = high + low * 0x1p-30f;
        value.of[i] = p[i] < 0 ? -sum : sum;
    }
    return value;
}

#endif
