// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loop of the brute-force method; see lanes.h.

LANES_TARGET static void brute(const tact_aabb* one, uint32_t i, const tact_box_lanes* many, uint32_t begin,
                               uint32_t end, tact_pair_sink* sink)
{
    const VF low_x = V_SET(one->lower.x), low_y = V_SET(one->lower.y), low_z = V_SET(one->lower.z);
    const VF high_x = V_SET(one->upper.x), high_y = V_SET(one->upper.y), high_z = V_SET(one->upper.z);
    for (uint32_t k = begin; k < end; k += LANES) {
        const VM x = M_AND(V_LE(low_x, V_LOAD(many->upper[0] + k)), V_LE(V_LOAD(many->lower[0] + k), high_x));
        const VM y = M_AND(V_LE(low_y, V_LOAD(many->upper[1] + k)), V_LE(V_LOAD(many->lower[1] + k), high_y));
        const VM z = M_AND(V_LE(low_z, V_LOAD(many->upper[2] + k)), V_LE(V_LOAD(many->lower[2] + k), high_z));
        uint32_t bits = M_BITS(M_AND(M_AND(x, y), z));
        if (end - k < LANES) bits &= (1u << (end - k)) - 1u;
        for (uint32_t at = 0; bits; ++at, bits >>= 1) {
            const uint32_t skip = tact_lowest_bit(bits);
            at += skip;
            bits >>= skip;
            tact_pair_sink_add(sink, i, k + at);
        }
    }
}
