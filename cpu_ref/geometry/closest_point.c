// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/closest_point.h"

#include "cpu_ref/geometry/closest_point_internal.h"
#include "cpu_ref/geometry/exact.h"

static tact_closest answer_near(const near_point* n)
{
    return near_answer(n->point, n->square, n->weight[0], n->weight[1], n->weight[2]);
}

float tact_plane_signed_distance(tact_vec3 p, tact_plane plane)
{
    const dvec n = d_from(plane.normal);
    const double length = d_length(n);
    if (!v_finite(p) || !d_finite(n) || !isfinite(plane.distance) || !(length > 0.0)) return NAN;
    return (float)((d_dot(n, d_from(p)) - (double)plane.distance) / length);
}

tact_closest tact_closest_on_plane(tact_vec3 p, tact_plane plane)
{
    const dvec n = d_from(plane.normal), q = d_from(p);
    const double square = d_dot(n, n);
    if (!v_finite(p) || !d_finite(n) || !isfinite(plane.distance) || !(square > 0.0)) return near_nowhere;
    const double t = d_dot(n, q) - (double)plane.distance;
    const double away = t / sqrt(square);
    return near_answer(d_along(q, -t / square, n), away * away, away, 0.0, 0.0);
}

tact_closest tact_closest_on_line(tact_vec3 p, tact_segment line)
{
    if (!v_finite(p) || !v_finite(line.a) || !v_finite(line.b)) return near_nowhere;
    const dvec q = d_from(p), a = d_from(line.a), ab = d_sub(d_from(line.b), a);
    const double whole = d_dot(ab, ab);
    const double t = whole > 0.0 ? d_dot(d_sub(q, a), ab) / whole : 0.0;
    const dvec r = d_along(a, t, ab);
    return near_answer(r, near_square(q, r), 1.0 - t, t, 0.0);
}

tact_closest tact_closest_on_segment(tact_vec3 p, tact_segment s)
{
    if (!v_finite(p) || !v_finite(s.a) || !v_finite(s.b)) return near_nowhere;
    const near_point n = near_segment(d_from(p), d_from(s.a), d_from(s.b));
    return answer_near(&n);
}

tact_closest tact_closest_on_ray(tact_vec3 p, const tact_ray* ray)
{
    const dvec o = d_make((double)ray->ox, (double)ray->oy, (double)ray->oz);
    const dvec d = d_make((double)ray->dx, (double)ray->dy, (double)ray->dz), q = d_from(p);
    if (!d_finite(o) || !d_finite(d) || !d_finite(q) || !(ray->tmin <= ray->tmax)) return near_nowhere;
    const double whole = d_dot(d, d);
    const double t = d_clamp(whole > 0.0 ? d_dot(d_sub(q, o), d) / whole : 0.0, (double)ray->tmin, (double)ray->tmax);
    if (!isfinite(t)) return near_nowhere;
    const dvec r = d_along(o, t, d);
    return near_answer(r, near_square(q, r), 0.0, t, 0.0);
}

tact_closest tact_closest_on_aabb(tact_vec3 p, const tact_aabb* box)
{
    const dvec q = d_from(p), low = d_from(box->lower), high = d_from(box->upper);
    const bool usable = d_finite(q) && d_finite(low) && d_finite(high);
    if (!usable || !(low.x <= high.x && low.y <= high.y && low.z <= high.z)) return near_nowhere;
    const dvec r = d_make(d_clamp(q.x, low.x, high.x), d_clamp(q.y, low.y, high.y), d_clamp(q.z, low.z, high.z));
    return near_answer(r, near_square(q, r), 0.0, 0.0, 0.0);
}

tact_closest tact_closest_on_obb(tact_vec3 p, const tact_obb* box)
{
    const dvec q = d_from(p), center = d_from(box->center), half = d_from(box->half), away = d_sub(q, center);
    bool usable = d_finite(away) && d_finite(half) && half.x >= 0.0 && half.y >= 0.0 && half.z >= 0.0;
    dvec r = center;
    double at[3];
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        const dvec axis = d_from(box->axis[i]);
        const double x = d_dot(away, axis), extent = d_at(half, i);
        usable = usable && d_finite(axis);
        at[i] = d_clamp(x, -extent, extent);
        inside = inside && at[i] == x;
        r = d_along(r, at[i], axis);
    }
    if (!usable) return near_nowhere;
    if (inside) r = q;  // axes of rounded floats would not lead back to it
    return near_answer(r, near_square(q, r), at[0], at[1], at[2]);
}

tact_closest tact_closest_on_rectangle(tact_vec3 p, tact_vec3 corner, tact_vec3 edge0, tact_vec3 edge1)
{
    const dvec q = d_from(p), c = d_from(corner), e = d_from(edge0), f = d_from(edge1), away = d_sub(q, c);
    if (!d_finite(away) || !d_finite(e) || !d_finite(f)) return near_nowhere;
    const double ee = d_dot(e, e), ff = d_dot(f, f);
    const double u = ee > 0.0 ? d_clamp(d_dot(away, e) / ee, 0.0, 1.0) : 0.0;
    const double v = ff > 0.0 ? d_clamp(d_dot(away, f) / ff, 0.0, 1.0) : 0.0;
    const dvec r = d_along(d_along(c, u, e), v, f);
    return near_answer(r, near_square(q, r), u, v, 0.0);
}

