// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/device_model.h"
#include "apps/bench/suite.h"
#include "apps/commands.h"
#include "apps/suggest.h"
#include "apps/system.h"

enum { QUICK_SECONDS = 40, SECONDS = 600 };

static bool report(const tact_suite_settings* settings, const tact_session* session, const tact_suite_results* results,
                   tact_problem* problem)
{
    cJSON* json = tact_suite_to_json(settings, session, results);
    tact_bench_path aside;
    const char* out = settings->out;
    bool good = true;
    if (out && results->stopped) {
        aside = tact_bench_aside(out);
        out = aside.text;
        good = tact_system_make_directory(out, problem);
    }
    if (settings->common.json) {
        good = tact_json_print(json, problem) && good;
    } else {
        tact_suite_print(settings, session, results);
    }
    if (good && out) good = tact_suite_write(out, results, json, problem);
    cJSON_Delete(json);
    if (!good || !results->stopped || results->wrong) return good;
    return tact_problem_stop(problem, "before all was measured%s%s", out ? "; the files are in " : "", out ? out : "");
}

static bool execute(tact_suite_settings* settings, tact_problem* problem)
{
    if (settings->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    settings->repeat = settings->common.repeat ? settings->common.repeat : (settings->quick ? 5 : 7);
    if (!settings->budget) settings->budget = settings->quick ? QUICK_SECONDS : SECONDS;
    if (settings->out && !tact_system_make_directory(settings->out, problem)) return false;
    if (settings->model_file) {
        if (!tact_device_model_read(settings->model_file, &settings->model, problem)) return false;
        settings->common.model = &settings->model;
    }
    tact_session session;
    if (!tact_session_open(&session, &settings->common, problem)) return false;
    tact_suite_results results = {0};
    const bool good =
        tact_suite_measure(settings, &session, &results, problem) && report(settings, &session, &results, problem);
    const uint64_t wrong = results.wrong;
    tact_suite_free(&results);
    tact_session_close(&session);
    return good && tact_bench_verdict(wrong, "measurements failed or gave other results than the rest", problem);
}

typedef struct bench_command {
    const char* name;
    int (*run)(int argc, char** argv, tact_problem* problem);
} bench_command;

#define ENTRY(name, help) {#name, tact_command_bench_##name},
static const bench_command commands[] = {TACT_BENCH_COMMANDS(ENTRY)};

static const char help_text[] =
    "Usage: tact bench [MESH ...] [--quick] [--out DIR] [--peers] [options]\n"
    "       tact bench rays [--help]\n"
    "       tact bench memory [--help]\n"
    "       tact bench near [--help]\n"
    "       tact bench cloud [--help]\n"
    "       tact bench geometry [--help]\n"
    "       tact bench overlap [--help]\n"
    "       tact bench separation [--help]\n"
    "       tact bench solids [--help]\n"
    "       tact bench image [--help]\n"
    "       tact bench filter [--help]\n"
    "       tact bench pick [--help]\n"
    "       tact bench pairs [--help]\n"
    "       tact bench particles [--help]\n"
    "       tact bench contacts [--help]\n"
    "       tact bench regret [--help]\n"
    "       tact bench compare A.json B.json [--help]\n\n"
    "Times every query on every device over sizes that grow tenfold, and tells from which size on a device is faster\n"
    "than the CPU. A time counts only when its results are, byte for byte, those of the others, and of brute force\n"
    "where that is affordable; else the exit code is 1. compare sets two results.json beside each other; the\n"
    "other forms measure one query each in depth.\n";

static int no_such_command(const char* name, tact_problem* problem)
{
    tact_suggestion near;
    tact_suggestion_begin(&near, name, strlen(name));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        tact_suggestion_try(&near, commands[i].name);
    char meant[TACT_SUGGESTION_ROOM];
    tact_problem_set(problem, "%s: not a benchmark of tact bench --help%s", name,
                     tact_suggestion_say(&near, "", meant));
    return problem->exit_code;
}

/// Whether the first word is an option or a file, and not the name of a benchmark that is written wrongly.
static bool is_mesh(const char* word)
{
    return word[0] == '-' || strpbrk(word, "./") || tact_platform_exists(word);
}

int tact_command_bench(int argc, char** argv, tact_problem* problem)
{
    for (size_t i = 0; argc > 0 && i < sizeof commands / sizeof commands[0]; ++i) {
        if (strcmp(argv[0], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1, problem);
    }
    if (argc > 0 && !is_mesh(argv[0]) && !tact_options_ask_help(argc, argv)) return no_such_command(argv[0], problem);
    tact_suite_settings s = {.quick = false};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&s.common, common);
    const tact_option own[] = {
        TACT_FLAG("quick", "small sizes: under a minute", &s.quick),
        TACT_TEXT("out", "DIR", "write results.json, results.csv and report.html there", &s.out),
        TACT_FLAG("peers", "also time the libraries that were found when building", &s.peers),
        TACT_LIST("mesh", "FILE", "also measure on this mesh, as FILE alone; may be given again", &s.meshes),
        TACT_TEXT("only", "TEXT", "only queries with this in their name; =NAME: that one; =NAME,SET: of a set",
                  &s.only),
        TACT_NUMBER("most", "N", "no size above this", &s.most, 1, UINT64_C(1) << 31),
        TACT_NUMBER("least", "N", "no size below this, but for the largest of a query", &s.least, 1, UINT64_C(1) << 31),
        TACT_NUMBER("budget", "SECONDS", "about how long it may take (default 600, with --quick 40)", &s.budget, 1,
                    1000000),
        TACT_BENCH_MODEL(&s.model_file),
        TACT_NUMBER("busy", "N", "measure the CPU and the peers again beside N busy programs", &s.busy, 1, 256),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, &s.meshes, argc, argv, &work, problem) && (!work || execute(&s, problem));
    tact_text_list_free(&s.meshes);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
