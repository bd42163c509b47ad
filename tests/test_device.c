// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#endif

#include "tests/support/run.h"

#include "base/platform.h"
#include "gpu/device_backend.h"
#include "gpu/probe.h"
#include "support/device_fixture.h"

#ifdef TACT_HAVE_GL
#include <glad/gl.h>

#include "gpu/device_gl.h"
#endif
#ifdef TACT_HAVE_CL
#include "gpu/cl_api.h"
#endif

// The self-test kernel's inputs and what they give

enum { SOURCES = 64, COUNTERS = 8 };
static const int32_t ADDEND = -3;
static const float FACTOR = 1.25f;

typedef struct selftest {
    tact_buffer *source, *target, *counters;
    uint32_t groups;
} selftest;

static void make_selftest(device_fixture* f, tact_device* device, uint32_t groups, selftest* t)
{
    uint32_t source[SOURCES];
    for (uint32_t i = 0; i < SOURCES; ++i)
        source[i] = i * i;
    t->groups = groups;
    expect_ok(f, tact_buffer_create(device, sizeof source, source, &t->source));
    // One more than is written, to see that it is left alone.
    expect_ok(f, tact_buffer_create(device, 4 * ((size_t)groups + 1), NULL, &t->target));
    expect_ok(f, tact_buffer_create(device, 4 * COUNTERS, NULL, &t->counters));
    expect_ok(f, tact_buffer_fill(t->target, 0, tact_buffer_size(t->target), 7));
    expect_ok(f, tact_buffer_fill(t->counters, 0, 4 * COUNTERS, 0));
    expect_ok(f, tact_buffer_fill(t->counters, 4 * 5, 4, 7));
}

static void free_selftest(selftest* t)
{
    tact_buffer_destroy(t->source);
    tact_buffer_destroy(t->target);
    tact_buffer_destroy(t->counters);
}

static tact_result launch_selftest(tact_device* device, const selftest* t)
{
    return TACT_LAUNCH(device, selftest, t->groups, .source = t->source, .target = t->target, .counters = t->counters,
                       .count = t->groups, .addend = ADDEND, .factor = FACTOR);
}

static void expect_selftest(device_fixture* f, const selftest* t)
{
    uint32_t counters[COUNTERS];
    uint32_t* target = scratch(4 * ((size_t)t->groups + 1));
    expect_ok(f, tact_buffer_read(t->counters, 0, counters, sizeof counters));
    expect_ok(f, tact_buffer_read(t->target, 0, target, 4 * ((size_t)t->groups + 1)));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SOURCES; ++i)
        sum += i * i + (uint32_t)ADDEND;
    for (uint32_t i = 0; i < t->groups; ++i) {
        if (target[i] != (sum ^ (i * 2654435761u)) + 1u) fail_msg("group %u wrote %u", i, target[i]);
    }
    assert_int_equal(target[t->groups], 7);
    const float product = FACTOR * 3.0f;
    uint32_t bits;
    memcpy(&bits, &product, sizeof bits);
    assert_int_equal(counters[0], t->groups);
    assert_int_equal(counters[2], t->groups ? t->groups - 1 : 0);
    assert_int_equal(counters[3], t->groups ? bits : 0);
    assert_int_equal(counters[1], counters[4] - t->groups);
    // Compare and swap, which one group wins, and the minimum in shared memory, 77 - 63.
    assert_int_equal(counters[5], t->groups ? 8 : 7);
    assert_int_equal(counters[6], t->groups ? 1 : 0);
    assert_int_equal(counters[7], 14 * t->groups);
    // Spreading over two axes adds less than one row.
    assert_true(counters[4] - t->groups < 1000);
}

static void run_selftest(device_fixture* f, tact_device* device, uint32_t groups)
{
    selftest t;
    make_selftest(f, device, groups, &t);
    expect_ok(f, launch_selftest(device, &t));
    expect_selftest(f, &t);
    free_selftest(&t);
}

// Buffers

