// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <math.h>
#include <stdlib.h>

#include "apps/window.h"

extern const unsigned char tact_shader_particles_vert[], tact_shader_particles_frag[];
extern const unsigned char tact_shader_surface_vert[], tact_shader_surface_frag[];

static const float background[3] = {0.30f, 0.33f, 0.38f};

struct tact_window_drawing {
    GladGLContext gl;
    GLuint spheres, surfaces;    ///< programs
    GLuint sphere_array, own;    ///< the spheres' vertex array, and a buffer for rows that come from the host
    GLuint surface_array, mesh;  ///< meshes, and after them the floor
    GLsizei mesh_vertices;
    size_t own_bytes;
    tact_particle_look look;
};

static void put_vertex(float** to, const double p[3], const double normal[3])
{
    for (int i = 0; i < 3; ++i) {
        (*to)[i] = (float)p[i];
        (*to)[3 + i] = (float)normal[i];
    }
    *to += 6;
}

/// Three corners, with the triangle's normal.
static void put_triangle(float** to, double p[3][3])
{
    double n[3], length = 0.0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        length += n[i] * n[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; ++i)
        n[i] = length > 0.0 ? n[i] / length : (double)(i == 1);
    for (int i = 0; i < 3; ++i)
        put_vertex(to, p[i], n);
}

static bool upload_surfaces(tact_window_drawing* d, const tact_model* model, tact_problem* problem)
{
    const GladGLContext* gl = &d->gl;
    const uint64_t triangles = tact_model_triangles(model);
    if (triangles > INT32_MAX / 4) return tact_problem_set(problem, "--window: too many triangles to draw");
    float* vertices = malloc((size_t)(triangles + 2) * 18 * sizeof *vertices);
    if (!vertices) return tact_problem_out_of_memory(problem, "the meshes");
    float* to = vertices;
    double p[3][3];
    for (size_t i = 0; i < model->instance_count; ++i) {
        for (size_t t = 0; t < model->meshes[model->instances[i].mesh].triangle_count; ++t) {
            tact_model_corners(model, i, t, p);
            put_triangle(&to, p);
        }
    }
    // The floor is a square, ten times as wide as what is looked at.
    const tact_aabb b = d->look.bounds;
    const double x = 0.5 * ((double)b.lower.x + (double)b.upper.x), z = 0.5 * ((double)b.lower.z + (double)b.upper.z);
    const double size = 10.0 * fmax((double)b.upper.x - (double)b.lower.x, (double)b.upper.z - (double)b.lower.z);
    for (int half = 0; half < 2; ++half) {
        static const double corners[2][3][2] = {{{-1, -1}, {-1, 1}, {1, -1}}, {{1, -1}, {-1, 1}, {1, 1}}};
        for (int i = 0; i < 3; ++i) {
            p[i][0] = x + size * corners[half][i][0];
            p[i][1] = (double)b.lower.y;
            p[i][2] = z + size * corners[half][i][1];
        }
        put_triangle(&to, p);
    }
    d->mesh_vertices = (GLsizei)(3 * triangles);
    gl->BindVertexArray(d->surface_array);
    gl->BindBuffer(GL_ARRAY_BUFFER, d->mesh);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((to - vertices) * (ptrdiff_t)sizeof *vertices), vertices,
                   GL_STATIC_DRAW);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 24, NULL);
    gl->VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 24, (const void*)12);
    gl->EnableVertexAttribArray(0);
    gl->EnableVertexAttribArray(1);
    gl->BindVertexArray(0);
    free(vertices);
    return true;
}

bool tact_window_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                                const tact_particle_look* look, tact_window_drawing** drawing, tact_problem* problem)
{
    tact_window_drawing* d = calloc(1, sizeof *d);
    *drawing = NULL;
    if (!d) return tact_problem_out_of_memory(problem, "the window");
    d->look = *look;
    if (!tact_window_functions(&d->gl, get_proc_address, "--window", problem)) {
        free(d);
        return false;
    }
    const GladGLContext* gl = &d->gl;
    gl->GenVertexArrays(1, &d->sphere_array);
    gl->GenVertexArrays(1, &d->surface_array);
    gl->GenBuffers(1, &d->own);
    gl->GenBuffers(1, &d->mesh);
    if (tact_window_program(gl, tact_shader_particles_vert, tact_shader_particles_frag, "--window", &d->spheres,
                            problem) &&
        tact_window_program(gl, tact_shader_surface_vert, tact_shader_surface_frag, "--window", &d->surfaces,
                            problem) &&
        upload_surfaces(d, model, problem)) {
        *drawing = d;
        return true;
    }
    tact_window_drawing_destroy(d);
    return false;
}

