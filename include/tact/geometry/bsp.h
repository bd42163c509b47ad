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

#include "tact/geometry/convex.h"
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
    bool no_crossings;      ///< a mesh that meets itself is refused, as tact_mesh_crossings() finds it
    uint32_t depth_limit;   ///< of the tree; 0: 65,536
    uint64_t memory_limit;  ///< bytes at most, of the tree and while it is made; 0: 16 MiB and 16 KiB a triangle
    uint64_t reserved[4];   ///< zeros: room for fields to come
} tact_bsp_settings;

/// A tree, with a copy of the mesh it was made from, until tact_bsp_free(). Node 0 is the root. Moves with its arrays:
/// it refers to nothing of the caller's.
typedef struct tact_bsp {
    tact_vec3* positions;   ///< of the vertices, as given
    uint32_t* indices;      ///< three for each triangle, as given
    tact_bsp_node* nodes;   ///< each before those below it
    uint32_t* faces;        ///< triangles with a part in the plane of a node, node by node
    size_t vertex_count;    ///< of `positions`
    size_t triangle_count;  ///< a third of `indices`
    size_t node_count;      ///< of `nodes`
    size_t face_count;      ///< of `faces`: a triangle that was cut is there more than once
    uint64_t solid_leaves;  ///< convex parts of the inside
    uint64_t empty_leaves;  ///< convex parts of the outside
    uint64_t cuts;          ///< pieces of triangles that a plane has cut in two
    uint64_t unsure;        ///< decisions of the build that took whole numbers
    uint64_t peak_bytes;    ///< memory at most while it was made, without the copy of the mesh and the report on it
    uint32_t depth;         ///< nodes on the longest way to a leaf
    double mean_depth;      ///< nodes on the way to a leaf, averaged over the leaves
    int32_t scale;          ///< of whole numbers: what 2^-149 is multiplied by, as a power of two, for all coordinates
    tact_allocator allocator;  ///< of the arrays
    uint64_t reserved[4];      ///< zeros
} tact_bsp;

/// Makes the tree of the inside of a mesh. The plane of a node is the one of the least cost among some planes of
/// triangles and, along each axis, one through a vertex in the middle of the triangles there: the cost is how much
/// fuller one side is, and `split_cost` for each cut. Equal input gives an equal tree, and pieces in a node's plane end
/// there. Triangles of area zero are left out. `settings` and `allocator` may be NULL: the defaults, the C library's.
///
/// Two to four nodes of 64 bytes a triangle, and 700 bytes while it is made. At worst time and memory are the square
/// of the number of triangles, which the limits cut off.
///
/// Where the surface passes through itself, what is inside is decided by the face next to it. Parts that touch at a
/// vertex, along an edge or with a face are allowed. With `no_crossings` neither is allowed, but for corners and edges
/// that are common: that takes a tenth of the time more, of small meshes a seventh. Errors, with a detail that has the
/// counts: INVALID_ARGUMENT for a mesh with bad triangles, that meets itself and must not, that is open (an edge with
/// an odd number of triangles), that is not oriented (an edge passed more often one way than the other), that is inside
/// out or encloses no volume, and for faces that lie on each other with the same part between them both solid and
/// empty; LIMIT for a tree beyond the limits; OUT_OF_MEMORY. The tree is then empty.
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

/// Returns where a point is, exactly. A point that is in a node's plane is looked for on both sides.
TACT_API tact_bsp_place tact_bsp_locate(const tact_bsp* tree, tact_vec3 point);

/// Locates `count` points as tact_bsp_locate() does, written to `places` as tact_bsp_place, a byte each.
TACT_API void tact_bsp_locate_many(const tact_bsp* tree, const tact_vec3* points, size_t count, uint8_t* places);

/// In place of a triangle or a node.
#define TACT_BSP_NONE 0xffffffffu

