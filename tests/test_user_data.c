// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// User data of instances, meshes and particles: what is set is what the ids in results look up, until an id is used
// again. That of volumes is in test_volumes.c, that of particles on a lost device in test_particle_lost.c.
#include "tests/support/run.h"

#include <pthread.h>

#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static const tact_result invalid = TACT_ERROR_INVALID_ARGUMENT;

static void expect_refused(tact_result result, const char* sentence)
{
    assert_int_equal(result, invalid);
    assert_string_equal(tact_last_error(), sentence);
}

/// Spheres of radius 1 at x = 0, 4, 8, ..., an instance each, of two meshes in turn.
static tact_scene* row_of_spheres(uint32_t count)
{
    tact_scene* scene = KEEP(new_scene(context));
    const float corners[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    const tact_sphere ball = {{0, 0, 0}, 1};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const uint32_t meshes[2] = {put_mesh(scene, &triangle), put_spheres(scene, &ball, 1)};
    for (uint32_t i = 0; i < count; ++i) {
        const float m[12] = {1, 0, 0, 4 * (float)i, 0, 1, 0, 0, 0, 0, 1, 0};
        assert_int_equal(put_instance(scene, meshes[i % 2], m), i);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static uint64_t of_instance(const tact_scene* scene, uint32_t id)
{
    uint64_t data = 99;
    assert_int_equal(tact_scene_get_user_data(scene, &id, 0, 1, &data), TACT_OK);
    return data;
}

TEST(results_look_up_what_was_set)
{
    enum { COUNT = 6 };
    tact_scene* scene = row_of_spheres(COUNT - 1);
    tact_ray rays[COUNT];
    tact_closest_query points[COUNT];
    for (int i = 0; i < COUNT; ++i) {  // the last one finds nothing
        rays[i] = (tact_ray){4 * (float)i, 0, 5, 0, 0, 0, -1, INFINITY};
        points[i] = (tact_closest_query){4 * (float)i, 0, 1.5f, 2};
    }
    tact_hit hits[COUNT], again[COUNT];
    tact_closest_hit closest[COUNT];
    uint64_t data[COUNT], meshes[COUNT];
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, COUNT, hits, NULL, NULL), TACT_OK);
    assert_int_equal(hits[COUNT - 1].instance, TACT_NONE);
    assert_int_equal(tact_scene_get_user_data(scene, &hits[0].instance, sizeof *hits, COUNT, data), TACT_OK);
    for (int i = 0; i < COUNT; ++i)
        assert_int_equal(data[i], 0);

    for (uint32_t i = 0; i < COUNT - 1; ++i)
        assert_int_equal(tact_scene_set_user_data(scene, i, UINT64_MAX - i), TACT_OK);
    assert_int_equal(tact_scene_set_mesh_user_data(scene, 0, 50), TACT_OK);
    assert_int_equal(tact_scene_set_mesh_user_data(scene, 1, 51), TACT_OK);
    // The scene is committed still, and answers as before.
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, COUNT, again, NULL, NULL), TACT_OK);
    assert_memory_equal(hits, again, sizeof hits);
    assert_int_equal(tact_closest_points(scene, points, COUNT, closest, NULL, NULL), TACT_OK);
    for (int kind = 0; kind < 3; ++kind) {
        const uint32_t packed[COUNT] = {0, 1, 2, 3, 4, TACT_NONE};
        const uint32_t* const first[] = {&hits[0].instance, &closest[0].instance, packed};
        const size_t stride[] = {sizeof *hits, sizeof *closest, 0};
        memset(data, 1, sizeof data);
        memset(meshes, 1, sizeof meshes);
        assert_int_equal(tact_scene_get_user_data(scene, first[kind], stride[kind], COUNT, data), TACT_OK);
        assert_int_equal(tact_scene_get_mesh_user_data(scene, first[kind], stride[kind], COUNT, meshes), TACT_OK);
        for (unsigned i = 0; i < COUNT; ++i) {
            assert_true(data[i] == (i < COUNT - 1 ? UINT64_MAX - i : 0));
            assert_int_equal(meshes[i], i < COUNT - 1 ? 50 + i % 2 : 0);
        }
    }
}

