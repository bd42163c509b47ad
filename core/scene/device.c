// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/context/backends.h"
#include "core/scene/scene.h"

#ifdef TACT_HAVE_GPU
#include "gpu/trace/bvh_build.h"
#endif

// Trees of meshes that a device builds, and fits to vertices that moved. They stay there; the scene's arrays have room
// for them, which tact_scene_fetch() fills when something reads trees on the host.

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
        const tact_result fetched = tact_scene_fetch(scene);
        if (fetched != TACT_OK) return fetched;
        tact_resident_release(&scene->kept[TACT_SCENE_BUILDER][scene->build_device]);
        for (size_t i = 0; i < scene->mesh_count; ++i)
            tact_scene_leave_device(&scene->meshes[i]);
        for (size_t i = 0; i < scene->trace_mesh_count; ++i)
            scene->trace_meshes[i].device_tree = NULL;
    }
    scene->build_device = (uint32_t)index;
    return TACT_OK;
}

void tact_scene_leave_device(tact_scene_mesh* mesh)
{
    TACT_ASSERT(!mesh->absent && !mesh->away);
    tact_resident_release(&mesh->fitter);
}

bool tact_scene_fits_there(const tact_scene* scene, const tact_scene_mesh* mesh)
{
    return scene->build_device > 0 && mesh->built_on == scene->build_device && mesh->bounds.kept > 0;
}

#ifdef TACT_HAVE_GPU

