// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The closest point of a sphere, box or capsule that its instance stretches or shears: the arithmetic behind
// closest-point queries against such shapes, shared by C, GLSL and OpenCL C. docs/results.md states it in prose; change
// neither without the other.
//
// A box becomes twelve triangles. A sphere becomes an ellipsoid, the points B w with |w| = 1 about a centre. One-sided
// Jacobi rotations make the columns of B orthogonal, which turns w and leaves the ellipsoid where it is; they keep each
// column's own digits, however different the lengths. Then the closest point to y has w_i = (y b_i) / (b_i b_i + l),
// where l makes |w| = 1 (after Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013).
// 1 / |w| is concave and nearly straight in l, and the largest l of a single component is near its root and below it,
// so Newton's steps from there never pass the root (More and Sorensen, "Computing a trust region step", 1983). All
// denominators count from the shortest axis, so that nothing cancels.
//
// A capsule becomes an ellipsoid moved along a segment: half an ellipsoid at each end, and a tube between them, which
// is an ellipse as seen along the segment. From within, the closest point of an end's half may not be the closest of
// the whole ellipsoid; then it is the other local one, the only one there is, across the plane of the two longer axes
// (Martinez, "Local minimizers of quadratic functions on Euclidean balls and spheres", 1994).
#ifndef TACT_CLOSEST_BENT_H
#define TACT_CLOSEST_BENT_H

#include "closest_shape.h"

// Rounds of three rotations, and steps to a root, at most.
#define TACT_BENT_ROUNDS 4
#define TACT_BENT_STEPS 20
// 2^-50: axes shorter than that, in units of the largest number that takes part, count as nothing.
#define TACT_BENT_LEAST 8.8817841970012523233890533447265625e-16f
// 2^-22: how much a vector may be longer than 1.
#define TACT_BENT_UNIT 2.384185791015625e-7f
// 2^-12: so far beyond its rim, in radii of the capsule, may a point of an end's ellipsoid lie. It is within the tube
// then, by half the square of that.
#define TACT_BENT_SEAM 2.44140625e-4f
// 2^-100
#define TACT_BENT_TINY 7.888609052210118054117285652827862296732064351090230047702789306640625e-31f

// Three axes, and how a direction of the shape's frame lies to them.
STRUCT(TactBent)
{
    TactVec a, b, c;
    TactVec along;
};

// Weights of three axes; `found` 0: there are none.
STRUCT(TactBentWeights)
{
    float x, y, z;
    int found;
};

// The cosine and sine that make two columns orthogonal: with squared lengths a2 and b2 and product ab.
STRUCT(TactBentTurn)
{
    float c, s;
};

FN TactBentTurn tact_bent_turn(TactVec a, TactVec b)
{
    TactBentTurn r;
    r.c = 1.0f;
    r.s = 0.0f;
    float a2 = tact_dot3(a.x, a.y, a.z, a.x, a.y, a.z);
    float b2 = tact_dot3(b.x, b.y, b.z, b.x, b.y, b.z);
    float ab = tact_dot3(a.x, a.y, a.z, b.x, b.y, b.z);
    PRECISE float half_gap = 0.5f * (b2 - a2);
    float size = tact_max(ABS(half_gap), ABS(ab));
    if (size > TACT_BENT_TINY && ABS(ab) > TACT_BENT_TINY) {
        float h = tact_div(half_gap, size);
        float g = tact_div(ab, size);
        PRECISE float square = h * h + g * g;
        float root = tact_sqrt(square);
        PRECISE float below = ABS(h) + root;
        float t = tact_div(h < 0.0f ? -g : g, below);
        PRECISE float one = 1.0f + t * t;
        r.c = tact_div(1.0f, tact_sqrt(one));
        PRECISE float s = r.c * t;
        r.s = s;
    }
    return r;
}

FN float tact_bent_first(TactBentTurn r, float a, float b)
{
    PRECISE float x = r.c * a - r.s * b;
    return x;
}

FN float tact_bent_second(TactBentTurn r, float a, float b)
{
    PRECISE float x = r.s * a + r.c * b;
    return x;
}

FN TactVec tact_bent_first3(TactBentTurn r, TactVec a, TactVec b)
{
    return tact_vec(tact_bent_first(r, a.x, b.x), tact_bent_first(r, a.y, b.y), tact_bent_first(r, a.z, b.z));
}

