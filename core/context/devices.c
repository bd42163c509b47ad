// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/devices.h"

#include <stdio.h>

#include "base/float_env.h"
#include "core/context/backends.h"

/// Held while drivers are started and stopped: one that is started by two threads at once may crash, as PoCL 3.1 does.
static tact_monitor drivers = {.lock = TACT_MUTEX_INIT};

static bool is_settled(const tact_context* context, tact_backend backend)
{
    return (context->settled >> backend & 1u) != 0;
}

static void set_missing(tact_context* context, tact_backend backend, const char* why)
{
    snprintf(context->missing[backend], sizeof context->missing[backend], "%s", why);
}

#ifdef TACT_HAVE_GPU

enum { HAVE_DEVICES = true };

/// Opens a device. Returns false without memory for it: it is opened when it is needed again.
static bool open_device(tact_context* context, const tact_context_desc* desc, tact_backend backend)
{
    const tact_backend_class* kind = tact_backend_class_of(backend);
    tact_device_open open = {
        .env = &context->env,
        .queue = &context->queue,
        .threads = context->threads,
        .source = kind->source(desc),
        .number = context->device_number,
        .cache_directory = context->cache_directory,
        .disable_cache = !context->cache_directory[0],
    };
    tact_device* device = NULL;
    const tact_result result = kind->open(desc, &open, &device);
    if (result == TACT_OK) {
        context->devices[context->device_count] = device;
        ++context->device_count;  // other threads see the device with its number
        return true;
    }
    set_missing(context, backend, tact_last_error()[0] ? tact_last_error() : tact_result_string(result));
    tact_log(&context->env, TACT_LOG_INFO, "context", "no %s device: %s", tact_backend_name(backend),
             context->missing[backend]);
    tact_error_clear(&context->env);
    return result != TACT_ERROR_OUT_OF_MEMORY;
}

#else

enum { HAVE_DEVICES = false };

static bool open_device(tact_context* context, const tact_context_desc* desc, tact_backend backend)
{
    (void)desc;
    set_missing(context, backend, "built without GPU backends");
    return true;
}

#endif

static void open_now(tact_context* context, const tact_context_desc* desc, tact_backend backend)
{
    tact_monitor_enter(&context->queue);
    tact_monitor_enter(&drivers);
    // A hook that is called while a device is opened finds none of those that are not open yet.
    if (drivers.depth == 1 && !is_settled(context, backend)) {
        // Drivers start threads here, which inherit the environment.
        tact_float_env float_env;
        tact_float_env_enter(&float_env);
        if (open_device(context, desc, backend)) context->settled |= 1u << backend;
        tact_float_env_leave(&float_env);
    }
    tact_monitor_leave(&drivers);
    tact_monitor_leave(&context->queue);
}

void tact_context_prepare_devices(tact_context* context, const tact_context_desc* desc)
{
    context->device_count = 1;
    for (int b = 0; b < TACT_BACKEND_COUNT; ++b) {
        const tact_backend backend = (tact_backend)b;
        if (!tact_backend_is_device(backend)) {
            context->settled |= 1u << b;
            continue;
        }
        const tact_device_source source = tact_backend_class_of(backend)->source(desc);
        if (source == TACT_DEVICE_NONE && HAVE_DEVICES) {
            set_missing(context, backend, "not asked for");
            context->settled |= 1u << b;
        } else if (source == TACT_DEVICE_ADOPT || desc->open_devices || !HAVE_DEVICES) {
            open_now(context, desc, backend);
        }
    }
}

void tact_context_close_devices(tact_context* context)
{
#ifdef TACT_HAVE_GPU
    // A driver that stops with its last context must not meet a thread that starts it. Closing takes the queue, which
    // comes first.
    tact_monitor_enter(&context->queue);
    tact_monitor_enter(&drivers);
    for (uint32_t i = 1; i < context->device_count; ++i)
        tact_device_close(context->devices[i]);
    tact_monitor_leave(&drivers);
    tact_monitor_leave(&context->queue);
#else
    (void)context;
#endif
}

bool tact_context_opens_more(const tact_context* context)
{
    return context->settled != (1u << TACT_BACKEND_COUNT) - 1u;
}

void tact_context_open_all(const tact_context* context)
{
    for (int b = 0; b < TACT_BACKEND_COUNT && tact_context_opens_more(context); ++b)
        if (tact_backend_is_device((tact_backend)b)) tact_context_find(context, (tact_backend)b);
}

int tact_context_find_open(const tact_context* context, tact_backend backend)
{
    TACT_ASSERT((unsigned)backend < TACT_BACKEND_COUNT);
    if (!tact_backend_is_device(backend)) return backend == TACT_BACKEND_AUTO ? -1 : 0;
    for (uint32_t i = 1; i < context->device_count; ++i) {
        if (tact_context_describe(context, i)->backend == backend) return (int)i;
    }
    return -1;
}

int tact_context_find(const tact_context* context, tact_backend backend)
{
    // What is adopted was opened with the context; the others need nothing of its description.
    const tact_context_desc own = {.model = context->model.name[0] ? &context->model : NULL};
    const int found = tact_context_find_open(context, backend);
    if (found >= 0 || is_settled(context, backend)) return found;
    // No context is const where it is made.
    open_now((tact_context*)(uintptr_t)context, &own, backend);
    return tact_context_find_open(context, backend);
}

tact_result tact_context_missing_result(const tact_context* context, tact_backend backend)
{
    return is_settled(context, backend) ? TACT_ERROR_NO_DEVICE : TACT_ERROR_OUT_OF_MEMORY;
}
