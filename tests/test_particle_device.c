// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles from and to the caller's own buffers, in adopted OpenGL and OpenCL contexts.
#include "tests/support/run.h"

#include "tests/support/caller.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/random.h"

enum { N = 300 };

static tact_particles* make(caller* c)
{
    const tact_particles_desc desc = {.gravity = {0, -9.81f, 0}};
    return KEEP(new_particles(c->context, &desc));
}

static void refuse(caller* c, tact_result result)
{
    assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
    assert_true(tact_context_error(c->context)[0] != 0);
}

/// What buffers give is what host arrays give, and what comes back is what is read on the host.
TEST_AS(ON_BOTH, buffers_are_as_good_as_arrays)
{
    caller* c = caller_require(state);
    test_random r = {4};
    static float rows[2][N][4], places[3 * N], speeds[3 * N], radii[N], masses[N];
    for (size_t i = 0; i < N; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            places[3 * i + k] = rows[0][i][k] = 8.0f * test_random_signed(&r);
            speeds[3 * i + k] = rows[1][i][k] = test_random_signed(&r);
        }
        radii[i] = rows[0][i][3] = 0.1f + test_random_unit(&r);
        masses[i] = rows[1][i][3] = i == 7 ? INFINITY : 1.0f + test_random_unit(&r);
    }
    for (int moving = 0; moving < 2; ++moving) {
        const tact_device_array positions = caller_make_array(c, 16 + sizeof rows[0], 16);
        const tact_device_array velocities = caller_make_array(c, 4 + sizeof rows[1], 4);
        caller_write_array(c, &positions, rows[0], sizeof rows[0]);
        caller_write_array(c, &velocities, rows[1], sizeof rows[1]);
        tact_particles *p = make(c), *q = make(c);
        uint32_t ids[N];
        tact_result result =
            call_particles_add_device(p, &positions, moving ? &velocities : NULL, 600.0f, 0, 5, N, ids);
        if (result != TACT_OK) fail_msg("%s", tact_context_error(c->context));
        assert_true(ids[0] == 0 && ids[N - 1] == N - 1);
        const tact_particle_arrays arrays = {.positions = places,
                                             .velocities = moving ? speeds : NULL,
                                             .radii = radii,
                                             .masses = moving ? masses : NULL,
                                             .density = 600.0f,
                                             .group = 5};
        assert_int_equal(tact_particles_add(q, &arrays, N, NULL), TACT_OK);
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        assert_int_equal(tact_particles_step(p, 1e-3f, 1, 5, &options, NULL), TACT_OK);
        assert_int_equal(tact_particles_step(q, 1e-3f, 1, 5, &options, NULL), TACT_OK);
        particle_snapshot expected = particle_snapshot_of(q);
        particle_snapshot_expect(p, &expected, "from buffers");
        static float x[3 * N], v[3 * N], m[N], back[2][N][4];
        const tact_particle_output out = {.positions = x, .velocities = v, .masses = m};
        assert_int_equal(tact_particles_read(q, &out), TACT_OK);
        assert_int_equal(tact_particles_read_device(p, &positions, &velocities), TACT_OK);
        caller_read_array(c, &positions, back[0], sizeof back[0]);
        caller_read_array(c, &velocities, back[1], sizeof back[1]);
        for (size_t i = 0; i < N; ++i) {
            assert_memory_equal(back[0][i], x + 3 * i, 12);
            assert_memory_equal(back[1][i], v + 3 * i, 12);
            assert_true(back[0][i][3] == radii[i] && back[1][i][3] == m[i]);
        }
    }
}

