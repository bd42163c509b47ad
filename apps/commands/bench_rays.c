// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/rays.h"
#include "apps/commands.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "apps/system.h"

/// Without --triangles: 2 x 708 x 708.
enum { TERRAIN_TRIANGLES = 1002528, QUICK_TRIANGLES = 32768 };

typedef struct rays_bench {
    tact_bench_rays_settings settings;
    tact_session session;
    tact_bench_rays_results results;
    tact_progress progress;
} rays_bench;

enum { PART_RAYS = 0, PART_BUILDS = 1 };

static bool wanted(int choice, int value)
{
    return choice == 0 || choice == value + 1;
}

static bool open_peers(const tact_bench_rays_settings* settings, tact_bench_rays_mesh* mesh, tact_problem* problem)
{
    bool good = true;
    for (int robust = 0; good && robust < 2 && tact_embree_have() && !settings->no_peers; ++robust) {
        const tact_embree_desc desc = {.threads = settings->threads,
                                       .quality = (tact_embree_quality)settings->peer_quality,
                                       .config = settings->peer_config,
                                       .robust = robust != 0};
        good = tact_embree_open(mesh->model, &desc, &mesh->embree[robust], problem);
    }
    return good;
}

static bool open_scenes(const rays_bench* bench, tact_bench_rays_mesh* mesh, tact_problem* problem)
{
    tact_context* context = bench->session.context;
    for (int i = 0; i < TACT_BENCH_QUALITIES; ++i) {
        if (!wanted(bench->settings.tree, i)) continue;
        double whole = 0.0, commit = 0.0;
        if (!tact_bench_rays_scene(mesh->model, context, i, &mesh->scenes[i], &whole, &commit, problem)) return false;
        if (!mesh->first) mesh->first = mesh->scenes[i];
        if (bench->settings.stream) break;
    }
    tact_scene_stats stats;
    const tact_result result = tact_scene_get_stats(mesh->first, &stats);
    if (result < 0) return tact_problem_from_result(problem, result, context, "the scene");
    mesh->bounds = tact_ray_bounds(&stats);
    tact_system_memory(NULL, &mesh->built_peak);
    return true;
}

static bool bench_cases(rays_bench* bench, const tact_bench_rays_mesh* mesh, tact_problem* problem)
{
    const tact_bench_rays_settings* settings = &bench->settings;
    for (int set = 0; set < TACT_BENCH_SETS; ++set) {
        for (int mode = 0; mode < TACT_BENCH_MODES; ++mode) {
            if (!wanted(settings->set, set) || !wanted(settings->mode, mode)) continue;
            if (!tact_bench_rays_measure(settings, bench->session.context, mesh, (tact_bench_set)set,
                                         (tact_ray_mode)mode, &bench->results, problem)) {
                return false;
            }
            tact_progress_update((double)(set * TACT_BENCH_MODES + mode + 1) / (TACT_BENCH_SETS * TACT_BENCH_MODES),
                                 &bench->progress);
        }
    }
    return true;
}

static bool bench_model(rays_bench* bench, const char* name, const tact_model* model, tact_problem* problem)
{
    const tact_bench_rays_settings* settings = &bench->settings;
    tact_bench_rays_mesh mesh = {.name = name, .model = model};
    bool good = true;
    if (settings->stream || wanted(settings->part, PART_RAYS)) {
        good = open_scenes(bench, &mesh, problem);
        if (good && settings->stream) {
            good = tact_bench_rays_stream(settings, bench->session.context, mesh.first, &mesh.bounds, &bench->results,
                                          problem);
        } else if (good) {
            good = open_peers(settings, &mesh, problem) && bench_cases(bench, &mesh, problem);
        }
    }
    tact_embree_close(mesh.embree[0]);
    tact_embree_close(mesh.embree[1]);
    for (int i = 0; i < TACT_BENCH_QUALITIES; ++i)
        tact_scene_destroy(mesh.scenes[i]);
    if (good && !settings->stream && wanted(settings->part, PART_BUILDS)) {
        good = tact_bench_rays_build(settings, bench->session.context, name, model, &bench->results, problem);
    }
    ++bench->progress.part;
    return good;
}

