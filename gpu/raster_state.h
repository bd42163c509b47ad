// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The part of an OpenGL context's state that drawing changes: saved, brought to the defaults, restored. For raster.c
/// and pick/target.c.

#include "gpu/device_gl.h"

enum { TACT_RASTER_CAPABILITIES = 21, TACT_RASTER_MAX_COLOURS = 8, TACT_RASTER_CLIPS = 8 };

enum { TACT_RASTER_MAX_VIEWPORTS = 16 };

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
    uint32_t scissors;  // a bit for each viewport
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

/// Switches the scissor test off for all viewports, and returns which had it, a bit for each. Of all: with that of
/// viewport 0 off alone llvmpipe (Mesa 22.3) cuts the first draw to a framebuffer by the box of the one before.
uint32_t tact_raster_scissors_off(const GladGLContext* gl);
void tact_raster_scissors_restore(const GladGLContext* gl, uint32_t scissors);

/// How pixels are packed on their way to a buffer.
void tact_raster_packing_save(const GladGLContext* gl, GLint pack[8]);
void tact_raster_packing_restore(const GladGLContext* gl, const GLint pack[8]);
void tact_raster_packing_default(const GladGLContext* gl);

typedef struct tact_raster_viewport_state {
    GLfloat rectangle[4];
    GLint scissor[4];
    GLdouble range[2];
} tact_raster_viewport_state;

/// Also what only the caller may change while it draws between two calls of ours: all but objects in use (programs,
/// vertex arrays, buffers, textures).
typedef struct tact_raster_whole {
    tact_raster_saved common;
    tact_raster_viewport_state viewports[TACT_RASTER_MAX_VIEWPORTS];
    GLint viewport_count;
    GLfloat blend_colour[4], clear_colour[4];
    GLdouble clear_depth;
    GLint clear_stencil, provoking, restart_index, patch_vertices, sample_words;
    GLint sample_mask[2];
    GLfloat point_size, coverage, sample_shading;
    GLboolean dither, coverage_invert;
} tact_raster_whole;

void tact_raster_whole_save(const GladGLContext* gl, tact_raster_whole* saved);
/// Framebuffers among it; those that are gone by now are replaced by the window's.
void tact_raster_whole_restore(const GladGLContext* gl, const tact_raster_whole* saved);
/// All of it as in a fresh context, but for framebuffers, viewports and the clip control, which stay as saved.
void tact_raster_whole_default(const GladGLContext* gl, const tact_raster_whole* saved);
