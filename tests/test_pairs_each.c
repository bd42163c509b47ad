// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs in pieces are the pairs in one list, whatever the size of the pieces, with every method.
#include <fenv.h>
#include "tests/support/run.h"

#include "core/pairs/pairs.h"
#include "tests/support/calls.h"
#include "tests/support/counting_context.h"
#include "tests/support/pair_sets.h"

typedef struct collector {
    const tact_pair* expected;
    size_t expected_count, at, calls, stop_after, piece;
    int rounding;
    bool wrong;
} collector;

static bool collect(const tact_pair* pairs, size_t count, void* user)
{
    collector* c = user;
    ++c->calls;
    c->rounding = fegetround();
    const bool one_row = count > 0 && pairs[0].a == pairs[count - 1].a;
    if (count == 0 || (count > c->piece && !one_row) || c->at + count > c->expected_count ||
        memcmp(pairs, c->expected + c->at, count * sizeof *pairs) != 0) {
        c->wrong = true;
        return false;
    }
    c->at += count;
    return c->stop_after == 0 || c->calls < c->stop_after;
}

static void compare(const char* what, tact_volumes* a, tact_volumes* b)
{
    static const size_t pieces[] = {1, 100, 1777, 0};
    size_t expected_count = 0;
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    assert_int_equal(call_pairs_find(a, b, TACT_PAIRS_AUTO, NULL, 0, &expected_count, &reference, NULL), TACT_OK);
    tact_pair* expected = malloc((expected_count + 1) * sizeof *expected);
    if (expected_count > 0) memcpy(expected, tact_pairs_last(a, NULL), expected_count * sizeof *expected);
    for (int method = 0; method < TACT_PAIRS_METHOD_COUNT; ++method) {
        if (method != TACT_PAIRS_AUTO && !tact_pairs_way_of((tact_pairs_method)method)) continue;
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; ++p) {
            const tact_query_options options = {.threads = 1 + (int)p % 3, .shadow = p == 2};
            collector c = {.expected = expected, .expected_count = expected_count, .piece = pieces[p]};
            if (c.piece == 0) c.piece = 1 << 24;
            uint64_t count = 77;
            tact_query_report report;
            const tact_result result =
                call_pairs_each(a, b, (tact_pairs_method)method, pieces[p], collect, &c, &count, &options, &report);
            if (result != TACT_OK || c.wrong || c.at != expected_count || count != expected_count) {
                fail_msg("%s, %s, pieces of %zu: %s, %zu of %zu pairs came, %llu were told", what,
                         tact_pairs_method_name((tact_pairs_method)method), pieces[p], tact_result_name(result), c.at,
                         expected_count, (unsigned long long)count);
            }
            assert_int_equal(report.backend, TACT_BACKEND_CPU);
            assert_int_equal(report.threads, options.threads);
            assert_null(tact_pairs_last(a, NULL));
            expect_method(what, a, (tact_pairs_method)method);
            tact_pairs_info info;
            assert_int_equal(tact_pairs_get_info(a, &info), TACT_OK);
            assert_int_equal(info.pairs, expected_count);
        }
    }
    free(expected);
}

TEST(pieces_make_the_list)
{
    enum { N = 400 };
    tact_context* context = KEEP(counting_context(3, NULL));
    static const size_t leasts[] = {1, 0};
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_aabb boxes[N];
        tact_volume_scenes[s].make(N, 3, boxes);
        tact_volumes *a = make_boxes(context, boxes, N), *b = make_boxes(context, boxes, N / 3);
        for (size_t k = 0; k < 2; ++k) {
            tact_pairs_limit_each(leasts[k]);
            compare(tact_volume_scenes[s].name, a, NULL);
            compare(tact_volume_scenes[s].name, b, a);
        }
        tact_volumes_destroy(a);
        tact_volumes_destroy(b);
    }
    tact_pairs_limit_each(0);
}

/// More pairs than the sinks' blocks hold, so that they really are found in ranges.
TEST(more_than_is_held)
{
    enum { N = 600 };
    tact_context* context = KEEP(counting_context(2, NULL));
    static tact_aabb boxes[N];
    for (int k = 0; k < 2; ++k) {
        tact_volume_scene_named(k ? "needles" : "coincident")->make(N, 3, boxes);
        for (int i = 0; i < N && k; ++i)
            boxes[i].upper.x += 0.9f, boxes[i].upper.y += 0.9f, boxes[i].upper.z += 0.9f;
        tact_volumes* a = make_boxes(context, boxes, N);
        static const tact_categories categories = {1, 2};
        const uint32_t id = 8;
        if (k) assert_int_equal(tact_volumes_set_categories(a, &id, &categories, 1), TACT_OK);
        tact_pairs_limit_each(20000);
        compare(k ? "needles" : "coincident", a, NULL);
        tact_volumes* b = make_boxes(context, boxes, N / 2);
        compare(k ? "needles" : "coincident", a, b);
        compare(k ? "needles" : "coincident", b, a);
        tact_volumes_destroy(b);
        tact_volumes_destroy(a);
    }
    tact_pairs_limit_each(0);
}

typedef struct watch {
    double last;
    int asked, stop_after;
    bool backwards;
} watch;

static bool observe(double fraction, void* user)
{
    watch* w = user;
    w->backwards = w->backwards || fraction < w->last - 1e-9 || fraction > 1.0 + 1e-9;
    w->last = fraction;
    return ++w->asked != w->stop_after;
}

