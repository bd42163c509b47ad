// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <fenv.h>

#include "tests/support/run.h"

#include "tests/support/objects.h"
#include "tests/support/test_context.h"

// Contexts, scenes and ray casts through the public interface, on the CPU: contracts, errors, ties.

static char last_log[4096];
static int log_count;

static void keep_log(tact_log_level level, const char* source, const char* message, void* user)
{
    if (level < TACT_LOG_WARNING) return;
    strncpy(last_log, message, sizeof last_log - 1);
    ++log_count;
}

static int open_own(void** state)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = keep_log};
    return open_described(&desc);
}

static const float square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t square_indices[] = {0, 1, 2, 0, 2, 3};

static tact_mesh_desc square_desc(void)
{
    const tact_mesh_desc desc = {
        .positions = square, .vertex_count = 4, .indices = square_indices, .triangle_count = 2};
    return desc;
}

static tact_scene* square_scene(void)
{
    const tact_mesh_desc desc = square_desc();
    tact_scene* scene = new_scene(context);
    const uint32_t id = put_mesh(scene, &desc);
    assert_int_equal(id, 0);
    return scene;
}

static const tact_ray down = {0.75f, 0.25f, 2, 0, 0, 0, -1, INFINITY};

static tact_hit cast(tact_scene* scene, tact_ray_mode mode, tact_ray ray)
{
    tact_hit hits[2];
    const tact_backend backends[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU};
    for (int i = 0; i < 2; ++i) {
        const tact_query_options options = {.backend = backends[i]};
        tact_query_report report;
        assert_int_equal(tact_raycast(scene, mode, &ray, 1, &hits[i], &options, &report), TACT_OK);
        assert_int_equal(report.backend, backends[i]);
        assert_true(report.exact);
    }
    assert_memory_equal(&hits[0], &hits[1], sizeof hits[0]);
    return hits[0];
}

static void assert_miss(tact_hit h, tact_ray ray)
{
    assert_int_equal(h.instance, TACT_NONE);
    assert_int_equal(h.primitive, TACT_NONE);
    assert_memory_equal(&h.t, &ray.tmax, sizeof h.t);
    assert_true(h.u == 0.0f && h.v == 0.0f);
}

