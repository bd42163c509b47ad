// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What goes wrong in a filter on a device, OpenGL's or OpenCL's as the argument says: no memory, no room, a stop, and
/// arithmetic that is not the definition's.

#include "tests/support/run.h"

#include "tests/support/effort.h"
#include "tests/support/filter_device.h"
#include "tests/support/flushed.h"

static filter_scene make_some(test_random* r)
{
    filter_scene s = {0};
    const uint32_t ball = filter_add_form(&s, FILTER_BALL, 8, 10);
    for (int i = 0; i < 30; ++i)
        filter_add_object(&s, ball, 2 * test_random_signed(r), 2 * test_random_signed(r), test_random_signed(r));
    return s;
}

TEST(a_failing_buffer_loses_nothing)
{
    test_random r = test_random_seeded(6208);
    filter_scene s = make_some(&r);
    const tact_filter_job job = filter_job(&s);
    const uint64_t before = tact_device_bytes(device);
    tact_result result = TACT_ERROR_DEVICE_OUT_OF_MEMORY;
    uint32_t number = 1;
    for (; result != TACT_OK; ++number) {
        assert_true(number < 100);
        tact_gpu_filter* filter = make_filter(device);
        tact_device_fail_buffer(device, number);
        result = try_job("a failure", filter, &s, &job).result;
        tact_device_fail_buffer(device, 0);
        if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        run_job("after a failure", filter, &s, &job);
        tact_gpu_filter_destroy(filter);
        assert_int_equal(tact_device_bytes(device), before);
    }
    assert_true(number > 10);
    filter_free(&s);
}

typedef struct asked {
    int calls, last;  ///< how often it was asked, and the call that stops the run, 0 for none
} asked;

static bool go_on(double done, void* user)
{
    asked* a = user;
    assert_true(done >= 0.0 && done <= 1.0);
    return ++a->calls != a->last;
}

/// How often a run was asked that `last` stops.
static int run_asked(tact_gpu_filter* filter, const filter_scene* s, tact_filter_job* job, int last)
{
    asked a = {.last = last};
    job->progress = go_on;
    job->progress_user = &a;
    assert_int_equal(try_job("asked", filter, s, job).result, last ? TACT_ERROR_CANCELLED : TACT_OK);
    return a.calls;
}

/// At each of the times it is asked: among images, and between launches of one batch.
TEST(a_run_can_be_stopped)
{
    test_random r = test_random_seeded(6209);
    filter_scene s = make_some(&r);
    tact_filter_job job = filter_job(&s);
    for (int images = 0; images < 2; ++images) {
        tact_gpu_filter* filter = make_filter(device);
        job.options.images = images ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_NEVER;
        // The first run makes some lists twice, for want of room.
        run_asked(filter, &s, &job, 0);
        const int all = run_asked(filter, &s, &job, 0);
        print_message("          images %d: asked %d times\n", images, all);
        assert_true(all > 3);
        for (int last = 1; last <= all; last += last < 4 ? 1 : all / 4)
            assert_int_equal(run_asked(filter, &s, &job, last), last);
        job.progress = NULL;
        run_job("after it was stopped", filter, &s, &job);
        tact_gpu_filter_destroy(filter);
    }
    filter_free(&s);
}

/// Frees the scene. How many pairs of triangles the host decided in the end.
static uint64_t run_small(const char* what, tact_gpu_filter* filter, filter_scene* s)
{
    assert_true(check(what, filter, s) > 50);
    return tact_gpu_filter_tell(filter)->unsure;
}

