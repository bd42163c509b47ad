// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is special to the CPU's engine of particle systems: each set of instructions and number of threads, cells with
// very many particles, and systems so scattered or so flat that the table of cells is laid out otherwise.
#include "tests/support/run.h"

#include "apps/inputs/random.h"
#include "apps/particles/particles.h"
#include "core/particles/particles.h"
#include "cpu_ref/particles/cpu_engine.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/particle_systems.h"
#include "tests/support/test_context.h"

static float unit(tact_random* r)
{
    return (float)tact_random_fraction(r);
}

static void set(tact_particle_setup* s, size_t i, float x, float y, float z, float radius)
{
    s->positions[3 * i] = x;
    s->positions[3 * i + 1] = y;
    s->positions[3 * i + 2] = z;
    s->radii[i] = radius;
}

static void random_speeds(tact_particle_setup* s, tact_random* r, float speed)
{
    for (size_t i = 0; i < 3 * s->count; ++i)
        s->velocities[i] = speed * (2.0f * unit(r) - 1.0f);
}

/// Small heaps all over the cells that there are, and a large one: more cells than the table has.
static void fill_scattered(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    float place[3] = {0.0f, 0.0f, 0.0f};
    for (size_t i = 0; i < s->count; ++i) {
        if (i > s->count / 2 && i % 8 == 0) {
            for (int k = 0; k < 3; ++k)
                place[k] = 60000.0f * (unit(&r) - 0.5f);
        }
        const float width = i > s->count / 2 ? 2.0f : 10.0f;
        set(s, i, place[0] + width * unit(&r), place[1] + width * unit(&r), place[2] + width * unit(&r), 0.5f);
    }
    random_speeds(s, &r, 20.0f);
}

static void mix_radii(tact_particle_setup* s)
{
    tact_random r = {5};
    for (size_t i = 0; i < s->count; ++i)
        s->radii[i] = i % 16 ? 0.04f + 0.2f * unit(&r) * unit(&r) : 0.5f;
}

static void fill_scattered_mixed(tact_particle_setup* s, uint64_t seed)
{
    fill_scattered(s, seed);
    mix_radii(s);
}

/// In a domain of few periods, so that nearly all see over a seam.
static void fill_small_period(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    for (size_t i = 0; i < s->count; ++i)
        set(s, i, 3.5f * unit(&r), 5.0f * unit(&r), 30.0f * unit(&r), 0.5f);
    mix_radii(s);
    random_speeds(s, &r, 3.0f);
    s->desc.boundary[0] = s->desc.boundary[1] = TACT_BOUNDARY_PERIODIC;
    s->desc.boundary[2] = TACT_BOUNDARY_WALL;
    s->desc.domain = (tact_aabb){{0.0f, 0.0f, 0.0f}, {3.5f, 5.0f, 30.0f}};
}

/// Heaps on the face of a period, each of a large particle among small ones that push it to and fro over the face, but
/// less than half a radius, so that lists are given up and particles still look no farther than they must.
static void fill_on_face(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const size_t heaps = s->count / 5, across = (size_t)ceilf(sqrtf((float)heaps));
    const float width = 3.0f * (float)across + 3.0f;
    for (size_t i = 0; i < s->count; ++i) {
        const size_t heap = i / 5;
        const float y = 3.0f * (float)(heap % across) + 1.5f, z = 3.0f * (float)(heap / across) + 1.5f;
        if (i % 5 == 0) {
            set(s, i, 0.006f * unit(&r) - 0.003f, y, z, 0.5f);
            continue;
        }
        static const float towards[4][3] = {
            {1.0f, 0.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, -1.0f}};
        const float* t = towards[i % 5 - 1];
        const float radius = 0.2f + 0.04f * unit(&r), away = (0.5f + radius) * (0.95f + 0.05f * unit(&r));
        set(s, i, away * t[0], y + away * t[1], z + away * t[2], radius);
    }
    random_speeds(s, &r, 3.0f);
    for (int k = 0; k < 3; ++k)
        s->desc.boundary[k] = TACT_BOUNDARY_PERIODIC;
    s->desc.domain = (tact_aabb){{0.0f, 0.0f, 0.0f}, {12.0f, width, width}};
    for (size_t i = 0; i < s->count; ++i)
        s->positions[3 * i] += s->positions[3 * i] < 0.0f ? 12.0f : 0.0f;
}

