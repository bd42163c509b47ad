// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The pieces that scan and compaction share. Functions of the dialect cannot touch shared memory, hence macros.
#ifndef TACT_GROUP_SCAN_H
#define TACT_GROUP_SCAN_H

// A tile in shared memory with a word left out after every 32: items that read 8 neighbouring words each then touch
// all 32 banks, where without the gaps they would meet in four. The 2,048 words of a tile so take 2,112.
#define TILE_PLACE(at) ((at) + ((at) >> 5u))

// Inclusive scan of one uint per item over the work group of 256. sums is shared and has 512 words: each of the four
// rounds writes the half that the round before did not read, so that one barrier a round is enough. A round adds the
// three neighbours at 1, 2 and 3 times its distance: 4, 16, 64, 256 items are summed after it. Must not be followed by
// a write to sums[256] and above without a barrier, nor by another GROUP_SCAN.
#define GROUP_SCAN(sums, inclusive)                                                               \
    for (uint scan_round = 0u; scan_round < 4u; ++scan_round) {                                   \
        uint scan_base = (scan_round & 1u) * 256u;                                                \
        uint scan_step = 1u << (2u * scan_round);                                                 \
        sums[scan_base + LOCAL_ID] = inclusive;                                                   \
        BARRIER                                                                                   \
        if (LOCAL_ID >= scan_step) inclusive += sums[scan_base + LOCAL_ID - scan_step];           \
        if (LOCAL_ID >= 2u * scan_step) inclusive += sums[scan_base + LOCAL_ID - 2u * scan_step]; \
        if (LOCAL_ID >= 3u * scan_step) inclusive += sums[scan_base + LOCAL_ID - 3u * scan_step]; \
    }

#endif
