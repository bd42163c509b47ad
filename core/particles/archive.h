// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The bytes of a saved particle system. One description of the format serves both ways: each function writes what it
/// is given, or reads into it.

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

typedef struct tact_archive {
    uint8_t* out;       ///< writing; NULL: only counts
    const uint8_t* in;  ///< reading; NULL: writes
    size_t at, size;
    const char* what;  ///< being visited
    uint32_t parts;    ///< what it has that not all have: bits of tact_archive_part
    bool failed;       ///< reading: the bytes end too soon, or a value is out of range
} tact_archive;

/// Names the part that begins; what has failed keeps the name of where it did.
void tact_archive_begin(tact_archive* a, const char* what);
/// Room for `bytes` more: where they are, or NULL when only counting or failed.
const uint8_t* tact_archive_take(tact_archive* a, size_t bytes);
/// `count` words of 32 bits: integers or floats.
void tact_archive_words(tact_archive* a, void* words, size_t count);
void tact_archive_longs(tact_archive* a, uint64_t* longs, size_t count);
void tact_archive_float(tact_archive* a, float* x);
void tact_archive_double(tact_archive* a, double* x);
void tact_archive_vec(tact_archive* a, tact_vec3* v);
/// A number that must be below `end`.
void tact_archive_below(tact_archive* a, uint32_t* x, uint32_t end);
void tact_archive_byte(tact_archive* a, uint8_t* x);
/// How many items of `each` bytes at least follow.
uint64_t tact_archive_count(tact_archive* a, uint64_t count, uint64_t most, size_t each);

static inline bool tact_archive_within(float x, float low, float high)
{
    return x >= low && x <= high;
}

/// GRAINS: the clumps. Errors: OUT_OF_MEMORY.
tact_result tact_archive_clumps(tact_archive* a, tact_particles* p);
/// GRAINS: whether any law has cohesion; and of each.
bool tact_archive_has_cohesion(const tact_particles* p);
void tact_archive_cohesion(tact_archive* a, tact_particles* p);
/// GRAINS: the rules of contacts and bonds, how particles turn, and what contacts remember. Errors: OUT_OF_MEMORY.
tact_result tact_archive_grains(tact_archive* a, tact_particles* p);
