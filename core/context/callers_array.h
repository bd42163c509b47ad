// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Arrays in the caller's own buffers, on whichever of the context's devices they are. Errors of all three:
/// INVALID_ARGUMENT (the context has no such device, or made it itself; a buffer too small), and the device's.

#include "core/context/context.h"
#include "tact/volumes.h"

tact_result tact_callers_array_check(tact_context* context, const tact_device_array* array, uint64_t bytes);
tact_result tact_callers_array_read(tact_context* context, const tact_device_array* array, void* data, size_t bytes);
tact_result tact_callers_array_write(tact_context* context, const tact_device_array* array, const void* data,
                                     size_t bytes);
