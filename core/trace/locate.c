// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/locate.h"

#include <math.h>
#include <stdio.h>

#include "base/platform.h"
#include "core/query/sample.h"
#include "core/trace/near_query.h"
#ifdef TACT_HAVE_GPU
#include "gpu/trace/near.h"
#endif

static tact_result find_boundary(tact_scene* scene, int threads, const tact_rim** found)
{
    tact_resident* kept = &scene->kept[TACT_SCENE_BOUNDARY][0];
    tact_monitor_enter(&scene->guard.own);
    tact_rim* boundary = kept->data;
    const tact_result result = tact_rim_update(&scene->context->env, threads, &scene->trace, &boundary);
    if (boundary != kept->data) tact_resident_keep(kept, boundary, tact_rim_release);
    *found = boundary;
    tact_monitor_leave(&scene->guard.own);
    return result;
}

static tact_locate_job job_of(const tact_near_query* q, const tact_rim* boundary, const tact_batch* batch)
{
    return (tact_locate_job){&q->scene->trace, boundary, q->queries, q->hits, *batch};
}

static tact_result run(tact_env* env, const tact_near_query* q, const tact_batch* batch, bool reference)
{
    const tact_rim* boundary;
    const tact_result result = find_boundary(q->scene, batch->threads, &boundary);
    if (result != TACT_OK) return result;
    const tact_locate_job job = job_of(q, boundary, batch);
    return reference ? tact_locate_reference(env, &job) : tact_locate_cpu(env, &job);
}

#ifdef TACT_HAVE_GPU
static tact_result run_device(const tact_near_query* q, tact_near_device* device)
{
    tact_env* env = &q->scene->context->env;
    const tact_rim* boundary;
    // What the device is not sure of is found here.
    tact_result result = tact_scene_catch_up(q->scene, 0);
    if (result == TACT_OK) result = find_boundary(q->scene, device->batch.threads, &boundary);
    if (result != TACT_OK) return result;
    const tact_locate_job job = job_of(q, boundary, &device->batch);
    tact_closest_hit* hits = tact_allocate(env, q->count, sizeof *hits);
    tact_gpu_windings windings = {job.boundary->mirrored, job.boundary->mirrored_words, job.boundary->blocks,
                                  job.boundary->count, tact_allocate(env, q->count, sizeof *windings.sums)};
    result = hits && windings.sums ? tact_near_on_device(q, device, hits, sizeof *hits, &windings)
                                   : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        const double start = tact_platform_milliseconds();
        tact_locate_finish(&job, hits, (const uint32_t(*)[4])windings.sums);
        device->report->query_ms += tact_platform_milliseconds() - start;
    }
    tact_release(env, hits);
    tact_release(env, windings.sums);
    return result;
}
#endif

static void describe(const tact_near_query* query, size_t index, char* text, size_t size)
{
    const tact_closest_query* q = (const tact_closest_query*)query->queries + index;
    snprintf(text, size, "%a %a %a within %a", (double)q->x, (double)q->y, (double)q->z, (double)q->max_distance);
}

static void describe_location(const void* location, char* text, size_t size)
{
    const tact_point_location* l = location;
    snprintf(text, size, "winding %a, %u/%u at %a u %a v %a", (double)l->winding, l->instance, l->primitive,
             (double)l->distance, (double)l->u, (double)l->v);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_point_location* locations = tact_request_room(r, 0, r->given[1].count, sizeof *locations);
    if (!locations) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_locate_points((tact_scene*)(uintptr_t)r->given[0].data, r->given[1].data, r->given[1].count, locations,
                              options, report);
}

static tact_result sample(tact_sample* s)
{
    const bool mixed = s->of->variant != 0;
    tact_closest_query* points = tact_sample_rows(s, 1, sizeof *points);
    if (!points) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i) {
        const tact_vec3 at = tact_sample_place(s, mixed ? 3.0f : 1.5f);
        points[i] = (tact_closest_query){at.x, at.y, at.z, mixed && i % 4 == 0 ? 0.5f : INFINITY};
    }
    return mixed ? tact_sample_mixed_scene(s, false) : tact_sample_scene(s, 48, 1);
}

static const tact_query_sample samples[] = {{NULL, "points", 64, 1 << 17, 0, false}};
static const tact_query_sample features[] = {
    {.items = "points in a mixed scene", .smallest = 40, .largest = 400, .variant = 1}};

const tact_query tact_query_locate = {
    .name = "locating points",
    .backends = tact_near_backends,
    .backend_count = TACT_NEAR_BACKENDS,
    .compare = tact_near_compare,
    .kind = TACT_RECORDED_LOCATE,
    .word = "locate",
    .unit = "points",
    .inputs = {{.type = TACT_CHUNK_SCENE}, {TACT_CHUNK_ARRAY, false, "points", 4, TACT_RECORDED_FLOATS}},
    .answer = tact_near_answer,
    .ask = ask,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static const tact_near_kind located = {
    .what = "points",
    .argument = "points",
    .answers = "locations",
    .query_bytes = sizeof(tact_closest_query),
    .hit_bytes = sizeof(tact_point_location),
    .work = 40.0,
#ifdef TACT_HAVE_GPU
    .kernel = TACT_KERNEL_closest_points,
    .run_device = run_device,
#endif
    .run = run,
    .describe = describe,
    .describe_hit = describe_location,
    .query = &tact_query_locate,
};

tact_result tact_locate_points(tact_scene* scene, const tact_closest_query* points, size_t count,
                               tact_point_location* locations, const tact_query_options* options,
                               tact_query_report* report)
{
    tact_near_query query = {&located, scene, points, locations, count};
    return tact_near_ask(&query, options, report);
}
