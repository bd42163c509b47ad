// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/dispatch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/dispatch/cost_store.h"
#include "core/dispatch/explain.h"

typedef struct candidate {
    const tact_query_backend* backend;
    uint32_t device;
    tact_cost cost;
    tact_cost_expectation expected;
    tact_cost_entry* known;  ///< NULL: nothing
    double margin;           ///< by which a software device must be expected to take less
    double order;            ///< least first
    bool trial;              ///< asked though another is expected to take less
} candidate;

enum { MAX_CANDIDATES = TACT_BACKEND_COUNT };

/// Failures that another backend need not share.
static bool is_device_failure(tact_result result)
{
    return result == TACT_ERROR_DEVICE_OUT_OF_MEMORY || result == TACT_ERROR_DEVICE_LOST ||
           result == TACT_ERROR_DEVICE || result == TACT_ERROR_KERNEL_BUILD || result == TACT_ERROR_LIMIT ||
           result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE;
}

static tact_cost_entry* known(tact_context* context, const tact_query* query, const candidate* c)
{
    char key[TACT_COST_KEY];
    if (!tact_cost_key(query->name, c->cost.method, key)) return NULL;
    tact_cost_table* table = &context->costs[c->device];
    // Made only where there is something to know.
    return tact_cost_find(table, key) ? tact_cost_entry_of(table, key) : NULL;
}

/// After all that are able.
static const double LAST = 1e300;

/// By how much less a software device must be expected to take than the CPU, whose cores it shares: what was measured
/// while others used these can make either look the slower one.
static const double SOFTWARE_MARGIN = 1.5;

/// Those that can run here, cheapest first; the forced one before all.
static size_t gather(tact_context* context, const tact_query* query, const void* arguments, tact_backend forced,
                     candidate* list)
{
    size_t count = 0;
    for (size_t i = 0; i < query->backend_count; ++i) {
        const tact_query_backend* backend = &query->backends[i];
        const bool wanted = backend->backend == forced;
        if (backend->backend == TACT_BACKEND_REFERENCE && !wanted) continue;
        const int device = tact_context_find(context, backend->backend);
        if (device < 0) continue;
        const tact_device_info* info = tact_context_describe(context, (uint32_t)device);
        if (info->lost && !wanted) continue;
        candidate c = {.backend = backend, .device = (uint32_t)device};
        TACT_ASSERT(count < MAX_CANDIDATES && c.device < context->device_count);
        if (backend->cost) {
            c.cost = backend->cost(info, c.device, arguments);
            c.known = known(context, query, &c);
            c.expected = tact_cost_expect(c.known, &c.cost);
        }
        c.margin = info->software && backend->backend != TACT_BACKEND_CPU ? SOFTWARE_MARGIN : 1.0;
        c.order = wanted ? -1.0 : c.cost.unable ? LAST : c.expected.total * c.margin;
        size_t place = count++;
        for (; place > 0 && list[place - 1].order > c.order; --place)
            list[place] = list[place - 1];
        list[place] = c;
    }
    return count;
}

/// Measures the query where `auto` is to choose between the CPU and hardware of which nothing is known. A device that
/// is software shares the CPU's cores, and need not be measured to be known as slower. Whether that changed anything.
static bool measure_first(tact_context* context, const tact_query* query, const candidate* list, size_t count)
{
    uint32_t devices[MAX_CANDIDATES];
    size_t hardware = 0, unknown = 0, measured = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool cpu = list[i].backend->backend == TACT_BACKEND_CPU;
        if (list[i].cost.unable || (!cpu && tact_context_describe(context, list[i].device)->software)) continue;
        hardware += !cpu;
        unknown += !list[i].expected.calibrated;
        devices[measured++] = list[i].device;
        TACT_ASSERT(measured <= MAX_CANDIDATES);
    }
    if (hardware == 0 || measured < 2 || unknown == 0) return false;
    return context->first_use && context->first_use(context, query->name, list[0].cost.method, devices, measured);
}

/// What of a trial counts as its cost: by how much the device is dearer than the best, `order`. A tie is tried no more
/// often than what costs a tenth more.
static double trial_cost(const candidate* c, double order)
{
    return fmax(c->order - order, 0.1 * order);
}

