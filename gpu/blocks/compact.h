// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Stream compaction on a device: keeps the flagged elements of an array, in order. Calls must lie between
/// tact_device_enter and tact_device_leave.

#include "gpu/blocks/scan.h"

/// Holds the scratch memory, that of a scan: running a compaction allocates nothing.
typedef struct tact_compact tact_compact;

/// `max_groups`: work groups of a launch at most; 0 for the default. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
tact_result tact_compact_create(tact_device* device, uint32_t max_groups, tact_compact** compact);
/// NULL is allowed.
void tact_compact_destroy(tact_compact* compact);

/// Writes the indices i < count with flags[i] != 0 to `result`, ascending, and how many they are to word `kept_index`
/// of `kept`. `result` must hold `count` words, be it that fewer are kept; words past those kept stay as they were. All
/// buffers must differ. Errors: INVALID_ARGUMENT (a buffer is too small), LIMIT, and those of tact_device_launch.
tact_result tact_compact_indices(tact_compact* compact, tact_buffer* flags, tact_buffer* result, uint32_t count,
                                 tact_buffer* kept, uint32_t kept_index);

/// The same with the elements themselves, each of `words` words (at least 1).
tact_result tact_compact_values(tact_compact* compact, tact_buffer* flags, tact_buffer* values, uint32_t words,
                                tact_buffer* result, uint32_t count, tact_buffer* kept, uint32_t kept_index);
