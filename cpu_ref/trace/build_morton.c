// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/compiler.h"
#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/trace/build_internal.h"

// The fast way to a binary tree: references in the order of a Morton curve, divided where the highest bit of their
// codes changes (Lauterbach et al., "Fast BVH construction on GPUs", 2009). No box is looked at before all divisions
// are known; what the collapse makes of the tree is chosen by cost all the same.

enum { GRAIN = TACT_BUILD_GRAIN, AXIS_BITS = 10, KEY_BITS = 3 * AXIS_BITS, AHEAD = 16 };

typedef struct morton {
    tact_builder* b;
    uint32_t* keys;
    float origin[4], scale[4];
} morton;

/// Ten bits with two free places after each.
static uint32_t spread(uint32_t x)
{
    TACT_ASSERT(x < 1u << AXIS_BITS);
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

static void make_keys(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const morton* m = user;
    const f4 origin = f4_load(m->origin), scale = f4_load(m->scale), last = f4_set((float)((1 << AXIS_BITS) - 1));
    for (size_t i = begin; i < end; ++i) {
        const tact_build_reference* ref = &m->b->references[i];
        const f4 centre = tact_build_centre(tact_build_lower(ref), tact_build_negated(ref));
        int32_t place[4];
        f4_store_integers(place, f4_min(f4_mul(f4_sub(centre, origin), scale), last));
        TACT_ASSERT(place[0] >= 0 && place[1] >= 0 && place[2] >= 0);
        m->keys[i] = spread((uint32_t)place[0]) << 2 | spread((uint32_t)place[1]) << 1 | spread((uint32_t)place[2]);
    }
}

static bool sort(morton* m)
{
    tact_builder* b = m->b;
    tact_parallel_for(b->threads, b->count, GRAIN, make_keys, m);
    const tact_sort_cpu_job job = {.keys_in = m->keys,
                                   .keys_out = m->keys,
                                   .values_out = b->ids,
                                   .count = b->count,
                                   .key_words = 1,
                                   .key_bits = KEY_BITS};
    return tact_sort_cpu(b->env, b->threads, &job) == TACT_OK;
}

/// Where the right half begins.
static size_t find_middle(const morton* m, const tact_build_range* r)
{
    TACT_ASSERT(r->end - r->begin >= 2 && r->end <= m->b->count);
    const size_t size = r->end - r->begin, half = r->begin + size / 2;
    const uint32_t differ = m->keys[r->begin] ^ m->keys[r->end - 1];
    if (differ == 0 || !tact_build_may_choose(m->b, r)) return half;
    uint32_t bit = 1;
    while (bit <= differ >> 1)
        bit <<= 1;
    size_t low = r->begin, high = r->end - 1;  // the bit is not set at `low`, and set at `high`
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (m->keys[middle] & bit) {
            high = middle;
        } else {
            low = middle;
        }
    }
    TACT_ASSERT(high > r->begin && high < r->end);
    TACT_ASSERT(m->keys[high - 1] < m->keys[high]);
    return high;
}

static void divide(const morton* m, const tact_build_range* r, tact_build_range sides[2])
{
    const size_t middle = find_middle(m, r);
    TACT_ASSERT(middle > r->begin && middle < r->end);
    for (int side = 0; side < 2; ++side) {
        sides[side].begin = side ? middle : r->begin;
        sides[side].end = side ? r->end : middle;
        sides[side].node = 2 * r->pair + (uint32_t)side;
        sides[side].depth = r->depth + 1;
        sides[side].pair = side ? r->pair + (uint32_t)(middle - r->begin) : r->pair + 1;
    }
}

/// What one thread builds: leaves from first to last, up to `end`.
typedef struct task {
    const morton* m;
    size_t end;
} task;

/// References stay where they are; of each leaf's their places are known, and then the primitives.
static void make_leaf(const task* t, const tact_build_range* r)
{
    const tact_builder* b = t->m->b;
    TACT_ASSERT(r->begin <= r->end && r->end <= t->end);
    for (size_t i = r->begin + AHEAD; i < r->end + AHEAD && i < t->end; ++i)
        TACT_PREFETCH(&b->references[b->ids[i]]);
    tact_build_box box = tact_build_empty_box();
    for (size_t i = r->begin; i < r->end; ++i) {
        const tact_build_reference* ref = &b->references[b->ids[i]];
        TACT_ASSERT(b->ids[i] < b->count);
        tact_build_grow(&box, tact_build_lower(ref), tact_build_negated(ref));
        b->ids[i] = ref->id;
    }
    tact_build_node* node = &b->nodes[r->node];
    memcpy(node->lower, box.lower, sizeof node->lower);
    memcpy(node->negated, box.negated, sizeof node->negated);
    node->first = (uint32_t)r->begin;
    node->count = (uint32_t)(r->end - r->begin) | (uint32_t)TACT_BUILD_LEAF_BIT;
}

/// Returns the first pair of nodes left free.
static uint32_t build(const task* t, const tact_build_range* r, tact_build_costs* costs)
{
    const morton* m = t->m;
    TACT_ASSERT(r->begin <= r->end && r->depth <= m->b->desc.max_depth);
    if (r->end - r->begin <= m->b->desc.max_leaf) {
        make_leaf(t, r);
        tact_build_plan_leaf(m->b, r->node, costs);
        return r->pair;
    }
    tact_build_range sides[2];
    tact_build_costs of[2];
    divide(m, r, sides);
    sides[1].pair = build(t, &sides[0], &of[0]);
    const uint32_t pair = build(t, &sides[1], &of[1]);
    TACT_ASSERT(pair <= m->b->count && pair > r->pair);
    tact_build_node* node = &m->b->nodes[r->node];
    node->first = sides[0].node;
    node->count = (uint32_t)(r->end - r->begin);
    tact_build_join(m->b, r->node);
    tact_build_plan(m->b, r->node, &of[0], &of[1], costs);
    return pair;
}

static void make_subtree(const tact_builder* b, const tact_build_range* r, int worker, void* user,
                         tact_build_costs* costs)
{
    (void)b, (void)worker;
    const task t = {user, r->end};
    build(&t, r, costs);
}

static bool divide_top(const morton* m)
{
    tact_builder* b = m->b;
    for (size_t i = 0; i < b->top_count; ++i) {
        const tact_build_range r = b->top[i].range;
        tact_build_range sides[2];
        if (r.end - r.begin <= b->task_size) continue;
        TACT_ASSERT(b->top[i].sides == 0);
        divide(m, &r, sides);
        if (!tact_build_add_sides(b, i, sides)) return false;
    }
    return true;
}

bool tact_build_morton(tact_builder* b)
{
    TACT_ASSERT(b->top_count == 1 && b->top[0].range.end == b->count);
    const tact_build_box* centres = &b->top[0].range.centres;
    morton m = {.b = b};
    m.keys = tact_allocate(b->env, b->count, sizeof *m.keys);
    b->ids = tact_allocate(b->env, b->count, sizeof *b->ids);
    for (int k = 0; k < 3; ++k) {
        const float width = -centres->negated[k] - centres->lower[k];
        m.origin[k] = centres->lower[k];
        m.scale[k] = width > 1e-34f ? 0.9999f * (float)(1 << AXIS_BITS) / width : 0.0f;
    }
    const bool good = m.keys && b->ids && sort(&m) && divide_top(&m);
    if (good) tact_build_subtrees(b, make_subtree, &m);
    TACT_ASSERT(!good || b->nodes[0].count != 0 || b->count == 0);
    tact_release(b->env, m.keys);
    return good;
}
