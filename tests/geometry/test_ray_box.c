// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against boxes, slabs and convex polyhedra: analytic cases, exact integer oracles, and elimination of t in
// 113-bit arithmetic.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/geometry/ray_cases.h"

static const tact_aabb cube = {{0, 0, 0}, {1, 1, 1}};

static bool slopes_overlap(const tact_ray* ray, const tact_aabb* box)
{
    const tact_ray_slopes s = tact_ray_slopes_prepare(ray);
    return tact_ray_slopes_overlap_aabb(&s, box);
}

/// The box as another shape, of the same points. The axes are permuted and mirrored by `turn`.
static tact_obb as_obb(const tact_aabb* b, uint32_t turn)
{
    const float half[3] = {0.5f * (b->upper.x - b->lower.x), 0.5f * (b->upper.y - b->lower.y),
                           0.5f * (b->upper.z - b->lower.z)};
    tact_obb o = {
        {0.5f * (b->lower.x + b->upper.x), 0.5f * (b->lower.y + b->upper.y), 0.5f * (b->lower.z + b->upper.z)},
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {0, 0, 0}};
    const float sign = turn & 4 ? -1.0f : 1.0f;
    const uint32_t t = turn % 3;
    o.axis[(0 + t) % 3].x = sign;
    o.axis[(1 + t) % 3].y = 1.0f;
    o.axis[(2 + t) % 3].z = -sign;
    float* h = &o.half.x;
    for (uint32_t i = 0; i < 3; ++i)
        h[(i + t) % 3] = half[i];
    return o;
}

typedef struct planes {
    tact_plane plane[16];
    size_t count;
} planes;

static planes as_planes(const tact_aabb* b, float factor)
{
    const planes p = {{{{factor, 0, 0}, factor * b->upper.x},
                       {{-factor, 0, 0}, -factor * b->lower.x},
                       {{0, factor, 0}, factor * b->upper.y},
                       {{0, -factor, 0}, -factor * b->lower.y},
                       {{0, 0, factor}, factor * b->upper.z},
                       {{0, 0, -factor}, -factor * b->lower.z}},
                      6};
    return p;
}

static tact_ray_solid_hit slabs_of(const tact_ray* ray, const tact_aabb* b, float factor)
{
    const tact_vec3 normals[3] = {{factor, 0, 0}, {0, factor, 0}, {0, 0, factor}};
    const float lower[3] = {factor * b->lower.x, factor * b->lower.y, factor * b->lower.z};
    const float upper[3] = {factor * b->upper.x, factor * b->upper.y, factor * b->upper.z};
    return tact_ray_slabs(ray, normals, lower, upper, 3);
}

static void assert_solid(tact_ray_solid_hit h, float t, float leave, tact_vec3 n, tact_vec3 m)
{
    assert_true(h.hit);
    if (h.t != t || h.exit != leave) {
        fail_msg("t %g exit %g instead of %g %g", (double)h.t, (double)h.exit, (double)t, (double)leave);
    }
    assert_true(same_vec(h.normal, n) && same_vec(h.exit_normal, m));
}

/// In every form that tells t.
static void assert_forms(const tact_ray* ray, const tact_aabb* b, float t, float leave, tact_vec3 n, tact_vec3 m)
{
    assert_solid(tact_ray_aabb(ray, b), t, leave, n, m);
    assert_solid(slabs_of(ray, b, 3.0f), t, leave, n, m);
    for (uint32_t turn = 0; turn < 8; ++turn) {
        const tact_obb o = as_obb(b, turn);
        assert_solid(tact_ray_obb(ray, &o), t, leave, n, m);
        assert_true(tact_ray_overlaps_obb(ray, &o) && tact_ray_overlaps_obb_slopes(ray, &o));
    }
    const planes p = as_planes(b, 0.125f);
    assert_solid(tact_ray_convex(ray, p.plane, p.count), t, leave, n, m);
    assert_true(tact_ray_overlaps_aabb(ray, b));
    assert_true(slopes_overlap(ray, b));
}

static void assert_missed(const tact_ray* ray, const tact_aabb* b)
{
    assert_false(tact_ray_aabb(ray, b).hit);
    assert_false(slabs_of(ray, b, 2.0f).hit);
    const planes p = as_planes(b, 4.0f);
    assert_false(tact_ray_convex(ray, p.plane, p.count).hit);
    for (uint32_t turn = 0; turn < 8; ++turn) {
        const tact_obb o = as_obb(b, turn);
        assert_false(tact_ray_obb(ray, &o).hit);
        assert_false(tact_ray_overlaps_obb(ray, &o) || tact_ray_overlaps_obb_slopes(ray, &o));
    }
    assert_false(tact_ray_overlaps_aabb(ray, b));
    assert_false(slopes_overlap(ray, b));
}

