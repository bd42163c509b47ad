// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What a device is given: kernels, fences, timers; and what the probe says of it.

#include "tests/support/run.h"

#include "gpu/device_backend.h"
#include "gpu/probe.h"
#include "tests/support/device_fixture.h"
#include "tests/support/selftest.h"

/// Small, for oclgrind.
TEST_AS(DEVICE_TEST, a_kernel_of_every_kind_of_parameter)
{
    run_selftest(*state, require_device(*state), 3);
}

TEST_AS(DEVICE_TEST, every_group_runs_once)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint32_t counts[] = {0, 1, 2, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        run_selftest(f, device, counts[i]);
}

TEST_AS(DEVICE_TEST, groups_are_spread_over_two_axes)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint32_t most = device->info.max_groups;
    device->info.max_groups = 100;
    run_selftest(f, device, 100);
    run_selftest(f, device, 101);
    run_selftest(f, device, 9999);
    run_selftest(f, device, 10000);
    selftest t;
    make_selftest(f, device, 1, &t);
    t.groups = 10001;
    expect_failure(device, launch_selftest(device, &t), TACT_ERROR_LIMIT);
    // More items than 32 bits can number.
    device->info.max_groups = 0x7fffffff;
    t.groups = 1u << 27;
    expect_failure(device, launch_selftest(device, &t), TACT_ERROR_LIMIT);
    device->info.max_groups = most;
    free_selftest(&t);
}

static void expect_bad(tact_device* device, tact_kernel_id kernel, const void* args, size_t size)
{
    for (uint32_t groups = 0; groups < 5; groups += 4) {
        assert_int_equal(tact_device_launch(device, kernel, groups, args, size), TACT_ERROR_INVALID_ARGUMENT);
        tact_device_forgive(device);
    }
}

TEST_AS(DEVICE_TEST, wrong_arguments_are_rejected)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    selftest t;
    make_selftest(f, device, 4, &t);
    const tact_selftest_args good = {
        .source = t.source, .target = t.target, .counters = t.counters, .count = 4, .addend = ADDEND, .factor = FACTOR};
    expect_bad(device, TACT_KERNEL_selftest, &good, sizeof good - 8);
    expect_bad(device, TACT_KERNEL_selftest, &good, sizeof good + 8);
    expect_bad(device, TACT_KERNEL_COUNT, &good, sizeof good);
    tact_selftest_args args = good;
    args.target = NULL;
    expect_bad(device, TACT_KERNEL_selftest, &args, sizeof args);
    assert_non_null(strstr(f->env.error, "target"));
    expect_ok(f, tact_device_launch(device, TACT_KERNEL_selftest, 4, &good, sizeof good));
    expect_selftest(f, &t);
    free_selftest(&t);
}

TEST_AS(DEVICE_TEST, fences_are_passed_in_the_end)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    selftest t;
    tact_fence *fence = NULL, *second = NULL;
    bool done = false;
    make_selftest(f, device, 20000, &t);
    expect_ok(f, launch_selftest(device, &t));
    expect_ok(f, tact_fence_create(device, &fence));
    expect_ok(f, tact_fence_create(device, &second));
    while (!done)
        expect_ok(f, tact_fence_poll(fence, &done));
    expect_ok(f, tact_fence_wait(fence));
    expect_ok(f, tact_fence_wait(second));
    expect_ok(f, tact_fence_poll(second, &done));
    assert_true(done);
    expect_selftest(f, &t);
    tact_fence_destroy(fence);
    tact_fence_destroy(second);
    tact_fence_destroy(NULL);
    free_selftest(&t);
}

