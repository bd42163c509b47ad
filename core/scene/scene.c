// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/scene/scene.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "base/shared.h"
#include "core/context/callers_array.h"
#include "cpu_ref/trace/scene.h"

static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static tact_env* env_of(const tact_scene* scene)
{
    return &scene->context->env;
}

tact_result tact_scene_create(tact_context* context, tact_scene** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "scene");
    *out = NULL;
    tact_scene* scene = tact_allocate_zeroed(&context->env, 1, sizeof *scene);
    if (!scene) return TACT_ERROR_OUT_OF_MEMORY;
    scene->context = context;
    tact_guard_init(&scene->guard);
    scene->parts[TACT_SCENE_STATIC].changed = scene->parts[TACT_SCENE_DYNAMIC].changed = true;
    scene->trace.serial = ++context->scenes_made;
    ++context->objects;
    *out = scene;
    return TACT_OK;
}

void tact_scene_destroy(tact_scene* scene)
{
    if (!scene) return;
    tact_env* env = env_of(scene);
    TACT_ASSERT(scene->context->objects > 0);
    tact_tickets_forget(scene->context, scene);
    tact_residents_release(scene->kept[0], (size_t)TACT_SCENE_RESIDENTS * TACT_MAX_DEVICES);
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        tact_shared_release(env, scene->meshes[i].positions);
        tact_shared_release(env, scene->meshes[i].indices);
        if (scene->meshes[i].source) tact_mesh_let_go(scene->meshes[i].source);
        tact_release(env, scene->meshes[i].shapes);
        tact_release(env, scene->meshes[i].alpha);
        tact_resident_release(&scene->meshes[i].fitter);
    }
    tact_release(env, scene->meshes);
    tact_release(env, scene->instances);
    tact_release(env, scene->matrices);
    tact_release(env, scene->trace_meshes);
    tact_release(env, scene->wide);
    tact_release(env, scene->blocks);
    tact_release(env, scene->shapes);
    tact_release(env, scene->dynamic);
    tact_release(env, scene->user_data);
    tact_scene_free_top(scene);
    tact_guard_destroy(&scene->guard);
    --scene->context->objects;
    tact_release(env, scene);
}

tact_result tact_scene_reserve_mesh(tact_scene* scene, size_t primitives)
{
    TACT_ASSERT(scene->mesh_count <= scene->mesh_capacity);
    tact_env* env = env_of(scene);
    const uint64_t most = (uint64_t)1 << 30;
    if (primitives > most || scene->primitive_total + primitives > most) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a scene holds at most 2^30 primitives; this would make %llu",
                         (unsigned long long)(scene->primitive_total + primitives));
    }
    void* meshes = scene->meshes;
    const bool grown = tact_reserve(env, &meshes, &scene->mesh_capacity, scene->mesh_count, scene->mesh_count + 1,
                                    sizeof *scene->meshes);
    scene->meshes = meshes;
    return grown ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Puts a mesh of triangles behind the others, for which there is room.
static uint32_t append(tact_scene* scene, const tact_scene_mesh* mesh)
{
    scene->meshes[scene->mesh_count] = *mesh;
    scene->triangle_total += mesh->triangle_count;
    scene->primitive_total += mesh->triangle_count;
    TACT_ASSERT(scene->mesh_count < scene->mesh_capacity && scene->triangle_total <= scene->primitive_total);
    scene->committed = false;
    return (uint32_t)scene->mesh_count++;
}

/// Reads the vertices of a mesh out of a caller's array. Errors: those of tact_callers_array_read(), OUT_OF_MEMORY.
static tact_result read_vertices(tact_context* context, const tact_mesh_desc* desc, float* positions)
{
    const size_t bytes = tact_mesh_desc_bytes(desc);
    if (bytes == 0) return TACT_OK;
    float* rows = tact_allocate(&context->env, bytes, 1);
    if (!rows) return TACT_ERROR_OUT_OF_MEMORY;
    tact_mesh_desc there = *desc;
    there.positions = rows;
    const tact_result result = tact_callers_array_read(context, desc->device_positions, rows, bytes);
    if (result == TACT_OK) tact_mesh_positions_copy(&there, positions);
    tact_release(&context->env, rows);
    return result;
}

