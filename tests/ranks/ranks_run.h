// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What tests over ranks share. Every rank makes the same inputs, asks for its part of them with all others, and by
/// itself for the whole, and compares. A rank that finds a difference says so and ends all of them.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/mpi.h"
#include "tact/ranks_queries.h"

typedef struct ranks_run {
    tact_context* context;
    tact_ranks* ranks;
    uint32_t rank, count;
} ranks_run;

/// Starts MPI and makes the group; says how many ranks there are.
void ranks_begin(ranks_run* run, int* argc, char*** argv);

/// Says that the test passed, and ends. Returns the exit code.
int ranks_end(ranks_run* run, const char* name);

/// Ends all ranks, with a line that says where, unless the condition holds.
#define REQUIRE(run, condition) ranks_require((run), (condition), #condition, __FILE__, __LINE__)
void ranks_require(const ranks_run* run, bool condition, const char* text, const char* file, int line);

/// The same of a call's result.
#define REQUIRE_RESULT(run, result, expected) ranks_require_result((run), (result), (expected), __FILE__, __LINE__)
void ranks_require_result(const ranks_run* run, tact_result result, tact_result expected, const char* file, int line);

/// How inputs are dealt out.
typedef enum ranks_deal {
    DEAL_EVEN,
    DEAL_UNEVEN,  ///< some have nothing, others much
    DEAL_FIRST,   ///< rank 0 has all
    DEAL_LAST,    ///< the last rank has all
    DEAL_COUNT
} ranks_deal;

/// This rank's part of `count` inputs: *own of them from *begin on.
void ranks_part(const ranks_run* run, ranks_deal deal, size_t count, size_t* begin, size_t* own);

/// Lets rank `victim` run out of memory at its allocation number 0, 1, 2, ... in a query, until it needs no more, and
/// requires that all ranks get the same result each time. Returns how often it ran out.
typedef tact_result ranks_query(ranks_run* run, void* user);
unsigned ranks_starve(ranks_run* run, uint32_t victim, ranks_query* query, void* user);
