// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/trace/near.h"

#include <string.h>

#include "base/platform.h"
#include "gpu/trace/internal.h"

enum {
    CHUNK = 1 << 20,  // queries of one launch
    // Steps of one query in one launch. All inner iterations together must stay below the 65,535 after which llvmpipe
    // leaves a shader's loops: a step opens a node, whose eight children are sorted, or, in another lane of the same
    // vector, tries the triangles of a leaf.
    STEPS = 1400,
    STEP_ITERATIONS = 1 + 2 * TACT_BVH8_WIDTH + 28,
    SLOTS = 4096,  // unfinished queries that are carried from launch to launch at a time
    // As LEVELS, SLOT and SLOT_LEVELS in kernels/closest_points.kernel.
    LEVELS = 84,
    SLOT_WORDS = 180,
    SLOT_LEVELS = 12,
    KIND_SHIFT = 30,  // as NEAR_KIND_SHIFT there; nodes have fewer bits on any device (gpu/trace/scene.c)
    PHASE_FIRST = 0,
    PHASE_LONG = 1,
    PHASE_RESUME = 2
};

_Static_assert(STEPS* STEP_ITERATIONS + 2 * LEVELS < 65535, "llvmpipe would cut queries short");
_Static_assert((int)TACT_BVH8_MAX_DEPTH + (int)TACT_BVH8_MAX_TOP_DEPTH + 2 <= LEVELS, "no tree may be deeper");
_Static_assert(SLOT_LEVELS + 2 * LEVELS <= SLOT_WORDS, "a slot must hold all open nodes");

/// An instance as the kernels read it; five rows, as many as a node.
typedef struct near_instance {
    float matrix[12];
    float lower[3];
    uint32_t root;  ///< and in the upper two bits the kind
    float upper[3];
    uint32_t id;
} near_instance;

_Static_assert(sizeof(near_instance) == 80, "the kernels read instances of 80 bytes");

struct tact_gpu_near {
    tact_device* device;
    uint64_t top_version;
    tact_buffer* world;  // top nodes, then instances; changes with top_version
    tact_buffer *queries, *hits, *pending, *states;
    uint32_t instance_row;
    const tact_gpu_scene* scene;  // during a run: what ray casts keep too, nodes and triangles
};

static void drop(tact_buffer** buffer)
{
    tact_buffer_destroy(*buffer);
    *buffer = NULL;
}

static uint64_t bytes_of(const tact_gpu_near* s)
{
    const tact_buffer* all[] = {s->world, s->queries, s->hits, s->pending, s->states};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sum += all[i] ? tact_buffer_size(all[i]) : 0;
    return sum;
}

void tact_gpu_near_release(void* resident)
{
    tact_gpu_near* s = resident;
    if (!s) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(s->device) == TACT_OK;
    drop(&s->world);
    drop(&s->queries);
    drop(&s->hits);
    drop(&s->pending);
    drop(&s->states);
    if (entered) tact_device_leave(s->device);
    tact_release(tact_device_env(s->device), s);
}

static tact_result update_world(tact_gpu_near* s, const tact_trace_scene* scene)
{
    s->top_version = UINT64_MAX;
    tact_env* env = tact_device_env(s->device);
    near_instance* placed = tact_allocate(env, scene->instance_count, sizeof *placed);
    if (!placed) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < scene->instance_count; ++i) {
        const tact_trace_instance* from = &scene->instances[i];
        memcpy(placed[i].matrix, scene->matrices[from->id], sizeof placed[i].matrix);
        memcpy(placed[i].lower, from->lower, sizeof placed[i].lower);
        memcpy(placed[i].upper, from->upper, sizeof placed[i].upper);
        placed[i].root = from->wide_root | from->kind << KIND_SHIFT;
        placed[i].id = from->id;
    }
    const size_t top = scene->wide_top_count * sizeof *scene->wide_top;
    const size_t instances = scene->instance_count * sizeof *placed;
    drop(&s->world);
    tact_result result = tact_buffer_create(s->device, top + instances, NULL, &s->world);
    if (result == TACT_OK) result = tact_buffer_write(s->world, 0, scene->wide_top, top);
    if (result == TACT_OK && instances > 0) result = tact_buffer_write(s->world, top, placed, instances);
    tact_release(env, placed);
    if (result != TACT_OK) return tact_fail_within(env, result, "uploading %zu instances: ", scene->instance_count);
    s->instance_row = (uint32_t)(top / 16);
    s->top_version = scene->top_version;
    return TACT_OK;
}

static tact_result reserve(tact_gpu_near* s, const tact_gpu_near_job* job, size_t count)
{
    tact_result result = tact_buffer_hold(s->device, &s->queries, count * job->query_bytes);
    if (result == TACT_OK) result = tact_buffer_hold(s->device, &s->hits, count * job->hit_bytes);
    if (result == TACT_OK) result = tact_buffer_hold(s->device, &s->pending, (count + 1) * sizeof(uint32_t));
    if (result == TACT_OK && !s->states) result = tact_buffer_create(s->device, 0, NULL, &s->states);
    if (result == TACT_OK) return result;
    return tact_fail_within(tact_device_env(s->device), result, "room for %zu %s: ", count, job->what);
}

