// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A stand-in for a device: the reference behind an engine that can fail when told to, and that can take in and let out
/// particles itself. Put in the place of a system's reference engine. Include after run.h.

#include "core/particles/particles.h"

typedef struct fake_engine {
    tact_particle_engine base;
    tact_particle_engine* inner;
    tact_particle_state state;  ///< scratch
    long steps_left;            ///< fails when it is to do more; negative: never
    unsigned appended, drained;
} fake_engine;

static inline void fake_destroy(tact_particle_engine* engine)
{
    fake_engine* f = (fake_engine*)engine;
    f->inner->type->destroy(f->inner);
    tact_particle_state_free(engine->env, &f->state);
    tact_release(engine->env, f);
}

static inline tact_result fake_lost(fake_engine* f)
{
    return tact_fail(f->base.env, TACT_ERROR_DEVICE_LOST, "the stand-in was lost");
}

static inline tact_result fake_load(tact_particle_engine* engine, const tact_particle_state* state, int threads)
{
    fake_engine* f = (fake_engine*)engine;
    if (f->steps_left == 0) return fake_lost(f);
    if (!tact_particle_state_reserve(engine->env, &f->state, state->count)) return TACT_ERROR_OUT_OF_MEMORY;
    f->state.count = state->count;
    return f->inner->type->load(f->inner, state, threads);
}

static inline tact_result fake_store(tact_particle_engine* engine, tact_particle_state* state)
{
    fake_engine* f = (fake_engine*)engine;
    return f->steps_left == 0 ? fake_lost(f) : f->inner->type->store(f->inner, state);
}

static inline tact_result fake_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                                    tact_particle_counters* counters)
{
    fake_engine* f = (fake_engine*)engine;
    if (f->steps_left == 0) return fake_lost(f);
    if (f->steps_left > 0) --f->steps_left;
    return f->inner->type->step(f->inner, model, substeps, counters);
}

static inline tact_result fake_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                        tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    fake_engine* f = (fake_engine*)engine;
    return f->inner->type->contacts(f->inner, model, contacts, capacity, count);
}

static inline tact_result fake_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                          tact_neighbour_kind kind, tact_neighbour_lists* lists)
{
    fake_engine* f = (fake_engine*)engine;
    return f->inner->type->neighbours(f->inner, model, radius, kind, lists);
}

static inline uint64_t fake_bytes(const tact_particle_engine* engine)
{
    return 1;
}

static inline int fake_compare(const void* a, const void* b)
{
    const uint32_t *p = a, *q = b;
    return p[10] < q[10] ? -1 : p[10] > q[10];
}

/// Puts the scratch state in order of id and hands it to the inner engine.
static inline tact_result fake_reload(fake_engine* f)
{
    tact_particle_state* s = &f->state;
    uint32_t* rows = tact_allocate(f->base.env, s->count, 12 * sizeof *rows);
    if (!rows) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->count; ++i) {
        memcpy(rows + 12 * i, s->position[i], 16);
        memcpy(rows + 12 * i + 4, s->velocity[i], 16);
        memset(rows + 12 * i + 8, 0, 8);
        memcpy(rows + 12 * i + 10, s->tag[i], 8);
    }
    qsort(rows, s->count, 12 * sizeof *rows, fake_compare);
    for (size_t i = 0; i < s->count; ++i) {
        memcpy(s->position[i], rows + 12 * i, 16);
        memcpy(s->velocity[i], rows + 12 * i + 4, 16);
        memcpy(s->tag[i], rows + 12 * i + 10, 8);
    }
    tact_release(f->base.env, rows);
    return f->inner->type->load(f->inner, s, 1);
}

static inline tact_result fake_append(tact_particle_engine* engine, const tact_particle_state* extra)
{
    fake_engine* f = (fake_engine*)engine;
    tact_particle_state* s = &f->state;
    if (f->steps_left == 0) return fake_lost(f);
    ++f->appended;
    tact_result result = f->inner->type->store(f->inner, s);
    if (result != TACT_OK) return result;
    const size_t before = s->count;
    if (!tact_particle_state_reserve(engine->env, s, before + extra->count)) return TACT_ERROR_OUT_OF_MEMORY;
    memcpy(s->position + before, extra->position, extra->count * sizeof *s->position);
    memcpy(s->velocity + before, extra->velocity, extra->count * sizeof *s->velocity);
    memcpy(s->tag + before, extra->tag, extra->count * sizeof *s->tag);
    s->count += extra->count;
    return fake_reload(f);
}

static inline tact_result fake_drain(tact_particle_engine* engine, const tact_particle_solid* regions,
                                     uint32_t region_count, uint32_t* ids, size_t* count)
{
    fake_engine* f = (fake_engine*)engine;
    tact_particle_state* s = &f->state;
    ++f->drained;
    *count = 0;
    tact_result result = f->inner->type->store(f->inner, s);
    if (result != TACT_OK) return result;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const float* x = s->position[i];
        if (tact_particle_is_in(regions, region_count, x[0], x[1], x[2], tact_tag_group(s->tag[i][1]))) {
            ids[(*count)++] = s->tag[i][0];
            continue;
        }
        memmove(s->position[kept], s->position[i], sizeof *s->position);
        memmove(s->velocity[kept], s->velocity[i], sizeof *s->velocity);
        memmove(s->tag[kept], s->tag[i], sizeof *s->tag);
        ++kept;
    }
    s->count = kept;
    return fake_reload(f);
}

/// Those that every stand-in has.
#define FAKE_FUNCTIONS                                                                                             \
    .destroy = fake_destroy, .load = fake_load, .store = fake_store, .step = fake_step, .contacts = fake_contacts, \
    .neighbours = fake_neighbours, .bytes = fake_bytes

/// Puts a stand-in in the place of the system's reference engine, which must not have been used yet. It belongs to the
/// system.
static inline fake_engine* fake_engine_install(tact_particles* p, bool moves_particles)
{
    static const tact_particle_engine_class plain = {.backend = TACT_BACKEND_REFERENCE, FAKE_FUNCTIONS};
    static const tact_particle_engine_class full = {
        .backend = TACT_BACKEND_REFERENCE, FAKE_FUNCTIONS, .append = fake_append, .drain = fake_drain};
    tact_env* env = &p->context->env;
    fake_engine* f = tact_allocate_zeroed(env, 1, sizeof *f);
    assert_non_null(f);
    f->base = (tact_particle_engine){moves_particles ? &full : &plain, env};
    f->steps_left = -1;
    assert_int_equal(tact_particle_reference_create(env, false, &f->inner), TACT_OK);
    assert_null(p->engines[TACT_BACKEND_REFERENCE]);
    p->engines[TACT_BACKEND_REFERENCE] = &f->base;
    return f;
}
