// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Newell's normal of a polygon in space.

#include "cpu_ref/geometry/vec.h"

/// Twice the polygon's area as a vector and the sum of its vertices, both relative to the first one. False when a
/// vertex is not finite or the area is none but for rounding. `count` is not 0.
bool tact_newell(const tact_vec3* vertices, size_t count, dvec* normal, dvec* total);
