// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A substep of GRAINS: see cpu_grains.h, and grains.c for what it means.
//
// Why a list that is not new loses no contact. Let a pair not be in the list that was made with skins s_i and s_j. Then
// its distance, as computed, was more than r_i + s_i + r_j + s_j. Since then each of the two has moved by u at most,
// the sum of the lengths of its moves. A list is used only while u <= 0.9 s for all particles: then the pair is r_i +
// r_j + 0.1 (s_i + s_j) apart at least, and does not touch. What pays for roundings is in cpu_position.c, of which this
// is the argument; so are the limits of margins m, where skins are m r at least. Cells are wider while the list is
// made, so that all pairs of the list are in cells that see each other.

#include "cpu_ref/particles/cpu_grains.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

enum {
    LEAST_SHARE = 2,
    SPARE_PAIRS = 128,
    SPARE_ROWS = 2,
    MOST_AGE = 1000,  ///< moves that are summed at most
    YOUNG = 8,        ///< substeps: a list that did not serve that long had too small a margin
};

/// A substep, and what its loops share.
typedef struct pass {
    tact_particle_cpu* engine;
    tact_particle_walk* walk;
    const tact_particle_lanes* lanes;
    tact_grain_pass pairs;
    tact_cpu_tally* tallies;
    bool later;  ///< pairs with ghosts come once these are there
    TACT_ATOMIC(bool) failed, far;
} pass;

// ---- Room ----

bool tact_cpu_grains_make(tact_particle_cpu* e)
{
    e->grains = tact_allocate_zeroed(e->base.env, 1, sizeof *e->grains);
    if (!e->grains) return false;
    e->grains->margin = TACT_GRAIN_FIRST_MARGIN;
    return true;
}

static void free_pages(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    for (size_t k = 0; k < g->page_capacity && g->pages; ++k) {
        tact_release(e->base.env, g->pages[k].records[0]);
        tact_release(e->base.env, g->pages[k].records[1]);
    }
    tact_release(e->base.env, g->pages);
    g->pages = NULL;
    g->page_count = g->page_capacity = 0;
}

static void free_slots(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    tact_release(e->base.env, g->spin);
    tact_release(e->base.env, g->turn);
    tact_release(e->base.env, g->way);
    tact_release(e->base.env, g->sums);
    g->spin = g->turn = NULL;
    g->way = NULL;
    g->sums = NULL;
    g->slot_capacity = 0;
}

void tact_cpu_grains_free(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    if (!g) return;
    tact_env* env = e->base.env;
    free_pages(e);
    free_slots(e);
    tact_cpu_grains_drop(e);
    tact_cpu_bonds_drop(e);
    tact_release(env, g->pairs);
    tact_release(env, g->springs);
    tact_release(env, g->clumps);
    tact_release(env, g->members);
    tact_release(env, g->walls);
    tact_release(env, g->wall_springs);
    tact_release(env, g);
    e->grains = NULL;
}

uint64_t tact_cpu_grains_bytes(const tact_particle_cpu* e)
{
    const tact_cpu_grains* g = e->grains;
    if (!g) return 0;
    uint64_t bytes = g->clump_capacity * sizeof *g->clumps + g->member_capacity * sizeof *g->members +
                     g->bond_slots * sizeof *g->bond_begins + g->bond_capacity * sizeof *g->bonds +
                     g->packed_capacity * (sizeof *g->packed_spin + sizeof *g->packed_turn) +
                     g->record_capacity * sizeof *g->records + g->pair_capacity * sizeof *g->pairs +
                     g->spring_capacity * sizeof *g->springs + g->page_capacity * sizeof *g->pages +
                     g->wall_capacity * sizeof *g->walls + g->wall_spring_capacity * sizeof *g->wall_springs +
                     g->slot_capacity * (sizeof *g->spin + sizeof *g->turn + sizeof *g->way + sizeof *g->sums);
    for (size_t k = 0; k < g->page_capacity; ++k)
        bytes += (g->pages[k].capacity[0] + g->pages[k].capacity[1]) * sizeof(tact_grain_record);
    return bytes;
}

