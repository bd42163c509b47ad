// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file device_array.h
/// Arrays in buffers of a device, which queries read and write without a copy through the host.

#include "tact/context.h"

/// An array in a buffer of a device: of the OpenGL context that the tact context adopted, or of the OpenCL context. It
/// must end within the first `max_buffer_bytes` (tact_device_info) of the buffer; calls fail with LIMIT else.
typedef struct tact_device_array {
    tact_backend backend;  ///< GL or CL
    uint32_t gl_buffer;    ///< GL: the name of a buffer object
    void* cl_mem;          ///< CL: a cl_mem
    uint64_t offset;       ///< in bytes, a multiple of 4 (of 16 is fastest)
} tact_device_array;
