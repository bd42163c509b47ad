// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/raster.h"

#include <stdio.h>

#include "gpu/raster_state.h"

enum { LOG_BYTES = 2048, MAX_VECTORS = 8 };

struct tact_raster {
    tact_device* device;
    const GladGLContext* gl;
    tact_raster_limits limits;
    tact_raster_target* target;  // bound
    tact_raster_pass pass;
    GLuint vertex_array;
    uint32_t attributes;  // switched on beyond the vertex
    bool indexed;
    uint32_t count;
    uint64_t index_offset;
    bool drawing;
    tact_raster_saved saved;
};

struct tact_raster_target {
    tact_raster* raster;
    tact_raster_target_desc desc;
    GLuint framebuffer, depth, colours[TACT_RASTER_COLOURS];
    uint32_t colour_count;
    bool adopted;  // the framebuffer is not ours
};

struct tact_raster_program {
    tact_raster* raster;
    GLuint name;
};

struct tact_raster_queries {
    tact_raster* raster;
    GLenum kind;
    uint32_t count;
    GLuint* names;
    bool* begun;
};

tact_result tact_raster_create(tact_device* device, tact_raster** raster)
{
    *raster = NULL;
    tact_env* env = tact_device_env(device);
    const GladGLContext* gl = tact_device_gl(device);
    if (!gl) return TACT_DEVICE_FAIL(device, TACT_ERROR_UNSUPPORTED, "drawing needs an OpenGL device");
    tact_raster* r = tact_allocate_zeroed(env, 1, sizeof *r);
    if (!r) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    r->device = device;
    r->gl = gl;
    GLint size = 0, viewport[2] = {0, 0}, bits = 0;
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &size);
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    gl->GetIntegerv(GL_SUBPIXEL_BITS, &bits);
    for (int i = 0; i < 2; ++i)
        if (viewport[i] < size) size = viewport[i];
    r->limits.target_size = (uint32_t)size;
    r->limits.subpixel_bits = (uint32_t)bits;
    r->limits.zero_to_one = tact_raster_clip_control(gl);
    gl->GenVertexArrays(1, &r->vertex_array);
    const tact_result result = tact_device_gl_check(device, "preparing to draw");
    if (result != TACT_OK) {
        tact_raster_destroy(r);
        return result;
    }
    *raster = r;
    return TACT_OK;
}

void tact_raster_destroy(tact_raster* raster)
{
    if (!raster) return;
    if (raster->vertex_array) raster->gl->DeleteVertexArrays(1, &raster->vertex_array);
    tact_release(tact_device_env(raster->device), raster);
}

tact_raster_limits tact_raster_get_limits(const tact_raster* raster)
{
    return raster->limits;
}

// What of the caller's would count our draws, or change them, and cannot be put aside.
static tact_result check_caller(tact_raster* r)
{
    const GladGLContext* gl = r->gl;
    static const GLenum kinds[] = {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED_CONSERVATIVE,
                                   GL_PRIMITIVES_GENERATED};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        GLint name = 0;
        gl->GetQueryiv(kinds[i], GL_CURRENT_QUERY, &name);
        if (name)
            return TACT_DEVICE_FAIL(r->device, TACT_ERROR_INVALID_ARGUMENT,
                                    "the OpenGL context counts samples or primitives");
    }
    GLint active = 0, paused = 0;
    gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    if (active && !paused)
        return TACT_DEVICE_FAIL(r->device, TACT_ERROR_INVALID_ARGUMENT, "the OpenGL context records vertices");
    return TACT_OK;
}

tact_result tact_raster_begin(tact_raster* raster)
{
    const GladGLContext* gl = raster->gl;
    const bool adopted = tact_device_describe(raster->device)->adopted;
    if (adopted) {
        const tact_result result = check_caller(raster);
        if (result != TACT_OK) return result;
        tact_raster_state_save(gl, &raster->saved);
    }
    tact_raster_state_default(gl);
    gl->BindVertexArray(raster->vertex_array);
    raster->drawing = true;
    return TACT_OK;
}

