// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against quadrics. Their discriminants b^2 - a c are rewritten by Lagrange's identity in terms of the moment
// o x d of the line, so that two large squares need not cancel when the origin is far away; for an origin inside, c is
// negative and nothing cancels as it stands.

#include "cpu_ref/geometry/ray_internal.h"

static bool valid_radius(float radius)
{
    return radius >= 0.0f && radius < INFINITY;
}

/// The roots of a t^2 + 2 b t + c = 0, in order, given its discriminant >= 0 and a != 0.
static d_span roots(double a, double b, double c, double discriminant)
{
    d_span s = d_span_all();
    const double root = sqrt(discriminant);
    const double q = b > 0.0 ? -(b + root) : root - b;
    if (q == 0.0) {
        s.enter = s.leave = 0.0;
        return s;
    }
    const double p = q / a, o = c / q;
    s.enter = p < o ? p : o;
    s.leave = p < o ? o : p;
    return s;
}

/// The line o + t d in the ball of radius r around 0.
static d_span in_ball(dvec o, dvec d, double r)
{
    const double a = d_dot(d, d), c = d_dot(o, o) - r * r;
    if (a == 0.0) return c <= 0.0 ? d_span_all() : d_span_empty();
    const dvec moment = d_cross(o, d);
    const double b = d_dot(o, d), discriminant = c <= 0.0 ? b * b - a * c : r * r * a - d_dot(moment, moment);
    if (!(discriminant >= 0.0)) return d_span_empty();
    d_span s = roots(a, b, c, discriminant);
    // A ball that is a point has no normals but the ray's own direction.
    s.enter_normal = r > 0.0 ? d_along(o, s.enter, d) : d_scale(d, -1.0);
    s.leave_normal = r > 0.0 ? d_along(o, s.leave, d) : d;
    return s;
}

tact_ray_solid_hit tact_ray_sphere(const tact_ray* ray, const tact_sphere* sphere)
{
    const tact_ray_solid_hit miss = {0};
    if (!d_ray_valid(ray) || !v_finite(sphere->center) || !valid_radius(sphere->radius)) return miss;
    const d_ray r = d_ray_about(ray, d_from(sphere->center));
    const d_span s = in_ball(r.o, r.d, (double)sphere->radius);
    return d_solid_hit(&r, &s);
}

tact_ray_solid_hit tact_ray_sphere_geometric(const tact_ray* ray, const tact_sphere* sphere)
{
    const tact_ray_solid_hit miss = {0};
    if (!d_ray_valid(ray) || !v_finite(sphere->center) || !valid_radius(sphere->radius)) return miss;
    const d_ray r = d_ray_about(ray, d_from(sphere->center));
    const double radius = (double)sphere->radius;
    const double away = d_dot(r.o, r.o), dd = d_dot(r.d, r.d);
    if (dd == 0.0) {
        const d_span point = away <= radius * radius ? d_span_all() : d_span_empty();
        return d_solid_hit(&r, &point);
    }
    const double ahead = -d_dot(r.o, r.d);
    const bool outside = away > radius * radius;
    if (outside && ahead < 0.0 && r.tmin >= 0.0) return miss;
    const double square = away - ahead * ahead / dd;
    if (!(square <= radius * radius)) return miss;
    const double half_chord = sqrt((radius * radius - square) / dd);
    d_span s = d_span_all();
    s.enter = ahead / dd - half_chord;
    s.leave = ahead / dd + half_chord;
    s.enter_normal = radius > 0.0 ? d_along(r.o, s.enter, r.d) : d_scale(r.d, -1.0);
    s.leave_normal = radius > 0.0 ? d_along(r.o, s.leave, r.d) : r.d;
    return d_solid_hit(&r, &s);
}

bool tact_ray_overlaps_sphere(const tact_ray* ray, const tact_sphere* sphere)
{
    if (!d_ray_valid(ray) || !v_finite(sphere->center) || !valid_radius(sphere->radius)) return false;
    const d_ray r = d_ray_about(ray, d_from(sphere->center));
    const double square = (double)sphere->radius * (double)sphere->radius;
    const double dd = d_dot(r.d, r.d), ahead = -d_dot(r.o, r.d);
    if (dd == 0.0) return d_dot(r.o, r.o) <= square;
    if (ahead < r.tmin * dd || ahead > r.tmax * dd) {
        const dvec end = d_along(r.o, ahead < r.tmin * dd ? r.tmin : r.tmax, r.d);
        return d_dot(end, end) <= square;
    }
    const dvec moment = d_cross(r.o, r.d);
    return d_dot(moment, moment) <= square * dd;
}

/// The part of v across n.
static dvec across(dvec v, dvec n)
{
    return d_along(v, -d_dot(v, n) / d_dot(n, n), n);
}

