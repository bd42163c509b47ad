// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Samples that all ranks have.

#include "core/ranks/curve.h"
#include "core/ranks/ranks.h"

/// Of each rank about: parts then differ by some hundredths. With very many ranks fewer, so that all have room for it.
enum { TACT_RANK_SAMPLE = 1 << 12, TACT_RANK_SAMPLE_LEAST = 1 << 8, TACT_RANK_SAMPLE_ALL = 1 << 20 };

/// One of so many is a sample, of `all` on all ranks.
static inline uint64_t tact_rank_stride(const tact_ranks* ranks, uint64_t all)
{
    const uint64_t count = tact_ranks_count(ranks);
    uint64_t each = TACT_RANK_SAMPLE_ALL / count;
    if (each > TACT_RANK_SAMPLE) each = TACT_RANK_SAMPLE;
    if (each < TACT_RANK_SAMPLE_LEAST) each = TACT_RANK_SAMPLE_LEAST;
    return all / (each * count) + 1;
}

/// Cuts space by the points of all ranks, `count` here: tact_rank_curve_cut() alike on all. OUT_OF_MEMORY.
tact_result tact_ranks_cut_by_sample(tact_ranks* ranks, const tact_vec3* own, size_t count, tact_rank_curve* curve);
