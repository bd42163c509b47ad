// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Image-space tests in the caller's OpenGL context: its state stays as it was, and its buffers are read where they
/// are. Include after image_shapes.h.

#include "tests/support/caller.h"

#ifdef TACT_HAVE_GL

enum { STATE_VALUES = 512 };

typedef struct state_values {
    double value[STATE_VALUES];
    GLenum name[STATE_VALUES];
    size_t count;
} state_values;

static void note(state_values* s, GLenum name, double value)
{
    assert_true(s->count < STATE_VALUES);
    s->name[s->count] = name;
    s->value[s->count++] = value;
}

static void note_numbers(const GladGLContext* gl, state_values* s)
{
    static const GLenum one[] = {GL_DRAW_FRAMEBUFFER_BINDING,
                                 GL_READ_FRAMEBUFFER_BINDING,
                                 GL_RENDERBUFFER_BINDING,
                                 GL_VERTEX_ARRAY_BINDING,
                                 GL_ARRAY_BUFFER_BINDING,
                                 GL_DRAW_INDIRECT_BUFFER_BINDING,
                                 GL_PIXEL_PACK_BUFFER_BINDING,
                                 GL_PIXEL_UNPACK_BUFFER_BINDING,
                                 GL_UNIFORM_BUFFER_BINDING,
                                 GL_SHADER_STORAGE_BUFFER_BINDING,
                                 GL_COPY_READ_BUFFER_BINDING,
                                 GL_COPY_WRITE_BUFFER_BINDING,
                                 GL_CURRENT_PROGRAM,
                                 GL_PROGRAM_PIPELINE_BINDING,
                                 GL_ACTIVE_TEXTURE,
                                 GL_TEXTURE_BINDING_2D,
                                 GL_PACK_ALIGNMENT,
                                 GL_PACK_ROW_LENGTH,
                                 GL_PACK_SKIP_PIXELS,
                                 GL_PACK_SKIP_ROWS,
                                 GL_PACK_SWAP_BYTES,
                                 GL_PACK_LSB_FIRST,
                                 GL_PACK_IMAGE_HEIGHT,
                                 GL_PACK_SKIP_IMAGES,
                                 GL_UNPACK_ALIGNMENT,
                                 GL_DEPTH_FUNC,
                                 GL_DEPTH_WRITEMASK,
                                 GL_STENCIL_FUNC,
                                 GL_STENCIL_REF,
                                 GL_STENCIL_VALUE_MASK,
                                 GL_STENCIL_WRITEMASK,
                                 GL_STENCIL_FAIL,
                                 GL_STENCIL_PASS_DEPTH_FAIL,
                                 GL_STENCIL_PASS_DEPTH_PASS,
                                 GL_STENCIL_BACK_FUNC,
                                 GL_STENCIL_BACK_REF,
                                 GL_STENCIL_BACK_VALUE_MASK,
                                 GL_STENCIL_BACK_WRITEMASK,
                                 GL_STENCIL_BACK_FAIL,
                                 GL_STENCIL_BACK_PASS_DEPTH_FAIL,
                                 GL_STENCIL_BACK_PASS_DEPTH_PASS,
                                 GL_CULL_FACE_MODE,
                                 GL_FRONT_FACE,
                                 GL_POLYGON_OFFSET_FACTOR,
                                 GL_POLYGON_OFFSET_UNITS,
                                 GL_LINE_WIDTH,
                                 GL_POINT_SIZE,
                                 GL_PROVOKING_VERTEX,
                                 GL_DEPTH_CLEAR_VALUE,
                                 GL_STENCIL_CLEAR_VALUE,
                                 GL_PRIMITIVE_RESTART_INDEX,
                                 GL_LOGIC_OP_MODE,
                                 GL_ELEMENT_ARRAY_BUFFER_BINDING};
    for (size_t i = 0; i < sizeof one / sizeof one[0]; ++i) {
        GLfloat v[4] = {0};
        gl->GetFloatv(one[i], v);
        note(s, one[i], (double)v[0]);
    }
    GLfloat colour[4];
    gl->GetFloatv(GL_COLOR_CLEAR_VALUE, colour);
    GLint mode[2] = {0, 0};
    gl->GetIntegerv(GL_POLYGON_MODE, mode);
    note(s, GL_POLYGON_MODE, mode[0]);
    for (int i = 0; i < 4; ++i)
        note(s, GL_COLOR_CLEAR_VALUE, (double)colour[i]);
}

