// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/mesh_combine.h
/// Unions, intersections and differences of solids that meshes enclose, and where a mesh passes through itself. Only
/// triangles that meet the other surface are cut. All decisions are exact: what is next to what, inside and outside,
/// never depends on rounding, so the result is closed, and faces that lie on each other or edges that touch are no
/// special case for the caller. Places where an edge passes through a face are rounded to floats once, at the end.
///
/// Sources: Ericson, "Real-Time Collision Detection", 2005, section 8.4 (what for); Attene, "Indirect predicates for
/// geometric constructions", 2020 (exact signs of points that are not rounded); the rest is our own.

#include "tact/geometry/mesh_report.h"

/// What is left of two solids.
typedef enum tact_mesh_operation {
    TACT_MESH_UNION = 0,         ///< what is in one of them or both
    TACT_MESH_INTERSECTION = 1,  ///< what is in both
    TACT_MESH_DIFFERENCE = 2     ///< what is in the first and not in the second
} tact_mesh_operation;

/// What tact_mesh_combine() did.
typedef struct tact_mesh_combined {
    uint64_t cut_triangles;   ///< of both meshes: those that the other surface meets
    uint64_t meeting_points;  ///< points of both surfaces that cuts begin or end at
    uint64_t seams;           ///< segments that are on both surfaces
    uint64_t coplanar_pairs;  ///< triangles of both that have an area in common
    uint64_t crossings;       ///< pairs of triangles at which a mesh passes through itself, away from the other
    uint64_t exact;           ///< signs that double precision left open
    uint64_t collapsed;       ///< triangles left out of the result, since rounding made two corners one
    uint64_t flat;            ///< triangles that rounding made flat, and that became part of a neighbour
    uint64_t reserved[4];     ///< zeros
} tact_mesh_combined;

/// Combines the solids that two closed, oriented meshes enclose (triangles counter-clockwise from outside, cavities the
/// other way round). Several parts, parts in cavities of others, and corners and edges that a mesh's own parts share
/// are allowed. A mesh without triangles is the empty solid; the result may be one. Each vertex of the result is one of
/// a mesh or a place where surfaces meet. Triangles that meet no other surface stay whole, in their order, those of `a`
/// first; cut ones are replaced by the pieces that stay. A piece whose corners rounding gives the same place is left
/// out, which leaves the result closed. Rounding may make a surface touch or pass through itself by its last bits.
///
/// A part of a mesh may pass through itself where it does not meet the other mesh, as scans often do at a few
/// triangles: what is inside there is decided by the face next to it, and the result passes through itself there too.
///
/// Takes linear time but for the search for pairs of triangles that meet, of both meshes and of each with itself; of
/// those at one vertex each pair is looked at. `allocator` may be NULL: the C
/// library's; `combined` too. Errors, with a detail that names the mesh, a or b, and the counts: INVALID_ARGUMENT for
/// an operation that is none and for a mesh with bad triangles or coordinates beyond TACT_MAX_COORDINATE, that is open
/// or not oriented, that has triangles without an area but with three corners, of which parts pass through or touch
/// each other elsewhere than at common corners and edges, or a part itself at two triangles that both meet the other
/// mesh, or of which a part faces the wrong way (tact_mesh_mend() and tact_mesh_crossings() help); OUT_OF_MEMORY; LIMIT
/// for more than 2^30 vertices or 2^29 triangles. The copy is then empty.
TACT_API tact_result tact_mesh_combine(const tact_mesh_view* a, const tact_mesh_view* b, tact_mesh_operation operation,
                                       const tact_allocator* allocator, tact_mesh_copy* copy,
                                       tact_mesh_combined* combined);

/// Finds the pairs of a mesh's triangles that meet elsewhere than at corners and edges of both: where the surface
/// passes through itself, touches itself, or lies on itself. Equal places are one vertex. Triangles that are bad,
/// beyond TACT_MAX_COORDINATE or of area zero are left out. Writes the first `capacity` pairs to `pairs`, two triangles
/// each, the lower number first, ascending, and sets `count` to how many there are. `pairs` may be NULL if `capacity`
/// is 0. Exact. Errors: OUT_OF_MEMORY; LIMIT as above; TACT_INCOMPLETE if there are more than `capacity`.
TACT_API tact_result tact_mesh_crossings(const tact_mesh_view* mesh, const tact_allocator* allocator, uint32_t* pairs,
                                         size_t capacity, size_t* count);