static bool make_slots(tact_particle_cpu* e, size_t spare)
{
    tact_cpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    const size_t room = e->count + spare + TACT_SLOT_PAD;
    if (room > g->slot_capacity) {
        free_slots(e);
        g->spin = tact_allocate_zeroed(env, room, sizeof *g->spin);
        g->turn = tact_allocate_zeroed(env, room, sizeof *g->turn);
        g->way = tact_allocate_zeroed(env, room, sizeof *g->way);
        g->sums = tact_allocate_zeroed(env, room, sizeof *g->sums);
        if (!g->spin || !g->turn || !g->way || !g->sums) return false;
        g->slot_capacity = room;
    }
    const size_t pages = (e->count + TACT_GRAIN_PAGE - 1) / TACT_GRAIN_PAGE;
    if (pages > g->page_capacity) {
        free_pages(e);
        g->pages = tact_allocate_zeroed(env, pages, sizeof *g->pages);
        if (!g->pages) return false;
        g->page_capacity = pages;
    }
    g->page_count = pages;
    return true;
}

TactVec tact_cpu_grains_spin(const tact_particle_cpu* e, size_t i)
{
    const tact_cpu_grains* g = e->grains;
    const float* spin = g->listed ? g->spin[i] : g->packed_spin[e->now.tag[i][0]];
    return tact_vec(spin[0], spin[1], spin[2]);
}

// ---- Making a list ----

static uint32_t* share_lists(tact_walk_chunk* chunks, size_t count, size_t share, uint32_t* next)
{
    for (size_t k = 0; k < count; ++k) {
        const size_t room = (share * (size_t)(chunks[k].high - chunks[k].low) + SPARE_PAIRS + 15) / 16 * 16;
        chunks[k].list = (tact_pair_list){.i = next, .j = next + room + TACT_SLOT_PAD, .room = room};
        next += 2 * (room + TACT_SLOT_PAD);
    }
    return next;
}

static size_t list_room(const tact_walk_chunk* chunks, size_t count, size_t share)
{
    size_t needed = 0;
    for (size_t k = 0; k < count; ++k)
        needed += (share * (size_t)(chunks[k].high - chunks[k].low) + SPARE_PAIRS + 15) / 16 * 16 + TACT_SLOT_PAD;
    return needed;
}

static tact_result make_lists(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    if (g->share < LEAST_SHARE) g->share = LEAST_SHARE;
    const size_t pairs = list_room(e->chunks, e->chunk_count, g->share) +
                         list_room(e->seam_chunks, e->seam_chunk_count, (size_t)2 * g->share);
    const size_t numbers = pairs * (g->rolls ? TACT_GRAIN_PLANES : 3);
    if (2 * pairs > g->pair_capacity) {
        tact_release(env, g->pairs);
        g->pair_capacity = 0;
        g->pairs = tact_allocate(env, 2 * pairs, sizeof *g->pairs);
        if (!g->pairs) return TACT_ERROR_OUT_OF_MEMORY;
        g->pair_capacity = 2 * pairs;
    }
    if (numbers > g->spring_capacity) {
        tact_release(env, g->springs);
        g->spring_capacity = 0;
        g->springs = tact_allocate(env, numbers, sizeof *g->springs);
        if (!g->springs) return TACT_ERROR_OUT_OF_MEMORY;
        g->spring_capacity = numbers;
    }
    uint32_t* next = share_lists(e->chunks, e->chunk_count, g->share, g->pairs);
    share_lists(e->seam_chunks, e->seam_chunk_count, (size_t)2 * g->share, next);
    return TACT_OK;
}

/// Asks for more room where lists had too little. Returns whether any had.
static bool grow_lists(tact_cpu_grains* g, const tact_walk_chunk* chunks, size_t count, uint32_t by)
{
    bool grown = false;
    for (size_t k = 0; k < count; ++k) {
        if (chunks[k].list.count <= chunks[k].list.room) continue;
        const size_t share = chunks[k].list.count / (chunks[k].high - chunks[k].low) / by + 1;
        if (share > g->share) g->share = (uint32_t)share;
        grown = true;
    }
    return grown;
}

