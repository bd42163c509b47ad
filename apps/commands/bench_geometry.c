// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/geometry.h"
#include "apps/bench/tree_costs.h"
#include "apps/commands.h"
#include "apps/system.h"

enum { MOST_WAYS = 192 };

typedef struct geometry_row {
    const tact_geometry_way* way;
    tact_spread ns;  ///< a test
    size_t yes;
    bool differs;  ///< from the single shapes
    double speed_up;
} geometry_row;

typedef struct geometry_bench {
    tact_bench_run run;
    const char* only;
    uint64_t passes;
    tact_geometry_data* data;
    tact_geometry_way ways[MOST_WAYS];
    geometry_row rows[MOST_WAYS];
    size_t row_count;
    tact_tree_cost costs[TACT_TREE_RULES];
    bool has_costs;
    tact_report cost_report;
} geometry_bench;

static double run_passes(const geometry_bench* bench, const tact_geometry_way* way, void* own, uint64_t passes,
                         size_t* yes)
{
    const double start = tact_system_milliseconds();
    for (uint64_t i = 0; i < passes; ++i)
        *yes = way->run(bench->data, own);
    return tact_system_milliseconds() - start;
}

/// As many passes as take a few milliseconds, so that the clock's grain does not show.
static uint64_t enough_passes(const geometry_bench* bench, const tact_geometry_way* way, void* own, size_t* yes)
{
    const double wanted = bench->run.quick ? 1.0 : 5.0;
    uint64_t passes = 1;
    while (passes < 1 << 20 && run_passes(bench, way, own, passes, yes) < wanted)
        passes *= 2;
    return passes;
}

static bool measure(geometry_bench* bench, const tact_geometry_way* way, geometry_row* row, tact_problem* problem)
{
    void* own = way->make ? way->make(bench->data) : NULL;
    double* samples = malloc((size_t)bench->run.repeat * sizeof *samples);
    const bool good = samples && (own || !way->make);
    *row = (geometry_row){.way = way};
    if (good && bench->passes) {
        run_passes(bench, way, own, bench->passes, &row->yes);
    } else if (good) {
        const uint64_t passes = enough_passes(bench, way, own, &row->yes);
        for (uint64_t i = 0; i < bench->run.repeat; ++i) {
            const double ms = run_passes(bench, way, own, passes, &row->yes);
            samples[i] = ms * 1e6 / ((double)passes * TACT_GEOMETRY_COUNT);
        }
        row->ns = tact_spread_of(samples, (size_t)bench->run.repeat);
    }
    if (own && way->release) way->release(own);
    free(samples);
    return good || tact_problem_out_of_memory(problem, "the shapes");
}

typedef struct row_name {
    char text[128];
} row_name;

static row_name name_of(const tact_geometry_way* way)
{
    row_name name;
    snprintf(name.text, sizeof name.text, "%s: %s", way->test, way->variant);
    return name;
}

/// A whole name means that row alone.
static bool wanted(const geometry_bench* bench, const tact_geometry_way* way, size_t count)
{
    if (way->peer && !bench->run.peers) return false;
    if (!bench->only) return true;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name_of(&bench->ways[i]).text, bench->only) == 0) return &bench->ways[i] == way;
    }
    return strstr(name_of(way).text, bench->only) != NULL;
}

/// The first row of the same test, that of single shapes where there is one; NULL when it was not asked for.
static const geometry_row* single_of(const geometry_bench* bench, const geometry_row* row, size_t count)
{
    const tact_geometry_way* first = NULL;
    for (size_t i = count; i-- > 0;)
        if (strcmp(bench->ways[i].test, row->way->test) == 0) first = &bench->ways[i];
    for (size_t i = 0; i <= bench->row_count; ++i)
        if (bench->rows[i].way == first) return &bench->rows[i];
    return NULL;
}

static bool measure_all(geometry_bench* bench, tact_problem* problem)
{
    const size_t count = tact_geometry_ways(bench->ways, MOST_WAYS);
    bench->run.progress.parts = count;
    bool good = true;
    for (size_t i = 0; good && i < count; ++i) {
        const tact_geometry_way* way = &bench->ways[i];
        tact_progress_update(0.0, &bench->run.progress);
        ++bench->run.progress.part;
        if (!wanted(bench, way, count)) continue;
        if (tact_bench_stopped(&bench->run, problem, "%s", name_of(way).text)) continue;
        geometry_row* row = &bench->rows[bench->row_count];
        good = measure(bench, way, row, problem);
        const geometry_row* single = good ? single_of(bench, row, count) : NULL;
        if (single && row->ns.low > 0.0) row->speed_up = single->ns.low / row->ns.low;
        if (single && !way->peer) row->differs = row->yes != single->yes;
        bench->run.wrong += row->differs;
        ++bench->row_count;
    }
    return good;
}

static void add_row(tact_report* r, const geometry_row* row)
{
    tact_report_row(r);
    tact_report_text(r, "test", "test", row->way->test);
    tact_report_text(r, "variant", "variant", row->way->variant);
    tact_json_truth(r->row, "peer", row->way->peer);
    tact_report_spread(r, ">ns", "ns", "%.3f", 1.0, &row->ns);
    tact_report_number(r, ">x single", NULL, "%.2f", row->speed_up > 0.0 ? row->speed_up : (double)NAN);
    tact_report_number(r, ">yes %", NULL, "%.2f", 100.0 * (double)row->yes / TACT_GEOMETRY_COUNT);
    tact_json_count(r->row, "results", row->yes);
    tact_report_text(r, "answers", "result", row->way->peer ? "peer" : row->differs ? "DIFFERS" : "equal");
}