static void note_indexed(const GladGLContext* gl, state_values* s)
{
    static const GLenum blend[] = {GL_BLEND_EQUATION_RGB, GL_BLEND_EQUATION_ALPHA, GL_BLEND_SRC_RGB,
                                   GL_BLEND_SRC_ALPHA,    GL_BLEND_DST_RGB,        GL_BLEND_DST_ALPHA};
    for (GLuint i = 0; i < 8; ++i) {
        GLint mask[4];
        gl->GetIntegeri_v(GL_COLOR_WRITEMASK, i, mask);
        for (int k = 0; k < 4; ++k)
            note(s, GL_COLOR_WRITEMASK, mask[k]);
        note(s, GL_BLEND, gl->IsEnabledi(GL_BLEND, i));
        for (int k = 0; k < 6; ++k) {
            GLint v = 0;
            gl->GetIntegeri_v(blend[k], i, &v);
            note(s, blend[k], v);
        }
    }
    for (GLuint i = 0; i < 16; ++i) {
        GLfloat viewport[4];
        GLdouble range[2];
        GLint scissor[4];
        gl->GetFloati_v(GL_VIEWPORT, i, viewport);
        gl->GetDoublei_v(GL_DEPTH_RANGE, i, range);
        gl->GetIntegeri_v(GL_SCISSOR_BOX, i, scissor);
        for (int k = 0; k < 4; ++k) {
            note(s, GL_VIEWPORT, (double)viewport[k]);
            note(s, GL_SCISSOR_BOX, scissor[k]);
        }
        note(s, GL_DEPTH_RANGE, range[0]);
        note(s, GL_DEPTH_RANGE, range[1]);
        note(s, GL_SCISSOR_TEST, gl->IsEnabledi(GL_SCISSOR_TEST, i));
    }
}

static void note_switches(const GladGLContext* gl, state_values* s)
{
    static const GLenum switches[] = {GL_DEPTH_TEST,
                                      GL_STENCIL_TEST,
                                      GL_CULL_FACE,
                                      GL_POLYGON_OFFSET_FILL,
                                      GL_POLYGON_OFFSET_LINE,
                                      GL_POLYGON_OFFSET_POINT,
                                      GL_DEPTH_CLAMP,
                                      GL_RASTERIZER_DISCARD,
                                      GL_MULTISAMPLE,
                                      GL_SAMPLE_ALPHA_TO_COVERAGE,
                                      GL_SAMPLE_ALPHA_TO_ONE,
                                      GL_SAMPLE_COVERAGE,
                                      GL_SAMPLE_MASK,
                                      GL_SAMPLE_SHADING,
                                      GL_COLOR_LOGIC_OP,
                                      GL_DITHER,
                                      GL_FRAMEBUFFER_SRGB,
                                      GL_PRIMITIVE_RESTART,
                                      GL_PRIMITIVE_RESTART_FIXED_INDEX,
                                      GL_PROGRAM_POINT_SIZE,
                                      GL_LINE_SMOOTH,
                                      GL_POLYGON_SMOOTH,
                                      GL_CLIP_DISTANCE0,
                                      GL_CLIP_DISTANCE3,
                                      GL_CLIP_DISTANCE7,
                                      GL_TEXTURE_CUBE_MAP_SEAMLESS};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; ++i)
        note(s, switches[i], gl->IsEnabled(switches[i]));
}

