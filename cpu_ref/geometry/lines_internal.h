// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Determinants of float coordinates whose sign is exact and whose value is good to 2^-30 of itself. A quick evaluation
/// is kept when it did not cancel; else the terms, which are exact as doubles, are summed as a nonoverlapping expansion
/// (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997). No input
/// of finite floats can overflow or underflow here: three factors lie between 1e-135 and 1e116.

#include "cpu_ref/geometry/vec.h"

#define EXACT_MOST_TERMS 48

/// A result above this share of its terms' sizes has not cancelled: what rounding leaves wrong is below 2^-30 of it.
#define EXACT_FILTER 0x1p-20

/// The exact sum's sign, and its value to a few units in the last place. At most EXACT_MOST_TERMS terms.
static inline double exact_sum(const double* terms, int count)
{
    double parts[EXACT_MOST_TERMS];
    for (int n = 0; n < count; ++n) {
        double carry = terms[n];
        for (int i = 0; i < n; ++i) {
            const double sum = carry + parts[i];
            const double back = sum - carry;
            parts[i] = (carry - (sum - back)) + (parts[i] - back);
            carry = sum;
        }
        parts[n] = carry;
    }
    double total = 0.0;
    for (int i = 0; i < count; ++i)
        total += parts[i];
    return total;
}

/// Two doubles whose sum is a b c exactly, for factors that are floats.
static inline void exact_triple(double* out, double a, double b, double c)
{
    const double product = a * b;
    const double big = product * 134217729.0;  // 2^27 + 1
    const double high = big - (big - product);
    out[0] = high * c;
    out[1] = (product - high) * c;
}

/// (b - a) x (d - c), positive when d - c lies counter-clockwise of b - a.
static inline double exact_cross2(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    const double ax = (double)a.x, ay = (double)a.y, bx = (double)b.x, by = (double)b.y;
    const double cx = (double)c.x, cy = (double)c.y, dx = (double)d.x, dy = (double)d.y;
    const double left = (bx - ax) * (dy - cy), right = (by - ay) * (dx - cx);
    const double quick = left - right;
    if (fabs(quick) > EXACT_FILTER * (fabs(left) + fabs(right))) return quick;
    if (left == 0.0 && right == 0.0) return 0.0;
    const double terms[8] = {bx * dy, -bx * cy, -ax * dy, ax * cy, -by * dx, by * cx, ay * dx, -ay * cx};
    return exact_sum(terms, 8);
}

/// Twice the signed area of a b c, positive when counter-clockwise.
static inline double exact_area2(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    return exact_cross2(a, b, a, c);
}

/// The determinant with the rows a, b, c.
static inline double exact_det3(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    const double m[3][3] = {{(double)a.x, (double)a.y, (double)a.z},
                            {(double)b.x, (double)b.y, (double)b.z},
                            {(double)c.x, (double)c.y, (double)c.z}};
    double quick = 0.0, size = 0.0, terms[12];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double up = m[1][j] * m[2][k], down = m[1][k] * m[2][j];
        quick += m[0][i] * (up - down);
        size += fabs(m[0][i]) * (fabs(up) + fabs(down));
        exact_triple(terms + 4 * i, m[1][j], m[2][k], m[0][i]);
        exact_triple(terms + 4 * i + 2, -m[1][k], m[2][j], m[0][i]);
    }
    return fabs(quick) > EXACT_FILTER * size ? quick : exact_sum(terms, 12);
}

/// The determinant with the rows b - a, c - a, d - a: six times the signed volume of the tetrahedron, positive when d
/// lies on the side to which the normal of a b c points.
static inline double exact_volume6(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    const dvec o = d_from(a), u = d_sub(d_from(b), o), v = d_sub(d_from(c), o), w = d_sub(d_from(d), o);
    const double quick = d_dot(d_cross(u, v), w);
    const double size = fabs(w.x) * (fabs(u.y * v.z) + fabs(u.z * v.y)) +
                        fabs(w.y) * (fabs(u.z * v.x) + fabs(u.x * v.z)) +
                        fabs(w.z) * (fabs(u.x * v.y) + fabs(u.y * v.x));
    if (fabs(quick) > EXACT_FILTER * size) return quick;
    if (size == 0.0) return 0.0;
    // |b c d| - |a c d| + |a b d| - |a b c|
    const tact_vec3* rows[4][3] = {{&b, &c, &d}, {&a, &d, &c}, {&a, &b, &d}, {&a, &c, &b}};
    double terms[48];
    for (int r = 0; r < 4; ++r) {
        const dvec p = d_from(*rows[r][0]), q = d_from(*rows[r][1]), s = d_from(*rows[r][2]);
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            exact_triple(terms + 12 * r + 4 * i, d_at(q, j), d_at(s, k), d_at(p, i));
            exact_triple(terms + 12 * r + 4 * i + 2, -d_at(q, k), d_at(s, j), d_at(p, i));
        }
    }
    return exact_sum(terms, 48);
}

static inline bool v2_finite(tact_vec2 a)
{
    return isfinite(a.x) && isfinite(a.y);
}
