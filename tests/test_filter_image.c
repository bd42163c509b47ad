// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What images leave of many objects: never too little, and not much too much.

#include "tests/support/run.h"

#include "tests/support/effort.h"
#include "tests/support/filter_images.h"

TEST_AS(DEVICE_TEST, test_soups)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(61);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < effort(3, 8) * SOUP_KINDS; ++i) {
        const soup_kind kind = (soup_kind)(i % SOUP_KINDS);
        filter_scene s = {0};
        for (uint32_t k = 0; k < 4; ++k)
            filter_add_soup(&s, &r, kind, 1 + test_random_below(&r, k == 3 ? 100 : 20));
        for (uint32_t objects = 4 + test_random_below(&r, 30); objects > 0; --objects)
            random_pose(&r, kind, filter_add_object(&s, test_random_below(&r, 4), 0, 0, 0)->pose);
        pairs += expect_all(f, &s, i % 3 == 0 ? 0 : 12 + i % 5);
    }
    assert_true(pairs > effort(400, 1000));
}

/// Boxes, rings and balls that just touch, in steps of powers of two, near the origin and far from it: what meets is
/// often on the border of cells.
TEST_AS(DEVICE_TEST, test_touching)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(62);
    static const float turns[3][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                       {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0},
                                       {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}};
    static const float far[5] = {0, 0x1p20f, -0x1p30f, 0x1p58f, 3e5f};
    static const float sizes[5] = {1, 0.25f, 0x1p8f, 0x1p36f, 0x1p-3f};
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < 10; ++i) {
        filter_scene s = {0};
        const float size = sizes[i / 2];
        filter_add_form(&s, FILTER_BALL, 2, 4);  // an octahedron
        filter_add_form(&s, FILTER_RING, 4, 4);
        for (uint32_t k = 0; k < 40; ++k) {
            float* pose = filter_add_object(&s, test_random_below(&r, 2), 0, 0, 0)->pose;
            const float* turn = turns[test_random_below(&r, 3)];
            for (int m = 0; m < 12; ++m)
                pose[m] =
                    m % 4 < 3 ? size * turn[m] : far[i / 2] + 2 * size * (float)((int)test_random_below(&r, 5) - 2);
        }
        pairs += expect_all(f, &s, i % 2 ? 0 : 20);
    }
    assert_true(pairs > 1000);
}

/// Triangles through all of the scene, all objects the same, no triangles at all, objects without area.
TEST_AS(DEVICE_TEST, test_extremes)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(63);
    static const float point[9] = {0};
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        filter_scene s = {0};
        filter_add_soup(&s, &r, i % 2 ? NEEDLES : SMOOTH, 12);
        filter_add_form(&s, i % 2 ? FILTER_RING : FILTER_BALL, 3, 5);
        filter_add_shape(&s, point, 3, 0, (const uint32_t[3]){0, 1, 2}, i == 3 ? 0 : 1);
        for (uint32_t k = 0; k < (i == 1 ? 6 : 20); ++k) {
            const float wide = i == 1   ? 0.0f
                               : i == 5 ? 0x1p55f
                                        : 3.0f,
                        x = wide * test_random_signed(&r), y = wide * test_random_signed(&r),
                        z = wide * test_random_signed(&r);
            float* pose = filter_add_object(&s, i == 3 ? 2 : i == 1 ? 1 : k % 3, x, y, z)->pose;
            random_turn(&r, k % 5 == 0 ? 60.0f : 1.0f, pose);
            if (i == 1) memcpy(pose, s.objects[0].pose, sizeof s.objects[0].pose);
            if (i == 5) pose[0] *= 0x1p54f;
            if (i == 6) memset(&pose[8], 0, 16);
            if (i == 7) pose[3] = INFINITY - (k % 2 ? 0.0f : INFINITY);
        }
        pairs += expect_all(f, &s, i % 2 ? 0 : 22);
    }
    assert_true(pairs > 1000);
}

/// Pairs that have one point in common: a corner of one is in the middle of the other's edge, and both go away from
/// there. Far from the origin and in frames that are turned the rounding is an eighth of a cell.
TEST_AS(DEVICE_TEST, test_points)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(67);
    enum { PAIRS = 400 };
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        filter_scene s = {0};
        const float far = i % 2 ? 0x1p20f : -0x1p40f, step = fabsf(far) * 0x1p-23f;
        for (uint32_t k = 0; k < PAIRS; ++k) {
            float edge[9], other[9];
            for (int m = 0; m < 3; ++m) {
                const float along = (float)((int)test_random_below(&r, 5) - 2) * step;
                const float middle = far + (float)test_random_below(&r, 1 << 9) * 8 * step;
                const float away[2] = {(float)(1 + test_random_below(&r, 4)) * step,
                                       (float)(1 + test_random_below(&r, 4)) * step};
                // The edge about the middle, and a corner on the one side; the other one is on the other side.
                edge[m] = middle - along;
                edge[3 + m] = middle + along;
                edge[6 + m] = middle - away[0];
                other[m] = 0.5f * (edge[m] + edge[3 + m]);
                other[3 + m] = other[m] + away[1];
                other[6 + m] = other[m] + 2 * away[1];
            }
            filter_add_object(&s, add_triangle(&s, edge), 0, 0, 0);
            filter_add_object(&s, add_triangle(&s, other), 0, 0, 0);
        }
        pairs += expect_all(f, &s, 20);
    }
    assert_true(pairs >= 4 * PAIRS);
}

