// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Distances of bodies: the least of an *ask*, which is a pair of bodies, or a shape and all bodies of a set. An item
/// is two parts that may be nearest; kernels/body_distance.h works it out, here or on a device, and of cores that
/// overlap their contact does.

#include "cpu_ref/contacts/near_parts.h"
#include "kernels/body_distance.h"
#include "tact/body_distances.h"
#include "tact/body_nearest.h"

/// What has been found of an item, as the kernel writes it.
typedef struct tact_gap_found {
    float normal[3];
    float distance;
    float on_a[3];
    uint32_t state;
    float on_b[3];
    float margin;
} tact_gap_found;

_Static_assert(sizeof(tact_gap_found) == 16 * TACT_GAP_ROWS, "the kernel writes rows");
_Static_assert(sizeof(tact_near_item) == 16, "the kernel reads rows");

/// The nearest item of an ask. TACT_GAP_NONE: there is none within `farthest`.
typedef struct tact_gap_best {
    tact_near_item item;
    tact_gap_found found;
} tact_gap_best;

/// A shape to which the closest body of a set is asked for.
typedef struct tact_gap_asked {
    tact_body body;
    tact_aabb box;
    float farthest;  ///< TACT_GAP_ENDLESS: no limit
} tact_gap_asked;

typedef struct tact_gaps_job {
    const tact_shape_tables* tables;
    const tact_body* bodies;  ///< by id
    const float4* rows;       ///< TACT_POSED_ROWS of each body, then of each item of `nearest`
    size_t body_count;        ///< of ids
    const tact_pair* pairs;   ///< the asks, where `nearest` is NULL
    const tact_gap_asked* nearest;
    tact_near_set set;  ///< where those are asked for
    size_t count;       ///< of asks
    float farthest;     ///< of all asks; TACT_GAP_ENDLESS: no limit
    bool overlap;       ///< whether anything overlaps is all that counts
    bool reference;     ///< without trees, one thread, each item to its end
    int threads;
    tact_progress_fn* progress;  ///< NULL, or asked between pieces of long work; false: CANCELLED
    void* progress_user;
} tact_gaps_job;

/// Finds the nearest item of each ask on the CPU. Errors: CANCELLED.
tact_result tact_gaps_run(tact_env* env, const tact_gaps_job* job, tact_gap_best* best);

/// Whether a device is to work an item out again by its contact.
bool tact_gap_needs_contact(const tact_gaps_job* job, tact_near_item item, const tact_gap_found* found);

/// The two rows of an item's bodies for its contact, with the margin that it needs in place of theirs.
void tact_gap_contact_rows(const tact_gaps_job* job, tact_near_item item, const tact_gap_found* found,
                           float4 rows[2 * TACT_POSED_ROWS]);

/// Takes the distance of an item whose cores are close, or overlap, from its contact.
void tact_gap_settle(const tact_gaps_job* job, tact_near_item item, const tact_contact* contact, tact_gap_found* found);

/// The items that may be nearest of each ask.
typedef struct tact_gap_items {
    tact_near_item* items;
    tact_gap_found* found;  ///< of each
    size_t* first;          ///< of each ask, and the end
    float* bounds;          ///< of each ask: nothing is nearest that is farther
    size_t count, item_capacity, found_capacity, first_capacity, bound_capacity;
} tact_gap_items;

/// Finds the items for a device. Errors: LIMIT, OUT_OF_MEMORY.
tact_result tact_gap_items_find(tact_env* env, const tact_gaps_job* job, tact_gap_items* items);
void tact_gap_items_release(tact_env* env, tact_gap_items* items);

/// Chooses the nearest item of each ask among those that are worked out.
void tact_gap_items_choose(const tact_gaps_job* job, const tact_gap_items* items, tact_gap_best* best);

/// The row of an ask for the closest body.
tact_body_nearest tact_gap_nearest(size_t number, const tact_gap_best* best);

/// The row of a pair.
tact_body_distance_row tact_gap_distance(const tact_gaps_job* job, tact_pair pair, const tact_gap_best* best);
