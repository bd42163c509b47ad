// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a contact does, for lists of forces and sums of them.

#include "core/particles/meetings.h"
#include "tact/particle_forces.h"

_Static_assert(sizeof(tact_contact_force) == 128, "as documented, without gaps");

/// What a contact does. Without a response that has forces: the contact and its arms.
tact_contact_force tact_particle_force_of(const tact_particles* particles, const tact_particle_meeting* meeting);
