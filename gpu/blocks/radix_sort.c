// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/blocks.h"

#include "kernels/tiles.h"

// Least significant digit first, 8 bits a pass. A pass counts the digits of each section, scans the counts, and moves
// the keys: two reads and one write of the keys, one of each of the payload. kernels/radix_scatter.h tells how.

struct tact_radix_sort {
    tact_device* device;
    uint32_t max_groups;
    tact_scan* scan;
    tact_buffer* counts;  // 256 words a section
    tact_buffer* keys;    // the other side of the passes
    tact_buffer* values;
};

tact_result tact_radix_sort_create(tact_device* device, uint32_t max_groups, tact_radix_sort** sort)
{
    *sort = NULL;
    tact_radix_sort* made = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *made);
    if (!made) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->max_groups = max_groups;
    const tact_result result = tact_scan_create(device, max_groups, &made->scan);
    if (result != TACT_OK) {
        tact_radix_sort_destroy(made);
        return result;
    }
    *sort = made;
    return TACT_OK;
}

void tact_radix_sort_destroy(tact_radix_sort* sort)
{
    if (!sort) return;
    tact_scan_destroy(sort->scan);
    tact_buffer_destroy(sort->counts);
    tact_buffer_destroy(sort->keys);
    tact_buffer_destroy(sort->values);
    tact_release(tact_device_env(sort->device), sort);
}

uint64_t tact_radix_sort_bytes(const tact_radix_sort* sort)
{
    const tact_buffer* const own[] = {sort->counts, sort->keys, sort->values};
    uint64_t sum = TACT_SCAN_SCRATCH_BYTES;
    for (int i = 0; i < 3; ++i)
        sum += tact_buffer_size(own[i]);
    return sum;
}

static uint64_t counts_bytes(uint32_t count, uint32_t max_groups)
{
    return (uint64_t)tact_tile(count, TACT_SORT_TILE, max_groups).groups * TACT_DIGITS * 4;
}

uint64_t tact_radix_sort_scratch_bytes(uint32_t count, uint32_t key_words, bool payload)
{
    return TACT_SCAN_SCRATCH_BYTES + counts_bytes(count, 0) + (uint64_t)count * 4 * (key_words + (payload ? 1u : 0u));
}

// Replaces a buffer that is too small. The contents do not matter.
static tact_result grow(tact_device* device, tact_buffer** buffer, uint64_t bytes)
{
    if (*buffer && tact_buffer_size(*buffer) >= bytes) return TACT_OK;
    if (bytes > SIZE_MAX) {
        return TACT_DEVICE_FAIL(device, TACT_ERROR_LIMIT, "sort: %llu bytes", (unsigned long long)bytes);
    }
    tact_buffer* grown = NULL;
    const tact_result result = tact_buffer_create(device, (size_t)bytes, NULL, &grown);
    if (result != TACT_OK) return result;
    tact_buffer_destroy(*buffer);
    *buffer = grown;
    return TACT_OK;
}

tact_result tact_radix_sort_reserve(tact_radix_sort* sort, uint32_t count, uint32_t key_words, bool payload)
{
    if (!sort) return TACT_NOT_MADE;
    tact_device* const device = sort->device;
    tact_check_count(device, "sort", count);
    grow(device, &sort->counts, counts_bytes(count, sort->max_groups));
    grow(device, &sort->keys, (uint64_t)count * key_words * 4);
    if (payload) grow(device, &sort->values, (uint64_t)count * 4);
    return tact_device_result(device);
}

static tact_result check_job(tact_device* device, const tact_sort_job* job)
{
    if (job->key_words != 1 && job->key_words != 2) {
        return TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT, "sort: keys of %u words",
                                (unsigned)job->key_words);
    }
    if (job->key_bits > 32 * job->key_words) {
        return TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT, "sort: %u bits of keys of %u words",
                                (unsigned)job->key_bits, (unsigned)job->key_words);
    }
    const uint64_t words = (uint64_t)job->count * job->key_words;
    tact_check_count(device, "sort", job->count);
    tact_check_words(device, "sort", "keys_in", job->keys_in, words);
    tact_check_words(device, "sort", "keys_out", job->keys_out, words);
    if (tact_device_result(device) == TACT_OK && job->values_out) {
        tact_check_words(device, "sort", "values_out", job->values_out, job->count);
        if (job->values_in) tact_check_words(device, "sort", "values_in", job->values_in, job->count);
        const bool mixed = job->values_out == job->keys_in || job->values_out == job->keys_out ||
                           (job->values_in && (job->values_in == job->keys_in || job->values_in == job->keys_out));
        if (mixed) TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT, "sort: keys and values in one buffer");
    }
    return tact_device_result(device);
}

