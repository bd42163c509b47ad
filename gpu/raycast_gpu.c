// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/raycast_gpu.h"

#include <string.h>

#include "core/platform.h"

enum {
    GROUP = 64,
    CHUNK = 1 << 20  // rays of one launch: enough to fill any GPU, short enough for a driver's watchdog
};

struct tact_gpu_scene {
    tact_device* device;
    uint64_t mesh_version, top_version;
    tact_buffer *top, *instances;    // change with top_version
    tact_buffer *nodes, *triangles;  // change with mesh_version
    tact_buffer *rays, *hits;        // of one chunk
    size_t ray_capacity;
};

static uint64_t bytes_of(const tact_gpu_scene* s)
{
    const tact_buffer* all[] = {s->top, s->instances, s->nodes, s->triangles, s->rays, s->hits};
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
    if (s->mesh_version != scene->mesh_version) {
        s->mesh_version = 0;  // until both are there
        result = upload(s, &s->nodes, "tree nodes", scene->nodes, scene->node_count, sizeof *scene->nodes);
        if (result != TACT_OK) return result;
        result =
            upload(s, &s->triangles, "triangles", scene->triangles, scene->triangle_count, sizeof *scene->triangles);
        if (result != TACT_OK) return result;
        s->mesh_version = scene->mesh_version;
    }
    if (s->top_version != scene->top_version) {
        s->top_version = 0;
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
    s->ray_capacity = 0;
    tact_result result = tact_buffer_create(s->device, count * sizeof(tact_ray), NULL, &s->rays);
    if (result == TACT_OK) result = tact_buffer_create(s->device, count * sizeof(tact_hit), NULL, &s->hits);
    if (result != TACT_OK) return tact_fail_within(tact_device_env(s->device), result, "room for %zu rays: ", count);
    s->ray_capacity = count;
    return TACT_OK;
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
    const tact_arg args[] = {
        tact_arg_buffer(s->top),        tact_arg_buffer(s->instances),      tact_arg_buffer(s->nodes),
        tact_arg_buffer(s->triangles),  tact_arg_buffer(s->rays),           tact_arg_buffer(s->hits),
        tact_arg_uint((uint32_t)count), tact_arg_uint((uint32_t)job->mode),
    };
    result = tact_device_launch(s->device, TACT_KERNEL_raycast, (uint32_t)((count + GROUP - 1) / GROUP), args,
                                sizeof args / sizeof args[0]);
    if (result == TACT_OK) result = tact_device_finish(s->device);
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