static void known_rays_enter_and_leave_where_they_should(void** state)
{
    (void)state;
    const tact_vec3 none = {0, 0, 0};
    tact_ray r = make_ray(-2, 0.5f, 0.5f, 4, 0, 0);
    assert_forms(&r, &cube, 0.5f, 0.75f, vec(-1, 0, 0), vec(1, 0, 0));
    r = make_ray(0.25f, 3, 0.75f, -0.0f, -0.5f, 0);
    assert_forms(&r, &cube, 4, 6, vec(0, 1, 0), vec(0, -1, 0));
    r = make_ray(0.25f, 0.5f, -1, 0, 0, 1);
    assert_forms(&r, &cube, 1, 2, vec(0, 0, -1), vec(0, 0, 1));
    // From inside: tmin, and where it leaves.
    r = make_ray(0.5f, 0.5f, 0.5f, 0, 0, -1);
    assert_forms(&r, &cube, 0, 0.5f, none, vec(0, 0, -1));
    r.tmin = 0.25f;
    r.tmax = 0.375f;
    assert_forms(&r, &cube, 0.25f, 0.375f, none, none);
    // A line behind its origin, and the point that a ray without direction is.
    r = make_ray(5, 0.5f, 0.5f, 1, 0, 0);
    assert_missed(&r, &cube);
    r.tmin = -INFINITY;
    assert_forms(&r, &cube, -5, -4, vec(-1, 0, 0), vec(1, 0, 0));
    r = make_ray(0.5f, 1, 0, 0, -0.0f, 0);
    assert_forms(&r, &cube, 0, INFINITY, none, none);
    r.tmin = -INFINITY;
    assert_forms(&r, &cube, -INFINITY, INFINITY, none, none);
    r.oy = 1.5f;
    assert_missed(&r, &cube);
}

/// The listing in print, from which each test below differs, sets the far end to the larger of two: it hits always.
static void far_ends_are_the_smallest_of_the_three(void** state)
{
    (void)state;
    tact_ray r = make_ray(-1, 3.5f, 0.5f, 1, -1, 0);
    assert_missed(&r, &cube);
    r = make_ray(-1, -3, -7, 1, 1, 1);
    assert_missed(&r, &cube);
    // And radii of the crossed axes take the magnitudes of the direction.
    r = make_ray(-1, 1.5f, 0.5f, 2, -1, -0.25f);
    assert_true(tact_ray_overlaps_aabb(&r, &cube) && slopes_overlap(&r, &cube) && tact_ray_aabb(&r, &cube).hit);
}

/// Rounded slopes are off by half a unit, which used to lose these edges.
static void lines_that_touch_an_edge_hit(void** state)
{
    (void)state;
    tact_aabb box = {{-24, -40, -2}, {27, 35, 36}};
    tact_ray r = make_ray(-36, 8, -29, -14, -6, -6);  // at t = -4.5 in (27, 35, -2)
    r.tmin = -INFINITY;
    assert_true(slopes_overlap(&r, &box) && tact_ray_overlaps_aabb(&r, &box));
    box.lower.z = nextafterf(-2.0f, 0.0f);
    assert_false(slopes_overlap(&r, &box) || tact_ray_overlaps_aabb(&r, &box));
    // Edges at three times the direction, with every slope of small numbers.
    for (int dx = 1; dx < 100; ++dx) {
        for (int dy = 1; dy < 100; ++dy) {
            const float x = (float)dx, y = (float)dy;
            const tact_aabb below = {{3 * x, -5, -1}, {3 * x + 7, 3 * y, 1}},
                            above = {{-9, 3 * y, -1}, {3 * x, 500, 1}};
            r = make_ray(0, 0, 0.5f, x, y, 0);
            assert_true(slopes_overlap(&r, &below) && slopes_overlap(&r, &above));
        }
    }
}

static void segments_end_at_their_ends(void** state)
{
    (void)state;
    tact_ray r = make_segment(vec(-3, 0.5f, 0.5f), vec(-1, 0.5f, 0.5f));
    assert_missed(&r, &cube);
    r = make_segment(vec(-3, 0.5f, 0.5f), vec(0, 0.5f, 0.5f));  // touches with its end
    assert_forms(&r, &cube, 1, 1, vec(-1, 0, 0), vec(0, 0, 0));
    r = make_segment(vec(1, 0.5f, 0.5f), vec(3, 0.5f, 0.5f));  // and with its start
    assert_forms(&r, &cube, 0, 0, vec(0, 0, 0), vec(1, 0, 0));
    r = make_segment(vec(nextafterf(1, 2), 0.5f, 0.5f), vec(3, 0.5f, 0.5f));
    assert_missed(&r, &cube);
}

/// Rays along faces and edges, from all sides, with zeros of both signs: a division 0 / 0 must decide nothing.
static void rays_in_faces_and_along_edges_hit(void** state)
{
    (void)state;
    const float zeros[2] = {0.0f, -0.0f};
    const float places[3] = {0.0f, 0.5f, 1.0f};
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 72; ++k) {
            const float sign = k & 1 ? -1.0f : 1.0f;
            float o[3], d[3];
            o[axis] = k & 1 ? 3.0f : -2.0f;
            d[axis] = sign;
            o[(axis + 1) % 3] = places[k % 3];
            o[(axis + 2) % 3] = places[k / 3 % 3];
            d[(axis + 1) % 3] = zeros[k / 9 % 2];
            d[(axis + 2) % 3] = zeros[k / 18 % 2];
            tact_ray r = make_ray(o[0], o[1], o[2], d[0], d[1], d[2]);
            float n[3] = {0, 0, 0};
            n[axis] = sign;
            assert_forms(&r, &cube, 2, 3, vec(-n[0], -n[1], -n[2]), vec(n[0], n[1], n[2]));
            // On the near face, on the far face, and just beside the box.
            float* moved = axis == 0 ? &r.ox : axis == 1 ? &r.oy : &r.oz;
            *moved = k & 1 ? 1.0f : 0.0f;
            assert_forms(&r, &cube, 0, 1, vec(-n[0], -n[1], -n[2]), vec(n[0], n[1], n[2]));
            *moved = k & 1 ? 0.0f : 1.0f;
            assert_forms(&r, &cube, 0, 0, vec(0, 0, 0), vec(n[0], n[1], n[2]));
            float* beside = axis == 1 ? &r.ox : &r.oy;
            *beside = k & 4 ? nextafterf(1.0f, 2.0f) : -1e-30f;
            if (*beside > 0.5f) assert_missed(&r, &cube);
            assert_false(tact_ray_aabb(&r, &cube).hit);
        }
    }
}

