// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/raycast_all.h"

#include <string.h>

#include "core/query/sample.h"
#include "core/scene/scene.h"
#include "core/trace/flushed.h"
#include "core/trace/ray_query.h"
#include "cpu_ref/trace/rules.h"
#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#endif

typedef struct all_arguments {
    tact_scene* scene;
    const tact_ray* rays;
    size_t count;
    uint32_t max_hits;
    tact_trace_hits out;  // the caller's arrays
    const tact_ray_rules* rules;
} all_arguments;

static tact_trace_all_job job_of(const all_arguments* a, bool brute, const tact_query_options* options)
{
    return (tact_trace_all_job){.scene = &a->scene->trace,
                                .rays = a->rays,
                                .count = a->count,
                                .max_hits = a->max_hits,
                                .threads = options->threads,
                                .brute = brute,
                                .progress = options->progress,
                                .progress_user = options->progress_user,
                                .rules = a->rules};
}

static tact_result trace(tact_env* env, const all_arguments* a, bool brute, const tact_query_options* options,
                         tact_trace_hits* out)
{
    const tact_trace_all_job job = job_of(a, brute, options);
    tact_result result = tact_scene_catch_up(a->scene, 0);
    if (result == TACT_OK) result = tact_trace_all(env, &job, out);
    if (result != TACT_OK) return result;
    return out->offsets[a->count] > out->capacity ? TACT_INCOMPLETE : TACT_OK;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    all_arguments* a = arguments;
    (void)device;
    const tact_trace_scene* s = &a->scene->trace;
    const tact_result result = trace(&context->env, a, report->backend == TACT_BACKEND_REFERENCE, options, &a->out);
    report->threads = options->threads;
    report->memory_bytes = tact_trace_scene_bytes(s) + a->count * (sizeof(tact_ray) + sizeof *a->out.offsets) +
                           a->out.capacity * sizeof(tact_hit);
    return result;
}

// Rates of an ordinary desktop, as for other casts; beside what a cast that counts costs, hits are kept and sorted.

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const all_arguments* a = arguments;
    (void)index;
    return tact_ray_cost_cpu(device, a->scene, a->count, NULL, 2.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    all_arguments* a = arguments;
    tact_scene* scene = a->scene;
    const tact_trace_all_job job = job_of(a, false, options);
    const tact_result refused = tact_refuse_flushed(scene, index, a->rays, a->count, TACT_RAY_FLOATS, TACT_RAY_LIMIT);
    if (refused != TACT_OK) return refused;
    const tact_result ready = tact_scene_catch_up(scene, index);
    if (ready != TACT_OK) return ready;
    tact_gpu_scene* resident = scene->kept[TACT_SCENE_TREES][index].data;
    const tact_result result = tact_gpu_raycast_all(context->devices[index], &resident, &job, &a->out, report);
    tact_resident_keep(&scene->kept[TACT_SCENE_TREES][index], resident, tact_gpu_scene_release);
    return result == TACT_OK && a->out.offsets[a->count] > a->out.capacity ? TACT_INCOMPLETE : result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const all_arguments* a = arguments;
    // Rays are cast twice, and what they hit is sorted. There may be room for far more than they hit.
    const double most = 4.0 * (double)a->count, room = (double)a->out.capacity;
    const double found = (room < most ? room : most) * (double)sizeof(tact_hit);
    tact_cost cost = tact_ray_cost_device(device, index, a->scene, a->count, NULL, device->software ? 3.0 : 4.0, found);
    cost.terms[TACT_COST_FIXED] = device->software ? 5.0 : 0.5;
    return cost;
}

#endif

/// Compares what both have: the offsets, and those hits for which there was room.
static tact_result compare(tact_env* env, const all_arguments* a, const tact_trace_hits* expected)
{
    for (size_t i = 0; i < a->count; ++i) {
        const uint64_t from = a->out.offsets[i], to = a->out.offsets[i + 1];
        if (from != expected->offsets[i] || to != expected->offsets[i + 1]) {
            return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "ray %zu has %llu hits, the reference's %llu", i,
                             (unsigned long long)(to - from),
                             (unsigned long long)(expected->offsets[i + 1] - expected->offsets[i]));
        }
        for (uint64_t k = from; k < to && k < a->out.capacity; ++k) {
            const tact_hit *h = &a->out.hits[k], *e = &expected->hits[k];
            if (memcmp(h, e, sizeof *h) == 0) continue;
            return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                             "hit %llu of ray %zu is %u/%u t %a u %a v %a, the reference has %u/%u t %a u %a v %a",
                             (unsigned long long)(k - from), i, h->instance, h->primitive, (double)h->t, (double)h->u,
                             (double)h->v, e->instance, e->primitive, (double)e->t, (double)e->u, (double)e->v);
        }
    }
    return TACT_OK;
}

