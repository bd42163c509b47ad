// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Buffers of a device: made, grown, written, read, copied and filled.

#include "tests/support/run.h"

#include "support/device_fixture.h"

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
        tact_buffer* buffer = make_buffer(f, device, size, exact);
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
        buffers[b] = make_buffer(f, device, WORDS * 4, words);
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
    tact_buffer* a = make_buffer(f, device, sizeof data, data);
    tact_buffer* b = make_buffer(f, device, sizeof data, NULL);
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
    tact_buffer *a = make_buffer(f, device, 64, data), *b = make_buffer(f, device, 64, data);
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

#include TEST_LIST
RUN_ALL(NULL, NULL)
