// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Principal axes of points, for the fits.

#include "base/env.h"
#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/obb_fit.h"

/// Covariance by differences to the mean: nothing cancels far from the origin.
static inline void d_covariance(const tact_vec3* points, size_t count, dvec* mean, double c[3][3])
{
    const dvec origin = d_from(points[0]);
    dvec sum = d_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < count; ++i)
        sum = d_add(sum, d_sub(d_from(points[i]), origin));
    const double share = 1.0 / (double)count;
    const dvec middle = d_scale(sum, share);
    *mean = d_add(origin, middle);
    double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, yz = 0.0, zx = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const dvec d = d_sub(d_sub(d_from(points[i]), origin), middle);
        xx += d.x * d.x;
        yy += d.y * d.y;
        zz += d.z * d.z;
        xy += d.x * d.y;
        yz += d.y * d.z;
        zx += d.z * d.x;
    }
    c[0][0] = xx * share;
    c[1][1] = yy * share;
    c[2][2] = zz * share;
    c[0][1] = c[1][0] = xy * share;
    c[1][2] = c[2][1] = yz * share;
    c[2][0] = c[0][2] = zx * share;
}

static inline void d_principal_frame(const tact_vec3* points, size_t count, dvec axis[3])
{
    dvec mean;
    double c[3][3];
    d_covariance(points, count, &mean, c);
    d_principal_axes(c, axis);
}

// What the fits of boxes share.

/// The extents of points along a frame.
typedef struct extents {
    double low[3], high[3];
} extents;

static inline extents d_no_extents(void)
{
    const extents e = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    return e;
}

static inline void d_extend(extents* e, const dvec axis[3], dvec p)
{
    for (int k = 0; k < 3; ++k) {
        const double x = d_dot(p, axis[k]);
        if (x < e->low[k]) e->low[k] = x;
        if (x > e->high[k]) e->high[k] = x;
    }
}

/// A flat box has no volume, so a little of its area breaks the tie.
static inline double d_box_measure(tact_obb_measure measure, const extents* e)
{
    const double x = e->high[0] - e->low[0], y = e->high[1] - e->low[1], z = e->high[2] - e->low[2];
    const double area = (x * y + y * z) + z * x;
    return measure == TACT_OBB_AREA ? area : x * y * z + 0x1p-40 * area * ((x + y) + z);
}

static inline double d_measure_along(const tact_vec3* points, size_t count, tact_obb_measure measure,
                                     const dvec axis[3])
{
    extents e = d_no_extents();
    const dvec origin = d_from(points[0]);
    for (size_t i = 0; i < count; ++i)
        d_extend(&e, axis, d_sub(d_from(points[i]), origin));
    return d_box_measure(measure, &e);
}

/// What the public functions begin with.
static inline tact_result obb_check_points(const tact_vec3* points, size_t count)
{
    tact_error_begin(NULL);
    if (count == 0) return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no points");
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(points[i])) return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "point %zu is not finite", i);
    }
    return TACT_OK;
}

/// The box along a frame around all points.
static inline tact_result d_fit_along(const tact_vec3* points, size_t count, const dvec axis[3], tact_obb* box)
{
    obb_builder builder = obb_begin(axis, d_from(points[0]));
    for (size_t i = 0; i < count; ++i)
        obb_add(&builder, d_from(points[i]));
    tact_obb result;
    if (!obb_finish(&builder, &result)) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the box around the points is larger than floats are");
    }
    *box = result;
    return TACT_OK;
}

// Rectangles and hulls of points in a plane, for the fits of boxes.

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

/// The centre of the smallest ball around finite points; `count` and `stride` are not 0. `pair` are two points to begin
/// with, best far apart, or twice the same.
dvec tact_smallest_ball_center(const tact_vec3* points, size_t count, size_t stride, const size_t pair[2]);
