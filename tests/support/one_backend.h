// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The end of a program that tests one backend. Include after the list of its tests.

#include "tests/support/test_context.h"

/// Runs all tests with the backend that the first argument names, cpu, gl or cl, which goes to `backend`, in a context
/// with two threads and no other device.
static inline int run_one_backend(int argc, char** argv, tact_backend* backend)
{
    const char* wanted = argc > 1 ? argv[1] : "cpu";
    if (strcmp(wanted, "gl") == 0) *backend = TACT_BACKEND_GL;
    if (strcmp(wanted, "cl") == 0) *backend = TACT_BACKEND_CL;
    const tact_context_desc desc = {.gl = *backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = *backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .threads = 2};
    if (tact_context_create(&desc, &context) != TACT_OK) return 1;
    if (device_missing(context, *backend)) {
        tact_context_destroy(context);
        return run_nothing("the device is missing");
    }
    const int failed = run_all(all_tests, NULL, NULL);
    tact_context_destroy(context);
    return failed;
}
