// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/scene.h"

#include <float.h>
#include <string.h>

#include "core/float_env.h"
#include "core/platform.h"

static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static tact_env* env_of(const tact_scene* scene)
{
    return &scene->context->env;
}

tact_result tact_scene_create(tact_context* context, tact_scene** out)
{
    if (!context || !out) return TACT_ERROR_INVALID_ARGUMENT;
    *out = NULL;
    tact_scene* scene = tact_allocate_zeroed(&context->env, 1, sizeof *scene);
    if (!scene) return TACT_ERROR_OUT_OF_MEMORY;
    scene->context = context;
    scene->top_changed = true;
    scene->serial = ++context->scenes_made;
    ++context->objects;
    *out = scene;
    return TACT_OK;
}

void tact_scene_destroy(tact_scene* scene)
{
    if (!scene) return;
    tact_env* env = env_of(scene);
    for (int i = 0; i < TACT_MAX_DEVICES; ++i) {
        if (scene->resident[i]) scene->release_resident[i](scene->resident[i]);
    }
    if (scene->drawn) scene->release_drawn(scene->drawn);
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        tact_release(env, scene->meshes[i].positions);
        tact_release(env, scene->meshes[i].indices);
    }
    tact_release(env, scene->meshes);
    tact_release(env, scene->instances);
    tact_release(env, scene->matrices);
    tact_release(env, scene->nodes);
    tact_release(env, scene->triangles);
    tact_release(env, scene->trace_meshes);
    tact_release(env, scene->placed);
    tact_bvh_free(env, &scene->top);
    --scene->context->objects;
    tact_release(env, scene);
}

tact_result tact_mesh_desc_check(tact_env* env, const tact_mesh_desc* desc)
{
    const size_t stride = desc->position_stride ? desc->position_stride : 3 * sizeof(float);
    if (desc->triangle_count > 0 && (!desc->positions || desc->vertex_count == 0)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a mesh of %zu triangles has no vertices",
                         desc->triangle_count);
    }
    if (stride < 3 * sizeof(float) || stride % sizeof(float) != 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "a position stride of %zu bytes; it must be a multiple of 4 and at least 12", stride);
    }
    if (desc->vertex_count >= TACT_NONE) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu vertices are more than 32-bit indices reach", desc->vertex_count);
    }
    if (desc->triangle_count > (size_t)1 << 30) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a mesh of %zu triangles; at most 2^30 fit", desc->triangle_count);
    }
    for (size_t i = 0; i < 3 * desc->triangle_count; ++i) {
        const size_t index = desc->indices ? desc->indices[i] : i;
        if (index >= desc->vertex_count) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                             "triangle %zu refers to vertex %zu, but there are %zu vertices", i / 3, index,
                             desc->vertex_count);
        }
    }
    return TACT_OK;
}

static tact_result check_mesh(tact_scene* scene, const tact_mesh_desc* desc)
{
    const uint64_t most = (uint64_t)1 << 30;
    if (desc->triangle_count <= most && scene->triangle_total + desc->triangle_count > most) {
        return tact_fail(env_of(scene), TACT_ERROR_LIMIT, "a scene holds at most 2^30 triangles; this would make %llu",
                         (unsigned long long)(scene->triangle_total + desc->triangle_count));
    }
    return tact_mesh_desc_check(env_of(scene), desc);
}

