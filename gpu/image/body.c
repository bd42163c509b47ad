// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "gpu/device_array.h"

void tact_image_stage_release(tact_image_stage* stage)
{
    tact_buffer_destroy(stage->raw);
    tact_buffer_destroy(stage->vertices);
    tact_buffer_destroy(stage->indices);
    tact_buffer_destroy(stage->inner);
    tact_buffer_destroy(stage->outer);
    tact_buffer_destroy(stage->words);
    tact_reduce_destroy(stage->reduce);
    memset(stage, 0, sizeof *stage);
}

static size_t stride_of(const tact_image_body* body)
{
    return body->position_stride ? body->position_stride : 12;
}

static tact_vec3 vertex_of(const tact_image_body* body, size_t i)
{
    tact_vec3 v;
    memcpy(&v, (const char*)body->positions + i * stride_of(body), sizeof v);
    return v;
}

static bool in_range(float x)
{
    return fabsf(x) <= TACT_MAX_COORDINATE;
}

static tact_result bad_vertices(tact_image_stage* s, const char* name)
{
    return TACT_DEVICE_FAIL(s->device, TACT_ERROR_INVALID_ARGUMENT,
                            "object %s has a vertex that is not finite or beyond TACT_MAX_COORDINATE", name);
}

static tact_result bad_index(tact_image_stage* s, const char* name, uint32_t index, size_t count)
{
    return TACT_DEVICE_FAIL(s->device, TACT_ERROR_INVALID_ARGUMENT, "object %s has index %u, but %zu vertices", name,
                            (unsigned)index, count);
}

// On the host

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void corner_from(const tact_image_body* body, size_t corner, const float from[3], double v[3])
{
    const tact_vec3 p = vertex_of(body, body->indices ? body->indices[corner] : corner);
    v[0] = (double)p.x - (double)from[0];
    v[1] = (double)p.y - (double)from[1];
    v[2] = (double)p.z - (double)from[2];
}

// The balls around the centre: within all faces, and around all vertices.
static void find_balls(const tact_image_body* body, tact_image_bounds* b)
{
    double inner = DBL_MAX, outer = 0;
    for (size_t t = 0; t < body->triangle_count; ++t) {
        double p[3][3], n[3];
        for (size_t k = 0; k < 3; ++k) {
            corner_from(body, 3 * t + k, b->centre, p[k]);
            outer = fmax(outer, length_of(p[k]));
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        }
        const double length = length_of(n);
        if (length > 0.0) inner = fmin(inner, fabs(n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2]) / length);
    }
    b->inner_radius = inner < DBL_MAX ? (float)inner : 0.0f;
    b->outer_radius = (float)outer;
}

// The vertices are finite.
static void measure_on_host(tact_image_stage* s, const tact_image_body* body)
{
    tact_image_bounds* b = &s->bounds;
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < body->vertex_count; ++i) {
        const tact_vec3 p = vertex_of(body, i);
        const float v[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; ++k) {
            if (v[k] < b->lower[k]) b->lower[k] = v[k];
            if (v[k] > b->upper[k]) b->upper[k] = v[k];
            sum[k] += (double)v[k];
        }
    }
    for (int k = 0; k < 3; ++k)
        b->centre[k] = (float)(sum[k] / (double)body->vertex_count);
    find_balls(body, b);
}

static tact_result check_host_indices(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    for (size_t i = 0; i < body->triangle_count * 3; ++i) {
        if (body->indices[i] >= body->vertex_count) return bad_index(s, name, body->indices[i], body->vertex_count);
    }
    return TACT_OK;
}

