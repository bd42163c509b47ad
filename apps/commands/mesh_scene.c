// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/commands/mesh_scene.h"

#include <inttypes.h>
#include <stdio.h>

#include "apps/inputs/mesh_file.h"

bool tact_mesh_scene_check(const tact_mesh_scene* scene, tact_problem* problem)
{
    return scene->files.count > 0 || tact_problem_set(problem, "--mesh FILE is needed");
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

bool tact_mesh_scene_build(tact_mesh_scene* scene, tact_query_run* run, tact_problem* problem)
{
    if (!tact_model_build(&scene->model, run->session.context, &scene->scene, &scene->stats, problem)) return false;
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
}
