// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Times of repeated queries.

#include "apps/digest.h"
#include "apps/problem.h"
#include "apps/progress.h"

/// Of repeated measurements, in milliseconds.
typedef struct tact_spread {
    double median, low, high;
} tact_spread;

/// Sorts the values in place. All zero for none.
tact_spread tact_spread_of(double* values, size_t count);

/// The phases of repeated runs of any query.
typedef struct tact_phase_times {
    double* samples;  ///< from malloc
    size_t runs, room;
} tact_phase_times;

/// Room for so many runs, of which there are none yet. All zero is allowed for the old ones.
bool tact_phase_times_start(tact_phase_times* times, size_t room, tact_problem* problem);
/// Adds a run's times; what there is no room for is left out.
void tact_phase_times_add(tact_phase_times* times, const tact_query_report* report);
/// Puts each phase's median into the report, and their sum as total.
void tact_phase_times_report(const tact_phase_times* times, tact_query_report* report);
/// The same with the sums over all runs.
void tact_phase_times_sums(const tact_phase_times* times, tact_query_report* report);
void tact_phase_times_free(tact_phase_times* times);