/// One launch over `items`, after which *pending queries are unfinished.
static tact_result launch(tact_gpu_near* s, const tact_gpu_near_job* job, uint32_t phase, uint32_t first,
                          uint32_t items, uint32_t* pending)
{
    const tact_closest_points_args args = {
        .world = s->world,
        .nodes = s->scene->nodes,
        .triangles = s->scene->triangles,
        .queries = s->queries,
        .hits = s->hits,
        .pending = s->pending,
        .states = s->states,
        .item_count = items,
        .instances = s->instance_row,
        .phase = phase,
        .first = first,
        .step_limit = STEPS,
        .shapes = s->scene->shape_row,
    };
    tact_buffer_fill(s->pending, 0, sizeof *pending, 0);
    // Sphere casts have the same list.
    tact_device_launch_items(s->device, job->kernel, items, &args, sizeof args);
    return tact_buffer_read(s->pending, 0, pending, sizeof *pending);
}

/// The queries that the first launch left unfinished.
static tact_result finish_long(tact_gpu_near* s, const tact_gpu_near_job* job, uint32_t count)
{
    tact_result result = tact_buffer_hold(s->device, &s->states, (uint64_t)SLOTS * SLOT_WORDS * sizeof(uint32_t));
    if (result != TACT_OK) {
        return tact_fail_within(tact_device_env(s->device), result, "room for long searches: ");
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

static size_t chunk_size(const tact_device* device, const tact_gpu_near_job* job)
{
    const size_t widest = job->query_bytes > job->hit_bytes ? job->query_bytes : job->hit_bytes;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / widest;
    const size_t chunk = job->batch.count < CHUNK ? job->batch.count : CHUNK;
    return most > 0 && chunk > most ? (size_t)most : chunk;
}

static tact_result run_chunk(tact_gpu_near* s, const tact_gpu_near_job* job, size_t begin, size_t count,
                             tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    const char* queries = job->queries;
    char* hits = job->hits;
    tact_result result = tact_buffer_write(s->queries, 0, queries + begin * job->query_bytes, count * job->query_bytes);
    if (result == TACT_OK) result = tact_device_finish(s->device);
    if (result != TACT_OK) return result;
    const double uploaded = tact_platform_milliseconds();
    uint32_t unfinished = 0;
    result = launch(s, job, PHASE_FIRST, 0, (uint32_t)count, &unfinished);
    if (result == TACT_OK && unfinished > 0) result = finish_long(s, job, unfinished);
    if (result != TACT_OK) return result;
    const double answered = tact_platform_milliseconds();
    result = tact_buffer_read(s->hits, 0, hits + begin * job->hit_bytes, count * job->hit_bytes);
    report->upload_ms += uploaded - start;
    report->query_ms += answered - uploaded;
    report->download_ms += tact_platform_milliseconds() - answered;
    return result;
}

static tact_result run_all(tact_gpu_near* s, tact_gpu_scene* scene, const tact_gpu_near_job* job,
                           tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    tact_result result = tact_device_prepare(s->device, job->kernel);
    if (result != TACT_OK) return result;
    const double built = tact_platform_milliseconds();
    report->build_ms = built - start;
    const size_t chunk = chunk_size(s->device, job);
    s->scene = scene;
    result = tact_gpu_scene_update(scene, job->scene);
    if (result == TACT_OK && (!s->world || s->top_version != job->scene->top_version)) {
        result = update_world(s, job->scene);
    }
    if (result == TACT_OK) result = reserve(s, job, chunk);
    if (result == TACT_OK) result = tact_device_finish(s->device);
    report->upload_ms = tact_platform_milliseconds() - built;
    const size_t all = job->batch.count;
    for (size_t begin = 0; begin < all && result == TACT_OK; begin += chunk) {
        const size_t count = all - begin < chunk ? all - begin : chunk;
        result = run_chunk(s, job, begin, count, report);
        if (result != TACT_OK) break;
        const double done = (double)(begin + count) / (double)all;
        if (job->batch.progress && !job->batch.progress(done, job->batch.progress_user)) {
            result = tact_fail(tact_device_env(s->device), TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    report->memory_bytes = bytes_of(s) + tact_gpu_scene_bytes(scene);
    return result;
}

tact_result tact_gpu_near_run(tact_device* device, tact_gpu_near** resident, tact_gpu_scene** scene,
                              const tact_gpu_near_job* job, tact_query_report* report)
{
    if (!*resident) {
        *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
        if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
        (*resident)->device = device;
    }
    tact_result result = tact_gpu_scene_open(device, scene);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->batch.count > 0) result = run_all(*resident, *scene, job, report);
    tact_device_leave(device);
    return result;
}