/// A part of a ray that is in a solid.
typedef struct tact_bsp_interval {
    float in, out;      ///< t of its ends, both part of it; equal where the ray only touches
    uint32_t node_in;   ///< in whose plane it begins; TACT_BSP_NONE where the ray begins inside
    uint32_t node_out;  ///< in whose plane it ends; TACT_BSP_NONE where the ray ends inside
} tact_bsp_interval;

/// The first place at which a ray is in a solid.
typedef struct tact_bsp_ray_hit {
    bool hit;           ///< there is one
    float t;            ///< of the place; infinite where there is none
    uint32_t node;      ///< in whose plane it is; TACT_BSP_NONE where the ray begins inside, or misses
    uint32_t triangle;  ///< the one of the node's there; TACT_BSP_NONE where the ray begins inside or misses
} tact_bsp_ray_hit;

/// Finds where a ray first is in the solid or on its surface. Whether it is, and by which planes, is exact for the
/// origin, direction, tmin and tmax given: the order of two planes along a ray is the sign of a determinant. So nothing
/// slips through between two triangles, and a touch of a vertex is a hit. `t` is within two units in its last place.
/// Of faces in the same plane that meet there, the triangle is one of them. An infinite tmin or tmax is allowed. Like
/// all ray functions: a NaN, an infinite origin or direction, a direction of 0 or tmin > tmax misses. tact_raycast()
/// takes a tenth of the time or far less, in single precision.
TACT_API tact_bsp_ray_hit tact_bsp_ray(const tact_bsp* tree, const tact_ray* ray);

/// Casts `count` rays as tact_bsp_ray() does, written to `hits` in order.
TACT_API void tact_bsp_rays(const tact_bsp* tree, const tact_ray* rays, size_t count, tact_bsp_ray_hit* hits);

/// Finds all parts of a ray that are in the solid or on its surface, in order, as exactly. No two have a point in
/// common. Writes the first `capacity` of them to `intervals`, which may be NULL if that is 0, and returns how many
/// there are. Two or three casts for each.
TACT_API size_t tact_bsp_intervals(const tact_bsp* tree, const tact_ray* ray, tact_bsp_interval* intervals,
                                   size_t capacity);

/// Tests whether a convex shape and the solid have a point in common. The tree leads to the planes that the shape
/// reaches; the triangles there decide by tact_convex_overlap(), and where none is touched, one point of the shape.
/// So corners do not lie, as those of a solid whose planes are moved out by the shape's size do, and need no further
/// planes. Shapes that are no set overlap nothing.
TACT_API bool tact_bsp_overlaps_convex(const tact_bsp* tree, tact_convex shape);

/// The first touch of a moving convex shape and a solid.
typedef struct tact_bsp_cast_hit {
    bool hit;  ///< false: they do not touch on the way
    float t;   ///< a fraction of the motion, 0 to 1, rounded down; infinite for a miss
    uint32_t
        triangle;      ///< that is touched; TACT_BSP_NONE for a miss and where the shape begins inside without touching
    tact_vec3 point;   ///< common to both at t; NaN where `triangle` is TACT_BSP_NONE
    tact_vec3 normal;  ///< of unit length, from the shape to the solid; NaN likewise
} tact_bsp_cast_hit;

/// Finds when a convex shape that moves by `motion` without turning first touches the solid; 0 where it overlaps it at
/// the start. Planes are moved out by the shape's reach along their normals, so that the way of a point stands for that
/// of the shape (Melax, "Dynamic Plane Shifting BSP Traversal", 2000). What is past a moved plane may be a corner that
/// the shape never meets; in place of bevels, which only lessen that, the triangles in the plane decide by
/// tact_convex_cast(). Never late: t is at most what that finds of any triangle, and a plane is passed over only where
/// rounding cannot matter. A NaN or an infinity in the motion, and shapes that are no set, miss.
TACT_API tact_bsp_cast_hit tact_bsp_cast_convex(const tact_bsp* tree, tact_convex shape, tact_vec3 motion);