/// Whether a device is one to try though another is expected to take less: something was measured of it, it could be
/// the quicker one as far as learning goes, and nobody can tell by the result.
static bool may_be_tried(const tact_context* context, const candidate* c, double order)
{
    return c->known && (c->known->calibrated || c->known->runs > 0) && !c->cost.unable && !c->cost.lasting &&
           c->order <= TACT_COST_FACTOR_MAX * order && tact_context_describe(context, c->device)->probe.exact;
}

/// Puts a device of which a trial is due before the others. Whether there was one.
static bool take_trial(const tact_context* context, candidate* list, size_t count)
{
    TACT_ASSERT(count >= 2);
    const double order = list[0].order;
    for (size_t i = 1; i < count; ++i) {
        if (!may_be_tried(context, &list[i], order)) continue;
        if (!tact_cost_trial_due(list[i].known, list[i].expected.base, trial_cost(&list[i], order))) continue;
        const candidate tried = list[i];
        memmove(list + 1, list, i * sizeof *list);
        list[0] = tried;
        list[0].trial = true;
        return true;
    }
    return false;
}

/// What an answer, or a failure, of the one that was asked first means for trials. `list[0]` is who that was.
static void account(const tact_context* context, const candidate* list, size_t count, bool answered, double ms)
{
    TACT_ASSERT(count >= 2);
    if (list[0].trial) {
        tact_cost_tried(list[0].known, list[0].expected.base,
                        answered ? ms * list[0].margin - list[1].order : fmax(ms, 0.0));
        return;
    }
    for (size_t i = 1; i < count && answered; ++i)
        if (may_be_tried(context, &list[i], list[0].order)) {
            tact_cost_save(list[i].known, list[i].expected.base, ms);
        }
}

/// Writes down what is known before anyone is asked.
static void explain_candidates(const tact_context* context, const tact_query* query, tact_backend asked,
                               const candidate* list, size_t count, tact_explanation* explanation)
{
    *explanation = (tact_explanation){.asked = asked};
    tact_explain_add(explanation->query, sizeof explanation->query, query->name);
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_REFERENCE; ++b) {
        const tact_backend backend = (tact_backend)b;
        if (backend == TACT_BACKEND_REFERENCE && asked != TACT_BACKEND_REFERENCE) continue;
        tact_candidate* c = tact_explain_candidate(explanation, backend);
        if (!c) break;
        const int device = tact_context_find(context, backend);
        if (device < 0) {
            c->fate = TACT_CANDIDATE_MISSING;
            tact_explain_add(c->why, sizeof c->why, context->missing[backend]);
            continue;
        }
        const tact_device_info* info = tact_context_describe(context, (uint32_t)device);
        tact_explain_add(c->device, sizeof c->device, info->name);
        c->fate = info->lost ? TACT_CANDIDATE_LOST : TACT_CANDIDATE_UNSUITABLE;
        tact_explain_add(c->why, sizeof c->why, info->lost ? "it was lost before" : "this query does not run there");
    }
    for (size_t i = 0; i < count; ++i) {
        tact_candidate* c = tact_explain_candidate(explanation, list[i].backend->backend);
        if (!c) continue;
        if (list[i].backend->cost) tact_explain_expect(c, &list[i].expected, context->costs[list[i].device].day);
        if (list[i].cost.method && !explanation->method[0]) {
            tact_explain_add(explanation->method, sizeof explanation->method, list[i].cost.method);
        }
        const bool open = asked == TACT_BACKEND_AUTO;
        c->fate = !open                 ? TACT_CANDIDATE_NOT_ASKED
                  : list[i].cost.unable ? TACT_CANDIDATE_UNSUITABLE
                                        : TACT_CANDIDATE_DEARER;
        c->why[0] = '\0';
        if (open && list[i].cost.unable) {
            tact_explain_add(c->why, sizeof c->why, list[i].cost.unable);
        } else if (open && i == 0 && count > 1) {
            // Overwritten when it answers.
            tact_explain_add(c->why, sizeof c->why, "another was tried, to see whether it is still the slower one");
        } else if (open && list[i].expected.total < list[0].expected.total) {
            tact_explain_add(c->why, sizeof c->why,
                             "it shares the CPU's cores, and is not expected to take far less than ");
            tact_explain_add(c->why, sizeof c->why, tact_backend_name(list[0].backend->backend));
        } else {
            tact_explain_add(c->why, sizeof c->why, tact_backend_name(open ? list[0].backend->backend : asked));
            tact_explain_add(c->why, sizeof c->why, open ? " is expected to take less" : " was asked for");
        }
    }
}

