// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The last answer within a set, kept by the method BVH where few boxes move: then only those are asked for again.

#include "cpu_ref/pairs/bvh.h"

enum { TACT_BVH_CHANGES = 24 };  ///< when fewer than one box in so many has moved an answer is kept, and changed

typedef struct tact_bvh_answer {
    tact_pair* pairs;  ///< sorted
    tact_pair* spare;
    size_t count, capacity, spare_capacity;
    uint64_t* touched;  ///< a bit for each id: has moved
    uint32_t* places;   ///< of the boxes that have
    size_t touched_capacity, place_capacity;
    bool known;
} tact_bvh_answer;

void tact_bvh_answer_release(tact_env* env, tact_bvh_answer* answer);
size_t tact_bvh_answer_bytes(const tact_bvh_answer* answer);

/// Sorts what the job's sinks hold, which is all pairs, into the answer, and makes that the job's; not, if they are too
/// many to be kept. Errors: OUT_OF_MEMORY.
tact_result tact_bvh_answer_keep(tact_pairs_job* job, tact_bvh_answer* answer, const tact_bvh_tree* tree);

/// Changes a known answer to that of the tree as it is now, after the boxes in `moved` have: a bit for each box of each
/// group, `count` in all. Makes it the job's. Errors: OUT_OF_MEMORY, CANCELLED; the answer is no longer known then.
tact_result tact_bvh_answer_change(tact_pairs_job* job, tact_bvh_answer* answer, const tact_bvh_tree* tree,
                                   const uint16_t* moved, uint32_t count);
