// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tact/tact.h"
#include "tests/support/run.h"
#ifdef TACT_HAVE_GPU
#include "gpu/device_backend.h"
#endif

#ifdef TACT_HAVE_GPU
/// Makes the library take a device for one that flushes subnormal numbers, or for one that does not: its kernels are
/// built anew.
static inline void take_for_flushing(tact_device* device, bool flushes)
{
    device->info.probe.flushes_subnormals = flushes;
    assert_int_equal(tact_device_enter(device), TACT_OK);
    tact_device_drop_programs(device);
    tact_device_leave(device);
}
#endif

/// Whether a call fails because the device flushes subnormal numbers, and these could become such: the library leaves
/// them to the CPU then, which is no fault. Says so.
static inline bool left_to_cpu(const tact_context* context, tact_backend backend, tact_result result)
{
    tact_device_info info;
    for (uint32_t i = 0; result == TACT_ERROR_UNSUPPORTED && i < tact_context_device_count(context); ++i) {
        if (tact_context_device(context, i, &info) != TACT_OK || info.backend != backend) continue;
        if (info.probe.flushes_subnormals) print_message("left to the CPU: %s\n", tact_context_error(context));
        return info.probe.flushes_subnormals;
    }
    return false;
}
