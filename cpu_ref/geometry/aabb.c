// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/aabb.h"

#include "cpu_ref/geometry/hull_internal.h"
#include "cpu_ref/geometry/round_internal.h"

static const tact_aabb empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
static const tact_aabb_widths empty_widths = {{0, 0, 0}, {-1, -1, -1}};
static const tact_aabb_center empty_center = {{0, 0, 0}, {-1, -1, -1}};

static float least(float a, float b)
{
    return b < a ? b : a;
}

static float most(float a, float b)
{
    return b > a ? b : a;
}

static bool box_finite(tact_aabb box)
{
    return v_finite(box.lower) && v_finite(box.upper);
}

/// Finite, no negative extents.
static bool extents_valid(tact_vec3 at, tact_vec3 extent)
{
    return v_finite(at) && v_finite(extent) && extent.x >= 0 && extent.y >= 0 && extent.z >= 0;
}

tact_aabb tact_aabb_empty(void)
{
    return empty_box;
}

bool tact_aabb_is_empty(tact_aabb box)
{
    return !(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z);
}

static float sum_down(float a, float b)
{
    return d_sum_down(d_sum((double)a, (double)b));
}

static float sum_up(float a, float b)
{
    return d_sum_up(d_sum((double)a, (double)b));
}

tact_aabb_widths tact_aabb_to_widths(tact_aabb box)
{
    if (tact_aabb_is_empty(box) || !box_finite(box)) return empty_widths;
    const tact_aabb_widths r = {
        box.lower,
        {sum_up(box.upper.x, -box.lower.x), sum_up(box.upper.y, -box.lower.y), sum_up(box.upper.z, -box.lower.z)}};
    return v_finite(r.width) ? r : empty_widths;
}

static float middle(float lower, float upper)
{
    return (float)(0.5 * ((double)lower + (double)upper));
}

/// From the rounded centre to the farther bound.
static float half_width(float lower, float center, float upper)
{
    return most(sum_up(upper, -center), sum_up(center, -lower));
}

tact_aabb_center tact_aabb_to_center(tact_aabb box)
{
    if (tact_aabb_is_empty(box) || !box_finite(box)) return empty_center;
    const tact_vec3 c = {middle(box.lower.x, box.upper.x), middle(box.lower.y, box.upper.y),
                         middle(box.lower.z, box.upper.z)};
    const tact_aabb_center r = {c,
                                {half_width(box.lower.x, c.x, box.upper.x), half_width(box.lower.y, c.y, box.upper.y),
                                 half_width(box.lower.z, c.z, box.upper.z)}};
    return v_finite(r.half) ? r : empty_center;
}

tact_aabb tact_aabb_from_widths(tact_aabb_widths box)
{
    if (!extents_valid(box.lower, box.width)) return empty_box;
    const tact_aabb r = {
        box.lower,
        {sum_up(box.lower.x, box.width.x), sum_up(box.lower.y, box.width.y), sum_up(box.lower.z, box.width.z)}};
    return r;
}

static tact_aabb around(tact_vec3 center, tact_vec3 half)
{
    const tact_aabb r = {
        {sum_down(center.x, -half.x), sum_down(center.y, -half.y), sum_down(center.z, -half.z)},
        {sum_up(center.x, half.x), sum_up(center.y, half.y), sum_up(center.z, half.z)},
    };
    return r;
}

tact_aabb tact_aabb_from_center(tact_aabb_center box)
{
    return extents_valid(box.center, box.half) ? around(box.center, box.half) : empty_box;
}

/// Both intervals hold a number, and one in common.
static bool intervals_overlap(float a, float b, float c, float d)
{
    return a <= d && c <= b && a <= b && c <= d;
}

bool tact_aabb_overlaps_aabb(tact_aabb a, tact_aabb b)
{
    return intervals_overlap(a.lower.x, a.upper.x, b.lower.x, b.upper.x) &&
           intervals_overlap(a.lower.y, a.upper.y, b.lower.y, b.upper.y) &&
           intervals_overlap(a.lower.z, a.upper.z, b.lower.z, b.upper.z);
}

