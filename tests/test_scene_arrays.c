// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/threads.h"
#include "tests/support/caller.h"
#include "tests/support/fitted_scene.h"
#include "tests/support/meshes.h"
#include "tests/support/recorded_file.h"

// Vertices of scenes that come from the caller's buffers: where a device fits trees they stay there, nothing goes up,
// and every query finds them as it finds those that come from the host.

/// A scene of the caller's context whose vertices come from its buffer, and one like it whose come from the host.
typedef struct pair {
    caller* c;
    soup* soups;
    tact_scene *scene, *twin;
    test_random random;
} pair;

static pair begin(void** state)
{
    pair p = {.c = caller_require(state), .soups = scratch(MESHES * sizeof *p.soups)};
    p.random = test_random_seeded(80);
    p.scene = KEEP(built_scene(p.c->context, p.c->backend, p.soups));
    p.twin = KEEP(new_scene(p.c->context));
    add_soups(p.twin, p.soups);
    assert_int_equal(tact_scene_commit(p.twin), TACT_OK);
    return p;
}

/// An array of a soup's vertices, `stride` bytes apart, with other things between and before them.
static tact_device_array array_of(caller* c, const soup* s, size_t stride, size_t offset)
{
    const size_t bytes = s->vertices * stride;
    char* rows = malloc(bytes);
    memset(rows, 0x7f, bytes);
    for (size_t i = 0; i < s->vertices; ++i)
        memcpy(rows + i * stride, s->positions + 3 * i, 12);
    // Not a byte behind the last vertex is needed.
    tact_device_array array = caller_make_array(c, offset + bytes - stride + 12, offset);
    caller_write_array(c, &array, rows, bytes - stride + 12);
    free(rows);
    return array;
}

static void move_both(pair* p, uint32_t mesh, size_t stride, size_t offset, tact_mesh_update update)
{
    soup* s = &p->soups[mesh];
    shake(&p->random, s, 0.2f);
    const tact_device_array array = array_of(p->c, s, stride, offset);
    assert_int_equal(tact_scene_update_mesh_device(p->scene, mesh, &array, stride == 12 ? 0 : stride, update), TACT_OK);
    move(p->twin, mesh, s, update);
}

static void commit_both(pair* p)
{
    assert_int_equal(tact_scene_commit(p->scene), TACT_OK);
    assert_int_equal(tact_scene_commit(p->twin), TACT_OK);
}

static bool flushes(const pair* p)
{
    return tact_context_describe(p->c->context, 1)->probe.flushes_subnormals;
}

/// Rays cast where the vertices are hit what they hit in the twin.
static void hits_are_the_twins(pair* p, uint32_t mesh)
{
    const tact_query_options device = {.backend = p->c->backend, .no_fallback = true},
                             reference = {.backend = TACT_BACKEND_REFERENCE};
    tact_ray rays[RAYS];
    tact_hit hits[RAYS], expected[RAYS];
    const tact_trace_mesh view = view_of(&p->soups[mesh]);
    for (int i = 0; i < RAYS; ++i)
        aim(&p->random, &view, p->soups[mesh].vertices, &rays[i]);
    assert_int_equal(tact_raycast(p->scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &device, NULL), TACT_OK);
    assert_int_equal(tact_raycast(p->twin, TACT_RAY_CLOSEST, rays, RAYS, expected, &reference, NULL), TACT_OK);
    assert_memory_equal(hits, expected, sizeof hits);
}

/// Small, for an interpreter of kernels.
TEST_AS(ON_BOTH, vertices_at_any_stride)
{
    pair p = begin(state);
    static const struct {
        size_t stride, offset;
        tact_mesh_update update;
    } ways[] = {{12, 0, TACT_UPDATE_REFIT},  {12, 64, TACT_UPDATE_REBUILD},  {16, 4, TACT_UPDATE_REFIT},
                {32, 0, TACT_UPDATE_AUTO},   {20, 100, TACT_UPDATE_REBUILD}, {12, 4, TACT_UPDATE_AUTO},
                {4000, 8, TACT_UPDATE_REFIT}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        move_both(&p, SECOND, ways[i].stride, ways[i].offset, ways[i].update);
        assert_int_equal(p.scene->meshes[SECOND].away, !flushes(&p));
        commit_both(&p);
        hits_are_the_twins(&p, SECOND);
        assert_int_equal(p.scene->meshes[SECOND].away, !flushes(&p));
        assert_memory_equal(&p.scene->meshes[SECOND].bounds, &p.twin->meshes[SECOND].bounds, sizeof(tact_trace_bounds));
    }
}

