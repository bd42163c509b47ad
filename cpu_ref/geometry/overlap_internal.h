// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sums whose sign is right to the last bit, the orientation predicates made of them, and distances in double
/// precision. Coordinates are floats held in doubles, so a product of two of them is exact and no product of three
/// overflows or loses bits to underflow.

#include "cpu_ref/geometry/vec.h"

enum { EXACT_TERMS = 48 };

/// sum + error = a + b exactly (Knuth's two-sum).
static inline double exact_add(double a, double b, double* error)
{
    const double sum = a + b;
    const double part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

/// product + error = a * b exactly, by splitting both factors in halves (Dekker). No factor may exceed 2^900.
static inline double exact_multiply(double a, double b, double* error)
{
    const double product = a * b;
    const double wide_a = 134217729.0 * a, wide_b = 134217729.0 * b;
    const double high_a = wide_a - (wide_a - a), high_b = wide_b - (wide_b - b);
    const double low_a = a - high_a, low_b = b - high_b;
    *error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b);
    return product;
}

/// The sum of at most EXACT_TERMS terms, kept as an expansion of parts that do not overlap (J. R. Shewchuk, Adaptive
/// Precision Floating-Point Arithmetic, 1997, section 2). The sign is exact, the value good to a few units of its last
/// place.
static inline double exact_sum(const double* term, int count)
{
    double part[EXACT_TERMS];
    int parts = 0;
    for (int k = 0; k < count; ++k) {
        double rest = term[k];
        int kept = 0;
        for (int i = 0; i < parts; ++i) {
            double error;
            rest = exact_add(rest, part[i], &error);
            if (error != 0.0) part[kept++] = error;
        }
        if (rest != 0.0) part[kept++] = rest;
        parts = kept;
    }
    double sum = 0.0;
    for (int i = 0; i < parts; ++i)
        sum += part[i];
    return sum;
}

/// A sum with the exact sign: the plain sum when it exceeds what rounding can have done, else the exact one.
static inline double exact_sign(const double* term, int count)
{
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < count; ++k) {
        sum += term[k];
        size += fabs(term[k]);
    }
    if (fabs(sum) > (double)count * 0x1p-52 * size) return sum;
    return exact_sum(term, count);
}

/// n . p - d with the exact sign.
static inline double exact_height(dvec n, double d, dvec p)
{
    const double term[4] = {n.x * p.x, n.y * p.y, n.z * p.z, -d};
    return exact_sign(term, 4);
}

/// Twice the signed area of a, b, c seen along an axis: positive when counter-clockwise in the plane of the next two
/// axes. The sign is exact.
static inline double exact_area(dvec a, dvec b, dvec c, int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double ai = d_at(a, i), aj = d_at(a, j), bi = d_at(b, i), bj = d_at(b, j), ci = d_at(c, i), cj = d_at(c, j);
    const double term[6] = {bi * cj, -(bi * aj), -(ai * cj), -(bj * ci), bj * ai, aj * ci};
    return exact_sign(term, 6);
}

/// Appends sign p . (q x r), twelve terms.
static inline void exact_triple(dvec p, dvec q, dvec r, double sign, double* term)
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double scaled = sign * d_at(p, k);
        term[4 * k + 0] = exact_multiply(d_at(q, i) * d_at(r, j), scaled, &term[4 * k + 1]);
        term[4 * k + 2] = exact_multiply(-(d_at(q, j) * d_at(r, i)), scaled, &term[4 * k + 3]);
    }
}

/// (d - a) . ((b - a) x (c - a)): positive when d is on the side of a, b, c from which they turn counter-clockwise.
/// The sign is exact. `trust` times the rounding error is what the plain value must exceed to be returned as it is:
/// with 1 the sign is right, with 2^26 the value is good to a float's precision as well.
static inline double exact_volume(dvec a, dvec b, dvec c, dvec d, double trust)
{
    const dvec u = d_sub(b, a), v = d_sub(c, a), w = d_sub(d, a);
    const double xy = u.x * v.y, yx = u.y * v.x, yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z;
    const double plain = (w.x * (yz - zy) + w.y * (zx - xz)) + w.z * (xy - yx);
    const double size =
        (fabs(w.x) * (fabs(yz) + fabs(zy)) + fabs(w.y) * (fabs(zx) + fabs(xz))) + fabs(w.z) * (fabs(xy) + fabs(yx));
    if (fabs(plain) > trust * 0x1p-49 * size) return plain;
    double term[EXACT_TERMS];
    exact_triple(b, c, d, 1.0, term);
    exact_triple(a, c, d, -1.0, term + 12);
    exact_triple(a, b, d, 1.0, term + 24);
    exact_triple(a, b, c, -1.0, term + 36);
    return exact_sum(term, EXACT_TERMS);
}

static inline int exact_side(dvec a, dvec b, dvec c, dvec d)
{
    const double volume = exact_volume(a, b, c, d, 1.0);
    return (volume > 0.0) - (volume < 0.0);
}

static inline bool t_finite(const tact_triangle* t)
{
    return v_finite(t->a) && v_finite(t->b) && v_finite(t->c);
}

static inline bool aabb_valid(tact_aabb b)
{
    return v_finite(b.lower) && v_finite(b.upper) && b.lower.x <= b.upper.x && b.lower.y <= b.upper.y &&
           b.lower.z <= b.upper.z;
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
