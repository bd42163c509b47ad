// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A triangle's box in a tree that is built on a device, and its side in a node's bytes.
#ifndef TACT_BVH_BOX_H
#define TACT_BVH_BOX_H

#include "ray_triangle.h"

// 2^-90
#define TACT_BVH_LEAST 8.077935669463161e-28f
// 2^60 as bits.
#define TACT_BVH_RANGE_BITS 0x5d800000u

// As tact_in_range, on bits: GLSL does not promise that comparing a NaN gives false.
FN bool tact_bvh_in_range(uint x, uint y, uint z)
{
    return (x & 0x7fffffffu) <= TACT_BVH_RANGE_BITS && (y & 0x7fffffffu) <= TACT_BVH_RANGE_BITS &&
           (z & 0x7fffffffu) <= TACT_BVH_RANGE_BITS;
}

// One ulp or more outwards, and away from zero as far as 2^-90: so the box contains the padded one of the definition
// whatever the device makes of subnormals, and sides are such as it computes with exactly.
FN float tact_bvh_lower(float side)
{
    PRECISE float wide = side - ABS(side) * TACT_PAD_ULP;
    if (ABS(wide) < TACT_BVH_LEAST) wide = -TACT_BVH_LEAST;
    return wide;
}

FN float tact_bvh_upper(float side)
{
    PRECISE float wide = side + ABS(side) * TACT_PAD_ULP;
    if (ABS(wide) < TACT_BVH_LEAST) wide = TACT_BVH_LEAST;
    return wide;
}

FN TactBox tact_bvh_triangle_box(float ax, float ay, float az, float bx, float by, float bz, float cx, float cy,
                                 float cz)
{
    TactBox b = tact_triangle_box(ax, ay, az, bx, by, bz, cx, cy, cz);
    b.lx = tact_bvh_lower(b.lx);
    b.ly = tact_bvh_lower(b.ly);
    b.lz = tact_bvh_lower(b.lz);
    b.hx = tact_bvh_upper(b.hx);
    b.hy = tact_bvh_upper(b.hy);
    b.hz = tact_bvh_upper(b.hz);
    return b;
}

FN float tact_bvh_scale(uint exponent)
{
    return as_float(exponent << 23u);
}

// The exponent to begin with: 255 steps reach over the width, or nearly, and more than one ulp of the origin.
FN uint tact_bvh_exponent(float low, float high)
{
    PRECISE float width = high - low;
    PRECISE float step = width * 0.003921569f;
    uint from_width = ((as_uint(step) >> 23u) & 0xffu) + 1u;
    uint from_origin = (as_uint(low) >> 23u) & 0xffu;
    from_origin = from_origin > 31u ? from_origin - 30u : 1u;
    return from_width > from_origin ? from_width : from_origin;
}

FN float tact_bvh_side(float origin, float scale, uint step)
{
    PRECISE float part = to_float(step) * scale;
    PRECISE float side = origin + part;
    return side;
}

// The last step whose side, as computed, is not above `side`. The estimate is off by one at most; step 0 is always
// good.
FN uint tact_bvh_lower_step(float origin, uint exponent, float side)
{
    float scale = tact_bvh_scale(exponent);
    PRECISE float distance = side - origin;
    PRECISE float steps = distance * tact_bvh_scale(254u - exponent);
    uint step = 0u;
    if (steps >= 255.0f) {
        step = 255u;
    } else if (steps > 0.0f) {
        step = to_uint(steps);
    }
    if (step > 0u && tact_bvh_side(origin, scale, step) > side) --step;
    if (tact_bvh_side(origin, scale, step) > side) step = 0u;
    return step;
}

// The first step whose side is not below; more than 255 when there is none, or the estimate is off by more than one.
FN uint tact_bvh_upper_step(float origin, uint exponent, float side)
{
    float scale = tact_bvh_scale(exponent);
    PRECISE float distance = side - origin;
    PRECISE float steps = distance * tact_bvh_scale(254u - exponent);
    uint step = 0u;
    if (steps >= 256.0f) {
        step = 256u;
    } else if (steps > 0.0f) {
        step = to_uint(steps);
    }
    if (step < 256u && tact_bvh_side(origin, scale, step) < side) ++step;
    if (step < 256u && tact_bvh_side(origin, scale, step) < side) ++step;
    if (step < 256u && tact_bvh_side(origin, scale, step) < side) step = 256u;
    return step;
}

#endif
