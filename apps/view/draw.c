// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/window.h"

extern const unsigned char tact_shader_view_back_vert[], tact_shader_view_back_frag[];
extern const unsigned char tact_shader_view_surface_vert[], tact_shader_view_surface_frag[];
extern const unsigned char tact_shader_view_lines_vert[], tact_shader_view_lines_frag[];

/// As glMultiDrawArraysIndirect reads it.
typedef struct draw_command {
    uint32_t count, instances, first, base_instance;
} draw_command;

struct tact_view_drawing {
    GladGLContext gl;
    GLuint back, surface, lines;       ///< programs
    GLuint empty, objects, loose;      ///< vertex arrays: none, the meshes, debug drawing
    GLuint vertices, looks, commands;  ///< buffers of the meshes
    GLuint loose_vertices;             ///< and of debug drawing
    size_t object_count;
    uint64_t looks_version, shown_version;
    size_t shown_points, shown_lines, shown_triangles;  ///< vertices, in this order
    GLuint shaded, many, one;                           ///< frame buffers: objects, all, both with samples; the picture
    GLuint planes[5];                                   ///< render buffers: colour and depth of the first two, colour
    float shaded_clip[16], shaded_eye[3];               ///< by which `shaded` was drawn, and the looks
    uint64_t shaded_looks;
    bool is_shaded;  ///< false: nothing is in it yet
    uint32_t width, height;
    GLint samples;
    uint64_t errors;
};

static void GLAD_API_PTR on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                    const GLchar* text, const void* user)
{
    (void)source;
    (void)id;
    (void)severity;
    (void)length;
    tact_view_drawing* d = (tact_view_drawing*)user;
    if (type != GL_DEBUG_TYPE_ERROR) return;
    // The first ones tell what is wrong.
    if (d->errors++ < 4) fprintf(stderr, "tact view: OpenGL: %s\n", text);
}

/// The first object is warm clay; the others follow round the colour wheel by the golden angle, as in the pictures of
/// `tact raycast`.
static void tint_of(size_t object, float tint[3])
{
    static const float clay[3] = {0.66f, 0.63f, 0.60f};
    const float hue = fmodf(0.07f + 0.618034f * (float)(object % 4096), 1.0f) * 6.0f;
    const float wheel[3] = {fabsf(hue - 3.0f) - 1.0f, 2.0f - fabsf(hue - 2.0f), 2.0f - fabsf(hue - 4.0f)};
    for (int i = 0; i < 3; ++i) {
        const float pure = fminf(fmaxf(wheel[i], 0.0f), 1.0f);
        tint[i] = 0.92f * (clay[i] + (object ? 0.34f : 0.0f) * (pure - clay[i]));
    }
}

static void put_looks(tact_view_drawing* d, const tact_view_frame* f, float* to)
{
    static const float amber[3] = {1.0f, 0.30f, 0.01f}, white[3] = {0.95f, 0.97f, 1.0f},
                       slate[3] = {0.30f, 0.33f, 0.38f};
    bool covering = false;
    for (size_t i = 0; f->looks && !covering && i < d->object_count; ++i)
        covering = (f->looks[i] & TACT_VIEW_COVERED) != 0;
    for (size_t i = 0; i < d->object_count; ++i, to += 4) {
        const uint8_t look = f->looks ? f->looks[i] : TACT_VIEW_PLAIN;
        tint_of(i, to);
        for (int k = 0; k < 3; ++k) {
            if (look & TACT_VIEW_SELECTED)
                to[k] += 0.9f * (amber[k] - to[k]);
            else if (look & TACT_VIEW_COVERED)
                to[k] += 0.85f * (amber[k] - to[k]);
            else if (covering)
                to[k] += 0.8f * (slate[k] - to[k]);  // so that what is covered stands out, whatever its colour
            if (look & TACT_VIEW_HOVERED) to[k] += 0.22f * (white[k] - to[k]);
        }
        to[3] = (look & TACT_VIEW_HOVERED ? 0.30f : 0.0f) + (look & TACT_VIEW_SELECTED ? 0.20f : 0.0f);
    }
}