TEST(an_instance_with_an_old_id_starts_at_zero)
{
    tact_scene* scene = row_of_spheres(3);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(tact_scene_set_user_data(scene, i, 7 + i), TACT_OK);
    assert_int_equal(tact_scene_move_instance(scene, 2, NULL), TACT_OK);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    assert_int_equal(put_instance(scene, 0, NULL), 1);
    assert_int_equal(of_instance(scene, 0), 7);
    assert_int_equal(of_instance(scene, 1), 0);
    assert_int_equal(of_instance(scene, 2), 9);
    for (uint32_t i = 3; i < 100; ++i)
        assert_int_equal(of_instance(scene, put_instance(scene, 1, NULL)), 0);
    assert_int_equal(of_instance(scene, 2), 9);
}

TEST(ids_that_are_not_there_are_named)
{
    tact_scene* scene = row_of_spheres(3);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    const uint32_t removed[2] = {0, 1}, unknown[2] = {2, 3};
    uint64_t data[2];
    expect_refused(tact_scene_get_user_data(scene, removed, 0, 2, data), "instance 1 was removed");
    expect_refused(tact_scene_get_mesh_user_data(scene, unknown, 0, 2, data), "no instance 3: there are 2");
    expect_refused(tact_scene_get_user_data(scene, removed, 3, 2, data),
                   "a stride of 3 bytes; it must be 0 or at least 4");
    expect_refused(tact_scene_set_user_data(scene, 1, 1), "instance 1 was removed");
    expect_refused(tact_scene_set_user_data(scene, TACT_NONE, 1), "no instance 4294967295: there are 2");
    expect_refused(tact_scene_set_mesh_user_data(scene, 2, 1), "no mesh 2: there are 2");
    assert_int_equal(tact_scene_get_user_data(scene, NULL, 0, 0, NULL), TACT_OK);

    tact_particles* p = KEEP(new_particles(context, NULL));
    const float x[9] = {0, 0, 0, 3, 0, 0, 6, 0, 0};
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 3, NULL), TACT_OK);
    assert_int_equal(tact_particles_remove(p, removed + 1, 1), TACT_OK);
    assert_int_equal(tact_particles_set_user_data(p, NULL, 2, (uint64_t[]){4, 5}), TACT_OK);
    expect_refused(tact_particles_set_user_data(p, removed, 2, (uint64_t[]){8, 8}), "particle 1 is not in the system");
    expect_refused(tact_particles_set_user_data(p, NULL, 3, (uint64_t[]){8, 8, 8}), "3 of 2 particles, and no ids");
    expect_refused(tact_particles_get_user_data(p, unknown, 0, 2, data), "particle 3 is not in the system");
    expect_refused(tact_particles_get_user_data(p, NULL, 0, 1, data), "1 of 2 particles, and no ids");
    expect_refused(tact_particles_get_user_data(p, unknown, 2, 1, data),
                   "a stride of 2 bytes; it must be 0 or at least 4");
    assert_int_equal(tact_particles_get_user_data(p, NULL, 0, 2, data), TACT_OK);
    assert_true(data[0] == 4 && data[1] == 5);
    assert_int_equal(tact_particles_get_user_data(p, NULL, 0, 0, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_user_data(p, NULL, 0, NULL), TACT_OK);
}

static void* look_up_often(void* user)
{
    const tact_scene* scene = user;
    uint32_t ids[200];
    uint64_t data[200];
    for (uint32_t i = 0; i < 200; ++i)
        ids[i] = (7 * i) % 50;
    for (int round = 0; round < 200; ++round) {
        if (tact_scene_get_user_data(scene, ids, 0, 200, data) != TACT_OK) return user;
        for (uint32_t i = 0; i < 200; ++i)
            if (data[i] != ids[i] + 1) return user;
        if (tact_scene_get_mesh_user_data(scene, ids, 0, 200, data) != TACT_OK || data[0] != 3) return user;
    }
    return NULL;
}

