// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/image_space.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/query/request.h"
#include "core/record/record.h"
#include "cpu_ref/image/image.h"
#ifdef TACT_HAVE_GL
#include "gpu/image/image.h"
#endif

enum { RESOLUTION_DEFAULT = 64 };

struct tact_image_tester {
    tact_context* context;
#ifdef TACT_HAVE_GL
    tact_gpu_image* gpu;
    tact_gpu_concave* concave;  // NULL before the first test
#endif
};

tact_result tact_image_tester_create(tact_context* context, tact_image_tester** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "tester");
    *out = NULL;
    tact_env* env = &context->env;
    const int device = tact_context_find(context, TACT_BACKEND_GL);
    if (device < 0) {
        const char* why = tact_context_missing(context, TACT_BACKEND_GL);
        return tact_fail(env, TACT_ERROR_NO_DEVICE, "image-space tests need OpenGL: %s", why ? why : "there is none");
    }
#ifdef TACT_HAVE_GL
    tact_image_tester* t = tact_allocate_zeroed(env, 1, sizeof *t);
    if (!t) return TACT_ERROR_OUT_OF_MEMORY;
    t->context = context;
    const tact_result result = tact_gpu_image_create(context->devices[device], &t->gpu);
    if (result != TACT_OK) {
        tact_release(env, t);
        return result;
    }
    ++context->objects;
    *out = t;
    return TACT_OK;
#else
    return tact_fail(env, TACT_ERROR_NO_DEVICE, "built without OpenGL");
#endif
}

void tact_image_tester_destroy(tact_image_tester* tester)
{
    if (!tester) return;
#ifdef TACT_HAVE_GL
    tact_gpu_image_destroy(tester->gpu);
    tact_gpu_concave_destroy(tester->concave);
#endif
    --tester->context->objects;
    tact_release(&tester->context->env, tester);
}

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

/// What is read of a body, here and by those who draw, is there to be read.
static tact_result check_body(tact_env* env, const tact_image_body* body, const char* name)
{
    const bool positions = body->positions || body->device_positions, indexed = body->indices || body->device_indices;
    const size_t stride = body->position_stride ? body->position_stride : 12;
    if (body->positions && body->device_positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s has vertices on the host and on a device", name);
    }
    if (body->indices && body->device_indices) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s has indices on the host and on a device", name);
    }
    if (body->vertex_count > 0 && !positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s has %zu vertices, but the array is NULL", name,
                         body->vertex_count);
    }
    if (stride < 12 || stride % 4 != 0 || stride > UINT16_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "object %s: %zu bytes from one vertex to the next; a multiple of 4 from 12 to %d", name,
                         stride, UINT16_MAX);
    }
    if (body->vertex_count > 1u << 30 || body->triangle_count > 1u << 28) {
        return tact_fail(env, TACT_ERROR_LIMIT, "object %s: at most 2^30 vertices and 2^28 triangles", name);
    }
    if (!indexed && body->triangle_count * 3 > body->vertex_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s: %zu triangles of %zu vertices", name,
                         body->triangle_count, body->vertex_count);
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
    if (options->method != TACT_IMAGE_QUERY && options->method != TACT_IMAGE_READBACK) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no method %d", (int)options->method);
    }
    return TACT_OK;
}

static tact_result check_call(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                              const tact_image_result* results, size_t count, tact_image_options* options)
{
    tact_env* env = &tester->context->env;
    if (!a || !b || (count > 0 && !results)) return tact_null(env, !a ? "a" : !b ? "b" : "results");
    if (count > UINT32_MAX) return tact_fail(env, TACT_ERROR_LIMIT, "%zu tests; they are numbered in 32 bits", count);
    tact_result result = check_options(env, options);
    if (result == TACT_OK) result = check_body(env, a, "A");
    if (result == TACT_OK) result = check_body(env, b, "B");
    if (result == TACT_OK) result = check_poses(env, a, count, "A");
    if (result == TACT_OK) result = check_poses(env, b, count, "B");
    return result;
}

// ---- As a request: parameters are concave, method, resolution, flags_of() both, poses of A ----

static void release_tester(void* tester)
{
    tact_image_tester_destroy(tester);
}

