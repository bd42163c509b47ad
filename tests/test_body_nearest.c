// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The closest body to points and shapes, against the distances of all bodies.
#include "tests/support/run.h"

#include "tact/body_nearest.h"
#include "tests/support/distance_scene.h"
#include "tests/support/effort.h"

enum { ITEMS = 56 };

/// Finds the closest bodies by every way of the CPU, which are the same.
static void find_nearest(scene* s, const tact_body_nearest_item* items, size_t count, tact_body_nearest* rows)
{
    tact_body_nearest others[ITEMS];
    assert_true(count <= ITEMS);
    for (int k = 0; k < 3; ++k) {
        const tact_query_options options = {.backend = k == 2 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
                                            .threads = k + 1};
        size_t found = 0;
        const tact_body_nearest_work work = {
            .items = items, .item_count = count, .nearest = k ? others : rows, .capacity = count, .count = &found};
        assert_int_equal(tact_body_nearest_find(s->set, &work, &options, NULL), TACT_OK);
        assert_int_equal(found, count);
        for (size_t i = 0; k && i < count; ++i) {
            if (memcmp(&rows[i], &others[i], sizeof *rows) != 0)
                fail_msg("item %zu: body %u part %u at %.9g, and %u %u at %.9g by way %d", i, rows[i].body,
                         rows[i].part, (double)rows[i].distance, others[i].body, others[i].part,
                         (double)others[i].distance, k);
        }
    }
}

static tact_body_nearest one_nearest(scene* s, tact_body_nearest_item item)
{
    tact_body_nearest row;
    find_nearest(s, &item, 1, &row);
    return row;
}

/// The row that the distances of all bodies from a body in the item's place say, which double precision agrees with.
static tact_body_nearest by_distances(scene* s, const tact_body_nearest_item* item, uint32_t number, proof* p)
{
    const uint32_t own = add_body(s, item->shape, item->pose);
    tact_pair pairs[64];
    tact_body_distance_row rows[64];
    for (uint32_t i = 0; i < own; ++i)
        pairs[i] = (tact_pair){i, own};
    find_distances(s, &(tact_body_distances_work){.pairs = pairs, .pair_count = own, .farthest = item->farthest}, rows);
    tact_body_nearest best = {.item = number, .body = 0xffffffffu, .distance = INFINITY};
    for (uint32_t i = 0; i < own; ++i) {
        if (!(rows[i].distance < best.distance)) continue;
        best.body = rows[i].a;
        best.part = rows[i].part_a;
        best.distance = rows[i].distance;
        best.normal = rows[i].normal;
        best.on_body = rows[i].on_a;
        best.on_item = rows[i].on_b;
    }
    if (best.body < own) {
        check_row(s, &rows[best.body], p);
        const solid a = part_at(s, best.body, best.part, best.body), b = part_at(s, own, 0, best.body);
        if (best.distance > 0.0f) assert_float_equal(best.distance, (float)between(&a, &b), 2e-5f);
    }
    assert_int_equal(tact_bodies_remove(s->set, &own, 1), TACT_OK);
    s->count = own;
    return best;
}

TEST(the_closest_body_is_the_nearest_of_all_distances)
{
    test_random r = test_random_seeded(1);
    size_t none = 0, deep = 0, apart = 0;
    proof p = {0};
    for (size_t round = 0; round < effort(4, 40); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        add_kinds(s, &r);
        const double far = round % 3 == 2 ? 1e7 : 0.0, half = round % 2 ? 4.0 : 30.0;
        for (uint32_t i = 0; i < 4 * KINDS; ++i) {
            tact_pose pose = somewhere(&r, far, half);
            pose.scale = i % 3 ? 1.0f : 0.6f;
            add_body(s, i % KINDS, pose);
        }
        const uint32_t point = add_shape(s, (tact_body_shape){.radius = 0.0f});
        tact_body_nearest_item items[ITEMS];
        tact_body_nearest rows[ITEMS];
        for (uint32_t i = 0; i < ITEMS; ++i) {
            items[i] = (tact_body_nearest_item){.pose = somewhere(&r, far, 1.3 * half),
                                                .shape = i % 8 < CONVEX ? i % 8 : point,
                                                .farthest = i % 5 ? 0.0f : 1.0f};
        }
        find_nearest(s, items, ITEMS, rows);
        for (uint32_t i = 0; i < ITEMS; ++i) {
            const tact_body_nearest right = by_distances(s, &items[i], i, &p);
            assert_memory_equal(&rows[i], &right, sizeof right);
            none += right.body == 0xffffffffu;
            deep += right.distance < 0.0f;
            apart += right.distance > 0.0f && right.body != 0xffffffffu;
        }
    }
    print_message("%zu items have none, %zu overlap, %zu are apart\n", none, deep, apart);
    assert_true(none + deep > 2 && apart > 20);
    assert_true(p.low < 3.8e-6 && p.high < 3.8e-6 && p.on_surface < 3.8e-6 && p.unit < 1e-6);
}

