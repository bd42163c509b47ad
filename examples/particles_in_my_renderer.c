// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that live in the OpenGL context of your own program, drawn by your own shader from the buffer in which they
// lie: nothing is copied. With an argument it shows that many frames, else until the window is closed.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { SKIPPED = 77, SIDE = 12, COUNT = SIDE * SIDE * SIDE, SIZE = 512 };

static const char vertex_text[] =
    "#version 430 core\n"
    "layout(location = 0) in vec4 sphere;\n"  // x y z radius
    "out vec3 tint;\n"
    "void main() {\n"
    "    gl_Position = vec4(sphere.xy * vec2(0.6, 0.6) - vec2(0.0, 0.9), 0.1 * sphere.z, 1.0);\n"
    "    gl_PointSize = 300.0 * sphere.w;\n"
    "    tint = mix(vec3(0.1, 0.4, 0.8), vec3(1.0, 0.6, 0.2), 0.5 * sphere.y);\n"
    "}\n";
static const char fragment_text[] =
    "#version 430 core\n"
    "in vec3 tint;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    vec2 p = 2.0 * gl_PointCoord - 1.0;\n"
    "    if (dot(p, p) > 1.0) discard;\n"
    "    color = vec4(tint * (1.0 - 0.6 * dot(p, p)), 1.0);\n"
    "}\n";

static GLuint make_program(const GladGLContext* gl)
{
    const char* texts[2] = {vertex_text, fragment_text};
    const GLuint program = gl->CreateProgram();
    for (int i = 0; i < 2; ++i) {
        const GLuint shader = gl->CreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        gl->ShaderSource(shader, 1, &texts[i], NULL);
        gl->CompileShader(shader);
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader);
    }
    gl->LinkProgram(program);
    return program;
}

static GLFWwindow* make_window(bool visible)
{
    if (!glfwInit()) return NULL;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_VISIBLE, visible);
    GLFWwindow* window = glfwCreateWindow(SIZE, SIZE, "particles in my renderer", NULL, NULL);
    if (window) glfwMakeContextCurrent(window);
    return window;
}

static tact_result make_particles(tact_context* context, tact_particles** particles)
{
    static float positions[COUNT][3];
    for (int i = 0; i < COUNT; ++i) {
        positions[i][0] = 0.11f * (float)(i % SIDE) - 1.0f;
        positions[i][1] = 0.11f * (float)(i / SIDE / SIDE) + 0.2f;
        positions[i][2] = 0.11f * (float)(i / SIDE % SIDE) - 0.6f + 0.02f * (float)(i / SIDE / SIDE % 2);
    }
    const tact_particles_desc desc = {
        .response = TACT_RESPONSE_POSITION,
        .backend = TACT_BACKEND_GL,
        .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
        .domain = {{-1.5f, 0.0f, -1.0f}, {1.5f, 4.0f, 1.0f}},
        .gravity = {0.0f, -9.81f, 0.0f},
    };
    const tact_particle_arrays arrays = {.positions = positions[0], .radius = 0.05f};
    const tact_result result = tact_particles_create(context, &desc, particles);
    return result == TACT_OK ? tact_particles_add(*particles, &arrays, COUNT, NULL) : result;
}

/// One frame: a step, then a draw call that reads the library's buffer.
static tact_result show(tact_particles* particles, const GladGLContext* gl, GLuint program, GLuint array)
{
    const tact_query_options options = {.backend = TACT_BACKEND_GL, .no_fallback = true};
    tact_particle_buffers buffers;
    tact_result result = tact_particles_step(particles, 1.0f / 120.0f, 2, 1, &options, NULL);
    if (result == TACT_OK) result = tact_particles_device_buffers(particles, &buffers);
    if (result != TACT_OK) return result;
    gl->BindVertexArray(array);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffers.positions.gl_buffer);
    gl->VertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, (const void*)(uintptr_t)buffers.positions.offset);
    gl->EnableVertexAttribArray(0);
    gl->MemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_PROGRAM_POINT_SIZE);
    gl->ClearColor(0.05f, 0.06f, 0.08f, 1.0f);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl->UseProgram(program);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)buffers.count);
    return TACT_OK;
}

/// Whether anything but the background was drawn.
static bool anything(const GladGLContext* gl)
{
    static unsigned char rgba[SIZE][SIZE][4];
    gl->ReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    size_t drawn = 0;
    for (int i = 0; i < SIZE * SIZE; ++i)
        drawn += rgba[i / SIZE][i % SIZE][2] > 60;
    printf("%zu of %d pixels drawn\n", drawn, SIZE * SIZE);
    return drawn > SIZE;
}

int main(int argc, char** argv)
{
    const long frames = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    GLFWwindow* window = make_window(frames == 0);
    GladGLContext gl;
    if (!window || !tact_glad_load_context(&gl, (GLADloadfunc)glfwGetProcAddress)) {
        fprintf(stderr, "no display, or no OpenGL 4.3\n");
        glfwTerminate();
        return SKIPPED;
    }
    const tact_context_desc desc = {
        .gl = TACT_DEVICE_ADOPT, .gl_get_proc_address = glfwGetProcAddress, .cl = TACT_DEVICE_NONE};
    tact_context* context = NULL;
    tact_particles* particles = NULL;
    GLuint array = 0;
    const GLuint program = make_program(&gl);
    gl.GenVertexArrays(1, &array);
    tact_result result = tact_context_create(&desc, &context);
    if (result == TACT_OK) result = make_particles(context, &particles);
    bool drawn = false;
    for (long i = 0; result == TACT_OK && (frames == 0 || i < frames) && !glfwWindowShouldClose(window); ++i) {
        result = show(particles, &gl, program, array);
        if (i + 1 == frames) drawn = result == TACT_OK && anything(&gl);
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
    if (result != TACT_OK) fprintf(stderr, "%s\n", context ? tact_context_error(context) : "no context");
    // While the OpenGL context is still there.
    tact_particles_destroy(particles);
    tact_context_destroy(context);
    glfwTerminate();
    return result != TACT_OK || (frames > 0 && !drawn);
}
