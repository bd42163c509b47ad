// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "apps/bench/rays.h"
#include "apps/commands.h"
#include "apps/system.h"

/// Without --triangles: 2 x 708 x 708.
enum { TERRAIN_TRIANGLES = 1002528, QUICK_TRIANGLES = 32768 };

enum { PART_RAYS = 0, PART_BUILDS = 1 };

static bool wanted(int choice, int value)
{
    return choice == 0 || choice == value + 1;
}

static bool open_peers(const tact_rays_bench* b, tact_rays_mesh* mesh, tact_problem* problem)
{
    bool good = true;
    for (int robust = 0; good && robust < 2 && tact_embree_have() && !b->no_peers; ++robust) {
        const tact_embree_desc desc = {.threads = b->run.threads,
                                       .quality = (tact_embree_quality)b->peer_quality,
                                       .config = b->peer_config,
                                       .robust = robust != 0};
        good = tact_embree_open(&mesh->mesh->model, &desc, &mesh->embree[robust], problem);
    }
    if (good && !b->no_peers) mesh->tinybvh = tact_tinybvh_open(&mesh->mesh->model, b->run.threads);
    return good;
}

static bool open_scenes(const tact_rays_bench* b, tact_rays_mesh* mesh, tact_problem* problem)
{
    tact_context* context = b->run.session.context;
    for (int i = 0; i < TACT_BENCH_QUALITIES; ++i) {
        if (!wanted(b->tree, i)) continue;
        double whole = 0.0, commit = 0.0;
        if (!tact_bench_rays_scene(&mesh->mesh->model, context, i, &mesh->scenes[i], &whole, &commit, problem))
            return false;
        if (!mesh->first) mesh->first = mesh->scenes[i];
        if (b->stream || b->askers) break;
    }
    tact_scene_stats stats;
    const tact_result result = tact_scene_get_stats(mesh->first, &stats);
    if (result < 0) return tact_problem_from_result(problem, result, context, "the scene");
    mesh->bounds = tact_ray_bounds(&stats);
    tact_system_memory(NULL, &mesh->built_peak);
    return true;
}

static bool measure_cases(tact_rays_bench* b, const tact_rays_mesh* mesh, tact_problem* problem)
{
    bool good = true;
    for (int k = 0; good && k < TACT_BENCH_SETS * TACT_BENCH_MODES; ++k) {
        const int set = k / TACT_BENCH_MODES, mode = k % TACT_BENCH_MODES;
        if (!wanted(b->set, set) || !wanted(b->mode, mode)) continue;
        good = tact_bench_rays_measure(b, mesh, (tact_bench_set)set, (tact_ray_mode)mode, problem);
        tact_progress_update((double)(k + 1) / (TACT_BENCH_SETS * TACT_BENCH_MODES), &b->run.progress);
    }
    return good;
}

static bool measure_mesh(tact_bench_run* run, const tact_suite_mesh* of, tact_problem* problem)
{
    tact_rays_bench* b = (void*)run;
    tact_rays_mesh mesh = {.mesh = of};
    bool good = true;
    if (b->askers)
        good = open_scenes(b, &mesh, problem) && open_peers(b, &mesh, problem) &&
               tact_bench_rays_askers(b, &mesh, problem);
    else if (b->stream)
        good = open_scenes(b, &mesh, problem) && tact_bench_rays_stream(b, &mesh, problem);
    else if (wanted(b->part, PART_RAYS))
        good = open_scenes(b, &mesh, problem) && open_peers(b, &mesh, problem) && measure_cases(b, &mesh, problem);
    tact_embree_close(mesh.embree[0]);
    tact_embree_close(mesh.embree[1]);
    tact_tinybvh_close(mesh.tinybvh);
    for (int i = 0; i < TACT_BENCH_QUALITIES; ++i)
        tact_scene_destroy(mesh.scenes[i]);
    return good && (b->stream || b->askers || !wanted(b->part, PART_BUILDS) || tact_bench_rays_build(b, of, problem));
}

static bool settle(tact_rays_bench* b, tact_problem* problem)
{
    const bool quick = b->run.quick;
    if (b->triangles == UINT64_MAX) {
        b->triangles = quick ? QUICK_TRIANGLES : TERRAIN_TRIANGLES;
        if (b->stream && b->run.meshes.count + b->run.made.count > 0) b->triangles = 0;
    }
    const size_t meshes = b->run.meshes.count + b->run.made.count + (b->triangles > 0);
    if (meshes == 0) return tact_problem_set(problem, "--triangles 0: without a --mesh there is nothing to measure");
    if (b->sorts && !b->run.devices) return tact_problem_set(problem, "--sorts: only with --devices");
    if (b->stream && b->askers) return tact_problem_set(problem, "--stream and --askers: one of them");
    if (b->stream && meshes > 1) return tact_problem_set(problem, "--stream: one mesh at a time");
    if (b->rays == 0) b->rays = quick ? 100000 : UINT64_C(1) << 20;
    return true;
}

static void print_part(const tact_report* part, const char* about)
{
    if (part->row_count == 0) return;
    puts(about);
    tact_report_print(part);
}