/// Writes down how it went with one.
static void explain_answer(tact_explanation* explanation, const candidate* c, tact_result result, double ms,
                           const char* error)
{
    tact_candidate* told = tact_explain_candidate(explanation, c->backend->backend);
    if (!told) return;
    if (result >= TACT_OK) {
        explanation->answered = c->backend->backend;
        told->fate = TACT_CANDIDATE_ANSWERED;
        told->measured_ms = ms;
        const char* why = "it was expected to take the least time";
        if (explanation->asked != TACT_BACKEND_AUTO) {
            why = explanation->asked == told->backend ? "it was asked for" : "who was asked failed";
        } else if (c->trial) {
            why = "it was tried, to see whether it is still the slower one";
        }
        for (uint32_t i = 0; i < explanation->count; ++i)
            if (explanation->asked == TACT_BACKEND_AUTO && explanation->candidates[i].fate == TACT_CANDIDATE_FAILED &&
                explanation->candidates[i].expected_ms <= told->expected_ms)
                why = "those that were expected to take less failed";
        told->why[0] = '\0';
        tact_explain_add(told->why, sizeof told->why, why);
    } else {
        told->fate = TACT_CANDIDATE_FAILED;
        snprintf(told->why, sizeof told->why, "%s: %.*s", tact_result_string(result),
                 (int)(strcspn(error, "\n") < 200 ? strcspn(error, "\n") : 200), error);
    }
}

/// `why`: that one backend is to answer; NULL: it was asked for.
static void give_reason(const tact_query_options* options, const char* why, const candidate* list, size_t count,
                        tact_explanation* explanation, char* reason, size_t size)
{
    if (options->backend != TACT_BACKEND_AUTO) {
        tact_explain_add(reason, size, tact_backend_name(options->backend));
        tact_explain_add(reason, size, ": ");
        tact_explain_add(reason, size, why ? why : "forced");
        return;
    }
    char basis[MAX_CANDIDATES][80];
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
        const tact_candidate* c = tact_explain_candidate(explanation, list[i].backend->backend);
        basis[i][0] = '\0';
        if (c) tact_explain_basis(c, basis[i], sizeof basis[i]);
        same = same && strcmp(basis[i], basis[0]) == 0;
    }
    tact_explain_add(reason, size, "auto: expected");
    for (size_t i = 0; i < count; ++i) {
        tact_explain_add(reason, size, i ? ", " : " ");
        tact_explain_add(reason, size, tact_backend_name(list[i].backend->backend));
        tact_explain_add(reason, size, " ");
        tact_explain_add_ms(reason, size, list[i].expected.total);
        tact_explain_add(reason, size, " ms");
        if (same && i + 1 < count) continue;
        tact_explain_add(reason, size, " (");
        tact_explain_add(reason, size, basis[i]);
        tact_explain_add(reason, size, ")");
    }
}

double tact_dispatch_clock(const tact_context* context)
{
    return context->clock ? context->clock() : tact_platform_milliseconds();
}

/// Whether the device of a candidate is still at work, so that the answer is not there yet.
static bool goes_on(const tact_context* context, const candidate* c)
{
#ifdef TACT_HAVE_GPU
    const bool on_device = c->backend->backend == TACT_BACKEND_GL || c->backend->backend == TACT_BACKEND_CL;
    return on_device && tact_device_busy(context->devices[c->device]);
#else
    (void)context;
    (void)c;
    return false;
#endif
}

/// How a call went. `late`: the answer is not there yet. `alone`: the device had nothing to do before.
typedef struct call_time {
    double asked, ms;
    bool late, alone;
} call_time;

