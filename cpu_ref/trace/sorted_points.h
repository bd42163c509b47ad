// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Batches of points in an order in which those after each other lie near each other, since then they meet the same
/// nodes and triangles.

#include "cpu_ref/trace/batch.h"
#include "tact/closest.h"

/// Takes the points of a batch from `first` on, `count` of them: first + order[0], first + order[1] and so on.
typedef void tact_points_fn(void* user, size_t first, const uint32_t* order, uint32_t count);

/// Gives each point of a batch to `take` once, in pieces on the batch's threads; a few without memory, in the order
/// that they come in. OUT_OF_MEMORY, CANCELLED.
tact_result tact_points_run(tact_env* env, const tact_closest_query* points, const tact_batch* batch,
                            tact_points_fn* take, void* user);
