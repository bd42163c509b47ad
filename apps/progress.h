// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How far long work has come, on standard error: a bar on a terminal, lines of percentages elsewhere, nothing for
/// work of less than a second.

#include <stdbool.h>
#include <stdint.h>

typedef struct tact_progress {
    const char* what;
    bool quiet, terminal;
    bool shown;
    uint64_t part, parts;     ///< the work is `parts` equal parts, of which `part` are done; parts 0 counts as 1
    double started, printed;  ///< milliseconds
    int percent;              ///< last one shown
} tact_progress;

void tact_progress_start(tact_progress* progress, const char* what, bool quiet);

/// How far the present part is. Fits tact_progress_fn; `user` is the tact_progress. Never cancels.
bool tact_progress_update(double fraction, void* user);

/// Wipes the bar.
void tact_progress_end(tact_progress* progress);
