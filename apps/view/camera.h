// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The viewer's camera: goes round a point and looks at it.

#include "apps/inputs/rays.h"

typedef struct tact_view_camera {
    float target[3];
    float distance;            ///< from the eye to it
    float azimuth, elevation;  ///< radians: 0, 0 looks along -z
    float middle[3], radius;   ///< of a ball about everything, for the near and the far plane
    uint32_t width, height;    ///< pixels, not 0
} tact_view_camera;

/// Looks at all of a box, from a little to the right and above.
void tact_view_camera_start(tact_view_camera* camera, const tact_bounds* all, uint32_t width, uint32_t height);
/// Moves so that a box fills the view, without turning.
void tact_view_camera_frame(tact_view_camera* camera, const tact_bounds* box);
/// By pixels the mouse has moved.
void tact_view_camera_orbit(tact_view_camera* camera, double dx, double dy);
void tact_view_camera_pan(tact_view_camera* camera, double dx, double dy);
/// Nearer (positive) or farther; what is at the target's distance under the pixel stays there.
void tact_view_camera_zoom(tact_view_camera* camera, double steps, double x, double y);

/// What it sees.
typedef struct tact_view_look {
    tact_pick_view view;
    float eye[3], right[3], up[3], back[3];
} tact_view_look;
tact_view_look tact_view_camera_look(const tact_view_camera* camera);