static bool upload_looks(tact_view_drawing* d, const tact_view_frame* f, tact_problem* problem)
{
    if (d->looks_version == f->looks_version) return true;
    float* looks = malloc((d->object_count + 1) * 4 * sizeof *looks);
    if (!looks) return tact_problem_out_of_memory(problem, "the looks");
    put_looks(d, f, looks);
    d->gl.BindBuffer(GL_ARRAY_BUFFER, d->looks);
    d->gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(d->object_count * 16), looks, GL_DYNAMIC_DRAW);
    d->looks_version = f->looks_version;
    free(looks);
    return true;
}

// ---- Making it ----

static void describe_vertices(tact_view_drawing* d)
{
    const GladGLContext* gl = &d->gl;
    gl->BindVertexArray(d->objects);
    gl->BindBuffer(GL_ARRAY_BUFFER, d->vertices);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(tact_view_vertex), NULL);
    gl->VertexAttribPointer(1, 4, GL_INT_2_10_10_10_REV, GL_TRUE, sizeof(tact_view_vertex), (const void*)12);
    gl->BindBuffer(GL_ARRAY_BUFFER, d->looks);
    gl->VertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, 16, NULL);
    gl->VertexAttribDivisor(2, 1);
    for (GLuint i = 0; i < 3; ++i)
        gl->EnableVertexAttribArray(i);
    gl->BindVertexArray(d->loose);
    gl->BindBuffer(GL_ARRAY_BUFFER, d->loose_vertices);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(tact_debug_vertex), NULL);
    gl->VertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(tact_debug_vertex), (const void*)12);
    gl->EnableVertexAttribArray(0);
    gl->EnableVertexAttribArray(1);
    gl->BindVertexArray(0);
}

static bool upload_meshes(tact_view_drawing* d, const tact_model* model, tact_problem* problem)
{
    const GladGLContext* gl = &d->gl;
    const uint64_t triangles = tact_model_triangles(model);
    if (triangles > INT32_MAX / 3) return tact_problem_set(problem, "too many triangles to draw");
    d->object_count = model->instance_count;
    tact_view_vertex* vertices = malloc((size_t)(triangles + 1) * 3 * sizeof *vertices);
    draw_command* commands = malloc((d->object_count + 1) * sizeof *commands);
    bool good = vertices && commands;
    if (!good) tact_problem_out_of_memory(problem, "the meshes");
    size_t first = 0;
    for (size_t i = 0; good && i < d->object_count; ++i) {
        const tact_model_mesh* mesh = &model->meshes[model->instances[i].mesh];
        good = tact_view_mesh_vertices(mesh, vertices + first, problem);
        const uint32_t count = (uint32_t)(3 * mesh->triangle_count);
        commands[i] = (draw_command){count, 1, (uint32_t)first, (uint32_t)i};
        first += count;
    }
    if (good) {
        gl->BindBuffer(GL_ARRAY_BUFFER, d->vertices);
        gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(first * sizeof *vertices), vertices, GL_STATIC_DRAW);
        gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, d->commands);
        gl->BufferData(GL_DRAW_INDIRECT_BUFFER, (GLsizeiptr)(d->object_count * sizeof *commands), commands,
                       GL_STATIC_DRAW);
        gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
        describe_vertices(d);
    }
    free(vertices);
    free(commands);
    return good;
}

bool tact_view_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                              tact_view_drawing** drawing, tact_problem* problem)
{
    static const char who[] = "the window";
    tact_view_drawing* d = calloc(1, sizeof *d);
    *drawing = NULL;
    if (!d) return tact_problem_out_of_memory(problem, who);
    if (!tact_window_functions(&d->gl, get_proc_address, who, problem)) {
        free(d);
        return false;
    }
    const GladGLContext* gl = &d->gl;
    GLint flags = 0;
    gl->GetIntegerv(GL_CONTEXT_FLAGS, &flags);
    if (flags & GL_CONTEXT_FLAG_DEBUG_BIT) {
        gl->DebugMessageCallback(on_message, d);
        gl->Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    }
    gl->GetIntegerv(GL_MAX_SAMPLES, &d->samples);
    if (d->samples > 4) d->samples = 4;
    gl->GenVertexArrays(1, &d->empty);
    gl->GenVertexArrays(1, &d->objects);
    gl->GenVertexArrays(1, &d->loose);
    gl->GenBuffers(1, &d->vertices);
    gl->GenBuffers(1, &d->looks);
    gl->GenBuffers(1, &d->commands);
    gl->GenBuffers(1, &d->loose_vertices);
    if (tact_window_program(gl, tact_shader_view_back_vert, tact_shader_view_back_frag, who, &d->back, problem) &&
        tact_window_program(gl, tact_shader_view_surface_vert, tact_shader_view_surface_frag, who, &d->surface,
                            problem) &&
        tact_window_program(gl, tact_shader_view_lines_vert, tact_shader_view_lines_frag, who, &d->lines, problem) &&
        upload_meshes(d, model, problem)) {
        *drawing = d;
        return true;
    }
    tact_view_drawing_destroy(d);
    return false;
}

