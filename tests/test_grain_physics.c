// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The physics of grains against formulas: sliding, rolling and twisting, impacts with friction, springs of Hertz,
// adhesion, and what is conserved.
#include "tests/support/run.h"

#include <math.h>

#include "tact/particle_grains.h"
#include "tests/support/particle_lab.h"

/// Of a contact of stiffness 10^6 N/m.
static tact_grain_law law_of(float restitution, float friction)
{
    const tact_grain_law law = {.stiffness = 1e6f,
                                .shear = 1e6f * 2.0f / 7.0f,
                                .restitution = restitution,
                                .tangential_damping = 0.1f,
                                .friction = friction};
    return law;
}

/// Grains of one material over a plane that is tilted about z: gravity is, rather.
static tact_particles* grains_on_slope(const tact_grain_law* law, double angle)
{
    const float g = gravity;
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS,
                                      .gravity = {g * (float)sin(angle), -g * (float)cos(angle), 0.0f}};
    tact_particles* p = make(&desc);
    const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
    assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_law(p, 0, 0, law), TACT_OK);
    return p;
}

/// A grain of 1 kg and radius 0.5 m that lies on the plane, pressed in by its weight.
static tact_particles* grain_on_slope(const tact_grain_law* law, double angle)
{
    tact_particles* p = grains_on_slope(law, angle);
    const float mass = 1.0f, x[3] = {0.0f, 0.5f - gravity * (float)cos(angle) / law->stiffness, 0.0f};
    add(p, &(tact_particle_arrays){.positions = x, .masses = &mass}, 1);
    return p;
}

static void read_spin(tact_particles* p, float* spins)
{
    assert_int_equal(tact_particles_read_turning(p, spins, NULL), TACT_OK);
}

TEST(a_grain_rolls_down_a_slope_or_slides)
{
    const double mu = 0.3, radius = 0.5;
    const double angles[] = {0.1, 0.4, 0.7, 0.9, 1.2};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; ++i) {
        const tact_grain_law law = law_of(0.5f, (float)mu);
        tact_particles* p = grain_on_slope(&law, angles[i]);
        step(p, 1e-4f, 1, 10000);
        float x[3], v[3], spin[3];
        read_state(p, x, v);
        read_spin(p, spin);
        const double g = (double)gravity;
        const bool rolls = tan(angles[i]) < 3.5 * mu;
        const double speed = rolls ? 5.0 / 7.0 * g * sin(angles[i]) : g * (sin(angles[i]) - mu * cos(angles[i]));
        const double turn = rolls ? speed / radius : 2.5 * mu * g * cos(angles[i]) / radius;
        FIGURE("slope of %.1f: %.5f m/s (formula %.5f), %.5f rad/s (%.5f)\n", angles[i], (double)v[0], speed,
               -(double)spin[2], turn);
        assert_true(fabs((double)v[0] - speed) < 1e-3 * speed + 1e-3);
        assert_true(fabs(-(double)spin[2] - turn) < 1e-3 * turn + 1e-3);
        assert_true(spin[0] == 0.0f && spin[1] == 0.0f && x[2] == 0.0f);
    }
}

TEST(rolling_friction_holds_up_to_its_angle)
{
    const double limit = 0.2;
    for (int side = -1; side <= 1; side += 2) {
        tact_grain_law law = law_of(0.3f, 0.8f);
        law.rolling_friction = (float)limit;
        tact_particles* p = grain_on_slope(&law, atan(limit * (1.0 + 0.05 * side)));
        float x[3], v[3], later[3];
        step(p, 2e-4f, 1, 10000);
        read_state(p, x, v);
        step(p, 2e-4f, 1, 40000);
        read_state(p, later, v);
        const double way = (double)later[0] - (double)x[0];
        FIGURE("rolling friction 0.2, slope %.3f: %.3g m in 8 s\n", limit * (1.0 + 0.05 * side), way);
        if (side < 0) assert_true(fabs(way) < 1e-6 && fabsf(v[0]) < 1e-6f);
        if (side > 0) assert_true(way > 1.0);
    }
}