/// A period of which the table holds a part.
static void fill_long_period(tact_particle_setup* s, uint64_t seed)
{
    fill_scattered(s, seed);
    for (int k = 0; k < 3; ++k)
        s->desc.boundary[k] = TACT_BOUNDARY_PERIODIC;
    s->desc.domain = (tact_aabb){{-30001.0f, -30001.0f, -30001.0f}, {30011.0f, 30011.0f, 30011.0f}};
    tact_random r = {seed};
    for (size_t i = 0; i < s->count / 4; ++i)
        s->positions[3 * i + i % 3] = (i % 2 ? -30001.0f : 30009.5f) + 1.4f * unit(&r);
}

static void fill_long_period_mixed(tact_particle_setup* s, uint64_t seed)
{
    fill_long_period(s, seed);
    mix_radii(s);
}

/// A layer, a row, and heaps of hundreds in single cells, in no order of ids.
static void fill_layer(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const float width = sqrtf((float)s->count);
    for (size_t i = 0; i < s->count; ++i)
        set(s, i, width * unit(&r), width * unit(&r), 0.5f, 0.5f);
    random_speeds(s, &r, 3.0f);
}

static void fill_row(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    for (size_t i = 0; i < s->count; ++i)
        set(s, i, 0.5f, (float)s->count * 0.5f * unit(&r), 0.5f, 0.5f);
    random_speeds(s, &r, 3.0f);
}

static void fill_crowded(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    for (size_t i = 0; i < s->count; ++i) {
        const float heap = (float)tact_random_below(&r, 3);
        set(s, i, heap * 1.5f + 0.9f * unit(&r), 0.9f * unit(&r), 0.9f * unit(&r), 0.5f);
    }
    random_speeds(s, &r, 30.0f);
}

/// Particles that nearly touch, of which some are shot at others: what is hit gets to those behind in the same substep.
static void fill_shot(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const size_t side = (size_t)ceilf(cbrtf((float)s->count));
    for (size_t i = 0; i < s->count; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        set(s, i, 1.3f * (float)at[0], 1.3f * (float)at[1], 1.3f * (float)at[2], 0.5f);
        for (size_t k = 0; k < 3 && i % 5 == 0; ++k)
            s->velocities[3 * i + k] = 700.0f * (2.0f * unit(&r) - 1.0f);
    }
}

/// The same at rest, except for one that is shot late: a heap that has moved little so far.
static void fill_late_shot(tact_particle_setup* s, uint64_t seed)
{
    fill_shot(s, seed);
    for (size_t i = 0; i < 3 * s->count; ++i) {
        s->velocities[i] = 0.0f;
        s->positions[i] *= 0.99f / 1.3f;
    }
    set(s, 0, 4.0f, 4.0f, -3.3f, 0.5f);
    s->velocities[2] = 900.0f;
}

/// More pairs than lists have room for, at first or ever, of particles that hardly move.
static void fill_pressed(tact_particle_setup* s, float width)
{
    tact_random r = {7};
    for (size_t i = 0; i < s->count; ++i)
        set(s, i, width * unit(&r), width * unit(&r), width * unit(&r), 0.5f);
    s->desc.relaxation = 1e-3f;
}

static void fill_pressed_little(tact_particle_setup* s, uint64_t seed)
{
    fill_pressed(s, 5.0f);
}

static void fill_pressed_much(tact_particle_setup* s, uint64_t seed)
{
    fill_pressed(s, 1.5f);
}

static const tact_particle_scene shots[] = {{"shot", "", fill_shot, 0},
                                            {"late shot", "", fill_late_shot, 0},
                                            {"pressed a little", "", fill_pressed_little, 0},
                                            {"pressed much", "", fill_pressed_much, 0}};

