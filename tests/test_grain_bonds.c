// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bonds against formulas of beams: pulled, sheared, bent, twisted, broken; what they leave as it is; and what the calls
// refuse. test_grain_states compares states.
#include "tests/support/run.h"

#include <math.h>

#include "tact/particle_bonds.h"
#include "tact/particle_grains.h"
#include "tests/support/particle_lab.h"

enum { MOST = 12 };

static const tact_bond_law beam = {.young = 1e6f,
                                   .shear = 4e5f,
                                   .radius = 0.6f,
                                   .damping = 0.3f,
                                   .tensile_strength = INFINITY,
                                   .shear_strength = INFINITY};

/// A row of grains of radius 0.5 m, a metre apart, the first of which nothing moves, bonded each to the next.
static tact_particles* row_of(size_t count, const tact_bond_law* law, tact_vec3 g, tact_vec3 along, bool held)
{
    // What is held comes to rest.
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS, .gravity = g, .drag = held ? 5.0f : 0.0f};
    float x[3 * MOST], masses[MOST];
    uint32_t pairs[2 * MOST];
    tact_particles* p = make(&desc);
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; ++i) {
        x[3 * i] = along.x * (float)i;
        x[3 * i + 1] = along.y * (float)i;
        x[3 * i + 2] = along.z * (float)i;
        masses[i] = held && i == 0 ? INFINITY : 1.0f;
        pairs[2 * i] = (uint32_t)i + 1;
        pairs[2 * i + 1] = (uint32_t)i;
    }
    add(p, &(tact_particle_arrays){.positions = x, .masses = masses}, count);
    assert_int_equal(tact_particles_set_bond_law(p, 5, law), TACT_OK);
    assert_int_equal(tact_particles_bond(p, 5, pairs, count - 1), TACT_OK);
    return p;
}

static tact_bond bond_at(tact_particles* p, size_t k)
{
    tact_bond bonds[MOST];
    size_t count = 0;
    assert_int_equal(tact_particles_bonds(p, bonds, MOST, &count), TACT_OK);
    assert_true(k < count);
    return bonds[k];
}

static size_t bonds_of(tact_particles* p)
{
    size_t count = 0;
    assert_true(tact_particles_bonds(p, NULL, 0, &count) >= TACT_OK);
    return count;
}

static double area(void)
{
    const double radius = 0.5 * (double)beam.radius;
    return pi * radius * radius;
}

TEST(a_chain_is_stretched_by_its_weight)
{
    enum { N = 6 };
    tact_particles* p = row_of(N, &beam, (tact_vec3){0, -gravity, 0}, (tact_vec3){0, -1, 0}, true);
    float x[3 * N], v[3 * N];
    step(p, 2e-4f, 1, 40000);
    read_state(p, x, v);
    for (size_t k = 1; k < N; ++k) {
        const double load = (double)gravity * (double)(N - k);
        const double longer = (double)x[3 * (k - 1) + 1] - (double)x[3 * k + 1] - 1.0;
        const double expected = load / ((double)beam.young * area());
        const tact_bond bond = bond_at(p, k - 1);
        FIGURE("bond %zu: %.6g m longer (formula %.6g), %.6g Pa (%.6g)\n", k, longer, expected,
               (double)bond.tensile_stress, load / area());
        assert_true(fabs(longer - expected) < 2e-3 * expected + 2e-6);
        assert_true(fabs((double)bond.tensile_stress - load / area()) < 0.01 * load / area() + 2.0);
        assert_true(bond.a == k - 1 && bond.b == k && bond.kind == 5 && bond.length == 1.0f);
    }
}

