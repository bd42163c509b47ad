// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "core/scene/scene.h"
#include "cpu_ref/trace/scene.h"

// The trees of a scene's meshes: built, fitted to vertices that moved, and kept one behind the other in the scene's
// arrays.

enum { BLOCK = TACT_BVH8_BLOCK, GRAIN = 1 << 10 };

static tact_env* env_of(const tact_scene* scene)
{
    return &scene->context->env;
}

/// Room for `more` behind what is there.
static bool reserve(tact_env* env, void** array, size_t* capacity, size_t used, size_t more, size_t size)
{
    return tact_reserve(env, array, capacity, used, used + more, size);
}

/// Nodes that a tree needs room for. One that stays on its device may be lost there: then another takes its place.
static size_t room_of(const tact_bvh8* wide)
{
    const size_t packed = wide->nodes ? 0 : tact_bvh8_packed_nodes(wide->count);
    return wide->node_count > packed ? wide->node_count : packed;
}

static bool reserve_all(tact_scene* scene, const tact_bvh8* wide)
{
    TACT_ASSERT(wide->node_count >= 1 && wide->slot_count % BLOCK == 0);
    tact_env* env = env_of(scene);
    void *wides = scene->wide, *blocks = scene->blocks;
    const bool good =
        reserve(env, &wides, &scene->wide_capacity, scene->wide_count, room_of(wide), sizeof *scene->wide) &&
        reserve(env, &blocks, &scene->block_capacity, scene->block_count, wide->slot_count / BLOCK,
                sizeof *scene->blocks);
    scene->wide = wides;
    scene->blocks = blocks;
    return good;
}

typedef struct copy_job {
    const tact_scene_mesh* mesh;
    const tact_bvh8* wide;
    tact_bvh8_node* nodes;
    tact_triangle_block* blocks;
} copy_job;

static void set_slot(const tact_scene_mesh* mesh, tact_triangle_block* block, size_t place, uint32_t id)
{
    TACT_ASSERT(id == UINT32_MAX || id < mesh->triangle_count);
    block->primitive[place] = id;
    for (int corner = 0; corner < 3; ++corner) {
        const float* p = id == UINT32_MAX ? NULL : mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)id + corner];
        for (int k = 0; k < 3; ++k)
            block->corner[corner][k][place] = p ? p[k] : 0.0f;
    }
}

static void fill_blocks(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const copy_job* job = user;
    for (size_t i = begin; i < end; ++i) {
        for (size_t place = 0; place < BLOCK; ++place)
            set_slot(job->mesh, &job->blocks[i], place, job->wide->order[i * BLOCK + place]);
    }
}

static void copy_nodes(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const copy_job* job = user;
    for (size_t i = begin; i < end; ++i) {
        job->nodes[i] = job->wide->nodes[i];
        job->nodes[i].node += job->mesh->wide_root;
        job->nodes[i].slot += (uint32_t)(job->mesh->first_block * BLOCK);
    }
}

/// Copies a tree to its place in the arrays.
static void put_tree(tact_scene* scene, const tact_scene_mesh* mesh, const tact_bvh8* wide)
{
    TACT_ASSERT(wide->node_count <= mesh->wide_count && wide->slot_count == mesh->block_count * BLOCK);
    copy_job job = {mesh, wide, scene->wide + mesh->wide_root, scene->blocks + mesh->first_block};
    tact_parallel_for(scene->context->threads, wide->node_count, GRAIN, copy_nodes, &job);
    tact_parallel_for(scene->context->threads, mesh->block_count, GRAIN, fill_blocks, &job);
}

/// Gives a tree its place, and puts it there unless it stays where it was built.
static void append_wide(tact_scene* scene, tact_scene_mesh* mesh, const tact_bvh8* wide)
{
    TACT_ASSERT(scene->wide_count + room_of(wide) <= scene->wide_capacity);
    TACT_ASSERT(scene->block_count + wide->slot_count / BLOCK <= scene->block_capacity);
    mesh->wide_root = (uint32_t)scene->wide_count;
    mesh->wide_count = room_of(wide);
    mesh->first_block = scene->block_count;
    mesh->block_count = wide->slot_count / BLOCK;
    if (wide->nodes) put_tree(scene, mesh, wide);
    scene->wide_count += mesh->wide_count;
    scene->block_count += mesh->block_count;
    TACT_ASSERT(scene->wide_count <= UINT32_MAX && scene->block_count <= UINT32_MAX / BLOCK);
}

