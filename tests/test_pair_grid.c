// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The grids where their choice of cells is hardest: whatever it is, the pairs are those of the definition. Also what
// they keep, and what they do without memory.
#include <float.h>
#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/pair_sets.h"

enum { N = 1500 };

static const tact_pairs_method methods[] = {TACT_PAIRS_GRID, TACT_PAIRS_HGRID};

static tact_context* make_context(const tact_allocator* hooks)
{
    tact_context_desc desc = {.threads = 2, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    if (hooks) desc.allocator = *hooks;
    return new_context(&desc);
}

static void compare(tact_volumes* a, tact_volumes* b)
{
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE}, cpu = {.backend = TACT_BACKEND_CPU};
    size_t expected_count = 0, count = 0;
    assert_int_equal(call_pairs_find(a, b, TACT_PAIRS_AUTO, NULL, 0, &expected_count, &reference, NULL), TACT_OK);
    tact_pair* expected = scratch((expected_count + 1) * sizeof *expected);
    if (expected_count > 0) memcpy(expected, tact_pairs_last(a, &count), expected_count * sizeof *expected);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        tact_query_report report;
        assert_int_equal(call_pairs_find(a, b, methods[m], NULL, 0, &count, &cpu, &report), TACT_OK);
        assert_true(report.build_ms >= 0.0);
        expect_method("a grid", a, methods[m]);
        assert_int_equal(count, expected_count);
        if (count > 0) assert_memory_equal(tact_pairs_last(a, &count), expected, count * sizeof *expected);
    }
}

static float wide(test_random* r, float from, float to)
{
    const float x = ldexpf(1.0f + test_random_unit(r), (int)(from + (to - from) * test_random_unit(r)));
    return test_random_below(r, 2) ? x : -x;
}

/// A box of some kind that upsets statistics.
static tact_aabb odd_box(test_random* r, uint32_t kind)
{
    const float inf = INFINITY;
    const tact_vec3 at = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    tact_aabb box = {at, {at.x + 0.1f, at.y + 0.1f, at.z + 0.1f}};
    switch (kind) {
        case 0:  // corners and sizes over all magnitudes
            box.lower = (tact_vec3){wide(r, -140, 120), wide(r, -140, 120), wide(r, -140, 120)};
            box.upper = (tact_vec3){box.lower.x + fabsf(wide(r, -140, 127)), box.lower.y + fabsf(wide(r, -140, 127)),
                                    box.lower.z + fabsf(wide(r, -140, 127))};
            break;
        case 1:  // points at infinity
            box = (tact_aabb){{inf, inf, inf}, {inf, inf, inf}};
            break;
        case 2:  // half spaces and slabs
            (&box.lower.x)[test_random_below(r, 3)] = -inf;
            if (test_random_below(r, 2)) (&box.upper.x)[test_random_below(r, 3)] = inf;
            break;
        case 3:  // below the normal numbers
            box.lower = (tact_vec3){at.x * 1e-40f, at.y * 1e-40f, at.z * 1e-40f};
            box.upper = (tact_vec3){box.lower.x + 2e-41f, box.lower.y + 2e-41f, box.lower.z + 2e-41f};
            break;
        case 4:  // a flat world
            box.lower.z = box.upper.z = 3.0f;
            break;
        case 5:  // far from the origin, where few numbers are
            box.lower = (tact_vec3){at.x + 3e6f, at.y - 3e6f, at.z};
            box.upper = (tact_vec3){box.lower.x + 0.25f, box.lower.y + 0.25f, box.lower.z + 0.1f};
            break;
        case 6:
            if (test_random_below(r, 60) == 0) box = (tact_aabb){{-FLT_MAX, -1, -1}, {FLT_MAX, 1e30f, 1}};
            break;
        case 7:  // two lumps, far apart
            box.lower.x += test_random_below(r, 4) ? 0.0f : 1e6f;
            box.upper.x = box.lower.x + 0.1f;
            break;
        case 8:  // only some take part
            if (test_random_below(r, 100)) box.lower.y = NAN;
            break;
        default:  // one axis has cells, the others have not
            box.lower.x *= 1e4f;
            box.upper.x = box.lower.x + 10.0f;
            break;
    }
    return box;
}