tact_result tact_raster_end(tact_raster* raster)
{
    const GladGLContext* gl = raster->gl;
    if (!raster->drawing) return TACT_OK;
    raster->drawing = false;
    raster->target = NULL;
    const tact_result result = tact_device_gl_check(raster->device, "drawing");
    if (tact_device_describe(raster->device)->adopted) {
        tact_raster_state_restore(gl, &raster->saved);
    } else {
        gl->BindVertexArray(0);
        gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    }
    return result;
}

// Targets

static GLenum format_of(tact_raster_colour colour)
{
    static const GLenum formats[] = {0, GL_R32UI, GL_RG32UI, GL_RGBA32UI, GL_R32F, GL_RGBA32F};
    return formats[colour];
}

static GLuint make_surface(tact_raster* r, GLenum format, GLenum attachment, const tact_raster_target_desc* desc)
{
    GLuint name = 0;
    r->gl->GenRenderbuffers(1, &name);
    r->gl->BindRenderbuffer(GL_RENDERBUFFER, name);
    ++r->device->counts.allocations;
    r->gl->RenderbufferStorage(GL_RENDERBUFFER, format, (GLsizei)desc->width, (GLsizei)desc->height);
    r->gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, name);
    return name;
}

static tact_result fill_target(tact_raster* r, tact_raster_target* t)
{
    const GladGLContext* gl = r->gl;
    const tact_raster_target_desc* d = &t->desc;
    GLenum outputs[TACT_RASTER_COLOURS] = {GL_NONE, GL_NONE, GL_NONE, GL_NONE};
    gl->GenFramebuffers(1, &t->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    if (d->depth == TACT_RASTER_DEPTH_32F) {
        t->depth = make_surface(r, GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, d);
    } else if (d->depth == TACT_RASTER_DEPTH_24_STENCIL_8) {
        t->depth = make_surface(r, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, d);
    } else if (d->depth == TACT_RASTER_DEPTH_32F_STENCIL_8) {
        t->depth = make_surface(r, GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, d);
    }
    for (uint32_t i = 0; i < TACT_RASTER_COLOURS && d->colours[i] != TACT_RASTER_NO_COLOUR; ++i) {
        outputs[i] = GL_COLOR_ATTACHMENT0 + i;
        t->colours[i] = make_surface(r, format_of(d->colours[i]), outputs[i], d);
        t->colour_count = i + 1;
    }
    gl->DrawBuffers(TACT_RASTER_COLOURS, outputs);
    gl->ReadBuffer(outputs[0]);
    const GLenum status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    const tact_result result = tact_device_gl_check(r->device, "making a target");
    if (result != TACT_OK || status == GL_FRAMEBUFFER_COMPLETE) return result;
    return TACT_DEVICE_FAIL(r->device, TACT_ERROR_UNSUPPORTED, "no target of this kind: 0x%04x", (unsigned)status);
}

tact_result tact_raster_target_create(tact_raster* raster, const tact_raster_target_desc* desc,
                                      tact_raster_target** target)
{
    *target = NULL;
    const GladGLContext* gl = raster->gl;
    tact_env* env = tact_device_env(raster->device);
    if (desc->width == 0 || desc->height == 0 || desc->width > raster->limits.target_size ||
        desc->height > raster->limits.target_size) {
        return TACT_DEVICE_FAIL(raster->device, TACT_ERROR_LIMIT, "a target of %u x %u: 1 to %u", (unsigned)desc->width,
                                (unsigned)desc->height, (unsigned)raster->limits.target_size);
    }
    tact_raster_target* t = tact_allocate_zeroed(env, 1, sizeof *t);
    if (!t) return tact_device_fail(raster->device, TACT_ERROR_OUT_OF_MEMORY);
    t->raster = raster;
    t->desc = *desc;
    GLint draw = 0, read = 0, renderbuffer = 0;
    gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw);
    gl->GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read);
    gl->GetIntegerv(GL_RENDERBUFFER_BINDING, &renderbuffer);
    const tact_result result = fill_target(raster, t);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)draw);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)read);
    gl->BindRenderbuffer(GL_RENDERBUFFER, (GLuint)renderbuffer);
    if (result != TACT_OK) {
        tact_raster_target_destroy(t);
        return result;
    }
    *target = t;
    return TACT_OK;
}

