// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/batch.h"

#include "base/parallel.h"

typedef struct slice_job {
    tact_batch_fn* function;
    const void* job;
    size_t offset;
} slice_job;

static void run_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const slice_job* slice = user;
    TACT_ASSERT(begin < end);
    slice->function(slice->job, slice->offset + begin, slice->offset + end);
}

tact_result tact_batch_run(tact_env* env, const tact_batch* batch, tact_batch_fn* function, const void* job,
                           size_t slice, size_t grain)
{
    TACT_ASSERT(function && slice > 0 && grain > 0);
    slice_job work = {function, job, 0};
    for (size_t begin = 0; begin < batch->count; begin += slice) {
        const size_t size = batch->count - begin < slice ? batch->count - begin : slice;
        work.offset = begin;
        tact_parallel_for(batch->threads, size, grain, run_piece, &work);
        const double done = (double)(begin + size) / (double)batch->count;
        if (batch->progress && !batch->progress(done, batch->progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    return TACT_OK;
}
