// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pair_keys.h"

#include <string.h>

#include "base/asserts.h"
#include "base/compiler.h"

size_t tact_pairs_from(const tact_pair* pairs, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tact_pair_key(pairs[middle]) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool tact_pair_keys_room(tact_env* env, uint64_t** keys, size_t* capacity)
{
    void* grown = *keys;
    const size_t count = *capacity, needed = count < 256 ? 256 : count + 1;
    if (!tact_reserve_in_loop(env, &grown, capacity, count, needed, sizeof **keys)) return false;
    *keys = grown;
    return true;
}

void tact_pair_keys_sort_few(uint64_t* keys, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const uint64_t key = keys[i];
        size_t k = i;
        for (; k > 0 && keys[k - 1] > key; --k)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

void tact_pair_keys_sort(uint64_t* keys, uint64_t* spare, size_t count, uint64_t a_end, uint64_t b_end)
{
    TACT_ASSERT(a_end <= UINT32_MAX && b_end <= UINT32_MAX);
    TACT_ASSERT(count <= TACT_PAIR_KEYS_SHORT || (spare && spare != keys));
    const uint32_t a_bits = tact_bit_width(a_end), b_bits = tact_bit_width(b_end);
    if (count <= TACT_PAIR_KEYS_SHORT) {
        tact_pair_keys_sort_few(keys, count);
        return;
    }
    uint64_t *from = keys, *to = spare;
    const uint64_t low = ((uint64_t)1 << b_bits) - 1;
    for (uint32_t shift = 0; shift < a_bits + b_bits; shift += 8) {
        size_t start[256] = {0};
        for (size_t i = 0; i < count; ++i)
            ++start[((from[i] >> 32 << b_bits | (from[i] & low)) >> shift) & 255u];
        size_t sum = 0;
        for (int d = 0; d < 256; ++d) {
            const size_t size = start[d];
            start[d] = sum;
            sum += size;
        }
        for (size_t i = 0; i < count; ++i)
            to[start[((from[i] >> 32 << b_bits | (from[i] & low)) >> shift) & 255u]++] = from[i];
        uint64_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) memcpy(keys, from, count * sizeof *keys);
}
