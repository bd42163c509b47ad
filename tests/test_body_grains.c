// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies that move as grains: a backend's state against the brute force's, byte by byte, and what callers set, get, add
// and remove in between. The program's argument: cpu, gl or cl.
#include "tests/support/run.h"

#include "tests/support/body_lab.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"
#include "tests/support/saved.h"
#include "tests/support/test_context.h"

static tact_backend tested = TACT_BACKEND_CPU;

static const tact_grain_law linear = {.springs = TACT_GRAIN_LINEAR,
                                      .stiffness = 2e5f,
                                      .shear = 6e4f,
                                      .restitution = 0.4f,
                                      .tangential_damping = 0.2f,
                                      .friction = 0.5f};
static const tact_grain_law hertz = {.springs = TACT_GRAIN_HERTZ,
                                     .stiffness = 1e6f,
                                     .shear = 8e5f,
                                     .restitution = 0.6f,
                                     .friction = 0.3f,
                                     .rolling_friction = 0.05f,
                                     .twisting_friction = 0.02f};

enum { MOST = 64 };

/// Bodies of all convex kinds and a compound above a ground with hills, in a box of half-spaces, one of which moves.
typedef struct heap {
    tact_bodies* set;
    tact_body_grains* grains;
    tact_body_grains** held;  ///< what is destroyed when the test ends
    uint32_t count;
} heap;

static uint32_t add_shape(tact_bodies* set, const tact_body_shape* shape)
{
    uint32_t number = 0;
    const tact_result result = tact_bodies_add_shape(set, shape, &number);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return number;
}

enum { KINDS = 8 };

static void add_shapes(tact_bodies* set, uint32_t shapes[KINDS])
{
    tact_vec3 points[14];
    test_random r = {77};
    for (int i = 0; i < 14; ++i) {
        float v[3], square = 0.0f;
        for (int k = 0; k < 3; ++k) {
            v[k] = test_random_signed(&r);
            square += v[k] * v[k];
        }
        const float by = 0.5f / sqrtf(square);
        points[i] = (tact_vec3){v[0] * by, v[1] * by, 0.8f * v[2] * by};
    }
    const tact_body_shape all[KINDS - 1] = {
        {.kind = TACT_BODY_SPHERE, .radius = 0.45f},
        {.kind = TACT_BODY_CAPSULE, .radius = 0.25f, .half = {0.0f, 0.4f, 0.0f}},
        {.kind = TACT_BODY_BOX, .half = {0.5f, 0.3f, 0.4f}},
        {.kind = TACT_BODY_BOX, .half = {0.3f, 0.4f, 0.2f}, .radius = 0.1f},
        {.kind = TACT_BODY_HULL, .points = points, .point_count = 14},
        {.kind = TACT_BODY_CYLINDER, .radius = 0.4f, .half = {0.0f, 0.35f, 0.0f}},
        {.kind = TACT_BODY_CONE, .radius = 0.45f, .half = {0.0f, 0.45f, 0.0f}},
    };
    for (int i = 0; i < KINDS - 1; ++i)
        shapes[i] = add_shape(set, &all[i]);
    const uint32_t bar = add_shape(set, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.6f, 0.15f, 0.15f}});
    const tact_body_part parts[2] = {{.shape = bar, .position = {0.0f, 0.45f, 0.0f}},
                                     {.shape = bar, .rotation = {0.0f, 0.0f, 0.70710678f, 0.70710678f}}};
    shapes[KINDS - 1] = add_shape(set, &(tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 2});
}

static tact_quat random_turn(test_random* r)
{
    const float w = 1.2f + 0.2f * test_random_signed(r);
    return (tact_quat){test_random_signed(r) * 0.8f, test_random_signed(r) * 0.8f, test_random_signed(r) * 0.8f, w};
}

static void end_grains(void* held)
{
    tact_body_grains_destroy(*(tact_body_grains**)held);
}

/// Has grains destroyed when the test ends, before their set.
static void hold(heap* h, tact_body_grains* grains)
{
    if (!h->held) {
        h->held = scratch_zeroed(1, sizeof *h->held);
        at_end(end_grains, h->held);
    }
    *h->held = h->grains = grains;
}