tact_result tact_scene_add_mesh(tact_scene* scene, const tact_mesh_desc* desc, uint32_t* out)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    if (!desc) return tact_null(&scene->context->env, "desc");
    if (!out) return tact_null(&scene->context->env, "mesh");
    tact_env* env = env_of(scene);
    const tact_mesh_limits limits = {.triangles = (size_t)1 << 30, .vertices = TACT_NONE - 1, .device_positions = true};
    tact_result checked = tact_mesh_desc_check(scene->context, desc, &limits);
    if (checked == TACT_OK) checked = tact_scene_reserve_mesh(scene, desc->triangle_count);
    if (checked != TACT_OK) return checked;

    tact_scene_mesh mesh = {.vertex_count = desc->vertex_count, .triangle_count = desc->triangle_count};
    mesh.positions = tact_shared_allocate(env, desc->vertex_count, 3 * sizeof(float));
    mesh.indices = tact_shared_allocate(env, desc->triangle_count, 3 * sizeof(uint32_t));
    tact_result result = mesh.positions && mesh.indices ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && desc->device_positions) result = read_vertices(scene->context, desc, mesh.positions);
    if (result != TACT_OK) {
        tact_shared_release(env, mesh.positions);
        tact_shared_release(env, mesh.indices);
        return result;
    }
    if (!desc->device_positions) tact_mesh_positions_copy(desc, mesh.positions);
    tact_mesh_indices_copy(desc, mesh.indices);
    *out = append(scene, &mesh);
    return TACT_OK;
}

tact_result tact_scene_attach_mesh(tact_scene* scene, tact_mesh* source, uint32_t* out)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    tact_env* env = env_of(scene);
    if (!source) return tact_null(env, "source");
    if (!out) return tact_null(env, "mesh");
    if (source->context != scene->context) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the mesh and the scene belong to different contexts");
    }
    const tact_result reserved = tact_scene_reserve_mesh(scene, source->shape.triangle_count);
    if (reserved != TACT_OK) return reserved;
    const tact_scene_mesh mesh = {.positions = tact_shared_hold(source->shape.positions),
                                  .indices = tact_shared_hold(source->shape.indices),
                                  .source = source,
                                  .version = source->version,
                                  .vertex_count = source->shape.vertex_count,
                                  .triangle_count = source->shape.triangle_count};
    ++source->holders;
    *out = append(scene, &mesh);
    return TACT_OK;
}

tact_result tact_scene_check_mesh(const tact_scene* scene, uint32_t mesh)
{
    if (mesh < scene->mesh_count) return TACT_OK;
    return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "no mesh %u: there are %zu", mesh, scene->mesh_count);
}

/// Errors: INVALID_ARGUMENT (no such mesh, or of shapes).
static tact_result check_triangles(const tact_scene* scene, uint32_t mesh)
{
    const tact_result known = tact_scene_check_mesh(scene, mesh);
    if (known != TACT_OK || scene->meshes[mesh].kind == TACT_KIND_TRIANGLES) return known;
    return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "mesh %u is of shapes, which have no vertices", mesh);
}

tact_result tact_scene_set_quality(tact_scene* scene, uint32_t mesh, tact_mesh_quality quality)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = check_triangles(scene, mesh);
    if (known != TACT_OK) return known;
    if ((unsigned)quality > TACT_MESH_HIGH) {
        return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "no mesh quality has the number %d", (int)quality);
    }
    if (scene->meshes[mesh].quality == quality) return TACT_OK;
    scene->meshes[mesh].quality = quality;
    scene->committed = false;
    return TACT_OK;
}

/// What both ways to move vertices begin with; `given`: there is an array.
static tact_result check_update(tact_scene* scene, uint32_t mesh, bool given, size_t step, tact_mesh_update update)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    tact_env* env = env_of(scene);
    const tact_result known = check_triangles(scene, mesh);
    if (known != TACT_OK) return known;
    if ((unsigned)update > TACT_UPDATE_REBUILD) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no kind of update has the number %d", (int)update);
    }
    const tact_scene_mesh* m = &scene->meshes[mesh];
    if (m->source) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "mesh %u is attached: its vertices are moved by tact_mesh_move_vertices()", mesh);
    }
    if (m->vertex_count > 0 && !given) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "mesh %u has %zu vertices, but the array is NULL", mesh,
                         m->vertex_count);
    }
    return tact_stride_check(env, m->vertex_count, step);
}

static void note_update(tact_scene* scene, tact_scene_mesh* mesh, tact_mesh_update update)
{
    mesh->moved = true;
    mesh->update = update;
    scene->committed = false;
}

