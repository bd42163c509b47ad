// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Hollow boxes and spheres by their corners and faces in whole numbers, polygons against boxes by their triangles, and
// ellipsoids against boxes by the general test.

#include "tests/support/run.h"

#include "tact/geometry/convex.h"
#include "tact/geometry/overlap.h"
#include "tests/geometry/points.h"
#include "tests/support/effort.h"

static int whole(test_random* r, int size)
{
    return (int)test_random_below(r, (uint32_t)(2 * size + 1)) - size;
}

static int square(int x)
{
    return x * x;
}

static int off(int x, int low, int high)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

TEST(hollow_shapes_are_their_surfaces)
{
    test_random r = test_random_seeded(861);
    size_t found[8] = {0};
    for (size_t trial = 0; trial < effort(100000, 1000000); ++trial) {
        int c[3], low[3], high[3], near = 0, far = 0, surface = 1 << 30;
        const int radius = (int)test_random_below(&r, 8);
        for (int k = 0; k < 3; ++k) {
            c[k] = whole(&r, 4);
            low[k] = whole(&r, 4);
            high[k] = low[k] + (int)test_random_below(&r, 6);
            near += square(off(c[k], low[k], high[k]));
        }
        for (int i = 0; i < 8; ++i) {
            int reach = 0;
            for (int k = 0; k < 3; ++k)
                reach += square(c[k] - (i >> k & 1 ? high[k] : low[k]));
            far = reach > far ? reach : far;
        }
        for (int face = 0; face < 6; ++face) {
            int reach = 0;
            for (int k = 0; k < 3; ++k) {
                const int at = face % 2 ? high[k] : low[k];
                reach += square(k == face / 2 ? c[k] - at : off(c[k], low[k], high[k]));
            }
            surface = reach < surface ? reach : surface;
        }
        const float unit = ldexpf(1.0f, whole(&r, 40));
        const tact_sphere s = {v3(unit * (float)c[0], unit * (float)c[1], unit * (float)c[2]), unit * (float)radius};
        const tact_aabb box = {v3(unit * (float)low[0], unit * (float)low[1], unit * (float)low[2]),
                               v3(unit * (float)high[0], unit * (float)high[1], unit * (float)high[2])};
        const int rr = radius * radius;
        const bool expected[3] = {near <= rr && rr <= far, surface <= rr, surface <= rr && rr <= far};
        assert_int_equal(tact_hollow_sphere_overlaps_aabb(s, box), expected[0]);
        assert_int_equal(tact_sphere_overlaps_hollow_aabb(s, box), expected[1]);
        assert_int_equal(tact_hollow_sphere_overlaps_hollow_aabb(s, box), expected[2]);
        ++found[expected[0] + 2 * expected[1] + 4 * expected[2]];
    }
    assert_true(found[0] > 2 && found[1] > 2 && found[2] > 2 && found[7] > 12);
    const tact_aabb box = {v3(0, 0, 0), v3(1, 1, 1)};
    const tact_sphere bad[2] = {{v3(NAN, 0, 0), 1}, {v3(0, 0, 0), -1}};
    for (int k = 0; k < 2; ++k) {
        assert_false(tact_hollow_sphere_overlaps_aabb(bad[k], box));
        assert_false(tact_sphere_overlaps_hollow_aabb(bad[k], box));
        assert_false(tact_hollow_sphere_overlaps_hollow_aabb(bad[k], box));
    }
    const tact_sphere s = {v3(0, 0, 0), 1};
    assert_false(tact_sphere_overlaps_hollow_aabb(s, (tact_aabb){v3(1, 0, 0), v3(0, 1, 1)}));
}

