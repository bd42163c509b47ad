// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// What the particles' loops need besides cpu_ref/geometry/batch_simd.h. V_SQRT; V_WHOLE: towards zero, for numbers in
// the range of int. V_ROWS loads rows of four numbers, whose numbers are in `index`, as four lanes; V_STORE_ROWS stores
// lanes as rows one after another. ROW_ADD and ROW_SUB change one row by another, ROW_COUNT
// takes away three numbers and adds the fourth. Searching is done in
// SEARCH_LANES lanes SF; U_PUT writes first + lane for each lane that is in `bits`, U_FILL a number as often as there
// are lanes. Both may write SEARCH_LANES numbers.

#include <string.h>

#include "cpu_ref/geometry/batch_simd.h"

#if TACT_LANES_ISA == 0

#define V_SQRT(a) sqrtf(a)
#define V_ROWS(rows, index, a, b, c, d)       \
    {                                         \
        const float* row_ = (rows)[*(index)]; \
        a = row_[0];                          \
        b = row_[1];                          \
        c = row_[2];                          \
        d = row_[3];                          \
    }
#define V_STORE_ROWS(rows, a, b, c, d) \
    {                                  \
        (rows)[0][0] = a;              \
        (rows)[0][1] = b;              \
        (rows)[0][2] = c;              \
        (rows)[0][3] = d;              \
    }
#define ROW_ADD(to, row)               \
    {                                  \
        for (int n_ = 0; n_ < 4; ++n_) \
            (to)[n_] += (row)[n_];     \
    }
#define ROW_SUB(to, row)               \
    {                                  \
        for (int n_ = 0; n_ < 4; ++n_) \
            (to)[n_] -= (row)[n_];     \
    }
#define ROW_COUNT(to, row)             \
    {                                  \
        for (int n_ = 0; n_ < 3; ++n_) \
            (to)[n_] -= (row)[n_];     \
        (to)[3] += (row)[3];           \
    }

#else

#define ROW_ADD(to, row) _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), _mm_loadu_ps(row)))
#define ROW_SUB(to, row) _mm_storeu_ps(to, _mm_sub_ps(_mm_loadu_ps(to), _mm_loadu_ps(row)))
// To take a number away is to add its opposite.
#define ROW_COUNT(to, row) \
    _mm_storeu_ps(to,      \
                  _mm_add_ps(_mm_loadu_ps(to), _mm_xor_ps(_mm_loadu_ps(row), _mm_setr_ps(-0.0f, -0.0f, -0.0f, 0.0f))))

#if TACT_LANES_ISA == 1

#define V_SQRT(a) _mm_sqrt_ps(a)
#define V_ROWS(rows, index, a, b, c, d)       \
    {                                         \
        a = _mm_loadu_ps((rows)[(index)[0]]); \
        b = _mm_loadu_ps((rows)[(index)[1]]); \
        c = _mm_loadu_ps((rows)[(index)[2]]); \
        d = _mm_loadu_ps((rows)[(index)[3]]); \
        _MM_TRANSPOSE4_PS(a, b, c, d);        \
    }
#define V_STORE_ROWS(rows, a, b, c, d)             \
    {                                              \
        __m128 r0_ = a, r1_ = b, r2_ = c, r3_ = d; \
        _MM_TRANSPOSE4_PS(r0_, r1_, r2_, r3_);     \
        _mm_storeu_ps((rows)[0], r0_);             \
        _mm_storeu_ps((rows)[1], r1_);             \
        _mm_storeu_ps((rows)[2], r2_);             \
        _mm_storeu_ps((rows)[3], r3_);             \
    }

#elif TACT_LANES_ISA == 2

#define V_SQRT(a) _mm256_sqrt_ps(a)
#define ROWS_AT(rows, index, n)                                                    \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((rows)[(index)[n]])), \
                         _mm_loadu_ps((rows)[(index)[(n) + 4]]), 1)
