// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file calibrate.h
/// Measures what queries cost on the devices at hand, so that `auto` chooses by that and not by the rates of an
/// ordinary desktop. docs/dispatch.md describes the method. Calibration may change the device that runs a query, never
/// the result where devices are exact.
///
/// Calibrations are kept in the user's cache folder (tact_context_desc.cache_directory), one file for each device,
/// driver and version of the library, and are read at a context's first query. Files are replaced whole, so that
/// contexts and processes may calibrate at the same time: the last one counts.
///
/// Without a calibration, the first query of its kind with `auto` on a context that has a hardware device measures that
/// kind for about 100 ms, and the time that the drivers take to build its kernels, and keeps that as well.
/// A device that is expected to be the slower one is tried now and then, for at most a hundredth of the time, so that a
/// wrong expectation heals. tact_context_desc.disable_calibration and TACT_CALIBRATE=0 in the environment switch both
/// off.

#include "tact/context.h"

/// Options of tact_calibrate() and tact_measure_regret(). All bits zero asks for the defaults, which suit most uses.
typedef struct tact_calibrate_options {
    double seconds;  ///< for everything; 0: 20, for regret 100. At least two sizes of each query are measured on each
                     ///< device, and the time that drivers take to build kernels comes on top
    bool temporary;  ///< do not keep it: it counts for this context alone
    tact_progress_fn* progress;  ///< may be NULL; false: cancel
    void* progress_user;         ///< passed to `progress`
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_calibrate_options;

/// Measures every query on every device of the context. Takes some 200 MB of memory at most. `options` may be NULL.
/// Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, CANCELLED; what was measured until then counts for the context. A device
/// that fails is logged and left uncalibrated. INCOMPLETE: the calibration could not be kept.
TACT_API tact_result tact_calibrate(tact_context* context, const tact_calibrate_options* options);

/// Forgets what was calibrated and learned, and removes what is kept of the context's devices. Errors:
/// INVALID_ARGUMENT; INCOMPLETE: a file could not be removed.
TACT_API tact_result tact_calibration_forget(tact_context* context);

/// The calibration of one query on one device: expected milliseconds are the terms that tact_explain() shows, each by
/// the rates of an ordinary desktop, times these coefficients.
typedef struct tact_calibration_entry {
    tact_backend backend;   ///< the device's
    char query[64];         ///< "casting rays/closest"
    bool calibrated;        ///< false: only runs of queries were measured
    int64_t calibrated_on;  ///< days since 1970-01-01
    uint32_t samples;       ///< measurements it was fitted to
    double error;           ///< median of |ln(expected / measured)| over them: 0.1 is about 10 %
    double fixed, prepare, work, upload, download;  ///< coefficients; 1 where not calibrated
    uint64_t runs;                                  ///< runs that the context has measured
    uint64_t reserved[4];                           ///< zeros: room for fields to come
} tact_calibration_entry;

/// Gets entry number `index`, from 0 on. Errors: INVALID_ARGUMENT (NULL; no such entry).
TACT_API tact_result tact_calibration_get(tact_context* context, uint32_t index, tact_calibration_entry* entry);

/// One size of one sample query, run on each device and by `auto`, in turn. The time of short calls is the mean of a
/// few in a row, each after one that is not timed.
typedef struct tact_regret_point {
    char query[64];                 ///< "casting rays/closest"
    char items[32];                 ///< what `size` counts: "rays"
    uint64_t size;                  ///< how many of them
    double ms[TACT_BACKEND_COUNT];  ///< medians, by backend; 0: not measured. AUTO: by `auto`
    tact_backend chosen;            ///< by `auto`, most of the time
    tact_backend best;              ///< the device of the least time
    uint32_t rounds;                ///< in which both `auto` and the best device ran
    double regret;  ///< time of `auto` divided by that of the best device in the same round: the median. Slightly above
                    ///< 1 where `auto` chooses it; noise can bring it below 1
    double low, high;  ///< the quartiles of that
    double choice;  ///< the same of the chosen device, when forced: 1 where it is the best. The rest of the regret is
                    ///< the time to choose, and noise
} tact_regret_point;

/// Receives each point. Return false to cancel.
typedef bool tact_regret_fn(const tact_regret_point* point, void* user);

/// Measures how much longer `auto` takes than the best device: over the sizes between those that calibration measures,
/// each device runs in turn, and `auto`. Where regret or choice comes near 1.15 or over, there are more rounds. Only
/// `auto` learns meanwhile. `options->seconds`: 0: 100; further rounds come on top. Errors: as tact_calibrate().
TACT_API tact_result tact_measure_regret(tact_context* context, const tact_calibrate_options* options,
                                         tact_regret_fn* receive, void* user);
