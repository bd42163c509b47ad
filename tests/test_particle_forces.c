// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The forces of contacts: what they do to velocities and spins in a substep, what they are where that is known, which
// contacts there are, and what the call refuses.
#include "tests/support/run.h"

#include "tact/particle_forces.h"
#include "tact/particle_grains.h"
#include "tests/support/particle_lab.h"

enum { CROWD = 520 };

static const tact_particle_response with_forces[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_GRAINS};

static tact_contact_force* forces_of(tact_particles* p, size_t* count)
{
    *count = 0;
    const tact_result all = tact_particles_contact_forces(p, NULL, 0, count);
    assert_int_equal(all, *count > 0 ? TACT_INCOMPLETE : TACT_OK);
    tact_contact_force* f = scratch_zeroed(*count + 1, sizeof *f);
    assert_int_equal(tact_particles_contact_forces(p, f, *count, count), TACT_OK);
    return f;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Spheres of many sizes and two materials, one of them held, crowded between walls, over a period, on a mesh and about
/// a ball that turns, with spins; after some substeps, so that grains remember.
static tact_particles* crowd(tact_particle_response response, tact_backend backend, float dt)
{
    const tact_particle_material materials[2] = {{4e4f, 0.4f, 0.5f, 0.3f}, {6e4f, 0.8f, 0.2f, 0.1f}};
    const tact_grain_law hertz = {.springs = TACT_GRAIN_HERTZ,
                                  .stiffness = 1e5f,
                                  .shear = 8e4f,
                                  .restitution = 0.6f,
                                  .tangential_damping = 0.2f,
                                  .friction = 0.4f,
                                  .rolling_friction = 0.05f,
                                  .twisting_friction = 0.03f,
                                  .adhesion = 0.5f};
    const tact_particles_desc desc = {
        .response = response,
        .backend = backend,
        .boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
        .domain = {{-2, -2, -2}, {2, 2, 2}},
        .materials = materials,
        .material_count = 2,
        .gravity = {0.5f, -9.81f, 0},
    };
    tact_particles* p = make(&desc);
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE,
                                .shape.sphere = {{0.5f, -0.5f, 0.2f}, 0.6f},
                                .material = 1,
                                .velocity = {0, 0.1f, 0},
                                .spin = {0, 3, 1}};
    const float corners[15] = {-2, -1.5f, -2, 2, -1.5f, -2, -2, -1.5f, 2, 2, -1.5f, 2, -1.9f, 0, -1.9f};
    const uint32_t triangles[9] = {0, 2, 1, 1, 2, 3, 0, 4, 2};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 5, .indices = triangles, .triangle_count = 3};
    test_random r = {5};
    float *x = floats(3 * CROWD), *v = floats(3 * CROWD), *spins = floats(3 * CROWD), *radii = floats(CROWD),
          *masses = floats(CROWD);
    uint8_t kinds[CROWD];
    // Places in a lattice, but for those in the ball.
    for (size_t site = 0, i = 0; i < CROWD; ++site) {
        const float at[3] = {-1.8f + 0.45f * (float)(site % 9), -1.78f + 0.45f * (float)(site / 9 % 8),
                             -1.75f + 0.45f * (float)(site / 72)};
        const float from[3] = {at[0] - 0.5f, at[1] + 0.5f, at[2] - 0.2f};
        if (sqrtf(dot(from, from)) < 0.75f) continue;
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = at[k] + 0.04f * test_random_signed(&r);
            v[3 * i + k] = test_random_signed(&r);
            spins[3 * i + k] = 9.0f * test_random_signed(&r);
        }
        radii[i] = 0.18f + 0.12f * test_random_unit(&r);
        masses[i] = i == 7 ? INFINITY : 0.5f + test_random_unit(&r);
        kinds[i] = i % 3 == 0;
        ++i;
    }
    assert_int_equal(tact_particles_add_collider(p, &ball, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_mesh(p, &mesh, NULL, 1, NULL), TACT_OK);
    add(p,
        &(tact_particle_arrays){.positions = x, .velocities = v, .radii = radii, .masses = masses, .materials = kinds},
        CROWD);
    if (response == TACT_RESPONSE_GRAINS) {
        assert_int_equal(tact_particles_set_law(p, 0, 1, &hertz), TACT_OK);
        assert_int_equal(tact_particles_write_turning(p, NULL, CROWD, spins, NULL), TACT_OK);
    }
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    if (tact_particles_step(p, dt, 1, 40, &options, NULL) != TACT_OK) fail_msg("%s", tact_context_error(context));
    return p;
}

