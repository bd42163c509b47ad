// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What queries of distances have in common: how each backend runs them, and how answers are compared.

#include "core/bodies/bodies.h"
#include "core/query/ask.h"

typedef struct tact_gaps_arguments {
    tact_bodies* set;
    bool whole;                     ///< `pairs` are all of the set that may touch, which the backend finds
    const tact_pair* pairs;         ///< NULL: `nearest`
    const tact_gap_asked* nearest;  ///< whose rows stand after those of the bodies
    size_t count;                   ///< of pairs, about as many where they are found, or of `nearest`
    float farthest;                 ///< of all; TACT_GAP_ENDLESS: no limit
    bool overlap;
    tact_gap_rows* answer;  ///< receives a row of each ask
    size_t row_bytes;
    /// Writes the row number `i`, which is all zeros.
    void (*put)(const tact_gaps_job* job, size_t i, const tact_gap_best* best, void* row);
} tact_gaps_arguments;

tact_result tact_gaps_run_host(tact_context* context, uint32_t device, void* arguments,
                               const tact_query_options* options, tact_query_report* report);
tact_cost tact_gaps_cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments);
#ifdef TACT_HAVE_GPU
tact_result tact_gaps_run_device(tact_context* context, uint32_t index, void* arguments,
                                 const tact_query_options* options, tact_query_report* report);
tact_cost tact_gaps_cost_device(const tact_device_info* device, uint32_t index, const void* arguments);
#endif

/// A row's compare() and answer().
tact_result tact_gaps_compare(tact_context* context, void* arguments, const tact_query_options* options);
void tact_gaps_answer(const void* arguments, tact_record_call* record);

/// The end of a find whose query came to `result`: copies the rows to the caller's array, where there is one.
tact_result tact_gaps_give(tact_result result, const tact_gaps_arguments* a, void* rows, size_t capacity, size_t* count,
                           const tact_query_options* options);

/// Rows of the last find; NULL: no set.
const void* tact_gaps_last(const tact_gap_rows* found, size_t* count);
