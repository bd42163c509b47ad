// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts on devices that no made-up call of test_conformance has: hulls so large, and so deep in each other, that
// software would end a kernel's loops.
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

#include TEST_LIST
RUN_ALL(NULL, NULL)
