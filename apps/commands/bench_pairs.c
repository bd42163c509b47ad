// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/depth.h"
#include "apps/bench/plot.h"
#include "apps/commands.h"
#include "apps/inputs/volume_input.h"

typedef enum pairs_sweep { SWEEP_NONE, SWEEP_DENSITY, SWEEP_SPREAD, SWEEP_COUNT } pairs_sweep;

static const char* const sweep_names[] = {"none", "density", "spread", "count", NULL};

/// At rest, all moving, few moving: tact_suite_pair_queries.
enum { MOTIONS = 3 };

typedef struct pairs_bench {
    tact_bench_run run;
    bool ten_million;
    const char* scene;
    int sweep, method;      ///< method: 0: all, else this one of ours
    uint64_t repeat, most;  ///< most: boxes of a set
    tact_depth_series series[MOTIONS];
    tact_plot plots[MOTIONS];
    tact_report ratios;  ///< against the fastest peer
} pairs_bench;

/// A set to be measured.
typedef struct pairs_case {
    const char* scene;
    double parameter;  ///< of a sweep: what the set was made with; NaN: none
    tact_volume_input boxes;
} pairs_case;

/// A peer finds as many pairs, or another number.
static void judge_peers(tact_depth* d)
{
    for (size_t i = 0; i < d->count; ++i) {
        tact_contestant* who = &d->all[i];
        if (who->peer && who->status == TACT_BENCH_EQUAL && who->other != d->all[0].other)
            who->status = TACT_BENCH_DIFFERS;
    }
}

static const char* name_of(const tact_contestant* who, char text[80])
{
    if (who->peer) return who->name;
    snprintf(text, 80, "%s %s", tact_backend_name(who->backend), who->name);
    return text;
}

static void add_row(tact_report* r, const pairs_case* c, const tact_depth* d, const tact_contestant* who)
{
    char name[80];
    const bool timed = who->status == TACT_BENCH_EQUAL, asked = who->status != TACT_BENCH_TOO_SLOW;
    const double boxes = (double)d->size, once = timed ? 1.0 : (double)NAN,
                 ours = timed && !who->peer ? 1.0 : (double)NAN;
    const double bytes = who->report.memory_bytes ? (double)who->report.memory_bytes : (double)NAN;
    tact_report_row(r);
    tact_report_text(r, "scene", "scene", c->scene);
    tact_report_number(r, ">parameter", "parameter", "%g", c->parameter);
    tact_report_count(r, ">boxes", "count", d->size);
    tact_report_text(r, "what", "what", d->query->name);
    if (who->peer) tact_json_text(r->row, "peer", who->name);
    if (!who->peer) tact_json_text(r->row, "backend", tact_backend_name(who->backend));
    if (!who->peer) tact_json_text(r->row, "method", who->name);
    if (who->chosen) tact_json_text(r->row, "chosen", who->chosen);
    tact_report_text(r, "by", NULL, name_of(who, name));
    tact_report_count(r, ">threads", asked ? "threads" : NULL,
                      (uint64_t)(who->peer ? who->threads : who->report.threads));
    tact_report_spread(r, ">ms", NULL, "%.3f", once, &who->ms);
    tact_report_number(r, ">set ms", NULL, "%.3f", ours * who->fill.median);
    tact_report_number(r, ">build ms", NULL, "%.3f", once * who->build.median);
    tact_report_count(r, ">pairs", asked ? "pairs" : NULL, who->results);
    tact_report_number(r, ">overlaps", NULL, "%.2f", once * 2.0 * (double)who->results / boxes);
    tact_report_number(r, ">tests/box", "tests_per_box", "%.2f", ours * who->extra);
    tact_report_number(r, ">MB", NULL, "%.2f", once * bytes * 1e-6);
    tact_report_number(r, ">growth", "growth", "%.2f", who->growth);
    tact_report_text(r, "digest", asked && !who->peer ? "digest" : NULL, who->digest.text[0] ? who->digest.text : "-");
    tact_report_text(r, "result", "result", who->peer && timed ? "as many, unsorted" : tact_depth_counted(d, who));
    if (who->detail[0]) tact_json_text(r->row, "reason", who->detail);
    if (asked) tact_json_truth(r->row, "sorted", !who->peer);
    if (timed && who->report.memory_bytes) tact_json_count(r->row, "memory_bytes", who->report.memory_bytes);
    if (!timed) return;
    cJSON* times = tact_json_object(r->row, "time_ms");
    tact_json_spread(times, "total", &who->ms);
    if (!who->peer) tact_json_time(times, "set", who->fill.median);
    tact_json_time(times, "build", who->build.median);
    tact_rounds_to_json(r->row, who);
}