static void set_bounds(tact_scene_mesh* mesh, const tact_trace_bounds* bounds)
{
    TACT_ASSERT(bounds->kept <= mesh->triangle_count);
    mesh->bounds = *bounds;
    mesh->skipped = mesh->triangle_count - bounds->kept;
}

/// By the CPU.
static tact_result build_here(tact_scene* scene, const tact_scene_mesh* mesh, tact_trace_bounds* bounds,
                              tact_bvh8* wide)
{
    tact_env* env = env_of(scene);
    const int threads = scene->context->threads;
    const tact_trace_mesh view = tact_scene_mesh_view(mesh);
    TACT_ASSERT(!mesh->away);
    tact_build_reference* references = tact_allocate(env, mesh->triangle_count, sizeof *references);
    if (!references) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = tact_trace_references(env, &view, threads, references, bounds);
    const tact_build_desc desc = {(tact_build_quality)mesh->quality, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
    if (result == TACT_OK) result = tact_bvh8_build(env, threads, &desc, references, bounds->kept, wide);
    TACT_ASSERT(result != TACT_OK || wide->count == bounds->kept);
    TACT_VALIDATE(result != TACT_OK || tact_bvh8_is_valid(wide, &desc, references, bounds->kept));
    tact_release(env, references);
    return result;
}

/// By the scene's device, or by the CPU; where the tree may `stay` on the device *tree may have its sizes alone.
static tact_result build_wide(tact_scene* scene, tact_scene_mesh* mesh, bool stay, tact_mesh_scene_tree* tree)
{
    tree->built_on = 0;
    if (scene->build_device > 0) {
        bool built;
        tact_result result = tact_scene_build_on_device(scene, mesh, stay, tree, &built);
        if (built) tree->built_on = scene->build_device;
        if (result != TACT_OK || built) return result;
    }
    const tact_result result = tact_scene_read_vertices(scene, mesh);
    return result == TACT_OK ? build_here(scene, mesh, &tree->bounds, &tree->wide) : result;
}

/// Takes the tree that a mesh had out of the arrays; those behind it move up.
static void take_out(tact_scene* scene, const tact_scene_mesh* old)
{
    TACT_ASSERT(old->built && old->wide_root + old->wide_count <= scene->wide_count);
    TACT_ASSERT(old->first_block + old->block_count <= scene->block_count);
    const size_t slots = old->block_count * BLOCK;
    scene->wide_count -= old->wide_count;
    memmove(scene->wide + old->wide_root, scene->wide + old->wide_root + old->wide_count,
            (scene->wide_count - old->wide_root) * sizeof *scene->wide);
    scene->block_count -= old->block_count;
    // There are no blocks at all where no mesh has kept a triangle.
    if (scene->block_count > old->first_block)
        memmove(scene->blocks + old->first_block, scene->blocks + old->first_block + old->block_count,
                (scene->block_count - old->first_block) * sizeof *scene->blocks);
    const tact_scene_mesh hole = *old;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        tact_scene_mesh* m = &scene->meshes[i];
        if (!m->built || m->wide_root <= hole.wide_root) continue;
        m->wide_root -= (uint32_t)hole.wide_count;
        TACT_ASSERT(m->wide_root >= hole.wide_root && m->wide_root + m->wide_count <= scene->wide_count);
        // The slots of shapes are in another array, which has not changed.
        const bool triangles = m->kind == TACT_KIND_TRIANGLES;
        if (triangles) m->first_block -= hole.block_count;
        for (size_t k = 0; k < m->wide_count && !m->absent; ++k) {
            scene->wide[m->wide_root + k].node -= (uint32_t)hole.wide_count;
            if (triangles) scene->wide[m->wide_root + k].slot -= (uint32_t)slots;
        }
    }
}

