// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/overlap_internal.h"
#include "tact/geometry/overlap.h"

/// How far c is outside [lower, upper], 0 inside.
static float excess(float c, float lower, float upper)
{
    return c < lower ? lower - c : c > upper ? c - upper : 0.0f;
}

/// The box's bounds may be infinite.
static bool sphere_and_aabb(tact_sphere s, tact_aabb b)
{
    return b.lower.x <= b.upper.x && b.lower.y <= b.upper.y && b.lower.z <= b.upper.z && v_finite(s.center) &&
           s.radius >= 0.0f && isfinite(s.radius * s.radius);
}

bool tact_sphere_overlaps_aabb(tact_sphere s, tact_aabb b)
{
    if (!sphere_and_aabb(s, b)) return false;
    const float x = excess(s.center.x, b.lower.x, b.upper.x), y = excess(s.center.y, b.lower.y, b.upper.y);
    const float z = excess(s.center.z, b.lower.z, b.upper.z);
    return (x * x + y * y) + z * z <= s.radius * s.radius;
}

bool tact_sphere_overlaps_aabb_early(tact_sphere s, tact_aabb b)
{
    if (!sphere_and_aabb(s, b)) return false;
    // Squares are compared, not distances: that also agrees where they round, or underflow to 0.
    const float r2 = s.radius * s.radius;
    const float x = excess(s.center.x, b.lower.x, b.upper.x);
    if (x * x > r2) return false;
    const float y = excess(s.center.y, b.lower.y, b.upper.y);
    if (y * y > r2) return false;
    const float z = excess(s.center.z, b.lower.z, b.upper.z);
    return (x * x + y * y) + z * z <= r2;
}

/// (q - p) x (x - base) seen along an axis, with the exact sign.
static double across(dvec p, dvec q, dvec base, dvec x, int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double pi = d_at(p, i), pj = d_at(p, j), qi = d_at(q, i), qj = d_at(q, j);
    const double bi = d_at(base, i), bj = d_at(base, j), xi = d_at(x, i), xj = d_at(x, j);
    const double up = (qi - pi) * (xj - bj), down = (qj - pj) * (xi - bi);
    if (fabs(up - down) > 0x1p-50 * (fabs(up) + fabs(down))) return up - down;
    if (up == 0.0 && down == 0.0) return 0.0;
    const double term[8] = {qi * xj, -(qi * bj), -(pi * xj), pi * bj, -(qj * xi), qj * bi, pj * xi, -(pj * bi)};
    return exact_sum(term, 8);
}

/// The corner of a box that lies farthest along a direction, or against it.
static dvec corner(const dvec* box, dvec along)
{
    return d_make(box[along.x > 0.0].x, box[along.y > 0.0].y, box[along.z > 0.0].z);
}

static dvec opposite(dvec a)
{
    return d_make(-a.x, -a.y, -a.z);
}

/// Whether some line along the edge p q, seen along a coordinate axis, has the box on one side and the triangle with
/// third vertex r on the other.
static bool edge_separates(const dvec* box, dvec p, dvec q, dvec r, int axis)
{
    if (across(p, q, p, r, axis) < 0.0) {
        const dvec swap = p;
        p = q;
        q = swap;
    }
    const dvec f = d_sub(q, p);
    const dvec left = axis == 0 ? d_make(0.0, -f.z, f.y) : axis == 1 ? d_make(f.z, 0.0, -f.x) : d_make(-f.y, f.x, 0.0);
    return across(p, q, p, corner(box, left), axis) < 0.0 || across(p, q, r, corner(box, opposite(left)), axis) > 0.0;
}

static bool plane_separates(const dvec* box, const dvec* t)
{
    const dvec n =
        d_make(across(t[0], t[1], t[0], t[2], 0), across(t[0], t[1], t[0], t[2], 1), across(t[0], t[1], t[0], t[2], 2));
    if (n.x == 0.0 && n.y == 0.0 && n.z == 0.0) return false;
    return exact_side(t[0], t[1], t[2], corner(box, n)) < 0 ||
           exact_side(t[0], t[1], t[2], corner(box, opposite(n))) > 0;
}

static bool slabs_separate(tact_aabb b, const tact_triangle* t)
{
    return fmaxf(fmaxf(t->a.x, t->b.x), t->c.x) < b.lower.x || fminf(fminf(t->a.x, t->b.x), t->c.x) > b.upper.x ||
           fmaxf(fmaxf(t->a.y, t->b.y), t->c.y) < b.lower.y || fminf(fminf(t->a.y, t->b.y), t->c.y) > b.upper.y ||
           fmaxf(fmaxf(t->a.z, t->b.z), t->c.z) < b.lower.z || fminf(fminf(t->a.z, t->b.z), t->c.z) > b.upper.z;
}

bool tact_aabb_overlaps_triangle(tact_aabb b, const tact_triangle* t)
{
    if (!aabb_valid(b) || !t_finite(t) || slabs_separate(b, t)) return false;
    const dvec box[2] = {d_from(b.lower), d_from(b.upper)}, v[3] = {d_from(t->a), d_from(t->b), d_from(t->c)};
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 3; ++k) {
            if (edge_separates(box, v[k], v[(k + 1) % 3], v[(k + 2) % 3], axis)) return false;
        }
    }
    return !plane_separates(box, v);
}

