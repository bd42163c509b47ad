// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The tests of the broad phase's kernels. Boxes are ordered integers, of which only comparisons are wanted.
#ifndef TACT_PAIRS_TESTS_H
#define TACT_PAIRS_TESTS_H

#include "dialect.h"
#include "ordered.h"

// -0 is 0 here: touching there counts.
FN uint tact_pairs_ordered(uint bits)
{
    return tact_ordered(bits == 0x80000000u ? 0u : bits);
}

// The definition's tests (include/tact/pairs.h), operation by operation. A sphere is its centre's and radius's bits.
FN bool tact_pairs_spheres_meet(uint4 a, uint4 b)
{
    PRECISE float dx = as_float(a.x) - as_float(b.x);
    PRECISE float dy = as_float(a.y) - as_float(b.y);
    PRECISE float dz = as_float(a.z) - as_float(b.z);
    PRECISE float xx = dx * dx;
    PRECISE float yy = dy * dy;
    PRECISE float zz = dz * dz;
    PRECISE float xy = xx + yy;
    PRECISE float d2 = xy + zz;
    PRECISE float r = as_float(a.w) + as_float(b.w);
    PRECISE float r2 = r * r;
    // Neither is a NaN where the boxes meet, unless the differences overflow: then d2 is infinite or a NaN, by its
    // bits.
    return as_uint(d2) < 0x7f800000u && as_uint(r2) < 0x7f800000u && d2 <= r2;
}

FN float tact_pairs_excess(float x, float lower, float upper)
{
    PRECISE float below = lower - x;
    PRECISE float above = x - upper;
    return x < lower ? below : (x > upper ? above : 0.0f);
}

FN bool tact_pairs_sphere_meets_box(uint4 s, uint4 lower, uint4 upper)
{
    PRECISE float x =
        tact_pairs_excess(as_float(s.x), as_float(tact_unordered(lower.x)), as_float(tact_unordered(upper.x)));
    PRECISE float y =
        tact_pairs_excess(as_float(s.y), as_float(tact_unordered(lower.y)), as_float(tact_unordered(upper.y)));
    PRECISE float z =
        tact_pairs_excess(as_float(s.z), as_float(tact_unordered(lower.z)), as_float(tact_unordered(upper.z)));
    PRECISE float xx = x * x;
    PRECISE float yy = y * y;
    PRECISE float zz = z * z;
    PRECISE float xy = xx + yy;
    PRECISE float d2 = xy + zz;
    PRECISE float r2 = as_float(s.w) * as_float(s.w);
    return as_uint(d2) < 0x7f800000u && as_uint(r2) < 0x7f800000u && d2 <= r2;
}

#endif