#define TRANSPOSE(r0, r1, r2, r3, a, b, c, d)                                                   \
    {                                                                                           \
        const __m256 t0_ = _mm256_unpacklo_ps(r0, r1), t1_ = _mm256_unpacklo_ps(r2, r3);        \
        const __m256 t2_ = _mm256_unpackhi_ps(r0, r1), t3_ = _mm256_unpackhi_ps(r2, r3);        \
        a = _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(t0_), _mm256_castps_pd(t1_))); \
        b = _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(t0_), _mm256_castps_pd(t1_))); \
        c = _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(t2_), _mm256_castps_pd(t3_))); \
        d = _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(t2_), _mm256_castps_pd(t3_))); \
    }
#define V_ROWS(rows, index, a, b, c, d)                                            \
    {                                                                              \
        const __m256 r0_ = ROWS_AT(rows, index, 0), r1_ = ROWS_AT(rows, index, 1); \
        const __m256 r2_ = ROWS_AT(rows, index, 2), r3_ = ROWS_AT(rows, index, 3); \
        TRANSPOSE(r0_, r1_, r2_, r3_, a, b, c, d)                                  \
    }
#define STORE_HALVES(rows, n, r)                                     \
    {                                                                \
        _mm_storeu_ps((rows)[n], _mm256_castps256_ps128(r));         \
        _mm_storeu_ps((rows)[(n) + 4], _mm256_extractf128_ps(r, 1)); \
    }
#define V_STORE_ROWS(rows, a, b, c, d)            \
    {                                             \
        __m256 s0_, s1_, s2_, s3_;                \
        TRANSPOSE(a, b, c, d, s0_, s1_, s2_, s3_) \
        STORE_HALVES(rows, 0, s0_)                \
        STORE_HALVES(rows, 1, s1_)                \
        STORE_HALVES(rows, 2, s2_)                \
        STORE_HALVES(rows, 3, s3_)                \
    }

#else

// Searching uses lanes of 256 bits with masks.
#undef LANES_TARGET
#define LANES_TARGET __attribute__((target("avx512f,avx512vl")))

#define V_SQRT(a) _mm512_sqrt_ps(a)
#define ROW_AT(rows, index, n) _mm_loadu_ps((rows)[(index)[n]])
#define ROWS_AT(rows, index, n)                                                                              \
    _mm512_insertf32x4(_mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(ROW_AT(rows, index, n)), \
                                                             ROW_AT(rows, index, (n) + 4), 1),               \
                                          ROW_AT(rows, index, (n) + 8), 2),                                  \
                       ROW_AT(rows, index, (n) + 12), 3)
#define TRANSPOSE(r0, r1, r2, r3, a, b, c, d)                                                   \
    {                                                                                           \
        const __m512 t0_ = _mm512_unpacklo_ps(r0, r1), t1_ = _mm512_unpacklo_ps(r2, r3);        \
        const __m512 t2_ = _mm512_unpackhi_ps(r0, r1), t3_ = _mm512_unpackhi_ps(r2, r3);        \
        a = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(t0_), _mm512_castps_pd(t1_))); \
        b = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(t0_), _mm512_castps_pd(t1_))); \
        c = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(t2_), _mm512_castps_pd(t3_))); \
        d = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(t2_), _mm512_castps_pd(t3_))); \
    }
#define V_ROWS(rows, index, a, b, c, d)                                            \
    {                                                                              \
        const __m512 r0_ = ROWS_AT(rows, index, 0), r1_ = ROWS_AT(rows, index, 1); \
        const __m512 r2_ = ROWS_AT(rows, index, 2), r3_ = ROWS_AT(rows, index, 3); \
        TRANSPOSE(r0_, r1_, r2_, r3_, a, b, c, d)                                  \
    }
