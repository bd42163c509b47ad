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

static inline tact_build_binning tact_build_binning_of(const tact_build_range* r)
{
    const size_t size = r->end - r->begin;
    tact_build_binning b = {.bins = size < 16 ? 4 : size < 64 ? 8 : TACT_BUILD_BINS};
    const l4 origin = l4_load(r->centres.lower), width = l4_negate(l4_add(l4_load(r->centres.negated), origin));
    l4_store(b.origin, origin);
    l4_store(b.scale, l4_less(l4_set(1e-36f), width, l4_div(l4_set((float)b.bins * 0.9999f), width), l4_set(0.0f)));
    return b;
}

static inline void tact_build_clear_bins(tact_build_bins* b, uint32_t count)
{
    const l4 most = l4_set(FLT_MAX), none = l4_set(0.0f);
    for (uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            l4_store(b->box[axis][i].lower, most);
            l4_store(b->box[axis][i].negated, most);
        }
        l4_store((float*)(void*)b->count[i], none);  // whose bits are those of 0
    }
}

static inline void tact_build_merge_bins(tact_build_bins* into, const tact_build_bins* from, uint32_t count)
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
    l4 lower[3], negated[3];
    l4 count;  ///< rounded from 2^24 on, which does not matter
} tact_build_sweep;

static inline void tact_build_sweep_start(tact_build_sweep* s)
{
    for (int axis = 0; axis < 3; ++axis)
        s->lower[axis] = s->negated[axis] = l4_set(FLT_MAX);
    s->count = l4_set(0.0f);
}

/// Takes the next bins; returns surface times primitives of what has been taken.
static inline l4 tact_build_sweep_on(tact_build_sweep* s, const tact_build_bins* b, uint32_t bin, l4 unit)
{
    l4 length[3];
    for (int axis = 0; axis < 3; ++axis) {
        s->lower[axis] = l4_min(s->lower[axis], l4_load(b->box[axis][bin].lower));
        s->negated[axis] = l4_min(s->negated[axis], l4_load(b->box[axis][bin].negated));
        const l4 width = l4_negate(l4_add(s->negated[axis], s->lower[axis]));
        length[axis] = l4_add(l4_mul(l4_three(width), unit), l4_set(0x1p-20f));
    }
    s->count = l4_add(s->count, l4_from_integers(b->count[bin]));
    l4_turn(&length[0], &length[1], &length[2]);
    const l4 area = l4_add(l4_mul(length[0], l4_add(length[1], length[2])), l4_mul(length[1], length[2]));
    return l4_mul(area, s->count);
}

/// An empty side has a surface of infinity times nothing, which is not less than anything.
static inline tact_build_split tact_build_find_split(const tact_build_bins* b, const tact_build_binning* how,
                                                     float unit)
{
    const l4 units = l4_set(unit);
    l4 right[TACT_BUILD_BINS];
    tact_build_sweep s;
    tact_build_sweep_start(&s);
    for (uint32_t i = how->bins - 1; i > 0; --i)
        right[i] = tact_build_sweep_on(&s, b, i, units);
    tact_build_sweep_start(&s);
    l4 best = l4_set(FLT_MAX), where = l4_set(0.0f);
    for (uint32_t i = 1; i < how->bins; ++i) {
        const l4 cost = l4_add(tact_build_sweep_on(&s, b, i - 1, units), right[i]);
        where = l4_less(cost, best, l4_set((float)i), where);
        best = l4_less(cost, best, cost, best);
    }
    float costs[4], places[4];
    l4_store(costs, best);
    l4_store(places, where);
    tact_build_split found = {FLT_MAX, -1, 0};
    for (int axis = 0; axis < 3; ++axis) {
        if (how->scale[axis] > 0.0f && costs[axis] < found.cost)
            found = (tact_build_split){costs[axis], axis, (uint32_t)places[axis]};
    }
    return found;
}

/// Boxes of the sides from the bins, so that the partition need not look at them. Returns how many go left.
static inline uint32_t tact_build_measure_sides(const tact_build_bins* b, const tact_build_binning* how,
                                                const tact_build_split* s, tact_build_box sides[2])
{
    uint32_t left = 0, bin = 0;
    for (int side = 0; side < 2; ++side) {
        l4 lower = l4_set(FLT_MAX), negated = lower;
        for (const uint32_t end = side ? how->bins : s->bin; bin < end; ++bin) {
            lower = l4_min(lower, l4_load(b->box[s->axis][bin].lower));
            negated = l4_min(negated, l4_load(b->box[s->axis][bin].negated));
            left += side ? 0 : b->count[bin][s->axis];
        }
        l4_store(sides[side].lower, lower);
        l4_store(sides[side].negated, negated);
    }
    return left;
}

/// Everything about both sides of a range but their boxes, once it is known where they part.
static inline void tact_build_part_sides(const tact_build_range* r, size_t left, tact_build_range sides[2])
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
static inline void tact_build_halve(const tact_build_reference* from, const tact_build_range* r,
                                    tact_build_range sides[2])
{
    const size_t size = r->end - r->begin;
    tact_build_part_sides(r, size / 2, sides);
    for (int side = 0; side < 2; ++side)
        sides[side].box = sides[side].centres = tact_build_empty_box();
    for (size_t i = 0; i < size; ++i) {
        tact_build_range* side = &sides[i >= size / 2];
        tact_build_grow(&side->box, tact_build_lower(&from[i]), tact_build_negated(&from[i]));
        const l4 centre = l4_centre(tact_build_lower(&from[i]), tact_build_negated(&from[i]));
        l4_store(side->centres.lower, l4_min(l4_load(side->centres.lower), centre));
        l4_store(side->centres.negated, l4_min(l4_load(side->centres.negated), l4_negate(centre)));
    }
}
