// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/particles.h"
#include "apps/bench/plot.h"
#include "apps/commands.h"
#include "apps/system.h"

enum { CONTESTANTS = 4, ROWS = 256 };

typedef struct bench_run {
    tact_common_options common;
    bool quick, ten_million, hundred_million;
    const char *out, *only;
    uint64_t repeat, most;
    tact_session session;
    tact_progress progress;
    tact_particles_bench_row contestants[CONTESTANTS];
    size_t contestant_count;
    double last_ms[CONTESTANTS], last_count[CONTESTANTS];
    tact_particles_bench_row rows[ROWS];
    size_t row_count;
    uint64_t wrong;
} bench_run;

static void find_contestants(bench_run* run)
{
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (int i = 0; i < 3; ++i) {
        tact_device_info info;
        if (run->common.backend != TACT_BACKEND_AUTO && run->common.backend != (int)backends[i]) continue;
        if (tact_session_device(&run->session, backends[i], &info) < 0) continue;
        run->contestants[run->contestant_count++] = (tact_particles_bench_row){.backend = backends[i]};
    }
    run->contestants[run->contestant_count++] = (tact_particles_bench_row){.plain = true};
}

static bool bench_case(bench_run* run, tact_particles_bench_case* c, tact_problem* problem)
{
    bool good = true;
    c->repeat = run->repeat;
    c->threads = (int)run->common.threads;
    tact_device_info cpu;
    if (c->threads == 0 && tact_session_device(&run->session, TACT_BACKEND_CPU, &cpu) >= 0) {
        c->threads = (int)cpu.compute_units;
    }
    for (size_t i = 0; good && i < run->contestant_count; ++i) {
        tact_progress_update((double)i / (double)run->contestant_count, &run->progress);
        tact_particles_bench_row row = run->contestants[i];
        // Ten times the particles take ten times as long, or a little more.
        const double grown = run->last_count[i] > 0.0 ? (double)c->setup.count / run->last_count[i] : 0.0;
        row.status = TACT_BENCH_TOO_SLOW;
        if (run->last_ms[i] * grown > (run->quick ? 1000.0 : 15000.0)) {
            row.work = c->work;
            row.count = c->setup.count;
            snprintf(row.scene, sizeof row.scene, "%s", c->scene);
        } else {
            good = tact_particles_bench_measure(c, run->session.context, &row, problem);
        }
        if (row.status == TACT_BENCH_MISSING) continue;
        if (row.status == TACT_BENCH_EQUAL) {
            run->last_ms[i] = row.ms.median;
            run->last_count[i] = (double)c->setup.count;
        }
        run->wrong += row.status == TACT_BENCH_DIFFERS || row.status == TACT_BENCH_FAILED;
        if (good && run->row_count < ROWS) run->rows[run->row_count++] = row;
    }
    ++run->progress.part;
    return good;
}

typedef struct series {
    tact_particle_work work;
    const char* scene;
    bool quick;
    uint64_t counts[6];  ///< ended by 0
} series;

static const series all_series[] = {
    {TACT_WORK_SPRING, "dense", true, {10000, 100000, 1000000, 10000000, 100000000, 0}},
    {TACT_WORK_SPRING, "mixed", false, {10000, 100000, 1000000, 0}},
    {TACT_WORK_SPRING, "uniform", false, {10000, 100000, 1000000, 0}},
    {TACT_WORK_SPRING, "power_law", false, {10000, 100000, 1000000, 0}},
    {TACT_WORK_SPRING, "bimodal", false, {10000, 100000, 1000000, 0}},
    {TACT_WORK_POSITION, "dense", true, {10000, 100000, 1000000, 10000000, 0}},
    {TACT_WORK_POSITION, "uniform", true, {10000, 100000, 1000000, 0}},
    {TACT_WORK_POSITION, "power_law", false, {10000, 100000, 1000000, 0}},
    {TACT_WORK_POSITION, "bimodal", false, {10000, 100000, 1000000, 0}},
    {TACT_WORK_LISTS_NEW, "lattice", true, {10000, 137842, 0}},
    {TACT_WORK_LISTS_AGAIN, "lattice", true, {10000, 137842, 0}},
    {TACT_WORK_LISTS_NEW, "sparse", false, {10000, 100000, 1000000, 10000000, 0}},
    {TACT_WORK_LISTS_AGAIN, "sparse", true, {10000, 100000, 1000000, 10000000, 0}},
    {TACT_WORK_PAIRS_NEW, "sparse", false, {10000, 100000, 1000000, 10000000, 0}},
    {TACT_WORK_PAIRS_AGAIN, "sparse", true, {10000, 100000, 1000000, 10000000, 0}},
    {TACT_WORK_LISTS_NEW, "random", false, {986078, 0}},
    {TACT_WORK_LISTS_AGAIN, "random", false, {986078, 0}},
};
enum { SERIES = sizeof all_series / sizeof all_series[0] };

