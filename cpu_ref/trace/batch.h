// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A batch of independent queries over threads, with progress and cancelling.

#include "base/env.h"
#include "cpu_ref/trace/raycast.h"

/// Answers the queries from `begin` to just before `end`.
typedef void tact_batch_fn(const void* job, size_t begin, size_t end);

typedef struct tact_batch {
    size_t count;
    int threads;
    tact_progress_fn* progress;  ///< may be NULL
    void* progress_user;
} tact_batch;

/// Cuts the batch into pieces of `grain` for the threads, and reports progress after each `slice`. CANCELLED when the
/// progress function says so.
tact_result tact_batch_run(tact_env* env, const tact_batch* batch, tact_batch_fn* function, const void* job,
                           size_t slice, size_t grain);

// An order for points in which those that lie near each other come one after the other. It changes no answer, only how
// much of the trees lies in caches when they are asked.

enum {
    TACT_REORDER_BITS = 18,
    TACT_REORDER_DIGIT = TACT_REORDER_BITS / 2,
    TACT_REORDER_MOST = 1 << (32 - TACT_REORDER_DIGIT)  ///< points that are sorted at a time
};

/// Sorts `count` numbers of points by their keys, of TACT_REORDER_BITS bits; at most TACT_REORDER_MOST. `scratch` has 2
/// `count` places.
void tact_reorder(uint32_t* order, const uint32_t* keys, uint32_t count, uint32_t* scratch);

/// How many rays make up a row, when they are those of a picture, row by row: the number of the first that begins a
/// second row. 0 when they are not. Only a guess: nothing but speed depends on it.
size_t tact_reorder_find_rows(const tact_ray* rays, size_t count);
