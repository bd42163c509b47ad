// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shapes, rays and contacts.

#include <math.h>

#include "base/env.h"
#include "tools/debug_draw/debug_draw.h"

enum { ROUND = TACT_DEBUG_ROUND };

/// cos(2 pi k / 32) of the first quarter. A table, since the C libraries' cosines differ in their last bits.
static const double quarter[ROUND / 4 + 1] = {1.0,
                                              0.98078528040323043,
                                              0.92387953251128674,
                                              0.83146961230254524,
                                              0.70710678118654757,
                                              0.55557023301960218,
                                              0.38268343236508978,
                                              0.19509032201612828,
                                              0.0};

static double cosine(uint32_t k)
{
    k %= ROUND;
    if (k > ROUND / 2) k = ROUND - k;
    return k <= ROUND / 4 ? quarter[k] : -quarter[ROUND / 2 - k];
}

static double sine(uint32_t k)
{
    return cosine(k + 3 * ROUND / 4);
}

static double dot(tact_debug_point a, tact_debug_point b)
{
    return a.p[0] * b.p[0] + a.p[1] * b.p[1] + a.p[2] * b.p[2];
}

static tact_debug_point cross(tact_debug_point a, tact_debug_point b)
{
    const tact_debug_point c = {
        {a.p[1] * b.p[2] - a.p[2] * b.p[1], a.p[2] * b.p[0] - a.p[0] * b.p[2], a.p[0] * b.p[1] - a.p[1] * b.p[0]}};
    return c;
}

static tact_debug_point scaled(tact_debug_point a, double s)
{
    for (int i = 0; i < 3; ++i)
        a.p[i] *= s;
    return a;
}

/// False for a vector that has no direction.
static bool unit(tact_debug_point* a)
{
    const double length = sqrt(dot(*a, *a));
    if (!(length > 0.0) || !isfinite(length)) return false;
    *a = scaled(*a, 1.0 / length);
    return true;
}

/// Two unit vectors across a unit one.
static void across(tact_debug_point n, tact_debug_point* u, tact_debug_point* v)
{
    tact_debug_point axis = {{0, 0, 0}};
    axis.p[fabs(n.p[0]) < 0.6 ? 0 : fabs(n.p[1]) < 0.6 ? 1 : 2] = 1.0;
    *u = cross(n, axis);
    unit(u);
    *v = cross(n, *u);
}

void tact_debug_put_arc(tact_debug_batch* batch, tact_debug_kind kind, tact_debug_point centre, tact_debug_point u,
                        tact_debug_point v, double radius, uint32_t steps)
{
    tact_debug_point last = tact_debug_along(centre, radius, u);
    for (uint32_t k = 1; k <= steps; ++k) {
        const tact_debug_point next =
            tact_debug_along(tact_debug_along(centre, radius * cosine(k), u), radius * sine(k), v);
        tact_debug_put_line(batch, kind, last, next);
        last = next;
    }
}

void tact_debug_put_sphere(tact_debug_batch* batch, tact_debug_kind kind, tact_sphere s)
{
    if (!tact_debug_finite(&s.center.x, 3) || !isfinite(s.radius) || s.radius < 0.0f) return;
    for (int axis = 0; axis < 3; ++axis) {
        tact_debug_point u = {{0, 0, 0}}, v = {{0, 0, 0}};
        u.p[(axis + 1) % 3] = v.p[(axis + 2) % 3] = 1.0;
        tact_debug_put_arc(batch, kind, tact_debug_at(s.center), u, v, (double)s.radius, ROUND);
    }
}

tact_result tact_debug_aabb(tact_debug_draw* draw, tact_debug_kind kind, tact_aabb box)
{
    return tact_debug_moved_aabb(draw, kind, box, NULL);
}