TEST(odd_sets)
{
    enum { KINDS = 10 };
    tact_context* context = KEEP(make_context(NULL));
    test_random r = test_random_seeded(4);
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    for (uint32_t first = 0; first < KINDS; ++first) {
        for (uint32_t second = 0; second < KINDS; ++second) {
            for (uint32_t i = 0; i < N; ++i)
                boxes[i] = odd_box(&r, test_random_below(&r, 50) ? first : second);
            tact_volumes* a = new_volumes(context, NULL);
            tact_volumes* b = new_volumes(context, NULL);
            assert_int_equal(tact_volumes_add_aabbs(a, boxes, N - 100, NULL, NULL, NULL), TACT_OK);
            assert_int_equal(tact_volumes_add_aabbs(b, boxes + N - 100, 100, NULL, NULL, NULL), TACT_OK);
            compare(a, NULL);
            compare(a, b);
            compare(b, a);
            tact_volumes_destroy(a);
            tact_volumes_destroy(b);
        }
    }
}

TEST(cells_are_kept)
{
    tact_context* context = KEEP(make_context(NULL));
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 1, boxes);
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        tact_volumes* set = new_volumes(context, NULL);
        assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
        for (int k = 0; k < 4; ++k) {
            size_t count = 0;
            tact_pairs_info info;
            if (k == 2) assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, 1), TACT_OK);
            assert_int_equal(call_pairs_find(set, NULL, methods[m], NULL, 0, &count, &cpu, NULL), TACT_OK);
            assert_int_equal(tact_pairs_get_info(set, &info), TACT_OK);
            assert_int_equal(info.method, methods[m]);
            assert_int_equal(info.rebuilt, k == 0 || k == 2);
            assert_true(info.tests > 0 && info.tests < 100 * N);
        }
        tact_volumes_destroy(set);
    }
}

static bool stop(double done, void* user)
{
    int* left = user;
    assert_true(done >= 0.0 && done <= 1.0);
    return --*left > 0;
}

TEST(can_be_cancelled)
{
    tact_context* context = KEEP(make_context(NULL));
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 1, boxes);
    tact_volumes* set = KEEP(new_volumes(context, NULL));
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        int left = 1;
        size_t count = 0;
        const tact_query_options cpu = {.backend = TACT_BACKEND_CPU, .progress = stop, .progress_user = &left};
        assert_int_equal(call_pairs_find(set, NULL, methods[m], NULL, 0, &count, &cpu, NULL), TACT_ERROR_CANCELLED);
        left = 1000;
        assert_int_equal(call_pairs_find(set, NULL, methods[m], NULL, 0, &count, &cpu, NULL), TACT_OK);
    }
    compare(set, NULL);
}

/// Each allocation fails in turn; the next query, with memory, is right.
TEST(no_memory)
{
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_volume_scene_named("sizes")->make(N, 1, boxes);
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        bool done = false;
        for (size_t k = 1; !done; ++k) {
            counting_allocator counter = {0};
            const tact_allocator hooks = counting_hooks(&counter);
            tact_context* context = make_context(&hooks);
            tact_volumes* set = new_volumes(context, NULL);
            assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
            counter.fail_at = counter.requests + k;
            size_t count = 0;
            const tact_result result = call_pairs_find(set, NULL, methods[m], NULL, 0, &count, &cpu, NULL);
            done = result == TACT_OK;
            if (!done) assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            counter.fail_at = 0;
            compare(set, NULL);
            tact_volumes_destroy(set);
            tact_context_destroy(context);
            assert_int_equal(counter.live, 0);
            assert_true(k < 100);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
