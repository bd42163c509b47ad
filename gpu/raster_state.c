// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/raster_state.h"

// Scissor test and blending are not among them: they have a switch for each viewport and colour.
static const GLenum capabilities[TACT_RASTER_CAPABILITIES] = {GL_DEPTH_TEST,          GL_STENCIL_TEST,
                                                              GL_CULL_FACE,           GL_POLYGON_OFFSET_FILL,
                                                              GL_POLYGON_OFFSET_LINE, GL_POLYGON_OFFSET_POINT,
                                                              GL_DEPTH_CLAMP,         GL_RASTERIZER_DISCARD,
                                                              GL_MULTISAMPLE,         GL_SAMPLE_ALPHA_TO_COVERAGE,
                                                              GL_SAMPLE_ALPHA_TO_ONE, GL_SAMPLE_COVERAGE,
                                                              GL_SAMPLE_MASK,         GL_SAMPLE_SHADING,
                                                              GL_COLOR_LOGIC_OP,      GL_FRAMEBUFFER_SRGB,
                                                              GL_PRIMITIVE_RESTART,   GL_PRIMITIVE_RESTART_FIXED_INDEX,
                                                              GL_PROGRAM_POINT_SIZE,  GL_LINE_SMOOTH,
                                                              GL_POLYGON_SMOOTH};

static const GLenum packing[8] = {GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST,    GL_PACK_ROW_LENGTH,  GL_PACK_SKIP_PIXELS,
                                  GL_PACK_SKIP_ROWS,  GL_PACK_IMAGE_HEIGHT, GL_PACK_SKIP_IMAGES, GL_PACK_ALIGNMENT};

void tact_raster_packing_save(const GladGLContext* gl, GLint pack[8])
{
    for (int i = 0; i < 8; ++i)
        gl->GetIntegerv(packing[i], &pack[i]);
}

void tact_raster_packing_restore(const GladGLContext* gl, const GLint pack[8])
{
    for (int i = 0; i < 8; ++i)
        gl->PixelStorei(packing[i], pack[i]);
}

void tact_raster_packing_default(const GladGLContext* gl)
{
    for (int i = 0; i < 7; ++i)
        gl->PixelStorei(packing[i], 0);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
}

static void save_stencil(const GladGLContext* gl, tact_raster_stencil_face face[2])
{
    static const GLenum names[2][7] = {
        {GL_STENCIL_FUNC, GL_STENCIL_REF, GL_STENCIL_VALUE_MASK, GL_STENCIL_WRITEMASK, GL_STENCIL_FAIL,
         GL_STENCIL_PASS_DEPTH_FAIL, GL_STENCIL_PASS_DEPTH_PASS},
        {GL_STENCIL_BACK_FUNC, GL_STENCIL_BACK_REF, GL_STENCIL_BACK_VALUE_MASK, GL_STENCIL_BACK_WRITEMASK,
         GL_STENCIL_BACK_FAIL, GL_STENCIL_BACK_PASS_DEPTH_FAIL, GL_STENCIL_BACK_PASS_DEPTH_PASS}};
    for (int i = 0; i < 2; ++i) {
        GLint* to[7] = {&face[i].func, &face[i].reference,  &face[i].read,      &face[i].write,
                        &face[i].fail, &face[i].depth_fail, &face[i].depth_pass};
        for (int k = 0; k < 7; ++k)
            gl->GetIntegerv(names[i][k], to[k]);
    }
}

static void save_colours(const GladGLContext* gl, tact_raster_saved* s)
{
    gl->GetIntegerv(GL_MAX_DRAW_BUFFERS, &s->colour_count);
    if (s->colour_count > TACT_RASTER_MAX_COLOURS) s->colour_count = TACT_RASTER_MAX_COLOURS;
    for (GLuint i = 0; i < (GLuint)s->colour_count; ++i) {
        tact_raster_colour_state* c = &s->colours[i];
        gl->GetIntegeri_v(GL_COLOR_WRITEMASK, i, c->mask);
        c->blend = gl->IsEnabledi(GL_BLEND, i);
        gl->GetIntegeri_v(GL_BLEND_EQUATION_RGB, i, &c->equation[0]);
        gl->GetIntegeri_v(GL_BLEND_EQUATION_ALPHA, i, &c->equation[1]);
        gl->GetIntegeri_v(GL_BLEND_SRC_RGB, i, &c->source[0]);
        gl->GetIntegeri_v(GL_BLEND_SRC_ALPHA, i, &c->source[1]);
        gl->GetIntegeri_v(GL_BLEND_DST_RGB, i, &c->target[0]);
        gl->GetIntegeri_v(GL_BLEND_DST_ALPHA, i, &c->target[1]);
    }
}

