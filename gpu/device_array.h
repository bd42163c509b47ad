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

/// These enter the device themselves.
tact_result tact_device_array_check(tact_device* device, const tact_device_array* array, uint64_t bytes);
tact_result tact_device_array_read(tact_device* device, const tact_device_array* array, void* data, size_t bytes);
tact_result tact_device_array_write(tact_device* device, const tact_device_array* array, const void* data,
                                    size_t bytes);
