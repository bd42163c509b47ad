// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The special test of each pair of shapes against the general one for any two convex shapes: they share no code but the
// structs, so neither can hide the other's mistake.

#include "tests/support/run.h"

#include "tact/geometry.h"
#include "tests/geometry/convex_shapes.h"

typedef bool pair_test(const any_shape* a, const any_shape* b);

#define PAIR(name, expression)                                   \
    static bool name(const any_shape* one, const any_shape* two) \
    {                                                            \
        const any_shape a = *one, b = *two;                      \
        return expression;                                       \
    }

PAIR(sphere_sphere, tact_sphere_overlaps_sphere(a.as.sphere, b.as.sphere))
PAIR(sphere_aabb, tact_sphere_overlaps_aabb(a.as.sphere, b.as.aabb))
PAIR(sphere_obb, tact_sphere_overlaps_obb(a.as.sphere, &b.as.obb))
PAIR(sphere_triangle, tact_sphere_overlaps_triangle(a.as.sphere, &b.as.triangle))
PAIR(capsule_sphere, tact_capsule_overlaps_sphere(&a.as.capsule, b.as.sphere))
PAIR(capsule_capsule, tact_capsule_overlaps_capsule(&a.as.capsule, &b.as.capsule))
PAIR(capsule_aabb, tact_capsule_overlaps_aabb(&a.as.capsule, b.as.aabb))
PAIR(capsule_obb, tact_capsule_overlaps_obb(&a.as.capsule, &b.as.obb))
PAIR(capsule_triangle, tact_capsule_overlaps_triangle(&a.as.capsule, &b.as.triangle))
PAIR(lozenge_sphere, tact_lozenge_overlaps_sphere(&a.as.lozenge, b.as.sphere))
PAIR(lozenge_capsule, tact_lozenge_overlaps_capsule(&a.as.lozenge, &b.as.capsule))
PAIR(lozenge_lozenge, tact_lozenge_overlaps_lozenge(&a.as.lozenge, &b.as.lozenge))
PAIR(aabb_aabb, tact_aabb_overlaps_aabb(a.as.aabb, b.as.aabb))
PAIR(aabb_triangle, tact_aabb_overlaps_triangle(a.as.aabb, &b.as.triangle))
PAIR(obb_obb, tact_obb_overlaps_obb(&a.as.obb, &b.as.obb))
PAIR(obb_aabb, tact_obb_overlaps_aabb(&a.as.obb, b.as.aabb))
PAIR(obb_triangle, tact_obb_overlaps_triangle(&a.as.obb, &b.as.triangle))
PAIR(triangle_triangle, tact_triangle_overlaps_triangle(&a.as.triangle, &b.as.triangle))
PAIR(cylinder_sphere, tact_cylinder_overlaps_sphere(&a.as.cylinder, b.as.sphere))
PAIR(cylinder_triangle, tact_cylinder_overlaps_triangle(&a.as.cylinder, &b.as.triangle))
PAIR(cylinder_aabb, tact_cylinder_overlaps_aabb(&a.as.cylinder, b.as.aabb))
PAIR(cylinder_obb, tact_cylinder_overlaps_obb(&a.as.cylinder, &b.as.obb))
PAIR(ellipsoid_triangle, tact_ellipsoid_overlaps_triangle(&a.as.ellipsoid, &b.as.triangle))
PAIR(ellipsoid_sphere, tact_ellipsoid_overlaps_sphere(&a.as.ellipsoid, b.as.sphere))

typedef struct pair_row {
    const char* name;
    pair_test* test;
    tact_convex_kind a, b;
} pair_row;

