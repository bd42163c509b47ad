// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/parallel.h"
#include "base/platform.h"
#include "core/context/backends.h"
#include "core/context/devices.h"

const char* tact_context_error(const tact_context* context)
{
    return context ? tact_error_of(&context->env) : tact_last_error();
}

uint32_t tact_context_device_count(const tact_context* context)
{
    if (!context) return 0;
    tact_context_open_all(context);
    return context->device_count;
}

static TACT_THREAD_LOCAL const tact_context* closed;

const tact_context* tact_context_close(const tact_context* context)
{
    const tact_context* before = closed;
    closed = context;
    return before;
}

bool tact_context_is_closed(const tact_context* context)
{
    return context && closed == context;
}

bool tact_enter(const tact_context* context, const char* name)
{
    // No context is const where it is made; the detail of its last error is no part of what a const one promises.
    tact_error_begin(context ? &((tact_context*)(uintptr_t)context)->env : NULL);
    if (!context) tact_null(NULL, name);
    if (tact_context_is_closed(context)) {
        tact_fail(&((tact_context*)(uintptr_t)context)->env, TACT_ERROR_INVALID_ARGUMENT,
                  "called by a force function, which may call nothing of its context");
        return false;
    }
    tact_parallel_use(context && context->tasks.enqueue ? &context->tasks : NULL);
#if defined(TACT_ASSERTS)
    if (context) tact_assert_enter(&context->env);
#endif
    return context != NULL;
}

const tact_device_info* tact_context_describe(const tact_context* context, uint32_t index)
{
    TACT_ASSERT(index < context->device_count && context->device_count <= TACT_MAX_DEVICES);
#ifdef TACT_HAVE_GPU
    if (index > 0) return tact_device_describe(context->devices[index]);
#endif
    (void)index;
    return &context->cpu;
}

bool tact_context_lost(const tact_context* context, uint32_t index)
{
    TACT_ASSERT(index < context->device_count);
#ifdef TACT_HAVE_GPU
    if (index > 0) return tact_device_lost(context->devices[index]);
#endif
    return false;
}

tact_result tact_context_device(const tact_context* context, uint32_t index, tact_device_info* info)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &((tact_context*)(uintptr_t)context)->env;
    if (!info) return tact_null(env, "info");
    if (index > 0) tact_context_open_all(context);
    if (index >= context->device_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no device %u: there are %u", (unsigned)index,
                         (unsigned)context->device_count);
    }
    *info = *tact_context_describe(context, index);
    info->lost = tact_context_lost(context, index);
    return TACT_OK;
}

tact_result tact_context_device_counts(const tact_context* given, tact_backend backend, tact_device_counts* counts)
{
    if (!tact_enter(given, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = (tact_context*)(uintptr_t)given;
    if (!counts) return tact_null(&context->env, "counts");
    if ((unsigned)backend >= TACT_BACKEND_COUNT || backend == TACT_BACKEND_AUTO) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no backend %d", (int)backend);
    }
    *counts = (tact_device_counts){0};
#ifdef TACT_HAVE_GPU
    tact_monitor_enter(&context->queue);
    const int index = tact_context_find_open(context, backend);
    if (index > 0) *counts = tact_device_counted(context->devices[index]);
    tact_monitor_leave(&context->queue);
#endif
    return TACT_OK;
}

double tact_context_milliseconds(const tact_context* context)
{
#ifdef TACT_HAVE_GPU
    const int index = context && context->model.name[0] ? tact_context_find_open(context, TACT_BACKEND_CL) : -1;
    if (index > 0) return tact_device_milliseconds(context->devices[index]);
#else
    (void)context;
#endif
    return tact_platform_milliseconds();
}

const char* tact_context_missing(const tact_context* context, tact_backend backend)
{
    if (!context || (unsigned)backend >= TACT_BACKEND_COUNT || backend == TACT_BACKEND_AUTO) return "no such backend";
    return tact_context_find(context, backend) >= 0 ? NULL : context->missing[backend];
}
