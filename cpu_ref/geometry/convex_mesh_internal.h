// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cpu_ref/geometry/hull_internal.h"
#include "tact/geometry/convex_mesh.h"

/// Ends a call: frees the mesh where it has failed.
tact_result tact_convex_mesh_finish(tact_convex_mesh* mesh, tact_result result);

/// Places for a mesh's arrays, of `corners` numbers in its faces. False when out of memory.
bool tact_convex_mesh_reserve(tact_env* env, tact_convex_mesh* mesh, size_t points, size_t faces, size_t corners);

/// The first corner of a facet, and the others, of a fan of triangles.
static inline uint32_t hull_facet_corner(const tact_hull_mesh* hull, size_t facet, size_t corner)
{
    const size_t first = hull->facet_start[facet];
    return corner < 3 ? hull->triangles[3 * first + corner] : hull->triangles[3 * (first + corner - 2) + 2];
}

static inline size_t hull_facet_size(const tact_hull_mesh* hull, size_t facet)
{
    return (size_t)hull->facet_start[facet + 1] - hull->facet_start[facet] + 2;
}

/// Makes the mesh of a solid hull of `sites` points: all but the coordinates, which go to the place of the hull's
/// vertex of that number. Errors: OUT_OF_MEMORY.
tact_result tact_convex_mesh_of_hull(tact_env* env, const tact_hull_mesh* hull, size_t sites, tact_convex_mesh* mesh);
