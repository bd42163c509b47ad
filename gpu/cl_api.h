// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// OpenCL 1.2, loaded at run time, so that programs start where it is not installed.

#define CL_TARGET_OPENCL_VERSION 120
#if defined(__APPLE__)
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#include <stdbool.h>

typedef void CL_CALLBACK tact_cl_context_notify(const char*, const void*, size_t, void*);
typedef void CL_CALLBACK tact_cl_program_notify(cl_program, void*);

// Result, name without "cl", parameters.
#define TACT_CL_FUNCTIONS(X)                                                                                           \
    X(cl_int, BuildProgram, (cl_program, cl_uint, const cl_device_id*, const char*, tact_cl_program_notify*, void*))   \
    X(cl_mem, CreateBuffer, (cl_context, cl_mem_flags, size_t, void*, cl_int*))                                        \
    X(cl_command_queue, CreateCommandQueue, (cl_context, cl_device_id, cl_command_queue_properties, cl_int*))          \
    X(cl_context, CreateContext,                                                                                       \
      (const cl_context_properties*, cl_uint, const cl_device_id*, tact_cl_context_notify*, void*, cl_int*))           \
    X(cl_kernel, CreateKernel, (cl_program, const char*, cl_int*))                                                     \
    X(cl_program, CreateProgramWithBinary,                                                                             \
      (cl_context, cl_uint, const cl_device_id*, const size_t*, const unsigned char**, cl_int*, cl_int*))              \
    X(cl_program, CreateProgramWithSource, (cl_context, cl_uint, const char**, const size_t*, cl_int*))                \
    X(cl_int, EnqueueCopyBuffer,                                                                                       \
      (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*))                 \
    X(cl_int, EnqueueFillBuffer,                                                                                       \
      (cl_command_queue, cl_mem, const void*, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*))            \
    X(void*, EnqueueMapBuffer,                                                                                         \
      (cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event*, cl_event*, cl_int*)) \
    X(cl_int, EnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event*, cl_event*))                      \
    X(cl_int, EnqueueNDRangeKernel,                                                                                    \
      (cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*, cl_uint, const cl_event*,    \
       cl_event*))                                                                                                     \
    X(cl_int, EnqueueReadBuffer,                                                                                       \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*, cl_event*))                 \
    X(cl_int, EnqueueUnmapMemObject, (cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*))           \
    X(cl_int, EnqueueWriteBuffer,                                                                                      \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void*, cl_uint, const cl_event*, cl_event*))           \
    X(cl_int, Finish, (cl_command_queue))                                                                              \
    X(cl_int, Flush, (cl_command_queue))                                                                               \
    X(cl_int, GetCommandQueueInfo, (cl_command_queue, cl_command_queue_info, size_t, void*, size_t*))                  \
    X(cl_int, GetContextInfo, (cl_context, cl_context_info, size_t, void*, size_t*))                                   \
    X(cl_int, GetDeviceIDs, (cl_platform_id, cl_device_type, cl_uint, cl_device_id*, cl_uint*))                        \
    X(cl_int, GetDeviceInfo, (cl_device_id, cl_device_info, size_t, void*, size_t*))                                   \
    X(cl_int, GetEventInfo, (cl_event, cl_event_info, size_t, void*, size_t*))                                         \
    X(cl_int, GetEventProfilingInfo, (cl_event, cl_profiling_info, size_t, void*, size_t*))                            \
    X(cl_int, GetKernelWorkGroupInfo, (cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void*, size_t*))    \
    X(cl_int, GetMemObjectInfo, (cl_mem, cl_mem_info, size_t, void*, size_t*))                                         \
    X(cl_int, GetPlatformIDs, (cl_uint, cl_platform_id*, cl_uint*))                                                    \
    X(cl_int, GetPlatformInfo, (cl_platform_id, cl_platform_info, size_t, void*, size_t*))                             \
    X(cl_int, GetProgramBuildInfo, (cl_program, cl_device_id, cl_program_build_info, size_t, void*, size_t*))          \
    X(cl_int, GetProgramInfo, (cl_program, cl_program_info, size_t, void*, size_t*))                                   \
    X(cl_int, ReleaseCommandQueue, (cl_command_queue))                                                                 \
    X(cl_int, ReleaseContext, (cl_context))                                                                            \
    X(cl_int, ReleaseEvent, (cl_event))                                                                                \
    X(cl_int, ReleaseKernel, (cl_kernel))                                                                              \
    X(cl_int, ReleaseMemObject, (cl_mem))                                                                              \
    X(cl_int, ReleaseProgram, (cl_program))                                                                            \
    X(cl_int, RetainCommandQueue, (cl_command_queue))                                                                  \
    X(cl_int, RetainContext, (cl_context))                                                                             \
    X(cl_int, RetainMemObject, (cl_mem))                                                                               \
    X(cl_int, SetKernelArg, (cl_kernel, cl_uint, size_t, const void*))                                                 \
    X(cl_int, WaitForEvents, (cl_uint, const cl_event*))

typedef struct tact_cl_api {
#define X(type, name, parameters) type(CL_API_CALL* name) parameters;
    TACT_CL_FUNCTIONS(X)
#undef X
} tact_cl_api;

/// False when there is no OpenCL library, or one older than 1.2.
bool tact_cl_load(tact_cl_api* api);

/// The name of an error code, such as "CL_OUT_OF_RESOURCES"; "CL error" for others.
const char* tact_cl_error_name(cl_int code);
