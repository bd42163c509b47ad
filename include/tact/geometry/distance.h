// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/distance.h
/// The nearest points of two shapes, and their distance. Points against shapes are in tact/geometry/closest_point.h.
///
/// All functions: double inside, results rounded once. The points are within 2^-22 of the largest coordinate's size;
/// the distance is right to 2^-23 of itself plus 2^-46 of that size. Segments, triangles and boxes that share a point
/// are at distance exactly 0, which is decided without rounding, and then both points are the same common one. Where
/// the nearest points are not unique (parallel edges, faces), they are one pair of them. Exchanging the shapes may
/// choose another such pair. A NaN, an infinity or an empty box: distance and its square infinite, all else NaN.

#include "tact/geometry/types.h"

/// The closest points of two shapes.
typedef struct tact_closest_pair {
    tact_vec3 a, b;  ///< of the first shape and of the second
    float distance;  ///< between the two points, >= 0
    float squared;   ///< the distance's square
    /// Weights of the corners that give the points: a and b of a line or segment, a, b and c of a triangle. Zero for
    /// what a shape does not have; all zero for a box.
    float weight_a[3], weight_b[3];
} tact_closest_pair;

/// Finds the closest points of two lines, through two points each. Parallel lines, which is decided exactly: the first
/// line's point a, and its projection onto the second. A line of equal points is that point. The distance is that of
/// the lines themselves; the points of lines at a small angle lie far away and have lost digits by one over its sine.
/// About 120 operations.
/// Christer Ericson, Real-Time Collision Detection, 2005, 5.1.8, with f = d2 . r; R. Goldman in Akenine-Moeller et al.,
/// Real-Time Rendering, 4th edition, online chapter 22, 22.15.2.
TACT_API tact_closest_pair tact_closest_line_line(tact_segment a, tact_segment b);

/// Finds the closest points of two segments, either of which may be a point. Method: the best of the four ends against
/// the other segment and of the point where the lines pass each other: clamping, and the division by what vanishes for
/// parallels, decide nothing.
/// About 200 operations. Ericson 2005, 5.1.9.
TACT_API tact_closest_pair tact_closest_segment_segment(tact_segment a, tact_segment b);

/// Finds the closest points of a segment and a triangle, which may be degenerate. Method: three edges against the
/// segment, both its ends and where it passes the plane against the triangle, and an exact test for a common point.
/// About 1000 operations. Ericson
/// 2005, 5.1.10.
TACT_API tact_closest_pair tact_closest_segment_triangle(tact_segment a, const tact_triangle* b);

/// Finds the closest points of two triangles, which may be degenerate. Method: the edges of each against the other as
/// segments, and an exact test for a common point. About 4000 operations. Ericson 2005, 5.1.11.
TACT_API tact_closest_pair tact_closest_triangle_triangle(const tact_triangle* a, const tact_triangle* b);

/// Finds the closest points of a segment and a solid box. The squared distance along the segment is convex, and
/// quadratic between at most six parameters: its derivative's root is found in the right piece. A segment that meets
/// the box gives a common point, where it enters but for rounding. About 150 operations; more when they touch, exactly.
TACT_API tact_closest_pair tact_closest_segment_aabb(tact_segment a, const tact_aabb* b);

/// Finds the closest points of two solid boxes. On an axis where they overlap both points have the greater lower bound.
/// About 20 operations.
TACT_API tact_closest_pair tact_closest_aabb_aabb(const tact_aabb* a, const tact_aabb* b);
