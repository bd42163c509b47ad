// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops of the neighbour search for one set of instructions. The including file defines TACT_LANES_ISA, LANES_TABLE
// and LANES_NAME.

#include "base/simd.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum {
    AT_ONCE = 4,      ///< points that share what was loaded
    MOST_BLOCKS = 6,  ///< of candidates that are held in registers
};

typedef uint16_t near_masks[AT_ONCE][TACT_NEIGHBOUR_CANDIDATES / LANES];

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

LANES_TARGET static bool gather(const tact_neighbour_points* p, const uint32_t* begins, const uint32_t* ends,
                                uint32_t count, uint32_t first, tact_neighbour_candidates* c)
{
    uint32_t total = 0;
    c->own = UINT32_MAX;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t begin = begins[k], end = ends[k], some = end - begin;
        TACT_ASSERT(begin < end);
        if (some > TACT_NEIGHBOUR_CANDIDATES - total) return false;
        c->own = first - begin < some ? total + (first - begin) : c->own;
        for (uint32_t at = 0; at < some; at += LANES) {
            V_STORE(c->x + total + at, V_LOAD(p->x + begin + at));
            V_STORE(c->y + total + at, V_LOAD(p->y + begin + at));
            V_STORE(c->z + total + at, V_LOAD(p->z + begin + at));
            lanes_count_up(c->slot + total + at, begin + at);
        }
        total += some;
    }
    // Nothing is near what is written after the last one.
    V_STORE(c->x + total, V_SET(NAN));
    c->count = total;
    return true;
}

/// The candidates that are near some points, a mask for each point and register of them.
LANES_FN void near_test(const tact_neighbour_points* p, const tact_neighbour_candidates* c, bool wrapped,
                        uint32_t first, uint32_t many, near_masks masks)
{
    const VF radius2 = V_SET(p->radius2);
    VF x[AT_ONCE], y[AT_ONCE], z[AT_ONCE];
    for (uint32_t k = 0; k < many; ++k) {
        x[k] = V_SET(p->x[first + k]);
        y[k] = V_SET(p->y[first + k]);
        z[k] = V_SET(p->z[first + k]);
    }
    for (uint32_t at = 0; at < c->count; at += LANES) {
        const VF xs = V_LOAD(c->x + at), ys = V_LOAD(c->y + at), zs = V_LOAD(c->z + at);
        for (uint32_t k = 0; k < many; ++k) {
            const VF square = near_square(p, wrapped, V_SUB(x[k], xs), V_SUB(y[k], ys), V_SUB(z[k], zs));
            masks[k][at / LANES] = (uint16_t)M_BITS(V_LE(square, radius2));
        }
    }
}

/// Writes the list that the masks of a point stand for. Returns where the next goes.
LANES_FN uint32_t* near_write(const tact_neighbour_candidates* c, bool once, uint32_t own, uint16_t* masks,
                              uint32_t* to)
{
    // The point itself is among the candidates; if pairs are found once, those before it do not count either.
    uint32_t block = 0;
    if (own < c->count) {
        block = once ? own / LANES : 0;
        const uint32_t others = once ? UINT32_C(0xfffffffe) << own % LANES : ~(UINT32_C(1) << own % LANES);
        masks[own / LANES] &= (uint16_t)others;
    }
    for (; block * LANES < c->count; ++block) {
        lanes_pack(to, masks[block], c->slot + block * LANES);
        to += lanes_count(masks[block]);
    }
    return to;
}

