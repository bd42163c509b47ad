// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the fits of boxes share.

#include "base/env.h"
#include "cpu_ref/geometry/covariance_internal.h"
#include "tact/geometry/obb_fit.h"

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
