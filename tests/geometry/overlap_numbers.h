// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shapes drawn at random as arrays of numbers, and vectors in extended precision for the oracles.

#include "tact/geometry/overlap.h"
#include "tests/support/random.h"

enum { MOST = 24 };

typedef long double real;

typedef struct rvec {
    real x, y, z;
} rvec;

static inline rvec at(const float* f)
{
    return (rvec){(real)f[0], (real)f[1], (real)f[2]};
}

static inline rvec along(rvec a, real s, rvec b)
{
    return (rvec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline rvec minus(rvec a, rvec b)
{
    return along(a, -1, b);
}

static inline real dot(rvec a, rvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline real length(rvec a)
{
    return sqrtl(dot(a, a));
}

static inline real clamp(real x, real low, real high)
{
    return x < low ? low : x > high ? high : x;
}

static inline real to_segment(rvec p, rvec a, rvec b)
{
    const rvec u = minus(b, a), d = minus(p, a);
    const real uu = dot(u, u);
    return length(along(d, -(uu > 0 ? clamp(dot(d, u) / uu, 0, 1) : 0), u));
}

/// In coordinates along the edge u and across it: the part of v that is across, made so twice.
static inline real to_triangle(rvec p, rvec a, rvec b, rvec c)
{
    const rvec u = minus(b, a), v = minus(c, a), d = minus(p, a);
    const real uu = dot(u, u), vu = uu > 0 ? dot(v, u) / uu : 0;
    rvec w = along(v, -vu, u);
    if (uu > 0) w = along(w, -dot(w, u) / uu, u);
    const real ww = dot(w, w);
    if (ww > 1e-32L * dot(v, v)) {
        const real t = dot(d, w) / ww, s = dot(along(d, -t, w), u) / uu - t * vu;
        const rvec across = along(d, -dot(d, u) / uu, u);
        if (s >= 0 && t >= 0 && s + t <= 1) return length(along(across, -dot(across, w) / ww, w));
    }
    return fminl(fminl(to_segment(p, a, b), to_segment(p, b, c)), to_segment(p, c, a));
}

static inline real to_box(rvec p, rvec low, rvec high)
{
    return length(minus(p, (rvec){clamp(p.x, low.x, high.x), clamp(p.y, low.y, high.y), clamp(p.z, low.z, high.z)}));
}

/// The coordinates of p in a frame given by its origin and three axes.
static inline rvec local(rvec p, const float* frame)
{
    const rvec d = minus(p, at(frame));
    return (rvec){dot(d, at(frame + 3)), dot(d, at(frame + 6)), dot(d, at(frame + 9))};
}

static inline tact_sphere sphere(const float* f)
{
    return (tact_sphere){{f[0], f[1], f[2]}, f[3]};
}

static inline tact_aabb aabb(const float* f)
{
    return (tact_aabb){{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}

/// A shape that is laid out as its numbers are.
#define SHAPE_OF_NUMBERS(type, name)        \
    static inline type name(const float* f) \
    {                                       \
        type shape;                         \
        memcpy(&shape, f, sizeof shape);    \
        return shape;                       \
    }
SHAPE_OF_NUMBERS(tact_triangle, triangle)
SHAPE_OF_NUMBERS(tact_obb, obb)
SHAPE_OF_NUMBERS(tact_capsule, capsule)
SHAPE_OF_NUMBERS(tact_cylinder, cylinder)
SHAPE_OF_NUMBERS(tact_ellipsoid, ellipsoid)

/// The same where a function wants a pointer: POINTED(obb, f + 4).
#define POINTED(shape, numbers) ((tact_##shape[1]){shape(numbers)})

/// A function under test, or its distance, of an array of numbers.
#define OF_NUMBERS(type, name, expression)  \
    static inline type name(const float* f) \
    {                                       \
        return expression;                  \
    }

OF_NUMBERS(bool, sphere_aabb, tact_sphere_overlaps_aabb(sphere(f), aabb(f + 4)))
OF_NUMBERS(bool, sphere_aabb_early, tact_sphere_overlaps_aabb_early(sphere(f), aabb(f + 4)))
OF_NUMBERS(real, sphere_aabb_gap, to_box(at(f), at(f + 4), at(f + 7)))
OF_NUMBERS(bool, sphere_triangle, tact_sphere_overlaps_triangle(sphere(f), POINTED(triangle, f + 4)))
OF_NUMBERS(bool, aabb_triangle, tact_aabb_overlaps_triangle(aabb(f), POINTED(triangle, f + 6)))
OF_NUMBERS(bool, obb_triangle, tact_obb_overlaps_triangle(POINTED(obb, f), POINTED(triangle, f + 15)))
OF_NUMBERS(bool, capsule_aabb, tact_capsule_overlaps_aabb(POINTED(capsule, f), aabb(f + 7)))
OF_NUMBERS(bool, capsule_triangle, tact_capsule_overlaps_triangle(POINTED(capsule, f), POINTED(triangle, f + 7)))

static inline int width(char c)
{
    return c == 'l' ? 1 : c == 'b' ? 6 : c == 'a' ? 9 : 3;
}

/// Axes that are coordinate axes, in some order and with some signs.
static inline void turned(test_random* r, float* axes)
{
    memset(axes, 0, 9 * sizeof *axes);
    const uint32_t first = test_random_below(r, 3), step = 1 + test_random_below(r, 2);
    for (uint32_t i = 0; i < 3; ++i)
        axes[3 * i + (first + step * i) % 3] = test_random_below(r, 2) ? 1.0f : -1.0f;
}

enum { LATTICE, PLAIN, LARGE, SMALL, FAR, SKEW, WAYS };

static inline float number(test_random* r, int way)
{
    const float x = test_random_signed(r);
    const float skew[] = {1e-4f, 1.0f, 1e4f};
    return way == LATTICE ? floorf(4.0f * x)
           : way == LARGE ? 1e6f * x
           : way == SMALL ? 1e-6f * x
           : way == FAR   ? 4096.0f + x
           : way == SKEW  ? skew[test_random_below(r, 3)] * x
                          : x;
}

static inline float size_number(test_random* r, int way)
{
    const float x = number(r, way == FAR ? PLAIN : way);
    return 0.7f * fabsf(way == LATTICE ? floorf(x) / 0.7f : x);
}

/// Layout: p a point, l a length, b a box of two points, a nine numbers of axes, h three lengths along axes.
static inline void draw(test_random* r, const char* layout, int way, float* f)
{
    for (const char* c = layout; *c; f += width(*c++)) {
        if (*c == 'a') {
            if (way == LATTICE)
                turned(r, f);
            else
                test_random_rotation(r, f);
            continue;
        }
        for (int i = 0; i < width(*c); ++i)
            f[i] = *c == 'l' || *c == 'h' ? size_number(r, way) : number(r, way);
        for (int i = 0; *c == 'b' && i < 3; ++i) {
            const float low = fminf(f[i], f[i + 3]), high = fmaxf(f[i], f[i + 3]);
            f[i] = low;
            f[i + 3] = high;
        }
    }
}

/// The largest difference between points along an axis, and sizes.
static inline real extent(const char* layout, const float* f)
{
    real low[3] = {HUGE_VALL, HUGE_VALL, HUGE_VALL}, high[3] = {-HUGE_VALL, -HUGE_VALL, -HUGE_VALL}, most = 0;
    for (const char* c = layout; *c; f += width(*c++)) {
        for (int i = 0; *c != 'a' && i < width(*c); ++i) {
            if (*c == 'p' || *c == 'b') {
                low[i % 3] = fminl(low[i % 3], (real)f[i]);
                high[i % 3] = fmaxl(high[i % 3], (real)f[i]);
                most = fmaxl(most, high[i % 3] - low[i % 3]);
            } else {
                most = fmaxl(most, (real)f[i]);
            }
        }
    }
    return most;
}
