// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// One description of a triangle mesh, taken and refused alike by all that take one.

#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

static const float square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};

// ---- The description ----

static tact_result to_scene(const tact_mesh_desc* desc)
{
    uint32_t id = 0;
    return tact_scene_add_mesh(KEEP(new_scene(context)), desc, &id);
}

static tact_result to_mesh(const tact_mesh_desc* desc)
{
    tact_mesh* mesh = NULL;
    const tact_result result = tact_mesh_create(context, desc, &mesh);
    tact_mesh_destroy(mesh);
    return result;
}

static tact_result to_particles(const tact_mesh_desc* desc)
{
    const tact_particles_desc particles = {.max_radius = 1.0f};
    return tact_particles_add_mesh(KEEP(new_particles(context, &particles)), desc, NULL, 0, NULL);
}

static tact_result to_filter(const tact_mesh_desc* desc)
{
    const tact_filter_object object = {0, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    size_t count = 0;
    return call_filter_meshes(KEEP(new_filter(context)), desc, 1, &object, 1, NULL, NULL, 0, &count, NULL, NULL, NULL);
}

static tact_result (*const takers[])(const tact_mesh_desc*) = {to_scene, to_mesh, to_particles, to_filter};
enum { TAKERS = sizeof takers / sizeof *takers };

TEST(a_description_is_taken_by_all)
{
    const tact_mesh_desc good[] = {
        {.positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2},
        {.positions = square, .vertex_count = 4, .triangle_count = 1},
        {.positions = square, .vertex_count = 3, .position_stride = 16, .triangle_count = 1},
        {.positions = square, .vertex_count = 4},
        {0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        for (size_t k = 0; k < TAKERS; ++k) {
            if (takers[k](&good[i]) != TACT_OK) fail_msg("%zu by %zu: %s", i, k, tact_context_error(context));
        }
    }
}

TEST(a_description_is_refused_by_all_with_one_detail)
{
    static const uint32_t past[6] = {0, 1, 2, 0, 4, 3};
    const tact_mesh_desc good = {.positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2};
    tact_mesh_desc nowhere = good, narrow = good, odd = good, wrong = good, few = good, none = good;
    nowhere.positions = NULL;
    narrow.position_stride = 8;
    odd.position_stride = 14;
    wrong.indices = past;
    few.indices = NULL;
    none.vertex_count = 0;
    const struct {
        const tact_mesh_desc* desc;
        const char* detail;
    } cases[] = {
        {&nowhere, "4 vertices, but the array is NULL"},
        {&narrow, "a stride of 8 bytes; it must be a multiple of 4 and at least 12"},
        {&odd, "a stride of 14 bytes; it must be a multiple of 4 and at least 12"},
        {&wrong, "triangle 1 refers to vertex 4, but there are 4 vertices"},
        {&few, "triangle 1 refers to vertex 4, but there are 4 vertices"},
        {&none, "a mesh of 2 triangles has no vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (size_t k = 0; k < TAKERS; ++k) {
            assert_int_equal(takers[k](cases[i].desc), TACT_ERROR_INVALID_ARGUMENT);
            if (!strstr(tact_context_error(context), cases[i].detail))
                fail_msg("'%s' by %zu: '%s'", cases[i].detail, k, tact_context_error(context));
        }
    }
}

TEST(what_lies_on_a_device_is_for_few)
{
    const tact_device_array array = {.backend = TACT_BACKEND_GL, .gl_buffer = 1};
    const tact_mesh_desc desc = {.device_positions = &array, .vertex_count = 3, .triangle_count = 1};
    for (size_t k = 0; k < TAKERS; ++k) {
        assert_int_equal(takers[k](&desc), TACT_ERROR_INVALID_ARGUMENT);
        const bool refused = strstr(tact_context_error(context), "where only those on the host fit") != NULL;
        assert_true(refused == (takers[k] != to_filter && takers[k] != to_scene));
    }
    const tact_mesh_desc indexed = {
        .positions = square, .vertex_count = 4, .device_indices = &array, .triangle_count = 2};
    for (size_t k = 0; k < TAKERS; ++k) {
        assert_int_equal(takers[k](&indexed), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_context_error(context), "indices on a device"));
    }
}

// ---- One mesh in several scenes ----

enum { SIDE = 40, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE, RAYS = 300, MODES = 3 };

static float positions[3 * VERTICES];
static uint32_t indices[3 * TRIANGLES];
static const tact_mesh_desc sheet = {
    .positions = positions, .vertex_count = VERTICES, .indices = indices, .triangle_count = TRIANGLES};

/// A sheet of waves, which move on with `phase`.
static void wave(float phase)
{
    uint32_t* at = indices;
    for (uint32_t y = 0; y <= SIDE; ++y) {
        for (uint32_t x = 0; x <= SIDE; ++x) {
            float* p = positions + 3 * (size_t)(y * (SIDE + 1) + x);
            p[0] = (float)x / SIDE;
            p[1] = (float)y / SIDE;
            p[2] = 0.2f * sinf(9.0f * p[0] + phase) * cosf(7.0f * p[1]);
            if (x == SIDE || y == SIDE) continue;
            const uint32_t a = y * (SIDE + 1) + x, b = a + SIDE + 1;
            const uint32_t corners[6] = {a, a + 1, b, b, a + 1, b + 1};
            memcpy(at, corners, sizeof corners);
            at += 6;
        }
    }
}

typedef struct answers {
    tact_hit hits[MODES][RAYS];
} answers;

static answers cast_all(tact_scene* scene, tact_backend backend)
{
    static answers all;
    tact_ray rays[RAYS];
    memset(&all, 0, sizeof all);
    for (int i = 0; i < RAYS; ++i) {
        rays[i] = (tact_ray){(float)(i % 20) / 19.0f,        (float)(i / 20) / 15.0f, 2,  0,
                             0.02f * (float)(i % 7) - 0.05f, 0.01f * (float)(i % 3),  -1, INFINITY};
    }
    const tact_query_options options = {.backend = backend};
    for (int mode = 0; mode < MODES; ++mode)
        assert_int_equal(tact_raycast(scene, (tact_ray_mode)mode, rays, RAYS, all.hits[mode], &options, NULL), TACT_OK);
    return all;
}

static void same(const answers* a, const answers* b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static const float beside[12] = {1, 0, 0, 0.4f, 0, 1, 0, 0.1f, 0, 0, 1, -0.3f};

/// A scene that the mesh is attached to; NULL: of a copy of the sheet.
static tact_scene* scene_of(tact_context* on, tact_mesh* mesh)
{
    static const float small[9] = {0, 0, -1, 1, 0, -1, 0, 1, -1};
    const tact_mesh_desc behind = {.positions = small, .vertex_count = 3, .triangle_count = 1};
    tact_scene* scene = new_scene(on);
    uint32_t id = 0;
    if (mesh) assert_int_equal(tact_scene_attach_mesh(scene, mesh, &id), TACT_OK);
    if (!mesh) id = put_mesh(scene, &sheet);
    assert_int_equal(id, 0);
    put_instance(scene, id, NULL);
    put_instance(scene, id, beside);
    put_instance(scene, put_mesh(scene, &behind), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static tact_scene_stats stats_of(const tact_scene* scene)
{
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    return stats;
}

/// Attached against owned, through moves; the last ones are such that trees are built again.
static void follow_moves(tact_context* on, tact_backend backend, bool built_there)
{
    wave(0.0f);
    tact_mesh* mesh = new_mesh(on, &sheet);
    tact_scene *shared[2] = {scene_of(on, mesh), scene_of(on, mesh)}, *own = scene_of(on, NULL);
    if (built_there) {
        assert_int_equal(tact_scene_build_on(shared[0], backend), TACT_OK);
        assert_int_equal(tact_scene_set_quality(shared[0], 0, TACT_MESH_FAST), TACT_OK);
        assert_int_equal(tact_scene_commit(shared[0]), TACT_OK);
    }
    for (int step = 0; step < 5; ++step) {
        if (step > 0) wave((float)step);
        if (step == 3) positions[3 * 500] = NAN;
        if (step == 4) {
            for (size_t i = 0; i < VERTICES; ++i)
                positions[3 * i] = positions[3 * (i * 997 % VERTICES) + 1];
        }
        // The reference reads the vertices themselves.
        const answers before = cast_all(shared[1], TACT_BACKEND_REFERENCE);
        if (step > 0) assert_int_equal(tact_mesh_move_vertices(mesh, positions, VERTICES, 0), TACT_OK);
        // What was committed is answered until the next commit.
        const answers still = cast_all(shared[1], TACT_BACKEND_REFERENCE);
        same(&before, &still);
        assert_int_equal(tact_scene_update_mesh(own, 0, positions, 0, TACT_UPDATE_AUTO), TACT_OK);
        assert_int_equal(tact_scene_commit(own), TACT_OK);
        const answers wanted = cast_all(own, TACT_BACKEND_REFERENCE);
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(tact_scene_commit(shared[i]), TACT_OK);
            const answers found = cast_all(shared[i], backend), defined = cast_all(shared[i], TACT_BACKEND_REFERENCE);
            same(&wanted, &found);
            same(&wanted, &defined);
            assert_int_equal(stats_of(shared[i]).skipped_triangles, stats_of(own).skipped_triangles);
        }
        if (step > 0) assert_memory_not_equal(&before, &wanted, sizeof wanted);
    }
    tact_mesh_destroy(mesh);
    tact_scene_destroy(shared[0]);
    tact_scene_destroy(shared[1]);
    tact_scene_destroy(own);
}

TEST(scenes_that_share_a_mesh_answer_as_with_their_own)
{
    follow_moves(context, TACT_BACKEND_CPU, false);
}

TEST(devices_see_the_vertices_of_a_shared_mesh_move)
{
    const tact_backend backends[] = {TACT_BACKEND_GL, TACT_BACKEND_CL};
    tact_context* all = KEEP(new_context(NULL));
    int met = 0;
    for (size_t i = 0; i < 2; ++i) {
        if (device_missing(all, backends[i])) continue;
        follow_moves(all, backends[i], true);
        ++met;
    }
    if (met == 0) skip_because("no device is there");
}

TEST(a_tree_is_built_once_and_vertices_are_held_once)
{
    wave(0.0f);
    tact_mesh* mesh = KEEP(new_mesh(context, &sheet));
    tact_mesh_info none, one, two, moved;
    assert_int_equal(tact_mesh_get_info(mesh, &none), TACT_OK);
    tact_scene* first = scene_of(context, mesh);
    assert_int_equal(tact_mesh_get_info(mesh, &one), TACT_OK);
    tact_scene *second = scene_of(context, mesh), *own = scene_of(context, NULL);
    assert_int_equal(tact_mesh_get_info(mesh, &two), TACT_OK);
    // The tree is kept by the mesh, and that once.
    assert_true(one.memory_bytes > none.memory_bytes);
    assert_int_equal(two.memory_bytes, one.memory_bytes);
    const tact_scene_stats a = stats_of(first), b = stats_of(second), c = stats_of(own);
    const uint64_t copies = 12 * (uint64_t)(VERTICES + TRIANGLES);
    assert_int_equal(a.shared_bytes, copies);
    assert_int_equal(c.shared_bytes, 0);
    assert_int_equal(c.mesh_bytes, a.mesh_bytes + copies);
    assert_int_equal(a.memory_bytes, c.memory_bytes);
    assert_true(a.sah_cost == c.sah_cost && b.sah_cost == c.sah_cost && b.nodes == c.nodes && b.depth == c.depth);
    // Each quality has a tree of its own.
    assert_int_equal(tact_scene_set_quality(second, 0, TACT_MESH_FAST), TACT_OK);
    assert_int_equal(tact_scene_set_quality(own, 0, TACT_MESH_FAST), TACT_OK);
    assert_int_equal(tact_scene_commit(second), TACT_OK);
    assert_int_equal(tact_scene_commit(own), TACT_OK);
    assert_true(stats_of(second).sah_cost == stats_of(own).sah_cost && stats_of(own).sah_cost != c.sah_cost);
    // Attached twice it is held once all the same.
    uint32_t again = 0;
    assert_int_equal(tact_scene_attach_mesh(second, mesh, &again), TACT_OK);
    assert_int_equal(tact_scene_commit(second), TACT_OK);
    assert_int_equal(stats_of(second).shared_bytes, copies);
    assert_int_equal(stats_of(second).triangles, 2 * TRIANGLES + 1);
    wave(1.0f);
    assert_int_equal(tact_mesh_move_vertices(mesh, positions, VERTICES, 0), TACT_OK);
    assert_int_equal(tact_mesh_get_info(mesh, &moved), TACT_OK);
    assert_int_equal(moved.memory_bytes, none.memory_bytes);
    tact_scene_destroy(first);
    tact_scene_destroy(second);
    tact_scene_destroy(own);
}

/// Scenes outlive the mesh and each other, committed or not.
TEST(a_shared_mesh_lives_as_long_as_its_last_holder)
{
    counting_allocator counter = {0};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet};
    wave(0.0f);
    tact_scene* own = scene_of(context, NULL);
    const answers wanted = cast_all(own, TACT_BACKEND_CPU);
    tact_scene_destroy(own);
    for (int order = 0; order < 6; ++order) {
        tact_context* on = new_context(&desc);
        tact_mesh* mesh = new_mesh(on, &sheet);
        tact_scene* scenes[2] = {scene_of(on, mesh), scene_of(on, mesh)};
        uint32_t id = 0;
        if (order >= 3) assert_int_equal(tact_scene_attach_mesh(scenes[1], mesh, &id), TACT_OK);
        if (order % 3 == 0) tact_scene_destroy(scenes[0]);
        tact_mesh_destroy(mesh);
        if (order % 3 == 1) tact_scene_destroy(scenes[0]);
        assert_int_equal(tact_scene_commit(scenes[1]), TACT_OK);
        const answers found = cast_all(scenes[1], TACT_BACKEND_CPU);
        same(&wanted, &found);
        assert_true(stats_of(scenes[1]).shared_bytes > 0);
        tact_scene_destroy(scenes[1]);
        if (order % 3 == 2) tact_scene_destroy(scenes[0]);
        tact_context_destroy(on);
        assert_int_equal(counter.live, 0);
    }
}

TEST(a_description_of_a_mesh_is_taken_by_all)
{
    wave(0.0f);
    tact_mesh* mesh = KEEP(new_mesh(context, &sheet));
    tact_mesh_desc desc;
    assert_int_equal(tact_mesh_get_desc(mesh, &desc), TACT_OK);
    assert_int_equal(desc.vertex_count, VERTICES);
    assert_memory_equal(desc.positions, positions, sizeof positions);
    assert_memory_equal(desc.indices, indices, sizeof indices);
    for (size_t k = 0; k < TAKERS; ++k)
        assert_int_equal(takers[k](&desc), TACT_OK);
}

TEST(what_cannot_be_attached)
{
    wave(0.0f);
    tact_context* other = KEEP(new_context(NULL));
    tact_mesh* mesh = KEEP(new_mesh(context, &sheet));
    tact_scene *here = KEEP(scene_of(context, mesh)), *there = KEEP(new_scene(other));
    uint32_t id = 7;
    assert_int_equal(tact_scene_attach_mesh(there, mesh, &id), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(id, 7);
    assert_non_null(strstr(tact_context_error(other), "different contexts"));
    assert_int_equal(tact_scene_update_mesh(here, 0, positions, 0, TACT_UPDATE_AUTO), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "tact_mesh_move_vertices"));
}

#include TEST_LIST

RUN_ALL(open_host_context, close_context)
