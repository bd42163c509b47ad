// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What it means for a ray to hit a sphere, an axis-aligned box or a capsule: the arithmetic behind ray casts against
// shapes, shared by C, GLSL and OpenCL C. docs/results.md states it in prose; change neither without the other.
//
// A shape is a closed convex solid that is hit on its surface: where the ray goes in (its front), or, where that lies
// before tmin or fronts are not wanted, where it comes out (its back). Either t is clamped to the interval of the
// shape's own padded box, as a triangle's is, and so no tree can change an answer.
//
// Everything is solved around the point in which the ray passes the shape, not around the ray's origin: in the frame's
// permuted axes the ray is the points o + s (sx, sy, 1) with t = s sz, and w = s - Z counts from where it passes the
// centre's z. Discriminants are written by Lagrange's identity as a difference of two squared lengths of the shape's
// own size. So nothing cancels, however far away the ray begins; after Haines and others, "Precision improvements for
// ray/sphere intersection", Ray Tracing Gems, 2019.
#ifndef TACT_RAY_SHAPES_H
#define TACT_RAY_SHAPES_H

#include "ray_triangle.h"

// What the primitives of a mesh are.
#define TACT_KIND_TRIANGLES 0u
#define TACT_KIND_SPHERES 1u
#define TACT_KIND_BOXES 2u
#define TACT_KIND_CAPSULES 3u

// A shape's numbers. Sphere: a and radius. Box: a lower, b upper. Capsule: all.
STRUCT(TactShape)
{
    float ax, ay, az;
    float bx, by, bz;
    float radius;
};

// Where a line goes into a solid and where it comes out; `found` 0 where it misses.
STRUCT(TactShapeSpan)
{
    float enter, leave;
    int found;
};

FN TactShapeSpan tact_span_none(void)
{
    TactShapeSpan s;
    s.enter = 0.0f;
    s.leave = 0.0f;
    s.found = 0;
    return s;
}

// The shape's tight box, rounded.
FN TactBox tact_shape_tight_box(TactShape s, uint kind)
{
    TactBox o;
    if (kind == TACT_KIND_BOXES) {
        o.lx = s.ax;
        o.ly = s.ay;
        o.lz = s.az;
        o.hx = s.bx;
        o.hy = s.by;
        o.hz = s.bz;
        return o;
    }
    bool two = kind == TACT_KIND_CAPSULES;
    PRECISE float lx = (two ? tact_min(s.ax, s.bx) : s.ax) - s.radius;
    PRECISE float ly = (two ? tact_min(s.ay, s.by) : s.ay) - s.radius;
    PRECISE float lz = (two ? tact_min(s.az, s.bz) : s.az) - s.radius;
    PRECISE float hx = (two ? tact_max(s.ax, s.bx) : s.ax) + s.radius;
    PRECISE float hy = (two ? tact_max(s.ay, s.by) : s.ay) + s.radius;
    PRECISE float hz = (two ? tact_max(s.az, s.bz) : s.az) + s.radius;
    o.lx = lx;
    o.ly = ly;
    o.lz = lz;
    o.hx = hx;
    o.hy = hy;
    o.hz = hz;
    return o;
}

// Padded as a triangle's box is.
FN TactBox tact_shape_box(TactShape s, uint kind)
{
    TactBox b = tact_shape_tight_box(s, kind);
    return tact_triangle_box(b.lx, b.ly, b.lz, b.hx, b.hy, b.hz, b.hx, b.hy, b.hz);
}

// A shape takes part only when its padded box is in range and it holds a point; a NaN fails.
FN bool tact_shape_in_range(TactShape s, uint kind)
{
    bool good = tact_in_range(s.ax, s.ay, s.az);
    if (kind != TACT_KIND_SPHERES) good = good && tact_in_range(s.bx, s.by, s.bz);
    if (kind == TACT_KIND_BOXES) {
        good = good && s.ax <= s.bx && s.ay <= s.by && s.az <= s.bz;
    } else {
        good = good && s.radius >= 0.0f && s.radius <= TACT_RANGE;
    }
    if (!good) return false;
    TactBox b = tact_shape_box(s, kind);
    return tact_in_range(b.lx, b.ly, b.lz) && tact_in_range(b.hx, b.hy, b.hz);
}

