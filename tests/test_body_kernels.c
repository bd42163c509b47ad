// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The kernel of meshes and height fields against the definition: forces and shifts of particles about bodies of every
// kind, to the bit.
#include "tests/support/run.h"

#include "apps/inputs/scenes.h"
#include "apps/particles/particles.h"
#include "core/context/context.h"
#include "core/particles/particles.h"
#include "gpu/particles/bodies.h"
#include "kernels/particle_model.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { COUNT = 3000, COUNTERS = 8, GROUP = 64 };

static tact_context* context;

static void good(tact_result result)
{
    if (result != TACT_OK) print_error("%s\n", tact_context_error(context));
    assert_int_equal(result, TACT_OK);
}

/// Particles, where they were, and what other contacts gave them before.
typedef struct cloud {
    float at[COUNT][4], from[COUNT][4], velocity[COUNT][4];
    uint32_t tag[COUNT][2], sums[COUNT][4];
} cloud;

static void fill_cloud(cloud* c, float size, float radius, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < COUNT; ++i) {
        for (int k = 0; k < 3; ++k) {
            c->at[i][k] = size * test_random_signed(&r);
            c->from[i][k] = c->at[i][k] + 0.1f * radius * test_random_signed(&r);
            c->velocity[i][k] = 3.0f * test_random_signed(&r);
            const float before = test_random_signed(&r);
            memcpy(&c->sums[i][k], &before, sizeof before);
        }
        if (i % 97 == 0) c->at[i][i % 3] *= 1e12f;
        c->at[i][3] = c->from[i][3] = radius * (0.2f + test_random_unit(&r));
        c->velocity[i][3] = i % 50 == 0 ? 0.0f : test_random_unit(&r);
        c->tag[i][0] = i;
        c->tag[i][1] = i % 2;
        c->sums[i][3] = i % 3;
    }
}

static void add_bodies(tact_particles* p, float size, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    tact_problem problem = {0};
    const tact_body_pose turned = {.rotation = {0.8f, -0.6f, 0.0f, 0.6f, 0.8f, 0.0f, 0.0f, 0.0f, 1.0f},
                                   .position = {0.1f, -0.2f, 0.3f},
                                   .velocity = {1.0f, 2.0f, 3.0f},
                                   .spin = {0.5f, -0.5f, 0.25f}};
    for (int kind = 0; kind < 3; ++kind) {
        tact_model_mesh m = {0};
        if (kind == 0) assert_true(tact_mesh_icosphere(3, &m, &problem));
        if (kind == 1) assert_true(tact_mesh_needles(300, seed, &m, &problem));
        if (kind == 2) assert_true(tact_mesh_degenerate(200, seed, &m, &problem));
        for (size_t i = 0; i < 3 * m.vertex_count; ++i)
            m.positions[i] *= size;
        const tact_mesh_desc desc = {.positions = m.positions,
                                     .vertex_count = m.vertex_count,
                                     .indices = m.indices,
                                     .triangle_count = m.triangle_count};
        good(tact_particles_add_mesh(p, &desc, kind == 2 ? NULL : &turned, (uint8_t)(kind % 2), NULL));
        tact_model_mesh_free(&m);
    }
    const tact_mesh_desc empty = {0};
    good(tact_particles_add_mesh(p, &empty, NULL, 0, NULL));
    enum { SIDE = 31 };
    float heights[SIDE * (SIDE + 2)];
    for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i)
        heights[i] = test_random_below(&r, 40) == 0 ? NAN : 0.2f * size * test_random_signed(&r);
    const float step = 1.8f * size / (float)SIDE;
    const tact_height_field_desc field = {.heights = heights,
                                          .columns = SIDE,
                                          .rows = SIDE + 2,
                                          .step_x = step,
                                          .step_z = 0.9f * step,
                                          .origin = {-0.9f * size, 0.0f, -0.8f * size}};
    good(tact_particles_add_height_field(p, &field, &turned, 1, NULL));
}

static tact_buffer* buffer_of(tact_device* device, size_t bytes, const void* data)
{
    tact_buffer* b = NULL;
    good(tact_buffer_create(device, bytes, data, &b));
    return b;
}

static tact_buffer* model_of(tact_device* device, const tact_particle_model* m)
{
    static uint32_t rows[TACT_ROW_SOLIDS][4];
    memset(rows, 0, sizeof rows);
    memcpy(&rows[TACT_ROW_MOTION][3], &m->motion.dt, sizeof m->motion.dt);
    for (size_t i = 0; i < 256; ++i) {
        const TactContactRule r = m->rules[i];
        const float words[4] = {r.stiffness, r.normal_damping, r.friction, r.tangential_damping};
        memcpy(rows[TACT_ROW_RULES + i], words, sizeof words);
    }
    return buffer_of(device, sizeof rows, rows);
}

