// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suite_blocks.h"
#include "base/platform.h"
#include "core/context/context.h"
#include "cpu_ref/blocks.h"
#include "gpu/blocks/blocks.h"

typedef enum bench_block {
    SCAN,
    REDUCE,   ///< sum of uints
    COMPACT,  ///< indices, about half of the flags set
    SORT32,   ///< random 32-bit keys with payload
    SORT64,   ///< random 64-bit keys with payload
    BOUNDS,   ///< of boxes
    MORTON,   ///< 63-bit codes of boxes
    BLOCKS
} bench_block;

static const char* const names[BLOCKS] = {"scan", "reduce", "compact", "sort32", "sort64", "bounds", "morton"};
// No more boxes than this: their 128 MiB can be bound where 2^24 of them could not.
enum { REPEATS_MAX = 101, BOXES_MAX = 1 << 22 };

// What the blocks work on: the same content in host arrays and, for a device, in buffers.
typedef struct bench {
    tact_env* env;
    tact_device* device;
    int threads;
    size_t count, boxes_count;
    uint32_t *words, *wide, *flags;  // 32-bit keys, 64-bit keys, 0 or 1
    float *boxes, bounds[8];
    uint32_t *result, *payload;  // 2 words an element; 1
    uint32_t *check, *check_payload;
    uint32_t single[8];  // sum, count or bounds
    tact_buffer *words_on, *wide_on, *flags_on, *boxes_on, *bounds_on, *result_on, *payload_on, *single_on;
    tact_scan* scan;
    tact_reduce* reduce;
    tact_compact* compact;
    tact_radix_sort* sort;
} bench;

static uint32_t next_random(uint64_t* state)
{
    // The high bits of a linear congruential generator (Knuth's MMIX constants).
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static bool make_arrays(bench* b)
{
    const size_t n = b->count;
    b->words = tact_allocate(b->env, n, 4);
    b->wide = tact_allocate(b->env, n, 8);
    b->flags = tact_allocate(b->env, n, 4);
    b->boxes_count = n < BOXES_MAX ? n : BOXES_MAX;
    b->boxes = tact_allocate(b->env, b->boxes_count, 32);
    b->result = tact_allocate_zeroed(b->env, n, 8);
    b->payload = tact_allocate_zeroed(b->env, n, 4);
    b->check = tact_allocate_zeroed(b->env, n, 8);
    b->check_payload = tact_allocate_zeroed(b->env, n, 4);
    if (!b->words || !b->wide || !b->flags || !b->boxes || !b->result || !b->payload || !b->check ||
        !b->check_payload) {
        return false;
    }
    uint64_t state = 1;
    for (size_t i = 0; i < n; ++i) {
        b->words[i] = next_random(&state);
        b->wide[2 * i] = next_random(&state);
        b->wide[2 * i + 1] = next_random(&state);
        b->flags[i] = next_random(&state) & 1;
        for (size_t c = 0; c < 4 && i < b->boxes_count; ++c) {
            const float low = (float)(next_random(&state) >> 8) * 0x1p-24f;
            b->boxes[8 * i + c] = low;
            b->boxes[8 * i + 4 + c] = low + 0.001f;
        }
    }
    tact_reduce_bounds_cpu(TACT_BOXES, b->boxes, b->boxes_count, b->bounds);
    return true;
}

static tact_result make_buffers(bench* b)
{
    const size_t n = b->count;
    tact_device* const d = b->device;
    tact_result status = tact_buffer_create(d, n * 4, b->words, &b->words_on);
    if (!status) status = tact_buffer_create(d, n * 8, b->wide, &b->wide_on);
    if (!status) status = tact_buffer_create(d, n * 4, b->flags, &b->flags_on);
    if (!status) status = tact_buffer_create(d, b->boxes_count * 32, b->boxes, &b->boxes_on);
    if (!status) status = tact_buffer_create(d, 32, b->bounds, &b->bounds_on);
    if (!status) status = tact_buffer_create(d, n * 8, NULL, &b->result_on);
    if (!status) status = tact_buffer_create(d, n * 4, NULL, &b->payload_on);
    if (!status) status = tact_buffer_create(d, 32, NULL, &b->single_on);
    if (!status) status = tact_scan_create(d, 0, &b->scan);
    if (!status) status = tact_reduce_create(d, 0, &b->reduce);
    if (!status) status = tact_compact_create(d, 0, &b->compact);
    if (!status) status = tact_radix_sort_create(d, 0, &b->sort);
    return status;
}

static void drop(bench* b)
{
    tact_buffer* const buffers[] = {b->words_on,  b->wide_on,   b->flags_on,   b->boxes_on,
                                    b->bounds_on, b->result_on, b->payload_on, b->single_on};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i)
        tact_buffer_destroy(buffers[i]);
    tact_scan_destroy(b->scan);
    tact_reduce_destroy(b->reduce);
    tact_compact_destroy(b->compact);
    tact_radix_sort_destroy(b->sort);
    void* const arrays[] = {b->words, b->wide, b->flags, b->boxes, b->result, b->payload, b->check, b->check_payload};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(b->env, arrays[i]);
}

