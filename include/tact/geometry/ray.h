// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/ray.h
/// Hits of lines, rays and segments with surfaces and solids.
///
/// All three are a tact_ray: its interval [tmin, tmax] makes the difference, and t is in units of the direction, which
/// need not have unit length. A ray is invalid, and hits nothing, when its origin or direction is not finite, an end of
/// its interval is NaN, or tmin > tmax. A shape that is not finite or has a negative size is not hit. An overlap whose
/// t are all beyond the range of float is no hit.
///
/// A direction of length zero makes the ray the point o: solids that hold o are hit from tmin to tmax, surfaces never.
/// A flat surface seen exactly edge-on is not hit: no single t stands for the overlap.
///
/// Operation counts leave out the checks for finite numbers. Costs are of a hit; most misses are cheaper.

#include "tact/geometry/types.h"

/// The hit of a ray with a surface.
typedef struct tact_ray_surface_hit {
    bool hit;          ///< false: all else is zero
    bool front;        ///< the ray comes from the side that the normal points to
    float t;           ///< parameter of the hit, within [tmin, tmax]
    float u, v;        ///< coordinates within the shape, where it has some; else 0
    tact_vec3 normal;  ///< of unit length, on the side that the shape's winding or normal says
} tact_ray_surface_hit;

/// The part of a ray that lies in a solid: all t in [t, exit]. A ray that starts inside has t = tmin and no entry
/// normal (zero); one that ends inside has exit = tmax and no exit normal.
typedef struct tact_ray_solid_hit {
    bool hit;               ///< false: all else is zero
    float t;                ///< the first t in the solid
    float exit;             ///< the last one
    tact_vec3 normal;       ///< outward, of unit length, at the entry
    tact_vec3 exit_normal;  ///< outward, of unit length, at the exit
} tact_ray_solid_hit;

// ---- surfaces ----

/// Returns the hit with the plane. Method: t = (d - n.o) / (n.d), both sums exact to 2^-100 of their terms; a line with
/// n.d = 0 is parallel and misses, even within the plane. A zero normal is no plane. 60 operations, 2 divisions, 1
/// square root. Source: Ericson, Real-Time Collision Detection, 2005, 5.3.1.
TACT_API tact_ray_surface_hit tact_ray_plane(const tact_ray* ray, const tact_plane* plane);

/// Tests whether the ray has a point on the plane, lying within it included. Compares the signs of the two ends,
/// without division. 50 operations. Source: as tact_ray_plane.
TACT_API bool tact_ray_overlaps_plane(const tact_ray* ray, const tact_plane* plane);

/// Returns the hit with a triangle, either side, edges and vertices included; u and v weigh b and c. Method: Cramer's
/// rule by two shared cross products. A determinant of at most 2^-50 of the product of the three vectors' lengths is
/// zero: such a triangle is a segment or a point, or is seen edge-on, and is not hit. A ray through an edge that two
/// triangles share can, within rounding, miss both: tact_ray_triangle_watertight does not. 50 operations, 1 division.
/// Source: Moeller, Trumbore, Fast, Minimum Storage Ray-Triangle Intersection, 1997; Akenine-Moeller et al., Real-Time
/// Rendering, 4th edition, 2018, 22.8.
TACT_API tact_ray_surface_hit tact_ray_triangle_moller_trumbore(const tact_ray* ray, const tact_triangle* triangle);

/// Returns the hit with the front side only: the back of a triangle is not hit. Source: as above, 22.8.2.
TACT_API tact_ray_surface_hit tact_ray_triangle_front(const tact_ray* ray, const tact_triangle* triangle);

/// Tests whether the ray hits the triangle: the result of tact_ray_triangle_moller_trumbore(), up to rounding, without
/// its division. 50 operations. Source: as above.
TACT_API bool tact_ray_overlaps_triangle(const tact_ray* ray, const tact_triangle* triangle);