tact_result tact_scene_update_mesh(tact_scene* scene, uint32_t mesh, const float* positions, size_t stride,
                                   tact_mesh_update update)
{
    const size_t step = stride ? stride : 3 * sizeof(float);
    const tact_result checked = check_update(scene, mesh, positions != NULL, step, update);
    if (checked != TACT_OK) return checked;
    tact_scene_mesh* m = &scene->meshes[mesh];
    tact_mesh_positions_copy(
        &(tact_mesh_desc){.positions = positions, .vertex_count = m->vertex_count, .position_stride = step},
        m->positions);
    m->away = false;
    note_update(scene, m, update);
    return TACT_OK;
}

tact_result tact_scene_update_mesh_device(tact_scene* scene, uint32_t mesh, const tact_device_array* positions,
                                          size_t stride, tact_mesh_update update)
{
    const size_t step = stride ? stride : 3 * sizeof(float);
    tact_result result = check_update(scene, mesh, positions != NULL, step, update);
    if (result != TACT_OK) return result;
    tact_scene_mesh* m = &scene->meshes[mesh];
    const size_t count = m->vertex_count;
    const tact_mesh_desc vertices = {.device_positions = positions, .vertex_count = count, .position_stride = step};
    bool there = false;
    if (count > 0) result = tact_callers_array_check(scene->context, positions, tact_mesh_desc_bytes(&vertices));
    if (result == TACT_OK && count > 0) result = tact_scene_move_there(scene, m, positions, step, &there);
    if (result == TACT_OK && !there) result = read_vertices(scene->context, &vertices, m->positions);
    if (result != TACT_OK) return result;
    m->away = there;
    note_update(scene, m, update);
    return TACT_OK;
}

/// `name` and `id` are what the matrix belongs to: "instance", 7.
static tact_result check_matrix(tact_scene* scene, const float matrix[12], const char* name, uint32_t id)
{
    tact_trace_instance trial = {0};
    const float nothing[3] = {0.0f, 0.0f, 0.0f};
    float turn[12];
    memcpy(turn, matrix, sizeof turn);
    turn[3] = turn[7] = turn[11] = 0.0f;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const bool good = tact_trace_place(&trial, matrix, nothing, nothing);
    const bool turns = good || tact_trace_place(&trial, turn, nothing, nothing);
    tact_float_env_leave(&float_env);
    if (good) return TACT_OK;
    tact_env* env = env_of(scene);
    for (int k = 0; k < 12; ++k) {
        if (isfinite(matrix[k])) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %u: number %d of its matrix is %g", name, id, k,
                         (double)matrix[k]);
    }
    if (!turns) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %u: its matrix cannot be inverted", name, id);
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %u: its matrix moves it out of range, to %g, %g, %g", name,
                     id, (double)matrix[3], (double)matrix[7], (double)matrix[11]);
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
    void *dynamic = scene->dynamic, *user_data = scene->user_data;
    const bool grown_all = grown_too &&
                           tact_reserve(env, &dynamic, &scene->dynamic_capacity, scene->instance_count, needed, 1) &&
                           tact_reserve(env, &user_data, &scene->user_data_capacity, scene->instance_count, needed,
                                        sizeof *scene->user_data);
    scene->dynamic = dynamic;
    scene->user_data = user_data;
    if (!grown_all) return TACT_ERROR_OUT_OF_MEMORY;
    *id = (uint32_t)scene->instance_count++;
    return TACT_OK;
}

tact_result tact_scene_add_instance(tact_scene* scene, uint32_t mesh, const float object_to_world[12], uint32_t* out)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    if (!out) return tact_null(&scene->context->env, "instance");
    tact_env* env = env_of(scene);
    const float* matrix = object_to_world ? object_to_world : identity;
    if (mesh >= scene->mesh_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an instance of mesh %u, but there are %zu meshes", mesh,
                         scene->mesh_count);
    }
    const tact_result checked = check_matrix(scene, matrix, "a new instance of mesh", mesh);
    if (checked != TACT_OK) return checked;
    uint32_t id = 0;
    const tact_result taken = take_instance(scene, &id);
    if (taken != TACT_OK) return taken;
    TACT_ASSERT(id < scene->instance_count && id < scene->instance_capacity && id < scene->matrix_capacity);
    memset(&scene->instances[id], 0, sizeof scene->instances[id]);
    scene->instances[id].id = id;
    scene->instances[id].mesh = mesh;
    scene->instances[id].kind = scene->meshes[mesh].kind;
    scene->instances[id].mask = UINT32_MAX;
    scene->dynamic[id] = TACT_SCENE_STATIC;
    scene->user_data[id] = 0;
    memcpy(scene->matrices[id], matrix, sizeof scene->matrices[id]);
    tact_scene_touch(scene, id);
    *out = id;
    return TACT_OK;
}

