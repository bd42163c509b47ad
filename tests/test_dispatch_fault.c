// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The dispatcher with made-up devices: one that says it is hardware, one that says it is software, of which no command
// is ever asked; and calibration and the measurement of regret while memory runs out, files cannot be kept and devices
// fail. What goes well: test_dispatch.c, test_dispatch_trials.c, test_calibrate.c.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/run.h"

#include "core/dispatch/cost_store.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/explain.h"
#include "gpu/cull/cull.h"
#include "gpu/device_backend.h"
#include "tests/support/asked.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tools/calibrate/calibrate.h"

// ---- Made-up devices and a made-up query ----

static tact_device made_up[2];
static const char folder[] = "test_dispatch_fault.tmp";

static tact_context* open_with(const tact_context_desc* given)
{
    tact_context_desc desc = *given;
    desc.log = quiet;
    desc.gl = desc.cl = TACT_DEVICE_NONE;
    desc.threads = 1;
    tact_context* context = new_context(&desc);
    memset(made_up, 0, sizeof made_up);
    for (int i = 0; i < 2; ++i) {
        tact_device* d = &made_up[i];
        d->info.backend = i == 0 ? TACT_BACKEND_GL : TACT_BACKEND_CL;
        snprintf(d->info.name, sizeof d->info.name, "made up %d", i);
        d->info.software = i == 1;
        d->info.probe.exact = true;
        context->devices[1 + i] = d;
    }
    context->device_count = 3;
    context->uncalibrated = false;
    return context;
}

static tact_context* open_context(void)
{
    return open_with(&(tact_context_desc){.disable_cache = true});
}

static void close_context(tact_context* context)
{
    context->device_count = 1;
    context->devices[1] = context->devices[2] = NULL;
    tact_context_destroy(context);
}

typedef struct work {
    tact_result results[TACT_BACKEND_COUNT];
    double costs[TACT_BACKEND_COUNT];  ///< expected, ms
    bool unable[TACT_BACKEND_COUNT];
    bool late;  ///< devices are still at work when a call comes back
    int asked[TACT_BACKEND_COUNT];
} work;

static tact_result run_work(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    work* w = arguments;
    ++w->asked[report->backend];
    if (device > 0 && w->late) ++context->devices[device]->given;
    const tact_result result = w->results[report->backend];
    return result == TACT_OK ? result : tact_fail(&context->env, result, "it is made up");
}

static tact_cost cost_of(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const work* w = arguments;
    tact_cost cost = tact_cost_of("way", 0.0, w->costs[device->backend], 0.0, 0.0);
    if (w->unable[device->backend]) cost.unable = "it cannot";
    return cost;
}

static const tact_query_backend workers[] = {{TACT_BACKEND_CPU, run_work, cost_of},
                                             {TACT_BACKEND_GL, run_work, cost_of},
                                             {TACT_BACKEND_CL, run_work, cost_of},
                                             {TACT_BACKEND_REFERENCE, run_work, NULL}};
static const tact_query working = {"working", workers, 4, .compare = NULL};
static const tact_query nameless = {"a query whose name is so long that nothing can be learned of it under that name",
                                    workers, 4, .compare = NULL};

static tact_cost_entry* calibrate(tact_context* context, uint32_t device, const char* key)
{
    tact_cost_entry* e = tact_cost_entry_of(&context->costs[device], key);
    assert_non_null(e);
    e->calibrated = true;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        e->coefficients[k] = 1.0;
    return e;
}

static work ordinary(void)
{
    return (work){.costs = {[TACT_BACKEND_CPU] = 5.0, [TACT_BACKEND_GL] = 8.0, [TACT_BACKEND_CL] = 9.0}};
}

static tact_query_report ask(tact_context* context, const tact_query* query, work* w, tact_backend backend,
                             tact_result expected)
{
    tact_query_report report = {0};
    const tact_query_options options = {.backend = backend};
    const tact_result result = tact_dispatch(context, query, w, &options, &report);
    if (result != expected) fail_msg("%s: \"%s\"", tact_result_name(result), tact_context_error(context));
    return report;
}

