// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What particles exert on surfaces, and surfaces that move by themselves, have a servo or wear: against momentum,
// against formulas, against moves by the caller, on both engines of the host, and kept by saving.
#include "tests/support/run.h"

#include <math.h>

#include "base/bytes.h"
#include "core/particles/particles.h"
#include "tact/particle_surfaces.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/particle_systems.h"
#include "tests/support/saved.h"
#include "tests/support/test_context.h"

enum { COLLIDERS = 3, BODIES = 2 };

static tact_particles* make(tact_particle_response response, tact_backend backend)
{
    tact_particles_desc desc = rich_desc(response);
    desc.backend = backend;
    tact_particles* p = new_particles(context, &desc);
    KEEP(p);
    assert_int_equal(rich_fill(p, true), TACT_OK);
    return p;
}

static void step(tact_particles* p, uint32_t substeps, uint32_t steps, int threads)
{
    const tact_query_options options = {.threads = threads, .no_fallback = true};
    const tact_result result = tact_particles_step(p, rich_dt, substeps, steps, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

// ---- Loads ----

/// Momentum, and angular momentum about a point, of particles on their own.
static void momenta(tact_particles* p, const double about[3], double sums[6])
{
    enum { MOST = 1024 };
    static float x[3 * MOST], v[3 * MOST], radii[MOST], masses[MOST], spins[3 * MOST];
    const size_t count = tact_particles_count(p);
    const tact_particle_output out = {.positions = x, .velocities = v, .radii = radii, .masses = masses};
    assert_true(count <= MOST);
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
    const bool turns = tact_particles_read_turning(p, spins, NULL) == TACT_OK;
    for (int k = 0; k < 6; ++k)
        sums[k] = 0.0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const size_t a = (k + 1) % 3, b = (k + 2) % 3;
            const double m = (double)masses[i], r = (double)radii[i];
            sums[k] += m * (double)v[3 * i + k];
            sums[3 + k] += m * (((double)x[3 * i + a] - about[a]) * (double)v[3 * i + b] -
                                ((double)x[3 * i + b] - about[b]) * (double)v[3 * i + a]);
            if (turns) sums[3 + k] += 0.4 * m * r * r * (double)spins[3 * i + k];
        }
    }
}

