// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Image-space tests in the caller's OpenGL context: its state stays as it was, and its buffers are read where they
/// are. Include after image_shapes.h.

#include "tests/support/gl_state.h"
#include "tests/support/objects.h"

#ifdef TACT_HAVE_GL

static void test_state_untouched(void** state)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    test_random r = test_random_seeded(6104);
    image_shape s;
    image_make_shape(&r, 1, &s);
    float poses[20][2][12];
    static float pa[20][12], pb[20][12];
    for (int i = 0; i < 20; ++i) {
        image_random_pair(&r, &s, &s, 0.2f, 1.0f, pa[i], pb[i]);
        memcpy(poses[i][0], pa[i], sizeof pa[i]);
    }
    const tact_image_body a = image_body_of(&s, (const float(*)[12])pa, 20);
    const tact_image_body b = image_body_of(&s, (const float(*)[12])pb, 20);
    tact_image_result plain[2][20], unusual[2][20];
    tact_image_tester* tester = new_image_tester(c->context);
    for (int m = 0; m < 2; ++m) {
        const tact_image_options options = {.method = (tact_image_method)m, .resolution = 32};
        assert_int_equal(call_image_convex(tester, &a, &b, &options, plain[m], 20), TACT_OK);
    }
    tact_image_tester_destroy(tester);
    unusual_state(gl);
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    const state_values before = all_state(gl);
    assert_int_equal(tact_image_tester_create(c->context, &tester), TACT_OK);
    for (int m = 0; m < 2; ++m) {
        const tact_image_options options = {.method = (tact_image_method)m, .resolution = 32};
        assert_int_equal(call_image_convex(tester, &a, &b, &options, unusual[m], 20), TACT_OK);
    }
    tact_image_tester_destroy(tester);
    expect_state(gl, &before, "convex tests");
    assert_memory_equal(plain, unusual, sizeof plain);

    // A count of the caller's own would count our samples.
    usual_state(gl);
    GLuint query = 0;
    tact_image_result none[20];
    gl->GenQueries(1, &query);
    gl->BeginQuery(GL_SAMPLES_PASSED, query);
    assert_int_equal(tact_image_tester_create(c->context, &tester), TACT_OK);
    assert_int_equal(call_image_convex(tester, &a, &b, NULL, none, 20), TACT_ERROR_INVALID_ARGUMENT);
    gl->EndQuery(GL_SAMPLES_PASSED);
    assert_int_equal(call_image_convex(tester, &a, &b, NULL, none, 20), TACT_OK);
    tact_image_tester_destroy(tester);
    gl->DeleteQueries(1, &query);
    tact_hull_mesh_free(&s.hull);
}

// An object whose vertices move in the caller's buffer from frame to frame, against the same from the host.
static void test_deforming(void** state)
{
    caller* c = caller_require(state);
    enum { WORDS = 5, FRAMES = 12 };
    test_random r = test_random_seeded(6105);
    image_shape a, b;
    image_make_shape(&r, 0, &a);
    image_make_shape(&r, 2, &b);
    static float rows[IMAGE_POINTS_MAX * WORDS];
    const size_t index_bytes = b.hull.triangle_count * 12;
    const tact_device_array positions = caller_make_array(c, sizeof rows + 64, 64);
    const tact_device_array indices = caller_make_array(c, index_bytes + 16, 16);
    caller_write_array(c, &indices, b.hull.triangles, index_bytes);
    tact_image_tester* tester = KEEP(new_image_tester(c->context));
    const tact_image_body body_a = image_body_of(&a, NULL, 0);
    tact_image_body on_host = image_body_of(&b, NULL, 0), on_device = on_host;
    on_device.mesh.positions = NULL;
    on_device.mesh.indices = NULL;
    on_device.mesh.device_positions = &positions;
    on_device.mesh.device_indices = &indices;
    on_device.mesh.position_stride = on_host.mesh.position_stride = WORDS * 4;
    on_host.mesh.positions = rows;
    float reach = 0;
    for (uint32_t i = 0; i < b.count; ++i)
        reach = fmaxf(reach, b.points[i].x);
    size_t hits = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (uint32_t i = 0; i < b.count; ++i) {
            const float grown = 0.2f + 0.15f * (float)frame;
            rows[WORDS * i] = b.points[i].x * grown + fabsf(a.points[0].x) + reach;
            rows[WORDS * i + 1] = b.points[i].y;
            rows[WORDS * i + 2] = b.points[i].z;
        }
        caller_write_array(c, &positions, rows, sizeof rows);
        for (int m = 0; m < 2; ++m) {
            const tact_image_options options = {.method = (tact_image_method)m, .resolution = 64};
            tact_image_result host, device;
            assert_int_equal(call_image_convex(tester, &body_a, &on_host, &options, &host, 1), TACT_OK);
            assert_int_equal(call_image_convex(tester, &body_a, &on_device, &options, &device, 1), TACT_OK);
            assert_int_equal(host.overlap, device.overlap);
            assert_memory_equal(host.samples, device.samples, sizeof host.samples);
            if (host.drawn) {
                // The tolerance may be larger: the device finds the balls in single floats.
                assert_true(device.depth >= host.depth * 0.999f && device.depth <= host.depth * 1.01f);
                assert_float_equal(host.gap, device.gap, 1e-6);
            }
            // The CPU brings the arrays to the host.
            const tact_image_work work = {
                .a = &body_a, .b = &on_device, .options = &options, .results = &device, .count = 1};
            const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
            assert_int_equal(tact_image_convex(tester, &work, &cpu, NULL), TACT_OK);
            assert_memory_equal(&device, &host, sizeof host);
            hits += host.overlap;
        }
    }
    assert_true(hits > 2 && hits < 2 * FRAMES - 2);
    // What cannot be in the caller's buffers.
    tact_image_result none;
    rows[7] = NAN;
    caller_write_array(c, &positions, rows, sizeof rows);
    assert_int_equal(call_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    const tact_image_bounds bounds = {.lower = {-9, -9, -9}, .upper = {9, 9, 9}};
    on_device.bounds = &bounds;
    on_device.closed = true;
    assert_int_equal(call_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_image_concave(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    on_device.bounds = NULL;
    rows[7] = 0;
    caller_write_array(c, &positions, rows, sizeof rows);
    const uint32_t past = b.count;
    caller_write_array(c, &indices, &past, 4);
    assert_int_equal(call_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    on_device.mesh.vertex_count = 100000;
    assert_int_equal(call_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    tact_hull_mesh_free(&a.hull);
    tact_hull_mesh_free(&b.hull);
}

#else

static void test_state_untouched(void** state)
{
    skip_because("built without OpenGL");
}
static void test_deforming(void** state)
{
    skip_because("built without OpenGL");
}

#endif
