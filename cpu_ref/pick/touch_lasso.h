// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of touch_area: corners of a polygon being clipped, and what a lasso does with what is left.

#include "cpu_ref/pick/touch_area.h"

enum {
    TACT_TOUCH_NUMBERS = 7,
    /// Clipping a polygon of n corners leaves at most n + n / 2, were rounding to make it as ragged as can be: each
    /// pair of new corners costs one. After the six planes a triangle has at most 28, after four sides of pixels and
    /// the two of a square more 316.
    TACT_TOUCH_CORNERS = 320
};

/// X Y Z W, weights of the second and third corner, 1; all divided by W when projected.
typedef struct tact_touch_vertex {
    double p[TACT_TOUCH_NUMBERS];
} tact_touch_vertex;

/// The edges in bands of rows, and their bounds x0 y0 x1 y1 in pixels of the view: empty ones when there is no area or
/// a number is not finite. OUT_OF_MEMORY.
tact_result tact_touch_lasso_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region, bool brute,
                                  tact_touch_area* area, double box[4]);

/// By the even-odd rule, as computed.
bool tact_touch_in_lasso(const tact_touch_area* area, double x, double y);

/// Gives the candidates of a projected polygon to `best`.
void tact_touch_lasso_try(const tact_touch_area* area, const tact_touch_vertex* polygon, int count,
                          tact_touch_best* best);

/// A candidate in the pixel that holds it.
void tact_touch_consider(const tact_touch_area* area, const tact_touch_vertex* v, tact_touch_best* best);
