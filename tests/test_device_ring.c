// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Transfers through rings of memory that host and device both see, which on devices that are software only tests use,
// with small slots: that they move the bytes that the plain way does.

#include "tests/support/run.h"

#include "gpu/device_backend.h"
#include "support/device_fixture.h"
#include "tests/support/random.h"

enum { SLOT = 1 << 13, RING = TACT_RING_SLOTS * SLOT, BYTES = 3 * RING };

static unsigned char* noise(size_t bytes, uint32_t seed)
{
    unsigned char* data = scratch(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (unsigned char)(seed >> 24);
    }
    return data;
}

TEST_AS(DEVICE_TEST, sizes_around_slots_and_rings)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    static const size_t sizes[] = {
        4,           4096,     4100, SLOT - 4, SLOT,        SLOT + 4,        2 * SLOT - 4, 2 * SLOT + 8,
        RING - SLOT, RING - 4, RING, RING + 4, RING + SLOT, RING + SLOT + 4, 2 * RING,     2 * RING + 12,
        BYTES - 64};
    static const size_t offsets[] = {0, 4, 60};
    const unsigned char* data = noise(BYTES, 1);
    unsigned char *expected = noise(BYTES, 2), *back = scratch(BYTES);
    tact_device_use_rings(device, SLOT);
    tact_buffer* buffer = make_buffer(f, device, BYTES, expected);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes * 3; ++i) {
        const size_t bytes = sizes[i / 3], offset = offsets[i % 3], from = i * 4;
        // Exactly as long as said, so that a sanitizer sees a read past the end.
        unsigned char* exact = malloc(bytes);
        memcpy(exact, data + from % 64, bytes);
        memcpy(expected + offset, exact, bytes);
        expect_ok(f, tact_buffer_write(buffer, offset, exact, bytes));
        memset(exact, 0, bytes);
        expect_ok(f, tact_buffer_read(buffer, offset, exact, bytes));
        assert_memory_equal(exact, expected + offset, bytes);
        free(exact);
        // And nothing beside it.
        expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
        assert_memory_equal(back, expected, BYTES);
        tact_device_use_rings(device, 0);
        expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
        assert_memory_equal(back, expected, BYTES);
        tact_device_use_rings(device, SLOT);
    }
    tact_buffer_destroy(buffer);
}

/// Several threads copy what lies in one slot.
TEST_AS(DEVICE_TEST, slots_are_copied_by_several_threads)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { LARGE = TACT_RING_SLOT_BYTES, MANY = 3 * LARGE + 4000 };
    const unsigned char* data = noise(MANY, 3);
    unsigned char* back = scratch(MANY);
    device->threads = 3;
    tact_device_use_rings(device, LARGE);
    for (int turn = 0; turn < 4; ++turn) {
        tact_buffer* buffer = make_buffer(f, device, MANY, data);
        memset(back, 0, MANY);
        expect_ok(f, tact_buffer_read(buffer, 0, back, MANY));
        assert_memory_equal(back, data, MANY);
        tact_buffer_destroy(buffer);
    }
}

enum { GROUPS = 3000, SUMMED = 256 };

/// What the self-test makes of the first words of a buffer goes to its end.
static tact_result launch(tact_device* device, tact_buffer* buffer, tact_buffer* target, tact_buffer* counters,
                          uint32_t groups)
{
    return TACT_LAUNCH(device, selftest, groups, .source = buffer, .target = target, .counters = counters,
                       .count = groups, .addend = 1, .factor = 1.0f);
}

static uint32_t pick(test_random* r)
{
    return (uint32_t)(test_random_bits(r) >> 33);
}

