// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The building blocks on every device of this machine, byte for byte against the CPU's. Arguments choose how much:
// none (up to 2^20 elements), "large" (what goes beyond that, up to 16 million, and nothing else) or "tiny" (OpenCL
// alone, a few runs of at most 5000, for checkers that interpret kernels: every path of every kernel once); then a
// pattern of test names to run, such as "*sort*".

#include "tests/support/run.h"

#include "base/platform.h"
#include "cpu_ref/blocks.h"
#include "gpu/blocks/blocks.h"
#include "kernels/morton.h"
#include "kernels/tiles.h"
#include "tests/support/key_patterns.h"

typedef tact_result open_fn(const tact_device_open* open, tact_device** device);

// One set of tests for one device at a time.
static struct {
    open_fn* open;
    tact_env env;
    tact_device* device;
    tact_scan* scan;
    tact_reduce* reduce;
    tact_compact* compact;
    tact_radix_sort* sort;
    bool large, tiny;
    int allocations;
    uint64_t bytes;  // on the device before the test
} t;

enum { GUARD_WORDS = 8 };
#define GUARD 0xfeedfaceu

static void* counting_allocate(size_t size, size_t alignment, void* user)
{
    ++t.allocations;
    return tact_platform_aligned_allocate(size, alignment);
}

static void plain_release(void* memory, void* user)
{
    tact_platform_aligned_release(memory);
}

// Fails the running test with the detail.
static void ok_(tact_result result, const char* call, int line)
{
    if (result == TACT_OK) return;
    print_error("%s: %s: %s\n", call, tact_result_name(result), t.env.error);
    _fail(__FILE__, line);
}
#define OK(call) ok_(call, #call, __LINE__)

static tact_result open_device(tact_device** device)
{
    const tact_device_open open = {.env = &t.env, .source = TACT_DEVICE_OWN};
    return t.open(&open, device);
}

static void make_blocks(uint32_t max_groups)
{
    OK(tact_scan_create(t.device, max_groups, &t.scan));
    OK(tact_reduce_create(t.device, max_groups, &t.reduce));
    OK(tact_compact_create(t.device, max_groups, &t.compact));
    OK(tact_radix_sort_create(t.device, max_groups, &t.sort));
}

static void drop_blocks(void)
{
    tact_scan_destroy(t.scan);
    tact_reduce_destroy(t.reduce);
    tact_compact_destroy(t.compact);
    tact_radix_sort_destroy(t.sort);
    t.scan = NULL;
    t.reduce = NULL;
    t.compact = NULL;
    t.sort = NULL;
}

static int open_and_make(void** state)
{
    const tact_allocator counting = {counting_allocate, plain_release, NULL};
    tact_env_init(&t.env, &counting, NULL, NULL, NULL, NULL);
    const tact_result result = open_device(&t.device);
    if (result == TACT_ERROR_NO_DEVICE) {
        miss_device(t.open == tact_device_open_cl ? TACT_BACKEND_CL : TACT_BACKEND_GL, t.env.error);
        return 0;
    }
    if (result) {
        print_error("%s\n", t.env.error);
        return -1;
    }
    print_message("on %s\n", tact_device_describe(t.device)->name);
    return 0;
}

static int close_all(void** state)
{
    if (!t.device) return 0;
    const uint64_t bytes = tact_device_bytes(t.device);
    tact_device_close(t.device);
    t.device = NULL;
    return bytes == 0 ? 0 : -1;
}

static int begin_test(void** state)
{
    if (!t.device) return 0;
    if (tact_device_enter(t.device)) return -1;
    t.bytes = tact_device_bytes(t.device);
    make_blocks(0);
    return 0;
}

static int end_test(void** state)
{
    if (!t.device) return 0;
    drop_blocks();
    const bool clean = tact_device_bytes(t.device) == t.bytes;
    tact_device_leave(t.device);
    if (!clean) print_error("buffers were left behind\n");
    return clean ? 0 : -1;
}

