// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/kdop.h"

#include "cpu_ref/geometry/hull_internal.h"
#include "cpu_ref/geometry/overlap_internal.h"
#include "cpu_ref/geometry/round_internal.h"
#include "tact/geometry/convex_mesh.h"

// The faces stand at both ends, so that every family is a range.
static const tact_vec3 axes[] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1},               // faces
    {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},  // corners
    {1, 1, 0}, {1, -1, 0}, {1, 0, 1},  {1, 0, -1},  // edges
    {0, 1, 1}, {0, 1, -1},                          //
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1},               // faces
};

const tact_vec3* tact_kdop_axes(uint32_t k)
{
    switch (k) {
        case 6:
        case 14:
        case 26:
            return axes;
        case 8:
        case 20:
            return axes + 3;
        case 12:
        case 18:
            return axes + 7;
        default:
            return NULL;
    }
}

tact_kdop tact_kdop_empty(uint32_t k)
{
    tact_kdop r = {.k = tact_kdop_axes(k) ? k : 0};
    for (int i = 0; i < TACT_KDOP_AXES_MAX; ++i) {
        r.lower[i] = INFINITY;
        r.upper[i] = -INFINITY;
    }
    return r;
}

bool tact_kdop_is_empty(const tact_kdop* kdop)
{
    if (!tact_kdop_axes(kdop->k)) return true;
    for (uint32_t i = 0; i < kdop->k / 2; ++i) {
        if (!(kdop->lower[i] <= kdop->upper[i])) return true;
    }
    return false;
}

/// No bound is NaN or infinite, no slab empty.
static bool is_sound(const tact_kdop* kdop)
{
    if (tact_kdop_is_empty(kdop)) return false;
    for (uint32_t i = 0; i < kdop->k / 2; ++i) {
        if (!isfinite(kdop->lower[i]) || !isfinite(kdop->upper[i])) return false;
    }
    return true;
}

/// sum + n . p, exact up to the slack: the components of n are -1, 0 and 1.
static dbound add_projection(dbound sum, tact_vec3 n, tact_vec3 p)
{
    if (n.x != 0) sum = d_bound_add(sum, (double)n.x * (double)p.x);
    if (n.y != 0) sum = d_bound_add(sum, (double)n.y * (double)p.y);
    if (n.z != 0) sum = d_bound_add(sum, (double)n.z * (double)p.z);
    return sum;
}

/// Widens the bounds to what they must hold, rounded outward.
static void include(float* lower, float* upper, dbound at)
{
    const double off = fabs(at.error) + 2 * at.slack;
    if (at.value - off > (double)*lower && at.value + off < (double)*upper) return;
    const float low = d_bound_down(at), high = d_bound_up(at);
    if (low < *lower) *lower = low;
    if (high > *upper) *upper = high;
}

tact_kdop tact_kdop_from_points(uint32_t k, const tact_vec3* points, size_t count, size_t stride)
{
    const tact_vec3* const n = tact_kdop_axes(k);
    const dbound zero = d_bound_from(0);
    tact_kdop r = tact_kdop_empty(k);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = point_at(points, stride, i);
        if (!v_finite(p)) return tact_kdop_empty(k);
        for (uint32_t j = 0; j < r.k / 2; ++j)
            include(&r.lower[j], &r.upper[j], add_projection(zero, n[j], p));
    }
    return r;
}

tact_kdop tact_kdop_from_transformed_points(uint32_t k, const tact_vec3* points, size_t count, size_t stride,
                                            const tact_transform* transform)
{
    const tact_vec3* const n = tact_kdop_axes(k);
    const dbound zero = d_bound_from(0);
    tact_kdop r = tact_kdop_empty(k);
    if (!transform_finite(transform)) return r;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = point_at(points, stride, i);
        if (!v_finite(p)) return tact_kdop_empty(k);
        for (uint32_t j = 0; j < r.k / 2; ++j)
            include(&r.lower[j], &r.upper[j], d_bound_add_image(zero, transform, p, d_from(n[j])));
    }
    return r;
}

/// The direction before the transform whose heights are those along n after it.
static dvec pulled_back(const tact_transform* m, dvec n)
{
    double d[3];
    for (int j = 0; j < 3; ++j)
        d[j] = (n.x * (double)m->m[0][j] + n.y * (double)m->m[1][j]) + n.z * (double)m->m[2][j];
    return d_make(d[0], d[1], d[2]);
}