static const tact_particle_scene scenes[] = {
    {"scattered", "", fill_scattered, 0},
    {"scattered, mixed", "", fill_scattered_mixed, 0},
    {"small period", "", fill_small_period, 0},
    {"on the face of a period", "", fill_on_face, 0},
    {"long period", "", fill_long_period, 0},
    {"long period, mixed", "", fill_long_period_mixed, 0},
    {"layer", "", fill_layer, 0},
    {"row", "", fill_row, 0},
    {"crowded", "", fill_crowded, 0},
};

/// Radii that spread by a little more than 2:1, so that a few particles have finer cells.
static void fill_few_small(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const float width = cbrtf((float)s->count * 0.5f);
    for (size_t i = 0; i < s->count; ++i)
        set(s, i, width * unit(&r), width * unit(&r), width * unit(&r), 0.24f + 0.26f * unit(&r));
    random_speeds(s, &r, 3.0f);
}

static void fill_few_small_periodic(tact_particle_setup* s, uint64_t seed)
{
    fill_few_small(s, seed);
    const float width = cbrtf((float)s->count * 0.5f);
    for (int k = 0; k < 3; ++k)
        s->desc.boundary[k] = TACT_BOUNDARY_PERIODIC;
    s->desc.domain = (tact_aabb){{0.0f, 0.0f, 0.0f}, {width, width, width}};
}

static const tact_particle_scene few_small = {"few small", "", fill_few_small, 0};
static const tact_particle_scene few_small_periodic = {"few small, periodic", "", fill_few_small_periodic, 0};

static tact_particles* make(const tact_particle_scene* scene, size_t count, tact_particle_response response)
{
    tact_particle_setup setup;
    tact_problem problem = {0};
    tact_particles* particles = NULL;
    assert_true(tact_particle_setup_make(scene, count, 11, &setup, &problem));
    setup.desc.response = response;
    const tact_result result = tact_particle_setup_create(&setup, context, &particles);
    if (result != TACT_OK) print_error("%s: %s\n", scene->name, tact_context_error(context));
    assert_int_equal(result, TACT_OK);
    tact_particle_setup_free(&setup);
    return particles;
}

/// The state after some steps.
static float* rows_after(const tact_particle_scene* scene, size_t count, tact_particle_response response,
                         tact_backend backend, int threads)
{
    tact_problem problem = {0};
    size_t rows = 0;
    tact_particles* particles = KEEP(make(scene, count, response));
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_particles_step(particles, 2e-3f, 2, 1, &options, NULL), TACT_OK);
    float* result = tact_particle_rows(particles, context, &rows, &problem);
    assert_non_null(result);
    assert_int_equal(rows, count);
    return result;
}

static void check_rows(const char* what, const float* found, const float* expected, size_t count)
{
    for (size_t i = 0; i < 7 * count; ++i) {
        if (memcmp(&found[i], &expected[i], sizeof *found) == 0) continue;
        fail_msg("%s: particle %zu, part %zu: %a, by definition %a", what, i / 7, i % 7, (double)found[i],
                 (double)expected[i]);
    }
}

