// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The children of a node of the eight-wide tree (cpu_ref/trace/bvh8.h) against a ray, side by side: eight lanes in
// OpenCL, which a CPU's compiler makes one vector of; four in GLSL, which does it twice.
#ifndef TACT_RAY_LANES_H
#define TACT_RAY_LANES_H

#include "ray_triangle.h"

// A child as the stack keeps it: its kind (the number of a leaf's primitives, or that of nodes, or nothing) above its
// node or its first slot.
#define TACT_KIND_SHIFT 29
#define TACT_KIND_NODE 7u
#define TACT_CHILD_BITS 0x1fffffffu

#if defined(TACT_GLSL)
#define LANES vec4
#define MAKE_LANES(x) vec4(x)
#define FIRST_BIT(x) uint(findLSB(x))

FN vec4 tact_lanes_min(vec4 a, vec4 b)
{
    return vec4(tact_min(a.x, b.x), tact_min(a.y, b.y), tact_min(a.z, b.z), tact_min(a.w, b.w));
}

FN vec4 tact_lanes_max(vec4 a, vec4 b)
{
    return vec4(tact_max(a.x, b.x), tact_max(a.y, b.y), tact_max(a.z, b.z), tact_max(a.w, b.w));
}

FN uint tact_lanes_at_most(vec4 a, vec4 b)
{
    uvec4 m = uvec4(lessThanEqual(a, b)) * uvec4(1u, 2u, 4u, 8u);
    return (m.x | m.y) | (m.z | m.w);
}

FN vec4 tact_lanes_of(uint word)
{
    return vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u);
}
#else
#define LANES float8
#define MAKE_LANES(x) ((float8)(x))
#define FIRST_BIT(x) (31u - clz((x) & (0u - (x))))

FN float8 tact_lanes_min(float8 a, float8 b)
{
    return a < b ? a : b;
}

FN float8 tact_lanes_max(float8 a, float8 b)
{
    return a > b ? a : b;
}

FN uint tact_lanes_at_most(float8 a, float8 b)
{
    int8 m = (a <= b) & (int8)(1, 2, 4, 8, 16, 32, 64, 128);
    int4 n = m.lo | m.hi;
    int2 o = n.lo | n.hi;
    return as_uint(o.x | o.y);
}

FN float8 tact_lanes_of(uint low, uint high)
{
    return convert_float8(as_uchar8((uint2)(low, high)));
}
#endif

// Where the ray enters and leaves the eight, within the part of it that matters.
STRUCT(TactLanes)
{
    LANES enter, leave;
};

// Distances to sides, with the very operations of bvh8.h and tact_box_interval.
FN LANES tact_lanes_slab(LANES bytes, float side, float scale, float o, float reciprocal)
{
    PRECISE LANES t = ((bytes * scale + side) - o) * reciprocal;
    return t;
}

// As tact_box_interval, of sides that are in order along the ray: those entered first in `near`. Reciprocals are never
// NaN and never so large with a zero distance that a product could be, so minima and maxima are what they seem. The
// widening takes the further one of two products, which is the one that the sign asks for. What comes before tmin, or
// after the limit, is cut off: nothing that is skipped for that matters.
FN TactLanes tact_lanes_interval(LANES x0, LANES x1, LANES y0, LANES y1, LANES z0, LANES z1, float slack, float tmin,
                                 float limit)
{
    float less = 1.0f - slack;
    float more = 1.0f + slack;
    LANES enter = tact_lanes_max(tact_lanes_max(x0, y0), z0);
    LANES leave = tact_lanes_min(tact_lanes_min(x1, y1), z1);
    PRECISE LANES enter_less = enter * less;
    PRECISE LANES enter_more = enter * more;
    PRECISE LANES leave_less = leave * less;
    PRECISE LANES leave_more = leave * more;
    TactLanes lanes;
    lanes.enter = tact_lanes_max(tact_lanes_min(enter_less, enter_more), MAKE_LANES(tmin));
    lanes.leave = tact_lanes_min(tact_lanes_max(leave_less, leave_more), MAKE_LANES(limit));
    return lanes;
}

#endif
