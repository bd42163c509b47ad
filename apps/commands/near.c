// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/digest.h"
#include "apps/explain_out.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/points.h"
#include "apps/json_out.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/timing.h"
#include "tact/sphere_cast.h"

// `tact closest` and `tact spherecast`: one query for each row of an array, one answer for each.

typedef struct near_run near_run;

/// What the two commands differ in.
typedef struct near_command {
    const char *name, *doing, *items;
    size_t query_bytes, hit_bytes;
    tact_npy_type type;
    bool (*make)(near_run* run, const tact_bounds* bounds, tact_problem* problem);
    tact_result (*ask)(near_run* run, const tact_query_options* options, tact_query_report* report);
} near_command;

static const near_command closest, spherecast;

struct near_run {
    const near_command* command;
    tact_common_options common;
    tact_text_list meshes;
    const char *source, *number, *out;
    double size;  ///< greatest distance, or radius
    tact_ray_source rays;
    tact_session session;
    tact_model model;
    tact_scene* scene;
    tact_scene_stats stats;
    void *queries, *hits;
    uint64_t count, found;
    tact_phase_times times;
    tact_query_report report;
    tact_digest digest;
};

static bool parse_size(near_run* run, const char* option, tact_problem* problem)
{
    char* end = NULL;
    run->size = strtod(run->number, &end);
    if (end == run->number || *end || !(run->size >= 0.0)) {
        return tact_problem_set(problem, "--%s %s: must be a number from 0 on", option, run->number);
    }
    return true;
}

static bool parse_source(near_run* run, tact_problem* problem)
{
    if (run->command == &spherecast) return tact_ray_source_parse(run->source, &run->rays, problem);
    run->rays = (tact_ray_source){.kind = TACT_RAYS_FILE, .path = run->source};
    if (strncmp(run->source, "random:", 7) != 0) return true;
    run->rays.kind = TACT_RAYS_RANDOM;
    if (tact_number_parse(run->source + 7, 0, TACT_RAYS_MAX, &run->rays.count, NULL)) return true;
    return tact_problem_set(problem, "--points %s: must be random:N with a whole number up to 2^31", run->source);
}

static bool load_meshes(near_run* run, tact_problem* problem)
{
    if (run->meshes.count == 0) return tact_problem_set(problem, "--mesh FILE is needed");
    for (size_t i = 0; i < run->meshes.count; ++i) {
        tact_model_mesh mesh;
        if (!tact_mesh_file_read_guarded(run->meshes.items[i], &mesh, problem) ||
            !tact_model_add_mesh(&run->model, &mesh, problem) ||
            !tact_model_add_instance(&run->model, (uint32_t)i, NULL, problem)) {
            return false;
        }
    }
    return true;
}

static bool make_points(near_run* run, const tact_bounds* bounds, tact_problem* problem)
{
    if (run->rays.kind == TACT_RAYS_FILE) {
        tact_npy_table table;
        if (!tact_npy_read(run->rays.path, TACT_NPY_FLOAT32, 3, &table, problem)) return false;
        run->count = table.rows;
        tact_closest_query* points = malloc((run->count ? (size_t)run->count : 1) * sizeof *points);
        run->queries = points;
        const float* from = table.data;
        for (uint64_t i = 0; points && i < run->count; ++i)
            points[i] = (tact_closest_query){from[3 * i], from[3 * i + 1], from[3 * i + 2], (float)run->size};
        free(table.data);
        return points || tact_problem_out_of_memory(problem, "the points");
    }
    run->count = run->rays.count;
    run->queries = malloc((run->count ? (size_t)run->count : 1) * sizeof(tact_closest_query));
    if (!run->queries) return tact_problem_out_of_memory(problem, "the points");
    tact_points_random(bounds, run->common.seed, run->count, (float)run->size, run->queries);
    return true;
}

static tact_result ask_points(near_run* run, const tact_query_options* options, tact_query_report* report)
{
    return tact_closest_points(run->scene, run->queries, (size_t)run->count, run->hits, options, report);
}

static bool make_spheres(near_run* run, const tact_bounds* bounds, tact_problem* problem)
{
    tact_ray* rays = NULL;
    if (!tact_rays_make(&run->rays, bounds, run->common.seed, &rays, &run->count, problem)) return false;
    tact_sphere_cast* casts = malloc((run->count ? (size_t)run->count : 1) * sizeof *casts);
    run->queries = casts;
    for (uint64_t i = 0; casts && i < run->count; ++i)
        casts[i] = (tact_sphere_cast){rays[i], (float)run->size};
    free(rays);
    return casts || tact_problem_out_of_memory(problem, "the spheres");
}

