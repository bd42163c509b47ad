// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Culling on the CPU, and what CPU and devices prepare alike: the planes and the boxes.

#include "base/env.h"
#include "kernels/cull_volume.h"
#include "tact/cull.h"

enum { TACT_CULL_KDOP_KINDS = 7, TACT_CULL_TREE_LEVELS = 11, TACT_CULL_FAN = 8 };

/// The planes, prepared.
typedef struct tact_cull_table {
    bool nothing;  ///< nothing is behind them
    uint32_t count;
    TactCullPlane planes[TACT_CULL_PLANES_MAX];
    /// For each kind of k-DOP two ways to make the normal of its axes.
    TactCullMix mixes[TACT_CULL_PLANES_MAX][TACT_CULL_KDOP_KINDS][2];
    bool bounded;                ///< what is behind all planes is within the following
    float lower[13], upper[13];  ///< along the axes of the k-DOPs, a 26-DOP
} tact_cull_table;

/// Prepares planes; `kdops`: the mixes too. Everything is rounded so that what the planes hold is still held.
void tact_cull_table_make(tact_cull_table* table, const tact_plane* planes, uint32_t count, bool kdops);

/// The first three of lower and upper.
TactCullBox tact_cull_table_box(const tact_cull_table* table);

/// Boxes, ordered so that neighbours are near, and above every 8 of them the box around them, and so on up to at most
/// 8. Each level is filled up to a multiple of 8 with boxes that meet nothing.
typedef struct tact_cull_tree {
    TactCullBox* nodes;  ///< the boxes, then the level above, ...
    float* groups;       ///< the same, every 8 as six rows: lower x of all 8, y, z, upper x, y, z. For the CPU's lanes.
    float* slabs;        ///< 26 for each box: lower 13, upper 13. For k-DOPs, else NULL.
    size_t node_capacity, group_capacity, slab_capacity;
    uint32_t count;  ///< boxes that hold a point
    uint32_t levels;
    uint32_t start[TACT_CULL_TREE_LEVELS], size[TACT_CULL_TREE_LEVELS];  ///< of each level, in nodes
} tact_cull_tree;

/// n log n. `boxes` with no point are left out. Errors: OUT_OF_MEMORY.
tact_result tact_cull_tree_make(tact_env* env, tact_cull_tree* tree, const tact_aabb* boxes, size_t count, bool kdops);
void tact_cull_tree_release(tact_env* env, tact_cull_tree* tree);

/// A call, prepared.
typedef struct tact_cull_job {
    const tact_cull_work* work;
    const tact_cull_table* table;  ///< NULL: no planes
    const tact_cull_tree* tree;    ///< NULL: no boxes
    bool classify;                 ///< INSIDE is wanted: without, INTERSECTING may stand for it
    uint8_t* classes;              ///< one for each volume
    int threads;
    tact_progress_fn* progress;
    void* progress_user;
} tact_cull_job;

/// One volume after the other, every plane and every box, INSIDE always told apart: the definition.
tact_result tact_cull_reference(tact_env* env, const tact_cull_job* job);

/// The same with lanes, threads and the tree.
tact_result tact_cull_cpu(tact_env* env, const tact_cull_job* job);

/// Writes the indices of the classes other than 0 to `ids`, ascending, at most `capacity` of them; returns how many
/// there are. `counts` holds one for each piece of TACT_CULL_PIECE classes.
size_t tact_cull_collect(const uint8_t* classes, size_t count, int threads, size_t* counts);
void tact_cull_write_ids(const uint8_t* classes, size_t count, int threads, const size_t* counts, uint32_t* ids);

enum { TACT_CULL_PIECE = 16384 };
