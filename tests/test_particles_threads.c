// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine with work for every thread of three: enough particles that each of its loops is shared, and few
// steps, so that it can run under a checker of threads. All must be as with one thread, to the bit.
#include "tests/support/run.h"

#include "tact/particle_bodies.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

// More than the greatest number of particles that the engine leaves to one thread: GRAIN in
// cpu_ref/particles/cpu_layout.c. Neighbour lists and sorting share less.
enum { PARTICLES = 17000, STEPS = 2, SUBSTEPS = 2, THREADS = 3 };
static const float width = 9.0f, largest = 0.3f, step_time = 2e-3f;

static int open_own(void** state)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = THREADS, .log = quiet};
    return open_described(&desc);
}

/// A period, walls, and an axis that is open.
static tact_particles* make_system(tact_particle_response response)
{
    static const tact_particle_material materials[2] = {{1e4f, 0.5f, 0.5f, 0.5f}, {3e4f, 0.7f, 0.2f, 0.1f}};
    const tact_particles_desc desc = {
        .response = response,
        .backend = TACT_BACKEND_CPU,
        .boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
        .domain = {{0, 0, 0}, {width, width, 0}},
        .max_radius = largest,
        .materials = materials,
        .material_count = 2,
        .gravity = {0, -9.81f, 0.1f},
        .iterations = 2,
        .sleep_speed = 0.01f,
    };
    return new_particles(context, &desc);
}

/// Wildly moving, at places in no order of ids, so that some are in each other, in a wall's reach and about to cross
/// the mesh.
static void add_particles(tact_particles* p, bool mixed)
{
    float *x = scratch_zeroed(3 * PARTICLES, sizeof *x), *v = scratch_zeroed(3 * PARTICLES, sizeof *v);
    float* radii = calloc(PARTICLES, sizeof *radii);
    uint8_t* kinds = scratch_zeroed(PARTICLES, 1);
    assert_true(x && v && radii && kinds);
    test_random r = {21};
    for (size_t i = 0; i < PARTICLES; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = width * test_random_unit(&r);
            v[3 * i + k] = 40.0f * test_random_signed(&r);
        }
        radii[i] = i % 64 ? 0.08f + 0.06f * test_random_unit(&r) : largest;
        kinds[i] = (uint8_t)(i % 2);
    }
    const tact_particle_arrays arrays = {.positions = x,
                                         .velocities = v,
                                         .radii = mixed ? radii : NULL,
                                         .materials = mixed ? kinds : NULL,
                                         .groups = mixed ? kinds : NULL,
                                         .radius = 0.15f};
    assert_int_equal(tact_particles_set_mask(p, 1, 1), TACT_OK);
    assert_int_equal(tact_particles_add(p, &arrays, PARTICLES, NULL), TACT_OK);
    assert_int_equal(tact_particles_set_forces(p, v, PARTICLES - 7), TACT_OK);
    free(radii);
}

/// A mesh that slants through all, moving, and a ball.
static void add_obstacles(tact_particles* p)
{
    enum { ROWS = 9 };
    float corners[3 * ROWS * ROWS];
    uint32_t triangles[6 * (ROWS - 1) * (ROWS - 1)];
    size_t n = 0;
    for (uint32_t i = 0; i < ROWS * ROWS; ++i) {
        const float a = (float)(i % ROWS) / (ROWS - 1), b = (float)(i / ROWS) / (ROWS - 1);
        corners[3 * i] = width * (0.1f + 0.8f * a);
        corners[3 * i + 1] = width * (0.3f + 0.3f * a * b + 0.05f * (float)(i % 3));
        corners[3 * i + 2] = width * b;
        if (i % ROWS == ROWS - 1 || i / ROWS == ROWS - 1) continue;
        const uint32_t two[6] = {i, i + 1, i + ROWS, i + 1, i + ROWS + 1, i + ROWS};
        memcpy(triangles + n, two, sizeof two);
        n += 6;
    }
    const tact_mesh_desc mesh = {
        .positions = corners, .vertex_count = ROWS * ROWS, .indices = triangles, .triangle_count = n / 3};
    const tact_body_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .velocity = {0, 1, 0}};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{3, 9, 6}, 2}, .spin = {0, 3, 0}};
    assert_int_equal(tact_particles_add_mesh(p, &mesh, &pose, 0, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_collider(p, &ball, NULL), TACT_OK);
}

/// What a run ends in.
typedef struct outcome {
    particle_snapshot state;
    tact_particles_info info;
    tact_particle_contact* contacts;
    size_t contact_count;
    float* places;  ///< when contacts were listed
    size_t slots, neighbour_count;
    uint32_t *ids, *neighbours;
    uint64_t* offsets;
} outcome;

static void* copy_of(const void* from, size_t bytes)
{
    void* copy = malloc(bytes + 1);
    assert_non_null(copy);
    if (bytes > 0) memcpy(copy, from, bytes);
    return copy;
}

static void list_contacts(tact_particles* p, const tact_query_options* options, outcome* o)
{
    const tact_result counted = tact_particles_contacts(p, NULL, 0, &o->contact_count, options, NULL);
    assert_int_equal(counted, TACT_INCOMPLETE);
    o->contacts = calloc(o->contact_count, sizeof *o->contacts);
    o->places = calloc(3 * PARTICLES, sizeof *o->places);
    assert_true(o->contacts && o->places);
    const tact_result listed =
        tact_particles_contacts(p, o->contacts, o->contact_count, &o->contact_count, options, NULL);
    assert_int_equal(listed, TACT_OK);
    const tact_particle_output out = {.positions = o->places};
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
}