/// Lists the pairs, in a second attempt where the first found more than there was room for.
static tact_result list_pairs(tact_particle_cpu* e, const tact_particle_model* model, float margin)
{
    tact_cpu_grains* g = e->grains;
    tact_particle_walk walk = {.model = model, .listing = true, .stretch = 1.0f + margin};
    tact_result result = TACT_OK;
    for (bool again = true; again && result == TACT_OK;) {
        result = make_lists(e);
        if (result == TACT_OK) result = tact_cpu_walk(e, &walk);
        again = grow_lists(g, e->chunks, e->chunk_count, 1);
        again = grow_lists(g, e->seam_chunks, e->seam_chunk_count, 2) || again;
    }
    return result;
}

/// Over ranks, puts the pairs of a list that have a ghost behind the others, and leaves those of two ghosts out, since
/// others work out what acts on these. `apart`: room for all pairs of the list.
static void part_list(const tact_particle_cpu* e, tact_pair_list* list, uint32_t (*apart)[2])
{
    size_t inner = 0, outer = 0;
    for (size_t k = 0; k < list->count; ++k) {
        const uint32_t i = list->i[k], j = list->j[k];
        const bool ghosts[2] = {tact_cpu_is_ghost(e, i), tact_cpu_is_ghost(e, j)};
        if (ghosts[0] && ghosts[1]) continue;
        if (ghosts[0] || ghosts[1]) {
            apart[outer][0] = i;
            apart[outer++][1] = j;
        } else {
            list->i[inner] = i;
            list->j[inner++] = j;
        }
    }
    for (size_t k = 0; k < outer; ++k) {
        list->i[inner + k] = apart[k][0];
        list->j[inner + k] = apart[k][1];
    }
    list->count = inner + outer;
    list->inner = inner;
}

static tact_result part_lists(tact_particle_cpu* e)
{
    tact_walk_chunk* const all[2] = {e->chunks, e->seam_chunks};
    const size_t counts[2] = {e->chunk_count, e->seam_chunk_count};
    size_t longest = 0;
    e->grains->ghost_way = INFINITY;
    if (!e->has_ghosts) return TACT_OK;
    for (size_t n = 0; n < 2; ++n) {
        for (size_t k = 0; k < counts[n]; ++k)
            longest = all[n][k].list.count > longest ? all[n][k].list.count : longest;
    }
    uint32_t(*apart)[2] = tact_allocate(e->base.env, longest, sizeof *apart);
    if (!apart) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t n = 0; n < 2; ++n) {
        for (size_t k = 0; k < counts[n]; ++k)
            part_list(e, &all[n][k].list, apart);
    }
    tact_release(e->base.env, apart);
    return TACT_OK;
}

/// Notes how far ghosts may come while the list serves.
static void note_ghost_ways(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    for (size_t i = 0; i < e->count && e->has_ghosts; ++i) {
        if (tact_cpu_is_ghost(e, i) && g->way[i] < g->ghost_way) g->ghost_way = g->way[i];
    }
}

/// Sorts, and lists what skins meet. `sorted`: whether slots have another order now, also where it failed.
static tact_result list_all(tact_particle_cpu* e, const tact_particle_model* listing, bool* sorted)
{
    const float* before = e->now.x;
    tact_result result = tact_cpu_sort(e, listing);
    *sorted = e->now.x != before;
    if (result == TACT_OK) result = tact_cpu_cut(e, listing);
    if (result == TACT_OK) result = list_pairs(e, listing, e->grains->list_margin);
    if (result == TACT_OK) result = part_lists(e);
    if (result == TACT_OK) result = tact_cpu_grains_list_walls(e, listing, e->grains->list_margin);
    return result;
}

static tact_result make_list(tact_particle_cpu* e, const tact_particle_model* model)
{
    tact_cpu_grains* g = e->grains;
    const size_t threads = model->threads > 1 ? (size_t)model->threads : 1;
    tact_particle_model listing = *model;
    bool sorted = false;
    if (g->listed) g->margin = tact_grain_margin_after(g->margin, g->age, YOUNG);
    tact_result result = tact_cpu_grains_pack(e);
    if (result != TACT_OK) return result;
    g->rolls = tact_grain_rules_roll(model);
    if (!make_slots(e, SPARE_ROWS * (threads + 1))) return TACT_ERROR_OUT_OF_MEMORY;
    g->table = model->clumps;
    tact_cpu_grains_widen(e, model, &listing.grid);
    result = list_all(e, &listing, &sorted);
    tact_cpu_grains_narrow(e, model->threads, sorted);
    if (result == TACT_OK) result = tact_cpu_grains_unpack(e, model->threads);
    if (result == TACT_OK) result = tact_cpu_clumps_place(e);
    if (result != TACT_OK) return result;
    tact_cpu_grains_drop(e);
    note_ghost_ways(e);
    g->listed = true;
    g->age = 0;
    g->holds = true;
    ++g->lists;
    g->rules_version = model->rules_version;
    return TACT_OK;
}

