// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grains: the CPU's state against the brute force's, byte by byte, with every law, boundary and kind of surface, for
// every set of instructions and number of threads; kept by saving; and what the calls refuse.
#include "tests/support/run.h"

#include <math.h>

#include "base/bytes.h"
#include "base/lane_levels.h"
#include "core/particles/particles.h"
#include "cpu_ref/particles/cpu_grains.h"
#include "tact/particle_bodies.h"
#include "tact/particle_grains.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/particle_systems.h"
#include "tests/support/test_context.h"

static const tact_grain_law hertz = {.springs = TACT_GRAIN_HERTZ,
                                     .stiffness = 2e5f,
                                     .shear = 1.5e5f,
                                     .restitution = 0.6f,
                                     .tangential_damping = 0.2f,
                                     .friction = 0.4f,
                                     .rolling_friction = 0.05f,
                                     .twisting_friction = 0.03f,
                                     .adhesion = 0.5f};

static tact_particles* make(tact_backend backend, int variant)
{
    tact_particles_desc desc = rich_desc(TACT_RESPONSE_GRAINS);
    tact_particles* p = NULL;
    desc.backend = backend;
    if (variant % 2) {
        desc.boundary[1] = TACT_BOUNDARY_PERIODIC;
        desc.boundary[2] = TACT_BOUNDARY_WALL;
    }
    assert_int_equal(tact_particles_create(context, &desc, &p), TACT_OK);
    KEEP(p);
    assert_int_equal(rich_fill(p, variant < 2), TACT_OK);
    if (variant == 0) return p;
    assert_int_equal(tact_particles_set_law(p, 0, 1, &hertz), TACT_OK);
    if (variant == 3) assert_int_equal(tact_particles_set_law(p, 0, 0, &hertz), TACT_OK);
    float spins[3 * RICH_PARTICLES];
    test_random r = {3};
    for (size_t i = 0; i < 3 * RICH_PARTICLES; ++i)
        spins[i] = 20.0f * test_random_signed(&r);
    assert_int_equal(tact_particles_write_turning(p, NULL, RICH_PARTICLES, spins, NULL), TACT_OK);
    return p;
}

