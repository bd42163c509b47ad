// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Generated sets of boxes in the unit cube with one property chosen, for the sweeps of `tact bench pairs`.

#include <stddef.h>
#include <stdint.h>

#include "tact/geometry/types.h"

/// Boxes each width of which is between 0.5 and 1.5 of the mean, and that overlap `overlaps` others each, but for those
/// at the cube's faces.
void tact_input_volumes_dense(size_t count, uint64_t seed, double overlaps, tact_aabb* boxes);

/// Cubes whose widths differ by up to `spread` : 1, the number of them falling with the square of the width, and that
/// overlap about four others each on average.
void tact_input_volumes_spread(size_t count, uint64_t seed, double spread, tact_aabb* boxes);