static void flat_boxes_are_the_sets_they_are(void** state)
{
    (void)state;
    const tact_aabb sheet = {{0, 0, 2}, {1, 1, 2}}, point = {{1, 2, 3}, {1, 2, 3}};
    tact_ray r = make_ray(0.5f, 0.5f, 0, 0, 0, 1);
    assert_forms(&r, &sheet, 2, 2, vec(0, 0, -1), vec(0, 0, 1));
    r = make_ray(-1, 0.5f, 2, 1, 0, 0);
    assert_forms(&r, &sheet, 1, 2, vec(-1, 0, 0), vec(1, 0, 0));
    r = make_ray(0, 2, 3, 0.5f, 0, 0);
    assert_forms(&r, &point, 2, 2, vec(-1, 0, 0), vec(1, 0, 0));
    r = make_ray(0, 0, 0, 1, 2, 3);
    assert_true(tact_ray_aabb(&r, &point).hit && tact_ray_aabb(&r, &point).t == 1.0f);
    assert_true(tact_ray_overlaps_aabb(&r, &point));
    // An empty box is never hit.
    const tact_aabb empty = {{1, 0, 0}, {0, 1, 1}};
    r = make_ray(0.5f, 0.5f, -1, 0, 0, 1);
    assert_false(tact_ray_aabb(&r, &empty).hit || tact_ray_overlaps_aabb(&r, &empty) || slopes_overlap(&r, &empty));
    assert_false(slabs_of(&r, &empty, 1.0f).hit);
    tact_obb negative = as_obb(&cube, 0);
    negative.half.y = -0.5f;
    assert_false(tact_ray_obb(&r, &negative).hit || tact_ray_overlaps_obb(&r, &negative));
}

static void unbounded_sets_are_hit_without_end(void** state)
{
    (void)state;
    const tact_vec3 none = {0, 0, 0}, up = {0, 0, 1};
    tact_ray r = make_ray(0, 0, 5, 0, 0, -1);
    const float low = 1.0f, high = INFINITY, no_low = -INFINITY, two = 2.0f, three = 3.0f, nan = NAN;
    assert_solid(tact_ray_slabs(&r, &up, &low, &high, 1), 0, 4, none, vec(0, 0, -1));
    assert_solid(tact_ray_slabs(&r, &up, &no_low, &two, 1), 3, INFINITY, up, none);
    assert_solid(tact_ray_slabs(&r, &up, &no_low, &high, 1), 0, INFINITY, none, none);
    assert_solid(tact_ray_slabs(&r, NULL, NULL, NULL, 0), 0, INFINITY, none, none);
    assert_solid(tact_ray_convex(&r, NULL, 0), 0, INFINITY, none, none);
    assert_false(tact_ray_slabs(&r, &up, &three, &two, 1).hit);
    assert_false(tact_ray_slabs(&r, &up, &high, &high, 1).hit || tact_ray_slabs(&r, &up, &no_low, &no_low, 1).hit);
    assert_false(tact_ray_slabs(&r, &up, &nan, &two, 1).hit || tact_ray_slabs(&r, &up, &low, &nan, 1).hit);
    // Slabs hold projections, so that moving a shape by x adds n . x to both limits.
    tact_ray moved = make_ray(10, 20, 35, 0, 0, -1);
    const float low_moved = low + 30.0f, high_moved = two + 30.0f;
    assert_solid(tact_ray_slabs(&moved, &up, &low_moved, &high_moved, 1), 3, 4, up, vec(0, 0, -1));
    // A plane whose normal is zero is everything or nothing.
    const tact_plane all = {{0, 0, 0}, 0}, nothing = {{0, 0, 0}, -1};
    assert_true(tact_ray_convex(&r, &all, 1).hit);
    assert_false(tact_ray_convex(&r, &nothing, 1).hit);
}

// ---- exact oracles on whole numbers ----

/// A half space in t: slope t <= limit.
typedef struct bound {
    int64_t slope, limit;
} bound;

/// Whether some t satisfies all: eliminates t between every pair that bounds it from both sides.
static bool feasible(const bound* b, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (b[i].slope == 0 && b[i].limit < 0) return false;
        for (size_t j = 0; j < count; ++j) {
            if (b[i].slope > 0 && b[j].slope < 0 && b[i].limit * -b[j].slope + b[j].limit * b[i].slope < 0)
                return false;
        }
    }
    return true;
}

static int64_t whole(float x)
{
    return (int64_t)x;
}

static int64_t whole_dot(tact_vec3 a, float x, float y, float z)
{
    return whole(a.x) * whole(x) + whole(a.y) * whole(y) + whole(a.z) * whole(z);
}

static size_t interval_bounds(const tact_ray* r, bound* b)
{
    size_t n = 0;
    if (r->tmin > -INFINITY) b[n++] = (bound){-1, -whole(r->tmin)};
    if (r->tmax < INFINITY) b[n++] = (bound){1, whole(r->tmax)};
    return n;
}