static void step(tact_particles* p, uint32_t steps, int threads)
{
    const tact_query_options options = {.threads = threads, .no_fallback = true};
    const tact_result result = tact_particles_step(p, rich_dt, 0, steps, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

TEST(the_cpu_has_the_state_that_brute_force_has)
{
    for (int variant = 0; variant < 4; ++variant) {
        tact_particles* right = make(TACT_BACKEND_REFERENCE, variant);
        tact_particles* p = make(TACT_BACKEND_CPU, variant);
        for (int k = 0; k < 12; ++k) {
            step(right, 5, 1);
            step(p, 5, 1 + k % 3);
            const particle_snapshot expected = particle_snapshot_of(right);
            particle_snapshot_expect(p, &expected, "after some steps");
        }
        tact_particles_info info;
        assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
        assert_int_equal(info.backend, TACT_BACKEND_CPU);
    }
}

TEST(instructions_and_threads_change_nothing)
{
    particle_snapshot expected = {0};
    for (int level = TACT_LANE_LEVELS - 1; level >= 0; --level) {
        if (!tact_lanes_limit(level)) continue;
        for (int threads = 1; threads <= 3; ++threads) {
            tact_particles* p = make(TACT_BACKEND_CPU, 3);
            step(p, 60, threads);
            if (!expected.bytes) expected = particle_snapshot_of(p);
            particle_snapshot_expect(p, &expected, "with other instructions or threads");
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

TEST(a_saved_system_goes_on_as_if_nothing_had_been)
{
    tact_particles* p = make(TACT_BACKEND_CPU, 3);
    step(p, 30, 1);
    const particle_snapshot middle = particle_snapshot_of(p);
    tact_particles* again = NULL;
    assert_int_equal(tact_particles_restore(context, middle.bytes, middle.size, TACT_BACKEND_CPU, &again), TACT_OK);
    KEEP(again);
    particle_snapshot_expect(again, &middle, "restored");
    step(p, 30, 1);
    step(again, 30, 2);
    const particle_snapshot expected = particle_snapshot_of(p);
    particle_snapshot_expect(again, &expected, "gone on");
}

// ---- Sums ----

static TactExact sum_of(const float* numbers, size_t count, float scale, bool backwards)
{
    TactExact s = {0, 0};
    for (size_t i = 0; i < count; ++i)
        s = tact_exact_add(s, numbers[backwards ? count - 1 - i : i], scale);
    return s;
}

TEST(exact_sums_have_no_order)
{
    enum { N = 2000 };
    float numbers[N];
    test_random r = {4};
    for (int round = 0; round < 50; ++round) {
        double right = 0.0;
        for (size_t i = 0; i < N; ++i) {
            numbers[i] = ldexpf(test_random_signed(&r), (int)(40.0f * test_random_unit(&r)) - 20);
            right += (double)numbers[i];
        }
        const TactExact a = sum_of(numbers, N, 1.0f, false), b = sum_of(numbers, N, 1.0f, true);
        assert_int_equal(a.high, b.high);
        assert_int_equal(a.low, b.low);
        assert_true(a.low >= 0 && a.low < 1 << 30);
        assert_true(fabs((double)tact_exact_value(a, 1.0f) - right) <= N * 0x1p-30 + fabs(right) * 0x1p-22);
        for (size_t i = 0; i < N; ++i)
            numbers[i] = -numbers[i];
        assert_true(tact_exact_value(sum_of(numbers, N, 1.0f, false), 1.0f) == -tact_exact_value(a, 1.0f));
    }
}

TEST(exact_sums_hold_the_greatest_numbers)
{
    enum { N = 2047 };
    float numbers[N];
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < N; ++i)
            numbers[i] = i % 2 ? (float)sign * INFINITY : (float)sign * 3e38f;
        const float sum = tact_exact_value(sum_of(numbers, N, 1.0f, false), 1.0f);
        assert_true(sum == (float)sign * (float)N * TACT_EXACT_MOST);
    }
    const float none[3] = {NAN, -NAN, 1.0f}, small[2] = {0x1p-31f, -0x1p-31f}, units[2] = {0x1p-30f, -0x1p-30f};
    assert_true(tact_exact_value(sum_of(none, 3, 1.0f, false), 1.0f) == 1.0f);
    assert_true(tact_exact_value(sum_of(small, 1, 1.0f, false), 1.0f) == 0.0f);
    assert_true(tact_exact_value(sum_of(small + 1, 1, 1.0f, false), 1.0f) == 0.0f);
    assert_true(tact_exact_value(sum_of(units, 1, 1.0f, false), 1.0f) == 0x1p-30f);
    assert_true(tact_exact_value(sum_of(units + 1, 1, 1.0f, false), 1.0f) == -0x1p-30f);
}

// ---- Lists ----

enum { EDGE = 9, BED = EDGE * EDGE * EDGE };

/// A bed of grains of radii 0.3 to 0.5, in a box.
static tact_particles* bed(tact_backend backend, const tact_grain_law* law)
{
    const tact_particle_material material = {2e5f, 0.5f, 0.5f, 0.1f};
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS,
                                      .backend = backend,
                                      .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_PERIODIC},
                                      .domain = {{0, 0, 0}, {0.88f * EDGE + 0.12f, 2 * EDGE, 0.88f * EDGE}},
                                      .materials = &material,
                                      .material_count = 1,
                                      .gravity = {0, -9.81f, 0}};
    float x[3 * BED], radii[BED];
    test_random r = {21};
    for (size_t i = 0; i < BED; ++i) {
        const size_t at[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE};
        for (size_t k = 0; k < 3; ++k)
            x[3 * i + k] = 0.5f + 0.88f * (float)at[k] + 0.05f * test_random_signed(&r) * (k == 1 ? 0.0f : 1.0f);
        radii[i] = 0.3f + 0.2f * test_random_unit(&r);
    }
    tact_particles* p = NULL;
    assert_int_equal(tact_particles_create(context, &desc, &p), TACT_OK);
    KEEP(p);
    if (law) assert_int_equal(tact_particles_set_law(p, 0, 0, law), TACT_OK);
    const tact_particle_arrays arrays = {.positions = x, .radii = radii};
    assert_int_equal(tact_particles_add(p, &arrays, BED, NULL), TACT_OK);
    return p;
}

static void take(tact_particles* p, uint32_t substeps, int threads)
{
    const tact_query_options options = {.threads = threads};
    const tact_result result = tact_particles_step(p, 2e-4f * (float)substeps, substeps, 1, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

TEST(a_list_that_serves_many_substeps_loses_nothing)
{
    tact_particles* right = bed(TACT_BACKEND_REFERENCE, NULL);
    tact_particles* p = bed(TACT_BACKEND_CPU, NULL);
    for (int k = 0; k < 6; ++k) {
        take(right, 100, 1);
        take(p, 100, 2);
        const particle_snapshot expected = particle_snapshot_of(right);
        particle_snapshot_expect(p, &expected, "a bed");
    }
    const tact_particle_cpu* e = (const tact_particle_cpu*)p->engines[TACT_BACKEND_CPU];
    // It was made several times, and served several times.
    assert_true(e->grains->lists > 3 && e->grains->lists < 200);
}

TEST(contacts_and_neighbours_between_steps_change_nothing)
{
    tact_particles* right = bed(TACT_BACKEND_CPU, &hertz);
    tact_particles* p = bed(TACT_BACKEND_CPU, &hertz);
    for (int k = 0; k < 6; ++k) {
        size_t count = 0;
        tact_neighbour_lists lists;
        take(right, 50, 1);
        take(p, 50, 1);
        if (k % 2) {
            assert_int_equal(tact_particles_contacts(p, NULL, 0, &count, NULL, NULL), TACT_INCOMPLETE);
            assert_true(count > BED / 2);
        } else {
            assert_int_equal(tact_particles_neighbours(p, 1.2f, TACT_NEIGHBOURS_ONCE, &lists, NULL, NULL), TACT_OK);
        }
    }
    const particle_snapshot expected = particle_snapshot_of(right);
    particle_snapshot_expect(p, &expected, "asked in between");
}

TEST(grains_come_and_go)
{
    tact_particles* both[2] = {bed(TACT_BACKEND_REFERENCE, &hertz), bed(TACT_BACKEND_CPU, &hertz)};
    uint32_t ids[BED / 3];
    for (uint32_t i = 0; i < BED / 3; ++i)
        ids[i] = 3 * i;
    const float x[3] = {4.5f, 15.0f, 4.5f};
    const tact_particle_arrays one = {.positions = x};
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        take(p, 60, 1);
        assert_int_equal(tact_particles_remove(p, ids, BED / 3), TACT_OK);
        take(p, 20, 1);
        // Id 0, which is free again, has nothing of the one before.
        assert_int_equal(tact_particles_add(p, &one, 1, NULL), TACT_OK);
        float spins[3 * BED], turns[4 * BED];
        assert_int_equal(tact_particles_read_turning(p, spins, turns), TACT_OK);
        float turning = 0.0f;
        for (size_t i = 3; i < 3 * tact_particles_count(p); ++i)
            turning += fabsf(spins[i]);
        assert_true(spins[0] == 0.0f && turns[0] == 0.0f && turns[3] == 1.0f && turning > 0.0f);
        take(p, 60, 1);
        tact_particles_clear(p);
        assert_int_equal(tact_particles_add(p, &one, 1, NULL), TACT_OK);
        take(p, 5, 1);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "come and gone");
}

TEST(a_shadow_run_agrees)
{
    tact_particles* p = bed(TACT_BACKEND_CPU, &hertz);
    const tact_query_options options = {.shadow = true};
    const tact_result result = tact_particles_step(p, 4e-3f, 20, 2, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

// ---- What is refused ----

TEST(laws_and_numbers_out_of_range_are_refused)
{
    tact_particles* p = bed(TACT_BACKEND_CPU, NULL);
    tact_grain_law laws[] = {hertz, hertz, hertz, hertz, hertz, hertz, hertz, hertz, hertz, hertz};
    laws[0].springs = (tact_grain_springs)2;
    laws[1].stiffness = 0.0f;
    laws[2].shear = -1.0f;
    laws[3].restitution = 0.0f;
    laws[4].tangential_damping = NAN;
    laws[5].friction = INFINITY;
    laws[6].rolling_friction = -1.0f;
    laws[7].twisting_friction = NAN;
    laws[8].adhesion = -0.1f;
    laws[9].restitution = 1.5f;
    const particle_snapshot before = particle_snapshot_of(p);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i)
        assert_int_equal(tact_particles_set_law(p, 0, 0, &laws[i]), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_law(p, 0, 1, &hertz), TACT_ERROR_INVALID_ARGUMENT);
    const float spin[3] = {0, NAN, 0}, turn[4] = {0, 0, 0, 1.01f}, good[4] = {0, 0.6f, 0, 0.8f};
    const uint32_t here = 5, nowhere = BED;
    assert_int_equal(tact_particles_write_turning(p, &here, 1, spin, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(p, &here, 1, NULL, turn), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(p, &nowhere, 1, good, good), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(p, NULL, 1, good, good), TACT_ERROR_INVALID_ARGUMENT);
    particle_snapshot_expect(p, &before, "refused");
    assert_int_equal(tact_particles_write_turning(p, &here, 1, good, good), TACT_OK);
    tact_particles* others = NULL;
    assert_int_equal(tact_particles_create(context, NULL, &others), TACT_OK);
    KEEP(others);
    assert_int_equal(tact_particles_set_law(others, 0, 0, &hertz), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_read_turning(others, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(others, NULL, 0, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(least_restitutions_are_met)
{
    const tact_grain_law dull = {.springs = TACT_GRAIN_HERTZ, .stiffness = 1.0f, .restitution = 0.01f};
    const TactGrainRule rule = tact_grain_rule_of_law(&dull);
    assert_true(rule.normal_damping > 1.0f && rule.normal_damping < 60.0f);
}

/// A saved system's bytes with one word changed, and a checksum that is right.
static void expect_damage(const particle_snapshot* s, size_t at, uint32_t word, bool taken)
{
    uint8_t* bytes = scratch(s->size);
    tact_particles* p = NULL;
    memcpy(bytes, s->bytes, s->size);
    tact_put_u32(bytes + at, word);
    tact_put_u64(bytes + TACT_SAVED_CHECKSUM_AT,
                 tact_particles_checksum(bytes + TACT_SAVED_HEADER, s->size - TACT_SAVED_HEADER));
    const tact_result result = tact_particles_restore(context, bytes, s->size, TACT_BACKEND_CPU, &p);
    if ((result == TACT_OK) != taken) fail_msg("byte %zu: %s", at, tact_context_error(context));
    tact_particles_destroy(p);
}

TEST(damaged_memories_are_refused)
{
    tact_particles* p = bed(TACT_BACKEND_CPU, &hertz);
    take(p, 100, 1);
    const particle_snapshot s = particle_snapshot_of(p);
    const size_t count = p->mirror.record_count;
    assert_true(count > 100);
    // From the end: records of 13 words, how many there are, orientations, spins, nine words of the law.
    const size_t records = s.size - 52 * count, turns = records - 8 - 16 * BED, spins = turns - 16 * BED;
    const size_t law = spins - 36;
    const uint32_t none = 0x7fc00000u, one = 0x3f800000u, minus = 0xbf800000u;
    expect_damage(&s, records, 1u << 20, false);                 // a
    expect_damage(&s, records + 4, 4, false);                    // with
    expect_damage(&s, records + 8, 0, false);                    // b: not above a
    expect_damage(&s, records + 12, none, false);                // the normal
    expect_damage(&s, records + 24, none, false);                // the spring
    expect_damage(&s, records + 24, one, true);                  //
    expect_damage(&s, records + 48, one, true);                  // the twist
    expect_damage(&s, records + 52, 0xffffffffu, false);         // the second's a
    expect_damage(&s, records - 8, (uint32_t)count - 1, false);  // how many
    expect_damage(&s, records - 4, 1, false);                    //
    expect_damage(&s, turns, one, false);                        // no unit quaternion
    expect_damage(&s, spins, none, false);                       //
    expect_damage(&s, spins + 12, one, false);                   // what is 0
    expect_damage(&s, spins, one, true);                         //
    expect_damage(&s, law, 0, false);                            // the stiffness
    expect_damage(&s, law + 8, minus, false);                    //
    expect_damage(&s, law + 32, 2, false);                       // whether it is Hertz's
    expect_damage(&s, law + 32, 0, true);                        //
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
