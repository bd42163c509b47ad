// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>

#include "core/filter/filter.h"
#include "core/mesh/desc.h"

enum { CELLS_LEAST = 12, CELLS_MOST = 26 };

static tact_result check_objects(tact_env* env, const tact_mesh_desc* shapes, size_t shape_count,
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

static tact_result copy_shapes(tact_filter* f, const tact_mesh_desc* shapes, size_t count)
{
    tact_env* env = &f->context->env;
    void* copy = f->shapes;
    if (!tact_reserve(env, &copy, &f->shape_capacity, 0, count, sizeof *f->shapes)) return TACT_ERROR_OUT_OF_MEMORY;
    f->shapes = copy;
    const tact_mesh_limits limits = {.triangles = UINT32_MAX, .vertices = UINT32_MAX, .device_positions = true};
    for (size_t i = 0; i < count; ++i) {
        const tact_result result = tact_mesh_desc_check(f->context, &shapes[i], &limits);
        if (result != TACT_OK) return tact_fail_within(env, result, "shape %zu: ", i);
        f->shapes[i] = shapes[i];
        f->shapes[i].position_stride = tact_mesh_desc_stride(&shapes[i]);
    }
    return TACT_OK;
}

tact_result tact_filter_check(tact_filter* f, const tact_mesh_desc* shapes, size_t shape_count,
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
