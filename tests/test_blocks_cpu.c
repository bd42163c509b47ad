// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/platform.h"
#include "cpu_ref/blocks.h"
#include "kernels/morton.h"
#include "tests/support/key_patterns.h"

static uint32_t* words_of(size_t count)
{
    uint32_t* words = scratch((count ? count : 1) * sizeof *words);
    return words;
}

TEST(scan_sums_what_lies_before_and_wraps)
{
    const size_t counts[] = {0, 1, 2, 1000, 70001};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        const size_t n = counts[c];
        uint32_t* source = words_of(n);
        uint32_t* result = words_of(n);
        test_keys(KEYS_RANDOM, source, n, 1, 1 + n);
        const uint32_t total = tact_scan_cpu(source, result, n);
        uint64_t sum = 0;
        for (size_t i = 0; i < n; ++i) {
            assert_int_equal(result[i], sum % 0x100000000u);
            sum += source[i];
        }
        assert_int_equal(total, sum % 0x100000000u);
        if (n == 70001) assert_true(sum > UINT32_MAX);
        assert_int_equal(tact_scan_cpu(source, source, n), total);
        assert_memory_equal(source, result, n * 4);
    }
}

static uint32_t reduced_float(tact_reduction reduction, const float* values, size_t count)
{
    return tact_reduce_cpu(reduction, (const uint32_t*)(const void*)values, count);
}

TEST(reductions_of_nothing_are_the_identity)
{
    assert_int_equal(tact_reduce_cpu(TACT_REDUCE_SUM_UINT, NULL, 0), 0);
    assert_int_equal(tact_reduce_cpu(TACT_REDUCE_MIN_UINT, NULL, 0), UINT32_MAX);
    assert_int_equal(tact_reduce_cpu(TACT_REDUCE_MAX_UINT, NULL, 0), 0);
    assert_int_equal(tact_reduce_cpu(TACT_REDUCE_MIN_FLOAT, NULL, 0), as_uint(INFINITY));
    assert_int_equal(tact_reduce_cpu(TACT_REDUCE_MAX_FLOAT, NULL, 0), as_uint(-INFINITY));
    const float nan_only[] = {NAN, -NAN};
    assert_int_equal(reduced_float(TACT_REDUCE_MIN_FLOAT, nan_only, 2), as_uint(INFINITY));
    assert_int_equal(reduced_float(TACT_REDUCE_MAX_FLOAT, nan_only, 2), as_uint(-INFINITY));
}

TEST(reductions_agree_with_plain_loops)
{
    enum { N = 5003 };
    static uint32_t words[N];
    static float floats[N];
    test_random random = {7};
    for (int round = 0; round < 20; ++round) {
        uint64_t sum = 0;
        uint32_t low = UINT32_MAX, high = 0;
        float lowest = INFINITY, highest = -INFINITY;
        for (size_t i = 0; i < N; ++i) {
            words[i] = (uint32_t)test_random_bits(&random) >> (round % 3);
            // Numbers only, and no zeros: what those do is tested below.
            floats[i] = test_random_signed(&random) * (round % 2 ? 1e-39f : 1e30f) + 0x1p-149f;
            sum += words[i];
            low = words[i] < low ? words[i] : low;
            high = words[i] > high ? words[i] : high;
            lowest = fminf(lowest, floats[i]);
            highest = fmaxf(highest, floats[i]);
        }
        assert_int_equal(tact_reduce_cpu(TACT_REDUCE_SUM_UINT, words, N), (uint32_t)sum);
        assert_int_equal(tact_reduce_cpu(TACT_REDUCE_MIN_UINT, words, N), low);
        assert_int_equal(tact_reduce_cpu(TACT_REDUCE_MAX_UINT, words, N), high);
        assert_int_equal(reduced_float(TACT_REDUCE_MIN_FLOAT, floats, N), as_uint(lowest));
        assert_int_equal(reduced_float(TACT_REDUCE_MAX_FLOAT, floats, N), as_uint(highest));
    }
}

TEST(float_reductions_order_zeros_and_leave_nans_out)
{
    const float zeros[] = {0.0f, -0.0f, 0.0f};
    assert_int_equal(reduced_float(TACT_REDUCE_MIN_FLOAT, zeros, 3), as_uint(-0.0f));
    assert_int_equal(reduced_float(TACT_REDUCE_MAX_FLOAT, zeros, 3), as_uint(0.0f));
    const float mixed[] = {NAN, 3.0f, -NAN, -2.0f, NAN};
    assert_int_equal(reduced_float(TACT_REDUCE_MIN_FLOAT, mixed, 5), as_uint(-2.0f));
    assert_int_equal(reduced_float(TACT_REDUCE_MAX_FLOAT, mixed, 5), as_uint(3.0f));
}

