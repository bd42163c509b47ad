// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Eight single-precision numbers side by side, such as the eight children of a node or the eight triangles of a block,
// under one set of names for the set of instructions that TACT_LANES_ISA says (cpu_ref/geometry/batch_simd.h, which is
// included here, has lanes as wide as the machine's). Answers are bits, child 0 the lowest. E_MIN and E_MAX are
// a < b ? a : b and a > b ? a : b, E_IF_LT is a < b ? x : y.

#include "base/compiler.h"
#include "cpu_ref/geometry/batch_simd.h"

#if TACT_LANES_ISA >= 2

#if TACT_LANES_ISA == 2
#define EIGHT_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#else
#define EIGHT_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi,bmi2,popcnt,lzcnt")))
#endif
#define EF __m256
#define E_LOAD(p) _mm256_loadu_ps(p)
#define E_STORE(p, a) _mm256_storeu_ps(p, a)
#define E_SET(x) _mm256_set1_ps(x)
#define E_ADD(a, b) _mm256_add_ps(a, b)
#define E_SUB(a, b) _mm256_sub_ps(a, b)
#define E_MUL(a, b) _mm256_mul_ps(a, b)
#define E_DIV(a, b) _mm256_div_ps(a, b)
#define E_ABS(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define E_MIN(a, b) _mm256_min_ps(a, b)
#define E_MAX(a, b) _mm256_max_ps(a, b)
#define E_BYTES(p) _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)(p))))
#if TACT_LANES_ISA == 2
#define E_LE(a, b) ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)))
#define E_LT(a, b) ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)))
#define E_IF_LT(a, b, x, y) _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ))
#else
#define E_LE(a, b) ((uint32_t)_mm256_cmp_ps_mask(a, b, _CMP_LE_OQ))
#define E_LT(a, b) ((uint32_t)_mm256_cmp_ps_mask(a, b, _CMP_LT_OQ))
#define E_IF_LT(a, b, x, y) _mm256_mask_blend_ps(_mm256_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x)
#endif

#elif TACT_LANES_ISA == 1

#define EIGHT_TARGET
typedef struct tact_eight {
    __m128 low, high;
} tact_eight;
#define EF tact_eight
#define E_BOTH(f, a, b) ((tact_eight){f((a).low, (b).low), f((a).high, (b).high)})
static inline tact_eight tact_eight_load(const float* p)
{
    return (tact_eight){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)};
}
static inline void tact_eight_store(float* p, tact_eight a)
{
    _mm_storeu_ps(p, a.low);
    _mm_storeu_ps(p + 4, a.high);
}
static inline __m128 tact_eight_if(__m128 mask, __m128 x, __m128 y)
{
    return _mm_or_ps(_mm_and_ps(mask, x), _mm_andnot_ps(mask, y));
}
static inline tact_eight tact_eight_bytes(const uint8_t* p)
{
    const __m128i zero = _mm_setzero_si128();
    const __m128i words = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(const void*)p), zero);
    return (tact_eight){_mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero)),
                        _mm_cvtepi32_ps(_mm_unpackhi_epi16(words, zero))};
}
#define E_LOAD(p) tact_eight_load(p)
#define E_STORE(p, a) tact_eight_store(p, a)
#define E_SET(x) ((tact_eight){_mm_set1_ps(x), _mm_set1_ps(x)})
#define E_ADD(a, b) E_BOTH(_mm_add_ps, a, b)
#define E_SUB(a, b) E_BOTH(_mm_sub_ps, a, b)
#define E_MUL(a, b) E_BOTH(_mm_mul_ps, a, b)
#define E_DIV(a, b) E_BOTH(_mm_div_ps, a, b)
#define E_ABS(a) E_BOTH(_mm_andnot_ps, E_SET(-0.0f), a)
#define E_MIN(a, b) E_BOTH(_mm_min_ps, a, b)
#define E_MAX(a, b) E_BOTH(_mm_max_ps, a, b)
#define E_BYTES(p) tact_eight_bytes(p)
#define E_MASK(f, a, b) \
    ((uint32_t)_mm_movemask_ps(f((a).low, (b).low)) | (uint32_t)_mm_movemask_ps(f((a).high, (b).high)) << 4)