tact_result tact_scene_check_instance(const tact_scene* scene, uint32_t instance)
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
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = tact_scene_check_instance(scene, instance);
    if (known != TACT_OK) return known;
    scene->instances[instance].mesh = TACT_NONE;
    if (scene->removed_count++ == 0 || instance < scene->removed_from) scene->removed_from = instance;
    TACT_ASSERT(scene->removed_count <= scene->instance_count && scene->removed_from <= instance);
    tact_scene_touch(scene, instance);
    return TACT_OK;
}

tact_result tact_scene_move_instance(tact_scene* scene, uint32_t instance, const float object_to_world[12])
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = tact_scene_check_instance(scene, instance);
    if (known != TACT_OK) return known;
    const float* matrix = object_to_world ? object_to_world : identity;
    const tact_result checked = check_matrix(scene, matrix, "instance", instance);
    if (checked != TACT_OK) return checked;
    memcpy(scene->matrices[instance], matrix, sizeof scene->matrices[instance]);
    tact_scene_touch(scene, instance);
    return TACT_OK;
}

typedef struct move_job {
    const float (*matrices)[12];
    TACT_ATOMIC(bool) wrong;  ///< one of them is
} move_job;

static void check_some(size_t begin, size_t end, int worker, void* user)
{
    move_job* job = user;
    (void)worker;
    static const float nothing[3] = {0.0f, 0.0f, 0.0f};
    for (size_t i = begin; i < end; ++i) {
        tact_trace_instance trial = {0};
        if (!tact_trace_place(&trial, job->matrices[i], nothing, nothing)) job->wrong = true;
    }
}

tact_result tact_scene_move_instances(tact_scene* scene, const uint32_t* instances, const float (*object_to_world)[12],
                                      size_t count)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    if (count == 0) return TACT_OK;
    if (!object_to_world) return tact_null(env_of(scene), "object_to_world");
    if (!instances && count > scene->instance_count) {
        return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "%zu matrices for %zu instances", count,
                         scene->instance_count);
    }
    for (size_t i = 0; i < count; ++i) {
        const tact_result known = tact_scene_check_instance(scene, instances ? instances[i] : (uint32_t)i);
        if (known != TACT_OK) return known;
    }
    move_job job = {.matrices = object_to_world};
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_parallel_for(scene->context->threads, count, 256, check_some, &job);
    tact_float_env_leave(&float_env);
    for (size_t i = 0; i < count && job.wrong; ++i) {
        const tact_result checked =
            check_matrix(scene, object_to_world[i], "instance", instances ? instances[i] : (uint32_t)i);
        if (checked != TACT_OK) return checked;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t instance = instances ? instances[i] : (uint32_t)i;
        memcpy(scene->matrices[instance], object_to_world[i], sizeof scene->matrices[instance]);
        tact_scene_touch(scene, instance);
    }
    return TACT_OK;
}

tact_trace_mesh tact_scene_mesh_view(const tact_scene_mesh* mesh)
{
    return (tact_trace_mesh){.positions = mesh->away ? NULL : mesh->positions,
                             .indices = mesh->indices,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count,
                             .kind = mesh->kind,
                             .shapes = mesh->shapes,
                             .shape_count = mesh->shape_count,
                             .alpha = mesh->alpha,
                             .wide_root = mesh->wide_root,
                             .wide_count = mesh->wide_count,
                             .first_slot = mesh->first_block * TACT_BVH8_BLOCK,
                             .slot_count = mesh->block_count * TACT_BVH8_BLOCK,
                             .fitted = mesh->fitted,
                             .device_tree = tact_scene_device_tree(mesh),
                             .bounds = mesh->bounds};
}

