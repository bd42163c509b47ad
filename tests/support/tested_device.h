// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A program that tests one device: OpenGL's where its first argument is `gl`, else OpenCL's. The second argument, if
/// there is one, is a pattern of tests. Include after run.h.

#include "core/context/context.h"
#include "tests/support/one_device.h"

static tact_backend tested = TACT_BACKEND_CL;
static tact_context* context;
static tact_device* device;

/// Opens the context with the device. -1, or the exit code of a program that can do nothing.
static inline int tested_open(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "gl") == 0) tested = TACT_BACKEND_GL;
    if (argc > 2) run_only(argv[2]);
    context = one_device_context(tested);
    if (!context) return 1;
    if (device_missing(context, tested)) {
        tact_context_destroy(context);
        return run_nothing("the device is missing");
    }
    device = context->devices[tact_context_find(context, tested)];
    return -1;
}

/// Ends main() with the exit code of all that ran.
static inline int tested_close(int code)
{
    tact_context_destroy(context);
    return code;
}

/// A main() that runs `all_tests`.
#define RUN_ALL_TESTED                                                          \
    int main(int argc, char** argv)                                             \
    {                                                                           \
        const int code = tested_open(argc, argv);                               \
        return code >= 0 ? code : tested_close(run_all(all_tests, NULL, NULL)); \
    }
