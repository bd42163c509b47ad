// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#endif

/// Devices come and go, beside each other and in the contexts of callers.

#include "tests/support/run.h"

#include "base/platform.h"
#include "tests/support/device_fixture.h"
#include "tests/support/gl_state.h"
#include "tests/support/selftest.h"

TEST_AS(DEVICE_TEST, entering_nests)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    expect_ok(f, tact_device_enter(device));
    run_selftest(f, device, 3);
    tact_device_leave(device);
    run_selftest(f, device, 3);
    tact_device_leave(device);
    expect_ok(f, tact_device_enter(device));
    run_selftest(f, device, 3);
}

TEST_AS(DEVICE_TEST, two_devices_live_side_by_side)
{
    device_fixture* f = *state;
    tact_device* first = require_device(f);
    const tact_device_open open = {.env = &f->env};
    tact_device* second = NULL;
    expect_ok(f, fixture_open(f, &open, &second));
    selftest a, b;
    make_selftest(f, first, 5, &a);
    expect_ok(f, tact_device_enter(second));  // within the first one's
    make_selftest(f, second, 6, &b);
    expect_ok(f, launch_selftest(second, &b));
    assert_int_equal(
        TACT_LAUNCH(second, selftest, 1, .source = a.source, .target = b.target, .counters = b.counters, .count = 5),
        TACT_ERROR_INVALID_ARGUMENT);
    tact_device_forgive(second);
    expect_failure(second, tact_buffer_copy(b.source, 0, a.source, 0, 4), TACT_ERROR_INVALID_ARGUMENT);
    expect_selftest(f, &b);
    free_selftest(&b);
    tact_device_leave(second);
    expect_ok(f, launch_selftest(first, &a));
    tact_device_close(second);
    expect_selftest(f, &a);
    free_selftest(&a);
}

#if !defined(_WIN32)
static void* run_in_thread(void* user)
{
    device_fixture* f = user;
    uint32_t value = 0;
    tact_buffer* buffer = NULL;
    // cmocka's assertions belong to the main thread.
    if (tact_device_enter(f->device) != TACT_OK) return "enter";
    const tact_result created = tact_buffer_create(f->device, 4, NULL, &buffer);
    tact_result result = created;
    if (result == TACT_OK) result = tact_buffer_fill(buffer, 0, 4, 123);
    if (result == TACT_OK) result = tact_device_prepare(f->device, TACT_KERNEL_selftest);
    if (result == TACT_OK) result = tact_buffer_read(buffer, 0, &value, 4);
    tact_buffer_destroy(buffer);
    tact_device_leave(f->device);
    return result == TACT_OK && value == 123 ? NULL : "use";
}

TEST_AS(DEVICE_TEST, threads_take_turns)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    for (int i = 0; i < 4; ++i) {
        tact_device_leave(device);
        pthread_t thread;
        void* failed = NULL;
        assert_int_equal(pthread_create(&thread, NULL, run_in_thread, f), 0);
        assert_int_equal(pthread_join(thread, &failed), 0);
        if (failed) fail_msg("in the thread: %s: %s", (const char*)failed, f->env.error);
        expect_ok(f, tact_device_enter(device));
        run_selftest(f, device, 3);
    }
}
#endif

TEST_AS(DEVICE_TEST, devices_come_and_go)
{
    device_fixture* f = *state;
    require_device(f);
    for (int i = 0; i < 50; ++i) {
        const tact_device_open open = {.env = &f->env};
        tact_device* device = NULL;
        expect_ok(f, fixture_open(f, &open, &device));
        expect_ok(f, tact_device_enter(device));
        if (i % 10 == 0) run_selftest(f, device, 3);
        assert_int_equal(tact_device_bytes(device), 0);
        tact_device_leave(device);
        tact_device_close(device);
    }
    tact_device_close(NULL);
}

// Adopting

TEST_AS(DEVICE_TEST, adopting_needs_handles)
{
    device_fixture* f = *state;
    const tact_device_open open = {.env = &f->env, .source = TACT_DEVICE_ADOPT};
    tact_device* device = (tact_device*)f;
    const tact_result result = fixture_open(f, &open, &device);
    assert_true(result == TACT_ERROR_INVALID_ARGUMENT || (result == TACT_ERROR_NO_DEVICE && !f->device));
    assert_null(device);
}

