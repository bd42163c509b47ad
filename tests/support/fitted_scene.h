// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Scenes of soups whose trees a device builds and fits, and what is asked of them. Include after run.h.

#include "core/context/context.h"
#include "core/scene/scene.h"
#include "tests/support/device_fixture.h"
#include "tests/support/device_tree.h"
#include "tests/support/objects.h"

/// Rays at a mesh hit the same on every backend that there is, in every mode.
static inline void same_hits(tact_scene* scene, const soup* s, tact_backend device, uint64_t seed)
{
    tact_ray rays[RAYS];
    tact_hit hits[RAYS], expected[RAYS];
    test_random r = test_random_seeded(seed);
    const tact_trace_mesh mesh = view_of(s);
    for (int i = 0; i < RAYS; ++i)
        aim(&r, &mesh, s->vertices, &rays[i]);
    const tact_backend backends[] = {TACT_BACKEND_CPU, device};
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
        assert_int_equal(tact_raycast(scene, (tact_ray_mode)mode, rays, RAYS, expected, &reference, NULL), TACT_OK);
        for (int b = 0; b < 2; ++b) {
            const tact_query_options options = {.backend = backends[b], .no_fallback = true};
            assert_int_equal(tact_raycast(scene, (tact_ray_mode)mode, rays, RAYS, hits, &options, NULL), TACT_OK);
            assert_memory_equal(hits, expected, sizeof hits);
        }
    }
}

static inline void cast_on(tact_scene* scene, const soup* s, tact_backend backend)
{
    tact_ray ray;
    tact_hit hit;
    test_random r = test_random_seeded(50);
    const tact_trace_mesh mesh = view_of(s);
    aim(&r, &mesh, s->vertices, &ray);
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL), TACT_OK);
}

enum { LOCATE = 4, TOUCH = 6, SEEN, DRAWN, EDGES, LEVELS, QUERIES };

/// Whether a query is one of a backend's.
static inline bool is_asked_of(int query, tact_backend backend)
{
    if (query == TOUCH) return backend == TACT_BACKEND_CPU;
    return query != DRAWN || backend == TACT_BACKEND_GL;
}

/// What a part of a view along z touches, or what is seen there, by rays or drawn.
static inline tact_result pick(tact_scene* scene, int query, const tact_query_options* options, tact_pick* picks,
                               size_t* count)
{
    const tact_pick_view view = {
        .world_to_clip = {0.3f, 0, 0, 0, 0, 0.3f, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0, 1}, .width = 64, .height = 64};
    const tact_pick_region region = {.shape = TACT_PICK_RECTANGLE, .rectangle = {20, 20, 40, 44}};
    const tact_pick_options all = {.extent = query == TOUCH ? TACT_PICK_TOUCHED : TACT_PICK_VISIBLE,
                                   .group = TACT_PICK_BY_PRIMITIVE,
                                   .method = query == DRAWN ? TACT_PICK_RASTER : TACT_PICK_RAYS};
    const tact_pick_work work = {.view = &view,
                                 .region = &region,
                                 .options = &all,
                                 .picks = picks,
                                 .capacity = picks ? MOST_TRIANGLES : 0,
                                 .count = count};
    tact_picker* picker = NULL;
    assert_int_equal(tact_picker_create(scene->context, &picker), TACT_OK);
    const tact_result result = tact_pick_scene(picker, scene, &work, options, NULL);
    tact_picker_destroy(picker);
    assert_true(result < 0 || *count > 10);
    return result == TACT_INCOMPLETE ? TACT_OK : result;
}

