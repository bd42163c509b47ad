// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The sort of one strip: by insertion when there are few, by digits of 8 bits, the least first, when there are many.

#include <string.h>

#include "cpu_ref/pairs/sap.h"

enum { FEW = 48, DIGITS = 256, PASSES = 4 };

static void sort_few(uint32_t* keys, uint32_t* ids, size_t count)
{
    TACT_ASSERT(count <= FEW);
    for (size_t i = 1; i < count; ++i) {
        const uint32_t key = keys[i], id = ids[i];
        size_t k = i;
        for (; k > 0 && keys[k - 1] > key; --k) {
            keys[k] = keys[k - 1];
            ids[k] = ids[k - 1];
        }
        keys[k] = key;
        ids[k] = id;
    }
}

void tact_sap_sort(uint32_t* keys, uint32_t* ids, uint32_t* keys_2, uint32_t* ids_2, size_t count)
{
    TACT_ASSERT(count <= UINT32_MAX && (count <= FEW || (keys != keys_2 && ids != ids_2)));
    if (count <= FEW) {
        sort_few(keys, ids, count);
        return;
    }
    uint32_t counts[PASSES][DIGITS];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < count; ++i) {
        for (int pass = 0; pass < PASSES; ++pass)
            ++counts[pass][keys[i] >> (8 * pass) & 255u];
    }
    uint32_t *k_in = keys, *i_in = ids, *k_out = keys_2, *i_out = ids_2;
    for (int pass = 0; pass < PASSES; ++pass) {
        uint32_t* const place = counts[pass];
        // All have one digit: nothing would move.
        if (place[k_in[0] >> (8 * pass) & 255u] == count) continue;
        uint32_t sum = 0;
        for (size_t d = 0; d < DIGITS; ++d) {
            const uint32_t here = place[d];
            place[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; ++i) {
            const uint32_t to = place[k_in[i] >> (8 * pass) & 255u]++;
            k_out[to] = k_in[i];
            i_out[to] = i_in[i];
        }
        uint32_t* const k = k_in;
        uint32_t* const id = i_in;
        k_in = k_out;
        i_in = i_out;
        k_out = k;
        i_out = id;
    }
    if (k_in == keys) return;
    memcpy(keys, keys_2, count * sizeof *keys);
    memcpy(ids, ids_2, count * sizeof *ids);
}
