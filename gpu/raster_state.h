// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The part of an OpenGL context's state that drawing changes: saved, brought to the defaults, restored. For raster.c.

#include "gpu/device_gl.h"

enum { TACT_RASTER_CAPABILITIES = 21, TACT_RASTER_MAX_COLOURS = 8, TACT_RASTER_CLIPS = 8 };

typedef struct tact_raster_stencil_face {
    GLint func, reference, read, write, fail, depth_fail, depth_pass;
} tact_raster_stencil_face;

typedef struct tact_raster_colour_state {
    GLint mask[4];
    GLboolean blend;
    GLint equation[2], source[2], target[2];
} tact_raster_colour_state;

typedef struct tact_raster_saved {
    GLint draw_framebuffer, read_framebuffer, renderbuffer;
    GLint vertex_array, array_buffer, indirect_buffer, pack_buffer;
    GLint pack[8];
    GLint program;
    GLboolean capability[TACT_RASTER_CAPABILITIES];
    GLboolean clip[TACT_RASTER_CLIPS];
    GLboolean scissor;  // of viewport 0, the only one that is changed
    GLfloat viewport[4];
    GLdouble depth_range[2];
    GLint depth_func, depth_write;
    tact_raster_stencil_face stencil[2];
    tact_raster_colour_state colours[TACT_RASTER_MAX_COLOURS];
    GLint colour_count;
    GLint cull_mode, front_face, polygon_mode, logic_op;
    GLfloat offset_factor, offset_units, line_width;
    GLint clip_origin, clip_depth;
} tact_raster_saved;

/// Whether the context has glClipControl, and so a clip space that may be another than OpenGL's old one.
bool tact_raster_clip_control(const GladGLContext* gl);

void tact_raster_state_save(const GladGLContext* gl, tact_raster_saved* saved);
void tact_raster_state_restore(const GladGLContext* gl, const tact_raster_saved* saved);
/// What passes do not set is as in a fresh context.
void tact_raster_state_default(const GladGLContext* gl);
