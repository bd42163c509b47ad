// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The batch tests: every set of instructions against plain scalar code, to the bit, and against 113-bit arithmetic.

#include "tests/support/run.h"

#include "cpu_ref/geometry/batch_internal.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/bounding_sphere.h"
#include "tact/geometry/overlap.h"
#include "tact/geometry/ray.h"
#include "tests/support/random.h"

enum { MOST = 4096, WORDS = MOST / 32 };

static bool bit(const uint32_t* bits, size_t i)
{
    return (bits[i / 32] >> (i % 32)) & 1u;
}

// The definitions, one pair at a time.

/// Infinity for a miss.
static float ray_enters_aabb(const tact_ray* r, tact_aabb b)
{
    const tact_ray_solid_hit h = tact_ray_aabb(r, &b);
    return h.hit ? h.t : INFINITY;
}

typedef struct crowd {
    float sphere[2][4][MOST];
    float box[2][6][MOST];
    float ray[8][MOST];
    float triangle[9][MOST];
} crowd;

static float number(test_random* r, int kind)
{
    const uint32_t odd = test_random_below(r, 64);
    switch (kind) {
        case 0:
            return test_random_signed(r);
        case 1:  // a lattice: touching and coplanar everywhere
            return (float)test_random_below(r, 9) - 4.0f;
        case 2:  // what a hostile caller sends
            if (odd == 0) return NAN;
            if (odd == 1) return odd & 2 ? INFINITY : -INFINITY;
            if (odd < 8) return test_random_any(r);
            return odd < 12 ? -0.0f : test_random_signed(r);
        case 3:
            return 1e-6f * test_random_signed(r);
        default:
            return 1e6f + test_random_signed(r);
    }
}

static void populate(crowd* c, test_random* r, int kind)
{
    const float scale = kind == 3 ? 1e-6f : 1.0f;
    for (size_t i = 0; i < MOST; ++i) {
        for (int s = 0; s < 2; ++s) {
            for (int k = 0; k < 3; ++k)
                c->sphere[s][k][i] = number(r, kind);
            c->sphere[s][3][i] = kind == 2   ? number(r, 2)
                                 : kind == 1 ? (float)test_random_below(r, 4)
                                             : scale * test_random_unit(r);
            for (int k = 0; k < 3; ++k) {
                const float p = number(r, kind), q = number(r, kind);
                const bool swap = p > q && test_random_below(r, 16);
                c->box[s][k][i] = swap ? q : p;
                c->box[s][3 + k][i] = swap ? p : q;
            }
        }
        for (int k = 0; k < 3; ++k) {
            c->ray[k][i] = number(r, kind);
            c->ray[3 + k][i] = test_random_below(r, 8) ? number(r, kind > 3 ? 0 : kind) : 0.0f;
        }
        c->ray[6][i] = kind == 2 ? number(r, 2) : test_random_below(r, 4) ? 0.0f : -INFINITY;
        c->ray[7][i] = kind == 2 ? number(r, 2) : test_random_below(r, 4) ? INFINITY : 1.0f;
        for (int k = 0; k < 9; ++k)
            c->triangle[k][i] = number(r, kind);
    }
}

static tact_batch_spheres spheres_of(crowd* c, int s, size_t at)
{
    const tact_batch_spheres many = {c->sphere[s][0] + at, c->sphere[s][1] + at, c->sphere[s][2] + at,
                                     c->sphere[s][3] + at};
    return many;
}

static tact_batch_aabbs aabbs_of(crowd* c, int s, size_t at)
{
    tact_batch_aabbs many;
    for (int k = 0; k < 3; ++k) {
        many.lower[k] = c->box[s][k] + at;
        many.upper[k] = c->box[s][3 + k] + at;
    }
    return many;
}

static tact_batch_rays rays_of(crowd* c, size_t at)
{
    tact_batch_rays many = {.tmin = c->ray[6] + at, .tmax = c->ray[7] + at};
    for (int k = 0; k < 3; ++k) {
        many.origin[k] = c->ray[k] + at;
        many.direction[k] = c->ray[3 + k] + at;
    }
    return many;
}

