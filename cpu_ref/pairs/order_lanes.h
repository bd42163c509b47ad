// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which cell of the order's frame a box is in; see lanes.h and box_order.h.

#include "cpu_ref/pairs/box_order.h"

/// The lanes whose boxes are no wider than `large`.
LANES_FN VM order_small(const box_lanes* boxes, VF large)
{
    const VM x = V_LE(V_SUB(boxes->upper[0], boxes->lower[0]), large);
    const VM y = V_LE(V_SUB(boxes->upper[1], boxes->lower[1]), large);
    const VM z = V_LE(V_SUB(boxes->upper[2], boxes->lower[2]), large);
    return M_AND(M_AND(x, y), z);
}

LANES_TARGET static bool order_keys(const tact_box_cells* cells, const tact_aabb* boxes, float large, bool fresh,
                                    uint64_t* items, size_t begin, size_t end)
{
    const VF half = V_SET(0.5f), zero = V_SET(0.0f), most_wide = V_SET(large);
    bool small = true;
    for (size_t i = begin; i < end; i += LANES) {
        const size_t count = end - i < LANES ? end - i : LANES;
        uint32_t ids[LANES], cell[3][LANES];
        for (size_t k = 0; k < LANES; ++k) {
            const size_t at = i + (k < count ? k : count - 1);
            ids[k] = fresh ? (uint32_t)at : (uint32_t)items[at];
        }
        const box_lanes some = box_lanes_of(boxes, ids);
        small = small && M_BITS(order_small(&some, most_wide)) == (1u << LANES) - 1u;
        for (int axis = 0; axis < 3; ++axis) {
            const VF middle = V_ADD(V_MUL(half, some.lower[axis]), V_MUL(half, some.upper[axis]));
            const VF place = V_MUL(V_SUB(middle, V_SET(cells->low[axis])), V_SET(cells->scale[axis]));
            // A NaN goes to cell 0.
            V_STORE_WORDS(cell[axis], V_WHOLE(V_MIN(V_MAX(place, zero), V_SET(cells->most[axis]))));
        }
        for (size_t k = 0; k < count; ++k) {
            const uint32_t code =
                cells->spread[0][cell[0][k]] ^ cells->spread[1][cell[1][k]] ^ cells->spread[2][cell[2][k]];
            items[i + k] = (uint64_t)code << 32 | ids[k];
        }
    }
    return small;
}
