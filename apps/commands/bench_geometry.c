// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/geometry.h"
#include "apps/commands.h"
#include "apps/system.h"
#include "apps/table.h"

enum { MOST_WAYS = 64 };

typedef struct geometry_row {
    const tact_geometry_way* way;
    tact_spread ns;  ///< a test
    size_t yes;
    bool differs;  ///< from the single shapes
    double speed_up;
} geometry_row;

typedef struct geometry_bench {
    tact_common_options common;
    bool quick, peers;
    const char *out, *only;
    uint64_t passes, repeat;
    tact_geometry_data* data;
    tact_geometry_way ways[MOST_WAYS];
    geometry_row rows[MOST_WAYS];
    size_t row_count, wrong;
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
    const double wanted = bench->quick ? 1.0 : 5.0;
    uint64_t passes = 1;
    while (passes < 1 << 20 && run_passes(bench, way, own, passes, yes) < wanted)
        passes *= 2;
    return passes;
}

static bool measure(geometry_bench* bench, const tact_geometry_way* way, geometry_row* row, tact_problem* problem)
{
    void* own = way->make ? way->make(bench->data) : NULL;
    double* samples = malloc((size_t)bench->repeat * sizeof *samples);
    const bool good = samples && (own || !way->make);
    *row = (geometry_row){.way = way};
    if (good && bench->passes) {
        run_passes(bench, way, own, bench->passes, &row->yes);
    } else if (good) {
        const uint64_t passes = enough_passes(bench, way, own, &row->yes);
        for (uint64_t i = 0; i < bench->repeat; ++i) {
            const double ms = run_passes(bench, way, own, passes, &row->yes);
            samples[i] = ms * 1e6 / ((double)passes * TACT_GEOMETRY_COUNT);
        }
        row->ns = tact_spread_of(samples, (size_t)bench->repeat);
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
    if (way->peer && !bench->peers) return false;
    if (!bench->only) return true;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name_of(&bench->ways[i]).text, bench->only) == 0) return &bench->ways[i] == way;
    }
    return strstr(name_of(way).text, bench->only) != NULL;
}

/// The row of single shapes of the same test; NULL when it was not asked for.
static const geometry_row* single_of(const geometry_bench* bench, const geometry_row* row)
{
    for (size_t i = 0; i < bench->row_count; ++i) {
        const geometry_row* other = &bench->rows[i];
        if (strcmp(other->way->test, row->way->test) == 0 && strcmp(other->way->variant, "single") == 0) return other;
    }
    return NULL;
}

static bool measure_all(geometry_bench* bench, tact_problem* problem)
{
    const size_t count = tact_geometry_ways(bench->ways, MOST_WAYS);
    tact_progress progress;
    tact_progress_start(&progress, "measuring", bench->common.quiet);
    progress.parts = count;
    bool good = true;
    for (size_t i = 0; good && i < count; ++i) {
        const tact_geometry_way* way = &bench->ways[i];
        tact_progress_update(0.0, &progress);
        ++progress.part;
        if (!wanted(bench, way, count)) continue;
        geometry_row* row = &bench->rows[bench->row_count];
        good = measure(bench, way, row, problem);
        const geometry_row* single = single_of(bench, row);
        if (strcmp(way->variant, "single") == 0) single = row;
        if (single && row->ns.low > 0.0) row->speed_up = single->ns.low / row->ns.low;
        if (single && !way->peer) row->differs = row->yes != single->yes;
        bench->wrong += row->differs;
        ++bench->row_count;
    }
    tact_progress_end(&progress);
    return good;
}

static double share(const geometry_row* row)
{
    return 100.0 * (double)row->yes / TACT_GEOMETRY_COUNT;
}

static const char* verdict(const geometry_row* row)
{
    return row->way->peer ? "its own" : row->differs ? "DIFFERS" : "equal";
}

static void make_table(tact_table* table, const geometry_bench* bench)
{
    static const char* const heads[] = {"test", "variant", ">ns", ">min", ">max", ">x single", ">yes %", "answers"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < bench->row_count; ++i) {
        const geometry_row* row = &bench->rows[i];
        tact_table_add(table, "%s", row->way->test);
        tact_table_add(table, "%s", row->way->variant);
        tact_table_add(table, "%.3f", row->ns.median);
        tact_table_add(table, "%.3f", row->ns.low);
        tact_table_add(table, "%.3f", row->ns.high);
        if (row->speed_up > 0.0) {
            tact_table_add(table, "%.2f", row->speed_up);
        } else {
            tact_table_add(table, "-");
        }
        tact_table_add(table, "%.2f", share(row));
        tact_table_add(table, "%s", verdict(row));
    }
}