TEST_AS(DEVICE_TEST, buffers_hold_what_is_written)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint64_t before = tact_device_bytes(device);
    unsigned char data[5000], back[5000];
    for (size_t i = 0; i < sizeof data; ++i)
        data[i] = (unsigned char)(i * 7 + 3);
    const size_t sizes[] = {0, 1, 2, 3, 4, 5, 63, 64, 65, 4099};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const size_t size = sizes[i], rounded = (size + 3) / 4 * 4;
        // Exactly as long as said, so that a sanitizer sees a read past the end.
        unsigned char* exact = scratch(size ? size : 1);
        memcpy(exact, data, size);
        tact_buffer* buffer = NULL;
        expect_ok(f, tact_buffer_create(device, size, exact, &buffer));
        assert_int_equal(tact_buffer_size(buffer), rounded);
        assert_true(tact_device_bytes(device) >= before + rounded);
        expect_ok(f, tact_buffer_read(buffer, 0, back, rounded));
        assert_memory_equal(back, data, size);
        if (rounded >= 8) {
            expect_ok(f, tact_buffer_write(buffer, 4, data + 100, rounded - 8));
            expect_ok(f, tact_buffer_read(buffer, 4, back, rounded - 8));
            assert_memory_equal(back, data + 100, rounded - 8);
            expect_ok(f, tact_buffer_read(buffer, 0, back, 4));
            assert_memory_equal(back, data, 4);
        }
        expect_ok(f, tact_buffer_write(buffer, rounded, data, 0));
        tact_buffer_destroy(buffer);
    }
    tact_buffer_destroy(NULL);
    assert_int_equal(tact_device_bytes(device), before);
}

TEST_AS(DEVICE_TEST, a_buffer_that_grows_is_seldom_made_anew)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint64_t limit = tact_device_describe(device)->max_buffer_bytes;
    tact_buffer* buffer = NULL;
    expect_ok(f, tact_buffer_hold(device, &buffer, 4000));
    assert_int_equal(tact_buffer_size(buffer), 4000);
    const uint64_t before = tact_device_counted(device).allocations;
    for (uint64_t bytes = 4000; bytes <= 40000; bytes += 4) {
        expect_ok(f, tact_buffer_hold(device, &buffer, bytes));
        assert_true(tact_buffer_size(buffer) >= bytes && tact_buffer_size(buffer) <= bytes + bytes / 2 + 4);
    }
    assert_true(tact_device_counted(device).allocations - before <= 6);
    // Where there is no room for more than is needed, that is made.
    const size_t held = tact_buffer_size(buffer);
    tact_device_fail_buffer(device, 1);
    expect_ok(f, tact_buffer_hold(device, &buffer, held + 4));
    assert_int_equal(tact_buffer_size(buffer), held + 4);
    expect_failure(device, tact_buffer_hold(device, &buffer, limit + 4), TACT_ERROR_LIMIT);
    tact_buffer_destroy(buffer);
}

