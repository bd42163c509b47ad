// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/swept_sphere.h
/// Capsules (a sphere swept along a segment) and lozenges (along a rectangle): overlap, distance, fits, measures.
///
/// All tests ask whether the distance of the inner points, segments and rectangles is at most the sum of the radii;
/// shapes whose gap is under 2^-48 of their sizes and distance count as touching. A capsule of equal ends is a sphere,
/// a lozenge with edges of length 0 a capsule or a sphere, radius 0 the inner shape itself. Edges that are
/// perpendicular only to the precision of a float are used as they are: the inner shape is a parallelogram, and edges
/// that are parallel leave a segment. Non-finite numbers and negative radii make a shape empty: it overlaps nothing, at
/// distance infinity.
///
/// Sources: Larsen, Gottschalk, Lin, Manocha: Fast proximity queries with swept sphere volumes, 1999; Ericson:
/// Real-Time Collision Detection, 2005, 4.5.

#include "tact/geometry/types.h"

/// About 30 operations and a square root. Ericson, 4.5.1.
TACT_API bool tact_capsule_overlaps_sphere(const tact_capsule* capsule, tact_sphere sphere);

/// Closest points of two segments, in which parallel ones are no special case: of the four ends against the other
/// segment and the common perpendicular where it meets both, the least. About 250 operations. Symmetric to the bit.
/// Ericson, 4.5.1 and 5.1.9.
TACT_API bool tact_capsule_overlaps_capsule(const tact_capsule* a, const tact_capsule* b);

/// About 200 operations. True also for the solid's inside.
TACT_API bool tact_lozenge_overlaps_sphere(const tact_lozenge* lozenge, tact_sphere sphere);

/// As lozenge against lozenge, about 1000 operations.
TACT_API bool tact_lozenge_overlaps_capsule(const tact_lozenge* lozenge, const tact_capsule* capsule);

/// The least of the 16 distances between edges, of corners above the other rectangle, and 0 where an edge crosses it.
/// About 4000 operations; a reach of the circumscribed spheres rejects the far ones first. Symmetric to the bit.
TACT_API bool tact_lozenge_overlaps_lozenge(const tact_lozenge* a, const tact_lozenge* b);

/// Distance between the solids, 0 when they overlap, infinity when one is empty. Right to about 2^-48 of sizes and
/// distance. Spheres and capsules are lozenges too: see the conversions. Cost as lozenge against lozenge.
TACT_API double tact_lozenge_distance(const tact_lozenge* a, const tact_lozenge* b);

/// Both edges are 0.
TACT_API tact_lozenge tact_lozenge_from_sphere(tact_sphere sphere);

/// The second edge is 0. The end b is rounded once, as it is stored by its difference to a.
TACT_API tact_lozenge tact_lozenge_from_capsule(const tact_capsule* capsule);

/// The smallest AABB, its bounds rounded outwards; the empty one (lower infinity, upper -infinity) for an empty shape.
TACT_API tact_aabb tact_capsule_to_aabb(const tact_capsule* capsule);
TACT_API tact_aabb tact_lozenge_to_aabb(const tact_lozenge* lozenge);

/// pi r^2 (L + 4/3 r) with L the length. NaN for an empty capsule.
TACT_API double tact_capsule_volume(const tact_capsule* capsule);
/// 2 pi r (L + 2 r)
TACT_API double tact_capsule_area(const tact_capsule* capsule);
/// 2 r A + pi/2 r^2 P + 4/3 pi r^3 with A and P the area and perimeter of the rectangle (Steiner's formula). NaN for
/// an empty lozenge.
TACT_API double tact_lozenge_volume(const tact_lozenge* lozenge);
/// 2 A + pi r P + 4 pi r^2
TACT_API double tact_lozenge_area(const tact_lozenge* lozenge);

/// A capsule that contains all points. Its line lies along the first principal axis of the points, through the middle
/// of their extents along the other two; the radius is the largest distance from the line, and the ends are as near to
/// each other as the round caps allow. Not the smallest; one point gives a sphere of radius 0 but for rounding. Three
/// passes over the points, about 150 operations each. False when count is 0, a point is not finite or the result does
/// not fit into floats. Ericson, 4.5.2.
TACT_API bool tact_capsule_fit(const tact_vec3* points, size_t count, tact_capsule* capsule);

/// A lozenge that contains all points. The rectangle lies along the first two principal axes of the points, half-way
/// between their extents along the third, and is as small as the round sides allow one after the other; its corners are
/// then moved out to what lies beyond them. As tact_capsule_fit for the rest. Ericson, 4.5.2.
TACT_API bool tact_lozenge_fit(const tact_vec3* points, size_t count, tact_lozenge* lozenge);
