// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every method of the broad phase on the CPU against its definition: on every kind of set, between two sets, with
// spheres and categories, while things move, come and go, with every number of threads and set of instructions.
#include "tests/support/run.h"

#include "cpu_ref/pairs/choose.h"
#include "cpu_ref/pairs/lanes.h"
#include "tests/support/calls.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/pair_sets.h"

static tact_context* make_context(int threads)
{
    const tact_context_desc desc = {.threads = threads, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    return new_context(&desc);
}

static void compare(const char* what, tact_volumes* a, tact_volumes* b, tact_pairs_method method, int threads,
                    const tact_pair* expected, size_t expected_count)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = threads};
    size_t count = 0;
    const tact_result result = call_pairs_find(a, b, method, NULL, 0, &count, &options, NULL);
    if (result != TACT_OK) fail_msg("%s, %s: %s", what, tact_pairs_method_name(method), tact_result_name(result));
    expect_method(what, a, method);
    const tact_pair* got = tact_pairs_last(a, &count);
    for (size_t i = 0; i < count && i < expected_count; ++i) {
        if (got[i].a == expected[i].a && got[i].b == expected[i].b) continue;
        fail_msg("%s, %s, %d threads: pair %zu of %zu is (%u, %u), expected (%u, %u)", what,
                 tact_pairs_method_name(method), threads, i, count, got[i].a, got[i].b, expected[i].a, expected[i].b);
    }
    if (count != expected_count) {
        fail_msg("%s, %s, %d threads: %zu pairs, expected %zu", what, tact_pairs_method_name(method), threads, count,
                 expected_count);
    }
}

/// All methods there are, and AUTO, with 1 to 3 threads.
static void compare_all(const char* what, tact_volumes* a, tact_volumes* b)
{
    size_t count = 0;
    tact_pair* expected = define_pairs(a, b, &count);
    for (int method = 0; method < TACT_PAIRS_METHOD_COUNT; ++method) {
        if (method != TACT_PAIRS_AUTO && !tact_pairs_way_of((tact_pairs_method)method)) continue;
        for (int threads = 1; threads <= 3; ++threads)
            compare(what, a, b, (tact_pairs_method)method, threads, expected, count);
    }
}

TEST(every_kind_of_set)
{
    static const size_t counts[] = {0, 1, 2, 3, 5, 17, 64, 300, 1500};
    tact_context* context = KEEP(make_context(3));
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            const size_t n = counts[c];
            tact_aabb* boxes = scratch((n + 1) * sizeof *boxes);
            tact_volume_scenes[s].make(n, 7 + c, boxes);
            tact_volumes* set = make_boxes(context, boxes, n);
            compare_all(tact_volume_scenes[s].name, set, NULL);
            tact_volumes_destroy(set);
        }
    }
}

TEST(spheres_too)
{
    tact_context* context = KEEP(make_context(3));
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        enum { N = 900 };
        tact_aabb* boxes = scratch(N * sizeof *boxes);
        tact_sphere* spheres = scratch(N * sizeof *spheres);
        tact_volume_scenes[s].make(N, 3, boxes);
        make_odd_spheres(boxes, N, spheres);
        tact_volumes* set = make_spheres(context, spheres, N);
        compare_all(tact_volume_scenes[s].name, set, NULL);
        tact_volumes* others = make_boxes(context, boxes, N / 2);
        compare_all(tact_volume_scenes[s].name, set, others);
        compare_all(tact_volume_scenes[s].name, others, set);
        tact_volumes_destroy(others);
        tact_volumes_destroy(set);
    }
}

TEST(between_two_sets)
{
    static const size_t counts[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 700}, {700, 1}, {300, 800}, {800, 300}};
    tact_context* context = KEEP(make_context(3));
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            tact_aabb* boxes = scratch(2000 * sizeof *boxes);
            tact_volume_scenes[s].make(counts[c][0] + counts[c][1], 11, boxes);
            tact_volumes* a = make_boxes(context, boxes, counts[c][0]);
            tact_volumes* b = make_boxes(context, boxes + counts[c][0], counts[c][1]);
            compare_all(tact_volume_scenes[s].name, a, b);
            tact_volumes_destroy(a);
            tact_volumes_destroy(b);
        }
    }
}

