// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Whether a pixel that was drawn may differ from the ray through its centre. A rasteriser puts corners on a grid of
/// parts of a pixel (OpenGL promises 1/16, devices have 1/256) and has a depth of its own rounding; nothing else may
/// make it differ.

#include "apps/inputs/rays.h"
#include "tact/pick.h"

/// How far from what the ray meets an image may be.
typedef struct tact_pick_slack {
    double pixels;  ///< how far an edge may be moved
    double depth;   ///< and a surface
} tact_pick_slack;

/// For a scene in this box. Floats are coarser where that is far from the origin.
tact_pick_slack tact_pick_slack_of(const tact_pick_view* view, const tact_bounds* bounds);

/// `ray` and `drawn` are the corners in the world of what the ray meets and what the pixel shows, NULL for nothing;
/// they are not the same triangle. True when
/// - what is drawn covers the pixel's centre but for the slack;
/// - what the ray meets could have been missed, its edge or a plane that bounds the view being within the slack of it,
///   or could have been behind;
/// - what is drawn could have been missed by the ray, likewise, or could be in front.
bool tact_pick_explained(const tact_pick_view* view, tact_pick_slack slack, int32_t x, int32_t y,
                         const double ray[3][3], const double drawn[3][3]);

/// Whether a triangle may be seen at this depth in a pixel that shows it.
bool tact_pick_depth_explained(const tact_pick_view* view, tact_pick_slack slack, int32_t x, int32_t y,
                               const double corners[3][3], double depth);
