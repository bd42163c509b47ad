// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What ranks tell each other of particles on a device, in each substep. The numbers that the host gives particles are
// in the order of their ids, and stay; slots change with each sort, and are looked up by id after it.

#include <math.h>

#include "gpu/particles/internal.h"

_Static_assert(sizeof(tact_particle_row) == TACT_ROW_WORDS * sizeof(uint32_t), "as it lies on the device");
_Static_assert(TACT_TAG_GHOST == TACT_GHOST, "of tags");

tact_result tact_gpu_rows_number(tact_gpu_particles* e)
{
    tact_gpu_rows* r = &e->ranked_rows;
    if (r->numbered) return tact_device_result(e->device);
    tact_gpu_particles_room(e);
    tact_gpu_particles_need(e, &r->ids, (uint64_t)e->count * 4, "ids of particles");
    tact_gpu_particles_need(e, &r->slots, (uint64_t)e->count * 4, "slots of particles");
    tact_gpu_particles_order_ids(e);
    tact_gpu_particles_pick(e, e->set.tag, 2, true, r->ids);
    r->numbered = tact_device_result(e->device) == TACT_OK;
    r->placed = false;
    return tact_device_result(e->device);
}

/// Brings up to date in which slots particles are, and takes a list of their numbers over.
static tact_result list_rows(tact_gpu_particles* e, const uint32_t* rows, size_t count)
{
    tact_gpu_rows* r = &e->ranked_rows;
    tact_gpu_rows_number(e);
    if (!r->placed)
        TACT_LAUNCH_ITEMS(e->device, particles_slots, e->count, .tag = e->set.tag, .ids = r->ids, .slots = r->slots,
                          .count = (uint32_t)e->count);
    tact_gpu_particles_need(e, &r->list, (uint64_t)count * 4, "particles of other ranks");
    tact_gpu_particles_need(e, &r->rows, (uint64_t)count * sizeof(tact_particle_row), "particles of other ranks");
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    r->placed = true;
    return tact_buffer_write(r->list, 0, rows, count * sizeof *rows);
}

static tact_gpu_turns turns_of(const tact_gpu_particles* e)
{
    return e->turning ? e->turning->turns(e) : (tact_gpu_turns){NULL, NULL, 0.0f};
}

/// Puts rows side by side.
static tact_result gather_rows(tact_gpu_particles* e, const uint32_t* rows, size_t count)
{
    const tact_gpu_rows* r = &e->ranked_rows;
    const tact_gpu_turns turns = turns_of(e);
    if (list_rows(e, rows, count) != TACT_OK) return tact_device_result(e->device);
    return TACT_LAUNCH_ITEMS(e->device, particles_rows, count, .slots = r->slots, .list = r->list,
                             .position = r->moved ? r->moved : e->set.position, .velocity = e->set.velocity,
                             .spin = turns.spin ? turns.spin : e->set.tag, .rows = r->rows, .count = (uint32_t)count,
                             .turning = turns.spin != NULL);
}

static tact_result read_rows(tact_gpu_particles* e, const uint32_t* rows, size_t count, tact_particle_row* to)
{
    if (gather_rows(e, rows, count) != TACT_OK) return tact_device_result(e->device);
    return tact_buffer_read(e->ranked_rows.rows, 0, to, count * sizeof *to);
}

static tact_result write_rows(tact_gpu_particles* e, const TactGrid* grid, const uint32_t* rows, size_t count,
                              const tact_particle_row* from)
{
    const tact_gpu_rows* r = &e->ranked_rows;
    const tact_gpu_turns turns = turns_of(e);
    if (list_rows(e, rows, count) != TACT_OK) return tact_device_result(e->device);
    tact_buffer_write(r->rows, 0, from, count * sizeof *from);
    uint32_t parts = r->moved ? 0u : TACT_GHOST_SPEEDS;
    if (turns.spin) parts |= TACT_GHOST_SPINS;
    if (turns.listed) parts |= TACT_GHOST_LISTED;
    return TACT_LAUNCH_ITEMS(
        e->device, particles_ghosts, count, .slots = r->slots, .list = r->list, .rows = r->rows,
        .position = r->moved ? r->moved : e->set.position, .velocity = e->set.velocity,
        .spin = turns.spin ? turns.spin : e->ranked, .listed = turns.listed ? turns.listed : e->keys,
        .counters = e->counters, .count = (uint32_t)count, .parts = parts, .most = turns.most,
        .period_x = as_uint(grid->x.period), .period_y = as_uint(grid->y.period), .period_z = as_uint(grid->z.period));
}

tact_result tact_gpu_particles_read_rows(tact_particle_engine* engine, const uint32_t* rows, size_t count,
                                         tact_particle_row* to)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = read_rows(e, rows, count, to);
    tact_device_leave(e->device);
    return result;
}

tact_result tact_gpu_particles_write_rows(tact_particle_engine* engine, const TactGrid* grid, const uint32_t* rows,
                                          size_t count, const tact_particle_row* from)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = write_rows(e, grid, rows, count, from);
    tact_device_leave(e->device);
    return result;
}

tact_result tact_gpu_rows_pace(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to, uint32_t word)
{
    TACT_LAUNCH_ITEMS(e->device, particles_paces, e->count, .from = from ? from : to, .to = to, .squares = e->keys,
                      .count = (uint32_t)e->count, .ways = from != NULL);
    return tact_reduce_run(e->reduce, TACT_REDUCE_MAX_UINT, e->keys, (uint32_t)e->count, e->counters, word);
}

tact_result tact_gpu_particles_fastest(tact_particle_engine* engine, const tact_particle_model* model,
                                       const uint32_t* rows, size_t count, tact_particle_row* to, float* speed,
                                       float* way)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    uint32_t squares[2] = {0};
    tact_result result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    // Without substeps before there is nothing that could be collected, nor rows.
    TACT_ASSERT(e->tally);
    tact_gpu_particles_room(e);
    tact_gpu_rows_pace(e, NULL, e->set.velocity, TACT_COUNTER_SPEED);
    if (count > 0) gather_rows(e, rows, count);
    const tact_read gathered = {e->ranked_rows.rows, 0, count * sizeof *to, to};
    result = tact_device_result(e->device);
    if (result == TACT_OK) result = tact_gpu_particles_collect(e, squares, count > 0 ? &gathered : NULL);
    tact_device_leave(e->device);
    *speed = sqrtf(as_float(squares[0]));
    *way = model->response == TACT_RESPONSE_POSITION ? sqrtf(as_float(squares[1])) : *speed * model->motion.dt;
    return result;
}

void tact_gpu_rows_free(tact_gpu_particles* e)
{
    tact_gpu_rows* r = &e->ranked_rows;
    tact_buffer** const all[] = {&r->ids, &r->slots, &r->list, &r->rows};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_buffer_drop(all[i]);
}

uint64_t tact_gpu_rows_bytes(const tact_gpu_particles* e)
{
    const tact_gpu_rows* r = &e->ranked_rows;
    const tact_buffer* const all[] = {r->ids, r->slots, r->list, r->rows};
    return tact_buffer_sizes(all, sizeof all / sizeof *all);
}
