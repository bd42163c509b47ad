// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Triangles that particles collide with: where they are, how far away and in what direction. Shared by C, GLSL and
// OpenCL C. A point's distance from a mesh or height field is the least of those from its triangles as computed here.
#ifndef TACT_PARTICLE_MESH_H
#define TACT_PARTICLE_MESH_H

#include "particle_contact.h"

// 2^-40. A triangle counts as a line when its height over its longest side is below 2^-20 of that side, and its face is
// not looked at when that side is below 2^-20 of the distance of its farthest corner. Neither moves the closest point
// by more than half the height.
#define TACT_FACE_LEAST 9.094947017729282379150390625e-13f
// 2^-100: squares of lengths below this have no direction.
#define TACT_DIRECTION_LEAST 7.888609052210118054117285652827862296732064351090230047702789306640625e-31f
// 2^-60: triangles are not scaled up by more than the reciprocal of this.
#define TACT_SCALE_LEAST 8.67361737988403547205962240695953369140625e-19f
// 1 + 2^-21: edges and corners count as that much farther, in the square. Above a face and close to its border the edge
// of the next face is as far away but for rounding; its normal, which is tilted by up to 2^-11, must not win then, or
// what lies on flat ground would roll off the borders of its triangles.
#define TACT_EDGE_FARTHER 1.000000476837158203125f
// Heights above this, 2^61, stand for holes.
#define TACT_FIELD_HOLE 2305843009213693952.0f
// Cosine of 30 degrees: see tact_touch_is_flat().
#define TACT_FLAT 0.86602540378443864676f

// A body's place: world = rotation * own + t. (x_, y_, z_): the rows of the rotation.
STRUCT(TactFrame)
{
    float tx, ty, tz;
    float xx, xy, xz;
    float yx, yy, yz;
    float zx, zy, zz;
};

FN TactVec tact_frame_into(TactFrame f, float x, float y, float z)
{
    PRECISE float dx = x - f.tx;
    PRECISE float dy = y - f.ty;
    PRECISE float dz = z - f.tz;
    return tact_vec(tact_dot3(f.xx, f.yx, f.zx, dx, dy, dz), tact_dot3(f.xy, f.yy, f.zy, dx, dy, dz),
                    tact_dot3(f.xz, f.yz, f.zz, dx, dy, dz));
}

// A direction of the body's frame as seen from outside.
FN TactVec tact_frame_turn(TactFrame f, float x, float y, float z)
{
    return tact_vec(tact_dot3(f.xx, f.xy, f.xz, x, y, z), tact_dot3(f.yx, f.yy, f.yz, x, y, z),
                    tact_dot3(f.zx, f.zy, f.zz, x, y, z));
}

FN float tact_gap(float below, float above)
{
    float gap = below > above ? below : above;
    return gap > 0.0f ? gap : 0.0f;
}

// Square of the distance of a point from a box. Every operation is monotone, also as rounded: a box that contains
// another is never computed to be farther away.
FN float tact_box_gap2(float px, float py, float pz, float lx, float ly, float lz, float hx, float hy, float hz)
{
    PRECISE float ax = lx - px;
    PRECISE float ay = ly - py;
    PRECISE float az = lz - pz;
    PRECISE float bx = px - hx;
    PRECISE float by = py - hy;
    PRECISE float bz = pz - hz;
    float x = tact_gap(ax, bx);
    float y = tact_gap(ay, by);
    float z = tact_gap(az, bz);
    return tact_dot3(x, y, z, x, y, z);
}

FN float tact_least3(float a, float b, float c)
{
    float d = a < b ? a : b;
    return d < c ? d : c;
}

FN float tact_most3(float a, float b, float c)
{
    float d = a > b ? a : b;
    return d > c ? d : c;
}

