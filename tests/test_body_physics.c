// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies that move as grains against formulas: impacts flat and on a corner, free rotation, sliding, rolling, tipping,
// stacks, energy; and a ball beside a grain. `print` as argument prints what is compared. test_body_grains compares
// states.
#include "tests/support/run.h"

#include <math.h>

#include "tact/particle_bodies.h"
#include "tests/support/body_lab.h"
#include "tests/support/particle_lab.h"

static const float half_turn = 0.70710678f;

/// A law whose contacts of bodies of about a kilogram take some hundredths of a second.
static tact_grain_law law_of(float restitution, float friction)
{
    return (tact_grain_law){.springs = TACT_GRAIN_LINEAR,
                            .stiffness = 1e5f,
                            .shear = 3e4f,
                            .restitution = restitution,
                            .tangential_damping = 0.1f,
                            .friction = friction};
}

static void end_grains(void* grains)
{
    tact_body_grains_destroy(grains);
}

/// A set whose bodies move, with its own shapes.
typedef struct lab_set {
    tact_bodies* set;
    tact_body_grains* grains;
} lab_set;

static lab_set new_lab_of(const tact_body_grains_desc* desc)
{
    lab_set s = {.set = new_body_set()};
    expect_good(tact_body_grains_create(s.set, desc, &s.grains));
    at_end(end_grains, s.grains);
    return s;
}

static lab_set new_lab(tact_grain_law law, tact_vec3 fall)
{
    return new_lab_of(&(tact_body_grains_desc){.gravity = fall, .law = law});
}

static const tact_body_matter* const fixed = &(tact_body_matter){.mass = INFINITY};

static uint32_t put(lab_set s, const tact_body_shape* shape, tact_pose pose, const tact_body_matter* matter)
{
    tact_body body = {.pose = pose};
    uint32_t id = 0;
    expect_good(tact_bodies_add_shape(s.set, shape, &body.shape));
    expect_good(tact_bodies_add(s.set, &body, 1, &id));
    expect_good(tact_body_grains_set_matter(s.grains, &id, 1, matter, false));
    return id;
}

/// A floor, y <= 0, turned about z.
static void put_floor(lab_set s, double angle)
{
    const tact_quat q = {0.0f, 0.0f, (float)sin(0.5 * angle), (float)cos(0.5 * angle)};
    put(s, &(tact_body_shape){.kind = TACT_BODY_HALF_SPACE}, (tact_pose){.rotation = q}, fixed);
}

static void take(lab_set s, double seconds)
{
    const double size = 0.5 * (double)tact_body_grains_stable_step(s.grains);
    const uint32_t substeps = (uint32_t)ceil(seconds / size / 64.0);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    expect_good(tact_body_grains_step(s.grains, (float)(seconds / 64.0), substeps, 64, &options, NULL));
}

static tact_pose pose_of(lab_set s, uint32_t id)
{
    tact_body body;
    expect_good(tact_bodies_get(s.set, id, &body));
    return body.pose;
}

typedef struct motion {
    float v[3], w[3], force[3], torque[3];
} motion;

static motion motion_of(lab_set s, uint32_t id)
{
    motion m;
    const tact_body_grain_arrays arrays = {m.v, m.w, m.force, m.torque, {0}};
    expect_good(tact_body_grains_read(s.grains, &id, 1, &arrays));
    return m;
}

static double energy_of(lab_set s, tact_body_grains_totals* t)
{
    expect_good(tact_body_grains_measure(s.grains, t));
    return t->kinetic_energy + t->rotational_energy + t->elastic_energy + t->potential_energy + t->dissipated_energy -
           t->work;
}

static bool near(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

static const tact_vec3 none = {0.0f, 0.0f, 0.0f}, down = {0.0f, -9.81f, 0.0f};

// ---- Impacts ----

TEST(a_box_that_falls_flat_bounces_by_its_restitution)
{
    const float restitutions[] = {1.0f, 0.8f, 0.5f, 0.2f};
    for (int i = 0; i < 4; ++i) {
        const lab_set s = new_lab(law_of(restitutions[i], 0.0f), none);
        put_floor(s, 0.0);
        const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.05f, 0.05f, 0.05f}},
                                (tact_pose){.y = 0.0501}, &(tact_body_matter){.density = 1000.0f});
        expect_good(tact_body_grains_write(s.grains, &id, 1, (float[]){0, -1, 0}, NULL));
        take(s, 0.1);
        const motion m = motion_of(s, id);
        FIGURE("flat box: restitution %g asked, %g\n", (double)restitutions[i], (double)m.v[1]);
        assert_true(fabs((double)m.v[1] - (double)restitutions[i]) < 0.012);
        assert_true(fabsf(m.w[0]) + fabsf(m.w[1]) + fabsf(m.w[2]) < 1e-3f);
    }
}