TEST_AS(ON_BOTH, nothing_goes_up)
{
    pair p = begin(state);
    if (flushes(&p)) skip_because("the device flushes subnormal numbers");
    tact_device_counts before, after;
    for (int frame = 0; frame < 8; ++frame) {
        for (uint32_t m = 0; m < MESHES; ++m) {
            if (frame < 5) shake(&p.random, &p.soups[m], 0.1f);
            move(p.twin, m, &p.soups[m], TACT_UPDATE_REFIT);
        }
        const tact_device_array arrays[MESHES] = {array_of(p.c, &p.soups[0], 12, 0), array_of(p.c, &p.soups[1], 24, 8),
                                                  array_of(p.c, &p.soups[2], 16, 0)};
        static const size_t strides[MESHES] = {12, 24, 16};
        assert_int_equal(tact_context_device_counts(p.c->context, p.c->backend, &before), TACT_OK);
        for (uint32_t m = 0; m < MESHES; ++m) {
            const tact_mesh_update update = frame < 4 ? TACT_UPDATE_REFIT : TACT_UPDATE_REBUILD;
            assert_int_equal(tact_scene_update_mesh_device(p.scene, m, &arrays[m], strides[m], update), TACT_OK);
        }
        assert_int_equal(tact_context_device_counts(p.c->context, p.c->backend, &after), TACT_OK);
        assert_int_equal(after.waits, before.waits);
        assert_int_equal(tact_scene_commit(p.scene), TACT_OK);
        assert_int_equal(tact_context_device_counts(p.c->context, p.c->backend, &after), TACT_OK);
        // Rooms grow by half where a tree is larger than the last one.
        if ((frame > 1 && frame < 4) || frame > 5) assert_int_equal(after.allocations, before.allocations);
        assert_int_equal(after.bytes_up, before.bytes_up);
        assert_int_equal(tact_scene_commit(p.twin), TACT_OK);
        for (uint32_t m = 0; m < MESHES; ++m)
            hits_are_the_twins(&p, m);
        assert_true(tact_scene_fitted_on(p.scene, 1));
    }
}

TEST_AS(ON_BOTH, whatever_is_asked_finds_them)
{
    pair p = begin(state);
    const tact_backend backends[2] = {TACT_BACKEND_CPU, p.c->backend};
    for (int query = 0; query < QUERIES; ++query) {
        for (int turn = 0; turn < 4; ++turn) {
            const tact_backend backend = backends[turn % 2];
            if (!is_asked_of(query, backend)) continue;
            move_both(&p, FIRST, 16, 0, turn < 2 ? TACT_UPDATE_REFIT : TACT_UPDATE_REBUILD);
            commit_both(&p);
            ask_with_shadow(p.scene, p.twin, &p.soups[FIRST], query, backend);
            if (query == LEVELS) assert_int_equal(tact_scene_fetch(p.scene), TACT_OK);
            // The reference has asked for them at the latest.
            assert_false(p.scene->meshes[FIRST].away);
            assert_memory_equal(p.scene->meshes[FIRST].positions, p.soups[FIRST].positions,
                                p.soups[FIRST].vertices * 12);
        }
    }
}

