// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Single-precision numbers side by side, under one set of names. Vector instructions have their own names here only.
//
// f4, f8 and f16 hold that many numbers, m4, m8 and m16 answers for them; f1_ and m1_ take one, a float or a bool.
// TACT_LANES_ISA says for which instructions a file is compiled: 0 plain C, 1 SSE2, 2 AVX2, 3 AVX-512; what every
// machine of the build has where a file does not say. f4 and f8 are there at each level: where no register is that
// wide, f8 is two f4, and f4 four numbers. V_ and M_ are as wide as the level's registers (LANES numbers VF, answers
// VM), S_ the same but at most eight lanes wide.
//
// min is a < b ? a : b and max a > b ? a : b also for NaN and signed zeros, which is what the instructions do. less is
// a < b ? x : y. Bits of answers begin with lane 0. Words are numbers of 32 bits that are not floats.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/lane_levels.h"

#ifndef TACT_LANES_ISA
#ifdef TACT_LANES_SSE2
#define TACT_LANES_ISA 1
#else
#define TACT_LANES_ISA 0
#endif
#endif

#if TACT_LANES_ISA >= 2
#include <immintrin.h>
#elif TACT_LANES_ISA == 1
#include <emmintrin.h>
#endif

// Functions call each other, so all are compiled for the same instructions.
#if TACT_LANES_ISA == 3
#define LANES_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi,bmi2,popcnt,lzcnt")))
#elif TACT_LANES_ISA == 2
#define LANES_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#else
#define LANES_TARGET
#endif
#if defined(__GNUC__)
#define LANES_FN LANES_TARGET __attribute__((always_inline)) static inline
#else
#define LANES_FN static inline
#endif
// The same for larger functions, which the compiler need not copy where registers are few.
#if TACT_LANES_ISA >= 2
#define LANES_INLINE LANES_FN
#else
#define LANES_INLINE static inline
#endif

/// A function of one expression.
#define SIMD_FN(type, name, parameters, ...) \
    LANES_FN type name parameters            \
    {                                        \
        return __VA_ARGS__;                  \
    }

/// How many of the lowest 16 bits are set; no other is.
LANES_FN uint32_t lanes_count(uint32_t bits)
{
#if TACT_LANES_ISA >= 2
    return (uint32_t)__builtin_popcount(bits);  // one instruction there
#else
    bits -= bits >> 1 & 0x5555u;
    bits = (bits & 0x3333u) + (bits >> 2 & 0x3333u);
    bits = (bits + (bits >> 4)) & 0x0f0fu;
    return (bits + (bits >> 8)) & 0x1fu;
#endif
}

/// For each set of eight lanes, the lanes that are in it, ascending, a byte each; zeroes after those.
extern const uint64_t tact_lane_orders[256];

// ---- Registers ----

