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
    TACT_PART_STEP = 32,      ///< GRAINS: how long the last substep was, once there was one
    TACT_ALL_PARTS = 63
} tact_archive_part;

/// The long arrays.
enum { TACT_ARRAY_PARTICLES = 0, TACT_ARRAY_RECORDS = 1 };

extern const char* const tact_archive_particles_what;  ///< "a saved particle system"

/// Writes the body, from behind the header on. Errors: OUT_OF_MEMORY.
tact_result tact_archive_write(tact_archive* a, tact_particles* p);
/// Writes the header of what has these digests.
void tact_archive_particles_head(const tact_particles* p, uint8_t out[TACT_SAVED_HEADER], uint64_t size,
                                 const uint8_t* digests, uint64_t blocks);
/// Whether a header is a saved system's, and whether it is of a version without digests. INVALID_ARGUMENT.
tact_result tact_archive_check_head(tact_env* env, const uint8_t* in, size_t size, bool* old);
/// Makes the system of a body, which begins where the archive is. Errors: as tact_particles_restore().
tact_result tact_archive_restore(tact_context* context, const uint8_t head[TACT_SAVED_HEADER], tact_archive* a,
                                 tact_backend backend, tact_particles** particles);

/// GRAINS: the clumps. Errors: OUT_OF_MEMORY.
tact_result tact_archive_clumps(tact_archive* a, tact_particles* p);
/// GRAINS: whether any law has cohesion; and of each.
bool tact_archive_has_cohesion(const tact_particles* p);
void tact_archive_cohesion(tact_archive* a, tact_particles* p);
/// GRAINS: the rules of contacts and bonds, how particles turn, and what contacts remember. Errors: OUT_OF_MEMORY.
tact_result tact_archive_grains(tact_archive* a, tact_particles* p);