/// A bar that falls on one end: the impulse of Newton's law at the point, J = (1 + e) v / (1 / m + r^2 / I).
TEST(a_bar_that_falls_on_an_end_goes_on_as_the_impulse_says)
{
    const double angles[] = {0.3, 0.7, 1.1}, e = 0.6, v = 1.0;
    for (int i = 0; i < 3; ++i) {
        const lab_set s = new_lab(law_of((float)e, 0.0f), none);
        put_floor(s, 0.0);
        const double a = angles[i], length = 0.1, thin = 0.01;
        const tact_body_shape capsule = {
            .kind = TACT_BODY_CAPSULE, .radius = (float)thin, .half = {0.0f, (float)length, 0.0f}};
        const double inertia[6] = {2e-3, 1e-5, 2e-3, 0, 0, 0};
        const tact_body_matter matter = {.mass = 0.5f, .inertia = inertia};
        const tact_quat q = {0.0f, 0.0f, (float)sin(0.5 * a), (float)cos(0.5 * a)};
        const uint32_t id = put(s, &capsule, (tact_pose){.y = length * cos(a) + thin + 1e-4, .rotation = q}, &matter);
        expect_good(tact_body_grains_write(s.grains, &id, 1, (float[]){0, (float)-v, 0}, NULL));
        take(s, 0.02);
        const motion m = motion_of(s, id);
        // The lower end lies at (sin a, -cos a) times the length.
        const double arm = length * sin(a), give = 1.0 / 0.5 + arm * arm / 2e-3, impulse = (1.0 + e) * v / give;
        const double vy = -v + impulse / 0.5, wz = arm * impulse / 2e-3;
        FIGURE("bar at %g: velocity %g, by the impulse %g; spin %g, %g\n", a, (double)m.v[1], vy, (double)m.w[2], wz);
        assert_true(fabs((double)m.v[1] - vy) < 0.02 && fabs((double)m.w[2] - wz) < 0.02 * fabs(wz));
    }
}

// ---- Free motion ----

TEST(a_free_box_keeps_energy_and_momentum)
{
    const lab_set s = new_lab(law_of(0.5f, 0.5f), none);
    const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.2f, 0.1f, 0.05f}},
                            (tact_pose){.rotation = {0.1f, 0.2f, 0.3f, 0.9f}}, &(tact_body_matter){.density = 800.0f});
    // About the middle axis, nearly, which is unstable.
    expect_good(tact_body_grains_write(s.grains, &id, 1, (float[]){1, 2, 3}, (float[]){0.1f, 6.0f, 0.1f}));
    tact_body_grains_totals before, after;
    expect_good(tact_body_grains_measure(s.grains, &before));
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    expect_good(tact_body_grains_step(s.grains, 0.01f, 10, 2000, &options, NULL));
    expect_good(tact_body_grains_measure(s.grains, &after));
    const double part = after.rotational_energy / before.rotational_energy - 1.0;
    FIGURE("tumbling for 20 s: rotational energy off by %g\n", part);
    assert_true(fabs(part) < 1e-4);
    assert_true(after.kinetic_energy == before.kinetic_energy);
    const tact_pose pose = pose_of(s, id);
    assert_true(fabs(pose.x - 20.0) < 1e-3 && fabs(pose.y - 40.0) < 1e-3 && fabs(pose.z - 60.0) < 1e-3);
}

