// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grains: a backend's state against the brute force's, byte by byte, with every law, boundary and kind of surface; kept
// by saving, over other questions in between, and as grains come and go. The program's argument: cpu, gl or cl.
#include "tests/support/run.h"

#include "core/particles/particles.h"
#include "tact/particle_bonds.h"
#include "tests/support/grain_systems.h"

static tact_backend tested = TACT_BACKEND_CPU;

TEST(a_backend_has_the_state_that_brute_force_has)
{
    for (int variant = 0; variant < 4; ++variant) {
        tact_particles* right = grain_rich(TACT_BACKEND_REFERENCE, variant);
        tact_particles* p = grain_rich(tested, variant);
        for (int k = 0; k < 12; ++k) {
            grain_step(right, 5, 1);
            grain_step(p, 5, 1 + k % 3);
            const particle_snapshot expected = particle_snapshot_of(right);
            particle_snapshot_expect(p, &expected, "after some steps");
        }
        tact_particles_info info;
        assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
        assert_int_equal(info.backend, tested);
    }
}

TEST(a_saved_system_goes_on_as_if_nothing_had_been)
{
    tact_particles* p = grain_rich(tested, 3);
    grain_step(p, 30, 1);
    const particle_snapshot middle = particle_snapshot_of(p);
    tact_particles* again = NULL;
    assert_int_equal(tact_particles_restore(context, middle.bytes, middle.size, tested, &again), TACT_OK);
    KEEP(again);
    particle_snapshot_expect(again, &middle, "restored");
    // Powers and forces are those of the last substep.
    tact_particle_totals totals[2] = {{0}};
    assert_int_equal(tact_particles_measure(p, &totals[0]), TACT_OK);
    assert_int_equal(tact_particles_measure(again, &totals[1]), TACT_OK);
    assert_true(totals[0].dissipated_power != 0.0);
    assert_memory_equal(&totals[0], &totals[1], sizeof totals[0]);
    grain_step(p, 30, 1);
    grain_step(again, 30, 2);
    const particle_snapshot expected = particle_snapshot_of(p);
    particle_snapshot_expect(again, &expected, "gone on");
}

TEST(contacts_and_neighbours_between_steps_change_nothing)
{
    tact_particles* right = grain_bed(tested, &grain_hertz);
    tact_particles* p = grain_bed(tested, &grain_hertz);
    for (int k = 0; k < 6; ++k) {
        size_t count = 0;
        tact_neighbour_lists lists;
        grain_take(right, 50, 1);
        grain_take(p, 50, 1);
        if (k % 2) {
            assert_int_equal(tact_particles_contacts(p, NULL, 0, &count, NULL, NULL), TACT_INCOMPLETE);
            assert_true(count > GRAIN_BED / 2);
        } else {
            assert_int_equal(tact_particles_neighbours(p, 1.2f, TACT_NEIGHBOURS_ONCE, &lists, NULL, NULL), TACT_OK);
        }
    }
    const particle_snapshot expected = particle_snapshot_of(right);
    particle_snapshot_expect(p, &expected, "asked in between");
}

TEST(grains_come_and_go)
{
    tact_particles* both[2] = {grain_bed(TACT_BACKEND_REFERENCE, &grain_hertz), grain_bed(tested, &grain_hertz)};
    uint32_t ids[GRAIN_BED / 3];
    for (uint32_t i = 0; i < GRAIN_BED / 3; ++i)
        ids[i] = 3 * i;
    const float x[3] = {4.5f, 15.0f, 4.5f};
    const tact_particle_arrays one = {.positions = x};
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        grain_take(p, 60, 1);
        assert_int_equal(tact_particles_remove(p, ids, GRAIN_BED / 3), TACT_OK);
        grain_take(p, 20, 1);
        // Id 0, which is free again, has nothing of the one before.
        assert_int_equal(tact_particles_add(p, &one, 1, NULL), TACT_OK);
        float spins[3 * GRAIN_BED], turns[4 * GRAIN_BED];
        assert_int_equal(tact_particles_read_turning(p, spins, turns), TACT_OK);
        float turning = 0.0f;
        for (size_t i = 3; i < 3 * tact_particles_count(p); ++i)
            turning += fabsf(spins[i]);
        assert_true(spins[0] == 0.0f && turns[0] == 0.0f && turns[3] == 1.0f && turning > 0.0f);
        grain_take(p, 60, 1);
        tact_particles_clear(p);
        assert_int_equal(tact_particles_add(p, &one, 1, NULL), TACT_OK);
        grain_take(p, 5, 1);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "come and gone");
}

