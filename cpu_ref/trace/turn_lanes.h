// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rows of eight numbers, one for each lane, turned into eight columns of lanes, and back. Included by lanes_body.h.
// Number by number this takes eight loads and eight stores a row, and then a wide load must wait for all the stores.
// Words other than floats pass as they are; V_WORDS makes such of whole numbers, V_LOAD_WORDS and V_STORE_WORDS
// move them.

#if TACT_LANES_ISA == 3
#define V_WORDS(a) _mm512_castsi512_ps(_mm512_cvttps_epi32(a))
#elif TACT_LANES_ISA == 2
#define V_WORDS(a) _mm256_castsi256_ps(_mm256_cvttps_epi32(a))
#elif TACT_LANES_ISA == 1
#define V_WORDS(a) _mm_castsi128_ps(_mm_cvttps_epi32(a))
#else
#define V_WORDS(a) turn_word(a)
static inline float turn_word(float a)
{
    const int32_t word = (int32_t)a;
    memcpy(&a, &word, sizeof a);
    return a;
}
#endif

#if TACT_LANES_ISA > 0
#define V_LOAD_WORDS(p) V_LOAD((const float*)(const void*)(p))
#define V_STORE_WORDS(p, a) V_STORE((float*)(void*)(p), a)
#else
#define V_LOAD_WORDS(p) turn_load_word(p)
#define V_STORE_WORDS(p, a) memcpy(p, &(float){a}, sizeof(float))
static inline float turn_load_word(const uint32_t* p)
{
    float word;
    memcpy(&word, p, sizeof word);
    return word;
}
#endif

#if TACT_LANES_ISA >= 2

EIGHT_FN void turn_eight(__m256 r[8])
{
    __m256 a[8], b[8];
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

/// Lane i of column k is the number k of rows[i].
EIGHT_FN void turn_rows(const void* const rows[LANES], VF columns[8])
{
    __m256 r[LANES];
    for (int i = 0; i < LANES; ++i)
        r[i] = _mm256_loadu_ps(rows[i]);
    turn_eight(r);
#if LANES == 16
    turn_eight(r + 8);
    for (int k = 0; k < 8; ++k)
        columns[k] = _mm512_insertf32x8(_mm512_castps256_ps512(r[k]), r[k + 8], 1);
#else
    for (int k = 0; k < 8; ++k)
        columns[k] = r[k];
#endif
}

/// Sets the number k of rows[i] to lane i of column k, for the first `count` rows.
EIGHT_FN void turn_columns(const VF columns[8], void* const rows[LANES], uint32_t count)
{
    __m256 r[LANES];
#if LANES == 16
    for (int k = 0; k < 8; ++k) {
        r[k] = _mm512_castps512_ps256(columns[k]);
        r[k + 8] = _mm512_extractf32x8_ps(columns[k], 1);
    }
    turn_eight(r + 8);
#else
    for (int k = 0; k < 8; ++k)
        r[k] = columns[k];
#endif
    turn_eight(r);
    for (uint32_t i = 0; i < LANES; ++i)
        if (i < count) _mm256_storeu_ps(rows[i], r[i]);
}

/// The same of five columns and rows of five numbers.
EIGHT_FN void turn_five(const VF columns[5], void* const rows[LANES], uint32_t count)
{
    __m256 r[LANES];
    for (int k = 0; k < 8; ++k) {
#if LANES == 16
        r[k] = k < 5 ? _mm512_castps512_ps256(columns[k]) : _mm256_setzero_ps();
        r[k + 8] = k < 5 ? _mm512_extractf32x8_ps(columns[k], 1) : _mm256_setzero_ps();
#else
        r[k] = k < 5 ? columns[k] : _mm256_setzero_ps();
#endif
    }
#if LANES == 16
    turn_eight(r + 8);
#endif
    turn_eight(r);
    for (uint32_t i = 0; i < LANES && i < count; ++i) {
        _mm_storeu_ps(rows[i], _mm256_castps256_ps128(r[i]));
        _mm_store_ss((float*)rows[i] + 4, _mm256_extractf128_ps(r[i], 1));
    }
}

#else

EIGHT_FN void turn_rows(const void* const rows[LANES], VF columns[8])
{
    for (int k = 0; k < 8; ++k) {
        float column[LANES];
        for (int i = 0; i < LANES; ++i)
            memcpy(&column[i], (const char*)rows[i] + k * sizeof(float), sizeof(float));
        columns[k] = V_LOAD(column);
    }
}

EIGHT_FN void turn_some(const VF* columns, int column_count, void* const rows[LANES], uint32_t count)
{
    for (int k = 0; k < column_count; ++k) {
        float column[LANES];
        V_STORE(column, columns[k]);
        for (uint32_t i = 0; i < count; ++i)
            memcpy((char*)rows[i] + k * sizeof(float), &column[i], sizeof(float));
    }
}

EIGHT_FN void turn_columns(const VF columns[8], void* const rows[LANES], uint32_t count)
{
    turn_some(columns, 8, rows, count);
}

EIGHT_FN void turn_five(const VF columns[5], void* const rows[LANES], uint32_t count)
{
    turn_some(columns, 5, rows, count);
}

#endif
