// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Inside the trees of the broad phase: the order that they are built in, and what the dynamic tree promises after
// whatever was done to it; and what failures leave behind.
#include "tests/support/run.h"

#include "base/lane_levels.h"
#include "cpu_ref/pairs/tree.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/pair_sets.h"

static tact_env make_env(void)
{
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    return env;
}

/// As a set would have them. Returns how many are live.
static uint32_t prune(tact_aabb* boxes, uint32_t count)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < count; ++i) {
        boxes[i] = tact_aabb_pruning_box(boxes[i]);
        live += tact_volume_is_live(&boxes[i]);
    }
    return live;
}

static tact_volume_view view_of(tact_aabb* boxes, uint32_t count)
{
    return (tact_volume_view){.boxes = boxes, .count = count, .live = prune(boxes, count), .version = 1};
}

/// Every live id once, and the same whatever the threads and the instructions.
static void check_order(const char* what, tact_volume_view of)
{
    tact_env env = make_env();
    tact_box_order one = {0}, three = {0};
    assert_int_equal(tact_box_order_make(&env, 1, &of, &one), TACT_OK);
    tact_lanes_limit(TACT_LANES_PORTABLE);
    assert_int_equal(tact_box_order_make(&env, 3, &of, &three), TACT_OK);
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    assert_int_equal(one.count, of.live);
    assert_int_equal(three.count, of.live);
    uint8_t* seen = scratch_zeroed(of.count + 1, 1);
    for (uint32_t i = 0; i < one.count; ++i) {
        const uint32_t id = (uint32_t)one.items[i];
        if ((uint32_t)three.items[i] != id) fail_msg("%s: %u at %u, with threads and no lanes another", what, id, i);
        assert_true(id < of.count);
        assert_true(tact_volume_is_live(&of.boxes[id]));
        assert_false(seen[id]);
        seen[id] = 1;
    }
    tact_box_order_release(&env, &one);
    tact_box_order_release(&env, &three);
}

TEST(order_is_a_permutation)
{
    static const uint32_t counts[] = {0, 1, 2, 47, 300, 9000, 40000};
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            tact_aabb* boxes = scratch((counts[c] + 1) * sizeof *boxes);
            tact_volume_scenes[s].make(counts[c], 5, boxes);
            check_order(tact_volume_scenes[s].name, view_of(boxes, counts[c]));
        }
    }
}

/// Clusters within clusters, each a thousandth of the last, as far as floats go; and all at the ends of the range.
TEST(order_bears_anything)
{
    enum { N = 50000 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    test_random r = test_random_seeded(3);
    for (int kind = 0; kind < 4; ++kind) {
        for (uint32_t i = 0; i < N; ++i) {
            float* numbers = (float*)&boxes[i];
            const float size = kind == 0   ? powf(1e-3f, (float)(i % 15))
                               : kind == 1 ? 3.4e38f
                               : kind == 2 ? 1e-44f
                                           : 1.0f;
            for (int k = 0; k < 3; ++k) {
                numbers[k] = size * (float)((int)test_random_below(&r, 2000) - 1000) * 1e-3f;
                numbers[k + 3] = numbers[k];
                if (kind == 3) {
                    numbers[k] = i % 3 ? -INFINITY : INFINITY;
                    numbers[k + 3] = i % 5 ? INFINITY : numbers[k];
                }
            }
        }
        check_order("anything", view_of(boxes, N));
    }
}

/// Most groups of 16 in the order are small, also in lumps, on a line and with a few far ones.
TEST(order_is_good)
{
    static const struct {
        const char* name;
        double most;  ///< widths of a box that a good group is wide
    } sets[] = {{"uniform", 8.0}, {"clustered", 8.0}, {"outliers", 8.0}, {"line", 20.0}};
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
        enum { N = 32768 };
        tact_aabb* boxes = scratch(N * sizeof *boxes);
        tact_volume_scene_named(sets[s].name)->make(N, 5, boxes);
        const tact_volume_view of = view_of(boxes, N);
        tact_env env = make_env();
        tact_box_order order = {0};
        assert_int_equal(tact_box_order_make(&env, 2, &of, &order), TACT_OK);
        uint32_t near = 0;
        for (uint32_t i = 0; i + 16 <= order.count; i += 16) {
            double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30}, widest = 0.0, box_width = 0.0;
            for (uint32_t k = i; k < i + 16; ++k) {
                const float* b = (const float*)&boxes[(uint32_t)order.items[k]];
                for (int axis = 0; axis < 3; ++axis) {
                    low[axis] = fmin(low[axis], (double)b[axis]);
                    high[axis] = fmax(high[axis], (double)b[axis + 3]);
                    box_width = fmax(box_width, (double)b[axis + 3] - (double)b[axis]);
                }
            }
            for (int axis = 0; axis < 3; ++axis)
                widest = fmax(widest, high[axis] - low[axis]);
            near += widest < sets[s].most * box_width;
        }
        if (near < N / 16 * 9 / 10)
            fail_msg("%s: only %u of %u groups are small", sets[s].name, near, (unsigned)N / 16);
        tact_box_order_release(&env, &order);
    }
}

