// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the hulls in the plane and in space share.

#include "base/env.h"
#include "tact/geometry/hull.h"

enum { TACT_HULL_POINTS = 1 << 30 };  ///< at most

/// An empty hull with the allocator of `env`.
void tact_hull_begin(tact_hull_mesh* hull, const tact_env* env);

/// The hull of p[index[i]], all finite; `index` is reordered. Fills vertices, facet and dimension (0 to 2).
tact_result tact_hull_chain(tact_env* env, const tact_vec2* p, uint32_t* index, size_t count, tact_hull_mesh* hull);

/// Quickhull from four points of which the fourth is behind the triangle of the first three. `index` has all finite
/// points.
tact_result tact_hull_quick(tact_env* env, const tact_vec3* points, size_t count, const uint32_t* index,
                            size_t index_count, const uint32_t seed[4], tact_hull_mesh* hull);
