// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Volumes against counting and closed forms, tightness against known distances.

#include "tact/geometry/measure.h"

#include "tests/support/run.h"

#include "tact/geometry/obb.h"
#include "tests/geometry/boxes.h"

static bool is_about(double x, double expected, double relative)
{
    return fabs(x - expected) <= relative * fabs(expected);
}

TEST(round_shapes_have_their_volumes)
{
    for (int e = -20; e <= 20; e += 20) {
        const float k = ldexpf(1.0f, e);
        const double area = ldexp(1.0, 2 * e), volume = ldexp(1.0, 3 * e), pi = 3.14159265358979;
        const tact_sphere s = {{1, 2, 3}, 2 * k};
        assert_true(is_about(tact_sphere_volume(s), 32.0 / 3.0 * pi * volume, 1e-12));
        assert_true(is_about(tact_sphere_area(s), 16.0 * pi * area, 1e-12));
        const tact_cylinder c = {{k, k, k}, {2 * k, 3 * k, 3 * k}, 2 * k};
        assert_true(is_about(tact_cylinder_volume(&c), 12.0 * pi * volume, 1e-12));
        assert_true(is_about(tact_cylinder_area(&c), 20.0 * pi * area, 1e-12));
        const tact_cone o = {{1, 1, 1}, {0, 0, 1}, 4 * k, 3 * k};
        assert_true(is_about(tact_cone_volume(&o), 12.0 * pi * volume, 1e-12));
        assert_true(is_about(tact_cone_area(&o), 24.0 * pi * area, 1e-12));
        const tact_ellipsoid l = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {k, 2 * k, 3 * k}};
        assert_true(is_about(tact_ellipsoid_volume(&l), 8.0 * pi * volume, 1e-12));
    }
}

TEST(broken_shapes_have_none)
{
    const float bad[4] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 15; ++k) {
            tact_sphere s = {{0, 0, 0}, 1};
            tact_cylinder c = {{0, 0, 0}, {1, 0, 0}, 1};
            tact_cone o = {{0, 0, 0}, {0, 0, 1}, 1, 1};
            tact_ellipsoid l = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
            float* of_s[4] = {&s.center.x, &s.center.y, &s.center.z, &s.radius};
            float* of_c[7] = {&c.a.x, &c.a.y, &c.a.z, &c.b.x, &c.b.y, &c.b.z, &c.radius};
            float* of_o[8] = {&o.apex.x, &o.apex.y, &o.apex.z, &o.axis.x, &o.axis.y, &o.axis.z, &o.height, &o.radius};
            float* of_l[15] = {&l.center.x,  &l.center.y,  &l.center.z,  &l.axis[0].x, &l.axis[0].y,
                               &l.axis[0].z, &l.axis[1].x, &l.axis[1].y, &l.axis[1].z, &l.axis[2].x,
                               &l.axis[2].y, &l.axis[2].z, &l.radius.x,  &l.radius.y,  &l.radius.z};
            if (k < 4) *of_s[k] = bad[i];
            if (k < 7) *of_c[k] = bad[i];
            if (k < 8) *of_o[k] = bad[i];
            *of_l[k] = bad[i];
            const bool length = i < 3;
            if (k < 4 && (length || k == 3)) assert_true(isnan(tact_sphere_volume(s)) && isnan(tact_sphere_area(s)));
            if (k < 7 && (length || k == 6))
                assert_true(isnan(tact_cylinder_volume(&c)) && isnan(tact_cylinder_area(&c)));
            if (k < 8 && (length || k >= 6)) assert_true(isnan(tact_cone_volume(&o)) && isnan(tact_cone_area(&o)));
            if (length || k >= 12) assert_true(isnan(tact_ellipsoid_volume(&l)));
        }
    }
}

static void planes_of(const tact_obb* b, tact_plane planes[6])
{
    const float half[3] = {b->half.x, b->half.y, b->half.z};
    for (int i = 0; i < 3; ++i) {
        const tact_vec3 n = b->axis[i], c = b->center;
        const double at = (double)n.x * (double)c.x + (double)n.y * (double)c.y + (double)n.z * (double)c.z;
        planes[2 * i] = (tact_plane){n, (float)(at + (double)half[i])};
        planes[2 * i + 1] = (tact_plane){{-n.x, -n.y, -n.z}, (float)((double)half[i] - at)};
    }
}

TEST(boxes_are_measured_by_their_planes)
{
    test_random r = test_random_seeded(1);
    for (int i = 0; i < 20000; ++i) {
        tact_obb box = test_obb(&r, 1.0f, 0.2f, 1.0f);
        const float k = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1e6f : 1.0f;
        box.center = test_times(box.center, k);
        box.half = test_times(box.half, k);
        tact_plane planes[12];
        planes_of(&box, planes);
        planes_of(&box, planes + 6);  // all twice, with longer normals, or farther out
        for (int j = 6; j < 12; ++j) {
            planes[j].normal = test_times(planes[j].normal, 3.0f);
            planes[j].distance *= 3.0f;
            if (i % 4 == 3) planes[j].distance += k;
        }
        const size_t count = i % 4 >= 2 ? 12 : 6;
        assert_true(is_about(tact_half_spaces_volume(planes, count), tact_obb_volume(&box), 1e-5));
        assert_true(is_about(tact_half_spaces_area(planes, count), tact_obb_area(&box), 1e-5));
    }
}

