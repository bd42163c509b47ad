// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Clumps against formulas: volumes and inertia of spheres that overlap and of meshes, free rotation, impacts off the
// centre, rest on a floor, energy; and what the calls refuse. test_clump_states compares states.
#include "tests/support/run.h"

#include <math.h>

#include "tact/particle_clumps.h"
#include "tact/particle_grains.h"
#include "tests/support/particle_lab.h"

static tact_clump_measures measured(const tact_clump_shape* shape)
{
    tact_clump_measures m;
    const tact_result result = tact_clump_measure(context, shape, &m);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return m;
}

static bool near(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

/// Of two unit balls, `d` apart along z: the volume, and the second moments about the plane between them.
static void two_balls(double d, double* volume, double* along, double* across)
{
    // Each ball from its centre at d / 2 down to the plane: discs of radius squared 1 - u^2, u from -d / 2 to 1.
    enum { SLICES = 2000000 };
    *volume = *along = *across = 0.0;
    const double low = -0.5 * d, step = (1.0 - low) / SLICES;
    for (int i = 0; i < SLICES; ++i) {
        const double u = low + (i + 0.5) * step, area = pi * (1.0 - u * u) * step, z = u + 0.5 * d;
        *volume += 2.0 * area;
        *along += 2.0 * area * z * z;
        *across += 2.0 * area * (1.0 - u * u) / 4.0;
    }
}

TEST(spheres_that_overlap_are_counted_once)
{
    const double apart[] = {0.3, 1.0, 1.7, 2.0};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; ++i) {
        // Along (2, 3, 6) / 7, far from the origin.
        const double way[3] = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0};
        float x[6];
        const float radii[2] = {1.0f, 1.0f};
        for (size_t k = 0; k < 3; ++k) {
            x[k] = 100.0f;
            x[3 + k] = (float)(100.0 + apart[i] * way[k]);
        }
        const tact_clump_shape shape = {.positions = x, .radii = radii, .count = 2, .density = 2.0f};
        const tact_clump_measures m = measured(&shape);
        double volume, along, across;
        two_balls(apart[i], &volume, &along, &across);
        const double about = 2.0 * across * 2.0, tilted = (along + across) * 2.0;
        // The tensor about any axis w: tilted - (tilted - about) (way . w)^2.
        const double xx = tilted - (tilted - about) * way[0] * way[0], yz = -(tilted - about) * way[1] * way[2];
        FIGURE("balls %.1f apart: volume %.5f (formula %.5f), xx %.5f (%.5f), yz %.5f (%.5f)\n", apart[i], m.volume,
               volume, m.inertia[0], xx, m.inertia[5], yz);
        assert_true(near(m.volume, volume, 1e-3) && near(m.mass, 2.0 * volume, 1e-3));
        assert_true(near(m.inertia[0], xx, 1e-3) && fabs(m.inertia[5] - yz) < 1e-3 * xx);
        for (size_t k = 0; k < 3; ++k)
            assert_true(fabs(m.center[k] - (100.0 + 0.5 * apart[i] * way[k])) < 1e-4);
        assert_true(near(m.reach, 0.5 * apart[i], 1e-4));
    }
}