static tact_result run_device(bench* b, bench_block block)
{
    const uint32_t n = (uint32_t)b->count;
    const uint32_t boxes = (uint32_t)b->boxes_count;
    tact_sort_job job = {b->words_on, b->result_on, NULL, b->payload_on, n, 1, 32};
    switch (block) {
        case SCAN:
            return tact_scan_run(b->scan, b->words_on, b->result_on, n, b->single_on, 0);
        case REDUCE:
            return tact_reduce_run(b->reduce, TACT_REDUCE_SUM_UINT, b->words_on, n, b->single_on, 0);
        case COMPACT:
            return tact_compact_indices(b->compact, b->flags_on, b->result_on, n, b->single_on, 0);
        case SORT64:
            job.keys_in = b->wide_on;
            job.key_words = 2;
            job.key_bits = 64;
            return tact_radix_sort_run(b->sort, &job);
        case BOUNDS:
            return tact_reduce_bounds(b->reduce, TACT_BOXES, b->boxes_on, boxes, b->single_on);
        case MORTON:
            return tact_morton_run(b->device, TACT_BOXES, b->boxes_on, boxes, b->bounds_on, true, b->result_on);
        case SORT32:
        case BLOCKS:
        default:
            return tact_radix_sort_run(b->sort, &job);
    }
}

static tact_result run_cpu(bench* b, bench_block block, uint32_t* result, uint32_t* payload)
{
    const size_t n = b->count;
    tact_sort_cpu_job job = {b->words, result, NULL, payload, n, 1, 32};
    float bounds[8];
    switch (block) {
        case SCAN:
            b->single[0] = tact_scan_cpu(b->words, result, n);
            return TACT_OK;
        case REDUCE:
            b->single[0] = tact_reduce_cpu(TACT_REDUCE_SUM_UINT, b->words, n);
            return TACT_OK;
        case COMPACT:
            b->single[0] = (uint32_t)tact_compact_indices_cpu(b->flags, result, n);
            return TACT_OK;
        case SORT64:
            job.keys_in = b->wide;
            job.key_words = 2;
            job.key_bits = 64;
            return tact_sort_cpu(b->env, b->threads, &job);
        case BOUNDS:
            tact_reduce_bounds_cpu(TACT_BOXES, b->boxes, b->boxes_count, bounds);
            memcpy(b->single, bounds, sizeof bounds);
            return TACT_OK;
        case MORTON:
            tact_morton_cpu(b->threads, TACT_BOXES, b->boxes, b->boxes_count, b->bounds, true, result);
            return TACT_OK;
        case SORT32:
        case BLOCKS:
        default:
            return tact_sort_cpu(b->env, b->threads, &job);
    }
}

