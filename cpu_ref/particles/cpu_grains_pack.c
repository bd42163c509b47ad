// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What grains on the CPU have besides places and speeds, packed: by rank, and records in order, while slots change.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_grains.h"

enum {
    GRAIN = 2 * TACT_GRAIN_PAGE,
    PART = 1024,  ///< pairs of a list that are put in order together
};

tact_result tact_cpu_grains_lack(tact_env* env)
{
    return tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory for the contacts of grains with surfaces");
}

void tact_cpu_grains_drop(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    tact_release(e->base.env, g->packed_spin);
    tact_release(e->base.env, g->packed_turn);
    tact_release(e->base.env, g->records);
    g->packed_spin = g->packed_turn = NULL;
    g->records = NULL;
    g->packed_capacity = g->record_count = g->record_capacity = 0;
}

static bool make_packed(tact_particle_cpu* e, size_t count)
{
    tact_cpu_grains* g = e->grains;
    if (count <= g->packed_capacity && g->packed_spin) return true;
    tact_release(e->base.env, g->packed_spin);
    tact_release(e->base.env, g->packed_turn);
    g->packed_capacity = 0;
    g->packed_spin = tact_allocate(e->base.env, count, sizeof *g->packed_spin);
    g->packed_turn = tact_allocate(e->base.env, count, sizeof *g->packed_turn);
    if (!g->packed_spin || !g->packed_turn) return false;
    g->packed_capacity = count;
    return true;
}

static bool touches(const tact_grain_list* list, size_t k)
{
    return !(list->memory[0][k] == 0.0f && signbit(list->memory[0][k]));
}

/// `pairs`, `springs`: where those of all lists begin.
static tact_grain_list list_of(const tact_pair_list* pairs, const uint32_t* all, float* springs, bool rolls)
{
    tact_grain_list list = {.i = pairs->i, .j = pairs->j, .count = pairs->count};
    if (!pairs->i) return list;
    const size_t planes = rolls ? TACT_GRAIN_PLANES : 3, plane = pairs->room + TACT_SLOT_PAD;
    float* first = springs + (size_t)(pairs->i - all) / 2 * planes;
    for (size_t k = 0; k < planes; ++k)
        list.memory[k] = first + k * plane;
    return list;
}

tact_grain_list tact_cpu_grains_list(const tact_particle_cpu* e, const tact_walk_chunk* chunk)
{
    const tact_cpu_grains* g = e->grains;
    return list_of(&chunk->list, g->pairs, g->springs, g->rolls);
}

tact_grain_list tact_cpu_grains_walls(const tact_particle_cpu* e, const tact_grain_page* page)
{
    const tact_cpu_grains* g = e->grains;
    return list_of(&page->walls, g->walls, g->wall_springs, g->rolls);
}

static TactGrainMemory memory_at(const tact_grain_list* list, size_t k)
{
    float m[TACT_GRAIN_PLANES] = {0.0f};
    for (size_t n = 0; n < TACT_GRAIN_PLANES && list->memory[n]; ++n)
        m[n] = list->memory[n][k];
    const TactGrainMemory memory = {m[0], m[1], m[2], m[3], m[4], m[5], m[6]};
    return memory;
}

static void put_memory(const tact_grain_list* list, size_t k, TactGrainMemory memory)
{
    const float m[TACT_GRAIN_PLANES] = {memory.sx, memory.sy, memory.sz, memory.rx, memory.ry, memory.rz, memory.twist};
    for (size_t n = 0; n < TACT_GRAIN_PLANES && list->memory[n]; ++n)
        list->memory[n][k] = m[n];
}

/// Opposite numbers, but never -0.
static TactGrainMemory turned_round(TactGrainMemory m)
{
    TactGrainMemory o = tact_grain_opposite(m);
    float* const numbers[] = {&o.sx, &o.sy, &o.sz, &o.rx, &o.ry, &o.rz};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        *numbers[k] += 0.0f;
    return o;
}