/// Frames of moving, removing, adding and filtering; every method keeps what it has between them.
TEST(things_move)
{
    enum { N = 800, FRAMES = 24 };
    tact_context* context = KEEP(make_context(3));
    test_random r = test_random_seeded(17);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_aabb *boxes = scratch(N * sizeof *boxes), *moved = scratch(N * sizeof *moved);
        tact_volume_scenes[s].make(N, 5, boxes);
        tact_volumes* set = make_boxes(context, boxes, N);
        tact_volumes* other = make_boxes(context, boxes, N / 4);
        for (unsigned frame = 1; frame <= effort_of_threads(12, FRAMES); ++frame) {
            tact_input_volumes_move(boxes, N, 9, frame, frame > 16 ? 4.0 : 0.1, moved);
            move_all(set, moved, N);
            if (frame % 3 == 0) exchange_some(set, moved, N, &r);
            if (frame == 12) filter_thirds(set, N);
            char what[64];
            snprintf(what, sizeof what, "%s, frame %u", tact_volume_scenes[s].name, frame);
            compare_all(what, set, NULL);
            if (frame % 4 == 0) compare_all(what, set, other);
        }
        tact_volumes_destroy(other);
        tact_volumes_destroy(set);
    }
}

static bool count_piece(const tact_pair* pairs, size_t count, void* user)
{
    (void)pairs;
    *(size_t*)user += count;
    return true;
}

/// Few boxes move, none, or some more; one jumps, one dies and comes back, and other queries see the set in between.
TEST(few_move)
{
    enum { N = 700, FRAMES = 60 };
    tact_context* context = KEEP(make_context(3));
    test_random r = test_random_seeded(23);
    const tact_aabb nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    for (int scene = 0; scene < 2; ++scene) {
        tact_aabb* boxes = scratch(N * sizeof *boxes);
        tact_volume_scene_named(scene ? "sizes" : "uniform")->make(N, 5, boxes);
        tact_volumes* set = make_boxes(context, boxes, N);
        tact_volumes* other = make_boxes(context, boxes, N / 4);
        for (unsigned frame = 0; frame < effort_of_threads(30, FRAMES); ++frame) {
            const uint32_t moving = frame % 5 == 4 ? 0 : test_random_below(&r, frame % 7 == 6 ? 40 : 29);
            for (uint32_t i = 0; i < moving; ++i) {
                const uint32_t id = test_random_below(&r, N), to = test_random_below(&r, N);
                const float step = 0.02f * (float)((int)test_random_below(&r, 21) - 10);
                if (i == 0) boxes[id] = boxes[to];
                if (i % 3 != 1) boxes[id].lower.y += step;
                boxes[id].upper.y += i % 3 != 1 ? step : 0.01f;
                assert_int_equal(tact_volumes_move_aabbs(set, &id, &boxes[id], 1), TACT_OK);
            }
            const uint32_t gone = frame % 11;
            if (frame % 11 < 2) assert_int_equal(tact_volumes_move_aabbs(set, &gone, &nothing, 1), TACT_OK);
            if (frame % 11 == 3) assert_int_equal(tact_volumes_move_aabbs(set, &(uint32_t){1}, &boxes[1], 1), TACT_OK);
            size_t count = 0, pieces = 0, between = 0;
            uint64_t all = 0;
            const tact_pair* expected = define_pairs(set, NULL, &count);
            if (frame % 6 == 5)
                assert_int_equal(call_pairs_find(set, other, TACT_PAIRS_BVH, NULL, 0, &between, NULL, NULL), TACT_OK);
            if (frame % 8 == 7) {
                assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_BVH, 0, count_piece, &pieces, &all, NULL, NULL),
                                 TACT_OK);
                assert_int_equal(pieces, count);
            }
            compare("few move", set, NULL, TACT_PAIRS_BVH, 1 + (int)frame % 3, expected, count);
            if (frame % 4 == 0) compare("none moves", set, NULL, TACT_PAIRS_BVH, 2, expected, count);
            if (frame == 20) filter_thirds(set, N);
        }
        tact_volumes_destroy(other);
        tact_volumes_destroy(set);
    }
}

