// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Points to ask about: generated ones, the same on every machine, or from a file.

#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "tact/closest.h"

/// Uniform in the box enlarged by half its size on each side, x, y, z from a SplitMix64 sequence that starts from
/// `seed`; all with the same greatest distance.
void tact_points_random(const tact_bounds* bounds, uint64_t seed, uint64_t count, float max_distance,
                        tact_closest_query* points);

/// Points that break careless code, `count` of them, going round these kinds and the scene's triangles: corners,
/// middles of edges and of faces, just off them, as far above a face as the limit, between a corner and another, far
/// away, near the origin, with a distance of zero, less than zero, NaN, with NaN, infinite and huge coordinates.
void tact_points_hard(const tact_model* model, const tact_bounds* bounds, uint64_t seed, uint64_t count,
                      tact_closest_query* points);
