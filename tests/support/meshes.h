// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes as triangles, and meshes made of arrays. Include after run.h.

#include "tact/mesh_overlap.h"
#include "tests/support/objects.h"

/// The twelve triangles of a box, counter-clockwise from outside; bits 0, 1 and 2 of a corner's number are its side in
/// x, y and z.
static const uint32_t box_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static inline void box_corners(const float low[3], const float high[3], float positions[24])
{
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            positions[3 * i + k] = i >> k & 1 ? high[k] : low[k];
}

/// A cube of twice `half` about a point.
static inline void cube_corners(float x, float y, float z, float half, float positions[24])
{
    box_corners((const float[3]){x - half, y - half, z - half}, (const float[3]){x + half, y + half, z + half},
                positions);
}

static inline tact_mesh* make_mesh(tact_context* context, const float* positions, size_t vertices,
                                   const uint32_t* indices, size_t triangles)
{
    const tact_mesh_desc desc = {
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
    return new_mesh(context, &desc);
}

static inline tact_mesh* make_cube_mesh(tact_context* context, float x, float y, float z, float half)
{
    float p[24];
    cube_corners(x, y, z, half, p);
    return make_mesh(context, p, 8, box_indices, 12);
}
