// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/torus.h
/// Solid tori: rays, points, spheres, bounds.
///
/// A torus is the points within `minor` of a circle: a ball of that radius whose centre goes round. So every radius of
/// at least 0 is defined: a minor radius that exceeds the major one closes the hole, and what the ball covers twice
/// is inside; a major radius of 0 makes a ball, a minor one a circle. The axis need not have unit length. Negative,
/// infinite or NaN numbers, and a zero axis, are no torus: nothing is in it or hits it.
///
/// Double inside. Sources: Ericson, "Real-Time Collision Detection", 2005, 2.2.1 (implicit objects); Hart, "Sphere
/// Tracing", 1996 (the distance).

#include "tact/geometry/closest_point.h"
#include "tact/geometry/ray.h"

/// Finds the parts of a ray that lie in a torus, in order: returns how many, at most 2, and writes that many to
/// `parts`. Each is as those of the other round solids: t = tmin and no normal where the ray begins inside.
///
/// Method: along a line, counted from its point nearest to the centre, the torus is a quartic without a cubic term. The
/// roots of its derivatives bound intervals in which it rises or falls, so no root can be missed; whether they lie
/// inside is decided by the distance from the circle, to 2^-46 of the distances of the origin and of the torus's own
/// size: a line that misses by less touches, at one t. A root is good to 2^-26 of the torus's size, across the surface:
/// where a ray grazes, t is as good as that allows. 60 operations for a line beside the ball around the torus, else 500
/// to 1500.
TACT_API size_t tact_ray_torus(const tact_ray* ray, const tact_torus* torus, tact_ray_solid_hit parts[2]);

/// Tests whether a torus contains a point. To 2^-46. About 40 operations.
TACT_API bool tact_torus_contains_point(const tact_torus* torus, tact_vec3 point);

/// Finds the closest point in a solid torus; for a point on the axis, of those around it one. u, v, w: 0. About 50
/// operations.
TACT_API tact_closest tact_closest_on_torus(tact_vec3 p, const tact_torus* torus);

/// Tests whether a torus and a sphere overlap, by the distance of the sphere's centre from the circle. To 2^-46. About
/// 40 operations.
TACT_API bool tact_torus_overlaps_sphere(const tact_torus* torus, tact_sphere sphere);

/// Returns the least box around the torus, rounded outward; empty for what is no torus. About 30 operations.
TACT_API tact_aabb tact_aabb_from_torus(const tact_torus* torus);
