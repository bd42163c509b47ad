// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/hull.h
/// Convex hulls of points in the plane and in space. Every decision is the exact sign of a determinant
/// (geometry/predicates.h), so the result is the hull of exactly these points, at any scale, however thin: no point
/// lies outside, no corner lies on an edge or in a face of the others, and coplanar triangles form one facet.
///
/// Points with a NaN or an infinity are left out. Of equal points one is named.

#include "tact/geometry/types.h"

/// A convex hull; numbers are indices of the points it was made from. The caller releases it by
/// tact_hull_mesh_free(). By dimension:
///   -1  there is no finite point;
///    0  a point: one vertex;
///    1  a segment: its two ends;
///    2  a convex polygon: `vertices` in counter-clockwise order (of points in space: from one of its sides); one
///    facet,
///       whose triangles face that side;
///    3  a solid: `vertices` ascending; the triangles are a closed surface, counter-clockwise from outside.
typedef struct tact_hull_mesh {
    int dimension;          ///< as above, -1 to 3
    uint32_t* vertices;     ///< numbers of the points given
    size_t vertex_count;    ///< of `vertices`
    uint32_t* triangles;    ///< three numbers each; those of a facet are a fan around its first corner
    size_t triangle_count;  ///< of `triangles`
    /// Facet f is the convex polygon of the triangles facet_start[f] to facet_start[f + 1] - 1: its corners are those
    /// of the first of them and then the last one of each other. facet_count + 1 numbers.
    uint32_t* facet_start;
    size_t facet_count;        ///< of `facet_start`, less one
    size_t left_out;           ///< points that are not finite
    tact_allocator allocator;  ///< of the arrays
} tact_hull_mesh;

/// Makes the hull of points in the plane. Method: Andrew's monotone chain, sorting, then two passes; O(n log n) at most
/// (the sort is by digits), about 3 orientations a point. The first vertex has the least x, then the least y; of equal
/// points the first is named. `allocator` may be NULL: the C library's. Errors: OUT_OF_MEMORY; LIMIT for more than 2^30
/// points. `hull` is then empty. Source: Andrew, "Another efficient algorithm for convex hulls in two dimensions",
/// 1979; Ericson, "Real-Time Collision Detection", 2005, section 3.9.1.
TACT_API tact_result tact_hull_mesh_2d(const tact_vec2* points, size_t count, const tact_allocator* allocator,
                                       tact_hull_mesh* hull);

/// Makes the hull of points in space. Method: Quickhull; from a tetrahedron, the farthest point in front of a triangle
/// replaces all triangles that it sees; O(n log n) for points that are spread evenly, O(n^2) at worst (many coplanar or
/// cocircular ones). Coplanar triangles are joined at the end. The points may be equal, collinear or coplanar: see
/// `dimension`. `allocator`, errors: as tact_hull_mesh_2d(). Source: Barber, Dobkin, Huhdanpaa, "The Quickhull
/// algorithm for convex hulls", 1996; Ericson 2005, section 3.9.2.
TACT_API tact_result tact_hull_mesh_3d(const tact_vec3* points, size_t count, const tact_allocator* allocator,
                                       tact_hull_mesh* hull);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_hull_mesh_free(tact_hull_mesh* hull);
