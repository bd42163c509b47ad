// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tools/calibrate/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/platform.h"
#include "core/context/devices.h"
#include "core/dispatch/cost_store.h"
#include "core/queries.h"
#include "core/query/sample.h"

static const double USUAL_SECONDS = 20.0;

enum {
    WARM_ASKS = 4,
    WARM_LEAST = 3,  ///< of which one may be interrupted, or try another way
    LEAST_SIZES = 2,
    FIRST_USE_SIZES = 3
};

/// How far the fewest calls of a size may take it beyond its time.
static const double PATIENCE = 3.0;

/// What is measured: sample work number `index`.
typedef struct work {
    size_t index;
    const tact_query* query;
    const tact_query_sample* sample;
} work;

static bool find_work(size_t index, work* w)
{
    w->index = index;
    w->sample = tact_query_sample_of(index, &w->query);
    return w->sample != NULL;
}

/// Samples of one query on one device.
typedef struct recorder {
    const work* work;
    tact_backend backend;
    bool on, seen;  ///< recorded, or at least answered by the method
    size_t count;
    tact_cost_sample samples[TACT_COST_SAMPLES];
} recorder;

static void record(void* user, const tact_cost_answer* answer)
{
    recorder* r = user;
    if (answer->backend != r->backend || r->count == TACT_COST_SAMPLES) return;
    if (answer->query != r->work->query || !tact_cost_same_method(answer->cost->method, r->work->sample->method))
        return;
    r->seen = true;
    if (!r->on) return;
    tact_cost_sample* s = &r->samples[r->count++];
    memcpy(s->terms, answer->cost->terms, sizeof s->terms);
    s->ms = answer->ms;
}

/// Asks for one size, cold and then warm, for `budget` ms.
static tact_result measure_size(tact_context* context, size_t size, recorder* r, double budget)
{
    tact_sample* sample = NULL;
    const tact_query_options options = {.backend = r->backend, .no_fallback = true};
    const size_t first = r->count;
    const double begun = tact_dispatch_clock(context);
    tact_result result = tact_sample_create(context, r->work->query, r->work->sample, size, 1, &sample);
    for (int i = 0; i <= WARM_ASKS && result == TACT_OK; ++i) {
        const double taken = tact_dispatch_clock(context) - begun;
        if (i > 1 && taken > budget * (i > WARM_LEAST ? 1.0 : PATIENCE)) break;
        result = tact_sample_ask(sample, &options, NULL);
    }
    tact_sample_destroy(sample);
    r->count = first + tact_cost_leave_out_first(r->samples + first, r->count - first);
    return result;
}

/// Measures one query on one device for `budget` ms, and fits. `least`: sizes that are measured in any case.
static tact_result measure(tact_context* context, const work* w, uint32_t device, double budget, int least)
{
    recorder r = {.work = w, .backend = tact_context_describe(context, device)->backend};
    const tact_cost_watch watch = {record, &r, w->sample->method};
    const tact_cost_watch* before = tact_dispatch_watch(context, &watch);
    TACT_ASSERT(budget >= 0.0 && w->sample->smallest >= 1 && w->sample->smallest <= w->sample->largest);
    const size_t smallest = w->sample->smallest, step = least > LEAST_SIZES ? 16 : 4;
    // Kernels are built and threads started first, which is not counted.
    tact_result result = measure_size(context, smallest, &r, 0.0);
    const double deadline = tact_dispatch_clock(context) + budget;
    r.on = true;
    // What is a way of another device alone is not measured here.
    if (!r.seen && result != TACT_ERROR_OUT_OF_MEMORY) {
        tact_dispatch_watch(context, before);
        tact_error_clear(&context->env);
        return result == TACT_ERROR_UNSUPPORTED ? TACT_OK : result;
    }
    double last = 0.0;
    int sizes = 0;
    for (size_t size = smallest; size <= w->sample->largest && result == TACT_OK; size *= step, ++sizes) {
        const double now = tact_dispatch_clock(context);
        if (sizes >= least && now + last * (double)step > deadline) break;
        result = measure_size(context, size, &r, 0.25 * fmax(deadline - now, 0.0));
        last = tact_dispatch_clock(context) - now;
    }
    tact_dispatch_watch(context, before);
    char key[TACT_COST_KEY];
    tact_cost_entry fitted = {.calibrated = true};
    if (result != TACT_OK) return result;
    tact_cost_key(w->query->name, w->sample->method, key);  // those of the samples are short enough
    if (!tact_cost_fit(r.samples, r.count, fitted.coefficients, &fitted.error)) return TACT_OK;
    if (!tact_cost_plausible(fitted.coefficients)) {
        tact_log(&context->env, TACT_LOG_WARNING, "calibrate", "%s on %s: what was measured fits no machine: left out",
                 key, tact_backend_name(r.backend));
        return TACT_OK;
    }
    tact_cost_bend_to(r.samples, r.count, &fitted);
    memcpy(fitted.key, key, sizeof key);
    fitted.samples = (uint32_t)r.count;
    const time_t now = time(NULL);
    tact_mutex_lock(&context->shared);
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[device], key);
    if (entry) {
        *entry = fitted;  // what was learned corrected another expectation
        ++context->costs_changed;
        context->costs[device].day = now > 0 ? (int64_t)now / 86400 : 0;
    }
    tact_mutex_unlock(&context->shared);
    return TACT_OK;
}

/// Whether a failure is this device's alone.
static bool passes(tact_context* context, tact_result result, const work* w, uint32_t device)
{
    if (result == TACT_OK) return true;
    if (result == TACT_ERROR_OUT_OF_MEMORY) return false;
    tact_log(&context->env, TACT_LOG_WARNING, "calibrate", "%s on %s is left uncalibrated: %s", w->query->name,
             tact_backend_name(tact_context_describe(context, device)->backend), tact_last_error());
    tact_error_clear(&context->env);
    return true;
}