/// The deflection of the last of a row that is held at one end and pulled down at the other, by joints half-way between
/// centres that bend and shear.
TEST(a_cantilever_bends)
{
    enum { N = 9 };
    tact_particles* p = row_of(N, &beam, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, true);
    const float load = 5.0f;
    float forces[3 * N] = {0}, x[3 * N], v[3 * N];
    forces[3 * (N - 1) + 1] = -load;
    assert_int_equal(tact_particles_set_forces(p, forces, N), TACT_OK);
    step(p, 2e-4f, 1, 200000);
    read_state(p, x, v);
    const double radius = 0.5 * (double)beam.radius, inertia = 0.25 * area() * radius * radius;
    double bent = 0.0;
    for (int k = 1; k < N; ++k)
        bent += ((double)k - 0.5) * ((double)k - 0.5) * (double)load / ((double)beam.young * inertia);
    const double sheared = (double)(N - 1) * (double)load / ((double)beam.shear * area());
    const double down = -(double)x[3 * (N - 1) + 1];
    FIGURE("cantilever of %d: %.6f m (formula %.6f, of which shear %.6f; a thin beam's %.6f)\n", N - 1, down,
           bent + sheared, sheared, (double)load * pow(N - 1, 3) / (3.0 * (double)beam.young * inertia));
    assert_true(fabs(down - bent - sheared) < 0.005 * (bent + sheared));
    const double most = (double)load * (N - 1.5) * radius / inertia;
    const tact_bond first = bond_at(p, 0);
    FIGURE("at the wall %.5g Pa of bending (formula %.5g), %.5g Pa of shear (%.5g)\n", (double)first.tensile_stress,
           most, (double)first.shear_stress, (double)load / area());
    assert_true(fabs((double)first.tensile_stress - most) < 0.01 * most);
    assert_true(fabs((double)first.shear_stress - (double)load / area()) < 0.02 * (double)load / area());
}

TEST(two_grains_twist)
{
    tact_bond_law law = beam;
    law.damping = 0.0f;
    tact_particles* p = row_of(2, &law, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, false);
    const float spins[6] = {0.2f, 0, 0, -0.2f, 0, 0};
    assert_int_equal(tact_particles_write_turning(p, NULL, 2, spins, NULL), TACT_OK);
    const double radius = 0.5 * (double)beam.radius, polar = 0.5 * area() * radius * radius;
    const double stiffness = (double)beam.shear * polar, inertia = 0.4 * 0.25;
    const double period = 2.0 * pi / sqrt(2.0 * stiffness / inertia), dt = period / 4000.0;
    float now[6], before = 0.2f;
    size_t steps = 0, crossings = 0, last = 0, first = 0;
    while (crossings < 21) {
        step(p, (float)dt, 1, 1);
        ++steps;
        assert_int_equal(tact_particles_read_turning(p, now, NULL), TACT_OK);
        assert_true(fabsf(now[0] + now[3]) < 1e-6f);
        if ((now[0] > 0.0f) != (before > 0.0f)) {
            if (crossings == 0) first = steps;
            last = steps;
            ++crossings;
        }
        before = now[0];
        assert_true(steps < 200000);
    }
    const double measured = (double)(last - first) * dt / 10.0;
    FIGURE("twisting: period %.6f s (formula %.6f)\n", measured, period);
    assert_true(fabs(measured - period) < 2e-3 * period);
}

TEST(bonds_break_at_their_strength)
{
    for (int side = -1; side <= 1; side += 2) {
        tact_bond_law law = beam;
        law.tensile_strength = (float)((double)gravity / area() * (1.0 + 0.03 * side));
        law.damping = 1.0f;
        tact_particles* p = row_of(2, &law, (tact_vec3){0, 0, 0}, (tact_vec3){0, -1, 0}, true);
        for (int k = 1; k <= 100; ++k) {
            assert_int_equal(tact_particles_set_gravity(p, (tact_vec3){0, -gravity * 0.01f * (float)k, 0}), TACT_OK);
            step(p, 2e-4f, 1, 100);
        }
        step(p, 2e-4f, 1, 5000);
        float x[6], v[6];
        read_state(p, x, v);
        assert_int_equal(bonds_of(p), side > 0);
        assert_true(side > 0 ? fabsf(v[4]) < 1e-3f : v[4] < -1.0f);
        // Sheared.
        law.tensile_strength = INFINITY;
        law.shear_strength = (float)((double)gravity / area() * (1.0 + 0.03 * side));
        p = row_of(2, &law, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, true);
        for (int k = 1; k <= 100; ++k) {
            assert_int_equal(tact_particles_set_gravity(p, (tact_vec3){0, -gravity * 0.01f * (float)k, 0}), TACT_OK);
            step(p, 2e-4f, 1, 100);
        }
        step(p, 2e-4f, 1, 5000);
        assert_int_equal(bonds_of(p), side > 0);
    }
}

