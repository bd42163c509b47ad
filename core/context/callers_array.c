// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/callers_array.h"

#include "core/context/backends.h"

#ifdef TACT_HAVE_GPU
#include "gpu/device_array.h"

/// The adopted device of an array.
static tact_result device_of(tact_context* context, const tact_device_array* array, tact_device** device)
{
    tact_env* env = &context->env;
    if (!tact_backend_is_device(array->backend)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a device array is of gl or cl, not of %s",
                         tact_backend_name(array->backend));
    }
    const int index = tact_context_find(context, array->backend);
    if (index < 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the context has no %s device: %s",
                         tact_backend_name(array->backend), context->missing[array->backend]);
    }
    if (!tact_context_describe(context, (uint32_t)index)->adopted) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "the context made its %s device itself; an array can only be of one that it adopted",
                         tact_backend_name(array->backend));
    }
    *device = context->devices[index];
    return TACT_OK;
}

tact_result tact_callers_array_check(tact_context* context, const tact_device_array* array, uint64_t bytes)
{
    tact_device* device = NULL;
    const tact_result result = device_of(context, array, &device);
    return result == TACT_OK ? tact_device_array_check(device, array, bytes) : result;
}

tact_result tact_callers_array_read(tact_context* context, const tact_device_array* array, void* data, size_t bytes)
{
    tact_device* device = NULL;
    const tact_result result = device_of(context, array, &device);
    return result == TACT_OK ? tact_device_array_read(device, array, data, bytes) : result;
}

tact_result tact_callers_array_write(tact_context* context, const tact_device_array* array, const void* data,
                                     size_t bytes)
{
    tact_device* device = NULL;
    const tact_result result = device_of(context, array, &device);
    return result == TACT_OK ? tact_device_array_write(device, array, data, bytes) : result;
}

#else

tact_result tact_callers_array_check(tact_context* context, const tact_device_array* array, uint64_t bytes)
{
    (void)array, (void)bytes;
    return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "the library was built without devices");
}

tact_result tact_callers_array_read(tact_context* context, const tact_device_array* array, void* data, size_t bytes)
{
    (void)data;
    return tact_callers_array_check(context, array, bytes);
}

tact_result tact_callers_array_write(tact_context* context, const tact_device_array* array, const void* data,
                                     size_t bytes)
{
    (void)data;
    return tact_callers_array_check(context, array, bytes);
}

#endif
