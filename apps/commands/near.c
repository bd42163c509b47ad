// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact closest`, `tact points` and `tact spherecast`: one query for each row of an array, one answer for each.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/commands/mesh_scene.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/rays.h"
#include "tact/points.h"
#include "tact/spherecast.h"

typedef enum near_kind { CLOSEST, POINTS, SPHERES } near_kind;

typedef struct near_run {
    tact_query_run run;
    tact_mesh_scene scene;
    near_kind kind;
    const char *source, *number, *out;
    double size;  ///< greatest distance, or radius
    tact_ray_source rays;
    size_t query_bytes, hit_bytes;
    void *queries, *hits;
    uint64_t inside;
} near_run;

static const char location_descr[] =
    "[('inside', '<u4'), ('distance', '<f4'), ('winding', '<f4'), ('instance', '<u4'), ('primitive', '<u4'), "
    "('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('feature', '<u4'), ('u', '<f4'), ('v', '<f4')]";

static bool parse_source(near_run* n, tact_problem* problem)
{
    if (n->kind == SPHERES) return tact_ray_source_parse(n->source, &n->rays, problem);
    const bool random = strncmp(n->source, "random:", 7) == 0;
    n->rays = (tact_ray_source){.kind = random ? TACT_RAYS_RANDOM : TACT_RAYS_FILE, .path = n->source};
    if (!random || tact_number_parse(n->source + 7, 0, TACT_RAYS_MAX, &n->rays.count, NULL)) return true;
    return tact_problem_set(problem, "--points %s: must be random:N with a whole number up to 2^31", n->source);
}

static bool load(void* command, tact_problem* problem)
{
    near_run* n = command;
    char* end = NULL;
    n->size = strtod(n->number, &end);
    if (!tact_mesh_scene_check(&n->scene, &n->run, problem) || !parse_source(n, problem)) return false;
    if (end == n->number || *end || !(n->size >= 0.0)) {
        return tact_problem_set(problem, "--%s %s: must be a number from 0 on",
                                n->kind == SPHERES ? "radius" : "max-distance", n->number);
    }
    return tact_mesh_scene_load(&n->scene, problem);
}

static bool make_room(near_run* n, uint64_t count, size_t query_bytes, size_t hit_bytes, tact_problem* problem)
{
    n->run.count = count;
    n->query_bytes = query_bytes;
    n->hit_bytes = hit_bytes;
    n->queries = tact_query_room(NULL, count, query_bytes, problem);
    return n->queries && tact_query_answers(&n->run, hit_bytes, &n->hits, problem);
}

static bool make_points(near_run* n, tact_problem* problem)
{
    const bool random = n->rays.kind == TACT_RAYS_RANDOM;
    const float most = (float)n->size;
    tact_npy_table table = {.rows = n->rays.count};
    if (!random && !tact_npy_read(n->rays.path, TACT_NPY_FLOAT32, 3, &table, problem)) return false;
    const size_t hit_bytes = n->kind == POINTS ? sizeof(tact_point_location) : sizeof(tact_closest_hit);
    const bool good = make_room(n, table.rows, sizeof(tact_closest_query), hit_bytes, problem);
    tact_closest_query* points = n->queries;
    const float* from = table.data;
    if (good && random) tact_points_random(&n->scene.bounds, n->run.common.seed, table.rows, most, points);
    for (uint64_t i = 0; good && !random && i < table.rows; ++i, from += 3)
        points[i] = (tact_closest_query){from[0], from[1], from[2], most};
    free(table.data);
    return good;
}

static bool make_spheres(near_run* n, tact_problem* problem)
{
    tact_ray* rays = NULL;
    uint64_t count = 0;
    if (!tact_rays_make(&n->rays, &n->scene.bounds, n->run.common.seed, &rays, &count, problem)) return false;
    const bool good = make_room(n, count, sizeof(tact_sphere_cast), sizeof(tact_sphere_hit), problem);
    tact_sphere_cast* casts = n->queries;
    for (uint64_t i = 0; good && i < count; ++i)
        casts[i] = (tact_sphere_cast){rays[i], (float)n->size};
    free(rays);
    return good;
}