/// The fastest of ours or of the peers; NULL: none is right.
static const tact_contestant* fastest(const tact_depth* d, bool peers)
{
    const tact_contestant* best = NULL;
    for (size_t i = 0; i < d->count; ++i) {
        const tact_contestant* who = &d->all[i];
        if ((who->peer != NULL) != peers || who->status != TACT_BENCH_EQUAL) continue;
        if (!best || who->ms.median < best->ms.median) best = who;
    }
    return best;
}

static void add_ratio(tact_report* r, const pairs_case* c, const tact_depth* d)
{
    char names[2][80];
    const tact_contestant *ours = fastest(d, false), *peer = fastest(d, true), *first = &d->all[0];
    if (!ours) return;
    const bool by_itself = !first->peer && first->variant == TACT_PAIRS_AUTO && first->status == TACT_BENCH_EQUAL;
    tact_report_row(r);
    tact_report_text(r, "scene", NULL, c->scene);
    tact_report_number(r, ">parameter", NULL, "%g", c->parameter);
    tact_report_count(r, ">boxes", NULL, d->size);
    tact_report_text(r, "what", NULL, d->query->name);
    tact_report_text(r, "fastest of ours", NULL, name_of(ours, names[0]));
    tact_report_number(r, ">ms", NULL, "%.3f", ours->ms.median);
    tact_report_number(r, ">auto", NULL, "%.3f", by_itself ? first->ms.median : (double)NAN);
    tact_report_text(r, "fastest peer", NULL, peer ? name_of(peer, names[1]) : "-");
    tact_report_number(r, ">its ms", NULL, "%.3f", peer ? peer->ms.median : (double)NAN);
    tact_report_number(r, ">x faster", NULL, "%.2f", peer ? peer->ms.median / ours->ms.median : (double)NAN);
}

static void add_to_plot(const pairs_bench* b, tact_plot* plot, const pairs_case* c, const tact_depth* d)
{
    static const char* const labels[] = {"boxes", "overlaps of a box", "largest width : least width", "boxes"};
    static const char* const motions[MOTIONS] = {"a new set", "a frame of a moving set", "a frame, 1 % moving"};
    const char* what = motions[d->query - tact_suite_pair_queries];
    const bool by_count = b->sweep == SWEEP_NONE || b->sweep == SWEEP_COUNT;
    plot->x_label = labels[b->sweep];
    plot->y_label = "milliseconds";
    if (by_count)
        snprintf(plot->title, sizeof plot->title, "Pairs of boxes (%s), %s", b->sweep ? "uniform" : c->scene, what);
    else
        snprintf(plot->title, sizeof plot->title, "Pairs of %" PRIu64 " boxes, %s", d->size, what);
    for (size_t i = 0; i < d->count; ++i) {
        char name[80];
        const tact_contestant* who = &d->all[i];
        if (who->status != TACT_BENCH_EQUAL) continue;
        tact_plot_add(plot, name_of(who, name), who->peer != NULL, by_count ? (double)d->size : c->parameter,
                      who->ms.median);
    }
}

/// Small sets are timed oftener: their times are short and scatter more.
static uint64_t repeats(const pairs_bench* b, size_t count)
{
    const uint64_t more = count <= 2000 ? 40 : count <= 20000 ? 15 : 0;
    return b->run.common.repeat || b->repeat > more ? b->repeat : more;
}

