// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The contacts of a system of springs or grains, each with all that its law depends on.

#include "core/particles/particles.h"

/// A contact and how its parties meet.
typedef struct tact_particle_meeting {
    tact_particle_contact contact;
    const tact_particle_state* state;  ///< where the rows are
    size_t row, other;                 ///< of the particles; the second is the state's count where it is a surface
    bool acts;                         ///< one of the two can be moved; else what follows is not there
    TactVec velocity, spin;            ///< of a surface, as in tact_surface_touch; SPRING: of the second particle
    // SPRING
    TactTouch touch;
    float inverse_mass;
    const TactContactRule* rule;
    // GRAINS
    tact_grain_meeting grain;
    TactGrainMemory memory;  ///< of the last substep
    TactBond bond;           ///< that acts in place of the contact
    float dt;                ///< of a substep as long as the last
} tact_particle_meeting;

typedef void tact_meeting_fn(const tact_particles* particles, const tact_particle_meeting* meeting, void* user);

/// Calls a function for each contact of the particles of a state, as tact_particles_contacts() lists and sorts them,
/// but for those whose first particle is a ghost. The state is the host's copy, or of a system over ranks what
/// tact_spread_surroundings() gives. Contacts are found by the CPU whatever backend steps: the same on every device.
/// `f` NULL: only counts. Writes how many there are to `*count` unless that is NULL. Errors: OUT_OF_MEMORY.
tact_result tact_particles_each_meeting(tact_particles* particles, const tact_particle_state* state, tact_meeting_fn* f,
                                        void* user, size_t* count);

/// Calls a function for each bond, whose two may be apart. A meeting's contact then has no more than ids.
void tact_particles_each_bond(const tact_particles* particles, tact_meeting_fn* f, void* user);

/// GRAINS: the beam of a bonded meeting, and by how much it is too long.
TactBeam tact_particle_beam(const tact_particles* particles, const tact_particle_meeting* meeting, float* stretched);

/// GRAINS: what a meeting does, and remembers then.
TactGrainPush tact_particle_met(const tact_particles* particles, const tact_particle_meeting* meeting,
                                TactGrainMemory* after);

/// Whether the contacts of a response have forces.
static inline bool tact_particles_have_forces(const tact_particles* particles)
{
    return particles->model.response == TACT_RESPONSE_SPRING || particles->model.response == TACT_RESPONSE_GRAINS;
}
