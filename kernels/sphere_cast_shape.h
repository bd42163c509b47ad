// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// When a moving sphere first touches a sphere, an axis-aligned box or a capsule, and where: the arithmetic behind
// sphere casts against shapes, shared by C, GLSL and OpenCL C. docs/results.md states it in prose; change neither
// without the other.
//
// A shape is its surface, as for closest points (closest_shape.h), and instances keep its form. In the shape's own
// frame the centre is less than the radius from the surface where it is within the shape grown by the radius, and not
// within the shape shrunk by it. Both are convex, so a line is in touch from where it enters the grown shape to where
// it enters the shrunk one, and again from where it leaves that to where it leaves the grown one. Grown and shrunk
// balls and capsules are such again, and so are shrunk boxes (ray_shapes.h); a grown box has round edges and corners. A
// line's squared distance from a box is a quadratic in each of the up to seven pieces between the planes of its faces,
// so each piece has one root of each kind (after Ericson, "Real-Time Collision Detection", 2005, 5.5.7, who tells which
// edge's or corner's it is by where the line enters a larger box; that misses lines that pass by one corner towards
// another edge). All is relative to the start of the cast and scaled by powers of two.
//
// The grown shape's span is no less than that of the shape itself, as computed: so no sphere slips through a shape that
// the centre's own way hits.
//
// t is kept within the grown interval of the shape's own padded box, moved into the world, and of its instance's, as a
// triangle's is (sphere_cast.h).
#ifndef TACT_SPHERE_CAST_SHAPE_H
#define TACT_SPHERE_CAST_SHAPE_H

#include "closest_shape.h"
#include "sphere_cast.h"

// A cast in the frame of a shape: the line begins at 0, everything is over `least`, and a time of the line, times
// `least` and `slow`, is one of the cast.
STRUCT(TactSphereOwn)
{
    TactRayFrame frame;
    TactShape shape;
    TactVec way;
    float radius;
    float least, slow;
};

FN TactSphereOwn tact_sphere_own(TactSphereCast s, TactShape shape, uint kind, TactRow m0, TactRow m1, TactRow m2)
{
    TactSphereOwn o;
    // 2^126 is the largest power whose reciprocal is a normal number.
    float power = tact_closest_power(s.dx, s.dy, s.dz, TACT_TINY);
    o.slow = tact_closest_inverse(power < TACT_HUGE ? power : TACT_HUGE);
    PRECISE float dx = s.dx * o.slow;
    PRECISE float dy = s.dy * o.slow;
    PRECISE float dz = s.dz * o.slow;
    float scale2 = tact_dot3(m0.x, m0.y, m0.z, m0.x, m0.y, m0.z);
    TactVec from = tact_shape_point(s.frame.ox, s.frame.oy, s.frame.oz, m0, m1, m2, scale2);
    o.way = tact_shape_way(dx, dy, dz, m0, m1, m2, scale2);
    float radius = tact_div(s.radius, tact_sqrt(scale2));
    bool two = kind != TACT_KIND_SPHERES;
    TactVec a = tact_scaled_between(from.x, from.y, from.z, shape.ax, shape.ay, shape.az, 1.0f);
    TactVec b = a;
    if (two) b = tact_scaled_between(from.x, from.y, from.z, shape.bx, shape.by, shape.bz, 1.0f);
    float own_radius = kind == TACT_KIND_BOXES ? 0.0f : shape.radius;
    o.least = tact_most3(tact_closest_power(a.x, a.y, a.z, TACT_SCALE_LEAST),
                         tact_closest_power(b.x, b.y, b.z, TACT_SCALE_LEAST),
                         tact_closest_power(radius, own_radius, 0.0f, TACT_SCALE_LEAST));
    float down = tact_closest_inverse(o.least);
    a = tact_scaled(a, down);
    b = tact_scaled(b, down);
    PRECISE float scaled_radius = radius * down;
    PRECISE float scaled_own = own_radius * down;
    o.shape.ax = a.x;
    o.shape.ay = a.y;
    o.shape.az = a.z;
    o.shape.bx = b.x;
    o.shape.by = b.y;
    o.shape.bz = b.z;
    o.shape.radius = scaled_own;
    o.radius = scaled_radius;
    o.frame = tact_ray_frame(0.0f, 0.0f, 0.0f, o.way.x, o.way.y, o.way.z);
    return o;
}

