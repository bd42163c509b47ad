// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/scene.h"

#ifdef TACT_HAVE_GPU
#include "gpu/bvh_build.h"
#endif

// Trees of meshes that a device builds.

static void release_builder(tact_scene* scene)
{
    if (scene->builder) scene->release_builder(scene->builder);
    scene->builder = NULL;
}

tact_result tact_scene_build_on(tact_scene* scene, tact_backend backend)
{
    if (!scene) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = scene->context;
    if (backend != TACT_BACKEND_CPU && backend != TACT_BACKEND_GL && backend != TACT_BACKEND_CL) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "trees are built on the CPU, on GL or on CL");
    }
    const int index = tact_context_find(context, backend);
    if (index < 0) {
        return tact_fail(&context->env, TACT_ERROR_NO_DEVICE, "no device to build trees on: %s",
                         context->missing[backend]);
    }
    if (index > 0 && !tact_context_describe(context, (uint32_t)index)->probe.exact) {
        return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "the device's arithmetic is not the CPU's");
    }
    if (scene->build_device != (uint32_t)index) release_builder(scene);
    scene->build_device = (uint32_t)index;
    return TACT_OK;
}

#ifdef TACT_HAVE_GPU

typedef struct builder {
    tact_device* device;
    tact_tree_builder* trees;
} builder;

static void release(void* user)
{
    builder* b = user;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(b->device) == TACT_OK;
    tact_tree_builder_destroy(b->trees);
    if (entered) tact_device_leave(b->device);
    tact_release(tact_device_env(b->device), b);
}

static tact_result need_builder(tact_scene* scene)
{
    tact_env* env = &scene->context->env;
    if (scene->builder) return TACT_OK;
    builder* b = tact_allocate_zeroed(env, 1, sizeof *b);
    if (!b) return TACT_ERROR_OUT_OF_MEMORY;
    b->device = scene->context->devices[scene->build_device];
    const tact_result result = tact_tree_builder_create(b->device, &b->trees);
    if (result != TACT_OK) {
        tact_release(env, b);
        return result;
    }
    scene->builder = b;
    scene->release_builder = release;
    return TACT_OK;
}

static tact_result build(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide)
{
    tact_result result = need_builder(scene);
    if (result != TACT_OK) return result;
    const builder* b = scene->builder;
    result = tact_device_enter(b->device);
    if (result != TACT_OK) return result;
    const tact_trace_mesh view = {
        .positions = mesh->positions, .indices = mesh->indices, .triangle_count = mesh->triangle_count};
    const bool fast = mesh->quality == TACT_MESH_FAST;
    result = tact_tree_builder_run(b->trees, &view, mesh->vertex_count, fast ? TACT_TREE_LINEAR : TACT_TREE_CLUSTERED);
    if (result == TACT_OK) result = tact_tree_builder_read(b->trees, wide, NULL);
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide, bool* built)
{
    const tact_result result = build(scene, mesh, wide);
    *built = result == TACT_OK;
    if (result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY) return result;
    tact_env* env = &scene->context->env;
    tact_log(env, TACT_LOG_WARNING, "scene", "a tree is built on the CPU: %s", env->error);
    env->error[0] = '\0';
    release_builder(scene);  // what it holds may be what is wanting
    return TACT_OK;
}

#else

tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide, bool* built)
{
    (void)scene;
    (void)mesh;
    (void)wide;
    *built = false;
    return TACT_OK;
}

#endif
