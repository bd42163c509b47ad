// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include <math.h>

#include "base/threads.h"
#include "core/context/devices.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/notes.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

// Small calls of which enough is known are decided and learned from now and then only; tact_explain() explains each. A
// made-up query, and a made-up clock for all but the test of threads.

static double now;

static double read_clock(void)
{
    return now;
}

typedef struct work {
    double expected, takes;  ///< ms, on the CPU
    double there;            ///< ms that a device is expected to take
    const char* method;
    tact_result result;
    int runs[TACT_BACKEND_COUNT], estimates[TACT_BACKEND_COUNT];
} work;

static tact_result run_work(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    work* w = arguments;
    if (w->takes > 0.0) now += w->takes;  // threads take none
    ++w->runs[report->backend];
    return w->result == TACT_OK ? TACT_OK : tact_fail(&context->env, w->result, "it is made up");
}

static tact_cost cost_of_work(const tact_device_info* device, uint32_t index, const void* arguments)
{
    work* w = (work*)(uintptr_t)arguments;
    ++w->estimates[device->backend];
    return tact_cost_of(w->method, 0.0, device->backend == TACT_BACKEND_CPU ? w->expected : w->there, 0.0, 0.0);
}

static const tact_query_backend workers[] = {
    {TACT_BACKEND_CPU, run_work, cost_of_work},
#ifdef TACT_HAVE_GPU
    {TACT_BACKEND_GL, run_work, cost_of_work},
    {TACT_BACKEND_CL, run_work, cost_of_work},
#endif
    {TACT_BACKEND_REFERENCE, run_work, NULL},
};
enum { WORKERS = sizeof workers / sizeof *workers };
static const tact_query working = {"working", workers, WORKERS, .compare = NULL};
static const tact_query toiling = {"toiling", workers, WORKERS, .compare = NULL};

enum {
    ENOUGH = TACT_COST_RUNS,  ///< answers after which small calls are spared
    AGAIN = 16                ///< of which one is learned from
};

static tact_context* open_context(bool devices)
{
    const tact_device_source source = devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE;
    const tact_context_desc desc = {
        .log = quiet, .disable_cache = true, .gl = source, .cl = source, .open_devices = devices};
    tact_context* context = new_context(&desc);
    context->first_use = NULL;
    context->uncalibrated = false;  // whatever the environment says
    context->clock = read_clock;
    now = 1.0;
    return context;
}

static work small(void)
{
    return (work){.expected = 0.004, .takes = 0.005, .there = 50.0, .method = "way"};
}

static void ask(tact_context* context, const tact_query* query, work* w, tact_backend backend, int calls)
{
    const tact_query_options options = {.backend = backend};
    for (int i = 0; i < calls; ++i)
        assert_int_equal(tact_dispatch(context, query, w, &options, NULL), w->result);
}

static uint64_t learned(tact_context* context, const char* key)
{
    const tact_cost_entry* entry = tact_cost_find(&context->costs[0], key);
    return entry ? entry->runs : 0;
}

static tact_candidate explained(tact_context* context, const char* query, tact_backend backend)
{
    static tact_explanation e;
    assert_int_equal(tact_explain(context, &e), TACT_OK);
    assert_string_equal(e.query, query);
    for (uint32_t i = 0; i < e.count; ++i)
        if (e.candidates[i].backend == backend) return e.candidates[i];
    fail_msg("%s is no candidate", tact_backend_name(backend));
    return (tact_candidate){0};
}

static const tact_backend both[] = {TACT_BACKEND_CPU, TACT_BACKEND_AUTO};

TEST(one_small_call_of_sixteen_is_learned_from)
{
    for (size_t i = 0; i < 2; ++i) {
        tact_context* context = open_context(false);
        work w = small();
        ask(context, &working, &w, both[i], ENOUGH);
        assert_int_equal(learned(context, "working/way"), ENOUGH);
        ask(context, &working, &w, both[i], AGAIN - 1);
        assert_int_equal(learned(context, "working/way"), ENOUGH);
        ask(context, &working, &w, both[i], 1);
        assert_int_equal(learned(context, "working/way"), ENOUGH + 1);
        ask(context, &working, &w, both[i], 10 * AGAIN);
        assert_int_equal(learned(context, "working/way"), ENOUGH + 11);
        assert_int_equal(w.runs[TACT_BACKEND_CPU], ENOUGH + 11 * AGAIN);
        tact_context_destroy(context);
    }
}