#define STORE_QUARTERS(rows, n, r)                                     \
    {                                                                  \
        _mm_storeu_ps((rows)[n], _mm512_castps512_ps128(r));           \
        _mm_storeu_ps((rows)[(n) + 4], _mm512_extractf32x4_ps(r, 1));  \
        _mm_storeu_ps((rows)[(n) + 8], _mm512_extractf32x4_ps(r, 2));  \
        _mm_storeu_ps((rows)[(n) + 12], _mm512_extractf32x4_ps(r, 3)); \
    }
#define V_STORE_ROWS(rows, a, b, c, d)            \
    {                                             \
        __m512 s0_, s1_, s2_, s3_;                \
        TRANSPOSE(a, b, c, d, s0_, s1_, s2_, s3_) \
        STORE_QUARTERS(rows, 0, s0_)              \
        STORE_QUARTERS(rows, 1, s1_)              \
        STORE_QUARTERS(rows, 2, s2_)              \
        STORE_QUARTERS(rows, 3, s3_)              \
    }

#endif
#endif

// Searching.

#if TACT_LANES_ISA <= 1

#define SEARCH_LANES LANES
#define SF VF
#define SM VM
#define S_LOAD V_LOAD
#define S_SET V_SET
#define S_ADD V_ADD
#define S_SUB V_SUB
#define S_MUL V_MUL
#define S_LT V_LT
#define S_LE V_LE
#define S_SELECT V_SELECT
#define S_BITS M_BITS
#define S_COUNT(bits) count_bits(bits)

static inline uint32_t count_bits(uint32_t bits)
{
    return (bits & 1u) + (bits >> 1 & 1u) + (bits >> 2 & 1u) + (bits >> 3 & 1u);
}

#define PUT_BITS(to, value)                                     \
    {                                                           \
        uint32_t left_ = mask_;                                 \
        for (uint32_t lane_ = 0; left_; ++lane_, left_ >>= 1) { \
            *to_ = value;                                       \
            to_ += left_ & 1u;                                  \
        }                                                       \
    }
#define U_PUT(to, bits, first)         \
    {                                  \
        const uint32_t mask_ = bits;   \
        uint32_t* to_ = (to);          \
        PUT_BITS(to_, (first) + lane_) \
    }
#define U_FILL(to, value)                         \
    {                                             \
        for (int n_ = 0; n_ < SEARCH_LANES; ++n_) \
            (to)[n_] = (value);                   \
    }

#else

#define SEARCH_LANES 8
#define SF __m256
#define S_LOAD(p) _mm256_loadu_ps(p)
#define S_SET(x) _mm256_set1_ps(x)
#define S_ADD(a, b) _mm256_add_ps(a, b)
#define S_SUB(a, b) _mm256_sub_ps(a, b)
#define S_MUL(a, b) _mm256_mul_ps(a, b)
#define S_COUNT(bits) ((uint32_t)__builtin_popcount(bits))
#define U_FILL(to, value) _mm256_storeu_si256((__m256i*)(void*)(to), _mm256_set1_epi32((int)(value)))
#define NUMBERS_FROM(first) _mm256_add_epi32(_mm256_set1_epi32((int)(first)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))

#if TACT_LANES_ISA == 2
#include "cpu_ref/particles/cpu_compress.h"

#define SM __m256
#define S_LT V_LT
#define S_LE V_LE
#define S_SELECT V_SELECT
#define S_BITS M_BITS
#define LANES_IN(bits) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)&tact_compress_orders[bits]))
#define U_PUT(to, bits, first) \
    _mm256_storeu_si256((__m256i*)(void*)(to), _mm256_add_epi32(_mm256_set1_epi32((int)(first)), LANES_IN(bits)))
#else
#define SM __mmask8
#define S_LT(a, b) _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define S_LE(a, b) _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define S_SELECT(m, a, b) _mm256_mask_blend_ps(m, b, a)
#define S_BITS(a) ((uint32_t)(a))
#define U_PUT(to, bits, first) \
    _mm256_storeu_si256((__m256i*)(void*)(to), _mm256_maskz_compress_epi32((__mmask8)(bits), NUMBERS_FROM(first)))
#endif
#endif
