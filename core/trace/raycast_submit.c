// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/raycast_submit.h"

#include <string.h>

#include "base/platform.h"
#include "core/context/callers_array.h"
#include "core/scene/scene.h"
#include "core/trace/ray_query.h"
#include "cpu_ref/trace/rules.h"
#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#else
typedef struct tact_gpu_cast tact_gpu_cast;
#endif

/// A place for a cast on its way. With no `cast` on a device it is done.
typedef struct tact_submission {
    tact_raycast_ticket ticket;  // 0: free
    tact_gpu_cast* cast;
    tact_query_report report;
    double begin;
    uint64_t recorded;  // the number of its record, 0: none
    const tact_hit* hits;
    size_t count;
    tact_cost_late late;  // no key: nothing is to be learned
    bool at_once;         // the device had done it when submitting returned, `returned` ms
    double returned;
} tact_submission;

/// Kept by the scene from the first one on.
typedef struct submissions {
    tact_env* env;
    tact_submission places[TACT_MAX_SUBMITTED_CASTS];
} submissions;

typedef struct submit_arguments {
    tact_scene* scene;
    const tact_raycast_work* job;
    tact_gpu_cast* cast;
} submit_arguments;

/// Casts host arrays now.
static tact_result cast_now(const submit_arguments* a, const tact_ray* rays, tact_hit* hits, tact_backend backend,
                            const tact_query_options* options, tact_query_report* report)
{
    tact_query_options here = *options;
    here.backend = backend;
    here.no_fallback = true;
    return tact_raycast(a->scene, a->job->mode, rays, a->job->count, hits, &here, report);
}

/// The same with arrays on a device brought here and back.
static tact_result cast_here(tact_context* context, const submit_arguments* a, tact_backend backend,
                             const tact_query_options* options, tact_query_report* report)
{
    TACT_ASSERT(!a->cast);
    const tact_raycast_work* job = a->job;
    tact_env* env = &context->env;
    if (job->count == 0) return TACT_OK;
    tact_ray* rays = job->device_rays ? tact_allocate(env, job->count, sizeof *rays) : NULL;
    tact_hit* hits = job->device_hits ? tact_allocate(env, job->count, sizeof *hits) : NULL;
    tact_result result = TACT_OK;
    if ((job->device_rays && !rays) || (job->device_hits && !hits)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && rays) {
        result = tact_callers_array_read(context, job->device_rays, rays, job->count * sizeof *rays);
    }
    if (result == TACT_OK) {
        result = cast_now(a, rays ? rays : job->rays, hits ? hits : job->hits, backend, options, report);
    }
    if (result == TACT_OK && hits) {
        result = tact_callers_array_write(context, job->device_hits, hits, job->count * sizeof *hits);
    }
    tact_release(env, rays);
    tact_release(env, hits);
    return result;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    (void)device;
    TACT_ASSERT(report->backend != TACT_BACKEND_AUTO);
    return cast_here(context, arguments, report->backend, options, report);
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const submit_arguments* a = arguments;
    (void)index;
    return tact_ray_cost_cpu(device, a->scene, a->job->count, tact_ray_mode_name(a->job->mode), 1.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    submit_arguments* a = arguments;
    const tact_raycast_work* job = a->job;
    const tact_backend backend = tact_context_describe(context, index)->backend;
    const tact_device_array* array = job->device_rays ? job->device_rays : job->device_hits;
    // Another device than the one where the arrays lie: by way of the host.
    if (array && array->backend != backend) return cast_here(context, a, backend, options, report);
    tact_scene* scene = a->scene;
    const tact_gpu_cast_job cast = {&scene->trace, job->mode,        job->count,       job->rays,
                                    job->hits,     job->device_rays, job->device_hits, options->ray_sort};
    tact_gpu_scene* resident = scene->kept[TACT_SCENE_TREES][index].data;
    const tact_result result = tact_gpu_cast_submit(context->devices[index], &resident, &cast, report, &a->cast);
    tact_resident_keep(&scene->kept[TACT_SCENE_TREES][index], resident, tact_gpu_scene_release);
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const submit_arguments* a = arguments;
    tact_cost cost =
        tact_ray_cost_device(device, index, a->scene, a->job->count, tact_ray_mode_name(a->job->mode), 1.0, 0.0);
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

static tact_result check_arrays(tact_context* context, const tact_raycast_work* job)
{
    tact_env* env = &context->env;
    if (job->count > 0 && (!job->rays == !job->device_rays || !job->hits == !job->device_hits)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "%zu rays, but rays or hits are nowhere, or in two places at once", job->count);
    }
    if (job->count >= SIZE_MAX / sizeof(tact_ray) || job->count > UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu rays", job->count);
    }
    tact_result result = TACT_OK;
    if (job->device_rays && job->device_hits && job->device_rays->backend != job->device_hits->backend) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "rays and hits lie on different devices");
    }
    if (job->device_rays) {
        result = tact_callers_array_check(context, job->device_rays, job->count * sizeof(tact_ray));
    }
    if (result == TACT_OK && job->device_hits) {
        result = tact_callers_array_check(context, job->device_hits, job->count * sizeof(tact_hit));
    }
    return result;
}

