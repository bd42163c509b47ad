// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A binary bounding volume hierarchy over boxes: built here, traversed by the CPU tracer and, uploaded as it is, by
/// the GPU's.

#include "base/env.h"

enum {
    TACT_BVH_LEAF_BIT = (int)0x80000000,
    TACT_BVH_MAX_LEAF = 8,
    TACT_BVH_MAX_DEPTH = 48,      ///< inner nodes on a path; bounds the traversal stack
    TACT_BVH_MAX_TOP_DEPTH = 32,  ///< the same for the tree over instances
    TACT_BVH_STACK = TACT_BVH_MAX_DEPTH + TACT_BVH_MAX_TOP_DEPTH + 4
};

/// Two children, 64 bytes, four 16-byte rows as the kernels read them. `child` is the index of an inner node, or, with
/// TACT_BVH_LEAF_BIT, the first of `count` consecutive primitives. Node 0 is the root. An absent child is a leaf of 0.
typedef struct tact_bvh_child {
    float lower[3];
    uint32_t child;
    float upper[3];
    uint32_t count;
} tact_bvh_child;

typedef struct tact_bvh_node {
    tact_bvh_child children[2];
} tact_bvh_node;

_Static_assert(sizeof(tact_bvh_node) == 64, "the kernels read nodes of 64 bytes");

typedef struct tact_bvh_box {
    float lower[3], upper[3];
} tact_bvh_box;

typedef struct tact_bvh {
    tact_bvh_node* nodes;  ///< at least the root
    size_t node_count;
    uint32_t* order;  ///< `count` ids; leaves are ranges of it
    size_t count;
    uint32_t depth;   ///< inner nodes on the longest path
    double sah_cost;  ///< expected cost of a random ray that hits the root: node 1, primitive 1
} tact_bvh;

/// Builds a tree over `count` boxes (at most 2^30, all finite) with ids 0 to count - 1, or the ids given. Binned
/// surface area heuristic (Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007). The tree is
/// the same for every number of threads. `max_leaf` primitives at most in a leaf. OUT_OF_MEMORY.
tact_result tact_bvh_build(tact_env* env, int threads, const tact_bvh_box* boxes, const uint32_t* ids, size_t count,
                           uint32_t max_leaf, uint32_t max_depth, tact_bvh* bvh);
void tact_bvh_free(tact_env* env, tact_bvh* bvh);
