// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the library holds: scenes, their trees, sets of volumes.

#include <math.h>

#include "core/scene/scene.h"
#include "core/volumes/volumes.h"
#include "tools/debug_draw/debug_draw.h"

tact_result tact_debug_volumes(tact_debug_draw* draw, tact_volumes* set)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!draw) return tact_null(&set->context->env, "draw");
    const tact_result fetched = tact_volumes_fetch(set);
    if (fetched < 0) return fetched;
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    for (uint32_t id = 0; id < set->id_end; ++id) {
        if (!tact_volumes_contains(set, id)) continue;
        if (set->kind == TACT_VOLUME_SPHERE) {
            tact_debug_put_sphere(&batch, TACT_DEBUG_VOLUME, set->spheres[id]);
        } else {
            tact_debug_put_box(&batch, TACT_DEBUG_VOLUME, set->boxes[id], NULL);
        }
    }
    return tact_debug_end(&batch);
}

static tact_aabb box_of(const float lower[3], const float upper[3])
{
    const tact_aabb box = {{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
    return box;
}

static bool has(const tact_scene* scene, uint32_t instance)
{
    return scene && scene->committed && instance < scene->instance_count &&
           scene->instances[instance].mesh != TACT_NONE;  // removed
}

/// What the calls on a scene begin with.
static tact_result check_scene(const tact_debug_draw* draw, const tact_scene* scene)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!draw) return tact_null(&scene->context->env, "draw");
    return tact_scene_require_committed(scene);
}

static tact_result check_instance(const tact_debug_draw* draw, const tact_scene* scene, uint32_t instance)
{
    const tact_result wrong = check_scene(draw, scene);
    return wrong != TACT_OK ? wrong : tact_scene_check_instance(scene, instance);
}

/// What devices alone have of trees and vertices is brought, which is no change of the scene that a caller could see.
static tact_result bring(const tact_scene* scene)
{
    return tact_scene_catch_up((tact_scene*)(uintptr_t)scene, 0);
}

/// What the calls begin with that draw what is in a mesh.
static tact_result check_mesh(const tact_debug_draw* draw, const tact_scene* scene, uint32_t instance)
{
    const tact_result wrong = check_instance(draw, scene, instance);
    return wrong != TACT_OK ? wrong : bring(scene);
}

static const tact_scene_mesh* mesh_of(const tact_scene* scene, uint32_t instance)
{
    return &scene->meshes[scene->instances[instance].mesh];
}

/// Instances of empty meshes have a box that holds nothing.
static void put_bounds(tact_debug_batch* batch, const tact_scene* scene, uint32_t instance)
{
    const tact_trace_instance* i = &scene->instances[instance];
    const tact_scene_mesh* mesh = mesh_of(scene, instance);
    if (mesh->bounds.lower[0] <= mesh->bounds.upper[0])
        tact_debug_put_box(batch, TACT_DEBUG_INSTANCE, box_of(i->lower, i->upper), NULL);
}

tact_result tact_debug_scene_bounds(tact_debug_draw* draw, const tact_scene* scene)
{
    const tact_result wrong = check_scene(draw, scene);
    if (wrong != TACT_OK) return wrong;
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    for (size_t i = 0; i < scene->instance_count; ++i) {
        if (has(scene, (uint32_t)i)) put_bounds(&batch, scene, (uint32_t)i);
    }
    return tact_debug_end(&batch);
}

tact_result tact_debug_instance_bounds(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance)
{
    const tact_result wrong = check_instance(draw, scene, instance);
    if (wrong != TACT_OK) return wrong;
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    put_bounds(&batch, scene, instance);
    return tact_debug_end(&batch);
}

tact_result tact_debug_instance_box(tact_debug_draw* draw, tact_debug_kind kind, const tact_scene* scene,
                                    uint32_t instance)
{
    const tact_result wrong = check_instance(draw, scene, instance);
    if (wrong != TACT_OK) return wrong;
    const tact_scene_mesh* mesh = mesh_of(scene, instance);
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_put_box(&batch, kind, box_of(mesh->bounds.tight_lower, mesh->bounds.tight_upper),
                       scene->matrices[instance]);
    return tact_debug_end(&batch);
}

// Trees

/// A tree, and what is done at its boxes.
typedef struct tree_walk {
    const tact_bvh8_node* nodes;
    const float* matrix;  ///< NULL: none
    uint32_t level;
    uint32_t deepest;         ///< the level of the deepest box seen
    tact_debug_batch* batch;  ///< NULL: only `deepest` is wanted
} tree_walk;

static void put_node_box(tree_walk* w, tact_bvh_box box, bool leaf)
{
    if (!w->batch) return;
    tact_debug_put_box(w->batch, leaf ? TACT_DEBUG_LEAF : TACT_DEBUG_NODE, box_of(box.lower, box.upper), w->matrix);
}

/// Depth first, the first child first.
static void walk(tree_walk* w, uint32_t root)
{
    struct {
        uint32_t node, level;
    } stack[TACT_BVH8_STACK];
    uint32_t count = 0;
    if (w->level == 0) {
        put_node_box(w, tact_bvh8_bounds(&w->nodes[root]), false);
        return;
    }
    stack[count].node = root;
    stack[count++].level = 1;
    while (count) {
        --count;
        const uint32_t level = stack[count].level;
        const tact_bvh8_node* node = &w->nodes[stack[count].node];
        for (int i = TACT_BVH8_WIDTH - 1; i >= 0; --i) {
            const uint32_t kind = tact_bvh8_kind(node, i);
            if (kind == 0) continue;
            if (level > w->deepest) w->deepest = level;
            if (kind != TACT_BVH8_INNER || level == w->level) {
                put_node_box(w, tact_bvh8_child_box(node, i), kind != TACT_BVH8_INNER);
            } else if (count < TACT_BVH8_STACK) {
                // The stack has room for every tree: seven wait on each step down.
                stack[count].node = tact_bvh8_child(node, i);
                stack[count++].level = level + 1;
            }
        }
    }
}

