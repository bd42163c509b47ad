// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops of the BVH method; see lanes.h and bvh.h. A block of groups looks for blocks that its bounds meet, and
// collects 16 of them before its groups look at those: so the upper levels are walked once for 256 boxes.

#include "cpu_ref/pairs/bvh.h"

typedef struct bvh_one {
    float lower[3], upper[3];
} bvh_one;

/// Blocks that were found.
typedef struct bvh_found {
    tact_bvh_boxes bounds;
    uint32_t index[TACT_BVH_WIDTH];
    uint32_t count;
} bvh_found;

typedef struct bvh_walk {
    const tact_bvh_tree *from, *to;
    uint32_t block;  ///< of `from`
    bool within, swapped;
    tact_pair_sink* sink;
    uint64_t tests;
    bvh_found found;
} bvh_walk;

LANES_FN bvh_one bvh_take(const tact_bvh_boxes* boxes, uint32_t i)
{
    return (bvh_one){{boxes->lower[0][i], boxes->lower[1][i], boxes->lower[2][i]},
                     {boxes->upper[0][i], boxes->upper[1][i], boxes->upper[2][i]}};
}

#if TACT_LANES_ISA == 3
/// Sixteen boxes: in registers, where those hold them.
typedef struct bvh_many {
    f16 lower[3], upper[3];
} bvh_many;

LANES_FN bvh_many bvh_load(const tact_bvh_boxes* boxes)
{
    return (bvh_many){{f16_load(boxes->lower[0]), f16_load(boxes->lower[1]), f16_load(boxes->lower[2])},
                      {f16_load(boxes->upper[0]), f16_load(boxes->upper[1]), f16_load(boxes->upper[2])}};
}

/// Which of them this one meets.
LANES_FN uint32_t bvh_hits(const bvh_many* many, const bvh_one* one)
{
    const m16 x = f16_le_and(f16_le(f16_set(one->lower[0]), many->upper[0]), many->lower[0], f16_set(one->upper[0]));
    const m16 y = f16_le_and(f16_le(f16_set(one->lower[1]), many->upper[1]), many->lower[1], f16_set(one->upper[1]));
    const m16 z = f16_le_and(f16_le(f16_set(one->lower[2]), many->upper[2]), many->lower[2], f16_set(one->upper[2]));
    return m16_bits(m16_and(m16_and(x, y), z));
}
#else
typedef struct bvh_many {
    const tact_bvh_boxes* boxes;
} bvh_many;

LANES_FN bvh_many bvh_load(const tact_bvh_boxes* boxes)
{
    return (bvh_many){boxes};
}

#if TACT_LANES_ISA == 0
/// Which of the 16 boxes this one meets. Without branches, so that compilers find lanes of their own.
LANES_FN uint32_t bvh_hits(const bvh_many* of, const bvh_one* one)
{
    static const uint32_t places[TACT_BVH_WIDTH] = {1,   2,   4,    8,    16,   32,   64,    128,
                                                    256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    const tact_bvh_boxes* many = of->boxes;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < TACT_BVH_WIDTH; ++k) {
        const uint32_t x =
            (uint32_t)(one->lower[0] <= many->upper[0][k]) & (uint32_t)(many->lower[0][k] <= one->upper[0]);
        const uint32_t y =
            (uint32_t)(one->lower[1] <= many->upper[1][k]) & (uint32_t)(many->lower[1][k] <= one->upper[1]);
        const uint32_t z =
            (uint32_t)(one->lower[2] <= many->upper[2][k]) & (uint32_t)(many->lower[2][k] <= one->upper[2]);
        bits |= (0u - (x & y & z)) & places[k];
    }
    return bits;
}
#else
LANES_FN uint32_t bvh_hits(const bvh_many* of, const bvh_one* one)
{
    const tact_bvh_boxes* many = of->boxes;
    const VF low_x = V_SET(one->lower[0]), low_y = V_SET(one->lower[1]), low_z = V_SET(one->lower[2]);
    const VF high_x = V_SET(one->upper[0]), high_y = V_SET(one->upper[1]), high_z = V_SET(one->upper[2]);
    uint32_t bits = 0;
    for (uint32_t k = 0; k < TACT_BVH_WIDTH; k += LANES) {
        const VM x = M_AND(V_LE(low_x, V_LOAD(many->upper[0] + k)), V_LE(V_LOAD(many->lower[0] + k), high_x));
        const VM y = M_AND(V_LE(low_y, V_LOAD(many->upper[1] + k)), V_LE(V_LOAD(many->lower[1] + k), high_y));
        const VM z = M_AND(V_LE(low_z, V_LOAD(many->upper[2] + k)), V_LE(V_LOAD(many->lower[2] + k), high_z));
        bits |= M_BITS(M_AND(M_AND(x, y), z)) << k;
    }
    return bits;
}
#endif
#endif

