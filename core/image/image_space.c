// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/image_space.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/context/callers_array.h"
#include "core/context/residents.h"
#include "core/dispatch/dispatch.h"
#include "core/mesh/desc.h"
#include "core/query/sample.h"
#include "core/record/record.h"
#include "cpu_ref/image/image.h"
#ifdef TACT_HAVE_GPU
#include "gpu/image/image.h"
#endif

enum { RESOLUTION_DEFAULT = 64 };

struct tact_image_tester {
    tact_context* context;
    tact_resident kept[2][TACT_MAX_DEVICES];  ///< what makes images of convex and concave objects, on each device
};

tact_result tact_image_tester_create(tact_context* context, tact_image_tester** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "tester");
    *out = tact_allocate_zeroed(&context->env, 1, sizeof **out);
    if (!*out) return TACT_ERROR_OUT_OF_MEMORY;
    (*out)->context = context;
    ++context->objects;
    return TACT_OK;
}

void tact_image_tester_destroy(tact_image_tester* tester)
{
    if (!tester) return;
    for (int i = 0; i < 2; ++i)
        tact_residents_release(tester->kept[i], TACT_MAX_DEVICES);
    --tester->context->objects;
    tact_release(&tester->context->env, tester);
}

// ---- Checks ----

static tact_result check_poses(tact_env* env, const tact_image_body* body, size_t count, const char* name)
{
    if (body->pose_count > 1 && body->pose_count != count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s has %zu poses for %zu tests", name,
                         body->pose_count, count);
    }
    if (body->pose_count > 0 && !body->poses) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s has %zu poses, but the array is NULL", name,
                         body->pose_count);
    }
    for (size_t i = 0; i < body->pose_count; ++i) {
        for (int k = 0; k < 12; ++k) {
            if (!(fabsf(body->poses[i][k]) <= TACT_MAX_COORDINATE)) {
                return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                                 "pose %zu of object %s: its number %d is %g; at most %g", i, name, k,
                                 (double)body->poses[i][k], (double)TACT_MAX_COORDINATE);
            }
        }
    }
    return TACT_OK;
}

static tact_result check_body(tact_context* context, const tact_image_body* body, const char* name)
{
    const tact_mesh_limits limits = {.triangles = (size_t)1 << 28,
                                     .vertices = (size_t)1 << 30,
                                     .stride = UINT16_MAX,
                                     .device_positions = true,
                                     .device_indices = true};
    const tact_result result = tact_mesh_desc_check(context, &body->mesh, &limits);
    return result == TACT_OK ? result : tact_fail_within(&context->env, result, "object %s: ", name);
}

static bool by_stencil(const tact_image_job* job)
{
    return job->options.method == TACT_IMAGE_STENCIL;
}

/// Of the method that one part of one device has.
static tact_result check_stencil(tact_env* env, const tact_image_work* work, const tact_image_job* job,
                                 const tact_query_options* query)
{
    if (!by_stencil(job)) return TACT_OK;
    if (!job->concave) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the stencil method is of tact_image_concave() alone");
    }
    if (work->cells) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the stencil method sees no cells, so there is no picture");
    }
    if (query && query->shadow) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "the stencil method is approximate: there is no reference to compare it with");
    }
    if (job->options.making == TACT_IMAGE_COMPUTED) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the stencil method is drawn: kernels have no stencil buffer");
    }
    if (query && query->backend != TACT_BACKEND_AUTO && query->backend != TACT_BACKEND_GL) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "%s was selected, but OpenGL alone has the stencil method",
                         tact_backend_name(query->backend));
    }
    return TACT_OK;
}

static tact_result check_options(tact_env* env, tact_image_options* options)
{
    if (options->resolution == 0) options->resolution = RESOLUTION_DEFAULT;
    if (options->resolution < TACT_IMAGE_RESOLUTION_MIN || options->resolution > TACT_IMAGE_RESOLUTION_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a resolution of %u: %d to %d",
                         (unsigned)options->resolution, (int)TACT_IMAGE_RESOLUTION_MIN, (int)TACT_IMAGE_RESOLUTION_MAX);
    }
    if (options->method < TACT_IMAGE_QUERY || options->method > TACT_IMAGE_STENCIL) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no method %d", (int)options->method);
    }
    if (options->making < TACT_IMAGE_MADE_EITHER_WAY || options->making > TACT_IMAGE_COMPUTED) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no way %d of making images", (int)options->making);
    }
    return TACT_OK;
}

