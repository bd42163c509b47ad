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

static inline dvec d_cross(dvec a, dvec b)
{
    return d_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double d_length(dvec a)
{
    return sqrt(d_dot(a, a));
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
