// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Hierarchies of hulls against looking at all points: round and flat ones, directions across faces, and lenses.

#include "tests/support/run.h"

#include "tact/geometry/convex.h"
#include "tact/geometry/hull_hierarchy.h"
#include "tests/geometry/points.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

static void free_hierarchy(void* h)
{
    tact_hull_hierarchy_free(h);
}

static const tact_hull_hierarchy* hierarchy_of(const tact_vec3* points, size_t count)
{
    tact_hull_hierarchy* h = scratch_zeroed(1, sizeof *h);
    assert_int_equal(tact_hull_hierarchy_make(points, count, NULL, h), TACT_OK);
    at_end(free_hierarchy, h);
    return h;
}

static double height(tact_vec3 p, tact_vec3 d)
{
    return (double)p.x * (double)d.x + (double)p.y * (double)d.y + (double)p.z * (double)d.z;
}

static void is_extreme(const tact_hull_hierarchy* h, const tact_vec3* points, size_t count, tact_vec3 d)
{
    double most = -HUGE_VAL, size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        most = fmax(most, height(points[i], d));
        size = fmax(size, fabs((double)points[i].x) + fabs((double)points[i].y) + fabs((double)points[i].z));
    }
    size *= fabs((double)d.x) + fabs((double)d.y) + fabs((double)d.z);
    const uint32_t at = tact_hull_hierarchy_extreme(h, d);
    assert_true(at < count);
    if (!(height(points[at], d) >= most - 0x1p-40 * size))
        fail_msg("%.17g of %.17g for %zu points", height(points[at], d), most, count);
    assert_true(same_vec(tact_hull_hierarchy_support(h, d), points[at]));
}

/// Levels grow, each point is once, and every link goes to a corner of the next level.
static void is_sound(const tact_hull_hierarchy* h, size_t count)
{
    uint8_t* seen = scratch_zeroed(count + 1, 1);
    const uint32_t* first = h->first;
    uint32_t done = 0;
    for (uint32_t l = 0; l + 1 < h->level_count; ++l) {
        assert_true(h->sizes[l] < h->sizes[l + 1]);
        for (uint32_t i = 0; i < h->sizes[l]; ++i) {
            assert_int_equal(first[i], done);
            for (; done < first[i + 1]; ++done)
                assert_true(h->above[done] >= h->sizes[l] && h->above[done] < h->sizes[l + 1]);
        }
        first += h->sizes[l] + 1;
    }
    for (uint32_t i = 0; i < h->sizes[h->level_count - 1]; ++i) {
        assert_true(h->source[i] < count && !seen[h->source[i]]);
        seen[h->source[i]] = 1;
    }
}

static tact_vec3 on_sphere(test_random* r)
{
    const float z = test_random_signed(r), turn = 6.2831853f * test_random_unit(r), s = sqrtf(1.0f - z * z);
    return v3(s * cosf(turn), s * sinf(turn), z);
}

TEST(extremes_are_those_of_all_points)
{
    test_random r = test_random_seeded(821);
    for (size_t trial = 0; trial < effort(120, 2000); ++trial) {
        const size_t count = 1 + test_random_below(&r, trial % 10 ? 300 : 5000);
        tact_vec3* points = scratch(count * sizeof *points);
        const uint32_t kind = (uint32_t)(trial % 7);
        for (size_t i = 0; i < count; ++i) {
            tact_vec3 p = kind < 5 ? point(&r, kind) : on_sphere(&r);
            if (kind == 6) p.z *= 1e-4f;
            points[i] = p;
        }
        const tact_hull_hierarchy* h = hierarchy_of(points, count);
        is_sound(h, count);
        for (int k = 0; k < 200; ++k) {
            tact_vec3 d = on_sphere(&r);
            if (k % 4 == 0) d = v3(1e3f * d.x, d.y, 1e-3f * d.z);
            if (k % 4 == 1) d.z *= 1e4f;
            if (k % 4 == 2) d = v3((float)((int)test_random_below(&r, 3) - 1), (float)(k % 3 - 1), 1);
            is_extreme(h, points, count, d);
        }
    }
}

