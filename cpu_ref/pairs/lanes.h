// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The inner loops of the broad phase, once for each set of instructions. lanes_portable.c, lanes_sse2.c, lanes_avx2.c
/// and lanes_avx512.c each include lanes_body.h, which includes METHOD_lanes.h of every method that has such loops. A
/// method asks tact_pairs_lanes() for the best set this machine has.

#include "base/lane_levels.h"
#include "cpu_ref/pairs/grid_cells.h"
#include "cpu_ref/pairs/pair_sink.h"

struct tact_box_cells;
struct tact_bvh_group;
struct tact_bvh_tree;
struct tact_tree_gathered;

/// Boxes as six arrays, so that lanes load neighbours. Readable 16 past the end.
typedef struct tact_box_lanes {
    const float* lower[3];
    const float* upper[3];
} tact_box_lanes;

/// Boxes of sort and sweep: x is the swept axis, y the one that is cut into strips. Readable 16 past the end of a
/// strip.
typedef struct tact_sap_arrays {
    const float *low_x, *high_x, *low_y, *high_y, *low_z, *high_z;
    const uint32_t* ids;
} tact_sap_arrays;

/// How the anchors and the others of sap_between are related.
typedef struct tact_sap_sides {
    float strip_begin;
    bool ties;           ///< a box that begins where the anchor begins is met
    bool anchors_first;  ///< the anchors are of the first set
    bool ordered;        ///< both are of one set: a pair counts when the id of the first is less
} tact_sap_sides;

typedef struct tact_pairs_lane_table {
    const char* name;
    int lanes;
    // One line for each loop. Comment: where it is, what it does.
    /// brute_lanes.h: box i of `one` against boxes [begin, end) of `many`, whose ids are these numbers.
    void (*brute)(const tact_aabb* one, uint32_t i, const tact_box_lanes* many, uint32_t begin, uint32_t end,
                  tact_pair_sink* sink);
    /// bvh_lanes.h: the boxes of a block of groups of `from` against those of `to`, or, when the trees are one, against
    /// those after them in it. `swapped`: `to` is the query's first set. Returns how many boxes were tested.
    uint64_t (*bvh)(const struct tact_bvh_tree* from, uint32_t block, const struct tact_bvh_tree* to, bool swapped,
                    tact_pair_sink* sink);
    /// bvh_lanes.h: puts the boxes of the group's ids, of which it has its full number, into it, and their bounds into
    /// `bounds`. *moved: a bit for each that differs from what was there. False when one of them takes no part; the
    /// bounds mean nothing then.
    bool (*bvh_fill)(const tact_aabb* boxes, struct tact_bvh_group* group, tact_aabb* bounds, uint32_t* moved);
    /// bvh_lanes.h: the box at a place of the tree against all others, but those that are touched (a bit for each id)
    /// and whose id is less. Counts its tests in the sink.
    void (*bvh_ask)(const struct tact_bvh_tree* tree, uint32_t place, const uint64_t* touched, tact_pair_sink* sink);
    /// order_lanes.h: items [begin, end): key and, in the low 32 bits, id. Of items that hold an id, or, when they are
    /// `fresh`, have their number as id. Returns whether no box is wider than `large` on an axis, nor of a width that
    /// is no number.
    bool (*order_keys)(const struct tact_box_cells* cells, const tact_aabb* boxes, float large, bool fresh,
                       uint64_t* items, size_t begin, size_t end);
    /// tree_lanes.h: one box against those that a walk has gathered. The ids of those it meets, of boxes with larger
    /// ids than `above` only, are written to `ids`, which has room for all; returns how many.
    uint32_t (*tree)(const tact_aabb* one, int64_t above, const struct tact_tree_gathered* many, uint32_t* ids);
    /// row_lanes.h: puts pairs that are in order of a, no more than `longest` with the same, in order of b too. Time
    /// grows as `longest` does.
    void (*rows)(tact_pair* pairs, size_t count, uint32_t longest);
    /// sap_lanes.h: entries [begin, end) of a strip against those that follow them. Returns how many tests it made.
    uint64_t (*sap_within)(const tact_sap_arrays* strip, size_t begin, size_t end, float strip_begin,
                           tact_pair_sink* sink);
    /// sap_lanes.h: entries [begin, end) of `anchors` against those of the same strip of another list that begin in
    /// them, from entry `from`, before which none does.
    uint64_t (*sap_between)(const tact_sap_arrays* anchors, size_t begin, size_t end, const tact_sap_arrays* strip,
                            size_t from, const tact_sap_sides* sides, tact_pair_sink* sink);
    /// grid_lanes.h: pairs within a level whose first box is at a place in [begin, end). They return how many tests.
    uint64_t (*grid_self)(const tact_cells* cells, const tact_grid_level* level, uint32_t begin, uint32_t end,
                          tact_pair_sink* sink);
    /// grid_lanes.h: a box (as tact_cells has them) of volume `id` against a level.
    uint64_t (*grid_query)(const tact_cells* cells, const tact_grid_level* level, const float box[6], uint32_t id,
                           tact_pair_sink* sink);
    /// grid_lanes.h: the same against places [begin, end).
    uint64_t (*grid_scan)(const tact_cells* cells, const float box[6], uint32_t id, uint32_t begin, uint32_t end,
                          tact_pair_sink* sink);
} tact_pairs_lane_table;

extern const tact_pairs_lane_table tact_pairs_lanes_portable, tact_pairs_lanes_sse2, tact_pairs_lanes_avx2,
    tact_pairs_lanes_avx512;

/// The best here.
const tact_pairs_lane_table* tact_pairs_lanes(void);
