// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Closest points of segments and triangles in double precision: what the distances between two shapes are made of.

#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/closest_point.h"

/// `square` is the squared distance. The weights say where the point is: of a, b, c.
typedef struct near_point {
    dvec point;
    double square;
    double weight[3];
} near_point;

static inline double near_square(dvec p, dvec q)
{
    const dvec d = d_sub(p, q);
    return d_dot(d, d);
}

/// Also for a == b. The division happens only where its result lies within (0, 1).
static inline near_point near_segment(dvec p, dvec a, dvec b)
{
    const dvec ab = d_sub(b, a);
    const double along = d_dot(d_sub(p, a), ab), whole = d_dot(ab, ab);
    if (!(along > 0.0)) return (near_point){a, near_square(p, a), {1.0, 0.0, 0.0}};
    if (along >= whole) return (near_point){b, near_square(p, b), {0.0, 1.0, 0.0}};
    const double t = along / whole;
    const dvec q = d_along(a, t, ab);
    return (near_point){q, near_square(p, q), {1.0 - t, t, 0.0}};
}

/// The weights of p's projection on the plane of a b c, times the returned normal's square. False for a flat triangle.
static inline bool near_weights(dvec p, dvec a, dvec b, dvec c, dvec* normal, double* weight)
{
    const dvec n = d_cross(d_sub(b, a), d_sub(c, a));
    weight[0] = d_dot(n, d_cross(d_sub(c, b), d_sub(p, b)));
    weight[1] = d_dot(n, d_cross(d_sub(a, c), d_sub(p, c)));
    weight[2] = d_dot(n, d_cross(d_sub(b, a), d_sub(p, a)));
    *normal = n;
    return d_dot(n, n) > 0.0;
}

/// The best point of the edges of a b c named in the mask: bit i is the edge that a corner i faces.
static inline near_point near_edges(dvec p, dvec a, dvec b, dvec c, unsigned mask)
{
    near_point best = {a, HUGE_VAL, {1.0, 0.0, 0.0}};
    const dvec corner[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
        if (!(mask >> i & 1u)) continue;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const near_point e = near_segment(p, corner[j], corner[k]);
        if (!(e.square < best.square)) continue;
        best = (near_point){e.point, e.square, {0.0, 0.0, 0.0}};
        best.weight[j] = e.weight[0];
        best.weight[k] = e.weight[1];
    }
    return best;
}

/// The plane's point when p projects inside; else the best of the edges that p projects outside of, which are all that
/// can hold it: so an obtuse corner is no trap. Where the angle at a is so small that the normal may be rounding, the
/// edges have their say too; they are within 2^-26 of the whole of such a needle, and all of a flat triangle.
static inline near_point near_triangle(dvec p, dvec a, dvec b, dvec c)
{
    dvec n;
    double w[3];
    const dvec ab = d_sub(b, a), ac = d_sub(c, a);
    const bool solid = near_weights(p, a, b, c, &n, w);
    const bool needle = d_dot(n, n) <= 0x1p-52 * d_dot(ab, ab) * d_dot(ac, ac);
    const unsigned outside = (unsigned)!(w[0] > 0.0) | (unsigned)!(w[1] > 0.0) << 1 | (unsigned)!(w[2] > 0.0) << 2;
    const near_point edge = near_edges(p, a, b, c, needle ? 7u : outside);
    if (!solid || outside) return edge;
    const double all = (w[0] + w[1]) + w[2];
    const dvec q = d_along(d_along(a, w[1] / all, ab), w[2] / all, ac);
    const near_point face = {q, near_square(p, q), {w[0] / all, w[1] / all, w[2] / all}};
    return edge.square < face.square ? edge : face;
}

/// What there is no closest point of.
static const tact_closest near_nowhere = {{NAN, NAN, NAN}, INFINITY, INFINITY, NAN, NAN, NAN};

static inline tact_closest near_answer(dvec point, double square, double u, double v, double w)
{
    return (tact_closest){d_round(point), (float)sqrt(square), (float)square, (float)u, (float)v, (float)w};
}

/// From p towards `core` until `radius` from it, when p is not nearer.
static inline tact_closest near_shell(dvec p, const near_point* core, double radius)
{
    if (core->square <= radius * radius) return near_answer(p, 0.0, core->weight[0], core->weight[1], 0.0);
    const double away = sqrt(core->square);
    const double gap = away > radius ? away - radius : 0.0;
    const dvec r = d_along(core->point, radius / away, d_sub(p, core->point));
    return near_answer(r, gap * gap, core->weight[0], core->weight[1], 0.0);
}
