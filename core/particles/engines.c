// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The engine of each backend, and where the state of a system is: with one of them, with the host, or with both.

#include <string.h>

#include "core/particles/drives.h"
#include "core/particles/spread.h"
#include "core/particles/spread_engine.h"
#ifdef TACT_HAVE_GPU
#include "gpu/particles/particles.h"
#endif

tact_result tact_particles_fetch(tact_particles* p)
{
    if (!p->mirror_fresh) {
        // A spread system's engine makes the room for its part.
        if (!tact_particle_state_reserve(&p->context->env, &p->mirror, p->spread ? 0 : p->count))
            return TACT_ERROR_OUT_OF_MEMORY;
        tact_particle_engine* e = p->engines[p->home];
        TACT_ASSERT(e && p->engine_fresh);
        const tact_result result = e->type->store(e, &p->mirror);
        if (result != TACT_OK) return result;
        TACT_ASSERT(p->mirror.count <= p->count);  // fewer when ids are taken already
        p->mirror_fresh = true;
    }
    p->mirror_clock = p->clock;
    memcpy(p->mirror_emitter_states, p->emitter_states, sizeof p->emitter_states);
    tact_surfaces_keep(p);
    p->journal = (tact_particle_journal){0};
    return TACT_OK;
}

tact_result tact_particles_edit(tact_particles* p)
{
    const tact_result result = tact_particles_fetch(p);
    if (result == TACT_OK) p->engine_fresh = false;
    return result;
}

tact_result tact_particles_fetch_forces(tact_particles* p)
{
    const size_t count = p->model.force_count;
    if (!p->forces_away) return TACT_OK;
    TACT_ASSERT(count > 0 && p->forces_away->type->give_forces);
    if (!tact_reserve(&p->context->env, (void**)&p->forces, &p->force_capacity, 0, count, sizeof *p->forces)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const tact_result result = p->forces_away->type->give_forces(p->forces_away, p->forces, count);
    if (result != TACT_OK) return result;
    p->forces_away = NULL;
    p->model.forces = (const float(*)[3])p->forces;
    return TACT_OK;
}

static tact_result make_inner(tact_particles* p, tact_backend backend, uint32_t device, tact_particle_engine** engine)
{
    tact_env* env = &p->context->env;
    const bool turns = p->mirror.turns;
    if (backend == TACT_BACKEND_REFERENCE) return tact_particle_reference_create(env, turns, engine);
    if (backend == TACT_BACKEND_CPU) return tact_particle_cpu_create(env, turns, engine);
#ifdef TACT_HAVE_GPU
    return turns ? tact_particle_gpu_create_turning(p->context->devices[device], backend, engine)
                 : tact_particle_gpu_create(p->context->devices[device], backend, engine);
#else
    (void)device;
    return tact_fail(env, TACT_ERROR_NO_DEVICE, "built without GPU backends");
#endif
}

static tact_result make_engine(tact_particles* p, tact_backend backend, uint32_t device, tact_particle_engine** engine)
{
    if (!p->spread) return make_inner(p, backend, device, engine);
    tact_particle_engine* inner = NULL;
    const tact_result result = make_inner(p, backend, device, &inner);
    if (result != TACT_OK) return result;
    return tact_spread_engine_create(&p->context->env, p->spread, inner, p->mirror.turns, engine);
}

tact_result tact_particles_engine(tact_particles* p, tact_backend backend, uint32_t device,
                                  tact_particle_engine** engine)
{
    TACT_ASSERT(backend > TACT_BACKEND_AUTO && backend < TACT_BACKEND_COUNT);
    tact_result result = TACT_OK;
    if (!p->engines[backend]) {
        result = make_engine(p, backend, device, &p->engines[backend]);
        if (result != TACT_OK) return result;
    }
    *engine = p->engines[backend];
    if (p->engine_fresh && p->home == backend) return TACT_OK;
    result = tact_particles_fetch(p);
    if (result == TACT_OK && p->forces_away != *engine) result = tact_particles_fetch_forces(p);
    if (result == TACT_OK) result = (*engine)->type->load(*engine, &p->mirror, p->model.threads);
    if (result != TACT_OK) return result;
    p->home = backend;
    p->engine_fresh = true;
    return TACT_OK;
}
