// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/window.h"

static bool no_window(const char* who, const char* what, tact_problem* problem)
{
    const char* reason = NULL;
    glfwGetError(&reason);
    tact_problem_set(problem, "%s: %s%s%s", who, what, reason ? ": " : "", reason ? reason : "");
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

bool tact_window_open(const tact_window_desc* desc, GLFWwindow** window, tact_problem* problem)
{
    *window = NULL;
    if (!glfwInit()) return no_window(desc->who, "there is no display", problem);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, desc->debug ? GLFW_TRUE : GLFW_FALSE);
    // What is drawn with several samples goes to a frame buffer of its own.
    glfwWindowHint(GLFW_SAMPLES, 0);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE);
    *window = glfwCreateWindow((int)desc->width, (int)desc->height, desc->title, NULL, NULL);
    if (!*window) return no_window(desc->who, "there is no OpenGL 4.3 here", problem);
    glfwMakeContextCurrent(*window);
    glfwSwapInterval(desc->hurried ? 0 : 1);
    return true;
}

void tact_window_close(GLFWwindow* window)
{
    if (window) glfwDestroyWindow(window);
    glfwTerminate();
}

bool tact_window_functions(GladGLContext* gl, tact_gl_get_proc_address get_proc_address, const char* who,
                           tact_problem* problem)
{
    if (tact_glad_load_context(gl, (GLADloadfunc)get_proc_address)) return true;
    tact_problem_set(problem, "%s: the functions of OpenGL cannot be found", who);
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

static bool compile(const GladGLContext* gl, GLenum kind, const unsigned char* text, GLuint program, const char* who,
                    tact_problem* problem)
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
        char log[1024] = "";
        gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
        tact_problem_set(problem, "%s: a shader is not accepted: %s", who, log);
        problem->exit_code = TACT_EXIT_NO_DEVICE;
    }
    gl->DeleteShader(shader);
    return good != 0;
}

bool tact_window_program(const GladGLContext* gl, const unsigned char* vertex, const unsigned char* fragment,
                         const char* who, GLuint* program, tact_problem* problem)
{
    *program = gl->CreateProgram();
    if (!compile(gl, GL_VERTEX_SHADER, vertex, *program, who, problem) ||
        !compile(gl, GL_FRAGMENT_SHADER, fragment, *program, who, problem)) {
        return false;
    }
    GLint good = 0;
    gl->LinkProgram(*program);
    gl->GetProgramiv(*program, GL_LINK_STATUS, &good);
    if (good) return true;
    tact_problem_set(problem, "%s: the shaders do not fit together", who);
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

void tact_window_read(const GladGLContext* gl, uint32_t width, uint32_t height, unsigned char* rgb)
{
    gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
    // OpenGL's rows go up.
    for (uint32_t row = 0; row < height; ++row) {
        gl->ReadPixels(0, (GLint)(height - 1 - row), (GLsizei)width, 1, GL_RGB, GL_UNSIGNED_BYTE,
                       rgb + 3 * (size_t)row * width);
    }
}