tact_kdop tact_kdop_climb(uint32_t k, const tact_hull_graph* graph, const tact_transform* transform, uint32_t* extreme)
{
    const tact_vec3* const n = tact_kdop_axes(k);
    const dbound zero = d_bound_from(0);
    tact_kdop r = tact_kdop_empty(k);
    if (!transform_finite(transform) || graph->count == 0) return r;
    for (uint32_t side = 0; side < r.k; ++side) {
        const dvec axis = d_from(n[side / 2]);
        const dvec along = d_scale(pulled_back(transform, axis), side % 2 ? 1 : -1);
        // A transform that flattens this axis maps all vertices to one height: any will do.
        const bool flat = along.x == 0 && along.y == 0 && along.z == 0;
        const uint32_t top = flat ? 0 : tact_hull_graph_climb(graph, along, extreme[side]);
        if (top == UINT32_MAX || !v_finite(graph->vertex[top])) return tact_kdop_empty(k);
        extreme[side] = top;
        const dbound at = d_bound_add_image(zero, transform, graph->vertex[top], axis);
        if (side % 2)
            r.upper[side / 2] = d_bound_up(at);
        else
            r.lower[side / 2] = d_bound_down(at);
    }
    return r;
}

/// How far the image of a point along n may be from that of the point before it was rounded to floats.
static double image_off(const tact_transform* m, tact_vec3 p, dvec n)
{
    const double off[3] = {0x1.01p-24 * fabs((double)p.x) + 0x1p-149, 0x1.01p-24 * fabs((double)p.y) + 0x1p-149,
                           0x1.01p-24 * fabs((double)p.z) + 0x1p-149};
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            sum += fabs(d_at(n, i) * (double)m->m[i][j]) * off[j];
    }
    return sum;
}

tact_kdop tact_kdop_realign(uint32_t k, const tact_convex_mesh* mesh, const tact_transform* transform)
{
    const tact_vec3* const axis = tact_kdop_axes(k);
    tact_kdop r = tact_kdop_empty(k);
    if (!transform_finite(transform)) return r;
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        const tact_vec3 p = mesh->points[i];
        if (!v_finite(p)) return tact_kdop_empty(k);
        for (uint32_t j = 0; j < r.k / 2; ++j) {
            const dvec n = d_from(axis[j]);
            const dbound from = {0.0, 0.0, image_off(transform, p, n)};
            include(&r.lower[j], &r.upper[j], d_bound_add_image(from, transform, p, n));
        }
    }
    return r;
}

/// 1, or a square root rounded to nearest.
static double axis_length(tact_vec3 n)
{
    return sqrt((double)(n.x * n.x + n.y * n.y + n.z * n.z));
}

tact_kdop tact_kdop_from_sphere(uint32_t k, tact_sphere sphere)
{
    const tact_vec3* const n = tact_kdop_axes(k);
    tact_kdop r = tact_kdop_empty(k);
    if (!v_finite(sphere.center) || !(sphere.radius >= 0) || !isfinite(sphere.radius)) return r;
    for (uint32_t j = 0; j < r.k / 2; ++j) {
        const double length = axis_length(n[j]), reach = length * (double)sphere.radius;
        const dbound c = add_projection((dbound){0, 0, length == 1 ? 0 : 0x1p-51 * reach}, n[j], sphere.center);
        r.lower[j] = d_bound_down(d_bound_add(c, -reach));
        r.upper[j] = d_bound_up(d_bound_add(c, reach));
    }
    return r;
}

tact_kdop tact_kdop_from_aabb(uint32_t k, tact_aabb box)
{
    tact_vec3 corner[8];
    return tact_kdop_from_points(k, corner, aabb_corners(box, corner), 0);
}

bool tact_kdop_overlaps_kdop(const tact_kdop* a, const tact_kdop* b)
{
    if (a->k != b->k || !tact_kdop_axes(a->k)) return false;
    for (uint32_t i = 0; i < a->k / 2; ++i) {
        if (!(a->lower[i] <= b->upper[i] && b->lower[i] <= a->upper[i])) return false;
    }
    return is_sound(a) && is_sound(b);
}

