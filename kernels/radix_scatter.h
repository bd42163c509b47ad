// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Radix sort, last step of a pass: moves the keys and payloads of a section to where the scanned counts say. All
// of radix_scatter.kernel and radix_scatter64.kernel, which define KEY_WORDS as 1 and 2.
//
// Keys are ranked within a tile without subgroup operations: 32 neighbouring items stand for a warp and own a 32-bit
// mask and a counter for each digit. In a round every item has one key; it sets its bit in the mask of its digit, and
// the number of bits below its own, plus the counter, is its rank among the equal digits of its warp. A warp's keys are
// neighbours in the input and rounds follow their order, so equal digits keep their order: the sort is stable. Bits of
// a mask commute, so nothing depends on the order of the atomics.
//
// The tile is then put in order in shared memory, so that keys of one digit are written to neighbouring places.

#include "tiles.h"
#define KERNEL_GROUP TACT_GROUP
// payload: 0 none, 1 from values_in, 2 the key's index. places: the scanned counts.
#define KERNEL_PARAMS          \
    READ(0, uint, keys_in)     \
    READ(1, uint, values_in)   \
    WRITE(2, uint, keys_out)   \
    WRITE(3, uint, values_out) \
    READ(4, uint, places)      \
    VALUE(0, uint, count)      \
    VALUE(1, uint, section)    \
    VALUE(2, uint, groups)     \
    VALUE(3, uint, shift)      \
    VALUE(4, uint, digit_mask) \
    VALUE(5, uint, payload)
#define KERNEL_SHARED SHARED(uint, pool, 4096) SHARED(uint, shifts, 256)
#include "kernel.h"
#ifdef KERNEL_BODY
#include "group_scan.h"
#define MASKS 0u
#define COUNTERS 2048u
#define KEY_DIGIT(low, high) (((shift < 32u ? (low) : (high)) >> (shift & 31u)) & digit_mask)

// KERNEL_BEGIN opens a block that the formatter cannot see.
// clang-format off
KERNEL_BEGIN
    uint begin = GROUP_ID < groups ? GROUP_ID * section : count;
    uint end = count - begin < section ? count : begin + section;
    uint lane = LOCAL_ID & 31u;
    uint warp = LOCAL_ID >> 5u;
    uint lane_bit = 1u << lane;
    // This item also keeps the books of digit LOCAL_ID: where the section's next key of that digit goes.
    uint next_place = 0u;
    if (GROUP_ID < groups) next_place = places[LOCAL_ID * groups + GROUP_ID];

    for (uint first = begin; first < end; first += TACT_SORT_TILE) {
        uint tile_count = end - first < TACT_SORT_TILE ? end - first : TACT_SORT_TILE;
        for (uint c = 0u; c < 16u; ++c) pool[c * 256u + LOCAL_ID] = 0u;
        BARRIER

        uint low[TACT_SORT_ITEMS];
#if KEY_WORDS == 2
        uint high[TACT_SORT_ITEMS];
#endif
        uint place[TACT_SORT_ITEMS];
        uint from = warp * (32u * TACT_SORT_ITEMS) + lane;
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) {
            // Beyond the end stand keys of the highest digit, last in order: they move no other.
            uint at = from + j * 32u;
            bool inside = at < tile_count;
            low[j] = inside ? keys_in[(first + at) * KEY_WORDS] : 0xffffffffu;
#if KEY_WORDS == 2
            high[j] = inside ? keys_in[(first + at) * 2u + 1u] : 0xffffffffu;
            uint slot = warp * 256u + KEY_DIGIT(low[j], high[j]);
#else
            uint slot = warp * 256u + KEY_DIGIT(low[j], 0u);
#endif
            SHARED_ATOMIC_OR(pool[MASKS + slot], lane_bit);
            BARRIER
            uint mask = pool[MASKS + slot];
            uint counter = pool[COUNTERS + slot];
            place[j] = counter + POPCOUNT(mask & (lane_bit - 1u));
            BARRIER
            // The last item of the digit counts them all in and clears the mask.
            if (mask < (lane_bit << 1u) || lane == 31u) {
                pool[COUNTERS + slot] = counter + POPCOUNT(mask);
                pool[MASKS + slot] = 0u;
            }
            BARRIER
        }

        // For digit LOCAL_ID: each warp's keys come after those of the warps before it...
        uint digit_count = 0u;
        for (uint w = 0u; w < 8u; ++w) {
            uint counter = pool[COUNTERS + w * 256u + LOCAL_ID];
            pool[COUNTERS + w * 256u + LOCAL_ID] = digit_count;
            digit_count += counter;
        }
        // ... and after those of the lower digits. The masks' memory is free for this scan.
        uint inclusive = digit_count;
        GROUP_SCAN(pool, inclusive)
        uint digit_first = inclusive - digit_count;
        for (uint w = 0u; w < 8u; ++w) pool[COUNTERS + w * 256u + LOCAL_ID] += digit_first;
        // Where a key at p of the ordered tile goes: p + shifts[its digit] (modulo 2^32).
        shifts[LOCAL_ID] = next_place - digit_first;
        BARRIER
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) {
#if KEY_WORDS == 2
            uint digit = KEY_DIGIT(low[j], high[j]);
#else
            uint digit = KEY_DIGIT(low[j], 0u);
#endif
            place[j] += pool[COUNTERS + warp * 256u + digit];
        }
        // Missing keys were counted to the highest digit, after all others of this section: nothing follows.
        next_place += digit_count;
        BARRIER

        // The ordered tile passes through pool one word at a time. target[] takes over from low[], whose keys are then
        // in pool.
        uint target[TACT_SORT_ITEMS];
#if KEY_WORDS == 2
        // The word that holds the digit goes first: it alone decides the targets.
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) pool[place[j]] = shift < 32u ? low[j] : high[j];
#else
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) pool[place[j]] = low[j];
#endif
        BARRIER
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) {
            uint p = j * 256u + LOCAL_ID;
            uint key = pool[p];
            target[j] = p + shifts[(key >> (shift & 31u)) & digit_mask];
            if (p < tile_count) keys_out[target[j] * KEY_WORDS + (shift >> 5u)] = key;
        }
        BARRIER
#if KEY_WORDS == 2
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) pool[place[j]] = shift < 32u ? high[j] : low[j];
        BARRIER
        for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) {
            uint p = j * 256u + LOCAL_ID;
            if (p < tile_count) keys_out[target[j] * 2u + 1u - (shift >> 5u)] = pool[p];
        }
        BARRIER
#endif
        if (payload != 0u) {
            for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) {
                uint at = from + j * 32u;
                uint value = first + at;
                if (payload == 1u) value = at < tile_count ? values_in[first + at] : 0u;
                pool[place[j]] = value;
            }
            BARRIER
            for (uint j = 0u; j < TACT_SORT_ITEMS; ++j) {
                uint p = j * 256u + LOCAL_ID;
                if (p < tile_count) values_out[target[j]] = pool[p];
            }
            BARRIER
        }
    }
KERNEL_END
#endif
#undef KEY_WORDS
