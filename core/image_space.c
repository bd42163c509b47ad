// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/image_space.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/float_env.h"
#include "core/image_closed.h"
#ifdef TACT_HAVE_GL
#include "gpu/image_concave.h"
#include "gpu/image_convex.h"
#endif

enum { RESOLUTION_DEFAULT = 64, RESOLUTION_MIN = 4, RESOLUTION_MAX = 1024 };

struct tact_image_tester {
    tact_context* context;
#ifdef TACT_HAVE_GL
    tact_gpu_image* gpu;
    tact_gpu_concave* concave;  // NULL before the first test
#endif
};

tact_result tact_image_tester_create(tact_context* context, tact_image_tester** out)
{
    if (!context || !out) return TACT_ERROR_INVALID_ARGUMENT;
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
                                 "pose %zu of object %s is not finite or beyond TACT_MAX_COORDINATE", i, name);
            }
        }
    }
    return TACT_OK;
}

static tact_result check_options(tact_env* env, tact_image_options* options)
{
    if (options->resolution == 0) options->resolution = RESOLUTION_DEFAULT;
    if (options->resolution < RESOLUTION_MIN || options->resolution > RESOLUTION_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a resolution of %u: %d to %d",
                         (unsigned)options->resolution, (int)RESOLUTION_MIN, (int)RESOLUTION_MAX);
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
    if (!a || !b || (count > 0 && !results)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an object or the results are NULL");
    }
    tact_result result = check_options(env, options);
    if (result == TACT_OK) result = check_poses(env, a, count, "A");
    if (result == TACT_OK) result = check_poses(env, b, count, "B");
    return result;
}

tact_result tact_image_convex(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                              const tact_image_options* options, tact_image_result* results, size_t count)
{
    if (!tester) return TACT_ERROR_INVALID_ARGUMENT;
    tact_image_options chosen = {0};
    if (options) chosen = *options;
    tact_result result = check_call(tester, a, b, results, count, &chosen);
    if (result != TACT_OK || count == 0) return result;
#ifdef TACT_HAVE_GL
    tact_float_env before;
    tact_float_env_enter(&before);
    result = tact_gpu_image_convex(tester->gpu, a, b, &chosen, results, count);
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
    if (!tester || !layers || !out) return TACT_ERROR_INVALID_ARGUMENT;
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

uint32_t tact_image_slots(uint32_t resolution)
{
    if (resolution < RESOLUTION_MIN || resolution > RESOLUTION_MAX) return 0;
    // One, two or four planes of 128 bits a pixel, the last bit of which is no cell.
    return resolution <= 128 ? 127 : resolution <= 256 ? 255 : 511;
}

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
    if (!tester) return TACT_ERROR_INVALID_ARGUMENT;
    tact_image_options chosen = {0};
    if (options) chosen = *options;
    tact_result result = check_call(tester, a, b, results, count, &chosen);
    if (result != TACT_OK || count == 0) return result;
#ifdef TACT_HAVE_GL
    tact_float_env before;
    tact_float_env_enter(&before);
    result = run_concave(tester, a, b, &chosen, results, count);
    tact_float_env_leave(&before);
#endif
    return result;
}

tact_result tact_image_concave_picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                                       uint32_t resolution, const tact_image_cells* cells, tact_image_result* out)
{
    if (!tester || !cells || !out) return TACT_ERROR_INVALID_ARGUMENT;
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
