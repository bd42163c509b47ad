// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/timing.h"

#include <stdio.h>
#include <string.h>

#include "apps/system.h"

enum { BAR_WIDTH = 40 };

void tact_progress_start(tact_progress* progress, const char* what, bool quiet)
{
    *progress = (tact_progress){.what = what, .quiet = quiet};
    progress->terminal = tact_system_is_terminal(stderr);
    progress->started = progress->printed = tact_system_milliseconds();
}

static void draw_bar(const tact_progress* progress)
{
    char bar[BAR_WIDTH + 1];
    const int full = progress->percent * BAR_WIDTH / 100;
    for (int i = 0; i < BAR_WIDTH; ++i)
        bar[i] = i < full ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3d %%", progress->what, bar, progress->percent);
    fflush(stderr);
}

bool tact_progress_update(double fraction, void* user)
{
    tact_progress* progress = user;
    if (tact_system_signal()) return false;
    if (progress->quiet) return true;
    const double now = tact_system_milliseconds();
    if (now - progress->started < 1000.0) return true;
    if (progress->parts) fraction = ((double)progress->part + fraction) / (double)progress->parts;
    const int percent = !(fraction > 0.0) ? 0 : fraction >= 1.0 ? 100 : (int)(fraction * 100.0);
    if (progress->terminal) {
        if (now - progress->printed < 100.0 && percent != 100) return true;
        progress->percent = percent;
        draw_bar(progress);
    } else {
        // A line for each tenth, so that a log stays short.
        if (progress->shown && percent / 10 == progress->percent / 10) return true;
        progress->percent = percent;
        fprintf(stderr, "%s: %d %%\n", progress->what, percent);
    }
    progress->printed = now;
    progress->shown = true;
    return true;
}

void tact_progress_end(tact_progress* progress)
{
    if (progress->shown && progress->terminal) {
        fprintf(stderr, "\r%*s\r", (int)strlen(progress->what) + BAR_WIDTH + 9, "");
        fflush(stderr);
    }
    progress->shown = false;
}
