// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The point of a triangle that is closest to a given one: the arithmetic behind closest-point queries, shared by C,
// GLSL and OpenCL C. docs/results.md states it in prose; change neither without the other.
//
// Method: that of particle_mesh.h, whose comments say why it holds for needles and for triangles of any size. In short:
// the closest point of the three edges, or of the face where the point lies over it and the face's plane is nearer
// (the regions of Ericson, "Real-Time Collision Detection", 2005, 5.1.5, told apart by the edges' own side planes),
// with corners relative to the point, edges relative to their ends, all scaled by a power of two. Besides the distance
// this gives the weights, and edges count no farther than faces.
//
// The squared distance is taken to be at least that of the triangle's own box and of its instance's, by
// tact_box_gap2(), which is monotone as rounded. So a box around either is never computed to be farther than the
// triangle, and trees may leave out boxes by a plain comparison.
#ifndef TACT_CLOSEST_POINT_H
#define TACT_CLOSEST_POINT_H

#include "overlap_box.h"
#include "particle_mesh.h"
#include "pose.h"

// Points are within 2^60, and greatest distances beyond 2^62 are as good as none.
#define TACT_CLOSEST_RANGE_BITS 0x5d800000u
#define TACT_CLOSEST_FAR 4611686018427387904.0f
#define TACT_CLOSEST_FAR2 3.40282347e38f

// u and v weigh the second and the third corner.
STRUCT(TactClosest)
{
    float d2, u, v;
};

// The point of a segment that is closest to the origin: where, how far in the square, and how far along.
STRUCT(TactAlong)
{
    float x, y, z, d2, t;
};

FN TactAlong tact_closest_along(TactVec a, TactVec b, TactVec e, float length2)
{
    TactAlong r;
    r.x = a.x;
    r.y = a.y;
    r.z = a.z;
    r.t = 0.0f;
    float along = -tact_dot3(a.x, a.y, a.z, e.x, e.y, e.z);
    if (along > 0.0f) {
        r.x = b.x;
        r.y = b.y;
        r.z = b.z;
        r.t = 1.0f;
        if (along < length2) {
            float t = tact_div(along, length2);
            PRECISE float x = a.x + t * e.x;
            PRECISE float y = a.y + t * e.y;
            PRECISE float z = a.z + t * e.z;
            r.x = x;
            r.y = y;
            r.z = z;
            r.t = t;
        }
    }
    r.d2 = tact_dot3(r.x, r.y, r.z, r.x, r.y, r.z);
    return r;
}

// The weight of the corner opposite to the edge from a along e, times a positive number: negative when the origin, seen
// along n, is on the outer side of the edge.
FN float tact_closest_weight(TactVec a, TactVec e, TactVec n)
{
    TactVec m = tact_cross3(a.x, a.y, a.z, e.x, e.y, e.z);
    return tact_dot3(m.x, m.y, m.z, n.x, n.y, n.z);
}

// Over a face the foot is beside the edges' closest point, at a right angle to that edge. So of the weights that of the
// opposite corner comes from the side plane, and the share along the edge from the edge's own: with weights made of
// areas alone a needle's foot would move along it by much more than the needle is wide. `t`: of the edge's closest
// point; `back`: the way to the opposite corner along the edge, times its length.
FN float tact_closest_beside(float t, float opposite, float back, float length2)
{
    PRECISE float moved = t - opposite * tact_div(back, length2);
    PRECISE float most = 1.0f - opposite;
    float low = moved > 0.0f ? moved : 0.0f;
    return low < most ? low : most;
}