TEST(a_spinning_grain_comes_to_rest)
{
    tact_grain_law law = law_of(0.5f, 0.8f);
    law.twisting_friction = 0.1f;
    tact_particles* p = grain_on_slope(&law, 0.0);
    const float spun[3] = {0, 10, 0};
    float spin[3];
    assert_int_equal(tact_particles_write_turning(p, NULL, 1, spun, NULL), TACT_OK);
    step(p, 2e-4f, 1, 5000);
    read_spin(p, spin);
    const double expected = 10.0 - 2.5 * 0.1 * (double)gravity / 0.5;
    FIGURE("twisting: %.5f rad/s after a second (formula %.5f)\n", (double)spin[1], expected);
    assert_true(fabs((double)spin[1] - expected) < 0.01);
    step(p, 2e-4f, 1, 10000);
    read_spin(p, spin);
    assert_true(fabsf(spin[1]) < 1e-3f);
}

/// A grain that hits the plane: its velocity and spin after.
static void impact(const tact_grain_law* law, float along, float down, float* v, float* spin)
{
    tact_particles* p = make(&(tact_particles_desc){.response = TACT_RESPONSE_GRAINS});
    const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
    const float mass = 1.0f, x[3] = {0, 0.501f, 0}, speed[3] = {along, -down, 0};
    float at[3];
    assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_law(p, 0, 0, law), TACT_OK);
    add(p, &(tact_particle_arrays){.positions = x, .velocities = speed, .masses = &mass}, 1);
    const float dt = tact_particles_stable_step(p) / 8.0f;
    for (int k = 0; k < 4000; ++k) {
        step(p, dt, 1, 10);
        read_state(p, at, v);
        if (v[1] > 0.0f && at[1] > 0.501f) break;
    }
    assert_true(v[1] > 0.0f);
    read_spin(p, spin);
}

TEST(an_oblique_impact_slides_as_coulomb_says)
{
    // While all of the contact slides: Walton, "Numerical simulation of inelastic, frictional particle-particle
    // interactions", 1993; the values of Kharaz, Gorham, Salman, "An experimental study of the elastic rebound of
    // spheres", 2001, e 0.98 and mu 0.092, for spheres of aluminium oxide on glass beyond 40 degrees.
    const float es[] = {0.98f, 0.6f}, mus[] = {0.092f, 0.3f};
    for (size_t n = 0; n < 2; ++n) {
        tact_grain_law law = law_of(es[n], mus[n]);
        law.tangential_damping = 0.0f;
        for (double degrees = n ? 75.0 : 45.0; degrees < 86.0; degrees += 10.0) {
            const double a = degrees * pi / 180.0, down = 2.0 * cos(a), along = 2.0 * sin(a);
            float v[3], spin[3];
            impact(&law, (float)along, (float)down, v, spin);
            const double push = (double)mus[n] * (1.0 + (double)es[n]) * down;
            FIGURE("impact at %.0f degrees, e %.2f: %.5f m/s along (formula %.5f), %.5f rad/s (%.5f)\n", degrees,
                   (double)es[n], (double)v[0], along - push, -(double)spin[2], 2.5 * push / 0.5);
            // Where a dashpot pushes from the first moment on, the spring along the surface is drawn a little later.
            const double late = n ? 0.02 : 0.002;
            assert_true(fabs((double)v[0] - (along - push)) < late * push);
            assert_true(fabs(-(double)spin[2] - 2.5 * push / 0.5) < late * (2.5 * push / 0.5));
            assert_true(fabs((double)v[1] - (double)es[n] * down) < 0.01 * down);
        }
    }
}

TEST(a_steep_impact_ends_rolling_or_turned_back)
{
    // Without damping along the surface an elastic contact that sticks gives back what it took: the speed of the
    // surface turns round, by half a period of its spring, which is as long as that of the normal one: 2/7.
    tact_grain_law law = law_of(1.0f, 100.0f);
    law.tangential_damping = 0.0f;
    float v[3], spin[3];
    impact(&law, 0.5f, 2.0f, v, spin);
    const double slip = (double)v[0] + 0.5 * (double)spin[2];
    FIGURE("elastic impact that sticks: the surface goes %.5f of its speed before\n", slip / 0.5);
    assert_true(fabs(slip / 0.5 + 1.0) < 0.02);
    // Energy stays.
    const double energy = 0.5 * ((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1]) +
                          0.5 * 0.1 * (double)spin[2] * (double)spin[2];
    assert_true(fabs(energy / (0.5 * (0.25 + 4.0)) - 1.0) < 0.005);
}