static void check_scene(const tact_particle_scene* scene, size_t count, tact_particle_response response)
{
    float* expected = rows_after(scene, count, response, TACT_BACKEND_REFERENCE, 2);
    for (int level = 0; level < (int)effort_of_threads(1, TACT_LANE_LEVELS); ++level) {
        if (!tact_lanes_limit(level)) continue;
        // Every number of threads with some set of instructions, and every set with two numbers of threads.
        for (int threads = 1 + level % 2; threads <= 4; threads += 2) {
            char what[128];
            snprintf(what, sizeof what, "%s, response %d, %s, %d threads", scene->name, (int)response,
                     tact_particle_lanes_best()->name, threads);
            float* found = rows_after(scene, count, response, TACT_BACKEND_CPU, threads);
            check_rows(what, found, expected, count);
            free(found);
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    free(expected);
}

static void check_all(tact_particle_response response)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        check_scene(&scenes[i], 1300, response);
    for (size_t i = 0; i < sizeof shots / sizeof *shots; ++i)
        check_scene(&shots[i], 700, response);
    check_scene(tact_particle_scene_named("dense"), 2500, response);
    check_scene(tact_particle_scene_named("mixed_periodic"), 900, response);
    check_scene(tact_particle_scene_named("uniform"), 900, response);
    check_scene(tact_particle_scene_named("power_law"), 900, response);
    check_scene(&few_small, 900, response);
    check_scene(&few_small_periodic, 900, response);
    check_scene(tact_particle_scene_named("colliders"), 900, response);
}

TEST(springs_are_the_same_in_all_lanes)
{
    check_all(TACT_RESPONSE_SPRING);
}

TEST(positions_are_the_same_in_all_lanes)
{
    check_all(TACT_RESPONSE_POSITION);
}

/// Lists of pairs are used where particles move little, and given up where they do not; that the results are those of
/// the definition is tested above.
TEST(lists_are_kept_and_given_up)
{
    const tact_particle_scene* const all[] = {&shots[0], &shots[1], &shots[2], &shots[3],
                                              tact_particle_scene_named("dense")};
    const bool kept[] = {false, true, true, true, true}, broken[] = {true, true, false, false, false};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        tact_particles* particles = make(all[i], 700, TACT_RESPONSE_POSITION);
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 2, .no_fallback = true};
        for (int k = 0; k < 6; ++k)
            assert_int_equal(tact_particles_step(particles, 1e-3f, 1, 1, &options, NULL), TACT_OK);
        tact_particle_engine* engine = NULL;
        assert_int_equal(tact_particles_engine(particles, TACT_BACKEND_CPU, 0, &engine), TACT_OK);
        const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
        if ((e->listed_iterations > 0) != kept[i] || (e->broken_substeps > 0) != broken[i]) {
            fail_msg("%s: %llu iterations from lists, given up in %llu substeps", all[i]->name,
                     (unsigned long long)e->listed_iterations, (unsigned long long)e->broken_substeps);
        }
        tact_particles_destroy(particles);
    }
}

/// How many particles are done on their own at seams, and how many entries the table has, after a step.
static void look_at_table(const tact_particle_scene* scene, size_t count, uint32_t* at_seams, uint32_t* entries)
{
    tact_particles* particles = KEEP(make(scene, count, TACT_RESPONSE_POSITION));
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 1, .no_fallback = true};
    tact_particle_engine* engine = NULL;
    assert_int_equal(tact_particles_step(particles, 1e-4f, 1, 1, &options, NULL), TACT_OK);
    assert_int_equal(tact_particles_engine(particles, TACT_BACKEND_CPU, 0, &engine), TACT_OK);
    const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
    *at_seams = e->seam_count;
    *entries = e->table.cells;
}

/// Where radii spread, cells are many and the table stays small; that must not send particles over to those that are
/// done on their own, at twenty times the price.
TEST(spread_radii_make_no_seams)
{
    enum { COUNT = 4000 };
    const tact_particle_scene* const open[] = {
        &few_small, tact_particle_scene_named("uniform"), tact_particle_scene_named("power_law"),
        tact_particle_scene_named("bimodal"), tact_particle_scene_named("mixed")};
    uint32_t at_seams = 0, entries = 0;
    for (size_t i = 0; i < sizeof open / sizeof *open; ++i) {
        look_at_table(open[i], COUNT, &at_seams, &entries);
        // Where there are more than two of the largest cells a particle, the table wraps, and some see over that.
        const uint32_t most = open[i] == &few_small ? 0 : COUNT / 4;
        print_message("%s: %u at seams, %u entries\n", open[i]->name, (unsigned)at_seams, (unsigned)entries);
        if (at_seams > most || entries > 3 * COUNT + 5 * 512)
            fail_msg("%s: %u particles at seams, %u entries", open[i]->name, (unsigned)at_seams, (unsigned)entries);
    }
    // Of 13 cells across, those in the outermost two see over the faces: 1 - (11/13)^3.
    look_at_table(&few_small_periodic, COUNT, &at_seams, &entries);
    if (at_seams > COUNT / 2 || at_seams == 0) fail_msg("%u particles at the faces", (unsigned)at_seams);
    // Some in places far apart still wrap, and few of them see over a seam.
    look_at_table(&scenes[0], COUNT, &at_seams, &entries);
    if (at_seams > COUNT / 2 || at_seams == 0) fail_msg("%u scattered particles at seams", (unsigned)at_seams);
}

