// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/pairs.h"
#include "apps/commands.h"
#include "apps/inputs/volume_sweeps.h"
#include "apps/system.h"

enum { CONTESTANTS = 32 };

typedef struct bench_run {
    tact_pairs_bench_settings settings;
    tact_session session;
    tact_pairs_bench_results results;
    tact_progress progress;
    tact_pairs_contestant contestants[CONTESTANTS];
    size_t contestant_count;
    /// Of the present series: a contestant's last time and size, by [moving].
    double last_ms[2][CONTESTANTS], last_count[2][CONTESTANTS];
    double slowdown[2][CONTESTANTS];  ///< growth exponent seen last
    bool missing[CONTESTANTS];        ///< this program does not have it
    uint64_t wrong;
} bench_run;

const char* const tact_pairs_sweep_names[] = {"none", "density", "spread", "count", NULL};

static void add_contestant(bench_run* run, const tact_pairs_contestant* who)
{
    if (run->contestant_count < CONTESTANTS) run->contestants[run->contestant_count++] = *who;
}

static void find_contestants(bench_run* run)
{
    const tact_pairs_bench_settings* s = &run->settings;
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (int i = 0; i < 3; ++i) {
        tact_device_info info;
        if (s->common.backend != TACT_BACKEND_AUTO && s->common.backend != (int)backends[i]) continue;
        if (tact_session_device(&run->session, backends[i], &info) < 0) continue;
        for (int method = 0; method < TACT_PAIRS_METHOD_COUNT; ++method) {
            const bool on_gpu = method == TACT_PAIRS_GRID || method == TACT_PAIRS_BVH;
            if (backends[i] != TACT_BACKEND_CPU && !on_gpu) continue;
            if (s->method && method != s->method) continue;
            const tact_pairs_contestant who = {.backend = backends[i], .method = (tact_pairs_method)method};
            add_contestant(run, &who);
        }
    }
    const tact_pair_peer* peer;
    for (size_t i = 0; s->peers && (peer = tact_pair_peer_at(i)) != NULL; ++i) {
        const tact_pairs_contestant who = {.peer = peer};
        add_contestant(run, &who);
    }
}

static tact_pairs_bench_row* new_row(bench_run* run)
{
    tact_pairs_bench_results* r = &run->results;
    if (r->count == r->capacity) {
        const size_t capacity = r->capacity ? 2 * r->capacity : 64;
        tact_pairs_bench_row* rows = realloc(r->rows, capacity * sizeof *rows);
        if (!rows) return NULL;
        r->rows = rows;
        r->capacity = capacity;
    }
    return &r->rows[r->count++];
}

/// Whether it would take too long, by how it has grown so far.
static bool too_slow(const bench_run* run, size_t who, const tact_pairs_bench_case* c)
{
    const double last = run->last_ms[c->moving][who], count = run->last_count[c->moving][who];
    if (!(count > 0.0)) return false;
    double grown = (double)c->boxes.count / count;
    // At least as fast as the number; where it grew faster before, half more than the square at most.
    if (run->slowdown[c->moving][who] > 1.5) grown *= grown;
    return last * grown > (run->settings.quick ? 1000.0 : 12000.0);
}

static void remember(bench_run* run, size_t who, const tact_pairs_bench_case* c, const tact_pairs_bench_row* row)
{
    double *last = &run->last_ms[c->moving][who], *count = &run->last_count[c->moving][who];
    const double more = *count > 0.0 ? (double)c->boxes.count / *count : 0.0;
    // The exponent is 1.5 or more when time grew faster than this.
    if (more > 1.0 && *last > 0.0) {
        run->slowdown[c->moving][who] =
            row->ms.median * row->ms.median > *last * *last * more * more * more ? 2.0 : 1.0;
    }
    *last = row->ms.median;
    *count = (double)c->boxes.count;
}

/// All contestants on one set, at rest or moving.
static bool bench_case_of(bench_run* run, tact_pairs_bench_case* c, tact_problem* problem)
{
    bool good = tact_pairs_bench_define(c, run->session.context, problem);
    for (size_t i = 0; good && i < run->contestant_count; ++i) {
        if (run->missing[i]) continue;
        tact_progress_update((double)i / (double)run->contestant_count, &run->progress);
        tact_pairs_bench_row row = {.who = run->contestants[i],
                                    .parameter = c->parameter,
                                    .count = c->boxes.count,
                                    .moving = c->moving,
                                    .status = TACT_BENCH_TOO_SLOW};
        snprintf(row.scene, sizeof row.scene, "%s", c->scene);
        if (!too_slow(run, i, c)) {
            good = tact_pairs_bench_measure(c, &run->contestants[i], run->session.context, &row, problem);
            run->missing[i] = good && row.status == TACT_BENCH_MISSING;
            if (run->missing[i]) continue;
            if (good && row.status == TACT_BENCH_EQUAL) remember(run, i, c, &row);
        }
        // Peers that find other pairs are shown, not blamed.
        run->wrong += !row.who.peer && (row.status == TACT_BENCH_DIFFERS || row.status == TACT_BENCH_FAILED);
        tact_pairs_bench_row* kept = good ? new_row(run) : NULL;
        if (kept) *kept = row;
        if (good && !kept) good = tact_problem_out_of_memory(problem, "the results");
    }
    ++run->progress.part;
    return good;
}

