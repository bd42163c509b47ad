// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/platform.h"
#include "core/context/callers_array.h"
#include "core/scene/scene.h"
#include "core/trace/flushed.h"
#include "core/trace/ray_query.h"
#include "cpu_ref/trace/rules.h"
#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#else
typedef struct tact_gpu_cast tact_gpu_cast;
#endif

/// A cast on its way. With no `cast` on a device it is done.
typedef struct submission {
    tact_context* context;
    tact_gpu_cast* cast;
    double begin;
    uint64_t recorded;  // the number of its record, 0: none
    const tact_hit* hits;
    size_t count;
    tact_cost_late late;  // no key: nothing is to be learned
    bool at_once;         // the device had done it when submitting returned, `returned` ms
    double returned;
} submission;

typedef struct submit_arguments {
    tact_scene* scene;
    const tact_raycast_work* work;
    tact_gpu_cast* cast;
} submit_arguments;

/// Casts now, with arrays on a device brought here and back.
static tact_result cast_here(tact_scene* scene, const tact_raycast_work* given, const tact_query_options* options,
                             tact_query_report* report)
{
    tact_context* context = scene->context;
    tact_env* env = &context->env;
    tact_raycast_work work = *given;
    tact_ray* rays = work.device_rays ? tact_allocate(env, work.count, sizeof *rays) : NULL;
    tact_hit* hits = work.device_hits ? tact_allocate(env, work.count, sizeof *hits) : NULL;
    tact_result result = TACT_OK;
    if ((work.device_rays && !rays) || (work.device_hits && !hits)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && rays) {
        result = tact_callers_array_read(context, work.device_rays, rays, work.count * sizeof *rays);
        work.rays = rays;
    }
    if (hits) work.hits = hits;
    work.device_rays = work.device_hits = NULL;
    if (result == TACT_OK) result = tact_raycast_with(scene, &work, options, report);
    if (result == TACT_OK && hits) {
        result = tact_callers_array_write(context, given->device_hits, hits, work.count * sizeof *hits);
    }
    tact_release(env, rays);
    tact_release(env, hits);
    return result;
}

