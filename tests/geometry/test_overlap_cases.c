// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Single cases with known answers, and shapes that are thin, flat or have corners that point inwards.

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/overlap.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/geometry/overlap_numbers.h"

TEST(touching_counts)
{
    const tact_sphere ball = {{3, 4, 0}, 5};
    const tact_triangle t = {{0, 0, 0}, {-1, 0, 0}, {-1, -1, 0}}, wall = {{8, -9, -9}, {8, 9, -9}, {8, 9, 99}};
    assert_true(tact_sphere_overlaps_triangle(ball, &t));
    assert_true(tact_sphere_overlaps_triangle(ball, &wall));
    assert_true(tact_sphere_overlaps_aabb(ball, (tact_aabb){{-1, -1, -1}, {0, 0, 0}}));
    assert_false(tact_sphere_overlaps_aabb(ball, (tact_aabb){{-1, -1, -1}, {0, -0x1p-10f, 0}}));
    const tact_cylinder c = {{0, 0, 0}, {0, 0, 4}, 2};
    const tact_triangle side = {{2, -1, 1}, {2, 1, 1}, {2, 0, 3}}, cap = {{-9, -9, 4}, {9, -9, 4}, {0, 9, 4}};
    const tact_triangle off = {{2.001f, -1, 1}, {2.001f, 1, 1}, {2.001f, 0, 3}},
                        over = {{0, 0, 4.001f}, {9, 0, 5}, {0, 9, 5}};
    assert_true(tact_cylinder_overlaps_triangle(&c, &side));
    assert_true(tact_cylinder_overlaps_triangle(&c, &cap));
    assert_false(tact_cylinder_overlaps_triangle(&c, &off));
    assert_false(tact_cylinder_overlaps_triangle(&c, &over));
    assert_true(tact_cylinder_overlaps_sphere(&c, (tact_sphere){{5, 0, 8}, 5}));  // 3-4-5 from the rim
    // Touches two thirds along the segment, which no binary number says.
    const tact_capsule leaning = {{0, -4, 1}, {-1, -3, -3}, 2};
    assert_true(tact_capsule_overlaps_aabb(&leaning, (tact_aabb){{-4, -2, -1}, {-2, -1, 3}}));
    // A stick whose faces, cut by the cylinder's ends, are slivers on a line through its axis.
    const tact_cylinder thin = {{-3, -3, 3}, {1, -1, 1}, 0};
    const tact_obb stick = {{-4, -1, 1}, {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {4, 0, 0}};
    assert_false(tact_cylinder_overlaps_obb(&thin, &stick));
    assert_false(tact_cylinder_overlaps_sphere(&c, (tact_sphere){{5, 0, 8}, 4.999f}));
    assert_true(tact_cylinder_overlaps_aabb(&c, (tact_aabb){{2, 0, 4}, {3, 1, 5}}));
    assert_false(tact_cylinder_overlaps_aabb(&c, (tact_aabb){{2, 0.1f, 4}, {3, 1, 5}}));
    assert_true(tact_cylinder_overlaps_aabb(&c, (tact_aabb){{-9, -9, -9}, {9, 9, 9}}));             // inside the box
    assert_true(tact_cylinder_overlaps_aabb(&c, (tact_aabb){{-0.1f, -0.1f, 1}, {0.1f, 0.1f, 2}}));  // around it
    const tact_capsule k = {{0, 0, 0}, {0, 0, 4}, 5};
    assert_true(tact_capsule_overlaps_aabb(&k, (tact_aabb){{3, 4, 2}, {9, 9, 3}}));
    assert_true(tact_capsule_overlaps_aabb(&k, (tact_aabb){{3, 0, 8}, {9, 9, 9}}));
    assert_false(tact_capsule_overlaps_aabb(&k, (tact_aabb){{3, 0, 8.001f}, {9, 9, 9}}));
}

/// Coordinate planes of all three directions.
static bool in_each_plane(float x, float y, float z, float radius, const tact_vec3* v, size_t n)
{
    bool answer[3];
    for (int turn = 0; turn < 3; ++turn) {
        float c[3] = {x, y, z};
        tact_vec3 moved[8];
        for (size_t k = 0; k < n; ++k) {
            const float* p = &v[k].x;
            moved[k] = (tact_vec3){p[turn], p[(turn + 1) % 3], p[(turn + 2) % 3]};
        }
        const tact_sphere s = {{c[turn], c[(turn + 1) % 3], c[(turn + 2) % 3]}, radius};
        answer[turn] = tact_sphere_overlaps_polygon(s, moved, n);
    }
    assert_true(answer[0] == answer[1] && answer[1] == answer[2]);
    return answer[0];
}

TEST(special_polygons)
{
    const tact_vec3 u[] = {{0, 0, 5}, {9, 0, 5}, {9, 9, 5}, {6, 9, 5}, {6, 3, 5}, {3, 3, 5}, {3, 9, 5}, {0, 9, 5}};
    const tact_vec3 straight[] = {{0, 0, 5}, {4, 0, 5}, {9, 0, 5}, {9, 9, 5}, {0, 9, 5}};  // its first corner is flat
    const tact_vec3 line[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    assert_false(in_each_plane(4.5f, 7, 5, 1.49f, u, 8));  // between the arms
    assert_true(in_each_plane(4.5f, 7, 5, 1.5f, u, 8));
    assert_true(in_each_plane(4.5f, 1.5f, 6, 1.0f, u, 8));
    assert_false(in_each_plane(4.5f, 1.5f, 6, 0.999f, u, 8));
    assert_true(in_each_plane(5, 5, 4, 1.0f, straight, 5));
    assert_false(in_each_plane(5, 5, 4, 0.99f, straight, 5));
    assert_true(in_each_plane(5, 5, 5, 0.0f, straight, 5));
    assert_true(tact_sphere_overlaps_polygon((tact_sphere){{4, 3, 3}, 1.0f}, line, 4));
    assert_false(tact_sphere_overlaps_polygon((tact_sphere){{4, 4, 4}, 1.0f}, line, 4));
    assert_true(tact_sphere_overlaps_polygon((tact_sphere){{4, 3, 3}, 1.0f}, line + 2, 2));
    assert_true(tact_sphere_overlaps_polygon((tact_sphere){{4, 3, 3}, 1.0f}, line + 3, 1));
    assert_false(tact_sphere_overlaps_polygon((tact_sphere){{4, 3, 3}, 1.0f}, line, 0));
    const tact_vec3 bad[] = {{0, 0, 0}, {9, 0, 0}, {0, NAN, 0}};
    assert_false(tact_sphere_overlaps_polygon((tact_sphere){{1, 0, 0}, 1.0f}, bad, 3));
}

TEST(flat_ellipsoids_are_discs_and_needles)
{
    const tact_ellipsoid disc = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {3, 2, 0}};
    const tact_ellipsoid needle = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {3, 0, 0}};
    const tact_ellipsoid point = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const tact_triangle steep = {{2, -1, -1}, {2, 1, -1}, {2, 0, 1}}, rim = {{3, 0, 0}, {4, 0, 1}, {4, 1, 0}};
    const tact_triangle above = {{0, 0, 0.001f}, {1, 0, 1}, {0, 1, 1}}, flat = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    const tact_triangle beside = {{0, 2.001f, -1}, {1, 3, 1}, {0, 3, 1}};
    assert_true(tact_ellipsoid_overlaps_triangle(&disc, &steep));
    assert_true(tact_ellipsoid_overlaps_triangle(&disc, &rim));
    assert_false(tact_ellipsoid_overlaps_triangle(&disc, &above));
    assert_true(tact_ellipsoid_overlaps_triangle(&disc, &flat));
    assert_false(tact_ellipsoid_overlaps_triangle(&disc, &beside));
    assert_true(tact_ellipsoid_overlaps_triangle(&needle, &steep));
    assert_true(tact_ellipsoid_overlaps_triangle(&needle, &rim));
    assert_false(tact_ellipsoid_overlaps_triangle(&needle, &beside));
    assert_true(tact_ellipsoid_overlaps_triangle(&point, &flat));
    assert_false(tact_ellipsoid_overlaps_triangle(&point, &steep));
    assert_true(tact_ellipsoid_overlaps_sphere(&disc, (tact_sphere){{1, 1, 2}, 2}));
    assert_false(tact_ellipsoid_overlaps_sphere(&disc, (tact_sphere){{1, 1, 2}, 1.999f}));
    assert_true(tact_ellipsoid_overlaps_sphere(&disc, (tact_sphere){{6, 0, 4}, 5}));
    assert_false(tact_ellipsoid_overlaps_sphere(&disc, (tact_sphere){{6, 0, 4}, 4.999f}));
    assert_true(tact_ellipsoid_overlaps_sphere(&needle, (tact_sphere){{6, 4, 0}, 5}));
    assert_true(tact_ellipsoid_overlaps_sphere(&point, (tact_sphere){{3, 4, 0}, 5}));
    assert_false(tact_ellipsoid_overlaps_sphere(&point, (tact_sphere){{3, 4, 0}, 4.999f}));
    assert_true(tact_ellipsoid_overlaps_sphere(&disc, (tact_sphere){{1, 1, 0}, 0}));
}

