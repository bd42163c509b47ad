// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Rows of four floats: SSE2, which every x86-64 has, or plain C that computes the same. l4_min is a < b ? a : b and
/// l4_max a > b ? a : b, also for NaN and signed zeros, which is what the instructions do. l8 is a box, both rows: one
/// register where TACT_LANES_ISA is 2, else two.

#include <stdint.h>
#include <string.h>

#include "cpu_ref/lane_levels.h"

#ifdef TACT_LANES_SSE2

#include <emmintrin.h>

typedef __m128 l4;

#define L4_FN static inline

L4_FN l4 l4_load(const float* p)
{
    return _mm_loadu_ps(p);
}
L4_FN void l4_store(float* p, l4 a)
{
    _mm_storeu_ps(p, a);
}
/// The fourth is 0, and not read.
L4_FN l4 l4_load_three(const float* p)
{
    return _mm_movelh_ps(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i*)(const void*)p)), _mm_load_ss(p + 2));
}
L4_FN l4 l4_set(float x)
{
    return _mm_set1_ps(x);
}
L4_FN l4 l4_add(l4 a, l4 b)
{
    return _mm_add_ps(a, b);
}
L4_FN l4 l4_sub(l4 a, l4 b)
{
    return _mm_sub_ps(a, b);
}
L4_FN l4 l4_mul(l4 a, l4 b)
{
    return _mm_mul_ps(a, b);
}
L4_FN l4 l4_div(l4 a, l4 b)
{
    return _mm_div_ps(a, b);
}
L4_FN l4 l4_min(l4 a, l4 b)
{
    return _mm_min_ps(a, b);
}
L4_FN l4 l4_max(l4 a, l4 b)
{
    return _mm_max_ps(a, b);
}
L4_FN l4 l4_negate(l4 a)
{
    return _mm_xor_ps(a, _mm_set1_ps(-0.0f));
}
L4_FN l4 l4_abs(l4 a)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
/// Whether all four of each are at most `most`, which a NaN is not.
L4_FN int l4_within(l4 a, l4 b, l4 c, l4 most)
{
    const __m128 m = _mm_and_ps(_mm_and_ps(_mm_cmple_ps(a, most), _mm_cmple_ps(b, most)), _mm_cmple_ps(c, most));
    return _mm_movemask_ps(m) == 15;
}
/// The first three of four, which may hold anything in the fourth, such as a number that is no float.
L4_FN l4 l4_three(l4 a)
{
    return _mm_and_ps(a, _mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0)));
}
/// Where a < b: x, else y.
L4_FN l4 l4_less(l4 a, l4 b, l4 x, l4 y)
{
    const __m128 m = _mm_cmplt_ps(a, b);
    return _mm_or_ps(_mm_and_ps(m, x), _mm_andnot_ps(m, y));
}
/// Rounded towards zero.
L4_FN void l4_store_integers(int32_t* p, l4 a)
{
    _mm_storeu_si128((__m128i*)(void*)p, _mm_cvttps_epi32(a));
}
L4_FN l4 l4_from_integers(const uint32_t* p)
{
    return _mm_cvtepi32_ps(_mm_loadu_si128((const __m128i*)(const void*)p));
}
/// Row k of the three becomes column k.
L4_FN void l4_turn(l4* a, l4* b, l4* c)
{
    l4 d = _mm_setzero_ps();
    _MM_TRANSPOSE4_PS(*a, *b, *c, d);
}

#else

typedef struct l4 {
    float v[4];
} l4;

#define L4_FN static inline
#define L4_EACH(expression)     \
    l4 r;                       \
    for (int i = 0; i < 4; ++i) \
        r.v[i] = (expression);  \
    return r

