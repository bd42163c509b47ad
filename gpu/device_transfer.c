// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What goes to buffers, comes from them, and goes from one to another.

#include <string.h>

#include "base/platform.h"
#include "gpu/device_backend.h"
#include "gpu/device_ring.h"

static tact_result write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes, bool copied)
{
    if (!buffer) return TACT_NOT_MADE;
    tact_device* device = buffer->device;
    if (tact_buffer_check(buffer, offset, bytes, "writing") != TACT_OK || bytes == 0) return device->failed;
    device->counts.bytes_up += bytes;
    if (bytes > device->ops->small_write && tact_rings_hold(device)) {
        return tact_device_settle(device, tact_ring_write(buffer, offset, data, bytes, copied));
    }
    if (device->ops->write_waits && tact_device_busy(device)) ++device->counts.waits;
    tact_modelled_enter(&device->modelled);
    const tact_result result = device->ops->buffer_write(buffer, offset, data, bytes);
    tact_modelled_transfer(&device->modelled, bytes, true, device->ops->write_waits);
    return tact_device_settle(device, result);
}

tact_result tact_buffer_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes)
{
    return write(buffer, offset, data, bytes, false);
}

tact_result tact_buffer_write_copied(tact_buffer* buffer, size_t offset, const void* data, size_t bytes)
{
    return write(buffer, offset, data, bytes, true);
}

/// Takes the reads that are not empty. A failure sticks.
static void take_reads(tact_reading* reading)
{
    tact_device* device = reading->device;
    for (size_t i = 0; i < reading->asked_count; ++i) {
        const tact_read* r = &reading->asked[i];
        if (!r->buffer) {
            tact_device_settle(device, TACT_NOT_MADE);
        } else if (tact_buffer_check(r->buffer, r->offset, r->bytes, "reading") == TACT_OK && r->bytes > 0) {
            device->counts.bytes_down += r->bytes;
            reading->reads[reading->count++] = *r;
        }
    }
}

/// On a device that is software waiting first costs nothing, so that the host can time the copying alone.
static tact_result read_all(tact_device* device, const tact_read* reads, size_t count)
{
    tact_result result = TACT_OK;
    if (device->modelled.on) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < count; ++i)
            bytes += reads[i].bytes;
        tact_modelled_enter(&device->modelled);
        result = device->ops->read(device, reads, count);
        device->read_ms += tact_modelled_transfer(&device->modelled, bytes, false, true);
        return result;
    }
    if (!device->info.software) return device->ops->read(device, reads, count);
    result = device->ops->finish(device);
    const double start = tact_platform_milliseconds();
    if (result == TACT_OK) result = device->ops->read(device, reads, count);
    device->read_ms += tact_platform_milliseconds() - start;
    return result;
}

void tact_device_read_begin(tact_device* device, const tact_read* reads, size_t count, tact_reading* reading)
{
    TACT_ASSERT(device->env, count <= TACT_READS_MAX);
    memset(reading, 0, sizeof *reading);
    reading->device = device;
    reading->asked_count = count;
    if (count > 0) memcpy(reading->asked, reads, count * sizeof *reads);
    if (tact_device_usable(device) == TACT_OK) take_reads(reading);
    reading->given = device->given;
    if (device->failed != TACT_OK || reading->count == 0 || device->reading || !tact_rings_hold(device)) return;
    device->reading = reading->staged = true;
    tact_device_settle(device, tact_ring_read_begin(reading));
}

/// Where it was not begun, it sees what was given since.
static tact_result read_rest(tact_reading* reading)
{
    tact_device* device = reading->device;
    if (reading->staged) {
        tact_device_waited(device, reading->given, tact_ring_read_end(reading));
        // Without this a reset would hand out what was never computed.
        return tact_device_ask(device, true);
    }
    return tact_device_waited(device, device->given, read_all(device, reading->reads, reading->count));
}

tact_result tact_device_read_end(tact_reading* reading)
{
    tact_device* device = reading->device;
    if (tact_device_usable(device) == TACT_OK && (reading->count > 0 || reading->staged)) read_rest(reading);
    if (reading->staged) device->reading = false;
    for (size_t i = 0; i < reading->asked_count && device->failed != TACT_OK; ++i) {
        const tact_read* r = &reading->asked[i];
        // The memory for a range that is outside of the buffer may be of any size.
        if (r->bytes > 0 && (!r->buffer || tact_buffer_has(r->buffer, r->offset, r->bytes)))
            memset(r->data, 0, r->bytes);
    }
    return device->failed;
}

tact_result tact_device_read(tact_device* device, const tact_read* reads, size_t count)
{
    tact_reading reading;
    tact_device_read_begin(device, reads, count, &reading);
    return tact_device_read_end(&reading);
}

tact_result tact_buffer_read(tact_buffer* buffer, size_t offset, void* data, size_t bytes)
{
    if (buffer) return tact_device_read(buffer->device, &(tact_read){buffer, offset, bytes, data}, 1);
    if (bytes > 0) memset(data, 0, bytes);
    return TACT_NOT_MADE;
}

// A kernel, copy or fill was given.
static tact_result give(tact_device* device, tact_result result)
{
    if (result == TACT_OK) ++device->given;
    return tact_device_settle(device, result);
}

static tact_result check_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset, size_t bytes)
{
    tact_device* device = to->device;
    if (tact_buffer_check(to, to_offset, bytes, "copying to") != TACT_OK) return device->failed;
    if (from->device != device) {
        return tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "copying between buffers of two devices");
    }
    if (tact_buffer_check(from, from_offset, bytes, "copying from") != TACT_OK) return device->failed;
    if (to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes) {
        return tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "copying %zu bytes from %zu to %zu: they overlap",
                         bytes, from_offset, to_offset);
    }
    return TACT_OK;
}

tact_result tact_buffer_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset, size_t bytes)
{
    if (!to || !from) return TACT_NOT_MADE;
    tact_device* device = to->device;
    tact_result result = check_copy(to, to_offset, from, from_offset, bytes);
    if (result != TACT_OK || bytes == 0) return tact_device_settle(device, result);
    tact_modelled_enter(&device->modelled);
    result = device->ops->buffer_copy(to, to_offset, from, from_offset, bytes);
    tact_modelled_command(&device->modelled, tact_modelled_memory_ms(&device->modelled, 2 * (uint64_t)bytes));
    return give(device, result);
}

tact_result tact_buffer_fill(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value)
{
    if (!buffer) return TACT_NOT_MADE;
    tact_device* device = buffer->device;
    if (tact_buffer_check(buffer, offset, bytes, "filling") != TACT_OK || bytes == 0) return device->failed;
    tact_modelled_enter(&device->modelled);
    const tact_result result = device->ops->buffer_fill(buffer, offset, bytes, value);
    tact_modelled_command(&device->modelled, tact_modelled_memory_ms(&device->modelled, bytes));
    return give(device, result);
}
