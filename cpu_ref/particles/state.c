// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/particles/particles.h"

static void copy_particles(tact_particle_state* to, const tact_particle_state* from)
{
    TACT_ASSERT(from->count <= to->capacity && from->turns == to->turns);
    if (from->count > 0) {
        memcpy(to->position, from->position, from->count * sizeof *from->position);
        memcpy(to->velocity, from->velocity, from->count * sizeof *from->velocity);
        memcpy(to->tag, from->tag, from->count * sizeof *from->tag);
    }
    if (from->count > 0 && from->turns) {
        memcpy(to->spin, from->spin, from->count * sizeof *from->spin);
        memcpy(to->turn, from->turn, from->count * sizeof *from->turn);
    }
    to->count = from->count;
}

bool tact_particle_state_reserve(tact_env* env, tact_particle_state* state, size_t count)
{
    TACT_ASSERT(state->count <= state->capacity || !state->position);
    if (count <= state->capacity && state->position) return true;
    size_t capacity = state->capacity < 64 ? 64 : state->capacity;
    while (capacity < count)
        capacity += capacity / 2;
    tact_particle_state grown = {0};
    grown.position = tact_allocate(env, capacity, sizeof *grown.position);
    grown.velocity = tact_allocate(env, capacity, sizeof *grown.velocity);
    grown.tag = tact_allocate(env, capacity, sizeof *grown.tag);
    grown.turns = state->turns;
    grown.capacity = capacity;
    bool good = grown.position && grown.velocity && grown.tag;
    if (good && grown.turns) {
        grown.spin = tact_allocate(env, capacity, sizeof *grown.spin);
        grown.turn = tact_allocate(env, capacity, sizeof *grown.turn);
        good = grown.spin && grown.turn;
    }
    if (!good) {
        tact_particle_state_free(env, &grown);
        return false;
    }
    copy_particles(&grown, state);
    TACT_ASSERT(grown.count <= grown.capacity && grown.capacity >= count);
    // Records and clumps stay where they are.
    grown.records = state->records;
    grown.record_count = state->record_count;
    grown.record_capacity = state->record_capacity;
    grown.clumps = state->clumps;
    grown.clump_count = state->clump_count;
    grown.clump_capacity = state->clump_capacity;
    state->records = NULL;
    state->clumps = NULL;
    tact_particle_state_free(env, state);
    *state = grown;
    return true;
}

bool tact_particle_state_reserve_records(tact_env* env, tact_particle_state* state, size_t count)
{
    TACT_ASSERT(state->turns);
    return tact_reserve(env, (void**)&state->records, &state->record_capacity, state->record_count, count,
                        sizeof *state->records);
}

bool tact_particle_state_reserve_clumps(tact_env* env, tact_particle_state* state, size_t count)
{
    TACT_ASSERT(state->turns);
    return tact_reserve(env, (void**)&state->clumps, &state->clump_capacity, state->clump_count, count,
                        sizeof *state->clumps);
}

void tact_particle_state_copy_clumps(tact_particle_state* to, const tact_particle_state* from)
{
    TACT_ASSERT(from->clump_count <= to->clump_capacity);
    if (from->clump_count > 0) memcpy(to->clumps, from->clumps, from->clump_count * sizeof *from->clumps);
    to->clump_count = from->clump_count;
}

void tact_particle_state_copy(tact_particle_state* to, const tact_particle_state* from)
{
    copy_particles(to, from);
    TACT_ASSERT(from->record_count <= to->record_capacity);
    if (from->record_count > 0) memcpy(to->records, from->records, from->record_count * sizeof *from->records);
    to->record_count = from->record_count;
    tact_particle_state_copy_clumps(to, from);
}

bool tact_particle_state_assign(tact_env* env, tact_particle_state* to, const tact_particle_state* from)
{
    if (!tact_particle_state_reserve(env, to, from->count) ||
        (from->turns && (!tact_particle_state_reserve_records(env, to, from->record_count) ||
                         !tact_particle_state_reserve_clumps(env, to, from->clump_count)))) {
        return false;
    }
    tact_particle_state_copy(to, from);
    return true;
}

void tact_particle_state_move(tact_particle_state* to, size_t k, const tact_particle_state* from, size_t i)
{
    TACT_ASSERT(k < to->capacity && i < from->capacity && to->turns == from->turns);
    memmove(to->position[k], from->position[i], sizeof *to->position);
    memmove(to->velocity[k], from->velocity[i], sizeof *to->velocity);
    memmove(to->tag[k], from->tag[i], sizeof *to->tag);
    if (!to->turns) return;
    memmove(to->spin[k], from->spin[i], sizeof *to->spin);
    memmove(to->turn[k], from->turn[i], sizeof *to->turn);
}

void tact_particle_state_merge(tact_particle_state* to, const tact_particle_state* extra)
{
    TACT_ASSERT(to->count + extra->count <= to->capacity);
    size_t i = to->count, k = extra->count, place = i + k;
    to->count = place;
    // From the end, so that nothing is overwritten before it has moved.
    while (k > 0) {
        const bool own = i > 0 && to->tag[i - 1][0] > extra->tag[k - 1][0];
        const tact_particle_state* from = own ? to : extra;
        const size_t at = own ? --i : --k;
        --place;
        TACT_ASSERT(i + k == place);
        tact_particle_state_move(to, place, from, at);
    }
}

void tact_particle_state_still(tact_particle_state* state, size_t i)
{
    static const float spin[4] = {0.0f, 0.0f, 0.0f, 0.0f}, turn[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    if (!state->turns) return;
    TACT_ASSERT(i < state->capacity);
    memcpy(state->spin[i], spin, sizeof spin);
    memcpy(state->turn[i], turn, sizeof turn);
}

void tact_particle_state_free(tact_env* env, tact_particle_state* state)
{
    tact_release(env, state->position);
    tact_release(env, state->velocity);
    tact_release(env, state->tag);
    tact_release(env, state->spin);
    tact_release(env, state->turn);
    tact_release(env, state->records);
    tact_release(env, state->clumps);
    *state = (tact_particle_state){.turns = state->turns};
}

static int compare_contacts(const void* a, const void* b)
{
    const tact_particle_contact *p = a, *q = b;
    const uint32_t keys_p[4] = {p->a, p->with, p->b, p->triangle};
    const uint32_t keys_q[4] = {q->a, q->with, q->b, q->triangle};
    for (int k = 0; k < 4; ++k) {
        if (keys_p[k] != keys_q[k]) return keys_p[k] < keys_q[k] ? -1 : 1;
    }
    return 0;
}

void tact_particle_contacts_sort(tact_particle_contact* contacts, size_t count)
{
    if (count > 1) qsort(contacts, count, sizeof *contacts, compare_contacts);
}

size_t tact_particle_state_find(const tact_particle_state* s, uint32_t id)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->tag[middle][0] < id)
            low = middle + 1;
        else
            high = middle;
    }
    TACT_ASSERT(low == 0 || s->tag[low - 1][0] < id);
    return low < s->count && s->tag[low][0] == id ? low : s->count;
}