/// A row of random commands; what was read goes to `trace`, of BYTES each.
enum { COMMANDS = 150, BUFFERS = 3 };
static void run_commands(device_fixture* f, tact_device* device, size_t slot_bytes, unsigned char* trace)
{
    const unsigned char* data = noise(2 * BYTES, 4);
    tact_buffer *buffers[BUFFERS], *counters;
    test_random r = test_random_seeded(99);
    tact_device_use_rings(device, slot_bytes);
    counters = make_buffer(f, device, 64, data);
    for (int i = 0; i < BUFFERS; ++i)
        buffers[i] = make_buffer(f, device, BYTES, data + 64 * i);
    for (int i = 0; i < COMMANDS; ++i) {
        tact_buffer *a = buffers[pick(&r) % BUFFERS], *b = buffers[pick(&r) % BUFFERS];
        const size_t most = pick(&r) % 3 == 0 ? BYTES / 2 : SLOT;
        const size_t bytes = pick(&r) % (most / 4) * 4 + 4;
        const size_t offset = pick(&r) % ((BYTES - bytes) / 4) * 4;
        const size_t other = pick(&r) % ((BYTES - bytes) / 4) * 4;
        unsigned char* to = trace + (size_t)i * BYTES;
        switch (pick(&r) % 6) {
            case 0:
            case 1:
                expect_ok(f, tact_buffer_write(a, offset, data + pick(&r) % BYTES, bytes));
                break;
            case 2:
                if (a != b) expect_ok(f, launch(device, a, b, counters, GROUPS));
                break;
            case 3:
                if (a != b) expect_ok(f, tact_buffer_copy(a, offset, b, other, bytes));
                break;
            case 4:
                expect_ok(f, tact_buffer_fill(a, offset, bytes, pick(&r)));
                break;
            default: {
                const size_t half = bytes / 8 * 4;
                const tact_read reads[] = {
                    {a, offset, half, to}, {b, other, bytes - half, to + half}, {a, 0, 4, to + BYTES - 4}};
                expect_ok(f, tact_device_read(device, reads, 3));
                break;
            }
        }
    }
    for (int i = 0; i < BUFFERS; ++i) {
        expect_ok(f, tact_buffer_read(buffers[i], 0, trace + (size_t)(COMMANDS + i) * BYTES, BYTES));
        tact_buffer_destroy(buffers[i]);
    }
    tact_buffer_destroy(counters);
}

TEST_AS(DEVICE_TEST, commands_between_transfers_see_them)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const size_t size = (size_t)(COMMANDS + BUFFERS) * BYTES;
    unsigned char *plain = scratch_zeroed(size, 1), *staged = scratch_zeroed(size, 1);
    run_commands(f, device, 0, plain);
    static const size_t slots[] = {4096, SLOT, 3 * SLOT + 4};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i) {
        memset(staged, 0, size);
        run_commands(f, device, slots[i], staged);
        assert_memory_equal(staged, plain, size);
    }
}

/// While a kernel runs that takes long more is written than the ring holds.
TEST_AS(DEVICE_TEST, more_is_written_than_there_are_slots)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { PIECES = 5 * TACT_RING_SLOTS + 3, PIECE = SLOT - 64, LONG = 100000 };
    const unsigned char* data = noise(PIECES * PIECE, 5);
    unsigned char* back = scratch(PIECES * PIECE);
    tact_device_use_rings(device, SLOT);
    tact_buffer* buffer = make_buffer(f, device, PIECES * PIECE, NULL);
    tact_buffer* counters = make_buffer(f, device, 64, NULL);
    tact_buffer* target = make_buffer(f, device, 4 * LONG, NULL);
    for (int turn = 0; turn < 3; ++turn) {
        unsigned char* piece = scratch(PIECE);
        expect_ok(f, tact_buffer_fill(buffer, 0, PIECES * PIECE, 0));
        expect_ok(f, launch(device, buffer, target, counters, LONG));
        for (size_t i = 0; i < PIECES; ++i) {
            memcpy(piece, data + i * PIECE, PIECE);
            expect_ok(f, tact_buffer_write(buffer, i * PIECE, piece, PIECE));
        }
        expect_ok(f, tact_buffer_read(buffer, 0, back, PIECES * PIECE));
        assert_memory_equal(back, data, PIECES * PIECE);
    }
    tact_buffer_destroy(buffer);
    tact_buffer_destroy(counters);
    tact_buffer_destroy(target);
}