TEST(each_call_is_explained)
{
    for (size_t i = 0; i < 2; ++i) {
        tact_context* context = open_context(false);
        work w = small();
        for (int k = 0; k < 3 * AGAIN; ++k) {
            w.takes = 0.005 + 0.001 * k;
            w.expected = 0.004 + 0.0001 * k;
            ask(context, &working, &w, both[i], 1);
            const tact_candidate c = explained(context, "working", TACT_BACKEND_CPU);
            assert_int_equal(c.fate, TACT_CANDIDATE_ANSWERED);
            assert_float_equal(c.measured_ms, w.takes, 1e-6);
            // The factor is that of the last decision.
            assert_float_equal((c.expected_ms / c.learned_factor), w.expected, 1e-6);
            assert_float_equal(c.work_ms, c.expected_ms, 1e-6);
            assert_true(k < TACT_COST_RUNS_MIN || (c.learned_factor > 1.0 && c.learned_runs > 0));
        }
        tact_context_destroy(context);
    }
}

TEST(what_is_not_small_is_always_learned_from)
{
    tact_context* context = KEEP(open_context(false));
    for (size_t i = 0; i < 2; ++i) {
        work w = small();
        w.method = i == 0 ? "one" : "two";
        const char* key = i == 0 ? "working/one" : "working/two";
        w.expected = w.takes = 1.01 * TACT_NOTES_SMALL;
        ask(context, &working, &w, both[i], 50);
        assert_int_equal(learned(context, key), 50);
        // Nor is one that surprises.
        w.expected = w.takes = 0.9 * TACT_NOTES_SMALL;
        ask(context, &working, &w, both[i], 3);
        assert_int_equal(learned(context, key), 51);
        w.takes = 1.01 * TACT_NOTES_SMALL;
        ask(context, &working, &w, both[i], 3);
        assert_int_equal(learned(context, key), 54);
    }
}

TEST(a_call_that_fails_is_explained_and_not_learned_from)
{
    tact_context* context = KEEP(open_context(false));
    for (size_t i = 0; i < 2; ++i) {
        work w = small();
        ask(context, &working, &w, both[i], ENOUGH + 2);
        const uint64_t before = learned(context, "working/way");
        w.result = TACT_ERROR_OUT_OF_MEMORY;
        ask(context, &working, &w, both[i], 1);
        const tact_candidate c = explained(context, "working", TACT_BACKEND_CPU);
        assert_int_equal(c.fate, TACT_CANDIDATE_FAILED);
        assert_non_null(strstr(c.why, "it is made up"));
        assert_int_equal(learned(context, "working/way"), before);
        w.result = TACT_OK;
        ask(context, &working, &w, both[i], 1);
        assert_int_equal(explained(context, "working", TACT_BACKEND_CPU).fate, TACT_CANDIDATE_ANSWERED);
    }
}

/// A backend other than the CPU that the context has, or AUTO.
static tact_backend device_of(tact_context* context)
{
    const bool no_gl = device_missing(context, TACT_BACKEND_GL), no_cl = device_missing(context, TACT_BACKEND_CL);
    return !no_gl || !no_cl ? tact_context_describe(context, 1)->backend : TACT_BACKEND_AUTO;
}