static tact_result keep(tact_context* context)
{
    bool kept = true;
    tact_mutex_lock(&context->shared);
    for (uint32_t i = 0; i < context->device_count; ++i)
        kept = tact_cost_store_save(context, i) && kept;
    tact_mutex_unlock(&context->shared);
    return kept ? TACT_OK : TACT_INCOMPLETE;
}

tact_result tact_calibrate(tact_context* context, const tact_calibrate_options* given)
{
    const tact_calibrate_options o = given ? *given : (tact_calibrate_options){0};
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!(o.seconds >= 0.0 && o.seconds <= 86400.0)) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "calibrating for %g seconds", o.seconds);
    }
    tact_context_open_all(context);
    context->calibrating = true;
    tact_mutex_lock(&context->shared);
    tact_cost_store_load(context);
    tact_mutex_unlock(&context->shared);
    const double seconds = o.seconds > 0.0 ? o.seconds : USUAL_SECONDS;
    const double end = tact_platform_milliseconds() + 1e3 * seconds;
    const size_t slots = tact_query_sample_count() * context->device_count;
    size_t slot = 0;
    tact_result result = TACT_OK;
    work w;
    for (size_t i = 0; result == TACT_OK && find_work(i, &w); ++i) {
        for (uint32_t device = 0; device < context->device_count && result == TACT_OK; ++device, ++slot) {
            const double left = end - tact_platform_milliseconds();
            const double budget = left > 0.0 ? left / (double)(slots - slot) : 0.0;
            if (!tact_context_lost(context, device) && !w.sample->regret_only) {
                result = measure(context, &w, device, budget, LEAST_SIZES);
                if (passes(context, result, &w, device)) result = TACT_OK;
            }
            const double done = (double)(slot + 1) / (double)slots;
            if (result == TACT_OK && o.progress && !o.progress(done, o.progress_user)) {
                result = tact_fail(&context->env, TACT_ERROR_CANCELLED, "calibration was cancelled");
            }
        }
    }
    context->calibrating = false;
    return result == TACT_OK && !o.temporary ? keep(context) : result;
}

bool tact_calibrate_first_use(tact_context* context, const char* query, const char* method, const uint32_t* devices,
                              size_t count)
{
    work w;
    size_t index = 0;
    while (find_work(index, &w) &&
           (strcmp(w.query->name, query) != 0 || !tact_cost_same_method(w.sample->method, method)))
        ++index;
    if (!w.sample) return false;
    TACT_ASSERT(index < 8 * sizeof context->lazily_done);
    // One thread measures at a time: others choose meanwhile by what there is.
    tact_mutex_lock(&context->shared);
    const bool begun = context->calibrating || (context->lazily_done >> index & 1u);
    if (!begun) {
        context->lazily_done |= UINT64_C(1) << index;
        context->calibrating = true;
    }
    tact_mutex_unlock(&context->shared);
    if (begun) return false;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        result = measure(context, &w, devices[i], TACT_CALIBRATE_FIRST_USE_MS / (double)count, FIRST_USE_SIZES);
        if (passes(context, result, &w, devices[i])) result = TACT_OK;
    }
    context->calibrating = false;
    tact_error_clear(&context->env);
    if (result == TACT_OK) keep(context);
    return true;
}

tact_result tact_calibration_forget(tact_context* context)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    bool gone = true;
    tact_context_open_all(context);
    tact_mutex_lock(&context->shared);
    ++context->costs_changed;
    for (uint32_t i = 0; i < context->device_count; ++i) {
        context->costs[i] = (tact_cost_table){0};
        gone = tact_cost_store_forget(context, i) && gone;
    }
    tact_mutex_unlock(&context->shared);
    return gone ? TACT_OK : TACT_INCOMPLETE;
}

/// Fills in entry `index`, counted over all devices. Returns false when there is none, with the index beyond the last.
static bool get_entry(const tact_context* context, uint32_t* index_left, tact_calibration_entry* out)
{
    uint32_t index = *index_left;
    for (uint32_t d = 0; d < context->device_count; ++d) {
        const tact_cost_table* table = &context->costs[d];
        if (index >= table->count) {
            index -= table->count;
            continue;
        }
        const tact_cost_entry* e = &table->entries[index];
        double c[TACT_COST_TERMS];
        for (int k = 0; k < TACT_COST_TERMS; ++k)
            c[k] = e->calibrated ? e->coefficients[k] : 1.0;
        *out = (tact_calibration_entry){.backend = tact_context_describe(context, d)->backend,
                                        .calibrated = e->calibrated,
                                        .calibrated_on = e->calibrated ? table->day : 0,
                                        .samples = e->samples,
                                        .error = e->error,
                                        .fixed = c[TACT_COST_FIXED],
                                        .prepare = c[TACT_COST_PREPARE],
                                        .work = c[TACT_COST_WORK],
                                        .upload = c[TACT_COST_UPLOAD],
                                        .download = c[TACT_COST_DOWNLOAD],
                                        .runs = e->runs};
        snprintf(out->query, sizeof out->query, "%s", e->key);
        return true;
    }
    *index_left = index;
    return false;
}

tact_result tact_calibration_get(tact_context* context, uint32_t index, tact_calibration_entry* out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "entry");
    tact_context_open_all(context);
    tact_mutex_lock(&context->shared);
    tact_cost_store_load(context);
    const bool there = get_entry(context, &index, out);
    tact_mutex_unlock(&context->shared);
    if (there) return TACT_OK;
    return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no entry: the index is %u beyond the last",
                     (unsigned)index + 1);
}
