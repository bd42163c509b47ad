// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// One or two particles, for which physics has the answer: collisions, bouncing, sliding, falling, drag. "print" as
// argument prints the figures that docs/particles.md quotes.
#include "tests/support/run.h"

#include "tests/support/objects.h"
#include "tests/support/particle_lab.h"

/// The damping ratio of a restitution, from the formula by bisection.
static double damping_for(double e)
{
    double low = 0.0, high = 64.0;
    for (int i = 0; i < 200; ++i) {
        const double z = 0.5 * (low + high);
        double r;
        if (z < 1.0) {
            const double w = sqrt(1.0 - z * z);
            r = exp(-(z / w) * (pi - atan2(2.0 * z * w, 1.0 - 2.0 * z * z)));
        } else {
            const double w = sqrt(z * z - 1.0);
            r = w > 0.0 ? exp(-(z / w) * log((z + w) / (z - w))) : exp(-2.0);
        }
        if (r > e)
            low = z;
        else
            high = z;
    }
    return 0.5 * (low + high);
}

/// How long two spheres overlap: until the force would pull (Schwager and Poeschel), and then until they have come
/// apart, at the speed they then have.
static double overlap_time(double e, double stiffness, double mass)
{
    const double z = e < 1.0 ? damping_for(e) : 0.0, w0 = sqrt(stiffness / mass);
    double force, depth;
    if (z < 1.0) {
        const double w = sqrt(1.0 - z * z);
        force = (pi - atan2(2.0 * z * w, 1.0 - 2.0 * z * z)) / w;
        depth = exp(-z * force) * sin(w * force) / w;
    } else {
        const double w = sqrt(z * z - 1.0);
        force = log((z + w) / (z - w)) / w;
        depth = exp(-z * force) * sinh(w * force) / w;
    }
    return (force + depth / e) / w0;
}

/// Two spheres that meet head on along x: relative speed after by before, and the time between first and last touch.
static double collide(float m0, float m1, float e, uint32_t per_contact, double* seconds, double* momentum_error)
{
    const float stiffness = 1e4f;
    const tact_particle_material m = material_of(stiffness, e, 0.3f);
    const tact_particles_desc desc = {.materials = &m, .material_count = 1};
    tact_particles* p = make(&desc);
    const float x[6] = {-0.501f, 0, 0, 0.501f, 0, 0}, v[6] = {0.6f, 0, 0, -0.4f, 0, 0}, masses[2] = {m0, m1};
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = masses}, 2);
    const double reduced = (double)m0 * (double)m1 / ((double)m0 + (double)m1);
    const float dt = (float)(pi * sqrt(reduced / (double)stiffness) / per_contact);
    float at[6], speed[6];
    uint32_t touching = 0;
    for (uint32_t i = 0; i < 60 * per_contact; ++i) {
        step(p, dt, 1, 1);
        read_state(p, at, speed);
        if (at[3] - at[0] <= 1.0f) ++touching;
        if (touching && at[3] - at[0] > 1.001f) break;
    }
    *seconds = (double)touching * (double)dt;
    *momentum_error = fabs((double)m0 * (double)speed[0] + (double)m1 * (double)speed[3] -
                           ((double)m0 * (double)v[0] + (double)m1 * (double)v[3])) /
                      ((double)m0 * 0.6 + (double)m1 * 0.4);
    return ((double)speed[3] - (double)speed[0]) / ((double)v[0] - (double)v[3]);
}