/// A device that makes zeros of numbers below 2^-126 would move some vertices elsewhere; those triangles are the
/// host's. With TACT_TEST_DEVICE=flushes it is such a device, else one that is taken for one.
TEST(numbers_that_would_be_flushed_count)
{
    test_random r = test_random_seeded(6210);
    tact_gpu_filter* filter = make_filter(device);
    const bool before = device->info.probe.flushes_subnormals;
    take_for_flushing(device, true);
    const float heights[] = {0, 0x1p-149f, -0x1p-149f, 0x1p-130f, -0x1p-127f, 0x1p-126f, 0x1.8p-125f, 0x1p-103f};
    enum { HEIGHTS = sizeof heights / sizeof *heights };
    uint64_t unsure = 0;
    for (int size = 0; size < 3; ++size) {
        filter_scene s = {0};
        const float half = size == 0 ? 0.5f : size == 1 ? 0x1p-100f : 0x1p-130f;
        const uint32_t box = filter_add_box(&s, half, half, half);
        for (int i = 0; i < HEIGHTS; ++i) {
            // On top of each other, just apart or just not, and a turn that is small in one entry.
            filter_add_object(&s, box, 0, heights[i] + (i % 2 ? 2 * half : 0), 0)->pose[1] = heights[HEIGHTS - 1 - i];
            if (i % 3 == 0) random_turn(&r, 1.0f, filter_add_object(&s, box, half, heights[i], half)->pose);
        }
        unsure += run_small("small", filter, &s);
    }
    for (int round = 0; round < 6; ++round) {
        filter_scene s = {0};
        for (int i = 0; i < 12; ++i) {
            const uint32_t shape = filter_add_soup(&s, &r, TINY, 60);
            random_pose(&r, TINY, filter_add_object(&s, shape, 0, 0, 0)->pose);
        }
        unsure += run_small("tiny", filter, &s);
    }
    // Where subnormal numbers are lost these are points, and apart.
    filter_scene s = {0};
    const uint32_t box = filter_add_box(&s, 0x1p-130f, 0x1p-130f, 0x1p-130f);
    for (int i = 0; i < HEIGHTS; ++i) {
        float* pose = filter_add_object(&s, box, (float)i * 0x1.8p-70f, 0, 0)->pose;
        for (int k = 0; k < 3; ++k)
            pose[5 * k] = 0x1p60f;
    }
    run_small("magnified", filter, &s);
    assert_true(unsure > 1000);
    take_for_flushing(device, before);
    tact_gpu_filter_destroy(filter);
}

TEST(a_device_with_other_arithmetic_is_refused)
{
    tact_gpu_filter* filter = make_filter(device);
    filter_scene s = {0};
    const uint32_t box = filter_add_box(&s, 0.5f, 0.5f, 0.5f);
    filter_add_object(&s, box, 0.25f, 0.25f, 0.25f);
    filter_add_object(&s, box, 0.5f, 0.5f, 0.5f);
    const tact_filter_job job = filter_job(&s);
    tact_device_info* info = &device->info;
    const tact_probe before = info->probe;
    for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i)
        info->probe.operations[i].differing = 1;
    assert_int_equal(try_job("refused", filter, &s, &job).result, TACT_ERROR_UNSUPPORTED);
    info->probe = before;
    filter_free(&s);
    tact_gpu_filter_destroy(filter);
}

/// Images need larger buffers than the tests do that they spare.
TEST(images_that_find_no_room_are_left_out)
{
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const tact_device_info before = *info;
    test_random r = test_random_seeded(6212);
    filter_scene s = make_some(&r);
    tact_filter_job job = filter_job(&s);
    tact_gpu_filter* filter = make_filter(device);
    int without = 0;
    for (uint64_t bytes = 4096; bytes < 1 << 24; bytes += bytes / effort(2, 4)) {
        tact_result results[3];
        bool drew[3];
        for (int i = 0; i < 3; ++i) {
            job.options.images = i == 1 ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_AUTO;
            job.options.fast = i == 2;
            info->max_buffer_bytes = bytes;
            const filter_ran ran = try_job("little room", filter, &s, &job);
            *info = before;
            results[i] = ran.result;
            drew[i] = ran.counts[TACT_FILTER_OBJECTS].ran;
            if (results[i] != TACT_OK) assert_int_equal(results[i], TACT_ERROR_LIMIT);
        }
        if (results[0] != TACT_OK || results[1] == TACT_OK) continue;
        assert_false(drew[0]);
        ++without;
    }
    print_message("          %d sizes at which images were left out\n", without);
    assert_true(without > 0);
    tact_gpu_filter_destroy(filter);
    filter_free(&s);
}

TEST(too_much_is_a_limit)
{
    test_random r = test_random_seeded(6211);
    filter_scene s = make_some(&r);
    const tact_filter_job job = filter_job(&s);
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const uint64_t before = info->max_buffer_bytes;
    tact_result result = TACT_ERROR_LIMIT;
    size_t refused = 0;
    for (uint64_t bytes = 256; result != TACT_OK && bytes < 1 << 24; bytes *= 2) {
        // Lists of a few items suffice, so that only what must be there is refused.
        tact_gpu_filter* filter = make_filter(device);
        info->max_buffer_bytes = bytes;
        result = try_job("small buffers", filter, &s, &job).result;
        info->max_buffer_bytes = before;
        if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_LIMIT);
        refused += result != TACT_OK;
        tact_gpu_filter_destroy(filter);
    }
    assert_int_equal(result, TACT_OK);
    assert_true(refused > 3);
    filter_free(&s);
}

#include TEST_LIST
RUN_ALL_TESTED
