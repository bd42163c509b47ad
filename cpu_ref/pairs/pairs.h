// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The broad phase on the CPU: what its methods are given, what they give back. Each method is a file of its own and
/// right alone. A method finds, in any order and with any number of threads, every pair of volumes whose boxes overlap,
/// each once, and hands it to a sink (pair_sink.h), which applies the rest of the definition and the order.

#include "base/env.h"
#include "tact/pairs.h"

/// A box that was given a new place.
typedef struct tact_volume_change {
    uint64_t version;  ///< of the set from then on
    uint32_t id;
} tact_volume_change;

/// What a set looks like to the methods. A volume's box holds all of it: of an AABB it is the AABB itself, of a sphere
/// one so much larger that rounding in the sphere tests cannot matter. A volume that takes no part (an id not in use, a
/// NaN, nothing inside) has a box that is all NaN, so that every comparison with it is false; then
/// tact_volume_is_live() is false. Bounds may be infinite.
typedef struct tact_volume_view {
    const tact_aabb* boxes;             ///< `count`, by id
    const tact_sphere* spheres;         ///< NULL for a set of AABBs
    const tact_categories* categories;  ///< NULL when all are TACT_CATEGORIES_ALL
    uint32_t count;                     ///< of ids
    uint32_t live;                      ///< of volumes that take part
    uint64_t version;                   ///< changes when a box changes, or which ids are in use
    uint64_t categories_version;        ///< changes with the categories
    const tact_volume_change* changes;  ///< what all there is to know of, after `changes_since`, from old to new
    uint32_t change_count;
    uint64_t changes_since, changes_until;  ///< versions; where the last is not `version` there was more than places
} tact_volume_view;

static inline bool tact_volume_is_live(const tact_aabb* box)
{
    return box->lower.x == box->lower.x;
}

/// The first of the changes after a version; false where they are not all listed.
static inline bool tact_volume_changes_after(const tact_volume_view* of, uint64_t version, uint32_t* first)
{
    *first = of->change_count;
    while (*first > 0 && of->changes[*first - 1].version > version)
        --*first;
    return of->changes_until == of->version && version >= of->changes_since;
}

/// The sphere's box for pruning: no rounding in the sphere tests of the definition reaches beyond it. All NaN for a
/// sphere that takes no part.
tact_aabb tact_sphere_pruning_box(tact_sphere sphere);

/// The box as the methods want it: all NaN when it takes no part.
tact_aabb tact_aabb_pruning_box(tact_aabb box);

/// Whether a pair counts: the definition, categories included. `a` and `b` index the two sets, which may be one.
bool tact_volume_view_overlap(const tact_volume_view* of_a, uint32_t a, const tact_volume_view* of_b, uint32_t b);

enum { TACT_PAIRS_SAMPLE = 256 };

/// What choosing a method remembers (choose.h).
typedef struct tact_pairs_history {
    double each_ms[TACT_PAIRS_METHOD_COUNT];  ///< a volume, by a method's last queries; 0: none yet
    double volumes[TACT_PAIRS_METHOD_COUNT];  ///< how many there were
    uint32_t runs[TACT_PAIRS_METHOD_COUNT];
    uint32_t
        slow[TACT_PAIRS_METHOD_COUNT];  ///< runs in a row that took much longer than those before, and do not count
    uint32_t queries;                   ///< answered so far, by any method
    tact_pairs_method last;
    tact_aabb sample[TACT_PAIRS_SAMPLE];  ///< boxes of the last look
    uint32_t sample_ids[TACT_PAIRS_SAMPLE];
    uint32_t sample_count;
} tact_pairs_history;

/// What is kept with a set between queries.
typedef struct tact_pairs_state {
    void* kept[TACT_PAIRS_METHOD_COUNT];   ///< by the methods, one place for each
    struct tact_pair_block* spare_blocks;  ///< by the sinks (pair_sink.h)
    uint32_t spare_count;
    tact_pairs_history history;
} tact_pairs_state;

typedef struct tact_pair_sink tact_pair_sink;

typedef struct tact_pairs_job {
    tact_env* env;
    int threads;
    const tact_volume_view* a;
    const tact_volume_view* b;  ///< NULL: pairs within a
    tact_pairs_state* state_a;  ///< kept with the set, NULL slots the first time
    tact_pairs_state* state_b;  ///< NULL when b is
    tact_pair_sink* sinks;      ///< one for each thread
    uint32_t from, end;  ///< only pairs whose a (the smaller id within a set) is in [from, end) are wanted; others
                         ///< may be left out or given all the same
    bool whole;  ///< all pairs are wanted, sorted, and nothing but the count of what the sinks hold is looked at before
    /// NULL, or asked between pieces of long work, from the calling thread; false: stop with CANCELLED.
    tact_progress_fn* progress;
    void* progress_user;
    // Filled in by the method:
    const tact_pair* sorted;  ///< not NULL, when `whole` allows it: the answer, in place of what the sinks hold; kept
    size_t sorted_count;
    uint64_t tests;  ///< volume against volume
    bool rebuilt;
    uint64_t memory_bytes;  ///< of what is kept
    double build_ms;        ///< structure made or updated
} tact_pairs_job;

/// A method. `find` reads what it kept in job->state_a->kept[own number] (and state_b), brings it up to date (the
/// versions tell), and finds the pairs. Errors: OUT_OF_MEMORY, CANCELLED. What it kept stays valid after an error.
typedef struct tact_pairs_way {
    tact_pairs_method method;
    tact_result (*find)(tact_pairs_job* job);
    void (*release)(tact_env* env, void* kept);  ///< never NULL, called with what find kept
} tact_pairs_way;

extern const tact_pairs_way tact_pairs_brute, tact_pairs_sap, tact_pairs_grid, tact_pairs_hgrid, tact_pairs_bvh,
    tact_pairs_tree;

/// The method's functions, or NULL for AUTO and what is not a method.
const tact_pairs_way* tact_pairs_way_of(tact_pairs_method method);

/// Lets go of all that is kept.
void tact_pairs_state_release(tact_env* env, tact_pairs_state* state);

/// The definition, as plainly as it can be said: every volume with every other, in order. For shadow checking and
/// tests. `progress` as in the job.
tact_result tact_pairs_reference(tact_pairs_job* job);
