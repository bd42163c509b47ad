// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Rays against the slabs of a box, in single precision, in the order of operations of the batch test.

#include <float.h>

#include "cpu_ref/geometry/batch_internal.h"

/// The t between which a line is in a slab; `inverse` is that of its direction there.
static inline void tact_slab_cross(float o, float inverse, float lower, float upper, float* first, float* last)
{
    const float p = (lower - o) * inverse, q = (upper - o) * inverse;
    *first = p < q ? p : q;
    *last = p < q ? q : p;
}

/// Widens the t between which a line is in a box by what rounding may have done to them, and says whether anything of
/// [tmin, tmax] lies between. `from` receives where that begins.
static inline bool tact_slabs_meet(float enter, float leave, float tmin, float tmax, float* from)
{
    const float less = 1.0f - TACT_RAY_AABB_SLACK, more = 1.0f + TACT_RAY_AABB_SLACK;
    const float early = enter * (enter < 0.0f ? more : less), late = leave * (leave < 0.0f ? less : more);
    const float to = late < tmax ? late : tmax;
    *from = early > tmin ? early : tmin;
    return *from <= to && *from <= FLT_MAX && to >= -FLT_MAX;
}
