// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Points in polygons, polyhedra and round solids, against hand-made cases and oracles: 113-bit arithmetic by other
// formulas, angle sums, and solids made of cubes.

#include "tests/support/run.h"

#include "tact/geometry/containment.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/vectors.h"
#include "tests/support/random.h"

static const float scales[] = {1e-6f, 1.0f, 1e6f};

TEST(triangles_of_the_plane)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_vec2 a = {0, 0}, b = {4 * s, 0}, c = {0, 4 * s};
        const tact_vec2 in[] = {{s, s}, {0, 0}, {4 * s, 0}, {0, 4 * s}, {2 * s, 2 * s}, {s, 0}, {0, s}};
        const tact_vec2 out[] = {{3 * s, 3 * s}, {-s, 0}, {5 * s, 0}, {s, -1e-6f * s}, {-1e-6f * s, s}, {0, 5 * s}};
        for (size_t k = 0; k < sizeof in / sizeof in[0]; ++k) {
            assert_true(tact_triangle_contains_point_2d(a, b, c, in[k]));
            assert_true(tact_triangle_contains_point_2d(a, c, b, in[k]));
        }
        for (size_t k = 0; k < sizeof out / sizeof out[0]; ++k) {
            assert_false(tact_triangle_contains_point_2d(a, b, c, out[k]));
            assert_false(tact_triangle_contains_point_2d(c, b, a, out[k]));
        }
        // A segment, and a point.
        assert_true(tact_triangle_contains_point_2d(a, b, v2(s, 0), v2(3 * s, 0)));
        assert_false(tact_triangle_contains_point_2d(a, b, v2(s, 0), v2(5 * s, 0)));
        assert_false(tact_triangle_contains_point_2d(a, b, v2(s, 0), v2(s, s)));
        assert_true(tact_triangle_contains_point_2d(b, b, b, b));
        assert_false(tact_triangle_contains_point_2d(b, b, b, v2(5 * s, 0)));
    }
}

TEST(triangles_of_space)
{
    const tact_triangle t = {v3(4, 0, 0), v3(0, 4, 0), v3(0, 0, 4)};
    assert_true(tact_triangle_contains_point(&t, v3(1, 1, 2)));
    assert_true(tact_triangle_contains_point(&t, v3(4, 0, 0)));
    assert_true(tact_triangle_contains_point(&t, v3(2, 2, 0)));
    assert_false(tact_triangle_contains_point(&t, v3(5, -1, 0)));
    assert_false(tact_triangle_contains_point(&t, v3(3, 3, -2)));
    assert_false(tact_triangle_contains_point(&t, v3(1, 1, 2.000001f)));
    assert_true(tact_triangle_faces_point(&t, v3(5, 5, 6)));
    assert_true(tact_triangle_faces_point(&t, v3(-3, -3, -2)));
    assert_true(tact_triangle_faces_point(&t, v3(9, 5, 5)));
    assert_false(tact_triangle_faces_point(&t, v3(9, 1, 1)));
    const tact_triangle line = {v3(0, 0, 0), v3(4, 4, 4), v3(1, 1, 1)};
    assert_true(tact_triangle_contains_point(&line, v3(2, 2, 2)));
    assert_false(tact_triangle_contains_point(&line, v3(5, 5, 5)));
    assert_false(tact_triangle_contains_point(&line, v3(2, 2, 1)));
    assert_false(tact_triangle_faces_point(&line, v3(2, 2, 2)));
}

TEST(polygons_with_troubles)
{
    // An E on its side: vertices at the point's height on both sides of it, and edges along the ray.
    const tact_vec2 comb[] = {{0, 0}, {6, 0}, {6, 2}, {5, 2}, {5, 1}, {4, 1},
                              {4, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(0.5f, 1)), TACT_POINT_INSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(3, 1)), TACT_POINT_INSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(-1, 1)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(-1, 0)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(-1, 2)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(3, 2)), TACT_POINT_ON_BOUNDARY);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(1.5f, 2)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(4.5f, 1)), TACT_POINT_ON_BOUNDARY);
    assert_int_equal(tact_polygon_locate_2d(comb, 12, v2(0, 0)), TACT_POINT_ON_BOUNDARY);
    // Twice round: the rules differ in the middle.
    const tact_vec2 star[] = {{0, 10}, {-6, -8}, {9.5f, 3}, {-9.5f, 3}, {6, -8}};
    int32_t turns = 9;
    assert_int_equal(tact_polygon_locate_2d(star, 5, v2(0, 0)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_winding_2d(star, 5, v2(0, 0), &turns), TACT_POINT_INSIDE);
    assert_int_equal(turns, 2);
    assert_int_equal(tact_polygon_winding_2d(star, 5, v2(0, 7), &turns), TACT_POINT_INSIDE);
    assert_int_equal(turns, 1);
    assert_int_equal(tact_polygon_winding_2d(star, 5, v2(9, -7), &turns), TACT_POINT_OUTSIDE);
    assert_int_equal(turns, 0);
    assert_int_equal(tact_polygon_winding_2d(star, 5, v2(0, 10), NULL), TACT_POINT_ON_BOUNDARY);
    const tact_vec2 clockwise[] = {{0, 0}, {0, 2}, {2, 2}, {2, 0}};
    assert_int_equal(tact_polygon_winding_2d(clockwise, 4, v2(1, 1), &turns), TACT_POINT_INSIDE);
    assert_int_equal(turns, -1);
    // One vertex, two, none.
    assert_int_equal(tact_polygon_locate_2d(star, 1, v2(0, 10)), TACT_POINT_ON_BOUNDARY);
    assert_int_equal(tact_polygon_locate_2d(star, 1, v2(0, 9)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 2, v2(3, 0)), TACT_POINT_ON_BOUNDARY);
    assert_int_equal(tact_polygon_locate_2d(comb, 2, v2(7, 0)), TACT_POINT_OUTSIDE);
    assert_int_equal(tact_polygon_locate_2d(comb, 0, v2(7, 0)), TACT_POINT_OUTSIDE);

    assert_false(tact_convex_polygon_contains_point_2d(comb, 0, v2(0, 0)));
    assert_true(tact_convex_polygon_contains_point_2d(comb, 1, v2(0, 0)));
    assert_true(tact_convex_polygon_contains_point_2d(comb, 2, v2(3, 0)));
    assert_false(tact_convex_polygon_contains_point_2d(comb, 2, v2(7, 0)));
    // Flat, there and back; and with vertices on the edges at the first one.
    const tact_vec2 flat[] = {{0, 0}, {1, 0}, {3, 0}, {2, 0}};
    assert_true(tact_convex_polygon_contains_point_2d(flat, 4, v2(2.5f, 0)));
    assert_false(tact_convex_polygon_contains_point_2d(flat, 4, v2(3.5f, 0)));
    assert_false(tact_convex_polygon_contains_point_2d(flat, 4, v2(1, 1)));
    const tact_vec2 square[] = {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 1}};
    for (int x = -1; x <= 5; ++x)
        for (int y = -1; y <= 5; ++y)
            assert_int_equal(tact_convex_polygon_contains_point_2d(square, 6, v2(0.5f * (float)x, 0.5f * (float)y)),
                             x >= 0 && x <= 4 && y >= 0 && y <= 4);
}