/// Records by particle: counted, then placed.
typedef struct packing {
    tact_particle_cpu* engine;
    size_t* places;              ///< by rank; how many there are, while they are counted
    tact_grain_record* records;  ///< NULL while they are counted
} packing;

static void pack_record(packing* p, uint32_t rank, const tact_grain_record* record)
{
    if (p->records) {
        p->records[p->places[rank]++] = *record;
    } else {
        ++p->places[rank];
    }
}

/// A chunk's pairs that are its own.
static void pack_list(packing* p, const tact_walk_chunk* chunk, bool at_seam)
{
    const tact_particle_cpu* e = p->engine;
    const tact_grain_list list = tact_cpu_grains_list(e, chunk);
    for (size_t k = 0; k < list.count; ++k) {
        const uint32_t i = list.i[k], j = list.j[k];
        if (!touches(&list, k) || !tact_cpu_pair_is_own(e, chunk->low, chunk->high, at_seam, i, j)) continue;
        const uint32_t a = e->now.tag[i][0], b = e->now.tag[j][0];
        TactGrainMemory memory = memory_at(&list, k);
        if (a > b) memory = turned_round(memory);
        const tact_grain_record r = {
            .a = e->ids[a < b ? a : b], .with = TACT_CONTACT_PARTICLE, .b = e->ids[a < b ? b : a], .spring = memory};
        pack_record(p, a < b ? a : b, &r);
    }
}

/// The bonds of which the particle in a slot has the smaller id.
static void pack_bonds(packing* p, size_t i)
{
    const tact_particle_cpu* e = p->engine;
    const tact_cpu_grains* g = e->grains;
    const uint32_t rank = e->now.tag[i][0];
    for (size_t k = g->bond_begins[i]; k < g->bond_begins[i + 1]; ++k) {
        const tact_cpu_bond* b = &g->bonds[k];
        if (!b->first || !b->there) continue;
        const tact_grain_record r = {.a = e->ids[rank],
                                     .with = TACT_CONTACT_PARTICLE,
                                     .b = e->ids[e->now.tag[b->other][0]],
                                     .normal = {b->bond.rest, b->bond.kind},
                                     .spring = b->spring};
        pack_record(p, rank, &r);
    }
}

static void pack_walls(packing* p, const tact_grain_page* page)
{
    const tact_particle_cpu* e = p->engine;
    const tact_grain_list list = tact_cpu_grains_walls(e, page);
    for (size_t k = 0; k < list.count; ++k) {
        if (!touches(&list, k)) continue;
        const TactVec n = tact_particle_wall_normal(list.j[k]);
        const uint32_t rank = e->now.tag[list.i[k]][0];
        const tact_grain_record r = {.a = e->ids[rank],
                                     .with = TACT_CONTACT_WALL,
                                     .b = list.j[k],
                                     .normal = {n.x, n.y, n.z},
                                     .spring = memory_at(&list, k)};
        pack_record(p, rank, &r);
    }
}

static void pack_all(packing* p)
{
    const tact_particle_cpu* e = p->engine;
    const tact_walk_chunk *chunks = e->chunks, *seams = e->seam_chunks;
    for (size_t k = 0; k < e->chunk_count; ++k)
        pack_list(p, &chunks[k], false);
    for (size_t k = 0; k < e->seam_chunk_count; ++k)
        pack_list(p, &seams[k], true);
    for (size_t i = 0; i < e->count && e->grains->bond_begins; ++i)
        pack_bonds(p, i);
    for (size_t k = 0; k < e->grains->page_count; ++k) {
        const tact_grain_page* page = &e->grains->pages[k];
        pack_walls(p, page);
        for (size_t n = 0; n < page->count; ++n) {
            tact_grain_record r = page->records[0][n];
            const uint32_t rank = e->now.tag[r.a][0];
            r.a = e->ids[rank];
            pack_record(p, rank, &r);
        }
    }
}