/// One set at rest, and in motion where its scene lets it move; frees it.
static bool measure_case(pairs_bench* b, pairs_case* c, bool moves, tact_problem* problem)
{
    bool good = true;
    b->run.repeat = repeats(b, c->boxes.count);
    for (int moving = 0; good && moving < (moves ? MOTIONS : 1); ++moving) {
        tact_depth d = {.query = &tact_suite_pair_queries[moving],
                        .input.boxes = &c->boxes,
                        .scene = c->scene,
                        .size = c->boxes.count,
                        .variants = b->method ? 1u << b->method : 0,
                        .peers = b->run.peers,
                        .series = &b->series[moving]};
        good = tact_depth_measure(&b->run, &d, problem);
        if (good) judge_peers(&d);
        for (size_t i = 0; good && i < d.count; ++i)
            if (d.all[i].status != TACT_BENCH_MISSING) add_row(&b->run.report, c, &d, &d.all[i]);
        if (good) add_ratio(&b->ratios, c, &d);
        if (good) add_to_plot(b, &b->plots[moving], c, &d);
        tact_depth_close(&d);
        ++b->run.progress.part;
    }
    tact_volume_input_free(&c->boxes);
    return good;
}

static void begin_series(pairs_bench* b)
{
    const double limit = b->run.quick ? 1000.0 : 12000.0;
    for (int i = 0; i < MOTIONS; ++i)
        b->series[i] = (tact_depth_series){.limit_ms = limit};
}

/// Charts of all that was measured of a scene or a sweep.
static bool end_scene(pairs_bench* b, const char* scene, tact_problem* problem)
{
    bool good = true;
    for (int i = 0; good && i < MOTIONS; ++i) {
        const char* what = tact_suite_pair_queries[i].name;
        if (b->run.out && b->plots[i].count)
            good = tact_plot_write(tact_bench_path_of(&b->run, "pairs-%s-%s.svg", scene, what).text, &b->plots[i],
                                   problem);
        b->plots[i] = (tact_plot){.count = 0};
    }
    return good;
}

typedef struct benched_scene {
    const char* name;
    bool quick, moves;
} benched_scene;

// On the lattice nothing moves: its coordinates are not in the unit cube.
static const benched_scene benched_scenes[] = {
    {"uniform", true, true},  {"clustered", false, true}, {"sizes", true, true},
    {"needles", false, true}, {"line", false, true},      {"lattice", false, false},
};
enum { BENCHED_SCENES = sizeof benched_scenes / sizeof benched_scenes[0] };

static bool is_wanted(const pairs_bench* b, const benched_scene* scene)
{
    if (b->scene) return strcmp(b->scene, scene->name) == 0;
    return scene->quick || !b->run.quick;
}

static bool measure_scene(pairs_bench* b, const benched_scene* scene, tact_problem* problem)
{
    bool good = true;
    begin_series(b);
    for (uint64_t count = 1000; good && count <= b->most; count *= 10) {
        pairs_case c = {.scene = scene->name, .parameter = (double)NAN};
        if (tact_bench_stopped(&b->run, problem, "%s, %" PRIu64 " boxes", c.scene, count)) continue;
        good = tact_volume_input_make(tact_volume_scene_named(scene->name), (size_t)count, b->run.common.seed, &c.boxes,
                                      problem) &&
               measure_case(b, &c, scene->moves, problem);
    }
    return good && end_scene(b, scene->name, problem);
}

static bool measure_scenes(pairs_bench* b, tact_problem* problem)
{
    bool good = true;
    for (int i = 0; i < BENCHED_SCENES; ++i)
        for (uint64_t count = 1000; is_wanted(b, &benched_scenes[i]) && count <= b->most; count *= 10)
            b->run.progress.parts += benched_scenes[i].moves ? MOTIONS : 1;
    for (int i = 0; good && i < BENCHED_SCENES; ++i)
        if (is_wanted(b, &benched_scenes[i])) good = measure_scene(b, &benched_scenes[i], problem);
    return good;
}

static bool measure_sweep(pairs_bench* b, tact_problem* problem)
{
    static const double densities[] = {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 0.0};
    static const double spreads[] = {1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 0.0};
    static const double counts[] = {1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 0.0};
    static const double* const parameters[] = {
        [SWEEP_DENSITY] = densities, [SWEEP_SPREAD] = spreads, [SWEEP_COUNT] = counts};
    const uint64_t seed = b->run.common.seed;
    const bool by_count = b->sweep == SWEEP_COUNT;
    bool good = true;
    begin_series(b);
    for (const double* at = parameters[b->sweep]; good && *at > 0.0; ++at) {
        if (by_count && *at > (double)b->most) break;
        if (!by_count) begin_series(b);
        const uint64_t usual = b->run.quick ? 10000 : 100000;
        const size_t count = by_count ? (size_t)*at : (size_t)(usual < b->most ? usual : b->most);
        pairs_case c = {.scene = sweep_names[b->sweep], .parameter = *at};
        if (tact_bench_stopped(&b->run, problem, "%s %g, %zu boxes", c.scene, *at, count)) continue;
        good = tact_volume_input_make(tact_volume_scene_named("uniform"), count, seed, &c.boxes, problem);
        if (!good) break;
        if (b->sweep == SWEEP_DENSITY) tact_input_volumes_dense(count, seed, *at, c.boxes.boxes);
        if (b->sweep == SWEEP_SPREAD) tact_input_volumes_spread(count, seed, *at, c.boxes.boxes);
        good = measure_case(b, &c, true, problem);
    }
    return good && end_scene(b, sweep_names[b->sweep], problem);
}

