// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sample sort (W. D. Frazer, A. C. McKellar: Samplesort, 1970) of pairs that each rank has in order already: some at
// equal distances are a sample, whose quantiles part the runs.

#include <stdlib.h>
#include <string.h>

#include "core/ranks/pairs.h"
#include "core/ranks/sample.h"
#include "cpu_ref/pair_keys.h"

static int compare_keys(const void* a, const void* b)
{
    const uint64_t p = *(const uint64_t*)a, q = *(const uint64_t*)b;
    return (p > q) - (p < q);
}

/// A sample of all ranks' pairs, in order; to be released.
static tact_result sample_keys(tact_ranks* r, const tact_pair* pairs, size_t count, uint64_t** keys, size_t* key_count)
{
    tact_env* env = &r->context->env;
    uint64_t before = 0, all = 0, bytes = 0;
    *keys = NULL;
    *key_count = 0;
    tact_result result = tact_ranks_before(r, count, &before, &all);
    if (result != TACT_OK) return result;
    const uint64_t stride = tact_rank_stride(r, all);
    // Those whose place in the list of all is a multiple of it.
    const uint64_t first = (stride - before % stride) % stride;
    const size_t own = first < count ? (size_t)((count - first - 1) / stride + 1) : 0;
    uint64_t* sample = tact_allocate(env, own, sizeof *sample);
    result = tact_ranks_agree(r, sample ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < own && result == TACT_OK; ++i)
        sample[i] = tact_pair_key(pairs[first + i * stride]);
    void* shared = NULL;
    if (result == TACT_OK) result = tact_ranks_share(r, sample, own * sizeof *sample, &shared, &bytes);
    tact_release(env, sample);
    if (result != TACT_OK) return result;
    *keys = shared;
    *key_count = (size_t)(bytes / sizeof **keys);
    qsort(*keys, *key_count, sizeof **keys, compare_keys);
    return TACT_OK;
}

static void merge(const tact_pair* a, size_t a_count, const tact_pair* b, size_t b_count, tact_pair* to)
{
    size_t i = 0, j = 0;
    while (i < a_count && j < b_count) {
        const bool first = tact_pair_key(a[i]) < tact_pair_key(b[j]);
        *to++ = first ? a[i] : b[j];
        i += first;
        j += !first;
    }
    if (i < a_count) memcpy(to, a + i, (a_count - i) * sizeof *to);
    if (j < b_count) memcpy(to, b + j, (b_count - j) * sizeof *to);
}

/// Merges neighbouring runs until there is one. `ends` of the `runs` runs, which is changed; `spare` has room for all.
/// Returns which of the two holds the result.
static tact_pair* merge_runs(tact_pair* pairs, tact_pair* spare, size_t* ends, uint32_t runs)
{
    while (runs > 1) {
        size_t begin = 0;
        uint32_t left = 0;
        for (uint32_t i = 0; i < runs; i += 2) {
            const size_t middle = ends[i], end = i + 1 < runs ? ends[i + 1] : middle;
            merge(pairs + begin, middle - begin, pairs + middle, end - middle, spare + begin);
            ends[left++] = begin = end;
        }
        tact_pair* swap = pairs;
        pairs = spare;
        spare = swap;
        runs = left;
    }
    return pairs;
}

/// What came from each rank becomes one run. `sizes` in bytes.
static tact_result merge_in(tact_ranks* r, tact_pair** pairs, const uint64_t* sizes, size_t* count)
{
    tact_env* env = &r->context->env;
    const uint32_t ranks = r->calls.count;
    size_t* ends = tact_allocate(env, ranks, sizeof *ends);
    if (!ends) return TACT_ERROR_OUT_OF_MEMORY;
    *count = 0;
    for (uint32_t i = 0; i < ranks; ++i)
        ends[i] = *count += (size_t)(sizes[i] / sizeof **pairs);
    tact_result result = TACT_OK;
    if (*count > TACT_MAX_PAIRS)
        result = tact_fail(env, TACT_ERROR_LIMIT, "%zu pairs are more than one list holds (2^30)", *count);
    tact_pair* spare = result == TACT_OK ? tact_allocate(env, *count, sizeof *spare) : NULL;
    if (result == TACT_OK && !spare) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        tact_pair* merged = merge_runs(*pairs, spare, ends, ranks);
        if (merged == spare) {
            spare = *pairs;
            *pairs = merged;
        }
    }
    tact_release(env, spare);
    tact_release(env, ends);
    return result;
}

tact_result tact_ranks_sort_pairs(tact_ranks* r, tact_pair** pairs, size_t* count)
{
    tact_env* env = &r->context->env;
    const uint32_t ranks = r->calls.count;
    uint64_t *keys = NULL, *sizes = tact_allocate(env, 2 * (size_t)ranks, sizeof *sizes);
    const void** bytes = tact_allocate(env, ranks, sizeof *bytes);
    size_t key_count = 0;
    tact_result result = tact_ranks_agree(r, sizes && bytes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = sample_keys(r, *pairs, *count, &keys, &key_count);
    void* in = NULL;
    if (result == TACT_OK) {
        size_t begin = 0;
        for (uint32_t i = 0; i < ranks; ++i) {
            const bool last = i + 1 == ranks || key_count == 0;
            const uint64_t key = last ? 0 : keys[(size_t)((uint64_t)(i + 1) * key_count / ranks)];
            const size_t end = last ? *count : tact_pairs_from(*pairs, *count, key);
            bytes[i] = *pairs + begin;
            sizes[i] = (end - begin) * sizeof **pairs;
            begin = end;
        }
        result = tact_ranks_send(r, bytes, sizes, &in, sizes + ranks);
    }
    tact_release(env, keys);
    tact_release(env, (void*)bytes);
    if (result == TACT_OK) {
        tact_release(env, *pairs);
        *pairs = in;
        result = tact_ranks_agree(r, merge_in(r, pairs, sizes + ranks, count));
    }
    tact_release(env, sizes);
    return result;
}
