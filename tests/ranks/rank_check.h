// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How programs of ranks begin, and how they end when something differs.

#include "tact/tact.h"

extern int rank, rank_count;

/// Starts MPI, and says how many ranks there are; `what` are the arguments, at least `least` of them, of which the
/// first is the number of ranks.
void rank_begin(int* argc, char*** argv, int least, const char* what);

/// Ends all ranks, with a line that says why.
void fail(const char* what, const char* detail);

/// Ends all ranks if a call failed.
void check(tact_result result, const char* what);
