// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the ray tests share: a ray in double with a direction near unit length, the part of a line in a convex set,
/// and the rounding of results.

#include <float.h>

#include "cpu_ref/geometry/exact.h"
#include "tact/geometry/ray.h"

/// The direction is scaled by a power of two so that its largest component is in [0.5, 1), which keeps the products
/// of several vectors in range. A parameter of it times `unit` is one of the caller's ray.
typedef struct d_ray {
    dvec o, d;
    double tmin, tmax, unit;
} d_ray;

/// Where a line is inside a convex set. Empty unless enter <= leave.
typedef struct d_span {
    double enter, leave;
    dvec enter_normal, leave_normal;  ///< outward, of any length
} d_span;

static inline double d_largest(dvec a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

/// What a sum of products can be off by, relative to the sum of their magnitudes, with room to spare. Below it, a
/// determinant's sign is noise.
#define D_NOISE 0x1p-50

static inline double d_magnitude(dvec a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

static inline bool d_ray_valid(const tact_ray* ray)
{
    if (!isfinite(ray->ox) || !isfinite(ray->oy) || !isfinite(ray->oz)) return false;
    if (!isfinite(ray->dx) || !isfinite(ray->dy) || !isfinite(ray->dz)) return false;
    return ray->tmin <= ray->tmax && ray->tmin < INFINITY && ray->tmax > -INFINITY;
}

/// The power of two that takes the vector's largest component to [0.5, 1). 1 for the zero vector.
static inline double d_scale_to_one(dvec a)
{
    const double largest = d_largest(a);
    int exponent = 0;
    if (largest > 0.0) frexp(largest, &exponent);
    return ldexp(1.0, -exponent);
}

/// limit - n . p for numbers that came from floats, whose products are exact here: off by no more than 2^-100 of the
/// largest term, so that it is 0 where a ray lies in a face.
static inline double d_room(double limit, dvec n, dvec p)
{
    double x, y, z;
    double sum = d_two_sum(limit, -(n.x * p.x), &x);
    sum = d_two_sum(sum, -(n.y * p.y), &y);
    sum = d_two_sum(sum, -(n.z * p.z), &z);
    return sum + (x + (y + z));
}

/// The ray with its origin relative to `center`.
static inline d_ray d_ray_about(const tact_ray* ray, dvec center)
{
    const dvec d = d_make((double)ray->dx, (double)ray->dy, (double)ray->dz);
    d_ray r;
    r.unit = d_scale_to_one(d);
    r.d = d_scale(d, r.unit);
    r.o = d_sub(d_make((double)ray->ox, (double)ray->oy, (double)ray->oz), center);
    r.tmin = (double)ray->tmin / r.unit;
    r.tmax = (double)ray->tmax / r.unit;
    return r;
}

static inline dvec d_zero(void)
{
    return d_make(0.0, 0.0, 0.0);
}

static inline d_span d_span_all(void)
{
    const d_span s = {-HUGE_VAL, HUGE_VAL, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return s;
}

static inline d_span d_span_empty(void)
{
    const d_span s = {HUGE_VAL, -HUGE_VAL, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return s;
}

static inline bool d_span_hit(const d_span* s)
{
    return s->enter <= s->leave;
}

/// Keeps the t with slope t <= limit, the trace of a half space with that outward normal.
static inline void d_span_clip(d_span* s, double slope, double limit, dvec normal)
{
    if (slope == 0.0) {
        if (!(limit >= 0.0)) *s = d_span_empty();
        return;
    }
    const double t = limit / slope;
    if (slope > 0.0 && !(t >= s->leave)) {
        s->leave = t;
        s->leave_normal = normal;
    }
    if (slope < 0.0 && !(t <= s->enter)) {
        s->enter = t;
        s->enter_normal = normal;
    }
}

/// Of unit length, or zero for the zero vector. Scaled by a power of two, which rounds nothing: d_unit()
/// divides, and rounds once more.
static inline dvec d_unit_by_two(dvec a)
{
    const dvec b = d_scale(a, d_scale_to_one(a));
    const double length = d_length(b);
    return length > 0.0 ? d_scale(b, 1.0 / length) : b;
}

/// Rounds a parameter once; one beyond the range of float becomes infinite.
static inline float d_round_t(double t)
{
    if (t > (double)FLT_MAX) return INFINITY;
    if (t < -(double)FLT_MAX) return -INFINITY;
    return (float)t;
}

static inline tact_ray_solid_hit d_solid_hit(const d_ray* r, const d_span* s)
{
    tact_ray_solid_hit h = {0};
    const bool enters = s->enter >= r->tmin;
    const bool leaves = s->leave <= r->tmax;
    const double first = enters ? s->enter : r->tmin;
    const double last = leaves ? s->leave : r->tmax;
    if (!(first <= last)) return h;
    if (first * r->unit > (double)FLT_MAX || last * r->unit < -(double)FLT_MAX) return h;
    h.hit = true;
    h.t = d_round_t(first * r->unit);
    h.exit = d_round_t(last * r->unit);
    if (enters) h.normal = d_round(d_unit_by_two(s->enter_normal));
    if (leaves) h.exit_normal = d_round(d_unit_by_two(s->leave_normal));
    return h;
}

static inline tact_ray_surface_hit d_surface_hit(const d_ray* r, double t, double u, double v, dvec normal)
{
    tact_ray_surface_hit h = {0};
    if (!(t >= r->tmin && t <= r->tmax) || !(fabs(t * r->unit) <= (double)FLT_MAX)) return h;
    h.hit = true;
    h.front = d_dot(normal, r->d) < 0.0;
    h.t = (float)(t * r->unit);
    h.u = (float)u;
    h.v = (float)v;
    h.normal = d_round(d_unit_by_two(normal));
    return h;
}
