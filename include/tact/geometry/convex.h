// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/convex.h
/// Queries between any two convex shapes, which are given by their support functions alone: overlap, distance,
/// penetration depth, contact manifold, time of contact.
///
/// All of them work on the set of differences K = { a - b : a in A, b in B }: A and B share a point exactly when K
/// contains the origin, and their distance is the origin's from K (Gilbert, Johnson, Keerthi: "A fast procedure for
/// computing the distance between complex objects", 1988; Ericson: "Real-Time Collision Detection", 2005, section 9.5).
/// Spheres, capsules and lozenges are treated as a point, segment or rectangle with a radius, which loses nothing and
/// makes their results as exact as those of polytopes.
///
/// Arithmetic is double and relative to the shapes' own centres, so that results far from the origin are as good as the
/// float coordinates allow. Sizes from 1e-30 to 1e30 may be used. A query between built-in shapes decides contact
/// within 4e-15 of the shapes' extent and the distance of their centres; closer than that counts as touching.
///
/// A shape with a NaN, an infinity, a negative radius or extent, an empty box, a cylinder of no length, a cone or an
/// ellipsoid with an axis of no length, or a hull without points is no set at all: nothing overlaps it, and its
/// distance is infinite. All other flat shapes are the sets they are.

#include "tact/geometry/types.h"
#include "tact/pose.h"

/// A custom shape's support function: a point of `shape` that is farthest along `direction`, which has unit length.
/// It must be a pure function. As its points are floats, results with it are good to about 1e-6 of the shapes' size.
typedef tact_vec3 tact_support_fn(const void* shape, tact_vec3 direction);

/// A convex hull by its points and, if known, its edges and faces. The arrays belong to the caller. All but `points`
/// may be NULL.
typedef struct tact_hull {
    const tact_vec3* points;  ///< corners; others do no harm but where `neighbours` are given
    uint32_t point_count;     ///< of `points`
    /// The neighbours of point i are neighbours[neighbour_start[i]] up to neighbours[neighbour_start[i + 1] - 1]. With
    /// them a support point is found by hill climbing instead of looking at all points. Every point must then be finite
    /// and a corner of the hull or in its surface, with all the hull's edges among the links; see tact_hull_link().
    /// Points whose neighbours all lie in one plane with them are allowed, but cost a pass over all points where that
    /// plane is across the direction (hill climbing alone would stay in the middle of a bottom).
    const uint32_t* neighbour_start;
    const uint32_t* neighbours;  ///< point numbers, by `neighbour_start`
    /// The points of face i, counter-clockwise from outside, are face_points[face_start[i]] up to
    /// face_points[face_start[i + 1] - 1]. Only manifolds use them; faces should be whole polygons, not triangles of
    /// one.
    const uint32_t* face_start;
    const uint32_t* face_points;  ///< point numbers, by `face_start`
    uint32_t face_count;          ///< faces; `face_start` has one number more
} tact_hull;

/// The kind of a tact_convex, and so the type behind its `shape`.
typedef enum tact_convex_kind {
    TACT_CONVEX_POINT = 0,       ///< tact_vec3
    TACT_CONVEX_SPHERE = 1,      ///< tact_sphere
    TACT_CONVEX_SEGMENT = 2,     ///< tact_segment
    TACT_CONVEX_CAPSULE = 3,     ///< tact_capsule
    TACT_CONVEX_TRIANGLE = 4,    ///< tact_triangle
    TACT_CONVEX_AABB = 5,        ///< tact_aabb
    TACT_CONVEX_OBB = 6,         ///< tact_obb; axes that are not orthonormal span a parallelepiped
    TACT_CONVEX_LOZENGE = 7,     ///< tact_lozenge
    TACT_CONVEX_CYLINDER = 8,    ///< tact_cylinder
    TACT_CONVEX_CONE = 9,        ///< tact_cone
    TACT_CONVEX_ELLIPSOID = 10,  ///< tact_ellipsoid
    TACT_CONVEX_HULL = 11,       ///< tact_hull
    TACT_CONVEX_CUSTOM = 12,     ///< anything with a support function
    TACT_CONVEX_POSED = 13       ///< tact_posed_convex
} tact_convex_kind;

/// A convex shape. Refers to the caller's struct, which must live as long as it is used.
typedef struct tact_convex {
    tact_convex_kind kind;     ///< type of `shape`
    const void* shape;         ///< the caller's struct
    tact_support_fn* support;  ///< of TACT_CONVEX_CUSTOM only
} tact_convex;