FN TactVec tact_bent_second3(TactBentTurn r, TactVec a, TactVec b)
{
    return tact_vec(tact_bent_second(r, a.x, b.x), tact_bent_second(r, a.y, b.y), tact_bent_second(r, a.z, b.z));
}

// The axes made orthogonal.
FN TactBent tact_bent_axes(TactBent e)
{
    for (int round = 0; round < TACT_BENT_ROUNDS; ++round) {
        TactBentTurn r = tact_bent_turn(e.a, e.b);
        TactVec old = e.a;
        float was = e.along.x;
        e.a = tact_bent_first3(r, old, e.b);
        e.b = tact_bent_second3(r, old, e.b);
        e.along.x = tact_bent_first(r, was, e.along.y);
        e.along.y = tact_bent_second(r, was, e.along.y);
        r = tact_bent_turn(e.a, e.c);
        old = e.a;
        was = e.along.x;
        e.a = tact_bent_first3(r, old, e.c);
        e.c = tact_bent_second3(r, old, e.c);
        e.along.x = tact_bent_first(r, was, e.along.z);
        e.along.z = tact_bent_second(r, was, e.along.z);
        r = tact_bent_turn(e.b, e.c);
        old = e.b;
        was = e.along.y;
        e.b = tact_bent_first3(r, old, e.c);
        e.c = tact_bent_second3(r, old, e.c);
        e.along.y = tact_bent_first(r, was, e.along.z);
        e.along.z = tact_bent_second(r, was, e.along.z);
    }
    return e;
}

FN TactVec tact_bent_kept(TactVec v)
{
    TactVec none = tact_vec(0.0f, 0.0f, 0.0f);
    return tact_most3(ABS(v.x), ABS(v.y), ABS(v.z)) < TACT_BENT_LEAST ? none : v;
}

FN float tact_bent_weight(float k, float below)
{
    return k == 0.0f ? 0.0f : tact_div(k, below);
}

FN float tact_bent_product(TactVec a, TactVec b)
{
    float k = tact_dot3(a.x, a.y, a.z, b.x, b.y, b.z);
    return ABS(k) < TACT_BENT_TINY ? 0.0f : k;
}

// Weights of length 1 of the closest point to y on an ellipsoid of orthogonal axes, or, with `across`, of the other
// local one, on the far side of the plane of the longer axes. `square`: squares of the axes' lengths.
FN TactBentWeights tact_bent_weights(TactVec y, TactVec a, TactVec b, TactVec c, TactVec square, bool across)
{
    TactVec k = tact_vec(tact_bent_product(y, a), tact_bent_product(y, b), tact_bent_product(y, c));
    float least = tact_least3(square.x, square.y, square.z);
    PRECISE float dx = square.x - least;
    PRECISE float dy = square.y - least;
    PRECISE float dz = square.z - least;
    // Which axis is the shortest, the first one if equal.
    int axis = dx == 0.0f ? 0 : (dy == 0.0f ? 1 : 2);
    float own = tact_component(k.x, k.y, k.z, axis);
    PRECISE float fx = ABS(k.x) - dx;
    PRECISE float fy = ABS(k.y) - dy;
    PRECISE float fz = ABS(k.z) - dz;
    float start = tact_most3(fx, fy, fz);
    start = across ? -ABS(own) : (start > 0.0f ? start : 0.0f);
    // On the far side of 0 there is no root beyond the next pole.
    float next = axis == 0 ? tact_min(dy, dz) : (axis == 1 ? tact_min(dx, dz) : tact_min(dx, dy));
    float at = start;
    bool good = !across || next > ABS(own);
    TactBentWeights w;
    w.x = 0.0f;
    w.y = 0.0f;
    w.z = 0.0f;
    w.found = 0;
    float size2 = 0.0f;
    for (int step = 0; good && step < TACT_BENT_STEPS; ++step) {
        PRECISE float bx = at + dx;
        PRECISE float by = at + dy;
        PRECISE float bz = at + dz;
        w.x = tact_bent_weight(k.x, bx);
        w.y = tact_bent_weight(k.y, by);
        w.z = tact_bent_weight(k.z, bz);
        size2 = tact_dot3(w.x, w.y, w.z, w.x, w.y, w.z);
        float size = tact_sqrt(size2);
        PRECISE float over = size - 1.0f;
        if (across ? ABS(over) <= TACT_BENT_UNIT : over <= TACT_BENT_UNIT) break;
        PRECISE float px = w.x * w.x;
        PRECISE float py = w.y * w.y;
        PRECISE float pz = w.z * w.z;
        PRECISE float slope = (tact_bent_weight(px, bx) + tact_bent_weight(py, by)) + tact_bent_weight(pz, bz);
        if (across) slope = -slope;
        if (own == 0.0f && at == 0.0f && across) break;
        good = slope > 0.0f;
        if (good) {
            PRECISE float up = over * size2;
            float move = tact_div(up, slope);
            PRECISE float to = across ? at - move : at + move;
            at = to;
            if (across) good = at < 0.0f && at > -next;
        }
    }
    if (good && at == 0.0f) {
        // What the others lack is the shortest axis' part: either side is as near.
        PRECISE float rest = 1.0f - size2;
        float part = tact_sqrt(rest > 0.0f ? rest : 0.0f);
        if (across) part = -part;
        w.x = axis == 0 ? part : w.x;
        w.y = axis == 1 ? part : w.y;
        w.z = axis == 2 ? part : w.z;
        size2 = tact_dot3(w.x, w.y, w.z, w.x, w.y, w.z);
    }
    if (good && (!across || ABS(size2 - 1.0f) < 0.01f)) {
        float length = tact_sqrt(size2);
        w.x = tact_div(w.x, length);
        w.y = tact_div(w.y, length);
        w.z = tact_div(w.z, length);
        w.found = 1;
    }
    return w;
}

