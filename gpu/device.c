// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The state of a device: what failed, whether it is lost, whose turn it is, what it was given; and what its commands
/// have in common.

#include "gpu/device_backend.h"
#include "gpu/device_ring.h"

tact_result tact_device_usable(tact_device* device)
{
    TACT_ASSERT(device->env, device->entered > 0);
    if (device->failed != TACT_OK || !device->lost) return device->failed;
    device->failed = tact_fail(device->env, TACT_ERROR_DEVICE_LOST, "%s: the device was lost", device->info.name);
    return device->failed;
}

tact_result tact_device_settle(tact_device* device, tact_result result)
{
    if (result == TACT_ERROR_DEVICE_LOST && !device->lost) {
        device->lost = true;
        tact_log(device->env, TACT_LOG_WARNING, device->ops->name, "%s: %s", device->info.name, tact_last_error());
    }
    if (device->failed == TACT_OK) device->failed = result;
    return result;
}

tact_result tact_device_waited(tact_device* device, uint64_t given, tact_result result)
{
    if (result == TACT_OK && device->waited < given) device->waited = given;
    return tact_device_settle(device, result);
}

tact_result tact_device_ask(tact_device* device, bool reset)
{
    if (device->failed == TACT_OK && device->entered > 0 && device->ops->ask) {
        tact_device_settle(device, device->ops->ask(device, reset));
    }
    return device->failed;
}

tact_result tact_device_result(tact_device* device)
{
    return tact_device_ask(device, false);
}

tact_result tact_buffer_check(tact_buffer* buffer, size_t offset, size_t bytes, const char* what)
{
    tact_device* device = buffer->device;
    tact_result result = tact_device_usable(device);
    if (result != TACT_OK) return result;
    if (offset % 4 != 0 || bytes % 4 != 0) {
        result = tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT,
                           "%s: offset %zu and size %zu must be multiples of 4", what, offset, bytes);
    } else if (!tact_buffer_has(buffer, offset, bytes)) {
        result = tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "%s: %zu bytes at %zu of a buffer of %zu", what,
                           bytes, offset, buffer->bytes);
    }
    return tact_device_settle(device, result);
}

tact_result tact_device_fail(tact_device* device, tact_result result)
{
    if (device->failed == TACT_OK) device->failed = result;
    return device->failed;
}

void tact_device_forgive(tact_device* device)
{
    device->failed = TACT_OK;
}

tact_device_counts tact_device_counted(const tact_device* device)
{
    return device->counts;
}

bool tact_device_busy(const tact_device* device)
{
    return device->waited < device->given;
}

double tact_device_milliseconds(const tact_device* device)
{
    return tact_modelled_milliseconds(&device->modelled);
}

double tact_device_read_ms(const tact_device* device)
{
    return device->read_ms;
}

uint64_t tact_device_bytes(const tact_device* device)
{
    return device->bytes;
}

const tact_device_info* tact_device_describe(const tact_device* device)
{
    return &device->info;
}

bool tact_device_lost(const tact_device* device)
{
    return device->lost;
}

tact_env* tact_device_env(const tact_device* device)
{
    return device->env;
}

static tact_result enter(tact_device* device)
{
    if (device->entered == 0) {
        if (!device->late) tact_device_forgive(device);
        const tact_result result = device->ops->enter(device);
        if (result != TACT_OK) return tact_device_settle(device, result);
        // What failed when the call before had returned is the failure of this one.
        if (device->late) tact_fail(device->env, device->failed, "%s: a command before failed", device->info.name);
        device->late = false;
    }
    ++device->entered;
    return TACT_OK;
}

tact_result tact_device_enter(tact_device* device)
{
    if (device->queue) tact_monitor_enter(device->queue);
    const tact_result result = enter(device);
    if (result != TACT_OK && device->queue) tact_monitor_leave(device->queue);
    return result;
}

void tact_device_leave(tact_device* device)
{
    TACT_ASSERT(device->env, device->entered > 0);
    if (device->entered == 1) {
        // The caller may change what was sent from its memory, whatever became of the call.
        (void)tact_device_settle(device, tact_pinned_settle(device));
        device->late = device->failed == TACT_OK && tact_device_result(device) != TACT_OK;
        if (device->late) {
            tact_log(device->env, TACT_LOG_WARNING, device->ops->name, "%s: %s", device->info.name, tact_last_error());
        }
        device->ops->leave(device);
    }
    --device->entered;
    if (device->queue) tact_monitor_leave(device->queue);
}

void tact_device_fail_buffer(tact_device* device, uint32_t number)
{
    device->fail_buffer = number;
}

void tact_device_fail_launch(tact_device* device, uint32_t number)
{
    device->fail_launch = number;
}

void tact_device_revive(tact_device* device)
{
    device->fail_launch = 0;
    device->lost = device->late = false;
    device->failed = TACT_OK;
}

void tact_device_fill_fresh(tact_device* device, uint32_t value)
{
    device->fill_fresh = true;
    device->fresh = value;
}