/// A handful of grains between the walls of a box, a slanted plate, a ball and a turning block.
static tact_particles* crowd(tact_particle_response response)
{
    enum { EDGE = 6 };
    const float corners[18] = {-3, -1.5f, -3, 0, -2.5f, 3, 3, -1.5f, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_body_pose pose = {.position = {0.1f, -0.2f, 0.3f}, .velocity = {0.1f, 0, 0}, .spin = {0, 0.2f, 0.1f}};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{1, 0, 1}, 1}, .spin = {0, 3, 0}};
    const tact_collider block = {.kind = TACT_COLLIDER_BOX,
                                 .shape.box = {{-1, 0.5f, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0.6f, 0.4f, 0.7f}},
                                 .velocity = {0, 0.3f, 0},
                                 .spin = {1, 0, 0.5f}};
    static const tact_particle_material material = {4e5f, 0.5f, 0.5f, 0.5f};
    const tact_particles_desc desc = {.response = response,
                                      .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
                                      .materials = &material,
                                      .material_count = 1,
                                      .domain = {{-3, -3, -3}, {3, 3, 3}},
                                      .gravity = {0, -9.81f, 0}};
    float x[3 * EDGE * EDGE * EDGE];
    test_random r = {21};
    for (size_t i = 0; i < sizeof x / sizeof *x / 3; ++i) {
        const size_t at[3] = {i % EDGE, i / EDGE % EDGE, i / (EDGE * EDGE)};
        for (size_t k = 0; k < 3; ++k)
            x[3 * i + k] = -2.5f + (float)at[k] + 0.05f * test_random_signed(&r);
    }
    tact_particles* p = KEEP(new_particles(context, &desc));
    assert_int_equal(tact_particles_add_collider(p, &ball, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_collider(p, &block, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_mesh(p, &mesh, &pose, 0, NULL), TACT_OK);
    const tact_particle_arrays arrays = {.positions = x, .radius = 0.4f, .density = 10};
    assert_int_equal(tact_particles_add(p, &arrays, EDGE * EDGE * EDGE, NULL), TACT_OK);
    if (response == TACT_RESPONSE_GRAINS) {
        const tact_grain_law law = {.stiffness = 2e5f,
                                    .shear = 6e4f,
                                    .restitution = 0.5f,
                                    .tangential_damping = 0.2f,
                                    .friction = 0.5f,
                                    .rolling_friction = 0.2f,
                                    .twisting_friction = 0.1f};
        assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
    }
    return p;
}

static void expect_balance(tact_particle_response response)
{
    // Off the middle, so that moments of the forces are seen.
    const double about[3] = {1.0, -0.5, 0.25}, h = 0x1p-14;
    tact_particles* p = crowd(response);
    for (int round = 0; round < 20; ++round) {
        tact_surface_load walls[6], colliders[2], body;
        double before[6], after[6], sums[6] = {0}, size = 0.0;
        assert_int_equal(tact_particles_step(p, 0.01f, 0, 3, NULL, NULL), TACT_OK);
        tact_particle_totals totals;
        assert_int_equal(tact_particles_measure(p, &totals), TACT_OK);
        assert_int_equal(tact_particles_measure_surfaces(p, walls, colliders, &body), TACT_OK);
        momenta(p, about, before);
        assert_int_equal(tact_particles_step(p, (float)h, 1, 1, NULL, NULL), TACT_OK);
        momenta(p, about, after);
        const tact_surface_load* all[9] = {&walls[0], &walls[1],     &walls[2],     &walls[3], &walls[4],
                                           &walls[5], &colliders[0], &colliders[1], &body};
        const double points[9][3] = {
            {0}, {0}, {0}, {0}, {0}, {0}, {1, 0, 1}, {-1, 0.5, 0}, {(double)0.1f, (double)-0.2f, (double)0.3f}};
        for (int i = 0; i < 9; ++i) {
            for (int k = 0; k < 3; ++k) {
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                sums[k] -= all[i]->force[k];
                sums[3 + k] -= all[i]->torque[k] + (points[i][a] - about[a]) * all[i]->force[b] -
                               (points[i][b] - about[b]) * all[i]->force[a];
                size += fabs(all[i]->force[k]);
            }
        }
        // Each system's weight acts at its own place.
        float x[3 * 216];
        const tact_particle_output out = {.positions = x};
        assert_int_equal(tact_particles_read(p, &out), TACT_OK);
        const double weight = 9.81 * totals.mass / 216.0;
        for (size_t i = 0; i < 216; ++i) {
            sums[1] -= weight;
            sums[3] += weight * ((double)x[3 * i + 2] - about[2]);
            sums[5] -= weight * ((double)x[3 * i] - about[0]);
        }
        // Springs do not turn: what turns them is lost.
        for (int k = 0; k < (response == TACT_RESPONSE_GRAINS ? 6 : 3); ++k) {
            const double rate = (after[k] - before[k]) / h;
            if (fabs(rate - sums[k]) <= 2e-3 * (size + 216.0 * weight)) continue;
            fail_msg("round %d, part %d: %g, loads say %g of %g", round, k, rate, sums[k], size);
        }
    }
}

TEST(loads_are_what_changes_the_momentum_of_springs)
{
    expect_balance(TACT_RESPONSE_SPRING);
}

TEST(loads_are_what_changes_the_momentum_and_spin_of_grains)
{
    expect_balance(TACT_RESPONSE_GRAINS);
}

/// A grain at rest on a plane, or carried along by one.
static tact_particles* grain_on_plane(tact_particle_response response, float speed)
{
    const tact_particles_desc desc = {.response = response, .gravity = {0, -10, 0}};
    const tact_collider plane = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}, .velocity = {speed, 0, 0}};
    const float x[3] = {0.5f, 0.5f - 2.0f / 5e3f, 2.0f}, mass = 0.2f;
    tact_particles* p = KEEP(new_particles(context, &desc));
    assert_int_equal(tact_particles_add_collider(p, &plane, NULL), TACT_OK);
    const tact_particle_arrays arrays = {.positions = x, .masses = &mass};
    assert_int_equal(tact_particles_add(p, &arrays, 1, NULL), TACT_OK);
    return p;
}