static void drop_targets(tact_view_drawing* d)
{
    d->gl.DeleteFramebuffers(1, &d->shaded);
    d->gl.DeleteFramebuffers(1, &d->many);
    d->gl.DeleteFramebuffers(1, &d->one);
    d->gl.DeleteRenderbuffers(5, d->planes);
    d->shaded = d->many = d->one = 0;
    d->is_shaded = false;
    memset(d->planes, 0, sizeof d->planes);
    d->width = d->height = 0;
}

void tact_view_drawing_destroy(tact_view_drawing* d)
{
    if (!d) return;
    const GladGLContext* gl = &d->gl;
    gl->DebugMessageCallback(NULL, NULL);
    drop_targets(d);
    gl->DeleteProgram(d->back);
    gl->DeleteProgram(d->surface);
    gl->DeleteProgram(d->lines);
    gl->DeleteVertexArrays(1, &d->empty);
    gl->DeleteVertexArrays(1, &d->objects);
    gl->DeleteVertexArrays(1, &d->loose);
    gl->DeleteBuffers(1, &d->vertices);
    gl->DeleteBuffers(1, &d->looks);
    gl->DeleteBuffers(1, &d->commands);
    gl->DeleteBuffers(1, &d->loose_vertices);
    free(d);
}

/// A frame buffer of two render buffers, the second of which is its depth; 0: it has none.
static bool make_target(const tact_view_drawing* d, GLuint* target, GLuint color, GLuint depth)
{
    const GladGLContext* gl = &d->gl;
    gl->GenFramebuffers(1, target);
    gl->BindFramebuffer(GL_FRAMEBUFFER, *target);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    if (depth) gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

/// Frame buffers of the window's size; all but the picture have several samples if that is to be had.
static bool make_targets(tact_view_drawing* d, uint32_t width, uint32_t height, tact_problem* problem)
{
    const GladGLContext* gl = &d->gl;
    if (d->width == width && d->height == height) return true;
    drop_targets(d);
    const GLsizei w = (GLsizei)width, h = (GLsizei)height;
    gl->GenRenderbuffers(5, d->planes);
    for (int i = 0; i < 5; ++i) {
        gl->BindRenderbuffer(GL_RENDERBUFFER, d->planes[i]);
        gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, i < 4 ? d->samples : 0,
                                           i % 2 == 1 ? GL_DEPTH_COMPONENT32F : GL_RGBA8, w, h);
    }
    gl->BindRenderbuffer(GL_RENDERBUFFER, 0);
    d->width = width;
    d->height = height;
    if (make_target(d, &d->shaded, d->planes[0], d->planes[1]) &&
        make_target(d, &d->many, d->planes[2], d->planes[3]) && make_target(d, &d->one, d->planes[4], 0)) {
        return true;
    }
    tact_problem_set(problem, "no frame buffer of %u x %u with %d samples is to be had", width, height, d->samples);
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

// ---- Drawing ----

static void draw_surfaces(tact_view_drawing* d, const tact_view_look* look)
{
    const GladGLContext* gl = &d->gl;
    float key[3], rim[3], key_length = 0.0f, rim_length = 0.0f;
    for (int i = 0; i < 3; ++i) {
        key[i] = -0.42f * look->right[i] + 0.62f * look->up[i] + 0.72f * look->back[i];
        rim[i] = 0.55f * look->right[i] + 0.45f * look->up[i] - 0.70f * look->back[i];
        key_length += key[i] * key[i];
        rim_length += rim[i] * rim[i];
    }
    for (int i = 0; i < 3; ++i) {
        key[i] /= sqrtf(key_length);
        rim[i] /= sqrtf(rim_length);
    }
    gl->UseProgram(d->surface);
    gl->UniformMatrix4fv(0, 1, GL_FALSE, look->view.world_to_clip);
    gl->Uniform3fv(1, 1, look->eye);
    gl->Uniform3fv(2, 1, key);
    gl->Uniform3fv(3, 1, rim);
    gl->BindVertexArray(d->objects);
    gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, d->commands);
    gl->MultiDrawArraysIndirect(GL_TRIANGLES, NULL, (GLsizei)d->object_count, 0);
    gl->BindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
}