/// Learns from an answer, or tells who watches.
static void take_time(tact_context* context, const tact_query* query, const candidate* c, const call_time* t)
{
    if (!c->backend->cost) return;
    TACT_ASSERT(c->device < context->device_count);
    if (context->watch) {
        const tact_cost_answer answer = {query, c->backend->backend, c->device, &c->cost, &c->expected, t->ms};
        context->watch->tell(context->watch->user, &answer);
        return;
    }
    char key[TACT_COST_KEY];
    if (t->late) {
        // What handing it over took says nothing of what the answer takes, nor does the time that includes other work.
        context->late = (tact_cost_late){.device = c->device, .base = c->expected.base, .asked = t->asked};
        if (!t->alone || !tact_cost_key(query->name, c->cost.method, context->late.key)) context->late.key[0] = '\0';
        return;
    }
    tact_cost_entry* entry = c->known;
    if (!entry && tact_cost_key(query->name, c->cost.method, key)) {
        entry = tact_cost_entry_of(&context->costs[c->device], key);
    }
    if (!entry) return;
    tact_cost_learn(entry, c->expected.base, t->ms);
    double measured = 0.0;
    if (!tact_cost_refuted(entry, &c->expected, &measured)) return;
    tact_log(&context->env, TACT_LOG_WARNING, "dispatch",
             "the calibration of %s on %s is dropped: it expected %.3g ms, and the last answers took %.3g ms; `tact "
             "calibrate` makes another",
             entry->key, tact_backend_name(c->backend->backend), c->expected.claimed, measured);
    tact_cost_drop(entry);
}

static void describe_answer(const tact_device_info* info, const candidate* c, tact_query_report* report)
{
    report->backend = c->backend->backend;
    report->device[0] = '\0';
    tact_explain_add(report->device, sizeof report->device, info->name);
    report->software = info->software;
    report->exact = info->probe.exact;
    report->tolerance = 0.0;
    for (int i = 0; !report->exact && i < TACT_PROBE_OPERATIONS; ++i) {
        const double relative = (double)info->probe.operations[i].worst_ulps * 0x1p-23;
        report->tolerance = relative > report->tolerance ? relative : report->tolerance;
    }
}

void tact_dispatch_arrived(tact_context* context, const tact_cost_late* late)
{
    if (!late->key[0] || late->device >= context->device_count || context->watch) return;
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[late->device], late->key);
    if (entry) tact_cost_learn(entry, late->base, tact_dispatch_clock(context) - late->asked);
}

tact_result tact_query_options_check(tact_env* env, const char* name, const tact_query_options* options)
{
    if ((unsigned)options->backend >= TACT_BACKEND_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: no backend %d", name, (int)options->backend);
    }
    if (options->threads < 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: %d threads", name, options->threads);
    }
    if ((unsigned)options->ray_sort > TACT_RAY_SORT_NEVER) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: no ray_sort %d", name, (int)options->ray_sort);
    }
    return TACT_OK;
}

tact_result tact_dispatch(tact_context* context, const tact_query* query, void* arguments,
                          const tact_query_options* options, tact_query_report* report)
{
    return tact_dispatch_because(context, query, arguments, options, NULL, report);
}

