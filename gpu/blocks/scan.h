// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Exclusive prefix sums on a device. Calls must lie between tact_device_enter and tact_device_leave.

#include "gpu/tiling.h"

/// Holds the scratch memory, 8 KiB, all that a scan of any size needs: running one allocates nothing.
typedef struct tact_scan tact_scan;

enum { TACT_SCAN_SCRATCH_BYTES = 2048 * 4 + 4 };

/// `max_groups`: work groups of a launch at most; 0 for the default (tests lower it). Errors: OUT_OF_MEMORY,
/// DEVICE_OUT_OF_MEMORY.
tact_result tact_scan_create(tact_device* device, uint32_t max_groups, tact_scan** scan);
/// NULL is allowed.
void tact_scan_destroy(tact_scan* scan);

/// result[i] = source[0] + ... + source[i - 1] modulo 2^32 for i < count. The buffers may be one. The sum of all goes
/// to word `total_index` of `total` unless that is NULL. Errors: INVALID_ARGUMENT (a buffer is too small), LIMIT, and
/// those of tact_device_launch.
tact_result tact_scan_run(tact_scan* scan, tact_buffer* source, tact_buffer* result, uint32_t count, tact_buffer* total,
                          uint32_t total_index);

/// For other blocks: the first two steps. Leaves in *bases, a buffer of the scan's own, where each section of `tiling`
/// begins, valid until the scan is used again. `as_flags`: any value but 0 counts as 1.
tact_result tact_scan_sections(tact_scan* scan, tact_buffer* source, uint32_t count, tact_tiling tiling, bool as_flags,
                               tact_buffer** bases);