/// Picks from a scene, and from one whose trees the CPU built.
static inline tact_result pick_both(tact_scene* scene, tact_scene* twin, int query, tact_backend backend)
{
    static tact_pick picks[2][MOST_TRIANGLES];
    size_t counts[2] = {0};
    tact_scene* const scenes[2] = {scene, twin};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    memset(picks, 0, sizeof picks);
    for (int i = 0; i < 2; ++i) {
        const tact_result result = pick(scenes[i], query, &options, picks[i], &counts[i]);
        if (result != TACT_OK) return result;
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(picks[0], picks[1], sizeof picks[0]);
    return TACT_OK;
}

/// Debug drawing of all instances: the same edges as of a twin.
static inline tact_result show_both(tact_scene* scene, tact_scene* twin)
{
    tact_debug_list* lists[2];
    tact_scene* const scenes[2] = {scene, twin};
    size_t counts[2];
    const tact_debug_vertex* lines[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_debug_list_create(scene->context, &lists[i]), TACT_OK);
        tact_debug_draw draw = tact_debug_list_draw(lists[i]);
        for (uint32_t k = 0; k < scene->instance_count; ++k)
            assert_int_equal(tact_debug_instance_edges(&draw, scenes[i], k), TACT_OK);
        lines[i] = tact_debug_list_lines(lists[i], &counts[i]);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(lines[0], lines[1], counts[0] * sizeof *lines[0]);
    for (int i = 0; i < 2; ++i)
        tact_debug_list_destroy(lists[i]);
    return TACT_OK;
}

/// As many levels are drawn as trees have.
static inline tact_result show_levels(const tact_scene* scene)
{
    for (uint32_t k = 0; k < scene->instance_count; ++k)
        assert_int_equal(tact_debug_instance_levels(scene, k), scene->meshes[scene->instances[k].mesh].depth + 1);
    return TACT_OK;
}

/// Asks something of the scene, compared with the reference or with a twin.
static inline void ask_with_shadow(tact_scene* scene, tact_scene* twin, const soup* s, int query, tact_backend backend)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true, .shadow = true};
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
    tact_closest_query points[RAYS];
    tact_closest_hit nearest[RAYS];
    tact_point_location locations[RAYS];
    tact_sphere_cast spheres[RAYS];
    tact_sphere_hit touched[RAYS];
    uint64_t offsets[RAYS + 1];
    test_random r = test_random_seeded(51);
    const tact_trace_mesh mesh = view_of(s);
    for (int i = 0; i < RAYS; ++i) {
        aim(&r, &mesh, s->vertices, &rays[i]);
        points[i] = (tact_closest_query){rays[i].ox, rays[i].oy, rays[i].oz, INFINITY};
        spheres[i] = (tact_sphere_cast){.ray = rays[i], .radius = 0.01f};
    }
    tact_result result = TACT_OK;
    if (query == 0) result = tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &options, NULL);
    if (query == 1) {
        const tact_raycast_all_work work = {.rays = rays, .count = RAYS, .offsets = offsets};
        result = tact_raycast_all(scene, &work, &options, NULL);
        if (result == TACT_INCOMPLETE) result = TACT_OK;
    }
    if (query == 2) result = tact_closest_points(scene, points, RAYS, nearest, &options, NULL);
    if (query == 3) result = tact_spherecast(scene, spheres, RAYS, touched, &options, NULL);
    if (query == LOCATE) result = tact_locate_points(scene, points, RAYS, locations, &options, NULL);
    if (query == 5) {
        // Submitted casts have no shadow.
        tact_ticket ticket = 0;
        tact_query_options later = options;
        later.shadow = false;
        later.ticket = &ticket;
        result = tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &later, NULL);
        if (result == TACT_OK) result = tact_wait(scene->context, ticket, NULL);
        tact_hit expected[RAYS];
        const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, expected, &reference, NULL), TACT_OK);
        if (result == TACT_OK) assert_memory_equal(hits, expected, sizeof hits);
    }
    // The CPU's alone.
    size_t count = 0;
    if (query == TOUCH) result = pick(scene, query, &options, NULL, &count);
    if (query == SEEN || query == DRAWN) result = pick_both(scene, twin, query, backend);
    if (query == EDGES) result = show_both(scene, twin);
    if (query == LEVELS) result = show_levels(scene);
    if (result != TACT_OK)
        fail_msg("query %d on %s: %s", query, tact_backend_name(backend), tact_context_error(scene->context));
}

enum { FIRST = 0, SECOND = 1, BROKEN_ONE = 2, MESHES = 3 };

static inline void add_soups(tact_scene* scene, soup* soups)
{
    static const soup_kind kinds[MESHES] = {SMOOTH, NEEDLES, BROKEN};
    for (uint32_t m = 0; m < MESHES; ++m) {
        test_random r = test_random_seeded(40 + m);
        fill_soup(&r, kinds[m], 150 + 100 * m, &soups[m]);
        const tact_mesh_desc desc = {.positions = soups[m].positions,
                                     .vertex_count = soups[m].vertices,
                                     .indices = soups[m].indices,
                                     .triangle_count = soups[m].triangles};
        const uint32_t mesh = put_mesh(scene, &desc);
        if (m % 2) assert_int_equal(tact_scene_set_quality(scene, mesh, TACT_MESH_FAST), TACT_OK);
        put_instance(scene, mesh, NULL);
    }
}

/// The soups in a scene whose trees the device builds.
static inline tact_scene* built_scene(tact_context* context, tact_backend device, soup* soups)
{
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_build_on(scene, device), TACT_OK);
    add_soups(scene, soups);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static inline void move(tact_scene* scene, uint32_t mesh, const soup* s, tact_mesh_update update)
{
    assert_int_equal(tact_scene_update_mesh(scene, mesh, s->positions, 0, update), TACT_OK);
}