/// The line o + t d in the infinite cylinder of radius r around the line of n through 0.
static d_span in_tube(dvec o, dvec d, dvec n, double r)
{
    const dvec on = d_cross(o, n), dn = d_cross(d, n);
    const double nn = d_dot(n, n), a = d_dot(dn, dn), c = d_dot(on, on) - r * r * nn;
    if (a == 0.0) return c <= 0.0 ? d_span_all() : d_span_empty();
    const double moment = d_dot(n, d_cross(o, d));
    const double b = d_dot(on, dn);
    const double discriminant = c <= 0.0 ? b * b - a * c : nn * (r * r * a - moment * moment);
    if (!(discriminant >= 0.0)) return d_span_empty();
    d_span s = roots(a, b, c, discriminant);
    s.enter_normal = across(r > 0.0 ? d_along(o, s.enter, d) : d_scale(d, -1.0), n);
    s.leave_normal = across(r > 0.0 ? d_along(o, s.leave, d) : d, n);
    return s;
}

/// Cuts a span to low <= n . x <= high.
static void cut(d_span* s, dvec o, dvec d, dvec n, double low, double high)
{
    const double slope = d_dot(n, d), at = d_dot(n, o);
    d_span_clip(s, slope, high - at, n);
    d_span_clip(s, -slope, at - low, d_scale(n, -1.0));
}

static bool valid_cylinder(const tact_ray* ray, tact_vec3 a, tact_vec3 b, float radius)
{
    return d_ray_valid(ray) && v_finite(a) && v_finite(b) && valid_radius(radius);
}

tact_ray_solid_hit tact_ray_cylinder(const tact_ray* ray, const tact_cylinder* cylinder)
{
    const tact_ray_solid_hit miss = {0};
    if (!valid_cylinder(ray, cylinder->a, cylinder->b, cylinder->radius)) return miss;
    const d_ray r = d_ray_about(ray, d_from(cylinder->a));
    const dvec n = d_sub(d_from(cylinder->b), d_from(cylinder->a));
    if (d_largest(n) == 0.0) return miss;
    d_span s = in_tube(r.o, r.d, n, (double)cylinder->radius);
    cut(&s, r.o, r.d, n, 0.0, d_dot(n, n));
    return d_solid_hit(&r, &s);
}

tact_ray_solid_hit tact_ray_cylinder_infinite(const tact_ray* ray, const tact_cylinder* cylinder)
{
    const tact_ray_solid_hit miss = {0};
    if (!valid_cylinder(ray, cylinder->a, cylinder->b, cylinder->radius)) return miss;
    const d_ray r = d_ray_about(ray, d_from(cylinder->a));
    const dvec n = d_sub(d_from(cylinder->b), d_from(cylinder->a));
    if (d_largest(n) == 0.0) return miss;
    const d_span s = in_tube(r.o, r.d, n, (double)cylinder->radius);
    return d_solid_hit(&r, &s);
}

/// Makes a span the hull of itself and another.
static void include(d_span* s, const d_span* other)
{
    if (!d_span_hit(other)) return;
    if (other->enter < s->enter) {
        s->enter = other->enter;
        s->enter_normal = other->enter_normal;
    }
    if (other->leave > s->leave) {
        s->leave = other->leave;
        s->leave_normal = other->leave_normal;
    }
}

tact_ray_solid_hit tact_ray_capsule(const tact_ray* ray, const tact_capsule* capsule)
{
    const tact_ray_solid_hit miss = {0};
    if (!valid_cylinder(ray, capsule->a, capsule->b, capsule->radius)) return miss;
    const double radius = (double)capsule->radius;
    const d_ray r = d_ray_about(ray, d_from(capsule->a));
    const d_ray to_b = d_ray_about(ray, d_from(capsule->b));
    d_span s = in_ball(r.o, r.d, radius);
    const d_span second = in_ball(to_b.o, to_b.d, radius);
    include(&s, &second);
    const dvec n = d_sub(d_from(capsule->b), d_from(capsule->a));
    if (d_largest(n) > 0.0) {
        d_span tube = in_tube(r.o, r.d, n, radius);
        cut(&tube, r.o, r.d, n, 0.0, d_dot(n, n));
        include(&s, &tube);
    }
    return d_solid_hit(&r, &s);
}

/// Outward normal of the cone h^2 |p across n|^2 = r^2 (p . n)^2.
static dvec cone_normal(dvec p, dvec n, double h, double r)
{
    const double s = d_dot(p, n);
    const dvec side = d_along(d_scale(d_along(p, -s, n), h * h), -r * r * s, n);
    return d_largest(side) > 0.0 ? side : d_scale(n, -1.0);
}

