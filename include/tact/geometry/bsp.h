// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/bsp.h
/// Solid-leaf BSP trees: planes divide space until each part is all solid or all empty. Made from a closed, oriented
/// mesh. Sources: Ericson, "Real-Time Collision Detection", 2005, chapter 8; Thibault and Naylor, "Set operations on
/// polyhedra using binary space partitioning trees", 1987.
///
/// No coordinate is made up. A plane is that of a triangle, named by its three vertices, or one at right angles to an
/// axis through a vertex. A triangle that is cut keeps its corners: the piece is described by the planes that cut it,
/// and which side of a further plane a corner of the piece is on is the sign of a determinant of heights of the
/// triangle's corners above these planes. Doubles with an error bound decide it, whole numbers where these do not, so
/// the tree is that of exactly this mesh, at any scale.

#include "tact/geometry/mesh_report.h"

/// In place of the number of a node below another.
enum {
    TACT_BSP_EMPTY = -1,  ///< a leaf outside of the solid
    TACT_BSP_SOLID = -2   ///< a leaf inside
};

/// In place of the number of a triangle, of a plane at right angles to an axis: this and the axis, 0 to 2.
#define TACT_BSP_AXIS 0xfffffff0u

/// A plane and what is on either side of it.
typedef struct tact_bsp_node {
    double normal[3];   ///< of the plane, of any length, rounded; the exact plane is that of `triangle`
    double bound;       ///< what rounding may do to normal . (p - point), for each unit of |x| + |y| + |z| of p - point
    tact_vec3 point;    ///< a vertex in the plane
    uint32_t triangle;  ///< whose plane it is, counter-clockwise from the front; or TACT_BSP_AXIS + the axis
    int32_t child[2];   ///< in front, behind: numbers of nodes, TACT_BSP_EMPTY or TACT_BSP_SOLID
    uint32_t first_face;  ///< where the node's faces begin among the tree's; they end where those of the next begin
    uint32_t reserved;    ///< zero
} tact_bsp_node;

/// How a tree is made. Start with all zeros.
typedef struct tact_bsp_settings {
    uint32_t candidates;    ///< planes of triangles that are tried for a node; 0: 8. Each axis adds one more
    float split_cost;       ///< what cutting a triangle counts, where one more on the fuller side counts 1; 0: 2
    bool faces_only;        ///< no planes but those of triangles. A convex part then is a list as deep as it has faces
    uint32_t depth_limit;   ///< of the tree; 0: 65,536
    uint64_t memory_limit;  ///< bytes at most, of the tree and while it is made; 0: 16 MiB and 16 KiB a triangle
    uint64_t reserved[4];   ///< zeros: room for fields to come
} tact_bsp_settings;

/// A tree, with a copy of the mesh it was made from, until tact_bsp_free(). Node 0 is the root. Moves with its arrays:
/// it refers to nothing of the caller's.
typedef struct tact_bsp {
    tact_vec3* positions;      ///< of the vertices, as given
    uint32_t* indices;         ///< three for each triangle, as given
    tact_bsp_node* nodes;      ///< each before those below it
    uint32_t* faces;           ///< triangles with a part in the plane of a node, node by node
    size_t vertex_count;       ///< of `positions`
    size_t triangle_count;     ///< a third of `indices`
    size_t node_count;         ///< of `nodes`
    size_t face_count;         ///< of `faces`: a triangle that was cut is there more than once
    uint64_t solid_leaves;     ///< convex parts of the inside
    uint64_t empty_leaves;     ///< convex parts of the outside
    uint64_t cuts;             ///< pieces of triangles that a plane has cut in two
    uint64_t unsure;           ///< decisions of the build that took whole numbers
    uint64_t peak_bytes;       ///< memory at most while it was made, without the copy of the mesh and the report on it
    uint32_t depth;            ///< nodes on the longest way to a leaf
    double mean_depth;         ///< nodes on the way to a leaf, averaged over the leaves
    tact_allocator allocator;  ///< of the arrays
    uint64_t reserved[4];      ///< zeros
} tact_bsp;

/// Makes the tree of the inside of a mesh. The plane of a node is the one of the least cost among some planes of
/// triangles and, along each axis, one through a vertex in the middle of the triangles there: the cost is how much
/// fuller one side is, and `split_cost` for each cut. Equal input gives an equal tree, and pieces in a node's plane end
/// there. Triangles of area zero are left out. `settings` and `allocator` may be NULL: the defaults, the C library's.
///
/// About 8 microseconds a triangle, two or three nodes of 64 bytes and 700 bytes while it is made. At worst the square
/// of the number of triangles, which the limits cut off.
///
/// The surface must not pass through itself, which is not tested: what is inside is decided by the face next to it.
/// Parts that touch at a vertex, along an edge or with a face are allowed. Errors, with a detail that has the counts:
/// INVALID_ARGUMENT for a mesh with bad triangles, that is open (an edge with an odd number of triangles), that is not
/// oriented (an edge passed more often one way than the other), that is inside out or encloses no volume, and for faces
/// that lie on each other with the same part between them both solid and empty; LIMIT for a tree beyond the limits;
/// OUT_OF_MEMORY. The tree is then empty.
TACT_API tact_result tact_bsp_make(const tact_mesh_view* mesh, const tact_bsp_settings* settings,
                                   const tact_allocator* allocator, tact_bsp* tree);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_bsp_free(tact_bsp* tree);

/// A place by the solid it is in.
typedef enum tact_bsp_place {
    TACT_BSP_OUTSIDE = 0,  ///< also of a point with a NaN or an infinity, and of an empty tree
    TACT_BSP_INSIDE = 1,   ///< not on the surface
    TACT_BSP_SURFACE = 2   ///< exactly on a triangle
} tact_bsp_place;

/// Returns where a point is, exactly. A point that is in a node's plane is looked for on both sides. About 10
/// nanoseconds a node on the way: 0.2 microseconds for 10,000 triangles.
TACT_API tact_bsp_place tact_bsp_locate(const tact_bsp* tree, tact_vec3 point);

/// Locates `count` points as tact_bsp_locate() does, written to `places` as tact_bsp_place, a byte each.
TACT_API void tact_bsp_locate_many(const tact_bsp* tree, const tact_vec3* points, size_t count, uint8_t* places);
