// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particle systems on OpenGL and OpenCL devices that fail in the middle: out of memory at each buffer, lost at some
// launch. The run ends in the state that the CPU alone comes to, and the report says what happened.
#include "tests/support/run.h"

#include <fenv.h>

#include "core/context/context.h"
#include "gpu/device.h"
#include "tact/particle_programs.h"
#include "tact/particle_surfaces.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/particle_systems.h"
#include "tests/support/quiet.h"

static const uint32_t total = 24;
static bool with_bodies;                      ///< in the systems made
static bool with_motion, motion_is_measured;  ///< of these bodies; with a servo, and wear
static bool with_program, with_function;      ///< that give forces

typedef struct machine {
    tact_context* context;
    tact_device* device;
    tact_backend backend;
} machine;

static machine open_machine(tact_backend backend)
{
    machine m = {.backend = backend};
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .log = quiet,
                                    .threads = 2};
    assert_int_equal(tact_context_create(&desc, &m.context), TACT_OK);
    if (device_missing(m.context, backend)) {
        tact_context_destroy(m.context);
        skip_because("the device is missing");
    }
    m.device = m.context->devices[tact_context_find(m.context, backend)];
    return m;
}

static bool pull(const tact_force_call* call, void* user)
{
    (void)user;
    for (size_t i = 0; i < 3 * call->count; ++i)
        call->forces[i] = -4.0f * call->positions[i] - call->velocities[i];
    return true;
}

static void add_forces(tact_particles* p, tact_particle_response response)
{
    const tact_program_parameter mu = {"mu", 0.3f};
    const char* const text = response == TACT_RESPONSE_GRAINS
                                 ? "fx = -mu*vx; fy = 30*t*step(y, 0); fz = mu*x/(1 + abs(z)); ty = -0.01*wy"
                                 : "fx = -mu*vx; fy = 30*t*step(y, 0); fz = mu*x/(1 + abs(z))";
    if (with_program) assert_int_equal(tact_particles_set_program(p, text, &mu, 1), TACT_OK);
    if (with_function) assert_int_equal(tact_particles_set_force_function(p, pull, NULL), TACT_OK);
}

static tact_particles* make_rich(const machine* m, tact_particle_response response)
{
    const tact_particles_desc desc = rich_desc(response);
    tact_particles* p = new_particles(m->context, &desc);
    assert_int_equal(with_bodies ? rich_fill(p, false) : rich_fill_but_bodies(p, false), TACT_OK);
    add_forces(p, response);
    if (!with_motion) return p;
    const tact_servo servo = {.direction = {1, 2, 0}, .force = 500, .gain = 1e-3f, .greatest_speed = 2};
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_BODY, 1, true), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 1, true), TACT_OK);
    if (response == TACT_RESPONSE_SPRING && motion_is_measured) {
        assert_int_equal(tact_particles_set_servo(p, TACT_CONTACT_COLLIDER, 2, &servo), TACT_OK);
        assert_int_equal(tact_particles_set_wear(p, TACT_CONTACT_BODY, 1, true), TACT_OK);
    }
    return p;
}

static tact_result step_on(const machine* m, tact_particles* p, uint32_t steps, tact_backend backend,
                           tact_query_report* report)
{
    const tact_query_options options = {.backend = backend};
    return tact_particles_step(p, rich_dt, 2, steps, &options, report);
}

static tact_particles_info info_of(tact_particles* p)
{
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    return info;
}

static particle_snapshot left_alone(const machine* m, tact_particle_response response)
{
    tact_particles* p = make_rich(m, response);
    assert_int_equal(step_on(m, p, total, TACT_BACKEND_CPU, NULL), TACT_OK);
    const particle_snapshot s = particle_snapshot_of(p);
    tact_particles_destroy(p);
    return s;
}

/// Whether the device runs particles at all.
static bool runs_here(const machine* m)
{
    tact_query_report report;
    tact_particles* p = make_rich(m, TACT_RESPONSE_SPRING);
    assert_int_equal(step_on(m, p, 1, m->backend, &report), TACT_OK);
    tact_particles_destroy(p);
    return report.backend == m->backend;
}

