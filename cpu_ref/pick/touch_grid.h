// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of touch_area: a lasso as a grid of cells, each inside, outside or near an edge, so that what lies in cells
/// of one kind is decided at once, however many corners the lasso has.

#include "cpu_ref/pick/touch_area.h"

typedef enum tact_touch_cover {
    TACT_TOUCH_MIXED = 0,  ///< edges may tell it apart
    TACT_TOUCH_ALL = 1,    ///< all of it is inside the lasso
    TACT_TOUCH_NONE = 2    ///< nothing of it is
} tact_touch_cover;

/// For a lasso whose edges and bounds are made. No grid, and all is mixed, where coordinates are beyond 2^20: there
/// rounding could be more than the margin of 2^-10 pixels that edges keep from what counts as beside them.
/// OUT_OF_MEMORY.
tact_result tact_touch_grid_make(tact_env* env, tact_touch_area* area);

/// Of a box in pixels, cut to the bounds. What is in a box is never judged another way than the box, unless that is
/// mixed.
tact_touch_cover tact_touch_grid_look(const tact_touch_area* area, double x0, double y0, double x1, double y1);