TEST(devices_are_not_estimated_for_small_calls)
{
    tact_context* context = KEEP(open_context(true));
    const tact_backend device = device_of(context);
    if (device == TACT_BACKEND_AUTO) skip_because("the devices are missing");
    work w = small();
    ask(context, &working, &w, TACT_BACKEND_AUTO, ENOUGH);
    const int before = w.estimates[device];
    assert_int_equal(before, ENOUGH);
    ask(context, &working, &w, TACT_BACKEND_AUTO, AGAIN - 1);
    assert_int_equal(w.estimates[device], before);
    // The explanation has what was expected of it at the last decision: of software, what made the CPU slower too.
    const double slower = explained(context, "working", TACT_BACKEND_CPU).learned_factor;
    const bool software = tact_context_describe(context, 1)->software;
    assert_true(slower > 1.0);
    const double expected = software ? 50.0 * slower : 50.0;
    assert_true(fabs(explained(context, "working", device).expected_ms - expected) <= 1e-6 * expected);
    assert_int_equal(explained(context, "working", device).fate, TACT_CANDIDATE_DEARER);
    ask(context, &working, &w, TACT_BACKEND_AUTO, 1);
    assert_int_equal(w.estimates[device], before + 1);
}

TEST(a_call_of_another_size_is_decided_anew)
{
    tact_context* context = KEEP(open_context(true));
    const tact_backend device = device_of(context);
    if (device == TACT_BACKEND_AUTO) skip_because("the devices are missing");
    work w = small();
    ask(context, &working, &w, TACT_BACKEND_AUTO, ENOUGH);
    const int before = w.estimates[device];
    w.expected = 1.9 * 0.004;
    ask(context, &working, &w, TACT_BACKEND_AUTO, 1);
    assert_int_equal(w.estimates[device], before);
    w.expected = 2.1 * 0.004;
    ask(context, &working, &w, TACT_BACKEND_AUTO, 1);
    assert_int_equal(w.estimates[device], before + 1);
    // Far larger, the device is the one to ask.
    w.expected = 500.0;
    w.there = 0.1;
    ask(context, &working, &w, TACT_BACKEND_AUTO, 1);
    assert_int_equal(explained(context, "working", device).fate, TACT_CANDIDATE_ANSWERED);
}

TEST(a_new_calibration_counts_at_once)
{
    tact_context* context = KEEP(open_context(true));
    const tact_backend device = device_of(context);
    if (device == TACT_BACKEND_AUTO) skip_because("the devices are missing");
    work w = small();
    ask(context, &working, &w, TACT_BACKEND_AUTO, ENOUGH + 3);
    const int before = w.estimates[device];
    assert_int_equal(before, ENOUGH);
    assert_int_equal(tact_calibration_forget(context), TACT_OK);
    ask(context, &working, &w, TACT_BACKEND_AUTO, 1);
    assert_int_equal(w.estimates[device], before + 1);
    assert_int_equal(learned(context, "working/way"), 1);
}

TEST(small_calls_save_for_trials_as_large_ones_do)
{
    tact_context* context = KEEP(open_context(true));
    const tact_backend device = device_of(context);
    if (device == TACT_BACKEND_AUTO) skip_because("the devices are missing");
    work w = small();
    w.takes = w.expected;
    w.there = 0.2;  // 50 times as much, so that it can be tried
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[1], "working/way");
    entry->calibrated = true;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        entry->coefficients[k] = 1.0;
    enum { CALLS = 1000 };
    ask(context, &working, &w, TACT_BACKEND_AUTO, CALLS);
    double saved = 0.0;
    for (int i = 0; i < TACT_COST_SIZES; ++i)
        saved += (double)entry->saved[i];
    const double all = CALLS * w.takes * TACT_COST_TRIAL_SHARE, missing = AGAIN * w.takes * TACT_COST_TRIAL_SHARE;
    assert_int_equal(w.runs[TACT_BACKEND_CPU], CALLS);
    assert_true(saved > all - missing - 1e-6 && saved <= all + 1e-6);
}

