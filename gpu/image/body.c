// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <math.h>
#include <string.h>

#include "gpu/device_array.h"

void tact_image_stage_release(tact_image_stage* stage)
{
    tact_buffer_destroy(stage->raw);
    tact_buffer_destroy(stage->vertices);
    tact_buffer_destroy(stage->indices);
    tact_buffer_destroy(stage->mean);
    tact_buffer_destroy(stage->inner);
    tact_buffer_destroy(stage->outer);
    tact_buffer_destroy(stage->words);
    tact_reduce_destroy(stage->reduce);
    memset(stage, 0, sizeof *stage);
}

static tact_result bad_vertices(tact_image_stage* s, const char* name)
{
    tact_image_bad_vertices(tact_device_env(s->device), name);
    return tact_device_fail(s->device, TACT_ERROR_INVALID_ARGUMENT);
}

// On the host

static tact_result upload_vertices(tact_image_stage* s, const tact_image_body* body)
{
    tact_env* env = tact_device_env(s->device);
    float* packed = tact_allocate(env, body->mesh.vertex_count, 16);
    if (!packed) return tact_device_fail(s->device, TACT_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < body->mesh.vertex_count; ++i) {
        memcpy(packed + 4 * i, (const char*)body->mesh.positions + i * tact_image_stride(body), 12);
        packed[4 * i + 3] = 0.0f;
    }
    const tact_result result = tact_buffer_write(s->vertices, 0, packed, body->mesh.vertex_count * 16);
    tact_release(env, packed);
    return result;
}

// On the device

// The caller's buffer may be larger than a kernel can bind, so what is needed of it is copied.
static tact_result copy_array(tact_image_stage* s, const tact_device_array* array, uint64_t bytes, tact_buffer** to)
{
    tact_buffer* from = NULL;
    tact_buffer_hold(s->device, to, bytes);
    tact_device_array_open(s->device, array, bytes, &from);
    tact_buffer_copy(*to, 0, from, (size_t)array->offset, (size_t)bytes);
    tact_buffer_destroy(from);
    return tact_device_result(s->device);
}

static void gather(tact_buffer* rows, uint32_t words, uint32_t first, uint32_t count, void* user)
{
    const tact_image_stage* s = user;
    TACT_LAUNCH_ITEMS(s->device, image_gather, count, .source = rows, .target = s->vertices, .count = count,
                      .words = words, .first = first, .mark = 0x7f800000u);
}

static tact_result gather_vertices(tact_image_stage* s, const tact_image_body* body)
{
    return tact_device_array_rows(s->device, body->mesh.device_positions, body->mesh.vertex_count,
                                  tact_image_stride(body), &s->raw, gather, s);
}

// Words of the stage's results: lower and upper as float4, the mean as float4, then these.
enum { WORD_INNER = 12, WORD_OUTER, WORD_INDEX, WORDS };

static tact_result measure_faces(tact_image_stage* s, const tact_image_body* body)
{
    const uint32_t faces = (uint32_t)body->mesh.triangle_count;
    tact_buffer_hold(s->device, &s->inner, (uint64_t)faces * 4);
    if (tact_buffer_hold(s->device, &s->outer, (uint64_t)faces * 4) != TACT_OK) return tact_device_result(s->device);
    const bool indexed = s->mesh.indices != NULL;
    TACT_LAUNCH_ITEMS(s->device, image_faces, faces, .corners = s->vertices,
                      .indices = indexed ? s->indices : s->vertices, .mean = s->mean, .nearest = s->inner,
                      .reach = s->outer, .faces = faces, .count = (uint32_t)body->mesh.vertex_count,
                      .indexed = indexed);
    tact_reduce_run(s->reduce, TACT_REDUCE_MIN_FLOAT, s->inner, faces, s->words, WORD_INNER);
    return tact_reduce_run(s->reduce, TACT_REDUCE_MAX_FLOAT, s->outer, faces, s->words, WORD_OUTER);
}

// The centre, and the balls around it.
static void measure_body(tact_image_stage* s, const tact_image_body* body)
{
    const uint32_t count = (uint32_t)body->mesh.vertex_count;
    tact_buffer_hold(s->device, &s->mean, 16);
    TACT_LAUNCH(s->device, image_centre, 1, .source = s->vertices, .mean = s->mean, .count = count,
                .share = 1.0f / (float)count);
    tact_buffer_copy(s->words, 32, s->mean, 0, 16);
    measure_faces(s, body);
}