TEST(a_ray_hits_what_is_in_its_way)
{
    tact_scene* scene = KEEP(square_scene());
    put_instance(scene, 0, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_hit h = cast(scene, TACT_RAY_CLOSEST, down);
    assert_int_equal(h.instance, 0);
    assert_int_equal(h.primitive, 0);
    assert_true(h.t == 2.0f && h.u == 0.5f && h.v == 0.25f);
    const tact_hit any = cast(scene, TACT_RAY_ANY, down), none = {0};
    assert_memory_equal(&any, &none, sizeof any);
    tact_ray up = down;
    up.dz = 1.0f;
    up.tmax = 7.0f;
    assert_miss(cast(scene, TACT_RAY_CLOSEST, up), up);
    assert_miss(cast(scene, TACT_RAY_ANY, up), up);
    const tact_hit count = cast(scene, TACT_RAY_COUNT, up);
    assert_memory_equal(&count, &none, sizeof count);
}

TEST(equal_hits_go_to_the_smallest_ids)
{
    tact_scene* scene = KEEP(square_scene());
    for (int i = 0; i < 3; ++i)
        put_instance(scene, 0, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_ray diagonal = down;  // on the edge that both triangles share
    diagonal.ox = diagonal.oy = 0.5f;
    const tact_hit h = cast(scene, TACT_RAY_CLOSEST, diagonal);
    assert_int_equal(h.instance, 0);
    assert_int_equal(h.primitive, 0);
    assert_int_equal(cast(scene, TACT_RAY_COUNT, diagonal).primitive, 6);
}

TEST(bad_rays_miss_and_keep_the_bits_of_tmax)
{
    tact_scene* scene = KEEP(square_scene());
    put_instance(scene, 0, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (size_t part = 0; part < 8; ++part) {
        const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
        for (size_t b = 0; b < 4; ++b) {
            tact_ray ray = down;
            ((float*)(void*)&ray)[part] = bad[b];
            if (part == 7 && b == 2) continue;  // an infinite tmax is allowed
            assert_miss(cast(scene, TACT_RAY_CLOSEST, ray), ray);
            assert_miss(cast(scene, TACT_RAY_ANY, ray), ray);
        }
    }
    tact_ray ray = down;
    const uint32_t odd_nan = 0x7fa12345u;  // a signalling NaN
    memcpy(&ray.tmax, &odd_nan, sizeof odd_nan);
    assert_miss(cast(scene, TACT_RAY_CLOSEST, ray), ray);
    ray = down;
    ray.dz = 0.0f;
    assert_miss(cast(scene, TACT_RAY_CLOSEST, ray), ray);
    ray = down;
    ray.tmin = 3.0f;
    ray.tmax = 2.5f;
    assert_miss(cast(scene, TACT_RAY_CLOSEST, ray), ray);
}

TEST(instances_move_without_rebuilding_meshes)
{
    tact_scene* scene = KEEP(square_scene());
    const float raised[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1};
    const float doubled[12] = {0, -2, 0, 2, 2, 0, 0, 0, 0, 0, 2, -1};  // turned, too
    put_instance(scene, 0, raised);
    put_instance(scene, 0, doubled);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(cast(scene, TACT_RAY_CLOSEST, down).t == 1.0f);
    assert_int_equal(cast(scene, TACT_RAY_COUNT, down).primitive, 2);
    const float away[12] = {1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 1};
    assert_int_equal(tact_scene_move_instance(scene, 0, away), TACT_OK);
    tact_hit h;
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &down, 1, &h, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    h = cast(scene, TACT_RAY_CLOSEST, down);
    assert_int_equal(h.instance, 1);
    assert_true(h.t == 3.0f);
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_true(stats.lower[0] == 0.0f && stats.upper[0] == 10.0f && stats.lower[2] == -1.0f && stats.upper[2] == 1.0f);
    // A second mesh in a committed scene.
    const float far_away[] = {0, 0, -5, 1, 0, -5, 0, 1, -5};
    const tact_mesh_desc more = {.positions = far_away, .vertex_count = 3, .triangle_count = 1};
    put_instance(scene, put_mesh(scene, &more), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(cast(scene, TACT_RAY_COUNT, (tact_ray){0.25f, 0.25f, 2, 0, 0, 0, -1, 100}).primitive, 2);
}

TEST(many_instances_move_by_one_call)
{
    enum { COUNT = 3000, SIDE = 60 };
    static float matrices[COUNT][12];
    static uint32_t ids[COUNT];
    tact_scene *one = square_scene(), *all = square_scene();
    for (uint32_t i = 0; i < COUNT; ++i) {
        put_instance(one, 0, NULL);
        put_instance(all, 0, NULL);
        const float m[12] = {1, 0, 0, 2 * (float)(i % SIDE), 0, 1, 0, 2 * (float)(i / SIDE), 0, 0, 1, 0.01f * (float)i};
        memcpy(matrices[i], m, sizeof m);
        ids[i] = COUNT - 1 - i;
    }
    for (int reversed = 0; reversed < 2; ++reversed) {
        for (uint32_t i = 0; i < COUNT; ++i)
            assert_int_equal(tact_scene_move_instance(one, reversed ? ids[i] : i, matrices[i]), TACT_OK);
        assert_int_equal(tact_scene_move_instances(all, reversed ? ids : NULL, (const float(*)[12])matrices, COUNT),
                         TACT_OK);
        assert_int_equal(tact_scene_commit(one), TACT_OK);
        assert_int_equal(tact_scene_commit(all), TACT_OK);
        for (uint32_t i = 0; i < COUNT; i += 7) {
            const tact_ray ray = {matrices[i][3] + 0.75f, matrices[i][7] + 0.25f, 99, 0, 0, 0, -1, INFINITY};
            const tact_hit a = cast(one, TACT_RAY_CLOSEST, ray), b = cast(all, TACT_RAY_CLOSEST, ray);
            assert_int_equal(a.instance, reversed ? ids[i] : i);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    // All or none: the last of them is wrong, and nothing is to be committed.
    const tact_ray first = {0.75f, 0.25f, 99, 0, 0, 0, -1, INFINITY};
    const tact_hit before = cast(all, TACT_RAY_CLOSEST, first);
    matrices[0][3] = 500;
    matrices[2500][5] = matrices[COUNT - 1][0] = NAN;
    assert_int_equal(tact_scene_move_instances(all, ids, (const float(*)[12])matrices, COUNT),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "instance 499: number 5 of its matrix is nan");
    const tact_hit after = cast(all, TACT_RAY_CLOSEST, first);
    assert_memory_equal(&before, &after, sizeof before);
    ids[1] = COUNT;
    assert_int_equal(tact_scene_move_instances(all, ids, (const float(*)[12])matrices, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_move_instances(all, NULL, (const float(*)[12])matrices, COUNT + 1),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_move_instances(all, ids, NULL, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_move_instances(all, NULL, NULL, 0), TACT_OK);
    // The last of an id's matrices.
    ids[1] = ids[0];
    assert_int_equal(tact_scene_move_instances(all, ids, (const float(*)[12])matrices, 2), TACT_OK);
    assert_int_equal(tact_scene_move_instance(one, ids[0], matrices[1]), TACT_OK);
    assert_int_equal(tact_scene_commit(one), TACT_OK);
    assert_int_equal(tact_scene_commit(all), TACT_OK);
    const tact_ray there = {matrices[1][3] + 0.75f, matrices[1][7] + 0.25f, 99, 0, 0, 0, -1, INFINITY};
    const tact_hit a = cast(one, TACT_RAY_CLOSEST, there), b = cast(all, TACT_RAY_CLOSEST, there);
    assert_memory_equal(&a, &b, sizeof a);
    tact_scene_destroy(one);
    tact_scene_destroy(all);
}

TEST(removed_instances_are_not_hit_and_their_ids_come_again)
{
    tact_scene* scene = KEEP(square_scene());
    uint32_t id;
    for (int i = 1; i <= 4; ++i) {  // above each other
        const float raised[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.25f * (float)i};
        assert_int_equal(tact_scene_add_instance(scene, 0, raised, &id), TACT_OK);
        assert_int_equal(id, i - 1);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(cast(scene, TACT_RAY_CLOSEST, down).instance, 3);
    assert_int_equal(tact_scene_remove_instance(scene, 3), TACT_OK);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    tact_hit h;
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &down, 1, &h, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_move_instance(scene, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_remove_instance(scene, 4), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (int b = 0; b < TACT_BACKEND_COUNT; ++b) {
        const tact_query_options options = {.backend = (tact_backend)b};
        const tact_result result = tact_raycast(scene, TACT_RAY_COUNT, &down, 1, &h, &options, NULL);
        if (result == TACT_ERROR_NO_DEVICE) {
            assert_true(device_missing(context, (tact_backend)b));
            continue;
        }
        assert_int_equal(result, TACT_OK);
        assert_int_equal(h.primitive, 2);
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &down, 1, &h, &options, NULL), TACT_OK);
        assert_int_equal(h.instance, 2);
    }
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_int_equal(stats.instances, 2);
    assert_true(stats.upper[2] == 0.75f);
    // The smallest id first; then as before.
    const uint32_t expected[] = {1, 3, 4};
    for (int i = 0; i < 3; ++i) {
        const float above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1.25f - 0.25f * (float)i};
        assert_int_equal(tact_scene_add_instance(scene, 0, above, &id), TACT_OK);
        assert_int_equal(id, expected[i]);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(cast(scene, TACT_RAY_CLOSEST, down).instance, 1);
    assert_int_equal(cast(scene, TACT_RAY_COUNT, down).primitive, 5);
    // All of them, and then a last one.
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(tact_scene_remove_instance(scene, 4 - i), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_miss(cast(scene, TACT_RAY_CLOSEST, down), down);
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_int_equal(stats.instances, 0);
    assert_int_equal(tact_scene_add_instance(scene, 0, NULL, &id), TACT_OK);
    assert_int_equal(id, 0);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(cast(scene, TACT_RAY_COUNT, down).primitive, 1);
}

TEST(empty_scenes_and_meshes_are_missed)
{
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_miss(cast(scene, TACT_RAY_CLOSEST, down), down);
    const tact_mesh_desc nothing = {0};
    put_instance(scene, put_mesh(scene, &nothing), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_miss(cast(scene, TACT_RAY_CLOSEST, down), down);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, NULL, 0, NULL, NULL, NULL), TACT_OK);
}

TEST(unusable_triangles_are_counted_and_never_hit)
{
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 1, 0, 1, INFINITY, 2e18f, 0, 0};
    const uint32_t indices[] = {0, 1, 3, 0, 1, 4, 0, 1, 5, 0, 1, 2};
    const tact_mesh_desc desc = {.positions = positions, .vertex_count = 6, .indices = indices, .triangle_count = 4};
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_mesh(scene, &desc), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_ray ray = {0.25f, 0.25f, 2, 0, 0, 0, -1, INFINITY};
    assert_int_equal(cast(scene, TACT_RAY_CLOSEST, ray).primitive, 3);
    assert_int_equal(cast(scene, TACT_RAY_COUNT, ray).primitive, 1);
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_int_equal(stats.triangles, 4);
    assert_int_equal(stats.skipped_triangles, 3);
}

TEST(meshes_lose_their_last_usable_triangle_and_have_it_again)
{
    float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t indices[] = {0, 1, 2};
    const tact_mesh_desc desc = {.positions = positions, .vertex_count = 3, .indices = indices, .triangle_count = 1};
    const tact_ray ray = {0.25f, 0.25f, 2, 0, 0, 0, -1, INFINITY};
    positions[0] = NAN;  // the first tree has nothing in it
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_mesh(scene, &desc), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_miss(cast(scene, TACT_RAY_CLOSEST, ray), ray);
    for (int step = 0; step < 12; ++step) {
        // Every way of updating, with and without a usable triangle.
        const bool usable = step / 3 % 2 == 1;
        positions[0] = usable ? 0.0f : INFINITY;
        assert_int_equal(tact_scene_update_mesh(scene, 0, positions, 0, (tact_mesh_update)(step % 3)), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_int_equal(cast(scene, TACT_RAY_COUNT, ray).primitive, usable ? 1 : 0);
    }
}

/// A sheet of 2 x side x side triangles over [0, 1]^2, waved by `phase`, or with its vertices thrown about.
enum { SIDE = 40, SHEET_VERTICES = (SIDE + 1) * (SIDE + 1), SHEET_TRIANGLES = 2 * SIDE * SIDE };

static void wave(float* positions, uint32_t* indices, float phase, bool shuffled)
{
    for (uint32_t y = 0; y <= SIDE; ++y) {
        for (uint32_t x = 0; x <= SIDE; ++x) {
            const uint32_t at = y * (SIDE + 1) + x, from = shuffled ? (at * 997u) % SHEET_VERTICES : at;
            float* p = positions + 3 * (size_t)at;
            p[0] = (float)(from % (SIDE + 1)) / SIDE;
            p[1] = (float)(from / (SIDE + 1)) / SIDE;
            p[2] = 0.2f * sinf(9.0f * p[0] + phase) * cosf(7.0f * p[1]);
        }
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t a = i / SIDE * (SIDE + 1) + i % SIDE;
        const uint32_t two[6] = {a, a + 1, a + SIDE + 2, a, a + SIDE + 2, a + SIDE + 1};
        memcpy(indices + 6 * (size_t)i, two, sizeof two);
    }
}

TEST(moved_vertices_are_where_they_are_said_to_be)
{
    static float positions[3 * SHEET_VERTICES];
    static uint32_t indices[3 * SHEET_TRIANGLES];
    enum { RAYS = 300 };
    static tact_ray rays[RAYS];
    for (int i = 0; i < RAYS; ++i) {
        const tact_ray ray = {(float)(i % 20) / 19.0f,        (float)(i / 20) / 15.0f, 2,  0,
                              0.02f * (float)(i % 7) - 0.05f, 0.01f * (float)(i % 3),  -1, INFINITY};
        rays[i] = ray;
    }
    for (int quality = TACT_MESH_MEDIUM; quality <= TACT_MESH_HIGH; ++quality) {
        wave(positions, indices, 0.0f, false);
        const tact_mesh_desc sheet = {.positions = positions,
                                      .vertex_count = SHEET_VERTICES,
                                      .indices = indices,
                                      .triangle_count = SHEET_TRIANGLES};
        const tact_mesh_desc other = square_desc();
        uint32_t id;
        const float below[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1};
        tact_scene* scene = new_scene(context);
        assert_int_equal(tact_scene_add_mesh(scene, &sheet, &id), TACT_OK);
        assert_int_equal(tact_scene_add_mesh(scene, &other, &id), TACT_OK);  // lies behind it in all arrays
        assert_int_equal(tact_scene_set_quality(scene, 0, (tact_mesh_quality)quality), TACT_OK);
        assert_int_equal(tact_scene_add_instance(scene, 0, NULL, &id), TACT_OK);
        assert_int_equal(tact_scene_add_instance(scene, 1, below, &id), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (int step = 1; step <= 12; ++step) {
            // Waves, then a mess that no fitted tree is good for, then an unusable vertex, then waves again.
            wave(positions, indices, 0.3f * (float)step, step == 5);
            if (step >= 7 && step <= 9) positions[3 * 500 + (size_t)step % 3] = step == 8 ? INFINITY : NAN;
            assert_int_equal(tact_scene_update_mesh(scene, 0, positions, 0, (tact_mesh_update)(step % 3)), TACT_OK);
            tact_hit h;
            assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, 1, &h, NULL, NULL),
                             TACT_ERROR_INVALID_ARGUMENT);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            size_t on_sheet = 0, behind = 0;
            for (int i = 0; i < RAYS; ++i) {
                h = cast(scene, TACT_RAY_CLOSEST, rays[i]);  // the same by the reference
                cast(scene, TACT_RAY_COUNT, rays[i]);
                on_sheet += h.instance == 0;
                behind += h.instance == 1;
                if (h.instance == 0 && h.t < INFINITY && step < 5) {
                    // The point is on the wave, which nothing but the vertices knows.
                    const float x = rays[i].ox + h.t * rays[i].dx, y = rays[i].oy + h.t * rays[i].dy;
                    const float z = 0.2f * sinf(9.0f * x + 0.3f * (float)step) * cosf(7.0f * y);
                    assert_true(fabsf(2.0f - h.t - z) < 0.02f);
                }
            }
            assert_true(on_sheet > RAYS / 2 && on_sheet + behind > RAYS / 2);
            tact_scene_stats stats;
            assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
            assert_int_equal(stats.skipped_triangles, step >= 7 && step <= 9 ? 6 : 0);
        }
        assert_int_equal(tact_scene_update_mesh(scene, 2, positions, 0, TACT_UPDATE_AUTO), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_scene_update_mesh(scene, 0, NULL, 0, TACT_UPDATE_AUTO), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_scene_update_mesh(scene, 0, positions, 10, TACT_UPDATE_AUTO),
                         TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_scene_update_mesh(scene, 0, positions, 0, (tact_mesh_update)3),
                         TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_scene_set_quality(scene, 0, (tact_mesh_quality)3), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_scene_set_quality(scene, 2, TACT_MESH_FAST), TACT_ERROR_INVALID_ARGUMENT);
        tact_scene_destroy(scene);
    }
}

TEST(a_tree_of_another_quality_is_built_by_the_next_commit)
{
    static float positions[3 * SHEET_VERTICES];
    static uint32_t indices[3 * SHEET_TRIANGLES];
    wave(positions, indices, 0.0f, false);
    const tact_mesh_desc sheet = {
        .positions = positions, .vertex_count = SHEET_VERTICES, .indices = indices, .triangle_count = SHEET_TRIANGLES};
    const tact_ray ray = {0.5f, 0.5f, 2, 0, 0.01f, 0.02f, -1, INFINITY};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t mesh = put_mesh(scene, &sheet);
    put_instance(scene, mesh, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_scene_stats medium, fast, again;
    assert_int_equal(tact_scene_get_stats(scene, &medium), TACT_OK);
    const tact_hit hit = cast(scene, TACT_RAY_CLOSEST, ray);
    assert_int_equal(tact_scene_set_quality(scene, mesh, TACT_MESH_MEDIUM), TACT_OK);  // as it was: still committed
    assert_int_equal(tact_scene_get_stats(scene, &again), TACT_OK);
    assert_int_equal(tact_scene_set_quality(scene, mesh, TACT_MESH_FAST), TACT_OK);
    assert_int_equal(tact_scene_get_stats(scene, &fast), TACT_ERROR_INVALID_ARGUMENT);
    // Moving does not make it a tree of the quality that it had.
    assert_int_equal(tact_scene_update_mesh(scene, mesh, positions, 0, TACT_UPDATE_REFIT), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_scene_get_stats(scene, &fast), TACT_OK);
    assert_true(fast.sah_cost > medium.sah_cost);
    const tact_hit same = cast(scene, TACT_RAY_CLOSEST, ray);
    assert_memory_equal(&hit, &same, sizeof hit);
}

TEST(strides_are_followed)
{
    const float wide[] = {0, 0, 0, 99, 99, 1, 0, 0, 99, 99, 0, 1, 0, 99, 99};
    const tact_mesh_desc desc = {.positions = wide, .vertex_count = 3, .position_stride = 20, .triangle_count = 1};
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_mesh(scene, &desc), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(cast(scene, TACT_RAY_CLOSEST, (tact_ray){0.25f, 0.25f, 2, 0, 0, 0, -1, 9}).t == 2.0f);
}

TEST(wrong_use_is_an_error_that_says_what_is_wrong)
{
    tact_scene* scene = KEEP(square_scene());
    uint32_t id = 77;
    const uint32_t outside[] = {0, 1, 2, 0, 2, 4};
    tact_mesh_desc desc = square_desc();
    desc.indices = outside;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &id), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "triangle 1 refers to vertex 4"));
    assert_int_equal(id, 77);
    desc = square_desc();
    desc.position_stride = 10;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &id), TACT_ERROR_INVALID_ARGUMENT);
    desc = square_desc();
    desc.positions = NULL;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &id), TACT_ERROR_INVALID_ARGUMENT);
    desc = square_desc();
    desc.triangle_count = ((size_t)1 << 30) + 1;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &id), TACT_ERROR_LIMIT);
    assert_int_equal(tact_scene_add_instance(scene, 1, NULL, &id), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "mesh 1"));
    const float singular[12] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    assert_int_equal(tact_scene_add_instance(scene, 0, singular, &id), TACT_ERROR_INVALID_ARGUMENT);
    const float infinite[12] = {1, 0, 0, 0, 0, 1, 0, INFINITY, 0, 0, 1, 0};
    assert_int_equal(tact_scene_add_instance(scene, 0, infinite, &id), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_move_instance(scene, 0, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(id, 77);
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_hit hit;
    assert_int_equal(tact_raycast(scene, (tact_ray_mode)9, &down, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, NULL, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, &down, 1, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_raycast(NULL, TACT_RAY_ANY, &down, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    const tact_query_options bad = {.backend = (tact_backend)12};
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, &down, 1, &hit, &bad, NULL), TACT_ERROR_INVALID_ARGUMENT);
    const tact_query_options gl = {.backend = TACT_BACKEND_GL};
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, &down, 1, &hit, &gl, NULL), TACT_ERROR_NO_DEVICE);
    assert_non_null(strstr(tact_context_error(context), "no gl device here"));
}