static tact_batch_triangles triangles_of(crowd* c, size_t at)
{
    tact_batch_triangles many;
    for (int k = 0; k < 3; ++k) {
        many.a[k] = c->triangle[k] + at;
        many.b[k] = c->triangle[3 + k] + at;
        many.c[k] = c->triangle[6 + k] + at;
    }
    return many;
}

static tact_sphere sphere_at(const crowd* c, int s, size_t i)
{
    const tact_sphere one = {{c->sphere[s][0][i], c->sphere[s][1][i], c->sphere[s][2][i]}, c->sphere[s][3][i]};
    return one;
}

static tact_aabb aabb_at(const crowd* c, int s, size_t i)
{
    const tact_aabb one = {{c->box[s][0][i], c->box[s][1][i], c->box[s][2][i]},
                           {c->box[s][3][i], c->box[s][4][i], c->box[s][5][i]}};
    return one;
}

static tact_ray ray_at(const crowd* c, size_t i)
{
    const tact_ray one = {c->ray[0][i], c->ray[1][i], c->ray[2][i], c->ray[6][i],
                          c->ray[3][i], c->ray[4][i], c->ray[5][i], c->ray[7][i]};
    return one;
}

static tact_triangle triangle_at(const crowd* c, size_t i)
{
    tact_triangle one;
    float p[9];
    for (int k = 0; k < 9; ++k)
        p[k] = c->triangle[k][i];
    memcpy(&one, p, sizeof one);
    return one;
}

typedef struct span {
    crowd* c;
    const tact_batch_tests* tests;
    size_t from, count;
    size_t yes;
} span;

/// A word after the last that the test may write, and the bits after the last answer.
static void check_bits(span* s, const uint32_t* bits, size_t returned, const bool* expected, const char* what)
{
    size_t total = 0;
    for (size_t i = 0; i < s->count; ++i) {
        total += expected[i];
        if (bit(bits, i) != expected[i])
            fail_msg("%s, %s, number %zu of %zu from %zu: not %d", s->tests->name, what, i, s->count, s->from,
                     expected[i]);
    }
    const size_t words = (s->count + 31) / 32;
    for (size_t i = s->count; i < 32 * words; ++i)
        assert_false(bit(bits, i));
    assert_int_equal(bits[words], 0xabcdef01u);
    assert_int_equal(returned, total);
    s->yes += total;
}

static uint32_t* fresh(uint32_t* bits, size_t count)
{
    for (size_t i = 0; i <= (count + 31) / 32; ++i)
        bits[i] = 0xabcdef01u;
    return bits;
}

static bool expected[MOST];
static uint32_t answers[WORDS + 2];
static float parameters[3][MOST + 1];

static void check_spheres(span* s, size_t one)
{
    const size_t at = s->from, n = s->count;
    const tact_batch_spheres a = spheres_of(s->c, 0, at), b = spheres_of(s->c, 1, at),
                             single = spheres_of(s->c, 0, one);
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_sphere_overlaps_sphere(sphere_at(s->c, 0, at + i), sphere_at(s->c, 1, at + i));
    check_bits(s, answers, s->tests->sphere_sphere(&a, &b, TACT_BATCH_PAIRS, n, fresh(answers, n)), expected,
               "sphere pairs");
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_sphere_overlaps_sphere(sphere_at(s->c, 0, one), sphere_at(s->c, 1, at + i));
    check_bits(s, answers, s->tests->sphere_sphere(&single, &b, TACT_BATCH_FIRST, n, fresh(answers, n)), expected,
               "sphere and spheres");
}

