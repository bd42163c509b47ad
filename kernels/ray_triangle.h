// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What it means for a ray to hit a triangle: the arithmetic behind every ray cast, shared by C, GLSL and OpenCL C.
// docs/results.md states it in prose and proves what is claimed here; change neither without the other.
//
// Method: the edge test in a sheared frame that looks along the ray (Woop, Benthin, Wald, "Watertight Ray/Triangle
// Intersection", 2013), with two additions of our own. An edge value that rounds to zero is replaced by its exact
// value, so its sign is always the true sign of the 2D test and no ray slips between triangles that share an edge. And
// the hit's t is clamped to the interval in which the ray is inside the triangle's own padded box. Because that
// interval is part of the definition, and widening a box never shrinks it, skipping a subtree whose box's interval does
// not reach a t can never skip a hit with that t: the answer does not depend on the tree.
#ifndef TACT_RAY_TRIANGLE_H
#define TACT_RAY_TRIANGLE_H

#include "dialect.h"

// 2^60: larger coordinates are out of range. Products of two sheared coordinates then stay below 2^126.
#define TACT_RANGE 1152921504606846976.0f
// 2^-126, the smallest normal number: direction components below it count as zero.
#define TACT_TINY 1.17549435e-38f
// 2^126, the slab reciprocal of a zero component.
#define TACT_HUGE 8.50705917e37f
#define TACT_LARGEST 3.40282347e38f
// Relative slack of a slab interval: 2^-20 for boxes in the frame of the triangles, 2^-16 for boxes of instances, which
// lie in another frame than the triangles they hold.
#define TACT_SLACK 9.5367431640625e-7f
#define TACT_INSTANCE_SLACK 1.52587890625e-5f
// Trees have their slack in the reciprocals, 2^-19 and 2^-15, or all of it where a box is left, 2^-18 and 2^-14, and
// 2^-120 for products that underflow: box_lanes.h
#define TACT_TREE_SLACK 1.9073486328125e-6f
#define TACT_TREE_INSTANCE_SLACK 3.0517578125e-5f
#define TACT_TREE_GROWTH 3.814697265625e-6f
#define TACT_TREE_INSTANCE_GROWTH 6.103515625e-5f
#define TACT_TREE_TINY 7.52316384526264e-37f
// Padding of a triangle's box: 2^-21 of its largest side and 2^-23 of each coordinate (at least one ulp).
#define TACT_PAD_SIDE 4.76837158203125e-7f
#define TACT_PAD_ULP 1.1920928955078125e-7f

// A ray prepared for tests in one frame.
STRUCT(TactRayFrame)
{
    float ox, oy, oz;  // origin
    float ix, iy, iz;  // reciprocals of the direction, TACT_HUGE for zero
    float sx, sy, sz;  // shear along the dominant axis: d[x]/d[z], d[y]/d[z], 1/d[z] of the permuted direction
    int axis;          // dominant axis, which becomes z; the next two in cyclic order become x and y
    int valid;         // 0: the ray misses everything
};

STRUCT(TactBox)
{
    float lx, ly, lz;
    float hx, hy, hz;
};

STRUCT(TactInterval)
{
    float enter, leave;  // empty when enter > leave
};

// The sides of a surface. A triangle's front is the one from which its vertices are seen counter-clockwise, in the
// frame of its mesh, so a mirrored instance shows the same sides as its mesh.
#define TACT_FACE_FRONT 1u
#define TACT_FACE_BACK 2u
#define TACT_FACE_BOTH 3u

STRUCT(TactTriangleHit)
{
    float t, u, v;
    int hit;  // 0: none. Else the side that is hit, TACT_FACE_FRONT or TACT_FACE_BACK
};

FN float tact_min(float a, float b)
{
    return a < b ? a : b;
}

FN float tact_max(float a, float b)
{
    return a > b ? a : b;
}

FN float tact_component(float x, float y, float z, int axis)
{
    return axis == 0 ? x : (axis == 1 ? y : z);
}

FN float tact_slab_reciprocal(float d)
{
    float r = TACT_HUGE;
    if (d != 0.0f) r = tact_div(1.0f, d);
    return r;
}