/// -aw <= al - bl <= bw
static bool widths_overlap(float al, float aw, float bl, float bw)
{
    const dsum t = d_sum((double)al, -(double)bl);
    const dsum above = {(double)bw, 0}, below = {-(double)aw, 0};
    return d_sum_at_most(t, above) && d_sum_at_most(below, t);
}

bool tact_aabb_widths_overlap(tact_aabb_widths a, tact_aabb_widths b)
{
    if (!extents_valid(a.lower, a.width) || !extents_valid(b.lower, b.width)) return false;
    return widths_overlap(a.lower.x, a.width.x, b.lower.x, b.width.x) &&
           widths_overlap(a.lower.y, a.width.y, b.lower.y, b.width.y) &&
           widths_overlap(a.lower.z, a.width.z, b.lower.z, b.width.z);
}

/// |ac - bc| <= ah + bh
static bool centers_overlap(float ac, float ah, float bc, float bh)
{
    const dsum t = ac >= bc ? d_sum((double)ac, -(double)bc) : d_sum((double)bc, -(double)ac);
    return d_sum_at_most(t, d_sum((double)ah, (double)bh));
}

bool tact_aabb_center_overlap(tact_aabb_center a, tact_aabb_center b)
{
    if (!extents_valid(a.center, a.half) || !extents_valid(b.center, b.half)) return false;
    return centers_overlap(a.center.x, a.half.x, b.center.x, b.half.x) &&
           centers_overlap(a.center.y, a.half.y, b.center.y, b.half.y) &&
           centers_overlap(a.center.z, a.half.z, b.center.z, b.half.z);
}

bool tact_interval_int_overlap(int32_t a, int32_t b, int32_t c, int32_t d)
{
    const uint64_t reach = (uint64_t)((int64_t)b - c);
    const uint64_t widths = (uint64_t)(((int64_t)b - a) + ((int64_t)d - c));
    return a <= b && c <= d && reach <= widths;
}

bool tact_aabb_int_overlap(const tact_aabb_int* a, const tact_aabb_int* b)
{
    for (int k = 0; k < 3; ++k) {
        if (!tact_interval_int_overlap(a->lower[k], a->upper[k], b->lower[k], b->upper[k])) return false;
    }
    return true;
}

bool tact_aabb_center_int_overlap(const tact_aabb_center_int* a, const tact_aabb_center_int* b)
{
    for (int k = 0; k < 3; ++k) {
        const int64_t r = (int64_t)a->half[k] + b->half[k];
        const uint64_t reach = (uint64_t)((int64_t)a->center[k] - b->center[k] + r);
        if (a->half[k] < 0 || b->half[k] < 0 || reach > (uint64_t)(r + r)) return false;
    }
    return true;
}

bool tact_aabb_contains_point(tact_aabb box, tact_vec3 p)
{
    return v_finite(p) && box.lower.x <= p.x && p.x <= box.upper.x && box.lower.y <= p.y && p.y <= box.upper.y &&
           box.lower.z <= p.z && p.z <= box.upper.z;
}

bool tact_aabb_contains_aabb(tact_aabb outer, tact_aabb inner)
{
    return !tact_aabb_is_empty(inner) && outer.lower.x <= inner.lower.x && inner.upper.x <= outer.upper.x &&
           outer.lower.y <= inner.lower.y && inner.upper.y <= outer.upper.y && outer.lower.z <= inner.lower.z &&
           inner.upper.z <= outer.upper.z;
}

/// No operand is empty.
static tact_aabb hull_of_boxes(tact_aabb a, tact_aabb b)
{
    const tact_aabb r = {
        {least(a.lower.x, b.lower.x), least(a.lower.y, b.lower.y), least(a.lower.z, b.lower.z)},
        {most(a.upper.x, b.upper.x), most(a.upper.y, b.upper.y), most(a.upper.z, b.upper.z)},
    };
    return r;
}

tact_aabb tact_aabb_union(tact_aabb a, tact_aabb b)
{
    const bool no_a = tact_aabb_is_empty(a), no_b = tact_aabb_is_empty(b);
    if (no_a && no_b) return empty_box;
    if (no_a) return b;
    if (no_b) return a;
    return hull_of_boxes(a, b);
}