TEST(a_grain_at_rest_weighs_what_it_weighs)
{
    for (int k = 0; k < 2; ++k) {
        tact_particles* p = grain_on_plane(k ? TACT_RESPONSE_GRAINS : TACT_RESPONSE_SPRING, 0);
        assert_int_equal(tact_particles_step(p, 0.01f, 0, 100, NULL, NULL), TACT_OK);
        tact_surface_load load;
        assert_int_equal(tact_particles_measure_surfaces(p, NULL, &load, NULL), TACT_OK);
        assert_true(fabs(load.force[1] + 2.0) < 1e-4 && load.force[0] == 0.0 && load.force[2] == 0.0);
        // About the origin.
        assert_true(fabs(load.torque[0] - 4.0) < 1e-3 && load.torque[1] == 0.0 && fabs(load.torque[2] + 1.0) < 1e-3);
        assert_true(fabs(load.normal_force - 2.0) < 1e-4 && load.rubbing_power < 1e-5 && load.contacts == 1);
    }
}

TEST(wear_is_normal_force_times_way)
{
    // Slides from 2 m/s against it to rest on it: m v^2 / 2 by the coefficient of friction.
    tact_particles* p = grain_on_plane(TACT_RESPONSE_SPRING, 2);
    assert_int_equal(tact_particles_set_wear(p, TACT_CONTACT_COLLIDER, 0, true), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-3f, 0, 1500, NULL, NULL), TACT_OK);
    tact_surface_state now;
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &now), TACT_OK);
    assert_true(fabs(now.wear - 0.8) < 0.008);
    assert_int_equal(tact_particles_set_wear(p, TACT_CONTACT_COLLIDER, 0, false), TACT_OK);
    const double worn = now.wear;
    assert_int_equal(tact_particles_step(p, 1e-3f, 0, 10, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &now), TACT_OK);
    assert_true(now.wear == worn);
}

// ---- Motion ----

TEST(surfaces_move_as_a_caller_moves_them)
{
    tact_particles* p = make(TACT_RESPONSE_GRAINS, TACT_BACKEND_CPU);
    // In whole binary fractions, so that nothing is rounded.
    const float dt = 0x1p-9f;
    const tact_body_pose pose = {.position = {0.5f, -1, 0}, .velocity = {0, 1, -0.5f}};
    assert_int_equal(tact_particles_move_body(p, 1, &pose), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_BODY, 1, true), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 1, true), TACT_OK);
    tact_collider tube = {
        .kind = TACT_COLLIDER_CAPSULE, .shape.capsule = {{2, -4, -2}, {2, 0, -2}, 0.5f}, .velocity = {0, 0, 1}};
    assert_int_equal(tact_particles_step(p, 4 * dt, 4, 10, NULL, NULL), TACT_OK);
    tact_surface_state now;
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_BODY, 1, &now), TACT_OK);
    assert_true(now.pose.position.x == 0.5f && now.pose.position.y == -1 + 40 * dt && now.pose.position.z == -20 * dt &&
                now.pose.velocity.y == 1);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 1, &now), TACT_OK);
    assert_true(now.pose.position.z == -2 + 40 * dt && now.pose.position.y == -4);
    // A step of one substep is the same as being moved between steps.
    tact_particles* each = make(TACT_RESPONSE_GRAINS, TACT_BACKEND_CPU);
    tact_particles* moved = make(TACT_RESPONSE_GRAINS, TACT_BACKEND_CPU);
    assert_int_equal(tact_particles_set_motion(each, TACT_CONTACT_COLLIDER, 1, true), TACT_OK);
    for (int k = 1; k <= 40; ++k) {
        assert_int_equal(tact_particles_step(each, dt, 1, 1, NULL, NULL), TACT_OK);
        assert_int_equal(tact_particles_step(moved, dt, 1, 1, NULL, NULL), TACT_OK);
        tube.shape.capsule.a.z = tube.shape.capsule.b.z = -2 + (float)k * dt;
        assert_int_equal(tact_particles_set_collider(moved, 1, &tube), TACT_OK);
    }
    const size_t count = tact_particles_count(each);
    float *x = scratch(3 * count * sizeof *x), *y = scratch(3 * count * sizeof *y);
    assert_int_equal(tact_particles_count(moved), count);
    assert_int_equal(tact_particles_read(each, &(tact_particle_output){.positions = x}), TACT_OK);
    assert_int_equal(tact_particles_read(moved, &(tact_particle_output){.positions = y}), TACT_OK);
    assert_memory_equal(x, y, 3 * count * sizeof *x);
}

