// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tact/tact.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/random.h"

// Overlap of meshes by the reference and by the CPU's engine: what must be found is known by construction, or both must
// agree to the byte.

static tact_context* context;

static int setup(void** state)
{
    (void)state;
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 3};
    return tact_context_create(&desc, &context) == TACT_OK ? 0 : -1;
}

static int teardown(void** state)
{
    (void)state;
    tact_context_destroy(context);
    return 0;
}

static const uint32_t box_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void box_at(float x, float y, float z, float half, float* positions)
{
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = x + (i & 1 ? half : -half);
        positions[3 * i + 1] = y + (i & 2 ? half : -half);
        positions[3 * i + 2] = z + (i & 4 ? half : -half);
    }
}

static tact_mesh* make(const float* positions, size_t vertices, const uint32_t* indices, size_t triangles)
{
    const tact_mesh_desc desc = {
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
    tact_mesh* mesh = NULL;
    assert_int_equal(tact_mesh_create(context, &desc, &mesh), TACT_OK);
    return mesh;
}

static tact_mesh* make_box(float x, float y, float z, float half)
{
    float p[24];
    box_at(x, y, z, half, p);
    return make(p, 8, box_indices, 12);
}

static const tact_backend hosts[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU};

static int relation(tact_mesh* a, tact_mesh* b, const float pose[12], bool solid, tact_backend backend)
{
    const tact_query_options options = {.backend = backend};
    uint8_t r = 99;
    assert_int_equal(tact_mesh_overlap(a, b, pose ? (const float(*)[12])pose : NULL, 1, solid, &r, &options, NULL),
                     TACT_OK);
    return r;
}

static void boxes_by_construction(void** state)
{
    (void)state;
    tact_mesh *big = make_box(0, 0, 0, 1), *small = make_box(0, 0, 0, 0.25f), *far = make_box(5, 0, 0, 1);
    tact_mesh *beside = make_box(2, 0, 0, 1), *apart = make_box(2.0001f, 0, 0, 1);
    const float out_of_range[12] = {1e30f, 0, 0, 0, 0, 1e30f, 0, 0, 0, 0, 1e30f, 0};
    const float flat[12] = {0};
    for (int i = 0; i < 2; ++i) {
        const tact_backend host = hosts[i];
        assert_int_equal(relation(big, small, NULL, true, host), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(small, big, NULL, true, host), TACT_MESHES_A_INSIDE);
        assert_int_equal(relation(small, big, NULL, false, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, far, NULL, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, beside, NULL, true, host), TACT_MESHES_INTERSECT);
        assert_int_equal(relation(big, apart, NULL, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, big, NULL, true, host), TACT_MESHES_INTERSECT);
        assert_int_equal(relation(big, small, out_of_range, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, small, flat, true, host), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(small, big, flat, true, host), TACT_MESHES_B_INSIDE);
    }
    tact_mesh_info info;
    assert_int_equal(tact_mesh_get_info(big, &info), TACT_OK);
    assert_true(info.closed);
    assert_int_equal(info.triangles, 12);
    tact_mesh_destroy(big);
    tact_mesh_destroy(small);
    tact_mesh_destroy(far);
    tact_mesh_destroy(beside);
    tact_mesh_destroy(apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_by_construction),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
