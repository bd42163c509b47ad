// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tests/ranks/ranks_world.h"

#include <stdlib.h>
#include <string.h>

#include "apps/inputs/scenes.h"

enum { COPIES = 3, SPHERES = 5, ONCE = 11 };

void* ranks_room(const ranks_run* run, size_t count, size_t size)
{
    void* room = calloc(count + 1, size);
    REQUIRE(run, room != NULL);
    return room;
}

static uint32_t mask_of(size_t instance)
{
    return instance % 7 == 6 ? 0 : 1u << instance % 3 | 8;
}

static bool is_shape(const ranks_world* w, uint32_t id)
{
    // These two stretch and shear.
    const bool kept = id % ONCE != 5 && id % ONCE != 7;
    return id % 4 == 3 && (w->shapes == SHAPES_SOME || (w->shapes == SHAPES_KEPT && kept));
}

tact_scene* ranks_world_scene(const ranks_run* run, const ranks_world* w, const uint32_t* ids, size_t count)
{
    tact_scene* scene = NULL;
    REQUIRE_RESULT(run, tact_scene_create(run->context, &scene), TACT_OK);
    uint32_t mesh = 0, shapes[3] = {0};
    for (size_t i = 0; i < w->model.mesh_count; ++i) {
        const tact_mesh_desc desc = tact_model_mesh_desc(&w->model.meshes[i]);
        REQUIRE_RESULT(run, tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    }
    const tact_sphere spheres[SPHERES] = {
        {{0, 0, 0}, 0.5f}, {{0, 0, 0}, 0.5f}, {{1, 0, 0}, 0.25f}, {{0, 1, 1}, 0.125f}};
    const tact_aabb boxes[2] = {{{-1, -0.5f, 0}, {0.25f, 0.5f, 1}}, {{0.25f, 0, 0}, {1, 1, 1}}};
    const tact_capsule capsules[2] = {{{-1, 0, 0}, {1, 0.5f, 0}, 0.25f}, {{0, -1, 0}, {0, 1, 0}, 0.125f}};
    REQUIRE_RESULT(run, tact_scene_add_spheres(scene, spheres, SPHERES, &shapes[0]), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_boxes(scene, boxes, 2, &shapes[1]), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_capsules(scene, capsules, 2, &shapes[2]), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        const tact_model_instance* from = &w->model.instances[ids[i]];
        uint32_t instance = 0;
        const uint32_t of = is_shape(w, ids[i]) ? shapes[ids[i] / 4 % 3] : from->mesh;
        REQUIRE_RESULT(run, tact_scene_add_instance(scene, of, from->moved ? from->transform : NULL, &instance),
                       TACT_OK);
        REQUIRE_RESULT(run, tact_scene_set_mask(scene, instance, mask_of(ids[i])), TACT_OK);
        if (ids[i] % 2) REQUIRE_RESULT(run, tact_scene_set_dynamic(scene, instance, true), TACT_OK);
    }
    REQUIRE_RESULT(run, tact_scene_commit(scene), TACT_OK);
    return scene;
}

void ranks_world_make(const ranks_run* run, ranks_world* w, ranks_shapes shapes)
{
    tact_problem problem = {0};
    *w = (ranks_world){.shapes = shapes};
    size_t scene = 0;
    while (strcmp(tact_test_scenes[scene].name, "instances") != 0)
        ++scene;
    REQUIRE(run, tact_test_scenes[scene].make(true, &w->model, &problem));
    const size_t once = w->model.instance_count, count = once * COPIES;
    REQUIRE(run, once == ONCE);
    for (size_t i = once; i < count; ++i) {
        const tact_model_instance from = w->model.instances[i - once];
        float moved[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        if (from.moved) memcpy(moved, from.transform, sizeof moved);
        if (i >= 2 * once) moved[3] += 9.0f;
        REQUIRE(run, tact_model_add_instance(&w->model, from.mesh, moved, &problem));
    }
    uint32_t* ids = ranks_room(run, count, sizeof *ids);
    for (size_t i = 0; i < count; ++i)
        ids[i] = (uint32_t)i;
    w->scene = ranks_world_scene(run, w, ids, count);
    free(ids);
    tact_scene_stats stats;
    REQUIRE_RESULT(run, tact_scene_get_stats(w->scene, &stats), TACT_OK);
    w->bounds = tact_ray_bounds(&stats);
}

void ranks_world_free(ranks_world* w)
{
    tact_scene_destroy(w->scene);
    tact_model_free(&w->model);
}

tact_ranks_part ranks_world_part(const ranks_run* run, const ranks_world* w, int deal, uint32_t* ids)
{
    const size_t count = w->model.instance_count;
    tact_ranks_part part = {.instances = deal == DEAL_COUNT ? ids : NULL};
    if (deal == DEAL_COUNT) {
        for (size_t i = run->rank; i < count; i += run->count)
            ids[part.count++] = (uint32_t)i;
    } else {
        size_t begin = 0;
        ranks_part(run, (ranks_deal)deal, count, &begin, &part.count);
        for (size_t i = 0; i < part.count; ++i)
            ids[i] = (uint32_t)(begin + i);
    }
    part.scene = ranks_world_scene(run, w, ids, part.count);
    return part;
}