bool tact_raster_clip_control(const GladGLContext* gl)
{
    return gl->ARB_clip_control && gl->ClipControl;
}

void tact_raster_state_save(const GladGLContext* gl, tact_raster_saved* s)
{
    gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &s->draw_framebuffer);
    gl->GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &s->read_framebuffer);
    gl->GetIntegerv(GL_RENDERBUFFER_BINDING, &s->renderbuffer);
    gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &s->vertex_array);
    gl->GetIntegerv(GL_ARRAY_BUFFER_BINDING, &s->array_buffer);
    gl->GetIntegerv(GL_DRAW_INDIRECT_BUFFER_BINDING, &s->indirect_buffer);
    gl->GetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &s->pack_buffer);
    gl->GetIntegerv(GL_CURRENT_PROGRAM, &s->program);
    tact_raster_packing_save(gl, s->pack);
    for (int i = 0; i < TACT_RASTER_CAPABILITIES; ++i)
        s->capability[i] = gl->IsEnabled(capabilities[i]);
    for (int i = 0; i < TACT_RASTER_CLIPS; ++i)
        s->clip[i] = gl->IsEnabled(GL_CLIP_DISTANCE0 + (GLenum)i);
    s->scissor = gl->IsEnabledi(GL_SCISSOR_TEST, 0);
    gl->GetFloati_v(GL_VIEWPORT, 0, s->viewport);
    gl->GetDoublei_v(GL_DEPTH_RANGE, 0, s->depth_range);
    gl->GetIntegerv(GL_DEPTH_FUNC, &s->depth_func);
    gl->GetIntegerv(GL_DEPTH_WRITEMASK, &s->depth_write);
    save_stencil(gl, s->stencil);
    save_colours(gl, s);
    gl->GetIntegerv(GL_CULL_FACE_MODE, &s->cull_mode);
    gl->GetIntegerv(GL_FRONT_FACE, &s->front_face);
    GLint modes[2] = {GL_FILL, GL_FILL};  // some drivers still give two
    gl->GetIntegerv(GL_POLYGON_MODE, modes);
    s->polygon_mode = modes[0];
    gl->GetFloatv(GL_POLYGON_OFFSET_FACTOR, &s->offset_factor);
    gl->GetFloatv(GL_POLYGON_OFFSET_UNITS, &s->offset_units);
    gl->GetFloatv(GL_LINE_WIDTH, &s->line_width);
    gl->GetIntegerv(GL_LOGIC_OP_MODE, &s->logic_op);
    if (!tact_raster_clip_control(gl)) return;
    gl->GetIntegerv(GL_CLIP_ORIGIN, &s->clip_origin);
    gl->GetIntegerv(GL_CLIP_DEPTH_MODE, &s->clip_depth);
}

static void set(const GladGLContext* gl, GLenum capability, GLboolean on)
{
    if (on) {
        gl->Enable(capability);
    } else {
        gl->Disable(capability);
    }
}

static void seti(const GladGLContext* gl, GLenum capability, GLuint index, GLboolean on)
{
    if (on) {
        gl->Enablei(capability, index);
    } else {
        gl->Disablei(capability, index);
    }
}

static void restore_colours(const GladGLContext* gl, const tact_raster_saved* s)
{
    for (GLuint i = 0; i < (GLuint)s->colour_count; ++i) {
        const tact_raster_colour_state* c = &s->colours[i];
        gl->ColorMaski(i, c->mask[0] != 0, c->mask[1] != 0, c->mask[2] != 0, c->mask[3] != 0);
        seti(gl, GL_BLEND, i, c->blend);
        gl->BlendEquationSeparatei(i, (GLenum)c->equation[0], (GLenum)c->equation[1]);
        gl->BlendFuncSeparatei(i, (GLenum)c->source[0], (GLenum)c->target[0], (GLenum)c->source[1],
                               (GLenum)c->target[1]);
    }
}

static void restore_stencil(const GladGLContext* gl, const tact_raster_stencil_face face[2])
{
    for (int i = 0; i < 2; ++i) {
        const GLenum side = i == 0 ? GL_FRONT : GL_BACK;
        gl->StencilFuncSeparate(side, (GLenum)face[i].func, face[i].reference, (GLuint)face[i].read);
        gl->StencilMaskSeparate(side, (GLuint)face[i].write);
        gl->StencilOpSeparate(side, (GLenum)face[i].fail, (GLenum)face[i].depth_fail, (GLenum)face[i].depth_pass);
    }
}

