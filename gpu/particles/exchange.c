// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles between a system on a device and the caller's buffers there. These may be larger than a kernel can bind, or
// begin where it cannot, so rows are copied through the scratch set; only some words of what is found go to the host.

#include <math.h>
#include <string.h>

#include "gpu/device_array.h"
#include "gpu/particles/internal.h"
#include "kernels/particle_rows.h"

enum {
    RADIUS_SHIFT = 20,  // of a radius's bits, to its bin
    KINDS = 64,         // of radii in bins: 16 to 1 is 33
    // What examine() puts together for the host, in words of e->keys, which has 64 at least.
    PLACES = 0,
    SPEEDS = 8,
    BAD = 16,
    ROWS = 20,
    FOUND = 28
};

/// Copies rows between a buffer of ours and one of the caller's, there from number `begin` on.
static tact_result copy_part(tact_gpu_particles* e, const tact_device_array* array, tact_buffer* own, size_t begin,
                             size_t count, bool out)
{
    const size_t bytes = count * 16;
    tact_buffer* callers = NULL;
    if (tact_device_array_open(e->device, array, begin * 16 + bytes, &callers) != TACT_OK)
        return tact_device_result(e->device);
    const size_t at = (size_t)array->offset + begin * 16;
    if (out) {
        tact_buffer_copy(callers, at, own, 0, bytes);
    } else {
        tact_buffer_copy(own, 0, callers, at, bytes);
    }
    tact_buffer_destroy(callers);
    return tact_device_result(e->device);
}

static tact_result copy_rows(tact_gpu_particles* e, const tact_device_array* array, tact_buffer* own, size_t count,
                             bool out)
{
    return copy_part(e, array, own, 0, count, out);
}

/// The domain as kernels compare with it: coordinates in the order of floats.
typedef struct ordered_domain {
    uint32_t lower[3], upper[3], end[3];
} ordered_domain;

static ordered_domain order_domain(const tact_particle_model* model)
{
    const TactDomainAxis axes[3] = {model->domain.x, model->domain.y, model->domain.z};
    ordered_domain d;
    for (int i = 0; i < 3; ++i) {
        const bool open = axes[i].faces == TACT_FACES_OPEN;
        const float lower = open ? -TACT_MAX_COORDINATE : axes[i].lower;
        const float upper = open ? TACT_MAX_COORDINATE : axes[i].upper;
        // A kernel takes -0 for 0: then a lower end of either comes before it, but an upper one has to be 0.
        d.lower[i] = tact_ordered(as_uint(lower));
        d.upper[i] = tact_word_place(as_uint(upper));
        const bool periodic = axes[i].faces == TACT_FACES_PERIODIC;
        d.end[i] = periodic ? tact_ordered(as_uint(lower + (upper - lower))) : UINT32_MAX;
    }
    return d;
}

static tact_result launch_examine(tact_gpu_particles* e, const tact_particle_model* model,
                                  const tact_particle_device_rows* rows)
{
    const ordered_domain d = order_domain(model);
    tact_buffer_fill(e->ranked, 0, 4, TACT_NONE);
    return TACT_LAUNCH_ITEMS(e->device, particles_examine, rows->count, .rows = e->other.position,
                             .speeds = e->other.velocity, .bad = e->ranked, .count = (uint32_t)rows->count,
                             .moving = rows->velocities != NULL, .lower_x = d.lower[0], .lower_y = d.lower[1],
                             .lower_z = d.lower[2], .upper_x = d.upper[0], .upper_y = d.upper[1], .upper_z = d.upper[2],
                             .radius = as_uint(rows->largest), .speed = as_uint(TACT_SPEED_RANGE));
}

/// Puts what was found, and the first rows, side by side in e->keys, and reads it.
static tact_result collect(tact_gpu_particles* e, const tact_particle_device_rows* rows, uint32_t found[FOUND])
{
    const uint32_t count = (uint32_t)rows->count;
    tact_reduce_bounds(e->reduce, TACT_POINTS, e->other.position, count, e->keys);
    tact_buffer_copy(e->keys, (size_t)BAD * 4, e->ranked, 0, 4);
    tact_buffer_copy(e->keys, (size_t)ROWS * 4, e->other.position, 0, 16);
    if (tact_device_result(e->device) == TACT_OK && rows->velocities) {
        tact_reduce_bounds(e->reduce, TACT_POINTS, e->other.velocity, count, e->order);
        tact_buffer_copy(e->keys, (size_t)SPEEDS * 4, e->order, 0, 32);
        tact_buffer_copy(e->keys, (size_t)(ROWS + 4) * 4, e->other.velocity, 0, 16);
    }
    return tact_buffer_read(e->keys, 0, found, (size_t)FOUND * 4);
}

