// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/commands.h"
#include "apps/json_out.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/table.h"
#include "tact/calibrate.h"

// `tact bench regret`: how much longer `auto` takes than the best device would have.

typedef struct regret_run {
    tact_common_options common;
    bool quick;
    uint64_t seconds;
    tact_session session;
    tact_table table;
    cJSON* points;
    uint64_t count, near, right, choice_near;
    double worst, worst_choice;
    char worst_at[128], worst_choice_at[128];
} regret_run;

// What is aimed at: `auto` takes no more than that much longer than the best device at this share of the points, and
// nowhere more than twice as long.
static const double NEAR = 1.15, SHARE = 0.9, MOST = 2.0;

static bool take_point(const tact_regret_point* p, void* user)
{
    regret_run* run = user;
    char at[sizeof run->worst_at];
    snprintf(at, sizeof at, "%s, %" PRIu64 " %s", p->query, p->size, p->items);
    ++run->count;
    run->near += p->regret <= NEAR;
    run->choice_near += p->choice <= NEAR;
    run->right += p->chosen == p->best;
    if (p->regret > run->worst) {
        run->worst = p->regret;
        memcpy(run->worst_at, at, sizeof at);
    }
    if (p->choice > run->worst_choice) {
        run->worst_choice = p->choice;
        memcpy(run->worst_choice_at, at, sizeof at);
    }
    tact_table_add(&run->table, "%s", p->query);
    tact_table_add(&run->table, "%" PRIu64 " %s", p->size, p->items);
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b)
        tact_table_add(&run->table, p->ms[b] > 0.0 ? "%.4g" : "-", p->ms[b]);
    tact_table_add(&run->table, "%.4g", p->ms[TACT_BACKEND_AUTO]);
    tact_table_add(&run->table, "%s", tact_backend_name(p->chosen));
    tact_table_add(&run->table, "%s", tact_backend_name(p->best));
    tact_table_add(&run->table, "%u", (unsigned)p->rounds);
    tact_table_add(&run->table, "%.2f", p->choice);
    tact_table_add(&run->table, "%.2f", p->regret);
    cJSON* point = tact_json_append(run->points);
    tact_json_text(point, "query", p->query);
    tact_json_text(point, "items", p->items);
    tact_json_count(point, "size", p->size);
    cJSON* ms = tact_json_object(point, "ms");
    for (int b = TACT_BACKEND_AUTO; b <= TACT_BACKEND_CL; ++b)
        if (p->ms[b] > 0.0) tact_json_number(ms, tact_backend_name((tact_backend)b), p->ms[b]);
    tact_json_text(point, "chosen", tact_backend_name(p->chosen));
    tact_json_text(point, "best", tact_backend_name(p->best));
    tact_json_count(point, "rounds", p->rounds);
    tact_json_number(point, "choice", p->choice);
    tact_json_number(point, "regret", p->regret);
    tact_json_number(point, "regret_low", p->low);
    tact_json_number(point, "regret_high", p->high);
    return true;
}

static bool report(regret_run* run, cJSON* root, tact_problem* problem)
{
    const double count = run->count ? (double)run->count : 1.0, share = (double)run->near / count;
    const double choice_share = (double)run->choice_near / count;
    const bool held = run->count > 0 && share >= SHARE && run->worst <= MOST;
    if (run->common.json) {
        tact_json_count(root, "points_measured", run->count);
        tact_json_count(root, "right", run->right);
        tact_json_number(root, "choice_within_15_percent", choice_share);
        tact_json_number(root, "worst_choice", run->worst_choice);
        tact_json_text(root, "worst_choice_at", run->worst_choice_at);
        tact_json_number(root, "within_15_percent", share);
        tact_json_number(root, "worst", run->worst);
        tact_json_text(root, "worst_at", run->worst_at);
        tact_json_truth(root, "held", held);
        return tact_json_print(root, problem);
    }
    tact_table_print(&run->table, stdout);
    printf("\nchoice: the best device at %" PRIu64 " of %" PRIu64 " points, one within 15 %% of it at %" PRIu64
           " (%.1f %%); worst %.2f x (%s)\n",
           run->right, run->count, run->choice_near, 100.0 * choice_share, run->worst_choice, run->worst_choice_at);
    printf("auto: %" PRIu64 " of %" PRIu64 " points within 15 %% of the best device (%.1f %%); worst %.2f x (%s): %s\n",
           run->near, run->count, 100.0 * share, run->worst, run->worst_at, held ? "held" : "NOT HELD");
    return true;
}

static bool is_calibrated(tact_context* context)
{
    tact_calibration_entry e;
    for (uint32_t i = 0; tact_calibration_get(context, i, &e) == TACT_OK; ++i)
        if (e.calibrated) return true;
    return false;
}

static bool execute(regret_run* run, tact_problem* problem)
{
    static const char* const heads[] = {"query",  "size", ">cpu ms", ">gl ms",  ">cl ms", ">auto ms",
                                        "chosen", "best", ">rounds", ">choice", ">regret"};
    if (run->common.backend != TACT_BACKEND_AUTO) return tact_problem_set(problem, "--backend: only auto has regrets");
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench regret", &run->session);
    tact_json_truth(root, "calibrated", is_calibrated(run->session.context));
    run->points = tact_json_array(root, "points");
    tact_table_init(&run->table, heads, sizeof heads / sizeof heads[0]);
    tact_progress progress;
    tact_progress_start(&progress, "measuring regret", run->common.quiet);
    const tact_calibrate_options options = {
        .seconds = run->seconds ? (double)run->seconds
                   : run->quick ? 5.0
                                : 0.0,
        .progress = tact_progress_update,
        .progress_user = &progress,
    };
    const tact_result result = tact_measure_regret(run->session.context, &options, take_point, run);
    tact_progress_end(&progress);
    const bool good = result >= TACT_OK
                          ? report(run, root, problem)
                          : tact_problem_from_result(problem, result, run->session.context, "measuring regret");
    tact_table_free(&run->table);
    cJSON_Delete(root);
    return good;
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
    regret_run run = {.worst_at = "nowhere", .worst_choice_at = "nowhere"};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run.common, common);
    const tact_option own[] = {
        {.name = "quick", .help = "in about 5 seconds", .target = &run.quick},
        {.name = "seconds",
         .value = "N",
         .help = "in about that time (default 100), and what doubtful points and building kernels take",
         .kind = TACT_OPTION_NUMBER,
         .target = &run.seconds,
         .low = 1,
         .high = 3600},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    if (!tact_options_take(&set, help_text, NULL, argc, argv, &work, problem)) return problem->exit_code;
    if (!work) return TACT_EXIT_DONE;
    const bool good = execute(&run, problem);
    tact_session_close(&run.session);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
