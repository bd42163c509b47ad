// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/lane_levels.h"
#include "cpu_ref/bvh.h"
#include "cpu_ref/trace/build.h"
#include "tests/support/bvh8_check.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/tree_boxes.h"

// The builder of eight-wide trees by itself.

static tact_env env;

enum { QUALITIES = 3 };

static tact_bvh8 build(const tact_bvh_box* boxes, size_t count, int threads, tact_build_desc desc)
{
    tact_build_reference* references = scratch_zeroed(count + 1, sizeof *references);
    for (size_t i = 0; i < count; ++i)
        references[i] = tact_build_reference_of(boxes[i].lower, boxes[i].upper, (uint32_t)i);
    tact_bvh8 tree;
    assert_int_equal(tact_bvh8_build(&env, threads, &desc, references, count, &tree), TACT_OK);
    return tree;
}

TEST(trees_hold_everything_once_within_their_limits)
{
    const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 33, 100, 1000, 4097, 30000};
    const size_t most = counts[sizeof counts / sizeof counts[0] - 1];
    tact_bvh_box* boxes = scratch_zeroed(most, sizeof *boxes);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            fill_boxes(boxes, counts[c], kind);
            for (int quality = 0; quality < QUALITIES; ++quality) {
                for (uint32_t max_leaf = 1; max_leaf <= 4; max_leaf += 3) {
                    const tact_build_desc desc = {(tact_build_quality)quality, max_leaf, TACT_BVH8_MAX_TOP_DEPTH};
                    tact_bvh8 tree = build(boxes, counts[c], 2, desc);
                    bvh8_check_tree(&tree, boxes, counts[c], max_leaf, TACT_BVH8_MAX_TOP_DEPTH);
                    // Leaves of one leave no place free, which the tree over instances leans on.
                    for (size_t i = 0; max_leaf == 1 && i < counts[c]; ++i)
                        assert_true(tree.order[i] < counts[c]);
                    tact_bvh8_free(&env, &tree);
                }
            }
        }
    }
}

TEST(very_many_equal_boxes_are_no_trouble)
{
    const size_t count = effort(200000, 1000000);
    tact_bvh_box* boxes = scratch_zeroed(count, sizeof *boxes);
    fill_boxes(boxes, count, SAME_BOX);
    for (int quality = 0; quality < QUALITIES; ++quality) {
        const tact_build_desc desc = {(tact_build_quality)quality, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
        tact_bvh8 tree = build(boxes, count, 2, desc);
        bvh8_check_tree(&tree, boxes, count, TACT_BVH8_MAX_LEAF, 24);
        tact_bvh8_free(&env, &tree);
    }
}

static void expect_same_tree(const tact_bvh8* a, const tact_bvh8* b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->slot_count, b->slot_count);
    assert_memory_equal(a->nodes, b->nodes, b->node_count * sizeof *b->nodes);
    assert_memory_equal(a->order, b->order, b->slot_count * sizeof *b->order);
    assert_true(a->sah_cost == b->sah_cost && a->depth == b->depth);
}

TEST(the_tree_does_not_depend_on_threads_nor_instructions)
{
    const size_t count = effort(50000, 100000);
    tact_bvh_box* boxes = scratch_zeroed(count, sizeof *boxes);
    const int kinds[] = {UNIFORM, LINE, NEEDLES, EXPONENTIAL};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        fill_boxes(boxes, count, kinds[kind]);
        for (int quality = 0; quality < QUALITIES; ++quality) {
            const tact_build_desc desc = {(tact_build_quality)quality, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
            tact_lanes_limit(TACT_LANES_PORTABLE);
            tact_bvh8 one = build(boxes, count, 1, desc);
            tact_lanes_limit(TACT_LANE_LEVELS - 1);
            for (int threads = 1; threads <= 5; threads += (int)effort(2, 1)) {
                tact_bvh8 other = build(boxes, count, threads, desc);
                expect_same_tree(&other, &one);
                tact_bvh8_free(&env, &other);
            }
            tact_bvh8_free(&env, &one);
        }
    }
}

static double half_area(const tact_bvh_child* c)
{
    const double x = (double)(c->upper[0] - c->lower[0]), y = (double)(c->upper[1] - c->lower[1]),
                 z = (double)(c->upper[2] - c->lower[2]);
    return x * y + y * z + z * x;
}

