// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The calls of queries that take a struct, with its members as parameters.

#include "tact/tact.h"

static inline tact_result call_raycast_with(tact_scene* scene, tact_ray_mode mode, const tact_ray* rays, size_t count,
                                            const tact_ray_rules* rules, tact_hit* hits,
                                            const tact_query_options* options, tact_query_report* report)
{
    const tact_raycast_work work = {.mode = mode, .count = count, .rays = rays, .hits = hits, .rules = rules};
    return tact_raycast_with(scene, &work, options, report);
}

static inline tact_result call_submit(tact_scene* scene, const tact_raycast_work* work,
                                      const tact_query_options* options, tact_ticket* ticket)
{
    tact_query_options how = options ? *options : (tact_query_options){0};
    how.ticket = ticket;
    return tact_raycast_with(scene, work, &how, NULL);
}

static inline tact_result call_raycast_all_with(tact_scene* scene, const tact_ray* rays, size_t count,
                                                uint32_t max_hits, const tact_ray_rules* rules, uint64_t* offsets,
                                                tact_hit* hits, size_t capacity, const tact_query_options* options,
                                                tact_query_report* report)
{
    const tact_raycast_all_work work = {.rays = rays,
                                        .count = count,
                                        .max_hits = max_hits,
                                        .rules = rules,
                                        .offsets = offsets,
                                        .hits = hits,
                                        .capacity = capacity};
    return tact_raycast_all(scene, &work, options, report);
}

static inline tact_result call_raycast_all(tact_scene* scene, const tact_ray* rays, size_t count, uint32_t max_hits,
                                           uint64_t* offsets, tact_hit* hits, size_t capacity,
                                           const tact_query_options* options, tact_query_report* report)
{
    return call_raycast_all_with(scene, rays, count, max_hits, NULL, offsets, hits, capacity, options, report);
}

static inline tact_result call_cull_scene(tact_scene* scene, const tact_cull_scene_work* work, uint32_t* ids,
                                          size_t capacity, size_t* count, uint8_t* classes,
                                          const tact_query_options* options, tact_query_report* report)
{
    const tact_cull_room room = {ids, capacity, count, classes};
    return tact_cull_scene(scene, work, &room, options, report);
}

static inline tact_result call_cull_volumes(tact_culler* culler, const tact_cull_work* work, uint32_t* ids,
                                            size_t capacity, size_t* count, uint8_t* classes,
                                            const tact_query_options* options, tact_query_report* report)
{
    const tact_cull_room room = {ids, capacity, count, classes};
    return tact_cull_volumes(culler, work, &room, options, report);
}

static inline tact_result call_pairs_find(tact_volumes* a, tact_volumes* b, tact_pairs_method method, tact_pair* pairs,
                                          size_t capacity, size_t* count, const tact_query_options* options,
                                          tact_query_report* report)
{
    const tact_pairs_work work = {.b = b, .method = method, .pairs = pairs, .capacity = capacity, .count = count};
    return tact_pairs_find(a, &work, options, report);
}

static inline tact_result call_pairs_find_on_device(tact_volumes* a, tact_volumes* b, tact_pairs_method method,
                                                    const tact_device_array* pairs, size_t capacity, size_t* count,
                                                    const tact_query_options* options, tact_query_report* report)
{
    const tact_pairs_work work = {
        .b = b, .method = method, .device_pairs = pairs, .capacity = capacity, .count = count};
    return tact_pairs_find(a, &work, options, report);
}

static inline tact_result call_pairs_each(tact_volumes* a, tact_volumes* b, tact_pairs_method method, size_t piece,
                                          tact_pairs_fn* receive, void* user, uint64_t* count,
                                          const tact_query_options* options, tact_query_report* report)
{
    const tact_pairs_each_work work = {
        .b = b, .method = method, .piece = piece, .receive = receive, .user = user, .count = count};
    return tact_pairs_each(a, &work, options, report);
}

/// On OpenGL alone.
static const tact_query_options call_drawing = {.backend = TACT_BACKEND_GL, .no_fallback = true};

static inline tact_result call_image_convex(tact_image_tester* tester, const tact_image_body* a,
                                            const tact_image_body* b, const tact_image_options* how,
                                            tact_image_result* results, size_t count)
{
    const tact_image_work work = {.a = a, .b = b, .options = how, .results = results, .count = count};
    return tact_image_convex(tester, &work, &call_drawing, NULL);
}