// The gap between the line and a box on one axis during a piece from t0 to t1, less the part that the way adds. `slab`:
// when the line is between the box's sides on this axis.
FN float tact_rounded_gap(TactInterval slab, float lower, float upper, float reciprocal, float t0, float t1)
{
    float gap = 0.0f;
    if (t1 <= slab.enter) gap = reciprocal > 0.0f ? lower : upper;
    if (t0 >= slab.leave) gap = reciprocal > 0.0f ? upper : lower;
    return gap;
}

FN bool tact_rounded_apart(TactInterval slab, float t0, float t1)
{
    return t1 <= slab.enter || t0 >= slab.leave;
}

FN float tact_rounded_next(float next, float t, float t0)
{
    return t > t0 && t < next ? t : next;
}

// The line against a box grown by the radius, with round edges and corners.
FN TactShapeSpan tact_line_rounded(TactSphereOwn o)
{
    TactShape s = o.shape;
    TactInterval x = tact_line_slab(s.ax, s.bx, 0.0f, o.frame.ix);
    TactInterval y = tact_line_slab(s.ay, s.by, 0.0f, o.frame.iy);
    TactInterval z = tact_line_slab(s.az, s.bz, 0.0f, o.frame.iz);
    PRECISE float r2 = o.radius * o.radius;
    float d2 = tact_dot3(o.way.x, o.way.y, o.way.z, o.way.x, o.way.y, o.way.z);
    PRECISE float still2 = TACT_SPHERE_PARALLEL * d2;
    TactShapeSpan span = tact_line_box(o.frame, s);
    float t0 = -TACT_LARGEST;
    for (int piece = 0; piece < 7; ++piece) {
        float t1 = tact_rounded_next(TACT_LARGEST, x.enter, t0);
        t1 = tact_rounded_next(t1, x.leave, t0);
        t1 = tact_rounded_next(t1, y.enter, t0);
        t1 = tact_rounded_next(t1, y.leave, t0);
        t1 = tact_rounded_next(t1, z.enter, t0);
        t1 = tact_rounded_next(t1, z.leave, t0);
        TactVec a = tact_vec(tact_rounded_gap(x, s.ax, s.bx, o.frame.ix, t0, t1),
                             tact_rounded_gap(y, s.ay, s.by, o.frame.iy, t0, t1),
                             tact_rounded_gap(z, s.az, s.bz, o.frame.iz, t0, t1));
        TactVec n =
            tact_vec(tact_rounded_apart(x, t0, t1) ? o.way.x : 0.0f, tact_rounded_apart(y, t0, t1) ? o.way.y : 0.0f,
                     tact_rounded_apart(z, t0, t1) ? o.way.z : 0.0f);
        float n2 = tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z);
        bool moves = n2 > still2;
        float middle = moves ? tact_div(tact_dot3(a.x, a.y, a.z, n.x, n.y, n.z), n2) : 0.0f;
        PRECISE float wx = middle * n.x - a.x;
        PRECISE float wy = middle * n.y - a.y;
        PRECISE float wz = middle * n.z - a.z;
        PRECISE float left = r2 - tact_dot3(wx, wy, wz, wx, wy, wz);
        TactShapeSpan part;
        part.enter = t0;
        part.leave = t1;
        part.found = left >= 0.0f ? 1 : 0;
        if (moves && left >= 0.0f) {
            float root = tact_sqrt(tact_div(left, n2));
            PRECISE float enter = middle - root;
            PRECISE float leave = middle + root;
            part.enter = tact_max(enter, t0);
            part.leave = tact_min(leave, t1);
            if (!(enter <= t1 && leave >= t0)) part.found = 0;
        }
        span = tact_span_hull(span, part);
        t0 = t1;
        if (t1 >= TACT_LARGEST) break;
    }
    return span;
}

// Where the line is within the radius of the shape, or in it.
FN TactShapeSpan tact_sphere_grown(TactSphereOwn o, uint kind)
{
    TactShapeSpan span;
    if (kind == TACT_KIND_BOXES) {
        span = tact_line_rounded(o);
    } else {
        TactShape s = o.shape;
        PRECISE float radius = s.radius + o.radius;
        s.radius = radius;
        span = tact_line_round(o.frame, s, kind == TACT_KIND_CAPSULES);
    }
    return span;
}