TEST(surfaces_turn_at_their_spin_and_stay_whole)
{
    tact_particles* p = KEEP(new_particles(context, &(tact_particles_desc){0}));
    const tact_collider block = {.kind = TACT_COLLIDER_BOX,
                                 .shape.box = {{1, 2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0.6f, 0.4f, 0.7f}},
                                 .spin = {0, 0, 2}};
    assert_int_equal(tact_particles_add_collider(p, &block, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 0, true), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1.0f, 4096, 1, NULL, NULL), TACT_OK);
    tact_surface_state s;
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &s), TACT_OK);
    assert_true(fabs((double)s.pose.rotation[0] - cos(2.0)) < 1e-6);
    assert_true(fabs((double)s.pose.rotation[3] - sin(2.0)) < 1e-6);
    assert_true(s.pose.rotation[8] == 1.0f && s.pose.position.x == 1 && s.pose.position.z == 3);
    assert_int_equal(tact_particles_step(p, 1.0f, 4096, 200, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &s), TACT_OK);
    const double length = hypot((double)s.pose.rotation[0], (double)s.pose.rotation[3]);
    assert_true(fabs(length - 1.0) < 1e-6);
    // Put down anew it begins anew.
    assert_int_equal(tact_particles_set_collider(p, 0, &block), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &s), TACT_OK);
    assert_true(s.pose.rotation[0] == 1.0f && s.pose.rotation[3] == 0.0f);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 0, false), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1.0f, 1, 3, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &s), TACT_OK);
    assert_true(s.pose.rotation[3] == 0.0f);
}

TEST(a_lift_carries_a_grain)
{
    tact_particles* p = grain_on_plane(TACT_RESPONSE_GRAINS, 0);
    const tact_collider lift = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 2, 0}, 0}, .velocity = {0, 0.5f, 0}};
    assert_int_equal(tact_particles_set_collider(p, 0, &lift), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 0, true), TACT_OK);
    assert_int_equal(tact_particles_step(p, 0.01f, 0, 200, NULL, NULL), TACT_OK);
    float x[3];
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.positions = x}), TACT_OK);
    assert_true(fabs((double)x[1] - 1.5) < 2e-3);
    tact_surface_state s;
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &s), TACT_OK);
    assert_true(fabs((double)s.pose.position.y - 1.0) < 1e-6);
}

// ---- Servos ----

/// Grains in a box under a lid.
static tact_particles* press(tact_servo servo)
{
    tact_particles* p = crowd(TACT_RESPONSE_GRAINS);
    const tact_collider lid = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, -1, 0}, -2.98f}};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{1, 0, 1}, 1}};
    uint32_t index = 0;
    // Nothing stirs.
    assert_int_equal(tact_particles_set_collider(p, 0, &ball), TACT_OK);
    assert_int_equal(tact_particles_set_collider(p, 1, &ball), TACT_OK);
    assert_int_equal(tact_particles_move_body(p, 0, &(tact_body_pose){.rotation = {0}}), TACT_OK);
    assert_int_equal(tact_particles_add_collider(p, &lid, &index), TACT_OK);
    assert_int_equal(tact_particles_set_servo(p, TACT_CONTACT_COLLIDER, index, &servo), TACT_OK);
    return p;
}

TEST(a_servo_presses_as_hard_as_it_is_to)
{
    const tact_servo servo = {.direction = {0, -3, 0}, .force = 2000, .gain = 2e-4f, .greatest_speed = 0.5f};
    tact_particles* p = press(servo);
    assert_int_equal(tact_particles_step(p, 0.002f, 0, 4000, NULL, NULL), TACT_OK);
    tact_surface_load loads[3];
    tact_surface_state s;
    assert_int_equal(tact_particles_measure_surfaces(p, NULL, loads, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 2, &s), TACT_OK);
    print_message("a servo of 2,000 N presses with %.0f N at %g m/s\n", loads[2].force[1], s.servo_speed);
    assert_true(fabs(loads[2].force[1] - 2000) < 60 && fabs(s.servo_force - 2000) < 60);
    assert_true(fabs(s.servo_speed) < 0.012 && s.pose.position.y < 2);
}