L4_FN l4 l4_load(const float* p)
{
    l4 r;
    memcpy(r.v, p, sizeof r.v);
    return r;
}
L4_FN void l4_store(float* p, l4 a)
{
    memcpy(p, a.v, sizeof a.v);
}
L4_FN l4 l4_load_three(const float* p)
{
    return (l4){{p[0], p[1], p[2], 0.0f}};
}
L4_FN l4 l4_set(float x)
{
    L4_EACH(x);
}
L4_FN l4 l4_add(l4 a, l4 b)
{
    L4_EACH(a.v[i] + b.v[i]);
}
L4_FN l4 l4_sub(l4 a, l4 b)
{
    L4_EACH(a.v[i] - b.v[i]);
}
L4_FN l4 l4_mul(l4 a, l4 b)
{
    L4_EACH(a.v[i] * b.v[i]);
}
L4_FN l4 l4_div(l4 a, l4 b)
{
    L4_EACH(a.v[i] / b.v[i]);
}
L4_FN l4 l4_min(l4 a, l4 b)
{
    L4_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
L4_FN l4 l4_max(l4 a, l4 b)
{
    L4_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]);
}
L4_FN l4 l4_negate(l4 a)
{
    L4_EACH(-a.v[i]);
}
L4_FN l4 l4_abs(l4 a)
{
    L4_EACH(a.v[i] < 0.0f ? -a.v[i] : a.v[i] == 0.0f ? 0.0f : a.v[i]);
}
L4_FN int l4_within(l4 a, l4 b, l4 c, l4 most)
{
    int good = 1;
    for (int i = 0; i < 4; ++i)
        good = good && a.v[i] <= most.v[i] && b.v[i] <= most.v[i] && c.v[i] <= most.v[i];
    return good;
}
L4_FN l4 l4_three(l4 a)
{
    L4_EACH(i < 3 ? a.v[i] : 0.0f);
}
L4_FN l4 l4_less(l4 a, l4 b, l4 x, l4 y)
{
    L4_EACH(a.v[i] < b.v[i] ? x.v[i] : y.v[i]);
}
L4_FN void l4_store_integers(int32_t* p, l4 a)
{
    for (int i = 0; i < 4; ++i)
        p[i] = (int32_t)a.v[i];
}
L4_FN l4 l4_from_integers(const uint32_t* p)
{
    L4_EACH((float)p[i]);
}
L4_FN void l4_turn(l4* a, l4* b, l4* c)
{
    const l4 x = *a, y = *b, z = *c;
    for (int i = 0; i < 3; ++i) {
        l4* row = i == 0 ? a : i == 1 ? b : c;
        row->v[0] = x.v[i];
        row->v[1] = y.v[i];
        row->v[2] = z.v[i];
        row->v[3] = 0.0f;
    }
}

#endif

/// The sum of corners of a box, twice its centre.
L4_FN l4 l4_centre(const float* lower, const float* negated)
{
    return l4_sub(l4_three(l4_load(lower)), l4_three(l4_load(negated)));
}

#if defined(TACT_LANES_ISA) && TACT_LANES_ISA == 2

#include <immintrin.h>

#define BUILD_TARGET __attribute__((target("avx2")))

typedef __m256 l8;

#define L8_FN BUILD_TARGET static inline

L8_FN l8 l8_load(const float* p)
{
    return _mm256_loadu_ps(p);
}
L8_FN void l8_store(float* p, l8 a)
{
    _mm256_storeu_ps(p, a);
}
L8_FN l8 l8_set(float x)
{
    return _mm256_set1_ps(x);
}
L8_FN l8 l8_min(l8 a, l8 b)
{
    return _mm256_min_ps(a, b);
}
L8_FN l8 l8_rows(l4 lower, l4 negated)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(lower), negated, 1);
}
/// Where x < y, a number each: a, else b.
L8_FN l8 l8_less(float x, float y, l8 a, l8 b)
{
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(_mm256_set1_ps(x), _mm256_set1_ps(y), _CMP_LT_OQ));
}
L8_FN l4 l8_lower(l8 a)
{
    return _mm256_castps256_ps128(a);
}
L8_FN l4 l8_negated(l8 a)
{
    return _mm256_extractf128_ps(a, 1);
}

#else

#define BUILD_TARGET

typedef struct l8 {
    l4 lower, negated;
} l8;

#define L8_FN static inline

L8_FN l8 l8_load(const float* p)
{
    return (l8){l4_load(p), l4_load(p + 4)};
}
L8_FN void l8_store(float* p, l8 a)
{
    l4_store(p, a.lower);
    l4_store(p + 4, a.negated);
}
L8_FN l8 l8_set(float x)
{
    return (l8){l4_set(x), l4_set(x)};
}
L8_FN l8 l8_min(l8 a, l8 b)
{
    return (l8){l4_min(a.lower, b.lower), l4_min(a.negated, b.negated)};
}
L8_FN l8 l8_rows(l4 lower, l4 negated)
{
    return (l8){lower, negated};
}
/// Where x < y, a number each: a, else b.
L8_FN l8 l8_less(float x, float y, l8 a, l8 b)
{
    const l4 p = l4_set(x), q = l4_set(y);
    return (l8){l4_less(p, q, a.lower, b.lower), l4_less(p, q, a.negated, b.negated)};
}
L8_FN l4 l8_lower(l8 a)
{
    return a.lower;
}
L8_FN l4 l8_negated(l8 a)
{
    return a.negated;
}

#endif

/// Both rows of the sums of corners of a box: those, and minus those.
L8_FN l8 l8_centre(l8 box)
{
    const l4 centre = l4_sub(l4_three(l8_lower(box)), l4_three(l8_negated(box)));
    return l8_rows(centre, l4_negate(centre));
}
