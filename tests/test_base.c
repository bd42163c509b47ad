// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/env.h"
#include "base/parallel.h"
#include "tact/tact.h"

TEST(every_result_code_has_a_name_and_a_sentence)
{
    for (int code = TACT_ERROR_INTERNAL; code <= TACT_INCOMPLETE; ++code) {
        assert_memory_equal(tact_result_name((tact_result)code), "TACT_", 5);
        assert_string_not_equal(tact_result_string((tact_result)code), tact_result_string((tact_result)1000));
    }
    assert_string_equal(tact_result_name((tact_result)1000), "?");
}

TEST(header_and_library_have_one_version)
{
    assert_string_equal(tact_version(), TACT_VERSION_STRING);
    assert_int_equal(tact_abi_version(), TACT_ABI_VERSION);
    assert_int_equal(TACT_ABI_VERSION, TACT_VERSION_MAJOR ? 1000 * TACT_VERSION_MAJOR : TACT_VERSION_MINOR);
    assert_non_null(strstr(tact_build_info(), TACT_VERSION_STRING));
}

TEST(size_arithmetic_reports_overflow)
{
    size_t out = 0;
    assert_true(tact_multiply_sizes(SIZE_MAX / 2, 2, &out));
    assert_int_equal(out, SIZE_MAX - 1);
    assert_false(tact_multiply_sizes(SIZE_MAX / 2 + 1, 2, &out));
    assert_true(tact_multiply_sizes(0, SIZE_MAX, &out));
    assert_true(tact_add_sizes(SIZE_MAX - 1, 1, &out));
    assert_false(tact_add_sizes(SIZE_MAX, 1, &out));
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    assert_null(tact_allocate(&env, SIZE_MAX / 4, 8));
    assert_non_null(strstr(env.error, "out of memory"));
}

TEST(details_nest)
{
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    assert_int_equal(tact_fail(&env, TACT_ERROR_LIMIT, "%d is too many", 9), TACT_ERROR_LIMIT);
    tact_fail_within(&env, TACT_ERROR_LIMIT, "casting %s: ", "rays");
    assert_string_equal(env.error, "casting rays: 9 is too many");
    char longer[4096];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    tact_fail(&env, TACT_ERROR_LIMIT, "%s", longer);
    tact_fail_within(&env, TACT_ERROR_LIMIT, "%s", longer);
    assert_int_equal(strlen(env.error), sizeof env.error - 1);
}

typedef struct touched {
    unsigned char seen[10000];
} touched;

static void touch(size_t begin, size_t end, int worker, void* user)
{
    for (size_t i = begin; i < end; ++i)
        ++((touched*)user)->seen[i];
}

TEST(parallel_for_visits_everything_once)
{
    static touched all;
    const size_t counts[] = {0, 1, 2, 63, 64, 65, 9999, 10000};
    for (int threads = 1; threads <= 5; threads += 2) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            for (size_t grain = 1; grain < 300; grain += 63) {
                memset(&all, 0, sizeof all);
                tact_parallel_for(threads, counts[c], grain, touch, &all);
                for (size_t i = 0; i < sizeof all.seen; ++i)
                    assert_int_equal(all.seen[i], i < counts[c]);
            }
        }
    }
}

enum { PART = 7, MOST_WORKERS = 5 };

/// What is prepared: the items of a piece, in parts of PART items.
typedef struct parts {
    touched all;
    struct {
        size_t begin, count;
    } of[MOST_WORKERS];
} parts;

static uint32_t prepare_parts(size_t begin, size_t end, int worker, void* user)
{
    parts* p = user;
    p->of[worker].begin = begin;
    // Every third piece is empty, as where packets leave no ray.
    p->of[worker].count = begin % 3 == 2 ? 0 : end - begin;
    for (size_t i = begin; begin % 3 == 2 && i < end; ++i)
        ++p->all.seen[i];
    return (uint32_t)((p->of[worker].count + PART - 1) / PART);
}

static void do_part(uint32_t part, int owner, int worker, void* user)
{
    parts* p = user;
    const size_t first = (size_t)part * PART;
    for (size_t i = first; i < first + PART && i < p->of[owner].count; ++i)
        ++p->all.seen[p->of[owner].begin + i];
}

TEST(parts_are_done_once_by_whoever_is_free)
{
    static parts p;
    tact_parallel_place places[MOST_WORKERS];
    const size_t counts[] = {0, 1, 2, 63, 64, 65, 999, 10000};
    for (int threads = 1; threads <= MOST_WORKERS; threads += 2) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            for (size_t grain = 1; grain < 5000; grain = grain * 5 + 3) {
                memset(&p, 0, sizeof p);
                tact_parallel_for_parts(threads, counts[c], grain, places, prepare_parts, do_part, &p);
                for (size_t i = 0; i < sizeof p.all.seen; ++i)
                    assert_int_equal(p.all.seen[i], i < counts[c]);
            }
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
