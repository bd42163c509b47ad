// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside pairs over ranks.

#include "core/ranks/ranks.h"
#include "tact/pairs.h"

/// Puts the pairs of all ranks, `*count` here, ascending, none of them on two ranks, in one order over all ranks: each
/// rank then has a run of them. `*pairs` is released, and replaced by one that is to be. Errors: OUT_OF_MEMORY, LIMIT.
tact_result tact_ranks_sort_pairs(tact_ranks* ranks, tact_pair** pairs, size_t* count);
