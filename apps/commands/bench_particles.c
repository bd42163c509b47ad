// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/depth.h"
#include "apps/bench/plot.h"
#include "apps/commands.h"

typedef struct particles_bench {
    tact_bench_run run;
    bool ten_million, hundred_million;
    const char* only;
    uint64_t most;
} particles_bench;

/// The sizes of a row of tact_suite_step_queries, ended by 0.
typedef struct sizes {
    bool quick;
    uint64_t counts[6];
} sizes;

#define MILLION 10000, 100000, 1000000
static const sizes all_sizes[] = {
    {true, {MILLION, 10000000, 100000000, 0}},  // spring steps, dense, mixed, uniform, power_law, bimodal
    {false, {MILLION, 0}},
    {false, {MILLION, 0}},
    {false, {MILLION, 0}},
    {false, {MILLION, 0}},
    {true, {MILLION, 10000000, 0}},  // position-based, dense, uniform, power_law, bimodal
    {true, {MILLION, 0}},
    {false, {MILLION, 0}},
    {false, {MILLION, 0}},
    {true, {MILLION, 10000000, 0}},  // grains, dense, uniform, power_law, bimodal
    {false, {MILLION, 0}},
    {false, {MILLION, 0}},
    {false, {MILLION, 0}},
    {true, {10000, 137842, 0}},  // lists, lattice
    {true, {10000, 137842, 0}},
    {false, {MILLION, 10000000, 0}},  // lists and pairs, sparse
    {true, {MILLION, 10000000, 0}},
    {false, {MILLION, 10000000, 0}},
    {true, {MILLION, 10000000, 0}},
    {false, {986078, 0}},  // lists, random
    {false, {986078, 0}},
};

static bool is_wanted(const particles_bench* b, size_t series, uint64_t count)
{
    if (b->only && strcmp(b->only, tact_suite_step_queries[series].set) != 0) return false;
    return (all_sizes[series].quick || !b->run.quick) && count <= b->most;
}

/// The sums of others are in another order: they are held to the number of contacts, which few roundings change.
static void judge_peers(particles_bench* b, tact_depth* d)
{
    const tact_contestant* first = &d->all[0];
    if (first->peer || first->status != TACT_BENCH_EQUAL) return;
    const double size = (double)d->size, found = (double)first->results / size;
    for (size_t i = 1; i < d->count; ++i) {
        tact_contestant* peer = &d->all[i];
        if (!peer->peer || peer->status != TACT_BENCH_EQUAL) continue;
        if (fabs((double)peer->results / size - found) <= 0.01 * (found + 0.01)) continue;
        peer->status = TACT_BENCH_DIFFERS;
        ++b->run.wrong;
    }
}

/// The time of the fastest that is not ours; NaN: there is none.
static double fastest_peer(const tact_depth* d)
{
    double least = (double)NAN;
    for (size_t i = 0; i < d->count; ++i)
        if (d->all[i].peer && d->all[i].status == TACT_BENCH_EQUAL) least = fmin(least, d->all[i].ms.median);
    return least;
}

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    const bool timed = who->status == TACT_BENCH_EQUAL;
    const double once = timed ? 1.0 : (double)NAN, size = (double)d->size, found = (double)who->results / size;
    const uint64_t bytes = who->report.memory_bytes;
    const bool asked = who->status != TACT_BENCH_TOO_SLOW;
    tact_report_row(r);
    tact_report_text(r, "what", "what", d->query->name);
    tact_report_text(r, "scene", "scene", d->query->set);
    tact_report_count(r, ">particles", "count", d->size);
    tact_report_text(r, "by", "by", who->name);
    tact_report_number(r, ">threads", asked ? "threads" : NULL, "%.0f",
                       once * (double)(who->peer ? who->threads : who->report.threads));
    tact_report_spread(r, ">ms", asked ? "time_ms" : NULL, "%.3f", once, &who->ms);
    tact_report_number(r, ">ns each", NULL, "%.1f", once * who->ms.median * 1e6 / size);
    tact_report_number(r, ">found each", asked ? "found_each" : NULL, "%.2f", once * found);
    tact_report_number(r, ">bytes each", NULL, "%.1f", bytes ? once * (double)bytes / size : (double)NAN);
    tact_report_number(r, ">x peer", NULL, "%.2f", once * fastest_peer(d) / who->ms.median);
    tact_report_text(r, "digest", asked && !who->peer ? "digest" : NULL, who->digest.text[0] ? who->digest.text : "-");
    tact_report_text(r, "result", NULL, who->peer ? tact_depth_counted(d, who) : tact_depth_result(who));
    static const char* const results[] = {"equal", "differs", "failed", "slow", "missing"};
    tact_json_text(r->row, "result", results[who->status]);
    if (who->detail[0]) tact_json_text(r->row, "reason", who->detail);
    if (asked && bytes) tact_json_count(r->row, "memory_bytes", bytes);
    if (timed) tact_rounds_to_json(r->row, who);
}