void tact_window_drawing_destroy(tact_window_drawing* d)
{
    if (!d) return;
    const GladGLContext* gl = &d->gl;
    gl->DeleteProgram(d->spheres);
    gl->DeleteProgram(d->surfaces);
    gl->DeleteVertexArrays(1, &d->sphere_array);
    gl->DeleteVertexArrays(1, &d->surface_array);
    gl->DeleteBuffers(1, &d->own);
    gl->DeleteBuffers(1, &d->mesh);
    free(d);
}

/// What both programs take: the camera, the sun, which way is up.
static void set_light(const GladGLContext* gl, GLuint program, const tact_window_light* l)
{
    gl->UseProgram(program);
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, "view"), 1, GL_FALSE, l->view);
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, "projection"), 1, GL_FALSE, l->projection);
    gl->Uniform3fv(gl->GetUniformLocation(program, "sun"), 1, l->sun);
    gl->Uniform3fv(gl->GetUniformLocation(program, "up"), 1, l->up);
}

static tact_window_light light_of(const tact_window_frame* f)
{
    const tact_sphere_view* v = &f->view;
    const float* axes[3] = {v->right, v->up, v->back};
    tact_window_light l = {.sun = {0}};
    float *view = l.view, *projection = l.projection, *sun = l.sun, *up = l.up;
    // Between a light over the left shoulder and one from above.
    const float light[3] = {-0.62f, 0.66f, 0.43f};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c)
            view[4 * c + r] = axes[r][c];
        view[12 + r] = -(axes[r][0] * v->eye[0] + axes[r][1] * v->eye[1] + axes[r][2] * v->eye[2]);
        sun[r] = light[r];
        up[r] = axes[r][1];
    }
    view[15] = 1.0f;
    const float near = 0.02f * f->distance, far = 50.0f * f->distance;
    projection[0] = 1.0f / v->tangent_x;
    projection[5] = 1.0f / v->tangent_y;
    projection[10] = -(far + near) / (far - near);
    projection[11] = -1.0f;
    projection[14] = -2.0f * far * near / (far - near);
    return l;
}

static void draw_surfaces(tact_window_drawing* d, const tact_window_light* l)
{
    const GladGLContext* gl = &d->gl;
    const tact_aabb b = d->look.bounds;
    const float x = b.upper.x - b.lower.x, y = b.upper.y - b.lower.y, z = b.upper.z - b.lower.z;
    set_light(gl, d->surfaces, l);
    gl->Uniform3fv(gl->GetUniformLocation(d->surfaces, "background"), 1, background);
    gl->BindVertexArray(d->surface_array);
    gl->Uniform3f(gl->GetUniformLocation(d->surfaces, "tint"), 0.42f, 0.395f, 0.36f);
    gl->Uniform4f(gl->GetUniformLocation(d->surfaces, "fade"), 0.0f, 0.0f, 0.0f, 0.0f);
    gl->DrawArrays(GL_TRIANGLES, 0, d->mesh_vertices);
    if (!d->look.floor) return;
    gl->Uniform3f(gl->GetUniformLocation(d->surfaces, "tint"), 0.34f, 0.335f, 0.33f);
    gl->Uniform4f(gl->GetUniformLocation(d->surfaces, "fade"), 0.5f * b.lower.x + 0.5f * b.upper.x, b.lower.y,
                  0.5f * b.lower.z + 0.5f * b.upper.z, 0.5f * sqrtf(x * x + y * y + z * z));
    gl->DrawArrays(GL_TRIANGLES, d->mesh_vertices, 6);
}