static void out_of_memory_with(tact_backend backend, tact_particle_response response)
{
    const machine m = open_machine(backend);
    const bool runs = runs_here(&m);
    particle_snapshot expected = left_alone(&m, response);
    uint32_t failed = 0;
    for (uint32_t n = 1; n < 60; ++n) {
        tact_query_report report;
        tact_particles* p = make_rich(&m, response);
        tact_device_fail_buffer(m.device, n);
        const tact_result result = step_on(&m, p, total, backend, &report);
        tact_device_fail_buffer(m.device, 0);
        if (result != TACT_OK) fail_msg("buffer %u: %s", (unsigned)n, tact_context_error(m.context));
        particle_snapshot_expect(p, &expected, "out of device memory");
        tact_particles_destroy(p);
        if (report.failures == 0) break;
        assert_true(!runs || strstr(report.reason, "out of memory"));
        ++failed;
        if (!runs) break;
    }
    print_message("%u buffers, each failed once\n", (unsigned)failed);
    tact_context_destroy(m.context);
}

static void out_of_memory(tact_backend backend)
{
    out_of_memory_with(backend, TACT_RESPONSE_SPRING);
    out_of_memory_with(backend, TACT_RESPONSE_GRAINS);
}

static void lost(tact_backend backend)
{
    const uint32_t launches[] = {1, 2, 7, 30, 100, 300};
    const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_POSITION, TACT_RESPONSE_GRAINS};
    for (size_t i = 0; i < 3 * sizeof launches / sizeof *launches; ++i) {
        // A context of its own, since its device stays lost.
        const machine m = open_machine(backend);
        const tact_particle_response response = responses[i % 3];
        const bool runs = runs_here(&m);
        particle_snapshot expected = left_alone(&m, response);
        tact_query_report report;
        tact_particles* p = make_rich(&m, response);
        assert_int_equal(step_on(&m, p, 5, backend, &report), TACT_OK);
        tact_device_fail_launch(m.device, launches[i / 3]);
        if (step_on(&m, p, total - 5, backend, &report) != TACT_OK) fail_msg("%s", tact_context_error(m.context));
        if (runs && report.failures > 0) assert_non_null(strstr(report.reason, "lost"));
        if (runs && i < 9) assert_int_equal(report.failures, 1);
        tact_device_fail_launch(m.device, 0);
        particle_snapshot_expect(p, &expected, "a lost device");
        tact_particles_destroy(p);
        tact_context_destroy(m.context);
    }
}

