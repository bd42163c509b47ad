// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/overlap_internal.h"
#include "tact/geometry/convex.h"
#include "tact/geometry/overlap.h"
#include "tact/geometry/triangle_triangle.h"

enum { POLYGON_MOST = 32 };

/// A convex polygon: a triangle or rectangle after at most six cuts. Each adds a vertex, or half as many again where
/// rounding has left a flat one crooked.
typedef struct polygon {
    int count;
    dvec p[POLYGON_MOST];
} polygon;

/// The largest of the squared distances from p, for tolerances.
static double reach_of(dvec p, const tact_triangle* t)
{
    const dvec a = d_sub(d_from(t->a), p), b = d_sub(d_from(t->b), p), c = d_sub(d_from(t->c), p);
    return fmax(fmax(d_dot(a, a), d_dot(b, b)), d_dot(c, c));
}

bool tact_sphere_overlaps_triangle(tact_sphere s, const tact_triangle* t)
{
    if (!sphere_valid(s.center, s.radius) || !t_finite(t)) return false;
    const dvec p = d_from(s.center);
    const double square = near_triangle(p, d_from(t->a), d_from(t->b), d_from(t->c));
    if (square <= (double)s.radius * (double)s.radius) return true;
    // Within rounding of the centre: only then can a very small sphere touch after all.
    if (square > 0x1p-90 * reach_of(p, t)) return false;
    const tact_triangle dot = {s.center, s.center, s.center};
    return tact_triangle_overlaps_triangle(&dot, t);
}

