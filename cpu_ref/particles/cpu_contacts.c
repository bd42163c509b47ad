// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Listing contacts: pairs are counted, noted, sorted by the ranks of both, and worked out where they belong.

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum { GRAIN = 2048 };

typedef struct tact_contact_list {
    tact_particle_cpu* engine;
    const tact_particle_model* model;
    uint32_t (*pairs)[2];  ///< slots
    uint64_t pair_count;
    uint32_t* slot_of;   ///< by rank
    uint64_t* begins;    ///< of each rank's partners of higher rank
    uint32_t* partners;  ///< their ranks
    uint64_t* places;    ///< of each rank's contacts
    tact_particle_contact* contacts;
    size_t capacity;
} tact_contact_list;

void tact_walk_note(tact_walk_worker* w)
{
    TACT_ASSERT(w->block.count <= TACT_TOUCH_ROOM);
    tact_touch_block* b = &w->block;
    for (uint32_t k = 0; k < b->count && w->pairs; ++k) {
        w->pairs[w->pair_count + k][0] = b->i[k];
        w->pairs[w->pair_count + k][1] = b->j[k];
    }
    w->pair_count += b->count;
    b->count = 0;
}

static void find_range(size_t begin, size_t end, int worker, void* user)
{
    const tact_contact_list* list = user;
    tact_particle_cpu* e = list->engine;
    TACT_ASSERT(end <= e->chunk_count);
    tact_walk_worker* w = (tact_walk_worker*)e->workers + worker;
    for (size_t i = begin; i < end; ++i) {
        tact_walk_chunk* chunk = (tact_walk_chunk*)e->chunks + i;
        w->pair_count = 0;
        w->pairs = list->pairs ? list->pairs + chunk->first_pair : NULL;
        tact_cpu_walk_chunk(w, chunk);
        TACT_ASSERT(!list->pairs || chunk->first_pair + w->pair_count <= list->pair_count);
        if (!list->pairs) chunk->first_pair = w->pair_count;
    }
}

/// The pairs at seams come after those of all chunks, from `first` on. Returns how many there are.
static uint64_t find_at_seams(const tact_contact_list* list, uint64_t first)
{
    tact_particle_cpu* e = list->engine;
    tact_walk_worker* w = e->workers;
    w->pair_count = 0;
    w->pairs = list->pairs ? list->pairs + first : NULL;
    for (uint32_t i = 0; i < e->seam_count; ++i)
        tact_cpu_walk_seam(w, e->seam_list[i]);
    return w->pair_count;
}

static tact_result find_pairs(tact_contact_list* list)
{
    tact_particle_cpu* e = list->engine;
    tact_result result = tact_cpu_sort(e, list->model);
    if (result == TACT_OK) result = tact_cpu_cut(e, list->model);
    tact_particle_walk walk = {.model = list->model, .contacts = list};
    if (result == TACT_OK) result = tact_cpu_walk_begin(e, &walk);
    if (result != TACT_OK) return result;
    tact_parallel_for(list->model->threads, e->chunk_count, 1, find_range, list);
    uint64_t count = 0;
    tact_walk_chunk* chunks = e->chunks;
    for (size_t i = 0; i < e->chunk_count; ++i) {
        const uint64_t found = chunks[i].first_pair;
        chunks[i].first_pair = count;
        count += found;
    }
    list->pair_count = count + find_at_seams(list, 0);
    if (list->pair_count > SIZE_MAX / sizeof *list->pairs)
        return tact_fail(e->base.env, TACT_ERROR_LIMIT, "%llu contacts", (unsigned long long)list->pair_count);
    list->pairs = tact_allocate(e->base.env, (size_t)list->pair_count + 1, sizeof *list->pairs);
    if (!list->pairs) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(list->model->threads, e->chunk_count, 1, find_range, list);
    find_at_seams(list, count);
    return TACT_OK;
}

static uint32_t rank_of(const tact_contact_list* list, uint32_t slot)
{
    TACT_ASSERT(slot < list->engine->count);
    return list->engine->now.tag[slot][0];
}

