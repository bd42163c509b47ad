// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Where a range of references is divided: by the surface area heuristic over bins (Wald, "On fast construction of
// SAH-based bounding volume hierarchies", 2007). All three axes are binned in one pass and swept side by side.

#include <float.h>

#include "cpu_ref/trace/build_internal.h"

typedef struct tact_build_bins {
    tact_build_box box[3][TACT_BUILD_BINS];
    uint32_t count[TACT_BUILD_BINS][4];
} tact_build_bins;

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
    /// Writes references where they belong, keeping their order on each side.
    void (*scatter)(const tact_build_reference* from, size_t count, const tact_build_binning* how,
                    const tact_build_split* s, tact_build_reference* left, tact_build_reference* right,
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
    tact_build_binning b = {.bins = size < 16 ? 4 : size < 64 ? 8 : TACT_BUILD_BINS};
    const f4 origin = f4_load(r->centres.lower), width = f4_negate(f4_add(f4_load(r->centres.negated), origin));
    f4_store(b.origin, origin);
    f4_store(b.scale, f4_less(f4_set(1e-36f), width, f4_div(f4_set((float)b.bins * 0.9999f), width), f4_set(0.0f)));
    return b;
}

LANES_TARGET static inline void tact_build_clear_bins(tact_build_bins* b, uint32_t count)
{
    const f4 most = f4_set(FLT_MAX), none = f4_set(0.0f);
    for (uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            f4_store(b->box[axis][i].lower, most);
            f4_store(b->box[axis][i].negated, most);
        }
        f4_store((float*)(void*)b->count[i], none);  // whose bits are those of 0
    }
}

LANES_TARGET static inline void tact_build_merge_bins(tact_build_bins* into, const tact_build_bins* from,
                                                      uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            tact_build_grow(&into->box[axis][i], from->box[axis][i].lower, from->box[axis][i].negated);
            into->count[i][axis] += from->count[i][axis];
        }
    }
}

/// Three running boxes, one for each axis, whose halved surfaces come out side by side. The lengths are relative to the
/// range's, and a hair longer, so that flat boxes and lines are told apart too.
typedef struct tact_build_sweep {
    f4 lower[3], negated[3];
    f4 count;  ///< rounded from 2^24 on, which does not matter
} tact_build_sweep;

LANES_TARGET static inline void tact_build_sweep_start(tact_build_sweep* s)
{
    for (int axis = 0; axis < 3; ++axis)
        s->lower[axis] = s->negated[axis] = f4_set(FLT_MAX);
    s->count = f4_set(0.0f);
}

/// Takes the next bins; returns surface times primitives of what has been taken.
LANES_TARGET static inline f4 tact_build_sweep_on(tact_build_sweep* s, const tact_build_bins* b, uint32_t bin, f4 unit)
{
    f4 length[4];
    for (int axis = 0; axis < 3; ++axis) {
        s->lower[axis] = f4_min(s->lower[axis], f4_load(b->box[axis][bin].lower));
        s->negated[axis] = f4_min(s->negated[axis], f4_load(b->box[axis][bin].negated));
        const f4 width = f4_negate(f4_add(s->negated[axis], s->lower[axis]));
        length[axis] = f4_add(f4_mul(f4_three(width), unit), f4_set(0x1p-20f));
    }
    s->count = f4_add(s->count, f4_from_integers(b->count[bin]));
    length[3] = f4_set(0.0f);
    f4_turn(length);
    const f4 area = f4_add(f4_mul(length[0], f4_add(length[1], length[2])), f4_mul(length[1], length[2]));
    return f4_mul(area, s->count);
}

/// An empty side has a surface of infinity times nothing, which is not less than anything.
LANES_TARGET static inline tact_build_split tact_build_find_split(const tact_build_bins* b,
                                                                  const tact_build_binning* how, float unit)
{
    const f4 units = f4_set(unit);
    f4 right[TACT_BUILD_BINS];
    tact_build_sweep s;
    tact_build_sweep_start(&s);
    for (uint32_t i = how->bins - 1; i > 0; --i)
        right[i] = tact_build_sweep_on(&s, b, i, units);
    tact_build_sweep_start(&s);
    f4 best = f4_set(FLT_MAX), where = f4_set(0.0f);
    for (uint32_t i = 1; i < how->bins; ++i) {
        const f4 cost = f4_add(tact_build_sweep_on(&s, b, i - 1, units), right[i]);
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
    uint32_t left = 0, bin = 0;
    for (int side = 0; side < 2; ++side) {
        f4 lower = f4_set(FLT_MAX), negated = lower;
        for (const uint32_t end = side ? how->bins : s->bin; bin < end; ++bin) {
            lower = f4_min(lower, f4_load(b->box[s->axis][bin].lower));
            negated = f4_min(negated, f4_load(b->box[s->axis][bin].negated));
            left += side ? 0 : b->count[bin][s->axis];
        }
        f4_store(sides[side].lower, lower);
        f4_store(sides[side].negated, negated);
    }
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
