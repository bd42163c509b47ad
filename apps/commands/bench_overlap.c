// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "apps/bench/depth.h"
#include "apps/commands.h"
#include "apps/inputs/scenes.h"

typedef struct overlap_bench {
    tact_bench_run run;
    const char *file, *other;
    uint64_t poses, spread;
    tact_suite_mesh meshes[2];
} overlap_bench;

static bool load(const overlap_bench* b, int which, tact_suite_mesh* mesh, tact_problem* problem)
{
    const char* file = which && b->other ? b->other : b->file;
    if (file) return tact_suite_mesh_read(mesh, file, problem);
    tact_model_mesh sphere;
    const bool made = tact_mesh_icosphere(b->run.quick ? 4 : 5, &sphere, problem);
    return tact_suite_mesh_take(mesh, "icosphere", made, &sphere, problem);
}

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    const double poses = (double)d->size;
    if (who->status == TACT_BENCH_MISSING) return;
    tact_report_row(r);
    tact_report_text(r, "query", "query", d->query->name);
    tact_report_text(r, "by", "by", who->name);
    tact_json_truth(r->row, "peer", who->peer != NULL);
    tact_report_spread(r, ">us a pose", "us_per_pose", "%.2f", 1000.0 / poses, &who->ms);
    tact_report_count(r, ">results", "results", who->results);
    tact_report_number(r, ">a pose", NULL, "%.2f", (double)who->results / poses);
    tact_report_number(r, ">x peer", "times_peer", "%.2f", tact_depth_over_peers(d, who));
    tact_report_number(r, ">build ms", "build_ms", "%.1f", who->build_ms);
    tact_report_count(r, ">differ", "poses_differing", who->differing);
    tact_report_text(r, "answers", "result", tact_depth_result(who));
    if (!who->peer) tact_json_text(r->row, "digest", who->digest.text);
    tact_rounds_to_json(r->row, who);
}

static bool measure(overlap_bench* b, tact_problem* problem)
{
    tact_bench_run* run = &b->run;
    bool good = load(b, 0, &b->meshes[0], problem) && load(b, 1, &b->meshes[1], problem);
    run->progress.parts = 3;
    for (const tact_suite_query* q = tact_suite_overlap_queries; good && q->name; ++q) {
        tact_depth d = {.query = q,
                        .input.mesh = &b->meshes[0],
                        .input.other = &b->meshes[1],
                        .size = b->poses,
                        .peers = run->peers};
        d.input.spread = (double)b->spread * 0.01;
        good = tact_depth_measure(run, &d, problem);
        for (size_t i = 0; good && i < d.count; ++i)
            add_row(&run->report, &d, &d.all[i]);
        tact_depth_close(&d);
        ++run->progress.part;
    }
    return good;
}

static bool report(overlap_bench* b, tact_problem* problem)
{
    cJSON* root = b->run.report.root;
    const uint64_t triangles[2] = {tact_model_triangles(&b->meshes[0].model),
                                   tact_model_triangles(&b->meshes[1].model)};
    const char* file = b->file ? b->file : "icosphere";
    tact_json_text(root, "mesh", file);
    tact_json_text(root, "other", b->other ? b->other : file);
    tact_json_count(root, "triangles", triangles[0]);
    tact_json_count(root, "other_triangles", triangles[1]);
    tact_json_count(root, "poses", b->poses);
    tact_json_count(root, "spread", b->spread);
    char heading[200];
    snprintf(heading, sizeof heading,
             "%" PRIu64 " triangles against %" PRIu64 " in %" PRIu64 " poses, %d threads; medians of %" PRIu64
             " rounds",
             triangles[0], triangles[1], b->poses, b->run.threads, b->run.repeat);
    return tact_bench_report(&b->run, TACT_BACKEND_CPU, heading, problem);
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    overlap_bench* b = (void*)run;
    if (!tact_bench_one_mesh(run, &b->file, &b->other, problem)) return false;
    if (b->other && !b->file) return tact_problem_set(problem, "--other: only with --mesh");
    const bool good =
        tact_bench_begin(run, "bench overlap", 3, 15, problem) && measure(b, problem) && report(b, problem);
    tact_model_free(&b->meshes[0].model);
    tact_model_free(&b->meshes[1].model);
    return good && tact_bench_verdict(run->wrong, "measurements gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench overlap [MESH [OTHER]] [--poses N] [--spread P] [--peers] [--out DIR] "
    "[options]\n\n"
    "Times the exact overlap of two meshes in random poses: all pairs of triangles, whether there is one, and how "
    "they\n"
    "lie as solids. In a pose B is turned at random about the middle of its box, and that middle is moved in a random\n"
    "direction from A's, by up to P hundredths of the mean of their half diagonals. A time counts only when the "
    "results\n"
    "are, byte for byte, those of the others. Peers take the poses with as many threads.\n";

int tact_command_bench_overlap(int argc, char** argv, tact_problem* problem)
{
    overlap_bench b = {.poses = 100, .spread = 200};
    const tact_option own[] = {
        TACT_TEXT("mesh", "FILE", "the mesh, as FILE alone (default: a sphere)", &b.file),
        TACT_TEXT("other", "FILE", "the one that is moved (default: the same)", &b.other),
        TACT_NUMBER("poses", "N", "how many (default: 100)", &b.poses, 1, 1000000),
        TACT_NUMBER("spread", "P", "how far apart the meshes may be (default: 200: until balls about them part)",
                    &b.spread, 0, 10000),
        TACT_BENCH_QUICK(b.run, "three rounds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_PEERS(b.run),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
