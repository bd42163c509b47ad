// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Queries asked of a scene.

#include <math.h>

#include "tests/support/calls.h"
#include "tests/support/every_query_inner.h"

static const float moved[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};

// Scenes

enum { RAYS = 48 };

typedef struct scene_parts {
    tact_scene* scene;
    tact_mesh* source;     // of `other`
    uint32_t mesh, other;  ///< of triangles
    uint32_t instance;
    float positions[9 * TRIANGLES];
} scene_parts;

static tact_result add_shapes(query_world* w, test_random* r, scene_parts* s)
{
    tact_result result;
    uint32_t mesh, instance;
    tact_sphere spheres[5];
    tact_aabb boxes[4];
    tact_capsule capsules[3];
    for (size_t i = 0; i < 5; ++i) {
        fill(r, &spheres[i].center.x, 3, 1);
        spheres[i].radius = 0.2f;
        if (i < 4) {
            fill(r, &boxes[i].lower.x, 3, 1);
            boxes[i].upper = (tact_vec3){boxes[i].lower.x + 0.2f, boxes[i].lower.y + 0.1f, boxes[i].lower.z + 0.3f};
        }
        if (i < 3) {
            fill(r, &capsules[i].a.x, 6, 1);
            capsules[i].radius = 0.1f;
        }
    }
    TRY(w, tact_scene_add_spheres(s->scene, spheres, 5, &mesh));
    TRY(w, tact_scene_add_instance(s->scene, mesh, NULL, &instance));
    TRY(w, tact_scene_add_boxes(s->scene, boxes, 4, &mesh));
    TRY(w, tact_scene_add_instance(s->scene, mesh, moved, &instance));
    TRY(w, tact_scene_add_capsules(s->scene, capsules, 3, &mesh));
    TRY(w, tact_scene_add_instance(s->scene, mesh, NULL, &instance));
out:
    return result;
}

static tact_result make_scene(query_world* w, test_random* r, bool shapes, bool alpha, scene_parts* s)
{
    tact_result result;
    uint32_t instance;
    float uvs[6 * TRIANGLES];
    uint8_t texels[16];
    s->scene = NULL;
    s->source = NULL;
    fill_triangles(r, s->positions, TRIANGLES);
    fill(r, uvs, 6 * TRIANGLES, 1);
    for (size_t i = 0; i < 16; ++i)
        texels[i] = (uint8_t)test_random_below(r, 2);
    TRY(w, tact_scene_create(w->context, &s->scene));
    const tact_mesh_desc half = {
        .positions = s->positions, .vertex_count = 3 * TRIANGLES / 2, .triangle_count = TRIANGLES / 2};
    tact_mesh_desc rest = half;
    rest.positions += 9 * (TRIANGLES / 2);
    TRY(w, tact_scene_add_mesh(s->scene, &half, &s->mesh));
    TRY(w, tact_mesh_create(w->context, &rest, &s->source));
    TRY(w, tact_scene_attach_mesh(s->scene, s->source, &s->other));
    TRY(w, tact_scene_set_quality(s->scene, s->mesh, TACT_MESH_HIGH));
    TRY(w, tact_scene_set_quality(s->scene, s->other, TACT_MESH_FAST));
    TRY(w, tact_scene_add_instance(s->scene, s->mesh, NULL, &instance));
    TRY(w, tact_scene_add_instance(s->scene, s->other, moved, &s->instance));
    if (shapes) PASS(w, add_shapes(w, r, s));
    const tact_alpha_desc mask = {.uvs = uvs, .texels = texels, .width = 4, .height = 4, .threshold = 1};
    if (alpha) TRY(w, tact_scene_set_alpha(s->scene, s->mesh, &mask));
    // Devices build trees too, where their arithmetic is the CPU's.
    if (w->options.backend == TACT_BACKEND_GL || w->options.backend == TACT_BACKEND_CL) {
        (void)tact_scene_build_on(s->scene, w->options.backend);
    }
    TRY(w, tact_scene_commit(s->scene));
out:
    return result;
}

static void end_scene(scene_parts* s)
{
    tact_mesh_destroy(s->source);
    tact_scene_destroy(s->scene);
}

/// Moves everything a little.
static tact_result change_scene(query_world* w, test_random* r, scene_parts* s)
{
    tact_result result;
    const float elsewhere[12] = {1, 0, 0, 0.2f, 0, 1, 0, -0.1f, 0, 0, 1, 0};
    uint32_t instance;
    fill_triangles(r, s->positions, TRIANGLES / 2);
    TRY(w, tact_scene_update_mesh(s->scene, s->mesh, s->positions, 0, TACT_UPDATE_REFIT));
    TRY(w, tact_mesh_move_vertices(s->source, s->positions, 3 * TRIANGLES / 2, 0));
    TRY(w, tact_scene_set_dynamic(s->scene, s->instance, true));
    TRY(w, tact_scene_move_instance(s->scene, s->instance, elsewhere));
    TRY(w, tact_scene_add_instance(s->scene, s->mesh, elsewhere, &instance));
    TRY(w, tact_scene_remove_instance(s->scene, 0));
    TRY(w, tact_scene_commit(s->scene));
out:
    return result;
}