LANES_FN uint32_t bvh_meets(const tact_bvh_boxes* boxes, const bvh_one* one)
{
    const bvh_many many = bvh_load(boxes);
    return bvh_hits(&many, one);
}

/// Writes the numbers of the `hits` of the 16 things from `first` on, of which there may be 16, to `to`. Returns the
/// end.
LANES_FN uint32_t* bvh_put(uint32_t* to, uint32_t hits, uint32_t first)
{
#if TACT_LANES_ISA == 3
    lanes_put_sixteen(to, hits, first);
#else
    const uint32_t low = hits & 0xffu;
    lanes_put_eight(to, low, first);
    lanes_put_eight(to + lanes_count(low), hits >> 8, first + 8);
#endif
    return to + lanes_count(hits);
}

/// The ids of sixteen boxes.
typedef struct bvh_ids {
    const uint32_t* at;
#if TACT_LANES_ISA == 3
    u16 words;
#endif
} bvh_ids;

LANES_FN bvh_ids bvh_load_ids(const uint32_t* ids)
{
#if TACT_LANES_ISA == 3
    return (bvh_ids){ids, u16_load(ids)};
#else
    return (bvh_ids){ids};
#endif
}

/// Where pairs go. The sink's own places are set at the end, or when it is needed.
typedef struct bvh_out {
    tact_pair_sink* sink;
    tact_pair *next, *last;
    bool within, swapped;
} bvh_out;

LANES_FN bvh_out bvh_open(const bvh_walk* w, bool within, bool swapped)
{
    tact_pair_sink* sink = w->sink;
    return (bvh_out){sink, sink->next, sink->last, within, swapped};
}

LANES_FN void bvh_close(const bvh_out* out)
{
    out->sink->next = out->next;
}

/// Gives the sink the pairs of box `id` and those of `ids` that `hits` says; `swapped`: `id` is of the second set.
LANES_FN void bvh_give(bvh_out* out, const uint32_t* id, const bvh_ids* ids, uint32_t hits)
{
#if TACT_LANES_ISA == 3
    // All at once and without a branch that depends on the hits: those are as good as random.
    if (out->last - out->next >= TACT_BVH_WIDTH && out->sink->plain) {
        const u16 one = u16_set(*id), found = u16_pack(hits, ids->words);
        const u16 a = out->within ? u16_min(found, one) : out->swapped ? found : one;
        const u16 b = out->within ? u16_max(found, one) : out->swapped ? one : found;
        const uint32_t count = lanes_count(hits);
        u16_store_low_pairs(&out->next->a, a, b);
        if (count > 8) u16_store_high_pairs(&out->next[8].a, a, b);
        out->next += count;
        return;
    }
#endif
    out->sink->next = out->next;
    for (; hits; hits &= hits - 1) {
        const uint32_t other = ids->at[tact_lowest_bit(hits)];
        tact_pair_sink_add(out->sink, out->swapped ? other : *id, out->swapped ? *id : other);
    }
    out->next = out->sink->next;
    out->last = out->sink->last;
}

