// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The bytes of what is saved. One description of a format serves both ways: each function writes what it is given, or
/// reads into it.

#include "base/env.h"
#include "tact/geometry/types.h"

/// What is saved begins with 8 bytes of its own, its version and parts (4 bytes each), the size of the whole and the
/// checksum of what follows (8 bytes each).
enum { TACT_SAVED_HEADER = 32, TACT_SAVED_CHECKSUM_AT = 24 };

typedef struct tact_archive {
    uint8_t* out;       ///< writing; NULL: only counts
    const uint8_t* in;  ///< reading; NULL: writes
    size_t at, size;
    const char* what;  ///< being visited
    uint32_t parts;    ///< what it has that not all have, by the format
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

/// The checksum of the bytes behind the header. The step for eight bytes is a bijection of the sum so far, so that a
/// change within any eight bytes alone is always noticed.
uint64_t tact_archive_checksum(const uint8_t* bytes, size_t size);

/// Writes the header of `size` bytes that are written otherwise.
void tact_archive_seal(uint8_t* out, const uint8_t magic[8], uint32_t version, uint32_t parts, size_t size);

/// Whether bytes have a header that begins with its own 8 bytes.
bool tact_archive_has_magic(const uint8_t* in, size_t size, const uint8_t magic[8]);
/// INVALID_ARGUMENT where size or checksum are not those of the header, which is there. `what`: for the detail.
tact_result tact_archive_check_seal(tact_env* env, const char* what, const uint8_t* in, size_t size);
/// INVALID_ARGUMENT, with where an archive has failed as the detail.
tact_result tact_archive_damaged(tact_env* env, const char* what, const tact_archive* archive);