/// A body whose centre of mass is off its position: that goes straight, and the position around it.
TEST(a_body_turns_about_its_centre_of_mass)
{
    const lab_set s = new_lab(law_of(0.5f, 0.5f), none);
    const double center[3] = {0.1, -0.05, 0.02};
    const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.2f, 0.1f, 0.05f}},
                            (tact_pose){.x = 5.0, .rotation = {0.1f, 0.2f, 0.3f, 0.9f}},
                            &(tact_body_matter){.density = 800.0f, .center = center});
    expect_good(tact_body_grains_write(s.grains, &id, 1, (float[]){1, 2, 3}, (float[]){2.0f, 3.0f, -4.0f}));
    expect_good(tact_body_grains_set_forces(s.grains, &id, 1, (float[]){0.0f, 16.0f, 0.0f}, (float[]){0, 0, 0.5f}));
    tact_body_grains_totals before, after;
    double at[2][3];
    for (int round = 0; round < 2; ++round) {
        const tact_pose pose = pose_of(s, id);
        const double q[3] = {(double)pose.rotation.x, (double)pose.rotation.y, (double)pose.rotation.z};
        const double w = (double)pose.rotation.w, place[3] = {pose.x, pose.y, pose.z};
        double turned[3];
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            turned[k] = 2.0 * (q[l] * center[m] - q[m] * center[l]);
        }
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            at[round][k] = place[k] + center[k] + w * turned[k] + (q[l] * turned[m] - q[m] * turned[l]);
        }
        expect_good(tact_body_grains_measure(s.grains, round == 0 ? &before : &after));
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        if (round == 0) expect_good(tact_body_grains_step(s.grains, 0.001f, 4, 1000, &options, NULL));
    }
    // 6.4 kg: 2.5 m/s^2.
    const double way[3] = {1.0, 2.0 + 0.5 * 2.5, 3.0};
    double off = 0.0;
    for (int k = 0; k < 3; ++k)
        off = fmax(off, fabs(at[1][k] - at[0][k] - way[k]));
    const double gained =
        after.kinetic_energy + after.rotational_energy - before.kinetic_energy - before.rotational_energy;
    FIGURE("off its centre: way off by %g in a second; work %g, energy gained %g\n", off, after.work, gained);
    assert_true(off < 1e-3 && after.work > 40.0 && fabs(after.work - gained) < 1e-3 * after.work);
}

TEST(drag_takes_energy)
{
    const lab_set s = new_lab_of(&(tact_body_grains_desc){.drag = 0.5f, .law = law_of(0.5f, 0.5f)});
    const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 0.1f}, (tact_pose){0},
                            &(tact_body_matter){.mass = 2.0f});
    expect_good(tact_body_grains_write(s.grains, &id, 1, (float[]){3.0f, 0.0f, 0.0f}, NULL));
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    expect_good(tact_body_grains_step(s.grains, 0.001f, 1, 1000, &options, NULL));
    tact_body_grains_totals t;
    expect_good(tact_body_grains_measure(s.grains, &t));
    assert_true(near(t.kinetic_energy, 9.0 * exp(-1.0), 0.001));
    assert_true(near(t.dissipated_energy, 9.0 - t.kinetic_energy, 0.002));
}

// ---- Friction ----

static const double box_half = 0.1;

/// How far and fast a box has slid down a floor at an angle after a second.
static void slide(double angle, float friction, double* way, double* speed)
{
    tact_grain_law law = law_of(0.3f, friction);
    law.tangential_damping = 0.5f;
    const lab_set s = new_lab(law, down);
    put_floor(s, angle);
    const float h = (float)box_half;
    // As deep as it rests.
    const double high = box_half - 8.0 * 9.81 * cos(angle) / (4.0 * 1e5);
    const tact_quat q = {0.0f, 0.0f, (float)sin(0.5 * angle), (float)cos(0.5 * angle)};
    const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {h, h, h}},
                            (tact_pose){.x = -sin(angle) * high, .y = cos(angle) * high, .rotation = q},
                            &(tact_body_matter){.mass = 8.0f});
    take(s, 0.5);
    const tact_pose first = pose_of(s, id);
    const motion v = motion_of(s, id);
    take(s, 1.0);
    const tact_pose last = pose_of(s, id);
    const motion m = motion_of(s, id);
    *way = (last.x - first.x) * cos(angle) + (last.y - first.y) * sin(angle);
    *speed = ((double)m.v[0] - (double)v.v[0]) * cos(angle) + ((double)m.v[1] - (double)v.v[1]) * sin(angle);
}

