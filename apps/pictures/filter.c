// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <stdlib.h>

#include "apps/inputs/rays.h"

/// Rays, hits and marks.
typedef struct canvas {
    tact_ray* rays;
    tact_hit* hits;
    bool* marked;
    uint32_t side;
} canvas;

static bool draw(const char* path, const tact_model* model, const canvas* c, tact_context* context,
                 tact_problem* problem)
{
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(model, context, &scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    tact_rays_camera(&bounds, c->side, c->side, c->rays);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    const tact_result result =
        tact_raycast(scene, TACT_RAY_CLOSEST, c->rays, (size_t)c->side * c->side, c->hits, &options, NULL);
    tact_scene_destroy(scene);
    if (result < 0) return tact_problem_from_result(problem, result, context, path);
    return tact_picture_of_marked(path, model, c->marked, c->rays, c->hits, c->side, c->side, problem);
}

bool tact_picture_of_filter(const char* path, const tact_filter_input* input, const tact_filter_pair* pairs,
                            size_t count, tact_context* context, uint32_t side, tact_problem* problem)
{
    const size_t pixels = (size_t)side * side;
    const canvas c = {malloc(pixels * sizeof(tact_ray)), malloc(pixels * sizeof(tact_hit)),
                      calloc(input->object_count + 1, sizeof(bool)), side};
    // The meshes stay the input's.
    tact_model model = {.meshes = input->meshes, .mesh_count = input->shape_count};
    bool good = c.rays && c.hits && c.marked;
    if (!good) tact_problem_out_of_memory(problem, path);
    for (size_t i = 0; good && i < input->object_count; ++i)
        good = tact_model_add_instance(&model, input->objects[i].shape, input->objects[i].pose, problem);
    for (size_t i = 0; good && i < count; ++i)
        c.marked[pairs[i].object_a] = c.marked[pairs[i].object_b] = true;
    good = good && draw(path, &model, &c, context, problem);
    free(model.instances);
    free(c.rays);
    free(c.hits);
    free(c.marked);
    return good;
}
