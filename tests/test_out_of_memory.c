// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "tact/tact.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/random.h"

// Fails the N-th allocation, for every N, from the making of a context to the end of a ray cast, with every device
// that the machine has. Each time there must be an error or a right answer, and nothing may be left over.

enum { TRIANGLES = 300, RAYS = 500 };
static float positions[9 * TRIANGLES];
static tact_ray rays[RAYS];
static tact_hit expected[RAYS];

static void quiet(tact_log_level level, const char* source, const char* message, void* user)
{
}

/// Memory, and the sentence says so.
static void check_failure(const tact_context* context, tact_result result)
{
    assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(tact_last_error(), "out of memory"));
    if (context) assert_string_equal(tact_context_error(context), tact_last_error());
}

/// Everything a small program does. Returns the first error.
static tact_result work(counting_allocator* counter, tact_device_source gpu, tact_backend backend, tact_hit* hits)
{
    const tact_context_desc desc = {.allocator = counting_hooks(counter), .log = quiet, .gl = gpu, .cl = gpu};
    tact_context* context = NULL;
    tact_scene* scene = NULL;
    tact_result result = tact_context_create(&desc, &context);
    if (result != TACT_OK) {
        assert_null(context);
        check_failure(NULL, result);
        return result;
    }
    // A device that could not be opened for want of memory is missing, not an error of the context.
    const bool missing = tact_context_missing(context, backend) != NULL;
    result = tact_scene_create(context, &scene);
    uint32_t mesh = 0, instance = 0;
    const tact_mesh_desc half = {
        .positions = positions, .vertex_count = 3 * TRIANGLES / 2, .triangle_count = TRIANGLES / 2};
    tact_mesh_desc rest = half;
    rest.positions += 9 * (TRIANGLES / 2);
    const float moved[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
    if (result == TACT_OK) result = tact_scene_add_mesh(scene, &half, &mesh);
    if (result == TACT_OK) result = tact_scene_add_instance(scene, mesh, NULL, &instance);
    tact_mesh* source = NULL;
    if (result == TACT_OK) result = tact_mesh_create(context, &rest, &source);
    if (result == TACT_OK) result = tact_scene_attach_mesh(scene, source, &mesh);
    tact_mesh_destroy(source);
    if (result == TACT_OK) result = tact_scene_add_instance(scene, mesh, moved, &instance);
    if (result == TACT_OK) result = tact_scene_commit(scene);
    if (result == TACT_ERROR_OUT_OF_MEMORY && scene && counter->failed) {
        // A scene whose commit failed can be committed when there is memory again.
        check_failure(context, result);
        const size_t fail_at = counter->fail_at;
        counter->fail_at = 0;
        if (mesh == 1 && instance == 1) assert_int_equal(tact_scene_commit(scene), TACT_OK);
        counter->fail_at = fail_at;
        tact_scene_destroy(scene);
        tact_context_destroy(context);
        return result;
    }
    const tact_query_options options = {.backend = backend};
    const tact_raycast_work work = {.sort = TACT_RAY_SORT_ALWAYS, .count = RAYS, .rays = rays, .hits = hits};
    if (result == TACT_OK) result = tact_raycast_with(scene, &work, &options, NULL);
    if (result == TACT_ERROR_NO_DEVICE) assert_true(missing);
    if (result != TACT_OK && result != TACT_ERROR_NO_DEVICE) check_failure(context, result);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return result;
}

static int prepare(void** state)
{
    test_random r = {1};
    for (size_t i = 0; i < TRIANGLES; ++i) {
        const float centre[3] = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
        for (size_t k = 0; k < 9; ++k)
            positions[9 * i + k] = centre[k % 3] + 0.2f * test_random_signed(&r);
    }
    for (size_t i = 0; i < RAYS; ++i) {
        const tact_ray ray = {test_random_signed(&r),        test_random_signed(&r),        3.0f,  0.0f,
                              0.3f * test_random_signed(&r), 0.3f * test_random_signed(&r), -1.0f, INFINITY};
        rays[i] = ray;
    }
    counting_allocator counter = {0};
    return work(&counter, TACT_DEVICE_NONE, TACT_BACKEND_REFERENCE, expected);
}

static void exhaust(tact_device_source gpu, tact_backend backend)
{
    static tact_hit hits[RAYS];
    counting_allocator trial = {0};
    const tact_result possible = work(&trial, gpu, backend, hits);
    assert_int_equal(trial.live, 0);
    if (possible == TACT_ERROR_NO_DEVICE) {
        miss_device(backend, "the context has none");
        skip_because("the device is missing");
    }
    assert_int_equal(possible, TACT_OK);
    assert_memory_equal(hits, expected, sizeof hits);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counting_allocator counter = {.fail_at = n};
        memset(hits, 0, sizeof hits);
        const tact_result result = work(&counter, gpu, backend, hits);
        if (counter.live != 0) fail_msg("allocation %zu failed: %zu blocks were left over", n, counter.live);
        if (result == TACT_OK) assert_memory_equal(hits, expected, sizeof hits);
        if (!counter.failed) break;
        ++failures;
        assert_true(n < 2000);
    }
    print_message("%zu allocations, each failed once\n", failures);
    assert_true(failures > 10);
}

TEST(the_cpu_survives_every_failing_allocation)
{
    exhaust(TACT_DEVICE_NONE, TACT_BACKEND_CPU);
}

TEST(opengl_survives_every_failing_allocation)
{
    exhaust(TACT_DEVICE_OWN, TACT_BACKEND_GL);
}

TEST(opencl_survives_every_failing_allocation)
{
    exhaust(TACT_DEVICE_OWN, TACT_BACKEND_CL);
}

#include TEST_LIST
RUN_ALL(prepare, NULL)