static tact_result check_job(tact_scene* scene, const tact_raycast_work* job, const tact_query_options* options)
{
    tact_env* env = &scene->context->env;
    if ((unsigned)job->mode > TACT_RAY_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no ray mode %d", (int)job->mode);
    }
    const tact_result checked = tact_ray_check(scene, NULL);
    if (checked != TACT_OK) return checked;
    if (options && options->shadow) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "casts that are submitted are not compared with the reference");
    }
    return check_arrays(scene->context, job);
}

static tact_submission* find(const tact_scene* scene, tact_raycast_ticket ticket)
{
    submissions* s = scene->kept[TACT_SCENE_SUBMITTED][0].data;
    for (size_t i = 0; s && i < TACT_MAX_SUBMITTED_CASTS; ++i) {
        if (s->places[i].ticket == ticket) return &s->places[i];
    }
    return NULL;
}

/// Forgets a cast, on its way or not.
static void forget(tact_submission* place)
{
    TACT_ASSERT(place->ticket != 0 || !place->cast);
#ifdef TACT_HAVE_GPU
    if (place->cast) tact_gpu_cast_forget(place->cast);
#endif
    memset(place, 0, sizeof *place);
}

static void release_submissions(void* kept)
{
    submissions* s = kept;
    for (size_t i = 0; i < TACT_MAX_SUBMITTED_CASTS; ++i)
        forget(&s->places[i]);
    tact_release(s->env, s);
}

static tact_result find_free(tact_scene* scene, tact_submission** place)
{
    tact_env* env = &scene->context->env;
    tact_resident* kept = &scene->kept[TACT_SCENE_SUBMITTED][0];
    if (!kept->data) {
        submissions* s = tact_allocate_zeroed(env, 1, sizeof *s);
        if (!s) return TACT_ERROR_OUT_OF_MEMORY;
        s->env = env;
        tact_resident_keep(kept, s, release_submissions);
    }
    *place = find(scene, 0);
    TACT_ASSERT(!*place || !(*place)->cast);
    if (*place) return TACT_OK;
    return tact_fail(env, TACT_ERROR_LIMIT, "%d casts are on their way", TACT_MAX_SUBMITTED_CASTS);
}

static tact_result start(const submit_arguments* a, const tact_query_options* given, tact_query_report* report,
                         tact_gpu_cast** cast)
{
    TACT_ASSERT(a->scene->committed);
    static const tact_query_options defaults = {0};
    tact_query_options options = given ? *given : defaults;
    const tact_device_array* array = a->job->device_rays ? a->job->device_rays : a->job->device_hits;
    const bool follow = array && a->job->count > 0 && options.backend == TACT_BACKEND_AUTO;
    if (follow) options.backend = array->backend;
    // With nothing to cast there is nothing to wait for.
    if (a->job->count == 0 && options.backend != TACT_BACKEND_REFERENCE) options.backend = TACT_BACKEND_CPU;
    submit_arguments arguments = *a;
    const tact_result result = tact_dispatch_because(a->scene->context, &query, &arguments, &options,
                                                     follow ? "the rays or hits lie there" : NULL, report);
    *cast = arguments.cast;
    return result;
}

#ifdef TACT_HAVE_GPU

static bool is_done(const tact_submission* place)
{
    bool done = false;
    return tact_gpu_cast_poll(place->cast, &done) == TACT_OK && done;
}

