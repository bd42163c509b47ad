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
static inline void take_for_flushing(tact_device* on, bool flushes)
{
    on->info.probe.flushes_subnormals = flushes;
    assert_int_equal(tact_device_enter(on), TACT_OK);
    tact_device_drop_programs(on);
    tact_device_leave(on);
}
#endif

/// Whether a call fails because the device flushes subnormal numbers, and these could become such: the library leaves
/// them to the CPU then, which is no fault. Says so.
static inline bool left_to_cpu(const tact_context* asked, tact_backend backend, tact_result result)
{
    tact_device_info info;
    for (uint32_t i = 0; result == TACT_ERROR_UNSUPPORTED && i < tact_context_device_count(asked); ++i) {
        if (tact_context_device(asked, i, &info) != TACT_OK || info.backend != backend) continue;
        if (info.probe.flushes_subnormals) print_message("left to the CPU: %s\n", tact_context_error(asked));
        return info.probe.flushes_subnormals;
    }
    return false;
}
