// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against boxes, slabs and convex polyhedra: sets that half spaces bound.

#include "cpu_ref/geometry/ray_internal.h"
#include "cpu_ref/geometry/slabs.h"

/// Not empty; its bounds may be infinite.
static bool proper_box(const tact_aabb* box)
{
    return box->lower.x <= box->upper.x && box->lower.y <= box->upper.y && box->lower.z <= box->upper.z;
}

static bool finite_box(const tact_aabb* box)
{
    return v_finite(box->lower) && v_finite(box->upper) && proper_box(box);
}

static float component(tact_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static tact_vec3 axis_normal(int axis, float sign)
{
    const tact_vec3 n = {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
    return n;
}

/// The part of a line in the slabs so far, and the axes that bound it.
typedef struct slab_span {
    float enter, leave;
    int enter_axis, leave_axis;
} slab_span;

/// False when the line is beside the slab. The operations, and their order, are those of the batch test.
static bool clip_slab(slab_span* s, int axis, float o, float d, float lower, float upper)
{
    if (fabsf(d) < TACT_TINY) return lower <= o && o <= upper;
    float first, last;
    tact_slab_cross(o, 1.0f / d, lower, upper, &first, &last);
    if (first > s->enter) {
        s->enter = first;
        s->enter_axis = axis;
    }
    if (last < s->leave) {
        s->leave = last;
        s->leave_axis = axis;
    }
    return true;
}

static float clamped(float t, const tact_ray* ray)
{
    const float from = t > ray->tmin ? t : ray->tmin;
    return from < ray->tmax ? from : ray->tmax;
}

tact_ray_solid_hit tact_ray_aabb(const tact_ray* ray, const tact_aabb* box)
{
    const tact_ray_solid_hit miss = {0};
    if (!d_ray_valid(ray) || !proper_box(box)) return miss;
    const tact_vec3 origin = {ray->ox, ray->oy, ray->oz}, direction = {ray->dx, ray->dy, ray->dz};
    slab_span s = {-INFINITY, INFINITY, 0, 0};
    for (int i = 0; i < 3; ++i) {
        if (!clip_slab(&s, i, component(origin, i), component(direction, i), component(box->lower, i),
                       component(box->upper, i))) {
            return miss;
        }
    }
    float from;
    if (!tact_slabs_meet(s.enter, s.leave, ray->tmin, ray->tmax, &from)) return miss;
    tact_ray_solid_hit h = {.hit = true, .t = clamped(s.enter, ray)};
    h.exit = fmaxf(clamped(s.leave, ray), h.t);
    if (s.enter > -INFINITY && s.enter >= ray->tmin) {
        h.normal = axis_normal(s.enter_axis, component(direction, s.enter_axis) > 0.0f ? -1.0f : 1.0f);
    }
    if (s.leave < INFINITY && s.leave <= ray->tmax) {
        h.exit_normal = axis_normal(s.leave_axis, component(direction, s.leave_axis) > 0.0f ? 1.0f : -1.0f);
    }
    return h;
}

/// Whether o + t d, t in [tmin, tmax], has a point in [lower, upper] on one axis.
static bool overlaps_interval(double o, double d, double tmin, double tmax, double lower, double upper)
{
    if (d == 0.0) return lower <= o && o <= upper;
    const double first = o + (d > 0.0 ? tmin : tmax) * d;
    const double last = o + (d > 0.0 ? tmax : tmin) * d;
    return first <= upper && lower <= last;
}

/// The line against the box's outline along one coordinate axis, in the plane of the two others. m is twice the
/// vector from the box's center to the line, e the box's sides.
static bool overlaps_outline(double mx, double my, double dx, double dy, double ex, double ey)
{
    return fabs(mx * dy - my * dx) <= ex * fabs(dy) + ey * fabs(dx);
}

static bool overlaps_box(const d_ray* r, dvec lower, dvec upper)
{
    const dvec o = r->o, d = r->d;
    if (!overlaps_interval(o.x, d.x, r->tmin, r->tmax, lower.x, upper.x)) return false;
    if (!overlaps_interval(o.y, d.y, r->tmin, r->tmax, lower.y, upper.y)) return false;
    if (!overlaps_interval(o.z, d.z, r->tmin, r->tmax, lower.z, upper.z)) return false;
    const dvec e = d_sub(upper, lower);
    const dvec m = d_add(d_sub(o, lower), d_sub(o, upper));
    return overlaps_outline(m.x, m.y, d.x, d.y, e.x, e.y) && overlaps_outline(m.y, m.z, d.y, d.z, e.y, e.z) &&
           overlaps_outline(m.z, m.x, d.z, d.x, e.z, e.x);
}

bool tact_ray_overlaps_aabb(const tact_ray* ray, const tact_aabb* box)
{
    if (!d_ray_valid(ray) || !finite_box(box)) return false;
    const d_ray r = d_ray_about(ray, d_zero());
    return overlaps_box(&r, d_from(box->lower), d_from(box->upper));
}

static tact_ray_slopes slopes_of(const d_ray* r)
{
    tact_ray_slopes s = {.valid = true};
    for (int i = 0; i < 3; ++i) {
        const double d = d_at(r->d, i), o = d_at(r->o, i);
        s.flip[i] = d < 0.0;
        s.d[i] = fabs(d);
        s.o[i] = s.flip[i] ? -o : o;
        s.start[i] = s.d[i] > 0.0 ? s.o[i] + r->tmin * s.d[i] : s.o[i];
        s.end[i] = s.d[i] > 0.0 ? s.o[i] + r->tmax * s.d[i] : s.o[i];
    }
    return s;
}

/// Compares with a box from `low` to `high`.
static bool slopes_meet(const tact_ray_slopes* ray, dvec low, dvec high)
{
    double lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        const double a = d_at(low, i), b = d_at(high, i);
        lower[i] = ray->flip[i] ? -b : a;
        upper[i] = ray->flip[i] ? -a : b;
        if (!(ray->start[i] <= upper[i] && lower[i] <= ray->end[i])) return false;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const double above = ray->d[j] * (lower[i] - ray->o[i]), below = ray->d[j] * (upper[i] - ray->o[i]);
        const double up = ray->d[i] * (upper[j] - ray->o[j]), down = ray->d[i] * (lower[j] - ray->o[j]);
        if (!(above <= up && down <= below)) return false;
    }
    return true;
}

tact_ray_slopes tact_ray_slopes_prepare(const tact_ray* ray)
{
    const tact_ray_slopes none = {0};
    if (!d_ray_valid(ray)) return none;
    const d_ray r = d_ray_about(ray, d_zero());
    return slopes_of(&r);
}

bool tact_ray_slopes_overlap_aabb(const tact_ray_slopes* ray, const tact_aabb* box)
{
    return ray->valid && finite_box(box) && slopes_meet(ray, d_from(box->lower), d_from(box->upper));
}

static bool finite_obb(const tact_obb* box)
{
    return v_finite(box->center) && v_finite(box->axis[0]) && v_finite(box->axis[1]) && v_finite(box->axis[2]) &&
           v_finite(box->half) && box->half.x >= 0.0f && box->half.y >= 0.0f && box->half.z >= 0.0f;
}

/// The vector's components along the box's axes.
static dvec in_frame(const tact_obb* box, dvec v)
{
    return d_make(d_dot(d_from(box->axis[0]), v), d_dot(d_from(box->axis[1]), v), d_dot(d_from(box->axis[2]), v));
}

tact_ray_solid_hit tact_ray_obb(const tact_ray* ray, const tact_obb* box)
{
    const tact_ray_solid_hit miss = {0};
    if (!d_ray_valid(ray) || !finite_obb(box)) return miss;
    const d_ray r = d_ray_about(ray, d_from(box->center));
    const dvec o = in_frame(box, r.o), d = in_frame(box, r.d), half = d_from(box->half);
    d_span s = d_span_all();
    for (int i = 0; i < 3; ++i) {
        const dvec axis = d_from(box->axis[i]);
        d_span_clip(&s, d_at(d, i), d_at(half, i) - d_at(o, i), axis);
        d_span_clip(&s, -d_at(d, i), d_at(half, i) + d_at(o, i), d_scale(axis, -1.0));
    }
    return d_solid_hit(&r, &s);
}

/// The ray in the frame of the box.
static d_ray ray_in_box(const tact_ray* ray, const tact_obb* box)
{
    d_ray r = d_ray_about(ray, d_from(box->center));
    r.o = in_frame(box, r.o);
    r.d = in_frame(box, r.d);
    return r;
}

bool tact_ray_overlaps_obb(const tact_ray* ray, const tact_obb* box)
{
    if (!d_ray_valid(ray) || !finite_obb(box)) return false;
    const d_ray r = ray_in_box(ray, box);
    const dvec half = d_from(box->half);
    return overlaps_box(&r, d_scale(half, -1.0), half);
}

bool tact_ray_overlaps_obb_slopes(const tact_ray* ray, const tact_obb* box)
{
    if (!d_ray_valid(ray) || !finite_obb(box)) return false;
    const d_ray r = ray_in_box(ray, box);
    const tact_ray_slopes s = slopes_of(&r);
    const dvec half = d_from(box->half);
    return slopes_meet(&s, d_scale(half, -1.0), half);
}

tact_ray_solid_hit tact_ray_slabs(const tact_ray* ray, const tact_vec3* normals, const float* lower, const float* upper,
                                  size_t count)
{
    const tact_ray_solid_hit miss = {0};
    if (!d_ray_valid(ray)) return miss;
    const d_ray r = d_ray_about(ray, d_zero());
    d_span s = d_span_all();
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(normals[i]) || !(lower[i] <= upper[i])) return miss;
        if (!(lower[i] < INFINITY && upper[i] > -INFINITY)) return miss;
        const dvec n = d_from(normals[i]);
        const double slope = -d_room(0.0, n, r.d);
        if (upper[i] < INFINITY) d_span_clip(&s, slope, d_room((double)upper[i], n, r.o), n);
        if (lower[i] > -INFINITY) d_span_clip(&s, -slope, -d_room((double)lower[i], n, r.o), d_scale(n, -1.0));
    }
    return d_solid_hit(&r, &s);
}

tact_ray_solid_hit tact_ray_convex(const tact_ray* ray, const tact_plane* planes, size_t count)
{
    const tact_ray_solid_hit miss = {0};
    if (!d_ray_valid(ray)) return miss;
    const d_ray r = d_ray_about(ray, d_zero());
    d_span s = d_span_all();
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(planes[i].normal) || !isfinite(planes[i].distance)) return miss;
        const dvec n = d_from(planes[i].normal);
        d_span_clip(&s, -d_room(0.0, n, r.d), d_room((double)planes[i].distance, n, r.o), n);
    }
    return d_solid_hit(&r, &s);
}
