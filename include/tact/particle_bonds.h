// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_bonds.h
/// Bonds between grains (TACT_RESPONSE_GRAINS): short beams from centre to centre that pull, push, shear, bend and
/// twist, and break (Potyondy, Cundall, "A bonded-particle model for rock", 2004). While a bond is there it acts in
/// place of the contact of its two grains, which is anew when it breaks. docs/grains.md has the formulas.

#include "tact/particles.h"

enum { TACT_BOND_KINDS_MAX = 16 };

/// A kind of bonds.
typedef struct tact_bond_law {
    float young;             ///< Young's modulus of the beam, Pa, > 0
    float shear;             ///< its shear modulus, Pa, >= 0
    float radius;            ///< of its section, by the smaller of the two radii, 0.01 to 1
    float damping;           ///< damping ratio of its vibrations, >= 0
    float tensile_strength;  ///< Pa, >= 0: it breaks where pull and bending together are more; INFINITY: never
    float shear_strength;    ///< Pa, >= 0: likewise of shearing and twisting
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_bond_law;

/// Sets the law of a kind of bonds, 0 to TACT_BOND_KINDS_MAX - 1, for bonds to come and those there. Errors:
/// INVALID_ARGUMENT (no such kind, a number out of range, a system of another response).
TACT_API tact_result tact_particles_set_bond_law(tact_particles* particles, uint8_t kind, const tact_bond_law* law);

/// Bonds `count` pairs of grains, two ids each, at the distance that they have now, at which bonds have no load. Pairs
/// that are bonded get the new bond. The two must be in groups that collide, and their distance from an eighth to 1.125
/// of the sum of their radii; a bond that grows longer than that sum by an eighth is broken. Errors: INVALID_ARGUMENT
/// (a kind without a law, an id that is not there, a pair twice, too near, too far or of groups that do not collide:
/// the detail names it, and nothing is changed), OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_bond(tact_particles* particles, uint8_t kind, const uint32_t* pairs, size_t count);

/// Bonds all pairs of grains whose surfaces are at most `gap` apart and that have no bond, as tact_particles_bond()
/// does, leaving out those that it would refuse. `made`, unless NULL, is how many these were. Errors: INVALID_ARGUMENT
/// (a kind without a law, a gap that is negative or not finite), OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_bond_near(tact_particles* particles, uint8_t kind, float gap, size_t* made);

/// A bond as it is.
typedef struct tact_bond {
    uint32_t a, b;         ///< ids, a < b
    uint32_t kind;         ///< 0 to TACT_BOND_KINDS_MAX - 1
    float length;          ///< m, without load
    float tensile_stress;  ///< Pa, of pull and bending, as compared with the strength; pressed: below 0
    float shear_stress;    ///< Pa, of shearing and twisting
} tact_bond;

/// Lists the bonds that have not broken, sorted by (a, b). `*count` is how many there are; `bonds` receives at most
/// `capacity` of them, and when there are more the result is TACT_INCOMPLETE. The same on every backend. Errors:
/// INVALID_ARGUMENT (a system of another response), OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_bonds(tact_particles* particles, tact_bond* bonds, size_t capacity, size_t* count);

/// Takes bonds away, of pairs of ids; NULL: all. What is not bonded is left as it is. Errors: INVALID_ARGUMENT (a
/// system of another response), the device's.
TACT_API tact_result tact_particles_unbond(tact_particles* particles, const uint32_t* pairs, size_t count);