static bool whole_convex(const tact_ray* r, const tact_plane* p, size_t count)
{
    bound b[20];
    size_t n = interval_bounds(r, b);
    for (size_t i = 0; i < count; ++i) {
        b[n++] = (bound){whole_dot(p[i].normal, r->dx, r->dy, r->dz),
                         whole(p[i].distance) - whole_dot(p[i].normal, r->ox, r->oy, r->oz)};
    }
    return feasible(b, n);
}

static tact_aabb random_grid_box(test_random* r, int n)
{
    const tact_vec3 a = random_grid(r, n), b = random_grid(r, n);
    const tact_aabb box = {{fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)},
                           {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}};
    return box;
}

/// Points of the hit lie in the box, its ends on the boundary unless they are those of the interval.
static bool ends_fit(const tact_ray* r, const tact_aabb* b, const tact_ray_solid_hit* h)
{
    const float* lower = &b->lower.x;
    const float* upper = &b->upper.x;
    const float t[2] = {h->t, h->exit}, interval[2] = {r->tmin, r->tmax};
    for (int end = 0; end < 2; ++end) {
        if (!isfinite(t[end])) continue;
        bool on = false;
        for (int i = 0; i < 3; ++i) {
            const double x = ray_at(r, (double)t[end], i), size = fabs(ray_at(r, 0.0, i)) + fabs(x) + 1.0;
            const double below = x - (double)lower[i], above = (double)upper[i] - x, slack = 4e-7 * size;
            if (below < -slack || above < -slack) return false;
            on = on || fabs(below) < slack || fabs(above) < slack;
        }
        if (!on && t[end] != interval[end]) return false;
    }
    return true;
}

static void boxes_agree_with_exact_elimination(void** state)
{
    (void)state;
    test_random r = test_random_seeded(1);
    size_t hits = 0;
    const int sizes[4] = {2, 5, 40, 1000};
    enum { CASES = 1200000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = sizes[i % 4];
        const tact_ray ray = random_grid_ray(&r, n, n < 40 ? n : 16);
        const tact_aabb box = random_grid_box(&r, n);
        const planes p = as_planes(&box, 1.0f);
        const bool expected = whole_convex(&ray, p.plane, p.count);
        hits += expected;
        const tact_ray_solid_hit slabs = tact_ray_aabb(&ray, &box);
        // Single precision cannot tell all fractions of large numbers apart, but it never loses a hit.
        if (slabs.hit != expected && (n < 1000 || expected)) fail_msg("case %d: aabb, expected %d", i, expected);
        if (tact_ray_overlaps_aabb(&ray, &box) != expected) fail_msg("case %d: axes, expected %d", i, expected);
        if (slopes_overlap(&ray, &box) != expected) fail_msg("case %d: slopes, expected %d", i, expected);
        const tact_obb obb = as_obb(&box, (uint32_t)i);
        const tact_ray_solid_hit oriented = tact_ray_obb(&ray, &obb);
        if (oriented.hit != expected) fail_msg("case %d: obb, expected %d", i, expected);
        if (tact_ray_overlaps_obb(&ray, &obb) != expected) fail_msg("case %d: obb axes, expected %d", i, expected);
        if (tact_ray_overlaps_obb_slopes(&ray, &obb) != expected)
            fail_msg("case %d: obb slopes, expected %d", i, expected);
        const tact_ray_solid_hit k = slabs_of(&ray, &box, 3.0f);
        if (k.hit != expected) fail_msg("case %d: slabs, expected %d", i, expected);
        const tact_ray_solid_hit convex = tact_ray_convex(&ray, p.plane, p.count);
        if (convex.hit != expected) fail_msg("case %d: planes, expected %d", i, expected);
        if (!plausible_solid_hit(&ray, &slabs) || !plausible_solid_hit(&ray, &convex)) fail_msg("case %d", i);
        if (!expected) continue;
        if (!ends_fit(&ray, &box, &slabs) || !ends_fit(&ray, &box, &convex)) fail_msg("case %d: its ends", i);
        // All in double: the same to the bit, but for the normals where faces tie.
        if (k.t != convex.t || k.exit != convex.exit) fail_msg("case %d: slabs and planes differ", i);
        if (oriented.t != k.t || oriented.exit != k.exit) fail_msg("case %d: box and slabs differ", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

static void polyhedra_agree_with_exact_elimination(void** state)
{
    (void)state;
    test_random r = test_random_seeded(2);
    size_t hits = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        const tact_ray ray = random_grid_ray(&r, 6, 4);
        planes p = {.count = 1 + test_random_below(&r, 8)};
        tact_vec3 normals[16];
        float lower[16], upper[16];
        for (size_t k = 0; k < p.count; ++k) {
            normals[k] = p.plane[k].normal = random_grid(&r, 3);
            upper[k] = p.plane[k].distance = (float)random_whole(&r, 12) + 6.0f;
            lower[k] = upper[k] - (float)test_random_below(&r, 30);
        }
        const bool expected = whole_convex(&ray, p.plane, p.count);
        const tact_ray_solid_hit h = tact_ray_convex(&ray, p.plane, p.count);
        if (h.hit != expected || !plausible_solid_hit(&ray, &h)) fail_msg("case %d: planes, expected %d", i, expected);
        hits += expected;
        const size_t slabs = p.count;
        for (size_t k = 0; k < slabs; ++k) {
            p.plane[p.count].normal = vec(-normals[k].x, -normals[k].y, -normals[k].z);
            p.plane[p.count++].distance = -lower[k];
        }
        const bool within = whole_convex(&ray, p.plane, p.count);
        const tact_ray_solid_hit s = tact_ray_slabs(&ray, normals, lower, upper, slabs);
        if (s.hit != within || !plausible_solid_hit(&ray, &s)) fail_msg("case %d: slabs, expected %d", i, within);
    }
    assert_in_range(hits, CASES / 5, CASES * 4 / 5);
}

/// Two large terms of n . d cancel and leave one far below the rounding of their sum in double; or nothing.
static void nearly_parallel_rays_meet_faces_where_they_should(void** state)
{
    (void)state;
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 400000; ++i) {
        const float a = (float)(4096 + test_random_below(&r, 1u << 23)),
                    c = (float)(4096 + test_random_below(&r, 1u << 23));
        const float tiny = ldexpf(1, -30 - (int)test_random_below(&r, 30));
        const float t = (float)(1 + test_random_below(&r, 1000));
        const tact_plane face = {{a, -tiny, a}, -t * tiny};
        tact_ray ray = make_ray(0, 0, 0, c, 1, -c);
        tact_ray_solid_hit h = tact_ray_convex(&ray, &face, 1);
        assert_true(h.hit && h.t == t && h.exit == INFINITY);
        const float low = -INFINITY;
        assert_true(same_hit(tact_ray_slabs(&ray, &face.normal, &low, &face.distance, 1), h));
        ray.dy = 0;
        assert_false(tact_ray_convex(&ray, &face, 1).hit);
        ray.oy = t;
        h = tact_ray_convex(&ray, &face, 1);
        assert_solid(h, 0, INFINITY, vec(0, 0, 0), vec(0, 0, 0));
    }
}

#ifdef __SIZEOF_FLOAT128__

__extension__ typedef __float128 wide;

/// A half space in t with the sum of the magnitudes that went into its numbers.
typedef struct wide_bound {
    wide slope, limit, slope_size, limit_size;
} wide_bound;

static wide wide_abs(wide x)
{
    return x < 0 ? -x : x;
}

/// 1 feasible, -1 not, 0 within `band` of touching.
static int wide_feasible(const wide_bound* b, size_t count, double band)
{
    int answer = 1;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < count; ++j) {
            if (!(b[i].slope > 0 && b[j].slope < 0)) continue;
            const wide room = b[i].limit * -b[j].slope + b[j].limit * b[i].slope;
            const wide size = b[i].limit_size * b[j].slope_size + b[j].limit_size * b[i].slope_size;
            if (wide_abs(room) <= (wide)band * size)
                answer = answer < 0 ? -1 : 0;
            else if (room < 0)
                answer = -1;
        }
        if (wide_abs(b[i].slope) > (wide)band * b[i].slope_size) continue;
        if (wide_abs(b[i].limit) <= (wide)band * b[i].limit_size)
            answer = answer < 0 ? -1 : 0;
        else if (b[i].limit < 0)
            answer = -1;
    }
    return answer;
}

