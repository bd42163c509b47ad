// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against surfaces: plane, triangle in five forms, quadrilateral, polygon, disc.

#include "cpu_ref/geometry/newell.h"
#include "cpu_ref/geometry/ray_internal.h"
#include "kernels/ray_triangle.h"

tact_ray_surface_hit tact_ray_plane(const tact_ray* ray, const tact_plane* plane)
{
    const tact_ray_surface_hit miss = {0};
    if (!d_ray_valid(ray) || !v_finite(plane->normal) || !isfinite(plane->distance)) return miss;
    const d_ray r = d_ray_about(ray, d_zero());
    const dvec n = d_from(plane->normal);
    const double slope = -d_room(0.0, n, r.d);
    if (slope == 0.0) return miss;
    return d_surface_hit(&r, d_room((double)plane->distance, n, r.o) / slope, 0.0, 0.0, n);
}

/// height + t slope, for a t that may be infinite.
static double height_at(double height, double slope, double t)
{
    return slope == 0.0 ? height : height + t * slope;
}

bool tact_ray_overlaps_plane(const tact_ray* ray, const tact_plane* plane)
{
    if (!d_ray_valid(ray) || !v_finite(plane->normal) || !isfinite(plane->distance)) return false;
    const dvec n = d_from(plane->normal);
    if (d_largest(n) == 0.0) return false;
    const d_ray r = d_ray_about(ray, d_zero());
    const double slope = -d_room(0.0, n, r.d), height = -d_room((double)plane->distance, n, r.o);
    const double first = height_at(height, slope, r.tmin), last = height_at(height, slope, r.tmax);
    return (first <= 0.0 && last >= 0.0) || (first >= 0.0 && last <= 0.0);
}

/// The hit as fractions of a positive determinant: t / det, u / det, v / det.
typedef struct fractions {
    double det, t, u, v;
    dvec normal;
    bool hit, front;
} fractions;

static bool finite_triangle(const tact_triangle* t)
{
    return v_finite(t->a) && v_finite(t->b) && v_finite(t->c);
}

/// The line's hit with the triangle a, a + ab, a + ac. The ray's origin is relative to a.
static fractions solve(const d_ray* r, dvec ab, dvec ac)
{
    fractions f = {0};
    const dvec q = d_cross(r->d, ac);
    const double det = d_dot(ab, q), sign = det < 0.0 ? -1.0 : 1.0;
    f.det = fabs(det);
    f.front = det > 0.0;
    if (!(f.det > D_NOISE * (d_magnitude(ab) * d_magnitude(ac)) * d_magnitude(r->d))) return f;
    f.u = sign * d_dot(r->o, q);
    if (!(f.u >= 0.0 && f.u <= f.det)) return f;
    const dvec p = d_cross(r->o, ab);
    f.v = sign * d_dot(r->d, p);
    if (!(f.v >= 0.0 && f.u + f.v <= f.det)) return f;
    f.t = sign * d_dot(ac, p);
    f.hit = true;
    return f;
}

/// As `solve` for the triangle itself.
static fractions solve_triangle(const tact_ray* ray, const tact_triangle* triangle, d_ray* r)
{
    fractions f = {0};
    if (!d_ray_valid(ray) || !finite_triangle(triangle)) return f;
    const dvec a = d_from(triangle->a);
    const dvec ab = d_sub(d_from(triangle->b), a), ac = d_sub(d_from(triangle->c), a);
    *r = d_ray_about(ray, a);
    f = solve(r, ab, ac);
    if (f.hit) f.normal = d_cross(ab, ac);
    return f;
}

static tact_ray_surface_hit divide(const d_ray* r, const fractions* f)
{
    return d_surface_hit(r, f->t / f->det, f->u / f->det, f->v / f->det, f->normal);
}

tact_ray_surface_hit tact_ray_triangle_moller_trumbore(const tact_ray* ray, const tact_triangle* triangle)
{
    const tact_ray_surface_hit miss = {0};
    d_ray r;
    const fractions f = solve_triangle(ray, triangle, &r);
    return f.hit ? divide(&r, &f) : miss;
}

tact_ray_surface_hit tact_ray_triangle_front(const tact_ray* ray, const tact_triangle* triangle)
{
    const tact_ray_surface_hit miss = {0};
    d_ray r;
    const fractions f = solve_triangle(ray, triangle, &r);
    return f.hit && f.front ? divide(&r, &f) : miss;
}

bool tact_ray_overlaps_triangle(const tact_ray* ray, const tact_triangle* triangle)
{
    d_ray r;
    const fractions f = solve_triangle(ray, triangle, &r);
    return f.hit && f.t >= r.tmin * f.det && f.t <= r.tmax * f.det;
}