// What reads the same for all widths: P begins the names of instructions, I is the register for words.
#define SIMD_REGISTER(N, P, I, REGISTER)                                                            \
    typedef REGISTER f##N;                                                                          \
    SIMD_FN(f##N, f##N##_load, (const float* p), P##loadu_ps(p))                                    \
    LANES_FN void f##N##_store(float* p, f##N a)                                                    \
    {                                                                                               \
        P##storeu_ps(p, a);                                                                         \
    }                                                                                               \
    SIMD_FN(f##N, f##N##_load_words, (const void* p), P##loadu_ps(p))                               \
    LANES_FN void f##N##_store_words(void* p, f##N a)                                               \
    {                                                                                               \
        P##storeu_ps(p, a);                                                                         \
    }                                                                                               \
    SIMD_FN(f##N, f##N##_set, (float x), P##set1_ps(x))                                             \
    SIMD_FN(f##N, f##N##_add, (f##N a, f##N b), P##add_ps(a, b))                                    \
    SIMD_FN(f##N, f##N##_sub, (f##N a, f##N b), P##sub_ps(a, b))                                    \
    SIMD_FN(f##N, f##N##_mul, (f##N a, f##N b), P##mul_ps(a, b))                                    \
    SIMD_FN(f##N, f##N##_div, (f##N a, f##N b), P##div_ps(a, b))                                    \
    SIMD_FN(f##N, f##N##_min, (f##N a, f##N b), P##min_ps(a, b))                                    \
    SIMD_FN(f##N, f##N##_max, (f##N a, f##N b), P##max_ps(a, b))                                    \
    SIMD_FN(f##N, f##N##_sqrt, (f##N a), P##sqrt_ps(a))                                             \
    SIMD_FN(f##N, f##N##_abs, (f##N a), P##andnot_ps(P##set1_ps(-0.0f), a))                         \
    SIMD_FN(f##N, f##N##_power, (f##N a), P##and_ps(a, P##cast##I##_ps(P##set1_epi32(0x7f800000)))) \
    SIMD_FN(f##N, f##N##_inverse, (f##N a),                                                         \
            P##cast##I##_ps(P##sub_epi32(P##set1_epi32(0x7f000000), P##castps_##I(a))))             \
    SIMD_FN(f##N, f##N##_whole, (f##N a), P##cast##I##_ps(P##cvttps_epi32(a)))                      \
    LANES_FN void f##N##_turn(f##N r[4])                                                            \
    {                                                                                               \
        const f##N ab = P##unpacklo_ps(r[0], r[1]), cd = P##unpacklo_ps(r[2], r[3]);                \
        const f##N ef = P##unpackhi_ps(r[0], r[1]), gh = P##unpackhi_ps(r[2], r[3]);                \
        r[0] = P##castpd_ps(P##unpacklo_pd(P##castps_pd(ab), P##castps_pd(cd)));                    \
        r[1] = P##castpd_ps(P##unpackhi_pd(P##castps_pd(ab), P##castps_pd(cd)));                    \
        r[2] = P##castpd_ps(P##unpacklo_pd(P##castps_pd(ef), P##castps_pd(gh)));                    \
        r[3] = P##castpd_ps(P##unpackhi_pd(P##castps_pd(ef), P##castps_pd(gh)));                    \
    }

// Answers that are lanes of ones or zeroes.
#define SIMD_ANSWERS_WIDE(N, P, I, LT, LE, EQ, SELECT)                                                  \
    typedef f##N m##N;                                                                                  \
    SIMD_FN(m##N, f##N##_lt, (f##N a, f##N b), LT(a, b))                                                \
    SIMD_FN(m##N, f##N##_le, (f##N a, f##N b), LE(a, b))                                                \
    SIMD_FN(m##N, f##N##_eq, (f##N a, f##N b), EQ(a, b))                                                \
    SIMD_FN(f##N, f##N##_select, (m##N m, f##N a, f##N b), SELECT(m, a, b))                             \
    SIMD_FN(m##N, m##N##_and, (m##N a, m##N b), P##and_ps(a, b))                                        \
    SIMD_FN(m##N, m##N##_or, (m##N a, m##N b), P##or_ps(a, b))                                          \
    SIMD_FN(m##N, m##N##_andnot, (m##N a, m##N b), P##andnot_ps(a, b))                                  \
    SIMD_FN(uint32_t, m##N##_bits, (m##N a), (uint32_t)P##movemask_ps(a))                               \
    LANES_FN m##N m##N##_of_bits(uint32_t bits)                                                         \
    {                                                                                                   \
        static const int each[8] = {1, 2, 4, 8, 16, 32, 64, 128};                                       \
        const f##N own = f##N##_load_words(each), all = P##cast##I##_ps(P##set1_epi32((int)bits));      \
        return P##cast##I##_ps(P##cmpeq_epi32(P##castps_##I(P##and_ps(own, all)), P##castps_##I(own))); \
    }                                                                                                   \
    LANES_FN m##N m##N##_eq_words(const uint32_t* p, uint32_t word)                                     \
    {                                                                                                   \
        const f##N words = f##N##_load_words(p);                                                        \
        return P##cast##I##_ps(P##cmpeq_epi32(P##castps_##I(words), P##set1_epi32((int)word)));         \
    }                                                                                                   \
    SIMD_FN(m##N, f##N##_le_and, (m##N m, f##N a, f##N b), m##N##_and(m, f##N##_le(a, b)))

// Answers that are bits in a register for such.
#define SIMD_ANSWERS_BITS(N, P, MASK)                                                 \
    typedef MASK m##N;                                                                \
    SIMD_FN(m##N, f##N##_lt, (f##N a, f##N b), P##cmp_ps_mask(a, b, _CMP_LT_OQ))      \
    SIMD_FN(m##N, f##N##_le, (f##N a, f##N b), P##cmp_ps_mask(a, b, _CMP_LE_OQ))      \
    SIMD_FN(m##N, f##N##_eq, (f##N a, f##N b), P##cmp_ps_mask(a, b, _CMP_EQ_OQ))      \
    SIMD_FN(f##N, f##N##_select, (m##N m, f##N a, f##N b), P##mask_blend_ps(m, b, a)) \
    SIMD_FN(m##N, m##N##_and, (m##N a, m##N b), (m##N)(a & b))                        \
    SIMD_FN(m##N, m##N##_or, (m##N a, m##N b), (m##N)(a | b))                         \
    SIMD_FN(m##N, m##N##_andnot, (m##N a, m##N b), (m##N)(~a & b))                    \
    SIMD_FN(uint32_t, m##N##_bits, (m##N a), (uint32_t)a)                             \
    SIMD_FN(m##N, m##N##_of_bits, (uint32_t bits), (m##N)bits)                        \
    SIMD_FN(m##N, m##N##_eq_words, (const uint32_t* p, uint32_t word),                \
            P##cmpeq_epi32_mask(u##N##_load(p), u##N##_set(word)))                    \
    SIMD_FN(m##N, f##N##_le_and, (m##N m, f##N a, f##N b), P##mask_cmp_ps_mask(m, a, b, _CMP_LE_OQ))

#define SIMD_DERIVED(N)                                                               \
    SIMD_FN(uint32_t, f##N##_lt_bits, (f##N a, f##N b), m##N##_bits(f##N##_lt(a, b))) \
    SIMD_FN(uint32_t, f##N##_le_bits, (f##N a, f##N b), m##N##_bits(f##N##_le(a, b))) \
    SIMD_FN(f##N, f##N##_less, (f##N a, f##N b, f##N x, f##N y), f##N##_select(f##N##_lt(a, b), x, y))

// Words, where instructions pack them by bits.
#define SIMD_WORDS(N, P, I, REGISTER, MASK)                                       \
    typedef REGISTER u##N;                                                        \
    SIMD_FN(u##N, u##N##_load, (const uint32_t* p), P##loadu_##I((const void*)p)) \
    LANES_FN void u##N##_store(void* p, u##N a)                                   \
    {                                                                             \
        P##storeu_##I(p, a);                                                      \
    }                                                                             \
    SIMD_FN(u##N, u##N##_set, (uint32_t x), P##set1_epi32((int)x))                \
    SIMD_FN(u##N, u##N##_min, (u##N a, u##N b), P##min_epu32(a, b))               \
    SIMD_FN(u##N, u##N##_max, (u##N a, u##N b), P##max_epu32(a, b))               \
    SIMD_FN(u##N, u##N##_pack, (uint32_t bits, u##N a), P##maskz_compress_epi32((MASK)bits, a))

// ---- One number ----

#define f1_load(p) (*(p))
#define f1_store(p, a) (*(p) = (a))
#define f1_set(x) (x)
#define f1_add(a, b) ((a) + (b))
#define f1_sub(a, b) ((a) - (b))
#define f1_mul(a, b) ((a) * (b))
#define f1_div(a, b) ((a) / (b))
#define f1_abs(a) fabsf(a)
#define f1_sqrt(a) sqrtf(a)
#define f1_lt(a, b) ((a) < (b))
#define f1_le(a, b) ((a) <= (b))
#define f1_eq(a, b) ((a) == (b))
#define f1_le_and(m, a, b) ((m) && (a) <= (b))
#define f1_select(m, a, b) ((m) ? (a) : (b))
#define m1_and(a, b) ((a) && (b))
#define m1_or(a, b) ((a) || (b))
#define m1_andnot(a, b) (!(a) && (b))
#define m1_bits(a) ((uint32_t)(a))
#define m1_of_bits(bits) ((bits) != 0)
#define m1_eq_words(p, word) (*(p) == (word))
SIMD_FN(float, f1_min, (float a, float b), a < b ? a : b)
SIMD_FN(float, f1_max, (float a, float b), a > b ? a : b)
LANES_FN float f1_load_words(const void* p)
{
    float a;
    memcpy(&a, p, sizeof a);
    return a;
}
LANES_FN void f1_store_words(void* p, float a)
{
    memcpy(p, &a, sizeof a);
}
LANES_FN float f1_whole(float a)
{
    const int32_t word = (int32_t)a;
    return f1_load_words(&word);
}
/// The power of two that a number begins with, as a float.
LANES_FN float f1_power(float a)
{
    uint32_t word;
    f1_store_words(&word, a);
    word &= 0x7f800000u;
    return f1_load_words(&word);
}
/// 1 / a of a power of two.
LANES_FN float f1_inverse(float a)
{
    uint32_t word;
    f1_store_words(&word, a);
    word = 0x7f000000u - word;
    return f1_load_words(&word);
}
SIMD_FN(float, f1_least, (float a), a)
SIMD_FN(float, f1_most, (float a), a)
LANES_FN void f1_load_rows(const float* rows, const uint32_t* index, float r[4])
{
    memcpy(r, rows + 4 * (size_t)*index, 4 * sizeof *r);
}
LANES_FN void f1_store_rows(float* rows, float r[4])
{
    memcpy(rows, r, 4 * sizeof *r);
}

// ---- Four ----

#if TACT_LANES_ISA > 0

SIMD_REGISTER(4, _mm_, si128, __m128)
#define SIMD_SELECT_4(m, a, b) _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b))
SIMD_ANSWERS_WIDE(4, _mm_, si128, _mm_cmplt_ps, _mm_cmple_ps, _mm_cmpeq_ps, SIMD_SELECT_4)
SIMD_DERIVED(4)

/// The fourth is 0, and not read.
SIMD_FN(f4, f4_load_three, (const float* p),
        _mm_movelh_ps(_mm_castsi128_ps(_mm_loadl_epi64((const void*)p)), _mm_load_ss(p + 2)))
SIMD_FN(f4, f4_negate, (f4 a), _mm_xor_ps(a, _mm_set1_ps(-0.0f)))
SIMD_FN(f4, f4_negate_three, (f4 a), _mm_xor_ps(a, _mm_setr_ps(-0.0f, -0.0f, -0.0f, 0.0f)))
/// The first three of four, which may hold anything in the fourth, such as a number that is no float.
SIMD_FN(f4, f4_three, (f4 a), _mm_and_ps(a, _mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0))))
/// The first three of a, and the last of b.
SIMD_FN(f4, f4_last_of, (f4 a, f4 b),
        _mm_or_ps(f4_three(a), _mm_andnot_ps(_mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0)), b)))
/// a, and as the last the sum of the words that b and c have there.
SIMD_FN(f4, f4_add_last_words, (f4 a, f4 b, f4 c),
        f4_last_of(a, _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(b), _mm_castps_si128(c)))))
SIMD_FN(f4, f4_last_word, (uint32_t word), _mm_castsi128_ps(_mm_setr_epi32(0, 0, 0, (int)word)))
/// Words, less than 2^31, as numbers.
SIMD_FN(f4, f4_from_words, (f4 a), _mm_cvtepi32_ps(_mm_castps_si128(a)))
/// Rounded towards zero.
LANES_FN void f4_store_integers(int32_t* p, f4 a)
{
    _mm_storeu_si128((void*)p, _mm_cvttps_epi32(a));
}
SIMD_FN(f4, f4_from_integers, (const uint32_t* p), _mm_cvtepi32_ps(_mm_loadu_si128((const void*)p)))
LANES_FN float f4_least(f4 a)
{
    a = _mm_min_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_min_ss(a, _mm_shuffle_ps(a, a, 1)));
}
LANES_FN float f4_most(f4 a)
{
    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_shuffle_ps(a, a, 1)));
}
LANES_FN void f4_store_rows(float* rows, f4 r[4])
{
    f4_turn(r);
    for (int i = 0; i < 4; ++i)
        f4_store(rows + 4 * i, r[i]);
}

#else

typedef struct f4 {
    float of[4];
} f4;

#define SIMD_FOUR(name, expression)   \
    LANES_FN f4 f4_##name(f4 a, f4 b) \
    {                                 \
        f4 r;                         \
        for (int i = 0; i < 4; ++i)   \
            r.of[i] = expression;     \
        return r;                     \
    }
#define SIMD_FOUR_BITS(name, op)                         \
    LANES_FN uint32_t f4_##name##_bits(f4 a, f4 b)       \
    {                                                    \
        uint32_t bits = 0;                               \
        for (int i = 0; i < 4; ++i)                      \
            bits |= (uint32_t)(a.of[i] op b.of[i]) << i; \
        return bits;                                     \
    }
SIMD_FOUR(add, a.of[i] + b.of[i])
SIMD_FOUR(sub, a.of[i] - b.of[i])
SIMD_FOUR(mul, a.of[i] * b.of[i])
SIMD_FOUR(div, a.of[i] / b.of[i])
SIMD_FOUR(min, f1_min(a.of[i], b.of[i]))
SIMD_FOUR(max, f1_max(a.of[i], b.of[i]))
SIMD_FOUR_BITS(lt, <)
SIMD_FOUR_BITS(le, <=)

LANES_FN f4 f4_load(const float* p)
{
    f4 r;
    memcpy(r.of, p, sizeof r.of);
    return r;
}
LANES_FN void f4_store(float* p, f4 a)
{
    memcpy(p, a.of, sizeof a.of);
}
SIMD_FN(f4, f4_load_three, (const float* p), (f4){{p[0], p[1], p[2], 0.0f}})
SIMD_FN(f4, f4_set, (float x), (f4){{x, x, x, x}})
SIMD_FN(f4, f4_negate, (f4 a), (f4){{-a.of[0], -a.of[1], -a.of[2], -a.of[3]}})
SIMD_FN(f4, f4_negate_three, (f4 a), (f4){{-a.of[0], -a.of[1], -a.of[2], a.of[3]}})
SIMD_FN(f4, f4_three, (f4 a), (f4){{a.of[0], a.of[1], a.of[2], 0.0f}})
SIMD_FN(f4, f4_abs, (f4 a), (f4){{fabsf(a.of[0]), fabsf(a.of[1]), fabsf(a.of[2]), fabsf(a.of[3])}})
SIMD_FN(f4, f4_last_of, (f4 a, f4 b), (f4){{a.of[0], a.of[1], a.of[2], b.of[3]}})
LANES_FN uint32_t f4_get_last_word(f4 a)
{
    uint32_t word;
    memcpy(&word, &a.of[3], sizeof word);
    return word;
}
LANES_FN f4 f4_last_word(uint32_t word)
{
    f4 r = {{0.0f, 0.0f, 0.0f, 0.0f}};
    memcpy(&r.of[3], &word, sizeof word);
    return r;
}
SIMD_FN(f4, f4_add_last_words, (f4 a, f4 b, f4 c),
        f4_last_of(a, f4_last_word(f4_get_last_word(b) + f4_get_last_word(c))))
LANES_FN f4 f4_from_words(f4 a)
{
    uint32_t words[4];
    memcpy(words, a.of, sizeof words);
    return (f4){{(float)words[0], (float)words[1], (float)words[2], (float)words[3]}};
}
LANES_FN f4 f4_less(f4 a, f4 b, f4 x, f4 y)
{
    for (int i = 0; i < 4; ++i)
        a.of[i] = a.of[i] < b.of[i] ? x.of[i] : y.of[i];
    return a;
}
LANES_FN void f4_store_integers(int32_t* p, f4 a)
{
    for (int i = 0; i < 4; ++i)
        p[i] = (int32_t)a.of[i];
}
SIMD_FN(f4, f4_from_integers, (const uint32_t* p), (f4){{(float)p[0], (float)p[1], (float)p[2], (float)p[3]}})
LANES_FN void f4_turn(f4 r[4])
{
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < i; ++k) {
            const float a = r[i].of[k];
            r[i].of[k] = r[k].of[i];
            r[k].of[i] = a;
        }
    }
}

#endif

/// Whether all four of each are at most `most`, which a NaN is not.
LANES_FN bool f4_within(f4 a, f4 b, f4 c, f4 most)
{
#if TACT_LANES_ISA > 0
    return m4_bits(m4_and(m4_and(f4_le(a, most), f4_le(b, most)), f4_le(c, most))) == 15;
#else
    return (f4_le_bits(a, most) & f4_le_bits(b, most) & f4_le_bits(c, most)) == 15;
#endif
}

// ---- Eight ----

#if TACT_LANES_ISA >= 2

SIMD_REGISTER(8, _mm256_, si256, __m256)
#if TACT_LANES_ISA == 2
#define SIMD_LT_8(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define SIMD_LE_8(a, b) _mm256_cmp_ps(a, b, _CMP_LE_OQ)
#define SIMD_EQ_8(a, b) _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define SIMD_SELECT_8(m, a, b) _mm256_blendv_ps(b, a, m)
SIMD_ANSWERS_WIDE(8, _mm256_, si256, SIMD_LT_8, SIMD_LE_8, SIMD_EQ_8, SIMD_SELECT_8)
#else
SIMD_WORDS(8, _mm256_, si256, __m256i, __mmask8)
SIMD_ANSWERS_BITS(8, _mm256_, __mmask8)
#endif
SIMD_DERIVED(8)

SIMD_FN(f8, f8_bytes, (const uint8_t* p), _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void*)p))))
SIMD_FN(f4, f8_low, (f8 a), _mm256_castps256_ps128(a))
SIMD_FN(f4, f8_high, (f8 a), _mm256_extractf128_ps(a, 1))
SIMD_FN(f8, f8_join, (f4 low, f4 high), _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1))
SIMD_FN(f8, f8_add_last_words, (f8 a, f8 b, f8 c),
        _mm256_blend_ps(a, _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(b), _mm256_castps_si256(c))), 0x80))
SIMD_FN(f8, f8_last_word, (uint32_t word), _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, (int)word)))
SIMD_FN(f8, f8_from_words, (f8 a), _mm256_cvtepi32_ps(_mm256_castps_si256(a)))
/// Number k of row i becomes number i of row k.
LANES_FN void f8_turn_eight(f8 r[8])
{
    f8 a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
        b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xee);
        b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
        b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}
/// The first five numbers.
LANES_FN void f8_store_five(float* p, f8 a)
{
    f4_store(p, f8_low(a));
    _mm_store_ss(p + 4, f8_high(a));
}
LANES_FN void f8_store_rows(float* rows, f8 r[4])
{
    f8_turn(r);
    for (int i = 0; i < 4; ++i) {
        f4_store(rows + 4 * i, f8_low(r[i]));
        f4_store(rows + 4 * (i + 4), f8_high(r[i]));
    }
}
SIMD_FN(float, f8_least, (f8 a), f4_least(f4_min(f8_low(a), f8_high(a))))
SIMD_FN(float, f8_most, (f8 a), f4_most(f4_max(f8_low(a), f8_high(a))))

#else

typedef struct f8 {
    f4 low, high;
} f8;

#define SIMD_BOTH(name) SIMD_FN(f8, f8_##name, (f8 a, f8 b), (f8){f4_##name(a.low, b.low), f4_##name(a.high, b.high)})
SIMD_BOTH(add)
SIMD_BOTH(sub)
SIMD_BOTH(mul)
SIMD_BOTH(div)
SIMD_BOTH(min)
SIMD_BOTH(max)
SIMD_FN(f8, f8_load, (const float* p), (f8){f4_load(p), f4_load(p + 4)})
LANES_FN void f8_store(float* p, f8 a)
{
    f4_store(p, a.low);
    f4_store(p + 4, a.high);
}
SIMD_FN(f8, f8_set, (float x), (f8){f4_set(x), f4_set(x)})
SIMD_FN(f8, f8_abs, (f8 a), (f8){f4_abs(a.low), f4_abs(a.high)})
SIMD_FN(uint32_t, f8_lt_bits, (f8 a, f8 b), f4_lt_bits(a.low, b.low) | f4_lt_bits(a.high, b.high) << 4)
SIMD_FN(uint32_t, f8_le_bits, (f8 a, f8 b), f4_le_bits(a.low, b.low) | f4_le_bits(a.high, b.high) << 4)
SIMD_FN(f8, f8_less, (f8 a, f8 b, f8 x, f8 y),
        (f8){f4_less(a.low, b.low, x.low, y.low), f4_less(a.high, b.high, x.high, y.high)})
SIMD_FN(f4, f8_low, (f8 a), a.low)
SIMD_FN(f4, f8_high, (f8 a), a.high)
SIMD_FN(f8, f8_join, (f4 low, f4 high), (f8){low, high})
SIMD_FN(f8, f8_add_last_words, (f8 a, f8 b, f8 c), (f8){a.low, f4_add_last_words(a.high, b.high, c.high)})
SIMD_FN(f8, f8_last_word, (uint32_t word), (f8){f4_set(0.0f), f4_last_word(word)})
SIMD_FN(f8, f8_from_words, (f8 a), (f8){f4_from_words(a.low), f4_from_words(a.high)})
LANES_FN void f8_turn(f8 r[4])
{
    f4 low[4], high[4];
    for (int i = 0; i < 4; ++i) {
        low[i] = r[i].low;
        high[i] = r[i].high;
    }
    f4_turn(low);
    f4_turn(high);
    for (int i = 0; i < 4; ++i)
        r[i] = (f8){low[i], high[i]};
}
LANES_FN f8 f8_bytes(const uint8_t* p)
{
#if TACT_LANES_ISA == 1
    const __m128i zero = _mm_setzero_si128(), words = _mm_unpacklo_epi8(_mm_loadl_epi64((const void*)p), zero);
    return (f8){_mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero)), _mm_cvtepi32_ps(_mm_unpackhi_epi16(words, zero))};
#else
    return (f8){{{p[0], p[1], p[2], p[3]}}, {{p[4], p[5], p[6], p[7]}}};
#endif
}

#endif

#if TACT_LANES_ISA == 2
typedef __m256i u8;
SIMD_FN(u8, u8_load, (const uint32_t* p), _mm256_loadu_si256((const void*)p))
LANES_FN void u8_store(void* p, u8 a)
{
    _mm256_storeu_si256(p, a);
}
SIMD_FN(u8, u8_set, (uint32_t x), _mm256_set1_epi32((int)x))
SIMD_FN(u8, u8_pack, (uint32_t bits, u8 a),
        _mm256_permutevar8x32_epi32(a, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void*)&tact_lane_orders[bits]))))
#endif

// ---- Sixteen ----

#if TACT_LANES_ISA == 3

SIMD_REGISTER(16, _mm512_, si512, __m512)
SIMD_WORDS(16, _mm512_, si512, __m512i, __mmask16)
SIMD_ANSWERS_BITS(16, _mm512_, __mmask16)

SIMD_FN(f8, f16_low, (f16 a), _mm512_castps512_ps256(a))
SIMD_FN(f8, f16_high, (f16 a), _mm512_extractf32x8_ps(a, 1))
SIMD_FN(f16, f16_join, (f8 low, f8 high), _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1))
LANES_FN f16 f16_of_four(f4 a, f4 b, f4 c, f4 d)
{
    const f8 low = _mm256_insertf128_ps(_mm256_castps128_ps256(a), b, 1);
    const f8 high = _mm256_insertf128_ps(_mm256_castps128_ps256(c), d, 1);
    return f16_join(low, high);
}
LANES_FN void f16_store_rows(float* rows, f16 r[4])
{
    f16_turn(r);
    for (int i = 0; i < 4; ++i) {
        f4_store(rows + 4 * i, _mm512_castps512_ps128(r[i]));
        f4_store(rows + 4 * (i + 4), _mm512_extractf32x4_ps(r[i], 1));
        f4_store(rows + 4 * (i + 8), _mm512_extractf32x4_ps(r[i], 2));
        f4_store(rows + 4 * (i + 12), _mm512_extractf32x4_ps(r[i], 3));
    }
}
SIMD_FN(float, f16_least, (f16 a),
        f4_least(f4_min(f4_min(_mm512_castps512_ps128(a), _mm512_extractf32x4_ps(a, 1)),
                        f4_min(_mm512_extractf32x4_ps(a, 2), _mm512_extractf32x4_ps(a, 3)))))
SIMD_FN(float, f16_most, (f16 a),
        f4_most(f4_max(f4_max(_mm512_castps512_ps128(a), _mm512_extractf32x4_ps(a, 1)),
                       f4_max(_mm512_extractf32x4_ps(a, 2), _mm512_extractf32x4_ps(a, 3)))))
/// Each number four times.
LANES_FN f16 f16_spread(f4 a)
{
    const __m512i order = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(order, _mm512_castps128_ps512(a));
}
/// The sixteen from `first` on, packed.
LANES_FN void lanes_put_sixteen(uint32_t* to, uint32_t bits, uint32_t first)
{
    const __m512i count_up = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    u16_store(to, u16_pack(bits, _mm512_add_epi32(count_up, u16_set(first))));
}
SIMD_FN(uint32_t, u16_lt_bits, (u16 a, u16 b), _mm512_cmp_epu32_mask(a, b, _MM_CMPINT_LT))
SIMD_FN(u16, u16_select, (uint32_t bits, u16 a, u16 b), _mm512_mask_blend_epi32((__mmask16)bits, b, a))
/// Each of the first eight words of a, and after it that of b.
LANES_FN void u16_store_low_pairs(uint32_t* p, u16 a, u16 b)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    u16_store(p, _mm512_permutex2var_epi32(a, order, b));
}
/// The same of the last eight.
LANES_FN void u16_store_high_pairs(uint32_t* p, u16 a, u16 b)
{
    const __m512i order = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    u16_store(p, _mm512_permutex2var_epi32(a, order, b));
}
// Eight pairs of words: each a number of 64 bits, of which the first word is the upper half.
typedef __m512i p8;
SIMD_FN(p8, p8_set, (uint64_t x), _mm512_set1_epi64((long long)x))
SIMD_FN(p8, p8_load, (const uint32_t* p), _mm512_rol_epi64(u16_load(p), 32))
/// Those of `bits`, and of `others` the others.
SIMD_FN(p8, p8_load_some, (const uint32_t* p, uint32_t bits, p8 others),
        _mm512_rol_epi64(_mm512_mask_loadu_epi64(_mm512_rol_epi64(others, 32), (__mmask8)bits, p), 32))
LANES_FN void p8_store(uint32_t* p, p8 a)
{
    u16_store(p, _mm512_rol_epi64(a, 32));
}
LANES_FN void p8_store_some(uint32_t* p, uint32_t bits, p8 a)
{
    _mm512_mask_storeu_epi64(p, (__mmask8)bits, _mm512_rol_epi64(a, 32));
}
/// The last one of a, and the first seven of b.
SIMD_FN(p8, p8_follow, (p8 a, p8 b), _mm512_alignr_epi64(b, a, 7))
/// The first two, the next two and so on, each in ascending order.
LANES_FN p8 p8_order(p8 a)
{
    const p8 b = _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0x4e);
    return _mm512_mask_max_epu64(_mm512_min_epu64(a, b), 0xaa, a, b);
}
LANES_FN void u8_store_pairs(uint32_t* p, u8 a, u8 b)
{
    const __m512i order = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    u16_store(p, _mm512_permutex2var_epi32(_mm512_castsi256_si512(a), order, _mm512_castsi256_si512(b)));
}
/// The first four of them.
LANES_FN void u8_store_four_pairs(uint32_t* p, u8 a, u8 b)
{
    const __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(a));
    const __m256i high = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(b)), 32);
    u8_store(p, _mm256_or_si256(low, high));
}

#endif

#if TACT_LANES_ISA >= 2

/// Sixteen bytes, the first of which is the lowest of `low`.
LANES_FN void bytes16_store(uint8_t* p, uint64_t low, uint64_t high)
{
    _mm_storeu_si128((void*)p, _mm_set_epi64x((long long)high, (long long)low));
}
/// Which of sixteen bytes have a bit of `any`.
LANES_FN uint32_t bytes16_with(const uint8_t* p, uint8_t any)
{
    const __m128i bytes = _mm_loadu_si128((const void*)p), bits = _mm_set1_epi8((char)any);
#if TACT_LANES_ISA == 3
    return _mm_test_epi8_mask(bytes, bits);
#else
    const __m128i without = _mm_cmpeq_epi8(_mm_and_si128(bytes, bits), _mm_setzero_si128());
    return ~(uint32_t)_mm_movemask_epi8(without) & 0xffffu;
#endif
}
/// Writes those of sixteen words that are in `bits`, and returns how many; may write sixteen.
LANES_FN uint32_t lanes_pack_sixteen(uint32_t* to, uint32_t bits, const uint32_t* from)
{
#if TACT_LANES_ISA == 3
    u16_store(to, u16_pack(bits, u16_load(from)));
#else
    u8_store(to, u8_pack(bits & 0xffu, u8_load(from)));
    u8_store(to + lanes_count(bits & 0xffu), u8_pack(bits >> 8, u8_load(from + 8)));
#endif
    return lanes_count(bits);
}

#endif

// ---- Rows of four, whose numbers are in `index`, as four times as many lanes as there are rows ----

#if TACT_LANES_ISA > 0
SIMD_FN(f4, f4_row, (const float* rows, uint32_t i), f4_load(rows + 4 * (size_t)i))
LANES_FN void f4_load_rows(const float* rows, const uint32_t* index, f4 r[4])
{
    for (int i = 0; i < 4; ++i)
        r[i] = f4_row(rows, index[i]);
    f4_turn(r);
}
#endif
#if TACT_LANES_ISA >= 2
LANES_FN void f8_load_rows(const float* rows, const uint32_t* index, f8 r[4])
{
    for (int i = 0; i < 4; ++i)
        r[i] = f8_join(f4_row(rows, index[i]), f4_row(rows, index[i + 4]));
    f8_turn(r);
}
#endif
#if TACT_LANES_ISA == 3
LANES_FN void f16_load_rows(const float* rows, const uint32_t* index, f16 r[4])
{
    for (int i = 0; i < 4; ++i) {
        r[i] = f16_of_four(f4_row(rows, index[i]), f4_row(rows, index[i + 4]), f4_row(rows, index[i + 8]),
                           f4_row(rows, index[i + 12]));
    }
    f16_turn(r);
}
#endif

// ---- As wide as registers are ----

#if TACT_LANES_ISA == 0
#define LANES 1
#define V_(op) f1_##op
#define M_(op) m1_##op
#define VF float
#define VM bool
#elif TACT_LANES_ISA == 1
#define LANES 4
#define V_(op) f4_##op
#define M_(op) m4_##op
#define VF f4
#define VM m4
#elif TACT_LANES_ISA == 2
#define LANES 8
#define V_(op) f8_##op
#define M_(op) m8_##op
#define VF f8
#define VM m8
#else
#define LANES 16
#define V_(op) f16_##op
#define M_(op) m16_##op
#define VF f16
#define VM m16
#endif

// Of the sixteen pairs of four numbers with four others, LANES from pair k on: V_SPREAD_FOUR has the first of each,
// every number four times, V_REPEAT_FOUR the second, all four again and again.
#if TACT_LANES_ISA == 0
#define V_SPREAD_FOUR(p, k) ((p)[(k) / 4])
#define V_REPEAT_FOUR(p, k) ((p)[(k) % 4])
#elif TACT_LANES_ISA == 1
#define V_SPREAD_FOUR(p, k) f4_set((p)[(k) / 4])
#define V_REPEAT_FOUR(p, k) ((void)(k), f4_load(p))
#elif TACT_LANES_ISA == 2
#define V_SPREAD_FOUR(p, k) f8_join(f4_set((p)[(k) / 4]), f4_set((p)[(k) / 4 + 1]))
#define V_REPEAT_FOUR(p, k) ((void)(k), _mm256_broadcast_ps((const __m128*)(const void*)(p)))
#else
#define V_SPREAD_FOUR(p, k) ((void)(k), f16_spread(f4_load(p)))
#define V_REPEAT_FOUR(p, k) ((void)(k), _mm512_broadcast_f32x4(f4_load(p)))
#endif

#define V_LOAD V_(load)
#define V_STORE V_(store)
#define V_SET V_(set)
#define V_ADD V_(add)
#define V_SUB V_(sub)
#define V_MUL V_(mul)
#define V_DIV V_(div)
#define V_MIN V_(min)
#define V_MAX V_(max)
#define V_ABS V_(abs)
#define V_SQRT V_(sqrt)
#define V_LT V_(lt)
#define V_LE V_(le)
#define V_EQ V_(eq)
#define V_SELECT V_(select)
#define V_POWER V_(power)
#define V_INVERSE V_(inverse)
#define V_WHOLE V_(whole)
#define V_LEAST V_(least)
#define V_MOST V_(most)
#define V_LOAD_WORDS V_(load_words)
#define V_STORE_WORDS V_(store_words)
#define M_AND M_(and)
#define M_OR M_(or)
#define M_ANDNOT M_(andnot)
#define M_BITS M_(bits)
#define M_OF_BITS M_(of_bits)
#define M_EQ_WORDS M_(eq_words)

/// Rows of four numbers as four times LANES numbers, and back.
#define V_ROWS(rows, index, a, b, c, d)          \
    {                                            \
        VF r_[4];                                \
        V_(load_rows)(&(rows)[0][0], index, r_); \
        a = r_[0];                               \
        b = r_[1];                               \
        c = r_[2];                               \
        d = r_[3];                               \
    }
#define V_STORE_ROWS(rows, a, b, c, d)     \
    {                                      \
        VF r_[4] = {a, b, c, d};           \
        V_(store_rows)(&(rows)[0][0], r_); \
    }

// ---- The same, at most eight ----

#if TACT_LANES_ISA <= 2
#define S_LANES LANES
#define S_(op) V_(op)
#define SF VF
#define SM VM
#define S_BITS M_BITS
#define S_AND M_AND
#define S_EQ_WORDS M_EQ_WORDS
#else
#define S_LANES 8
#define S_(op) f8_##op
#define SF f8
#define SM m8
#define S_BITS m8_bits
#define S_AND m8_and
#define S_EQ_WORDS m8_eq_words
#endif
#define S_LOAD S_(load)
#define S_SET S_(set)
#define S_ADD S_(add)
#define S_SUB S_(sub)
#define S_MUL S_(mul)
#define S_LT S_(lt)
#define S_LE S_(le)
#define S_LE_AND S_(le_and)
#define S_SELECT S_(select)

#include "base/simd_words.h"
