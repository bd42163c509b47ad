// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Runs a test once on each device: DEVICE_TEST(name) stands for two tests. Where a device is missing, its tests are
/// skipped. Include after run.h.

#include "gpu/device.h"

typedef struct device_fixture {
    tact_backend backend;
    tact_env env;
    tact_device* device;  ///< entered; NULL: not to be had
    uint32_t errors_logged;
} device_fixture;

static inline void fixture_log(tact_log_level level, const char* source, const char* message, void* user)
{
    if (level == TACT_LOG_ERROR) ++((device_fixture*)user)->errors_logged;
}

static inline tact_result fixture_open(device_fixture* f, const tact_device_open* open, tact_device** device)
{
    return f->backend == TACT_BACKEND_GL ? tact_device_open_gl(open, device) : tact_device_open_cl(open, device);
}

static inline int fixture_setup(void** state, tact_backend backend)
{
    device_fixture* f = calloc(1, sizeof *f);
    if (!f) return -1;
    f->backend = backend;
    tact_env_init(&f->env, NULL, fixture_log, f, NULL, NULL);
    const tact_device_open open = {.env = &f->env};
    if (fixture_open(f, &open, &f->device) == TACT_OK) {
        if (tact_device_enter(f->device) != TACT_OK) return -1;
    } else {
        miss_device(backend, f->env.error);
    }
    *state = f;
    return 0;
}

static inline int fixture_setup_gl(void** state)
{
    return fixture_setup(state, TACT_BACKEND_GL);
}

static inline int fixture_setup_cl(void** state)
{
    return fixture_setup(state, TACT_BACKEND_CL);
}

static inline int fixture_teardown(void** state)
{
    device_fixture* f = *state;
    if (f->device) {
        tact_device_leave(f->device);
        tact_device_close(f->device);
    }
    free(f);
    return 0;
}

/// The device, or the end of the test as skipped.
static inline tact_device* require_device(device_fixture* f)
{
    if (!f->device) skip_because("the device is missing");
    return f->device;
}

/// Fails the test with the detail.
#define expect_ok(f, call)                                                               \
    do {                                                                                 \
        const tact_result expect_ok_ = (call);                                           \
        if (expect_ok_ != TACT_OK) {                                                     \
            fail_msg("%s: %s: %s", #call, tact_result_name(expect_ok_), (f)->env.error); \
        }                                                                                \
    } while (0)

/// The call fails so, and the device forgets it.
#define expect_failure(device, call, failure) \
    do {                                      \
        assert_int_equal((call), (failure));  \
        tact_device_forgive(device);          \
    } while (0)

/// As if another call came: what has failed is forgotten.
static inline void enter_again(device_fixture* f, tact_device* device)
{
    tact_device_leave(device);
    expect_ok(f, tact_device_enter(device));
}

static inline tact_buffer* make_buffer(device_fixture* f, tact_device* device, size_t bytes, const void* initial)
{
    tact_buffer* buffer = NULL;
    expect_ok(f, tact_buffer_create(device, bytes, initial, &buffer));
    return buffer;
}

#define DEVICE_TEST_GL(name)                                          \
    {                                                                 \
#name " (gl)", name, fixture_setup_gl, fixture_teardown, NULL \
    }
#define DEVICE_TEST_CL(name)                                          \
    {                                                                 \
#name " (cl)", name, fixture_setup_cl, fixture_teardown, NULL \
    }
#define DEVICE_TEST(name) DEVICE_TEST_GL(name), DEVICE_TEST_CL(name)