static void fill_rays(test_random* r, tact_ray* rays)
{
    for (size_t i = 0; i < RAYS; ++i) {
        rays[i] = (tact_ray){test_random_signed(r),        test_random_signed(r),        3.0f,  0.0f,
                             0.3f * test_random_signed(r), 0.3f * test_random_signed(r), -1.0f, INFINITY};
    }
}

tact_result run_raycast(query_world* w)
{
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
    tact_result result;
    fill_rays(&r, rays);
    PASS(w, make_scene(w, &r, false, false, &s));
    for (int change = 0; change < 2; ++change) {
        for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
            const tact_raycast_work work = {.mode = (tact_ray_mode)mode,
                                            .sort = change ? TACT_RAY_SORT_AUTO : TACT_RAY_SORT_ALWAYS,
                                            .count = RAYS,
                                            .rays = rays,
                                            .hits = hits};
            ASK(w, tact_raycast_with(s.scene, &work, &w->options, &report));
            put(w, hits, sizeof hits);
        }
        if (change == 0) PASS(w, change_scene(w, &r, &s));
    }
out:
    end_scene(&s);
    return result;
}

tact_result run_raycast_with(query_world* w)
{
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
    uint32_t masks[RAYS];
    tact_result result;
    fill_rays(&r, rays);
    for (size_t i = 0; i < RAYS; ++i)
        masks[i] = (uint32_t)i % 3;
    const tact_ray_rules rules = {.masks = masks, .cull = TACT_RAY_CULL_BACK};
    PASS(w, make_scene(w, &r, true, true, &s));
    TRY(w, tact_scene_set_mask(s.scene, s.instance, 2));
    TRY(w, tact_scene_commit(s.scene));
    ASK(w, tact_raycast(s.scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &w->options, &report));
    put(w, hits, sizeof hits);
    ASK(w,
        tact_raycast_with(s.scene,
                          &(tact_raycast_work){
                              .sort = TACT_RAY_SORT_ALWAYS, .rays = rays, .count = RAYS, .rules = &rules, .hits = hits},
                          &w->options, &report));
    put(w, hits, sizeof hits);
out:
    end_scene(&s);
    return result;
}

tact_result run_raycast_all(query_world* w)
{
    enum { ROOM = 1200 };
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_ray rays[RAYS];
    uint64_t offsets[RAYS + 1];
    tact_hit hits[ROOM];
    tact_result result;
    fill_rays(&r, rays);
    PASS(w, make_scene(w, &r, true, true, &s));
    ASK(w, tact_raycast_all(s.scene,
                            &(tact_raycast_all_work){
                                .rays = rays, .count = RAYS, .offsets = offsets, .hits = hits, .capacity = ROOM},
                            &w->options, &report));
    put_words(w, offsets, sizeof offsets, sizeof offsets[0]);
    put(w, hits, (size_t)offsets[RAYS] * sizeof *hits);
    // Without room for all.
    ASK(w, tact_raycast_all(
               s.scene,
               &(tact_raycast_all_work){
                   .rays = rays, .count = RAYS, .max_hits = 2, .offsets = offsets, .hits = hits, .capacity = 7},
               &w->options, &report));
    put_number(w, (uint64_t)result);
    put_words(w, offsets, sizeof offsets, sizeof offsets[0]);
    put(w, hits, 7 * sizeof *hits);
    result = TACT_OK;
out:
    end_scene(&s);
    return result;
}

tact_result run_raycast_submit(query_world* w)
{
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_ray rays[2][RAYS];
    tact_hit hits[2][RAYS];
    tact_ticket tickets[2] = {0};
    tact_result result;
    fill_rays(&r, rays[0]);
    fill_rays(&r, rays[1]);
    PASS(w, make_scene(w, &r, false, false, &s));
    // A cast that is lost on its way is given away again, with the other one.
    for (bool done = false; !done;) {
        for (size_t i = 0; i < 2; ++i) {
            const tact_raycast_work job = {.mode = TACT_RAY_CLOSEST, .count = RAYS, .rays = rays[i], .hits = hits[i]};
            TRY(w, call_submit(s.scene, &job, &w->options, &tickets[i]));
        }
        done = true;
        for (size_t i = 2; i-- > 0;) {
            result = tact_wait(w->context, tickets[i], &report);
            if (result == TACT_OK) {
                take_report(w, &report);
            } else if (once_more(w, result, "tact_wait", true)) {
                done = false;
            } else {
                w->failed = "tact_wait";
                goto out;
            }
        }
    }
    put(w, hits, sizeof hits);
out:
    end_scene(&s);
    return result;
}

tact_result run_closest(query_world* w)
{
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_closest_query queries[RAYS];
    tact_closest_hit hits[RAYS];
    tact_result result;
    for (size_t i = 0; i < RAYS; ++i) {
        fill(&r, &queries[i].x, 3, 3);
        queries[i].max_distance = i % 4 ? INFINITY : 0.5f;
    }
    PASS(w, make_scene(w, &r, true, false, &s));
    for (int change = 0; change < 2; ++change) {
        ASK(w, tact_closest_points(s.scene, queries, RAYS, hits, &w->options, &report));
        put(w, hits, sizeof hits);
        if (change == 0) PASS(w, change_scene(w, &r, &s));
    }
out:
    end_scene(&s);
    return result;
}

