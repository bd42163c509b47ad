// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sums whose sign is right to the last bit, and the orientation predicates made of them, for the insides of the
/// geometry functions. (tact/geometry/predicates.h has them for everyone, and in-circle tests, by integers.)
/// Coordinates are floats held in doubles, so a product of two of them is exact and no product of three overflows or
/// loses bits to underflow.

#include "cpu_ref/geometry/vec.h"

enum { EXACT_TERMS = 48 };

/// a + b and what its rounding lost (Knuth's two-sum).
static inline double d_two_sum(double a, double b, double* lost)
{
    const double sum = a + b, of_b = sum - a;
    *lost = (a - (sum - of_b)) + (b - of_b);
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
            rest = d_two_sum(rest, part[i], &error);
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
    // Neighbours in a mesh have points in common.
    if (d_same(a, b) || d_same(a, c) || d_same(a, d) || d_same(b, c) || d_same(b, d) || d_same(c, d)) return 0.0;
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

/// A plain result above this share of its terms' sizes has not cancelled: its value is good to 2^-30 of itself.
#define EXACT_UNCANCELLED 0x1p-20

/// (b - a) x (d - c), positive when d - c lies counter-clockwise of b - a. The sign is exact, the value good to 2^-30.
static inline double exact_cross2(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    const double ax = (double)a.x, ay = (double)a.y, bx = (double)b.x, by = (double)b.y;
    const double cx = (double)c.x, cy = (double)c.y, dx = (double)d.x, dy = (double)d.y;
    const double left = (bx - ax) * (dy - cy), right = (by - ay) * (dx - cx);
    const double plain = left - right;
    if (fabs(plain) > EXACT_UNCANCELLED * (fabs(left) + fabs(right))) return plain;
    if (left == 0.0 && right == 0.0) return 0.0;
    const double term[8] = {bx * dy, -bx * cy, -ax * dy, ax * cy, -by * dx, by * cx, ay * dx, -ay * cx};
    return exact_sum(term, 8);
}

/// Twice the signed area of a b c, positive when counter-clockwise; as exact_cross2.
static inline double exact_area2(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    return exact_cross2(a, b, a, c);
}

/// The determinant with the rows a, b, c; as exact_cross2.
static inline double exact_det3(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    const dvec p = d_from(a), q = d_from(b), r = d_from(c);
    double plain = 0.0, size = 0.0, term[12];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double up = d_at(q, i) * d_at(r, j), down = d_at(q, j) * d_at(r, i);
        plain += d_at(p, k) * (up - down);
        size += fabs(d_at(p, k)) * (fabs(up) + fabs(down));
    }
    if (fabs(plain) > EXACT_UNCANCELLED * size) return plain;
    exact_triple(p, q, r, 1.0, term);
    return exact_sum(term, 12);
}

/// Six times the signed volume of the tetrahedron, positive when d lies on the side to which the normal of a b c
/// points; as exact_cross2.
static inline double exact_volume6(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    return exact_volume(d_from(a), d_from(b), d_from(c), d_from(d), 0x1p29);
}
