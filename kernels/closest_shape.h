// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The point of a sphere, an axis-aligned box or a capsule that is closest to a given one: the arithmetic behind
// closest-point queries against shapes, shared by C, GLSL and OpenCL C. docs/results.md states it in prose; change
// neither without the other.
//
// A shape is its surface, as a mesh is: a point within is as far from it as the nearest point of the surface. The
// instance turns, mirrors, moves and scales alike in all directions (core/trace/near_query.c refuses other ones), so
// the point is taken into the shape's own frame by the transposed matrix over the square of its scale, and distances
// there are those of the world over the scale.
//
// The squared distance is taken to be at least that of the shape's own padded box, moved into the world, and of its
// instance's, by tact_box_gap2(). Both are monotone as rounded, so trees may leave out boxes by a plain comparison.
#ifndef TACT_CLOSEST_SHAPE_H
#define TACT_CLOSEST_SHAPE_H

#include "closest_point.h"
#include "ray_shapes.h"

// 2^-20: the squared sine of an angle to a capsule's axis below which a way counts as along it.
#define TACT_SHAPE_ACROSS 9.5367431640625e-7f

// `d2`: square of the distance in the world; x y z: the closest point in the shape's own frame.
STRUCT(TactShapeClosest)
{
    float d2;
    float x, y, z;
};

// A row of an instance's matrix.
STRUCT(TactRow)
{
    float x, y, z, w;
};

FN TactRow tact_row(float x, float y, float z, float w)
{
    TactRow r;
    r.x = x;
    r.y = y;
    r.z = z;
    r.w = w;
    return r;
}

// Across e; along x where e has no direction.
FN TactVec tact_shape_across(TactVec e)
{
    float ax = ABS(e.x);
    float ay = ABS(e.y);
    float az = ABS(e.z);
    TactVec n = ax <= ay && ax <= az ? tact_vec(0.0f, -e.z, e.y)
                                     : (ay <= az ? tact_vec(e.z, 0.0f, -e.x) : tact_vec(-e.y, e.x, 0.0f));
    float size = tact_length3(n.x, n.y, n.z);
    TactVec across = tact_vec(1.0f, 0.0f, 0.0f);
    if (size > 0.0f) across = tact_vec(tact_div(n.x, size), tact_div(n.y, size), tact_div(n.z, size));
    return across;
}

// The point of a round shape's axis that is closest to a given one, and the way from there to that.
STRUCT(TactShapeFoot)
{
    TactVec at, away;
};

FN TactShapeFoot tact_ball_foot(float px, float py, float pz, TactShape s)
{
    TactShapeFoot f;
    f.at = tact_vec(s.ax, s.ay, s.az);
    f.away = tact_scaled_between(s.ax, s.ay, s.az, px, py, pz, 1.0f);
    return f;
}

// Between the ends the way is across the axis, also where rounding is most of it: a point on the axis would else be led
// along it, to where no surface is. Of a way that is along the axis nothing is left.
FN TactShapeFoot tact_capsule_foot(float px, float py, float pz, TactShape s)
{
    PRECISE float ex = s.bx - s.ax;
    PRECISE float ey = s.by - s.ay;
    PRECISE float ez = s.bz - s.az;
    TactShapeFoot f = tact_ball_foot(px, py, pz, s);
    float along = tact_dot3(f.away.x, f.away.y, f.away.z, ex, ey, ez);
    float length2 = tact_dot3(ex, ey, ez, ex, ey, ez);
    if (along > 0.0f) {
        f.at = tact_vec(s.bx, s.by, s.bz);
        f.away = tact_scaled_between(s.bx, s.by, s.bz, px, py, pz, 1.0f);
        if (along < length2) {
            float t = tact_div(along, length2);
            PRECISE float x = s.ax + t * ex;
            PRECISE float y = s.ay + t * ey;
            PRECISE float z = s.az + t * ez;
            f.at = tact_vec(x, y, z);
            TactVec v = tact_scaled_between(x, y, z, px, py, pz, 1.0f);
            float beside = tact_div(tact_dot3(v.x, v.y, v.z, ex, ey, ez), length2);
            PRECISE float ax = v.x - beside * ex;
            PRECISE float ay = v.y - beside * ey;
            PRECISE float az = v.z - beside * ez;
            PRECISE float least2 = TACT_SHAPE_ACROSS * tact_dot3(v.x, v.y, v.z, v.x, v.y, v.z);
            f.away = tact_vec(0.0f, 0.0f, 0.0f);
            if (tact_dot3(ax, ay, az, ax, ay, az) > least2) f.away = tact_vec(ax, ay, az);
        }
    }
    return f;
}

// On the ball about the foot; d2 is not squared yet. `e`: a direction that the way from there is across when it has no
// length.
FN TactShapeClosest tact_ball_closest(TactShapeFoot f, float radius, TactVec e)
{
    float size = tact_length3(f.away.x, f.away.y, f.away.z);
    TactVec way = tact_shape_across(e);
    if (size > 0.0f) way = tact_vec(tact_div(f.away.x, size), tact_div(f.away.y, size), tact_div(f.away.z, size));
    PRECISE float beyond = size - radius;
    PRECISE float x = f.at.x + radius * way.x;
    PRECISE float y = f.at.y + radius * way.y;
    PRECISE float z = f.at.z + radius * way.z;
    TactShapeClosest r;
    r.d2 = ABS(beyond);
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}

FN TactShapeClosest tact_capsule_closest(float px, float py, float pz, TactShape s)
{
    PRECISE float ex = s.bx - s.ax;
    PRECISE float ey = s.by - s.ay;
    PRECISE float ez = s.bz - s.az;
    return tact_ball_closest(tact_capsule_foot(px, py, pz, s), s.radius, tact_vec(ex, ey, ez));
}