TEST_AS(ON_GL, pick_targets_draw_them)
{
    pair p = begin(state);
    const tact_pick_view view = {
        .world_to_clip = {0.3f, 0, 0, 0, 0, 0.3f, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0, 1}, .width = 64, .height = 64};
    const tact_pick_region region = {.shape = TACT_PICK_RECTANGLE, .rectangle = {0, 0, 64, 64}};
    const tact_pick_target_desc desc = {.width = 64, .height = 64};
    tact_scene* const scenes[2] = {p.scene, p.twin};
    static tact_pick picks[2][MOST_TRIANGLES];
    size_t counts[2];
    move_both(&p, FIRST, 12, 0, TACT_UPDATE_REBUILD);
    commit_both(&p);
    for (int i = 0; i < 2; ++i) {
        tact_pick_target* target = NULL;
        assert_int_equal(tact_pick_target_create(p.c->context, &desc, &target), TACT_OK);
        assert_int_equal(tact_pick_target_draw(target, scenes[i], &view, 1), TACT_OK);
        assert_int_equal(
            tact_pick_target_query(target, &region, TACT_PICK_BY_PRIMITIVE, picks[i], MOST_TRIANGLES, &counts[i]),
            TACT_OK);
        tact_pick_target_destroy(target);
    }
    assert_true(counts[0] > 10 && counts[0] == counts[1]);
    assert_memory_equal(picks[0], picks[1], counts[0] * sizeof picks[0][0]);
}

/// Only where a device fits trees and has this one do vertices stay; elsewhere they are read at once.
TEST_AS(ON_BOTH, elsewhere_they_are_read_at_once)
{
    pair p = begin(state);
    // Before the mesh's tree has been built; without a device; of no triangle at all.
    tact_scene* scene = KEEP(new_scene(p.c->context));
    soup* s = &p.soups[SECOND];
    const tact_mesh_desc desc = {
        .positions = s->positions, .vertex_count = s->vertices, .indices = s->indices, .triangle_count = s->triangles};
    const uint32_t mesh = put_mesh(scene, &desc);
    put_instance(scene, mesh, NULL);
    for (int way = 0; way < 3; ++way) {
        if (way == 1) assert_int_equal(tact_scene_build_on(scene, p.c->backend), TACT_OK);
        shake(&p.random, s, 0.1f);
        const tact_device_array array = array_of(p.c, s, way == 2 ? 28 : 12, 16);
        assert_int_equal(tact_scene_update_mesh_device(scene, mesh, &array, way == 2 ? 28 : 12, TACT_UPDATE_REBUILD),
                         TACT_OK);
        // The last time the device has the tree.
        assert_int_equal(scene->meshes[mesh].away, way == 2 && !flushes(&p));
        if (way < 2) assert_memory_equal(scene->meshes[mesh].positions, s->positions, s->vertices * 12);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        // Trees stay where any thread may ask for them.
        const bool stays = way == 2 ? !flushes(&p) || p.c->backend == TACT_BACKEND_CL : p.c->backend == TACT_BACKEND_CL;
        assert_int_equal(scene->meshes[mesh].absent, way > 0 && stays);
        same_hits(scene, s, p.c->backend, (uint64_t)way);
    }
    const uint32_t nothing = put_mesh(scene, &(tact_mesh_desc){0});
    const tact_device_array none = {.backend = p.c->backend};
    assert_int_equal(tact_scene_update_mesh_device(scene, nothing, NULL, 0, TACT_UPDATE_AUTO), TACT_OK);
    assert_int_equal(tact_scene_update_mesh_device(scene, nothing, &none, 0, TACT_UPDATE_AUTO), TACT_OK);
    // The host's take their place, and what is set twice before a commit counts once.
    move_both(&p, FIRST, 12, 0, TACT_UPDATE_REFIT);
    move(p.scene, FIRST, &p.soups[FIRST], TACT_UPDATE_REFIT);
    assert_false(p.scene->meshes[FIRST].away);
    move_both(&p, FIRST, 12, 0, TACT_UPDATE_REFIT);
    commit_both(&p);
    hits_are_the_twins(&p, FIRST);
    // Trees that are built elsewhere from now on are built of them.
    assert_int_equal(tact_scene_build_on(p.scene, TACT_BACKEND_CPU), TACT_OK);
    assert_false(p.scene->behind & TACT_SCENE_ELSEWHERE);
    hits_are_the_twins(&p, FIRST);
    same_hits(p.scene, &p.soups[FIRST], p.c->backend, 9);
}