#ifdef TACT_HAVE_GL
TEST_AS(DEVICE_TEST_GL, an_adopted_gl_context_keeps_its_state)
{
    device_fixture* f = *state;
    tact_device_leave(require_device(f));
    caller* c = caller_make(TACT_BACKEND_GL);
    assert_non_null(c->egl);
    const GladGLContext* gl = &c->gl;
    const char* text = "#version 430 core\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    const GLuint program = gl->CreateShaderProgramv(GL_COMPUTE_SHADER, 1, &text);
    GLuint buffers[4];
    gl->GenBuffers(4, buffers);
    for (size_t i = 0; i < 4; ++i) {
        gl->BindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[i]);
        gl->BufferData(GL_SHADER_STORAGE_BUFFER, 4096, NULL, GL_STATIC_DRAW);
    }
    unusual_state(gl);
    gl->UseProgram(program);
    gl->BindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, buffers[0], 256, 512);
    gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, buffers[1]);
    gl->BindBufferRange(GL_SHADER_STORAGE_BUFFER, 7, buffers[2], 0, 4096);
    gl->BindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[3]);
    gl->BindBuffer(GL_COPY_READ_BUFFER, buffers[1]);
    gl->BindBuffer(GL_COPY_WRITE_BUFFER, buffers[2]);
    const state_values before = all_state(gl);

    const tact_device_open open = {
        .env = &f->env, .source = TACT_DEVICE_ADOPT, .gl_get_proc_address = callers_function};
    tact_device* device = NULL;
    expect_ok(f, tact_device_open_gl(&open, &device));
    assert_true(tact_device_describe(device)->adopted);
    assert_true(tact_device_describe(device)->probe.ran);
    expect_state(gl, &before, "opening");
    for (int i = 0; i < 3; ++i) {
        gl->BindBuffer(0x1234, 0);  // an error that is the caller's, not ours
        expect_ok(f, tact_device_enter(device));
        tact_device_use_rings(device, i == 1 ? 4096 : 0);
        run_selftest(f, device, 100);
        tact_device_leave(device);
        expect_state(gl, &before, i == 1 ? "a run through rings" : "a run");
    }
    // Another device of ours, entered while the caller's context is current, gives it back.
    expect_ok(f, tact_device_enter(f->device));
    run_selftest(f, f->device, 10);
    tact_device_leave(f->device);
    expect_state(gl, &before, "another device");
    tact_device_close(device);
    expect_state(gl, &before, "closing");
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    usual_state(gl);
    caller_destroy(c);
    expect_ok(f, tact_device_enter(f->device));
}
#endif

#ifdef TACT_HAVE_CL
TEST_AS(DEVICE_TEST_CL, an_adopted_cl_context_is_used_and_given_back)
{
    device_fixture* f = *state;
    require_device(f);
    caller* c = caller_make(TACT_BACKEND_CL);
    at_end(caller_destroy, c);
    assert_non_null(c->queue);
    tact_device_open open = {
        .env = &f->env, .source = TACT_DEVICE_ADOPT, .cl_context = c->cl_context, .cl_device = c->cl_device};
    tact_device* device = NULL;
    for (int own_queue = 0; own_queue < 2; ++own_queue) {
        open.cl_queue = own_queue ? NULL : c->queue;
        expect_ok(f, tact_device_open_cl(&open, &device));
        assert_true(tact_device_describe(device)->adopted);
        expect_ok(f, tact_device_enter(device));
        run_selftest(f, device, 100);
        tact_device_use_rings(device, 4096);
        run_selftest(f, device, 100);
        double milliseconds = -1;
        expect_ok(f, tact_timer_begin(device));
        expect_ok(f, tact_timer_end(device, &milliseconds));
        assert_true(milliseconds >= 0);
        tact_device_leave(device);
        tact_device_close(device);
    }
    // A driver's own threads let go of a queue a moment after its last command has finished (PoCL, on a busy machine).
    cl_uint references = 0;
    for (int wait = 0; wait < 1000000 && references != 1; ++wait) {
        assert_int_equal(
            c->cl.GetCommandQueueInfo(c->queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL),
            CL_SUCCESS);
        tact_platform_yield();
    }
    assert_int_equal(references, 1);

    cl_int code = CL_SUCCESS;
    open.cl_queue =
        c->cl.CreateCommandQueue(c->cl_context, c->cl_device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (open.cl_queue) {
        assert_int_equal(tact_device_open_cl(&open, &device), TACT_ERROR_INVALID_ARGUMENT);
        c->cl.ReleaseCommandQueue(open.cl_queue);
    }
    open.cl_queue = NULL;
    open.cl_device = &f->env;  // compared, not used
    assert_int_equal(tact_device_open_cl(&open, &device), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(device);
}

#if !defined(_WIN32)
// Asked for its devices in this state, PoCL would end the process.
TEST_AS(DEVICE_TEST_CL, a_platform_that_would_abort_is_left_out)
{
    device_fixture* f = *state;
    tact_device* present = require_device(f);
    if (!strstr(tact_device_describe(present)->version, "PoCL")) skip_because("the device is not PoCL");
    static const char* const VARIABLES[] = {"POCL_CACHE_DIR", "PATH"};
    static const char* const VALUES[] = {"", "/nonexistent"};
    static const char* const REASONS[] = {"POCL_CACHE_DIR", "ld is not on the PATH"};
    for (size_t i = 0; i < 2; ++i) {
        const char* before = getenv(VARIABLES[i]);
        char* kept = before ? strdup(before) : NULL;
        setenv(VARIABLES[i], VALUES[i], 1);
        const tact_device_open open = {.env = &f->env};
        tact_device* device = NULL;
        const tact_result result = tact_device_open_cl(&open, &device);
        if (kept) {
            setenv(VARIABLES[i], kept, 1);
        } else {
            unsetenv(VARIABLES[i]);
        }
        free(kept);
        if (result == TACT_OK) {
            // Another platform answered.
            assert_null(strstr(tact_device_describe(device)->version, "PoCL"));
            tact_device_close(device);
        } else {
            assert_int_equal(result, TACT_ERROR_NO_DEVICE);
            if (!strstr(f->env.error, REASONS[i])) fail_msg("no word of why: %s", f->env.error);
        }
    }
}
#endif
#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
