// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shadow checking of particle systems: what was answered is compared with the brute force.

#include "core/particles/particles.h"

/// A system's bytes as tact_particles_save() writes them, to be released.
tact_result tact_particles_shadow_save(tact_particles* particles, void** bytes, size_t* size);

/// Takes the steps again, by brute force, from the bytes on. SHADOW_MISMATCH, with the first particle that differs as
/// detail, when the system is in another state.
tact_result tact_particles_shadow_steps(tact_particles* particles, const void* bytes, size_t size, float dt,
                                        uint32_t substeps, uint32_t steps, int threads);

/// Compares the first `capacity` contacts and the number of all. SHADOW_MISMATCH.
tact_result tact_particles_shadow_contacts(tact_particles* particles, const tact_particle_contact* contacts,
                                           size_t capacity, size_t count);
