// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is listed while a list of pairs is made, on the CPU. How far apart pairs are: each grain has a skin, and a pair
// is listed when its skins meet. A skin is a part of the radius, or as thick as the grain's own way in the next
// substeps where that is more, so that in a mixture a few fast small grains do not make lists short-lived. It is no
// thicker than cells allow. No result depends on any of that: cpu_grains.c says why.
//
// Lists are made as if radii were others: those that, times one and the cells' margin, are radius and skin together.
// All that sorting and searching rely on then holds for these, levels included.

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_grain_parts.h"

#define MOST_CELLS 0.375f  // cells are no wider than by that

enum {
    HORIZON = 16,    ///< substeps that a list is to serve
    FARTHEST = 512,  ///< or that many, where few need a skin for it
    FEW = 64,        ///< one grain in so many
    SAMPLE = 4096,   ///< grains by which their mean speed is estimated
    GRAIN = 16384,
    PAGES = 4,  ///< that a thread takes at a time
};

/// What the loops over all slots share.
typedef struct skins {
    tact_particle_cpu* engine;
    float margin, cells;        ///< the least skin, in radii; by how much cells are wider
    float seconds, slow;        ///< that lists are to serve; no speed counts as less
    float most;                 ///< no radius is taken for more
    TACT_ATOMIC(bool) thicker;  ///< some skin is thicker than the least
} skins;

static float speed_of(const tact_particle_cpu* e, size_t i)
{
    const float* v = e->now.velocity[i];
    return tact_length3(v[0], v[1], v[2]);
}

/// The speeds of some.
typedef struct speeds {
    float of[SAMPLE + 1], radius[SAMPLE + 1];
    size_t count;
    float mean;
} speeds;

static void sample_speeds(const tact_particle_cpu* e, speeds* s)
{
    const size_t step = e->count / SAMPLE + 1;
    float sum = 0.0f;
    s->count = 0;
    for (size_t i = 0; i < e->count; i += step) {
        s->of[s->count] = speed_of(e, i);
        s->radius[s->count] = e->now.radius[i];
        sum += s->of[s->count++];
    }
    s->mean = tact_div(sum, (float)s->count);
}

/// How many substeps a list is to serve: more while few are faster than a margin has room for.
static uint32_t horizon_of(const speeds* s, float dt, float margin)
{
    uint32_t horizon = HORIZON;
    while (horizon < FARTHEST) {
        const float seconds = dt * (float)(2 * horizon);
        size_t fast = 0;
        for (size_t k = 0; k < s->count; ++k)
            fast += seconds * fmaxf(s->of[k], 2.0f * s->mean) > margin * s->radius[k];
        if (FEW * fast > s->count) break;
        horizon *= 2;
    }
    return horizon;
}

static void widen_range(size_t begin, size_t end, int worker, void* user)
{
    skins* s = user;
    tact_particle_cpu* e = s->engine;
    bool thicker = false;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const float radius = e->now.radius[i], least = s->margin * radius;
        const float way = s->seconds * fmaxf(speed_of(e, i), s->slow);
        thicker = thicker || way > least;
        e->grains->way[i] = radius;
        e->now.radius[i] = fminf((radius + fmaxf(way, least)) / (1.0f + s->cells), s->most);
    }
    if (thicker) s->thicker = true;
}

