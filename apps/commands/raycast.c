// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/explain_out.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/rays.h"
#include "apps/json_out.h"
#include "apps/pictures/picture.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/timing.h"

typedef struct raycast_options {
    tact_common_options common;
    tact_text_list meshes;
    const char *rays, *out, *image;
    int mode;       ///< a tact_ray_mode
    int cull;       ///< a tact_ray_cull
    uint64_t mask;  ///< 0: every mesh
} raycast_options;

/// What a run of the command holds; all of it is released at one place.
typedef struct raycast_run {
    raycast_options options;
    tact_ray_source source;
    tact_session session;
    tact_model model;
    uint64_t dropped_faces;
    tact_scene* scene;
    tact_scene_stats stats;
    tact_ray* rays;
    uint64_t count;
    tact_hit* hits;
    tact_raycast_timing timing;
    uint64_t rays_that_hit, triangles_hit;
} raycast_run;

static const char* const modes[] = {"closest", "any", "count", NULL};
static const char* const sides[] = {"none", "back", "front", NULL};

static bool check_options(raycast_run* run, tact_problem* problem)
{
    const raycast_options* options = &run->options;
    if (options->meshes.count == 0) return tact_problem_set(problem, "--mesh FILE is needed");
    if (!tact_ray_source_parse(options->rays, &run->source, problem)) return false;
    if (options->image && run->source.kind != TACT_RAYS_CAMERA) {
        return tact_problem_set(problem, "--image %s: needs --rays camera:WxH", options->image);
    }
    if (options->image && options->mode != TACT_RAY_CLOSEST) {
        return tact_problem_set(problem, "--image %s: needs --mode closest", options->image);
    }
    return tact_expect_check(&options->common, problem);
}

static bool load_meshes(raycast_run* run, tact_problem* problem)
{
    for (size_t i = 0; i < run->options.meshes.count; ++i) {
        tact_model_mesh mesh;
        if (!tact_mesh_file_read_guarded(run->options.meshes.items[i], &mesh, problem)) return false;
        run->dropped_faces += mesh.dropped_faces;
        if (!tact_model_add_mesh(&run->model, &mesh, problem) ||
            !tact_model_add_instance(&run->model, (uint32_t)i, NULL, problem)) {
            return false;
        }
    }
    return true;
}

/// Mesh i is seen by the rays that have bit i, as far as there are bits.
static bool set_masks(raycast_run* run, tact_problem* problem)
{
    if (run->options.mask == 0) return true;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < run->options.meshes.count && result == TACT_OK; ++i) {
        const uint32_t bit = i < 32 ? 1u << i : 0u;
        result = tact_scene_set_mask(run->scene, (uint32_t)i, bit);
    }
    if (result == TACT_OK) result = tact_scene_commit(run->scene);
    if (result == TACT_OK) return true;
    return tact_problem_from_result(problem, result, run->session.context, "masks");
}

static bool cast(raycast_run* run, tact_problem* problem)
{
    const raycast_options* options = &run->options;
    const tact_ray_rules rules = {.mask = (uint32_t)options->mask, .cull = (tact_ray_cull)options->cull};
    if (run->count > SIZE_MAX / sizeof *run->hits) return tact_problem_out_of_memory(problem, "the hits");
    run->hits = malloc(run->count ? (size_t)run->count * sizeof *run->hits : 1);
    if (!run->hits) return tact_problem_out_of_memory(problem, "the hits");
    tact_progress progress;
    tact_progress_start(&progress, "casting rays", options->common.quiet);
    const tact_raycast_work work = {
        .context = run->session.context,
        .scene = run->scene,
        .mode = (tact_ray_mode)options->mode,
        .rays = run->rays,
        .count = (size_t)run->count,
        .hits = run->hits,
        .rules = &rules,
        .options = tact_query_asked(&options->common),
        .progress = &progress,
        .repeat = options->common.repeat ? options->common.repeat : 1,
        // Brute force has nothing to warm up and takes its time.
        .warm_up = options->common.backend != TACT_BACKEND_REFERENCE,
    };
    const bool good = tact_time_raycast(&work, &run->timing, problem);
    tact_progress_end(&progress);
    if (!good) return false;

    // The report as the command gives it: medians, and all that was built.
    tact_query_report* report = &run->timing.report;
    report->build_ms = run->stats.build_ms + run->timing.build_ms;
    report->upload_ms = run->timing.upload.median;
    report->query_ms = run->timing.query.median;
    report->download_ms = run->timing.download.median;
    report->total_ms = report->build_ms + report->upload_ms + report->query_ms + report->download_ms;
    return true;
}

static void count_hits(raycast_run* run)
{
    for (uint64_t i = 0; i < run->count; ++i) {
        const tact_hit* hit = &run->hits[i];
        const uint32_t triangles =
            run->options.mode == TACT_RAY_COUNT ? hit->primitive : (hit->instance != TACT_NONE ? 1u : 0u);
        run->rays_that_hit += triangles > 0;
        run->triangles_hit += triangles;
    }
}

static double rays_per_second(const raycast_run* run)
{
    const double ms = run->timing.run.median;
    return ms > 0.0 ? (double)run->count / ms * 1e3 : 0.0;
}

