// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the report on a mesh and its repair share.

#include "base/env.h"
#include "tact/geometry/mesh_report.h"

/// The triangles that take part, with the vertices of equal places made one.
typedef struct tact_mesh_parts {
    tact_env* env;
    const tact_mesh_view* mesh;
    uint32_t* first;    ///< of each vertex: the lowest one at its place
    uint32_t* corners;  ///< three places for each triangle
    size_t count;       ///< triangles: neither bad nor collapsed
} tact_mesh_parts;

/// The sides of triangles, sorted by edge: equal keys are one edge.
typedef struct tact_mesh_sides {
    uint64_t* keys;   ///< only to be compared
    uint32_t* sides;  ///< 3 triangle + k
    size_t count;
} tact_mesh_sides;

/// True when the mesh is small enough for 32-bit numbers.
static inline bool tact_mesh_fits(const tact_mesh_view* mesh)
{
    return mesh->vertex_count <= (size_t)1 << 30 && mesh->triangle_count <= (size_t)1 << 29;
}

/// LIMIT, with the mesh's size. `env` may be NULL.
tact_result tact_mesh_fail_size(tact_env* env, const tact_mesh_view* mesh);

/// INVALID_ARGUMENT for an index that is not below `vertex_count`. `env` may be NULL.
tact_result tact_mesh_check_indices(tact_env* env, const uint32_t* indices, size_t triangle_count, size_t vertex_count);

/// Welds and copies the triangles that take part; counts the others. What it allocated is released by
/// tact_mesh_parts_end(), after a failure too.
tact_result tact_mesh_parts_begin(tact_mesh_parts* parts, tact_env* env, const tact_mesh_view* mesh,
                                  tact_mesh_report* report);
void tact_mesh_parts_end(tact_mesh_parts* parts);

/// INVALID_ARGUMENT for a surface that encloses nothing: triangles with a vertex that is not finite or not there, edges
/// with an odd number of triangles, and those passed more often one way than the other. `name` says which mesh.
tact_result tact_mesh_check_closed(tact_env* env, const char* name, uint64_t bad, uint64_t odd, uint64_t turned);

/// For each triangle the first one with the same corners in any order, into `first`.
tact_result tact_mesh_find_repeated(tact_env* env, const uint32_t* corners, size_t count, uint32_t* first);

tact_result tact_mesh_sides_begin(tact_mesh_sides* sides, tact_env* env, const uint32_t* corners, size_t triangle_count,
                                  size_t vertex_count);
void tact_mesh_sides_end(tact_mesh_sides* sides, tact_env* env);

/// What tact_mesh_adjacency() gives.
void tact_mesh_link(const tact_mesh_sides* sides, uint32_t* across);

/// The triangles of a closed, oriented mesh are the boundary of a convex solid. `across` as above.
tact_result tact_mesh_is_convex(const tact_mesh_parts* parts, const uint32_t* across, bool* convex);

/// Six times the volume between a triangle and a point.
double tact_mesh_wedge(const tact_mesh_parts* parts, const uint32_t corner[3], uint32_t from);

/// Takes out the vertices that no triangle names; the others stay in order. `number` has room for each.
void tact_mesh_trim(tact_mesh_copy* copy, uint32_t* number);

static inline uint32_t tact_mesh_next_side(uint32_t side)
{
    return side % 3 == 2 ? side - 2 : side + 1;
}

/// The root of a set in a forest, shortening the way.
static inline uint32_t tact_set_root(uint32_t* parent, uint32_t item)
{
    while (parent[item] != item) {
        parent[item] = parent[parent[item]];
        item = parent[item];
    }
    return item;
}

static inline void tact_set_join(uint32_t* parent, uint32_t a, uint32_t b)
{
    const uint32_t p = tact_set_root(parent, a), q = tact_set_root(parent, b);
    if (p < q) {
        parent[q] = p;
    } else {
        parent[p] = q;
    }
}
