// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/measure.h
/// Volumes, and the tightness of bounding volumes. Those of boxes, capsules and lozenges stand with their other
/// functions. All return NaN for shapes that are no set: non-finite numbers, negative radii.
///
/// Of two bounding volumes the one of less volume is met by fewer other objects, the one of less area by fewer rays.

#include "tact/geometry/types.h"

/// Returns the volume 4/3 pi r^3, or the area 4 pi r^2.
TACT_API double tact_sphere_volume(tact_sphere sphere);
TACT_API double tact_sphere_area(tact_sphere sphere);

/// Returns the volume pi r^2 L, or the area with the two discs, 2 pi r (L + r).
TACT_API double tact_cylinder_volume(const tact_cylinder* cylinder);
TACT_API double tact_cylinder_area(const tact_cylinder* cylinder);

/// Returns the volume pi/3 r^2 h, or the area with the disc, pi r (r + sqrt(r^2 + h^2)). The axis plays no part, but
/// must be finite.
TACT_API double tact_cone_volume(const tact_cone* cone);
TACT_API double tact_cone_area(const tact_cone* cone);

/// Returns the volume 4/3 pi r_0 r_1 r_2, the length of the axes taken as 1.
TACT_API double tact_ellipsoid_volume(const tact_ellipsoid* ellipsoid);

/// The greatest number of half-spaces whose intersection is measured.
#define TACT_MEASURE_MAX_PLANES 256

/// Returns the volume of the set normal . x <= distance of all planes: a k-DOP, a set of slabs, a convex hull. Normals
/// of any length. 0 when the intersection is empty, 0 to rounding when it is flat, infinity when it is unbounded, or
/// reaches 2^18 times as far as the farthest plane is from the origin. Redundant and repeated planes and planes that
/// touch an edge are allowed. Right to about count times 2^-40 of the volume of a cube around it. Each plane's polygon
/// is clipped by all others, three times: count squared times corners of a face times 20 operations. NaN also for more
/// planes than TACT_MEASURE_MAX_PLANES and for a normal of 0.
TACT_API double tact_half_spaces_volume(const tact_plane* planes, size_t count);

/// Returns the area of the surface of the same set; a flat one has both its sides.
TACT_API double tact_half_spaces_area(const tact_plane* planes, size_t count);

/// Returns the greatest distance between two of the points: count squared times 4 operations, so give hull vertices.
/// NaN when there is no point.
TACT_API double tact_diameter(const tact_vec3* points, size_t count);

/// Returns the greatest distance from one of the corners to the surface, three indices a triangle: corners times
/// triangles times 150 operations. For the corners of a polyhedral volume around a convex body this is the tightness of
/// the volume, the greatest distance of any of its points from the body, since the distance from a convex body is
/// greatest in a corner; for other bodies it is at most that. Divided by the diameter it compares volumes of different
/// bodies. NaN when there is no corner or no triangle or an index is out of range. Zakharov, Sadykov: OBB intersection
/// by front faces, 2003.
TACT_API double tact_tightness(const tact_vec3* corners, size_t corner_count, const tact_vec3* points,
                               size_t point_count, const uint32_t* triangles, size_t triangle_count);
