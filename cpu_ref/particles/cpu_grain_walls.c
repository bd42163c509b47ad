// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which grains may touch which walls of the domain while a list of pairs serves. What a contact with a wall remembers
// lies beside it, as with pairs.
//
// Why no contact is lost. Let a particle be farther from a wall than (1 + m) r, as computed, when the list is made with
// the margin m. Then it comes 0.9 m r far at most, so that it is 0.1 m r from touching. A distance from a wall is a
// difference rounded once, to a part of 2^-24, and so is each of the thousand moves at most that are summed; m is 2^-6
// at least. Where m is 0 the list serves one substep, and what is asked is whether they touch.

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_grain_parts.h"

enum { GRAIN = 4 };  // pages that a thread takes at a time

/// What the loops over pages share.
typedef struct listing {
    tact_particle_walk walk;
    const tact_particle_lanes* lanes;
    tact_grain_page* pages;
    size_t count;  ///< of particles
} listing;

static size_t near_page(const listing* l, size_t k, uint32_t* slots, uint32_t* faces)
{
    const size_t begin = k * TACT_GRAIN_PAGE, left = l->count - begin;
    return l->lanes->near_walls(&l->walk, begin, begin + (left < TACT_GRAIN_PAGE ? left : TACT_GRAIN_PAGE), slots,
                                faces);
}

static void count_range(size_t begin, size_t end, int worker, void* user)
{
    const listing* l = user;
    (void)worker;
    for (size_t k = begin; k < end; ++k)
        l->pages[k].walls.room = near_page(l, k, NULL, NULL);
}

static void fill_range(size_t begin, size_t end, int worker, void* user)
{
    const listing* l = user;
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        tact_pair_list* list = &l->pages[k].walls;
        if (list->room == 0) continue;
        list->count = near_page(l, k, list->i, list->j);
        TACT_ASSERT(list->count == list->room);
        // The last lanes work on something that is there.
        memset(list->i + list->count, 0, TACT_SLOT_PAD * sizeof *list->i);
        memset(list->j + list->count, 0, TACT_SLOT_PAD * sizeof *list->j);
    }
}

/// Room for as many as there are in each page. False when out of memory.
static bool make_lists(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    size_t all = 0;
    for (size_t k = 0; k < g->page_count; ++k) {
        if (g->pages[k].walls.room > 0) all += g->pages[k].walls.room + TACT_SLOT_PAD;
    }
    if (!tact_reserve(e->base.env, (void**)&g->walls, &g->wall_capacity, 0, 2 * all, sizeof *g->walls) ||
        !tact_reserve(e->base.env, (void**)&g->wall_springs, &g->wall_spring_capacity, 0,
                      all * (g->rolls ? TACT_GRAIN_PLANES : 3), sizeof *g->wall_springs)) {
        return false;
    }
    uint32_t* next = g->walls;
    for (size_t k = 0; k < g->page_count; ++k) {
        tact_pair_list* list = &g->pages[k].walls;
        const size_t room = list->room;
        *list = (tact_pair_list){NULL, NULL, 0, room};
        if (room == 0) continue;
        list->i = next;
        list->j = next + room + TACT_SLOT_PAD;
        next += 2 * (room + TACT_SLOT_PAD);
    }
    return true;
}

tact_result tact_cpu_grains_list_walls(tact_particle_cpu* e, const tact_particle_model* model, float margin)
{
    tact_cpu_grains* g = e->grains;
    listing l = {.walk = {.model = model, .slots = e->now, .stretch = 1.0f + margin},
                 .lanes = tact_particle_lanes_best(),
                 .pages = g->pages,
                 .count = e->count};
    tact_parallel_for(model->threads, g->page_count, GRAIN, count_range, &l);
    if (!make_lists(e)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(model->threads, g->page_count, GRAIN, fill_range, &l);
    return TACT_OK;
}

void tact_cpu_grains_meet_walls(const tact_particle_model* model, tact_grain_pass* pass)
{
    const TactDomainAxis* const axes[3] = {&model->domain.x, &model->domain.y, &model->domain.z};
    for (uint32_t face = 0; face < 6; ++face) {
        const TactVec n = tact_particle_wall_normal(face);
        const TactDomainAxis* axis = axes[face / 2];
        const float row[4] = {n.x, n.y, n.z, face & 1u ? axis->upper : axis->lower};
        memcpy(pass->walls[face], row, sizeof row);
    }
}