static const char* why_of(tact_context* context, tact_backend backend)
{
    static tact_explanation e;
    assert_int_equal(tact_explain(context, &e), TACT_OK);
    for (uint32_t i = 0; i < e.count; ++i)
        if (e.candidates[i].backend == backend) return e.candidates[i].why;
    fail_msg("%s is no candidate", tact_backend_name(backend));
    return "";
}

TEST(what_a_device_lacks_another_may_have)
{
    tact_context* context = open_context();
    static const tact_result others[] = {TACT_ERROR_DEVICE_OUT_OF_MEMORY,
                                         TACT_ERROR_DEVICE_LOST,
                                         TACT_ERROR_DEVICE,
                                         TACT_ERROR_KERNEL_BUILD,
                                         TACT_ERROR_LIMIT,
                                         TACT_ERROR_UNSUPPORTED,
                                         TACT_ERROR_NO_DEVICE};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        work w = ordinary();
        memset(context->costs, 0, sizeof context->costs);  // with what was learned
        w.results[TACT_BACKEND_CPU] = others[i];
        const tact_query_report report = ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_OK);
        assert_true(report.backend == TACT_BACKEND_GL && report.failures == 1);
        assert_string_equal(why_of(context, TACT_BACKEND_GL), "those that were expected to take less failed");
        // One that is asked for, and fails, is another matter.
        const tact_query_report asked = ask(context, &working, &w, TACT_BACKEND_CPU, TACT_OK);
        assert_true(asked.backend != TACT_BACKEND_CPU && asked.failures == 1);
        assert_string_equal(why_of(context, asked.backend), "the selected backend failed");
    }
    work w = ordinary();
    w.results[TACT_BACKEND_CPU] = TACT_ERROR_INTERNAL;
    ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_ERROR_INTERNAL);
    assert_int_equal(w.asked[TACT_BACKEND_GL], 0);
    close_context(context);
}

TEST(a_trial_that_fails_is_no_reason)
{
    tact_context* context = open_context();
    for (uint32_t device = 0; device < 2; ++device)
        calibrate(context, device, "working/way");
    work w = ordinary();
    w.results[TACT_BACKEND_GL] = TACT_ERROR_DEVICE;
    tact_cost_entry* e = tact_cost_entry_of(&context->costs[1], "working/way");
    for (int i = 0; i < TACT_COST_SIZES; ++i)
        e->saved[i] = 1e6f;
    const tact_query_report report = ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_OK);
    assert_true(report.backend == TACT_BACKEND_CPU && report.failures == 1 && w.asked[TACT_BACKEND_GL] == 1);
    assert_string_equal(why_of(context, TACT_BACKEND_CPU), "it was expected to take the least time");
    close_context(context);
}

/// One whose arithmetic differs, or that is not able, is not tried.
TEST(only_the_able_and_exact_are_tried)
{
    tact_context* context = open_context();
    for (int way = 0; way < 3; ++way) {
        work w = ordinary();
        memset(context->costs, 0, sizeof context->costs);
        for (uint32_t device = 0; device < 2; ++device)
            calibrate(context, device, "working/way");
        tact_cost_entry* e = tact_cost_entry_of(&context->costs[1], "working/way");
        for (int i = 0; i < TACT_COST_SIZES; ++i)
            e->saved[i] = 1e6f;
        w.unable[TACT_BACKEND_GL] = way == 1;
        made_up[0].info.probe.exact = way != 2;
        made_up[0].info.probe.operations[1].worst_ulps = 4.0f;
        ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_OK);
        assert_int_equal(w.asked[TACT_BACKEND_GL], way == 0);
        assert_int_equal(w.asked[TACT_BACKEND_CPU], way != 0);
    }
    // The report has its tolerance.
    work w = ordinary();
    tact_query_report report = ask(context, &working, &w, TACT_BACKEND_GL, TACT_OK);
    assert_true(!report.exact && report.tolerance == 4.0 * 0x1p-23);
    made_up[0].info.probe.exact = true;
    report = ask(context, &working, &w, TACT_BACKEND_GL, TACT_OK);
    assert_true(report.exact && report.tolerance == 0.0);
    close_context(context);
}