/// Points around a middle that see it, in a plane of whole numbers: a polygon of triangles, convex or not.
TEST(polygons_meet_boxes_as_their_triangles_do)
{
    test_random r = test_random_seeded(862);
    size_t found[2] = {0, 0}, inside = 0;
    for (size_t trial = 0; trial < effort(40000, 400000); ++trial) {
        const tact_vec3 o = point(&r, 0);
        tact_vec3 u = point(&r, 0), v = point(&r, 0), p[12];
        const uint32_t count = 3 + test_random_below(&r, 10);
        for (uint32_t i = 0; i < count; ++i) {
            const double turn = 6.283185307179586 * (double)i / (double)count,
                         far = (double)(1 + test_random_below(&r, 4));
            const float a = (float)round(8 * far * cos(turn)) * 0.25f, b = (float)round(8 * far * sin(turn)) * 0.25f;
            p[i] = v3(o.x + a * u.x + b * v.x, o.y + a * u.y + b * v.y, o.z + a * u.z + b * v.z);
        }
        tact_aabb box;
        for (int k = 0; k < 3; ++k) {
            (&box.lower.x)[k] = number(&r, 0) + number(&r, 0) * 0.25f;
            (&box.upper.x)[k] = (&box.lower.x)[k] + (float)test_random_below(&r, trial % 2 ? 2 : 5) * 0.25f;
        }
        bool expected = false, edge = false;
        for (uint32_t i = 0; i < count; ++i) {
            const tact_triangle t = {o, p[i], p[(i + 1) % count]}, side = {p[i], p[(i + 1) % count], p[i]};
            expected = expected || tact_aabb_overlaps_triangle(box, &t);
            edge = edge || tact_aabb_overlaps_triangle(box, &side);
        }
        // A polygon without area is its edges.
        const double cross = fabs((double)u.y * (double)v.z - (double)u.z * (double)v.y) +
                             fabs((double)u.z * (double)v.x - (double)u.x * (double)v.z) +
                             fabs((double)u.x * (double)v.y - (double)u.y * (double)v.x);
        if (!(cross > 0.0)) continue;
        if (tact_aabb_overlaps_polygon(box, p, count) != expected) fail_msg("trial %zu: %d", trial, expected);
        ++found[expected];
        inside += expected && !edge;
    }
    assert_true(found[0] > 120 && found[1] > 120 && inside > 40);
}

TEST(bad_polygons_meet_nothing)
{
    const tact_aabb box = {v3(0, 0, 0), v3(1, 1, 1)};
    tact_vec3 p[3] = {v3(0.5f, 0.5f, 0.5f), v3(9, 9, 9), v3(9, 0, 9)};
    assert_true(tact_aabb_overlaps_polygon(box, p, 1) && tact_aabb_overlaps_polygon(box, p, 2));
    assert_false(tact_aabb_overlaps_polygon(box, p + 1, 1));
    assert_false(tact_aabb_overlaps_polygon(box, p, 0));
    p[2].x = NAN;
    assert_false(tact_aabb_overlaps_polygon(box, p, 3));
    assert_false(tact_aabb_overlaps_polygon((tact_aabb){v3(1, 0, 0), v3(0, 1, 1)}, p, 2));
    // Of a bent one the plane through the middle is higher than the lowest vertices and lower than the others.
    const tact_vec3 bent[4] = {v3(0, 0, 0), v3(4, 0, 3), v3(4, 4, 3), v3(0, 4, 1)};
    const tact_aabb inside = {v3(1, 2, 0.5f), v3(1.5f, 2.5f, 2.5f)}, above = {v3(1, 2, 3.5f), v3(1.5f, 2.5f, 9)};
    assert_true(tact_aabb_overlaps_polygon(inside, bent, 4));
    assert_false(tact_aabb_overlaps_polygon(above, bent, 4));
    // Whose plane, 45 degrees steep at most, is met beyond the vertices.
    const tact_vec3 twisted[4] = {v3(0, 0, 0), v3(1, 0, 1), v3(1, 1, 0), v3(0.5f, 1, 1)};
    for (int i = 0; i < 400; ++i) {
        const float x = 0.1f * (float)(i % 20) - 0.5f, y = 0.1f * (float)(i / 20) - 0.5f;
        const tact_aabb over = {v3(x, y, 1.01f), v3(x + 0.1f, y + 0.1f, 5)}, under = {v3(x, y, -5), v3(x, y, -0.01f)};
        assert_false(tact_aabb_overlaps_polygon(over, twisted, 4) || tact_aabb_overlaps_polygon(under, twisted, 4));
    }
}

// ---- Ellipsoids ----

