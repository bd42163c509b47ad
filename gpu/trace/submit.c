// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts that are on their way. Each has rays and hits of its own; the first launch is given at once, and a fence behind
// it. Rays that it leaves unfinished are finished when the cast is collected, or before the scene on the device
// changes, since they are cast against the scene as it was.
#include "cpu_ref/trace/batch.h"
#include "gpu/device_array.h"
#include "gpu/trace/internal.h"

struct tact_gpu_cast {
    tact_gpu_scene* scene;
    tact_gpu_cast* next;
    tact_ray_batch batch;
    tact_fence* fence;
    uint32_t count, mode;
    bool sorted;         ///< as in tact_ray_cast
    bool settled;        ///< no ray is unfinished
    tact_result failed;  ///< when settling it did
    tact_hit* hits;
    tact_device_array array;  ///< where the hits go when `hits` is NULL
};

static tact_ray_cast cast_of(tact_gpu_cast* c)
{
    tact_ray_cast cast = {.batch = &c->batch, .count = c->count, .mode = c->mode, .hits = c->batch.hits};
    tact_ray_cast_bring(&cast, NULL, NULL, 0);
    cast.sorted = c->sorted;
    return cast;
}

/// Waits, finishes rays that are left, and reads `hits` unless they are NULL.
static tact_result settle(tact_gpu_cast* c, tact_hit* hits)
{
    const tact_read read = {c->batch.hits, 0, c->count * sizeof *hits, hits};
    if (c->settled) return c->failed != TACT_OK || !hits ? c->failed : tact_device_read(c->scene->device, &read, 1);
    const tact_ray_cast cast = cast_of(c);
    c->settled = true;
    c->failed = tact_ray_cast_finish(c->scene, &cast, &read, hits != NULL);
    return c->failed;
}

void tact_gpu_casts_settle(tact_gpu_scene* s)
{
    // A failure is that of the cast that is collected, not of this query.
    for (tact_gpu_cast* c = s->casts; c; c = c->next)
        if (settle(c, NULL) != TACT_OK) tact_device_forgive(s->device);
}

/// The larger one of the buffers that are free now is kept for the next cast.
static void take_back(tact_gpu_scene* s, tact_ray_batch* batch)
{
    if (batch->capacity > s->spare.capacity) {
        const tact_ray_batch other = s->spare;
        s->spare = *batch;
        *batch = other;
    }
    tact_ray_batch_release(batch);
}

static void release(tact_gpu_cast* c)
{
    tact_gpu_cast** link = &c->scene->casts;
    while (*link && *link != c)
        link = &(*link)->next;
    if (*link) *link = c->next;
    if (c->fence) tact_fence_destroy(c->fence);
    take_back(c->scene, &c->batch);
    tact_release(tact_device_env(c->scene->device), c);
}

static tact_result bring_rays(tact_gpu_cast* c, const tact_gpu_cast_job* job)
{
    const size_t bytes = job->count * sizeof(tact_ray);
    // The caller may change its rays when the call returns, before which nothing is waited for.
    if (!job->ray_array) return tact_buffer_write_copied(c->batch.rays, 0, job->rays, bytes);
    tact_buffer* callers = NULL;
    tact_device_array_open(c->scene->device, job->ray_array, bytes, &callers);
    tact_buffer_copy(c->batch.rays, 0, callers, (size_t)job->ray_array->offset, bytes);
    tact_buffer_destroy(callers);
    return tact_device_result(c->scene->device);
}

