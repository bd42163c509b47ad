// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts on devices that no made-up call of test_conformance has: hulls so large, and so deep in each other, that
// software would end a kernel's loops; whole sets with parts of parts, and more of those than a pair searches there.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { CORNERS = 240, PAIRS = 24 };

static void expect_the_hosts(tact_backend backend)
{
    tact_context* context = KEEP(new_context(NULL));
    need_device(context, backend);
    test_random r = test_random_seeded(1);
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    // Of 240 corners, and of 40, which stay within what software allows.
    for (uint32_t k = 0; k < 2; ++k) {
        tact_vec3 points[CORNERS];
        const size_t count = k ? 40 : CORNERS;
        for (size_t i = 0; i < count; ++i) {
            const float x = test_random_signed(&r), y = test_random_signed(&r), z = 0.1f + test_random_unit(&r);
            const float length = sqrtf(x * x + y * y + z * z);
            points[i] = (tact_vec3){x / length, y / length, (i % 2 ? z : -z) / length};
        }
        uint32_t number;
        const tact_body_shape hull = {.kind = TACT_BODY_HULL, .points = points, .point_count = count};
        assert_int_equal(tact_bodies_add_shape(set, &hull, &number), TACT_OK);
    }
    tact_body bodies[2 * PAIRS] = {0};
    tact_pair pairs[PAIRS];
    for (uint32_t i = 0; i < 2 * PAIRS; ++i) {
        bodies[i].shape = i / 2 % 3 == 2 ? i % 2 : i / 2 % 3;
        bodies[i].pose.x = i % 4 ? 0.0 : 1e-3 * (double)test_random_signed(&r);
        bodies[i].pose.rotation =
            (tact_quat){test_random_signed(&r), test_random_signed(&r), test_random_signed(&r), 0.75f};
        pairs[i / 2] = (tact_pair){i - i % 2, i - i % 2 + 1};
    }
    assert_int_equal(tact_bodies_add(set, bodies, 2 * PAIRS, NULL), TACT_OK);
    tact_contact host[PAIRS], found[PAIRS];
    size_t counts[2];
    const tact_query_options on_host = {.backend = TACT_BACKEND_CPU}, on_device = {.backend = backend};
    assert_int_equal(
        tact_contacts_find(
            set,
            &(tact_contacts_work){
                .pairs = pairs, .pair_count = PAIRS, .contacts = host, .capacity = PAIRS, .count = &counts[0]},
            &on_host, NULL),
        TACT_OK);
    const tact_contacts_work work = {
        .pairs = pairs, .pair_count = PAIRS, .contacts = found, .capacity = PAIRS, .count = &counts[1]};
    assert_int_equal(tact_contacts_find(set, &work, &on_device, NULL), TACT_OK);
    assert_int_equal(counts[0], PAIRS);
    assert_int_equal(counts[1], PAIRS);
    assert_memory_equal(found, host, sizeof found);
}

TEST(large_hulls_on_opengl)
{
    expect_the_hosts(TACT_BACKEND_GL);
}

TEST(large_hulls_on_opencl)
{
    expect_the_hosts(TACT_BACKEND_CL);
}

static uint32_t add_shape(tact_bodies* set, tact_body_shape shape)
{
    uint32_t number = 0;
    assert_int_equal(tact_bodies_add_shape(set, &shape, &number), TACT_OK);
    return number;
}

static tact_quat turn(test_random* r)
{
    return (tact_quat){test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.75f};
}