/// A triangle prepared for many rays: a vertex, two edges and their cross product.
typedef struct tact_ray_triangle_prepared {
    double a[3], ab[3], ac[3], normal[3];  ///< vertex, edges, cross product
    bool valid;                            ///< false: nothing hits it
} tact_ray_triangle_prepared;

/// Prepares a triangle. 15 operations. `valid` is false for one that is not finite.
TACT_API tact_ray_triangle_prepared tact_ray_triangle_prepare(const tact_triangle* triangle);

/// Returns the hit with a prepared triangle, by the rules of tact_ray_triangle_moller_trumbore. One cross product
/// fewer, three times the memory. 35 operations, 1 division. Source: Akenine-Moeller et al., 2018, 22.8.1.
TACT_API tact_ray_surface_hit tact_ray_triangle_with(const tact_ray* ray, const tact_ray_triangle_prepared* triangle);

/// Returns the hit with a triangle by the side on which the line passes each edge (the permuted inner product of two
/// lines in Pluecker coordinates), vertices taken relative to the origin. An edge gets the same number, sign reversed,
/// when it is walked the other way, so a ray does not slip between two triangles that share it. Otherwise the rules of
/// tact_ray_triangle_moller_trumbore. 100 operations, 6 divisions. Source: Ericson, 2005, 5.3.4.
TACT_API tact_ray_surface_hit tact_ray_triangle_plucker(const tact_ray* ray, const tact_triangle* triangle);

/// Returns the hit of the ray casts, to the bit: single precision in the order that docs/results.md states, and no ray
/// slips between triangles that share an edge or a vertex. Coordinates beyond 2^60 are out of range and not hit; below
/// 2^-50 or so their products lose bits. Source: Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, 2013.
TACT_API tact_ray_surface_hit tact_ray_triangle_watertight(const tact_ray* ray, const tact_triangle* triangle);

/// Returns the first hit with the quadrilateral corners[0..3], the union of the triangles 0 1 2 and 0 2 3: planar and
/// convex, concave with the diagonal 0 2 inside, or bent along that diagonal. (u, v) is (0, 0), (1, 0), (1, 1), (0, 1)
/// at the corners and linear on each triangle. Method: as tact_ray_triangle_plucker, the diagonal's product shared, so
/// nothing slips through it. 190 operations, 12 divisions. Source: Ericson, 2005, 5.3.5.
TACT_API tact_ray_surface_hit tact_ray_quad(const tact_ray* ray, const tact_vec3 corners[4]);

/// Returns the hit with a planar polygon, concave or crossing itself too (then its inside is where the winding is odd),
/// its edges included. The plane has Newell's normal and passes through the mean of the vertices, so that collinear
/// first vertices do no harm and a slightly bent polygon is flattened. Method: hit the plane, drop the coordinate in
/// which the normal is largest, count edge crossings. Fewer than 3 vertices or no area: no hit. 35 operations a vertex,
/// 2 divisions. Source: Akenine-Moeller et al., 2018, 22.9.
TACT_API tact_ray_surface_hit tact_ray_polygon(const tact_ray* ray, const tact_vec3* vertices, size_t count);

/// Returns the hit with the flat disc of `radius` around `center`, its rim included; a radius of zero leaves the
/// center. The normal need not have unit length. 30 operations, 1 division, 1 square root.
TACT_API tact_ray_surface_hit tact_ray_disc(const tact_ray* ray, tact_vec3 center, tact_vec3 normal, float radius);

// ---- round solids ----

/// Returns the part of the ray in a sphere. Method: the quadratic, its discriminant from the line's distance to the
/// center (r^2 d.d - |m x d|^2), which does not cancel for a small sphere far away, and its second root from the
/// product of the roots. 40 operations, 2 divisions, 1 square root. A radius of zero is a point. Source: Ericson, 2005,
/// 5.3.2; Haines et al., Precision Improvements for Ray/Sphere Intersection, in Ray Tracing Gems, 2019.
TACT_API tact_ray_solid_hit tact_ray_sphere(const tact_ray* ray, const tact_sphere* sphere);