/// A convex shape with a pose: the points position + rotation(scale x) of the shape's points x. Both belong to the
/// caller and must live as long as it is used.
///
/// The pose is applied in double precision, to the shape once a query and to the points of hulls and custom shapes as
/// they are found: nothing is rounded to floats but the results. A position may be far away: of shapes that are near
/// each other, distance and normal are as good there as at the origin. A pose that a set of bodies refuses makes the
/// shape no set at all: a NaN, a position beyond 2^40, a rotation of another length than 0.5 to 2, a scale that is not
/// from 2^-40 to 2^40. So does a shape that has a pose already.
typedef struct tact_posed_convex {
    tact_convex shape;      ///< any but TACT_CONVEX_POSED
    const tact_pose* pose;  ///< where its points are
    uint64_t reserved[4];   ///< zero
} tact_posed_convex;

/// State for the next query between the same two shapes after a small motion: the directions in which the corners of
/// its last simplex were found, before them the one that separated the shapes. Start with all zeros. It changes the
/// time a query takes and, in the last places, which of several equally good results it gives.
typedef struct tact_convex_cache {
    uint32_t count;          ///< directions there are, 0 to 4
    tact_vec3 direction[4];  ///< of unit length
} tact_convex_cache;

/// The closest or the deepest points of two shapes.
typedef struct tact_convex_contact {
    float distance;    ///< between the shapes; 0 when they touch; minus the penetration depth
    tact_vec3 a, b;    ///< a point of either shape's surface: b - a = distance normal, but for rounding
    tact_vec3 normal;  ///< of unit length, from A to B. Moving B along it by -distance makes a deep pair touch
    /// False when the result is not proven to 1e-9 of K's extent (thin or nearly round shapes, rarely): |distance| then
    /// is an upper bound, and b - a is only nearly distance normal.
    bool converged;
} tact_convex_contact;

/// Returns the point of the shape that is farthest along `direction` (any length but 0), NaN for an invalid shape. A
/// direction that several points are farthest along gives any of them, always the same. O(1); O(points) for a hull, or
/// about the square root of that with its neighbours.
TACT_API tact_vec3 tact_convex_support(tact_convex shape, tact_vec3 direction);

/// Finds a hull's neighbours from its faces: `neighbour_start` has room for point_count + 1 numbers, `neighbours` for
/// as many as `face_points` has. Set the hull's pointers to them afterwards. TACT_ERROR_INVALID_ARGUMENT if the faces
/// are missing, name points that do not exist, leave out a point or an edge's other side; the arrays' contents are then
/// undefined. O(edges).
TACT_API tact_result tact_hull_link(const tact_hull* hull, uint32_t* neighbour_start, uint32_t* neighbours);

/// Tests whether two convex shapes share a point. GJK that stops at the first separating direction or when its simplex
/// holds the origin: first without distances, where the answer then leaves room for rounding, else with those of
/// tact_convex_distance(). Two oriented boxes are tested by their axes first, as by tact_obb_overlaps_obb(). `cache`
/// may be NULL. Costs a third of tact_convex_distance(), and no more than it when the shapes nearly touch. Source: van
/// den Bergen, "A Fast and Robust GJK Implementation for Collision Detection of Convex Objects", 1999.
TACT_API bool tact_convex_overlap(tact_convex a, tact_convex b, tact_convex_cache* cache);

/// Finds the distance between two convex shapes, the closest points and the direction from A to B. Of shapes that
/// overlap, the distance is 0, `a` and `b` are one common point and the normal is zero; except that a pair with a
/// sphere, capsule or lozenge gets the result of tact_convex_penetration(). Invalid shapes: distance infinite, points
/// and normal NaN. GJK; the point of a simplex nearest to the origin is the best of those of its corners, edges, faces
/// and inside, so flat simplices do no harm. It ends when its square is known to 1e-14 of itself or it no longer
/// shrinks, or after 128 steps. `cache` may be NULL. Each step takes a support point of either shape and up to about
/// 500 operations; polytopes usually need 4 to 8, round shapes up to 40.
TACT_API tact_convex_contact tact_convex_distance(tact_convex a, tact_convex b, tact_convex_cache* cache);

/// Finds what tact_convex_distance() does for shapes that are apart. For shapes that overlap, the penetration depth as
/// a negative distance: the length of the shortest translation that leaves them touching, along `normal`.
/// Method: the expanding polytope. A tetrahedron within K grows by support points beyond the face whose plane is the
/// lowest seen from the origin, until that plane supports K. The origin need not be inside at the start, so touching
/// needs no special care. Where K is flat (two shapes in one plane, parallel segments) the depth is 0 along a normal of
/// K, plus radii. The result is within 1e-9 of K's extent, unless the
/// polytope gets 384 corners (as with two nearly round ellipsoids about one centre, where all directions are nearly as
/// good): then `converged` is false and the distance is that of a translation which is sufficient but perhaps not the
/// shortest. About 3 times the time of tact_convex_distance(), and 100 KB of stack. Source: van den Bergen, "Proximity
/// Queries and Penetration Depth Computation on 3D Game Objects", 2001.
TACT_API tact_convex_contact tact_convex_penetration(tact_convex a, tact_convex b);

/// Points of a manifold at most.
enum { TACT_MANIFOLD_POINTS = 8 };