/// What was begun to be read is what was there then; reading something else meanwhile sees what is there now.
TEST_AS(DEVICE_TEST, what_is_read_in_two_steps_is_what_was_there)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const unsigned char *first = noise(BYTES, 6), *second = noise(BYTES, 7);
    unsigned char* back = scratch(BYTES);
    tact_device_use_rings(device, SLOT);
    tact_buffer* buffer = make_buffer(f, device, BYTES, NULL);
    static const size_t sizes[] = {0, 4, SLOT, RING - 8, RING};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        tact_reading reading;
        uint32_t word = 0;
        expect_ok(f, tact_buffer_write(buffer, 0, first, BYTES));
        const tact_read reads[] = {{buffer, 8, sizes[i] / 8 * 4, back},
                                   {buffer, 100, sizes[i] - sizes[i] / 8 * 4, back + BYTES / 2}};
        tact_device_read_begin(device, reads, 2, &reading);
        expect_ok(f, tact_buffer_write(buffer, 0, second, BYTES));
        expect_ok(f, tact_buffer_read(buffer, 0, &word, sizeof word));
        assert_memory_equal(&word, second, sizeof word);
        expect_ok(f, tact_device_read_end(&reading));
        for (int k = 0; k < 2; ++k)
            assert_memory_equal(reads[k].data, first + reads[k].offset, reads[k].bytes);
    }
    tact_buffer_destroy(buffer);
}

enum { CHUNKS = 10, ROWS = 6000, CHUNK_BYTES = 4 * ROWS, RESULT_BYTES = CHUNKS * CHUNK_BYTES };

/// Chunks of words in two sets of buffers in turn, as queries do it; what a kernel makes of each goes to `results`, and
/// at their end what one made of a set before. `data` and `results` may be pinned.
static void run_chunks(device_fixture* f, tact_device* device, bool aside, const unsigned char* data,
                       unsigned char* results)
{
    tact_buffer *sources[2], *targets[2], *counters = make_buffer(f, device, 64, NULL),
                                          *before = make_buffer(f, device, CHUNK_BYTES, NULL);
    for (int i = 0; i < 2; ++i) {
        sources[i] = make_buffer(f, device, CHUNK_BYTES, data + CHUNK_BYTES);
        targets[i] = make_buffer(f, device, CHUNK_BYTES, NULL);
    }
    expect_ok(f, launch(device, sources[0], before, counters, ROWS));
    if (aside) tact_device_begin_aside(device);
    assert_int_equal(device->aside, aside && tact_device_goes_aside(device));
    tact_reading reading;
    for (int i = 0; i < CHUNKS; ++i) {
        const tact_read read = {targets[i % 2], 0, CHUNK_BYTES, results + (size_t)i * CHUNK_BYTES};
        expect_ok(f, tact_buffer_write(sources[i % 2], 0, data + (size_t)i * CHUNK_BYTES, CHUNK_BYTES));
        expect_ok(f, launch(device, sources[i % 2], targets[i % 2], counters, ROWS));
        if (i > 0) expect_ok(f, tact_device_read_end(&reading));
        tact_device_read_begin(device, &read, 1, &reading);
    }
    expect_ok(f, tact_device_read_end(&reading));
    tact_device_end_aside(device);
    assert_false(device->aside);
    expect_ok(f, tact_buffer_read(before, 0, results + RESULT_BYTES, CHUNK_BYTES));
    for (int i = 0; i < 2; ++i) {
        tact_buffer_destroy(sources[i]);
        tact_buffer_destroy(targets[i]);
    }
    tact_buffer_destroy(counters);
    tact_buffer_destroy(before);
}

TEST_AS(DEVICE_TEST, transfers_beside_kernels)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { ALL = RESULT_BYTES + CHUNK_BYTES };
    const unsigned char* data = noise(RESULT_BYTES, 10);
    unsigned char *expected = scratch(ALL), *results = scratch(ALL);
    tact_pinned_block *pinned_data, *pinned_results;
    tact_device_use_rings(device, 0);
    run_chunks(f, device, true, data, expected);
    static const size_t slots[] = {4096, SLOT, CHUNK_BYTES, TACT_RING_SLOT_BYTES};
    for (size_t i = 0; i < 2 * sizeof slots / sizeof *slots; ++i) {
        tact_device_use_rings(device, slots[i / 2]);
        memset(results, 0, ALL);
        run_chunks(f, device, i % 2 == 0, data, results);
        assert_memory_equal(results, expected, ALL);
    }
    expect_ok(f, tact_device_pin(device, RESULT_BYTES, &pinned_data));
    expect_ok(f, tact_device_pin(device, ALL, &pinned_results));
    memcpy(tact_pinned_block_memory(pinned_data), data, RESULT_BYTES);
    for (int i = 0; i < 4; ++i) {
        memset(tact_pinned_block_memory(pinned_results), 0, ALL);
        run_chunks(f, device, i % 2 == 0, tact_pinned_block_memory(pinned_data),
                   tact_pinned_block_memory(pinned_results));
        assert_memory_equal(tact_pinned_block_memory(pinned_results), expected, ALL);
    }
    tact_device_unpin(pinned_data);
    tact_device_unpin(pinned_results);
}