/// One call.
typedef struct image_arguments {
    tact_image_tester* tester;
    tact_image_job job;
} image_arguments;

static tact_result check_pictures(tact_env* env, const tact_image_work* work, bool concave)
{
    if (!work->layers && !work->cells) return TACT_OK;
    if (concave ? work->layers != NULL : work->cells != NULL) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s objects are seen in %s", concave ? "closed" : "convex",
                         concave ? "cells, not layers" : "layers, not cells");
    }
    if (work->count == 1) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a picture of %zu tests; of one", work->count);
}

/// Checks a call, and fills in its job but for what is found of the objects.
static tact_result check_call(tact_image_tester* tester, const tact_image_work* work, const tact_query_options* query,
                              tact_image_job* job)
{
    tact_env* env = &tester->context->env;
    const tact_image_body* const bodies[2] = {work->a, work->b};
    if (!work->a || !work->b || (work->count > 0 && !work->results)) {
        return tact_null(env, !work->a ? "a" : !work->b ? "b" : "results");
    }
    if (work->count > UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu tests; they are numbered in 32 bits", work->count);
    }
    if (work->options) job->options = *work->options;
    tact_result result = check_options(env, &job->options);
    if (result == TACT_OK) result = check_pictures(env, work, job->concave);
    if (result == TACT_OK) result = check_stencil(env, work, job, query);
    for (int i = 0; i < 2 && result == TACT_OK; ++i)
        result = check_body(tester->context, bodies[i], i == 0 ? "A" : "B");
    for (int i = 0; i < 2 && result == TACT_OK; ++i) {
        job->bodies[i] = bodies[i];
        result = check_poses(env, bodies[i], work->count, i == 0 ? "A" : "B");
    }
    job->layers = work->layers;
    job->cells = work->cells;
    job->results = work->results;
    job->count = work->count;
    return result;
}

/// What takes time to check.
static tact_result check_objects(tact_image_tester* tester, tact_image_job* job)
{
    tact_env* env = &tester->context->env;
    tact_result result = TACT_OK;
    for (int i = 0; i < 2 && result == TACT_OK; ++i) {
        const tact_image_body* body = job->bodies[i];
        const char* name = i == 0 ? "A" : "B";
        result = job->concave ? tact_image_check_closed(env, body, name, &job->once[i])
                              : tact_image_check_convex(env, body, name);
        if (result == TACT_OK) result = tact_image_check_arrays(env, body, name);
        if (result == TACT_OK && tact_image_on_host(body)) job->bounds[i] = tact_image_measure(body);
    }
    return result;
}

// ---- Backends ----

/// Objects of which arrays lie on a device, brought here.
typedef struct brought {
    tact_image_body bodies[2];
    void* arrays[2][2];
} brought;

