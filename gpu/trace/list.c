// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every hit along rays. A first cast counts, so that a second one knows where each ray's hits go, in whichever order
// the tree has them; sorting by primitive and instance, then by ray and t, puts them as the definition wants them.
#include "gpu/chunks.h"
#include "gpu/trace/internal.h"
#include "kernels/raycast_layout.h"

enum {
    CHUNK = 1 << 18,  // rays at a time
    PIECE = 1 << 21,  // hits at a time, unless one ray has more
    // Hits of a ray at most: places in the list are words, six to a hit.
    MOST = 1 << 29,
    LIST_WORDS = 6
};

/// Bits of numbers up to `largest`.
static uint32_t bits_of(uint32_t largest)
{
    uint32_t bits = 0;
    while (bits < 32 && largest >> bits)
        ++bits;
    return bits;
}

static tact_result make_keys(tact_gpu_scene* s, uint32_t count, bool by_ray)
{
    const tact_ray_lists* l = &s->lists;
    return TACT_LAUNCH_ITEMS(s->device, raycast_keys, count, .list = l->list, .order = by_ray ? l->order : s->nothing,
                             .keys = l->keys, .count = count, .by_ray = by_ray);
}

/// Leaves the hits' places in the list in l->order.
static tact_result sort_hits(tact_gpu_scene* s, uint32_t count, uint32_t rays, uint32_t instances)
{
    tact_ray_lists* l = &s->lists;
    if (!s->sort) tact_radix_sort_create(s->device, 0, &s->sort);
    tact_sort_job job = {.keys_in = l->keys,
                         .keys_out = l->keys,
                         .values_out = l->order,
                         .count = count,
                         .key_words = 2,
                         .key_bits = 32 + bits_of(instances)};
    make_keys(s, count, false);
    tact_radix_sort_run(s->sort, &job);
    make_keys(s, count, true);
    job.values_in = l->order;
    job.key_bits = 32 + bits_of(rays);
    return tact_radix_sort_run(s->sort, &job);
}

static tact_result take_hits(tact_gpu_scene* s, uint32_t count, uint32_t max_hits)
{
    const tact_ray_lists* l = &s->lists;
    return TACT_LAUNCH_ITEMS(s->device, raycast_take, count, .list = l->list, .order = l->order, .places = l->places,
                             .kept = l->kept, .hits = s->batch.hits, .count = count,
                             .max_hits = max_hits ? max_hits : UINT32_MAX);
}

/// Rays of a chunk, and what the first cast says of them.
typedef struct part {
    const tact_trace_all_job* job;
    size_t begin, count;
    uint32_t *counts, *places, *kept;  ///< a word a ray
    uint64_t found, left;              ///< hits, and those that are kept
} part;

/// Counts the hits of the chunk's rays.
static tact_result tally(tact_gpu_scene* s, part* p)
{
    tact_buffer_hold(s->device, &s->lists.places, p->count * sizeof(uint32_t));
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    tact_ray_cast cast = {
        .batch = &s->batch, .count = (uint32_t)p->count, .mode = TACT_RAY_MODE_TALLY, .hits = s->lists.places};
    tact_ray_cast_bring(&cast, p->job->rays, p->job->rules, p->begin);
    const tact_read counts = {s->lists.places, 0, p->count * sizeof(uint32_t), p->counts};
    tact_ray_cast_start(s, &cast);
    return tact_ray_cast_finish(s, &cast, &counts, 1);
}

/// Cuts the chunk so that its hits fit into one piece, and finds where each ray's begin.
static tact_result place(tact_gpu_scene* s, part* p)
{
    const uint32_t most = p->job->max_hits ? p->job->max_hits : UINT32_MAX;
    p->found = p->left = 0;
    for (size_t i = 0; i < p->count; ++i) {
        if (i > 0 && p->found + p->counts[i] > PIECE) {
            p->count = i;
            break;
        }
        if (p->counts[i] > MOST) {
            return TACT_DEVICE_FAIL(s->device, TACT_ERROR_LIMIT, "ray %zu has %u hits", p->begin + i, p->counts[i]);
        }
        p->places[i] = (uint32_t)p->found;
        p->kept[i] = (uint32_t)p->left;
        p->found += p->counts[i];
        p->left += p->counts[i] < most ? p->counts[i] : most;
    }
    return TACT_OK;
}

