// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/raycast_gpu.h"

#include <string.h>

#include "core/platform.h"

enum {
    GROUP = 64,
    CHUNK = 1 << 20,  // rays of one launch: enough to fill any GPU
    // Steps of one ray in one launch. Ordinary rays need a few hundred. A step has at most TACT_BVH_MAX_LEAF inner
    // iterations; all together must stay below the 65,535 after which llvmpipe leaves a shader's loops.
    STEPS = 5000,
    SLOTS = 4096,      // unfinished rays that are carried from launch to launch at a time
    SLOT_WORDS = 264,  // as SLOT in kernels/raycast.kernel
    PHASE_FIRST = 0,
    PHASE_LONG = 1,
    PHASE_RESUME = 2
};

_Static_assert(STEPS*(TACT_BVH_MAX_LEAF + 2) + 2 * TACT_BVH_STACK < 65535, "llvmpipe would cut rays short");
_Static_assert(12 + 3 * TACT_BVH_STACK <= SLOT_WORDS, "a slot must hold a whole stack");

struct tact_gpu_scene {
    tact_device* device;
    uint64_t mesh_version, top_version;
    tact_buffer *top, *instances;    // change with top_version
    tact_buffer *nodes, *triangles;  // change with mesh_version
    tact_buffer *rays, *hits;        // of one chunk
    tact_buffer *pending, *states;   // of its rays that take many steps
    size_t ray_capacity;
    bool has_slots;
};

static uint64_t bytes_of(const tact_gpu_scene* s)
{
    const tact_buffer* all[] = {s->top, s->instances, s->nodes, s->triangles, s->rays, s->hits, s->pending, s->states};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sum += all[i] ? tact_buffer_size(all[i]) : 0;
    return sum;
}

static void drop(tact_buffer** buffer)
{
    tact_buffer_destroy(*buffer);
    *buffer = NULL;
}

static void release_buffers(tact_gpu_scene* s)
{
    drop(&s->top);
    drop(&s->instances);
    drop(&s->nodes);
    drop(&s->triangles);
    drop(&s->rays);
    drop(&s->hits);
    drop(&s->pending);
    drop(&s->states);
}

void tact_gpu_scene_release(void* resident)
{
    tact_gpu_scene* s = resident;
    if (!s) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(s->device) == TACT_OK;
    release_buffers(s);
    if (entered) tact_device_leave(s->device);
    tact_release(tact_device_env(s->device), s);
}

static tact_result upload(tact_gpu_scene* s, tact_buffer** buffer, const char* what, const void* data, size_t count,
                          size_t size)
{
    drop(buffer);
    const tact_result result = tact_buffer_create(s->device, count * size, count ? data : NULL, buffer);
    if (result == TACT_OK) return result;
    return tact_fail_within(tact_device_env(s->device), result, "uploading %zu %s: ", count, what);
}

static tact_result update(tact_gpu_scene* s, const tact_trace_scene* scene)
{
    tact_result result = TACT_OK;
    if (!s->nodes || !s->triangles || s->mesh_version != scene->mesh_version) {
        s->mesh_version = UINT64_MAX;  // until both are there
        result = upload(s, &s->nodes, "tree nodes", scene->nodes, scene->node_count, sizeof *scene->nodes);
        if (result != TACT_OK) return result;
        result =
            upload(s, &s->triangles, "triangles", scene->triangles, scene->triangle_count, sizeof *scene->triangles);
        if (result != TACT_OK) return result;
        s->mesh_version = scene->mesh_version;
    }
    if (!s->top || !s->instances || s->top_version != scene->top_version) {
        s->top_version = UINT64_MAX;
        result = upload(s, &s->top, "instance tree nodes", scene->top, scene->top_count, sizeof *scene->top);
        if (result != TACT_OK) return result;
        result =
            upload(s, &s->instances, "instances", scene->instances, scene->instance_count, sizeof *scene->instances);
        if (result != TACT_OK) return result;
        s->top_version = scene->top_version;
    }
    return result;
}

/// Room for the rays and hits of a chunk.
static tact_result reserve_rays(tact_gpu_scene* s, size_t count)
{
    if (count <= s->ray_capacity) return TACT_OK;
    drop(&s->rays);
    drop(&s->hits);
    drop(&s->pending);
    drop(&s->states);
    s->ray_capacity = 0;
    s->has_slots = false;
    tact_result result = tact_buffer_create(s->device, count * sizeof(tact_ray), NULL, &s->rays);
    if (result == TACT_OK) result = tact_buffer_create(s->device, count * sizeof(tact_hit), NULL, &s->hits);
    if (result == TACT_OK) result = tact_buffer_create(s->device, (count + 1) * sizeof(uint32_t), NULL, &s->pending);
    if (result == TACT_OK) result = tact_buffer_create(s->device, 0, NULL, &s->states);  // until it is needed
    if (result != TACT_OK) return tact_fail_within(tact_device_env(s->device), result, "room for %zu rays: ", count);
    s->ray_capacity = count;
    return TACT_OK;
}