/// The same by one backend.
static tact_result cast_by(const submit_arguments* a, tact_backend backend, const tact_query_options* options,
                           tact_query_report* report)
{
    TACT_ASSERT(!a->cast);
    if (a->work->count == 0) return TACT_OK;
    tact_query_options here = *options;
    here.backend = backend;
    here.no_fallback = true;
    return cast_here(a->scene, a->work, &here, report);
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    (void)context;
    (void)device;
    TACT_ASSERT(report->backend != TACT_BACKEND_AUTO);
    return cast_by(arguments, report->backend, options, report);
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const submit_arguments* a = arguments;
    (void)index;
    return tact_ray_cost_cpu(device, a->scene, a->work->count, tact_ray_mode_name(a->work->mode), 1.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    submit_arguments* a = arguments;
    const tact_raycast_work* work = a->work;
    const tact_backend backend = tact_context_describe(context, index)->backend;
    const tact_device_array* array = work->device_rays ? work->device_rays : work->device_hits;
    // Rules are not for casts on their way; of another device the arrays come by way of the host.
    if (work->rules || (array && array->backend != backend)) return cast_by(a, backend, options, report);
    tact_scene* scene = a->scene;
    const tact_result refused =
        tact_refuse_flushed(scene, index, work->rays, work->count, TACT_RAY_FLOATS, TACT_RAY_LIMIT);
    if (refused != TACT_OK) return refused;
    const tact_result ready = tact_scene_catch_up(scene, index);
    if (ready != TACT_OK) return ready;
    const tact_gpu_cast_job cast = {&scene->trace, work->mode,        work->count,       work->rays,
                                    work->hits,    work->device_rays, work->device_hits, work->sort};
    tact_gpu_scene* resident = scene->kept[TACT_SCENE_TREES][index].data;
    const tact_result result = tact_gpu_cast_submit(context->devices[index], &resident, &cast, report, &a->cast);
    tact_resident_keep(&scene->kept[TACT_SCENE_TREES][index], resident, tact_gpu_scene_release);
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const submit_arguments* a = arguments;
    tact_cost cost =
        tact_ray_cost_device(device, index, a->scene, a->work->count, tact_ray_mode_name(a->work->mode), 1.0, 0.0);
    if (device->software) return cost;
    // What hardware does is not waited for: expected is what handing it over takes.
    cost.terms[TACT_COST_FIXED] = 0.1;
    cost.terms[TACT_COST_WORK] = 0.0;
    return cost;
}

#endif

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

/// Its casts are recorded as any others.
static const tact_query query = {
    .name = "submitting rays",
    TACT_BACKENDS(backends),
    .kind = TACT_RECORDED_RAYCAST,
    .word = "raycast",
    .unit = "rays",
    .asynchronous = true,
    .inputs = TACT_RAY_INPUTS,
};

static tact_result check_arrays(tact_context* context, const tact_raycast_work* work)
{
    tact_env* env = &context->env;
    const bool hits = work->hits || work->occluded;
    if (work->count > 0 && (!work->rays == !work->device_rays || hits == (work->device_hits != NULL))) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "%zu rays, but rays or hits are nowhere, or in two places at once", work->count);
    }
    if (work->count >= SIZE_MAX / sizeof(tact_ray) || work->count > UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu rays", work->count);
    }
    tact_result result = TACT_OK;
    if (work->device_rays && work->device_hits && work->device_rays->backend != work->device_hits->backend) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "rays and hits lie on different devices");
    }
    if (work->device_rays) {
        result = tact_callers_array_check(context, work->device_rays, work->count * sizeof(tact_ray));
    }
    if (result == TACT_OK && work->device_hits) {
        result = tact_callers_array_check(context, work->device_hits, work->count * sizeof(tact_hit));
    }
    return result;
}

static tact_result start(const submit_arguments* a, const tact_query_options* given, tact_query_report* report,
                         tact_gpu_cast** cast)
{
    TACT_ASSERT(a->scene->committed);
    static const tact_query_options defaults = {0};
    tact_query_options options = given ? *given : defaults;
    const tact_device_array* array = a->work->device_rays ? a->work->device_rays : a->work->device_hits;
    const bool follow = array && a->work->count > 0 && options.backend == TACT_BACKEND_AUTO;
    if (follow) options.backend = array->backend;
    // With nothing to cast there is nothing to wait for.
    if (a->work->count == 0 && options.backend != TACT_BACKEND_REFERENCE) options.backend = TACT_BACKEND_CPU;
    submit_arguments arguments = *a;
    const tact_result result = tact_dispatch_because(a->scene->context, &query, &arguments, &options,
                                                     follow ? "the rays or hits lie there" : NULL, report);
    *cast = arguments.cast;
    return result;
}

#ifdef TACT_HAVE_GPU

static tact_result poll(void* work, bool* done)
{
    const submission* s = work;
    return tact_gpu_cast_poll(s->cast, done);
}

static bool is_done(const submission* s)
{
    bool done = false;
    return tact_gpu_cast_poll(s->cast, &done) == TACT_OK && done;
}

/// Notes what can be learned from a cast when its hits are there.
static void note_late(submission* s)
{
    tact_context* context = s->context;
    s->late.key[0] = '\0';
    // Of a software device the whole cast is expected, as cost_device() says, and not only what handing it over takes.
    if (!s->cast || !context->late.key[0] || !tact_context_describe(context, context->late.device)->software) return;
    s->late = context->late;
    s->at_once = is_done(s);
    s->returned = tact_dispatch_clock(context);
}

