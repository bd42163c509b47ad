// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/moving.h
/// The first contact of moving shapes, time and place. The motion is a straight translation by `motion` during the
/// times 0 to 1 without turning; the paths are exact, so nothing is missed however long the motion is. Of two moving
/// shapes only the difference of the motions counts (Ericson, Real-Time Collision Detection, 2005, 5.5).
/// tact_moving_halving() is for shapes that turn.
///
/// Touching counts: shapes that touch or overlap at time 0 are in contact at time 0, moving apart or not. Shapes that
/// touch in passing or at time 1 are in contact. Decisions are right to about 2^-45 of the sizes and distances that
/// take part; small whole numbers and the like are decided exactly.

#include "tact/geometry/types.h"

/// The first contact of a moving shape and a second one.
typedef struct tact_moving_hit {
    bool hit;  ///< false: no contact from time 0 to 1, or an argument that is no shape; the rest is 0 then
    float t;   ///< 0 to 1
    /// The point of contact at time t. When they overlap at time 0: a point of the second shape near the middle of it.
    tact_vec3 point;
    /// Unit length, away from the second shape and towards the first. When they overlap at time 0: from the nearest
    /// point of the second shape to the centre of the sphere, or the direction of least depth; 0 when the functions'
    /// rule gives none.
    tact_vec3 normal;
} tact_moving_hit;

/// Finds the first contact of a moving sphere and a plane. The normal of the hit is the plane's, on the side of the
/// sphere's centre, and 0 for a centre in the plane. The plane's normal need not have unit length; a zero one is never
/// hit. About 40 operations and one root. Ericson 5.5.3.
TACT_API tact_moving_hit tact_moving_sphere_plane(tact_sphere sphere, tact_vec3 motion, tact_plane plane);

/// Finds the first contact of two moving spheres. `point` is on b at time t. The normal is 0 when the centres are the
/// same at time 0; spheres of radius 0 have the normal against the motion. About 60 operations and two roots. Ericson
/// 5.5.5, with the discriminant as a cross product, which does not cancel for distant spheres, and the root as a
/// quotient that does not cancel for near ones.
TACT_API tact_moving_hit tact_moving_sphere_sphere(tact_sphere a, tact_vec3 motion_a, tact_sphere b,
                                                   tact_vec3 motion_b);

/// Finds the first contact of a moving sphere and a triangle: its face, then the cylinders about its edges and the
/// spheres about its vertices, of which the first counts. The plane's contact rules the rest out when the sphere does
/// not reach the plane, and settles it when it lies in the triangle. About 150 operations in these cases, else 600.
///
/// The triangle's normal does not matter: both sides are hit. A triangle without area is the segment or point it is,
/// and one thinner than 2^-30 of its length is its edges. The normal is 0 when the centre is in the triangle at time 0.
///
/// Moeller and others, Real-Time Rendering, 4th edition 2018, 22 (sphere and polygon). Ericson 5.5.6 sends a ray back
/// from the point of the triangle next to the contact with the plane. That is not the point touched first when the
/// motion is slanted: of random contacts with the plane outside of the triangle, 1 % are missed and 2 % found late
/// (`test_moving_sphere` counts them). Here all features are tested.
TACT_API tact_moving_hit tact_moving_sphere_triangle(tact_sphere sphere, tact_vec3 motion,
                                                     const tact_triangle* triangle);

/// Finds the first contact of a moving sphere and a flat polygon, convex or not, in either order of turning, as
/// tact_moving_sphere_triangle. The edges may not cross. Vertices that are not quite in a plane: the edges are those
/// given, and the face is level with the middle of the heights over the mean normal (Newell's). One vertex is a point,
/// two are a segment, none are never hit. About 100 operations a vertex.
TACT_API tact_moving_hit tact_moving_sphere_polygon(tact_sphere sphere, tact_vec3 motion, const tact_vec3* vertices,
                                                    size_t count);

/// Finds the first contact of a moving sphere and a box: the centre's with exactly the rounded box, not the larger box
/// that a ray test would use. The squared distance from the box is a quadratic between the times at which the centre
/// passes the planes of the faces; up to seven of them are solved in turn, which separates face, edge and corner by
/// itself. A sphere with its centre in the box at time 0 has the normal of the nearest face. About 60 to 500
/// operations. Ericson 5.5.7 states the problem.
TACT_API tact_moving_hit tact_moving_sphere_aabb(tact_sphere sphere, tact_vec3 motion, tact_aabb box);

/// Finds the first contact of a moving sphere and a capsule: a segment rounded by both radii. The capsule may be a
/// sphere. `point` is on the capsule. The normal is 0 when the centre is on the segment at time 0. About 150 operations
/// and four roots.
TACT_API tact_moving_hit tact_moving_sphere_capsule(tact_sphere sphere, tact_vec3 motion, tact_capsule capsule);