TEST(thin_capsules_and_small_spheres_are_exact)
{
    test_random r = test_random_seeded(15);
    for (int i = 0; i < 100000; ++i) {
        float f[MOST] = {0};
        const float radius[] = {0.0f, 1e-30f, 1e-12f};
        draw(&r, "pplppp", i % WAYS, f);  // capsule, triangle
        f[6] = radius[i % 3];
        const bool hit = capsule_triangle(f);
        const tact_triangle core = {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}, {f[3], f[4], f[5]}}, t = triangle(f + 7);
        if (tact_triangle_overlaps_triangle(&core, &t) && !hit) fail_msg("capsule, case %d", i);
        if (i % 3 == 0 && hit != tact_triangle_overlaps_triangle(&core, &t)) fail_msg("segment, case %d", i);
        float s[13];  // a point of the triangle's plane, or nearly
        memcpy(s, f, 3 * sizeof *f);
        s[3] = 0.0f;
        memcpy(s + 4, f + 7, 9 * sizeof *f);
        if (i % 2) {
            for (int k = 0; k < 3; ++k)
                s[k] = 0.25f * s[4 + k] + 0.25f * s[7 + k] + 0.5f * s[10 + k];
        }
        const tact_triangle dot = {{s[0], s[1], s[2]}, {s[0], s[1], s[2]}, {s[0], s[1], s[2]}};
        if (sphere_triangle(s) != tact_triangle_overlaps_triangle(&dot, &t)) fail_msg("point, case %d", i);
        draw(&r, "pplb", i % WAYS, f);  // capsule, box
        f[6] = radius[i % 3];
        const tact_triangle needle = {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}, {f[3], f[4], f[5]}};
        const bool through = tact_aabb_overlaps_triangle(aabb(f + 7), &needle);
        if (i % 3 == 0 ? capsule_aabb(f) != through : through && !capsule_aabb(f)) fail_msg("box, case %d", i);
    }
}