static void check_sphere_aabb(span* s, size_t one)
{
    const size_t at = s->from, n = s->count;
    const tact_batch_spheres a = spheres_of(s->c, 0, at), single = spheres_of(s->c, 0, one);
    const tact_batch_aabbs b = aabbs_of(s->c, 0, at), box = aabbs_of(s->c, 0, one);
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_sphere_overlaps_aabb(sphere_at(s->c, 0, at + i), aabb_at(s->c, 0, at + i));
    check_bits(s, answers, s->tests->sphere_aabb(&a, &b, TACT_BATCH_PAIRS, n, fresh(answers, n)), expected,
               "sphere-box pairs");
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_sphere_overlaps_aabb(sphere_at(s->c, 0, one), aabb_at(s->c, 0, at + i));
    check_bits(s, answers, s->tests->sphere_aabb(&single, &b, TACT_BATCH_FIRST, n, fresh(answers, n)), expected,
               "sphere and boxes");
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_sphere_overlaps_aabb(sphere_at(s->c, 0, at + i), aabb_at(s->c, 0, one));
    check_bits(s, answers, s->tests->sphere_aabb(&a, &box, TACT_BATCH_SECOND, n, fresh(answers, n)), expected,
               "box and spheres");
}

static void check_aabbs(span* s, size_t one)
{
    const size_t at = s->from, n = s->count;
    const tact_batch_aabbs a = aabbs_of(s->c, 0, at), b = aabbs_of(s->c, 1, at), single = aabbs_of(s->c, 0, one);
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_aabb_overlaps_aabb(aabb_at(s->c, 0, at + i), aabb_at(s->c, 1, at + i));
    check_bits(s, answers, s->tests->aabb_aabb(&a, &b, TACT_BATCH_PAIRS, n, fresh(answers, n)), expected, "box pairs");
    for (size_t i = 0; i < n; ++i)
        expected[i] = tact_aabb_overlaps_aabb(aabb_at(s->c, 0, one), aabb_at(s->c, 1, at + i));
    check_bits(s, answers, s->tests->aabb_aabb(&single, &b, TACT_BATCH_FIRST, n, fresh(answers, n)), expected,
               "box and boxes");
}

static void check_ray_aabb(span* s, size_t one)
{
    const size_t at = s->from, n = s->count;
    const tact_batch_rays rays = rays_of(s->c, at), single = rays_of(s->c, one);
    const tact_batch_aabbs boxes = aabbs_of(s->c, 0, at), box = aabbs_of(s->c, 0, one);
    for (int side = 0; side < 2; ++side) {
        float* const enter = parameters[0];
        enter[n] = 77.0f;
        const size_t total = side ? s->tests->ray_aabb(&rays, &box, TACT_BATCH_SECOND, n, fresh(answers, n), enter)
                                  : s->tests->ray_aabb(&single, &boxes, TACT_BATCH_FIRST, n, fresh(answers, n), enter);
        for (size_t i = 0; i < n; ++i) {
            const tact_ray r = ray_at(s->c, side ? at + i : one);
            const float t = ray_enters_aabb(&r, aabb_at(s->c, 0, side ? one : at + i));
            expected[i] = t < INFINITY;
            if (memcmp(&enter[i], &t, sizeof t) != 0)
                fail_msg("%s: enters at %a, not %a", s->tests->name, (double)enter[i], (double)t);
        }
        assert_true(enter[n] == 77.0f);
        check_bits(s, answers, total, expected, side ? "box and rays" : "ray and boxes");
    }
}

static void check_ray_triangle(span* s, size_t one)
{
    const size_t at = s->from, n = s->count;
    const tact_batch_triangles many = triangles_of(s->c, at);
    const tact_ray r = ray_at(s->c, one);
    const tact_batch_shot shot = {tact_ray_frame(r.ox, r.oy, r.oz, r.dx, r.dy, r.dz),
                                  r.tmin,
                                  r.tmax,
                                  parameters[0],
                                  parameters[1],
                                  parameters[2]};
    if (!shot.frame.valid || !(r.tmin <= r.tmax)) return;
    for (int k = 0; k < 3; ++k)
        parameters[k][n] = 77.0f;
    const size_t total = s->tests->ray_triangle(&shot, &many, n, fresh(answers, n));
    for (size_t i = 0; i < n; ++i) {
        const tact_triangle one_triangle = triangle_at(s->c, at + i);
        const tact_ray_surface_hit h = tact_ray_triangle_watertight(&r, &one_triangle);
        expected[i] = h.hit;
        const float have[3] = {parameters[0][i], parameters[1][i], parameters[2][i]}, want[3] = {h.t, h.u, h.v};
        if (memcmp(have, want, sizeof have))
            fail_msg("%s: t u v %a %a %a, not %a %a %a", s->tests->name, (double)have[0], (double)have[1],
                     (double)have[2], (double)want[0], (double)want[1], (double)want[2]);
    }
    for (int k = 0; k < 3; ++k)
        assert_true(parameters[k][n] == 77.0f);
    check_bits(s, answers, total, expected, "ray and triangles");
}