static bool precedes(const tact_grain_record* r, const tact_grain_record* s)
{
    return r->with != s->with ? r->with < s->with : r->b < s->b;
}

/// Sorts one particle's records; those with surfaces are in order already, behind the others.
static void sort_records(tact_grain_record* records, size_t count)
{
    for (size_t i = 1; i < count && records[i].with == TACT_CONTACT_PARTICLE; ++i) {
        const tact_grain_record r = records[i];
        size_t k = i;
        for (; k > 0 && precedes(&r, &records[k - 1]); --k)
            records[k] = records[k - 1];
        records[k] = r;
    }
}

static tact_result pack_records(tact_particle_cpu* e)
{
    tact_cpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    packing p = {.engine = e, .places = tact_allocate_zeroed(env, e->count + 1, sizeof *p.places)};
    if (!p.places) return TACT_ERROR_OUT_OF_MEMORY;
    pack_all(&p);
    size_t place = 0;
    for (size_t rank = 0; rank <= e->count; ++rank) {
        const size_t count = p.places[rank];
        p.places[rank] = place;
        place += count;
    }
    const bool good = tact_reserve(env, (void**)&g->records, &g->record_capacity, 0, place + 1, sizeof *g->records);
    if (good) {
        p.records = g->records;
        g->record_count = place;
        pack_all(&p);
        // Each place is now where the next begins.
        for (size_t rank = 0; rank < e->count; ++rank) {
            const size_t begin = rank > 0 ? p.places[rank - 1] : 0;
            sort_records(g->records + begin, p.places[rank] - begin);
        }
    }
    tact_release(env, p.places);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static void pack_range(size_t begin, size_t end, int worker, void* user)
{
    const tact_particle_cpu* e = user;
    const tact_cpu_grains* g = e->grains;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t rank = e->now.tag[i][0];
        memcpy(g->packed_spin[rank], g->spin[i], sizeof *g->spin);
        memcpy(g->packed_turn[rank], g->turn[i], sizeof *g->turn);
    }
}

/// Packs, and leaves the list as it is.
static tact_result pack(tact_particle_cpu* e)
{
    if (!e->grains->listed) return TACT_OK;
    if (!make_packed(e, e->count)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(e->threads, e->count, GRAIN, pack_range, e);
    return pack_records(e);
}

tact_result tact_cpu_grains_pack(tact_particle_cpu* e)
{
    const tact_result result = pack(e);
    if (result == TACT_OK) e->grains->listed = false;
    return result;
}

tact_result tact_cpu_grains_load(tact_particle_cpu* e, const tact_particle_state* state)
{
    tact_cpu_grains* g = e->grains;
    TACT_ASSERT(state->turns);
    g->listed = false;
    if (!make_packed(e, state->count + 1) || !tact_reserve(e->base.env, (void**)&g->records, &g->record_capacity, 0,
                                                           state->record_count + 1, sizeof *g->records)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    memcpy(g->packed_spin, state->spin, state->count * sizeof *g->packed_spin);
    memcpy(g->packed_turn, state->turn, state->count * sizeof *g->packed_turn);
    if (state->record_count > 0) memcpy(g->records, state->records, state->record_count * sizeof *g->records);
    g->record_count = state->record_count;
    return tact_cpu_clumps_load(e, state);
}

tact_result tact_cpu_grains_store(tact_particle_cpu* e, tact_particle_state* state)
{
    tact_cpu_grains* g = e->grains;
    const tact_result result = pack(e);
    if (result != TACT_OK) return result;
    if (!tact_particle_state_reserve_records(e->base.env, state, g->record_count + 1) ||
        tact_cpu_clumps_store(e, state) != TACT_OK) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    memcpy(state->spin, g->packed_spin, e->count * sizeof *state->spin);
    memcpy(state->turn, g->packed_turn, e->count * sizeof *state->turn);
    if (g->record_count > 0) memcpy(state->records, g->records, g->record_count * sizeof *state->records);
    state->record_count = g->record_count;
    if (g->listed) tact_cpu_grains_drop(e);
    return TACT_OK;
}

// ---- Particles that come and go ----

tact_result tact_cpu_grains_append(tact_particle_engine* engine, const tact_particle_state* extra)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    tact_cpu_grains* g = e->grains;
    tact_env* env = engine->env;
    const size_t before = e->count, count = before + extra->count;
    TACT_ASSERT(extra->turns);
    tact_result result = tact_cpu_grains_pack(e);
    if (result != TACT_OK) return result;
    float(*spin)[4] = tact_allocate(env, count, sizeof *spin);
    float(*turn)[4] = tact_allocate(env, count, sizeof *turn);
    result = spin && turn ? tact_cpu_append(engine, extra) : TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) {
        tact_release(env, spin);
        tact_release(env, turn);
        return result;
    }
    for (size_t rank = 0; rank < before; ++rank) {
        memcpy(spin[e->keys[rank]], g->packed_spin[rank], sizeof *spin);
        memcpy(turn[e->keys[rank]], g->packed_turn[rank], sizeof *turn);
    }
    for (size_t k = 0; k < extra->count; ++k) {
        const uint32_t rank = e->now.tag[before + k][0];
        memcpy(spin[rank], extra->spin[k], sizeof *spin);
        memcpy(turn[rank], extra->turn[k], sizeof *turn);
    }
    tact_release(env, g->packed_spin);
    tact_release(env, g->packed_turn);
    g->packed_spin = spin;
    g->packed_turn = turn;
    g->packed_capacity = count;
    return TACT_OK;
}

