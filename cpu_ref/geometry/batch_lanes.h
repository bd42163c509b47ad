// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// The batch tests in terms of lanes, compiled once for each set of instructions. The including file defines
// TACT_LANES_ISA and LANES_NAME, the name of its table. Every test computes LANES answers from number i on, of which
// the first n are wanted; n is LANES but at the end of the arrays, and nothing past n is read or written.

#include "base/simd.h"
#include "cpu_ref/geometry/batch_internal.h"

LANES_FN VF fetch(const float* p, bool one, size_t i, size_t n)
{
    if (one) return V_SET(p[0]);
    if (LANES == 1 || n == LANES) return V_LOAD(p + i);
    float part[LANES] = {0};
    memcpy(part, p + i, n * sizeof part[0]);
    return V_LOAD(part);
}

LANES_FN void put(float* p, VF value, size_t i, size_t n)
{
    if (!p) return;
    if (LANES == 1 || n == LANES) {
        V_STORE(p + i, value);
        return;
    }
    float part[LANES];
    V_STORE(part, value);
    memcpy(p + i, part, n * sizeof part[0]);
}

static inline size_t ones(uint32_t x)
{
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (x * 0x01010101u) >> 24;
}

// A function body: test(..., i, n) gives the bits of n tests from i on.
#define LANES_LOOP(count, bits, test, ...)                                                                            \
    size_t total = 0;                                                                                                 \
    for (size_t begin = 0; begin < (count); begin += 32) {                                                            \
        const size_t size = (count)-begin < 32 ? (count)-begin : 32;                                                  \
        uint32_t word = 0;                                                                                            \
        size_t k = 0;                                                                                                 \
        for (; k + LANES <= size; k += LANES)                                                                         \
            word |= test(__VA_ARGS__, begin + k, (size_t)LANES) << k;                                                 \
        if (LANES > 1 && k < size) word |= (test(__VA_ARGS__, begin + k, size - k) & ((1u << (size - k)) - 1u)) << k; \
        (bits)[begin / 32] = word;                                                                                    \
        total += ones(word);                                                                                          \
    }                                                                                                                 \
    return total

LANES_FN VF square_length(VF x, VF y, VF z)
{
    return V_ADD(V_ADD(V_MUL(x, x), V_MUL(y, y)), V_MUL(z, z));
}

/// d2 <= r r for a radius whose square is finite. A distance that is NaN or infinite fails it.
LANES_FN VM within(VF d2, VF r)
{
    const VF r2 = V_MUL(r, r);
    return M_AND(V_LE(d2, r2), V_LE(r2, V_SET(TACT_LARGEST)));
}

LANES_FN uint32_t sphere_sphere_at(const tact_batch_spheres* a, const tact_batch_spheres* b, bool one, size_t i,
                                   size_t n)
{
    const VF dx = V_SUB(fetch(a->x, one, i, n), fetch(b->x, false, i, n));
    const VF dy = V_SUB(fetch(a->y, one, i, n), fetch(b->y, false, i, n));
    const VF dz = V_SUB(fetch(a->z, one, i, n), fetch(b->z, false, i, n));
    const VF ra = fetch(a->radius, one, i, n);
    const VF rb = fetch(b->radius, false, i, n);
    const VF zero = V_SET(0.0f);
    const VM real = M_AND(V_LE(zero, ra), V_LE(zero, rb));
    return M_BITS(M_AND(real, within(square_length(dx, dy, dz), V_ADD(ra, rb))));
}

LANES_TARGET static size_t sphere_sphere(const tact_batch_spheres* a, const tact_batch_spheres* b, tact_batch_one one,
                                         size_t count, uint32_t* bits)
{
    if (one) {
        LANES_LOOP(count, bits, sphere_sphere_at, a, b, true);
    }
    LANES_LOOP(count, bits, sphere_sphere_at, a, b, false);
}

/// How far c is outside [lower, upper], 0 inside, for a finite c.
LANES_FN VF excess(VF c, VF lower, VF upper)
{
    return V_MAX(V_SET(0.0f), V_MAX(V_SUB(c, upper), V_SUB(lower, c)));
}