/// A triangle that leaves the range, and comes back: the tree is built anew of what is there.
TEST_AS(ON_BOTH, trees_are_built_again_there)
{
    pair p = begin(state);
    soup* s = &p.soups[SECOND];
    const size_t at = 3 * (size_t)s->indices[30];
    const float was = s->positions[at];
    for (int frame = 0; frame < 4; ++frame) {
        s->positions[at] = frame % 2 ? was : INFINITY;
        move_both(&p, SECOND, 12, 0, TACT_UPDATE_REFIT);
        commit_both(&p);
        assert_int_equal(p.scene->meshes[SECOND].bounds.kept, p.twin->meshes[SECOND].bounds.kept);
        assert_int_equal(p.scene->meshes[SECOND].built_on, 1);
        assert_int_equal(p.scene->meshes[SECOND].away, !flushes(&p));
        hits_are_the_twins(&p, SECOND);
    }
}

TEST_AS(ON_BOTH, meshes_are_added_from_buffers)
{
    pair p = begin(state);
    tact_scene* scene = KEEP(new_scene(p.c->context));
    for (uint32_t m = 0; m < MESHES; ++m) {
        const size_t stride = 12 + 8 * m;
        const soup* s = &p.soups[m];
        const tact_device_array array = array_of(p.c, s, stride, 4 * m);
        const tact_mesh_desc desc = {.device_positions = &array,
                                     .vertex_count = s->vertices,
                                     .position_stride = stride,
                                     .indices = s->indices,
                                     .triangle_count = s->triangles};
        put_instance(scene, put_mesh(scene, &desc), NULL);
        assert_memory_equal(scene->meshes[m].positions, s->positions, s->vertices * 12);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    same_hits(scene, &p.soups[FIRST], p.c->backend, 4);
    const tact_device_array small = caller_make_array(p.c, 100, 0);
    tact_mesh_desc desc = {.device_positions = &small, .vertex_count = 9, .triangle_count = 3};
    uint32_t id = 0;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &id), TACT_ERROR_INVALID_ARGUMENT);
    desc.positions = p.soups[0].positions;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &id), TACT_ERROR_INVALID_ARGUMENT);
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_true(stats.meshes == MESHES);
}

TEST_AS(ON_BOTH, wrong_calls_are_refused)
{
    pair p = begin(state);
    const tact_device_array array = array_of(p.c, &p.soups[FIRST], 12, 0);
    tact_device_array other = array;
    tact_mesh* attached = KEEP(new_mesh(p.c->context, &(tact_mesh_desc){0}));
    const tact_sphere ball = {.radius = 1.0f};
    uint32_t of_mesh = 0, of_shapes = 0;
    assert_int_equal(tact_scene_attach_mesh(p.scene, attached, &of_mesh), TACT_OK);
    assert_int_equal(tact_scene_add_spheres(p.scene, &ball, 1, &of_shapes), TACT_OK);
    assert_int_equal(tact_scene_commit(p.scene), TACT_OK);
#define REFUSED(scene, mesh, array, stride, update) \
    assert_int_equal(tact_scene_update_mesh_device(scene, mesh, array, stride, update), TACT_ERROR_INVALID_ARGUMENT)
    REFUSED(NULL, FIRST, &array, 0, TACT_UPDATE_AUTO);
    REFUSED(p.scene, 99, &array, 0, TACT_UPDATE_AUTO);
    REFUSED(p.scene, FIRST, NULL, 0, TACT_UPDATE_AUTO);
    REFUSED(p.scene, FIRST, &array, 10, TACT_UPDATE_AUTO);
    REFUSED(p.scene, FIRST, &array, 8, TACT_UPDATE_AUTO);
    REFUSED(p.scene, FIRST, &array, 16, TACT_UPDATE_AUTO);  // it ends too early
    REFUSED(p.scene, FIRST, &array, 0, (tact_mesh_update)3);
    REFUSED(p.scene, of_mesh, &array, 0, TACT_UPDATE_AUTO);
    REFUSED(p.scene, of_shapes, &array, 0, TACT_UPDATE_AUTO);
    other.backend = TACT_BACKEND_CPU;
    REFUSED(p.scene, FIRST, &other, 0, TACT_UPDATE_AUTO);
    other.backend = p.c->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    REFUSED(p.scene, FIRST, &other, 0, TACT_UPDATE_AUTO);
    other = array;
    other.offset = 2;
    REFUSED(p.scene, FIRST, &other, 0, TACT_UPDATE_AUTO);
    other.offset = 16;
    REFUSED(p.scene, FIRST, &other, 0, TACT_UPDATE_AUTO);
#undef REFUSED
    // The scene is as before, and committed.
    assert_true(p.scene->committed && !p.scene->meshes[FIRST].away);
    hits_are_the_twins(&p, FIRST);
}

