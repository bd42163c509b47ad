// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The dynamic tree of the method TREE: a binary tree over boxes into which one box can be put and from which one can
/// be taken in the time of its height. Its leaves are fat: somewhat larger than the boxes, so that a box that moves a
/// little changes nothing.
///
/// Where a box goes is decided by surface areas (J. Goldsmith and J. Salmon: Automatic Creation of Object Hierarchies
/// for Ray Tracing, 1987), and heights of siblings are kept within one of each other by rotations (G. M. Adelson-Velsky
/// and E. M. Landis: An algorithm for the organization of information, 1962), where children may also be swapped, as
/// their order means nothing. So a tree of 2^30 boxes is at most 44 high, whatever was done to it.

#include "cpu_ref/pairs/box_order.h"

#define TACT_TREE_NONE 0xffffffffu

enum { TACT_TREE_MOST_HEIGHT = 48 };

typedef struct tact_tree_node {
    tact_aabb box;
    uint32_t parent;    ///< of a free node: the next free one
    uint32_t child[2];  ///< of a leaf: NONE, and the box's id
    uint32_t height;    ///< 0 for a leaf
} tact_tree_node;

typedef struct tact_tree {
    tact_env* env;
    tact_tree_node* nodes;
    size_t node_capacity;
    uint32_t node_end;    ///< nodes below this were used
    uint32_t first_free;  ///< of them
    uint32_t root;        ///< NONE for an empty tree
    uint32_t leaves;
    uint32_t* leaf_of;  ///< node of a box, by id; NONE when it is not in the tree
    size_t leaf_capacity;
    uint32_t id_end;  ///< of leaf_of
} tact_tree;

/// All bits zero but `env` and root = first_free = NONE: an empty tree.
void tact_tree_init(tact_tree* tree, tact_env* env);
void tact_tree_release(tact_tree* tree);

/// Makes room for ids below `end`. Errors: OUT_OF_MEMORY.
tact_result tact_tree_reserve_ids(tact_tree* tree, uint32_t end);

/// Replaces all that is in the tree by these boxes, which are near each other in this order: `items` hold ids in their
/// low halves, `boxes` are by id. O(n). Errors: OUT_OF_MEMORY.
tact_result tact_tree_build(tact_tree* tree, int threads, const uint64_t* items, uint32_t count,
                            const tact_aabb* boxes);

/// Puts a box in, takes one out, or gives one a new place. The id must be below `id_end`, and not be, or be, in the
/// tree. O(log n). Errors: OUT_OF_MEMORY.
tact_result tact_tree_insert(tact_tree* tree, uint32_t id, const tact_aabb* box);
void tact_tree_remove(tact_tree* tree, uint32_t id);
void tact_tree_move(tact_tree* tree, uint32_t id, const tact_aabb* box);

/// Whether links lead both ways, boxes and heights are exactly those of the children, siblings' heights differ by one
/// at most, every node is in use or free, and ids and leaves tell of each other. `boxes`: the leaves', by id. For
/// TACT_VALIDATE.
bool tact_tree_is_valid(const tact_tree* tree, const tact_aabb* boxes);

/// Whether its leaves are those of the live boxes, each of which its leaf holds. For TACT_VALIDATE.
bool tact_tree_holds_all(const tact_tree* tree, const tact_volume_view* of);

/// Boxes that a walk has found, before they are looked at together.
enum { TACT_TREE_GATHERED = 128 };

typedef struct tact_tree_gathered {
    float lower[3][TACT_TREE_GATHERED + 16], upper[3][TACT_TREE_GATHERED + 16];
    uint32_t ids[TACT_TREE_GATHERED];
    uint32_t count;
} tact_tree_gathered;

static inline bool tact_tree_is_leaf(const tact_tree_node* node)
{
    return node->height == 0;
}

// Without branches between the comparisons: each of them alone is hard to foresee.

static inline bool tact_tree_boxes_meet(const tact_aabb* a, const tact_aabb* b)
{
    const bool x = (a->lower.x <= b->upper.x) & (b->lower.x <= a->upper.x);
    const bool y = (a->lower.y <= b->upper.y) & (b->lower.y <= a->upper.y);
    const bool z = (a->lower.z <= b->upper.z) & (b->lower.z <= a->upper.z);
    return x & y & z;
}

static inline bool tact_tree_box_holds(const tact_aabb* outer, const tact_aabb* inner)
{
    const bool x = (outer->lower.x <= inner->lower.x) & (inner->upper.x <= outer->upper.x);
    const bool y = (outer->lower.y <= inner->lower.y) & (inner->upper.y <= outer->upper.y);
    const bool z = (outer->lower.z <= inner->lower.z) & (inner->upper.z <= outer->upper.z);
    return x & y & z;
}