LANES_FN uint32_t sphere_aabb_at(const tact_batch_spheres* a, const tact_batch_aabbs* b, bool one_a, bool one_b,
                                 size_t i, size_t n)
{
    const VF lx = fetch(b->lower[0], one_b, i, n), hx = fetch(b->upper[0], one_b, i, n);
    const VF ly = fetch(b->lower[1], one_b, i, n), hy = fetch(b->upper[1], one_b, i, n);
    const VF lz = fetch(b->lower[2], one_b, i, n), hz = fetch(b->upper[2], one_b, i, n);
    const VF x = fetch(a->x, one_a, i, n), y = fetch(a->y, one_a, i, n), z = fetch(a->z, one_a, i, n);
    const VF ex = excess(x, lx, hx), ey = excess(y, ly, hy), ez = excess(z, lz, hz);
    const VF r = fetch(a->radius, one_a, i, n), most = V_SET(TACT_LARGEST);
    const VM placed = M_AND(M_AND(V_LE(V_ABS(x), most), V_LE(V_ABS(y), most)), V_LE(V_ABS(z), most));
    const VM real = M_AND(M_AND(V_LE(lx, hx), V_LE(ly, hy)), M_AND(V_LE(lz, hz), V_LE(V_SET(0.0f), r)));
    return M_BITS(M_AND(M_AND(real, placed), within(square_length(ex, ey, ez), r)));
}

LANES_TARGET static size_t sphere_aabb(const tact_batch_spheres* a, const tact_batch_aabbs* b, tact_batch_one one,
                                       size_t count, uint32_t* bits)
{
    if (one == TACT_BATCH_FIRST) {
        LANES_LOOP(count, bits, sphere_aabb_at, a, b, true, false);
    }
    if (one == TACT_BATCH_SECOND) {
        LANES_LOOP(count, bits, sphere_aabb_at, a, b, false, true);
    }
    LANES_LOOP(count, bits, sphere_aabb_at, a, b, false, false);
}

LANES_FN VM axis_overlap(const tact_batch_aabbs* a, const tact_batch_aabbs* b, int axis, bool one, size_t i, size_t n)
{
    const VF al = fetch(a->lower[axis], one, i, n), ah = fetch(a->upper[axis], one, i, n);
    const VF bl = fetch(b->lower[axis], false, i, n), bh = fetch(b->upper[axis], false, i, n);
    const VM both = M_AND(V_LE(al, ah), V_LE(bl, bh));
    return M_AND(both, M_AND(V_LE(al, bh), V_LE(bl, ah)));
}

LANES_FN uint32_t aabb_aabb_at(const tact_batch_aabbs* a, const tact_batch_aabbs* b, bool one, size_t i, size_t n)
{
    const VM xy = M_AND(axis_overlap(a, b, 0, one, i, n), axis_overlap(a, b, 1, one, i, n));
    return M_BITS(M_AND(xy, axis_overlap(a, b, 2, one, i, n)));
}

LANES_TARGET static size_t aabb_aabb(const tact_batch_aabbs* a, const tact_batch_aabbs* b, tact_batch_one one,
                                     size_t count, uint32_t* bits)
{
    if (one) {
        LANES_LOOP(count, bits, aabb_aabb_at, a, b, true);
    }
    LANES_LOOP(count, bits, aabb_aabb_at, a, b, false);
}

typedef struct ray_lanes {
    VF enter, leave;
    VM real;  // valid so far
} ray_lanes;

/// Narrows the ray's interval to one axis's slab.
LANES_FN void clip_axis(ray_lanes* r, VF o, VF d, VF lower, VF upper)
{
    const VF most = V_SET(TACT_LARGEST);
    const VM parallel = V_LT(V_ABS(d), V_SET(TACT_TINY));
    const VM within_slab = M_AND(V_LE(lower, o), V_LE(o, upper));
    const VM finite = M_AND(V_LE(V_ABS(o), most), V_LE(V_ABS(d), most));
    // A one stands in for a divisor that is not used, so that no NaN arises.
    const VF inverse = V_DIV(V_SET(1.0f), V_SELECT(parallel, V_SET(1.0f), d));
    const VF t0 = V_MUL(V_SUB(lower, o), inverse);
    const VF t1 = V_MUL(V_SUB(upper, o), inverse);
    const VF near_t = V_SELECT(parallel, V_SET(-INFINITY), V_MIN(t0, t1));
    const VF far_t = V_SELECT(parallel, V_SET(INFINITY), V_MAX(t0, t1));
    const VM crossing = M_ANDNOT(parallel, finite);
    r->real = M_AND(M_AND(r->real, V_LE(lower, upper)), M_OR(crossing, M_AND(finite, within_slab)));
    r->enter = V_MAX(near_t, r->enter);
    r->leave = V_MIN(far_t, r->leave);
}

