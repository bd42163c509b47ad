// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Recorded queries run again: what they were asked of is made anew, and the digest of the answer comes from where it
// was recorded, since the calls are the same.

#include <stdio.h>
#include <string.h>

#include "core/record/replay.h"
#include "tact/closest.h"
#include "tact/cull.h"
#include "tact/mesh_overlap.h"
#include "tact/pairs.h"
#include "tact/particles.h"
#include "tact/raycast.h"
#include "tact/scene_cull.h"
#include "tact/sphere_cast.h"

// ---- What queries are asked of ----

static tact_result add_shapes(tact_scene* scene, uint32_t kind, const tact_read_chunk* array, uint32_t* mesh)
{
    tact_env* env = &scene->context->env;
    const tact_trace_shape* given = (const tact_trace_shape*)(const void*)array->bytes;
    const size_t count = tact_read_rows(array);
    // Room for any of them.
    void* made = tact_allocate(env, count, sizeof(tact_capsule));
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    tact_sphere* spheres = made;
    tact_aabb* boxes = made;
    tact_capsule* capsules = made;
    for (size_t i = 0; i < count; ++i) {
        const tact_trace_shape* s = &given[i];
        const tact_vec3 a = {s->a[0], s->a[1], s->a[2]}, b = {s->b[0], s->b[1], s->b[2]};
        if (kind == TACT_KIND_SPHERES) {
            spheres[i] = (tact_sphere){a, s->radius};
        } else if (kind == TACT_KIND_BOXES) {
            boxes[i] = (tact_aabb){a, b};
        } else {
            capsules[i] = (tact_capsule){a, b, s->radius};
        }
    }
    const tact_result result = kind == TACT_KIND_SPHERES ? tact_scene_add_spheres(scene, spheres, count, mesh)
                               : kind == TACT_KIND_BOXES ? tact_scene_add_boxes(scene, boxes, count, mesh)
                                                         : tact_scene_add_capsules(scene, capsules, count, mesh);
    tact_release(env, made);
    return result;
}

tact_mesh_desc tact_replay_mesh(const tact_recording* r, const tact_read_chunk* chunk)
{
    const tact_read_chunk *positions = tact_recording_reference(r, chunk, 0),
                          *indices = tact_recording_reference(r, chunk, 1);
    tact_mesh_desc desc = {0};
    uint32_t words[TACT_MESH_WORDS];
    memcpy(words, chunk->bytes, sizeof words);
    if (!positions || !indices) return desc;
    desc.positions = (const float*)(const void*)positions->bytes;
    desc.vertex_count = tact_read_rows(positions);
    desc.indices = (const uint32_t*)(const void*)indices->bytes;
    desc.triangle_count = tact_read_rows(indices);
    desc.quality = (tact_mesh_quality)words[1];
    return desc;
}

static tact_result add_mesh(const tact_recording* r, const tact_read_chunk* chunk, tact_scene* scene)
{
    uint32_t words[TACT_MESH_WORDS], mesh = 0;
    memcpy(words, chunk->bytes, sizeof words);
    if (words[0] != TACT_KIND_TRIANGLES) {
        return add_shapes(scene, words[0], tact_recording_reference(r, chunk, 2), &mesh);
    }
    const tact_mesh_desc desc = tact_replay_mesh(r, chunk);
    tact_result result = tact_scene_add_mesh(scene, &desc, &mesh);
    if (result != TACT_OK || !words[2]) return result;
    const tact_alpha_desc alpha = {
        .uvs = (const float*)(const void*)tact_recording_reference(r, chunk, 3)->bytes,
        .texels = tact_recording_reference(r, chunk, 4)->bytes,
        .width = words[3],
        .height = words[4],
        .threshold = (uint8_t)words[6],
        .wrap = (tact_alpha_wrap)words[5],
    };
    return tact_scene_set_alpha(scene, mesh, &alpha);
}

/// All ids, those that were removed too, which are then removed: ids come as they were.
static tact_result add_instances(const tact_read_chunk* instances, tact_scene* scene)
{
    const size_t count = tact_read_rows(instances);
    const uint32_t* row = (const uint32_t*)(const void*)instances->bytes;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i, row += TACT_INSTANCE_WORDS) {
        const bool removed = row[0] == TACT_NONE;
        float matrix[12];
        uint32_t id = 0;
        memcpy(matrix, row + 4, sizeof matrix);
        result = tact_scene_add_instance(scene, removed ? 0 : row[0], removed ? NULL : matrix, &id);
        if (result != TACT_OK || removed) continue;
        result = tact_scene_set_mask(scene, id, row[1]);
        if (result == TACT_OK) result = tact_scene_set_dynamic(scene, id, row[2] != 0);
    }
    row = (const uint32_t*)(const void*)instances->bytes;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (row[i * TACT_INSTANCE_WORDS] == TACT_NONE) result = tact_scene_remove_instance(scene, (uint32_t)i);
    }
    return result;
}