/// What was not answered pays for no trial.
TEST(failures_save_nothing)
{
    tact_context* context = open_context();
    for (uint32_t device = 0; device < 2; ++device)
        calibrate(context, device, "working/way");
    work w = ordinary();
    const tact_cost_entry* e = tact_cost_find(&context->costs[1], "working/way");
    for (int failing = 1; failing >= 0; --failing) {
        float saved = 0.0f;
        w.results[TACT_BACKEND_CPU] = failing ? TACT_ERROR_DEVICE : TACT_OK;
        ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_OK);
        for (int i = 0; i < TACT_COST_SIZES; ++i)
            saved += e->saved[i];
        assert_int_equal(saved > 0.0f, !failing);
    }
    close_context(context);
}

TEST(reasons_tell_what_they_rest_on)
{
    tact_context* context = open_context();
    work w = ordinary();
    tact_query_report report = ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_OK);
    assert_string_equal(report.reason, "auto: expected cpu 5 ms, gl 8 ms, cl 9 ms (uncalibrated)");
    calibrate(context, 0, "working/way");
    context->costs[0].day = 20000;
    report = ask(context, &working, &w, TACT_BACKEND_AUTO, TACT_OK);
    assert_non_null(strstr(report.reason, "cpu 5 ms (calibrated 2024-10-04"));
    assert_non_null(strstr(report.reason, "gl 8 ms (uncalibrated), cl "));
    close_context(context);
}

TEST(names_that_are_too_long_are_not_learned_from)
{
    tact_context* context = open_context();
    work w = ordinary();
    ask(context, &nameless, &w, TACT_BACKEND_CPU, TACT_OK);
    assert_int_equal(context->costs[0].count, 0);
    w.late = true;
    ask(context, &nameless, &w, TACT_BACKEND_GL, TACT_OK);
    assert_string_equal(context->late.key, "");
    made_up[0].waited = made_up[0].given;
    ask(context, &working, &w, TACT_BACKEND_GL, TACT_OK);
    assert_string_equal(context->late.key, "working/way");
    // What arrives while a watch is set, or for a device that there is not, is not learned from.
    const tact_cost_late late = context->late;
    tact_cost_late nowhere = late;
    static const tact_cost_watch watch;
    nowhere.device = 3;
    tact_dispatch_arrived(context, &nowhere);
    tact_dispatch_watch(context, &watch);
    tact_dispatch_arrived(context, &late);
    tact_dispatch_watch(context, NULL);
    assert_null(tact_cost_find(&context->costs[1], "working/way"));
    tact_dispatch_arrived(context, &late);
    assert_int_equal(tact_cost_find(&context->costs[1], "working/way")->runs, 1);
    close_context(context);
}

TEST(queries_may_have_no_backend_and_no_check)
{
    static const tact_query_backend cl_only[] = {{TACT_BACKEND_CL, run_work, cost_of}};
    static const tact_query query = {"one", cl_only, 1, .compare = NULL};
    tact_context* context = open_context();
    work w = ordinary();
    ask(context, &query, &w, TACT_BACKEND_CL, TACT_OK);
    ask(context, &query, &w, TACT_BACKEND_GL, TACT_ERROR_NO_DEVICE);
    made_up[1].lost = true;
    ask(context, &query, &w, TACT_BACKEND_GL, TACT_ERROR_NO_DEVICE);
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    tact_query_report report;
    assert_int_equal(tact_dispatch(context, &working, &w, &shadow, &report), TACT_OK);
    assert_null(strstr(report.reason, "shadow"));
    close_context(context);
}

// ---- Measured before the first use ----

static int culled;

tact_result __real_tact_gpu_cull(tact_device* device, tact_gpu_culler** resident, const tact_cull_job* job,
                                 tact_gpu_cull_answer* answer, tact_query_report* report);
