// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that come and go between steps while the state stays on the device. What comes is written behind the rest.
// What a sink takes is found by the device; the host hears how many those are, and, where there are any, which.

#include <string.h>

#include "gpu/particles/internal.h"

enum {
    PART = 512  // rows taken out that the host fetches at a time
};

/// How many particles to have room for where `needed` are more than there is room for: a sixteenth more, so that not
/// every sheet has all buffers made anew.
static size_t room_for(const tact_gpu_particles* e, size_t needed)
{
    const uint64_t most = tact_device_describe(e->device)->max_buffer_bytes / 16;
    const size_t wanted = needed + needed / 16;
    return wanted <= most || needed > most ? wanted : (size_t)most;
}

tact_result tact_gpu_particles_lengthen(tact_gpu_particles* e, tact_buffer** buffer, size_t bytes, size_t used)
{
    tact_buffer* longer = NULL;
    if (tact_device_result(e->device) != TACT_OK || tact_buffer_size(*buffer) >= bytes) {
        return tact_device_result(e->device);
    }
    tact_buffer_create(e->device, bytes, NULL, &longer);
    TACT_DEVICE_WITHIN(e->device, "room for more particles: ");
    if (used > 0) tact_buffer_copy(longer, 0, *buffer, 0, used);
    if (tact_device_result(e->device) == TACT_OK) {
        tact_buffer_destroy(*buffer);
        *buffer = longer;
    } else {
        tact_buffer_destroy(longer);
    }
    return tact_device_result(e->device);
}

/// Scratch goes first and comes back last, so that no more than one buffer is there twice. It may be missing after a
/// failure: see tact_gpu_particles_room().
static tact_result grow(tact_gpu_particles* e, size_t capacity)
{
    tact_gpu_particles_drop_scratch(e);
    tact_gpu_particles_lengthen(e, &e->set.position, capacity * 16, e->count * 16);
    tact_gpu_particles_lengthen(e, &e->set.velocity, capacity * 16, e->count * 16);
    tact_gpu_particles_lengthen(e, &e->set.tag, capacity * 8, e->count * 8);
    return tact_gpu_particles_make_sets(e, capacity);
}

tact_result tact_gpu_particles_grow(tact_gpu_particles* e, size_t count)
{
    return count > e->capacity ? grow(e, room_for(e, count)) : TACT_OK;
}

static tact_result append(tact_gpu_particles* e, const tact_particle_state* extra)
{
    const size_t n = extra->count, needed = e->count + n;
    tact_gpu_particles_grow(e, needed);
    tact_buffer_write(e->set.position, e->count * 16, extra->position, n * 16);
    tact_buffer_write(e->set.velocity, e->count * 16, extra->velocity, n * 16);
    tact_buffer_write(e->set.tag, e->count * 8, extra->tag, n * 8);
    if (e->turning) e->turning->come(e, extra, n);
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    tact_gpu_particles_note_extent(e, extra);
    e->count = needed;
    return TACT_OK;
}

tact_result tact_gpu_particles_append(tact_particle_engine* engine, const tact_particle_state* extra)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    if (extra->count == 0) return TACT_OK;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = append(e, extra);
    tact_device_leave(e->device);
    return result;
}

/// Brings the device's copy of the sinks up to date.
static tact_result update_sinks(tact_gpu_particles* e, const tact_particle_solid* sinks, uint32_t count)
{
    uint32_t rows[TACT_MAX_SINKS * TACT_SOLID_ROWS * 4];
    const size_t bytes = (size_t)count * TACT_SOLID_ROWS * 16;
    for (uint32_t i = 0; i < count; ++i)
        tact_gpu_particles_put_solid(&sinks[i], rows, TACT_SOLID_ROWS * i);
    if (e->sink_bytes == bytes && memcmp(e->sink_rows, rows, bytes) == 0) return TACT_OK;
    e->sink_bytes = 0;
    tact_gpu_particles_need(e, &e->sinks, bytes, "sinks");
    if (tact_buffer_write(e->sinks, 0, rows, bytes) != TACT_OK) return tact_device_result(e->device);
    memcpy(e->sink_rows, rows, bytes);
    e->sink_bytes = bytes;
    return TACT_OK;
}

/// Flags those in a sink in e->keys, and counts them.
static tact_result find_sunk(tact_gpu_particles* e, uint32_t sink_count, uint32_t* sunk)
{
    const size_t at = (size_t)TACT_COUNTER_SUNK * 4;
    tact_buffer_fill(e->counters, at, 4, 0);
    TACT_LAUNCH_ITEMS(e->device, particles_sunk, e->count, .position = e->set.position, .tag = e->set.tag,
                      .sinks = e->sinks, .flags = e->keys, .counters = e->counters, .count = (uint32_t)e->count,
                      .sink_count = sink_count);
    return tact_buffer_read(e->counters, at, sunk, sizeof *sunk);
}

/// Puts the flagged ones behind the others. The scratch set becomes the present one.
static void split(tact_gpu_particles* e, uint32_t sunk)
{
    tact_scan_run(e->scan, e->keys, e->keys, (uint32_t)e->count, NULL, 0);
    TACT_LAUNCH_ITEMS(e->device, particles_split, e->count, .places = e->keys, .position = e->set.position,
                      .velocity = e->set.velocity, .tag = e->set.tag, .split_position = e->other.position,
                      .split_velocity = e->other.velocity, .split_tag = e->other.tag, .count = (uint32_t)e->count,
                      .sunk = sunk);
    if (tact_device_result(e->device) == TACT_OK) tact_gpu_particles_swap(e);
    if (e->turning) e->turning->split(e, sunk);
}

/// The ids of those behind, whose radii then do not count any more.
static tact_result read_sunk(tact_gpu_particles* e, size_t sunk, uint32_t* ids)
{
    uint32_t tags[PART][2];
    float places[PART][4];
    const size_t kept = e->count - sunk;
    for (size_t done = 0; done < sunk;) {
        const size_t n = sunk - done < PART ? sunk - done : PART;
        tact_buffer_read(e->set.tag, (kept + done) * 8, tags, n * 8);
        tact_buffer_read(e->set.position, (kept + done) * 16, places, n * 16);
        if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
        for (size_t i = 0; i < n; ++i) {
            ids[done + i] = tags[i][0];
            --e->radius_bins[tact_gpu_radius_bin(places[i][3])];
        }
        done += n;
    }
    return TACT_OK;
}

static tact_result drain(tact_gpu_particles* e, const tact_particle_solid* sinks, uint32_t sink_count, uint32_t* ids,
                         size_t* count)
{
    uint32_t sunk = 0;
    tact_gpu_particles_room(e);
    update_sinks(e, sinks, sink_count);
    find_sunk(e, sink_count, &sunk);
    if (tact_device_result(e->device) != TACT_OK || sunk == 0) return tact_device_result(e->device);
    split(e, sunk);
    if (read_sunk(e, sunk, ids) != TACT_OK) return tact_device_result(e->device);
    e->count -= sunk;
    e->has_tables = e->ranked_rows.numbered = false;
    *count = sunk;
    return TACT_OK;
}

tact_result tact_gpu_particles_drain(tact_particle_engine* engine, const tact_particle_solid* regions,
                                     uint32_t region_count, uint32_t* ids, size_t* count)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    *count = 0;
    if (e->count == 0) return TACT_OK;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = drain(e, regions, region_count, ids, count);
    tact_device_leave(e->device);
    return result;
}