tact_result tact_replay_scene(const tact_recording* r, const tact_read_chunk* chunk, tact_scene** out)
{
    *out = NULL;
    tact_scene* scene = NULL;
    tact_result result = tact_scene_create(r->context, &scene);
    for (uint32_t i = 1; i < chunk->reference_count && result == TACT_OK; ++i)
        result = add_mesh(r, tact_recording_reference(r, chunk, i), scene);
    if (result == TACT_OK) result = add_instances(tact_recording_reference(r, chunk, 0), scene);
    if (result == TACT_OK) result = tact_scene_commit(scene);
    if (result == TACT_OK) {
        *out = scene;
    } else {
        tact_scene_destroy(scene);
    }
    return result;
}

tact_result tact_recording_make_scene(const tact_recording* r, size_t index, tact_scene** scene)
{
    if (!tact_enter(r ? r->context : NULL, "recording")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &r->context->env;
    if (!scene) return tact_null(env, "scene");
    *scene = NULL;
    const tact_read_chunk* chunk = tact_recording_find(r, index);
    if (!chunk) return tact_recording_lacks(r, index);
    const tact_read_chunk* first = tact_recording_reference(r, chunk, 0);
    return first && first->type == TACT_CHUNK_SCENE ? tact_replay_scene(r, first, scene) : TACT_OK;
}

static tact_result fill_set(const tact_recording* r, const tact_read_chunk* chunk, tact_volume_set* set, bool spheres)
{
    const tact_read_chunk *volumes = tact_recording_reference(r, chunk, 0),
                          *given = tact_recording_reference(r, chunk, 1), *used = tact_recording_reference(r, chunk, 2);
    const void* array = volumes->bytes;
    const tact_volume_filter* filters = given ? (const tact_volume_filter*)(const void*)given->bytes : NULL;
    const size_t count = tact_read_rows(volumes);
    tact_result result = spheres ? tact_volume_set_add_spheres(set, array, count, filters, NULL, NULL)
                                 : tact_volume_set_add_aabbs(set, array, count, filters, NULL, NULL);
    for (size_t i = 0; used && i < count && result == TACT_OK; ++i) {
        const uint32_t id = (uint32_t)i;
        if (!used->bytes[i]) result = tact_volume_set_remove(set, &id, 1);
    }
    return result;
}

static tact_result make_set(const tact_recording* r, const tact_read_chunk* chunk, tact_volume_set** out)
{
    *out = NULL;
    if (!chunk) return TACT_OK;
    uint32_t kind;
    memcpy(&kind, chunk->bytes, sizeof kind);
    const tact_volume_set_desc desc = {.kind = (tact_volume_kind)kind};
    const tact_result result = tact_volume_set_create(r->context, &desc, out);
    return result == TACT_OK ? fill_set(r, chunk, *out, kind == TACT_VOLUME_SPHERE) : result;
}

static tact_result make_mesh(const tact_recording* r, const tact_read_chunk* chunk, tact_mesh** out)
{
    *out = NULL;
    if (!chunk) return TACT_OK;
    const tact_mesh_desc desc = tact_replay_mesh(r, chunk);
    return tact_mesh_create(r->context, &desc, out);
}

// ---- The queries ----
// Each stores what the query itself returned and returns what keeps it from being asked.

static tact_ray_rules rules_of(const tact_replay* p)
{
    const tact_read_chunk* masks = tact_replay_place(p, 2);
    return (tact_ray_rules){.mask = p->query.parameters[1],
                            .masks = masks ? (const uint32_t*)(const void*)masks->bytes : NULL,
                            .cull = (tact_ray_cull)p->query.parameters[2],
                            .ignore_alpha = p->query.parameters[3] != 0};
}

tact_result tact_replay_refuse(const tact_replay* p, const char* what)
{
    return tact_fail(tact_replay_env(p->recording), TACT_ERROR_INVALID_ARGUMENT, "query %llu: %s",
                     (unsigned long long)p->query.number, what);
}

static tact_result cast_all(tact_replay* p, tact_scene* scene, const tact_ray* rays, size_t count,
                            const tact_ray_rules* rules)
{
    tact_env* env = tact_replay_env(p->recording);
    const uint32_t max_hits = p->query.parameters[0];
    const uint64_t capacity = p->query.parameters[4] | (uint64_t)p->query.parameters[5] << 32;
    uint64_t* offsets = tact_allocate(env, count + 1, sizeof *offsets);
    if (!offsets) return TACT_ERROR_OUT_OF_MEMORY;
    p->result = tact_raycast_all_with(scene, rays, count, max_hits, rules, offsets, NULL, 0, &p->options, &p->report);
    tact_result result = TACT_OK;
    if (p->result >= TACT_OK && capacity > 0) {
        // Only as much as there is: the file may ask for any room.
        const uint64_t room = offsets[count] < capacity ? offsets[count] : capacity;
        tact_hit* hits = tact_allocate(env, (size_t)room, sizeof *hits);
        if (!hits) result = TACT_ERROR_OUT_OF_MEMORY;
        if (hits) {
            p->result = tact_raycast_all_with(scene, rays, count, max_hits, rules, offsets, hits, (size_t)room,
                                              &p->options, &p->report);
        }
        tact_release(env, hits);
    }
    tact_release(env, offsets);
    return result;
}

static tact_result cast(tact_replay* p, tact_scene* scene)
{
    tact_env* env = tact_replay_env(p->recording);
    const tact_read_chunk* array = tact_replay_place(p, 1);
    const tact_ray* rays = (const tact_ray*)(const void*)array->bytes;
    const size_t count = tact_read_rows(array);
    const tact_ray_rules rules = rules_of(p);
    if (rules.masks && tact_read_rows(tact_replay_place(p, 2)) != count)
        return tact_replay_refuse(p, "not a mask for each ray");
    if (p->query.kind == TACT_RECORDED_RAYCAST_ALL) return cast_all(p, scene, rays, count, &rules);
    tact_hit* hits = tact_allocate(env, count, sizeof *hits);
    if (!hits) return TACT_ERROR_OUT_OF_MEMORY;
    p->result = tact_raycast_with(scene, (tact_ray_mode)p->query.parameters[0], rays, count, &rules, hits, &p->options,
                                  &p->report);
    tact_release(env, hits);
    return TACT_OK;
}

static tact_result ask_near(tact_replay* p, tact_scene* scene)
{
    tact_env* env = tact_replay_env(p->recording);
    const tact_read_chunk* array = tact_replay_place(p, 1);
    const size_t count = tact_read_rows(array);
    const bool spheres = p->query.kind == TACT_RECORDED_SPHERES;
    void* hits = tact_allocate(env, count, spheres ? sizeof(tact_sphere_hit) : sizeof(tact_closest_hit));
    if (!hits) return TACT_ERROR_OUT_OF_MEMORY;
    const void* queries = array->bytes;
    p->result = spheres ? tact_cast_spheres(scene, queries, count, hits, &p->options, &p->report)
                        : tact_closest_points(scene, queries, count, hits, &p->options, &p->report);
    tact_release(env, hits);
    return TACT_OK;
}

static tact_result cull_scene(tact_replay* p, tact_scene* scene)
{
    tact_env* env = tact_replay_env(p->recording);
    const tact_read_chunk* planes = tact_replay_place(p, 1);
    const size_t all = scene->trace.by_id_count;
    if (tact_read_rows(planes) > TACT_CULL_PLANES_MAX) return tact_replay_refuse(p, "too many planes");
    const tact_scene_cull_work work = {.planes = (const tact_plane*)(const void*)planes->bytes,
                                       .plane_count = (uint32_t)tact_read_rows(planes),
                                       .first = p->query.parameters[0]};
    uint32_t* ids = tact_allocate(env, all, sizeof *ids);
    uint8_t* classes = tact_allocate(env, all, 1);
    size_t count = 0;
    const bool good = ids && classes;
    if (good) {
        p->result = tact_scene_cull(scene, &work, ids, all, &count, p->query.parameters[1] ? classes : NULL,
                                    &p->options, &p->report);
    }
    tact_release(env, ids);
    tact_release(env, classes);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result ask_scene(tact_replay* p)
{
    tact_scene* scene = NULL;
    tact_result result = tact_replay_scene(p->recording, tact_replay_place(p, 0), &scene);
    if (result != TACT_OK) return result;
    switch (p->query.kind) {
        case TACT_RECORDED_CLOSEST:
        case TACT_RECORDED_SPHERES:
            result = ask_near(p, scene);
            break;
        case TACT_RECORDED_SCENE_CULL:
            result = cull_scene(p, scene);
            break;
        default:
            result = cast(p, scene);
            break;
    }
    tact_scene_destroy(scene);
    return result;
}

static tact_result cull(tact_replay* p)
{
    tact_env* env = tact_replay_env(p->recording);
    const tact_read_chunk *volumes = tact_replay_place(p, 0), *planes = tact_replay_place(p, 1),
                          *boxes = tact_replay_place(p, 2);
    if (tact_read_rows(planes) > TACT_CULL_PLANES_MAX) return tact_replay_refuse(p, "too many planes");
    const tact_cull_work work = {.kind = (tact_cull_kind)p->query.parameters[0],
                                 .volumes = volumes->bytes,
                                 .count = tact_read_rows(volumes),
                                 .planes = (const tact_plane*)(const void*)planes->bytes,
                                 .plane_count = (uint32_t)tact_read_rows(planes),
                                 .boxes = boxes ? (const tact_aabb*)(const void*)boxes->bytes : NULL,
                                 .box_count = tact_read_rows(boxes)};
    tact_culler* culler = NULL;
    tact_result result = tact_culler_create(p->recording->context, &culler);
    uint8_t* classes = result == TACT_OK ? tact_allocate(env, work.count, 1) : NULL;
    if (result == TACT_OK && !classes) result = TACT_ERROR_OUT_OF_MEMORY;
    size_t kept = 0;
    if (result == TACT_OK) {
        p->result =
            tact_cull(culler, &work, NULL, 0, &kept, p->query.parameters[1] ? classes : NULL, &p->options, &p->report);
    }
    tact_release(env, classes);
    tact_culler_destroy(culler);
    return result;
}

static tact_result find_pairs(tact_replay* p)
{
    tact_volume_set *a = NULL, *b = NULL;
    tact_result result = make_set(p->recording, tact_replay_place(p, 0), &a);
    if (result == TACT_OK) result = make_set(p->recording, tact_replay_place(p, 1), &b);
    size_t count = 0;
    if (result == TACT_OK) {
        p->result =
            tact_pairs_find(a, b, (tact_pairs_method)p->query.parameters[0], NULL, 0, &count, &p->options, &p->report);
    }
    tact_volume_set_destroy(b);
    tact_volume_set_destroy(a);
    return result;
}

static tact_result ask_overlap(tact_replay* p, tact_mesh* a, tact_mesh* b)
{
    const tact_read_chunk* array = tact_replay_place(p, 2);
    const float(*poses)[12] = (const float(*)[12])(const void*)array->bytes;
    const size_t pose_count = tact_read_rows(array);
    const uint32_t kind = p->query.parameters[0];
    size_t count = 0;
    if (!b) {
        p->result = tact_mesh_self_overlap_pairs(a, NULL, 0, &count, &p->options, &p->report);
        return TACT_OK;
    }
    if (kind > 1) {
        p->result = tact_mesh_overlap_pairs(a, b, poses, pose_count, NULL, 0, &count, &p->options, &p->report);
        return TACT_OK;
    }
    uint8_t* relations = tact_allocate(tact_replay_env(p->recording), pose_count, 1);
    if (!relations) return TACT_ERROR_OUT_OF_MEMORY;
    p->result = tact_mesh_overlap(a, b, poses, pose_count, kind == 1, relations, &p->options, &p->report);
    tact_release(tact_replay_env(p->recording), relations);
    return TACT_OK;
}

static tact_result overlap(tact_replay* p)
{
    const tact_read_chunk *first = tact_replay_place(p, 0), *second = tact_replay_place(p, 1);
    tact_mesh *a = NULL, *b = NULL;
    tact_result result = make_mesh(p->recording, first, &a);
    // A mesh against itself in poses is one mesh, as it was.
    if (result == TACT_OK && second != first) result = make_mesh(p->recording, second, &b);
    if (result == TACT_OK) result = ask_overlap(p, a, second == first ? a : b);
    tact_mesh_destroy(b);
    tact_mesh_destroy(a);
    return result;
}

void tact_replay_only(tact_replay* p, tact_backend backend, int threads)
{
    const tact_context* context = p->recording->context;
    const int device = tact_context_find(context, backend);
    p->report.backend = backend;
    p->report.threads = threads;
    if (device < 0) return;
    const tact_device_info* info = tact_context_describe(context, (uint32_t)device);
    snprintf(p->report.device, sizeof p->report.device, "%s", info->name);
}

static tact_result ask_two_meshes(tact_replay* p, tact_mesh* a, tact_mesh* b)
{
    const tact_read_chunk *array = tact_replay_place(p, 2), *listed = tact_replay_place(p, 3);
    const float(*poses)[12] = (const float(*)[12])(const void*)array->bytes;
    const size_t pose_count = tact_read_rows(array), count = tact_read_rows(listed);
    tact_replay_only(p, TACT_BACKEND_CPU, p->recording->context->threads);
    if (p->query.kind == TACT_RECORDED_SEPARATION) {
        if (pose_count != 1) return tact_replay_refuse(p, "not one pose");
        float limit;
        memcpy(&limit, &p->query.parameters[0], sizeof limit);
        tact_mesh_distance distance;
        p->result = tact_mesh_separation(a, b, poses[0], limit, NULL, &distance);
        return TACT_OK;
    }
    tact_triangle_contact* contacts = tact_allocate(tact_replay_env(p->recording), count, sizeof *contacts);
    if (!contacts) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_mesh_pair* pairs = (const tact_mesh_pair*)(const void*)listed->bytes;
    p->result = tact_mesh_overlap_segments(a, b, poses, pose_count, pairs, count, contacts, &p->options);
    tact_release(tact_replay_env(p->recording), contacts);
    return TACT_OK;
}

static tact_result two_meshes(tact_replay* p)
{
    const tact_read_chunk *first = tact_replay_place(p, 0), *second = tact_replay_place(p, 1);
    tact_mesh *a = NULL, *b = NULL;
    tact_result result = make_mesh(p->recording, first, &a);
    if (result == TACT_OK && second != first) result = make_mesh(p->recording, second, &b);
    if (result == TACT_OK) result = ask_two_meshes(p, a, second == first ? a : b);
    tact_mesh_destroy(b);
    tact_mesh_destroy(a);
    return result;
}

static tact_result filter(tact_replay* p)
{
    tact_env* env = tact_replay_env(p->recording);
    const tact_read_chunk *group = tact_replay_place(p, 0), *objects = tact_replay_place(p, 1);
    tact_filter_shape* shapes = tact_allocate_zeroed(env, group->reference_count, sizeof *shapes);
    tact_filter* f = NULL;
    tact_result result = shapes ? tact_filter_create(p->recording->context, &f) : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        for (uint32_t i = 0; i < group->reference_count; ++i) {
            const tact_mesh_desc desc =
                tact_replay_mesh(p->recording, tact_recording_reference(p->recording, group, i));
            shapes[i].positions = desc.positions;
            shapes[i].vertex_count = desc.vertex_count;
            shapes[i].indices = desc.indices;
            shapes[i].triangle_count = desc.triangle_count;
        }
        const tact_filter_options options = {.images = (tact_filter_images)p->query.parameters[0],
                                             .cells_log2 = p->query.parameters[2]};
        size_t count = 0;
        p->result =
            tact_filter_run(f, shapes, group->reference_count, (const tact_filter_object*)(const void*)objects->bytes,
                            tact_read_rows(objects), &options, NULL, 0, &count, NULL, &p->options, &p->report);
    }
    tact_filter_destroy(f);
    tact_release(env, shapes);
    return result;
}

static tact_result list_contacts(tact_replay* p)
{
    tact_env* env = tact_replay_env(p->recording);
    const tact_read_chunk* state = tact_replay_place(p, 0);
    tact_particles* particles = NULL;
    tact_result result =
        tact_particles_restore(p->recording->context, state->bytes, state->size, p->options.backend, &particles);
    if (result != TACT_OK) return result;
    // As much room as there was, or as there can be contacts where that was more.
    uint64_t capacity = p->query.parameters[0] | (uint64_t)p->query.parameters[1] << 32;
    size_t count = 0;
    tact_record_witness* witness = p->recording->context->witness;
    if (capacity > 0) {
        p->recording->context->witness = NULL;
        p->result = tact_particles_contacts(particles, NULL, 0, &count, &p->options, &p->report);
        p->recording->context->witness = witness;
        if (p->result >= TACT_OK && capacity > count) capacity = count;
    }
    tact_particle_contact* contacts =
        p->result >= TACT_OK ? tact_allocate(env, (size_t)capacity, sizeof *contacts) : NULL;
    if (contacts) {
        p->result = tact_particles_contacts(particles, contacts, (size_t)capacity, &count, &p->options, &p->report);
    } else if (p->result >= TACT_OK) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_release(env, contacts);
    tact_particles_destroy(particles);
    return result;
}

static tact_result step(tact_replay* p)
{
    const tact_read_chunk* state = tact_replay_place(p, 0);
    tact_particles* particles = NULL;
    tact_result result =
        tact_particles_restore(p->recording->context, state->bytes, state->size, p->options.backend, &particles);
    if (result != TACT_OK) return result;
    float dt;
    memcpy(&dt, &p->query.parameters[0], sizeof dt);
    p->result =
        tact_particles_step(particles, dt, p->query.parameters[1], p->query.parameters[2], &p->options, &p->report);
    tact_particles_destroy(particles);
    return TACT_OK;
}

static tact_result list_neighbours(tact_replay* p)
{
    const tact_read_chunk* state = tact_replay_place(p, 0);
    tact_particles* particles = NULL;
    tact_result result =
        tact_particles_restore(p->recording->context, state->bytes, state->size, p->options.backend, &particles);
    if (result != TACT_OK) return result;
    tact_neighbour_lists lists;
    float radius;
    memcpy(&radius, &p->query.parameters[0], sizeof radius);
    // Which slots hold what is not compared, so it cannot be shadowed.
    tact_query_options options = p->options;
    options.shadow = false;
    p->result = tact_particles_neighbours(particles, radius, (tact_neighbour_kind)p->query.parameters[1], &lists,
                                          &options, &p->report);
    tact_particles_destroy(particles);
    return result;
}

static tact_result ask(tact_replay* p)
{
    switch (p->query.kind) {
        case TACT_RECORDED_PICK:
        case TACT_RECORDED_TARGET:
            return tact_replay_pick(p);
        case TACT_RECORDED_IMAGE:
            return tact_replay_image_tests(p);
        case TACT_RECORDED_NEIGHBOURS:
            return list_neighbours(p);
        case TACT_RECORDED_CULL:
            return cull(p);
        case TACT_RECORDED_PAIRS:
            return find_pairs(p);
        case TACT_RECORDED_OVERLAP:
            return overlap(p);
        case TACT_RECORDED_SEPARATION:
        case TACT_RECORDED_SEGMENTS:
            return two_meshes(p);
        case TACT_RECORDED_CONTACTS:
            return list_contacts(p);
        case TACT_RECORDED_FILTER:
            return filter(p);
        case TACT_RECORDED_PARTICLES:
            return step(p);
        default:
            return ask_scene(p);
    }
}

/// The options that the query had, as far as they can be had here.
static tact_query_options options_of(const tact_context* context, const tact_recorded_query* q)
{
    const tact_backend by = q->finished ? q->report.backend : q->backend;
    tact_query_options options = {.threads = q->threads, .ray_sort = q->ray_sort};
    if (by != TACT_BACKEND_AUTO && tact_context_find(context, by) >= 0) options.backend = by;
    return options;
}

tact_result tact_recording_run(tact_recording* r, size_t index, const tact_query_options* options, tact_replayed* out)
{
    tact_replay p = {.recording = r, .chunk = tact_recording_find(r, index)};
    const tact_result found = tact_recording_query(r, index, &p.query);
    if (found != TACT_OK) return found;
    if (!out) return tact_null(&r->context->env, "replayed");
    memset(out, 0, sizeof *out);
    if (p.query.missing[0]) return tact_replay_refuse(&p, p.query.missing);
    tact_context* context = r->context;
    p.options = options ? *options : options_of(context, &p.query);
    tact_record_witness witness = {0};
    tact_record_witness* before = context->witness;
    context->witness = &witness;
    const tact_result result = ask(&p);
    context->witness = before;
    if (result != TACT_OK) return result;
    out->result = p.result;
    out->report = p.report;
    out->answered = witness.answered;
    out->digest = witness.digest;
    out->answer_bytes = witness.bytes;
    out->same = witness.answered && p.query.answered && witness.digest == p.query.digest &&
                witness.bytes == p.query.answer_bytes;
    out->promised = tact_replay_promised(r, &p.query, &p.report);
    return TACT_OK;
}
