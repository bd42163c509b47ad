// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Closest points in 113-bit arithmetic: the least over all features (corners, insides of edges, faces) of the distance
// to the feature's own line or plane, where the foot lies on it. No regions, no case is decided by another.

#include "tests/geometry/wide.h"

static inline wide w_apart(wide3 a, wide3 b)
{
    const wide3 d = w_sub(a, b);
    return w_dot(d, d);
}

static inline wide w_least(wide a, wide b)
{
    return a < b ? a : b;
}

static inline wide w_point_segment(wide3 p, wide3 a, wide3 b)
{
    wide best = w_least(w_apart(p, a), w_apart(p, b));
    const wide3 d = w_sub(b, a);
    const wide whole = w_dot(d, d);
    if (whole == 0) return best;
    const wide t = w_dot(w_sub(p, a), d) / whole;
    if (t > 0 && t < 1) best = w_least(best, w_apart(p, w_along(a, t, d)));
    return best;
}

/// The face's foot solves the 2 x 2 normal equations.
static inline wide w_point_triangle(wide3 p, const wide3* t)
{
    wide best = (wide)HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        best = w_least(best, w_point_segment(p, t[i], t[(i + 1) % 3]));
    const wide3 u = w_sub(t[1], t[0]), v = w_sub(t[2], t[0]), d = w_sub(p, t[0]);
    const wide uu = w_dot(u, u), uv = w_dot(u, v), vv = w_dot(v, v), det = uu * vv - uv * uv;
    if (det <= 0) return best;
    const wide s = (w_dot(d, u) * vv - w_dot(d, v) * uv) / det, r = (w_dot(d, v) * uu - w_dot(d, u) * uv) / det;
    if (s >= 0 && r >= 0 && s + r <= 1)
        best = w_least(best, w_apart(d, w_along((wide3){s * u.x, s * u.y, s * u.z}, r, v)));
    return best;
}

static inline wide w_segment_segment(wide3 a, wide3 b, wide3 c, wide3 d)
{
    wide best = w_least(w_least(w_point_segment(a, c, d), w_point_segment(b, c, d)),
                        w_least(w_point_segment(c, a, b), w_point_segment(d, a, b)));
    const wide3 u = w_sub(b, a), v = w_sub(d, c), r = w_sub(c, a);
    const wide uu = w_dot(u, u), uv = w_dot(u, v), vv = w_dot(v, v), det = uu * vv - uv * uv;
    if (det <= 0) return best;
    const wide s = (w_dot(r, u) * vv - w_dot(r, v) * uv) / det, t = (w_dot(r, u) * uv - w_dot(r, v) * uu) / det;
    if (s > 0 && s < 1 && t > 0 && t < 1) best = w_least(best, w_apart(w_along(a, s, u), w_along(c, t, v)));
    return best;
}

/// The volume's sign: on which side of a b c is d?
static inline wide w_volume(wide3 a, wide3 b, wide3 c, wide3 d)
{
    return w_dot(w_cross(w_sub(b, a), w_sub(c, a)), w_sub(d, a));
}

static inline double w_root(wide square)
{
    return sqrt((double)square);
}
