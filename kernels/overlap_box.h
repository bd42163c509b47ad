// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Boxes of a tree moved by a pose, for kernels/overlap_expand.kernel.
#ifndef TACT_OVERLAP_BOX_H
#define TACT_OVERLAP_BOX_H

#include "dialect.h"

#define TACT_OVERLAP_FAR 3.4028234663852885981170418348451692544e38f

// The least and the greatest that one row of a pose makes of the points of a box.
STRUCT(TactSpan)
{
    float low, high;
};

// Of m * x for x in [low, high].
FN TactSpan tact_span_times(float m, float low, float high)
{
    PRECISE float p = m * low;
    PRECISE float q = m * high;
    TactSpan s;
    s.low = p < q ? p : q;
    s.high = p < q ? q : p;
    return s;
}

FN bool tact_not_a_number(float x)
{
    return (as_uint(x) & 0x7fffffffu) > 0x7f800000u;
}

// The operations are those of tact_pose_apply(), in its order. Each of them, rounding and flushing included, is
// monotone in each operand: a point inside the box is never computed to lie outside the span, and no allowance for
// rounding is needed. What overflow leaves undefined is unbounded.
FN TactSpan tact_moved_span(float m0, float m1, float m2, float m3, float lx, float ly, float lz, float hx, float hy,
                            float hz)
{
    TactSpan x = tact_span_times(m0, lx, hx);
    TactSpan y = tact_span_times(m1, ly, hy);
    TactSpan z = tact_span_times(m2, lz, hz);
    PRECISE float low = ((x.low + y.low) + z.low) + m3;
    PRECISE float high = ((x.high + y.high) + z.high) + m3;
    TactSpan s;
    s.low = tact_not_a_number(low) ? -TACT_OVERLAP_FAR : low;
    s.high = tact_not_a_number(high) ? TACT_OVERLAP_FAR : high;
    return s;
}

// As far as a device that makes zeros of numbers below 2^-126 may move a point with coordinates of these sizes
// elsewhere than the definition does. Flushed operands are missing from products, at most 2^-126 of the other one;
// flushed results from what follows; and each of three sums may then be rounded the other way, by 2^-23 of what it is,
// which the sum of all sizes bounds. Twice and more of that.
FN float tact_moved_astray(float m0, float m1, float m2, float m3, float x, float y, float z)
{
    PRECISE float sizes = ((ABS(m0) * x + ABS(m1) * y) + ABS(m2) * z) + ABS(m3);
    PRECISE float operands = ((ABS(m0) + ABS(m1)) + (ABS(m2) + x)) + ((y + z) + 8.0f);
    PRECISE float r = sizes * 4.76837158203125e-07f + operands * 4.70197740328915e-38f;  // 2^-21, 2^-124
    return r;
}

// A span with as much more.
FN TactSpan tact_span_widened(TactSpan s, float by)
{
    PRECISE float low = s.low - by;
    PRECISE float high = s.high + by;
    s.low = tact_not_a_number(low) ? -TACT_OVERLAP_FAR : low;
    s.high = tact_not_a_number(high) ? TACT_OVERLAP_FAR : high;
    return s;
}

FN float tact_widest(float x, float y, float z)
{
    float w = x > y ? x : y;
    return w > z ? w : z;
}

#endif