FN TactVec tact_bent_at(TactBentWeights w, TactVec a, TactVec b, TactVec c)
{
    PRECISE float x = (w.x * a.x + w.y * b.x) + w.z * c.x;
    PRECISE float y = (w.x * a.y + w.y * b.y) + w.z * c.y;
    PRECISE float z = (w.x * a.z + w.y * b.z) + w.z * c.z;
    return tact_vec(x, y, z);
}

FN float tact_bent_square(TactVec v)
{
    return tact_dot3(v.x, v.y, v.z, v.x, v.y, v.z);
}

// A direction of the shape's frame in the world.
FN TactVec tact_bent_way(TactRow m0, TactRow m1, TactRow m2, float x, float y, float z)
{
    return tact_vec(tact_dot3(m0.x, m0.y, m0.z, x, y, z), tact_dot3(m1.x, m1.y, m1.z, x, y, z),
                    tact_dot3(m2.x, m2.y, m2.z, x, y, z));
}

FN TactVec tact_bent_less(TactVec a, TactVec b, float times)
{
    PRECISE float x = a.x - times * b.x;
    PRECISE float y = a.y - times * b.y;
    PRECISE float z = a.z - times * b.z;
    return tact_vec(x, y, z);
}

// What is left of a vector that is taken across another one, of squared length d2.
FN TactVec tact_bent_across(TactVec a, TactVec d, float d2)
{
    TactVec once = tact_bent_less(a, d, tact_div(tact_dot3(a.x, a.y, a.z, d.x, d.y, d.z), d2));
    return tact_bent_less(once, d, tact_div(tact_dot3(once.x, once.y, once.z, d.x, d.y, d.z), d2));
}

