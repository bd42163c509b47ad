// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The words that the building blocks (scan, reduction, compaction, sort, Morton codes) of cpu_ref and gpu share.
/// cpu_ref/blocks.h defines their results; docs/blocks.md tells of their costs.

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
