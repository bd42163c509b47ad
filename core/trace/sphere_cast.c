// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/spherecast.h"

#include <stdio.h>

#include "core/query/sample.h"
#include "core/trace/near_query.h"
#include "cpu_ref/trace/closest.h"
#ifdef TACT_HAVE_GPU
#include "gpu/kernel_table.h"
#endif

_Static_assert(sizeof(tact_sphere_cast) == 36 && sizeof(tact_sphere_hit) == 36, "kernels read and write nine words");

static tact_result run(tact_env* env, const tact_near_query* q, const tact_batch* batch, bool reference)
{
    const tact_sphere_job job = {&q->scene->trace, q->queries, q->hits, *batch};
    return reference ? tact_sphere_casts_reference(env, &job) : tact_sphere_casts_cpu(env, &job);
}

static void describe(const tact_near_query* query, size_t index, char* text, size_t size)
{
    const tact_sphere_cast* q = (const tact_sphere_cast*)query->queries + index;
    const tact_ray* r = &q->ray;
    snprintf(text, size, "o %a %a %a d %a %a %a t %a to %a radius %a", (double)r->ox, (double)r->oy, (double)r->oz,
             (double)r->dx, (double)r->dy, (double)r->dz, (double)r->tmin, (double)r->tmax, (double)q->radius);
}

static void describe_hit(const void* hit, char* text, size_t size)
{
    const tact_sphere_hit* h = hit;
    snprintf(text, size, "%u/%u t %a at %a %a %a normal %a %a %a", h->instance, h->primitive, (double)h->t,
             (double)h->x, (double)h->y, (double)h->z, (double)h->nx, (double)h->ny, (double)h->nz);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_sphere_hit* hits = tact_request_room(r, 0, r->given[1].count, sizeof *hits);
    if (!hits) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_spherecast((tact_scene*)(uintptr_t)r->given[0].data, r->given[1].data, r->given[1].count, hits, options,
                           report);
}

static tact_result sample(tact_sample* s)
{
    const bool mixed = s->of->variant != 0;
    tact_sphere_cast* casts = tact_sample_rows(s, 1, sizeof *casts);
    if (!casts) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i) {
        casts[i] = mixed ? (tact_sphere_cast){tact_sample_ray_down(s), 0.1f * (float)(i % 5)}
                         : (tact_sphere_cast){tact_sample_ray(s), 0.02f};
    }
    return mixed ? tact_sample_mixed_scene(s, true) : tact_sample_scene(s, 48, 1);
}

static const tact_query_sample samples[] = {{NULL, "spheres", 64, 1 << 16, 0, false}};
static const tact_query_sample features[] = {
    {.items = "spheres in a mixed scene", .smallest = 40, .largest = 400, .variant = 1}};

const tact_query tact_query_spheres = {
    .name = "casting spheres",
    .backends = tact_near_backends,
    .backend_count = TACT_NEAR_BACKENDS,
    .compare = tact_near_compare,
    .kind = TACT_RECORDED_SPHERES,
    .word = "spheres",
    .unit = "spheres",
    .inputs = {{.type = TACT_CHUNK_SCENE}, {TACT_CHUNK_ARRAY, false, "casts", 9, TACT_RECORDED_FLOATS}},
    .answer = tact_near_answer,
    .ask = ask,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static const tact_near_kind spheres = {
    .what = "spheres",
    .argument = "casts",
    .answers = "hits",
    .query_bytes = sizeof(tact_sphere_cast),
    .hit_bytes = sizeof(tact_sphere_hit),
    .work = 40.0,
    .shapes = true,
#ifdef TACT_HAVE_GPU
    .kernel = TACT_KERNEL_sphere_casts,
    .kernel_of_shapes = TACT_KERNEL_sphere_casts_shapes,
#endif
    .run = run,
    .describe = describe,
    .describe_hit = describe_hit,
    .query = &tact_query_spheres,
};

tact_result tact_spherecast(tact_scene* scene, const tact_sphere_cast* casts, size_t count, tact_sphere_hit* hits,
                            const tact_query_options* options, tact_query_report* report)
{
    tact_near_query query = {&spheres, scene, casts, hits, count};
    return tact_near_ask(&query, options, report);
}
