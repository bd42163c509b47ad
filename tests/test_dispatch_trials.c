// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/dispatch/dispatch.h"
#include "tact/tact.h"
#include "tests/support/quiet.h"

// A device that is wrongly expected to be slow is tried now and then, which costs little, until that is learned. A
// made-up query on the CPU and whatever device there is, and a made-up clock.

static double now;

static double read_clock(void)
{
    return now;
}

typedef struct work {
    double here, there;  ///< ms that it takes
    bool lasting, fails;
    int answers[TACT_BACKEND_COUNT];
} work;

static tact_result run_work(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    work* w = arguments;
    (void)options;
    now += device == 0 ? w->here : w->there;
    if (device > 0 && w->fails) return tact_fail(&context->env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "it is full");
    ++w->answers[report->backend];
    return TACT_OK;
}

static tact_cost cost_of_work(const tact_device_info* device, uint32_t index, const void* arguments)
{
    (void)index;
    tact_cost cost = tact_cost_of(NULL, 0.0, device->backend == TACT_BACKEND_CPU ? 5.0 : 20.0, 0.0, 0.0);
    cost.lasting = ((const work*)arguments)->lasting;
    return cost;
}

static tact_query_backend workers[] = {{TACT_BACKEND_CPU, run_work, cost_of_work},
                                       {TACT_BACKEND_CL, run_work, cost_of_work}};
static const tact_query working = {"working", workers, 2, .check = NULL};

/// A context of which all that the query's costs say was measured. NULL: it has no device but the CPU.
static tact_context* open_context(bool uncalibrated)
{
    tact_context* context = NULL;
    const tact_context_desc desc = {.log = quiet, .disable_calibration = uncalibrated, .disable_cache = true};
    assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
    if (tact_context_device_count(context) < 2) {
        tact_context_destroy(context);
        return NULL;
    }
    workers[1].backend = tact_context_describe(context, 1)->backend;
    for (uint32_t device = 0; device < 2; ++device) {
        tact_cost_entry* entry = tact_cost_entry_of(&context->costs[device], "working");
        entry->calibrated = true;
        for (int k = 0; k < TACT_COST_TERMS; ++k)
            entry->coefficients[k] = 1.0;
    }
    context->uncalibrated = uncalibrated;  // whatever the environment says
    context->clock = read_clock;
    now = 0.0;
    return context;
}

static void ask(tact_context* context, work* w, int calls, const tact_query_options* options)
{
    for (int i = 0; i < calls; ++i)
        assert_int_equal(tact_dispatch(context, &working, w, options, NULL), TACT_OK);
}

static void what_was_overestimated_heals(void** state)
{
    (void)state;
    tact_context* context = open_context(false);
    if (!context) skip();
    const tact_backend other = workers[1].backend;
    // It is said to take 20 ms, and takes 1; what is left of a hundredth of 5 ms a call pays for the first trial after
    // (20 - 5) / 0.05 calls, or, with the margin of software, (30 - 5) / 0.05.
    const bool software = tact_context_describe(context, 1)->software;
    work w = {.here = 5.0, .there = 1.0};
    const int wait = software ? 500 : 300;
    ask(context, &w, wait - 5, NULL);
    assert_true(w.answers[TACT_BACKEND_CPU] == wait - 5 && w.answers[other] == 0);
    tact_query_report report = {0};
    for (int i = 0; w.answers[other] == 0; ++i) {
        assert_true(i < 12);
        assert_int_equal(tact_dispatch(context, &working, &w, NULL, &report), TACT_OK);
    }
    assert_non_null(strstr(report.reason, "was tried, to see whether it is still the slower one"));
    assert_true(report.backend == other && report.failures == 0);
    tact_explanation e;
    assert_int_equal(tact_explain(context, &e), TACT_OK);
    assert_int_equal(e.answered, other);
    for (uint32_t i = 0; i < e.count; ++i) {
        if (e.candidates[i].backend == TACT_BACKEND_CPU) assert_int_equal(e.candidates[i].fate, TACT_CANDIDATE_DEARER);
        if (e.candidates[i].fate == TACT_CANDIDATE_ANSWERED) assert_non_null(strstr(e.candidates[i].why, "tried"));
    }
    // Two more and it is known.
    ask(context, &w, TACT_COST_RUNS_MIN - 1, NULL);
    assert_int_equal(w.answers[other], TACT_COST_RUNS_MIN);
    assert_int_equal(tact_dispatch(context, &working, &w, NULL, &report), TACT_OK);
    assert_null(strstr(report.reason, "tried"));
    assert_int_equal(report.backend, other);
    const int before = w.answers[TACT_BACKEND_CPU];
    ask(context, &w, 1000, NULL);
    // The CPU is now the one to try, which costs at most a hundredth.
    assert_true(w.answers[TACT_BACKEND_CPU] - before <= 10);
    tact_context_destroy(context);
}

static void what_is_slow_is_tried_rarely(void** state)
{
    (void)state;
    int trials[2];
    for (int i = 0; i < 2; ++i) {
        tact_context* context = open_context(false);
        if (!context) skip();
        work w = {.here = 5.0, .there = 20.0};
        enum { CALLS = 20000 };
        ask(context, &w, CALLS, NULL);
        trials[i] = w.answers[workers[1].backend];
        assert_true(trials[i] >= 4 && trials[i] <= 7);  // after 300 to 500 calls, and twice as many each time
        assert_true(now - CALLS * 5.0 <= 0.01 * now);
        tact_context_destroy(context);
    }
    // No dice are thrown.
    assert_int_equal(trials[0], trials[1]);
}

static void nobody_is_tried_where_it_would_matter(void** state)
{
    (void)state;
    for (int i = 0; i < 5; ++i) {
        tact_context* context = open_context(i == 0);
        if (!context) skip();
        const tact_query_options options = {.backend = i == 1 ? TACT_BACKEND_CPU : TACT_BACKEND_AUTO,
                                            .no_fallback = i == 2};
        work w = {.here = 5.0, .there = 1.0, .lasting = i == 3, .fails = i == 4};
        ask(context, &w, 2000, &options);
        // One that fails is made up for by another.
        assert_int_equal(w.answers[TACT_BACKEND_CPU], 2000);
        tact_cost_entry* entry = tact_cost_entry_of(&context->costs[1], "working");
        assert_int_equal(entry->runs, 0);
        // And tried less and less.
        int refuted = 0;
        for (int k = 0; k < TACT_COST_SIZES; ++k)
            refuted += entry->refuted[k];
        assert_true(i == 4 ? refuted >= 1 && refuted <= 4 : refuted == 0);
        tact_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_overestimated_heals),
        cmocka_unit_test(what_is_slow_is_tried_rarely),
        cmocka_unit_test(nobody_is_tried_where_it_would_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
