// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A table from codes of cells to numbers: open addressing, at most half full.

#include "base/env.h"

/// What stands for no number.
#define TACT_CODE_NONE 0xffffffffu

typedef struct tact_code_entry {
    uint64_t code;
    uint32_t number;  ///< TACT_CODE_NONE in an empty place
} tact_code_entry;

typedef struct tact_code_map {
    tact_code_entry* entries;
    size_t size;  ///< a power of two, or 0
    size_t count;
} tact_code_map;

/// TACT_CODE_NONE for a code that is not there.
uint32_t tact_code_map_find(const tact_code_map* map, uint64_t code);

/// Room for this many more codes. False when out of memory.
bool tact_code_map_reserve(tact_code_map* map, tact_env* env, size_t more);

/// Puts in a code that is not there. There must be room.
void tact_code_map_put(tact_code_map* map, uint64_t code, uint32_t number);

/// Takes out a code that is there.
void tact_code_map_remove(tact_code_map* map, uint64_t code);