static tact_result ask_spheres(near_run* run, const tact_query_options* options, tact_query_report* report)
{
    return tact_cast_spheres(run->scene, run->queries, (size_t)run->count, run->hits, options, report);
}

static const near_command closest = {"closest",
                                     "finding closest points",
                                     "points",
                                     sizeof(tact_closest_query),
                                     sizeof(tact_closest_hit),
                                     TACT_NPY_CLOSEST,
                                     make_points,
                                     ask_points};
static const near_command spherecast = {
    "spherecast",    "casting spheres", "spheres",  sizeof(tact_sphere_cast), sizeof(tact_sphere_hit),
    TACT_NPY_SPHERE, make_spheres,      ask_spheres};

static uint64_t repeats(const near_run* run)
{
    return run->common.repeat ? run->common.repeat : 1;
}

/// All runs, the first of which is a warm-up, but for brute force.
static bool ask(near_run* run, tact_problem* problem)
{
    const bool warm_up = run->common.backend != TACT_BACKEND_REFERENCE;
    const uint64_t runs = repeats(run) + (warm_up ? 1 : 0);
    run->hits = malloc((run->count ? (size_t)run->count : 1) * run->command->hit_bytes);
    if (!run->hits) return tact_problem_out_of_memory(problem, "the answers");
    if (!tact_phase_times_start(&run->times, (size_t)repeats(run), problem)) return false;
    tact_progress progress;
    tact_progress_start(&progress, run->command->doing, run->common.quiet);
    tact_query_options options = tact_query_asked(&run->common);
    options.progress = tact_progress_update;
    options.progress_user = &progress;
    progress.parts = runs;
    bool good = true;
    for (uint64_t i = 0; i < runs && good; ++i) {
        progress.part = i;
        const double built = run->report.build_ms;
        const tact_result result = run->command->ask(run, &options, &run->report);
        if (result < 0) {
            good = tact_problem_from_result(problem, result, run->session.context, run->command->doing);
            break;
        }
        run->report.build_ms += built;
        const tact_digest digest = tact_digest_of(run->hits, (size_t)run->count * run->command->hit_bytes);
        if (i > 0 && strcmp(digest.text, run->digest.text) != 0) {
            good = tact_problem_set(problem, "other bytes when asked again: digest %s, then %s", run->digest.text,
                                    digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
        }
        run->digest = digest;
        if (!warm_up || i > 0) tact_phase_times_add(&run->times, &run->report);
    }
    tact_progress_end(&progress);
    return good;
}

static void count_found(near_run* run)
{
    for (uint64_t i = 0; i < run->count; ++i) {
        uint32_t instance;
        memcpy(&instance, (const char*)run->hits + i * run->command->hit_bytes, sizeof instance);
        run->found += instance != TACT_NONE;
    }
}

static double per_second(const near_run* run)
{
    const double ms = run->report.upload_ms + run->report.query_ms + run->report.download_ms;
    return ms > 0.0 ? (double)run->count / ms * 1e3 : 0.0;
}

static bool report_json(const near_run* run, tact_problem* problem)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, run->command->name, &run->report, run->count, run->found, run->digest.text);
    tact_explain_json(root, &run->session, &run->common);
    tact_json_count(root, run->command->items, run->count);
    tact_json_count(root, "hits", run->found);
    tact_json_text(root, "source", run->source);
    tact_json_number(root, run->command == &closest ? "max_distance" : "radius", run->size);
    tact_json_count(root, "seed", run->common.seed);
    tact_json_count(root, "instances", run->stats.instances);
    tact_json_count(root, "triangles", run->stats.triangles);
    tact_json_count(root, "skipped_triangles", run->stats.skipped_triangles);
    tact_json_count(root, "repeat", repeats(run));
    tact_json_number(root, "per_second", per_second(run));
    tact_json_count(root, "failures", run->report.failures);
    if (run->common.shadow) tact_json_text(root, "shadow", "equal");
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void report_people(const near_run* run)
{
    const tact_query_report* r = &run->report;
    printf("scene   %" PRIu64 " triangles", run->stats.triangles);
    if (run->stats.instances != 1) printf(" in %" PRIu64 " meshes", run->stats.instances);
    if (run->stats.skipped_triangles) printf(", %" PRIu64 " never hit (not finite)", run->stats.skipped_triangles);
    printf("\ndevice  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\n%-7s %" PRIu64 " (%s)\n", r->reason, run->command->items, run->count, run->source);
    printf("hits    %" PRIu64 " (%.2f %%)\n", run->found,
           run->count ? 100.0 * (double)run->found / (double)run->count : 0.0);
    printf("digest  %s, %s", run->digest.text, r->exact ? "exact" : "with a tolerance of ");
    if (!r->exact) printf("%g", r->tolerance);
    printf("%s\n", run->common.shadow ? ", equal to the reference" : "");
    printf("time    build %.2f ms, upload %.2f, query %.2f, download %.2f, total %.2f\n", r->build_ms, r->upload_ms,
           r->query_ms, r->download_ms, r->total_ms);
    printf("rate    %.3f million %s a second\n", per_second(run) * 1e-6, run->command->items);
}