TEST(solids_have_their_points)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_plane box[6] = {{{2, 0, 0}, 2 * s}, {{-1, 0, 0}, 0}, {{0, s, 0}, s * s},
                                   {{0, -1, 0}, 0},    {{0, 0, 1}, s},  {{0, 0, -3}, 0}};
        assert_true(tact_planes_contain_point(box, 6, v3(0.5f * s, 0.5f * s, 0.5f * s)));
        assert_true(tact_planes_contain_point(box, 6, v3(s, s, s)) || i != 1);  // s * s is rounded
        assert_true(tact_planes_contain_point(box, 6, v3(0, 0, 0)));
        assert_false(tact_planes_contain_point(box, 6, v3(-1e-9f * s, 0, 0)));
        assert_false(tact_planes_contain_point(box, 6, v3(0.5f * s, 0.5f * s, 1.0001f * s)));
        assert_true(tact_planes_contain_point(box, 0, v3(9, 9, 9)));

        // A sum that doubles round to the distance.
        const tact_plane slant = {{1, 1, 0}, s};
        assert_false(tact_planes_contain_point(&slant, 1, v3(s, 0x1p-60f * s, 0)));
        assert_true(tact_planes_contain_point(&slant, 1, v3(s, -0x1p-60f * s, 0)));

        const tact_vec3 t[4] = {{0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}, {0, 0, 4 * s}};
        assert_true(tact_tetrahedron_contains_point(t, v3(s, s, s)));
        assert_true(tact_tetrahedron_contains_point(t, v3(s, s, 2 * s)));
        assert_true(tact_tetrahedron_contains_point(t, v3(0, 0, 4 * s)));
        assert_false(tact_tetrahedron_contains_point(t, v3(2 * s, 2 * s, s)));
        assert_false(tact_tetrahedron_contains_point(t, v3(s, s, -1e-6f * s)));
        // Without volume: the printed test has sign 0 for all points, and takes them.
        const tact_vec3 flat[4] = {{0, 0, 0}, {4 * s, 0, 0}, {4 * s, 4 * s, 0}, {0, 4 * s, 0}};
        assert_true(tact_tetrahedron_contains_point(flat, v3(s, 3 * s, 0)));
        assert_true(tact_tetrahedron_contains_point(flat, v3(3 * s, s, 0)));
        assert_false(tact_tetrahedron_contains_point(flat, v3(s, s, s)));
        assert_false(tact_tetrahedron_contains_point(flat, v3(5 * s, s, 0)));

        const tact_capsule pill = {v3(0, 0, 0), v3(4 * s, 0, 0), s};
        assert_true(tact_capsule_contains_point(&pill, v3(2 * s, s, 0)));
        assert_true(tact_capsule_contains_point(&pill, v3(5 * s, 0, 0)) || i != 1);
        assert_true(tact_capsule_contains_point(&pill, v3(-s, 0, 0)));
        assert_false(tact_capsule_contains_point(&pill, v3(4.9f * s, 0.9f * s, 0)));
        assert_false(tact_capsule_contains_point(&pill, v3(2 * s, s, 0.01f * s)));
        const tact_cylinder can = {v3(0, 0, 0), v3(4 * s, 0, 0), s};
        assert_true(tact_cylinder_contains_point(&can, v3(4 * s, s, 0)));
        assert_true(tact_cylinder_contains_point(&can, v3(0, 0, s)));
        assert_false(tact_cylinder_contains_point(&can, v3(-1e-6f * s, 0, 0)));
        assert_false(tact_cylinder_contains_point(&can, v3(4.00001f * s, 0, 0)));
        assert_false(tact_cylinder_contains_point(&can, v3(s, 0.8f * s, 0.8f * s)));
        const tact_cone hat = {v3(0, 0, s), v3(0, 0, 1), 2 * s, s};
        assert_true(tact_cone_contains_point(&hat, v3(0, 0, s)));
        assert_true(tact_cone_contains_point(&hat, v3(0, 0.99f * s, 2.99f * s)));
        assert_true(tact_cone_contains_point(&hat, v3(0.49f * s, 0, 2 * s)));
        assert_false(tact_cone_contains_point(&hat, v3(0.51f * s, 0, 2 * s)));
        assert_false(tact_cone_contains_point(&hat, v3(0, 0, 0.99f * s)));
        assert_false(tact_cone_contains_point(&hat, v3(0, 0, 3.01f * s)));
        const tact_ellipsoid egg = {v3(s, 0, 0), {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, v3(s, 2 * s, 3 * s)};
        assert_true(tact_ellipsoid_contains_point(&egg, v3(0, 0, 0)));
        assert_true(tact_ellipsoid_contains_point(&egg, v3(s, 2 * s, 0)));
        assert_true(tact_ellipsoid_contains_point(&egg, v3(s, 0, -3 * s)));
        assert_false(tact_ellipsoid_contains_point(&egg, v3(1.5f * s, 2 * s, 0)));
    }
}

