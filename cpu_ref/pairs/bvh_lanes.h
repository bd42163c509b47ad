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

#if TACT_LANES_ISA == 0
/// Which of the 16 boxes this one meets. Without branches, so that compilers find lanes of their own.
LANES_FN uint32_t bvh_meets(const tact_bvh_boxes* many, const bvh_one* one)
{
    static const uint32_t places[TACT_BVH_WIDTH] = {1,   2,   4,    8,    16,   32,   64,    128,
                                                    256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
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
/// Which of the 16 boxes this one meets.
LANES_FN uint32_t bvh_meets(const tact_bvh_boxes* many, const bvh_one* one)
{
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

/// Gives the sink the pairs of box `id` and those of `ids` that `hits` says. `swapped`: `id` is of the second set.
LANES_FN void bvh_give(tact_pair_sink* sink, uint32_t id, const uint32_t* ids, uint32_t hits, bool swapped)
{
#if TACT_LANES_ISA == 3
    // All at once and without a branch that depends on the hits: those are as good as random.
    if (sink->plain && sink->last - sink->next >= TACT_BVH_WIDTH) {
        const u16 one = u16_set(id), many = u16_load(ids);
        const uint32_t turned = sink->within ? u16_lt_bits(many, one) : swapped ? 0xffffu : 0u;
        u16_store_pairs(&sink->next->a, u16_pack(hits, u16_select(turned, many, one)),
                        u16_pack(hits, u16_select(turned, one, many)));
        sink->next += lanes_count(hits);
        return;
    }
#endif
    for (; hits; hits &= hits - 1) {
        const uint32_t other = ids[tact_lowest_bit(hits)];
        tact_pair_sink_add(sink, swapped ? other : id, swapped ? id : other);
    }
}

/// The boxes `which` of one group against all of another.
LANES_FN void bvh_boxes_against(bvh_walk* w, const tact_bvh_group* g, uint32_t which, const tact_bvh_group* h,
                                bool swapped)
{
    for (; which; which &= which - 1) {
        const uint32_t i = tact_lowest_bit(which);
        const bvh_one one = bvh_take(&g->boxes, i);
        bvh_give(w->sink, g->ids[i], h->ids, bvh_meets(&h->boxes, &one), swapped);
    }
}

/// Two groups: of the one that has fewer boxes in the other's bounds, those boxes are tested.
LANES_FN void bvh_two_groups(bvh_walk* w, const tact_bvh_group* g, const bvh_one* bounds_g, const tact_bvh_group* h,
                             const bvh_one* bounds_h)
{
    const uint32_t of_g = bvh_meets(&g->boxes, bounds_h), of_h = bvh_meets(&h->boxes, bounds_g);
    const uint32_t count_g = lanes_count(of_g), count_h = lanes_count(of_h);
    if (count_g <= count_h) {
        w->tests += count_g * TACT_BVH_WIDTH;
        bvh_boxes_against(w, g, of_g, h, w->swapped);
    } else {
        w->tests += count_h * TACT_BVH_WIDTH;
        bvh_boxes_against(w, h, of_h, g, !w->swapped);
    }
}

/// A group's boxes with each other.
LANES_FN void bvh_within_group(bvh_walk* w, const tact_bvh_group* g, uint32_t boxes)
{
    for (uint32_t i = 0; i + 1 < boxes; ++i) {
        const bvh_one one = bvh_take(&g->boxes, i);
        bvh_give(w->sink, g->ids[i], g->ids, bvh_meets(&g->boxes, &one) & ~((2u << i) - 1u), false);
    }
    w->tests += boxes * (boxes - 1) / 2;
}

/// The groups of the walk's block against those of the blocks that were found.
LANES_TARGET static void bvh_groups(bvh_walk* w)
{
    const tact_bvh_boxes* own = &w->from->blocks[w->block];
    const uint32_t first = w->block * TACT_BVH_WIDTH, left = w->from->group_count - first;
    const uint32_t groups = left < TACT_BVH_WIDTH ? left : TACT_BVH_WIDTH;
    for (uint32_t g = 0; g < groups; ++g) {
        const bvh_one bounds = bvh_take(own, g);
        const tact_bvh_group* group = &w->from->groups[first + g];
        uint32_t blocks = bvh_meets(&w->found.bounds, &bounds) & ((1u << w->found.count) - 1u);
        for (; blocks; blocks &= blocks - 1) {
            const uint32_t block = w->found.index[tact_lowest_bit(blocks)];
            const tact_bvh_boxes* nodes = &w->to->blocks[block];
            uint32_t hits = bvh_meets(nodes, &bounds);
            if (w->within && block == w->block) hits &= ~((2u << g) - 1u);
            for (; hits; hits &= hits - 1) {
                const uint32_t h = tact_lowest_bit(hits);
                const bvh_one other = bvh_take(nodes, h);
                bvh_two_groups(w, group, &bounds, &w->to->groups[block * TACT_BVH_WIDTH + h], &other);
            }
        }
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
