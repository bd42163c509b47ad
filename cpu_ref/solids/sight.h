// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Lines of sight inside a solid: pairs of points of its surface between which there is nothing else of it. Of a convex
/// solid all pairs see each other; the fewer do, the farther it is from that. Source: Asafi, Goren, Cohen-Or, "Weak
/// convex decomposition by lines-of-sight", 2013.

#include "base/env.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/mesh_report.h"

enum { TACT_SIGHT_POINTS = 64 };

typedef struct tact_sight {
    dvec point[TACT_SIGHT_POINTS];
    uint64_t hidden[TACT_SIGHT_POINTS];  ///< of each point, a bit for each later one that it does not see
    uint32_t count;                      ///< pairs that do not see each other
} tact_sight;

/// Looks between points that are spread over a closed mesh by area, always the same ones. Errors: OUT_OF_MEMORY.
tact_result tact_sight_look(tact_env* env, const tact_mesh_copy* mesh, tact_sight* sight);

/// How many pairs are left that do not see each other, of two that are on the same side of a plane.
uint32_t tact_sight_left(const tact_sight* sight, dvec normal, double offset);