TEST(head_on_collisions_have_their_restitution)
{
    const float es[] = {0.1f, 0.2f, 0.3f, 0.5f, 0.7f, 0.8f, 0.9f, 0.95f, 1.0f};
    const float masses[3][2] = {{1, 1}, {1, 8}, {500, 0.5f}};
    const uint32_t steps[] = {20, 40, 80, 200};
    for (size_t s = 0; s < 4; ++s) {
        double worst = 0.0, worst_time = 0.0, worst_momentum = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            for (size_t i = 0; i < sizeof es / sizeof *es; ++i) {
                const double m0 = (double)masses[k][0], m1 = (double)masses[k][1], reduced = m0 * m1 / (m0 + m1);
                double seconds, momentum;
                const double e = collide(masses[k][0], masses[k][1], es[i], steps[s], &seconds, &momentum);
                const double expected = overlap_time((double)es[i], 1e4, reduced);
                worst = fmax(worst, fabs(e - (double)es[i]));
                worst_momentum = fmax(worst_momentum, momentum);
                worst_time = fmax(worst_time, fabs(seconds - expected) / (pi * sqrt(reduced / 1e4)));
            }
        }
        FIGURE("head-on, %u substeps a contact: restitution off by %.4f, contact time by %.3f, momentum by %.2g\n",
               (unsigned)steps[s], worst, worst_time, worst_momentum);
        assert_true(worst <= 0.8 / (double)steps[s]);
        assert_true(worst_time <= 0.015 + 2.0 / (double)steps[s]);
        assert_true(worst_momentum <= (double)steps[s] * 0x1p-23);
    }
}

TEST(oblique_collisions_keep_what_is_across)
{
    const float e = 0.6f, degrees[] = {0, 15, 30, 45, 60, 75};
    for (size_t k = 0; k < 2; ++k) {
        for (size_t i = 0; i < sizeof degrees / sizeof *degrees; ++i) {
            const tact_particle_material m = material_of(1e6f, e, 0.0f);
            const tact_particles_desc desc = {.materials = &m, .material_count = 1};
            tact_particles* p = make(&desc);
            const float angle = degrees[i] * (float)pi / 180.0f, nx = cosf(angle), ny = sinf(angle);
            const float masses[2] = {1.0f, k ? 7.0f : 1.0f};
            const float x[6] = {-1.0005f * nx, -1.0005f * ny, 0, 0, 0, 0}, v[6] = {1, 0, 0, 0, 0, 0};
            add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = masses}, 2);
            step(p, 1e-5f, 1, 4000);
            float at[6], speed[6];
            read_state(p, at, speed);
            // Along the line of centres the impulse (1 + e) m v; across nothing.
            const double reduced = (double)masses[1] / (1.0 + (double)masses[1]);
            const double impulse = (1.0 + (double)e) * reduced * (double)nx;
            const double expected[4] = {1.0 - impulse * (double)nx, -impulse * (double)ny,
                                        impulse * (double)nx / (double)masses[1],
                                        impulse * (double)ny / (double)masses[1]};
            const double got[4] = {(double)speed[0], (double)speed[1], (double)speed[3], (double)speed[4]};
            double worst = 0.0;
            for (int c = 0; c < 4; ++c)
                worst = fmax(worst, fabs(got[c] - expected[c]));
            FIGURE("oblique, %g degrees, mass 1 on %g: velocities off by %.4f of the impact's\n", (double)degrees[i],
                   (double)masses[1], worst);
            assert_true(worst < 0.006);
            assert_true(fabs(got[1] + (double)masses[1] * got[3]) < 1e-5);
            assert_true(speed[2] == 0.0f && speed[5] == 0.0f);
        }
    }
}