static void list_neighbours(tact_particles* p, const tact_query_options* options, outcome* o)
{
    tact_neighbour_lists lists;
    // The second search finds the particles sorted by the first.
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_particles_neighbours(p, 0.5f, TACT_NEIGHBOURS_ALL, &lists, options, NULL), TACT_OK);
    o->slots = lists.slots;
    o->neighbour_count = (size_t)lists.offsets[lists.slots];
    o->ids = copy_of(lists.ids, o->slots * sizeof *o->ids);
    o->offsets = copy_of(lists.offsets, (o->slots + 1) * sizeof *o->offsets);
    o->neighbours = copy_of(lists.neighbours, o->neighbour_count * sizeof *o->neighbours);
}

static outcome run(tact_particle_response response, bool mixed, int threads)
{
    outcome o = {0};
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = threads, .no_fallback = true};
    tact_particles* p = KEEP(make_system(response));
    add_particles(p, mixed);
    add_obstacles(p);
    assert_int_equal(tact_particles_step(p, step_time, SUBSTEPS, 1, &options, NULL), TACT_OK);
    list_contacts(p, &options, &o);
    list_neighbours(p, &options, &o);
    const tact_result result = tact_particles_step(p, step_time, SUBSTEPS, STEPS - 1, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    o.state = particle_snapshot_of(p);
    assert_int_equal(tact_particles_get_info(p, &o.info), TACT_OK);
    return o;
}

static void free_outcome(outcome* o)
{
    free(o->contacts);
    free(o->places);
    free(o->ids);
    free(o->offsets);
    free(o->neighbours);
}

/// The run has to do with everything that it is to check.
static void expect_eventful(const outcome* o, tact_particle_response response)
{
    size_t with[4] = {0}, across = 0;
    for (size_t i = 0; i < o->contact_count; ++i) {
        const tact_particle_contact* c = &o->contacts[i];
        ++with[c->with];
        if (c->with != TACT_CONTACT_PARTICLE) continue;
        if (fabsf(o->places[3 * c->a] - o->places[3 * c->b]) > 0.5f * width) ++across;
    }
    assert_true(with[TACT_CONTACT_PARTICLE] > 1000);
    assert_true(with[TACT_CONTACT_WALL] > 10 && with[TACT_CONTACT_COLLIDER] > 10 && with[TACT_CONTACT_BODY] > 10);
    assert_true(across > 10);
    assert_true(o->neighbour_count > PARTICLES);
    assert_true(response == TACT_RESPONSE_NONE || o->info.stopped > 0);
}

static void expect_same(const outcome* a, const outcome* b)
{
    assert_int_equal(a->state.size, b->state.size);
    assert_memory_equal(a->state.bytes, b->state.bytes, a->state.size);
    assert_true(a->info.slowed == b->info.slowed && a->info.stopped == b->info.stopped);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_memory_equal(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts);
    assert_int_equal(a->slots, b->slots);
    assert_int_equal(a->neighbour_count, b->neighbour_count);
    assert_memory_equal(a->ids, b->ids, a->slots * sizeof *a->ids);
    assert_memory_equal(a->offsets, b->offsets, (a->slots + 1) * sizeof *a->offsets);
    assert_memory_equal(a->neighbours, b->neighbours, a->neighbour_count * sizeof *a->neighbours);
}

static void check(tact_particle_response response, bool mixed)
{
    outcome alone = run(response, mixed, 1), shared = run(response, mixed, THREADS);
    expect_eventful(&alone, response);
    expect_same(&alone, &shared);
    free_outcome(&alone);
    free_outcome(&shared);
}

/// A search brings the particles into another order in memory, with all that belongs to them.
TEST(searches_move_particles_only)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = THREADS, .no_fallback = true};
    tact_neighbour_lists lists;
    for (int way = 0; way < 8; ++way) {
        particle_snapshot states[2];
        for (int searches = 0; searches < 2; ++searches) {
            tact_particles* p = KEEP(make_system(way & 1 ? TACT_RESPONSE_SPRING : TACT_RESPONSE_POSITION));
            add_particles(p, (way & 2) != 0);
            // Ids are the ranks, or not.
            const uint32_t gone = 17;
            if (way & 4) assert_int_equal(tact_particles_remove(p, &gone, 1), TACT_OK);
            for (int step = 0; step < 2; ++step) {
                const tact_result result =
                    searches ? tact_particles_neighbours(p, 0.5f, TACT_NEIGHBOURS_ONCE, &lists, &options, NULL)
                             : TACT_OK;
                assert_int_equal(result, TACT_OK);
                assert_int_equal(tact_particles_step(p, step_time, SUBSTEPS, 1, &options, NULL), TACT_OK);
            }
            states[searches] = particle_snapshot_of(p);
        }
        assert_int_equal(states[0].size, states[1].size);
        assert_memory_equal(states[0].bytes, states[1].bytes, states[0].size);
    }
}

TEST(springs_are_as_with_one_thread)
{
    check(TACT_RESPONSE_SPRING, true);
    check(TACT_RESPONSE_SPRING, false);
}

TEST(positions_are_as_with_one_thread)
{
    check(TACT_RESPONSE_POSITION, true);
}

TEST(no_response_is_as_with_one_thread)
{
    check(TACT_RESPONSE_NONE, true);
}

#include TEST_LIST
RUN_ALL(open_own, close_context)