TEST(flat_solids)
{
    const tact_capsule ball = {v3(1, 1, 1), v3(1, 1, 1), 2}, wire = {v3(0, 0, 0), v3(2, 2, 2), 0};
    assert_true(tact_capsule_contains_point(&ball, v3(1, 3, 1)));
    assert_false(tact_capsule_contains_point(&ball, v3(1, 3, 1.1f)));
    assert_true(tact_capsule_contains_point(&wire, v3(1, 1, 1)));
    assert_false(tact_capsule_contains_point(&wire, v3(1, 1, 1.0001f)));
    const tact_cylinder none = {v3(1, 1, 1), v3(1, 1, 1), 2}, rod = {v3(0, 0, 0), v3(2, 2, 2), 0};
    assert_false(tact_cylinder_contains_point(&none, v3(1, 1, 1)));
    assert_true(tact_cylinder_contains_point(&rod, v3(1, 1, 1)));
    assert_false(tact_cylinder_contains_point(&rod, v3(1, 1, 1.0001f)));
    const tact_cone disc = {v3(0, 0, 1), v3(0, 0, 1), 0, 2}, spike = {v3(0, 0, 1), v3(0, 0, 1), 2, 0};
    assert_true(tact_cone_contains_point(&disc, v3(2, 0, 1)));
    assert_false(tact_cone_contains_point(&disc, v3(2, 0.1f, 1)));
    assert_false(tact_cone_contains_point(&disc, v3(0, 0, 1.1f)));
    assert_true(tact_cone_contains_point(&spike, v3(0, 0, 3)));
    assert_false(tact_cone_contains_point(&spike, v3(0, 0.1f, 3)));
    const tact_cone no_axis = {v3(0, 0, 1), v3(0, 0, 0), 2, 1};
    assert_false(tact_cone_contains_point(&no_axis, v3(0, 0, 1)));
    const tact_ellipsoid plate = {v3(0, 0, 0), {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, v3(1, 2, 0)};
    assert_true(tact_ellipsoid_contains_point(&plate, v3(0, 2, 0)));
    assert_false(tact_ellipsoid_contains_point(&plate, v3(0, 1, 0.1f)));
    const tact_ellipsoid minus = {v3(0, 0, 0), {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, v3(1, -2, 3)};
    assert_false(tact_ellipsoid_contains_point(&minus, v3(0, 0, 0)));
    const tact_capsule hollow = {v3(0, 0, 0), v3(1, 0, 0), -1};
    const tact_cylinder inside_out = {v3(0, 0, 0), v3(1, 0, 0), -1};
    const tact_cone upside = {v3(0, 0, 0), v3(0, 0, 1), -1, 1}, thin = {v3(0, 0, 0), v3(0, 0, 1), 1, -1};
    assert_false(tact_capsule_contains_point(&hollow, v3(0, 0, 0)));
    assert_false(tact_cylinder_contains_point(&inside_out, v3(0, 0, 0)));
    assert_false(tact_cone_contains_point(&upside, v3(0, 0, 0)));
    assert_false(tact_cone_contains_point(&thin, v3(0, 0, 0)));
}

/// The point and the numbers of each shape in one array, so that all coordinates can be spoiled one after the other.
static int ask(int shape, const float* c)
{
    static const uint32_t one[3] = {0, 1, 2};
    tact_vec2 q[5];
    tact_vec3 p[5];
    for (int i = 0; i < 5; ++i) {
        q[i] = v2(c[2 * i], c[2 * i + 1]);
        p[i] = v3(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
    }
    const tact_triangle t = {p[1], p[2], p[3]};
    const tact_plane planes[2] = {{p[1], 100}, {p[2], c[9] + 100}};
    const tact_capsule pill = {p[1], p[2], 50 + c[9]};
    const tact_cylinder can = {p[1], p[2], 50 + c[9]};
    const tact_cone cone = {p[1], p[2], 50 + c[9], 50 + c[10]};
    const tact_ellipsoid egg = {p[1], {p[2], p[3], p[4]}, v3(90 + c[15], 90, 90 + c[16])};
    switch (shape) {
        case 0:
            return tact_triangle_contains_point_2d(q[1], q[2], q[3], q[0]);
        case 1:
            return tact_convex_polygon_contains_point_2d(q + 1, 3, q[0]);
        case 2:
            return (int)tact_polygon_locate_2d(q + 1, 3, q[0]);
        case 3:
            return (int)tact_polygon_winding_2d(q + 1, 3, q[0], NULL);
        case 4:
            return tact_triangle_contains_point(&t, p[0]);
        case 5:
            return tact_triangle_faces_point(&t, p[0]);
        case 6:
            return tact_planes_contain_point(planes, 2, p[0]);
        case 7:
            return tact_tetrahedron_contains_point(p + 1, p[0]);
        case 8:
            return (int)tact_mesh_locate(p + 1, one, 1, p[0], NULL);
        case 9:
            return tact_capsule_contains_point(&pill, p[0]);
        case 10:
            return tact_cylinder_contains_point(&can, p[0]);
        case 11:
            return tact_cone_contains_point(&cone, p[0]);
        case 12:
            return tact_ellipsoid_contains_point(&egg, p[0]);
        default:
            return !isnan(tact_mesh_winding_number(p + 1, one, 1, p[0]));
    }
}

TEST(not_numbers_are_nowhere)
{
    static const struct {
        int used;
        float c[17];
    } cases[] = {
        {8, {1, 1, 0, 0, 4, 0, 0, 4}},
        {8, {1, 1, 0, 0, 4, 0, 0, 4}},
        {8, {1, 1, 0, 0, 4, 0, 0, 4}},
        {8, {1, 1, 0, 0, 4, 0, 0, 4}},
        {12, {1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0}},
        {12, {1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0}},
        {10, {1, 1, 0, 1, 2, 3, 4, 0, 0, 0}},
        {15, {1, 1, 1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4}},
        {12, {1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0}},
        {10, {1, 1, 0, 0, 0, 0, 4, 0, 0, 0}},
        {10, {1, 1, 0, 0, 0, 0, 4, 0, 0, 0}},
        {11, {0.5f, 0.5f, 1, 0, 0, 0, 0, 0, 1, 0, 0}},
        {17, {1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}},
        {12, {1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0}},
    };
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int shape = 0; shape < 14; ++shape) {
        for (int b = 0; b < 3; ++b) {
            assert_int_not_equal(ask(shape, cases[shape].c), 0);
            for (int i = 0; i < cases[shape].used; ++i) {
                float c[17];
                memcpy(c, cases[shape].c, sizeof c);
                c[i] = bad[b];
                assert_int_equal(ask(shape, c), 0);
            }
        }
    }
    // Where a binary search meets them, and where it does not.
    tact_vec2 v[6] = {{0, 0}, {4, 0}, {5, 1}, {5, 2}, {4, 3}, {0, 3}};
    for (int i = 0; i < 6; ++i) {
        const tact_vec2 keep = v[i];
        v[i].y = NAN;
        (void)tact_convex_polygon_contains_point_2d(v, 6, v2(1, 1));
        if (i == 0 || i == 3) assert_false(tact_convex_polygon_contains_point_2d(v, 6, v2(1, 1)));
        v[i] = keep;
    }
    assert_true(tact_convex_polygon_contains_point_2d(v, 6, v2(1, 1)));
    int32_t turns = 7;
    assert_int_equal(tact_polygon_winding_2d(v, 6, v2(NAN, 1), &turns), TACT_POINT_OUTSIDE);
    assert_int_equal(turns, 0);
}

TEST(solids_of_cubes_are_known_inside_and_out)
{
    static cubes m;
    test_random r = test_random_seeded(701);
    long seen[3] = {0, 0, 0};
    for (int n = 0; n < 600; ++n) {
        const float scale = n % 3 == 0 ? 1.0f : n % 3 == 1 ? 0x1p-20f : 0x1p20f;
        cubes_build(&m, &r, scale);
        for (int k = 0; k < 729; ++k) {
            const int halves[3] = {k % 9 - 1, k / 9 % 9 - 1, k / 81 - 1};
            const tact_vec3 p =
                v3(0.5f * scale * (float)halves[0], 0.5f * scale * (float)halves[1], 0.5f * scale * (float)halves[2]);
            const tact_location expect = cubes_expect(&m, halves);
            int32_t turns = 5;
            assert_int_equal(tact_mesh_locate(m.vertices, m.indices, m.count, p, &turns), expect);
            assert_int_equal(turns, expect == TACT_POINT_INSIDE);
            ++seen[expect];
            if (k % 4 || expect == TACT_POINT_ON_BOUNDARY) continue;
            const double w = tact_mesh_winding_number(m.vertices, m.indices, m.count, p);
            assert_true(fabs(w - (double)turns) < 1e-12);
        }
    }
    assert_true(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 1000);
    // Half a solid angle from the middle of an open side.
    const tact_vec3 roof[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t both[6] = {0, 1, 3, 0, 3, 2};
    assert_true(fabs(tact_mesh_winding_number(roof, both, 2, v3(0.5f, 0.5f, -1e-9f)) - 0.5) < 1e-6);
    assert_true(fabs(tact_mesh_winding_number(roof, both, 2, v3(0.5f, 0.5f, -0.5f)) - 1.0 / 6.0) < 1e-12);
    assert_true(fabs(tact_mesh_winding_number(roof, both, 2, v3(0.5f, 0.5f, 0.5f)) + 1.0 / 6.0) < 1e-12);
    assert_int_equal(tact_mesh_locate(roof, both, 0, v3(0, 0, 0), NULL), TACT_POINT_OUTSIDE);
}

/// The sum of the angles under which the edges appear, which is right when the point is on none.
static int32_t angle_turns(const tact_vec2* v, uint32_t count, tact_vec2 p, bool* on)
{
    double sum = 0.0;
    *on = false;
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec2 a = v[i], b = v[(i + 1) % count];
        const double ax = (double)a.x - (double)p.x, ay = (double)a.y - (double)p.y;
        const double bx = (double)b.x - (double)p.x, by = (double)b.y - (double)p.y;
        const double cross = ax * by - ay * bx, dot = ax * bx + ay * by;  // exact for the coordinates used here
        if (cross == 0.0 && dot <= 0.0) *on = true;
        sum += atan2(cross, dot);
    }
    return (int32_t)floor(sum / 6.283185307179586 + 0.5);
}

TEST(random_polygons_agree_with_the_angle_sum)
{
    test_random r = test_random_seeded(702);
    long seen[3] = {0, 0, 0}, twice = 0;
    for (long n = 0; n < 1000000; ++n) {
        tact_vec2 v[9], p;
        const uint32_t count = 1 + test_random_below(&r, 9);
        const int32_t grid = n % 3 == 0 ? 4 : n % 3 == 1 ? 12 : 1 << 20;
        for (uint32_t i = 0; i < count; ++i)
            v[i] = v2((float)test_random_below(&r, (uint32_t)grid), (float)test_random_below(&r, (uint32_t)grid));
        p = v2((float)test_random_below(&r, (uint32_t)grid), (float)test_random_below(&r, (uint32_t)grid));
        if (n % 3 == 2 && n % 2)
            p = v2(floorf(0.5f * (v[0].x + v[count / 2].x)), floorf(0.5f * (v[0].y + v[count / 2].y)));
        bool on;
        const int32_t expect = angle_turns(v, count, p, &on);
        const tact_location side = on ? TACT_POINT_ON_BOUNDARY : expect & 1 ? TACT_POINT_INSIDE : TACT_POINT_OUTSIDE;
        assert_int_equal(tact_polygon_locate_2d(v, count, p), side);
        int32_t turns = 0;
        const tact_location round = tact_polygon_winding_2d(v, count, p, &turns);
        assert_int_equal(round, on ? TACT_POINT_ON_BOUNDARY : expect ? TACT_POINT_INSIDE : TACT_POINT_OUTSIDE);
        if (!on) assert_int_equal(turns, expect);
        twice += expect > 1 || expect < -1;
        ++seen[round];
        if (count == 3)
            assert_int_equal(tact_triangle_contains_point_2d(v[0], v[1], v[2], p), round != TACT_POINT_OUTSIDE);
    }
    assert_true(seen[0] > 100000 && seen[1] > 100000 && seen[2] > 100000 && twice > 1000);
}

TEST(motions_and_scales_change_nothing)
{
    static const uint32_t faces[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    test_random r = test_random_seeded(700);
    for (int n = 0; n < 200000; ++n) {
        tact_vec3 p[5], q[5];
        tact_vec2 v[5], w[5];
        const float move = (float)test_random_below(&r, 1000),
                    scale = ldexpf(1.0f, (int)test_random_below(&r, 61) - 30);
        for (int i = 0; i < 5; ++i) {
            p[i] = v3(floorf(4.0f * test_random_signed(&r)), floorf(4.0f * test_random_signed(&r)),
                      floorf(4.0f * test_random_signed(&r)));
            q[i] = v3((move - p[i].y) * scale, (p[i].z + move) * scale, (p[i].x + move) * scale);
            v[i] = v2(p[i].x, p[i].y);
            w[i] = v2((move - p[i].y) * scale, (p[i].x + move) * scale);
        }
        const tact_triangle t = {p[1], p[2], p[3]}, u = {q[2], q[3], q[1]};
        assert_int_equal(tact_triangle_contains_point(&t, p[0]), tact_triangle_contains_point(&u, q[0]));
        assert_int_equal(tact_triangle_faces_point(&t, p[0]), tact_triangle_faces_point(&u, q[0]));
        assert_int_equal(tact_tetrahedron_contains_point(p + 1, p[0]), tact_tetrahedron_contains_point(q + 1, q[0]));
        int32_t turns, back;
        const tact_location side = tact_mesh_locate(p + 1, faces, 4, p[0], &turns);
        assert_int_equal(tact_mesh_locate(q + 1, faces, 4, q[0], &back), side);
        assert_int_equal(back, -turns);  // the motion is a reflection
        assert_int_equal(tact_polygon_locate_2d(v + 1, 4, v[0]), tact_polygon_locate_2d(w + 1, 4, w[0]));
        const tact_location round = tact_polygon_winding_2d(v + 1, 4, v[0], &turns);
        assert_int_equal(tact_polygon_winding_2d(w + 1, 4, w[0], &back), round);
        if (round != TACT_POINT_ON_BOUNDARY) assert_int_equal(back, turns);
        const tact_capsule a = {p[1], p[2], p[3].x + 4}, b = {q[2], q[1], (p[3].x + 4) * scale};
        assert_int_equal(tact_capsule_contains_point(&a, p[0]), tact_capsule_contains_point(&b, q[0]));
        const tact_cylinder c = {p[1], p[2], p[3].x + 4}, d = {q[2], q[1], (p[3].x + 4) * scale};
        assert_int_equal(tact_cylinder_contains_point(&c, p[0]), tact_cylinder_contains_point(&d, q[0]));
    }
}

/// Convex polygons with whole coordinates, by Andrew's way, collinear vertices kept or not.
static uint32_t convex_polygon(test_random* r, tact_vec2* out, int grid, bool keep)
{
    tact_vec2 p[10];
    int count = 0;
    const int wanted = 3 + (int)test_random_below(r, 8);
    for (int i = 0; i < wanted; ++i) {  // sorted, each once
        const tact_vec2 c =
            v2((float)test_random_below(r, (uint32_t)grid), (float)test_random_below(r, (uint32_t)grid));
        int at = 0;
        while (at < count && (p[at].x < c.x || (p[at].x == c.x && p[at].y < c.y)))
            ++at;
        if (at < count && p[at].x == c.x && p[at].y == c.y) continue;
        for (int k = count++; k > at; --k)
            p[k] = p[k - 1];
        p[at] = c;
    }
    uint32_t n = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const uint32_t start = n;
        for (int i = 0; i < count; ++i) {
            const tact_vec2 c = pass ? p[count - 1 - i] : p[i];
            while (n >= start + 2) {
                const tact_vec2 a = out[n - 2], b = out[n - 1];
                const double turn =
                    (double)(b.x - a.x) * (double)(c.y - a.y) - (double)(b.y - a.y) * (double)(c.x - a.x);
                if (turn > 0.0 || (keep && turn == 0.0)) break;
                --n;
            }
            out[n++] = c;
        }
        --n;
    }
    return n;
}

TEST(random_convex_polygons_agree_with_their_sides)
{
    test_random r = test_random_seeded(703);
    long in = 0, out = 0, flat = 0;
    for (long n = 0; n < 400000; ++n) {
        tact_vec2 v[24];
        const int grid = n % 2 ? 5 : 1 << 20;
        const uint32_t count = convex_polygon(&r, v, grid, n % 4 == 1);
        tact_vec2 p = v2((float)test_random_below(&r, (uint32_t)grid), (float)test_random_below(&r, (uint32_t)grid));
        if (count && n % 8 == 0)
            p = v2(floorf(0.5f * (v[0].x + v[count / 2].x)), floorf(0.5f * (v[0].y + v[count / 2].y)));
        bool expect = true, area = false, on = false;
        for (uint32_t i = 0; i < count; ++i) {
            const tact_vec2 a = v[i], b = v[(i + 1) % count], c = v[(i + 2) % count];
            const double side = (double)(b.x - a.x) * (double)(p.y - a.y) - (double)(b.y - a.y) * (double)(p.x - a.x);
            const double dot = (double)(a.x - p.x) * (double)(b.x - p.x) + (double)(a.y - p.y) * (double)(b.y - p.y);
            area = area || (double)(b.x - a.x) * (double)(c.y - a.y) - (double)(b.y - a.y) * (double)(c.x - a.x) > 0.0;
            expect = expect && side >= 0.0;
            on = on || (side == 0.0 && dot <= 0.0);
        }
        if (!area) expect = on;
        flat += !area;
        assert_int_equal(tact_convex_polygon_contains_point_2d(v, count, p), expect);
        in += expect;
        out += !expect;
    }
    assert_true(in > 10000 && out > 10000 && flat > 1000);
}

#ifdef __SIZEOF_FLOAT128__

#include "tests/geometry/closest_oracle.inl"

/// Points on grids, anywhere, nearly in one plane, with common coordinates, of several scales.
static void random_points(test_random* r, tact_vec3* p, int count, uint32_t kind)
{
    const float grid = kind == 0 ? 2.0f : kind == 1 ? 5.0f : 0.0f;
    for (int i = 0; i < count; ++i) {
        float* c[3] = {&p[i].x, &p[i].y, &p[i].z};
        for (int k = 0; k < 3; ++k) {
            *c[k] = test_random_signed(r);
            if (grid > 0.0f) *c[k] = floorf(*c[k] * grid);
            if (kind == 4) *c[k] = 1000.0f + 1e-3f * *c[k];
        }
    }
    const float f = 1.2f * test_random_unit(r) - 0.1f, g = 1.2f * test_random_unit(r) - 0.1f;
    if (kind == 2)  // the first nearly in the plane of the next three
        p[0] = v3(p[1].x + f * (p[2].x - p[1].x) + g * (p[3].x - p[1].x),
                  p[1].y + f * (p[2].y - p[1].y) + g * (p[3].y - p[1].y),
                  p[1].z + f * (p[2].z - p[1].z) + g * (p[3].z - p[1].z));
    if (kind == 3)  // all in a plane across an axis
        for (int i = 0; i < count; ++i)
            p[i].z = 0.375f;
    const float scale = scales[test_random_below(r, 3)];
    for (int i = 0; i < count; ++i)
        p[i] = v3(p[i].x * scale, p[i].y * scale, p[i].z * scale);
}

/// Solves for the weights by the normal equations, exactly for these coordinates. 1: contains the foot.
static int w_faces(wide3 p, const wide3* t, wide* slack)
{
    const wide3 u = w_sub(t[1], t[0]), v = w_sub(t[2], t[0]), d = w_sub(p, t[0]);
    const wide uu = w_dot(u, u), uv = w_dot(u, v), vv = w_dot(v, v), det = uu * vv - uv * uv;
    const wide s = w_dot(d, u) * vv - w_dot(d, v) * uv, r = w_dot(d, v) * uu - w_dot(d, u) * uv;
    const wide least = w_least(s, w_least(r, det - s - r));
    *slack = w_abs(least) / (uu * vv * (1 + w_dot(d, d) / w_least(uu, vv)));
    return det > 0 && least >= 0;
}

TEST(random_triangles_agree_with_the_oracle)
{
    test_random r = test_random_seeded(704);
    long in = 0, out = 0, facing = 0;
    for (long n = 0; n < 400000; ++n) {
        tact_vec3 p[4];
        const uint32_t kind = (uint32_t)(n % 6);
        random_points(&r, p, 4, kind);
        const tact_triangle t = {p[1], p[2], p[3]};
        const wide3 w[3] = {w_of(p[1]), w_of(p[2]), w_of(p[3])}, q = w_of(p[0]);
        const wide3 u = w_sub(w[1], w[0]), v = w_sub(w[2], w[0]), x = w_cross(u, v);
        wide slack;
        const int faces = w_faces(q, w, &slack);
        const bool flat = x.x == 0 && x.y == 0 && x.z == 0;
        bool expect = faces && w_dot(x, w_sub(q, w[0])) == 0;
        if (flat) {
            expect = false;
            for (int i = 0; i < 3; ++i) {
                const wide3 a = w_sub(w[i], q), b = w_sub(w[(i + 1) % 3], q), c = w_cross(a, b);
                expect = expect || (c.x == 0 && c.y == 0 && c.z == 0 && w_dot(a, b) <= 0);
            }
        }
        assert_int_equal(tact_triangle_contains_point(&t, p[0]), expect);
        in += expect;
        out += !expect;
        if (!flat && slack < (wide)1e-13) continue;
        assert_int_equal(tact_triangle_faces_point(&t, p[0]), !flat && faces);
        facing += faces;
    }
    assert_true(in > 5000 && out > 5000 && facing > 20000);
}

TEST(random_tetrahedra_agree_with_the_oracle)
{
    static const uint32_t faces[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    test_random r = test_random_seeded(705);
    long in = 0, on = 0, flat = 0;
    for (long n = 0; n < 400000; ++n) {
        tact_vec3 p[5];
        random_points(&r, p, 5, (uint32_t)(n % 6));
        const tact_vec3* v = p + 1;
        if (n % 12 == 5)
            p[0] = v3(0.4f * v[0].x + 0.3f * v[1].x + 0.2f * v[2].x + 0.1f * v[3].x,
                      0.4f * v[0].y + 0.3f * v[1].y + 0.2f * v[2].y + 0.1f * v[3].y,
                      0.4f * v[0].z + 0.3f * v[1].z + 0.2f * v[2].z + 0.1f * v[3].z);
        const wide3 w[4] = {w_of(v[0]), w_of(v[1]), w_of(v[2]), w_of(v[3])}, q = w_of(p[0]);
        // p - v0 in the frame of the edges, by Cramer's rule.
        const wide3 a = w_sub(w[1], w[0]), b = w_sub(w[2], w[0]), c = w_sub(w[3], w[0]), d = w_sub(q, w[0]);
        const wide det = w_dot(a, w_cross(b, c)), sign = det < 0 ? -1 : 1;
        const wide i = sign * w_dot(d, w_cross(b, c)), j = sign * w_dot(a, w_cross(d, c)),
                   k = sign * w_dot(a, w_cross(b, d));
        const wide least = w_least(w_least(i, j), w_least(k, sign * det - i - j - k));
        const bool got = tact_tetrahedron_contains_point(v, p[0]);
        if (det == 0) {
            ++flat;
            wide square = (wide)HUGE_VAL;
            for (int f = 0; f < 4; ++f) {
                const wide3 t[3] = {w[faces[3 * f]], w[faces[3 * f + 1]], w[faces[3 * f + 2]]};
                square = w_least(square, w_point_triangle(q, t));
            }
            const double size = w_root(w_dot(a, a) + w_dot(b, b) + w_dot(c, c));
            if (n % 6 < 2 || w_root(square) > 1e-15 * size) assert_int_equal(got, w_root(square) <= 1e-15 * size);
            continue;
        }
        assert_int_equal(got, least >= 0);
        in += least > 0;
        on += least == 0;
        const uint32_t turned[12] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
        int32_t turns = 0;
        const tact_location side = tact_mesh_locate(v, det > 0 ? turned : faces, 4, p[0], &turns);
        assert_int_equal(side, least > 0    ? TACT_POINT_INSIDE
                               : least == 0 ? TACT_POINT_ON_BOUNDARY
                                            : TACT_POINT_OUTSIDE);
        assert_int_equal(turns, least > 0);
        if (n % 4 || least == 0 || n % 6 > 1) continue;
        const double angle = tact_mesh_winding_number(v, det > 0 ? turned : faces, 4, p[0]);
        assert_true(fabs(angle - (double)turns) < 1e-9);
    }
    assert_true(in > 5000 && on > 2000 && flat > 5000);
}

TEST(random_planes_agree_with_the_oracle)
{
    test_random r = test_random_seeded(706);
    long in = 0;
    for (long n = 0; n < 500000; ++n) {
        tact_vec3 p[4];
        tact_plane planes[3];
        random_points(&r, p, 4, (uint32_t)(n % 5));
        bool expect = true;
        for (int i = 0; i < 3; ++i) {
            const wide d = w_dot(w_of(p[0]), w_of(p[i + 1]));
            planes[i] = (tact_plane){p[i + 1], n % 2 ? (float)d : (float)d * (2.0f + test_random_signed(&r))};
            expect = expect && d <= (wide)planes[i].distance;
        }
        assert_int_equal(tact_planes_contain_point(planes, 3, p[0]), expect);
        in += expect;
    }
    assert_true(in > 30000);
}

TEST(random_round_solids_agree_with_the_oracle)
{
    test_random r = test_random_seeded(707);
    long in[4] = {0, 0, 0, 0}, near = 0;
    for (long n = 0; n < 200000; ++n) {
        tact_vec3 p[3];
        random_points(&r, p, 3, (uint32_t)(n % 2 ? 5 : 4 * (n / 2 % 2)));
        const wide3 q = w_of(p[0]), a = w_of(p[1]), b = w_of(p[2]), ab = w_sub(b, a), d = w_sub(q, a);
        const wide line = w_dot(ab, ab), along = w_dot(d, ab);
        const wide core = w_point_segment(q, a, b);
        const float radius = (float)w_root(core) * (n % 3 ? 1.0f : 2.0f * test_random_unit(&r));
        const wide rr = (wide)radius * (wide)radius;
        const tact_capsule pill = {p[1], p[2], radius};
        const bool ends = along <= 0 || along >= line;
        if (ends || w_abs(core - rr) > (wide)0x1p-46 * rr) {
            assert_int_equal(tact_capsule_contains_point(&pill, p[0]), core <= rr);
            in[0] += core <= rr;
        } else {
            ++near;
        }
        if (line == 0) continue;
        const wide3 x = w_cross(d, ab);
        const wide off = w_dot(x, x) / line;
        const tact_cylinder can = {p[1], p[2], radius};
        if (w_abs(off - rr) > (wide)0x1p-46 * rr) {
            const bool expect = along >= 0 && along <= line && off <= rr;
            assert_int_equal(tact_cylinder_contains_point(&can, p[0]), expect);
            in[1] += expect;
        }
        // An axis of rounded unit length, whose direction is what counts.
        const double length = w_root(line);
        const tact_vec3 axis =
            v3((float)((double)ab.x / length), (float)((double)ab.y / length), (float)((double)ab.z / length));
        const wide3 e = w_of(axis), y = w_cross(d, e);
        const wide ee = w_dot(e, e), de = w_dot(d, e), height = (wide)(float)length, hh = height * height;
        const tact_cone cone = {p[1], axis, (float)length, 2.0f * radius};
        const wide side = 4 * rr * de * de - w_dot(y, y) * hh, top = hh * ee - de * de;
        const wide size = 4 * rr * de * de + w_dot(y, y) * hh;
        const wide dd = w_dot(d, d);
        if (w_abs(side) > (wide)0x1p-44 * size && w_abs(top) > (wide)0x1p-46 * hh && de * de > (wide)0x1p-80 * dd) {
            const bool expect = de >= 0 && top >= 0 && side >= 0;
            assert_int_equal(tact_cone_contains_point(&cone, p[0]), expect);
            in[2] += expect;
        }
    }
    for (long n = 0; n < 150000; ++n) {
        tact_vec3 p[2];
        random_points(&r, p, 2, (uint32_t)(n % 2 ? 5 : 4));
        const float angle = 3.0f * test_random_signed(&r), c = cosf(angle), s = sinf(angle);
        const wide3 d = w_sub(w_of(p[0]), w_of(p[1]));
        const float size = (float)w_root(w_dot(d, d));
        const tact_ellipsoid egg = {
            p[1],
            {v3(c, s, 0), v3(-s, c, 0), v3(0, 0, 1)},
            v3(size * (0.2f + 2.0f * test_random_unit(&r)), size * (0.2f + 2.0f * test_random_unit(&r)),
               size * (0.2f + 2.0f * test_random_unit(&r)))};
        const float radii[3] = {egg.radius.x, egg.radius.y, egg.radius.z};
        // As a polynomial without quotients.
        wide x[3], f[3];
        for (int i = 0; i < 3; ++i) {
            x[i] = w_dot(d, w_of(egg.axis[i]));
            x[i] *= x[i];
            f[i] = (wide)radii[i] * (wide)radii[i];
        }
        const wide whole = f[0] * f[1] * f[2], sum = x[0] * f[1] * f[2] + f[0] * x[1] * f[2] + f[0] * f[1] * x[2];
        if (w_abs(whole - sum) <= (wide)0x1p-46 * whole) continue;
        assert_int_equal(tact_ellipsoid_contains_point(&egg, p[0]), sum <= whole);
        in[3] += sum <= whole;
    }
    assert_true(in[0] > 10000 && in[1] > 10000 && in[2] > 5000 && in[3] > 10000 && near < 1000);
}

#endif

/// Of a triangle alone that lies wholly to one side of a corner, whichever that is and along whichever axis.
TEST(a_corner_is_on_its_triangle)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            for (uint32_t last = 0; last < 3; ++last) {
                float p[3][3] = {{3, 3, 3}, {3, 3, 3}, {3, 3, 3}};
                p[0][axis] = p[1][axis] = (float)side;
                p[2][axis] = 0;
                p[0][(axis + 1) % 3] = 4;
                p[1][(axis + 2) % 3] = 5;
                tact_vec3 v[3];
                for (int i = 0; i < 3; ++i)
                    v[i] = v3(p[i][0], p[i][1], p[i][2]);
                const uint32_t one[3] = {last, (last + 1) % 3, (last + 2) % 3};
                for (int i = 0; i < 3; ++i)
                    assert_int_equal(tact_mesh_locate(v, one, 1, v[i], NULL), TACT_POINT_ON_BOUNDARY);
            }
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