static void expect(const tact_particle_model* m, const cloud* c, uint32_t i, uint32_t shifts, uint32_t expected[4])
{
    const tact_particle_self self = {.x = c->at[i][0],
                                     .y = c->at[i][1],
                                     .z = c->at[i][2],
                                     .radius = c->at[i][3],
                                     .vx = c->velocity[i][0],
                                     .vy = c->velocity[i][1],
                                     .vz = c->velocity[i][2],
                                     .inverse_mass = c->velocity[i][3],
                                     .id = i,
                                     .material = c->tag[i][1]};
    TactVec sum;
    uint32_t count = c->sums[i][3];
    memcpy(&sum, c->sums[i], sizeof sum);
    if (shifts)
        tact_particle_static_shifts(m, &self, c->from[i], &sum, &count);
    else
        tact_particle_static_forces(m, &self, &sum);
    memcpy(expected, &sum, sizeof sum);
    expected[3] = count;
}

static void check_launch(tact_device* device, const tact_particle_model* m, tact_gpu_bodies* bodies, const cloud* c,
                         uint32_t shifts)
{
    static uint32_t sums[COUNT][4];
    static float marked[COUNT][4];
    uint32_t counters[COUNTERS] = {0};
    // The sign of a radius says whether the particle has touched something before.
    for (uint32_t i = 0; i < COUNT; ++i) {
        memcpy(marked[i], c->at[i], sizeof marked[i]);
        if (shifts && i % 4 == 0) marked[i][3] = -marked[i][3];
    }
    tact_buffer* b[] = {buffer_of(device, sizeof c->from, c->from),
                        buffer_of(device, sizeof marked, marked),
                        buffer_of(device, sizeof c->velocity, c->velocity),
                        buffer_of(device, sizeof c->tag, c->tag),
                        model_of(device, m),
                        buffer_of(device, sizeof c->sums, c->sums),
                        buffer_of(device, sizeof counters, counters)};
    good(TACT_LAUNCH_ITEMS(device, particles_bodies, COUNT, .from = b[0], .at = b[1], .velocity = b[2], .tag = b[3],
                           .model = b[4], .bodies = bodies->buffer, .sums = b[5], .counters = b[6], .count = COUNT,
                           .shifts = shifts));
    good(tact_buffer_read(b[5], 0, sums, sizeof sums));
    good(tact_buffer_read(b[6], 0, counters, sizeof counters));
    assert_int_equal(counters[6], 0);
    size_t touched = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t expected[4];
        expect(m, c, i, shifts, expected);
        touched += memcmp(expected, c->sums[i], sizeof expected) != 0;
        if (memcmp(expected, sums[i], sizeof expected) == 0) continue;
        fail_msg("particle %u, shifts %u: %08x %08x %08x %u, by definition %08x %08x %08x %u", (unsigned)i,
                 (unsigned)shifts, sums[i][0], sums[i][1], sums[i][2], sums[i][3], expected[0], expected[1],
                 expected[2], expected[3]);
    }
    if (touched <= COUNT / 10) fail_msg("only %zu particles touch", touched);
    for (size_t i = 0; i < sizeof b / sizeof *b; ++i)
        tact_buffer_destroy(b[i]);
}

static void check_device(tact_device* device)
{
    static cloud c;
    const tact_particle_material materials[2] = {{1e3f, 0.5f, 0.4f, 0.3f}, {5e3f, 0.9f, 0.1f, 0.8f}};
    const tact_particles_desc desc = {.materials = materials, .material_count = 2};
    good(tact_device_enter(device));
    for (int round = 0; round < 3; ++round) {
        const float size = round == 2 ? 0x1p-30f : 4.0f;
        tact_particles* p = NULL;
        tact_gpu_bodies bodies = {0};
        good(tact_particles_create(context, &desc, &p));
        add_bodies(p, size, (uint64_t)round);
        p->model.motion.dt = 0.01f;
        fill_cloud(&c, size, 0.1f * size, 7 + (uint64_t)round);
        good(tact_gpu_bodies_upload(&bodies, device, &p->model));
        check_launch(device, &p->model, &bodies, &c, 0);
        check_launch(device, &p->model, &bodies, &c, 1);
        // Moved: only the table goes up again.
        const tact_body_pose pose = {.position = {0.0f, 0.25f * size, 0.0f}, .velocity = {0.0f, -1.0f, 0.0f}};
        tact_buffer* const before = bodies.buffer;
        good(tact_particles_move_body(p, 0, &pose));
        good(tact_particles_move_body(p, 4, &pose));
        good(tact_gpu_bodies_upload(&bodies, device, &p->model));
        assert_ptr_equal(bodies.buffer, before);
        check_launch(device, &p->model, &bodies, &c, 0);
        tact_gpu_bodies_free(&bodies, tact_device_env(device));
        tact_particles_destroy(p);
    }
    tact_device_leave(device);
}

