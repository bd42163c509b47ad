// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/device_model.h"
#include "apps/commands.h"
#include "apps/system.h"
#include "tact/calibrate.h"

// `tact bench regret`: how much longer `auto` takes than the best device would have.

typedef struct regret_run {
    tact_bench_run run;
    uint64_t seconds;
    uint64_t count, near, right, choice_near;
    uint64_t constant_near[TACT_BACKEND_COUNT];  ///< points at which always taking a backend would be near the best
    double worst, worst_choice;
    const char* model_file;
    tact_device_model model;
    char worst_at[128], worst_choice_at[128], last_at[128];
} regret_run;

// What is aimed at: `auto` takes no more than that much longer than the best device at this share of the points, and
// nowhere more than twice as long.
static const double NEAR = 1.15, SHARE = 0.9, MOST = 2.0;

static void add_times(tact_report* r, const tact_regret_point* p)
{
    static const char* const heads[] = {">cpu ms", ">gl ms", ">cl ms", ">auto ms"};
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL, TACT_BACKEND_AUTO};
    cJSON* ms = tact_json_object(r->row, "ms");
    for (int i = 0; i < 4; ++i) {
        const double taken = p->ms[backends[i]];
        tact_report_number(r, heads[i], NULL, "%.4g", taken > 0.0 ? taken : (double)NAN);
        if (taken > 0.0) tact_json_time(ms, tact_backend_name(backends[i]), taken);
    }
}

static bool take_point(const tact_regret_point* p, void* user)
{
    regret_run* regret = user;
    char at[sizeof regret->worst_at];
    snprintf(at, sizeof at, "%s, %" PRIu64 " %s", p->query, p->size, p->items);
    ++regret->count;
    memcpy(regret->last_at, at, sizeof at);
    regret->near += p->regret <= NEAR;
    regret->choice_near += p->choice <= NEAR;
    regret->right += p->chosen == p->best;
    for (int b = TACT_BACKEND_CPU; b < TACT_BACKEND_COUNT; ++b)
        regret->constant_near[b] += p->ms[b] > 0.0 && p->ms[b] <= NEAR * p->ms[p->best];
    if (p->regret > regret->worst) {
        regret->worst = p->regret;
        memcpy(regret->worst_at, at, sizeof at);
    }
    if (p->choice > regret->worst_choice) {
        regret->worst_choice = p->choice;
        memcpy(regret->worst_choice_at, at, sizeof at);
    }
    tact_report* r = &regret->run.report;
    char size[64];
    snprintf(size, sizeof size, "%" PRIu64 " %s", p->size, p->items);
    tact_report_row(r);
    tact_report_text(r, "query", "query", p->query);
    tact_json_text(r->row, "items", p->items);
    tact_json_count(r->row, "size", p->size);
    tact_report_text(r, "size", NULL, size);
    add_times(r, p);
    tact_report_text(r, "chosen", "chosen", tact_backend_name(p->chosen));
    tact_report_text(r, "best", "best", tact_backend_name(p->best));
    tact_report_count(r, ">rounds", "rounds", p->rounds);
    tact_report_number(r, ">choice", "choice", "%.2f", p->choice);
    tact_report_number(r, ">regret", "regret", "%.2f", p->regret);
    tact_json_number(r->row, "regret_low", p->low);
    tact_json_number(r->row, "regret_high", p->high);
    return !tact_system_signal();
}

static const tact_backend constants[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};

/// The share of points at which a backend is within 15 % of the best.
static double near_always(const regret_run* run, tact_backend backend)
{
    return run->count > 0 ? (double)run->constant_near[backend] / (double)run->count : 0.0;
}