/// Small balls that are far apart are seen as well as large ones.
TEST(a_dumb_bell_without_a_bar)
{
    const float x[6] = {-30.0f, 0.0f, 0.0f, 30.0f, 5.0f, 0.0f}, radii[2] = {0.25f, 0.5f};
    const tact_clump_measures m =
        measured(&(tact_clump_shape){.positions = x, .radii = radii, .count = 2, .density = 1});
    const double v[2] = {4.0 / 3.0 * pi / 64.0, 4.0 / 3.0 * pi / 8.0}, all = v[0] + v[1];
    assert_true(near(m.volume, all, 2e-4) && near(m.center[0], 30.0 * (v[1] - v[0]) / all, 1e-6));
    // About z: that of two points, and of each ball.
    const double apart = 3600.0 + 25.0, zz = v[0] * v[1] / all * apart + 0.4 * (v[0] / 16.0 + v[1] / 4.0);
    assert_true(near(m.inertia[2], zz, 2e-4));
    // Many, each twice.
    enum { BALLS = 70 };
    float many[3 * BALLS], sizes[BALLS];
    double sum = 0.0;
    for (size_t i = 0; i < BALLS; ++i) {
        many[3 * i] = 3.0f * (float)(i / 2);
        many[3 * i + 1] = many[3 * i + 2] = 0.0f;
        sizes[i] = 0.5f + 0.02f * (float)(i / 2);
        sum += i % 2 ? 4.0 / 3.0 * pi * pow((double)sizes[i], 3.0) : 0.0;
    }
    assert_true(
        near(measured(&(tact_clump_shape){.positions = many, .radii = sizes, .count = BALLS}).volume, sum, 1e-3));
}

/// A box from -half to half, of outward triangles.
static void box_mesh(tact_vec3 half, tact_vec3 vertices[8], uint32_t indices[36])
{
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (uint32_t i = 0; i < 8; ++i)
        vertices[i] = (tact_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    memcpy(indices, faces, sizeof faces);
}

TEST(spheres_are_packed_into_a_mesh)
{
    tact_vec3 vertices[8];
    uint32_t indices[36];
    float x[3 * 200], radii[200];
    double filled = 0.0, gap = (double)INFINITY;
    box_mesh((tact_vec3){2.0f, 1.0f, 0.5f}, vertices, indices);
    const tact_mesh_view mesh = {vertices, 8, indices, 12};
    const uint32_t counts[] = {1, 8, 40, 200};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        tact_clump_packing p;
        const tact_result result = tact_clump_pack(context, &mesh, counts[i], 40, x, radii, &p);
        if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
        FIGURE("%u spheres in a box of 4 x 2 x 1: %.1f %% filled, gap %.3f\n", p.count, 100.0 * p.filled, p.gap);
        // With the last all cells inside are filled before.
        assert_true(i == 3 ? p.count < counts[i] && p.gap == 0.0 : p.count == counts[i] && p.gap > 0.0);
        assert_true(p.filled > filled && p.filled <= 1.001 && p.gap < gap);
        filled = p.filled;
        gap = p.gap;
        // 1 kg: (b^2 + c^2) / 12 of the edges.
        assert_true(near(p.volume, 8.0, 1e-6) && near(p.inertia[0], 5.0 / 12.0, 1e-6) &&
                    near(p.inertia[1], 17.0 / 12.0, 1e-6) && near(p.inertia[2], 20.0 / 12.0, 1e-6));
        for (size_t k = 0; k < 3; ++k)
            assert_true(fabs(p.center[k]) < 1e-6 && fabs(p.inertia[3 + k]) < 1e-6);
        for (size_t n = 0; n < p.count; ++n) {
            const float r = radii[n];
            assert_true(fabsf(x[3 * n]) + r < 2.0001f && fabsf(x[3 * n + 1]) + r < 1.0001f &&
                        fabsf(x[3 * n + 2]) + r < 0.5001f && r * 16.0f >= radii[0]);
        }
    }
    assert_true(filled > 0.8);
    tact_clump_packing p;
    const tact_mesh_view open_mesh = {vertices, 8, indices, 11};
    assert_int_equal(tact_clump_pack(context, &open_mesh, 4, 8, x, radii, &p), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_clump_pack(context, &mesh, 4, 3, x, radii, &p), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_clump_pack(context, &mesh, 0, 8, x, radii, &p), TACT_ERROR_INVALID_ARGUMENT);
    vertices[3].y = NAN;
    assert_int_equal(tact_clump_pack(context, &mesh, 4, 8, x, radii, &p), TACT_ERROR_INVALID_ARGUMENT);
}