static tact_result measure_on_device(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    tact_buffer_hold(s->device, &s->words, WORDS * 4);
    if (!s->reduce) tact_reduce_create(s->device, 0, &s->reduce);
    tact_reduce_bounds(s->reduce, TACT_POINTS, s->vertices, (uint32_t)body->mesh.vertex_count, s->words);
    if (!body->bounds) measure_body(s, body);
    if (s->mesh.indices)
        tact_reduce_run(s->reduce, TACT_REDUCE_MAX_UINT, s->indices, (uint32_t)(3 * body->mesh.triangle_count),
                        s->words, WORD_INDEX);
    union {
        float f[WORDS];
        uint32_t u[WORDS];
    } words;
    if (tact_buffer_read(s->words, 0, &words, sizeof words) != TACT_OK) return tact_device_result(s->device);
    if (s->mesh.indices && words.u[WORD_INDEX] >= body->mesh.vertex_count) {
        tact_image_bad_index(tact_device_env(s->device), name, words.u[WORD_INDEX], body->mesh.vertex_count);
        return tact_device_fail(s->device, TACT_ERROR_INVALID_ARGUMENT);
    }
    // Infinite where a vertex is not finite, too.
    for (int k = 0; k < 3; ++k) {
        if (!(fabsf(words.f[k]) <= TACT_MAX_COORDINATE) || !(fabsf(words.f[4 + k]) <= TACT_MAX_COORDINATE))
            return bad_vertices(s, name);
    }
    if (body->bounds) return TACT_OK;
    tact_image_bounds* b = &s->bounds;
    for (int k = 0; k < 3; ++k) {
        b->lower[k] = words.f[k];
        b->upper[k] = words.f[4 + k];
        b->centre[k] = words.f[8 + k];
    }
    // Of all faces without an area the reduction gives infinity; single floats may have overflowed too.
    b->outer_radius = words.f[WORD_OUTER];
    b->inner_radius = words.f[WORD_INNER] < INFINITY ? words.f[WORD_INNER] : 0.0f;
    return TACT_OK;
}

// Both

static tact_result check_arrays(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    const tact_device_array* arrays[] = {body->mesh.device_positions, body->mesh.device_indices};
    for (int i = 0; i < 2; ++i) {
        const tact_device_info* device = tact_device_describe(s->device);
        if (arrays[i] && (arrays[i]->backend != device->backend || !device->adopted)) {
            return TACT_DEVICE_FAIL(s->device, TACT_ERROR_INVALID_ARGUMENT,
                                    "object %s: a device array must be of the %s context that the tact context adopted",
                                    name, device->backend == TACT_BACKEND_GL ? "OpenGL" : "OpenCL");
        }
    }
    return TACT_OK;
}

static tact_result stage_indices(tact_image_stage* s, const tact_image_body* body)
{
    if (!body->mesh.indices && !body->mesh.device_indices) return TACT_OK;
    const uint64_t bytes = (uint64_t)body->mesh.triangle_count * 12;
    if (body->mesh.indices) {
        tact_buffer_hold(s->device, &s->indices, bytes);
        tact_buffer_write(s->indices, 0, body->mesh.indices, (size_t)bytes);
    } else {
        copy_array(s, body->mesh.device_indices, bytes, &s->indices);
    }
    s->mesh.indices = s->indices;
    return tact_device_result(s->device);
}

static tact_result stage_body(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    if (check_arrays(s, body, name) != TACT_OK) return tact_device_result(s->device);
    s->mesh = (tact_raster_mesh){.stride = 16};
    const bool on_host = tact_image_on_host(body),
               empty = body->mesh.triangle_count == 0 || body->mesh.vertex_count == 0;
    if (on_host || body->bounds || empty) s->bounds = tact_image_measure(body);
    if (empty) return TACT_OK;
    tact_buffer_hold(s->device, &s->vertices, (uint64_t)body->mesh.vertex_count * 16);
    if (stage_indices(s, body) != TACT_OK) return tact_device_result(s->device);
    const tact_result brought = body->mesh.positions ? upload_vertices(s, body) : gather_vertices(s, body);
    if (brought != TACT_OK) return brought;
    s->mesh.vertices = s->vertices;
    s->mesh.count = (uint32_t)(3 * body->mesh.triangle_count);
    return on_host ? TACT_OK : measure_on_device(s, body, name);
}

tact_result tact_image_stage_both(tact_device* device, tact_image_stage stages[2], tact_image_job* job)
{
    tact_result result = TACT_OK;
    for (int i = 0; i < 2 && result == TACT_OK; ++i) {
        stages[i].device = device;
        result = stage_body(&stages[i], job->bodies[i], i == 0 ? "A" : "B");
        job->bounds[i] = stages[i].bounds;
    }
    return result;
}

void tact_image_fill_instance(const tact_image_fit* fit, int which, float instance[TACT_IMAGE_INSTANCE])
{
    for (int k = 0; k < 12; ++k)
        instance[k] = tact_image_in_single(fit->rows[which][k / 4][k % 4]);
    instance[14] = (float)(1u << fit->bits);
    instance[15] = (float)fit->bits;
}
