// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "cpu_ref/blocks.h"
#include "gpu/blocks/compact.h"
#include "gpu/blocks/morton.h"
#include "gpu/blocks/radix_sort.h"
#include "gpu/blocks/reduce.h"
#include "gpu/blocks/scan.h"

static const char* const names[TACT_BENCH_BLOCK_COUNT] = {"scan",   "reduce", "compact", "sort32",
                                                          "sort64", "bounds", "morton"};
// Bytes an element, as docs/blocks.md derives them. The compaction writes half of the indices.
static const uint64_t bytes_moved[TACT_BENCH_BLOCK_COUNT] = {12, 4, 10, 4 * 20, 8 * 32, 32, 40};

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

static tact_result run_device(bench* b, tact_bench_block block)
{
    const uint32_t n = (uint32_t)b->count;
    const uint32_t boxes = (uint32_t)b->boxes_count;
    tact_sort_job job = {b->words_on, b->result_on, NULL, b->payload_on, n, 1, 32};
    switch (block) {
        case TACT_BENCH_SCAN:
            return tact_scan_run(b->scan, b->words_on, b->result_on, n, b->single_on, 0);
        case TACT_BENCH_REDUCE:
            return tact_reduce_run(b->reduce, TACT_REDUCE_SUM_UINT, b->words_on, n, b->single_on, 0);
        case TACT_BENCH_COMPACT:
            return tact_compact_indices(b->compact, b->flags_on, b->result_on, n, b->single_on, 0);
        case TACT_BENCH_SORT64:
            job.keys_in = b->wide_on;
            job.key_words = 2;
            job.key_bits = 64;
            return tact_radix_sort_run(b->sort, &job);
        case TACT_BENCH_BOUNDS:
            return tact_reduce_bounds(b->reduce, TACT_BOXES, b->boxes_on, boxes, b->single_on);
        case TACT_BENCH_MORTON:
            return tact_morton_run(b->device, TACT_BOXES, b->boxes_on, boxes, b->bounds_on, true, b->result_on);
        case TACT_BENCH_SORT32:
        case TACT_BENCH_BLOCK_COUNT:
        default:
            return tact_radix_sort_run(b->sort, &job);
    }
}

static tact_result run_cpu(bench* b, tact_bench_block block, uint32_t* result, uint32_t* payload)
{
    const size_t n = b->count;
    tact_sort_cpu_job job = {b->words, result, NULL, payload, n, 1, 32};
    float bounds[8];
    switch (block) {
        case TACT_BENCH_SCAN:
            b->single[0] = tact_scan_cpu(b->words, result, n);
            return TACT_OK;
        case TACT_BENCH_REDUCE:
            b->single[0] = tact_reduce_cpu(TACT_REDUCE_SUM_UINT, b->words, n);
            return TACT_OK;
        case TACT_BENCH_COMPACT:
            b->single[0] = (uint32_t)tact_compact_indices_cpu(b->flags, result, n);
            return TACT_OK;
        case TACT_BENCH_SORT64:
            job.keys_in = b->wide;
            job.key_words = 2;
            job.key_bits = 64;
            return tact_sort_cpu(b->env, b->threads, &job);
        case TACT_BENCH_BOUNDS:
            tact_reduce_bounds_cpu(TACT_BOXES, b->boxes, b->boxes_count, bounds);
            memcpy(b->single, bounds, sizeof bounds);
            return TACT_OK;
        case TACT_BENCH_MORTON:
            tact_morton_cpu(b->threads, TACT_BOXES, b->boxes, b->boxes_count, b->bounds, true, result);
            return TACT_OK;
        case TACT_BENCH_SORT32:
        case TACT_BENCH_BLOCK_COUNT:
        default:
            return tact_sort_cpu(b->env, b->threads, &job);
    }
}

// Runs the block on the device once and compares all it wrote with what the CPU gives.
static tact_result validate(bench* b, tact_bench_block block)
{
    static const size_t single_words[TACT_BENCH_BLOCK_COUNT] = {1, 1, 1, 0, 0, 8, 0};
    tact_result status = run_cpu(b, block, b->result, b->payload);
    if (!status) status = run_device(b, block);
    if (status) return status;
    uint32_t single[8];
    size_t words = b->count;
    if (block == TACT_BENCH_REDUCE || block == TACT_BENCH_BOUNDS) words = 0;
    if (block == TACT_BENCH_COMPACT) words = b->single[0];
    if (block == TACT_BENCH_SORT64) words *= 2;
    if (block == TACT_BENCH_MORTON) words = b->boxes_count * 2;
    const bool payload = block == TACT_BENCH_SORT32 || block == TACT_BENCH_SORT64;
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

static tact_result run_timed(bench* b, tact_bench_block block, double* milliseconds)
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

static int compare_doubles(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static tact_result measure(bench* b, tact_bench_block block, int repeats, tact_bench_result* out)
{
    double times[REPEATS_MAX], warm_up = 0;
    tact_result status = b->device ? validate(b, block) : TACT_OK;
    if (!status) status = run_timed(b, block, &warm_up);
    for (int r = 0; r < repeats && !status; ++r)
        status = run_timed(b, block, &times[r]);
    if (status) return status;
    qsort(times, (size_t)repeats, sizeof times[0], compare_doubles);
    out->name = names[block];
    out->bytes = b->device ? bytes_moved[block] : 0;
    out->count = block == TACT_BENCH_BOUNDS || block == TACT_BENCH_MORTON ? b->boxes_count : b->count;
    out->repeats = repeats;
    out->least_ms = times[0];
    out->median_ms = times[repeats / 2];
    out->most_ms = times[repeats - 1];
    out->per_second = out->median_ms > 0 ? (double)out->count / out->median_ms * 1000.0 : 0;
    return TACT_OK;
}

tact_result tact_bench_blocks(tact_env* env, tact_device* device, int threads, size_t count, int repeats,
                              tact_bench_result results[TACT_BENCH_BLOCK_COUNT])
{
    if (count > TACT_BLOCK_LIMIT) return tact_fail(env, TACT_ERROR_LIMIT, "benchmark of %zu elements", count);
    repeats = repeats < 1 ? 1 : repeats > REPEATS_MAX ? REPEATS_MAX : repeats;
    bench b = {.env = env, .device = device, .threads = threads, .count = count};
    tact_result status = make_arrays(&b) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (!status && device) status = make_buffers(&b);
    for (int block = 0; block < TACT_BENCH_BLOCK_COUNT && !status; ++block) {
        status = measure(&b, (tact_bench_block)block, repeats, &results[block]);
    }
    drop(&b);
    return status;
}
