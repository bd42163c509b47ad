// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/trace/raycast.h"

#include "cpu_ref/trace/batch.h"
#include "cpu_ref/trace/rules.h"
#include "gpu/chunks.h"
#include "gpu/trace/internal.h"
#include "kernels/raycast_layout.h"

enum {
    CHUNK = 1 << 20,  // rays of one launch: enough to fill any GPU
    // Steps of one ray in one launch; ordinary rays need a hundred. All inner iterations together must stay below the
    // 65,535 after which llvmpipe leaves a shader's loops. A step opens a node, whose eight children are sorted as they
    // are put aside, or, in another lane of the same vector, tries the triangles of a leaf.
    STEPS = 1400,
    STEP_ITERATIONS = 1 + 8 + 28 + TACT_BVH8_INNER,
    SLOTS = 2048  // unfinished rays that are carried from launch to launch at a time
};

_Static_assert(STEPS* STEP_ITERATIONS < 65535, "llvmpipe would cut rays short");
_Static_assert(TACT_RAY_SLOT_STACK + 2 * (TACT_RAY_STACK + 1) <= TACT_RAY_SLOT, "a slot must hold a whole stack");
// Under a mesh's own places lie what the top tree has put aside, one less than its stack when a leaf of it is taken
// off, and the way out of the mesh.
_Static_assert(TACT_BVH8_TOP_STACK - 1 + 1 + TACT_BVH8_STACK == (int)TACT_RAY_STACK, "what the deepest trees need");

/// Where the masks of rays begin in the batch's rays, in rows: behind all rays there is room for.
static uint32_t masks_of(const tact_ray_batch* batch)
{
    return (uint32_t)(batch->capacity * (sizeof(tact_ray) / 16));
}

