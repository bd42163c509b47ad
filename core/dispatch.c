// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/calibrate.h"
#include "core/cost_store.h"
#include "core/explain.h"
#include "core/float_env.h"
#include "core/platform.h"

typedef struct candidate {
    const tact_query_backend* backend;
    uint32_t device;
    tact_cost cost;
    tact_cost_expectation expected;
    double order;  ///< least first
} candidate;

enum { MAX_CANDIDATES = TACT_BACKEND_COUNT };

static void append(char* text, size_t size, const char* format, ...) TACT_PRINTF(3, 4);

static void append(char* text, size_t size, const char* format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

/// Failures that another backend need not share.
static bool is_device_failure(tact_result result)
{
    return result == TACT_ERROR_DEVICE_OUT_OF_MEMORY || result == TACT_ERROR_DEVICE_LOST ||
           result == TACT_ERROR_DEVICE || result == TACT_ERROR_KERNEL_BUILD || result == TACT_ERROR_LIMIT ||
           result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE;
}

static const tact_cost_entry* known(const tact_context* context, const tact_query* query, const candidate* c)
{
    char key[TACT_COST_KEY];
    return tact_cost_key(query->name, c->cost.method, key) ? tact_cost_find(&context->costs[c->device], key) : NULL;
}

/// After all that are able.
static const double LAST = 1e300;

/// By how much less a software device must be expected to take than the CPU, whose cores it shares: what was measured
/// while others used these can make either look the slower one.
static const double SOFTWARE_MARGIN = 1.5;

/// Those that can run here, cheapest first; the forced one before all.
static size_t gather(const tact_context* context, const tact_query* query, const void* arguments, tact_backend forced,
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
        if (backend->cost) {
            c.cost = backend->cost(info, c.device, arguments);
            c.expected = tact_cost_expect(known(context, query, &c), &c.cost);
        }
        const double margin = info->software && backend->backend != TACT_BACKEND_CPU ? SOFTWARE_MARGIN : 1.0;
        c.order = wanted ? -1.0 : c.cost.unable ? LAST : c.expected.total * margin;
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
    }
    if (hardware == 0 || measured < 2 || unknown == 0) return false;
    return tact_calibrate_first_use(context, query->name, list[0].cost.method, devices, measured);
}

/// Writes down what is known before anyone is asked.
static void explain_candidates(const tact_context* context, const tact_query* query, tact_backend asked,
                               const candidate* list, size_t count, tact_explanation* explanation)
{
    *explanation = (tact_explanation){.asked = asked};
    snprintf(explanation->query, sizeof explanation->query, "%s", query->name);
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_REFERENCE; ++b) {
        const tact_backend backend = (tact_backend)b;
        if (backend == TACT_BACKEND_REFERENCE && asked != TACT_BACKEND_REFERENCE) continue;
        tact_candidate* c = tact_explain_candidate(explanation, backend);
        if (!c) break;
        const int device = tact_context_find(context, backend);
        if (device < 0) {
            c->fate = TACT_CANDIDATE_MISSING;
            snprintf(c->why, sizeof c->why, "%.*s", (int)sizeof c->why - 1, context->missing[backend]);
            continue;
        }
        const tact_device_info* info = tact_context_describe(context, (uint32_t)device);
        snprintf(c->device, sizeof c->device, "%s", info->name);
        c->fate = info->lost ? TACT_CANDIDATE_LOST : TACT_CANDIDATE_UNSUITABLE;
        snprintf(c->why, sizeof c->why, "%s", info->lost ? "it was lost before" : "this query does not run there");
    }
    for (size_t i = 0; i < count; ++i) {
        tact_candidate* c = tact_explain_candidate(explanation, list[i].backend->backend);
        if (!c) continue;
        if (list[i].backend->cost) tact_explain_expect(c, &list[i].expected, context->costs[list[i].device].day);
        if (list[i].cost.method) {
            snprintf(explanation->method, sizeof explanation->method, "%s", list[i].cost.method);
        }
        const bool open = asked == TACT_BACKEND_AUTO;
        c->fate = !open                 ? TACT_CANDIDATE_NOT_ASKED
                  : list[i].cost.unable ? TACT_CANDIDATE_UNSUITABLE
                                        : TACT_CANDIDATE_DEARER;
        if (open && list[i].cost.unable) {
            snprintf(c->why, sizeof c->why, "%s", list[i].cost.unable);
        } else if (open) {
            const bool less = list[i].expected.total < list[0].expected.total;
            snprintf(c->why, sizeof c->why,
                     less ? "it shares the CPU's cores, and is not expected to take far less than %s"
                          : "%s is expected to take less",
                     tact_backend_name(list[0].backend->backend));
        } else {
            snprintf(c->why, sizeof c->why, "%s was asked for", tact_backend_name(asked));
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
        if (explanation->asked != TACT_BACKEND_AUTO) {
            snprintf(told->why, sizeof told->why, "%s",
                     explanation->asked == told->backend ? "it was asked for" : "who was asked failed");
        } else {
            snprintf(told->why, sizeof told->why, "it was expected to take the least time");
        }
        for (uint32_t i = 0; i < explanation->count; ++i)
            if (explanation->candidates[i].fate == TACT_CANDIDATE_FAILED && explanation->asked == TACT_BACKEND_AUTO)
                snprintf(told->why, sizeof told->why, "those that were expected to take less failed");
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
        append(reason, size, "%s: %s", tact_backend_name(options->backend), why ? why : "forced");
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
    append(reason, size, "auto: expected");
    for (size_t i = 0; i < count; ++i) {
        append(reason, size, "%s %s %.3g ms", i ? "," : "", tact_backend_name(list[i].backend->backend),
               list[i].expected.total);
        if (!same || i + 1 == count) append(reason, size, " (%s)", basis[i]);
    }
}

/// Learns from an answer, or tells who watches.
static void take_time(tact_context* context, const tact_query* query, const candidate* c, double ms)
{
    if (!c->backend->cost) return;
    if (context->watch) {
        const tact_cost_answer answer = {query, c->backend->backend, c->device, &c->cost, &c->expected, ms};
        context->watch->tell(context->watch->user, &answer);
        return;
    }
    char key[TACT_COST_KEY];
    if (!tact_cost_key(query->name, c->cost.method, key)) return;
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[c->device], key);
    if (entry) tact_cost_learn(entry, c->expected.base, ms);
}

