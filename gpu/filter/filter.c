// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/filter/filter.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "gpu/filter/image.h"
#include "gpu/filter/internal.h"
#include "gpu/probe.h"

// ---- What is kept ----

tact_result tact_gpu_filter_create(tact_device* device, tact_gpu_filter** filter)
{
    *filter = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **filter);
    if (!*filter) return TACT_ERROR_OUT_OF_MEMORY;
    (*filter)->device = device;
    (*filter)->env = tact_device_env(device);
    return TACT_OK;
}

enum { OWN = 11 };

static void list_buffers(const tact_gpu_filter* f, tact_buffer* buffers[OWN])
{
    tact_buffer* const own[OWN] = {f->list,  f->lower, f->upper, f->ranges,    f->table, f->found,
                                   f->state, f->boxes, f->keys,  f->triangles, f->sorted};
    memcpy(buffers, own, sizeof own);
}

void tact_gpu_filter_destroy(tact_gpu_filter* filter)
{
    if (!filter) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(filter->device) == TACT_OK;
    tact_buffer* buffers[OWN];
    list_buffers(filter, buffers);
    for (int i = 0; i < OWN; ++i)
        tact_buffer_destroy(buffers[i]);
    for (int i = 0; i <= TACT_FILTER_LEVELS; ++i)
        tact_buffer_destroy(filter->items[i]);
    tact_reduce_destroy(filter->reduce);
    tact_radix_sort_destroy(filter->sort);
    tact_gpu_filter_image_destroy(filter->image);
    tact_gpu_filter_scene_release(&filter->scene);
    if (entered) tact_device_leave(filter->device);
    tact_release(filter->env, filter);
}

static uint64_t bytes_of(const tact_gpu_filter* f)
{
    const tact_gpu_filter_scene* s = &f->scene;
    uint64_t sum = tact_buffer_size(s->vertices) + tact_buffer_size(s->indices) + tact_buffer_size(s->objects) +
                   tact_buffer_size(s->raw);
    tact_buffer* buffers[OWN];
    list_buffers(f, buffers);
    for (int i = 0; i < OWN; ++i)
        sum += tact_buffer_size(buffers[i]);
    for (int i = 0; i <= TACT_FILTER_LEVELS; ++i)
        sum += tact_buffer_size(f->items[i]);
    if (f->reduce) sum += TACT_REDUCE_SCRATCH_BYTES;
    if (f->sort) sum += tact_radix_sort_bytes(f->sort);
    if (f->image) sum += tact_gpu_filter_image_bytes(f->image);
    return sum;
}

void tact_gpu_filter_limit(tact_gpu_filter* filter, uint32_t items)
{
    filter->limit = items;
}

const tact_gpu_filter_told* tact_gpu_filter_tell(const tact_gpu_filter* filter)
{
    return &filter->told;
}

// ---- Boxes of shapes ----

static tact_result measure_shape(tact_gpu_filter* f, const tact_mesh_desc* shape, float bounds[8])
{
    const uint32_t count = (uint32_t)shape->vertex_count;
    tact_buffer *vertices = NULL, *result_words = NULL;
    if (!f->reduce) tact_reduce_create(f->device, 0, &f->reduce);
    tact_buffer_hold(f->device, &vertices, (uint64_t)count * 16);
    tact_buffer_hold(f->device, &result_words, 32);
    tact_gpu_filter_gather(f->device, shape, &f->scene.raw, vertices, 0);
    tact_reduce_bounds(f->reduce, TACT_POINTS, vertices, count, result_words);
    tact_buffer_read(result_words, 0, bounds, 32);
    tact_buffer_destroy(vertices);
    tact_buffer_destroy(result_words);
    return tact_device_result(f->device);
}

tact_result tact_gpu_filter_shape_box(tact_gpu_filter* filter, const tact_mesh_desc* shape, tact_aabb* box)
{
    tact_env* env = filter->env;
    if (!tact_gpu_filter_on_device(filter->device, shape)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "vertices in a buffer that is not of this device");
    }
    if (shape->vertex_count > UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu vertices of a shape", shape->vertex_count);
    }
    tact_result result = tact_device_enter(filter->device);
    if (result != TACT_OK) return result;
    filter->scene.device = filter->device;
    float b[8];
    result = measure_shape(filter, shape, b);
    tact_device_leave(filter->device);
    if (result == TACT_OK) *box = (tact_aabb){{b[0], b[1], b[2]}, {b[4], b[5], b[6]}};
    return result;
}

// ---- Arithmetic ----

/// As for two meshes (gpu/overlap/overlap.c): the vertices must be moved to where the definition moves them, but where
/// numbers below 2^-126 come in.
static tact_result check_arithmetic(tact_gpu_filter_work* w)
{
    if (tact_probe_plain_exact(&tact_device_describe(w->device)->probe)) return TACT_OK;
    return TACT_DEVICE_FAIL(w->device, TACT_ERROR_UNSUPPORTED,
                            "the device does not add or multiply as the definition does");
}

// ---- Runs ----

static bool makes_images(const tact_gpu_filter_work* w)
{
    const tact_filter_options* o = &w->job->options;
    return o->fast || o->images != TACT_FILTER_IMAGES_NEVER;
}

/// Whether a run whose images failed so is to go on without them: what they leave out is tested instead. They were not
/// asked for then, and need larger buffers than the device has.
static bool goes_without_images(tact_gpu_filter_work* w, tact_result why)
{
    const tact_filter_options* o = &w->job->options;
    if (o->fast || o->images != TACT_FILTER_IMAGES_AUTO || why != TACT_ERROR_LIMIT) return false;
    if (!w->f->went_without) tact_log(w->env, TACT_LOG_WARNING, "filter", "no images are made: %s", tact_last_error());
    tact_device_forgive(w->device);
    w->f->went_without = true;
    return true;
}

