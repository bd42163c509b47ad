// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The bytes of what is saved. One description of a format serves both ways: each function writes what it is given, or
/// reads into it.

#include "base/env.h"
#include "tact/geometry/types.h"

/// What is saved begins with 8 bytes of its own, its version and parts (4 bytes each), the size of the whole and a
/// checksum (8 bytes each). What the format describes, the body, follows, and then 8 bytes for each block of the body:
/// its digest. The checksum is the digest of the first 24 bytes and of these digests: a hash tree (R. C. Merkle, "A
/// Digital Signature Based on a Conventional Encryption Function", CRYPTO 1987) of two levels, which processes that
/// have a part each work out together, and which tells the block that is damaged. More levels would save nothing: all
/// digests of 100 GB are 800 kB. Blocks of 1 MiB: a process that reads a few rows reads little else, and a transfer of
/// that size costs a disk or a network far more time than what goes along with it. XXH64, as for other digests: it
/// guards against accidents, not against forgery, at the speed of memory.
/// Versions before had no digests: their checksum is tact_archive_sum().
enum {
    TACT_SAVED_HEADER = 32,
    TACT_SAVED_CHECKSUM_AT = 24,
    TACT_SAVED_BLOCK = 1 << 20,
    TACT_SAVED_DIGEST = 8,     ///< bytes
    TACT_ARCHIVE_PIECE = 4096  ///< bytes that are read at once at most
};

/// Rows of a long array that are here, of those that all processes have.
typedef struct tact_archive_slice {
    uint64_t first, count, all;
} tact_archive_slice;

/// Where such an array lies.
typedef struct tact_archive_section {
    uint64_t at;
    uint32_t array;    ///< its number, by the format
    uint32_t words;    ///< of 32 bits, a row
    const void* rows;  ///< those of its slice
} tact_archive_section;

enum { TACT_ARCHIVE_ARRAYS = 2, TACT_ARCHIVE_SECTIONS = 8 };

typedef struct tact_archive {
    bool reads;
    uint8_t* out;       ///< writing; NULL: only counts
    const uint8_t* in;  ///< reading, where all bytes are in memory
    /// Reading, else: the bytes from `at` on, TACT_ARCHIVE_PIECE at most, until the next call; NULL on failure.
    const uint8_t* (*fetch)(void* user, size_t at, size_t bytes);
    void* user;
    size_t at, size;
    const char* what;  ///< being visited
    uint32_t parts;    ///< what it has that not all have, by the format
    bool failed;       ///< reading: the bytes end too soon, or a value is out of range

    /// Long arrays of which processes have a part each, by the format.
    uint32_t rank, ranks;                           ///< reading: the part that is read; 0 ranks: all is
    bool cuts;                                      ///< writing: they are left out of `out`, and noted
    tact_archive_slice slice[TACT_ARCHIVE_ARRAYS];  ///< what is here of each
    tact_archive_section section[TACT_ARCHIVE_SECTIONS];
    uint32_t sections;
    size_t left_out;  ///< bytes of them so far
} tact_archive;

/// Names the part that begins; what has failed keeps the name of where it did.
void tact_archive_begin(tact_archive* a, const char* what);
/// Room for `bytes` more: where they are, or NULL when only counting or failed.
const uint8_t* tact_archive_take(tact_archive* a, size_t bytes);
/// `count` words of 32 bits: integers or floats.
void tact_archive_words(tact_archive* a, void* words, size_t count);
/// What is to be visited of array number `array` of the format, which has `count` rows here (writing) or in all
/// (reading).
tact_archive_slice tact_archive_slice_of(const tact_archive* a, uint32_t array, uint64_t count);
/// Rows of `words` words of an array: those of its slice, which lie at `rows`; the others are passed over.
void tact_archive_rows(tact_archive* a, uint32_t array, void* rows, size_t words);
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

/// A checksum in the making, of what follows the header in versions without digests. The step for eight bytes is a
/// bijection of the sum so far.
typedef struct tact_archive_sum {
    uint64_t sum, total;
} tact_archive_sum;

tact_archive_sum tact_archive_sum_begin(void);
/// All but the last call add a multiple of 8 bytes.
void tact_archive_sum_add(tact_archive_sum* state, const uint8_t* bytes, size_t size);
uint64_t tact_archive_sum_end(const tact_archive_sum* state);

/// Blocks of a body that ends at byte `end`.
uint64_t tact_archive_blocks(uint64_t end);
/// The size of the whole, whose body ends there.
static inline uint64_t tact_archive_sealed(uint64_t end)
{
    return end + TACT_SAVED_DIGEST * tact_archive_blocks(end);
}
/// Where the body of `size` bytes ends; 0: there is none of that size.
uint64_t tact_archive_body_end(uint64_t size);

/// Where a block begins, and ends.
static inline uint64_t tact_archive_block_at(uint64_t block)
{
    return TACT_SAVED_HEADER + block * TACT_SAVED_BLOCK;
}
static inline uint64_t tact_archive_block_end(uint64_t block, uint64_t end)
{
    const uint64_t next = tact_archive_block_at(block + 1);
    return next < end ? next : end;
}

/// Writes the header of `size` bytes, which have these digests.
void tact_archive_head(uint8_t out[TACT_SAVED_HEADER], const uint8_t magic[8], uint32_t version, uint32_t parts,
                       uint64_t size, const uint8_t* digests, uint64_t blocks);
/// Writes the header and the digests of a body that ends at `end` and is written otherwise.
void tact_archive_seal(uint8_t* out, const uint8_t magic[8], uint32_t version, uint32_t parts, uint64_t end);

/// Whether bytes have a header that begins with its own 8 bytes.
bool tact_archive_has_magic(const uint8_t* in, size_t size, const uint8_t magic[8]);

// INVALID_ARGUMENT where something is damaged; `what`: for the detail.

/// The size that the header has.
tact_result tact_archive_check_size(tact_env* env, const char* what, const uint8_t in[TACT_SAVED_HEADER],
                                    uint64_t size);
/// The header and the digests.
tact_result tact_archive_check_root(tact_env* env, const char* what, const uint8_t in[TACT_SAVED_HEADER],
                                    const uint8_t* digests, uint64_t blocks);
/// The bytes of a block of a body that ends at `end`.
tact_result tact_archive_check_block(tact_env* env, const char* what, const uint8_t* digests, uint64_t block,
                                     uint64_t end, const uint8_t* bytes);
/// A checksum of versions without digests.
tact_result tact_archive_check_sum(tact_env* env, const char* what, const uint8_t in[TACT_SAVED_HEADER],
                                   const tact_archive_sum* sum);
/// All of that, in memory. `old`: of a version without digests. The body ends at `*end`.
tact_result tact_archive_check_seal(tact_env* env, const char* what, const uint8_t* in, size_t size, bool old,
                                    size_t* end);
/// INVALID_ARGUMENT, with where an archive has failed as the detail.
tact_result tact_archive_damaged(tact_env* env, const char* what, const tact_archive* archive);
