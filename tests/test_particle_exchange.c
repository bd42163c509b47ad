// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles from and to the caller's buffers on the device on which the system lives: the same bits, and the same words
// where something is wrong, as by way of the host.
#include "tests/support/run.h"

#include "gpu/device.h"
#include "kernels/particle_rows.h"
#include "tests/support/caller.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/random.h"

enum { N = 1500 };

/// What both ways are given: rows for the device, arrays for the host.
typedef struct input {
    float rows[2][N][4];
    float places[3 * N], speeds[3 * N], radii[N], masses[N];
    uint8_t material, group;
    float density;
    bool moving;
} input;

static void take_apart(input* in)
{
    for (size_t i = 0; i < N; ++i) {
        memcpy(in->places + 3 * i, in->rows[0][i], 12);
        memcpy(in->speeds + 3 * i, in->rows[1][i], 12);
        in->radii[i] = in->rows[0][i][3];
        in->masses[i] = in->rows[1][i][3];
    }
}

/// In a box from -4 to 4.
static void fill_input(input* in, uint64_t seed, float smallest, float largest)
{
    test_random r = {seed};
    for (size_t i = 0; i < N; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            in->rows[0][i][k] = 4.0f * test_random_signed(&r);
            in->rows[1][i][k] = test_random_signed(&r);
        }
        in->rows[0][i][3] = smallest + (largest - smallest) * test_random_unit(&r);
        in->rows[1][i][3] = i % 97 == 7 ? INFINITY : 0.5f + test_random_unit(&r);
    }
    in->density = 600.0f;
    in->group = 5;
    in->material = 0;
    in->moving = true;
    take_apart(in);
}

static tact_particles* make(caller* c, tact_backend backend, tact_boundary boundary, float max_radius)
{
    const tact_particle_material material = {2000.0f, 0.5f, 0.5f, 0.1f};
    const bool turns = boundary == TACT_BOUNDARY_WALL;
    const tact_particles_desc desc = {.gravity = {0, -9.81f, 0},
                                      .response = turns ? TACT_RESPONSE_GRAINS : TACT_RESPONSE_POSITION,
                                      .materials = &material,
                                      .material_count = 1,
                                      .backend = backend,
                                      .boundary = {boundary, TACT_BOUNDARY_OPEN, boundary},
                                      .domain = {{-4, -4, -4}, {4, 4, 4}},
                                      .max_radius = max_radius};
    tact_particles* p = NULL;
    if (tact_particles_create(c->context, &desc, &p) != TACT_OK) fail_msg("%s", tact_context_error(c->context));
    return KEEP(p);
}

/// The caller's two buffers, at odd places.
typedef struct buffers {
    tact_device_array positions, velocities;
} buffers;

static buffers make_buffers(caller* c)
{
    const buffers b = {caller_make_array(c, 16 * N + 20, 20), caller_make_array(c, 16 * N + 64, 4)};
    return b;
}

static tact_result add_rows(caller* c, tact_particles* p, const buffers* b, const input* in, size_t count)
{
    caller_write_array(c, &b->positions, in->rows[0], sizeof in->rows[0]);
    caller_write_array(c, &b->velocities, in->rows[1], sizeof in->rows[1]);
    return call_particles_add_device(p, &b->positions, in->moving ? &b->velocities : NULL, in->density, in->material,
                                     in->group, count, NULL);
}

static tact_result add_arrays(tact_particles* p, const input* in, size_t count)
{
    const tact_particle_arrays arrays = {.positions = in->places,
                                         .velocities = in->moving ? in->speeds : NULL,
                                         .radii = in->radii,
                                         .masses = in->moving ? in->masses : NULL,
                                         .density = in->density,
                                         .material = in->material,
                                         .group = in->group};
    return tact_particles_add(p, &arrays, count, NULL);
}

/// Where the state is: AUTO while only the host has it.
static tact_backend home_of(tact_particles* p)
{
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    return info.backend;
}

static uint64_t host_step(tact_particles* p)
{
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    return info.host_step;
}

static void expect_same(tact_particles* p, tact_particles* q, const char* what)
{
    particle_snapshot expected = particle_snapshot_of(q);
    particle_snapshot_expect(p, &expected, what);
}

