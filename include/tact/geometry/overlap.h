// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/overlap.h
/// Overlap of two shapes that do not move, and the side of a plane that a shape is on.
///
/// Operation counts are of additions, multiplications and comparisons in double. Where a function says *exact*, the
/// result is the true one for the numbers given. Elsewhere a pair that is within 2^-44 of its size (the largest
/// distance between points of the two shapes) of touching may be reported either way, unless the function says
/// otherwise. Sources: Christer Ericson, Real-Time Collision Detection, 2005 (RTCD); Tomas Akenine-Moeller and others,
/// Real-Time Rendering, 4th edition, 2018 (RTR).

#include "tact/geometry/types.h"

/// The side of a plane that a closed shape is on. FRONT is the side the normal points to. The bits can be tested
/// singly: a shape has a point with n . x <= d exactly when its BEHIND bit is set.
typedef enum tact_side {
    TACT_SIDE_NONE = 0,    ///< a NaN or infinity, no plane (zero normal), or no shape (empty, negative)
    TACT_SIDE_FRONT = 1,   ///< all of it has n . x > d
    TACT_SIDE_BEHIND = 2,  ///< all of it has n . x < d
    TACT_SIDE_BOTH = 3     ///< it straddles the plane, or touches it
} tact_side;

/// The part of a shape that is in a closed volume.
typedef enum tact_containment {
    TACT_OUTSIDE = 0,       ///< no point of it; also the result for bad arguments
    TACT_INTERSECTING = 1,  ///< at least a point of it
    TACT_INSIDE = 2         ///< all of it; it may touch the boundary
} tact_containment;

/// Returns the side of a plane that a shape is on. The plane's normal may have any length but zero.
///
/// Method: the interval of n . x - d over the shape. Cost and source for each:
/// - sphere: n . c - d -+ r |n|; 12 operations and a root; RTCD 5.2.2, RTR 22.10
/// - AABB: the two corners farthest along the normal, *exact*; 15 operations; RTCD 5.2.3, RTR 22.10.1
/// - OBB: n . c - d -+ sum of half_i |n . axis_i| (absolute values, which some printings lack); 80 operations, most of
///   them to check the box; RTCD 5.2.3, RTR 22.10.2
/// - triangle: its vertices, *exact*; a segment or point when degenerate; 25 operations
/// - capsule: its ends -+ r |n|; 20 operations and a root
/// - cylinder: its ends -+ the reach of a disc, radius |n x w| / |w| with w = b - a; 45 operations and a root; none
/// when
///   a equals b, as its discs then face nowhere
/// - cone: its apex, and its base -+ the reach of a disc (with m = (n x v) x v scaled to unit length, which some
///   printings lack); 45 operations and a root; none for a zero axis; RTCD 5.2.4
/// - ellipsoid: n . c - d -+ sqrt(sum of (radius_i n . axis_i)^2); 30 operations and a root; flat ones are discs,
///   segments, points
TACT_API tact_side tact_sphere_plane_side(tact_sphere s, tact_plane plane);
TACT_API tact_side tact_aabb_plane_side(tact_aabb box, tact_plane plane);
TACT_API tact_side tact_obb_plane_side(const tact_obb* box, tact_plane plane);
TACT_API tact_side tact_triangle_plane_side(const tact_triangle* t, tact_plane plane);
TACT_API tact_side tact_capsule_plane_side(const tact_capsule* c, tact_plane plane);
TACT_API tact_side tact_cylinder_plane_side(const tact_cylinder* c, tact_plane plane);
TACT_API tact_side tact_cone_plane_side(const tact_cone* c, tact_plane plane);
TACT_API tact_side tact_ellipsoid_plane_side(const tact_ellipsoid* e, tact_plane plane);

/// How many points are on each side of a thick plane. Of a polygon or a cloud: all within is in the plane, some in
/// front and some behind straddles it, front and within lies in front. All 0 for bad arguments.
typedef struct tact_thick_sides {
    size_t front, behind;  ///< farther from the plane than its thickness
    size_t within;         ///< the others
    uint64_t reserved[4];  ///< zeros
} tact_thick_sides;

/// Counts the points on each side of a plane that reaches as far as `thickness`, a distance of at least 0, to both
/// sides, those at that distance within. Exact for a thickness of 0, else to 2^-48: each point is a sphere of that
/// radius as by tact_sphere_plane_side(). The normal may have any length but 0. RTCD 11.3.2.
TACT_API tact_thick_sides tact_points_thick_plane(const tact_vec3* points, size_t count, tact_plane plane,
                                                  float thickness);