/// Who waits is told that the steps are gone, and the next call does them again.
static void lost_while_waited_for(tact_backend backend)
{
    const machine m = open_machine(backend);
    const bool runs = runs_here(&m);
    particle_snapshot expected = left_alone(&m, TACT_RESPONSE_SPRING);
    tact_particles *p = make_rich(&m, TACT_RESPONSE_SPRING), *other = make_rich(&m, TACT_RESPONSE_SPRING);
    assert_int_equal(tact_particles_wait(NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_wait(p), TACT_OK);
    assert_int_equal(step_on(&m, p, 5, backend, NULL), TACT_OK);
    assert_int_equal(tact_particles_wait(p), TACT_OK);
    tact_device_fail_launch(m.device, 1);
    assert_int_equal(step_on(&m, other, 1, backend, NULL), TACT_OK);
    tact_device_fail_launch(m.device, 0);
    assert_int_equal(tact_particles_wait(p), runs ? TACT_ERROR_DEVICE_LOST : TACT_OK);
    assert_int_equal(step_on(&m, p, total - 5, backend, NULL), TACT_OK);
    assert_int_equal(tact_particles_wait(p), TACT_OK);
    particle_snapshot_expect(p, &expected, "a device lost while it was waited for");
    tact_particles_destroy(other);
    tact_particles_destroy(p);
    tact_context_destroy(m.context);
}

/// A device is lost while nothing of the system is asked: contacts, neighbours, reading, removing, an emitter and
/// saving are then those of steps taken again elsewhere.
static void lost_before_the_question(tact_backend backend)
{
    const tact_emitter fine = {.edge = {{1, 0, 0}, {0, 0, 1}}, .velocity = {0, -1, 0}, .radius = 0.05f};
    enum { READ, CONTACTS, NEIGHBOURS, REMOVE, EMIT, SAVE, QUESTIONS };
    for (int question = 0; question < QUESTIONS; ++question) {
        const machine m = open_machine(backend);
        const bool runs = runs_here(&m);
        tact_particles *p = make_rich(&m, TACT_RESPONSE_SPRING), *other = make_rich(&m, TACT_RESPONSE_SPRING);
        tact_particles* alone = make_rich(&m, TACT_RESPONSE_SPRING);
        assert_int_equal(step_on(&m, alone, total, TACT_BACKEND_CPU, NULL), TACT_OK);
        assert_int_equal(step_on(&m, p, total, backend, NULL), TACT_OK);
        tact_device_fail_launch(m.device, 1);
        assert_int_equal(step_on(&m, other, 1, backend, NULL), TACT_OK);
        tact_device_fail_launch(m.device, 0);
        assert_true(!runs || tact_device_lost(m.device));
        tact_query_report report = {0};
        size_t count = 0, expected = 0;
        tact_neighbour_lists lists;
        const uint32_t first = 0;
        // However the caller rounds.
        assert_int_equal(fesetround(FE_UPWARD), 0);
        switch (question) {
            case CONTACTS:
                assert_true(tact_particles_contacts(alone, NULL, 0, &expected, NULL, NULL) >= TACT_OK);
                assert_true(tact_particles_contacts(p, NULL, 0, &count, NULL, &report) >= TACT_OK);
                break;
            case NEIGHBOURS:
                assert_int_equal(tact_particles_neighbours(alone, 1, TACT_NEIGHBOURS_ONCE, &lists, NULL, NULL), 0);
                expected = (size_t)lists.offsets[lists.slots];
                assert_int_equal(tact_particles_neighbours(p, 1, TACT_NEIGHBOURS_ONCE, &lists, NULL, &report), 0);
                count = (size_t)lists.offsets[lists.slots];
                break;
            case REMOVE:
                assert_int_equal(tact_particles_remove(alone, &first, 1), TACT_OK);
                assert_int_equal(tact_particles_remove(p, &first, 1), TACT_OK);
                break;
            case EMIT:
                // Of radii that the system has not had.
                assert_int_equal(tact_particles_add_emitter(alone, &fine, NULL), TACT_OK);
                assert_int_equal(tact_particles_add_emitter(p, &fine, NULL), TACT_OK);
                break;
            case SAVE:
                assert_int_equal(tact_particles_save(alone, NULL, 0, &expected), TACT_INCOMPLETE);
                assert_int_equal(tact_particles_save(p, NULL, 0, &count), TACT_INCOMPLETE);
                break;
            default:
                assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
                break;
        }
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(count, expected);
        if (runs && (question == CONTACTS || question == NEIGHBOURS)) {
            assert_true(expected > 0 && report.failures >= 1 && strstr(report.reason, "lost"));
        }
        assert_int_equal(info_of(p).steps, total);
        const particle_snapshot s = particle_snapshot_of(alone);
        particle_snapshot_expect(p, &s, "a device lost before the question");
        tact_particles_destroy(alone);
        tact_particles_destroy(other);
        tact_particles_destroy(p);
        tact_context_destroy(m.context);
    }
}

static void owned_up_to(tact_backend backend)
{
    const machine m = open_machine(backend);
    if (runs_here(&m)) {
        tact_particles* p = make_rich(&m, TACT_RESPONSE_SPRING);
        assert_int_equal(step_on(&m, p, 6, backend, NULL), TACT_OK);
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
        assert_int_equal(step_on(&m, p, 4, backend, NULL), TACT_OK);
        assert_int_equal(tact_particles_set_gravity(p, (tact_vec3){1, 1, 1}), TACT_OK);
        tact_device_fail_launch(m.device, 3);
        assert_int_equal(step_on(&m, p, 4, backend, NULL), TACT_ERROR_DEVICE_LOST);
        assert_non_null(strstr(tact_context_error(m.context), "step 6"));
        assert_int_equal(info_of(p).steps, 6);
        assert_int_equal(step_on(&m, p, 4, backend, NULL), TACT_OK);
        tact_particles_destroy(p);
    }
    tact_context_destroy(m.context);
}

/// A system in which every step lets some in and, from the tenth or so on, takes some out.
static tact_particles* make_stream(const machine* m)
{
    const tact_particles_desc desc = {.gravity = {0, -9.81f, 0}};
    const tact_emitter stream = {.edge = {{2, 0, 0}, {0, 0, 2}},
                                 .velocity = {0, -60, 0},
                                 .radius = 0.2f,
                                 .spacing = 0.4f,
                                 .interval = rich_dt,
                                 .jitter = 0};
    const tact_collider below = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -1.2f}};
    tact_particles* p = new_particles(m->context, &desc);
    assert_int_equal(tact_particles_add_emitter(p, &stream, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &below, NULL), TACT_OK);
    return p;
}