// The point of the segment from a to b = a + e that is closest to the origin. `length2`: e's length squared.
FN TactVec tact_segment_near(TactVec a, TactVec b, TactVec e, float length2)
{
    TactVec r = a;
    float along = -tact_dot3(a.x, a.y, a.z, e.x, e.y, e.z);
    if (along > 0.0f) {
        r = b;
        if (along < length2) {
            float t = tact_div(along, length2);
            PRECISE float x = a.x + t * e.x;
            PRECISE float y = a.y + t * e.y;
            PRECISE float z = a.z + t * e.z;
            r = tact_vec(x, y, z);
        }
    }
    return r;
}

// Whether the origin, seen along the normal n, is on the inner side of the edge from a along e.
FN bool tact_edge_inner(TactVec a, TactVec e, TactVec n)
{
    TactVec m = tact_cross3(a.x, a.y, a.z, e.x, e.y, e.z);
    return tact_dot3(m.x, m.y, m.z, n.x, n.y, n.z) >= 0.0f;
}

FN TactVec tact_scaled_between(float ax, float ay, float az, float bx, float by, float bz, float scale)
{
    PRECISE float x = bx - ax;
    PRECISE float y = by - ay;
    PRECISE float z = bz - az;
    PRECISE float sx = x * scale;
    PRECISE float sy = y * scale;
    PRECISE float sz = z * scale;
    return tact_vec(sx, sy, sz);
}

// A triangle as seen from a point: its corners and its box, less the point.
STRUCT(TactAbout)
{
    TactVec a, b, c, low, high;
};

FN TactAbout tact_triangle_about(float px, float py, float pz, float ax, float ay, float az, float bx, float by,
                                 float bz, float cx, float cy, float cz)
{
    TactAbout o;
    PRECISE float rax = ax - px;
    PRECISE float ray = ay - py;
    PRECISE float raz = az - pz;
    PRECISE float rbx = bx - px;
    PRECISE float rby = by - py;
    PRECISE float rbz = bz - pz;
    PRECISE float rcx = cx - px;
    PRECISE float rcy = cy - py;
    PRECISE float rcz = cz - pz;
    o.a = tact_vec(rax, ray, raz);
    o.b = tact_vec(rbx, rby, rbz);
    o.c = tact_vec(rcx, rcy, rcz);
    o.low = tact_vec(tact_least3(rax, rbx, rcx), tact_least3(ray, rby, rcy), tact_least3(raz, rbz, rcz));
    o.high = tact_vec(tact_most3(rax, rbx, rcx), tact_most3(ray, rby, rcy), tact_most3(raz, rbz, rcz));
    return o;
}

// Square of the distance of the point from the triangle's box, as tact_box_gap2() has it.
FN float tact_about_gap2(TactAbout o)
{
    float x = tact_gap(o.low.x, -o.high.x);
    float y = tact_gap(o.low.y, -o.high.y);
    float z = tact_gap(o.low.z, -o.high.z);
    return tact_dot3(x, y, z, x, y, z);
}

FN TactVec tact_scaled(TactVec v, float scale)
{
    PRECISE float x = v.x * scale;
    PRECISE float y = v.y * scale;
    PRECISE float z = v.z * scale;
    return tact_vec(x, y, z);
}

// Such a triangle over `up`, a power of two that brings its largest coordinate to between 1 and 2, or leaves it below:
// corners, edges and the squares of their lengths. Edges are made of the corners as they are, which the point has not
// rounded.
STRUCT(TactScaled)
{
    TactVec a, b, c, ab, bc, ca;
    float ab2, bc2, ca2, up;
};

