// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/threads.h"
#include "tests/support/fitted_scene.h"
#include "tests/support/one_device.h"

// Scenes whose trees a device builds, and fits to vertices that move: they answer as the definition says on every
// backend, when trees stay there and when that fails.

TEST_AS(DEVICE_TEST, scenes_that_a_device_fits)
{
    const device_fixture* f = *state;
    tact_context* context = KEEP(one_device_require(f->backend));
    soup* soups = scratch(MESHES * sizeof *soups);
    tact_scene* scene = built_scene(context, f->backend, soups);
    test_random r = test_random_seeded(33);
    for (uint32_t frame = 0; frame < 8; ++frame) {
        for (uint32_t m = 0; m < MESHES; ++m) {
            shake(&r, &soups[m], 0.2f);
            // The first one's tree is built again, or thrown about until it is, so that those behind it lie elsewhere.
            const tact_mesh_update first = frame == 5 ? TACT_UPDATE_REBUILD : TACT_UPDATE_AUTO;
            move(scene, m, &soups[m], m == FIRST ? first : TACT_UPDATE_REFIT);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        // Trees stay there until the CPU is asked.
        assert_true(scene->behind && tact_scene_fitted_on(scene, 1));
        assert_true(scene->meshes[SECOND].behind && scene->meshes[FIRST].absent == (frame == 0 || frame == 5));
        cast_on(scene, &soups[SECOND], f->backend);
        assert_true(scene->behind && scene->meshes[SECOND].behind);
        for (uint32_t m = 0; m < MESHES; ++m)
            same_hits(scene, &soups[m], f->backend, frame);
        assert_false(scene->behind || scene->meshes[SECOND].behind);
        // What was built again is kept there, too.
        assert_non_null(scene->meshes[SECOND].fitter.data);
        assert_non_null(scene->meshes[FIRST].fitter.data);
        if (frame == 5) assert_true(scene->meshes[FIRST].sah_cost == scene->meshes[FIRST].built_cost);
    }
    // A triangle leaves and comes back: the tree is built each time.
    const size_t at = 3 * (size_t)soups[SECOND].indices[30];
    const float was = soups[SECOND].positions[at];
    for (int frame = 0; frame < 2; ++frame) {
        soups[SECOND].positions[at] = frame ? was : NAN;
        move(scene, SECOND, &soups[SECOND], TACT_UPDATE_REFIT);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        same_hits(scene, &soups[FIRST], f->backend, 20);
        assert_true(scene->meshes[SECOND].sah_cost == scene->meshes[SECOND].built_cost);
    }
    // One goes as another comes.
    const size_t other = 3 * (size_t)soups[SECOND].indices[90];
    const float there = soups[SECOND].positions[other];
    soups[SECOND].positions[at] = INFINITY;
    move(scene, SECOND, &soups[SECOND], TACT_UPDATE_REFIT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    soups[SECOND].positions[at] = was;
    soups[SECOND].positions[other] = -INFINITY;
    move(scene, SECOND, &soups[SECOND], TACT_UPDATE_REFIT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(scene->meshes[SECOND].sah_cost == scene->meshes[SECOND].built_cost);
    soups[SECOND].positions[other] = there;
    move(scene, SECOND, &soups[SECOND], TACT_UPDATE_REFIT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    same_hits(scene, &soups[SECOND], f->backend, 21);
    tact_scene_destroy(scene);
}

/// Each query that reads trees in the scene's arrays, after a device has built or fitted them alone.
TEST_AS(DEVICE_TEST, whatever_is_asked_finds_trees_as_they_are)
{
    const device_fixture* f = *state;
    if (!f->device) skip_because("the device is missing");
    tact_context* context = KEEP(new_context(&(tact_context_desc){.log = quiet}));
    if (device_missing(context, TACT_BACKEND_GL) || device_missing(context, TACT_BACKEND_CL)) {
        skip_because("it takes two devices");
    }
    soup* soups = scratch(MESHES * sizeof *soups);
    tact_scene* scene = KEEP(built_scene(context, f->backend, soups));
    tact_scene* twin = KEEP(new_scene(context));
    add_soups(twin, soups);
    const tact_backend other = f->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    const tact_backend backends[] = {TACT_BACKEND_CPU, f->backend, other};
    test_random r = test_random_seeded(36);
    assert_int_equal(tact_scene_catch_up(scene, 0), TACT_OK);
    for (int query = 0; query < QUERIES; ++query) {
        for (int turn = 0; turn < 6; ++turn) {
            const tact_backend backend = backends[turn % 3];
            const bool built = turn >= 3;
            if (!is_asked_of(query, backend)) continue;
            shake(&r, &soups[FIRST], 0.3f);
            for (int i = 0; i < 2; ++i) {
                tact_scene* const s = i == 0 ? scene : twin;
                move(s, FIRST, &soups[FIRST], built ? TACT_UPDATE_REBUILD : TACT_UPDATE_REFIT);
                assert_int_equal(tact_scene_commit(s), TACT_OK);
            }
            assert_true(scene->behind == (built ? TACT_SCENE_ELSEWHERE : TACT_SCENE_BEHIND));
            assert_true(scene->meshes[FIRST].absent == built && scene->meshes[FIRST].behind == !built);
            ask_with_shadow(scene, twin, &soups[FIRST], query, backend);
            if (query == DRAWN) assert_false(scene->behind & TACT_SCENE_ELSEWHERE);
            if (query != DRAWN && (backend != f->backend || query == LOCATE || query >= EDGES))
                assert_false(scene->behind);
            assert_false(twin->behind);
            // So that only what this is about is behind the next time.
            assert_int_equal(tact_scene_catch_up(scene, 0), TACT_OK);
        }
    }
}

/// Where meshes are is known of devices as of the CPU, to the bit.
TEST_AS(DEVICE_TEST, bounds_of_what_a_device_builds_or_fits)
{
    const device_fixture* f = *state;
    tact_context* context = KEEP(one_device_require(f->backend));
    soup* s = scratch(sizeof *s);
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        tact_scene* scenes[2];
        test_random r = test_random_seeded(60 + (uint64_t)kind);
        fill_soup(&r, (soup_kind)kind, 400, s);
        // Zeros of both signs at the edges.
        for (size_t i = 0; kind == LATTICE && i < 3 * s->vertices; ++i)
            s->positions[i] = s->positions[i] < 0.0f ? -0.0f : s->positions[i];
        const tact_mesh_desc desc = {.positions = s->positions,
                                     .vertex_count = s->vertices,
                                     .indices = s->indices,
                                     .triangle_count = s->triangles};
        for (int i = 0; i < 2; ++i) {
            scenes[i] = KEEP(new_scene(context));
            put_instance(scenes[i], put_mesh(scenes[i], &desc), NULL);
        }
        assert_int_equal(tact_scene_build_on(scenes[1], f->backend), TACT_OK);
        for (int frame = 0; frame < 3; ++frame) {
            for (int i = 0; i < 2; ++i) {
                if (frame > 0) move(scenes[i], 0, s, frame == 1 ? TACT_UPDATE_REFIT : TACT_UPDATE_REBUILD);
                assert_int_equal(tact_scene_commit(scenes[i]), TACT_OK);
            }
            assert_int_equal(scenes[1]->meshes[0].built_on, 1);
            assert_memory_equal(&scenes[0]->meshes[0].bounds, &scenes[1]->meshes[0].bounds, sizeof(tact_trace_bounds));
            tact_scene_stats stats[2];
            for (int i = 0; i < 2; ++i)
                assert_int_equal(tact_scene_get_stats(scenes[i], &stats[i]), TACT_OK);
            assert_memory_equal(stats[0].lower, stats[1].lower, sizeof stats[0].lower);
            assert_memory_equal(stats[0].upper, stats[1].upper, sizeof stats[0].upper);
            assert_true(stats[0].skipped_triangles == stats[1].skipped_triangles);
            shake(&r, s, 0.2f);
        }
    }
}

/// As if the device had been lost.
static void lose(tact_scene* scene, tact_backend backend)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    tact_ray ray = {0};
    tact_hit hit;
    ray.dz = 1.0f;
    tact_device_fail_launch(scene->context->devices[1], 1);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL), TACT_ERROR_DEVICE_LOST);
}