typedef struct builder {
    tact_device* device;
    tact_tree_builder* trees;
    const void* thread;  ///< that used it last
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

/// Whether a device must be asked in one thread alone.
static bool is_of_a_thread(const tact_device* device)
{
    const tact_device_info* info = tact_device_describe(device);
    return info->adopted && info->backend == TACT_BACKEND_GL;
}

static tact_result enter(builder* b)
{
    const tact_result result = tact_device_enter(b->device);
    if (result == TACT_OK) b->thread = tact_thread_self();
    return result;
}

/// The same, to read in any thread.
static tact_result enter_to_read(builder* b)
{
    if (is_of_a_thread(b->device) && b->thread != tact_thread_self()) {
        return tact_fail(tact_device_env(b->device), TACT_ERROR_UNSUPPORTED,
                         "what the scene needs is in an OpenGL context that is another thread's");
    }
    return tact_device_enter(b->device);
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

/// Bounds that the device found out or, where it may have taken small numbers for zeros or was not to, the host does.
static tact_result set_bounds(tact_scene* scene, const tact_scene_mesh* mesh, const tact_tree_facts* facts,
                              tact_trace_bounds* bounds)
{
    const tact_trace_mesh view = tact_scene_mesh_view(mesh);
    *bounds = facts->bounds;
    const bool flushes = tact_context_describe(scene->context, scene->build_device)->probe.flushes_subnormals;
    if (facts->bounded && !flushes) return TACT_OK;
    TACT_ASSERT(!mesh->away);
    return tact_trace_measure(&scene->context->env, &view, scene->context->threads, bounds);
}

static tact_result build(tact_scene* scene, const tact_scene_mesh* mesh, bool stay, tact_mesh_scene_tree* tree)
{
    tact_resident* kept = &scene->kept[TACT_SCENE_BUILDER][scene->build_device];
    tact_result result = need_builder(scene, kept);
    if (result != TACT_OK) return result;
    builder* b = kept->data;
    TACT_ASSERT(scene->build_device > 0 && scene->build_device < scene->context->device_count);
    result = enter(b);
    if (result != TACT_OK) return result;
    const tact_trace_mesh view = tact_scene_mesh_view(mesh);
    const bool fast = mesh->quality == TACT_MESH_FAST;
    const tact_tree_method method = fast ? TACT_TREE_LINEAR : TACT_TREE_CLUSTERED;
    // The vertices of one that is another thread's may be asked for in any.
    stay = stay && (mesh->away || !is_of_a_thread(b->device));
    result = tact_tree_builder_run(b->trees, &view, mesh->vertex_count, method, stay ? NULL : &tree->wide);
    if (result == TACT_OK) {
        tact_tree_facts facts;
        tact_tree_builder_facts(b->trees, &facts);
        result = set_bounds(scene, mesh, &facts, &tree->bounds);
        if (stay) tree->wide = facts.wide;
        // The tree of nothing is one node.
        if (result == TACT_OK && stay && facts.wide.count == 0)
            result = tact_tree_builder_read(b->trees, &tree->wide, NULL);
    }
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, bool stay,
                                       tact_mesh_scene_tree* tree, bool* built)
{
    const tact_result result = build(scene, mesh, stay, tree);
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
    builder *b = mesh->fitter.data, *from = scene->kept[TACT_SCENE_BUILDER][scene->build_device].data;
    result = enter(b);
    if (result != TACT_OK) return result;
    result = tact_tree_builder_take(b->trees, from->trees);
    tact_device_leave(b->device);
    return result;
}

static tact_result read_tree(builder* b, tact_bvh8* wide)
{
    tact_result result = enter_to_read(b);
    if (result != TACT_OK) return result;
    result = tact_tree_builder_read(b->trees, wide, NULL);
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_keep_on_device(tact_scene* scene, tact_scene_mesh* mesh, tact_bvh8* wide)
{
    tact_result result = keep_tree(scene, mesh);
    if (result == TACT_OK) return TACT_OK;
    tact_log(&scene->context->env, TACT_LOG_DEBUG, "scene", "a tree is not kept on its device: %s", tact_last_error());
    tact_error_clear(&scene->context->env);
    result = tact_scene_read_vertices(scene, mesh);
    if (result == TACT_OK && !wide->nodes) {
        const tact_bvh8 sizes = *wide;
        result = read_tree(scene->kept[TACT_SCENE_BUILDER][scene->build_device].data, wide);
        if (result != TACT_OK) *wide = sizes;
    }
    // The one that was kept before, if it is that of the arrays, is made anew by the next commit.
    if (result == TACT_OK) mesh->absent = false;
    if (!mesh->absent && !mesh->away) tact_scene_leave_device(mesh);
    return result;
}

tact_result tact_scene_read_tree(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide)
{
    (void)scene;
    TACT_ASSERT(mesh->absent && mesh->fitter.data);
    return read_tree(mesh->fitter.data, wide);
}

tact_result tact_scene_move_there(tact_scene* scene, tact_scene_mesh* mesh, const tact_device_array* positions,
                                  size_t stride, bool* there)
{
    const tact_device_info* info = tact_context_describe(scene->context, scene->build_device);
    builder* b = mesh->fitter.data;
    // The bounds of what a device takes for zeros are found out on the host.
    *there = tact_scene_fits_there(scene, mesh) && b && info->backend == positions->backend && info->adopted &&
             !info->probe.flushes_subnormals;
    if (!*there) return TACT_OK;
    tact_result result = enter(b);
    if (result != TACT_OK) return result;
    result = tact_tree_builder_move(b->trees, positions, stride);
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_read_vertices(tact_scene* scene, tact_scene_mesh* mesh)
{
    (void)scene;
    if (!mesh->away) return TACT_OK;
    builder* b = mesh->fitter.data;
    TACT_ASSERT(b && !mesh->source);
    tact_result result = enter_to_read(b);
    if (result != TACT_OK) return result;
    result = tact_tree_builder_read_vertices(b->trees, mesh->positions);
    tact_device_leave(b->device);
    mesh->away = result != TACT_OK;
    return result;
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

static tact_result fit(tact_scene* scene, tact_scene_mesh* mesh, double* cost, tact_trace_bounds* bounds, bool* fitted,
                       bool* good)
{
    TACT_ASSERT(mesh->built_on == scene->build_device);
    tact_result result = need_builder(scene, &mesh->fitter);
    if (result != TACT_OK) return result;
    builder* b = mesh->fitter.data;
    result = enter(b);
    if (result != TACT_OK) return result;
    bool changed = false;
    *fitted = !mesh->absent || tact_tree_builder_has_tree(b->trees);
    if (*fitted && !tact_tree_builder_has_tree(b->trees)) result = bring(scene, mesh, b->trees);
    if (*fitted && result == TACT_OK)
        result = tact_tree_builder_refit(b->trees, mesh->away ? NULL : mesh->positions, cost, &changed);
    *good = *fitted && result == TACT_OK && !changed;
    if (*good) {
        tact_tree_facts facts;
        tact_tree_builder_facts(b->trees, &facts);
        result = set_bounds(scene, mesh, &facts, bounds);
    }
    tact_device_leave(b->device);
    return result;
}

tact_result tact_scene_fit_on_device(tact_scene* scene, tact_scene_mesh* mesh, double* cost, tact_trace_bounds* bounds,
                                     bool* fitted, bool* good)
{
    tact_result result = fit(scene, mesh, cost, bounds, fitted, good);
    if (result == TACT_OK && *good) {
        mesh->behind = true;
        return TACT_OK;
    }
    if (result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY) return result;
    *fitted = *good = false;
    tact_env* env = &scene->context->env;
    tact_log(env, TACT_LOG_WARNING, "scene", "a tree is not fitted on its device: %s", tact_last_error());
    tact_error_clear(env);
    const tact_result read = tact_scene_read_vertices(scene, mesh);
    // A tree that was not fitted to the end is brought anew the next time.
    if (read == TACT_OK && !mesh->absent) tact_scene_leave_device(mesh);
    return read;
}

bool tact_scene_fitted_on(const tact_scene* scene, uint32_t device)
{
    for (size_t i = 0; device > 0 && i < scene->mesh_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[i];
        const tact_tree_builder* tree = tact_scene_device_tree(mesh);
        if (!mesh->behind && !mesh->absent && !mesh->away) continue;
        if (!tree || !tact_tree_builder_is_on(tree, scene->context->devices[device])) return false;
    }
    return device > 0;
}

#else

void* tact_scene_device_tree(const tact_scene_mesh* mesh)
{
    (void)mesh;
    return NULL;
}

tact_result tact_scene_keep_on_device(tact_scene* scene, tact_scene_mesh* mesh, tact_bvh8* wide)
{
    (void)scene, (void)mesh, (void)wide;
    return TACT_OK;
}

tact_result tact_scene_read_tree(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide)
{
    (void)scene, (void)mesh, (void)wide;
    return TACT_OK;
}

tact_result tact_scene_move_there(tact_scene* scene, tact_scene_mesh* mesh, const tact_device_array* positions,
                                  size_t stride, bool* there)
{
    (void)scene, (void)mesh, (void)positions, (void)stride;
    *there = false;
    return TACT_OK;
}

tact_result tact_scene_read_vertices(tact_scene* scene, tact_scene_mesh* mesh)
{
    (void)scene, (void)mesh;
    return TACT_OK;
}

tact_result tact_scene_fit_on_device(tact_scene* scene, tact_scene_mesh* mesh, double* cost, tact_trace_bounds* bounds,
                                     bool* fitted, bool* good)
{
    (void)scene, (void)mesh, (void)cost, (void)bounds;
    *fitted = *good = false;
    return TACT_OK;
}

bool tact_scene_fitted_on(const tact_scene* scene, uint32_t device)
{
    (void)scene;
    return device > 0;
}

tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, bool stay,
                                       tact_mesh_scene_tree* tree, bool* built)
{
    (void)scene, (void)mesh, (void)stay, (void)tree;
    *built = false;
    return TACT_OK;
}

#endif