/// Few boxes move by one call, some of them twice in it, several calls before a query or none; boxes that take no part
/// are added, and come to life; the set is emptied and filled anew.
TEST(few_move_at_a_time)
{
    enum { N = 900, MOST = 30, FRAMES = 80 };
    tact_context* context = KEEP(make_context(2));
    test_random r = test_random_seeded(29);
    tact_aabb* boxes = scratch((N + FRAMES) * sizeof *boxes);
    tact_volume_scene_named("uniform")->make(N, 6, boxes);
    tact_volumes* set = KEEP(make_boxes(context, boxes, N));
    uint32_t end = N;
    const tact_aabb nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    for (unsigned frame = 0; frame < FRAMES; ++frame) {
        if (frame % 10 == 2) {
            for (size_t i = 0; i < N; ++i)
                boxes[i].upper.y += i % 3 ? 0.0f : 0.01f;
            assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, N), TACT_OK);
        }
        if (frame % 9 == 7 && end > N) {
            const uint32_t both[2] = {end - 1, frame};
            const tact_aabb turned[2] = {boxes[frame], nothing};
            assert_int_equal(tact_volumes_move_aabbs(set, both, turned, 2), TACT_OK);
        }
        for (uint32_t call = test_random_below(&r, 4); call > 0; --call) {
            uint32_t ids[MOST];
            tact_aabb to[MOST];
            const uint32_t count = 1 + test_random_below(&r, call == 2 ? MOST : 9);
            for (uint32_t i = 0; i < count; ++i) {
                ids[i] = i % 5 == 4 ? ids[i - 1] : test_random_below(&r, end);
                to[i] = boxes[test_random_below(&r, N)];
                to[i].upper.x += 0.01f * (float)test_random_below(&r, 3);
                if (frame % 20 == 13 && i == 0) to[i].lower.z = NAN;
            }
            assert_int_equal(tact_volumes_move_aabbs(set, ids, to, count), TACT_OK);
        }
        if (frame % 9 == 5) {
            assert_int_equal(tact_volumes_add_aabbs(set, &nothing, 1, NULL, NULL, NULL), TACT_OK);
            ++end;
        }
        if (frame == FRAMES / 2) {
            tact_volumes_clear(set);
            assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
            end = N;
        }
        size_t count = 0;
        const tact_pair* expected = define_pairs(set, NULL, &count);
        compare("few at a time", set, NULL, TACT_PAIRS_BVH, 1 + (int)frame % 2, expected, count);
    }
}

/// As many as before, but not the same ones: what is kept must not take the number for the boxes.
TEST(one_goes_as_another_comes)
{
    enum { N = 40 };
    const tact_aabb nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    tact_context* context = KEEP(make_context(1));
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 3, boxes);
    tact_volumes* set = make_boxes(context, boxes, N);
    for (uint32_t id = 0; id < N; ++id) {
        assert_int_equal(tact_volumes_move_aabbs(set, &id, &nothing, 1), TACT_OK);
        if (id > 0) {
            const uint32_t last = id - 1;
            assert_int_equal(tact_volumes_move_aabbs(set, &last, &boxes[last], 1), TACT_OK);
        }
        compare_all("one goes", set, NULL);
    }
    tact_volumes_destroy(set);
}

