// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/trace/near_query.h"

#include <math.h>
#include <string.h>

#include "core/trace/flushed.h"

#ifdef TACT_HAVE_GPU
#include "gpu/trace/near.h"
#include "gpu/trace/raycast.h"
#endif

static tact_batch batch_of(const tact_near_query* q, const tact_query_options* options)
{
    return (tact_batch){q->count, options->threads, options->progress, options->progress_user};
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const tact_near_query* q = arguments;
    TACT_ASSERT(q->scene->committed && (q->count == 0 || (q->queries && q->hits)));
    (void)device;
    const tact_batch batch = batch_of(q, options);
    tact_result result = tact_scene_catch_up(q->scene, 0);
    if (result == TACT_OK) {
        result = q->kind->run(&context->env, q, &batch, report->backend == TACT_BACKEND_REFERENCE);
    }
    report->threads = options->threads;
    report->memory_bytes =
        tact_trace_scene_bytes(&q->scene->trace) + q->count * (q->kind->query_bytes + q->kind->hit_bytes);
    return result;
}

/// Expected visits of nodes and triangles, in millions.
static double work_of(const tact_near_query* q)
{
    const tact_trace_scene* scene = &q->scene->trace;
    return (double)q->count * (8.0 + 4.0 * log2((double)scene->slot_count + (double)scene->shape_slot_count + 2.0)) *
           1e-6;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_near_query* q = arguments;
    (void)index;
    return tact_cost_of(NULL, 0.01, work_of(q) * q->kind->work / tact_dispatch_threads(device), 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

tact_result tact_near_on_device(const tact_near_query* q, tact_near_device* device, void* hits, size_t hit_bytes,
                                const tact_gpu_windings* windings)
{
    const tact_near_kind* kind = q->kind;
    const uint32_t index = device->index;
    const tact_trace_scene* scene = &q->scene->trace;
    const int shapes = scene->has_bent ? kind->kernel_of_bent : kind->kernel_of_shapes;
    const tact_gpu_near_job job = {.kernel = (tact_kernel_id)(scene->has_shapes ? shapes : kind->kernel),
                                   .what = kind->what,
                                   .scene = scene,
                                   .queries = q->queries,
                                   .hits = hits,
                                   .query_bytes = kind->query_bytes,
                                   .hit_bytes = hit_bytes,
                                   .batch = device->batch,
                                   .windings = windings};
    const tact_result ready = tact_scene_catch_up(q->scene, index);
    if (ready != TACT_OK) return ready;
    tact_gpu_near* resident = q->scene->kept[TACT_SCENE_NEAR][index].data;
    tact_gpu_scene* trees = q->scene->kept[TACT_SCENE_TREES][index].data;
    const tact_result result =
        tact_gpu_near_run(q->scene->context->devices[index], &resident, &trees, &job, device->report);
    tact_resident_keep(&q->scene->kept[TACT_SCENE_NEAR][index], resident, tact_gpu_near_release);
    tact_resident_keep(&q->scene->kept[TACT_SCENE_TREES][index], trees, tact_gpu_scene_release);
    return result;
}

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const tact_near_query* q = arguments;
    TACT_ASSERT(q->scene->context == context);
    const size_t width = q->kind->query_bytes / sizeof(float);
    // Casts of spheres begin with a ray.
    const size_t limit = width < TACT_RAY_FLOATS ? width - 1 : TACT_RAY_LIMIT;
    const tact_result refused = tact_refuse_flushed(q->scene, index, q->queries, q->count, width, limit);
    if (refused != TACT_OK) return refused;
    tact_near_device device = {index, batch_of(q, options), report};
    if (q->kind->run_device) return q->kind->run_device(q, &device);
    return tact_near_on_device(q, &device, q->hits, q->kind->hit_bytes, NULL);
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_near_query* q = arguments;
    // A GPU's work costs little beside moving queries in and hits out. A software device is a CPU with more overhead.
    const tact_trace_scene* scene = &q->scene->trace;
    tact_resident* kept = &q->scene->kept[TACT_SCENE_TREES][index];
    const double missing = (double)tact_gpu_scene_missing(kept->data, scene);
    const double up = (double)q->count * (double)q->kind->query_bytes + missing;
    const double down = (double)q->count * (double)q->kind->hit_bytes;
    const double work = work_of(q) * q->kind->work;
    tact_cost cost = device->software ? tact_cost_of(NULL, 2.0, work * 3.0, up, down)
                                      : tact_cost_of(NULL, 0.15, work * 0.005, up, down);
    tact_cost_stays(&cost, missing, kept, scene->mesh_version + scene->top_version);
    return cost;
}

#endif

tact_result tact_near_compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    TACT_ASSERT(options->threads >= 1);
    const tact_near_query* q = arguments;
    const size_t size = q->kind->hit_bytes;
    tact_near_query shadow = *q;
    shadow.hits = tact_allocate(&context->env, q->count, size);
    if (!shadow.hits) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_batch batch = batch_of(q, options);
    tact_result result = tact_scene_need_vertices(q->scene);
    if (result == TACT_OK) result = q->kind->run(&context->env, &shadow, &batch, true);
    const char *got = q->hits, *expected = shadow.hits;
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < q->count && result == TACT_OK; ++i) {
        if (memcmp(got + i * size, expected + i * size, size) == 0) continue;
        if (differing++ == 0) first = i;
    }
    if (differing) {
        char asked[320], found[240], right[240];
        q->kind->describe(q, first, asked, sizeof asked);
        q->kind->describe_hit(got + first * size, found, sizeof found);
        q->kind->describe_hit(expected + first * size, right, sizeof right);
        result =
            tact_fail(&context->env, TACT_ERROR_SHADOW_MISMATCH,
                      "%zu of %zu %s have other answers than the reference's; first %zu, %s: got %s, the reference "
                      "has %s",
                      differing, q->count, q->kind->what, first, asked, found, right);
    }
    tact_release(&context->env, shadow.hits);
    return result;
}

const tact_query_backend tact_near_backends[] = {
    TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

_Static_assert(sizeof tact_near_backends / sizeof tact_near_backends[0] == TACT_NEAR_BACKENDS, "all of them");

void tact_near_answer(const void* arguments, tact_record_call* record)
{
    const tact_near_query* q = arguments;
    tact_record_answer(record, q->hits, q->count * q->kind->hit_bytes);
}

tact_result tact_near_ask(tact_near_query* q, const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(q->scene ? q->scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &q->scene->context->env;
    if (q->count > 0 && (!q->queries || !q->hits))
        return tact_null(env, q->queries ? q->kind->answers : q->kind->argument);
    if (q->count > SIZE_MAX / (q->kind->query_bytes + q->kind->hit_bytes)) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu %s", q->count, q->kind->what);
    }
    const tact_result committed = tact_scene_require_committed(q->scene);
    if (committed != TACT_OK) return committed;
    if (!q->kind->shapes) {
        const tact_result triangles = tact_scene_refuse_shapes(q->scene, q->kind->query->name);
        if (triangles != TACT_OK) return triangles;
    } else if (q->scene->trace.has_bent && !q->kind->bent) {
        return tact_fail(
            env, TACT_ERROR_UNSUPPORTED,
            "%s: an instance of spheres, boxes or capsules is stretched or sheared, or scaled by less than "
            "2^-30 or more than 2^30",
            q->kind->query->name);
    }
    const tact_call call = {.context = q->scene->context,
                            .query = q->kind->query,
                            .arguments = q,
                            .count = q->count,
                            .given = {{q->scene, 1}, {q->queries, q->count}}};
    return tact_ask(&call, options, report);
}
