// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/distance.h"

#include "cpu_ref/geometry/closest_point_internal.h"
#include "cpu_ref/geometry/exact.h"
#include "tact/geometry/lines.h"
#include "tact/geometry/triangle_triangle.h"

/// One point of each shape. `square` is their squared distance.
typedef struct near_pair {
    near_point a, b;
    double square;
} near_pair;

/// Squares below this share of a coordinate's square may be rounding's: then sharing a point is decided exactly.
#define NEAR_TOUCH 0x1p-80

static const tact_closest_pair nowhere = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, INFINITY,
                                          INFINITY,        {NAN, NAN, NAN}, {NAN, NAN, NAN}};

static tact_closest_pair answer(const near_pair* n)
{
    tact_closest_pair r = {
        d_round(n->a.point), d_round(n->b.point), (float)sqrt(n->square), (float)n->square, {0}, {0}};
    for (int i = 0; i < 3; ++i) {
        r.weight_a[i] = (float)n->a.weight[i];
        r.weight_b[i] = (float)n->b.weight[i];
    }
    return r;
}

/// They share a point: b's, which is a's but for rounding. A box's point lies in the box.
static tact_closest_pair answer_touching(const near_pair* n)
{
    tact_closest_pair r = answer(n);
    r.a = r.b;
    r.distance = r.squared = 0.0f;
    return r;
}

static void offer(near_pair* best, near_point a, near_point b)
{
    const double square = near_square(a.point, b.point);
    if (square < best->square) *best = (near_pair){a, b, square};
}

static near_pair no_pair(void)
{
    near_pair n = {0};
    n.square = HUGE_VAL;
    return n;
}

static near_point corner_point(dvec p, int which)
{
    near_point n = {p, 0.0, {0.0, 0.0, 0.0}};
    n.weight[which] = 1.0;
    return n;
}

static double larger(double size, tact_vec3 v)
{
    return fmax(size, fmax(fabs((double)v.x), fmax(fabs((double)v.y), fabs((double)v.z))));
}

// ---- Lines and segments ----

static bool segment_finite(tact_segment s)
{
    return v_finite(s.a) && v_finite(s.b);
}

/// The cross product of the directions, each component right to 2^-30 of itself and zero only when it is.
static dvec cross_of(tact_segment a, tact_segment b)
{
    const tact_vec3 p = a.a, q = a.b, r = b.a, s = b.b;
    return d_make(
        exact_cross2((tact_vec2){p.y, p.z}, (tact_vec2){q.y, q.z}, (tact_vec2){r.y, r.z}, (tact_vec2){s.y, s.z}),
        exact_cross2((tact_vec2){p.z, p.x}, (tact_vec2){q.z, q.x}, (tact_vec2){r.z, r.x}, (tact_vec2){s.z, s.x}),
        exact_cross2((tact_vec2){p.x, p.y}, (tact_vec2){q.x, q.y}, (tact_vec2){r.x, r.y}, (tact_vec2){s.x, s.y}));
}

static near_point on_line(dvec p, dvec a, dvec b)
{
    const dvec ab = d_sub(b, a);
    const double whole = d_dot(ab, ab), t = whole > 0.0 ? d_dot(d_sub(p, a), ab) / whole : 0.0;
    return (near_point){d_along(a, t, ab), 0.0, {1.0 - t, t, 0.0}};
}

/// Where the first line passes the second; n is the cross product of their directions.
static double passing(dvec a, dvec c, dvec d, dvec n)
{
    return d_dot(d_cross(d_sub(c, a), d_sub(d, c)), n) / d_dot(n, n);
}

