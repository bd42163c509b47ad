// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shared by the parts of the builder: a binary tree is built first, then eight-wide nodes are made of it.

#include "base/simd.h"
#include "cpu_ref/trace/build.h"

enum {
    TACT_BUILD_BINS = 32,
    TACT_BUILD_LEAF_BIT = (int)0x80000000,
    TACT_BUILD_GRAIN = 1 << 12,      ///< references of a piece of a loop
    TACT_BUILD_TASK_SIZE = 1 << 12,  ///< subtrees up to this size are built by one thread
    TACT_BUILD_MAX_WORKERS = 64,
    /// Nodes on a path of the binary tree at most, before it is made wide.
    TACT_BUILD_MAX_DEPTH = 96
};

/// Rows of four floats, of which the fourth means nothing.
typedef struct tact_build_box {
    float lower[4], negated[4];
} tact_build_box;

/// The sum of corners of a box, twice its centre.
LANES_FN f4 tact_build_centre(const float* lower, const float* negated)
{
    return f4_three(f4_sub(f4_load(lower), f4_load(negated)));
}

/// Both rows of the sums of corners of a box: those, and minus those.
LANES_FN f8 tact_build_centres(f8 box)
{
    const f4 centre = f4_three(f4_sub(f8_low(box), f8_high(box)));
    return f8_join(centre, f4_negate(centre));
}

/// A node of the binary tree. Children are neighbours, at an even index; node 0 is the root, node 1 is not used.
typedef struct tact_build_node {
    float lower[3];
    uint32_t first;  ///< leaf: first reference; else the left child
    float negated[3];
    uint32_t count;  ///< primitives under it; TACT_BUILD_LEAF_BIT for a leaf
} tact_build_node;

/// What it costs at least to stand for a subtree by a forest of at most so many trees: [i - 1] for i trees, 1 to 7.
typedef struct tact_build_costs {
    float of[TACT_BVH8_WIDTH - 1];
} tact_build_costs;

/// What is chosen at these costs, one word for each inner node: for a forest of i trees, 2 to 8, the bits from
/// 3 * (i - 2) on say how many of them the left child gets, or 0 when fewer trees cost no more.
enum { TACT_BUILD_PLAN_BITS = 3, TACT_BUILD_PLAN_LEAF = 1 << 30 };

/// References still to be divided. A subtree of n references has at most n - 1 pairs of nodes, so giving it that many
/// places needs no shared counter, and no order of work shows.
typedef struct tact_build_range {
    tact_build_box box, centres;  ///< of the sums of the sides, so twice the centres
    size_t begin, end;
    uint32_t node;  ///< its place
    uint32_t pair;  ///< pairs of nodes under it lie from here on
    uint32_t depth;
    bool aside;  ///< its references lie in the scratch
} tact_build_range;

/// A range near the root: one that has been divided, or the root of a subtree that one thread builds.
typedef struct tact_build_top {
    tact_build_range range;
    tact_build_costs costs;
    uint32_t sides;  ///< where its left side is in the list, and the right one behind it; 0: it is built by one thread
} tact_build_top;

typedef struct tact_builder {
    tact_env* env;
    int threads;
    tact_build_desc desc;
    tact_build_reference* references;
    size_t count;
    tact_build_node* nodes;  ///< no node is written before all ranges near the root are divided
    uint32_t* plans;         ///< of each node
    uint32_t* ids;           ///< primitives in the order of leaves; NULL: the references have been put in that order
    float unit;              ///< lengths times this are at most 1
    size_t task_size;        ///< subtrees up to this size are built by one thread
    tact_build_top* top;     ///< parents before children
    size_t top_count, top_capacity;
} tact_builder;

/// Both rows of a reference, with whatever is in their fourth place.
static inline const float* tact_build_lower(const tact_build_reference* r)
{
    return (const float*)(const void*)r;
}

static inline const float* tact_build_negated(const tact_build_reference* r)
{
    return (const float*)(const void*)r + 4;
}

static inline tact_build_box tact_build_empty_box(void)
{
    const float most = 3.40282347e38f;
    return (tact_build_box){{most, most, most, most}, {most, most, most, most}};
}

LANES_TARGET static inline void tact_build_grow(tact_build_box* box, const float* lower, const float* negated)
{
    f4_store(box->lower, f4_min(f4_load(box->lower), f4_load(lower)));
    f4_store(box->negated, f4_min(f4_load(box->negated), f4_load(negated)));
}

/// Half the surface of a box whose lengths are multiplied by `unit`.
static inline float tact_build_area(const float lower[3], const float negated[3], float unit)
{
    const float x = (-negated[0] - lower[0]) * unit, y = (-negated[1] - lower[1]) * unit,
                z = (-negated[2] - lower[2]) * unit;
    return x * (y + z) + y * z;
}

static inline float tact_build_unit(const tact_build_box* box)
{
    float most = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const float width = -box->negated[k] - box->lower[k];
        most = width > most ? width : most;
    }
    return most > 1e-30f ? 1.0f / most : 0.0f;
}

/// Near the depth limit only halving is sure to stay within it.
static inline bool tact_build_may_choose(const tact_builder* b, const tact_build_range* r)
{
    uint32_t bits = 0;
    while (((size_t)1 << bits) < r->end - r->begin)
        ++bits;
    return r->depth + bits < b->desc.max_depth;
}

/// Appends both sides of a range near the root to the list. False when out of memory.
bool tact_build_add_sides(tact_builder* b, size_t of, const tact_build_range sides[2]);

/// Divides all ranges larger than a task, the root's first, by all threads. False when out of memory.
bool tact_build_divide_top(tact_builder* b);

/// Makes the subtree of a range, in a piece of work for one thread; returns its costs.
typedef void tact_build_subtree_fn(const tact_builder* b, const tact_build_range* r, int worker, void* user,
                                   tact_build_costs* costs);

/// Makes the subtrees of the list, by all threads, and the nodes above them.
void tact_build_subtrees(tact_builder* b, tact_build_subtree_fn* make, void* user);

/// Costs of a leaf.
void tact_build_plan_leaf(const tact_builder* b, uint32_t node, tact_build_costs* costs);

/// Costs and plan of an inner node from the costs of its children.
void tact_build_plan(const tact_builder* b, uint32_t node, const tact_build_costs* left, const tact_build_costs* right,
                     tact_build_costs* costs);

/// The box of a node from those of its children.
void tact_build_join(const tact_builder* b, uint32_t node);

/// The binary tree along a Morton curve. False when out of memory.
bool tact_build_morton(tact_builder* b);

/// Makes the binary tree better, and plans it again. False when out of memory. `too_deep`: the tree is of no use.
bool tact_build_reinsert(const tact_builder* b, bool* too_deep);

/// Makes the wide tree of the binary one.
tact_result tact_build_collapse(const tact_builder* b, tact_bvh8* wide);
