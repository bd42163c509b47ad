// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shared by the parts of the builder: a binary tree is built first, then eight-wide nodes are made of it.

#include "cpu_ref/trace/build.h"
#include "cpu_ref/trace/build_lanes.h"

enum {
    TACT_BUILD_BINS = 16,
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

/// A node of the binary tree. Children are neighbours, at an even index; node 0 is the root, node 1 is not used.
typedef struct tact_build_node {
    float lower[3];
    uint32_t first;  ///< leaf: first reference; else the left child
    float negated[3];
    uint32_t count;  ///< primitives under it; TACT_BUILD_LEAF_BIT for a leaf
} tact_build_node;

/// What it costs at least to stand for a subtree by a forest of at most so many trees: [i - 1] for i trees, 1 to 7.
typedef struct tact_build_costs {
    float of[TACT_BVH8_WIDTH];
} tact_build_costs;

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

typedef struct tact_builder {
    tact_env* env;
    int threads;
    tact_build_desc desc;
    tact_build_reference* references;
    tact_build_reference* scratch;
    size_t count;
    tact_build_node* nodes;
    tact_build_costs* costs;
    float unit;  ///< lengths times this are at most 1
    tact_build_range* tasks;
    size_t task_count, task_capacity;
    uint32_t* top;  ///< nodes that no task makes, parents before children
    size_t top_count, top_capacity;
    void* parts;  ///< for each piece of a loop over a range
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

static inline void tact_build_grow(tact_build_box* box, const float* lower, const float* negated)
{
    l4_store(box->lower, l4_min(l4_load(box->lower), l4_load(lower)));
    l4_store(box->negated, l4_min(l4_load(box->negated), l4_load(negated)));
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

static inline tact_build_reference* tact_build_place(const tact_builder* b, const tact_build_range* r)
{
    return (r->aside ? b->scratch : b->references) + r->begin;
}

/// Divides a range; false when it is better left as a leaf. `by_all`: by all threads, and the sides' references then
/// lie in the other array; else the range lies in the first, and so do its sides.
bool tact_build_divide(const tact_builder* b, bool by_all, const tact_build_range* r, tact_build_range sides[2]);
/// Bytes for `parts`.
size_t tact_build_parts_size(int threads, size_t count);

/// The costs of a node from those of its children, or of a leaf.
void tact_build_set_costs(const tact_builder* b, uint32_t node);

/// Keeps a subtree for a task, or a node that no task makes. False when out of memory.
bool tact_build_note_task(tact_builder* b, const tact_build_range* r);
bool tact_build_note_top(tact_builder* b, uint32_t node);

/// The box and costs of a node from those of its children.
void tact_build_join(const tact_builder* b, uint32_t node);

/// The binary tree along a Morton curve. False when out of memory.
bool tact_build_morton(tact_builder* b, const tact_build_range* all, size_t task_size);

/// Makes the binary tree better, and finds all costs again. False when out of memory. `too_deep`: the tree is of no
/// use.
bool tact_build_reinsert(const tact_builder* b, bool* too_deep);

/// Makes the wide tree of the binary one.
tact_result tact_build_collapse(const tact_builder* b, tact_bvh8* wide);