static void ok(caller* c, tact_result result)
{
    if (result != TACT_OK) fail_msg("%s", tact_context_error(c->context));
}

static void step(caller* c, tact_particles* p, tact_backend backend, uint32_t steps)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    ok(c, tact_particles_step(p, 2e-3f, 1, steps, &options, NULL));
}

/// What comes back on the device is what is read on the host, of which the device's way needs no copy.
static void expect_read(caller* c, tact_particles* p, const buffers* b)
{
    static float x[3 * N], v[3 * N], radii[N], masses[N], back[2][N][4];
    const size_t count = tact_particles_count(p);
    const uint64_t had = host_step(p);
    memset(back, 0xab, sizeof back);
    caller_write_array(c, &b->positions, back[0], sizeof back[0]);
    caller_write_array(c, &b->velocities, back[1], sizeof back[1]);
    ok(c, tact_particles_read_device(p, &b->positions, &b->velocities));
    assert_int_equal(host_step(p), had);
    caller_read_array(c, &b->positions, back[0], sizeof back[0]);
    caller_read_array(c, &b->velocities, back[1], sizeof back[1]);
    const tact_particle_output out = {.positions = x, .velocities = v, .radii = radii, .masses = masses};
    ok(c, tact_particles_read(p, &out));
    for (size_t i = 0; i < count; ++i) {
        assert_memory_equal(back[0][i], x + 3 * i, 12);
        assert_memory_equal(back[1][i], v + 3 * i, 12);
        assert_memory_equal(&back[0][i][3], &radii[i], 4);
        assert_memory_equal(&back[1][i][3], &masses[i], 4);
    }
    const uint8_t* rest = (const uint8_t*)&back[0][count];
    for (size_t i = 0; i < 16 * (N - count); ++i)
        assert_int_equal(rest[i], 0xab);
}

TEST(reciprocals_are_the_processors)
{
    test_random r = {11};
    for (uint32_t i = 0; i < 4000000; ++i) {
        // Every exponent, with ends of the mantissa among the random ones.
        const uint32_t exponent = i % 255;
        uint32_t mantissa = (uint32_t)test_random_bits(&r) & 0x7fffffu;
        if (i % 7 == 0) mantissa = i / 7 % 5;
        if (i % 7 == 1) mantissa = 0x7fffffu - i / 7 % 5;
        // Subnormal ones of all lengths.
        if (exponent == 0) mantissa >>= i / 255 % 24;
        const uint32_t bits = exponent << 23 | mantissa;
        if (bits == 0) continue;
        const float m = as_float(bits);
        const uint32_t inverse = as_uint((float)(1.0 / (double)m));
        if (tact_word_inverse_mass(bits) != inverse) fail_msg("1 / %a", (double)m);
        assert_int_equal(tact_word_mass(bits), as_uint(1.0f / m));
    }
    assert_int_equal(tact_word_mass(0), as_uint(INFINITY));
    assert_int_equal(tact_word_inverse_mass(as_uint(INFINITY)), 0);
}

TEST_AS(ON_BOTH, both_ways_give_the_same_bits)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    for (int round = 0; round < 12; ++round) {
        const tact_boundary boundary = (tact_boundary)(round % 3);
        const bool mixed = round & 1;
        fill_input(&in, (uint64_t)round, 0.1f, mixed ? 0.25f : 0.1f);
        in.moving = round < 6;
        tact_particles* p = make(c, c->backend, boundary, 0.0f);
        tact_particles* q = make(c, TACT_BACKEND_CPU, boundary, 0.0f);
        ok(c, add_rows(c, p, &b, &in, N));
        ok(c, add_arrays(q, &in, N));
        // Masses of different radii are for the host.
        assert_int_equal(home_of(p), in.moving || !mixed ? c->backend : TACT_BACKEND_AUTO);
        assert_true(tact_particles_stable_step(p) == tact_particles_stable_step(q));
        step(c, p, c->backend, 3);
        step(c, q, TACT_BACKEND_CPU, 3);
        expect_read(c, p, &b);
        expect_same(p, q, "after steps");
    }
}