tact_result tact_dispatch_because(tact_context* context, const tact_query* query, void* arguments,
                                  const tact_query_options* given, const char* why, tact_query_report* given_report)
{
    static const tact_query_options defaults = {0};
    tact_query_options options = given ? *given : defaults;
    tact_result result = tact_query_options_check(&context->env, query->name, &options);
    if (result != TACT_OK) return result;
    if (options.threads == 0) options.threads = context->threads;
    TACT_ASSERT(options.threads >= 1 && query->backend_count <= MAX_CANDIDATES);
    tact_error_clear(&context->env);
    context->late.key[0] = '\0';

    tact_cost_store_load(context);
    candidate list[MAX_CANDIDATES];
    size_t count = gather(context, query, arguments, options.backend, list);
    const bool open =
        options.backend == TACT_BACKEND_AUTO && !context->uncalibrated && !context->calibrating && !context->watch;
    if (open && measure_first(context, query, list, count)) {
        count = gather(context, query, arguments, options.backend, list);
    }
    tact_explanation explanation;
    explain_candidates(context, query, options.backend, list, count, &explanation);
    if (options.backend != TACT_BACKEND_AUTO && (count == 0 || list[0].backend->backend != options.backend)) {
        context->explanation = explanation;
        return tact_fail(&context->env, TACT_ERROR_NO_DEVICE, "%s: no %s device here: %s", query->name,
                         tact_backend_name(options.backend), context->missing[options.backend]);
    }

    tact_query_report report;
    char reason[sizeof report.reason] = "";
    if (given_report) give_reason(&options, why, list, count, &explanation, reason, sizeof reason);
    // Who is tried may fail, and then there must be others to go on to.
    const bool trials = open && count > 1 && !options.no_fallback;
    if (trials && take_trial(context, list, count)) {
        tact_explain_add(reason, sizeof reason, "; ");
        tact_explain_add(reason, sizeof reason, tact_backend_name(list[0].backend->backend));
        tact_explain_add(reason, sizeof reason, " was tried, to see whether it is still the slower one");
    }
    const double start = tact_dispatch_clock(context);
    uint32_t failures = 0;
    result = TACT_ERROR_NO_DEVICE;
    tact_float_env env;
    tact_float_env_enter(&env);
    for (size_t i = 0; i < count; ++i) {
        memset(&report, 0, sizeof report);
        report.backend = list[i].backend->backend;
        const tact_device_info* info = tact_context_describe(context, list[i].device);
        call_time time = {.asked = tact_dispatch_clock(context), .alone = !goes_on(context, &list[i])};
        result = info->lost ? tact_fail(&context->env, TACT_ERROR_DEVICE_LOST, "the device was lost before")
                            : list[i].backend->run(context, list[i].device, arguments, &options, &report);
        time.ms = tact_dispatch_clock(context) - time.asked;
        time.late = result >= TACT_OK && goes_on(context, &list[i]);
        describe_answer(info, &list[i], &report);
        explain_answer(&explanation, &list[i], result, time.ms, context->env.error);
        if (trials && i == 0) {
            // A late answer counts as taking what was expected; else each would look like a quick one.
            account(context, list, count, result >= TACT_OK, time.late ? list[0].expected.total : time.ms);
        }
        if (result >= TACT_OK) take_time(context, query, &list[i], &time);
        if (result >= TACT_OK || !is_device_failure(result)) break;
        ++failures;
        const char* name = tact_backend_name(list[i].backend->backend);
        tact_log(&context->env, TACT_LOG_WARNING, "dispatch", "%s on %s failed: %s", query->name, name,
                 context->env.error);
        // The first line is enough here; the whole detail has gone to the log.
        char failed[256];
        snprintf(failed, sizeof failed, "; %s failed: %s: %.*s", name, tact_result_string(result),
                 (int)strcspn(context->env.error, "\n"), context->env.error);
        tact_explain_add(reason, sizeof reason, failed);
        if (options.no_fallback) break;
    }
    if (result >= TACT_OK && options.shadow && query->compare && report.backend != TACT_BACKEND_REFERENCE) {
        const tact_result checked = query->compare(context, arguments, &options);
        if (checked < TACT_OK) result = checked;
        tact_explain_add(reason, sizeof reason, checked < TACT_OK ? "; shadow: differs" : "; shadow: equal");
    }
    tact_float_env_leave(&env);
    report.failures = failures;
    report.total_ms = tact_dispatch_clock(context) - start;
    memcpy(report.reason, reason, sizeof reason);
    context->explanation = explanation;
    if (given_report) *given_report = report;
    if (result >= TACT_OK) tact_error_clear(&context->env);
    return result;
}

tact_result tact_dispatch_on_host(tact_context* context, const tact_query* query, void* arguments,
                                  const tact_query_options* options, const char* why, tact_query_report* report)
{
    const tact_backend asked = options ? options->backend : TACT_BACKEND_AUTO;
    if (asked != TACT_BACKEND_GL && asked != TACT_BACKEND_CL) {
        return tact_dispatch(context, query, arguments, options, report);
    }
    char text[sizeof report->reason];
    snprintf(text, sizeof text, "%s was asked for, but %s", tact_backend_name(asked), why);
    if (options->no_fallback) return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "%s", text);
    tact_query_options here = *options;
    here.backend = TACT_BACKEND_CPU;
    return tact_dispatch_because(context, query, arguments, &here, text, report);
}
