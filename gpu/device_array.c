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

tact_result tact_device_array_rows(tact_device* device, const tact_device_array* array, size_t count, size_t stride,
                                   tact_buffer** raw, tact_rows_fn* take, void* user)
{
    enum { ROW = 12, PIECE_BYTES = 64 << 20 };
    if (count == 0) return TACT_OK;
    if (count - 1 > (UINT64_MAX - ROW) / stride) {
        return TACT_DEVICE_FAIL(device, TACT_ERROR_INVALID_ARGUMENT, "%zu vertices, %zu bytes each", count, stride);
    }
    tact_buffer* from = NULL;
    tact_device_array_open(device, array, (uint64_t)(count - 1) * stride + ROW, &from);
    const size_t piece = stride < PIECE_BYTES ? PIECE_BYTES / stride : 1;
    for (size_t done = 0; done < count && tact_device_result(device) == TACT_OK; done += piece) {
        const size_t some = count - done < piece ? count - done : piece;
        const size_t bytes = (some - 1) * stride + ROW;
        tact_buffer_hold(device, raw, bytes);
        tact_buffer_copy(*raw, 0, from, (size_t)array->offset + done * stride, bytes);
        // A single row is all that there is of a stride this long.
        if (tact_device_result(device) == TACT_OK)
            take(*raw, some > 1 ? (uint32_t)(stride / 4) : 0, (uint32_t)done, (uint32_t)some, user);
    }
    tact_buffer_destroy(from);
    return tact_device_result(device);
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
