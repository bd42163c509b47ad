// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <time.h>

#include "tests/support/run.h"

#include "base/platform.h"
#include "core/context/context.h"
#include "cpu_ref/trace/raycast.h"
#include "gpu/trace/bvh_build.h"
#include "tests/support/device_fixture.h"
#include "tests/support/device_tree.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/one_device.h"

// Trees built on a device: whole, tight, the same in every run; what rays hit in them is what brute force says; fitted
// trees as well; broken input, and devices without room.

enum { METHODS = 2 };

TEST_AS(DEVICE_TEST, soups_of_all_sorts)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 9, 33, 300, 600};
    tact_tree_builder* build;
    soup* s = scratch(sizeof *s);
    expect_ok(f, tact_tree_builder_create(device, &build));
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            for (int method = 0; method < METHODS; ++method) {
                test_random r = test_random_seeded(1000 * (uint64_t)kind + c);
                fill_soup(&r, (soup_kind)kind, counts[c], s);
                const tact_trace_mesh mesh = view_of(s);
                expect_ok(f, tact_tree_builder_run(build, &mesh, s->vertices, (tact_tree_method)method, NULL));
                read_and_check(f, build, s, c);
            }
        }
    }
    tact_tree_builder_destroy(build);
}

TEST_AS(DEVICE_TEST, fitted_trees)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    tact_tree_builder* build;
    soup* s = scratch(sizeof *s);
    expect_ok(f, tact_tree_builder_create(device, &build));
    bool changed = false;
    expect_failure(device, tact_tree_builder_refit(build, s->positions, NULL, &changed), TACT_ERROR_INVALID_ARGUMENT);
    for (int method = 0; method < METHODS; ++method) {
        test_random r = test_random_seeded(5);
        fill_soup(&r, SMOOTH, 500, s);
        const tact_trace_mesh mesh = view_of(s);
        expect_ok(f, tact_tree_builder_run(build, &mesh, s->vertices, (tact_tree_method)method, NULL));
        for (int frame = 0; frame < 3; ++frame) {
            for (size_t i = 0; i < 3 * s->vertices; ++i)
                s->positions[i] += (float)(frame * frame) * 10.0f * test_random_signed(&r);
            expect_ok(f, tact_tree_builder_refit(build, s->positions, NULL, &changed));
            assert_false(changed);
            read_and_check(f, build, s, (uint64_t)frame);
        }
        // A triangle goes out of range, the tree is of no use; built again, it is; the triangle comes back.
        const uint32_t vertex = s->indices[30];
        const float was = s->positions[3 * vertex];
        s->positions[3 * vertex] = method ? NAN : 0x1.1p60f;
        expect_ok(f, tact_tree_builder_refit(build, s->positions, NULL, &changed));
        assert_true(changed);
        expect_failure(device, tact_tree_builder_refit(build, s->positions, NULL, &changed),
                       TACT_ERROR_INVALID_ARGUMENT);
        expect_ok(f, tact_tree_builder_run(build, &mesh, s->vertices, (tact_tree_method)method, NULL));
        read_and_check(f, build, s, 9);
        s->positions[3 * vertex] = was;
        expect_ok(f, tact_tree_builder_refit(build, s->positions, NULL, &changed));
        assert_true(changed);
    }
    tact_tree_builder_destroy(build);
}

