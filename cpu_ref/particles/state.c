// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/particles/particles.h"

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
    grown.capacity = capacity;
    if (!grown.position || !grown.velocity || !grown.tag) {
        tact_particle_state_free(env, &grown);
        return false;
    }
    tact_particle_state_copy(&grown, state);
    TACT_ASSERT(grown.count <= grown.capacity && grown.capacity >= count);
    tact_particle_state_free(env, state);
    *state = grown;
    return true;
}

void tact_particle_state_copy(tact_particle_state* to, const tact_particle_state* from)
{
    TACT_ASSERT(from->count <= to->capacity);
    if (from->count > 0) {
        memcpy(to->position, from->position, from->count * sizeof *from->position);
        memcpy(to->velocity, from->velocity, from->count * sizeof *from->velocity);
        memcpy(to->tag, from->tag, from->count * sizeof *from->tag);
    }
    to->count = from->count;
}

void tact_particle_state_free(tact_env* env, tact_particle_state* state)
{
    tact_release(env, state->position);
    tact_release(env, state->velocity);
    tact_release(env, state->tag);
    *state = (tact_particle_state){0};
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
