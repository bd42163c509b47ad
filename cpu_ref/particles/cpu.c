// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine. For now the reference under another name.

#include "cpu_ref/particles/particles.h"

tact_result tact_particle_cpu_create(tact_env* env, tact_particle_engine** engine)
{
    static tact_particle_engine_class type;
    const tact_result result = tact_particle_reference_create(env, engine);
    if (result != TACT_OK) return result;
    type = *(*engine)->type;
    type.backend = TACT_BACKEND_CPU;
    (*engine)->type = &type;
    return TACT_OK;
}
