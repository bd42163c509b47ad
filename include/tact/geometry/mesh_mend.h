// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/mesh_mend.h
/// Meshes made fit: welded by a tolerance, T-junctions split, cracks sewn, holes filled, oriented. No vertex is made
/// up: each vertex of the result is one of the input, where it was. All decisions have a fixed order and arithmetic, so
/// the same input gives the same bytes everywhere.
///
/// Sources: Ericson, "Real-Time Collision Detection", 2005, chapter 12; Barequet and Sharir, "Filling gaps in the
/// boundary of a polyhedron", 1995; Liepa, "Filling holes in meshes", 2003.

#include "tact/geometry/mesh_report.h"

/// Finds for each vertex the one that it is welded to, written to `first`: itself, or a vertex of a lower number that
/// is within `tolerance` (a distance, at least 0). Vertices are looked at in order, and join the nearest vertex that
/// has not joined another, of equal distances the lowest; so none moves by more than the tolerance, however long the
/// chain of neighbours, and what has not joined is further than the tolerance apart. Equal positions are always one.
/// Vertices that are not finite stay themselves. `distinct`, which may be NULL, receives the number of finite vertices
/// that have joined none. Linear time. Errors: INVALID_ARGUMENT for a tolerance that is
/// negative or not finite; OUT_OF_MEMORY; LIMIT for more than 2^30 vertices. Source: section 12.1.
TACT_API tact_result tact_mesh_weld_within(const tact_vec3* positions, size_t vertex_count, float tolerance,
                                           const tact_allocator* allocator, uint32_t* first, size_t* distinct);

/// Makes the table of the triangles at each vertex: those of vertex v are `triangles[start[v]]` up to, but without,
/// `triangles[start[v + 1]]`, ascending; one that names v twice is there twice. `start` has room for vertex_count + 1
/// numbers and `triangles` for 3 triangle_count. Errors: INVALID_ARGUMENT for an index that is not below
/// `vertex_count`; LIMIT for more than 2^30 vertices or 2^29 triangles. Source: section 12.2.
TACT_API tact_result tact_mesh_vertex_triangles(const uint32_t* indices, size_t triangle_count, size_t vertex_count,
                                                uint32_t* start, uint32_t* triangles);

/// Holes of at most this many edges are filled with the least area; of larger ones ears are cut until they are as
/// small.
#define TACT_MESH_LEAST_AREA_EDGES 256u

/// What tact_mesh_mend() is to do. Zeroed: no tolerance, all holes are filled.
typedef struct tact_mesh_mend_options {
    float tolerance;       ///< a distance, at least 0: of vertices that are one, and of vertices from sides they lie on
    uint32_t hole_edges;   ///< holes of more edges stay; 0: none stays for its size
    bool keep_holes;       ///< no hole is filled
    bool keep_junctions;   ///< no side is split
    uint64_t reserved[4];  ///< zero
} tact_mesh_mend_options;

/// What tact_mesh_mend() did, and what the result is.
typedef struct tact_mesh_mended {
    uint64_t welded_vertices;  ///< that joined one at another place
    double largest_move;       ///< of these, a distance
    uint64_t bad_triangles;    ///< removed: with a vertex that is not finite or not there
    uint64_t collapsed;        ///< removed: with two corners in one place after welding
    uint64_t degenerate;       ///< removed: of area zero exactly, with three places
    uint64_t duplicate;        ///< removed: with the places of an earlier one
    uint64_t folded;           ///< removed: the other one of such a pair, where it hangs at an edge of more than two
    uint64_t split_sides;      ///< sides that were split at T-junctions
    uint64_t split_triangles;  ///< triangles that this added
    uint64_t filled_holes;     ///< holes that were filled
    uint64_t hole_triangles;   ///< triangles that this added
    uint64_t holes_left;       ///< loops of boundary edges that stay
    uint64_t flipped;          ///< triangles of the input that were turned round
    tact_mesh_report after;    ///< of the result: `after.closed` and `after.manifold` say whether it is fit
    uint64_t reserved[4];      ///< zero
} tact_mesh_mended;

/// Makes a copy that is closed, manifold and oriented as far as the following does it; `report` says whether it is.
/// 1. Vertices are welded as by tact_mesh_weld_within().
/// 2. Bad, collapsed, repeated and degenerate triangles are removed. Of two back to back that hang at an edge of other
///    triangles, a fold, both are.
/// 3. A side of one triangle alone on which boundary vertices lie, within the tolerance and between its ends, is split
///    there, unless that would make an edge that exists. This closes T-junctions and sews cracks of that width. At most
///    16 sides are made of each on average; more are left.
/// 4. What is left is oriented as by tact_mesh_repair().
/// 5. Loops of boundary edges are filled: with the triangles of the fewest slivers, then of the least area (up to
///    TACT_MESH_LEAST_AREA_EDGES edges), none of which makes an edge that exists already. A hole for which there are
///    none stays.
/// 6. The whole is turned outward if it is closed and its volume negative.
/// An open surface has its border filled too, which `keep_holes` or `hole_edges` prevents. Holes take time
/// with the cube of their edges. `options` may be NULL: zeroed; `allocator` too: the C library's.
/// Errors: INVALID_ARGUMENT for a tolerance that is negative or not finite; OUT_OF_MEMORY; LIMIT as
/// tact_mesh_report_make(). The copy is then empty and the report zero. A result that is not closed is no error.
TACT_API tact_result tact_mesh_mend(const tact_mesh_view* mesh, const tact_mesh_mend_options* options,
                                    const tact_allocator* allocator, tact_mesh_copy* copy, tact_mesh_mended* report);