static bool is_wanted(const bench_run* run, const series* s, uint64_t count)
{
    if (run->only && strcmp(run->only, s->scene) != 0) return false;
    return (s->quick || !run->quick) && count <= run->most;
}

static bool bench_all(bench_run* run, tact_problem* problem)
{
    bool good = true;
    run->progress.parts = 0;
    for (int i = 0; i < SERIES; ++i) {
        for (int k = 0; all_series[i].counts[k]; ++k)
            run->progress.parts += is_wanted(run, &all_series[i], all_series[i].counts[k]);
    }
    if (run->progress.parts == 0)
        return tact_problem_set(
            problem, "--scene %s: must be dense, mixed, uniform, power_law, bimodal, lattice, sparse or random",
            run->only);
    for (int i = 0; good && i < SERIES; ++i) {
        const series* s = &all_series[i];
        memset(run->last_ms, 0, sizeof run->last_ms);
        memset(run->last_count, 0, sizeof run->last_count);
        for (int k = 0; good && s->counts[k]; ++k) {
            if (!is_wanted(run, s, s->counts[k])) continue;
            tact_particles_bench_case c;
            good = tact_particles_bench_open(&c, s->work, s->scene, (size_t)s->counts[k], run->common.seed, problem);
            if (good) good = bench_case(run, &c, problem);
            tact_particles_bench_close(&c);
        }
    }
    return good;
}

static const char* name_of(const tact_particles_bench_row* row)
{
    return row->plain ? "plain C" : tact_backend_name(row->backend);
}

/// The plain code's time on the same, or 0.
static double plain_ms(const bench_run* run, const tact_particles_bench_row* row)
{
    for (size_t i = 0; i < run->row_count; ++i) {
        const tact_particles_bench_row* other = &run->rows[i];
        const bool same =
            other->work == row->work && other->count == row->count && strcmp(other->scene, row->scene) == 0;
        if (same && other->plain && other->status == TACT_BENCH_EQUAL) return other->ms.median;
    }
    return 0.0;
}

static void make_table(const bench_run* run, tact_table* table)
{
    static const char* const heads[] = {"what",        "scene",    ">particles", "by",       ">threads",
                                        ">ms",         ">min",     ">max",       ">ns each", ">found each",
                                        ">bytes each", ">x plain", "digest",     "result"};
    static const char* const results[] = {"equal", "DIFFERS", "failed", "left out: slow", "missing"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < run->row_count; ++i) {
        const tact_particles_bench_row* row = &run->rows[i];
        const bool timed = row->status == TACT_BENCH_EQUAL;
        const double n = row->count > 0 ? (double)row->count : 1.0, plain = plain_ms(run, row);
        tact_table_add(table, "%s", tact_particle_work_names[row->work]);
        tact_table_add(table, "%s", row->scene);
        tact_table_add(table, "%" PRIu64, row->count);
        tact_table_add(table, "%s", name_of(row));
        tact_table_add(table, timed ? "%d" : "-", row->threads);
        tact_table_add(table, timed ? "%.3f" : "-", row->ms.median);
        tact_table_add(table, timed ? "%.3f" : "-", row->ms.low);
        tact_table_add(table, timed ? "%.3f" : "-", row->ms.high);
        tact_table_add(table, timed ? "%.1f" : "-", row->ms.median * 1e6 / n);
        tact_table_add(table, timed ? "%.2f" : "-", row->found);
        tact_table_add(table, timed && row->memory_bytes ? "%.1f" : "-", (double)row->memory_bytes / n);
        tact_table_add(table, timed && plain > 0.0 ? "%.2f" : "-", timed ? plain / row->ms.median : 0.0);
        tact_table_add(table, "%s", row->digest.text[0] ? row->digest.text : "-");
        tact_table_add(table, "%s", row->plain && timed ? "as many" : results[row->status]);
    }
}

static cJSON* to_json(const bench_run* run)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench particles", &run->session);
    tact_json_truth(root, "quick", run->quick);
    tact_json_count(root, "seed", run->common.seed);
    tact_json_count(root, "repeat", run->repeat);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < run->row_count; ++i) {
        const tact_particles_bench_row* row = &run->rows[i];
        static const char* const results[] = {"equal", "differs", "failed", "slow", "missing"};
        cJSON* entry = tact_json_append(rows);
        tact_json_text(entry, "what", tact_particle_work_names[row->work]);
        tact_json_text(entry, "scene", row->scene);
        tact_json_count(entry, "count", row->count);
        tact_json_text(entry, "by", name_of(row));
        tact_json_text(entry, "result", results[row->status]);
        if (row->detail[0]) tact_json_text(entry, "reason", row->detail);
        if (row->status == TACT_BENCH_TOO_SLOW) continue;
        tact_json_count(entry, "threads", (uint64_t)(row->threads > 0 ? row->threads : 0));
        cJSON* ms = tact_json_object(entry, "time_ms");
        tact_json_number(ms, "median", row->ms.median);
        tact_json_number(ms, "min", row->ms.low);
        tact_json_number(ms, "max", row->ms.high);
        tact_json_number(entry, "found_each", row->found);
        if (row->memory_bytes) tact_json_count(entry, "memory_bytes", row->memory_bytes);
        if (!row->plain) tact_json_text(entry, "digest", row->digest.text);
    }
    return root;
}