static bool measure_costs(geometry_bench* bench, tact_problem* problem)
{
    const bool asked = !bench->only || strstr("volumes: cost of a test", bench->only);
    bench->has_costs = asked && !bench->passes && !tact_bench_stopped(&bench->run, problem, "volumes: cost of a test");
    if (!bench->has_costs) return true;
    const uint64_t rounds = 5 * bench->run.repeat;
    return tact_tree_costs_measure(rounds, bench->costs) || tact_problem_out_of_memory(problem, "the trees");
}

static void add_costs(geometry_bench* bench)
{
    tact_report* r = &bench->cost_report;
    tact_report_open(r, bench->run.report.root, "costs");
    for (int i = 0; bench->has_costs && i < TACT_TREE_RULES; ++i) {
        const tact_tree_cost* c = &bench->costs[i];
        tact_report_row(r);
        tact_report_text(r, "rule", "rule", c->rule);
        tact_report_count(r, ">n_v", "tested", c->tested);
        tact_report_number(r, ">c_v ns", "tested_ns", "%.2f", c->tested_ns);
        tact_report_count(r, ">n_p", "found", c->found);
        tact_report_number(r, ">c_p ns", "found_ns", "%.2f", c->found_ns);
        tact_report_count(r, ">n_u", "updated", c->updated);
        tact_report_number(r, ">c_u ns", "updated_ns", "%.2f", c->updated_ns);
        tact_report_number(r, ">T ms", "expected_ms", "%.4f", c->expected_ms);
        tact_report_spread(r, ">ms", "ms", "%.4f", 1.0, &c->ms);
        tact_report_count(r, ">overlaps", "overlaps", c->overlaps);
        bench->run.wrong += c->overlaps != bench->costs[0].overlaps || c->found != bench->costs[0].found;
    }
}

static bool report(geometry_bench* bench, tact_problem* problem)
{
    tact_bench_run* run = &bench->run;
    char heading[200];
    snprintf(heading, sizeof heading,
             "nanoseconds a test, %d pairs of shapes a pass; medians of %" PRIu64 " runs, one thread",
             TACT_GEOMETRY_COUNT, run->repeat);
    add_costs(bench);
    const bool good = tact_bench_report(run, TACT_BACKEND_CPU, heading, problem);
    if (good && bench->has_costs && !run->common.json) {
        printf(
            "\nvolumes: cost of a test of two trees, T = n_v c_v + n_p c_p + n_u c_u: pairs of boxes, pairs of\n"
            "triangles, volumes that are fitted; what each takes by itself, and the time of all\n\n");
        tact_report_print(&bench->cost_report);
    }
    tact_report_close(&bench->cost_report);
    return good;
}

static bool measure_and_report(geometry_bench* bench, tact_problem* problem)
{
    tact_bench_run* run = &bench->run;
    if (!tact_bench_begin(run, "bench geometry", 3, 9, problem) || !measure_all(bench, problem)) return false;
    if (!measure_costs(bench, problem)) return false;
    if (bench->row_count == 0 && !bench->has_costs && !tact_bench_is_stopped(run))
        return tact_problem_set(problem, "--only %s: no such test", bench->only);
    tact_json_count(run->report.root, "count", TACT_GEOMETRY_COUNT);
    for (size_t i = 0; i < bench->row_count; ++i)
        add_row(&run->report, &bench->rows[i]);
    return report(bench, problem);
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    geometry_bench* bench = (void*)run;
    if (run->common.backend != TACT_BACKEND_AUTO && run->common.backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: the geometry library runs on the CPU");
    }
    run->common.backend = TACT_BACKEND_CPU;
    bench->data = malloc(sizeof *bench->data);
    if (!bench->data) return tact_problem_out_of_memory(problem, "the shapes");
    tact_geometry_data_make(bench->data, run->common.seed);
    const bool good = measure_and_report(bench, problem);
    free(bench->data);
    return good && tact_bench_verdict(run->wrong, "batches gave other results than single shapes", problem);
}

static const char help_text[] =
    "Usage: tact bench geometry [--quick] [--out DIR] [--peers] [--only TEXT] [options]\n\n"
    "Times the tests of the geometry library on single shapes and in batches with each set of instructions that this\n"
    "machine has. Batches must give the answers of the single shapes.\n";

int tact_command_bench_geometry(int argc, char** argv, tact_problem* problem)
{
    geometry_bench bench = {.only = NULL};
    const tact_option own[] = {
        TACT_BENCH_QUICK(bench.run, "a second or two"),
        TACT_BENCH_OUT(bench.run, "bench.json and bench.csv"),
        TACT_BENCH_PEERS(bench.run),
        TACT_TEXT("only", "TEXT", "rows with this in `test: variant`, such as \"ray\" or \": avx2\"", &bench.only),
        TACT_NUMBER("passes", "N", "run each N times and do not time it: for profilers", &bench.passes, 1, 1000000),
        {.name = NULL},
    };
    return tact_bench_command(&bench.run, help_text, own, execute, argc, argv, problem);
}