static bool execute(near_run* run, const char* size_option, tact_problem* problem)
{
    if (!parse_source(run, problem) || !parse_size(run, size_option, problem) ||
        !tact_expect_check(&run->common, problem) || !load_meshes(run, problem)) {
        return false;
    }
    if (!tact_session_open(&run->session, &run->common, problem) ||
        !tact_model_build(&run->model, run->session.context, &run->scene, &run->stats, problem)) {
        return false;
    }
    const tact_bounds bounds = tact_ray_bounds(&run->stats);
    if (!run->command->make(run, &bounds, problem) || !ask(run, problem)) return false;
    const double built = run->report.build_ms + run->stats.build_ms;
    tact_phase_times_report(&run->times, &run->report);
    run->report.build_ms = built;
    run->report.total_ms = built + run->report.upload_ms + run->report.query_ms + run->report.download_ms;
    count_found(run);
    if (run->out && !tact_npy_write(run->out, run->command->type, run->count, 0, run->hits, problem)) return false;
    if (run->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->common);
    }
    return tact_expect_digest(&run->common, run->digest.text, problem);
}

static int finish(near_run* run, bool good, const tact_problem* problem)
{
    tact_scene_destroy(run->scene);
    tact_session_close(&run->session);
    tact_model_free(&run->model);
    tact_text_list_free(&run->meshes);
    tact_phase_times_free(&run->times);
    free(run->queries);
    free(run->hits);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}

static const char closest_help[] =
    "Usage: tact closest --mesh FILE [--mesh FILE ...] [options]\n\n"
    "Finds the closest point of the meshes to each of many points. Files given as --mesh are instances 0, 1, ... in\n"
    "that order.\n";

int tact_command_closest(int argc, char** argv, tact_problem* problem)
{
    near_run run = {.command = &closest, .source = "random:100000", .number = "inf"};
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&run.common, common);
    const tact_option own[] = {
        {"mesh", "FILE", "a mesh; may be given again", TACT_OPTION_LIST, &run.meshes, 0, 0, NULL},
        {"points", "P", "random:N (default random:100000) or a .npy file", TACT_OPTION_TEXT, &run.source, 0, 0, NULL},
        {"max-distance", "D", "how far the closest point may be (default: however far)", TACT_OPTION_TEXT, &run.number,
         0, 0, NULL},
        {"out", "FILE.npy", "write the answers", TACT_OPTION_TEXT, &run.out, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good = tact_options_take(&set, closest_help, NULL, argc, argv, &work, problem) &&
                      (!work || execute(&run, "max-distance", problem));
    return finish(&run, good, problem);
}

static const char spherecast_help[] =
    "Usage: tact spherecast --mesh FILE [--mesh FILE ...] --radius R [options]\n\n"
    "Moves spheres along rays and tells what each touches first. Files given as --mesh are instances 0, 1, ... in "
    "that\n"
    "order.\n";

int tact_command_spherecast(int argc, char** argv, tact_problem* problem)
{
    near_run run = {.command = &spherecast, .source = "random:100000", .number = "0"};
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&run.common, common);
    const tact_option own[] = {
        {"mesh", "FILE", "a mesh; may be given again", TACT_OPTION_LIST, &run.meshes, 0, 0, NULL},
        {"rays", "R", "random:N (default random:100000), camera:WxH or a .npy file", TACT_OPTION_TEXT, &run.source, 0,
         0, NULL},
        {"radius", "R", "of all spheres (default 0)", TACT_OPTION_TEXT, &run.number, 0, 0, NULL},
        {"out", "FILE.npy", "write the answers", TACT_OPTION_TEXT, &run.out, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good = tact_options_take(&set, spherecast_help, NULL, argc, argv, &work, problem) &&
                      (!work || execute(&run, "radius", problem));
    return finish(&run, good, problem);
}