/// The call fails so, and the device forgets it.
#define expect_failure(device, call, failure) \
    do {                                      \
        assert_int_equal((call), (failure));  \
        tact_device_forgive(device);          \
    } while (0)

#define NEEDS_DEVICE \
    (void)state;     \
    if (!t.device) skip_because("the device is missing")

static uint32_t* words_of(size_t count)
{
    uint32_t* words = malloc((count + GUARD_WORDS) * sizeof *words);
    assert_non_null(words);
    return words;
}

static tact_buffer* upload(const void* data, size_t words)
{
    tact_buffer* buffer = NULL;
    OK(tact_buffer_create(t.device, words * 4, data, &buffer));
    return buffer;
}

// A buffer of equal words.
static tact_buffer* filled(size_t words, uint32_t value)
{
    uint32_t* content = words_of(words);
    for (size_t i = 0; i < words; ++i)
        content[i] = value;
    tact_buffer* buffer = upload(content, words);
    free(content);
    return buffer;
}

// A buffer for results, with a few words more that nobody may touch.
static tact_buffer* guarded(size_t words)
{
    return filled(words + GUARD_WORDS, GUARD);
}

// Compares a guarded buffer's first words, and that all others are as they were.
static void check_guarded_(tact_buffer* buffer, const uint32_t* expected, size_t words, const char* what, int line)
{
    const size_t all = tact_buffer_size(buffer) / 4;
    uint32_t* got = words_of(all);
    OK(tact_buffer_read(buffer, 0, got, all * 4));
    for (size_t i = 0; i < all; ++i) {
        const uint32_t right = i < words ? expected[i] : GUARD;
        if (got[i] == right) continue;
        print_error("%s: word %zu of %zu (%zu): %08x instead of %08x\n", what, i, words, all, (unsigned)got[i],
                    (unsigned)right);
        free(got);
        _fail(__FILE__, line);
        return;
    }
    free(got);
}
#define CHECK_GUARDED(buffer, expected, words, what) check_guarded_(buffer, expected, words, what, __LINE__)

// Around the sizes of a group and of the tiles; several groups; odd; large.
static const size_t sizes[] = {0,    1,    2,    255,  256,  257,   1000,  2000,  2047,    2048,
                               2049, 4095, 4096, 4097, 9001, 65535, 65536, 65537, 1 << 20, 3000001};
enum { SIZES = sizeof sizes / sizeof sizes[0], LARGE = 1 << 24 };

static bool wanted(size_t size)
{
    if (t.tiny) return size == 1 || size == 257 || size == 2000;
    return (size > 1 << 20) == t.large;
}

static void check_scan(size_t n, uint64_t seed)
{
    uint32_t* source = words_of(n);
    uint32_t* expected = words_of(n);
    test_keys(KEYS_RANDOM, source, n, 1, seed);
    tact_buffer* in = upload(source, n);
    tact_buffer* out = guarded(n);
    tact_buffer* total = guarded(2);
    uint32_t totals[2] = {GUARD, 0};
    totals[1] = tact_scan_cpu(source, expected, n);
    OK(tact_scan_run(t.scan, in, out, (uint32_t)n, total, 1));
    CHECK_GUARDED(out, expected, n, "scan");
    CHECK_GUARDED(total, totals, 2, "total");
    // In place, without a total.
    OK(tact_buffer_copy(out, 0, in, 0, n * 4));
    OK(tact_scan_run(t.scan, out, out, (uint32_t)n, NULL, 0));
    CHECK_GUARDED(out, expected, n, "scan in place");
    tact_buffer_destroy(in);
    tact_buffer_destroy(out);
    tact_buffer_destroy(total);
    free(source);
    free(expected);
}

