// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Principal axes of points, for the fits.

#include "cpu_ref/geometry/obb_internal.h"

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
