// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loop of the method TREE; see lanes.h.

#include "cpu_ref/pairs/tree.h"

LANES_TARGET static uint32_t tree(const tact_aabb* one, int64_t above, const tact_tree_gathered* many, uint32_t* ids)
{
    const VF low_x = V_SET(one->lower.x), low_y = V_SET(one->lower.y), low_z = V_SET(one->lower.z);
    const VF high_x = V_SET(one->upper.x), high_y = V_SET(one->upper.y), high_z = V_SET(one->upper.z);
    uint32_t count = 0;
    for (uint32_t k = 0; k < many->count; k += LANES) {
        const VM x = M_AND(V_LE(low_x, V_LOAD(many->upper[0] + k)), V_LE(V_LOAD(many->lower[0] + k), high_x));
        const VM y = M_AND(V_LE(low_y, V_LOAD(many->upper[1] + k)), V_LE(V_LOAD(many->lower[1] + k), high_y));
        const VM z = M_AND(V_LE(low_z, V_LOAD(many->upper[2] + k)), V_LE(V_LOAD(many->lower[2] + k), high_z));
        uint32_t bits = M_BITS(M_AND(M_AND(x, y), z));
        if (many->count - k < LANES) bits &= (1u << (many->count - k)) - 1u;
        for (; bits; bits &= bits - 1) {
            ids[count] = many->ids[k + tact_lowest_bit(bits)];
            count += (int64_t)ids[count] > above;
        }
    }
    return count;
}