static bool prepare(void* command, tact_problem* problem)
{
    near_run* n = command;
    return tact_mesh_scene_build(&n->scene, &n->run, problem) &&
           (n->kind == SPHERES ? make_spheres(n, problem) : make_points(n, problem));
}

/// Asks for this process's rows where each has a part of the scene. Points are not located so.
static tact_result ask_cut(near_run* n, const void* queries, size_t count, const tact_query_options* options)
{
    tact_ranks* ranks = n->run.session.ranks;
    const tact_ranks_part part = tact_mesh_scene_part(&n->scene);
    tact_query_report* report = &n->run.report;
    return n->kind == SPHERES ? tact_ranks_spherecast_cut(ranks, &part, queries, count, n->hits, options, report)
                              : tact_ranks_closest_points_cut(ranks, &part, queries, count, n->hits, options, report);
}

/// Asks for this process's rows.
static tact_result ask_rows(near_run* n, const void* queries, size_t count, const tact_query_options* options)
{
    tact_ranks* ranks = n->run.session.ranks;
    tact_scene* scene = n->scene.scene;
    tact_query_report* report = &n->run.report;
    if (n->scene.cut) return ask_cut(n, queries, count, options);
    switch (n->kind) {
        case SPHERES:
            return ranks ? tact_ranks_spherecast(ranks, scene, queries, count, n->hits, options, report)
                         : tact_spherecast(scene, queries, count, n->hits, options, report);
        case POINTS:
            return ranks ? tact_ranks_locate_points(ranks, scene, queries, count, n->hits, options, report)
                         : tact_locate_points(scene, queries, count, n->hits, options, report);
        case CLOSEST:
        default:
            return ranks ? tact_ranks_closest_points(ranks, scene, queries, count, n->hits, options, report)
                         : tact_closest_points(scene, queries, count, n->hits, options, report);
    }
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    static const char* const doing[] = {"finding closest points", "locating points", "casting spheres"};
    near_run* n = command;
    uint64_t begin = 0, own = 0;
    tact_query_slice(&n->run, n->run.count, &begin, &own);
    const char* queries = (const char*)n->queries + begin * n->query_bytes;
    return tact_query_succeeded(&n->run, ask_rows(n, queries, (size_t)own, options), doing[n->kind], problem) &&
           tact_query_collect(&n->run, n->hits, own * n->hit_bytes, n->hits, n->run.count * n->hit_bytes, problem);
}

static void count_found(near_run* n)
{
    const tact_point_location* locations = n->hits;
    for (uint64_t i = 0; i < n->run.count; ++i) {
        uint32_t instance;
        memcpy(&instance, (const char*)n->hits + i * n->hit_bytes, sizeof instance);
        if (n->kind == POINTS) {
            instance = locations[i].instance;
            n->inside += locations[i].inside;
        }
        n->run.found += instance != TACT_NONE;
    }
}

static bool finish(void* command, tact_problem* problem)
{
    near_run* n = command;
    count_found(n);
    if (!n->out) return true;
    if (n->kind == POINTS) {
        return tact_npy_write_as(n->out, location_descr, n->hit_bytes, n->run.count, 0, n->hits, problem);
    }
    const tact_npy_type type = n->kind == SPHERES ? TACT_NPY_SPHERE : TACT_NPY_CLOSEST;
    return tact_npy_write(n->out, type, n->run.count, 0, n->hits, problem);
}

static void json(const void* command, cJSON* root)
{
    const near_run* n = command;
    tact_json_count(root, n->kind == SPHERES ? "spheres" : "points", n->run.count);
    if (n->kind == POINTS) {
        tact_json_count(root, "inside", n->inside);
    } else {
        tact_json_count(root, "hits", n->run.found);
    }
    tact_json_text(root, "source", n->source);
    tact_json_number(root, n->kind == SPHERES ? "radius" : "max_distance", n->size);
    tact_mesh_scene_json(&n->scene, root);
}