TEST_AS(BLOCK_TEST, scan_gives_the_sums_of_the_cpu)
{
    NEEDS_DEVICE;
    for (size_t s = 0; s < SIZES; ++s) {
        if (wanted(sizes[s])) check_scan(sizes[s], s);
    }
    if (!t.large) return;
    // Past 4 million a section has several tiles.
    check_scan(LARGE, 99);
    check_scan(LARGE + 12345, 98);
}

static void check_reduce(size_t n, bool special, uint64_t seed)
{
    uint32_t* source = words_of(n);
    test_random random = {seed};
    for (size_t i = 0; i < n; ++i) {
        // Half of the rounds hold any bit pattern, among which NaNs are one in 256; the others numbers near 1.
        source[i] = special ? (uint32_t)test_random_bits(&random) : as_uint(test_random_signed(&random));
    }
    tact_buffer* in = upload(source, n);
    tact_buffer* out = guarded(5);
    uint32_t expected[5];
    for (int r = TACT_REDUCE_SUM_UINT; r <= TACT_REDUCE_MAX_FLOAT; ++r) {
        expected[r] = tact_reduce_cpu((tact_reduction)r, source, n);
        OK(tact_reduce_run(t.reduce, (tact_reduction)r, in, (uint32_t)n, out, (uint32_t)r));
    }
    CHECK_GUARDED(out, expected, 5, "reduction");
    tact_buffer_destroy(in);
    tact_buffer_destroy(out);
    free(source);
}

TEST_AS(BLOCK_TEST, reductions_give_the_bits_of_the_cpu)
{
    NEEDS_DEVICE;
    for (size_t s = 0; s < SIZES; ++s) {
        if (wanted(sizes[s])) check_reduce(sizes[s], s % 2 == 0, s);
    }
    if (t.large) check_reduce(LARGE, true, 99);
}

TEST_AS(BLOCK_TEST, reductions_order_zeros_and_leave_nans_out)
{
    NEEDS_DEVICE;
    const float values[][4] = {{0.0f, -0.0f, 0.0f, NAN},
                               {-0.0f, 0.0f, NAN, -0.0f},
                               {NAN, -NAN, NAN, NAN},
                               {1e-45f, -1e-45f, 0, -0.0f},
                               {INFINITY, NAN, -NAN, INFINITY}};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; ++v) {
        tact_buffer* in = upload(values[v], 4);
        tact_buffer* out = guarded(2);
        uint32_t bits[4], expected[2];
        memcpy(bits, values[v], sizeof bits);
        expected[0] = tact_reduce_cpu(TACT_REDUCE_MIN_FLOAT, bits, 4);
        expected[1] = tact_reduce_cpu(TACT_REDUCE_MAX_FLOAT, bits, 4);
        OK(tact_reduce_run(t.reduce, TACT_REDUCE_MIN_FLOAT, in, 4, out, 0));
        OK(tact_reduce_run(t.reduce, TACT_REDUCE_MAX_FLOAT, in, 4, out, 1));
        CHECK_GUARDED(out, expected, 2, "extremes");
        tact_buffer_destroy(in);
        tact_buffer_destroy(out);
    }
}

// Coordinates, some strange ones among them.
static float* extents_of(size_t count, uint64_t seed)
{
    float* values = malloc((count * 8 + 1) * sizeof *values);
    assert_non_null(values);
    test_random random = {seed};
    for (size_t i = 0; i < count * 8; ++i) {
        values[i] = i % 41 ? 100.0f * test_random_signed(&random) : test_random_any(&random);
    }
    return values;
}

