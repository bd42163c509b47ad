// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/hull_hierarchy.h
/// Extreme vertices of hulls of thousands of vertices in O(log n), wherever the directions come from.
///
/// Which way of finding a support point to take: where each direction is near the one before,
/// tact_hull_graph_extreme() from the last vertex; for directions that jump, and for lenses and plates, among whose
/// vertices climbing loses its way, this. docs/geometry.md has the times.

#include "tact/geometry/types.h"

/// Coarser and coarser hulls of a set of points, until tact_hull_hierarchy_free(). A level has the first of the points,
/// as many as its size says; the last level has all of them.
typedef struct tact_hull_hierarchy {
    tact_vec3* points;     ///< the hull's corners
    uint32_t* source;      ///< their numbers among the points given
    uint32_t* sizes;       ///< of each level
    uint32_t level_count;  ///< levels, from the coarsest; 0: there is no point
    /// From each level but the last to the next one: for each point of the coarser, and once more, where those points
    /// begin in `above` that the finer level has beside it. Level after level.
    uint32_t* first;
    uint32_t* above;           ///< numbers of `points`
    tact_allocator allocator;  ///< of the arrays
    uint64_t reserved[4];      ///< zeros
} tact_hull_hierarchy;

/// Makes the hierarchy of the hull of points. A level leaves out corners of the next one that are no neighbours of each
/// other and have at most nine, so that a corner that is left out is beside whatever is extreme without it. Makes the
/// hull anew for each level, about five times the work of tact_hull_mesh_3d() for all. A flat hull is one level.
/// `allocator` may be NULL: the C library's. Points with a NaN or an infinity are left out. Errors: OUT_OF_MEMORY;
/// LIMIT for more than 2^30 points. The hierarchy is then empty. Source: Dobkin, Kirkpatrick, "A linear algorithm for
/// determining the separation of convex polyhedra", 1985; Ericson, "Real-Time Collision Detection", 2005,
/// section 9.3.1.
TACT_API tact_result tact_hull_hierarchy_make(const tact_vec3* points, size_t count, const tact_allocator* allocator,
                                              tact_hull_hierarchy* hierarchy);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_hull_hierarchy_free(tact_hull_hierarchy* hierarchy);

/// Finds the point farthest along a direction of any length but 0: its number among those given. UINT32_MAX for an
/// empty hierarchy and a direction that is 0, NaN or infinite. No other is farther by more than rounding: 2^-40 of the
/// largest coordinate. At most two dozen heights, and then two or three a level.
TACT_API uint32_t tact_hull_hierarchy_extreme(const tact_hull_hierarchy* hierarchy, tact_vec3 direction);

/// Returns that point, NaN where there is none: the support function of tact_convex_custom() with the hierarchy as its
/// shape.
TACT_API tact_vec3 tact_hull_hierarchy_support(const void* hierarchy, tact_vec3 direction);
