// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Tests of an item's box (lower, upper) against a group of eight nodes of `tree`, for kernels/pairs_tree.kernel and
// kernels/pairs_grid.kernel.
#ifndef TACT_PAIRS_GROUP_H
#define TACT_PAIRS_GROUP_H

#include "dialect.h"

FN uint tact_lowest_bit(uint v)
{
    return POPCOUNT(~v & (v - 1u));
}
FN uint4 tact_same4(uint v)
{
    return make_uint4(v, v, v, v);
}
FN uint tact_bits4(uint4 v)
{
    return v.x | (v.y << 1u) | (v.z << 2u) | (v.w << 3u);
}
// Component `at` of a vector.
FN uint tact_part4(uint4 v, uint at)
{
    return at < 2u ? (at == 0u ? v.x : v.y) : (at == 2u ? v.z : v.w);
}

// Into `meets`: for each of four nodes of a group whether its box meets the item's.
#define TEST_HALF(meets, place)                                                                                 \
    uint4 meets =                                                                                               \
        AT_MOST4(tree[place], tact_same4(upper.x)) & AT_MOST4(tact_same4(lower.x), tree[(place) + 6u]) &        \
        AT_MOST4(tree[(place) + 2u], tact_same4(upper.y)) & AT_MOST4(tact_same4(lower.y), tree[(place) + 8u]) & \
        AT_MOST4(tree[(place) + 4u], tact_same4(upper.z)) & AT_MOST4(tact_same4(lower.z), tree[(place) + 10u]);

// Into `left`: a bit for each node of group number `group` that meets the item.
#define TEST_GROUP(group)                                                        \
    uint place = TACT_PAIRS_HEADER / 4u + TACT_PAIRS_GROUP_WORDS / 4u * (group); \
    TEST_HALF(meets_0, place)                                                    \
    TEST_HALF(meets_1, place + 1u)                                               \
    left = tact_bits4(meets_0) | (tact_bits4(meets_1) << 4u);

// Node `lane` of group number `group`: its id into `other_id`, and, where a sphere is to be tested with a box, its box.
#define TAKE_LEAF(group, lane)                                                                         \
    uint leaf = TACT_PAIRS_HEADER / 4u + TACT_PAIRS_GROUP_WORDS / 4u * (group) + ((lane) >> 2u);       \
    uint part = (lane)&3u;                                                                             \
    uint other_id = tact_part4(tree[leaf + 12u], part);                                                \
    uint4 other_lower = make_uint4(0u, 0u, 0u, 0u);                                                    \
    uint4 other_upper = other_lower;                                                                   \
    if (spheres_a != spheres_b) {                                                                      \
        other_lower = make_uint4(tact_part4(tree[leaf], part), tact_part4(tree[leaf + 2u], part),      \
                                 tact_part4(tree[leaf + 4u], part), 0u);                               \
        other_upper = make_uint4(tact_part4(tree[leaf + 6u], part), tact_part4(tree[leaf + 8u], part), \
                                 tact_part4(tree[leaf + 10u], part), 0u);                              \
    }

#endif