/// More bricks than there may be; and more triangles than are drawn at once.
TEST_AS(DEVICE_TEST, test_many)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(68);
    filter_scene s = {0};
    filter_add_soup(&s, &r, SMOOTH, 300);
    for (uint32_t k = 0; k < effort(30, 60); ++k)
        random_turn(&r, 1.0f, filter_add_object(&s, 0, 0, 0, 0)->pose);
    assert_true(expect_all(f, &s, 12) > effort(200, 1000));
    if (!effort_is_thorough()) return;
    // A lattice, of which every seventh is large enough to meet the next ones.
    enum { ACROSS = 10, OBJECTS = 900, PARTS = 10 };
    const uint32_t ball = filter_add_form(&s, FILTER_BALL, 10, 16);
    for (uint32_t k = 0; k < OBJECTS; ++k)
        add_at(&s, &r, ball, k, ACROSS, 2.1f, k % 7 == 0 ? 1.2f : 1.0f);
    assert_true(OBJECTS * PARTS * TACT_FILTER_PART > 1 << 18);
    assert_true(expect_all(f, &s, 18) > 1000);
}

/// Few enough for an interpreter of kernels.
TEST_AS(DEVICE_TEST, test_few_large_ones)
{
    device_fixture* f = *state;
    require_device(f);
    uint64_t pairs = 0;
    for (int kind = 0; kind < 3; ++kind) {
        test_random r = test_random_seeded(73);
        filter_scene s = large_ones(&r, kind, 12, 3);
        pairs += expect_all(f, &s, 12);
    }
    assert_true(pairs > 10);
}

/// One enlarged ball among others that do not meet, seen with those whose boxes meet its own: six of them are met, and
/// nothing else is left.
TEST_AS(DEVICE_TEST, test_apart)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(65);
    filter_scene s = {0};
    filter_add_form(&s, FILTER_BALL, 10, 16);
    for (uint32_t k = 0; k < 27; ++k)
        add_at(&s, &r, 0, k, 3, 2.2f, k == 13 ? 1.3f : 1.0f);
    tact_filter_job job = filter_job_unsolved(&s);
    outcome o = run(f, &job, 0);
    check(&s, &o);
    assert_int_equal(o.counts[TACT_FILTER_TRIANGLES].objects, 7);
    assert_true(o.count < 7 * 320 / 3);
    // Smaller: nothing meets, though the boxes of all take part.
    for (uint32_t k = 0; k < 27; ++k)
        for (int m = 0; m < 11; ++m)
            if (m % 4 != 3) s.objects[k].pose[m] *= 0.7f;
    o = run(f, &job, 0);
    check(&s, &o);
    assert_int_equal(o.count, 0);
    job.candidate_count = 0;
    o = run(f, &job, 0);
    assert_int_equal(o.count, 0);
    filter_free(&s);
}

TEST_AS(DEVICE_TEST, test_fast)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(66);
    filter_scene s = {0};
    filter_add_form(&s, FILTER_BALL, 10, 16);
    filter_add_form(&s, FILTER_RING, 16, 10);
    scatter(&s, &r, 40, 5.0f);
    tact_filter_job slow = filter_job_unsolved(&s), fast = slow;
    fast.options.fast = true;
    for (uint32_t rounds = 0; rounds < 2; ++rounds) {
        const outcome a = run(f, &slow, rounds), b = run(f, &fast, rounds);
        const bool *left = check(&s, &a), *few = check(&s, &b);
        print_message("          rounds %u: reliable %u, fast %u\n", rounds, a.count, b.count);
        assert_true(b.count > 0 && b.count <= a.count);
        const uint32_t all = first_triangles(&s)[s.object_count];
        for (uint32_t t = 0; t < all && rounds == 1; ++t)
            assert_true(!few[t] || left[t]);
    }
    filter_free(&s);
}

static void miss(void** state)
{
    fixture_teardown(state);
    skip_because("a device is missing");
}

/// And nothing is lost of large triangles.
TEST(both_devices_leave_the_same)
{
    void *gl = NULL, *cl = NULL;
    assert_int_equal(fixture_setup_gl(&gl), 0);
    if (!((device_fixture*)gl)->device) miss(&gl);
    assert_int_equal(fixture_setup_cl(&cl), 0);
    if (!((device_fixture*)cl)->device) {
        fixture_teardown(&gl);
        miss(&cl);
    }
    uint64_t left = 0, pairs = 0;
    for (int number = 0; number < SCENES; ++number) {
        for (uint32_t log2 = 12; log2 <= 22; log2 += 10) {
            test_random r = test_random_seeded(69 + (uint64_t)number);
            filter_scene s = scene_like(&r, number);
            tact_filter_job job = filter_job_unsolved(&s);
            job.options.cells_log2 = log2;
            for (int fast = 0; fast < 2; ++fast) {
                job.options.fast = fast != 0;
                const outcome a = run(gl, &job, 0), b = run(cl, &job, 0);
                expect_same(&a, &b);
                left += a.count;
            }
            if (number >= SOUP_KINDS) pairs += expect_all(log2 == 12 ? gl : cl, &s, log2);
            filter_free(&s);
        }
    }
    assert_true(left > 1000 && pairs > 100);
    fixture_teardown(&cl);
    fixture_teardown(&gl);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