static wide_bound wide_plane(const tact_ray* r, tact_vec3 n, wide distance, tact_vec3 center)
{
    const wide x = (wide)r->ox - (wide)center.x, y = (wide)r->oy - (wide)center.y, z = (wide)r->oz - (wide)center.z;
    const wide nx = (wide)n.x, ny = (wide)n.y, nz = (wide)n.z;
    const wide dx = (wide)r->dx, dy = (wide)r->dy, dz = (wide)r->dz;
    wide_bound b = {nx * dx + ny * dy + nz * dz, distance - (nx * x + ny * y + nz * z), 0, 0};
    b.slope_size = wide_abs(nx * dx) + wide_abs(ny * dy) + wide_abs(nz * dz);
    b.limit_size = wide_abs(distance) + wide_abs(nx * x) + wide_abs(ny * y) + wide_abs(nz * z);
    return b;
}

static size_t wide_interval(const tact_ray* r, wide_bound* b)
{
    size_t n = 0;
    if (r->tmin > -INFINITY) b[n++] = (wide_bound){-1, -(wide)r->tmin, 1, wide_abs((wide)r->tmin)};
    if (r->tmax < INFINITY) b[n++] = (wide_bound){1, (wide)r->tmax, 1, wide_abs((wide)r->tmax)};
    return n;
}

static tact_obb random_obb(test_random* r, float size)
{
    tact_obb b = {.center = random_vec(r, 2.0f * size)};
    random_frame(r, b.axis);
    b.half = vec(size * test_random_unit(r), size * test_random_unit(r), size * test_random_unit(r));
    if (test_random_below(r, 8) == 0) b.half.y = 0.0f;
    return b;
}