TEST_AS(DEVICE_TEST, ranges_are_read_together)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { WORDS = 30000, READS = 6 };
    uint32_t* words = scratch(WORDS * sizeof *words);
    uint32_t* got = scratch(READS * WORDS * sizeof *got);
    tact_buffer* buffers[2];
    for (uint32_t b = 0; b < 2; ++b) {
        for (uint32_t i = 0; i < WORDS; ++i)
            words[i] = i * 2654435761u + b;
        expect_ok(f, tact_buffer_create(device, WORDS * 4, words, &buffers[b]));
    }
    // Of one buffer and of two, small and beyond what is set aside for small ones, none, and the largest not the last.
    static const uint32_t ranges[READS][3] = {{0, 5, 1}, {1, 0, WORDS}, {0, 100, 10000},
                                              {1, 7, 0}, {0, 0, 12000}, {1, 3, 2}};
    for (size_t count = 0; count <= READS; ++count) {
        tact_read reads[READS];
        memset(got, 0xee, READS * WORDS * sizeof *got);
        size_t expected = 0;
        for (size_t i = 0; i < count; ++i) {
            reads[i] =
                (tact_read){buffers[ranges[i][0]], 4 * (size_t)ranges[i][1], 4 * (size_t)ranges[i][2], got + i * WORDS};
            expected += reads[i].bytes;
        }
        const tact_device_counts before = tact_device_counted(device);
        expect_ok(f, tact_device_read(device, reads, count));
        const tact_device_counts after = tact_device_counted(device);
        assert_int_equal(after.bytes_down - before.bytes_down, expected);
        assert_true(after.waits - before.waits <= (count > 4 ? 2 : count > 0));
        for (size_t i = 0; i < count; ++i) {
            for (uint32_t k = 0; k < ranges[i][2]; ++k)
                assert_int_equal(got[i * WORDS + k], (ranges[i][1] + k) * 2654435761u + ranges[i][0]);
            if (ranges[i][2] < WORDS) assert_int_equal(got[i * WORDS + ranges[i][2]], 0xeeeeeeeeu);
        }
    }
    // All or none.
    const tact_read bad[] = {{buffers[0], 0, 8, got}, {buffers[1], WORDS * 4, 4, got + 10}};
    expect_failure(device, tact_device_read(device, bad, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_true(got[0] == 0 && got[1] == 0 && got[10] != 0);
    const tact_read none[] = {{buffers[0], 0, 8, got}, {NULL, 0, 4, got + 10}};
    assert_true(tact_device_read(device, none, 2) != TACT_OK);
    tact_device_forgive(device);
    for (uint32_t b = 0; b < 2; ++b)
        tact_buffer_destroy(buffers[b]);
}

TEST_AS(DEVICE_TEST, buffers_are_copied_and_filled)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    uint32_t data[300], back[300];
    for (uint32_t i = 0; i < 300; ++i)
        data[i] = i;
    tact_buffer *a = NULL, *b = NULL;
    expect_ok(f, tact_buffer_create(device, sizeof data, data, &a));
    expect_ok(f, tact_buffer_create(device, sizeof data, NULL, &b));
    expect_ok(f, tact_buffer_fill(b, 0, sizeof data, 0xdeadbeefu));
    expect_ok(f, tact_buffer_fill(b, 4 * 7, 4 * 3, 0));
    expect_ok(f, tact_buffer_copy(b, 4 * 100, a, 4 * 50, 4 * 33));
    expect_ok(f, tact_buffer_copy(b, 4 * 200, b, 4 * 100, 4 * 100));  // of one buffer, side by side
    expect_ok(f, tact_buffer_read(b, 0, back, sizeof back));
    for (uint32_t i = 0; i < 300; ++i) {
        const uint32_t k = i >= 200 ? i - 100 : i;
        const uint32_t want = k >= 100 && k < 133 ? k - 50 : k >= 7 && k < 10 ? 0 : 0xdeadbeefu;
        assert_int_equal(back[i], want);
    }
    tact_buffer_destroy(a);
    tact_buffer_destroy(b);
}

TEST_AS(DEVICE_TEST, ranges_outside_a_buffer_are_rejected)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const tact_result bad = TACT_ERROR_INVALID_ARGUMENT;
    uint32_t data[32] = {0};
    tact_buffer *a = NULL, *b = NULL;
    expect_ok(f, tact_buffer_create(device, 64, data, &a));
    expect_ok(f, tact_buffer_create(device, 64, data, &b));
    expect_failure(device, tact_buffer_write(a, 0, data, 68), bad);
    expect_failure(device, tact_buffer_write(a, 64, data, 4), bad);
    expect_failure(device, tact_buffer_write(a, SIZE_MAX - 3, data, 8), bad);
    expect_failure(device, tact_buffer_write(a, 2, data, 4), bad);
    expect_failure(device, tact_buffer_write(a, 0, data, 3), bad);
    expect_failure(device, tact_buffer_read(a, 4, data, 64), bad);
    expect_failure(device, tact_buffer_read(a, 0, data, SIZE_MAX - 3), bad);
    expect_failure(device, tact_buffer_fill(a, 60, 8, 0), bad);
    expect_failure(device, tact_buffer_copy(a, 60, b, 0, 8), bad);
    expect_failure(device, tact_buffer_copy(a, 0, b, 60, 8), bad);
    expect_failure(device, tact_buffer_copy(a, 0, a, 8, 12), bad);
    assert_non_null(strstr(f->env.error, "overlap"));
    expect_failure(device, tact_buffer_copy(a, 8, a, 0, 12), bad);
    expect_ok(f, tact_buffer_copy(a, 8, a, 0, 8));
    tact_buffer_destroy(a);
    tact_buffer_destroy(b);
}