/// Ends of the domain, zeros, the smallest and greatest of all that may be given.
TEST_AS(ON_BOTH, extremes_keep_their_bits)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    const float places[] = {-4.0f, 4.0f, 0.0f, -0.0f, 1e-42f, -1e-42f, nextafterf(4.0f, 0.0f), 3.0f};
    const float speeds[] = {TACT_MAX_COORDINATE, -TACT_MAX_COORDINATE, -0.0f, 1e-40f, -1e-40f, 1.0f};
    const float masses[] = {INFINITY, 3.4e38f, 1e38f, 1e-38f, 3e-39f, 1.1754944e-38f, 1.0f, 3.0f, 0.1f};
    for (int boundary = 0; boundary < 3; ++boundary) {
        fill_input(&in, 5, 0.1f, 0.1f);
        for (size_t i = 0; i < N; ++i) {
            for (size_t k = 0; k < 3; ++k) {
                in.rows[0][i][k] = places[(i + 3 * k + i / 7) % (sizeof places / sizeof *places)];
                in.rows[1][i][k] = speeds[(i + k) % (sizeof speeds / sizeof *speeds)];
            }
            if (i == 9) in.rows[0][i][1] = -TACT_MAX_COORDINATE;
            in.rows[1][i][3] = masses[i % (sizeof masses / sizeof *masses)];
        }
        take_apart(&in);
        tact_particles* p = make(c, c->backend, (tact_boundary)boundary, 0.0f);
        tact_particles* q = make(c, TACT_BACKEND_CPU, (tact_boundary)boundary, 0.0f);
        ok(c, add_rows(c, p, &b, &in, N));
        ok(c, add_arrays(q, &in, N));
        assert_int_equal(home_of(p), c->backend);
        expect_read(c, p, &b);
        expect_same(p, q, "extremes");
    }
    // A domain that ends at zeros of either sign.
    const float zeros[2] = {0.0f, -0.0f};
    for (int i = 0; i < 8; ++i) {
        tact_particles_desc desc = {.boundary = {i & 1 ? TACT_BOUNDARY_WALL : TACT_BOUNDARY_PERIODIC}};
        desc.domain = (tact_aabb){{i & 2 ? -8.0f : zeros[i >> 2], 0, 0}, {i & 2 ? zeros[i >> 2] : 8.0f, 0, 0}};
        fill_input(&in, 5, 0.1f, 0.1f);
        for (size_t k = 0; k < N; ++k)
            in.rows[0][k][0] = k % 3 == 0 ? 0.0f : k % 3 == 1 ? -0.0f : i & 2 ? -8.0f : 8.0f;
        take_apart(&in);
        tact_particles* q = KEEP(new_particles(c->context, &desc));
        desc.backend = c->backend;
        tact_particles* p = KEEP(new_particles(c->context, &desc));
        ok(c, add_rows(c, p, &b, &in, N));
        ok(c, add_arrays(q, &in, N));
        assert_int_equal(home_of(p), c->backend);
        expect_same(p, q, "zeros");
    }
}

/// One thing that is wrong with a particle.
typedef struct flaw {
    int row, word;
    float value;
} flaw;

static void expect_refusal(caller* c, const buffers* b, const input* in, float max_radius, const char* what)
{
    static input good;
    char expected[512];
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_PERIODIC, max_radius);
    tact_particles* q = make(c, TACT_BACKEND_CPU, TACT_BOUNDARY_PERIODIC, max_radius);
    const tact_result result = add_arrays(q, in, N);
    assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
    snprintf(expected, sizeof expected, "%s", tact_context_error(c->context));
    if (add_rows(c, p, b, in, N) != result) fail_msg("%s: taken", what);
    assert_string_equal(tact_context_error(c->context), expected);
    assert_int_equal(tact_particles_count(p), 0);
    expect_same(p, q, what);
    // As if nothing had happened.
    fill_input(&good, 3, 0.1f, 0.1f);
    ok(c, add_rows(c, p, b, &good, N - 1));
    ok(c, add_arrays(q, &good, N - 1));
    expect_same(p, q, what);
}