static tact_result compare_all(tact_context* context, void* arguments, const tact_query_options* options)
{
    const all_arguments* a = arguments;
    tact_env* env = &context->env;
    tact_trace_hits expected = {.capacity = a->out.capacity};
    expected.offsets = tact_allocate(env, a->count + 1, sizeof *expected.offsets);
    const uint64_t there = a->out.offsets[a->count];
    if (there < expected.capacity) expected.capacity = (size_t)there;
    expected.hits = tact_allocate(env, expected.capacity, sizeof *expected.hits);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (expected.offsets && expected.hits) result = trace(env, a, true, options, &expected);
    if (result >= TACT_OK) result = compare(env, a, &expected);
    tact_release(env, expected.offsets);
    tact_release(env, expected.hits);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const all_arguments* a = arguments;
    const uint64_t found = a->out.offsets[a->count], there = found < a->out.capacity ? found : a->out.capacity;
    tact_record_answer(record, a->out.offsets, (a->count + 1) * sizeof *a->out.offsets);
    tact_record_answer(record, a->out.hits, (size_t)there * sizeof *a->out.hits);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_ray_rules rules;
    const size_t count = r->given[1].count;
    const uint64_t capacity = tact_request_wide(r, 4);
    uint64_t* offsets = tact_request_room(r, 0, (uint64_t)count + 1, sizeof *offsets);
    tact_hit* hits = tact_request_list(r, 1, capacity, sizeof *hits);
    if (!offsets || !hits) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    const tact_result result = tact_raycast_all((tact_scene*)(uintptr_t)r->given[0].data,
                                                &(tact_raycast_all_work){.rays = r->given[1].data,
                                                                         .count = count,
                                                                         .max_hits = r->parameters[0],
                                                                         .rules = tact_ray_rules_of(r, &rules),
                                                                         .offsets = offsets,
                                                                         .hits = hits,
                                                                         .capacity = (size_t)capacity},
                                                options, report);
    r->count = result >= TACT_OK ? (size_t)offsets[count] : 0;
    return result;
}

enum { FIRST_HITS, LITTLE_ROOM, EVERY_HIT };

static tact_result sample(tact_sample* s)
{
    enum { MOST = 4, ALL = 40 };
    const uint64_t room[] = {MOST * (uint64_t)s->size, s->size / 2, ALL * (uint64_t)s->size};
    const uint32_t variant = s->of->variant;
    s->request.parameters[0] = variant == EVERY_HIT ? 0 : MOST;
    tact_request_set_wide(&s->request, 4, room[variant]);
    const tact_result result = variant == EVERY_HIT ? tact_ray_sample_rules(s) : TACT_OK;
    return result == TACT_OK ? tact_ray_sample(s, variant != FIRST_HITS) : result;
}

static const tact_query_sample samples[] = {{NULL, "rays", 64, 1 << 17, FIRST_HITS, false}};
static const tact_query_sample features[] = {
    {.items = "rays with little room", .smallest = 40, .largest = 400, .variant = LITTLE_ROOM},
    {.items = "every hit by rules", .smallest = 40, .largest = 400, .variant = EVERY_HIT},
};

const tact_query tact_query_raycast_all = {
    .name = "casting rays for all hits",
    TACT_BACKENDS(backends),
    .compare = compare_all,
    .kind = TACT_RECORDED_RAYCAST_ALL,
    .word = "raycast-all",
    .unit = "rays",
    .inputs = TACT_RAY_INPUTS,
    .answer = answer,
    .ask = ask,
    .check = tact_ray_check_request,
    .room = 1 + 4,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

/// The CPU alone has these.
static const tact_query_backend host_backends[] = {TACT_HOST_BACKENDS(run_host, cost_cpu, run_host)};

static const tact_query by_rules = {
    .name = "casting rays for all hits by rules",
    TACT_BACKENDS(host_backends),
    .compare = compare_all,
    .kind = TACT_RECORDED_RAYCAST_ALL,
    .word = "raycast-all",
    .unit = "rays",
    .inputs = TACT_RAY_INPUTS,
    .answer = answer,
};

static tact_result check_arguments(tact_env* env, const all_arguments* a)
{
    if (!a->out.offsets) return tact_null(env, "offsets");
    if (a->count > 0 && !a->rays) return tact_null(env, "rays");
    if (a->out.capacity > 0 && !a->out.hits) return tact_null(env, "hits");
    if (a->count >= SIZE_MAX / sizeof(tact_ray)) return tact_fail(env, TACT_ERROR_LIMIT, "%zu rays", a->count);
    return tact_ray_check(a->scene, a->rules);
}

tact_result tact_raycast_all(tact_scene* scene, const tact_raycast_all_work* work, const tact_query_options* options,
                             tact_query_report* report)
{
    if (!tact_enter_query(scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!work) return tact_null(&scene->context->env, "work");
    const tact_ray_rules* rules = work->rules;
    all_arguments arguments = {
        scene, work->rays, work->count, work->max_hits, {work->offsets, work->hits, work->capacity}, rules};
    const tact_result checked = check_arguments(&scene->context->env, &arguments);
    if (checked != TACT_OK) return checked;
    tact_call call = tact_ray_call(tact_trace_on_device(rules) ? &tact_query_raycast_all : &by_rules, &arguments, scene,
                                   work->rays, work->count, rules);
    call.parameters[0] = work->max_hits;
    call.parameters[4] = (uint32_t)work->capacity;
    call.parameters[5] = (uint32_t)((uint64_t)work->capacity >> 32);
    return tact_ask(&call, options, report);
}
