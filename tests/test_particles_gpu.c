// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particle systems on devices where the definition is too slow to compare with: a hundred thousand particles, crowds of
// more candidates than one launch looks at, the memory they take. The CPU's engine, which test_particles compares with
// the definition, is the measure. With "tiny": on OpenCL alone, a few particles of each kind, for an interpreter.
#include "tests/support/run.h"

#include "apps/particles/particles.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/particle_states.h"

enum { LARGE = 100000, BYTES_A_PARTICLE = 128, BYTES_A_GRAIN = 700 };

static const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_POSITION};

static tact_particle_setup setup_of(const char* scene, size_t count)
{
    tact_particle_setup setup;
    tact_problem problem = {0};
    const tact_particle_scene* named = tact_particle_scene_named(scene);
    assert_non_null(named);
    if (!tact_particle_setup_make(named, count, 7, &setup, &problem)) fail_msg("%s", problem.text);
    return setup;
}

/// The state after some steps, and what the system then says of itself.
static float* rows_after(tact_context* context, const tact_particle_setup* setup, tact_particle_response response,
                         uint32_t steps, tact_backend backend, size_t* count, tact_particles_info* info)
{
    const tact_query_options options = {.backend = backend, .threads = 2, .no_fallback = true};
    tact_particle_setup with = *setup;
    tact_particles* p = NULL;
    tact_problem problem = {0};
    with.desc.response = response;
    tact_result result = tact_particle_setup_create(&with, context, &p);
    if (result == TACT_OK) result = tact_particles_step(p, setup->dt, setup->substeps, steps, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    float* rows = tact_particle_rows(p, context, count, &problem);
    if (!rows) fail_msg("%s", problem.text);
    // Counters of a device come with the state.
    assert_int_equal(tact_particles_get_info(p, info), TACT_OK);
    assert_int_equal(info->backend, backend);
    tact_particles_destroy(p);
    return rows;
}

/// Returns the bytes held on the device.
static uint64_t compare_setups(tact_context* context, const char* scene, const tact_particle_setup* setup,
                               tact_particle_response response, uint32_t steps, tact_backend backend,
                               tact_backend measure)
{
    tact_particles_info info, info_there;
    size_t count = 0, count_there = 0;
    float* here = rows_after(context, setup, response, steps, measure, &count, &info);
    float* there = rows_after(context, setup, response, steps, backend, &count_there, &info_there);
    assert_int_equal(count, setup->count);
    assert_int_equal(count, count_there);
    for (size_t i = 0; i < 7 * count; ++i) {
        if (memcmp(&here[i], &there[i], sizeof *here) == 0) continue;
        fail_msg("%s, %zu particles, response %d: particle %zu, part %zu: %a on %s, should be %a", scene, count,
                 (int)response, i / 7, i % 7, (double)there[i], tact_backend_name(backend), (double)here[i]);
    }
    assert_int_equal(info.slowed, info_there.slowed);
    assert_int_equal(info.stopped, info_there.stopped);
    free(here);
    free(there);
    return info_there.device_bytes;
}

static uint64_t compare(tact_context* context, const char* scene, size_t n, tact_particle_response response,
                        uint32_t steps, tact_backend backend, tact_backend measure)
{
    tact_particle_setup setup = setup_of(scene, n);
    const uint64_t bytes = compare_setups(context, scene, &setup, response, steps, backend, measure);
    tact_particle_setup_free(&setup);
    return bytes;
}

/// What touches and is slower than a speed stays, with no velocity.
TEST_AS(ONE_DEVICE_TEST, slow_ones_sleep)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    tact_particle_setup setup = setup_of("dense", 1000);
    setup.desc.sleep_speed = 2.0f;
    compare_setups(context, "dense", &setup, TACT_RESPONSE_POSITION, 3, backend, TACT_BACKEND_REFERENCE);
    tact_particles_info info;
    size_t count = 0, asleep = 0;
    float* rows = rows_after(context, &setup, TACT_RESPONSE_POSITION, 3, backend, &count, &info);
    for (size_t i = 0; i < count; ++i)
        asleep += rows[7 * i + 4] == 0.0f && rows[7 * i + 5] == 0.0f && rows[7 * i + 6] == 0.0f;
    assert_true(asleep > 10);
    free(rows);
    tact_particle_setup_free(&setup);
}

TEST_AS(ONE_DEVICE_TEST, many)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    for (size_t i = 0; i < 2; ++i) {
        const uint64_t bytes = compare(context, "dense", LARGE, responses[i], 2, backend, TACT_BACKEND_CPU);
        print_message("%s: %.1f bytes a particle\n", tact_backend_name(backend), (double)bytes / LARGE);
        if (bytes > (uint64_t)LARGE * BYTES_A_PARTICLE) fail_msg("%llu bytes", (unsigned long long)bytes);
    }
    compare(context, "mixed_periodic", LARGE / 5, TACT_RESPONSE_SPRING, 2, backend, TACT_BACKEND_CPU);
    const char* const spread[] = {"uniform", "power_law", "bimodal"};
    for (size_t i = 0; i < 3; ++i)
        compare(context, spread[i], LARGE / 10, responses[i % 2], 2, backend, TACT_BACKEND_CPU);
    for (size_t i = 0; i < 2; ++i) {
        compare(context, "mesh", LARGE / 5, responses[i], 2, backend, TACT_BACKEND_CPU);
        compare(context, "terrain", LARGE / 5, responses[i], 2, backend, TACT_BACKEND_CPU);
    }
}