static bool report(tact_rays_bench* b, tact_problem* problem)
{
    cJSON* root = b->run.report.root;
    uint64_t peak = 0;
    const bool known = tact_system_memory(NULL, &peak);
    tact_json_truth(root, "embree", tact_embree_have() && !b->no_peers);
    if (known) tact_json_count(root, "peak_bytes", peak);
    char heading[160];
    if (b->askers)
        snprintf(heading, sizeof heading,
                 "%" PRIu64 " threads ask one scene at once, each on itself alone; medians of %" PRIu64 " rounds",
                 b->askers, b->run.repeat);
    else
        snprintf(heading, sizeof heading,
                 "%d threads; medians of %" PRIu64 " rounds after a warm-up, all forms in turn in each round",
                 b->run.threads, b->run.repeat);
    if (!tact_bench_report(&b->run, TACT_BACKEND_CPU, heading, problem)) return false;
    if (b->run.out && !tact_report_csv(&b->builds, b->run.out, "builds.csv", problem)) return false;
    if (b->run.common.json) return true;
    const cJSON* empty = cJSON_GetObjectItem(root, "empty_call_ns");
    if (empty) printf("\na call of no rays: %.0f ns\n", empty->valuedouble);
    if (!b->no_checks)
        print_part(&b->checks, "\nThe same rays on one thread, in another order, and (some of them) by brute force:");
    print_part(&b->builds,
               "\nBuilding; bytes a triangle as the library tells them, and counted: held then, and the most while "
               "building:");
    print_part(&b->summary,
               "\nOurs against Embree's faster single-ray form, and against its fastest form (ratios of medians):");
    if (known) printf("\npeak memory of this process: %.1f MB\n", (double)peak * 1e-6);
    return true;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    tact_rays_bench* b = (void*)run;
    const bool reference = run->common.backend == TACT_BACKEND_REFERENCE;
    if (!reference && !settle(b, problem)) return false;
    if (!run->devices && !reference) run->common.backend = TACT_BACKEND_CPU;
    if (!tact_bench_begin(run, "bench rays", 3, 7, problem)) return false;
    cJSON* aside = cJSON_CreateObject();
    b->cases = run->report.rows;
    tact_report_open(&b->checks, aside, "checks");
    tact_report_open(&b->summary, aside, "summary");
    tact_report_open(&b->builds, run->report.root, "builds");
    tact_bench_rays_builds_heads(b);
    const bool good = tact_depth_meshes(run, b->triangles, measure_mesh, problem) && report(b, problem);
    tact_report_close(&b->checks);
    tact_report_close(&b->summary);
    tact_report_close(&b->builds);
    cJSON_Delete(aside);
    return good && tact_bench_verdict(run->wrong, "checks failed", problem);
}

static const char help_text[] =
    "Usage: tact bench rays [MESH ...] [--made NAME]... [--triangles N] [--rays N] [--set SET] [--mode MODE] "
    "[options]\n\n"
    "Times ray casts on the CPU beside every form that Embree has for them, where it was found when building: single\n"
    "rays, packets, streams, in a fast and in a robust scene, with as many threads. All forms take turns.\n";

int tact_command_bench_rays(int argc, char** argv, tact_problem* problem)
{
    static const char* const sets[] = {"all", "camera", "random", "segments", "oblique", NULL};
    static const char* const modes[] = {"all", "closest", "any", NULL};
    static const char* const trees[] = {"all", "medium", "fast", "high", "refitted", NULL};
    static const char* const parts[] = {"all", "rays", "builds", NULL};
    static const char* const qualities[] = {"low", "medium", "high", NULL};
    tact_rays_bench b = {.triangles = UINT64_MAX, .peer_quality = TACT_EMBREE_MEDIUM};
    const tact_option own[] = {
        TACT_BENCH_QUICK(b.run, "small sizes: seconds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_MESHES(b.run),
        {"made", "NAME", "and on this generated mesh: city, foliage, hair, rods, forest, or all; may be given again",
         TACT_OPTION_LIST, &b.run.made, 0, 0, NULL},
        TACT_NUMBER("triangles", "N", "of the generated terrain (default 1002528; 0: no terrain)", &b.triangles, 0,
                    UINT64_C(1) << 30),
        TACT_NUMBER("rays", "N", "of each set (default 2^20: a picture of 1024 x 1024)", &b.rays, 1, UINT64_C(1) << 28),
        TACT_CHOICE(
            "set", "SET",
            "all (default), camera, random, segments (both ends in the box) or oblique (a picture from half above)",
            &b.set, sets),
        TACT_CHOICE("mode", "MODE", "all (default), closest or any", &b.mode, modes),
        TACT_CHOICE("only", "PART", "all (default), rays or builds", &b.part, parts),
        TACT_NUMBER("stream", "N", "cast N random rays in slices of 2^20 instead, and watch the memory", &b.stream, 1,
                    UINT64_C(1) << 40),
        TACT_NUMBER("askers", "N", "N threads ask one scene at once instead, each with calls of 1 to 4096 rays",
                    &b.askers, 1, 256),
        TACT_BENCH_DEVICES(b.run),
        TACT_FLAG("sorts", "with --devices: each also with the rays sorted, and not, whatever is thought best",
                  &b.sorts),
        TACT_CHOICE("tree", "T", "all (default), medium, fast, high or refitted: which of our trees", &b.tree, trees),
        TACT_CHOICE("peer-quality", "Q", "low, medium (default) or high: of Embree's trees", &b.peer_quality,
                    qualities),
        TACT_TEXT("peer-config", "TEXT", "further configuration of Embree's device, such as isa=avx2", &b.peer_config),
        TACT_FLAG("no-checks", "only times: no other order or number of threads, no brute force", &b.no_checks),
        TACT_FLAG("no-peers", "without Embree", &b.no_peers),
        TACT_FLAG("all-forms",
                  "time Embree's slow forms as often as the others, and tell it that all rays are coherent",
                  &b.all_forms),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