/// What is behind everything, and the objects, unless they are there as they were.
static void draw_objects(tact_view_drawing* d, const tact_view_frame* f)
{
    const GladGLContext* gl = &d->gl;
    const float *clip = f->look.view.world_to_clip, *eye = f->look.eye;
    if (d->is_shaded && d->shaded_looks == f->looks_version &&
        memcmp(d->shaded_clip, clip, sizeof d->shaded_clip) == 0 &&
        memcmp(d->shaded_eye, eye, sizeof d->shaded_eye) == 0) {
        return;
    }
    gl->BindFramebuffer(GL_FRAMEBUFFER, d->shaded);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->DepthMask(GL_FALSE);
    gl->DepthFunc(GL_ALWAYS);
    gl->UseProgram(d->back);
    gl->BindVertexArray(d->empty);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    draw_surfaces(d, &f->look);
    memcpy(d->shaded_clip, clip, sizeof d->shaded_clip);
    memcpy(d->shaded_eye, eye, sizeof d->shaded_eye);
    d->shaded_looks = f->looks_version;
    d->is_shaded = true;
}

/// From one frame buffer to another, which is bound then for drawing.
static void copy(const tact_view_drawing* d, GLuint from, GLuint to, GLbitfield planes)
{
    const GLint w = (GLint)d->width, h = (GLint)d->height;
    d->gl.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    d->gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    d->gl.BlitFramebuffer(0, 0, w, h, 0, 0, w, h, planes, GL_NEAREST);
    d->gl.BindFramebuffer(GL_FRAMEBUFFER, to);
}

/// Points, lines and triangles into the buffer of debug drawing.
static void upload_list(tact_view_drawing* d, const tact_debug_list* list)
{
    const GladGLContext* gl = &d->gl;
    const tact_debug_vertex* parts[3] = {tact_debug_list_points(list, &d->shown_points),
                                         tact_debug_list_lines(list, &d->shown_lines),
                                         tact_debug_list_triangles(list, &d->shown_triangles)};
    const size_t counts[3] = {d->shown_points, d->shown_lines, d->shown_triangles};
    const size_t size = sizeof(tact_debug_vertex);
    size_t at = 0;
    gl->BindBuffer(GL_ARRAY_BUFFER, d->loose_vertices);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((counts[0] + counts[1] + counts[2]) * size), NULL, GL_DYNAMIC_DRAW);
    for (int i = 0; i < 3; ++i) {
        if (counts[i])
            gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)(at * size), (GLsizeiptr)(counts[i] * size), parts[i]);
        at += counts[i];
    }
}

static void draw_shown_once(tact_view_drawing* d, float opacity)
{
    const GladGLContext* gl = &d->gl;
    gl->Uniform1f(1, opacity);
    gl->Uniform1i(3, 0);
    gl->DrawArrays(GL_TRIANGLES, (GLint)(d->shown_points + d->shown_lines), (GLsizei)d->shown_triangles);
    gl->DrawArrays(GL_LINES, (GLint)d->shown_points, (GLsizei)d->shown_lines);
    gl->Uniform1i(3, 1);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)d->shown_points);
}