/// Without dashpots, what a chain has stays: it swings, stretches and bends.
TEST(a_chain_keeps_its_energy)
{
    enum { N = 6 };
    tact_bond_law law = beam;
    law.damping = 0.0f;
    for (int damped = 0; damped < 2; ++damped) {
        law.damping = damped ? 0.2f : 0.0f;
        tact_particles* p = row_of(N, &law, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, false);
        float v[3 * N];
        test_random r = {9};
        for (size_t i = 0; i < 3 * N; ++i)
            v[i] = test_random_signed(&r);
        assert_int_equal(tact_particles_write(p, NULL, N, NULL, v), TACT_OK);
        const tact_particle_totals first = totals_of(p);
        const double had = first.kinetic_energy + first.rotational_energy + first.elastic_energy;
        double lost = 0.0, off = 0.0, held = 0.0;
        const float dt = 2e-5f;
        for (int k = 0; k < 4000; ++k) {
            const tact_particle_totals before = totals_of(p);
            step(p, dt, 1, 1);
            // As a trapezium: losses end with the substep.
            lost += 0.5 * (double)dt * (before.dissipated_power + totals_of(p).dissipated_power);
            const tact_particle_totals now = totals_of(p);
            const double has = now.kinetic_energy + now.rotational_energy + now.elastic_energy;
            off = fmax(off, fabs(has + lost - had));
            held = fmax(held, now.elastic_energy);
        }
        FIGURE("chain, damping %g: %.4g J, of which in bonds up to %.4g, lost %.4g; off by %.2g\n", (double)law.damping,
               had, held, lost, off);
        assert_true(off < 0.01 * had && held > 0.05 * had && (damped ? lost > 0.05 * had : fabs(lost) < 0.01 * had));
    }
}

/// Nothing acts on it: momentum and its moment are kept, and a bond that only turns has no load.
TEST(a_dumb_bell_flies)
{
    tact_particles* p = row_of(2, &beam, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, false);
    const float turning = 3.0f, v[6] = {1, -0.5f * turning, 0, 1, 0.5f * turning, 0};
    const float spins[6] = {0, 0, turning, 0, 0, turning};
    assert_int_equal(tact_particles_write(p, NULL, 2, NULL, v), TACT_OK);
    assert_int_equal(tact_particles_write_turning(p, NULL, 2, spins, NULL), TACT_OK);
    step(p, 1e-4f, 1, 20000);
    float x[6], u[6], w[6];
    read_state(p, x, u);
    assert_int_equal(tact_particles_read_turning(p, w, NULL), TACT_OK);
    double moment = 0.0;
    for (int i = 0; i < 2; ++i) {
        const double rx = (double)x[3 * i] - 0.5 * ((double)x[0] + (double)x[3]);
        const double ry = (double)x[3 * i + 1] - 0.5 * ((double)x[1] + (double)x[4]);
        moment += rx * (double)u[3 * i + 1] - ry * ((double)u[3 * i] - 1.0) + 0.1 * (double)w[3 * i + 2];
    }
    const double expected = 2.0 * 0.25 * (double)turning + 0.2 * (double)turning;
    const tact_bond bond = bond_at(p, 0);
    FIGURE("dumb-bell: moment %.6f (formula %.6f), pull %.4g Pa (formula %.4g), shear %.3g Pa\n", moment, expected,
           (double)bond.tensile_stress, 0.5 * (double)turning * (double)turning / area(), (double)bond.shear_stress);
    assert_true(fabs(moment - expected) < 1e-4 * expected);
    assert_true(fabs((double)u[0] + (double)u[3] - 2.0) < 1e-5);
    // The pull that keeps them on their way, from places that are multiples of 2.4e-7 m.
    assert_true(fabs((double)bond.tensile_stress * area() - 0.5 * (double)turning * (double)turning) < 0.1);
    assert_true((double)bond.shear_stress < 0.2);
}