/// A tree that was on a device alone when that was lost.
TEST_AS(DEVICE_TEST, trees_that_are_lost_are_built_again)
{
    const device_fixture* f = *state;
    static const size_t sizes[] = {1, 4, 5, 32, 33, 255, 256, 257, 600};
    if (!f->device) skip_because("the device is missing");
    soup* soups = scratch(3 * sizeof *soups);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        tact_context* context = one_device_require(f->backend);
        tact_scene* scene = new_scene(context);
        assert_int_equal(tact_scene_build_on(scene, f->backend), TACT_OK);
        for (uint32_t m = 0; m < 3; ++m) {
            test_random r = test_random_seeded(70 + m);
            fill_soup(&r, m == 1 ? NEEDLES : BROKEN, m == 1 ? sizes[k] : 100, &soups[m]);
            const tact_mesh_desc desc = {.positions = soups[m].positions,
                                         .vertex_count = soups[m].vertices,
                                         .indices = soups[m].indices,
                                         .triangle_count = soups[m].triangles};
            put_instance(scene, put_mesh(scene, &desc), NULL);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_true(scene->meshes[1].absent);
        lose(scene, f->backend);
        assert_true(scene->meshes[1].absent);
        if (k % 3 == 2) {
            // Before it is asked for, another mesh is changed, and trees are to be built elsewhere.
            move(scene, 0, &soups[0], TACT_UPDATE_REFIT);
            assert_int_equal(tact_scene_build_on(scene, TACT_BACKEND_CPU), TACT_OK);
            assert_false(scene->meshes[1].absent || scene->meshes[1].built);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
        }
        for (uint32_t m = 0; m < 3; ++m)
            same_hits(scene, &soups[m], TACT_BACKEND_CPU, k);
        assert_false(scene->behind);
        assert_int_equal(scene->meshes[1].built_quality == TACT_MESH_MEDIUM, k % 3 == 2);
        // The next commit builds it with care.
        assert_int_equal(tact_scene_build_on(scene, TACT_BACKEND_CPU), TACT_OK);
        move(scene, 0, &soups[0], TACT_UPDATE_REFIT);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_int_equal(scene->meshes[1].built_quality, TACT_MESH_MEDIUM);
        for (uint32_t m = 0; m < 3; ++m)
            same_hits(scene, &soups[m], TACT_BACKEND_CPU, k);
        tact_scene_destroy(scene);
        tact_context_destroy(context);
    }
}