TEST(bounds_are_the_extremes_of_each_component)
{
    const float boxes[] = {1, -2, NAN, 0, 2, 5, 1, 0, -1, 3, 4, -0.0f, 0, NAN, 9, 0};
    float bounds[8];
    tact_reduce_bounds_cpu(TACT_BOXES, boxes, 2, bounds);
    const float expected[] = {-1, -2, 4, -0.0f, 2, 5, 9, 0};
    assert_memory_equal(bounds, expected, sizeof bounds);
    tact_reduce_bounds_cpu(TACT_POINTS, boxes, 4, bounds);
    const float of_points[] = {-1, -2, 1, -0.0f, 2, 5, 9, 0};
    assert_memory_equal(bounds, of_points, sizeof bounds);
    tact_reduce_bounds_cpu(TACT_POINTS, boxes, 0, bounds);
    for (size_t c = 0; c < 8; ++c)
        assert_int_equal(as_uint(bounds[c]), as_uint(c < 4 ? INFINITY : -INFINITY));
}

TEST(compaction_keeps_flagged_elements_in_order)
{
    const uint32_t flags[] = {0, 7, 0, 0x80000000u, 1, 0};
    const uint32_t values[] = {10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61};
    uint32_t result[12] = {0};
    assert_int_equal(tact_compact_indices_cpu(flags, result, 6), 3);
    const uint32_t indices[] = {1, 3, 4};
    assert_memory_equal(result, indices, sizeof indices);
    assert_int_equal(tact_compact_values_cpu(flags, values, 2, result, 6), 3);
    const uint32_t pairs[] = {20, 21, 40, 41, 50, 51};
    assert_memory_equal(result, pairs, sizeof pairs);
    assert_int_equal(tact_compact_indices_cpu(flags, result, 0), 0);
}

typedef struct element {
    uint64_t key;
    uint32_t index;
} element;

static int by_key_then_index(const void* a, const void* b)
{
    const element* const x = a;
    const element* const y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void check_sort(key_pattern pattern, size_t n, uint32_t words, uint32_t bits, int threads)
{
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    uint32_t* keys = words_of(n * words);
    uint32_t* sorted = words_of(n * words);
    uint32_t* order = words_of(n);
    uint32_t* values = words_of(n);
    element* elements = scratch((n ? n : 1) * sizeof *elements);
    test_keys(pattern, keys, n, words, n * 31 + bits);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = keys[i * words] | (words == 2 ? (uint64_t)keys[i * 2 + 1] << 32 : 0);
        elements[i].key = bits >= 64 ? key : key & ((1ull << bits) - 1);
        elements[i].index = (uint32_t)i;
        values[i] = (uint32_t)i ^ 0x5a5a5a5au;
    }
    qsort(elements, n, sizeof *elements, by_key_then_index);

    tact_sort_cpu_job job = {keys, sorted, NULL, order, n, words, bits};
    assert_int_equal(tact_sort_cpu(&env, threads, &job), TACT_OK);
    for (size_t i = 0; i < n; ++i) {
        assert_int_equal(order[i], elements[i].index);
        assert_memory_equal(sorted + i * words, keys + (size_t)elements[i].index * words, words * 4);
    }
    // In place, with given values, and without any.
    tact_sort_cpu_job in_place = {keys, keys, values, values, n, words, bits};
    assert_int_equal(tact_sort_cpu(&env, threads, &in_place), TACT_OK);
    assert_memory_equal(keys, sorted, n * words * 4);
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(values[i], elements[i].index ^ 0x5a5a5a5au);
    test_keys(pattern, keys, n, words, n * 31 + bits);
    tact_sort_cpu_job keys_only = {keys, keys, NULL, NULL, n, words, bits};
    assert_int_equal(tact_sort_cpu(&env, threads, &keys_only), TACT_OK);
    assert_memory_equal(keys, sorted, n * words * 4);
}

TEST(sort_agrees_with_qsort_and_is_stable)
{
    const size_t counts[] = {0, 1, 2, 255, 1000, 100003};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (int pattern = 0; pattern < KEY_PATTERNS; ++pattern) {
            check_sort((key_pattern)pattern, counts[c], 1, 32, 1 + pattern % 4);
            check_sort((key_pattern)pattern, counts[c], 2, 64, 1 + pattern % 4);
        }
    }
}

TEST(sort_compares_the_lowest_bits_alone)
{
    const uint32_t bits[] = {0, 1, 7, 8, 9, 13, 16, 30, 31, 32, 33, 47, 63};
    for (size_t b = 0; b < sizeof bits / sizeof bits[0]; ++b) {
        if (bits[b] <= 32) check_sort(KEYS_RANDOM, 3001, 1, bits[b], 2);
        check_sort(KEYS_RANDOM, 3001, 2, bits[b], 2);
    }
}

typedef struct failing_allocator {
    int left, live;
} failing_allocator;

static void* failing_allocate(size_t size, size_t alignment, void* user)
{
    failing_allocator* const f = user;
    if (f->left-- == 0) return NULL;
    ++f->live;
    return tact_platform_aligned_allocate(size, alignment);
}