static int compare_ranks(const void* a, const void* b)
{
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

static void sort_ranks(uint32_t* ranks, size_t count)
{
    if (count > 24) {
        qsort(ranks, count, sizeof *ranks, compare_ranks);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const uint32_t rank = ranks[i];
        size_t k = i;
        for (; k > 0 && ranks[k - 1] > rank; --k)
            ranks[k] = ranks[k - 1];
        ranks[k] = rank;
    }
}

/// Sorts a range of ranks' partners, and counts all their contacts.
static void count_range(size_t begin, size_t end, int worker, void* user)
{
    tact_contact_list* list = user;
    (void)worker;
    for (size_t a = begin; a < end; ++a) {
        const size_t count = (size_t)(list->begins[a + 1] - list->begins[a]);
        TACT_ASSERT(list->begins[a] <= list->begins[a + 1] && list->begins[a + 1] <= list->pair_count);
        sort_ranks(list->partners + list->begins[a], count);
        const tact_particle_self p = tact_cpu_self(list->engine, list->slot_of[a]);
        list->places[a] = count + tact_particle_static_contacts(list->model, &p, NULL, 0);
    }
}

/// Groups the pairs by their lower ranks.
static void group_pairs(tact_contact_list* list)
{
    const size_t n = list->engine->count;
    memset(list->begins, 0, (n + 1) * sizeof *list->begins);
    for (size_t i = 0; i < n; ++i)
        list->slot_of[rank_of(list, (uint32_t)i)] = (uint32_t)i;
    for (uint64_t k = 0; k < list->pair_count; ++k) {
        const uint32_t i = rank_of(list, list->pairs[k][0]), j = rank_of(list, list->pairs[k][1]);
        ++list->begins[(i < j ? i : j) + 1];
    }
    for (size_t i = 0; i < n; ++i)
        list->begins[i + 1] += list->begins[i];
    for (uint64_t k = 0; k < list->pair_count; ++k) {
        const uint32_t i = rank_of(list, list->pairs[k][0]), j = rank_of(list, list->pairs[k][1]);
        list->partners[list->begins[i < j ? i : j]++] = i < j ? j : i;
    }
    // Each is now where the next begins.
    for (size_t i = n; i > 0; --i)
        list->begins[i] = list->begins[i - 1];
    TACT_ASSERT(n == 0 || list->begins[n] == list->pair_count);
    list->begins[0] = 0;
}

static tact_particle_contact pair_contact(const tact_contact_list* list, const tact_particle_self* i,
                                          const tact_particle_self* j)
{
    TACT_ASSERT(i->id < j->id);
    const TactGrid* g = &list->model->grid;
    const TactTouch t = tact_contact_spheres(tact_grid_shorter(g->x, j->x - i->x), tact_grid_shorter(g->y, j->y - i->y),
                                             tact_grid_shorter(g->z, j->z - i->z), i->radius + j->radius, i->id, j->id);
    const TactVec point = tact_touching_point(t, i->x, i->y, i->z, i->radius);
    const tact_particle_contact c = {
        .a = i->id,
        .b = j->id,
        .with = TACT_CONTACT_PARTICLE,
        .triangle = TACT_NONE,
        .point = {point.x, point.y, point.z},
        .depth = t.depth,
        .normal = {t.nx, t.ny, t.nz},
    };
    return c;
}

static void write_range(size_t begin, size_t end, int worker, void* user)
{
    const tact_contact_list* list = user;
    (void)worker;
    for (size_t a = begin; a < end; ++a) {
        uint64_t place = list->places[a];
        TACT_ASSERT(a == 0 || list->places[a - 1] <= place);
        if (place >= list->capacity) return;
        const tact_particle_self i = tact_cpu_self(list->engine, list->slot_of[a]);
        for (uint64_t k = list->begins[a]; k < list->begins[a + 1] && place < list->capacity; ++k, ++place) {
            const tact_particle_self j = tact_cpu_self(list->engine, list->slot_of[list->partners[k]]);
            list->contacts[place] = pair_contact(list, &i, &j);
        }
        const size_t left = list->capacity - (size_t)place;
        if (left == 0) continue;
        const size_t found = tact_particle_static_contacts(list->model, &i, list->contacts + place, left);
        if (found <= left) tact_particle_contacts_sort(list->contacts + place, found);
    }
}

static tact_result write_contacts(tact_contact_list* list, size_t* count)
{
    tact_particle_cpu* e = list->engine;
    tact_env* env = e->base.env;
    list->slot_of = tact_allocate(env, e->count, sizeof *list->slot_of);
    list->begins = tact_allocate(env, e->count + 1, sizeof *list->begins);
    list->places = tact_allocate(env, e->count + 1, sizeof *list->places);
    list->partners = tact_allocate(env, (size_t)list->pair_count, sizeof *list->partners);
    if (!list->slot_of || !list->begins || !list->places || !list->partners) return TACT_ERROR_OUT_OF_MEMORY;
    group_pairs(list);
    tact_parallel_for(list->model->threads, e->count, GRAIN, count_range, list);
    uint64_t place = 0;
    for (size_t a = 0; a < e->count; ++a) {
        const uint64_t found = list->places[a];
        list->places[a] = place;
        place += found;
    }
    *count = (size_t)place;
    tact_parallel_for(list->model->threads, e->count, GRAIN, write_range, list);
    return TACT_OK;
}

tact_result tact_cpu_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                              tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    TACT_ASSERT(contacts || capacity == 0);
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    tact_env* env = engine->env;
    tact_contact_list list = {.engine = e, .model = model, .contacts = contacts, .capacity = capacity};
    *count = 0;
    if (e->count == 0) return TACT_OK;
    tact_result result = tact_cpu_clear_begin(e, model);
    if (result == TACT_OK) result = find_pairs(&list);
    if (result == TACT_OK) result = write_contacts(&list, count);
    tact_release(env, list.pairs);
    tact_release(env, list.slot_of);
    tact_release(env, list.begins);
    tact_release(env, list.places);
    tact_release(env, list.partners);
    return result;
}
