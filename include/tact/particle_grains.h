// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_grains.h
/// Grains: the particles of a system with TACT_RESPONSE_GRAINS. They turn, and their contacts remember how far they
/// have slid, rolled and twisted, so that heaps stand. docs/grains.md has the laws of contacts, their sources and
/// what they were compared with. particle_bonds.h has bonds.

#include "tact/particles.h"

/// The springs of a contact.
typedef enum tact_grain_springs {
    TACT_GRAIN_LINEAR = 0,  ///< forces in proportion to depth and way (Cundall, Strack, 1979)
    TACT_GRAIN_HERTZ = 1,   ///< of elastic spheres (Hertz, 1882; Mindlin, 1949, without slip inside the contact)
} tact_grain_springs;

/// A law of contacts between two materials.
typedef struct tact_grain_law {
    tact_grain_springs springs;  ///< which
    float stiffness;             ///< LINEAR: of the contact, N/m. HERTZ: its Young's modulus E*, Pa:
                                 ///< 1/E* = (1 - nu1^2) / E1 + (1 - nu2^2) / E2. > 0
    float shear;                 ///< LINEAR: of sliding, N/m. HERTZ: the shear modulus G*, Pa:
                                 ///< 1/G* = (2 - nu1) / G1 + (2 - nu2) / G2. >= 0; 0: nothing is remembered
    float restitution;           ///< speed after by speed before a head-on collision, 0.01 <= e <= 1
    float tangential_damping;    ///< damping ratio of sliding, rolling and twisting below the limits of friction, >= 0
    float friction;              ///< Coulomb's coefficient, >= 0
    float rolling_friction;      ///< the greatest torque against rolling, by normal force and effective radius, >= 0
    float twisting_friction;     ///< likewise against twisting
    float adhesion;              ///< work to part the surfaces, J/m^2, >= 0: they hold together with 2 pi R times it
    float cohesion;              ///< energy by volume, J/m^3, >= 0: a contact is held by it times the area in which the
                                 ///< spheres cut each other, 2 pi R depth
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_grain_law;

/// Sets the law of contacts between two materials, from the next step on. At first it is LINEAR with what
/// tact_particle_material says and a shear of 2/7 of the stiffness; tact_particles_set_contact() goes back to that.
/// Errors: INVALID_ARGUMENT (no such material, a number out of range, a system of another response).
TACT_API tact_result tact_particles_set_law(tact_particles* particles, uint8_t a, uint8_t b, const tact_grain_law* law);

/// Copies angular velocities (x y z, radians/s) and orientations (unit quaternions x y z w, from the grain's own frame
/// to the world, at first 0 0 0 1), in ascending order of id; either may be NULL. Errors: INVALID_ARGUMENT (a system of
/// another response), the device's.
TACT_API tact_result tact_particles_read_turning(tact_particles* particles, float* spins, float* orientations);

/// Gives grains a new angular velocity and orientation; NULL leaves those as they are. `ids` NULL stands for all, in
/// ascending order of id. Errors: INVALID_ARGUMENT (an id that is not there, NaN, infinite, an orientation
/// whose length is not 1 within 2^-10, a system of another response; nothing is changed).
TACT_API tact_result tact_particles_write_turning(tact_particles* particles, const uint32_t* ids, size_t count,
                                                  const float* spins, const float* orientations);
