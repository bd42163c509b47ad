// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Whether two triangles have a point in common, in single precision: yes, no, or not to be told like this. Shared by C,
// GLSL and OpenCL C. What it is sure of is what tact_triangle_overlaps_triangle() says; the rest is for that to decide.
//
// The test is the one of Guigue and Devillers (Fast and Robust Triangle-Triangle Overlap Test Using Orientation
// Predicates, 2003), which asks for the signs of up to eight volumes. A volume counts as positive or negative only if
// it exceeds all that rounding can have done (tact_sure_side()). Two triangles are told apart by their boxes, whose
// comparison is exact; by a plane, when all of one are surely on one side of the other's; or by a sure sign of one of
// the last two volumes. They are said to meet when all eight are sure.
#ifndef TACT_TRIANGLE_OVERLAP_H
#define TACT_TRIANGLE_OVERLAP_H

#include "dialect.h"

#define TACT_SURELY_APART 0
#define TACT_SURELY_MEET 1
#define TACT_UNSURE 2

// 2^-60: triangles are not scaled up by more than the reciprocal of this.
#define TACT_OVERLAP_SCALE_LEAST 8.67361737988403547205962240695953369140625e-19f
// 2^-19 and 2^-56, see tact_sure_side().
#define TACT_OVERLAP_RELATIVE 1.9073486328125e-06f
#define TACT_OVERLAP_ABSOLUTE 1.3877787807814456755295395851135e-17f

STRUCT(TactPoint)
{
    float x, y, z;
};

FN TactPoint tact_point(float x, float y, float z)
{
    TactPoint p;
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
}

// (p - q) * scale
FN TactPoint tact_point_from(TactPoint p, TactPoint q, float scale)
{
    PRECISE float x = (p.x - q.x) * scale;
    PRECISE float y = (p.y - q.y) * scale;
    PRECISE float z = (p.z - q.z) * scale;
    return tact_point(x, y, z);
}

// A vector with the sizes of what its components were summed from.
STRUCT(TactNormal)
{
    float x, y, z;
    float sx, sy, sz;
};

FN TactNormal tact_point_cross(TactPoint u, TactPoint v)
{
    PRECISE float yz = u.y * v.z;
    PRECISE float zy = u.z * v.y;
    PRECISE float zx = u.z * v.x;
    PRECISE float xz = u.x * v.z;
    PRECISE float xy = u.x * v.y;
    PRECISE float yx = u.y * v.x;
    PRECISE float x = yz - zy;
    PRECISE float y = zx - xz;
    PRECISE float z = xy - yx;
    PRECISE float sx = ABS(yz) + ABS(zy);
    PRECISE float sy = ABS(zx) + ABS(xz);
    PRECISE float sz = ABS(xy) + ABS(yx);
    TactNormal n;
    n.x = x;
    n.y = y;
    n.z = z;
    n.sx = sx;
    n.sy = sy;
    n.sz = sz;
    return n;
}

// The sign of the volume w . (u x v), n being u x v: 1, -1, or 0 when rounding might have given the wrong one.
//
// u, v and w are differences of vertices times a power of two, no component of which exceeds 2.1. Let an operation give
// its result with a relative error of at most e = 2^-23, one unit in the last place, twice of what rounding to nearest
// does; and let operands and results below 2^-126 become 0.
//
// Relative errors. The volume is the sum of six products of three differences. On the way to the sum each product meets
// at most 3 differences, 3 scalings, 2 multiplications, and 3 sums: 11 operations, so the sum is off by at most
// ((1 + e)^11 - 1) S, S being the sum of the sizes of the six exact products. `size` is that sum as computed, by no
// more operations a term, hence at least (1 - e)^11 S. The error is below 11.001 e S, below 11.002 e size.
//
// Absolute errors. What is lost of a difference by underflow is at most 3 * 2^-126 (both operands and the result) times
// the scale, at most 2^60, plus 2^-126: below 2^-64. Each of the six products has three such factors, beside two that
// do not exceed 2.1: 18 * 4.41 * 2^-64 < 2^-57. Underflow of products and sums adds less than 20 * 2.1 * 2^-126. The
// same may be missing from `size`, where it counts for 2^-19 of it.
//
// The bound is 16 e size + 2^-56, as computed at least (1 - e)^2 of that: more than both together.
FN int tact_sure_side(TactNormal n, TactPoint w)
{
    PRECISE float volume = (w.x * n.x + w.y * n.y) + w.z * n.z;
    PRECISE float size = (ABS(w.x) * n.sx + ABS(w.y) * n.sy) + ABS(w.z) * n.sz;
    PRECISE float bound = TACT_OVERLAP_RELATIVE * size + TACT_OVERLAP_ABSOLUTE;
    int side = 0;
    if (volume > bound) side = 1;
    if (volume < -bound) side = -1;
    return side;
}

// The side of the plane a b c on which d is.
FN int tact_sure_side_of(TactPoint a, TactPoint b, TactPoint c, TactPoint d, float scale)
{
    TactNormal n = tact_point_cross(tact_point_from(b, a, scale), tact_point_from(c, a, scale));
    return tact_sure_side(n, tact_point_from(d, a, scale));
}

FN float tact_point_least(float a, float b, float c)
{
    float d = a < b ? a : b;
    return d < c ? d : c;
}

FN float tact_point_most(float a, float b, float c)
{
    float d = a > b ? a : b;
    return d > c ? d : c;
}

