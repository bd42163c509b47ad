// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What ranks tell each other of particles, in each substep.

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_grains.h"

enum { GRAIN = 16384, PARTS = 64 };

static void find_range(size_t begin, size_t end, int worker, void* user)
{
    tact_particle_cpu* e = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        e->slot_of[e->now.tag[i][0]] = (uint32_t)i;
}

/// Works out in which slots particles are.
static tact_result find_slots(tact_particle_cpu* e)
{
    if (e->slots_known) return TACT_OK;
    if (!tact_reserve(e->base.env, (void**)&e->slot_of, &e->slot_of_capacity, 0, e->count, sizeof *e->slot_of))
        return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(e->threads, e->count, GRAIN, find_range, e);
    e->slots_known = true;
    return TACT_OK;
}

tact_result tact_cpu_read_rows(tact_particle_engine* engine, const uint32_t* rows, size_t count, tact_particle_row* to)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    const tact_result result = find_slots(e);
    if (result != TACT_OK) return result;
    for (size_t k = 0; k < count; ++k) {
        const size_t i = e->slot_of[rows[k]];
        const float* v = e->now.velocity[i];
        TACT_ASSERT(e->now.tag[i][0] == rows[k]);
        to[k] = (tact_particle_row){{e->now.x[i], e->now.y[i], e->now.z[i]}, {v[0], v[1], v[2]}, {0}};
        if (!e->grains) continue;
        const TactVec spin = tact_cpu_grains_spin(e, i);
        to[k].spin[0] = spin.x;
        to[k].spin[1] = spin.y;
        to[k].spin[2] = spin.z;
    }
    return TACT_OK;
}

/// POSITION: a ghost comes to where its rank has moved it between two iterations.
static void move_on(tact_particle_cpu* e, size_t i, const float to[3])
{
    float* from = e->now.from[i];
    const float way = tact_length3(to[0] - e->now.x[i], to[1] - e->now.y[i], to[2] - e->now.z[i]);
    // Whatever is not a number counts as far.
    from[3] = from[3] + way < TACT_FARTHEST ? from[3] + way : TACT_FARTHEST;
    tact_cpu_tally* tally = e->tallies;
    const float moved = tact_div(from[3], e->now.radius[i]);
    tally->moved = moved > tally->moved ? moved : tally->moved;
    for (int k = 0; k < 3; ++k)
        e->motion[i][k] = to[k] - from[k];
    memcpy(e->places[i], to, 3 * sizeof *to);
}

/// Notes how far a particle has come while the list of pairs serves, as lanes do for those that the engine moves.
static void note_way(tact_particle_cpu* e, const TactGrid* grid, size_t i, const float to[3])
{
    tact_cpu_grains* g = e->grains;
    float* from = e->places[i];
    const float way =
        tact_length3(tact_grid_shorter(grid->x, to[0] - from[0]), tact_grid_shorter(grid->y, to[1] - from[1]),
                     tact_grid_shorter(grid->z, to[2] - from[2]));
    g->way[i] -= way;
    if (!(g->way[i] >= 0.0f)) g->holds = false;
    g->ghost_way = g->way[i] < g->ghost_way ? g->way[i] : g->ghost_way;
    memcpy(from, to, 3 * sizeof *to);
}

tact_result tact_cpu_write_rows(tact_particle_engine* engine, const TactGrid* grid, const uint32_t* rows, size_t count,
                                const tact_particle_row* from)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    tact_cpu_grains* g = e->grains;
    const tact_result result = find_slots(e);
    if (result != TACT_OK) return result;
    for (size_t k = 0; k < count; ++k) {
        const size_t i = e->slot_of[rows[k]];
        TACT_ASSERT(e->now.tag[i][0] == rows[k] && tact_cpu_is_ghost(e, i));
        if (e->iterating) move_on(e, i, from[k].position);
        e->now.x[i] = from[k].position[0];
        e->now.y[i] = from[k].position[1];
        e->now.z[i] = from[k].position[2];
        if (e->iterating) continue;
        memcpy(e->now.velocity[i], from[k].velocity, sizeof from[k].velocity);
        if (!g) continue;
        memcpy(g->listed ? g->spin[i] : g->packed_spin[rows[k]], from[k].spin, sizeof from[k].spin);
        if (g->listed) note_way(e, grid, i, from[k].position);
    }
    return TACT_OK;
}

/// The greatest squares of speeds and ways, of each part of the slots.
typedef struct paces {
    const tact_particle_cpu* engine;
    const TactGrid* grid;
    size_t part;
    bool position;
    float speeds[PARTS], ways[PARTS];
} paces;

static float square_of_speed(const tact_particle_cpu* e, size_t i)
{
    const float* v = e->now.velocity[i];
    return tact_dot3(v[0], v[1], v[2], v[0], v[1], v[2]);
}

/// POSITION: of the way in the last substep, which contacts may have made longer than the speed says.
static float square_of_way(const paces* p, size_t i)
{
    const tact_particle_slots* s = &p->engine->now;
    const TactGrid* g = p->grid;
    const float* from = s->from[i];
    const float x = tact_grid_shorter(g->x, s->x[i] - from[0]), y = tact_grid_shorter(g->y, s->y[i] - from[1]);
    const float z = tact_grid_shorter(g->z, s->z[i] - from[2]);
    return tact_dot3(x, y, z, x, y, z);
}

static void pace_range(size_t begin, size_t end, int worker, void* user)
{
    paces* p = user;
    float speed = 0.0f, way = 0.0f;
    TACT_ASSERT(begin / p->part < PARTS);
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const float square = square_of_speed(p->engine, i);
        speed = square > speed ? square : speed;
    }
    for (size_t i = begin; i < end && p->position; ++i) {
        if (tact_cpu_is_ghost(p->engine, i)) continue;
        const float square = square_of_way(p, i);
        way = square > way ? square : way;
    }
    p->speeds[begin / p->part] = speed;
    p->ways[begin / p->part] = way;
}

tact_result tact_cpu_fastest(tact_particle_engine* engine, const tact_particle_model* model, const uint32_t* rows,
                             size_t count, tact_particle_row* to, float* speed, float* way)
{
    const tact_particle_cpu* e = (const tact_particle_cpu*)engine;
    paces p = {.engine = e,
               .grid = &model->grid,
               .part = e->count / PARTS + 1,
               .position = model->response == TACT_RESPONSE_POSITION};
    tact_parallel_for(e->threads, e->count, p.part, pace_range, &p);
    float most = 0.0f, farthest = 0.0f;
    for (size_t k = 0; k < PARTS; ++k) {
        most = p.speeds[k] > most ? p.speeds[k] : most;
        farthest = p.ways[k] > farthest ? p.ways[k] : farthest;
    }
    *speed = tact_sqrt(most);
    *way = p.position ? tact_sqrt(farthest) : *speed * model->motion.dt;
    return tact_cpu_read_rows(engine, rows, count, to);
}
