// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// When a moving sphere first touches a triangle: the arithmetic behind sphere casts, shared by C, GLSL and OpenCL C.
// docs/results.md states it in prose; change neither without the other.
//
// Method: the centre runs into the triangle rounded by the radius, that is a slab over the face, cylinders about the
// edges and balls about the corners, of which the first counts (after Ericson, "Real-Time Collision Detection", 2005,
// 5.5.6, and Moeller and others, "Real-Time Rendering", 4th edition 2018, 22). Roots are taken from where the centre is
// nearest, so that nothing cancels for spheres from far away; cross products are exact but for their last rounding, so
// that edges met at a shallow angle are; and the centre's own way through the triangle, which is watertight
// (ray_triangle.h), is a contact whatever the others say, so that no sphere slips through a closed surface. All is
// relative to the start and scaled by powers of two.
//
// t is kept within the interval in which the centre is inside the triangle's own box, grown by the radius, and its
// instance's. That interval is monotone as rounded, so trees prune by it without any allowance.
#ifndef TACT_SPHERE_CAST_H
#define TACT_SPHERE_CAST_H

#include "closest_point.h"
#include "ray_triangle.h"

// 2^-21: what a grown box's sides are moved outwards by, relative to themselves.
#define TACT_SPHERE_PAD 4.76837158203125e-7f
// 2^-60: the squared sine of an angle below which a way counts as parallel to an edge.
#define TACT_SPHERE_PARALLEL 8.67361737988403547205962240695953369140625e-19f
// 2^-20, relative: how far a sphere that has begun to touch before tmin may seem to be away at tmin and touch still.
#define TACT_SPHERE_TOUCH 9.5367431640625e-7f

STRUCT(TactSphereCast)
{
    TactRayFrame frame;
    float dx, dy, dz;
    float tmin, tmax;
    float radius;
    int valid;  // 0: touches nothing
};

STRUCT(TactSphereHit)
{
    float t;
    int hit;
};

// Where the sphere touches, and the unit normal from there to its centre.
STRUCT(TactSphereContact)
{
    float x, y, z;
    float nx, ny, nz;
};

FN TactSphereCast tact_sphere_cast_of(float ox, float oy, float oz, float tmin, float dx, float dy, float dz,
                                      float tmax, float radius)
{
    TactSphereCast c;
    c.frame = tact_ray_frame(ox, oy, oz, dx, dy, dz);
    c.dx = dx;
    c.dy = dy;
    c.dz = dz;
    c.tmin = tmin;
    c.tmax = tmax;
    c.radius = radius;
    bool sized = as_uint(radius) <= TACT_CLOSEST_RANGE_BITS || as_uint(radius) == 0x80000000u;
    c.valid = c.frame.valid != 0 && sized && ABS(tmin) <= TACT_LARGEST && tmin <= tmax ? 1 : 0;
    return c;
}

FN float tact_sphere_lower(float side, float radius)
{
    PRECISE float x = side - radius;
    PRECISE float y = x * (x < 0.0f ? 1.0f + TACT_SPHERE_PAD : 1.0f - TACT_SPHERE_PAD);
    return y;
}

FN float tact_sphere_upper(float side, float radius)
{
    PRECISE float x = side + radius;
    PRECISE float y = x * (x > 0.0f ? 1.0f + TACT_SPHERE_PAD : 1.0f - TACT_SPHERE_PAD);
    return y;
}

// When the centre is inside a box grown by the radius. Monotone: a box that contains another one has an interval that
// contains the other's.
FN TactInterval tact_sphere_interval(TactSphereCast c, float lx, float ly, float lz, float hx, float hy, float hz)
{
    TactBox b;
    b.lx = tact_sphere_lower(lx, c.radius);
    b.ly = tact_sphere_lower(ly, c.radius);
    b.lz = tact_sphere_lower(lz, c.radius);
    b.hx = tact_sphere_upper(hx, c.radius);
    b.hy = tact_sphere_upper(hy, c.radius);
    b.hz = tact_sphere_upper(hz, c.radius);
    return tact_box_interval(c.frame, b, TACT_INSTANCE_SLACK);
}

// a b - c d, exact but for the last rounding.
FN float tact_sphere_cross_term(float a, float b, float c, float d)
{
    PRECISE float p = a * b;
    PRECISE float q = c * d;
    PRECISE float r = (p - q) + (tact_product_error(a, b, p) - tact_product_error(c, d, q));
    return r;
}

FN TactVec tact_sphere_cross(TactVec a, TactVec b)
{
    return tact_vec(tact_sphere_cross_term(a.y, b.z, a.z, b.y), tact_sphere_cross_term(a.z, b.x, a.x, b.z),
                    tact_sphere_cross_term(a.x, b.y, a.y, b.x));
}

