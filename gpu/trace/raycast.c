// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/trace/raycast.h"

#include "base/platform.h"
#include "cpu_ref/trace/reorder.h"
#include "cpu_ref/trace/rules.h"
#include "gpu/trace/internal.h"

enum {
    CHUNK = 1 << 20,  // rays of one launch: enough to fill any GPU
    // Steps of one ray in one launch; ordinary rays need a hundred. All inner iterations together must stay below the
    // 65,535 after which llvmpipe leaves a shader's loops. A step opens a node, whose eight children are sorted as they
    // are put aside, or, in another lane of the same vector, tries the triangles of a leaf.
    STEPS = 1400,
    STEP_ITERATIONS = 1 + 8 + 28 + TACT_BVH8_INNER,
    SLOTS = 2048,       // unfinished rays that are carried from launch to launch at a time
    SLOT_WORDS = 1152,  // as SLOT, SLOT_STACK and STACK in kernels/raycast.kernel
    SLOT_STACK = 12,
    LONG_STACK = 562,
    PHASE_LONG = 1,
    PHASE_RESUME = 2
};

_Static_assert(STEPS* STEP_ITERATIONS < 65535, "llvmpipe would cut rays short");
_Static_assert(SLOT_STACK + 2 * (LONG_STACK + 1) <= SLOT_WORDS, "a slot must hold a whole stack");
// Under a mesh's own places lie what the top tree has put aside, one less than its stack when a leaf of it is taken
// off, and the way out of the mesh.
_Static_assert(TACT_BVH8_TOP_STACK - 1 + 1 + TACT_BVH8_STACK == LONG_STACK, "what the deepest trees need");

/// Where the masks of rays begin in the batch's rays, in rows: behind all rays there is room for.
static uint32_t masks_of(const tact_ray_batch* batch)
{
    return (uint32_t)(batch->capacity * (sizeof(tact_ray) / 16));
}

tact_result tact_ray_cast_bring(tact_ray_cast* cast, const tact_ray* rays, const tact_ray_rules* rules, size_t begin)
{
    cast->faces = tact_trace_faces(rules);
    cast->mask = tact_trace_mask(rules && !rules->masks ? rules : NULL, 0);
    cast->masks = rules && rules->masks;
    cast->ignore_alpha = rules && rules->ignore_alpha;
    tact_result result = TACT_OK;
    if (rays) result = tact_buffer_write(cast->batch->rays, 0, rays + begin, cast->count * sizeof *rays);
    if (result != TACT_OK || !cast->masks) return result;
    return tact_buffer_write(cast->batch->rays, (size_t)masks_of(cast->batch) * 16, rules->masks + begin,
                             cast->count * sizeof *rules->masks);
}

/// Where the alpha masks begin that a cast has to look at; 0: there are none.
static uint32_t alphas_of(const tact_gpu_scene* s, const tact_ray_cast* cast)
{
    return cast->ignore_alpha ? 0 : s->alpha_row;
}

static tact_kernel_id first_kernel(const tact_gpu_scene* s)
{
    return s->has_shapes ? TACT_KERNEL_raycast : TACT_KERNEL_raycast_triangles;
}

/// The first launch: the rays as they come, or as `order` has them, the ray of each item.
static tact_result launch_first(tact_gpu_scene* s, const tact_ray_cast* cast, tact_buffer* order)
{
    tact_buffer* places = order ? order : cast->places;
    const tact_raycast_args args = {
        .world = s->world,
        .nodes = s->nodes,
        .triangles = s->triangles,
        .rays = cast->batch->rays,
        .places = places ? places : s->nothing,
        .hits = cast->hits,
        .pending = cast->batch->pending,
        .item_count = cast->count,
        .mode = cast->mode,
        .instances = s->instance_row,
        .step_limit = STEPS,
        .ordered = order != NULL,
        .shapes = s->shape_row,
        .faces = cast->faces,
        .mask = cast->mask,
        .masks = cast->masks ? masks_of(cast->batch) : 0,
        .alphas = alphas_of(s, cast),
    };
    tact_buffer_fill(cast->batch->pending, 0, sizeof(uint32_t), 0);
    // The kernel for triangles alone has the same list.
    return tact_device_launch_items(s->device, first_kernel(s), cast->count, &args, sizeof args);
}

tact_result tact_ray_cast_prepare(const tact_gpu_scene* s, const tact_ray_cast* cast)
{
    const tact_result result = tact_ray_order_fits(s, cast) ? tact_ray_order_prepare(s) : TACT_OK;
    if (result != TACT_OK) return result;
    return tact_device_prepare(s->device, first_kernel(s));
}

tact_result tact_ray_cast_start(tact_gpu_scene* s, const tact_ray_cast* cast)
{
    tact_buffer* order = NULL;
    const tact_result result = tact_ray_order_fits(s, cast) ? tact_ray_order_make(s, cast, &order) : TACT_OK;
    return result == TACT_OK ? launch_first(s, cast, order) : result;
}