static tact_result bring_array(tact_context* context, const tact_device_array* array, size_t bytes, void** to)
{
    *to = tact_allocate(&context->env, bytes, 1);
    return *to ? tact_callers_array_read(context, array, *to, bytes) : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result bring(tact_context* context, tact_image_job* job, brought* b)
{
    tact_result result = TACT_OK;
    for (int i = 0; i < 2 && result == TACT_OK; ++i) {
        tact_image_body* body = &b->bodies[i];
        *body = *job->bodies[i];
        job->bodies[i] = body;
        if (tact_image_on_host(body)) continue;
        if (body->mesh.triangle_count == 0 || body->mesh.vertex_count == 0) {
            body->mesh.triangle_count = 0;
        } else {
            if (body->mesh.device_positions) {
                result = bring_array(context, body->mesh.device_positions, tact_mesh_desc_bytes(&body->mesh),
                                     &b->arrays[i][0]);
                body->mesh.positions = b->arrays[i][0];
            }
            if (body->mesh.device_indices && result == TACT_OK) {
                result =
                    bring_array(context, body->mesh.device_indices, body->mesh.triangle_count * 12, &b->arrays[i][1]);
                body->mesh.indices = b->arrays[i][1];
            }
        }
        body->mesh.device_positions = body->mesh.device_indices = NULL;
        if (result == TACT_OK) result = tact_image_check_arrays(&context->env, body, i == 0 ? "A" : "B");
        if (result == TACT_OK) job->bounds[i] = tact_image_measure(body);
    }
    return result;
}

static tact_result run_on_host(tact_context* context, const tact_image_job* given, bool reference,
                               const tact_query_options* options)
{
    tact_env* env = &context->env;
    tact_image_job job = *given;
    brought b = {.arrays = {{NULL}}};
    job.threads = options->threads;
    job.progress = options->progress;
    job.progress_user = options->progress_user;
    tact_result result = bring(context, &job, &b);
    if (result == TACT_OK) result = reference ? tact_image_reference(env, &job) : tact_image_cpu(env, &job);
    for (int i = 0; i < 4; ++i)
        tact_release(env, b.arrays[i / 2][i % 2]);
    return result;
}

static uint64_t bytes_of(const tact_image_job* job)
{
    uint64_t bytes = (uint64_t)job->count * sizeof *job->results;
    for (int i = 0; i < 2; ++i) {
        const tact_image_body* body = job->bodies[i];
        bytes += 12 * ((uint64_t)body->mesh.vertex_count + body->mesh.triangle_count) + 48 * (uint64_t)body->pose_count;
    }
    return bytes;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const image_arguments* a = arguments;
    (void)device;
    const bool reference = report->backend == TACT_BACKEND_REFERENCE;
    report->threads = reference ? 1 : options->threads;
    report->memory_bytes = bytes_of(&a->job);
    return run_on_host(context, &a->job, reference, options);
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static double triangles_of(const image_arguments* a)
{
    return (double)a->job.bodies[0]->mesh.triangle_count + (double)a->job.bodies[1]->mesh.triangle_count;
}

/// Pixels, each as many times as its cells count.
static double pixels_of(const image_arguments* a)
{
    const double side = (double)a->job.options.resolution;
    return side * side * (a->job.concave ? ((double)tact_image_slots(a->job.options.resolution) + 1.0) / 32.0 : 1.0);
}

static const char* method_of(const image_arguments* a)
{
    return a->job.concave ? "concave" : "convex";
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const image_arguments* a = arguments;
    (void)index;
    const double test = triangles_of(a) * (a->job.concave ? 1.5e-4 : 3e-5) + pixels_of(a) * 1.5e-5;
    double down = 0.0;
    for (int i = 0; i < 2; ++i)
        if (!tact_image_on_host(a->job.bodies[i])) down += 12.0 * (double)a->job.bodies[i]->mesh.vertex_count;
    return tact_cost_of(method_of(a), 0.01, test * (double)a->job.count / tact_dispatch_threads(device), 0.0, down);
}

/// Milliseconds of a device whose rates are not known: of a triangle, of a pixel, of a call.
typedef struct rates {
    double triangle, pixel, fixed;
} rates;

#ifdef TACT_HAVE_GPU

static tact_cost cost_by(const image_arguments* a, const tact_device_info* device, const char* method,
                         const rates* rate)
{
    const double test = triangles_of(a) * rate->triangle + pixels_of(a) * rate->pixel;
    double up = 0.0;
    for (int i = 0; i < 2; ++i)
        if (a->job.bodies[i]->mesh.positions) up += 16.0 * (double)a->job.bodies[i]->mesh.vertex_count;
    tact_cost cost = tact_cost_of(method, rate->fixed, test * (double)a->job.count, up, 0.0);
    for (int i = 0; i < 2; ++i) {
        const tact_mesh_desc* mesh = &a->job.bodies[i]->mesh;
        const tact_device_array* arrays[2] = {mesh->device_positions, mesh->device_indices};
        for (int k = 0; k < 2; ++k)
            if (arrays[k] && arrays[k]->backend != device->backend) cost.unable = "an object's arrays lie elsewhere";
    }
    return cost;
}

static void release_concave(void* kept)
{
    tact_gpu_concave_destroy(kept);
}

static tact_result run_concave(tact_context* context, uint32_t index, const image_arguments* a, bool drawn,
                               tact_query_report* report)
{
    tact_resident* kept = &a->tester->kept[1][index];
    report->memory_bytes = bytes_of(&a->job);
    tact_gpu_concave* concave = kept->data;
    const tact_result result = concave ? TACT_OK : tact_gpu_concave_create(context->devices[index], &concave);
    tact_resident_keep(kept, concave, release_concave);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    const tact_result ran = tact_gpu_concave_run(concave, &a->job, drawn);
    report->query_ms = tact_platform_milliseconds() - start;
    return ran;
}

static tact_result run_computed(tact_context* context, uint32_t index, void* arguments,
                                const tact_query_options* options, tact_query_report* report)
{
    (void)options;
    return run_concave(context, index, arguments, false, report);
}

static tact_cost cost_computed(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const image_arguments* a = arguments;
    const tact_image_making making = a->job.options.making;
    const bool queries = device->backend == TACT_BACKEND_GL && a->job.options.method == TACT_IMAGE_QUERY;
    const rates rate = device->software ? (rates){1.4e-4, 4e-5, 1.0} : (rates){2e-6, 4e-7, 0.3};
    (void)index;
    tact_cost cost = cost_by(a, device, method_of(a), &rate);
    cost.never = !a->job.concave || by_stencil(&a->job) || making == TACT_IMAGE_DRAWN ||
                 (queries && making != TACT_IMAGE_COMPUTED);
    return cost;
}

#endif

#ifdef TACT_HAVE_GL

static void release_convex(void* kept)
{
    tact_gpu_image_destroy(kept);
}

static tact_result run_drawn(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                             tact_query_report* report)
{
    const image_arguments* a = arguments;
    (void)options;
    if (a->job.concave) return run_concave(context, index, a, true, report);
    report->memory_bytes = bytes_of(&a->job);
    tact_resident* kept = &a->tester->kept[0][index];
    tact_gpu_image* convex = kept->data;
    const tact_result result = convex ? TACT_OK : tact_gpu_image_create(context->devices[index], &convex);
    tact_resident_keep(kept, convex, release_convex);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    const tact_result ran = tact_gpu_image_convex(convex, &a->job);
    report->query_ms = tact_platform_milliseconds() - start;
    return ran;
}

static tact_cost cost_drawn(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const image_arguments* a = arguments;
    (void)index;
    if (by_stencil(&a->job)) {
        const rates stencil = device->software ? (rates){1e-4, 1e-5, 1.0} : (rates){1e-6, 1e-7, 0.2};
        return cost_by(a, device, "concave stencil (approximate)", &stencil);
    }
    const double rate = device->software ? (a->job.concave ? 1.0 : 4.0) : 0.02;
    const rates rates_of = {rate * (a->job.concave ? 6e-4 : 2e-4), rate * 4e-5, device->software ? 2.0 : 0.5};
    tact_cost cost = cost_by(a, device, a->job.concave ? "concave drawn" : "convex", &rates_of);
    cost.never = a->job.options.making == TACT_IMAGE_COMPUTED;
    return cost;
}

#endif

static const tact_query_backend backends[] = {{TACT_BACKEND_CPU, run_host, cost_cpu},
#ifdef TACT_HAVE_GL
                                              {TACT_BACKEND_GL, run_drawn, cost_drawn},
#endif
#ifdef TACT_HAVE_GPU
                                              {TACT_BACKEND_GL, run_computed, cost_computed},
                                              {TACT_BACKEND_CL, run_computed, cost_computed},
#endif
                                              {TACT_BACKEND_REFERENCE, run_host, NULL}};

// ---- Shadow checking ----

enum { RESULT_WORDS = 33 };

/// All members in order, a word each: a structure has gaps.
static void words_of(const tact_image_result* r, uint32_t words[RESULT_WORDS])
{
    const uint32_t drawn[2] = {r->overlap, r->drawn};
    const float limits[3] = {r->gap, r->depth, r->tolerance};
    const uint32_t seen[5] = {r->samples[0], r->samples[1], r->inside, r->leaks[0], r->leaks[1]};
    const float overlap[3] = {r->nearest, r->farthest, r->penetration};
    _Static_assert(sizeof r->view == 60 && 40 + 60 + 4 + 16 + 12 == 4 * RESULT_WORDS, "the members' words");
    uint8_t* to = (uint8_t*)words;
    memcpy(to, drawn, 8);
    memcpy(to + 8, limits, 12);
    memcpy(to + 20, seen, 20);
    memcpy(to + 40, &r->view, 60);
    memcpy(to + 100, &r->common, 4);
    memcpy(to + 104, r->box, 16);
    memcpy(to + 120, overlap, 12);
}

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const image_arguments* a = arguments;
    tact_env* env = &context->env;
    tact_image_job job = a->job;
    tact_query_options how = *options;
    how.progress = NULL;
    job.layers = NULL;
    job.cells = NULL;
    job.results = tact_allocate(env, job.count, sizeof *job.results);
    if (!job.results) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = run_on_host(context, &job, true, &how);
    // A device's radii are its own.
    const bool radii = (tact_image_on_host(job.bodies[0]) || job.bodies[0]->bounds) &&
                       (tact_image_on_host(job.bodies[1]) || job.bodies[1]->bounds);
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < job.count && result == TACT_OK; ++i) {
        uint32_t got[RESULT_WORDS], expected[RESULT_WORDS];
        if (!radii && !job.concave) {
            job.results[i].depth = a->job.results[i].depth;
            job.results[i].tolerance = a->job.results[i].tolerance;
        }
        words_of(&a->job.results[i], got);
        words_of(&job.results[i], expected);
        if (memcmp(got, expected, sizeof got) != 0 && differing++ == 0) first = i;
    }
    if (differing) {
        const tact_image_result *r = &a->job.results[first], *e = &job.results[first];
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                           "%zu of %zu tests differ from the reference's; first test %zu: %s, %u and %u samples, "
                           "there %s, %u and %u",
                           differing, job.count, first, r->overlap ? "overlap" : "apart", (unsigned)r->samples[0],
                           (unsigned)r->samples[1], e->overlap ? "overlap" : "apart", (unsigned)e->samples[0],
                           (unsigned)e->samples[1]);
    }
    tact_release(env, job.results);
    return result;
}

