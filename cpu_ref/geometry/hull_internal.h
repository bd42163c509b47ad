// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the hulls in the plane and in space share.

#include "base/env.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/hull_graph.h"

enum { TACT_HULL_POINTS = 1 << 30 };  ///< at most

/// Quickhull from four points of which the fourth is behind the triangle of the first three. `index` has all finite
/// points.
tact_result tact_hull_quick(tact_env* env, const tact_vec3* points, size_t count, const uint32_t* index,
                            size_t index_count, const uint32_t seed[4], tact_hull_mesh* hull);

/// tact_hull_graph_extreme for a direction that was computed.
uint32_t tact_hull_graph_climb(const tact_hull_graph* graph, dvec direction, uint32_t start);