/// Small sets are timed oftener: their times are short and scatter more.
static uint64_t repeats(const bench_run* run, size_t count)
{
    const uint64_t least = run->settings.repeat;
    const uint64_t more = count <= 2000 ? 40 : count <= 20000 ? 15 : 0;
    return run->settings.common.repeat || least > more ? least : more;
}

/// One set at rest, and in motion where its scene lets it move.
static bool bench_boxes(bench_run* run, const char* scene, double parameter, bool moves, tact_volume_input* boxes,
                        tact_problem* problem)
{
    tact_pairs_bench_case c;
    bool good = tact_pairs_bench_open(&c, scene, boxes, problem);
    c.parameter = parameter;
    c.repeat = repeats(run, c.boxes.count);
    c.seed = run->settings.common.seed;
    c.threads = (int)run->settings.common.threads;
    tact_device_info cpu;
    if (c.threads == 0 && tact_session_device(&run->session, TACT_BACKEND_CPU, &cpu) >= 0) {
        c.threads = (int)cpu.compute_units;
    }
    for (int moving = 0; good && moving <= (moves ? 1 : 0); ++moving) {
        c.moving = moving;
        good = bench_case_of(run, &c, problem);
    }
    tact_pairs_bench_close(&c);
    return good;
}

static void begin_series(bench_run* run)
{
    memset(run->last_ms, 0, sizeof run->last_ms);
    memset(run->last_count, 0, sizeof run->last_count);
    memset(run->slowdown, 0, sizeof run->slowdown);
}

typedef struct benched_scene {
    const char* name;
    bool quick, moves;
} benched_scene;

// On the lattice and among the points nothing moves: their coordinates are not in the unit cube.
static const benched_scene benched_scenes[] = {
    {"uniform", true, true},  {"clustered", false, true}, {"sizes", true, true},
    {"needles", false, true}, {"line", false, true},      {"lattice", false, false},
};
enum { BENCHED_SCENES = sizeof benched_scenes / sizeof benched_scenes[0] };

static bool is_wanted(const bench_run* run, const benched_scene* scene)
{
    if (run->settings.scene) return strcmp(run->settings.scene, scene->name) == 0;
    return scene->quick || !run->settings.quick;
}

static bool bench_scene(bench_run* run, const benched_scene* scene, tact_problem* problem)
{
    bool good = true;
    begin_series(run);
    for (uint64_t count = 1000; good && count <= run->settings.most; count *= 10) {
        tact_volume_input boxes;
        good = tact_volume_input_make(tact_volume_scene_named(scene->name), (size_t)count, run->settings.common.seed,
                                      &boxes, problem);
        if (good) good = bench_boxes(run, scene->name, 0.0, scene->moves, &boxes, problem);
        tact_volume_input_free(&boxes);
    }
    return good;
}

static uint64_t parts_of_scenes(const bench_run* run)
{
    uint64_t sizes = 0, parts = 0;
    for (uint64_t count = 1000; count <= run->settings.most; count *= 10)
        ++sizes;
    for (int i = 0; i < BENCHED_SCENES; ++i) {
        if (is_wanted(run, &benched_scenes[i])) parts += sizes * (benched_scenes[i].moves ? 2 : 1);
    }
    return parts;
}

static bool bench_scenes(bench_run* run, tact_problem* problem)
{
    run->progress.parts = parts_of_scenes(run);
    if (run->progress.parts == 0) {
        return tact_problem_set(problem, "--scene %s: must be one of uniform, clustered, sizes, needles, line, lattice",
                                run->settings.scene);
    }
    bool good = true;
    for (int i = 0; good && i < BENCHED_SCENES; ++i) {
        if (is_wanted(run, &benched_scenes[i])) good = bench_scene(run, &benched_scenes[i], problem);
    }
    return good;
}

