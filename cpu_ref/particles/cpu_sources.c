// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that come and go between steps, without taking all others out and in again: what is known of those stays.

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum { GRAIN = 16384 };

static void copy_slots(tact_particle_slots* to, const tact_particle_slots* from, size_t count)
{
    memcpy(to->x, from->x, count * sizeof *to->x);
    memcpy(to->y, from->y, count * sizeof *to->y);
    memcpy(to->z, from->z, count * sizeof *to->z);
    memcpy(to->radius, from->radius, count * sizeof *to->radius);
    memcpy(to->velocity, from->velocity, count * sizeof *to->velocity);
    memcpy(to->tag, from->tag, count * sizeof *to->tag);
}

/// Takes the clearances along, or forgets them where there is no memory for that.
static void copy_clear(tact_particle_cpu* e, const tact_particle_slots* from, size_t count)
{
    if (!e->keeps_clear) return;
    e->keeps_clear = tact_cpu_clear_room(e);
    if (e->keeps_clear) memcpy(e->now.clear, from->clear, count * sizeof *from->clear);
}

/// Room for `count`, keeping what is there. False when out of memory: all is then as before.
static bool grow(tact_particle_cpu* e, size_t count)
{
    if (count <= e->capacity && e->ids) return true;
    tact_particle_cpu old = *e;
    const tact_particle_slots none = {0};
    e->now = e->next = none;
    e->ids = e->keys = NULL;
    e->motion = e->places = NULL;
    e->parts = NULL;
    e->list = NULL;
    e->list_capacity = 0;
    if (!tact_cpu_make_room(e, count)) {
        *e = old;
        return false;
    }
    if (old.count > 0) {
        copy_slots(&e->now, &old.now, old.count);
        memcpy(e->ids, old.ids, old.count * sizeof *e->ids);
    }
    e->count = old.count;
    TACT_ASSERT(e->count <= e->capacity);
    copy_clear(e, &old.now, old.count);
    tact_cpu_free_room(&old);
    return true;
}

/// Merges the ids of `extra`, which go to the slots behind the others, into those there, and ranks all of them anew.
static void merge_ids(tact_particle_cpu* e, const tact_particle_state* extra)
{
    TACT_ASSERT(e->count + extra->count <= e->capacity);
    size_t own = e->count, other = extra->count;
    for (size_t to = own + other; to > 0; --to) {
        if (other == 0 || (own > 0 && e->ids[own - 1] > extra->tag[other - 1][0])) {
            e->ids[to - 1] = e->ids[--own];
            e->keys[own] = (uint32_t)(to - 1);
        } else {
            e->ids[to - 1] = extra->tag[--other][0];
            TACT_ASSERT(to == e->count + extra->count || e->ids[to - 1] < e->ids[to]);
            e->now.tag[e->count + other][0] = (uint32_t)(to - 1);
        }
    }
    for (size_t i = 0; i < e->count; ++i)
        e->now.tag[i][0] = e->keys[e->now.tag[i][0]];
}

tact_result tact_cpu_append(tact_particle_engine* engine, const tact_particle_state* extra)
{
    TACT_ASSERT(extra->count > 0);
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    const float unknown[4] = {0.0f, 0.0f, 0.0f, -INFINITY};
    if (!grow(e, e->count + extra->count)) return TACT_ERROR_OUT_OF_MEMORY;
    merge_ids(e, extra);
    e->slots_known = false;
    for (size_t k = 0; k < extra->count; ++k) {
        if (e->keeps_clear) memcpy(e->now.clear[e->count], unknown, sizeof unknown);
        tact_cpu_put_last(e, extra, k);
    }
    return TACT_OK;
}

typedef struct marking {
    tact_particle_cpu* engine;
    const tact_particle_solid* regions;
    uint32_t region_count;
} marking;

/// keys[slot] becomes 1 for those in a region.
static void mark_range(size_t begin, size_t end, int worker, void* user)
{
    const marking* m = user;
    const tact_particle_slots* s = &m->engine->now;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        m->engine->keys[i] =
            tact_particle_is_in(m->regions, m->region_count, s->x[i], s->y[i], s->z[i], tact_tag_group(s->tag[i][1]));
    }
}

/// Takes the ids of the marked ones off the list; parts[rank][0] becomes the new rank of each that stays.
static void close_ranks(tact_particle_cpu* e, uint32_t* ids, size_t* count)
{
    for (size_t i = 0; i < e->count; ++i)
        e->parts[e->now.tag[i][0]][1] = e->keys[i];
    TACT_ASSERT(*count == 0);
    uint32_t kept = 0;
    for (size_t rank = 0; rank < e->count; ++rank) {
        if (e->parts[rank][1]) {
            ids[(*count)++] = e->ids[rank];
            continue;
        }
        e->ids[kept] = e->ids[rank];
        e->parts[rank][0] = kept++;
    }
}

static void move_down(tact_particle_cpu* e, size_t to, size_t from)
{
    TACT_ASSERT(to <= from && from < e->count);
    tact_particle_slots* s = &e->now;
    s->x[to] = s->x[from];
    s->y[to] = s->y[from];
    s->z[to] = s->z[from];
    s->radius[to] = s->radius[from];
    memmove(s->velocity[to], s->velocity[from], sizeof s->velocity[to]);
    if (e->keeps_clear) memmove(s->clear[to], s->clear[from], sizeof s->clear[to]);
    s->tag[to][0] = e->parts[s->tag[from][0]][0];
    s->tag[to][1] = s->tag[from][1];
}

size_t tact_cpu_mark(tact_particle_cpu* e, const tact_particle_solid* regions, uint32_t region_count)
{
    marking m = {e, regions, region_count};
    // Keys and parts are free between steps.
    tact_parallel_for(e->threads, e->count, GRAIN, mark_range, &m);
    size_t marked = 0;
    for (size_t i = 0; i < e->count; ++i)
        marked += e->keys[i];
    return marked;
}

size_t tact_cpu_take_out(tact_particle_cpu* e, uint32_t* ids)
{
    size_t count = 0, kept = 0;
    close_ranks(e, ids, &count);
    for (size_t i = 0; i < e->count; ++i) {
        if (!e->keys[i]) move_down(e, kept++, i);
    }
    TACT_ASSERT(kept + count == e->count);
    e->slots_known = false;
    e->count = kept;
    TACT_VALIDATE(tact_cpu_is_valid(e));
    return count;
}

tact_result tact_cpu_drain(tact_particle_engine* engine, const tact_particle_solid* regions, uint32_t region_count,
                           uint32_t* ids, size_t* count)
{
    tact_particle_cpu* e = (tact_particle_cpu*)engine;
    *count = tact_cpu_mark(e, regions, region_count) > 0 ? tact_cpu_take_out(e, ids) : 0;
    return TACT_OK;
}