tact_result run_locate(query_world* w)
{
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_closest_query points[RAYS];
    tact_point_location locations[RAYS];
    tact_result result;
    for (size_t i = 0; i < RAYS; ++i) {
        fill(&r, &points[i].x, 3, 3);
        points[i].max_distance = i % 4 ? INFINITY : 0.5f;
    }
    PASS(w, make_scene(w, &r, false, false, &s));
    for (int change = 0; change < 2; ++change) {
        ASK(w, tact_locate_points(s.scene, points, RAYS, locations, &w->options, &report));
        put(w, locations, sizeof locations);
        if (change == 0) PASS(w, change_scene(w, &r, &s));
    }
out:
    end_scene(&s);
    return result;
}

tact_result run_sphere_casts(query_world* w)
{
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_ray rays[RAYS];
    tact_sphere_cast casts[RAYS];
    tact_sphere_hit hits[RAYS];
    tact_result result;
    fill_rays(&r, rays);
    for (size_t i = 0; i < RAYS; ++i)
        casts[i] = (tact_sphere_cast){rays[i], 0.02f * (float)(i % 8)};
    PASS(w, make_scene(w, &r, false, false, &s));
    for (int change = 0; change < 2; ++change) {
        ASK(w, tact_spherecast(s.scene, casts, RAYS, hits, &w->options, &report));
        put(w, hits, sizeof hits);
        if (change == 0) PASS(w, change_scene(w, &r, &s));
    }
out:
    end_scene(&s);
    return result;
}

tact_result run_cull_scene(query_world* w)
{
    enum { MORE = 40 };
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    const tact_cull_scene_work work = {.planes = every_query_planes, .plane_count = 3};
    uint32_t ids[MORE + 8], instance;
    uint8_t classes[MORE + 8];
    size_t count = 0;
    tact_result result;
    PASS(w, make_scene(w, &r, true, false, &s));
    for (int change = 0; change < 2; ++change) {
        ASK(w, tact_cull_scene(s.scene, &work,
                               &(tact_cull_room){.ids = ids, .capacity = MORE + 8, .count = &count, .classes = classes},
                               &w->options, &report));
        put(w, ids, count * sizeof *ids);
        put_words(w, classes, count, 1);
        if (change == 1) break;
        for (int i = 0; i < MORE; ++i) {
            float at[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            for (int k = 0; k < 3; ++k)
                at[4 * k + 3] = 4 * test_random_signed(&r);
            TRY(w, tact_scene_add_instance(s.scene, s.mesh, at, &instance));
        }
        TRY(w, tact_scene_commit(s.scene));
    }
out:
    end_scene(&s);
    return result;
}

// Picks

static tact_result pick_with(query_world* w, tact_pick_method method)
{
    enum { ROOM = 64 };
    test_random r = {w->seed};
    scene_parts s = {0};
    tact_query_report report;
    tact_picker* picker = NULL;
    tact_pick picks[ROOM];
    size_t count = 0;
    tact_result result;
    const tact_pick_view view = {
        .world_to_clip = {0.4f, 0, 0, 0, 0, 0.4f, 0, 0, 0, 0, -0.2f, 0, 0, 0, 0, 1}, .width = 24, .height = 20};
    const float lasso[4][2] = {{2, 3}, {20, 5}, {12, 18}, {6, 1}};
    const tact_pick_region regions[2] = {{.shape = TACT_PICK_FRAME},
                                         {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = 4}};
    PASS(w, make_scene(w, &r, false, false, &s));
    TRY(w, tact_picker_create(w->context, &picker));
    for (int extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
        if (extent == TACT_PICK_TOUCHED && method == TACT_PICK_RASTER) break;
        for (int i = 0; i < 2; ++i) {
            const tact_pick_options options = {
                .extent = (tact_pick_extent)extent, .group = TACT_PICK_BY_PRIMITIVE, .method = method, .keep = i == 0};
            // What is touched only the host finds.
            const bool strict = w->options.no_fallback;
            w->options.no_fallback = strict && extent != TACT_PICK_TOUCHED;
            ASK(w, tact_pick_scene(picker, s.scene,
                                   &(tact_pick_work){.view = &view,
                                                     .region = &regions[i],
                                                     .options = &options,
                                                     .picks = picks,
                                                     .capacity = ROOM,
                                                     .count = &count},
                                   &w->options, &report));
            w->options.no_fallback = strict;
            put_number(w, count);
            put(w, picks, (count < ROOM ? count : ROOM) * sizeof *picks);
        }
    }
    result = TACT_OK;
out:
    tact_picker_destroy(picker);
    end_scene(&s);
    return result;
}

tact_result run_pick(query_world* w)
{
    return pick_with(w, TACT_PICK_RAYS);
}

tact_result run_pick_raster(query_world* w)
{
    return pick_with(w, TACT_PICK_RASTER);
}
