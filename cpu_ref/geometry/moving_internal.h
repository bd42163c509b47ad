// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the files about moving shapes share.

#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/moving.h"

static inline tact_moving_hit moving_miss(void)
{
    const tact_moving_hit miss = {false, 0.0f, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    return miss;
}

static inline tact_moving_hit moving_hit(double t, dvec point, dvec normal)
{
    const tact_moving_hit hit = {true, (float)t, d_round(point), d_round(normal)};
    return hit;
}

static inline bool moving_sphere_valid(tact_sphere s)
{
    return v_finite(s.center) && s.radius >= 0.0f && isfinite(s.radius);
}

/// A time as numerator / denominator, the denominator positive.
typedef struct moving_time {
    double num, den;
} moving_time;

static inline bool moving_later(moving_time a, moving_time b)
{
    return a.num * b.den > b.num * a.den;
}