// Where it is in the shape, and farther than the radius from the surface.
FN TactShapeSpan tact_sphere_shrunk(TactSphereOwn o, uint kind)
{
    TactShapeSpan span = tact_span_none();
    TactShape s = o.shape;
    if (kind == TACT_KIND_BOXES) {
        PRECISE float lx = s.ax + o.radius;
        PRECISE float ly = s.ay + o.radius;
        PRECISE float lz = s.az + o.radius;
        PRECISE float hx = s.bx - o.radius;
        PRECISE float hy = s.by - o.radius;
        PRECISE float hz = s.bz - o.radius;
        s.ax = lx;
        s.ay = ly;
        s.az = lz;
        s.bx = hx;
        s.by = hy;
        s.bz = hz;
        if (lx <= hx && ly <= hy && lz <= hz) span = tact_line_box(o.frame, s);
    } else {
        PRECISE float radius = s.radius - o.radius;
        s.radius = radius;
        if (radius >= 0.0f) span = tact_line_round(o.frame, s, kind == TACT_KIND_CAPSULES);
    }
    return span;
}

FN float tact_sphere_time(TactSphereOwn o, float t)
{
    PRECISE float back = (t * o.least) * o.slow;
    return back;
}

// The first touch of a shape, not before tmin nor after tmax, within the gate's interval: that of the instance's box. A
// sphere that touches at tmin touches then.
FN TactSphereHit tact_sphere_shape(TactSphereCast s, TactShape shape, uint kind, TactRow m0, TactRow m1, TactRow m2,
                                   float gate_enter, float gate_leave, float tmax)
{
    TactSphereHit result;
    result.t = 0.0f;
    result.hit = 0;
    TactBox box = tact_shape_moved_box(shape, kind, m0, m1, m2);
    TactInterval own = tact_sphere_interval(s, box.lx, box.ly, box.lz, box.hx, box.hy, box.hz);
    float enter = tact_max(own.enter, gate_enter);
    float leave = tact_min(own.leave, gate_leave);
    if (!(enter <= leave && enter <= tmax && leave >= s.tmin)) return result;

    PRECISE float r2 = s.radius * s.radius;
    float x = tact_sphere_at(s.frame.ox, s.dx, s.tmin);
    float y = tact_sphere_at(s.frame.oy, s.dy, s.tmin);
    float z = tact_sphere_at(s.frame.oz, s.dz, s.tmin);
    bool found = false;
    if (tact_closest_in_range(x) && tact_closest_in_range(y) && tact_closest_in_range(z)) {
        found = tact_shape_closest(x, y, z, shape, kind, m0, m1, m2, 0.0f, r2).d2 <= r2;
    }
    float t = s.tmin;
    if (!found) {
        TactSphereOwn o = tact_sphere_own(s, shape, kind, m0, m1, m2);
        TactShapeSpan grown = tact_sphere_grown(o, kind);
        TactShapeSpan shrunk = tact_sphere_shrunk(o, kind);
        float first = tact_sphere_time(o, grown.enter);
        found = o.frame.valid != 0 && grown.found != 0 && tact_sphere_time(o, grown.leave) >= s.tmin;
        t = first > t ? first : t;
        if (shrunk.found != 0 && tact_sphere_time(o, shrunk.enter) < t) {
            float again = tact_sphere_time(o, shrunk.leave);
            t = again > t ? again : t;
        }
    }
    t = t > enter ? t : enter;
    t = t < leave ? t : leave;
    if (found && t >= s.tmin && t <= tmax && ABS(t) <= TACT_LARGEST) {
        result.t = tact_sphere_when(t);
        result.hit = 1;
    }
    return result;
}

// The outward direction of a box's face that is nearest to p; of several the first of lower x, upper x, lower y, ...
FN TactVec tact_box_outward(TactVec p, TactShape s)
{
    PRECISE float lx = p.x - s.ax;
    PRECISE float hx = s.bx - p.x;
    PRECISE float ly = p.y - s.ay;
    PRECISE float hy = s.by - p.y;
    PRECISE float lz = p.z - s.az;
    PRECISE float hz = s.bz - p.z;
    float nx = hx < lx ? hx : lx;
    float ny = hy < ly ? hy : ly;
    float nz = hz < lz ? hz : lz;
    TactVec n = tact_vec(0.0f, 0.0f, hz < lz ? 1.0f : -1.0f);
    if (nx <= ny && nx <= nz) {
        n = tact_vec(hx < lx ? 1.0f : -1.0f, 0.0f, 0.0f);
    } else if (ny <= nz) {
        n = tact_vec(0.0f, hy < ly ? 1.0f : -1.0f, 0.0f);
    }
    return n;
}

