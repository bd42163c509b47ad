// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/raycast.h"

#include <string.h>

#include "core/query/sample.h"
#include "core/scene/scene.h"
#include "core/trace/flushed.h"
#include "core/trace/ray_query.h"
#include "cpu_ref/trace/raycast.h"
#include "cpu_ref/trace/rules.h"
#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#endif

typedef struct raycast_arguments {
    tact_scene* scene;
    tact_ray_mode mode;
    const tact_ray* rays;
    size_t count;
    tact_hit* hits;
    const tact_ray_rules* rules;  // NULL: none
    tact_ray_sort sort;
    uint8_t* occluded;  // in place of hits; NULL: these
} raycast_arguments;

/// Bytes of a ray's answer.
static size_t answer_bytes(const raycast_arguments* a)
{
    return a->occluded ? sizeof *a->occluded : sizeof *a->hits;
}

static tact_trace_job job_of(const raycast_arguments* a, const tact_query_options* options)
{
    return (tact_trace_job){.scene = &a->scene->trace,
                            .mode = a->mode,
                            .rays = a->rays,
                            .hits = a->hits,
                            .occluded = a->occluded,
                            .count = a->count,
                            .threads = options->threads,
                            .progress = options->progress,
                            .progress_user = options->progress_user,
                            .rules = a->rules,
                            .sort = a->sort};
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const raycast_arguments* a = arguments;
    (void)device;
    const tact_trace_job job = job_of(a, options);
    const tact_trace_scene* s = &a->scene->trace;
    tact_result result = tact_scene_catch_up(a->scene, 0);
    if (result != TACT_OK) return result;
    result = report->backend == TACT_BACKEND_REFERENCE ? tact_raycast_reference(&context->env, &job)
                                                       : tact_raycast_cpu(&context->env, &job);
    report->threads = options->threads;
    report->memory_bytes = tact_trace_scene_bytes(s) + a->count * (sizeof(tact_ray) + answer_bytes(a));
    return result;
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const raycast_arguments* a = arguments;
    (void)index;
    return tact_ray_cost_cpu(device, a->scene, a->count, tact_ray_mode_name(a->mode), 1.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const raycast_arguments* a = arguments;
    tact_scene* scene = a->scene;
    const tact_trace_job job = job_of(a, options);
    const tact_result refused = tact_refuse_flushed(scene, index, a->rays, a->count, TACT_RAY_FLOATS, TACT_RAY_LIMIT);
    if (refused != TACT_OK) return refused;
    const tact_result ready = tact_scene_catch_up(scene, index);
    if (ready != TACT_OK) return ready;
    tact_gpu_scene* resident = scene->kept[TACT_SCENE_TREES][index].data;
    const tact_result result = tact_gpu_raycast(context->devices[index], &resident, &job, report);
    tact_resident_keep(&scene->kept[TACT_SCENE_TREES][index], resident, tact_gpu_scene_release);
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const raycast_arguments* a = arguments;
    const double found = a->occluded ? 0.125 : (double)sizeof(tact_hit);
    return tact_ray_cost_device(device, index, a->scene, a->count, tact_ray_mode_name(a->mode), 1.0,
                                (double)a->count * found);
}

#endif

static tact_result fail_difference(tact_context* context, const raycast_arguments* a, const tact_hit* expected,
                                   size_t index, size_t differing)
{
    const tact_ray* r = &a->rays[index];
    const tact_hit wrong = {.instance = a->occluded && a->occluded[index] ? 0 : TACT_NONE};
    const tact_hit* h = a->occluded ? &wrong : &a->hits[index];
    return tact_fail(&context->env, TACT_ERROR_SHADOW_MISMATCH,
                     "%zu of %zu hits differ from the reference's; first ray %zu, o %a %a %a d %a %a %a t %a to %a: "
                     "got %u/%u t %a u %a v %a, the reference has %u/%u t %a u %a v %a",
                     differing, a->count, index, (double)r->ox, (double)r->oy, (double)r->oz, (double)r->dx,
                     (double)r->dy, (double)r->dz, (double)r->tmin, (double)r->tmax, h->instance, h->primitive,
                     (double)h->t, (double)h->u, (double)h->v, expected->instance, expected->primitive,
                     (double)expected->t, (double)expected->u, (double)expected->v);
}

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const raycast_arguments* a = arguments;
    raycast_arguments shadow = *a;
    shadow.occluded = NULL;
    shadow.hits = tact_allocate(&context->env, a->count, sizeof *shadow.hits);
    if (!shadow.hits) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_trace_job job = job_of(&shadow, options);
    tact_result result = tact_scene_need_vertices(a->scene);
    if (result == TACT_OK) result = tact_raycast_reference(&context->env, &job);
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < a->count && result == TACT_OK; ++i) {
        const bool same = a->occluded ? a->occluded[i] == (shadow.hits[i].instance != TACT_NONE)
                                      : memcmp(&a->hits[i], &shadow.hits[i], sizeof *a->hits) == 0;
        if (same) continue;
        if (differing++ == 0) first = i;
    }
    if (differing) result = fail_difference(context, a, &shadow.hits[first], first, differing);
    tact_release(&context->env, shadow.hits);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const raycast_arguments* a = arguments;
    const void* written = a->occluded ? (const void*)a->occluded : a->hits;
    tact_record_answer(record, written, a->count * answer_bytes(a));
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_ray_rules rules;
    const bool flags = r->parameters[5] != 0;
    void* room = tact_request_room(r, 0, r->given[1].count, flags ? sizeof(uint8_t) : sizeof(tact_hit));
    if (!room) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_raycast_with((tact_scene*)(uintptr_t)r->given[0].data,
                             &(tact_raycast_work){.mode = (tact_ray_mode)r->parameters[0],
                                                  .rays = r->given[1].data,
                                                  .count = r->given[1].count,
                                                  .rules = tact_ray_rules_of(r, &rules),
                                                  .hits = flags ? NULL : room,
                                                  .occluded = flags ? room : NULL,
                                                  .sort = (tact_ray_sort)r->parameters[4]},
                             options, report);
}

