// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/context/backends.h"
#include "core/scene/scene.h"

#ifdef TACT_HAVE_GPU
#include "gpu/trace/bvh_build.h"
#endif

// Trees of meshes that a device builds, and fits to vertices that moved.

tact_result tact_scene_build_on(tact_scene* scene, tact_backend backend)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    tact_context* context = scene->context;
    if (backend != TACT_BACKEND_CPU && !tact_backend_is_device(backend)) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "trees are built on the CPU, on GL or on CL");
    }
    const int index = tact_context_find(context, backend);
    if (index < 0) {
        return tact_fail(&context->env, tact_context_missing_result(context, backend),
                         "no device to build trees on: %s", context->missing[backend]);
    }
    if (index > 0 && !tact_context_describe(context, (uint32_t)index)->probe.exact) {
        return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "the device's arithmetic is not the CPU's");
    }
    if (scene->build_device != (uint32_t)index) {
        tact_resident_release(&scene->kept[TACT_SCENE_BUILDER][scene->build_device]);
        for (size_t i = 0; i < scene->mesh_count; ++i)
            tact_resident_release(&scene->meshes[i].fitter);
        for (size_t i = 0; i < scene->trace_mesh_count; ++i)
            scene->trace_meshes[i].device_tree = NULL;
    }
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

void* tact_scene_device_tree(const tact_scene_mesh* mesh)
{
    const builder* b = mesh->fitter.data;
    return b ? b->trees : NULL;
}

/// Makes what is not there yet, of the scene or of a mesh.
static tact_result need_builder(tact_scene* scene, tact_resident* kept)
{
    tact_env* env = &scene->context->env;
    if (kept->data) return TACT_OK;
    builder* b = tact_allocate_zeroed(env, 1, sizeof *b);
    if (!b) return TACT_ERROR_OUT_OF_MEMORY;
    b->device = scene->context->devices[scene->build_device];
    const tact_result result = tact_tree_builder_create(b->device, &b->trees);
    if (result != TACT_OK) {
        tact_release(env, b);
        return result;
    }
    tact_resident_keep(kept, b, release);
    return TACT_OK;
}

static tact_result build(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide)
{
    tact_resident* kept = &scene->kept[TACT_SCENE_BUILDER][scene->build_device];
    tact_result result = need_builder(scene, kept);
    if (result != TACT_OK) return result;
    const builder* b = kept->data;
    TACT_ASSERT(scene->build_device > 0 && scene->build_device < scene->context->device_count);
    result = tact_device_enter(b->device);
    if (result != TACT_OK) return result;
    const tact_trace_mesh view = tact_scene_mesh_view(mesh);
    const bool fast = mesh->quality == TACT_MESH_FAST;
    const tact_tree_method method = fast ? TACT_TREE_LINEAR : TACT_TREE_CLUSTERED;
    result = tact_tree_builder_run(b->trees, &view, mesh->vertex_count, method, wide);
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide, bool* built)
{
    const tact_result result = build(scene, mesh, wide);
    *built = result == TACT_OK;
    if (result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY) return result;
    tact_env* env = &scene->context->env;
    tact_log(env, TACT_LOG_WARNING, "scene", "a tree is built on the CPU: %s", tact_last_error());
    tact_error_clear(env);
    tact_resident_release(
        &scene->kept[TACT_SCENE_BUILDER][scene->build_device]);  // what it holds may be what is wanting
    return TACT_OK;
}

static tact_result keep_tree(tact_scene* scene, tact_scene_mesh* mesh)
{
    tact_result result = need_builder(scene, &mesh->fitter);
    if (result != TACT_OK) return result;
    const builder *b = mesh->fitter.data, *from = scene->kept[TACT_SCENE_BUILDER][scene->build_device].data;
    result = tact_device_enter(b->device);
    if (result != TACT_OK) return result;
    result = tact_tree_builder_take(b->trees, from->trees);
    tact_device_leave(b->device);
    return result;
}

void tact_scene_keep_on_device(tact_scene* scene, tact_scene_mesh* mesh)
{
    const tact_result result = keep_tree(scene, mesh);
    if (result == TACT_OK) return;
    tact_log(&scene->context->env, TACT_LOG_DEBUG, "scene", "a tree is not kept on its device: %s", tact_last_error());
    tact_error_clear(&scene->context->env);
    tact_resident_release(&mesh->fitter);
}