/// Notes what can be learned from a cast when its hits are there.
static void note_late(const tact_context* context, tact_submission* place)
{
    place->late.key[0] = '\0';
    // Of a software device the whole cast is expected, as cost_device() says, and not only what handing it over takes.
    if (!place->cast || !context->late.key[0] || !tact_context_describe(context, context->late.device)->software)
        return;
    place->late = context->late;
    place->at_once = is_done(place);
    place->returned = tact_dispatch_clock(context);
}

/// The same at the start of a wait: the time between submitting and waiting is the caller's, and counts only where the
/// device has worked all the while. When a cast that is done by now was done is not known.
static void note_wait(const tact_context* context, tact_submission* place)
{
    if (!place->late.key[0]) return;
    if (place->at_once) {
        place->late.asked += tact_dispatch_clock(context) - place->returned;
    } else if (is_done(place)) {
        place->late.key[0] = '\0';
    }
}

#else

static void note_late(const tact_context* context, tact_submission* place)
{
    (void)context;
    (void)place;
}

#endif

tact_result tact_raycast_submit(tact_scene* scene, const tact_raycast_work* job, const tact_query_options* options,
                                tact_raycast_ticket* ticket)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!job) return tact_null(&scene->context->env, "job");
    if (!ticket) return tact_null(&scene->context->env, "ticket");
    *ticket = 0;
    tact_submission* place = NULL;
    tact_result result = check_job(scene, job, options);
    if (result == TACT_OK) result = find_free(scene, &place);
    if (result != TACT_OK) return result;
    const submit_arguments arguments = {scene, job, NULL};
    place->begin = tact_platform_milliseconds();
    place->hits = job->hits;
    place->count = job->count;
    tact_record_call record;
    tact_call call = tact_ray_call(&query, NULL, scene, job->rays, job->count, NULL);
    call.parameters[0] = (uint32_t)job->mode;
    if (job->device_rays) call.missing = "the rays lie in a buffer of a device";
    tact_call_record(&call, options, &place->report, &record);
    result = tact_record_end(&record, start(&arguments, options, &place->report, &place->cast));
    if (result != TACT_OK) return result;
    place->recorded = record.number;
    note_late(scene->context, place);
    place->ticket = *ticket = ++scene->last_ticket;
    return TACT_OK;
}

static tact_result find_ticket(tact_scene* scene, tact_raycast_ticket ticket, tact_submission** place)
{
    *place = ticket ? find(scene, ticket) : NULL;
    if (*place) return TACT_OK;
    return tact_fail(&scene->context->env, TACT_ERROR_INVALID_ARGUMENT, "no cast has the ticket %llu",
                     (unsigned long long)ticket);
}

tact_result tact_raycast_poll(tact_scene* scene, tact_raycast_ticket ticket, bool* done)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!done) return tact_null(&scene->context->env, "done");
    *done = false;
    tact_submission* place = NULL;
    const tact_result result = find_ticket(scene, ticket, &place);
    if (result != TACT_OK) return result;
#ifdef TACT_HAVE_GPU
    if (place->cast) return tact_gpu_cast_poll(place->cast, done);
#endif
    *done = true;
    return TACT_OK;
}

tact_result tact_raycast_wait(tact_scene* scene, tact_raycast_ticket ticket, tact_query_report* report)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_submission* place = NULL;
    tact_result result = find_ticket(scene, ticket, &place);
    if (result != TACT_OK) return result;
#ifdef TACT_HAVE_GPU
    if (place->cast) {
        note_wait(scene->context, place);
        result = tact_gpu_cast_collect(place->cast, &place->report);
        if (result == TACT_OK) tact_dispatch_arrived(scene->context, &place->late);
        place->report.total_ms = tact_platform_milliseconds() - place->begin;
        place->report.query_ms = place->report.total_ms - place->report.download_ms;
    }
#endif
    const bool told = result == TACT_OK && place->hits;
    tact_record_late(scene->context, place->recorded, result, &place->report, told ? place->hits : NULL,
                     place->count * sizeof *place->hits);
    if (report) *report = place->report;
    memset(place, 0, sizeof *place);
    return result;
}

void tact_raycast_cancel(tact_scene* scene, tact_raycast_ticket ticket)
{
    tact_submission* place = scene && ticket ? find(scene, ticket) : NULL;
    if (place) forget(place);
}
