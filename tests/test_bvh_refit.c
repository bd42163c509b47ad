// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/context/context.h"
#include "core/scene/scene.h"
#include "tests/support/device_fixture.h"
#include "tests/support/device_tree.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"

// Trees that devices fit to vertices which moved: what is taken over is fitted as by who built it; scenes whose meshes
// move answer as the definition says on every backend, whoever fitted their trees, and when that fails.

enum { METHODS = 2 };

static void shake(test_random* r, soup* s, float by)
{
    for (size_t i = 0; i < 3 * s->vertices; ++i) {
        // The sizes of things stay: what is tiny or out of range is still.
        const float p = s->positions[i];
        s->positions[i] = p + (fabsf(p) < 1e30f ? p : 0.0f) * by * test_random_signed(r);
    }
}

TEST_AS(DEVICE_TEST, trees_taken_over)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    static const size_t counts[] = {1, 2, 3, 4, 5, 9, 33, 600};
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(31);
    uint32_t fitted = 0;
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            const tact_tree_method method = c % 2 ? TACT_TREE_CLUSTERED : TACT_TREE_LINEAR;
            tact_tree_builder *maker, *fitter;
            expect_ok(f, tact_tree_builder_create(device, &maker));
            expect_ok(f, tact_tree_builder_create(device, &fitter));
            fill_soup(&r, (soup_kind)kind, counts[c], s);
            const tact_trace_mesh mesh = view_of(s);
            tact_bvh8 wide;
            expect_ok(f, tact_tree_builder_run(maker, &mesh, s->vertices, method, NULL));
            expect_ok(f, tact_tree_builder_read(maker, &wide, NULL));
            expect_ok(f, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide));
            // It is of no vertices yet.
            tact_bvh8 trial;
            double cost;
            expect_failure(device, tact_tree_builder_read(fitter, &trial, NULL), TACT_ERROR_INVALID_ARGUMENT);
            for (int frame = 0; frame < 2; ++frame) {
                shake(&r, s, 0.5f);
                bool changed[2];
                expect_ok(f, tact_tree_builder_refit(maker, s->positions, NULL, &changed[0]));
                expect_ok(f, tact_tree_builder_refit(fitter, s->positions, wide.nodes, &changed[1]));
                assert_int_equal(changed[0], changed[1]);
                if (changed[0]) break;
                tact_bvh8 twin;
                ++fitted;
                expect_ok(f, tact_tree_builder_read(maker, &twin, NULL));
                expect_ok(f, tact_tree_builder_cost(fitter, 2, wide.nodes, &cost));
                assert_memory_equal(twin.nodes, wide.nodes, wide.node_count * sizeof *wide.nodes);
                assert_true(twin.sah_cost == cost && cost >= 1.0);
                tact_bvh8_free(&f->env, &twin);
                read_and_check(f, fitter, s, c);
            }
            tact_bvh8_free(&f->env, &wide);
            tact_tree_builder_destroy(maker);
            tact_tree_builder_destroy(fitter);
        }
    }
    assert_true(fitted > SOUP_KINDS * 8);
}

/// Of so many triangles clusters are joined in rounds, before one group joins the rest. Small, for oclgrind.
TEST_AS(DEVICE_TEST, a_tree_is_put_among_others)
{
    enum { COUNT = 560, FIRST_NODE = 3, FIRST_SLOT = 8 };
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(41);
    tact_tree_builder* build;
    tact_buffer *nodes = NULL, *triangles = NULL;
    tact_bvh8 wide;
    expect_ok(f, tact_tree_builder_create(device, &build));
    fill_soup(&r, SMOOTH, COUNT, s);
    const tact_trace_mesh mesh = view_of(s);
    expect_ok(f, tact_tree_builder_run(build, &mesh, s->vertices, TACT_TREE_CLUSTERED, &wide));
    const size_t node_bytes = wide.node_count * sizeof *wide.nodes, slot_bytes = (size_t)wide.slot_count * 48;
    expect_ok(f, tact_buffer_create(device, node_bytes + (FIRST_NODE + 1) * sizeof *wide.nodes, NULL, &nodes));
    expect_ok(f, tact_buffer_create(device, slot_bytes + (FIRST_SLOT + 1) * 48, NULL, &triangles));
    expect_ok(f, tact_buffer_fill(nodes, 0, tact_buffer_size(nodes), 0x5a5a5a5a));
    expect_ok(f, tact_buffer_fill(triangles, 0, tact_buffer_size(triangles), 0x5a5a5a5a));
    expect_ok(f, tact_tree_builder_put(build, nodes, FIRST_NODE, triangles, FIRST_SLOT));
    uint8_t* back = scratch(tact_buffer_size(nodes));
    expect_ok(f, tact_buffer_read(nodes, 0, back, tact_buffer_size(nodes)));
    // Those before and behind are left alone; children and slots count from where the tree was put.
    for (size_t i = 0; i < FIRST_NODE * sizeof *wide.nodes; ++i)
        assert_int_equal(back[i], 0x5a);
    for (size_t i = 0; i < sizeof *wide.nodes; ++i)
        assert_int_equal(back[FIRST_NODE * sizeof *wide.nodes + node_bytes + i], 0x5a);
    const tact_bvh8_node* put = (const tact_bvh8_node*)(const void*)back + FIRST_NODE;
    for (uint32_t i = 0; i < wide.node_count; ++i) {
        tact_bvh8_node expected = wide.nodes[i];
        expected.node += FIRST_NODE;
        expected.slot += FIRST_SLOT;
        assert_memory_equal(&put[i], &expected, sizeof expected);
    }
    float* slots = scratch(tact_buffer_size(triangles));
    expect_ok(f, tact_buffer_read(triangles, 0, slots, tact_buffer_size(triangles)));
    for (uint32_t i = 0; i < wide.slot_count; ++i) {
        const uint32_t t = wide.order[i];
        if (t == TACT_NONE) continue;
        assert_memory_equal(slots + 12 * ((size_t)FIRST_SLOT + i) + 3, &t, sizeof t);
        for (int corner = 0; corner < 3; ++corner)
            assert_memory_equal(slots + 12 * ((size_t)FIRST_SLOT + i) + 4 * (size_t)corner,
                                s->positions + 3 * (size_t)s->indices[3 * t + (uint32_t)corner], 12);
    }
    tact_buffer_destroy(nodes);
    tact_buffer_destroy(triangles);
    tact_bvh8_free(&f->env, &wide);
    tact_tree_builder_destroy(build);
}