/// Sums of forces and torques on each particle.
typedef struct sums {
    double (*force)[3], (*torque)[3], *size;
} sums;

static sums sums_of(const tact_contact_force* f, size_t count)
{
    const sums s = {scratch_zeroed(CROWD, sizeof *s.force), scratch_zeroed(CROWD, sizeof *s.torque),
                    scratch_zeroed(CROWD, sizeof *s.size)};
    for (size_t i = 0; i < count; ++i) {
        const tact_particle_contact* c = &f[i].contact;
        const bool pair = c->with == TACT_CONTACT_PARTICLE;
        for (int k = 0; k < 3; ++k) {
            s.force[c->a][k] += (double)f[i].force[k];
            s.torque[c->a][k] += (double)f[i].torque[k];
            s.size[c->a] += fabs((double)f[i].force[k]);
            if (!pair) continue;
            s.force[c->b][k] -= (double)f[i].force[k];
            s.torque[c->b][k] += (double)f[i].other_torque[k];
            s.size[c->b] += fabs((double)f[i].force[k]);
        }
    }
    return s;
}

static void expect_momentum(tact_particle_response response)
{
    const float dt = 2e-4f;
    tact_particles* p = crowd(response, TACT_BACKEND_CPU, dt);
    float *v = floats(3 * CROWD), *w = floats(3 * CROWD), *masses = floats(CROWD), *radii = floats(CROWD),
          *turned = floats(3 * CROWD), *later = floats(3 * CROWD);
    size_t count;
    tact_particles_info before, after;
    const tact_contact_force* f = forces_of(p, &count);
    const sums s = sums_of(f, count);
    const tact_particle_output out = {.velocities = v, .masses = masses, .radii = radii}, next = {.velocities = w};
    const bool turns = response == TACT_RESPONSE_GRAINS;
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
    assert_int_equal(tact_particles_get_info(p, &before), TACT_OK);
    if (turns) assert_int_equal(tact_particles_read_turning(p, turned, NULL), TACT_OK);
    step(p, dt, 1, 1);
    assert_int_equal(tact_particles_read(p, &next), TACT_OK);
    assert_int_equal(tact_particles_get_info(p, &after), TACT_OK);
    if (turns) assert_int_equal(tact_particles_read_turning(p, later, NULL), TACT_OK);
    assert_true(before.slowed == after.slowed && before.stopped == after.stopped);
    const double g[3] = {0.5, -9.81, 0.0};
    double worst = 0.0, worst_spin = 0.0;
    size_t kinds[4] = {0};
    for (size_t i = 0; i < CROWD; ++i) {
        const double m = (double)masses[i], radius = (double)radii[i], h = (double)dt;
        for (size_t k = 0; k < 3; ++k) {
            const double gained = (double)w[3 * i + k] - (double)v[3 * i + k];
            const double expected = isfinite(m) ? h * (s.force[i][k] / m + g[k]) : 0.0;
            const double room = 3e-7 * (fabs((double)v[3 * i + k]) + h * s.size[i] / m) + 1e-9;
            worst = fmax(worst, fabs(gained - expected) / room);
            if (!turns) continue;
            const double spun = (double)later[3 * i + k] - (double)turned[3 * i + k],
                         inertia = 0.4 * m * radius * radius;
            const double turn = isfinite(m) ? h * s.torque[i][k] / inertia : 0.0;
            const double play = 3e-7 * (fabs((double)turned[3 * i + k]) + h * s.size[i] * radius / inertia) + 1e-8;
            worst_spin = fmax(worst_spin, fabs(spun - turn) / play);
        }
    }
    for (size_t i = 0; i < count; ++i)
        ++kinds[f[i].contact.with];
    FIGURE(
        "response %d: %zu contacts with particles, %zu walls, %zu colliders, %zu bodies; off by %.2f and %.2f of the"
        " rounding allowed\n",
        (int)response, kinds[0], kinds[1], kinds[2], kinds[3], worst, worst_spin);
    assert_true(kinds[0] > 300 && kinds[1] > 20 && kinds[2] > 5 && kinds[3] > 20);
    assert_true(worst < 1.0 && worst_spin < 1.0);
}

