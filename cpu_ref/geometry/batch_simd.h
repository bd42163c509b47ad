// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Lanes of single-precision numbers under one set of names, for the set of instructions that TACT_LANES_ISA says:
// 0 plain C (one lane), 1 SSE2, 2 AVX2, 3 AVX-512F. VF holds numbers, VM answers. V_MIN and V_MAX are a < b ? a : b and
// a > b ? a : b also for NaN and signed zeros, which is what the instructions do. M_EQ_WORDS compares words in memory.

#include "cpu_ref/geometry/batch_internal.h"

#if TACT_LANES_ISA > 0
#include <immintrin.h>
#endif

#if TACT_LANES_ISA == 0

#define LANES 1
#define LANES_TARGET
#define VF float
#define VM bool
#define V_LOAD(p) (*(p))
#define V_STORE(p, a) (*(p) = (a))
#define V_SET(x) (x)
#define V_ADD(a, b) ((a) + (b))
#define V_SUB(a, b) ((a) - (b))
#define V_MUL(a, b) ((a) * (b))
#define V_DIV(a, b) ((a) / (b))
#define V_MIN(a, b) tact_min(a, b)
#define V_MAX(a, b) tact_max(a, b)
#define V_ABS(a) fabsf(a)
#define V_LT(a, b) ((a) < (b))
#define V_LE(a, b) ((a) <= (b))
#define V_EQ(a, b) ((a) == (b))
#define M_AND(a, b) ((a) && (b))
#define M_OR(a, b) ((a) || (b))
#define M_ANDNOT(a, b) (!(a) && (b))
#define M_EQ_WORDS(p, word) (*(p) == (word))
#define M_BITS(a) ((uint32_t)(a))
#define V_SELECT(m, a, b) ((m) ? (a) : (b))

#elif TACT_LANES_ISA == 1

#define LANES 4
#define LANES_TARGET
#define VF __m128
#define VM __m128
#define V_LOAD(p) _mm_loadu_ps(p)
#define V_STORE(p, a) _mm_storeu_ps(p, a)
#define V_SET(x) _mm_set1_ps(x)
#define V_ADD(a, b) _mm_add_ps(a, b)
#define V_SUB(a, b) _mm_sub_ps(a, b)
#define V_MUL(a, b) _mm_mul_ps(a, b)
#define V_DIV(a, b) _mm_div_ps(a, b)
#define V_MIN(a, b) _mm_min_ps(a, b)
#define V_MAX(a, b) _mm_max_ps(a, b)
#define V_ABS(a) _mm_andnot_ps(_mm_set1_ps(-0.0f), a)
#define V_LT(a, b) _mm_cmplt_ps(a, b)
#define V_LE(a, b) _mm_cmple_ps(a, b)
#define V_EQ(a, b) _mm_cmpeq_ps(a, b)
#define M_AND(a, b) _mm_and_ps(a, b)
#define M_OR(a, b) _mm_or_ps(a, b)
#define M_ANDNOT(a, b) _mm_andnot_ps(a, b)
#define M_EQ_WORDS(p, word) \
    _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*)(const void*)(p)), _mm_set1_epi32((int)(word))))
#define M_BITS(a) ((uint32_t)_mm_movemask_ps(a))
#define V_SELECT(m, a, b) _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b))

#elif TACT_LANES_ISA == 2

#define LANES 8
#define LANES_TARGET __attribute__((target("avx2")))
#define VF __m256
#define VM __m256
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, a) _mm256_storeu_ps(p, a)
#define V_SET(x) _mm256_set1_ps(x)
#define V_ADD(a, b) _mm256_add_ps(a, b)
#define V_SUB(a, b) _mm256_sub_ps(a, b)
#define V_MUL(a, b) _mm256_mul_ps(a, b)
#define V_DIV(a, b) _mm256_div_ps(a, b)
#define V_MIN(a, b) _mm256_min_ps(a, b)
#define V_MAX(a, b) _mm256_max_ps(a, b)
#define V_ABS(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define V_LT(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define V_LE(a, b) _mm256_cmp_ps(a, b, _CMP_LE_OQ)
#define V_EQ(a, b) _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define M_AND(a, b) _mm256_and_ps(a, b)
#define M_OR(a, b) _mm256_or_ps(a, b)
#define M_ANDNOT(a, b) _mm256_andnot_ps(a, b)
#define M_EQ_WORDS(p, word) \
    _mm256_castsi256_ps(    \
        _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i*)(const void*)(p)), _mm256_set1_epi32((int)(word))))
#define M_BITS(a) ((uint32_t)_mm256_movemask_ps(a))
#define V_SELECT(m, a, b) _mm256_blendv_ps(b, a, m)

#else

#define LANES 16
#define LANES_TARGET __attribute__((target("avx512f")))
#define VF __m512
#define VM __mmask16
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, a) _mm512_storeu_ps(p, a)
#define V_SET(x) _mm512_set1_ps(x)
#define V_ADD(a, b) _mm512_add_ps(a, b)
#define V_SUB(a, b) _mm512_sub_ps(a, b)
#define V_MUL(a, b) _mm512_mul_ps(a, b)
#define V_DIV(a, b) _mm512_div_ps(a, b)
#define V_MIN(a, b) _mm512_min_ps(a, b)
#define V_MAX(a, b) _mm512_max_ps(a, b)
#define V_ABS(a) _mm512_abs_ps(a)
#define V_LT(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define V_LE(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define V_EQ(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define M_AND(a, b) ((__mmask16)((a) & (b)))
#define M_OR(a, b) ((__mmask16)((a) | (b)))
#define M_ANDNOT(a, b) ((__mmask16)(~(a) & (b)))
#define M_EQ_WORDS(p, word) _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(p), _mm512_set1_epi32((int)(word)))
#define M_BITS(a) ((uint32_t)(a))
#define V_SELECT(m, a, b) _mm512_mask_blend_ps(m, b, a)

#endif

#if defined(__GNUC__)
#define LANES_FN LANES_TARGET __attribute__((always_inline)) static inline
#else
#define LANES_FN static inline
#endif