/// Finds the first contact of a moving box and a plane: the corner, edge or face that is nearest to it; `point` is the
/// middle of that. A box that straddles the plane at time 0 has the normal of the side on which more of it lies, and as
/// its point the projection of its centre. About 40 operations and one root. Ericson 5.5.4.
TACT_API tact_moving_hit tact_moving_aabb_plane(tact_aabb box, tact_vec3 motion, tact_plane plane);

/// Finds the first contact of two moving boxes: the last of three axes on which they begin to overlap, when they do
/// before any ends. The times are compared as fractions, so that edges passing each other are decided exactly. `point`
/// is the middle of what the boxes have in common at time t. Of axes that begin together the first gives the normal; at
/// time 0 it is that of least depth. About 60 operations. Ericson 5.5.8.
TACT_API tact_moving_hit tact_moving_aabb_aabb(tact_aabb a, tact_vec3 motion_a, tact_aabb b, tact_vec3 motion_b);

/// Finds the first contact of two moving oriented boxes, as tact_moving_convex_convex, with 15 axes. Axes that are not
/// quite orthonormal are used as they are. About 3000 operations, fewer when an early axis separates.
TACT_API tact_moving_hit tact_moving_obb_obb(const tact_obb* a, tact_vec3 motion_a, const tact_obb* b,
                                             tact_vec3 motion_b);

/// A convex polyhedron, or a flat polygon, a segment or a point.
typedef struct tact_moving_convex {
    const tact_vec3* vertices;  ///< in any order; further points inside do no harm
    size_t vertex_count;        ///< of `vertices`
    const tact_vec3* normals;   ///< of the faces, of any length and sign; one of parallel ones is enough
    size_t normal_count;        ///< of `normals`
    const tact_vec3* edges;     ///< directions of the edges, of any length and sign; one of parallel ones is enough
    size_t edge_count;          ///< of `edges`
} tact_moving_convex;

/// Finds the first contact of two moving convex polyhedra: on each axis the times at which their shadows begin and
/// cease to overlap; in contact from the last beginning, unless an end comes first. Axes: the normals of both and the
/// cross products of an edge of each. When all edges lie in a plane or a line, nearly or exactly, the axes that
/// separate flat shapes within it are added, which the usual set lacks. Shadows closer than 2^-48 of the terms that
/// their ends are made of touch.
///
/// The normal is the axis of the last beginning, at time 0 that of least depth. The point is found within the features
/// that touch (corner, edge or face); when the shapes overlap at time 0 it lies between the ones that face each other
/// on that axis, and may be in neither.
///
/// Cost: each axis takes 10 operations a vertex, and there are f + g + e h of them. Stops at the first that separates.
/// No memory is needed. Wrong normals or edges give wrong results and do no other harm. Zero normals and edges are
/// skipped; no vertices, NaN: no hit. Ericson 5.5.2; Schneider and Eberly, Geometric Tools for Computer Graphics, 2003,
/// 11.11.
TACT_API tact_moving_hit tact_moving_convex_convex(const tact_moving_convex* a, tact_vec3 motion_a,
                                                   const tact_moving_convex* b, tact_vec3 motion_b);

/// Two objects in any motion, by the functions that tact_moving_halving() calls.
typedef struct tact_moving_pair {
    /// At most the distance of the objects at the time t; 0 or less when they overlap.
    double (*distance)(double t, void* user);
    /// At least how much nearer any two points of the objects come to each other between two times of t0 to t1: for
    /// instance the sum of the lengths of the paths that the fastest point of each goes.
    double (*movement)(double t0, double t1, void* user);
    void* user;  ///< passed to both
} tact_moving_pair;

/// The time in which two objects may first touch.
typedef struct tact_moving_interval {
    bool found;     ///< false: no contact
    double t0, t1;  ///< no contact before t0; t1 - t0 is at most the resolution, and 0 when they overlap at t0
} tact_moving_interval;

/// Finds the first interval of time in which a contact cannot be ruled out, by halving. An interval is skipped when the
/// objects are farther apart at either of its ends than they move in it, which is a proof: no contact is missed if the
/// functions keep their bounds, but objects that come near each other without touching may be found at a coarse
/// resolution.
///
/// Cost: two calls for each interval tried: some tens for a clear case, and up to 2 (t1 - t0) / resolution for objects
/// that slide along each other closely. `resolution` is in units of time and taken as at least 2^-40 of t1 - t0. A NaN
/// distance is an infinite one; NaN or infinite times or resolution, t0 > t1: not found. Ericson 5.5.1, without its
/// recursion and with each distance computed once.
TACT_API tact_moving_interval tact_moving_halving(const tact_moving_pair* pair, double t0, double t1,
                                                  double resolution);