TEST_AS(ON_BOTH, the_first_bad_one_is_named)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    const flaw flaws[] = {
        {0, 0, NAN},       {0, 1, INFINITY}, {0, 1, -INFINITY}, {0, 1, 1.2e18f}, {0, 1, -1.2e18f}, {0, 2, -NAN},
        {0, 0, 4.000001f}, {0, 2, -4.5f},    {0, 3, 0.0f},      {0, 3, -0.0f},   {0, 3, -0.1f},    {0, 3, NAN},
        {0, 3, 2e15f},     {0, 3, 0.31f},    {0, 3, INFINITY},  {0, 3, 0.001f},  {1, 0, NAN},      {1, 1, 1.2e18f},
        {1, 2, -INFINITY}, {1, 3, 0.0f},     {1, 3, -0.0f},     {1, 3, -1.0f},   {1, 3, NAN},      {1, 3, 1e-40f},
        {1, 3, -INFINITY}, {0, 0, 1e30f},    {0, 3, 1.5f},
    };
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; ++i) {
        const flaw f = flaws[i];
        char what[64];
        snprintf(what, sizeof what, "flaw %zu", i);
        fill_input(&in, 9, 0.1f, 0.1f);
        const size_t at = i % 3 == 0 ? 0 : i % 3 == 1 ? N - 1 : 700;
        in.rows[f.row][at][f.word] = f.value;
        // Another behind it.
        if (f.value != 1.5f && f.value != 0.001f && at < N - 1) in.rows[0][at + 1][1] = NAN;
        take_apart(&in);
        // Greater ones may be there without a limit; 1.5 is then too much for the period.
        expect_refusal(c, &b, &in, f.value == 1.5f ? 0.0f : 0.3f, what);
    }
    for (int bad = 0; bad < 2; ++bad) {
        fill_input(&in, 9, 0.1f, 0.1f);
        in.material = bad ? 3 : 0;
        in.group = bad ? 0 : 77;
        expect_refusal(c, &b, &in, 0.0f, "material or group");
        in.moving = false;
        in.density = -1.0f;
        expect_refusal(c, &b, &in, 0.0f, "density");
    }
}

TEST_AS(ON_BOTH, particles_from_buffers_start_without_user_data)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    const uint32_t first = 0;
    uint64_t data[3] = {7, 8, 9};
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.25f);
    fill_input(&in, 1, 0.1f, 0.1f);
    ok(c, add_rows(c, p, &b, &in, 3));
    ok(c, tact_particles_set_user_data(p, NULL, 3, data));
    ok(c, tact_particles_remove(p, &first, 1));
    step(c, p, c->backend, 1);
    ok(c, add_rows(c, p, &b, &in, 1));
    assert_int_equal(home_of(p), c->backend);
    ok(c, tact_particles_get_user_data(p, NULL, 0, 3, data));
    assert_true(data[0] == 0 && data[1] == 8 && data[2] == 9);
}

TEST_AS(ON_BOTH, a_system_takes_particles_again_and_again)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.25f);
    tact_particles* q = make(c, TACT_BACKEND_CPU, TACT_BOUNDARY_WALL, 0.25f);
    for (size_t count = 10; count <= N; count = 5 * count - 1) {
        fill_input(&in, count, 0.1f, count < 1000 ? 0.1f : 0.2f);
        ok(c, add_rows(c, p, &b, &in, count));
        ok(c, add_arrays(q, &in, count));
        // To those that are there.
        ok(c, add_rows(c, p, &b, &in, count / 10));
        assert_int_equal(home_of(p), c->backend);
        ok(c, add_arrays(q, &in, count / 10));
        step(c, p, c->backend, 2);
        step(c, q, TACT_BACKEND_CPU, 2);
        expect_same(p, q, "more");
        // Gaps in the ids.
        const uint32_t gone[2] = {1, (uint32_t)count / 2};
        ok(c, tact_particles_remove(p, gone, 2));
        ok(c, tact_particles_remove(q, gone, 2));
        step(c, p, c->backend, 2);
        step(c, q, TACT_BACKEND_CPU, 2);
        expect_read(c, p, &b);
        ok(c, add_rows(c, p, &b, &in, 4));
        ok(c, add_arrays(q, &in, 4));
        assert_int_equal(home_of(p), c->backend);
        // A bad one changes nothing.
        in.rows[0][2][1] = NAN;
        assert_int_equal(add_rows(c, p, &b, &in, 3), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_context_error(c->context), "particle 2 of those given: position"));
        step(c, p, c->backend, 2);
        step(c, q, TACT_BACKEND_CPU, 2);
        expect_same(p, q, "gaps filled");
        tact_particles_clear(p);
        tact_particles_clear(q);
    }
}