/// What fails on the way, too, leaves nothing on its way.
TEST_AS(DEVICE_TEST, failures_beside_kernels)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    enum { LAUNCHES = 5 };
    const unsigned char* data = noise(CHUNK_BYTES, 11);
    unsigned char* back = scratch(CHUNK_BYTES);
    tact_device_use_rings(device, SLOT);
    for (uint32_t number = 1; number <= LAUNCHES + 1; ++number) {
        tact_buffer *source = make_buffer(f, device, CHUNK_BYTES, data),
                    *target = make_buffer(f, device, CHUNK_BYTES, data), *counters = make_buffer(f, device, 64, NULL);
        tact_device_begin_aside(device);
        tact_device_fail_launch(device, number);
        tact_result result = TACT_OK;
        for (int i = 0; i < LAUNCHES; ++i) {
            tact_reading reading;
            tact_buffer_write(source, 0, data, CHUNK_BYTES);
            launch(device, source, target, counters, ROWS);
            const tact_read read = {target, 0, CHUNK_BYTES, back};
            tact_device_read_begin(device, &read, 1, &reading);
            result = tact_device_read_end(&reading);
        }
        tact_device_end_aside(device);
        assert_int_equal(result, number <= LAUNCHES ? TACT_ERROR_DEVICE_LOST : TACT_OK);
        assert_false(device->aside);
        tact_device_revive(device);
        // As if it had not been lost: everything goes on.
        expect_ok(f, tact_buffer_write(source, 0, data, CHUNK_BYTES));
        expect_ok(f, tact_buffer_read(source, 0, back, CHUNK_BYTES));
        assert_memory_equal(back, data, CHUNK_BYTES);
        tact_buffer_destroy(source);
        tact_buffer_destroy(target);
        tact_buffer_destroy(counters);
    }
}

TEST_AS(DEVICE_TEST, waits_and_memory_of_rings_are_counted)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const unsigned char* data = noise(BYTES, 8);
    unsigned char* back = scratch(BYTES);
    tact_device_use_rings(device, 0);
    tact_buffer* buffer = make_buffer(f, device, BYTES, NULL);
    tact_buffer* counters = make_buffer(f, device, 64, NULL);
    const uint64_t bytes = tact_device_bytes(device);
    tact_device_use_rings(device, SLOT);
    tact_device_counts before = tact_device_counted(device);
    expect_ok(f, tact_buffer_write(buffer, 0, data, RING));
    tact_device_counts after = tact_device_counted(device);
    assert_int_equal(after.allocations - before.allocations, 2);
    assert_int_equal(after.bytes_up - before.bytes_up, RING);
    assert_int_equal(tact_device_bytes(device), bytes + 2 * RING);
    // Not even behind a kernel does writing wait, as long as there is room.
    expect_ok(f, tact_device_finish(device));
    expect_ok(f, launch(device, buffer, buffer, counters, GROUPS));
    before = tact_device_counted(device);
    expect_ok(f, tact_buffer_write(buffer, 0, data, RING - SLOT));
    expect_ok(f, tact_buffer_write(buffer, 0, data, 8));
    after = tact_device_counted(device);
    assert_int_equal(after.waits - before.waits, 0);
    assert_int_equal(after.allocations - before.allocations, 0);
    assert_true(tact_device_busy(device));
    // A slot's worth is waited for once; each further one once more, unless it has come by itself.
    for (size_t slots = 1; slots < 20; slots += 6) {
        before = tact_device_counted(device);
        expect_ok(f, tact_buffer_read(buffer, 0, back, slots * SLOT));
        after = tact_device_counted(device);
        assert_in_range(after.waits - before.waits, 1, slots);
        assert_int_equal(after.bytes_down - before.bytes_down, slots * SLOT);
        assert_false(tact_device_busy(device));
    }
    const double moved = tact_device_read_ms(device);
    expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
    assert_true(tact_device_read_ms(device) >= moved);
    tact_device_use_rings(device, 0);
    assert_int_equal(tact_device_bytes(device), bytes);
    tact_buffer_destroy(buffer);
    tact_buffer_destroy(counters);
}