static int compare_ids(const void* a, const void* b)
{
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

tact_result tact_cpu_grains_drain(tact_particle_engine* engine, const tact_particle_solid* regions,
                                  uint32_t region_count, uint32_t* ids, size_t* count)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    tact_cpu_grains* g = e->grains;
    *count = 0;
    if (tact_cpu_mark(e, regions, region_count) == 0) return TACT_OK;
    const tact_result result = tact_cpu_grains_pack(e);
    if (result != TACT_OK) return result;
    const size_t before = e->count;
    *count = tact_cpu_take_out(e, ids);
    for (size_t rank = 0; rank < before; ++rank) {
        const uint32_t to = e->parts[rank][0];
        if (e->parts[rank][1]) continue;
        TACT_ASSERT(to <= rank && to < e->count);
        memmove(g->packed_spin[to], g->packed_spin[rank], sizeof *g->packed_spin);
        memmove(g->packed_turn[to], g->packed_turn[rank], sizeof *g->packed_turn);
    }
    // The ids ascend, as ranks do.
    size_t kept = 0;
    for (size_t i = 0; i < g->record_count; ++i) {
        const tact_grain_record* r = &g->records[i];
        const bool gone = bsearch(&r->a, ids, *count, sizeof *ids, compare_ids) ||
                          (r->with == TACT_CONTACT_PARTICLE && bsearch(&r->b, ids, *count, sizeof *ids, compare_ids));
        if (!gone) g->records[kept++] = *r;
    }
    g->record_count = kept;
    return TACT_OK;
}

// ---- Back to slots and lists ----

/// Where each rank's records begin, and where those with surfaces do.
typedef struct unpacking {
    tact_particle_cpu* engine;
    size_t* begins;
    TACT_ATOMIC(bool) failed;
} unpacking;

/// The record of a pair of ranks, or NULL.
static const tact_grain_record* record_of(const unpacking* u, uint32_t low, uint32_t high)
{
    const tact_particle_cpu* e = u->engine;
    const tact_grain_record* records = e->grains->records;
    for (size_t n = u->begins[low]; n < u->begins[low + 1]; ++n) {
        if (records[n].with != TACT_CONTACT_PARTICLE || records[n].b > e->ids[high]) return NULL;
        if (records[n].b == e->ids[high]) return &records[n];
    }
    return NULL;
}