/// The tree of a mesh as it is to be put into the arrays: its own, or the one kept for all that attach it, as bytes.
/// *fresh: the scene's device has just built it.
static tact_result make_tree(tact_scene* scene, tact_scene_mesh* mesh, tact_mesh_scene_tree* own,
                             tact_mesh_scene_tree** tree, bool* fresh)
{
    tact_mesh_scene_tree* kept = own;
    // Nothing attaches a mesh that its caller has destroyed, so that nothing would need the tree again.
    if (mesh->source && !mesh->source->destroyed) kept = &mesh->source->scene_trees[mesh->quality];
    *tree = kept;
    tact_result result = TACT_OK;
    const bool shared = kept != own, on_device = shared && scene->build_device > 0;
    if (on_device) tact_monitor_enter(&scene->context->queue);
    if (shared) tact_monitor_enter(&mesh->source->guard.own);
    *fresh = !kept->wide.nodes;
    if (*fresh) result = build_wide(scene, mesh, !shared, kept);
    *fresh = *fresh && kept->built_on > 0 && kept->bounds.kept > 0;
    if (result != TACT_OK) tact_bvh8_free(env_of(scene), &kept->wide);
    if (shared) tact_monitor_leave(&mesh->source->guard.own);
    if (on_device) tact_monitor_leave(&scene->context->queue);
    return result;
}

static tact_result build(tact_scene* scene, tact_scene_mesh* mesh)
{
    tact_mesh_scene_tree own = {0};
    tact_mesh_scene_tree* tree;
    bool fresh;
    tact_result result = make_tree(scene, mesh, &own, &tree, &fresh);
    if (result == TACT_OK && !reserve_all(scene, &tree->wide)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && fresh) result = tact_scene_keep_on_device(scene, mesh, &tree->wide);
    if (result == TACT_OK) {
        const tact_scene_mesh old = *mesh;
        mesh->absent = !tree->wide.nodes;
        // What it keeps may be another tree than the one there is now.
        if (!fresh) tact_scene_leave_device(mesh);
        mesh->built_on = tree->built_on;
        mesh->built_quality = mesh->quality;
        set_bounds(mesh, &tree->bounds);
        append_wide(scene, mesh, &tree->wide);
        mesh->depth = tree->wide.depth;
        mesh->sah_cost = mesh->built_cost = tree->wide.sah_cost;
        mesh->built = true;
        mesh->moved = mesh->behind = false;
        if (old.built) take_out(scene, &old);
    }
    tact_bvh8_free(env_of(scene), &own.wide);
    return result;
}

// ---- Fitting ----

typedef struct fit_job {
    const tact_scene_mesh* mesh;
    tact_triangle_block* blocks;
} fit_job;

static bool fit_leaf(uint32_t first, uint32_t count, tact_bvh_box* box, void* user)
{
    const fit_job* job = user;
    bool good = true;
    for (uint32_t s = first; s < first + count; ++s) {
        tact_triangle_block* block = &job->blocks[s / BLOCK];
        TACT_ASSERT(s / BLOCK >= job->mesh->first_block);
        TACT_ASSERT(s / BLOCK < job->mesh->first_block + job->mesh->block_count);
        const uint32_t i = s % BLOCK;
        set_slot(job->mesh, block, i, block->primitive[i]);
        float p[3][3];
        for (int corner = 0; corner < 3; ++corner) {
            for (int k = 0; k < 3; ++k)
                p[corner][k] = block->corner[corner][k][i];
            good = good && tact_in_range(p[corner][0], p[corner][1], p[corner][2]);
        }
        if (!good) return false;
        const TactBox b =
            tact_triangle_box(p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2], p[2][0], p[2][1], p[2][2]);
        const float lower[3] = {b.lx, b.ly, b.lz}, upper[3] = {b.hx, b.hy, b.hz};
        for (int k = 0; k < 3; ++k) {
            box->lower[k] = lower[k] < box->lower[k] ? lower[k] : box->lower[k];
            box->upper[k] = upper[k] > box->upper[k] ? upper[k] : box->upper[k];
        }
    }
    return true;
}

/// Fits a mesh's tree in the scene's arrays.
static tact_result fit_here(tact_scene* scene, tact_scene_mesh* mesh, bool* good, double* cost)
{
    fit_job job = {mesh, scene->blocks};
    const tact_result result = tact_bvh8_refit(env_of(scene), scene->context->threads, scene->wide, mesh->wide_root,
                                               fit_leaf, &job, good, cost);
    if (result == TACT_OK && *good) mesh->behind = false;
    return result;
}

// A quality that no mesh asks for, so that the next commit builds the tree again.
#define UNBUILT ((tact_mesh_quality)(TACT_MESH_HIGH + 1))