static bool bench_mesh(rays_bench* bench, const char* name, bool made, tact_model_mesh* mesh, tact_problem* problem)
{
    tact_model model = {0};
    const bool good = made && tact_model_add_mesh(&model, mesh, problem) &&
                      tact_model_add_instance(&model, 0, NULL, problem) && bench_model(bench, name, &model, problem);
    tact_model_free(&model);
    return good;
}

static bool bench_terrain(rays_bench* bench, tact_problem* problem)
{
    const uint64_t triangles = bench->settings.triangles;
    if (triangles == 0) return true;
    unsigned side = (unsigned)sqrt((double)triangles / 2.0);
    if (side == 0) side = 1;
    char name[64];
    snprintf(name, sizeof name, "terrain %" PRIu64, (uint64_t)2 * side * side);
    tact_model_mesh mesh;
    const bool made = tact_mesh_terrain(side, bench->settings.common.seed, &mesh, problem);
    return bench_mesh(bench, name, made, &mesh, problem);
}

static bool bench_all(rays_bench* bench, tact_problem* problem)
{
    const tact_text_list* meshes = &bench->settings.meshes;
    tact_progress_start(&bench->progress, "measuring", bench->settings.common.quiet);
    bench->progress.parts = meshes->count + (bench->settings.triangles > 0);
    bool good = true;
    for (size_t i = 0; good && i < meshes->count; ++i) {
        tact_model_mesh mesh;
        const char* slash = strrchr(meshes->items[i], '/');
        const bool made = tact_mesh_file_read_guarded(meshes->items[i], &mesh, problem);
        good = bench_mesh(bench, slash ? slash + 1 : meshes->items[i], made, &mesh, problem);
    }
    good = good && bench_terrain(bench, problem);
    tact_progress_end(&bench->progress);
    return good;
}