/// Triangles that no key tells apart, and such as double from one to the next, so that no tree is balanced.
TEST_AS(DEVICE_TEST, trees_stay_shallow)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { COUNT = 4000 };
    float* p = scratch(9 * COUNT * sizeof *p);
    uint32_t* indices = malloc(3 * COUNT * sizeof *indices);
    tact_tree_builder* build;
    expect_ok(f, tact_tree_builder_create(device, &build));
    for (int shape = 0; shape < 3; ++shape) {
        for (size_t i = 0; i < COUNT; ++i) {
            const float size = shape == 0 ? 1.0f : ldexpf(1.0f, (int)(i % 130) - 80);
            const float at[9] = {size, 0, 0, 2 * size, size, 0, size, 0, shape == 2 ? (float)i : size};
            memcpy(p + 9 * i, at, sizeof at);
            for (size_t k = 0; k < 3; ++k)
                indices[3 * i + k] = (uint32_t)(3 * i + k);
        }
        const tact_trace_mesh mesh = {.positions = p, .indices = indices, .triangle_count = COUNT};
        for (int method = 0; method < METHODS; ++method) {
            expect_ok(f, tact_tree_builder_run(build, &mesh, 3 * COUNT, (tact_tree_method)method, NULL));
            tact_bvh8 wide;
            tact_triangle_block* blocks;
            expect_ok(f, tact_tree_builder_read(build, &wide, &blocks));
            check_tree(&f->env, &mesh, &wide, blocks);
            check_rays(&f->env, &mesh, 3 * COUNT, &wide, blocks, 4);
            tact_bvh8_free(&f->env, &wide);
            tact_release(&f->env, blocks);
        }
    }
    tact_tree_builder_destroy(build);
    free(indices);
}

/// Every run gives the same bytes; slots are well filled. `cost` of each method.
static void build_twice(device_fixture* f, tact_trace_mesh mesh, size_t vertices, double cost[METHODS])
{
    tact_device* device = require_device(f);
    for (int method = 0; method < METHODS; ++method) {
        tact_bvh8 wide[2];
        tact_triangle_block* blocks[2];
        for (int run = 0; run < 2; ++run) {
            tact_tree_builder* build;
            expect_ok(f, tact_tree_builder_create(device, &build));
            expect_ok(f, tact_tree_builder_run(build, &mesh, vertices, (tact_tree_method)method, NULL));
            expect_ok(f, tact_tree_builder_read(build, &wide[run], &blocks[run]));
            assert_true(tact_tree_builder_bytes(build) >= 64 * mesh.triangle_count);
            tact_tree_builder_destroy(build);
        }
        assert_int_equal(wide[0].node_count, wide[1].node_count);
        assert_int_equal(wide[0].slot_count, wide[1].slot_count);
        assert_memory_equal(wide[0].nodes, wide[1].nodes, wide[0].node_count * sizeof *wide[0].nodes);
        assert_memory_equal(wide[0].order, wide[1].order, wide[0].slot_count * sizeof *wide[0].order);
        check_tree(&f->env, &mesh, &wide[0], blocks[0]);
        check_rays(&f->env, &mesh, vertices, &wide[0], blocks[0], 3);
        cost[method] = wide[0].sah_cost;
        print_message("method %d: cost %.2f, depth %u, %.3f nodes and %.3f slots a triangle\n", method, cost[method],
                      wide[0].depth, (double)wide[0].node_count / (double)mesh.triangle_count,
                      (double)wide[0].slot_count / (double)mesh.triangle_count);
        assert_true(wide[0].slot_count < 2 * mesh.triangle_count && wide[0].depth < 12);
        for (int run = 0; run < 2; ++run) {
            tact_bvh8_free(&f->env, &wide[run]);
            tact_release(&f->env, blocks[run]);
        }
    }
    free_mesh(&mesh);
}

TEST_AS(DEVICE_TEST, many_triangles)
{
    device_fixture* f = *state;
    require_device(f);
    double cost[METHODS];
    build_twice(f, landscape(150), 150 * 150, cost);
    // On a grid a Morton curve is hard to beat.
    assert_true(cost[TACT_TREE_CLUSTERED] < 1.1 * cost[TACT_TREE_LINEAR]);
    build_twice(f, heaps(20000), 60000, cost);
    assert_true(cost[TACT_TREE_CLUSTERED] < cost[TACT_TREE_LINEAR]);
}

/// Triangles that are all alike, or, `doubling`, of which each is twice the one before in rows of 130.
static tact_trace_mesh row(size_t count, bool doubling)
{
    float* p = malloc(9 * count * sizeof *p);
    uint32_t* indices = malloc(3 * count * sizeof *indices);
    for (size_t i = 0; i < count; ++i) {
        const float size = doubling ? ldexpf(1.0f, (int)(i % 130) - 80) : 1.0f;
        const float at[9] = {size, 0, 0, 2 * size, size, 0, size, 0, size};
        memcpy(p + 9 * i, at, sizeof at);
    }
    for (size_t i = 0; i < 3 * count; ++i)
        indices[i] = (uint32_t)i;
    return (tact_trace_mesh){.positions = p, .indices = indices, .triangle_count = count};
}