TEST(springs_of_hertz_press_in_as_he_says)
{
    for (int n = 0; n < 3; ++n) {
        const float e = n == 0 ? 1.0f : n == 1 ? 0.8f : 0.4f;
        const tact_grain_law law = {
            .springs = TACT_GRAIN_HERTZ, .stiffness = 1e7f, .shear = 2e6f, .restitution = e, .friction = 0.3f};
        tact_particles* p = make(&(tact_particles_desc){.response = TACT_RESPONSE_GRAINS});
        const float mass[2] = {1, 1}, x[6] = {-0.5001f, 0, 0, 0.5001f, 0, 0}, speed[6] = {1, 0, 0, -1, 0, 0};
        assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
        add(p, &(tact_particle_arrays){.positions = x, .velocities = speed, .masses = mass}, 2);
        float at[6], v[6];
        double deepest = 0.0, time = 0.0;
        const float dt = 2e-6f;
        bool touched = false;
        for (int k = 0; k < 200000; ++k) {
            step(p, dt, 1, 1);
            read_state(p, at, v);
            const double depth = 1.0 - ((double)at[3] - (double)at[0]);
            if (depth > 0.0) {
                touched = true;
                time += (double)dt;
                deepest = depth > deepest ? depth : deepest;
            } else if (touched) {
                break;
            }
        }
        const double R = 0.25, M = 0.5, speed2 = 4.0;
        const double most = pow(15.0 * M * speed2 / (16.0 * sqrt(R) * (double)law.stiffness), 0.4);
        const double after = ((double)v[3] - (double)v[0]) / 2.0;
        FIGURE("Hertz, e %.1f: depth %.6f m (elastic formula %.6f), %.5f s (%.5f), restitution %.4f\n", (double)e,
               deepest, most, time, 2.9432 * most / 2.0, after);
        if (n == 0) assert_true(fabs(deepest / most - 1.0) < 0.002 && fabs(time / (2.9432 * most / 2.0) - 1.0) < 0.01);
        assert_true(fabs(after - (double)e) < 0.002);
    }
}

TEST(cohesion_draws_a_grain_into_what_it_lies_on)
{
    for (int part = 0; part < 4; ++part) {
        const float stiffness = 1e5f;
        tact_grain_law law = law_of(0.3f, 0.5f);
        law.stiffness = stiffness;
        // Of a surface the radius is the arm, which is shorter by half the depth.
        law.cohesion = 0.2f * (float)part * stiffness / (float)(2.0 * pi * 0.5);
        tact_particles* p = grains_on_slope(&law, 0.0);
        const float x[3] = {0, 0.499f, 0};
        float at[3], v[3];
        add(p, &(tact_particle_arrays){.positions = x, .masses = (float[1]){100}}, 1);
        step(p, 1e-4f, 1, 40000);
        read_state(p, at, v);
        const double depth = 0.5 - (double)at[1];
        const double holds = 2.0 * pi * (0.5 - 0.5 * depth) * (double)law.cohesion;
        const double expected = 100.0 * (double)gravity / ((double)stiffness - holds);
        FIGURE("cohesion of %.1f of the spring: %.6f m deep, %.6f expected\n", 0.2 * part, depth, expected);
        // It comes to rest where a substep's way is less than the last bit of its place.
        assert_true(fabs(depth - expected) < 1e-3 * expected);
    }
}

