// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What all queries over ranks have in common.

#include "core/context/context.h"
#include "core/ranks/ranks.h"
#include "tact/ranks_queries.h"

/// Begins a query: false, with the detail set, where there is no context at all to fail in.
bool tact_ranks_enter(tact_ranks* ranks, const tact_context* context, const char* name,
                      const tact_query_options* options);

/// Whether this rank may ask: what is asked is of the group's context, and no ticket is wanted. `context` is of what is
/// asked, called `name`; NULL: there is none. Errors: INVALID_ARGUMENT, UNSUPPORTED. Not collective.
tact_result tact_ranks_check(const tact_ranks* ranks, tact_context* context, const char* name,
                             const tact_query_options* options);

/// Fails where the `count` numbers are not the same on all ranks, of which there are 16 at most: INVALID_ARGUMENT with
/// a detail that begins with `what`.
tact_result tact_ranks_same(tact_ranks* ranks, const uint64_t* numbers, size_t count, const char* what);

/// Adds what a second part of the answer took to a report, which has the first; where there was none it is the second.
void tact_ranks_add_report(tact_query_report* report, const tact_query_report* more, bool first);

/// Ends a report of a query that began at `start` milliseconds: what was not this rank's own search was given to
/// others, came from them or was waited for.
void tact_ranks_end_report(tact_query_report* report, double start);

/// Whether rays can be cast over ranks. Errors: as tact_raycast_with(), UNSUPPORTED. Not collective.
tact_result tact_ranks_check_cast(tact_scene* scene, const tact_raycast_work* work, const tact_ranks* ranks);

/// What must be the same on all ranks that cast rays.
enum { TACT_RANKS_CAST_FACTS = 6 };
void tact_ranks_cast_facts(const tact_raycast_work* work, uint64_t facts[TACT_RANKS_CAST_FACTS]);