static state_values all_state(const GladGLContext* gl)
{
    state_values s = {.count = 0};
    note_numbers(gl, &s);
    note_indexed(gl, &s);
    note_switches(gl, &s);
    return s;
}

// A caller that has changed whatever there is.
static void unusual_state(const GladGLContext* gl)
{
    static const GLenum on[] = {GL_DEPTH_TEST,     GL_STENCIL_TEST,         GL_CULL_FACE,
                                GL_SCISSOR_TEST,   GL_POLYGON_OFFSET_FILL,  GL_COLOR_LOGIC_OP,
                                GL_DEPTH_CLAMP,    GL_RASTERIZER_DISCARD,   GL_SAMPLE_COVERAGE,
                                GL_CLIP_DISTANCE0, GL_CLIP_DISTANCE7,       GL_PRIMITIVE_RESTART,
                                GL_BLEND,          GL_PROGRAM_POINT_SIZE,   GL_SAMPLE_ALPHA_TO_COVERAGE,
                                GL_SAMPLE_MASK,    GL_POLYGON_OFFSET_POINT, GL_FRAMEBUFFER_SRGB};
    GLuint names[6];
    gl->GenFramebuffers(2, names);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, names[0]);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, names[1]);
    gl->GenRenderbuffers(1, &names[2]);
    gl->BindRenderbuffer(GL_RENDERBUFFER, names[2]);
    gl->GenVertexArrays(1, &names[3]);
    gl->BindVertexArray(names[3]);
    gl->GenBuffers(2, &names[4]);
    gl->BindBuffer(GL_ARRAY_BUFFER, names[4]);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[5]);
    gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, names[5]);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, names[4]);
    for (size_t i = 0; i < sizeof on / sizeof on[0]; ++i)
        gl->Enable(on[i]);
    gl->Disablei(GL_BLEND, 1);
    gl->PixelStorei(GL_PACK_ROW_LENGTH, 77);
    gl->PixelStorei(GL_PACK_SKIP_ROWS, 3);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 8);
    gl->ColorMaski(0, GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
    gl->ColorMaski(3, GL_FALSE, GL_FALSE, GL_TRUE, GL_TRUE);
    gl->BlendEquationSeparatei(0, GL_MIN, GL_FUNC_SUBTRACT);
    gl->BlendFuncSeparatei(2, GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_DST_COLOR);
    gl->DepthFunc(GL_NOTEQUAL);
    gl->DepthMask(GL_FALSE);
    gl->DepthRangeIndexed(0, 0.25, 0.5);
    gl->ViewportIndexedf(0, 1, 2, 3, 4);
    gl->ViewportIndexedf(5, 5, 6, 7, 8);
    gl->ScissorIndexed(0, 1, 1, 2, 2);
    gl->StencilFuncSeparate(GL_FRONT, GL_LESS, 3, 0x0f);
    gl->StencilFuncSeparate(GL_BACK, GL_GREATER, 5, 0xf0);
    gl->StencilOpSeparate(GL_FRONT, GL_ZERO, GL_INVERT, GL_INCR);
    gl->StencilMaskSeparate(GL_BACK, 0x3c);
    gl->CullFace(GL_FRONT_AND_BACK);
    gl->FrontFace(GL_CW);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    gl->PolygonOffset(2.0f, 3.0f);
    gl->LineWidth(1.0f);
    gl->ClearColor(0.1f, 0.2f, 0.3f, 0.4f);
    gl->ClearDepth(0.75);
}