// From two values of w, counted from z.
FN TactShapeSpan tact_span_around(TactRayFrame r, float z, float from, float to)
{
    PRECISE float first = (z + from) * r.sz;
    PRECISE float last = (z + to) * r.sz;
    TactShapeSpan s;
    s.enter = tact_min(first, last);
    s.leave = tact_max(first, last);
    s.found = 1;
    return s;
}

// The line against a ball. (x, y) is its centre as seen along the ray, z how far away that is: sheared coordinates.
FN TactShapeSpan tact_line_ball(TactRayFrame r, float x, float y, float z, float radius)
{
    PRECISE float a = (r.sx * r.sx + r.sy * r.sy) + 1.0f;
    PRECISE float turn = x * r.sy - y * r.sx;
    PRECISE float apart = (x * x + y * y) + turn * turn;
    PRECISE float room = a * (radius * radius) - apart;
    if (!(room >= 0.0f)) return tact_span_none();
    float root = tact_sqrt(room);
    PRECISE float along = x * r.sx + y * r.sy;
    PRECISE float less = along - root;
    PRECISE float more = along + root;
    return tact_span_around(r, z, tact_div(less, a), tact_div(more, a));
}

// a b - c d without the cancellation of its two roundings.
FN float tact_difference_of_products(float a, float b, float c, float d)
{
    PRECISE float p = a * b;
    PRECISE float q = c * d;
    PRECISE float lost = tact_product_error(a, b, p) - tact_product_error(c, d, q);
    PRECISE float difference = (p - q) + lost;
    return difference;
}

// The line against the part of an endless cylinder between the planes through the ends of its axis, which begins at the
// place (x, y, z) of sheared coordinates and goes on by `size` times n. One parallel to the axis gives none: the balls
// at the ends tell it all.
FN TactShapeSpan tact_line_tube(TactRayFrame r, float x, float y, float z, float nx, float ny, float nz, float size,
                                float radius)
{
    float gx = tact_difference_of_products(r.sy, nz, 1.0f, ny);
    float gy = tact_difference_of_products(1.0f, nx, r.sx, nz);
    float gz = tact_difference_of_products(r.sx, ny, r.sy, nx);
    PRECISE float gg = (gx * gx + gy * gy) + gz * gz;
    PRECISE float apart = x * gx + y * gy;
    PRECISE float room = (radius * radius) * gg - apart * apart;
    if (!(gg > 0.0f && room >= 0.0f)) return tact_span_none();
    PRECISE float nn = (nx * nx + ny * ny) + nz * nz;
    PRECISE float square = nn * room;
    float root = tact_sqrt(square);
    PRECISE float kx = y * nz;
    PRECISE float ky = x * nz;
    PRECISE float kz = y * nx - x * ny;
    PRECISE float along = (kx * gx - ky * gy) - kz * gz;
    PRECISE float less = along - root;
    PRECISE float more = along + root;
    float from = tact_div(less, gg);
    float to = tact_div(more, gg);

    PRECISE float slope = (r.sx * nx + r.sy * ny) + nz;
    PRECISE float first = x * nx + y * ny;
    PRECISE float last = first + size * nn;
    if (slope == 0.0f) {
        if (!(first <= 0.0f && last >= 0.0f)) return tact_span_none();
    } else {
        float w0 = tact_div(first, slope);
        float w1 = tact_div(last, slope);
        from = tact_max(from, tact_min(w0, w1));
        to = tact_min(to, tact_max(w0, w1));
    }
    if (!(from <= to)) return tact_span_none();
    return tact_span_around(r, z, from, to);
}

FN TactShapeSpan tact_span_hull(TactShapeSpan a, TactShapeSpan b)
{
    if (a.found == 0) return b;
    if (b.found == 0) return a;
    TactShapeSpan s;
    s.enter = tact_min(a.enter, b.enter);
    s.leave = tact_max(a.leave, b.leave);
    s.found = 1;
    return s;
}