/// What is before everything plainly, and what is behind something as a shade of itself.
static void draw_shown(tact_view_drawing* d, const tact_view_frame* f)
{
    const GladGLContext* gl = &d->gl;
    if (d->shown_version != f->shown_version) upload_list(d, f->shown);
    d->shown_version = f->shown_version;
    if (d->shown_points + d->shown_lines + d->shown_triangles == 0) return;
    gl->UseProgram(d->lines);
    gl->UniformMatrix4fv(0, 1, GL_FALSE, f->look.view.world_to_clip);
    gl->Uniform1f(2, 7.0f);
    gl->BindVertexArray(d->loose);
    gl->Enable(GL_BLEND);
    gl->Enable(GL_PROGRAM_POINT_SIZE);
    gl->DepthMask(GL_FALSE);
    gl->DepthFunc(GL_GREATER);
    draw_shown_once(d, 0.16f);
    gl->DepthFunc(GL_LEQUAL);
    draw_shown_once(d, 1.0f);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_PROGRAM_POINT_SIZE);
    gl->Disable(GL_BLEND);
}

/// Whatever is before them.
static void draw_marks(tact_view_drawing* d, const tact_view_frame* f)
{
    const GladGLContext* gl = &d->gl;
    if (!f->marks) return;
    upload_list(d, f->marks);
    d->shown_version = UINT64_MAX;  // their place in the buffer was taken
    gl->UseProgram(d->lines);
    gl->UniformMatrix4fv(0, 1, GL_FALSE, f->look.view.world_to_clip);
    gl->Uniform1f(2, 9.0f);
    gl->BindVertexArray(d->loose);
    gl->Disable(GL_DEPTH_TEST);
    gl->Enable(GL_PROGRAM_POINT_SIZE);
    draw_shown_once(d, 1.0f);
    gl->Disable(GL_PROGRAM_POINT_SIZE);
    gl->Enable(GL_DEPTH_TEST);
}

static void draw_flat(tact_view_drawing* d, const tact_view_frame* f)
{
    const GladGLContext* gl = &d->gl;
    if (!f->flat_count) return;
    const float pixels_to_clip[16] = {[0] = 2.0f / (float)d->width,
                                      [5] = -2.0f / (float)d->height,
                                      [10] = 1.0f,
                                      [12] = -1.0f,
                                      [13] = 1.0f,
                                      [15] = 1.0f};
    gl->UseProgram(d->lines);
    gl->UniformMatrix4fv(0, 1, GL_FALSE, pixels_to_clip);
    gl->Uniform1f(1, 1.0f);
    gl->Uniform1i(3, 0);
    gl->BindVertexArray(d->loose);
    gl->BindBuffer(GL_ARRAY_BUFFER, d->loose_vertices);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(f->flat_count * sizeof *f->flat), f->flat, GL_STREAM_DRAW);
    d->shown_version = UINT64_MAX;  // their place in the buffer was taken
    gl->Disable(GL_DEPTH_TEST);
    gl->Enable(GL_BLEND);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)f->flat_count);
    gl->Disable(GL_BLEND);
    gl->Enable(GL_DEPTH_TEST);
}

bool tact_view_drawing_draw(tact_view_drawing* d, const tact_view_frame* f, tact_problem* problem)
{
    const GladGLContext* gl = &d->gl;
    const uint32_t width = f->look.view.width, height = f->look.view.height;
    if (!make_targets(d, width, height, problem) || !upload_looks(d, f, problem)) return false;
    gl->Viewport(0, 0, (GLint)width, (GLint)height);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    draw_objects(d, f);
    copy(d, d->shaded, d->many, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (f->particles && !tact_view_particles_draw(f->particles, &f->look, problem)) return false;
    draw_shown(d, f);
    draw_marks(d, f);
    draw_flat(d, f);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    gl->UseProgram(0);
    copy(d, d->many, d->one, GL_COLOR_BUFFER_BIT);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    return true;
}

void tact_view_drawing_bind(tact_view_drawing* d)
{
    d->gl.BindFramebuffer(GL_FRAMEBUFFER, d->one);
}

void tact_view_drawing_present(tact_view_drawing* d)
{
    copy(d, d->one, 0, GL_COLOR_BUFFER_BIT);
}

void tact_view_drawing_read(tact_view_drawing* d, unsigned char* rgb)
{
    d->gl.BindFramebuffer(GL_READ_FRAMEBUFFER, d->one);
    tact_window_read(&d->gl, d->width, d->height, rgb);
    d->gl.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
}

uint32_t tact_view_drawing_samples(const tact_view_drawing* d)
{
    return (uint32_t)d->samples;
}

uint64_t tact_view_drawing_errors(const tact_view_drawing* d)
{
    return d->errors;
}