static void reserve_lists(tact_gpu_scene* s, const part* p)
{
    tact_ray_lists* l = &s->lists;
    tact_buffer_hold(s->device, &l->kept, p->count * sizeof(uint32_t));
    tact_buffer_hold(s->device, &l->list, p->found * LIST_WORDS * sizeof(uint32_t));
    tact_buffer_hold(s->device, &l->keys, p->found * 2 * sizeof(uint32_t));
    tact_buffer_hold(s->device, &l->order, p->found * sizeof(uint32_t));
    tact_buffer_hold(s->device, &s->batch.hits, p->left * sizeof(tact_hit));
    if (tact_device_result(s->device) != TACT_OK)
        tact_ray_batch_release(&s->batch);  // so that the next cast makes all of it again
}

/// Finds the hits themselves, as many as there is room for.
static tact_result list(tact_gpu_scene* s, const part* p, tact_hit* hits, size_t room)
{
    reserve_lists(s, p);
    tact_buffer_write(s->lists.places, 0, p->places, p->count * sizeof(uint32_t));
    tact_buffer_write(s->lists.kept, 0, p->kept, p->count * sizeof(uint32_t));
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    tact_ray_cast cast = {.batch = &s->batch,
                          .count = (uint32_t)p->count,
                          .mode = TACT_RAY_MODE_LIST,
                          .hits = s->lists.list,
                          .places = s->lists.places};
    tact_ray_cast_bring(&cast, NULL, p->job->rules, p->begin);
    tact_ray_cast_start(s, &cast);
    // What is sorted must be whole, so this is waited for by itself.
    tact_ray_cast_finish(s, &cast, NULL, 0);
    const uint32_t found = (uint32_t)p->found;
    const size_t instances = p->job->scene->by_id_count;
    sort_hits(s, found, (uint32_t)p->count, (uint32_t)instances);
    take_hits(s, found, p->job->max_hits);
    const size_t count = p->left < room ? (size_t)p->left : room;
    return tact_buffer_read(s->batch.hits, 0, hits, count * sizeof *hits);
}

static tact_result list_chunk(tact_gpu_scene* s, part* p, tact_trace_hits* out)
{
    tally(s, p);
    place(s, p);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    const uint64_t base = out->offsets[p->begin];
    for (size_t i = 0; i < p->count; ++i)
        out->offsets[p->begin + i] = base + p->kept[i];
    out->offsets[p->begin + p->count] = base + p->left;
    const size_t room = base < out->capacity ? out->capacity - (size_t)base : 0;
    return p->left && room ? list(s, p, out->hits + base, room) : TACT_OK;
}

static tact_result list_all(tact_gpu_scene* s, const tact_trace_all_job* job, tact_trace_hits* out,
                            tact_query_report* report)
{
    const double start = tact_device_milliseconds(s->device), read = tact_device_read_ms(s->device);
    tact_env* env = tact_device_env(s->device);
    const size_t chunk = tact_ray_batch_limit(s->device, job->count < CHUNK ? job->count : CHUNK);
    tact_gpu_scene_update(s, job->scene);
    tact_ray_batch_reserve(s, &s->batch, chunk);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    const double uploaded = tact_device_milliseconds(s->device);
    report->upload_ms = uploaded - start;
    uint32_t* words = tact_allocate(env, 3 * chunk, sizeof *words);
    if (!words) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t begin = 0; begin < job->count && tact_device_result(s->device) == TACT_OK;) {
        part p = {.job = job, .begin = begin, .counts = words, .places = words + chunk, .kept = words + 2 * chunk};
        p.count = job->count - begin < chunk ? job->count - begin : chunk;
        list_chunk(s, &p, out);
        begin += p.count;
        tact_gpu_goes_on(s->device, job->progress, job->progress_user, (double)begin / (double)job->count);
    }
    tact_release(env, words);
    report->download_ms = tact_device_read_ms(s->device) - read;
    report->query_ms = tact_device_milliseconds(s->device) - uploaded - report->download_ms;
    report->memory_bytes = tact_gpu_scene_bytes(s);
    return tact_device_result(s->device);
}

tact_result tact_gpu_raycast_all(tact_device* device, tact_gpu_scene** resident, const tact_trace_all_job* job,
                                 tact_trace_hits* out, tact_query_report* report)
{
    tact_result result = tact_gpu_scene_open(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    out->offsets[0] = 0;
    if (job->count > 0) result = list_all(*resident, job, out, report);
    tact_device_leave(device);
    return result;
}