TEST(forces_are_what_changes_velocities_and_spins)
{
    expect_momentum(TACT_RESPONSE_SPRING);
    expect_momentum(TACT_RESPONSE_GRAINS);
}

TEST(forces_are_listed_with_the_contacts)
{
    for (int i = 0; i < 2; ++i) {
        tact_particles* p = crowd(with_forces[i], TACT_BACKEND_CPU, 2e-4f);
        size_t count, contact_count = 0, limited = 0;
        const tact_contact_force* f = forces_of(p, &count);
        assert_int_equal(tact_particles_contacts(p, NULL, 0, &contact_count, NULL, NULL), TACT_INCOMPLETE);
        tact_particle_contact* c = scratch_zeroed(contact_count, sizeof *c);
        assert_int_equal(tact_particles_contacts(p, c, contact_count, &contact_count, NULL, NULL), TACT_OK);
        assert_int_equal(count, contact_count);
        for (size_t k = 0; k < count; ++k) {
            assert_memory_equal(&f[k].contact, &c[k], sizeof *c);
            assert_int_equal(f[k].unused, 0);
            limited += (f[k].limits & TACT_CONTACT_SLIDES) != 0;
        }
        assert_true(limited > 20 && limited < count - 20);
        // The first ones, and nothing behind them.
        tact_contact_force few[3];
        memset(few, 0x5a, sizeof few);
        const tact_contact_force untouched = few[2];
        size_t again = 0;
        assert_int_equal(tact_particles_contact_forces(p, few, 2, &again), TACT_INCOMPLETE);
        assert_int_equal(again, count);
        assert_memory_equal(few, f, 2 * sizeof *few);
        assert_memory_equal(&few[2], &untouched, sizeof untouched);
    }
}

/// Neither party gains angular momentum that the other does not lose.
TEST(torques_of_a_pair_balance_its_forces)
{
    tact_particles* p = crowd(TACT_RESPONSE_GRAINS, TACT_BACKEND_CPU, 2e-4f);
    size_t count, rolled = 0;
    const tact_contact_force* f = forces_of(p, &count);
    for (size_t i = 0; i < count; ++i) {
        const float *n = f[i].contact.normal, *force = f[i].force;
        if (f[i].contact.with != TACT_CONTACT_PARTICLE) {
            assert_true(f[i].other_arm == 0.0f && dot(f[i].other_torque, f[i].other_torque) == 0.0f);
            continue;
        }
        const float way = f[i].arm + f[i].other_arm;
        const float turned[3] = {way * (n[1] * force[2] - n[2] * force[1]), way * (n[2] * force[0] - n[0] * force[2]),
                                 way * (n[0] * force[1] - n[1] * force[0])};
        for (int k = 0; k < 3; ++k) {
            const float left = f[i].torque[k] + f[i].other_torque[k] - turned[k];
            assert_true(fabsf(left) <= 2e-6f * (1.0f + sqrtf(dot(force, force))));
        }
        rolled += dot(f[i].rolled, f[i].rolled) > 0.0f && f[i].twisted != 0.0f;
        // What is remembered of sliding lies in the plane of the contact.
        assert_true(fabsf(dot(f[i].slid, n)) <= 1e-6f);
    }
    assert_true(rolled > 20);
}

/// Grains of 1 kg on each other on a plane, at rest.
static tact_particles* stack(tact_particle_response response, size_t high)
{
    tact_particles* p = make(&(tact_particles_desc){.response = response, .gravity = {0, -gravity, 0}});
    const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
    const tact_particle_material rule = {1e5f, 0.2f, 0.5f, 0.5f};
    float *x = floats(3 * high), *masses = floats(high);
    for (size_t i = 0; i < high; ++i) {
        x[3 * i + 1] = 0.5f + (float)i;
        masses[i] = 1.0f;
    }
    assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_contact(p, 0, 0, &rule), TACT_OK);
    add(p, &(tact_particle_arrays){.positions = x, .masses = masses}, high);
    step(p, 4e-4f, 1, 20000);
    return p;
}

