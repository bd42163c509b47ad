// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Runs of particle systems that are interrupted: saved and resumed, cancelled, moved to another backend, on a device
// that is lost, out of memory. Each ends in the state of the run that was left alone.
#include "tests/support/run.h"

#include "core/particles/particles.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/particle_engine.h"
#include "tests/support/particle_states.h"
#include "tests/support/particle_systems.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static tact_particles* make_rich(tact_particle_response response, bool masks)
{
    const tact_particles_desc desc = rich_desc(response);
    tact_particles* p = new_particles(context, &desc);
    const tact_result result = rich_fill(p, masks);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return KEEP(p);
}

static void step_on(tact_particles* p, uint32_t steps, tact_backend backend)
{
    const tact_query_options options = {.backend = backend};
    const tact_result result = tact_particles_step(p, rich_dt, 2, steps, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

/// The state after `steps` steps that nothing interrupts.
static particle_snapshot left_alone(tact_particle_response response, bool masks, uint32_t steps)
{
    tact_particles* p = make_rich(response, masks);
    step_on(p, steps, TACT_BACKEND_CPU);
    return particle_snapshot_of(p);
}

TEST(a_resumed_run_is_the_uninterrupted_one)
{
    for (int response = 0; response < 3; ++response) {
        particle_snapshot expected = left_alone((tact_particle_response)response, true, 90);
        for (uint32_t at = 0; at < 90; at += 29) {
            tact_particles *p = make_rich((tact_particle_response)response, true), *again = NULL;
            step_on(p, at, TACT_BACKEND_CPU);
            particle_snapshot saved = particle_snapshot_of(p);
            const tact_result result =
                tact_particles_restore(context, saved.bytes, saved.size, TACT_BACKEND_AUTO, &again);
            if (result != TACT_OK) fail_msg("step %u: %s", (unsigned)at, tact_context_error(context));
            particle_snapshot_expect(KEEP(again), &saved, "restored");
            step_on(again, 90 - at, TACT_BACKEND_CPU);
            particle_snapshot_expect(again, &expected, "resumed");
        }
    }
}

TEST(ids_go_on_where_they_were)
{
    tact_particles *p = make_rich(TACT_RESPONSE_NONE, true), *again = NULL;
    const uint32_t gone[4] = {3, 70, 5, 119};
    assert_int_equal(tact_particles_remove(p, gone, 4), TACT_OK);
    particle_snapshot saved = particle_snapshot_of(p);
    assert_int_equal(tact_particles_restore(context, saved.bytes, saved.size, TACT_BACKEND_CPU, &again), TACT_OK);
    assert_int_equal(tact_particles_count(KEEP(again)), tact_particles_count(p));
    assert_int_equal(tact_particles_id_end(again), tact_particles_id_end(p));
    const float x[15] = {0};
    uint32_t ids[5];
    const tact_particle_arrays arrays = {.positions = x, .radius = 0.3f};
    assert_int_equal(tact_particles_add(again, &arrays, 5, ids), TACT_OK);
    assert_true(ids[0] == 3 && ids[1] == 5 && ids[2] == 70 && ids[3] == 119 && ids[4] == 120);
}

static void restore_refuses(const uint8_t* bytes, size_t size, const char* word)
{
    tact_particles* p = (tact_particles*)1;
    assert_int_equal(tact_particles_restore(context, bytes, size, TACT_BACKEND_CPU, &p), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(p);
    if (!strstr(tact_context_error(context), word)) {
        fail_msg("\"%s\" does not speak of \"%s\"", tact_context_error(context), word);
    }
}

TEST(damage_is_noticed)
{
    tact_particles *p = make_rich(TACT_RESPONSE_SPRING, true), *q = NULL;
    particle_snapshot s = particle_snapshot_of(p);
    for (size_t i = 0; i < s.size; ++i) {
        s.bytes[i] ^= (uint8_t)(1u << i % 8);
        restore_refuses(s.bytes, s.size, "saved particle system");
        s.bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t size = 0; size < s.size; size += 1 + size / 9) {
        uint8_t* part = scratch(size + 1);
        memcpy(part, s.bytes, size);
        restore_refuses(part, size, "saved particle system");
    }
    s.bytes[8] = 5;
    restore_refuses(s.bytes, s.size, "version 5");
    s.bytes[8] = 3;
    restore_refuses(s.bytes, s.size, "version 3 with parts 0");
    assert_int_equal(tact_particles_restore(context, NULL, 5, TACT_BACKEND_CPU, &q), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(what_is_too_small_is_not_written)
{
    tact_particles* p = make_rich(TACT_RESPONSE_SPRING, true);
    particle_snapshot s = particle_snapshot_of(p);
    uint8_t* room = scratch(s.size);
    memset(room, 0x5a, s.size);
    size_t size = 0;
    assert_int_equal(tact_particles_save(p, room, s.size - 1, &size), TACT_INCOMPLETE);
    assert_int_equal(size, s.size);
    for (size_t i = 0; i < s.size; ++i)
        assert_int_equal(room[i], 0x5a);
    assert_int_equal(tact_particles_save(p, NULL, 1, &size), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(the_format_stays_the_same_on_every_machine)
{
    tact_particles* p = KEEP(new_particles(context, NULL));
    const float x[3] = {1, -2, 3};
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .group = 3}, 1, NULL), TACT_OK);
    particle_snapshot s = particle_snapshot_of(p);
    assert_memory_equal(s.bytes, "TACTPART\4\0\0\0\0\0\0\0", 16);
    assert_int_equal(s.bytes[16] | s.bytes[17] << 8, s.size);
    // The last 40 bytes of the body: 1, -2, 3, 0.5; at rest, 1 / 523.6 kg; id 0, group 3.
    static const uint8_t place[16] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x40, 0x40, 0, 0, 0, 0x3f};
    static const uint8_t tag[8] = {0, 0, 0, 0, 0, 3, 0, 0};
    assert_memory_equal(s.bytes + s.size - 48, place, 16);
    assert_memory_equal(s.bytes + s.size - 16, tag, 8);
}

TEST(a_change_of_backend_changes_nothing)
{
    for (int response = 0; response < 3; ++response) {
        particle_snapshot expected = left_alone((tact_particle_response)response, false, 60);
        tact_particles* p = make_rich((tact_particle_response)response, false);
        fake_engine* fake = fake_engine_install(p, response != 1);
        for (uint32_t i = 0; i < 12; ++i)
            step_on(p, 5, i % 2 ? TACT_BACKEND_CPU : TACT_BACKEND_REFERENCE);
        particle_snapshot_expect(p, &expected, "by turns");
        // Emitters and sinks went through the engine that can do them.
        assert_int_equal(fake->appended > 0, response != 1);
        assert_int_equal(fake->drained > 0, response != 1);
    }
}

/// Sorting for a query moves all of a particle: also where all are of one material, of one group, or neither.
TEST(neighbours_move_whole_particles)
{
    enum { COUNT = 700 };
    static float x[3 * COUNT];
    static uint8_t materials[COUNT], groups[COUNT];
    test_random r = test_random_seeded(23);
    for (size_t i = 0; i < 3 * COUNT; ++i)
        x[i] = 8.0f * test_random_unit(&r);
    for (int kinds = 0; kinds < 4; ++kinds) {
        for (size_t i = 0; i < COUNT; ++i) {
            materials[i] = kinds & 1 ? (uint8_t)test_random_below(&r, 2) : 0;
            groups[i] = kinds & 2 ? (uint8_t)test_random_below(&r, 32) : 3;
        }
        const tact_particle_material two[2] = {{1e5f, 0.5f, 0.0f, 0.0f}, {1e5f, 0.25f, 0.0f, 0.0f}};
        const tact_particles_desc desc = {.materials = two, .material_count = 2};
        tact_particles* p = KEEP(new_particles(context, &desc));
        const tact_particle_arrays arrays = {.positions = x, .materials = materials, .groups = groups};
        assert_int_equal(tact_particles_add(p, &arrays, COUNT, NULL), TACT_OK);
        tact_neighbour_lists lists;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        assert_int_equal(tact_particles_neighbours(p, 1.0f, TACT_NEIGHBOURS_ONCE, &lists, &options, NULL), TACT_OK);
        // They came in no order, so they were sorted.
        bool moved = false;
        for (size_t s = 0; s < lists.slots; ++s)
            moved = moved || lists.ids[s] != s;
        assert_true(moved);
        // A step brings the state back to the host.
        assert_int_equal(tact_particles_step(p, 1e-6f, 1, 1, &options, NULL), TACT_OK);
        static float place[3 * COUNT];
        static uint8_t material[COUNT], group[COUNT];
        const tact_particle_output output = {.positions = place, .materials = material, .groups = group};
        assert_int_equal(tact_particles_read(p, &output), TACT_OK);
        for (size_t i = 0; i < 3 * COUNT; ++i)
            assert_true(fabsf(place[i] - x[i]) < 0.01f);
        assert_memory_equal(material, materials, sizeof materials);
        assert_memory_equal(group, groups, sizeof groups);
    }
}

static bool stop_at_third(double done, void* user)
{
    int* calls = user;
    return ++*calls < 3;
}

TEST(a_cancelled_run_stops_between_steps)
{
    particle_snapshot third = left_alone(TACT_RESPONSE_SPRING, true, 3);
    particle_snapshot last = left_alone(TACT_RESPONSE_SPRING, true, 20);
    tact_particles* p = make_rich(TACT_RESPONSE_SPRING, true);
    int calls = 0;
    const tact_query_options options = {
        .backend = TACT_BACKEND_CPU, .progress = stop_at_third, .progress_user = &calls};
    assert_int_equal(tact_particles_step(p, rich_dt, 2, 20, &options, NULL), TACT_ERROR_CANCELLED);
    assert_non_null(strstr(tact_context_error(context), "step 3"));
    particle_snapshot_expect(p, &third, "cancelled");
    step_on(p, 17, TACT_BACKEND_CPU);
    particle_snapshot_expect(p, &last, "gone on");
}

TEST(lost_steps_are_done_again)
{
    for (int response = 0; response < 3; ++response) {
        particle_snapshot expected = left_alone((tact_particle_response)response, false, 60);
        for (long fail_at = 0; fail_at < 45; fail_at += 11) {
            tact_particles* p = make_rich((tact_particle_response)response, false);
            fake_engine* fake = fake_engine_install(p, response != 1);
            const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
            tact_query_report report;
            fake->steps_left = fail_at;
            assert_int_equal(tact_particles_step(p, rich_dt, 2, 20, &options, &report), TACT_OK);
            assert_int_equal(tact_particles_step(p, rich_dt, 2, 40, &options, &report), TACT_OK);
            assert_int_equal(report.failures, 1);
            assert_non_null(strstr(report.reason, "the stand-in was lost"));
            particle_snapshot_expect(p, &expected, "after a device was lost");
        }
    }
}

TEST(steps_that_cannot_be_done_again_are_owned_up_to)
{
    particle_snapshot seventh = left_alone(TACT_RESPONSE_POSITION, false, 7);
    for (int change = 0; change < 5; ++change) {
        tact_particles* p = make_rich(TACT_RESPONSE_POSITION, false);
        fake_engine* fake = fake_engine_install(p, change != 2);
        // A change at a time when the host has a copy does no harm.
        step_on(p, 7, TACT_BACKEND_REFERENCE);
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
        // Here it has none.
        step_on(p, 6, TACT_BACKEND_REFERENCE);
        const tact_collider wall = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{9, 9, 9}, 1}};
        const tact_emitter e = {.corner = {0, 2, 0}, .velocity = {1, 0, 0}, .radius = 0.2f, .start = 1e9};
        float dt = rich_dt;
        if (change == 0) assert_int_equal(tact_particles_set_gravity(p, (tact_vec3){1, 2, 3}), TACT_OK);
        if (change == 1) assert_int_equal(tact_particles_set_mask(p, 0, 0), TACT_OK);
        if (change == 2) assert_int_equal(tact_particles_set_collider(p, 0, &wall), TACT_OK);
        if (change == 3) assert_int_equal(tact_particles_set_emitter(p, 0, &e), TACT_OK);
        if (change == 4) dt = 1e-3f;
        fake->steps_left = 4;
        const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        const bool drains_fetch = change == 2;  // its sinks work on the host, which then has every step
        const tact_result result = tact_particles_step(p, dt, 2, 10, &options, NULL);
        if (drains_fetch) {
            assert_int_equal(result, TACT_OK);
        } else {
            assert_int_equal(result, TACT_ERROR_DEVICE_LOST);
            const char* text = tact_context_error(context);
            if (!strstr(text, "steps were lost") || !strstr(text, "step 7")) fail_msg("\"%s\"", text);
            tact_particles_info info;
            assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
            assert_true(info.steps == 7 && info.host_step == 7);
        }
        if (change == 4) particle_snapshot_expect(p, &seventh, "rolled back");
        // It goes on elsewhere.
        assert_int_equal(tact_particles_step(p, dt, 2, 10, &options, NULL), TACT_OK);
    }
}

TEST(without_fallback_the_error_comes_back)
{
    tact_particles* p = make_rich(TACT_RESPONSE_SPRING, false);
    fake_engine* fake = fake_engine_install(p, true);
    const tact_query_options strict = {.backend = TACT_BACKEND_REFERENCE, .no_fallback = true};
    fake->steps_left = 5;
    assert_int_equal(tact_particles_step(p, rich_dt, 2, 10, &strict, NULL), TACT_ERROR_DEVICE_LOST);
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    assert_int_equal(info.steps, 0);
    particle_snapshot expected = left_alone(TACT_RESPONSE_SPRING, false, 10);
    step_on(p, 10, TACT_BACKEND_CPU);
    particle_snapshot_expect(p, &expected, "from the start, elsewhere");
}

TEST(a_device_lost_while_it_is_read_is_replaced)
{
    particle_snapshot expected = left_alone(TACT_RESPONSE_SPRING, false, 12);
    for (int moved = 0; moved < 2; ++moved) {
        tact_particles* p = make_rich(TACT_RESPONSE_SPRING, false);
        fake_engine* fake = fake_engine_install(p, true);
        fake->steps_left = 7;
        step_on(p, 7, TACT_BACKEND_REFERENCE);
        // The steps are taken again on the CPU, and once.
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
        assert_true(p->home == TACT_BACKEND_CPU && p->mirror_fresh && p->clock.steps == 7);
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
        step_on(p, 5, moved ? TACT_BACKEND_CPU : TACT_BACKEND_REFERENCE);
        particle_snapshot_expect(p, &expected, "lost and read");
    }
}

/// Takes steps until `target`, with memory again after the first failure.
static tact_result steps_until(counting_allocator* counter, tact_particles* p, uint64_t target)
{
    tact_result result = TACT_OK;
    for (int tries = 0; tries < 2; ++tries) {
        tact_particles_info info;
        assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        result = tact_particles_step(p, rich_dt, 2, (uint32_t)(target - info.steps), &options, NULL);
        if (result != TACT_ERROR_OUT_OF_MEMORY) break;
        counter->fail_at = 0;
    }
    return result;
}

/// What a small program does; each call that runs out of memory is tried again with more, and must then do what it
/// would have done at first.
#define AGAIN(call)                               \
    do {                                          \
        result = (call);                          \
        if (result == TACT_ERROR_OUT_OF_MEMORY) { \
            assert_true(counter->failed);         \
            counter->fail_at = 0;                 \
            result = (call);                      \
        }                                         \
        assert_int_equal(result, TACT_OK);        \
    } while (0)

static void work(counting_allocator* counter, particle_snapshot* end)
{
    const tact_context_desc desc = {
        .allocator = counting_hooks(counter), .log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* c = NULL;
    tact_particles *p = NULL, *q = NULL;
    tact_result result;
    const tact_particles_desc rich = rich_desc(TACT_RESPONSE_SPRING);
    AGAIN(tact_context_create(&desc, &c));
    AGAIN(tact_particles_create(c, &rich, &p));
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{-1, -2, 0}, 1}};
    const float x[9] = {0, 1, 2, 1, 2, 3, 2, 3, 4};
    const tact_particle_arrays more = {.positions = x, .radius = 0.25f};
    const uint32_t gone[2] = {2, 0};
    AGAIN(tact_particles_add_collider(p, &ball, NULL));
    const float corners[9] = {-4, -4, -4, 4, -3, -4, 0, -4, 4}, heights[6] = {0, 1, 0, 1, 0, 1};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_height_field_desc field = {
        .heights = heights, .columns = 3, .rows = 2, .step_x = 1.0f, .step_z = 1.0f, .origin = {0, -4, 0}};
    AGAIN(tact_particles_add_mesh(p, &mesh, NULL, 1, NULL));
    AGAIN(tact_particles_add_height_field(p, &field, NULL, 0, NULL));
    AGAIN(rich_particles(p));
    AGAIN(rich_forces(p));
    AGAIN(rich_emitters(p, true));
    assert_int_equal(steps_until(counter, p, 4), TACT_OK);
    AGAIN(tact_particles_add(p, &more, 3, NULL));
    AGAIN(tact_particles_remove(p, gone, 2));
    assert_int_equal(steps_until(counter, p, 12), TACT_OK);
    particle_snapshot saved = particle_snapshot_of(p);
    const tact_query_options defined = {.backend = TACT_BACKEND_REFERENCE};
    tact_neighbour_lists lists;
    AGAIN(tact_particles_neighbours(p, 0.5f, TACT_NEIGHBOURS_ALL, &lists, &defined, NULL));
    assert_true(lists.offsets[lists.slots] > 0);
    AGAIN(tact_particles_step(p, rich_dt, 2, 1, &defined, NULL));
    AGAIN(tact_particles_restore(c, saved.bytes, saved.size, TACT_BACKEND_CPU, &q));
    assert_int_equal(steps_until(counter, q, 20), TACT_OK);
    *end = particle_snapshot_of(q);
    tact_particles_destroy(p);
    tact_particles_destroy(q);
    tact_context_destroy(c);
}