TEST_AS(BLOCK_TEST, bounds_give_the_bits_of_the_cpu)
{
    NEEDS_DEVICE;
    for (size_t s = 0; s < SIZES; ++s) {
        const size_t n = sizes[s];
        if (!wanted(n) || n > 1 << 20) continue;
        float* boxes = extents_of(n, s);
        tact_buffer* in = upload(boxes, n * 8);
        for (uint32_t kind = TACT_POINTS; kind <= TACT_BOXES; ++kind) {
            tact_buffer* out = guarded(8);
            float bounds[8];
            uint32_t expected[8];
            tact_reduce_bounds_cpu((tact_extent_kind)kind, boxes, n, bounds);
            memcpy(expected, bounds, sizeof expected);
            OK(tact_reduce_bounds(t.reduce, (tact_extent_kind)kind, in, (uint32_t)n, out));
            CHECK_GUARDED(out, expected, 8, "bounds");
            tact_buffer_destroy(out);
        }
        tact_buffer_destroy(in);
        free(boxes);
    }
}

// one_in: 0 keeps nothing, 1 everything.
static void check_compact(size_t n, uint32_t one_in, uint32_t words, uint64_t seed)
{
    uint32_t* flags = words_of(n);
    uint32_t* values = words_of(n * words);
    uint32_t* expected = words_of(n * words);
    test_random random = {seed};
    for (size_t i = 0; i < n; ++i) {
        const bool keep = one_in != 0 && test_random_below(&random, one_in) == 0;
        flags[i] = keep ? 1u << test_random_below(&random, 32) : 0;
    }
    test_keys(KEYS_RANDOM, values, n * words, 1, seed);
    tact_buffer* flag_buffer = upload(flags, n);
    tact_buffer* value_buffer = upload(values, n * words);
    tact_buffer* out = guarded(n * words);
    tact_buffer* kept = guarded(1);
    uint32_t count = (uint32_t)tact_compact_indices_cpu(flags, expected, n);
    OK(tact_compact_indices(t.compact, flag_buffer, out, (uint32_t)n, kept, 0));
    CHECK_GUARDED(out, expected, count, "kept indices");
    CHECK_GUARDED(kept, &count, 1, "kept");
    count = (uint32_t)tact_compact_values_cpu(flags, values, words, expected, n);
    tact_buffer_destroy(kept);
    kept = guarded(1);
    OK(tact_compact_values(t.compact, flag_buffer, value_buffer, words, out, (uint32_t)n, kept, 0));
    CHECK_GUARDED(out, expected, count * words, "kept values");
    CHECK_GUARDED(kept, &count, 1, "kept of values");
    tact_buffer_destroy(flag_buffer);
    tact_buffer_destroy(value_buffer);
    tact_buffer_destroy(out);
    tact_buffer_destroy(kept);
    free(flags);
    free(values);
    free(expected);
}

TEST_AS(BLOCK_TEST, compaction_keeps_what_the_cpu_keeps)
{
    NEEDS_DEVICE;
    for (size_t s = 0; s < SIZES; ++s) {
        if (!wanted(sizes[s])) continue;
        check_compact(sizes[s], 2, 1, s);
        if (sizes[s] > 70000) continue;
        check_compact(sizes[s], 0, 1, s);
        check_compact(sizes[s], 1, 2, s);
        check_compact(sizes[s], 100, 4, s);
    }
    if (t.large) check_compact(LARGE, 3, 1, 99);
}

typedef enum payload_kind { NO_PAYLOAD, PAYLOAD, INDEX_PAYLOAD } payload_kind;