tact_result tact_raster_target_adopt(tact_raster* raster, uint32_t framebuffer, const tact_raster_target_desc* desc,
                                     tact_raster_target** target)
{
    *target = NULL;
    tact_raster_target* t = tact_allocate_zeroed(tact_device_env(raster->device), 1, sizeof *t);
    if (!t) return tact_device_fail(raster->device, TACT_ERROR_OUT_OF_MEMORY);
    t->raster = raster;
    t->desc = *desc;
    t->framebuffer = framebuffer;
    t->adopted = true;
    while (t->colour_count < TACT_RASTER_COLOURS && desc->colours[t->colour_count] != TACT_RASTER_NO_COLOUR)
        ++t->colour_count;
    *target = t;
    return TACT_OK;
}

void tact_raster_target_destroy(tact_raster_target* target)
{
    if (!target) return;
    const GladGLContext* gl = target->raster->gl;
    if (!target->adopted) {
        gl->DeleteFramebuffers(1, &target->framebuffer);
        gl->DeleteRenderbuffers(1, &target->depth);
        gl->DeleteRenderbuffers(TACT_RASTER_COLOURS, target->colours);
    }
    tact_release(tact_device_env(target->raster->device), target);
}

void tact_raster_bind(tact_raster* raster, tact_raster_target* target)
{
    raster->target = target;
    raster->gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
}

// Clearing heeds the masks, which are the last pass's.

void tact_raster_clear_depth(tact_raster* raster, float depth, uint8_t stencil)
{
    const GladGLContext* gl = raster->gl;
    gl->DepthMask(GL_TRUE);
    const tact_raster_depth kind = raster->target->desc.depth;
    if (kind == TACT_RASTER_DEPTH_24_STENCIL_8 || kind == TACT_RASTER_DEPTH_32F_STENCIL_8) {
        gl->StencilMask(0xff);
        gl->ClearBufferfi(GL_DEPTH_STENCIL, 0, depth, stencil);
        gl->StencilMask(raster->pass.stencil_write);
    } else if (kind == TACT_RASTER_DEPTH_32F) {
        gl->ClearBufferfv(GL_DEPTH, 0, &depth);
    }
    gl->DepthMask(raster->pass.depth_write);
}