/// A shader of llvmpipe looks at 3,000 candidates in a launch.
TEST_AS(ONE_DEVICE_TEST, crowds)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    for (size_t i = 0; i < 2; ++i)
        compare(context, "one_cell", 3700, responses[i], 1, backend, TACT_BACKEND_CPU);
}

/// 97 cells along a period, in a table of 8 or 16 a side: the cells before and after the first lie where it does, so
/// that walks there meet each particle eight times: 8,000 candidates.
TEST_AS(ONE_DEVICE_TEST, crowds_that_a_walk_meets_again)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    for (size_t i = 0; i < 2; ++i) {
        tact_particle_setup setup = setup_of("one_cell", 1000);
        setup.desc.domain = (tact_aabb){{0, 0, 0}, {98.6f, 98.6f, 98.6f}};
        for (size_t k = 0; k < 3; ++k)
            setup.desc.boundary[k] = TACT_BOUNDARY_PERIODIC;
        compare_setups(context, "one_cell", &setup, responses[i], 1, backend, TACT_BACKEND_CPU);
        tact_particle_setup_free(&setup);
    }
}

static const tact_grain_law law = {.springs = TACT_GRAIN_HERTZ,
                                   .stiffness = 2e7f,
                                   .shear = 1.5e7f,
                                   .restitution = 0.6f,
                                   .tangential_damping = 0.2f,
                                   .friction = 0.4f,
                                   .rolling_friction = 0.05f,
                                   .adhesion = 0.5f};

static tact_particles* grains_of(tact_context* context, const tact_particle_setup* setup, tact_backend backend,
                                 uint32_t substeps)
{
    const tact_query_options options = {.backend = backend, .threads = 2, .no_fallback = true};
    tact_particle_setup with = *setup;
    tact_particles* p = NULL;
    with.desc.response = TACT_RESPONSE_GRAINS;
    with.desc.backend = backend;
    tact_result result = tact_particle_setup_create(&with, context, &p);
    if (result == TACT_OK) result = tact_particles_set_law(p, 0, 0, &law);
    const float wanted = setup->dt / (float)setup->substeps;
    const float stable = result == TACT_OK ? (float)substeps * tact_particles_stable_step(p) : 0.0f;
    const float dt = wanted < stable ? wanted : stable;
    if (result == TACT_OK) result = tact_particles_step(p, dt, substeps, 2, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return KEEP(p);
}

/// States with all that contacts remember. Returns the bytes held on the device.
static uint64_t compare_grains(tact_context* context, const char* scene, size_t n, uint32_t substeps,
                               tact_backend backend, tact_backend measure)
{
    tact_particle_setup setup = setup_of(scene, n);
    const particle_snapshot expected = particle_snapshot_of(grains_of(context, &setup, measure, substeps));
    tact_particles* p = grains_of(context, &setup, backend, substeps);
    tact_particles_info info;
    particle_snapshot_expect(p, &expected, scene);
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    assert_int_equal(info.backend, backend);
    tact_particle_setup_free(&setup);
    return info.device_bytes;
}

TEST_AS(ONE_DEVICE_TEST, many_grains)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    const uint64_t bytes = compare_grains(context, "dense", LARGE, 6, backend, TACT_BACKEND_CPU);
    print_message("%s: %.1f bytes a grain\n", tact_backend_name(backend), (double)bytes / LARGE);
    if (bytes > (uint64_t)LARGE * BYTES_A_GRAIN) fail_msg("%llu bytes", (unsigned long long)bytes);
    const char* const others[] = {"mixed_periodic", "uniform", "power_law", "bimodal", "mesh", "terrain", "colliders"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        compare_grains(context, others[i], LARGE / 20, 20, backend, TACT_BACKEND_CPU);
    compare_grains(context, "one_cell", 1000, 2, backend, TACT_BACKEND_CPU);
}

static void few_of_each_kind(void** state)
{
    tact_context* context = KEEP(one_device_require(TACT_BACKEND_CL));
    const char* const scenes[] = {"dense", "uniform",   "mixed_periodic", "coincident",
                                  "far",   "colliders", "mesh",           "terrain"};
    for (size_t i = 0; i < 2; ++i) {
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k)
            compare(context, scenes[k], 70, responses[i], 1, TACT_BACKEND_CL, TACT_BACKEND_REFERENCE);
    }
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k)
        compare_grains(context, scenes[k], 70, 2, TACT_BACKEND_CL, TACT_BACKEND_REFERENCE);
    // So many in a cell that the other sort is taken.
    compare(context, "one_cell", 300, TACT_RESPONSE_SPRING, 1, TACT_BACKEND_CL, TACT_BACKEND_REFERENCE);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const struct CMUnitTest tiny[] = {cmocka_unit_test(few_of_each_kind)};
    const bool small = argc > 1 && strcmp(argv[1], "tiny") == 0;
    const int failed = small ? run_all(tiny, NULL, NULL) : run_all(all_tests, NULL, NULL);
    return failed;
}
