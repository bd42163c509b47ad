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

FN float tact_widest(float x, float y, float z)
{
    float w = x > y ? x : y;
    return w > z ? w : z;
}

#endif
