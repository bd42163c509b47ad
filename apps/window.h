// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the tool's windows share: opening one with OpenGL 4.3, and programs from shaders. GLFW knows one display, and
/// so there is one window at a time.

#include <glad/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "apps/problem.h"

typedef struct tact_window_desc {
    const char* title;
    const char* who;  ///< what messages begin with
    uint32_t width, height;
    bool hurried;  ///< does not wait for the display's frames
    bool debug;    ///< a context that reports what is wrong
} tact_window_desc;

/// Its context is current then. No display or no OpenGL 4.3: exit code 3.
bool tact_window_open(const tact_window_desc* desc, GLFWwindow** window, tact_problem* problem);
/// NULL is allowed.
void tact_window_close(GLFWwindow* window);

/// The functions of the context that is current.
bool tact_window_functions(GladGLContext* gl, tact_gl_get_proc_address get_proc_address, const char* who,
                           tact_problem* problem);

/// A program from shader texts, which end with a zero.
bool tact_window_program(const GladGLContext* gl, const unsigned char* vertex, const unsigned char* fragment,
                         const char* who, GLuint* program, tact_problem* problem);

/// The frame buffer that is bound for reading, from the top down, 3 * width * height bytes.
void tact_window_read(const GladGLContext* gl, uint32_t width, uint32_t height, unsigned char* rgb);
