// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Casts of shapes through bodies. An item is a cast against a part of a body whose boxes it passes, from where their
/// bounding spheres meet to where these part again; kernels/body_cast.h advances it, here or on a device; the best of
/// a cast's items, or all that hit, become its rows.

#include "cpu_ref/contacts/body_tree.h"
#include "cpu_ref/contacts/contacts.h"
#include "kernels/body_cast.h"
#include "tact/body_casts.h"

/// TACT_CAST_ITEM_ROWS rows, as the kernel reads them.
typedef struct tact_cast_item {
    uint32_t cast, body, part;
    float span;
    float place[3];
    float start;
    float move[3];
    float start_rest;
} tact_cast_item;

_Static_assert(sizeof(tact_cast_item) == 16 * TACT_CAST_ITEM_ROWS, "the kernel reads rows");

/// What has become of an item: how far it goes, and TACT_CAST_HIT or TACT_CAST_NONE.
typedef struct tact_cast_outcome {
    float along;
    uint32_t state;
} tact_cast_outcome;

typedef struct tact_casts_job {
    const tact_shape_tables* tables;
    const tact_body* bodies;  ///< by id
    const float4* rows;       ///< TACT_POSED_ROWS of each body, then TACT_CAST_ROWS of each cast
    const tact_aabb* boxes;   ///< of each body; a NaN: there is none
    size_t body_count;        ///< of ids
    const tact_body_tree* tree;
    const tact_body_cast* casts;  ///< checked, their rotations of unit length
    size_t cast_count;
    bool all;        ///< every hit, or the first
    bool reference;  ///< without trees, one thread, each item to its end
    int threads;
    tact_progress_fn* progress;  ///< NULL, or asked between pieces of long work; false: CANCELLED
    void* progress_user;
} tact_casts_job;

/// A cast's rows.
void tact_cast_rows(const tact_body_cast* cast, float4 rows[TACT_CAST_ROWS]);

/// The items of each cast, by where they begin, and what becomes of them.
typedef struct tact_cast_items {
    tact_cast_item* items;
    tact_cast_outcome* outcomes;
    size_t* first;  ///< of each cast, and the end
    size_t count, item_capacity, outcome_capacity, first_capacity;
} tact_cast_items;

/// Finds the items. Errors: LIMIT, OUT_OF_MEMORY.
tact_result tact_cast_items_find(tact_env* env, const tact_casts_job* job, tact_cast_items* items);
void tact_cast_items_release(tact_env* env, tact_cast_items* items);

/// Works out all items; of those that cannot be first, and need not be known, the state is TACT_CAST_NONE. Errors:
/// CANCELLED.
tact_result tact_casts_run(tact_env* env, const tact_casts_job* job, tact_cast_items* items);

/// Hits, and where each cast's begin: job->cast_count + 1 numbers.
typedef struct tact_cast_hits {
    tact_body_cast_hit* hits;
    uint64_t* offsets;
    size_t count, hit_capacity, offset_capacity;
} tact_cast_hits;

/// Makes the rows of hits of what has become of the items. Errors: OUT_OF_MEMORY.
tact_result tact_cast_hits_make(tact_env* env, const tact_casts_job* job, const tact_cast_items* items,
                                tact_cast_hits* hits);
void tact_cast_hits_release(tact_env* env, tact_cast_hits* hits);
