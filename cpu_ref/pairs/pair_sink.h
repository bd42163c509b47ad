// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Where methods put the pairs they find, one sink for each thread, and the sort that makes one list of them. A sink
/// turns what the boxes say into the definition's answer: it tests spheres, applies categories, puts the smaller id
/// first, and leaves out what the query does not ask for.

#include "cpu_ref/pairs/pairs.h"

/// A block of pairs as they were found.
enum { TACT_PAIR_BLOCK = 1 << 15 };

typedef struct tact_pair_block {
    struct tact_pair_block* next;
    size_t count;
    tact_pair pairs[TACT_PAIR_BLOCK];
} tact_pair_block;

/// Blocks that a set keeps from one query to the next, 64 MiB: fresh memory costs more than the pairs that go there.
enum { TACT_SPARE_PAIR_BLOCKS = 256 };

/// On cache lines of its own: each is written by one thread all the time.
struct tact_pair_sink {
    _Alignas(64) tact_pair* next;   ///< where the next pair goes
    tact_pair* last;                ///< end of the block
    tact_pair_block* blocks;        ///< newest first; its count is known only after tact_pair_sinks_close
    tact_pair_block* spare;         ///< to be used before new ones are made
    const tact_volume_view *a, *b;  ///< b is a within a set
    bool within;                    ///< one set
    bool plain;                     ///< boxes alone decide and nothing is left out
    uint32_t from, end;
    uint32_t* rows;    ///< not NULL: only count the pairs of each a - from here
    uint64_t counted;  ///< pairs that were counted but not stored: rows, or no room
    uint64_t stored_blocks;
    uint64_t room;   ///< blocks this sink may still take
    uint64_t tests;  ///< for the method, to count in
    bool out_of_memory;
    tact_env* env;
};

/// `count` sinks for a query. `most` pairs are stored in all at most; beyond, they are counted. `rows` NULL, or an
/// array of job->end - job->from zeros for each thread. Errors: OUT_OF_MEMORY.
tact_result tact_pair_sinks_open(tact_pairs_job* job, uint64_t most, uint32_t* const* rows);

/// Closes the books: how many pairs there were, stored or not. Errors: OUT_OF_MEMORY when a sink had none left.
tact_result tact_pair_sinks_close(tact_pairs_job* job, uint64_t* total);

/// Writes all stored pairs, of which there are at most 2^32 - 1, sorted to `pairs`, which has room for them
/// (pair_sort.c). No two of them may be equal. Uses all the job's threads and some 5 MiB for each at most; time grows
/// as the pairs do. Errors: OUT_OF_MEMORY.
tact_result tact_pair_sinks_sort(const tact_pairs_job* job, tact_pair* pairs);

/// Whether these are in ascending order and no two are equal. For TACT_VALIDATE.
bool tact_pairs_are_sorted(const tact_pair* pairs, size_t count);

/// Lets go of the sinks. Blocks go back to the set, for its next query.
void tact_pair_sinks_release(tact_pairs_job* job);

/// The part of tact_pair_sink_add that is rarely needed.
void tact_pair_sink_add_slowly(tact_pair_sink* sink, uint32_t i, uint32_t j);

/// Gives the sink a pair whose boxes overlap: i of the first set and j of the second; within one set in any order.
static inline void tact_pair_sink_add(tact_pair_sink* sink, uint32_t i, uint32_t j)
{
    if (!sink->plain || sink->next == sink->last) {
        tact_pair_sink_add_slowly(sink, i, j);
        return;
    }
    const bool swap = sink->within && j < i;
    sink->next->a = swap ? j : i;
    sink->next->b = swap ? i : j;
    ++sink->next;
}
