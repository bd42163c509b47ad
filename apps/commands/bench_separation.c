// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "apps/bench/depth.h"
#include "apps/commands.h"
#include "apps/inputs/scenes.h"

typedef struct separation_bench {
    tact_bench_run run;
    const char* file;
    uint64_t poses;
    tact_suite_mesh mesh;
} separation_bench;

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    tact_report_row(r);
    tact_report_text(r, "poses", "poses", d->query->name);
    tact_report_text(r, "by", "by", who->name);
    tact_json_truth(r->row, "peer", who->peer != NULL);
    tact_report_spread(r, ">us a pose", "us_per_pose", "%.2f", 1000.0 / (double)d->size, &who->ms);
    tact_report_number(r, ">x peer", "times_peer", "%.2f", tact_depth_over_peers(d, who));
    tact_report_number(r, ">build ms", "build_ms", "%.1f", who->build_ms);
    tact_report_count(r, ">differ", "poses_differing", who->differing);
    tact_rounds_to_json(r->row, who);
}

static bool measure(separation_bench* b, tact_problem* problem)
{
    tact_bench_run* run = &b->run;
    tact_model_mesh sphere;
    bool good = b->file
                    ? tact_suite_mesh_read(&b->mesh, b->file, problem)
                    : tact_suite_mesh_take(&b->mesh, "icosphere",
                                           tact_mesh_icosphere(run->quick ? 4 : 5, &sphere, problem), &sphere, problem);
    run->progress.parts = 3;
    for (const tact_suite_query* q = tact_suite_separation_queries; good && q->name; ++q) {
        tact_depth d = {.query = q, .input.mesh = &b->mesh, .size = b->poses, .peers = run->peers};
        good = tact_depth_measure(run, &d, problem);
        for (size_t i = 0; good && i < d.count; ++i)
            add_row(&run->report, &d, &d.all[i]);
        tact_depth_close(&d);
        ++run->progress.part;
    }
    return good;
}

static bool report(separation_bench* b, tact_problem* problem)
{
    cJSON* root = b->run.report.root;
    const uint64_t triangles = tact_model_triangles(&b->mesh.model);
    tact_json_text(root, "mesh", b->file ? b->file : "icosphere");
    tact_json_count(root, "triangles", triangles);
    tact_json_count(root, "poses", b->poses);
    char heading[200];
    snprintf(heading, sizeof heading,
             "%" PRIu64 " triangles against themselves in %" PRIu64 " poses, one thread; medians of %" PRIu64 " rounds",
             triangles, b->poses, b->run.repeat);
    return tact_bench_report(&b->run, TACT_BACKEND_CPU, heading, problem);
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    separation_bench* b = (void*)run;
    if (!tact_bench_one_mesh(run, &b->file, NULL, problem)) return false;
    if (run->common.backend != TACT_BACKEND_AUTO && run->common.backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: distances are found on the CPU alone");
    }
    if (run->common.threads > 1) return tact_problem_set(problem, "--threads: one thread is timed");
    const bool good =
        tact_bench_begin(run, "bench separation", 3, 7, problem) && measure(b, problem) && report(b, problem);
    tact_model_free(&b->mesh.model);
    return good && tact_bench_verdict(run->wrong, "measurements gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench separation [MESH] [--poses N] [--peers] [--out DIR] [options]\n\n"
    "Times how far apart a mesh and a copy of it are, on one thread: in random poses in which they do not overlap, "
    "and\n"
    "along orbits of 1/100 and of 1/1000 radian a pose, without and with a front that remembers the pose before. The\n"
    "results of ours must be equal byte for byte; distances of peers differ where they are 2^-16 apart.\n";

int tact_command_bench_separation(int argc, char** argv, tact_problem* problem)
{
    separation_bench b = {.poses = 100};
    const tact_option own[] = {
        TACT_TEXT("mesh", "FILE", "the mesh, as FILE alone (default: a sphere)", &b.file),
        TACT_NUMBER("poses", "N", "how many of each sort (default: 100)", &b.poses, 1, 1000000),
        TACT_BENCH_QUICK(b.run, "three rounds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_PEERS(b.run),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
