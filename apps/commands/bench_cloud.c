// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/bench/depth.h"
#include "apps/commands.h"
#include "apps/inputs/random.h"

typedef struct cloud_bench {
    tact_bench_run run;
    bool no_peers;
    uint64_t points, count;
    int set;  ///< 0: all, else one more than its place
} cloud_bench;

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    static const char* const names[] = {
        [TACT_BACKEND_CPU] = "tact", [TACT_BACKEND_GL] = "tact, gl", [TACT_BACKEND_CL] = "tact, cl"};
    tact_report_row(r);
    tact_report_text(r, "cloud", "cloud", d->input.mesh->name);
    tact_report_count(r, ">points", "points", d->input.mesh->model.meshes[0].vertex_count);
    tact_report_text(r, "queries", "set", d->query->name);
    tact_report_text(r, "by", "by", who->peer ? who->name : names[who->backend]);
    tact_json_truth(r->row, "peer", who->peer != NULL);
    tact_json_count(r->row, "queries", d->size);
    tact_json_spread(r->row, "ms", &who->ms);
    tact_rounds_to_json(r->row, who);
    tact_report_number(r, ">build ms", "build_ms", "%.2f", who->peer ? who->build_ms : d->setup_ms);
    tact_report_number(r, ">ns a query", "ns_per_query", "%.1f", who->ms.median * 1e6 / (double)d->size);
    tact_report_number(r, ">min", NULL, "%.1f", who->ms.low * 1e6 / (double)d->size);
    tact_report_number(r, ">max", NULL, "%.1f", who->ms.high * 1e6 / (double)d->size);
    tact_report_number(r, ">time over tact", "time_over_tact", "%.2f", who->paired);
    tact_report_count(r, ">found", "found", who->results);
    tact_report_count(r, ">differ", "differing", who->differing);
    tact_report_text(r, "digest", who->peer ? NULL : "digest", who->peer ? "-" : d->expected.digest.text);
    if (!who->peer) tact_json_count(r->row, "by_reference", d->by_reference);
}

static bool measure_cloud(tact_bench_run* run, const tact_suite_mesh* mesh, tact_problem* problem)
{
    cloud_bench* b = (void*)run;
    bool good = true;
    for (int set = 0; good && tact_suite_cloud_depth_queries[set].name; ++set) {
        if (b->set != 0 && b->set != set + 1) continue;
        tact_depth d = {.query = &tact_suite_cloud_depth_queries[set],
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

/// A normal deviate, near enough.
static double spread(tact_random* random)
{
    double sum = -6.0;
    for (int i = 0; i < 12; ++i)
        sum += tact_random_fraction(random);
    return sum;
}

/// Points at random in a cube of edge 2, or in a hundred clusters of a fiftieth as much.
static bool make_points(tact_suite_mesh* mesh, bool clusters, uint64_t count, uint64_t seed, tact_problem* problem)
{
    enum { CLUSTERS = 100 };
    tact_random random = {seed};
    float centers[CLUSTERS][3];
    tact_model_mesh made = {.vertex_count = (size_t)count};
    made.positions = malloc((size_t)count * 3 * sizeof *made.positions);
    made.indices = malloc(sizeof *made.indices);
    if (!made.positions || !made.indices) {
        tact_model_mesh_free(&made);
        return tact_problem_out_of_memory(problem, "points");
    }
    for (int i = 0; i < CLUSTERS; ++i)
        for (int k = 0; k < 3; ++k)
            centers[i][k] = (float)tact_random_between(&random, -1.0, 1.0);
    for (size_t i = 0; i < (size_t)count; ++i) {
        const float* center = centers[tact_random_below(&random, CLUSTERS)];
        for (int k = 0; k < 3; ++k)
            made.positions[3 * i + (size_t)k] =
                clusters ? center[k] + 0.02f * (float)spread(&random) : (float)tact_random_between(&random, -1.0, 1.0);
    }
    return tact_suite_mesh_take(mesh, clusters ? "clusters" : "uniform", true, &made, problem);
}

static bool measure_made(cloud_bench* b, tact_problem* problem)
{
    bool good = true;
    for (int clusters = 0; good && b->points > 0 && clusters < 2; ++clusters) {
        tact_suite_mesh mesh = {.name = ""};
        if (tact_bench_stopped(&b->run, problem, "%s", clusters ? "clusters" : "uniform")) continue;
        good = make_points(&mesh, clusters, b->points, b->run.common.seed, problem) &&
               measure_cloud(&b->run, &mesh, problem);
        tact_model_free(&mesh.model);
    }
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    cloud_bench* b = (void*)run;
    if (run->common.backend != TACT_BACKEND_AUTO && run->common.backend != TACT_BACKEND_CPU)
        return tact_problem_set(problem, "--backend: the CPU is timed, and with --devices all others too");
    if (b->count == 0) b->count = run->quick ? 20000 : 200000;
    if (b->points == UINT64_MAX) b->points = run->quick ? 4000 : 100000;
    if (run->meshes.count == 0 && b->points == 0)
        return tact_problem_set(problem, "--points 0: without a --mesh there is nothing to measure");
    if (!tact_bench_begin(run, "bench cloud", 3, 7, problem) || !measure_made(b, problem) ||
        !tact_depth_meshes(run, 2 * b->points, measure_cloud, problem))
        return false;
    char heading[200];
    snprintf(heading, sizeof heading,
             "%" PRIu64 " queries, %d thread%s; medians of %" PRIu64 " rounds in which all take turns", b->count,
             run->threads, run->threads == 1 ? "" : "s", run->repeat);
    return tact_bench_report(run, TACT_BACKEND_CPU, heading, problem) &&
           tact_bench_verdict(run->wrong, "measurements gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench cloud [MESH ...] [--points N] [--count N] [--set SET] [--devices] [options]\n\n"
    "Times queries against clouds of points on the CPU beside the libraries that were found when building, nanoflann\n"
    "and CGAL, with as many threads: points at random, in clusters and on a terrain, and the vertices of meshes. All\n"
    "take turns. Ours must be the same bytes on every device, and by brute force of up to 1000 queries.\n";

int tact_command_bench_cloud(int argc, char** argv, tact_problem* problem)
{
    static const char* const sets[] = {"all", "one", "eight", "many", "within", "touch", NULL};
    cloud_bench b = {.points = UINT64_MAX};
    const tact_option own[] = {
        TACT_BENCH_QUICK(b.run, "small sizes: seconds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_MESHES(b.run),
        TACT_NUMBER("points", "N", "of generated clouds (default 100000; 0: none)", &b.points, 0, UINT64_C(1) << 26),
        TACT_NUMBER("count", "N", "queries of each set (default 200000)", &b.count, 1, UINT64_C(1) << 28),
        TACT_CHOICE("set", "SET",
                    "all (default), the nearest one, eight or many (32), those within a distance, or whether spheres "
                    "touch one",
                    &b.set, sets),
        TACT_BENCH_DEVICES(b.run),
        TACT_FLAG("no-peers", "without other libraries", &b.no_peers),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
