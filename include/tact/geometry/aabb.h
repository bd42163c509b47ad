// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/aabb.h
/// Axis-aligned boxes: three representations, overlap, set operations, building and updating.
///
/// Every function that makes a box rounds outward: the box contains all of its input. A tact_aabb may have infinite
/// bounds (it is then unbounded on that side); the other representations may not. A box with a NaN is empty. The
/// sections named are those of C. Ericson, Real-Time Collision Detection, 2005 (RTCD).

#include "tact/geometry/hull_graph.h"
#include "tact/geometry/types.h"

/// The points x with lower <= x <= lower + width. Empty when a width is negative. A translation changes 3 numbers.
typedef struct tact_aabb_widths {
    tact_vec3 lower, width;  ///< corner and size
} tact_aabb_widths;

/// The points x with |x - center| <= half on each axis. Empty when a half-width is negative. A translation changes 3
/// numbers, and (center, |half|) is a bounding sphere.
typedef struct tact_aabb_center {
    tact_vec3 center, half;  ///< middle and half of the size
} tact_aabb_center;

/// Integer bounds, both included. Empty when lower > upper on some axis.
typedef struct tact_aabb_int {
    int32_t lower[3], upper[3];  ///< x, y and z; both included
} tact_aabb_int;

/// The integer points x with |x - center| <= half on each axis. Empty when a half-width is negative.
typedef struct tact_aabb_center_int {
    int32_t center[3], half[3];  ///< x, y and z
} tact_aabb_center_int;

/// Returns the empty box: lower bounds infinity, upper bounds -infinity, so that it is the neutral element of the
/// union.
TACT_API tact_aabb tact_aabb_empty(void);

/// Tests whether the box holds no point, a NaN included. 3 comparisons.
TACT_API bool tact_aabb_is_empty(tact_aabb box);

/// Converts a box to its other representations and back (RTCD 4.2). Exact where the numbers allow; else the result is
/// the least box around the argument. Empty stays empty; a box that is unbounded, or wider than the largest float, has
/// no representation by widths or halves and becomes an empty one there. About 10 operations an axis.
TACT_API tact_aabb_widths tact_aabb_to_widths(tact_aabb box);
TACT_API tact_aabb_center tact_aabb_to_center(tact_aabb box);
TACT_API tact_aabb tact_aabb_from_widths(tact_aabb_widths box);
TACT_API tact_aabb tact_aabb_from_center(tact_aabb_center box);

/// Tests whether two boxes share a point (RTCD 4.2.1). Comparisons of floats alone, at most 4 an axis, x first: exact,
/// and the same bits on every machine. Empty boxes overlap nothing.
TACT_API bool tact_aabb_overlaps_aabb(tact_aabb a, tact_aabb b);

/// Tests whether two boxes by widths, or by centre, share a point: 2 and 1 comparisons of sums an axis, decided exactly
/// (the rounding error of each sum is computed too). False when a number is NaN or infinite or a width negative.
TACT_API bool tact_aabb_widths_overlap(tact_aabb_widths a, tact_aabb_widths b);
TACT_API bool tact_aabb_center_overlap(tact_aabb_center a, tact_aabb_center b);

/// Tests whether the integer intervals [a, b] and [c, d] share a number, by one comparison of unsigned numbers (RTCD
/// 4.2.1): b - c, which wraps to a huge number when negative, against the sum of the widths. In 64 bits, so right for
/// all arguments. An interval whose ends are swapped is empty: false.
TACT_API bool tact_interval_int_overlap(int32_t a, int32_t b, int32_t c, int32_t d);

/// Tests whether two integer boxes, by bounds or by centre, share a point (RTCD 4.2.1), with the same comparison on
/// each axis; right for all arguments.
TACT_API bool tact_aabb_int_overlap(const tact_aabb_int* a, const tact_aabb_int* b);
TACT_API bool tact_aabb_center_int_overlap(const tact_aabb_center_int* a, const tact_aabb_center_int* b);

/// Tests whether the point is in the box, its surface included. 6 comparisons, exact. False for NaN and infinite
/// points.
TACT_API bool tact_aabb_contains_point(tact_aabb box, tact_vec3 point);

/// Tests whether all of `inner` is in `outer`. False for an empty inner box, also one with a NaN.
TACT_API bool tact_aabb_contains_aabb(tact_aabb outer, tact_aabb inner);

/// Returns the least box that holds both. An empty one adds nothing. Exact.
TACT_API tact_aabb tact_aabb_union(tact_aabb a, tact_aabb b);

/// Returns the least box that holds the box and the point. A NaN or infinite point adds nothing. Exact.
TACT_API tact_aabb tact_aabb_include_point(tact_aabb box, tact_vec3 point);

/// Returns the box of the points in both; tact_aabb_empty() when there are none. Exact.
TACT_API tact_aabb tact_aabb_intersection(tact_aabb a, tact_aabb b);