enum { RECORDS = 16 };

static int record_setup_gl(void** state)
{
    return caller_setup(state, TACT_BACKEND_GL, RECORDS);
}

static int record_setup_cl(void** state)
{
    return caller_setup(state, TACT_BACKEND_CL, RECORDS);
}

#define RECORDED(name)                                              \
    {#name " (gl)", name, record_setup_gl, caller_teardown, NULL},  \
    {                                                               \
#name " (cl)", name, record_setup_cl, caller_teardown, NULL \
    }

/// A recorded query has the vertices that it was asked with.
TEST_AS(RECORDED, records_have_them)
{
    pair p = begin(state);
    const char* path = "test_scene_arrays.record";
    move_both(&p, FIRST, 12, 0, TACT_UPDATE_REFIT);
    commit_both(&p);
    tact_record_clear(p.c->context);
    hits_are_the_twins(&p, FIRST);
    assert_int_equal(tact_record_save(p.c->context, path), TACT_OK);
    tact_context* reader = KEEP(new_context(&(tact_context_desc){.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE}));
    tact_recording* recording = read_recorded(path, reader);
    tact_recorded_mesh mesh;
    assert_true(tact_recording_mesh(recording, 0, FIRST, &mesh));
    assert_int_equal(mesh.vertex_count, p.soups[FIRST].vertices);
    assert_memory_equal(mesh.positions, p.soups[FIRST].positions, mesh.vertex_count * 12);
}

typedef struct asker {
    tact_thread thread;
    tact_scene* scene;
    tact_result result;
} asker;

static void ask_the_cpu(void* user)
{
    asker* a = user;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
    const tact_ray ray = {0, 0, -5, 0, 0, 0, 1, 100};
    tact_hit hit;
    a->result = tact_raycast(a->scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL);
}

/// An OpenGL context is that of a thread: another one gets UNSUPPORTED, until its own has read what is there.
TEST_AS(ON_BOTH, other_threads_ask_for_them)
{
    pair p = begin(state);
    const bool of_thread = p.c->backend == TACT_BACKEND_GL && !flushes(&p);
    for (int frame = 0; frame < 2; ++frame) {
        move_both(&p, FIRST, 12, 0, frame ? TACT_UPDATE_REBUILD : TACT_UPDATE_REFIT);
        commit_both(&p);
        for (int turn = 0; turn < 2; ++turn) {
            asker a = {.scene = p.scene};
            assert_true(tact_thread_start(&a.thread, ask_the_cpu, &a));
            tact_thread_join(&a.thread);
            assert_int_equal(a.result, of_thread && turn == 0 ? TACT_ERROR_UNSUPPORTED : TACT_OK);
            if (turn == 0) assert_int_equal(tact_scene_fetch(p.scene), TACT_OK);
        }
    }
}

/// Where the device has no room for what building takes the CPU builds, of the vertices that are there.
TEST_AS(ON_BOTH, without_room_they_are_not_lost)
{
    caller* c = caller_require(state);
    uint32_t fell = 0;
    for (uint32_t number = 1;; ++number) {
        pair p = begin(state);
        soup* s = &p.soups[SECOND];
        bool here = false;
        for (int frame = 0; frame < 3; ++frame) {
            move_both(&p, SECOND, 12, 0, TACT_UPDATE_REFIT);
            // The builder has room for its last mesh, unless it is gone.
            tact_resident_release(&p.scene->kept[TACT_SCENE_BUILDER][1]);
            if (frame == 1) {
                s->positions[3 * (size_t)s->indices[30]] = NAN;
                move_both(&p, SECOND, 16, 0, TACT_UPDATE_REFIT);
                tact_device_fail_buffer(c->context->devices[1], number);
            }
            assert_int_equal(tact_scene_commit(p.scene), TACT_OK);
            tact_device_fail_buffer(c->context->devices[1], 0);
            assert_int_equal(tact_scene_commit(p.twin), TACT_OK);
            if (frame == 1) here = !p.scene->meshes[SECOND].away && !flushes(&p);
            hits_are_the_twins(&p, SECOND);
        }
        same_hits(p.scene, s, c->backend, number);
        if (!here) break;
        ++fell;
    }
    assert_true(fell > 20 || flushes(&(pair){.c = c}));
}

/// Where it has no room for the tree that it has built, which takes more than the one it had, that is read.
TEST_AS(ON_BOTH, trees_without_room_are_read)
{
    caller* c = caller_require(state);
    uint32_t fell = 0;
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(90);
    for (uint32_t number = 1;; ++number) {
        tact_scene* scene = new_scene(c->context);
        fill_soup(&r, SMOOTH, MOST_TRIANGLES, s);
        // At first most is out of range.
        soup* part = scratch(sizeof *part);
        *part = *s;
        for (size_t i = 60; i < 3 * s->vertices; ++i)
            part->positions[i] = NAN;
        const tact_mesh_desc desc = {.positions = part->positions,
                                     .vertex_count = s->vertices,
                                     .indices = s->indices,
                                     .triangle_count = s->triangles};
        put_instance(scene, put_mesh(scene, &desc), NULL);
        assert_int_equal(tact_scene_build_on(scene, c->backend), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const tact_device_array array = array_of(c, s, 12, 0);
        assert_int_equal(tact_scene_update_mesh_device(scene, 0, &array, 0, TACT_UPDATE_REFIT), TACT_OK);
        tact_device_fail_buffer(c->context->devices[1], number);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        tact_device_fail_buffer(c->context->devices[1], 0);
        const bool kept = scene->meshes[0].fitter.data != NULL;
        assert_int_equal(scene->meshes[0].built_on, 1);
        fell += !kept;
        same_hits(scene, s, c->backend, number);
        tact_scene_destroy(scene);
        if (kept && fell > 0) break;
        if (number > 20) break;
    }
    assert_true(fell >= 3);
}

/// What is on a device that is lost is lost, and calls say so until it is set again.
TEST_AS(ON_BOTH, lost_with_their_device)
{
    pair p = begin(state);
    if (flushes(&p)) skip_because("the device flushes subnormal numbers");
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
    const tact_query_options device = {.backend = p.c->backend, .no_fallback = true};
    const tact_ray ray = {0, 0, -5, 0, 0, 0, 1, 100};
    tact_hit hit;
    move_both(&p, FIRST, 12, 0, TACT_UPDATE_REBUILD);
    commit_both(&p);
    tact_device_fail_launch(p.c->context->devices[1], 1);
    assert_int_equal(tact_raycast(p.scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &device, NULL), TACT_ERROR_DEVICE_LOST);
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(tact_raycast(p.scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &cpu, NULL), TACT_ERROR_DEVICE_LOST);
        assert_int_equal(tact_scene_build_on(p.scene, TACT_BACKEND_CPU), TACT_ERROR_DEVICE_LOST);
    }
    move(p.scene, FIRST, &p.soups[FIRST], TACT_UPDATE_REFIT);
    assert_int_equal(tact_scene_commit(p.scene), TACT_OK);
    for (uint32_t m = 0; m < MESHES; ++m)
        same_hits(p.scene, &p.soups[m], TACT_BACKEND_CPU, m);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
