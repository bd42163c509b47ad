// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/suite_blocks.h"

#ifdef TACT_BENCH_INTERNAL
#include "apps/bench/blocks.h"
#include "core/context/context.h"

tact_result tact_suite_blocks(tact_context* context, tact_backend backend, int threads, uint64_t size, int repeat,
                              tact_suite_block blocks[TACT_SUITE_BLOCKS], size_t* count)
{
    const int index = tact_context_find(context, backend);
    if (index < 0) return TACT_ERROR_NO_DEVICE;
    tact_device* const device = context->devices[index];
    tact_bench_result results[TACT_BENCH_BLOCK_COUNT];
    tact_result result = device ? tact_device_enter(device) : TACT_OK;
    if (result < 0) return result;
    result = tact_bench_blocks(&context->env, device, threads, (size_t)size, repeat, results);
    if (device) tact_device_leave(device);
    if (result < 0) return result;
    for (*count = 0; *count < TACT_BENCH_BLOCK_COUNT; ++*count) {
        const tact_bench_result* r = &results[*count];
        blocks[*count] = (tact_suite_block){r->name, r->count, {r->median_ms, r->least_ms, r->most_ms}};
    }
    return TACT_OK;
}
#else
// A shared library hides them.
tact_result tact_suite_blocks(tact_context* context, tact_backend backend, int threads, uint64_t size, int repeat,
                              tact_suite_block blocks[TACT_SUITE_BLOCKS], size_t* count)
{
    (void)context, (void)backend, (void)threads, (void)size, (void)repeat, (void)blocks;
    *count = 0;
    return TACT_ERROR_UNSUPPORTED;
}
#endif
