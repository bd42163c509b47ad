// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Waiting for what a device was given: all of it, or as far as a fence; and how long it took.

#include <string.h>

#include "base/platform.h"
#include "gpu/device_backend.h"

tact_result tact_device_finish(tact_device* device)
{
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    ++device->counts.waits;
    tact_modelled_enter(&device->modelled);
    const tact_result finished = device->ops->finish(device);
    tact_modelled_wait(&device->modelled, tact_modelled_device_milliseconds(&device->modelled));
    return tact_device_waited(device, device->given, finished);
}

// Fences

tact_result tact_fence_place(tact_fence* fence)
{
    tact_modelled* m = &fence->device->modelled;
    tact_modelled_enter(m);
    const tact_result result = fence->device->ops->fence_create(fence);
    if (fence->noted.bytes > 0) {
        tact_modelled_transfer(m, fence->noted.bytes, false, false);
    } else if (fence->lane == TACT_LANE_MAIN) {
        tact_modelled_command(m, 0.0);
    } else {
        tact_modelled_host(m, m->model.launch_us);
    }
    fence->done = fence->lane == TACT_LANE_UP ? m->up : fence->lane == TACT_LANE_DOWN ? m->down : m->done;
    return result;
}

tact_result tact_fence_look(tact_fence* fence, bool wait, bool* done)
{
    tact_modelled* m = &fence->device->modelled;
    tact_modelled_enter(m);
    const tact_result result = fence->device->ops->fence_poll(fence, wait, done);
    if (wait) {
        tact_modelled_wait(m, fence->done);
    } else {
        tact_modelled_host(m, 0.0);
        if (m->on && tact_modelled_milliseconds(m) < fence->done) *done = false;
    }
    return result;
}

static tact_result make_fence(tact_device* device, tact_buffer* noted, size_t offset, size_t bytes, tact_fence** fence)
{
    tact_fence* made = tact_allocate_zeroed(device->env, 1, sizeof *made);
    if (!made) return tact_device_settle(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->given = device->given;
    made->noted = (tact_read){noted, offset, bytes, made->note};
    const tact_result result = tact_device_settle(device, tact_fence_place(made));
    if (result != TACT_OK) {
        tact_release(device->env, made);
        return result;
    }
    ++device->live;
    *fence = made;
    return TACT_OK;
}

tact_result tact_fence_create(tact_device* device, tact_fence** fence)
{
    *fence = NULL;
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    // What is handed over with a fence is asked for again only when that is passed.
    return tact_device_result(device) == TACT_OK ? make_fence(device, NULL, 0, 0, fence) : device->failed;
}

tact_result tact_fence_create_note(tact_buffer* buffer, size_t offset, size_t bytes, tact_fence** fence)
{
    *fence = NULL;
    if (!buffer) return TACT_NOT_MADE;
    tact_device* device = buffer->device;
    TACT_ASSERT(device->env, bytes > 0 && bytes <= TACT_NOTE_BYTES);
    tact_result result = tact_buffer_check(buffer, offset, bytes, "noting");
    if (result == TACT_OK) result = make_fence(device, buffer, offset, bytes, fence);
    if (result == TACT_OK) device->counts.bytes_down += bytes;
    return result;
}

void tact_fence_note(const tact_fence* fence, void* data)
{
    memcpy(data, fence->note, fence->noted.bytes);
}

tact_result tact_fence_poll(tact_fence* fence, bool* done)
{
    *done = false;
    tact_device* device = fence->device;
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    const tact_result polled = tact_fence_look(fence, false, done);
    if (!*done) return tact_device_settle(device, polled);
    tact_device_waited(device, fence->given, polled);
    return tact_device_ask(device, true);
}

tact_result tact_fence_wait(tact_fence* fence)
{
    tact_device* device = fence->device;
    bool done = false;
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    ++device->counts.waits;
    tact_device_waited(device, fence->given, tact_fence_look(fence, true, &done));
    return tact_device_ask(device, true);
}

void tact_fence_destroy(tact_fence* fence)
{
    if (!fence) return;
    tact_device* device = fence->device;
    TACT_ASSERT(device->env, device->entered > 0);
    device->ops->fence_destroy(fence);
    --device->live;
    tact_release(device->env, fence);
}

// Timers

tact_result tact_timer_begin(tact_device* device)
{
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    if (device->timing) {
        return tact_device_settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "a timer runs already"));
    }
    tact_result result = tact_device_finish(device);
    if (result == TACT_OK && device->ops->timer_begin)
        result = tact_device_settle(device, device->ops->timer_begin(device));
    device->timing = result == TACT_OK;
    device->timing_since = tact_modelled_device_milliseconds(&device->modelled);
    return result;
}

tact_result tact_timer_end(tact_device* device, double* milliseconds)
{
    *milliseconds = 0;
    if (tact_device_usable(device) == TACT_OK && !device->timing) {
        return tact_device_settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "no timer runs"));
    }
    // One that runs ends, whatever failed meanwhile.
    double measured =
        device->modelled.on ? tact_modelled_device_milliseconds(&device->modelled) - device->timing_since : -1;
    if (device->timing && device->ops->timer_end && !device->lost) {
        tact_device_settle(device, device->ops->timer_end(device, &measured));
    }
    device->timing = false;
    const tact_result result = tact_device_finish(device);
    // Negative: the device has no clock.
    if (result == TACT_OK) {
        *milliseconds = measured >= 0 ? measured : tact_platform_milliseconds() - device->timing_since;
    }
    return result;
}