/// A method that took long once is kept, and one that goes on to is not.
TEST(one_interruption_does_not_change_the_method)
{
    enum { N = 2000 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 3, boxes);
    const tact_volume_view view = {.boxes = boxes, .count = N, .live = N, .version = 1};
    tact_pairs_state remembered = {0};
    const tact_pairs_job job = {.threads = 1, .a = &view, .state_a = &remembered, .end = UINT32_MAX};
    char reason[256];
    const tact_pairs_method first = tact_pairs_choose(&job, reason, sizeof reason);
    for (int i = 0; i < 4; ++i)
        tact_pairs_remember(&job, first, 0.01);
    tact_pairs_remember(&job, first, 40.0);
    assert_int_equal(tact_pairs_choose(&job, reason, sizeof reason), first);
    // What else there is takes as expected.
    for (int i = 0; i < 3; ++i)
        tact_pairs_remember(&job, TACT_PAIRS_SAP, 0.5);
    for (int i = 0; i < 4; ++i)
        tact_pairs_remember(&job, first, 40.0);
    assert_int_not_equal(tact_pairs_choose(&job, reason, sizeof reason), first);
}

/// The pairs do not change when everything is scaled by a power of two, which is exact.
TEST(scale_does_not_matter)
{
    enum { N = 1200 };
    static const int powers[] = {-60, -20, -7, 0, 1, 20, 60};
    tact_context* context = KEEP(make_context(2));
    tact_aabb *boxes = scratch(N * sizeof *boxes), *scaled = scratch(N * sizeof *scaled);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_volume_scenes[s].make(N, 21, boxes);
        for (size_t p = 0; p < effort_of_threads(1, sizeof powers / sizeof powers[0]); ++p) {
            scale_boxes(boxes, N, powers[p], p % 2 != 0, scaled);
            tact_volumes* set = make_boxes(context, scaled, N);
            compare_all(tact_volume_scenes[s].name, set, NULL);
            tact_volumes_destroy(set);
        }
    }
}

