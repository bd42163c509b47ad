// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/scene_cull.h"

#include <string.h>

#include "core/dispatch.h"
#include "core/float_env.h"
#include "core/platform.h"
#include "core/scene.h"
#include "cpu_ref/trace/top_cull.h"

typedef struct cull_arguments {
    tact_scene* scene;
    const tact_cull_table* table;
    uint8_t* classes;  ///< by id
} cull_arguments;

typedef void cull_fn(const tact_trace_scene* scene, const tact_cull_table* table, uint8_t* classes);

static tact_result run(tact_context* context, const cull_arguments* a, const tact_query_options* options,
                       tact_query_report* report, cull_fn* cull)
{
    const tact_trace_scene* s = &a->scene->trace;
    const double start = tact_platform_milliseconds();
    cull(s, a->table, a->classes);
    report->query_ms = tact_platform_milliseconds() - start;
    report->threads = 1;
    report->memory_bytes =
        s->wide_top_count * sizeof *s->wide_top + s->instance_count * sizeof *s->instances + s->by_id_count;
    if (options->progress && !options->progress(1.0, options->progress_user)) {
        return tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled");
    }
    return TACT_OK;
}

static tact_result run_cpu(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                           tact_query_report* report)
{
    (void)device;
    return run(context, arguments, options, report, tact_top_cull_cpu);
}

static tact_result run_reference(tact_context* context, uint32_t device, void* arguments,
                                 const tact_query_options* options, tact_query_report* report)
{
    (void)device;
    return run(context, arguments, options, report, tact_top_cull_reference);
}

static double estimate_cpu(const tact_device_info* device, const void* arguments)
{
    const cull_arguments* a = arguments;
    (void)device;
    return 0.001 + (double)a->scene->trace.instance_count * 5e-6;
}

static double estimate_reference(const tact_device_info* device, const void* arguments)
{
    const cull_arguments* a = arguments;
    (void)device;
    return 0.002 + (double)a->scene->trace.instance_count * 5e-5;
}

static tact_result check(tact_context* context, void* arguments, const tact_query_options* options)
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

static const tact_query_backend backends[] = {
    {TACT_BACKEND_CPU, run_cpu, estimate_cpu},
    {TACT_BACKEND_REFERENCE, run_reference, estimate_reference},
};

static const tact_query query = {"culling a scene", backends, sizeof backends / sizeof backends[0], check};

/// Asks the CPU in place of a device.
static tact_result ask(tact_context* context, cull_arguments* a, const tact_query_options* options,
                       tact_query_report* report)
{
    if (!options || (options->backend != TACT_BACKEND_GL && options->backend != TACT_BACKEND_CL)) {
        return tact_dispatch(context, &query, a, options, report);
    }
    const char* name = tact_backend_name(options->backend);
    if (options->no_fallback) {
        return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "%s does not cull scenes; the CPU does", name);
    }
    char why[64] = "";
    strcat(strcat(why, name), " does not cull scenes; the CPU does");
    tact_query_options instead = *options;
    instead.backend = TACT_BACKEND_CPU;
    return tact_dispatch_because(context, &query, a, &instead, why, report);
}

static tact_result check_work(tact_scene* scene, const tact_scene_cull_work* work, const uint32_t* ids, size_t capacity)
{
    tact_env* env = &scene->context->env;
    if (work->plane_count > TACT_CULL_PLANES_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u planes; at most %d", work->plane_count,
                         TACT_CULL_PLANES_MAX);
    }
    if ((work->plane_count > 0 && !work->planes) || (capacity > 0 && !ids)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "planes or ids is NULL");
    }
    if (!scene->committed) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the scene has changes that are not committed");
    }
    return TACT_OK;
}

tact_result tact_scene_cull(tact_scene* scene, const tact_scene_cull_work* work, uint32_t* ids, size_t capacity,
                            size_t* count, uint8_t* classes, const tact_query_options* options,
                            tact_query_report* report)
{
    if (!scene || !work || !count) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &scene->context->env;
    const tact_result checked = check_work(scene, work, ids, capacity);
    if (checked != TACT_OK) return checked;
    const size_t all = scene->trace.by_id_count;
    tact_cull_table* table = tact_allocate(env, 1, sizeof *table);
    uint8_t* found = tact_allocate(env, all, 1);
    tact_result result = table && found ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        tact_float_env float_env;
        tact_float_env_enter(&float_env);
        tact_cull_table_make(table, work->planes, work->plane_count, false);
        cull_arguments arguments = {scene, table, found};
        result = ask(scene->context, &arguments, options, report);
        tact_float_env_leave(&float_env);
    }
    if (result == TACT_OK) {
        *count = 0;
        for (size_t i = work->first; i < all; ++i) {
            if (found[i] == TACT_CULL_OUTSIDE) continue;
            if (*count < capacity) {
                ids[*count] = (uint32_t)i;
                if (classes) classes[*count] = found[i];
            }
            ++*count;
        }
        if (*count > capacity) result = TACT_INCOMPLETE;
    }
    tact_release(env, table);
    tact_release(env, found);
    return result;
}
