// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_forces.h
/// The forces of contacts, and what a packing or a flow is on average: solid fraction, velocity, stress on a grid.
/// All is worked out on the host from its copy of the state, whatever backend steps it: the same on every device.
/// docs/grains.md has the formulas, their signs and sources.

#include "tact/particles.h"

/// What friction limits in a contact, bits of tact_contact_force::limits.
typedef enum tact_contact_limit {
    TACT_CONTACT_SLIDES = 1,  ///< the force along the surface is the greatest that friction allows
    TACT_CONTACT_ROLLS = 2,   ///< likewise the torque against rolling
    TACT_CONTACT_TWISTS = 4,  ///< likewise that against twisting
} tact_contact_limit;

/// A contact and what it does. 128 bytes. Forces in newtons, torques in newton metres.
typedef struct tact_contact_force {
    tact_particle_contact contact;  ///< as tact_particles_contacts() lists it
    float force[3];                 ///< on the first party; on the second it is the opposite. Its part along `normal`,
                                    ///< with a minus sign, is how hard the contact presses (below 0: adhesion pulls)
    float torque[3];                ///< on the first party about its centre; zeros with SPRING
    float other_torque[3];          ///< on the second party, a particle, about its centre; zeros for a surface
    float arm;                      ///< from the first party's centre to the contact, along the normal
    float other_arm;                ///< from the contact to the second party's centre; 0 for a surface
    float slid[3];                  ///< GRAINS: how far the second has slid over the first, as the spring remembers it
    float rolled[3];                ///< GRAINS: the angle by which it has rolled, radians
    float twisted;                  ///< GRAINS: and twisted
    uint32_t limits;                ///< bits of tact_contact_limit
    uint32_t unused;                ///< 0
} tact_contact_force;

/// Lists all contacts of springs or grains as tact_particles_contacts() does, in its order, with the force of each:
/// that which it has in a substep from now on that is as long as the last. (Before the first substep those that springs
/// have as they are.) `*count` is how many there are; `forces` receives at most
/// `capacity` of them, the first ones, and when there are more the call returns TACT_INCOMPLETE; call again with room
/// for them. Two particles of infinite mass, or one and a surface, exert no forces. Reads the state from the device
/// where it lives on one; takes as long as several substeps on the CPU. Over ranks the call is collective and lists the
/// contacts whose first party this rank has; it returns TACT_INCOMPLETE on all ranks when one of them has too little
/// room. Errors: INVALID_ARGUMENT (a response whose contacts have no forces), OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_contact_forces(tact_particles* particles, tact_contact_force* forces,
                                                   size_t capacity, size_t* count);

/// A grid of boxes of one size, over which particles are averaged.
typedef struct tact_average_grid {
    tact_aabb box;         ///< of all cells together; along an axis that repeats, no wider than the period
    uint32_t counts[3];    ///< cells along x, y and z, at least 1
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_average_grid;

/// Cells of a grid at most, 2^28.
#define TACT_MAX_AVERAGE_CELLS 0x10000000u

/// Averages over a cell. Particles of infinite mass have no part in density, velocity, temperature and kinetic stress.
typedef struct tact_average_cell {
    double particles;          ///< how many: sum of what each has of its volume in the cell
    double solid_fraction;     ///< volume of particles by volume of the cell; overlaps count twice
    double density;            ///< mass by volume of the cell, kg/m^3
    double velocity[3];        ///< momentum by mass, m/s; zeros where there is no mass
    double temperature;        ///< a third of the mean square, by mass, of velocities less that one, m^2/s^2
    double spin[3];            ///< GRAINS: mean angular velocity of the particles, radians/s
    double coordination;       ///< mean number of contacts of a particle, with particles and surfaces
    double contact_stress[9];  ///< Pa, row-major, [3 i + j]: force along axis i by a face across axis j; pressure > 0
    double kinetic_stress[9];  ///< likewise, what moving particles carry
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_average_cell;

/// Averages particles and contacts, as they are now, over the cells of a grid; `cells` receives counts[0] * counts[1] *
/// counts[2] of them, x fastest, then y. A particle counts in a cell by what it has of its volume there; the stress of
/// a contact by how much of the line between both centres, or from the centre to the surface, is in the cell. Sums are
/// in double precision, in order of id and of contact. Cells outside the domain, and particles outside the cells, may
/// be. With a response other than SPRING and GRAINS the contact stress is 0. Errors: INVALID_ARGUMENT (a box that is
/// empty, wider than a period or beyond TACT_MAX_COORDINATE, no cells), LIMIT (more than TACT_MAX_AVERAGE_CELLS),
/// OUT_OF_MEMORY, the device's; `cells` is then as before.
TACT_API tact_result tact_particles_average(tact_particles* particles, const tact_average_grid* grid,
                                            tact_average_cell* cells);