// The lesser t for which |t n - a| = r; no hit if there is none. `n2`: n n, not 0.
FN TactSphereHit tact_sphere_root(TactVec a, TactVec n, float n2, float r2)
{
    TactSphereHit h;
    float middle = tact_div(tact_dot3(a.x, a.y, a.z, n.x, n.y, n.z), n2);
    PRECISE float wx = middle * n.x - a.x;
    PRECISE float wy = middle * n.y - a.y;
    PRECISE float wz = middle * n.z - a.z;
    PRECISE float left = r2 - tact_dot3(wx, wy, wz, wx, wy, wz);
    float root = tact_sqrt(tact_div(left > 0.0f ? left : 0.0f, n2));
    PRECISE float t = middle - root;
    h.t = t;
    h.hit = left >= 0.0f ? 1 : 0;
    return h;
}

FN TactSphereHit tact_sphere_first(TactSphereHit a, TactSphereHit b)
{
    TactSphereHit r = a;
    if (b.hit != 0 && (a.hit == 0 || b.t < a.t)) r = b;
    return r;
}

// The ball about corner a, and the cylinder about the edge from it along e. `d`: the way; `d2`: d d.
FN TactSphereHit tact_sphere_edge(TactVec a, TactVec e, TactVec d, float d2, float r2)
{
    TactSphereHit best = tact_sphere_root(a, d, d2, r2);
    float e2 = tact_dot3(e.x, e.y, e.z, e.x, e.y, e.z);
    TactVec n = tact_sphere_cross(d, e);
    float n2 = tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z);
    PRECISE float least2 = TACT_SPHERE_PARALLEL * (d2 * e2);
    if (n2 > least2 && n2 > TACT_DIRECTION_LEAST) {
        PRECISE float re2 = r2 * e2;
        TactSphereHit h = tact_sphere_root(tact_sphere_cross(a, e), n, n2, re2);
        PRECISE float x = h.t * d.x - a.x;
        PRECISE float y = h.t * d.y - a.y;
        PRECISE float z = h.t * d.z - a.z;
        float along = tact_dot3(x, y, z, e.x, e.y, e.z);
        if (!(along >= 0.0f && along <= e2)) h.hit = 0;
        best = tact_sphere_first(best, h);
    }
    return best;
}

// The slab over the face, where the centre is over the face when it gets there. `n`: the face's normal, of any length.
FN TactSphereHit tact_sphere_face(TactVec a, TactVec b, TactVec c, TactVec ab, TactVec bc, TactVec ca, TactVec n,
                                  float n2, TactVec d, float radius)
{
    TactSphereHit h;
    h.t = 0.0f;
    h.hit = 0;
    float speed = tact_dot3(d.x, d.y, d.z, n.x, n.y, n.z);
    if (speed != 0.0f) {
        float reach = tact_sqrt(n2);
        PRECISE float span = radius * reach;
        float level = tact_dot3(a.x, a.y, a.z, n.x, n.y, n.z);
        PRECISE float at = speed > 0.0f ? level - span : level + span;
        float t = tact_div(at, speed);
        PRECISE float x = t * d.x;
        PRECISE float y = t * d.y;
        PRECISE float z = t * d.z;
        PRECISE float ax = a.x - x;
        PRECISE float ay = a.y - y;
        PRECISE float az = a.z - z;
        PRECISE float bx = b.x - x;
        PRECISE float by = b.y - y;
        PRECISE float bz = b.z - z;
        PRECISE float cx = c.x - x;
        PRECISE float cy = c.y - y;
        PRECISE float cz = c.z - z;
        float wa = tact_closest_weight(tact_vec(bx, by, bz), bc, n);
        float wb = tact_closest_weight(tact_vec(cx, cy, cz), ca, n);
        float wc = tact_closest_weight(tact_vec(ax, ay, az), ab, n);
        h.t = t;
        h.hit = wa >= 0.0f && wb >= 0.0f && wc >= 0.0f ? 1 : 0;
    }
    return h;
}

