// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Draws the viewer's frames with OpenGL 4.3 in the context that is current.

#include "apps/inputs/model.h"
#include "apps/view/camera.h"
#include "apps/view/particles.h"

typedef struct tact_view_drawing tact_view_drawing;

/// How an object looks, as bits. COVERED: a rectangle or lasso that is being drawn would select it.
enum { TACT_VIEW_PLAIN = 0, TACT_VIEW_HOVERED = 1, TACT_VIEW_SELECTED = 2, TACT_VIEW_COVERED = 4 };

typedef struct tact_view_frame {
    tact_view_look look;
    const uint8_t* looks;            ///< of each object
    uint64_t looks_version;          ///< changes when they do
    tact_view_particles* particles;  ///< NULL: none
    const tact_debug_list* shown;    ///< in the world; NULL: nothing
    uint64_t shown_version;          ///< changes when it does
    const tact_debug_vertex* flat;   ///< triangles in pixels from the top left, over everything
    size_t flat_count;
} tact_view_frame;

/// Object i is instance i of the model, which is not moved.
bool tact_view_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                              tact_view_drawing** drawing, tact_problem* problem);
void tact_view_drawing_destroy(tact_view_drawing* drawing);

/// Draws a frame and puts it into the window's frame buffer.
bool tact_view_drawing_draw(tact_view_drawing* drawing, const tact_view_frame* frame, tact_problem* problem);
/// The last frame, from the top down, 3 * width * height bytes.
void tact_view_drawing_read(tact_view_drawing* drawing, unsigned char* rgb);
/// Samples of a pixel.
uint32_t tact_view_drawing_samples(const tact_view_drawing* drawing);
/// Errors that OpenGL has reported, where the context does so.
uint64_t tact_view_drawing_errors(const tact_view_drawing* drawing);
