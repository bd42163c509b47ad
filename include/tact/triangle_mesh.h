// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file triangle_mesh.h
/// The description of a triangle mesh for all functions that take one: scenes (scene.h), meshes (mesh.h), particles
/// (particle_bodies.h), the filter of many objects (mesh_filter.h), image-space tests (image_space.h).

#include "tact/device_array.h"

/// A triangle mesh in the caller's arrays. Every index is below `vertex_count`; the detail of the error names the first
/// one that is not.
typedef struct tact_mesh_desc {
    const float* positions;   ///< x y z of each vertex
    size_t vertex_count;      ///< of the positions
    size_t position_stride;   ///< bytes from one vertex to the next, a multiple of 4 and at least 12; 0: 12
    const uint32_t* indices;  ///< three per triangle; NULL: vertices 0 1 2, 3 4 5, ...
    size_t triangle_count;    ///< a third of the indices; triangles are numbered from 0
    // In buffers of a device, for queries that read them there by every call; everything else refuses them.
    const tact_device_array* device_positions;  ///< instead of `positions`: the filter, image-space tests, scenes
    const tact_device_array* device_indices;    ///< instead of `indices`: image-space tests
    uint64_t reserved[4];                       ///< zeros: room for fields to come
} tact_mesh_desc;