tact_result tact_scene_add_mesh(tact_scene* scene, const tact_mesh_desc* desc, uint32_t* out)
{
    if (!scene || !desc || !out) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = env_of(scene);
    const tact_result checked = check_mesh(scene, desc);
    if (checked != TACT_OK) return checked;

    void* meshes = scene->meshes;
    if (!tact_reserve(env, &meshes, &scene->mesh_capacity, scene->mesh_count, scene->mesh_count + 1,
                      sizeof *scene->meshes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    scene->meshes = meshes;
    tact_scene_mesh mesh = {.vertex_count = desc->vertex_count, .triangle_count = desc->triangle_count};
    mesh.positions = tact_allocate(env, desc->vertex_count, 3 * sizeof(float));
    mesh.indices = tact_allocate(env, desc->triangle_count, 3 * sizeof(uint32_t));
    if (!mesh.positions || !mesh.indices) {
        tact_release(env, mesh.positions);
        tact_release(env, mesh.indices);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_mesh_desc_copy(desc, mesh.positions, mesh.indices);
    *out = (uint32_t)scene->mesh_count;
    scene->meshes[scene->mesh_count++] = mesh;
    scene->triangle_total += desc->triangle_count;
    scene->committed = false;
    return TACT_OK;
}

static tact_result check_matrix(tact_scene* scene, const float matrix[12])
{
    tact_trace_instance trial = {0};
    const float nothing[3] = {0.0f, 0.0f, 0.0f};
    tact_float_env env;
    tact_float_env_enter(&env);
    const bool good = tact_trace_place(&trial, matrix, nothing, nothing);
    tact_float_env_leave(&env);
    if (good) return TACT_OK;
    return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT,
                     "an instance's matrix is not finite, cannot be inverted, or lies out of range");
}

/// Room for one more instance, under the smallest id that is free.
static tact_result take_instance(tact_scene* scene, uint32_t* id)
{
    if (scene->removed_count > 0) {
        while (scene->instances[scene->removed_from].mesh != TACT_NONE)
            ++scene->removed_from;
        --scene->removed_count;
        *id = (uint32_t)scene->removed_from++;
        return TACT_OK;
    }
    tact_env* env = env_of(scene);
    if (scene->instance_count >= (size_t)1 << 24) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a scene holds at most 2^24 instances");
    }
    const size_t needed = scene->instance_count + 1;
    void* instances = scene->instances;
    void* matrices = scene->matrices;
    const bool grown = tact_reserve(env, &instances, &scene->instance_capacity, scene->instance_count, needed,
                                    sizeof *scene->instances);
    scene->instances = instances;
    const bool grown_too = grown && tact_reserve(env, &matrices, &scene->matrix_capacity, scene->instance_count, needed,
                                                 sizeof *scene->matrices);
    scene->matrices = matrices;
    if (!grown_too) return TACT_ERROR_OUT_OF_MEMORY;
    *id = (uint32_t)scene->instance_count++;
    return TACT_OK;
}

tact_result tact_scene_add_instance(tact_scene* scene, uint32_t mesh, const float object_to_world[12], uint32_t* out)
{
    if (!scene || !out) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = env_of(scene);
    const float* matrix = object_to_world ? object_to_world : identity;
    if (mesh >= scene->mesh_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an instance of mesh %u, but there are %zu meshes", mesh,
                         scene->mesh_count);
    }
    const tact_result checked = check_matrix(scene, matrix);
    if (checked != TACT_OK) return checked;
    uint32_t id = 0;
    const tact_result taken = take_instance(scene, &id);
    if (taken != TACT_OK) return taken;
    memset(&scene->instances[id], 0, sizeof scene->instances[id]);
    scene->instances[id].id = id;
    scene->instances[id].mesh = mesh;
    memcpy(scene->matrices[id], matrix, sizeof scene->matrices[id]);
    scene->committed = false;
    scene->top_changed = true;
    *out = id;
    return TACT_OK;
}

static tact_result check_instance(tact_scene* scene, uint32_t instance)
{
    if (instance >= scene->instance_count) {
        return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "no instance %u: there are %zu", instance,
                         scene->instance_count - scene->removed_count);
    }
    if (scene->instances[instance].mesh == TACT_NONE) {
        return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "instance %u was removed", instance);
    }
    return TACT_OK;
}

tact_result tact_scene_remove_instance(tact_scene* scene, uint32_t instance)
{
    if (!scene) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result known = check_instance(scene, instance);
    if (known != TACT_OK) return known;
    scene->instances[instance].mesh = TACT_NONE;
    if (scene->removed_count++ == 0 || instance < scene->removed_from) scene->removed_from = instance;
    scene->committed = false;
    scene->top_changed = true;
    return TACT_OK;
}

tact_result tact_scene_move_instance(tact_scene* scene, uint32_t instance, const float object_to_world[12])
{
    if (!scene) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result known = check_instance(scene, instance);
    if (known != TACT_OK) return known;
    const float* matrix = object_to_world ? object_to_world : identity;
    const tact_result checked = check_matrix(scene, matrix);
    if (checked != TACT_OK) return checked;
    memcpy(scene->matrices[instance], matrix, sizeof scene->matrices[instance]);
    scene->committed = false;
    scene->top_changed = true;
    return TACT_OK;
}