TEST_AS(DEVICE_TEST, trees_that_cannot_be_taken_over)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(32);
    fill_soup(&r, SMOOTH, 300, s);
    const tact_trace_mesh mesh = view_of(s);
    tact_tree_builder *maker, *fitter;
    tact_bvh8 wide;
    bool changed;
    expect_ok(f, tact_tree_builder_create(device, &maker));
    expect_ok(f, tact_tree_builder_run(maker, &mesh, s->vertices, TACT_TREE_CLUSTERED, NULL));
    expect_ok(f, tact_tree_builder_read(maker, &wide, NULL));
    tact_tree_builder_destroy(maker);
    expect_ok(f, tact_tree_builder_create(device, &fitter));
    ++wide.nodes[0].node;
    expect_failure(device, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide), TACT_ERROR_UNSUPPORTED);
    expect_failure(device, tact_tree_builder_refit(fitter, s->positions, NULL, &changed), TACT_ERROR_INVALID_ARGUMENT);
    --wide.nodes[0].node;
    --wide.node_count;
    expect_failure(device, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide), TACT_ERROR_UNSUPPORTED);
    ++wide.node_count;
    tact_tree_builder_destroy(fitter);
    uint32_t failed = 0;
    for (uint32_t number = 1;; ++number) {
        expect_ok(f, tact_tree_builder_create(device, &fitter));
        tact_device_fail_buffer(device, number);
        const tact_result result = tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide);
        tact_device_fail_buffer(device, 0);
        if (result != TACT_OK) {
            expect_failure(device, result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            ++failed;
            expect_failure(device, tact_tree_builder_refit(fitter, s->positions, NULL, &changed),
                           TACT_ERROR_INVALID_ARGUMENT);
            expect_ok(f, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide));
        }
        expect_ok(f, tact_tree_builder_refit(fitter, s->positions, NULL, &changed));
        read_and_check(f, fitter, s, 3);
        tact_tree_builder_destroy(fitter);
        if (result == TACT_OK) break;
    }
    assert_int_equal(failed, 8);
    tact_bvh8_free(&f->env, &wide);
}

/// Rays at a mesh hit the same on every backend that there is, in every mode.
static void same_hits(tact_scene* scene, const soup* s, tact_backend device, uint64_t seed)
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

enum { FIRST = 0, SECOND = 1, BROKEN_ONE = 2, MESHES = 3 };

static void add_soups(tact_scene* scene, soup* soups)
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

static void move(tact_scene* scene, uint32_t mesh, const soup* s, tact_mesh_update update)
{
    assert_int_equal(tact_scene_update_mesh(scene, mesh, s->positions, 0, update), TACT_OK);
}

TEST_AS(DEVICE_TEST, scenes_that_a_device_fits)
{
    const device_fixture* f = *state;
    if (!f->device) skip_because("the device is missing");
    tact_context* context = one_device_context(f->backend);
    assert_non_null(context);
    soup* soups = scratch(MESHES * sizeof *soups);
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_build_on(scene, f->backend), TACT_OK);
    add_soups(scene, soups);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    test_random r = test_random_seeded(33);
    for (uint32_t frame = 0; frame < 8; ++frame) {
        for (uint32_t m = 0; m < MESHES; ++m) {
            shake(&r, &soups[m], 0.2f);
            // The first one's tree is built again, or thrown about until it is, so that those behind it lie elsewhere.
            const tact_mesh_update first = frame == 5 ? TACT_UPDATE_REBUILD : TACT_UPDATE_AUTO;
            move(scene, m, &soups[m], m == FIRST ? first : TACT_UPDATE_REFIT);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (uint32_t m = 0; m < MESHES; ++m)
            same_hits(scene, &soups[m], f->backend, frame);
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
    tact_context_destroy(context);
}

/// Where the device has no room the CPU fits, and the next time the device does again.
TEST_AS(DEVICE_TEST, scenes_without_room)
{
    const device_fixture* f = *state;
    if (!f->device) skip_because("the device is missing");
    tact_context* context = one_device_context(f->backend);
    assert_non_null(context);
    soup* soups = scratch(MESHES * sizeof *soups);
    test_random r = test_random_seeded(34);
    uint32_t failed = 0;
    for (uint32_t number = 1;; ++number) {
        tact_scene* scene = new_scene(context);
        assert_int_equal(tact_scene_build_on(scene, f->backend), TACT_OK);
        add_soups(scene, soups);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        bool fell = false;
        // As if there had been no room to keep it.
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
    assert_int_equal(failed, 8);
    tact_context_destroy(context);
}

/// Where the device has no room for a tree that it has built that is brought there when it moves.
TEST_AS(DEVICE_TEST, trees_without_room_are_not_kept)
{
    const device_fixture* f = *state;
    if (!f->device) skip_because("the device is missing");
    tact_context* context = one_device_context(f->backend);
    assert_non_null(context);
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
    // Each of a tree's eight buffers, of each mesh.
    assert_int_equal(lost, 8 * MESHES);
    tact_context_destroy(context);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