static particle_snapshot stream_left_alone(const machine* m)
{
    tact_particles* p = make_stream(m);
    assert_int_equal(step_on(m, p, total, TACT_BACKEND_CPU, NULL), TACT_OK);
    const particle_snapshot s = particle_snapshot_of(p);
    tact_particles_destroy(p);
    return s;
}

/// A device that has no more room for what comes in still has what is there, and goes on when there is room again.
static void no_room_for_more(tact_backend backend)
{
    const machine m = open_machine(backend);
    particle_snapshot expected = stream_left_alone(&m);
    const tact_query_options strict = {.backend = backend, .no_fallback = true};
    uint32_t kept = 0;
    for (uint32_t n = 1; runs_here(&m); ++n) {
        tact_particles* p = make_stream(&m);
        assert_int_equal(tact_particles_step(p, rich_dt, 2, 3, &strict, NULL), TACT_OK);
        tact_device_fail_buffer(m.device, n);
        const tact_result result = tact_particles_step(p, rich_dt, 2, total - 3, &strict, NULL);
        tact_device_fail_buffer(m.device, 0);
        const uint32_t done = (uint32_t)info_of(p).steps;
        if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        // Room for cells may be what was missing; the steps since the beginning are then lost.
        if (result != TACT_OK && done > 0) {
            size_t count = 0;
            ++kept;
            assert_int_equal(info_of(p).host_step, 0);
            const tact_result listed = tact_particles_contacts(p, NULL, 0, &count, &strict, NULL);
            if (listed < TACT_OK) fail_msg("%s", tact_context_error(m.context));
        }
        assert_int_equal(tact_particles_step(p, rich_dt, 2, total - done, &strict, NULL), TACT_OK);
        particle_snapshot_expect(p, &expected, "room again");
        tact_particles_destroy(p);
        if (result == TACT_OK) break;
    }
    print_message("%u buffers, each failed once\n", (unsigned)kept);
    // Nine for each time that it grows.
    assert_true(!runs_here(&m) || kept >= 18);
    tact_context_destroy(m.context);
}

static size_t user_data_of(tact_particles* p, uint64_t data[1024])
{
    const size_t count = tact_particles_count(p);
    assert_true(count <= 1024);
    assert_int_equal(tact_particles_get_user_data(p, NULL, 0, count, data), TACT_OK);
    return count;
}

static void mark_all(tact_particles* p)
{
    static uint64_t data[1024];
    for (size_t i = 0; i < 1024; ++i)
        data[i] = i + 1;
    assert_int_equal(tact_particles_set_user_data(p, NULL, tact_particles_count(p), data), TACT_OK);
}