/// What one substep does to spheres that press in, approach or part, and slide fast: the friction is the coefficient
/// times the whole normal force, that of the spring and of the dashpot. By the formula, in both implementations.
TEST(friction_is_a_part_of_the_whole_normal_force)
{
    enum { PAIRS = 20 };
    const double k = 1e4, e = 0.5, friction = 0.5, zeta = damping_for(e), h = 1e-4;
    const float masses[2] = {1.0f, 3.0f};
    const tact_particle_material m = material_of((float)k, (float)e, (float)friction);
    for (int on_plane = 0; on_plane < 2; ++on_plane) {
        for (int reference = 0; reference < 2; ++reference) {
            const tact_query_options options = {.backend = reference ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU};
            const tact_particles_desc desc = {.materials = &m, .material_count = 1};
            tact_particles* p = make(&desc);
            const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
            if (on_plane) assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
            const size_t each = on_plane ? 1 : 2;
            float x[6 * PAIRS] = {0}, v[6 * PAIRS] = {0}, w[2 * PAIRS], before[6 * PAIRS];
            for (size_t i = 0; i < PAIRS; ++i) {
                // From parting at 0.1 m/s to meeting at 1.8: the dashpot takes some of the push, or gives most of it.
                const float meet = -0.1f + 0.1f * (float)i, depth = 0.002f;
                for (size_t c = 0; c < each; ++c) {
                    const size_t n = each * i + c;
                    x[3 * n] = 3.0f * (float)i;
                    x[3 * n + 1] = (on_plane ? 0.5f : 1.0f * (float)c + 5.0f) - (c + 1 == each ? depth : 0.0f);
                    v[3 * n] = c + 1 == each ? 1.0f : -1.0f;
                    v[3 * n + 1] = c + 1 == each ? -meet : 0.0f;
                    w[n] = masses[c + 2 - each];
                }
            }
            memcpy(before, v, sizeof v);
            add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = w}, each * PAIRS);
            assert_int_equal(tact_particles_step(p, (float)h, 1, 1, &options, NULL), TACT_OK);
            float at[6 * PAIRS];
            read_state(p, at, v);
            const double mass = (double)masses[1];
            const double reduced = on_plane ? mass : mass * (double)masses[0] / (mass + (double)masses[0]);
            for (size_t i = 0; i < PAIRS; ++i) {
                const size_t n = 3 * (each * i + each - 1);
                const double depth = on_plane ? 0.5 - (double)x[n + 1] : 1.0 - ((double)x[n + 1] - (double)x[n - 2]);
                const double push = k * depth - 2.0 * zeta * sqrt(k * reduced) * (double)before[n + 1];
                const double normal = ((double)v[n + 1] - (double)before[n + 1]) * mass / h;
                const double across = ((double)before[n] - (double)v[n]) * mass / h;
                // A rounding of a velocity of up to 2 m/s is 6e-8, and h / mass of that 0.004 N.
                if (fabs(normal - push) > 0.01 + 1e-3 * push || fabs(across - friction * push) > 0.01 + 1e-3 * push) {
                    fail_msg("%s, backend %d, meeting at %g m/s: %g N along and %g N across, by formula %g and %g",
                             on_plane ? "plane" : "spheres", reference, -(double)before[n + 1], normal, across, push,
                             friction * push);
                }
                assert_true(push > 1.0);
            }
        }
    }
}