static tact_particle_contact* contacts_of(tact_particles* particles, tact_backend backend, int threads, size_t* count)
{
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    tact_particles_contacts(particles, NULL, 0, count, &options, NULL);
    tact_particle_contact* contacts = calloc(*count + 1, sizeof *contacts);
    assert_non_null(contacts);
    assert_int_equal(tact_particles_contacts(particles, contacts, *count, count, &options, NULL), TACT_OK);
    return contacts;
}

TEST(contacts_are_those_of_the_definition)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        tact_particles* particles = make(&scenes[i], 1300, TACT_RESPONSE_SPRING);
        size_t expected_count = 0;
        tact_particle_contact* expected = contacts_of(particles, TACT_BACKEND_REFERENCE, 2, &expected_count);
        for (int threads = 1; threads <= 3; threads += 2) {
            size_t count = 0;
            tact_particle_contact* found = contacts_of(particles, TACT_BACKEND_CPU, threads, &count);
            if (count != expected_count)
                fail_msg("%s: %zu contacts, by definition %zu", scenes[i].name, count, expected_count);
            if (memcmp(found, expected, count * sizeof *found) != 0) fail_msg("%s: contacts differ", scenes[i].name);
            free(found);
        }
        free(expected);
        tact_particles_destroy(particles);
    }
}

TEST(materials_and_masses_differ)
{
    enum { COUNT = 600 };
    const tact_particle_material materials[3] = {
        {1e4f, 0.5f, 0.5f, 0.5f}, {3e3f, 0.9f, 0.0f, 0.1f}, {2e4f, 0.2f, 1.5f, 1.0f}};
    static float positions[3 * COUNT], masses[COUNT], forces[3 * COUNT / 2];
    static uint8_t kinds[COUNT];
    tact_random r = {3};
    for (size_t i = 0; i < COUNT; ++i) {
        for (size_t k = 0; k < 3; ++k)
            positions[3 * i + k] = 6.0f * unit(&r);
        masses[i] = i % 7 == 0 ? INFINITY : 100.0f + 500.0f * unit(&r);
        kinds[i] = (uint8_t)(i % 3);
    }
    for (size_t i = 0; i < sizeof forces / sizeof *forces; ++i)
        forces[i] = 1000.0f * (unit(&r) - 0.5f);
    for (int response = 0; response < 3; ++response) {
        const tact_particles_desc desc = {
            .response = (tact_particle_response)response, .materials = materials, .material_count = 3};
        const tact_particle_arrays arrays = {.positions = positions, .masses = masses, .materials = kinds};
        float* rows[2];
        for (int k = 0; k < 2; ++k) {
            tact_problem problem = {0};
            size_t count = 0;
            const tact_query_options options = {
                .backend = k ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU, .threads = 2, .no_fallback = true};
            tact_particles* particles = new_particles(context, &desc);
            assert_int_equal(tact_particles_add(particles, &arrays, COUNT, NULL), TACT_OK);
            assert_int_equal(tact_particles_set_forces(particles, forces, COUNT / 2), TACT_OK);
            assert_int_equal(tact_particles_step(particles, 1e-3f, 1, 5, &options, NULL), TACT_OK);
            rows[k] = tact_particle_rows(particles, context, &count, &problem);
            assert_non_null(rows[k]);
            tact_particles_destroy(particles);
        }
        check_rows("materials", rows[0], rows[1], COUNT);
        free(rows[0]);
        free(rows[1]);
    }
}