/// A note is what was there when it was asked for, whatever is written after that, and reading it waits for nothing.
TEST_AS(DEVICE_TEST, notes_come_by_themselves)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { NOTES = 5 };
    tact_fence* notes[NOTES] = {0};
    tact_buffer* buffer = make_buffer(f, device, 3 * TACT_NOTE_BYTES, NULL);
    uint32_t words[TACT_NOTE_BYTES / 4];
    const uint64_t waits = tact_device_counted(device).waits;
    for (uint32_t i = 0; i < NOTES; ++i) {
        expect_ok(f, tact_buffer_fill(buffer, 0, 3 * (size_t)TACT_NOTE_BYTES, 100 + i));
        expect_ok(f, tact_buffer_fill(buffer, TACT_NOTE_BYTES, 4, i));
        expect_ok(f, tact_fence_create_note(buffer, TACT_NOTE_BYTES, sizeof words, &notes[i]));
    }
    for (uint32_t i = 0; i < NOTES; ++i) {
        // One is let go of before it is looked at.
        for (bool done = i == 2; !done;)
            expect_ok(f, tact_fence_poll(notes[i], &done));
        if (i != 2) {
            tact_fence_note(notes[i], words);
            assert_int_equal(words[0], i);
            assert_int_equal(words[TACT_NOTE_BYTES / 4 - 1], 100 + i);
        }
        tact_fence_destroy(notes[i]);
    }
    assert_int_equal(tact_device_counted(device).waits, waits);
    assert_int_equal(tact_fence_create_note(buffer, 3 * TACT_NOTE_BYTES, 4, &notes[0]), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(notes[0]);
    tact_buffer_destroy(buffer);
}

TEST_AS(DEVICE_TEST, timers_measure_something)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    selftest t;
    double empty = -1, full = -1;
    make_selftest(f, device, 20000, &t);
    expect_ok(f, tact_device_prepare(device, TACT_KERNEL_selftest));
    expect_ok(f, launch_selftest(device, &t));
    expect_ok(f, tact_timer_begin(device));
    expect_ok(f, tact_timer_end(device, &empty));
    expect_ok(f, tact_timer_begin(device));
    expect_failure(device, tact_timer_begin(device), TACT_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 5; ++i)
        expect_ok(f, launch_selftest(device, &t));
    expect_ok(f, tact_timer_end(device, &full));
    assert_true(empty >= 0 && full > 0 && full > empty && full < 60000);
    expect_failure(device, tact_timer_end(device, &full), TACT_ERROR_INVALID_ARGUMENT);
    free_selftest(&t);
}

// The probe

TEST_AS(DEVICE_TEST, the_probe_knows_this_device)
{
    device_fixture* f = *state;
    const tact_device_info* info = tact_device_describe(require_device(f));
    assert_true(info->probe.ran);
    assert_int_equal(info->backend, f->backend);
    assert_true(info->name[0] && info->version[0] && info->driver[0]);
    assert_true(info->max_group_size >= 256 && info->max_buffers >= 8 && info->shared_bytes >= 32768);
    bool exact = true;
    for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i) {
        const tact_probe_operation* operation = &info->probe.operations[i];
        assert_true(operation->tested >= 2000);
        assert_int_equal(operation->differing == 0, operation->worst_ulps == 0);
        exact = exact && operation->differing == 0;
    }
    assert_string_equal(info->probe.operations[0].name, "add");
    assert_string_equal(info->probe.operations[8].name, "bits");
    assert_int_equal(info->probe.exact, exact);
    // Measured for these two; a hardware driver may say otherwise.
    if (strstr(info->name, "llvmpipe") || strstr(info->version, "PoCL")) {
        assert_true(info->probe.exact && info->software && !info->probe.flushes_subnormals);
        assert_false(info->probe.corrected_division || info->probe.corrected_sqrt);
    }
}

TEST_AS(DEVICE_TEST, corrected_variants_are_exact_too)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    if (!tact_device_describe(device)->probe.exact) skip_because("the device is not exact");
    tact_device_drop_programs(device);
    device->correct_division = device->correct_sqrt = true;
    tact_probe probe;
    memset(&probe, 0, sizeof probe);
    expect_ok(f, tact_probe_measure(device, &probe));
    for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i)
        assert_int_equal(probe.operations[i].differing, 0);
    assert_true(probe.exact);
    // Whatever the device makes of subnormal numbers, corrections keep them.
    assert_int_equal(probe.operations[3].subnormal, 0);
    assert_int_equal(probe.operations[4].subnormal, 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
