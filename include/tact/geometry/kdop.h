// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/kdop.h
/// Slabs, and k-DOPs: intersections of k/2 slabs along fixed directions that all objects share.
///
/// A k-DOP stores projections: the points x with lower[i] <= axis_i . x <= upper[i], the axes having components -1, 0
/// and 1 and so no unit length. Translation by t adds axis_i . t to both. k is 6 (the axes of coordinates), 8 (the 4
/// diagonals of the cube), 12 (the 6 diagonals of its faces), or a union of these: 14 = 6 + 8, 18 = 6 + 12, 20 = 8 +
/// 12, 26 = 6 + 8 + 12.
///
/// Overlap is decided slab by slab, which gives true too often for slabs that do not touch the volume. So functions
/// that make a k-DOP make the tightest one, each bound rounded outward to the next float: the volume contains all of
/// its input. A k-DOP is empty when one of its slabs is, or when k is none of the above; functions that combine k-DOPs
/// of different k return an empty one. Sections named are those of C. Ericson, Real-Time Collision Detection, 2005
/// (RTCD) and of T. Akenine-Möller and others, Real-Time Rendering, 4th edition, 2018 (RTR).

#include "tact/geometry/hull_graph.h"
#include "tact/geometry/types.h"

/// Axes of the largest k-DOP, that with k = 26.
enum { TACT_KDOP_AXES_MAX = 13 };

/// The points x with lower[i] <= axis_i . x <= upper[i] for all k / 2 axes of tact_kdop_axes().
typedef struct tact_kdop {
    uint32_t k;                                                  ///< sides
    float lower[TACT_KDOP_AXES_MAX], upper[TACT_KDOP_AXES_MAX];  ///< k / 2 of each
} tact_kdop;

/// Returns the axes of the k-DOPs with this k, k / 2 of them; NULL for an unknown k.
TACT_API const tact_vec3* tact_kdop_axes(uint32_t k);

/// Returns the empty k-DOP: lower infinity, upper -infinity on all axes, the neutral element of the union. k 0 for an
/// unknown k.
TACT_API tact_kdop tact_kdop_empty(uint32_t k);

/// Tests whether a slab of the k-DOP holds no point, a NaN included. k / 2 comparisons. A k-DOP that was not made from
/// points may be empty although no slab is, which is not detected.
TACT_API bool tact_kdop_is_empty(const tact_kdop* kdop);

/// Returns the least k-DOP around points that lie `stride` bytes apart, 0 meaning packed (RTCD 4.6.4, whose listing
/// leaves the upper bound unset when the first value is the largest; RTR 22.3.1). At most 3 additions an axis and
/// point. The bounds are the exact ones rounded outward. Empty when there are no points or when one has a NaN or an
/// infinity.
TACT_API tact_kdop tact_kdop_from_points(uint32_t k, const tact_vec3* points, size_t count, size_t stride);

/// Returns the least k-DOP around the images of points: realignment after a rotation by all vertices (RTCD 4.6.4). Some
/// 20 operations an axis and point. Empty as above, and for a transform with a NaN or an infinity.
TACT_API tact_kdop tact_kdop_from_transformed_points(uint32_t k, const tact_vec3* points, size_t count, size_t stride,
                                                     const tact_transform* transform);

/// Returns the same for a convex polyhedron, by walking along its edges from the extreme vertices of the last time
/// (RTCD 4.6.4): extreme[2 i] and extreme[2 i + 1] are those of the lower and upper bound of axis i; any values the
/// first time. As right as tact_hull_graph_extreme(), at its cost for k directions, which is constant for small
/// changes. For a transform with a NaN or an infinity the k-DOP is empty and `extreme` stays.
TACT_API tact_kdop tact_kdop_climb(uint32_t k, const tact_hull_graph* graph, const tact_transform* transform,
                                   uint32_t* extreme);

/// Returns the least k-DOP around a sphere: axis . center -+ |axis| radius. Empty for a negative radius, NaN or
/// infinity.
TACT_API tact_kdop tact_kdop_from_sphere(uint32_t k, tact_sphere sphere);

/// Returns the least k-DOP around a box, whose corners it touches. Empty for an empty or unbounded box.
TACT_API tact_kdop tact_kdop_from_aabb(uint32_t k, tact_aabb box);

/// Tests whether no slab separates the two (RTCD 4.6.3): at most k comparisons of floats, exact. True may be wrong for
/// two tight k-DOPs of disjoint objects, and even for disjoint k-DOPs, where only another direction separates them;
/// false is always right. Always false for different k, NaN, infinite bounds and empty k-DOPs.
TACT_API bool tact_kdop_overlaps_kdop(const tact_kdop* a, const tact_kdop* b);

/// Tests whether the point is in the k-DOP, its surface included. Exact. False for a NaN or infinite point or bound.
TACT_API bool tact_kdop_contains_point(const tact_kdop* kdop, tact_vec3 point);

/// Returns the least k-DOP that holds both (RTCD 6.5). An empty one adds nothing, also one of another k; when both are
/// empty the result is. Exact.
TACT_API tact_kdop tact_kdop_union(const tact_kdop* a, const tact_kdop* b);

/// Moves a k-DOP by t. Rounded outward, so move the original rather than the last result. Empty for a NaN or infinite
/// t.
TACT_API tact_kdop tact_kdop_translate(const tact_kdop* kdop, tact_vec3 t);

/// The points x with lower <= normal . x <= upper (T. Kay and J. Kajiya, Ray tracing complex scenes, 1986; RTCD 4.6.1).
/// The normal may have any length but zero; the bounds are in units of it. Empty when lower > upper.
typedef struct tact_slab {
    tact_vec3 normal;    ///< any length but 0
    float lower, upper;  ///< in units of the normal's length
} tact_slab;

/// Makes the least slabs around points, one for each normal, rounded outward. Three or more normals that are not in a
/// plane make a closed volume. Empty slabs (lower infinity, upper -infinity) where there are no points, where one has a
/// NaN or an infinity, or where the normal is zero, NaN or infinite. 10 operations a normal and point.
TACT_API void tact_slabs_from_points(const tact_vec3* points, size_t count, size_t stride, const tact_vec3* normals,
                                     size_t normal_count, tact_slab* slabs);

/// Tests whether no slab separates two volumes made with the same normals in the same order. Exact; conservative as
/// tact_kdop_overlaps_kdop(). False for no slabs, NaN, infinite bounds, empty slabs and slabs whose normals differ.
TACT_API bool tact_slabs_overlap(const tact_slab* a, const tact_slab* b, size_t count);

/// Tests whether the point is in all slabs. Exact: 10 operations a slab, and longer sums where doubles do not suffice.
/// False for no slabs, a NaN, an infinity, or a zero normal.
TACT_API bool tact_slabs_contain_point(const tact_slab* slabs, size_t count, tact_vec3 point);
