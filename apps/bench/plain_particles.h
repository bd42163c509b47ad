// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmark of particles is measured against: a plain particle code in C as one would write it to be fast,
/// without vector instructions by hand. Counting sort into cells as wide as the radius of interaction, particles copied
/// into the order of cells, 27 cells looked at, threads over particles (OpenMP). The forces are those of
/// TACT_RESPONSE_SPRING for one material; equal radii; a box of walls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tact_plain_particles tact_plain_particles;

typedef struct tact_plain_rules {
    float lower[3], upper[3];  ///< walls
    float radius, mass;
    float stiffness, normal_damping, friction, tangential_damping;  ///< as TactContactRule
    float gravity[3];
    float dt;
} tact_plain_rules;

/// Copies `count` particles (x y z each). NULL without memory.
tact_plain_particles* tact_plain_create(const tact_plain_rules* rules, const float* positions, const float* velocities,
                                        size_t count, int threads);
void tact_plain_destroy(tact_plain_particles* plain);

/// One step.
void tact_plain_step(tact_plain_particles* plain);

/// How many pairs touch: sorts, and looks at each pair once.
uint64_t tact_plain_pairs(tact_plain_particles* plain);

/// Lists the neighbours of all points within `radius` in rows (both ways), as tact_particles_neighbours() does. Returns
/// how many there are; 0 without memory. The lists are the plain code's own.
uint64_t tact_plain_neighbours(tact_plain_particles* plain, float radius);

/// False when the program was built without OpenMP: then it runs on one thread.
bool tact_plain_has_threads(void);
