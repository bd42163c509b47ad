// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/overlap_internal.h"
#include "tact/geometry/overlap.h"

/// n . x - d over a shape; the signs are what counts. NaN when there is no plane or no shape.
typedef struct range {
    double low, high;
} range;

static const range nothing = {(double)NAN, (double)NAN};

static bool is_plane(tact_plane p)
{
    return v_finite(p.normal) && isfinite(p.distance) &&
           (p.normal.x != 0.0f || p.normal.y != 0.0f || p.normal.z != 0.0f);
}

static bool is_size(float x)
{
    return x >= 0.0f && isfinite(x);
}

/// The height of a point -+ reach. Where cancellation could matter the height is summed exactly.
static range around(tact_plane plane, dvec p, double reach)
{
    const dvec n = d_from(plane.normal);
    const double term[4] = {n.x * p.x, n.y * p.y, n.z * p.z, -(double)plane.distance};
    double s = ((term[0] + term[1]) + term[2]) + term[3];
    const double size = ((fabs(term[0]) + fabs(term[1])) + fabs(term[2])) + fabs(term[3]);
    if (fabs(fabs(s) - reach) <= 0x1p-48 * size) s = exact_sum(term, 4);
    return (range){s - reach, s + reach};
}

static range hull(range a, range b)
{
    return (range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static range sphere_range(tact_sphere s, tact_plane plane)
{
    if (!sphere_valid(s.center, s.radius)) return nothing;
    return around(plane, d_from(s.center), (double)s.radius * d_length(d_from(plane.normal)));
}

static range aabb_range(tact_aabb b, tact_plane plane)
{
    if (!aabb_valid(b)) return nothing;
    const dvec n = d_from(plane.normal), l = d_from(b.lower), h = d_from(b.upper);
    const double d = (double)plane.distance;
    const dvec low = {n.x < 0.0 ? h.x : l.x, n.y < 0.0 ? h.y : l.y, n.z < 0.0 ? h.z : l.z};
    const dvec high = {n.x < 0.0 ? l.x : h.x, n.y < 0.0 ? l.y : h.y, n.z < 0.0 ? l.z : h.z};
    return (range){exact_height(n, d, low), exact_height(n, d, high)};
}

static range obb_range(const tact_obb* box, tact_plane plane)
{
    dbox b;
    if (!dbox_from(box, &b)) return nothing;
    const dvec n = d_from(plane.normal);
    double reach = 0.0;
    for (int i = 0; i < 3; ++i)
        reach += b.half[i] * fabs(d_dot(n, b.axis[i]));
    return around(plane, b.center, reach);
}

static range triangle_range(const tact_triangle* t, tact_plane plane)
{
    if (!t_finite(t)) return nothing;
    const dvec n = d_from(plane.normal);
    const double d = (double)plane.distance;
    const double a = exact_height(n, d, d_from(t->a)), b = exact_height(n, d, d_from(t->b));
    const double c = exact_height(n, d, d_from(t->c));
    return (range){fmin(fmin(a, b), c), fmax(fmax(a, b), c)};
}

static range capsule_range(const tact_capsule* c, tact_plane plane)
{
    if (!capsule_valid(c)) return nothing;
    const double reach = (double)c->radius * d_length(d_from(plane.normal));
    return hull(around(plane, d_from(c->a), reach), around(plane, d_from(c->b), reach));
}

/// How far a disc reaches along n; axis is not zero.
static double disc_reach(dvec n, dvec axis, double radius)
{
    const dvec across = d_cross(n, axis);
    return radius * sqrt(d_dot(across, across) / d_dot(axis, axis));
}

static range cylinder_range(const tact_cylinder* c, tact_plane plane)
{
    if (!v_finite(c->a) || !sphere_valid(c->b, c->radius)) return nothing;
    const dvec a = d_from(c->a), b = d_from(c->b), axis = d_sub(b, a);
    if (!(d_dot(axis, axis) > 0.0)) return nothing;
    const double reach = disc_reach(d_from(plane.normal), axis, (double)c->radius);
    return hull(around(plane, a, reach), around(plane, b, reach));
}

static range cone_range(const tact_cone* c, tact_plane plane)
{
    if (!v_finite(c->apex) || !v_finite(c->axis) || !is_size(c->height) || !is_size(c->radius)) return nothing;
    const dvec apex = d_from(c->apex), axis = d_from(c->axis);
    if (!(d_dot(axis, axis) > 0.0)) return nothing;
    const double reach = disc_reach(d_from(plane.normal), axis, (double)c->radius);
    return hull(around(plane, apex, 0.0), around(plane, d_along(apex, (double)c->height, axis), reach));
}

static range ellipsoid_range(const tact_ellipsoid* e, tact_plane plane)
{
    if (!v_finite(e->center) || !is_size(e->radius.x) || !is_size(e->radius.y) || !is_size(e->radius.z)) return nothing;
    const dvec n = d_from(plane.normal), radius = d_from(e->radius);
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (!v_finite(e->axis[i])) return nothing;
        const double part = d_at(radius, i) * d_dot(n, d_from(e->axis[i]));
        square += part * part;
    }
    return around(plane, d_from(e->center), sqrt(square));
}

static tact_side side_of(range r)
{
    if (r.low > 0.0) return TACT_SIDE_FRONT;
    if (r.high < 0.0) return TACT_SIDE_BEHIND;
    return r.low <= r.high ? TACT_SIDE_BOTH : TACT_SIDE_NONE;
}

static tact_containment halfspace_of(range r)
{
    if (r.high <= 0.0) return TACT_INSIDE;
    return r.low <= 0.0 ? TACT_INTERSECTING : TACT_OUTSIDE;
}

// The three public questions about a shape.
#define PLANE_TESTS(shape, argument)                                              \
    tact_side tact_##shape##_plane_side(argument s, tact_plane plane)             \
    {                                                                             \
        return side_of(is_plane(plane) ? shape##_range(s, plane) : nothing);      \
    }                                                                             \
    bool tact_##shape##_overlaps_plane(argument s, tact_plane plane)              \
    {                                                                             \
        return tact_##shape##_plane_side(s, plane) == TACT_SIDE_BOTH;             \
    }                                                                             \
    tact_containment tact_##shape##_halfspace(argument s, tact_plane plane)       \
    {                                                                             \
        return halfspace_of(is_plane(plane) ? shape##_range(s, plane) : nothing); \
    }

PLANE_TESTS(sphere, tact_sphere)
PLANE_TESTS(aabb, tact_aabb)
PLANE_TESTS(obb, const tact_obb*)
PLANE_TESTS(triangle, const tact_triangle*)
PLANE_TESTS(capsule, const tact_capsule*)
PLANE_TESTS(cylinder, const tact_cylinder*)
PLANE_TESTS(cone, const tact_cone*)
PLANE_TESTS(ellipsoid, const tact_ellipsoid*)

tact_thick_sides tact_points_thick_plane(const tact_vec3* points, size_t count, tact_plane plane, float thickness)
{
    const tact_thick_sides none = {0};
    tact_thick_sides sides = {0};
    if (!is_plane(plane) || !is_size(thickness)) return none;
    const double reach = (double)thickness * d_length(d_from(plane.normal));
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(points[i])) return none;
        const range r = around(plane, d_from(points[i]), reach);
        if (r.low > 0.0) {
            ++sides.front;
        } else if (r.high < 0.0) {
            ++sides.behind;
        } else {
            ++sides.within;
        }
    }
    return sides;
}