TEST_AS(ON_BOTH, one_of_two_arrays_will_do)
{
    caller* c = caller_require(state);
    static input in;
    static float before[N][4], after[N][4];
    const buffers b = make_buffers(c);
    fill_input(&in, 2, 0.1f, 0.2f);
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_OPEN, 0.0f);
    ok(c, add_rows(c, p, &b, &in, N));
    step(c, p, c->backend, 1);
    memset(before, 0x5a, sizeof before);
    caller_write_array(c, &b.positions, before, sizeof before);
    caller_write_array(c, &b.velocities, before, sizeof before);
    ok(c, tact_particles_read_device(p, &b.positions, NULL));
    caller_read_array(c, &b.velocities, after, sizeof after);
    assert_memory_equal(after, before, sizeof after);
    caller_read_array(c, &b.positions, after, sizeof after);
    assert_true(memcmp(after, before, sizeof after) != 0);
    caller_write_array(c, &b.positions, before, sizeof before);
    ok(c, tact_particles_read_device(p, NULL, &b.velocities));
    caller_read_array(c, &b.positions, after, sizeof after);
    assert_memory_equal(after, before, sizeof after);
    // One is too short: neither is written.
    tact_device_array small = b.velocities;
    small.offset = 128;
    caller_write_array(c, &b.velocities, before, sizeof before);
    assert_int_equal(tact_particles_read_device(p, &b.positions, &small), TACT_ERROR_INVALID_ARGUMENT);
    caller_read_array(c, &b.positions, after, sizeof after);
    assert_memory_equal(after, before, sizeof after);
}

static tact_device* device_of(caller* c)
{
    return c->context->devices[tact_context_find(c->context, c->backend)];
}

/// Memory that is wanting on the device does not show.
TEST_AS(ON_BOTH, a_full_device_is_no_obstacle)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    fill_input(&in, 2, 0.1f, 0.2f);
    tact_particles* q = make(c, TACT_BACKEND_CPU, TACT_BOUNDARY_WALL, 0.0f);
    ok(c, add_arrays(q, &in, N));
    for (uint32_t number = 1; number < 40; ++number) {
        tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.0f);
        tact_device_fail_buffer(device_of(c), number);
        ok(c, add_rows(c, p, &b, &in, N));
        ok(c, tact_particles_read_device(p, &b.positions, &b.velocities));
        tact_device_fail_buffer(device_of(c), 0);
        expect_read(c, p, &b);
        expect_same(p, q, "without room");
        step(c, p, c->backend, 1);
    }
}

/// Nor when there are particles already, and no copy of them on the host.
TEST_AS(ON_BOTH, nor_is_one_that_cannot_grow)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    fill_input(&in, 2, 0.1f, 0.2f);
    tact_particles* q = make(c, TACT_BACKEND_CPU, TACT_BOUNDARY_WALL, 0.2f);
    ok(c, add_arrays(q, &in, 200));
    step(c, q, TACT_BACKEND_CPU, 2);
    ok(c, add_arrays(q, &in, N - 200));
    step(c, q, TACT_BACKEND_CPU, 2);
    bool straight = false;
    for (uint32_t number = 1; number < 16; ++number) {
        tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.2f);
        ok(c, add_rows(c, p, &b, &in, 200));
        step(c, p, c->backend, 2);
        tact_device_fail_buffer(device_of(c), number);
        ok(c, add_rows(c, p, &b, &in, N - 200));
        tact_device_fail_buffer(device_of(c), 0);
        straight = home_of(p) == c->backend;
        assert_true(number > 1 || !straight);
        step(c, p, c->backend, 2);
        expect_read(c, p, &b);
        expect_same(p, q, "without room to grow");
    }
    assert_true(straight);
}

