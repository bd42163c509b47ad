// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/closest_point.h
/// The point of a shape that is nearest to a given point, with the distance.
///
/// All functions: double inside; point, distance and parameters are rounded once, so the point is within 2^-23 of the
/// largest coordinate's size. A point inside a solid is its own closest point, at distance 0. An argument that is NaN
/// or infinite, a negative radius or extent, or a shape without points: distance and its square infinite, the point
/// NaN. A distance beyond about 1.8e19 has an infinite square.

#include "tact/geometry/types.h"

/// The point of a shape that is closest to a given one.
typedef struct tact_closest {
    tact_vec3 point;  ///< on the shape, or the given point itself where it is inside
    float distance;   ///< between the two, >= 0
    float squared;    ///< the distance's square, without a root taken
    /// Coordinates on the shape, which each function defines. Barycentric weights of a, b, c for triangles.
    float u, v, w;
} tact_closest;

/// Returns how far p is in front of the plane, negative behind: (n . p - d) / |n|, a length for normals of any length.
/// NaN for a zero normal or a NaN. About 15 operations.
/// Christer Ericson, Real-Time Collision Detection, 2005, 5.1.1, where the divisor is n . n: right for unit n only.
TACT_API float tact_plane_signed_distance(tact_vec3 p, tact_plane plane);

/// Finds the closest point on a plane, whose normal may have any length but zero. u: the signed distance, as above.
/// About 25 operations. Ericson 2005, 5.1.1.
TACT_API tact_closest tact_closest_on_plane(tact_vec3 p, tact_plane plane);

/// Finds the closest point on the line through a and b, which is the point a when they are equal. u, v: weights of a
/// and b, beyond [0, 1] too. About 30 operations. Ericson 2005, 5.1.2.
TACT_API tact_closest tact_closest_on_line(tact_vec3 p, tact_segment line);

/// Finds the closest point on a segment, which may be a point. u, v: weights of a and b. About 30 operations, a
/// division only between the ends. Ericson 2005, 5.1.2, 5.1.2.1.
TACT_API tact_closest tact_closest_on_segment(tact_vec3 p, tact_segment s);

/// Finds the closest point on a ray, or any piece of a line: v is t, clamped to [tmin, tmax], which may be infinite. A
/// zero direction is the origin at the t nearest to 0. No points when tmin > tmax, or when the nearer end is infinite.
/// About 30 operations. Ericson 2005, 5.1.2.
TACT_API tact_closest tact_closest_on_ray(tact_vec3 p, const tact_ray* ray);

/// Finds the closest point in a solid box. About 15 operations. Exact but for the rounding of the distance. Ericson
/// 2005, 5.1.3.
TACT_API tact_closest tact_closest_on_aabb(tact_vec3 p, const tact_aabb* box);

/// Finds the closest point in a solid oriented box. u, v, w: coordinates along its axes, from the centre. About 45
/// operations. An extent of 0 makes a rectangle. Ericson 2005, 5.1.4.
TACT_API tact_closest tact_closest_on_obb(tact_vec3 p, const tact_obb* box);

/// Finds the closest point on the rectangle corner + u edge0 + v edge1, 0 <= u, v <= 1; the edges are perpendicular. A
/// zero edge makes a segment. About 45 operations. Ericson 2005, 5.1.4.2.
TACT_API tact_closest tact_closest_on_rectangle(tact_vec3 p, tact_vec3 corner, tact_vec3 edge0, tact_vec3 edge1);

/// Finds the closest point on a triangle, which may be a segment or a point. u, v, w: barycentric weights, none
/// negative. About 80 operations over the face, up to 120 beside it. Unlike the Voronoi-region form of the source it
/// takes no differences of products of dot products, so needles keep their digits.
/// Ericson 2005, 5.1.5.
TACT_API tact_closest tact_closest_on_triangle(tact_vec3 p, const tact_triangle* t);

/// Finds the closest point in the solid tetrahedron of four vertices in any order; a flat one is the polygon it spans.
/// The test for p inside is exact. About 120 operations inside, 350 outside. Ericson 2005, 5.1.6.
TACT_API tact_closest tact_closest_on_tetrahedron(tact_vec3 p, const tact_vec3 vertices[4]);

/// Finds the closest point on the surface made of `count` triangles, three indices into `vertices` each. u, v, w:
/// weights of the corners of triangle `*triangle`, the first of equally near ones; `triangle` may be NULL. Triangles
/// with a NaN or an infinity are skipped; with none left, distance infinite and *triangle `count`. O(count), 120
/// operations each.
/// Ericson 2005, 5.1.5.
TACT_API tact_closest tact_closest_on_mesh(tact_vec3 p, const tact_vec3* vertices, const uint32_t* indices,
                                           uint32_t count, uint32_t* triangle);

/// Finds the closest point in a solid convex polyhedron given by its closed surface, triangles counter-clockwise from
/// outside. Only triangles that p is in front of are examined, by exact signs; with none, p is inside. `triangle` and
/// weights as for tact_closest_on_mesh; *triangle is `count` when p is inside. O(count). Ericson 2005, 5.1.7.
TACT_API tact_closest tact_closest_on_convex(tact_vec3 p, const tact_vec3* vertices, const uint32_t* indices,
                                             uint32_t count, uint32_t* triangle);

/// Finds the closest point in a solid sphere; a radius of 0 makes a point. About 20 operations.
TACT_API tact_closest tact_closest_on_sphere(tact_vec3 p, const tact_sphere* sphere);

/// Finds the closest point in a solid capsule; a == b makes a sphere. u, v: weights of a and b of the nearest point of
/// its core. About 45 operations. Ericson 2005, 4.5.1.
TACT_API tact_closest tact_closest_on_capsule(tact_vec3 p, const tact_capsule* capsule);