static tact_result view_meshes(tact_scene* scene)
{
    TACT_ASSERT(scene->trace_mesh_count <= scene->mesh_count);
    void* views = scene->trace_meshes;
    if (!tact_reserve(env_of(scene), &views, &scene->trace_mesh_capacity, scene->trace_mesh_count, scene->mesh_count,
                      sizeof *scene->trace_meshes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    scene->trace_meshes = views;
    for (size_t i = scene->trace_mesh_count; i < scene->mesh_count; ++i) {
        scene->trace_meshes[i] = tact_scene_mesh_view(&scene->meshes[i]);
    }
    scene->trace_mesh_count = scene->mesh_count;
    return TACT_OK;
}

/// Takes the vertices of attached meshes that have moved since.
static void follow_sources(tact_scene* scene)
{
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        tact_scene_mesh* mesh = &scene->meshes[i];
        if (!mesh->source || mesh->version == mesh->source->version) continue;
        tact_shared_release(env_of(scene), mesh->positions);
        mesh->positions = tact_shared_hold(mesh->source->shape.positions);
        mesh->version = mesh->source->version;
        mesh->moved = true;
        mesh->update = TACT_UPDATE_AUTO;
        scene->committed = false;
    }
}

static tact_result build_changes(tact_scene* scene)
{
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        tact_scene_mesh* mesh = &scene->meshes[i];
        if (mesh->built && !mesh->moved && mesh->built_quality == mesh->quality) continue;
        // Until the arrays are whole again nobody may take them for what they were.
        ++scene->trace.mesh_version;
        // Its instances have other boxes, and the trees behind its own other places.
        if (mesh->built) scene->parts[TACT_SCENE_STATIC].changed = scene->parts[TACT_SCENE_DYNAMIC].changed = true;
        const tact_result built = mesh->kind == TACT_KIND_TRIANGLES ? tact_scene_make_mesh(scene, mesh)
                                                                    : tact_scene_build_shapes(scene, mesh);
        if (built != TACT_OK) return built;
        if (mesh->fitted != scene->trace.mesh_version) scene->trace.layout_version = scene->trace.mesh_version;
        // The trees behind its own may have moved, so no view holds any longer.
        scene->trace_mesh_count = 0;
    }
    const tact_result viewed = view_meshes(scene);
    TACT_ASSERT(viewed != TACT_OK || scene->trace_mesh_count == scene->mesh_count);
    if (viewed != TACT_OK) return viewed;
    const bool top_changed = scene->parts[TACT_SCENE_STATIC].changed || scene->parts[TACT_SCENE_DYNAMIC].changed;
    const double start = tact_platform_milliseconds();
    if (top_changed) {
        const tact_result built = tact_scene_build_top(scene);
        if (built != TACT_OK) return built;
    }
    scene->top_ms = tact_platform_milliseconds() - start;
    // Who keeps answers must see that they are out of date.
    if (top_changed || scene->alpha_changed) ++scene->trace.top_version;
    if (scene->alpha_changed) scene->trace.layout_version = ++scene->trace.mesh_version;
    scene->alpha_changed = false;
    return TACT_OK;
}

static tact_result commit(tact_scene* scene)
{
    follow_sources(scene);
    if (scene->committed) return TACT_OK;
    const double start = tact_platform_milliseconds();
    tact_float_env env;
    tact_float_env_enter(&env);
    const tact_result built = build_changes(scene);
    tact_scene_note_elsewhere(scene);
    tact_float_env_leave(&env);
    if (built != TACT_OK) return built;
    TACT_ASSERT(scene->wide_top_count >= 1 && scene->placed_count <= scene->instance_count);
    tact_trace_scene* t = &scene->trace;
    t->wide_top = scene->wide_top;
    t->wide_top_count = scene->wide_top_count;
    t->wide = scene->wide;
    t->wide_count = scene->wide_count;
    t->blocks = scene->blocks;
    t->slot_count = scene->block_count * TACT_BVH8_BLOCK;
    t->shapes = scene->shapes;
    t->shape_slot_count = scene->shape_slot_count;
    t->instances = scene->placed;
    t->instance_count = scene->placed_count;
    t->meshes = scene->trace_meshes;
    t->mesh_count = scene->mesh_count;
    t->by_id = scene->instances;
    t->by_id_count = scene->instance_count;
    const tact_scene_part* parts = scene->parts;
    t->has_shapes = parts[TACT_SCENE_STATIC].has_shapes || parts[TACT_SCENE_DYNAMIC].has_shapes;
    t->has_bent = parts[TACT_SCENE_STATIC].has_bent || parts[TACT_SCENE_DYNAMIC].has_bent;
    t->has_hidden = parts[TACT_SCENE_STATIC].has_hidden || parts[TACT_SCENE_DYNAMIC].has_hidden;
    t->stretch = fmaxf(1.0f, fmaxf(parts[TACT_SCENE_STATIC].stretch, parts[TACT_SCENE_DYNAMIC].stretch));
    t->has_alpha = scene->alpha_count > 0;
    t->matrices = (const float(*)[12])scene->matrices;
    TACT_ASSERT(!scene->parts[TACT_SCENE_STATIC].changed && !scene->parts[TACT_SCENE_DYNAMIC].changed);
    TACT_VALIDATE(tact_trace_top_is_valid(t));
    for (size_t i = 0; i < t->mesh_count; ++i)
        TACT_VALIDATE(scene->behind || tact_trace_mesh_is_valid(t, &t->meshes[i]));
    scene->ray_visits = 8.0 + 2.0 * log2((double)scene->primitive_total + 2.0);
    scene->committed = true;
    scene->build_ms = tact_platform_milliseconds() - start;
    return TACT_OK;
}