TEST(context_descs_are_checked)
{
    tact_context* made = (tact_context*)&made;
    log_count = 0;
    tact_context_desc desc = {.gl = TACT_DEVICE_ADOPT, .cl = TACT_DEVICE_NONE, .log = keep_log};
    assert_int_equal(tact_context_create(&desc, &made), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(made);
    assert_int_equal(log_count, 1);
    assert_non_null(strstr(last_log, "gl_get_proc_address"));
    desc = (tact_context_desc){.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_ADOPT, .log = keep_log};
    assert_int_equal(tact_context_create(&desc, &made), TACT_ERROR_INVALID_ARGUMENT);
    desc = (tact_context_desc){.threads = -1, .log = keep_log};
    assert_int_equal(tact_context_create(&desc, &made), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_context_create(NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_context_destroy(NULL);
    tact_scene_destroy(NULL);
}

TEST(the_context_describes_its_devices)
{
    assert_int_equal(tact_context_device_count(context), 1);
    tact_device_info info;
    assert_int_equal(tact_context_device(context, 0, &info), TACT_OK);
    assert_int_equal(info.backend, TACT_BACKEND_CPU);
    assert_true(strlen(info.name) > 0 && info.compute_units >= 1);
    assert_int_equal(tact_context_device(context, 1, &info), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(tact_context_missing(context, TACT_BACKEND_CPU));
    assert_non_null(tact_context_missing(context, TACT_BACKEND_GL));
    assert_string_equal(tact_backend_name(TACT_BACKEND_CL), "cl");
    assert_string_equal(tact_backend_name((tact_backend)99), "?");
}

TEST(the_callers_floating_point_environment_does_not_matter)
{
    tact_hit expected[3], hits[3];
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
    const tact_ray slanted = {0.3f, 0.1f, 2, 0, 0.1f, 0.07f, -0.7f, INFINITY};
    const float turned[12] = {0.6f, -0.8f, 0, 0.1f, 0.8f, 0.6f, 0, -0.3f, 0, 0, 1.1f, 0.7f};
    for (int m = 0; m < 3; ++m) {
        assert_int_equal(fesetround(modes[m]), 0);
        tact_scene* scene = square_scene();
        put_instance(scene, 0, turned);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (int mode = 0; mode < 3; ++mode)
            hits[mode] = cast(scene, (tact_ray_mode)mode, slanted);
        assert_int_equal(fegetround(), modes[m]);  // and it is left as it was
        if (m == 0) memcpy(expected, hits, sizeof hits);
        assert_memory_equal(hits, expected, sizeof hits);
        tact_scene_destroy(scene);
    }
    fesetround(FE_TONEAREST);
    assert_int_equal(expected[0].instance, 0);
}

static bool stop_half_way(double fraction, void* user)
{
    *(double*)user = fraction;
    return fraction < 0.5;
}

TEST(a_cast_can_be_cancelled)
{
    tact_scene* scene = KEEP(square_scene());
    put_instance(scene, 0, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    enum { COUNT = 5000 };
    static tact_ray rays[COUNT];
    static tact_hit hits[COUNT];
    for (int i = 0; i < COUNT; ++i)
        rays[i] = down;
    double reached = 0.0;
    const tact_query_options options = {
        .backend = TACT_BACKEND_REFERENCE, .progress = stop_half_way, .progress_user = &reached};
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, rays, COUNT, hits, &options, NULL), TACT_ERROR_CANCELLED);
    assert_true(reached >= 0.5 && reached < 1.0);
}

#include TEST_LIST
RUN_ALL(open_own, close_context)
