// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What opening a device of OpenCL (device_cl_open.c) and its commands (device_cl.c) share.

#include "gpu/cl_api.h"
#include "gpu/device_backend.h"

/// Devices of a context or a platform that are looked at, at most.
enum { TACT_CL_DEVICES_MAX = 64 };

typedef struct cl_device {
    tact_device base;
    tact_cl_api cl;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue up, down;  // of transfers beside kernels; NULL until there were such
    cl_event sent;              // the last one up that `queue` does not come behind yet; NULL: none
    bool clock;                 // the queue keeps profiling times that mean something
    cl_event timer;
    cl_mem meter;  // of metered kernels; NULL: none is
    char build_options[128];
} cl_device;

extern const tact_device_ops tact_cl_ops;

/// OK for CL_SUCCESS, else what the code means, with the detail; `what` was being done.
tact_result tact_cl_check(cl_device* d, cl_int code, const char* what);

/// Makes room for what metered kernels count, where a device is modelled. Errors: those of making a buffer.
tact_result tact_cl_make_meter(cl_device* d, const tact_device_model* model);