/// Long thin triangles and nearly parallel segments keep their digits: to 2^-44 of their length.
TEST(needles_keep_their_digits)
{
    test_random r = test_random_seeded(18);
    for (int i = 0; i < 200000; ++i) {
        float f[16];  // capsule without radius, triangle; a needle, and something along it
        const float width = i % 2 ? 1e-3f : 1e-6f, away = i % 4 < 2 ? 1e-6f : 1e-4f;
        for (int k = 0; k < 3; ++k) {
            const float x = test_random_signed(&r), y = test_random_signed(&r);
            f[7 + k] = x * x * x * x * x;  // of all sizes, so that differences and products round
            f[10 + k] = y * y * y;
        }
        const float t = test_random_unit(&r), third = test_random_unit(&r),
                    h[3] = {test_random_signed(&r), test_random_signed(&r), 1.0f};
        for (int k = 0; k < 3; ++k) {
            f[13 + k] = f[7 + k] + third * (f[10 + k] - f[7 + k]) + width * test_random_signed(&r);
            f[k] = f[7 + k] + t * (f[10 + k] - f[7 + k]) + away * h[k];
            f[3 + k] = f[k] + (f[10 + k] - f[7 + k]) + width * test_random_signed(&r);
        }
        const real size = 2 + 2 * (real)away, gap = to_triangle(at(f), at(f + 7), at(f + 10), at(f + 13));
        float s[13] = {f[0], f[1], f[2], (float)gap};
        memcpy(s + 4, f + 7, 9 * sizeof *f);
        if (fabsl(gap - (real)s[3]) > 0x1p-50L * size && sphere_triangle(s) != (gap <= (real)s[3])) {
            fail_msg("sphere, case %d: %g", i, (double)(gap - (real)s[3]));
        }
        real low = 0, high = 1, least = HUGE_VALL;
        for (int n = 0; n < (i % 16 ? 0 : 120); ++n) {
            const real x = low + (high - low) * 0.45L, y = low + (high - low) * 0.55L;
            const rvec a = at(f), u = minus(at(f + 3), a), b = at(f + 7), c = at(f + 10);
            const real dx = to_segment(along(a, x, u), b, c), dy = to_segment(along(a, y, u), b, c);
            least = fminl(least, fminl(dx, dy));
            if (dx < dy)
                high = y;
            else
                low = x;
        }
        if (i % 16) continue;
        memcpy(f + 13, f + 10, 3 * sizeof *f);  // a triangle that is a segment
        f[6] = (float)least;
        if (fabsl(least - (real)f[6]) > 0x1p-50L * size && capsule_triangle(f) != (least <= (real)f[6])) {
            fail_msg("capsule, case %d: %g", i, (double)(least - (real)f[6]));
        }
    }
}

