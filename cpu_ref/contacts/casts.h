// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Casts of shapes through bodies. An item is a cast, or a part of its shape, against a part of a body whose boxes it
/// passes, from where their bounding spheres meet to where these part again; or, where the shape has parts, their
/// boxes. kernels/body_cast.h advances it, here or on a device; the best of a cast's items, or all that hit, become its
/// rows.

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
    uint32_t cast_part;  // of the cast's shape
    uint32_t zeros[3];
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
    bool searches;   ///< the CPU's: first hits are found without a list of items
    int threads;
    tact_progress_fn* progress;  ///< NULL, or asked between pieces of long work; false: CANCELLED
    void* progress_user;
} tact_casts_job;

/// A cast's rows.
void tact_cast_rows(const tact_body_cast* cast, float4 rows[TACT_CAST_ROWS]);

static inline bool tact_cast_has_parts(const tact_casts_job* job, size_t number)
{
    return job->tables->bounds[job->casts[number].shape].tree.nodes != NULL;
}

/// The fraction of a cast at a part of an item's way.
static inline double tact_cast_fraction(const tact_cast_item* item, float along)
{
    const double fraction = (double)item->start + (double)item->start_rest + (double)along * (double)item->span;
    return fraction < 1.0 ? fraction : 1.0;
}

/// Returns the bound from then on.
typedef double tact_cast_found_fn(const tact_cast_item* item, void* user);

/// Visits the items of a cast. Where its shape has parts those that begin beyond a bound are left out, and early ones
/// come first.
void tact_cast_walk_items(const tact_casts_job* job, size_t number, tact_cast_found_fn* found, void* user);

/// Fractions are no larger.
#define TACT_CAST_UNBOUND 2.0

/// The items of each cast, by where they begin, and what becomes of them.
typedef struct tact_cast_items {
    tact_cast_item* items;
    tact_cast_outcome* outcomes;
    size_t* first;   ///< of each cast, and the end
    double* bounds;  ///< of each cast, where a device looks for first hits
    size_t count, item_capacity, outcome_capacity, first_capacity, bound_capacity;
} tact_cast_items;

/// The best item of a cast, and what becomes of it; TACT_CAST_NONE: there is none.
typedef struct tact_cast_best {
    tact_cast_item item;
    tact_cast_outcome outcome;
} tact_cast_best;

/// Finds the first hit of a cast, or the best of the first `most` items.
void tact_cast_search(const tact_casts_job* job, const TactShapes* shapes, size_t number, uint32_t most,
                      tact_cast_best* best);

/// Whether tact_casts_run() searches for first hits: each cast has one item then, which the search fills in.
static inline bool tact_casts_are_searched(const tact_casts_job* job)
{
    return job->searches && !job->all;
}

/// Finds the items. Of a device, where a cast's first hit counts and its shape has parts, those that begin no later
/// than a hit that is known. Errors: LIMIT, OUT_OF_MEMORY.
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
