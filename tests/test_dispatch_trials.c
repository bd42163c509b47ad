// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/dispatch/dispatch.h"
#include "core/queries.h"
#include "core/query/sample.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

// A device that is wrongly expected to be slow is tried now and then, which costs little, until that is learned; and
// one that would be quicker once it had what it needs is given it. A made-up query on the CPU and whatever device there
// is, and a made-up clock.

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
    now += device == 0 ? w->here : w->there;
    if (device > 0 && w->fails) return tact_fail(&context->env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "it is full");
    ++w->answers[report->backend];
    return TACT_OK;
}

static tact_cost cost_of_work(const tact_device_info* device, uint32_t index, const void* arguments)
{
    tact_cost cost = tact_cost_of(NULL, 0.0, device->backend == TACT_BACKEND_CPU ? 5.0 : 20.0, 0.0, 0.0);
    cost.lasting = ((const work*)arguments)->lasting;
    return cost;
}

static tact_query_backend workers[] = {{TACT_BACKEND_CPU, run_work, cost_of_work},
                                       {TACT_BACKEND_CL, run_work, cost_of_work}};
static const tact_query working = {"working", workers, 2, .compare = NULL};

/// A context of which all that the query's costs say was measured. NULL: it has no device but the CPU.
static tact_context* open_context(bool uncalibrated)
{
    const tact_context_desc desc = {.log = quiet, .disable_calibration = uncalibrated, .disable_cache = true};
    tact_context* context = new_context(&desc);
    const bool no_gl = device_missing(context, TACT_BACKEND_GL), no_cl = device_missing(context, TACT_BACKEND_CL);
    if (no_gl && no_cl) {
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

TEST(what_was_overestimated_heals)
{
    tact_context* context = KEEP(open_context(false));
    if (!context) skip_because("the devices are missing");
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
}

TEST(what_is_slow_is_tried_rarely)
{
    int trials[2];
    for (int i = 0; i < 2; ++i) {
        tact_context* context = open_context(false);
        if (!context) skip_because("the devices are missing");
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

TEST(no_backend_is_tried_where_it_would_matter)
{
    for (int i = 0; i < 5; ++i) {
        tact_context* context = open_context(i == 0);
        if (!context) skip_because("the devices are missing");
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

static int warnings;

static void count_warnings(tact_log_level level, const char* source, const char* message, void* user)
{
    warnings +=
        level == TACT_LOG_WARNING && strstr(message, "the calibration of working on ") && strstr(message, "is dropped");
}

/// Gives a device coefficients, and asks until the CPU, which is the quicker one, has answered ten times in a row.
static int calls_until_healed(uint32_t device, double coefficient, bool* dropped)
{
    tact_context* context = open_context(false);
    if (!context) skip();
    context->env.log = count_warnings;
    warnings = 0;
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[device], "working");
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        entry->coefficients[k] = coefficient;
    work w = {.here = 0.2, .there = 84.0};
    int calls = 0;
    for (int row = 0; row < 10; ++row, ++calls) {
        const int before = w.answers[TACT_BACKEND_CPU];
        ask(context, &w, 1, NULL);
        if (w.answers[TACT_BACKEND_CPU] == before) row = -1;
        assert_true(calls < 100000);
    }
    *dropped = !entry->calibrated;
    assert_int_equal(warnings, *dropped);
    tact_context_destroy(context);
    return calls - 10;
}

TEST(a_wrong_calibration_heals)
{
    bool dropped = false;
    // The device takes 84 ms where the CPU takes 0.2. It is said to need next to nothing: three answers refute that.
    assert_int_equal(calls_until_healed(1, 1e-6, &dropped), TACT_COST_RUNS_MIN);
    assert_true(dropped);
    // Said to take 2 ms: that is learned, and the calibration stays.
    assert_in_range(calls_until_healed(1, 0.1, &dropped), TACT_COST_RUNS_MIN, TACT_COST_RUNS_MIN);
    assert_false(dropped);
    // The CPU is said to take years, and is tried as soon as a hundredth of what the device takes pays for 500 ms, a
    // hundred times of what is ordinary: after (500 - 84) / 0.84 calls at most. Three answers refute it, too.
    assert_in_range(calls_until_healed(0, 1e9, &dropped), TACT_COST_RUNS_MIN, 500);
    assert_true(dropped);
    assert_in_range(calls_until_healed(0, 1e3, &dropped), TACT_COST_RUNS_MIN, 500);
    assert_true(dropped);
}

/// Work on an object that goes to the device, and stays there until it changes.
typedef struct object_work {
    double bringing;  ///< ms; what else it takes: 5 ms on the CPU, 1 on the device
    bool fails, keeps;
    uint64_t version;
    tact_resident kept;
    uint64_t lies;  ///< the version that lies there
    int answers[TACT_BACKEND_COUNT];
} object_work;

static tact_result run_object(tact_context* context, uint32_t device, void* arguments,
                              const tact_query_options* options, tact_query_report* report)
{
    object_work* w = arguments;
    ++w->answers[report->backend];
    if (device == 0) {
        now += 5.0;
        return TACT_OK;
    }
    if (w->lies != w->version) now += w->bringing;
    if (w->fails) return tact_fail(&context->env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "it is full");
    now += 1.0;
    if (w->keeps) w->lies = w->version;
    return TACT_OK;
}

static tact_cost cost_of_object(const tact_device_info* device, uint32_t index, const void* arguments)
{
    object_work* w = (object_work*)(uintptr_t)arguments;
    if (device->backend == TACT_BACKEND_CPU) return tact_cost_of(NULL, 0.0, 5.0, 0.0, 0.0);
    const double bytes = w->lies == w->version ? 0.0 : w->bringing * 1e7;
    tact_cost cost = tact_cost_of(NULL, 0.0, 1.0, bytes, 0.0);
    tact_cost_stays(&cost, bytes, &w->kept, w->version);
    return cost;
}

static tact_query_backend movers[] = {{TACT_BACKEND_CPU, run_object, cost_of_object},
                                      {TACT_BACKEND_CL, run_object, cost_of_object}};
static const tact_query moving = {"working", movers, 2, .compare = NULL};

/// Asks until the device has answered, or failed, and returns how often the CPU had before; or `most`.
static int calls_until_brought(tact_context* context, object_work* w, const tact_query_options* options, int most)
{
    movers[1].backend = workers[1].backend;
    const int before = w->answers[workers[1].backend];
    for (int calls = 0; calls < most; ++calls) {
        assert_int_equal(tact_dispatch(context, &moving, w, options, NULL), TACT_OK);
        if (w->answers[workers[1].backend] != before) return calls;
    }
    return most;
}

TEST(what_an_object_needs_is_brought_when_that_pays)
{
    // Without trials, so that nothing else leads to the device.
    tact_context* context = KEEP(open_context(true));
    if (!context) skip_because("the devices are missing");
    const tact_backend other = workers[1].backend;
    const bool software = tact_context_describe(context, 1)->software;
    // The device would take 4 ms less, and bringing costs 21 - 5 more; with the margin of software 3.5 and 31.5 - 5.
    object_work w = {.bringing = 20.0, .keeps = true, .version = 1};
    const int wait = software ? 8 : 4;
    assert_int_equal(calls_until_brought(context, &w, NULL, 100), wait);
    tact_explanation e;
    assert_int_equal(tact_explain(context, &e), TACT_OK);
    assert_int_equal(e.answered, other);
    for (uint32_t i = 0; i < e.count; ++i) {
        const tact_candidate* c = &e.candidates[i];
        if (c->backend == TACT_BACKEND_CPU) assert_non_null(strstr(c->why, "another takes less from the next call on"));
        if (c->backend == other) assert_non_null(strstr(c->why, "it takes less from the next call on"));
    }
    // There it is quicker, and asked.
    for (int i = 0; i < 100; ++i)
        assert_int_equal(calls_until_brought(context, &w, NULL, 1), 0);
    // It changed, and is brought again; that paid before.
    ++w.version;
    assert_int_equal(calls_until_brought(context, &w, NULL, 100), wait);
    assert_int_equal(calls_until_brought(context, &w, NULL, 1), 0);
    // One that changes all the time stays where it is.
    for (int i = 0; i < 100; ++i) {
        ++w.version;
        assert_int_equal(calls_until_brought(context, &w, NULL, 1), 1);
    }
    // One that changes as soon as it was brought, less and less often.
    int brought = 0;
    for (int i = 0; i < 1000; ++i) {
        const bool there = calls_until_brought(context, &w, NULL, 1) == 0;
        brought += there;
        w.version += there;
    }
    assert_in_range(brought, 3, 7);
}

TEST(nothing_is_brought_where_it_would_matter)
{
    for (int i = 0; i < 3; ++i) {
        tact_context* context = open_context(true);
        if (!context) skip_because("the devices are missing");
        const tact_query_options options = {.backend = i == 1 ? TACT_BACKEND_CPU : TACT_BACKEND_AUTO,
                                            .no_fallback = i == 0};
        // A device that fails is given it more and more rarely, and made up for.
        object_work w = {.bringing = 20.0, .keeps = true, .fails = i == 2, .version = 1};
        int brought = 0;
        for (int k = 0; k < 1000; ++k)
            brought += calls_until_brought(context, &w, &options, 1) == 0;
        assert_true(i == 2 ? brought >= 3 && brought <= 7 : brought == 0);
        assert_int_equal(w.answers[TACT_BACKEND_CPU], 1000);
        tact_context_destroy(context);
    }
}

TEST(a_reason_says_what_is_brought)
{
    tact_context* context = KEEP(open_context(true));
    if (!context) skip_because("the devices are missing");
    movers[1].backend = workers[1].backend;
    object_work w = {.bringing = 20.0, .keeps = true, .version = 1};
    tact_query_report report = {0};
    for (int i = 0; i < 20 && report.backend != workers[1].backend; ++i) {
        assert_null(strstr(report.reason, "next call"));
        assert_int_equal(tact_dispatch(context, &moving, &w, NULL, &report), TACT_OK);
    }
    assert_int_equal(report.backend, workers[1].backend);
    assert_non_null(strstr(report.reason, " takes less from the next call on, as what it needs is there then"));
}

/// Which backend a first call of work goes to that stays where it was done, which the CPU was seen to take three times
/// as long for as is said, 15 ms instead of 5, if the device is said to take `there` ms.
static tact_backend first_of_lasting(bool asynchronous, bool device_learned, double there)
{
    tact_context* context = open_context(false);
    if (!context) skip();
    const double margin = tact_context_describe(context, 1)->software ? 1.5 : 1.0;
    for (uint32_t device = 0; device < 2; ++device) {
        tact_cost_entry* entry = tact_cost_entry_of(&context->costs[device], "working");
        const double expected = device == 0 ? 5.0 : there / margin;
        entry->coefficients[TACT_COST_WORK] = device == 0 ? 1.0 : expected / 20.0;
        for (int i = 0; i < TACT_COST_RUNS && (device == 0 || device_learned); ++i)
            tact_cost_learn(entry, expected, device == 0 ? 15.0 : expected);
    }
    static tact_query query = {"working", workers, 2, .compare = NULL};
    query.asynchronous = asynchronous;
    work w = {.here = 15.0, .there = 18.0, .lasting = true};
    tact_query_report report;
    assert_int_equal(tact_dispatch(context, &query, &w, NULL, &report), TACT_OK);
    tact_context_destroy(context);
    return report.backend;
}

static tact_cost cost_of_hard_work(const tact_device_info* device, uint32_t index, const void* arguments)
{
    (void)index;
    (void)arguments;
    return tact_cost_of(NULL, 0.0, device->backend == TACT_BACKEND_CPU ? 5.0 : 8.0, 0.0, 0.0);
}

TEST(what_is_hard_for_the_cpu_is_hard_for_software_on_its_cores)
{
    // The CPU takes 15 ms, not 5; the device is said to take 8, and nothing was seen of it.
    tact_context* context = open_context(false);
    if (!context) skip();
    const bool software = tact_context_describe(context, 1)->software;
    tact_query_backend hard[2] = {workers[0], workers[1]};
    hard[0].cost = hard[1].cost = cost_of_hard_work;
    const tact_query query = {"working", hard, 2, .compare = NULL};
    for (uint32_t device = 0; device < 2; ++device)
        tact_cost_entry_of(&context->costs[device], "working")->calibrated = false;
    for (int i = 0; i < TACT_COST_RUNS; ++i)
        tact_cost_learn(tact_cost_entry_of(&context->costs[0], "working"), 5.0, 15.0);
    context->first_use = NULL;
    work w = {.here = 15.0, .there = 400.0};
    tact_query_report report;
    assert_int_equal(tact_dispatch(context, &query, &w, NULL, &report), TACT_OK);
    assert_int_equal(report.backend, software ? TACT_BACKEND_CPU : workers[1].backend);
    tact_context_destroy(context);
}

TEST(what_is_learned_of_one_alone_decides_no_more_than_half_for_good)
{
    // Its answers are late, and nothing will ever be learned of it: it may take three times as long, too, or as long as
    // is said, and is taken for the root of three.
    assert_int_equal(first_of_lasting(true, false, 9.0), TACT_BACKEND_CPU);
    assert_int_equal(first_of_lasting(true, false, 8.0), workers[1].backend);
    assert_int_equal(first_of_lasting(true, true, 9.0), workers[1].backend);
    // Else the first answer will show.
    assert_int_equal(first_of_lasting(false, false, 9.0), workers[1].backend);
}

static void take_cost(void* user, const tact_cost_answer* answer)
{
    *(tact_cost*)user = *answer->cost;
}

/// The costs of a first and a second call of sample work on a device.
static void costs_of(tact_context* context, const tact_query* query, const tact_query_sample* of, tact_cost costs[2])
{
    const tact_query_options options = {.backend = workers[1].backend, .no_fallback = true};
    tact_sample* sample = NULL;
    assert_int_equal(tact_sample_create(context, query, of, of->smallest, 1, &sample), TACT_OK);
    for (int i = 0; i < 2; ++i) {
        const tact_cost_watch watch = {take_cost, &costs[i], NULL};
        tact_dispatch_watch(context, &watch);
        assert_int_equal(tact_sample_ask(sample, &options, NULL), TACT_OK);
        tact_dispatch_watch(context, NULL);
    }
    tact_sample_destroy(sample);
}

TEST(queries_say_what_stays)
{
    static const char* const names[] = {
        "finding pairs",          "overlap of meshes", "culling a scene", "casting rays", "casting rays for all hits",
        "finding closest points", "casting spheres",   "locating points"};
    tact_context* context = KEEP(open_context(true));
    if (!context) skip_because("the devices are missing");
    const tact_query* query = NULL;
    const tact_query_sample* of = NULL;
    int seen = 0;
    for (size_t i = 0; (of = tact_query_sample_of(i, &query)) != NULL; ++i) {
        for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
            if (strcmp(query->name, names[k]) != 0) continue;
            tact_cost costs[2] = {{.method = NULL}};
            costs_of(context, query, of, costs);
            assert_true(costs[0].rent && costs[0].stays > 0.0);
            assert_true(costs[0].stays <= costs[0].terms[TACT_COST_UPLOAD]);
            assert_true(costs[1].rent == costs[0].rent && costs[1].version == costs[0].version);
            assert_true(costs[1].stays == 0.0);
            ++seen;
        }
    }
    assert_int_equal(seen, 15);
}

#ifdef TACT_HAVE_GPU

/// A query whose answer is late: run_late() gives the device something to do and returns.
typedef struct late_work {
    tact_buffer* buffer;
    bool waits;
} late_work;

static tact_result run_late(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    late_work* w = arguments;
    now += device == 0 ? 5.0 : 0.01;
    if (device == 0) return TACT_OK;
    uint32_t read = 0;
    tact_device* d = context->devices[device];
    tact_result result = tact_device_enter(d);
    if (result != TACT_OK) return result;
    if (!w->buffer) result = tact_buffer_create(d, 64, NULL, &w->buffer);
    if (result == TACT_OK) result = tact_buffer_fill(w->buffer, 0, 64, 7);
    if (result == TACT_OK && w->waits) result = tact_buffer_read(w->buffer, 0, &read, sizeof read);
    tact_device_leave(d);
    return result;
}

static tact_cost cost_late(const tact_device_info* device, uint32_t index, const void* arguments)
{
    return tact_cost_of(NULL, 0.0, device->backend == TACT_BACKEND_CPU ? 5.0 : 20.0, 0.0, 0.0);
}

TEST(what_handing_over_takes_is_not_learned)
{
    tact_context* context = KEEP(open_context(false));
    if (!context) skip();
    const tact_query_backend late_workers[] = {{TACT_BACKEND_CPU, run_late, cost_late},
                                               {workers[1].backend, run_late, cost_late}};
    const tact_query late_query = {"working", late_workers, 2, .compare = NULL};
    const tact_query_options there = {.backend = workers[1].backend};
    const tact_cost_entry* entry = tact_cost_entry_of(&context->costs[1], "working");
    late_work w = {0};
    enum { CALLS = 20000 };
    // Handing over takes 0.01 ms. Neither forced calls nor trials make the device look that quick.
    for (int i = 0; i < 20; ++i)
        assert_int_equal(tact_dispatch(context, &late_query, &w, &there, NULL), TACT_OK);
    int trials = 0;
    for (int i = 0; i < CALLS; ++i) {
        tact_query_report report;
        assert_int_equal(tact_dispatch(context, &late_query, &w, NULL, &report), TACT_OK);
        trials += report.backend != TACT_BACKEND_CPU;
    }
    assert_int_equal(entry->runs, 0);
    assert_in_range(trials, 1, 7);  // as in what_is_slow_is_tried_rarely()
    assert_true(tact_device_busy(context->devices[1]));

    // When it is there: only of one that the device did alone, and by the time until then.
    tact_cost_late late = context->late;
    tact_dispatch_arrived(context, &late);
    assert_int_equal(entry->runs, 0);
    assert_int_equal(tact_device_enter(context->devices[1]), TACT_OK);
    assert_int_equal(tact_device_finish(context->devices[1]), TACT_OK);
    tact_device_leave(context->devices[1]);
    assert_false(tact_device_busy(context->devices[1]));
    assert_int_equal(tact_dispatch(context, &late_query, &w, &there, NULL), TACT_OK);
    late = context->late;
    now += 10.0;
    tact_dispatch_arrived(context, &late);
    assert_int_equal(entry->runs, 1);
    assert_float_equal(entry->ratio[0], 10.01f / 20.0f, 1e-6f);

    // One that waits is learned at once.
    w.waits = true;
    assert_int_equal(tact_dispatch(context, &late_query, &w, &there, NULL), TACT_OK);
    assert_int_equal(entry->runs, 2);
    assert_int_equal(context->late.key[0], 0);

    assert_int_equal(tact_device_enter(context->devices[1]), TACT_OK);
    tact_buffer_destroy(w.buffer);
    tact_device_leave(context->devices[1]);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