#define E_LE(a, b) E_MASK(_mm_cmple_ps, a, b)
#define E_LT(a, b) E_MASK(_mm_cmplt_ps, a, b)
#define E_IF_LT(a, b, x, y)                                                        \
    ((tact_eight){tact_eight_if(_mm_cmplt_ps((a).low, (b).low), (x).low, (y).low), \
                  tact_eight_if(_mm_cmplt_ps((a).high, (b).high), (x).high, (y).high)})

#else

#define EIGHT_TARGET
typedef struct tact_eight {
    float of[8];
} tact_eight;
#define EF tact_eight
#define TACT_EIGHT_OP(name, expression)                                    \
    static inline tact_eight tact_eight_##name(tact_eight a, tact_eight b) \
    {                                                                      \
        tact_eight c;                                                      \
        for (int i = 0; i < 8; ++i)                                        \
            c.of[i] = expression;                                          \
        return c;                                                          \
    }
TACT_EIGHT_OP(add, a.of[i] + b.of[i])
TACT_EIGHT_OP(sub, a.of[i] - b.of[i])
TACT_EIGHT_OP(mul, a.of[i] * b.of[i])
TACT_EIGHT_OP(div, a.of[i] / b.of[i])
TACT_EIGHT_OP(min, tact_min(a.of[i], b.of[i]))
TACT_EIGHT_OP(max, tact_max(a.of[i], b.of[i]))
static inline tact_eight tact_eight_abs(tact_eight a)
{
    for (int i = 0; i < 8; ++i)
        a.of[i] = fabsf(a.of[i]);
    return a;
}
static inline tact_eight tact_eight_if_lt(tact_eight a, tact_eight b, tact_eight x, tact_eight y)
{
    for (int i = 0; i < 8; ++i)
        a.of[i] = a.of[i] < b.of[i] ? x.of[i] : y.of[i];
    return a;
}
static inline tact_eight tact_eight_load(const float* p)
{
    tact_eight a;
    memcpy(a.of, p, sizeof a.of);
    return a;
}
static inline tact_eight tact_eight_set(float x)
{
    tact_eight a;
    for (int i = 0; i < 8; ++i)
        a.of[i] = x;
    return a;
}
static inline tact_eight tact_eight_bytes(const uint8_t* p)
{
    tact_eight a;
    for (int i = 0; i < 8; ++i)
        a.of[i] = (float)p[i];
    return a;
}
static inline uint32_t tact_eight_le(tact_eight a, tact_eight b)
{
    uint32_t bits = 0;
    for (int i = 0; i < 8; ++i)
        bits |= (uint32_t)(a.of[i] <= b.of[i]) << i;
    return bits;
}
static inline uint32_t tact_eight_lt(tact_eight a, tact_eight b)
{
    uint32_t bits = 0;
    for (int i = 0; i < 8; ++i)
        bits |= (uint32_t)(a.of[i] < b.of[i]) << i;
    return bits;
}
#define E_LOAD(p) tact_eight_load(p)
#define E_STORE(p, a) memcpy(p, (a).of, sizeof(a).of)
#define E_SET(x) tact_eight_set(x)
#define E_ADD(a, b) tact_eight_add(a, b)
#define E_SUB(a, b) tact_eight_sub(a, b)
#define E_MUL(a, b) tact_eight_mul(a, b)
#define E_DIV(a, b) tact_eight_div(a, b)
#define E_ABS(a) tact_eight_abs(a)
#define E_MIN(a, b) tact_eight_min(a, b)
#define E_MAX(a, b) tact_eight_max(a, b)
#define E_BYTES(p) tact_eight_bytes(p)
#define E_LE(a, b) tact_eight_le(a, b)
#define E_LT(a, b) tact_eight_lt(a, b)
#define E_IF_LT(a, b, x, y) tact_eight_if_lt(a, b, x, y)

#endif

// Functions of both kinds call each other, so all are compiled for the same instructions.
#undef LANES_TARGET
#define LANES_TARGET EIGHT_TARGET
#if defined(__GNUC__) && TACT_LANES_ISA >= 2
#define EIGHT_FN EIGHT_TARGET __attribute__((always_inline)) static inline
#else
#define EIGHT_FN static inline
#endif
// Large functions, which the compiler may copy for each mode, but which would take long to compile as one.
#define EIGHT_PART EIGHT_TARGET static