static tact_particles* make_rich(tact_particle_response response)
{
    tact_particles_desc desc = rich_desc(response);
    desc.separation_speed = 0.0f;
    tact_particles* particles = new_particles(context, &desc);
    assert_int_equal(rich_fill(particles, true), TACT_OK);
    // Far away, where roundings are larger than particles; fast; and beside what is in the way.
    const float far[12] = {0, 0, 1e12f, 0, 4, -1e5f, 3, 0, 300, -2, 2, 0};
    const float speeds[12] = {1, 2, -1e7f, 0, 0, 20, 0, 0, -150, 90, -60, 0};
    const tact_particle_arrays arrays = {.positions = far, .velocities = speeds, .radius = 0.3f};
    assert_int_equal(tact_particles_add(particles, &arrays, 4, NULL), TACT_OK);
    return particles;
}

/// Puts a mesh and a ball to other places.
static void move_rich(tact_particles* particles, float t)
{
    const tact_body_pose pose = {.position = {1.5f * sinf(t), 0.3f * t, 0}, .velocity = {1.5f * cosf(t), 0.3f, 0}};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{-1, -2 + t, 0}, 1}, .mask = 3};
    assert_int_equal(tact_particles_move_body(particles, 0, &pose), TACT_OK);
    assert_int_equal(tact_particles_set_collider(particles, 0, &ball), TACT_OK);
}

static void check_same(const char* what, tact_particles* found, tact_particles* expected)
{
    tact_problem problem = {0};
    size_t counts[2] = {0};
    float* rows[2] = {tact_particle_rows(found, context, &counts[0], &problem),
                      tact_particle_rows(expected, context, &counts[1], &problem)};
    assert_true(rows[0] && rows[1]);
    assert_int_equal(counts[0], counts[1]);
    check_rows(what, rows[0], rows[1], counts[0]);
    tact_particle_contact* contacts[2] = {contacts_of(found, TACT_BACKEND_CPU, 2, &counts[0]),
                                          contacts_of(expected, TACT_BACKEND_REFERENCE, 2, &counts[1])};
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(contacts[0], contacts[1], counts[0] * sizeof *contacts[0]);
    for (int k = 0; k < 2; ++k) {
        free(rows[k]);
        free(contacts[k]);
    }
}

/// Long enough that particles come to surfaces and leave them, with what is known of them from many steps before.
TEST(what_is_clear_changes_nothing)
{
    for (int k = 0; k < 2 * (int)effort_of_threads(1, TACT_LANE_LEVELS); ++k) {
        if (!tact_lanes_limit(k / 2)) continue;
        const tact_particle_response response = k % 2 ? TACT_RESPONSE_POSITION : TACT_RESPONSE_SPRING;
        tact_particles* pair[2] = {make_rich(response), make_rich(response)};
        for (int round = 0; round < 9; ++round) {
            char what[96];
            snprintf(what, sizeof what, "%s, response %d, round %d", tact_particle_lanes_best()->name, (int)response,
                     round);
            for (int i = 0; i < 2; ++i) {
                const tact_query_options options = {
                    .backend = i ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU, .threads = 2, .no_fallback = true};
                if (round % 3 == 2) move_rich(pair[i], 0.1f * (float)round);
                assert_int_equal(tact_particles_step(pair[i], rich_dt, 1, 18, &options, NULL), TACT_OK);
            }
            check_same(what, pair[0], pair[1]);
        }
        tact_particles_info a, b;
        assert_int_equal(tact_particles_get_info(pair[0], &a), TACT_OK);
        assert_int_equal(tact_particles_get_info(pair[1], &b), TACT_OK);
        assert_true(a.slowed == b.slowed && a.stopped == b.stopped && a.stopped > 0);
        tact_particles_destroy(pair[0]);
        tact_particles_destroy(pair[1]);
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
