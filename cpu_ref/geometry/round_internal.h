// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sums whose rounding is known, and rounding to single precision in a chosen direction: what makes a bounding volume
/// hold what it bounds, to the last bit. All arguments must be finite.

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu_ref/geometry/vec.h"

/// value + error is the exact sum; value is the sum rounded to nearest.
typedef struct dsum {
    double value, error;
} dsum;

/// Any two doubles whose sum does not overflow (Knuth, The Art of Computer Programming 2, 4.2.2).
static inline dsum d_sum(double a, double b)
{
    const double s = a + b;
    const double t = s - a;
    const dsum r = {s, (a - (s - t)) + (b - t)};
    return r;
}

/// x <= y for exact sums: rounding is monotone, so the errors matter only when the values are equal.
static inline bool d_sum_at_most(dsum x, dsum y)
{
    return x.value < y.value || (x.value == y.value && x.error <= y.error);
}

/// The largest float <= the exact sum; -infinity below -FLT_MAX.
static inline float d_sum_down(dsum s)
{
    const float f = (float)s.value;
    const bool above = (double)f > s.value || ((double)f == s.value && s.error < 0);
    return above ? nextafterf(f, -INFINITY) : f;
}

/// The smallest float >= the exact sum; infinity above FLT_MAX.
static inline float d_sum_up(dsum s)
{
    const float f = (float)s.value;
    const bool below = (double)f < s.value || ((double)f == s.value && s.error > 0);
    return below ? nextafterf(f, INFINITY) : f;
}

/// A running sum: the exact one is within `slack` of value + error. Sums that two doubles can hold keep a slack of 0;
/// terms that cancel cost nothing.
typedef struct dbound {
    double value, error, slack;
} dbound;

static inline dbound d_bound_from(double x)
{
    const dbound r = {x, 0, 0};
    return r;
}

static inline dbound d_bound_add(dbound sum, double term)
{
    const dsum s = d_sum(sum.value, term);
    const dsum e = d_sum(sum.error, s.error);
    const dbound r = {s.value, e.value, sum.slack + fabs(e.error)};
    return r;
}

/// `more` is the slack, made larger by what its own sums were rounded, with the sign of the direction.
static inline dsum d_bound_off(dbound sum, double more)
{
    const dsum s = d_sum(sum.value, sum.error);
    return more == 0 ? s : d_sum(s.value, nextafter(s.error + more, more < 0 ? -HUGE_VAL : HUGE_VAL));
}

static inline float d_bound_down(dbound sum)
{
    return d_sum_down(d_bound_off(sum, -sum.slack * (1 + 0x1p-40)));
}

static inline float d_bound_up(dbound sum)
{
    return d_sum_up(d_bound_off(sum, sum.slack * (1 + 0x1p-40)));
}

/// Point i of an array whose elements lie `stride` bytes apart; 0 means packed. Any alignment.
static inline tact_vec3 point_at(const tact_vec3* points, size_t stride, size_t i)
{
    tact_vec3 p;
    memcpy(&p, (const char*)points + i * (stride ? stride : sizeof p), sizeof p);
    return p;
}

static inline bool transform_finite(const tact_transform* m)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (!isfinite(m->m[i][j])) return false;
        }
    }
    return v_finite(m->t);
}

/// Adds m v + t along n to a sum, term by term; exact products only when n is made of -1, 0 and 1.
static inline dbound d_bound_add_image(dbound sum, const tact_transform* m, tact_vec3 v, dvec n)
{
    for (int i = 0; i < 3; ++i) {
        const double w = d_at(n, i);
        if (w == 0) continue;
        sum = d_bound_add(sum, w * ((double)m->m[i][0] * (double)v.x));
        sum = d_bound_add(sum, w * ((double)m->m[i][1] * (double)v.y));
        sum = d_bound_add(sum, w * ((double)m->m[i][2] * (double)v.z));
        sum = d_bound_add(sum, w * d_at(d_from(m->t), i));
    }
    return sum;
}
