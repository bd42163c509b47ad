// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How image_cells.kernel and image_tiles.kernel bring together what the items of a tile's group have found: 12 words of
// found[] for each tile.
FN uint lesser_uint(uint a, uint b)
{
    return a < b ? a : b;
}
FN uint greater_uint(uint a, uint b)
{
    return a > b ? a : b;
}
FN uint sum(uint a, uint b)
{
    return a + b;
}
#define REDUCE(word, combine, value)                                                                     \
    partial[LOCAL_ID] = value;                                                                           \
    BARRIER                                                                                              \
    for (uint reach = to_uint(KERNEL_GROUP) / 2u; reach > 0u; reach >>= 1u) {                            \
        if (LOCAL_ID < reach) partial[LOCAL_ID] = combine(partial[LOCAL_ID], partial[LOCAL_ID + reach]); \
        BARRIER                                                                                          \
    }                                                                                                    \
    if (LOCAL_ID == 0u && GROUP_ID < tiles) found[12u * GROUP_ID + word] = partial[0];                   \
    BARRIER
