// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/overlap_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/overlap.h"
#include "tact/geometry/ray.h"

/// Squares of the distances of a point from a box: the least of its points, the farthest, and the least of its surface.
typedef struct reaches {
    double near2, far2, surface2;
} reaches;

static bool reach_box(tact_sphere s, tact_aabb box, reaches* r)
{
    if (!sphere_valid(s.center, s.radius) || !aabb_valid(box)) return false;
    double inside = HUGE_VAL;
    *r = (reaches){0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        const double c = d_at(d_from(s.center), k);
        const double below = d_at(d_from(box.lower), k) - c, above = c - d_at(d_from(box.upper), k);
        const double off = fmax(0.0, fmax(below, above)), far = fmax(fabs(below), fabs(above));
        r->near2 += off * off;
        r->far2 += far * far;
        inside = fmin(inside, fmin(-below, -above));
    }
    r->surface2 = inside > 0.0 ? inside * inside : r->near2;
    return true;
}

bool tact_hollow_sphere_overlaps_aabb(tact_sphere s, tact_aabb box)
{
    reaches r;
    const double square = (double)s.radius * (double)s.radius;
    return reach_box(s, box, &r) && r.near2 <= square && square <= r.far2;
}

bool tact_sphere_overlaps_hollow_aabb(tact_sphere s, tact_aabb box)
{
    reaches r;
    return reach_box(s, box, &r) && r.surface2 <= (double)s.radius * (double)s.radius;
}

bool tact_hollow_sphere_overlaps_hollow_aabb(tact_sphere s, tact_aabb box)
{
    reaches r;
    const double square = (double)s.radius * (double)s.radius;
    return reach_box(s, box, &r) && r.surface2 <= square && square <= r.far2;
}

/// Newell's normal.
static dvec normal_of(const tact_vec3* vertices, size_t count)
{
    dvec n = d_make(0.0, 0.0, 0.0);
    const dvec first = d_from(vertices[0]);
    for (size_t i = 1; i + 1 < count; ++i) {
        const dvec a = d_sub(d_from(vertices[i]), first), b = d_sub(d_from(vertices[i + 1]), first);
        n = d_add(n, d_cross(a, b));
    }
    return n;
}

/// The diagonal of a box that is steepest to a plane, as a segment.
static tact_ray steepest(tact_aabb box, dvec n)
{
    const bool x = n.x < 0.0, y = n.y < 0.0, z = n.z < 0.0;
    const tact_vec3 from = {x ? box.upper.x : box.lower.x, y ? box.upper.y : box.lower.y,
                            z ? box.upper.z : box.lower.z};
    const tact_vec3 to = {x ? box.lower.x : box.upper.x, y ? box.lower.y : box.upper.y, z ? box.lower.z : box.upper.z};
    const tact_vec3 way = d_round(d_sub(d_from(to), d_from(from)));
    return (tact_ray){from.x, from.y, from.z, 0.0f, way.x, way.y, way.z, 1.0f};
}

/// Whether a point is in the plane of a polygon, by three of its vertices, and inside it as seen along the normal's
/// largest coordinate.
static bool holds_point(const tact_vec3* vertices, size_t count, dvec n, tact_vec3 p)
{
    size_t second = 1, third;
    while (second < count && d_same(d_from(vertices[second]), d_from(vertices[0])))
        ++second;
    for (third = second + 1; third < count; ++third) {
        if (!tact_collinear(vertices[0], vertices[second], vertices[third])) break;
    }
    if (third >= count || tact_orient3d(vertices[0], vertices[second], vertices[third], p) != 0) return false;
    const int axis = fabs(n.x) >= fmax(fabs(n.y), fabs(n.z)) ? 0 : fabs(n.y) >= fabs(n.z) ? 1 : 2;
    const tact_vec2 q = tact_drop_axis(p, axis);
    bool inside = false;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec2 a = tact_drop_axis(vertices[i], axis);
        const tact_vec2 b = tact_drop_axis(vertices[i + 1 < count ? i + 1 : 0], axis);
        if ((a.y <= q.y) == (b.y <= q.y)) continue;
        if ((tact_orient2d(a, b, q) > 0) == (a.y < b.y)) inside = !inside;
    }
    return inside;
}

bool tact_aabb_overlaps_polygon(tact_aabb box, const tact_vec3* vertices, size_t count)
{
    if (!aabb_valid(box) || !v_all_finite(vertices, count)) return false;
    // The plane of one that is not flat goes on beyond its vertices.
    if (!tact_aabb_overlaps_aabb(box, tact_aabb_from_points(vertices, count, 0))) return false;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 a = vertices[i], b = vertices[i + 1 < count ? i + 1 : 0];
        const tact_triangle edge = {a, b, b};
        if (tact_aabb_overlaps_triangle(box, &edge)) return true;
    }
    if (count < 3) return false;
    // No edge meets the box, so what it has of the plane is inside or outside of the polygon as a whole.
    const dvec n = normal_of(vertices, count);
    const tact_ray diagonal = steepest(box, n);
    if (d_dot(n, d_make((double)diagonal.dx, (double)diagonal.dy, (double)diagonal.dz)) == 0.0) {
        return holds_point(vertices, count, n, box.lower);
    }
    return tact_ray_polygon(&diagonal, vertices, count).hit;
}