/// Which triangles are left: what images do not leave out where they are made, else all, for which `*left` is NULL.
static tact_result narrow(tact_gpu_filter_work* w, tact_filter_count* counts, tact_buffer** left, uint32_t* count)
{
    if (makes_images(w)) {
        const tact_result result = tact_gpu_filter_image_run(w->f->image, &w->f->scene, w->job, left, count, counts);
        if (!goes_without_images(w, result)) return result;
    }
    for (int stage = TACT_FILTER_OBJECTS; stage <= TACT_FILTER_TRIANGLES; ++stage)
        counts[stage] = (tact_filter_count){0};
    *left = NULL;
    *count = w->f->scene.triangle_count;
    return tact_device_result(w->device);
}

static void prepare_kernels(tact_gpu_filter_work* w)
{
    static const tact_kernel_id kernels[] = {TACT_KERNEL_filter_all, TACT_KERNEL_filter_leaves,
                                             TACT_KERNEL_filter_nodes, TACT_KERNEL_filter_expand,
                                             TACT_KERNEL_filter_exact};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        tact_device_prepare(w->device, kernels[i]);
}

/// Builds what the scene's run will use, so that the first query is timed as the later ones are.
static void prepare(tact_gpu_filter_work* w)
{
    const double start = tact_device_milliseconds(w->device);
    prepare_kernels(w);
    tact_gpu_filter_prepare_order(w);
    if (makes_images(w)) {
        if (!w->f->image) tact_gpu_filter_image_create(w->device, &w->f->image);
        tact_device_prepare(w->device, TACT_KERNEL_filter_ranges);
    }
    w->report->build_ms = tact_device_milliseconds(w->device) - start;
}

static tact_result bring_scene(tact_gpu_filter_work* w)
{
    const double start = tact_device_milliseconds(w->device);
    if (tact_gpu_filter_scene_make(w->device, w->job, &w->f->scene) == TACT_OK) check_arithmetic(w);
    w->f->told.scene_ms = w->report->upload_ms = tact_device_milliseconds(w->device) - start;
    return tact_device_result(w->device);
}

static tact_result test_exactly(tact_gpu_filter_work* w, tact_buffer* left, uint32_t count)
{
    const size_t objects = w->job->object_count;
    w->ranges = tact_allocate(w->env, objects, 2 * sizeof *w->ranges);
    w->roots = tact_allocate(w->env, objects, sizeof *w->roots);
    if (!w->ranges || !w->roots) return tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
    const double start = tact_device_milliseconds(w->device);
    tact_gpu_filter_plan(w, left, count);
    w->f->told.plan_ms = tact_device_milliseconds(w->device) - start;
    return tact_device_result(w->device) == TACT_OK ? tact_gpu_filter_walk(w, left, count)
                                                    : tact_device_result(w->device);
}

static tact_result run_stages(tact_gpu_filter_work* w, tact_filter_list* list, tact_filter_count* counts)
{
    tact_buffer* left = NULL;
    uint32_t count = 0;
    if (bring_scene(w) != TACT_OK) return tact_device_result(w->device);
    if (w->f->scene.triangle_count > 0) prepare(w);
    const double start = tact_device_milliseconds(w->device);
    if (w->f->scene.triangle_count > 0 && tact_device_result(w->device) == TACT_OK) narrow(w, counts, &left, &count);
    const double narrowed = tact_device_milliseconds(w->device);
    w->f->told.image_ms = narrowed - start;
    if (count > 0 && tact_device_result(w->device) == TACT_OK) test_exactly(w, left, count);
    if (tact_device_result(w->device) == TACT_OK) tact_device_fail(w->device, tact_gpu_filter_finish(w, list));
    const double end = tact_device_milliseconds(w->device);
    counts[TACT_FILTER_EXACT].ran = true;
    counts[TACT_FILTER_EXACT].ms = end - narrowed;
    w->report->query_ms = end - start;
    return tact_device_result(w->device);
}

tact_result tact_gpu_filter_run(tact_gpu_filter* filter, const tact_filter_job* job, tact_filter_list* list,
                                tact_filter_count counts[TACT_FILTER_STAGES], tact_query_report* report)
{
    list->count = 0;
    memset(&filter->told, 0, sizeof filter->told);
    for (int i = TACT_FILTER_OBJECTS; i < TACT_FILTER_STAGES; ++i)
        counts[i] = (tact_filter_count){0};
    if (job->candidate_count > UINT32_MAX || job->object_count >= TACT_FILTER_UNSURE) {
        return tact_fail(filter->env, TACT_ERROR_LIMIT, "%zu objects, %zu pairs of which may overlap",
                         job->object_count, job->candidate_count);
    }
    if (job->candidate_count == 0) {
        counts[TACT_FILTER_EXACT].ran = true;
        return TACT_OK;
    }
    tact_result result = tact_device_enter(filter->device);
    if (result != TACT_OK) return result;
    tact_gpu_filter_work w = {.f = filter, .device = filter->device, .env = filter->env, .job = job, .report = report};
    result = run_stages(&w, list, counts);
    report->memory_bytes = bytes_of(filter);
    tact_device_leave(filter->device);
    tact_release(w.env, w.ranges);
    tact_release(w.env, w.roots);
    tact_release(w.env, w.findings);
    tact_release(w.env, w.verdicts);
    tact_release(w.env, w.vertices);
    tact_release(w.env, w.found.pairs);
    return result;
}