static bool report_json(const raycast_run* run, tact_problem* problem)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "raycast", &run->timing.report, run->count, run->rays_that_hit, run->timing.digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    tact_json_count(root, "rays", run->count);
    tact_json_count(root, "hits", run->rays_that_hit);
    if (run->options.mode == TACT_RAY_COUNT) tact_json_count(root, "triangles_hit", run->triangles_hit);
    tact_json_text(root, "mode", modes[run->options.mode]);
    tact_json_text(root, "cull", sides[run->options.cull]);
    if (run->options.mask) tact_json_count(root, "mask", run->options.mask);
    tact_json_text(root, "source", run->options.rays);
    tact_json_count(root, "seed", run->options.common.seed);
    tact_json_count(root, "instances", run->stats.instances);
    tact_json_count(root, "triangles", run->stats.triangles);
    tact_json_count(root, "skipped_triangles", run->stats.skipped_triangles);
    tact_json_count(root, "dropped_faces", run->dropped_faces);
    tact_json_count(root, "repeat", run->options.common.repeat ? run->options.common.repeat : 1);
    tact_json_number(root, "first_run_ms", run->timing.first_ms);
    tact_json_number(root, "rays_per_second", rays_per_second(run));
    tact_json_count(root, "failures", run->timing.report.failures);
    if (run->options.common.shadow) tact_json_text(root, "shadow", "equal");
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void report_people(const raycast_run* run)
{
    const tact_query_report* r = &run->timing.report;
    printf("scene   %" PRIu64 " triangles", run->stats.triangles);
    if (run->stats.instances != 1) printf(" in %" PRIu64 " meshes", run->stats.instances);
    if (run->stats.skipped_triangles) printf(", %" PRIu64 " never hit (not finite)", run->stats.skipped_triangles);
    if (run->dropped_faces) printf(", %" PRIu64 " points or lines dropped", run->dropped_faces);
    printf("\ndevice  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\n", r->reason);
    printf("rays    %" PRIu64 " (%s), mode %s", run->count, run->options.rays, modes[run->options.mode]);
    if (run->options.cull) printf(", %s sides left out", sides[run->options.cull]);
    if (run->options.mask) printf(", mask %" PRIu64, run->options.mask);
    printf("\n");
    printf("hits    %" PRIu64 " (%.2f %%)", run->rays_that_hit,
           run->count ? 100.0 * (double)run->rays_that_hit / (double)run->count : 0.0);
    if (run->options.mode == TACT_RAY_COUNT) printf(", %" PRIu64 " triangles", run->triangles_hit);
    printf("\ndigest  %s, %s", run->timing.digest.text, r->exact ? "exact" : "with a tolerance of ");
    if (!r->exact) printf("%g", r->tolerance);
    printf("%s\n", run->options.common.shadow ? ", equal to the reference" : "");
    printf("time    build %.2f ms, upload %.2f, query %.2f, download %.2f, total %.2f\n", r->build_ms, r->upload_ms,
           r->query_ms, r->download_ms, r->total_ms);
    printf("rate    %.3f million rays a second\n", rays_per_second(run) * 1e-6);
}

static bool write_outputs(const raycast_run* run, tact_problem* problem)
{
    const raycast_options* options = &run->options;
    if (options->out && !tact_npy_write(options->out, TACT_NPY_HIT, run->count, 0, run->hits, problem)) return false;
    return !options->image || tact_picture_of_hits(options->image, &run->model, run->rays, run->hits, run->source.width,
                                                   run->source.height, problem);
}

static bool execute(raycast_run* run, tact_problem* problem)
{
    const raycast_options* options = &run->options;
    if (!check_options(run, problem) || !load_meshes(run, problem)) return false;
    if (run->source.kind == TACT_RAYS_FILE &&
        !tact_rays_make(&run->source, NULL, 0, &run->rays, &run->count, problem)) {
        return false;
    }
    if (!tact_session_open(&run->session, &options->common, problem) ||
        !tact_model_build(&run->model, run->session.context, &run->scene, &run->stats, problem)) {
        return false;
    }
    const tact_bounds bounds = tact_ray_bounds(&run->stats);
    if (!run->rays && !tact_rays_make(&run->source, &bounds, options->common.seed, &run->rays, &run->count, problem)) {
        return false;
    }
    if (!set_masks(run, problem) || !cast(run, problem)) return false;
    count_hits(run);
    if (!write_outputs(run, problem)) return false;
    if (options->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&options->common, run->timing.digest.text, problem);
}

static const char help_text[] =
    "Usage: tact raycast --mesh FILE [--mesh FILE ...] [options]\n\n"
    "Casts a batch of rays. Files given as --mesh are instances 0, 1, ... in that order.\n";

int tact_command_raycast(int argc, char** argv, tact_problem* problem)
{
    raycast_run run = {.options = {.rays = "camera:1024x1024"}};
    raycast_options* o = &run.options;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        {"mesh", "FILE", "a mesh; may be given again", TACT_OPTION_LIST, &o->meshes, 0, 0, NULL},
        {"rays", "R", "camera:WxH (default camera:1024x1024), random:N or a .npy file", TACT_OPTION_TEXT, &o->rays, 0,
         0, NULL},
        {"mode", "M", "closest (default), any or count", TACT_OPTION_CHOICE, &o->mode, 0, 0, modes},
        {"cull", "S", "sides that are not hit: none (default), back or front", TACT_OPTION_CHOICE, &o->cull, 0, 0,
         sides},
        {"mask", "N", "cast only at the meshes whose bits it has: 1 the first, 2 the second, 4 the third ...",
         TACT_OPTION_NUMBER, &o->mask, 1, UINT32_MAX, NULL},
        {"out", "FILE.npy", "write the hits", TACT_OPTION_TEXT, &o->out, 0, 0, NULL},
        {"image", "FILE.png", "write a picture (camera rays, closest hits)", TACT_OPTION_TEXT, &o->image, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&run, problem));
    tact_scene_destroy(run.scene);
    tact_session_close(&run.session);
    tact_model_free(&run.model);
    tact_text_list_free(&o->meshes);
    free(run.rays);
    free(run.hits);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