LANES_FN uint32_t ray_aabb_at(const tact_batch_rays* a, const tact_batch_aabbs* b, bool one_a, bool one_b, float* enter,
                              size_t i, size_t n)
{
    const VF tmin = fetch(a->tmin, one_a, i, n), tmax = fetch(a->tmax, one_a, i, n);
    const VF zero = V_SET(0.0f), most = V_SET(TACT_LARGEST), least = V_SET(-TACT_LARGEST);
    const VF less = V_SET(1.0f - TACT_RAY_AABB_SLACK), more = V_SET(1.0f + TACT_RAY_AABB_SLACK);
    ray_lanes r = {V_SET(-INFINITY), V_SET(INFINITY), V_LE(tmin, tmax)};
    for (int axis = 0; axis < 3; ++axis) {
        clip_axis(&r, fetch(a->origin[axis], one_a, i, n), fetch(a->direction[axis], one_a, i, n),
                  fetch(b->lower[axis], one_b, i, n), fetch(b->upper[axis], one_b, i, n));
    }
    VF first = V_MUL(r.enter, V_SELECT(V_LT(r.enter, zero), more, less));
    VF last = V_MUL(r.leave, V_SELECT(V_LT(r.leave, zero), less, more));
    first = V_MAX(first, tmin);
    last = V_MIN(last, tmax);
    const VM within_range = M_AND(V_LE(first, most), V_LE(least, last));
    const VM hit = M_AND(M_AND(r.real, within_range), V_LE(first, last));
    if (enter) put(enter, V_SELECT(hit, V_MIN(V_MAX(r.enter, tmin), tmax), V_SET(INFINITY)), i, n);
    return M_BITS(hit);
}

LANES_TARGET static size_t ray_aabb(const tact_batch_rays* a, const tact_batch_aabbs* b, tact_batch_one one,
                                    size_t count, uint32_t* bits, float* enter)
{
    if (one == TACT_BATCH_FIRST) {
        LANES_LOOP(count, bits, ray_aabb_at, a, b, true, false, enter);
    }
    LANES_LOOP(count, bits, ray_aabb_at, a, b, false, true, enter);
}

// From here on: kernels/ray_triangle.h, operation by operation.

typedef struct lanes3 {
    VF x, y, z;
} lanes3;

LANES_FN VF product_error(VF a, VF b, VF p)
{
    const VF split = V_SET(4097.0f);
    const VF ca = V_MUL(split, a), cb = V_MUL(split, b);
    const VF ah = V_SUB(ca, V_SUB(ca, a)), bh = V_SUB(cb, V_SUB(cb, b));
    const VF al = V_SUB(a, ah), bl = V_SUB(b, bh);
    VF e = V_SUB(V_MUL(ah, bh), p);
    e = V_ADD(e, V_MUL(ah, bl));
    e = V_ADD(e, V_MUL(al, bh));
    return V_ADD(e, V_MUL(al, bl));
}

LANES_FN VF edge(VF a, VF b, VF c, VF d)
{
    const VF p = V_MUL(a, b), q = V_MUL(c, d);
    VF e = V_SUB(p, q);
    const VM level = V_EQ(e, V_SET(0.0f));
    if (M_BITS(level)) {
        const VF exact = V_SUB(product_error(a, b, p), product_error(c, d, q));
        e = V_SELECT(level, exact, e);
    }
    return e;
}

/// A vertex from the ray's origin: sheared x and y, and z along the ray's main axis.
LANES_FN lanes3 sheared(const TactRayFrame* r, const float* const vertex[3], VM* real, size_t i, size_t n)
{
    const float o[3] = {r->ox, r->oy, r->oz};
    const int kz = r->axis, kx = (kz + 1) % 3, ky = (kz + 2) % 3;
    const VF x = fetch(vertex[kx], false, i, n);
    const VF y = fetch(vertex[ky], false, i, n);
    const VF z = fetch(vertex[kz], false, i, n);
    const VF range = V_SET(TACT_RANGE);
    *real = M_AND(*real, M_AND(M_AND(V_LE(V_ABS(x), range), V_LE(V_ABS(y), range)), V_LE(V_ABS(z), range)));
    lanes3 p;
    p.z = V_SUB(z, V_SET(o[kz]));
    p.x = V_SUB(V_SUB(x, V_SET(o[kx])), V_MUL(V_SET(r->sx), p.z));
    p.y = V_SUB(V_SUB(y, V_SET(o[ky])), V_MUL(V_SET(r->sy), p.z));
    return p;
}

typedef struct box_axis {
    VF low, high;
} box_axis;

LANES_FN box_axis bounds(const tact_batch_triangles* b, int axis, size_t i, size_t n)
{
    const VF p = fetch(b->a[axis], false, i, n);
    const VF q = fetch(b->b[axis], false, i, n);
    const VF s = fetch(b->c[axis], false, i, n);
    const box_axis box = {V_MIN(V_MIN(p, q), s), V_MAX(V_MAX(p, q), s)};
    return box;
}

