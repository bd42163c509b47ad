// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/polytope.h
/// Separating axes of two convex polyhedra with poses: whether they overlap, how deep, and along which axis, exact but
/// for rounding. tact_convex_overlap() and tact_convex_penetration() take any convex shapes and need no preparation;
/// these functions know the faces and edges, and remember the axis from call to call.

#include "tact/geometry/convex.h"

/// A face of a hull as the half-space that it bounds.
typedef struct tact_hull_side {
    double x, y, z;  ///< unit normal, which points out
    double height;   ///< of the hull's farthest point along it, above point 0
} tact_hull_side;

/// An edge of a hull, between two faces. The left one has it in this order.
typedef struct tact_hull_edge {
    uint32_t from, to;     ///< point numbers
    uint32_t left, right;  ///< face numbers
} tact_hull_edge;

/// A convex polyhedron, prepared by tact_polytope_make(). Refers to the caller's hull and arrays, which must stay as
/// they are while it is used.
typedef struct tact_polytope {
    const tact_hull* hull;        ///< points and faces
    const tact_hull_side* sides;  ///< one for each face
    const tact_hull_edge* edges;  ///< each once, sorted by their smaller point, then the other
    uint32_t edge_count;          ///< of `edges`
    double extent;                ///< of the points' coordinates above point 0: the largest sum of their sizes
    double middle[3];             ///< mean of the points, above point 0
    uint64_t reserved[4];         ///< zero
} tact_polytope;

/// Prepares a hull with faces. `sides` has room for face_count, `edges` for half as many as `face_points` has.
/// TACT_ERROR_INVALID_ARGUMENT, with a detail: no faces, numbers of points that do not exist, points that are not
/// finite, faces that do not close, a face without area, a point in front of a face by more than 1e-5 of the hull's
/// size, a hull thinner than 1e-12 of it. O(faces points + edges log edges).
TACT_API tact_result tact_polytope_make(const tact_hull* hull, tact_hull_side* sides, tact_hull_edge* edges,
                                        tact_polytope* polytope);

/// Returns the area of the polyhedron's shadow along a direction of any length but 0: half the sum of its faces' areas
/// as they are seen from there. NaN for a polyhedron that is not prepared and a direction that is 0 or not finite. 10
/// operations a corner of a face.
TACT_API double tact_polytope_shadow(const tact_polytope* polytope, tact_vec3 direction);

/// Returns the mean of the shadow over all directions: a fourth of the surface's area, by Cauchy's formula. Of two
/// volumes that random rays meet, they meet each as often as its own is large. NaN as above.
TACT_API double tact_polytope_mean_shadow(const tact_polytope* polytope);

/// Returns the mean over all directions of the distance of the two planes across that touch the polyhedron: the sum
/// over its edges of length times the angle of the normals, divided by 4 pi. How often a volume in a random place meets
/// a plane is in proportion to it. NaN as above.
TACT_API double tact_polytope_mean_width(const tact_polytope* polytope);

/// What an axis is the normal of.
typedef enum tact_axis_kind {
    TACT_AXIS_NONE = 0,    ///< there is no axis
    TACT_AXIS_FACE_A = 1,  ///< a face of A
    TACT_AXIS_FACE_B = 2,  ///< a face of B
    TACT_AXIS_EDGES = 3    ///< an edge of each
} tact_axis_kind;

/// State for the next call on the same two polyhedra after a small motion: the last axis. Start with all zeros. It
/// changes the time a call takes and which axis is found of polyhedra that are apart or, rarely, of axes whose gaps are
/// the same but for rounding.
typedef struct tact_axis_cache {
    uint32_t kind;  ///< tact_axis_kind
    uint32_t a, b;  ///< numbers of the face or the edges
} tact_axis_cache;

/// The gap of two polyhedra along an axis.
typedef struct tact_polytope_gap {
    bool overlap;         ///< they share a point
    float distance;       ///< apart: how far along the axis, at most the distance; else minus the depth
    tact_vec3 axis;       ///< of unit length, from A to B. Moving B along it by -distance makes a deep pair touch
    tact_axis_kind kind;  ///< what the axis is the normal of
    uint32_t a, b;        ///< numbers of the face or the edges; 0 where there is none
} tact_polytope_gap;

/// Finds an axis that separates two polyhedra or, of polyhedra that overlap, the one of least depth: of the faces of A,
/// the faces of B and the cross products of an edge of each, in this order, the first of the largest gap but for
/// rounding. The depth is that of tact_convex_penetration(). A separating axis ends the search: the cached one, or the
/// first there is.
///
/// `pose_a` and `pose_b` are as those of tact_posed_convex; NULL for points where they are. `cache`
/// may be NULL. A polyhedron that is not prepared and a pose that a set of bodies refuses: no overlap, distance
/// infinite, axis NaN.
///
/// Two edges make an axis only where their arcs on the sphere of normals cross, and only an axis that may be better
/// than the best so far is measured, by all points of both or by climbing where the hulls have neighbours. Arithmetic
/// is double; contact is decided within 4e-15 of the sizes and the distance of the polyhedra, and closer than that
/// counts as touching. The depth is as exact, but where edges of posed hulls are parallel up to an angle of e: there it
/// is within the lesser of e and 2e-16 / e of their lengths, at worst 2e-8.
///
/// Cost: a support point of each and some 50 operations when the cached axis separates; else 30 operations a face and
/// 10 an edge, and a support point for each whose gap may be near the largest. 60 KB of stack. Source: Ericson,
/// "Real-Time Collision Detection", 2005, section 5.2; Gregorius, "The Separating Axis Test between Convex Polyhedra",
/// 2013.
TACT_API tact_polytope_gap tact_polytope_separation(const tact_polytope* a, const tact_pose* pose_a,
                                                    const tact_polytope* b, const tact_pose* pose_b,
                                                    tact_axis_cache* cache);

/// What a feature of a polyhedron is.
typedef enum tact_polytope_feature {
    TACT_POLYTOPE_VERTEX = 0,
    TACT_POLYTOPE_EDGE = 1,
    TACT_POLYTOPE_FACE = 2
} tact_polytope_feature;

/// State for the next call on the same two polyhedra after a small motion: the features that were closest. Start with
/// all zeros, which are the first vertices. Which ones it begins with changes the time a call takes and, of several
/// points that are as close but for rounding, which it gives.
typedef struct tact_polytope_cache {
    uint32_t kind_a, a;  ///< tact_polytope_feature, and the number of A's point, edge or face
    uint32_t kind_b, b;  ///< the same of B
} tact_polytope_cache;

/// Finds the distance of two polyhedra and the closest points by their closest features: from the two of the last call
/// to neighbours that are closer, until each is in the other's Voronoi region, which proves them closest. Of polyhedra
/// that overlap, and in the rare case that rounding leads nowhere, the result is that of tact_convex_distance().
///
/// Both hulls need `neighbours` (tact_hull_link()); without them the result is that of tact_convex_distance() too, as
/// for polyhedra that are not prepared and poses that a set of bodies refuses. `pose_a` and `pose_b` as above, `cache`
/// may be NULL. Arithmetic is double; the distance is that of tact_convex_distance() but for rounding.
///
/// Cost: where the features stay, a product of the two turns and 10 to 20 points of either; a step to a neighbour as
/// much again. Source: Mirtich, "V-Clip: Fast and Robust Polyhedral Collision Detection", 1998; Ericson 2005, section
/// 9.2.
TACT_API tact_convex_contact tact_polytope_closest(const tact_polytope* a, const tact_pose* pose_a,
                                                   const tact_polytope* b, const tact_pose* pose_b,
                                                   tact_polytope_cache* cache);