static tact_result look_at(tact_gpu_particles* e, const tact_particle_model* model,
                           const tact_particle_device_rows* rows, tact_particle_facts* facts)
{
    uint32_t found[FOUND] = {0};
    const size_t needed = e->count + rows->count;
    if (e->count > 0) {
        tact_gpu_particles_grow(e, needed < 64 ? 64 : needed);
    } else {
        tact_gpu_particles_room_anew(e, needed);
    }
    copy_rows(e, rows->positions, e->other.position, rows->count, false);
    if (rows->velocities) copy_rows(e, rows->velocities, e->other.velocity, rows->count, false);
    launch_examine(e, model, rows);
    if (collect(e, rows, found) != TACT_OK) return tact_device_result(e->device);
    memcpy(facts->lower, found + PLACES, sizeof facts->lower);
    memcpy(facts->upper, found + PLACES + 4, sizeof facts->upper);
    memcpy(facts->first, found + ROWS, sizeof facts->first);
    facts->least_mass = rows->velocities ? as_float(found[SPEEDS + 3]) : INFINITY;
    facts->bad = found[BAD];
    if (facts->bad >= rows->count) return TACT_OK;
    const size_t at = (size_t)facts->bad * 16;
    tact_buffer_read(e->other.position, at, facts->refused[0], 16);
    if (rows->velocities) tact_buffer_read(e->other.velocity, at, facts->refused[1], 16);
    return tact_device_result(e->device);
}

tact_result tact_gpu_particles_examine(tact_particle_engine* engine, const tact_particle_model* model,
                                       const tact_particle_device_rows* rows, tact_particle_facts* facts)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    memset(facts, 0, sizeof *facts);
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = look_at(e, model, rows, facts);
    tact_device_leave(e->device);
    return result;
}

static tact_result launch_adopt(tact_gpu_particles* e, const tact_particle_model* model,
                                const tact_particle_device_rows* rows, const uint32_t* ids)
{
    const ordered_domain d = order_domain(model);
    // Ascending and as many as they span: then all in between are there.
    const bool listed = ids[rows->count - 1] - ids[0] != rows->count - 1;
    if (listed) tact_buffer_write(e->order, 0, ids, rows->count * sizeof *ids);
    return TACT_LAUNCH_ITEMS(e->device, particles_adopt, rows->count, .rows = e->other.position,
                             .speeds = e->other.velocity, .ids = e->order, .position = e->set.position,
                             .velocity = e->set.velocity, .tag = e->set.tag, .begin = (uint32_t)e->count,
                             .count = (uint32_t)rows->count, .moving = rows->velocities != NULL,
                             .inverse = as_uint(rows->inverse_mass), .listed = listed, .first_id = ids[0],
                             .kind = rows->kind, .lower_x = d.lower[0], .lower_y = d.lower[1], .lower_z = d.lower[2],
                             .end_x = d.end[0], .end_y = d.end[1], .end_z = d.end[2]);
}

/// How many radii there are of each kind, of which the size of tables follows.
static tact_result count_radii(tact_gpu_particles* e, const tact_particle_device_rows* rows,
                               const tact_particle_facts* facts)
{
    const uint32_t lowest = tact_gpu_radius_bin(facts->lower[3]);
    if (lowest == tact_gpu_radius_bin(facts->upper[3])) {
        e->radius_bins[lowest] += (uint32_t)rows->count;
        return TACT_OK;
    }
    uint32_t counts[KINDS];
    tact_buffer_fill(e->keys, 0, sizeof counts, 0);
    TACT_LAUNCH_ITEMS(e->device, particles_radii, rows->count, .rows = e->other.position, .bins = e->keys,
                      .count = (uint32_t)rows->count, .lowest = lowest, .shift = RADIUS_SHIFT);
    if (tact_buffer_read(e->keys, 0, counts, sizeof counts) != TACT_OK) return tact_device_result(e->device);
    for (uint32_t i = 0; i < KINDS; ++i) {
        if (lowest + i < TACT_RADIUS_BINS) e->radius_bins[lowest + i] += counts[i];
    }
    return TACT_OK;
}

static tact_result take_over(tact_gpu_particles* e, const tact_particle_model* model,
                             const tact_particle_device_rows* rows, const tact_particle_facts* facts,
                             const uint32_t* ids)
{
    launch_adopt(e, model, rows, ids);
    if (e->turning) e->turning->come(e, NULL, rows->count);
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    const bool first = e->count == 0;
    if (first) memset(e->radius_bins, 0, sizeof e->radius_bins);
    if (count_radii(e, rows, facts) != TACT_OK) return tact_device_result(e->device);
    tact_gpu_particles_widen(e, facts->lower, facts->upper);
    if (first) tact_gpu_particles_forget(e);
    e->count += rows->count;
    return TACT_OK;
}