static void answer(const void* arguments, tact_record_call* record)
{
    const image_arguments* a = arguments;
    for (size_t i = 0; i < a->job.count; ++i) {
        uint32_t words[RESULT_WORDS];
        words_of(&a->job.results[i], words);
        tact_record_answer(record, words, sizeof words);
    }
}

// ---- As a request: parameters are concave, method, resolution, flags_of() both, poses of A, making ----

static void release_tester(void* tester)
{
    tact_image_tester_destroy(tester);
}

static tact_image_body body_of(const tact_request* r, uint32_t which, tact_image_bounds* bounds)
{
    const uint32_t *given = r->parameters, flags = given[3];
    const tact_mesh_desc* mesh = r->given[which].data;
    const size_t before = which == 0 ? 0 : given[4];
    tact_image_body body = {.mesh = *mesh,
                            .poses = (const float(*)[12])(uintptr_t)r->given[2].data + before,
                            .pose_count = which == 0 ? given[4] : r->given[2].count - before,
                            .closed = (flags >> which & 1) != 0,
                            .convex = (flags >> (4 + which) & 1) != 0};
    if (flags >> (2 + which) & 1) {
        // Those of B follow those of A, if there are any.
        const size_t row = which == 1 && (flags & 4) ? 1 : 0;
        memcpy(bounds, (const uint8_t*)r->given[3].data + row * sizeof *bounds, sizeof *bounds);
        body.bounds = bounds;
    }
    return body;
}