static void attribute(const GladGLContext* gl, GLuint index, GLuint buffer, GLint parts, GLsizei stride,
                      uint64_t offset)
{
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    const void* at = (const void*)(uintptr_t)offset;
    if (index == 2) {
        gl->VertexAttribIPointer(index, parts, GL_UNSIGNED_INT, stride, at);
    } else {
        gl->VertexAttribPointer(index, parts, GL_FLOAT, GL_FALSE, stride, at);
    }
    gl->VertexAttribDivisor(index, 1);
    gl->EnableVertexAttribArray(index);
}

/// Points the attributes at the library's own buffers, or at one with the rows.
static void bind_spheres(tact_window_drawing* d, const tact_window_frame* f)
{
    const GladGLContext* gl = &d->gl;
    const tact_particle_buffers* b = f->buffers;
    gl->BindVertexArray(d->sphere_array);
    if (b) {
        attribute(gl, 0, b->positions.gl_buffer, 4, 16, b->positions.offset);
        attribute(gl, 1, b->velocities.gl_buffer, 4, 16, b->velocities.offset);
        attribute(gl, 2, b->tags.gl_buffer, 2, 8, b->tags.offset);
        gl->MemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
        return;
    }
    const GLsizeiptr bytes = (GLsizeiptr)(f->count * 7 * sizeof(float));
    gl->BindBuffer(GL_ARRAY_BUFFER, d->own);
    gl->BufferData(GL_ARRAY_BUFFER, bytes, f->rows, GL_STREAM_DRAW);
    attribute(gl, 0, d->own, 4, 28, 0);
    attribute(gl, 1, d->own, 3, 28, 16);
    gl->DisableVertexAttribArray(2);
}

void tact_window_drawing_spheres(tact_window_drawing* d, const tact_window_frame* f, const tact_window_light* l)
{
    if (f->count == 0) return;
    const GladGLContext* gl = &d->gl;
    float range[2];
    tact_particle_range(&f->palette, range);
    set_light(gl, d->spheres, l);
    gl->Uniform1i(gl->GetUniformLocation(d->spheres, "color"), (GLint)f->palette.color);
    gl->Uniform1i(gl->GetUniformLocation(d->spheres, "own_ids"), f->buffers ? 1 : 0);
    gl->Uniform3fv(gl->GetUniformLocation(d->spheres, "stops"), TACT_SCALE_STOPS,
                   &tact_particle_scale(f->palette.color)->r);
    gl->Uniform2fv(gl->GetUniformLocation(d->spheres, "range"), 1, range);
    bind_spheres(d, f);
    gl->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)f->count);
}

void tact_window_drawing_draw(tact_window_drawing* d, const tact_window_frame* f)
{
    const GladGLContext* gl = &d->gl;
    gl->Viewport(0, 0, (GLsizei)f->view.width, (GLsizei)f->view.height);
    gl->ClearColor(powf(background[0], 1.0f / 2.2f), powf(background[1], 1.0f / 2.2f), powf(background[2], 1.0f / 2.2f),
                   1.0f);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    const tact_window_light light = light_of(f);
    draw_surfaces(d, &light);
    tact_window_drawing_spheres(d, f, &light);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    gl->UseProgram(0);
}

bool tact_window_frame_fill(tact_window_frame* f, tact_particle_run* run, tact_particle_buffers* buffers, float** rows,
                            tact_problem* problem)
{
    *rows = NULL;
    f->buffers = NULL;
    tact_particles_get_info(run->particles, &run->info);
    if (run->info.backend == TACT_BACKEND_GL && tact_particles_device_buffers(run->particles, buffers) == TACT_OK) {
        f->buffers = buffers;
        f->count = buffers->count;
    } else {
        *rows = tact_particle_rows(run->particles, run->query.session.context, &f->count, problem);
        if (!*rows) return false;
    }
    f->rows = *rows;
    f->palette.count = tact_particles_id_end(run->particles);
    return true;
}

void tact_window_drawing_read(tact_window_drawing* d, uint32_t width, uint32_t height, unsigned char* rgb)
{
    tact_window_read(&d->gl, width, height, rgb);
}
