// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Queries in chunks of which one goes up, one runs and one comes down at the same time, as on hardware: rings with
// small slots make chunks small. The answers are those of the CPU, whatever fails or is cancelled in the middle.

#include "tests/support/run.h"

#include "apps/inputs/scenes.h"
#include "core/context/context.h"
#include "gpu/device.h"
#include "gpu/device_backend.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/random.h"

enum { SLOT = 4096, RING = TACT_RING_SLOTS * SLOT, LAYERS = 4500, NOISE = 400, MANY = 5003 };

static tact_device* device_of(const tact_context* context, tact_backend backend)
{
    return context->devices[tact_context_find(context, backend)];
}

static tact_context* require_rings(tact_backend backend, size_t slot_bytes)
{
    tact_context* context = one_device_require(backend);
    tact_device* device = device_of(context, backend);
    assert_int_equal(tact_device_enter(device), TACT_OK);
    tact_device_use_rings(device, slot_bytes);
    tact_device_leave(device);
    return context;
}

/// Layers that some rays pass thousands of, which one launch does not finish, and triangles about them.
static tact_scene* make_scene(tact_context* context)
{
    static float p[9 * (LAYERS + NOISE)];
    test_random r = test_random_seeded(5);
    for (size_t i = 0; i < LAYERS; ++i) {
        const float corners[9] = {-1, -1, -(float)i, 1, -1, -(float)i, 0, 2, -(float)i};
        memcpy(p + 9 * i, corners, sizeof corners);
    }
    for (size_t i = 9 * LAYERS; i < 9 * (LAYERS + NOISE); ++i)
        p[i] = 20.0f * test_random_signed(&r);
    const tact_mesh_desc mesh = {
        .positions = p, .vertex_count = 3 * (LAYERS + NOISE), .triangle_count = LAYERS + NOISE};
    tact_scene* scene = new_scene(context);
    const uint32_t id = put_mesh(scene, &mesh);
    put_instance(scene, id, NULL);
    const float turned[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
    put_instance(scene, id, turned);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static void make_rays(tact_ray* rays, uint32_t* masks)
{
    test_random r = test_random_seeded(6);
    for (size_t i = 0; i < MANY; ++i) {
        float v[6];
        for (size_t k = 0; k < 6; ++k)
            v[k] = test_random_signed(&r);
        rays[i] = (tact_ray){20 * v[0], 20 * v[1], 20 * v[2], 0, v[3], v[4], v[5], 100};
        // In each chunk some.
        if (i % 401 == 7) rays[i] = (tact_ray){0.001f * v[0], 0.1f, 1, 0, 0, 0, -1, INFINITY};
        masks[i] = i % 3 ? ~0u : 1u << i % 7;
    }
}

static tact_device_counts counted(tact_context* context, tact_backend backend)
{
    tact_device_counts counts;
    assert_int_equal(tact_context_device_counts(context, backend, &counts), TACT_OK);
    return counts;
}

static tact_ray rays[MANY];
static uint32_t masks[MANY];
static tact_hit hits[MANY], expected[MANY];

TEST_AS(ONE_DEVICE_TEST, rays_in_chunks_that_overlap)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require_rings(backend, SLOT));
    tact_scene* scene = KEEP(make_scene(context));
    make_rays(rays, masks);
    const tact_query_options there = {.backend = backend, .no_fallback = true}, here = {.backend = TACT_BACKEND_CPU};
    const tact_ray_rules none = {0}, with_masks = {.masks = masks};
    // As many as fill no chunk, one, one and some more, an even and an odd number of them.
    static const size_t counts[] = {1, RING / 32 - 2, RING / 32 - 1, 2 * RING / 32, 3 * RING / 32 + 5, MANY};
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        for (size_t i = 0; i < 2 * (sizeof counts / sizeof *counts); ++i) {
            const size_t count = counts[i / 2];
            const tact_ray_rules* rules = i % 2 ? &with_masks : &none;
            memset(hits, 0xee, sizeof hits);
            assert_int_equal(call_raycast_with(scene, (tact_ray_mode)mode, rays, count, rules, expected, &here, NULL),
                             TACT_OK);
            assert_int_equal(call_raycast_with(scene, (tact_ray_mode)mode, rays, count, rules, hits, &there, NULL),
                             TACT_OK);
            assert_memory_equal(hits, expected, count * sizeof *hits);
            if (count < MANY) assert_int_equal(((const unsigned char*)(hits + count))[0], 0xee);
        }
    }
}

TEST_AS(ONE_DEVICE_TEST, what_overlaps_is_waited_for_once_a_chunk_and_more_seldom_than_it_has_slots)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require_rings(backend, SLOT));
    static const float corner[9] = {-30, -30, 0, 30, -30, 0, 0, 60, 0};
    const tact_mesh_desc mesh = {.positions = corner, .vertex_count = 3, .triangle_count = 1};
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_mesh(scene, &mesh), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    make_rays(rays, masks);
    const tact_query_options there = {.backend = backend, .no_fallback = true};
    const size_t fit = (RING / (tact_device_goes_aside(device_of(context, backend)) ? 2 : 1) - 64) / 32;
    for (size_t count = fit; count <= MANY; count += fit - 100) {
        const size_t chunks = (count - 1) / fit + 1;
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, count, hits, &there, NULL), TACT_OK);
        const tact_device_counts before = counted(context, backend);
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, count, hits, &there, NULL), TACT_OK);
        const tact_device_counts after = counted(context, backend);
        assert_int_equal(after.launches - before.launches, chunks);
        assert_int_equal(after.allocations - before.allocations, 0);
        assert_int_equal(after.bytes_up - before.bytes_up, count * sizeof *rays);
        assert_int_equal(after.bytes_down - before.bytes_down, count * sizeof *hits + 4 * chunks);
        // For what comes down once a chunk, and again for each slot that is not there yet; for a slot to go up.
        const size_t slots = count * (sizeof *rays + sizeof *hits) / SLOT + 2 * chunks;
        assert_in_range(after.waits - before.waits, chunks, chunks + slots);
    }
    // What fits one slot is waited for once, as without a ring.
    const size_t few = (SLOT - 64) / sizeof *rays;
    const tact_device_counts before = counted(context, backend);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, few, hits, &there, NULL), TACT_OK);
    assert_int_equal(counted(context, backend).waits - before.waits, 1);
}

