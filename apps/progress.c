// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/timing.h"

#include <stdio.h>
#include <string.h>

#include "apps/system.h"

enum { BAR_WIDTH = 20, TICK_MS = 200 };

/// Shown now: what begins while it runs is a part of it, and not shown by itself.
static const tact_progress* shown_now;

static bool silent;

void tact_progress_silence(void)
{
    silent = true;
}

void tact_progress_start(tact_progress* progress, const char* what, bool quiet)
{
    const bool within = shown_now && shown_now != progress;
    *progress = (tact_progress){.what = what, .quiet = quiet || silent || within};
    progress->terminal = tact_system_is_terminal(stderr);
    progress->started = progress->printed = tact_system_milliseconds();
    if (!within) shown_now = progress;
}

void tact_progress_items(tact_progress* progress, double items, const char* unit)
{
    progress->items = items;
    progress->unit = unit;
}

static int put_duration(char* text, size_t size, double seconds)
{
    if (seconds < 90.0) return snprintf(text, size, "%.0f s", seconds);
    if (seconds < 5400.0) return snprintf(text, size, "%.0f min", seconds / 60.0);
    return snprintf(text, size, "%.1f h", seconds / 3600.0);
}

void tact_progress_describe(const tact_progress* progress, double fraction, double elapsed, char* text, size_t size)
{
    size_t used = 0;
    if (!(fraction >= 0.0)) {
        put_duration(text, size, elapsed);
        return;
    }
    used += (size_t)snprintf(text, size, "%3d %%", fraction >= 1.0 ? 100 : (int)(fraction * 100.0));
    if (progress->items > 0.0 && elapsed > 0.0 && used < size) {
        used += (size_t)snprintf(text + used, size - used, ", %.3g M %s/s", fraction * progress->items / elapsed * 1e-6,
                                 progress->unit);
    }
    if (fraction > 0.0 && fraction < 1.0 && used + 8 < size) {
        char left[32];
        put_duration(left, sizeof left, elapsed * (1.0 - fraction) / fraction);
        snprintf(text + used, size - used, ", %s left", left);
    }
}

static void draw_bar(tact_progress* progress, double fraction, const char* text)
{
    char bar[BAR_WIDTH + 1];
    int length;
    const int full = progress->percent * BAR_WIDTH / 100;
    for (int i = 0; i < BAR_WIDTH; ++i)
        bar[i] = i < full ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    if (fraction >= 0.0) {
        length = fprintf(stderr, "\r%s [%s] %s", progress->what, bar, text);
    } else {
        length = fprintf(stderr, "\r%s %s", progress->what, text);
    }
    // What is left of a longer line before.
    if (length < progress->width) fprintf(stderr, "%*s", progress->width - length, "");
    progress->width = length;
    fflush(stderr);
}

/// Whether a line is due where no bar is drawn: one for each tenth, or where that is not known for each ten seconds, so
/// that a log stays short.
static bool is_due(const tact_progress* progress, double fraction, int percent, double now)
{
    if (!progress->shown) return true;
    return fraction >= 0.0 ? percent / 10 != progress->percent / 10 : now - progress->printed >= 1e4;
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
    char text[128];
    tact_progress_describe(progress, fraction, (now - progress->started) * 1e-3, text, sizeof text);
    if (progress->terminal) {
        if (now - progress->printed < 100.0 && percent != 100) return true;
        progress->percent = percent;
        draw_bar(progress, fraction, text);
    } else {
        if (!is_due(progress, fraction, percent, now)) return true;
        progress->percent = percent;
        fprintf(stderr, "%s: %s\n", progress->what, text + strspn(text, " "));
    }
    progress->printed = now;
    progress->shown = true;
    return true;
}

void tact_progress_end(tact_progress* progress)
{
    if (progress->shown && progress->terminal) {
        fprintf(stderr, "\r%*s\r", progress->width, "");
        fflush(stderr);
    }
    progress->shown = false;
    if (shown_now == progress) shown_now = NULL;
}

// ---- What says nothing of how far it is ----

static void tick(void* user)
{
    tact_waiting* waiting = user;
    const unsigned done = waiting->thousandths;
    tact_progress_update(done == TACT_WAITING_UNKNOWN ? -1.0 : (double)done * 1e-3, &waiting->progress);
}

void tact_waiting_start(tact_waiting* waiting, const char* doing, const char* what)
{
    waiting->thousandths = TACT_WAITING_UNKNOWN;
    snprintf(waiting->text, sizeof waiting->text, "%s%s%s", doing, what ? " " : "", what ? what : "");
    tact_progress_start(&waiting->progress, waiting->text, false);
    waiting->ticker = waiting->progress.quiet ? NULL : tact_system_ticker_start(TICK_MS, tick, waiting);
}

void tact_waiting_at(tact_waiting* waiting, double fraction)
{
    waiting->thousandths = (unsigned)(fraction * 1e3);
}

void tact_waiting_end(tact_waiting* waiting)
{
    tact_system_ticker_stop(waiting->ticker);
    tact_progress_end(&waiting->progress);
}