static tact_result ask_request(tact_request* r, const tact_query_options* query, tact_query_report* report)
{
    const uint32_t* given = r->parameters;
    const size_t count = (size_t)r->asked;
    tact_image_bounds bounds[2];
    const tact_image_body a = body_of(r, 0, &bounds[0]), b = body_of(r, 1, &bounds[1]);
    const tact_image_options options = {
        .method = (tact_image_method)given[1], .resolution = given[2], .making = (tact_image_making)given[5]};
    tact_image_tester* tester = r->objects[0];
    if (!tester) {
        const tact_result made = tact_image_tester_create(r->context, &tester);
        if (made != TACT_OK) return made;
        r->objects[0] = tester;
        tact_request_own(r, tester, release_tester);
    }
    tact_image_result* results = tact_request_room(r, 0, count, sizeof *results);
    if (!results) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    const tact_image_work work = {.a = &a, .b = &b, .options = &options, .results = results, .count = count};
    return (given[0] ? tact_image_concave : tact_image_convex)(tester, &work, query, report);
}

/// Tests with the same two poses tell nothing new: a file must not ask for any number of them.
enum { MOST_TESTS_OF_ONE_POSE = 4096 };

static const char* check_request(const tact_request* r)
{
    const uint32_t flags = r->parameters[3];
    const size_t poses = r->given[2].count, bounded = (flags >> 2 & 1) + (flags >> 3 & 1);
    if (r->parameters[4] > poses || bounded > r->given[3].count) return "fewer poses or bounds than it says";
    return r->asked > MOST_TESTS_OF_ONE_POSE && r->asked > poses ? "more tests than poses" : NULL;
}

