// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/types.h
/// The shapes of the geometry library. Plain structs of single-precision numbers, any unit, one frame.
///
/// Conventions of all its functions (docs/geometry.md has them with their reasons):
/// - Shapes are closed sets: *touching counts as overlap*.
/// - A plane is the set n . x = d. Normals need not have unit length unless a function says so.
/// - Solids are solid: a point inside a box is at distance 0 from it, and a ray that starts inside a solid hits it at
///   t = its tmin (the `_exit` variants give where it leaves).
/// - A NaN anywhere in the arguments means *no*: no overlap, no hit, an infinite distance; never a crash. Infinite
///   coordinates and negative radii or extents are treated the same way, unless a function says otherwise.
/// - Nothing is compared with an absolute tolerance. Where a decision needs a tolerance it is relative, and the
/// function
///   says to what.
/// - Functions are pure: no state, no allocation (those that must build something take an environment or buffers), safe
///   to call from any thread. Pointers are never NULL unless a function allows it.
///
/// Precision: arguments are single, the arithmetic inside is double, so products of two coordinates are exact and sums
/// nearly so; results are rounded once. The exceptions are the few hot tests that have a batch or GPU twin which must
/// give the same bits; they compute in single precision in a stated order.

#include "tact/base.h"

/// A point or a vector of the plane.
typedef struct tact_vec2 {
    float x, y;  ///< coordinates
} tact_vec2;

/// A point or a vector of space.
typedef struct tact_vec3 {
    float x, y, z;  ///< coordinates
} tact_vec3;

/// Points x with normal . x = distance. `distance` is in units of the normal's length.
typedef struct tact_plane {
    tact_vec3 normal;  ///< any length but 0
    float distance;    ///< of the plane from the origin, along the normal, times its length
} tact_plane;

/// The points o + t d with tmin <= t <= tmax. One struct for lines (tmin -infinity, tmax infinity), rays (0, infinity)
/// and segments (0, 1 with d = b - a). The direction need not have unit length; t is in units of it.
typedef struct tact_ray {
    float ox, oy, oz;  ///< origin
    float tmin;        ///< where it begins
    float dx, dy, dz;  ///< direction
    float tmax;        ///< where it ends; may be infinite
} tact_ray;

/// The points between two, both included.
typedef struct tact_segment {
    tact_vec3 a, b;  ///< ends
} tact_segment;

/// Counter-clockwise from the side its normal (b - a) x (c - a) points to.
typedef struct tact_triangle {
    tact_vec3 a, b, c;  ///< corners
} tact_triangle;

/// Empty when lower > upper on some axis.
typedef struct tact_aabb {
    tact_vec3 lower, upper;  ///< both included
} tact_aabb;

/// A solid ball. Empty when the radius is negative.
typedef struct tact_sphere {
    tact_vec3 center;  ///< middle
    float radius;      ///< >= 0
} tact_sphere;

/// center + sum of r_i axis_i with |r_i| <= half_i. The axes are orthonormal.
typedef struct tact_obb {
    tact_vec3 center;   ///< middle
    tact_vec3 axis[3];  ///< unit vectors, at right angles
    tact_vec3 half;     ///< half lengths along the axes
} tact_obb;

/// Points within `radius` of the segment a b (a sphere-swept line).
typedef struct tact_capsule {
    tact_vec3 a, b;  ///< ends of the segment; may be equal
    float radius;    ///< >= 0
} tact_capsule;

/// Points within `radius` of the rectangle corner + s edge[0] + t edge[1], 0 <= s, t <= 1 (a sphere-swept rectangle).
/// The edges are perpendicular.
typedef struct tact_lozenge {
    tact_vec3 corner;   ///< of the rectangle
    tact_vec3 edge[2];  ///< its sides from there
    float radius;       ///< >= 0
} tact_lozenge;

/// Solid, with flat ends: points within `radius` of the line a b, between the planes through a and b.
typedef struct tact_cylinder {
    tact_vec3 a, b;  ///< middles of the ends
    float radius;    ///< >= 0
} tact_cylinder;

/// Solid: from the apex along the unit axis to a disc of `radius` at distance `height`.
typedef struct tact_cone {
    tact_vec3 apex;        ///< its tip
    tact_vec3 axis;        ///< of unit length, from the tip to the disc
    float height, radius;  ///< of the whole, and of the disc
} tact_cone;

/// center + sum of r_i radius_i axis_i with sum of r_i^2 <= 1. The axes are orthonormal.
typedef struct tact_ellipsoid {
    tact_vec3 center;   ///< middle
    tact_vec3 axis[3];  ///< unit vectors, at right angles
    tact_vec3 radius;   ///< half lengths along the axes
} tact_ellipsoid;

/// Solid: points within `minor` of the circle of radius `major` around the center, across the axis.
typedef struct tact_torus {
    tact_vec3 center;  ///< middle of the hole
    tact_vec3 axis;    ///< through the hole; any length but 0
    float major;       ///< radius of the circle, >= 0
    float minor;       ///< of the tube, >= 0; more than `major` closes the hole
} tact_torus;

/// A linear map and a translation: x -> m x + t, m in row-major order.
typedef struct tact_transform {
    float m[3][3];  ///< m[row][column]
    tact_vec3 t;    ///< added last
} tact_transform;