static heap new_heap(const tact_grain_law* law, size_t count)
{
    heap h = {.set = new_body_set()};
    uint32_t shapes[KINDS];
    add_shapes(h.set, shapes);
    float heights[64];
    for (int i = 0; i < 64; ++i)
        heights[i] = 0.25f * (float)((i * 5) % 3);
    const uint32_t hills = add_shape(h.set, &(tact_body_shape){.kind = TACT_BODY_HEIGHT_FIELD,
                                                               .half = {1.0f, 0.0f, 1.0f},
                                                               .heights = heights,
                                                               .columns = 8,
                                                               .rows = 8,
                                                               .one_sided = true});
    const uint32_t half = add_shape(h.set, &(tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    const float s = 0.70710678f;
    const tact_body fixed[5] = {
        {.shape = hills, .pose = {.x = -3.5, .z = -3.5}},
        {.shape = half, .pose = {.x = -2.2, .rotation = {0.0f, 0.0f, -s, s}}},
        {.shape = half, .pose = {.x = 2.2, .rotation = {0.0f, 0.0f, s, s}}},
        {.shape = half, .pose = {.z = -2.2, .rotation = {s, 0.0f, 0.0f, s}}},
        {.shape = half, .pose = {.z = 2.2, .rotation = {-s, 0.0f, 0.0f, s}}},
    };
    expect_good(tact_bodies_add(h.set, fixed, 5, NULL));
    test_random r = {9};
    tact_body bodies[MOST];
    tact_body_matter matter[MOST];
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; ++i) {
        const double x = -1.5 + (double)(i % 3) * 1.5, z = -1.5 + (double)(i / 3 % 3) * 1.5;
        bodies[i] = (tact_body){.shape = shapes[i % KINDS],
                                .pose = {.x = x,
                                         .y = 1.4 + (double)(i / 9) * 1.3,
                                         .z = z,
                                         .rotation = random_turn(&r),
                                         .scale = i % 5 == 0 ? 1.2f : 1.0f},
                                .margin = i % 4 == 0 ? 0.05f : 0.0f};
        matter[i] = (tact_body_matter){.density = 900.0f + 10.0f * (float)i, .material = i % 3 == 0};
    }
    uint32_t ids[MOST];
    expect_good(tact_bodies_add(h.set, bodies, count, ids));
    const tact_body_grains_desc desc = {
        .gravity = {0.0f, -9.81f, 0.0f}, .drag = 0.05f, .law = *law, .material_count = 2};
    hold(&h, NULL);
    expect_good(tact_body_grains_create(h.set, &desc, &h.grains));
    hold(&h, h.grains);
    tact_grain_law other = *law;
    other.friction = 0.9f;
    expect_good(tact_body_grains_set_law(h.grains, 0, 1, &other));
    expect_good(tact_body_grains_set_matter(h.grains, ids, count, matter, true));
    // The wall at 2.2 comes in, and the one before it swings.
    const uint32_t walls[2] = {2, 3};
    const float velocities[6] = {-0.2f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, spins[6] = {0, 0, 0, 0.02f, 0.0f, 0.0f};
    expect_good(tact_body_grains_write(h.grains, walls, 2, velocities, spins));
    h.count = 5 + (uint32_t)count;
    return h;
}

/// Everything that a step changes, of bodies 0 to count - 1.
typedef struct heap_state {
    tact_pose poses[MOST];
    float motion[4][3 * MOST];
    tact_body_grains_totals totals;
    tact_contact contacts[1024];
    tact_body_grain_push pushes[1024];
    size_t contact_count;
} heap_state;

static heap_state* state_of(const heap* h)
{
    heap_state* s = scratch_zeroed(1, sizeof *s);
    const tact_body_grain_arrays arrays = {s->motion[0], s->motion[1], s->motion[2], s->motion[3], {0}};
    expect_good(tact_body_grains_read(h->grains, NULL, h->count, &arrays));
    for (uint32_t id = 0; id < h->count; ++id) {
        tact_body body;
        expect_good(tact_bodies_get(h->set, id, &body));
        s->poses[id] = body.pose;
    }
    expect_good(tact_body_grains_measure(h->grains, &s->totals));
    const tact_body_grain_push* pushes = NULL;
    const tact_contact* contacts = tact_body_grains_contacts(h->grains, &pushes, &s->contact_count);
    assert_true(s->contact_count <= 1024);
    if (s->contact_count > 0) {
        memcpy(s->contacts, contacts, s->contact_count * sizeof *contacts);
        memcpy(s->pushes, pushes, s->contact_count * sizeof *pushes);
    }
    // The one thing that differs: the reference finds pairs in each substep.
    s->totals.searches = 0;
    return s;
}

static void expect_same(const heap_state* right, const heap_state* s)
{
    assert_memory_equal(right->poses, s->poses, sizeof s->poses);
    assert_memory_equal(right->motion, s->motion, sizeof s->motion);
    assert_int_equal(right->contact_count, s->contact_count);
    assert_memory_equal(right->contacts, s->contacts, s->contact_count * sizeof *s->contacts);
    assert_memory_equal(right->pushes, s->pushes, s->contact_count * sizeof *s->pushes);
    assert_memory_equal(&right->totals, &s->totals, sizeof s->totals);
}

static void step(const heap* h, tact_backend backend, int threads, uint32_t substeps, uint32_t steps)
{
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    tact_query_report report;
    expect_good(tact_body_grains_step(h->grains, 0.01f, substeps, steps, &options, &report));
    assert_int_equal(report.backend, backend);
}

TEST(a_backend_has_the_state_that_brute_force_has)
{
    const tact_grain_law* laws[2] = {&linear, &hertz};
    for (int l = 0; l < 2; ++l) {
        const heap right = new_heap(laws[l], 40), h = new_heap(laws[l], 40);
        const uint32_t substeps = (uint32_t)ceilf(0.01f / tact_body_grains_stable_step(h.grains));
        for (int k = 0; k < 6; ++k) {
            step(&right, TACT_BACKEND_REFERENCE, 1, substeps, l == 0 ? 12 : 8);
            // A device takes a part: each substep waits for it.
            step(&h, k % 4 == 1 ? tested : TACT_BACKEND_CPU, 1 + k % 3, substeps, l == 0 ? 12 : 8);
            expect_same(state_of(&right), state_of(&h));
        }
        tact_body_grains_totals t;
        expect_good(tact_body_grains_measure(h.grains, &t));
        assert_true(t.points > 20 && t.rotational_energy > 1.0 && t.dissipated_energy > 1.0 && t.work != 0.0);
        // Pairs serve for many substeps.
        assert_true(t.searches * 8 < t.substeps);
    }
}

static double put_back;  ///< where the body without matter is

/// What callers do between steps, the same to both.
static void change(heap* h, int round)
{
    const uint32_t id = 9 + (uint32_t)round;
    tact_body body;
    expect_good(tact_bodies_get(h->set, id, &body));
    if (round == 0) {
        // Into another, which it was not near.
        tact_body other;
        expect_good(tact_bodies_get(h->set, 9 + 20, &other));
        body.pose.x = other.pose.x + 0.25;
        body.pose.y = other.pose.y + 0.25;
        body.pose.z = other.pose.z;
        expect_good(tact_bodies_move(h->set, &id, &body.pose, 1));
    } else if (round == 1) {
        expect_good(tact_body_grains_set_forces(h->grains, &id, 1, (float[]){900.0f, 0.0f, 100.0f}, NULL));
        expect_good(tact_body_grains_write(h->grains, &id, 1, NULL, (float[]){0.0f, 30.0f, 0.0f}));
    } else if (round == 2) {
        expect_good(tact_bodies_remove(h->set, &id, 1));
        body.pose.y += 4.0;
        put_back = body.pose.y;
        uint32_t again = 0;
        expect_good(tact_bodies_add(h->set, &body, 1, &again));
        assert_int_equal(again, id);
        // Another body: it has no matter, and stays.
        const tact_body_grain_arrays arrays = {.velocities = (float[3]){0}};
        expect_good(tact_body_grains_read(h->grains, &id, 1, &arrays));
        assert_true(arrays.velocities[1] == 0.0f);
    } else if (round == 3) {
        // The one that was put back has stayed until it has matter.
        expect_good(tact_bodies_get(h->set, id - 1, &body));
        assert_true(body.pose.y == put_back);
        const tact_body_matter matter = {.mass = 70.0f};
        expect_good(tact_body_grains_set_matter(h->grains, (uint32_t[]){id - 1}, 1, &matter, true));
        expect_good(tact_body_grains_set_gravity(h->grains, (tact_vec3){1.0f, -9.0f, 0.0f}));
        // The caller's own finds leave what contacts remember alone.
        size_t count = 0;
        expect_good(tact_contacts_find(h->set, &(tact_contacts_work){.count = &count}, NULL, NULL));
        assert_true(count > 0);
    }
}

TEST(callers_change_bodies_between_steps)
{
    heap right = new_heap(&linear, 30), h = new_heap(&linear, 30);
    step(&right, TACT_BACKEND_REFERENCE, 1, 20, 31);
    step(&h, TACT_BACKEND_CPU, 2, 20, 31);
    for (int round = 0; round < 5; ++round) {
        change(&right, round);
        change(&h, round);
        step(&right, TACT_BACKEND_REFERENCE, 1, 20, 6);
        step(&h, tested, 2, 20, 6);
        expect_same(state_of(&right), state_of(&h));
    }
    // The caller's find is the caller's.
    assert_non_null(tact_contacts_last(h.set, &(size_t){0}));
}

static unsigned char* saved(const heap* h, size_t* size)
{
    assert_int_equal(tact_body_grains_save(h->grains, NULL, 0, size), TACT_INCOMPLETE);
    unsigned char* bytes = scratch(*size);
    expect_good(tact_body_grains_save(h->grains, bytes, *size, size));
    return bytes;
}

static void drop(heap* h)
{
    tact_body_grains_destroy(h->grains);
    hold(h, NULL);
}

TEST(what_is_saved_goes_on_as_if_nothing_had_been)
{
    heap straight = new_heap(&hertz, 24), h = new_heap(&hertz, 24);
    step(&straight, TACT_BACKEND_CPU, 1, 100, 40);
    step(&h, TACT_BACKEND_CPU, 1, 100, 40);
    size_t size = 0, again_size = 0;
    const unsigned char* bytes = saved(&h, &size);
    drop(&h);
    // Another program's set: the same shapes and bodies, where they were at first.
    heap other = new_heap(&hertz, 24);
    drop(&other);
    expect_good(tact_body_grains_load(other.set, bytes, size, &other.grains));
    hold(&other, other.grains);
    expect_same(state_of(&straight), state_of(&other));
    const unsigned char* again = saved(&other, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    step(&straight, TACT_BACKEND_CPU, 1, 100, 4);
    step(&other, tested, 2, 100, 4);
    expect_same(state_of(&straight), state_of(&other));
}

/// The state is that of the last substep that was done, with what its contacts remember.
TEST(a_step_that_fails_loses_nothing)
{
    heap straight = new_heap(&linear, 24), h = new_heap(&linear, 24);
    // Pairs have just been found, and serve the next substep too: it is the contacts that fail.
    uint64_t searches = 0;
    for (bool fresh = false; !fresh;) {
        tact_body_grains_totals t;
        step(&straight, TACT_BACKEND_CPU, 1, 1, 60);
        step(&h, TACT_BACKEND_CPU, 1, 1, 60);
        step(&straight, TACT_BACKEND_CPU, 1, 1, 1);
        step(&h, TACT_BACKEND_CPU, 1, 1, 1);
        expect_good(tact_body_grains_measure(h.grains, &t));
        fresh = t.searches > searches && t.points > 10;
        searches = t.searches;
    }
    const tact_backend missing = tested == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    const tact_query_options options = {.backend = missing, .no_fallback = true};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_body_grains_step(h.grains, 0.01f, 20, 1, &options, NULL), TACT_ERROR_NO_DEVICE);
    heap_state* s = state_of(&straight);
    assert_true(s->totals.points > 10);
    expect_same(s, state_of(&h));
    size_t size = 0, again = 0;
    const unsigned char* bytes = saved(&straight, &size);
    const unsigned char* others = saved(&h, &again);
    assert_int_equal(size, again);
    assert_true(memcmp(bytes, others, size) == 0);
    step(&straight, TACT_BACKEND_CPU, 1, 20, 4);
    step(&h, TACT_BACKEND_CPU, 1, 20, 4);
    expect_same(state_of(&straight), state_of(&h));
}

static tact_context* usual;

static void back_to_usual(void* nothing)
{
    (void)nothing;
    context = usual;
}

/// Whichever memory there is none for: what was done is as if nothing had been.
TEST(steps_without_memory_lose_nothing)
{
    counting_allocator counter = {0};
    const heap straight = new_heap(&linear, 24);
    usual = context;
    at_end(back_to_usual, NULL);
    context = KEEP(new_context(&(tact_context_desc){.gl = TACT_DEVICE_NONE,
                                                    .cl = TACT_DEVICE_NONE,
                                                    .threads = 1,
                                                    .log = quiet,
                                                    .allocator = counting_hooks(&counter)}));
    const heap h = new_heap(&linear, 24);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 1};
    counter.once = true;
    size_t failures = 0;
    uint64_t done = 0;
    for (size_t i = 0; i < 300; ++i) {
        counter.fail_at = counter.requests + 1 + i * 37 % 211;
        counter.failed = false;
        const tact_result result = tact_body_grains_step(h.grains, 5e-4f, 1, 20, &options, NULL);
        counter.fail_at = 0;
        assert_true(result == TACT_OK || (result == TACT_ERROR_OUT_OF_MEMORY && counter.failed));
        failures += result != TACT_OK;
        tact_body_grains_totals t;
        expect_good(tact_body_grains_measure(h.grains, &t));
        if (t.substeps > done)
            expect_good(
                tact_body_grains_step(straight.grains, 5e-4f, 1, (uint32_t)(t.substeps - done), &options, NULL));
        done = t.substeps;
        expect_same(state_of(&straight), state_of(&h));
        size_t counts[2];
        expect_good(tact_contacts_find(straight.set, &(tact_contacts_work){.count = &counts[0]}, &options, NULL));
        expect_good(tact_contacts_find(h.set, &(tact_contacts_work){.count = &counts[1]}, &options, NULL));
        if (result == TACT_OK) assert_int_equal(counts[0], counts[1]);
    }
    assert_true(failures > 20 && done > 2000);
}

TEST(damaged_bytes_are_refused)
{
    heap h = new_heap(&linear, 10);
    step(&h, TACT_BACKEND_CPU, 1, 20, 60);
    size_t size = 0;
    unsigned char* bytes = saved(&h, &size);
    drop(&h);
    tact_body_grains* grains = NULL;
    test_random r = {3};
    const size_t stride = size / 700 + 1;
    for (size_t i = 0; i < size; i += i < 64 ? 1 : stride) {
        unsigned char* copy = scratch(size);
        memcpy(copy, bytes, size);
        copy[i] ^= (unsigned char)(1u << test_random_below(&r, 8));
        assert_int_equal(tact_body_grains_load(h.set, copy, size, &grains), TACT_ERROR_INVALID_ARGUMENT);
        assert_null(grains);
        assert_int_equal(tact_body_grains_load(h.set, bytes, i, &grains), TACT_ERROR_INVALID_ARGUMENT);
        if (i < TACT_SAVED_HEADER) continue;
        // With a checksum that is right it is refused, or something that can be stepped.
        saved_mend(copy, size);
        const tact_result result = tact_body_grains_load(h.set, copy, size, &grains);
        assert_true(result == TACT_OK || result == TACT_ERROR_INVALID_ARGUMENT);
        if (result != TACT_OK) continue;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        expect_good(tact_body_grains_step(grains, 1e-4f, 1, 3, &options, NULL));
        tact_body_grains_destroy(grains);
        grains = NULL;
    }
    // As the version without digests has it.
    unsigned char* old = scratch(size);
    memcpy(old, bytes, size);
    const size_t old_size = saved_as_version(old, size, 1, 0);
    expect_good(tact_body_grains_load(h.set, old, old_size, &grains));
    tact_body_grains_destroy(grains);
    grains = NULL;
    old[old_size / 2] ^= 1;
    assert_int_equal(tact_body_grains_load(h.set, old, old_size, &grains), TACT_ERROR_INVALID_ARGUMENT);
    // Another set.
    tact_bodies* set = new_body_set();
    assert_int_equal(tact_body_grains_load(set, bytes, size, &grains), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(grains);
}

static bool stop_at_half(double done, void* user)
{
    (void)user;
    return done < 0.5;
}

static void expect_bad(tact_result result)
{
    assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
}

TEST(what_the_calls_refuse)
{
    heap h = new_heap(&linear, 6);
    tact_body_grains* other = NULL;
    const tact_body_grains_desc desc = {.law = linear};
    expect_bad(tact_body_grains_create(h.set, &desc, &other));
    tact_bodies* set = new_body_set();
    tact_body_grains_desc bad = desc;
    bad.law.stiffness = 0.0f;
    expect_bad(tact_body_grains_create(set, &bad, &other));
    bad = desc;
    bad.gravity.y = NAN;
    expect_bad(tact_body_grains_create(set, &bad, &other));
    bad = desc;
    bad.drag = -1.0f;
    expect_bad(tact_body_grains_create(set, &bad, &other));
    bad = desc;
    bad.material_count = TACT_PARTICLE_MATERIALS + 1;
    expect_bad(tact_body_grains_create(set, &bad, &other));
    tact_body_grains* g = h.grains;
    tact_query_report report;
    tact_ticket ticket = 0;
    expect_bad(tact_body_grains_step(g, 0.0f, 1, 1, NULL, NULL));
    expect_bad(tact_body_grains_step(g, NAN, 1, 1, NULL, &report));
    expect_bad(tact_body_grains_step(g, 0.01f, 65537, 1, NULL, NULL));
    expect_bad(tact_body_grains_step(g, 1e6f, 0, 1, NULL, NULL));
    expect_bad(tact_body_grains_step(g, 0.01f, 1, 1, &(tact_query_options){.ticket = &ticket}, NULL));
    const tact_query_options stopping = {.backend = TACT_BACKEND_CPU, .progress = stop_at_half};
    assert_int_equal(tact_body_grains_step(g, 0.001f, 1, 10, &stopping, NULL), TACT_ERROR_CANCELLED);
    tact_body_grains_totals t;
    expect_good(tact_body_grains_measure(g, &t));
    assert_int_equal(t.steps, 5);
    const uint32_t nothing = 99, wall = 1, body = 5;
    const tact_body_matter matter = {.density = 1000.0f};
    expect_bad(tact_body_grains_set_matter(g, &nothing, 1, &matter, true));
    expect_bad(tact_body_grains_set_matter(g, &wall, 1, &matter, true));
    expect_bad(tact_body_grains_set_matter(g, &body, 1, &(tact_body_matter){.material = 2}, true));
    expect_bad(tact_body_grains_set_matter(g, &body, 1, &(tact_body_matter){.density = -1.0f}, true));
    expect_bad(tact_body_grains_set_matter(g, &body, 1, &(tact_body_matter){.mass = NAN}, true));
    expect_bad(tact_body_grains_set_matter(g, &wall, 1, &(tact_body_matter){.mass = INFINITY, .radius = -1.0f}, true));
    expect_bad(tact_body_grains_write(g, &nothing, 1, (float[3]){0}, NULL));
    expect_bad(tact_body_grains_write(g, &body, 1, (float[]){0.0f, NAN, 0.0f}, NULL));
    expect_bad(tact_body_grains_write(g, &body, 1, NULL, (float[]){0.0f, INFINITY, 0.0f}));
    expect_bad(tact_body_grains_set_forces(g, &body, 1, (float[]){0.0f, NAN, 0.0f}, NULL));
    expect_bad(tact_body_grains_set_law(g, 0, 2, &linear));
    expect_bad(tact_body_grains_set_gravity(g, (tact_vec3){0.0f, INFINITY, 0.0f}));
    tact_body_measures measures;
    expect_bad(tact_body_grains_get_measures(g, wall, &measures));
    expect_bad(tact_body_grains_get_measures(g, nothing, &measures));
    expect_good(tact_body_grains_get_measures(g, body, &measures));
    assert_true(measures.mass > 0.0 && measures.inner > 0.0 && measures.reach >= measures.inner);
    // Nothing of it has changed anything: the second half of the steps.
    const heap right = new_heap(&linear, 6);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    expect_good(tact_body_grains_step(right.grains, 0.001f, 1, 10, &options, NULL));
    expect_good(tact_body_grains_step(g, 0.001f, 1, 5, &options, NULL));
    expect_same(state_of(&right), state_of(&h));
}

#include TEST_LIST

#include "tests/support/one_backend.h"

int main(int argc, char** argv)
{
    return run_one_backend(argc, argv, &tested);
}