tact_closest_pair tact_closest_line_line(tact_segment a, tact_segment b)
{
    if (!segment_finite(a) || !segment_finite(b)) return nowhere;
    const dvec p = d_from(a.a), q = d_from(a.b), r = d_from(b.a), s = d_from(b.b);
    const dvec n = cross_of(a, b), along = d_sub(q, p);
    const double size = d_length(n);
    near_pair best;
    best.a = corner_point(p, 0);
    if (size > 0.0) {
        const double t = passing(p, r, s, n);
        best.a = (near_point){d_along(p, t, along), 0.0, {1.0 - t, t, 0.0}};
    }
    best.b = on_line(best.a.point, r, s);
    if (!(size > 0.0) && r.x == s.x && r.y == s.y && r.z == s.z) best.a = on_line(r, p, q);
    const double gap = size > 0.0 ? exact_volume6(a.a, a.b, b.a, b.b) / size : 0.0;
    best.square = size > 0.0 ? gap * gap : near_square(best.a.point, best.b.point);
    return answer(&best);
}

static near_pair near_segments(dvec p, dvec q, dvec r, dvec s)
{
    near_pair best = no_pair();
    offer(&best, corner_point(p, 0), near_segment(p, r, s));
    offer(&best, corner_point(q, 1), near_segment(q, r, s));
    offer(&best, near_segment(r, p, q), corner_point(r, 0));
    offer(&best, near_segment(s, p, q), corner_point(s, 1));
    const dvec along = d_sub(q, p), n = d_cross(along, d_sub(s, r));
    const double t = passing(p, r, s, n);
    if (!(t > 0.0 && t < 1.0)) return best;
    // Each step to the other segment can only come nearer, and mends what a small angle did to t.
    const near_point b = near_segment(d_along(p, t, along), r, s);
    offer(&best, near_segment(b.point, p, q), b);
    return best;
}

/// In one plane, and crossing in all three views: in those that the plane is not on edge in, that means they cross.
static bool segments_touch(tact_segment a, tact_segment b)
{
    const tact_vec3 p = a.a, q = a.b, r = b.a, s = b.b;
    if (exact_volume6(p, q, r, s) != 0.0) return false;
    return tact_segments_cross_2d((tact_vec2){p.x, p.y}, (tact_vec2){q.x, q.y}, (tact_vec2){r.x, r.y},
                                  (tact_vec2){s.x, s.y}) &&
           tact_segments_cross_2d((tact_vec2){p.y, p.z}, (tact_vec2){q.y, q.z}, (tact_vec2){r.y, r.z},
                                  (tact_vec2){s.y, s.z}) &&
           tact_segments_cross_2d((tact_vec2){p.z, p.x}, (tact_vec2){q.z, q.x}, (tact_vec2){r.z, r.x},
                                  (tact_vec2){s.z, s.x});
}

tact_closest_pair tact_closest_segment_segment(tact_segment a, tact_segment b)
{
    if (!segment_finite(a) || !segment_finite(b)) return nowhere;
    const near_pair best = near_segments(d_from(a.a), d_from(a.b), d_from(b.a), d_from(b.b));
    const double size = larger(larger(larger(larger(0.0, a.a), a.b), b.a), b.b);
    if (best.square <= NEAR_TOUCH * size * size && segments_touch(a, b)) return answer_touching(&best);
    return answer(&best);
}

// ---- Triangles ----

static bool triangle_finite(const tact_triangle* t)
{
    return v_finite(t->a) && v_finite(t->b) && v_finite(t->c);
}

/// The segment's ends against the triangle, the segment against its edges if asked to, and where it passes the plane.
static near_pair near_segment_triangle(tact_vec3 from, tact_vec3 to, const tact_triangle* b, bool edges)
{
    const dvec p = d_from(from), q = d_from(to), t[3] = {d_from(b->a), d_from(b->b), d_from(b->c)};
    near_pair best = no_pair();
    offer(&best, corner_point(p, 0), near_triangle(p, t[0], t[1], t[2]));
    offer(&best, corner_point(q, 1), near_triangle(q, t[0], t[1], t[2]));
    for (int i = 0; edges && i < 3; ++i) {
        const int j = (i + 1) % 3;
        const near_pair e = near_segments(p, q, t[i], t[j]);
        near_point on = {e.b.point, 0.0, {0.0, 0.0, 0.0}};
        on.weight[i] = e.b.weight[0];
        on.weight[j] = e.b.weight[1];
        offer(&best, e.a, on);
    }
    const double over = exact_volume6(b->a, b->b, b->c, from), under = exact_volume6(b->a, b->b, b->c, to);
    const double s = over / (over - under);
    if (!(s > 0.0 && s < 1.0)) return best;
    const near_point x = {d_along(p, s, d_sub(q, p)), 0.0, {1.0 - s, s, 0.0}};
    offer(&best, x, near_triangle(x.point, t[0], t[1], t[2]));
    return best;
}

