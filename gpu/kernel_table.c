// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/kernel_table.h"

// Each kernel file, in this mode, gives params_NAME and group_NAME. The file is generated from the list of kernels.
#define TACT_DESCRIBE 1
#include "kernel_includes.h"

#define TACT_KERNEL(name)                               \
    extern const unsigned char tact_glsl_##name[];      \
    extern const unsigned long tact_glsl_##name##_size; \
    extern const unsigned char tact_opencl_##name[];    \
    extern const unsigned long tact_opencl_##name##_size;
#include "kernel_list.h"
#undef TACT_KERNEL

static size_t count_buffers(const tact_kernel_param* params, size_t count)
{
    size_t buffers = 0;
    while (buffers < count && params[buffers].kind <= TACT_PARAM_WRITE)
        ++buffers;
    return buffers;
}

tact_kernel tact_kernel_get(tact_kernel_id id)
{
    tact_kernel kernel = {0};
    switch (id) {
#define TACT_KERNEL(n)                                                 \
    case TACT_KERNEL_##n:                                              \
        kernel.name = #n;                                              \
        kernel.file = #n ".kernel";                                    \
        kernel.group = group_##n;                                      \
        kernel.params = params_##n;                                    \
        kernel.param_count = sizeof params_##n / sizeof params_##n[0]; \
        kernel.glsl = tact_glsl_##n;                                   \
        kernel.glsl_size = tact_glsl_##n##_size;                       \
        kernel.opencl = tact_opencl_##n;                               \
        kernel.opencl_size = tact_opencl_##n##_size;                   \
        break;
#include "kernel_list.h"
#undef TACT_KERNEL
        case TACT_KERNEL_COUNT:
        default:
            return kernel;
    }
    kernel.buffer_count = count_buffers(kernel.params, kernel.param_count);
    return kernel;
}