// ---- A substep ----

/// Pairs [from, to) of a chunk's list.
static void pair_part(const pass* s, const tact_walk_chunk* chunk, size_t from, size_t to, int worker)
{
    const tact_particle_cpu* e = s->engine;
    tact_grain_list list = tact_cpu_grains_list(e, chunk);
    list.i += from;
    list.j += from;
    list.count = to - from;
    for (size_t n = 0; n < TACT_GRAIN_PLANES && list.memory[n]; ++n)
        list.memory[n] += from;
    s->tallies[worker].counters.capped +=
        s->lanes->grains(&s->pairs, &list, chunk->low, chunk->high, e->count + SPARE_ROWS * ((size_t)worker + 1));
}

/// Those of no ghosts, where others come later.
static void pair_chunks(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    const tact_walk_chunk* chunks = s->engine->chunks;
    for (size_t k = begin; k < end; ++k) {
        const tact_walk_chunk* c = &chunks[k];
        memset(s->pairs.sums + c->low, 0, (c->high - c->low) * sizeof *s->pairs.sums);
        pair_part(s, c, 0, s->later ? c->list.inner : c->list.count, worker);
    }
}

static void pair_later(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    const tact_walk_chunk* chunks = s->engine->chunks;
    for (size_t k = begin; k < end; ++k)
        pair_part(s, &chunks[k], chunks[k].list.inner, chunks[k].list.count, worker);
}

/// Particles at seams: what a pair does goes to the first of the two only.
static void pair_seams(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    const tact_particle_cpu* e = s->engine;
    const tact_walk_chunk* chunks = e->seam_chunks;
    for (size_t k = begin; k < end; ++k) {
        tact_grain_list list = tact_cpu_grains_list(e, &chunks[k]);
        list.one_sided = true;
        for (uint32_t n = chunks[k].low; n < chunks[k].high; ++n)
            memset(&s->pairs.sums[e->seam_list[n]], 0, sizeof *s->pairs.sums);
        s->tallies[worker].counters.capped +=
            s->lanes->grains(&s->pairs, &list, 0, 0, e->count + SPARE_ROWS * ((size_t)worker + 1));
    }
}

/// Adds what colliders and bodies do to the particle in a slot to its sums, and notes its contacts with them.
static bool touch_obstacles(const pass* s, tact_grain_page* page, size_t* old, size_t* count, uint32_t i,
                            tact_grain_record* scratch, uint64_t* capped)
{
    const tact_particle_cpu* e = s->engine;
    tact_cpu_grains* g = e->grains;
    const tact_particle_model* model = s->walk->model;
    tact_grain_sums* sums = &g->sums[i];
    tact_grain_self self = {.p = tact_cpu_self(e, i), .spin = tact_vec(g->spin[i][0], g->spin[i][1], g->spin[i][2])};
    tact_cpu_clear_look(e, model, i, &self.p);
    // Of those that touch nothing more, which are passed over, what was remembered is forgotten.
    while (*old < page->count && page->records[0][*old].a < i)
        ++*old;
    size_t stop = *old;
    while (stop < page->count && page->records[0][stop].a == i)
        ++stop;
    for (int k = 0; k < 3; ++k) {
        self.force[k] = sums->force[k];
        self.torque[k] = sums->torque[k];
    }
    const size_t found = tact_grain_surfaces(model, &self, false, page->records[0] + *old, stop - *old, scratch);
    *old = stop;
    *capped += self.capped;
    for (int k = 0; k < 3; ++k) {
        sums->force[k] = self.force[k];
        sums->torque[k] = self.torque[k];
    }
    if (!tact_reserve_in_loop(e->base.env, (void**)&page->records[1], &page->capacity[1], *count, *count + found,
                              sizeof *scratch)) {
        return false;
    }
    for (size_t k = 0; k < found; ++k) {
        scratch[k].a = i;
        page->records[1][(*count)++] = scratch[k];
    }
    return true;
}