/// Whole numbers: grids in the faces of a box, and a ball of many points in planes across the axes.
TEST(flat_faces_do_no_harm)
{
    enum { SIDE = 9 };
    tact_vec3* points = scratch(20000 * sizeof *points);
    for (int shape = 0; shape < 3; ++shape) {
        size_t count = 0;
        for (int x = -SIDE; x <= SIDE; ++x) {
            for (int y = -SIDE; y <= SIDE; ++y) {
                for (int z = -SIDE; z <= SIDE; ++z) {
                    const bool inside = shape == 0   ? true
                                        : shape == 1 ? x * x + y * y + z * z <= SIDE * SIDE
                                                     : abs(x) + abs(y) + abs(z) <= SIDE && abs(z) < 7;
                    if (inside) points[count++] = v3((float)x, (float)y, (float)z);
                }
            }
        }
        const tact_hull_hierarchy* h = hierarchy_of(points, count);
        is_sound(h, count);
        assert_true(shape != 1 || h->level_count > 3);
        for (int k = 0; k < 343; ++k)
            if (k != 171)
                is_extreme(h, points, count, v3((float)(k % 7 - 3), (float)(k / 7 % 7 - 3), (float)(k / 49 - 3)));
    }
}

TEST(levels_are_as_many_as_a_logarithm)
{
    test_random r = test_random_seeded(822);
    const size_t count = 20000;
    tact_vec3* points = scratch(count * sizeof *points);
    for (size_t i = 0; i < count; ++i)
        points[i] = on_sphere(&r);
    const tact_hull_hierarchy* h = hierarchy_of(points, count);
    assert_true(h->level_count > 8 && h->level_count < 40);
    assert_true(h->sizes[0] <= 12);
    // Few links a point, and few of each level.
    size_t links = 0;
    const uint32_t* first = h->first;
    for (uint32_t l = 0; l + 1 < h->level_count; ++l) {
        links = first[h->sizes[l]];
        first += h->sizes[l] + 1;
    }
    assert_true(links < 8 * count);
}

TEST(a_hierarchy_is_a_convex_shape)
{
    test_random r = test_random_seeded(823);
    tact_vec3 points[400];
    for (size_t i = 0; i < 400; ++i)
        points[i] = on_sphere(&r);
    const tact_hull_hierarchy* h = hierarchy_of(points, 400);
    const tact_hull hull = {.points = points, .point_count = 400};
    for (int k = 0; k < 100; ++k) {
        const tact_vec3 d = on_sphere(&r), at = v3(2 * d.x, 2 * d.y, 2 * d.z);
        const tact_convex_contact a =
            tact_convex_distance(tact_convex_custom(h, tact_hull_hierarchy_support), tact_convex_point(&at), NULL);
        const tact_convex_contact b = tact_convex_distance(tact_convex_hull(&hull), tact_convex_point(&at), NULL);
        assert_true(fabsf(a.distance - b.distance) < 1e-6f);
    }
}

TEST(hostile_points_end)
{
    tact_hull_hierarchy h;
    const tact_vec3 bad[2] = {v3(NAN, 0, 0), v3(0, INFINITY, 0)};
    assert_int_equal(tact_hull_hierarchy_make(bad, 2, NULL, &h), TACT_OK);
    assert_true(h.level_count == 0 && tact_hull_hierarchy_extreme(&h, v3(1, 0, 0)) == UINT32_MAX);
    assert_true(isnan(tact_hull_hierarchy_support(&h, v3(1, 0, 0)).x));
    tact_hull_hierarchy_free(&h);
    assert_int_equal(tact_hull_hierarchy_make(NULL, 0, NULL, &h), TACT_OK);
    assert_int_equal(h.level_count, 0);
    tact_hull_hierarchy_free(&h);
    assert_int_equal(tact_hull_hierarchy_make(bad, (size_t)1 << 31, NULL, &h), TACT_ERROR_LIMIT);
    const tact_vec3 line[3] = {v3(0, 0, 0), v3(NAN, 0, 0), v3(1, 2, 3)};
    assert_int_equal(tact_hull_hierarchy_make(line, 3, NULL, &h), TACT_OK);
    assert_int_equal(tact_hull_hierarchy_extreme(&h, v3(0, 0, 1)), 2);
    assert_int_equal(tact_hull_hierarchy_extreme(&h, v3(0, 0, 0)), UINT32_MAX);
    assert_int_equal(tact_hull_hierarchy_extreme(&h, v3(0, NAN, 1)), UINT32_MAX);
    tact_hull_hierarchy_free(&h);
}

TEST(without_memory_nothing_is_left)
{
    test_random r = test_random_seeded(824);
    tact_vec3 points[60];
    for (size_t i = 0; i < 60; ++i)
        points[i] = on_sphere(&r);
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_hull_hierarchy h;
        const tact_result result = tact_hull_hierarchy_make(points, 60, &hooks, &h);
        tact_hull_hierarchy_free(&h);
        assert_int_equal(counter.live, 0);
        if (result == TACT_OK) {
            assert_true(fail_at > 20);
            break;
        }
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