TEST(every_allocation_may_fail)
{
    counting_allocator trial = {0};
    particle_snapshot expected, end;
    work(&trial, &expected);
    assert_int_equal(trial.live, 0);
    size_t n = 1;
    for (;; ++n) {
        counting_allocator counter = {.fail_at = n};
        work(&counter, &end);
        if (counter.live != 0) fail_msg("allocation %zu failed: %zu blocks were left over", n, counter.live);
        if (end.size != expected.size || memcmp(end.bytes, expected.bytes, end.size) != 0) {
            fail_msg("allocation %zu failed: the run ended in another state", n);
        }
        if (!counter.failed) break;
        assert_true(n < 5000);
    }
    print_message("%zu allocations, each failed once\n", n - 1);
    assert_true(n > 30);
}

/// Shadow checking takes steps and lists contacts by brute force as well, and sees a state or a list that is not that.
TEST(shadows_are_compared)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .shadow = true};
    for (int response = TACT_RESPONSE_SPRING; response <= TACT_RESPONSE_NONE; ++response) {
        tact_particles* p = make_rich((tact_particle_response)response, true);
        tact_query_report report;
        size_t count = 0, size = 0;
        void* bytes = NULL;
        assert_int_equal(tact_particles_step(p, rich_dt, 2, 5, &options, &report), TACT_OK);
        assert_non_null(strstr(report.reason, "shadow: equal"));
        // Three that touch for certain.
        const float places[9] = {0, 0, 0, 0.01f, 0, 0, 0, 0.01f, 0};
        const tact_particle_arrays three = {.positions = places, .radius = 0.1f};
        assert_int_equal(tact_particles_add(p, &three, 3, NULL), TACT_OK);
        assert_int_equal(tact_particles_contacts(p, NULL, 0, &count, &options, &report), TACT_INCOMPLETE);
        assert_true(count > 1);
        tact_particle_contact* contacts = scratch_zeroed(count, sizeof *contacts);
        assert_int_equal(tact_particles_contacts(p, contacts, count, &count, &options, &report), TACT_OK);
        assert_non_null(strstr(report.reason, "shadow: equal"));
        assert_int_equal(tact_particles_shadow_contacts(p, contacts, count, count - 1), TACT_ERROR_SHADOW_MISMATCH);
        contacts[count / 2].depth += 1.0f;
        assert_int_equal(tact_particles_shadow_contacts(p, contacts, count, count), TACT_ERROR_SHADOW_MISMATCH);
        // The state before a step is not the state after it.
        assert_int_equal(tact_particles_shadow_save(p, &bytes, &size), TACT_OK);
        assert_int_equal(tact_particles_shadow_steps(p, bytes, size, rich_dt, 2, 0, 1), TACT_OK);
        assert_int_equal(tact_particles_shadow_steps(p, bytes, size, rich_dt, 2, 1, 1), TACT_ERROR_SHADOW_MISMATCH);
        assert_non_null(strstr(tact_context_error(context), "reference"));
        tact_neighbour_lists lists;
        assert_int_equal(tact_particles_neighbours(p, 1.0f, TACT_NEIGHBOURS_ALL, &lists, &options, NULL),
                         TACT_ERROR_UNSUPPORTED);
        tact_release(&context->env, bytes);
    }
}