/// Steps that are taken again leave particles the user data that they got after they came in.
static void lost_at_a_sink(tact_backend backend)
{
    static uint64_t marks[1024], expected_marks[1024];
    size_t marked = 0;
    for (uint32_t launch = 1; launch <= 36; ++launch) {
        const machine m = open_machine(backend);
        const bool runs = runs_here(&m);
        if (!runs) launch = 36;
        tact_query_report report;
        tact_particles *p = make_stream(&m), *alone = make_stream(&m);
        assert_int_equal(step_on(&m, alone, 15, TACT_BACKEND_CPU, NULL), TACT_OK);
        mark_all(alone);
        assert_int_equal(step_on(&m, alone, total - 15, TACT_BACKEND_CPU, NULL), TACT_OK);
        particle_snapshot expected = particle_snapshot_of(alone);
        assert_int_equal(step_on(&m, p, 15, backend, &report), TACT_OK);
        mark_all(p);
        tact_device_fail_launch(m.device, launch);
        if (step_on(&m, p, total - 15, backend, &report) != TACT_OK) fail_msg("%s", tact_context_error(m.context));
        if (runs) assert_int_equal(report.failures, 1);
        const size_t count = user_data_of(p, marks);
        assert_int_equal(count, user_data_of(alone, expected_marks));
        assert_memory_equal(marks, expected_marks, count * sizeof *marks);
        for (size_t i = 0; i < count; ++i)
            marked += marks[i] != 0;
        particle_snapshot_expect(p, &expected, "a lost device");
        tact_particles_destroy(p);
        tact_particles_destroy(alone);
        tact_context_destroy(m.context);
    }
    assert_true(marked > 0);
}

static void with_and_without_bodies(void (*test)(tact_backend), tact_backend backend)
{
    for (int with = 0; with < 2; ++with) {
        with_bodies = with;
        test(backend);
    }
    with_bodies = false;
}

TEST(opengl_out_of_memory_is_replaced)
{
    with_and_without_bodies(out_of_memory, TACT_BACKEND_GL);
}

TEST(opencl_out_of_memory_is_replaced)
{
    with_and_without_bodies(out_of_memory, TACT_BACKEND_CL);
}

TEST(a_lost_opengl_device_is_replaced)
{
    with_and_without_bodies(lost, TACT_BACKEND_GL);
    with_and_without_bodies(lost_while_waited_for, TACT_BACKEND_GL);
}

TEST(a_lost_opencl_device_is_replaced)
{
    with_and_without_bodies(lost, TACT_BACKEND_CL);
    with_and_without_bodies(lost_while_waited_for, TACT_BACKEND_CL);
}

/// Where surfaces are, and how fast and worn, is gone back on with the steps that are lost.
static void lost_with_motion(tact_backend backend)
{
    with_bodies = with_motion = true;
    for (int k = 0; k < 2; ++k) {
        motion_is_measured = k;
        lost(backend);
        lost_before_the_question(backend);
    }
    with_bodies = with_motion = motion_is_measured = false;
}

/// Programs are built anew elsewhere; functions are called again for what is taken again.
static void lost_with_forces(tact_backend backend)
{
    for (int k = 0; k < 3; ++k) {
        with_program = k != 1;
        with_function = k > 0;
        lost(backend);
        if (k < 2) lost_before_the_question(backend);
    }
    with_function = false;
    out_of_memory(backend);
    with_program = false;
}

TEST(forces_go_on_after_opengl_is_lost)
{
    lost_with_forces(TACT_BACKEND_GL);
}

TEST(forces_go_on_after_opencl_is_lost)
{
    lost_with_forces(TACT_BACKEND_CL);
}

TEST(surfaces_move_on_after_opengl_is_lost)
{
    lost_with_motion(TACT_BACKEND_GL);
}

TEST(surfaces_move_on_after_opencl_is_lost)
{
    lost_with_motion(TACT_BACKEND_CL);
}

TEST(what_is_asked_of_a_lost_opengl_device_is_told_elsewhere)
{
    lost_before_the_question(TACT_BACKEND_GL);
}

TEST(what_is_asked_of_a_lost_opencl_device_is_told_elsewhere)
{
    lost_before_the_question(TACT_BACKEND_CL);
}

TEST(steps_lost_with_opengl_are_owned_up_to)
{
    owned_up_to(TACT_BACKEND_GL);
}

TEST(steps_lost_with_opencl_are_owned_up_to)
{
    owned_up_to(TACT_BACKEND_CL);
}

TEST(opengl_may_have_no_room_for_more)
{
    no_room_for_more(TACT_BACKEND_GL);
}

TEST(opencl_may_have_no_room_for_more)
{
    no_room_for_more(TACT_BACKEND_CL);
}

TEST(opengl_lost_at_a_sink_is_replaced)
{
    lost_at_a_sink(TACT_BACKEND_GL);
}

TEST(opencl_lost_at_a_sink_is_replaced)
{
    lost_at_a_sink(TACT_BACKEND_CL);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
