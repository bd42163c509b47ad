// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Devices that flush subnormal numbers, as OpenGL does on some hardware, are not asked with numbers that could become
// such: the CPU answers then. The device here does not flush, and is said to.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "gpu/device_backend.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"

typedef struct numbers {
    tact_scene* scene;
    uint32_t instance;
    tact_backend backend;
} numbers;

static const float corners[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
static const tact_ray down = {0, 0, 1, 0, 0, 0, -1, INFINITY};
static const tact_closest_query near_it = {0.25f, 0, 1, INFINITY};
static const tact_sphere_cast ball = {{0, 0, 2, 0, 0, 0, -1, 3e38f}, 0.5f};

static void make(numbers* n, tact_context* context, tact_backend backend, float first)
{
    float positions[9];
    memcpy(positions, corners, sizeof positions);
    positions[2] = first;
    uint32_t mesh;
    n->backend = backend;
    n->scene = new_scene(context);
    const tact_mesh_desc desc = {.positions = positions, .vertex_count = 3, .triangle_count = 1};
    assert_int_equal(tact_scene_add_mesh(n->scene, &desc, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(n->scene, mesh, NULL, &n->instance), TACT_OK);
    assert_int_equal(tact_scene_commit(n->scene), TACT_OK);
}

/// What forced calls return, all alike; and that the CPU answers the others, by the definition's bytes.
static void ask(const numbers* n, tact_ray ray, tact_closest_query point, tact_sphere_cast sphere, int calls)
{
    tact_hit hits[2];
    tact_closest_hit closest[2];
    tact_sphere_hit touched[2];
    tact_point_location located[2];
    tact_result forced[4];
    memset(hits, 1, sizeof hits);
    for (int pass = 0; pass < 3; ++pass) {
        const tact_query_options options = {.backend = pass == 2 ? TACT_BACKEND_REFERENCE : n->backend,
                                            .no_fallback = pass == 0};
        const int at = pass == 2;
        tact_query_report reports[4];
        const tact_result results[] = {
            tact_raycast(n->scene, TACT_RAY_CLOSEST, &ray, 1, &hits[at], &options, &reports[0]),
            tact_closest_points(n->scene, &point, 1, &closest[at], &options, &reports[1]),
            tact_spherecast(n->scene, &sphere, 1, &touched[at], &options, &reports[2]),
            tact_locate_points(n->scene, &point, 1, &located[at], &options, &reports[3]),
        };
        for (int i = 0; i < 4; ++i) {
            if (pass == 0) {
                forced[i] = results[i];
                continue;
            }
            assert_int_equal(results[i], TACT_OK);
            if (pass == 1) {
                const bool device = forced[i] == TACT_OK;
                assert_int_equal(reports[i].backend, device ? n->backend : TACT_BACKEND_CPU);
                assert_int_equal(reports[i].exact, !device);
            }
        }
    }
    assert_memory_equal(&hits[0], &hits[1], sizeof hits[0]);
    assert_memory_equal(&closest[0], &closest[1], sizeof closest[0]);
    assert_memory_equal(&touched[0], &touched[1], sizeof touched[0]);
    assert_memory_equal(&located[0], &located[1], sizeof located[0]);
    for (int i = 0; i < 4; ++i)
        if (calls & (1 << i)) assert_int_equal(forced[i], TACT_ERROR_UNSUPPORTED);
    for (int i = 0; i < 4; ++i)
        if (!(calls & (1 << i))) assert_int_equal(forced[i], TACT_OK);
}

enum { RAYS = 1, CLOSEST = 2, SPHERES = 4, POINTS = 8, ALL = 15 };

static tact_context* open_flushing(tact_backend backend)
{
    tact_context* context = one_device_require(backend);
    context->devices[1]->info.probe.flushes_subnormals = true;
    return context;
}

static void check(tact_backend backend)
{
    tact_context* context = open_flushing(backend);
    numbers n;
    make(&n, context, backend, 0);
    ask(&n, down, near_it, ball, 0);
    const float odd[] = {0x1p-111f, -0x1p-130f, 0x1p41f};
    for (int i = 0; i < 3; ++i) {
        tact_ray ray = down;
        ray.dx = odd[i];
        ask(&n, ray, near_it, ball, RAYS);
        tact_closest_query point = near_it;
        point.y = odd[i];
        ask(&n, down, point, ball, CLOSEST | POINTS);
        tact_sphere_cast sphere = ball;
        sphere.radius = odd[i] < 0 ? 0x1p-140f : odd[i];
        ask(&n, down, near_it, sphere, SPHERES);
    }
    // On the edge, and limits, which may be as large as can be but not too small.
    tact_ray ray = down;
    ray.dx = 0x1p-110f;
    ray.dz = -0x1p40f;
    ray.tmax = 3e38f;
    ask(&n, ray, near_it, ball, 0);
    ray.tmax = 0x1p-120f;
    ask(&n, ray, near_it, ball, RAYS);

    tact_scene* empty = new_scene(context);
    assert_int_equal(tact_scene_commit(empty), TACT_OK);
    ask(&(numbers){.scene = empty, .backend = backend}, down, near_it, ball, 0);
    tact_scene_destroy(empty);

    // The scene: what moves, and comes back.
    float matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0x1p-120f, 0, 0, 1, 0};
    assert_int_equal(tact_scene_move_instance(n.scene, n.instance, matrix), TACT_OK);
    assert_int_equal(tact_scene_commit(n.scene), TACT_OK);
    ask(&n, down, near_it, ball, ALL);
    matrix[7] = 0;
    assert_int_equal(tact_scene_move_instance(n.scene, n.instance, matrix), TACT_OK);
    assert_int_equal(tact_scene_commit(n.scene), TACT_OK);
    ask(&n, down, near_it, ball, 0);
    tact_scene_destroy(n.scene);
    make(&n, context, backend, 0x1p-120f);
    ask(&n, down, near_it, ball, ALL);
    assert_int_equal(tact_scene_update_mesh(n.scene, 0, corners, 0, TACT_UPDATE_AUTO), TACT_OK);
    assert_int_equal(tact_scene_commit(n.scene), TACT_OK);
    ask(&n, down, near_it, ball, 0);
    tact_scene_destroy(n.scene);
    tact_context_destroy(context);
}

TEST(gl_that_flushes)
{
    check(TACT_BACKEND_GL);
}

TEST(cl_that_flushes)
{
    check(TACT_BACKEND_CL);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
