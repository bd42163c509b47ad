// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The table of backends: all that differs between them, but for how they compute.

#include "core/context/context.h"

typedef struct tact_backend_class {
    const char* name;  ///< "gl"

    // Of devices beyond the host.

    /// Where the description of a context wants it from. NULL: the backend is the host's own.
    tact_device_source (*source)(const tact_context_desc* desc);
    /// What is wrong with that; NULL: nothing.
    const char* (*check)(const tact_context_desc* desc);
#ifdef TACT_HAVE_GPU
    /// Adds the caller's handles, and opens. The device's errors.
    tact_result (*open)(const tact_context_desc* desc, tact_device_open* how, tact_device** device);
#endif
} tact_backend_class;

/// NULL for a number that is none.
const tact_backend_class* tact_backend_class_of(tact_backend backend);

/// Whether it is a device beyond the host, with memory of its own.
bool tact_backend_is_device(tact_backend backend);
