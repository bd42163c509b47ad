// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/swept_sphere.h
/// Capsules (a sphere swept along a segment) and lozenges (along a rectangle): overlap, distance, fits, measures.
///
/// All tests compare the distance of the inner points, segments and rectangles with the sum of the radii; shapes whose
/// gap is under 2^-48 of their sizes and distance count as touching. A capsule of equal ends is a sphere, a lozenge
/// with edges of length 0 a capsule or a sphere, radius 0 the inner shape itself. Edges that are perpendicular only to
/// the precision of a float are used as they are: the inner shape is a parallelogram, and edges that are parallel leave
/// a segment. Non-finite numbers and negative radii make a shape empty: it overlaps nothing, at distance infinity.
///
/// Sources: Larsen, Gottschalk, Lin, Manocha: Fast proximity queries with swept sphere volumes, 1999; Ericson:
/// Real-Time Collision Detection, 2005, 4.5.

#include "tact/geometry/types.h"

/// Tests whether a capsule and a sphere overlap. About 30 operations and a square root. Ericson, 4.5.1.
TACT_API bool tact_capsule_overlaps_sphere(const tact_capsule* capsule, tact_sphere sphere);

/// Tests whether two capsules overlap, by the closest points of two segments, in which parallel ones are no special
/// case: of the four ends against the other segment and the common perpendicular where it meets both, the least. About
/// 250 operations. Symmetric to the bit. Ericson, 4.5.1 and 5.1.9.
TACT_API bool tact_capsule_overlaps_capsule(const tact_capsule* a, const tact_capsule* b);

/// Tests whether a lozenge and a sphere overlap. About 200 operations. True also for the solid's inside.
TACT_API bool tact_lozenge_overlaps_sphere(const tact_lozenge* lozenge, tact_sphere sphere);

/// Tests whether a lozenge and a capsule overlap, as two lozenges: about 1000 operations.
TACT_API bool tact_lozenge_overlaps_capsule(const tact_lozenge* lozenge, const tact_capsule* capsule);

/// Tests whether two lozenges overlap, by the least of the 16 distances between edges, of corners above the other
/// rectangle, and 0 where an edge crosses it. About 4000 operations; the circumscribed spheres reject distant ones
/// first. Symmetric to the bit.
TACT_API bool tact_lozenge_overlaps_lozenge(const tact_lozenge* a, const tact_lozenge* b);

/// Returns the distance between the solids, 0 when they overlap, infinity when one is empty. Right to about 2^-48 of
/// sizes and distance. Spheres and capsules are lozenges too: see the conversions. Cost as of
/// tact_lozenge_overlaps_lozenge().
TACT_API double tact_lozenge_distance(const tact_lozenge* a, const tact_lozenge* b);

/// Converts a sphere to a lozenge with two edges of length 0.
TACT_API tact_lozenge tact_lozenge_from_sphere(tact_sphere sphere);

/// Converts a capsule to a lozenge with a second edge of length 0. The end b is rounded once, as it is stored by its
/// difference to a.
TACT_API tact_lozenge tact_lozenge_from_capsule(const tact_capsule* capsule);

/// Returns the smallest AABB, its bounds rounded outwards; the empty one (lower infinity, upper -infinity) for an empty
/// shape.
TACT_API tact_aabb tact_capsule_to_aabb(const tact_capsule* capsule);
TACT_API tact_aabb tact_lozenge_to_aabb(const tact_lozenge* lozenge);

/// Returns the volume pi r^2 (L + 4/3 r) with L the length. NaN for an empty capsule.
TACT_API double tact_capsule_volume(const tact_capsule* capsule);
/// Returns the area 2 pi r (L + 2 r).
TACT_API double tact_capsule_area(const tact_capsule* capsule);
/// Returns the volume 2 r A + pi/2 r^2 P + 4/3 pi r^3 with A and P the area and perimeter of the rectangle (Steiner's
/// formula). NaN for an empty lozenge.
TACT_API double tact_lozenge_volume(const tact_lozenge* lozenge);
/// Returns the area 2 A + pi r P + 4 pi r^2.
TACT_API double tact_lozenge_area(const tact_lozenge* lozenge);

/// Fits a capsule that contains all points. Its line lies along the first principal axis of the points, through the
/// middle of their extents along the other two; the radius is the largest distance from the line, and the ends are as
/// near to each other as the round caps allow. Not the smallest; one point gives a sphere of radius 0 but for rounding.
/// Three passes over the points, about 150 operations each. False when count is 0, a point is not finite or the result
/// does not fit into floats. Ericson, 4.5.2.
TACT_API bool tact_capsule_fit(const tact_vec3* points, size_t count, tact_capsule* capsule);

/// Fits a lozenge that contains all points. The rectangle lies along the first two principal axes of the points,
/// half-way between their extents along the third, and is as small as the round sides allow one after the other; its
/// corners are then moved out to what lies beyond them. Otherwise as tact_capsule_fit(). Ericson, 4.5.2.
TACT_API bool tact_lozenge_fit(const tact_vec3* points, size_t count, tact_lozenge* lozenge);

/// Returns a capsule around two others, for trees of capsules: of lines along either one and their mean, through their
/// middles and their farthest ends, the one that takes the least volume, with ends as near to each other as the round
/// caps allow; one of the two where it holds the other by more than rounding. Holds both, rounding included; not always
/// the least. An empty one adds nothing; empty (radius -1) where both are, or the result does not fit into floats.
/// About 1000 operations.
TACT_API tact_capsule tact_capsule_union(const tact_capsule* a, const tact_capsule* b);

/// Returns a lozenge around two others: along the axes of either one, or the principal axes of the corners of both, the
/// one that takes the least volume. Otherwise as tact_capsule_union(). About 3000 operations.
TACT_API tact_lozenge tact_lozenge_union(const tact_lozenge* a, const tact_lozenge* b);
