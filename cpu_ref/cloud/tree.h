// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A k-d tree of points (Bentley, "Multidimensional Binary Search Trees Used for Associative Searching", 1975), three
/// levels of splits in one node, with no pointers, as Ericson, "Real-Time Collision Detection" (2005), 13.4.1, has it:
/// blocks of points are the lowest level, and node i of a level has the children 8 i to 8 i + 7 of the level below.
/// Splits fall between whole blocks, so that all but the last one are full. A node holds its children's boxes in place
/// of the splits, since these exclude more.

#include "base/env.h"
#include "kernels/cloud_layout.h"
#include "tact/geometry/types.h"

typedef struct tact_cloud_block {
    float x[TACT_CLOUD_BLOCK], y[TACT_CLOUD_BLOCK], z[TACT_CLOUD_BLOCK];  ///< infinite past the last point
    uint32_t id[TACT_CLOUD_BLOCK];
} tact_cloud_block;

typedef struct tact_cloud_node {
    float lower[3][TACT_CLOUD_FAN], upper[3][TACT_CLOUD_FAN];  ///< infinite, and minus that, past the last child
} tact_cloud_node;

typedef struct tact_cloud_tree {
    tact_cloud_block* blocks;
    tact_cloud_node* nodes;
    uint32_t point_count;
    uint32_t levels;                    ///< 0 without points; else at least 2, the root's the last one
    uint32_t first[TACT_CLOUD_LEVELS];  ///< of each level the first node, whose level is at least 1
    uint32_t size[TACT_CLOUD_LEVELS];   ///< of each level
} tact_cloud_tree;

/// Most points of a tree.
enum { TACT_CLOUD_MOST_POINTS = 1 << 28 };

/// Builds the tree of `count` points that are finite; the same for every number of threads. The tree is all zeros or
/// one that was built before, whose memory is released. Errors: OUT_OF_MEMORY, the tree is then as before.
tact_result tact_cloud_tree_build(tact_env* env, int threads, const tact_vec3* points, size_t count,
                                  tact_cloud_tree* tree);

/// Releases the memory of a tree.
void tact_cloud_tree_release(tact_env* env, tact_cloud_tree* tree);

/// Bytes that a tree takes.
uint64_t tact_cloud_tree_bytes(const tact_cloud_tree* tree);