static bool write_plot(const bench_run* run, tact_particle_work work, const char* scene, tact_problem* problem)
{
    tact_plot* plot = malloc(sizeof *plot);
    const size_t size = strlen(run->out) + 80;
    char* path = malloc(size);
    bool good = plot && path;
    if (!good) {
        tact_problem_out_of_memory(problem, "a chart");
    } else {
        *plot = (tact_plot){.x_label = "particles", .y_label = "milliseconds"};
        snprintf(plot->title, sizeof plot->title, "Particles, %s (%s)", tact_particle_work_names[work], scene);
        for (size_t i = 0; i < run->row_count; ++i) {
            const tact_particles_bench_row* row = &run->rows[i];
            if (row->work != work || strcmp(row->scene, scene) != 0 || row->status != TACT_BENCH_EQUAL) continue;
            tact_plot_add(plot, name_of(row), row->plain, (double)row->count, row->ms.median);
        }
        snprintf(path, size, "%s/particles-%s-%d.svg", run->out, scene, (int)work);
        good = plot->count == 0 || tact_plot_write(path, plot, problem);
    }
    free(plot);
    free(path);
    return good;
}

static bool report(bench_run* run, tact_problem* problem)
{
    tact_table table;
    make_table(run, &table);
    cJSON* json = to_json(run);
    bool good = true;
    if (run->common.json) {
        good = tact_json_print(json, problem);
    } else {
        tact_device_info cpu;
        if (tact_session_device(&run->session, TACT_BACKEND_CPU, &cpu) >= 0) printf("%s\n", cpu.name);
        puts(
            "milliseconds: median, least and most. A step has one substep, sorting included. Lists: the neighbours of "
            "all\n"
            "within a radius, points shuffled in memory or as the time before left them, sorting included; pairs "
            "once:\n"
            "each pair in one list only (plain C counts them and writes no lists).\n");
        tact_table_print(&table, stdout);
    }
    if (good && run->out) good = tact_bench_write_files(run->out, json, &table, problem);
    for (int i = 0; good && run->out && i < SERIES; ++i)
        good = write_plot(run, all_series[i].work, all_series[i].scene, problem);
    tact_table_free(&table);
    cJSON_Delete(json);
    return good;
}

static bool execute(bench_run* run, tact_problem* problem)
{
    if (run->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    run->repeat = run->common.repeat ? run->common.repeat : run->quick ? 3 : 9;
    run->most = run->quick ? 137842 : run->hundred_million ? 100000000 : run->ten_million ? 10000000 : 1000000;
    if (run->out && !tact_system_make_directory(run->out, problem)) return false;
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    find_contestants(run);
    tact_progress_start(&run->progress, "measuring", run->common.quiet);
    const bool good = bench_all(run, problem);
    tact_progress_end(&run->progress);
    if (!good || !report(run, problem)) return false;
    return tact_bench_verdict(run->wrong, "measurements failed or gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench particles [--quick] [--out DIR] [--scene NAME] [options]\n\n"
    "Times steps of particle systems and neighbour lists on every device, beside a plain particle code in C (counting\n"
    "sort, 27 cells, threads, no vector instructions by hand). A time counts only when the state or the lists are, "
    "byte\n"
    "for byte, those of the other devices; the plain code must find as many contacts.\n";

int tact_command_bench_particles(int argc, char** argv, tact_problem* problem)
{
    bench_run* run = calloc(1, sizeof *run);
    if (!run) {
        tact_problem_out_of_memory(problem, "the benchmark");
        return problem->exit_code;
    }
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run->common, common);
    const tact_option own[] = {
        {"quick", NULL, "up to 137,842 particles", TACT_OPTION_FLAG, &run->quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json, bench.csv and charts (SVG) there", TACT_OPTION_TEXT, &run->out, 0, 0, NULL},
        {"scene", "NAME", "only this one: dense, mixed, uniform, power_law, bimodal, lattice, sparse or random",
         TACT_OPTION_TEXT, &run->only, 0, 0, NULL},
        {"ten-million", NULL, "up to 10 million particles", TACT_OPTION_FLAG, &run->ten_million, 0, 0, NULL},
        {"hundred-million", NULL, "up to 100 million", TACT_OPTION_FLAG, &run->hundred_million, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(run, problem));
    tact_session_close(&run->session);
    free(run);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
