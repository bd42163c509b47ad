// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/bounding_sphere.h"

#include <float.h>
#include <string.h>

#include "cpu_ref/geometry/fit_internal.h"
#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/overlap_internal.h"

static const tact_sphere empty_sphere = {{0, 0, 0}, -1};

/// Squares and their sums in double that differ by less than this, relatively, may be in the other order.
static const double doubt = 0x1p-48;

/// How much Ritter's iteration shrinks.
static const double shrink = 0.95;

/// What is to be held: points, or spheres.
typedef struct items {
    const char* data;
    size_t count, stride;
    bool spheres;
} items;

typedef struct ball {
    dvec c;
    double r;
} ball;

static items of_points(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = {(const char*)points, count, stride ? stride : sizeof *points, false};
    return t;
}

static items of_spheres(const tact_sphere* spheres, size_t count, size_t stride)
{
    const items t = {(const char*)spheres, count, stride ? stride : sizeof *spheres, true};
    return t;
}

static tact_sphere item(const items* t, size_t i)
{
    tact_sphere s = {{0, 0, 0}, 0};
    memcpy(&s, t->data + i * t->stride, t->spheres ? sizeof s : sizeof s.center);
    return s;
}

static ball ball_from(tact_sphere s)
{
    const ball b = {d_from(s.center), (double)s.radius};
    return b;
}

static ball ball_at(const items* t, size_t i)
{
    return ball_from(item(t, i));
}

static bool valid(tact_sphere s)
{
    return v_finite(s.center) && s.radius >= 0 && isfinite(s.radius);
}

static bool all_valid(const items* t)
{
    for (size_t i = 0; i < t->count; ++i) {
        if (!valid(item(t, i))) return false;
    }
    return t->count > 0;
}

static double square_distance(dvec a, dvec b)
{
    const dvec d = d_sub(a, b);
    return d_dot(d, d);
}

/// The sign of |a - b|^2 - (R - r)^2, R >= r, by exact products of floats.
static bool within_exactly(dvec a, dvec b, double outer, double inner)
{
    const double term[12] = {a.x * a.x,        a.y * a.y,        a.z * a.z,         b.x * b.x,
                             b.y * b.y,        b.z * b.z,        -2 * (a.x * b.x),  -2 * (a.y * b.y),
                             -2 * (a.z * b.z), -(outer * outer), 2 * outer * inner, -(inner * inner)};
    return exact_sign(term, 12) <= 0;
}

/// Both are valid.
static bool holds(tact_sphere outer, tact_sphere inner)
{
    if (!(outer.radius >= inner.radius)) return false;
    const dvec a = d_from(outer.center), b = d_from(inner.center);
    const double slack = (double)outer.radius - (double)inner.radius;
    const double far = square_distance(a, b), reach = slack * slack;
    if (far <= reach * (1 - doubt)) return true;
    if (far > reach * (1 + doubt)) return false;
    return within_exactly(a, b, (double)outer.radius, (double)inner.radius);
}

/// The sphere with the least radius, not below the present one, that holds s too. Infinite when there is none.
static tact_sphere reach(tact_sphere sphere, tact_sphere s)
{
    if (holds(sphere, s)) return sphere;
    const double far = sqrt(square_distance(d_from(sphere.center), d_from(s.center))) + (double)s.radius;
    const float below = d_round_down(far * (1 - doubt));
    if (below > sphere.radius) sphere.radius = below;
    while (isfinite(sphere.radius) && !holds(sphere, s))
        sphere.radius = nextafterf(sphere.radius, INFINITY);
    return sphere;
}

/// The least sphere about the centre, rounded, that holds all.
static tact_sphere finish(const items* t, dvec center)
{
    tact_sphere s = {d_round(center), 0};
    if (!v_finite(s.center)) return empty_sphere;
    for (size_t i = 0; i < t->count && isfinite(s.radius); ++i)
        s = reach(s, item(t, i));
    return isfinite(s.radius) ? s : empty_sphere;
}

/// The least ball around both.
static ball ball_union(ball a, ball b)
{
    const double d = sqrt(square_distance(a.c, b.c));
    if (d + b.r <= a.r) return a;
    if (d + a.r <= b.r) return b;
    const double r = 0.5 * (d + a.r + b.r);
    const ball u = {d_along(a.c, (r - a.r) / d, d_sub(b.c, a.c)), r};
    return u;
}