/// The boxes `which` of one group against all of another.
LANES_FN void bvh_boxes_against(bvh_walk* w, const tact_bvh_group* g, uint32_t which, const tact_bvh_group* h,
                                bool within, bool swapped)
{
    const bvh_many many = bvh_load(&h->boxes);
    const bvh_ids ids = bvh_load_ids(h->ids);
    bvh_out out = bvh_open(w, within, swapped);
    w->tests += lanes_count(which) * TACT_BVH_WIDTH;
    for (; which; which &= which - 1) {
        const uint32_t i = tact_lowest_bit(which);
        const bvh_one one = bvh_take(&g->boxes, i);
        bvh_give(&out, &g->ids[i], &ids, bvh_hits(&many, &one));
    }
    bvh_close(&out);
}

/// A group's boxes with each other.
LANES_FN void bvh_within_group(bvh_walk* w, const tact_bvh_group* g, uint32_t boxes)
{
    const bvh_many many = bvh_load(&g->boxes);
    const bvh_ids ids = bvh_load_ids(g->ids);
    bvh_out out = bvh_open(w, true, false);
    for (uint32_t i = 0; i + 1 < boxes; ++i) {
        const bvh_one one = bvh_take(&g->boxes, i);
        bvh_give(&out, &g->ids[i], &ids, bvh_hits(&many, &one) & ~((2u << i) - 1u));
    }
    bvh_close(&out);
    w->tests += boxes * (boxes - 1) / 2;
}

/// The groups that the group's bounds meet, of the blocks that were found; within a tree those after it.
LANES_FN uint32_t bvh_list_groups(const bvh_walk* w, uint32_t g, const bvh_one* bounds, uint32_t* groups)
{
    uint32_t* end = groups;
    uint32_t blocks = bvh_meets(&w->found.bounds, bounds) & ((1u << w->found.count) - 1u);
    for (; blocks; blocks &= blocks - 1) {
        const uint32_t block = w->found.index[tact_lowest_bit(blocks)];
        uint32_t hits = bvh_meets(&w->to->blocks[block], bounds);
        if (w->within && block == w->block) hits &= ~((2u << g) - 1u);
        end = bvh_put(end, hits, block * TACT_BVH_WIDTH);
    }
    return (uint32_t)(end - groups);
}

enum {
    BVH_GROUPS = TACT_BVH_WIDTH * TACT_BVH_WIDTH,  ///< that a group meets at most in the blocks found
    BVH_FEW = 8,  ///< boxes in a group's bounds: most have fewer, so that processors foresee it
};

/// The boxes of the listed groups that are in a group's bounds: writes their places to `places`, and returns the end.
LANES_FN uint32_t* bvh_list_boxes(bvh_walk* w, const tact_bvh_group* group, const bvh_one* bounds,
                                  const uint32_t* groups, uint32_t count, uint32_t* places, bool within)
{
    const tact_bvh_group* to = w->to->groups;
    uint32_t* end = places;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = groups[i];
        const uint32_t of_h = bvh_meets(&to[at].boxes, bounds);
        if (lanes_count(of_h) > BVH_FEW) {
            // Where sizes differ the other way round may be much less.
            const bvh_one other = bvh_take(&w->to->blocks[at / TACT_BVH_WIDTH], at % TACT_BVH_WIDTH);
            const uint32_t of_g = bvh_meets(&group->boxes, &other);
            if (lanes_count(of_g) < lanes_count(of_h)) {
                bvh_boxes_against(w, group, of_g, &to[at], within, w->swapped);
                continue;
            }
        }
        end = bvh_put(end, of_h, at * TACT_BVH_WIDTH);
    }
    return end;
}

/// The boxes at these places against all of a group.
LANES_FN void bvh_places_against(bvh_walk* w, const uint32_t* places, const uint32_t* end, const tact_bvh_group* group,
                                 bool within)
{
    const tact_bvh_group* to = w->to->groups;
    const bvh_many many = bvh_load(&group->boxes);
    const bvh_ids ids = bvh_load_ids(group->ids);
    bvh_out out = bvh_open(w, within, !w->swapped);
    w->tests += (uint64_t)(end - places) * TACT_BVH_WIDTH;
    for (; places < end; ++places) {
        const tact_bvh_group* h = &to[*places / TACT_BVH_WIDTH];
        const uint32_t i = *places % TACT_BVH_WIDTH;
        const bvh_one one = bvh_take(&h->boxes, i);
        bvh_give(&out, &h->ids[i], &ids, bvh_hits(&many, &one));
    }
    bvh_close(&out);
}