TEST_AS(ONE_DEVICE_TEST, points_and_spheres_in_chunks_that_overlap)
{
    enum { POINTS = 2600 };
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require_rings(backend, SLOT));
    tact_model model = {0};
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_mesh_icosphere(5, &mesh, &problem));
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, NULL, &problem));
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    static tact_closest_query points[POINTS];
    static tact_closest_hit near[2][POINTS];
    static tact_sphere_cast casts[POINTS];
    static tact_sphere_hit touched[2][POINTS];
    static tact_point_location places[2][POINTS];
    test_random r = test_random_seeded(7);
    for (size_t i = 0; i < POINTS; ++i) {
        float v[7];
        for (size_t k = 0; k < 7; ++k)
            v[k] = test_random_signed(&r);
        points[i] = (tact_closest_query){2 * v[0], 2 * v[1], 2 * v[2], INFINITY};
        // From the middle of the sphere one launch does not finish.
        if (i % 301 == 5) points[i] = (tact_closest_query){1e-6f * v[0], 0, 0, INFINITY};
        casts[i] = (tact_sphere_cast){.ray = {2 * v[0], 2 * v[1], 2 * v[2], 0, v[3], v[4], v[5], 5},
                                      .radius = 0.5f * fabsf(v[6])};
    }
    for (size_t count = 700; count <= POINTS; count += 950) {
        for (int k = 0; k < 2; ++k) {
            const tact_query_options options = {.backend = k ? backend : TACT_BACKEND_CPU, .no_fallback = true};
            assert_int_equal(tact_closest_points(scene, points, count, near[k], &options, NULL), TACT_OK);
            assert_int_equal(tact_spherecast(scene, casts, count, touched[k], &options, NULL), TACT_OK);
            assert_int_equal(tact_locate_points(scene, points, count, places[k], &options, NULL), TACT_OK);
        }
        assert_memory_equal(near[0], near[1], count * sizeof **near);
        assert_memory_equal(touched[0], touched[1], count * sizeof **touched);
        assert_memory_equal(places[0], places[1], count * sizeof **places);
    }
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

static bool cancel_soon(double done, void* user)
{
    int* left = user;
    (void)done;
    return --*left > 0;
}

TEST_AS(ONE_DEVICE_TEST, chunks_that_overlap_end_in_the_middle)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require_rings(backend, SLOT));
    tact_device* device = device_of(context, backend);
    tact_scene* scene = KEEP(make_scene(context));
    make_rays(rays, masks);
    const tact_query_options here = {.backend = TACT_BACKEND_CPU};
    tact_query_options there = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_raycast(scene, TACT_RAY_COUNT, rays, MANY, expected, &here, NULL), TACT_OK);
    size_t cancelled = 0, lost = 0;
    for (int calls = 1;; ++calls) {
        int left = calls;
        there.progress = cancel_soon;
        there.progress_user = &left;
        const tact_result result = tact_raycast(scene, TACT_RAY_COUNT, rays, MANY, hits, &there, NULL);
        there.progress = NULL;
        cancelled += result == TACT_ERROR_CANCELLED;
        if (result != TACT_ERROR_CANCELLED) {
            assert_int_equal(result, TACT_OK);
            break;
        }
        assert_int_equal(tact_raycast(scene, TACT_RAY_COUNT, rays, MANY, hits, &there, NULL), TACT_OK);
        assert_memory_equal(hits, expected, sizeof hits);
    }
    assert_true(cancelled >= 4);
    for (uint32_t number = 1;; number += number / 2 + 1) {
        tact_device_fail_launch(device, number);
        const tact_result result = tact_raycast(scene, TACT_RAY_COUNT, rays, MANY, hits, &there, NULL);
        tact_device_revive(device);
        if (result == TACT_OK) break;
        assert_int_equal(result, TACT_ERROR_DEVICE_LOST);
        ++lost;
        assert_int_equal(tact_raycast(scene, TACT_RAY_COUNT, rays, MANY, hits, &there, NULL), TACT_OK);
        assert_memory_equal(hits, expected, sizeof hits);
    }
    assert_true(lost >= 4);
}

/// Casts that are on their way keep their buffers while others go in chunks.
TEST_AS(ONE_DEVICE_TEST, submitted_casts_and_chunks)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(require_rings(backend, SLOT));
    tact_scene* scene = KEEP(make_scene(context));
    make_rays(rays, masks);
    static tact_hit late[2][MANY];
    const tact_query_options here = {.backend = TACT_BACKEND_CPU};
    const tact_query_options there = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, MANY, expected, &here, NULL), TACT_OK);
    for (int turn = 0; turn < 3; ++turn) {
        tact_ticket tickets[2];
        for (int k = 0; k < 2; ++k) {
            const tact_raycast_work work = {.rays = rays, .hits = late[k], .count = MANY};
            assert_int_equal(call_submit(scene, &work, &there, &tickets[k]), TACT_OK);
        }
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, MANY, hits, &there, NULL), TACT_OK);
        assert_memory_equal(hits, expected, sizeof hits);
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(tact_wait(context, tickets[k], NULL), TACT_OK);
            assert_memory_equal(late[k], expected, sizeof expected);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