tact_result __wrap_tact_gpu_cull(tact_device* device, tact_gpu_culler** resident, const tact_cull_job* job,
                                 tact_gpu_cull_answer* answer, tact_query_report* report);

/// The made-up devices answer nothing.
tact_result __wrap_tact_gpu_cull(tact_device* device, tact_gpu_culler** resident, const tact_cull_job* job,
                                 tact_gpu_cull_answer* answer, tact_query_report* report)
{
    if (device != &made_up[0] && device != &made_up[1]) {
        return __real_tact_gpu_cull(device, resident, job, answer, report);
    }
    ++culled;
    answer->kept = 0;
    return TACT_OK;
}

static tact_result cull_one(tact_context* context)
{
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    const tact_cull_work job = {.kind = TACT_CULL_AABBS, .volumes = &box, .count = 1};
    uint32_t id;
    size_t kept;
    tact_culler* culler = new_culler(context);
    const tact_result result = call_cull_volumes(culler, &job, &id, 1, &kept, NULL, NULL, NULL);
    tact_culler_destroy(culler);
    return result;
}

/// Hardware of which nothing is known is measured, once; software, and what is known, is not; nor is any while
/// something else is being measured, or where it is not wanted.
TEST(unknown_hardware_is_measured_first)
{
    for (int way = 0; way < 8; ++way) {
        tact_context* context = open_context();
        culled = 0;
        if (way == 1) made_up[0].info.software = true;
        if (way == 2) context->uncalibrated = true;
        if (way == 3) context->calibrating = true;
        if (way == 4) context->lazily_done = ~0u;
        if (way == 5 || way == 6) calibrate(context, 0, "culling");
        if (way == 5) calibrate(context, 1, "culling");
        if (way == 7) made_up[0].lost = true;
        assert_int_equal(cull_one(context), TACT_OK);
        const tact_cost_entry* e = tact_cost_find(&context->costs[0], "culling");
        assert_int_equal(e && e->calibrated && e->samples > 0, way == 0 || way == 6);
        assert_int_equal(culled > 1, way == 0 || way == 6);
        close_context(context);
    }
}

/// Only the CPU and what cannot do it: there is nothing to choose.
TEST(what_has_no_choice_is_not_measured)
{
    tact_context* context = open_context();
    static const tact_query culling = {"culling", workers, 4, .compare = NULL};
    work w = ordinary();
    w.unable[TACT_BACKEND_CPU] = true;
    ask(context, &culling, &w, TACT_BACKEND_AUTO, TACT_OK);
    assert_int_equal(context->lazily_done, 0);
    assert_int_equal(w.asked[TACT_BACKEND_GL], 1);
    close_context(context);
    assert_false(tact_calibrate_first_use(context = open_context(), "casting rays", NULL, NULL, 0));
    close_context(context);
}

// ---- Calibration ----

TEST(lost_devices_are_passed_over)
{
    tact_context* context = open_with(&(tact_context_desc){.cache_directory = folder});
    made_up[0].lost = made_up[1].lost = true;
    const tact_calibrate_options briefly = {.seconds = 1e-4};
    assert_int_equal(tact_calibrate(context, &briefly), TACT_OK);
    assert_true(context->costs[0].count > 5 && context->costs[1].count == 0);
    // An error names the file of a device that cannot be kept or removed.
    char path[3][1200], inner[1300];
    for (uint32_t i = 0; i < 3; ++i) {
        char head[TACT_COST_HEAD_MAX];
        assert_true(tact_cost_store_head(tact_context_describe(context, i), head));
        assert_true(tact_cost_store_path(context->cache_directory, head, path[i], sizeof path[i]));
        FILE* file = fopen(path[i], "rb");
        assert_non_null(file);
        fclose(file);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        remove(path[i]);
        assert_int_equal(mkdir(path[i], 0700), 0);
        snprintf(inner, sizeof inner, "%.1199s/inner", path[i]);
        assert_int_equal(mkdir(inner, 0700), 0);
        assert_int_equal(tact_calibrate(context, &briefly), TACT_INCOMPLETE);
        assert_int_equal(tact_calibration_forget(context), TACT_INCOMPLETE);
        assert_int_equal(rmdir(inner), 0);
        assert_int_equal(rmdir(path[i]), 0);
    }
    assert_int_equal(tact_calibrate(context, &briefly), TACT_OK);
    assert_int_equal(tact_calibration_forget(context), TACT_OK);
    assert_int_equal(tact_calibration_forget(context), TACT_OK);
    char where[sizeof context->cache_directory];
    memcpy(where, context->cache_directory, sizeof where);
    close_context(context);
    rmdir(where);
    context = open_context();
    made_up[0].lost = made_up[1].lost = true;
    assert_int_equal(tact_calibrate(context, &briefly), TACT_INCOMPLETE);  // there is no place for files
    close_context(context);
}

