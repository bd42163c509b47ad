// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Repeated, timed ray casts.

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

typedef struct tact_raycast_work {
    tact_context* context;
    tact_scene* scene;
    tact_ray_mode mode;
    const tact_ray* rays;
    size_t count;
    tact_hit* hits;
    tact_query_options options;
    tact_progress* progress;      ///< NULL: none
    uint64_t repeat;              ///< at least 1
    bool warm_up;                 ///< one more before, not timed, which also builds kernels and uploads the scene
    const tact_ray_rules* rules;  ///< NULL: none
} tact_raycast_work;

typedef struct tact_raycast_timing {
    tact_query_report report;  ///< of the last run
    tact_spread upload, query, download;
    tact_spread run;      ///< the three together
    double build_ms;      ///< kernels and what else the first run built
    double first_upload;  ///< of the first run: with the scene
    double first_ms;      ///< all of the first run
    tact_digest digest;
} tact_raycast_timing;

/// Runs the work. Runs that give different bytes are a problem with exit code 1.
bool tact_time_raycast(const tact_raycast_work* work, tact_raycast_timing* timing, tact_problem* problem);
