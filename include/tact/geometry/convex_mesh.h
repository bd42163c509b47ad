// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/convex_mesh.h
/// Convex polyhedra that are made of others: the intersection of half-spaces, the volume of a k-DOP, the sum and the
/// difference of two. For cells of a map, brushes of a level, collision hulls that are grown by a robot's shape so that
/// it becomes a point, and bounds that turn with their object.
///
/// Which points and faces there are is decided exactly, by signs of determinants of the numbers given: planes that meet
/// in one point make one corner, and faces in one plane are one. Only the corners' coordinates are rounded, to the
/// nearest float, so that of a face with more than three the corners are in one plane but for that; two corners that
/// are very close may get the same coordinates.

#include "tact/geometry/convex.h"
#include "tact/geometry/kdop.h"

/// What a convex mesh is.
typedef enum tact_convex_mesh_kind {
    TACT_CONVEX_MESH_EMPTY = 0,  ///< there is no point
    TACT_CONVEX_MESH_FLAT = 1,   ///< all points are in one plane; there are no arrays
    TACT_CONVEX_MESH_SOLID = 2   ///< there is an inside
} tact_convex_mesh_kind;

/// A convex polyhedron, until tact_convex_mesh_free(). Corners and faces are as those of tact_hull.
typedef struct tact_convex_mesh {
    tact_convex_mesh_kind kind;  ///< exact
    tact_vec3* points;           ///< its corners
    uint32_t point_count;        ///< of `points`
    uint32_t* face_start;        ///< face_count + 1 places in `face_points`
    uint32_t* face_points;       ///< numbers of points; a face's are counter-clockwise from outside
    uint32_t face_count;         ///< whole polygons, no two in one plane
    uint32_t* face_source;       ///< of an intersection: each face's half-space, or side of the box; else NULL
    uint32_t* point_source;      ///< of a sum or difference: two for each point, of A and of B; else NULL
    tact_allocator allocator;    ///< of the arrays
    uint64_t reserved[4];        ///< zeros
} tact_convex_mesh;

/// Makes the polyhedron of all points of the box with normal . p <= distance for all half-spaces. Corners are made from
/// three planes each. `face_source` has TACT_LP_SIDE + side for faces in sides of the box, by
/// geometry/linear_program.h. Of equal half-spaces one has the face. A half-space with a normal of 0 holds for all
/// points or none. An empty or flat set is no error.
///
/// Method: tact_half_spaces_ball() finds a point inside; seen from there each plane is a point at the inverse of its
/// distance, and the faces of their hull are the corners. Quickhull decides by determinants of the planes, in which the
/// point inside does not occur. O(n log n) for planes in all directions. `allocator` may be NULL: the C library's.
/// Errors: INVALID_ARGUMENT for numbers that are not finite, a normal longer than the largest float; LIMIT for more
/// than 2^30 half-spaces; OUT_OF_MEMORY. The mesh is then empty. Source: Preparata, Muller, "Finding the intersection
/// of n half-spaces in time O(n log n)", 1979; Ericson, "Real-Time Collision Detection", 2005, section 4.6.4.
TACT_API tact_result tact_half_spaces_mesh(const tact_plane* half_spaces, size_t count, tact_aabb box,
                                           const tact_allocator* allocator, tact_convex_mesh* mesh);

/// Makes the volume of a k-DOP: tact_half_spaces_mesh() of its sides. `face_source` has 2 * axis for a lower side, one
/// more for an upper one. INVALID_ARGUMENT for an unknown k and bounds that are not finite.
TACT_API tact_result tact_kdop_mesh(const tact_kdop* kdop, const tact_allocator* allocator, tact_convex_mesh* mesh);

/// Returns the least k-DOP around a volume that has turned and moved: `mesh`, made once by tact_kdop_mesh() or any
/// other way, stands for the object, whose own vertices are not needed. Larger than that around the object, at the
/// first turn alone: always realign the first mesh by the whole transform. Rounded outward, with room for the rounding
/// of the corners. O(corners k); a linear programme for each bound instead takes several times the operations. Empty
/// for a mesh without points and a transform that is not finite.
TACT_API tact_kdop tact_kdop_realign(uint32_t k, const tact_convex_mesh* mesh, const tact_transform* transform);

/// Makes the sum { a + b } of the convex hulls of two sets of points. The hull of all sums of two corners, by exact
/// decisions: time and memory are those of tact_hull_mesh_3d() for as many points as the product of the numbers of
/// corners, so this is for two of up to a hundred. A set may be flat or one point, and so may the sum be.
/// `allocator`, OUT_OF_MEMORY as above; INVALID_ARGUMENT for coordinates that are not finite or a sum of two beyond the
/// largest float; LIMIT for more than 2^30 sums.
TACT_API tact_result tact_minkowski_sum(const tact_vec3* a, size_t a_count, const tact_vec3* b, size_t b_count,
                                        const tact_allocator* allocator, tact_convex_mesh* mesh);

/// Makes the difference { a - b }: the places of B's origin, relative to where it is, at which B touches A; it holds
/// the origin when they overlap. As tact_minkowski_sum().
TACT_API tact_result tact_minkowski_difference(const tact_vec3* a, size_t a_count, const tact_vec3* b, size_t b_count,
                                               const tact_allocator* allocator, tact_convex_mesh* mesh);

/// Corners that tact_hull_around() may be limited to, at least: those of a box.
enum { TACT_HULL_AROUND_LEAST = 8 };

/// Makes a convex polyhedron of at most `most` corners that holds all points: for collision hulls, of which each corner
/// costs time. Their hull where that has no more; else the box of the points, cut by planes of the hull's faces, of
/// which each takes off what is farthest from the hull, moved outward by what rounding moves the corners. So no point
/// is outside the hull of the corners, exactly. What it has beyond the points' hull is the less the more corners there
/// are; `tact mesh FILE --decompose` says how much. FLAT or EMPTY where the points' hull is, without arrays.
/// `allocator` may be NULL. Errors: INVALID_ARGUMENT for coordinates that are not finite or within a millionth of the
/// largest float, and less than
/// TACT_HULL_AROUND_LEAST corners; LIMIT for more than 2^30 points; OUT_OF_MEMORY.
TACT_API tact_result tact_hull_around(const tact_vec3* points, size_t count, uint32_t most,
                                      const tact_allocator* allocator, tact_convex_mesh* mesh);

/// Returns the mesh as a hull, without neighbours. It refers to the mesh's arrays.
TACT_API tact_hull tact_convex_mesh_hull(const tact_convex_mesh* mesh);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_convex_mesh_free(tact_convex_mesh* mesh);