/// A terrain, a mesh, compounds of boxes, balls and hulls, a half-space. Compounds over the terrain are parts against
/// parts. `far` from the origin the surface is B, and a ball, the half-space and larger compounds touch so many
/// triangles that software leaves these pairs to the host.
static tact_bodies* new_landscape(tact_context* context, double far, test_random* r)
{
    enum { GRID = 96, BODIES = 400 };
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    float* heights = scratch(GRID * GRID * sizeof *heights);
    for (size_t i = 0; i < GRID * GRID; ++i)
        heights[i] = 0.3f * test_random_signed(r);
    tact_vec3 points[40];
    uint32_t triangles[96];
    for (size_t i = 0; i < 40; ++i)
        points[i] = (tact_vec3){test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    for (size_t i = 0; i < 96; ++i)
        triangles[i] = test_random_below(r, 40);
    const uint32_t field = add_shape(set, (tact_body_shape){.kind = TACT_BODY_HEIGHT_FIELD,
                                                            .half = {0.5f, 0, 0.5f},
                                                            .heights = heights,
                                                            .columns = GRID,
                                                            .rows = GRID});
    const uint32_t mesh = add_shape(
        set,
        (tact_body_shape){
            .kind = TACT_BODY_MESH, .points = points, .point_count = 40, .triangles = triangles, .triangle_count = 32});
    const uint32_t box = add_shape(set, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.4f, 0.2f, 0.3f}}),
                   ball = add_shape(set, (tact_body_shape){.radius = 0.4f}),
                   hull =
                       add_shape(set, (tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = 20}),
                   plane = add_shape(set, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE}),
                   giant = add_shape(set, (tact_body_shape){.radius = 60.0f});
    tact_body_part parts[24];
    for (uint32_t i = 0; i < 24; ++i)
        parts[i] = (tact_body_part){.shape = i % 3 == 0   ? box
                                             : i % 3 == 1 ? ball
                                                          : hull,
                                    .scale = 0.5f + test_random_unit(r),
                                    .position = {test_random_signed(r), test_random_signed(r), test_random_signed(r)},
                                    .rotation = turn(r)};
    const uint32_t compound =
        add_shape(set, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = far > 0.0 ? 24 : 5});
    const uint32_t moving[] = {mesh, box, ball, hull, compound, compound};
    tact_body bodies[BODIES + 3] = {{.shape = field}, {.shape = plane}, {.shape = giant}};
    for (uint32_t i = 0; i < BODIES; ++i) {
        bodies[i + 3] = (tact_body){.shape = moving[i % 6], .margin = i % 4 ? 0.0f : 0.05f};
        bodies[i + 3].pose = (tact_pose){.x = 14.0 + 14.0 * (double)test_random_signed(r),
                                         .y = 1.5 * (double)test_random_signed(r),
                                         .z = 14.0 + 14.0 * (double)test_random_signed(r),
                                         .rotation = turn(r),
                                         .scale = i % 5 ? 0.0f : 0.4f};
    }
    bodies[1].pose.y = -1.5;
    if (far == 0.0) bodies[1].shape = box;
    bodies[2].pose = (tact_pose){.x = 24.0, .y = far > 0.0 ? 59.5 : 99.0, .z = 24.0};
    for (uint32_t i = 0; i < BODIES + 3; ++i)
        bodies[i].pose.x += far;
    const tact_body field_body = bodies[0];
    assert_int_equal(tact_bodies_add(set, bodies + (far > 0.0), BODIES + 3 - (far > 0.0), NULL), TACT_OK);
    if (far > 0.0) assert_int_equal(tact_bodies_add(set, &field_body, 1, NULL), TACT_OK);
    return set;
}

static void expect_a_landscape(tact_backend backend)
{
    tact_context* context = KEEP(new_context(NULL));
    need_device(context, backend);
    test_random r = test_random_seeded(7);
    size_t counts[2];
    for (int round = 0; round < 2; ++round) {
        tact_bodies* set = new_landscape(context, round ? 3e6 : 0.0, &r);
        const tact_query_options on_host = {.backend = TACT_BACKEND_CPU},
                                 on_device = {.backend = backend, .no_fallback = true};
        assert_int_equal(tact_contacts_find(set, &(tact_contacts_work){.count = &counts[0]}, &on_host, NULL), TACT_OK);
        tact_contact* host = scratch(counts[0] * sizeof *host);
        memcpy(host, tact_contacts_last(set, &counts[0]), counts[0] * sizeof *host);
        assert_true(counts[0] > 1000);
        // Again, with what is kept.
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(tact_contacts_find(set, &(tact_contacts_work){.count = &counts[1]}, &on_device, NULL),
                             TACT_OK);
            assert_int_equal(counts[1], counts[0]);
            assert_memory_equal(tact_contacts_last(set, &counts[1]), host, counts[0] * sizeof *host);
        }
    }
}

TEST(a_landscape_on_opengl)
{
    expect_a_landscape(TACT_BACKEND_GL);
}

TEST(a_landscape_on_opencl)
{
    expect_a_landscape(TACT_BACKEND_CL);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
