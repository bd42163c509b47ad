// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The bytes of a saved particle system.

#include "base/archive.h"
#include "core/particles/particles.h"

/// What only some systems have, behind the rest.
typedef enum tact_archive_part {
    TACT_PART_SURFACES = 1,   ///< surfaces that move by themselves, have a servo or wear
    TACT_PART_PROGRAM = 2,    ///< a force program
    TACT_PART_COUNTS = 4,     ///< counts other than 0 that came later
    TACT_PART_CLUMPS = 8,     ///< clumps, right behind what grains have
    TACT_PART_COHESION = 16,  ///< GRAINS: laws with cohesion
    TACT_ALL_PARTS = 31
} tact_archive_part;

/// GRAINS: the clumps. Errors: OUT_OF_MEMORY.
tact_result tact_archive_clumps(tact_archive* a, tact_particles* p);
/// GRAINS: whether any law has cohesion; and of each.
bool tact_archive_has_cohesion(const tact_particles* p);
void tact_archive_cohesion(tact_archive* a, tact_particles* p);
/// GRAINS: the rules of contacts and bonds, how particles turn, and what contacts remember. Errors: OUT_OF_MEMORY.
tact_result tact_archive_grains(tact_archive* a, tact_particles* p);