/// Star-shaped polygons, convex ones among them, as fans of triangles. The plane's constant has the printed sign wrong
/// (D9): polygons far from the origin; its edges are longer than 1.
TEST(polygons_agree_with_their_triangles)
{
    test_random r = test_random_seeded(16);
    int yes = 0, no = 0;
    for (int i = 0; i < 200000; ++i) {
        const size_t n = 3 + test_random_below(&r, 6);
        tact_vec3 v[8], middle = {8.0f * (float)test_random_below(&r, 9), 16.0f, 0.0f};
        middle.z = middle.x + middle.y;  // in the plane z = x + y, exactly
        const bool convex = i % 2;
        for (size_t k = 0; k < n; ++k) {
            const double angle = 6.28318530717958648 * ((double)k + 0.3 * (double)test_random_unit(&r)) / (double)n;
            const double reach = convex ? 6.0 : 2.0 + 6.0 * (double)test_random_unit(&r);
            v[k].x = middle.x + (float)(floor(64.0 * reach * cos(angle)) / 64.0);
            v[k].y = middle.y + (float)(floor(64.0 * reach * sin(angle)) / 64.0);
            v[k].z = v[k].x + v[k].y;
        }
        const tact_sphere s = {{middle.x + 8.0f * test_random_signed(&r), middle.y + 8.0f * test_random_signed(&r),
                                middle.z + 16.0f * test_random_signed(&r)},
                               3.0f * test_random_unit(&r)};
        bool expected = false;
        for (size_t k = 0; k < n; ++k) {
            const tact_triangle t = {middle, v[k], v[(k + 1) % n]};
            expected = expected || tact_sphere_overlaps_triangle(s, &t);
        }
        const bool got = tact_sphere_overlaps_polygon(s, v, n);
        if (n == 3 && !expected && got) continue;  // the middle need not be inside
        if (got != expected) fail_msg("case %d: %d", i, got);
        yes += got;
        no += !got;
    }
    assert_true(yes > 10000 && no > 20000);
}

/// A point of the cylinder by its own definition, and one of the other shape: when they are one, there is overlap.
TEST(cylinders_overlap_what_has_a_point_in_them)
{
    test_random r = test_random_seeded(17);
    int cases = 0;
    for (int i = 0; i < 400000; ++i) {
        float f[MOST] = {0};
        const int way = 1 + i % (WAYS - 1);
        draw(&r, "pplpp", way, f);
        const rvec a = at(f), u = minus(at(f + 3), a), v = minus(at(f + 7), a);
        rvec out = along(v, -dot(v, u) / dot(u, u), u);
        out = along(out, 0.999L * (real)(f[6] * test_random_unit(&r)) / length(out) - 1, out);
        rvec in = along(a, 0.001L + 0.998L * (real)test_random_unit(&r), u);
        in = along(in, 1, out);
        // The triangle has it in its middle, the box at a corner.
        const tact_vec3 p = {(float)in.x, (float)in.y, (float)in.z}, b = {f[7], f[8], f[9]}, q = {f[10], f[11], f[12]};
        const real size = length(in) + length(at(f + 7)) + length(at(f + 10));
        if (0x1p-20L * size > 1e-3L * fminl((real)f[6], length(u))) continue;  // rounding could move it out
        const tact_triangle t = {b, q, {3.0f * p.x - b.x - q.x, 3.0f * p.y - b.y - q.y, 3.0f * p.z - b.z - q.z}};
        const tact_aabb box = {{fminf(p.x, b.x), fminf(p.y, b.y), fminf(p.z, b.z)},
                               {fmaxf(p.x, b.x), fmaxf(p.y, b.y), fmaxf(p.z, b.z)}};
        const tact_cylinder c = cylinder(f);
        ++cases;
        if (!tact_cylinder_overlaps_sphere(&c, (tact_sphere){p, 0.0f})) fail_msg("point, case %d", i);
        if (!tact_cylinder_overlaps_triangle(&c, &t)) fail_msg("triangle, case %d", i);
        if (!tact_cylinder_overlaps_aabb(&c, box)) fail_msg("box, case %d", i);
    }
    assert_true(cases > 200000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
