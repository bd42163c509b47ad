// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Every compute kernel: its parameters, and its text in both languages as embedded at build time.

#include <stddef.h>
#include <stdint.h>

typedef enum tact_param_kind {
    TACT_PARAM_READ,   ///< buffer that the kernel only reads
    TACT_PARAM_WRITE,  ///< buffer that the kernel reads and writes
    TACT_PARAM_uint,
    TACT_PARAM_int,
    TACT_PARAM_float
} tact_param_kind;

typedef struct tact_kernel_param {
    const char* name;
    tact_param_kind kind;
    uint32_t index;  ///< binding of a buffer, location of a value
} tact_kernel_param;

/// TACT_KERNEL_raycast, ... one for each file kernels/NAME.kernel, from the list in kernels/CMakeLists.txt.
typedef enum tact_kernel_id {
#define TACT_KERNEL(name) TACT_KERNEL_##name,
#include "kernel_list.h"
#undef TACT_KERNEL
    TACT_KERNEL_COUNT
} tact_kernel_id;

typedef struct tact_kernel {
    const char* name;
    const char* file;  ///< "raycast.kernel"
    uint32_t group;    ///< work group size
    const tact_kernel_param* params;
    size_t param_count;
    size_t buffer_count;        ///< of the params, the first ones
    const unsigned char* glsl;  ///< generated text, zero-terminated
    size_t glsl_size;
    const unsigned char* opencl;
    size_t opencl_size;
} tact_kernel;

tact_kernel tact_kernel_get(tact_kernel_id id);