/// The same pairs with each set of instructions that the machine has.
TEST(every_set_of_instructions)
{
    tact_context* context = KEEP(make_context(2));
    for (int level = 0; level < (int)effort_of_threads(1, TACT_LANE_LEVELS); ++level) {
        tact_lanes_limit(level);
        for (size_t s = 0; s < tact_volume_scene_count; ++s) {
            enum { N = 1100 };
            tact_aabb* boxes = scratch(N * sizeof *boxes);
            tact_volume_scenes[s].make(N, 31, boxes);
            tact_volumes* set = make_boxes(context, boxes, N);
            tact_volumes* part = make_boxes(context, boxes, N / 3);
            compare_all(tact_volume_scenes[s].name, set, NULL);
            compare_all(tact_volume_scenes[s].name, part, set);
            tact_volumes_destroy(part);
            tact_volumes_destroy(set);
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

/// Boxes whose numbers are any bits at all, put in order so that most hold something; of some, the numbers are few, so
/// that many are equal.
TEST(boxes_of_any_bits)
{
    enum { N = 500, ROUNDS = 12 };
    tact_context* context = KEEP(make_context(2));
    test_random r = test_random_seeded(101);
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    float few[12];
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < 12; ++i)
            few[i] = test_random_any(&r);
        for (size_t i = 0; i < N; ++i) {
            float numbers[6];
            for (int k = 0; k < 3; ++k) {
                const bool any = round % 2 == 0;
                const float x = any ? test_random_any(&r) : few[test_random_below(&r, 12)];
                const float y = any ? test_random_any(&r) : few[test_random_below(&r, 12)];
                const bool turn = y < x && test_random_below(&r, 50) > 0;
                numbers[k] = turn ? y : x;
                numbers[k + 3] = turn ? x : y;
            }
            boxes[i] = (tact_aabb){{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
        }
        tact_volumes* set = make_boxes(context, boxes, N);
        tact_volumes* part = make_boxes(context, boxes, N / 5);
        compare_all("any bits", set, NULL);
        compare_all("any bits, two sets", part, set);
        tact_volumes_destroy(part);
        tact_volumes_destroy(set);
    }
}

static tact_categories any_filter(test_random* r)
{
    return (tact_categories){test_random_below(r, 8), test_random_below(r, 8)};
}

/// Whether both categories allow the pair, written here once more: the library's definition and its methods share one
/// function.
static bool both_allow(tact_categories f, tact_categories g)
{
    const bool f_wants_g = (f.mask & g.category) != 0, g_wants_f = (g.mask & f.category) != 0;
    return f_wants_g && g_wants_f;
}

/// Boxes that all overlap pair by their categories alone: within a set, and of two sets of which both, one or the other
/// has categories.
TEST(categories_must_allow_both_ways)
{
    enum { N = 90, M = 40 };
    tact_context* context = KEEP(make_context(2));
    test_random r = test_random_seeded(77);
    tact_aabb boxes[N];
    tact_volume_scene_named("coincident")->make(N, 1, boxes);
    for (int which = 0; which < 4; ++which) {
        tact_volumes* a = make_boxes(context, boxes, N);
        tact_volumes* b = make_boxes(context, boxes, M);
        tact_categories of_a[N], of_b[M];
        for (uint32_t i = 0; i < N; ++i) {
            of_a[i] = which & 1 ? any_filter(&r) : (tact_categories){UINT32_MAX, UINT32_MAX};
            if (which & 1) assert_int_equal(tact_volumes_set_categories(a, &i, &of_a[i], 1), TACT_OK);
        }
        for (uint32_t i = 0; i < M; ++i) {
            of_b[i] = which & 2 ? any_filter(&r) : (tact_categories){UINT32_MAX, UINT32_MAX};
            if (which & 2) assert_int_equal(tact_volumes_set_categories(b, &i, &of_b[i], 1), TACT_OK);
        }
        for (int two = 0; two < 2; ++two) {
            static tact_pair expected[N * N];
            size_t count = 0, defined_count = 0;
            for (uint32_t i = 0; i < N; ++i)
                for (uint32_t k = two ? 0 : i + 1; k < (two ? M : N); ++k)
                    if (both_allow(of_a[i], two ? of_b[k] : of_a[k])) expected[count++] = (tact_pair){i, k};
            tact_pair* defined = define_pairs(a, two ? b : NULL, &defined_count);
            assert_int_equal(defined_count, count);
            assert_memory_equal(defined, expected, count * sizeof *defined);
            for (int method = TACT_PAIRS_AUTO; method < TACT_PAIRS_METHOD_COUNT; ++method)
                compare("categories", a, two ? b : NULL, (tact_pairs_method)method, 2, expected, count);
        }
        tact_volumes_destroy(b);
        tact_volumes_destroy(a);
    }
}

TEST(too_small_a_buffer)
{
    enum { N = 1000 };
    tact_context* context = KEEP(make_context(2));
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 1, boxes);
    tact_volumes* set = KEEP(make_boxes(context, boxes, N));
    size_t expected_count = 0, count = 0, all = 0;
    tact_pair* expected = define_pairs(set, NULL, &expected_count);
    tact_pair* pairs = scratch((expected_count + 1) * sizeof *pairs);
    pairs[expected_count - 1] = (tact_pair){77, 78};
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_AUTO, pairs, expected_count - 1, &count, NULL, NULL),
                     TACT_INCOMPLETE);
    assert_int_equal(count, expected_count);
    assert_memory_equal(pairs, expected, (expected_count - 1) * sizeof *pairs);
    assert_int_equal(pairs[expected_count - 1].a, 77);
    assert_memory_equal(tact_pairs_last(set, &all), expected, expected_count * sizeof *pairs);
    assert_int_equal(all, expected_count);
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_AUTO, pairs, expected_count, &count, NULL, NULL), TACT_OK);
    assert_memory_equal(pairs, expected, expected_count * sizeof *pairs);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