/// Appends a mesh's tree and its triangles, in leaf order, to the scene's arrays.
static tact_result append_tree(tact_scene* scene, tact_scene_mesh* mesh, const tact_bvh* bvh)
{
    tact_env* env = env_of(scene);
    void* nodes = scene->nodes;
    const bool grown = tact_reserve(env, &nodes, &scene->node_capacity, scene->node_count,
                                    scene->node_count + bvh->node_count, sizeof *scene->nodes);
    scene->nodes = nodes;
    void* triangles = scene->triangles;
    const bool grown_too = grown && tact_reserve(env, &triangles, &scene->triangle_capacity, scene->triangle_count,
                                                 scene->triangle_count + bvh->count, sizeof *scene->triangles);
    scene->triangles = triangles;
    if (!grown_too) return TACT_ERROR_OUT_OF_MEMORY;

    mesh->root = (uint32_t)scene->node_count;
    for (size_t i = 0; i < bvh->node_count; ++i) {
        tact_bvh_node node = bvh->nodes[i];
        for (int side = 0; side < 2; ++side) {
            const bool leaf = (node.children[side].child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
            node.children[side].child += leaf ? (uint32_t)scene->triangle_count : mesh->root;
        }
        scene->nodes[scene->node_count + i] = node;
    }
    scene->node_count += bvh->node_count;
    for (size_t i = 0; i < bvh->count; ++i) {
        tact_trace_triangle* t = &scene->triangles[scene->triangle_count + i];
        const uint32_t id = bvh->order[i];
        const uint32_t* corners = mesh->indices + 3 * (size_t)id;
        memset(t, 0, sizeof *t);
        memcpy(t->a, mesh->positions + 3 * (size_t)corners[0], sizeof t->a);
        memcpy(t->b, mesh->positions + 3 * (size_t)corners[1], sizeof t->b);
        memcpy(t->c, mesh->positions + 3 * (size_t)corners[2], sizeof t->c);
        t->primitive = id;
    }
    scene->triangle_count += bvh->count;
    return TACT_OK;
}

static void grow_box(float lower[3], float upper[3], const float low[3], const float high[3])
{
    for (int k = 0; k < 3; ++k) {
        lower[k] = low[k] < lower[k] ? low[k] : lower[k];
        upper[k] = high[k] > upper[k] ? high[k] : upper[k];
    }
}

/// Bounds of the padded boxes and of the vertices themselves, of the triangles that can be hit.
static void bound_mesh(tact_scene_mesh* mesh, const tact_bvh_box* boxes, const uint32_t* ids, size_t count)
{
    for (int k = 0; k < 3; ++k) {
        mesh->lower[k] = mesh->tight_lower[k] = FLT_MAX;
        mesh->upper[k] = mesh->tight_upper[k] = -FLT_MAX;
    }
    for (size_t i = 0; i < count; ++i) {
        grow_box(mesh->lower, mesh->upper, boxes[i].lower, boxes[i].upper);
        for (size_t corner = 0; corner < 3; ++corner) {
            const float* p = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)ids[i] + corner];
            grow_box(mesh->tight_lower, mesh->tight_upper, p, p);
        }
    }
}

static tact_result build_mesh(tact_scene* scene, tact_scene_mesh* mesh)
{
    tact_env* env = env_of(scene);
    const int threads = scene->context->threads;
    tact_bvh_box* boxes = tact_allocate(env, mesh->triangle_count, sizeof *boxes);
    uint32_t* ids = tact_allocate(env, mesh->triangle_count, sizeof *ids);
    tact_bvh bvh = {0};
    tact_result result = boxes && ids ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        const tact_trace_mesh view = {mesh->positions, mesh->indices, mesh->triangle_count};
        const size_t kept = tact_trace_boxes(&view, threads, boxes, ids);
        mesh->skipped = mesh->triangle_count - kept;
        bound_mesh(mesh, boxes, ids, kept);
        result = tact_bvh_build(env, threads, boxes, ids, kept, TACT_BVH_MAX_LEAF, TACT_BVH_MAX_DEPTH, &bvh);
    }
    tact_release(env, boxes);
    tact_release(env, ids);
    if (result == TACT_OK) result = append_tree(scene, mesh, &bvh);
    mesh->depth = bvh.depth;
    mesh->sah_cost = bvh.sah_cost;
    tact_bvh_free(env, &bvh);
    mesh->built = result == TACT_OK;
    return result;
}

static tact_result build_top(tact_scene* scene)
{
    tact_env* env = env_of(scene);
    const size_t count = scene->instance_count;
    tact_bvh_box* boxes = tact_allocate(env, count, sizeof *boxes);
    uint32_t* ids = tact_allocate(env, count, sizeof *ids);
    tact_trace_instance* placed = tact_allocate(env, count, sizeof *placed);
    tact_bvh top = {0};
    tact_result result = boxes && ids && placed ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    size_t kept = 0;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        tact_trace_instance* instance = &scene->instances[i];
        if (instance->mesh == TACT_NONE) continue;
        const tact_scene_mesh* mesh = &scene->meshes[instance->mesh];
        const bool empty = mesh->lower[0] > mesh->upper[0];
        const float origin[3] = {0.0f, 0.0f, 0.0f};
        instance->root = mesh->root;
        if (!tact_trace_place(instance, scene->matrices[i], empty ? origin : mesh->lower,
                              empty ? origin : mesh->upper)) {
            result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                               "instance %zu moves its mesh out of range (coordinates beyond 2^60)", i);
        }
        if (empty) continue;
        memcpy(boxes[kept].lower, instance->lower, sizeof boxes[kept].lower);
        memcpy(boxes[kept].upper, instance->upper, sizeof boxes[kept].upper);
        ids[kept++] = (uint32_t)i;
    }
    if (result == TACT_OK) {
        result = tact_bvh_build(env, scene->context->threads, boxes, ids, kept, 1, TACT_BVH_MAX_TOP_DEPTH, &top);
    }
    tact_release(env, boxes);
    tact_release(env, ids);
    if (result != TACT_OK) {
        tact_release(env, placed);
        return result;
    }
    for (size_t i = 0; i < kept; ++i)
        placed[i] = scene->instances[top.order[i]];
    tact_bvh_free(env, &scene->top);
    tact_release(env, scene->placed);
    scene->top = top;
    scene->placed = placed;
    scene->placed_count = kept;
    return TACT_OK;
}