static tact_result upload_vertices(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    tact_env* env = tact_device_env(s->device);
    for (size_t i = 0; i < body->vertex_count; ++i) {
        const tact_vec3 p = vertex_of(body, i);
        if (!in_range(p.x) || !in_range(p.y) || !in_range(p.z)) return bad_vertices(s, name);
    }
    float* packed = tact_allocate(env, body->vertex_count, 16);
    if (!packed) return tact_device_fail(s->device, TACT_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < body->vertex_count; ++i) {
        const tact_vec3 p = vertex_of(body, i);
        packed[4 * i] = p.x;
        packed[4 * i + 1] = p.y;
        packed[4 * i + 2] = p.z;
        packed[4 * i + 3] = 0.0f;
    }
    const tact_result result = tact_buffer_write(s->vertices, 0, packed, body->vertex_count * 16);
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

static tact_result gather_vertices(tact_image_stage* s, const tact_image_body* body)
{
    const uint64_t bytes = (uint64_t)(body->vertex_count - 1) * stride_of(body) + 12;
    copy_array(s, body->device_positions, bytes, &s->raw);
    return TACT_LAUNCH_ITEMS(s->device, image_gather, body->vertex_count, .source = s->raw, .target = s->vertices,
                             .count = (uint32_t)body->vertex_count, .words = (uint32_t)stride_of(body) / 4, .first = 0,
                             .mark = 0x7f800000u);
}

// Words of the stage's results: lower and upper as float4, the mean as float4, then these.
enum { WORD_INNER = 12, WORD_OUTER, WORD_INDEX, WORDS };

static tact_result measure_faces(tact_image_stage* s, const tact_image_body* body, tact_buffer* mean)
{
    const uint32_t faces = (uint32_t)body->triangle_count;
    tact_buffer_hold(s->device, &s->inner, (uint64_t)faces * 4);
    if (tact_buffer_hold(s->device, &s->outer, (uint64_t)faces * 4) != TACT_OK) return tact_device_result(s->device);
    const bool indexed = s->mesh.indices != NULL;
    TACT_LAUNCH_ITEMS(s->device, image_faces, faces, .corners = s->vertices,
                      .indices = indexed ? s->indices : s->vertices, .mean = mean, .nearest = s->inner,
                      .reach = s->outer, .faces = faces, .count = (uint32_t)body->vertex_count, .indexed = indexed);
    tact_reduce_run(s->reduce, TACT_REDUCE_MIN_FLOAT, s->inner, faces, s->words, WORD_INNER);
    return tact_reduce_run(s->reduce, TACT_REDUCE_MAX_FLOAT, s->outer, faces, s->words, WORD_OUTER);
}

// The centre, and the balls around it.
static void measure_body(tact_image_stage* s, const tact_image_body* body)
{
    const uint32_t count = (uint32_t)body->vertex_count;
    tact_buffer* mean = NULL;
    tact_buffer_create(s->device, 16, NULL, &mean);
    TACT_LAUNCH(s->device, image_centre, 1, .source = s->vertices, .mean = mean, .count = count,
                .share = 1.0f / (float)count);
    tact_buffer_copy(s->words, 32, mean, 0, 16);
    measure_faces(s, body, mean);
    tact_buffer_destroy(mean);
}

static tact_result measure_on_device(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    tact_buffer_hold(s->device, &s->words, WORDS * 4);
    if (!s->reduce) tact_reduce_create(s->device, 0, &s->reduce);
    tact_reduce_bounds(s->reduce, TACT_POINTS, s->vertices, (uint32_t)body->vertex_count, s->words);
    if (!body->bounds) measure_body(s, body);
    if (s->mesh.indices)
        tact_reduce_run(s->reduce, TACT_REDUCE_MAX_UINT, s->indices, (uint32_t)(3 * body->triangle_count), s->words,
                        WORD_INDEX);
    union {
        float f[WORDS];
        uint32_t u[WORDS];
    } words;
    if (tact_buffer_read(s->words, 0, &words, sizeof words) != TACT_OK) return tact_device_result(s->device);
    if (s->mesh.indices && words.u[WORD_INDEX] >= body->vertex_count) {
        return bad_index(s, name, words.u[WORD_INDEX], body->vertex_count);
    }
    // Infinite where a vertex is not finite, too.
    for (int k = 0; k < 3; ++k) {
        if (!in_range(words.f[k]) || !in_range(words.f[4 + k])) return bad_vertices(s, name);
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
    const tact_device_array* arrays[] = {body->device_positions, body->device_indices};
    for (int i = 0; i < 2; ++i) {
        if (arrays[i] && (arrays[i]->backend != TACT_BACKEND_GL || !tact_device_describe(s->device)->adopted)) {
            return TACT_DEVICE_FAIL(
                s->device, TACT_ERROR_INVALID_ARGUMENT,
                "object %s: a device array must be of the OpenGL context that the tact context adopted", name);
        }
    }
    return TACT_OK;
}

static tact_result take_bounds(tact_image_stage* s, const tact_image_bounds* given, const char* name)
{
    bool good = given->inner_radius >= 0.0f && given->outer_radius >= 0.0f && given->outer_radius < INFINITY &&
                given->inner_radius < INFINITY;
    for (int k = 0; k < 3; ++k) {
        good = good && given->lower[k] <= given->upper[k] && in_range(given->lower[k]) && in_range(given->upper[k]) &&
               in_range(given->centre[k]);
    }
    s->bounds = *given;
    if (given->outer_radius == 0.0f) {
        double corner[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = fmax(fabs((double)given->lower[k] - (double)given->centre[k]),
                             fabs((double)given->upper[k] - (double)given->centre[k]));
        }
        s->bounds.outer_radius = (float)length_of(corner);
    }
    if (good) return TACT_OK;
    return TACT_DEVICE_FAIL(s->device, TACT_ERROR_INVALID_ARGUMENT, "object %s: bounds that cannot be", name);
}

static tact_result stage_indices(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    if (!body->indices && !body->device_indices) return TACT_OK;
    const uint64_t bytes = (uint64_t)body->triangle_count * 12;
    if (body->indices) {
        check_host_indices(s, body, name);
        tact_buffer_hold(s->device, &s->indices, bytes);
        tact_buffer_write(s->indices, 0, body->indices, (size_t)bytes);
    } else {
        copy_array(s, body->device_indices, bytes, &s->indices);
    }
    s->mesh.indices = s->indices;
    return tact_device_result(s->device);
}

tact_result tact_image_stage_body(tact_image_stage* s, const tact_image_body* body, const char* name)
{
    if (check_arrays(s, body, name) != TACT_OK) return tact_device_result(s->device);
    s->mesh = (tact_raster_mesh){.stride = 16};
    for (int k = 0; k < 3; ++k) {
        s->bounds.lower[k] = INFINITY;
        s->bounds.upper[k] = -INFINITY;
    }
    if (body->triangle_count == 0 || body->vertex_count == 0) return TACT_OK;
    tact_buffer_hold(s->device, &s->vertices, (uint64_t)body->vertex_count * 16);
    stage_indices(s, body, name);
    if (body->bounds) take_bounds(s, body->bounds, name);
    if (tact_device_result(s->device) != TACT_OK) return tact_device_result(s->device);
    const tact_result brought = body->positions ? upload_vertices(s, body, name) : gather_vertices(s, body);
    if (brought != TACT_OK) return brought;
    s->mesh.vertices = s->vertices;
    s->mesh.count = (uint32_t)(3 * body->triangle_count);
    const bool on_host = body->positions && !body->device_indices;
    if (on_host && !body->bounds) measure_on_host(s, body);
    return on_host ? TACT_OK : measure_on_device(s, body, name);
}