static void check_all(span* s, size_t one)
{
    check_spheres(s, one);
    check_sphere_aabb(s, one);
    check_aabbs(s, one);
    check_ray_aabb(s, one);
    check_ray_triangle(s, one);
}

static crowd people;

TEST(every_level_gives_the_scalar_bits)
{
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        span s = {&people, tact_batch_level(level), 0, 0, 0};
        if (!s.tests) {
            print_message("level %d is not to be had here\n", level);
            continue;
        }
        test_random r = test_random_seeded(17);
        size_t tests = 0;
        for (int round = 0; round < 60; ++round) {
            populate(&people, &r, round % 5);
            s.from = test_random_below(&r, 40);
            s.count = MOST - s.from - test_random_below(&r, 40);
            check_all(&s, test_random_below(&r, MOST));
            tests += 10 * s.count;
        }
        assert_true(s.yes > tests / 20 && s.yes < tests / 2);
    }
}

TEST(every_length_and_alignment_works)
{
    test_random r = test_random_seeded(23);
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        span s = {&people, tact_batch_level(level), 0, 0, 0};
        if (!s.tests) continue;
        populate(&people, &r, 1);
        for (s.count = 0; s.count < 100; ++s.count) {
            for (s.from = 0; s.from < 17; s.from += 5)
                check_all(&s, s.count);
        }
    }
}