tact_aabb tact_aabb_include_point(tact_aabb box, tact_vec3 point)
{
    const tact_aabb p = {point, point};
    return tact_aabb_union(box, v_finite(point) ? p : empty_box);
}

tact_aabb tact_aabb_intersection(tact_aabb a, tact_aabb b)
{
    if (!tact_aabb_overlaps_aabb(a, b)) return empty_box;
    const tact_aabb r = {
        {most(a.lower.x, b.lower.x), most(a.lower.y, b.lower.y), most(a.lower.z, b.lower.z)},
        {least(a.upper.x, b.upper.x), least(a.upper.y, b.upper.y), least(a.upper.z, b.upper.z)},
    };
    return r;
}

/// 0 times infinity is 0 here.
static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

/// The widths of a box; 0 for an interval at infinity.
static dvec widths(tact_aabb box)
{
    const dvec w = d_sub(d_from(box.upper), d_from(box.lower));
    return d_make(isnan(w.x) ? 0 : w.x, isnan(w.y) ? 0 : w.y, isnan(w.z) ? 0 : w.z);
}

float tact_aabb_volume(tact_aabb box)
{
    if (tact_aabb_is_empty(box)) return 0;
    const dvec w = widths(box);
    return (float)product(product(w.x, w.y), w.z);
}

float tact_aabb_surface_area(tact_aabb box)
{
    if (tact_aabb_is_empty(box)) return 0;
    const dvec w = widths(box);
    return (float)(2 * (product(w.x, w.y) + product(w.y, w.z) + product(w.z, w.x)));
}

/// An infinite bound stays where it is.
static float moved_down(float bound, float by)
{
    return isfinite(bound) ? sum_down(bound, by) : bound;
}

static float moved_up(float bound, float by)
{
    return isfinite(bound) ? sum_up(bound, by) : bound;
}

static tact_aabb move_bounds(tact_aabb box, tact_vec3 lower, tact_vec3 upper)
{
    const tact_aabb r = {
        {moved_down(box.lower.x, lower.x), moved_down(box.lower.y, lower.y), moved_down(box.lower.z, lower.z)},
        {moved_up(box.upper.x, upper.x), moved_up(box.upper.y, upper.y), moved_up(box.upper.z, upper.z)},
    };
    return tact_aabb_is_empty(r) ? empty_box : r;
}

tact_aabb tact_aabb_expand(tact_aabb box, float amount)
{
    if (!isfinite(amount) || tact_aabb_is_empty(box)) return empty_box;
    const tact_vec3 down = {-amount, -amount, -amount}, up = {amount, amount, amount};
    return move_bounds(box, down, up);
}

tact_aabb tact_aabb_translate(tact_aabb box, tact_vec3 t)
{
    return v_finite(t) && !tact_aabb_is_empty(box) ? move_bounds(box, t, t) : empty_box;
}

tact_aabb tact_aabb_from_points(const tact_vec3* points, size_t count, size_t stride)
{
    tact_aabb box = empty_box;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = point_at(points, stride, i);
        if (!v_finite(p)) return empty_box;
        const tact_aabb at = {p, p};
        box = hull_of_boxes(box, at);
    }
    return box;
}

tact_aabb tact_aabb_from_sphere(tact_sphere sphere)
{
    const tact_vec3 half = {sphere.radius, sphere.radius, sphere.radius};
    return extents_valid(sphere.center, half) ? around(sphere.center, half) : empty_box;
}

bool tact_extreme_points(const tact_vec3* points, size_t count, size_t stride, tact_vec3 direction, size_t* least_index,
                         size_t* most_index)
{
    const dvec d = d_from(direction);
    if (count == 0 || !d_finite(d) || !(d_dot(d, d) > 0)) return false;
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t first = 0, last = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = point_at(points, stride, i);
        if (!v_finite(p)) return false;
        const double h = d_dot(d_from(p), d);
        if (h < low) {
            low = h;
            first = i;
        }
        if (h > high) {
            high = h;
            last = i;
        }
    }
    *least_index = first;
    *most_index = last;
    return true;
}