/// Tests whether the shape and the plane share a point: the side is TACT_SIDE_BOTH.
TACT_API bool tact_sphere_overlaps_plane(tact_sphere s, tact_plane plane);
TACT_API bool tact_aabb_overlaps_plane(tact_aabb box, tact_plane plane);
TACT_API bool tact_obb_overlaps_plane(const tact_obb* box, tact_plane plane);
TACT_API bool tact_triangle_overlaps_plane(const tact_triangle* t, tact_plane plane);
TACT_API bool tact_capsule_overlaps_plane(const tact_capsule* c, tact_plane plane);
TACT_API bool tact_cylinder_overlaps_plane(const tact_cylinder* c, tact_plane plane);
TACT_API bool tact_cone_overlaps_plane(const tact_cone* c, tact_plane plane);
TACT_API bool tact_ellipsoid_overlaps_plane(const tact_ellipsoid* e, tact_plane plane);

/// Returns how much of the shape is in the half-space n . x <= d. Method and cost as for the side; a shape that touches
/// the plane from behind is INSIDE, from the front INTERSECTING. RTCD 5.2.2 to 5.2.4.
TACT_API tact_containment tact_sphere_halfspace(tact_sphere s, tact_plane plane);
TACT_API tact_containment tact_aabb_halfspace(tact_aabb box, tact_plane plane);
TACT_API tact_containment tact_obb_halfspace(const tact_obb* box, tact_plane plane);
TACT_API tact_containment tact_triangle_halfspace(const tact_triangle* t, tact_plane plane);
TACT_API tact_containment tact_capsule_halfspace(const tact_capsule* c, tact_plane plane);
TACT_API tact_containment tact_cylinder_halfspace(const tact_cylinder* c, tact_plane plane);
TACT_API tact_containment tact_cone_halfspace(const tact_cone* c, tact_plane plane);
TACT_API tact_containment tact_ellipsoid_halfspace(const tact_ellipsoid* e, tact_plane plane);

/// Tests whether a sphere and a solid box overlap. In *single* precision, in this order: e = how far the centre is
/// outside along each axis, 0 inside; (ex ex + ey ey) + ez ez <= r r. These are the results of
/// tact_batch_sphere_aabbs(), whose remarks on range hold here too. 20 operations, no branch. J. Arvo, A Simple Method
/// for Box-Sphere Intersection Testing, 1990;
/// RTR 22.13.2.
TACT_API bool tact_sphere_overlaps_aabb(tact_sphere s, tact_aabb box);

/// Returns the same to the bit, stopping at the first axis along which the box is out of reach: 5 to 20 operations, for
/// where overlap is rare. T. Larsson, T. Akenine-Moeller, E. Lengyel, On Faster Sphere-Box Overlap Testing, 2007; RTR
/// 22.13.2.
TACT_API bool tact_sphere_overlaps_aabb_early(tact_sphere s, tact_aabb box);

/// Tests whether a sphere and a solid oriented box overlap: the centre in the box's frame. The axes are taken as
/// orthonormal, which those of floats are to about 2^-23 of the distances along them. 90 operations. RTCD 5.2.6.
TACT_API bool tact_sphere_overlaps_obb(tact_sphere s, const tact_obb* box);

/// Tests whether a sphere and a triangle overlap, by the nearest point of the triangle. 100 to 200 operations. A
/// degenerate triangle is the segment or point it is; with radius 0 it is an exact test of a point. RTCD 5.2.7.
TACT_API bool tact_sphere_overlaps_triangle(tact_sphere s, const tact_triangle* t);

/// Tests whether a sphere and a flat polygon overlap: `count` vertices in order, either way round, convex or not. Where
/// edges cross, the even-odd rule defines the inside. Not quite flat polygons have their edges where they are, and
/// their inside in the plane through the mean vertex along the mean normal (Newell's). Fewer than three vertices are a
/// segment, a point, nothing; a polygon without area is its edges. 45 operations an edge. RTCD 5.2.8, with the plane's
/// sign and the edges' lengths corrected.
TACT_API bool tact_sphere_overlaps_polygon(tact_sphere s, const tact_vec3* vertices, size_t count);

/// Tests whether a box and a triangle overlap. *Exact*, degenerate triangles and flat boxes included.
///
/// Separating axes: the box's; the nine products of edges and box axes, as lines in a coordinate plane with the box's
/// corner on one side and the triangle on the other; the triangle's plane. Each is decided by the
/// sign of a sum of products of coordinates, taken exactly where rounding could matter. The axes of a box span space
/// whatever its size, so coplanar and parallel cases need no more axes. About 40 operations when far apart, 500 when
/// they meet. T. Akenine-Moeller, Fast 3D Triangle-Box Overlap Testing, 2001; RTCD 5.2.9; RTR 22.12.
TACT_API bool tact_aabb_overlaps_triangle(tact_aabb box, const tact_triangle* t);

/// Tests whether an oriented box and a triangle overlap. Method: the triangle in the frame of the box, whose axes may
/// be any independent ones; then thirteen axes as above, each separating when the gap exceeds 2^-48 of the terms it is
/// computed from: touching pairs overlap. 300 operations.
TACT_API bool tact_obb_overlaps_triangle(const tact_obb* box, const tact_triangle* t);

