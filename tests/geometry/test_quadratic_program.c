// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The closest point of half-spaces by what makes it so, in wide numbers: it breaks none, and the way to it is a sum of
// normals that hold it; and against the polyhedron of the same half-spaces.

#include "tests/support/run.h"

#include <float.h>

#include "tact/geometry/convex_mesh.h"
#include "tact/geometry/quadratic_program.h"
#include "tests/geometry/points.h"
#include "tests/geometry/wide.h"
#include "tests/support/effort.h"

enum { MOST = 60 };

static tact_vec3 on_sphere(test_random* r)
{
    const float z = test_random_signed(r), turn = 6.2831853f * test_random_unit(r), s = sqrtf(1.0f - z * z);
    return v3(s * cosf(turn), s * sinf(turn), z);
}

/// The point is held by its normals, which pull and do not push, and is in all half-spaces.
static void is_closest(const tact_plane* planes, size_t count, tact_vec3 from, const tact_qp_result* r)
{
    wide3 at = w_of(from);
    assert_int_equal(r->status, TACT_LP_OPTIMUM);
    assert_true(r->tight_count <= 3);
    for (uint32_t k = 0; k < r->tight_count; ++k) {
        assert_true(r->tight[k] < count && r->pull[k] >= 0.0);
        at = w_along(at, -(wide)r->pull[k], w_of(planes[r->tight[k]].normal));
    }
    const wide3 way = w_sub(at, w_of(from));
    const double distance = sqrt((double)w_dot(way, way));
    const double size = distance + size_of(&from, 1);
    for (size_t i = 0; i < count; ++i) {
        const wide3 n = w_of(planes[i].normal);
        const double length = sqrt((double)w_dot(n, n)),
                     off = (double)(w_dot(n, at) - (wide)planes[i].distance) / length;
        bool tight = false;
        for (uint32_t k = 0; k < r->tight_count; ++k)
            tight = tight || r->tight[k] == i;
        const double slack = 1e-9 * (size + fabs((double)planes[i].distance) / length);
        if (off > slack || (tight && off < -slack)) fail_msg("off by %g of %g", off, slack);
    }
    assert_true(fabs((double)r->distance - distance) <= 1e-6 * distance + 1e-12 * size);
    for (int k = 0; k < 3; ++k) {
        const double x = (double)(k == 0 ? at.x : k == 1 ? at.y : at.z);
        assert_true(fabs((double)(&r->point.x)[k] - x) <= 1.2e-7 * fabs(x) + 1e-9 * size);
    }
}

TEST(the_closest_point_is_held_by_its_planes)
{
    test_random r = test_random_seeded(831);
    size_t held[4] = {0, 0, 0, 0}, none = 0;
    for (size_t trial = 0; trial < effort(20000, 300000); ++trial) {
        tact_plane planes[MOST];
        const size_t count = test_random_below(&r, MOST + 1);
        const float unit = ldexpf(1.0f, (int)test_random_below(&r, 60) - 30);
        for (size_t i = 0; i < count; ++i) {
            const float scale = ldexpf(1.0f, (int)test_random_below(&r, 40) - 20);
            const tact_vec3 n = on_sphere(&r);
            const float out = test_random_unit(&r) - (trial % 8 ? 0.0f : 0.3f);
            planes[i] = (tact_plane){v3(n.x * scale, n.y * scale, n.z * scale), out * unit * scale};
        }
        const float far = (trial % 3 ? 2.0f : 100.0f) * unit;
        const tact_vec3 from =
            v3(far * test_random_signed(&r), far * test_random_signed(&r), far * test_random_signed(&r));
        const tact_qp_result got = tact_half_spaces_closest(planes, count, from);
        const tact_aabb all = {v3(-FLT_MAX, -FLT_MAX, -FLT_MAX), v3(FLT_MAX, FLT_MAX, FLT_MAX)};
        if (got.status == TACT_LP_INFEASIBLE) {
            ++none;
            assert_int_equal(tact_lp_3d(planes, count, v3(1, 2, 3), all).status, TACT_LP_INFEASIBLE);
            assert_true(isnan(got.point.x) && isinf(got.distance));
            continue;
        }
        is_closest(planes, count, from, &got);
        ++held[got.tight_count];
    }
    assert_true(none > 6);
    for (int k = 0; k < 4; ++k)
        assert_true(held[k] > 12);
}

