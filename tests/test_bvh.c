// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "cpu_ref/bvh.h"
#include "tests/support/effort.h"
#include "tests/support/tree_boxes.h"

static tact_env env;

static void validate_node(const tact_bvh* bvh, const tact_bvh_box* boxes, uint32_t index, const float* lower,
                          const float* upper, uint32_t depth, uint32_t max_leaf, unsigned char* seen_node,
                          unsigned char* seen_id)
{
    assert_true(index < bvh->node_count);
    assert_int_equal(seen_node[index]++, 0);
    assert_true(depth <= bvh->depth);
    for (int side = 0; side < 2; ++side) {
        const tact_bvh_child* c = &bvh->nodes[index].children[side];
        const bool leaf = (c->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
        if (!(leaf && c->count == 0) && lower) {
            for (int k = 0; k < 3; ++k)
                assert_true(c->lower[k] >= lower[k] && c->upper[k] <= upper[k]);
        }
        if (!leaf) {
            validate_node(bvh, boxes, c->child, c->lower, c->upper, depth + 1, max_leaf, seen_node, seen_id);
            continue;
        }
        const uint32_t first = c->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
        assert_true(c->count <= max_leaf && first + c->count <= bvh->count);
        for (uint32_t i = first; i < first + c->count; ++i) {
            const uint32_t id = bvh->order[i];
            assert_int_equal(seen_id[id]++, 0);
            for (int k = 0; k < 3; ++k) {
                assert_true(c->lower[k] <= boxes[id].lower[k] && c->upper[k] >= boxes[id].upper[k]);
            }
        }
    }
}

static void validate(const tact_bvh* bvh, const tact_bvh_box* boxes, size_t count, uint32_t max_leaf,
                     uint32_t max_depth)
{
    unsigned char* seen_node = scratch_zeroed(bvh->node_count + 1, 1);
    unsigned char* seen_id = scratch_zeroed(count + 1, 1);
    assert_int_equal(bvh->count, count);
    assert_true(bvh->depth <= max_depth);
    validate_node(bvh, boxes, 0, NULL, NULL, 1, max_leaf, seen_node, seen_id);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(seen_id[i], 1);
    for (size_t i = 0; i < bvh->node_count; ++i)
        assert_int_equal(seen_node[i], 1);
}

TEST(trees_hold_everything_once_within_their_limits)
{
    const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 100, 1000, 4097, 40000};
    const size_t most = counts[sizeof counts / sizeof counts[0] - 1];
    tact_bvh_box* boxes = scratch_zeroed(most, sizeof *boxes);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            fill_boxes(boxes, counts[c], kind);
            for (uint32_t max_leaf = 1; max_leaf <= TACT_BVH_MAX_LEAF; max_leaf += 7) {
                tact_bvh bvh;
                assert_int_equal(
                    tact_bvh_build(&env, 2, boxes, NULL, counts[c], max_leaf, TACT_BVH_MAX_TOP_DEPTH, &bvh), TACT_OK);
                validate(&bvh, boxes, counts[c], max_leaf, TACT_BVH_MAX_TOP_DEPTH);
                tact_bvh_free(&env, &bvh);
            }
        }
    }
}

TEST(a_shallow_limit_is_kept)
{
    enum { COUNT = 1000 };
    static tact_bvh_box boxes[COUNT];
    fill_boxes(boxes, COUNT, EXPONENTIAL);
    for (uint32_t limit = 10; limit < 20; ++limit) {  // 2^10 > 1000: halving alone needs ten levels
        tact_bvh bvh;
        assert_int_equal(tact_bvh_build(&env, 1, boxes, NULL, COUNT, 1, limit, &bvh), TACT_OK);
        validate(&bvh, boxes, COUNT, 1, limit);
        tact_bvh_free(&env, &bvh);
    }
}

TEST(the_tree_does_not_depend_on_the_number_of_threads)
{
    const size_t count = effort_of(150000);  // ranges of 2^15 and more are binned by threads
    tact_bvh_box* boxes = scratch_zeroed(count, sizeof *boxes);
    for (int kind = UNIFORM; kind <= EXPONENTIAL; kind += EXPONENTIAL) {
        fill_boxes(boxes, count, kind);
        tact_bvh one;
        assert_int_equal(tact_bvh_build(&env, 1, boxes, NULL, count, 8, 48, &one), TACT_OK);
        for (int threads = 2; threads <= 5; ++threads) {
            tact_bvh many;
            assert_int_equal(tact_bvh_build(&env, threads, boxes, NULL, count, 8, 48, &many), TACT_OK);
            assert_int_equal(many.node_count, one.node_count);
            assert_memory_equal(many.nodes, one.nodes, one.node_count * sizeof *one.nodes);
            assert_memory_equal(many.order, one.order, count * sizeof *one.order);
            tact_bvh_free(&env, &many);
        }
        tact_bvh_free(&env, &one);
    }
}

TEST(a_good_tree_is_much_better_than_halving)
{
    enum { COUNT = 20000 };
    tact_bvh_box* boxes = scratch_zeroed(COUNT, sizeof *boxes);
    fill_boxes(boxes, COUNT, UNIFORM);
    tact_bvh good, halved;
    assert_int_equal(tact_bvh_build(&env, 1, boxes, NULL, COUNT, 4, 48, &good), TACT_OK);
    assert_int_equal(tact_bvh_build(&env, 1, boxes, NULL, COUNT, 4, 1, &halved), TACT_OK);
    assert_true(good.sah_cost * 10.0 < halved.sah_cost);
    tact_bvh_free(&env, &good);
    tact_bvh_free(&env, &halved);
}

