// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine. For now the reference under another name, but for neighbours.

#include "cpu_ref/particles/neighbours.h"
#include "cpu_ref/particles/particles.h"

typedef struct cpu {
    tact_particle_engine base;
    tact_particle_engine* inner;
    tact_particle_state state;  ///< a copy, for neighbours
    tact_neighbour_finder* finder;
} cpu;

static tact_particle_engine* inner_of(tact_particle_engine* engine)
{
    return ((cpu*)engine)->inner;
}

static void cpu_destroy(tact_particle_engine* engine)
{
    cpu* c = (cpu*)engine;
    c->inner->type->destroy(c->inner);
    tact_neighbour_finder_destroy(c->finder);
    tact_particle_state_free(engine->env, &c->state);
    tact_release(engine->env, c);
}

static tact_result cpu_load(tact_particle_engine* engine, const tact_particle_state* state)
{
    if (!tact_particle_state_reserve(engine->env, &((cpu*)engine)->state, state->count)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    return inner_of(engine)->type->load(inner_of(engine), state);
}

static tact_result cpu_store(tact_particle_engine* engine, tact_particle_state* state)
{
    return inner_of(engine)->type->store(inner_of(engine), state);
}

static tact_result cpu_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                            tact_particle_counters* counters)
{
    return inner_of(engine)->type->step(inner_of(engine), model, substeps, counters);
}

static tact_result cpu_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    return inner_of(engine)->type->contacts(inner_of(engine), model, contacts, capacity, count);
}

static tact_result cpu_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                  tact_neighbour_lists* lists)
{
    cpu* c = (cpu*)engine;
    const tact_result result = cpu_store(engine, &c->state);
    if (result != TACT_OK) return result;
    return tact_neighbours_find_in_state(engine->env, &c->finder, model, &c->state, radius, lists);
}

static uint64_t cpu_bytes(const tact_particle_engine* engine)
{
    const cpu* c = (const cpu*)engine;
    const uint64_t found = c->finder ? tact_neighbours_bytes(c->finder) : 0;
    return c->inner->type->bytes(c->inner) + (uint64_t)c->state.capacity * 40 + found;
}

static const tact_particle_engine_class type = {
    .backend = TACT_BACKEND_CPU,
    .destroy = cpu_destroy,
    .load = cpu_load,
    .store = cpu_store,
    .step = cpu_step,
    .contacts = cpu_contacts,
    .neighbours = cpu_neighbours,
    .bytes = cpu_bytes,
};

tact_result tact_particle_cpu_create(tact_env* env, tact_particle_engine** engine)
{
    cpu* c = tact_allocate_zeroed(env, 1, sizeof *c);
    if (!c) return TACT_ERROR_OUT_OF_MEMORY;
    c->base = (tact_particle_engine){&type, env};
    const tact_result result = tact_particle_reference_create(env, &c->inner);
    if (result != TACT_OK) {
        tact_release(env, c);
        return result;
    }
    *engine = &c->base;
    return TACT_OK;
}