/// Returns the volume or surface area of a box: 0 for empty boxes; infinity where a product of the widths exceeds the
/// largest float. A flat box has no volume and two sides, even when it is unbounded. The double result is rounded once,
/// to nearest.
TACT_API float tact_aabb_volume(tact_aabb box);
TACT_API float tact_aabb_surface_area(tact_aabb box);

/// Returns the box grown on all sides by `amount`, or shrunk when it is negative: then it may become empty. Rounded
/// outward. Empty for a NaN or infinite amount.
TACT_API tact_aabb tact_aabb_expand(tact_aabb box, float amount);

/// Moves a box by t. Rounded outward, so move the original box rather than the last result. Empty for a NaN or infinite
/// t.
TACT_API tact_aabb tact_aabb_translate(tact_aabb box, tact_vec3 t);

/// Returns the least box around points that lie `stride` bytes apart (0: packed). Exact; 6 comparisons a point. Empty
/// when there are no points, or when one has a NaN or an infinity. RTCD 4.2.4; RTR (Akenine-Möller and others,
/// Real-Time Rendering, 4th edition, 2018) 22.3.1.
TACT_API tact_aabb tact_aabb_from_points(const tact_vec3* points, size_t count, size_t stride);

/// Returns the least box around the sphere; empty for a negative radius, NaN or infinity. This is the loose box of RTCD
/// 4.2.3: with the sphere of tact_sphere_around() about an object's pivot, moved with the pivot, no rotation needs an
/// update. 6 additions.
TACT_API tact_aabb tact_aabb_from_sphere(tact_sphere sphere);

/// Finds the points of an array that lie least and most far along a direction of any length but zero (RTCD 4.2.4). The
/// first of equal ones. Returns false and leaves the indices alone when there are no points, when a coordinate is NaN
/// or infinite, or when the direction is zero. 3 multiplications a point.
TACT_API bool tact_extreme_points(const tact_vec3* points, size_t count, size_t stride, tact_vec3 direction,
                                  size_t* least, size_t* most);

/// Returns the least box around the images of points (the tight update of RTCD 4.2.4), 9 multiplications a point. Holds
/// the exact images; its faces are the exact ones rounded outward to floats. Empty as tact_aabb_from_points, and for a
/// transform with a NaN or an infinity. Give only the hull's vertices where there are many others.
TACT_API tact_aabb tact_aabb_from_transformed_points(const tact_vec3* points, size_t count, size_t stride,
                                                     const tact_transform* transform);

/// Returns the same box for a convex polyhedron, by walking along its edges from the extreme vertices of the last time
/// (RTCD 4.2.5). `extreme` has them for -x, +x, -y, +y, -z, +z, with any values the first time. As right as
/// tact_hull_graph_extreme(), at its cost for 6 directions. For a transform with a NaN or an infinity the box is empty
/// and `extreme` stays; a transform that maps the polyhedron onto a plane is fine.
TACT_API tact_aabb tact_aabb_climb(const tact_hull_graph* graph, const tact_transform* transform, uint32_t extreme[6]);

/// Returns the least box around the image of a box (RTCD 4.2.6; J. Arvo, Transforming axis-aligned bounding boxes, in
/// Graphics Gems, 1990): 18 multiplications. Always transform the original box: feeding back the last result makes it
/// grow without bound. Empty for an empty or unbounded box and for a transform with a NaN or an infinity.
TACT_API tact_aabb tact_aabb_transform(tact_aabb box, const tact_transform* transform);

/// Returns the same by centre and half-widths. The half-widths also make up for the rounding of the centre.
TACT_API tact_aabb_center tact_aabb_center_transform(tact_aabb_center box, const tact_transform* transform);

/// Returns the least box around all that a box passes as it moves by `motion` without turning: the box to put into a
/// broad phase for a step of time. Rounded outward. Empty for an empty or unbounded box, a NaN or an infinity.
TACT_API tact_aabb tact_aabb_swept(tact_aabb box, tact_vec3 motion);

/// A screw motion: a turn by `angle` about a line while all goes along it by `advance`. Any rigid motion is one.
typedef struct tact_screw {
    tact_vec3 point;  ///< of the line
    tact_vec3 axis;   ///< of the line, of any length but 0
    float angle;      ///< in radians, counter-clockwise seen against the axis; of any size
    float advance;    ///< along the axis, in units of length
} tact_screw;

/// Returns the box around all that points pass in a screw motion, from where they are: each coordinate is a wave and a
/// slope, least and largest at the ends or where the wave undoes the slope, at most twice a turn. Give a convex body's
/// corners, and expand the box of a round one's middle by its radius. Outward by 2^-40 of the coordinates and ways, and
/// to floats. Empty as tact_aabb_from_points(), for an axis of 0, a NaN or an infinity. Some 200 operations a
/// point. RTCD 2.4.
TACT_API tact_aabb tact_aabb_from_screw(const tact_vec3* points, size_t count, size_t stride, const tact_screw* screw);