LANES_FN uint32_t near_list(const tact_neighbour_points* p, const tact_neighbour_candidates* c, bool wrapped,
                            uint32_t first, uint32_t count, tact_neighbour_out* out)
{
    uint32_t done = 0;
    near_masks masks;
    while (done < count) {
        const size_t room = (size_t)(out->limit - out->to) / (c->count + TACT_NEIGHBOUR_PAD);
        uint32_t many = count - done < AT_ONCE ? count - done : AT_ONCE;
        if (room < many) many = (uint32_t)room;
        if (many == 0) break;
        if (many == AT_ONCE) {
            near_test(p, c, wrapped, first + done, AT_ONCE, masks);
        } else {
            near_test(p, c, wrapped, first + done, many, masks);
        }
        for (uint32_t k = 0; k < many; ++k, ++done) {
            uint32_t* const to = near_write(c, p->once, c->own + done, masks[k], out->to);
            out->total += (uint64_t)(to - out->to);
            out->ends[done] = out->total;
            out->to = to;
        }
    }
    return done;
}

/// The same for as many candidates as `blocks` registers hold, so that they stay there.
LANES_FN uint32_t near_list_few(const tact_neighbour_points* p, const tact_neighbour_candidates* c, int blocks,
                                bool once, uint32_t first, uint32_t count, tact_neighbour_out* out)
{
    const VF radius2 = V_SET(p->radius2);
    uint32_t* to = out->to;
    uint32_t* const begin = to;
    VF xs[MOST_BLOCKS], ys[MOST_BLOCKS], zs[MOST_BLOCKS];
    for (int b = 0; b < blocks; ++b) {
        xs[b] = V_LOAD(c->x + b * LANES);
        ys[b] = V_LOAD(c->y + b * LANES);
        zs[b] = V_LOAD(c->z + b * LANES);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const VF x = V_SET(p->x[first + k]), y = V_SET(p->y[first + k]), z = V_SET(p->z[first + k]);
        for (int b = 0; b < blocks; ++b) {
            const uint32_t* const slots = c->slot + b * LANES;
            const VF square = near_square(p, false, V_SUB(xs[b], x), V_SUB(ys[b], y), V_SUB(zs[b], z));
            VM near = V_LE(square, radius2);
            if (!once) near = M_ANDNOT(M_EQ_WORDS(slots, first + k), near);
            uint32_t bits = M_BITS(near);
            // The points whose lists these are are the first candidates then.
            if (once && b * LANES < TACT_NEIGHBOUR_GROUP) bits &= (UINT32_C(0xfffffffe) << k) >> b * LANES;
            lanes_pack(to, bits, slots);
            to += lanes_count(bits);
        }
        out->ends[k] = out->total + (uint64_t)(to - begin);
    }
    out->to = to;
    out->total += (uint64_t)(to - begin);
    return count;
}

LANES_FN uint32_t near_list_open(const tact_neighbour_points* p, const tact_neighbour_candidates* c, bool once,
                                 uint32_t first, uint32_t count, tact_neighbour_out* out)
{
    switch ((c->count + LANES - 1) / LANES) {
        case 1:
            return near_list_few(p, c, 1, once, first, count, out);
        case 2:
            return near_list_few(p, c, 2, once, first, count, out);
        case 3:
            return near_list_few(p, c, 3, once, first, count, out);
        case 4:
            return near_list_few(p, c, 4, once, first, count, out);
        case 5:
            return near_list_few(p, c, 5, once, first, count, out);
        case 6:
            return near_list_few(p, c, 6, once, first, count, out);
        default:
            return near_list(p, c, false, first, count, out);
    }
}

LANES_TARGET static uint32_t list(const tact_neighbour_points* points, const tact_neighbour_candidates* candidates,
                                  bool wrapped, uint32_t first, uint32_t count, tact_neighbour_out* out)
{
    if (wrapped) return near_list(points, candidates, true, first, count, out);
    const bool room = out->limit - out->to >= (ptrdiff_t)((candidates->count + TACT_NEIGHBOUR_PAD) * count);
    if (room && points->once && candidates->own == 0)
        return near_list_open(points, candidates, true, first, count, out);
    if (room && !points->once) return near_list_open(points, candidates, false, first, count, out);
    return near_list(points, candidates, false, first, count, out);
}

const tact_neighbour_lanes LANES_TABLE = {.name = LANES_NAME, .gather = gather, .list = list};
