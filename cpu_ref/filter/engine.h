// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The search of pairs of objects, once for each set of instructions: lanes_portable.c, lanes_sse2.c and lanes_avx2.c
/// each include lanes_body.h.
///
/// A shape's triangles lie along a Morton curve in groups of eight. Whatever the pose, what is near in the shape is
/// near in the world, so the order serves all of its objects. An object has the boxes of its moved groups, eight in a
/// node, those of eight nodes in a node above, and so on: no tree is built, a box is where its number says. Triangles
/// are moved again when a search comes to their group: cheaper than to read them back from memory.

#include "base/lane_levels.h"
#include "cpu_ref/filter/filter.h"
#include "cpu_ref/overlap/overlap_mesh.h"
#include "cpu_ref/pair_keys.h"

/// Eight boxes. Those that are empty have lower INFINITY and upper -INFINITY.
typedef struct tact_filter_node {
    float lower[3][TACT_WIDE], upper[3][TACT_WIDE];
} tact_filter_node;

/// Rows: a.x of all, a.y, a.z, b.x, ... Places from `count` on hold the first triangle again.
typedef struct tact_filter_group {
    float corner[9][TACT_WIDE];
    uint32_t id[TACT_WIDE];
    uint32_t count;
} tact_filter_group;

/// Eight to this power are more than there can be groups.
enum { TACT_FILTER_LEVELS = 10 };

/// A shape made ready. Node i of level n (from 1) has number level_begin[n - 1] + i; its boxes are those of nodes (or,
/// on level 1, groups) 8 i to 8 i + 7 of the level below.
typedef struct tact_filter_rows {
    const tact_filter_group* groups;
    uint32_t group_count;
    uint32_t levels;  ///< of which the last one has one node; 0: no triangles
    uint32_t level_begin[TACT_FILTER_LEVELS + 1];
} tact_filter_rows;

/// Groups, and what holds them.
typedef struct tact_filter_ready {
    tact_filter_rows* rows;  ///< for each of the job's shapes; empty where it was not asked for
    tact_filter_group* groups;
} tact_filter_ready;

/// Makes the wanted shapes ready. Errors: OUT_OF_MEMORY; tact_filter_unready() is to be called in any case.
tact_result tact_filter_make_ready(tact_env* env, const tact_filter_job* job, const bool* wanted,
                                   tact_filter_ready* ready);
void tact_filter_unready(tact_env* env, tact_filter_ready* ready);

/// An object in a search.
typedef struct tact_filter_side {
    const tact_filter_rows* rows;
    const float* pose;
    tact_filter_node* nodes;
} tact_filter_side;

/// Nodes of two objects, each with its level; level 0: a group.
typedef struct tact_filter_item {
    uint32_t a, b;
    uint16_t level_a, level_b;
} tact_filter_item;

/// An item leaves at most 64 others in its place, on a level that is one lower for either.
enum { TACT_FILTER_STACK = 63 * 2 * (TACT_FILTER_LEVELS + 1) + 64 };

/// One search, by one thread. Begins as zeroes but for the first.
typedef struct tact_filter_search {
    tact_env* env;
    tact_filter_side a, b;
    bool out_of_memory;
    uint64_t* keys;  ///< a pair each: a's triangle in the upper half
    size_t count, capacity;
    size_t depth;
    tact_filter_item stack[TACT_FILTER_STACK];
} tact_filter_search;

static inline void tact_filter_add(tact_filter_search* s, uint32_t a, uint32_t b)
{
    if (s->count == s->capacity && !tact_pair_keys_room(s->env, &s->keys, &s->capacity)) {
        s->out_of_memory = true;
        return;
    }
    s->keys[s->count++] = (uint64_t)a << 32 | b;
}

typedef struct tact_filter_lanes {
    const char* name;
    /// The boxes of up to eight moved groups.
    void (*fit)(const float pose[12], const tact_filter_group* groups, uint32_t count, tact_filter_node* node);
    /// The box around moved boxes; lower > upper when they hold nothing. Boxes that are NaN are left out.
    tact_aabb (*bound)(const float pose[12], const tact_filter_node* nodes, size_t count);
    /// Takes the top item, which is not two groups, from the stack and puts what is below it there.
    void (*open)(tact_filter_search* s);
    /// Until the stack is empty.
    void (*run)(tact_filter_search* s);
} tact_filter_lanes;

extern const tact_filter_lanes tact_filter_lanes_portable, tact_filter_lanes_sse2, tact_filter_lanes_avx2;

/// The best here, no better than the limit.
const tact_filter_lanes* tact_filter_lanes_best(void);

// Boxes of objects in the world, without moving all of their vertices.

/// A box for each of the job's objects that holds every triangle of it that can overlap anything, lower > upper where
/// there is none. Up to 2048 vertices are moved themselves. Of larger shapes, and of those that use a part of a buffer,
/// runs of triangles are, as they come in the file: some 256 runs, or of 32 triangles each. Their boxes are moved
/// instead of all vertices, which takes a fraction of the time where many objects are of one shape; the result is
/// larger by no more than a run is wide. Of shapes without vertices on the host `shape_boxes` has the box around all
/// that is finite. Errors: OUT_OF_MEMORY.
tact_result tact_filter_boxes(tact_env* env, const tact_filter_job* job, const tact_aabb* shape_boxes,
                              tact_aabb* boxes);
