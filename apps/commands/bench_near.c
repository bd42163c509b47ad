// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "apps/bench/depth.h"
#include "apps/commands.h"

/// Without --triangles: 2 x 708 x 708.
enum { TERRAIN_TRIANGLES = 1002528, QUICK_TRIANGLES = 32768 };

typedef struct near_bench {
    tact_bench_run run;
    bool no_peers;
    uint64_t triangles, count;
    int set;  ///< 0: all, else one more than its place
} near_bench;

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    static const char* const names[] = {
        [TACT_BACKEND_CPU] = "tact", [TACT_BACKEND_GL] = "tact, gl", [TACT_BACKEND_CL] = "tact, cl"};
    tact_report_row(r);
    tact_report_text(r, "mesh", "mesh", d->input.mesh->name);
    tact_json_count(r->row, "triangles", tact_model_triangles(&d->input.mesh->model));
    tact_report_text(r, "queries", "set", d->query->name);
    tact_report_text(r, "by", "by", who->peer ? who->name : names[who->backend]);
    tact_json_truth(r->row, "peer", who->peer != NULL);
    tact_json_count(r->row, "queries", d->size);
    tact_json_spread(r->row, "ms", &who->ms);
    tact_rounds_to_json(r->row, who);
    tact_report_number(r, ">million a second", "million_per_second", "%.3f", tact_bench_rate(d->size, who->ms.median));
    tact_report_number(r, ">min", NULL, "%.3f", tact_bench_rate(d->size, who->ms.high));
    tact_report_number(r, ">max", NULL, "%.3f", tact_bench_rate(d->size, who->ms.low));
    tact_report_number(r, ">time over tact", "time_over_tact", "%.2f", who->paired);
    tact_report_count(r, ">found", "found", who->results);
    tact_report_count(r, ">differ", "differing", who->differing);
    tact_report_text(r, "digest", who->peer ? NULL : "digest", who->peer ? "-" : d->expected.digest.text);
    if (!who->peer) tact_json_count(r->row, "by_reference", d->by_reference);
}

static bool measure_mesh(tact_bench_run* run, const tact_suite_mesh* mesh, tact_problem* problem)
{
    near_bench* b = (void*)run;
    bool good = tact_model_triangles(&mesh->model) > 0 || tact_problem_set(problem, "%s: no triangles", mesh->name);
    for (int set = 0; good && tact_suite_near_queries[set].name; ++set) {
        if (b->set != 0 && b->set != set + 1) continue;
        tact_depth d = {.query = &tact_suite_near_queries[set],
                        .input.mesh = mesh,
                        .size = b->count,
                        .backends = run->devices ? 0 : 1u << TACT_BACKEND_CPU,
                        .peers = !b->no_peers};
        good = tact_depth_measure(run, &d, problem);
        for (size_t i = 0; good && i < d.count; ++i)
            add_row(&run->report, &d, &d.all[i]);
        tact_depth_close(&d);
    }
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    near_bench* b = (void*)run;
    if (run->common.backend != TACT_BACKEND_AUTO && run->common.backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: the CPU is timed, and with --devices all others too");
    }
    if (b->count == 0) b->count = run->quick ? 20000 : UINT64_C(1) << 20;
    if (b->triangles == UINT64_MAX) b->triangles = run->quick ? QUICK_TRIANGLES : TERRAIN_TRIANGLES;
    if (run->meshes.count + (b->triangles > 0) == 0) {
        return tact_problem_set(problem, "--triangles 0: without a --mesh there is nothing to measure");
    }
    if (!tact_bench_begin(run, "bench near", 3, 7, problem) ||
        !tact_depth_meshes(run, b->triangles, measure_mesh, problem))
        return false;
    char heading[200];
    snprintf(heading, sizeof heading,
             "%" PRIu64 " queries, %d thread%s; medians of %" PRIu64 " rounds in which all take turns", b->count,
             run->threads, run->threads == 1 ? "" : "s", run->repeat);
    return tact_bench_report(run, TACT_BACKEND_CPU, heading, problem) &&
           tact_bench_verdict(run->wrong, "measurements gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench near [MESH ...] [--triangles N] [--count N] [--set SET] [--devices] [options]\n\n"
    "Times closest points and moving spheres on the CPU beside the libraries that were found when building, Embree's\n"
    "point query and Bullet's sweep of a sphere, with as many threads. All take turns. Ours must be the same bytes on\n"
    "every device, and by brute force as far as that is affordable.\n";

int tact_command_bench_near(int argc, char** argv, tact_problem* problem)
{
    static const char* const sets[] = {"all", "surface", "box", "spheres", NULL};
    near_bench b = {.triangles = UINT64_MAX};
    const tact_option own[] = {
        TACT_BENCH_QUICK(b.run, "small sizes: seconds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_MESHES(b.run),
        TACT_NUMBER("triangles", "N", "of the generated terrain (default 1002528; 0: no terrain)", &b.triangles, 0,
                    UINT64_C(1) << 30),
        TACT_NUMBER("count", "N", "queries of each set (default 2^20)", &b.count, 1, UINT64_C(1) << 28),
        TACT_CHOICE(
            "set", "SET",
            "all (default), surface (points close to it), box (in a box twice as large) or spheres (moving ones)",
            &b.set, sets),
        TACT_BENCH_DEVICES(b.run),
        TACT_FLAG("no-peers", "without other libraries", &b.no_peers),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