tact_result tact_gpu_particles_adopt(tact_particle_engine* engine, const tact_particle_model* model,
                                     const tact_particle_device_rows* rows, const tact_particle_facts* facts,
                                     const uint32_t* ids)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = take_over(e, model, rows, facts, ids);
    tact_device_leave(e->device);
    return result;
}

static tact_result give(tact_gpu_particles* e, const tact_device_array* positions, const tact_device_array* velocities,
                        bool dense)
{
    tact_gpu_particles_room(e);
    if (!dense) tact_gpu_particles_order_ids(e);
    TACT_LAUNCH_ITEMS(e->device, particles_give, e->count, .order = e->order, .position = e->set.position,
                      .velocity = e->set.velocity, .tag = e->set.tag, .rows = e->other.position,
                      .speeds = e->other.velocity, .count = (uint32_t)e->count, .dense = dense);
    if (positions) copy_rows(e, positions, e->other.position, e->count, true);
    if (velocities) copy_rows(e, velocities, e->other.velocity, e->count, true);
    return tact_device_result(e->device);
}

tact_result tact_gpu_particles_give(tact_particle_engine* engine, const tact_device_array* positions,
                                    const tact_device_array* velocities, bool dense)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    if (e->count == 0) return TACT_OK;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = give(e, positions, velocities, dense);
    tact_device_leave(e->device);
    return result;
}

/// Looks at the caller's forces, or packs them, in parts for which the scratch set has room.
static tact_result pass_forces(tact_gpu_particles* e, const tact_device_array* array, size_t count, tact_buffer* forces,
                               bool writing)
{
    for (size_t begin = 0; begin < count && tact_device_result(e->device) == TACT_OK; begin += e->capacity) {
        const size_t part = count - begin < e->capacity ? count - begin : e->capacity;
        // What was looked at last is still there.
        if (!writing || count > e->capacity) copy_part(e, array, e->other.position, begin, part, false);
        TACT_LAUNCH_ITEMS(e->device, particles_forces, part, .rows = e->other.position, .forces = forces,
                          .bad = e->ranked, .begin = (uint32_t)begin, .count = (uint32_t)part, .writing = writing);
    }
    return tact_device_result(e->device);
}

static tact_result check_forces(tact_gpu_particles* e, const tact_device_array* array, size_t count, uint32_t* bad)
{
    tact_gpu_particles_room(e);
    tact_buffer_fill(e->ranked, 0, 4, TACT_NONE);
    // Nothing is written, to whichever buffer.
    pass_forces(e, array, count, e->keys, false);
    return tact_buffer_read(e->ranked, 0, bad, sizeof *bad);
}

static tact_result take_forces(tact_gpu_particles* e, const tact_device_array* array, size_t count, uint64_t version,
                               uint32_t* bad)
{
    const tact_result result = check_forces(e, array, count, bad);
    if (result != TACT_OK || *bad != TACT_NONE) return result;
    const size_t bytes = count * 12;
    tact_buffer* longer = NULL;
    // The old ones may be nowhere else, so they go last.
    if (!e->forces || tact_buffer_size(e->forces) < bytes) tact_buffer_create(e->device, bytes, NULL, &longer);
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    // Half written they are nobody's.
    if (!longer) e->forces_version = 0;
    if (pass_forces(e, array, count, longer ? longer : e->forces, true) != TACT_OK) {
        tact_buffer_destroy(longer);
        return tact_device_result(e->device);
    }
    if (longer) {
        tact_buffer_destroy(e->forces);
        e->forces = longer;
    }
    e->forces_version = version;
    return TACT_OK;
}

tact_result tact_gpu_particles_take_forces(tact_particle_engine* engine, const tact_device_array* forces, size_t count,
                                           uint64_t version, uint32_t* bad)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    *bad = TACT_NONE;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = take_forces(e, forces, count, version, bad);
    tact_device_leave(e->device);
    return result;
}

tact_result tact_gpu_particles_give_forces(tact_particle_engine* engine, float (*forces)[3], size_t count)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    if (e->forces_version == 0) return tact_fail(engine->env, TACT_ERROR_DEVICE_LOST, "forces could not be replaced");
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = tact_buffer_read(e->forces, 0, forces, count * sizeof *forces);
    tact_device_leave(e->device);
    return result;
}