/// The box around the exact image of a point.
static tact_aabb box_of_image(const tact_transform* m, tact_vec3 p)
{
    const dbound zero = d_bound_from(0);
    const dbound x = d_bound_add_image(zero, m, p, d_make(1, 0, 0));
    const dbound y = d_bound_add_image(zero, m, p, d_make(0, 1, 0));
    const dbound z = d_bound_add_image(zero, m, p, d_make(0, 0, 1));
    const tact_aabb r = {{d_bound_down(x), d_bound_down(y), d_bound_down(z)},
                         {d_bound_up(x), d_bound_up(y), d_bound_up(z)}};
    return r;
}

tact_aabb tact_aabb_from_transformed_points(const tact_vec3* points, size_t count, size_t stride,
                                            const tact_transform* transform)
{
    if (!transform_finite(transform)) return empty_box;
    tact_aabb box = empty_box;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = point_at(points, stride, i);
        if (!v_finite(p)) return empty_box;
        box = hull_of_boxes(box, box_of_image(transform, p));
    }
    return box;
}

tact_aabb tact_aabb_climb(const tact_hull_graph* graph, const tact_transform* transform, uint32_t extreme[6])
{
    if (!transform_finite(transform) || graph->count == 0) return empty_box;
    float bound[6];
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const float* row = transform->m[axis];
        const double sign = side % 2 ? 1 : -1;
        const dvec along = d_make(sign * (double)row[0], sign * (double)row[1], sign * (double)row[2]);
        // A zero row maps all vertices to one coordinate: any vertex will do.
        const bool flat = along.x == 0 && along.y == 0 && along.z == 0;
        const uint32_t top = flat ? 0 : tact_hull_graph_climb(graph, along, extreme[side]);
        if (top == UINT32_MAX || !v_finite(graph->vertex[top])) return empty_box;
        extreme[side] = top;
        const dbound zero = d_bound_from(0);
        const dvec n = d_make(axis == 0, axis == 1, axis == 2);
        const dbound at = d_bound_add_image(zero, transform, graph->vertex[top], n);
        bound[side] = side % 2 ? d_bound_up(at) : d_bound_down(at);
    }
    const tact_aabb r = {{bound[0], bound[2], bound[4]}, {bound[1], bound[3], bound[5]}};
    return r;
}

tact_aabb tact_aabb_transform(tact_aabb box, const tact_transform* transform)
{
    if (tact_aabb_is_empty(box) || !box_finite(box) || !transform_finite(transform)) return empty_box;
    float low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        const double t = d_at(d_from(transform->t), i);
        dbound lower = d_bound_from(t), upper = lower;
        for (int j = 0; j < 3; ++j) {
            const double m = (double)transform->m[i][j];
            const double e = m * d_at(d_from(box.lower), j), f = m * d_at(d_from(box.upper), j);
            lower = d_bound_add(lower, e < f ? e : f);
            upper = d_bound_add(upper, e < f ? f : e);
        }
        low[i] = d_bound_down(lower);
        high[i] = d_bound_up(upper);
    }
    const tact_aabb r = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return r;
}

tact_aabb_center tact_aabb_center_transform(tact_aabb_center box, const tact_transform* transform)
{
    if (!extents_valid(box.center, box.half) || !transform_finite(transform)) return empty_center;
    float center[3], half[3];
    for (int i = 0; i < 3; ++i) {
        dbound c = d_bound_from(d_at(d_from(transform->t), i)), h = d_bound_from(0);
        for (int j = 0; j < 3; ++j) {
            const double m = (double)transform->m[i][j];
            c = d_bound_add(c, m * d_at(d_from(box.center), j));
            h = d_bound_add(h, fabs(m) * d_at(d_from(box.half), j));
        }
        center[i] = (float)c.value;
        if (!isfinite(center[i])) return empty_center;
        h = d_bound_add(d_bound_add(h, fabs(c.value - (double)center[i])), fabs(c.error));
        h.slack += c.slack;
        half[i] = d_bound_up(h);
    }
    const tact_aabb_center r = {{center[0], center[1], center[2]}, {half[0], half[1], half[2]}};
    return v_finite(r.half) ? r : empty_center;
}
