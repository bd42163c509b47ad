// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/containment.h
/// Tests whether a shape contains a point. Those of boxes, spheres and other bounding volumes are in their own headers.
///
/// The boundary belongs to the shape. "Exact": the result is that for the very coordinates given, whatever their size.
/// "To 2^-46": a point so close to the boundary, relative to the larger of what is compared, may go either way.
/// A NaN, an infinity, a negative radius or height: false, and TACT_POINT_OUTSIDE.

#include "tact/geometry/types.h"

/// The place of a point. Not zero when the closed shape contains it.
typedef enum tact_location { TACT_POINT_OUTSIDE = 0, TACT_POINT_ON_BOUNDARY = 1, TACT_POINT_INSIDE = 2 } tact_location;

/// Tests whether a triangle in the plane contains a point, vertices in either order; a triangle without area is the
/// segment or point it is. Exact. Three signed areas, about 25 operations. Christer Ericson, Real-Time Collision
/// Detection, 2005, 5.4.2.
TACT_API bool tact_triangle_contains_point_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 point);

/// Tests whether a triangle in space contains a point: its plane does, and the triangle in all three views. Exact, so
/// few computed points lie in it: use tact_triangle_faces_point() or a distance for those. Degenerate triangles as
/// above. About 40 operations off the plane, 150 in it. Ericson 2005, 5.4.2.
TACT_API bool tact_triangle_contains_point(const tact_triangle* triangle, tact_vec3 point);

/// Tests whether the point's projection onto the triangle's plane lies in the triangle: the prism over it contains the
/// point. To 2^-46. A triangle without area has no plane: false. About 90 operations. Ericson 2005, 5.4.2.
TACT_API bool tact_triangle_faces_point(const tact_triangle* triangle, tact_vec3 point);

/// Tests whether a polygon in the plane is convex, either way round: it turns one way only, and once. Vertices may lie
/// on edges or be repeated. False for a polygon without area, one that goes back on itself, and a NaN or infinity.
/// Exact. O(count), about 12 operations each. Ericson 2005, 3.7.1, whose test of all turns a star passes.
TACT_API bool tact_polygon_is_convex_2d(const tact_vec2* vertices, uint32_t count);

/// Tests whether a convex polygon in the plane, counter-clockwise, contains a point. Vertices may lie on edges or be
/// repeated; one without area is the segment or point it is. Exact. A binary search over the triangles at the first
/// vertex: O(log count) areas, O(count) for a polygon that is flat there. Vertices that the search does not visit are
/// not examined, NaN or not.
/// Ericson 2005, 5.4.1.
TACT_API bool tact_convex_polygon_contains_point_2d(const tact_vec2* vertices, uint32_t count, tact_vec2 point);

/// Locates a point in any closed polygon, which may cross itself, by the even-odd rule: inside means that a ray crosses
/// its edges an odd number of times. Exact; vertices on the ray are counted once or twice as they must. O(count): 4
/// operations for most edges, an area for those at the point's height. Ericson 2005, 5.4.1.
TACT_API tact_location tact_polygon_locate_2d(const tact_vec2* vertices, uint32_t count, tact_vec2 point);

/// Locates a point in any closed polygon by the nonzero rule: inside means that the polygon goes round the point.
/// `*winding`, unless `winding` is NULL, is how many times it does so counter-clockwise; on the boundary, for one side
/// of it. Exact. O(count).
TACT_API tact_location tact_polygon_winding_2d(const tact_vec2* vertices, uint32_t count, tact_vec2 point,
                                               int32_t* winding);

/// Tests whether the convex polyhedron of points x with normal . x <= distance for all planes contains a point: normals
/// point outwards and have any length. No planes: all of space. Exact. O(count), about 10 operations a plane, up to the
/// first that excludes the point.
/// Ericson 2005, 5.4.3.
TACT_API bool tact_planes_contain_point(const tact_plane* planes, uint32_t count, tact_vec3 point);

/// Tests whether a solid tetrahedron, vertices in any order, contains a point; a flat one is the polygon, segment or
/// point it spans. Exact. About 200 operations. Ericson 2005, 5.1.6, whose four-vertex form has every point in a flat
/// one.
TACT_API bool tact_tetrahedron_contains_point(const tact_vec3 vertices[4], tact_vec3 point);

/// Locates a point in what a closed surface of `count` triangles, three indices into `vertices` each, encloses: inside
/// means that a ray to +x crosses it an odd number of times. Exact for any surface on which every edge has an even
/// number of triangles: holes in solids, several parts, edges and vertices on the ray, degenerate triangles. The
/// triangle's edges are counted by a rule that gives both its neighbours the same result, so nothing is perturbed or
/// counted twice. `*winding`, unless `winding` is NULL, is for oriented surfaces how many times they enclose the point,
/// counted positive where triangles are counter-clockwise from outside. On the boundary it is 0. O(count): 6
/// comparisons for most triangles. Ericson 2005, 5.4.3.
TACT_API tact_location tact_mesh_locate(const tact_vec3* vertices, const uint32_t* indices, uint32_t count,
                                        tact_vec3 point, int32_t* winding);

/// Returns the generalised winding number: the surface's solid angle seen from the point, as a share of the full one.
/// For an oriented closed surface the whole number that tact_mesh_locate gives, to about count 2^-50; for one with gaps
/// a number that changes smoothly across them: above 0.5 is a good "inside". On the surface, any of the values next to
/// it. NaN for a NaN or an infinity. O(count), about 70 operations and an arc tangent each. A. van Oosterom, J.
/// Strackee, The Solid Angle of a Plane Triangle, 1983; A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust
/// Inside-Outside Segmentation using Generalized Winding Numbers, 2013.
TACT_API double tact_mesh_winding_number(const tact_vec3* vertices, const uint32_t* indices, uint32_t count,
                                         tact_vec3 point);

/// Tests whether a capsule contains a point. Exact at the ends, to 2^-46 along the side. a equal to b makes a sphere, a
/// radius of 0 a segment. About 40 operations. Ericson 2005, 4.5.1.
TACT_API bool tact_capsule_contains_point(const tact_capsule* capsule, tact_vec3 point);

/// Tests whether a cylinder contains a point. Exact at the flat ends, to 2^-46 along the side. a equal to b has no
/// direction: false. About 50 operations.
TACT_API bool tact_cylinder_contains_point(const tact_cylinder* cylinder, tact_vec3 point);

/// Tests whether a cone contains a point. To 2^-46. The axis is used at unit length, whatever rounding has left of it;
/// a zero one: false. A height of 0 makes a disc. About 45 operations.
TACT_API bool tact_cone_contains_point(const tact_cone* cone, tact_vec3 point);

/// Tests whether an ellipsoid contains a point. To 2^-46 for axes that are orthonormal. A radius of 0 makes a disc, two
/// a segment, three a point. About 35 operations.
TACT_API bool tact_ellipsoid_contains_point(const tact_ellipsoid* ellipsoid, tact_vec3 point);