// A sphere or a capsule. d2 is not squared yet; x y z in the world.
FN TactShapeClosest tact_bent_round(float px, float py, float pz, TactShape s, bool two, TactRow m0, TactRow m1,
                                    TactRow m2)
{
    TactVec centre = tact_vec(tact_pose_apply(m0.x, m0.y, m0.z, m0.w, s.ax, s.ay, s.az),
                              tact_pose_apply(m1.x, m1.y, m1.z, m1.w, s.ax, s.ay, s.az),
                              tact_pose_apply(m2.x, m2.y, m2.z, m2.w, s.ax, s.ay, s.az));
    TactVec y = tact_scaled_between(centre.x, centre.y, centre.z, px, py, pz, 1.0f);
    // The axis, and directions across it, in the shape's frame.
    TactVec e = tact_vec(0.0f, 0.0f, 0.0f);
    if (two) e = tact_scaled_between(s.ax, s.ay, s.az, s.bx, s.by, s.bz, 1.0f);
    TactVec d = tact_bent_way(m0, m1, m2, e.x, e.y, e.z);
    TactBent axes;
    axes.a = tact_bent_way(m0, m1, m2, s.radius, 0.0f, 0.0f);
    axes.b = tact_bent_way(m0, m1, m2, 0.0f, s.radius, 0.0f);
    axes.c = tact_bent_way(m0, m1, m2, 0.0f, 0.0f, s.radius);
    float largest = tact_most3(tact_most3(ABS(axes.a.x), ABS(axes.a.y), ABS(axes.a.z)),
                               tact_most3(ABS(axes.b.x), ABS(axes.b.y), ABS(axes.b.z)),
                               tact_most3(ABS(axes.c.x), ABS(axes.c.y), ABS(axes.c.z)));
    float up = tact_most3(tact_closest_power(y.x, y.y, y.z, TACT_SCALE_LEAST),
                          tact_closest_power(d.x, d.y, d.z, TACT_SCALE_LEAST),
                          tact_closest_power(largest, 0.0f, 0.0f, TACT_SCALE_LEAST));
    float down = tact_closest_inverse(up);
    y = tact_scaled(y, down);
    d = tact_bent_kept(tact_scaled(d, down));
    axes.a = tact_scaled(axes.a, down);
    axes.b = tact_scaled(axes.b, down);
    axes.c = tact_scaled(axes.c, down);
    float e_down = tact_closest_inverse(tact_closest_power(e.x, e.y, e.z, TACT_SCALE_LEAST));
    e = tact_scaled(e, e_down);
    axes.along = e;
    axes = tact_bent_axes(axes);
    axes.a = tact_bent_kept(axes.a);
    axes.b = tact_bent_kept(axes.b);
    axes.c = tact_bent_kept(axes.c);
    TactVec square = tact_vec(tact_bent_square(axes.a), tact_bent_square(axes.b), tact_bent_square(axes.c));
    float d2 = tact_bent_square(d);
    bool long_one = two && d2 > 0.0f;

    // The tube's ellipse as seen along the segment: axes in the world, and across it.
    TactVec n1 = tact_shape_across(e);
    TactVec n2 = tact_cross3(e.x, e.y, e.z, n1.x, n1.y, n1.z);
    float n2_length = tact_length3(n2.x, n2.y, n2.z);
    TactVec f1 = axes.a;
    TactVec f2 = axes.b;
    TactVec h1 = axes.a;
    TactVec h2 = axes.b;
    TactVec across_y = y;
    if (long_one) {
        PRECISE float r1 = s.radius * down;
        float r2 = tact_div(r1, n2_length);
        f1 = tact_scaled(tact_bent_way(m0, m1, m2, n1.x, n1.y, n1.z), r1);
        f2 = tact_scaled(tact_bent_way(m0, m1, m2, n2.x, n2.y, n2.z), r2);
        h1 = tact_bent_across(f1, d, d2);
        h2 = tact_bent_across(f2, d, d2);
        TactBentTurn r = tact_bent_turn(h1, h2);
        TactVec old = h1;
        h1 = tact_bent_first3(r, old, h2);
        h2 = tact_bent_second3(r, old, h2);
        old = f1;
        f1 = tact_bent_first3(r, old, f2);
        f2 = tact_bent_second3(r, old, f2);
        h1 = tact_bent_kept(h1);
        h2 = tact_bent_kept(h2);
        across_y = tact_bent_across(y, d, d2);
    }
    TactVec none = tact_vec(0.0f, 0.0f, 0.0f);
    TactVec beyond = tact_bent_less(y, d, 1.0f);
    TactVec best = none;
    float best2 = TACT_CLOSEST_FAR2;
    // The ellipsoid at the first end, and its other side; at the second; and the tube, whose sides may be as near as
    // each other and reach the segment far apart.
    int count = long_one ? 6 : 1;
    for (int which = 0; which < count; ++which) {
        bool tube = which >= 4;
        bool last = which == 2 || which == 3;
        TactVec from = tube ? across_y : (last ? beyond : y);
        TactVec of = tact_vec(tact_bent_square(h1), tact_bent_square(h2), 0.0f);
        of.z = tact_max(of.x, of.y);
        TactBentWeights w = tact_bent_weights(from, tube ? h1 : axes.a, tube ? h2 : axes.b, tube ? none : axes.c,
                                              tube ? of : square, (which & 1) != 0);
        TactVec at = tact_bent_at(w, tube ? f1 : axes.a, tube ? f2 : axes.b, tube ? none : axes.c);
        bool counts = w.found != 0;
        if (tube) {
            TactVec left = tact_bent_less(y, at, 1.0f);
            float t = tact_div(tact_dot3(left.x, left.y, left.z, d.x, d.y, d.z), d2);
            t = t > 0.0f ? t : 0.0f;
            t = t < 1.0f ? t : 1.0f;
            at = tact_bent_less(at, d, -t);
        } else if (long_one) {
            float side = tact_dot3(w.x, w.y, w.z, axes.along.x, axes.along.y, axes.along.z);
            counts = counts && (last ? side >= -TACT_BENT_SEAM : side <= TACT_BENT_SEAM);
            if (last) at = tact_bent_less(at, d, -1.0f);
        }
        float away2 = tact_bent_square(tact_bent_less(y, at, 1.0f));
        if (counts && away2 < best2) {
            best2 = away2;
            best = at;
        }
    }
    PRECISE float distance = tact_sqrt(best2) * up;
    PRECISE float x = centre.x + best.x * up;
    PRECISE float wy = centre.y + best.y * up;
    PRECISE float z = centre.z + best.z * up;
    TactShapeClosest r;
    r.d2 = distance;
    r.x = x;
    r.y = wy;
    r.z = z;
    return r;
}

