// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/device_ring.h"

#include <string.h>

#include "base/parallel.h"

enum {
    GRAIN = 1 << 18,  // bytes that one thread copies at a time: some 25 microseconds
    COPIERS = 4       // threads that copy: more than a bus takes
};

typedef struct copying {
    unsigned char* to;
    const unsigned char* from;
} copying;

static void copy_piece(size_t begin, size_t end, int worker, void* user)
{
    const copying* c = user;
    (void)worker;
    memcpy(c->to + begin, c->from + begin, end - begin);
}

static void copy(tact_device* device, void* to, const void* from, size_t bytes)
{
    copying c = {to, from};
    tact_modelled_enter(&device->modelled);
    tact_parallel_for(device->threads < COPIERS ? device->threads : COPIERS, bytes, GRAIN, copy_piece, &c);
    tact_modelled_copy(&device->modelled, bytes);
}

static void note_transfer(tact_device* device, size_t bytes, bool up)
{
    if (device->aside)
        tact_modelled_transfer_aside(&device->modelled, bytes, up);
    else
        tact_modelled_transfer(&device->modelled, bytes, up, false);
}

void tact_device_begin_aside(tact_device* device)
{
    TACT_ASSERT(device->env, !device->aside && !device->reading);
    if (tact_device_usable(device) != TACT_OK || !device->ops->lanes || !tact_rings_hold(device)) return;
    tact_modelled_enter(&device->modelled);
    device->aside = device->ops->begin_aside(device);
    tact_modelled_begin_aside(&device->modelled);
}

void tact_device_end_aside(tact_device* device)
{
    if (!device->aside) return;
    // Transfers that were not waited for use memory that others may use from now on.
    if (device->failed != TACT_OK) (void)device->ops->finish(device);
    device->aside = false;
}

bool tact_device_goes_aside(const tact_device* device)
{
    return device->ops->lanes && device->slot_bytes > 0;
}

// Rings

static size_t ring_bytes(const tact_device* device)
{
    return TACT_RING_SLOTS * device->slot_bytes;
}

static tact_result open_ring(tact_device* device, tact_ring* ring, size_t bytes, bool up, bool down)
{
    memset(ring, 0, sizeof *ring);
    if (tact_device_fails_now(&device->fail_buffer)) {
        return tact_fail(device->env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "a ring of %zu bytes: injected failure", bytes);
    }
    tact_modelled_enter(&device->modelled);
    const tact_result result = device->ops->ring_open(device, ring, bytes, up, down);
    tact_modelled_host(&device->modelled, device->modelled.model.allocate_us);
    if (result != TACT_OK) return result;
    device->bytes += bytes;
    ++device->counts.allocations;
    return TACT_OK;
}

bool tact_rings_hold(tact_device* device)
{
    if (device->slot_bytes == 0) return false;
    if (device->up.memory) return true;
    // Failures of commands before must not be taken for theirs.
    if (tact_device_result(device) != TACT_OK) return false;
    const size_t bytes = ring_bytes(device);
    if (open_ring(device, &device->up, bytes, true, false) == TACT_OK &&
        open_ring(device, &device->down, bytes, false, true) == TACT_OK)
        return true;
    tact_log(device->env, TACT_LOG_INFO, device->ops->name, "%s: transfers go without rings: %s", device->info.name,
             tact_last_error());
    tact_rings_drop(device);
    device->slot_bytes = 0;
    return false;
}

static void forget_fence(tact_fence* fence)
{
    if (fence->device) fence->device->ops->fence_destroy(fence);
    fence->device = NULL;
}

static void close_ring(tact_device* device, tact_ring* ring)
{
    if (!ring->memory) return;
    for (size_t i = 0; i < TACT_RING_SLOTS; ++i)
        forget_fence(&ring->behind[i]);
    device->ops->ring_close(device, ring);
    device->bytes -= ring_bytes(device);
    memset(ring, 0, sizeof *ring);
}

void tact_rings_drop(tact_device* device)
{
    // Commands that are on their way use the memory.
    if (device->up.memory) (void)device->ops->finish(device);
    close_ring(device, &device->up);
    close_ring(device, &device->down);
}

size_t tact_device_ring_bytes(tact_device* device)
{
    return tact_device_usable(device) == TACT_OK && tact_rings_hold(device) ? ring_bytes(device) : 0;
}

void tact_device_use_rings(tact_device* device, size_t slot_bytes)
{
    TACT_ASSERT(device->env, device->entered > 0 && slot_bytes % 4 == 0 && !device->reading);
    tact_rings_drop(device);
    device->slot_bytes = slot_bytes;
}

// Pinned memory

struct tact_pinned_block {
    tact_device* device;
    tact_pinned_block* next;
    tact_ring ring;  ///< of one slot, so to say
    size_t bytes;
};