/// What holds for every tree. `boxes` by id, `there` says which are in it.
static void check_tree(const tact_tree* t, const tact_aabb* boxes, const uint8_t* there, uint32_t count)
{
    uint32_t leaves = 0, in_use = 0, stack[TACT_TREE_MOST_HEIGHT + 2], depth = 0;
    if (t->root != TACT_TREE_NONE) {
        assert_int_equal(t->nodes[t->root].parent, TACT_TREE_NONE);
        stack[depth++] = t->root;
    }
    while (depth > 0) {
        const uint32_t index = stack[--depth];
        const tact_tree_node* n = &t->nodes[index];
        ++in_use;
        if (tact_tree_is_leaf(n)) {
            const uint32_t id = n->child[1];
            ++leaves;
            assert_true(id < count && there[id]);
            assert_int_equal(t->leaf_of[id], index);
            assert_memory_equal(&n->box, &boxes[id], sizeof n->box);
            continue;
        }
        const tact_tree_node *left = &t->nodes[n->child[0]], *right = &t->nodes[n->child[1]];
        assert_int_equal(left->parent, index);
        assert_int_equal(right->parent, index);
        assert_true(tact_tree_box_holds(&n->box, &left->box));
        assert_true(tact_tree_box_holds(&n->box, &right->box));
        const uint32_t high = left->height > right->height ? left->height : right->height;
        const uint32_t low = left->height + right->height - high;
        assert_int_equal(n->height, high + 1);
        assert_true(high - low <= 1);
        assert_true(depth + 2 <= sizeof stack / sizeof stack[0]);
        stack[depth++] = n->child[0];
        stack[depth++] = n->child[1];
    }
    uint32_t expected = 0, unused = 0;
    for (uint32_t id = 0; id < count; ++id) {
        expected += there[id];
        if (!there[id]) assert_int_equal(t->leaf_of[id], TACT_TREE_NONE);
    }
    for (uint32_t i = t->first_free; i != TACT_TREE_NONE; i = t->nodes[i].parent)
        ++unused;
    assert_int_equal(leaves, expected);
    assert_int_equal(t->leaves, expected);
    assert_int_equal(in_use, expected > 0 ? 2 * expected - 1 : 0);
    assert_int_equal(in_use + unused, t->node_end);
}

static void build(tact_env* env, tact_tree* tree, tact_aabb* boxes, uint8_t* there, uint32_t count)
{
    const tact_volume_view of = view_of(boxes, count);
    tact_box_order order = {0};
    assert_int_equal(tact_box_order_make(env, 2, &of, &order), TACT_OK);
    assert_int_equal(tact_tree_build(tree, 2, order.items, order.count, boxes), TACT_OK);
    for (uint32_t id = 0; id < count; ++id)
        there[id] = tact_volume_is_live(&boxes[id]);
    tact_box_order_release(env, &order);
}

