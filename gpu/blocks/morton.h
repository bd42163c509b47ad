// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Morton codes on a device; kernels/morton.h defines them. Needs no scratch memory. Calls must lie between
/// tact_device_enter and tact_device_leave.

#include "gpu/tiling.h"

/// Writes the codes of `count` points, or of boxes' centres, within `bounds` (lower and upper as two float4, such as
/// tact_reduce_bounds leaves; w does not matter) to `codes`: a word of 30 bits, or, `wide`, two words with 63 bits, low
/// word first. All buffers must differ. Errors: INVALID_ARGUMENT (a buffer is too small), LIMIT, and those of
/// tact_device_launch.
tact_result tact_morton_run(tact_device* device, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                            tact_buffer* bounds, bool wide, tact_buffer* codes);