static const float rod[6] = {-0.5f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f};
static const float rod_radii[2] = {0.25f, 0.25f};

/// One clump of 2 kg whose inertia is known.
static tact_particles* one_clump(const tact_particles_desc* desc, const float inertia[6], const tact_clump_arrays* how)
{
    const float center[3] = {0.0f, 0.0f, 0.0f};
    const tact_clump_shape shape = {
        .positions = rod, .radii = rod_radii, .count = 2, .mass = 2.0f, .center = center, .inertia = inertia};
    tact_particles* p = make(desc);
    const tact_result result = tact_particles_add_clumps(p, &shape, how, 1, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return p;
}

static const tact_particles_desc empty_space = {.response = TACT_RESPONSE_GRAINS};
static const float origin[3] = {0.0f, 0.0f, 0.0f};

/// The axis of a top of moments I, I and J goes round its angular momentum L with L / I.
TEST(a_free_top_precesses)
{
    const float inertia[6] = {0.5f, 0.5f, 0.2f, 0, 0, 0}, spin[3] = {0.6f, 0.0f, 3.0f};
    const tact_clump_arrays how = {.positions = origin, .spins = spin};
    tact_particles* p = one_clump(&empty_space, inertia, &how);
    const double l[3] = {0.3, 0.0, 0.6}, length = sqrt(0.45), rate = length / 0.5;
    const int turns = 10;
    const double time = 2.0 * pi / rate * turns;
    const uint32_t steps = 20000;
    step(p, (float)(time / steps), 1, steps);
    float q[4], w[3];
    const tact_clump_output out = {.orientations = q, .spins = w};
    assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
    // The top's axis, z of its own frame, is where it was.
    const double axis[3] = {2.0 * ((double)q[0] * (double)q[2] + (double)q[3] * (double)q[1]),
                            2.0 * ((double)q[1] * (double)q[2] - (double)q[3] * (double)q[0]),
                            1.0 - 2.0 * ((double)q[0] * (double)q[0] + (double)q[1] * (double)q[1])};
    FIGURE("a top after %d rounds: axis %.5f %.5f %.5f\n", turns, axis[0], axis[1], axis[2]);
    assert_true(fabs(axis[0]) < 2e-3 && fabs(axis[1]) < 2e-3 && axis[2] > 0.99999);
    // Its angular momentum is as it was, all but the rounding of the way to its own frame and back.
    for (int k = 0; k < 3; ++k)
        assert_true(fabsf(w[k] - spin[k]) < 2e-2f);
    (void)l;
}

/// A body that turns about its middle axis turns over again and again; its energy stays.
TEST(a_body_that_tumbles_keeps_its_energy)
{
    const float inertia[6] = {0.3f, 0.5f, 0.7f, 0.02f, -0.01f, 0.03f}, spin[3] = {0.01f, 4.0f, 0.02f};
    const tact_clump_arrays how = {.positions = origin, .spins = spin};
    tact_particles* p = one_clump(&empty_space, inertia, &how);
    const double before = totals_of(p).rotational_energy;
    double most = 0.0;
    float lowest = 1.0f;
    for (int k = 0; k < 100; ++k) {
        step(p, 1e-3f, 1, 200);
        most = fmax(most, fabs(totals_of(p).rotational_energy / before - 1.0));
        float q[4];
        const tact_clump_output out = {.orientations = q};
        assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
        const float up = 1.0f - 2.0f * (q[0] * q[0] + q[2] * q[2]);
        lowest = up < lowest ? up : lowest;
    }
    FIGURE("tumbling for 20 s: energy within %.5f %%, turned over to %.3f\n", 100.0 * most, (double)lowest);
    assert_true(most < 1e-3 && lowest < -0.9f);
}

/// A rod that falls flat but for a tilt meets a floor without friction with one end: an impulse there.
TEST(an_end_of_a_rod_bounces)
{
    for (int e = 0; e < 2; ++e) {
        const double m = 2.0, moment = 0.4, restitution = e ? 0.5 : 1.0;
        const float inertia[6] = {0.1f, 0.4f, 0.4f, 0, 0, 0};
        const tact_grain_law law = {.stiffness = 1e7f, .restitution = (float)restitution};
        const double tilt = 0.3, arm = 0.5 * cos(tilt), v = 2.0;
        const float y = (float)(0.25 + 0.5 * sin(tilt) + 0.01), place[3] = {0.0f, y, 0.0f};
        const float q[4] = {0.0f, 0.0f, (float)sin(0.5 * tilt), (float)cos(0.5 * tilt)}, fall[3] = {0.0f, -2.0f, 0.0f};
        const tact_clump_arrays how = {.positions = place, .velocities = fall, .orientations = q};
        tact_particles* p = one_clump(&empty_space, inertia, &how);
        const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
        assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
        assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
        step(p, 2e-6f, 1, 10000);
        float after[3], w[3];
        const tact_clump_output out = {.velocities = after, .spins = w};
        assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
        // The effective mass there is 1 / (1 / m + arm^2 / I). The dashpot is made for the mass alone, and so is too
        // strong: the restitution is read from the speed of the end, and must fit both.
        const double end = (double)after[1] - arm * (double)w[2], got = end / v;
        const double impulse = (1.0 + got) * v / (1.0 / m + arm * arm / moment);
        FIGURE("an end of a rod, e %.1f: bounces with %.4f; %.5f m/s (formula %.5f), %.5f rad/s (%.5f)\n", restitution,
               got, (double)after[1], -v + impulse / m, (double)w[2], -arm * impulse / moment);
        assert_true(near((double)after[1], -v + impulse / m, 2e-3) &&
                    near((double)w[2], -arm * impulse / moment, 2e-3));
        assert_true(e ? got > 0.35 && got < 0.5 : near(got, 1.0, 2e-3));
        assert_true(after[0] == 0.0f && w[0] == 0.0f);
    }
}

/// A clump of one ball moves as a grain does.
TEST(a_ball_is_a_grain)
{
    const float zero[3] = {0}, radius = 0.5f, inertia[6] = {0.1f, 0.1f, 0.1f, 0, 0, 0}, mass = 1.0f;
    const float x[3] = {0.0f, 0.52f, 0.0f}, v[3] = {1.0f, -1.0f, 0.0f};
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS, .gravity = {0, -gravity, 0}};
    const tact_clump_shape shape = {
        .positions = zero, .radii = &radius, .count = 1, .mass = mass, .center = zero, .inertia = inertia};
    const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
    float got[2][3], spins[2][3];
    for (int round = 0; round < 2; ++round) {
        tact_particles* p = make(&desc);
        assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
        const tact_clump_arrays how = {.positions = x, .velocities = v};
        if (round) {
            assert_int_equal(tact_particles_add_clumps(p, &shape, &how, 1, NULL), TACT_OK);
        } else {
            add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = &mass}, 1);
        }
        step(p, 1e-4f, 1, 5000);
        float speeds[3];
        read_state(p, got[round], speeds);
        assert_int_equal(tact_particles_read_turning(p, spins[round], NULL), TACT_OK);
    }
    FIGURE("a ball: at %.5f %.5f, spin %.5f; a grain: %.5f %.5f, %.5f\n", (double)got[1][0], (double)got[1][1],
           (double)spins[1][2], (double)got[0][0], (double)got[0][1], (double)spins[0][2]);
    for (int k = 0; k < 3; ++k)
        assert_true(fabsf(got[0][k] - got[1][k]) < 1e-4f && fabsf(spins[0][k] - spins[1][k]) < 1e-3f);
    assert_true(spins[0][2] < -0.5f);
}

