// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/barycentric.h"

#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/predicates.h"

/// Parts of a whole, or of nothing.
static bool write_weights(const double* part, int count, double whole, float* weights)
{
    const bool good = fabs(whole) > 0.0;
    for (int k = 0; k < count; ++k)
        weights[k] = good ? (float)(part[k] / whole) : NAN;
    return good;
}

bool tact_barycentric_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 point, float weights[3])
{
    const double part[3] = {tact_orient2d_value(point, b, c), tact_orient2d_value(a, point, c),
                            tact_orient2d_value(a, b, point)};
    return write_weights(part, 3, v2_finite(point) ? tact_orient2d_value(a, b, c) : 0.0, weights);
}

bool tact_barycentric_tetrahedron(const tact_vec3 corners[4], tact_vec3 point, float weights[4])
{
    double part[4];
    for (int k = 0; k < 4; ++k) {
        tact_vec3 p[4] = {corners[0], corners[1], corners[2], corners[3]};
        p[k] = point;
        part[k] = tact_orient3d_value(p[0], p[1], p[2], p[3]);
    }
    const double whole = tact_orient3d_value(corners[0], corners[1], corners[2], corners[3]);
    return write_weights(part, 4, v_finite(point) ? whole : 0.0, weights);
}

bool tact_barycentric_triangle(const tact_triangle* triangle, tact_vec3 point, float weights[3])
{
    const dvec a = d_from(triangle->a), u = d_sub(d_from(triangle->b), a), v = d_sub(d_from(triangle->c), a);
    const dvec p = d_sub(d_from(point), a), n = d_cross(u, v);
    const double whole = d_dot(n, n), of_b = d_dot(d_cross(p, v), n), of_c = d_dot(d_cross(u, p), n);
    const double part[3] = {d_dot(d_cross(d_sub(u, p), d_sub(v, p)), n), of_b, of_c};
    const bool finite = v_finite(triangle->a) && v_finite(triangle->b) && v_finite(triangle->c) && v_finite(point);
    // Thinner than rounding can tell from a segment.
    const bool thin = !(whole > 0x1p-96 * d_dot(u, u) * d_dot(v, v));
    return write_weights(part, 3, finite && !thin ? whole : 0.0, weights);
}