TEST(planes_may_touch_edges_and_corners)
{
    tact_plane planes[26];
    size_t n = 0;
    for (int x = -1; x <= 1; ++x) {
        for (int y = -1; y <= 1; ++y) {
            for (int z = -1; z <= 1; ++z) {
                if (x == 0 && y == 0 && z == 0) continue;
                // Of the cube from 1000 to 1002: faces, and planes through its edges and corners.
                const float reach = (float)(x * x + y * y + z * z);
                planes[n++] = (tact_plane){{(float)x, (float)y, (float)z}, 1001.0f * (float)(x + y + z) + reach};
            }
        }
    }
    assert_true(is_about(tact_half_spaces_volume(planes, 26), 8.0, 1e-8));
    assert_true(is_about(tact_half_spaces_area(planes, 26), 24.0, 1e-8));
    // Corners cut off at half an edge: eight tetrahedra with edges of 1 less. The edge planes still only touch.
    for (size_t i = 0; i < 26; ++i) {
        const tact_vec3 m = planes[i].normal;
        if (fabsf(m.x) + fabsf(m.y) + fabsf(m.z) == 3.0f) planes[i].distance -= 1.0f;
    }
    assert_true(is_about(tact_half_spaces_volume(planes, 26), 8.0 - 8.0 / 6.0, 1e-8));
}

TEST(unbounded_and_empty_sets_are_told)
{
    const tact_plane slab[6] = {{{1, 0, 0}, 1},  {{-1, 0, 0}, 1}, {{0, 1, 0}, 1},
                                {{0, -1, 0}, 1}, {{0, 0, 1}, 1},  {{0, 0, -1}, 1}};
    for (size_t count = 0; count < 6; ++count) {
        assert_true(isinf(tact_half_spaces_volume(slab, count)));
        assert_true(isinf(tact_half_spaces_area(slab, count)));
    }
    assert_true(is_about(tact_half_spaces_volume(slab, 6), 8.0, 1e-10));
    tact_plane p[7];
    for (int i = 0; i < 6; ++i)
        p[i] = slab[i];
    p[6] = (tact_plane){{3, 2, 1}, 1e15f};  // redundant, and far out
    assert_true(is_about(tact_half_spaces_volume(p, 7), 8.0, 1e-10));
    p[1].distance = -2.0f;  // x <= 1 and x >= 2
    assert_true(tact_half_spaces_volume(p, 6) == 0.0 && tact_half_spaces_area(p, 6) == 0.0);
    p[1].distance = -1.0f;  // x = 1
    assert_true(fabs(tact_half_spaces_volume(p, 6)) < 1e-10);
    assert_true(is_about(tact_half_spaces_area(p, 6), 8.0, 1e-9));
    // Cones with their tip in the origin: all distances 0.
    for (int i = 0; i < 6; ++i)
        p[i] = (tact_plane){slab[i].normal, 0};
    assert_true(fabs(tact_half_spaces_volume(p, 6)) < 1e-30);
    assert_true(isinf(tact_half_spaces_volume(p, 3)));
    p[2].normal = (tact_vec3){0, 0, 0};
    assert_true(isnan(tact_half_spaces_volume(p, 6)));
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 72; ++i) {
        for (int k = 0; k < 6; ++k)
            p[k] = slab[k];
        tact_plane* q = &p[i / 12];
        float* at[4] = {&q->normal.x, &q->normal.y, &q->normal.z, &q->distance};
        *at[i / 3 % 4] = bad[i % 3];
        assert_true(isnan(tact_half_spaces_volume(p, 6)) && isnan(tact_half_spaces_area(p, 6)));
    }
    static tact_plane many[TACT_MEASURE_MAX_PLANES + 1];
    for (int i = 0; i <= TACT_MEASURE_MAX_PLANES; ++i)
        many[i] = slab[i % 6];
    assert_true(is_about(tact_half_spaces_volume(many, TACT_MEASURE_MAX_PLANES), 8.0, 1e-9));
    assert_true(isnan(tact_half_spaces_volume(many, TACT_MEASURE_MAX_PLANES + 1)));
}