static void set_colour_mask(tact_raster* raster, uint8_t mask)
{
    raster->gl->ColorMask((mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0);
}

void tact_raster_clear_uint(tact_raster* raster, uint32_t colour, const uint32_t value[4])
{
    set_colour_mask(raster, 15);
    raster->gl->ClearBufferuiv(GL_COLOR, (GLint)colour, value);
    set_colour_mask(raster, raster->pass.colour_mask);
}

void tact_raster_clear_float(tact_raster* raster, uint32_t colour, const float value[4])
{
    set_colour_mask(raster, 15);
    raster->gl->ClearBufferfv(GL_COLOR, (GLint)colour, value);
    set_colour_mask(raster, raster->pass.colour_mask);
}

typedef struct pixel_layout {
    GLenum format, type;
    uint32_t words;
} pixel_layout;

static pixel_layout layout_of(const tact_raster_target* t, tact_raster_plane plane)
{
    static const pixel_layout colours[] = {{0, 0, 0},
                                           {GL_RED_INTEGER, GL_UNSIGNED_INT, 1},
                                           {GL_RG_INTEGER, GL_UNSIGNED_INT, 2},
                                           {GL_RGBA_INTEGER, GL_UNSIGNED_INT, 4},
                                           {GL_RED, GL_FLOAT, 1},
                                           {GL_RGBA, GL_FLOAT, 4}};
    if (plane == TACT_RASTER_DEPTH) return (pixel_layout){GL_DEPTH_COMPONENT, GL_FLOAT, 1};
    if (plane == TACT_RASTER_STENCIL) return (pixel_layout){GL_STENCIL_INDEX, GL_UNSIGNED_INT, 1};
    return colours[t->desc.colours[plane]];
}

tact_result tact_raster_copy(tact_raster* raster, tact_raster_plane plane, const uint32_t rectangle[4], tact_buffer* to,
                             size_t offset)
{
    const GladGLContext* gl = raster->gl;
    const pixel_layout l = layout_of(raster->target, plane);
    const uint64_t bytes = (uint64_t)rectangle[2] * rectangle[3] * l.words * 4;
    if (offset > tact_buffer_size(to) || bytes > tact_buffer_size(to) - offset) {
        return TACT_DEVICE_FAIL(raster->device, TACT_ERROR_INTERNAL, "a copy of pixels past the end of a buffer");
    }
    if (plane < TACT_RASTER_DEPTH) gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)plane);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, to->handle.name);
    // With a buffer bound the last argument is an offset.
    gl->ReadPixels((GLint)rectangle[0], (GLint)rectangle[1], (GLsizei)rectangle[2], (GLsizei)rectangle[3], l.format,
                   l.type, (void*)(uintptr_t)offset);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return tact_device_gl_check(raster->device, "copying pixels");
}

// Programs

static bool attach(const GladGLContext* gl, GLuint program, GLenum kind, const unsigned char* text, char* log)
{
    const GLchar* source = (const GLchar*)text;
    const GLuint shader = gl->CreateShader(kind);
    GLint good = 0;
    gl->ShaderSource(shader, 1, &source, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) {
        gl->AttachShader(program, shader);
    } else {
        gl->GetShaderInfoLog(shader, LOG_BYTES, NULL, log);
    }
    gl->DeleteShader(shader);
    return good != 0;
}

static bool link_program(const GladGLContext* gl, GLuint name, const tact_raster_program_desc* desc, char* log)
{
    if (!attach(gl, name, GL_VERTEX_SHADER, desc->vertex, log)) return false;
    if (desc->geometry && !attach(gl, name, GL_GEOMETRY_SHADER, desc->geometry, log)) return false;
    if (!attach(gl, name, GL_FRAGMENT_SHADER, desc->fragment, log)) return false;
    GLint good = 0;
    gl->LinkProgram(name);
    gl->GetProgramiv(name, GL_LINK_STATUS, &good);
    if (!good) gl->GetProgramInfoLog(name, LOG_BYTES, NULL, log);
    return good != 0;
}

tact_result tact_raster_program_create(tact_raster* raster, const tact_raster_program_desc* desc,
                                       tact_raster_program** program)
{
    *program = NULL;
    tact_env* env = tact_device_env(raster->device);
    tact_raster_program* p = tact_allocate_zeroed(env, 1, sizeof *p);
    if (!p) return tact_device_fail(raster->device, TACT_ERROR_OUT_OF_MEMORY);
    p->raster = raster;
    p->name = raster->gl->CreateProgram();
    char log[LOG_BYTES] = "";
    tact_result result = TACT_OK;
    if (!link_program(raster->gl, p->name, desc, log)) {
        result = TACT_DEVICE_FAIL(raster->device, TACT_ERROR_KERNEL_BUILD, "the shaders of %s:\n%s", desc->name, log);
    }
    const tact_result state = tact_device_gl_check(raster->device, "building shaders");
    if (result == TACT_OK) result = state;
    if (result != TACT_OK) {
        tact_raster_program_destroy(p);
        return result;
    }
    raster->gl->ObjectLabel(GL_PROGRAM, p->name, -1, desc->name);
    *program = p;
    return TACT_OK;
}

