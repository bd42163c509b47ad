// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Crossings and strips of winding numbers in single precision, with signs that are sure or said not to be. Shared by
// GLSL and OpenCL C, and by tests in C. What is sure is what cpu_ref/trace/locate.c says; the rest is for that to
// decide.
#ifndef TACT_RAY_CROSSING_H
#define TACT_RAY_CROSSING_H

#include "strip_turn.h"
#include "triangle_overlap.h"

#define TACT_CROSSING_UNSURE 2

// 2^-100: devices that flush subnormal numbers know differences down to this to their last place.
#define TACT_STRIP_SURE 7.888609052210118054117285652827862296732064351090230047702789306640625e-31f

// The power of two by which no difference exceeds 2, for tact_sure_side().
FN float tact_crossing_scale(float size)
{
    uint exponent = as_uint(size > TACT_OVERLAP_SCALE_LEAST ? size : TACT_OVERLAP_SCALE_LEAST) & 0x7f800000u;
    return as_float(0x7f000000u - exponent);
}

FN float tact_crossing_size(TactPoint a, TactPoint p)
{
    PRECISE float x = a.x - p.x;
    PRECISE float y = a.y - p.y;
    PRECISE float z = a.z - p.z;
    return tact_point_most(ABS(x), ABS(y), ABS(z));
}

// The side of the origin at the edge from a to b, seen along x, of n = a x b: 1, -1, or 0 when rounding might have
// given the wrong one. Two of the products that tact_sure_side() sums, without the third factors.
FN int tact_crossing_side(TactNormal n)
{
    PRECISE float bound = TACT_OVERLAP_RELATIVE * n.sx + TACT_OVERLAP_ABSOLUTE;
    int side = 0;
    if (n.x > bound) side = 1;
    if (n.x < -bound) side = -1;
    return side;
}

// 1 where the ray from p along +x comes out through the front of the triangle, -1 through its back, 0 where it surely
// misses it, or TACT_CROSSING_UNSURE.
FN int tact_crossing(TactPoint p, TactPoint a, TactPoint b, TactPoint c)
{
    if (tact_point_most(a.x, b.x, c.x) < p.x || tact_point_most(a.y, b.y, c.y) < p.y ||
        tact_point_least(a.y, b.y, c.y) > p.y || tact_point_most(a.z, b.z, c.z) < p.z ||
        tact_point_least(a.z, b.z, c.z) > p.z) {
        return 0;
    }
    float scale = tact_crossing_scale(
        tact_point_most(tact_crossing_size(a, p), tact_crossing_size(b, p), tact_crossing_size(c, p)));
    TactPoint sa = tact_point_from(a, p, scale);
    TactPoint sb = tact_point_from(b, p, scale);
    TactPoint sc = tact_point_from(c, p, scale);
    TactNormal ab = tact_point_cross(sa, sb);
    int side_ab = tact_crossing_side(ab);
    int side_bc = tact_crossing_side(tact_point_cross(sb, sc));
    int side_ca = tact_crossing_side(tact_point_cross(sc, sa));
    int found = TACT_CROSSING_UNSURE;
    if (side_ab * side_bc < 0 || side_bc * side_ca < 0 || side_ca * side_ab < 0) {
        found = 0;
    } else {
        int side = side_ab != 0 ? side_ab : (side_bc != 0 ? side_bc : side_ca);
        int ahead = tact_sure_side(ab, sc);
        if (side * ahead < 0) found = 0;
        if (side_ab * side_bc * side_ca * ahead != 0 && side == ahead) found = side;
    }
    return found;
}

// Whether an end of a strip is as the host has it, though a device may flush.
FN bool tact_strip_end_sure(TactPoint p, TactPoint a)
{
    PRECISE float dx = a.x - p.x;
    PRECISE float dy = a.y - p.y;
    PRECISE float dz = a.z - p.z;
    float aside = ABS(dy) > ABS(dz) ? ABS(dy) : ABS(dz);
    float size = ABS(dx) > aside ? ABS(dx) : aside;
    return size > TACT_OVERLAP_SCALE_LEAST && (dx <= 0.0f || aside > TACT_STRIP_SURE);
}

// The side of p at a boundary's edge: 1, -1, or 0 when it is not sure, or when the strip is not.
FN int tact_strip_side(TactPoint p, TactPoint a, TactPoint b)
{
    float size_a = tact_crossing_size(a, p);
    float size_b = tact_crossing_size(b, p);
    float scale = tact_crossing_scale(size_a > size_b ? size_a : size_b);
    int side = tact_crossing_side(tact_point_cross(tact_point_from(a, p, scale), tact_point_from(b, p, scale)));
    return tact_strip_end_sure(p, a) && tact_strip_end_sure(p, b) ? side : 0;
}

#endif
