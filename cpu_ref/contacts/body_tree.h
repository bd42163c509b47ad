// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A tree over bodies' boxes, for what is asked of all of a set, and which bodies that is about.

#include <math.h>

#include "cpu_ref/bvh.h"
#include "tact/pairs.h"

/// But for boxes without an end.
typedef struct tact_body_tree {
    tact_bvh tree;
    uint32_t* endless;  ///< ids, ascending
    size_t endless_count;
    uint64_t version;  ///< of the boxes; 0: there is no tree
} tact_body_tree;

/// Makes the tree of `count` boxes, of which a NaN is none. Errors: OUT_OF_MEMORY.
tact_result tact_body_tree_make(tact_env* env, int threads, const tact_aabb* boxes, size_t count, tact_body_tree* tree);
void tact_body_tree_release(tact_env* env, tact_body_tree* tree);

static inline bool tact_box_is_there(const tact_aabb* box)
{
    return box->lower.x == box->lower.x;
}

static inline bool tact_box_is_endless(const tact_aabb* box)
{
    return isinf(box->lower.x) || isinf(box->upper.x);
}

static inline bool tact_categories_meet(tact_categories a, tact_categories b)
{
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}
