// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A batch of independent queries over threads, with progress and cancelling.

#include "base/env.h"

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
