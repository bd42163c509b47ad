// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/parallel.h"
#include "gpu/cloud/internal.h"

enum {
    // As for nearest points: a step has at most so many iterations of inner loops.
    STEPS = 2400,
    STEP_ITERATIONS = 1 + 8 + 16,
    PIECE = 1 << 22  // ids at a time, unless one query has more
};

_Static_assert(STEPS* STEP_ITERATIONS < 65535, "llvmpipe would cut queries short");

typedef struct searching {
    tact_gpu_cloud* g;
    const tact_gpu_cloud_job* job;
    uint32_t mode;
    uint32_t* words;   // of each query
    uint8_t* touched;  // in place of them, of each query
} searching;

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const searching* s = user;
    const tact_closest_query* queries = s->job->cloud.queries + begin;
    tact_buffer_write(s->g->queries, 0, queries, count * sizeof *queries);
}

static void launch(const searching* s, uint32_t mode, size_t first, size_t count)
{
    const tact_gpu_cloud* g = s->g;
    const bool lists = mode == TACT_CLOUD_LIST;
    TACT_LAUNCH_ITEMS(g->device, cloud_within, count, .nodes = g->nodes, .blocks = g->blocks, .table = g->table,
                      .queries = g->queries, .places = lists ? g->places : g->table,
                      .found = lists ? g->ids : g->answers, .item_count = (uint32_t)count, .first = (uint32_t)first,
                      .points = s->job->cloud.tree->point_count, .mode = mode,
                      .step_limit = tact_gpu_cloud_steps(g, STEPS));
}

static void search_chunk(void* user, size_t begin, size_t count)
{
    const searching* s = user;
    (void)begin;
    launch(s, s->mode, 0, count);
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    const searching* s = user;
    uint32_t* words = s->touched ? s->words : s->words + begin;
    tact_buffer_read(s->g->answers, 0, words, count * sizeof *words);
    for (size_t i = 0; s->touched && i < count; ++i)
        s->touched[begin + i] = words[i] == TACT_CLOUD_UNFINISHED ? 2 : words[i] != 0;
}

static tact_result run_chunks(searching* s, size_t chunk, tact_query_report* report)
{
    const tact_batch* batch = &s->job->cloud.batch;
    const tact_gpu_chunks chunks = {.count = batch->count,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = search_chunk,
                                    .take = take_chunk,
                                    .user = s,
                                    .progress = batch->progress,
                                    .progress_user = batch->progress_user};
    return tact_gpu_chunks_run(s->g->device, &chunks, report);
}

// ---- Whether there is a point ----

static bool is_undecided(const void* user, size_t query)
{
    return ((const uint8_t*)user)[query] > 1;
}

static tact_result finish_any(tact_env* env, const tact_gpu_cloud_job* job, uint8_t* touched)
{
    tact_gpu_cloud_rest rest;
    tact_result result = tact_gpu_cloud_rest_make(env, job, is_undecided, touched, &rest);
    const size_t count = rest.job.batch.count;
    if (result != TACT_OK || count == 0) return result;
    uint8_t* found = tact_allocate(env, count, 1);
    result = found ? tact_cloud_any_cpu(env, &rest.job, found) : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        touched[rest.places[i]] = found[i];
    tact_release(env, found);
    tact_gpu_cloud_rest_release(env, &rest);
    return result;
}

tact_result tact_gpu_cloud_any(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                               uint8_t* touched, tact_query_report* report)
{
    tact_env* env = tact_device_env(device);
    tact_result result = tact_gpu_cloud_begin(device, resident, job, TACT_KERNEL_cloud_within, report);
    if (result != TACT_OK) return result;
    searching s = {.g = *resident, .job = job, .mode = TACT_CLOUD_ANY, .touched = touched};
    const size_t chunk = tact_gpu_cloud_hold(*resident, job, sizeof *s.words);
    s.words = tact_allocate(env, chunk, sizeof *s.words);
    if (!s.words) tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    result = run_chunks(&s, chunk, report);
    report->memory_bytes = tact_gpu_cloud_bytes(*resident);
    tact_device_leave(device);
    tact_release(env, s.words);
    return result == TACT_OK ? finish_any(env, job, touched) : result;
}

// ---- Lists ----