/// What colliders and bodies do to a page's particles.
static bool touch_page(const pass* s, size_t number, size_t begin, size_t end, tact_grain_record* scratch,
                       uint64_t* capped)
{
    tact_grain_page* page = &s->engine->grains->pages[number];
    uint32_t slots[TACT_GRAIN_PAGE];
    const size_t near = s->walk->keeps_clear ? s->lanes->near(s->walk, begin, end, slots) : 0;
    size_t old = 0, count = 0;
    for (size_t k = 0; k < near; ++k) {
        if (tact_cpu_is_ghost(s->engine, slots[k])) continue;
        if (!touch_obstacles(s, page, &old, &count, slots[k], scratch, capped)) return false;
    }
    tact_grain_record* records = page->records[0];
    const size_t capacity = page->capacity[0];
    page->records[0] = page->records[1];
    page->capacity[0] = page->capacity[1];
    page->records[1] = records;
    page->capacity[1] = capacity;
    page->count = count;
    return true;
}

/// What torques of the caller do to a page's particles.
static void torque_page(const pass* s, size_t begin, size_t end)
{
    const tact_particle_cpu* e = s->engine;
    float(*spins)[4] = e->grains->spin;
    for (size_t i = begin; i < end; ++i) {
        const tact_particle_self self = tact_cpu_self(e, i);
        const TactVec w = tact_grain_torqued(s->walk->model, &self, tact_vec(spins[i][0], spins[i][1], spins[i][2]));
        spins[i][0] = w.x;
        spins[i][1] = w.y;
        spins[i][2] = w.z;
    }
}

/// The end of a page.
static size_t page_end(const pass* s, size_t number)
{
    const size_t left = s->engine->count - number * TACT_GRAIN_PAGE;
    return number * TACT_GRAIN_PAGE + (left < TACT_GRAIN_PAGE ? left : TACT_GRAIN_PAGE);
}

static void touch_pages(size_t begin, size_t end, int worker, void* user)
{
    pass* s = user;
    tact_grain_record scratch[TACT_GRAIN_SURFACES];
    for (size_t k = begin; k < end; ++k) {
        uint64_t* capped = &s->tallies[worker].counters.capped;
        const tact_grain_list walls = tact_cpu_grains_walls(s->engine, &s->engine->grains->pages[k]);
        *capped += s->lanes->walls(&s->pairs, &walls);
        if (touch_page(s, k, k * TACT_GRAIN_PAGE, page_end(s, k), scratch, capped)) continue;
        s->failed = true;
        return;
    }
}

static void finish_pages(size_t begin, size_t end, int worker, void* user)
{
    pass* s = user;
    for (size_t k = begin; k < end; ++k) {
        const size_t first = k * TACT_GRAIN_PAGE, last = page_end(s, k);
        for (size_t i = first, stop; i < last; i = stop) {
            stop = tact_cpu_own_run(s->engine, &i, last);
            if (i == stop) continue;
            if (s->walk->model->torque_count > 0) torque_page(s, i, stop);
            s->lanes->spin(&s->pairs, i, stop);
            s->lanes->finish(s->walk, i, stop, &s->tallies[worker].counters);
            if (s->lanes->way(&s->pairs, i, stop)) s->far = true;
        }
    }
}

static void move_pages(size_t begin, size_t end, int worker, void* user)
{
    const pass* s = user;
    for (size_t k = begin; k < end && !s->failed; ++k) {
        touch_pages(k, k + 1, worker, user);
        finish_pages(k, k + 1, worker, user);
    }
}

/// What surfaces and clumps do, and moves.
static void move_all(pass* s)
{
    const tact_particle_model* model = s->walk->model;
    const size_t pages = s->engine->grains->page_count;
    if (!model->clumps) {
        tact_parallel_for(model->threads, pages, 2, move_pages, s);
        return;
    }
    // What acts on a clump is known once all of its members have met surfaces.
    tact_parallel_for(model->threads, pages, 2, touch_pages, s);
    if (s->failed) return;
    tact_cpu_clumps_move(s->engine, model, s->tallies);
    tact_parallel_for(model->threads, pages, 2, finish_pages, s);
    tact_cpu_clumps_follow(s->engine, model);
}