TEST(what_bonds_cannot_be_is_refused)
{
    tact_particles* p = row_of(4, &beam, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, false);
    tact_bond_law laws[] = {beam, beam, beam, beam, beam, beam, beam};
    laws[0].young = 0.0f;
    laws[1].shear = NAN;
    laws[2].radius = 1.5f;
    laws[3].radius = 0.0f;
    laws[4].damping = -1.0f;
    laws[5].tensile_strength = -1.0f;
    laws[6].shear_strength = NAN;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i)
        assert_int_equal(tact_particles_set_bond_law(p, 5, &laws[i]), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_bond_law(p, TACT_BOND_KINDS_MAX, &beam), TACT_ERROR_INVALID_ARGUMENT);
    const uint32_t far[2] = {0, 2}, self[2] = {1, 1}, nowhere[2] = {1, 4}, twice[4] = {0, 1, 1, 0}, good[2] = {2, 1};
    assert_int_equal(tact_particles_bond(p, 5, far, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "apart"));
    assert_int_equal(tact_particles_bond(p, 5, self, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond(p, 5, nowhere, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond(p, 5, twice, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond(p, 6, good, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond(p, 200, good, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond_near(p, 5, -1.0f, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond_near(p, 5, NAN, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond_near(p, 6, 0.0f, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(bonds_of(p), 3);
    const uint32_t apart[2] = {0, 3};
    assert_int_equal(tact_particles_unbond(p, good, 1), TACT_OK);
    assert_int_equal(tact_particles_unbond(p, apart, 1), TACT_OK);
    assert_int_equal(bonds_of(p), 2);
    // Groups that do not collide.
    assert_int_equal(tact_particles_set_mask(p, 0, 0), TACT_OK);
    assert_int_equal(tact_particles_bond(p, 5, good, 1), TACT_ERROR_INVALID_ARGUMENT);
    tact_particles* others = NULL;
    size_t count = 0;
    assert_int_equal(tact_particles_create(context, NULL, &others), TACT_OK);
    KEEP(others);
    assert_int_equal(tact_particles_set_bond_law(others, 0, &beam), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bond(others, 0, good, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_bonds(others, NULL, 0, &count), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_unbond(others, NULL, 0), TACT_ERROR_INVALID_ARGUMENT);
}

/// The stable step allows for bonds, and those of a removed grain go with it.
TEST(bonds_have_their_step_and_end)
{
    tact_particles* p = row_of(4, &beam, (tact_vec3){0, 0, 0}, (tact_vec3){1, 0, 0}, false);
    const float before = tact_particles_stable_step(p);
    tact_bond_law stiff = beam;
    stiff.young = 1e9f;
    assert_int_equal(tact_particles_set_bond_law(p, 5, &stiff), TACT_OK);
    const double slope = 1e9 * area(), expected = pi * sqrt(0.5 / slope) / 20.0;
    assert_true(fabs((double)tact_particles_stable_step(p) - expected) < 1e-4 * expected);
    assert_true(tact_particles_stable_step(p) < before);
    const uint32_t second = 1;
    assert_int_equal(tact_particles_remove(p, &second, 1), TACT_OK);
    assert_int_equal(bonds_of(p), 1);
    // Pulled apart by the caller, it is broken.
    const uint32_t last = 3;
    const float place[3] = {9, 0, 0};
    assert_int_equal(tact_particles_write(p, &last, 1, place, NULL), TACT_OK);
    step(p, 1e-6f, 1, 1);
    assert_int_equal(bonds_of(p), 0);
}

#include TEST_LIST
int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_host_context, close_context);
}
