// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What other files need of a system that is spread over ranks.

#include "core/particles/particles.h"
#include "core/particles/spread_state.h"

/// Keeps of particles that all ranks have alike those that are to be this one's: by cells, once they are cut.
void tact_spread_keep(const tact_particle_spread* spread, tact_particle_state* state);

/// OK where a system is not spread; else UNSUPPORTED, since `what` needs all particles in one place.
tact_result tact_spread_check_alone(const tact_particles* particles, const char* what);

/// Notes that particles may have gone to other ranks since they had been placed `placed` times: the host's copy then
/// has those that this rank had before, and only the engine those it has now.
static inline void tact_spread_note_places(tact_particles* particles, uint64_t placed)
{
    if (particles->spread->info.placed != placed) particles->mirror_fresh = false;
}

/// The host's copies of all ranks as one, on rank 0; on the others one without particles. To be freed. Collective.
tact_result tact_spread_collect(tact_particles* particles, tact_particle_state* all);

/// Whether a system can be spread. INVALID_ARGUMENT, UNSUPPORTED. Not collective.
tact_result tact_spread_check(tact_particles* particles, const tact_ranks* ranks, const tact_particle_ranks_desc* desc);
/// Spreads a system whose host's copy is this rank's part already. Not collective. False when out of memory.
bool tact_spread_attach(tact_particles* particles, tact_ranks* ranks, const tact_particle_ranks_desc* desc);