/// A device lost while particles come in: none are there. Lost afterwards: the call says so.
static void lose(void** state, uint32_t launch)
{
    caller* c = caller_require(state);
    static input in;
    const buffers b = make_buffers(c);
    fill_input(&in, 2, 0.1f, 0.2f);
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.0f);
    if (launch > 0) tact_device_fail_launch(device_of(c), launch);
    const tact_result result = add_rows(c, p, &b, &in, N);
    if (launch > 0) {
        assert_int_equal(result, TACT_ERROR_DEVICE_LOST);
        assert_int_equal(tact_particles_id_end(p), 0);
    } else {
        assert_int_equal(result, TACT_OK);
        tact_device_fail_launch(device_of(c), 1);
        assert_int_equal(tact_particles_step(p, 1e-3f, 1, 2, NULL, NULL), TACT_ERROR_DEVICE_LOST);
    }
    assert_int_equal(tact_particles_count(p), 0);
    ok(c, add_arrays(p, &in, N));
    ok(c, tact_particles_step(p, 1e-3f, 1, 1, NULL, NULL));
    assert_int_equal(tact_particles_count(p), N);
}

TEST_AS(ON_BOTH, lost_while_looking)
{
    lose(state, 2);
}

TEST_AS(ON_BOTH, lost_while_adopting)
{
    // After the kernel that looks, and two bounds.
    lose(state, 4);
}

TEST_AS(ON_BOTH, lost_while_counting)
{
    lose(state, 5);
}

TEST_AS(ON_BOTH, lost_afterwards)
{
    lose(state, 0);
}

static void push(caller* c, const tact_device_array* array, float rows[N][4], uint64_t seed)
{
    test_random r = {seed};
    for (size_t i = 0; i < N; ++i) {
        for (size_t k = 0; k < 3; ++k)
            rows[i][k] = 200.0f * test_random_signed(&r);
        rows[i][3] = NAN;
    }
    rows[3][1] = -0.0f;
    rows[4][2] = 1e-41f;
    caller_write_array(c, array, rows, 16 * N);
}

static void ok_forces(caller* c, tact_particles* p, float rows[N][4], size_t count)
{
    static float packed[3 * N];
    for (size_t i = 0; i < count; ++i)
        memcpy(packed + 3 * i, rows[i], 12);
    ok(c, tact_particles_set_forces(p, packed, count));
}

/// Forces from buffers are those from arrays, wherever steps are taken and however the run goes on.
TEST_AS(ON_BOTH, forces_come_from_buffers)
{
    caller* c = caller_require(state);
    static input in;
    static float rows[N][4];
    const buffers b = make_buffers(c);
    // As many as there are particles, fewer, and far more than the device has room for at a time.
    const size_t counts[] = {300, 100, N};
    for (size_t i = 0; i < 3; ++i) {
        fill_input(&in, 2, 0.1f, 0.2f);
        tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.2f);
        tact_particles* q = make(c, TACT_BACKEND_CPU, TACT_BOUNDARY_WALL, 0.2f);
        ok(c, add_rows(c, p, &b, &in, 300));
        ok(c, add_arrays(q, &in, 300));
        for (uint64_t round = 0; round < 3; ++round) {
            push(c, &b.positions, rows, round);
            const size_t count = round == 1 ? 200 : counts[i];
            ok(c, tact_particles_set_forces_device(p, &b.positions, count));
            ok_forces(c, q, rows, count);
            step(c, p, c->backend, 2);
            step(c, q, TACT_BACKEND_CPU, 2);
        }
        // Elsewhere, and back; saved and resumed there.
        ok(c, tact_particles_set_forces_device(p, &b.positions, counts[i]));
        step(c, p, TACT_BACKEND_CPU, 1);
        step(c, p, c->backend, 1);
        ok(c, tact_particles_set_forces_device(p, &b.positions, counts[i]));
        step(c, p, c->backend, 1);
        step(c, q, TACT_BACKEND_CPU, 3);
        expect_same(p, q, "forces");
        ok(c, tact_particles_set_forces_device(p, NULL, 5));
        ok(c, tact_particles_set_forces(q, NULL, 0));
        step(c, p, c->backend, 1);
        step(c, q, TACT_BACKEND_CPU, 1);
        expect_same(p, q, "no forces");
    }
}