static void add_to_plot(tact_plot* plot, const tact_depth* d)
{
    snprintf(plot->title, sizeof plot->title, "Particles, %s (%s)", d->query->name, d->query->set);
    for (size_t i = 0; i < d->count; ++i) {
        const tact_contestant* who = &d->all[i];
        if (who->status == TACT_BENCH_EQUAL)
            tact_plot_add(plot, who->name, who->peer != NULL, (double)d->size, who->ms.median);
    }
}

static bool measure_series(particles_bench* b, size_t at, tact_problem* problem)
{
    const tact_suite_query* query = &tact_suite_step_queries[at];
    tact_plot* plot = calloc(1, sizeof *plot);
    tact_depth_series series = {.limit_ms = b->run.quick ? 1000.0 : 15000.0};
    bool good = plot != NULL || tact_problem_out_of_memory(problem, "a chart");
    if (plot) *plot = (tact_plot){.x_label = "particles", .y_label = "milliseconds"};
    for (const uint64_t* count = all_sizes[at].counts; good && *count; ++count) {
        if (!is_wanted(b, at, *count)) continue;
        tact_depth d = {.query = query, .size = *count, .peers = true, .series = &series};
        good = tact_depth_measure(&b->run, &d, problem);
        if (good && d.count) judge_peers(b, &d);
        for (size_t i = 0; good && i < d.count; ++i)
            if (d.all[i].status != TACT_BENCH_MISSING) add_row(&b->run.report, &d, &d.all[i]);
        if (good) add_to_plot(plot, &d);
        tact_depth_close(&d);
        ++b->run.progress.part;
    }
    if (good && b->run.out && plot->count) {
        const tact_bench_path path =
            tact_bench_path_of(&b->run, "particles-%s-%d.svg", query->set, (int)query->argument);
        good = tact_plot_write(path.text, plot, problem);
    }
    free(plot);
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    particles_bench* b = (void*)run;
    uint64_t parts = 0;
    if (b->most == 0)
        b->most = run->quick ? 137842 : b->hundred_million ? 100000000 : b->ten_million ? 10000000 : 1000000;
    for (size_t i = 0; tact_suite_step_queries[i].name; ++i)
        for (const uint64_t* count = all_sizes[i].counts; *count; ++count)
            parts += is_wanted(b, i, *count);
    if (parts == 0)
        return tact_problem_set(
            problem, "--scene %s: must be dense, mixed, uniform, power_law, bimodal, lattice, sparse or random",
            b->only);
    bool good = tact_bench_begin(run, "bench particles", 3, 9, problem);
    run->progress.parts = parts;
    for (size_t i = 0; good && tact_suite_step_queries[i].name; ++i)
        good = measure_series(b, i, problem);
    return good &&
           tact_bench_report(
               run, TACT_BACKEND_CPU,
               "milliseconds: median, least and most. A step has one substep, sorting included. Lists: the neighbours "
               "of all\n"
               "within a radius, points shuffled in memory or as the time before left them, sorting included; pairs "
               "once:\n"
               "each pair in one list only (plain C counts them and writes no lists).",
               problem) &&
           tact_bench_verdict(run->wrong, "measurements failed or gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench particles [--quick] [--out DIR] [--scene NAME] [options]\n\n"
    "Times steps of particle systems and neighbour lists on every device, beside a plain particle code in C (counting\n"
    "sort, 27 cells, threads, no vector instructions by hand). A time counts only when the state or the lists are, "
    "byte\n"
    "for byte, those of the other devices; the plain code must find as many contacts.\n";

int tact_command_bench_particles(int argc, char** argv, tact_problem* problem)
{
    particles_bench b = {.only = NULL};
    const tact_option own[] = {
        TACT_BENCH_QUICK(b.run, "up to 137,842 particles"),
        TACT_BENCH_OUT(b.run, "bench.json, bench.csv and charts (SVG)"),
        TACT_TEXT("scene", "NAME",
                  "only this one: dense, mixed, uniform, power_law, bimodal, lattice, sparse or random", &b.only),
        TACT_FLAG("ten-million", "up to 10 million particles", &b.ten_million),
        TACT_FLAG("hundred-million", "up to 100 million", &b.hundred_million),
        TACT_NUMBER("most", "N", "no more particles than this", &b.most, 10000, 100000000),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