bool tact_kdop_contains_point(const tact_kdop* kdop, tact_vec3 p)
{
    if (!v_finite(p) || !is_sound(kdop)) return false;
    const tact_vec3* const n = tact_kdop_axes(kdop->k);
    const dvec at = d_from(p);
    for (uint32_t i = 0; i < kdop->k / 2; ++i) {
        const dvec axis = d_from(n[i]);
        if (exact_height(axis, (double)kdop->lower[i], at) < 0) return false;
        if (exact_height(axis, (double)kdop->upper[i], at) > 0) return false;
    }
    return true;
}

tact_kdop tact_kdop_union(const tact_kdop* a, const tact_kdop* b)
{
    const bool no_a = tact_kdop_is_empty(a), no_b = tact_kdop_is_empty(b);
    if (no_a || no_b) return no_b ? no_a ? tact_kdop_empty(a->k) : *a : *b;
    if (a->k != b->k) return tact_kdop_empty(a->k);
    tact_kdop r = *a;
    for (uint32_t i = 0; i < r.k / 2; ++i) {
        if (b->lower[i] < r.lower[i]) r.lower[i] = b->lower[i];
        if (b->upper[i] > r.upper[i]) r.upper[i] = b->upper[i];
    }
    return r;
}

tact_kdop tact_kdop_translate(const tact_kdop* kdop, tact_vec3 t)
{
    if (!v_finite(t) || !is_sound(kdop)) return tact_kdop_empty(kdop->k);
    const tact_vec3* const n = tact_kdop_axes(kdop->k);
    tact_kdop r = *kdop;
    for (uint32_t i = 0; i < r.k / 2; ++i) {
        r.lower[i] = d_bound_down(add_projection(d_bound_from((double)kdop->lower[i]), n[i], t));
        r.upper[i] = d_bound_up(add_projection(d_bound_from((double)kdop->upper[i]), n[i], t));
    }
    return r;
}

/// n . p by exact products.
static dbound height_of(tact_vec3 n, tact_vec3 p)
{
    const dbound zero = d_bound_from(0);
    const dbound x = d_bound_add(zero, (double)n.x * (double)p.x);
    return d_bound_add(d_bound_add(x, (double)n.y * (double)p.y), (double)n.z * (double)p.z);
}

static bool is_normal(tact_vec3 n)
{
    return v_finite(n) && (n.x != 0 || n.y != 0 || n.z != 0);
}

static tact_slab slab_of(const tact_vec3* points, size_t count, size_t stride, tact_vec3 normal)
{
    const tact_slab empty = {normal, INFINITY, -INFINITY};
    if (!is_normal(normal)) return empty;
    tact_slab s = empty;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = point_at(points, stride, i);
        if (!v_finite(p)) return empty;
        include(&s.lower, &s.upper, height_of(normal, p));
    }
    return s;
}

void tact_slabs_from_points(const tact_vec3* points, size_t count, size_t stride, const tact_vec3* normals,
                            size_t normal_count, tact_slab* slabs)
{
    for (size_t i = 0; i < normal_count; ++i)
        slabs[i] = slab_of(points, count, stride, normals[i]);
}

static bool slab_is_sound(const tact_slab* s)
{
    return is_normal(s->normal) && s->lower <= s->upper && isfinite(s->lower) && isfinite(s->upper);
}

bool tact_slabs_overlap(const tact_slab* a, const tact_slab* b, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 n = a[i].normal, m = b[i].normal;
        if (!slab_is_sound(&a[i]) || !slab_is_sound(&b[i]) || n.x != m.x || n.y != m.y || n.z != m.z) return false;
        if (!(a[i].lower <= b[i].upper && b[i].lower <= a[i].upper)) return false;
    }
    return count > 0;
}

bool tact_slabs_contain_point(const tact_slab* slabs, size_t count, tact_vec3 point)
{
    if (!v_finite(point)) return false;
    for (size_t i = 0; i < count; ++i) {
        if (!slab_is_sound(&slabs[i])) return false;
        const dvec n = d_from(slabs[i].normal), p = d_from(point);
        if (exact_height(n, (double)slabs[i].lower, p) < 0) return false;
        if (exact_height(n, (double)slabs[i].upper, p) > 0) return false;
    }
    return count > 0;
}
