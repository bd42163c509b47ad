// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies that move as grains: a backend's state against the brute force's, byte by byte, and what callers set, get, add
// and remove in between. The program's argument: cpu, gl or cl.
#include "tests/support/run.h"

#include "tact/body_grains.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static tact_backend tested = TACT_BACKEND_CPU;

static const tact_grain_law linear = {.springs = TACT_GRAIN_LINEAR,
                                      .stiffness = 2e5f,
                                      .shear = 6e4f,
                                      .restitution = 0.4f,
                                      .tangential_damping = 0.2f,
                                      .friction = 0.5f};
static const tact_grain_law hertz = {.springs = TACT_GRAIN_HERTZ,
                                     .stiffness = 5e6f,
                                     .shear = 4e6f,
                                     .restitution = 0.6f,
                                     .friction = 0.3f,
                                     .rolling_friction = 0.05f,
                                     .twisting_friction = 0.02f};

enum { MOST = 64 };

/// Bodies of all convex kinds and a compound above a ground with hills, in a box of half-spaces, one of which moves.
typedef struct heap {
    tact_bodies* set;
    tact_body_grains* grains;
    uint32_t count, fixed;  ///< ids below `fixed` have no finite mass
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

static void end_grains(void* grains)
{
    tact_body_grains_destroy(grains);
}

static tact_bodies* new_set(void)
{
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    return set;
}

static void end_set(void* set)
{
    tact_bodies_destroy(set);
}

static tact_body_grains* new_grains(tact_bodies* set, const tact_body_grains_desc* desc)
{
    tact_body_grains* grains = NULL;
    const tact_result result = tact_body_grains_create(set, desc, &grains);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    at_end(end_grains, grains);
    return grains;
}

static void expect_good(tact_result result)
{
    if (result != TACT_OK) fail_msg("%s: %s", tact_result_name(result), tact_context_error(context));
}

static heap new_heap(const tact_grain_law* law, size_t count)
{
    heap h = {.set = new_set()};
    at_end(end_set, h.set);
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
    h.grains = new_grains(h.set, &desc);
    tact_grain_law other = *law;
    other.friction = 0.9f;
    expect_good(tact_body_grains_set_law(h.grains, 0, 1, &other));
    expect_good(tact_body_grains_set_matter(h.grains, ids, count, matter, true));
    // The wall at 2.2 comes in, and the one before it swings.
    const uint32_t walls[2] = {2, 3};
    const float velocities[6] = {-0.2f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, spins[6] = {0, 0, 0, 0.02f, 0.0f, 0.0f};
    expect_good(tact_body_grains_write(h.grains, walls, 2, velocities, spins));
    h.fixed = 5;
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
        for (int k = 0; k < 8; ++k) {
            step(&right, TACT_BACKEND_REFERENCE, 1, substeps, 12);
            step(&h, tested, 1 + k % 3, substeps, 12);
            expect_same(state_of(&right), state_of(&h));
        }
        const heap_state* s = state_of(&h);
        printf(
            "substeps %u contacts %zu points %zu deepest %g searches slowed %llu  E kin %g rot %g el %g pot %g dis %g "
            "work %g sum %g\n",
            substeps, s->totals.contacts, s->totals.points, s->totals.deepest, (unsigned long long)s->totals.slowed,
            s->totals.kinetic_energy, s->totals.rotational_energy, s->totals.elastic_energy, s->totals.potential_energy,
            s->totals.dissipated_energy, s->totals.work,
            s->totals.kinetic_energy + s->totals.rotational_energy + s->totals.elastic_energy +
                s->totals.potential_energy + s->totals.dissipated_energy - s->totals.work);
        tact_body_grains_totals t;
        tact_body_grains_measure(h.grains, &t);
        printf("searches %llu of %llu\n", (unsigned long long)t.searches, (unsigned long long)t.substeps);
        assert_true(s->totals.points > 60);
    }
}

#include TEST_LIST

#include "tests/support/one_backend.h"

int main(int argc, char** argv)
{
    return run_one_backend(argc, argv, &tested);
}
