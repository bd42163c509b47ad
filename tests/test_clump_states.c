// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Clumps: a backend's state against the brute force's, byte by byte; saved, written, read, and as they come and go. The
// program's argument: cpu, gl or cl.
#include "tests/support/run.h"

#include "tact/particle_bonds.h"
#include "tact/particle_clumps.h"
#include "tact/particle_forces.h"
#include "tact/particle_programs.h"
#include "tests/support/grain_systems.h"

static tact_backend tested = TACT_BACKEND_CPU;

/// Three balls on a bent line, of which two overlap.
static const float bent[9] = {0.0f, 0.0f, 0.0f, 0.5f, 0.1f, 0.0f, 0.9f, 0.6f, 0.2f};
static const float bent_radii[3] = {0.45f, 0.35f, 0.3f};
static const tact_clump_shape bent_shape = {.positions = bent, .radii = bent_radii, .count = 3, .density = 1200.0f};
/// Four balls at the corners of a tetrahedron.
static const float four[12] = {0.3f, 0.3f, 0.3f, 0.3f, -0.3f, -0.3f, -0.3f, 0.3f, -0.3f, -0.3f, -0.3f, 0.3f};
static const float four_radii[4] = {0.4f, 0.4f, 0.4f, 0.4f};
static const tact_clump_shape four_shape = {.positions = four, .radii = four_radii, .count = 4};

enum { CLUMPS = 60 };

/// Adds clumps of a shape above a bed, turned and moving at random.
static void pour(tact_particles* p, const tact_clump_shape* shape, size_t count, float height, uint32_t* ids)
{
    float x[3 * CLUMPS], v[3 * CLUMPS], w[3 * CLUMPS], q[4 * CLUMPS];
    test_random r = {5 + shape->count};
    assert_true(count <= CLUMPS);
    for (size_t i = 0; i < count; ++i) {
        const float at[3] = {1.4f + 1.7f * (float)(i % 4), height + 1.8f * (float)(i / 16),
                             1.4f + 1.7f * (float)(i / 4 % 4)};
        float square = 0.0f;
        for (size_t k = 0; k < 4; ++k) {
            q[4 * i + k] = test_random_signed(&r) + (k == 3 ? 1.5f : 0.0f);
            square += q[4 * i + k] * q[4 * i + k];
        }
        for (size_t k = 0; k < 4; ++k)
            q[4 * i + k] /= sqrtf(square);
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = at[k];
            v[3 * i + k] = (k == 1 ? -3.0f : 0.0f) + test_random_signed(&r);
            w[3 * i + k] = 8.0f * test_random_signed(&r);
        }
    }
    const tact_clump_arrays arrays = {.positions = x, .velocities = v, .spins = w, .orientations = q};
    const tact_result result = tact_particles_add_clumps(p, shape, &arrays, count, ids);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

/// A bed with clumps above it, or in it.
static tact_particles* clump_bed(tact_backend backend, bool mixed)
{
    tact_particles* p = grain_bed(backend, &grain_hertz);
    pour(p, &bent_shape, mixed ? 40 : 16, 10.0f, NULL);
    if (mixed) pour(p, &four_shape, 20, 15.0f, NULL);
    return p;
}

TEST(a_backend_has_the_state_that_brute_force_has)
{
    for (int round = 0; round < 2; ++round) {
        tact_particles* right = clump_bed(TACT_BACKEND_REFERENCE, round == 1);
        tact_particles* p = clump_bed(tested, round == 1);
        float turning = 0.0f;
        for (int k = 0; k < 6; ++k) {
            grain_take(right, 60, 1);
            grain_take(p, 60, 1 + k % 3);
            const particle_snapshot expected = particle_snapshot_of(right);
            particle_snapshot_expect(p, &expected, "after some steps");
        }
        float spins[3 * CLUMPS];
        const tact_clump_output out = {.spins = spins};
        assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
        for (size_t i = 0; i < 3 * tact_particles_clump_count(p); ++i)
            turning += fabsf(spins[i]);
        assert_true(turning > 1.0f);
        tact_particles_info info;
        assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
        assert_int_equal(info.backend, tested);
    }
}