/// Tests whether a capsule and a box overlap, by the least distance of the capsule's segment and the box, where the
/// slope of the squared distance (piecewise linear, at most six bends) crosses zero. 60 to 200 operations. A gap below
/// 2^-48 of the sizes and distances counts as a touch; exact for radius 0.
TACT_API bool tact_capsule_overlaps_aabb(const tact_capsule* c, tact_aabb box);

/// Tests whether a capsule and an oriented box overlap, as with an AABB in the box's frame. The axes are taken as
/// orthonormal, as for tact_sphere_overlaps_obb.
TACT_API bool tact_capsule_overlaps_obb(const tact_capsule* c, const tact_obb* box);

/// Tests whether a capsule and a triangle overlap: the segment pierces the triangle (exact), or an end is near it, or
/// an edge is near the segment. 150 to 700 operations; exact for radius 0. Degenerate triangles and capsules are what
/// they are.
TACT_API bool tact_capsule_overlaps_triangle(const tact_capsule* c, const tact_triangle* t);

/// Tests whether a solid cylinder and a sphere overlap: the centre's distances along and across the axis. 50
/// operations, 2 roots. False for a cylinder with a equal to b, as its discs then face nowhere. Cylinders are tested to
/// 2^-40 of the size, in favour of overlap.
TACT_API bool tact_cylinder_overlaps_sphere(const tact_cylinder* c, tact_sphere s);

/// Tests whether a solid cylinder and a triangle overlap: the triangle cut by the planes of the ends and seen along the
/// axis; the polygon's distance from the axis. About 400 operations.
TACT_API bool tact_cylinder_overlaps_triangle(const tact_cylinder* c, const tact_triangle* t);

/// Tests whether a solid cylinder and a box overlap: one end of the axis in the box, or one of its faces meets the
/// cylinder. Up to 3000 operations. Exact enough for a final result; test bounding boxes first.
TACT_API bool tact_cylinder_overlaps_aabb(const tact_cylinder* c, tact_aabb box);
TACT_API bool tact_cylinder_overlaps_obb(const tact_cylinder* c, const tact_obb* box);

/// Tests whether two solid cylinders overlap, by tact_convex_overlap(): no list of axes decides a pair of discs in
/// space. Cylinders that touch to its tolerance may be reported either way. Some 1000 to 5000 operations. RTCD 9.5.
TACT_API bool tact_cylinder_overlaps_cylinder(const tact_cylinder* a, const tact_cylinder* b);

/// Tests whether a solid ellipsoid and a triangle overlap, in the frame in which the ellipsoid is the unit sphere;
/// radii of 0 first cut the triangle by the ellipsoid's plane, line or point. 250 operations. The size that tolerances
/// refer to is measured in that frame.
TACT_API bool tact_ellipsoid_overlaps_triangle(const tact_ellipsoid* e, const tact_triangle* t);

/// Tests whether a solid ellipsoid and a box overlap: the centre is in the box, or one of its faces meets the ellipsoid
/// as above. Up to 1500 operations; test bounding boxes first. The axes of an oriented box are taken as orthonormal for
/// the centre. RTR 22.13.2 names the test.
TACT_API bool tact_ellipsoid_overlaps_aabb(const tact_ellipsoid* e, tact_aabb box);
TACT_API bool tact_ellipsoid_overlaps_obb(const tact_ellipsoid* e, const tact_obb* box);

/// Tests whether a solid ellipsoid and a sphere overlap: the distance of the centre and the ellipsoid, by Newton's
/// method on the function of D. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013,
/// which it descends from the left without overshooting. 60 operations and about 15 a step, 4 to 12 steps.
TACT_API bool tact_ellipsoid_overlaps_sphere(const tact_ellipsoid* e, tact_sphere s);

/// Tests whether the surface of a sphere, without its inside, and a solid box overlap: the radius is between the least
/// and the greatest distance of the box. Exact for numbers of up to 25 bits, else to 2^-50. 30 operations. J. Arvo, A
/// Simple Method for Box-Sphere Intersection Testing, 1990; RTR 22.13.2.
TACT_API bool tact_hollow_sphere_overlaps_aabb(tact_sphere s, tact_aabb box);

/// Tests whether a solid sphere and the surface of a box overlap. As above; the least distance is that of the nearest
/// face where the centre is inside.
TACT_API bool tact_sphere_overlaps_hollow_aabb(tact_sphere s, tact_aabb box);

/// Tests whether the surfaces of a sphere and of a box overlap. As above.
TACT_API bool tact_hollow_sphere_overlaps_hollow_aabb(tact_sphere s, tact_aabb box);

/// Tests whether a box and a flat polygon overlap: `count` vertices in order, as those of
/// tact_sphere_overlaps_polygon(), and none where the vertices' box does not overlap it. An edge meets the box, which
/// is decided exactly, or the diagonal that is steepest to the polygon's plane goes through its inside. 500 operations
/// an edge near the box, 10 for others. RTR 22.12 names the test.
TACT_API bool tact_aabb_overlaps_polygon(tact_aabb box, const tact_vec3* vertices, size_t count);
