// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/newell.h"
#include "cpu_ref/geometry/ray_internal.h"
#include "tact/geometry/polygon.h"

bool tact_newell(const tact_vec3* vertices, size_t count, dvec* normal, dvec* total)
{
    const dvec origin = d_from(vertices[0]);
    dvec last = d_sub(d_from(vertices[count - 1]), origin);
    double size = 0.0;
    *normal = *total = d_zero();
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(vertices[i])) return false;
        const dvec p = d_sub(d_from(vertices[i]), origin);
        *normal = d_add(*normal, d_cross(last, p));
        size += d_magnitude(last) * d_magnitude(p);
        *total = d_add(*total, p);
        last = p;
    }
    return d_largest(*normal) > D_NOISE * size;
}

double tact_polygon_plane(const tact_vec3* vertices, size_t count, tact_plane* plane)
{
    dvec normal, total;
    *plane = (tact_plane){{0.0f, 0.0f, 0.0f}, 0.0f};
    if (count < 3 || !tact_newell(vertices, count, &normal, &total)) return -1.0;
    const dvec n = d_unit(normal), mean = d_scale(total, 1.0 / (double)count), first = d_from(vertices[0]);
    const float distance = (float)(d_dot(n, first) + d_dot(n, mean));
    if (!isfinite(distance)) return -1.0;
    double farthest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double height = d_dot(n, d_sub(d_sub(d_from(vertices[i]), first), mean));
        farthest = fmax(farthest, fabs(height));
    }
    *plane = (tact_plane){d_round(n), distance};
    return farthest;
}
