// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Assertions and validators, where the library is built with them: what is broken in memory reaches the hook.
#include "tests/support/run.h"

#include "base/asserts.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "core/context/context.h"
#include "cpu_ref/pairs/grid_cells.h"
#include "cpu_ref/pairs/pair_sink.h"
#include "cpu_ref/pairs/tree.h"
#include "cpu_ref/trace/build.h"
#include "cpu_ref/trace/scene.h"
#include "tact/tact.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

#if defined(TACT_ASSERTS)

#include <stdatomic.h>

#include "tests/support/random.h"
#include "tests/support/test_context.h"

/// What a hook was told.
typedef struct told {
    int calls;
    char condition[200];
} told;

static bool note(const char* condition, const char* file, int line, void* user)
{
    told* t = user;
    ++t->calls;
    assert_true(strstr(file, ".c") && line > 0);
    strncpy(t->condition, condition, sizeof t->condition - 1);
    return false;
}

static tact_context* make_context(told* t)
{
    const tact_context_desc desc = {.threads = 4,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .log = quiet,
                                    .assertion = note,
                                    .assertion_user = t};
    return new_context(&desc);
}

static told seen;

static int open_own(void** state)
{
    context = make_context(&seen);
    return 0;
}

/// Whether the hook has been called once for each of so many failures since the last question.
static void assert_calls(int calls)
{
    assert_int_equal(seen.calls, calls);
    seen.calls = 0;
}

static tact_env* entered(void)
{
    assert_true(tact_enter(context, "context"));
    seen = (told){0};
    return &context->env;
}

TEST(the_hook_of_what_was_entered_is_called)
{
    (void)entered();
    const int one = 1;
    TACT_ASSERT(one == 1);
    assert_calls(0);
    TACT_ASSERT(one == 2);
    assert_string_equal(seen.condition, "one == 2");
    assert_calls(1);
    told others = {0};
    tact_context* other = make_context(&others);
    assert_true(tact_enter(other, "context"));
    TACT_ASSERT(one == 3);
    assert_int_equal(others.calls, 1);
    assert_calls(0);
    tact_context_destroy(other);
    (void)entered();
    TACT_ASSERT(one == 4);
    assert_calls(1);
    assert_int_equal(others.calls, 1);
}

typedef struct race {
    atomic_int failed;
} race;

static void fail_in_workers(size_t begin, size_t end, int worker, void* user)
{
    race* r = user;
    const double start = tact_platform_milliseconds();
    if (worker == 0) {
        while (!atomic_load(&r->failed) && tact_platform_milliseconds() - start < 1.0) {
        }
        return;
    }
    TACT_ASSERT(worker == 0);
    atomic_store(&r->failed, 1);
}

TEST(a_worker_of_a_loop_reaches_the_hook)
{
    (void)entered();
    race r = {0};
    for (int round = 0; round < 20 && !atomic_load(&r.failed); ++round)
        tact_parallel_for(4, 500, 1, fail_in_workers, &r);
    if (!atomic_load(&r.failed)) skip_because("the system ran no second thread");
    assert_true(seen.calls > 0);
    assert_string_equal(seen.condition, "worker == 0");
}

// ---- Structures ----

enum { COUNT = 500 };

static void make_boxes(tact_aabb boxes[COUNT])
{
    test_random r = test_random_seeded(4);
    for (int i = 0; i < COUNT; ++i) {
        const float x = 9.0f * test_random_unit(&r), y = 9.0f * test_random_unit(&r);
        const float z = 9.0f * test_random_unit(&r);
        boxes[i] = (tact_aabb){{x, y, z}, {x + 0.5f, y + 0.5f, z + 0.5f}};
    }
}