TEST(a_box_on_a_slope_stands_or_slides_by_coulomb)
{
    double way, speed;
    slide(0.35, 0.4f, &way, &speed);  // tan 0.35 = 0.365
    FIGURE("below the angle of friction: moves by %g in a second\n", way);
    assert_true(fabs(way) < 1e-5);
    slide(0.45, 0.4f, &way, &speed);  // tan 0.45 = 0.483
    const double wanted = -9.81 * (sin(0.45) - 0.4 * cos(0.45));
    FIGURE("above it: accelerates by %g, by the formula %g\n", speed, wanted);
    assert_true(fabs(speed - wanted) < 0.005 * fabs(wanted));
}

/// A capsule across a slope rolls without slipping: a = g sin / (1 + I / (m r^2)).
TEST(a_capsule_rolls_down_a_slope)
{
    const lab_set s = new_lab(law_of(0.3f, 1.0f), down);
    const double angle = 0.2, r = 0.05;
    put_floor(s, angle);
    // Its axis along z.
    const double inertia[6] = {0.02, 0.002, 0.02, 0, 0, 0}, high = r - 9.81 * cos(angle) * 2.0 / (2.0 * 1e5);
    const uint32_t id = put(
        s, &(tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = (float)r, .half = {0, 0.1f, 0}},
        (tact_pose){.x = -sin(angle) * high, .y = cos(angle) * high, .rotation = {half_turn, 0.0f, 0.0f, half_turn}},
        &(tact_body_matter){.mass = 2.0f, .inertia = inertia});
    take(s, 0.3);
    const motion v = motion_of(s, id);
    take(s, 1.0);
    const motion m = motion_of(s, id);
    const double a = ((double)v.v[0] - (double)m.v[0]) / cos(angle),
                 wanted = 9.81 * sin(angle) / (1.0 + 0.002 / (2.0 * r * r));
    FIGURE("rolling: accelerates by %g, by the formula %g; spin by speed %g\n", a, wanted,
           (double)m.w[2] * r / hypot((double)m.v[0], (double)m.v[1]));
    assert_true(fabs(a - wanted) < 0.01 * wanted);
}

/// A slab that stands upright falls over where its centre of mass is beyond its edge.
TEST(a_slab_tips_where_its_centre_is_beyond_its_edge)
{
    const double leans[2] = {0.22, 0.28};  // atan(0.05 / 0.2) = 0.245
    for (int i = 0; i < 2; ++i) {
        const lab_set s = new_lab(law_of(0.2f, 2.0f), down);
        put_floor(s, leans[i]);
        const double high = 0.2 - 1e-5;
        const tact_quat q = {0.0f, 0.0f, (float)sin(0.5 * leans[i]), (float)cos(0.5 * leans[i])};
        const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.05f, 0.2f, 0.05f}},
                                (tact_pose){.x = -sin(leans[i]) * high, .y = cos(leans[i]) * high, .rotation = q},
                                &(tact_body_matter){.density = 1000.0f});
        take(s, 2.0);
        const tact_quat after = pose_of(s, id).rotation;
        const double leant = 2.0 * atan2((double)after.z, (double)after.w);
        FIGURE("a slab on a slope of %g: leans by %g after 2 s\n", leans[i], leant);
        assert_true(i == 0 ? fabs(leant - leans[i]) < 0.01 : leant > 1.2);
    }
}

// ---- Many ----

TEST(a_stack_stands)
{
    enum { BOXES = 6 };
    tact_grain_law law = law_of(0.1f, 0.6f);
    law.stiffness = 5e5f;
    law.shear = 1.5e5f;
    law.tangential_damping = 0.5f;
    const lab_set s = new_lab(law, down);
    put_floor(s, 0.0);
    uint32_t ids[BOXES];
    for (int i = 0; i < BOXES; ++i)
        ids[i] = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.1f, 0.05f, 0.1f}},
                     (tact_pose){.x = i % 2 * 0.01, .y = 0.05 + 0.1 * i}, &(tact_body_matter){.density = 1000.0f});
    take(s, 2.5);
    tact_pose before[BOXES];
    for (int i = 0; i < BOXES; ++i)
        before[i] = pose_of(s, ids[i]);
    take(s, 2.5);
    double most = 0.0;
    for (int i = 0; i < BOXES; ++i) {
        const tact_pose now = pose_of(s, ids[i]);
        most = fmax(most, hypot(hypot(now.x - before[i].x, now.y - before[i].y), now.z - before[i].z));
    }
    tact_body_grains_totals t;
    energy_of(s, &t);
    // The weight of all on the lowest is 40 kg m/s^2 a box.
    FIGURE("a stack of six: creep by %g in 2.5 s; kinetic energy %g; deepest %g, by the weight %g\n", most,
           t.kinetic_energy + t.rotational_energy, t.deepest, 24.0 * 9.81 / (4.0 * 5e5));
    assert_true(most < 1e-6 && t.kinetic_energy + t.rotational_energy < 1e-8);
    assert_true(t.points == 4 * BOXES);
}

