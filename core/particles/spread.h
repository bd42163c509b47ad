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

/// The host's copies of all ranks as one, on rank 0; on the others one without particles. To be freed. Collective.
tact_result tact_spread_collect(tact_particles* particles, tact_particle_state* all);