/// The line in the cone's side, on the half of the double cone where n . x >= 0 for any line that has points there.
/// n has unit length.
static d_span in_cone(dvec o, dvec d, dvec n, double h, double r)
{
    const dvec on = d_cross(o, n), dn = d_cross(d, n), moment = d_cross(o, d);
    const double os = d_dot(o, n), ds = d_dot(d, n), hh = h * h, rr = r * r;
    const double a = hh * d_dot(dn, dn) - rr * ds * ds, b = hh * d_dot(on, dn) - rr * os * ds;
    const double c = hh * d_dot(on, on) - rr * os * os;
    const dvec mn = d_cross(moment, n);
    const double turn = d_dot(moment, n);
    const double discriminant = c <= 0.0 && a > 0.0 ? b * b - a * c : hh * (rr * d_dot(mn, mn) - hh * turn * turn);
    d_span s = d_span_all();
    if (a == 0.0) {
        if (b == 0.0 && !(c <= 0.0)) return d_span_empty();
        if (b > 0.0) s.leave = -0.5 * c / b;
        if (b < 0.0) s.enter = -0.5 * c / b;
    } else if (a > 0.0) {
        if (!(discriminant >= 0.0)) return d_span_empty();
        s = roots(a, b, c, discriminant);
    } else {
        // Steeper than the side: one half line in each half of the double cone.
        const d_span gap = roots(a, b, c, discriminant > 0.0 ? discriminant : 0.0);
        if (ds > 0.0) s.enter = gap.leave;
        if (ds < 0.0) s.leave = gap.enter;
    }
    if (isfinite(s.enter)) s.enter_normal = cone_normal(d_along(o, s.enter, d), n, h, r);
    if (isfinite(s.leave)) s.leave_normal = cone_normal(d_along(o, s.leave, d), n, h, r);
    return s;
}

static bool valid_cone(const tact_ray* ray, const tact_cone* cone)
{
    return d_ray_valid(ray) && v_finite(cone->apex) && v_finite(cone->axis) && valid_radius(cone->radius) &&
           valid_radius(cone->height) && d_largest(d_from(cone->axis)) > 0.0;
}

tact_ray_solid_hit tact_ray_cone(const tact_ray* ray, const tact_cone* cone)
{
    const tact_ray_solid_hit miss = {0};
    if (!valid_cone(ray, cone)) return miss;
    const d_ray r = d_ray_about(ray, d_from(cone->apex));
    const dvec n = d_unit_by_two(d_from(cone->axis));
    const double h = (double)cone->height, radius = (double)cone->radius;
    d_span s = h > 0.0 ? in_cone(r.o, r.d, n, h, radius) : in_tube(r.o, r.d, n, radius);
    cut(&s, r.o, r.d, n, 0.0, h);
    return d_solid_hit(&r, &s);
}

tact_ray_solid_hit tact_ray_cone_infinite(const tact_ray* ray, const tact_cone* cone)
{
    const tact_ray_solid_hit miss = {0};
    if (!valid_cone(ray, cone) || cone->height == 0.0f) return miss;
    const d_ray r = d_ray_about(ray, d_from(cone->apex));
    const dvec n = d_unit_by_two(d_from(cone->axis));
    d_span s = in_cone(r.o, r.d, n, (double)cone->height, (double)cone->radius);
    d_span_clip(&s, -d_dot(n, r.d), d_dot(n, r.o), d_scale(n, -1.0));
    return d_solid_hit(&r, &s);
}

/// The vector's components along the ellipsoid's axes, in units of its radii.
static dvec in_unit_ball(const tact_ellipsoid* e, dvec v)
{
    return d_make(d_dot(d_from(e->axis[0]), v) / (double)e->radius.x,
                  d_dot(d_from(e->axis[1]), v) / (double)e->radius.y,
                  d_dot(d_from(e->axis[2]), v) / (double)e->radius.z);
}

/// A normal of the unit ball as one of the ellipsoid.
static dvec out_of_unit_ball(const tact_ellipsoid* e, dvec n)
{
    const dvec x = d_scale(d_from(e->axis[0]), n.x / (double)e->radius.x);
    const dvec y = d_scale(d_from(e->axis[1]), n.y / (double)e->radius.y);
    return d_add(d_add(x, y), d_scale(d_from(e->axis[2]), n.z / (double)e->radius.z));
}

tact_ray_solid_hit tact_ray_ellipsoid(const tact_ray* ray, const tact_ellipsoid* ellipsoid)
{
    const tact_ray_solid_hit miss = {0};
    const tact_vec3 radius = ellipsoid->radius;
    if (!d_ray_valid(ray) || !v_finite(ellipsoid->center) || !v_finite(radius)) return miss;
    if (!(radius.x > 0.0f && radius.y > 0.0f && radius.z > 0.0f)) return miss;
    for (int i = 0; i < 3; ++i) {
        if (!v_finite(ellipsoid->axis[i])) return miss;
    }
    const d_ray r = d_ray_about(ray, d_from(ellipsoid->center));
    const dvec d = in_unit_ball(ellipsoid, r.d);
    const double scale = d_scale_to_one(d);
    d_span s = in_ball(in_unit_ball(ellipsoid, r.o), d_scale(d, scale), 1.0);
    s.enter *= scale;
    s.leave *= scale;
    s.enter_normal = out_of_unit_ball(ellipsoid, s.enter_normal);
    s.leave_normal = out_of_unit_ball(ellipsoid, s.leave_normal);
    return d_solid_hit(&r, &s);
}