tact_result tact_debug_scene_tree(tact_debug_draw* draw, const tact_scene* scene, uint32_t level)
{
    const tact_result wrong = check_scene(draw, scene);
    if (wrong != TACT_OK) return wrong;
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tree_walk w = {.nodes = scene->wide_top, .level = level, .batch = &batch};
    if (scene->placed_count) walk(&w, 0);
    return tact_debug_end(&batch);
}

tact_result tact_debug_instance_tree(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance, uint32_t level)
{
    const tact_result wrong = check_mesh(draw, scene, instance);
    if (wrong != TACT_OK) return wrong;
    const tact_scene_mesh* mesh = mesh_of(scene, instance);
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tree_walk w = {.nodes = scene->wide, .matrix = scene->matrices[instance], .level = level, .batch = &batch};
    if (mesh->bounds.lower[0] <= mesh->bounds.upper[0]) walk(&w, mesh->wide_root);
    return tact_debug_end(&batch);
}

uint32_t tact_debug_scene_levels(const tact_scene* scene)
{
    if (!scene || !scene->committed || !scene->placed_count) return 0;
    tree_walk w = {.nodes = scene->wide_top, .level = TACT_DEBUG_LEAVES};
    walk(&w, 0);
    return w.deepest + 1;
}

uint32_t tact_debug_instance_levels(const tact_scene* scene, uint32_t instance)
{
    if (!has(scene, instance) ||
        !(mesh_of(scene, instance)->bounds.lower[0] <= mesh_of(scene, instance)->bounds.upper[0]))
        return 0;
    if (bring(scene) != TACT_OK) return 0;
    tree_walk w = {.nodes = scene->wide, .level = TACT_DEBUG_LEAVES};
    walk(&w, mesh_of(scene, instance)->wide_root);
    return w.deepest + 1;
}

// Triangles

static bool corners_of(const tact_scene* scene, uint32_t instance, size_t triangle, tact_debug_point corners[3])
{
    const tact_scene_mesh* mesh = mesh_of(scene, instance);
    for (size_t c = 0; c < 3; ++c) {
        const float* p = mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + c];
        if (!tact_debug_finite(p, 3)) return false;
        corners[c] = tact_debug_move(scene->matrices[instance], p);
    }
    return true;
}

tact_result tact_debug_instance_edges(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance)
{
    const tact_result wrong = check_mesh(draw, scene, instance);
    if (wrong != TACT_OK) return wrong;
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_point p[3];
    for (size_t t = 0; t < mesh_of(scene, instance)->triangle_count; ++t) {
        for (int i = 0; i < 3 && (i || corners_of(scene, instance, t, p)); ++i)
            tact_debug_put_line(&batch, TACT_DEBUG_TRIANGLE, p[i], p[(i + 1) % 3]);
    }
    return tact_debug_end(&batch);
}

static void put_normal(tact_debug_batch* batch, const tact_debug_point p[3], double length)
{
    tact_debug_point middle, n;
    double size = 0.0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        middle.p[i] = (p[0].p[i] + p[1].p[i] + p[2].p[i]) / 3.0;
        n.p[i] = (p[1].p[j] - p[0].p[j]) * (p[2].p[k] - p[0].p[k]) - (p[1].p[k] - p[0].p[k]) * (p[2].p[j] - p[0].p[j]);
        size += n.p[i] * n.p[i];
    }
    size = sqrt(size);
    if (!(size > 0.0) || !isfinite(size)) return;
    tact_debug_put_line(batch, TACT_DEBUG_NORMAL, middle, tact_debug_along(middle, length / size, n));
}

tact_result tact_debug_instance_normals(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance, float length)
{
    const tact_result wrong = check_mesh(draw, scene, instance);
    if (wrong != TACT_OK) return wrong;
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_point p[3];
    for (size_t t = 0; isfinite(length) && t < mesh_of(scene, instance)->triangle_count; ++t) {
        if (corners_of(scene, instance, t, p)) put_normal(&batch, p, (double)length);
    }
    return tact_debug_end(&batch);
}

tact_result tact_debug_instance_triangle(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance,
                                         uint32_t triangle)
{
    const tact_result wrong = check_mesh(draw, scene, instance);
    if (wrong != TACT_OK) return wrong;
    const size_t triangles = mesh_of(scene, instance)->triangle_count;
    if (triangle >= triangles) {
        return tact_fail(&scene->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "no triangle %u in instance %u: there are %zu", (unsigned)triangle, (unsigned)instance,
                         triangles);
    }
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    tact_debug_point p[3];
    if (corners_of(scene, instance, triangle, p)) {
        tact_debug_put(&batch, TACT_DEBUG_FACE, p, 3);
        for (int i = 0; i < 3; ++i)
            tact_debug_put_line(&batch, TACT_DEBUG_TRIANGLE, p[i], p[(i + 1) % 3]);
    }
    return tact_debug_end(&batch);
}