enum { CONVEX, CONCAVE, A_FEATURE, ONLY_DRAWN = 4, BY_STENCIL = 8 };

/// Balls in some two of three poses of which the boxes meet.
static tact_result sample(tact_sample* s)
{
    tact_request* r = &s->request;
    static const tact_image_bounds bounds = {{-1.1f, -1.1f, -1.1f}, {1.1f, 1.1f, 1.1f}, {0, 0, 0}, 0.75f, 1.1f};
    const bool feature = (s->of->variant & A_FEATURE) != 0;
    float(*poses)[12] = tact_sample_rows(s, 2, sizeof *poses);
    if (!poses) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i)
        tact_sample_pose(s, 1.6f, poses[i]);
    r->asked = s->size;
    r->parameters[0] = s->of->variant & CONCAVE;
    r->parameters[1] = s->of->variant & BY_STENCIL ? TACT_IMAGE_STENCIL
                       : feature                   ? TACT_IMAGE_QUERY
                                                   : TACT_IMAGE_READBACK;
    r->parameters[2] = feature ? 32 : RESOLUTION_DEFAULT;
    r->parameters[5] = s->of->variant & ONLY_DRAWN ? TACT_IMAGE_DRAWN : TACT_IMAGE_MADE_EITHER_WAY;
    // Its seam has two vertices for one, and with its bumps it is not convex; what is drawn is defined all the same.
    r->parameters[3] = 1 | 2 | 1 << 4 | 1 << 5;
    if (feature) {
        r->parameters[3] |= 1 << 3;
        r->given[3] = (tact_given){&bounds, 1};
    }
    const tact_result result = tact_sample_mesh(s, 16);
    r->surfaces[1] = r->surfaces[0];
    for (int i = 0; i < 2; ++i)
        r->given[i] = (tact_given){&r->surfaces[i], 1};
    return result;
}

static const tact_query_sample samples[] = {
    {"convex", "tests", 4, 1 << 11, CONVEX | TACT_VARIANT_NOT_CL, false},
    {"concave", "tests", 4, 1 << 10, CONCAVE, false},
    {"concave drawn", "tests", 4, 1 << 8, CONCAVE | ONLY_DRAWN | TACT_VARIANT_NOT_CL, false},
};
static const tact_query_sample features[] = {
    {.items = "convex within bounds, counted",
     .smallest = 4,
     .largest = 40,
     .variant = A_FEATURE | CONVEX | TACT_VARIANT_NOT_CL},
    {.items = "concave within bounds, counted", .smallest = 4, .largest = 40, .variant = A_FEATURE | CONCAVE},
    {.items = "concave by stencil",
     .smallest = 4,
     .largest = 40,
     .variant = A_FEATURE | CONCAVE | BY_STENCIL | TACT_VARIANT_DRAWN},
};

static bool is_drawn(const uint32_t* parameters)
{
    return parameters[1] == TACT_IMAGE_STENCIL;
}