static tact_result start(tact_gpu_cast* c, const tact_gpu_cast_job* job, tact_query_report* report)
{
    tact_gpu_scene* s = c->scene;
    tact_gpu_scene_update(s, job->scene);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    if (s->spare.capacity >= job->count) {
        c->batch = s->spare;
        s->spare = (tact_ray_batch){0};
    }
    tact_ray_batch_reserve(s, &c->batch, job->count);
    bring_rays(c, job);
    // Of rays that lie on the device nothing is known; who wrote them there can say that they are to be sorted.
    const bool incoherent = !job->ray_array && tact_reorder_find_rows(job->rays, job->count) == 0;
    c->sorted = tact_ray_order_wanted(s, job->sort, job->count, incoherent);
    const tact_ray_cast cast = cast_of(c);
    const double begin = tact_device_milliseconds(s->device);
    tact_ray_cast_prepare(s, &cast);
    report->build_ms = tact_device_milliseconds(s->device) - begin;
    tact_ray_cast_start(s, &cast);
    return tact_fence_create(s->device, &c->fence);
}

static tact_result submit(tact_gpu_scene* s, const tact_gpu_cast_job* job, tact_query_report* report,
                          tact_gpu_cast** made)
{
    tact_env* env = tact_device_env(s->device);
    if (tact_ray_batch_limit(s->device, job->count) < job->count) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu rays are more than a buffer of the device can hold", job->count);
    }
    tact_gpu_cast* c = tact_allocate_zeroed(env, 1, sizeof *c);
    if (!c) return TACT_ERROR_OUT_OF_MEMORY;
    c->scene = s;
    c->count = (uint32_t)job->count;
    c->mode = (uint32_t)job->mode;
    c->hits = job->hits;
    if (job->hit_array) c->array = *job->hit_array;
    const tact_result result = start(c, job, report);
    if (result != TACT_OK) {
        release(c);
        return result;
    }
    c->next = s->casts;
    s->casts = c;
    *made = c;
    return TACT_OK;
}

tact_result tact_gpu_cast_submit(tact_device* device, tact_gpu_scene** resident, const tact_gpu_cast_job* job,
                                 tact_query_report* report, tact_gpu_cast** cast)
{
    *cast = NULL;
    tact_result result = tact_gpu_scene_open(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    const double begin = tact_device_milliseconds(device);
    result = submit(*resident, job, report, cast);
    report->upload_ms = tact_device_milliseconds(device) - begin - report->build_ms;
    report->memory_bytes = tact_gpu_scene_bytes(*resident);
    for (const tact_gpu_cast* c = (*resident)->casts; c; c = c->next)
        report->memory_bytes += c->batch.capacity * (sizeof(tact_ray) + sizeof(tact_hit) + sizeof(uint32_t));
    tact_device_leave(device);
    return result;
}

tact_result tact_gpu_cast_poll(tact_gpu_cast* cast, bool* done)
{
    tact_device* device = cast->scene->device;
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    result = tact_fence_poll(cast->fence, done);
    tact_device_leave(device);
    return result;
}

/// Copies the hits to the caller's array on the device.
static tact_result copy_hits(tact_gpu_cast* c)
{
    const size_t bytes = c->count * sizeof(tact_hit);
    tact_buffer* callers = NULL;
    tact_device_array_open(c->scene->device, &c->array, bytes, &callers);
    tact_buffer_copy(callers, (size_t)c->array.offset, c->batch.hits, 0, bytes);
    tact_buffer_destroy(callers);
    return tact_device_result(c->scene->device);
}

tact_result tact_gpu_cast_collect(tact_gpu_cast* cast, tact_query_report* report)
{
    tact_device* device = cast->scene->device;
    const tact_result entered = tact_device_enter(device);
    tact_result result = entered;
    const double read = tact_device_read_ms(device);
    if (result == TACT_OK) result = settle(cast, cast->hits);
    if (result == TACT_OK && !cast->hits) result = copy_hits(cast);
    report->download_ms = tact_device_read_ms(device) - read;
    release(cast);
    if (entered == TACT_OK) tact_device_leave(device);
    return result;
}

void tact_gpu_cast_forget(tact_gpu_cast* cast)
{
    // Even a device that is lost must let go of what it holds.
    tact_device* device = cast->scene->device;
    const bool entered = tact_device_enter(device) == TACT_OK;
    release(cast);
    if (entered) tact_device_leave(device);
}