TEST_AS(DEVICE_TEST, without_a_ring_transfers_go_on)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const unsigned char* data = noise(BYTES, 9);
    unsigned char* back = scratch(BYTES);
    const uint64_t before = tact_device_bytes(device);
    tact_device_use_rings(device, 0);
    const uint64_t bytes = tact_device_bytes(device);
    assert_true(bytes <= before);
    // Neither, or one of the two.
    for (uint32_t number = 1; number <= 2; ++number) {
        tact_buffer* buffer = make_buffer(f, device, BYTES, NULL);
        tact_device_use_rings(device, SLOT);
        tact_device_fail_buffer(device, number);
        expect_ok(f, tact_buffer_write(buffer, 0, data, BYTES));
        assert_int_equal(tact_device_bytes(device), bytes + BYTES);
        expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
        assert_memory_equal(back, data, BYTES);
        tact_buffer_destroy(buffer);
    }
    // More than the device has.
    tact_device_use_rings(device, (size_t)1 << 50);
    tact_buffer* buffer = make_buffer(f, device, BYTES, data);
    expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
    assert_memory_equal(back, data, BYTES);
    tact_buffer_destroy(buffer);
    assert_int_equal(tact_device_bytes(device), bytes);
}

static bool is_zero(const unsigned char* data, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
        if (data[i]) return false;
    return true;
}

TEST_AS(DEVICE_TEST, failures_in_the_middle_leave_rings_that_work)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const unsigned char* data = noise(BYTES, 10);
    unsigned char* back = scratch(BYTES);
    tact_device_use_rings(device, SLOT);
    tact_buffer* buffer = make_buffer(f, device, BYTES, data);
    tact_buffer* counters = make_buffer(f, device, 64, NULL);
    for (int turn = 0; turn < 6; ++turn) {
        tact_reading reading;
        tact_result failure = TACT_ERROR_OUT_OF_MEMORY;
        memset(back, 1, BYTES);
        expect_ok(f, launch(device, buffer, counters, counters, 0));
        expect_ok(f, tact_buffer_write(buffer, 0, data, BYTES));
        if (turn % 2 == 0) {
            tact_device_read_begin(device, &(tact_read){buffer, 0, BYTES, back}, 1, &reading);
            tact_device_fail(device, failure);
        } else {
            failure = TACT_ERROR_DEVICE_LOST;
            tact_device_read_begin(device, &(tact_read){buffer, 0, BYTES, back}, 1, &reading);
            tact_device_fail_launch(device, 1);
            assert_int_equal(launch(device, buffer, counters, counters, 1), failure);
        }
        assert_int_equal(tact_buffer_write(buffer, 0, data + 4, SLOT), failure);
        assert_int_equal(tact_device_read_end(&reading), failure);
        assert_true(is_zero(back, BYTES));
        tact_device_revive(device);
        // Slots that were on their way are waited for before they are used again.
        expect_ok(f, tact_buffer_read(buffer, 0, back, BYTES));
        assert_memory_equal(back, data, BYTES);
    }
    // And so it is where they are given back.
    tact_reading reading;
    tact_device_read_begin(device, &(tact_read){buffer, 0, BYTES, back}, 1, &reading);
    tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    assert_int_equal(tact_device_read_end(&reading), TACT_ERROR_OUT_OF_MEMORY);
    tact_device_forgive(device);
    tact_device_use_rings(device, 0);
    tact_buffer_destroy(buffer);
    tact_buffer_destroy(counters);
}

TEST_AS(DEVICE_TEST, a_range_outside_is_refused_as_without_a_ring)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    const tact_result bad = TACT_ERROR_INVALID_ARGUMENT;
    unsigned char* data = noise(2 * SLOT, 11);
    tact_device_use_rings(device, SLOT);
    tact_buffer* buffer = make_buffer(f, device, SLOT, data);
    expect_failure(device, tact_buffer_write(buffer, 4, data, SLOT), bad);
    expect_failure(device, tact_buffer_read(buffer, 4, data, SLOT), bad);
    const tact_read reads[] = {{buffer, 0, SLOT, data}, {buffer, SLOT, 4, data}};
    expect_failure(device, tact_device_read(device, reads, 2), bad);
    assert_true(is_zero(data, SLOT));
    tact_buffer_destroy(buffer);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
