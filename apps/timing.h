// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"
#include "base/compiler.h"

/// XXH64 (seed 0) of an array's bytes as 16 hexadecimal digits: equal digests mean equal results.
typedef struct tact_digest {
    char text[17];
} tact_digest;

tact_digest tact_digest_of(const void* bytes, size_t size);

// How far long work has come, on standard error: a bar on a terminal, lines of percentages elsewhere, nothing for
// work of less than a second.

typedef struct tact_progress {
    const char* what;
    bool quiet, terminal;
    bool shown;
    uint64_t part, parts;     ///< the work is `parts` equal parts, of which `part` are done; parts 0 counts as 1
    double started, printed;  ///< milliseconds
    int percent;              ///< last one shown
    int width;                ///< of what stands on the terminal
    double items;             ///< of all parts, for a rate; 0: none is shown
    const char* unit;
} tact_progress;

/// Nothing is shown from now on.
void tact_progress_silence(void);

/// One that starts while another runs is a part of that, and silent.
void tact_progress_start(tact_progress* progress, const char* what, bool quiet);

/// How many items all the work has, such as "rays", so that their rate is shown.
void tact_progress_items(tact_progress* progress, double items, const char* unit);

/// What is shown after so many seconds: the percentage, the rate, the time left; of a fraction below 0, which is not
/// known, the time so far.
void tact_progress_describe(const tact_progress* progress, double fraction, double elapsed, char* text, size_t size);

/// How far the present part is. Fits tact_progress_fn; `user` is the tact_progress. False,
/// which cancels, once a signal was noted.
bool tact_progress_update(double fraction, void* user);

/// Wipes the bar.
void tact_progress_end(tact_progress* progress);

// Work that reports nothing, and is shown by a thread beside it, with the time so far; on Windows it is not shown.

enum { TACT_WAITING_UNKNOWN = 0xffff };

typedef struct tact_waiting {
    tact_progress progress;
    TACT_ATOMIC(unsigned) thousandths;  ///< how far it is, or TACT_WAITING_UNKNOWN
    struct tact_ticker* ticker;
    char text[160];
} tact_waiting;

/// `doing` and `what`, which may be NULL, are copied: "reading" "bunny.obj".
void tact_waiting_start(tact_waiting* waiting, const char* doing, const char* what);
/// How far it is, from 0 to 1, where that is known.
void tact_waiting_at(tact_waiting* waiting, double fraction);
void tact_waiting_end(tact_waiting* waiting);

// Times of repeated queries.

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
