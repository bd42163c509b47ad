// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/system.h"

/// Above this a contestant has no other turn.
#define TOO_SLOW_MS 20000.0

/// After so many rounds it is clear who is far behind.
enum { CLEAR_ROUNDS = 2 };

/// Peers' threads, such as OpenMP's, look for more work for some milliseconds before they sleep; they would take a
/// processor from the next in turn.
static void wait_for_threads(void)
{
    const double end = tact_system_milliseconds() + 12.0;
    while (tact_system_milliseconds() < end) {
    }
}

static bool take_turn(const tact_rounds* rounds, tact_contestant* who, uint64_t round, tact_problem* problem)
{
    double ms = 0.0;
    if (who->left_out) return true;
    if (!rounds->run(rounds->own, who, round, &ms, problem)) return false;
    if (round == 0) {
        who->first_ms = who->least_ms = ms;
    } else {
        who->samples[round - 1] = ms;
        who->samples[rounds->repeat + round - 1] = who->fill_ms;
        who->samples[2 * rounds->repeat + round - 1] = who->report.build_ms;
    }
    who->least_ms = fmin(who->least_ms, ms);
    if (who->report.query_ms > 0.0 && (!(who->least_query_ms > 0.0) || who->report.query_ms < who->least_query_ms))
        who->least_query_ms = who->report.query_ms;
    return true;
}

/// All of a contestant's rounds, or all contestants in one. A signal stops it.
static bool take_turns(const tact_rounds* rounds, tact_problem* problem)
{
    const uint64_t turns = rounds->repeat + 1, steps = turns * rounds->count;
    bool after_peer = false;
    for (uint64_t step = 0; step < steps; ++step) {
        const uint64_t round = rounds->alone ? step % turns : step / rounds->count;
        size_t at = (size_t)(rounds->alone ? step / turns : step % rounds->count);
        if (!rounds->alone && round % 2 == 1) at = rounds->count - 1 - at;
        if (rounds->progress) tact_progress_update((double)step / (double)steps, rounds->progress);
        tact_contestant* who = &rounds->all[at];
        // What took so long once is not asked again.
        if (round > 0 && who->first_ms > TOO_SLOW_MS && at > 0) {
            who->samples[round - 1] = who->first_ms;
            continue;
        }
        if (after_peer && !who->peer && !who->left_out) wait_for_threads();
        if (!take_turn(rounds, who, round, problem)) return false;
        if (tact_system_signal() && step + 1 < steps) return tact_problem_stop(problem, "in a measurement");
        if (!who->left_out) after_peer = who->peer != NULL;
        if (rounds->leave_out && round == CLEAR_ROUNDS && step % rounds->count == rounds->count - 1)
            rounds->leave_out(rounds->own);
    }
    return true;
}

/// The samples stay in the order of the rounds.
static bool summarize(const tact_rounds* rounds, tact_problem* problem)
{
    const size_t repeat = (size_t)rounds->repeat;
    double* sorted = malloc((repeat + 1) * sizeof *sorted);
    if (!sorted) return tact_problem_out_of_memory(problem, "the times");
    for (size_t i = 0; i < rounds->count; ++i) {
        tact_contestant* who = &rounds->all[i];
        tact_spread* const of[3] = {&who->ms, &who->fill, &who->build};
        if (who->left_out) continue;
        who->rounds = repeat;
        for (size_t k = 0; k < repeat; ++k)
            sorted[k] = who->samples[k] / rounds->all[0].samples[k];
        who->paired = tact_spread_of(sorted, repeat).median;
        for (size_t part = 0; part < 3; ++part) {
            memcpy(sorted, who->samples + part * repeat, repeat * sizeof *sorted);
            *of[part] = tact_spread_of(sorted, repeat);
        }
    }
    free(sorted);
    return true;
}

void tact_rounds_to_json(cJSON* row, const tact_contestant* who)
{
    cJSON* times = tact_json_array(row, "rounds_ms");
    for (size_t k = 0; k < who->rounds; ++k)
        cJSON_AddItemToArray(times, cJSON_CreateNumber(who->samples[k]));
}

bool tact_rounds_run(const tact_rounds* rounds, tact_problem* problem)
{
    for (size_t i = 0; i < rounds->count; ++i) {
        tact_contestant* who = &rounds->all[i];
        if (!who->samples) who->samples = calloc(3 * (size_t)rounds->repeat + 1, sizeof *who->samples);
        if (!who->samples) return tact_problem_out_of_memory(problem, "the times");
    }
    return take_turns(rounds, problem) && summarize(rounds, problem);
}

void tact_contestants_free(tact_contestant* all, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        free(all[i].samples);
        all[i].samples = NULL;
    }
}