enum { UNLIKE = 4, UNLIKE_SIDE = 71, UNLIKE_COUNT = 2 * (UNLIKE_SIDE - 1) * (UNLIKE_SIDE - 1) };

/// A tree and how often building it waited.
static tact_bvh8 run_counted(device_fixture* f, tact_tree_builder* build, const tact_trace_mesh* mesh, int method,
                             uint64_t* waits)
{
    tact_bvh8 wide;
    const uint64_t before = tact_device_counted(f->device).waits;
    expect_ok(f, tact_tree_builder_run(build, mesh, 3 * UNLIKE_COUNT, (tact_tree_method)method, &wide));
    *waits = tact_device_counted(f->device).waits - before;
    return wide;
}

static void expect_same_tree(const tact_bvh8* a, const tact_bvh8* b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->slot_count, b->slot_count);
    assert_int_equal(a->depth, b->depth);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->order, b->order, a->slot_count * sizeof *a->order);
}

/// A device is given as much as the tree before took. A mesh that takes more rounds, levels, nodes or slots gets the
/// same tree as from a builder that has built no other, with one more wait or two; the next time it waits once.
TEST_AS(DEVICE_TEST, trees_unlike_the_one_before)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    tact_trace_mesh meshes[UNLIKE] = {landscape(UNLIKE_SIDE), heaps(UNLIKE_COUNT), row(UNLIKE_COUNT, false),
                                      row(UNLIKE_COUNT, true)};
    tact_tree_builder* build;
    size_t longer = 0;
    // What landscapes have fewer vertices of is left out of sight.
    float* padded = scratch_zeroed(9 * UNLIKE_COUNT, sizeof *padded);
    memcpy(padded, meshes[0].positions, 3 * UNLIKE_SIDE * UNLIKE_SIDE * sizeof *padded);
    tact_trace_mesh first = meshes[0];
    first.positions = padded;
    expect_ok(f, tact_tree_builder_create(device, &build));
    for (int method = 0; method < METHODS; ++method) {
        for (int before = 0; before < UNLIKE; ++before) {
            for (int after = 0; after < UNLIKE; ++after) {
                const tact_trace_mesh* two[2] = {before ? &meshes[before] : &first, after ? &meshes[after] : &first};
                uint64_t waits[4];
                tact_tree_builder* fresh;
                expect_ok(f, tact_tree_builder_create(device, &fresh));
                tact_bvh8 expected = run_counted(f, fresh, two[1], method, &waits[0]);
                tact_tree_builder_destroy(fresh);
                tact_bvh8 made[3] = {run_counted(f, build, two[0], method, &waits[1]),
                                     run_counted(f, build, two[1], method, &waits[2]),
                                     run_counted(f, build, two[1], method, &waits[3])};
                expect_same_tree(&made[1], &expected);
                expect_same_tree(&made[2], &expected);
                assert_true(waits[2] <= 8);
                assert_int_equal(waits[3], 1);
                longer += waits[2] > 1;
                tact_bvh8_free(&f->env, &expected);
                for (int i = 0; i < 3; ++i)
                    tact_bvh8_free(&f->env, &made[i]);
            }
        }
    }
    assert_true(longer >= 4);
    tact_tree_builder_destroy(build);
    for (int i = 0; i < UNLIKE; ++i)
        free_mesh(&meshes[i]);
}

