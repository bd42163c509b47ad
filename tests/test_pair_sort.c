// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The list that is made of what the sinks of a query hold, against the C library's sort.
#include "tests/support/run.h"

#include "base/lane_levels.h"
#include "base/parallel.h"
#include "cpu_ref/pairs/pair_sink.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/random.h"

static int by_a_then_b(const void* x, const void* y)
{
    const tact_pair *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

typedef struct filling {
    tact_pairs_job* job;
    const tact_pair* pairs;
} filling;

static void fill(size_t begin, size_t end, int worker, void* user)
{
    const filling* f = user;
    for (size_t i = begin; i < end; ++i)
        tact_pair_sink_add(&f->job->sinks[worker], f->pairs[i].a, f->pairs[i].b);
}

/// Sorts pairs between two sets of that many ids, with 1 to 3 threads, keeping blocks from one to the next.
static void check(const tact_pair* pairs, size_t count, uint32_t ids_a, uint32_t ids_b)
{
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    const tact_volume_view a = {.count = ids_a}, b = {.count = ids_b};
    tact_pairs_state state = {0};
    tact_pair* expected = scratch((count + 1) * sizeof *expected);
    tact_pair* sorted = scratch((count + 1) * sizeof *sorted);
    if (count > 0) memcpy(expected, pairs, count * sizeof *pairs);
    qsort(expected, count, sizeof *expected, by_a_then_b);
    for (int threads = 1; threads <= 3; ++threads) {
        tact_pairs_job job = {.env = &env, .threads = threads, .a = &a, .b = &b, .state_a = &state, .end = UINT32_MAX};
        assert_int_equal(tact_pair_sinks_open(&job, TACT_MAX_PAIRS, NULL), TACT_OK);
        filling f = {&job, pairs};
        tact_parallel_for(threads, count, count / 7 + 1, fill, &f);
        uint64_t total = 0;
        assert_int_equal(tact_pair_sinks_close(&job, &total), TACT_OK);
        assert_int_equal(total, count);
        sorted[count] = (tact_pair){77, 78};
        assert_int_equal(tact_pair_sinks_sort(&job, sorted), TACT_OK);
        assert_memory_equal(sorted, expected, count * sizeof *sorted);
        assert_int_equal(sorted[count].a, 77);
        tact_pair_sinks_release(&job);
    }
    tact_pairs_state_release(&env, &state);
}

TEST(nothing_and_one)
{
    const tact_pair one = {3, 0}, last = {4, 9};
    check(NULL, 0, 0, 0);
    check(NULL, 0, 5, 7);
    check(&one, 1, 5, 7);
    check(&last, 1, 5, 10);
    check(&(tact_pair){0, 0}, 1, 1, 1);
    check(&(tact_pair){TACT_MAX_VOLUMES - 1, TACT_MAX_VOLUMES - 1}, 1, TACT_MAX_VOLUMES, TACT_MAX_VOLUMES);
}

/// Puts what is in a rising order into none.
static void shuffle(tact_pair* pairs, size_t count, test_random* r)
{
    for (size_t i = count; i > 1; --i) {
        const size_t k = test_random_below(r, (uint32_t)i);
        const tact_pair p = pairs[i - 1];
        pairs[i - 1] = pairs[k];
        pairs[k] = p;
    }
}

/// Pairs of distinct a and b with some left out, row by row; `skip` says how far apart they are.
TEST(random_rows)
{
    test_random r = test_random_seeded(1);
    static const struct {
        uint32_t ids_a, ids_b, a_skip, b_skip;
    } kinds[] = {{300, 300, 1, 2},
                 {1, 200000, 1, 2},
                 {1, 3000000, 1, 40},
                 {200000, 1, 2, 1},
                 {70000, 70000, 1, 60000},
                 {5, 90000, 1, 3},
                 {1000000, 1000, 9, 2500},
                 {1 << 30, 1 << 30, 9000, 1 << 29},
                 {40, 1 << 30, 3, 9000},
                 {100000, 100, 50, 1},
                 // Few enough to be one part.
                 {5000, 5000, 1, 420},
                 {65536, 65536, 1, 66000},
                 {20, 60000, 1, 20},
                 {9000, 300000, 1, 290000}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        enum { MOST = 200000 };
        tact_pair* pairs = scratch(MOST * sizeof *pairs);
        size_t count = 0;
        for (uint64_t a = test_random_below(&r, kinds[k].a_skip); a < kinds[k].ids_a && count < MOST;
             a += 1 + test_random_below(&r, 2 * kinds[k].a_skip - 1)) {
            for (uint64_t b = test_random_below(&r, kinds[k].b_skip); b < kinds[k].ids_b && count < MOST;
                 b += 1 + test_random_below(&r, 2 * kinds[k].b_skip - 1)) {
                pairs[count++] = (tact_pair){(uint32_t)a, (uint32_t)b};
            }
        }
        check(pairs, count, kinds[k].ids_a, kinds[k].ids_b);
        shuffle(pairs, count, &r);
        check(pairs, count, kinds[k].ids_a, kinds[k].ids_b);
    }
}

/// One long row among short ones, and rows that double in length.
TEST(uneven_rows)
{
    test_random r = test_random_seeded(2);
    enum { N = 400000 };
    tact_pair* pairs = scratch(2 * N * sizeof *pairs);
    size_t count = 0;
    for (uint32_t b = 0; b < N; ++b)
        pairs[count++] = (tact_pair){1234, b};
    for (uint32_t a = 0; a < N; a += 3) {
        if (a != 1234) pairs[count++] = (tact_pair){a, test_random_below(&r, N)};
    }
    shuffle(pairs, count, &r);
    check(pairs, count, N, N);
    count = 0;
    for (uint32_t a = 0; a < 18; ++a) {
        for (uint32_t b = 0; b < 1u << a; ++b)
            pairs[count++] = (tact_pair){a, b * 7};
    }
    shuffle(pairs, count, &r);
    check(pairs, count, 18, 7 << 18);
}

/// One long row among few pairs, most of which are in short rows.
TEST(one_long_row_of_few)
{
    test_random r = test_random_seeded(4);
    enum { A = 3000, SHORT = 13, B = 60000 };
    static const uint32_t lengths[] = {30, 400, 10000};
    tact_pair* pairs = scratch((A * SHORT + 10000) * sizeof *pairs);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
        size_t count = 0;
        for (uint32_t a = 0; a < A; ++a) {
            const uint32_t length = a == 2 * A / 3 ? lengths[k] : SHORT;
            for (uint32_t i = 0; i < length; ++i)
                pairs[count++] = (tact_pair){a, B - 1 - i * (B / length)};
        }
        shuffle(pairs, count, &r);
        check(pairs, count, A, B);
    }
}