TEST(each_contact_of_a_stack_carries_the_weight_above_it)
{
    enum { HIGH = 6 };
    for (int i = 0; i < 2; ++i) {
        tact_particles* p = stack(with_forces[i], HIGH);
        size_t count;
        const tact_contact_force* f = forces_of(p, &count);
        assert_int_equal(count, HIGH);
        for (size_t k = 0; k < count; ++k) {
            // The lowest has its neighbour before the plane.
            const bool floor = f[k].contact.with == TACT_CONTACT_COLLIDER;
            const float carried = floor ? (float)HIGH : (float)(HIGH - 1 - f[k].contact.a);
            // A particle below feels the one above pressing down.
            const float sign = floor ? 1.0f : -1.0f;
            FIGURE("stack: %g weights, %.7f\n", (double)carried, (double)(f[k].force[1] / gravity));
            assert_true(fabsf(sign * f[k].force[1] - carried * gravity) < 2e-4f * carried * gravity);
            assert_true(f[k].force[0] == 0.0f && f[k].force[2] == 0.0f);
            assert_true(fabsf(-dot(f[k].force, f[k].contact.normal) - carried * gravity) < 2e-3f * carried);
            assert_int_equal(f[k].limits, 0);
        }
    }
}

/// Two spheres of 1 kg and radius 1/2, 31/32 apart along x: a depth of 1/32, at 32,000 N/m 1,000 N. The second moves
/// along y at 2 m/s and does not move along x. The effective mass is 1/2 kg.
static tact_particles* meet(tact_particle_response response)
{
    tact_particles* p = make(&(tact_particles_desc){.response = response});
    const float masses[2] = {1, 1}, x[6] = {0, 0, 0, 0.96875f, 0, 0}, v[6] = {0, 0, 0, 0, 2, 0};
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = masses}, 2);
    return p;
}

static void expect_force(tact_particles* p, double fx, double fy, double torque, uint32_t limits)
{
    size_t count;
    const tact_contact_force* f = forces_of(p, &count);
    assert_int_equal(count, 1);
    FIGURE("oblique: %.6f %.6f N, %.6f N m\n", (double)f->force[0], (double)f->force[1], (double)f->torque[2]);
    assert_true(fabs((double)f->force[0] - fx) < 1e-6 * fabs(fx) && fabs((double)f->force[1] - fy) < 1e-5 * fabs(fy));
    assert_true(f->force[2] == 0.0f && f->arm == 0.484375f && f->other_arm == 0.484375f);
    assert_true(fabs((double)f->torque[2] - torque) <= 1e-5 * torque);
    assert_true(fabs((double)f->other_torque[2] - torque) <= 1e-5 * torque);
    assert_int_equal(f->limits, limits);
}

TEST(an_oblique_contact_has_the_force_worked_out_by_hand)
{
    // The dashpot across: 2 * 0.5 sqrt(32,000 / 2) * 2 = 252.982 N, of which friction allows 500, or 100.
    tact_particles* spring = meet(TACT_RESPONSE_SPRING);
    tact_particle_material rule = {32000, 1, 0.5f, 0.5f};
    assert_int_equal(tact_particles_set_contact(spring, 0, 0, &rule), TACT_OK);
    expect_force(spring, -1000.0, 252.982213, 0.0, 0);
    rule.friction = 0.1f;
    assert_int_equal(tact_particles_set_contact(spring, 0, 0, &rule), TACT_OK);
    expect_force(spring, -1000.0, 100.0, 0.0, TACT_CONTACT_SLIDES);

    // The first turns at 1 radian/s about z: its surface moves at 31/64 m/s along y, and so the second's along it at
    // 97/64. The dashpot: 2 * 0.5 sqrt(8,000 / 2) * 97/64 = 95.8565 N; torques are 31/64 m of that. Adhesion of
    // 10 J/m^2 pulls with 2 pi R 10 = 15.2171 N, R being half of 31/64.
    tact_particles* grains = meet(TACT_RESPONSE_GRAINS);
    const float spins[6] = {0, 0, 1, 0, 0, 0};
    tact_grain_law law = {.stiffness = 32000,
                          .shear = 8000,
                          .restitution = 1,
                          .tangential_damping = 0.5f,
                          .friction = 0.5f,
                          .adhesion = 10};
    assert_int_equal(tact_particles_write_turning(grains, NULL, 2, spins, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_law(grains, 0, 0, &law), TACT_OK);
    expect_force(grains, -984.782912, 95.856536, 46.430510, 0);
    law.friction = 0.05f;
    assert_int_equal(tact_particles_set_law(grains, 0, 0, &law), TACT_OK);
    expect_force(grains, -984.782912, 50.0, 24.21875, TACT_CONTACT_SLIDES);
    // Cohesion of 1,000 J/m^3 pulls with 2 pi R depth 1,000 = 47.5534 N more, which friction leaves out.
    law.cohesion = 1000;
    assert_int_equal(tact_particles_set_law(grains, 0, 0, &law), TACT_OK);
    expect_force(grains, -937.229512, 50.0, 24.21875, TACT_CONTACT_SLIDES);
}

/// Of one grain on a plane, which is given a speed and a spin: what the limits say, after so many substeps.
static uint32_t limits_after(float speed, tact_vec3 turn, uint32_t steps)
{
    tact_particles* p = make(&(tact_particles_desc){.response = TACT_RESPONSE_GRAINS, .gravity = {0, -gravity, 0}});
    const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
    const tact_grain_law law = {.stiffness = 1e5f,
                                .shear = 3e4f,
                                .restitution = 0.3f,
                                .friction = 0.3f,
                                .rolling_friction = 0.05f,
                                .twisting_friction = 0.05f};
    const float mass = 1, x[3] = {0, 0.5f - gravity / 1e5f, 0}, v[3] = {speed, 0, 0},
                spin[3] = {turn.x, turn.y, turn.z};
    assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = &mass}, 1);
    assert_int_equal(tact_particles_write_turning(p, NULL, 1, spin, NULL), TACT_OK);
    step(p, 1e-4f, 1, steps);
    size_t count;
    const tact_contact_force* f = forces_of(p, &count);
    assert_int_equal(count, 1);
    return f->limits;
}

