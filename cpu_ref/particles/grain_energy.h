// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How grains meet, and what that stores and takes, of particles and of bodies.

#include "kernels/grain_contact.h"

/// How two surfaces meet, as seen from one of them, and by what rule.
typedef struct tact_grain_meeting {
    TactTouch touch;
    TactVec slip, spin;  ///< as tact_grain_push() has them
    TactVec surface;     ///< the other surface's velocity where it is touched; zeros with a particle
    float arm, other;    ///< from the centres to the contact
    float radius, inverse_mass;
    const TactGrainRule* rule;
} tact_grain_meeting;

/// What a contact stores, J, and what friction and dashpots take, W.
typedef struct tact_grain_energy {
    double elastic, dissipated;
    double held;  ///< J, by the springs along the surface, of rolling and twisting in the end
} tact_grain_energy;

/// Of what a meeting does over a substep of `dt`, which takes its memory from `before` to `after`.
tact_grain_energy tact_grain_energy_of(const tact_grain_meeting* meeting, const TactGrainPush* push,
                                       const TactGrainMemory* before, const TactGrainMemory* after, double dt);
