// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The self-test kernel, which does all that kernels can do: its inputs, and what it must make of them. Include after
/// device_fixture.h.

enum { SOURCES = 64, COUNTERS = 8 };
static const int32_t ADDEND = -3;
static const float FACTOR = 1.25f;

typedef struct selftest {
    tact_buffer *source, *target, *counters;
    uint32_t groups;
} selftest;

static inline void make_selftest(device_fixture* f, tact_device* device, uint32_t groups, selftest* t)
{
    uint32_t source[SOURCES];
    for (uint32_t i = 0; i < SOURCES; ++i)
        source[i] = i * i;
    t->groups = groups;
    t->source = make_buffer(f, device, sizeof source, source);
    // One more than is written, to see that it is left alone.
    t->target = make_buffer(f, device, 4 * ((size_t)groups + 1), NULL);
    t->counters = make_buffer(f, device, 4 * COUNTERS, NULL);
    expect_ok(f, tact_buffer_fill(t->target, 0, tact_buffer_size(t->target), 7));
    expect_ok(f, tact_buffer_fill(t->counters, 0, 4 * COUNTERS, 0));
    expect_ok(f, tact_buffer_fill(t->counters, 4 * 5, 4, 7));
}

static inline void free_selftest(selftest* t)
{
    tact_buffer_destroy(t->source);
    tact_buffer_destroy(t->target);
    tact_buffer_destroy(t->counters);
}

static inline tact_result launch_selftest(tact_device* device, const selftest* t)
{
    return TACT_LAUNCH(device, selftest, t->groups, .source = t->source, .target = t->target, .counters = t->counters,
                       .count = t->groups, .addend = ADDEND, .factor = FACTOR);
}

static inline void expect_selftest(device_fixture* f, const selftest* t)
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

static inline void run_selftest(device_fixture* f, tact_device* device, uint32_t groups)
{
    selftest t;
    make_selftest(f, device, groups, &t);
    expect_ok(f, launch_selftest(device, &t));
    expect_selftest(f, &t);
    free_selftest(&t);
}
