// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// XXH64 (Y. Collet, xxHash, 2012): digests of answers and arrays. Own code, since records are to be had in every build
/// and xxhash.h is not (without it the cache of kernels is left out, gpu/program_cache.c); a test compares the two.

#include <stddef.h>
#include <stdint.h>

/// A digest in the making, seed 0.
typedef struct tact_xxh64 {
    uint64_t lane[4];
    uint64_t total;
    uint8_t rest[32];  ///< total % 32 bytes that no round has taken yet
} tact_xxh64;

void tact_xxh64_begin(tact_xxh64* state);
void tact_xxh64_add(tact_xxh64* state, const void* bytes, size_t size);
uint64_t tact_xxh64_end(const tact_xxh64* state);

uint64_t tact_xxh64_of(const void* bytes, size_t size);
