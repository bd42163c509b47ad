// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/lines.h"

#include "cpu_ref/geometry/exact.h"

static bool all_finite(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    return v2_finite(a) && v2_finite(b) && v2_finite(c) && v2_finite(d);
}

static bool same(tact_vec2 a, tact_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

/// The signs of two numbers are the same and neither is zero. No product: that could underflow.
static bool same_side(double x, double y)
{
    return (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
}

bool tact_segments_cross_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    if (!all_finite(a, b, c, d)) return false;
    const double abc = exact_area2(a, b, c), abd = exact_area2(a, b, d);
    if (same_side(abc, abd)) return false;
    const double cda = exact_area2(c, d, a), cdb = exact_area2(c, d, b);
    if (same_side(cda, cdb)) return false;
    if (abc == 0.0 && v2_between(c, a, b)) return true;
    if (abd == 0.0 && v2_between(d, a, b)) return true;
    if (cda == 0.0 && v2_between(a, c, d)) return true;
    if (cdb == 0.0 && v2_between(b, c, d)) return true;
    return abc != 0.0 && abd != 0.0 && cda != 0.0 && cdb != 0.0;
}

/// The parameter of a point on the line a b, by the longer coordinate.
static double parameter(tact_vec2 p, tact_vec2 a, tact_vec2 b)
{
    const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y;
    if (x == 0.0 && y == 0.0) return 0.0;
    return fabs(x) >= fabs(y) ? ((double)p.x - (double)a.x) / x : ((double)p.y - (double)a.y) / y;
}

static tact_vec2 point_at(tact_vec2 a, tact_vec2 b, double s)
{
    const double x = (double)a.x + s * ((double)b.x - (double)a.x);
    const double y = (double)a.y + s * ((double)b.y - (double)a.y);
    return (tact_vec2){(float)x, (float)y};
}

/// s and t of lines that are not parallel; the point is taken from the line where its parameter is the nearer to 0.
static tact_crossing2 cross_at(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d, double det)
{
    const double s = exact_cross2(a, c, c, d) / det, t = exact_cross2(a, c, a, b) / det;
    const tact_vec2 point = fabs(s) <= fabs(t) ? point_at(a, b, s) : point_at(c, d, t);
    return (tact_crossing2){TACT_CROSSING_POINT, (float)s, (float)t, point, point};
}

/// Segments on one line that share a point: the common piece, from the ends that lie in the other segment.
static tact_crossing2 common_piece(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    tact_vec2 first = a, last = a;
    bool any = false;
    const tact_vec2 ends[4] = {a, b, c, d};
    double low = 0.0, high = 0.0;
    const bool point = same(a, b);
    for (int i = 0; i < 4; ++i) {
        if (!(i < 2 ? v2_between(ends[i], c, d) : v2_between(ends[i], a, b))) continue;
        const double s = point ? 0.0 : parameter(ends[i], a, b);
        if (!any || s < low) {
            low = s;
            first = ends[i];
        }
        if (!any || s > high) {
            high = s;
            last = ends[i];
        }
        any = true;
    }
    const tact_crossing_kind kind = same(first, last) ? TACT_CROSSING_POINT : TACT_CROSSING_OVERLAP;
    return (tact_crossing2){kind, (float)low, (float)parameter(first, c, d), first, last};
}

/// Segments that cross, one end at least on the other: that end is the point, unrounded.
static tact_crossing2 touch(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d, double det)
{
    tact_crossing2 r = cross_at(a, b, c, d, det);
    const tact_vec2 ends[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i) {
        const bool on = i < 2 ? exact_area2(c, d, ends[i]) == 0.0 : exact_area2(a, b, ends[i]) == 0.0;
        if (on) r.point = r.end = ends[i];
    }
    return r;
}

tact_crossing2 tact_segment_segment_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    if (!tact_segments_cross_2d(a, b, c, d)) return (tact_crossing2){0};
    const double det = exact_cross2(a, b, c, d);
    tact_crossing2 r = det == 0.0 ? common_piece(a, b, c, d) : touch(a, b, c, d, det);
    r.s = fminf(fmaxf(r.s, 0.0f), 1.0f);
    r.t = fminf(fmaxf(r.t, 0.0f), 1.0f);
    return r;
}

tact_crossing2 tact_line_line_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    const tact_crossing2 none = {0};
    if (!all_finite(a, b, c, d) || same(a, b) || same(c, d)) return none;
    const double det = exact_cross2(a, b, c, d);
    if (det != 0.0) return cross_at(a, b, c, d, det);
    if (exact_area2(c, d, a) != 0.0) return none;
    return (tact_crossing2){TACT_CROSSING_OVERLAP, 0.0f, (float)parameter(a, c, d), a, a};
}

static bool plane_usable(tact_plane p)
{
    return v_finite(p.normal) && isfinite(p.distance) && d_length(d_from(p.normal)) > 0.0;
}

/// Each component is a difference of two exact products, so it is right to 2^-53 of itself and zero only when it is.
tact_plane_line tact_plane_plane(tact_plane p, tact_plane q)
{
    tact_plane_line r = {0};
    if (!plane_usable(p) || !plane_usable(q)) return r;
    const dvec n = d_from(p.normal), m = d_from(q.normal), along = d_cross(n, m);
    const double square = d_dot(along, along);
    if (!(square > 0.0)) return r;
    const double length = sqrt(square);
    const dvec mix = d_sub(d_scale(m, (double)p.distance), d_scale(n, (double)q.distance));
    const dvec unit = d_scale(along, 1.0 / length);
    r.found = true;
    r.sine = (float)(length / (d_length(n) * d_length(m)));
    r.direction = d_round(unit);
    r.point = d_round(d_scale(d_cross(mix, unit), 1.0 / length));
    return r;
}

tact_plane_point tact_plane_plane_plane(tact_plane p, tact_plane q, tact_plane r)
{
    tact_plane_point result = {0};
    if (!plane_usable(p) || !plane_usable(q) || !plane_usable(r)) return result;
    const tact_vec3 x = {p.normal.x, q.normal.x, r.normal.x};
    const tact_vec3 y = {p.normal.y, q.normal.y, r.normal.y};
    const tact_vec3 z = {p.normal.z, q.normal.z, r.normal.z};
    const tact_vec3 d = {p.distance, q.distance, r.distance};
    const double det = exact_det3(x, y, z);
    const double size = d_length(d_from(p.normal)) * d_length(d_from(q.normal)) * d_length(d_from(r.normal));
    result.volume = (float)(fabs(det) / size);
    if (det == 0.0) return result;
    const double px = exact_det3(d, y, z), py = exact_det3(x, d, z), pz = exact_det3(x, y, d);
    result.found = true;
    result.point = (tact_vec3){(float)(px / det), (float)(py / det), (float)(pz / det)};
    return result;
}
