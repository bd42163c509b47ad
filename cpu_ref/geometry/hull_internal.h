// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the hulls in the plane and in space share.

#include "base/env.h"
#include "tact/geometry/hull.h"

enum { TACT_HULL_POINTS = 1 << 30 };  ///< at most

/// Quickhull from four points of which the fourth is behind the triangle of the first three. `index` has all finite
/// points.
tact_result tact_hull_quick(tact_env* env, const tact_vec3* points, size_t count, const uint32_t* index,
                            size_t index_count, const uint32_t seed[4], tact_hull_mesh* hull);