static tact_image_body body_of(const tact_request* r, uint32_t which, tact_image_bounds* bounds)
{
    const uint32_t *given = r->parameters, flags = given[3];
    const tact_mesh_desc* mesh = r->given[which].data;
    const size_t before = which == 0 ? 0 : given[4];
    tact_image_body body = {.positions = mesh->positions,
                            .vertex_count = mesh->vertex_count,
                            .indices = mesh->indices,
                            .triangle_count = mesh->triangle_count,
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

static tact_result ask(tact_request* r, const tact_query_options* query, tact_query_report* report)
{
    (void)query;
    (void)report;
    const uint32_t* given = r->parameters;
    const size_t count = (size_t)r->asked;
    tact_image_bounds bounds[2];
    const tact_image_body a = body_of(r, 0, &bounds[0]), b = body_of(r, 1, &bounds[1]);
    const tact_image_options options = {.method = (tact_image_method)given[1], .resolution = given[2]};
    tact_image_tester* tester = r->objects[0];
    if (!tester) {
        const tact_result made = tact_image_tester_create(r->context, &tester);
        if (made != TACT_OK) return made;
        r->objects[0] = tester;
        tact_request_own(r, tester, release_tester);
    }
    tact_image_result* results = tact_request_room(r, 0, count, sizeof *results);
    if (!results) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return given[0] ? tact_image_concave(tester, &a, &b, &options, results, count)
                    : tact_image_convex(tester, &a, &b, &options, results, count);
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

/// Concave tests count in whole numbers.
static bool is_drawn(const uint32_t* parameters)
{
    return parameters[0] == 0;
}

const tact_query tact_query_image = {
    .name = "drawing overlap",
    .kind = TACT_RECORDED_IMAGE,
    .word = "image",
    .unit = "tests",
    .only = TACT_BACKEND_GL,
    .inputs = {{.type = TACT_CHUNK_MESH},
               {.type = TACT_CHUNK_MESH},
               {TACT_CHUNK_ARRAY, false, "poses", 12, TACT_RECORDED_FLOATS},
               {TACT_CHUNK_ARRAY, true, "bounds", TACT_BOUNDS_WORDS, TACT_RECORDED_FLOATS}},
    .ask = ask,
    .check = check_request,
    .drawn = is_drawn,
};

#ifdef TACT_HAVE_GL

// What is recorded

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

static void record_begin(tact_record_call* call, tact_image_tester* tester, bool concave, const tact_image_body* a,
                         const tact_image_body* b, const tact_image_options* options, size_t count)
{
    tact_record_begin(call, tester->context, TACT_RECORDED_IMAGE, NULL, NULL, count,
                      tact_record_sum(tact_record_body_bytes(a), tact_record_body_bytes(b), 1));
    if (!call->context) return;
    tact_record_only(call, TACT_BACKEND_GL, 1);
    call->report->exact = call->report->exact && concave;
    if (!call->wants) return;
    tact_record_parameter(call, 0, concave);
    tact_record_parameter(call, 1, (uint32_t)options->method);
    tact_record_parameter(call, 2, options->resolution);
    tact_record_parameter(call, 3, flags_of(a, b));
    tact_record_parameter(call, 4, (uint32_t)a->pose_count);
    tact_record_body(call, 0, a);
    tact_record_body(call, 1, b);
    record_places(call, a, b);
}

/// All members in order, a word each: a structure has gaps.
static void record_answer(tact_record_call* call, const tact_image_result* results, size_t count)
{
    for (size_t i = 0; i < count && call->context; ++i) {
        const tact_image_result* r = &results[i];
        const uint32_t drawn[2] = {r->overlap, r->drawn};
        const float limits[3] = {r->gap, r->depth, r->tolerance};
        const uint32_t seen[5] = {r->samples[0], r->samples[1], r->inside, r->leaks[0], r->leaks[1]};
        const float overlap[3] = {r->nearest, r->farthest, r->penetration};
        tact_record_answer(call, drawn, sizeof drawn);
        tact_record_answer(call, limits, sizeof limits);
        tact_record_answer(call, seen, sizeof seen);
        tact_record_answer(call, &r->view, sizeof r->view);
        tact_record_answer(call, &r->common, sizeof r->common);
        tact_record_answer(call, r->box, sizeof r->box);
        tact_record_answer(call, overlap, sizeof overlap);
    }
}

#endif

tact_result tact_image_convex(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                              const tact_image_options* options, tact_image_result* results, size_t count)
{
    if (!tact_enter(tester ? tester->context : NULL, "tester")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_image_options chosen = {0};
    if (options) chosen = *options;
    tact_result result = check_call(tester, a, b, results, count, &chosen);
    if (result != TACT_OK || count == 0) return result;
#ifdef TACT_HAVE_GL
    tact_float_env before;
    tact_float_env_enter(&before);
    tact_record_call call;
    record_begin(&call, tester, false, a, b, &chosen, count);
    tact_env* env = &tester->context->env;
    result = tact_image_check_convex(env, a, "A");
    if (result == TACT_OK) result = tact_image_check_convex(env, b, "B");
    if (result == TACT_OK) result = tact_gpu_image_convex(tester->gpu, a, b, &chosen, results, count);
    if (result == TACT_OK) record_answer(&call, results, count);
    result = tact_record_end(&call, result);
    tact_float_env_leave(&before);
#endif
    return result;
}

#ifdef TACT_HAVE_GL
static void take_layer(const float* pixels, int channel, size_t count, float* layer)
{
    if (!layer) return;
    for (size_t i = 0; i < count; ++i) {
        const float depth = pixels ? pixels[4 * i + (size_t)channel] : 1e30f;
        layer[i] = fabsf(depth) < 1e29f ? depth : NAN;
    }
}
#endif

tact_result tact_image_convex_picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                                      uint32_t resolution, const tact_image_layers* layers, tact_image_result* out)
{
    if (!tact_enter(tester ? tester->context : NULL, "tester")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!layers) return tact_null(&tester->context->env, "layers");
    if (!out) return tact_null(&tester->context->env, "result");
    tact_image_options options = {TACT_IMAGE_READBACK, resolution};
    tact_result result = check_options(&tester->context->env, &options);
    if (result == TACT_OK) result = tact_image_convex(tester, a, b, &options, out, 1);
#ifdef TACT_HAVE_GL
    tact_env* env = &tester->context->env;
    const size_t count = (size_t)options.resolution * options.resolution;
    float* pixels = NULL;
    if (result == TACT_OK && out->drawn) {
        pixels = tact_allocate(env, count, 16);
        if (!pixels) return TACT_ERROR_OUT_OF_MEMORY;
        result = tact_gpu_image_pixels(tester->gpu, options.resolution, pixels);
    }
    if (result == TACT_OK) {
        take_layer(pixels, 0, count, layers->front_a);
        take_layer(pixels, 1, count, layers->front_b);
        take_layer(pixels, 2, count, layers->back_a);
        take_layer(pixels, 3, count, layers->back_b);
    }
    tact_release(env, pixels);
#endif
    return result;
}

// Concave

#ifdef TACT_HAVE_GL
static tact_result run_concave(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                               const tact_image_options* options, tact_image_result* results, size_t count)
{
    tact_context* context = tester->context;
    bool once[2] = {false, false};
    tact_result result = tact_image_check_closed(&context->env, a, "A", &once[0]);
    if (result == TACT_OK) result = tact_image_check_closed(&context->env, b, "B", &once[1]);
    if (result == TACT_OK && !tester->concave) {
        const int device = tact_context_find(context, TACT_BACKEND_GL);
        result = tact_gpu_concave_create(context->devices[device], &tester->concave);
    }
    if (result == TACT_OK) result = tact_gpu_concave_run(tester->concave, a, b, once, options, results, count);
    return result;
}
#endif

tact_result tact_image_concave(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                               const tact_image_options* options, tact_image_result* results, size_t count)
{
    if (!tact_enter(tester ? tester->context : NULL, "tester")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_image_options chosen = {0};
    if (options) chosen = *options;
    tact_result result = check_call(tester, a, b, results, count, &chosen);
    if (result != TACT_OK || count == 0) return result;
#ifdef TACT_HAVE_GL
    tact_float_env before;
    tact_float_env_enter(&before);
    tact_record_call call;
    record_begin(&call, tester, true, a, b, &chosen, count);
    result = run_concave(tester, a, b, &chosen, results, count);
    if (result == TACT_OK) record_answer(&call, results, count);
    result = tact_record_end(&call, result);
    tact_float_env_leave(&before);
#endif
    return result;
}

tact_result tact_image_concave_picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                                       uint32_t resolution, const tact_image_cells* cells, tact_image_result* out)
{
    if (!tact_enter(tester ? tester->context : NULL, "tester")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!cells) return tact_null(&tester->context->env, "cells");
    if (!out) return tact_null(&tester->context->env, "result");
    tact_image_options options = {TACT_IMAGE_READBACK, resolution};
    tact_result result = check_options(&tester->context->env, &options);
    if (result == TACT_OK) result = tact_image_concave(tester, a, b, &options, out, 1);
#ifdef TACT_HAVE_GL
    uint32_t* const masks[] = {cells->solid_a, cells->edges_b, cells->solid_b, cells->edges_a};
    const size_t pixels = (size_t)options.resolution * options.resolution;
    for (uint32_t i = 0; i < 4 && result == TACT_OK; ++i) {
        if (!masks[i]) continue;
        if (out->drawn) {
            result = tact_gpu_concave_cells(tester->concave, options.resolution, i, masks[i]);
        } else {
            memset(masks[i], 0, pixels * (tact_image_slots(options.resolution) + 1) / 8);
        }
    }
#endif
    return result;
}
