// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/hull_planes.h
/// Approximate tests of convex hulls by the planes of one against the vertices, or spheres, of the other.
///
/// Conservative: two hulls of which none lies wholly in front of a plane of the other are reported to overlap though
/// their edges may pass each other; an overlap is never missed.
/// Of random tetrahedra that are apart, about one in ten pairs is reported to overlap (counted by `test_hull_planes`).
/// Ericson: Real-Time Collision Detection, 2005, 4.6.5.

#include "tact/geometry/types.h"

/// A convex hull: the intersection of the half-spaces normal . x <= distance, whose normals point out and need not have
/// unit length, and its vertices. The arrays belong to the caller.
typedef struct tact_hull_planes {
    const tact_plane* planes;   ///< of the half-spaces
    size_t plane_count;         ///< of `planes`
    const tact_vec3* vertices;  ///< corners of the hull
    size_t vertex_count;        ///< of `vertices`
    /// NULL, or a sphere that contains the hull: it decides most planes at once.
    const tact_sphere* bound;
} tact_hull_planes;

/// The same with spheres whose union contains the hull in place of its vertices: fewer of them, and less exact.
typedef struct tact_hull_spheres {
    const tact_plane* planes;    ///< of the half-spaces
    size_t plane_count;          ///< of `planes`
    const tact_sphere* spheres;  ///< whose union contains the hull
    size_t sphere_count;         ///< of `spheres`
    const tact_sphere* bound;    ///< NULL, or a sphere that contains the hull
} tact_hull_spheres;

/// Tests whether two hulls overlap: false when a plane of one has all vertices of the other in front, by more than
/// 2^-50 of the terms that are compared. Also false when a hull has no vertices or a number is not finite or a bound's
/// radius negative. At most planes times vertices of the other, at 6 operations each, but a plane is done with at the
/// first vertex that is not in front of it; planes that are hardly parallel to their predecessors
/// (tact_hull_planes_order) and vertices in random order make this soon.
TACT_API bool tact_hull_planes_overlap(const tact_hull_planes* a, const tact_hull_planes* b);

/// Tests whether two hulls by spheres overlap, as tact_hull_planes_overlap(); false for negative radii.
TACT_API bool tact_hull_spheres_overlap(const tact_hull_spheres* a, const tact_hull_spheres* b);

/// Sorts planes so that each next one is the one least aligned with those before it (of the greatest cosines to any of
/// them, the least), beginning with the first: the first few cover most directions. Normals without a direction go
/// last. Planes cubed at worst; most are dropped at their first few cosines.
TACT_API void tact_hull_planes_order(tact_plane* planes, size_t count);