/// A point of a manifold.
typedef struct tact_manifold_point {
    tact_vec3 a, b;  ///< of either shape: b - a = distance normal, but for rounding
    float distance;  ///< negative where they are in each other
} tact_manifold_point;

/// The contact area of two shapes, as points.
typedef struct tact_manifold {
    uint32_t count;                                   ///< 0 for shapes that are apart
    tact_vec3 normal;                                 ///< unit, from A to B
    tact_manifold_point point[TACT_MANIFOLD_POINTS];  ///< `count` of them
} tact_manifold;

/// Finds the contact of two shapes no farther apart than `margin` as up to `max_points` points (8 at most; 4 are enough
/// to rest on). The normal is that of tact_convex_penetration(). The faces of both shapes that face each other are
/// projected along it and intersected; corners of the intersection at which the shapes are within `margin` (and 1e-6 of
/// the smaller face) are the points, and the deepest contact if none of these is as deep. If there are more than
/// wanted, the deepest and then repeatedly the one farthest from those taken; equal ones go by the order of corners, so
/// equal input gives equal output. The faces are those of boxes, rectangles, triangles and hulls with `face_start` (of
/// more than 32 corners every nth is used), eight points of the end of a cylinder or the base of a cone, their sides'
/// lines, and segments; two edges match if parallel to 1e-3 (b - a then is off by as much). Ellipsoids, custom shapes,
/// spheres and hulls without faces give one point. Invalid shapes and a NaN margin: none.
/// Cost: tact_convex_penetration(), about 100 operations a pair of corners of the two faces and, for hulls, 20 for
/// every corner of every face. Source: Ericson 2005, section 9.5.3; Sutherland and Hodgman, "Reentrant polygon
/// clipping", 1974.
TACT_API tact_manifold tact_convex_manifold(tact_convex a, tact_convex b, float margin, uint32_t max_points);

/// The first contact of two shapes that move without turning.
typedef struct tact_convex_hit {
    bool hit;          ///< false: they do not touch on the way
    float t;           ///< in [0, 1], a fraction of the motion
    tact_vec3 point;   ///< common to both at t
    tact_vec3 normal;  ///< unit, from A to B
} tact_convex_hit;

/// Finds the first contact of A, which moves by `motion` relative to B, which rests: B is where it is, A starts where
/// it is and moves to itself plus `motion`. Shapes that overlap at the start hit at t = 0, with the normal and a point
/// of tact_convex_penetration(). A motion that only touches, also at its very end, hits.
/// Method: conservative advancement. The plane between the closest points bounds how far A may go without contact; as
/// the distance is a convex function of t, these steps are Newton's and never overshoot. Shapes whose plane does not
/// come closer miss. Stops within 1e-9 of the motion's length or the extent of K, whichever is larger; 64 steps, each a
/// warm GJK query. Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, section 2.3;
/// Ericson 2005, section 9.5.
TACT_API tact_convex_hit tact_convex_cast(tact_convex a, tact_vec3 motion, tact_convex b);

/// Returns a point as a convex shape. Like all of these it refers to the caller's struct and costs nothing.
TACT_API tact_convex tact_convex_point(const tact_vec3* shape);

/// Returns a sphere as a convex shape.
TACT_API tact_convex tact_convex_sphere(const tact_sphere* shape);

/// Returns a segment as a convex shape.
TACT_API tact_convex tact_convex_segment(const tact_segment* shape);

/// Returns a capsule as a convex shape.
TACT_API tact_convex tact_convex_capsule(const tact_capsule* shape);

/// Returns a triangle as a convex shape.
TACT_API tact_convex tact_convex_triangle(const tact_triangle* shape);

/// Returns an axis-aligned box as a convex shape.
TACT_API tact_convex tact_convex_aabb(const tact_aabb* shape);

/// Returns an oriented box as a convex shape.
TACT_API tact_convex tact_convex_obb(const tact_obb* shape);

/// Returns a sphere-swept rectangle as a convex shape.
TACT_API tact_convex tact_convex_lozenge(const tact_lozenge* shape);

/// Returns a cylinder as a convex shape.
TACT_API tact_convex tact_convex_cylinder(const tact_cylinder* shape);

/// Returns a cone as a convex shape.
TACT_API tact_convex tact_convex_cone(const tact_cone* shape);

/// Returns an ellipsoid as a convex shape.
TACT_API tact_convex tact_convex_ellipsoid(const tact_ellipsoid* shape);

/// Returns a convex hull as a convex shape.
TACT_API tact_convex tact_convex_hull(const tact_hull* shape);

/// Returns a custom convex shape, by its support function.
TACT_API tact_convex tact_convex_custom(const void* shape, tact_support_fn* support);

/// Returns a convex shape with a pose as a convex shape.
TACT_API tact_convex tact_convex_posed(const tact_posed_convex* shape);
