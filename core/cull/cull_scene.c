// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/cull_scene.h"

#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/cull/cull.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "core/scene/scene.h"
#include "cpu_ref/trace/scene.h"

#ifdef TACT_HAVE_GPU
#include "gpu/cull/cull.h"
#endif

typedef struct cull_arguments {
    tact_scene* scene;
    const tact_cull_table* table;
    uint8_t* classes;  ///< by id
    bool classify;     ///< the caller wants them: without, CROSSING may stand for INSIDE
    size_t first;      ///< no id below it is wanted
} cull_arguments;

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const cull_arguments* a = arguments;
    (void)device;
    const tact_trace_scene* s = &a->scene->trace;
    if (report->backend == TACT_BACKEND_REFERENCE) {
        tact_top_cull_reference(s, a->table, a->classes);
    } else {
        tact_top_cull_cpu(s, a->table, options->threads, a->classes);
    }
    report->threads = report->backend == TACT_BACKEND_REFERENCE ? 1 : options->threads;
    report->memory_bytes =
        s->wide_top_count * sizeof *s->wide_top + s->instance_count * sizeof *s->instances + s->by_id_count;
    if (options->progress && !options->progress(1.0, options->progress_user)) {
        return tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled");
    }
    return TACT_OK;
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const cull_arguments* a = arguments;
    (void)index;
    const double work = (double)a->scene->trace.instance_count * 5e-6 / tact_dispatch_threads(device);
    return tact_cost_of(a->classify ? "classes" : "ids", 0.001, work, 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

/// The world boxes by id; such as hold nothing for ids that have none.
static tact_result boxes_of(tact_env* env, const tact_trace_scene* s, tact_aabb** boxes)
{
    *boxes = tact_allocate(env, s->by_id_count, sizeof **boxes);
    if (!*boxes) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->by_id_count; ++i)
        (*boxes)[i] = (tact_aabb){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
    for (size_t i = 0; i < s->instance_count; ++i) {
        const tact_trace_instance* in = &s->instances[i];
        (*boxes)[in->id] =
            (tact_aabb){{in->lower[0], in->lower[1], in->lower[2]}, {in->upper[0], in->upper[1], in->upper[2]}};
    }
    return TACT_OK;
}

/// All boxes side by side, which a device does sooner than it would go down a tree. They stay there until the scene
/// changes. Classes are read only where they are wanted; else the ids, which are few as a rule.
static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const cull_arguments* a = arguments;
    tact_env* env = &context->env;
    tact_scene* scene = a->scene;
    const tact_trace_scene* s = &scene->trace;
    const double start = tact_platform_milliseconds();
    tact_gpu_culler* resident = scene->kept[TACT_CULL_SCENE][index].data;
    tact_aabb* boxes = NULL;
    tact_result result = TACT_OK;
    const uint64_t version = s->top_version + 1;
    if (!tact_gpu_culler_holds(resident, version, s->by_id_count)) result = boxes_of(env, s, &boxes);
    const double made = tact_platform_milliseconds() - start;
    const tact_cull_work work = {.kind = TACT_CULL_AABBS, .volumes = boxes, .count = s->by_id_count};
    const tact_cull_job job = {.work = &work,
                               .table = a->table,
                               .classify = a->classify || options->shadow,
                               .classes = a->classes,
                               .progress = options->progress,
                               .progress_user = options->progress_user};
    uint32_t* ids = NULL;
    size_t capacity = 0;
    tact_gpu_cull_answer answer = {&ids, &capacity, 0, sizeof *boxes, version};
    if (result == TACT_OK) {
        result = tact_gpu_cull(context->devices[index], &resident, &job, &answer, report);
        tact_resident_keep(&scene->kept[TACT_CULL_SCENE][index], resident, tact_gpu_culler_release);
        report->upload_ms += made;
    }
    if (result == TACT_OK && !job.classify) {
        memset(a->classes, TACT_CULL_OUTSIDE, s->by_id_count);
        for (size_t i = 0; i < answer.kept; ++i)
            a->classes[ids[i]] = TACT_CULL_CROSSING;
    }
    tact_release(env, ids);
    tact_release(env, boxes);
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const cull_arguments* a = arguments;
    tact_resident* kept = &a->scene->kept[TACT_CULL_SCENE][index];
    const tact_trace_scene* s = &a->scene->trace;
    const size_t all = s->by_id_count;
    const bool held = tact_gpu_culler_holds(kept->data, s->top_version + 1, all);
    const double count = (double)all, planes = 2.0 + (double)a->table->count;
    const double up = held ? 0.0 : count * (double)sizeof(tact_aabb), down = a->classify ? count * 4.0 : 0.0;
    const char* method = a->classify ? "classes" : "ids";
    tact_cost cost = device->software ? tact_cost_of(method, 2.0, count * (planes * 4e-6 + 5e-6), up, 0.0)
                                      : tact_cost_of(method, 0.2, count * planes * 1e-8, up, down);
    tact_cost_stays(&cost, up, kept, s->top_version);
    return cost;
}

#endif

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    (void)options;
    const cull_arguments* a = arguments;
    const size_t count = a->scene->trace.by_id_count;
    uint8_t* expected = tact_allocate(&context->env, count, 1);
    if (!expected) return TACT_ERROR_OUT_OF_MEMORY;
    tact_top_cull_reference(&a->scene->trace, a->table, expected);
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (a->classes[i] == expected[i]) continue;
        result = tact_fail(&context->env, TACT_ERROR_SHADOW_MISMATCH,
                           "instance %zu is of class %d, the reference has %d", i, a->classes[i], expected[i]);
    }
    tact_release(&context->env, expected);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

