// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grains: a backend's state against the brute force's, byte by byte, with every law, boundary and kind of surface; kept
// by saving, over other questions in between, and as grains come and go. The program's argument: cpu, gl or cl.
#include "tests/support/run.h"

#include "core/particles/particles.h"
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
        grain_take(both[round], 150, 1);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "a layer");
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const char* wanted = argc > 1 ? argv[1] : "cpu";
    if (strcmp(wanted, "gl") == 0) tested = TACT_BACKEND_GL;
    if (strcmp(wanted, "cl") == 0) tested = TACT_BACKEND_CL;
    const tact_context_desc desc = {.gl = tested == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = tested == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .threads = 2};
    if (tact_context_create(&desc, &context) != TACT_OK) return 1;
    if (device_missing(context, tested)) {
        tact_context_destroy(context);
        return run_nothing("the device is missing");
    }
    const int failed = run_all(all_tests, NULL, NULL);
    tact_context_destroy(context);
    return failed;
}