TEST(adhesion_carries_a_grain_or_does_not)
{
    const double R = 0.25, weight = (double)gravity;
    for (int side = -1; side <= 1; side += 2) {
        tact_grain_law law = law_of(0.5f, 0.5f);
        law.adhesion = (float)(weight * (1.0 + 0.05 * side) / (2.0 * pi * R));
        const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS, .gravity = {0, -gravity, 0}};
        tact_particles* p = make(&desc);
        const float mass[2] = {INFINITY, 1}, x[6] = {0, 0, 0, 0, -0.999999f, 0};
        assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
        add(p, &(tact_particle_arrays){.positions = x, .masses = mass}, 2);
        float at[6], v[6];
        step(p, 1e-4f, 1, 10000);
        read_state(p, at, v);
        FIGURE("adhesion of %.2f times the weight: at %.6f m after a second\n", 1.0 + 0.05 * side, (double)at[4]);
        assert_true(side > 0 ? at[4] > -1.0f : at[4] < -4.0f);
    }
}

TEST(momentum_of_both_kinds_is_conserved)
{
    enum { N = 216 };
    const tact_grain_law law = {.stiffness = 1e5f,
                                .shear = 3e4f,
                                .restitution = 0.8f,
                                .tangential_damping = 0.1f,
                                .friction = 0.5f,
                                .rolling_friction = 0.1f,
                                .twisting_friction = 0.1f};
    float* x = floats(3 * N);
    float* v = floats(3 * N);
    float* spin = floats(3 * N);
    test_random r = {8};
    for (size_t i = 0; i < N; ++i) {
        const size_t at[3] = {i % 6, i / 6 % 6, i / 36};
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = 1.05f * ((float)at[k] - 2.5f);
            v[3 * i + k] = test_random_signed(&r) - 0.8f * x[3 * i + k];
            spin[3 * i + k] = 5.0f * test_random_signed(&r);
        }
    }
    tact_particles* p = make(&(tact_particles_desc){.response = TACT_RESPONSE_GRAINS});
    const float density = 1000.0f, mass = density * 4.0f / 3.0f * (float)pi * 0.125f;
    assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v}, N);
    assert_int_equal(tact_particles_write_turning(p, NULL, N, spin, NULL), TACT_OK);
    double before[6] = {0}, after[6] = {0}, size = 0.0;
    for (int round = 0; round < 2; ++round) {
        double* sums = round ? after : before;
        for (size_t i = 0; i < N; ++i) {
            const float *a = x + 3 * i, *b = v + 3 * i;
            for (size_t k = 0; k < 3; ++k) {
                const size_t m = (k + 1) % 3, n = (k + 2) % 3;
                sums[k] += (double)mass * (double)b[k];
                sums[3 + k] += (double)mass * ((double)a[m] * (double)b[n] - (double)a[n] * (double)b[m]) +
                               0.4 * (double)mass * 0.25 * (double)spin[3 * i + k];
                size += round ? 0.0 : (double)mass * fabs((double)b[k]);
            }
        }
        if (round) break;
        step(p, 1e-4f, 1, 5000);
        read_state(p, x, v);
        read_spin(p, spin);
    }
    size_t contacts = 0;
    assert_int_equal(tact_particles_contacts(p, NULL, 0, &contacts, NULL, NULL), TACT_INCOMPLETE);
    assert_true(contacts > N / 2);
    for (int k = 0; k < 6; ++k) {
        FIGURE("momentum %d: %.6f before, %.6f after, of %.0f\n", k, before[k], after[k], size);
        assert_true(fabs(after[k] - before[k]) < 2e-6 * size);
    }
}