static void describe_answer(const tact_device_info* info, const candidate* c, tact_query_report* report)
{
    report->backend = c->backend->backend;
    snprintf(report->device, sizeof report->device, "%s", info->name);
    report->software = info->software;
    report->exact = info->probe.exact;
    report->tolerance = 0.0;
    for (int i = 0; !report->exact && i < TACT_PROBE_OPERATIONS; ++i) {
        const double relative = (double)info->probe.operations[i].worst_ulps * 0x1p-23;
        report->tolerance = relative > report->tolerance ? relative : report->tolerance;
    }
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
    if ((unsigned)options.backend >= TACT_BACKEND_COUNT || options.threads < 0 ||
        (unsigned)options.ray_sort > TACT_RAY_SORT_NEVER) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "%s: the options are out of range", query->name);
    }
    if (options.threads == 0) options.threads = context->threads;
    context->env.error[0] = '\0';

    tact_cost_store_load(context);
    candidate list[MAX_CANDIDATES];
    size_t count = gather(context, query, arguments, options.backend, list);
    if (options.backend == TACT_BACKEND_AUTO && !context->uncalibrated && !context->calibrating && !context->watch &&
        measure_first(context, query, list, count)) {
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
    give_reason(&options, why, list, count, &explanation, reason, sizeof reason);
    const double start = tact_platform_milliseconds();
    uint32_t failures = 0;
    tact_result result = TACT_ERROR_NO_DEVICE;
    tact_float_env env;
    tact_float_env_enter(&env);
    for (size_t i = 0; i < count; ++i) {
        memset(&report, 0, sizeof report);
        report.backend = list[i].backend->backend;
        const tact_device_info* info = tact_context_describe(context, list[i].device);
        const double asked = tact_platform_milliseconds();
        result = info->lost ? tact_fail(&context->env, TACT_ERROR_DEVICE_LOST, "the device was lost before")
                            : list[i].backend->run(context, list[i].device, arguments, &options, &report);
        const double took = tact_platform_milliseconds() - asked;
        describe_answer(info, &list[i], &report);
        explain_answer(&explanation, &list[i], result, took, context->env.error);
        if (result >= TACT_OK) take_time(context, query, &list[i], took);
        if (result >= TACT_OK || !is_device_failure(result)) break;
        ++failures;
        const char* name = tact_backend_name(list[i].backend->backend);
        tact_log(&context->env, TACT_LOG_WARNING, "dispatch", "%s on %s failed: %s", query->name, name,
                 context->env.error);
        // The first line is enough here; the whole detail has gone to the log.
        append(reason, sizeof reason, "; %s failed: %s: %.*s", name, tact_result_string(result),
               (int)strcspn(context->env.error, "\n"), context->env.error);
        if (options.no_fallback) break;
    }
    if (result >= TACT_OK && options.shadow && query->check && report.backend != TACT_BACKEND_REFERENCE) {
        const tact_result checked = query->check(context, arguments, &options);
        if (checked < TACT_OK) result = checked;
        append(reason, sizeof reason, checked < TACT_OK ? "; shadow: differs" : "; shadow: equal");
    }
    tact_float_env_leave(&env);
    report.failures = failures;
    report.total_ms = tact_platform_milliseconds() - start;
    memcpy(report.reason, reason, sizeof reason);
    context->explanation = explanation;
    if (given_report) *given_report = report;
    if (result >= TACT_OK) context->env.error[0] = '\0';
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