TEST_AS(ON_BOTH, bad_forces_are_named)
{
    caller* c = caller_require(state);
    static input in;
    static float rows[N][4];
    const float values[] = {NAN, INFINITY, -INFINITY, -NAN};
    const buffers b = make_buffers(c);
    fill_input(&in, 2, 0.1f, 0.2f);
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.2f);
    tact_particles* q = make(c, TACT_BACKEND_CPU, TACT_BOUNDARY_WALL, 0.2f);
    ok(c, add_rows(c, p, &b, &in, 300));
    ok(c, add_arrays(q, &in, 300));
    push(c, &b.positions, rows, 1);
    ok(c, tact_particles_set_forces_device(p, &b.positions, 300));
    ok_forces(c, q, rows, 300);
    for (size_t i = 0; i < 4; ++i) {
        char name[64];
        push(c, &b.positions, rows, 2);
        rows[N - 1][0] = NAN;
        rows[400 * i + 7][i % 3] = values[i];
        caller_write_array(c, &b.positions, rows, sizeof rows);
        assert_int_equal(tact_particles_set_forces_device(p, &b.positions, N), TACT_ERROR_INVALID_ARGUMENT);
        snprintf(name, sizeof name, "the force on particle %zu is", 400 * i + 7);
        assert_non_null(strstr(tact_context_error(c->context), name));
    }
    assert_int_equal(tact_particles_set_forces_device(p, &b.positions, N + 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_forces_device(NULL, &b.positions, 1), TACT_ERROR_INVALID_ARGUMENT);
    // Those before still push, and want of memory does not show.
    for (uint32_t number = 0; number < 4; ++number) {
        step(c, p, c->backend, 1);
        step(c, q, TACT_BACKEND_CPU, 1);
        push(c, &b.positions, rows, number);
        tact_device_fail_buffer(device_of(c), number);
        ok(c, tact_particles_set_forces_device(p, &b.positions, 300 + 200 * number));
        tact_device_fail_buffer(device_of(c), 0);
        ok_forces(c, q, rows, 300 + 200 * number);
    }
    step(c, p, c->backend, 1);
    step(c, q, TACT_BACKEND_CPU, 1);
    expect_same(p, q, "forces");
}

/// Forces that a device takes with it are missed by the next step, once, whoever takes it.
static void lose_forces(void** state, tact_backend backend)
{
    caller* c = caller_require(state);
    static input in;
    static float rows[N][4];
    const buffers b = make_buffers(c);
    fill_input(&in, 2, 0.1f, 0.2f);
    tact_particles* p = make(c, c->backend, TACT_BOUNDARY_WALL, 0.2f);
    ok(c, add_rows(c, p, &b, &in, N));
    particle_snapshot before = particle_snapshot_of(p);
    push(c, &b.positions, rows, 1);
    ok(c, tact_particles_set_forces_device(p, &b.positions, N));
    tact_device_fail_launch(device_of(c), 1);
    // It is only lost with a launch.
    if (backend == TACT_BACKEND_CPU) {
        assert_int_equal(tact_particles_set_forces_device(p, &b.positions, N), TACT_ERROR_DEVICE_LOST);
    }
    const tact_query_options options = {.backend = backend};
    assert_int_equal(tact_particles_step(p, 1e-3f, 1, 2, &options, NULL), TACT_ERROR_DEVICE_LOST);
    assert_non_null(strstr(tact_context_error(c->context), "forces"));
    particle_snapshot_expect(p, &before, "without forces");
    ok(c, tact_particles_step(p, 1e-3f, 1, 2, &options, NULL));
    assert_int_equal(tact_particles_count(p), N);
}

TEST_AS(ON_BOTH, forces_lost_on_the_device)
{
    caller* c = *state;
    lose_forces(state, c->backend);
}

TEST_AS(ON_BOTH, forces_lost_elsewhere)
{
    lose_forces(state, TACT_BACKEND_CPU);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