tact_closest_pair tact_closest_segment_triangle(tact_segment a, const tact_triangle* b)
{
    if (!segment_finite(a) || !triangle_finite(b)) return nowhere;
    const tact_triangle thin = {a.a, a.b, a.b};
    const near_pair best = near_segment_triangle(a.a, a.b, b, true);
    return tact_triangle_overlaps_triangle(&thin, b) ? answer_touching(&best) : answer(&best);
}

static near_pair swapped(const near_pair* n)
{
    return (near_pair){n->b, n->a, n->square};
}

/// The edges of a against b, which covers the corners of a.
static near_pair near_triangles(const tact_triangle* a, const tact_triangle* b, bool edges)
{
    const tact_vec3 corners[3] = {a->a, a->b, a->c};
    near_pair best = no_pair();
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const near_pair e = near_segment_triangle(corners[i], corners[j], b, edges);
        near_point on = {e.a.point, 0.0, {0.0, 0.0, 0.0}};
        on.weight[i] = e.a.weight[0];
        on.weight[j] = e.a.weight[1];
        offer(&best, on, e.b);
    }
    return best;
}

tact_closest_pair tact_closest_triangle_triangle(const tact_triangle* a, const tact_triangle* b)
{
    if (!triangle_finite(a) || !triangle_finite(b)) return nowhere;
    const near_pair there = near_triangles(a, b, true), reverse = near_triangles(b, a, false), back = swapped(&reverse);
    const near_pair* best = there.square <= back.square ? &there : &back;
    return tact_triangle_overlaps_triangle(a, b) ? answer_touching(best) : answer(best);
}

// ---- Boxes ----

static bool box_usable(const tact_aabb* b)
{
    const dvec low = d_from(b->lower), high = d_from(b->upper);
    return d_finite(low) && d_finite(high) && low.x <= high.x && low.y <= high.y && low.z <= high.z;
}

static dvec clamped(dvec p, dvec low, dvec high)
{
    return d_make(d_clamp(p.x, low.x, high.x), d_clamp(p.y, low.y, high.y), d_clamp(p.z, low.z, high.z));
}

/// Half the derivative of the squared distance to the box, along the line.
static double slope(dvec p, dvec d, double t, dvec low, dvec high)
{
    const dvec x = d_along(p, t, d);
    return d_dot(d_sub(x, clamped(x, low, high)), d);
}

/// The parameters in (0, 1) where the line enters or leaves a slab, in order; then 1. Returns their number.
static int bends(dvec p, dvec d, dvec low, dvec high, double out[7])
{
    int count = 0;
    for (int i = 0; i < 6; ++i) {
        const double along = d_at(d, i / 2),
                     t = ((i % 2 ? d_at(high, i / 2) : d_at(low, i / 2)) - d_at(p, i / 2)) / along;
        if (!(t > 0.0 && t < 1.0)) continue;
        int at = count++;
        for (; at > 0 && out[at - 1] > t; --at)
            out[at] = out[at - 1];
        out[at] = t;
    }
    out[count++] = 1.0;
    return count;
}

