// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Clumps of grains on the CPU. They stay in their order; their members' slots are noted whenever pairs are listed.

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_grain_parts.h"

enum { SHARE = 64 };  ///< clumps that a worker takes at once

tact_result tact_cpu_clumps_load(tact_particle_cpu* e, const tact_particle_state* state)
{
    tact_cpu_grains* g = e->grains;
    if (!tact_reserve(e->base.env, (void**)&g->clumps, &g->clump_capacity, 0, state->clump_count, sizeof *g->clumps))
        return TACT_ERROR_OUT_OF_MEMORY;
    if (state->clump_count > 0) memcpy(g->clumps, state->clumps, state->clump_count * sizeof *g->clumps);
    g->clump_count = state->clump_count;
    return TACT_OK;
}

tact_result tact_cpu_clumps_store(const tact_particle_cpu* e, tact_particle_state* state)
{
    const tact_cpu_grains* g = e->grains;
    if (!tact_particle_state_reserve_clumps(e->base.env, state, g->clump_count)) return TACT_ERROR_OUT_OF_MEMORY;
    if (g->clump_count > 0) memcpy(state->clumps, g->clumps, g->clump_count * sizeof *g->clumps);
    state->clump_count = g->clump_count;
    return TACT_OK;
}

static void put_arm(tact_cpu_member* m, TactVec arm)
{
    m->arm[0] = arm.x;
    m->arm[1] = arm.y;
    m->arm[2] = arm.z;
}

static TactVec arm_of(const tact_cpu_member* m)
{
    return tact_vec(m->arm[0], m->arm[1], m->arm[2]);
}

tact_result tact_cpu_clumps_place(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    const tact_clump_table* t = g->table;
    if (!t) return TACT_OK;
    TACT_ASSERT(t->count == g->clump_count);
    if (!tact_reserve(e->base.env, (void**)&g->members, &g->member_capacity, 0, t->begins[t->count],
                      sizeof *g->members)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t n = 0; n < t->begins[t->count] && e->has_ghosts; ++n)
        g->members[n].slot = TACT_NONE;
    for (size_t i = 0; i < e->count; ++i) {
        const uint32_t id = e->ids[e->now.tag[i][0]];
        if (tact_clump_of(t, id) == TACT_NONE) continue;
        tact_cpu_member* m = &g->members[t->of[id][1]];
        m->slot = (uint32_t)i;
        put_arm(m, tact_clump_arm(&g->clumps[t->of[id][0]], &t->members[t->of[id][1]]));
    }
    return TACT_OK;
}

/// What loops over clumps share.
typedef struct pass {
    tact_particle_cpu* engine;
    const tact_particle_model* model;
    tact_cpu_tally* tallies;
} pass;

static void move_clump(const pass* s, size_t k, tact_particle_counters* counters)
{
    const tact_particle_cpu* e = s->engine;
    const tact_cpu_grains* g = e->grains;
    const tact_clump_table* t = s->model->clumps;
    tact_clump_motion* c = &g->clumps[k];
    tact_clump_load load = {tact_vec(0.0f, 0.0f, 0.0f), tact_vec(0.0f, 0.0f, 0.0f)};
    for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
        const tact_grain_sums* sums = &g->sums[g->members[n].slot];
        tact_grain_self self;
        TactVec force, torque;
        for (int axis = 0; axis < 3; ++axis) {
            self.force[axis] = sums->force[axis];
            self.torque[axis] = sums->torque[axis];
        }
        tact_grain_load(s->model, &self, &force, &torque);
        tact_particle_caller_force(s->model, t->members[n].id, &force);
        tact_particle_caller_torque(s->model, t->members[n].id, &torque);
        tact_clump_push(&load, arm_of(&g->members[n]), force, torque);
    }
    tact_clump_advance(s->model, k, c, &load, counters);
    for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
        const uint32_t i = g->members[n].slot;
        const float from[3] = {e->now.x[i], e->now.y[i], e->now.z[i]};
        const TactVec arm = tact_clump_arm(c, &t->members[n]), v = tact_clump_lead(s->model, c, arm, from);
        put_arm(&g->members[n], arm);
        const float velocity[4] = {v.x, v.y, v.z, 0.0f};
        memcpy(e->now.velocity[i], velocity, sizeof velocity);
    }
}

/// Whether another rank moves a clump: its members are ghosts here, or not there.
static bool is_elsewhere(const tact_particle_cpu* e, size_t k)
{
    const tact_cpu_grains* g = e->grains;
    if (!e->has_ghosts) return false;
    const uint32_t first = g->members[g->table->begins[k]].slot;
    return first == TACT_NONE || tact_cpu_is_ghost(e, first);
}

static void move_range(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    for (size_t k = begin; k < end; ++k) {
        if (!is_elsewhere(s->engine, k)) move_clump(s, k, &s->tallies[worker].counters);
    }
}

static void follow_range(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    const tact_particle_cpu* e = s->engine;
    const tact_cpu_grains* g = e->grains;
    const tact_clump_table* t = s->model->clumps;
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        if (is_elsewhere(e, k)) continue;
        const tact_clump_motion* c = &g->clumps[k];
        const TactVec w = tact_clump_spun(t, k, c);
        for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
            const uint32_t i = g->members[n].slot;
            tact_clump_follow(t, k, c, w, arm_of(&g->members[n]), e->now.velocity[i], g->spin[i], g->turn[i]);
        }
    }
}

void tact_cpu_clumps_move(tact_particle_cpu* e, const tact_particle_model* model, tact_cpu_tally* tallies)
{
    pass s = {e, model, tallies};
    TACT_ASSERT(model->clumps == e->grains->table);
    tact_parallel_for(model->threads, model->clumps->count, SHARE, move_range, &s);
}

void tact_cpu_clumps_follow(tact_particle_cpu* e, const tact_particle_model* model)
{
    pass s = {e, model, NULL};
    tact_parallel_for(model->threads, model->clumps->count, SHARE, follow_range, &s);
}
