// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The clumps of a system, as what adds, removes, saves and steps particles has to do with them.

#include "core/particles/particles.h"

/// INVALID_ARGUMENT where a particle is of a clump.
tact_result tact_clumps_check_free(const tact_particles* particles, uint32_t id);
/// The table is that of the system from now on.
void tact_clumps_take(tact_particles* particles, tact_clump_table* table);
/// The clumps whose spheres are still there are kept. Cannot fail.
void tact_clumps_drop_gone(tact_particles* particles);
/// An engine's contacts, as tact_particles_contacts() has them: without those within clumps.
tact_result tact_particles_list_contacts(tact_particles* particles, tact_particle_engine* engine,
                                         tact_particle_contact* contacts, size_t capacity, size_t* count);
