// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The particles of all ranks in order of id, a part on each.

#include "core/particles/particles.h"
#include "core/particles/spread_state.h"

/// Of all particles in order of id, with what their contacts remember, a part for each rank: rows begins[r] to
/// begins[r + 1] are that of rank r. This rank's goes to `part`, to be freed, also after a failure. It has the motions
/// of clumps whose first members are in it, and the first rank those of all. Collective.
tact_result tact_spread_in_order(tact_particles* particles, const uint64_t* begins, tact_particle_state* part);

/// What contacts of this rank's particles remember, in all.
uint64_t tact_spread_record_count(const tact_particle_state* state);