TEST(small_calls_count_for_opening_devices)
{
    const tact_context_desc desc = {.log = quiet, .disable_cache = true};
    tact_context* context = KEEP(new_context(&desc));
    context->clock = read_clock;
    if (context->device_count > 1) skip_because("the devices are open");
    work w = small();
    w.takes = w.expected = 0.05;
    enum { CALLS = 1000 };
    ask(context, &working, &w, TACT_BACKEND_AUTO, CALLS);
    const double counted = context->unopened_ms;
    // A build without devices has none to open.
    if (!tact_context_opens_more(context)) {
        assert_true(counted == 0.0);
        return;
    }
    assert_true(counted > (CALLS - AGAIN) * w.takes - 1e-6 && counted <= CALLS * w.takes + 1e-6);
}

TEST(kinds_of_calls_are_noted_apart)
{
    tact_context* context = KEEP(open_context(false));
    work a = small(), b = small();
    b.method = "other";
    ask(context, &toiling, &a, TACT_BACKEND_AUTO, ENOUGH + 1);
    ask(context, &toiling, &b, TACT_BACKEND_AUTO, 1);
    assert_int_equal(learned(context, "toiling/other"), 1);
    for (int i = 0; i < ENOUGH + 5; ++i) {
        ask(context, &working, &a, TACT_BACKEND_CPU, 1);
        ask(context, &working, &b, TACT_BACKEND_AUTO, 1);
        ask(context, &toiling, &a, TACT_BACKEND_AUTO, 1);
        assert_float_equal(explained(context, "toiling", TACT_BACKEND_CPU).measured_ms, a.takes, 1e-6);
    }
    assert_int_equal(learned(context, "working/way"), ENOUGH);
    assert_int_equal(learned(context, "working/other"), ENOUGH);
    assert_int_equal(learned(context, "toiling/way"), ENOUGH + 1);
}

// ---- Threads ----

typedef struct turn {
    tact_context* context;
    const tact_query* query;
    work work;
    int calls;
    tact_result result;
} turn;

static void take_turn(void* user)
{
    turn* t = user;
    const tact_query_options options = {.backend = TACT_BACKEND_AUTO};
    for (int i = 0; i < t->calls && t->result == TACT_OK; ++i)
        t->result = tact_dispatch(t->context, t->query, &t->work, &options, NULL);
}

TEST(another_thread_explains_the_last_call)
{
    tact_context* context = KEEP(open_context(false));
    const tact_query* queries[] = {&working, &toiling};
    work own = small();
    ask(context, &working, &own, TACT_BACKEND_AUTO, 1);
    for (int i = 0; i < 40; ++i) {
        turn t = {.context = context, .query = queries[i % 2], .work = small(), .calls = 1 + i};
        t.work.takes = 0.001 * (1 + i);
        tact_thread thread;
        assert_true(tact_thread_start(&thread, take_turn, &t));
        tact_thread_join(&thread);
        assert_int_equal(t.result, TACT_OK);
        assert_float_equal(explained(context, queries[i % 2]->name, TACT_BACKEND_CPU).measured_ms, t.work.takes, 1e-6);
    }
}

TEST(calls_are_explained_while_threads_make_them)
{
    tact_context* context = KEEP(open_context(false));
    context->clock = NULL;
    enum { THREADS = 4 };
    turn turns[THREADS] = {{0}};
    tact_thread threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        turns[i] = (turn){.context = context, .query = i % 2 ? &working : &toiling, .work = small(), .calls = 20000};
        turns[i].work.takes = 0.0;
        assert_true(tact_thread_start(&threads[i], take_turn, &turns[i]));
    }
    for (int i = 0; i < 2000; ++i) {
        tact_explanation e;
        if (tact_explain(context, &e) != TACT_OK) continue;
        const bool known = strcmp(e.query, "working") == 0 || strcmp(e.query, "toiling") == 0;
        if (!known || e.answered != TACT_BACKEND_CPU || strcmp(e.method, "way") != 0) fail_msg("\"%s\"", e.query);
    }
    for (int i = 0; i < THREADS; ++i)
        tact_thread_join(&threads[i]);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(turns[i].result, TACT_OK);
        assert_int_equal(turns[i].work.runs[TACT_BACKEND_CPU], 20000);
    }
    // Most were spared.
    assert_true(learned(context, "working/way") <= 40000 / 4);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