tact_result tact_device_pin(tact_device* device, size_t bytes, tact_pinned_block** block)
{
    *block = NULL;
    tact_result result = tact_device_usable(device);
    if (result != TACT_OK) return result;
    if (!tact_rings_hold(device)) {
        return tact_fail(device->env, TACT_ERROR_UNSUPPORTED, "%s: transfers go without pinned memory",
                         device->info.name);
    }
    tact_pinned_block* made = tact_allocate_zeroed(device->env, 1, sizeof *made);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    // Multiples of 4 are transferred.
    result = open_ring(device, &made->ring, (bytes + 3) / 4 * 4, true, true);
    if (result != TACT_OK) {
        tact_release(device->env, made);
        return result;
    }
    made->device = device;
    made->bytes = (bytes + 3) / 4 * 4;
    made->next = device->pinned;
    device->pinned = made;
    ++device->live;
    *block = made;
    return TACT_OK;
}

void tact_device_unpin(tact_pinned_block* block)
{
    if (!block) return;
    tact_device* device = block->device;
    tact_pinned_block** link = &device->pinned;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    (void)device->ops->finish(device);
    device->ops->ring_close(device, &block->ring);
    device->bytes -= block->bytes;
    --device->live;
    tact_release(device->env, block);
}

void* tact_pinned_block_memory(const tact_pinned_block* block)
{
    return block->ring.memory;
}

/// The block that holds all of these bytes; NULL: none does.
static tact_pinned_block* pinned_of(const tact_device* device, const void* data, size_t bytes)
{
    const uintptr_t at = (uintptr_t)data;
    for (tact_pinned_block* p = device->pinned; p; p = p->next) {
        const uintptr_t begin = (uintptr_t)p->ring.memory;
        if (at >= begin && at - begin <= p->bytes && bytes <= p->bytes - (at - begin)) return p;
    }
    return NULL;
}

static size_t place_in(const tact_pinned_block* p, const void* data)
{
    return (size_t)((const unsigned char*)data - p->ring.memory);
}

static tact_result write_pinned(tact_pinned_block* p, tact_buffer* buffer, size_t offset, const void* data,
                                size_t bytes)
{
    tact_device* device = buffer->device;
    tact_modelled_enter(&device->modelled);
    const tact_result result = device->ops->ring_up(&p->ring, place_in(p, data), buffer, offset, bytes);
    note_transfer(device, bytes, true);
    ++device->pinned_given;
    return result;
}

/// Sends what is read to pinned memory, and leaves the rest for the ring. *sent: there was such.
static tact_result read_pinned(tact_reading* reading, bool* sent)
{
    tact_device* device = reading->device;
    tact_result result = TACT_OK;
    size_t left = 0;
    *sent = false;
    for (size_t i = 0; i < reading->count; ++i) {
        const tact_read* r = &reading->reads[i];
        tact_pinned_block* p = pinned_of(device, r->data, r->bytes);
        if (!p) {
            reading->reads[left++] = *r;
            continue;
        }
        *sent = true;
        if (result != TACT_OK) continue;
        tact_modelled_enter(&device->modelled);
        result = device->ops->ring_down(&p->ring, place_in(p, r->data), r);
        note_transfer(device, r->bytes, false);
    }
    reading->count = left;
    return result;
}

tact_result tact_pinned_settle(tact_device* device)
{
    if (device->pinned_taken == device->pinned_given) return TACT_OK;
    ++device->counts.waits;
    const uint64_t given = device->given;
    const tact_result result = device->ops->finish(device);
    device->pinned_taken = device->pinned_given;
    return tact_device_waited(device, given, result);
}

// Slots

/// Puts a fence behind the commands with a slot, and sends them.
static tact_result close_slot(tact_device* device, tact_ring* ring, uint32_t slot)
{
    tact_fence* fence = &ring->behind[slot];
    TACT_ASSERT(device->env, !fence->device);
    *fence = (tact_fence){.device = device};
    if (device->aside) fence->lane = ring == &device->up ? TACT_LANE_UP : TACT_LANE_DOWN;
    const tact_result result = tact_fence_place(fence);
    if (result == TACT_OK) return TACT_OK;
    fence->device = NULL;
    // Without a fence nothing says when the slot is free.
    (void)device->ops->finish(device);
    return result;
}

/// Waits until the device is done with a slot. `counted`: that was counted as a wait before.
static tact_result wait_for_slot(tact_device* device, tact_ring* ring, uint32_t slot, bool counted)
{
    tact_fence* fence = &ring->behind[slot];
    bool done = false;
    tact_result result = TACT_OK;
    if (!fence->device) return TACT_OK;
    if (!counted) result = tact_fence_look(fence, false, &done);
    if (result == TACT_OK && !done) {
        if (!counted) ++device->counts.waits;
        result = tact_fence_look(fence, true, &done);
    }
    forget_fence(fence);
    return result;
}

static unsigned char* memory_of(const tact_device* device, const tact_ring* ring, uint32_t slot)
{
    // What was not waited for would be overwritten, or read before it is there.
    TACT_ASSERT(device->env, !ring->behind[slot].device);
    return ring->memory + slot * device->slot_bytes;
}

// Up

static tact_result leave_slot(tact_device* device, tact_ring* ring)
{
    const tact_result result = close_slot(device, ring, ring->slot);
    ring->slot = (ring->slot + 1) % TACT_RING_SLOTS;
    ring->used = 0;
    return result;
}

