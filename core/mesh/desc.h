// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What is checked of the description of a mesh, once for all that take one.

#include "core/context/context.h"
#include "tact/triangle_mesh.h"

/// What can be taken.
typedef struct tact_mesh_limits {
    size_t triangles, vertices;             ///< at most
    size_t stride;                          ///< at most; 0: any
    bool device_positions, device_indices;  ///< may lie in a buffer of a device
} tact_mesh_limits;

/// Whether `count` vertices can lie `stride` bytes apart. Errors: INVALID_ARGUMENT.
tact_result tact_stride_check(tact_env* env, size_t count, size_t stride);

static inline size_t tact_mesh_desc_stride(const tact_mesh_desc* desc)
{
    return desc->position_stride ? desc->position_stride : 3 * sizeof(float);
}

/// Bytes from the first vertex's beginning to the last one's end, of a description that has been checked.
size_t tact_mesh_desc_bytes(const tact_mesh_desc* desc);

/// Whether all that is read of a mesh is there to be read: arrays, stride, indices. Errors: INVALID_ARGUMENT, LIMIT,
/// those of tact_callers_array_check().
tact_result tact_mesh_desc_check(tact_context* context, const tact_mesh_desc* desc, const tact_mesh_limits* limits);