/// Returns the same by projecting the center onto the line and stepping back and forth by half the chord, with two
/// early ways out. Less exact than tact_ray_sphere when the origin is 1e6 radii away or more. 30 operations, 1
/// division, 1 square root. Source: Akenine-Moeller et al., 2018, 22.6.2.
TACT_API tact_ray_solid_hit tact_ray_sphere_geometric(const tact_ray* ray, const tact_sphere* sphere);

/// Tests whether the ray has a point in the sphere. Without square root or division. 35 operations. Source: Ericson,
/// 2005, 5.3.2.
TACT_API bool tact_ray_overlaps_sphere(const tact_ray* ray, const tact_sphere* sphere);

/// Returns the part of the ray in a capsule: the hull of the parts in its two spheres and in its cylinder. One whose
/// ends coincide is a sphere. 170 operations, 8 divisions, 3 square roots. Source: Ericson, 2005, 5.3.7 and 4.5.
TACT_API tact_ray_solid_hit tact_ray_capsule(const tact_ray* ray, const tact_capsule* capsule);

/// Returns the part of the ray in a lozenge: the hull of the parts in the four capsules along its edges and in the box
/// between its flat sides. Edges that are not at right angles make a parallelepiped. 900 operations. Source: as
/// tact_ray_capsule.
TACT_API tact_ray_solid_hit tact_ray_lozenge(const tact_ray* ray, const tact_lozenge* lozenge);

/// Returns the part of the ray in a cylinder with flat ends. Method: the quadratic in cross products with the axis, cut
/// by the end planes; a ray parallel to the axis has no quadratic and is inside or outside. One whose ends coincide has
/// no axis and is not hit; a radius of zero is a segment. 80 operations, 4 divisions, 1 square root. Source: Ericson,
/// 2005, 5.3.7.
TACT_API tact_ray_solid_hit tact_ray_cylinder(const tact_ray* ray, const tact_cylinder* cylinder);

/// Returns the same for the cylinder that goes on beyond both ends. A ray parallel to the axis and inside has t = tmin,
/// exit = tmax.
TACT_API tact_ray_solid_hit tact_ray_cylinder_infinite(const tact_ray* ray, const tact_cylinder* cylinder);

/// Returns the part of the ray in a cone with a flat base. The axis need not have unit length; a zero one is not hit. A
/// cone without height is its base's disc, one without radius a segment. Method: the quadratic of the double cone, its
/// discriminant from o x d, cut by the planes of apex and base. At the apex the normal is the axis reversed. 90
/// operations, 4 divisions, 2 square roots.
TACT_API tact_ray_solid_hit tact_ray_cone(const tact_ray* ray, const tact_cone* cone);

/// Returns the same for the cone that goes on beyond its base (one side of the apex only). Its height must not be zero:
/// else
/// no hit.
TACT_API tact_ray_solid_hit tact_ray_cone_infinite(const tact_ray* ray, const tact_cone* cone);

/// Returns the part of the ray in an ellipsoid, by scaling it to the unit sphere. All radii must be positive: else no
/// hit. 75 operations, 5 divisions, 2 square roots.
TACT_API tact_ray_solid_hit tact_ray_ellipsoid(const tact_ray* ray, const tact_ellipsoid* ellipsoid);

// ---- boxes and other polyhedra ----

/// Returns the part of the ray in an axis-aligned box, by slabs, in single precision: the result of
/// tact_batch_ray_aabbs(), which states the order. The box's interval is widened by 2^-21 of itself when hit or miss is
/// decided, so that no box which the ray touches is missed; t and exit are not widened, but exit is never less than t.
/// Rays along faces and edges hit. Where two axes agree on the entry, the first one gives the normal. An empty box is
/// not hit; bounds may
/// be infinite. 6 subtractions, 3 divisions, 8 multiplications, 20 comparisons. Source: Ericson, 2005, 5.3.3;
/// Akenine-Moeller et al., 2018, 22.7.1.
TACT_API tact_ray_solid_hit tact_ray_aabb(const tact_ray* ray, const tact_aabb* box);

