// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Failures of a device stick, where they are asked for, and a device that is lost.

#include "tests/support/run.h"

#include "gpu/device_backend.h"
#include "tests/support/device_fixture.h"
#include "tests/support/selftest.h"

#ifdef TACT_HAVE_GL
#include <glad/gl.h>

#include "gpu/device_gl.h"
#endif

TEST_AS(DEVICE_TEST, injected_buffer_failures_come_when_asked_for)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint64_t before = tact_device_bytes(device);
    tact_device_fail_buffer(device, 2);
    tact_buffer *a = make_buffer(f, device, 16, NULL), *b = NULL;
    expect_failure(device, tact_buffer_create(device, 16, NULL, &b), TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    assert_null(b);
    b = make_buffer(f, device, 16, NULL);
    tact_device_fail_buffer(device, 1);
    tact_device_fail_buffer(device, 0);
    tact_buffer_destroy(a);
    a = make_buffer(f, device, 16, NULL);
    tact_buffer_destroy(a);
    tact_buffer_destroy(b);
    assert_false(tact_device_lost(device));
    assert_int_equal(tact_device_bytes(device), before);
}

TEST_AS(DEVICE_TEST, a_failure_stays_until_the_device_is_entered_again)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    selftest t;
    make_selftest(f, device, 8, &t);
    tact_buffer *none = NULL, *later = NULL;
    uint32_t words[2] = {1, 2};
    const tact_result failure = TACT_ERROR_DEVICE_OUT_OF_MEMORY;
    tact_device_fail_buffer(device, 1);
    assert_int_equal(tact_buffer_create(device, 8, NULL, &none), failure);
    assert_int_equal(tact_device_result(device), failure);
    // What was not made can be used, and nothing is done.
    assert_int_equal(tact_buffer_size(none), 0);
    assert_int_equal(tact_buffer_write(none, 0, words, 8), failure);
    assert_int_equal(tact_buffer_fill(none, 0, 8, 0), failure);
    assert_int_equal(tact_buffer_copy(t.target, 0, none, 0, 8), failure);
    assert_int_equal(tact_buffer_read(none, 0, words, 8), failure);
    assert_true(words[0] == 0 && words[1] == 0);
    assert_int_equal(TACT_LAUNCH(device, selftest, 8, .source = none, .target = none), failure);
    assert_int_equal(tact_buffer_create(device, 8, NULL, &later), failure);
    assert_null(later);
    assert_int_equal(launch_selftest(device, &t), failure);
    words[0] = 1;
    assert_int_equal(tact_buffer_read(t.target, 0, words, 4), failure);
    assert_int_equal(words[0], 0);
    assert_int_equal(tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY), failure);
    assert_non_null(strstr(f->env.error, "injected failure"));
    // Within the outermost, entering forgets nothing.
    expect_ok(f, tact_device_enter(device));
    tact_device_leave(device);
    assert_int_equal(tact_device_finish(device), failure);
    enter_again(f, device);
    expect_ok(f, tact_device_result(device));
    expect_ok(f, launch_selftest(device, &t));
    expect_selftest(f, &t);
    assert_int_equal(tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY), TACT_ERROR_OUT_OF_MEMORY);
    assert_int_equal(tact_device_finish(device), TACT_ERROR_OUT_OF_MEMORY);
    tact_device_forgive(device);
    expect_ok(f, tact_device_finish(device));
    free_selftest(&t);
}

#ifdef TACT_HAVE_GL
static GLenum(GLAD_API_PTR* real_get_error)(void);
static int errors_asked;

static GLenum GLAD_API_PTR count_get_error(void)
{
    ++errors_asked;
    return real_get_error();
}

/// As if a command had raised it that tells nothing itself.
static void raise_error(const GladGLContext* gl)
{
    gl->BindBuffer(0x1234, 0);
}

TEST_AS(DEVICE_TEST_GL, errors_are_asked_for_where_the_host_decides)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    GladGLContext* gl = (GladGLContext*)tact_device_gl(device);
    selftest t;
    uint32_t words[16];
    real_get_error = gl->GetError;
    gl->GetError = count_get_error;
    make_selftest(f, device, 8, &t);
    expect_ok(f, tact_device_prepare(device, TACT_KERNEL_selftest));
    for (int rings = 0; rings < 2; ++rings) {
        tact_device_use_rings(device, rings ? 4096 : 0);
        expect_ok(f, tact_buffer_read(t.source, 0, words, sizeof words));
        errors_asked = 0;
        for (int i = 0; i < 3; ++i) {
            expect_ok(f, tact_buffer_write(t.source, 0, words, sizeof words));
            expect_ok(f, launch_selftest(device, &t));
            expect_ok(f, tact_buffer_copy(t.target, 0, t.source, 0, 4));
        }
        assert_int_equal(errors_asked, 0);
        expect_ok(f, tact_device_result(device));
        assert_int_equal(errors_asked, 1);
        expect_ok(f, tact_device_result(device));
        enter_again(f, device);
        assert_int_equal(errors_asked, 1);
        expect_ok(f, tact_buffer_fill(t.target, 0, 4, 0));
        expect_ok(f, tact_buffer_read(t.target, 0, words, 8));
        // Software is waited for first, which asks too.
        assert_in_range(errors_asked, 2, rings ? 2 : 3);
    }
    gl->GetError = real_get_error;
    free_selftest(&t);
}