static void print(const void* command)
{
    const near_run* n = command;
    tact_mesh_scene_print(&n->scene);
    printf("%-7s %" PRIu64 " (%s)\n", n->kind == SPHERES ? "spheres" : "points", n->run.count, n->source);
    const uint64_t found = n->kind == POINTS ? n->inside : n->run.found;
    printf("%-7s %" PRIu64 " (%.2f %%)\n", n->kind == POINTS ? "inside" : "hits", found,
           tact_query_percent(found, n->run.count));
}

static void release(void* command)
{
    near_run* n = command;
    tact_mesh_scene_free(&n->scene);
    free(n->queries);
    free(n->hits);
}

static const tact_query_command closest = {
    .name = "closest",
    .help =
        "Usage: tact closest FILE [FILE ...] [options]\n\n"
        "Finds the closest point of the meshes to each of many points. Meshes are instances 0, 1, ... in the order\n"
        "given.\n",
    .doing = "finding closest points",
    .items = "points",
    .rate_key = "per_second",
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

static int run_points(const tact_query_command* command, near_kind kind, int argc, char** argv, tact_problem* problem)
{
    near_run n = {.source = "random:100000", .number = "inf", .kind = kind};
    const tact_option cut = TACT_CUT_OPTION(&n.scene), end = {.name = NULL};
    const tact_option own[] = {
        TACT_MESH_OPTION(&n.scene.files),
        TACT_TEXT("points", "P", "random:N (default random:100000) or a .npy file", &n.source),
        TACT_TEXT("max-distance", "D", "how far the closest point may be (default: however far)", &n.number),
        TACT_MPI_OPTION(&n.run.common),
        TACT_OUTPUT("out", "FILE.npy", "write the answers", &n.out),
        kind == CLOSEST ? cut : end,
        end,
    };
    return tact_query_command_run(command, &n, own, &n.scene.files, argc, argv, problem);
}

int tact_command_closest(int argc, char** argv, tact_problem* problem)
{
    return run_points(&closest, CLOSEST, argc, argv, problem);
}

int tact_command_points(int argc, char** argv, tact_problem* problem)
{
    tact_query_command points = closest;
    points.name = "points";
    points.help =
        "Usage: tact points FILE [FILE ...] [options]\n\n"
        "Says of points whether they are inside of the meshes, and how far they are from the surface. Meshes\n"
        "are instances 0, 1, ... in the order given.\n";
    points.doing = "locating points";
    return run_points(&points, POINTS, argc, argv, problem);
}

int tact_command_spherecast(int argc, char** argv, tact_problem* problem)
{
    tact_query_command spherecast = closest;
    spherecast.name = "spherecast";
    spherecast.help =
        "Usage: tact spherecast FILE [FILE ...] --radius R [options]\n\n"
        "Moves spheres along rays and tells what each touches first. Meshes are instances 0, 1, ... in the order\n"
        "given.\n";
    spherecast.doing = "casting spheres";
    spherecast.items = "spheres";
    near_run n = {.source = "random:100000", .number = "0", .kind = SPHERES};
    const tact_option own[] = {
        TACT_MESH_OPTION(&n.scene.files),
        TACT_TEXT("rays", "R", "random:N (default random:100000), camera:WxH or a .npy file", &n.source),
        TACT_TEXT("radius", "R", "of all spheres (default 0)", &n.number),
        TACT_MPI_OPTION(&n.run.common),
        TACT_CUT_OPTION(&n.scene),
        TACT_OUTPUT("out", "FILE.npy", "write the answers", &n.out),
        {.name = NULL},
    };
    return tact_query_command_run(&spherecast, &n, own, &n.scene.files, argc, argv, problem);
}