TEST(a_broken_wide_tree_is_seen)
{
    tact_env* env = entered();
    static tact_aabb boxes[COUNT];
    static tact_build_reference references[COUNT], kept[COUNT];
    make_boxes(boxes);
    for (uint32_t i = 0; i < COUNT; ++i) {
        const tact_aabb* box = &boxes[i];
        const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
        const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
        references[i] = tact_build_reference_of(lower, upper, i);
    }
    memcpy(kept, references, sizeof kept);
    const tact_build_desc desc = {TACT_BUILD_MEDIUM, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
    tact_bvh8 tree;
    assert_int_equal(tact_bvh8_build(env, 2, &desc, references, COUNT, &tree), TACT_OK);
    TACT_VALIDATE(tact_bvh8_is_valid(&tree, &desc, kept, COUNT));
    assert_calls(0);

    const uint8_t side = tree.nodes[0].box[1][1][0];
    tree.nodes[0].box[1][1][0] = tree.nodes[0].box[1][0][0];  // a child no thicker than its lower side
    TACT_VALIDATE(tact_bvh8_is_valid(&tree, &desc, kept, COUNT));
    assert_true(strstr(seen.condition, "tact_bvh8_is_valid") != NULL);
    assert_calls(1);
    tree.nodes[0].box[1][1][0] = side;

    const uint32_t link = tree.nodes[0].node;
    for (int wrong = 0; wrong < 2; ++wrong) {
        tree.nodes[0].node = wrong ? (uint32_t)tree.node_count : 0;  // out of range, and back to the root
        TACT_VALIDATE(tact_bvh8_is_valid(&tree, &desc, kept, COUNT));
        assert_calls(1);
    }
    tree.nodes[0].node = link;

    size_t first = 0, second;
    while (tree.order[first] == UINT32_MAX)
        ++first;
    for (second = first + 1; tree.order[second] == UINT32_MAX;)
        ++second;
    const uint32_t id = tree.order[second];
    tree.order[second] = tree.order[first];  // in two leaves, and another one in none
    TACT_VALIDATE(tact_bvh8_is_valid(&tree, &desc, kept, COUNT));
    assert_calls(1);
    tree.order[second] = id;

    ++tree.depth;
    TACT_VALIDATE(tact_bvh8_is_valid(&tree, &desc, kept, COUNT));
    assert_calls(1);
    --tree.depth;
    TACT_VALIDATE(tact_bvh8_is_valid(&tree, &desc, kept, COUNT));
    assert_calls(0);
    tact_bvh8_free(env, &tree);
}

TEST(a_broken_tree_of_pairs_is_seen)
{
    tact_env* env = entered();
    static tact_aabb boxes[COUNT];
    make_boxes(boxes);
    tact_tree tree;
    tact_tree_init(&tree, env);
    assert_int_equal(tact_tree_reserve_ids(&tree, COUNT), TACT_OK);
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(tact_tree_insert(&tree, i, &boxes[i]), TACT_OK);
    TACT_VALIDATE(tact_tree_is_valid(&tree, boxes));
    assert_calls(0);
    const tact_tree_node root = tree.nodes[tree.root];
    tact_tree_node* left = &tree.nodes[root.child[0]];
    const tact_tree_node was = *left;

    left->box.upper.x -= 1.0f;
    TACT_VALIDATE(tact_tree_is_valid(&tree, boxes));
    assert_calls(1);
    *left = was;
    left->parent = root.child[1];
    TACT_VALIDATE(tact_tree_is_valid(&tree, boxes));
    assert_calls(1);
    *left = was;
    left->height += 2;
    TACT_VALIDATE(tact_tree_is_valid(&tree, boxes));
    assert_calls(1);
    *left = was;
    const uint32_t leaf = tree.leaf_of[7];
    tree.leaf_of[7] = tree.leaf_of[8];
    TACT_VALIDATE(tact_tree_is_valid(&tree, boxes));
    assert_calls(1);
    tree.leaf_of[7] = leaf;
    TACT_VALIDATE(tact_tree_is_valid(&tree, boxes));
    assert_calls(0);
    tact_tree_release(&tree);
}

TEST(a_broken_grid_is_seen)
{
    tact_env* env = entered();
    static tact_aabb boxes[COUNT];
    make_boxes(boxes);
    const tact_volume_view of = {.boxes = boxes, .count = COUNT, .live = COUNT, .version = 1};
    tact_pairs_job job = {.env = env, .threads = 2, .a = &of, .end = UINT32_MAX};
    void* kept = NULL;
    assert_int_equal(tact_cells_update(&job, &of, true, &kept), TACT_OK);
    tact_cells* cells = kept;
    assert_calls(0);
    TACT_VALIDATE(tact_cells_are_valid(cells, &of));
    assert_calls(0);

    const uint32_t id = cells->ids[3];
    cells->ids[3] = cells->ids[4];  // in two places
    TACT_VALIDATE(tact_cells_are_valid(cells, &of));
    assert_calls(1);
    cells->ids[3] = id;
    uint32_t full = 0;  // a bucket whose first box falls to the bucket before it
    while (cells->starts[full + 1] < COUNT / 2 || cells->starts[full + 1] == cells->starts[full + 2])
        ++full;
    ++cells->starts[full + 1];
    TACT_VALIDATE(tact_cells_are_valid(cells, &of));
    assert_calls(1);
    --cells->starts[full + 1];
    boxes[cells->ids[9]].upper.x += 5.0f;  // moved, and not told
    TACT_VALIDATE(tact_cells_are_valid(cells, &of));
    assert_calls(1);
    tact_cells_release(env, kept);
}

TEST(a_list_out_of_order_is_seen)
{
    (void)entered();
    tact_pair pairs[] = {{0, 3}, {0, 4}, {1, 2}, {5, 6}};
    TACT_VALIDATE(tact_pairs_are_sorted(pairs, 4));
    TACT_VALIDATE(tact_pairs_are_sorted(pairs, 0));
    assert_calls(0);
    pairs[1].b = 3;  // twice
    TACT_VALIDATE(tact_pairs_are_sorted(pairs, 4));
    assert_calls(1);
    pairs[1].b = 2;
    TACT_VALIDATE(tact_pairs_are_sorted(pairs, 4));
    assert_calls(1);
}

#include TEST_LIST
RUN_ALL(open_own, close_context)

#else

static int evaluated;

static bool evaluate(void)
{
    ++evaluated;
    return false;
}

TEST(nothing_is_asserted)
{
    TACT_ASSERT(evaluate());
    TACT_VALIDATE(evaluate());
    assert_int_equal(evaluated, 0);
    skip_because("the library is built without TACT_ASSERTS");
}

#include TEST_LIST
RUN_ALL(NULL, NULL)

#endif