TEST(random_sets_agree_with_counting)
{
    test_random r = test_random_seeded(2);
    for (int i = 0; i < 20; ++i) {
        tact_plane planes[30];
        for (int k = 0; k < 30; ++k) {
            tact_vec3 f[3];
            test_frame(&r, f);
            planes[k] = (tact_plane){f[0], 0.4f + 0.6f * test_random_unit(&r)};
        }
        const double volume = tact_half_spaces_volume(planes, 30);
        assert_true(volume > 0.26 && volume < 20.0);
        int inside = 0;
        const int tries = 200000;
        for (int j = 0; j < tries; ++j) {
            const tact_vec3 p = test_vec3(&r, 1.5f);
            bool in = true;
            for (int k = 0; k < 30 && in; ++k) {
                const tact_vec3 n = planes[k].normal;
                in = n.x * p.x + n.y * p.y + n.z * p.z <= planes[k].distance;
            }
            inside += in;
        }
        assert_true(fabs(27.0 * inside / tries - volume) < 0.08);
    }
    // A ball from many planes around it.
    static tact_plane around[TACT_MEASURE_MAX_PLANES];
    for (int k = 0; k < TACT_MEASURE_MAX_PLANES; ++k) {
        tact_vec3 f[3];
        test_frame(&r, f);
        around[k] = (tact_plane){f[0], 1};
    }
    const double ball = 4.18879020478639, found = tact_half_spaces_volume(around, TACT_MEASURE_MAX_PLANES);
    assert_true(found > ball && found < 1.1 * ball);
    // Of a set around a ball of radius 1 the volume is a third of the area.
    assert_true(is_about(tact_half_spaces_area(around, TACT_MEASURE_MAX_PLANES), 3.0 * found, 1e-6));
}

static const uint32_t octahedron[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

TEST(tightness_is_the_greatest_distance_of_a_corner)
{
    for (int e = -20; e <= 20; e += 20) {
        const float k = ldexpf(1.0f, e);
        const tact_vec3 v[7] = {{k, 0, 0}, {-k, 0, 0}, {0, k, 0}, {0, -k, 0}, {0, 0, k}, {0, 0, -k}, {0, 0, 0}};
        const tact_obb cube = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {k, k, k}};
        tact_vec3 corners[8];
        tact_obb_corners(&cube, corners);
        // The corner (1, 1, 1) is 2 / sqrt 3 from the plane x + y + z = 1.
        assert_true(is_about(tact_tightness(corners, 8, v, 7, octahedron, 8), 2.0 / sqrt(3.0) * (double)k, 1e-12));
        assert_true(tact_tightness(v, 6, v, 7, octahedron, 8) <= 1e-16 * (double)k);
        // Nearest to a corner, to an edge, and a triangle that is a segment.
        const tact_vec3 off[2] = {{3 * k, 0, 0}, {2 * k, 2 * k, 0}};
        assert_true(is_about(tact_tightness(off, 1, v, 7, octahedron, 8), 2.0 * (double)k, 1e-12));
        assert_true(is_about(tact_tightness(off + 1, 1, v, 7, octahedron, 8), 1.5 * sqrt(2.0) * (double)k, 1e-12));
        const uint32_t thin[3] = {0, 1, 1};
        assert_true(is_about(tact_tightness(off + 1, 1, v, 7, thin, 1), sqrt(5.0) * (double)k, 1e-12));
        assert_true(is_about(tact_diameter(v, 6), 2.0 * (double)k, 1e-12));
        assert_true(tact_diameter(v, 1) == 0.0);
    }
    // Against sampling of the triangle.
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 300; ++i) {
        const tact_vec3 t[3] = {test_vec3(&r, 1.0f), test_vec3(&r, 1.0f), test_vec3(&r, 1.0f)}, p = test_vec3(&r, 2.0f);
        const uint32_t index[3] = {0, 1, 2};
        double least = HUGE_VAL;
        for (int a = 0; a <= 60; ++a) {
            for (int b = 0; a + b <= 60; ++b) {
                const double u = a / 60.0, v = b / 60.0, w = 1.0 - u - v;
                const double x = u * (double)t[0].x + v * (double)t[1].x + w * (double)t[2].x - (double)p.x;
                const double y = u * (double)t[0].y + v * (double)t[1].y + w * (double)t[2].y - (double)p.y;
                const double z = u * (double)t[0].z + v * (double)t[1].z + w * (double)t[2].z - (double)p.z;
                least = fmin(least, sqrt(x * x + y * y + z * z));
            }
        }
        const double found = tact_tightness(&p, 1, t, 3, index, 1);
        assert_true(found <= least + 1e-12 && found >= least - 0.05);
    }
}

TEST(broken_bodies_have_no_tightness)
{
    const uint32_t triangle[3] = {0, 1, 2}, outside[3] = {0, 1, 3};
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    const tact_vec3 good[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 27; ++i) {
        float x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        x[i / 3] = bad[i % 3];
        const tact_vec3 p[3] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
        assert_true(isnan(tact_diameter(p, 3)));
        assert_true(isnan(tact_tightness(p, 3, good, 3, triangle, 1)));
        assert_true(isnan(tact_tightness(good, 3, p, 3, triangle, 1)));
    }
    assert_true(isnan(tact_diameter(NULL, 0)) && isnan(tact_tightness(NULL, 0, good, 3, triangle, 1)));
    assert_true(isnan(tact_tightness(good, 3, good, 3, outside, 1)));
    assert_true(isnan(tact_tightness(good, 3, good, 3, NULL, 0)));
    assert_true(isnan(tact_tightness(good, 3, NULL, 0, triangle, 1)));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
