// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "base/platform.h"
#include "core/dispatch/cost_store.h"
#include "core/queries.h"
#include "core/query/sample.h"
#include "tests/support/objects.h"
#include "tools/calibrate/calibrate.h"

// Calibration of real queries: on the CPU alone, and at first use on what devices there are.

static const char folder[] = "test_calibrate.tmp";  // in the folder that tests run in

static tact_context* open_context(bool devices)
{
    const tact_device_source source = devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE;
    const tact_context_desc desc = {.gl = source, .cl = source, .threads = 2, .cache_directory = folder};
    return new_context(&desc);
}

/// One cast of a few rays.
static void cast(tact_context* context, tact_query_report* report)
{
    tact_sample* sample = NULL;
    assert_int_equal(tact_sample_create(context, &tact_query_raycast, tact_query_raycast.samples, 64, 1, &sample),
                     TACT_OK);
    assert_int_equal(tact_sample_ask(sample, NULL, report), TACT_OK);
    tact_sample_destroy(sample);
}

TEST(every_query_is_calibrated_and_kept)
{
    tact_context* context = KEEP(open_context(false));
    tact_calibrate_options options = {.seconds = 0.3};
    tact_query_report report;
    cast(context, &report);
    assert_non_null(strstr(report.reason, "(uncalibrated)"));
    assert_int_equal(tact_calibrate(context, &options), TACT_OK);
    assert_true(context->objects == 0 && !context->calibrating && !tact_dispatch_watched(context));
    bool found[64] = {false};
    const tact_query* query = NULL;
    const tact_query_sample* of;
    assert_true(tact_query_sample_count() <= sizeof found);
    tact_calibration_entry e;
    for (uint32_t i = 0; tact_calibration_get(context, i, &e) == TACT_OK; ++i) {
        if (!e.calibrated) continue;
        assert_true(e.backend == TACT_BACKEND_CPU && e.samples >= 2 && e.calibrated_on > 20000);
        assert_true(e.fixed >= 0 && e.work >= 0 && e.upload >= 0 && e.fixed + e.work > 0 && isfinite(e.error));
        for (size_t k = 0; (of = tact_query_sample_of(k, &query)) != NULL; ++k) {
            char key[TACT_COST_KEY];
            assert_true(tact_cost_key(query->name, of->method, key));
            found[k] = found[k] || strcmp(key, e.query) == 0;
        }
    }
    // Ways of a device alone are not the CPU's.
    for (size_t k = 0; (of = tact_query_sample_of(k, &query)) != NULL; ++k)
        if (!found[k] && !(of->method && (strstr(of->method, " drawn") || strcmp(of->method, "images") == 0)))
            fail_msg("%s %s is not calibrated", query->name, of->method ? of->method : "");
    cast(context, &report);
    assert_non_null(strstr(report.reason, "(calibrated 20"));
    // Another context finds it.
    tact_context* other = KEEP(open_context(false));
    cast(other, &report);
    assert_non_null(strstr(report.reason, "(calibrated 20"));
    // Until it is forgotten.
    assert_int_equal(tact_calibration_forget(other), TACT_OK);
    cast(other, &report);
    assert_non_null(strstr(report.reason, "(uncalibrated)"));
    tact_context* third = open_context(false);
    cast(third, &report);
    assert_non_null(strstr(report.reason, "(uncalibrated)"));
    // One that is not to be kept is not.
    options.seconds = 0.05;
    options.temporary = true;
    assert_int_equal(tact_calibrate(third, &options), TACT_OK);
    assert_int_equal(tact_calibration_get(third, 0, &e), TACT_OK);
    tact_context_destroy(third);
    third = open_context(false);
    assert_int_equal(tact_calibration_get(third, 0, &e), TACT_ERROR_INVALID_ARGUMENT);
    tact_context_destroy(third);
}

static bool stop(double fraction, void* user)
{
    *(double*)user = fraction;
    return fraction < 0.1;
}