/// The same at the start of a wait: the time between submitting and waiting is the caller's, and counts only where the
/// device has worked all the while. When a cast that is done by now was done is not known.
static void note_wait(submission* s)
{
    if (!s->late.key[0]) return;
    if (s->at_once) {
        s->late.asked += tact_dispatch_clock(s->context) - s->returned;
    } else if (is_done(s)) {
        s->late.key[0] = '\0';
    }
}

static void forget(void* work)
{
    submission* s = work;
    tact_gpu_cast_forget(s->cast);
    tact_release(&s->context->env, s);
}

#endif

static tact_result collect(void* work, tact_query_report* report)
{
    submission* s = work;
    tact_result result = TACT_OK;
#ifdef TACT_HAVE_GPU
    if (s->cast) {
        note_wait(s);
        result = tact_gpu_cast_collect(s->cast, report);
        if (result == TACT_OK) tact_dispatch_arrived(s->context, &s->late);
        report->total_ms = tact_platform_milliseconds() - s->begin;
        report->query_ms = report->total_ms - report->download_ms;
    }
#endif
    const bool told = result == TACT_OK && s->hits;
    tact_record_late(s->context, s->recorded, result, report, told ? s->hits : NULL, s->count * sizeof *s->hits);
    tact_release(&s->context->env, s);
    return result;
}

tact_result tact_raycast_submit(tact_scene* scene, const tact_raycast_work* work, const tact_query_options* options,
                                tact_query_report* report)
{
    tact_context* context = scene->context;
    tact_result result = check_arrays(context, work);
    if (result == TACT_OK) result = tact_tickets_check(context, options);
    if (result != TACT_OK) return result;
    submission* s = tact_allocate_zeroed(&context->env, 1, sizeof *s);
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    *s = (submission){
        .context = context, .begin = tact_platform_milliseconds(), .hits = work->hits, .count = work->count};
    const submit_arguments arguments = {scene, work, NULL};
    tact_query_report own;
    tact_query_report* const told = report ? report : &own;
    tact_record_call record;
    tact_call call = tact_ray_call(&query, NULL, scene, work->rays, work->count, work->rules);
    call.parameters[0] = (uint32_t)work->mode;
    call.parameters[4] = (uint32_t)work->sort;
    if (work->device_rays) call.missing = "the rays lie in a buffer of a device";
    tact_call_record(&call, options, told, &record);
    s->recorded = record.number;
#ifdef TACT_HAVE_GPU
    // What the device leaves word of is this call's until the queue is left.
    tact_monitor_enter(&context->queue);
    context->late.key[0] = '\0';
#endif
    result = start(&arguments, options, told, &s->cast);
    TACT_ASSERT(result == TACT_OK || !s->cast);
#ifdef TACT_HAVE_GPU
    static const tact_pending_type casts = {poll, collect, forget};
    if (result == TACT_OK) note_late(s);
    tact_monitor_leave(&context->queue);
    if (s->cast && record.submit.ticket) {
        record.submit.pending = (tact_pending){&casts, s, scene, report};
        return tact_record_end(&record, result);
    }
#endif
    const tact_result ended = tact_record_end(&record, result);
    if (ended == TACT_OK) return collect(s, told);
    tact_release(&context->env, s);
    return ended;
}

tact_result tact_raycast_on_device(tact_scene* scene, const tact_raycast_work* work, const tact_query_options* options,
                                   tact_query_report* report)
{
    TACT_ASSERT(work->device_rays || work->device_hits);
    tact_result result = tact_ray_check_work(scene, work);
    if (result == TACT_OK) result = check_arrays(scene->context, work);
    if (result != TACT_OK) return result;
    const bool shadow = options && options->shadow;
    // Rules without a ticket keep their own costs; bits come back of no cast on its way.
    if (shadow || work->occluded || (work->rules && !tact_ticket_asked(options))) {
        return tact_ticket_settle(scene->context, options, cast_here(scene, work, options, report), NULL);
    }
    return tact_raycast_submit(scene, work, options, report);
}