static void store(double to[3], dvec v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

tact_ray_triangle_prepared tact_ray_triangle_prepare(const tact_triangle* triangle)
{
    tact_ray_triangle_prepared p = {0};
    p.valid = finite_triangle(triangle);
    if (!p.valid) return p;
    const dvec a = d_from(triangle->a);
    const dvec ab = d_sub(d_from(triangle->b), a), ac = d_sub(d_from(triangle->c), a);
    store(p.a, a);
    store(p.ab, ab);
    store(p.ac, ac);
    store(p.normal, d_cross(ab, ac));
    return p;
}

tact_ray_surface_hit tact_ray_triangle_with(const tact_ray* ray, const tact_ray_triangle_prepared* triangle)
{
    const tact_ray_surface_hit miss = {0};
    if (!triangle->valid || !d_ray_valid(ray)) return miss;
    const double* p = triangle->normal;
    const dvec n = d_make(p[0], p[1], p[2]);
    const dvec ab = d_make(triangle->ab[0], triangle->ab[1], triangle->ab[2]);
    const dvec ac = d_make(triangle->ac[0], triangle->ac[1], triangle->ac[2]);
    const d_ray r = d_ray_about(ray, d_make(triangle->a[0], triangle->a[1], triangle->a[2]));
    const double det = -d_dot(n, r.d), sign = det < 0.0 ? -1.0 : 1.0, size = fabs(det);
    if (!(size > D_NOISE * (d_magnitude(ab) * d_magnitude(ac)) * d_magnitude(r.d))) return miss;
    const dvec m = d_cross(r.o, r.d);
    const double u = sign * d_dot(m, ac), v = -sign * d_dot(m, ab);
    if (!(u >= 0.0 && v >= 0.0 && u + v <= size)) return miss;
    return d_surface_hit(&r, d_dot(n, r.o) / det, u / size, v / size, n);
}

/// On which side of the edge from p to q the line d through 0 passes: the volume d . (q x p). Changes its sign, and no
/// bit else, when p and q change places.
static double side(dvec d, dvec p, dvec q)
{
    return d_dot(d, d_cross(q, p));
}

/// The hit with the triangle a b c, relative to the ray's origin, given on which sides the line passes the edges: u
/// belongs to b c, v to c a, w to a b.
static tact_ray_surface_hit between(const d_ray* r, dvec a, dvec b, dvec c, double u, double v, double w)
{
    const tact_ray_surface_hit miss = {0};
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return miss;
    const double sum = u + v + w;
    const dvec ab = d_sub(b, a), ac = d_sub(c, a), n = d_cross(ab, ac);
    const double slope = d_dot(n, r->d);
    if (sum == 0.0 || !(fabs(slope) > D_NOISE * (d_magnitude(ab) * d_magnitude(ac)) * d_magnitude(r->d))) return miss;
    // By the plane, which is noise for a needle: not beyond the vertices.
    const double dd = d_dot(r->d, r->d), ta = d_dot(a, r->d) / dd, tb = d_dot(b, r->d) / dd, tc = d_dot(c, r->d) / dd;
    const double t = d_clamp(d_dot(n, a) / slope, fmin(ta, fmin(tb, tc)), fmax(ta, fmax(tb, tc)));
    return d_surface_hit(r, t, v / sum, w / sum, n);
}

/// A vertex relative to the ray's origin.
static dvec seen(const d_ray* r, tact_vec3 p)
{
    return d_sub(d_from(p), r->o);
}

tact_ray_surface_hit tact_ray_triangle_plucker(const tact_ray* ray, const tact_triangle* triangle)
{
    const tact_ray_surface_hit miss = {0};
    if (!d_ray_valid(ray) || !finite_triangle(triangle)) return miss;
    const d_ray r = d_ray_about(ray, d_zero());
    const dvec a = seen(&r, triangle->a), b = seen(&r, triangle->b), c = seen(&r, triangle->c);
    return between(&r, a, b, c, side(r.d, b, c), side(r.d, c, a), side(r.d, a, b));
}

tact_ray_surface_hit tact_ray_triangle_watertight(const tact_ray* ray, const tact_triangle* triangle)
{
    const tact_ray_surface_hit miss = {0};
    const tact_vec3 a = triangle->a, b = triangle->b, c = triangle->c;
    const TactRayFrame frame = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    if (!frame.valid || !d_ray_valid(ray)) return miss;
    if (!tact_in_range(a.x, a.y, a.z) || !tact_in_range(b.x, b.y, b.z) || !tact_in_range(c.x, c.y, c.z)) return miss;
    const TactInterval gate = {-INFINITY, INFINITY};
    const TactTriangleHit t =
        tact_ray_triangle(frame, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, gate, ray->tmin, ray->tmax);
    if (!t.hit) return miss;
    const dvec n = d_cross(d_sub(d_from(b), d_from(a)), d_sub(d_from(c), d_from(a)));
    tact_ray_surface_hit h = {.hit = true, .t = t.t, .u = t.u, .v = t.v, .normal = d_round(d_unit_by_two(n))};
    h.front = d_dot(n, d_make((double)ray->dx, (double)ray->dy, (double)ray->dz)) < 0.0;
    return h;
}

tact_ray_surface_hit tact_ray_quad(const tact_ray* ray, const tact_vec3 corners[4])
{
    const tact_ray_surface_hit miss = {0};
    if (!d_ray_valid(ray)) return miss;
    for (int i = 0; i < 4; ++i) {
        if (!v_finite(corners[i])) return miss;
    }
    const d_ray r = d_ray_about(ray, d_zero());
    const dvec a = seen(&r, corners[0]), b = seen(&r, corners[1]), c = seen(&r, corners[2]), d = seen(&r, corners[3]);
    const double diagonal = side(r.d, c, a);
    tact_ray_surface_hit first = between(&r, a, b, c, side(r.d, b, c), diagonal, side(r.d, a, b));
    tact_ray_surface_hit second = between(&r, a, c, d, side(r.d, c, d), side(r.d, d, a), -diagonal);
    first.u += first.v;    // b is (1, 0), c is (1, 1)
    second.v += second.u;  // c is (1, 1), d is (0, 1)
    if (!first.hit) return second;
    if (!second.hit) return first;
    return second.t < first.t ? second : first;
}

/// A point in the plane of two coordinates.
typedef struct flat {
    double x, y;
} flat;

static flat flatten(dvec p, int dropped)
{
    const flat f = {d_at(p, (dropped + 1) % 3), d_at(p, (dropped + 2) % 3)};
    return f;
}

/// The vertex relative to the first one, times `scale`, as seen from `point`.
static flat polygon_corner(const tact_vec3* vertices, size_t i, double scale, dvec point, int dropped)
{
    const dvec p = d_sub(d_from(vertices[i]), d_from(vertices[0]));
    return flatten(d_sub(d_scale(p, scale), point), dropped);
}

/// Whether the point is in the scaled polygon: odd crossings with the half line from it to +x, or on an edge.
static bool in_polygon(const tact_vec3* vertices, size_t count, double scale, dvec point, int dropped)
{
    bool inside = false;
    flat a = polygon_corner(vertices, count - 1, scale, point, dropped);
    for (size_t i = 0; i < count; ++i) {
        const flat b = polygon_corner(vertices, i, scale, point, dropped);
        const double turn = a.x * b.y - a.y * b.x;
        if (turn == 0.0 && a.x * b.x <= 0.0 && a.y * b.y <= 0.0) return true;
        // Vertices at height 0 count as above.
        if ((a.y >= 0.0) != (b.y >= 0.0) && (turn > 0.0) == (b.y >= 0.0)) inside = !inside;
        a = b;
    }
    return inside;
}

tact_ray_surface_hit tact_ray_polygon(const tact_ray* ray, const tact_vec3* vertices, size_t count)
{
    const tact_ray_surface_hit miss = {0};
    dvec n, total;
    if (count < 3 || !d_ray_valid(ray) || !tact_newell(vertices, count, &n, &total)) return miss;
    const double largest = d_largest(n);
    const d_ray r = d_ray_about(ray, d_from(vertices[0]));
    const double slope = d_dot(n, r.d);
    if (!(fabs(slope) > D_NOISE * d_abs_dot(n, r.d))) return miss;
    // t = height / scale; the hit's place is compared times the scale, so that on whole numbers nothing is rounded.
    const double scale = (double)count * slope, height = d_dot(n, total) - (double)count * d_dot(n, r.o);
    const int dropped = fabs(n.x) == largest ? 0 : fabs(n.y) == largest ? 1 : 2;
    const dvec point = d_along(d_scale(r.o, scale), height, r.d);
    if (!in_polygon(vertices, count, scale, point, dropped)) return miss;
    return d_surface_hit(&r, height / scale, 0.0, 0.0, n);
}

tact_ray_surface_hit tact_ray_disc(const tact_ray* ray, tact_vec3 center, tact_vec3 normal, float radius)
{
    const tact_ray_surface_hit miss = {0};
    if (!d_ray_valid(ray) || !v_finite(center) || !v_finite(normal)) return miss;
    if (!(radius >= 0.0f && radius < INFINITY)) return miss;
    const d_ray r = d_ray_about(ray, d_from(center));
    const dvec n = d_from(normal);
    const double slope = -d_room(0.0, n, r.d);
    if (slope == 0.0) return miss;
    // The hit's place times the slope: on whole numbers nothing is rounded.
    const double height = d_dot(n, r.o), limit = (double)radius * slope;
    const dvec p = d_along(d_scale(r.o, slope), -height, r.d);
    if (!(d_dot(p, p) <= limit * limit)) return miss;
    return d_surface_hit(&r, -height / slope, 0.0, 0.0, n);
}
