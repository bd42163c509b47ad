// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/particles/particles.h"

#include <math.h>
#include <string.h>

#include "gpu/particles/internal.h"

tact_result tact_gpu_particles_need(tact_gpu_particles* e, tact_buffer** buffer, uint64_t bytes, const char* what)
{
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    if (*buffer && tact_buffer_size(*buffer) >= bytes) return TACT_OK;
    tact_buffer_drop(buffer);
    tact_buffer_create(e->device, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX, NULL, buffer);
    return TACT_DEVICE_WITHIN(e->device, "room for %s: ", what);
}

void tact_gpu_particles_drop_scratch(tact_gpu_particles* e)
{
    tact_buffer** const all[] = {&e->other.position, &e->other.velocity, &e->other.tag,
                                 &e->keys,           &e->order,          &e->ranked};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        tact_buffer_drop(all[i]);
    e->capacity = 0;
}

void tact_gpu_particles_drop_sets(tact_gpu_particles* e)
{
    tact_gpu_particles_drop_scratch(e);
    tact_buffer_drop(&e->set.position);
    tact_buffer_drop(&e->set.velocity);
    tact_buffer_drop(&e->set.tag);
    e->count = 0;
}

tact_result tact_gpu_particles_make_sets(tact_gpu_particles* e, size_t capacity)
{
    tact_gpu_particle_set* const sets[2] = {&e->set, &e->other};
    for (int i = 0; i < 2; ++i) {
        tact_gpu_particles_need(e, &sets[i]->position, (uint64_t)capacity * 16, "positions");
        tact_gpu_particles_need(e, &sets[i]->velocity, (uint64_t)capacity * 16, "velocities");
        tact_gpu_particles_need(e, &sets[i]->tag, (uint64_t)capacity * 8, "tags");
    }
    tact_gpu_particles_need(e, &e->keys, (uint64_t)capacity * 4, "cells of particles");
    tact_gpu_particles_need(e, &e->order, (uint64_t)capacity * 4, "an order");
    tact_gpu_particles_need(e, &e->ranked, (uint64_t)capacity * 4, "an order");
    if (tact_device_result(e->device) == TACT_OK) e->capacity = capacity;
    return tact_device_result(e->device);
}

tact_result tact_gpu_particles_room(tact_gpu_particles* e)
{
    return e->capacity > 0 ? TACT_OK : tact_gpu_particles_make_sets(e, e->count);
}

float tact_gpu_particles_least_radius(const tact_gpu_particles* e)
{
    uint32_t bin = 0;
    while (bin < TACT_RADIUS_BINS && e->radius_bins[bin] == 0)
        ++bin;
    return bin < TACT_RADIUS_BINS ? as_float(bin << TACT_RADIUS_SHIFT) : 0.0f;
}

void tact_gpu_particles_note_extent(tact_gpu_particles* e, const tact_particle_state* extra)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < extra->count; ++i) {
        const float* p = extra->position[i];
        ++e->radius_bins[tact_gpu_radius_bin(p[3])];
        for (int k = 0; k < 3; ++k) {
            if (p[k] < lower[k]) lower[k] = p[k];
            if (p[k] > upper[k]) upper[k] = p[k];
        }
    }
    tact_gpu_particles_widen(e, lower, upper);
}

tact_result tact_gpu_particles_room_anew(tact_gpu_particles* e, size_t count)
{
    if (count <= e->capacity && e->capacity > 0) return TACT_OK;
    // Two sets and what is twice as large beside them would be more than the memory we promise to need.
    tact_gpu_particles_drop_sets(e);
    const tact_result result = tact_gpu_particles_make_sets(e, count < 64 ? 64 : count);
    if (result != TACT_OK) tact_gpu_particles_drop_sets(e);
    return result;
}

tact_result tact_gpu_particles_collect(tact_gpu_particles* e, uint32_t paces[2], const tact_read* more)
{
    if (!e->tally) return TACT_OK;
    enum { COUNTED = 4 };
    uint64_t counted[COUNTED];
    uint32_t words[TACT_COUNTER_WAY + 1];
    tact_read reads[2] = {{e->counters, 0, sizeof words, words}};
    if (more) reads[1] = *more;
    tact_device_read(e->device, reads, more ? 2 : 1);
    if (tact_buffer_fill(e->counters, 0, 2 * COUNTED * sizeof *words, 0) != TACT_OK)
        return tact_device_result(e->device);
    if (paces) memcpy(paces, words + TACT_COUNTER_SPEED, 2 * sizeof *words);
    for (size_t i = 0; i < COUNTED; ++i)
        counted[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    e->tally->slowed += counted[TACT_COUNTER_SLOWED / 2];
    e->tally->stopped += counted[TACT_COUNTER_STOPPED / 2];
    e->tally->unforced += counted[TACT_COUNTER_UNFORCED / 2];
    e->tally->capped += counted[TACT_COUNTER_CAPPED / 2];
    return TACT_OK;
}
