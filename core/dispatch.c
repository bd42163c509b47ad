// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/float_env.h"
#include "core/platform.h"

typedef struct candidate {
    const tact_query_backend* backend;
    uint32_t device;
    double estimate;
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
        const candidate c = {backend, (uint32_t)device, wanted ? -1.0 : backend->estimate(info, arguments)};
        size_t place = count++;
        for (; place > 0 && list[place - 1].estimate > c.estimate; --place)
            list[place] = list[place - 1];
        list[place] = c;
    }
    return count;
}

/// `why`: that one backend is to answer; NULL: it was asked for.
static void explain(const tact_query_options* options, const char* why, const candidate* list, size_t count,
                    char* reason, size_t size)
{
    if (options->backend != TACT_BACKEND_AUTO) {
        append(reason, size, "%s: %s", tact_backend_name(options->backend), why ? why : "forced");
        return;
    }
    append(reason, size, "auto: expected");
    for (size_t i = 0; i < count; ++i) {
        append(reason, size, "%s %s %.3g ms", i ? "," : "", tact_backend_name(list[i].backend->backend),
               list[i].estimate);
    }
    append(reason, size, " (uncalibrated)");
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

    candidate list[MAX_CANDIDATES];
    const size_t count = gather(context, query, arguments, options.backend, list);
    if (options.backend != TACT_BACKEND_AUTO && (count == 0 || list[0].backend->backend != options.backend)) {
        return tact_fail(&context->env, TACT_ERROR_NO_DEVICE, "%s: no %s device here: %s", query->name,
                         tact_backend_name(options.backend), context->missing[options.backend]);
    }

    tact_query_report report;
    char reason[sizeof report.reason] = "";
    explain(&options, why, list, count, reason, sizeof reason);
    const double start = tact_platform_milliseconds();
    uint32_t failures = 0;
    tact_result result = TACT_ERROR_NO_DEVICE;
    tact_float_env env;
    tact_float_env_enter(&env);
    for (size_t i = 0; i < count; ++i) {
        memset(&report, 0, sizeof report);
        report.backend = list[i].backend->backend;
        const tact_device_info* info = tact_context_describe(context, list[i].device);
        result = info->lost ? tact_fail(&context->env, TACT_ERROR_DEVICE_LOST, "the device was lost before")
                            : list[i].backend->run(context, list[i].device, arguments, &options, &report);
        describe_answer(info, &list[i], &report);
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
