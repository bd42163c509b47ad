// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How a pair of objects is looked at, and what that is worth. Numbers only: no device.

#include "tact/image_space.h"

/// What the device does to vertices on their way to pixels.
typedef struct tact_image_grid {
    uint32_t resolution;     ///< pixels of a tile
    uint32_t target;         ///< pixels of all tiles beside each other
    uint32_t subpixel_bits;  ///< the rasteriser's
} tact_image_grid;

typedef struct tact_image_fit {
    bool meets;  ///< false: the boxes do not, and the rest is not set
    tact_image_view view;
    double rows[2][3][4];  ///< of A and of B: to pixels from the tile's middle, and to 0 to 1 in depth
    double slack[2];       ///< how far a face may be drawn off its place, in pixels
    double near_depth;     ///< position of the near side along the third axis
    double gap, depth;     ///< as tact_image_result has them
    uint32_t bits;         ///< of tact_image_fit_cells()
} tact_image_fit;

/// A NULL pose is the identity. All numbers are finite and within TACT_MAX_COORDINATE.
tact_image_fit tact_image_fit_view(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                   const float* pose_b, const tact_image_grid* grid);

/// The same for tests in cells, `slots` of them along the view: rows lead to pixels from the tile's middle and to cells
/// from the near side; `bits` is of the grid that vertices are then put on, 1 to 8, so that no coordinate is beyond
/// 2^28 of its steps. The view is wider than what is in both boxes, by half a cell and by more than vertices are moved.
/// `gap` and `depth` are the same; `slack` is not set.
tact_image_fit tact_image_fit_cells(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                    const float* pose_b, uint32_t resolution, uint32_t slots);
