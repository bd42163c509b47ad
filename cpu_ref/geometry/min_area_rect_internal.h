// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Rectangles and hulls of points in a plane, for the fits of boxes.

#include "cpu_ref/geometry/vec.h"

typedef struct dvec2 {
    double x, y;
} dvec2;

/// A convex polygon whose vertices are of one of the two kinds, the other is NULL.
typedef struct ring {
    const tact_vec2* single;
    const dvec2* precise;
    size_t count;
} ring;

/// Orders the points and leaves the convex hull's in `hull`: counter-clockwise, without repetition. Returns their
/// number. `hull` has room for 2 * count: a hull has no more than count, and both chains together never more than that,
/// even where coordinates are so small that products underflow. O(n log n), no recursion.
size_t tact_flat_hull(dvec2* points, size_t count, dvec2* hull);

/// The direction (of any length but 0) of one side of the least rectangle. (1, 0) where all vertices are one.
dvec2 tact_least_rect_direction(ring polygon);
