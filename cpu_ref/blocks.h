// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The building blocks (scan, reduction, compaction, sort, Morton codes) on the CPU. They define what the kernels must
/// return, to the bit. The sort and the Morton codes use threads, which never shows in a result; the others are plain
/// loops. docs/blocks.md has their costs.

#include "base/env.h"

/// Elements that one call takes at most. Positions then fit 32 bits with room for rounding up to whole tiles.
#define TACT_BLOCK_LIMIT 0x80000000u

/// What a reduction computes. Minima and maxima of floats order them -inf < ... < -0 < +0 < ... < +inf and leave NaNs
/// out; of nothing the minimum is the largest value of the type (+inf) and the maximum the smallest (-inf).
typedef enum tact_reduction {
    TACT_REDUCE_SUM_UINT,  ///< modulo 2^32
    TACT_REDUCE_MIN_UINT,
    TACT_REDUCE_MAX_UINT,
    TACT_REDUCE_MIN_FLOAT,
    TACT_REDUCE_MAX_FLOAT
} tact_reduction;

/// What an array of float4 holds; the value is how many of them an element takes.
typedef enum tact_extent_kind {
    TACT_POINTS = 1,
    TACT_BOXES = 2  ///< lower corner, then upper corner
} tact_extent_kind;

/// Exclusive prefix sums modulo 2^32: result[i] = source[0] + ... + source[i - 1]. Returns the sum of all. The arrays
/// may be one.
uint32_t tact_scan_cpu(const uint32_t* source, uint32_t* result, size_t count);

/// The reduction of the words, the bits of a float for the float reductions.
uint32_t tact_reduce_cpu(tact_reduction reduction, const uint32_t* source, size_t count);

/// The minima and maxima of each component of points (4 floats) or boxes (8): lower 4, upper 4. Floats are ordered as
/// tact_reduction says.
void tact_reduce_bounds_cpu(tact_extent_kind kind, const float* source, size_t count, float bounds[8]);

/// Writes the indices with flags other than 0, ascending. Returns how many.
size_t tact_compact_indices_cpu(const uint32_t* flags, uint32_t* result, size_t count);

/// The same with the elements, each of `words` words.
size_t tact_compact_values_cpu(const uint32_t* flags, const uint32_t* values, size_t words, uint32_t* result,
                               size_t count);

typedef struct tact_sort_cpu_job {
    const uint32_t* keys_in;
    uint32_t* keys_out;         ///< may be keys_in
    const uint32_t* values_in;  ///< NULL with values_out: the payload is each key's index
    uint32_t* values_out;       ///< may be values_in; NULL: no payload
    size_t count;               ///< at most TACT_BLOCK_LIMIT
    uint32_t key_words;         ///< 1, or 2 with the low word first
    uint32_t key_bits;          ///< only the lowest bits of a key are compared
} tact_sort_cpu_job;

/// Sorts ascending by the lowest `key_bits` bits; equal keys keep their order. Errors: OUT_OF_MEMORY (the outputs are
/// then unspecified).
tact_result tact_sort_cpu(tact_env* env, int threads, const tact_sort_cpu_job* job);

/// Morton codes as kernels/morton.h defines them: a word of 30 bits, or, `wide`, two words with 63, low word first.
void tact_morton_cpu(int threads, tact_extent_kind kind, const float* source, size_t count, const float bounds[8],
                     bool wide, uint32_t* codes);