/// What energy a box of colliding, spinning grains lacks after a while, by what was turned over.
static double energy_lacking(const tact_grain_law* law, uint32_t finer)
{
    enum { EDGE = 4, N = EDGE * EDGE * EDGE };
    float x[3 * N], v[3 * N], spin[3 * N];
    test_random r = {9};
    for (size_t i = 0; i < N; ++i) {
        const size_t at[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE};
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = 0.6f + 1.02f * (float)at[k];
            v[3 * i + k] = 2.0f * test_random_signed(&r);
            spin[3 * i + k] = 5.0f * test_random_signed(&r);
        }
    }
    const float side = 0.2f + 1.02f * EDGE;
    tact_particles* p = make(&(tact_particles_desc){
        .response = TACT_RESPONSE_GRAINS,
        .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
        .domain = {{0, 0, 0}, {side, side, side}},
        .gravity = {0, -gravity, 0},
        .drag = 0.05f,
    });
    // A lid that slides and a ball that turns do work.
    const tact_collider lid = {
        .kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, -1, 0}, -side + 0.1f}, .velocity = {1, 0, 0}};
    assert_int_equal(tact_particles_add_collider(p, &lid, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_law(p, 0, 0, law), TACT_OK);
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .density = 2.0f}, N);
    assert_int_equal(tact_particles_write_turning(p, NULL, N, spin, NULL), TACT_OK);
    const float dt = tact_particles_stable_step(p) / (float)finer;
    step(p, dt, 1, 1);
    const tact_particle_totals before = totals_of(p);
    tact_particle_totals now = before;
    double work = 0.0, turned_over = 0.0;
    for (uint32_t k = 0; k < 400 * finer; ++k) {
        work += 0.5 * (double)dt * (now.external_power - now.dissipated_power);
        step(p, dt, 1, 1);
        now = totals_of(p);
        work += 0.5 * (double)dt * (now.external_power - now.dissipated_power);
        turned_over += (double)dt * (fabs(now.external_power) + fabs(now.dissipated_power));
    }
    const double first = before.kinetic_energy + before.rotational_energy + before.elastic_energy;
    const double last = now.kinetic_energy + now.rotational_energy + now.elastic_energy;
    FIGURE("energy: %.5f J before, %.5f after, work less losses %.5f, turned over %.5f: %.5f lacking\n", first, last,
           work, turned_over, last - first - work);
    return fabs(last - first - work) / (turned_over + first);
}

TEST(energy_is_accounted_for)
{
    enum { LAWS = 5 };
    tact_grain_law laws[LAWS] = {law_of(0.6f, 0.4f), law_of(1.0f, 0.0f), law_of(0.6f, 0.4f), law_of(0.5f, 0.3f),
                                 law_of(0.6f, 0.4f)};
    laws[1].tangential_damping = 0.0f;
    laws[2].rolling_friction = laws[2].twisting_friction = 0.1f;
    laws[3].springs = TACT_GRAIN_HERTZ;
    // A sixth of the spring.
    laws[4].cohesion = 1000.0f;
    for (int i = 0; i < LAWS; ++i) {
        laws[i].stiffness = 1e4f;
        laws[i].shear = 2e4f / 7.0f;
        const double coarse = energy_lacking(&laws[i], 1), fine = energy_lacking(&laws[i], 4);
        FIGURE("law %d: %.4f %% lacking, %.4f %% with a quarter of the step\n", i, 100.0 * coarse, 100.0 * fine);
        assert_true(coarse < 0.02 && fine < 0.005);
    }
}

TEST(a_heap_stands)
{
    // Fourteen grains in three layers on a floor, held up by friction and rolling friction alone.
    tact_grain_law law = law_of(0.3f, 0.6f);
    law.rolling_friction = 0.1f;
    law.tangential_damping = 0.3f;
    tact_particles* p = grains_on_slope(&law, 0.0);
    float x[3 * 14], v[3 * 14], later[3 * 14];
    size_t n = 0;
    for (int layer = 0; layer < 3; ++layer) {
        const int edge = 3 - layer;
        for (int i = 0; i < edge * edge; ++i, ++n) {
            x[3 * n] = (float)(i % edge) - 0.5f * (float)(edge - 1);
            x[3 * n + 1] = 0.5f + 0.7071f * (float)layer;
            x[3 * n + 2] = (float)(i / edge) - 0.5f * (float)(edge - 1);
        }
    }
    const float masses[14] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    add(p, &(tact_particle_arrays){.positions = x, .masses = masses}, n);
    step(p, 2e-4f, 1, 10000);
    read_state(p, x, v);
    step(p, 2e-4f, 1, 50000);
    read_state(p, later, v);
    double most = 0.0;
    for (size_t i = 0; i < 3 * n; ++i)
        most = fmax(most, fabs((double)later[i] - (double)x[i]));
    FIGURE("a heap of 14: the most that a grain moves in 10 s is %.3g m\n", most);
    assert_true(later[3 * 13 + 1] > 1.9f && most < 1e-4);
}

#include TEST_LIST
int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_host_context, close_context);
}