static bool settle(tact_bench_rays_settings* settings, tact_problem* problem)
{
    if (settings->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    settings->repeat = settings->common.repeat ? settings->common.repeat : (settings->quick ? 3 : 7);
    if (settings->triangles == UINT64_MAX) {
        settings->triangles = settings->quick ? QUICK_TRIANGLES : TERRAIN_TRIANGLES;
        if (settings->stream && settings->meshes.count > 0) settings->triangles = 0;
    }
    if (settings->meshes.count + (settings->triangles > 0) == 0) {
        return tact_problem_set(problem, "--triangles 0: without a --mesh there is nothing to measure");
    }
    if (settings->sorts && !settings->devices) {
        return tact_problem_set(problem, "--sorts: only with --devices");
    }
    if (settings->stream && settings->meshes.count + (settings->triangles > 0) > 1) {
        return tact_problem_set(problem, "--stream: one mesh at a time");
    }
    if (settings->rays == 0) settings->rays = settings->quick ? 100000 : UINT64_C(1) << 20;
    return true;
}

static bool execute(rays_bench* bench, tact_problem* problem)
{
    tact_bench_rays_settings* settings = &bench->settings;
    if (!settle(settings, problem)) return false;
    if (settings->out && !tact_system_make_directory(settings->out, problem)) return false;
    if (!settings->devices) settings->common.backend = TACT_BACKEND_CPU;
    if (!tact_session_open(&bench->session, &settings->common, problem)) return false;
    tact_device_info cpu;
    tact_session_device(&bench->session, TACT_BACKEND_CPU, &cpu);
    settings->threads = (int)cpu.compute_units;
    if (!bench_all(bench, problem)) return false;
    if (!tact_bench_rays_report(settings, &bench->session, &bench->results, problem)) return false;
    return tact_bench_verdict(bench->results.wrong, "checks failed", problem);
}

static const char help_text[] =
    "Usage: tact bench rays [--mesh FILE]... [--triangles N] [--rays N] [--set SET] [--mode MODE] [options]\n\n"
    "Times ray casts on the CPU beside every form that Embree has for them, where it was found when building: single\n"
    "rays, packets, streams, in a fast and in a robust scene, with as many threads. All forms take turns.\n";

int tact_command_bench_rays(int argc, char** argv, tact_problem* problem)
{
    static const char* const sets[] = {"all", "camera", "random", "segments", "oblique", NULL};
    static const char* const modes[] = {"all", "closest", "any", NULL};
    static const char* const trees[] = {"all", "medium", "fast", "high", "refitted", NULL};
    static const char* const parts[] = {"all", "rays", "builds", NULL};
    static const char* const qualities[] = {"low", "medium", "high", NULL};
    rays_bench bench = {.settings = {.triangles = UINT64_MAX, .peer_quality = TACT_EMBREE_MEDIUM}};
    tact_bench_rays_settings* s = &bench.settings;
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&s->common, common);
    const tact_option own[] = {
        {"quick", NULL, "small sizes: seconds", TACT_OPTION_FLAG, &s->quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json and bench.csv there", TACT_OPTION_TEXT, &s->out, 0, 0, NULL},
        {"mesh", "FILE", "measure on this mesh; may be given again", TACT_OPTION_LIST, &s->meshes, 0, 0, NULL},
        {"triangles", "N", "of the generated terrain (default 1002528; 0: no terrain)", TACT_OPTION_NUMBER,
         &s->triangles, 0, UINT64_C(1) << 30, NULL},
        {"rays", "N", "of each set (default 2^20: a picture of 1024 x 1024)", TACT_OPTION_NUMBER, &s->rays, 1,
         UINT64_C(1) << 28, NULL},
        {"set", "SET",
         "all (default), camera, random, segments (both ends in the box) or oblique (a picture from half above)",
         TACT_OPTION_CHOICE, &s->set, 0, 0, sets},
        {"mode", "MODE", "all (default), closest or any", TACT_OPTION_CHOICE, &s->mode, 0, 0, modes},
        {"only", "PART", "all (default), rays or builds", TACT_OPTION_CHOICE, &s->part, 0, 0, parts},
        {"stream", "N", "cast N random rays in slices of 2^20 instead, and watch the memory", TACT_OPTION_NUMBER,
         &s->stream, 1, UINT64_C(1) << 40, NULL},
        {"devices", NULL, "also OpenGL and OpenCL, taking turns with the rest", TACT_OPTION_FLAG, &s->devices, 0, 0,
         NULL},
        {"sorts", NULL, "with --devices: each also with the rays sorted, and not, whatever is thought best",
         TACT_OPTION_FLAG, &s->sorts, 0, 0, NULL},
        {"tree", "T", "all (default), medium, fast, high or refitted: which of our trees", TACT_OPTION_CHOICE, &s->tree,
         0, 0, trees},
        {"peer-quality", "Q", "low, medium (default) or high: of Embree's trees", TACT_OPTION_CHOICE, &s->peer_quality,
         0, 0, qualities},
        {"peer-config", "TEXT", "what else Embree's device is told, such as isa=avx2", TACT_OPTION_TEXT,
         &s->peer_config, 0, 0, NULL},
        {"no-checks", NULL, "only times: no other order or number of threads, no brute force", TACT_OPTION_FLAG,
         &s->no_checks, 0, 0, NULL},
        {"no-peers", NULL, "without Embree", TACT_OPTION_FLAG, &s->no_peers, 0, 0, NULL},
        {"all-forms", NULL, "time Embree's slow forms as often as the others, and tell it that all rays are coherent",
         TACT_OPTION_FLAG, &s->all_forms, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {.own = own, .common = common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&bench, problem));
    tact_session_close(&bench.session);
    tact_text_list_free(&s->meshes);
    free(bench.results.cases);
    free(bench.results.builds);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
