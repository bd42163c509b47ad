// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Words, counted up, packed and put one behind the other, as many at a time as there are lanes. Included by
// base/simd.h.

/// Writes first + (byte >> shift & mask) for each of eight bytes that is in `bits`; may write eight words.
LANES_FN void lanes_put_bytes(uint32_t* to, uint32_t bits, const uint8_t* bytes, int shift, uint32_t mask,
                              uint32_t first)
{
#if TACT_LANES_ISA >= 2
    const u8 words = _mm256_srli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void*)bytes)), shift);
    u8_store(to, _mm256_add_epi32(_mm256_and_si256(u8_pack(bits, words), u8_set(mask)), u8_set(first)));
#else
    const uint32_t count = lanes_count(bits);
    for (uint32_t k = 0; k < count; ++k)
        to[k] = first + ((uint32_t)bytes[tact_lane_orders[bits] >> 8 * k & 0xffu] >> shift & mask);
#endif
}

/// Which of eight words are others than `word`.
LANES_FN uint32_t lanes_other_words(const uint32_t* p, uint32_t word)
{
#if TACT_LANES_ISA >= 2
    return ~m8_bits(m8_eq_words(p, word)) & 0xffu;
#else
    uint32_t bits = 0;
    for (int i = 0; i < 8; ++i)
        bits |= (uint32_t)(p[i] != word) << i;
    return bits;
#endif
}

/// Writes (first + (byte & 31)) / 8 * 8 for each of eight bytes that is in `bits`, which rise, each value once. Returns
/// how many; may write eight words.
LANES_FN uint32_t lanes_put_eights(uint32_t* to, uint32_t bits, const uint8_t* bytes, uint32_t first)
{
#if TACT_LANES_ISA >= 2
    const u8 offsets = _mm256_and_si256(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void*)bytes)), u8_set(31));
    const u8 words = u8_pack(bits, _mm256_and_si256(_mm256_add_epi32(offsets, u8_set(first)), u8_set(~7u)));
    const u8 before = _mm256_permutevar8x32_epi32(words, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6));
#if TACT_LANES_ISA == 3
    const uint32_t same = _mm256_cmpeq_epi32_mask(words, before);
#else
    const uint32_t same = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(words, before)));
#endif
    const uint32_t keep = ((1u << lanes_count(bits)) - 1u) & ~(same & ~1u);
    u8_store(to, u8_pack(keep, words));
    return lanes_count(keep);
#else
    uint32_t n = 0;
    const uint32_t count = lanes_count(bits);
    for (uint32_t k = 0; k < count; ++k) {
        to[n] = (first + (bytes[tact_lane_orders[bits] >> 8 * k & 0xffu] & 31u)) & ~7u;
        n += n == 0 || to[n] != to[n - 1];
    }
    return n;
#endif
}

/// Writes first + lane for each of eight lanes that is in `bits`; may write eight words.
LANES_FN void lanes_put_eight(uint32_t* to, uint32_t bits, uint32_t first)
{
#if TACT_LANES_ISA == 3
    const __m256i numbers = _mm256_add_epi32(u8_set(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    u8_store(to, u8_pack(bits, numbers));
#elif TACT_LANES_ISA == 2
    const __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void*)&tact_lane_orders[bits]));
    _mm256_storeu_si256((void*)to, _mm256_add_epi32(_mm256_set1_epi32((int)first), lanes));
#elif TACT_LANES_ISA == 1
    const __m128i zero = _mm_setzero_si128(), base = _mm_set1_epi32((int)first);
    const __m128i words = _mm_unpacklo_epi8(_mm_loadl_epi64((const void*)&tact_lane_orders[bits]), zero);
    _mm_storeu_si128((void*)to, _mm_add_epi32(_mm_unpacklo_epi16(words, zero), base));
    _mm_storeu_si128((void*)(to + 4), _mm_add_epi32(_mm_unpackhi_epi16(words, zero), base));
#else
    const uint32_t count = lanes_count(bits);
    for (uint32_t k = 0; k < count; ++k)
        to[k] = first + (uint32_t)(tact_lane_orders[bits] >> 8 * k & 0xffu);
#endif
}

/// Writes first + lane for each of S_LANES lanes that is in `bits`; may write S_LANES words.
LANES_FN void lanes_put(uint32_t* to, uint32_t bits, uint32_t first)
{
#if TACT_LANES_ISA >= 2
    lanes_put_eight(to, bits, first);
#else
    for (uint32_t lane = 0; bits; ++lane, bits >>= 1) {
        *to = first + lane;
        to += bits & 1u;
    }
#endif
}

/// Writes first, first + 1 and so on, LANES words.
LANES_FN void lanes_count_up(uint32_t* to, uint32_t first)
{
#if TACT_LANES_ISA == 3
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    u16_store(to, _mm512_add_epi32(lanes, u16_set(first)));
#elif TACT_LANES_ISA == 2
    u8_store(to, _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), u8_set(first)));
#else
    for (uint32_t lane = 0; lane < LANES; ++lane)
        to[lane] = first + lane;
#endif
}

/// Writes those of LANES words that are in `bits`; may write LANES words.
LANES_FN void lanes_pack(uint32_t* to, uint32_t bits, const uint32_t* from)
{
#if TACT_LANES_ISA == 3
    u16_store(to, u16_pack(bits, u16_load(from)));
#elif TACT_LANES_ISA == 2
    u8_store(to, u8_pack(bits, u8_load(from)));
#else
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        *to = from[lane];
        to += bits >> lane & 1u;
    }
#endif
}

/// S_LANES times a word.
LANES_FN void lanes_fill(uint32_t* to, uint32_t word)
{
#if TACT_LANES_ISA >= 2
    _mm256_storeu_si256((void*)to, _mm256_set1_epi32((int)word));
#else
    for (int i = 0; i < S_LANES; ++i)
        to[i] = word;
#endif
}