// The length of what two intervals span together; negative when they have nothing in common.
FN float tact_joint_span(float a0, float a1, float a2, float b0, float b1, float b2)
{
    float la = tact_point_least(a0, a1, a2);
    float ha = tact_point_most(a0, a1, a2);
    float lb = tact_point_least(b0, b1, b2);
    float hb = tact_point_most(b0, b1, b2);
    float low = la < lb ? la : lb;
    float high = ha > hb ? ha : hb;
    PRECISE float span = high - low;
    return la <= hb && lb <= ha ? span : -1.0f;
}

// Which vertex is alone on its side, when none is on the plane and not all are on one side.
FN int tact_lone(int side0, int side1, int side2)
{
    int lone = 2;
    if (side1 == side2) lone = 0;
    if (side0 == side2) lone = 1;
    return lone;
}

// p, q or r.
FN TactPoint tact_point_pick(TactPoint p, TactPoint q, TactPoint r, int which)
{
    TactPoint picked = r;
    if (which == 0) picked = p;
    if (which == 1) picked = q;
    return picked;
}

// The last two volumes. The triangles cross each other's planes: a0 and b0 are alone on their sides, which are the
// positive ones if the others are in the order given. Then the pieces that the triangles cut out of the planes' common
// line overlap if the first is not past the second's end and the other way round.
FN int tact_sure_order(TactPoint a0, TactPoint a1, TactPoint a2, TactPoint b0, TactPoint b1, TactPoint b2, float scale)
{
    int first = tact_sure_side_of(a0, a1, b0, b1, scale);
    int last = tact_sure_side_of(a0, a2, b0, b2, scale);
    int result = TACT_UNSURE;
    if (first < 0 && last > 0) result = TACT_SURELY_MEET;
    if (first > 0 || last < 0) result = TACT_SURELY_APART;
    return result;
}

// All coordinates must be at most TACT_MAX_COORDINATE in size.
FN int tact_triangles_surely(TactPoint a0, TactPoint a1, TactPoint a2, TactPoint b0, TactPoint b1, TactPoint b2)
{
    float span_x = tact_joint_span(a0.x, a1.x, a2.x, b0.x, b1.x, b2.x);
    float span_y = tact_joint_span(a0.y, a1.y, a2.y, b0.y, b1.y, b2.y);
    float span_z = tact_joint_span(a0.z, a1.z, a2.z, b0.z, b1.z, b2.z);
    int result = TACT_SURELY_APART;
    if (span_x >= 0.0f && span_y >= 0.0f && span_z >= 0.0f) {
        // The spans hold every difference, but for rounding: scaled, all are below 2 (1 + 2^-22).
        float span = tact_point_most(span_x, span_y, span_z);
        uint exponent = as_uint(span > TACT_OVERLAP_SCALE_LEAST ? span : TACT_OVERLAP_SCALE_LEAST) & 0x7f800000u;
        float scale = as_float(0x7f000000u - exponent);
        TactNormal nb = tact_point_cross(tact_point_from(b1, b0, scale), tact_point_from(b2, b0, scale));
        int sa0 = tact_sure_side(nb, tact_point_from(a0, b0, scale));
        int sa1 = tact_sure_side(nb, tact_point_from(a1, b0, scale));
        int sa2 = tact_sure_side(nb, tact_point_from(a2, b0, scale));
        TactNormal na = tact_point_cross(tact_point_from(a1, a0, scale), tact_point_from(a2, a0, scale));
        int sb0 = tact_sure_side(na, tact_point_from(b0, a0, scale));
        int sb1 = tact_sure_side(na, tact_point_from(b1, a0, scale));
        int sb2 = tact_sure_side(na, tact_point_from(b2, a0, scale));
        int all_a = sa0 + sa1 + sa2;
        int all_b = sb0 + sb1 + sb2;
        bool apart = all_a == 3 || all_a == -3 || all_b == 3 || all_b == -3;
        if (!apart) result = TACT_UNSURE;
        if (!apart && sa0 * sa1 * sa2 != 0 && sb0 * sb1 * sb2 != 0) {
            int la = tact_lone(sa0, sa1, sa2);
            int lb = tact_lone(sb0, sb1, sb2);
            int side_a = la == 0 ? sa0 : (la == 1 ? sa1 : sa2);
            int side_b = lb == 0 ? sb0 : (lb == 1 ? sb1 : sb2);
            // Each triangle is turned so that its lone vertex comes first, and over if the other's is on its negative
            // side: with 1 and 2 exchanged.
            int na1 = side_b < 0 ? la + 2 : la + 1;
            int na2 = side_b < 0 ? la + 1 : la + 2;
            int nb1 = side_a < 0 ? lb + 2 : lb + 1;
            int nb2 = side_a < 0 ? lb + 1 : lb + 2;
            na1 = na1 >= 3 ? na1 - 3 : na1;
            na2 = na2 >= 3 ? na2 - 3 : na2;
            nb1 = nb1 >= 3 ? nb1 - 3 : nb1;
            nb2 = nb2 >= 3 ? nb2 - 3 : nb2;
            result = tact_sure_order(tact_point_pick(a0, a1, a2, la), tact_point_pick(a0, a1, a2, na1),
                                     tact_point_pick(a0, a1, a2, na2), tact_point_pick(b0, b1, b2, lb),
                                     tact_point_pick(b0, b1, b2, nb1), tact_point_pick(b0, b1, b2, nb2), scale);
        }
    }
    return result;
}

#endif
