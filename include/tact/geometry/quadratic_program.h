// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/quadratic_program.h
/// The point of half-spaces that is closest to a given one: the nearest point of a polyhedron that is known by its
/// planes alone, the velocity closest to a wanted one that avoids all obstacles, the correction of a position that
/// leaves all contacts.

#include "tact/geometry/linear_program.h"

/// The closest point of some half-spaces.
typedef struct tact_qp_result {
    /// OPTIMUM, INFEASIBLE, INVALID as of a linear programme, never UNBOUNDED. INFEASIBLE is exact, within the largest
    /// floats.
    tact_lp_status status;
    tact_vec3 point;       ///< the closest one, rounded to floats; NaN where there is none
    float distance;        ///< from the point given; 0 inside; infinite where there is none
    uint32_t tight_count;  ///< constraints that hold the point there, at most 3; 0 inside
    uint32_t tight[3];     ///< their numbers
    /// The point given is the closest one plus these times the normals of `tight`: none is negative.
    double pull[3];
    /// By how much the closest point, before it is rounded, is outside of a half-space at most. Next to 0, except where
    /// planes are so nearly parallel that doubles lose their common line.
    double excess;
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_qp_result;

/// Finds the point with normal . x <= distance for all half-spaces that is closest to `point`. Normals with z = 0 and a
/// point with z = 0 make it a problem of the plane. A normal of 0 holds for all points or none. Doubles relative to the
/// point: right to 2^-40 of its distance and of those of the planes, divided by the sine of the angle at which they
/// meet.
///
/// Method: the closest point of at most three constraints; the constraint that it breaks by most comes in, and of those
/// that are there the ones stay that hold a point farthest away, by trying all. The distance grows with each step, so
/// none comes twice. A step looks at all constraints once, with 6 operations each; there are usually two to eight.
/// Where there is no such point tact_lp_3d() decides. Source: Goldfarb, Idnani, "A numerically stable dual method for
/// solving strictly convex quadratic programs", 1983.
TACT_API tact_qp_result tact_half_spaces_closest(const tact_plane* half_spaces, size_t count, tact_vec3 point);
