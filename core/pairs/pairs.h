// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside the pair query: what its backends are given.

#include "core/query/ask.h"
#include "core/volumes/volumes.h"

typedef struct tact_pairs_arguments {
    tact_volumes* a;
    tact_volumes* b;                  ///< NULL: within a
    tact_pairs_method method;         ///< what was asked for
    tact_pairs_info info;             ///< filled in by the backend that answers
    const tact_device_array* target;  ///< NULL, or where a device leaves the pairs instead
    uint64_t capacity;                ///< of the target
    bool delivered;                   ///< the device did so
    bool stay;                        ///< a device may leave the pairs in `there`, a buffer of its own
    struct tact_buffer* there;
} tact_pairs_arguments;

/// Room for `count` pairs in a->pairs, whose contents need not be kept. Errors: LIMIT, OUT_OF_MEMORY.
tact_result tact_pairs_make_room(tact_volumes* a, uint64_t count);

/// Holds the sets of a query, which keep what it finds: queries on one set take turns. `b` may be NULL. A record comes
/// before, so that no two threads wait for each other.
void tact_pairs_enter(tact_volumes* a, tact_volumes* b);
void tact_pairs_leave(tact_volumes* a, tact_volumes* b);

/// Asks for the pairs and leaves them in a->pairs: tact_pairs_find without the copy. `count` may be NULL.
tact_result tact_pairs_run(tact_volumes* a, tact_volumes* b, tact_pairs_method method, size_t* count,
                           const tact_query_options* options, tact_query_report* report);

/// The same with all there is to say.
tact_result tact_pairs_answer(tact_pairs_arguments* q, const tact_query_options* options, tact_query_report* report);

/// The same for another query, by the backend that this runs on: without dispatch or a record. With q->stay a device
/// may leave the pairs in q->there. Adds to the report's times and memory.
tact_result tact_pairs_run_on(tact_pairs_arguments* q, uint32_t device, const tact_query_options* options,
                              tact_query_report* report);

/// A call that asks for the pairs.
tact_call tact_pairs_call(tact_pairs_arguments* q);

/// Copies what the query's sets read from device arrays, if they do, to the host. Errors: the device's, OUT_OF_MEMORY.
tact_result tact_pairs_fetch(const tact_pairs_arguments* q);

/// Errors: INVALID_ARGUMENT (`b` is `a`, or of another context; no such method).
/// The pairs go to the work's device_pairs.
tact_result tact_pairs_find_on_device(tact_volumes* a, const tact_pairs_work* work, const tact_query_options* given,
                                      tact_query_report* report);

tact_result tact_pairs_check_arguments(const tact_volumes* a, const tact_volumes* b, tact_pairs_method method);

/// A method, as the cost model names it; NULL for AUTO.
const char* tact_pairs_cost_method(tact_pairs_method method);

/// The query as the CPU's methods see it, all of it. `options` with threads other than 0.
tact_pairs_job tact_pairs_job_of(const tact_pairs_arguments* q, const tact_query_options* options);

/// Finds the job's pairs, [from, end) only, by definition and compares them. Errors: SHADOW_MISMATCH, OUT_OF_MEMORY.
tact_result tact_pairs_compare_with_reference(const tact_pairs_job* job, const tact_pair* got, uint64_t count);

/// For tests, while no query runs: tact_pairs_each finds this many pairs at a time at least. 0: the usual 2^20.
void tact_pairs_limit_each(size_t least);