/// Every sample's allocations, each failed once.
TEST(samples_may_find_no_memory)
{
    counting_allocator counter = {.once = true};
    tact_context* context =
        open_with(&(tact_context_desc){.allocator = counting_hooks(&counter), .disable_cache = true});
    context->device_count = 1;
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    size_t failures = 0;
    asked_call call;
    for (size_t kind = 0; asked_at(kind, &call); ++kind) {
        const tact_query* query = call.query;
        const tact_query_sample* of = call.of;
        for (size_t n = 1; !asked_is_drawn(&call); ++n) {
            tact_sample* sample = NULL;
            const size_t live = counter.live;
            counter.requests = 0;
            counter.failed = false;
            counter.fail_at = n;
            tact_result result = tact_sample_create(context, query, of, of->smallest, 1, &sample);
            if (result == TACT_OK) result = tact_sample_ask(sample, &cpu, NULL);
            counter.fail_at = 0;
            tact_sample_destroy(sample);
            // Some memory can be done without.
            if (result != TACT_OK && (result != TACT_ERROR_OUT_OF_MEMORY || !counter.failed)) {
                fail_msg("%s: allocation %zu: %s", query->name, n, tact_result_name(result));
            }
            // Scratch memory of threads may stay.
            assert_true(counter.live <= live + 8);
            if (!counter.failed) break;
            failures += result != TACT_OK;
            assert_true(n < 500);
        }
    }
    assert_true(failures > 100);
    close_context(context);
    assert_int_equal(counter.live, 0);
}

static bool go_on(double done, void* user)
{
    double* least = user;
    return done < *least;
}

static bool take_point(const tact_regret_point* p, void* user)
{
    size_t* left = user;
    return (*left)-- > 1;
}

/// With the N-th allocation failing. Whether that was noticed, or there are not as many.
static bool measure_without(tact_context* context, counting_allocator* counter, size_t n, bool regret)
{
    static double all = 2.0;
    size_t many = 1000;
    tact_calibrate_options briefly = {.seconds = 1e-4, .temporary = true, .progress = go_on, .progress_user = &all};
    counter->requests = 0;
    counter->failed = false;
    counter->fail_at = n;
    const tact_result result =
        regret ? tact_measure_regret(context, &briefly, take_point, &many) : tact_calibrate(context, &briefly);
    counter->fail_at = 0;
    assert_true(result == TACT_OK || (result == TACT_ERROR_OUT_OF_MEMORY && counter->failed));
    assert_true(!context->calibrating && !tact_dispatch_watched(context) && context->objects == 0);
    return result != TACT_OK || !counter->failed;
}