void tact_ray_cast_bring(tact_ray_cast* cast, const tact_ray* rays, const tact_ray_rules* rules, size_t begin)
{
    cast->faces = tact_trace_faces(rules);
    cast->mask = tact_trace_mask(rules && !rules->masks ? rules : NULL, 0);
    cast->masks = rules && rules->masks;
    cast->ignore_alpha = rules && rules->ignore_alpha;
    if (rays) tact_buffer_write(cast->batch->rays, 0, rays + begin, cast->count * sizeof *rays);
    if (cast->masks) {
        tact_buffer_write(cast->batch->rays, (size_t)masks_of(cast->batch) * 16, rules->masks + begin,
                          cast->count * sizeof *rules->masks);
    }
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

/// Bytes of flags, a bit a ray.
static size_t flag_bytes(size_t rays)
{
    return (rays + 31) / 32 * sizeof(uint32_t);
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
    if (cast->mode == TACT_RAY_MODE_FLAGS) tact_buffer_fill(cast->hits, 0, flag_bytes(cast->count), 0);
    // The kernel for triangles alone has the same list.
    return tact_device_launch_items(s->device, first_kernel(s), cast->count, &args, sizeof args);
}

tact_result tact_ray_cast_prepare(const tact_gpu_scene* s, const tact_ray_cast* cast)
{
    if (tact_ray_order_fits(s, cast)) tact_ray_order_prepare(s);
    return tact_device_prepare(s->device, first_kernel(s));
}

tact_result tact_ray_cast_start(tact_gpu_scene* s, const tact_ray_cast* cast)
{
    tact_buffer* order = NULL;
    if (tact_ray_order_fits(s, cast)) tact_ray_order_make(s, cast, &order);
    return launch_first(s, cast, order);
}

/// One launch over `items` of the unfinished rays, after which *unfinished are so still.
static tact_result launch_long(tact_gpu_scene* s, const tact_ray_cast* cast, uint32_t phase, uint32_t first,
                               uint32_t items, uint32_t* unfinished)
{
    tact_buffer* pending = cast->batch->pending;
    tact_buffer_fill(pending, 0, sizeof *unfinished, 0);
    TACT_LAUNCH_ITEMS(s->device, raycast_long, items, .world = s->world, .nodes = s->nodes, .triangles = s->triangles,
                      .rays = cast->batch->rays, .places = cast->places ? cast->places : s->nothing, .hits = cast->hits,
                      .pending = pending, .states = s->states, .item_count = items, .mode = cast->mode,
                      .instances = s->instance_row, .step_limit = STEPS, .ordered = 0, .shapes = s->shape_row,
                      .faces = cast->faces, .mask = cast->mask, .masks = cast->masks ? masks_of(cast->batch) : 0,
                      .alphas = alphas_of(s, cast), .phase = phase, .first = first);
    return tact_buffer_read(pending, 0, unfinished, sizeof *unfinished);
}

static tact_result finish_long(tact_gpu_scene* s, const tact_ray_cast* cast, uint32_t count)
{
    if (count > 0 && !s->states) {
        tact_buffer_create(s->device, (size_t)SLOTS * TACT_RAY_SLOT * sizeof(uint32_t), NULL, &s->states);
        TACT_DEVICE_WITHIN(s->device, "room for long rays: ");
    }
    for (uint32_t first = 0; first < count; first += SLOTS) {
        const uint32_t items = count - first < SLOTS ? count - first : SLOTS;
        uint32_t unfinished = 0;
        launch_long(s, cast, TACT_RAY_PHASE_LONG, first, items, &unfinished);
        while (unfinished > 0)
            launch_long(s, cast, TACT_RAY_PHASE_RESUME, 0, items, &unfinished);
    }
    return tact_device_result(s->device);
}

void tact_ray_cast_send(tact_gpu_scene* s, const tact_ray_cast* cast, const tact_read* results, size_t count,
                        tact_ray_taking* taking)
{
    tact_read reads[TACT_READS_MAX] = {{cast->batch->pending, 0, sizeof taking->unfinished, &taking->unfinished}};
    TACT_ASSERT(tact_device_env(s->device), count < TACT_READS_MAX);
    for (size_t i = 0; i < count; ++i)
        taking->results[i] = reads[1 + i] = results[i];
    taking->count = count;
    tact_device_read_begin(s->device, reads, 1 + count, &taking->reading);
}

tact_result tact_ray_cast_take(tact_gpu_scene* s, const tact_ray_cast* cast, tact_ray_taking* taking)
{
    // Few casts leave rays unfinished: the results come along, and again where some do.
    tact_device_read_end(&taking->reading);
    if (taking->unfinished == 0 || finish_long(s, cast, taking->unfinished) != TACT_OK)
        return tact_device_result(s->device);
    return tact_device_read(s->device, taking->results, taking->count);
}

tact_result tact_ray_cast_finish(tact_gpu_scene* s, const tact_ray_cast* cast, const tact_read* results, size_t count)
{
    tact_ray_taking taking;
    tact_ray_cast_send(s, cast, results, count, &taking);
    return tact_ray_cast_take(s, cast, &taking);
}

/// A query's casts: of each set of buffers the one that is under way.
typedef struct casting {
    tact_gpu_scene* s;
    const tact_trace_job* job;
    size_t chunk;
    tact_ray_cast casts[2];
    tact_ray_taking taking;
    uint32_t* flags;  // of the chunk that is taken, with TACT_RAY_MODE_FLAGS
} casting;

static tact_ray_cast* cast_of(casting* c, size_t begin)
{
    return &c->casts[tact_gpu_chunk_set(begin, c->chunk)];
}

static void bring_chunk(void* user, size_t begin, size_t count)
{
    casting* c = user;
    tact_ray_cast* cast = cast_of(c, begin);
    cast->count = (uint32_t)count;
    tact_ray_cast_bring(cast, c->job->rays, c->job->rules, begin);
}

static void cast_chunk(void* user, size_t begin, size_t count)
{
    casting* c = user;
    (void)count;
    tact_ray_cast_start(c->s, cast_of(c, begin));
}

static void send_chunk(void* user, size_t begin, size_t count)
{
    casting* c = user;
    const tact_ray_cast* cast = cast_of(c, begin);
    tact_read answers = {cast->hits, 0, flag_bytes(count), c->flags};
    if (!c->flags) answers = (tact_read){cast->hits, 0, count * sizeof(tact_hit), c->job->hits + begin};
    tact_ray_cast_send(c->s, cast, &answers, 1, &c->taking);
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    casting* c = user;
    const tact_result taken = tact_ray_cast_take(c->s, cast_of(c, begin), &c->taking);
    for (size_t i = 0; c->flags && taken == TACT_OK && i < count; ++i)
        c->job->occluded[begin + i] = c->flags[i / 32] >> (i % 32) & 1u;
}

static tact_ray_cast new_cast(const tact_trace_job* job, tact_ray_batch* batch, size_t count, bool sorted)
{
    const uint32_t mode = job->occluded ? TACT_RAY_MODE_FLAGS : (uint32_t)job->mode;
    return (tact_ray_cast){
        .batch = batch, .count = (uint32_t)count, .mode = mode, .hits = batch->hits, .sorted = sorted};
}

static tact_result cast_all(tact_gpu_scene* s, const tact_trace_job* job, tact_query_report* report)
{
    const double start = tact_device_milliseconds(s->device);
    const size_t whole = tact_ray_batch_limit(s->device, job->count < CHUNK ? job->count : CHUNK);
    tact_gpu_scene_update(s, job->scene);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    // Once for all chunks: those that begin within a row of a picture do not look like one.
    const bool incoherent = tact_reorder_find_rows(job->rays, whole) == 0;
    const bool sorted = tact_ray_order_wanted(s, job->sort, whole, incoherent);
    // Rays are sorted in chunks as large as can be, unless what is sorted later goes up meanwhile.
    const size_t down = job->occluded ? sizeof *job->occluded : sizeof *job->hits;
    const bool parts = !sorted || tact_device_goes_aside(s->device);
    const size_t chunk = parts ? tact_gpu_chunk_rows(s->device, job->count, whole, sizeof(tact_ray), down) : whole;
    const bool two = parts && chunk < job->count && tact_device_ring_bytes(s->device) > 0;
    tact_ray_batch_reserve(s, &s->batch, chunk);
    if (two) tact_ray_batch_reserve(s, &s->second, chunk);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    const double uploaded = tact_device_milliseconds(s->device);
    report->upload_ms = uploaded - start;
    tact_env* env = tact_device_env(s->device);
    casting c = {.s = s, .job = job, .chunk = chunk};
    if (job->occluded) {
        c.flags = tact_allocate(env, flag_bytes(chunk), 1);
        if (!c.flags) return TACT_ERROR_OUT_OF_MEMORY;
    }
    c.casts[0] = new_cast(job, &s->batch, chunk, sorted);
    c.casts[1] = new_cast(job, two ? &s->second : &s->batch, chunk, sorted);
    tact_ray_cast_prepare(s, &c.casts[0]);
    report->build_ms = tact_device_milliseconds(s->device) - uploaded;
    const tact_gpu_chunks chunks = {.count = job->count,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = cast_chunk,
                                    .send = send_chunk,
                                    .take = take_chunk,
                                    .user = &c,
                                    .overlap = two,
                                    .progress = job->progress,
                                    .progress_user = job->progress_user};
    const tact_result result = tact_gpu_chunks_run(s->device, &chunks, report);
    tact_release(env, c.flags);
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