enum { PAYLOAD_NONE = 0, PAYLOAD_VALUES = 1, PAYLOAD_INDEX = 2 };

typedef struct pass {
    tact_buffer *keys_in, *keys_out, *values_in, *values_out;
    uint32_t count, key_words, shift, mask, payload;
} pass;

static tact_result run_pass(tact_radix_sort* sort, const pass* p)
{
    const tact_tiling tiling = tact_tile(p->count, TACT_SORT_TILE, sort->max_groups);
    TACT_LAUNCH(sort->device, radix_count, tiling.groups, .keys = p->keys_in, .counts = sort->counts, .count = p->count,
                .section = tiling.section, .groups = tiling.groups, .key_words = p->key_words, .shift = p->shift,
                .digit_mask = p->mask);
    tact_scan_run(sort->scan, sort->counts, sort->counts, tiling.groups * TACT_DIGITS, NULL, 0);
    // A kernel without payload is given the key buffers in the values' places and leaves them alone there.
    const tact_radix_scatter_args args = {
        .keys_in = p->keys_in,
        .values_in = p->payload == PAYLOAD_VALUES ? p->values_in : p->keys_in,
        .keys_out = p->keys_out,
        .values_out = p->payload != PAYLOAD_NONE ? p->values_out : p->keys_out,
        .places = sort->counts,
        .count = p->count,
        .section = tiling.section,
        .groups = tiling.groups,
        .shift = p->shift,
        .digit_mask = p->mask,
        .payload = p->payload,
    };
    const tact_kernel_id kernel = p->key_words == 2 ? TACT_KERNEL_radix_scatter64 : TACT_KERNEL_radix_scatter;
    return tact_device_launch(sort->device, kernel, tiling.groups, &args, sizeof args);
}

tact_result tact_radix_sort_run(tact_radix_sort* sort, const tact_sort_job* job)
{
    if (!sort) return TACT_NOT_MADE;
    tact_device* const device = sort->device;
    check_job(device, job);
    tact_radix_sort_reserve(sort, job->count, job->key_words, job->values_out != NULL);
    if (tact_device_result(device) != TACT_OK || job->count == 0) return tact_device_result(device);

    // No bits to compare: one pass with an empty digit copies the keys and numbers the payload.
    const uint32_t passes = job->key_bits ? (job->key_bits + 7) / 8 : 1;
    pass p = {.keys_in = job->keys_in,
              .values_in = job->values_in,
              .count = job->count,
              .key_words = job->key_words,
              .payload = !job->values_out ? PAYLOAD_NONE
                         : job->values_in ? PAYLOAD_VALUES
                                          : PAYLOAD_INDEX};
    // Passes alternate between scratch and output so that the last one ends in the output. A pass cannot write what it
    // reads: where an odd number would begin so, the input moves to the scratch first.
    const bool to_output_first = passes % 2 == 1;
    const bool in_place = job->keys_in == job->keys_out || (job->values_out && job->values_in == job->values_out);
    if (to_output_first && in_place) {
        tact_buffer_copy(sort->keys, 0, job->keys_in, 0, (size_t)job->count * job->key_words * 4);
        if (p.payload == PAYLOAD_VALUES) tact_buffer_copy(sort->values, 0, job->values_in, 0, (size_t)job->count * 4);
        p.keys_in = sort->keys;
        p.values_in = sort->values;
    }
    for (uint32_t i = 0; i < passes; ++i) {
        const bool to_output = (passes - i) % 2 == 1;
        p.keys_out = to_output ? job->keys_out : sort->keys;
        p.values_out = to_output ? job->values_out : sort->values;
        p.shift = i * 8;
        const uint32_t bits = job->key_bits - p.shift < 8 ? job->key_bits - p.shift : 8;
        p.mask = (1u << bits) - 1;
        run_pass(sort, &p);
        p.keys_in = p.keys_out;
        p.values_in = p.values_out;
        if (p.payload == PAYLOAD_INDEX) p.payload = PAYLOAD_VALUES;
    }
    return tact_device_result(device);
}
