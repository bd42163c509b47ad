// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Rows of four floats: SSE2, which every x86-64 has, or plain C that computes the same. l4_min is a < b ? a : b, also
/// for NaN and signed zeros, which is what the instruction does.

#include <stdint.h>
#include <string.h>

#include "cpu_ref/geometry/batch_internal.h"

#ifdef TACT_BATCH_SSE2

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
L4_FN l4 l4_min(l4 a, l4 b)
{
    return _mm_min_ps(a, b);
}
L4_FN l4 l4_negate(l4 a)
{
    return _mm_xor_ps(a, _mm_set1_ps(-0.0f));
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
L4_FN l4 l4_min(l4 a, l4 b)
{
    L4_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
L4_FN l4 l4_negate(l4 a)
{
    L4_EACH(-a.v[i]);
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
