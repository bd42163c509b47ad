// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All loops over references for one set of instructions: the including file defines LANES_TABLE, and TACT_LANES_ISA
// where it is not compiled for every machine of the build.

#include "cpu_ref/trace/build_bins.h"

/// A place of a bin's box changes with each reference that falls into it, and the next one waits for it, so that large
/// ranges take turns with two sets of bins.
enum { TWO_SETS = 256 };

LANES_TARGET static inline void fill_one(const tact_build_reference* ref, f4 origin, f4 scale, f4 last,
                                         tact_build_bins* out)
{
    const f8 box = f8_load(tact_build_lower(ref));
    const f4 centre = f4_sub(f4_three(f8_low(box)), f4_three(f8_high(box)));
    int32_t bin[4];
    f4_store_integers(bin, f4_min(f4_mul(f4_sub(centre, origin), scale), last));
    for (int axis = 0; axis < 3; ++axis) {
        float* place = out->box[axis][bin[axis]].lower;
        f8_store(place, f8_min(f8_load(place), box));
        ++out->count[bin[axis]][axis];
    }
}

LANES_TARGET static void fill(const tact_build_reference* references, size_t count, const tact_build_binning* how,
                              tact_build_bins* out)
{
    const f4 origin = f4_load(how->origin), scale = f4_load(how->scale), last = f4_set((float)(how->bins - 1));
    size_t i = 0;
    if (count >= TWO_SETS) {
        tact_build_bins other;
        tact_build_clear_bins(&other, how->bins);
        for (; i + 2 <= count; i += 2) {
            fill_one(&references[i], origin, scale, last, out);
            fill_one(&references[i + 1], origin, scale, last, &other);
        }
        tact_build_merge_bins(out, &other, how->bins);
    }
    for (; i < count; ++i)
        fill_one(&references[i], origin, scale, last, out);
}

/// Without a branch, which nobody could foresee. With `one_place` it is a thread's own array, `left` may be where
/// references are read from, and each is written to both places, one of them in vain; without, only where it belongs.
LANES_TARGET static inline void scatter_to(const tact_build_reference* from, size_t count,
                                           const tact_build_binning* how, const tact_build_split* s, bool one_place,
                                           tact_build_reference* left, tact_build_reference* right,
                                           tact_build_halves* h)
{
    const int axis = s->axis;
    const float origin = how->origin[axis], scale = how->scale[axis], bin = (float)s->bin;
    const f8 most = f8_set(FLT_MAX);
    f8 centres[2] = {most, most};
    tact_build_reference* const place[2] = {left, right};
    size_t used[2] = {0, 0};
    for (size_t i = 0; i < count; ++i) {
        // The same arithmetic as that of the bins.
        const float where = (from[i].lower[axis] - from[i].negated[axis] - origin) * scale;
        const bool is_left = where < bin;
        const f8 box = f8_load(tact_build_lower(&from[i])), centre = tact_build_centres(box);
        centres[0] = f8_min(centres[0], f8_less(f8_set(where), f8_set(bin), centre, most));
        centres[1] = f8_min(centres[1], f8_less(f8_set(where), f8_set(bin), most, centre));
        if (one_place) {
            f8_store((float*)(void*)(left + i - used[1]), box);
            f8_store((float*)(void*)(right + used[1]), box);
            used[1] += !is_left;
        } else {
            f8_store((float*)(void*)(place[!is_left] + used[!is_left]++), box);
        }
    }
    f8_store(h->centres[0].lower, centres[0]);
    f8_store(h->centres[1].lower, centres[1]);
}

LANES_TARGET static void scatter(const tact_build_reference* from, size_t count, const tact_build_binning* how,
                                 const tact_build_split* s, tact_build_reference* left, tact_build_reference* right,
                                 tact_build_halves* h)
{
    scatter_to(from, count, how, s, false, left, right, h);
}

/// Whether two leaves cost less than one.
LANES_TARGET static bool pays(const tact_build_range* r, const tact_build_box sides[2], size_t left, float unit)
{
    const uint32_t size = (uint32_t)(r->end - r->begin);
    const float one = tact_build_area(r->box.lower, r->box.negated, unit) * tact_build_leaf_cost(size);
    const float two =
        tact_build_area(sides[0].lower, sides[0].negated, unit) * tact_build_leaf_cost((uint32_t)left) +
        tact_build_area(sides[1].lower, sides[1].negated, unit) * tact_build_leaf_cost(size - (uint32_t)left);
    return two < one;
}

/// Divides a range in place; false when it is better left as a leaf.
LANES_TARGET static bool divide(const tact_builder* b, const tact_build_range* r, tact_build_reference* rest,
                                tact_build_range sides[2])
{
    const size_t size = r->end - r->begin;
    if (size <= 1) return false;
    tact_build_split s = {0.0f, -1, 0};
    tact_build_bins all;
    const tact_build_binning how = tact_build_binning_of(r);
    const float unit = tact_build_unit(&r->box);
    tact_build_reference* from = b->references + r->begin;
    if (tact_build_may_choose(b, r)) {
        tact_build_clear_bins(&all, how.bins);
        fill(from, size, &how, &all);
        s = tact_build_find_split(&all, &how, unit);
    }
    if (s.axis < 0) {
        if (size <= b->desc.max_leaf) return false;
        tact_build_halve(from, r, sides);
        return true;
    }
    tact_build_box boxes[2];
    const size_t left = tact_build_measure_sides(&all, &how, &s, boxes);
    if (size <= b->desc.max_leaf && !pays(r, boxes, left, unit)) return false;
    tact_build_halves h;
    scatter_to(from, size, &how, &s, true, from, rest, &h);
    memcpy(from + left, rest, (size - left) * sizeof *rest);
    tact_build_part_sides(r, left, sides);
    for (int side = 0; side < 2; ++side) {
        sides[side].box = boxes[side];
        sides[side].centres = h.centres[side];
    }
    return true;
}

/// Returns the first pair of nodes that it left free, so that nodes of a subtree lie close together.
LANES_TARGET static uint32_t build(const tact_builder* b, const tact_build_range* r, tact_build_reference* rest,
                                   tact_build_costs* costs)
{
    tact_build_range sides[2];
    uint32_t pair = r->pair;
    const bool divided = divide(b, r, rest, sides);
    tact_build_node* node = &b->nodes[r->node];
    memcpy(node->lower, r->box.lower, sizeof node->lower);
    memcpy(node->negated, r->box.negated, sizeof node->negated);
    node->first = divided ? sides[0].node : (uint32_t)r->begin;
    node->count = (uint32_t)(r->end - r->begin) | (divided ? 0u : (uint32_t)TACT_BUILD_LEAF_BIT);
    if (!divided) {
        tact_build_plan_leaf(b, r->node, costs);
        return pair;
    }
    tact_build_costs of[2];
    sides[1].pair = build(b, &sides[0], rest, &of[0]);
    pair = build(b, &sides[1], rest, &of[1]);
    tact_build_plan(b, r->node, &of[0], &of[1], costs);
    return pair;
}

LANES_TARGET static void subtree(const tact_builder* b, const tact_build_range* r, tact_build_reference* rest,
                                 tact_build_costs* costs)
{
    build(b, r, rest, costs);
}

const tact_build_split_table LANES_TABLE = {
    .fill = fill,
    .scatter = scatter,
    .subtree = subtree,
};