void tact_raster_program_destroy(tact_raster_program* program)
{
    if (!program) return;
    program->raster->gl->DeleteProgram(program->name);
    tact_release(tact_device_env(program->raster->device), program);
}

void tact_raster_set_uint(tact_raster_program* program, int location, uint32_t value)
{
    program->raster->gl->ProgramUniform1ui(program->name, location, value);
}

void tact_raster_set_float(tact_raster_program* program, int location, const float* value, int components)
{
    const GladGLContext* gl = program->raster->gl;
    if (components == 1) gl->ProgramUniform1fv(program->name, location, 1, value);
    if (components == 2) gl->ProgramUniform2fv(program->name, location, 1, value);
    if (components == 3) gl->ProgramUniform3fv(program->name, location, 1, value);
    if (components == 4) gl->ProgramUniform4fv(program->name, location, 1, value);
}

void tact_raster_bind_storage(tact_raster* raster, uint32_t slot, tact_buffer* buffer)
{
    raster->gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, slot, buffer ? buffer->handle.name : 0);
}

void tact_raster_settle(tact_raster* raster)
{
    raster->gl->MemoryBarrier(GL_ALL_BARRIER_BITS);
}

// Passes

static GLenum compare_of(tact_raster_compare compare)
{
    static const GLenum names[] = {GL_ALWAYS, GL_NEVER,    GL_LESS,   GL_LEQUAL,
                                   GL_EQUAL,  GL_NOTEQUAL, GL_GEQUAL, GL_GREATER};
    return names[compare];
}

static GLenum stencil_of(tact_raster_stencil_op op)
{
    static const GLenum names[] = {GL_KEEP, GL_REPLACE, GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT};
    return names[op];
}

static void enable(const GladGLContext* gl, GLenum capability, bool on)
{
    if (on) {
        gl->Enable(capability);
    } else {
        gl->Disable(capability);
    }
}

static void set_tests(const GladGLContext* gl, const tact_raster_pass* p)
{
    // Depth is written only while it is tested.
    enable(gl, GL_DEPTH_TEST, p->depth_write || p->depth != TACT_RASTER_ALWAYS);
    gl->DepthFunc(compare_of(p->depth));
    gl->DepthMask(p->depth_write);
    enable(gl, GL_DEPTH_CLAMP, p->depth_clamp);
    if (tact_raster_clip_control(gl)) {
        gl->ClipControl(GL_LOWER_LEFT, p->zero_to_one ? GL_ZERO_TO_ONE : GL_NEGATIVE_ONE_TO_ONE);
    }
    enable(gl, GL_STENCIL_TEST, p->stencil_test);
    gl->StencilFunc(compare_of(p->stencil), p->stencil_reference, p->stencil_read);
    gl->StencilMask(p->stencil_write);
    gl->StencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, stencil_of(p->front_op));
    gl->StencilOpSeparate(GL_BACK, GL_KEEP, GL_KEEP, stencil_of(p->back_op));
}