/// What is known of all queries once they have been counted.
typedef struct listing {
    searching s;
    const tact_cloud_lists* lists;
    tact_gpu_cloud_rest rest;
    tact_cloud_lists rest_lists;  ///< of the queries that the host answers
    uint32_t *places, *ids;       ///< of a piece
    size_t id_capacity;
    uint64_t** keys;  ///< of each worker, to sort with
    size_t* key_capacities;
    size_t begin, count;  ///< of the piece's queries
    TACT_ATOMIC(bool) failed;
} listing;

static bool is_uncounted(const void* user, size_t query)
{
    return ((const uint32_t*)user)[query] == TACT_CLOUD_UNFINISHED;
}

/// Finds what the device has left, on the CPU.
static tact_result finish_lists(tact_env* env, listing* l)
{
    tact_result result = tact_gpu_cloud_rest_make(env, l->s.job, is_uncounted, l->s.words, &l->rest);
    const size_t count = l->rest.job.batch.count;
    if (result != TACT_OK || count == 0) return result;
    tact_cloud_lists* r = &l->rest_lists;
    r->offsets = tact_allocate(env, count + 1, sizeof *r->offsets);
    if (!r->offsets) return TACT_ERROR_OUT_OF_MEMORY;
    result = tact_cloud_list_cpu(env, &l->rest.job, r);
    if (result != TACT_OK) return result;
    if (r->offsets[count] > SIZE_MAX / sizeof *r->ids) return TACT_ERROR_OUT_OF_MEMORY;
    r->capacity = (size_t)r->offsets[count];
    r->ids = tact_allocate(env, r->capacity, sizeof *r->ids);
    return r->ids ? tact_cloud_list_cpu(env, &l->rest.job, r) : TACT_ERROR_OUT_OF_MEMORY;
}

/// Copies a row to where it belongs, as far as there is room.
static void put_row(const tact_cloud_lists* lists, size_t query, const uint32_t* ids)
{
    const uint64_t from = lists->offsets[query], count = lists->offsets[query + 1] - from;
    if (from >= lists->capacity || count == 0) return;
    const uint64_t left = lists->capacity - from;
    memcpy(lists->ids + from, ids, (size_t)(count < left ? count : left) * sizeof *ids);
}

static void place_all(const listing* l)
{
    uint64_t* offsets = l->lists->offsets;
    size_t rest = 0;
    offsets[0] = 0;
    for (size_t i = 0; i < l->s.job->cloud.batch.count; ++i) {
        uint64_t count = l->s.words[i];
        if (count == TACT_CLOUD_UNFINISHED) {
            count = l->rest_lists.offsets[rest + 1] - l->rest_lists.offsets[rest];
            ++rest;
        }
        offsets[i + 1] = offsets[i] + count;
    }
    for (size_t i = 0; i < l->rest.job.batch.count; ++i)
        put_row(l->lists, l->rest.places[i], l->rest_lists.ids + l->rest_lists.offsets[i]);
}

static void sort_rows(size_t begin, size_t end, int worker, void* user)
{
    listing* l = user;
    const tact_env* env = tact_device_env(l->s.g->device);
    for (size_t i = begin; i < end; ++i) {
        if (l->places[i] == TACT_CLOUD_NONE) continue;
        const size_t count = l->s.words[l->begin + i];
        void* keys = l->keys[worker];
        const bool good =
            tact_reserve_in_loop(env, &keys, &l->key_capacities[worker], 0, 2 * count, sizeof *l->keys[worker]);
        l->keys[worker] = keys;
        if (!good) {
            l->failed = true;
            return;
        }
        uint32_t* row = l->ids + l->places[i];
        tact_cloud_sort_ids(row, count, l->s.job->cloud.tree->point_count, keys);
        put_row(l->lists, l->begin + i, row);
    }
}

/// Places in the piece of as many of `most` queries as go into one. Returns how many ids they have.
static size_t place_piece(listing* l, size_t most)
{
    size_t sum = 0;
    for (l->count = 0; l->count < most; ++l->count) {
        const size_t query = l->begin + l->count;
        const uint32_t count = l->s.words[query];
        // What the host has found, and what there is no room for, is not found again.
        const bool wanted =
            count != TACT_CLOUD_UNFINISHED && count > 0 && l->lists->offsets[query] < l->lists->capacity;
        if (wanted && sum > 0 && sum + count > PIECE) break;
        l->places[l->count] = wanted ? (uint32_t)sum : TACT_CLOUD_NONE;
        if (wanted) sum += count;
    }
    return sum;
}

