// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/particles/spread_state.h"

/// The first failure of all ranks at the beginning of a call. Particles that are not placed on one of them, where
/// another backend moved them last, are placed anew on all before they are moved. `engine`: of a spread system, or NULL
/// after a failure. Collective.
tact_result tact_spread_engine_meet(tact_particle_engine* engine, tact_ranks* ranks, tact_result result);

/// Copies this rank's particles and their ghosts (tact_tag_is_ghost()), as they are now and with what their contacts
/// remember, from a spread system's engine to `state`, which is to be freed, also after a failure. Collective. Errors:
/// OUT_OF_MEMORY, the group's.
tact_result tact_spread_engine_surroundings(tact_particle_engine* engine, const tact_particle_model* model,
                                            tact_particle_state* state);

/// Copies those of `count` contacts whose first particle is no ghost, as far as there is room for them, to `contacts`,
/// which may be where they are. Returns how many there are. `all`: the particles, in whose order contacts are.
size_t tact_spread_own_contacts(const tact_particle_state* all, const tact_particle_contact* from, size_t count,
                                tact_particle_contact* contacts, size_t capacity);

/// The engine of a spread system: moves its part by `inner`, which it destroys with itself, also when this fails.
tact_result tact_spread_engine_create(tact_env* env, tact_particle_spread* spread, tact_particle_engine* inner,
                                      bool turns, tact_particle_engine** engine);