static void check_sort(key_pattern pattern, size_t n, uint32_t words, uint32_t bits, payload_kind payload,
                       bool in_place)
{
    uint32_t* keys = words_of(n * words);
    uint32_t* values = words_of(n);
    uint32_t* keys_expected = words_of(n * words);
    uint32_t* values_expected = words_of(n);
    test_keys(pattern, keys, n, words, n * 7 + bits);
    // A permutation of the words, so that every payload is another: equal keys that change places show.
    for (size_t i = 0; i < n; ++i)
        values[i] = (uint32_t)i * 2654435761u;

    tact_buffer* keys_in = guarded(n * words);
    tact_buffer* values_in = guarded(n);
    OK(tact_buffer_write(keys_in, 0, keys, n * words * 4));
    OK(tact_buffer_write(values_in, 0, values, n * 4));
    tact_buffer* keys_out = in_place ? keys_in : guarded(n * words);
    tact_buffer* values_out = in_place && payload == PAYLOAD ? values_in : guarded(n);
    const tact_sort_job job = {.keys_in = keys_in,
                               .keys_out = keys_out,
                               .values_in = payload == PAYLOAD ? values_in : NULL,
                               .values_out = payload == NO_PAYLOAD ? NULL : values_out,
                               .count = (uint32_t)n,
                               .key_words = words,
                               .key_bits = bits};
    OK(tact_radix_sort_run(t.sort, &job));
    const tact_sort_cpu_job reference = {.keys_in = keys,
                                         .keys_out = keys_expected,
                                         .values_in = payload == PAYLOAD ? values : NULL,
                                         .values_out = payload == NO_PAYLOAD ? NULL : values_expected,
                                         .count = n,
                                         .key_words = words,
                                         .key_bits = bits};
    OK(tact_sort_cpu(&t.env, 2, &reference));
    CHECK_GUARDED(keys_out, keys_expected, n * words, "sorted keys");
    CHECK_GUARDED(values_out, values_expected, payload == NO_PAYLOAD ? 0 : n, "payload");
    if (keys_in != keys_out) CHECK_GUARDED(keys_in, keys, n * words, "keys given");
    if (values_in != values_out) CHECK_GUARDED(values_in, values, n, "values given");
    if (keys_in != keys_out) tact_buffer_destroy(keys_out);
    if (values_in != values_out) tact_buffer_destroy(values_out);
    tact_buffer_destroy(keys_in);
    tact_buffer_destroy(values_in);
    free(keys);
    free(values);
    free(keys_expected);
    free(values_expected);
}

static void sort_agrees(uint32_t words)
{
    if (t.tiny) {
        check_sort(KEYS_RANDOM, 2000, words, 16 * words, PAYLOAD, false);
        return;
    }
    for (size_t s = 0; s < SIZES; ++s) {
        for (int pattern = 0; pattern < KEY_PATTERNS; ++pattern) {
            // Every pattern up to a few groups; beyond, the random one, and equal keys once.
            const bool chosen =
                sizes[s] < 70000 || pattern == KEYS_RANDOM || (sizes[s] == 1 << 20 && pattern == KEYS_EQUAL);
            if (chosen && wanted(sizes[s]))
                check_sort((key_pattern)pattern, sizes[s], words, 32 * words, PAYLOAD, false);
        }
    }
}

TEST_AS(BLOCK_TEST, sort_of_32_bit_keys_agrees_and_is_stable)
{
    NEEDS_DEVICE;
    sort_agrees(1);
    if (!t.large) return;
    check_sort(KEYS_RANDOM, LARGE, 1, 32, PAYLOAD, false);
    check_sort(KEYS_FEW, LARGE + 12345, 1, 32, INDEX_PAYLOAD, true);
}

TEST_AS(BLOCK_TEST, sort_of_64_bit_keys_agrees_and_is_stable)
{
    NEEDS_DEVICE;
    sort_agrees(2);
    if (!t.large) return;
    check_sort(KEYS_RANDOM, LARGE / 4, 2, 64, PAYLOAD, false);
    size_t n = LARGE;
    // llvmpipe binds 128 MiB, just what 2^24 keys take: leave the guard its place.
    const uint64_t limit = tact_device_describe(t.device)->max_buffer_bytes / 8 - GUARD_WORDS;
    if (n > limit) n = (size_t)limit;
    check_sort(KEYS_RANDOM, n, 2, 64, PAYLOAD, false);
}

