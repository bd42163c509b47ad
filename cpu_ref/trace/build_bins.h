// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Where a range of references is divided: by the surface area heuristic over bins (Wald, "On fast construction of
// SAH-based bounding volume hierarchies", 2007). All three axes are binned in one pass and swept side by side.

#include <float.h>

#include "cpu_ref/trace/build_internal.h"

/// The last word of a bin's box is not a side: it says how many references have fallen into the bin.
typedef struct tact_build_bins {
    _Alignas(32) tact_build_box box[3][TACT_BUILD_BINS];
} tact_build_bins;

static inline uint32_t tact_build_bin_count(const tact_build_bins* b, int axis, uint32_t bin)
{
    uint32_t count;
    memcpy(&count, &b->box[axis][bin].negated[3], sizeof count);
    return count;
}

/// How a reference finds its bin on each axis.
typedef struct tact_build_binning {
    float origin[4], scale[4];
    uint32_t bins;
} tact_build_binning;

typedef struct tact_build_split {
    float cost;
    int axis;      ///< -1: none
    uint32_t bin;  ///< references in bins below it go left
} tact_build_split;

/// Boxes of the centres of both sides.
typedef struct tact_build_halves {
    tact_build_box centres[2];
} tact_build_halves;

/// The inner loops, once for each set of instructions: build_split.c and build_split_avx2.c each include
/// build_split_lanes.h.
typedef struct tact_build_split_table {
    /// Takes references into bins that have been cleared.
    void (*fill)(const tact_build_reference* references, size_t count, const tact_build_binning* how,
                 tact_build_bins* out);
    /// Writes references where they belong, from to[left] and to[right] on, keeping their order on each side.
    void (*scatter)(const tact_build_reference* from, size_t count, const tact_build_binning* how,
                    const tact_build_split* s, tact_build_reference* to, size_t left, size_t right,
                    tact_build_halves* h);
    /// Makes the subtree of a range. `rest` has room for its references.
    void (*subtree)(const tact_builder* b, const tact_build_range* r, tact_build_reference* rest,
                    tact_build_costs* costs);
} tact_build_split_table;

extern const tact_build_split_table tact_build_split_plain, tact_build_split_avx2;

/// The best here; all compute the same.
const tact_build_split_table* tact_build_splits(void);

LANES_TARGET static inline tact_build_binning tact_build_binning_of(const tact_build_range* r)
{
    const size_t size = r->end - r->begin;
    tact_build_binning b = {.bins = size < 16 ? 4 : size < 64 ? 8 : size < 128 ? 16 : TACT_BUILD_BINS};
    const f4 origin = f4_load(r->centres.lower), width = f4_negate(f4_add(f4_load(r->centres.negated), origin));
    f4_store(b.origin, origin);
    f4_store(b.scale, f4_less(f4_set(1e-36f), width, f4_div(f4_set((float)b.bins * 0.9999f), width), f4_set(0.0f)));
    return b;
}

/// A box that contains nothing, of no references.
LANES_FN f8 tact_build_empty_bin(void)
{
    const f4 most = f4_set(FLT_MAX);
    return f8_join(most, f4_three(most));  // a float of 0 has the bits of the word
}

LANES_TARGET static inline void tact_build_clear_bins(tact_build_bins* b, uint32_t count)
{
    const f8 empty = tact_build_empty_bin();
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < count; ++i)
            f8_store(b->box[axis][i].lower, empty);
    }
}

/// Both boxes in one.
LANES_FN f8 tact_build_join_bins(f8 a, f8 b)
{
    return f8_add_last_words(f8_min(a, b), a, b);
}

LANES_TARGET static inline void tact_build_merge_bins(tact_build_bins* into, const tact_build_bins* from,
                                                      uint32_t count)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < count; ++i) {
            float* place = into->box[axis][i].lower;
            f8_store(place, tact_build_join_bins(f8_load(place), f8_load(from->box[axis][i].lower)));
        }
    }
}

/// The widths of a box, with the opposite sign, and its count.
LANES_FN f4 tact_build_widths(f8 box)
{
    return f4_last_of(f4_add(f8_low(box), f8_high(box)), f8_high(box));
}

/// Halved surfaces times primitives of eight boxes: of numbers i and i + 4 of each row of `rows`. The lengths are
/// relative to the range's, of which `minus_unit` is minus the inverse, and a hair longer, so that flat boxes and lines
/// are told apart too.
LANES_FN f8 tact_build_weights(f8 rows[4], f8 minus_unit)
{
    const f8 hair = f8_set(0x1p-20f);
    f8_turn(rows);
    const f8 x = f8_add(f8_mul(rows[0], minus_unit), hair), y = f8_add(f8_mul(rows[1], minus_unit), hair),
             z = f8_add(f8_mul(rows[2], minus_unit), hair);
    return f8_mul(f8_add(f8_mul(x, f8_add(y, z)), f8_mul(y, z)), f8_from_words(rows[3]));
}

