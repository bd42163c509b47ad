// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cpu_ref/geometry/vec.h"

/// The centre of the smallest ball around finite points; `count` and `stride` are not 0. `pair` are two points to begin
/// with, best far apart, or twice the same.
dvec tact_smallest_ball_center(const tact_vec3* points, size_t count, size_t stride, const size_t pair[2]);