LANES_FN void bvh_groups_of(bvh_walk* w, bool within)
{
    uint32_t groups[BVH_GROUPS + TACT_BVH_WIDTH], places[BVH_GROUPS * TACT_BVH_WIDTH + TACT_BVH_WIDTH];
    const tact_bvh_boxes* own = &w->from->blocks[w->block];
    const uint32_t first = w->block * TACT_BVH_WIDTH, left = w->from->group_count - first;
    const uint32_t own_count = left < TACT_BVH_WIDTH ? left : TACT_BVH_WIDTH;
    for (uint32_t g = 0; g < own_count; ++g) {
        const bvh_one bounds = bvh_take(own, g);
        const tact_bvh_group* group = &w->from->groups[first + g];
        const uint32_t count = bvh_list_groups(w, g, &bounds, groups);
        const uint32_t* end = bvh_list_boxes(w, group, &bounds, groups, count, places, within);
        bvh_places_against(w, places, end, group, within);
    }
}

/// The groups of the walk's block against those of the blocks that were found. What a group meets is listed first, and
/// of that the boxes which its bounds meet: three loops whose lengths vary, instead of one for each two groups, each of
/// which ends where no processor foresees it.
LANES_TARGET static void bvh_groups(bvh_walk* w)
{
    if (w->within) {
        bvh_groups_of(w, true);
    } else {
        bvh_groups_of(w, false);
    }
    w->found.count = 0;
}

LANES_FN void bvh_collect(bvh_walk* w, const tact_bvh_boxes* nodes, uint32_t lane, uint32_t block)
{
    bvh_found* f = &w->found;
    for (int axis = 0; axis < 3; ++axis) {
        f->bounds.lower[axis][f->count] = nodes->lower[axis][lane];
        f->bounds.upper[axis][f->count] = nodes->upper[axis][lane];
    }
    f->index[f->count++] = block;
    if (f->count == TACT_BVH_WIDTH) bvh_groups(w);
}

/// The children of a block at `level` that the bounds meet; within a tree only those not before the walk's block.
LANES_FN uint32_t bvh_children(const bvh_walk* w, int level, uint32_t block, const bvh_one* bounds)
{
    uint32_t hits = bvh_meets(&w->to->blocks[w->to->level_first[level] + block], bounds);
    if (w->within) {
        const uint32_t least = w->block >> (4 * (level - 1)), first = block * TACT_BVH_WIDTH;
        if (least > first) hits &= ~((1u << (least - first)) - 1u);
    }
    return hits;
}

LANES_TARGET static uint64_t bvh(const tact_bvh_tree* from, uint32_t block, const tact_bvh_tree* to, bool swapped,
                                 tact_pair_sink* sink)
{
    bvh_walk w = {.from = from, .to = to, .block = block, .within = from == to, .swapped = swapped, .sink = sink};
    const tact_bvh_boxes* above = &from->blocks[from->level_first[1] + block / TACT_BVH_WIDTH];
    const bvh_one bounds = bvh_take(above, block % TACT_BVH_WIDTH);
    for (uint32_t g = block * TACT_BVH_WIDTH; w.within && g < from->group_count && g / TACT_BVH_WIDTH == block; ++g) {
        const uint32_t left = from->live - g * TACT_BVH_WIDTH;
        bvh_within_group(&w, &from->groups[g], left < TACT_BVH_WIDTH ? left : TACT_BVH_WIDTH);
    }
    uint32_t todo[TACT_BVH_LEVELS], at[TACT_BVH_LEVELS];
    const int top = to->levels - 1;
    int level = top;
    at[level] = 0;
    todo[level] = bvh_children(&w, level, 0, &bounds);
    while (level <= top) {
        if (todo[level] == 0) {
            ++level;
            continue;
        }
        const uint32_t lane = tact_lowest_bit(todo[level]), child = at[level] * TACT_BVH_WIDTH + lane;
        todo[level] &= todo[level] - 1;
        if (level == 1) {
            bvh_collect(&w, &to->blocks[to->level_first[1] + at[1]], lane, child);
        } else {
            --level;
            at[level] = child;
            todo[level] = bvh_children(&w, level, child, &bounds);
        }
    }
    if (w.found.count > 0) bvh_groups(&w);
    return w.tests;
}

