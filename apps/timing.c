// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/timing.h"

#include <stdlib.h>
#include <string.h>

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

bool tact_time_raycast(const tact_raycast_work* work, tact_raycast_timing* timing, tact_problem* problem)
{
    *timing = (tact_raycast_timing){0};
    const size_t repeat = (size_t)work->repeat;
    double* samples = malloc(4 * repeat * sizeof *samples);
    if (!samples) return tact_problem_out_of_memory(problem, "the measurements");
    double *upload = samples, *query = upload + repeat, *download = query + repeat, *run = download + repeat;
    const size_t runs = repeat + (work->warm_up ? 1 : 0);
    tact_query_options options = work->options;
    if (work->progress) {
        options.progress = tact_progress_update;
        options.progress_user = work->progress;
        work->progress->parts = runs;
    }
    bool good = true;
    for (size_t i = 0; i < runs && good; ++i) {
        if (work->progress) work->progress->part = i;
        tact_query_report* report = &timing->report;
        const tact_result result = tact_raycast_with(work->scene, work->mode, work->rays, work->count, work->rules,
                                                     work->hits, &options, report);
        if (result < 0) {
            good = tact_problem_from_result(problem, result, work->context, "ray casts");
            break;
        }
        const tact_digest digest = tact_digest_of(work->hits, work->count * sizeof *work->hits);
        if (i == 0) {
            timing->build_ms = report->build_ms;
            timing->first_upload = report->upload_ms;
            timing->first_ms = report->total_ms;
            timing->digest = digest;
        } else if (strcmp(digest.text, timing->digest.text) != 0) {
            good = tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                                    tact_backend_name(report->backend), timing->digest.text, digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
        }
        if (work->warm_up && i == 0) continue;
        const size_t k = i - (work->warm_up ? 1 : 0);
        upload[k] = report->upload_ms;
        query[k] = report->query_ms;
        download[k] = report->download_ms;
        run[k] = upload[k] + query[k] + download[k];
    }
    if (good) {
        timing->upload = tact_spread_of(upload, repeat);
        timing->query = tact_spread_of(query, repeat);
        timing->download = tact_spread_of(download, repeat);
        timing->run = tact_spread_of(run, repeat);
    }
    free(samples);
    return good;
}