static void failing_release(void* memory, void* user)
{
    --((failing_allocator*)user)->live;
    tact_platform_aligned_release(memory);
}

TEST(sort_reports_missing_memory_and_leaks_none)
{
    uint32_t keys[] = {3, 1, 2}, values[3];
    for (int fail = 0;; ++fail) {
        failing_allocator f = {fail, 0};
        const tact_allocator allocator = {failing_allocate, failing_release, &f};
        tact_env env;
        tact_env_init(&env, &allocator, NULL, NULL, NULL, NULL);
        tact_sort_cpu_job job = {keys, keys, NULL, values, 3, 1, 32};
        const tact_result result = tact_sort_cpu(&env, 1, &job);
        assert_int_equal(f.live, 0);
        if (result == TACT_OK) {
            assert_true(fail > 1);
            break;
        }
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_true(fail < 10);
    }
}

static uint64_t interleave(const uint32_t cell[3], uint32_t bits)
{
    uint64_t code = 0;
    for (uint32_t b = 0; b < bits; ++b) {
        for (uint32_t c = 0; c < 3; ++c)
            code |= (uint64_t)(cell[c] >> b & 1) << (3 * b + 2 - c);
    }
    return code;
}

static uint64_t wide_code(const float* source, tact_extent_kind kind, const float bounds[8])
{
    uint32_t code[2];
    tact_morton_cpu(1, kind, source, 1, bounds, true, code);
    return code[0] | (uint64_t)code[1] << 32;
}

TEST(morton_codes_alternate_the_bits_of_the_cells)
{
    // Bounds in which a coordinate is its own cell number.
    const float wide_bounds[8] = {0, 0, 0, 0, 2097152, 2097152, 2097152, 0};
    const float bounds[8] = {0, 0, 0, 0, 1024, 1024, 1024, 0};
    test_random random = {3};
    for (int i = 0; i < 10000; ++i) {
        uint32_t cell[3], code;
        float point[4];
        for (size_t c = 0; c < 3; ++c) {
            cell[c] = test_random_below(&random, 2097152);
            point[c] = (float)cell[c];
        }
        point[3] = NAN;
        assert_true(wide_code(point, TACT_POINTS, wide_bounds) == interleave(cell, 21));
        for (size_t c = 0; c < 3; ++c) {
            cell[c] &= 1023;
            point[c] = (float)cell[c] + 0.75f;
        }
        tact_morton_cpu(1, TACT_POINTS, point, 1, bounds, false, &code);
        assert_int_equal(code, interleave(cell, 10));
    }
}

TEST(morton_codes_are_defined_for_every_input)
{
    const float bounds[8] = {-1, -1, -1, 0, 1, 1, 1, 0};
    const uint64_t all = 0x7fffffffffffffffu, z = 0x1249249249249249u;
    const float below[] = {-2, -INFINITY, -1e38f, 0}, above[] = {1, INFINITY, 2, 0}, nan[] = {NAN, -NAN, 1, 0};
    assert_true(wide_code(below, TACT_POINTS, bounds) == 0);
    assert_true(wide_code(above, TACT_POINTS, bounds) == all);
    assert_true(wide_code(nan, TACT_POINTS, bounds) == z);
    // The middle of what lies within the bounds; the plain middle of the first box would overflow.
    const float box[] = {-3e38f, -1, 0, 0, 3e38f, 1, 1, 0}, middle[] = {0, 0, 0.5f, 0};
    assert_true(wide_code(box, TACT_BOXES, bounds) == wide_code(middle, TACT_POINTS, bounds));
    // Axes without a usable extent do not count.
    const float strange[][8] = {{INFINITY, INFINITY, -1, 0, -INFINITY, -INFINITY, 1, 0},
                                {NAN, -1, -1, 0, 1, NAN, 1, 0},
                                {1, 1, -1, 0, 1, 1, 1, 0},
                                {-3e38f, 5, -1, 0, 3e38f, -5, 1, 0}};
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; ++i) {
        assert_true(wide_code(above, TACT_POINTS, strange[i]) == z);
    }
}

TEST(morton_codes_do_not_depend_on_threads)
{
    enum { N = 50001 };
    float* boxes = scratch(N * 8 * sizeof *boxes);
    uint32_t* one = words_of(2 * N);
    uint32_t* many = words_of(2 * N);
    test_random random = {5};
    for (size_t i = 0; i < 8 * (size_t)N; ++i)
        boxes[i] = i % 97 ? test_random_signed(&random) : test_random_any(&random);
    const float bounds[8] = {-1, -0.5f, -1, 0, 1, 0.5f, 3, 0};
    tact_morton_cpu(1, TACT_BOXES, boxes, N, bounds, true, one);
    tact_morton_cpu(4, TACT_BOXES, boxes, N, bounds, true, many);
    assert_memory_equal(one, many, 2 * N * sizeof *one);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