TEST(energy_is_accounted_for)
{
    const float frictions[2] = {0.0f, 0.5f};
    for (int round = 0; round < 6; ++round) {
        tact_grain_law law = law_of(round < 2 ? 1.0f : 0.5f, frictions[round % 2]);
        // With a dashpot along the surface springs are drawn against the slip, which is lost when a contact ends.
        law.tangential_damping = round < 4 ? 0.0f : 0.5f;
        const lab_set s = new_lab(law, down);
        put_floor(s, 0.0);
        for (int i = 0; i < 27; ++i)
            put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.05f, 0.07f, 0.04f}},
                (tact_pose){.x = i % 3 * 0.2 + i / 9 * 0.05,
                            .y = 0.3 + i / 9 * 0.2,
                            .z = i / 3 % 3 * 0.2,
                            .rotation = {0.1f * (float)(i % 4), 0.2f, 0.1f * (float)(i % 5), 0.8f}},
                &(tact_body_matter){.density = 1000.0f});
        tact_body_grains_totals t;
        const double before = energy_of(s, &t);
        take(s, 1.0);
        const double after = energy_of(s, &t);
        FIGURE("27 boxes, e %g, friction %g: %g J of %g, dissipated %g, elastic %g, kinetic %g\n",
               (double)law.restitution, (double)law.friction, after - before, before, t.dissipated_energy,
               t.elastic_energy, t.kinetic_energy + t.rotational_energy);
        assert_true(fabs(after - before) < 0.02 * before);
        if (round > 0) assert_true(t.dissipated_energy > 0.05 * before);
        assert_int_equal(t.slowed, 0);
    }
}

/// The work of what moves by itself and of forces.
TEST(work_is_what_walls_and_forces_do)
{
    const lab_set s = new_lab(law_of(0.5f, 0.5f), down);
    const uint32_t floor =
        put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {1.0f, 0.1f, 1.0f}}, (tact_pose){.y = -0.1}, fixed);
    const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.1f, 0.1f, 0.1f}},
                            (tact_pose){.y = 0.1 - 8.0 * 9.81 / (4.0 * 1e5)}, &(tact_body_matter){.mass = 8.0f});
    take(s, 1.0);
    tact_body_grains_totals t;
    const double before = energy_of(s, &t);
    expect_good(tact_body_grains_write(s.grains, &floor, 1, (float[]){0.0f, 0.5f, 0.0f}, NULL));
    expect_good(tact_body_grains_set_forces(s.grains, &id, 1, (float[]){10.0f, 0, 0}, NULL));
    take(s, 1.0);
    const double after = energy_of(s, &t);
    FIGURE("lifted by half a metre: work %g, by the formula %g; account off by %g\n", t.work, 8.0 * (9.81 * 0.5 + 0.25),
           after - before);
    // The jolt at first gives as much kinetic energy, and as much to the dashpots.
    assert_true(fabs(t.work - 8.0 * (9.81 * 0.5 + 0.25)) < 0.02 * t.work && fabs(after - before) < 0.01 * t.work);
    assert_true(fabs(pose_of(s, id).y - 0.6) < 2e-3 && fabs(pose_of(s, id).x) < 5e-3);
    assert_true(fabs((double)motion_of(s, floor).force[1] + 8.0 * 9.81) < 0.5);
}

// ---- Speed ----