static inline tact_result call_image_concave(tact_image_tester* tester, const tact_image_body* a,
                                             const tact_image_body* b, const tact_image_options* how,
                                             tact_image_result* results, size_t count)
{
    const tact_image_work work = {.a = a, .b = b, .options = how, .results = results, .count = count};
    return tact_image_concave(tester, &work, &call_drawing, NULL);
}

static inline tact_result call_image_convex_picture(tact_image_tester* tester, const tact_image_body* a,
                                                    const tact_image_body* b, uint32_t resolution,
                                                    const tact_image_layers* layers, tact_image_result* result)
{
    const tact_image_options how = {.method = TACT_IMAGE_READBACK, .resolution = resolution};
    const tact_image_work work = {.a = a, .b = b, .options = &how, .results = result, .count = 1, .layers = layers};
    return tact_image_convex(tester, &work, &call_drawing, NULL);
}

static inline tact_result call_image_concave_picture(tact_image_tester* tester, const tact_image_body* a,
                                                     const tact_image_body* b, uint32_t resolution,
                                                     const tact_image_cells* cells, tact_image_result* result)
{
    const tact_image_options how = {.method = TACT_IMAGE_READBACK, .resolution = resolution};
    const tact_image_work work = {.a = a, .b = b, .options = &how, .results = result, .count = 1, .cells = cells};
    return tact_image_concave(tester, &work, &call_drawing, NULL);
}

static inline tact_result call_filter_meshes(tact_filter* filter, const tact_mesh_desc* shapes, size_t shape_count,
                                             const tact_filter_object* objects, size_t object_count,
                                             const tact_filter_options* how, tact_filter_pair* pairs, size_t capacity,
                                             size_t* count, tact_filter_count* stages,
                                             const tact_query_options* options, tact_query_report* report)
{
    const tact_filter_work work = {.shapes = shapes,
                                   .shape_count = shape_count,
                                   .objects = objects,
                                   .object_count = object_count,
                                   .options = how,
                                   .pairs = pairs,
                                   .capacity = capacity,
                                   .count = count,
                                   .stages = stages};
    return tact_filter_meshes(filter, &work, options, report);
}

static inline tact_result call_pick_scene(tact_picker* picker, tact_scene* scene, const tact_pick_view* view,
                                          const tact_pick_region* region, const tact_pick_options* how,
                                          tact_pick* picks, size_t capacity, size_t* count,
                                          const tact_query_options* options, tact_query_report* report)
{
    const tact_pick_work work = {
        .view = view, .region = region, .options = how, .picks = picks, .capacity = capacity, .count = count};
    return tact_pick_scene(picker, scene, &work, options, report);
}

static inline tact_result call_particles_add_device(tact_particles* particles, const tact_device_array* positions,
                                                    const tact_device_array* velocities, float density,
                                                    uint8_t material, uint8_t group, size_t count, uint32_t* ids)
{
    const tact_particle_device_arrays arrays = {
        .positions = positions, .velocities = velocities, .density = density, .material = material, .group = group};
    return tact_particles_add_device(particles, &arrays, count, ids);
}

static inline tact_result call_mesh_overlap(tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t pose_count,
                                            bool solid, uint8_t* relations, const tact_query_options* options,
                                            tact_query_report* report)
{
    const tact_overlap_work work = {.poses = poses, .pose_count = pose_count, .solid = solid, .relations = relations};
    return tact_mesh_overlap(a, b, &work, options, report);
}

static inline tact_result call_mesh_overlap_pairs(tact_mesh* a, tact_mesh* b, const float (*poses)[12],
                                                  size_t pose_count, tact_mesh_pair* pairs, size_t capacity,
                                                  size_t* count, const tact_query_options* options,
                                                  tact_query_report* report)
{
    const tact_overlap_work work = {
        .poses = poses, .pose_count = pose_count, .pairs = pairs, .capacity = capacity, .count = count};
    return tact_mesh_overlap_pairs(a, b, &work, options, report);
}

static inline tact_result call_mesh_overlap_segments(tact_mesh* a, tact_mesh* b, const float (*poses)[12],
                                                     size_t pose_count, const tact_mesh_pair* pairs, size_t count,
                                                     tact_triangle_contact* contacts, const tact_query_options* options)
{
    const tact_segments_work work = {
        .poses = poses, .pose_count = pose_count, .pairs = pairs, .pair_count = count, .contacts = contacts};
    return tact_mesh_overlap_segments(a, b, &work, options, NULL);
}