// What is neither an object in use nor about packing.
static void restore_fixed(const GladGLContext* gl, const tact_raster_saved* s)
{
    for (int i = 0; i < TACT_RASTER_CAPABILITIES; ++i)
        set(gl, capabilities[i], s->capability[i]);
    for (int i = 0; i < TACT_RASTER_CLIPS; ++i)
        set(gl, GL_CLIP_DISTANCE0 + (GLenum)i, s->clip[i]);
    seti(gl, GL_SCISSOR_TEST, 0, s->scissor);
    gl->ViewportIndexedfv(0, s->viewport);
    gl->DepthRangeIndexed(0, s->depth_range[0], s->depth_range[1]);
    gl->DepthFunc((GLenum)s->depth_func);
    gl->DepthMask(s->depth_write != 0);
    restore_stencil(gl, s->stencil);
    restore_colours(gl, s);
    gl->CullFace((GLenum)s->cull_mode);
    gl->FrontFace((GLenum)s->front_face);
    gl->PolygonMode(GL_FRONT_AND_BACK, (GLenum)s->polygon_mode);
    gl->PolygonOffset(s->offset_factor, s->offset_units);
    gl->LineWidth(s->line_width);
    gl->LogicOp((GLenum)s->logic_op);
    if (tact_raster_clip_control(gl)) gl->ClipControl((GLenum)s->clip_origin, (GLenum)s->clip_depth);
}

void tact_raster_state_restore(const GladGLContext* gl, const tact_raster_saved* s)
{
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)s->draw_framebuffer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)s->read_framebuffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, (GLuint)s->renderbuffer);
    gl->BindVertexArray((GLuint)s->vertex_array);
    gl->BindBuffer(GL_ARRAY_BUFFER, (GLuint)s->array_buffer);
    gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, (GLuint)s->indirect_buffer);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, (GLuint)s->pack_buffer);
    gl->UseProgram((GLuint)s->program);
    tact_raster_packing_restore(gl, s->pack);
    restore_fixed(gl, s);
}

