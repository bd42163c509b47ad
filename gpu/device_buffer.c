// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Buffers: made, grown, adopted and given back.

#include <string.h>

#include "gpu/device_backend.h"
#include "gpu/device_ring.h"

// Fills what was made.
static tact_result fill_new(tact_buffer* made, size_t bytes, const void* initial)
{
    tact_device* device = made->device;
    if (initial) {
        const size_t even = bytes / 4 * 4;
        uint32_t last = 0;
        memcpy(&last, (const char*)initial + even, bytes - even);
        tact_buffer_write(made, 0, initial, even);
        if (bytes > even) tact_buffer_write(made, even, &last, sizeof last);
    } else if (device->fill_fresh) {
        tact_device_settle(device, device->ops->buffer_fill(made, 0, made->held, device->fresh));
    }
    return device->failed;
}

static tact_result create_buffer(tact_device* device, size_t bytes, const void* initial, tact_buffer** buffer)
{
    tact_env* env = device->env;
    const uint64_t limit = device->info.max_buffer_bytes;
    if (bytes > SIZE_MAX - 3 || bytes > limit) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a buffer of %zu bytes; %s binds at most %llu", bytes,
                         device->info.name, (unsigned long long)limit);
    }
    if (tact_device_fails_now(&device->fail_buffer)) {
        return tact_fail(env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "a buffer of %zu bytes: injected failure", bytes);
    }
    tact_buffer* made = tact_allocate_zeroed(env, 1, sizeof *made);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    made->device = device;
    made->bytes = (bytes + 3) / 4 * 4;
    made->held = made->bytes ? made->bytes : 4;
    // An odd number of bytes is written below, so that `initial` is not read past its end; and what goes through a
    // ring.
    const bool whole = made->bytes == bytes && bytes > 0 && !tact_rings_hold(device);
    tact_modelled_enter(&device->modelled);
    tact_result result = device->ops->buffer_create(made, whole ? initial : NULL);
    tact_modelled_host(&device->modelled, device->modelled.model.allocate_us);
    if (result != TACT_OK) {
        tact_release(env, made);
        return result;
    }
    ++device->live;
    device->bytes += made->held;
    ++device->counts.allocations;
    if (whole && initial) {
        device->counts.bytes_up += bytes;
        tact_modelled_enter(&device->modelled);
        tact_modelled_transfer(&device->modelled, bytes, true, device->ops->write_waits);
    }
    if (!whole || !initial) result = fill_new(made, bytes, initial);
    if (result != TACT_OK) {
        tact_buffer_destroy(made);
        return result;
    }
    *buffer = made;
    return TACT_OK;
}

tact_result tact_buffer_create(tact_device* device, size_t bytes, const void* initial, tact_buffer** buffer)
{
    *buffer = NULL;
    if (tact_device_usable(device) != TACT_OK || tact_device_result(device) != TACT_OK) return device->failed;
    return tact_device_settle(device, create_buffer(device, bytes, initial, buffer));
}

tact_result tact_buffer_hold(tact_device* device, tact_buffer** buffer, uint64_t bytes)
{
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    if (bytes > SIZE_MAX / 2)
        return tact_device_settle(device, tact_fail(device->env, TACT_ERROR_LIMIT, "a buffer too large"));
    const uint64_t held = tact_buffer_size(*buffer), more = held + held / 2;
    if (*buffer && held >= bytes) return TACT_OK;
    tact_buffer_drop(buffer);
    // What grows a little each time must not be made anew each time.
    if (more > bytes && more <= device->info.max_buffer_bytes) {
        if (tact_buffer_create(device, (size_t)more, NULL, buffer) == TACT_OK) return TACT_OK;
        if (device->failed != TACT_ERROR_DEVICE_OUT_OF_MEMORY) return device->failed;
        tact_device_forgive(device);
    }
    // Not one that cannot be read, whatever is asked for.
    return tact_buffer_create(device, bytes > 64 ? (size_t)bytes : 64, NULL, buffer);
}

tact_result tact_buffer_adopt(tact_device* device, uint32_t gl_buffer, void* cl_mem, tact_buffer** buffer)
{
    *buffer = NULL;
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    if (!device->info.adopted) {
        return tact_device_settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT,
                                                    "%s: the context is not the caller's", device->info.name));
    }
    tact_buffer* made = tact_allocate_zeroed(device->env, 1, sizeof *made);
    if (!made) return tact_device_settle(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->adopted = true;
    const tact_result result = tact_device_settle(device, device->ops->buffer_adopt(made, gl_buffer, cl_mem));
    if (result != TACT_OK) {
        tact_release(device->env, made);
        return result;
    }
    ++device->live;
    *buffer = made;
    return TACT_OK;
}

void tact_buffer_destroy(tact_buffer* buffer)
{
    if (!buffer) return;
    tact_device* device = buffer->device;
    TACT_ASSERT(device->env, device->entered > 0);
    device->ops->buffer_destroy(buffer);
    --device->live;
    device->bytes -= buffer->held;
    tact_release(device->env, buffer);
}

size_t tact_buffer_size(const tact_buffer* buffer)
{
    return buffer ? buffer->bytes : 0;
}

uint64_t tact_buffer_sizes(const tact_buffer* const* buffers, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += tact_buffer_size(buffers[i]);
    return sum;
}

void tact_buffer_handle(const tact_buffer* buffer, uint32_t* gl_buffer, void** cl_mem)
{
    const bool gl = buffer->device->info.backend == TACT_BACKEND_GL;
    *gl_buffer = gl ? buffer->handle.name : 0;
    *cl_mem = gl ? NULL : buffer->handle.object;
}