static cJSON* to_json(const geometry_bench* bench, const tact_session* session)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench geometry", session);
    tact_json_truth(root, "quick", bench->quick);
    tact_json_count(root, "seed", bench->common.seed);
    tact_json_count(root, "repeat", bench->repeat);
    tact_json_count(root, "count", TACT_GEOMETRY_COUNT);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < bench->row_count; ++i) {
        const geometry_row* row = &bench->rows[i];
        cJSON* entry = tact_json_append(rows);
        tact_json_text(entry, "test", row->way->test);
        tact_json_text(entry, "variant", row->way->variant);
        tact_json_truth(entry, "peer", row->way->peer);
        cJSON* ns = tact_json_object(entry, "ns");
        tact_json_number(ns, "median", row->ns.median);
        tact_json_number(ns, "min", row->ns.low);
        tact_json_number(ns, "max", row->ns.high);
        tact_json_count(entry, "results", row->yes);
        tact_json_text(entry, "result", row->way->peer ? "peer" : row->differs ? "DIFFERS" : "equal");
    }
    return root;
}

static bool report(const geometry_bench* bench, const tact_session* session, tact_problem* problem)
{
    cJSON* json = to_json(bench, session);
    tact_table table;
    make_table(&table, bench);
    bool good = true;
    if (bench->common.json) {
        good = tact_json_print(json, problem);
    } else {
        tact_device_info cpu;
        if (tact_session_device(session, TACT_BACKEND_CPU, &cpu) >= 0) printf("%s\n", cpu.name);
        printf("nanoseconds a test, %d pairs of shapes a pass; medians of %" PRIu64 " runs, one thread\n\n",
               TACT_GEOMETRY_COUNT, bench->repeat);
        tact_table_print(&table, stdout);
    }
    if (good && bench->out) good = tact_bench_write_files(bench->out, json, &table, problem);
    tact_table_free(&table);
    cJSON_Delete(json);
    return good;
}

static bool execute(geometry_bench* bench, tact_problem* problem)
{
    if (bench->common.backend != TACT_BACKEND_AUTO && bench->common.backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: the geometry library runs on the CPU");
    }
    bench->common.backend = TACT_BACKEND_CPU;
    bench->repeat = bench->common.repeat ? bench->common.repeat : (bench->quick ? 3 : 9);
    if (bench->out && !tact_system_make_directory(bench->out, problem)) return false;
    bench->data = malloc(sizeof *bench->data);
    if (!bench->data) return tact_problem_out_of_memory(problem, "the shapes");
    tact_geometry_data_make(bench->data, bench->common.seed);
    tact_session session = {0};
    bool good = tact_session_open(&session, &bench->common, problem) && measure_all(bench, problem);
    if (good && bench->row_count == 0) good = tact_problem_set(problem, "--only %s: no such test", bench->only);
    good = good && report(bench, &session, problem);
    tact_session_close(&session);
    free(bench->data);
    return good && tact_bench_verdict(bench->wrong, "batches gave other results than single shapes", problem);
}

static const char help_text[] =
    "Usage: tact bench geometry [--quick] [--out DIR] [--peers] [--only TEXT] [options]\n\n"
    "Times the tests of the geometry library on single shapes and in batches with each set of instructions that this\n"
    "machine has. Batches must give the answers of the single shapes.\n";

int tact_command_bench_geometry(int argc, char** argv, tact_problem* problem)
{
    geometry_bench bench = {0};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&bench.common, common);
    const tact_option own[] = {
        {"quick", NULL, "a second or two", TACT_OPTION_FLAG, &bench.quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json and bench.csv there", TACT_OPTION_TEXT, &bench.out, 0, 0, NULL},
        {"peers", NULL, "also time the libraries that were found when building", TACT_OPTION_FLAG, &bench.peers, 0, 0,
         NULL},
        {"only", "TEXT", "rows with this in `test: variant`, such as \"ray\" or \": avx2\"", TACT_OPTION_TEXT,
         &bench.only, 0, 0, NULL},
        {"passes", "N", "run each N times and do not time it: for profilers", TACT_OPTION_NUMBER, &bench.passes, 1,
         1000000, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {.own = own, .common = common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&bench, problem));
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