/// With walls, periods, colliders, meshes, emitters and sinks, and forces of the caller's.
TEST(clumps_in_a_rich_system)
{
    for (int variant = 0; variant < 4; ++variant) {
        tact_particles* both[2] = {grain_rich(TACT_BACKEND_REFERENCE, variant), grain_rich(tested, variant)};
        const float x[9] = {-1.5f, 3.0f, 0.5f, 1.5f, 4.2f, -0.5f, 3.0f, 4.0f, 0.0f},
                    v[9] = {0, -4, 0, 0, -4, 1, 3, -6, 0};
        const tact_clump_arrays arrays = {.positions = x, .velocities = v};
        const float size = tact_particles_stable_step(both[0]);
        assert_true(size > 0.0f);
        for (int round = 0; round < 2; ++round) {
            float forces[3 * 400] = {0};
            float positions[9], radii[3];
            for (int i = 0; i < 9; ++i)
                positions[i] = 0.25f * bent[i];
            for (int i = 0; i < 3; ++i)
                radii[i] = 0.25f * bent_radii[i];
            const tact_clump_shape small = {.positions = positions, .radii = radii, .count = 3, .material = 1};
            const tact_result added = tact_particles_add_clumps(both[round], &small, &arrays, 3, NULL);
            if (added != TACT_OK) fail_msg("%s", tact_context_error(context));
            for (size_t i = 0; i < 400; ++i)
                forces[3 * i + i % 3] = 0.1f;
            assert_int_equal(tact_particles_set_forces(both[round], forces, 400), TACT_OK);
        }
        for (int k = 0; k < 8; ++k) {
            grain_step(both[0], 5, 1);
            grain_step(both[1], 5, 1 + k % 3);
            const particle_snapshot expected = particle_snapshot_of(both[0]);
            particle_snapshot_expect(both[1], &expected, "a rich system with clumps");
        }
    }
}

TEST(a_saved_system_goes_on_as_if_nothing_had_been)
{
    tact_particles* p = clump_bed(tested, true);
    grain_take(p, 100, 1);
    const particle_snapshot middle = particle_snapshot_of(p);
    tact_particles* again = NULL;
    assert_int_equal(tact_particles_restore(context, middle.bytes, middle.size, tested, &again), TACT_OK);
    KEEP(again);
    particle_snapshot_expect(again, &middle, "restored");
    assert_int_equal(tact_particles_clump_count(again), CLUMPS);
    grain_take(p, 100, 1);
    grain_take(again, 100, 2);
    const particle_snapshot expected = particle_snapshot_of(p);
    particle_snapshot_expect(again, &expected, "gone on");
}

TEST(a_shadow_run_agrees)
{
    tact_particles* p = clump_bed(tested, true);
    const tact_query_options options = {.shadow = true};
    tact_particle_contact contacts[3000];
    size_t count = 0;
    for (int k = 0; k < 2; ++k) {
        if (tact_particles_step(p, 4e-3f, 20, 4, &options, NULL) != TACT_OK)
            fail_msg("%s", tact_context_error(context));
        if (tact_particles_contacts(p, contacts, 3000, &count, &options, NULL) != TACT_OK)
            fail_msg("%s", tact_context_error(context));
    }
    // None within clumps.
    uint32_t spheres[2][4], ids[CLUMPS];
    size_t counts[2];
    const tact_clump_output out = {.ids = ids};
    assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
    for (size_t c = 0; c < CLUMPS; ++c) {
        assert_int_equal(tact_particles_clump_spheres(p, ids[c], spheres[0], 4, &counts[0]), TACT_OK);
        for (size_t i = 0; i < count; ++i) {
            bool inside[2] = {false, false};
            for (size_t k = 0; k < counts[0]; ++k) {
                inside[0] = inside[0] || contacts[i].a == spheres[0][k];
                inside[1] = inside[1] || (contacts[i].with == TACT_CONTACT_PARTICLE && contacts[i].b == spheres[0][k]);
            }
            assert_false(inside[0] && inside[1]);
        }
    }
    tact_contact_force forces[1];
    size_t acting = 0;
    assert_int_equal(tact_particles_contact_forces(p, forces, 1, &acting), TACT_INCOMPLETE);
    assert_int_equal(acting, count);
}