/// Builds the fullest tree there is where one has been lost, since it fits the room for any other; in the order of a
/// tree that is built with care, as the next commit does.
static tact_result replace_tree(tact_scene* scene, tact_scene_mesh* mesh)
{
    tact_bvh8 wide = {0};
    tact_trace_bounds bounds;
    tact_result result = build_here(scene, mesh, &bounds, &wide);
    if (result != TACT_OK) return result;
    TACT_ASSERT(bounds.kept == mesh->bounds.kept && bounds.kept > 0);
    TACT_ASSERT(tact_bvh8_packed_nodes(bounds.kept) <= mesh->wide_count && bounds.kept <= mesh->block_count * BLOCK);
    memset(scene->wide + mesh->wide_root, 0, mesh->wide_count * sizeof *scene->wide);
    tact_bvh8_pack(bounds.kept, scene->wide, mesh->wide_root, (uint32_t)(mesh->first_block * BLOCK));
    size_t next = 0;
    for (size_t i = 0; i < mesh->block_count * BLOCK; ++i) {
        while (next < wide.slot_count && wide.order[next] == UINT32_MAX)
            ++next;
        set_slot(mesh, &scene->blocks[mesh->first_block + i / BLOCK], i % BLOCK,
                 next < wide.slot_count ? wide.order[next++] : UINT32_MAX);
    }
    tact_bvh8_free(env_of(scene), &wide);
    bool good;
    double cost;
    result = fit_here(scene, mesh, &good, &cost);
    if (result != TACT_OK) return result;
    TACT_ASSERT(good);
    TACT_VALIDATE(tact_trace_mesh_is_valid(&scene->trace, &scene->trace.meshes[mesh - scene->meshes]));
    mesh->absent = false;
    mesh->built_on = 0;
    mesh->built_quality = UNBUILT;
    tact_scene_leave_device(mesh);
    return TACT_OK;
}

/// Takes a tree that has been lost out of a scene that is not committed.
static void forget_tree(tact_scene* scene, tact_scene_mesh* mesh)
{
    take_out(scene, mesh);
    mesh->built = mesh->absent = mesh->behind = false;
    scene->parts[TACT_SCENE_STATIC].changed = scene->parts[TACT_SCENE_DYNAMIC].changed = true;
    tact_scene_leave_device(mesh);
}

static tact_result fetch_mesh(tact_scene* scene, tact_scene_mesh* mesh)
{
    tact_result result = tact_scene_read_vertices(scene, mesh);
    if (result != TACT_OK || !mesh->absent) return result;
    tact_bvh8 wide = {0};
    result = tact_scene_read_tree(scene, mesh, &wide);
    if (result == TACT_OK) {
        put_tree(scene, mesh, &wide);
        mesh->absent = mesh->behind = false;
    } else if (result != TACT_ERROR_OUT_OF_MEMORY) {
        tact_log(env_of(scene), TACT_LOG_WARNING, "scene", "a tree is built again, on the CPU: %s", tact_last_error());
        tact_error_clear(env_of(scene));
        result = TACT_OK;
        if (scene->committed)
            result = replace_tree(scene, mesh);
        else
            forget_tree(scene, mesh);
    }
    tact_bvh8_free(env_of(scene), &wide);
    return result;
}

void tact_scene_note_elsewhere(tact_scene* scene)
{
    uint32_t flags = 0;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[i];
        if (mesh->behind) flags |= TACT_SCENE_BEHIND;
        if (mesh->absent || mesh->away) flags |= TACT_SCENE_ELSEWHERE;
    }
    scene->behind = flags;
}

/// Does something with each mesh, until that fails.
static tact_result each_mesh(tact_scene* scene, tact_result (*step)(tact_scene* scene, size_t mesh))
{
    tact_result result = TACT_OK;
    tact_float_env env;
    tact_float_env_enter(&env);
    for (size_t i = 0; i < scene->mesh_count && result == TACT_OK; ++i)
        result = step(scene, i);
    tact_scene_note_elsewhere(scene);
    tact_float_env_leave(&env);
    return result;
}

static tact_result fetch_one(tact_scene* scene, size_t i)
{
    tact_scene_mesh* mesh = &scene->meshes[i];
    const tact_result result = fetch_mesh(scene, mesh);
    if (i < scene->trace_mesh_count) {
        tact_trace_mesh* view = &scene->trace_meshes[i];
        view->device_tree = tact_scene_device_tree(mesh);
        if (!mesh->away) view->positions = mesh->positions;
    }
    return result;
}