TEST(a_shadow_run_agrees)
{
    tact_particles* p = grain_bed(tested, &grain_hertz);
    const tact_query_options options = {.shadow = true};
    const tact_result result = tact_particles_step(p, 4e-3f, 20, 2, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

TEST(laws_may_change)
{
    tact_particles* both[2] = {grain_bed(TACT_BACKEND_REFERENCE, &grain_hertz), grain_bed(tested, &grain_hertz)};
    tact_grain_law slides = grain_hertz;
    slides.rolling_friction = slides.twisting_friction = 0.0f;
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        grain_take(p, 60, 1);
        assert_int_equal(tact_particles_set_law(p, 0, 0, &slides), TACT_OK);
        grain_take(p, 10, 1);
        assert_int_equal(tact_particles_set_law(p, 0, 0, &grain_hertz), TACT_OK);
        grain_take(p, 40, 1);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "with other laws");
}

static const tact_bond_law glue = {.young = 4e5f,
                                   .shear = 1.5e5f,
                                   .radius = 0.8f,
                                   .damping = 0.1f,
                                   .tensile_strength = 2000.0f,
                                   .shear_strength = 1500.0f};

static size_t bonds_of(tact_particles* p)
{
    size_t count = 0;
    const tact_result result = tact_particles_bonds(p, NULL, 0, &count);
    assert_true(result == TACT_OK || result == TACT_INCOMPLETE);
    return count;
}

/// A bed of which half is glued, and falls apart in part.
TEST(bonds_act_and_break)
{
    tact_particles* both[2] = {grain_bed(TACT_BACKEND_REFERENCE, &grain_hertz), grain_bed(tested, &grain_hertz)};
    tact_bond_law strong = glue;
    strong.tensile_strength = strong.shear_strength = INFINITY;
    size_t counts[2][4];
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        uint32_t pairs[4];
        tact_bond first[2];
        float v[3 * GRAIN_BED];
        test_random r = {77};
        for (size_t i = 0; i < 3 * GRAIN_BED; ++i)
            v[i] = 1.5f * test_random_signed(&r);
        grain_take(p, 30, 1);
        assert_int_equal(tact_particles_set_bond_law(p, 3, &glue), TACT_OK);
        assert_int_equal(tact_particles_set_bond_law(p, 0, &strong), TACT_OK);
        assert_int_equal(tact_particles_bond_near(p, 3, 0.03f, &counts[round][0]), TACT_OK);
        size_t count = 0;
        assert_int_equal(tact_particles_bonds(p, first, 2, &count), TACT_INCOMPLETE);
        assert_int_equal(count, counts[round][0]);
        for (size_t i = 0; i < 2; ++i) {
            pairs[2 * i] = first[i].b;
            pairs[2 * i + 1] = first[i].a;
        }
        assert_int_equal(tact_particles_bond(p, 0, pairs, 2), TACT_OK);
        assert_int_equal(bonds_of(p), count);
        assert_int_equal(tact_particles_write(p, NULL, GRAIN_BED, NULL, v), TACT_OK);
        grain_take(p, 40, 1);
        counts[round][1] = bonds_of(p);
        // What is kept is gone on with, contacts and bonds alike.
        const particle_snapshot middle = particle_snapshot_of(p);
        tact_particles* again = NULL;
        assert_int_equal(
            tact_particles_restore(context, middle.bytes, middle.size, round ? tested : TACT_BACKEND_REFERENCE, &again),
            TACT_OK);
        KEEP(again);
        particle_snapshot_expect(again, &middle, "restored");
        both[round] = again;
        grain_take(again, 200, 1);
        assert_int_equal(tact_particles_unbond(again, pairs, 1), TACT_OK);
        counts[round][2] = bonds_of(again);
        grain_take(again, 40, 1);
        assert_int_equal(tact_particles_unbond(again, NULL, 0), TACT_OK);
        counts[round][3] = bonds_of(again);
        assert_int_equal(tact_particles_bond_near(again, 3, 0.01f, NULL), TACT_OK);
        grain_take(again, 40, 1);
    }
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    print_message("%zu bonds, later %zu, %zu\n", counts[0][0], counts[0][1], counts[0][2]);
    assert_true(counts[0][0] > 200 && counts[0][1] > 2 && counts[0][2] < counts[0][1] && counts[0][3] == 0);
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "glued");
}

