// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/predicates.h
/// The signs of four determinants, which decide sides, always exact for finite arguments: no tolerance, no overflow, no
/// underflow, whatever the scale. Swapping two arguments changes the sign and nothing else.
///
/// Method: the determinant of coordinate differences in double precision with an error bound (the constants of
/// Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, section 4).
/// Where the bound leaves the sign open, the determinant is expanded into products of coordinates, which are added up
/// as integers on a common scale. The order of the arguments and what the signs mean follow Shewchuk, and Ericson,
/// "Real-Time Collision Detection", 2005, section 3.1.6.
///
/// The `_value` forms return the exact determinant, rounded once to the nearest double. They always take the slow way.
/// If an argument is NaN or infinite, the signs are 0 and the values NaN.

#include "tact/geometry/types.h"

/// Returns 1 if a, b, c turn counter-clockwise, -1 if clockwise, 0 if they are on one line (equal points included).
/// About 7 operations; 6 products of integers where that does not do.
TACT_API int tact_orient2d(tact_vec2 a, tact_vec2 b, tact_vec2 c);

/// Returns 1 if d is behind the triangle a b c (on the side that its normal (b - a) x (c - a) points away from), -1 if
/// in front, 0 if all four are in one plane. About 40 operations; at most 24 products of integers where that does not
/// do.
TACT_API int tact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);

/// Returns 1 if d is inside the circle of a, b, c counter-clockwise, -1 if outside, 0 if on it. Clockwise: the negative
/// of that. For a, b, c on one line the circle is that line: 0 on it, the sides have opposite signs; if two of a, b, c
/// are equal, 0. About 50 operations; at most 48 products of integers where that does not do.
TACT_API int tact_incircle(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d);

/// Returns 1 if e is inside the sphere of a, b, c, d with tact_orient3d(a, b, c, d) > 0, -1 if outside, 0 if on it. For
/// a negative orientation the negative of that. For a, b, c, d in one plane and not on one circle the sphere is that
/// plane: 0 on it, the sides have opposite signs; on one circle, 0. About 120 operations; at most 360 products of
/// integers where that does not do.
TACT_API int tact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e);

/// Returns twice the signed area of the triangle a b c, positive counter-clockwise.
TACT_API double tact_orient2d_value(tact_vec2 a, tact_vec2 b, tact_vec2 c);

/// Returns six times the signed volume of the tetrahedron, with the sign of tact_orient3d.
TACT_API double tact_orient3d_value(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);

/// Returns the determinant whose sign is tact_incircle.
TACT_API double tact_incircle_value(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d);

/// Returns the determinant whose sign is tact_insphere.
TACT_API double tact_insphere_value(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e);

/// Returns the area of the triangle a b c, positive counter-clockwise, rounded once.
TACT_API double tact_signed_area(tact_vec2 a, tact_vec2 b, tact_vec2 c);

/// Returns the volume of the tetrahedron with the sign of tact_orient3d, rounded twice (the sum, then its sixth).
TACT_API double tact_signed_volume(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);