LANES_TARGET static bool bvh_fill(const tact_aabb* boxes, tact_bvh_group* group, tact_aabb* bounds, uint32_t* moved)
{
    box_lanes all = {{V_SET(INFINITY), V_SET(INFINITY), V_SET(INFINITY)},
                     {V_SET(-INFINITY), V_SET(-INFINITY), V_SET(-INFINITY)}};
    const uint32_t every = (1u << LANES) - 1u;
    bool there = true;
    *moved = 0;
    for (uint32_t i = 0; i < TACT_BVH_WIDTH; i += LANES) {
        const box_lanes some = box_lanes_of(boxes, group->ids + i);
        uint32_t same = every;
        there = there && M_BITS(V_LE(some.lower[0], some.lower[0])) == every;
        for (int axis = 0; axis < 3; ++axis) {
            float *lower = group->boxes.lower[axis] + i, *upper = group->boxes.upper[axis] + i;
            same &= M_BITS(M_AND(V_EQ(some.lower[axis], V_LOAD(lower)), V_EQ(some.upper[axis], V_LOAD(upper))));
            V_STORE(lower, some.lower[axis]);
            V_STORE(upper, some.upper[axis]);
            all.lower[axis] = V_MIN(all.lower[axis], some.lower[axis]);
            all.upper[axis] = V_MAX(all.upper[axis], some.upper[axis]);
        }
        *moved |= (~same & every) << i;
    }
    bounds->lower = (tact_vec3){V_LEAST(all.lower[0]), V_LEAST(all.lower[1]), V_LEAST(all.lower[2])};
    bounds->upper = (tact_vec3){V_MOST(all.upper[0]), V_MOST(all.upper[1]), V_MOST(all.upper[2])};
    return there;
}

/// The pairs of a box with those of one group.
LANES_FN void bvh_ask_group(const tact_bvh_group* group, const bvh_one* one, uint32_t id, const uint64_t* touched,
                            tact_pair_sink* sink)
{
    for (uint32_t hits = bvh_meets(&group->boxes, one); hits; hits &= hits - 1) {
        const uint32_t other = group->ids[tact_lowest_bit(hits)];
        const bool asks_too = touched[other / 64] >> (other % 64) & 1;
        if (other != id && (!asks_too || other > id)) tact_pair_sink_add(sink, id, other);
    }
}

LANES_TARGET static void bvh_ask(const tact_bvh_tree* tree, uint32_t place, const uint64_t* touched,
                                 tact_pair_sink* sink)
{
    const tact_bvh_group* own = &tree->groups[place / TACT_BVH_WIDTH];
    const bvh_one one = bvh_take(&own->boxes, place % TACT_BVH_WIDTH);
    const uint32_t id = own->ids[place % TACT_BVH_WIDTH];
    uint32_t todo[TACT_BVH_LEVELS], at[TACT_BVH_LEVELS];
    const int top = tree->levels - 1;
    int level = top;
    at[level] = 0;
    todo[level] = bvh_meets(&tree->blocks[tree->level_first[level]], &one);
    while (level <= top) {
        if (todo[level] == 0) {
            ++level;
            continue;
        }
        const uint32_t child = at[level] * TACT_BVH_WIDTH + tact_lowest_bit(todo[level]);
        todo[level] &= todo[level] - 1;
        if (level == 0) {
            sink->tests += TACT_BVH_WIDTH;
            bvh_ask_group(&tree->groups[child], &one, id, touched, sink);
        } else {
            --level;
            at[level] = child;
            todo[level] = bvh_meets(&tree->blocks[tree->level_first[level] + child], &one);
        }
    }
}
