// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The flat parts of a mesh and their borders.

#include "cpu_ref/geometry/mesh_internal.h"

typedef struct tact_flat_parts {
    tact_env* env;
    float tolerance;
    tact_mesh_parts parts;
    tact_mesh_sides sides;
    uint32_t* across;   ///< of each side, as tact_mesh_adjacency() has it
    uint32_t* part;     ///< of each triangle
    uint32_t* seed;     ///< of each part: the triangle that has its plane
    uint32_t* start;    ///< of each part: its first among `members`; one more at the end
    uint32_t* members;  ///< triangles of the parts, ascending in each
    size_t count;       ///< of parts
    uint8_t* border;    ///< of each side: it is not inside of a part
    uint8_t* ends;      ///< of each vertex: how many border edges end there, at most 3
    uint32_t* beside;   ///< of each vertex: the other ends of two of them
    uint8_t* anchored;  ///< of each vertex: it must stay
    uint8_t* gone;      ///< of each vertex: it is no corner of a border
} tact_flat_parts;

/// Finds the parts and borders. What it allocated is released by tact_flat_end(), after a failure too.
tact_result tact_flat_begin(tact_flat_parts* flat, tact_env* env, const tact_mesh_view* mesh, float tolerance,
                            tact_mesh_report* counts);
void tact_flat_end(tact_flat_parts* flat);

/// Finds the vertices of straight borders that can go, but those that are anchored.
tact_result tact_flat_straighten(tact_flat_parts* flat);

static inline size_t tact_flat_size(const tact_flat_parts* flat, size_t part)
{
    return flat->start[part + 1] - flat->start[part];
}

static inline tact_vec3 tact_flat_place(const tact_flat_parts* flat, uint32_t vertex)
{
    return flat->parts.mesh->positions[vertex];
}

static inline void tact_flat_triangle(const tact_flat_parts* flat, uint32_t triangle, tact_vec3 corner[3])
{
    for (size_t k = 0; k < 3; ++k)
        corner[k] = tact_flat_place(flat, flat->parts.corners[3 * (size_t)triangle + k]);
}
