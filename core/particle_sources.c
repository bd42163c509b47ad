// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Emitters and sinks.

#include "core/particles.h"

tact_result tact_particles_emit(tact_particles* p, tact_particle_engine* engine, float dt)
{
    (void)p;
    (void)engine;
    (void)dt;
    return TACT_OK;
}

tact_result tact_particles_drain(tact_particles* p, tact_particle_engine* engine)
{
    (void)p;
    (void)engine;
    return TACT_OK;
}