TEST_AS(DEVICE_TEST, a_buffer_beyond_the_limit_tells_both_sizes)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint64_t limit = tact_device_describe(device)->max_buffer_bytes;
    char number[32];
    assert_true(limit >= (uint64_t)16 << 20);
    tact_buffer* buffer = NULL;
    if (limit + 1 > limit && limit < SIZE_MAX) {
        expect_failure(device, tact_buffer_create(device, (size_t)limit + 1, NULL, &buffer), TACT_ERROR_LIMIT);
        assert_null(buffer);
        snprintf(number, sizeof number, "%llu", (unsigned long long)limit);
        assert_non_null(strstr(f->env.error, number));
        snprintf(number, sizeof number, "%llu", (unsigned long long)limit + 1);
        assert_non_null(strstr(f->env.error, number));
    }
    expect_failure(device, tact_buffer_create(device, SIZE_MAX, NULL, &buffer), TACT_ERROR_LIMIT);
    expect_failure(device, tact_buffer_create(device, SIZE_MAX - 2, NULL, &buffer), TACT_ERROR_LIMIT);
}

// Launches

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
    tact_buffer* buffer = NULL;
    uint32_t words[TACT_NOTE_BYTES / 4];
    expect_ok(f, tact_buffer_create(device, 3 * TACT_NOTE_BYTES, NULL, &buffer));
    const uint64_t waits = tact_device_counted(device).waits;
    for (uint32_t i = 0; i < NOTES; ++i) {
        expect_ok(f, tact_buffer_fill(buffer, 0, 3 * (size_t)TACT_NOTE_BYTES, 100 + i));
        expect_ok(f, tact_buffer_fill(buffer, TACT_NOTE_BYTES, 4, i));
        expect_ok(f, tact_fence_create_note(buffer, TACT_NOTE_BYTES, sizeof words, &notes[i]));
    }
    for (uint32_t i = 0; i < NOTES; ++i) {
        // One is let go of before anybody looks at it.
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

// Failures

TEST_AS(DEVICE_TEST, injected_buffer_failures_come_when_asked_for)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const uint64_t before = tact_device_bytes(device);
    tact_buffer *a = NULL, *b = NULL;
    tact_device_fail_buffer(device, 2);
    expect_ok(f, tact_buffer_create(device, 16, NULL, &a));
    expect_failure(device, tact_buffer_create(device, 16, NULL, &b), TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    assert_null(b);
    expect_ok(f, tact_buffer_create(device, 16, NULL, &b));
    tact_device_fail_buffer(device, 1);
    tact_device_fail_buffer(device, 0);
    tact_buffer_destroy(a);
    expect_ok(f, tact_buffer_create(device, 16, NULL, &a));
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
    tact_device_leave(device);
    expect_ok(f, tact_device_enter(device));
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
        tact_device_leave(device);
        expect_ok(f, tact_device_enter(device));
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
    tact_buffer *buffer = NULL, *another = NULL;
    uint32_t words[2] = {1, 2};
    expect_ok(f, tact_buffer_create(device, 8, words, &buffer));
    // Asking for the result, making a buffer, building a kernel, reading, a fence: each finds it, and none is blamed.
    for (int place = 0; place < 6; ++place) {
        tact_fence* fence = NULL;
        tact_device_drop_programs(device);
        tact_device_use_rings(device, place == 5 ? 4096 : 0);
        expect_ok(f, tact_buffer_fill(buffer, 0, 8, 7));
        raise_error(gl);
        const tact_result results[] = {
            place == 0 ? tact_device_result(device) : TACT_OK,
            place == 1 ? tact_buffer_create(device, 8, NULL, &another) : TACT_OK,
            place == 2 ? tact_device_prepare(device, TACT_KERNEL_selftest) : TACT_OK,
            place == 3 || place == 5 ? tact_buffer_read(buffer, 0, words, 8) : TACT_OK,
            place == 4 ? tact_fence_create(device, &fence) : TACT_OK,
        };
        assert_int_equal(results[place == 5 ? 3 : place], TACT_ERROR_DEVICE);
        assert_non_null(strstr(f->env.error, "0x0500"));
        if (place < 3) assert_true(strncmp(f->env.error, "filling a buffer", 16) == 0);
        if (place == 3) assert_non_null(strstr(f->env.error, "filling a buffer"));
        if (place == 3) assert_true(words[0] == 0 && words[1] == 0);
        assert_null(another);
        // It stays, until the device is entered again.
        assert_int_equal(tact_buffer_fill(buffer, 0, 8, 7), TACT_ERROR_DEVICE);
        tact_device_leave(device);
        expect_ok(f, tact_device_enter(device));
        tact_fence_destroy(fence);
        expect_ok(f, tact_buffer_read(buffer, 0, words, 8));
        assert_int_equal(words[1], 7);
    }
    // Found on leaving, it is the next call's.
    expect_ok(f, tact_buffer_fill(buffer, 0, 8, 8));
    raise_error(gl);
    tact_device_leave(device);
    expect_ok(f, tact_device_enter(device));
    assert_int_equal(tact_buffer_fill(buffer, 0, 8, 9), TACT_ERROR_DEVICE);
    assert_int_equal(tact_device_result(device), TACT_ERROR_DEVICE);
    assert_non_null(strstr(f->env.error, "command before"));
    tact_device_leave(device);
    expect_ok(f, tact_device_enter(device));
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

TEST_AS(DEVICE_TEST, adopting_needs_handles)
{
    device_fixture* f = *state;
    const tact_device_open open = {.env = &f->env, .source = TACT_DEVICE_ADOPT};
    tact_device* device = (tact_device*)f;
    const tact_result result = fixture_open(f, &open, &device);
    assert_true(result == TACT_ERROR_INVALID_ARGUMENT || (result == TACT_ERROR_NO_DEVICE && !f->device));
    assert_null(device);
}

// Life

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

// Probe

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

// Adopting

#ifdef TACT_HAVE_GL
static tact_egl* callers_egl;

static tact_gl_function callers_function(const char* name)
{
    return tact_egl_function(callers_egl, name);
}

static GLADapiproc callers_loader(void* user, const char* name)
{
    return (GLADapiproc)callers_function(name);
}

// All the state that the device may touch, and some around it.
typedef struct gl_state {
    GLint values[8];
    GLint64 ranges[8][3];
} gl_state;

static gl_state get_gl_state(const GladGLContext* gl)
{
    static const GLenum NAMES[] = {GL_CURRENT_PROGRAM,          GL_SHADER_STORAGE_BUFFER_BINDING,
                                   GL_COPY_READ_BUFFER_BINDING, GL_COPY_WRITE_BUFFER_BINDING,
                                   GL_ARRAY_BUFFER_BINDING,     GL_PIXEL_PACK_BUFFER_BINDING,
                                   GL_UNIFORM_BUFFER_BINDING,   GL_VERTEX_ARRAY_BINDING};
    gl_state s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < 8; ++i)
        gl->GetIntegerv(NAMES[i], &s.values[i]);
    for (GLuint i = 0; i < 8; ++i) {
        gl->GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_BINDING, i, &s.ranges[i][0]);
        gl->GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, i, &s.ranges[i][1]);
        gl->GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, i, &s.ranges[i][2]);
    }
    return s;
}

