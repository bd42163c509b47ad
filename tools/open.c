// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Opens contexts: on top of all that a context holds, its devices, its recorder and the calibration at first use.

#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "base/threads.h"
#include "core/context/backends.h"
#include "core/context/devices.h"
#include "core/dispatch/notes.h"
#include "core/record/record.h"
#include "tools/calibrate/calibrate.h"

static void describe_cpu(tact_context* context)
{
    tact_device_info* info = &context->cpu;
    info->backend = TACT_BACKEND_CPU;
    tact_platform_cpu_name(info->name, sizeof info->name);
    snprintf(info->vendor, sizeof info->vendor, "host");
    snprintf(info->driver, sizeof info->driver, "%s", tact_build_info());
    snprintf(info->version, sizeof info->version, "tact %s", tact_version());
    snprintf(info->language, sizeof info->language, "C17");
    info->software = true;
    info->compute_units = (uint32_t)context->threads;
    // The CPU is what the others are compared with, so it needs no probe.
    info->probe.exact = true;
}

static void open_cache(tact_context* context, const tact_context_desc* desc)
{
    char* path = context->cache_directory;
    const char* distrusted = NULL;
    if (!desc->disable_cache &&
        tact_platform_cache_directory(desc->cache_directory, path, sizeof context->cache_directory, &distrusted)) {
        return;
    }
    if (distrusted) {
        tact_log(&context->env, TACT_LOG_WARNING, "context",
                 "the cache folder %s is not used: %s; kernels are built afresh, and calibrations not read", path,
                 distrusted);
    }
    path[0] = '\0';
}

static const char* check(const tact_context_desc* desc)
{
    if (!desc->allocator.allocate != !desc->allocator.release) return "an allocator needs both allocate and release";
    for (int b = 0; b < TACT_BACKEND_COUNT; ++b) {
        const tact_backend_class* kind = tact_backend_class_of((tact_backend)b);
        const char* wrong = kind->check ? kind->check(desc) : NULL;
        if (wrong) return wrong;
    }
    if (desc->tasks.enqueue ? desc->tasks.workers < 0 : desc->tasks.workers != 0) {
        return "tasks needs enqueue and a number of workers";
    }
    return desc->threads < 0 ? "threads is negative" : NULL;
}

tact_result tact_context_create(const tact_context_desc* given, tact_context** out)
{
    tact_error_begin(NULL);
    if (!out) return tact_null(NULL, "context");
    *out = NULL;
    static const tact_context_desc defaults = {0};
    const tact_context_desc* desc = given ? given : &defaults;
    tact_env env;
    tact_env_init(&env, &desc->allocator, desc->log, desc->log_user, desc->assertion, desc->assertion_user);

    const char* wrong = check(desc);
    if (wrong) {
        tact_log(&env, TACT_LOG_ERROR, "context", "%s", wrong);
        return tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "%s", wrong);
    }

    tact_context* context = tact_allocate_zeroed(&env, 1, sizeof *context);
    if (!context) {
        tact_log(&env, TACT_LOG_ERROR, "context", "%s", tact_last_error());
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    context->env = context->own_env = env;
    tact_monitor_init(&context->recording);
    tact_monitor_init(&context->queue);
    tact_mutex_init(&context->shared);
    if (!desc->allocator.allocate) context->pool = tact_memory_pool_create();
    if (context->pool) context->env.allocator = tact_memory_pool_hooks(context->pool);
#if defined(TACT_ASSERTS)
    tact_assert_attach(&context->env);
    tact_assert_enter(&context->env);
#endif
    context->tasks = desc->tasks;
    context->threads = desc->threads > 0        ? desc->threads
                       : context->tasks.enqueue ? context->tasks.workers + 1
                                                : tact_platform_processors();
    if (desc->model) context->model = *desc->model;
    describe_cpu(context);
    context->first_use = tact_calibrate_first_use;
    tact_parallel_acquire();
    const char* calibrate = tact_platform_variable("TACT_CALIBRATE");
    context->uncalibrated = desc->disable_calibration || (calibrate && strcmp(calibrate, "0") == 0);
    open_cache(context, desc);
    context->device_number = desc->device_number;
    tact_context_prepare_devices(context, desc);
    const tact_result opened =
        tact_notes_create(context) ? tact_recorder_open(context, desc) : TACT_ERROR_OUT_OF_MEMORY;
    if (opened != TACT_OK) {
        tact_log(&context->env, TACT_LOG_ERROR, "context", "%s", tact_last_error());
        tact_context_destroy(context);
        return opened;
    }
    *out = context;
    return TACT_OK;
}

void tact_context_destroy(tact_context* context)
{
    if (!context || tact_context_is_closed(context)) return;
    TACT_ASSERT(&context->env, context->objects == 0);
    tact_tickets_forget(context, NULL);
    tact_recorder_close(context);
    tact_context_close_devices(context);
    tact_parallel_use(NULL);
    tact_parallel_release();
#if defined(TACT_ASSERTS)
    tact_assert_detach(&context->env);
#endif
    tact_notes_destroy(context);
    tact_memory_pool_destroy(context->pool);
    tact_mutex_destroy(&context->shared);
    tact_monitor_destroy(&context->queue);
    tact_monitor_destroy(&context->recording);
    tact_env env = context->own_env;
    tact_release(&env, context);
}