/// A twentieth of the contact of two of the lightest by the stiffest rule, and what is made of that.
TEST(a_stable_step_is_a_twentieth_of_a_contact)
{
    const tact_particle_material m[2] = {material_of(1e4f, 0.8f, 0.5f), material_of(3e4f, 0.8f, 0.5f)};
    const tact_particles_desc desc = {.materials = m, .material_count = 2};
    const float x[9] = {0, 0, 0, 0.9f, 0, 0, 5, 0, 0}, masses[3] = {3.0f, 0.5f, 7.0f};
    tact_particles* pair[2];
    for (int i = 0; i < 2; ++i) {
        pair[i] = make(&desc);
        add(pair[i], &(tact_particle_arrays){.positions = x, .masses = masses}, 3);
    }
    const double contact = pi * sqrt(0.25 / 3e4), stable = contact / 20.0;
    assert_true(fabs((double)tact_particles_stable_step(pair[0]) / stable - 1.0) < 1e-6);
    // 0 substeps: as many as that asks for, here 4 for three and a half.
    step(pair[0], (float)(3.5 * stable), 0, 10);
    step(pair[1], (float)(3.5 * stable), 4, 10);
    float found[18], expected[18];
    read_state(pair[0], found, found + 9);
    read_state(pair[1], expected, expected + 9);
    assert_memory_equal(found, expected, sizeof found);
    assert_true(found[0] < 0.0f);  // the two have been moved apart
    // A substep may be as long as a contact and no longer.
    assert_int_equal(tact_particles_step(pair[0], (float)(contact * 0.999), 1, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_step(pair[0], (float)(contact * 1.001), 1, 1, NULL, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
}

/// A ball of 1 kg at rest on the ground y = 0, which is a plane or the domain's wall.
static tact_particles* on_ground(bool wall, float friction, tact_vec3 g, const float v[3])
{
    const tact_particle_material m = material_of(1e4f, 0.5f, friction);
    tact_particles_desc desc = {.materials = &m, .material_count = 1, .gravity = g};
    if (wall) {
        desc.boundary[1] = TACT_BOUNDARY_WALL;
        desc.domain = (tact_aabb){{0, 0, 0}, {0, 100, 0}};
    }
    tact_particles* p = make(&desc);
    const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 3, 0}, 0}};
    if (!wall) assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
    const float mass = 1.0f, x[3] = {0, 0.5f + g.y / 1e4f, 0};
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = &mass}, 1);
    return p;
}

TEST(sliding_slows_by_friction_and_ends)
{
    const float frictions[] = {0.1f, 0.3f, 0.8f}, v0[3] = {2, 0, 0}, dt = 5e-4f;
    for (int wall = 0; wall < 2; ++wall) {
        for (size_t i = 0; i < 3; ++i) {
            tact_particles* p = on_ground(wall == 1, frictions[i], (tact_vec3){0, -gravity, 0}, v0);
            const double slowing = (double)(frictions[i] * gravity), stop = 2.0 / slowing;
            const uint32_t half = (uint32_t)(0.5 * stop / (double)dt);
            float x[3], v[3];
            step(p, dt, 1, half);
            read_state(p, x, v);
            const double error = fabs((double)v[0] - (2.0 - slowing * (double)half * (double)dt)) / 2.0;
            step(p, dt, 1, (uint32_t)(2.0 * stop / (double)dt));
            read_state(p, x, v);
            const double far = 4.0 / (2.0 * slowing), off = fabs((double)x[0] - far) / far;
            FIGURE("sliding, friction %g: speed half way off by %.2g, distance by %.2g; speed at last %.2g m/s\n",
                   (double)frictions[i], error, off, (double)v[0]);
            assert_true(error < 1e-4 && off < 0.01 && fabsf(v[0]) < 1e-6f && x[2] == 0.0f);
        }
    }
}

TEST(on_a_slope_it_creeps_as_fast_as_stated)
{
    // Below the limit of friction sliding is resisted by the tangential dashpot alone: g sin a sqrt(m / k) / (2 z).
    const float degrees[] = {1, 5, 10, 20}, rest[3] = {0};
    for (size_t i = 0; i < 4; ++i) {
        const float a = degrees[i] * (float)pi / 180.0f;
        tact_particles* p = on_ground(false, 0.5f, (tact_vec3){gravity * sinf(a), -gravity * cosf(a), 0}, rest);
        step(p, 5e-4f, 1, 2000);
        float x[3], v[3];
        read_state(p, x, v);
        const double expected = (double)(gravity * sinf(a)) * 0.01 / (2.0 * 0.5);
        FIGURE("on a slope of %g degrees it creeps at %.4f m/s (formula %.4f)\n", (double)degrees[i], (double)v[0],
               expected);
        assert_true(fabs((double)v[0] / expected - 1.0) < 0.01);
    }
    // Beyond the limit it slides: g (sin a - mu cos a).
    const float a = 35.0f * (float)pi / 180.0f;
    tact_particles* p = on_ground(false, 0.5f, (tact_vec3){gravity * sinf(a), -gravity * cosf(a), 0}, rest);
    step(p, 5e-4f, 1, 2000);
    float x[3], v[3];
    read_state(p, x, v);
    const double expected = (double)gravity * (sin((double)a) - 0.5 * cos((double)a));
    FIGURE("on a slope of 35 degrees, friction 0.5, after a second: %.4f m/s (formula %.4f)\n", (double)v[0], expected);
    assert_true(fabs((double)v[0] - expected) < 0.03);
}

