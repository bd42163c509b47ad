// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file explain.h
/// The reason for a query's device: the expected time of each device, and its outcome. docs/dispatch.md describes how
/// the dispatcher chooses.

#include "tact/context.h"

/// The outcome for a device.
typedef enum tact_candidate_fate {
    TACT_CANDIDATE_ANSWERED = 0,
    TACT_CANDIDATE_DEARER = 1,      ///< another was expected to take less time
    TACT_CANDIDATE_FAILED = 2,      ///< it was tried; `why` has the reason
    TACT_CANDIDATE_NOT_ASKED = 3,   ///< the caller, or the state of the object, selected another
    TACT_CANDIDATE_LOST = 4,        ///< it failed for good before
    TACT_CANDIDATE_MISSING = 5,     ///< the context has none
    TACT_CANDIDATE_UNSUITABLE = 6,  ///< this query does not run there
    TACT_CANDIDATE_NOT_OPEN = 7,    ///< devices are opened once the CPU has taken as long as opening them does
    TACT_CANDIDATE_FATE_COUNT = 8
} tact_candidate_fate;

/// One backend and its expected time. Milliseconds; all zero where nothing could be expected.
typedef struct tact_candidate {
    tact_backend backend;      ///< any but AUTO
    tact_candidate_fate fate;  ///< its outcome
    char device[128];          ///< empty where MISSING
    double fixed_ms;           ///< of every call
    double prepare_ms;         ///< building what the query needs
    double work_ms;            ///< the query itself
    double upload_ms;          ///< to the device; what lies there already costs nothing
    double download_ms;        ///< from it
    double expected_ms;        ///< the sum
    double measured_ms;        ///< its time; 0 where it did not run the query
    bool calibrated;           ///< by tact_calibrate() on this machine; else by the rates of an ordinary desktop
    int64_t calibrated_on;     ///< days since 1970-01-01; 0 where not calibrated
    uint32_t learned_runs;     ///< runs of this context that corrected the expectation
    double learned_factor;     ///< by how much; 1 where there are none
    char why[256];             ///< one sentence
} tact_candidate;

/// Room for candidates: more than a query has, since backends may be added.
enum { TACT_CANDIDATES_MAX = 8 };

/// The last query of a context.
typedef struct tact_explanation {
    char query[64];         ///< "casting rays"; empty before the first
    char method[32];        ///< "closest"; empty where the query has no such
    tact_backend asked;     ///< the backend selected by the caller or, where that is AUTO, by the object
    tact_backend answered;  ///< the one that ran it; AUTO: none
    uint32_t count;         ///< of candidates
    /// In the order of tact_backend; the reference only where it was selected.
    tact_candidate candidates[TACT_CANDIDATES_MAX];
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_explanation;

/// Returns "answered", "dearer", "failed", "not asked", "lost", "missing" or "unsuitable"; "?" for anything else.
/// Thread-safe.
TACT_API const char* tact_candidate_fate_name(tact_candidate_fate fate);

/// Explains the last query of the context, finished or failed. The explanation stays until the next query. Where a
/// backend was forced, nothing is expected of the others unless it failed. Errors: INVALID_ARGUMENT (NULL; no query
/// yet).
TACT_API tact_result tact_explain(const tact_context* context, tact_explanation* explanation);