/// At most a slot's bytes. A slot takes one after the other until the next does not fit.
static tact_result write_piece(tact_buffer* buffer, size_t offset, const void* data, size_t bytes)
{
    tact_device* device = buffer->device;
    tact_ring* ring = &device->up;
    tact_result result = TACT_OK;
    if (bytes > device->slot_bytes - ring->used) result = leave_slot(device, ring);
    if (result == TACT_OK && ring->used == 0) result = wait_for_slot(device, ring, ring->slot, false);
    if (result != TACT_OK) return result;
    const size_t place = ring->slot * device->slot_bytes + ring->used;
    copy(device, memory_of(device, ring, ring->slot) + ring->used, data, bytes);
    ring->used += bytes;
    tact_modelled_enter(&device->modelled);
    result = device->ops->ring_up(ring, place, buffer, offset, bytes);
    note_transfer(device, bytes, true);
    // It is sent while the host copies on.
    if (ring->used == device->slot_bytes) {
        const tact_result left = leave_slot(device, ring);
        if (result == TACT_OK) result = left;
    }
    return result;
}

tact_result tact_ring_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes, bool copied)
{
    const size_t most = buffer->device->slot_bytes;
    tact_pinned_block* pinned = copied ? NULL : pinned_of(buffer->device, data, bytes);
    if (pinned) return write_pinned(pinned, buffer, offset, data, bytes);
    tact_result result = TACT_OK;
    for (size_t at = 0; at < bytes && result == TACT_OK; at += most) {
        const size_t piece = bytes - at < most ? bytes - at : most;
        result = write_piece(buffer, offset + at, (const unsigned char*)data + at, piece);
    }
    return result;
}

// Down

/// The next part of what is read, at most `room` bytes of one range. False when there is no more, or no room.
static bool next_part(const tact_reading* reading, tact_read_place* place, size_t room, tact_read* part)
{
    if (place->range == reading->count || room == 0) return false;
    *part = reading->reads[place->range];
    const size_t left = part->bytes - place->done;
    part->offset += place->done;
    part->data = (unsigned char*)part->data + place->done;
    part->bytes = left < room ? left : room;
    place->done += part->bytes;
    if (part->bytes == left) *place = (tact_read_place){place->range + 1, 0};
    return true;
}

static tact_result fill_slot(tact_reading* reading)
{
    tact_device* device = reading->device;
    tact_ring* ring = &device->down;
    const uint32_t slot = reading->filled % TACT_RING_SLOTS;
    tact_result result = wait_for_slot(device, ring, slot, false);
    const unsigned char* memory = memory_of(device, ring, slot);
    size_t used = 0;
    tact_read part;
    while (result == TACT_OK && next_part(reading, &reading->filled_to, device->slot_bytes - used, &part)) {
        tact_modelled_enter(&device->modelled);
        result = device->ops->ring_down(ring, (size_t)(memory - ring->memory) + used, &part);
        note_transfer(device, part.bytes, false);
        used += part.bytes;
    }
    ++reading->filled;
    const tact_result closed = close_slot(device, ring, slot);
    return result == TACT_OK ? closed : result;
}

static tact_result empty_slot(tact_reading* reading)
{
    tact_device* device = reading->device;
    const uint32_t slot = reading->emptied % TACT_RING_SLOTS;
    const tact_result result = wait_for_slot(device, &device->down, slot, reading->emptied == 0);
    if (result != TACT_OK) return result;
    if (reading->emptied++ == 0) reading->began = tact_device_milliseconds(device);
    const unsigned char* memory = memory_of(device, &device->down, slot);
    size_t used = 0;
    tact_read part;
    while (next_part(reading, &reading->emptied_to, device->slot_bytes - used, &part)) {
        copy(device, part.data, memory + used, part.bytes);
        used += part.bytes;
    }
    return TACT_OK;
}

static tact_result fill_slots(tact_reading* reading)
{
    tact_result result = TACT_OK;
    while (result == TACT_OK && reading->filled_to.range < reading->count &&
           reading->filled - reading->emptied < TACT_RING_SLOTS)
        result = fill_slot(reading);
    return result;
}

tact_result tact_ring_read_begin(tact_reading* reading)
{
    bool sent;
    reading->pinned = reading->device->pinned_given;
    tact_result result = read_pinned(reading, &sent);
    // A slot of nothing has the fence behind it.
    if (result == TACT_OK && sent && reading->count == 0) return fill_slot(reading);
    return result == TACT_OK ? fill_slots(reading) : result;
}

tact_result tact_ring_read_end(tact_reading* reading)
{
    tact_device* device = reading->device;
    tact_result result = TACT_OK;
    ++device->counts.waits;
    reading->began = tact_device_milliseconds(device);
    while (result == TACT_OK && reading->emptied < reading->filled) {
        result = empty_slot(reading);
        if (result == TACT_OK) result = fill_slots(reading);
    }
    device->read_ms += tact_device_milliseconds(device) - reading->began;
    if (result == TACT_OK && device->pinned_taken < reading->pinned) device->pinned_taken = reading->pinned;
    return result;
}