static bool report(pairs_bench* b, tact_problem* problem)
{
    tact_json_text(b->run.report.root, "sweep", sweep_names[b->sweep]);
    const bool good = tact_bench_report(
        &b->run, TACT_BACKEND_CPU,
        "milliseconds: median, least and most. new: the set filled, its structure made, the pairs found and sorted;\n"
        "frame: all boxes moved, the pairs found and sorted; few: one in a hundred moved. Peers' pairs are counted "
        "and\n"
        "not sorted.",
        problem);
    if (good && b->run.peers && !b->run.common.json) {
        puts("\nAgainst the fastest peer:");
        tact_report_print(&b->ratios);
    }
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    pairs_bench* b = (void*)run;
    bool known = !b->scene;
    for (int i = 0; i < BENCHED_SCENES; ++i)
        known = known || strcmp(b->scene, benched_scenes[i].name) == 0;
    if (b->sweep && b->scene) return tact_problem_set(problem, "--scene %s: not with --sweep", b->scene);
    if (!known) {
        return tact_problem_set(problem, "--scene %s: must be one of uniform, clustered, sizes, needles, line, lattice",
                                b->scene);
    }
    if (b->most == 0) b->most = run->quick ? 10000 : b->ten_million ? 10000000 : 1000000;
    if (!tact_bench_begin(run, "bench pairs", 5, 5, problem)) return false;
    b->repeat = run->repeat;
    cJSON* ratios = cJSON_CreateObject();
    tact_report_open(&b->ratios, ratios, "ratios");
    const bool good = (b->sweep ? measure_sweep(b, problem) : measure_scenes(b, problem)) && report(b, problem);
    tact_report_close(&b->ratios);
    cJSON_Delete(ratios);
    return good && tact_bench_verdict(run->wrong, "measurements failed or gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench pairs [--quick] [--out DIR] [--peers] [--scene NAME | --sweep S] [options]\n\n"
    "Times every method of finding pairs on every device: a set filled anew and its pairs found, sorted; a frame "
    "of\n"
    "a moving set; and one in which few move. A time counts only when the pairs are, byte for byte, those of the "
    "others, and of brute force "
    "where\n"
    "that is affordable. Peers find the same number of pairs, in no order.\n";

int tact_command_bench_pairs(int argc, char** argv, tact_problem* problem)
{
    static const char* const methods[] = {"all", "brute", "sap", "grid", "hgrid", "bvh", "tree", NULL};
    static pairs_bench bench;  // its charts and series are large
    pairs_bench* b = &bench;
    *b = (pairs_bench){.sweep = SWEEP_NONE};
    const tact_option own[] = {
        TACT_BENCH_QUICK(b->run, "to 10,000 boxes: under a minute"),
        TACT_BENCH_OUT(b->run, "bench.json, bench.csv and charts (SVG)"),
        TACT_BENCH_PEERS(b->run),
        TACT_TEXT("scene", "NAME", "only this one: uniform, clustered, sizes, needles, line or lattice", &b->scene),
        TACT_CHOICE("sweep", "S", "instead of the scenes: density, spread (of sizes) or count", &b->sweep, sweep_names),
        TACT_CHOICE("method", "M", "only this one of ours", &b->method, methods),
        TACT_FLAG("ten-million", "to 10 million boxes", &b->ten_million),
        TACT_NUMBER("most", "N", "no larger sets than this", &b->most, 1000, 10000000),
        {.name = NULL},
    };
    return tact_bench_command(&b->run, help_text, own, execute, argc, argv, problem);
}