TEST_AS(DEVICE_TEST, devices_without_room)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(8);
    fill_soup(&r, SMOOTH, 200, s);
    const tact_trace_mesh mesh = view_of(s);
    uint32_t failed = 0;
    for (uint32_t number = 1;; ++number) {
        tact_tree_builder* build;
        expect_ok(f, tact_tree_builder_create(device, &build));
        tact_device_fail_buffer(device, number);
        const tact_result result = tact_tree_builder_run(build, &mesh, s->vertices, TACT_TREE_CLUSTERED, NULL);
        tact_device_fail_buffer(device, 0);
        if (result != TACT_OK) {
            expect_failure(device, result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            ++failed;
            tact_bvh8 wide;
            tact_triangle_block* blocks;
            expect_failure(device, tact_tree_builder_read(build, &wide, &blocks), TACT_ERROR_INVALID_ARGUMENT);
            expect_ok(f, tact_tree_builder_run(build, &mesh, s->vertices, TACT_TREE_CLUSTERED, NULL));
        }
        read_and_check(f, build, s, 2);
        tact_tree_builder_destroy(build);
        if (result == TACT_OK) break;
    }
    assert_true(failed > 15);
}

/// The same rays through two scenes.
static void compare_scenes(tact_scene* a, tact_scene* b, const soup* s, uint64_t seed)
{
    tact_ray rays[RAYS];
    tact_hit hits[2][RAYS];
    test_random r = test_random_seeded(seed);
    const tact_trace_mesh mesh = view_of(s);
    for (int i = 0; i < RAYS; ++i)
        aim(&r, &mesh, s->vertices, &rays[i]);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    tact_scene* scenes[] = {a, b};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_scene_commit(scenes[i]), TACT_OK);
        assert_int_equal(tact_raycast(scenes[i], TACT_RAY_CLOSEST, rays, RAYS, hits[i], &options, NULL), TACT_OK);
    }
    assert_memory_equal(hits[0], hits[1], sizeof hits[0]);
}

/// Scenes whose trees a device builds answer as others do, also after their meshes move and when the device fails.
TEST_AS(DEVICE_TEST, scenes_that_a_device_builds)
{
    const device_fixture* f = *state;
    if (!f->device) skip_because("the device is missing");
    tact_context* context = one_device_context(f->backend);
    assert_non_null(context);
    soup* s = scratch(sizeof *s);
    tact_scene* scenes[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_scene_create(context, &scenes[i]), TACT_OK);
        for (uint32_t kind = 0; kind < SOUP_KINDS + 1; ++kind) {
            test_random r = test_random_seeded(kind);
            fill_soup(&r, (soup_kind)(kind % SOUP_KINDS), kind == SOUP_KINDS ? 0 : 100 + 40 * kind, s);
            const tact_mesh_desc desc = {.positions = s->positions,
                                         .vertex_count = s->vertices,
                                         .indices = s->indices,
                                         .triangle_count = s->triangles};
            uint32_t mesh, instance;
            assert_int_equal(tact_scene_add_mesh(scenes[i], &desc, &mesh), TACT_OK);
            if (kind % 2) assert_int_equal(tact_scene_set_quality(scenes[i], mesh, TACT_MESH_FAST), TACT_OK);
            if (kind != HUGE_ONES) assert_int_equal(tact_scene_add_instance(scenes[i], mesh, NULL, &instance), TACT_OK);
        }
    }
    assert_int_equal(tact_scene_build_on(scenes[1], TACT_BACKEND_AUTO), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_build_on(scenes[1], TACT_BACKEND_REFERENCE), TACT_ERROR_INVALID_ARGUMENT);
    const tact_backend other = f->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    assert_int_equal(tact_scene_build_on(scenes[1], other), TACT_ERROR_NO_DEVICE);
    assert_int_equal(tact_scene_build_on(scenes[1], f->backend), TACT_OK);
    test_random r = test_random_seeded(SMOOTH);
    fill_soup(&r, SMOOTH, 100, s);
    compare_scenes(scenes[0], scenes[1], s, 1);
    const tact_mesh_update updates[] = {TACT_UPDATE_REFIT, TACT_UPDATE_REBUILD, TACT_UPDATE_REBUILD};
    for (uint32_t frame = 0; frame < 3; ++frame) {
        for (size_t k = 0; k < 3 * s->vertices; ++k)
            s->positions[k] += 0.3f * test_random_signed(&r);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(tact_scene_update_mesh(scenes[i], SMOOTH, s->positions, 0, updates[frame]), TACT_OK);
        // The last time the device has no room.
        if (frame == 2) {
            assert_int_equal(tact_scene_build_on(scenes[1], TACT_BACKEND_CPU), TACT_OK);
            assert_int_equal(tact_scene_build_on(scenes[1], f->backend), TACT_OK);
            tact_device_fail_buffer(context->devices[1], 3);
        }
        compare_scenes(scenes[0], scenes[1], s, frame);
        tact_device_fail_buffer(context->devices[1], 0);
    }
    tact_scene_destroy(scenes[0]);
    tact_scene_destroy(scenes[1]);
    tact_context_destroy(context);
}

