// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/timing.h"

#include <stdlib.h>

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

tact_spread tact_spread_of(double* values, size_t count)
{
    if (count == 0) return (tact_spread){0};
    qsort(values, count, sizeof *values, compare);
    const double middle = count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
    return (tact_spread){middle, values[0], values[count - 1]};
}

enum { PHASES = 4 };

bool tact_phase_times_start(tact_phase_times* times, size_t room, tact_problem* problem)
{
    tact_phase_times_free(times);
    if (room > SIZE_MAX / (PHASES * sizeof(double)) - 1) return tact_problem_out_of_memory(problem, "the measurements");
    times->samples = malloc((room + 1) * PHASES * sizeof(double));
    if (!times->samples) return tact_problem_out_of_memory(problem, "the measurements");
    times->room = room;
    return true;
}

void tact_phase_times_add(tact_phase_times* times, const tact_query_report* report)
{
    if (times->runs == times->room) return;
    const double ms[PHASES] = {report->build_ms, report->upload_ms, report->query_ms, report->download_ms};
    for (size_t i = 0; i < PHASES; ++i)
        times->samples[i * times->room + times->runs] = ms[i];
    ++times->runs;
}

static void report_phases(const tact_phase_times* times, bool sums, tact_query_report* report)
{
    double* const to[PHASES] = {&report->build_ms, &report->upload_ms, &report->query_ms, &report->download_ms};
    report->total_ms = 0.0;
    for (size_t i = 0; i < PHASES; ++i) {
        double* samples = times->samples + i * times->room;
        double sum = 0.0;
        for (size_t k = 0; k < times->runs; ++k)
            sum += samples[k];
        *to[i] = sums ? sum : tact_spread_of(samples, times->runs).median;
        report->total_ms += *to[i];
    }
}

void tact_phase_times_report(const tact_phase_times* times, tact_query_report* report)
{
    report_phases(times, false, report);
}

void tact_phase_times_sums(const tact_phase_times* times, tact_query_report* report)
{
    report_phases(times, true, report);
}

void tact_phase_times_free(tact_phase_times* times)
{
    free(times->samples);
    *times = (tact_phase_times){0};
}
