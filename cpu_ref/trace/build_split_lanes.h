// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All loops over references for one set of instructions: the including file defines LANES_TABLE, and TACT_LANES_ISA
// where it is not compiled for every machine of the build.

#include "cpu_ref/trace/build_bins.h"

/// A place of a bin's box changes with each reference that falls into it, and the next one waits for it, so that large
/// ranges take turns with two sets of bins.
enum { TWO_SETS = 256 };

/// So many references, and less, are divided by looking at every way.
enum { FEW = 4 };

LANES_TARGET static inline void fill_one(const tact_build_reference* ref, f4 origin, f4 scale, f4 last, f8 one,
                                         tact_build_bins* out)
{
    const f8 box = f8_load(tact_build_lower(ref));
    const f4 centre = f4_three(f4_sub(f8_low(box), f8_high(box)));
    int32_t bin[4];
    f4_store_integers(bin, f4_min(f4_mul(f4_sub(centre, origin), scale), last));
    for (int axis = 0; axis < 3; ++axis) {
        float* place = out->box[axis][(uint32_t)bin[axis]].lower;
        const f8 before = f8_load(place);
        f8_store(place, f8_add_last_words(f8_min(before, box), before, one));
    }
}

LANES_TARGET static void fill(const tact_build_reference* references, size_t count, const tact_build_binning* how,
                              tact_build_bins* out)
{
    const f4 origin = f4_load(how->origin), scale = f4_load(how->scale), last = f4_set((float)(how->bins - 1));
    const f8 one = f8_last_word(1);
    size_t i = 0;
    if (count >= TWO_SETS) {
        tact_build_bins other;
        tact_build_clear_bins(&other, how->bins);
        for (; i + 2 <= count; i += 2) {
            fill_one(&references[i], origin, scale, last, one, out);
            fill_one(&references[i + 1], origin, scale, last, one, &other);
        }
        tact_build_merge_bins(out, &other, how->bins);
    }
    for (; i < count; ++i)
        fill_one(&references[i], origin, scale, last, one, out);
}

/// Without a branch, which could not be foreseen.
LANES_TARGET static void scatter(const tact_build_reference* from, size_t count, const tact_build_binning* how,
                                 const tact_build_split* s, tact_build_reference* to, size_t left, size_t right,
                                 tact_build_halves* h)
{
    const int axis = s->axis;
    const float origin = how->origin[axis], scale = how->scale[axis], bin = (float)s->bin;
    const f8 most = f8_set(FLT_MAX);
    f8 centres[2] = {most, most};
    for (size_t i = 0; i < count; ++i) {
        // The same arithmetic as that of the bins.
        const float where = (from[i].lower[axis] - from[i].negated[axis] - origin) * scale;
        const bool is_left = where < bin;
        const f8 box = f8_load(tact_build_lower(&from[i])), centre = tact_build_centres(box);
        centres[0] = f8_min(centres[0], f8_less(f8_set(where), f8_set(bin), centre, most));
        centres[1] = f8_min(centres[1], f8_less(f8_set(where), f8_set(bin), most, centre));
        const size_t at = right ^ ((right ^ left) & ((size_t)0 - is_left));
        f8_store((float*)(void*)(to + at), box);
        left += is_left;
        right += !is_left;
    }
    f8_store(h->centres[0].lower, centres[0]);
    f8_store(h->centres[1].lower, centres[1]);
}

/// Surfaces of the boxes of `count` sets, 4, 8 or 16, as tact_build_area() has them.
LANES_TARGET static void measure_sets(const tact_build_box* sets, uint32_t count, float unit, float* areas)
{
    const f4 minus_unit = f4_set(-unit);
    for (uint32_t i = 0; i < count; i += 4) {
        f4 rows[4];
        for (uint32_t k = 0; k < 4; ++k)
            rows[k] = f4_mul(f4_three(f4_add(f4_load(sets[i + k].lower), f4_load(sets[i + k].negated))), minus_unit);
        f4_turn(rows);
        f4_store(areas + i, f4_add(f4_mul(rows[0], f4_add(rows[1], rows[2])), f4_mul(rows[1], rows[2])));
    }
}

/// Divides two to four references by looking at every way to do so, and at what leaves of both sides would cost.
/// Returns which of them go left, a bit each; 0: a leaf of all costs no more. `sets`: boxes of all sets of references,
/// of which the first is not used.
LANES_TARGET static uint32_t choose_few(const tact_build_reference* from, uint32_t count, bool must, float unit,
                                        tact_build_box sets[16])
{
    static const float costs[16] = {0.0f, 0.5f, 0.5f, 0.6f, 0.5f, 0.6f, 0.6f, 0.7f,
                                    0.5f, 0.6f, 0.6f, 0.7f, 0.6f, 0.7f, 0.7f, 0.8f};
    const uint32_t all = (1u << count) - 1;
    f8_store(sets[0].lower, f8_load(tact_build_lower(from)));
    for (uint32_t i = 0; i < count; ++i) {
        const f8 box = f8_load(tact_build_lower(&from[i]));
        const uint32_t bit = 1u << i;
        f8_store(sets[bit].lower, box);
        for (uint32_t k = 1; k < bit; ++k)
            f8_store(sets[bit + k].lower, f8_min(f8_load(sets[k].lower), box));
    }
    float areas[16];
    measure_sets(sets, all + 1, unit, areas);
    float best = must ? FLT_MAX : areas[all] * costs[all];
    uint32_t left = must;
    for (uint32_t k = 1; k <= all / 2; ++k) {
        const float cost = areas[k] * costs[k] + areas[all - k] * costs[all - k];
        left = cost < best ? k : left;
        best = cost < best ? cost : best;
    }
    return left;
}

