// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/linear_program.h
/// Linear programmes in two and three variables, decided exactly, and what follows from them: whether half-spaces have
/// a point in common, a point well inside them, and a plane between two sets of points. For velocities that avoid
/// obstacles, the clearance inside a cell, clipping by planes that may leave nothing, and proofs that two clouds of
/// points are apart.
///
/// Each decision is the sign of a determinant of the numbers given: doubles with a bound on their error, whole numbers
/// where these do not do. There is no tolerance, whatever the scale and however many planes meet in a point; only the
/// point of the result is rounded.
///
/// Method: the optimum is that of some of the constraints, as many as there are variables, of the sides of the box to
/// begin with. Constraints are looked at one by one, in an order that is scattered and always the same; one that the
/// optimum breaks takes the place of another (the step of the dual simplex method), until all have been looked at
/// without a change. Each change makes the optimum worse, so that none comes twice. Ties are broken as if x, then y,
/// then z were minimised as well. Source: Seidel, "Small-dimensional linear programming and convex hulls made easy",
/// 1991, whose order and box these are; Ericson, "Real-Time Collision Detection", 2005, section 9.4.

#include "tact/geometry/types.h"

/// Points of the plane with normal . p <= distance. A normal of 0 holds for all points or none, by the distance's sign.
typedef struct tact_half_plane {
    tact_vec2 normal;  ///< of any length
    float distance;    ///< in units of its length
} tact_half_plane;

/// How a linear programme ends.
typedef enum tact_lp_status {
    TACT_LP_INVALID = 0,     ///< an argument is NaN or infinite
    TACT_LP_OPTIMUM = 1,     ///< the point is the optimum
    TACT_LP_INFEASIBLE = 2,  ///< no point of the box is in all half-spaces
    TACT_LP_UNBOUNDED = 3    ///< the point is the optimum in the box; without the box there would be none
} tact_lp_status;

/// In place of the number of a constraint: this + 2 * axis for the lower side of the box, one more for the upper.
#define TACT_LP_SIDE 0xfffffff0u

/// The result of a linear programme.
typedef struct tact_lp_result {
    tact_lp_status status;  ///< exact
    tact_vec3 point;  ///< the optimum, rounded once to the next float; z is 0 in the plane; NaN where there is none
    /// Constraints: those whose borders meet in the optimum, as many as variables. INFEASIBLE: those that already have
    /// no point in common, one more; the rest of the array is TACT_LP_SIDE + 15.
    uint32_t tight[4];
    uint32_t steps;        ///< how often a constraint took the place of another
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_lp_result;

/// Finds the point of the plane that lies in all half-planes and in the box from `lower` to `upper`, which must be
/// finite, with the least objective . p. With an objective of 0 the status says whether there is a point at all. A
/// constraint and a round take 12 operations, and up to some hundreds where doubles leave its sign open; a step takes
/// about ten determinants. Constraints that lie in no special order take about 2 log count steps, and half a dozen
/// rounds.
TACT_API tact_lp_result tact_lp_2d(const tact_half_plane* constraints, size_t count, tact_vec2 objective,
                                   tact_vec2 lower, tact_vec2 upper);

/// Finds the point of space that lies in all half-spaces normal . p <= distance and in the box, with the least
/// objective . p; otherwise as tact_lp_2d(), with 16 operations and 4 log count steps.
TACT_API tact_lp_result tact_lp_3d(const tact_plane* constraints, size_t count, tact_vec3 objective, tact_aabb box);

/// A ball in an intersection of half-spaces.
typedef struct tact_lp_ball {
    tact_lp_status status;  ///< OPTIMUM, INFEASIBLE or INVALID, that also for a normal longer than the largest float
    bool inside;            ///< the set has an inside: it is not empty and not in one plane; exact
    tact_sphere ball;       ///< the largest, but for rounding; radius 0 where the centre, rounded, is not inside
    uint64_t reserved[4];   ///< zeros: room for fields to come
} tact_lp_ball;

/// Finds the largest ball in all half-spaces and the box: its centre is the point that is deepest inside. A programme
/// of four variables, with the lengths of normals rounded up to floats. The radius is rounded down, about the rounded
/// centre. Four times the time of tact_lp_3d().
TACT_API tact_lp_ball tact_half_spaces_ball(const tact_plane* half_spaces, size_t count, tact_aabb box);

/// A plane between two sets of points.
typedef struct tact_lp_gap {
    bool valid;            ///< all coordinates are finite
    bool apart;            ///< the convex hulls of the two sets have no point in common; exact
    bool holds;            ///< normal . a < distance < normal . b for all points, exactly, by `plane` as it is rounded
    tact_plane plane;      ///< with a largest coordinate of about 1 in its normal; NaN where they are not apart
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_lp_gap;

/// Decides whether a plane separates two sets of points, none in it, and finds the one that is farthest from the points
/// of both, measured along its normal divided by that's largest coordinate: a programme of five variables. No hull is
/// needed. An empty set is apart from any. tact_convex_distance() of the sets as hulls takes less time for a few
/// hundred points and is not exact.
TACT_API tact_lp_gap tact_points_gap(const tact_vec3* a, size_t a_count, const tact_vec3* b, size_t b_count);