TEST(measuring_may_find_no_memory)
{
    counting_allocator counter = {.once = true};
    tact_context* context =
        open_with(&(tact_context_desc){.allocator = counting_hooks(&counter), .disable_cache = true});
    double some = 0.1;
    size_t many = 1000, few = 2, noticed = 0;
    for (int way = 0; way < 3; ++way) {
        context->device_count = way == 1 ? 3 : 1;
        made_up[0].lost = made_up[1].lost = true;
        for (size_t n = 1; n < 1000; n += n < 40 ? 3 : n / 3)
            noticed += measure_without(context, &counter, n, way == 2);
    }
    assert_true(noticed > 40);
    context->device_count = 1;
    tact_calibrate_options briefly = {.seconds = 1e-4, .progress = go_on};
    briefly.progress_user = &some;
    assert_int_equal(tact_measure_regret(context, &briefly, take_point, &many), TACT_ERROR_CANCELLED);
    assert_int_equal(tact_measure_regret(context, &briefly, take_point, &few), TACT_ERROR_CANCELLED);
    const double wrong[] = {-1.0, (double)NAN, 1e9};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        briefly.seconds = wrong[i];
        assert_int_equal(tact_measure_regret(context, &briefly, take_point, &many), TACT_ERROR_INVALID_ARGUMENT);
    }
    close_context(context);
    assert_int_equal(counter.live, 0);
}

// ---- Numbers ----

TEST(numbers_out_of_range_teach_nothing)
{
    char key[TACT_COST_KEY];
    static tact_cost_table table;
    assert_false(tact_cost_key("", NULL, key));
    assert_true(tact_cost_key("", "way", key));
    assert_false(tact_cost_key(nameless.name, NULL, key));
    assert_null(tact_cost_entry_of(&table, nameless.name));
    tact_cost_entry* e = tact_cost_entry_of(&table, "key");
    const double infinite = HUGE_VAL;
    tact_cost_learn(e, infinite, 1.0);
    tact_cost_learn(e, 1.0, infinite);
    tact_cost_learn(e, 1.0, (double)NAN);
    assert_int_equal(e->runs, 0);
    const tact_cost_entry before = *e;
    tact_cost_save(e, 1.0, infinite);
    tact_cost_save(e, 1.0, -1.0);
    assert_memory_equal(e, &before, sizeof before);
    tact_cost_save(e, 1e30, 1.0);
    assert_true(e->saved[TACT_COST_SIZES - 1] > 0.0f);
    // Calls of which nothing is expected, calibrated or not.
    const tact_cost nothing = tact_cost_of(NULL, 0.0, 0.0, 0.0, 0.0), some = tact_cost_of(NULL, 1.0, 0.0, 0.0, 0.0);
    assert_true(tact_cost_expect(e, &nothing).total == 0.0);
    e->calibrated = true;
    assert_true(tact_cost_expect(e, &nothing).total == 0.0);
    assert_true(tact_cost_expect(e, &some).total == 0.0);
    double coefficients[TACT_COST_TERMS] = {1, 1, 1, 1, 1};
    assert_true(tact_cost_plausible(coefficients));
    coefficients[2] = -1.0;
    assert_false(tact_cost_plausible(coefficients));
    char text[64] = "";
    tact_explain_add_ms(text, sizeof text, 0.0);
    const size_t zero = strlen(text);
    tact_explain_add_ms(text, sizeof text, 12345.0);
    assert_true(strlen(text) > zero);
    static const int64_t days[] = {-1, 2932897, 0};
    for (size_t i = 0; i < 3; ++i) {
        char day[16];
        tact_explain_day(days[i], day);
        assert_string_equal(day, "1970-01-01");
    }
    // Samples that repeat among others are one row.
    tact_cost_sample samples[6];
    double fitted[TACT_COST_TERMS], error;
    for (int i = 0; i < 6; ++i) {
        samples[i] = (tact_cost_sample){.terms = {i % 2 ? 2.0 : 1.0}, .ms = i % 2 ? 4.0 : 2.0};
    }
    assert_true(tact_cost_fit(samples, 6, fitted, &error));
    assert_true(fabs(fitted[0] - 2.0) < 1e-3);
}

TEST(heads_are_lines)
{
    tact_device_info info = {.backend = TACT_BACKEND_GL, .name = "a\nb\tc\x7f\x80", .driver = "d"};
    char head[TACT_COST_HEAD_MAX];
    assert_true(tact_cost_store_head(&info, head));
    assert_non_null(strstr(head, "device a\nb c\x7f\x80\n"));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
