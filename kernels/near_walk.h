// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What kernels that walk a scene in the world's frame read of its eight-wide nodes (cpu_ref/trace/bvh8.h). Not for C.
#ifndef TACT_NEAR_WALK_H
#define TACT_NEAR_WALK_H

#include "overlap_box.h"
#include "pose.h"

// As TACT_BVH8_INNER.
#define TACT_NEAR_INNER 7u
#define TACT_NEAR_NONE 0xffffffffu
// A node's children in order: three bits each from the least on, and from this bit on how many.
#define TACT_NEAR_COUNT_SHIFT 24u

STRUCT(TactNearBox)
{
    float lx, ly, lz;
    float hx, hy, hz;
};

FN uint tact_near_byte(uint low, uint high, uint i)
{
    return ((i < 4u ? low : high) >> (8u * (i & 3u))) & 255u;
}

FN float tact_near_side(uint origin, uint exponents, uint axis, uint byte)
{
    PRECISE float part = to_float(byte) * as_float(((exponents >> (8u * axis)) & 255u) << 23);
    PRECISE float side = as_float(origin) + part;
    return side;
}

// The box of child i in the node's own frame.
FN TactNearBox tact_near_child(uint4 head, uint4 bx, uint4 by, uint4 bz, uint i)
{
    TactNearBox b;
    b.lx = tact_near_side(head.x, head.w, 0u, tact_near_byte(bx.x, bx.y, i));
    b.ly = tact_near_side(head.y, head.w, 1u, tact_near_byte(by.x, by.y, i));
    b.lz = tact_near_side(head.z, head.w, 2u, tact_near_byte(bz.x, bz.y, i));
    b.hx = tact_near_side(head.x, head.w, 0u, tact_near_byte(bx.z, bx.w, i));
    b.hy = tact_near_side(head.y, head.w, 1u, tact_near_byte(by.z, by.w, i));
    b.hz = tact_near_side(head.z, head.w, 2u, tact_near_byte(bz.z, bz.w, i));
    return b;
}

FN TactNearBox tact_near_moved(uint4 m0, uint4 m1, uint4 m2, TactNearBox b)
{
    TactSpan x = tact_moved_span(as_float(m0.x), as_float(m0.y), as_float(m0.z), as_float(m0.w), b.lx, b.ly, b.lz, b.hx,
                                 b.hy, b.hz);
    TactSpan y = tact_moved_span(as_float(m1.x), as_float(m1.y), as_float(m1.z), as_float(m1.w), b.lx, b.ly, b.lz, b.hx,
                                 b.hy, b.hz);
    TactSpan z = tact_moved_span(as_float(m2.x), as_float(m2.y), as_float(m2.z), as_float(m2.w), b.lx, b.ly, b.lz, b.hx,
                                 b.hy, b.hz);
    TactNearBox r;
    r.lx = x.low;
    r.ly = y.low;
    r.lz = z.low;
    r.hx = x.high;
    r.hy = y.high;
    r.hz = z.high;
    return r;
}

FN float tact_near_row(uint4 m, float x, float y, float z)
{
    return tact_pose_apply(as_float(m.x), as_float(m.y), as_float(m.z), as_float(m.w), x, y, z);
}

#endif