TEST(equal_distances_are_ordered_by_id)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    tact_body_nearest_item item = {.shape = ball, .pose = pose_at(0, 4, 0)};
    tact_body_nearest row = one_nearest(&s, item);
    const tact_body_nearest none = {.body = 0xffffffffu, .distance = INFINITY};
    assert_memory_equal(&row, &none, sizeof none);
    for (int i = 0; i < 6; ++i)
        add_body(&s, ball, pose_at(i % 2 ? 3 : -3, 4, 0));
    row = one_nearest(&s, item);
    assert_true(row.body == 0 && row.distance == 2.0f && row.normal.x == 1.0f);
    assert_true(row.on_body.x == 0.5f && row.on_item.x == -0.5f);
    const uint32_t gone[2] = {0, 1};
    assert_int_equal(tact_bodies_remove(s.set, gone, 2), TACT_OK);
    assert_int_equal(one_nearest(&s, item).body, 2);
    // A half-space has no box.
    add_body(&s, plane, pose_at(1000, 2.5, 0));
    row = one_nearest(&s, item);
    assert_true(row.body == 0 && row.distance == 1.0f && row.normal.y == 1.0f);
    item.farthest = 0.5f;
    assert_int_equal(one_nearest(&s, item).body, 0xffffffffu);
    item.farthest = 0.0f;
    item.categories = (tact_categories){1, 2};
    const tact_body other = {.shape = ball, .pose = pose_at(0, 40, 0), .categories = {2, 1}};
    uint32_t id = 0;
    assert_int_equal(tact_bodies_add(s.set, &other, 1, &id), TACT_OK);
    // The half-space and the balls are of all categories.
    assert_int_equal(one_nearest(&s, item).body, 0);
    item.categories = (tact_categories){1u << 31, 2};
    assert_int_equal(one_nearest(&s, item).body, 0);
}

TEST(what_is_wrong_is_said)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    add_body(&s, ball, pose_at(0, 0, 0));
    size_t count = 3;
    tact_body_nearest_item item = {.shape = ball};
    tact_body_nearest_work work = {.items = &item, .item_count = 1, .count = &count};
    assert_int_equal(tact_body_nearest_find(NULL, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_body_nearest_find(s.set, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    const tact_body_nearest_item bad[5] = {
        {.shape = plane}, {.shape = 7}, {.farthest = -1.0f}, {.farthest = NAN}, {.pose = {.x = HUGE_VAL}}};
    for (int i = 0; i < 5; ++i) {
        work.items = &bad[i];
        assert_int_equal(tact_body_nearest_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
        assert_null(tact_body_nearest_last(s.set, &count));
        assert_int_equal(count, 0);
    }
    work.items = NULL;
    assert_int_equal(tact_body_nearest_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.items = &item;
    work.capacity = 1;
    assert_int_equal(tact_body_nearest_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.capacity = 0;
    assert_int_equal(tact_body_nearest_find(s.set, &work, NULL, NULL), TACT_OK);
    assert_true(tact_body_nearest_last(s.set, &count)->distance == -1.0f);
    // With too little room nothing is lost.
    const tact_body_nearest_item two[2] = {{.shape = ball}, {.shape = ball, .pose = {.x = 4.0}}};
    tact_body_nearest row;
    work.items = two;
    work.item_count = 2;
    work.nearest = &row;
    work.capacity = 1;
    assert_int_equal(tact_body_nearest_find(s.set, &work, NULL, NULL), TACT_INCOMPLETE);
    assert_int_equal(count, 2);
    assert_true(tact_body_nearest_last(s.set, &count)[1].distance == 3.0f);
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
