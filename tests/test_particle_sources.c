// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Emitters and sinks: when, where and how many.
#include "tests/support/run.h"

#include "tests/support/objects.h"
#include "tests/support/test_context.h"

/// Particles that do not touch each other, without gravity.
static tact_particles* make(tact_boundary boundary)
{
    const tact_particles_desc desc = {.response = TACT_RESPONSE_NONE,
                                      .boundary = {boundary, boundary, boundary},
                                      .domain = {{-10, -10, -10}, {10, 10, 10}},
                                      .speed_limit = 1e6f};
    return KEEP(new_particles(context, &desc));
}

static void step(tact_particles* p, float dt, uint32_t steps)
{
    const tact_result result = tact_particles_step(p, dt, 1, steps, NULL, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

static void add(tact_particles* p, tact_emitter e)
{
    const tact_result result = tact_particles_add_emitter(p, &e, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

enum { MOST = 4096 };

typedef struct places {
    size_t count;
    uint32_t ids[MOST];
    float x[3 * MOST], v[3 * MOST], radii[MOST], masses[MOST];
} places;

static places read_all(tact_particles* p)
{
    static places a;
    a.count = tact_particles_count(p);
    assert_true(a.count <= MOST);
    const tact_particle_output out = {
        .ids = a.ids, .positions = a.x, .velocities = a.v, .radii = a.radii, .masses = a.masses};
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
    return a;
}

TEST(sheets_come_when_they_are_due)
{
    // One particle each 0.5 s: a point that shoots down at 1 m/s, spaced by 0.5.
    const tact_emitter e = {.velocity = {0, -1, 0}, .spacing = 0.5f, .radius = 0.25f};
    tact_particles* p = make(TACT_BOUNDARY_OPEN);
    add(p, e);
    const size_t expected[] = {1, 1, 2, 2, 3, 3, 4};
    for (size_t i = 0; i < 7; ++i) {
        step(p, 0.25f, 1);
        assert_int_equal(tact_particles_count(p), expected[i]);
    }
    places a = read_all(p);
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(a.ids[i], i);
        assert_true(a.x[3 * i + 1] == -1.75f + 0.5f * (float)i && a.radii[i] == 0.25f);
    }
    // Steps that are longer than the interval: several at once, each moved on by what it missed.
    p = make(TACT_BOUNDARY_OPEN);
    add(p, e);
    step(p, 1.125f, 3);
    a = read_all(p);
    assert_int_equal(a.count, 5);  // due at 0, 0.5, 1, 1.5, 2; the third step begins at 2.25
    for (size_t i = 0; i < 5; ++i)
        assert_true(fabsf(a.x[3 * i + 1] - (-3.375f + 0.5f * (float)i)) < 1e-6f);
}

TEST(start_stop_and_limit_hold)
{
    tact_particles* p = make(TACT_BOUNDARY_OPEN);
    const tact_emitter e = {.velocity = {0, -1, 0}, .interval = 0.125f, .start = 0.5, .stop = 1.0};
    add(p, e);
    step(p, 0.125f, 4);
    assert_int_equal(tact_particles_count(p), 0);
    step(p, 0.125f, 1);
    assert_int_equal(tact_particles_count(p), 1);
    step(p, 0.125f, 20);
    assert_int_equal(tact_particles_count(p), 4);
    // Added late: from now on, not from the start of time. The limit cuts a sheet short.
    const tact_emitter late = {.edge = {{2, 0, 0}, {0, 0, 0}}, .spacing = 1.0f, .interval = 0.125f, .limit = 10};
    add(p, late);
    step(p, 0.125f, 1);
    assert_int_equal(tact_particles_count(p), 4 + 3);
    step(p, 0.125f, 20);
    assert_int_equal(tact_particles_count(p), 4 + 10);
    // More allowed.
    tact_emitter more = late;
    more.limit = 11;
    assert_int_equal(tact_particles_set_emitter(p, 1, &more), TACT_OK);
    step(p, 0.125f, 3);
    assert_int_equal(tact_particles_count(p), 4 + 11);
    assert_int_equal(tact_particles_set_emitter(p, 2, &more), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(an_emitter_can_be_changed_at_every_step)
{
    tact_particles* p = make(TACT_BOUNDARY_OPEN);
    tact_emitter e = {.velocity = {0, -1, 0}, .interval = 1.0f};
    add(p, e);
    for (int i = 0; i < 64; ++i) {
        e.corner.x = 0.25f * (float)i;
        assert_int_equal(tact_particles_set_emitter(p, 0, &e), TACT_OK);
        step(p, 0.0625f, 1);
    }
    assert_int_equal(tact_particles_count(p), 4);
    // A shorter interval counts at once.
    e.interval = 0.125f;
    assert_int_equal(tact_particles_set_emitter(p, 0, &e), TACT_OK);
    step(p, 0.0625f, 3);
    assert_int_equal(tact_particles_count(p), 6);
}

static double distance(const places* a, size_t i, size_t k)
{
    double sum = 0.0;
    for (size_t axis = 0; axis < 3; ++axis) {
        const double d = (double)a->x[3 * i + axis] - (double)a->x[3 * k + axis];
        sum += d * d;
    }
    return sqrt(sum);
}

TEST(particles_of_a_sheet_do_not_overlap)
{
    const tact_vec3 edges[4][2] = {
        {{6, 0, 0}, {0, 0, 4}}, {{6, 0, 0}, {3, 1, 4}}, {{0, 0, 0}, {0, 3, 4}}, {{3, 3, 0}, {-6, -6, 0}}};
    const size_t expected[4] = {13 * 9, 13 * 9, 11, 9};
    for (size_t i = 0; i < 4; ++i) {
        for (uint32_t seed = 0; seed < 5; ++seed) {
            tact_particles* p = make(TACT_BOUNDARY_WALL);
            const tact_emitter e = {.corner = {1, 0, 1},
                                    .edge = {edges[i][0], edges[i][1]},
                                    .velocity = {1, -7, 2},
                                    .spacing = 0.5f,
                                    .jitter = 1.0f,
                                    .radius = 0.2f,
                                    .smallest = 0.05f,
                                    .density = 700,
                                    .seed = seed};
            add(p, e);
            step(p, 1e-6f, 1);
            const places a = read_all(p);
            assert_int_equal(a.count, expected[i]);
            float least = 1, most = 0;
            for (size_t k = 0; k < a.count; ++k) {
                for (size_t l = 0; l < k; ++l)
                    assert_true(distance(&a, k, l) > 0.4 - 1e-5);
                least = a.radii[k] < least ? a.radii[k] : least;
                most = a.radii[k] > most ? a.radii[k] : most;
                const double mass = 700 * 4.18879020478639 * pow((double)a.radii[k], 3);
                assert_true(fabs((double)a.masses[k] / mass - 1) < 1e-6);
                assert_true(a.v[3 * k] == 1.0f && a.v[3 * k + 1] == -7.0f);
            }
            assert_true(least >= 0.05f && most <= 0.2f && (a.count < 50 || (least < 0.06f && most > 0.19f)));
        }
    }
}

TEST(what_comes_in_depends_on_nothing_else)
{
    // Two systems, one with other particles in the way: the emitter's are the same.
    const tact_emitter e = {.edge = {{2, 0, 0}, {0, 0, 2}},
                            .velocity = {0, 2, 0},
                            .jitter = 0.5f,
                            .radius = 0.25f,
                            .smallest = 0.1f,
                            .seed = 9};
    tact_particles *p = make(TACT_BOUNDARY_OPEN), *q = make(TACT_BOUNDARY_OPEN);
    const float x[6] = {1, 0, 1, 0, 1, 0};
    assert_int_equal(tact_particles_add(q, &(tact_particle_arrays){.positions = x, .radius = 0.2f}, 2, NULL), TACT_OK);
    add(p, e);
    add(q, e);
    for (int i = 0; i < 30; ++i) {
        step(p, 0.03f, 1);
        step(q, 0.03f, 1);
    }
    static places a, b;
    a = read_all(p);
    b = read_all(q);
    assert_true(a.count > 30 && b.count == a.count + 2);
    assert_memory_equal(a.x, b.x + 6, 3 * a.count * sizeof *a.x);
    assert_memory_equal(a.radii, b.radii + 2, a.count * sizeof *a.radii);
}

TEST(late_sheets_stay_in_the_domain)
{
    for (int k = 0; k < 2; ++k) {
        tact_particles* p = make(k ? TACT_BOUNDARY_PERIODIC : TACT_BOUNDARY_WALL);
        add(p, (tact_emitter){.corner = {9, 9, 9}, .velocity = {50, -300, 1}, .radius = 0.25f, .interval = 0.01f});
        step(p, 0.5f, 4);
        const places a = read_all(p);
        assert_int_equal(a.count, 151);
        for (size_t i = 0; i < 3 * a.count; ++i)
            assert_true(a.x[i] >= -10.0f && (k ? a.x[i] < 10.0f : a.x[i] <= 10.0f));
    }
}

TEST(too_many_at_once_is_an_error)
{
    tact_particles* p = make(TACT_BOUNDARY_OPEN);
    add(p, (tact_emitter){.velocity = {0, 1, 0}, .interval = 1e-12f});
    assert_int_equal(tact_particles_step(p, 1.0f, 1, 2, NULL, NULL), TACT_ERROR_LIMIT);
    assert_non_null(strstr(tact_context_error(context), "at once"));
    // The first step stands: its sheet of one.
    assert_int_equal(tact_particles_count(p), 1);
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    assert_int_equal(info.steps, 1);
}

static void refuse(tact_particles* p, tact_emitter e)
{
    uint32_t index = 77;
    assert_int_equal(tact_particles_add_emitter(p, &e, &index), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(index, 77);
}

TEST(emitters_are_checked)
{
    tact_particles* p = make(TACT_BOUNDARY_WALL);
    const tact_emitter good = {.velocity = {0, -1, 0}, .edge = {{1, 0, 0}, {0, 0, 1}}, .radius = 0.3f};
    const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (size_t i = 0; i < 4; ++i) {
        tact_emitter e[9];
        for (int k = 0; k < 9; ++k)
            e[k] = good;
        e[0].spacing = e[1].interval = e[2].jitter = e[3].radius = e[4].smallest = e[5].density = bad[i];
        e[6].corner.x = e[7].edge[1].z = e[8].velocity.y = bad[i];
        for (int k = 0; k < (i < 3 ? 9 : 6); ++k)
            refuse(p, e[k]);
    }
    tact_emitter e = good;
    e.start = (double)NAN;
    refuse(p, e);
    e = good;
    e.stop = (double)INFINITY;
    refuse(p, e);
    e = good;
    e.spacing = 0.59f;
    refuse(p, e);
    e = good;
    e.jitter = 1.5f;
    refuse(p, e);
    e = good;
    e.smallest = 0.31f;
    refuse(p, e);
    e.smallest = 0.018f;
    refuse(p, e);
    e = good;
    e.material = 1;
    refuse(p, e);
    e = good;
    e.group = 32;
    refuse(p, e);
    e = good;
    e.edge[0].x = 11;
    refuse(p, e);
    e = good;
    e.velocity = (tact_vec3){3, 0, 4};  // within the sheet
    refuse(p, e);
    e.interval = 0.1f;
    uint32_t index = 77;
    assert_int_equal(tact_particles_add_emitter(p, &e, &index), TACT_OK);
    assert_int_equal(index, 0);
    e.radius = 10.0f;
    e.spacing = 0;
    assert_int_equal(tact_particles_set_emitter(p, 0, &e), TACT_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 1; i < TACT_MAX_EMITTERS; ++i)
        assert_int_equal(tact_particles_add_emitter(p, &good, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_emitter(p, &good, NULL), TACT_ERROR_LIMIT);
}

TEST(a_system_is_ready_for_what_its_emitters_let_in)
{
    tact_particles* p = KEEP(new_particles(context, NULL));
    tact_particles* q = KEEP(new_particles(context, NULL));
    add(p, (tact_emitter){.velocity = {0, -1, 0}, .radius = 0.5f, .smallest = 0.1f, .density = 800, .start = 5});
    const float x[3] = {0};
    const tact_particle_arrays least = {.positions = x, .radius = 0.1f, .density = 800};
    assert_int_equal(tact_particles_add(q, &least, 1, NULL), TACT_OK);
    assert_true(isfinite(tact_particles_stable_step(p)));
    assert_true(tact_particles_stable_step(p) == tact_particles_stable_step(q));
}

TEST(sinks_take_what_is_in_them)
{
    tact_particles* p = make(TACT_BOUNDARY_OPEN);
    float x[300];
    uint8_t groups[100];
    for (size_t i = 0; i < 100; ++i) {
        x[3 * i] = (float)i;
        x[3 * i + 1] = x[3 * i + 2] = 0;
        groups[i] = (uint8_t)(i % 2);
    }
    const tact_particle_arrays arrays = {.positions = x, .groups = groups};
    assert_int_equal(tact_particles_add(p, &arrays, 100, NULL), TACT_OK);
    // A ball that has 10 to 20, both on its surface; of group 1 all beyond 89.5; what is outside a great container.
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{15, 0, 0}, 5}, .velocity = {NAN, 0, 0}};
    const tact_collider half = {
        .kind = TACT_COLLIDER_PLANE, .shape.plane = {{-2, 0, 0}, -179}, .mask = 2, .material = 9};
    const tact_collider world = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0, 0, 0}, 97.5f}, .inside = true};
    assert_int_equal(tact_particles_add_sink(p, &ball, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &half, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &world, NULL), TACT_OK);
    assert_int_equal(tact_particles_count(p), 100);
    step(p, 0.01f, 1);
    const places a = read_all(p);
    size_t k = 0;
    for (uint32_t i = 0; i < 100; ++i) {
        if ((i >= 10 && i <= 20) || (i >= 90 && i % 2) || i > 97) continue;
        assert_true(k < a.count && a.ids[k] == i);
        ++k;
    }
    assert_int_equal(k, a.count);
    // Their ids are given out again.
    uint32_t ids[3];
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 3, ids), TACT_OK);
    assert_true(ids[0] == 10 && ids[1] == 11 && ids[2] == 12);
}

TEST(a_fountain_runs_for_ever_in_the_same_ids)
{
    tact_particles* p = make(TACT_BOUNDARY_OPEN);
    add(p, (tact_emitter){.velocity = {0, -1, 0}, .interval = 0.1f, .radius = 0.1f});
    const tact_collider floor = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -1}};
    assert_int_equal(tact_particles_add_sink(p, &floor, NULL), TACT_OK);
    step(p, 0.05f, 2000);
    assert_true(tact_particles_count(p) >= 9 && tact_particles_count(p) <= 11);
    assert_true(tact_particles_id_end(p) <= 12);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
