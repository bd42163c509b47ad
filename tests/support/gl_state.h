// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a caller's OpenGL context has that drawing could change: to be compared before and after, and to be set to what
/// is unusual. Include after run.h.

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
                                 GL_TEXTURE_BINDING_2D_MULTISAMPLE,
                                 GL_PATCH_VERTICES,
                                 GL_SAMPLE_COVERAGE_VALUE,
                                 GL_MIN_SAMPLE_SHADING_VALUE,
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
                                 GL_ELEMENT_ARRAY_BUFFER_BINDING,
                                 GL_SHADER_STORAGE_BUFFER_BINDING};
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
    for (GLuint i = 0; i < 8; ++i) {
        static const GLenum range[] = {GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START,
                                       GL_SHADER_STORAGE_BUFFER_SIZE};
        for (int k = 0; k < 3; ++k) {
            GLint64 v = 0;
            gl->GetInteger64i_v(range[k], i, &v);
            note(s, range[k], (double)v);
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

/// Fails unless the context's state is still that, after `what`.
static void expect_state(const GladGLContext* gl, const state_values* before, const char* what)
{
    const state_values after = all_state(gl);
    assert_int_equal(before->count, after.count);
    for (size_t i = 0; i < before->count; ++i) {
        if (before->value[i] == after.value[i]) continue;
        fail_msg("%s: state 0x%04x: %g before, %g after", what, (unsigned)before->name[i], before->value[i],
                 after.value[i]);
    }
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
    gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, names[4]);
    gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, names[5]);
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

#endif
