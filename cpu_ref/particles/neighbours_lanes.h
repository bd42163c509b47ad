// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops of the neighbour search for one set of instructions. The including file defines TACT_LANES_ISA, LANES_TABLE
// and LANES_NAME. Masks speak of sixteen candidates whatever the set, so that all else is the same for all.

#include "base/simd.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum { AT_ONCE = 4 };  ///< points that share what was loaded

/// The points that ask.
typedef struct near_askers {
    VF x[AT_ONCE], y[AT_ONCE], z[AT_ONCE];
} near_askers;

/// The shorter way round an axis, as tact_grid_shorter().
LANES_FN VF near_shorter(VF d, VF period, VF half_period)
{
    const VF less = V_SUB(d, period), more = V_ADD(d, period);
    const VF result = V_SELECT(V_LT(half_period, d), less, d);
    return V_SELECT(V_LT(d, V_SUB(V_SET(0.0f), half_period)), more, result);
}

LANES_FN VF near_square(const tact_neighbour_points* p, bool wrapped, VF dx, VF dy, VF dz)
{
    if (wrapped) {
        dx = near_shorter(dx, V_SET(p->period[0]), V_SET(p->half_period[0]));
        dy = near_shorter(dy, V_SET(p->period[1]), V_SET(p->half_period[1]));
        dz = near_shorter(dz, V_SET(p->period[2]), V_SET(p->half_period[2]));
    }
    return V_ADD(V_ADD(V_MUL(dx, dx), V_MUL(dy, dy)), V_MUL(dz, dz));
}

/// The lanes of a block that are in later slots than a point.
LANES_FN uint32_t near_later(uint32_t slot, uint32_t start)
{
    if (start > slot) return 0xffffu;
    return slot - start < TACT_NEIGHBOUR_BLOCK ? 0xfffeu << (slot - start) & 0xffffu : 0u;
}

/// `many` points against all blocks.
LANES_FN void near_test_some(const tact_neighbour_points* p, const tact_neighbour_blocks* blocks, bool wrapped,
                             uint32_t first, uint32_t many, uint16_t* masks, uint64_t* counts)
{
    const float *const xs = p->x, *const ys = p->y, *const zs = p->z;
    const VF radius2 = V_SET(p->radius2);
    const uint32_t block_count = blocks->count;
    near_askers q;
    uint32_t found[AT_ONCE] = {0};
    for (uint32_t k = 0; k < many; ++k) {
        q.x[k] = V_SET(xs[first + k]);
        q.y[k] = V_SET(ys[first + k]);
        q.z[k] = V_SET(zs[first + k]);
    }
    for (uint32_t b = 0; b < block_count; ++b) {
        const uint32_t start = blocks->start[b], lanes = blocks->lanes[b];
        uint32_t bits[AT_ONCE] = {0};
        for (uint32_t lane = 0; lane < TACT_NEIGHBOUR_BLOCK && (LANES == TACT_NEIGHBOUR_BLOCK || lanes >> lane);
             lane += LANES) {
            const VF x = V_LOAD(xs + start + lane), y = V_LOAD(ys + start + lane), z = V_LOAD(zs + start + lane);
            for (uint32_t k = 0; k < many; ++k) {
                const VF square = near_square(p, wrapped, V_SUB(x, q.x[k]), V_SUB(y, q.y[k]), V_SUB(z, q.z[k]));
                bits[k] |= M_BITS(V_LE(square, radius2)) << lane;
            }
        }
        for (uint32_t k = 0; k < many; ++k) {
            bits[k] &= lanes;
            if (p->once && start < first + many) bits[k] &= near_later(first + k, start);
            found[k] += lanes_count(bits[k]);
            masks[k * block_count + b] = (uint16_t)bits[k];
        }
    }
    for (uint32_t k = 0; k < many; ++k)
        counts[k] += found[k];
}

LANES_FN void near_test(const tact_neighbour_points* p, const tact_neighbour_blocks* blocks, bool wrapped,
                        uint32_t first, uint32_t count, uint16_t* masks, uint64_t* counts)
{
    uint32_t k = 0;
    for (; count - k >= AT_ONCE; k += AT_ONCE)
        near_test_some(p, blocks, wrapped, first + k, AT_ONCE, masks + (size_t)k * blocks->count, counts + k);
    const uint32_t left = count - k;
    masks += (size_t)k * blocks->count;
    counts += k;
    if (left == 1) near_test_some(p, blocks, wrapped, first + k, 1, masks, counts);
    if (left == 2) near_test_some(p, blocks, wrapped, first + k, 2, masks, counts);
    if (left == 3) near_test_some(p, blocks, wrapped, first + k, 3, masks, counts);
}

LANES_TARGET static void test(const tact_neighbour_points* points, const tact_neighbour_blocks* blocks, bool wrapped,
                              uint32_t first, uint32_t count, uint16_t* masks, uint64_t* counts)
{
    if (wrapped) {
        near_test(points, blocks, true, first, count, masks, counts);
    } else {
        near_test(points, blocks, false, first, count, masks, counts);
    }
}

/// Writes start + i for the bits i set in a mask; up to 16 words may be touched.
LANES_FN uint32_t* near_unpack(uint32_t start, uint32_t mask, uint32_t* out)
{
#if TACT_LANES_ISA == 3
    lanes_put_sixteen(out, mask, start);
    return out + lanes_count(mask);
#else
    for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t bits = mask >> 8 * half & 0xffu;
        lanes_put_eight(out, bits, start + 8 * half);
        out += lanes_count(bits);
    }
    return out;
#endif
}

LANES_TARGET static uint32_t* write(const uint32_t* starts, uint32_t block_count, const uint16_t* masks, uint32_t count,
                                    uint32_t* out, const uint32_t* limit)
{
    for (uint32_t k = 0; k < count; ++k, masks += block_count) {
        uint32_t b = 0;
        for (; b < block_count && limit - out >= TACT_NEIGHBOUR_BLOCK; ++b)
            out = near_unpack(starts[b], masks[b], out);
        for (; b < block_count; ++b) {
            for (uint32_t lane = 0; lane < TACT_NEIGHBOUR_BLOCK; ++lane) {
                if (masks[b] >> lane & 1u) *out++ = starts[b] + lane;
            }
        }
    }
    return out;
}

const tact_neighbour_lanes LANES_TABLE = {.name = LANES_NAME, .test = test, .write = write};