static tact_result view_meshes(tact_scene* scene)
{
    void* views = scene->trace_meshes;
    if (!tact_reserve(env_of(scene), &views, &scene->trace_mesh_capacity, scene->trace_mesh_count, scene->mesh_count,
                      sizeof *scene->trace_meshes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    scene->trace_meshes = views;
    for (size_t i = scene->trace_mesh_count; i < scene->mesh_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[i];
        scene->trace_meshes[i] = (tact_trace_mesh){mesh->positions, mesh->indices, mesh->triangle_count};
    }
    scene->trace_mesh_count = scene->mesh_count;
    return TACT_OK;
}

static tact_result build_changes(tact_scene* scene)
{
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        if (scene->meshes[i].built) continue;
        const tact_result built = build_mesh(scene, &scene->meshes[i]);
        if (built != TACT_OK) return built;
    }
    const tact_result viewed = view_meshes(scene);
    if (viewed != TACT_OK) return viewed;
    scene->trace.mesh_version = scene->mesh_count;  // meshes are only ever added
    if (scene->top_changed) {
        const tact_result built = build_top(scene);
        if (built != TACT_OK) return built;
        ++scene->trace.top_version;
        scene->top_changed = false;
    }
    return TACT_OK;
}

tact_result tact_scene_commit(tact_scene* scene)
{
    if (!scene) return TACT_ERROR_INVALID_ARGUMENT;
    if (scene->committed) return TACT_OK;
    const double start = tact_platform_milliseconds();
    tact_float_env env;
    tact_float_env_enter(&env);
    const tact_result built = build_changes(scene);
    tact_float_env_leave(&env);
    if (built != TACT_OK) return built;
    tact_trace_scene* t = &scene->trace;
    t->top = scene->top.nodes;
    t->top_count = scene->top.node_count;
    t->instances = scene->placed;
    t->instance_count = scene->placed_count;
    t->nodes = scene->nodes;
    t->node_count = scene->node_count;
    t->triangles = scene->triangles;
    t->triangle_count = scene->triangle_count;
    t->meshes = scene->trace_meshes;
    t->by_id = scene->instances;
    t->by_id_count = scene->instance_count;
    scene->committed = true;
    scene->build_ms = tact_platform_milliseconds() - start;
    return TACT_OK;
}

tact_result tact_scene_get_stats(const tact_scene* scene, tact_scene_stats* stats)
{
    if (!scene || !stats) return TACT_ERROR_INVALID_ARGUMENT;
    if (!scene->committed) {
        return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "the scene has changes that are not committed");
    }
    memset(stats, 0, sizeof *stats);
    stats->meshes = scene->mesh_count;
    stats->instances = scene->instance_count - scene->removed_count;
    stats->triangles = scene->triangle_total;
    stats->nodes = scene->node_count + scene->top.node_count;
    stats->build_ms = scene->build_ms;
    size_t largest = 0;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[i];
        stats->skipped_triangles += mesh->skipped;
        stats->depth = mesh->depth > stats->depth ? mesh->depth : stats->depth;
        if (mesh->triangle_count >= largest) stats->sah_cost = mesh->sah_cost;
        largest = mesh->triangle_count > largest ? mesh->triangle_count : largest;
    }
    stats->memory_bytes = (scene->node_count + scene->top.node_count) * sizeof(tact_bvh_node) +
                          scene->triangle_count * sizeof(tact_trace_triangle) +
                          scene->placed_count * sizeof(tact_trace_instance);
    for (int k = 0; k < 3; ++k) {
        stats->lower[k] = FLT_MAX;
        stats->upper[k] = -FLT_MAX;
    }
    for (size_t i = 0; i < scene->placed_count; ++i) {
        const uint32_t id = scene->placed[i].id;
        const tact_scene_mesh* mesh = &scene->meshes[scene->placed[i].mesh];
        tact_trace_grow(stats->lower, stats->upper, scene->matrices[id], mesh->tight_lower, mesh->tight_upper);
    }
    return TACT_OK;
}
