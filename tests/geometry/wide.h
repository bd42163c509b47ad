// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Numbers with more bits than the tested functions have, for oracles. WIDE may say which. Include after run.h.

#include "tact/geometry/types.h"

#ifndef WIDE
#ifdef __SIZEOF_FLOAT128__
#define WIDE __float128
#else
#define WIDE long double
#endif
#endif
__extension__ typedef WIDE wide;

typedef struct wide3 {
    wide x, y, z;
} wide3;

static inline wide w_abs(wide a)
{
    return a < (wide)0 ? -a : a;
}

static inline wide3 w_of(tact_vec3 v)
{
    return (wide3){(wide)v.x, (wide)v.y, (wide)v.z};
}

static inline wide3 w_along(wide3 a, wide s, wide3 b)
{
    return (wide3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline wide3 w_sub(wide3 a, wide3 b)
{
    return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline wide w_dot(wide3 a, wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wide3 w_cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// a . (b x c)
static inline wide w_triple(wide3 a, wide3 b, wide3 c)
{
    return w_dot(a, w_cross(b, c));
}

/// At or below the exact number, and the next but one float is above: a tie of slack and rounding may cost one more.
static inline void is_rounded_down(float low, wide exact)
{
    if ((wide)low > exact || (wide)nextafterf(nextafterf(low, INFINITY), INFINITY) <= exact) {
        fail_msg("%.9g for %.9g", (double)low, (double)exact);
    }
}