static bool is_leaf(const tact_bvh_child* c)
{
    return (c->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

/// What lies under a binary node costs when the child with the largest surface is opened until there are eight, as
/// tact_bvh8 counts it but for the root's surface.
static double greedy_cost(const tact_bvh* bvh, uint32_t node)
{
    const tact_bvh_child* children[TACT_BVH8_WIDTH] = {&bvh->nodes[node].children[0], &bvh->nodes[node].children[1]};
    int count = 2;
    while (count < TACT_BVH8_WIDTH) {
        int open = -1;
        for (int i = 0; i < count; ++i) {
            if (!is_leaf(children[i]) && (open < 0 || half_area(children[i]) > half_area(children[open]))) open = i;
        }
        if (open < 0) break;
        const tact_bvh_child* two = bvh->nodes[children[open]->child].children;
        children[open] = &two[0];
        children[count++] = &two[1];
    }
    double cost = 0.0;
    for (int i = 0; i < count; ++i) {
        const tact_bvh_child* c = children[i];
        const bool leaf = is_leaf(c);
        cost += half_area(c) * (leaf ? 0.4 + 0.1 * (double)c->count : 1.0);
        if (!leaf) cost += greedy_cost(bvh, c->child);
    }
    return cost;
}

static double root_area(const tact_bvh* bvh)
{
    const tact_bvh_child* two = bvh->nodes[0].children;
    tact_bvh_child all = two[0];
    for (int k = 0; k < 3; ++k) {
        all.lower[k] = fminf(two[0].lower[k], two[1].lower[k]);
        all.upper[k] = fmaxf(two[0].upper[k], two[1].upper[k]);
    }
    return half_area(&all);
}

TEST(more_care_makes_better_trees)
{
    enum { COUNT = 30000 };
    tact_bvh_box* boxes = scratch_zeroed(COUNT, sizeof *boxes);
    const int kinds[] = {UNIFORM, NEEDLES};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        fill_boxes(boxes, COUNT, kinds[kind]);
        double cost[QUALITIES];
        for (int quality = 0; quality < QUALITIES; ++quality) {
            const tact_build_desc desc = {(tact_build_quality)quality, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
            tact_bvh8 tree = build(boxes, COUNT, 2, desc);
            cost[quality] = tree.sah_cost;
            tact_bvh8_free(&env, &tree);
        }
        // The binary tree, made wide by opening the largest, is what there was before.
        tact_bvh binary;
        assert_int_equal(tact_bvh_build(&env, 2, boxes, NULL, COUNT, TACT_BVH8_MAX_LEAF, 48, &binary), TACT_OK);
        const double greedy = 1.0 + greedy_cost(&binary, 0) / root_area(&binary);
        print_message("fast %.3f, medium %.3f, high %.3f, greedy %.3f\n", cost[TACT_BUILD_FAST],
                      cost[TACT_BUILD_MEDIUM], cost[TACT_BUILD_HIGH], greedy);
        assert_true(cost[TACT_BUILD_MEDIUM] < greedy);
        // Where all boxes overlap, most of the surface goes.
        assert_true(cost[TACT_BUILD_HIGH] < (kinds[kind] == NEEDLES ? 0.2 : 0.99) * cost[TACT_BUILD_MEDIUM]);
        assert_true(cost[TACT_BUILD_FAST] < 2.2 * cost[TACT_BUILD_MEDIUM]);
        tact_bvh_free(&env, &binary);
    }
}

/// What a leaf of those of `count` boxes that are in `set` costs, but for the surface of the root.
static double leaf_cost(const tact_bvh_box* boxes, int count, unsigned set)
{
    tact_bvh_child all = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    uint32_t held = 0;
    for (int i = 0; i < count; ++i) {
        if (!(set >> i & 1u)) continue;
        ++held;
        for (int k = 0; k < 3; ++k) {
            all.lower[k] = fminf(all.lower[k], boxes[i].lower[k]);
            all.upper[k] = fmaxf(all.upper[k], boxes[i].upper[k]);
        }
    }
    return half_area(&all) * (double)tact_build_leaf_cost(held);
}

TEST(few_boxes_are_parted_in_the_best_way)
{
    test_random r = {29};
    size_t parted = 0;
    const int trials = (int)effort(3000, 30000);
    for (int trial = 0; trial < trials; ++trial) {
        const int count = 2 + trial % 3;
        const unsigned all = (1u << count) - 1;
        tact_bvh_box boxes[4];
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < 3; ++k) {
                const float a = test_random_signed(&r), b = a + 0.3f * test_random_unit(&r);
                boxes[i].lower[k] = a;
                boxes[i].upper[k] = b;
            }
        }
        double best = leaf_cost(boxes, count, all);
        const double whole = best;
        for (unsigned set = 1; set < all; ++set)
            best = fmin(best, leaf_cost(boxes, count, set) + leaf_cost(boxes, count, all - set));
        const double root = whole / (double)tact_build_leaf_cost((uint32_t)count);
        const tact_build_desc desc = {TACT_BUILD_MEDIUM, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
        tact_bvh8 tree = build(boxes, (size_t)count, 1, desc);
        bvh8_check_tree(&tree, boxes, (size_t)count, TACT_BVH8_MAX_LEAF, 1);
        assert_true(tree.sah_cost <= 1.0 + 1.00001 * best / root);
        parted += best < whole;
        tact_bvh8_free(&env, &tree);
    }
    assert_true(parted > (size_t)trials / 3);
}

TEST(quantized_boxes_contain_what_they_stand_for_and_hardly_more)
{
    test_random r = {5};
    for (int trial = 0; trial < (int)effort(50000, 200000); ++trial) {
        tact_bvh_box boxes[TACT_BVH8_WIDTH];
        const int count = 1 + trial % TACT_BVH8_WIDTH;
        const float size = ldexpf(1.0f, trial / 8 % 120 - 60), at = ldexpf(test_random_signed(&r), trial % 118 - 59);
        tact_bvh_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < 3; ++k) {
                const float a = at + size * test_random_signed(&r), b = at + size * test_random_signed(&r);
                boxes[i].lower[k] = fminf(a, b);
                boxes[i].upper[k] = fmaxf(a, b);
                all.lower[k] = fminf(all.lower[k], boxes[i].lower[k]);
                all.upper[k] = fmaxf(all.upper[k], boxes[i].upper[k]);
            }
        }
        tact_bvh8_node node = {0};
        tact_bvh8_set_boxes(&node, boxes, count);
        for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
            const tact_bvh_box box = tact_bvh8_child_box(&node, i);
            for (int k = 0; k < 3; ++k) {
                if (i >= count) {
                    assert_true(box.lower[k] > box.upper[k]);
                    continue;
                }
                assert_true(box.lower[k] <= boxes[i].lower[k] && box.upper[k] >= boxes[i].upper[k]);
                // Steps of a 127th of the width at most; far away, of neighbouring numbers.
                const float ulp = nextafterf(fabsf(all.upper[k]) + fabsf(all.lower[k]), INFINITY) -
                                  (fabsf(all.upper[k]) + fabsf(all.lower[k]));
                const float step = (all.upper[k] - all.lower[k]) / 120.0f + 2.0f * ulp;
                assert_true(boxes[i].lower[k] - box.lower[k] <= step && box.upper[k] - boxes[i].upper[k] <= step);
            }
        }
    }
}