TEST(threads_look_up_at_once)
{
    enum { THREADS = 4 };
    tact_scene* scene = row_of_spheres(50);
    for (uint32_t i = 0; i < 50; ++i)
        assert_int_equal(tact_scene_set_user_data(scene, i, i + 1), TACT_OK);
    assert_int_equal(tact_scene_set_mesh_user_data(scene, 0, 3), TACT_OK);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up_often, scene), 0);
    for (int i = 0; i < THREADS; ++i) {
        void* wrong = scene;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

/// Particles that come and go, by the caller and by emitters and sinks, beside a table of what each id should have.
TEST(particles_keep_theirs_while_others_come_and_go)
{
    enum { MOST = 2048 };
    static uint64_t expected[MOST], data[MOST];
    static bool there[MOST], now[MOST];
    static uint32_t ids[MOST];
    static float x[3 * MOST];
    const tact_particles_desc desc = {.response = TACT_RESPONSE_NONE, .backend = TACT_BACKEND_CPU};
    const tact_emitter rain = {
        .edge = {{4, 0, 0}, {0, 0, 4}}, .velocity = {0, -40, 0}, .radius = 0.2f, .interval = 0.01f};
    const tact_collider floor = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -1}};
    tact_particles* p = KEEP(new_particles(context, &desc));
    assert_int_equal(tact_particles_add_emitter(p, &rain, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &floor, NULL), TACT_OK);
    memset(there, 0, sizeof there);
    test_random r = {3};
    uint64_t serial = 0;
    size_t used_again = 0;
    for (int round = 0; round < 200; ++round) {
        const uint32_t what = (uint32_t)test_random_bits(&r) % 4;
        if (what == 0) {
            for (size_t i = 0; i < 15; ++i)
                x[i] = 10.0f + (float)i;
            assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 5, NULL), TACT_OK);
        } else if (what == 1) {
            assert_int_equal(tact_particles_step(p, 0.01f, 1, 1, NULL, NULL), TACT_OK);
        }
        const size_t count = tact_particles_count(p);
        assert_true(tact_particles_id_end(p) <= MOST);
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){.ids = ids}), TACT_OK);
        memset(now, 0, sizeof now);
        for (size_t i = 0; i < count; ++i) {
            now[ids[i]] = true;
            if (there[ids[i]]) continue;
            used_again += expected[ids[i]] != 0;
            expected[ids[i]] = 0;
        }
        memcpy(there, now, sizeof there);
        assert_int_equal(tact_particles_get_user_data(p, NULL, 0, count, data), TACT_OK);
        for (size_t i = 0; i < count; ++i)
            assert_int_equal(data[i], expected[ids[i]]);
        if (what == 2 && count > 0) {  // sets some, by id, the first one twice: the last counts
            const size_t some = 1 + count / 3;
            for (size_t i = 0; i < some; ++i)
                data[i] = expected[ids[i]] = ++serial;
            ids[some] = ids[0];
            data[some] = expected[ids[0]] = ++serial;
            assert_int_equal(tact_particles_set_user_data(p, ids, some + 1, data), TACT_OK);
        } else if (what == 3 && count > 4) {
            assert_int_equal(tact_particles_remove(p, ids + 1, 3), TACT_OK);
            there[ids[1]] = there[ids[2]] = there[ids[3]] = false;
        }
    }
    print_message("%zu ids used again\n", used_again);
    assert_true(used_again > 50);
    tact_particles_clear(p);
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 5, ids), TACT_OK);
    assert_int_equal(tact_particles_get_user_data(p, ids, 0, 5, data), TACT_OK);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(data[i], 0);
}

TEST(contacts_look_up_both_particles)
{
    tact_particles* p = KEEP(new_particles(context, NULL));
    const float x[12] = {0, 0, 0, 0.9f, 0, 0, 0, 5, 0, 0.9f, 5, 0};
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 4, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_user_data(p, NULL, 4, (uint64_t[]){10, 11, 12, 13}), TACT_OK);
    tact_particle_contact contacts[3];
    size_t count = 0;
    assert_int_equal(tact_particles_contacts(p, contacts, 3, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 2);
    contacts[2].b = TACT_NONE;
    uint64_t a[2], b[3];
    assert_int_equal(tact_particles_get_user_data(p, &contacts[0].a, sizeof *contacts, 2, a), TACT_OK);
    assert_int_equal(tact_particles_get_user_data(p, &contacts[0].b, sizeof *contacts, 3, b), TACT_OK);
    assert_true(a[0] == 10 && b[0] == 11 && a[1] == 12 && b[1] == 13 && b[2] == 0);
}