LANES_TARGET static bool divide_few(const tact_builder* b, const tact_build_range* r, tact_build_reference* from,
                                    tact_build_range sides[2])
{
    const uint32_t size = (uint32_t)(r->end - r->begin), all = (1u << size) - 1;
    tact_build_box sets[16];
    const uint32_t chosen = choose_few(from, size, size > b->desc.max_leaf, b->unit, sets);
    if (chosen == 0) return false;
    uint32_t left = 0;
    for (uint32_t i = 0; i < size; ++i)
        left += chosen >> i & 1u;
    tact_build_part_sides(r, left, sides);
    sides[0].box = sets[chosen];
    sides[1].box = sets[all - chosen];
    for (uint32_t i = 0, first[2] = {left, 0}; i < size; ++i)
        f8_store((float*)(void*)(from + first[chosen >> i & 1u]++), f8_load(sets[1u << i].lower));
    return true;
}

/// A second place for the references of a subtree, whose first is number `begin`; each division takes them from one
/// place to the other.
typedef struct other_place {
    tact_build_reference* references;
    size_t begin;
} other_place;

static inline tact_build_reference* place_of(const tact_builder* b, const other_place* other, size_t first, bool aside)
{
    TACT_ASSERT(first >= other->begin && first <= b->count);
    return aside ? other->references + (first - other->begin) : b->references + first;
}

/// Divides a range; false when it is better left as a leaf.
LANES_TARGET static bool divide(const tact_builder* b, const tact_build_range* r, const other_place* other,
                                tact_build_range sides[2])
{
    const size_t size = r->end - r->begin;
    if (size <= 1) return false;
    tact_build_split s = {0.0f, -1, 0};
    tact_build_bins all;
    tact_build_reference* here = place_of(b, other, r->begin, r->aside);
    const bool may_choose = tact_build_may_choose(b, r);
    if (size <= FEW && may_choose) return divide_few(b, r, here, sides);
    const tact_build_binning how = tact_build_binning_of(r);
    if (may_choose) {
        tact_build_clear_bins(&all, how.bins);
        fill(here, size, &how, &all);
        s = tact_build_find_split(&all, &how, tact_build_unit(&r->box));
    }
    if (s.axis < 0) {
        if (size <= b->desc.max_leaf) return false;
        tact_build_halve(here, r, sides);
        return true;
    }
    tact_build_box boxes[2];
    const size_t left = tact_build_measure_sides(&all, &how, &s, boxes);
    tact_build_halves h;
    scatter(here, size, &how, &s, place_of(b, other, r->begin, !r->aside), 0, left, &h);
    tact_build_part_sides(r, left, sides);
    for (int side = 0; side < 2; ++side) {
        sides[side].box = boxes[side];
        sides[side].centres = h.centres[side];
        sides[side].aside = !r->aside;
    }
    return true;
}

/// Returns the first pair of nodes that it left free, so that nodes of a subtree lie close together.
LANES_TARGET static uint32_t build(const tact_builder* b, const tact_build_range* r, const other_place* other,
                                   tact_build_costs* costs)
{
    tact_build_range sides[2];
    uint32_t pair = r->pair;
    const bool divided = divide(b, r, other, sides);
    tact_build_node* node = &b->nodes[r->node];
    memcpy(node->lower, r->box.lower, sizeof node->lower);
    memcpy(node->negated, r->box.negated, sizeof node->negated);
    node->first = divided ? sides[0].node : (uint32_t)r->begin;
    node->count = (uint32_t)(r->end - r->begin) | (divided ? 0u : (uint32_t)TACT_BUILD_LEAF_BIT);
    if (!divided) {
        if (r->aside) {
            memcpy(b->references + r->begin, place_of(b, other, r->begin, true),
                   (r->end - r->begin) * sizeof *b->references);
        }
        tact_build_plan_leaf(b, r->node, costs);
        return pair;
    }
    tact_build_costs of[2];
    sides[1].pair = build(b, &sides[0], other, &of[0]);
    pair = build(b, &sides[1], other, &of[1]);
    tact_build_plan(b, r->node, &of[0], &of[1], costs);
    return pair;
}

LANES_TARGET static void subtree(const tact_builder* b, const tact_build_range* r, tact_build_reference* rest,
                                 tact_build_costs* costs)
{
    const other_place other = {rest, r->begin};
    build(b, r, &other, costs);
}

const tact_build_split_table LANES_TABLE = {
    .fill = fill,
    .scatter = scatter,
    .subtree = subtree,
};