TEST(a_servo_is_never_faster_than_it_may_be)
{
    const tact_servo servo = {.direction = {0, -1, 0}, .force = 1e6f, .gain = 1, .greatest_speed = 0.25f};
    tact_particles* p = press(servo);
    tact_surface_state s;
    assert_int_equal(tact_particles_step(p, 0.01f, 0, 10, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 2, &s), TACT_OK);
    assert_true(s.servo_speed == 0.25 && s.pose.velocity.y == -0.25f);
    assert_true(fabs((double)s.pose.position.y - 2.955) < 1e-5);
    // Without it the lid stands, where it is, at the caller's velocity.
    assert_int_equal(tact_particles_set_servo(p, TACT_CONTACT_COLLIDER, 2, NULL), TACT_OK);
    assert_int_equal(tact_particles_step(p, 0.01f, 0, 10, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 2, &s), TACT_OK);
    assert_true(s.servo_speed == 0.0 && s.pose.velocity.y == 0.0f && fabs((double)s.pose.position.y - 2.955) < 1e-5);
}

// ---- One state ----

static void drive(tact_particles* p)
{
    const tact_servo servo = {.direction = {1, 2, 0}, .force = 500, .gain = 1e-3f, .greatest_speed = 2};
    const tact_servo other = {.direction = {0, 0, 1}, .force = -100, .gain = 2e-3f, .greatest_speed = 1};
    assert_int_equal(tact_particles_set_servo(p, TACT_CONTACT_COLLIDER, 2, &servo), TACT_OK);
    assert_int_equal(tact_particles_set_servo(p, TACT_CONTACT_BODY, 0, &other), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 1, true), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 0, true), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_BODY, 1, true), TACT_OK);
    assert_int_equal(tact_particles_set_wear(p, TACT_CONTACT_BODY, 1, true), TACT_OK);
    assert_int_equal(tact_particles_set_wear(p, TACT_CONTACT_COLLIDER, 0, true), TACT_OK);
}

TEST(engines_and_threads_agree_on_surfaces_that_move)
{
    const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_GRAINS};
    for (size_t k = 0; k < 2; ++k) {
        tact_particles* right = make(responses[k], TACT_BACKEND_REFERENCE);
        drive(right);
        step(right, 2, 60, 1);
        const particle_snapshot expected = particle_snapshot_of(right);
        for (int threads = 1; threads <= 3; ++threads) {
            tact_particles* p = make(responses[k], TACT_BACKEND_CPU);
            drive(p);
            for (int part = 0; part < 20; ++part)
                step(p, 2, 3, threads);
            particle_snapshot_expect(p, &expected, "surfaces that move");
        }
        tact_surface_state s;
        assert_int_equal(tact_particles_get_surface(right, TACT_CONTACT_COLLIDER, 2, &s), TACT_OK);
        assert_true(s.servo_speed != 0.0 && s.servo_force != 0.0 && s.pose.position.x != 0.0f);
        assert_int_equal(tact_particles_get_surface(right, TACT_CONTACT_BODY, 1, &s), TACT_OK);
        assert_true(s.wear > 0.0);
    }
}

TEST(surfaces_that_move_are_saved)
{
    tact_particles* p = make(TACT_RESPONSE_GRAINS, TACT_BACKEND_CPU);
    drive(p);
    step(p, 2, 30, 2);
    const particle_snapshot middle = particle_snapshot_of(p);
    tact_particles* again = NULL;
    assert_int_equal(tact_particles_restore(context, middle.bytes, middle.size, TACT_BACKEND_CPU, &again), TACT_OK);
    KEEP(again);
    particle_snapshot_expect(again, &middle, "restored");
    tact_surface_load loads[2][COLLIDERS + BODIES];
    memset(loads, 0, sizeof loads);
    assert_int_equal(tact_particles_measure_surfaces(p, NULL, loads[0], loads[0] + COLLIDERS), TACT_OK);
    assert_int_equal(tact_particles_measure_surfaces(again, NULL, loads[1], loads[1] + COLLIDERS), TACT_OK);
    assert_memory_equal(loads[0], loads[1], sizeof loads[0]);
    step(p, 2, 30, 2);
    step(again, 2, 30, 1);
    const particle_snapshot expected = particle_snapshot_of(p);
    particle_snapshot_expect(again, &expected, "gone on");
    // Systems without such surfaces have no part for them.
    tact_particles* plain = make(TACT_RESPONSE_GRAINS, TACT_BACKEND_CPU);
    assert_int_equal(tact_get_u32(particle_snapshot_of(plain).bytes + 12), 0);
    // And one for the last step.
    assert_int_equal(tact_get_u32(middle.bytes + 12), 32 + 1);
}

