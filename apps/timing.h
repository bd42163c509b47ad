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

typedef struct tact_raycast_work {
    tact_context* context;
    tact_scene* scene;
    tact_ray_mode mode;
    const tact_ray* rays;
    size_t count;
    tact_hit* hits;
    tact_query_options options;
    tact_progress* progress;  ///< NULL: none
    uint64_t repeat;          ///< at least 1
    bool warm_up;             ///< one more before, not timed, which also builds kernels and uploads the scene
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