/// Rods in a box: they come to rest, whole, and the energy is accounted for on the way.
TEST(rods_come_to_rest_and_lose_no_energy_unseen)
{
    enum { RODS = 60 };
    const float three[9] = {-0.3f, 0, 0, 0, 0, 0, 0.3f, 0, 0}, radii[3] = {0.2f, 0.2f, 0.2f};
    const tact_clump_shape shape = {.positions = three, .radii = radii, .count = 3};
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS,
                                      .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
                                      .domain = {{0, 0, 0}, {3, 8, 3}},
                                      .gravity = {0, -gravity, 0}};
    const tact_grain_law law = {.stiffness = 1e6f,
                                .shear = 3e5f,
                                .restitution = 0.3f,
                                .tangential_damping = 0.1f,
                                .friction = 0.6f,
                                .rolling_friction = 0.02f};
    float x[3 * RODS], v[3 * RODS], q[4 * RODS];
    test_random r = {12};
    for (size_t i = 0; i < RODS; ++i) {
        const float at[3] = {0.6f + 0.9f * (float)(i % 3), 0.6f + 0.9f * (float)(i / 9),
                             0.6f + 0.9f * (float)(i / 3 % 3)};
        float square = 0.0f;
        for (size_t k = 0; k < 4; ++k) {
            q[4 * i + k] = test_random_signed(&r);
            square += q[4 * i + k] * q[4 * i + k];
        }
        for (size_t k = 0; k < 4; ++k)
            q[4 * i + k] /= sqrtf(square);
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = at[k];
            v[3 * i + k] = 2.0f * test_random_signed(&r);
        }
    }
    tact_particles* p = make(&desc);
    const tact_clump_arrays how = {.positions = x, .velocities = v, .orientations = q};
    assert_int_equal(tact_particles_set_law(p, 0, 0, &law), TACT_OK);
    assert_int_equal(tact_particles_add_clumps(p, &shape, &how, RODS, NULL), TACT_OK);
    const float dt = 0.25f * tact_particles_stable_step(p);
    tact_particle_totals t = totals_of(p), begin = t;
    const double start = t.kinetic_energy + t.rotational_energy + t.elastic_energy;
    double gained = 0.0, lost = 0.0;
    for (int k = 0; k < 6000; ++k) {
        step(p, dt, 1, 1);
        const tact_particle_totals now = totals_of(p);
        gained += 0.5 * (double)dt * (t.external_power + now.external_power);
        lost += 0.5 * (double)dt * (t.dissipated_power + now.dissipated_power);
        t = now;
    }
    const double kept = t.kinetic_energy + t.rotational_energy + t.elastic_energy, turned = fabs(gained) + lost + start;
    FIGURE("rods fall: %.1f J, %.1f gained, %.1f lost, %.1f left: off by %.2f %% of what is turned over\n", start,
           gained, lost, kept, 100.0 * fabs(start + gained - lost - kept) / turned);
    assert_true(fabs(start + gained - lost - kept) < 0.02 * turned);
    assert_true(near(t.mass, begin.mass, 1e-12));
    step(p, 4.0f * dt, 1, 40000);
    t = totals_of(p);
    FIGURE("and later: %.2g J, fastest %.2g m/s\n", t.kinetic_energy + t.rotational_energy, t.largest_speed);
    assert_true(t.largest_speed < 1e-2);
    // All spheres are where their clumps have them.
    float places[3 * RODS], spheres[9 * RODS];
    uint32_t ids[RODS], members[3];
    size_t count = 0;
    float speeds[9 * RODS];
    const tact_clump_output out = {.ids = ids, .positions = places};
    assert_int_equal(tact_particles_read_clumps(p, &out), TACT_OK);
    read_state(p, spheres, speeds);
    double off = 0.0;
    for (size_t i = 0; i < RODS; ++i) {
        assert_int_equal(tact_particles_clump_spheres(p, ids[i], members, 3, &count), TACT_OK);
        for (size_t k = 0; k < 3; ++k)
            off = fmax(off, fabs((double)spheres[3 * members[1] + k] - (double)places[3 * i + k]));
    }
    FIGURE("middle spheres within %.2g m of their clumps' centres\n", off);
    assert_true(off < 2e-6);
}

