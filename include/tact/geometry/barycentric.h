// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/barycentric.h
/// Weights of corners that give a point: for attributes at a hit, the parts of a load, and which feature is near.
///
/// The weights add up to 1 but for rounding, and one is negative where the point is outside across from its corner.
/// Ericson, "Real-Time Collision Detection", 2005, section 3.4.

#include "tact/geometry/types.h"

/// Finds the weights of the corners of a triangle of the plane. Each is a quotient of two exact areas, rounded, so its
/// sign is that of tact_orient2d(). False, with weights NaN, for a triangle without area and for numbers that are not
/// finite; a weight beyond the largest float is infinite.
TACT_API bool tact_barycentric_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 point, float weights[3]);

/// Finds the weights of a triangle's corners that give the point of its plane below `point`. Right to 2^-40, divided by
/// the sine of the triangle's least angle. False as above. 60 operations.
TACT_API bool tact_barycentric_triangle(const tact_triangle* triangle, tact_vec3 point, float weights[3]);

/// Finds the weights of the corners of a tetrahedron, either way round. Each is a quotient of two exact volumes,
/// rounded, so its sign is that of tact_orient3d(). False as above, for a tetrahedron without volume.
TACT_API bool tact_barycentric_tetrahedron(const tact_vec3 corners[4], tact_vec3 point, float weights[4]);