static GLuint make_callers_program(const GladGLContext* gl)
{
    const char* text = "#version 430 core\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    const GLuint shader = gl->CreateShader(GL_COMPUTE_SHADER);
    const GLuint program = gl->CreateProgram();
    gl->ShaderSource(shader, 1, &text, NULL);
    gl->CompileShader(shader);
    gl->AttachShader(program, shader);
    gl->LinkProgram(program);
    gl->DeleteShader(shader);
    gl->UseProgram(program);
    return program;
}

TEST_AS(DEVICE_TEST_GL, an_adopted_gl_context_keeps_its_state)
{
    device_fixture* f = *state;
    tact_device_leave(require_device(f));
    expect_ok(f, tact_egl_open(&f->env, &callers_egl));
    expect_ok(f, tact_egl_enter(&f->env, callers_egl));
    GladGLContext gl;
    memset(&gl, 0, sizeof gl);
    assert_true(tact_glad_load_contextUserPtr(&gl, callers_loader, NULL));
    const GLuint program = make_callers_program(&gl);
    GLuint buffers[4];
    gl.GenBuffers(4, buffers);
    for (size_t i = 0; i < 4; ++i) {
        gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[i]);
        gl.BufferData(GL_SHADER_STORAGE_BUFFER, 4096, NULL, GL_STATIC_DRAW);
    }
    gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, buffers[0], 256, 512);
    gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, buffers[1]);
    gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, 7, buffers[2], 0, 4096);
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[3]);
    gl.BindBuffer(GL_COPY_READ_BUFFER, buffers[1]);
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, buffers[2]);
    gl.BindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    const gl_state before = get_gl_state(&gl);

    const tact_device_open open = {
        .env = &f->env, .source = TACT_DEVICE_ADOPT, .gl_get_proc_address = callers_function};
    tact_device* device = NULL;
    expect_ok(f, tact_device_open_gl(&open, &device));
    assert_true(tact_device_describe(device)->adopted);
    assert_true(tact_device_describe(device)->probe.ran);
    gl_state after = get_gl_state(&gl);
    assert_memory_equal(&before, &after, sizeof before);
    for (int i = 0; i < 3; ++i) {
        gl.BindBuffer(0x1234, 0);  // an error that is the caller's, not ours
        expect_ok(f, tact_device_enter(device));
        tact_device_use_rings(device, i == 1 ? 4096 : 0);
        run_selftest(f, device, 100);
        tact_device_leave(device);
        after = get_gl_state(&gl);
        assert_memory_equal(&before, &after, sizeof before);
    }
    // Another device of ours, entered while the caller's context is current, gives it back.
    expect_ok(f, tact_device_enter(f->device));
    run_selftest(f, f->device, 10);
    tact_device_leave(f->device);
    after = get_gl_state(&gl);
    assert_memory_equal(&before, &after, sizeof before);
    tact_device_close(device);
    after = get_gl_state(&gl);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(gl.GetError(), GL_NO_ERROR);

    gl.DeleteBuffers(4, buffers);
    gl.DeleteProgram(program);
    tact_egl_leave(callers_egl);
    tact_egl_close(&f->env, callers_egl);
    expect_ok(f, tact_device_enter(f->device));
}
#endif