FN TactRayFrame tact_ray_frame(float ox, float oy, float oz, float dx, float dy, float dz)
{
    TactRayFrame r;
    float ex = ABS(dx) < TACT_TINY ? 0.0f : dx;
    float ey = ABS(dy) < TACT_TINY ? 0.0f : dy;
    float ez = ABS(dz) < TACT_TINY ? 0.0f : dz;
    float ax = ABS(ex);
    float ay = ABS(ey);
    float az = ABS(ez);
    r.axis = 0;
    float largest = ax;
    if (ay > largest) {
        r.axis = 1;
        largest = ay;
    }
    if (az > largest) {
        r.axis = 2;
        largest = az;
    }
    // Comparisons that a NaN fails.
    bool good = ax <= TACT_LARGEST && ay <= TACT_LARGEST && az <= TACT_LARGEST && largest > 0.0f;
    good = good && ABS(ox) <= TACT_RANGE && ABS(oy) <= TACT_RANGE && ABS(oz) <= TACT_RANGE;
    r.valid = good ? 1 : 0;
    r.ox = ox;
    r.oy = oy;
    r.oz = oz;
    r.ix = tact_slab_reciprocal(ex);
    r.iy = tact_slab_reciprocal(ey);
    r.iz = tact_slab_reciprocal(ez);
    float along = tact_component(ex, ey, ez, r.axis);
    r.sx = tact_div(tact_component(ey, ez, ex, r.axis), along);
    r.sy = tact_div(tact_component(ez, ex, ey, r.axis), along);
    r.sz = tact_div(1.0f, along);
    return r;
}

FN TactInterval tact_widened(float enter, float leave, float slack)
{
    float less = 1.0f - slack;
    float more = 1.0f + slack;
    PRECISE float wide_enter = enter * (enter < 0.0f ? more : less);
    PRECISE float wide_leave = leave * (leave < 0.0f ? less : more);
    TactInterval i;
    i.enter = wide_enter;
    i.leave = wide_leave;
    return i;
}

// Where the ray is inside a box, widened by `slack`. Monotone: a box that contains another one has an interval that
// contains the other's.
FN TactInterval tact_box_interval(TactRayFrame r, TactBox b, float slack)
{
    PRECISE float x0 = (b.lx - r.ox) * r.ix;
    PRECISE float x1 = (b.hx - r.ox) * r.ix;
    PRECISE float y0 = (b.ly - r.oy) * r.iy;
    PRECISE float y1 = (b.hy - r.oy) * r.iy;
    PRECISE float z0 = (b.lz - r.oz) * r.iz;
    PRECISE float z1 = (b.hz - r.oz) * r.iz;
    float enter = tact_max(tact_max(tact_min(x0, x1), tact_min(y0, y1)), tact_min(z0, z1));
    float leave = tact_min(tact_min(tact_max(x0, x1), tact_max(y0, y1)), tact_max(z0, z1));
    return tact_widened(enter, leave, slack);
}

// The triangle's own box, padded for what rounding can do to the edge test.
FN TactBox tact_triangle_box(float ax, float ay, float az, float bx, float by, float bz, float cx, float cy, float cz)
{
    TactBox o;
    float lx = tact_min(tact_min(ax, bx), cx);
    float ly = tact_min(tact_min(ay, by), cy);
    float lz = tact_min(tact_min(az, bz), cz);
    float hx = tact_max(tact_max(ax, bx), cx);
    float hy = tact_max(tact_max(ay, by), cy);
    float hz = tact_max(tact_max(az, bz), cz);
    PRECISE float wx = hx - lx;
    PRECISE float wy = hy - ly;
    PRECISE float wz = hz - lz;
    PRECISE float pad = tact_max(tact_max(wx, wy), wz) * TACT_PAD_SIDE;
    PRECISE float plx = lx - (pad + ABS(lx) * TACT_PAD_ULP);
    PRECISE float ply = ly - (pad + ABS(ly) * TACT_PAD_ULP);
    PRECISE float plz = lz - (pad + ABS(lz) * TACT_PAD_ULP);
    PRECISE float phx = hx + (pad + ABS(hx) * TACT_PAD_ULP);
    PRECISE float phy = hy + (pad + ABS(hy) * TACT_PAD_ULP);
    PRECISE float phz = hz + (pad + ABS(hz) * TACT_PAD_ULP);
    o.lx = plx;
    o.ly = ply;
    o.lz = plz;
    o.hx = phx;
    o.hy = phy;
    o.hz = phz;
    return o;
}