FN float tact_box_clamped(float p, float lower, float upper)
{
    float least = p > lower ? p : lower;
    return least < upper ? least : upper;
}

// Outside the nearest point; inside the nearest face's, of several the first of lower x, upper x, lower y, ...
FN TactShapeClosest tact_box_closest(float px, float py, float pz, TactShape s)
{
    TactShapeClosest r;
    r.x = tact_box_clamped(px, s.ax, s.bx);
    r.y = tact_box_clamped(py, s.ay, s.by);
    r.z = tact_box_clamped(pz, s.az, s.bz);
    PRECISE float vx = px - r.x;
    PRECISE float vy = py - r.y;
    PRECISE float vz = pz - r.z;
    r.d2 = tact_length3(vx, vy, vz);
    if (px > s.ax && px < s.bx && py > s.ay && py < s.by && pz > s.az && pz < s.bz) {
        PRECISE float lx = px - s.ax;
        PRECISE float hx = s.bx - px;
        PRECISE float ly = py - s.ay;
        PRECISE float hy = s.by - py;
        PRECISE float lz = pz - s.az;
        PRECISE float hz = s.bz - pz;
        float nx = hx < lx ? hx : lx;
        float ny = hy < ly ? hy : ly;
        float nz = hz < lz ? hz : lz;
        if (nx <= ny && nx <= nz) {
            r.x = hx < lx ? s.bx : s.ax;
            r.d2 = nx;
        } else if (ny <= nz) {
            r.y = hy < ly ? s.by : s.ay;
            r.d2 = ny;
        } else {
            r.z = hz < lz ? s.bz : s.az;
            r.d2 = nz;
        }
    }
    return r;
}

// A direction of the world in the shape's frame. `scale2`: the square of the instance's scale.
FN TactVec tact_shape_way(float dx, float dy, float dz, TactRow m0, TactRow m1, TactRow m2, float scale2)
{
    return tact_vec(tact_div(tact_dot3(m0.x, m1.x, m2.x, dx, dy, dz), scale2),
                    tact_div(tact_dot3(m0.y, m1.y, m2.y, dx, dy, dz), scale2),
                    tact_div(tact_dot3(m0.z, m1.z, m2.z, dx, dy, dz), scale2));
}

// A point of the world in it.
FN TactVec tact_shape_point(float px, float py, float pz, TactRow m0, TactRow m1, TactRow m2, float scale2)
{
    PRECISE float dx = px - m0.w;
    PRECISE float dy = py - m1.w;
    PRECISE float dz = pz - m2.w;
    return tact_shape_way(dx, dy, dz, m0, m1, m2, scale2);
}

// The shape's padded box, moved into the world.
FN TactBox tact_shape_moved_box(TactShape s, uint kind, TactRow m0, TactRow m1, TactRow m2)
{
    TactBox own = tact_shape_box(s, kind);
    TactSpan x = tact_moved_span(m0.x, m0.y, m0.z, m0.w, own.lx, own.ly, own.lz, own.hx, own.hy, own.hz);
    TactSpan y = tact_moved_span(m1.x, m1.y, m1.z, m1.w, own.lx, own.ly, own.lz, own.hx, own.hy, own.hz);
    TactSpan z = tact_moved_span(m2.x, m2.y, m2.z, m2.w, own.lx, own.ly, own.lz, own.hx, own.hy, own.hz);
    TactBox moved;
    moved.lx = x.low;
    moved.ly = y.low;
    moved.lz = z.low;
    moved.hx = x.high;
    moved.hy = y.high;
    moved.hz = z.high;
    return moved;
}

// The squared gap between p and the shape's moved box, or `gate2` if that is larger.
FN float tact_shape_box_gap2(float px, float py, float pz, TactShape s, uint kind, TactRow m0, TactRow m1, TactRow m2,
                             float gate2)
{
    TactBox own = tact_shape_moved_box(s, kind, m0, m1, m2);
    float own2 = tact_box_gap2(px, py, pz, own.lx, own.ly, own.lz, own.hx, own.hy, own.hz);
    return own2 > gate2 ? own2 : gate2;
}

// The closest point of a shape to p, or, where its box is farther than the square root of `limit2`, any number beyond
// limit2. `gate2` is the squared gap between p and the instance's box.
FN TactShapeClosest tact_shape_closest(float px, float py, float pz, TactShape s, uint kind, TactRow m0, TactRow m1,
                                       TactRow m2, float gate2, float limit2)
{
    float box2 = tact_shape_box_gap2(px, py, pz, s, kind, m0, m1, m2, gate2);
    TactShapeClosest r;
    r.d2 = box2;
    r.x = 0.0f;
    r.y = 0.0f;
    r.z = 0.0f;
    if (box2 <= limit2) {
        float scale2 = tact_dot3(m0.x, m0.y, m0.z, m0.x, m0.y, m0.z);
        TactVec q = tact_shape_point(px, py, pz, m0, m1, m2, scale2);
        if (kind == TACT_KIND_BOXES) {
            r = tact_box_closest(q.x, q.y, q.z, s);
        } else if (kind == TACT_KIND_CAPSULES) {
            r = tact_capsule_closest(q.x, q.y, q.z, s);
        } else {
            r = tact_ball_closest(tact_ball_foot(q.x, q.y, q.z, s), s.radius, tact_vec(0.0f, 0.0f, 0.0f));
        }
        PRECISE float distance = r.d2 * tact_sqrt(scale2);
        PRECISE float d2 = distance * distance;
        r.d2 = d2 > box2 ? d2 : box2;
    }
    return r;
}

#endif