static const pair_row pairs[] = {
    {"sphere sphere", sphere_sphere, TACT_CONVEX_SPHERE, TACT_CONVEX_SPHERE},
    {"sphere AABB", sphere_aabb, TACT_CONVEX_SPHERE, TACT_CONVEX_AABB},
    {"sphere OBB", sphere_obb, TACT_CONVEX_SPHERE, TACT_CONVEX_OBB},
    {"sphere triangle", sphere_triangle, TACT_CONVEX_SPHERE, TACT_CONVEX_TRIANGLE},
    {"capsule sphere", capsule_sphere, TACT_CONVEX_CAPSULE, TACT_CONVEX_SPHERE},
    {"capsule capsule", capsule_capsule, TACT_CONVEX_CAPSULE, TACT_CONVEX_CAPSULE},
    {"capsule AABB", capsule_aabb, TACT_CONVEX_CAPSULE, TACT_CONVEX_AABB},
    {"capsule OBB", capsule_obb, TACT_CONVEX_CAPSULE, TACT_CONVEX_OBB},
    {"capsule triangle", capsule_triangle, TACT_CONVEX_CAPSULE, TACT_CONVEX_TRIANGLE},
    {"lozenge sphere", lozenge_sphere, TACT_CONVEX_LOZENGE, TACT_CONVEX_SPHERE},
    {"lozenge capsule", lozenge_capsule, TACT_CONVEX_LOZENGE, TACT_CONVEX_CAPSULE},
    {"lozenge lozenge", lozenge_lozenge, TACT_CONVEX_LOZENGE, TACT_CONVEX_LOZENGE},
    {"AABB AABB", aabb_aabb, TACT_CONVEX_AABB, TACT_CONVEX_AABB},
    {"AABB triangle", aabb_triangle, TACT_CONVEX_AABB, TACT_CONVEX_TRIANGLE},
    {"OBB OBB", obb_obb, TACT_CONVEX_OBB, TACT_CONVEX_OBB},
    {"OBB AABB", obb_aabb, TACT_CONVEX_OBB, TACT_CONVEX_AABB},
    {"OBB triangle", obb_triangle, TACT_CONVEX_OBB, TACT_CONVEX_TRIANGLE},
    {"triangle triangle", triangle_triangle, TACT_CONVEX_TRIANGLE, TACT_CONVEX_TRIANGLE},
    {"cylinder sphere", cylinder_sphere, TACT_CONVEX_CYLINDER, TACT_CONVEX_SPHERE},
    {"cylinder triangle", cylinder_triangle, TACT_CONVEX_CYLINDER, TACT_CONVEX_TRIANGLE},
    {"cylinder AABB", cylinder_aabb, TACT_CONVEX_CYLINDER, TACT_CONVEX_AABB},
    {"cylinder OBB", cylinder_obb, TACT_CONVEX_CYLINDER, TACT_CONVEX_OBB},
    {"ellipsoid triangle", ellipsoid_triangle, TACT_CONVEX_ELLIPSOID, TACT_CONVEX_TRIANGLE},
    {"ellipsoid sphere", ellipsoid_sphere, TACT_CONVEX_ELLIPSOID, TACT_CONVEX_SPHERE},
};

enum { PAIRS = sizeof pairs / sizeof pairs[0], CASES = 60000, LONG_CASES = 150000 };

static void shift(tact_vec3* p, tact_vec3 by)
{
    *p = shifted(*p, by);
}

static void move_shape(any_shape* s, tact_vec3 by)
{
    switch (s->convex.kind) {
        case TACT_CONVEX_SPHERE:
            shift(&s->as.sphere.center, by);
            break;
        case TACT_CONVEX_CAPSULE:
            shift(&s->as.capsule.a, by);
            shift(&s->as.capsule.b, by);
            break;
        case TACT_CONVEX_TRIANGLE:
            shift(&s->as.triangle.a, by);
            shift(&s->as.triangle.b, by);
            shift(&s->as.triangle.c, by);
            break;
        case TACT_CONVEX_AABB:
            shift(&s->as.aabb.lower, by);
            shift(&s->as.aabb.upper, by);
            break;
        case TACT_CONVEX_OBB:
            shift(&s->as.obb.center, by);
            break;
        default:
            shift(&s->as.lozenge.corner, by);
            break;
    }
}

typedef struct tally {
    int yes, no, close;
} tally;