void tact_cpu_grains_widen(tact_particle_cpu* e, const tact_particle_model* model, TactGrid* grid)
{
    tact_cpu_grains* g = e->grains;
    const TactGrid* narrow = &model->grid;
    TACT_ASSERT(e->count > 0);
    // Twice the mean is as fast as what is hit may become.
    speeds some;
    sample_speeds(e, &some);
    const uint32_t horizon = horizon_of(&some, model->motion.dt, g->margin);
    skins s = {.engine = e, .seconds = model->motion.dt * (float)horizon, .slow = 2.0f * some.mean};
    s.most = 0.5f * narrow->edge / TACT_CELL_SLACK;
    s.margin = s.cells = tact_grain_margin_in(narrow, g->margin, e->least_radius, 1.0f, grid);
    const float wanted = fminf(s.seconds * s.slow / s.most, MOST_CELLS);
    if (s.margin == g->margin && wanted > s.margin) {
        TactGrid wider;
        const float cells = tact_grain_margin_in(narrow, wanted, e->least_radius, 1.0f, &wider);
        if (cells > s.cells) {
            s.cells = cells;
            *grid = wider;
        }
    }
    // A list that serves one substep has no use for skins.
    if (s.margin == 0.0f) s.seconds = 0.0f;
    tact_parallel_for(model->threads, e->count, GRAIN, widen_range, &s);
    g->list_margin = s.cells;
    g->radii_stay = e->equal_radii;
    e->equal_radii = e->equal_radii && !s.thicker;
}

static void fetch_range(size_t begin, size_t end, int worker, void* user)
{
    const tact_particle_cpu* e = user;
    (void)worker;
    for (size_t k = begin; k < end; ++k)
        e->next.radius[k] = e->grains->way[e->keys[k]];
}

static void narrow_range(size_t begin, size_t end, int worker, void* user)
{
    const tact_particle_cpu* e = user;
    tact_cpu_grains* g = e->grains;
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        const float radius = e->next.radius[k], skin = e->now.radius[k] * (1.0f + g->list_margin) - radius;
        e->places[k][3] = radius;
        g->way[k] = TACT_GRAIN_MARGIN_USED * skin;
    }
}

void tact_cpu_grains_narrow(tact_particle_cpu* e, int threads, bool sorted)
{
    tact_cpu_grains* g = e->grains;
    e->equal_radii = g->radii_stay;
    if (!sorted) {
        memcpy(e->now.radius, g->way, e->count * sizeof *g->way);
        return;
    }
    tact_parallel_for(threads, e->count, GRAIN, fetch_range, e);
    tact_parallel_for(threads, e->count, GRAIN, narrow_range, e);
    float* wide = e->now.radius;
    e->now.radius = e->next.radius;
    e->next.radius = wide;
}

// ---- Walls ----

// Which grains may touch which walls of the domain while a list of pairs serves. What a contact with a wall remembers
// lies beside it, as with pairs.
//
// Why no contact is lost. Let a particle be farther from a wall than its radius r and its skin s, as computed, when the
// list is made. Then it comes 0.9 s far at most, so that it is 0.1 s from touching. A distance from a wall is a
// difference rounded once, to a part of 2^-24, and so is each of the thousand moves at most that are summed; s is 2^-6
// r at least. Where margins are 0 the list serves one substep, and what is asked is whether they touch.

/// What the loops over pages share.
typedef struct listing {
    tact_particle_walk walk;
    const tact_particle_lanes* lanes;
    tact_grain_page* pages;
    const tact_particle_cpu* engine;
} listing;

static size_t near_page(const listing* l, size_t k, uint32_t* slots, uint32_t* faces)
{
    const size_t begin = k * TACT_GRAIN_PAGE, left = l->engine->count - begin;
    const size_t end = begin + (left < TACT_GRAIN_PAGE ? left : TACT_GRAIN_PAGE);
    size_t found = 0;
    for (size_t i = begin, stop; i < end; i = stop) {
        stop = tact_cpu_own_run(l->engine, &i, end);
        if (i == stop) continue;
        found += l->lanes->near_walls(&l->walk, i, stop, slots ? slots + found : NULL, faces ? faces + found : NULL);
    }
    return found;
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
        *list = (tact_pair_list){.room = room};
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
                 .engine = e};
    tact_parallel_for(model->threads, g->page_count, PAGES, count_range, &l);
    if (!make_lists(e)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(model->threads, g->page_count, PAGES, fill_range, &l);
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