TEST(clumps_come_and_go)
{
    tact_particles* both[2] = {grain_bed(TACT_BACKEND_REFERENCE, &grain_hertz), grain_bed(tested, &grain_hertz)};
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = both[round];
        uint32_t ids[CLUMPS], some[2], single[3] = {1, 2, 3};
        size_t count = 0;
        grain_take(p, 20, 1);
        pour(p, &bent_shape, 16, 10.0f, ids);
        grain_take(p, 40, 1);
        const size_t all = tact_particles_count(p);
        // What is of a clump goes with it alone.
        assert_int_equal(tact_particles_remove(p, &ids[3], 1), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_clump_spheres(p, ids[3] + 1, NULL, 0, &count), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_clump_spheres(p, ids[3], some, 2, &count), TACT_INCOMPLETE);
        assert_true(count == 3 && some[0] == ids[3] && some[1] == ids[3] + 1);
        some[0] = some[1] = ids[3];
        assert_int_equal(tact_particles_remove_clumps(p, some, 2), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_count(p), all);
        some[1] = ids[7];
        assert_int_equal(tact_particles_remove_clumps(p, some, 2), TACT_OK);
        assert_true(tact_particles_count(p) == all - 6 && tact_particles_clump_count(p) == 14);
        assert_int_equal(tact_particles_remove(p, single, 3), TACT_OK);
        grain_take(p, 40, 1);
        // Ids that are free again, of which one clump's are not side by side.
        pour(p, &four_shape, 4, 14.0f, ids);
        assert_true(ids[0] == 1 && tact_particles_clump_count(p) == 18);
        grain_take(p, 60, 1);
        float y[3] = {4.0f, 12.0f, 4.0f}, turn[4] = {0.0f, 0.6f, 0.0f, 0.8f}, spin[3] = {1.0f, 2.0f, -3.0f};
        const tact_clump_arrays arrays = {.positions = y, .spins = spin, .orientations = turn};
        assert_int_equal(tact_particles_write_clumps(p, ids, 1, &arrays), TACT_OK);
        assert_int_equal(tact_particles_write(p, ids, 1, y, NULL), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_write_turning(p, ids, 1, spin, NULL), TACT_ERROR_INVALID_ARGUMENT);
        float places[3 * CLUMPS], turns[4 * CLUMPS], spins[3 * CLUMPS], masses[CLUMPS];
        uint32_t counts[CLUMPS];
        const tact_clump_output out = {
            .counts = counts, .positions = places, .orientations = turns, .spins = spins, .masses = masses};
        assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
        assert_memory_equal(places, y, sizeof y);
        assert_memory_equal(turns, turn, sizeof turn);
        for (int k = 0; k < 3; ++k)
            assert_true(fabsf(spins[k] - spin[k]) < 1e-5f);
        assert_true(counts[0] == 4 && counts[1] == 3 && masses[0] > masses[1]);
        grain_take(p, 60, 1);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "come and gone");
    tact_particles_clear(both[1]);
    assert_int_equal(tact_particles_clump_count(both[1]), 0);
    grain_take(both[1], 2, 1);
}

static bool push_up(const tact_force_call* call, void* user)
{
    (void)user;
    for (size_t i = 0; i < call->count; ++i) {
        call->forces[3 * i + 1] = 30.0f * call->radii[i];
        call->torques[3 * i] = 3.0f - call->spins[3 * i];
    }
    return true;
}

/// Forces and torques of programs and functions, on clumps and beside them, without torques and with.
TEST(programs_and_functions_act_on_clumps)
{
    static const char* const programs[] = {NULL, "fx = -30*vx; fz = x > 4 ? 20 : -20",
                                           "fy = 40*r; tz = 5 - wz; tx = vy"};
    for (size_t k = 0; k < 6; ++k) {
        tact_particles* both[2] = {clump_bed(TACT_BACKEND_REFERENCE, false), clump_bed(tested, false)};
        for (int round = 0; round < 2; ++round) {
            tact_particles* p = both[round];
            if (programs[k % 3]) assert_int_equal(tact_particles_set_program(p, programs[k % 3], NULL, 0), TACT_OK);
            if (k > 2) assert_int_equal(tact_particles_set_force_function(p, push_up, NULL), TACT_OK);
            grain_take(p, 20, 1);
            grain_take(p, 10, 1 + round);
        }
        const particle_snapshot expected = particle_snapshot_of(both[0]);
        particle_snapshot_expect(both[1], &expected, "pushed");
    }
}

/// A sink takes a clump when its centre of mass is inside.
TEST(sinks_take_clumps)
{
    tact_particles* both[2];
    for (int round = 0; round < 2; ++round) {
        const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS,
                                          .backend = round ? tested : TACT_BACKEND_REFERENCE,
                                          .gravity = {0, -9.81f, 0}};
        assert_int_equal(tact_particles_create(context, &desc, &both[round]), TACT_OK);
        KEEP(both[round]);
        const tact_collider below = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -3.0f}};
        assert_int_equal(tact_particles_add_sink(both[round], &below, NULL), TACT_OK);
        const float single[3] = {9.0f, -2.0f, 9.0f};
        const tact_particle_arrays one = {.positions = single};
        pour(both[round], &bent_shape, 32, 0.0f, NULL);
        assert_int_equal(tact_particles_add(both[round], &one, 1, NULL), TACT_OK);
        size_t before = tact_particles_clump_count(both[round]), seen = 0;
        for (int k = 0; k < 35; ++k) {
            grain_take(both[round], 100, 1);
            const size_t now = tact_particles_clump_count(both[round]);
            assert_true(now <= before && tact_particles_count(both[round]) <= 3 * now + 1 &&
                        tact_particles_count(both[round]) >= 3 * now);
            seen += now != before && now > 0;
            before = now;
        }
        assert_true(seen > 0);
    }
    const particle_snapshot expected = particle_snapshot_of(both[0]);
    particle_snapshot_expect(both[1], &expected, "in the sink");
}

#include TEST_LIST
#include "tests/support/one_backend.h"

int main(int argc, char** argv)
{
    return run_one_backend(argc, argv, &tested);
}