// When the centre, moving from the start of the cast on, comes within the radius of the triangle; before tmin too.
// Everything times `down`; t in these units.
FN TactSphereHit tact_sphere_reach(TactSphereCast s, TactVec d, float down, float ax, float ay, float az, float bx,
                                   float by, float bz, float cx, float cy, float cz)
{
    TactVec a = tact_scaled_between(s.frame.ox, s.frame.oy, s.frame.oz, ax, ay, az, down);
    TactVec b = tact_scaled_between(s.frame.ox, s.frame.oy, s.frame.oz, bx, by, bz, down);
    TactVec c = tact_scaled_between(s.frame.ox, s.frame.oy, s.frame.oz, cx, cy, cz, down);
    TactVec ab = tact_scaled_between(ax, ay, az, bx, by, bz, down);
    TactVec bc = tact_scaled_between(bx, by, bz, cx, cy, cz, down);
    TactVec ca = tact_scaled_between(cx, cy, cz, ax, ay, az, down);
    PRECISE float radius = s.radius * down;
    PRECISE float r2 = radius * radius;
    float d2 = tact_dot3(d.x, d.y, d.z, d.x, d.y, d.z);
    TactSphereHit best = tact_sphere_edge(a, ab, d, d2, r2);
    best = tact_sphere_first(best, tact_sphere_edge(b, bc, d, d2, r2));
    best = tact_sphere_first(best, tact_sphere_edge(c, ca, d, d2, r2));
    TactVec n = tact_sphere_cross(ca, ab);
    float n2 = tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z);
    float longest2 =
        tact_most3(tact_dot3(ab.x, ab.y, ab.z, ab.x, ab.y, ab.z), tact_dot3(bc.x, bc.y, bc.z, bc.x, bc.y, bc.z),
                   tact_dot3(ca.x, ca.y, ca.z, ca.x, ca.y, ca.z));
    PRECISE float least2 = TACT_FACE_LEAST * (longest2 * longest2);
    if (longest2 > TACT_FACE_LEAST && n2 > least2) {
        best = tact_sphere_first(best, tact_sphere_face(a, b, c, ab, bc, ca, n, n2, d, radius));
    }
    return best;
}

// Where the centre is at t, on one axis.
FN float tact_sphere_at(float o, float d, float t)
{
    PRECISE float x = o + t * d;
    return x;
}

// How far, in the square, the triangle is from the centre at tmin; TACT_CLOSEST_FAR2 where that is out of range, and
// any number beyond limit2 where its box is.
FN float tact_sphere_start2(TactSphereCast s, float ax, float ay, float az, float bx, float by, float bz, float cx,
                            float cy, float cz, float limit2)
{
    float x = tact_sphere_at(s.frame.ox, s.dx, s.tmin);
    float y = tact_sphere_at(s.frame.oy, s.dy, s.tmin);
    float z = tact_sphere_at(s.frame.oz, s.dz, s.tmin);
    float d2 = TACT_CLOSEST_FAR2;
    if (tact_closest_in_range(x) && tact_closest_in_range(y) && tact_closest_in_range(z)) {
        d2 = tact_triangle_closest(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz, 0.0f, limit2).d2;
    }
    return d2;
}

// A time as hits have it: 0 for -0. Of two zeros devices take either as the greater one.
FN float tact_sphere_when(float t)
{
    return as_uint(t) == 0x80000000u ? 0.0f : t;
}