void tact_raster_set_pass(tact_raster* raster, const tact_raster_pass* pass)
{
    static const GLenum equations[] = {GL_FUNC_ADD, GL_MIN, GL_MAX, GL_FUNC_ADD};
    const GladGLContext* gl = raster->gl;
    const tact_raster_target_desc* d = &raster->target->desc;
    raster->pass = *pass;
    set_tests(gl, pass);
    set_colour_mask(raster, pass->colour_mask);
    // A logic operation takes the place of blending.
    static const GLenum operations[] = {GL_COPY, GL_OR, GL_XOR};
    enable(gl, GL_COLOR_LOGIC_OP, pass->logic != TACT_RASTER_NO_LOGIC);
    gl->LogicOp(operations[pass->logic]);
    enable(gl, GL_BLEND, pass->blend != TACT_RASTER_NO_BLEND);
    gl->BlendEquation(equations[pass->blend]);
    gl->BlendFunc(GL_ONE, GL_ONE);
    enable(gl, GL_CULL_FACE, pass->cull_front || pass->cull_back);
    gl->CullFace(pass->cull_front ? (pass->cull_back ? GL_FRONT_AND_BACK : GL_FRONT) : GL_BACK);
    gl->PolygonMode(GL_FRONT_AND_BACK, pass->lines ? GL_LINE : GL_FILL);
    gl->LineWidth(pass->line_width > 0.0f ? pass->line_width : 1.0f);
    const bool offset = pass->offset_factor != 0.0f || pass->offset_units != 0.0f;
    enable(gl, GL_POLYGON_OFFSET_FILL, offset);
    enable(gl, GL_POLYGON_OFFSET_LINE, offset);
    gl->PolygonOffset(pass->offset_factor, pass->offset_units);
    for (uint32_t i = 0; i < TACT_RASTER_CLIPS; ++i)
        enable(gl, GL_CLIP_DISTANCE0 + i, i < pass->clips);
    const uint32_t* v = pass->viewport;
    if (v[2] == 0) {
        gl->ViewportIndexedf(0, 0, 0, (GLfloat)d->width, (GLfloat)d->height);
    } else {
        gl->ViewportIndexedf(0, (GLfloat)v[0], (GLfloat)v[1], (GLfloat)v[2], (GLfloat)v[3]);
    }
}

void tact_raster_use(tact_raster* raster, const tact_raster_program* program, const tact_raster_mesh* mesh)
{
    const GladGLContext* gl = raster->gl;
    // The device's own barriers are for kernels and copies alone.
    gl->MemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT | GL_COMMAND_BARRIER_BIT |
                      GL_PIXEL_BUFFER_BARRIER_BIT);
    gl->UseProgram(program->name);
    gl->BindVertexArray(raster->vertex_array);
    if (mesh->vertices) {
        gl->BindBuffer(GL_ARRAY_BUFFER, mesh->vertices->handle.name);
        gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, (GLsizei)mesh->stride, (const void*)(uintptr_t)mesh->offset);
        gl->EnableVertexAttribArray(0);
    } else {
        gl->DisableVertexAttribArray(0);
    }
    const uint32_t vectors = mesh->instance_vectors < MAX_VECTORS ? mesh->instance_vectors : MAX_VECTORS;
    if (vectors) gl->BindBuffer(GL_ARRAY_BUFFER, mesh->instances->handle.name);
    for (uint32_t i = 0; i < vectors; ++i) {
        gl->VertexAttribPointer(1 + i, 4, GL_FLOAT, GL_FALSE, (GLsizei)(16 * mesh->instance_vectors),
                                (const void*)(uintptr_t)(mesh->instance_offset + 16 * i));
        gl->VertexAttribDivisor(1 + i, 1);
        gl->EnableVertexAttribArray(1 + i);
    }
    for (uint32_t i = vectors; i < raster->attributes; ++i)
        gl->DisableVertexAttribArray(1 + i);
    raster->attributes = vectors;
    raster->indexed = mesh->indices != NULL;
    raster->count = mesh->count;
    raster->index_offset = mesh->index_offset;
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices ? mesh->indices->handle.name : 0);
}

static GLenum primitive_of(tact_raster_primitive primitive)
{
    static const GLenum names[] = {GL_TRIANGLES, GL_LINES, GL_POINTS};
    return names[primitive];
}

void tact_raster_draw(tact_raster* raster, tact_raster_primitive primitive, uint32_t first_instance, uint32_t instances)
{
    const GLenum mode = primitive_of(primitive);
    if (raster->count == 0 || instances == 0) return;
    ++raster->device->counts.launches;
    if (raster->indexed) {
        raster->gl->DrawElementsInstancedBaseInstance(mode, (GLsizei)raster->count, GL_UNSIGNED_INT,
                                                      (const void*)(uintptr_t)raster->index_offset, (GLsizei)instances,
                                                      first_instance);
    } else {
        raster->gl->DrawArraysInstancedBaseInstance(mode, 0, (GLsizei)raster->count, (GLsizei)instances,
                                                    first_instance);
    }
}