static bool usable_triangle(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    return v_finite(a) && v_finite(b) && v_finite(c);
}

tact_closest tact_closest_on_triangle(tact_vec3 p, const tact_triangle* t)
{
    if (!v_finite(p) || !usable_triangle(t->a, t->b, t->c)) return near_nowhere;
    const near_point n = near_triangle(d_from(p), d_from(t->a), d_from(t->b), d_from(t->c));
    return answer_near(&n);
}

/// Inside or on the surface, when the tetrahedron has a volume.
static bool inside_tetrahedron(tact_vec3 p, const tact_vec3 v[4])
{
    const double whole = exact_volume6(v[0], v[1], v[2], v[3]);
    if (whole == 0.0) return false;
    const double part[4] = {exact_volume6(p, v[1], v[2], v[3]), exact_volume6(v[0], p, v[2], v[3]),
                            exact_volume6(v[0], v[1], p, v[3]), exact_volume6(v[0], v[1], v[2], p)};
    for (int i = 0; i < 4; ++i)
        if (whole > 0.0 ? part[i] < 0.0 : part[i] > 0.0) return false;
    return true;
}

tact_closest tact_closest_on_tetrahedron(tact_vec3 p, const tact_vec3 vertices[4])
{
    static const int faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    if (!v_finite(p) || !usable_triangle(vertices[0], vertices[1], vertices[2]) || !v_finite(vertices[3]))
        return near_nowhere;
    if (inside_tetrahedron(p, vertices)) return near_answer(d_from(p), 0.0, 0.0, 0.0, 0.0);
    near_point best = {{0, 0, 0}, HUGE_VAL, {0, 0, 0}};
    for (int i = 0; i < 4; ++i) {
        const near_point n = near_triangle(d_from(p), d_from(vertices[faces[i][0]]), d_from(vertices[faces[i][1]]),
                                           d_from(vertices[faces[i][2]]));
        if (n.square < best.square) best = n;
    }
    return near_answer(best.point, best.square, 0.0, 0.0, 0.0);
}

/// The nearest triangle; of a convex solid's, only those that see p. `*seen` says whether any does.
static tact_closest nearest_triangle(tact_vec3 p, const tact_vec3* vertices, const uint32_t* indices, uint32_t count,
                                     bool front_only, uint32_t* triangle, bool* seen)
{
    near_point best = {{(double)NAN, (double)NAN, (double)NAN}, HUGE_VAL, {(double)NAN, (double)NAN, (double)NAN}};
    *triangle = count;
    *seen = false;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* at = indices + 3 * (size_t)i;
        const tact_vec3 a = vertices[at[0]], b = vertices[at[1]], c = vertices[at[2]];
        if (!usable_triangle(a, b, c)) continue;
        if (front_only && !(exact_volume6(a, b, c, p) > 0.0)) continue;
        const near_point n = near_triangle(d_from(p), d_from(a), d_from(b), d_from(c));
        *seen = true;
        if (!(n.square < best.square)) continue;
        best = n;
        *triangle = i;
    }
    return answer_near(&best);
}

tact_closest tact_closest_on_mesh(tact_vec3 p, const tact_vec3* vertices, const uint32_t* indices, uint32_t count,
                                  uint32_t* triangle)
{
    uint32_t mine;
    bool seen;
    uint32_t* out = triangle ? triangle : &mine;
    *out = count;
    if (!v_finite(p)) return near_nowhere;
    return nearest_triangle(p, vertices, indices, count, false, out, &seen);
}

tact_closest tact_closest_on_convex(tact_vec3 p, const tact_vec3* vertices, const uint32_t* indices, uint32_t count,
                                    uint32_t* triangle)
{
    uint32_t mine;
    bool seen;
    uint32_t* out = triangle ? triangle : &mine;
    *out = count;
    if (!v_finite(p) || count == 0) return near_nowhere;
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        if (!v_finite(vertices[indices[i]])) return near_nowhere;
    const tact_closest r = nearest_triangle(p, vertices, indices, count, true, out, &seen);
    return seen ? r : near_answer(d_from(p), 0.0, 0.0, 0.0, 0.0);
}

tact_closest tact_closest_on_sphere(tact_vec3 p, const tact_sphere* sphere)
{
    const dvec q = d_from(p), c = d_from(sphere->center);
    if (!d_finite(q) || !d_finite(c) || !isfinite(sphere->radius) || !(sphere->radius >= 0.0f)) return near_nowhere;
    const near_point core = {c, near_square(q, c), {0.0, 0.0, 0.0}};
    return near_shell(q, &core, (double)sphere->radius);
}

tact_closest tact_closest_on_capsule(tact_vec3 p, const tact_capsule* capsule)
{
    const dvec q = d_from(p), a = d_from(capsule->a), b = d_from(capsule->b);
    if (!d_finite(q) || !d_finite(a) || !d_finite(b)) return near_nowhere;
    if (!isfinite(capsule->radius) || !(capsule->radius >= 0.0f)) return near_nowhere;
    const near_point core = near_segment(q, a, b);
    return near_shell(q, &core, (double)capsule->radius);
}