tact_result tact_debug_moved_aabb(tact_debug_draw* draw, tact_debug_kind kind, tact_aabb box,
                                  const float object_to_world[12])
{
    tact_error_begin(NULL);
    if (!draw) return tact_null(NULL, "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_put_box(&batch, kind, box, object_to_world);
    return tact_debug_end(&batch);
}

tact_result tact_debug_obb(tact_debug_draw* draw, tact_debug_kind kind, const tact_obb* box)
{
    tact_error_begin(NULL);
    if (!draw || !box) return tact_null(NULL, draw ? "box" : "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    const float* half = &box->half.x;
    const bool holds = half[0] >= 0.0f && half[1] >= 0.0f && half[2] >= 0.0f;
    if (holds && tact_debug_finite(&box->center.x, sizeof *box / sizeof(float))) {
        tact_debug_point corners[8];
        for (uint32_t c = 0; c < 8; ++c) {
            corners[c] = tact_debug_at(box->center);
            for (uint32_t i = 0; i < 3; ++i) {
                const double side = c >> i & 1u ? (double)half[i] : -(double)half[i];
                corners[c] = tact_debug_along(corners[c], side, tact_debug_at(box->axis[i]));
            }
        }
        tact_debug_put_edges(&batch, kind, corners);
    }
    return tact_debug_end(&batch);
}

tact_result tact_debug_sphere(tact_debug_draw* draw, tact_debug_kind kind, tact_sphere sphere)
{
    tact_error_begin(NULL);
    if (!draw) return tact_null(NULL, "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_put_sphere(&batch, kind, sphere);
    return tact_debug_end(&batch);
}

void tact_debug_put_capsule(tact_debug_batch* batch, tact_debug_kind kind, tact_capsule c)
{
    const tact_debug_point a = tact_debug_at(c.a), b = tact_debug_at(c.b);
    const double r = (double)c.radius;
    tact_debug_point n = tact_debug_along(b, -1.0, a), u, v;
    if (!tact_debug_finite(&c.a.x, 3) || !tact_debug_finite(&c.b.x, 3) || !isfinite(c.radius) || r < 0.0) return;
    if (!unit(&n)) {
        const tact_sphere sphere = {c.a, c.radius};
        tact_debug_put_sphere(batch, kind, sphere);
        return;
    }
    across(n, &u, &v);
    const tact_debug_point sides[4] = {u, v, scaled(u, -1.0), scaled(v, -1.0)};
    tact_debug_put_arc(batch, kind, a, u, v, r, ROUND);
    tact_debug_put_arc(batch, kind, b, u, v, r, ROUND);
    for (int i = 0; i < 4; ++i)
        tact_debug_put_line(batch, kind, tact_debug_along(a, r, sides[i]), tact_debug_along(b, r, sides[i]));
    for (int i = 0; i < 2; ++i) {
        tact_debug_put_arc(batch, kind, a, sides[i], scaled(n, -1.0), r, ROUND / 2);
        tact_debug_put_arc(batch, kind, b, sides[i], n, r, ROUND / 2);
    }
}

tact_result tact_debug_capsule(tact_debug_draw* draw, tact_debug_kind kind, tact_capsule capsule)
{
    tact_error_begin(NULL);
    if (!draw) return tact_null(NULL, "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_put_capsule(&batch, kind, capsule);
    return tact_debug_end(&batch);
}

void tact_debug_put_plane(tact_debug_batch* batch, tact_plane plane, tact_vec3 center, double size)
{
    tact_debug_point n = tact_debug_at(plane.normal), u, v;
    const double length = sqrt(dot(n, n));
    if (!tact_debug_finite(&plane.normal.x, 3) || !isfinite(plane.distance) || !tact_debug_finite(&center.x, 3) ||
        !isfinite(size) || size < 0.0 || !unit(&n)) {
        return;
    }
    const tact_debug_point from = tact_debug_at(center);
    const tact_debug_point at = tact_debug_along(from, (double)plane.distance / length - dot(n, from), n);
    across(n, &u, &v);
    tact_debug_point corners[4];
    for (uint32_t c = 0; c < 4; ++c) {
        const double su = c == 0 || c == 3 ? -0.5 : 0.5, sv = c < 2 ? -0.5 : 0.5;
        corners[c] = tact_debug_along(tact_debug_along(at, su * size, u), sv * size, v);
    }
    for (uint32_t c = 0; c < 4; ++c)
        tact_debug_put_line(batch, TACT_DEBUG_PLANE, corners[c], corners[(c + 1) % 4]);
    tact_debug_put_line(batch, TACT_DEBUG_PLANE, corners[0], corners[2]);
    tact_debug_put_line(batch, TACT_DEBUG_PLANE, corners[1], corners[3]);
    tact_debug_put_line(batch, TACT_DEBUG_NORMAL, at, tact_debug_along(at, 0.25 * size, n));
}

tact_result tact_debug_plane(tact_debug_draw* draw, tact_plane plane, tact_vec3 center, float size)
{
    tact_error_begin(NULL);
    if (!draw) return tact_null(NULL, "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_put_plane(&batch, plane, center, (double)size);
    return tact_debug_end(&batch);
}

tact_result tact_debug_triangle(tact_debug_draw* draw, tact_triangle triangle, bool face)
{
    tact_error_begin(NULL);
    if (!draw) return tact_null(NULL, "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    if (tact_debug_finite(&triangle.a.x, 9)) {
        const tact_debug_point p[3] = {tact_debug_at(triangle.a), tact_debug_at(triangle.b), tact_debug_at(triangle.c)};
        if (face) tact_debug_put(&batch, TACT_DEBUG_FACE, p, 3);
        for (int i = 0; i < 3; ++i)
            tact_debug_put_line(&batch, TACT_DEBUG_TRIANGLE, p[i], p[(i + 1) % 3]);
    }
    return tact_debug_end(&batch);
}

tact_result tact_debug_frustum(tact_debug_draw* draw, const tact_frustum* f, float reach)
{
    tact_error_begin(NULL);
    if (!draw || !f) return tact_null(NULL, draw ? "frustum" : "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    const bool good = f->planes != 0 && tact_debug_finite(&f->corner[0].x, 24) && isfinite(reach) && reach >= 0.0f;
    for (uint32_t axis = 0; good && axis < 3; ++axis) {
        for (uint32_t c = 0; c < 8; ++c) {
            const uint32_t d = c | 1u << axis;
            if (c == d) continue;
            const bool far_c = f->directions >> c & 1u, far_d = f->directions >> d & 1u;
            if (far_c && far_d) continue;
            tact_debug_point a = tact_debug_at(f->corner[c]), b = tact_debug_at(f->corner[d]);
            if (far_c) a = tact_debug_along(b, (double)reach, a);
            if (far_d) b = tact_debug_along(a, (double)reach, b);
            tact_debug_put_line(&batch, TACT_DEBUG_FRUSTUM, a, b);
        }
    }
    return tact_debug_end(&batch);
}

static void put_ray(tact_debug_batch* batch, const tact_ray* ray, const tact_hit* hit, const tact_vec3* normal,
                    double reach)
{
    const float* r = &ray->ox;
    const bool hits = hit && hit->instance != TACT_NONE;
    const double from = (double)ray->tmin, end = hits ? (double)hit->t : (double)ray->tmax;
    const tact_debug_point o = {{(double)r[0], (double)r[1], (double)r[2]}},
                           d = {{(double)r[4], (double)r[5], (double)r[6]}};
    const double length = sqrt(dot(d, d));
    // Infinite reaches are no use: a ray may have no end. A NaN makes the comparisons fail.
    if (!tact_debug_finite(r, 7) || !isfinite(reach) || !(reach >= 0.0) || !(length > 0.0) || !(end >= from)) return;
    const double longest = reach / length;
    const double to = end - from < longest ? end : from + longest;
    const tact_debug_point last = tact_debug_along(o, to, d);
    tact_debug_put_line(batch, hits ? TACT_DEBUG_RAY : TACT_DEBUG_MISS, tact_debug_along(o, from, d), last);
    if (!hits || to < end) return;
    if (normal && tact_debug_finite(&normal->x, 3)) {
        tact_debug_put_line(batch, TACT_DEBUG_NORMAL, last, tact_debug_along(last, 1.0, tact_debug_at(*normal)));
    }
    tact_debug_put(batch, TACT_DEBUG_HIT, &last, 1);
}

tact_result tact_debug_ray(tact_debug_draw* draw, const tact_ray* ray, const tact_hit* hit, const tact_vec3* normal,
                           float reach)
{
    tact_error_begin(NULL);
    if (!draw || !ray) return tact_null(NULL, draw ? "ray" : "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    put_ray(&batch, ray, hit, normal, (double)reach);
    return tact_debug_end(&batch);
}

tact_result tact_debug_contact(tact_debug_draw* draw, tact_vec3 point, tact_vec3 normal, float length)
{
    tact_error_begin(NULL);
    if (!draw) return tact_null(NULL, "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    if (tact_debug_finite(&point.x, 3)) {
        const tact_debug_point p = tact_debug_at(point);
        tact_debug_point n = tact_debug_at(normal);
        if (tact_debug_finite(&normal.x, 3) && isfinite(length) && unit(&n)) {
            tact_debug_put_line(&batch, TACT_DEBUG_NORMAL, p, tact_debug_along(p, (double)length, n));
        }
        tact_debug_put(&batch, TACT_DEBUG_CONTACT, &p, 1);
    }
    return tact_debug_end(&batch);
}

tact_result tact_debug_triangle_contacts(tact_debug_draw* draw, const tact_triangle_contact* contacts, size_t count,
                                         const float object_to_world[12])
{
    tact_error_begin(NULL);
    if (!draw || (count && !contacts)) return tact_null(NULL, draw ? "contacts" : "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    if (object_to_world && !tact_debug_finite(object_to_world, 12)) count = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_segment* s = &contacts[i].segment;
        const bool point = contacts[i].meeting == TACT_TRIANGLES_MEET_IN_POINT;
        if (!point && contacts[i].meeting != TACT_TRIANGLES_MEET_IN_SEGMENT) continue;
        if (!tact_debug_finite(&s->a.x, 6)) continue;
        const tact_debug_point ends[2] = {tact_debug_move(object_to_world, &s->a.x),
                                          tact_debug_move(object_to_world, &s->b.x)};
        tact_debug_put(&batch, TACT_DEBUG_CONTACT, ends, point ? 1 : 2);
    }
    return tact_debug_end(&batch);
}

tact_result tact_debug_manifold(tact_debug_draw* draw, const tact_manifold* m, float length)
{
    tact_error_begin(NULL);
    if (!draw || !m) return tact_null(NULL, draw ? "manifold" : "draw");
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_point n = tact_debug_at(m->normal);
    const bool points_somewhere = tact_debug_finite(&m->normal.x, 3) && isfinite(length) && unit(&n);
    for (uint32_t i = 0; i < m->count && i < TACT_MANIFOLD_POINTS; ++i) {
        const tact_manifold_point* p = &m->point[i];
        if (!tact_debug_finite(&p->a.x, 3) || !tact_debug_finite(&p->b.x, 3)) continue;
        const tact_debug_point a = tact_debug_at(p->a), b = tact_debug_at(p->b);
        tact_debug_put_line(&batch, TACT_DEBUG_PENETRATION, a, b);
        if (points_somewhere) tact_debug_put_line(&batch, TACT_DEBUG_NORMAL, a, tact_debug_along(a, (double)length, n));
        tact_debug_put(&batch, TACT_DEBUG_CONTACT, &a, 1);
        tact_debug_put(&batch, TACT_DEBUG_CONTACT, &b, 1);
    }
    return tact_debug_end(&batch);
}