/// Some pairs of a list, with what they remember.
typedef struct some_pairs {
    uint32_t i[PART], j[PART];
    float memory[TACT_GRAIN_PLANES][PART];
} some_pairs;

/// Puts pairs of [begin, end) that touch before those that do not, each in order.
static void part_pairs(const tact_pair_list* pairs, const tact_grain_list* list, size_t begin, size_t end)
{
    some_pairs apart;
    size_t next = begin, count = 0;
    TACT_ASSERT(end - begin <= PART);
    for (size_t k = begin; k < end; ++k) {
        const bool there = touches(list, k);
        uint32_t* const i = there ? pairs->i + next : apart.i + count;
        uint32_t* const j = there ? pairs->j + next : apart.j + count;
        *i = pairs->i[k];
        *j = pairs->j[k];
        for (size_t n = 0; n < TACT_GRAIN_PLANES && list->memory[n]; ++n)
            *(there ? list->memory[n] + next : apart.memory[n] + count) = list->memory[n][k];
        next += there;
        count += !there;
    }
    memcpy(pairs->i + next, apart.i, count * sizeof *apart.i);
    memcpy(pairs->j + next, apart.j, count * sizeof *apart.j);
    for (size_t n = 0; n < TACT_GRAIN_PLANES && list->memory[n]; ++n)
        memcpy(list->memory[n] + next, apart.memory[n], count * sizeof *apart.memory[n]);
}

static void unpack_chunk(const unpacking* u, tact_walk_chunk* chunk)
{
    const tact_particle_cpu* e = u->engine;
    tact_grain_list list = tact_cpu_grains_list(e, chunk);
    TactGrainMemory none = tact_grain_forgotten();
    none.sx = -0.0f;
    size_t kept = 0, inner = 0;
    for (size_t k = 0; k < list.count; ++k) {
        const uint32_t i = list.i[k], j = list.j[k];
        const uint32_t a = e->now.tag[i][0], b = e->now.tag[j][0];
        const tact_grain_record* r = a < b ? record_of(u, a, b) : record_of(u, b, a);
        if ((r && tact_grain_bond_of(r).kind > 0.0f) || tact_clump_joins(e->grains->table, e->ids[a], e->ids[b])) {
            // Bonds have a list of their own, and what is of one clump does not meet.
            continue;
        }
        TactGrainMemory memory = none;
        if (r) memory = a < b ? r->spring : turned_round(r->spring);
        inner += k < chunk->list.inner;
        chunk->list.i[kept] = i;
        chunk->list.j[kept] = j;
        put_memory(&list, kept++, memory);
    }
    chunk->list.count = list.count = kept;
    chunk->list.inner = inner = inner / TACT_SLOT_PAD * TACT_SLOT_PAD;
    // What lanes read past the end.
    for (size_t k = list.count; k < list.count + TACT_SLOT_PAD; ++k)
        put_memory(&list, k, none);
    // Lanes pass over pairs of which none touches.
    for (size_t k = 0, end; k < list.count; k = end) {
        const size_t stop = k < inner ? inner : list.count;
        end = stop - k < PART ? stop : k + PART;
        part_pairs(&chunk->list, &list, k, end);
    }
}

static void unpack_chunks(size_t begin, size_t end, int worker, void* user)
{
    const unpacking* u = user;
    const tact_particle_cpu* e = u->engine;
    tact_walk_chunk *chunks = e->chunks, *seams = e->seam_chunks;
    (void)worker;
    for (size_t k = begin; k < end; ++k)
        unpack_chunk(u, k < e->chunk_count ? &chunks[k] : &seams[k - e->chunk_count]);
}

