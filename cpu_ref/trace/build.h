// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Builds eight-wide trees (cpu_ref/trace/bvh8.h) from boxes. docs/raycast.md says how and what it costs.

#include "cpu_ref/trace/bvh8.h"

/// The box of a primitive as the builder moves it about: two 16-byte rows, so that one minimum for each row grows a
/// box. Zeros must be positive in `lower` and negative in `negated`, or the sign of a zero would tell of threads.
typedef struct tact_build_reference {
    float lower[3];
    uint32_t id;
    float negated[3];  ///< minus the upper sides
    uint32_t unused;
} tact_build_reference;

_Static_assert(sizeof(tact_build_reference) == 32, "two rows of 16 bytes");

typedef enum tact_build_quality {
    TACT_BUILD_MEDIUM = 0,  ///< binned surface area heuristic, collapsed at the least cost
    TACT_BUILD_FAST = 1,    ///< along a Morton curve
    TACT_BUILD_HIGH = 2     ///< as medium, then subtrees are put where they cost less
} tact_build_quality;

typedef struct tact_build_desc {
    tact_build_quality quality;
    uint32_t max_leaf;   ///< at most TACT_BVH8_MAX_LEAF
    uint32_t max_depth;  ///< at least 31: 2^30 primitives can always be halved into leaves
} tact_build_desc;

static inline tact_build_reference tact_build_reference_of(const float lower[3], const float upper[3], uint32_t id)
{
    tact_build_reference r = {.id = id};
    for (int k = 0; k < 3; ++k) {
        r.lower[k] = lower[k] + 0.0f;
        r.negated[k] = -(upper[k] + 0.0f);
    }
    return r;
}

/// Expected cost of a leaf for a ray that reaches it, where that of a node is 1. Leaves are tested side by side, so
/// that the number in them matters little.
static inline float tact_build_leaf_cost(uint32_t count)
{
    return 0.4f + 0.1f * (float)count;
}

/// Builds a tree over `count` boxes (at most 2^30; finite, within 2^60), which it puts in another order. The tree is
/// the same for every number of threads and on every machine. LIMIT, OUT_OF_MEMORY.
tact_result tact_bvh8_build(tact_env* env, int threads, const tact_build_desc* desc, tact_build_reference* references,
                            size_t count, tact_bvh8* wide);

/// Grows a box, empty at first, by those of `count` slots from `first` on; false when one of them is out of range. Is
/// called by several threads at once, once for each leaf.
typedef bool tact_build_leaf_fn(uint32_t first, uint32_t count, tact_bvh_box* box, void* user);

/// Makes the boxes of the tree under `root` again, whose leaves have moved. `good` tells whether all of them were in
/// range; the tree is of no use otherwise. `sah_cost` is as in tact_bvh8. OUT_OF_MEMORY, the tree being as before.
tact_result tact_bvh8_refit(tact_env* env, int threads, tact_bvh8_node* nodes, uint32_t root, tact_build_leaf_fn* leaf,
                            void* user, bool* good, double* sah_cost);