tact_result tact_scene_fetch(tact_scene* scene)
{
    if (!(scene->behind & TACT_SCENE_ELSEWHERE)) return TACT_OK;
    // Devices are asked with the queue held, and then objects' own locks.
    tact_monitor_enter(&scene->context->queue);
    tact_monitor_enter(&scene->guard.own);
    const tact_result result = scene->behind & TACT_SCENE_ELSEWHERE ? each_mesh(scene, fetch_one) : TACT_OK;
    tact_monitor_leave(&scene->guard.own);
    tact_monitor_leave(&scene->context->queue);
    return result;
}

tact_result tact_scene_need_vertices(tact_scene* scene)
{
    bool away = false;
    if (!(scene->behind & TACT_SCENE_ELSEWHERE)) return TACT_OK;
    tact_monitor_enter(&scene->guard.own);
    for (size_t i = 0; i < scene->mesh_count; ++i)
        away = away || scene->meshes[i].away;
    tact_monitor_leave(&scene->guard.own);
    return away ? tact_scene_fetch(scene) : TACT_OK;
}

static tact_result fit_one(tact_scene* scene, size_t i)
{
    bool good = true;
    double cost;
    if (!scene->meshes[i].behind) return TACT_OK;
    const tact_result result = fit_here(scene, &scene->meshes[i], &good, &cost);
    // The device saw that the same triangles are in range.
    TACT_ASSERT(good);
    TACT_VALIDATE(result != TACT_OK || tact_trace_mesh_is_valid(&scene->trace, &scene->trace.meshes[i]));
    return result;
}

tact_result tact_scene_catch_up(tact_scene* scene, uint32_t on)
{
    TACT_ASSERT(scene->committed);
    if (!scene->behind) return TACT_OK;
    tact_monitor_enter(&scene->guard.own);
    const bool there = tact_scene_fitted_on(scene, on);
    tact_monitor_leave(&scene->guard.own);
    if (there) return TACT_OK;
    tact_result result = tact_scene_fetch(scene);
    if (result != TACT_OK) return result;
    tact_monitor_enter(&scene->guard.own);
    if (scene->behind) result = each_mesh(scene, fit_one);
    tact_monitor_leave(&scene->guard.own);
    return result;
}

/// Fits a mesh's tree, where it was built if that is where trees are built; `good` is false when it is of no use.
static tact_result fit_tree(tact_scene* scene, tact_scene_mesh* mesh, tact_trace_bounds* bounds, bool* good,
                            double* cost)
{
    *good = false;
    if (tact_scene_fits_there(scene, mesh)) {
        bool fitted;
        const tact_result result = tact_scene_fit_on_device(scene, mesh, cost, bounds, &fitted, good);
        if (result != TACT_OK || fitted) return result;
    }
    if (mesh->absent) return TACT_OK;
    TACT_ASSERT(!mesh->away);
    const tact_trace_mesh view = tact_scene_mesh_view(mesh);
    const tact_result result = tact_trace_measure(env_of(scene), &view, scene->context->threads, bounds);
    if (result != TACT_OK || bounds->kept != mesh->bounds.kept) return result;
    return fit_here(scene, mesh, good, cost);
}

/// Fits a mesh's tree; `done` is false when it must be built again.
static tact_result fit(tact_scene* scene, tact_scene_mesh* mesh, bool* done)
{
    TACT_ASSERT(mesh->built && mesh->kind == TACT_KIND_TRIANGLES);
    enum { TOO_COSTLY = 3 };  // halves of what the tree cost when it was built; docs/raycast.md has what speaks for it
    *done = false;
    tact_trace_bounds bounds;
    bool good;
    double cost;
    const tact_result result = fit_tree(scene, mesh, &bounds, &good, &cost);
    if (result != TACT_OK || !good) return result;
    if (mesh->update == TACT_UPDATE_AUTO && 2.0 * cost > TOO_COSTLY * mesh->built_cost) return TACT_OK;
    set_bounds(mesh, &bounds);
    mesh->sah_cost = cost;
    mesh->moved = false;
    mesh->fitted = scene->trace.mesh_version;
    *done = true;
    return TACT_OK;
}

tact_result tact_scene_make_mesh(tact_scene* scene, tact_scene_mesh* mesh)
{
    TACT_ASSERT(mesh >= scene->meshes && mesh < scene->meshes + scene->mesh_count);
    if (mesh->built && mesh->built_quality == mesh->quality && mesh->update != TACT_UPDATE_REBUILD) {
        bool done;
        const tact_result fitted = fit(scene, mesh, &done);
        if (fitted != TACT_OK || done) return fitted;
    }
    return build(scene, mesh);
}