static bool bench_point(bench_run* run, double parameter, size_t count, tact_problem* problem)
{
    const uint64_t seed = run->settings.common.seed;
    tact_volume_input boxes;
    if (!tact_volume_input_make(tact_volume_scene_named("uniform"), count, seed, &boxes, problem)) return false;
    if (run->settings.sweep == TACT_SWEEP_DENSITY) tact_volumes_dense(count, seed, parameter, boxes.boxes);
    if (run->settings.sweep == TACT_SWEEP_SPREAD) tact_volumes_spread(count, seed, parameter, boxes.boxes);
    const bool good = bench_boxes(run, tact_pairs_sweep_names[run->settings.sweep], parameter, true, &boxes, problem);
    tact_volume_input_free(&boxes);
    return good;
}

static bool bench_sweep(bench_run* run, tact_problem* problem)
{
    static const double densities[] = {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0};
    static const double spreads[] = {1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0};
    static const double counts[] = {1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7};
    enum { POINTS = 7, COUNTS = 9 };
    const tact_pairs_bench_settings* s = &run->settings;
    const bool count_sweep = s->sweep == TACT_SWEEP_COUNT;
    const double* parameters = s->sweep == TACT_SWEEP_DENSITY ? densities : count_sweep ? counts : spreads;
    run->progress.parts = 0;
    for (int i = 0; i < (count_sweep ? COUNTS : POINTS); ++i)
        run->progress.parts += !count_sweep || counts[i] <= (double)s->most ? 2 : 0;
    bool good = true;
    begin_series(run);
    for (int i = 0; good && i < (count_sweep ? COUNTS : POINTS); ++i) {
        if (count_sweep && counts[i] > (double)s->most) break;
        if (!count_sweep) begin_series(run);
        const size_t count = count_sweep ? (size_t)counts[i] : s->quick ? 10000 : 100000;
        good = bench_point(run, parameters[i], count, problem);
    }
    return good;
}

static bool execute(bench_run* run, tact_problem* problem)
{
    tact_pairs_bench_settings* s = &run->settings;
    if (s->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    if (s->sweep && s->scene) return tact_problem_set(problem, "--scene %s: not with --sweep", s->scene);
    s->repeat = s->common.repeat ? s->common.repeat : 5;
    s->most = s->quick ? 10000 : s->ten_million ? 10000000 : 1000000;
    if (s->out && !tact_system_make_directory(s->out, problem)) return false;
    if (!tact_session_open(&run->session, &s->common, problem)) return false;
    find_contestants(run);
    tact_progress_start(&run->progress, "measuring", s->common.quiet);
    const bool good = s->sweep ? bench_sweep(run, problem) : bench_scenes(run, problem);
    tact_progress_end(&run->progress);
    if (!good || !tact_pairs_bench_report(s, &run->session, &run->results, problem)) return false;
    return tact_bench_verdict(run->wrong, "measurements failed or gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench pairs [--quick] [--out DIR] [--peers] [--scene NAME | --sweep S] [options]\n\n"
    "Times every method of finding pairs on every device: a set filled anew and its pairs found, sorted; and a frame "
    "of\n"
    "a moving set. A time counts only when the pairs are, byte for byte, those of the others, and of brute force "
    "where\n"
    "that is affordable. Peers find the same number of pairs, in no order.\n";

int tact_command_bench_pairs(int argc, char** argv, tact_problem* problem)
{
    bench_run run = {0};
    tact_pairs_bench_settings* s = &run.settings;
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&s->common, common);
    static const char* const methods[] = {"all", "brute", "sap", "grid", "hgrid", "bvh", "tree", NULL};
    const tact_option own[] = {
        {"quick", NULL, "to 10,000 boxes: under a minute", TACT_OPTION_FLAG, &s->quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json, bench.csv and charts (SVG) there", TACT_OPTION_TEXT, &s->out, 0, 0, NULL},
        {"peers", NULL, "also time the libraries that were found when building", TACT_OPTION_FLAG, &s->peers, 0, 0,
         NULL},
        {"scene", "NAME", "only this one: uniform, clustered, sizes, needles, line or lattice", TACT_OPTION_TEXT,
         &s->scene, 0, 0, NULL},
        {"sweep", "S", "instead of the scenes: density, spread (of sizes) or count", TACT_OPTION_CHOICE, &s->sweep, 0,
         0, tact_pairs_sweep_names},
        {"method", "M", "only this one of ours", TACT_OPTION_CHOICE, &s->method, 0, 0, methods},
        {"ten-million", NULL, "to 10 million boxes", TACT_OPTION_FLAG, &s->ten_million, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&run, problem));
    tact_session_close(&run.session);
    free(run.results.rows);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
