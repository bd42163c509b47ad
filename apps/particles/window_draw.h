// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Draws particles, meshes and a floor with OpenGL 4.3 in the context that is current.

#include "apps/particles/run.h"

typedef struct tact_window_drawing tact_window_drawing;

/// What a frame shows.
typedef struct tact_window_frame {
    tact_sphere_view view;
    float distance;  ///< from the eye to the middle of what is looked at
    tact_particle_palette palette;
    const tact_particle_buffers* buffers;  ///< where the particles lie in this OpenGL context; NULL: they are in `rows`
    const float* rows;                     ///< x y z radius vx vy vz, in order of id
    size_t count;
} tact_window_frame;

/// The camera and the light, as the shaders take them.
typedef struct tact_window_light {
    float view[16], projection[16];  ///< by columns; `view` turns and moves, no more
    float sun[3], up[3];             ///< in the eye's space
} tact_window_light;

/// Where the particles of a run are: the buffers in which they lie, or else a copy in `*rows`, from malloc.
bool tact_window_frame_fill(tact_window_frame* frame, tact_particle_run* run, tact_particle_buffers* buffers,
                            float** rows, tact_problem* problem);

bool tact_window_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                                const tact_particle_look* look, tact_window_drawing** drawing, tact_problem* problem);
void tact_window_drawing_destroy(tact_window_drawing* drawing);
void tact_window_drawing_draw(tact_window_drawing* drawing, const tact_window_frame* frame);

/// The particles alone, into what is bound; of the frame only they and their colours are read.
void tact_window_drawing_spheres(tact_window_drawing* drawing, const tact_window_frame* frame,
                                 const tact_window_light* light);

/// What the frame buffer shows, from the top down, 3 * width * height bytes.
void tact_window_drawing_read(tact_window_drawing* drawing, uint32_t width, uint32_t height, unsigned char* rgb);
