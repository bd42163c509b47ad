// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/device_array.h"

tact_result tact_device_array_open(tact_device* device, const tact_device_array* array, uint64_t bytes,
                                   tact_buffer** buffer)
{
    *buffer = NULL;
    if (array->offset % 4 != 0) {
        return TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT,
                                "offset %llu of a device array is no multiple of 4", (unsigned long long)array->offset);
    }
    tact_buffer* opened = NULL;
    const tact_result result = tact_buffer_adopt(device, array->gl_buffer, array->cl_mem, &opened);
    if (result != TACT_OK) return result;
    const uint64_t size = tact_buffer_size(opened);
    if (array->offset > size || bytes > size - array->offset) {
        tact_buffer_destroy(opened);
        return TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT, "%llu bytes at %llu of a buffer of %llu",
                                (unsigned long long)bytes, (unsigned long long)array->offset, (unsigned long long)size);
    }
    const uint64_t reach = tact_device_describe(device)->max_buffer_bytes;
    if (array->offset + bytes > reach) {
        tact_buffer_destroy(opened);
        return TACT_DEVICE_FAIL(device, TACT_ERROR_LIMIT, "%llu bytes at %llu of a buffer; %s reaches the first %llu",
                                (unsigned long long)bytes, (unsigned long long)array->offset,
                                tact_device_describe(device)->name, (unsigned long long)reach);
    }
    *buffer = opened;
    return TACT_OK;
}

tact_result tact_device_array_check(tact_device* device, const tact_device_array* array, uint64_t bytes)
{
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    tact_buffer* buffer = NULL;
    result = tact_device_array_open(device, array, bytes, &buffer);
    tact_buffer_destroy(buffer);
    tact_device_leave(device);
    return result;
}

/// Reads into `to`, or writes what is at `from`.
static tact_result copy(tact_device* device, const tact_device_array* array, void* to, const void* from, size_t bytes)
{
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    tact_buffer* buffer = NULL;
    tact_device_array_open(device, array, bytes, &buffer);
    if (to)
        tact_buffer_read(buffer, (size_t)array->offset, to, bytes);
    else
        tact_buffer_write(buffer, (size_t)array->offset, from, bytes);
    tact_buffer_destroy(buffer);
    result = tact_device_result(device);
    tact_device_leave(device);
    return result;
}

tact_result tact_device_array_read(tact_device* device, const tact_device_array* array, void* data, size_t bytes)
{
    return copy(device, array, data, NULL, bytes);
}

tact_result tact_device_array_write(tact_device* device, const tact_device_array* array, const void* data, size_t bytes)
{
    return copy(device, array, NULL, data, bytes);
}