/// Aimed at a point of an edge, or past it by a little, or anywhere.
static tact_ray ray_past_edge(test_random* r, const tact_obb* b, float size)
{
    const tact_vec3 o = random_vec(r, 6.0f * size);
    tact_vec3 p = b->center;
    const float* half = &b->half.x;
    const uint32_t edge = test_random_below(r, 3), corner = test_random_below(r, 4);
    const float off = size * ldexpf(test_random_signed(r), -(int)test_random_below(r, 30));
    for (uint32_t i = 0; i < 3; ++i) {
        float s = half[i] * (i == edge ? test_random_signed(r) : corner >> (i & 1) & 1 ? 1.0f : -1.0f);
        if (i != edge) s += off;
        p.x += s * b->axis[i].x;
        p.y += s * b->axis[i].y;
        p.z += s * b->axis[i].z;
    }
    tact_ray ray = make_segment(o, p);
    ray.tmax = test_random_bits(r) & 1 ? INFINITY : 0.5f + test_random_unit(r);
    if (test_random_below(r, 4) == 0) ray.tmin = -INFINITY;
    if (test_random_below(r, 8) == 0) {  // parallel to an edge
        const tact_vec3 d = b->axis[edge];
        ray.dx = d.x;
        ray.dy = d.y;
        ray.dz = d.z;
    }
    return ray;
}

static void oriented_boxes_agree_with_wide_elimination(void** state)
{
    (void)state;
    test_random r = test_random_seeded(4);
    size_t decided = 0, hits = 0;
    enum { CASES = 300000 };
    for (int i = 0; i < CASES; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const tact_obb box = random_obb(&r, size);
        const tact_ray ray = ray_past_edge(&r, &box, size);
        wide_bound b[8];
        size_t n = wide_interval(&ray, b);
        const float* half = &box.half.x;
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 axis = box.axis[k], back = {-axis.x, -axis.y, -axis.z};
            b[n++] = wide_plane(&ray, axis, (wide)half[k], box.center);
            b[n++] = wide_plane(&ray, back, (wide)half[k], box.center);
        }
        const int expected = wide_feasible(b, n, 1e-14);
        const tact_ray_solid_hit h = tact_ray_obb(&ray, &box);
        if (!plausible_solid_hit(&ray, &h)) fail_msg("case %d", i);
        if (expected == 0) continue;
        ++decided;
        hits += h.hit;
        if (h.hit != (expected > 0)) fail_msg("case %d: slabs, expected %d", i, expected);
        if (tact_ray_overlaps_obb(&ray, &box) != h.hit) fail_msg("case %d: axes, expected %d", i, expected);
        if (tact_ray_overlaps_obb_slopes(&ray, &box) != h.hit) fail_msg("case %d: slopes, expected %d", i, expected);
    }
    assert_true(decided > CASES * 9 / 10 && hits > CASES / 5);
}

static void axis_aligned_boxes_agree_with_wide_elimination(void** state)
{
    (void)state;
    test_random r = test_random_seeded(5);
    size_t decided = 0;
    enum { CASES = 300000 };
    for (int i = 0; i < CASES; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        tact_obb obb = random_obb(&r, size);
        obb.axis[0] = vec(1, 0, 0);
        obb.axis[1] = vec(0, 1, 0);
        obb.axis[2] = vec(0, 0, 1);
        const tact_ray ray = ray_past_edge(&r, &obb, size);
        const tact_vec3 c = obb.center, e = obb.half;
        const tact_aabb box = {{c.x - e.x, c.y - e.y, c.z - e.z}, {c.x + e.x, c.y + e.y, c.z + e.z}};
        const planes p = as_planes(&box, 1.0f);
        wide_bound b[8];
        size_t n = wide_interval(&ray, b);
        for (size_t k = 0; k < p.count; ++k)
            b[n++] = wide_plane(&ray, p.plane[k].normal, (wide)p.plane[k].distance, vec(0, 0, 0));
        const int expected = wide_feasible(b, n, 1e-14);
        const int coarse = expected == 0 ? 0 : wide_feasible(b, n, 1e-6);
        if (coarse != 0 && tact_ray_aabb(&ray, &box).hit != (coarse > 0)) fail_msg("case %d: slabs", i);
        if (expected == 0) continue;
        ++decided;
        if (tact_ray_overlaps_aabb(&ray, &box) != (expected > 0)) fail_msg("case %d: axes, expected %d", i, expected);
        if (slopes_overlap(&ray, &box) != (expected > 0)) fail_msg("case %d: slopes, expected %d", i, expected);
    }
    assert_true(decided > CASES * 9 / 10);
}

static void polyhedra_agree_with_wide_elimination(void** state)
{
    (void)state;
    test_random r = test_random_seeded(6);
    size_t decided = 0, hits = 0;
    enum { CASES = 60000 };
    for (int i = 0; i < CASES; ++i) {
        planes p = {.count = 4 + test_random_below(&r, 8)};
        const tact_vec3 o = random_vec(&r, 4.0f), d = along(random_vec(&r, 1.0f), -1.0, o);
        const tact_ray ray = make_ray(o.x, o.y, o.z, d.x, d.y, d.z);
        wide_bound b[20];
        size_t n = wide_interval(&ray, b);
        for (size_t k = 0; k < p.count; ++k) {
            p.plane[k].normal = random_vec(&r, 2.0f);
            p.plane[k].distance = 0.25f + test_random_unit(&r);
            b[n++] = wide_plane(&ray, p.plane[k].normal, (wide)p.plane[k].distance, vec(0, 0, 0));
        }
        const int expected = wide_feasible(b, n, 1e-15);
        const tact_ray_solid_hit h = tact_ray_convex(&ray, p.plane, p.count);
        if (!plausible_solid_hit(&ray, &h)) fail_msg("case %d", i);
        if (expected == 0) continue;
        ++decided;
        hits += h.hit;
        if (h.hit != (expected > 0)) fail_msg("case %d: expected %d", i, expected);
        // The entry is on the plane whose normal it tells, against the ray.
        if (!h.hit || h.t == ray.tmin) continue;
        bool found = false;
        for (size_t k = 0; k < p.count; ++k) {
            const double length = sqrt(dot3(p.plane[k].normal, p.plane[k].normal));
            const tact_vec3 at = {(float)ray_at(&ray, (double)h.t, 0), (float)ray_at(&ray, (double)h.t, 1),
                                  (float)ray_at(&ray, (double)h.t, 2)};
            const double away = fabs(dot3(at, p.plane[k].normal) / length - (double)p.plane[k].distance / length);
            const double cosine = dot3(h.normal, p.plane[k].normal) / length;
            found = found || (away < 1e-5 * (1.0 + sqrt(dot3(at, at))) && cosine > 1.0 - 1e-6);
        }
        if (!found || dot3(h.normal, d) > 0.0) fail_msg("case %d: its normal", i);
    }
    assert_true(decided > CASES * 9 / 10 && hits > CASES / 10);
}