tact_result tact_scene_commit(tact_scene* scene)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_change(&scene->guard);
    const tact_result result = commit(scene);
    tact_guard_changed(&scene->guard);
    return result;
}

static uint64_t bytes_of(const tact_scene_mesh* mesh)
{
    return 3 * (mesh->vertex_count * sizeof(float) + mesh->triangle_count * sizeof(uint32_t));
}

/// Bytes of the meshes that are attached. One that is attached twice is held once.
static uint64_t shared_bytes(const tact_scene* scene)
{
    uint64_t bytes = 0;
    // A mark of the meshes' own, which other scenes may attach too.
    tact_mutex_lock(&scene->context->shared);
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        tact_mesh* source = scene->meshes[i].source;
        if (!source || source->counted) continue;
        bytes += bytes_of(&scene->meshes[i]);
        source->counted = true;
    }
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        if (scene->meshes[i].source) scene->meshes[i].source->counted = false;
    }
    tact_mutex_unlock(&scene->context->shared);
    return bytes;
}

tact_result tact_scene_get_stats(const tact_scene* scene, tact_scene_stats* stats)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!stats) return tact_null(&scene->context->env, "stats");
    const tact_result committed = tact_scene_require_committed(scene);
    if (committed != TACT_OK) return committed;
    memset(stats, 0, sizeof *stats);
    stats->meshes = scene->mesh_count;
    stats->instances = scene->instance_count - scene->removed_count;
    stats->triangles = scene->triangle_total;
    stats->nodes = scene->wide_count + scene->wide_top_count;
    stats->build_ms = scene->build_ms;
    stats->shapes = scene->primitive_total - scene->triangle_total;
    stats->static_builds = scene->parts[TACT_SCENE_STATIC].builds;
    stats->dynamic_builds = scene->parts[TACT_SCENE_DYNAMIC].builds;
    stats->top_ms = scene->top_ms;
    for (size_t i = 0; i < scene->instance_count; ++i)
        stats->dynamic_instances += scene->instances[i].mesh != TACT_NONE && scene->dynamic[i] == TACT_SCENE_DYNAMIC;
    size_t largest = 0;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[i];
        stats->skipped_triangles += mesh->skipped;
        stats->skipped_shapes += mesh->skipped_shapes;
        stats->depth = mesh->depth > stats->depth ? mesh->depth : stats->depth;
        if (mesh->triangle_count >= largest) stats->sah_cost = mesh->sah_cost;
        largest = mesh->triangle_count > largest ? mesh->triangle_count : largest;
        const uint64_t bytes = bytes_of(mesh);
        if (!mesh->source) stats->mesh_bytes += bytes;
        stats->mesh_bytes += mesh->shape_count * sizeof *mesh->shapes;
    }
    stats->shared_bytes = shared_bytes(scene);
    stats->memory_bytes = tact_trace_scene_bytes(&scene->trace);
    for (int k = 0; k < 3; ++k) {
        stats->lower[k] = FLT_MAX;
        stats->upper[k] = -FLT_MAX;
    }
    for (size_t i = 0; i < scene->placed_count; ++i) {
        const uint32_t id = scene->placed[i].id;
        TACT_ASSERT(id < scene->instance_count && scene->placed[i].mesh < scene->mesh_count);
        const tact_scene_mesh* mesh = &scene->meshes[scene->placed[i].mesh];
        tact_trace_grow(stats->lower, stats->upper, scene->matrices[id], mesh->bounds.tight_lower,
                        mesh->bounds.tight_upper);
    }
    return TACT_OK;
}
