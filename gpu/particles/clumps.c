// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Clumps of grains on a device. They stay in their order; their members' slots are noted whenever pairs are listed.

#include <string.h>

#include "gpu/particles/grains.h"

typedef uint32_t row[4];

_Static_assert(sizeof(tact_clump_motion) == TACT_CLUMP_ROWS * sizeof(row), "as it lies on the device");

tact_result tact_gpu_clumps_upload(tact_gpu_particles* e, const tact_particle_state* s)
{
    tact_gpu_grains* g = e->grains;
    g->clump_count = s->clump_count;
    g->clump_version = 0;
    if (s->clump_count == 0) return tact_device_result(e->device);
    const size_t bytes = s->clump_count * sizeof *s->clumps;
    tact_gpu_particles_need(e, &g->clumps, bytes, "clumps");
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    return tact_buffer_write(g->clumps, 0, s->clumps, bytes);
}

tact_result tact_gpu_clumps_read(tact_gpu_particles* e, tact_particle_state* staging)
{
    const tact_gpu_grains* g = e->grains;
    if (tact_device_result(e->device) != TACT_OK || g->clump_count == 0) return tact_device_result(e->device);
    if (!tact_particle_state_reserve_clumps(e->base.env, staging, g->clump_count))
        return tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    staging->clump_count = g->clump_count;
    return tact_buffer_read(g->clumps, 0, staging->clumps, g->clump_count * sizeof *staging->clumps);
}

/// Rows of `parts`.
static void make_parts(const tact_clump_table* t, row* rows)
{
    const size_t first = TACT_CLUMP_PART_ROWS * t->count;
    for (size_t k = 0; k < t->count; ++k) {
        const TactClumpBody* b = &t->bodies[k];
        const uint32_t at = (uint32_t)(first + TACT_CLUMP_MEMBER_ROWS * t->begins[k]);
        const row parts[TACT_CLUMP_PART_ROWS] = {
            {at, (uint32_t)(t->begins[k + 1] - t->begins[k]), as_uint(b->inverse_mass), as_uint(b->reach)},
            {as_uint(b->xx), as_uint(b->yy), as_uint(b->zz), 0},
            {as_uint(b->xy), as_uint(b->xz), as_uint(b->yz), 0}};
        memcpy(rows[TACT_CLUMP_PART_ROWS * k], parts, sizeof parts);
    }
    for (size_t n = 0; n < t->begins[t->count]; ++n) {
        const tact_clump_member* m = &t->members[n];
        const row parts[TACT_CLUMP_MEMBER_ROWS] = {
            {TACT_GRAIN_NONE, as_uint(m->offset[0]), as_uint(m->offset[1]), as_uint(m->offset[2])}, {m->id, 0, 0, 0}};
        memcpy(rows[first + TACT_CLUMP_MEMBER_ROWS * n], parts, sizeof parts);
    }
}

/// By id: the clump, and the row of `parts` that is the member's.
static void make_of(const tact_clump_table* t, uint32_t (*of)[2])
{
    for (size_t id = 0; id < t->id_end; ++id) {
        of[id][0] = t->of[id][0];
        of[id][1] = (uint32_t)(TACT_CLUMP_PART_ROWS * t->count + TACT_CLUMP_MEMBER_ROWS * (size_t)t->of[id][1]);
    }
}

tact_result tact_gpu_clumps_update(tact_gpu_particles* e, const tact_particle_model* model)
{
    tact_gpu_grains* g = e->grains;
    const tact_clump_table* t = model->clumps;
    tact_env* env = e->base.env;
    TACT_ASSERT(g->clump_count == (t ? t->count : 0));
    if (!t || g->clump_version == t->version) return tact_device_result(e->device);
    const size_t rows = TACT_CLUMP_PART_ROWS * t->count + TACT_CLUMP_MEMBER_ROWS * t->begins[t->count];
    if (rows > UINT32_MAX) return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT, "%zu rows of clumps", rows);
    row* parts = tact_allocate(env, rows, sizeof *parts);
    uint32_t(*of)[2] = tact_allocate(env, t->id_end + 1, sizeof *of);
    if (parts && of) {
        make_parts(t, parts);
        make_of(t, of);
        tact_gpu_particles_need(e, &g->parts, (uint64_t)rows * sizeof *parts, "spheres of clumps");
        tact_gpu_particles_need(e, &g->of, (uint64_t)t->id_end * sizeof *of, "spheres of clumps");
    } else {
        tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    }
    if (tact_device_result(e->device) == TACT_OK) {
        tact_buffer_write(g->parts, 0, parts, rows * sizeof *parts);
        tact_buffer_write(g->of, 0, of, t->id_end * sizeof *of);
        g->clump_version = t->version;
        // Slots are noted with a list.
        g->holds = false;
    }
    tact_release(env, parts);
    tact_release(env, of);
    return tact_device_result(e->device);
}

tact_result tact_gpu_clumps_place(tact_gpu_particles* e, const tact_particle_model* model, tact_buffer* memory)
{
    const tact_gpu_grains* g = e->grains;
    if (!model->clumps) return tact_device_result(e->device);
    return TACT_LAUNCH_ITEMS(e->device, particles_clump_place, e->count, .tag = e->set.tag, .of = g->of,
                             .parts = g->parts, .memory = memory, .count = (uint32_t)e->count,
                             .id_end = (uint32_t)model->clumps->id_end);
}

tact_result tact_gpu_clumps_move(tact_gpu_particles* e, const tact_particle_model* model, uint32_t number)
{
    const tact_gpu_grains* g = e->grains;
    if (g->clump_count == 0) return tact_device_result(e->device);
    uint32_t torque_count;
    const uint32_t torques = tact_gpu_torques_at(model, &torque_count);
    return TACT_LAUNCH_ITEMS(e->device, particles_clump_move, g->clump_count, .position = e->set.position,
                             .velocity = e->set.velocity, .sums = g->sums, .parts = g->parts, .model = e->model,
                             .forces = e->acting, .clumps = g->clumps, .counters = e->counters,
                             .count = (uint32_t)e->count, .clump_count = (uint32_t)g->clump_count, .number = number,
                             .torques = torques, .torque_count = torque_count);
}

tact_result tact_gpu_clumps_follow(tact_gpu_particles* e, uint32_t number)
{
    const tact_gpu_grains* g = e->grains;
    if (g->clump_count == 0) return tact_device_result(e->device);
    return TACT_LAUNCH_ITEMS(e->device, particles_clump_follow, g->clump_count, .clumps = g->clumps, .parts = g->parts,
                             .velocity = e->set.velocity, .spin = g->spin, .turn = g->turn, .counters = e->counters,
                             .clump_count = (uint32_t)g->clump_count, .number = number);
}