/// Where on the segment p, p + d the squared distance to the box is least.
static double nearest_parameter(dvec p, dvec d, dvec low, dvec high)
{
    double t[7], from = 0.0, before = slope(p, d, 0.0, low, high);
    if (before >= 0.0) return 0.0;
    const int count = bends(p, d, low, high, t);
    for (int i = 0; i < count; ++i) {
        const double after = slope(p, d, t[i], low, high);
        if (after >= 0.0) return from + (t[i] - from) * (before / (before - after));
        from = t[i];
        before = after;
    }
    return 1.0;
}

/// All four corners strictly on one side of the line a b.
static bool beside(tact_vec2 a, tact_vec2 b, tact_vec2 low, tact_vec2 high)
{
    const double s[4] = {exact_area2(a, b, low), exact_area2(a, b, (tact_vec2){high.x, low.y}),
                         exact_area2(a, b, (tact_vec2){low.x, high.y}), exact_area2(a, b, high)};
    return (s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0 && s[3] > 0.0) ||
           (s[0] < 0.0 && s[1] < 0.0 && s[2] < 0.0 && s[3] < 0.0);
}

/// By separating axes: those of the box, and their cross products with the segment, which are lines in the three views.
static bool segment_touches_box(tact_segment s, const tact_aabb* b)
{
    const tact_vec3 p = s.a, q = s.b, l = b->lower, h = b->upper;
    if (fmaxf(p.x, q.x) < l.x || fminf(p.x, q.x) > h.x || fmaxf(p.y, q.y) < l.y || fminf(p.y, q.y) > h.y ||
        fmaxf(p.z, q.z) < l.z || fminf(p.z, q.z) > h.z)
        return false;
    return !beside((tact_vec2){p.x, p.y}, (tact_vec2){q.x, q.y}, (tact_vec2){l.x, l.y}, (tact_vec2){h.x, h.y}) &&
           !beside((tact_vec2){p.y, p.z}, (tact_vec2){q.y, q.z}, (tact_vec2){l.y, l.z}, (tact_vec2){h.y, h.z}) &&
           !beside((tact_vec2){p.z, p.x}, (tact_vec2){q.z, q.x}, (tact_vec2){l.z, l.x}, (tact_vec2){h.z, h.x});
}

tact_closest_pair tact_closest_segment_aabb(tact_segment a, const tact_aabb* b)
{
    if (!segment_finite(a) || !box_usable(b)) return nowhere;
    const dvec p = d_from(a.a), d = d_sub(d_from(a.b), p), low = d_from(b->lower), high = d_from(b->upper);
    const double t = nearest_parameter(p, d, low, high);
    const dvec x = t < 1.0 ? d_along(p, t, d) : d_from(a.b);
    const dvec y = clamped(x, low, high);
    const near_pair best = {{x, 0.0, {1.0 - t, t, 0.0}}, {y, 0.0, {0.0, 0.0, 0.0}}, near_square(x, y)};
    const double size = larger(larger(larger(larger(0.0, a.a), a.b), b->lower), b->upper);
    if (best.square <= NEAR_TOUCH * size * size && segment_touches_box(a, b)) return answer_touching(&best);
    return answer(&best);
}

/// The nearest coordinates of two intervals.
static void near_intervals(float low_a, float high_a, float low_b, float high_b, float* a, float* b)
{
    const float common = low_a > low_b ? low_a : low_b;
    *a = high_a < common ? high_a : common;
    *b = high_b < common ? high_b : common;
}

tact_closest_pair tact_closest_aabb_aabb(const tact_aabb* a, const tact_aabb* b)
{
    if (!box_usable(a) || !box_usable(b)) return nowhere;
    tact_vec3 p, q;
    near_intervals(a->lower.x, a->upper.x, b->lower.x, b->upper.x, &p.x, &q.x);
    near_intervals(a->lower.y, a->upper.y, b->lower.y, b->upper.y, &p.y, &q.y);
    near_intervals(a->lower.z, a->upper.z, b->lower.z, b->upper.z, &p.z, &q.z);
    const near_pair best = {{d_from(p), 0.0, {0}}, {d_from(q), 0.0, {0}}, near_square(d_from(p), d_from(q))};
    return answer(&best);
}
