// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels of a particle system and gpu/particles/ agree on, beside the rows of particle_model.h.
#ifndef TACT_PARTICLE_LAYOUT_H
#define TACT_PARTICLE_LAYOUT_H

#include "grain_layout.h"

// What a kernel of a substep is to do.
#define TACT_PART_STATIC 1u  // what does not feel particles
#define TACT_PART_MOVE 2u
#define TACT_PART_WAY 4u      // look at what is on the way
#define TACT_PART_NO_SUMS 8u  // there are no sums of partners
#define TACT_PART_DRY 16u     // only for the sort

// Of the second word of a tag: another rank moves the particle.
#define TACT_GHOST 0x80000000u

// What particles_ghosts does beside places. Words of what it is given of each.
#define TACT_GHOST_SPEEDS 1u
#define TACT_GHOST_SPINS 2u
#define TACT_GHOST_LISTED 4u
#define TACT_ROW_WORDS 9u

// Words of the counters; the first four have 64 bits each.
#define TACT_COUNTER_SLOWED 0u
#define TACT_COUNTER_STOPPED 2u
#define TACT_COUNTER_UNFORCED 4u
#define TACT_COUNTER_CAPPED 6u
#define TACT_COUNTER_WALK 8u  // candidates of the longest walk, where a window cuts it short
#define TACT_COUNTER_CROWD 9u
#define TACT_COUNTER_SEARCH 10u  // not 0: a search among triangles did not end
#define TACT_COUNTER_SUNK 11u
// Of substeps: word `go` of a kernel, which does nothing where that is 0. TACT_COUNTER_GO is 1; the others are for
// batches of GRAINS, a word for each substep: whether partners were worked out, which all but surfaces come behind;
// whether it is not to be done (one more); whether contacts with surfaces have no room; how many of these there are.
#define TACT_COUNTER_GO 12u
// Over ranks: squares of the greatest speed and of the longest way; a ghost has come too far for the list of pairs.
#define TACT_COUNTER_SPEED 13u
#define TACT_COUNTER_WAY 14u
#define TACT_COUNTER_FAR 15u
#define TACT_COUNTER_RAN 16u
#define TACT_COUNTER_STOP (TACT_COUNTER_RAN + TACT_GRAIN_BATCH)
#define TACT_COUNTER_FULL (TACT_COUNTER_STOP + TACT_GRAIN_BATCH + 1u)
#define TACT_COUNTER_NODES (TACT_COUNTER_FULL + TACT_GRAIN_BATCH)
#define TACT_COUNTER_WORDS (TACT_COUNTER_NODES + TACT_GRAIN_BATCH)

#endif
