// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/mesh/desc.h"

#include "core/context/callers_array.h"

tact_result tact_stride_check(tact_env* env, size_t count, size_t stride)
{
    if (stride < 3 * sizeof(float) || stride % sizeof(float) != 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "a stride of %zu bytes; it must be a multiple of 4 and at least 12", stride);
    }
    if (count > (SIZE_MAX - 3 * sizeof(float)) / stride) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu vertices of %zu bytes each", count, stride);
    }
    return TACT_OK;
}

size_t tact_mesh_desc_bytes(const tact_mesh_desc* desc)
{
    const size_t stride = tact_mesh_desc_stride(desc);
    return desc->vertex_count > 0 ? (desc->vertex_count - 1) * stride + 3 * sizeof(float) : 0;
}

static tact_result check_vertices(tact_context* context, const tact_mesh_desc* desc, const tact_mesh_limits* limits)
{
    tact_env* env = &context->env;
    if (desc->vertex_count > limits->vertices) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu vertices; at most %zu fit", desc->vertex_count, limits->vertices);
    }
    const size_t stride = tact_mesh_desc_stride(desc);
    const tact_result result = tact_stride_check(env, desc->vertex_count, stride);
    if (result != TACT_OK) return result;
    if (limits->stride > 0 && stride > limits->stride) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a stride of %zu bytes; it must be at most %zu", stride,
                         limits->stride);
    }
    if (desc->device_positions && !limits->device_positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "vertices on a device, where only those on the host fit");
    }
    if (desc->positions && desc->device_positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "vertices both on the host and on a device");
    }
    if (desc->vertex_count == 0) return TACT_OK;
    if (!desc->positions && !desc->device_positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu vertices, but the array is NULL", desc->vertex_count);
    }
    if (!desc->device_positions) return TACT_OK;
    return tact_callers_array_check(context, desc->device_positions, tact_mesh_desc_bytes(desc));
}

/// The place of the first index that is not below the number of vertices; as many as there are where all are.
static size_t first_wrong(const tact_mesh_desc* desc)
{
    const size_t count = 3 * desc->triangle_count;
    if (!desc->indices) return desc->vertex_count < count ? desc->vertex_count : count;
    // The greatest is found without a branch for each.
    uint32_t most = 0;
    for (size_t i = 0; i < count; ++i)
        most = desc->indices[i] > most ? desc->indices[i] : most;
    if (most < desc->vertex_count) return count;
    size_t first = 0;
    while (first < count && desc->indices[first] < desc->vertex_count)
        ++first;
    return first;
}

tact_result tact_mesh_desc_check(tact_context* context, const tact_mesh_desc* desc, const tact_mesh_limits* limits)
{
    tact_env* env = &context->env;
    const tact_result result = check_vertices(context, desc, limits);
    if (result != TACT_OK) return result;
    // Their indices have a size.
    const size_t most = limits->triangles < SIZE_MAX / 12 ? limits->triangles : SIZE_MAX / 12;
    if (desc->triangle_count > most) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a mesh of %zu triangles; at most %zu fit", desc->triangle_count, most);
    }
    if (desc->triangle_count > 0 && desc->vertex_count == 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a mesh of %zu triangles has no vertices",
                         desc->triangle_count);
    }
    if (desc->device_indices && !limits->device_indices) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "indices on a device, where only those on the host fit");
    }
    if (desc->indices && desc->device_indices) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "indices both on the host and on a device");
    }
    if (desc->device_indices) {
        return tact_callers_array_check(context, desc->device_indices, (uint64_t)desc->triangle_count * 12);
    }
    const size_t wrong = first_wrong(desc);
    if (wrong == 3 * desc->triangle_count) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "triangle %zu refers to vertex %zu, but there are %zu vertices",
                     wrong / 3, desc->indices ? desc->indices[wrong] : wrong, desc->vertex_count);
}
