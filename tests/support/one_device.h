// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A context with two threads and, where it is to be had, one device of the library's own.

#include <stddef.h>

#include "tact/tact.h"

/// NULL: no context. One without the device is a context still.
static inline tact_context* one_device_context(tact_backend backend)
{
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .threads = 2};
    tact_context* context = NULL;
    return tact_context_create(&desc, &context) == TACT_OK ? context : NULL;
}