/// Plates a hundredth thick that would be past each other in a substep.
TEST(nothing_passes_through_anything_unseen)
{
    tact_grain_law law = law_of(0.5f, 0.2f);
    law.stiffness = 2e10f;
    const lab_set s = new_lab(law, none);
    const tact_body_shape plate = {.kind = TACT_BODY_BOX, .half = {0.5f, 0.005f, 0.5f}};
    const tact_body_matter matter = {.density = 1000.0f};
    const uint32_t a = put(s, &plate, (tact_pose){.y = 0.3}, &matter);
    const uint32_t b = put(s, &plate, (tact_pose){.y = -0.3, .rotation = {0.0f, 0.3f, 0.0f, 1.0f}}, &matter);
    expect_good(tact_body_grains_write(s.grains, &a, 1, (float[]){0, -5000, 0}, NULL));
    expect_good(tact_body_grains_write(s.grains, &b, 1, (float[]){0, 5000, 0}, NULL));
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    double apart = 0.0;
    for (int i = 0; i < 400; ++i) {
        expect_good(tact_body_grains_step(s.grains, 1e-5f, 1, 1, &options, NULL));
        const double y[2] = {pose_of(s, a).y, pose_of(s, b).y};
        assert_true(y[0] > y[1]);
        apart = y[0] - y[1];
    }
    tact_body_grains_totals t;
    expect_good(tact_body_grains_measure(s.grains, &t));
    FIGURE("plates at 5,000 m/s: slowed %llu times, in the end %g apart\n", (unsigned long long)t.slowed, apart);
    assert_true(t.slowed >= 2);
    assert_true(motion_of(s, a).v[1] > 0.0f && motion_of(s, b).v[1] < 0.0f);
}

// ---- A ball beside a grain ----

TEST(a_ball_moves_as_a_grain_does)
{
    tact_grain_law law = {.springs = TACT_GRAIN_HERTZ,
                          .stiffness = 1e7f,
                          .shear = 8e6f,
                          .restitution = 0.7f,
                          .friction = 0.3f,
                          .rolling_friction = 0.02f,
                          .twisting_friction = 0.01f};
    const lab_set s = new_lab(law, down);
    put_floor(s, 0.0);
    const uint32_t id = put(s, &(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 0.05f},
                            (tact_pose){.x = 1.0, .y = 0.06}, &(tact_body_matter){.density = 2500.0f});
    const float v[3] = {2.0f, -1.0f, 0.5f}, w[3] = {3.0f, 20.0f, -5.0f}, x[3] = {1.0f, 0.06f, 0.0f}, radius = 0.05f;
    expect_good(tact_body_grains_write(s.grains, &id, 1, v, w));
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS, .gravity = down, .max_radius = 0.05f};
    tact_particles* p = make(&desc);
    expect_good(tact_particles_set_law(p, 0, 0, &law));
    expect_good(tact_particles_add_collider(
        p, &(tact_collider){.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0.0f, 1.0f, 0.0f}, 0.0f}}, NULL));
    const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radii = &radius, .density = 2500.0f};
    uint32_t grain = 0;
    expect_good(tact_particles_add(p, &arrays, 1, &grain));
    expect_good(tact_particles_write_turning(p, &grain, 1, w, NULL));
    const float dt = 1e-5f;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    for (int round = 0; round < 3; ++round) {
        expect_good(tact_body_grains_step(s.grains, 100 * dt, 100, 30, &options, NULL));
        expect_good(tact_particles_step(p, 100 * dt, 100, 30, &options, NULL));
        const motion m = motion_of(s, id);
        float position[3], velocity[3], spin[3];
        expect_good(tact_particles_read(p, &(tact_particle_output){.positions = position, .velocities = velocity}));
        expect_good(tact_particles_read_turning(p, spin, NULL));
        const tact_pose pose = pose_of(s, id);
        double off = 0.0, turning = 0.0;
        for (int k = 0; k < 3; ++k) {
            off = fmax(off, fabs((double)m.v[k] - (double)velocity[k]));
            turning = fmax(turning, fabs((double)m.w[k] - (double)spin[k]));
        }
        FIGURE("a ball beside a grain: velocities apart by %g, spins by %g, places by %g\n", off, turning,
               fabs(pose.x - (double)position[0]));
        assert_true(off < 1e-3 && turning < 0.06 && fabs(pose.x - (double)position[0]) < 1e-3);
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_host_context, close_context);
}