TEST(whatever_is_done_to_it)
{
    enum { N = 700 };
    test_random r = test_random_seeded(5);
    tact_aabb *pool = scratch(4 * N * sizeof *pool), *boxes = scratch(N * sizeof *boxes);
    uint8_t* there = scratch(N);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_env env = make_env();
        tact_tree tree;
        tact_tree_init(&tree, &env);
        assert_int_equal(tact_tree_reserve_ids(&tree, N), TACT_OK);
        tact_volume_scenes[s].make(4 * N, 6, pool);
        prune(pool, 4 * N);
        memset(there, 0, N);
        for (int step = 0; step < 9000; ++step) {
            // Phases in which it grows, shrinks to nothing, and grows again.
            const bool growing = step / 1500 % 2 == 0;
            const uint32_t id = test_random_below(&r, N), from = test_random_below(&r, 4 * N);
            if (!tact_volume_is_live(&pool[from])) continue;
            if (!there[id] && (growing || step % 8 == 0)) {
                boxes[id] = pool[from];
                there[id] = 1;
                assert_int_equal(tact_tree_insert(&tree, id, &boxes[id]), TACT_OK);
            } else if (there[id] && (growing || step % 8 == 0)) {
                boxes[id] = pool[from];
                tact_tree_move(&tree, id, &boxes[id]);
            } else if (there[id]) {
                there[id] = 0;
                tact_tree_remove(&tree, id);
            }
            if (step % 97 == 0) check_tree(&tree, boxes, there, N);
        }
        check_tree(&tree, boxes, there, N);
        for (uint32_t id = 0; id < N; ++id) {
            if (there[id]) tact_tree_remove(&tree, id);
            there[id] = 0;
        }
        check_tree(&tree, boxes, there, N);
        tact_tree_release(&tree);
    }
}

TEST(built_at_once)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 100, 2047, 2048, 2049, 4097, 30011};
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            const uint32_t n = counts[c];
            tact_env env = make_env();
            tact_aabb* boxes = scratch((n + 1) * sizeof *boxes);
            uint8_t* there = scratch(n + 1);
            tact_tree tree;
            tact_tree_init(&tree, &env);
            assert_int_equal(tact_tree_reserve_ids(&tree, n), TACT_OK);
            tact_volume_scenes[s].make(n, 8, boxes);
            build(&env, &tree, boxes, there, n);
            check_tree(&tree, boxes, there, n);
            // And changed after that.
            for (uint32_t id = 0; id < n; id += 1 + n / 50) {
                if (!there[id]) continue;
                tact_tree_remove(&tree, id);
                there[id] = 0;
            }
            check_tree(&tree, boxes, there, n);
            tact_tree_release(&tree);
        }
    }
}

static bool refuse(double fraction, void* user)
{
    return false;
}

/// The answer by definition, as bytes.
static void check_answer(tact_volumes* set, tact_volumes* other, tact_pairs_method method, int frame)
{
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE}, cpu = {.backend = TACT_BACKEND_CPU};
    size_t expected = 0, count = 0;
    assert_int_equal(call_pairs_find(set, other, TACT_PAIRS_AUTO, NULL, 0, &expected, &reference, NULL), TACT_OK);
    tact_pair* pairs = scratch((expected + 1) * sizeof *pairs);
    if (expected > 0) memcpy(pairs, tact_pairs_last(set, NULL), expected * sizeof *pairs);
    assert_int_equal(call_pairs_find(set, other, method, NULL, 0, &count, &cpu, NULL), TACT_OK);
    expect_method("after failures", set, method);
    if (count != expected) fail_msg("frame %d, %s: %zu of %zu", frame, tact_pairs_method_name(method), count, expected);
    if (count > 0) assert_memory_equal(tact_pairs_last(set, NULL), pairs, count * sizeof *pairs);
}