/// One launch over `items` of the unfinished rays, after which *unfinished are so still.
static tact_result launch_long(tact_gpu_scene* s, const tact_ray_cast* cast, uint32_t phase, uint32_t first,
                               uint32_t items, uint32_t* unfinished)
{
    tact_buffer* pending = cast->batch->pending;
    tact_result result = tact_buffer_fill(pending, 0, sizeof *unfinished, 0);
    if (result == TACT_OK) {
        result = TACT_LAUNCH_ITEMS(
            s->device, raycast_long, items, .world = s->world, .nodes = s->nodes, .triangles = s->triangles,
            .rays = cast->batch->rays, .places = cast->places ? cast->places : s->nothing, .hits = cast->hits,
            .pending = pending, .states = s->states, .item_count = items, .mode = cast->mode,
            .instances = s->instance_row, .step_limit = STEPS, .ordered = 0, .shapes = s->shape_row,
            .faces = cast->faces, .mask = cast->mask, .masks = cast->masks ? masks_of(cast->batch) : 0,
            .alphas = alphas_of(s, cast), .phase = phase, .first = first);
    }
    if (result == TACT_OK) result = tact_buffer_read(pending, 0, unfinished, sizeof *unfinished);
    return result;
}

tact_result tact_ray_cast_finish(tact_gpu_scene* s, const tact_ray_cast* cast)
{
    uint32_t count = 0;
    tact_result result = tact_buffer_read(cast->batch->pending, 0, &count, sizeof count);
    if (result != TACT_OK || count == 0) return result;
    if (!s->states) {
        result = tact_buffer_create(s->device, (size_t)SLOTS * SLOT_WORDS * sizeof(uint32_t), NULL, &s->states);
        if (result != TACT_OK) {
            return tact_fail_within(tact_device_env(s->device), result, "room for long rays: ");
        }
    }
    for (uint32_t first = 0; first < count && result == TACT_OK; first += SLOTS) {
        const uint32_t items = count - first < SLOTS ? count - first : SLOTS;
        uint32_t unfinished = 0;
        result = launch_long(s, cast, PHASE_LONG, first, items, &unfinished);
        while (result == TACT_OK && unfinished > 0)
            result = launch_long(s, cast, PHASE_RESUME, 0, items, &unfinished);
    }
    return result;
}

static tact_result cast_chunk(tact_gpu_scene* s, const tact_trace_job* job, size_t begin, size_t count, bool sorted,
                              tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    tact_ray_cast cast = {.batch = &s->batch,
                          .count = (uint32_t)count,
                          .mode = (uint32_t)job->mode,
                          .hits = s->batch.hits,
                          .sorted = sorted};
    tact_result result = tact_ray_cast_bring(&cast, job->rays, job->rules, begin);
    if (result == TACT_OK) result = tact_device_finish(s->device);
    if (result != TACT_OK) return result;
    const double uploaded = tact_platform_milliseconds();
    result = tact_ray_cast_start(s, &cast);
    if (result == TACT_OK) result = tact_ray_cast_finish(s, &cast);
    if (result != TACT_OK) return result;
    const double done = tact_platform_milliseconds();
    result = tact_buffer_read(s->batch.hits, 0, job->hits + begin, count * sizeof(tact_hit));
    report->upload_ms += uploaded - start;
    report->query_ms += done - uploaded;
    report->download_ms += tact_platform_milliseconds() - done;
    return result;
}

static tact_result cast_all(tact_gpu_scene* s, const tact_trace_job* job, tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    const size_t chunk = tact_ray_batch_limit(s->device, job->count < CHUNK ? job->count : CHUNK);
    tact_result result = tact_gpu_scene_update(s, job->scene);
    if (result == TACT_OK) result = tact_ray_batch_reserve(s, &s->batch, chunk);
    if (result == TACT_OK) result = tact_device_finish(s->device);
    if (result != TACT_OK) return result;
    const double uploaded = tact_platform_milliseconds();
    report->upload_ms = uploaded - start;
    // Once for all chunks: those that begin within a row of a picture do not look like one.
    const bool incoherent = tact_reorder_find_rows(job->rays, chunk) == 0;
    const bool sorted = tact_ray_order_wanted(s, job->sort, chunk, incoherent);
    const tact_ray_cast first = {
        .batch = &s->batch, .count = (uint32_t)chunk, .mode = (uint32_t)job->mode, .sorted = sorted};
    result = tact_ray_cast_prepare(s, &first);
    report->build_ms = tact_platform_milliseconds() - uploaded;
    for (size_t begin = 0; begin < job->count && result == TACT_OK; begin += chunk) {
        const size_t count = job->count - begin < chunk ? job->count - begin : chunk;
        result = cast_chunk(s, job, begin, count, sorted, report);
        if (result != TACT_OK) break;
        const double done = (double)(begin + count) / (double)job->count;
        if (job->progress && !job->progress(done, job->progress_user)) {
            result = tact_fail(tact_device_env(s->device), TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    report->memory_bytes = tact_gpu_scene_bytes(s);
    return result;
}

tact_result tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                             tact_query_report* report)
{
    tact_result result = tact_gpu_scene_open(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->count > 0) result = cast_all(*resident, job, report);
    tact_device_leave(device);
    return result;
}