TEST(it_can_be_cancelled_and_refuses_nonsense)
{
    tact_context* context = KEEP(open_context(false));
    double last = 0.0;
    tact_calibrate_options options = {.seconds = 0.1, .progress = stop, .progress_user = &last};
    assert_int_equal(tact_calibrate(context, &options), TACT_ERROR_CANCELLED);
    assert_true(last >= 0.1 && last < 0.3);
    assert_true(!context->calibrating && context->objects == 0);
    const double wrong[] = {-1.0, (double)NAN, HUGE_VAL, 1e9};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        options = (tact_calibrate_options){.seconds = wrong[i]};
        assert_int_equal(tact_calibrate(context, &options), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_measure_regret(context, &options, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(tact_calibrate(NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_calibration_forget(NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_calibration_get(context, 0, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(first_use_measures_once)
{
    tact_context* context = open_context(true);
    const uint32_t last = tact_context_device_count(context) - 1;
    const uint32_t devices[2] = {0, last};
    const bool no_gl = device_missing(context, TACT_BACKEND_GL), no_cl = device_missing(context, TACT_BACKEND_CL);
    if (no_gl && no_cl) {
        tact_context_destroy(context);
        skip_because("the devices are missing");
    }
    // The hardware that would set it off need not be here, but what it sets off runs on any device.
    assert_true(tact_calibrate_first_use(context, "culling", NULL, devices, 2));
    assert_false(tact_calibrate_first_use(context, "culling", NULL, devices, 2));
    assert_false(tact_calibrate_first_use(context, "culling", "no such method", devices, 2));
    assert_false(tact_calibrate_first_use(context, "no such query", NULL, devices, 2));
    assert_true(context->objects == 0 && !context->calibrating && !tact_dispatch_watched(context));
    for (int i = 0; i < 2; ++i) {
        const tact_cost_entry* e = tact_cost_find(&context->costs[devices[i]], "culling");
        assert_true(e && e->calibrated && e->samples >= 2);
    }
    // Data that has to go to a device costs something there.
    const tact_cost_entry* e = tact_cost_find(&context->costs[last], "culling");
    assert_true(e->coefficients[TACT_COST_UPLOAD] + e->coefficients[TACT_COST_WORK] > 0.0);
    tact_context_destroy(context);
}

/// What fails on one device alone is left uncalibrated there, with a warning; the others are measured and kept.
TEST(first_use_goes_on_after_a_failing_device)
{
    tact_context* context = open_context(true);
    const uint32_t last = tact_context_device_count(context) - 1;
    const bool no_gl = device_missing(context, TACT_BACKEND_GL), no_cl = device_missing(context, TACT_BACKEND_CL);
    if (no_gl && no_cl) {
        tact_context_destroy(context);
        skip_because("the devices are missing");
    }
    assert_int_equal(tact_calibration_forget(context), TACT_OK);
#ifdef TACT_HAVE_GPU
    tact_device_fail_launch(context->devices[last], 1);
#endif
    const uint32_t devices[2] = {last, 0};
    assert_true(tact_calibrate_first_use(context, "culling", NULL, devices, 2));
    assert_string_equal(tact_context_error(context), "");
    assert_null(tact_cost_find(&context->costs[last], "culling"));
    const tact_cost_entry* e = tact_cost_find(&context->costs[0], "culling");
    assert_true(e && e->calibrated && e->samples >= 2);
    tact_context_destroy(context);
    context = open_context(false);
    tact_cost_store_load(context);
    assert_non_null(tact_cost_find(&context->costs[0], "culling"));
    assert_int_equal(tact_calibration_forget(context), TACT_OK);
    tact_context_destroy(context);
}

typedef struct regrets {
    uint32_t points, wrong;
} regrets;

static bool take_point(const tact_regret_point* p, void* user)
{
    regrets* r = user;
    ++r->points;
    // There is only the CPU to choose.
    r->wrong += p->chosen != TACT_BACKEND_CPU || p->best != TACT_BACKEND_CPU || p->choice != 1.0 || !p->query[0] ||
                !(p->ms[TACT_BACKEND_CPU] > 0.0) || !(p->ms[TACT_BACKEND_AUTO] > 0.0) ||
                !(p->low > 0.0 && p->low <= p->regret && p->regret <= p->high && p->high < 1e6) || p->rounds < 5 ||
                p->rounds > 41;
    return r->points < 12;
}

TEST(names_of_regret_fit)
{
    tact_regret_point p;
    const tact_query* query = NULL;
    const tact_query_sample* of;
    for (size_t k = 0; (of = tact_query_sample_of(k, &query)) != NULL; ++k) {
        assert_true(strlen(of->items) < sizeof p.items);
        assert_true(strlen(query->name) + 1 + (of->method ? strlen(of->method) : 0) < sizeof p.query);
    }
}

TEST(regret_is_measured)
{
    tact_context* context = KEEP(open_context(false));
    const tact_calibrate_options options = {.seconds = 0.2};
    regrets r = {0};
    assert_int_equal(tact_measure_regret(context, &options, take_point, &r), TACT_ERROR_CANCELLED);
    assert_true(r.points == 12 && r.wrong == 0);
    assert_true(context->objects == 0 && !tact_dispatch_watched(context));
}

static int forget_all(void** state)
{
    // With the numbers of threads that were used, which are in the files' names.
    for (int threads = 1; threads <= 2; ++threads) {
        tact_context* context = NULL;
        const tact_context_desc desc = {.threads = threads, .cache_directory = folder};
        if (tact_context_create(&desc, &context) != TACT_OK) return -1;
        if (tact_calibration_forget(context) != TACT_OK) return -1;
        tact_context_destroy(context);
    }
    return 0;
}

#if !defined(_WIN32)

static void* use_the_store(void* user)
{
    int* good = user;
    for (int round = 0; round < 20; ++round) {
        tact_context* context = NULL;
        const tact_context_desc desc = {
            .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1, .cache_directory = folder};
        if (tact_context_create(&desc, &context) != TACT_OK) return NULL;
        tact_cost_store_load(context);
        // Whole or not there, and one of those that are written here.
        for (uint32_t i = 0; i < context->costs[0].count; ++i) {
            const tact_cost_entry* e = &context->costs[0].entries[i];
            for (int k = 1; k < TACT_COST_TERMS; ++k)
                if (e->coefficients[k] != e->coefficients[0]) return NULL;
        }
        for (int n = 0; n < 30; ++n) {
            char key[TACT_COST_KEY];
            snprintf(key, sizeof key, "made up %d", n);
            tact_cost_entry* e = tact_cost_entry_of(&context->costs[0], key);
            if (!e) return NULL;
            e->calibrated = true;
            for (int k = 0; k < TACT_COST_TERMS; ++k)
                e->coefficients[k] = round + 1;
        }
        if (!tact_cost_store_save(context, 0)) return NULL;
        tact_context_destroy(context);
    }
    *good = 1;
    return NULL;
}

#endif

TEST(contexts_in_threads_share_the_store)
{
#if !defined(_WIN32)
    enum { THREADS = 3 };
    assert_int_equal(forget_all(NULL), 0);  // so that only what they write is there
    pthread_t threads[THREADS];
    int good[THREADS] = {0};
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, use_the_store, &good[i]), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_true(good[i]);
#endif
}

static int make_folder(void** state)
{
    char path[1024];
    return tact_platform_cache_directory(folder, path, sizeof path, NULL) ? 0 : -1;
}

#include TEST_LIST
RUN_ALL(make_folder, forget_all)