// a * b - c * d; where that rounds to zero, its exact value.
FN float tact_edge(float a, float b, float c, float d)
{
    PRECISE float p = a * b;
    PRECISE float q = c * d;
    PRECISE float e = p - q;
    if (e == 0.0f) {
        // p and q are equal, so what is left is the difference of their rounding errors.
        PRECISE float exact = tact_product_error(a, b, p) - tact_product_error(c, d, q);
        e = exact;
    }
    return e;
}

// The hit of the ray with triangle a b c, its t within `gate` and within [tmin, tmax]. u and v weigh b and c. Both
// sides of a triangle are hit; its edges and vertices belong to it; one seen exactly edge-on, or without area, is not
// hit.
FN TactTriangleHit tact_ray_triangle(TactRayFrame r, float ax, float ay, float az, float bx, float by, float bz,
                                     float cx, float cy, float cz, TactInterval gate, float tmin, float tmax)
{
    TactTriangleHit h;
    h.t = 0.0f;
    h.u = 0.0f;
    h.v = 0.0f;
    h.hit = 0;

    // Vertices relative to the origin, axes permuted so that z is the dominant one, x and y sheared onto the ray.
    PRECISE float rax = ax - r.ox;
    PRECISE float ray = ay - r.oy;
    PRECISE float raz = az - r.oz;
    PRECISE float rbx = bx - r.ox;
    PRECISE float rby = by - r.oy;
    PRECISE float rbz = bz - r.oz;
    PRECISE float rcx = cx - r.ox;
    PRECISE float rcy = cy - r.oy;
    PRECISE float rcz = cz - r.oz;
    float paz = tact_component(rax, ray, raz, r.axis);
    float pbz = tact_component(rbx, rby, rbz, r.axis);
    float pcz = tact_component(rcx, rcy, rcz, r.axis);
    PRECISE float pax = tact_component(ray, raz, rax, r.axis) - r.sx * paz;
    PRECISE float pay = tact_component(raz, rax, ray, r.axis) - r.sy * paz;
    PRECISE float pbx = tact_component(rby, rbz, rbx, r.axis) - r.sx * pbz;
    PRECISE float pby = tact_component(rbz, rbx, rby, r.axis) - r.sy * pbz;
    PRECISE float pcx = tact_component(rcy, rcz, rcx, r.axis) - r.sx * pcz;
    PRECISE float pcy = tact_component(rcz, rcx, rcy, r.axis) - r.sy * pcz;

    float u = tact_edge(pcx, pby, pcy, pbx);
    float v = tact_edge(pax, pcy, pay, pcx);
    float w = tact_edge(pbx, pay, pby, pax);
    bool below = u < 0.0f || v < 0.0f || w < 0.0f;
    bool above = u > 0.0f || v > 0.0f || w > 0.0f;
    if (below && above) return h;
    PRECISE float sum = (u + v) + w;
    if (!(sum > 0.0f || sum < 0.0f)) return h;

    TactInterval own = tact_box_interval(r, tact_triangle_box(ax, ay, az, bx, by, bz, cx, cy, cz), TACT_SLACK);
    float enter = tact_max(own.enter, gate.enter);
    float leave = tact_min(own.leave, gate.leave);
    if (!(enter <= leave)) return h;
    PRECISE float za = r.sz * paz;
    PRECISE float zb = r.sz * pbz;
    PRECISE float zc = r.sz * pcz;
    PRECISE float scaled = (u * za + v * zb) + w * zc;
    float t = tact_div(scaled, sum);
    t = t > enter ? t : enter;
    t = t < leave ? t : leave;
    if (!(t >= tmin && t <= tmax && ABS(t) <= TACT_LARGEST)) return h;
    h.t = t;
    h.u = tact_div(v, sum);
    h.v = tact_div(w, sum);
    // The sheared area has the sign of the normal's part along the ray's z, reversed; sz that of the ray's way along z.
    h.hit = (sum > 0.0f) == (r.sz > 0.0f) ? 1 : 2;
    return h;
}

// A triangle takes part only when all its coordinates are in range; a NaN fails.
FN bool tact_in_range(float x, float y, float z)
{
    return ABS(x) <= TACT_RANGE && ABS(y) <= TACT_RANGE && ABS(z) <= TACT_RANGE;
}

#endif
