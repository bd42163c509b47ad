// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bonds of grains on the CPU, a pair at a time. They are in no list of pairs that lanes work out, since they reach
// farther; each is with both of its grains, so that threads need not share sums.

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_grain_parts.h"

enum { GRAIN = 256 };

void tact_cpu_bonds_drop(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    tact_release(e->base.env, g->bond_begins);
    tact_release(e->base.env, g->bonds);
    g->bond_begins = NULL;
    g->bonds = NULL;
    g->bond_slots = g->bond_capacity = 0;
}

static size_t count_bonds(const tact_cpu_grains* g)
{
    size_t bonds = 0;
    for (size_t k = 0; k < g->record_count; ++k)
        bonds += tact_grain_bond_of(&g->records[k]).kind > 0.0f;
    return bonds;
}

static size_t rank_of(const tact_particle_cpu* e, uint32_t id)
{
    size_t low = 0, high = e->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (e->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    TACT_ASSERT(low < e->count && e->ids[low] == id);
    return low;
}

/// Counts bonds by slot, or, where `places` are given, puts them there.
static void place_bonds(tact_particle_cpu* e, const uint32_t* slots, size_t* places, bool placing)
{
    tact_cpu_grains* g = e->grains;
    for (size_t k = 0; k < g->record_count; ++k) {
        const tact_grain_record* r = &g->records[k];
        const TactBond bond = tact_grain_bond_of(r);
        if (!(bond.kind > 0.0f)) continue;
        const uint32_t ends[2] = {slots[rank_of(e, r->a)], slots[rank_of(e, r->b)]};
        for (int side = 0; side < 2; ++side) {
            const size_t at = places[ends[side]]++;
            if (placing) {
                g->bonds[at] = (tact_cpu_bond){
                    .other = ends[1 - side], .first = side == 0, .there = true, .bond = bond, .spring = r->spring};
            }
        }
    }
}

tact_result tact_cpu_bonds_unpack(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    tact_cpu_bonds_drop(e);
    const size_t count = count_bonds(g);
    if (count == 0) return TACT_OK;
    uint32_t* slots = tact_allocate(env, e->count, sizeof *slots);
    g->bond_begins = tact_allocate_zeroed(env, e->count + 1, sizeof *g->bond_begins);
    g->bonds = tact_allocate(env, 2 * count, sizeof *g->bonds);
    if (slots && g->bond_begins && g->bonds) {
        g->bond_slots = e->count;
        g->bond_capacity = 2 * count;
        for (size_t i = 0; i < e->count; ++i)
            slots[e->now.tag[i][0]] = (uint32_t)i;
        place_bonds(e, slots, g->bond_begins, false);
        size_t place = 0;
        for (size_t i = 0; i <= e->count; ++i) {
            const size_t here = g->bond_begins[i];
            g->bond_begins[i] = place;
            place += here;
        }
        place_bonds(e, slots, g->bond_begins, true);
        // Each is now where the next begins.
        memmove(g->bond_begins + 1, g->bond_begins, e->count * sizeof *g->bond_begins);
        g->bond_begins[0] = 0;
    } else {
        tact_cpu_bonds_drop(e);
    }
    tact_release(env, slots);
    return g->bond_begins ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Of all threads.
typedef struct acting {
    tact_particle_cpu* engine;
    const tact_particle_model* model;
    tact_cpu_tally* tallies;
    TACT_ATOMIC(bool) broken;
} acting;

static tact_grain_self self_of(const tact_particle_cpu* e, uint32_t i)
{
    const float* spin = e->grains->spin[i];
    const tact_grain_self self = {.p = tact_cpu_self(e, i), .spin = tact_vec(spin[0], spin[1], spin[2])};
    return self;
}

/// What the bond does to the particle in slot `i`.
static void act(const acting* s, uint32_t i, tact_cpu_bond* b, bool* broken, uint64_t* capped)
{
    const tact_particle_cpu* e = s->engine;
    const TactGrid* g = &s->model->grid;
    tact_grain_self own = self_of(e, i), other = self_of(e, b->other);
    tact_grain_self *first = b->first ? &own : &other, *second = b->first ? &other : &own;
    const TactVec d =
        tact_vec(tact_grid_shorter(g->x, second->p.x - first->p.x), tact_grid_shorter(g->y, second->p.y - first->p.y),
                 tact_grid_shorter(g->z, second->p.z - first->p.z));
    const bool bonded = b->bond.kind > 0.0f;
    b->there = tact_grain_pair(s->model, first, second, d, &b->spring, &b->bond);
    *broken = *broken || bonded != (b->bond.kind > 0.0f) || !b->there;
    if (b->first && !tact_cpu_is_ghost(s->engine, i)) *capped += own.capped;
    tact_grain_sums* sums = &e->grains->sums[i];
    for (int k = 0; k < 3; ++k) {
        sums->force[k] += own.force[k];
        sums->torque[k] += own.torque[k];
    }
}

static void act_range(size_t begin, size_t end, int worker, void* user)
{
    acting* s = user;
    const tact_cpu_grains* g = s->engine->grains;
    bool broken = false;
    for (size_t i = begin; i < end; ++i) {
        for (size_t k = g->bond_begins[i]; k < g->bond_begins[i + 1]; ++k)
            act(s, (uint32_t)i, &g->bonds[k], &broken, &s->tallies[worker].counters.capped);
    }
    if (broken) s->broken = true;
}

bool tact_cpu_bonds_act(tact_particle_cpu* e, const tact_particle_model* model)
{
    acting s = {.engine = e, .model = model, .tallies = e->tallies};
    if (!e->grains->bond_begins) return false;
    tact_parallel_for(model->threads, e->count, GRAIN, act_range, &s);
    return s.broken;
}