TEST_AS(BLOCK_TEST, sort_compares_the_lowest_bits_alone)
{
    NEEDS_DEVICE;
    const size_t n = 9001;
    if (t.tiny) {
        check_sort(KEYS_RANDOM, 300, 1, 5, INDEX_PAYLOAD, true);
        check_sort(KEYS_RANDOM, 300, 2, 11, NO_PAYLOAD, true);
        return;
    }
    const uint32_t bits[] = {0, 1, 8, 9, 16, 23, 30, 32, 33, 41, 63};
    for (size_t b = 0; b < sizeof bits / sizeof bits[0]; ++b) {
        for (int payload = NO_PAYLOAD; payload <= INDEX_PAYLOAD; ++payload) {
            for (int in_place = 0; in_place < 2; ++in_place) {
                if (bits[b] <= 32) check_sort(KEYS_RANDOM, n, 1, bits[b], (payload_kind)payload, in_place);
                check_sort(KEYS_RANDOM, n, 2, bits[b], (payload_kind)payload, in_place);
            }
        }
    }
}

TEST_AS(BLOCK_TEST, morton_codes_are_those_of_the_cpu)
{
    NEEDS_DEVICE;
    const float bounds[][8] = {{-100, -100, -100, 0, 100, 100, 100, 0},
                               {-3, 7.1f, -50, NAN, 0.123f, 7.2f, 1e10f, NAN},
                               {INFINITY, -1e-42f, NAN, 0, -INFINITY, 1e-42f, 1, 0},
                               {-1e15f, -1e-15f, 100, 0, 1e15f, 1e-15f, -100, 0}};
    const size_t n = t.tiny ? 1500 : 100003;
    float* boxes = extents_of(n, 11);
    uint32_t* expected = words_of(2 * n);
    tact_buffer* in = upload(boxes, n * 8);
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; ++b) {
        tact_buffer* bounds_buffer = upload(bounds[b], 8);
        for (uint32_t variant = 0; variant < 4; ++variant) {
            const tact_extent_kind kind = variant & 1 ? TACT_BOXES : TACT_POINTS;
            const bool wide = variant >= 2;
            tact_buffer* out = guarded(2 * n);
            tact_morton_cpu(2, kind, boxes, n, bounds[b], wide, expected);
            OK(tact_morton_run(t.device, kind, in, (uint32_t)n, bounds_buffer, wide, out));
            CHECK_GUARDED(out, expected, n * (wide ? 2 : 1), "Morton codes");
            OK(tact_morton_run(t.device, kind, in, 0, bounds_buffer, wide, out));
            tact_buffer_destroy(out);
        }
        tact_buffer_destroy(bounds_buffer);
    }
    tact_buffer_destroy(in);
    free(boxes);
    free(expected);
}

// The paths of huge arrays, on small ones: few groups make sections of many tiles.
TEST_AS(BLOCK_TEST, sections_of_many_tiles_change_nothing)
{
    NEEDS_DEVICE;
    if (t.tiny) {
        drop_blocks();
        make_blocks(2);
        check_scan(5000, 1);
        check_compact(5000, 2, 2, 1);
        check_reduce(5000, true, 1);
        drop_blocks();
        make_blocks(1);
        check_sort(KEYS_FEW, 5000, 1, 8, PAYLOAD, false);
        check_sort(KEYS_FEW, 5000, 2, 8, PAYLOAD, false);
        return;
    }
    for (uint32_t groups = 1; groups <= 3; groups += 2) {
        drop_blocks();
        make_blocks(groups);
        for (size_t s = 8; s < SIZES && sizes[s] < 70000; ++s) {
            check_scan(sizes[s], s);
            check_reduce(sizes[s], true, s);
            check_compact(sizes[s], 2, 1, s);
            check_sort(KEYS_FEW, sizes[s], 1, 32, INDEX_PAYLOAD, false);
            check_sort(KEYS_RANDOM, sizes[s], 2, 64, PAYLOAD, true);
        }
    }
}

