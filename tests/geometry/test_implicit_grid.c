// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Implicit grids against looking at all boxes.

#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tact/geometry/implicit_grid.h"
#include "tests/geometry/boxes.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

enum { MOST = 1000 };

static void destroy(void* g)
{
    tact_implicit_grid_destroy(g);
}

/// Some large, flat, alike or without an end.
static tact_aabb random_box(test_random* r)
{
    const uint32_t kind = test_random_below(r, 16);
    const tact_vec3 at = test_vec3(r, 10.0f);
    const float size = kind == 0 ? 12.0f : kind == 1 ? 0.0f : 1.0f;
    tact_aabb b = {at, {at.x + size * test_random_unit(r), at.y + size * test_random_unit(r), at.z + size}};
    if (kind == 2) b.lower.y = -INFINITY;
    if (kind == 3) b.upper.x = INFINITY;
    if (kind == 4) b.lower = (tact_vec3){floorf(at.x), floorf(at.y), floorf(at.z)};
    if (kind == 4) b.upper = (tact_vec3){b.lower.x + 1.0f, b.lower.y + 1.0f, b.lower.z + 1.0f};
    return b;
}

TEST(searches_find_what_all_boxes_say)
{
    test_random r = test_random_seeded(971);
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 1000};
    for (uint32_t slabs = 0; slabs < 300; slabs = slabs ? 7 * slabs : 1) {
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
            tact_aabb boxes[MOST];
            uint32_t ids[MOST];
            size_t found = 0;
            tact_implicit_grid* g = NULL;
            for (uint32_t i = 0; i < counts[n]; ++i)
                boxes[i] = n % 3 == 2 && i > 5 ? boxes[i % 5] : random_box(&r);
            assert_int_equal(tact_implicit_grid_create(boxes, counts[n], slabs, NULL, &g), TACT_OK);
            at_end(destroy, g);
            for (size_t k = 0; k < effort(100, 1000); ++k) {
                const tact_aabb box = random_box(&r);
                const size_t count = tact_implicit_grid_in_box(g, box, ids, MOST);
                size_t expected = 0;
                for (uint32_t i = 0; i < counts[n]; ++i) {
                    if (!tact_aabb_overlaps_aabb(box, boxes[i])) continue;
                    assert_true(expected < count && ids[expected] == i);
                    ++expected;
                }
                assert_int_equal(count, expected);
                found += count;
                uint32_t few[2] = {7, 7};
                assert_int_equal(tact_implicit_grid_in_box(g, box, few, 1), count);
                assert_int_equal(few[1], 7);
            }
            assert_true(found > 0 || counts[n] < MOST);
        }
    }
}

static bool stop(uint32_t id, void* user)
{
    (void)id;
    return ++*(uint32_t*)user < 4;
}

TEST(a_caller_ends_a_search_and_bad_boxes_are_refused)
{
    tact_aabb boxes[9];
    uint32_t calls = 0;
    tact_implicit_grid* g = NULL;
    for (int i = 0; i < 9; ++i)
        boxes[i] = (tact_aabb){{0, 0, 0}, {1, 1, 1}};
    assert_int_equal(tact_implicit_grid_create(boxes, 9, 8, NULL, &g), TACT_OK);
    assert_false(tact_implicit_grid_each_in_box(g, boxes[0], stop, &calls));
    assert_int_equal(calls, 4);
    calls = 0;
    assert_true(tact_implicit_grid_each_in_box(g, (tact_aabb){{2, 0, 0}, {1, 1, 1}}, stop, &calls));
    assert_true(tact_implicit_grid_each_in_box(g, (tact_aabb){{NAN, 0, 0}, {1, 1, 1}}, stop, &calls) && calls == 0);
    assert_true(tact_implicit_grid_bytes(g) > 9 * 24);
    tact_implicit_grid_destroy(g);
    tact_implicit_grid_destroy(NULL);
    assert_int_equal(tact_implicit_grid_bytes(NULL), 0);
    boxes[4].upper.z = NAN;
    assert_int_equal(tact_implicit_grid_create(boxes, 9, 8, NULL, &g), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "boxes[4] is empty or has a NaN");
    boxes[4].upper.z = -1;
    assert_int_equal(tact_implicit_grid_create(boxes, 9, 8, NULL, &g), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_implicit_grid_create(boxes, 4, 4097, NULL, &g), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_implicit_grid_create(boxes, (size_t)1 << 31, 8, NULL, &g), TACT_ERROR_LIMIT);
    assert_null(g);
}

TEST(without_memory_nothing_is_left)
{
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    for (size_t fail_at = 1, done = 0; !done; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_implicit_grid* g = NULL;
        const tact_result result = tact_implicit_grid_create(&box, 1, 0, &hooks, &g);
        done = result == TACT_OK;
        assert_true((g != NULL) == done && (done || result == TACT_ERROR_OUT_OF_MEMORY));
        tact_implicit_grid_destroy(g);
        assert_int_equal(counter.live, 0);
        assert_true(!done || fail_at > 5);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
