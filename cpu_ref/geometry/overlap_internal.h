// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which shapes are sets, and distances in double precision.

#include "cpu_ref/geometry/exact.h"

static inline bool t_finite(const tact_triangle* t)
{
    return v_finite(t->a) && v_finite(t->b) && v_finite(t->c);
}

static inline bool sphere_valid(tact_vec3 center, float radius)
{
    return v_finite(center) && radius >= 0.0f && isfinite(radius);
}

static inline bool capsule_valid(const tact_capsule* c)
{
    return v_finite(c->a) && sphere_valid(c->b, c->radius);
}

/// Squared distance of a point and a segment.
static inline double near_segment(dvec p, dvec a, dvec b)
{
    const dvec ab = d_sub(b, a), ap = d_sub(p, a);
    const double along = d_dot(ap, ab), length = d_dot(ab, ab);
    if (!(along > 0.0)) return d_dot(ap, ap);
    if (along >= length) {
        const dvec bp = d_sub(p, b);
        return d_dot(bp, bp);
    }
    const dvec off = d_cross(ap, ab);  // its square is exact for small whole numbers, so their touches are found
    return d_dot(off, off) / length;
}

/// Squared distance of two segments: that of an end to the other segment, or of the lines where both feet are inside.
/// Where they are nearly parallel the lines' distance is badly conditioned, but not that of the foot on one to the
/// other segment. Segments whose angle has a sine below 2^-40 are left to their ends, which is as near as rounding can
/// tell.
static inline double near_segments(dvec a, dvec b, dvec c, dvec d)
{
    double best = near_segment(a, c, d);
    best = fmin(best, near_segment(b, c, d));
    best = fmin(best, near_segment(c, a, b));
    best = fmin(best, near_segment(d, a, b));
    const dvec u = d_sub(b, a), v = d_sub(d, c), w = d_sub(c, a), n = d_cross(u, v);
    const double nn = d_dot(n, n), size = d_dot(u, u) * d_dot(v, v);
    if (!(nn > 0x1p-80 * size)) return best;
    const double s = d_dot(d_cross(w, v), n) / nn, t = d_dot(d_cross(w, u), n) / nn;
    if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0) return best;
    if (nn < 0x1p-12 * size) return fmin(best, near_segment(d_scale(u, s), w, d_sub(d, a)));
    const double apart = d_dot(w, n);
    return fmin(best, apart * apart / nn);
}

/// Squared distance of a point and a needle's face, infinity where the foot is outside: what is across the edge a b,
/// of the point and of the third vertex. That keeps the error to the rounding of the coordinates.
static inline double near_needle(dvec ab, dvec ac, dvec ap)
{
    const double length = d_dot(ab, ab), c = d_dot(ac, ab) / length, p = d_dot(ap, ab) / length;
    const dvec v = d_along(ac, -c, ab), q = d_along(ap, -p, ab);
    const double t = d_dot(q, v) / d_dot(v, v), s = p - t * c;
    if (!(t >= 0.0 && s >= 0.0 && s + t <= 1.0)) return HUGE_VAL;
    const dvec off = d_along(q, -t, v);
    return d_dot(off, off);
}

/// Squared distance of a point and a triangle: that of an edge, or of the plane where the foot is inside. A triangle
/// lower than 2^-40 of its longest edge lies within that of its edges, and would take rounding for an inside.
static inline double near_triangle(dvec p, dvec a, dvec b, dvec c)
{
    double best = near_segment(p, a, b);
    best = fmin(best, near_segment(p, b, c));
    best = fmin(best, near_segment(p, c, a));
    const dvec ab = d_sub(b, a), bc = d_sub(c, b), ca = d_sub(a, c), ap = d_sub(p, a), n = d_cross(ab, d_sub(c, a));
    const double ab2 = d_dot(ab, ab), bc2 = d_dot(bc, bc), ca2 = d_dot(ca, ca), longest = fmax(ab2, fmax(bc2, ca2));
    const double nn = d_dot(n, n), size = longest * longest;
    if (!(nn > 0x1p-80 * size)) return best;
    if (nn < 0x1p-12 * size) {
        if (longest == ab2) return fmin(best, near_needle(ab, d_sub(c, a), ap));
        if (longest == bc2) return fmin(best, near_needle(bc, d_sub(a, b), d_sub(p, b)));
        return fmin(best, near_needle(ca, d_sub(b, c), d_sub(p, c)));
    }
    if (d_dot(d_cross(ab, ap), n) < 0.0 || d_dot(d_cross(bc, d_sub(p, b)), n) < 0.0 ||
        d_dot(d_cross(ca, d_sub(p, c)), n) < 0.0) {
        return best;
    }
    const double height = d_dot(ap, n);
    return fmin(best, height * height / nn);
}

/// Squared distance of a point and the box |x_i| <= half_i.
static inline double near_box(dvec p, dvec half)
{
    const double x = fmax(fabs(p.x) - half.x, 0.0), y = fmax(fabs(p.y) - half.y, 0.0);
    const double z = fmax(fabs(p.z) - half.z, 0.0);
    return (x * x + y * y) + z * z;
}