enum { THREADS = 6 };

typedef struct asker {
    tact_thread thread;
    tact_scene* scene;
    tact_backend backend;
    const tact_ray* rays;
    tact_result result;
    tact_hit hits[RAYS];
} asker;

static void ask_in_a_thread(void* user)
{
    asker* a = user;
    const tact_query_options options = {.backend = a->backend, .no_fallback = true};
    a->result = tact_raycast(a->scene, TACT_RAY_CLOSEST, a->rays, RAYS, a->hits, &options, NULL);
}

/// Of threads that ask the CPU and the device at once, one fits the trees in the scene's arrays.
TEST_AS(DEVICE_TEST, threads_that_ask_at_once_find_trees_as_they_are)
{
    const device_fixture* f = *state;
    tact_context* context = KEEP(one_device_require(f->backend));
    soup* soups = scratch(MESHES * sizeof *soups);
    asker* askers = scratch(THREADS * sizeof *askers);
    tact_scene* scene = built_scene(context, f->backend, soups);
    test_random r = test_random_seeded(37);
    for (int frame = 0; frame < 6; ++frame) {
        tact_ray rays[RAYS];
        shake(&r, &soups[SECOND], 0.3f);
        move(scene, SECOND, &soups[SECOND], frame % 2 ? TACT_UPDATE_REBUILD : TACT_UPDATE_REFIT);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_true(scene->meshes[SECOND].absent == (frame == 0 || frame % 2));
        const tact_trace_mesh mesh = view_of(&soups[SECOND]);
        for (int i = 0; i < RAYS; ++i)
            aim(&r, &mesh, soups[SECOND].vertices, &rays[i]);
        for (int i = 0; i < THREADS; ++i) {
            askers[i] = (asker){.scene = scene, .backend = i % 3 ? TACT_BACKEND_CPU : f->backend, .rays = rays};
            assert_true(tact_thread_start(&askers[i].thread, ask_in_a_thread, &askers[i]));
        }
        for (int i = 0; i < THREADS; ++i)
            tact_thread_join(&askers[i].thread);
        for (int i = 0; i < THREADS; ++i) {
            assert_int_equal(askers[i].result, TACT_OK);
            assert_memory_equal(askers[i].hits, askers[0].hits, sizeof askers[i].hits);
        }
        assert_false(scene->behind);
    }
    tact_scene_destroy(scene);
}

