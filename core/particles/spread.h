// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A system that is spread over ranks. Each has a part of the particles in its host's copy, and moves them by an engine
/// of its own, in which the particles near them that others have are ghosts.

#include "core/particles/particles.h"
#include "core/particles/spread_cells.h"
#include "tact/particle_ranks.h"

typedef struct tact_particle_spread {
    tact_ranks* ranks;
    bool lost;  ///< a step failed: the ranks may be at different substeps
    tact_spread_cells cells;
    float most_imbalance;  ///< beyond which the curve is cut anew
    float margin;          ///< by how much cells are wider than contacts are long, in parts of that
    float reached;         ///< the imbalance that the last cut has left
    float width;           ///< of the cells
    tact_particle_ranks_info info;
    tact_ranks_info before;  ///< what the group had done when the system was spread
} tact_particle_spread;

/// The engine of a spread system: moves its part by `inner`, which it destroys with itself, also when this fails.
tact_result tact_spread_engine_create(tact_env* env, tact_particle_spread* spread, tact_particle_engine* inner,
                                      bool turns, tact_particle_engine** engine);

/// Keeps of particles that all ranks have alike those that are to be this one's: by cells, once they are cut.
void tact_spread_keep(const tact_particle_spread* spread, tact_particle_state* state);

/// Takes the particles of these ids out, of those that each rank gives. Collective. Errors: OUT_OF_MEMORY,
/// INVALID_ARGUMENT (an id that is not there, or twice).
tact_result tact_spread_take_out(tact_particles* particles, const uint32_t* ids, size_t count);

/// OK where a system is not spread; else UNSUPPORTED, since `what` needs all particles in one place.
tact_result tact_spread_check_alone(const tact_particles* particles, const char* what);

/// The host's copies of all ranks as one, on rank 0; on the others one without particles. To be freed. Collective.
tact_result tact_spread_collect(tact_particles* particles, tact_particle_state* all);

void tact_spread_free(tact_env* env, tact_particle_spread* spread);