/// What the contact of a particle with a wall remembers; -0 where there is none.
static TactGrainMemory memory_of_wall(const unpacking* u, uint32_t rank, uint32_t face)
{
    const tact_grain_record* records = u->engine->grains->records;
    const TactVec normal = tact_particle_wall_normal(face);
    TactGrainMemory memory = tact_grain_forgotten();
    memory.sx = -0.0f;
    for (size_t n = u->begins[rank]; n < u->begins[rank + 1]; ++n) {
        const tact_grain_record* r = &records[n];
        if (r->with != TACT_CONTACT_WALL || r->b != face) continue;
        const float* m = r->normal;
        if (tact_dot3(m[0], m[1], m[2], normal.x, normal.y, normal.z) > TACT_GRAIN_SAME_NORMAL) memory = r->spring;
    }
    return memory;
}

static void unpack_walls(const unpacking* u, const tact_grain_page* page)
{
    const tact_particle_cpu* e = u->engine;
    const tact_grain_list list = tact_cpu_grains_walls(e, page);
    const TactGrainMemory none = tact_grain_forgotten();
    for (size_t k = 0; k < list.count; ++k)
        put_memory(&list, k, memory_of_wall(u, e->now.tag[list.i[k]][0], list.j[k]));
    for (size_t k = list.count; k < list.count + TACT_SLOT_PAD && list.i; ++k)
        put_memory(&list, k, none);
}

static void unpack_pages(size_t begin, size_t end, int worker, void* user)
{
    unpacking* u = user;
    const tact_particle_cpu* e = u->engine;
    tact_cpu_grains* g = e->grains;
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        tact_grain_page* page = &g->pages[k];
        const size_t last = (k + 1) * TACT_GRAIN_PAGE < e->count ? (k + 1) * TACT_GRAIN_PAGE : e->count;
        page->count = 0;
        unpack_walls(u, page);
        for (size_t i = k * TACT_GRAIN_PAGE; i < last; ++i) {
            const uint32_t rank = e->now.tag[i][0];
            memcpy(g->spin[i], g->packed_spin[rank], sizeof *g->spin);
            memcpy(g->turn[i], g->packed_turn[rank], sizeof *g->turn);
            size_t n = u->begins[rank];
            while (n < u->begins[rank + 1] && g->records[n].with <= TACT_CONTACT_WALL)
                ++n;
            const size_t count = u->begins[rank + 1] - n;
            if (!tact_reserve_in_loop(e->base.env, (void**)&page->records[0], &page->capacity[0], page->count,
                                      page->count + count, sizeof *page->records[0])) {
                u->failed = true;
                return;
            }
            for (size_t m = 0; m < count; ++m) {
                tact_grain_record r = g->records[n + m];
                r.a = (uint32_t)i;
                page->records[0][page->count++] = r;
            }
        }
    }
}

tact_result tact_cpu_grains_unpack(tact_particle_cpu* e, int threads)
{
    tact_cpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    unpacking u = {.engine = e, .begins = tact_allocate(env, e->count + 1, sizeof *u.begins)};
    if (!u.begins) return TACT_ERROR_OUT_OF_MEMORY;
    size_t n = 0;
    for (size_t rank = 0; rank < e->count; ++rank) {
        TACT_ASSERT(n == g->record_count || g->records[n].a >= e->ids[rank]);
        u.begins[rank] = n;
        while (n < g->record_count && g->records[n].a == e->ids[rank])
            ++n;
    }
    u.begins[e->count] = n;
    TACT_ASSERT(n == g->record_count);
    const tact_result bonds = tact_cpu_bonds_unpack(e);
    if (bonds != TACT_OK) {
        tact_release(env, u.begins);
        return bonds;
    }
    tact_parallel_for(threads, e->chunk_count + e->seam_chunk_count, 1, unpack_chunks, &u);
    tact_parallel_for(threads, g->page_count, 4, unpack_pages, &u);
    tact_release(env, u.begins);
    return u.failed ? tact_cpu_grains_lack(env) : TACT_OK;
}