/// Whether the buffers have what reading on the host gives, in another order.
static void expect_buffers(caller* c, tact_particles* p)
{
    static float x[3 * N], v[3 * N], radii[N], masses[N], rows[2][N][4];
    static uint32_t ids[N], tags[N][2];
    const tact_particle_output out = {.ids = ids, .positions = x, .velocities = v, .radii = radii, .masses = masses};
    tact_particle_buffers b;
    if (tact_particles_device_buffers(p, &b) != TACT_OK) fail_msg("%s", tact_context_error(c->context));
    assert_int_equal(b.count, tact_particles_count(p));
    assert_int_equal(b.positions.backend, c->backend);
    caller_read_array(c, &b.positions, rows[0], b.count * sizeof *rows[0]);
    caller_read_array(c, &b.velocities, rows[1], b.count * sizeof *rows[1]);
    caller_read_array(c, &b.tags, tags, b.count * sizeof *tags);
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
    bool seen[N] = {false};
    for (size_t slot = 0; slot < b.count; ++slot) {
        size_t i = 0;
        while (i < b.count && ids[i] != tags[slot][0])
            ++i;
        assert_true(i < b.count && !seen[i]);
        seen[i] = true;
        assert_memory_equal(rows[0][slot], x + 3 * i, 12);
        assert_memory_equal(rows[1][slot], v + 3 * i, 12);
        assert_true(rows[0][slot][3] == radii[i]);
        assert_true(masses[i] == (rows[1][slot][3] > 0.0f ? 1.0f / rows[1][slot][3] : INFINITY));
        assert_int_equal(tags[slot][1], 5 * 256);
    }
}

TEST_AS(ON_BOTH, particles_are_in_the_buffers_named)
{
    caller* c = caller_require(state);
    test_random r = {6};
    static float x[3 * N];
    for (size_t i = 0; i < 3 * (size_t)N; ++i)
        x[i] = 3.0f * test_random_signed(&r);
    for (int response = 0; response < 3; ++response) {
        const tact_particles_desc desc = {
            .gravity = {0, -9.81f, 0}, .backend = c->backend, .response = (tact_particle_response)response};
        tact_particles* p = KEEP(new_particles(c->context, &desc));
        // None yet, then before the first step, after one, after a change.
        const tact_particle_arrays arrays = {.positions = x, .radius = 0.3f, .group = 5};
        expect_buffers(c, p);
        assert_int_equal(tact_particles_add(p, &arrays, N - 20, NULL), TACT_OK);
        expect_buffers(c, p);
        assert_int_equal(tact_particles_step(p, 1e-3f, 1, 2, NULL, NULL), TACT_OK);
        expect_buffers(c, p);
        assert_int_equal(tact_particles_remove(p, (const uint32_t[]){3, 200}, 2), TACT_OK);
        assert_int_equal(tact_particles_add(p, &arrays, 20, NULL), TACT_OK);
        expect_buffers(c, p);
        assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, NULL, NULL), TACT_OK);
        expect_buffers(c, p);
    }
}

TEST_AS(ON_BOTH, bad_buffers_are_refused)
{
    caller* c = caller_require(state);
    const tact_device_array array = caller_make_array(c, 64, 0);
    float rows[4][4] = {{0, 0, 0, 1}, {3, 0, 0, 1}, {6, 0, 0, 1}, {9, 0, NAN, 1}};
    caller_write_array(c, &array, rows, sizeof rows);
    tact_particles* p = make(c);
    tact_device_array wrong = array;
    refuse(c, call_particles_add_device(p, &array, NULL, 0, 0, 0, 5, NULL));
    wrong.offset = 16;
    refuse(c, call_particles_add_device(p, &wrong, NULL, 0, 0, 0, 4, NULL));
    wrong.offset = 2;
    refuse(c, call_particles_add_device(p, &wrong, NULL, 0, 0, 0, 1, NULL));
    wrong = array;
    wrong.backend = c->backend == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    refuse(c, call_particles_add_device(p, &wrong, NULL, 0, 0, 0, 1, NULL));
    // The values too, and then nothing was added.
    refuse(c, call_particles_add_device(p, &array, NULL, 0, 0, 0, 4, NULL));
    assert_non_null(strstr(tact_context_error(c->context), "particle 3"));
    assert_int_equal(tact_particles_count(p), 0);
    assert_int_equal(call_particles_add_device(p, &array, NULL, 0, 0, 0, 3, NULL), TACT_OK);
    assert_int_equal(call_particles_add_device(p, &array, NULL, 0, 0, 0, 0, NULL), TACT_OK);
    // Too small to take all: neither is written.
    wrong = array;
    wrong.offset = 32;
    refuse(c, tact_particles_read_device(p, &array, &wrong));
    assert_int_equal(tact_particles_read_device(p, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_read_device(NULL, &array, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