TEST(bad_calls_are_refused)
{
    tact_particles* p = make(&empty_space);
    tact_clump_shape shape = {.positions = rod, .radii = rod_radii, .count = 2};
    const tact_clump_arrays how = {.positions = origin};
    tact_clump_measures m;
    uint32_t id = 77;
    size_t count = 5;
    shape.count = 0;
    assert_int_equal(tact_clump_measure(context, &shape, &m), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add_clumps(p, &shape, &how, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    shape.count = 2;
    const float bad_radii[2] = {0.25f, -1.0f}, wide_radii[2] = {0.25f, 0.01f}, flat[6] = {1, 1, 0, 0, 0, 0};
    const float odd[4] = {1, 1, 0, 0}, nowhere[3] = {0, NAN, 0};
    shape.radii = bad_radii;
    assert_int_equal(tact_clump_measure(context, &shape, &m), TACT_ERROR_INVALID_ARGUMENT);
    // One system has no radii that far apart.
    shape.radii = wide_radii;
    assert_int_equal(tact_clump_measure(context, &shape, &m), TACT_OK);
    assert_int_equal(tact_particles_add_clumps(p, &shape, &how, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    shape.radii = rod_radii;
    shape.inertia = flat;
    assert_int_equal(tact_clump_measure(context, &shape, &m), TACT_ERROR_INVALID_ARGUMENT);
    shape.inertia = NULL;
    shape.mass = INFINITY;
    assert_int_equal(tact_clump_measure(context, &shape, &m), TACT_ERROR_INVALID_ARGUMENT);
    shape.mass = 0.0f;
    shape.material = 3;
    assert_int_equal(tact_particles_add_clumps(p, &shape, &how, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    shape.material = 0;
    assert_int_equal(tact_particles_add_clumps(p, &shape, &(tact_clump_arrays){.positions = nowhere}, 1, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        tact_particles_add_clumps(p, &shape, &(tact_clump_arrays){.positions = origin, .orientations = odd}, 1, NULL),
        TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add_clumps(p, &shape, &how, SIZE_MAX / 4, NULL), TACT_ERROR_LIMIT);
    assert_true(tact_particles_count(p) == 0 && tact_particles_clump_count(p) == 0);
    assert_int_equal(tact_particles_clump_spheres(p, 0, &id, 1, &count), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_remove_clumps(p, &id, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add_clumps(p, &shape, &how, 1, &id), TACT_OK);
    assert_int_equal(id, 0);
    assert_int_equal(tact_particles_write_clumps(p, NULL, 2, &how), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_clumps(p, NULL, 1, &(tact_clump_arrays){.positions = nowhere}),
                     TACT_ERROR_INVALID_ARGUMENT);
    // Other responses do not turn.
    tact_particles* springs = make(&(tact_particles_desc){.response = TACT_RESPONSE_SPRING});
    assert_int_equal(tact_particles_add_clumps(springs, &shape, &how, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_read_clumps(springs, &(tact_clump_output){.ids = &id}),
                     TACT_ERROR_INVALID_ARGUMENT);
    // A clump that would meet itself a period on.
    const tact_particles_desc narrow = {.response = TACT_RESPONSE_GRAINS,
                                        .boundary = {TACT_BOUNDARY_PERIODIC},
                                        .domain = {{-1, -1, -1}, {0.55f, 1, 1}},
                                        .max_radius = 0.25f};
    tact_particles* q = make(&narrow);
    assert_int_equal(tact_particles_add_clumps(q, &shape, &how, 1, NULL), TACT_OK);
    const float longer[6] = {-0.6f, 0.0f, 0.0f, 0.6f, 0.0f, 0.0f};
    shape.positions = longer;
    assert_int_equal(tact_particles_add_clumps(q, &shape, &how, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_host_context, close_context);
}