#ifdef TACT_HAVE_CL
TEST_AS(DEVICE_TEST_CL, an_adopted_cl_context_is_used_and_given_back)
{
    device_fixture* f = *state;
    require_device(f);
    static tact_cl_api cl;
    assert_true(tact_cl_load(&cl));
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_device_id id = NULL;
    assert_int_equal(cl.GetPlatformIDs(8, platforms, &count), CL_SUCCESS);
    for (cl_uint i = 0; i < count && i < 8 && !id; ++i)
        cl.GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &id, NULL);
    cl_int code = CL_SUCCESS;
    cl_context context = cl.CreateContext(NULL, 1, &id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue queue = cl.CreateCommandQueue(context, id, 0, &code);
    cl_command_queue unordered = cl.CreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    for (int own_queue = 0; own_queue < 2; ++own_queue) {
        const tact_device_open open = {.env = &f->env,
                                       .source = TACT_DEVICE_ADOPT,
                                       .cl_context = context,
                                       .cl_device = id,
                                       .cl_queue = own_queue ? NULL : queue};
        tact_device* device = NULL;
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
        assert_int_equal(cl.GetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL),
                         CL_SUCCESS);
        tact_platform_yield();
    }
    assert_int_equal(references, 1);

    tact_device* device = NULL;
    tact_device_open open = {.env = &f->env, .source = TACT_DEVICE_ADOPT, .cl_context = context, .cl_device = id};
    if (unordered) {
        open.cl_queue = unordered;
        assert_int_equal(tact_device_open_cl(&open, &device), TACT_ERROR_INVALID_ARGUMENT);
        cl.ReleaseCommandQueue(unordered);
    }
    open.cl_queue = NULL;
    open.cl_device = &f->env;  // compared, not used
    assert_int_equal(tact_device_open_cl(&open, &device), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(device);
    cl.ReleaseCommandQueue(queue);
    cl.ReleaseContext(context);
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
