// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Volumes against planes, many at a time, once for each set of instructions: cull_lanes_portable.c, cull_lanes_sse2.c,
/// cull_lanes_avx2.c and cull_lanes_avx512.c each include cull_lanes_body.h.

#include "base/lane_levels.h"
#include "cpu_ref/cull/cull_one.h"

enum { TACT_CULL_BLOCK = 256, TACT_CULL_ROWS = 16 };

/// Volumes with their numbers in rows, so that lanes load neighbours: AABBs lower 3, upper 3; spheres centre 3, radius;
/// OBBs the members of TactCullObb in order. What is past `count` is any number.
typedef struct tact_cull_block {
    float row[TACT_CULL_ROWS][TACT_CULL_BLOCK];
    uint32_t count;
} tact_cull_block;

typedef struct tact_cull_lane_table {
    const char* name;
    /// The class of each volume by the planes alone; for boxes also by the planes' bounds, and, without `classify`,
    /// INTERSECTING where INSIDE might be.
    void (*boxes)(const tact_cull_table* table, const tact_cull_block* block, bool classify, uint8_t* classes);
    void (*spheres)(const tact_cull_table* table, const tact_cull_block* block, uint8_t* classes);
    void (*obbs)(const tact_cull_table* table, const tact_cull_block* block, uint8_t* classes);
    /// What the tree's boxes say of a volume: the answer of the definition, but, without `classify`, INTERSECTING where
    /// INSIDE might be.
    int (*tree)(const tact_cull_tree* tree, const tact_cull_one* one, bool classify);
} tact_cull_lane_table;

extern const tact_cull_lane_table tact_cull_lanes_portable, tact_cull_lanes_sse2, tact_cull_lanes_avx2,
    tact_cull_lanes_avx512;

/// The best here, no better than the limit.
const tact_cull_lane_table* tact_cull_lanes(void);