/// Brings a mesh's tree to the device, out of the scene's arrays.
static tact_result bring(const tact_scene* scene, const tact_scene_mesh* mesh, tact_tree_builder* trees)
{
    tact_env* env = &scene->context->env;
    TACT_ASSERT(mesh->built && mesh->wide_count >= 1);
    tact_bvh8 wide = {.node_count = mesh->wide_count, .slot_count = mesh->block_count * TACT_BVH8_BLOCK};
    wide.nodes = tact_allocate(env, wide.node_count, sizeof *wide.nodes);
    wide.order = tact_allocate(env, wide.slot_count, sizeof *wide.order);
    tact_result result = wide.nodes && wide.order ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        for (size_t i = 0; i < wide.node_count; ++i) {
            wide.nodes[i] = scene->wide[mesh->wide_root + i];
            wide.nodes[i].node -= mesh->wide_root;
            wide.nodes[i].slot -= (uint32_t)(mesh->first_block * TACT_BVH8_BLOCK);
        }
        for (size_t i = 0; i < mesh->block_count; ++i) {
            const tact_triangle_block* block = &scene->blocks[mesh->first_block + i];
            memcpy(wide.order + i * TACT_BVH8_BLOCK, block->primitive, sizeof block->primitive);
        }
        const tact_trace_mesh view = tact_scene_mesh_view(mesh);
        result = tact_tree_builder_adopt(trees, &view, mesh->vertex_count, &wide);
    }
    tact_bvh8_free(env, &wide);
    return result;
}

static tact_result fit(tact_scene* scene, tact_scene_mesh* mesh, double* cost, bool* good)
{
    const bool here = mesh->fitter.data != NULL;
    TACT_ASSERT(mesh->built_on == scene->build_device);
    tact_result result = need_builder(scene, &mesh->fitter);
    if (result != TACT_OK) return result;
    const builder* b = mesh->fitter.data;
    result = tact_device_enter(b->device);
    if (result != TACT_OK) return result;
    bool changed = false;
    if (!here) result = bring(scene, mesh, b->trees);
    if (result == TACT_OK) result = tact_tree_builder_refit(b->trees, mesh->positions, cost, &changed);
    *good = !changed;
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_fit_on_device(tact_scene* scene, tact_scene_mesh* mesh, double* cost, bool* fitted, bool* good)
{
    const tact_result result = fit(scene, mesh, cost, good);
    *fitted = result == TACT_OK;
    if (result == TACT_OK && *good) {
        mesh->behind = true;
        scene->behind = 1;
        return TACT_OK;
    }
    // A tree that was not fitted to the end is brought anew the next time.
    tact_resident_release(&mesh->fitter);
    if (result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY) return result;
    tact_env* env = &scene->context->env;
    tact_log(env, TACT_LOG_WARNING, "scene", "a tree is fitted on the CPU: %s", tact_last_error());
    tact_error_clear(env);
    return TACT_OK;
}

bool tact_scene_fitted_on(const tact_scene* scene, uint32_t device)
{
    for (size_t i = 0; device > 0 && i < scene->mesh_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[i];
        const tact_tree_builder* tree = tact_scene_device_tree(mesh);
        if (mesh->behind && !(tree && tact_tree_builder_is_on(tree, scene->context->devices[device]))) return false;
    }
    return device > 0;
}

#else

void tact_scene_keep_on_device(tact_scene* scene, tact_scene_mesh* mesh)
{
    (void)scene;
    (void)mesh;
}

void* tact_scene_device_tree(const tact_scene_mesh* mesh)
{
    (void)mesh;
    return NULL;
}

tact_result tact_scene_fit_on_device(tact_scene* scene, tact_scene_mesh* mesh, double* cost, bool* fitted, bool* good)
{
    (void)scene;
    (void)mesh;
    (void)cost;
    *fitted = *good = false;
    return TACT_OK;
}

bool tact_scene_fitted_on(const tact_scene* scene, uint32_t device)
{
    (void)scene;
    return device > 0;
}

tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide, bool* built)
{
    (void)scene;
    (void)mesh;
    (void)wide;
    *built = false;
    return TACT_OK;
}

#endif
