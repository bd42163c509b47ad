// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Draws particles, meshes and a floor with OpenGL 4.3 in the context that is current.

#include "apps/particle_plan.h"
#include "apps/picture_particles.h"

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

bool tact_window_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                                const tact_particle_look* look, tact_window_drawing** drawing, tact_problem* problem);
void tact_window_drawing_destroy(tact_window_drawing* drawing);
void tact_window_drawing_draw(tact_window_drawing* drawing, const tact_window_frame* frame);

/// What the frame buffer shows, from the top down, 3 * width * height bytes.
void tact_window_drawing_read(tact_window_drawing* drawing, uint32_t width, uint32_t height, unsigned char* rgb);
