// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The tree of the method BVH: boxes in spatial order in groups of 16, bounds of 16 groups in a block, bounds of 16
/// blocks in a block of the next level, and so on to one. No pointers: child k of block i is 16 i + k. Places past the
/// end hold NaN, which meets nothing.

#include "cpu_ref/pairs/box_order.h"

enum {
    TACT_BVH_WIDTH = 16,
    TACT_BVH_LEVELS = 8,  ///< 16^8 is 2^32
};

typedef struct tact_bvh_boxes {
    float lower[3][TACT_BVH_WIDTH], upper[3][TACT_BVH_WIDTH];
} tact_bvh_boxes;

typedef struct tact_bvh_group {
    tact_bvh_boxes boxes;
    uint32_t ids[TACT_BVH_WIDTH];
} tact_bvh_group;

typedef struct tact_bvh_tree {
    tact_bvh_group* groups;
    tact_bvh_boxes* blocks;  ///< all levels; the lowest, over groups, first
    size_t group_capacity, block_capacity;
    uint32_t live;         ///< boxes in it
    uint32_t group_count;  ///< 0 for an empty tree
    int levels;            ///< at least 2, so that there are bounds of every block over groups
    uint32_t level_first[TACT_BVH_LEVELS], level_count[TACT_BVH_LEVELS];
} tact_bvh_tree;

/// Whether every live box is in one group, as it is now, and the bounds above are exactly those of what is under them.
/// For TACT_VALIDATE.
bool tact_bvh_tree_is_valid(const tact_bvh_tree* tree, const tact_volume_view* of);
