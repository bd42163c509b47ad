// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sums, minima, maxima and bounds on a device. Calls must lie between tact_device_enter and tact_device_leave.

#include "gpu/tiling.h"

/// Holds the scratch memory, 64 KiB for any size: running a reduction allocates nothing.
typedef struct tact_reduce tact_reduce;

enum { TACT_REDUCE_SCRATCH_BYTES = 2048 * 32 };

/// `max_groups`: work groups of a launch at most; 0 for the default. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
tact_result tact_reduce_create(tact_device* device, uint32_t max_groups, tact_reduce** reduce);
/// NULL is allowed.
void tact_reduce_destroy(tact_reduce* reduce);

/// Reduces `count` words to word `result_index` of `result`, which must be another buffer than `source`. Errors:
/// INVALID_ARGUMENT (a buffer is too small), LIMIT, and those of tact_device_launch.
tact_result tact_reduce_run(tact_reduce* reduce, tact_reduction reduction, tact_buffer* source, uint32_t count,
                            tact_buffer* result, uint32_t result_index);

/// The minima and maxima of each of the four components of `count` points or boxes, as two float4 at the start of
/// `result`, another buffer than `source`. Floats are ordered as tact_reduction says; no elements give +inf, -inf.
tact_result tact_reduce_bounds(tact_reduce* reduce, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                               tact_buffer* result);