TEST_AS(BLOCK_TEST, repeated_calls_allocate_nothing)
{
    NEEDS_DEVICE;
    const uint32_t n = t.tiny ? 500 : 50000;
    tact_buffer* keys = filled(n, 3);
    tact_buffer* out = upload(NULL, n);
    tact_buffer* values = upload(NULL, n);
    const tact_sort_job job = {keys, out, NULL, values, n, 1, 32};
    uint64_t bytes = 0;
    int allocations = 0;
    for (int round = 0; round < 3; ++round) {
        OK(tact_scan_run(t.scan, keys, out, n, NULL, 0));
        OK(tact_reduce_run(t.reduce, TACT_REDUCE_SUM_UINT, keys, n, out, 0));
        OK(tact_compact_indices(t.compact, keys, out, n, values, 0));
        OK(tact_radix_sort_run(t.sort, &job));
        if (round == 0) {
            bytes = tact_device_bytes(t.device);
            allocations = t.allocations;
        }
    }
    assert_true(tact_device_bytes(t.device) == bytes);
    assert_int_equal(t.allocations, allocations);
    // The size query tells what a sort holds.
    const uint64_t held = tact_device_bytes(t.device);
    tact_radix_sort_destroy(t.sort);
    t.sort = NULL;
    assert_true(held - tact_device_bytes(t.device) == tact_radix_sort_scratch_bytes(n, 1, true));
    tact_buffer_destroy(keys);
    tact_buffer_destroy(out);
    tact_buffer_destroy(values);
}