LANES_FN box_axis padded_slab(box_axis box, VF pad, float o, float inverse)
{
    const VF ulp = V_SET(TACT_PAD_ULP), origin = V_SET(o), scale = V_SET(inverse);
    const VF low = V_SUB(box.low, V_ADD(pad, V_MUL(V_ABS(box.low), ulp)));
    const VF high = V_ADD(box.high, V_ADD(pad, V_MUL(V_ABS(box.high), ulp)));
    const VF t0 = V_MUL(V_SUB(low, origin), scale), t1 = V_MUL(V_SUB(high, origin), scale);
    const box_axis slab = {V_MIN(t0, t1), V_MAX(t0, t1)};
    return slab;
}

/// Where the ray is within the triangle's own padded box, and within the open gate.
LANES_FN box_axis own_interval(const TactRayFrame* r, const tact_batch_triangles* b, size_t i, size_t n)
{
    const box_axis x = bounds(b, 0, i, n), y = bounds(b, 1, i, n), z = bounds(b, 2, i, n);
    const VF side = V_MAX(V_MAX(V_SUB(x.high, x.low), V_SUB(y.high, y.low)), V_SUB(z.high, z.low));
    const VF pad = V_MUL(side, V_SET(TACT_PAD_SIDE));
    const box_axis sx = padded_slab(x, pad, r->ox, r->ix);
    const box_axis sy = padded_slab(y, pad, r->oy, r->iy);
    const box_axis sz = padded_slab(z, pad, r->oz, r->iz);
    const VF enter = V_MAX(V_MAX(sx.low, sy.low), sz.low);
    const VF leave = V_MIN(V_MIN(sx.high, sy.high), sz.high);
    const VF zero = V_SET(0.0f), less = V_SET(1.0f - TACT_SLACK), more = V_SET(1.0f + TACT_SLACK);
    const VF first = V_MUL(enter, V_SELECT(V_LT(enter, zero), more, less));
    const VF last = V_MUL(leave, V_SELECT(V_LT(leave, zero), less, more));
    const box_axis own = {V_MAX(first, V_SET(-INFINITY)), V_MIN(last, V_SET(INFINITY))};
    return own;
}

LANES_FN uint32_t ray_triangle_at(const tact_batch_shot* s, const tact_batch_triangles* triangles, size_t i, size_t n)
{
    const TactRayFrame* const r = &s->frame;
    const VF zero = V_SET(0.0f);
    VM real = V_EQ(zero, zero);
    const lanes3 a = sheared(r, triangles->a, &real, i, n);
    const lanes3 b = sheared(r, triangles->b, &real, i, n);
    const lanes3 c = sheared(r, triangles->c, &real, i, n);
    const VF u = edge(c.x, b.y, c.y, b.x);
    const VF v = edge(a.x, c.y, a.y, c.x);
    const VF w = edge(b.x, a.y, b.y, a.x);
    const VM below = M_OR(M_OR(V_LT(u, zero), V_LT(v, zero)), V_LT(w, zero));
    const VM above = M_OR(M_OR(V_LT(zero, u), V_LT(zero, v)), V_LT(zero, w));
    const VF sum = V_ADD(V_ADD(u, v), w);
    VM hit = M_ANDNOT(M_AND(below, above), M_AND(real, M_OR(V_LT(zero, sum), V_LT(sum, zero))));
    if (!M_BITS(hit)) {
        put(s->t, zero, i, n);
        put(s->u, zero, i, n);
        put(s->v, zero, i, n);
        return 0;
    }
    const box_axis own = own_interval(r, triangles, i, n);
    const VF sz = V_SET(r->sz);
    const VF za = V_MUL(sz, a.z), zb = V_MUL(sz, b.z), zc = V_MUL(sz, c.z);
    const VF scaled = V_ADD(V_ADD(V_MUL(u, za), V_MUL(v, zb)), V_MUL(w, zc));
    VF t = V_DIV(scaled, sum);
    t = V_MAX(t, own.low);
    t = V_MIN(t, own.high);
    const VM inside = M_AND(V_LE(V_SET(s->tmin), t), V_LE(t, V_SET(s->tmax)));
    hit = M_AND(M_AND(hit, V_LE(own.low, own.high)), M_AND(inside, V_LE(V_ABS(t), V_SET(TACT_LARGEST))));
    put(s->t, V_SELECT(hit, t, zero), i, n);
    put(s->u, V_SELECT(hit, V_DIV(v, sum), zero), i, n);
    put(s->v, V_SELECT(hit, V_DIV(w, sum), zero), i, n);
    return M_BITS(hit);
}

LANES_TARGET static size_t ray_triangle(const tact_batch_shot* shot, const tact_batch_triangles* b, size_t count,
                                        uint32_t* bits)
{
    LANES_LOOP(count, bits, ray_triangle_at, shot, b);
}

const tact_batch_tests LANES_TABLE = {LANES_NAME, sphere_sphere, sphere_aabb, aabb_aabb, ray_aabb, ray_triangle};