TEST(a_bouncing_ball_rises_as_high_as_it_should)
{
    const float es[] = {0.3f, 0.5f, 0.8f, 0.95f, 1.0f};
    for (size_t i = 0; i < 5; ++i) {
        const tact_particle_material m = material_of(1e6f, es[i], 0.5f);
        const tact_particles_desc desc = {.materials = &m, .material_count = 1, .gravity = {0, -gravity, 0}};
        tact_particles* p = make(&desc);
        const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
        assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
        const float mass = 1.0f, x0[3] = {0, 1.5f, 0};
        add(p, &(tact_particle_arrays){.positions = x0, .masses = &mass}, 1);
        const int bounces = es[i] < 0.4f ? 2 : 4;
        int bounce = 0;
        float x[3], v[3], before = 0.0f, top = 0.0f;
        for (int k = 0; k < 200000 && bounce < bounces; ++k) {
            step(p, 5e-5f, 1, 1);
            read_state(p, x, v);
            if (x[1] > top) top = x[1];
            if (before > 0.0f && v[1] <= 0.0f && x[1] > 0.5f) {
                ++bounce;
                const double height = (double)x[1] - 0.5, expected = pow((double)es[i], 2.0 * bounce);
                FIGURE("bouncing, e %.2f: %.4f m after bounce %d (formula %.4f)\n", (double)es[i], height, bounce,
                       expected);
                assert_true(fabs(height - expected) < 0.012 * bounce * expected + 0.001);
            }
            before = v[1];
        }
        assert_int_equal(bounce, bounces);
        assert_true(top <= 1.5f * 1.001f && x[0] == 0.0f && x[2] == 0.0f);
    }
}

TEST(what_is_stopped_at_a_surface_goes_on_along_it)
{
    // So soft and so fast that a substep leads nearly into the plane: nearer than half a radius.
    const tact_particle_material m = material_of(100.0f, 0.5f, 0.5f);
    const tact_vec3 normals[3] = {{0.6f, 0, 0.8f}, {0.8f, 0.6f, 0}, {0, -0.8f, 0.6f}};
    const tact_vec3 aside[3] = {{-0.8f, 0, 0.6f}, {0, 0, 1}, {0, 0.6f, 0.8f}};
    for (size_t i = 0; i < 3; ++i) {
        const float n[3] = {normals[i].x, normals[i].y, normals[i].z};
        const float t[3] = {aside[i].x, aside[i].y, aside[i].z};
        const tact_particles_desc desc = {.materials = &m, .material_count = 1, .speed_limit = 1e6f};
        tact_particles* p = make(&desc);
        const tact_collider plane = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {normals[i], 0}};
        assert_int_equal(tact_particles_add_collider(p, &plane, NULL), TACT_OK);
        const float x0[3] = {3 * n[0], 3 * n[1], 3 * n[2]};
        float x[3], v[3];
        add(p, &(tact_particle_arrays){.positions = x0}, 1);
        const float dt = tact_particles_stable_step(p);
        for (size_t k = 0; k < 3; ++k)
            v[k] = 2.0f * t[k] - 2.8f / dt * n[k];
        assert_int_equal(tact_particles_write(p, NULL, 1, NULL, v), TACT_OK);
        step(p, dt, 1, 1);
        read_state(p, x, v);
        const float away = x[0] * n[0] + x[1] * n[1] + x[2] * n[2];
        tact_particles_info info;
        assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
        FIGURE("stopped at a plane: %g %g %g, %g away\n", (double)v[0], (double)v[1], (double)v[2], (double)away);
        assert_int_equal(info.stopped, 1);
        assert_true(away > 0.2f && away < 0.3f);
        for (size_t k = 0; k < 3; ++k)
            assert_true(fabsf(v[k] - 2.0f * t[k]) < 1e-3f);
    }
}