/// Of springs of both kinds, in beds that hold together; kept by saving.
TEST(cohesive_grains)
{
    for (int hertz = 0; hertz < 2; ++hertz) {
        tact_grain_law law = grain_hertz;
        if (!hertz) {
            law.springs = TACT_GRAIN_LINEAR;
            law.stiffness = 1e5f;
            law.shear = 3e4f;
            law.adhesion = law.rolling_friction = law.twisting_friction = 0.0f;
        }
        tact_particles* without = grain_bed(tested, &law);
        law.cohesion = 5e4f;
        tact_particles* both[2] = {grain_bed(TACT_BACKEND_REFERENCE, &law), grain_bed(tested, &law)};
        for (int round = 0; round < 2; ++round)
            grain_take(both[round], 60, 1 + round);
        const particle_snapshot expected = particle_snapshot_of(both[0]);
        particle_snapshot_expect(both[1], &expected, "held together");
        tact_particles* again = NULL;
        assert_int_equal(expected.bytes[8], 4);
        assert_int_equal(tact_particles_restore(context, expected.bytes, expected.size, tested, &again), TACT_OK);
        KEEP(again);
        particle_snapshot_expect(again, &expected, "restored");
        grain_take(both[0], 20, 1);
        grain_take(again, 20, 1);
        const particle_snapshot later = particle_snapshot_of(both[0]);
        particle_snapshot_expect(again, &later, "gone on");
        float x[3 * GRAIN_BED], y[3 * GRAIN_BED];
        grain_take(without, 80, 1);
        assert_int_equal(tact_particles_read(without, &(tact_particle_output){.positions = x}), TACT_OK);
        assert_int_equal(tact_particles_read(again, &(tact_particle_output){.positions = y}), TACT_OK);
        assert_memory_not_equal(x, y, sizeof x);
    }
}

static uint64_t capped_of(tact_particles* p)
{
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    return info.capped;
}

/// A force is cut at four times that of a contact pressed in by a radius, which only dashpots get to.
TEST(contacts_whose_forces_are_cut_are_counted)
{
    tact_particles* both[2] = {grain_bed(TACT_BACKEND_REFERENCE, NULL), grain_bed(tested, NULL)};
    const float x[6] = {0, 0, 0, 0.9f, 0, 0}, still[6] = {0}, fast[6] = {2e4f, 0, 0, -2e4f, 0, 0};
    float v[3 * GRAIN_BED];
    test_random r = {31};
    for (size_t i = 0; i < 3 * GRAIN_BED; ++i)
        v[i] = 500.0f * test_random_signed(&r);
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        grain_take(p, 20, 1);
        assert_int_equal(tact_particles_write(p, NULL, GRAIN_BED, NULL, v), TACT_OK);
        grain_take(p, 1, 2);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "with forces that are cut");
    const uint64_t many = capped_of(both[1]);
    assert_int_equal(many, capped_of(both[0]));
    print_message("%u of %d grains' contacts\n", (unsigned)many, (int)GRAIN_BED);
    assert_true(many > 50 && many < 6 * GRAIN_BED);
    // Two alone that meet count once, and each with the wall that it flies into.
    const tact_collider wall = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -0.45f}};
    const float down[6] = {0, -2e4f, 0, 0, -2e4f, 0};
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS, .backend = tested, .speed_limit = 1e6f};
    const tact_particle_arrays arrays = {.positions = x, .velocities = still};
    tact_particles* p = NULL;
    assert_int_equal(tact_particles_create(context, &desc, &p), TACT_OK);
    KEEP(p);
    assert_int_equal(tact_particles_add(p, &arrays, 2, NULL), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-4f, 3, 1, NULL, NULL), TACT_OK);
    assert_int_equal(capped_of(p), 0);
    assert_int_equal(tact_particles_write(p, NULL, 2, x, fast), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-7f, 1, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
    assert_int_equal(capped_of(p), 1);
    assert_int_equal(tact_particles_add_collider(p, &wall, NULL), TACT_OK);
    assert_int_equal(tact_particles_write(p, NULL, 2, x, down), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-7f, 1, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
    assert_int_equal(capped_of(p), 3);
}

/// More contacts with surfaces than a device has room for at first, and at once.
TEST(a_layer_on_the_floor)
{
    enum { SIDE = 40 };
    tact_particles* both[2];
    float x[3 * SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; ++i) {
        x[3 * i] = 0.97f * (float)(i % SIDE) + 0.5f;
        x[3 * i + 1] = 0.502f;
        x[3 * i + 2] = 0.97f * (float)(i / SIDE) + 0.5f;
    }
    for (int round = 0; round < 2; ++round) {
        const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS,
                                          .backend = round ? tested : TACT_BACKEND_REFERENCE,
                                          .boundary = {TACT_BOUNDARY_OPEN, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
                                          .domain = {{-100, 0, -100}, {100, 10, 100}},
                                          .gravity = {0, -9.81f, 0}};
        const tact_particle_arrays arrays = {.positions = x};
        assert_int_equal(tact_particles_create(context, &desc, &both[round]), TACT_OK);
        KEEP(both[round]);
        assert_int_equal(tact_particles_add(both[round], &arrays, SIDE * SIDE, NULL), TACT_OK);
        grain_take(both[round], 60, 1);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "a layer");
}

#include TEST_LIST
#include "tests/support/one_backend.h"

int main(int argc, char** argv)
{
    return run_one_backend(argc, argv, &tested);
}