FN TactScaled tact_triangle_scaled(TactAbout o, float ax, float ay, float az, float bx, float by, float bz, float cx,
                                   float cy, float cz)
{
    TactScaled s;
    float size = tact_most3(tact_most3(o.high.x, o.high.y, o.high.z), tact_most3(-o.low.x, -o.low.y, -o.low.z),
                            TACT_SCALE_LEAST);
    uint exponent = as_uint(size) & 0x7f800000u;
    s.up = as_float(exponent);
    float down = as_float(0x7f000000u - exponent);
    s.a = tact_scaled(o.a, down);
    s.b = tact_scaled(o.b, down);
    s.c = tact_scaled(o.c, down);
    s.ab = tact_scaled_between(ax, ay, az, bx, by, bz, down);
    s.bc = tact_scaled_between(bx, by, bz, cx, cy, cz, down);
    s.ca = tact_scaled_between(cx, cy, cz, ax, ay, az, down);
    s.ab2 = tact_dot3(s.ab.x, s.ab.y, s.ab.z, s.ab.x, s.ab.y, s.ab.z);
    s.bc2 = tact_dot3(s.bc.x, s.bc.y, s.bc.z, s.bc.x, s.bc.y, s.bc.z);
    s.ca2 = tact_dot3(s.ca.x, s.ca.y, s.ca.z, s.ca.x, s.ca.y, s.ca.z);
    return s;
}

// A point and a triangle. `d2`: square of their distance; (gx, gy, gz): from the closest point to the point, of any
// length but 0.
STRUCT(TactNear)
{
    float d2;
    float gx, gy, gz;
};

// The closest point of a triangle; or, if the triangle's box is farther than the square root of `limit2`, just that
// box's distance and no direction.
//
// Closest is the closest of the three edges, or the face if the point lies over it (the regions of Ericson, "Real-Time
// Collision Detection", 2005, 5.1.5, but told apart by the edges' own side planes, not by differences of products of
// dot products, which leave nothing of a needle). The corners are taken relative to the point and the edges relative
// to their own ends, so that what is lost is some 2^-22 of the triangle's size and of the distance, not of the
// coordinates.
//
// A needle's normal n is uncertain by an angle of some 2^-22 L / h, L being its longest side and h its height. The
// distance of the face's plane is therefore measured from the closest point E of the edges, not from a corner. From
// there the point of the face is at most h / 2 away, so a plane that leads farther away than h is dismissed. If the
// face is at distance d, the tilt is wrong by t and the face is accepted or dismissed in error, the distance is wrong
// by about d t^2 / 2 or h^2 / (2 d) whichever is less, so by at most h t / 2 or 2^-23 L, even for a needle.
//
// Everything is scaled by a power of two, so that triangles of any size have their squares in range.
//
// The distance is taken to be at least that of the triangle's box, which it is but for rounding. By the monotony of
// tact_box_gap2() no box around the triangle is then farther than the triangle, so that trees can dismiss boxes by a
// plain comparison and still find the very triangle that brute force finds.
FN TactNear tact_triangle_near(float px, float py, float pz, float ax, float ay, float az, float bx, float by, float bz,
                               float cx, float cy, float cz, float limit2)
{
    TactNear result;
    TactAbout o = tact_triangle_about(px, py, pz, ax, ay, az, bx, by, bz, cx, cy, cz);
    float box2 = tact_about_gap2(o);
    result.d2 = box2;
    result.gx = 0.0f;
    result.gy = 1.0f;
    result.gz = 0.0f;
    if (box2 <= limit2) {
        TactScaled s = tact_triangle_scaled(o, ax, ay, az, bx, by, bz, cx, cy, cz);
        TactVec edge = tact_segment_near(s.a, s.b, s.ab, s.ab2);
        float edge2 = tact_dot3(edge.x, edge.y, edge.z, edge.x, edge.y, edge.z);
        TactVec other = tact_segment_near(s.b, s.c, s.bc, s.bc2);
        float other2 = tact_dot3(other.x, other.y, other.z, other.x, other.y, other.z);
        if (other2 < edge2) {
            edge = other;
            edge2 = other2;
        }
        other = tact_segment_near(s.c, s.a, s.ca, s.ca2);
        other2 = tact_dot3(other.x, other.y, other.z, other.x, other.y, other.z);
        if (other2 < edge2) {
            edge = other;
            edge2 = other2;
        }
        // The normal, of the length of twice the area.
        TactVec n = tact_cross3(s.ca.x, s.ca.y, s.ca.z, s.ab.x, s.ab.y, s.ab.z);
        float n2 = tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z);
        float longest2 = tact_most3(s.ab2, s.bc2, s.ca2);
        PRECISE float least2 = TACT_FACE_LEAST * (longest2 * longest2);
        PRECISE float d2 = edge2 * TACT_EDGE_FARTHER;
        TactVec g = n;
        if (n2 <= TACT_DIRECTION_LEAST) g = tact_vec(0.0f, 1.0f, 0.0f);
        if (edge2 > TACT_DIRECTION_LEAST) g = tact_vec(-edge.x, -edge.y, -edge.z);
        if (longest2 > TACT_FACE_LEAST && n2 > least2 && tact_edge_inner(s.a, s.ab, n) &&
            tact_edge_inner(s.b, s.bc, n) && tact_edge_inner(s.c, s.ca, n)) {
            float along = tact_dot3(n.x, n.y, n.z, edge.x, edge.y, edge.z);
            float plane = tact_div(along, tact_sqrt(n2));
            PRECISE float plane2 = plane * plane;
            PRECISE float aside = (edge2 - plane2) * longest2;
            if (plane2 <= d2 && aside <= n2) {
                d2 = plane2;
                g = along > 0.0f ? tact_vec(-n.x, -n.y, -n.z) : n;
            }
        }
        PRECISE float up2 = s.up * s.up;
        PRECISE float back2 = d2 * up2;
        result.d2 = back2 > box2 ? back2 : box2;
        result.gx = g.x;
        result.gy = g.y;
        result.gz = g.z;
    }
    return result;
}

