// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the tests of the ray functions share. Include after run.h.

#include "tact/geometry/ray.h"
#include "tests/geometry/vectors.h"
#include "tests/support/random.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline tact_ray make_ray(float ox, float oy, float oz, float dx, float dy, float dz)
{
    const tact_ray r = {ox, oy, oz, 0.0f, dx, dy, dz, INFINITY};
    return r;
}

static inline tact_ray make_segment(tact_vec3 a, tact_vec3 b)
{
    const tact_ray r = {a.x, a.y, a.z, 0.0f, b.x - a.x, b.y - a.y, b.z - a.z, 1.0f};
    return r;
}

static inline tact_vec3 random_vec(test_random* r, float size)
{
    const float x = size * test_random_signed(r), y = size * test_random_signed(r), z = size * test_random_signed(r);
    return v3(x, y, z);
}

/// A whole number in [-n, n].
static inline int random_whole(test_random* r, int n)
{
    return (int)test_random_below(r, (uint32_t)(2 * n + 1)) - n;
}

static inline tact_vec3 random_grid(test_random* r, int n)
{
    const float x = (float)random_whole(r, n), y = (float)random_whole(r, n), z = (float)random_whole(r, n);
    return v3(x, y, z);
}

/// Whole numbers, often zeros of either sign in the direction, and an interval that is a line, a ray or a segment.
static inline tact_ray random_grid_ray(test_random* r, int n, int steep)
{
    tact_ray ray = {.tmin = 0.0f, .tmax = INFINITY};
    const tact_vec3 o = random_grid(r, n);
    tact_vec3 d = random_grid(r, steep);
    const uint32_t kind = test_random_below(r, 16);
    if (kind & 1) d.x = kind & 8 ? -0.0f : 0.0f;
    if (kind & 2) d.y = kind & 8 ? -0.0f : 0.0f;
    if ((kind & 7) == 4 || (kind & 7) == 5) d.z = kind & 8 ? -0.0f : 0.0f;
    ray.ox = o.x;
    ray.oy = o.y;
    ray.oz = o.z;
    ray.dx = d.x;
    ray.dy = d.y;
    ray.dz = d.z;
    const uint32_t part = test_random_below(r, 4);
    if (part == 0) ray.tmin = -INFINITY;
    if (part == 1) ray.tmax = 1.0f;
    if (part == 2) {
        ray.tmin = (float)random_whole(r, 5);
        ray.tmax = ray.tmin + (float)test_random_below(r, 6);
    }
    return ray;
}

/// Turns the ray to a lattice point within `spread` of the target.
static inline void aim_on_grid(test_random* r, tact_ray* ray, tact_vec3 target, int spread)
{
    const tact_vec3 off = random_grid(r, spread);
    ray->dx = target.x + off.x - ray->ox;
    ray->dy = target.y + off.y - ray->oy;
    ray->dz = target.z + off.z - ray->oz;
}

static inline double ray_at(const tact_ray* r, double t, int axis)
{
    const double o[3] = {(double)r->ox, (double)r->oy, (double)r->oz};
    const double d[3] = {(double)r->dx, (double)r->dy, (double)r->dz};
    return o[axis] + t * d[axis];
}

static inline double dot3(tact_vec3 a, tact_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/// a + s b, rounded once.
static inline tact_vec3 along(tact_vec3 a, double s, tact_vec3 b)
{
    return v3((float)((double)a.x + s * (double)b.x), (float)((double)a.y + s * (double)b.y),
              (float)((double)a.z + s * (double)b.z));
}

static inline tact_vec3 unit_of(tact_vec3 v)
{
    return along(v3(0, 0, 0), 1.0 / (sqrt(dot3(v, v)) + 1e-30), v);
}

/// Three perpendicular unit vectors.
static inline void random_frame(test_random* r, tact_vec3 axis[3])
{
    axis[0] = unit_of(random_vec(r, 1.0f));
    const tact_vec3 v = random_vec(r, 1.0f);
    const tact_vec3 x = axis[0], y = unit_of(along(v, -dot3(v, x), x));
    axis[1] = y;
    axis[2] = v3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x);
}

static inline tact_vec3 direction(const tact_ray* r)
{
    return v3(r->dx, r->dy, r->dz);
}

/// The ray and its shape times 2^power, which changes no bit of t or of the normals.
static inline tact_ray scaled_ray(tact_ray r, int power)
{
    r.ox = ldexpf(r.ox, power);
    r.oy = ldexpf(r.oy, power);
    r.oz = ldexpf(r.oz, power);
    r.dx = ldexpf(r.dx, power);
    r.dy = ldexpf(r.dy, power);
    r.dz = ldexpf(r.dz, power);
    return r;
}

/// The same line with a direction 2^power as long: t is in its units.
static inline tact_ray longer_ray(tact_ray r, int power)
{
    r.dx = ldexpf(r.dx, power);
    r.dy = ldexpf(r.dy, power);
    r.dz = ldexpf(r.dz, power);
    r.tmin = ldexpf(r.tmin, -power);
    r.tmax = ldexpf(r.tmax, -power);
    return r;
}

