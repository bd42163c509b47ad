// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/min_area_rect.h
/// The rectangle of least area around a convex polygon.

#include "tact/geometry/types.h"

/// The points center + r axis + s (-axis.y, axis.x) with |r| <= half.x and |s| <= half.y. The axis has unit length to
/// the precision of a float and is used as it is.
typedef struct tact_rect {
    tact_vec2 center, axis, half;  ///< middle, direction of a side, half lengths along it and across
} tact_rect;

/// Finds a rectangle of least area around a convex polygon, whose vertices are in counter-clockwise order; equal
/// neighbours and vertices within edges are allowed. One side of such a rectangle lies along an edge of the polygon
/// (Freeman, Shapira 1975), and the vertices that touch its other sides move round with the edges: n times about 60
/// operations. The rectangle contains all vertices, its numbers rounded so. One point gives a rectangle of size 0, a
/// segment one of width 0 but for rounding. A polygon that is not convex gets a rectangle around it, maybe not the
/// least. False when there is no vertex, one is not finite or the result does not fit into floats.
/// Toussaint: Solving geometric problems with the rotating calipers, 1983; Ericson: Real-Time Collision Detection,
/// 2005, 4.4.4.
TACT_API bool tact_min_area_rect(const tact_vec2* polygon, size_t count, tact_rect* rect);

/// Finds the same by projecting all vertices on each edge's direction, n^2 times 10 operations: any order of any points
/// works, but only directions from a point to its successor are tried. Ericson, 4.4.4.
TACT_API bool tact_min_area_rect_quadratic(const tact_vec2* polygon, size_t count, tact_rect* rect);

/// Returns the area (2 half.x) (2 half.y), the length of the axis taken as 1.
TACT_API double tact_rect_area(const tact_rect* rect);
