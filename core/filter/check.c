// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>

#include "core/context/callers_array.h"
#include "core/filter/filter.h"
#include "core/scene/scene.h"

enum { STRIDE_DEFAULT = 12, CELLS_LEAST = 12, CELLS_MOST = 26 };

size_t tact_filter_vertex_bytes(const tact_filter_shape* shape)
{
    return shape->vertex_count > 0 ? (shape->vertex_count - 1) * shape->position_stride + 12 : 0;
}

static tact_result check_vertices(tact_filter* f, const tact_filter_shape* s, size_t i)
{
    tact_env* env = &f->context->env;
    tact_result result = tact_stride_check(env, s->vertex_count, s->position_stride);
    if (result != TACT_OK) return tact_fail_within(env, result, "shape %zu: ", i);
    if (s->positions && s->device_positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "shape %zu: vertices both on the host and on a device", i);
    }
    if (s->vertex_count == 0) return TACT_OK;
    if (!s->positions && !s->device_positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "shape %zu: %zu vertices, but the array is NULL", i,
                         s->vertex_count);
    }
    if (!s->device_positions) return TACT_OK;
    result = tact_callers_array_check(f->context, s->device_positions, tact_filter_vertex_bytes(s));
    return result == TACT_OK ? result : tact_fail_within(env, result, "shape %zu: ", i);
}

static tact_result check_triangles(tact_env* env, const tact_filter_shape* s, size_t i)
{
    if (s->triangle_count > UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "shape %zu: %zu triangles; they are numbered in 32 bits", i,
                         s->triangle_count);
    }
    if (!s->indices) {
        if (s->triangle_count <= s->vertex_count / 3) return TACT_OK;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "shape %zu: %zu triangles of %zu vertices without indices",
                         i, s->triangle_count, s->vertex_count);
    }
    const size_t count = 3 * s->triangle_count;
    uint32_t most = 0;
    for (size_t k = 0; k < count; ++k)
        most = s->indices[k] > most ? s->indices[k] : most;
    if (count == 0 || most < s->vertex_count) return TACT_OK;
    size_t first = 0;
    while (s->indices[first] < s->vertex_count)
        ++first;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "shape %zu: triangle %zu has vertex %u of %zu", i, first / 3,
                     (unsigned)s->indices[first], s->vertex_count);
}

static tact_result check_objects(tact_env* env, const tact_filter_shape* shapes, size_t shape_count,
                                 const tact_filter_object* objects, size_t object_count)
{
    if (object_count > TACT_MAX_VOLUMES) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu objects; at most 2^30", object_count);
    }
    uint64_t triangles = 0;
    for (size_t i = 0; i < object_count; ++i) {
        const tact_filter_object* o = &objects[i];
        if (o->shape >= shape_count) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %zu: there is no shape %u, only %zu", i,
                             (unsigned)o->shape, shape_count);
        }
        for (int k = 0; k < 12; ++k) {
            if (isfinite(o->pose[k])) continue;
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                             "object %zu: its pose is not finite: its number %d is %g", i, k, (double)o->pose[k]);
        }
        triangles += shapes[o->shape].triangle_count;
        if (triangles > UINT32_MAX) {
            return tact_fail(env, TACT_ERROR_LIMIT, "objects 0 to %zu have %llu triangles; at most 2^32 - 1", i,
                             (unsigned long long)triangles);
        }
    }
    return TACT_OK;
}

static tact_result copy_shapes(tact_filter* f, const tact_filter_shape* shapes, size_t count)
{
    tact_env* env = &f->context->env;
    void* copy = f->shapes;
    if (!tact_reserve(env, &copy, &f->shape_capacity, 0, count, sizeof *f->shapes)) return TACT_ERROR_OUT_OF_MEMORY;
    f->shapes = copy;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        f->shapes[i] = shapes[i];
        if (f->shapes[i].position_stride == 0) f->shapes[i].position_stride = STRIDE_DEFAULT;
        result = check_vertices(f, &f->shapes[i], i);
        if (result == TACT_OK) result = check_triangles(env, &f->shapes[i], i);
    }
    return result;
}

tact_result tact_filter_check(tact_filter* f, const tact_filter_shape* shapes, size_t shape_count,
                              const tact_filter_object* objects, size_t object_count,
                              const tact_filter_options* options)
{
    tact_env* env = &f->context->env;
    if (shape_count > 0 && !shapes) return tact_null(env, "shapes");
    if (object_count > 0 && !objects) return tact_null(env, "objects");
    const uint32_t cells = options->cells_log2;
    if (cells != 0 && (cells < CELLS_LEAST || cells > CELLS_MOST)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "images of 2^%u cells: 2^%d to 2^%d, or 0 for the default",
                         (unsigned)cells, (int)CELLS_LEAST, (int)CELLS_MOST);
    }
    if ((unsigned)options->images > TACT_FILTER_IMAGES_NEVER) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no such choice of images: %d", (int)options->images);
    }
    if (options->fast && options->images == TACT_FILTER_IMAGES_NEVER) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "fast says how images are drawn, and there are to be none");
    }
    const tact_result result = copy_shapes(f, shapes, shape_count);
    return result == TACT_OK ? check_objects(env, f->shapes, shape_count, objects, object_count) : result;
}