TEST_AS(DEVICE_TEST_GL, an_error_is_that_of_the_commands_before_it)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const GladGLContext* gl = tact_device_gl(device);
    uint32_t words[2] = {1, 2};
    tact_buffer *buffer = make_buffer(f, device, 8, words), *another = NULL;
    // Asking for the result, making a buffer, building a kernel, reading, a fence: each finds it, and none is blamed.
    for (int place = 0; place < 6; ++place) {
        tact_fence* fence = NULL;
        tact_device_drop_programs(device);
        tact_device_use_rings(device, place == 5 ? 4096 : 0);
        expect_ok(f, tact_buffer_fill(buffer, 0, 8, 7));
        raise_error(gl);
        const tact_result result = place == 0   ? tact_device_result(device)
                                   : place == 1 ? tact_buffer_create(device, 8, NULL, &another)
                                   : place == 2 ? tact_device_prepare(device, TACT_KERNEL_selftest)
                                   : place == 4 ? tact_fence_create(device, &fence)
                                                : tact_buffer_read(buffer, 0, words, 8);
        assert_int_equal(result, TACT_ERROR_DEVICE);
        assert_non_null(strstr(f->env.error, "0x0500"));
        if (place < 3) assert_true(strncmp(f->env.error, "filling a buffer", 16) == 0);
        if (place == 3) assert_non_null(strstr(f->env.error, "filling a buffer"));
        if (place == 3) assert_true(words[0] == 0 && words[1] == 0);
        assert_null(another);
        // It stays, until the device is entered again.
        assert_int_equal(tact_buffer_fill(buffer, 0, 8, 7), TACT_ERROR_DEVICE);
        enter_again(f, device);
        tact_fence_destroy(fence);
        expect_ok(f, tact_buffer_read(buffer, 0, words, 8));
        assert_int_equal(words[1], 7);
    }
    // Found on leaving, it is the next call's.
    expect_ok(f, tact_buffer_fill(buffer, 0, 8, 8));
    raise_error(gl);
    enter_again(f, device);
    assert_int_equal(tact_buffer_fill(buffer, 0, 8, 9), TACT_ERROR_DEVICE);
    assert_int_equal(tact_device_result(device), TACT_ERROR_DEVICE);
    assert_non_null(strstr(f->env.error, "command before"));
    enter_again(f, device);
    expect_ok(f, tact_buffer_read(buffer, 0, words, 8));
    assert_int_equal(words[1], 8);
    // A buffer that is too large is named as such.
    const uint64_t most = device->info.max_buffer_bytes;
    device->info.max_buffer_bytes = (uint64_t)1 << 60;
    expect_ok(f, tact_buffer_fill(buffer, 0, 8, 9));
    expect_failure(device, tact_buffer_create(device, (size_t)1 << 50, NULL, &another),
                   TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    assert_true(strncmp(f->env.error, "creating a buffer", 17) == 0);
    device->info.max_buffer_bytes = most;
    tact_buffer_destroy(buffer);
}
#endif

TEST_AS(DEVICE_TEST, a_lost_device_stays_lost)
{
    device_fixture* f = *state;
    require_device(f);
    const tact_device_open open = {.env = &f->env};
    tact_device* device = NULL;
    expect_ok(f, fixture_open(f, &open, &device));
    expect_ok(f, tact_device_enter(device));
    selftest t;
    make_selftest(f, device, 8, &t);
    tact_fence *fence = NULL, *another = NULL;
    expect_ok(f, tact_fence_create(device, &fence));
    tact_device_fail_launch(device, 2);
    expect_ok(f, launch_selftest(device, &t));
    assert_int_equal(launch_selftest(device, &t), TACT_ERROR_DEVICE_LOST);
    assert_true(tact_device_lost(device));
    const tact_result lost = TACT_ERROR_DEVICE_LOST;
    uint32_t value = 0;
    double milliseconds = 0;
    bool done = true;
    tact_buffer* buffer = NULL;
    assert_int_equal(launch_selftest(device, &t), lost);
    assert_int_equal(tact_buffer_create(device, 4, NULL, &buffer), lost);
    assert_int_equal(tact_buffer_write(t.source, 0, &value, 4), lost);
    assert_int_equal(tact_buffer_read(t.source, 0, &value, 4), lost);
    assert_int_equal(tact_buffer_fill(t.source, 0, 4, 0), lost);
    assert_int_equal(tact_buffer_copy(t.source, 0, t.target, 0, 4), lost);
    assert_int_equal(tact_device_prepare(device, TACT_KERNEL_probe), lost);
    assert_int_equal(tact_device_finish(device), lost);
    assert_int_equal(tact_fence_create(device, &another), lost);
    assert_int_equal(tact_fence_poll(fence, &done), lost);
    assert_false(done);
    assert_int_equal(tact_fence_wait(fence), lost);
    assert_int_equal(tact_timer_begin(device), lost);
    assert_int_equal(tact_timer_end(device, &milliseconds), lost);
    tact_fence_destroy(fence);
    free_selftest(&t);
    tact_device_leave(device);
    // For good.
    expect_ok(f, tact_device_enter(device));
    assert_int_equal(tact_buffer_create(device, 4, NULL, &buffer), lost);
    assert_non_null(strstr(f->env.error, "lost"));
    tact_device_leave(device);
    tact_device_close(device);
    run_selftest(f, f->device, 8);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