/// The distance from c to the far side of the farthest item.
static double farthest(const items* t, dvec c)
{
    double top = 0, top2 = 0;
    for (size_t i = 0; i < t->count; ++i) {
        const ball b = ball_at(t, i);
        const double d2 = square_distance(b.c, c);
        if (t->spheres)
            top = fmax(top, sqrt(d2) + b.r);
        else
            top2 = d2 > top2 ? d2 : top2;
    }
    return t->spheres ? top : sqrt(top2);
}

/// The pair of items with the greatest extent among the three that are extreme along the axes.
static void most_separated(const items* t, size_t pair[2])
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    size_t first[3] = {0}, last[3] = {0};
    for (size_t i = 0; i < t->count; ++i) {
        const ball b = ball_at(t, i);
        for (int k = 0; k < 3; ++k) {
            const double x = d_at(b.c, k);
            if (x - b.r < low[k]) {
                low[k] = x - b.r;
                first[k] = i;
            }
            if (x + b.r > high[k]) {
                high[k] = x + b.r;
                last[k] = i;
            }
        }
    }
    double top = -1;
    for (int k = 0; k < 3; ++k) {
        const ball a = ball_at(t, first[k]), b = ball_at(t, last[k]);
        const double extent = sqrt(square_distance(a.c, b.c)) + a.r + b.r;
        if (extent > top) {
            top = extent;
            pair[0] = first[k];
            pair[1] = last[k];
        }
    }
}

static ball across(const items* t, const size_t pair[2])
{
    return ball_union(ball_at(t, pair[0]), ball_at(t, pair[1]));
}

static dvec midpoint(const items* t)
{
    dvec low = d_make(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = d_make(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    for (size_t i = 0; i < t->count; ++i) {
        const ball b = ball_at(t, i);
        low = d_make(fmin(low.x, b.c.x - b.r), fmin(low.y, b.c.y - b.r), fmin(low.z, b.c.z - b.r));
        high = d_make(fmax(high.x, b.c.x + b.r), fmax(high.y, b.c.y + b.r), fmax(high.z, b.c.z + b.r));
    }
    return d_scale(d_add(low, high), 0.5);
}

/// Grows the ball item by item: start, start + step, ... around the array. The step and the count have no common
/// divisor.
static ball grow(const items* t, ball b, size_t start, size_t step)
{
    size_t at = start;
    for (size_t i = 0; i < t->count; ++i) {
        const ball s = ball_at(t, at);
        if (t->spheres || square_distance(s.c, b.c) > b.r * b.r) b = ball_union(b, s);
        at = at >= t->count - step ? at - (t->count - step) : at + step;
    }
    return b;
}

static ball ritter(const items* t)
{
    size_t pair[2];
    most_separated(t, pair);
    return grow(t, across(t, pair), 0, 1);
}

/// The next number of a sequence that the state determines (G. Steele and others, Fast splittable pseudorandom number
/// generators, 2014).
static uint64_t next_number(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// A number from 1 to count that has no common divisor with it.
static size_t random_step(size_t count, uint64_t* state)
{
    size_t step;
    do {
        step = 1 + (size_t)(next_number(state) % count);
    } while (common_divisor(count, step) != 1);
    return step;
}

static ball iterate(const items* t, ball best, uint32_t iterations, uint64_t seed)
{
    best.r = farthest(t, best.c);
    for (uint32_t k = 0; k < iterations; ++k) {
        const size_t start = (size_t)(next_number(&seed) % t->count), step = random_step(t->count, &seed);
        const ball small = {best.c, shrink * best.r};
        ball b = grow(t, small, start, step);
        b.r = farthest(t, b.c);
        if (b.r < best.r) best = b;
    }
    return best;
}

/// The points that are extreme along the direction of largest spread.
static void extreme_along_spread(const items* t, size_t pair[2])
{
    dvec mean = d_make(0, 0, 0), axis[3];
    for (size_t i = 0; i < t->count; ++i)
        mean = d_along(mean, 1.0 / (double)t->count, ball_at(t, i).c);
    double c[3][3] = {{0}};
    for (size_t i = 0; i < t->count; ++i) {
        const dvec d = d_sub(ball_at(t, i).c, mean);
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k)
                c[j][k] += d_at(d, j) * d_at(d, k);
        }
    }
    d_principal_axes(c, axis);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < t->count; ++i) {
        const double h = d_dot(d_sub(ball_at(t, i).c, mean), axis[0]);
        if (h < low) {
            low = h;
            pair[0] = i;
        }
        if (h > high) {
            high = h;
            pair[1] = i;
        }
    }
}