TEST(public_functions_give_the_same)
{
    test_random r = test_random_seeded(29);
    for (int round = 0; round < 10; ++round) {
        const size_t n = 1000 + test_random_below(&r, 100), one = test_random_below(&r, MOST);
        populate(&people, &r, round % 5);
        crowd* const c = &people;
        span s = {c, &tact_batch_portable, 0, n, 0};
        const tact_batch_spheres a = spheres_of(c, 0, 0), b = spheres_of(c, 1, 0), sphere = spheres_of(c, 0, one);
        const tact_batch_aabbs boxes = aabbs_of(c, 0, 0), more = aabbs_of(c, 1, 0), box = aabbs_of(c, 0, one);
        const tact_batch_rays rays = rays_of(c, 0), single = rays_of(c, one);
        const tact_batch_triangles triangles = triangles_of(c, 0);
        const tact_ray ray = ray_at(c, one);
        static uint32_t want[WORDS + 2];
#define SAME(public_call, reference)                            \
    do {                                                        \
        const size_t expected_total = (reference);              \
        for (size_t i = 0; i < n; ++i)                          \
            expected[i] = bit(want, i);                         \
        fresh(answers, n);                                      \
        const size_t total = (public_call);                     \
        assert_int_equal(total, expected_total);                \
        check_bits(&s, answers, total, expected, #public_call); \
    } while (0)
        SAME(tact_batch_sphere_spheres(sphere_at(c, 0, one), &b, n, answers),
             tact_batch_portable.sphere_sphere(&sphere, &b, TACT_BATCH_FIRST, n, want));
        SAME(tact_batch_sphere_pairs(&a, &b, n, answers),
             tact_batch_portable.sphere_sphere(&a, &b, TACT_BATCH_PAIRS, n, want));
        SAME(tact_batch_sphere_aabbs(sphere_at(c, 0, one), &boxes, n, answers),
             tact_batch_portable.sphere_aabb(&sphere, &boxes, TACT_BATCH_FIRST, n, want));
        SAME(tact_batch_aabb_spheres(aabb_at(c, 0, one), &a, n, answers),
             tact_batch_portable.sphere_aabb(&a, &box, TACT_BATCH_SECOND, n, want));
        SAME(tact_batch_sphere_aabb_pairs(&a, &boxes, n, answers),
             tact_batch_portable.sphere_aabb(&a, &boxes, TACT_BATCH_PAIRS, n, want));
        SAME(tact_batch_aabb_aabbs(aabb_at(c, 0, one), &more, n, answers),
             tact_batch_portable.aabb_aabb(&box, &more, TACT_BATCH_FIRST, n, want));
        SAME(tact_batch_aabb_pairs(&boxes, &more, n, answers),
             tact_batch_portable.aabb_aabb(&boxes, &more, TACT_BATCH_PAIRS, n, want));
        SAME(tact_batch_ray_aabbs(&ray, &boxes, n, answers, NULL),
             tact_batch_portable.ray_aabb(&single, &boxes, TACT_BATCH_FIRST, n, want, NULL));
        SAME(tact_batch_aabb_rays(aabb_at(c, 0, one), &rays, n, answers, NULL),
             tact_batch_portable.ray_aabb(&rays, &box, TACT_BATCH_SECOND, n, want, NULL));
        const tact_batch_shot shot = {
            tact_ray_frame(ray.ox, ray.oy, ray.oz, ray.dx, ray.dy, ray.dz), ray.tmin, ray.tmax, NULL, NULL, NULL};
        if (!shot.frame.valid || !(ray.tmin <= ray.tmax)) continue;
        SAME(tact_batch_ray_triangles(&ray, &triangles, n, answers, NULL, NULL, NULL),
             tact_batch_portable.ray_triangle(&shot, &triangles, n, want));
    }
}

TEST(invalid_single_shapes_hit_nothing)
{
    test_random r = test_random_seeded(31);
    populate(&people, &r, 1);
    const tact_batch_spheres spheres = spheres_of(&people, 0, 0);
    const tact_batch_aabbs boxes = aabbs_of(&people, 0, 0);
    const tact_batch_triangles triangles = triangles_of(&people, 0);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * 8; ++i) {
        float p[8] = {-9, -9, -9, 9, 9, 9, 0, 0};
        p[i % 8] = bad[i / 8];
        const tact_sphere s = {{p[0], p[1], p[2]}, p[3]};
        const tact_aabb b = {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
        const tact_ray ray = {p[0], p[1], p[2], p[6], p[3], p[4], p[5], p[7]};
        if (i % 8 < 4) assert_int_equal(tact_batch_sphere_spheres(s, &spheres, 99, answers), 0);
        if (i % 8 < 4) assert_int_equal(tact_batch_sphere_aabbs(s, &boxes, 99, answers), 0);
        if (i < 6) assert_int_equal(tact_batch_aabb_spheres(b, &spheres, 99, answers), 0);
        if (i < 6) assert_int_equal(tact_batch_aabb_aabbs(b, &boxes, 99, answers), 0);
        if (i % 8 < 6 || i < 8) {
            assert_int_equal(tact_batch_ray_aabbs(&ray, &boxes, 99, answers, NULL), 0);
            assert_int_equal(
                tact_batch_ray_triangles(&ray, &triangles, 99, fresh(answers, 99), parameters[0], NULL, parameters[2]),
                0);
            assert_int_equal(answers[3], 0);
        }
    }
    const tact_sphere negative = {{0, 0, 0}, -100.0f};
    assert_int_equal(tact_batch_sphere_spheres(negative, &spheres, 99, answers), 0);
    assert_int_equal(tact_batch_sphere_aabbs(negative, &boxes, 99, answers), 0);
    const tact_aabb empty = {{5, -9, -9}, {-5, 9, 9}};
    assert_int_equal(tact_batch_aabb_aabbs(empty, &boxes, 99, answers), 0);
    assert_int_equal(tact_batch_aabb_spheres(empty, &spheres, 99, answers), 0);
}

TEST(boxes_may_be_unbounded)
{
    const float below[] = {-INFINITY, 1, INFINITY, -INFINITY}, above[] = {INFINITY, INFINITY, INFINITY, 1};
    const float zero[] = {0, 0, 0, 0};
    const tact_batch_aabbs boxes = {{below, zero, zero}, {above, zero, zero}};
    const tact_aabb finite = {{-2, -1, -1}, {0, 1, 1}}, all = {{-INFINITY, 0, 0}, {INFINITY, 0, 0}};
    assert_int_equal(tact_batch_aabb_aabbs(finite, &boxes, 4, answers), 2);
    assert_int_equal(answers[0], 9);
    assert_int_equal(tact_batch_aabb_aabbs(all, &boxes, 4, answers), 4);
    const tact_sphere s = {{0, 0, 0}, 0.5f};
    assert_int_equal(tact_batch_sphere_aabbs(s, &boxes, 4, answers), 2);
    assert_int_equal(answers[0], 9);
    const tact_ray ray = {0, 0, 0, 0, 2, 0, 0, INFINITY};
    float enter[4];
    assert_int_equal(tact_batch_ray_aabbs(&ray, &boxes, 4, answers, enter), 3);
    assert_int_equal(answers[0], 11);
    assert_true(enter[0] == 0.0f && enter[1] == 0.5f && enter[2] == INFINITY && enter[3] == 0.0f);
    const tact_ray still = {0, 0, 0, 0, 0, -0.0f, 1e-40f, 1};
    assert_int_equal(tact_batch_ray_aabbs(&still, &boxes, 4, answers, NULL), 2);
    assert_int_equal(answers[0], 9);
}

TEST(shapes_that_touch_overlap)
{
    const float x[] = {2, 2.0000002f, -2}, zero[] = {0, 0, 0}, unit[] = {1, 1, 1}, far_x[] = {3, 3, -1};
    const tact_batch_spheres spheres = {x, zero, zero, unit};
    const tact_batch_aabbs boxes = {{x, zero, zero}, {far_x, unit, unit}};
    const tact_sphere s = {{0, 0, 0}, 1};
    assert_int_equal(tact_batch_sphere_spheres(s, &spheres, 3, answers), 2);
    assert_int_equal(answers[0], 5);
    const tact_sphere wide = {{0, 0, 0}, 2};
    assert_int_equal(tact_batch_sphere_aabbs(wide, &boxes, 3, answers), 2);
    assert_int_equal(answers[0], 5);
    const tact_aabb b = {{-1, -1, -1}, {2, 0, 0}};
    assert_int_equal(tact_batch_aabb_aabbs(b, &boxes, 3, answers), 2);
    assert_int_equal(answers[0], 5);
    // Along a face, on both sides of the origin, and a ray that only reaches.
    const tact_ray along = {0, 0, 0, -INFINITY, 1, 0, 0, INFINITY};
    float enter[3];
    assert_int_equal(tact_batch_ray_aabbs(&along, &boxes, 3, answers, enter), 3);
    assert_true(enter[0] == 2.0f && enter[2] == -2.0f);
    const tact_ray inside = {2.5f, 0.5f, 0.5f, 0, 1, 0, 0, 0};
    assert_int_equal(tact_batch_ray_aabbs(&inside, &boxes, 3, answers, enter), 2);
    assert_true(enter[0] == 0.0f && enter[2] == INFINITY);
}

#ifdef __SIZEOF_FLOAT128__

__extension__ typedef __float128 wide;

typedef struct wide_interval {
    wide enter, leave;
    bool real;
} wide_interval;

/// The interval in which the ray is within the box, widened by `slack` of each end, in 113-bit arithmetic.
static wide_interval wide_ray_aabb(const tact_ray* r, tact_aabb b, wide slack)
{
    const float o[3] = {r->ox, r->oy, r->oz}, d[3] = {r->dx, r->dy, r->dz};
    const float lo[3] = {b.lower.x, b.lower.y, b.lower.z}, hi[3] = {b.upper.x, b.upper.y, b.upper.z};
    wide_interval i = {(wide)-1e300, (wide)1e300, true};
    for (int k = 0; k < 3; ++k) {
        if (d[k] == 0.0f) {
            i.real = i.real && o[k] >= lo[k] && o[k] <= hi[k];
            continue;
        }
        const wide p = ((wide)lo[k] - (wide)o[k]) / (wide)d[k], q = ((wide)hi[k] - (wide)o[k]) / (wide)d[k];
        const wide first = p < q ? p : q, last = p < q ? q : p;
        i.enter = first > i.enter ? first : i.enter;
        i.leave = last < i.leave ? last : i.leave;
    }
    i.enter -= slack * (i.enter < 0 ? -i.enter : i.enter);
    i.leave += slack * (i.leave < 0 ? -i.leave : i.leave);
    i.enter = i.enter < (wide)r->tmin ? (wide)r->tmin : i.enter;
    i.leave = i.leave > (wide)r->tmax ? (wide)r->tmax : i.leave;
    return i;
}

/// No box that the ray touches is missed; none that it misses by more than 2^-19 is hit.
TEST(no_touched_box_is_missed_by_a_ray)
{
    test_random r = test_random_seeded(37);
    size_t grazing = 0, hits = 0;
    for (int i = 0; i < 1000000; ++i) {
        tact_aabb b = {{number(&r, 0), number(&r, 0), number(&r, 0)}, {0, 0, 0}};
        b.upper.x = b.lower.x + test_random_unit(&r);
        b.upper.y = b.lower.y + (i % 5 ? test_random_unit(&r) : 0.0f);
        b.upper.z = b.lower.z + test_random_unit(&r);
        tact_ray ray = {number(&r, 0) * 3, number(&r, 0) * 3, number(&r, 0) * 3, 0, 0, 0, 0, INFINITY};
        // At an edge or a corner of the box, so that most are near touching.
        ray.dx = (i & 1 ? b.lower.x : b.upper.x) - ray.ox;
        ray.dy = (i & 2 ? b.lower.y : b.upper.y) - ray.oy;
        ray.dz = i & 4 ? number(&r, 0) : b.lower.z - ray.oz;
        if (i % 7 == 0) ray.dx = 0.0f;
        const float* const lower[3] = {&b.lower.x, &b.lower.y, &b.lower.z};
        const tact_batch_aabbs one = {{lower[0], lower[1], lower[2]}, {&b.upper.x, &b.upper.y, &b.upper.z}};
        const bool hit = tact_batch_ray_aabbs(&ray, &one, 1, answers, NULL) == 1;
        const wide_interval true_one = wide_ray_aabb(&ray, b, 0), loose = wide_ray_aabb(&ray, b, (wide)0x1p-19);
        const bool touches = true_one.real && true_one.enter <= true_one.leave;
        const bool nearly = loose.real && loose.enter <= loose.leave;
        if (touches && !hit) fail_msg("case %d: missed", i);
        if (!nearly && hit) fail_msg("case %d: hit from afar", i);
        grazing += nearly && !touches;
        hits += hit;
    }
    assert_true(grazing > 10000 && hits > 100000);
}

/// Single-precision sums of squares against 113-bit ones: the same but for a relative 2^-20.
TEST(overlaps_are_true_but_for_rounding)
{
    test_random r = test_random_seeded(41);
    size_t decided = 0;
    for (int round = 0; round < 300; ++round) {
        const int kind = round % 3 == 2 ? 3 : round % 3;
        populate(&people, &r, kind);
        const tact_batch_spheres a = spheres_of(&people, 0, 0), b = spheres_of(&people, 1, 0);
        tact_batch_sphere_pairs(&a, &b, MOST, answers);
        for (size_t i = 0; i < MOST; ++i) {
            wide d2 = 0;
            for (int k = 0; k < 3; ++k) {
                const wide d = (wide)people.sphere[0][k][i] - (wide)people.sphere[1][k][i];
                d2 += d * d;
            }
            const wide reach = (wide)people.sphere[0][3][i] + (wide)people.sphere[1][3][i];
            const wide gap = d2 - reach * reach;
            // Lattice coordinates are small integers, whose arithmetic is exact.
            const wide doubt = kind == 1 ? 0 : (d2 + reach * reach) * (wide)0x1p-20;
            if (kind != 1 && gap < doubt && gap > -doubt) continue;
            ++decided;
            if (bit(answers, i) != (gap <= 0)) fail_msg("round %d, pair %zu", round, i);
        }
    }
    assert_true(decided > 1000000);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