TEST(free_fall_is_the_integrators_recurrence)
{
    for (int response = 0; response < 3; ++response) {
        const tact_particles_desc desc = {
            .response = (tact_particle_response)response, .gravity = {0.3f, -gravity, 0.1f}, .speed_limit = 1e6f};
        tact_particles* p = make(&desc);
        const float x0[3] = {1, 2, 3}, v0[3] = {4, 5, -6}, g[3] = {0.3f, -gravity, 0.1f};
        add(p, &(tact_particle_arrays){.positions = x0, .velocities = v0}, 1);
        const float dt = 0.01f / 3.0f;
        volatile float x[3], v[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = x0[k];
            v[k] = v0[k];
        }
        float at[3], speed[3];
        for (int i = 0; i < 100; ++i) {
            step(p, 0.01f, 3, 1);
            for (int k = 0; k < 9; ++k) {
                volatile float dv = dt * g[k % 3];
                v[k % 3] = v[k % 3] + dv;
                volatile float dx = dt * v[k % 3];
                x[k % 3] = x[k % 3] + dx;
            }
            read_state(p, at, speed);
            // With POSITION a velocity is what the move has been, which rounds.
            for (int k = 0; k < 3 && response != TACT_RESPONSE_POSITION; ++k)
                assert_true(at[k] == x[k] && speed[k] == v[k]);
        }
        double worst = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double parabola = (double)x0[k] + (double)v0[k] + 0.5 * (double)g[k];
            worst = fmax(worst, fabs((double)at[k] - parabola));
        }
        FIGURE("falling for a second in substeps of %g s, response %d: %.4f m off the parabola (g dt t / 2: %.4f)\n",
               (double)dt, response, worst, 0.5 * (double)(gravity * dt));
        assert_true(worst < 1.05 * 0.5 * (double)(gravity * dt) + 1e-4);
    }
}

TEST(drag_is_exponential)
{
    const float rates[] = {0.1f, 1.0f, 5.0f};
    for (size_t i = 0; i < 3; ++i) {
        const tact_particles_desc desc = {.drag = rates[i]};
        tact_particles* p = make(&desc);
        const float x0[3] = {0}, v0[3] = {3, 0, -4};
        add(p, &(tact_particle_arrays){.positions = x0, .velocities = v0}, 1);
        step(p, 1e-3f, 1, 1000);
        float x[3], v[3];
        read_state(p, x, v);
        const double expected = exp(-(double)rates[i]), got = sqrt((double)(v[0] * v[0] + v[2] * v[2])) / 5.0;
        const double bound = 0.5 * (double)(rates[i] * rates[i]) * 1e-3;
        FIGURE("drag %g/s for a second: %.5f of the speed left (formula %.5f)\n", (double)rates[i], got, expected);
        assert_true(fabs(got / expected - 1.0) < bound + 1e-4);
    }
}