TEST(limits_say_which_of_the_springs_gives_way)
{
    assert_int_equal(limits_after(0, (tact_vec3){0, 0, 0}, 50), 0);
    // Without turning, at first.
    assert_true(limits_after(3, (tact_vec3){0, 0, 0}, 20) & TACT_CONTACT_SLIDES);
    // Rolling as it moves.
    assert_int_equal(limits_after(3, (tact_vec3){0, 0, -6}, 50), TACT_CONTACT_ROLLS);
    assert_int_equal(limits_after(0, (tact_vec3){0, 6, 0}, 50), TACT_CONTACT_TWISTS);
}

TEST(held_particles_exert_nothing_on_what_is_held)
{
    for (int i = 0; i < 2; ++i) {
        tact_particles* p = make(&(tact_particles_desc){.response = with_forces[i]});
        const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
        const float masses[2] = {INFINITY, INFINITY}, x[6] = {0, 0.4f, 0, 0.9f, 0.4f, 0};
        assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
        add(p, &(tact_particle_arrays){.positions = x, .masses = masses}, 2);
        size_t count;
        const tact_contact_force* f = forces_of(p, &count);
        assert_int_equal(count, 3);
        for (size_t k = 0; k < count; ++k) {
            assert_true(dot(f[k].force, f[k].force) == 0.0f && dot(f[k].torque, f[k].torque) == 0.0f);
            assert_true(f[k].contact.depth > 0.0f && f[k].arm == 0.5f - 0.5f * f[k].contact.depth);
        }
    }
}

TEST(what_has_no_forces_is_refused)
{
    const tact_particle_response without[] = {TACT_RESPONSE_POSITION, TACT_RESPONSE_NONE};
    tact_contact_force f;
    size_t count = 9;
    for (int i = 0; i < 2; ++i) {
        tact_particles* p = make(&(tact_particles_desc){.response = without[i]});
        assert_int_equal(tact_particles_contact_forces(p, &f, 1, &count), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_context_error(context), "have no forces"));
        tact_particles* empty = make(&(tact_particles_desc){.response = with_forces[i]});
        count = 9;
        assert_int_equal(tact_particles_contact_forces(empty, &f, 1, &count), TACT_OK);
        assert_int_equal(count, 0);
    }
}

/// What a device has stepped has the forces of what the CPU has.
TEST(every_device_has_the_same_forces)
{
    size_t count, other_count;
    tact_particles* p = crowd(TACT_RESPONSE_SPRING, TACT_BACKEND_CPU, 2e-4f);
    const tact_contact_force* f = forces_of(p, &count);
    const tact_backend devices[] = {TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (int i = 0; i < 2; ++i) {
        if (device_missing(context, devices[i])) continue;
        tact_particles* other = crowd(TACT_RESPONSE_SPRING, devices[i], 2e-4f);
        const tact_contact_force* there = forces_of(other, &other_count);
        assert_int_equal(count, other_count);
        assert_memory_equal(f, there, count * sizeof *f);
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_context, close_context);
}