// The closest point of triangle a b c to p, or, where its box is farther than the square root of `limit2`, any number
// beyond limit2. `gate2` is the squared gap between p and the instance's box.
FN TactClosest tact_triangle_closest(float px, float py, float pz, float ax, float ay, float az, float bx, float by,
                                     float bz, float cx, float cy, float cz, float gate2, float limit2)
{
    TactClosest result;
    TactAbout o = tact_triangle_about(px, py, pz, ax, ay, az, bx, by, bz, cx, cy, cz);
    float own2 = tact_about_gap2(o);
    float box2 = own2 > gate2 ? own2 : gate2;
    result.d2 = box2;
    result.u = 0.0f;
    result.v = 0.0f;
    if (box2 <= limit2) {
        TactScaled s = tact_triangle_scaled(o, ax, ay, az, bx, by, bz, cx, cy, cz);
        // Which edge it is: from corner `side` to the next, and how it leads to the third one.
        int side = 0;
        TactAlong edge = tact_closest_along(s.a, s.b, s.ab, s.ab2);
        TactAlong other = tact_closest_along(s.b, s.c, s.bc, s.bc2);
        if (other.d2 < edge.d2) {
            edge = other;
            side = 1;
        }
        other = tact_closest_along(s.c, s.a, s.ca, s.ca2);
        if (other.d2 < edge.d2) {
            edge = other;
            side = 2;
        }
        // The normal, of the length of twice the area.
        TactVec n = tact_cross3(s.ca.x, s.ca.y, s.ca.z, s.ab.x, s.ab.y, s.ab.z);
        float n2 = tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z);
        float longest2 = tact_most3(s.ab2, s.bc2, s.ca2);
        PRECISE float least2 = TACT_FACE_LEAST * (longest2 * longest2);
        float wa = tact_closest_weight(s.b, s.bc, n);
        float wb = tact_closest_weight(s.c, s.ca, n);
        float wc = tact_closest_weight(s.a, s.ab, n);
        PRECISE float sum = (wa + wb) + wc;
        PRECISE float d2 = edge.d2;
        float t = edge.t;
        float opposite = 0.0f;
        if (longest2 > TACT_FACE_LEAST && n2 > least2 && wa >= 0.0f && wb >= 0.0f && wc >= 0.0f && sum > 0.0f) {
            float along = tact_dot3(n.x, n.y, n.z, edge.x, edge.y, edge.z);
            float plane = tact_div(along, tact_sqrt(n2));
            PRECISE float plane2 = plane * plane;
            PRECISE float aside = (edge.d2 - plane2) * longest2;
            if (plane2 <= d2 && aside <= n2) {
                d2 = plane2;
                float back = side == 0 ? -tact_dot3(s.ca.x, s.ca.y, s.ca.z, s.ab.x, s.ab.y, s.ab.z)
                                       : (side == 1 ? -tact_dot3(s.ab.x, s.ab.y, s.ab.z, s.bc.x, s.bc.y, s.bc.z)
                                                    : -tact_dot3(s.bc.x, s.bc.y, s.bc.z, s.ca.x, s.ca.y, s.ca.z));
                opposite = tact_div(side == 0 ? wc : (side == 1 ? wa : wb), sum);
                t = tact_closest_beside(edge.t, opposite, back, side == 0 ? s.ab2 : (side == 1 ? s.bc2 : s.ca2));
            }
        }
        PRECISE float rest = (1.0f - opposite) - t;
        float first = rest > 0.0f ? rest : 0.0f;
        result.u = side == 0 ? t : (side == 1 ? first : opposite);
        result.v = side == 0 ? opposite : (side == 1 ? t : first);
        PRECISE float up2 = s.up * s.up;
        PRECISE float back2 = d2 * up2;
        result.d2 = back2 > box2 ? back2 : box2;
    }
    return result;
}

// The power of two of the largest of three numbers, or of `least`.
FN float tact_closest_power(float x, float y, float z, float least)
{
    float size = tact_most3(ABS(x), ABS(y), ABS(z));
    size = size > least ? size : least;
    return as_float(as_uint(size) & 0x7f800000u);
}

FN float tact_closest_inverse(float power)
{
    return as_float(0x7f000000u - as_uint(power));
}

// Where the weights u and v lead on one axis; exactly to a corner where a weight is 1.
FN float tact_closest_at(float a, float b, float c, float u, float v)
{
    PRECISE float x = a + (u * (b - a) + v * (c - a));
    return u == 1.0f ? b : (v == 1.0f ? c : x);
}

// Compared as bits: some compilers turn comparisons of several floats into one of their maximum, which drops a NaN.
FN bool tact_closest_in_range(float x)
{
    return (as_uint(x) & 0x7fffffffu) <= TACT_CLOSEST_RANGE_BITS;
}

// The square that distances are compared with; negative when nothing is to be found.
FN float tact_closest_limit2(float px, float py, float pz, float most)
{
    PRECISE float square = most * most;
    float limit2 = most <= TACT_CLOSEST_FAR ? square : TACT_CLOSEST_FAR2;
    bool positive = as_uint(most) <= 0x7f800000u || as_uint(most) == 0x80000000u;
    bool good = tact_closest_in_range(px) && tact_closest_in_range(py) && tact_closest_in_range(pz);
    return good && positive ? limit2 : -1.0f;
}

#endif