// Where the sphere touches the shape at t, and the shape's normal there, to the side on which the centre is. A centre
// on the surface, but for rounding, is on the side that it comes from.
FN TactSphereContact tact_sphere_shape_contact(TactSphereCast s, TactShape shape, uint kind, TactRow m0, TactRow m1,
                                               TactRow m2, float t)
{
    float x = tact_sphere_at(s.frame.ox, s.dx, t);
    float y = tact_sphere_at(s.frame.oy, s.dy, t);
    float z = tact_sphere_at(s.frame.oz, s.dz, t);
    TactShapeClosest c = tact_shape_closest(x, y, z, shape, kind, m0, m1, m2, 0.0f, TACT_CLOSEST_FAR2);
    TactSphereContact k;
    k.x = tact_pose_apply(m0.x, m0.y, m0.z, m0.w, c.x, c.y, c.z);
    k.y = tact_pose_apply(m1.x, m1.y, m1.z, m1.w, c.x, c.y, c.z);
    k.z = tact_pose_apply(m2.x, m2.y, m2.z, m2.w, c.x, c.y, c.z);
    float scale2 = tact_dot3(m0.x, m0.y, m0.z, m0.x, m0.y, m0.z);
    TactVec p = tact_shape_point(x, y, z, m0, m1, m2, scale2);
    TactVec from = tact_shape_point(s.frame.ox, s.frame.oy, s.frame.oz, m0, m1, m2, scale2);
    // Outward, and how far beyond the surface the centre is.
    TactVec n;
    float beyond;
    if (kind == TACT_KIND_BOXES) {
        PRECISE float vx = p.x - c.x;
        PRECISE float vy = p.y - c.y;
        PRECISE float vz = p.z - c.z;
        bool inside =
            p.x > shape.ax && p.x < shape.bx && p.y > shape.ay && p.y < shape.by && p.z > shape.az && p.z < shape.bz;
        float away = tact_most3(ABS(vx), ABS(vy), ABS(vz));
        beyond = inside ? -away : away;
        n = inside || !(away > 0.0f) ? tact_box_outward(p, shape) : tact_vec(vx, vy, vz);
    } else {
        TactShapeFoot foot = tact_ball_foot(p.x, p.y, p.z, shape);
        TactVec axis = tact_vec(0.0f, 0.0f, 0.0f);
        if (kind == TACT_KIND_CAPSULES) {
            foot = tact_capsule_foot(p.x, p.y, p.z, shape);
            axis = tact_scaled_between(shape.ax, shape.ay, shape.az, shape.bx, shape.by, shape.bz, 1.0f);
        }
        n = foot.away;
        float size = tact_length3(n.x, n.y, n.z);
        if (!(size > 0.0f)) n = tact_shape_across(axis);
        PRECISE float past = size - shape.radius;
        beyond = past;
    }
    n = tact_scaled(n, tact_closest_inverse(tact_closest_power(n.x, n.y, n.z, TACT_SCALE_LEAST)));
    n = tact_near_normal(tact_dot3(m0.x, m0.y, m0.z, n.x, n.y, n.z), tact_dot3(m1.x, m1.y, m1.z, n.x, n.y, n.z),
                         tact_dot3(m2.x, m2.y, m2.z, n.x, n.y, n.z));
    float sizes =
        tact_most3(tact_most3(ABS(p.x), ABS(p.y), ABS(p.z)), tact_most3(ABS(from.x), ABS(from.y), ABS(from.z)),
                   tact_most3(ABS(shape.ax), ABS(shape.ay), ABS(shape.az)));
    if (kind != TACT_KIND_SPHERES) sizes = tact_max(sizes, tact_most3(ABS(shape.bx), ABS(shape.by), ABS(shape.bz)));
    if (kind != TACT_KIND_BOXES) sizes = tact_max(sizes, shape.radius);
    PRECISE float unsure = TACT_SPHERE_TOUCH * sizes;
    bool turned = beyond < 0.0f;
    if (ABS(beyond) <= unsure) {
        // The way may be as long as 2^128, or nearly nothing.
        float power = tact_closest_power(s.dx, s.dy, s.dz, TACT_TINY);
        float slow = tact_closest_inverse(power < TACT_HUGE ? power : TACT_HUGE);
        PRECISE float dx = s.dx * slow;
        PRECISE float dy = s.dy * slow;
        PRECISE float dz = s.dz * slow;
        turned = tact_dot3(n.x, n.y, n.z, dx, dy, dz) > 0.0f;
    }
    k.nx = turned ? -n.x : n.x;
    k.ny = turned ? -n.y : n.y;
    k.nz = turned ? -n.z : n.z;
    return k;
}

#endif
