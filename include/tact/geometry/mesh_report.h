// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/mesh_report.h
/// A report on a triangle mesh: closed, manifold, oriented, convex, and its faults; and a repaired copy. Nothing here
/// has a tolerance: vertices are one if their coordinates are equal (both zeros are), areas are zero exactly, and
/// convex means the boundary of a convex solid exactly. All take about linear time.

#include "tact/geometry/types.h"

/// `vertex_count` positions, three vertex numbers for each triangle.
typedef struct tact_mesh_view {
    const tact_vec3* positions;  ///< of the vertices
    size_t vertex_count;         ///< of `positions`
    const uint32_t* indices;     ///< three for each triangle
    size_t triangle_count;       ///< a third of `indices`
} tact_mesh_view;

/// Counts and facts. Two kinds of triangles do not take part in anything but their own counts: *bad* ones and
/// *collapsed* ones, of which two corners are one place (without them, what lies on both sides is connected). An edge
/// is a pair of places that is a side of triangles.
typedef struct tact_mesh_report {
    uint64_t vertices, triangles;  ///< as given
    uint64_t welded_vertices;      ///< places: finite positions, equal ones counted once
    uint64_t unused_vertices;      ///< vertices that no triangle names
    uint64_t non_finite_vertices;  ///< with a NaN or an infinity
    uint64_t bad_triangles;        ///< with a vertex that is not finite or not there
    uint64_t degenerate;           ///< triangles of area zero, exactly; the collapsed ones included
    uint64_t collapsed;            ///< triangles with two corners in one place
    uint64_t duplicate;            ///< triangles with the places of an earlier one, in any order
    uint64_t edges;                ///< each counted once
    uint64_t boundary_edges;       ///< of one triangle
    uint64_t odd_edges;            ///< of an odd number, the boundary edges included
    uint64_t non_manifold_edges;   ///< of more than two
    uint64_t misoriented_edges;  ///< passed by its triangles in one direction oftener than in the other, by two or more
    uint64_t non_manifold_vertices;  ///< places whose triangles form more than one fan
    uint64_t components;             ///< sets of triangles connected by places
    int64_t euler;                   ///< places of triangles - edges + triangles: 2 for a sphere, 0 for a torus
    bool closed;    ///< there are triangles, none is bad, and each edge belongs to an even number: inside is defined
    bool manifold;  ///< there are triangles; no non-manifold edges or vertices
    bool oriented;  ///< there are triangles; no misoriented edges
    /// The mesh is the boundary of its convex hull, which is solid, each part of it covered once and from outside
    /// (counter-clockwise). Triangles of area zero are not looked at, but `closed` and `oriented` are required.
    bool convex;
    double volume;  ///< enclosed, positive if triangles are counter-clockwise from outside; a double precision sum.
                    ///< Defined for closed and oriented meshes only; bad triangles are left out, of the area too
    double area;    ///< of the surface
} tact_mesh_report;

/// Reports on a mesh. Sorts edges (by digits) and finds equal places and triangles by hashing: about 0.4 microseconds a
/// triangle, 60 bytes a triangle and 40 a vertex for a while. Where the mesh is closed, oriented and without a dent,
/// makes the convex hull: up to 3 microseconds more. `allocator` may be NULL: the C library's. Errors: OUT_OF_MEMORY;
/// LIMIT for more than 2^30 vertices or 2^29 triangles. Source: Ericson, "Real-Time Collision Detection", 2005,
/// sections 12.1, 12.2 and 12.6; how convexity is decided is our own.
TACT_API tact_result tact_mesh_report_make(const tact_mesh_view* mesh, const tact_allocator* allocator,
                                           tact_mesh_report* report);

/// Finds for each vertex the lowest number of a vertex with equal coordinates, written to `first` (its own number: it
/// is the first, or not finite). `distinct`, which may be NULL, receives the number of finite places. Errors as above.
TACT_API tact_result tact_mesh_weld(const tact_vec3* positions, size_t vertex_count, const tact_allocator* allocator,
                                    uint32_t* first, size_t* distinct);

/// In place of a neighbour.
#define TACT_MESH_BOUNDARY 0xffffffffu  ///< no other triangle has the side
#define TACT_MESH_MANY 0xfffffffeu      ///< more than one other triangle has it

/// Finds for side k of triangle t (from corner k to the next) the side 3 t' + k' that is the same edge, in either
/// direction, written to `across[3 t + k]`. Vertices are one if their numbers are: to join equal places, give the
/// numbers after welding. Sides between a vertex and itself are boundary. Errors as above, and INVALID_ARGUMENT for an
/// index that is not below `vertex_count`.
TACT_API tact_result tact_mesh_adjacency(const uint32_t* indices, size_t triangle_count, size_t vertex_count,
                                         const tact_allocator* allocator, uint32_t* across);

/// A mesh with arrays of its own, until tact_mesh_copy_free().
typedef struct tact_mesh_copy {
    tact_vec3* positions;      ///< of the vertices
    size_t vertex_count;       ///< of `positions`
    uint32_t* indices;         ///< three for each triangle
    size_t triangle_count;     ///< a third of `indices`
    uint64_t flipped;          ///< triangles that were turned round
    tact_allocator allocator;  ///< of the arrays
} tact_mesh_copy;

/// Makes a copy with equal vertices welded, without unused vertices and without bad, collapsed and repeated triangles
/// (of those with the same places the first stays). Triangles that share an edge of two pass it in opposite directions,
/// wherever that is possible. A part connected by such edges that already does stays as it was, which keeps the walls
/// of cavities; of the two ways round, another part gets the one that encloses a positive volume if it is closed, else
/// the one that fewer triangles are turned for. At last, if the whole is closed and its volume negative, all are
/// turned. Moves nothing and fills no holes (tact_mesh_mend() does); the order of what stays is kept. Errors as
/// tact_mesh_report_make(); the copy is then empty.
TACT_API tact_result tact_mesh_repair(const tact_mesh_view* mesh, const tact_allocator* allocator,
                                      tact_mesh_copy* copy);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_mesh_copy_free(tact_mesh_copy* copy);