enum { BY_RULES = TACT_RAY_COUNT + 1, SORTED, FLAGS };  // as variants, after the modes

static tact_result sample(tact_sample* s)
{
    const uint32_t variant = s->of->variant;
    tact_result result = TACT_OK;
    s->request.parameters[0] = variant;
    if (variant == BY_RULES) {
        s->request.parameters[0] = TACT_RAY_CLOSEST;
        result = tact_ray_sample_rules(s);
    } else if (variant == SORTED) {
        s->request.parameters[0] = TACT_RAY_COUNT;
        s->request.parameters[4] = TACT_RAY_SORT_ALWAYS;
    } else if (variant == FLAGS) {
        s->request.parameters[0] = TACT_RAY_ANY;
        s->request.parameters[5] = true;
    }
    return result == TACT_OK ? tact_ray_sample(s, variant >= BY_RULES) : result;
}

static const tact_query_sample samples[] = {
    {"closest", "rays", 64, 1 << 18, TACT_RAY_CLOSEST, false},
    {"any", "rays", 64, 1 << 18, TACT_RAY_ANY, false},
    {"count", "rays", 64, 1 << 17, TACT_RAY_COUNT, false},
};
static const tact_query_sample features[] = {
    {.items = "rays by rules", .smallest = 40, .largest = 400, .variant = BY_RULES},
    {.items = "sorted rays", .smallest = 40, .largest = 400, .variant = SORTED},
    {.items = "occluded rays", .smallest = 40, .largest = 400, .variant = FLAGS},
};

const tact_query tact_query_raycast = {
    .name = "casting rays",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_RAYCAST,
    .word = "raycast",
    .unit = "rays",
    .inputs = TACT_RAY_INPUTS,
    .answer = answer,
    .ask = ask,
    .check = tact_ray_check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

/// The CPU alone has these.
static const tact_query_backend host_backends[] = {TACT_HOST_BACKENDS(run_host, cost_cpu, run_host)};

static const tact_query by_rules = {
    .name = "casting rays by rules",
    TACT_BACKENDS(host_backends),
    .compare = compare,
    .kind = TACT_RECORDED_RAYCAST,
    .word = "raycast",
    .unit = "rays",
    .inputs = TACT_RAY_INPUTS,
    .answer = answer,
};

tact_result tact_raycast_with(tact_scene* scene, const tact_raycast_work* work, const tact_query_options* options,
                              tact_query_report* report)
{
    if (!tact_enter_query(scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &scene->context->env;
    if (!work) return tact_null(env, "work");
    if (work->device_rays || work->device_hits) return tact_raycast_on_device(scene, work, options, report);
    if (work->count > 0 && (!work->rays || (!work->hits && !work->occluded)))
        return tact_null(env, work->rays ? "hits" : "rays");
    const tact_result checked = tact_ray_check_work(scene, work);
    if (checked != TACT_OK) return checked;
    if (tact_ticket_asked(options) && !options->shadow && !work->occluded) {
        return tact_raycast_submit(scene, work, options, report);
    }
    const tact_ray_rules* rules = work->rules;
    raycast_arguments arguments = {scene,      work->mode, work->rays, work->count,
                                   work->hits, rules,      work->sort, work->occluded};
    tact_call call = tact_ray_call(tact_trace_on_device(rules) ? &tact_query_raycast : &by_rules, &arguments, scene,
                                   work->rays, work->count, rules);
    call.parameters[0] = (uint32_t)work->mode;
    call.parameters[4] = (uint32_t)work->sort;
    call.parameters[5] = work->occluded != NULL;
    return tact_ask(&call, options, report);
}

tact_result tact_raycast(tact_scene* scene, tact_ray_mode mode, const tact_ray* rays, size_t count, tact_hit* hits,
                         const tact_query_options* options, tact_query_report* report)
{
    const tact_raycast_work work = {.mode = mode, .count = count, .rays = rays, .hits = hits};
    return tact_raycast_with(scene, &work, options, report);
}