enum { SOME = 40, BINS = 16 };

static float middle_of(const tact_bvh_box* b, int axis)
{
    return 0.5f * b->lower[axis] + 0.5f * b->upper[axis];
}

/// The number of the bin, of BINS between the lowest and the highest middle of these.
static uint32_t bin_among(const tact_bvh_box* boxes, const uint32_t* ids, uint32_t count, uint32_t id, int axis)
{
    float low = middle_of(&boxes[ids[0]], axis), high = low;
    for (uint32_t i = 1; i < count; ++i) {
        low = fminf(low, middle_of(&boxes[ids[i]], axis));
        high = fmaxf(high, middle_of(&boxes[ids[i]], axis));
    }
    if (!(high > low)) return 0;
    const double width = (double)high - (double)low;
    const double place = ((double)middle_of(&boxes[id], axis) - (double)low) * (BINS / width);
    return place < BINS - 1 ? (uint32_t)place : BINS - 1;
}

/// The surface, halved, around those that are on one side, times how many there are.
static double cost_of(const tact_bvh_box* boxes, const uint32_t* ids, const bool* left, uint32_t count, bool side)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    uint32_t there = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (left[i] != side) continue;
        ++there;
        for (int k = 0; k < 3; ++k) {
            lower[k] = fminf(lower[k], boxes[ids[i]].lower[k]);
            upper[k] = fmaxf(upper[k], boxes[ids[i]].upper[k]);
        }
    }
    if (there == 0) return (double)INFINITY;
    const double x = (double)upper[0] - (double)lower[0], y = (double)upper[1] - (double)lower[1],
                 z = (double)upper[2] - (double)lower[2];
    return (x * y + y * z + z * x) * there;
}

/// Brings ids that go left to the front, in their order; the others behind. Returns how many do, by the least cost of
/// all bins of all axes, or half of them where no bin parts them.
static uint32_t part_by_cost(const tact_bvh_box* boxes, uint32_t* ids, uint32_t count)
{
    double least = (double)INFINITY;
    bool best[SOME], left[SOME];
    for (uint32_t i = 0; i < count; ++i)
        best[i] = i < count / 2;
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t bin = 1; bin < BINS; ++bin) {
            for (uint32_t i = 0; i < count; ++i)
                left[i] = bin_among(boxes, ids, count, ids[i], axis) < bin;
            const double cost = cost_of(boxes, ids, left, count, true) + cost_of(boxes, ids, left, count, false);
            if (!(cost < least)) continue;
            least = cost;
            memcpy(best, left, sizeof best);
        }
    }
    uint32_t sorted[SOME], some = 0;
    for (int side = 1; side >= 0; --side)
        for (uint32_t i = 0; i < count; ++i)
            if (best[i] == (side == 1)) sorted[some++] = ids[i];
    uint32_t lefts = 0;
    for (uint32_t i = 0; i < count; ++i)
        lefts += best[i];
    memcpy(ids, sorted, count * sizeof *ids);
    return lefts;
}

static void check_parts(const tact_bvh* bvh, const tact_bvh_box* boxes, uint32_t node, uint32_t* ids, uint32_t count,
                        uint32_t first)
{
    const uint32_t lefts = part_by_cost(boxes, ids, count);
    for (int side = 0; side < 2; ++side) {
        const tact_bvh_child* c = &bvh->nodes[node].children[side];
        const uint32_t begin = side ? lefts : 0, size = side ? count - lefts : lefts;
        assert_true(size > 0);
        if (size > 1) {
            assert_false(c->child & (uint32_t)TACT_BVH_LEAF_BIT);
            check_parts(bvh, boxes, c->child, ids + begin, size, first + begin);
        } else {
            assert_int_equal(c->child, (first + begin) | (uint32_t)TACT_BVH_LEAF_BIT);
            assert_int_equal(bvh->order[first + begin], ids[begin]);
        }
    }
}

TEST(few_boxes_and_many_are_parted_where_the_bins_cost_least)
{
    static tact_bvh_box boxes[SOME];
    for (int kind = 0; kind < KINDS; ++kind) {
        for (uint32_t count = 2; count <= SOME; ++count) {
            uint32_t ids[SOME];
            tact_bvh bvh;
            fill_boxes(boxes, count, kind);
            for (uint32_t i = 0; i < count; ++i)
                ids[i] = i;
            assert_int_equal(tact_bvh_build(&env, 1, boxes, NULL, count, 1, TACT_BVH_MAX_DEPTH, &bvh), TACT_OK);
            // Where a tree is too deep for the bins, halves are taken.
            if (bvh.depth + 6 < TACT_BVH_MAX_DEPTH) check_parts(&bvh, boxes, 0, ids, count, 0);
            tact_bvh_free(&env, &bvh);
        }
    }
}

TEST(too_many_primitives_are_refused)
{
    tact_bvh bvh;
    assert_int_equal(tact_bvh_build(&env, 1, NULL, NULL, ((size_t)1 << 30) + 1, 8, 48, &bvh), TACT_ERROR_LIMIT);
}

#include TEST_LIST

int main(void)
{
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    return run_all(all_tests, NULL, NULL);
}