/// Whether the list has all pairs that touch now.
static bool list_holds(const tact_particle_cpu* e, const tact_particle_model* model)
{
    const tact_cpu_grains* g = e->grains;
    return g->listed && g->holds && g->age < MOST_AGE && g->rules_version == model->rules_version &&
           g->table == model->clumps;
}

static tact_grain_laws law_of(const TactGrainRule* r)
{
    const bool holds = r->adhesion > 0.0f || r->cohesion > 0.0f;
    return r->hertz || holds ? TACT_GRAINS_ANY : TACT_GRAINS_LINEAR;
}

/// What is the same for all contacts.
static void find_rule(const tact_particle_cpu* e, const tact_particle_walk* walk, tact_grain_pass* pairs)
{
    for (uint32_t only = 0; only < TACT_PARTICLE_MATERIALS && walk->one_rule; ++only) {
        const TactGrainRule* rules = &walk->model->grain_rules[only * TACT_PARTICLE_MATERIALS];
        if (e->materials != UINT32_C(1) << only) continue;
        pairs->rule = rules[only];
        pairs->wall_rule = rules[walk->model->wall_material];
        pairs->law = law_of(&pairs->rule);
        pairs->wall_law = law_of(&pairs->wall_rule);
    }
    const TactGrainRule* r = &pairs->rule;
    const float w = e->now.velocity[0][3], inverse_mass = w + w;
    if (pairs->law != TACT_GRAINS_LINEAR || !e->equal_masses || !(inverse_mass > 0.0f)) return;
    pairs->law = TACT_GRAINS_SAME;
    pairs->damping = r->normal_damping * tact_sqrt(tact_div(r->stiffness, inverse_mass));
    pairs->drag = r->tangential_damping * tact_sqrt(tact_div(r->shear, inverse_mass));
    pairs->inverse_shear = r->shear > 0.0f ? tact_div(1.0f, r->shear) : 0.0f;
}

tact_result tact_cpu_grains_substep(tact_particle_cpu* e, tact_particle_walk* walk, const tact_particle_lanes* lanes)
{
    tact_cpu_grains* g = e->grains;
    const tact_particle_model* model = walk->model;
    pass s = {.engine = e, .walk = walk, .lanes = lanes, .tallies = e->tallies};
    tact_particle_halo* halo = model->halo && model->halo->arrive ? model->halo : NULL;
    tact_result result = TACT_OK;
    // Pairs of no ghosts are worked out while ghosts are on their way, if the list surely holds when they are there.
    s.later = halo && list_holds(e, model) && g->ghost_way > halo->farthest;
    if (halo && !s.later) result = halo->arrive(halo);
    if (result == TACT_OK && !list_holds(e, model)) result = make_list(e, model);
    if (result == TACT_OK) result = tact_cpu_walk_begin(e, walk);
    if (result != TACT_OK) return result;
    walk->motion = (const float(*)[4])e->now.velocity;
    s.pairs = (tact_grain_pass){.walk = walk,
                                .spin = g->spin,
                                .turn = g->turn,
                                .places = e->places,
                                .way = g->way,
                                .sums = g->sums,
                                .rolls = g->rolls,
                                .force_scale = tact_div(1.0f, model->force_unit),
                                .torque_scale = tact_div(1.0f, model->torque_unit)};
    find_rule(e, walk, &s.pairs);
    tact_cpu_grains_meet_walls(model, &s.pairs);
    tact_parallel_for(model->threads, e->chunk_count, 1, pair_chunks, &s);
    if (s.later) {
        result = halo->arrive(halo);
        if (result != TACT_OK) return result;
        TACT_ASSERT(g->holds);
        tact_parallel_for(model->threads, e->chunk_count, 1, pair_later, &s);
    }
    tact_parallel_for(model->threads, e->seam_chunk_count, 1, pair_seams, &s);
    const bool broken = tact_cpu_bonds_act(e, model);
    move_all(&s);
    g->holds = !s.far && !broken;
    ++g->age;
    return s.failed ? tact_cpu_grains_lack(e->base.env) : TACT_OK;
}