/// The ids of all that are found, whatever room there is for them, and after these their classes where they are asked
/// for.
static void answer(const void* arguments, tact_record_call* record)
{
    const cull_arguments* a = arguments;
    const size_t all = a->scene->trace.by_id_count;
    tact_record_answer(record, a->classes, 0);
    for (size_t i = a->first; i < all; ++i) {
        const uint32_t id = (uint32_t)i;
        if (a->classes[i] != TACT_CULL_OUTSIDE) tact_record_answer(record, &id, sizeof id);
    }
    for (size_t i = a->first; i < all && a->classify; ++i)
        if (a->classes[i] != TACT_CULL_OUTSIDE) tact_record_answer(record, &a->classes[i], 1);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_scene* scene = (tact_scene*)(uintptr_t)r->given[0].data;
    const size_t all = scene->trace.by_id_count;
    uint32_t* ids = tact_request_list(r, 0, all, sizeof *ids);
    uint8_t* classes = tact_request_list(r, 1, r->parameters[1] ? all : 0, 1);
    if (!ids || !classes) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    const tact_cull_scene_work work = {
        .planes = r->given[1].data, .plane_count = (uint32_t)r->given[1].count, .first = r->parameters[0]};
    return tact_cull_scene(
        scene, &work,
        &(tact_cull_room){
            .ids = ids, .capacity = all, .count = &r->count, .classes = r->parameters[1] ? classes : NULL},
        options, report);
}

enum { IDS, CLASSES, MIXED };

static tact_result sample(tact_sample* s)
{
    static const tact_plane across[2] = {{{1, 0, 0}, 0.5f}, {{0, 1, 0}, 1.25f}};
    s->request.parameters[1] = s->of->variant != 0;
    if (s->of->variant == MIXED) {
        s->request.parameters[0] = 1;  // the first one is left out
        s->request.given[1] = (tact_given){across, 2};
        return tact_sample_mixed_scene(s, true);
    }
    tact_sample_planes(s);
    return tact_sample_scene(s, 8, s->size);
}

static const tact_query_sample samples[] = {
    {"ids", "instances", 64, 1 << 16, IDS, false},
    {"classes", "instances", 64, 1 << 16, CLASSES, false},
};
static const tact_query_sample features[] = {
    {.items = "instances of a mixed scene", .smallest = 2, .largest = 2, .variant = MIXED}};

const tact_query tact_query_cull_scene = {
    .name = "culling a scene",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_CULL_SCENE,
    .word = "scene-cull",
    .unit = "instances",
    .inputs = {{.type = TACT_CHUNK_SCENE}, {TACT_CHUNK_ARRAY, false, "planes", 4, TACT_RECORDED_FLOATS}},
    .answer = answer,
    .ask = ask,
    .check = tact_cull_check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static tact_result check_work(tact_scene* scene, const tact_cull_scene_work* work, const tact_cull_room* room)
{
    tact_env* env = &scene->context->env;
    if (work->plane_count > TACT_CULL_PLANES_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u planes; at most %d", work->plane_count,
                         TACT_CULL_PLANES_MAX);
    }
    if (work->plane_count > 0 && !work->planes) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u planes, but the array is NULL", work->plane_count);
    }
    if (room->capacity > 0 && !room->ids) return tact_null(env, "ids");
    return tact_scene_require_committed(scene);
}

tact_result tact_cull_scene(tact_scene* scene, const tact_cull_scene_work* work, const tact_cull_room* room,
                            const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!work) return tact_null(&scene->context->env, "work");
    if (!room || !room->count) return tact_null(&scene->context->env, room ? "count" : "room");
    tact_env* env = &scene->context->env;
    const tact_result checked = check_work(scene, work, room);
    if (checked != TACT_OK) return checked;
    const size_t all = scene->trace.by_id_count;
    tact_cull_table* table = tact_allocate(env, 1, sizeof *table);
    uint8_t* found = tact_allocate(env, all, 1);
    tact_result result = table && found ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        cull_arguments arguments = {scene, table, found, room->classes != NULL, work->first};
        const tact_call call = {.context = scene->context,
                                .query = &tact_query_cull_scene,
                                .arguments = &arguments,
                                .count = all,
                                .given = {{scene, 1}, {work->planes, work->plane_count}},
                                .parameters = {work->first, room->classes != NULL}};
        tact_float_env float_env;
        tact_float_env_enter(&float_env);
        tact_cull_table_make(table, work->planes, work->plane_count, false);
        result = tact_ask(&call, options, report);
        tact_float_env_leave(&float_env);
    }
    if (result == TACT_OK) {
        size_t count = 0;
        for (size_t i = work->first; i < all; ++i) {
            if (found[i] == TACT_CULL_OUTSIDE) continue;
            if (count < room->capacity) {
                room->ids[count] = (uint32_t)i;
                if (room->classes) room->classes[count] = found[i];
            }
            ++count;
        }
        *room->count = count;
        if (count > room->capacity) result = TACT_INCOMPLETE;
    }
    tact_release(env, table);
    tact_release(env, found);
    return tact_ticket_settle(scene->context, options, result, NULL);
}