TEST(contacts_look_up_what_is_touched)
{
    const tact_particles_desc desc = {.boundary = {TACT_BOUNDARY_WALL}, .domain = {{-10, -10, -10}, {10, 10, 10}}};
    tact_particles* p = KEEP(new_particles(context, &desc));
    // Beside another, on a plane, on a mesh, at a wall.
    const float x[15] = {0, 5, 0, 0.9f, 5, 0, 0, -5 + 0.4f, 0, 6, 0.4f, 6, 9.6f, 5, 0};
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 5, NULL), TACT_OK);
    const tact_collider plane = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -5}};
    static const float corners[9] = {4, 0, 4, 4, 0, 9, 9, 0, 4};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    uint32_t colliders[2], body = 9;
    const tact_collider far = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0, -9, 9}, 0.1f}};
    assert_int_equal(tact_particles_add_collider(p, &far, &colliders[0]), TACT_OK);
    assert_int_equal(tact_particles_add_collider(p, &plane, &colliders[1]), TACT_OK);
    assert_int_equal(tact_particles_add_mesh(p, &mesh, NULL, 0, &body), TACT_OK);
    tact_particle_contact contacts[8];
    uint64_t data[8];
    size_t count = 0;
    assert_int_equal(tact_particles_contacts(p, contacts, 8, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 4);
    assert_int_equal(tact_particles_get_touched_user_data(p, contacts, count, data), TACT_OK);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(data[i], 0);
    assert_int_equal(tact_particles_set_user_data(p, NULL, 5, (uint64_t[]){10, 11, 12, 13, 14}), TACT_OK);
    assert_int_equal(tact_particles_set_collider_user_data(p, colliders[1], 21), TACT_OK);
    assert_int_equal(tact_particles_set_body_user_data(p, body, 30), TACT_OK);
    assert_int_equal(tact_particles_get_touched_user_data(p, contacts, count, data), TACT_OK);
    static const uint32_t with[4] = {TACT_CONTACT_PARTICLE, TACT_CONTACT_COLLIDER, TACT_CONTACT_BODY,
                                     TACT_CONTACT_WALL};
    static const uint64_t expected[4] = {11, 21, 30, 0};
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(contacts[i].with, with[i]);
        assert_int_equal(data[i], expected[i]);
    }
    expect_refused(tact_particles_set_collider_user_data(p, 2, 1), "no collider 2");
    expect_refused(tact_particles_set_body_user_data(p, 1, 1), "no mesh or height field 1");
    expect_refused(tact_particles_get_touched_user_data(p, contacts, 1, NULL), "user_data is NULL");
    contacts[1].b = 2;
    expect_refused(tact_particles_get_touched_user_data(p, contacts, count, data), "no collider 2");
    contacts[1].with = 7;
    expect_refused(tact_particles_get_touched_user_data(p, contacts, count, data), "no tact_contact_with 7");
    contacts[0].b = 5;
    expect_refused(tact_particles_get_touched_user_data(p, contacts, count, data), "particle 5 is not in the system");
}

TEST(saved_particles_are_the_same_bytes_without_it)
{
    tact_particles *p = KEEP(new_particles(context, NULL)), *restored = NULL;
    const float x[6] = {0, 0, 0, 3, 0, 0};
    static char before[4096], after[4096];
    size_t size = 0, again = 0;
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 2, NULL), TACT_OK);
    assert_int_equal(tact_particles_save(p, before, sizeof before, &size), TACT_OK);
    uint64_t data[2] = {1, 2};
    assert_int_equal(tact_particles_set_user_data(p, NULL, 2, data), TACT_OK);
    assert_int_equal(tact_particles_save(p, after, sizeof after, &again), TACT_OK);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    assert_int_equal(tact_particles_restore(context, after, again, TACT_BACKEND_AUTO, &restored), TACT_OK);
    restored = KEEP(restored);
    assert_int_equal(tact_particles_get_user_data(restored, NULL, 0, 2, data), TACT_OK);
    assert_true(data[0] == 0 && data[1] == 0);
}

TEST(without_memory_nothing_is_set)
{
    counting_allocator counter = {0};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* own = new_context(&desc);
    tact_particles* p = new_particles(own, NULL);
    static float x[3 * 1000];
    static uint64_t data[1000], got[1000];
    for (size_t i = 0; i < 1000; ++i) {
        x[3 * i] = (float)i;
        data[i] = i + 1;
    }
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 1000, NULL), TACT_OK);
    counter.fail_at = counter.requests + 1;
    assert_int_equal(tact_particles_set_user_data(p, NULL, 1000, data), TACT_ERROR_OUT_OF_MEMORY);
    assert_int_equal(tact_particles_get_user_data(p, NULL, 0, 1000, got), TACT_OK);
    for (size_t i = 0; i < 1000; ++i)
        assert_int_equal(got[i], 0);
    counter.fail_at = 0;
    assert_int_equal(tact_particles_set_user_data(p, NULL, 1000, data), TACT_OK);
    assert_int_equal(tact_particles_get_user_data(p, NULL, 0, 1000, got), TACT_OK);
    assert_memory_equal(data, got, sizeof data);
    tact_particles_destroy(p);
    tact_context_destroy(own);
    assert_int_equal(counter.live, 0);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
