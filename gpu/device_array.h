// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The caller's arrays on a device whose context is the caller's.

#include "gpu/device.h"
#include "tact/volumes.h"

/// The array's buffer, to copy from and to at array->offset. INVALID_ARGUMENT: no such buffer, an offset that is no
/// multiple of 4, fewer than `bytes` bytes from there on. Between tact_device_enter and tact_device_leave.
tact_result tact_device_array_open(tact_device* device, const tact_device_array* array, uint64_t bytes,
                                   tact_buffer** buffer);

/// What takes `count` rows of a caller's array, from row `first` on, which lie in a buffer of the library's own: each
/// `words` words behind the one before.
typedef void tact_rows_fn(tact_buffer* rows, uint32_t words, uint32_t first, uint32_t count, void* user);

/// Copies `count` rows of 12 bytes, `stride` bytes from one to the next, piece by piece into *raw (the caller's to
/// destroy; NULL: it is made) and has each piece taken, since a kernel may not be able to bind all of the caller's
/// buffer. Errors: as tact_device_array_open, INVALID_ARGUMENT (rows too far apart to count), DEVICE_OUT_OF_MEMORY.
tact_result tact_device_array_rows(tact_device* device, const tact_device_array* array, size_t count, size_t stride,
                                   tact_buffer** raw, tact_rows_fn* take, void* user);

/// These enter the device themselves.
tact_result tact_device_array_check(tact_device* device, const tact_device_array* array, uint64_t bytes);
tact_result tact_device_array_read(tact_device* device, const tact_device_array* array, void* data, size_t bytes);
tact_result tact_device_array_write(tact_device* device, const tact_device_array* array, const void* data,
                                    size_t bytes);