static void usual_state(const GladGLContext* gl)
{
    gl->Disable(GL_RASTERIZER_DISCARD);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

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
    tact_image_tester* tester = NULL;
    assert_int_equal(tact_image_tester_create(c->context, &tester), TACT_OK);
    for (int m = 0; m < 2; ++m) {
        const tact_image_options options = {(tact_image_method)m, 32};
        assert_int_equal(tact_image_convex(tester, &a, &b, &options, plain[m], 20), TACT_OK);
    }
    tact_image_tester_destroy(tester);
    unusual_state(gl);
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    state_values before = all_state(gl);
    assert_int_equal(tact_image_tester_create(c->context, &tester), TACT_OK);
    for (int m = 0; m < 2; ++m) {
        const tact_image_options options = {(tact_image_method)m, 32};
        assert_int_equal(tact_image_convex(tester, &a, &b, &options, unusual[m], 20), TACT_OK);
    }
    tact_image_tester_destroy(tester);
    const state_values after = all_state(gl);
    assert_int_equal(before.count, after.count);
    for (size_t i = 0; i < before.count; ++i) {
        if (before.value[i] != after.value[i]) {
            fail_msg("state 0x%04x: %g before, %g after", (unsigned)before.name[i], before.value[i], after.value[i]);
        }
    }
    assert_memory_equal(plain, unusual, sizeof plain);

    // A count of the caller's own would count our samples.
    usual_state(gl);
    GLuint query = 0;
    tact_image_result none[20];
    gl->GenQueries(1, &query);
    gl->BeginQuery(GL_SAMPLES_PASSED, query);
    assert_int_equal(tact_image_tester_create(c->context, &tester), TACT_OK);
    assert_int_equal(tact_image_convex(tester, &a, &b, NULL, none, 20), TACT_ERROR_INVALID_ARGUMENT);
    gl->EndQuery(GL_SAMPLES_PASSED);
    assert_int_equal(tact_image_convex(tester, &a, &b, NULL, none, 20), TACT_OK);
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
    tact_image_tester* tester = NULL;
    assert_int_equal(tact_image_tester_create(c->context, &tester), TACT_OK);
    const tact_image_body body_a = image_body_of(&a, NULL, 0);
    tact_image_body on_host = image_body_of(&b, NULL, 0), on_device = on_host;
    on_device.positions = NULL;
    on_device.indices = NULL;
    on_device.device_positions = &positions;
    on_device.device_indices = &indices;
    on_device.position_stride = on_host.position_stride = WORDS * 4;
    on_host.positions = rows;
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
            const tact_image_options options = {(tact_image_method)m, 64};
            tact_image_result host, device;
            assert_int_equal(tact_image_convex(tester, &body_a, &on_host, &options, &host, 1), TACT_OK);
            assert_int_equal(tact_image_convex(tester, &body_a, &on_device, &options, &device, 1), TACT_OK);
            assert_int_equal(host.overlap, device.overlap);
            assert_memory_equal(host.samples, device.samples, sizeof host.samples);
            if (host.drawn) {
                // The tolerance may be larger: the device finds the balls in single floats.
                assert_true(device.depth >= host.depth * 0.999f && device.depth <= host.depth * 1.01f);
                assert_float_equal(host.gap, device.gap, 1e-6);
            }
            hits += host.overlap;
        }
    }
    assert_true(hits > 2 && hits < 2 * FRAMES - 2);
    // What cannot be in the caller's buffers.
    tact_image_result none;
    rows[7] = NAN;
    caller_write_array(c, &positions, rows, sizeof rows);
    assert_int_equal(tact_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    rows[7] = 0;
    caller_write_array(c, &positions, rows, sizeof rows);
    const uint32_t past = b.count;
    caller_write_array(c, &indices, &past, 4);
    assert_int_equal(tact_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    on_device.vertex_count = 100000;
    assert_int_equal(tact_image_convex(tester, &body_a, &on_device, NULL, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    tact_image_tester_destroy(tester);
    caller_free_array(c, &positions);
    caller_free_array(c, &indices);
    tact_hull_mesh_free(&a.hull);
    tact_hull_mesh_free(&b.hull);
}

#else

static void test_state_untouched(void** state)
{
    (void)state;
    skip();
}
static void test_deforming(void** state)
{
    (void)state;
    skip();
}

#endif