FN TactVec tact_bent_corner(TactShape s, uint i, TactRow m0, TactRow m1, TactRow m2)
{
    float x = (i & 1u) != 0u ? s.bx : s.ax;
    float y = (i & 2u) != 0u ? s.by : s.ay;
    float z = (i & 4u) != 0u ? s.bz : s.az;
    return tact_vec(tact_pose_apply(m0.x, m0.y, m0.z, m0.w, x, y, z), tact_pose_apply(m1.x, m1.y, m1.z, m1.w, x, y, z),
                    tact_pose_apply(m2.x, m2.y, m2.z, m2.w, x, y, z));
}

// Two triangles for each face, the first that is nearest. d2 is squared; x y z in the world.
FN TactShapeClosest tact_bent_box(float px, float py, float pz, TactShape s, TactRow m0, TactRow m1, TactRow m2)
{
    TactShapeClosest r;
    r.d2 = TACT_CLOSEST_FAR2;
    r.x = 0.0f;
    r.y = 0.0f;
    r.z = 0.0f;
    for (uint half_face = 0u; half_face < 12u; ++half_face) {
        // The face lies across axis `across`, at its lower or upper side; corners are numbered by their bits.
        uint across = half_face >> 2;
        uint base = (half_face & 2u) != 0u ? 1u << across : 0u;
        uint u = 1u << (across == 2u ? 0u : across + 1u);
        uint v = 1u << (across == 0u ? 2u : across - 1u);
        uint middle = (half_face & 1u) != 0u ? u : v;
        TactVec a = tact_bent_corner(s, base, m0, m1, m2);
        TactVec b = tact_bent_corner(s, base | middle, m0, m1, m2);
        TactVec c = tact_bent_corner(s, base | u | v, m0, m1, m2);
        TactClosest t =
            tact_triangle_closest(px, py, pz, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, 0.0f, TACT_CLOSEST_FAR2);
        if (t.d2 < r.d2) {
            r.d2 = t.d2;
            r.x = tact_closest_at(a.x, b.x, c.x, t.u, t.v);
            r.y = tact_closest_at(a.y, b.y, c.y, t.u, t.v);
            r.z = tact_closest_at(a.z, b.z, c.z, t.u, t.v);
        }
    }
    return r;
}

// As tact_shape_closest(), by any matrix; but x y z are in the world.
FN TactShapeClosest tact_bent_closest(float px, float py, float pz, TactShape s, uint kind, TactRow m0, TactRow m1,
                                      TactRow m2, float gate2, float limit2)
{
    float box2 = tact_shape_box_gap2(px, py, pz, s, kind, m0, m1, m2, gate2);
    TactShapeClosest r;
    r.d2 = box2;
    r.x = 0.0f;
    r.y = 0.0f;
    r.z = 0.0f;
    if (box2 <= limit2) {
        float d2;
        if (kind == TACT_KIND_BOXES) {
            r = tact_bent_box(px, py, pz, s, m0, m1, m2);
            d2 = r.d2;
        } else {
            r = tact_bent_round(px, py, pz, s, kind == TACT_KIND_CAPSULES, m0, m1, m2);
            PRECISE float square = r.d2 * r.d2;
            d2 = square;
        }
        r.d2 = d2 > box2 ? d2 : box2;
    }
    return r;
}

#endif
