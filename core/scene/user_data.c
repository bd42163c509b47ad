// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the caller's program has for instances and meshes.

#include "core/context/strided_ids.h"
#include "core/scene/scene.h"

tact_result tact_scene_set_user_data(tact_scene* scene, uint32_t instance, uint64_t user_data)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = tact_scene_check_instance(scene, instance);
    if (known == TACT_OK) scene->user_data[instance] = user_data;
    return known;
}

tact_result tact_scene_set_mesh_user_data(tact_scene* scene, uint32_t mesh, uint64_t user_data)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = tact_scene_check_mesh(scene, mesh);
    if (known == TACT_OK) scene->meshes[mesh].user_data = user_data;
    return known;
}

static tact_result get_each(const tact_scene* scene, const uint32_t* instances, size_t stride, size_t count,
                            uint64_t* user_data, bool of_meshes)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = tact_strided_id(instances, stride, i);
        user_data[i] = 0;
        if (id == TACT_NONE) continue;
        const tact_result known = tact_scene_check_instance(scene, id);
        if (known != TACT_OK) return known;
        user_data[i] = of_meshes ? scene->meshes[scene->instances[id].mesh].user_data : scene->user_data[id];
    }
    return TACT_OK;
}

static tact_result get(const tact_scene* scene, const uint32_t* instances, size_t stride, size_t count,
                       uint64_t* user_data, bool of_meshes)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    if (count == 0) return TACT_OK;
    tact_env* env = &scene->context->env;
    if (!instances) return tact_null(env, "instances");
    if (!user_data) return tact_null(env, "user_data");
    const tact_result checked = tact_strided_ids_check(env, stride);
    if (checked != TACT_OK) return checked;
    tact_guard* guard = &((tact_scene*)(uintptr_t)scene)->guard;
    tact_guard_ask(guard);
    const tact_result result = get_each(scene, instances, stride, count, user_data, of_meshes);
    tact_guard_answered(guard);
    return result;
}

tact_result tact_scene_get_user_data(const tact_scene* scene, const uint32_t* instances, size_t stride, size_t count,
                                     uint64_t* user_data)
{
    return get(scene, instances, stride, count, user_data, false);
}

tact_result tact_scene_get_mesh_user_data(const tact_scene* scene, const uint32_t* instances, size_t stride,
                                          size_t count, uint64_t* user_data)
{
    return get(scene, instances, stride, count, user_data, true);
}
