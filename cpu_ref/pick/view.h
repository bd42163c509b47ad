// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A view made ready for many lines of sight, in double precision.

#include "base/env.h"
#include "tact/pick.h"

typedef struct tact_pick_lens {
    double row[4][4];      ///< world to clip
    double inverse[4][4];  ///< and back
    double near_z, far_z;  ///< z / w of clip space on the planes that are nearest and farthest
    double axis[3];        ///< unit normal of the near plane, into the view
    double length;         ///< from the near to the far plane, on the axis through the eye; 1 where the far plane is at
                           ///< infinity; 0 where each line has its own
    bool endless;          ///< the far plane is at infinity
    double width, height, left, top;
} tact_pick_lens;

/// False when the matrix is not finite or cannot be inverted, or the view has no pixels.
bool tact_pick_lens_make(const tact_pick_view* view, tact_pick_lens* lens);

/// tact_pick_ray() of its view.
bool tact_pick_lens_ray(const tact_pick_lens* lens, double x, double y, tact_ray* ray);

/// tact_pick_refine() with corners in double precision.
bool tact_pick_lens_refine(const tact_pick_lens* lens, const double corners[9], tact_pick* pick);

/// Position and depth of a point of the world, rounded once. False, and nothing changed, where it is not in front of
/// the eye.
bool tact_pick_lens_place(const tact_pick_lens* lens, const double point[3], tact_pick* pick);

/// INVALID_ARGUMENT, in words, for a view that nothing can be picked in: too large, no such conventions, not finite,
/// not to be inverted, or with the near plane at infinity, as when `reversed` is wrong. A view without pixels may have
/// any matrix.
tact_result tact_pick_view_check(tact_env* env, const tact_pick_view* view);

/// Whether two views are the same, bit for bit in the matrix.
bool tact_pick_view_same(const tact_pick_view* a, const tact_pick_view* b);
