// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/pinned.h"

#include "core/context/backends.h"
#include "core/context/context.h"

#ifdef TACT_HAVE_GPU
#include "gpu/device.h"
#endif

struct tact_pinned {
    tact_context* context;
    void* data;
    size_t bytes;
    bool ordinary;  ///< not pinned
#ifdef TACT_HAVE_GPU
    tact_device* device;
    tact_pinned_block* block;
#endif
};

#ifdef TACT_HAVE_GPU

/// The device that is meant; NULL: there is none such.
static tact_device* device_of(tact_context* context, tact_backend backend)
{
    const int index = backend == TACT_BACKEND_AUTO ? -1 : tact_context_find(context, backend);
    if (index > 0) return context->devices[index];
    for (int b = TACT_BACKEND_COUNT - 1; b >= 0 && backend == TACT_BACKEND_AUTO; --b) {
        const int found = tact_backend_is_device((tact_backend)b) ? tact_context_find(context, (tact_backend)b) : -1;
        if (found > 0 && !tact_context_describe(context, (uint32_t)found)->software) return context->devices[found];
    }
    return NULL;
}

/// Leaves `block` NULL where the device cannot.
static void pin(tact_pinned* p, tact_backend backend)
{
    tact_context* context = p->context;
    p->device = device_of(context, backend);
    if (!p->device || tact_device_enter(p->device) != TACT_OK) return;
    const tact_result result = tact_device_pin(p->device, p->bytes > 0 ? p->bytes : 1, &p->block);
    tact_device_leave(p->device);
    if (result == TACT_OK) {
        p->data = tact_pinned_block_memory(p->block);
        return;
    }
    tact_log(&context->env, TACT_LOG_INFO, "context", "memory is not pinned: %s", tact_last_error());
    tact_error_clear(&context->env);
}

static void unpin(tact_pinned* p)
{
    if (!p->block) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(p->device) == TACT_OK;
    tact_device_unpin(p->block);
    if (entered) tact_device_leave(p->device);
}

#else

static void pin(tact_pinned* p, tact_backend backend)
{
    (void)p, (void)backend;
}

static void unpin(tact_pinned* p)
{
    (void)p;
}

#endif

tact_result tact_pinned_create(tact_context* context, tact_backend backend, size_t bytes, tact_pinned** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &context->env;
    if (!out) return tact_null(env, "pinned");
    *out = NULL;
    if ((unsigned)backend >= TACT_BACKEND_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no backend has the number %d", (int)backend);
    }
    if (bytes > SIZE_MAX / 2) return tact_fail(env, TACT_ERROR_LIMIT, "%zu bytes of memory", bytes);
    tact_pinned* p = tact_allocate_zeroed(env, 1, sizeof *p);
    if (!p) return TACT_ERROR_OUT_OF_MEMORY;
    p->context = context;
    p->bytes = bytes;
    pin(p, backend);
    if (!p->data) {
        p->ordinary = true;
        p->data = tact_allocate(env, bytes, 1);
    }
    if (!p->data) {
        tact_release(env, p);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    ++context->objects;
    *out = p;
    return TACT_OK;
}

void tact_pinned_destroy(tact_pinned* pinned)
{
    if (!pinned) return;
    TACT_ASSERT(pinned->context->objects > 0);
    unpin(pinned);
    --pinned->context->objects;
    if (pinned->ordinary) tact_release(&pinned->context->env, pinned->data);
    tact_release(&pinned->context->env, pinned);
}

void* tact_pinned_data(tact_pinned* pinned)
{
    return pinned ? pinned->data : NULL;
}

size_t tact_pinned_size(const tact_pinned* pinned)
{
    return pinned ? pinned->bytes : 0;
}

bool tact_pinned_is_direct(const tact_pinned* pinned)
{
    return pinned && !pinned->ordinary;
}
