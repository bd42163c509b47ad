// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Boxes side by side, for the loops that read them by id: LANES boxes' numbers, axis by axis.

typedef struct box_lanes {
    VF lower[3], upper[3];
} box_lanes;

#if TACT_LANES_ISA > 0
/// Four numbers of a box from number `k` on, for every fourth lane from `i` on.
LANES_FN VF box_four(const tact_aabb* boxes, const uint32_t* ids, int i, int k)
{
#if TACT_LANES_ISA == 1
    return f4_load((const float*)&boxes[ids[i]] + k);
#elif TACT_LANES_ISA == 2
    return f8_join(f4_load((const float*)&boxes[ids[i]] + k), f4_load((const float*)&boxes[ids[i + 4]] + k));
#else
    return f16_of_four(f4_load((const float*)&boxes[ids[i]] + k), f4_load((const float*)&boxes[ids[i + 4]] + k),
                       f4_load((const float*)&boxes[ids[i + 8]] + k), f4_load((const float*)&boxes[ids[i + 12]] + k));
#endif
}
#endif

/// The boxes of LANES ids.
LANES_FN box_lanes box_lanes_of(const tact_aabb* boxes, const uint32_t* ids)
{
#if TACT_LANES_ISA == 0
    const tact_aabb* b = &boxes[ids[0]];
    return (box_lanes){{b->lower.x, b->lower.y, b->lower.z}, {b->upper.x, b->upper.y, b->upper.z}};
#else
    // Six numbers are two times four that overlap.
    VF low[4], high[4];
    for (int i = 0; i < 4; ++i) {
        low[i] = box_four(boxes, ids, i, 0);
        high[i] = box_four(boxes, ids, i, 2);
    }
    V_(turn)(low);
    V_(turn)(high);
    return (box_lanes){{low[0], low[1], low[2]}, {high[1], high[2], high[3]}};
#endif
}
