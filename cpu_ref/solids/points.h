// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Points where the surfaces of two meshes meet, known by what meets there: a vertex, or an edge and a plane. Their
/// places in double precision have bounds on their error, and where these leave a sign open, whole numbers decide
/// (Attene, "Indirect predicates for geometric constructions", 2020).

#include "cpu_ref/geometry/vec.h"

typedef enum tact_point_kind {
    POINT_GIVEN,    ///< p
    POINT_MIDDLE,   ///< between p and q
    POINT_ON_PLANE  ///< on the segment from p to q, where the plane crosses it that is spanned by r, s and t or,
                    ///< with an axis, by r, s and that direction
} tact_point_kind;

typedef struct tact_meet_point {
    tact_vec3 p, q;
    tact_vec3 r, s, t;
    tact_point_kind kind;
    int axis;      ///< 0 to 2; 3: the plane has t
    double at[3];  ///< the place
    double error;  ///< of each coordinate at most
} tact_meet_point;

tact_meet_point tact_point_given(tact_vec3 p);
tact_meet_point tact_point_middle(tact_vec3 p, tact_vec3 q);

/// Where the plane of a triangle crosses a segment whose ends are on either side of it.
tact_meet_point tact_point_on_plane(tact_vec3 p, tact_vec3 q, const tact_vec3 triangle[3], int32_t scale);

/// Where a segment meets another in the same plane, between the ends of both.
tact_meet_point tact_point_of_segments(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s, int32_t scale);

// Of all: `scale` is the lowest shift of all coordinates (cpu_ref/geometry/big_internal.h), and `exact`, which may be
// NULL, counts the signs that took whole numbers.

/// 1 if a, b and c turn counter-clockwise seen along an axis, as tact_orient2d() of tact_drop_axis().
int tact_points_turn(const tact_meet_point* a, const tact_meet_point* b, const tact_meet_point* c, int axis,
                     int32_t scale, uint64_t* exact);

/// 1 if the point is behind the triangle, as tact_orient3d().
int tact_points_side(const tact_vec3 triangle[3], const tact_meet_point* point, int32_t scale, uint64_t* exact);

/// 1 if a coordinate of `a` is greater than that of `b`, -1 if less.
int tact_points_compare(const tact_meet_point* a, const tact_meet_point* b, int axis, int32_t scale, uint64_t* exact);