void tact_raster_state_default(const GladGLContext* gl)
{
    for (int i = 0; i < TACT_RASTER_CAPABILITIES; ++i)
        gl->Disable(capabilities[i]);
    for (int i = 0; i < TACT_RASTER_CLIPS; ++i)
        gl->Disable(GL_CLIP_DISTANCE0 + (GLenum)i);
    tact_raster_packing_default(gl);
    gl->Disablei(GL_SCISSOR_TEST, 0);
    gl->DepthRangeIndexed(0, 0.0, 1.0);
    gl->FrontFace(GL_CCW);
    if (tact_raster_clip_control(gl)) gl->ClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

void tact_raster_whole_save(const GladGLContext* gl, tact_raster_whole* w)
{
    tact_raster_state_save(gl, &w->common);
    gl->GetIntegerv(GL_MAX_VIEWPORTS, &w->viewport_count);
    if (w->viewport_count > TACT_RASTER_MAX_VIEWPORTS) w->viewport_count = TACT_RASTER_MAX_VIEWPORTS;
    for (GLuint i = 0; i < (GLuint)w->viewport_count; ++i) {
        tact_raster_viewport_state* v = &w->viewports[i];
        gl->GetFloati_v(GL_VIEWPORT, i, v->rectangle);
        gl->GetIntegeri_v(GL_SCISSOR_BOX, i, v->scissor);
        gl->GetDoublei_v(GL_DEPTH_RANGE, i, v->range);
        v->test = gl->IsEnabledi(GL_SCISSOR_TEST, i);
    }
    gl->GetFloatv(GL_BLEND_COLOR, w->blend_colour);
    gl->GetFloatv(GL_COLOR_CLEAR_VALUE, w->clear_colour);
    gl->GetDoublev(GL_DEPTH_CLEAR_VALUE, &w->clear_depth);
    gl->GetIntegerv(GL_STENCIL_CLEAR_VALUE, &w->clear_stencil);
    gl->GetIntegerv(GL_PROVOKING_VERTEX, &w->provoking);
    gl->GetIntegerv(GL_PRIMITIVE_RESTART_INDEX, &w->restart_index);
    gl->GetIntegerv(GL_PATCH_VERTICES, &w->patch_vertices);
    gl->GetIntegerv(GL_MAX_SAMPLE_MASK_WORDS, &w->sample_words);
    if (w->sample_words > 2) w->sample_words = 2;
    for (GLuint i = 0; i < (GLuint)w->sample_words; ++i)
        gl->GetIntegeri_v(GL_SAMPLE_MASK_VALUE, i, &w->sample_mask[i]);
    gl->GetFloatv(GL_POINT_SIZE, &w->point_size);
    gl->GetFloatv(GL_SAMPLE_COVERAGE_VALUE, &w->coverage);
    gl->GetBooleanv(GL_SAMPLE_COVERAGE_INVERT, &w->coverage_invert);
    gl->GetFloatv(GL_MIN_SAMPLE_SHADING_VALUE, &w->sample_shading);
    w->dither = gl->IsEnabled(GL_DITHER);
}

static void bind_framebuffer(const GladGLContext* gl, GLenum to, GLint name)
{
    gl->BindFramebuffer(to, name != 0 && gl->IsFramebuffer((GLuint)name) ? (GLuint)name : 0);
}

void tact_raster_whole_restore(const GladGLContext* gl, const tact_raster_whole* w)
{
    bind_framebuffer(gl, GL_DRAW_FRAMEBUFFER, w->common.draw_framebuffer);
    bind_framebuffer(gl, GL_READ_FRAMEBUFFER, w->common.read_framebuffer);
    tact_raster_packing_restore(gl, w->common.pack);
    restore_fixed(gl, &w->common);
    for (GLuint i = 0; i < (GLuint)w->viewport_count; ++i) {
        const tact_raster_viewport_state* v = &w->viewports[i];
        gl->ViewportIndexedfv(i, v->rectangle);
        gl->ScissorIndexedv(i, v->scissor);
        gl->DepthRangeIndexed(i, v->range[0], v->range[1]);
        seti(gl, GL_SCISSOR_TEST, i, v->test);
    }
    gl->BlendColor(w->blend_colour[0], w->blend_colour[1], w->blend_colour[2], w->blend_colour[3]);
    gl->ClearColor(w->clear_colour[0], w->clear_colour[1], w->clear_colour[2], w->clear_colour[3]);
    gl->ClearDepth(w->clear_depth);
    gl->ClearStencil(w->clear_stencil);
    gl->ProvokingVertex((GLenum)w->provoking);
    gl->PrimitiveRestartIndex((GLuint)w->restart_index);
    gl->PatchParameteri(GL_PATCH_VERTICES, w->patch_vertices);
    for (GLuint i = 0; i < (GLuint)w->sample_words; ++i)
        gl->SampleMaski(i, (GLbitfield)w->sample_mask[i]);
    gl->PointSize(w->point_size);
    gl->SampleCoverage(w->coverage, w->coverage_invert);
    gl->MinSampleShading(w->sample_shading);
    set(gl, GL_DITHER, w->dither);
}

static void default_tests(const GladGLContext* gl)
{
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->StencilFunc(GL_ALWAYS, 0, ~0u);
    gl->StencilMask(~0u);
    gl->StencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->BlendEquation(GL_FUNC_ADD);
    gl->BlendFunc(GL_ONE, GL_ZERO);
    gl->BlendColor(0, 0, 0, 0);
    gl->LogicOp(GL_COPY);
    gl->Disable(GL_SCISSOR_TEST);
}

void tact_raster_whole_default(const GladGLContext* gl, const tact_raster_whole* saved)
{
    tact_raster_state_default(gl);
    if (tact_raster_clip_control(gl)) {
        gl->ClipControl((GLenum)saved->common.clip_origin, (GLenum)saved->common.clip_depth);
    }
    default_tests(gl);
    gl->DepthRange(0.0, 1.0);
    gl->Enable(GL_MULTISAMPLE);
    gl->Enable(GL_DITHER);
    gl->CullFace(GL_BACK);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    gl->PolygonOffset(0, 0);
    gl->LineWidth(1);
    gl->PointSize(1);
    gl->ClearColor(0, 0, 0, 0);
    gl->ClearDepth(1);
    gl->ClearStencil(0);
    gl->ProvokingVertex(GL_LAST_VERTEX_CONVENTION);
    gl->PrimitiveRestartIndex(0);
    gl->PatchParameteri(GL_PATCH_VERTICES, 3);
    gl->SampleCoverage(1, GL_FALSE);
    gl->MinSampleShading(0);
}