// A ball, or the hull of a ball at each end and the tube between them.
FN TactShapeSpan tact_line_round(TactRayFrame r, TactShape s, bool two)
{
    PRECISE float ax = s.ax - r.ox;
    PRECISE float ay = s.ay - r.oy;
    PRECISE float az = s.az - r.oz;
    float z = tact_component(ax, ay, az, r.axis);
    PRECISE float x = tact_component(ay, az, ax, r.axis) - r.sx * z;
    PRECISE float y = tact_component(az, ax, ay, r.axis) - r.sy * z;
    TactShapeSpan span = tact_line_ball(r, x, y, z, s.radius);
    if (!two) return span;

    PRECISE float dx = s.bx - s.ax;
    PRECISE float dy = s.by - s.ay;
    PRECISE float dz = s.bz - s.az;
    float size = tact_max(tact_max(ABS(dx), ABS(dy)), ABS(dz));
    if (!(size > 0.0f)) return span;
    float nx = tact_div(dx, size);
    float ny = tact_div(dy, size);
    float nz = tact_div(dz, size);
    span = tact_span_hull(
        span, tact_line_tube(r, x, y, z, tact_component(ny, nz, nx, r.axis), tact_component(nz, nx, ny, r.axis),
                             tact_component(nx, ny, nz, r.axis), size, s.radius));

    PRECISE float bx = s.bx - r.ox;
    PRECISE float by = s.by - r.oy;
    PRECISE float bz = s.bz - r.oz;
    float zb = tact_component(bx, by, bz, r.axis);
    PRECISE float xb = tact_component(by, bz, bx, r.axis) - r.sx * zb;
    PRECISE float yb = tact_component(bz, bx, by, r.axis) - r.sy * zb;
    return tact_span_hull(span, tact_line_ball(r, xb, yb, zb, s.radius));
}

// Where the line is between two planes across an axis. One along which the ray does not move holds all of it or, with
// both values on one side of every t, nothing.
FN TactInterval tact_line_slab(float lower, float upper, float o, float reciprocal)
{
    PRECISE float first = (lower - o) * reciprocal;
    PRECISE float last = (upper - o) * reciprocal;
    TactInterval i;
    i.enter = tact_min(first, last);
    i.leave = tact_max(first, last);
    if (reciprocal == TACT_HUGE && lower <= o && o <= upper) {
        i.enter = -TACT_LARGEST;
        i.leave = TACT_LARGEST;
    }
    return i;
}

// A box, by slabs. Whether it is hit is asked with the slack of the trees, which is more than any rounding here, so no
// box that the ray touches is missed; where it is entered and left, without.
FN TactShapeSpan tact_line_box(TactRayFrame r, TactShape s)
{
    TactInterval x = tact_line_slab(s.ax, s.bx, r.ox, r.ix);
    TactInterval y = tact_line_slab(s.ay, s.by, r.oy, r.iy);
    TactInterval z = tact_line_slab(s.az, s.bz, r.oz, r.iz);
    TactShapeSpan span;
    span.enter = tact_max(tact_max(x.enter, y.enter), z.enter);
    span.leave = tact_min(tact_min(x.leave, y.leave), z.leave);
    TactInterval wide = tact_widened(span.enter, span.leave, TACT_SLACK);
    span.leave = tact_max(span.leave, span.enter);
    span.found = wide.enter <= wide.leave ? 1 : 0;
    return span;
}

// The hit of the ray with a shape, its t within `gate` and within [tmin, tmax]: of the sides in `faces` (TACT_FACE_)
// the one that comes first. u is 0 where the ray goes in and 1 where it comes out, v is 0.
FN TactTriangleHit tact_ray_shape(TactRayFrame r, TactShape s, uint kind, TactInterval gate, float tmin, float tmax,
                                  uint faces)
{
    TactTriangleHit h;
    h.t = 0.0f;
    h.u = 0.0f;
    h.v = 0.0f;
    h.hit = 0;
    TactShapeSpan span;
    if (kind == TACT_KIND_BOXES) {
        span = tact_line_box(r, s);
    } else {
        span = tact_line_round(r, s, kind == TACT_KIND_CAPSULES);
    }
    if (span.found == 0) return h;
    TactInterval own = tact_box_interval(r, tact_shape_box(s, kind), TACT_SLACK);
    float enter = tact_max(own.enter, gate.enter);
    float leave = tact_min(own.leave, gate.leave);
    if (!(enter <= leave)) return h;
    float t = span.enter > enter ? span.enter : enter;
    t = t < leave ? t : leave;
    int side = 1;
    if ((faces & TACT_FACE_FRONT) == 0u || !(t >= tmin)) {
        t = span.leave > enter ? span.leave : enter;
        t = t < leave ? t : leave;
        side = 2;
        if ((faces & TACT_FACE_BACK) == 0u) return h;
    }
    if (!(t >= tmin && t <= tmax && ABS(t) <= TACT_LARGEST)) return h;
    h.t = t;
    h.u = side == 2 ? 1.0f : 0.0f;
    h.hit = side;
    return h;
}

#endif
