// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Determinants with the exact sign and a magnitude good to about five digits: for choosing the farthest of many.

#include "tact/geometry/predicates.h"

/// Twice the signed area. NaN if an argument is not finite.
double tact_orient2d_fast(tact_vec2 a, tact_vec2 b, tact_vec2 c);

/// Six times the signed volume, in front of a b c negative. NaN if an argument is not finite.
double tact_orient3d_fast(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);

/// Errors of determinants in double precision, as multiples of the sum of the magnitudes of their terms.
#define TACT_BOUND_ORIENT2D ((3.0 + 16.0 * 0x1p-53) * 0x1p-53)
#define TACT_BOUND_ORIENT3D ((7.0 + 56.0 * 0x1p-53) * 0x1p-53)

static inline tact_vec2 tact_drop_axis(tact_vec3 p, int axis)
{
    const tact_vec2 yz = {p.y, p.z}, zx = {p.z, p.x}, xy = {p.x, p.y};
    return axis == 0 ? yz : axis == 1 ? zx : xy;
}

/// True if the three points are on one line, exactly.
static inline bool tact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (tact_orient2d(tact_drop_axis(a, axis), tact_drop_axis(b, axis), tact_drop_axis(c, axis)) != 0) return false;
    }
    return true;
}