/// Whether the segment a b passes through the triangle, exactly. One within its plane does not pass.
static bool pierces(dvec a, dvec b, const dvec* t)
{
    const int from = exact_side(t[0], t[1], t[2], a), to = exact_side(t[0], t[1], t[2], b);
    if (from == to || from * to > 0) return false;
    const int x = exact_side(a, b, t[0], t[1]), y = exact_side(a, b, t[1], t[2]), z = exact_side(a, b, t[2], t[0]);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

bool tact_capsule_overlaps_triangle(const tact_capsule* c, const tact_triangle* t)
{
    if (!capsule_valid(c) || !t_finite(t)) return false;
    const dvec a = d_from(c->a), b = d_from(c->b), v[3] = {d_from(t->a), d_from(t->b), d_from(t->c)};
    const double limit = (double)c->radius * (double)c->radius;
    double square = fmin(near_triangle(a, v[0], v[1], v[2]), near_triangle(b, v[0], v[1], v[2]));
    for (int k = 0; k < 3 && square > limit; ++k)
        square = fmin(square, near_segments(a, b, v[k], v[(k + 1) % 3]));
    if (square <= limit || pierces(a, b, v)) return true;
    if (square > 0x1p-90 * fmax(reach_of(a, t), reach_of(b, t))) return false;
    const tact_triangle core = {c->a, c->b, c->b};
    return tact_triangle_overlaps_triangle(&core, t);
}

/// Newell's normal, and the height of p above the plane of the mean vertex times `count` and the normal's length.
static double mean_height(const tact_vec3* v, size_t count, dvec p, dvec* normal)
{
    dvec sum = {0.0, 0.0, 0.0}, n = {0.0, 0.0, 0.0};
    const dvec first = d_from(v[0]);
    dvec last = d_sub(d_from(v[count - 1]), first);
    for (size_t k = 0; k < count; ++k) {
        const dvec next = d_sub(d_from(v[k]), first);
        n = d_add(n, d_cross(last, next));
        sum = d_add(sum, next);
        last = next;
    }
    *normal = n;
    return d_dot(d_sub(d_scale(d_sub(p, first), (double)count), sum), n);
}

/// Even-odd rule for the point p + off and the polygon, both seen along an axis. Each edge counts the vertex at its
/// lower end.
static bool encloses(const tact_vec3* v, size_t count, dvec p, dvec off, int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    bool inside = false;
    dvec last = d_sub(d_sub(d_from(v[count - 1]), p), off);
    for (size_t k = 0; k < count; ++k) {
        const dvec next = d_sub(d_sub(d_from(v[k]), p), off);
        if ((d_at(last, j) > 0.0) != (d_at(next, j) > 0.0)) {
            const double turn = d_at(last, i) * d_at(next, j) - d_at(last, j) * d_at(next, i);
            if ((turn > 0.0) == (d_at(next, j) > d_at(last, j))) inside = !inside;
        }
        last = next;
    }
    return inside;
}

bool tact_sphere_overlaps_polygon(tact_sphere s, const tact_vec3* vertices, size_t count)
{
    if (!sphere_valid(s.center, s.radius)) return false;
    const dvec c = d_from(s.center);
    const double limit = (double)s.radius * (double)s.radius, many = (double)count;
    double square = HUGE_VAL;
    for (size_t k = 0; k < count; ++k) {
        if (!v_finite(vertices[k])) return false;
        square = fmin(square, near_segment(c, d_from(vertices[k]), d_from(vertices[k > 0 ? k - 1 : count - 1])));
    }
    if (count < 3 || square <= limit) return square <= limit;
    dvec n;
    const double height = mean_height(vertices, count, c, &n), nn = d_dot(n, n);
    if (!(nn > 0.0) || !(height * height <= limit * nn * many * many)) return false;
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const dvec off = d_scale(n, -height / (nn * many));
    return encloses(vertices, count, c, off, x >= y && x >= z ? 0 : y >= z ? 1 : 2);
}

/// The part of a polygon where sign (p_axis - bound) >= -slack.
static void cut(polygon* q, int axis, double sign, double bound, double slack)
{
    polygon kept = {0};
    for (int k = 0; k < q->count; ++k) {
        const dvec a = q->p[k], b = q->p[(k + 1) % q->count];
        const double from = sign * (d_at(a, axis) - bound) + slack, to = sign * (d_at(b, axis) - bound) + slack;
        if (from >= 0.0) kept.p[kept.count++] = a;
        if ((from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0)) {
            kept.p[kept.count++] = d_along(a, from / (from - to), d_sub(b, a));
        }
    }
    *q = kept;
}

/// Squared distance of the origin and a convex polygon, by its triangles.
static double near_polygon(const polygon* q)
{
    const dvec origin = {0.0, 0.0, 0.0};
    double best = q->count > 0 ? near_segment(origin, q->p[0], q->p[q->count - 1]) : HUGE_VAL;
    for (int k = 2; k < q->count; ++k)
        best = fmin(best, near_triangle(origin, q->p[0], q->p[k - 1], q->p[k]));
    return best;
}

/// The frame of a cylinder: origin a, third axis along it.
typedef struct tube {
    dvec a, axis[3];
    double length, radius;
} tube;

static bool tube_from(const tact_cylinder* c, tube* t)
{
    if (!v_finite(c->a) || !sphere_valid(c->b, c->radius)) return false;
    t->a = d_from(c->a);
    const dvec along = d_sub(d_from(c->b), t->a);
    t->length = d_length(along);
    t->radius = (double)c->radius;
    t->axis[2] = d_unit(along);
    t->axis[0] = d_perpendicular(t->axis[2]);
    t->axis[1] = d_cross(t->axis[2], t->axis[0]);
    return t->length > 0.0;
}

static dvec tube_local(const tube* t, dvec p)
{
    const dvec d = d_sub(p, t->a);
    return d_make(d_dot(d, t->axis[0]), d_dot(d, t->axis[1]), d_dot(d, t->axis[2]));
}

/// The polygon is used up. Seen along the axis, it is flat.
static bool tube_meets(const tube* t, polygon* q)
{
    double size = t->length + t->radius;
    for (int k = 0; k < q->count; ++k) {
        size += d_length(d_sub(q->p[k], t->a));
        q->p[k] = tube_local(t, q->p[k]);
    }
    const double slack = 0x1p-45 * size;
    cut(q, 2, 1.0, 0.0, slack);
    cut(q, 2, -1.0, t->length, slack);
    for (int k = 0; k < q->count; ++k)
        q->p[k].z = 0.0;
    return sqrt(near_polygon(q)) <= t->radius + slack;
}

bool tact_cylinder_overlaps_sphere(const tact_cylinder* c, tact_sphere s)
{
    tube t;
    if (!sphere_valid(s.center, s.radius) || !tube_from(c, &t)) return false;
    const dvec d = d_sub(d_from(s.center), t.a), off = d_cross(d, t.axis[2]);
    const double along = d_dot(d, t.axis[2]), radial = fmax(d_length(off) - t.radius, 0.0);
    const double axial = fmax(fmax(-along, along - t.length), 0.0);
    const double slack = 0x1p-45 * (d_length(d) + t.length + t.radius);
    return sqrt(axial * axial + radial * radial) <= (double)s.radius + slack;
}

bool tact_cylinder_overlaps_triangle(const tact_cylinder* c, const tact_triangle* triangle)
{
    tube t;
    if (!t_finite(triangle) || !tube_from(c, &t)) return false;
    polygon q = {3, {d_from(triangle->a), d_from(triangle->b), d_from(triangle->c)}};
    return tube_meets(&t, &q);
}

/// A cylinder and the box center + sum of +-edge_i. When no face meets the cylinder, the box is outside of it, so it is
/// inside the box or apart.
static bool tube_meets_box(const tube* t, dvec center, const dvec* edge)
{
    for (int face = 0; face < 6; ++face) {
        const dvec u = edge[(face + 1) % 3], v = edge[(face + 2) % 3];
        const dvec m = d_along(center, face < 3 ? 1.0 : -1.0, edge[face % 3]), low = d_sub(m, u), high = d_add(m, u);
        polygon q = {4, {d_sub(low, v), d_sub(high, v), d_add(high, v), d_add(low, v)}};
        if (tube_meets(t, &q)) return true;
    }
    return false;
}

bool tact_cylinder_overlaps_aabb(const tact_cylinder* c, tact_aabb box)
{
    tube t;
    if (!aabb_valid(box) || !tube_from(c, &t)) return false;
    const dvec low = d_from(box.lower), high = d_from(box.upper), half = d_scale(d_sub(high, low), 0.5);
    if (near_box(d_sub(d_sub(t.a, low), half), half) == 0.0) return true;
    const dvec edge[3] = {{half.x, 0.0, 0.0}, {0.0, half.y, 0.0}, {0.0, 0.0, half.z}};
    return tube_meets_box(&t, d_add(low, half), edge);
}

bool tact_cylinder_overlaps_obb(const tact_cylinder* c, const tact_obb* box)
{
    tube t;
    dbox b;
    if (!dbox_from(box, &b) || !tube_from(c, &t)) return false;
    const dvec d = d_sub(t.a, b.center), half = d_scale(d_make(b.half[0], b.half[1], b.half[2]), fabs(b.det));
    if (near_box(d_make(d_dot(d, b.face[0]), d_dot(d, b.face[1]), d_dot(d, b.face[2])), half) == 0.0) return true;
    const dvec edge[3] = {d_scale(b.axis[0], b.half[0]), d_scale(b.axis[1], b.half[1]), d_scale(b.axis[2], b.half[2])};
    return tube_meets_box(&t, b.center, edge);
}

bool tact_cylinder_overlaps_cylinder(const tact_cylinder* a, const tact_cylinder* b)
{
    return tact_convex_overlap(tact_convex_cylinder(a), tact_convex_cylinder(b), NULL);
}

static bool ellipsoid_valid(const tact_ellipsoid* e)
{
    return v_finite(e->center) && v_finite(e->axis[0]) && v_finite(e->axis[1]) && v_finite(e->axis[2]) &&
           v_finite(e->radius) && e->radius.x >= 0.0f && e->radius.y >= 0.0f && e->radius.z >= 0.0f;
}

static dvec d_ellipsoid_local(const tact_ellipsoid* e, dvec p)
{
    const dvec d = d_sub(p, d_from(e->center));
    return d_make(d_dot(d, d_from(e->axis[0])), d_dot(d, d_from(e->axis[1])), d_dot(d, d_from(e->axis[2])));
}

static dvec ellipsoid_local(const tact_ellipsoid* e, tact_vec3 p)
{
    return d_ellipsoid_local(e, d_from(p));
}

/// Divides by the radii. A radius of 0 first cuts the polygon by the plane in which the ellipsoid is.
static void to_unit_sphere(const tact_ellipsoid* e, polygon* q)
{
    const double radius[3] = {(double)e->radius.x, (double)e->radius.y, (double)e->radius.z};
    double size = 0.0;
    for (int k = 0; k < q->count; ++k)
        size = fmax(size, d_length(q->p[k]));
    for (int i = 0; i < 3; ++i) {
        if (radius[i] > 0.0) continue;
        cut(q, i, 1.0, 0.0, 0x1p-48 * size);
        cut(q, i, -1.0, 0.0, 0x1p-48 * size);
    }
    for (int k = 0; k < q->count; ++k) {
        q->p[k].x = radius[0] > 0.0 ? q->p[k].x / radius[0] : 0.0;
        q->p[k].y = radius[1] > 0.0 ? q->p[k].y / radius[1] : 0.0;
        q->p[k].z = radius[2] > 0.0 ? q->p[k].z / radius[2] : 0.0;
    }
}

bool tact_ellipsoid_overlaps_triangle(const tact_ellipsoid* e, const tact_triangle* t)
{
    if (!ellipsoid_valid(e) || !t_finite(t)) return false;
    polygon q = {3, {ellipsoid_local(e, t->a), ellipsoid_local(e, t->b), ellipsoid_local(e, t->c)}};
    to_unit_sphere(e, &q);
    return near_polygon(&q) <= 1.0;
}

/// Whether a face of a box with these half edges meets the ellipsoid.
static bool ellipsoid_meets_box(const tact_ellipsoid* e, dvec center, const dvec* edge)
{
    for (int face = 0; face < 6; ++face) {
        const dvec u = edge[(face + 1) % 3], v = edge[(face + 2) % 3];
        const dvec m = d_along(center, face < 3 ? 1.0 : -1.0, edge[face % 3]), low = d_sub(m, u), high = d_add(m, u);
        polygon q = {4,
                     {d_ellipsoid_local(e, d_sub(low, v)), d_ellipsoid_local(e, d_sub(high, v)),
                      d_ellipsoid_local(e, d_add(high, v)), d_ellipsoid_local(e, d_add(low, v))}};
        to_unit_sphere(e, &q);
        if (near_polygon(&q) <= 1.0) return true;
    }
    return false;
}

bool tact_ellipsoid_overlaps_aabb(const tact_ellipsoid* e, tact_aabb box)
{
    if (!ellipsoid_valid(e) || !aabb_valid(box)) return false;
    const dvec low = d_from(box.lower), high = d_from(box.upper), half = d_scale(d_sub(high, low), 0.5);
    const dvec edge[3] = {{half.x, 0.0, 0.0}, {0.0, half.y, 0.0}, {0.0, 0.0, half.z}};
    const tact_vec3 c = e->center;
    const bool inside = c.x >= box.lower.x && c.x <= box.upper.x && c.y >= box.lower.y && c.y <= box.upper.y &&
                        c.z >= box.lower.z && c.z <= box.upper.z;
    return inside || ellipsoid_meets_box(e, d_add(low, half), edge);
}

bool tact_ellipsoid_overlaps_obb(const tact_ellipsoid* e, const tact_obb* box)
{
    dbox b;
    if (!ellipsoid_valid(e) || !dbox_from(box, &b)) return false;
    const dvec d = d_sub(d_from(e->center), b.center);
    const dvec half = d_scale(d_make(b.half[0], b.half[1], b.half[2]), fabs(b.det));
    if (near_box(d_make(d_dot(d, b.face[0]), d_dot(d, b.face[1]), d_dot(d, b.face[2])), half) == 0.0) return true;
    const dvec edge[3] = {d_scale(b.axis[0], b.half[0]), d_scale(b.axis[1], b.half[1]), d_scale(b.axis[2], b.half[2])};
    return ellipsoid_meets_box(e, b.center, edge);
}

/// Squared distance of a point with coordinates y >= 0 and the solid ellipsoid with radii e along the axes. The nearest
/// point has coordinates e^2 y / (t + e^2) where the sum of (e y / (t + e^2))^2 is 1. That sum falls with t and bends
/// upwards, so Newton's steps from too small a t never pass the root.
static double near_ellipsoid(const double* e, const double* y)
{
    double t = 0.0;
    double flat = 0.0, sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (e[i] > 0.0) {
            sum += (y[i] / e[i]) * (y[i] / e[i]);
            t = fmax(t, e[i] * (y[i] - e[i]));
        } else {
            flat += y[i] * y[i];
        }
    }
    if (sum <= 1.0) return flat;
    for (int step = 0; step < 64; ++step) {
        double value = -1.0, slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            if (!(e[i] > 0.0)) continue;
            const double below = t + e[i] * e[i], x = e[i] * y[i] / below;
            value += x * x;
            slope += 2.0 * (x * x / below);
        }
        const double next = t + value / slope;
        if (!(next > t)) break;
        t = next;
    }
    double square = flat;
    for (int i = 0; i < 3; ++i) {
        if (!(e[i] > 0.0)) continue;
        const double off = t * (y[i] / (t + e[i] * e[i]));
        square += off * off;
    }
    return square;
}

bool tact_ellipsoid_overlaps_sphere(const tact_ellipsoid* e, tact_sphere s)
{
    if (!ellipsoid_valid(e) || !sphere_valid(s.center, s.radius)) return false;
    const dvec p = ellipsoid_local(e, s.center);
    const double radius[3] = {(double)e->radius.x, (double)e->radius.y, (double)e->radius.z};
    const double y[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
    return near_ellipsoid(radius, y) <= (double)s.radius * (double)s.radius;
}