TEST_AS(BLOCK_TEST, wrong_arguments_are_refused)
{
    NEEDS_DEVICE;
    tact_buffer* small = upload(NULL, 10);
    tact_buffer* other = upload(NULL, 10);
    tact_buffer* third = upload(NULL, 10);
    expect_failure(t.device, tact_scan_run(t.scan, small, other, 11, NULL, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(t.env.error, "source holds 10 words, needs 11"));
    expect_failure(t.device, tact_scan_run(t.scan, small, other, 10, third, 10), TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(t.device, tact_scan_run(t.scan, small, NULL, 10, NULL, 0), TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(t.device, tact_scan_run(t.scan, small, other, TACT_BLOCK_LIMIT + 1, NULL, 0), TACT_ERROR_LIMIT);
    expect_failure(t.device, tact_reduce_run(t.reduce, TACT_REDUCE_SUM_UINT, small, 11, other, 0),
                   TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(t.device, tact_reduce_bounds(t.reduce, TACT_BOXES, small, 2, other), TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(t.device, tact_compact_indices(t.compact, small, other, 11, third, 0), TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(t.device, tact_compact_values(t.compact, small, other, 0, third, 1, third, 0),
                   TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(t.device, tact_morton_run(t.device, TACT_POINTS, small, 3, other, false, third),
                   TACT_ERROR_INVALID_ARGUMENT);
    tact_sort_job job = {small, other, NULL, NULL, 10, 3, 32};
    expect_failure(t.device, tact_radix_sort_run(t.sort, &job), TACT_ERROR_INVALID_ARGUMENT);
    job.key_words = 1;
    job.key_bits = 33;
    expect_failure(t.device, tact_radix_sort_run(t.sort, &job), TACT_ERROR_INVALID_ARGUMENT);
    job.key_bits = 32;
    job.values_out = other;
    expect_failure(t.device, tact_radix_sort_run(t.sort, &job), TACT_ERROR_INVALID_ARGUMENT);
    job.count = 11;
    expect_failure(t.device, tact_radix_sort_run(t.sort, &job), TACT_ERROR_INVALID_ARGUMENT);
    tact_buffer_destroy(small);
    tact_buffer_destroy(other);
    tact_buffer_destroy(third);
}

TEST_AS(BLOCK_TEST, missing_device_memory_is_reported_and_leaks_nothing)
{
    NEEDS_DEVICE;
    if (t.tiny) skip_because("too slow when interpreted");
    drop_blocks();
    tact_buffer* keys = filled(1000, 1);
    const uint64_t bytes = tact_device_bytes(t.device);
    // A sorter makes all kinds of scratch there are: two buffers of its scan, then three of its own.
    uint32_t failures = 0;
    for (uint32_t number = 1;; ++number) {
        assert_true(number < 20);
        tact_device_fail_buffer(t.device, number);
        tact_result result = tact_radix_sort_create(t.device, 0, &t.sort);
        if (!result) result = tact_radix_sort_reserve(t.sort, 1000, 1, true);
        tact_device_fail_buffer(t.device, 0);
        if (result) assert_true(t.env.error[0]);
        tact_device_forgive(t.device);
        // A sorter whose scratch could not be had is still good for later.
        if (result && t.sort) {
            const tact_sort_job job = {keys, keys, NULL, NULL, 1000, 1, 32};
            OK(tact_radix_sort_run(t.sort, &job));
        }
        tact_radix_sort_destroy(t.sort);
        t.sort = NULL;
        assert_true(tact_device_bytes(t.device) == bytes);
        if (!result) break;
        assert_int_equal(result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        ++failures;
    }
    assert_int_equal(failures, 5);
    tact_device_fail_buffer(t.device, 1);
    expect_failure(t.device, tact_reduce_create(t.device, 0, &t.reduce), TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    assert_null(t.reduce);
    tact_device_fail_buffer(t.device, 2);
    expect_failure(t.device, tact_compact_create(t.device, 0, &t.compact), TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    assert_null(t.compact);
    tact_device_fail_buffer(t.device, 0);
    assert_true(tact_device_bytes(t.device) == bytes);
    tact_buffer_destroy(keys);
}

TEST_AS(BLOCK_TEST, a_device_lost_on_the_way_is_reported)
{
    NEEDS_DEVICE;
    if (t.tiny) skip_because("too slow when interpreted");
    // A device of its own: it is never good again.
    tact_device* const shared = t.device;
    drop_blocks();
    tact_device_leave(shared);
    for (uint32_t number = 1; number <= 5; number += 4) {
        OK(open_device(&t.device));
        OK(tact_device_enter(t.device));
        make_blocks(0);
        tact_buffer* keys = upload(NULL, 500);
        const tact_sort_job job = {keys, keys, NULL, NULL, 500, 1, 32};
        tact_device_fail_launch(t.device, number);
        assert_int_equal(tact_radix_sort_run(t.sort, &job), TACT_ERROR_DEVICE_LOST);
        assert_int_equal(tact_scan_run(t.scan, keys, keys, 500, NULL, 0), TACT_ERROR_DEVICE_LOST);
        drop_blocks();
        tact_buffer_destroy(keys);
        tact_device_leave(t.device);
        tact_device_close(t.device);
    }
    t.device = shared;
    OK(tact_device_enter(t.device));
}

#define BLOCK_TEST(function) cmocka_unit_test_setup_teardown(function, begin_test, end_test)

#include TEST_LIST

int main(int argc, char** argv)
{
    const struct CMUnitTest large_tests[] = {
        BLOCK_TEST(scan_gives_the_sums_of_the_cpu),           BLOCK_TEST(reductions_give_the_bits_of_the_cpu),
        BLOCK_TEST(compaction_keeps_what_the_cpu_keeps),      BLOCK_TEST(sort_of_32_bit_keys_agrees_and_is_stable),
        BLOCK_TEST(sort_of_64_bit_keys_agrees_and_is_stable),
    };
    t.tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    t.large = argc > 1 && strcmp(argv[1], "large") == 0;
    if (argc > 2) run_only(argv[2]);
    int failed = 0;
    for (int api = t.tiny ? 1 : 0; api < 2; ++api) {
        t.open = api ? tact_device_open_cl : tact_device_open_gl;
        const char* name = api ? "cl" : "gl";
        failed = t.large ? run_all_named(name, large_tests, open_and_make, close_all)
                         : run_all_named(name, all_tests, open_and_make, close_all);
    }
    return failed;
}