/// Frames in which nothing, little or everything moves, things go and come. In each, every allocation fails once and a
/// query is cancelled, before the answer has to be right.
TEST(no_failure_leaves_a_trace)
{
    enum { N = 1500, FRAMES = 8 };
    static const tact_pairs_method methods[] = {TACT_PAIRS_BVH, TACT_PAIRS_TREE};
    counting_allocator counter = {0};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .threads = 1, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = new_context(&desc);
    tact_aabb *boxes = scratch(N * sizeof *boxes), *moved = scratch(N * sizeof *moved);
    tact_input_volumes_uniform(N, 2, boxes);
    tact_volumes* set = new_volumes(context, NULL);
    tact_volumes* other = new_volumes(context, NULL);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_add_aabbs(other, boxes, N / 5, NULL, NULL, NULL), TACT_OK);
    for (int frame = 0; frame < FRAMES; ++frame) {
        tact_input_volumes_move(boxes, N, 3, (unsigned)frame, 0.6, moved);
        const uint32_t step = frame % 3 == 1 ? 50 : 1;
        for (uint32_t id = 0; id < N && frame % 3 != 0; id += step) {
            if (!tact_volumes_contains(set, id)) continue;
            assert_int_equal(tact_volumes_move_aabbs(set, &id, &moved[id], 1), TACT_OK);
        }
        for (uint32_t id = (uint32_t)frame; id < N && frame % 2; id += 100) {
            if (tact_volumes_contains(set, id)) assert_int_equal(tact_volumes_remove(set, &id, 1), TACT_OK);
        }
        if (frame == 5) assert_int_equal(tact_volumes_add_aabbs(set, boxes, 30, NULL, NULL, NULL), TACT_OK);
        for (size_t m = 0; m < 4; ++m) {
            const tact_pairs_method method = methods[m % 2];
            tact_volumes* second = m < 2 ? NULL : other;
            tact_query_options options = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
            size_t count = 0, failing = 1;
            tact_result result = TACT_ERROR_OUT_OF_MEMORY;
            for (; result == TACT_ERROR_OUT_OF_MEMORY; ++failing) {
                counter.fail_at = counter.requests + failing;
                result = call_pairs_find(set, second, method, NULL, 0, &count, &options, NULL);
                counter.fail_at = 0;
            }
            assert_int_equal(result, TACT_OK);
            options.progress = refuse;
            result = call_pairs_find(set, second, method, NULL, 0, &count, &options, NULL);
            if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_CANCELLED);
            check_answer(set, second, method, frame);
        }
    }
    tact_volumes_destroy(other);
    tact_volumes_destroy(set);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

/// Few boxes move, and one allocation after the other fails while only those are asked for.
TEST(no_failure_leaves_an_old_answer)
{
    enum { N = 1500 };
    counting_allocator counter = {0};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .threads = 1, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
    tact_context* context = new_context(&desc);
    tact_aabb *boxes = scratch(N * sizeof *boxes), *moved = scratch(N * sizeof *moved);
    tact_input_volumes_uniform(N, 2, boxes);
    tact_volumes* set = new_volumes(context, NULL);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t failing = 1; result == TACT_ERROR_OUT_OF_MEMORY; ++failing) {
        size_t count = 0;
        // The second time nothing has moved, and the answer is kept.
        for (int i = 0; i < 2; ++i)
            check_answer(set, NULL, TACT_PAIRS_BVH, (int)failing);
        tact_input_volumes_move(boxes, N, 3, failing, 0.6, moved);
        for (uint32_t id = failing; id < N; id += 50)
            assert_int_equal(tact_volumes_move_aabbs(set, &id, &moved[id], 1), TACT_OK);
        counter.fail_at = counter.requests + failing;
        result = call_pairs_find(set, NULL, TACT_PAIRS_BVH, NULL, 0, &count, &options, NULL);
        counter.fail_at = 0;
        check_answer(set, NULL, TACT_PAIRS_BVH, (int)failing);
    }
    assert_int_equal(result, TACT_OK);
    tact_volumes_destroy(set);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