tact_sphere tact_sphere_empty(void)
{
    return empty_sphere;
}

bool tact_sphere_overlaps_sphere(tact_sphere a, tact_sphere b)
{
    const float dx = a.center.x - b.center.x, dy = a.center.y - b.center.y, dz = a.center.z - b.center.z;
    const float d2 = (dx * dx + dy * dy) + dz * dz, r = a.radius + b.radius, r2 = r * r;
    return a.radius >= 0 && b.radius >= 0 && d2 <= r2 && r2 <= FLT_MAX;
}

bool tact_sphere_contains_point(tact_sphere sphere, tact_vec3 point)
{
    const tact_sphere p = {point, 0};
    return tact_sphere_contains_sphere(sphere, p);
}

bool tact_sphere_contains_sphere(tact_sphere outer, tact_sphere inner)
{
    return valid(outer) && valid(inner) && holds(outer, inner);
}

tact_sphere tact_sphere_union(tact_sphere a, tact_sphere b)
{
    if (!valid(a)) return valid(b) ? b : empty_sphere;
    if (!valid(b) || holds(a, b)) return a;
    if (holds(b, a)) return b;
    const tact_sphere both[2] = {a, b};
    const items t = of_spheres(both, 2, 0);
    return finish(&t, ball_union(ball_from(a), ball_from(b)).c);
}

tact_sphere tact_sphere_include_point(tact_sphere sphere, tact_vec3 point)
{
    const tact_sphere p = {point, 0};
    return tact_sphere_union(sphere, p);
}

tact_sphere tact_sphere_from_aabb(tact_aabb box)
{
    tact_vec3 corner[8];
    return aabb_corners(box, corner) ? tact_sphere_fit_midpoint(corner, 8, 0) : empty_sphere;
}

tact_sphere tact_sphere_around(tact_vec3 center, const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    return v_finite(center) && all_valid(&t) ? finish(&t, d_from(center)) : empty_sphere;
}

bool tact_most_separated_points(const tact_vec3* points, size_t count, size_t stride, size_t* first, size_t* second)
{
    const items t = of_points(points, count, stride);
    if (!all_valid(&t)) return false;
    size_t pair[2];
    most_separated(&t, pair);
    *first = pair[0];
    *second = pair[1];
    return true;
}

tact_sphere tact_sphere_fit_midpoint(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    return all_valid(&t) ? finish(&t, midpoint(&t)) : empty_sphere;
}

tact_sphere tact_sphere_fit_distant(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    if (!all_valid(&t)) return empty_sphere;
    size_t pair[2];
    most_separated(&t, pair);
    return finish(&t, across(&t, pair).c);
}

tact_sphere tact_sphere_fit_ritter(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    return all_valid(&t) ? finish(&t, ritter(&t).c) : empty_sphere;
}

tact_sphere tact_sphere_fit_eigen(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    if (!all_valid(&t)) return empty_sphere;
    size_t pair[2];
    extreme_along_spread(&t, pair);
    return finish(&t, across(&t, pair).c);
}

tact_sphere tact_sphere_fit_ritter_eigen(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    if (!all_valid(&t)) return empty_sphere;
    size_t pair[2];
    extreme_along_spread(&t, pair);
    return finish(&t, grow(&t, across(&t, pair), 0, 1).c);
}

tact_sphere tact_sphere_fit_iterative(const tact_vec3* points, size_t count, size_t stride, uint32_t iterations,
                                      uint64_t seed)
{
    const items t = of_points(points, count, stride);
    return all_valid(&t) ? finish(&t, iterate(&t, ritter(&t), iterations, seed).c) : empty_sphere;
}

tact_sphere tact_sphere_fit_smallest(const tact_vec3* points, size_t count, size_t stride)
{
    const items t = of_points(points, count, stride);
    if (!all_valid(&t)) return empty_sphere;
    size_t pair[2];
    most_separated(&t, pair);
    return finish(&t, tact_smallest_ball_center(points, count, t.stride, pair));
}

tact_sphere tact_sphere_around_spheres(const tact_sphere* spheres, size_t count, size_t stride)
{
    const items t = of_spheres(spheres, count, stride);
    if (!all_valid(&t)) return empty_sphere;
    if (count == 2) return tact_sphere_union(item(&t, 0), item(&t, 1));
    const ball a = iterate(&t, ritter(&t), 8, 1);
    const dvec c = midpoint(&t);
    return finish(&t, farthest(&t, c) < a.r ? c : a.c);
}