/// Rows of every length up to some 70, where the ways to sort them change, with each set of instructions.
TEST(rows_of_every_length)
{
    test_random r = test_random_seeded(3);
    enum { A = 900, MOST = 70 };
    tact_pair* pairs = scratch(A * (MOST + 1) * sizeof *pairs);
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        tact_lanes_limit(level);
        for (uint32_t most = 1; most <= MOST; most += 1 + most / 20) {
            size_t count = 0;
            for (uint32_t a = 0; a < A; ++a) {
                const uint32_t length = most % 2 ? most : test_random_below(&r, most + 1);
                for (uint32_t b = 0; b < length; ++b)
                    pairs[count++] = (tact_pair){a, 1 + b * 13 + a % 13};
            }
            shuffle(pairs, count, &r);
            check(pairs, count, A, 14 * MOST);
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

/// Every allocation fails once; nothing is lost or leaked, and the detail is set.
static void fail_each(uint32_t count)
{
    tact_pair *pairs = scratch(count * sizeof *pairs), *sorted = scratch(count * sizeof *sorted);
    for (uint32_t i = 0; i < count; ++i)
        pairs[i] = (tact_pair){(i * 7919u) % count, i};
    const tact_volume_view a = {.count = count}, b = {.count = count};
    bool done = false;
    for (size_t fail_at = 1; !done; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_env env;
        tact_env_init(&env, &hooks, NULL, NULL, NULL, NULL);
        tact_pairs_state kept = {0};
        tact_pairs_job job = {.env = &env, .threads = 2, .a = &a, .b = &b, .state_a = &kept, .end = UINT32_MAX};
        uint64_t total = 0;
        tact_result result = tact_pair_sinks_open(&job, TACT_MAX_PAIRS, NULL);
        if (result == TACT_OK) {
            filling f = {&job, pairs};
            fill(0, count, 0, &f);
            result = tact_pair_sinks_close(&job, &total);
            assert_int_equal(total, count);
        }
        if (result == TACT_OK) result = tact_pair_sinks_sort(&job, sorted);
        if (result == TACT_OK) {
            done = true;
        } else {
            assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            assert_true(env.error[0] != 0);
        }
        tact_pair_sinks_release(&job);
        tact_pairs_state_release(&env, &kept);
        assert_int_equal(counter.live, 0);
        assert_true(fail_at < 100);
    }
}

TEST(no_memory)
{
    fail_each(10000);
    fail_each(100000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