/// Whatever the caller allows: in a substep a particle moves no further than a period, nor than what is proved not to
/// pass a surface, where there is one.
TEST(speeds_are_limited_by_periods_and_surfaces)
{
    static const float place[3] = {0, 0, 0}, radius = 1e-4f;
    const tact_collider far = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 0, 1}, -900}};
    for (int way = 0; way < 4; ++way) {
        const bool periodic = way % 2, surface = way > 1;
        const float speed[3] = {0, 1e9f, 0};
        tact_particles_desc desc = {.response = TACT_RESPONSE_NONE, .speed_limit = 1e8f};
        desc.boundary[1] = periodic ? TACT_BOUNDARY_PERIODIC : TACT_BOUNDARY_OPEN;
        desc.domain = (tact_aabb){{-1000, -500, -1000}, {1000, 500, 1000}};
        const tact_particle_arrays one = {.positions = place, .velocities = speed, .radius = radius};
        tact_particles* p = KEEP(new_particles(context, &desc));
        assert_int_equal(tact_particles_add(p, &one, 1, NULL), TACT_OK);
        if (surface) assert_int_equal(tact_particles_add_collider(p, &far, NULL), TACT_OK);
        step_on(p, 1, way == 3 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU);
        float after[3];
        tact_particles_info info;
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){.velocities = after}), TACT_OK);
        assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
        const float substep = rich_dt / 2.0f, period = 0.999f * 1000.0f / substep,
                    way_longest = TACT_WAY_LONGEST * radius / substep;
        float expected = desc.speed_limit;
        if (periodic && expected > period) expected = period;
        if (surface && expected > way_longest) expected = way_longest;
        if (!(fabsf(after[1] - expected) <= 1e-3f * expected) || info.slowed == 0) {
            fail_msg("way %d: %g, expected %g", way, (double)after[1], (double)expected);
        }
    }
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