/// Lists the ids of the chunk's queries from `first` on, as many as go into a piece.
static void list_piece(listing* l, size_t first, size_t most)
{
    const tact_gpu_cloud* g = l->s.g;
    tact_env* env = tact_device_env(g->device);
    const size_t sum = place_piece(l, most);
    if (sum == 0) return;
    void* ids = l->ids;
    if (!tact_reserve(env, &ids, &l->id_capacity, 0, sum, sizeof *l->ids))
        tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
    l->ids = ids;
    tact_buffer_hold(g->device, &l->s.g->ids, sum * sizeof *l->ids);
    tact_buffer_write(g->places, 0, l->places, l->count * sizeof *l->places);
    TACT_DEVICE_WITHIN(g->device, "room for %zu points within distances: ", sum);
    if (tact_device_result(g->device) != TACT_OK) return;
    launch(&l->s, TACT_CLOUD_LIST, first, l->count);
    if (tact_buffer_read(g->ids, 0, l->ids, sum * sizeof *l->ids) != TACT_OK) return;
    tact_parallel_for(l->s.job->cloud.batch.threads, l->count, 64, sort_rows, l);
    if (l->failed) {
        tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory for points within distances");
        tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
    }
}

static void list_chunk(void* user, size_t begin, size_t count)
{
    listing* l = user;
    for (size_t first = 0; first < count && tact_device_result(l->s.g->device) == TACT_OK; first += l->count) {
        l->begin = begin + first;
        list_piece(l, first, count - first);
    }
}

static void bring_listed(void* user, size_t begin, size_t count)
{
    bring_chunk(&((listing*)user)->s, begin, count);
}

static void nothing_more(void* user, size_t begin, size_t count)
{
    (void)user;
    (void)begin;
    (void)count;
}

static tact_result run_lists(listing* l, size_t chunk, tact_query_report* report)
{
    tact_device* device = l->s.g->device;
    const size_t count = l->s.job->cloud.batch.count;
    tact_query_report second = {0};
    tact_result result = run_chunks(&l->s, chunk, report);
    if (result == TACT_OK) result = finish_lists(tact_device_env(device), l);
    if (result != TACT_OK) return result;
    place_all(l);
    tact_buffer_hold(device, &l->s.g->places, chunk * sizeof *l->places);
    const tact_gpu_chunks chunks = {
        .count = count, .chunk = chunk, .bring = bring_listed, .run = list_chunk, .take = nothing_more, .user = l};
    result = tact_gpu_chunks_run(device, &chunks, &second);
    report->upload_ms += second.upload_ms;
    report->query_ms += second.query_ms;
    report->download_ms += second.download_ms;
    return result;
}

tact_result tact_gpu_cloud_list(tact_device* device, tact_gpu_cloud** resident, const tact_gpu_cloud_job* job,
                                const tact_cloud_lists* lists, tact_query_report* report)
{
    tact_env* env = tact_device_env(device);
    tact_result result = tact_gpu_cloud_begin(device, resident, job, TACT_KERNEL_cloud_within, report);
    if (result != TACT_OK) return result;
    const size_t threads = job->cloud.batch.threads > 0 ? (size_t)job->cloud.batch.threads : 1;
    listing l = {.s = {.g = *resident, .job = job, .mode = TACT_CLOUD_COUNT}, .lists = lists};
    const size_t chunk = tact_gpu_cloud_hold(*resident, job, sizeof *l.s.words);
    l.s.words = tact_allocate(env, job->cloud.batch.count, sizeof *l.s.words);
    l.places = tact_allocate(env, chunk, sizeof *l.places);
    l.keys = tact_allocate_zeroed(env, threads, sizeof *l.keys);
    l.key_capacities = tact_allocate_zeroed(env, threads, sizeof *l.key_capacities);
    const bool good = l.s.words && l.places && l.keys && l.key_capacities;
    result = good ? run_lists(&l, chunk, report) : TACT_ERROR_OUT_OF_MEMORY;
    report->memory_bytes = tact_gpu_cloud_bytes(*resident);
    tact_device_leave(device);
    tact_release(env, l.s.words);
    tact_release(env, l.places);
    tact_release(env, l.ids);
    for (size_t i = 0; l.keys && i < threads; ++i)
        tact_release(env, l.keys[i]);
    tact_release(env, l.keys);
    tact_release(env, l.key_capacities);
    tact_gpu_cloud_rest_release(env, &l.rest);
    tact_release(env, l.rest_lists.offsets);
    tact_release(env, l.rest_lists.ids);
    return result;
}