/// The tests are exact or nearly so in double; those in single precision and axes that are unit vectors only as far as
/// floats can be account for the tolerance, which is relative to how far the shapes reach.
static void compare(const pair_row* row, test_random* r, tally* t)
{
    const float size = ldexpf(1.0f, (int)test_random_below(r, 41) - 20);
    const float apart = size * 2.0f * test_random_unit(r),
                other = size * ldexpf(1.0f, (int)test_random_below(r, 9) - 4);
    const tact_vec3 far_away = random_vec3(r, test_random_below(r, 4) == 0 ? 100.0f * size : 0.0f);
    any_shape a, b;
    random_shape(r, &a, row->a, far_away, size);
    random_shape(r, &b, row->b, shifted(far_away, random_vec3(r, apart)), other);
    if (test_random_below(r, 2)) {  // nearly touching
        const tact_convex_contact c = tact_convex_distance(a.convex, b.convex, NULL);
        if (c.distance > 0.0f && isfinite(c.distance)) {
            const double step = -(double)c.distance * (1.0 + 1e-6 * (double)test_random_signed(r));
            move_shape(&b, to_vec3(times(step, of_vec3(c.normal))));
        }
    }
    const bool special = row->test(&a, &b), general = tact_convex_overlap(a.convex, b.convex, NULL);
    t->yes += special;
    t->no += !special;
    if (special == general) return;
    const tact_convex_contact c = tact_convex_penetration(a.convex, b.convex);
    const double reach = (double)fmaxf(size, other) + norm(of_vec3(far_away));
    if (!(fabs((double)c.distance) <= 1e-6 * reach)) {
        fail_msg("%s: %d, but the general test says %d at distance %g of %g", row->name, special, general,
                 (double)c.distance, reach);
    }
    ++t->close;
}

TEST(special_tests_agree_with_the_general_one)
{
    test_random r = test_random_seeded(1103);
    // Nine such runs make more than a million cases of each pair.
    const int cases = getenv("TACT_TEST_SEED") ? LONG_CASES : CASES;
    for (int p = 0; p < PAIRS; ++p) {
        tally t = {0, 0, 0};
        for (int i = 0; i < cases; ++i)
            compare(&pairs[p], &r, &t);
        printf("%-18s: %5d yes, %5d no, %5d differ within 1e-6\n", pairs[p].name, t.yes, t.no, t.close);
        assert_true(t.yes > cases / 50 && t.no > cases / 50);
    }
}

/// Distances that two ways find.
TEST(distances_agree)
{
    test_random r = test_random_seeded(1109);
    for (int i = 0; i < 5 * CASES; ++i) {
        const tact_vec3 zero = {0, 0, 0};
        any_shape a, b;
        tact_closest_pair pair;
        random_shape(&r, &a,
                     i % 5 < 2   ? TACT_CONVEX_SEGMENT
                     : i % 5 < 4 ? TACT_CONVEX_TRIANGLE
                                 : TACT_CONVEX_AABB,
                     zero, 1.0f);
        random_shape(&r, &b,
                     i % 5 == 0   ? TACT_CONVEX_SEGMENT
                     : i % 5 == 1 ? TACT_CONVEX_AABB
                     : i % 5 == 2 ? TACT_CONVEX_SEGMENT
                     : i % 5 == 3 ? TACT_CONVEX_TRIANGLE
                                  : TACT_CONVEX_AABB,
                     random_vec3(&r, 2.0f), 1.0f);
        switch (i % 5) {
            case 0:
                pair = tact_closest_segment_segment(a.as.segment, b.as.segment);
                break;
            case 1:
                pair = tact_closest_segment_aabb(a.as.segment, &b.as.aabb);
                break;
            case 2:
                pair = tact_closest_segment_triangle(b.as.segment, &a.as.triangle);
                break;
            case 3:
                pair = tact_closest_triangle_triangle(&a.as.triangle, &b.as.triangle);
                break;
            default:
                pair = tact_closest_aabb_aabb(&a.as.aabb, &b.as.aabb);
                break;
        }
        const tact_convex_contact c = tact_convex_distance(a.convex, b.convex, NULL);
        if (!(fabsf(pair.distance - c.distance) <= 1e-6f)) {
            fail_msg("case %d: %g and %g", i, (double)pair.distance, (double)c.distance);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