// Runs the block on the device once and compares all it wrote with what the CPU gives.
static tact_result validate(bench* b, bench_block block)
{
    static const size_t single_words[BLOCKS] = {1, 1, 1, 0, 0, 8, 0};
    tact_result status = run_cpu(b, block, b->result, b->payload);
    if (!status) status = run_device(b, block);
    if (status) return status;
    uint32_t single[8];
    size_t words = b->count;
    if (block == REDUCE || block == BOUNDS) words = 0;
    if (block == COMPACT) words = b->single[0];
    if (block == SORT64) words *= 2;
    if (block == MORTON) words = b->boxes_count * 2;
    const bool payload = block == SORT32 || block == SORT64;
    status = tact_buffer_read(b->single_on, 0, single, sizeof single);
    if (!status) status = tact_buffer_read(b->result_on, 0, b->check, words * 4);
    if (!status && payload) status = tact_buffer_read(b->payload_on, 0, b->check_payload, b->count * 4);
    if (status) return status;
    if (memcmp(single, b->single, single_words[block] * 4) != 0 || memcmp(b->check, b->result, words * 4) != 0 ||
        (payload && memcmp(b->check_payload, b->payload, b->count * 4) != 0)) {
        return tact_fail(b->env, TACT_ERROR_SHADOW_MISMATCH, "%s of %zu elements differs from the CPU's", names[block],
                         b->count);
    }
    return TACT_OK;
}

static tact_result run_timed(bench* b, bench_block block, double* milliseconds)
{
    if (!b->device) {
        const double start = tact_platform_milliseconds();
        const tact_result status = run_cpu(b, block, b->result, b->payload);
        *milliseconds = tact_platform_milliseconds() - start;
        return status;
    }
    tact_result status = tact_timer_begin(b->device);
    if (status) return status;
    status = run_device(b, block);
    const tact_result ended = tact_timer_end(b->device, milliseconds);
    return status ? status : ended;
}

static tact_result measure(bench* b, bench_block block, int repeats, tact_suite_block* out)
{
    double times[REPEATS_MAX], warm_up = 0;
    tact_result status = b->device ? validate(b, block) : TACT_OK;
    if (!status) status = run_timed(b, block, &warm_up);
    for (int r = 0; r < repeats && !status; ++r)
        status = run_timed(b, block, &times[r]);
    if (status) return status;
    out->name = names[block];
    out->count = block == BOUNDS || block == MORTON ? b->boxes_count : b->count;
    out->ms = tact_spread_of(times, (size_t)repeats);
    return TACT_OK;
}

/// On a device that is entered, or on the CPU where it is NULL. Each block is first run and its result compared with
/// the CPU's: SHADOW_MISMATCH if it differs. Then come one run to warm up and those that are timed.
static tact_result measure_all(bench* b, int repeats, tact_suite_block blocks[TACT_SUITE_BLOCKS], size_t* count)
{
    if (b->count > TACT_BLOCK_LIMIT) return tact_fail(b->env, TACT_ERROR_LIMIT, "benchmark of %zu elements", b->count);
    tact_result status = make_arrays(b) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (!status && b->device) status = make_buffers(b);
    for (*count = 0; *count < BLOCKS && !status; ++*count)
        status = measure(b, (bench_block)*count, repeats, &blocks[*count]);
    drop(b);
    return status;
}

tact_result tact_suite_blocks(tact_context* context, tact_backend backend, int threads, uint64_t size, int repeat,
                              tact_suite_block blocks[TACT_SUITE_BLOCKS], size_t* count)
{
    const int index = tact_context_find(context, backend);
    const int repeats = repeat < 1 ? 1 : repeat > REPEATS_MAX ? REPEATS_MAX : repeat;
    if (index < 0) return TACT_ERROR_NO_DEVICE;
    bench b = {.env = &context->env, .device = context->devices[index], .threads = threads, .count = (size_t)size};
    tact_result result = b.device ? tact_device_enter(b.device) : TACT_OK;
    if (result < 0) return result;
    result = measure_all(&b, repeats, blocks, count);
    if (b.device) tact_device_leave(b.device);
    return result;
}