// The unit vector along a direction that tact_triangle_near() gave.
FN TactVec tact_near_normal(float gx, float gy, float gz)
{
    float inverse = tact_div(1.0f, tact_length3(gx, gy, gz));
    PRECISE float x = gx * inverse;
    PRECISE float y = gy * inverse;
    PRECISE float z = gz * inverse;
    return tact_vec(x, y, z);
}

// Whether a triangle is part of the surroundings of a touch already taken, that is, adds no contact of its own: its
// closest point, as seen from the tangent plane of the taken one, does not rise by more than 13 % (1 - cos 30) of the
// taken one's distance. Triangles beside it in a plane are so at any depth, and of two that are equally deep the second
// is when their normals are within 30 degrees.
FN bool tact_touch_is_flat(TactVec taken, float taken_distance, TactVec normal, float distance)
{
    PRECISE float down = tact_dot3(taken.x, taken.y, taken.z, normal.x, normal.y, normal.z) * distance;
    PRECISE float least = TACT_FLAT * taken_distance;
    return down >= least;
}

// The squares of a height field along one axis. Corner k is at origin + k * step; the step is at least 2^-18 of the
// largest coordinate. A square is left out only if it is farther than `reach` as tact_box_gap2() computes: coordinates
// and quotients here are off by less than a sixteenth of a step and 2^-21 of the reach, and a whole step and 2^-20 of
// the reach are allowed for.
STRUCT(TactFieldAxis)
{
    float origin, step;
    int squares;
};

FN float tact_field_corner(TactFieldAxis a, int k)
{
    PRECISE float x = a.origin + to_float(k) * a.step;
    return x;
}

// The square under x, or the nearest one.
FN int tact_field_square(TactFieldAxis a, float x)
{
    PRECISE float from = x - a.origin;
    float place = FLOOR(tact_div(from, a.step));
    float most = to_float(a.squares - 1);
    float held = place > 0.0f ? place : 0.0f;
    held = held < most ? held : most;
    return to_int(held);
}

FN int tact_field_first(TactFieldAxis a, float x, float reach)
{
    PRECISE float low = x - reach * 1.00000095367431640625f;
    int k = tact_field_square(a, low);
    return k > 0 ? k - 1 : 0;
}

FN int tact_field_last(TactFieldAxis a, float x, float reach)
{
    PRECISE float high = x + reach * 1.00000095367431640625f;
    int k = tact_field_square(a, high);
    return k < a.squares - 1 ? k + 1 : k;
}

#endif
