// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Queries of single items, such as rays, against a scene of which each rank has some instances. An item goes to the
/// ranks whose instances' box may hold what matters to it, one a round, the least *key* first; answers come back to the
/// rank that has the item, which merges them. A key is as that of a tree's walk (cpu_ref/trace/near_walk.h): a box that
/// contains another has no greater key, as computed, so that boxes that are left out hold nothing that matters, and no
/// answer depends on which rank has what.

#include <math.h>

#include "core/ranks/query.h"
#include "core/scene/scene.h"

/// What all ranks have of each other.
typedef struct tact_cut_box {
    float lower[3], upper[3];  ///< of the gate boxes of the rank's instances
    uint32_t there;            ///< it has something that can be hit
    uint32_t id_end;           ///< of its part
    uint64_t ids;              ///< 1: it names the ids of the whole
} tact_cut_box;

/// How far an item has come: the box that it has gone to last.
typedef struct tact_cut_way {
    float key;
    uint32_t rank;  ///< TACT_NONE: none yet
} tact_cut_way;

typedef struct tact_cut tact_cut;

/// What a query does. Words are of 32 bits.
typedef struct tact_cut_kind {
    const char* items;  ///< "rays", for messages
    size_t hit_bytes;   ///< of an answer as one process gives it; it begins with the instance
    /// Makes room for this rank's answers and sets them to nothing found. False: out of memory.
    bool (*start)(tact_cut* cut);
    /// Releases that room; where `ok`, answers are first put where they belong. NULL: there is nothing to do.
    void (*end)(tact_cut* cut, bool ok);
    /// Moves an item's way on by tact_cut_go_on(). False: no box is left that matters. Threads may at once.
    bool (*go_on)(const tact_cut* cut, size_t item, tact_cut_way* way);
    /// Writes an item as it goes out, in item_words.
    void (*send)(const tact_cut* cut, size_t item, uint32_t* to);
    /// Asks this rank's part for the `count` items that came, one after another. They may be moved in place.
    tact_result (*ask)(tact_cut* cut, uint32_t* in, size_t count, void* hits, tact_query_report* report);
    /// Writes the answer to item k of those, as ask() left them, in answer_words. False: there is none.
    bool (*answer)(const tact_cut* cut, const uint32_t* in, const void* hits, size_t k, uint32_t* to);
    /// Merges an answer with what is known of an item of this rank.
    void (*take)(tact_cut* cut, size_t item, const uint32_t* answer);
    /// Asks one process, which has the whole scene.
    tact_result (*alone)(tact_cut* cut, const tact_query_options* options, tact_query_report* report);
} tact_cut_kind;

/// A query under way. It is the first member of what the query has beside.
struct tact_cut {
    // Set by the query:
    const tact_cut_kind* kind;
    tact_ranks* ranks;
    const tact_ranks_part* part;
    size_t count;                     ///< of this rank's items
    size_t item_words, answer_words;  ///< an item that goes out, and an answer that comes back
    // Set by tact_cut_ask():
    tact_env* env;
    tact_query_options options;
    tact_cut_box* boxes;  ///< of all ranks
    uint32_t first;       ///< id in the whole of this rank's id 0, where none are named
    tact_cut_way* ways;   ///< of this rank's items
    size_t* active;       ///< items that still have a rank to visit
    size_t active_count;
    size_t* order;               ///< the same by rank that they visit now
    const void** bytes;          ///< of each rank
    uint64_t *sizes, *in_sizes;  ///< likewise
    uint64_t *starts, *counts;   ///< likewise: of the order
    size_t asked;                ///< rounds in which this rank was asked
};

/// The key of a box for an item; INFINITY: it holds nothing of interest.
typedef float tact_cut_key_fn(const void* item, const tact_cut_box* box);

/// Moves a way on to the box with the least key from where it is, of equal ones to that of the lowest rank, as far as
/// keys do not exceed `limit`. False: there is none.
static inline bool tact_cut_go_on(const tact_cut* c, tact_cut_way* way, const void* item, float limit,
                                  tact_cut_key_fn* key_of)
{
    const tact_cut_way last = *way;
    tact_cut_way next = {0.0f, TACT_NONE};
    for (uint32_t rank = 0; rank < c->ranks->calls.count; ++rank) {
        if (!c->boxes[rank].there) continue;
        const float key = key_of(item, &c->boxes[rank]);
        if (!(key <= limit && key < INFINITY)) continue;
        if (last.rank != TACT_NONE && (key < last.key || (key == last.key && rank <= last.rank))) continue;
        // Ranks ascend, so that of equals the first stays.
        if (next.rank == TACT_NONE || key < next.key) next = (tact_cut_way){key, rank};
    }
    *way = next;
    return next.rank != TACT_NONE;
}

static inline uint32_t tact_cut_id_in_whole(const tact_cut* c, uint32_t instance)
{
    return c->part->instances ? c->part->instances[instance] : c->first + instance;
}

/// Adds the report of one question to that of the query.
static inline void tact_cut_report(tact_cut* c, tact_query_report* report, const tact_query_report* more)
{
    tact_ranks_add_report(report, more, c->asked++ == 0);
}

/// Gives the hits that one process found the ids of its part, where that names some.
void tact_cut_name_hits(const tact_cut* cut, void* hits);

/// Begins a query: false, with the detail set, where there is no context at all to fail in.
bool tact_cut_enter(tact_ranks* ranks, const tact_ranks_part* part, const tact_query_options* options);

/// Whether this rank may ask, as far as its part tells: the scene is committed and of the group's context, and ids
/// ascend. Errors: INVALID_ARGUMENT, UNSUPPORTED. Not collective.
tact_result tact_cut_check(const tact_ranks* ranks, const tact_ranks_part* part, const tact_query_options* options);

/// Asks for the items of all ranks. `checked`: what this rank's own arguments have come to. `facts`: up to 8 numbers
/// that must be the same on all ranks.
tact_result tact_cut_ask(tact_cut* cut, tact_result checked, const uint64_t* facts, size_t fact_count,
                         const tact_query_options* options, tact_query_report* report);
