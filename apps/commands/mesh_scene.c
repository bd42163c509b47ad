// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/commands/mesh_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/inputs/mesh_file.h"
#include "apps/ranks.h"

bool tact_mesh_scene_check(const tact_mesh_scene* scene, const tact_query_run* run, tact_problem* problem)
{
    if (scene->cut && !run->common.mpi) return tact_problem_set(problem, "--cut: needs --mpi");
    return scene->files.count > 0 || tact_problem_set(problem, "FILE is needed: a mesh");
}

tact_ranks_part tact_mesh_scene_part(const tact_mesh_scene* scene)
{
    return (tact_ranks_part){.scene = scene->scene, .instances = scene->ids, .count = scene->id_count};
}

bool tact_mesh_scene_load(tact_mesh_scene* scene, tact_problem* problem)
{
    for (size_t i = 0; i < scene->files.count; ++i) {
        tact_model_mesh mesh;
        if (!tact_mesh_file_read_guarded(scene->files.items[i], &mesh, problem)) return false;
        scene->dropped_faces += mesh.dropped_faces;
        if (!tact_model_add_mesh(&scene->model, &mesh, problem) ||
            !tact_model_add_instance(&scene->model, (uint32_t)i, NULL, problem)) {
            return false;
        }
    }
    return true;
}

/// Facts about one file's mesh by itself, of which only they are kept.
static bool measure(const tact_mesh_scene* scene, size_t file, tact_context* context, tact_scene_stats* stats,
                    tact_problem* problem)
{
    tact_model one = {.meshes = &scene->model.meshes[file],
                      .mesh_count = 1,
                      .instances = &(tact_model_instance){.mesh = 0},
                      .instance_count = 1};
    tact_scene* alone = NULL;
    const bool good = tact_model_build(&one, context, &alone, stats, problem);
    tact_scene_destroy(alone);
    return good;
}

/// Adds what is known of one mesh to what is known of all. The box of nothing is upside down.
static void add_stats(tact_scene_stats* all, const tact_scene_stats* one, bool first)
{
    all->instances += one->instances;
    all->triangles += one->triangles;
    all->skipped_triangles += one->skipped_triangles;
    all->build_ms += one->build_ms;
    for (int k = 0; k < 3; ++k) {
        if (first || one->lower[k] < all->lower[k]) all->lower[k] = one->lower[k];
        if (first || one->upper[k] > all->upper[k]) all->upper[k] = one->upper[k];
    }
}

/// Finds which files are this rank's: by place along a curve, with about as many triangles as others.
static bool choose_part(tact_mesh_scene* scene, const tact_query_run* run, tact_problem* problem)
{
    const size_t count = scene->files.count;
    tact_aabb* boxes = tact_query_room(NULL, count, sizeof *boxes, problem);
    uint64_t* weights = tact_query_room(NULL, count, sizeof *weights, problem);
    uint32_t* owners = tact_query_room(NULL, count, sizeof *owners, problem);
    scene->ids = tact_query_room(scene->ids, count, sizeof *scene->ids, problem);
    bool good = boxes && weights && owners && scene->ids;
    scene->stats = (tact_scene_stats){0};
    for (size_t i = 0; i < count && good; ++i) {
        tact_scene_stats one;
        good = measure(scene, i, run->session.context, &one, problem);
        if (!good) break;
        add_stats(&scene->stats, &one, i == 0);
        boxes[i] = (tact_aabb){{one.lower[0], one.lower[1], one.lower[2]}, {one.upper[0], one.upper[1], one.upper[2]}};
        weights[i] = one.triangles;
    }
    if (good) {
        // All ranks give all boxes, which cuts as one rank's would.
        const tact_result result = tact_ranks_cut_space(run->session.ranks, boxes, weights, count, owners);
        good = tact_query_succeeded(run, result, "cutting the scene", problem);
    }
    scene->id_count = 0;
    for (size_t i = 0; i < count && good; ++i)
        if (owners[i] == tact_tool_ranks_here->rank) scene->ids[scene->id_count++] = (uint32_t)i;
    free(boxes);
    free(weights);
    free(owners);
    return good;
}

static bool build_part(tact_mesh_scene* scene, tact_query_run* run, tact_problem* problem)
{
    if (!choose_part(scene, run, problem)) return false;
    tact_model part = {.mesh_count = 0};
    bool good = true;
    for (size_t i = 0; i < scene->id_count && good; ++i) {
        // The arrays stay the whole model's.
        tact_model_mesh* grown = realloc(part.meshes, (i + 1) * sizeof *grown);
        good = grown && tact_model_add_instance(&part, (uint32_t)i, NULL, problem);
        if (!grown) tact_problem_out_of_memory(problem, "the part of the scene");
        if (grown) part.meshes = grown;
        if (good) part.meshes[part.mesh_count++] = scene->model.meshes[scene->ids[i]];
    }
    tact_scene_stats stats = {0};
    if (good) good = tact_model_build(&part, run->session.context, &scene->scene, &stats, problem);
    if (good) run->prepared_ms += stats.build_ms;
    free(part.meshes);
    free(part.instances);
    scene->bounds = tact_ray_bounds(&scene->stats);
    return good;
}

bool tact_mesh_scene_build(tact_mesh_scene* scene, tact_query_run* run, tact_problem* problem)
{
    if (scene->cut) return build_part(scene, run, problem);
    tact_waiting waiting;
    tact_waiting_start(&waiting, "building trees", NULL);
    const bool built = tact_model_build(&scene->model, run->session.context, &scene->scene, &scene->stats, problem);
    tact_waiting_end(&waiting);
    if (!built) return false;
    scene->bounds = tact_ray_bounds(&scene->stats);
    run->prepared_ms += scene->stats.build_ms;
    return true;
}

void tact_mesh_scene_json(const tact_mesh_scene* scene, cJSON* root)
{
    tact_json_count(root, "instances", scene->stats.instances);
    tact_json_count(root, "triangles", scene->stats.triangles);
    tact_json_count(root, "skipped_triangles", scene->stats.skipped_triangles);
    tact_json_count(root, "dropped_faces", scene->dropped_faces);
    if (scene->cut) tact_json_truth(root, "cut", true);
}

void tact_mesh_scene_print(const tact_mesh_scene* scene)
{
    const tact_scene_stats* stats = &scene->stats;
    printf("scene   %" PRIu64 " triangles", stats->triangles);
    if (stats->instances != 1) printf(" in %" PRIu64 " meshes", stats->instances);
    if (stats->skipped_triangles) printf(", %" PRIu64 " never hit (not finite)", stats->skipped_triangles);
    if (scene->dropped_faces) printf(", %" PRIu64 " points or lines dropped", scene->dropped_faces);
    putchar('\n');
}

void tact_mesh_scene_free(tact_mesh_scene* scene)
{
    tact_scene_destroy(scene->scene);
    tact_model_free(&scene->model);
    tact_text_list_free(&scene->files);
    free(scene->ids);
}