// The first touch of triangle a b c, not before tmin nor after tmax, within the gate's interval: that of the instance's
// box. A sphere that touches at tmin touches then.
FN TactSphereHit tact_sphere_triangle(TactSphereCast s, float ax, float ay, float az, float bx, float by, float bz,
                                      float cx, float cy, float cz, float gate_enter, float gate_leave, float tmax)
{
    TactSphereHit result;
    result.t = 0.0f;
    result.hit = 0;
    TactInterval own =
        tact_sphere_interval(s, tact_least3(ax, bx, cx), tact_least3(ay, by, cy), tact_least3(az, bz, cz),
                             tact_most3(ax, bx, cx), tact_most3(ay, by, cy), tact_most3(az, bz, cz));
    float enter = tact_max(own.enter, gate_enter);
    float leave = tact_min(own.leave, gate_leave);
    if (!(enter <= leave && enter <= tmax && leave >= s.tmin)) return result;

    PRECISE float rax = ax - s.frame.ox;
    PRECISE float ray = ay - s.frame.oy;
    PRECISE float raz = az - s.frame.oz;
    PRECISE float rbx = bx - s.frame.ox;
    PRECISE float rby = by - s.frame.oy;
    PRECISE float rbz = bz - s.frame.oz;
    PRECISE float rcx = cx - s.frame.ox;
    PRECISE float rcy = cy - s.frame.oy;
    PRECISE float rcz = cz - s.frame.oz;
    float least =
        tact_most3(tact_closest_power(rax, ray, raz, TACT_SCALE_LEAST), tact_closest_power(rbx, rby, rbz, s.radius),
                   tact_closest_power(rcx, rcy, rcz, TACT_SCALE_LEAST));
    // The distance at tmin is compared with r2 and with touch2, which is no less: where the triangle's box alone is
    // farther, the rest of it need not be known.
    PRECISE float r2 = s.radius * s.radius;
    PRECISE float touch = s.radius + TACT_SPHERE_TOUCH * (s.radius + least);
    PRECISE float touch2 = touch * touch;
    float known2 = touch2 < TACT_CLOSEST_FAR2 ? touch2 : TACT_CLOSEST_FAR2;
    float start2 = tact_sphere_start2(s, ax, ay, az, bx, by, bz, cx, cy, cz, known2);
    float t = s.tmin;
    bool found = start2 <= r2;
    if (!found) {
        float down = tact_closest_inverse(least);
        // 2^126 is the largest power whose reciprocal is a normal number.
        float power = tact_closest_power(s.dx, s.dy, s.dz, TACT_TINY);
        power = power < TACT_HUGE ? power : TACT_HUGE;
        float slow = tact_closest_inverse(power);
        PRECISE float dx = s.dx * slow;
        PRECISE float dy = s.dy * slow;
        PRECISE float dz = s.dz * slow;
        TactSphereHit reach = tact_sphere_reach(s, tact_vec(dx, dy, dz), down, ax, ay, az, bx, by, bz, cx, cy, cz);
        PRECISE float back = (reach.t * least) * slow;
        TactInterval always;
        always.enter = -TACT_LARGEST;
        always.leave = TACT_LARGEST;
        TactTriangleHit middle = tact_ray_triangle(s.frame, ax, ay, az, bx, by, bz, cx, cy, cz, always, s.tmin, s.tmax);
        found = reach.hit != 0 || middle.hit != 0;
        t = reach.hit != 0 ? back : middle.t;
        if (middle.hit != 0 && middle.t < t) t = middle.t;
        if (found && t < s.tmin) {
            // It was in touch before. So it is still, unless it has left again.
            found = middle.hit != 0 || start2 <= touch2;
            t = s.tmin;
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

// Where the sphere touches triangle a b c at t. The normal of a centre on the triangle is the face's, against the way;
// of a triangle without area the way's own, backwards.
FN TactSphereContact tact_sphere_contact(TactSphereCast s, float ax, float ay, float az, float bx, float by, float bz,
                                         float cx, float cy, float cz, float t)
{
    TactSphereContact k;
    float x = tact_sphere_at(s.frame.ox, s.dx, t);
    float y = tact_sphere_at(s.frame.oy, s.dy, t);
    float z = tact_sphere_at(s.frame.oz, s.dz, t);
    TactClosest p = tact_triangle_closest(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz, 0.0f, TACT_CLOSEST_FAR2);
    k.x = tact_closest_at(ax, bx, cx, p.u, p.v);
    k.y = tact_closest_at(ay, by, cy, p.u, p.v);
    k.z = tact_closest_at(az, bz, cz, p.u, p.v);
    TactVec n = tact_scaled_between(k.x, k.y, k.z, x, y, z, 1.0f);
    float scale = tact_closest_inverse(tact_closest_power(n.x, n.y, n.z, TACT_SCALE_LEAST));
    n = tact_scaled_between(k.x, k.y, k.z, x, y, z, scale);
    float n2 = tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z);
    float power = tact_closest_power(s.dx, s.dy, s.dz, TACT_TINY);
    float slow = tact_closest_inverse(power < TACT_HUGE ? power : TACT_HUGE);
    PRECISE float dx = -(s.dx * slow);
    PRECISE float dy = -(s.dy * slow);
    PRECISE float dz = -(s.dz * slow);
    if (n2 <= TACT_FACE_LEAST) {
        PRECISE float ex = bx - ax;
        PRECISE float ey = by - ay;
        PRECISE float ez = bz - az;
        PRECISE float fx = cx - ax;
        PRECISE float fy = cy - ay;
        PRECISE float fz = cz - az;
        float size = tact_most3(tact_closest_power(ex, ey, ez, TACT_SCALE_LEAST),
                                tact_closest_power(fx, fy, fz, TACT_SCALE_LEAST), TACT_SCALE_LEAST);
        float down = tact_closest_inverse(size);
        n = tact_sphere_cross(tact_scaled_between(ax, ay, az, bx, by, bz, down),
                              tact_scaled_between(ax, ay, az, cx, cy, cz, down));
        if (tact_dot3(n.x, n.y, n.z, dx, dy, dz) < 0.0f) n = tact_vec(-n.x, -n.y, -n.z);
        if (tact_dot3(n.x, n.y, n.z, n.x, n.y, n.z) <= TACT_DIRECTION_LEAST) n = tact_vec(dx, dy, dz);
    }
    n = tact_near_normal(n.x, n.y, n.z);
    k.nx = n.x;
    k.ny = n.y;
    k.nz = n.z;
    return k;
}

#endif