/// Against the general test, which knows support points alone; what nearly touches may go either way.
TEST(ellipsoids_meet_boxes_as_convex_shapes_do)
{
    test_random r = test_random_seeded(863);
    size_t found[2] = {0, 0};
    for (size_t trial = 0; trial < effort(10000, 100000); ++trial) {
        float axes[9], turned[9];
        test_random_rotation(&r, axes);
        test_random_rotation(&r, turned);
        const float unit = ldexpf(1.0f, whole(&r, 20));
        tact_ellipsoid e = {.center = v3(3 * unit * test_random_signed(&r), 3 * unit * test_random_signed(&r),
                                         3 * unit * test_random_signed(&r))};
        tact_obb box = {.center = v3(0, 0, unit)};
        for (int k = 0; k < 3; ++k) {
            e.axis[k] = v3(axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]);
            (&e.radius.x)[k] = unit * (0.05f + 2.0f * test_random_unit(&r));
            box.axis[k] = trial % 2 ? v3(turned[3 * k], turned[3 * k + 1], turned[3 * k + 2])
                                    : v3((float)(k == 0), (float)(k == 1), (float)(k == 2));
            (&box.half.x)[k] = unit * 2.0f * test_random_unit(&r);
        }
        const tact_vec3 h = box.half, c = box.center;
        const tact_aabb straight = {v3(c.x - h.x, c.y - h.y, c.z - h.z), v3(c.x + h.x, c.y + h.y, c.z + h.z)};
        const tact_convex_contact far = tact_convex_penetration(
            tact_convex_ellipsoid(&e), trial % 2 ? tact_convex_obb(&box) : tact_convex_aabb(&straight));
        if (fabsf(far.distance) < 1e-5f * unit) continue;
        const bool expected = far.distance < 0.0f;
        ++found[expected];
        if (trial % 2 == 0) assert_int_equal(tact_ellipsoid_overlaps_aabb(&e, straight), expected);
        assert_int_equal(tact_ellipsoid_overlaps_obb(&e, &box), expected);
    }
    assert_true(found[0] > 60 && found[1] > 60);
}

TEST(balls_and_bad_ellipsoids_meet_boxes_or_not)
{
    const tact_vec3 axes[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    tact_ellipsoid e = {v3(0, 0, 0), {axes[0], axes[1], axes[2]}, v3(2, 2, 2)};
    const tact_aabb touching = {v3(2, -1, -1), v3(3, 1, 1)}, around = {v3(-9, -9, -9), v3(9, 9, 9)};
    assert_true(tact_ellipsoid_overlaps_aabb(&e, touching) && tact_ellipsoid_overlaps_aabb(&e, around));
    assert_false(tact_ellipsoid_overlaps_aabb(&e, (tact_aabb){v3(2.001f, -1, -1), v3(3, 1, 1)}));
    assert_true(tact_ellipsoid_overlaps_aabb(&e, (tact_aabb){v3(-0.1f, -0.1f, -0.1f), v3(0.1f, 0.1f, 0.1f)}));
    // A disc, and a point.
    e.radius.x = 0;
    assert_false(tact_ellipsoid_overlaps_aabb(&e, (tact_aabb){v3(0.001f, -1, -1), v3(3, 1, 1)}));
    assert_true(tact_ellipsoid_overlaps_aabb(&e, (tact_aabb){v3(-1, 1, 1), v3(3, 4, 4)}));
    e.radius = v3(0, 0, 0);
    assert_true(tact_ellipsoid_overlaps_aabb(&e, around) && !tact_ellipsoid_overlaps_aabb(&e, touching));
    e.radius.y = -1;
    assert_false(tact_ellipsoid_overlaps_aabb(&e, around));
    e.radius.y = NAN;
    assert_false(tact_ellipsoid_overlaps_aabb(&e, around));
    e.radius.y = 1;
    const tact_obb none = {v3(0, 0, 0), {axes[0], axes[1], axes[2]}, v3(1, -1, 1)};
    assert_false(tact_ellipsoid_overlaps_obb(&e, &none));
    assert_false(tact_ellipsoid_overlaps_aabb(&e, (tact_aabb){v3(1, 0, 0), v3(0, 1, 1)}));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