const tact_query tact_query_image = {
    .name = "tests in images",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_IMAGE,
    .word = "image",
    .unit = "tests",
    .inputs = {{.type = TACT_CHUNK_MESH},
               {.type = TACT_CHUNK_MESH},
               {TACT_CHUNK_ARRAY, false, "poses", 12, TACT_RECORDED_FLOATS},
               {TACT_CHUNK_ARRAY, true, "bounds", TACT_BOUNDS_WORDS, TACT_RECORDED_FLOATS}},
    .answer = answer,
    .ask = ask_request,
    .check = check_request,
    .drawn = is_drawn,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

// ---- Calls ----

static uint32_t flags_of(const tact_image_body* a, const tact_image_body* b)
{
    return (uint32_t)a->closed | (uint32_t)b->closed << 1 | (a->bounds ? 4u : 0u) | (b->bounds ? 8u : 0u) |
           (uint32_t)a->convex << 4 | (uint32_t)b->convex << 5;
}

/// One array of both objects' poses, A's first, and one of their bounds.
static void record_places(tact_record_call* call, const tact_image_body* a, const tact_image_body* b)
{
    tact_env* env = &call->context->env;
    float(*poses)[12] = tact_allocate(env, a->pose_count + b->pose_count, sizeof *poses);
    if (!poses) {
        tact_record_missing(call, "there was no memory to keep it");
        return;
    }
    if (a->pose_count > 0) memcpy(poses, a->poses, a->pose_count * sizeof *poses);
    if (b->pose_count > 0) memcpy(poses + a->pose_count, b->poses, b->pose_count * sizeof *poses);
    tact_record_array(call, 2, poses, 12, a->pose_count + b->pose_count);
    tact_release(env, poses);
    tact_image_bounds bounds[2];
    size_t count = 0;
    if (a->bounds) bounds[count++] = *a->bounds;
    if (b->bounds) bounds[count++] = *b->bounds;
    if (count > 0) tact_record_array(call, 3, bounds, TACT_BOUNDS_WORDS, count);
}

static void record_begin(tact_record_call* call, const image_arguments* arguments, const tact_query_options* options,
                         tact_query_report* report)
{
    const tact_image_job* job = &arguments->job;
    const tact_image_body *a = job->bodies[0], *b = job->bodies[1];
    tact_record_begin(call, arguments->tester->context, TACT_RECORDED_IMAGE, options, report, job->count,
                      tact_record_sum(tact_record_body_bytes(a), tact_record_body_bytes(b), 1));
    if (!call->wants) return;
    tact_record_parameter(call, 0, job->concave);
    tact_record_parameter(call, 1, (uint32_t)job->options.method);
    tact_record_parameter(call, 2, job->options.resolution);
    tact_record_parameter(call, 3, flags_of(a, b));
    tact_record_parameter(call, 4, (uint32_t)a->pose_count);
    tact_record_parameter(call, 5, (uint32_t)job->options.making);
    tact_record_body(call, 0, a);
    tact_record_body(call, 1, b);
    record_places(call, a, b);
}

/// By OpenGL, or not at all.
static tact_result draw_stencil(image_arguments* arguments, const tact_query_options* options,
                                tact_query_report* report)
{
    tact_query_options how = options ? *options : (tact_query_options){.backend = TACT_BACKEND_AUTO};
    how.backend = TACT_BACKEND_GL;
    how.no_fallback = true;
    const tact_result result = tact_dispatch_because(arguments->tester->context, &tact_query_image, arguments, &how,
                                                     "it alone has the stencil method, which is approximate", report);
    if (result < TACT_OK || !report) return result;
    report->exact = false;
    report->tolerance = (double)INFINITY;
    return result;
}

static tact_result test(tact_image_tester* tester, bool concave, const tact_image_work* work,
                        const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(tester ? tester->context : NULL, "tester", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = tester->context;
    if (!work) return tact_null(&context->env, "work");
    image_arguments arguments = {.tester = tester, .job = {.concave = concave}};
    tact_result result = check_call(tester, work, options, &arguments.job);
    if (result == TACT_OK) result = tact_tickets_check(context, options);
    if (result != TACT_OK) return result;
    tact_record_call call;
    record_begin(&call, &arguments, options, report);
    tact_float_env before;
    tact_float_env_enter(&before);
    result = check_objects(tester, &arguments.job);
    tact_float_env_leave(&before);
    const bool cl = options && options->backend == TACT_BACKEND_CL;
    if (result == TACT_OK && by_stencil(&arguments.job)) {
        result = draw_stencil(&arguments, options, call.report);
    } else if (result == TACT_OK && cl && !concave) {
        result = tact_dispatch_on_host(context, &tact_query_image, &arguments, options,
                                       "OpenCL draws no convex objects", call.report);
    } else if (result == TACT_OK) {
        result = tact_dispatch(context, &tact_query_image, &arguments, options, call.report);
    }
    if (call.context && (result >= TACT_OK || result == TACT_ERROR_SHADOW_MISMATCH)) answer(&arguments, &call);
    return tact_record_end(&call, result);
}

tact_result tact_image_convex(tact_image_tester* tester, const tact_image_work* work, const tact_query_options* options,
                              tact_query_report* report)
{
    return test(tester, false, work, options, report);
}

tact_result tact_image_concave(tact_image_tester* tester, const tact_image_work* work,
                               const tact_query_options* options, tact_query_report* report)
{
    return test(tester, true, work, options, report);
}