/// Where the device has no room the CPU fits, and the next time the device does again.
TEST_AS(DEVICE_TEST, scenes_without_room)
{
    const device_fixture* f = *state;
    tact_context* context = KEEP(one_device_require(f->backend));
    soup* soups = scratch(MESHES * sizeof *soups);
    test_random r = test_random_seeded(34);
    uint32_t failed = 0;
    for (uint32_t number = 1;; ++number) {
        tact_scene* scene = built_scene(context, f->backend, soups);
        bool fell = false;
        // As if there had been no room to keep it.
        assert_int_equal(tact_scene_fetch(scene), TACT_OK);
        tact_resident_release(&scene->meshes[BROKEN_ONE].fitter);
        scene->trace_meshes[BROKEN_ONE].device_tree = NULL;
        for (int frame = 0; frame < 2; ++frame) {
            shake(&r, &soups[BROKEN_ONE], 0.1f);
            move(scene, BROKEN_ONE, &soups[BROKEN_ONE], TACT_UPDATE_REFIT);
            if (frame == 0) tact_device_fail_buffer(context->devices[1], number);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            tact_device_fail_buffer(context->devices[1], 0);
            if (frame == 0) fell = scene->meshes[BROKEN_ONE].fitter.data == NULL;
            same_hits(scene, &soups[BROKEN_ONE], f->backend, number);
        }
        assert_non_null(scene->meshes[BROKEN_ONE].fitter.data);
        // A device that builds no more trees keeps nothing for them.
        assert_int_equal(tact_scene_build_on(scene, TACT_BACKEND_CPU), TACT_OK);
        assert_null(scene->meshes[BROKEN_ONE].fitter.data);
        move(scene, BROKEN_ONE, &soups[BROKEN_ONE], TACT_UPDATE_REFIT);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_null(scene->meshes[BROKEN_ONE].fitter.data);
        same_hits(scene, &soups[BROKEN_ONE], f->backend, number);
        tact_scene_destroy(scene);
        if (!fell) break;
        ++failed;
    }
    assert_int_equal(failed, 9);
}

/// Where the device has no room for a tree that it has built that is brought there when it moves.
TEST_AS(DEVICE_TEST, trees_without_room_are_not_kept)
{
    const device_fixture* f = *state;
    tact_context* context = KEEP(one_device_require(f->backend));
    soup* soups = scratch(MESHES * sizeof *soups);
    test_random r = test_random_seeded(35);
    uint32_t lost = 0, most = 1;
    for (uint32_t number = 0; number <= most; ++number) {
        tact_scene* scene = new_scene(context);
        assert_int_equal(tact_scene_build_on(scene, f->backend), TACT_OK);
        add_soups(scene, soups);
        const uint64_t before = tact_device_counted(context->devices[1]).allocations;
        tact_device_fail_buffer(context->devices[1], number);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        tact_device_fail_buffer(context->devices[1], 0);
        if (number == 0) most = (uint32_t)(tact_device_counted(context->devices[1]).allocations - before);
        for (uint32_t m = 0; m < MESHES; ++m) {
            const tact_scene_mesh* mesh = &scene->meshes[m];
            lost += mesh->built_on > 0 && !mesh->fitter.data;
            same_hits(scene, &soups[m], f->backend, number);
        }
        for (uint32_t m = 0; m < MESHES; ++m) {
            shake(&r, &soups[m], 0.1f);
            move(scene, m, &soups[m], TACT_UPDATE_REFIT);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (uint32_t m = 0; m < MESHES; ++m)
            same_hits(scene, &soups[m], f->backend, number);
        tact_scene_destroy(scene);
    }
    // Each of a tree's nine buffers, of each mesh.
    assert_int_equal(lost, 9 * MESHES);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
