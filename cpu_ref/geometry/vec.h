// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Vectors in double precision, for the insides of the geometry functions. A product of two coordinates that came from
/// floats is exact here.

#include <math.h>

#include "tact/geometry/types.h"

typedef struct dvec {
    double x, y, z;
} dvec;

static inline dvec d_make(double x, double y, double z)
{
    const dvec v = {x, y, z};
    return v;
}

static inline dvec d_from(tact_vec3 v)
{
    return d_make((double)v.x, (double)v.y, (double)v.z);
}

/// Rounds once.
static inline tact_vec3 d_round(dvec v)
{
    const tact_vec3 r = {(float)v.x, (float)v.y, (float)v.z};
    return r;
}

static inline dvec d_add(dvec a, dvec b)
{
    return d_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline dvec d_sub(dvec a, dvec b)
{
    return d_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline dvec d_scale(dvec a, double s)
{
    return d_make(a.x * s, a.y * s, a.z * s);
}

/// a + s b
static inline dvec d_along(dvec a, double s, dvec b)
{
    return d_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double d_dot(dvec a, dvec b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

/// d_dot() with every product's magnitude: what the rounding of a dot product is measured by.
static inline double d_abs_dot(dvec a, dvec b)
{
    return (fabs(a.x * b.x) + fabs(a.y * b.y)) + fabs(a.z * b.z);
}

static inline dvec d_cross(dvec a, dvec b)
{
    return d_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline bool d_same(dvec a, dvec b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline double d_length(dvec a)
{
    return sqrt(d_dot(a, a));
}

/// A unit vector, or 0 where there is none.
static inline dvec d_unit(dvec v)
{
    const double size = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(size > 0.0)) return d_make(0.0, 0.0, 0.0);
    v = d_make(v.x / size, v.y / size, v.z / size);
    return d_scale(v, 1.0 / d_length(v));
}

static inline double d_at(dvec a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static inline double d_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/// True when no coordinate is NaN or infinite.
static inline bool d_finite(dvec a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline bool v_finite(tact_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline bool v2_finite(tact_vec2 a)
{
    return isfinite(a.x) && isfinite(a.y);
}

/// True when there are points and all are finite.
static inline bool v_all_finite(const tact_vec3* points, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(points[i])) return false;
    }
    return count > 0;
}

/// True for a box with finite sides in order: not an empty one.
static inline bool aabb_valid(tact_aabb b)
{
    return v_finite(b.lower) && v_finite(b.upper) && b.lower.x <= b.upper.x && b.lower.y <= b.upper.y &&
           b.lower.z <= b.upper.z;
}

/// The corners of a box, and how many there are: none of an empty one.
static inline size_t aabb_corners(tact_aabb box, tact_vec3 corner[8])
{
    for (int i = 0; i < 8; ++i) {
        corner[i].x = i & 1 ? box.upper.x : box.lower.x;
        corner[i].y = i & 2 ? box.upper.y : box.lower.y;
        corner[i].z = i & 4 ? box.upper.z : box.lower.z;
    }
    return box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z ? 8 : 0;
}

/// For a point that is collinear with a and b.
static inline bool v2_between(tact_vec2 p, tact_vec2 a, tact_vec2 b)
{
    return p.x >= fminf(a.x, b.x) && p.x <= fmaxf(a.x, b.x) && p.y >= fminf(a.y, b.y) && p.y <= fmaxf(a.y, b.y);
}

/// The distance of p from the segment that begins at 0 and goes along d, which may be 0.
static inline double d_to_segment(dvec p, dvec d)
{
    const double dd = d_dot(d, d);
    const double t = dd > 0.0 ? d_clamp(d_dot(p, d) / dd, 0.0, 1.0) : 0.0;
    return d_length(d_along(p, -t, d));
}
