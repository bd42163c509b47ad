// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops of sort and sweep; see lanes.h. The strip is sorted by its lower bounds x, and past its end these are NaN,
// so that a comparison with them ends the loop.

/// One box against the boxes from k on that begin before it ends. `least` <= `floor_y` is a condition on them: see
/// sap_within.
typedef struct sap_anchor {
    float high_x, high_y, low_z, high_z, least;
    const float* floor_y;
    uint32_t id;
} sap_anchor;

static inline sap_anchor sap_anchor_of(const tact_sap_arrays* from, size_t i, const tact_sap_arrays* with,
                                       float strip_begin)
{
    // A pair that reaches several strips is found in all; it counts where the second of the two begins. A box that
    // begins before this strip therefore meets only boxes that begin in it, and of those it is known that they do not
    // end before it begins.
    const float low_y = from->low_y[i];
    const bool begins_here = low_y >= strip_begin;
    return (sap_anchor){.high_x = from->high_x[i],
                        .high_y = from->high_y[i],
                        .low_z = from->low_z[i],
                        .high_z = from->high_z[i],
                        .least = begins_here ? low_y : strip_begin,
                        .floor_y = begins_here ? with->high_y : with->low_y,
                        .id = from->ids[i]};
}

/// What is done with a hit.
typedef enum sap_give { SAP_WITHIN, SAP_ANCHOR_FIRST, SAP_ANCHOR_SECOND, SAP_ANCHOR_LESS, SAP_ANCHOR_MORE } sap_give;

static inline void sap_hit(sap_give give, uint32_t anchor, uint32_t other, tact_pair_sink* sink)
{
    switch (give) {
        case SAP_WITHIN:
        case SAP_ANCHOR_FIRST:
            tact_pair_sink_add(sink, anchor, other);
            break;
        case SAP_ANCHOR_SECOND:
            tact_pair_sink_add(sink, other, anchor);
            break;
        case SAP_ANCHOR_LESS:
            if (anchor < other) tact_pair_sink_add(sink, anchor, other);
            break;
        case SAP_ANCHOR_MORE:
            if (other < anchor) tact_pair_sink_add(sink, other, anchor);
            break;
    }
}

enum { SAP_HITS = 256 };

/// Puts the ids of the lanes in `bits` at the end of `hits`, which has room for LANES more. Returns how many there are.
LANES_FN uint32_t sap_keep(uint32_t* hits, uint32_t count, const uint32_t* ids, uint32_t bits)
{
#if TACT_LANES_ISA == 3
    // Without a branch: whether there are hits is hard to foresee.
    u16_store(hits + count, u16_pack(bits, u16_load(ids)));
    return count + lanes_count(bits);
#else
    for (; bits; bits &= bits - 1)
        hits[count++] = ids[tact_lowest_bit(bits)];
    return count;
#endif
}

/// Returns how many boxes it met.
LANES_FN uint64_t sap_sweep(const sap_anchor* one, const tact_sap_arrays* with, size_t from, sap_give give,
                            tact_pair_sink* sink)
{
    const VF high_x = V_SET(one->high_x), high_y = V_SET(one->high_y), least = V_SET(one->least);
    const VF low_z = V_SET(one->low_z), high_z = V_SET(one->high_z);
    const float* const floor_y = one->floor_y;
    uint32_t hits[SAP_HITS];
    // Whole vectors of the strip, the first of which may begin before `from`: loads that straddle two lines of the
    // cache cost twice as much.
    const uint32_t all = (1u << LANES) - 1u;
    size_t k = from & ~(size_t)(LANES - 1);
    uint32_t wanted = all & ~((1u << (from - k)) - 1u), met;
    do {
        uint32_t count = 0;
        // No calls in here, so that all stays in registers.
        do {
            const VM x = V_LE(V_LOAD(with->low_x + k), high_x);
            const VM y = M_AND(V_LE(V_LOAD(with->low_y + k), high_y), V_LE(least, V_LOAD(floor_y + k)));
            const VM z = M_AND(V_LE(V_LOAD(with->low_z + k), high_z), V_LE(low_z, V_LOAD(with->high_z + k)));
            met = M_BITS(x);
            count = sap_keep(hits, count, with->ids + k, M_BITS(M_AND(M_AND(x, y), z)) & wanted);
            wanted = all;
            k += LANES;
        } while (met == all && count <= SAP_HITS - LANES);
        for (uint32_t i = 0; i < count; ++i)
            sap_hit(give, one->id, hits[i], sink);
    } while (met == all);
    return k - LANES + lanes_count(met) - from;
}

LANES_TARGET static uint64_t sap_within(const tact_sap_arrays* strip, size_t begin, size_t end, float strip_begin,
                                        tact_pair_sink* sink)
{
    uint64_t tests = 0;
    for (size_t i = begin; i < end; ++i) {
        const sap_anchor one = sap_anchor_of(strip, i, strip, strip_begin);
        tests += sap_sweep(&one, strip, i + 1, SAP_WITHIN, sink);
    }
    return tests;
}

/// The boxes of `strip` that begin, on the swept axis, in an anchor; those that begin with it are an anchor's if
/// `ties`.
LANES_FN uint64_t sap_between_as(const tact_sap_arrays* anchors, size_t begin, size_t end, const tact_sap_arrays* strip,
                                 size_t from, bool ties, float strip_begin, sap_give give, tact_pair_sink* sink)
{
    uint64_t tests = 0;
    for (size_t i = begin; i < end; ++i) {
        const float low_x = anchors->low_x[i];
        while (strip->low_x[from] < low_x || (!ties && strip->low_x[from] == low_x))
            ++from;
        const sap_anchor one = sap_anchor_of(anchors, i, strip, strip_begin);
        tests += sap_sweep(&one, strip, from, give, sink);
    }
    return tests;
}

LANES_TARGET static uint64_t sap_between(const tact_sap_arrays* anchors, size_t begin, size_t end,
                                         const tact_sap_arrays* strip, size_t from, const tact_sap_sides* sides,
                                         tact_pair_sink* sink)
{
    const float y = sides->strip_begin;
    if (sides->ordered) {
        return sides->anchors_first
                   ? sap_between_as(anchors, begin, end, strip, from, sides->ties, y, SAP_ANCHOR_LESS, sink)
                   : sap_between_as(anchors, begin, end, strip, from, sides->ties, y, SAP_ANCHOR_MORE, sink);
    }
    return sides->anchors_first
               ? sap_between_as(anchors, begin, end, strip, from, sides->ties, y, SAP_ANCHOR_FIRST, sink)
               : sap_between_as(anchors, begin, end, strip, from, sides->ties, y, SAP_ANCHOR_SECOND, sink);
}
