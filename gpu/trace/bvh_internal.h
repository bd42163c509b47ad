// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What building a tree on a device (bvh_build.c) and what is done with one that is there (bvh_keep.c) share.

#include "gpu/blocks/blocks.h"
#include "gpu/trace/bvh_build.h"
#include "kernels/bvh_layout.h"

enum { TACT_TREE_COST_GROUPS = 64 };

/// What a tree of a method was like, by which that of the next mesh is expected to be.
typedef struct tact_tree_shape {
    uint32_t triangles;  // 0: there was none
    uint32_t rounds, levels, nodes, slots;
    uint32_t counts[TACT_BVH_COUNTS];
} tact_tree_shape;

struct tact_tree_builder {
    tact_device* device;
    tact_radix_sort* sort;
    tact_reduce* reduce;
    tact_scan *scan, *short_scan;  // the second with one group, in one launch

    tact_buffer *positions, *indices;  // of the mesh
    tact_buffer* taken;                // of each triangle: whether it is in the tree
    tact_buffer *boxes, *bounds, *keys, *order;
    tact_buffer *tree, *facts;                          // binary
    tact_buffer *cluster, *next, *partner;              // and while it is made
    tact_buffer *sums, *counts;                         // of groups; of all
    tact_buffer *binary, *kids, *rows;                  // of wide nodes
    tact_buffer *nodes, *slots, *blocks, *node_bounds;  // the tree
    tact_buffer* costs;                                 // and bounds of parts of it
    tact_buffer* raw;                                   // a piece of a caller's array

    float parts[TACT_TREE_COST_GROUPS]
               [TACT_BVH_FACT_ROW];  // what costs had, and the tree's root, as they were read last
    tact_bvh8_node root;

    bool built;
    bool adopted;  // what is there is not that of its vertices, until it is fitted
    bool bounded;  // parts have bounds
    size_t vertex_count;
    uint32_t triangle_count, leaves, node_count, slot_count, levels;
    tact_tree_method method;
    uint32_t rounds_given, levels_given, room;  // of the tree that is being built; room for slots
    uint32_t known[TACT_BVH_COUNTS];            // counts, as they were read last
    bool guided;                                // levels are expected to be as those of the last tree
    tact_tree_shape last[2];                    // by method
};

/// A buffer of a tree, and the words that it is to have.
typedef struct tact_tree_need {
    tact_buffer** buffer;
    uint64_t words;
} tact_tree_need;

/// Makes room. Errors: those of tact_buffer_hold, with the tree's size.
tact_result tact_tree_hold(tact_tree_builder* build, const tact_tree_need* needs, size_t count);

/// Fails since there is no tree: INVALID_ARGUMENT.
tact_result tact_tree_none(const tact_tree_builder* build);
