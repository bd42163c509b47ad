// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/lines.h
/// Crossings of lines and segments of the plane, and intersections of planes. Lines in space that pass each other are
/// in tact/geometry/distance.h.

#include "tact/geometry/types.h"

/// The kind of crossing of two lines or segments.
typedef enum tact_crossing_kind {
    TACT_CROSSING_NONE = 0,    ///< no common point, or an argument that is no number
    TACT_CROSSING_POINT = 1,   ///< one common point
    TACT_CROSSING_OVERLAP = 2  ///< infinitely many: the same line, or a common piece
} tact_crossing_kind;

/// The points that two lines or segments of the plane have in common.
typedef struct tact_crossing2 {
    tact_crossing_kind kind;  ///< all else is undefined for NONE
    /// The common point is a + s (b - a) and c + t (d - c). Where the kind is OVERLAP: the first common point.
    float s, t;
    tact_vec2 point;  ///< the common point, or the first one
    /// The last common point of an OVERLAP of segments, seen from a to b. Else the same as `point`.
    tact_vec2 end;
} tact_crossing2;

/// Tests whether the closed segments a b and c d share a point. Touching ends and collinear overlap count; segments may
/// be points. Exact for all finite coordinates: signs of areas are decided without rounding. NaN, infinity: false.
/// About 40 operations, some hundreds when three points are collinear or nearly.
/// Christer Ericson, Real-Time Collision Detection, 2005, 5.1.9.1; touching and collinear cases added.
TACT_API bool tact_segments_cross_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d);

/// Finds where the closed segments a b and c d cross. `kind` is exact; s, t and the point are rounded once from doubles
/// that are right to 2^-28. An OVERLAP is a piece of positive length and its ends are ends of the segments, unrounded.
/// About 60 operations, more when collinear. Source as tact_segments_cross_2d.
TACT_API tact_crossing2 tact_segment_segment_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d);

/// Finds where the line through a and b meets the line through c and d. Parallelism is decided exactly; the same line
/// is an OVERLAP with `point` a, s 0 and t that of a. NONE when a equals b or c equals d: a point has no direction.
/// About 30 operations, more when nearly parallel.
/// T. Akenine-Moeller et al., Real-Time Rendering, 4th edition, online chapter 22, 22.15.1.
TACT_API tact_crossing2 tact_line_line_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d);

/// The line that two planes have in common.
typedef struct tact_plane_line {
    bool found;           ///< false: parallel or equal planes, a zero normal, a NaN
    tact_vec3 point;      ///< the point of the line nearest to the origin
    tact_vec3 direction;  ///< the first normal x the second, scaled to unit length
    float sine;           ///< of the angle between the normals: near 0, the line is ill determined. Also when not found
} tact_plane_line;

/// Finds the line that two planes have in common. Parallelism is decided exactly. The point's distance from both planes
/// is below 2^-22 of its distance from the origin, plus the rounding to float, magnified by a sine near zero. About 60
/// operations.
/// Ericson 2005, 5.4.4.
TACT_API tact_plane_line tact_plane_plane(tact_plane p, tact_plane q);

/// The point that three planes have in common.
typedef struct tact_plane_point {
    bool found;       ///< false: no point, or more than one; a zero normal; a NaN
    tact_vec3 point;  ///< each coordinate is right to 2^-23 of itself
    /// |n1 . (n2 x n3)| / (|n1| |n2| |n3|), from 0 (singular: two normals parallel, or all three in one plane) to 1 (at
    /// right angles). The planes' own errors reach the point magnified by up to its inverse. Also when not found.
    float volume;
} tact_plane_point;

/// Finds the point that three planes have in common, by Cramer's rule with four determinants of exact sign: singularity
/// is decided exactly, and nearly parallel planes lose no digits. About 80 operations, some thousands when the planes
/// are within 1e-6 of singular.
/// Ericson 2005, 5.4.5; Akenine-Moeller et al., 22.16.
TACT_API tact_plane_point tact_plane_plane_plane(tact_plane p, tact_plane q, tact_plane r);
