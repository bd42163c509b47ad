// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/closest.h"

#include <math.h>
#include <stdio.h>

#include "core/query/sample.h"
#include "core/trace/near_query.h"
#include "cpu_ref/trace/closest.h"
#ifdef TACT_HAVE_GPU
#include "gpu/kernel_table.h"
#endif

static tact_result run(tact_env* env, const tact_near_query* q, const tact_batch* batch, bool reference)
{
    const tact_closest_job job = {&q->scene->trace, q->queries, q->hits, *batch};
    return reference ? tact_closest_reference(env, &job) : tact_closest_cpu(env, &job);
}

static void describe(const tact_near_query* query, size_t index, char* text, size_t size)
{
    const tact_closest_query* q = (const tact_closest_query*)query->queries + index;
    snprintf(text, size, "%a %a %a within %a", (double)q->x, (double)q->y, (double)q->z, (double)q->max_distance);
}

static void describe_hit(const void* hit, char* text, size_t size)
{
    const tact_closest_hit* h = hit;
    snprintf(text, size, "%u/%u at %a u %a v %a", h->instance, h->primitive, (double)h->distance, (double)h->u,
             (double)h->v);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_closest_hit* hits = tact_request_room(r, 0, r->given[1].count, sizeof *hits);
    if (!hits) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_closest_points((tact_scene*)(uintptr_t)r->given[0].data, r->given[1].data, r->given[1].count, hits,
                               options, report);
}

static tact_result sample(tact_sample* s)
{
    const bool mixed = s->of->variant != 0;
    tact_closest_query* queries = tact_sample_rows(s, 1, sizeof *queries);
    if (!queries) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i) {
        const tact_vec3 at = tact_sample_place(s, mixed ? 3.0f : 1.5f);
        queries[i] = (tact_closest_query){at.x, at.y, at.z, mixed && i % 4 == 0 ? 0.5f : INFINITY};
    }
    if (s->of->variant == 2) return tact_sample_bent_scene(s);
    return mixed ? tact_sample_mixed_scene(s, true) : tact_sample_scene(s, 48, 1);
}

static const tact_query_sample samples[] = {{NULL, "points", 64, 1 << 17, 0, false}};
static const tact_query_sample features[] = {
    {.items = "points in a mixed scene", .smallest = 40, .largest = 400, .variant = 1},
    {.items = "points near stretched shapes", .smallest = 40, .largest = 400, .variant = 2}};

const tact_query tact_query_closest = {
    .name = "finding closest points",
    .backends = tact_near_backends,
    .backend_count = TACT_NEAR_BACKENDS,
    .compare = tact_near_compare,
    .kind = TACT_RECORDED_CLOSEST,
    .word = "closest",
    .unit = "points",
    .inputs = {{.type = TACT_CHUNK_SCENE}, {TACT_CHUNK_ARRAY, false, "points", 4, TACT_RECORDED_FLOATS}},
    .answer = tact_near_answer,
    .ask = ask,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static const tact_near_kind points = {
    .what = "points",
    .argument = "queries",
    .answers = "hits",
    .query_bytes = sizeof(tact_closest_query),
    .hit_bytes = sizeof(tact_closest_hit),
    .work = 20.0,
    .shapes = true,
    .bent = true,
#ifdef TACT_HAVE_GPU
    .kernel = TACT_KERNEL_closest_points,
    .kernel_of_shapes = TACT_KERNEL_closest_points,
    .kernel_of_bent = TACT_KERNEL_closest_points_bent,
#endif
    .run = run,
    .describe = describe,
    .describe_hit = describe_hit,
    .query = &tact_query_closest,
};

tact_result tact_closest_points(tact_scene* scene, const tact_closest_query* queries, size_t count,
                                tact_closest_hit* hits, const tact_query_options* options, tact_query_report* report)
{
    tact_near_query query = {&points, scene, queries, hits, count};
    return tact_near_ask(&query, options, report);
}