TEST(damaged_surfaces_are_refused)
{
    tact_particles *p = make(TACT_RESPONSE_SPRING, TACT_BACKEND_CPU), *again = NULL;
    drive(p);
    step(p, 2, 5, 1);
    const particle_snapshot s = particle_snapshot_of(p);
    // They are the last 8 bytes of the body and five or so of 112 or more; every bit of their beginnings, wrong.
    size_t refused = 0, taken = 0;
    test_random r = {9};
    for (int k = 0; k < 2000; ++k) {
        const size_t at = s.size - TACT_SAVED_DIGEST - 1 - (size_t)(700.0f * test_random_unit(&r));
        const uint8_t was = s.bytes[at];
        s.bytes[at] ^= (uint8_t)(1u << (unsigned)(7.99f * test_random_unit(&r)));
        saved_mend(s.bytes, s.size);
        const tact_result result = tact_particles_restore(context, s.bytes, s.size, TACT_BACKEND_CPU, &again);
        if (result == TACT_OK) {
            // Another number, and a sound system.
            assert_int_equal(tact_particles_step(again, rich_dt, 2, 1, NULL, NULL), TACT_OK);
            tact_particles_destroy(again);
            ++taken;
        } else {
            assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(tact_context_error(context), "a saved particle system"));
            ++refused;
        }
        s.bytes[at] = was;
    }
    assert_true(refused > 100 && taken > 100);
}

TEST(bad_surfaces_are_refused)
{
    tact_particles* p = make(TACT_RESPONSE_SPRING, TACT_BACKEND_CPU);
    const tact_servo good = {.direction = {0, 1, 0}, .force = 1, .gain = 1, .greatest_speed = 1};
    tact_servo bad[] = {good, good, good, good, good, good};
    tact_surface_state now;
    bad[0].direction = (tact_vec3){0, 0, 0};
    bad[1].direction.x = NAN;
    bad[2].force = INFINITY;
    bad[3].gain = 0;
    bad[4].gain = NAN;
    bad[5].greatest_speed = -1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const tact_result result = tact_particles_set_servo(p, TACT_CONTACT_BODY, 0, &bad[i]);
        assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_context_error(context), "a servo's"));
    }
    const struct {
        tact_contact_with kind;
        uint32_t index;
    } none[] = {{TACT_CONTACT_WALL, 0},
                {TACT_CONTACT_PARTICLE, 0},
                {TACT_CONTACT_COLLIDER, COLLIDERS},
                {TACT_CONTACT_BODY, BODIES},
                {(tact_contact_with)9, 0}};
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        const tact_contact_with kind = none[i].kind;
        const uint32_t index = none[i].index;
        assert_int_equal(tact_particles_set_motion(p, kind, index, true), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_set_servo(p, kind, index, &good), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_set_wear(p, kind, index, true), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_particles_get_surface(p, kind, index, &now), TACT_ERROR_INVALID_ARGUMENT);
    }
    // Nothing was changed by any.
    assert_int_equal(tact_get_u32(particle_snapshot_of(p).bytes + 12), 0);
    tact_particles* still = make(TACT_RESPONSE_POSITION, TACT_BACKEND_CPU);
    assert_int_equal(tact_particles_set_servo(still, TACT_CONTACT_BODY, 0, &good), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_wear(still, TACT_CONTACT_BODY, 0, true), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_measure_surfaces(still, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_motion(still, TACT_CONTACT_BODY, 0, true), TACT_OK);
}

TEST(no_surface_moves_out_of_the_world)
{
    tact_particles* p = KEEP(new_particles(context, &(tact_particles_desc){0}));
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE,
                                .shape.sphere = {{0, 0.75f * TACT_MAX_COORDINATE, 0}, 1},
                                .velocity = {0, 0.125f * TACT_MAX_COORDINATE, 0}};
    tact_surface_state before, after;
    assert_int_equal(tact_particles_add_collider(p, &ball, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 0, true), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1, 1, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &before), TACT_OK);
    assert_int_equal(tact_particles_step(p, 2, 1, 1, NULL, NULL), TACT_ERROR_LIMIT);
    assert_non_null(strstr(tact_context_error(context), "collider 0"));
    assert_int_equal(tact_particles_get_surface(p, TACT_CONTACT_COLLIDER, 0, &after), TACT_OK);
    assert_memory_equal(&before, &after, sizeof before);
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    assert_int_equal(info.steps, 1);
    assert_int_equal(tact_particles_step(p, 1, 1, 1, NULL, NULL), TACT_OK);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