static inline tact_ray moved_ray(tact_ray r, tact_vec3 by)
{
    r.ox += by.x;
    r.oy += by.y;
    r.oz += by.z;
    return r;
}

static inline tact_vec3 turned_vec(tact_vec3 v)
{
    return v3(v.y, v.z, v.x);
}

/// The axes exchanged in a circle.
static inline tact_ray turned_ray(tact_ray r)
{
    return (tact_ray){r.oy, r.oz, r.ox, r.tmin, r.dy, r.dz, r.dx, r.tmax};
}

static inline tact_vec3 scaled_vec(tact_vec3 v, int power)
{
    return v3(ldexpf(v.x, power), ldexpf(v.y, power), ldexpf(v.z, power));
}

/// Whether a ray hits a shape that is given as `floats` numbers.
typedef bool probe(const tact_ray* ray, const float* shape);

/// A probe by an expression in `ray` and `shape`.
#define PROBE(name, type, expression)                           \
    static bool name(const tact_ray* ray, const float* numbers) \
    {                                                           \
        type shape;                                             \
        memcpy(&shape, numbers, sizeof shape);                  \
        return expression;                                      \
    }

static inline void expect_no(probe* hits, const tact_ray* ray, const float* shape, const char* what, size_t at)
{
    if (hits(ray, shape)) fail_msg("hit in spite of a bad number in %s[%zu]", what, at);
}

/// Puts NaN and the infinities into every number of ray and shape. The ray must hit the shape as given.
static inline void refuses_bad_numbers(probe* hits, tact_ray ray, const float* shape, size_t floats)
{
    float s[128], r[8], bad[3] = {NAN, INFINITY, -INFINITY};
    assert_true(floats <= COUNT(s));
    assert_true(hits(&ray, shape));
    for (size_t k = 0; k < COUNT(bad); ++k) {
        for (size_t i = 0; i < floats; ++i) {
            memcpy(s, shape, floats * sizeof *s);
            s[i] = bad[k];
            expect_no(hits, &ray, s, "shape", i);
        }
        for (size_t i = 0; i < 8; ++i) {
            memcpy(r, &ray, sizeof r);
            r[i] = bad[k];
            // A line's own infinities are fine.
            if ((i == 3 && k == 2) || (i == 7 && k == 1)) continue;
            tact_ray poisoned;
            memcpy(&poisoned, r, sizeof r);
            expect_no(hits, &poisoned, shape, "ray", i);
        }
    }
    tact_ray reversed = ray;
    reversed.tmin = 1e30f;
    reversed.tmax = -1e30f;
    assert_false(hits(&reversed, shape));
}

/// Bit patterns of every kind: nothing traps (this runs under UBSan), and what is hit has a place in the interval.
static inline void survives_any_bits(probe* hits, size_t floats, int cases, uint64_t seed)
{
    test_random random = test_random_seeded(seed);
    for (int i = 0; i < cases; ++i) {
        float s[128], r[8];
        for (size_t k = 0; k < floats; ++k)
            s[k] = i & 1 ? test_random_any(&random) : ldexpf(test_random_signed(&random), random_whole(&random, 127));
        for (size_t k = 0; k < 8; ++k)
            r[k] = i & 2 ? test_random_any(&random) : ldexpf(test_random_signed(&random), random_whole(&random, 127));
        tact_ray ray;
        memcpy(&ray, r, sizeof r);
        if (hits(&ray, s)) assert_true(ray.tmin <= ray.tmax);
    }
}

/// Both of them.
static inline void is_careful(probe* hits, tact_ray ray, const float* shape, size_t floats, int cases, uint64_t seed)
{
    refuses_bad_numbers(hits, ray, shape, floats);
    survives_any_bits(hits, floats, cases, seed);
}

/// What holds for every hit with a solid.
static inline bool plausible_solid_hit(const tact_ray* r, const tact_ray_solid_hit* h)
{
    if (!h->hit) return h->t == 0.0f && h->exit == 0.0f && same_vec(h->normal, v3(0, 0, 0));
    const double n = dot3(h->normal, h->normal), m = dot3(h->exit_normal, h->exit_normal);
    if (!(h->t >= r->tmin && h->t <= h->exit && h->exit <= r->tmax)) return false;
    if (!(n == 0.0 || fabs(n - 1.0) < 1e-6) || !(m == 0.0 || fabs(m - 1.0) < 1e-6)) return false;
    if (n == 0.0 && h->t != r->tmin) return false;
    return m > 0.0 || h->exit == r->tmax;
}

static inline bool same_hit(tact_ray_solid_hit a, tact_ray_solid_hit b)
{
    return a.hit == b.hit && a.t == b.t && a.exit == b.exit && same_vec(a.normal, b.normal) &&
           same_vec(a.exit_normal, b.exit_normal);
}