static double processor_ms(void)
{
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

/// Not a test: what building a landscape takes on this device and on the CPU. Others at work do not add to processor
/// time. The first turn builds kernels too.
static void measure_side(device_fixture* f, size_t side)
{
    tact_device* device = require_device(f);
    const tact_trace_mesh mesh = landscape(side);
    tact_tree_builder* build;
    expect_ok(f, tact_tree_builder_create(device, &build));
    tact_build_reference* references = scratch(mesh.triangle_count * sizeof *references);
    print_message("%zu triangles\n", mesh.triangle_count);
    for (int turn = 0; turn < 4; ++turn) {
        for (int method = 0; method < METHODS; ++method) {
            double start = tact_platform_milliseconds(), own = processor_ms();
            expect_ok(f, tact_tree_builder_run(build, &mesh, side * side, (tact_tree_method)method, NULL));
            expect_ok(f, tact_device_finish(device));
            const double built = tact_platform_milliseconds() - start, built_own = processor_ms() - own;
            bool changed;
            own = processor_ms();
            expect_ok(f, tact_tree_builder_refit(build, mesh.positions, NULL, &changed));
            expect_ok(f, tact_device_finish(device));
            const double fitted_own = processor_ms() - own;
            tact_bvh8 wide;
            tact_triangle_block* blocks;
            expect_ok(f, tact_tree_builder_read(build, &wide, &blocks));
            print_message("method %d: built %.1f ms, %.1f of processors, fitted %.1f, cost %.2f, %.0f B a triangle\n",
                          method, built, built_own, fitted_own, wide.sah_cost,
                          (double)tact_tree_builder_bytes(build) / (double)mesh.triangle_count);
            tact_bvh8_free(&f->env, &wide);
            tact_release(&f->env, blocks);
        }
        for (int quality = 0; quality < 2; ++quality) {
            tact_trace_bounds bounds;
            tact_bvh8 wide;
            const double start = tact_platform_milliseconds(), own = processor_ms();
            const tact_build_desc desc = {(tact_build_quality)quality, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
            assert_int_equal(tact_trace_references(&f->env, &mesh, 2, references, &bounds), TACT_OK);
            assert_int_equal(tact_bvh8_build(&f->env, 2, &desc, references, bounds.kept, &wide), TACT_OK);
            print_message("cpu, 2 threads, quality %d: built %.1f ms, %.1f of processors, cost %.2f\n", quality,
                          tact_platform_milliseconds() - start, processor_ms() - own, wide.sah_cost);
            tact_bvh8_free(&f->env, &wide);
        }
    }
    tact_tree_builder_destroy(build);
    free_mesh(&mesh);
}

static void measure(void** state)
{
    measure_side(*state, 188);
    measure_side(*state, 708);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const struct CMUnitTest open_cl[] = {DEVICE_TEST_CL(fitted_trees)};
    const struct CMUnitTest shallow[] = {DEVICE_TEST(trees_stay_shallow)};
    const struct CMUnitTest times[] = {DEVICE_TEST(measure)};
    int failed = 0;
    if (argc > 1 && strcmp(argv[1], "times") == 0) {
        failed = run_all(times, NULL, NULL);
    } else if (argc > 1 && strcmp(argv[1], "shallow") == 0) {
        failed = run_all(shallow, NULL, NULL);
    } else if (argc > 1 && strcmp(argv[1], "cl") == 0) {
        failed = run_all(open_cl, NULL, NULL);
    } else {
        failed = run_all(all_tests, NULL, NULL);
    }
    return failed;
}