/// All axes are swept from both ends side by side. An empty side has a surface of infinity times nothing, which is not
/// less than anything.
LANES_TARGET static inline tact_build_split tact_build_find_split(const tact_build_bins* b,
                                                                  const tact_build_binning* how, float unit)
{
    const f8 minus_unit = f8_set(-unit);
    const uint32_t bins = how->bins;
    f4 below[TACT_BUILD_BINS], above[TACT_BUILD_BINS];
    f8 left[3], right[3];
    for (int axis = 0; axis < 3; ++axis)
        left[axis] = right[axis] = tact_build_empty_bin();
    for (uint32_t i = 1; i < bins; ++i) {
        f8 rows[4];
        for (int axis = 0; axis < 3; ++axis) {
            left[axis] = tact_build_join_bins(left[axis], f8_load(b->box[axis][i - 1].lower));
            right[axis] = tact_build_join_bins(right[axis], f8_load(b->box[axis][bins - i].lower));
            rows[axis] = f8_join(tact_build_widths(left[axis]), tact_build_widths(right[axis]));
        }
        rows[3] = f8_set(0.0f);
        const f8 weights = tact_build_weights(rows, minus_unit);
        below[i] = f8_low(weights);
        above[bins - i] = f8_high(weights);
    }
    f4 best = f4_set(FLT_MAX), where = f4_set(0.0f);
    for (uint32_t i = 1; i < bins; ++i) {
        const f4 cost = f4_add(below[i], above[i]);
        where = f4_less(cost, best, f4_set((float)i), where);
        best = f4_less(cost, best, cost, best);
    }
    float costs[4], places[4];
    f4_store(costs, best);
    f4_store(places, where);
    tact_build_split found = {FLT_MAX, -1, 0};
    for (int axis = 0; axis < 3; ++axis) {
        if (how->scale[axis] > 0.0f && costs[axis] < found.cost)
            found = (tact_build_split){costs[axis], axis, (uint32_t)places[axis]};
    }
    return found;
}

/// Boxes of the sides from the bins, so that the partition need not look at them. Returns how many go left.
LANES_TARGET static inline uint32_t tact_build_measure_sides(const tact_build_bins* b, const tact_build_binning* how,
                                                             const tact_build_split* s, tact_build_box sides[2])
{
    uint32_t left, bin = 0;
    for (int side = 0; side < 2; ++side) {
        f8 box = tact_build_empty_bin();
        for (const uint32_t end = side ? how->bins : s->bin; bin < end; ++bin)
            box = tact_build_join_bins(box, f8_load(b->box[s->axis][bin].lower));
        f8_store(sides[side].lower, box);
    }
    memcpy(&left, &sides[0].negated[3], sizeof left);
    return left;
}

/// Everything about both sides of a range but their boxes, once it is known where they part.
LANES_TARGET static inline void tact_build_part_sides(const tact_build_range* r, size_t left, tact_build_range sides[2])
{
    sides[0].begin = r->begin;
    sides[0].end = sides[1].begin = r->begin + left;
    sides[1].end = r->end;
    sides[0].node = 2 * r->pair;
    sides[1].node = 2 * r->pair + 1;
    sides[0].pair = r->pair + 1;
    sides[1].pair = r->pair + (uint32_t)left;
    sides[0].depth = sides[1].depth = r->depth + 1;
    sides[0].aside = sides[1].aside = r->aside;
}

/// Halves by position, where no plane between centres divides. `from` are the range's references.
LANES_TARGET static inline void tact_build_halve(const tact_build_reference* from, const tact_build_range* r,
                                                 tact_build_range sides[2])
{
    const size_t size = r->end - r->begin;
    tact_build_part_sides(r, size / 2, sides);
    for (int side = 0; side < 2; ++side)
        sides[side].box = sides[side].centres = tact_build_empty_box();
    for (size_t i = 0; i < size; ++i) {
        tact_build_range* side = &sides[i >= size / 2];
        tact_build_grow(&side->box, tact_build_lower(&from[i]), tact_build_negated(&from[i]));
        const f4 centre = tact_build_centre(tact_build_lower(&from[i]), tact_build_negated(&from[i]));
        f4_store(side->centres.lower, f4_min(f4_load(side->centres.lower), centre));
        f4_store(side->centres.negated, f4_min(f4_load(side->centres.negated), f4_negate(centre)));
    }
}