#endif

// ---- invariance, bad numbers ----

static bool probe_aabb(const tact_ray* ray, const float* s)
{
    tact_aabb b;
    memcpy(&b, s, sizeof b);
    const tact_ray_solid_hit h = tact_ray_aabb(ray, &b);
    assert_true(plausible_solid_hit(ray, &h));
    return h.hit;
}

/// Unbounded boxes are boxes there; the rest of what is not finite is not.
static bool probe_bounded_aabb(const tact_ray* ray, const float* s)
{
    bool bounded = true;
    for (int i = 0; i < 6; ++i)
        bounded = bounded && !isinf(s[i]);
    return probe_aabb(ray, s) && bounded;
}

PROBE(probe_axes, tact_aabb, tact_ray_overlaps_aabb(ray, &shape))
PROBE(probe_slopes, tact_aabb, slopes_overlap(ray, &shape))
PROBE(probe_obb, tact_obb, tact_ray_obb(ray, &shape).hit)
PROBE(probe_obb_axes, tact_obb, tact_ray_overlaps_obb(ray, &shape))
PROBE(probe_obb_slopes, tact_obb, tact_ray_overlaps_obb_slopes(ray, &shape))

static bool probe_convex(const tact_ray* ray, const float* s)
{
    tact_plane p[6];
    memcpy(p, s, sizeof p);
    return tact_ray_convex(ray, p, 6).hit;
}

static bool probe_slabs(const tact_ray* ray, const float* s)
{
    tact_vec3 n[3];
    memcpy(n, s, sizeof n);
    const float lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    return tact_ray_slabs(ray, n, lower, upper, 3).hit;
}

static void bad_numbers_are_not_hit(void** state)
{
    (void)state;
    const tact_ray r = make_ray(0.5f, 0.25f, -2, 0, 0.01f, 1);
    float box[6], obb[15], faces[24], normals[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const tact_obb o = as_obb(&cube, 0);
    const planes p = as_planes(&cube, 1.0f);
    memcpy(box, &cube, sizeof box);
    memcpy(obb, &o, sizeof obb);
    memcpy(faces, p.plane, sizeof faces);
    refuses_bad_numbers(probe_bounded_aabb, r, box, 6);
    refuses_bad_numbers(probe_axes, r, box, 6);
    refuses_bad_numbers(probe_slopes, r, box, 6);
    refuses_bad_numbers(probe_obb, r, obb, 15);
    refuses_bad_numbers(probe_obb_axes, r, obb, 15);
    refuses_bad_numbers(probe_obb_slopes, r, obb, 15);
    refuses_bad_numbers(probe_convex, r, faces, 24);
    refuses_bad_numbers(probe_slabs, r, normals, 9);
    survives_any_bits(probe_aabb, 6, 300000, 1);
    survives_any_bits(probe_axes, 6, 300000, 2);
    survives_any_bits(probe_slopes, 6, 300000, 3);
    survives_any_bits(probe_obb, 15, 100000, 4);
    survives_any_bits(probe_obb_axes, 15, 100000, 5);
    survives_any_bits(probe_convex, 24, 100000, 6);
    survives_any_bits(probe_slabs, 9, 100000, 7);
}

static void powers_of_two_change_no_bit(void** state)
{
    (void)state;
    test_random r = test_random_seeded(8);
    for (int i = 0; i < 100000; ++i) {
        const tact_vec3 a = random_vec(&r, 1), b = random_vec(&r, 1), o = random_vec(&r, 2), to = random_vec(&r, 1);
        const tact_aabb box = {{fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)},
                               {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}};
        tact_ray ray = make_segment(o, to);
        ray.tmax = 2.0f;
        const tact_obb obb = as_obb(&box, 1);
        for (int power = -60; power <= 100; power += 20) {
            const tact_ray s = scaled_ray(ray, power);
            const tact_aabb sb = {scaled_vec(box.lower, power), scaled_vec(box.upper, power)};
            tact_obb so = obb;
            so.center = scaled_vec(obb.center, power);
            so.half = scaled_vec(obb.half, power);
            assert_true(same_hit(tact_ray_aabb(&s, &sb), tact_ray_aabb(&ray, &box)));
            assert_true(same_hit(tact_ray_obb(&s, &so), tact_ray_obb(&ray, &obb)));
            assert_true(same_hit(slabs_of(&s, &sb, 2.0f), slabs_of(&ray, &box, 2.0f)));
            assert_int_equal(tact_ray_overlaps_aabb(&s, &sb), tact_ray_overlaps_aabb(&ray, &box));
            assert_int_equal(slopes_overlap(&s, &sb), slopes_overlap(&ray, &box));
            // The length of the direction: t is in its units.
            tact_ray longer = scaled_ray(ray, power);
            longer.ox = ray.ox;
            longer.oy = ray.oy;
            longer.oz = ray.oz;
            longer.tmax = ldexpf(ray.tmax, -power);
            const tact_ray_solid_hit h = tact_ray_obb(&longer, &obb), same = tact_ray_obb(&ray, &obb);
            assert_true(h.hit == same.hit && h.t == ldexpf(same.t, -power) && h.exit == ldexpf(same.exit, -power));
            assert_true(tact_ray_aabb(&longer, &box).t == ldexpf(tact_ray_aabb(&ray, &box).t, -power));
        }
    }
}