void tact_raster_draw_indirect(tact_raster* raster, tact_raster_primitive primitive, tact_buffer* commands,
                               size_t offset, uint32_t draws)
{
    const GladGLContext* gl = raster->gl;
    const GLenum mode = primitive_of(primitive);
    const void* at = (const void*)(uintptr_t)offset;
    ++raster->device->counts.launches;
    gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, commands->handle.name);
    if (raster->indexed) {
        gl->MultiDrawElementsIndirect(mode, GL_UNSIGNED_INT, at, (GLsizei)draws, 0);
    } else {
        gl->MultiDrawArraysIndirect(mode, at, (GLsizei)draws, 0);
    }
}

// Queries

tact_result tact_raster_queries_create(tact_raster* raster, uint32_t count, bool any, tact_raster_queries** queries)
{
    *queries = NULL;
    tact_env* env = tact_device_env(raster->device);
    tact_raster_queries* q = tact_allocate_zeroed(env, 1, sizeof *q);
    if (!q) return tact_device_fail(raster->device, TACT_ERROR_OUT_OF_MEMORY);
    q->raster = raster;
    q->kind = any ? GL_ANY_SAMPLES_PASSED : GL_SAMPLES_PASSED;
    q->names = tact_allocate_zeroed(env, count, sizeof *q->names);
    q->begun = tact_allocate_zeroed(env, count, sizeof *q->begun);
    tact_result result = q->names && q->begun ? TACT_OK : tact_device_fail(raster->device, TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) {
        raster->gl->GenQueries((GLsizei)count, q->names);
        q->count = count;
        result = tact_device_gl_check(raster->device, "making queries");
    }
    if (result != TACT_OK) {
        tact_raster_queries_destroy(q);
        return result;
    }
    *queries = q;
    return TACT_OK;
}

void tact_raster_queries_destroy(tact_raster_queries* queries)
{
    if (!queries) return;
    tact_env* env = tact_device_env(queries->raster->device);
    if (queries->count) queries->raster->gl->DeleteQueries((GLsizei)queries->count, queries->names);
    tact_release(env, queries->names);
    tact_release(env, queries->begun);
    tact_release(env, queries);
}

void tact_raster_query_begin(tact_raster_queries* queries, uint32_t index)
{
    queries->raster->gl->BeginQuery(queries->kind, queries->names[index]);
    queries->begun[index] = true;
}

void tact_raster_query_end(tact_raster_queries* queries)
{
    queries->raster->gl->EndQuery(queries->kind);
}

void tact_raster_if_begin(tact_raster_queries* queries, uint32_t index)
{
    queries->raster->gl->BeginConditionalRender(queries->names[index], GL_QUERY_WAIT);
}

void tact_raster_if_end(tact_raster_queries* queries)
{
    queries->raster->gl->EndConditionalRender();
}

void tact_raster_flush(tact_raster* raster)
{
    if (tact_device_describe(raster->device)->software) raster->gl->Flush();
}

tact_result tact_raster_query_results(tact_raster_queries* queries, uint32_t first, uint32_t count, uint32_t* samples)
{
    ++queries->raster->device->counts.waits;
    queries->raster->device->counts.bytes_down += count * sizeof *samples;
    for (uint32_t i = 0; i < count; ++i) {
        samples[i] = 0;
        if (!queries->begun[first + i]) continue;
        queries->raster->gl->GetQueryObjectuiv(queries->names[first + i], GL_QUERY_RESULT, &samples[i]);
    }
    return tact_device_gl_check(queries->raster->device, "reading queries");
}
