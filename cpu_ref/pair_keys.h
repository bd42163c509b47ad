// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pairs of ids as one number each, the first id in the upper half, and their sort.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"
#include "tact/pairs.h"

static inline uint64_t tact_pair_key(tact_pair pair)
{
    return (uint64_t)pair.a << 32 | pair.b;
}

/// The first of `count` sorted pairs that is not before a key, or `count`.
size_t tact_pairs_from(const tact_pair* pairs, size_t count, uint64_t key);

/// Makes room for one more of `capacity` keys, all of which are in use. False when out of memory.
bool tact_pair_keys_room(tact_env* env, uint64_t** keys, size_t* capacity);

/// Up to this many keys no spare room is needed.
enum { TACT_PAIR_KEYS_SHORT = 48 };

/// Ascending. The first ids are at most `a_end`, the second ones at most `b_end`, below 2^32: digits that they cannot
/// have are passed over. `spare` has room for as many keys.
void tact_pair_keys_sort(uint64_t* keys, uint64_t* spare, size_t count, uint64_t a_end, uint64_t b_end);

/// For few: ascending.
void tact_pair_keys_sort_few(uint64_t* keys, size_t count);