TEST(test_kernels_do_what_the_definition_does)
{
    for (int i = 0; i < TACT_MAX_DEVICES; ++i) {
        if (context->devices[i]) check_device(context->devices[i]);
    }
}

enum { CAUGHT = 50 };

/// Particles in the middle of balls of triangles, which are all about as far away. With several balls, neighbouring
/// items have their long searches one after the other.
static tact_particles* make_caught(uint32_t fineness, uint32_t balls, tact_particle_response response)
{
    const tact_particles_desc desc = {.response = response};
    float positions[CAUGHT][3];
    tact_particles* p = NULL;
    tact_model_mesh m = {0};
    tact_problem problem = {0};
    test_random r = test_random_seeded(fineness);
    for (size_t i = 0; i < CAUGHT; ++i) {
        for (int k = 0; k < 3; ++k)
            positions[i][k] = 1e-4f * test_random_signed(&r);
        positions[i][0] += 4.0f * (float)(i % balls);
    }
    const tact_particle_arrays arrays = {.positions = positions[0], .radius = 1.01f};
    assert_true(tact_mesh_icosphere(fineness, &m, &problem));
    const tact_mesh_desc mesh = {.positions = m.positions,
                                 .vertex_count = m.vertex_count,
                                 .indices = m.indices,
                                 .triangle_count = m.triangle_count};
    good(tact_particles_create(context, &desc, &p));
    for (uint32_t i = 0; i < balls; ++i) {
        const tact_body_pose pose = {.position = {4.0f * (float)i, 0.0f, 0.0f}};
        good(tact_particles_add_mesh(p, &mesh, &pose, 0, NULL));
    }
    good(tact_particles_add(p, &arrays, CAUGHT, NULL));
    tact_model_mesh_free(&m);
    return p;
}

static void expect_same(tact_particles* a, tact_particles* b)
{
    tact_problem problem = {0};
    size_t count = 0, count_b = 0;
    float* rows = tact_particle_rows(a, context, &count, &problem);
    float* rows_b = tact_particle_rows(b, context, &count_b, &problem);
    assert_true(rows && rows_b && count == CAUGHT && count_b == CAUGHT);
    assert_memory_equal(rows, rows_b, 7 * sizeof *rows * CAUGHT);
    free(rows);
    free(rows_b);
}

/// A step on a device is that of the definition, or says that it cannot be done, and then is done elsewhere.
static void check_caught(const tact_device_info* device, uint32_t fineness, uint32_t balls,
                         tact_particle_response response)
{
    const tact_query_options here = {.backend = device->backend, .no_fallback = true};
    const tact_query_options anywhere = {.backend = device->backend};
    const tact_query_options slow = {.backend = TACT_BACKEND_REFERENCE};
    tact_particles* p = KEEP(make_caught(fineness, balls, response));
    tact_particles* q = KEEP(make_caught(fineness, balls, response));
    const tact_result result = tact_particles_step(p, 1e-4f, 1, 1, &here, NULL);
    const bool limited = device->software && device->backend == TACT_BACKEND_GL;
    if (limited && fineness == 4) assert_int_equal(result, TACT_ERROR_LIMIT);
    if (!limited || fineness == 1) assert_int_equal(result, TACT_OK);
    if (result != TACT_OK) good(tact_particles_step(p, 1e-4f, 1, 1, &anywhere, NULL));
    good(tact_particles_step(q, 1e-4f, 1, 1, &slow, NULL));
    expect_same(p, q);
}

TEST(test_long_searches_end_or_are_refused)
{
    for (uint32_t i = 1; i < tact_context_device_count(context); ++i) {
        const tact_device_info* device = tact_device_describe(context->devices[i]);
        for (uint32_t fineness = 1; fineness <= 4; ++fineness) {
            check_caught(device, fineness, 1, TACT_RESPONSE_SPRING);
            check_caught(device, fineness, 1, TACT_RESPONSE_POSITION);
        }
        check_caught(device, 2, 16, TACT_RESPONSE_SPRING);
        check_caught(device, 3, 8, TACT_RESPONSE_POSITION);
        check_caught(device, 4, 8, TACT_RESPONSE_SPRING);
        check_caught(device, 0, TACT_MAX_BODIES, TACT_RESPONSE_SPRING);
    }
}

#include TEST_LIST

int main(void)
{
    const tact_context_desc desc = {.threads = 2, .open_devices = true};
    if (tact_context_create(&desc, &context) != TACT_OK) return 1;
    const bool no_gl = device_missing(context, TACT_BACKEND_GL), no_cl = device_missing(context, TACT_BACKEND_CL);
    if (no_gl && no_cl) {
        tact_context_destroy(context);
        return run_nothing("no device");
    }
    const int failed = run_all(all_tests, NULL, NULL);
    tact_context_destroy(context);
    return failed;
}
