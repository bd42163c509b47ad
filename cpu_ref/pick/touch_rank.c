// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/touched.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/blocks.h"

enum { GRAIN = 1 << 14 };

int tact_touch_compare(bool reversed, const tact_touch_best* a, const tact_touch_best* b)
{
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    if (a->depth != b->depth) return (reversed ? a->depth > b->depth : a->depth < b->depth) ? -1 : 1;
    return a->pixel < b->pixel ? -1 : a->pixel > b->pixel;
}

/// The keys of a pass of the sort, least significant first: pairs of words.
typedef enum pass { BY_TRIANGLE, BY_PIXEL, BY_DEPTH, PASSES, BY_THING = PASSES } pass;

typedef struct key_job {
    const tact_touch_item* items;
    const uint32_t* order;
    uint32_t (*keys)[2];
    pass pass;
    bool reversed;
    tact_pick_group group;
} key_job;

static void make_keys(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const key_job* job = user;
    for (size_t i = begin; i < end; ++i) {
        const tact_touch_item* item = &job->items[job->order[i]];
        TACT_ASSERT(item->depth >= 0.0f && item->depth <= 1.0f);
        uint32_t low = 0, high = 0;
        switch (job->pass) {
            case BY_TRIANGLE:
                low = item->primitive;
                high = item->instance;
                break;
            case BY_PIXEL:
                low = item->object;
                high = item->pixel;
                break;
            case BY_DEPTH:
                memcpy(&low, &item->depth, sizeof low);
                if (job->reversed) low = ~low;
                high = item->distance;
                break;
            default:  // BY_THING
                low = job->group == TACT_PICK_BY_OBJECT ? 0 : item->instance;
                high = item->object;
                break;
        }
        job->keys[i][0] = low;
        job->keys[i][1] = high;
    }
}

static tact_result sort_pass(tact_env* env, int threads, key_job* job, uint32_t* order, size_t count)
{
    TACT_ASSERT(count <= TACT_BLOCK_LIMIT);
    job->order = order;
    tact_parallel_for(threads, count, GRAIN, make_keys, job);
    const tact_sort_cpu_job sort = {.keys_in = job->keys[0],
                                    .keys_out = job->keys[0],
                                    .values_in = order,
                                    .values_out = order,
                                    .count = count,
                                    .key_words = 2,
                                    .key_bits = 64};
    return tact_sort_cpu(env, threads, &sort);
}

/// Marks the first of each thing: in an order that is stable by thing, where the thing changes.
static tact_result mark_first(tact_env* env, int threads, key_job* job, uint32_t* order, size_t count, uint8_t* first)
{
    job->pass = BY_THING;
    const tact_result sorted = sort_pass(env, threads, job, order, count);
    if (sorted != TACT_OK) return sorted;
    for (size_t i = 0; i < count; ++i)
        first[order[i]] = i == 0 || memcmp(job->keys[i], job->keys[i - 1], sizeof job->keys[i]) != 0;
    return TACT_OK;
}

/// Keeps the marked ones of an order.
static size_t keep_first(uint32_t* order, const uint8_t* first, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (first[order[i]]) order[kept++] = order[i];
    }
    TACT_ASSERT((count == 0) == (kept == 0));
    return kept;
}

tact_result tact_touch_order(tact_env* env, int threads, bool reversed, tact_pick_group group,
                             const tact_touch_item* items, size_t* count, tact_progress_fn* progress,
                             void* progress_user, uint32_t** out)
{
    const size_t n = *count;
    *out = NULL;
    if (n > TACT_BLOCK_LIMIT) return tact_fail(env, TACT_ERROR_LIMIT, "%zu things are touched", n);
    const bool whole = group == TACT_PICK_BY_PRIMITIVE;
    uint32_t* order = tact_allocate(env, n, sizeof *order);
    uint32_t* by_thing = tact_allocate(env, whole ? 0 : n, sizeof *by_thing);
    uint8_t* first = tact_allocate(env, whole ? 0 : n, 1);
    key_job job = {.items = items, .reversed = reversed, .group = group};
    job.keys = tact_allocate(env, n, sizeof *job.keys);
    tact_result result = order && by_thing && first && job.keys ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < n && result == TACT_OK; ++i)
        order[i] = (uint32_t)i;
    for (int k = 0; k < PASSES && result == TACT_OK; ++k) {
        job.pass = (pass)k;
        result = sort_pass(env, threads, &job, order, n);
        const double done = (double)(k + 1) / (PASSES + 1);
        if (result == TACT_OK && progress && !progress(done, progress_user)) {
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled while %zu things were sorted", n);
        }
    }
    if (result == TACT_OK && !whole) {
        memcpy(by_thing, order, n * sizeof *order);
        result = mark_first(env, threads, &job, by_thing, n, first);
        if (result == TACT_OK) *count = keep_first(order, first, n);
    }
    tact_release(env, job.keys);
    tact_release(env, by_thing);
    tact_release(env, first);
    if (result == TACT_OK) {
        TACT_ASSERT(*count <= n && (!whole || *count == n));
        *out = order;
    } else {
        tact_release(env, order);
    }
    return result;
}