static bool report(regret_run* run, tact_problem* problem)
{
    const double count = run->count ? (double)run->count : 1.0, share = (double)run->near / count;
    const double choice_share = (double)run->choice_near / count;
    const bool stopped = tact_bench_is_stopped(&run->run);
    const bool held = run->count > 0 && share >= SHARE && run->worst <= MOST && !stopped;
    cJSON* root = run->run.report.root;
    if (run->run.common.json) {
        tact_json_count(root, "points_measured", run->count);
        tact_json_count(root, "right", run->right);
        tact_json_number(root, "choice_within_15_percent", choice_share);
        tact_json_number(root, "worst_choice", run->worst_choice);
        tact_json_text(root, "worst_choice_at", run->worst_choice_at);
        tact_json_number(root, "within_15_percent", share);
        tact_json_number(root, "worst", run->worst);
        tact_json_text(root, "worst_at", run->worst_at);
        cJSON* constant = tact_json_object(root, "always_within_15_percent");
        for (size_t i = 0; i < sizeof constants / sizeof constants[0]; ++i)
            tact_json_number(constant, tact_backend_name(constants[i]), near_always(run, constants[i]));
        tact_json_truth(root, "held", held);
        return tact_json_print(root, problem);
    }
    tact_report_print(&run->run.report);
    printf("\nchoice: the best device at %" PRIu64 " of %" PRIu64 " points, one within 15 %% of it at %" PRIu64
           " (%.1f %%); worst %.2f x (%s)\n",
           run->right, run->count, run->choice_near, 100.0 * choice_share, run->worst_choice, run->worst_choice_at);
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; ++i) {
        if (run->constant_near[constants[i]] == 0) continue;
        printf("always %s: %" PRIu64 " of %" PRIu64 " points within 15 %% of the best device (%.1f %%)\n",
               tact_backend_name(constants[i]), run->constant_near[constants[i]], run->count,
               100.0 * near_always(run, constants[i]));
    }
    printf("auto: %" PRIu64 " of %" PRIu64 " points within 15 %% of the best device (%.1f %%); worst %.2f x (%s): %s\n",
           run->near, run->count, 100.0 * share, run->worst, run->worst_at,
           held      ? "held"
           : stopped ? "stopped before the end"
                     : "NOT HELD");
    return true;
}

static bool is_calibrated(tact_context* context)
{
    tact_calibration_entry e;
    for (uint32_t i = 0; tact_calibration_get(context, i, &e) == TACT_OK; ++i)
        if (e.calibrated) return true;
    return false;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    regret_run* regret = (void*)run;
    if (run->common.backend != TACT_BACKEND_AUTO) return tact_problem_set(problem, "--backend: only auto has regrets");
    if (regret->model_file) {
        if (!tact_device_model_read(regret->model_file, &regret->model, problem)) return false;
        run->common.model = &regret->model;
    }
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench regret", &run->session);
    tact_json_truth(root, "calibrated", is_calibrated(run->session.context));
    tact_report_open(&run->report, root, "points");
    tact_progress_start(&run->progress, "measuring regret", run->common.quiet);
    const tact_calibrate_options options = {
        .seconds = regret->seconds ? (double)regret->seconds
                   : run->quick    ? 5.0
                                   : 0.0,
        .progress = tact_progress_update,
        .progress_user = &run->progress,
    };
    tact_system_note_signals();
    const tact_result result = tact_measure_regret(run->session.context, &options, take_point, regret);
    tact_progress_end(&run->progress);
    const bool good =
        result >= TACT_OK || tact_problem_from_result(problem, result, run->session.context, "measuring regret") ||
        tact_bench_stopped(run, problem, "%s%s", regret->count ? "what comes after " : "all", regret->last_at);
    return good && report(regret, problem);
}

static const char help_text[] =
    "Usage: tact bench regret [options]\n\n"
    "Asks sample queries of many sizes of every device in turn and of `auto`, and tells how much longer `auto` takes\n"
    "than the best device (regret), and the device that it chose, asked by name, than the best one (choice): medians "
    "of\n"
    "5 to 11 rounds, and of up to 41 where the regret comes near 1.15. The last line is the verdict: held where "
    "`auto`\n"
    "is within 15 % at nine points in ten and nowhere takes over twice as long.\n";

int tact_command_bench_regret(int argc, char** argv, tact_problem* problem)
{
    regret_run regret = {.worst_at = "nowhere", .worst_choice_at = "nowhere"};
    const tact_option own[] = {
        TACT_BENCH_QUICK(regret.run, "in about 5 seconds"),
        TACT_NUMBER("seconds", "N",
                    "in about that time (default 100), and what doubtful points, first uses and kernels take",
                    &regret.seconds, 1, 3600),
        TACT_BENCH_MODEL(&regret.model_file),
        {.name = NULL},
    };
    return tact_bench_command(&regret.run, help_text, own, execute, argc, argv, problem);
}