TEST(stopping)
{
    enum { N = 1000 };
    tact_context* context = KEEP(counting_context(2, NULL));
    static tact_aabb boxes[N];
    tact_volume_scene_named("coincident")->make(N, 3, boxes);
    tact_volumes* set = KEEP(make_boxes(context, boxes, N));
    size_t expected_count = 0;
    uint64_t count = 0;
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_BRUTE, NULL, 0, &expected_count, NULL, NULL), TACT_OK);
    tact_pair* expected = malloc(expected_count * sizeof *expected);
    memcpy(expected, tact_pairs_last(set, NULL), expected_count * sizeof *expected);
    tact_pairs_limit_each(40000);
    for (int method = 1; method <= 2; ++method) {
        collector c = {.expected = expected, .expected_count = expected_count, .piece = 40000, .stop_after = 3};
        assert_int_equal(call_pairs_each(set, NULL, (tact_pairs_method)method, 40000, collect, &c, &count, NULL, NULL),
                         TACT_ERROR_CANCELLED);
        assert_int_equal(c.calls, 3);
        assert_int_equal(count, expected_count);
        for (int stop = 1; stop < 100; ++stop) {
            watch w = {.stop_after = stop};
            c = (collector){.expected = expected, .expected_count = expected_count, .piece = 40000};
            const tact_query_options options = {.progress = observe, .progress_user = &w};
            const tact_result result =
                call_pairs_each(set, NULL, (tact_pairs_method)method, 40000, collect, &c, &count, &options, NULL);
            assert_false(w.backwards);
            if (result == TACT_OK) {
                assert_true(stop > 3);
                assert_int_equal(c.at, expected_count);
                break;
            }
            assert_int_equal(result, TACT_ERROR_CANCELLED);
        }
    }
    tact_pairs_limit_each(0);
    // The receiver sees its caller's rounding, not ours.
    collector c = {.expected = expected, .expected_count = expected_count, .piece = 1 << 24};
    fesetround(FE_DOWNWARD);
    const tact_result result = call_pairs_each(set, NULL, TACT_PAIRS_SAP, 0, collect, &c, &count, NULL, NULL);
    const int rounding = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(result, TACT_OK);
    assert_int_equal(rounding, FE_DOWNWARD);
    assert_int_equal(c.rounding, FE_DOWNWARD);
    assert_int_equal(c.calls, 1);
    free(expected);
}

TEST(arguments)
{
    tact_context* context = KEEP(counting_context(1, NULL));
    tact_volumes* set = KEEP(make_boxes(context, NULL, 0));
    uint64_t count = 9;
    collector c = {.piece = 1};
    const tact_result invalid = TACT_ERROR_INVALID_ARGUMENT;
    assert_int_equal(call_pairs_each(NULL, NULL, TACT_PAIRS_AUTO, 0, collect, &c, &count, NULL, NULL), invalid);
    assert_int_equal(count, 0);
    assert_int_equal(call_pairs_each(set, set, TACT_PAIRS_AUTO, 0, collect, &c, &count, NULL, NULL), invalid);
    assert_int_equal(call_pairs_each(set, NULL, (tact_pairs_method)77, 0, collect, &c, &count, NULL, NULL), invalid);
    assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 0, NULL, &c, &count, NULL, NULL), invalid);
    assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 0, collect, &c, NULL, NULL, NULL), invalid);
    tact_query_options options = {.backend = TACT_BACKEND_GL};
    assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 0, collect, &c, &count, &options, NULL),
                     TACT_ERROR_UNSUPPORTED);
    options = (tact_query_options){.threads = -1};
    assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 0, collect, &c, &count, &options, NULL), invalid);
    options = (tact_query_options){.backend = TACT_BACKEND_REFERENCE};
    assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_SAP, 0, collect, &c, &count, &options, NULL), TACT_OK);
    assert_int_equal(c.calls, 0);
}

TEST(every_allocation_may_fail)
{
    enum { N = 700 };
    static tact_aabb boxes[N];
    tact_volume_scene_named("coincident")->make(N, 3, boxes);
    tact_pairs_limit_each(40000);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counting_allocator counter = {0};
        tact_context* context = counting_context(1, &counter);
        tact_volumes* set = make_boxes(context, boxes, N);
        tact_pair* expected = malloc(N * (N - 1) / 2 * sizeof *expected);
        collector c = {.expected = expected, .expected_count = 0, .piece = 40000};
        for (uint32_t i = 0; i < N; ++i) {
            for (uint32_t k = i + 1; k < N; ++k)
                expected[c.expected_count++] = (tact_pair){i, k};
        }
        counter.requests = 0;
        counter.fail_at = n;
        uint64_t count = 0;
        const tact_result result = call_pairs_each(set, NULL, TACT_PAIRS_SAP, 40000, collect, &c, &count, NULL, NULL);
        const bool failed = counter.failed;
        assert_int_equal(result, failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
        assert_false(c.wrong);
        counter.fail_at = 0;
        c.at = 0;
        assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_SAP, 40000, collect, &c, &count, NULL, NULL), TACT_OK);
        assert_int_equal(c.at, c.expected_count);
        free(expected);
        tact_volumes_destroy(set);
        tact_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (!failed) break;
        ++failures;
    }
    tact_pairs_limit_each(0);
    print_message("%zu allocations, each failed once\n", failures);
    assert_true(failures > 10);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