/// Tests whether the ray has a point in the box: the three axes and their cross products with the direction as
/// separating axes. No division and no epsilon, in double: exact for coordinates of up to 24 bits over a common unit. A
/// box with infinite bounds is not hit. 40 operations. Source: Ericson, 2005, 5.3.3 (segments; the ends may be infinite
/// here).
TACT_API bool tact_ray_overlaps_aabb(const tact_ray* ray, const tact_aabb* box);

/// A ray prepared for many boxes.
typedef struct tact_ray_slopes {
    double o[3], d[3];        ///< mirrored so that no component of d is negative
    double start[3], end[3];  ///< the ray's first and last point, mirrored likewise
    bool flip[3];             ///< axes that are mirrored
    bool valid;               ///< false: it hits nothing
} tact_ray_slopes;

/// Prepares a ray. 6 multiplications.
TACT_API tact_ray_slopes tact_ray_slopes_prepare(const tact_ray* ray);

/// Returns the same as tact_ray_overlaps_aabb(), exact for the same coordinates, by comparing the ray's slope in the
/// three coordinate planes with those to the two corners of the box that bound its outline. Both slopes are multiplied
/// out: a quotient is rounded, and would lose boxes that the ray only touches. 12 multiplications, 12 additions, no
/// division. Source: Eisemann, Grosch, Mueller, Magnor, Fast Ray/Axis-Aligned Bounding Box Overlap Tests Using Ray
/// Slopes, 2007; Akenine-Moeller et al., 2018, 22.7.2.
TACT_API bool tact_ray_slopes_overlap_aabb(const tact_ray_slopes* ray, const tact_aabb* box);

/// Returns the part of the ray in an oriented box, by slabs, in double. 60 operations, 6 divisions. Source:
/// Akenine-Moeller et al., 2018, 22.7.1.
TACT_API tact_ray_solid_hit tact_ray_obb(const tact_ray* ray, const tact_obb* box);

/// Tests whether the ray has a point in the oriented box: tact_ray_overlaps_aabb in the box's frame. 75 operations, no
/// division.
TACT_API bool tact_ray_overlaps_obb(const tact_ray* ray, const tact_obb* box);

/// Returns the same, up to rounding, by slopes in the box's frame. As the frame changes with the box, nothing can be
/// prepared for many. 75 operations, no division.
TACT_API bool tact_ray_overlaps_obb_slopes(const tact_ray* ray, const tact_obb* box);

/// Returns the part of the ray in the set of points with lower[i] <= normals[i] . x <= upper[i] for all i < count: a
/// k-DOP, a parallelepiped or any set of slabs. Normals of any length; limits may be infinite (an open side), lower >
/// upper is empty. No slabs: all of the ray. 80 operations and 2 divisions a slab. Source: Kay, Kajiya, Ray Tracing
/// Complex Scenes, 1986; Ericson, 2005, 4.6 and 5.3.3.
TACT_API tact_ray_solid_hit tact_ray_slabs(const tact_ray* ray, const tact_vec3* normals, const float* lower,
                                           const float* upper, size_t count);

/// Returns the part of the ray in the set of points with n . x <= d for all planes: a convex polyhedron whose plane
/// normals point outward, or an unbounded one. Sums are exact to 2^-100 of their terms, so a ray within a face
/// stays there. No planes: all of the ray. 50 operations and 1 division a plane. Source: Cyrus, Beck, Generalized Two-
/// and Three-Dimensional Clipping, 1978; Ericson, 2005, 5.3.8.
TACT_API tact_ray_solid_hit tact_ray_convex(const tact_ray* ray, const tact_plane* planes, size_t count);
