// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Everything that the library answers, on small inputs: for tests of what happens when memory or a device fails in the
/// middle, and for runs of many hours. Each entry makes what it needs, asks, changes it, asks again, and destroys it.
/// The rows of the queries are entries, with all calls that they make up; others are what no row tells: objects that
/// change, and functions that are no query.

#include "core/queries.h"
#include "tact/tact.h"
#include "tests/support/counting_allocator.h"

enum { EVERY_QUERY_BYTES = 1 << 16, EVERY_QUERY_PARTS = 256 };

/// Where queries run, and what came of them.
/// What one of a run's queries answered: the bytes from here to the next part.
typedef struct query_part {
    size_t begin;
    bool elsewhere;  ///< by another backend than the one that was asked for, which failed
} query_part;

typedef struct query_world query_world;
struct query_world {
    tact_context* context;
    const tact_allocator* allocator;  ///< of functions without a context
    tact_query_options options;       ///< of every query
    uint64_t seed;                    ///< of the input; the same seed gives the same answer
    tact_backend like;                ///< only what this backend answers is asked; AUTO: what that of the options does

    /// Asked when a call failed: whether to make it again. `what` is the call's text; `of_context`: it left a detail
    /// in the context. NULL: no.
    bool (*again)(query_world* w, tact_result result, const char* what, bool of_context);
    void* user;
    /// Takes what a call returned, and the report that it was given or NULL, before the answer is looked at. NULL: no.
    tact_result (*returned)(query_world* w, tact_result result, const tact_query_report* report);

    // What follows is written by the run.
    const char* failed;  ///< text of the call that failed for good
    uint32_t failures;   ///< of the reports, in sum
    char reason[512];    ///< of the last report with failures
    size_t part_count;   ///< queries that left a report
    query_part parts[EVERY_QUERY_PARTS];
    size_t size;  ///< of the answer
    uint8_t answer[EVERY_QUERY_BYTES];
};

typedef struct every_query {
    const char* name;
    tact_result (*run)(query_world* w);
    const tact_query* row;  ///< which makes up what is asked; NULL: written by hand, for all backends
    bool host;              ///< no device takes part
    bool gl_only;           ///< no other backend answers
    /// What the CPU does in place of each query of a device that failed, and may give other bytes. NULL: the same.
    tact_result (*instead)(query_world* w);
    bool no_query;  ///< takes no options: it is the host's affair
} every_query;

extern const every_query every_queries[];
extern const size_t every_query_count;

bool every_query_runs_on(const every_query* q, tact_backend backend);

/// Runs one from the beginning. The context must have no objects left when it returns, whatever it returns.
tact_result every_query_run(const every_query* q, query_world* w);
