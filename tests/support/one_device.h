// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A context with two threads and, where it is to be had, one device of the library's own. ONE_DEVICE_TEST(name) stands
/// for two tests, of OpenGL and of OpenCL. With TACT_TEST_DEVICE=flushes OpenCL's makes zeros of subnormal numbers, as
/// OpenGL does on many GPUs: a modelled one, whose times mean nothing. Include after run.h.

#include <stdlib.h>
#include <string.h>

#include "tact/tact.h"
#include "tests/support/quiet.h"

static inline bool one_device_flushes(void)
{
    const char* device = getenv("TACT_TEST_DEVICE");
    return device && strcmp(device, "flushes") == 0;
}

/// NULL for `log`: the library's own.
static inline tact_context* one_device_logged(tact_backend backend, tact_log_fn* log)
{
    static const tact_device_model flushing = {.name = "flushing",
                                               .up_gbs = 1,
                                               .down_gbs = 1,
                                               .host_gbs = 1,
                                               .memory_gbs = 1,
                                               .cache_gbs = 1,
                                               .accesses_g = 1,
                                               .atomics_g = 1,
                                               .flushes_subnormals = true};
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .threads = 2,
                                    .log = log,
                                    .model = one_device_flushes() ? &flushing : NULL};
    tact_context* context = NULL;
    if (tact_context_create(&desc, &context) != TACT_OK) return NULL;
    tact_device_info info;
    if (desc.model && tact_context_device(context, 1, &info) == TACT_OK && !info.probe.flushes_subnormals) {
        tact_context_destroy(context);
        exit(run_nothing("OpenCL keeps subnormal numbers, whatever it is built with"));
    }
    return context;
}

/// NULL: no context. One without the device is a context still.
static inline tact_context* one_device_context(tact_backend backend)
{
    return one_device_logged(backend, NULL);
}

/// A context with the device and without a log; else the test is skipped.
static inline tact_context* one_device_require(tact_backend backend)
{
    tact_context* context = one_device_logged(backend, quiet);
    assert_non_null(context);
    if (device_missing(context, backend)) {
        tact_context_destroy(context);
        skip_because("the device is missing");
    }
    return context;
}

static tact_backend one_device_gl = TACT_BACKEND_GL, one_device_cl = TACT_BACKEND_CL;

/// The backend of such a test.
static inline tact_backend one_device_of(void** state)
{
    return *state == &one_device_gl ? one_device_gl : one_device_cl;
}

#define ONE_DEVICE_TEST_GL(name)                        \
    {                                                   \
#name " (gl)", name, NULL, NULL, &one_device_gl \
    }
#define ONE_DEVICE_TEST_CL(name)                        \
    {                                                   \
#name " (cl)", name, NULL, NULL, &one_device_cl \
    }
#define ONE_DEVICE_TEST(name) ONE_DEVICE_TEST_GL(name), ONE_DEVICE_TEST_CL(name)