/// Whether the direction separates a triangle from the box |x_i| <= half_i by more than rounding; size bounds the
/// coordinates and what they were computed from. Any direction is a valid one.
static bool direction_separates(const dvec* v, dvec half, dvec along, double size)
{
    const double a = d_dot(along, v[0]), b = d_dot(along, v[1]), c = d_dot(along, v[2]);
    const double slack = 0x1p-48 * size * (fabs(along.x) + fabs(along.y) + fabs(along.z));
    const double reach = half.x * fabs(along.x) + half.y * fabs(along.y) + half.z * fabs(along.z) + slack;
    return fmin(fmin(a, b), c) > reach || fmax(fmax(a, b), c) < -reach;
}

bool tact_obb_overlaps_triangle(const tact_obb* box, const tact_triangle* t)
{
    dbox b;
    if (!t_finite(t) || !dbox_from(box, &b)) return false;
    const dvec corners[3] = {d_from(t->a), d_from(t->b), d_from(t->c)};
    dvec v[3], axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const dvec half = d_scale(d_make(b.half[0], b.half[1], b.half[2]), fabs(b.det));
    double size = fmax(fmax(half.x, half.y), half.z);
    for (int k = 0; k < 3; ++k) {
        const dvec d = d_sub(corners[k], b.center);
        v[k] = d_make(d_dot(d, b.face[0]), d_dot(d, b.face[1]), d_dot(d, b.face[2]));
        for (int i = 0; i < 3; ++i)
            size = fmax(size, d_abs_dot(d, b.face[i]));
    }
    for (int i = 0; i < 3; ++i) {
        if (direction_separates(v, half, axis[i], size)) return false;
    }
    for (int k = 0; k < 3; ++k) {
        const dvec edge = d_sub(v[(k + 1) % 3], v[k]);
        for (int i = 0; i < 3; ++i) {
            if (direction_separates(v, half, d_cross(axis[i], edge), size)) return false;
        }
    }
    return !direction_separates(v, half, d_cross(d_sub(v[1], v[0]), d_sub(v[2], v[0])), size);
}

bool tact_sphere_overlaps_obb(tact_sphere s, const tact_obb* box)
{
    dbox b;
    if (!sphere_valid(s.center, s.radius) || !dbox_from(box, &b)) return false;
    const dvec d = d_sub(d_from(s.center), b.center), half = d_make(b.half[0], b.half[1], b.half[2]);
    const dvec p = d_make(d_dot(d, b.axis[0]), d_dot(d, b.axis[1]), d_dot(d, b.axis[2]));
    return near_box(p, half) <= (double)s.radius * (double)s.radius;
}

static double beyond(double x, double low, double high)
{
    return x < low ? x - low : x > high ? x - high : 0.0;
}

/// What a point is outside the box [low, high], along each axis.
static dvec out_of(dvec p, dvec low, dvec high)
{
    return d_make(beyond(p.x, low.x, high.x), beyond(p.y, low.y, high.y), beyond(p.z, low.z, high.z));
}

/// Squared distance of the segment from 0 to u and a box. The slope of the square along the segment never falls, and is
/// a straight line between the box's planes: narrow to one such piece, then solve.
static double segment_to_box(dvec u, dvec low, dvec high)
{
    double t0 = 0.0, t1 = 1.0;
    double s0 = d_dot(u, out_of(d_make(0.0, 0.0, 0.0), low, high)), s1 = d_dot(u, out_of(u, low, high));
    double t = s0 >= 0.0 ? 0.0 : 1.0;
    if (s0 < 0.0 && s1 > 0.0) {
        for (int k = 0; k < 6; ++k) {
            const double bend = d_at(k < 3 ? low : high, k % 3) / d_at(u, k % 3);
            if (!(bend > t0 && bend < t1)) continue;
            const double slope = d_dot(u, out_of(d_scale(u, bend), low, high));
            if (slope < 0.0) {
                t0 = bend;
                s0 = slope;
            } else {
                t1 = bend;
                s1 = slope;
            }
        }
        t = t0 + (t1 - t0) * (s0 / (s0 - s1));
    }
    const dvec off = out_of(d_scale(u, t), low, high);
    return d_dot(off, off);
}

bool tact_capsule_overlaps_aabb(const tact_capsule* c, tact_aabb box)
{
    if (!capsule_valid(c) || !aabb_valid(box)) return false;
    const dvec a = d_from(c->a), u = d_sub(d_from(c->b), a);
    const dvec low = d_sub(d_from(box.lower), a), high = d_sub(d_from(box.upper), a);
    const double square = segment_to_box(u, low, high), size = d_dot(low, low) + d_dot(high, high) + d_dot(u, u);
    // Where on the segment is rounded, so that a touch is found only with room for that.
    if (c->radius > 0.0f) return sqrt(square) <= (double)c->radius + 0x1p-48 * sqrt(size);
    if (square == 0.0) return true;
    if (square > 0x1p-90 * size) return false;
    const tact_triangle core = {c->a, c->b, c->b};
    return tact_aabb_overlaps_triangle(box, &core);
}

bool tact_capsule_overlaps_obb(const tact_capsule* c, const tact_obb* box)
{
    dbox b;
    if (!capsule_valid(c) || !dbox_from(box, &b)) return false;
    const dvec half = d_make(b.half[0], b.half[1], b.half[2]), u = d_sub(d_from(c->b), d_from(c->a));
    const dvec d = d_sub(d_from(c->a), b.center);
    const dvec p = d_make(d_dot(d, b.axis[0]), d_dot(d, b.axis[1]), d_dot(d, b.axis[2]));
    const dvec v = d_make(d_dot(u, b.axis[0]), d_dot(u, b.axis[1]), d_dot(u, b.axis[2]));
    const double slack = 0x1p-46 * (d_length(d) + d_length(u));
    return sqrt(segment_to_box(v, d_sub(opposite(half), p), d_sub(half, p))) <= (double)c->radius + slack;
}