/// One launch over `items`, after which *pending rays are unfinished.
static tact_result launch(tact_gpu_scene* s, const tact_trace_job* job, uint32_t phase, uint32_t first, uint32_t items,
                          uint32_t* pending)
{
    const tact_arg args[] = {
        tact_arg_buffer(s->top),     tact_arg_buffer(s->instances),
        tact_arg_buffer(s->nodes),   tact_arg_buffer(s->triangles),
        tact_arg_buffer(s->rays),    tact_arg_buffer(s->hits),
        tact_arg_buffer(s->pending), tact_arg_buffer(s->states),
        tact_arg_uint(items),        tact_arg_uint((uint32_t)job->mode),
        tact_arg_uint(phase),        tact_arg_uint(first),
        tact_arg_uint(STEPS),
    };
    tact_result result = tact_buffer_fill(s->pending, 0, sizeof *pending, 0);
    if (result == TACT_OK) {
        result = tact_device_launch(s->device, TACT_KERNEL_raycast, (items + GROUP - 1) / GROUP, args,
                                    sizeof args / sizeof args[0]);
    }
    if (result == TACT_OK) result = tact_buffer_read(s->pending, 0, pending, sizeof *pending);
    return result;
}

/// The rays that the first launch left unfinished.
static tact_result finish_long_rays(tact_gpu_scene* s, const tact_trace_job* job, uint32_t count)
{
    tact_result result = TACT_OK;
    if (!s->has_slots) {
        drop(&s->states);
        result = tact_buffer_create(s->device, (size_t)SLOTS * SLOT_WORDS * sizeof(uint32_t), NULL, &s->states);
        if (result != TACT_OK) {
            s->ray_capacity = 0;  // so that the next cast makes all of them again
            return tact_fail_within(tact_device_env(s->device), result, "room for long rays: ");
        }
        s->has_slots = true;
    }
    for (uint32_t first = 0; first < count && result == TACT_OK; first += SLOTS) {
        const uint32_t items = count - first < SLOTS ? count - first : SLOTS;
        uint32_t unfinished = 0;
        result = launch(s, job, PHASE_LONG, first, items, &unfinished);
        while (result == TACT_OK && unfinished > 0)
            result = launch(s, job, PHASE_RESUME, 0, items, &unfinished);
    }
    return result;
}

static size_t chunk_size(const tact_device* device, size_t count)
{
    size_t chunk = count < CHUNK ? count : CHUNK;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / sizeof(tact_ray);
    if (most > 0 && chunk > most) chunk = (size_t)most;
    return chunk;
}

static tact_result cast_chunk(tact_gpu_scene* s, const tact_trace_job* job, size_t begin, size_t count,
                              tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    tact_result result = tact_buffer_write(s->rays, 0, job->rays + begin, count * sizeof(tact_ray));
    if (result == TACT_OK) result = tact_device_finish(s->device);
    if (result != TACT_OK) return result;
    const double uploaded = tact_platform_milliseconds();
    uint32_t unfinished = 0;
    result = launch(s, job, PHASE_FIRST, 0, (uint32_t)count, &unfinished);
    if (result == TACT_OK && unfinished > 0) result = finish_long_rays(s, job, unfinished);
    if (result != TACT_OK) return result;
    const double cast = tact_platform_milliseconds();
    result = tact_buffer_read(s->hits, 0, job->hits + begin, count * sizeof(tact_hit));
    report->upload_ms += uploaded - start;
    report->query_ms += cast - uploaded;
    report->download_ms += tact_platform_milliseconds() - cast;
    return result;
}

static tact_result cast_all(tact_gpu_scene* s, const tact_trace_job* job, tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    tact_result result = tact_device_prepare(s->device, TACT_KERNEL_raycast);
    if (result != TACT_OK) return result;
    const double built = tact_platform_milliseconds();
    report->build_ms = built - start;
    const size_t chunk = chunk_size(s->device, job->count);
    result = update(s, job->scene);
    if (result == TACT_OK) result = reserve_rays(s, chunk);
    if (result == TACT_OK) result = tact_device_finish(s->device);
    report->upload_ms = tact_platform_milliseconds() - built;
    for (size_t begin = 0; begin < job->count && result == TACT_OK; begin += chunk) {
        const size_t count = job->count - begin < chunk ? job->count - begin : chunk;
        result = cast_chunk(s, job, begin, count, report);
        if (result != TACT_OK) break;
        const double done = (double)(begin + count) / (double)job->count;
        if (job->progress && !job->progress(done, job->progress_user)) {
            result = tact_fail(tact_device_env(s->device), TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    report->memory_bytes = bytes_of(s);
    return result;
}

tact_result tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                             tact_query_report* report)
{
    if (!*resident) {
        *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
        if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
        (*resident)->device = device;
    }
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->count > 0) result = cast_all(*resident, job, report);
    tact_device_leave(device);
    return result;
}