/// Planes of whole numbers: many through one corner or line, repeated, and parallel.
TEST(degenerate_planes_do_no_harm)
{
    test_random r = test_random_seeded(832);
    size_t none = 0;
    for (size_t trial = 0; trial < effort(20000, 300000); ++trial) {
        tact_plane planes[MOST];
        const size_t count = test_random_below(&r, 30);
        for (size_t i = 0; i < count; ++i) {
            const tact_vec3 n = point(&r, 0);
            const bool zero = n.x == 0 && n.y == 0 && n.z == 0;
            planes[i] = (tact_plane){n, zero ? 1.0f : (float)test_random_below(&r, 3) - (trial % 6 ? 0.0f : 1.0f)};
            if (zero) planes[i].normal = v3(1, 0, 0);
        }
        const tact_vec3 from = v3(3 * number(&r, 0), 3 * number(&r, 0), 3 * number(&r, 0));
        const tact_qp_result got = tact_half_spaces_closest(planes, count, from);
        const tact_aabb all = {v3(-9e9f, -9e9f, -9e9f), v3(9e9f, 9e9f, 9e9f)};
        const bool empty = tact_lp_3d(planes, count, v3(0, 0, 0), all).status == TACT_LP_INFEASIBLE;
        assert_int_equal(got.status == TACT_LP_INFEASIBLE, empty);
        none += empty;
        if (!empty) is_closest(planes, count, from, &got);
    }
    assert_true(none > 12);
}

TEST(it_is_the_nearest_point_of_the_polyhedron)
{
    test_random r = test_random_seeded(833);
    for (size_t trial = 0; trial < effort(150, 2000); ++trial) {
        tact_plane planes[MOST];
        const size_t count = 8 + test_random_below(&r, MOST - 8);
        for (size_t i = 0; i < count; ++i)
            planes[i] = (tact_plane){on_sphere(&r), 0.5f + 0.5f * test_random_unit(&r)};
        for (int k = 0; k < 6; ++k) {
            planes[k] = (tact_plane){v3(0, 0, 0), 2.0f};
            (&planes[k].normal.x)[k / 2] = k % 2 ? 1.0f : -1.0f;
        }
        tact_convex_mesh mesh;
        assert_int_equal(tact_half_spaces_mesh(planes, count, (tact_aabb){v3(-2, -2, -2), v3(2, 2, 2)}, NULL, &mesh),
                         TACT_OK);
        const tact_hull hull = tact_convex_mesh_hull(&mesh);
        for (int k = 0; k < 20; ++k) {
            const tact_vec3 d = on_sphere(&r), from = v3(4 * d.x, 4 * d.y, 4 * d.z);
            const tact_qp_result got = tact_half_spaces_closest(planes, count, from);
            const tact_convex_contact c = tact_convex_distance(tact_convex_hull(&hull), tact_convex_point(&from), NULL);
            assert_true(fabsf(got.distance - c.distance) < 2e-6f);
            assert_true(fabsf(got.point.x - c.a.x) + fabsf(got.point.y - c.a.y) + fabsf(got.point.z - c.a.z) < 2e-3f);
        }
        tact_convex_mesh_free(&mesh);
    }
}

TEST(points_of_the_plane_stay_there)
{
    const tact_plane planes[2] = {{v3(1, 0, 0), 1}, {v3(0, 2, 0), 1}};
    const tact_qp_result got = tact_half_spaces_closest(planes, 2, v3(4, 4.5f, 0));
    assert_true(same_vec(got.point, v3(1, 0.5f, 0)) && got.distance == 5.0f && got.tight_count == 2);
    const tact_qp_result inside = tact_half_spaces_closest(planes, 2, v3(1, 0.5f, 7));
    assert_true(same_vec(inside.point, v3(1, 0.5f, 7)) && inside.distance == 0.0f && inside.tight_count == 0);
    assert_true(inside.excess == 0.0);
}

TEST(wrong_arguments_are_invalid)
{
    tact_plane planes[3] = {{v3(1, 0, 0), 1}, {v3(0, 0, 0), -1}, {v3(NAN, 0, 0), 0}};
    const tact_vec3 from = v3(2, 3, 4);
    assert_int_equal(tact_half_spaces_closest(planes, 3, from).status, TACT_LP_INVALID);
    assert_int_equal(tact_half_spaces_closest(planes, 2, from).status, TACT_LP_INFEASIBLE);
    assert_int_equal(tact_half_spaces_closest(planes, 1, v3(INFINITY, 0, 0)).status, TACT_LP_INVALID);
    assert_true(same_vec(tact_half_spaces_closest(NULL, 0, from).point, from));
    // Two planes that face each other, one unit in the last place apart, or away from each other.
    planes[1] = (tact_plane){v3(-1, 0, 0), -1};
    assert_true(tact_half_spaces_closest(planes, 2, from).point.x == 1.0f);
    planes[1].distance = nextafterf(-1, -2);
    assert_int_equal(tact_half_spaces_closest(planes, 2, from).status, TACT_LP_INFEASIBLE);
    planes[1].distance = nextafterf(-1, 0);
    assert_int_equal(tact_half_spaces_closest(planes, 2, from).status, TACT_LP_OPTIMUM);
    // The largest and the smallest numbers.
    planes[0] = (tact_plane){v3(FLT_MAX, FLT_MAX, 0), -FLT_MAX};
    assert_int_equal(tact_half_spaces_closest(planes, 1, v3(FLT_MAX, FLT_MAX, FLT_MAX)).status, TACT_LP_OPTIMUM);
    planes[0] = (tact_plane){v3(FLT_TRUE_MIN, 0, 0), 0};
    assert_true(tact_half_spaces_closest(planes, 1, v3(FLT_TRUE_MIN, 1, 0)).point.x == 0.0f);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
