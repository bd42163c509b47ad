// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/mesh/mesh.h"

#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/mesh/desc.h"

tact_result tact_mesh_create(tact_context* context, const tact_mesh_desc* desc, tact_mesh** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!desc) return tact_null(&context->env, "desc");
    if (!out) return tact_null(&context->env, "mesh");
    *out = NULL;
    tact_env* env = &context->env;
    const tact_mesh_limits limits = {.triangles = (size_t)1 << 29, .vertices = (size_t)1 << 30};
    tact_result result = tact_mesh_desc_check(context, desc, &limits);
    if (result != TACT_OK) return result;
    tact_mesh* mesh = tact_allocate_zeroed(env, 1, sizeof *mesh);
    if (!mesh) return TACT_ERROR_OUT_OF_MEMORY;
    mesh->context = context;
    mesh->holders = 1;
    result = tact_overlap_mesh_make(env, desc, &mesh->shape);
    if (result != TACT_OK) {
        tact_release(env, mesh);
        return result;
    }
    tact_guard_init(&mesh->guard);
    ++context->objects;
    *out = mesh;
    return TACT_OK;
}

static void drop_scene_trees(tact_mesh* mesh)
{
    for (int quality = 0; quality <= TACT_MESH_HIGH; ++quality)
        tact_bvh8_free(&mesh->context->env, &mesh->scene_trees[quality].wide);
}

void tact_mesh_let_go(tact_mesh* mesh)
{
    TACT_ASSERT(mesh->holders > 0 && (mesh->holders > 1 || mesh->destroyed));
    if (--mesh->holders > 0) return;
    tact_env* env = &mesh->context->env;
    tact_overlap_mesh_free(env, &mesh->shape);
    tact_guard_destroy(&mesh->guard);
    tact_release(env, mesh);
}

void tact_mesh_destroy(tact_mesh* mesh)
{
    if (!mesh) return;
    tact_env* env = &mesh->context->env;
    tact_residents_release(mesh->kept, TACT_MAX_DEVICES);
    tact_overlap_mesh_drop_trees(env, &mesh->shape);
    tact_separation_tree_free(env, &mesh->apart);
    drop_scene_trees(mesh);
    --mesh->context->objects;
    mesh->destroyed = true;
    tact_mesh_let_go(mesh);
}

tact_result tact_mesh_need_trees(tact_mesh* mesh)
{
    tact_result result = TACT_OK;
    tact_monitor_enter(&mesh->guard.own);
    if (!tact_overlap_mesh_is_built(&mesh->shape)) {
        const double start = tact_platform_milliseconds();
        tact_float_env float_env;
        tact_float_env_enter(&float_env);
        result = tact_overlap_mesh_build(&mesh->context->env, mesh->context->threads, &mesh->shape);
        tact_float_env_leave(&float_env);
        mesh->build_ms = tact_platform_milliseconds() - start;
    }
    tact_monitor_leave(&mesh->guard.own);
    return result;
}

tact_result tact_mesh_need_neighbours(tact_mesh* mesh)
{
    tact_monitor_enter(&mesh->guard.own);
    const tact_result result = tact_overlap_mesh_connect(&mesh->context->env, &mesh->shape);
    tact_monitor_leave(&mesh->guard.own);
    return result;
}

tact_result tact_mesh_move_vertices(tact_mesh* mesh, const float* positions, size_t count, size_t stride)
{
    if (!tact_enter(mesh ? mesh->context : NULL, "mesh")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&mesh->guard);
    tact_env* env = &mesh->context->env;
    if (count != mesh->shape.vertex_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu positions for a mesh of %zu vertices", count,
                         mesh->shape.vertex_count);
    }
    const size_t step = stride ? stride : 3 * sizeof(float);
    if (count > 0 && !positions) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu vertices, but the array is NULL", count);
    }
    tact_result result = tact_stride_check(env, count, step);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    if (count > 0) result = tact_overlap_mesh_move(env, mesh->context->threads, positions, step, &mesh->shape);
    tact_float_env_leave(&float_env);
    if (result != TACT_OK) return result;
    mesh->build_ms = tact_platform_milliseconds() - start;
    drop_scene_trees(mesh);
    ++mesh->version;
    return TACT_OK;
}

/// What is known of a mesh, under its own lock.
static void tell(const tact_mesh* mesh, tact_mesh_info* info)
{
    const tact_overlap_mesh* m = &mesh->shape;
    *info = (tact_mesh_info){.vertices = m->vertex_count,
                             .triangles = m->triangle_count,
                             .skipped_triangles = m->triangle_count - m->tree.triangle_count,
                             .nodes = m->tree.node_count,
                             .depth = m->tree.depth,
                             .closed = m->closed,
                             .build_ms = mesh->build_ms,
                             .memory_bytes = tact_overlap_mesh_bytes(m) + tact_separation_tree_bytes(&mesh->apart)};
    for (int quality = 0; quality <= TACT_MESH_HIGH; ++quality) {
        const tact_bvh8* wide = &mesh->scene_trees[quality].wide;
        info->memory_bytes += wide->node_count * sizeof *wide->nodes + wide->slot_count * sizeof *wide->order;
    }
    memcpy(info->lower, m->lower, sizeof info->lower);
    memcpy(info->upper, m->upper, sizeof info->upper);
}

tact_result tact_mesh_get_info(const tact_mesh* mesh, tact_mesh_info* info)
{
    if (!tact_enter(mesh ? mesh->context : NULL, "mesh")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!info) return tact_null(&mesh->context->env, "info");
    // What is found out once is kept, which nobody can see: every mesh is made here, and none is const.
    tact_mesh* own = (tact_mesh*)(uintptr_t)mesh;
    tact_result result = tact_mesh_need_trees(own);
    if (result == TACT_OK) result = tact_mesh_need_neighbours(own);
    if (result != TACT_OK) return result;
    tact_monitor_enter(&own->guard.own);
    tell(mesh, info);
    tact_monitor_leave(&own->guard.own);
    return TACT_OK;
}

tact_result tact_mesh_get_desc(const tact_mesh* mesh, tact_mesh_desc* desc)
{
    if (!tact_enter(mesh ? mesh->context : NULL, "mesh")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!desc) return tact_null(&mesh->context->env, "desc");
    const tact_overlap_mesh* m = &mesh->shape;
    *desc = (tact_mesh_desc){.positions = m->positions,
                             .vertex_count = m->vertex_count,
                             .indices = m->indices,
                             .triangle_count = m->triangle_count};
    return TACT_OK;
}