/// POSITION: what two spheres do that meet head on, and in a heap of one contact.
TEST(positions_are_moved_apart)
{
    const float masses[3][2] = {{1, 1}, {1, 8}, {INFINITY, 1}};
    for (size_t k = 0; k < 3; ++k) {
        const tact_particles_desc desc = {.response = TACT_RESPONSE_POSITION};
        tact_particles* p = make(&desc);
        const float x0[6] = {-0.6f, 0, 0, 0.6f, 0, 0}, v0[6] = {1, 0, 0, -1, 0, 0};
        add(p, &(tact_particle_arrays){.positions = x0, .velocities = v0, .masses = masses[k]}, 2);
        step(p, 1e-3f, 1, 400);
        float x[6], v[6];
        read_state(p, x, v);
        const double before = isinf(masses[k][0]) ? 0.0 : (double)masses[k][0] - (double)masses[k][1];
        const double after = isinf(masses[k][0]) ? 0.0 : (double)(masses[k][0] * v[0]) + (double)(masses[k][1] * v[3]);
        FIGURE(
            "position, masses %g and %g head on at 2 m/s: they part at %.4f m/s, momentum %.5f of %.5f, %.5f apart\n",
            (double)masses[k][0], (double)masses[k][1], (double)(v[3] - v[0]), after, before,
            (double)(x[3] - x[0]) - 1.0);
        assert_true(fabs(after - before) < 0.01);
        assert_true(x[3] - x[0] > 0.9999f);
        assert_true(fabsf(v[3] - v[0]) < 1e-3f);
    }
}

/// POSITION: how far a sphere has come after half a second that is put on top of one that does not move, off the middle
/// by an angle, or on a plane as steep.
static double slid(float degrees, bool on_plane)
{
    const float a = degrees * 3.14159265f / 180.0f, nx = sinf(a), ny = cosf(a);
    const tact_particle_material m = {1e4f, 0.5f, 0.5f, 0.5f};
    const tact_particles_desc desc = {
        .response = TACT_RESPONSE_POSITION, .materials = &m, .material_count = 1, .gravity = {0, -9.81f, 0}};
    tact_particles* p = make(&desc);
    const float from = on_plane ? 0.5f : 1.0f, masses[2] = {1, INFINITY};
    float x[6] = {from * nx, from * ny, 0}, v[6];
    const tact_collider plane = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{nx, ny, 0}, 0}};
    if (on_plane) assert_int_equal(tact_particles_add_collider(p, &plane, NULL), TACT_OK);
    add(p, &(tact_particle_arrays){.positions = x, .masses = masses}, on_plane ? 1 : 2);
    step(p, 1.0f / 240.0f, 1, 120);
    read_state(p, x, v);
    return hypot((double)(x[0] - from * nx), (double)(x[1] - from * ny));
}

TEST(positions_are_held_by_friction_up_to_its_angle)
{
    for (int k = 0; k < 4; ++k) {
        const bool on_plane = k % 2;
        const float degrees = k < 2 ? 25.0f : 40.0f;
        const double a = (double)degrees * 3.14159265 / 180.0, got = slid(degrees, on_plane);
        const double formula = k < 2 ? 0.0 : 0.5 * 9.81 * (sin(a) - 0.5 * cos(a)) * 0.25;
        FIGURE("position, friction 0.5, %g degrees on a %s: %.4f m in half a second (plane's formula %.4f)\n",
               (double)degrees, on_plane ? "plane" : "sphere", got, formula);
        if (k < 2) assert_true(got < 1e-3);
        if (k == 2) assert_true(got > formula);
        if (k == 3) assert_true(fabs(got / formula - 1.0) < 0.02);
    }
}

TEST(only_what_touches_sleeps)
{
    const tact_particles_desc desc = {.response = TACT_RESPONSE_POSITION,
                                      .boundary = {TACT_BOUNDARY_OPEN, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
                                      .domain = {{0, 0, 0}, {0, 20, 0}},
                                      .gravity = {0, -9.81f, 0},
                                      .sleep_speed = 0.5f};
    tact_particles* p = make(&desc);
    float x[6] = {0, 0.5f, 0, 3, 5, 0}, v[6];
    add(p, &(tact_particle_arrays){.positions = x}, 2);
    step(p, 1e-3f, 1, 1);
    read_state(p, x, v);
    assert_true(x[1] == 0.5f && v[1] == 0.0f && v[4] < 0.0f);
    step(p, 1e-3f, 1, 2000);
    read_state(p, x, v);
    assert_true(fabsf(x[4] - 0.5f) < 1e-3f && v[4] == 0.0f);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_host_context, close_context);
}
