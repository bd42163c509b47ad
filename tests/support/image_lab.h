// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A context with OpenGL and an image tester on it, made anew for each test. Include after run.h.

#include "core/context/context.h"
#include "tact/image_space.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

typedef struct image_lab {
    tact_context* context;
    tact_image_tester* tester;  ///< NULL: no device
} image_lab;

/// For the setup of a lab that has more than this: 0 also without a device.
static inline int image_lab_open(image_lab* l)
{
    const tact_context_desc desc = {.cl = TACT_DEVICE_NONE};
    if (tact_context_create(&desc, &l->context) != TACT_OK) return -1;
    if (device_missing(l->context, TACT_BACKEND_GL)) return 0;
    return tact_image_tester_create(l->context, &l->tester) == TACT_OK ? 0 : -1;
}

static inline void image_lab_close(image_lab* l)
{
    tact_image_tester_destroy(l->tester);
    tact_context_destroy(l->context);
}

static inline int image_lab_setup(void** state)
{
    image_lab* l = calloc(1, sizeof *l);
    if (!l) return -1;
    *state = l;
    return image_lab_open(l);
}

static inline int image_lab_teardown(void** state)
{
    image_lab* l = *state;
    image_lab_close(l);
    free(l);
    return 0;
}

/// The lab, or the end of the test as skipped.
static inline image_lab* image_lab_require(void** state)
{
    image_lab* l = *state;
    if (!l->tester) skip_because("the device is missing");
    return l;
}

#define IMAGE_LAB_TEST(name) cmocka_unit_test_setup_teardown(name, image_lab_setup, image_lab_teardown)

typedef tact_result image_test(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                               const tact_image_options* options, tact_image_result* results, size_t count);
typedef tact_result image_picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b);

/// Each buffer in turn cannot be made, of which there are `least` to `most`: the test fails, and the next one, of two
/// bodies that overlap, works.
static inline void image_lab_fail_buffers(image_lab* l, image_test* test, const tact_image_body* a,
                                          const tact_image_body* b, uint32_t least, uint32_t most)
{
    tact_device* device = l->context->devices[tact_context_find(l->context, TACT_BACKEND_GL)];
    for (int method = 0; method < 2; ++method) {
        const tact_image_options options = {.method = (tact_image_method)method, .resolution = 16};
        uint32_t failures = 0;
        for (uint32_t number = 1; number < most + 10; ++number) {
            tact_image_result r;
            tact_image_tester* tester = new_image_tester(l->context);
            tact_device_fail_buffer(device, number);
            const tact_result result = test(tester, a, b, &options, &r, 1);
            assert_true(result == TACT_OK || result == TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            failures += result != TACT_OK;
            tact_device_fail_buffer(device, 0);
            assert_int_equal(test(tester, a, b, &options, &r, 1), TACT_OK);
            assert_true(r.overlap);
            tact_image_tester_destroy(tester);
        }
        assert_in_range(failures, least, most);
    }
}

/// Each allocation in turn fails, of which there are more than `least` and fewer than `most`.
static inline void image_lab_fail_memory(image_test* test, image_picture* picture, const tact_image_body* a,
                                         const tact_image_body* b, size_t least, size_t most)
{
    counting_allocator counter = {0};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .cl = TACT_DEVICE_NONE, .disable_cache = true, .log = quiet};
    tact_context* context = new_context(&desc);
    const size_t live = counter.live;
    const tact_image_options options = {.method = TACT_IMAGE_QUERY, .resolution = 16};
    size_t failures = 0;
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t number = 1; number <= most && result != TACT_OK; ++number) {
        counter.fail_at = counter.requests + number;
        tact_image_tester* tester = NULL;
        tact_image_result r;
        result = tact_image_tester_create(context, &tester);
        if (result == TACT_OK) result = test(tester, a, b, &options, &r, 1);
        if (result == TACT_OK) result = picture(tester, a, b);
        assert_true(result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY);
        failures += result != TACT_OK;
        tact_image_tester_destroy(tester);
        counter.fail_at = 0;
    }
    assert_true(failures > least && failures < most);
    // Kernels that were built stay with the device.
    assert_true(counter.live <= live + 8);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}
