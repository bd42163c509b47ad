// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The tree of a mesh with eight children for each node and up to eight triangles in a leaf, in rows that lanes load:
/// what the CPU searches.

#include "cpu_ref/triangle_tree.h"

enum { TACT_WIDE = 8 };

/// A child is another node or, with TACT_BVH_LEAF_BIT, a group. Places from `count` on are empty: lower INFINITY, upper
/// -INFINITY. Children come after their parents.
typedef struct tact_wide_node {
    float lower[3][TACT_WIDE], upper[3][TACT_WIDE];
    uint32_t child[TACT_WIDE];
    float low[3], high[3];  ///< of all
    uint32_t count, unused;
} tact_wide_node;

/// Rows: a.x of all, a.y, a.z, b.x, ... Places from `count` on hold the first triangle again.
typedef struct tact_wide_group {
    float corner[9][TACT_WIDE];
    uint32_t id[TACT_WIDE];
    float low[3], high[3];
    uint32_t count, first;  ///< in the tree's order
} tact_wide_group;

typedef struct tact_wide_tree {
    tact_wide_node* nodes;
    tact_wide_group* groups;
    size_t node_count, group_count;
    size_t node_capacity, group_capacity;
} tact_wide_tree;

/// Errors: OUT_OF_MEMORY; the tree is then empty. A tree of no triangles has a root without children.
tact_result tact_wide_build(tact_env* env, const tact_triangle_tree* tree, tact_wide_tree* wide);

/// Takes the triangles of the tree again, which have moved, and fits the boxes.
void tact_wide_fit(const tact_triangle_tree* tree, tact_wide_tree* wide);

void tact_wide_free(tact_env* env, tact_wide_tree* wide);