TEST(memory_may_run_out_anywhere)
{
    enum { COUNT = 20000 };
    tact_bvh_box* boxes = scratch_zeroed(COUNT, sizeof *boxes);
    tact_build_reference* references = scratch_zeroed(COUNT, sizeof *references);
    fill_boxes(boxes, COUNT, UNIFORM);
    for (int quality = 0; quality < QUALITIES; ++quality) {
        const tact_build_desc desc = {(tact_build_quality)quality, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
        size_t failures = 0;
        for (size_t n = 1;; ++n) {
            counting_allocator counter = {.fail_at = n};
            tact_env counted;
            const tact_allocator hooks = counting_hooks(&counter);
            tact_env_init(&counted, &hooks, NULL, NULL, NULL, NULL);
            for (size_t i = 0; i < COUNT; ++i)
                references[i] = tact_build_reference_of(boxes[i].lower, boxes[i].upper, (uint32_t)i);
            tact_bvh8 tree;
            const tact_result result = tact_bvh8_build(&counted, 2, &desc, references, COUNT, &tree);
            if (result == TACT_OK) {
                assert_false(counter.failed);
                tact_bvh8_free(&counted, &tree);
            } else {
                assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
                assert_null(tree.nodes);
                ++failures;
            }
            assert_int_equal(counter.live, 0);
            if (!counter.failed) break;
        }
        assert_true(failures > 5);
    }
}

TEST(too_many_primitives_are_refused)
{
    tact_bvh8 tree;
    const tact_build_desc desc = {TACT_BUILD_MEDIUM, 4, 48};
    assert_int_equal(tact_bvh8_build(&env, 1, &desc, NULL, ((size_t)1 << 30) + 1, &tree), TACT_ERROR_LIMIT);
}

#include TEST_LIST

int main(void)
{
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    return run_all(all_tests, NULL, NULL);
}
