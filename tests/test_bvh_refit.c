// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/threads.h"
#include "core/context/context.h"
#include "core/scene/scene.h"
#include "tests/support/device_fixture.h"
#include "tests/support/device_tree.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/quiet.h"

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

/// The area of a box, or half of it, to be exact.
static double area_of(const double side[3])
{
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/// What a tree costs: 1 for the root, and for each child its area, as a share of the root's, times what it costs.
static double cost_by_hand(const tact_bvh8* tree)
{
    double sum = 0.0, side[3];
    for (size_t i = 0; i < tree->node_count; ++i) {
        const tact_bvh8_node* n = &tree->nodes[i];
        for (int k = 0; k < TACT_BVH8_WIDTH && tact_bvh8_kind(n, k) != 0; ++k) {
            for (int axis = 0; axis < 3; ++axis)
                side[axis] = ldexp((double)(n->box[axis][1][k] - n->box[axis][0][k]), (int)n->exponent[axis] - 127);
            const uint32_t kind = tact_bvh8_kind(n, k);
            sum += area_of(side) * (kind == TACT_BVH8_INNER ? 1.0 : 0.4 + 0.1 * (double)kind);
        }
    }
    const tact_bvh_box all = tact_bvh8_bounds(&tree->nodes[0]);
    for (int k = 0; k < 3; ++k)
        side[k] = (double)all.upper[k] - (double)all.lower[k];
    return tree->count > 0 && area_of(side) > 0.0 ? 1.0 + sum / area_of(side) : 1.0;
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
                expect_ok(f, tact_tree_builder_refit(fitter, s->positions, &cost, &changed[1]));
                assert_int_equal(changed[0], changed[1]);
                if (changed[0]) break;
                tact_bvh8 twins[2];
                ++fitted;
                expect_ok(f, tact_tree_builder_read(maker, &twins[0], NULL));
                expect_ok(f, tact_tree_builder_read(fitter, &twins[1], NULL));
                assert_memory_equal(twins[0].nodes, twins[1].nodes, wide.node_count * sizeof *wide.nodes);
                for (int t = 0; t < 2; ++t) {
                    assert_true(twins[t].sah_cost == cost);
                    const double expected = cost_by_hand(&twins[t]);
                    if (!(fabs(cost - expected) <= 1e-5 * expected)) fail_msg("cost %g, expected %g", cost, expected);
                    tact_bvh8_free(&f->env, &twins[t]);
                }
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
    assert_int_equal(failed, 9);
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

static void cast_on(tact_scene* scene, const soup* s, tact_backend backend)
{
    tact_ray ray;
    tact_hit hit;
    test_random r = test_random_seeded(50);
    const tact_trace_mesh mesh = view_of(s);
    aim(&r, &mesh, s->vertices, &ray);
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL), TACT_OK);
}

enum { LOCATE = 4, TOUCH = 6, QUERIES };

/// What a part of a view along z touches.
static tact_result touch(tact_scene* scene, const tact_query_options* options)
{
    const tact_pick_view view = {
        .world_to_clip = {0.3f, 0, 0, 0, 0, 0.3f, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0, 1}, .width = 64, .height = 64};
    const tact_pick_region region = {.shape = TACT_PICK_RECTANGLE, .rectangle = {20, 20, 40, 44}};
    const tact_pick_options all = {.extent = TACT_PICK_TOUCHED, .group = TACT_PICK_BY_PRIMITIVE};
    size_t count = 0;
    const tact_pick_work work = {.view = &view, .region = &region, .options = &all, .count = &count};
    tact_picker* picker = NULL;
    assert_int_equal(tact_picker_create(scene->context, &picker), TACT_OK);
    const tact_result result = tact_pick_scene(picker, scene, &work, options, NULL);
    tact_picker_destroy(picker);
    assert_true(result != TACT_INCOMPLETE || count > 10);
    return result == TACT_INCOMPLETE ? TACT_OK : result;
}

/// Asks something of the scene, compared with the reference.
static void ask_with_shadow(tact_scene* scene, const soup* s, int query, tact_backend backend)
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
    if (query == TOUCH && backend == TACT_BACKEND_CPU) result = touch(scene, &options);
    if (result != TACT_OK)
        fail_msg("query %d on %s: %s", query, tact_backend_name(backend), tact_context_error(scene->context));
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

/// The soups in a scene whose trees the device builds.
static tact_scene* built_scene(tact_context* context, tact_backend device, soup* soups)
{
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_build_on(scene, device), TACT_OK);
    add_soups(scene, soups);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
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
    tact_scene* scene = built_scene(context, f->backend, soups);
    test_random r = test_random_seeded(33);
    for (uint32_t frame = 0; frame < 8; ++frame) {
        for (uint32_t m = 0; m < MESHES; ++m) {
            shake(&r, &soups[m], 0.2f);
            // The first one's tree is built again, or thrown about until it is, so that those behind it lie elsewhere.
            const tact_mesh_update first = frame == 5 ? TACT_UPDATE_REBUILD : TACT_UPDATE_AUTO;
            move(scene, m, &soups[m], m == FIRST ? first : TACT_UPDATE_REFIT);
        }
        const tact_device_counts before = tact_device_counted(context->devices[1]);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const tact_device_counts after = tact_device_counted(context->devices[1]);
        // A tree that is fitted stays there, but for what it costs, until the CPU is asked.
        if (frame != 5) assert_true(after.bytes_down - before.bytes_down <= MESHES * 512);
        assert_true(scene->behind && scene->meshes[SECOND].behind && tact_scene_fitted_on(scene, 1));
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
    tact_context_destroy(context);
}

/// Each query that reads trees in the scene's arrays, after a device has fitted them alone.
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
    const tact_backend other = f->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    const tact_backend backends[] = {TACT_BACKEND_CPU, f->backend, other};
    test_random r = test_random_seeded(36);
    for (int query = 0; query < QUERIES; ++query) {
        for (int b = 0; b < 3; ++b) {
            shake(&r, &soups[SECOND], 0.3f);
            move(scene, SECOND, &soups[SECOND], TACT_UPDATE_REFIT);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            assert_true(scene->behind != 0);
            ask_with_shadow(scene, &soups[SECOND], query, backends[b]);
            if (query == TOUCH && b > 0) continue;
            if (backends[b] != f->backend || query == LOCATE) assert_false(scene->behind);
        }
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
    if (!f->device) skip_because("the device is missing");
    tact_context* context = one_device_context(f->backend);
    assert_non_null(context);
    soup* soups = scratch(MESHES * sizeof *soups);
    asker* askers = scratch(THREADS * sizeof *askers);
    tact_scene* scene = built_scene(context, f->backend, soups);
    test_random r = test_random_seeded(37);
    for (int frame = 0; frame < 4; ++frame) {
        tact_ray rays[RAYS];
        shake(&r, &soups[SECOND], 0.3f);
        move(scene, SECOND, &soups[SECOND], TACT_UPDATE_REFIT);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
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
        tact_scene* scene = built_scene(context, f->backend, soups);
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
    assert_int_equal(failed, 9);
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
    // Each of a tree's nine buffers, of each mesh.
    assert_int_equal(lost, 9 * MESHES);
    tact_context_destroy(context);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