static tact_vec3 turned(tact_vec3 v)
{
    return vec(v.y, v.z, v.x);
}

/// Far from the origin, on a lattice that floats resolve there, and with the axes turned.
static void grid_motions_change_nothing(void** state)
{
    (void)state;
    test_random r = test_random_seeded(9);
    for (int i = 0; i < 200000; ++i) {
        const tact_ray ray = random_grid_ray(&r, 6, 6);
        const tact_aabb box = random_grid_box(&r, 6);
        const tact_vec3 by = random_grid(&r, 1 << 22);
        tact_ray far = ray, turn = ray;
        far.ox += by.x;
        far.oy += by.y;
        far.oz += by.z;
        const tact_aabb far_box = {{box.lower.x + by.x, box.lower.y + by.y, box.lower.z + by.z},
                                   {box.upper.x + by.x, box.upper.y + by.y, box.upper.z + by.z}};
        const tact_aabb turned_box = {turned(box.lower), turned(box.upper)};
        turn.ox = ray.oy;
        turn.oy = ray.oz;
        turn.oz = ray.ox;
        turn.dx = ray.dy;
        turn.dy = ray.dz;
        turn.dz = ray.dx;
        const tact_ray_solid_hit h = tact_ray_aabb(&ray, &box), t = tact_ray_aabb(&turn, &turned_box);
        assert_true(same_hit(h, tact_ray_aabb(&far, &far_box)));
        assert_true(h.hit == t.hit && h.t == t.t && h.exit == t.exit);
        assert_int_equal(tact_ray_overlaps_aabb(&far, &far_box), h.hit);
        assert_int_equal(slopes_overlap(&far, &far_box), h.hit);
        const planes p = as_planes(&far_box, 1.0f);
        const tact_obb obb = as_obb(&far_box, (uint32_t)i);
        assert_int_equal(tact_ray_convex(&far, p.plane, p.count).hit, h.hit);
        assert_int_equal(tact_ray_obb(&far, &obb).hit, h.hit);
        assert_int_equal(tact_ray_overlaps_obb(&far, &obb), h.hit);
    }
}

static void ends_beyond_the_range_of_float_are_no_hits(void** state)
{
    (void)state;
    const tact_aabb box = {{1e10f, -1, -1}, {2e10f, 1, 1}};
    tact_ray r = make_ray(0, 0, 0, 1e-30f, 0, 0);
    const planes p = as_planes(&box, 1.0f);
    assert_false(tact_ray_aabb(&r, &box).hit);
    assert_false(tact_ray_convex(&r, p.plane, p.count).hit);
    r.dx = -1e-30f;
    r.tmin = -INFINITY;
    assert_false(tact_ray_aabb(&r, &box).hit);
    assert_false(tact_ray_convex(&r, p.plane, p.count).hit);
    // One that begins within it and ends beyond has an infinite exit.
    const tact_aabb large = {{1e-5f, -1, -1}, {2e10f, 1, 1}};
    const planes q = as_planes(&large, 1.0f);
    r.dx = 1e-30f;
    assert_true(tact_ray_convex(&r, q.plane, q.count).exit == INFINITY);
    assert_true(tact_ray_aabb(&r, &large).hit && tact_ray_aabb(&r, &large).exit == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_rays_enter_and_leave_where_they_should),
        cmocka_unit_test(far_ends_are_the_smallest_of_the_three),
        cmocka_unit_test(lines_that_touch_an_edge_hit),
        cmocka_unit_test(segments_end_at_their_ends),
        cmocka_unit_test(rays_in_faces_and_along_edges_hit),
        cmocka_unit_test(flat_boxes_are_the_sets_they_are),
        cmocka_unit_test(unbounded_sets_are_hit_without_end),
        cmocka_unit_test(boxes_agree_with_exact_elimination),
        cmocka_unit_test(polyhedra_agree_with_exact_elimination),
        cmocka_unit_test(nearly_parallel_rays_meet_faces_where_they_should),
#ifdef __SIZEOF_FLOAT128__
        cmocka_unit_test(oriented_boxes_agree_with_wide_elimination),
        cmocka_unit_test(axis_aligned_boxes_agree_with_wide_elimination),
        cmocka_unit_test(polyhedra_agree_with_wide_elimination),
#endif
        cmocka_unit_test(bad_numbers_are_not_hit),
        cmocka_unit_test(powers_of_two_change_no_bit),
        cmocka_unit_test(grid_motions_change_nothing),
        cmocka_unit_test(ends_beyond_the_range_of_float_are_no_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
