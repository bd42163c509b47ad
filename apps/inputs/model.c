// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/model.h"

#include <stdlib.h>
#include <string.h>

/// Makes room for one more item; capacities are the powers of two.
static bool grow(void** items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0) return true;
    const size_t capacity = count ? count * 2 : 1;
    if (capacity > SIZE_MAX / size) return false;
    void* larger = realloc(*items, capacity * size);
    if (larger) *items = larger;
    return larger != NULL;
}

bool tact_model_add_mesh(tact_model* model, tact_model_mesh* mesh, tact_problem* problem)
{
    if (!grow((void**)&model->meshes, model->mesh_count, sizeof *model->meshes)) {
        tact_model_mesh_free(mesh);
        return tact_problem_out_of_memory(problem, "a mesh");
    }
    model->meshes[model->mesh_count++] = *mesh;
    *mesh = (tact_model_mesh){0};
    return true;
}

bool tact_model_add_instance(tact_model* model, uint32_t mesh, const float transform[12], tact_problem* problem)
{
    if (!grow((void**)&model->instances, model->instance_count, sizeof *model->instances)) {
        return tact_problem_out_of_memory(problem, "an instance");
    }
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    tact_model_instance* instance = &model->instances[model->instance_count++];
    instance->mesh = mesh;
    instance->moved = transform != NULL;
    memcpy(instance->transform, transform ? transform : identity, sizeof identity);
    return true;
}

tact_mesh_desc tact_model_mesh_desc(const tact_model_mesh* mesh)
{
    const tact_mesh_desc desc = {.positions = mesh->positions,
                                 .vertex_count = mesh->vertex_count,
                                 .indices = mesh->indices,
                                 .triangle_count = mesh->triangle_count};
    return desc;
}

void tact_model_mesh_free(tact_model_mesh* mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    free(mesh->parts);
    *mesh = (tact_model_mesh){0};
}

void tact_model_free(tact_model* model)
{
    for (size_t i = 0; i < model->mesh_count; ++i)
        tact_model_mesh_free(&model->meshes[i]);
    free(model->meshes);
    free(model->instances);
    *model = (tact_model){0};
}

uint64_t tact_model_triangles(const tact_model* model)
{
    uint64_t triangles = 0;
    for (size_t i = 0; i < model->instance_count; ++i) {
        triangles += model->meshes[model->instances[i].mesh].triangle_count;
    }
    return triangles;
}

void tact_model_corners(const tact_model* model, size_t instance, size_t triangle, double corners[3][3])
{
    const tact_model_instance* placed = &model->instances[instance];
    const tact_model_mesh* mesh = &model->meshes[placed->mesh];
    for (int c = 0; c < 3; ++c) {
        const float* p = mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + (size_t)c];
        const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
        for (int row = 0; row < 3; ++row) {
            const float* m = placed->transform + 4 * row;
            corners[c][row] = (double)m[0] * x + (double)m[1] * y + (double)m[2] * z + (double)m[3];
        }
    }
}

static tact_result fill(const tact_model* model, tact_scene* scene)
{
    for (size_t i = 0; i < model->mesh_count; ++i) {
        const tact_model_mesh* mesh = &model->meshes[i];
        const tact_mesh_desc desc = tact_model_mesh_desc(mesh);
        uint32_t id = 0;
        const tact_result result = tact_scene_add_mesh(scene, &desc, &id);
        if (result < 0) return result;
    }
    for (size_t i = 0; i < model->instance_count; ++i) {
        const tact_model_instance* placed = &model->instances[i];
        uint32_t id = 0;
        const tact_result result =
            tact_scene_add_instance(scene, placed->mesh, placed->moved ? placed->transform : NULL, &id);
        if (result < 0) return result;
    }
    return tact_scene_commit(scene);
}

bool tact_model_build(const tact_model* model, tact_context* context, tact_scene** scene, tact_scene_stats* stats,
                      tact_problem* problem)
{
    tact_result result = tact_scene_create(context, scene);
    if (result >= 0) result = fill(model, *scene);
    if (result >= 0) result = tact_scene_get_stats(*scene, stats);
    if (result >= 0) return true;
    tact_problem_from_result(problem, result, context, "building the scene");
    tact_scene_destroy(*scene);
    *scene = NULL;
    return false;
}
