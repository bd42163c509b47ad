// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/parallel.h"
#include "cpu_ref/trace/build_internal.h"

// Eight-wide nodes out of a binary tree at the least cost there is, by dynamic programming (Ylitie, Karras, Laine,
// "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017, section 3.1). The costs of
// subtrees are found, and what is chosen is noted, while the binary tree is built.

enum { WIDTH = TACT_BVH8_WIDTH };

static bool is_binary_leaf(const tact_build_node* n)
{
    return (n->count & (uint32_t)TACT_BUILD_LEAF_BIT) != 0;
}

static uint32_t count_of(const tact_build_node* n)
{
    return n->count & ~(uint32_t)TACT_BUILD_LEAF_BIT;
}

static float area_of(const tact_builder* b, const tact_build_node* n)
{
    return tact_build_area(n->lower, n->negated, b->unit);
}

/// The least cost of `trees` trees, 2 to 8, for both children of a node, and how many of them the left one gets.
static float distribute(const tact_build_costs* left, const tact_build_costs* right, int trees, int* to_left)
{
    TACT_ASSERT(trees >= 2 && trees <= WIDTH);
    float best = left->of[0] + right->of[trees - 2];
    *to_left = 1;
    for (int k = 2; k < trees; ++k) {
        const float cost = left->of[k - 1] + right->of[trees - k - 1];
        if (cost < best) {
            best = cost;
            *to_left = k;
        }
    }
    return best;
}

static void add_to_plan(uint32_t* plan, int trees, int to_left)
{
    TACT_ASSERT(trees >= 2 && trees <= WIDTH);
    TACT_ASSERT(to_left >= 1 && to_left < trees);
    *plan |= (uint32_t)to_left << TACT_BUILD_PLAN_BITS * (trees - 2);
}

/// How many of so many trees, 2 to 8, the left child gets; 0: fewer cost no more.
static int planned(uint32_t plan, int trees)
{
    return (int)(plan >> TACT_BUILD_PLAN_BITS * (trees - 2) & ((1u << TACT_BUILD_PLAN_BITS) - 1u));
}

void tact_build_plan_leaf(const tact_builder* b, uint32_t node, tact_build_costs* costs)
{
    const tact_build_node* n = &b->nodes[node];
    TACT_ASSERT(node < 2 * b->count + 2);
    TACT_ASSERT(is_binary_leaf(n) && count_of(n) <= b->desc.max_leaf && (count_of(n) >= 1 || b->count == 0));
    const float cost = area_of(b, n) * tact_build_leaf_cost(count_of(n));
    for (int i = 0; i < WIDTH - 1; ++i)
        costs->of[i] = cost;
}

void tact_build_plan(const tact_builder* b, uint32_t node, const tact_build_costs* left, const tact_build_costs* right,
                     tact_build_costs* costs)
{
    const tact_build_node* n = &b->nodes[node];
    TACT_ASSERT(node < 2 * b->count + 2);
    TACT_ASSERT(!is_binary_leaf(n) && n->first % 2 == 0);
    TACT_ASSERT(count_of(n) == count_of(&b->nodes[n->first]) + count_of(&b->nodes[n->first + 1]));
    const float area = area_of(b, n);
    int to_left;
    uint32_t plan = 0;
    costs->of[0] = distribute(left, right, WIDTH, &to_left) + area;
    add_to_plan(&plan, WIDTH, to_left);
    if (count_of(n) <= b->desc.max_leaf) {
        const float as_leaf = area * tact_build_leaf_cost(count_of(n));
        if (as_leaf <= costs->of[0]) {
            costs->of[0] = as_leaf;
            plan |= (uint32_t)TACT_BUILD_PLAN_LEAF;
        }
    }
    for (int trees = 2; trees < WIDTH; ++trees) {
        const float cost = distribute(left, right, trees, &to_left);
        const bool cheaper = cost < costs->of[trees - 2];
        costs->of[trees - 1] = cheaper ? cost : costs->of[trees - 2];
        if (cheaper) add_to_plan(&plan, trees, to_left);
    }
    b->plans[node] = plan;
}

typedef struct children {
    uint32_t leaf[WIDTH], inner[WIDTH];  ///< binary nodes
    int leaves, inners;
} children;

/// Adds the best forest of at most so many trees for a subtree.
static void gather_forest(const tact_builder* b, uint32_t node, int trees, children* out)
{
    TACT_ASSERT(trees >= 1 && trees <= WIDTH);
    TACT_ASSERT(out->leaves + out->inners < WIDTH);
    const tact_build_node* n = &b->nodes[node];
    if (is_binary_leaf(n)) {
        out->leaf[out->leaves++] = node;
        return;
    }
    const uint32_t plan = b->plans[node];
    while (trees > 1 && planned(plan, trees) == 0)
        --trees;
    if (trees > 1) {
        gather_forest(b, n->first, planned(plan, trees), out);
        gather_forest(b, n->first + 1, trees - planned(plan, trees), out);
    } else if (plan & (uint32_t)TACT_BUILD_PLAN_LEAF) {
        out->leaf[out->leaves++] = node;
    } else {
        out->inner[out->inners++] = node;
    }
}

static void gather_children(const tact_builder* b, uint32_t node, children* out)
{
    out->leaves = out->inners = 0;
    // A leaf is only the root of a tree that is no larger.
    gather_forest(b, node, is_binary_leaf(&b->nodes[node]) ? 1 : WIDTH, out);
    TACT_ASSERT(out->leaves + out->inners >= 1);
}

/// Part of the wide tree: one node near the root, or all that is under one.
typedef struct part {
    uint32_t binary, place, depth;
    bool whole;                       ///< with all that is under it
    uint32_t nodes, slots;            ///< how many, without the node at `place`
    uint32_t first_node, first_slot;  ///< where they begin
    uint32_t deepest;
    double cost;
} part;

typedef struct emitter {
    const tact_builder* b;
    tact_bvh8_node* nodes;  ///< NULL: only count
    uint32_t* order;
    uint32_t node, slot;  ///< the next that are free
    uint32_t deepest;
    double cost;
    bool whole;
} emitter;

static uint32_t collect(const tact_builder* b, uint32_t node, uint32_t* to)
{
    const tact_build_node* n = &b->nodes[node];
    if (is_binary_leaf(n)) {
        const uint32_t count = count_of(n);
        TACT_ASSERT(n->first + count <= b->count);
        for (uint32_t i = 0; i < count; ++i)
            to[i] = b->ids ? b->ids[n->first + i] : b->references[n->first + i].id;
        return count;
    }
    const uint32_t left = collect(b, n->first, to);
    return left + collect(b, n->first + 1, to + left);
}

/// Puts the leaves of a node in slots so that none reaches into another block, and into that order: always the largest
/// that the block has room for. Two of them fit in every block, so that eight reach no further than 31 slots.
static void place_leaves(emitter* e, children* c, uint32_t slots[WIDTH])
{
    for (int placed = 0; placed < c->leaves;) {
        const uint32_t room = TACT_BVH8_BLOCK - e->slot % TACT_BVH8_BLOCK;
        uint32_t most = 0;
        int take = -1;
        for (int i = placed; i < c->leaves; ++i) {
            const uint32_t count = count_of(&e->b->nodes[c->leaf[i]]);
            if (count <= room && count > most) {
                most = count;
                take = i;
            }
        }
        if (take < 0) {
            for (uint32_t i = 0; i < room && e->order; ++i)
                e->order[e->slot + i] = UINT32_MAX;
            e->slot += room;
            continue;
        }
        const uint32_t leaf = c->leaf[take];
        c->leaf[take] = c->leaf[placed];
        c->leaf[placed] = leaf;
        if (e->order) collect(e->b, leaf, e->order + e->slot);
        slots[placed++] = e->slot;
        TACT_ASSERT(most >= 1 && e->slot % TACT_BVH8_BLOCK + most <= TACT_BVH8_BLOCK);
        e->slot += most;
    }
}

static void set_child_box(tact_bvh_box* box, const tact_build_node* n)
{
    for (int k = 0; k < 3; ++k) {
        box->lower[k] = n->lower[k];
        box->upper[k] = -n->negated[k];
    }
}

static void write_node(emitter* e, const children* c, const uint32_t slots[WIDTH], uint32_t first_slot, uint32_t place)
{
    TACT_ASSERT(c->leaves + c->inners <= WIDTH);
    tact_bvh8_node* node = &e->nodes[place];
    memset(node, 0, sizeof *node);
    node->node = e->node;
    node->slot = first_slot;
    tact_bvh_box boxes[WIDTH];
    int count = 0;
    for (int i = 0; i < c->leaves; ++i) {
        const tact_build_node* n = &e->b->nodes[c->leaf[i]];
        TACT_ASSERT(slots[i] - first_slot <= 31 && count_of(n) < TACT_BVH8_INNER);
        set_child_box(&boxes[count], n);
        node->meta[count++] = (uint8_t)(count_of(n) << 5 | (slots[i] - first_slot));
        e->cost += (double)(area_of(e->b, n) * tact_build_leaf_cost(count_of(n)));
    }
    for (int i = 0; i < c->inners; ++i) {
        const tact_build_node* n = &e->b->nodes[c->inner[i]];
        set_child_box(&boxes[count], n);
        node->inner |= (uint8_t)(1u << count);
        node->meta[count++] = (uint8_t)((unsigned)TACT_BVH8_INNER << 5 | (unsigned)i);
        e->cost += (double)area_of(e->b, n);
    }
    tact_bvh8_set_boxes(node, boxes, count);
}

static void emit(emitter* e, uint32_t binary, uint32_t place, uint32_t depth)
{
    TACT_ASSERT(depth >= 1 && depth <= TACT_BUILD_MAX_DEPTH);
    children c;
    gather_children(e->b, binary, &c);
    const uint32_t first_slot = e->slot;
    uint32_t slots[WIDTH];
    place_leaves(e, &c, slots);
    if (e->nodes) write_node(e, &c, slots, first_slot, place);
    e->deepest = depth > e->deepest ? depth : e->deepest;
    if (!e->whole) return;
    const uint32_t first_node = e->node;
    e->node += (uint32_t)c.inners;
    for (int i = 0; i < c.inners; ++i)
        emit(e, c.inner[i], first_node + (uint32_t)i, depth + 1);
}

typedef struct parts {
    const tact_builder* b;
    part* items;
    size_t count, capacity;
    size_t size;         ///< subtrees up to this many primitives are emitted by one thread
    uint32_t top_nodes;  ///< places given so far
    tact_bvh8* wide;     ///< NULL while counting
} parts;

/// Lists the parts in the order of their slots.
static bool list_parts(parts* p, uint32_t binary, uint32_t place, uint32_t depth)
{
    void* items = p->items;
    if (!tact_reserve(p->b->env, &items, &p->capacity, p->count, p->count + 1, sizeof *p->items)) return false;
    p->items = items;
    part* item = &p->items[p->count++];
    TACT_ASSERT(place < p->top_nodes);
    const bool whole = count_of(&p->b->nodes[binary]) <= p->size;
    *item = (part){.binary = binary, .place = place, .depth = depth, .whole = whole};
    if (whole) return true;
    children c;
    gather_children(p->b, binary, &c);
    const uint32_t first = p->top_nodes;
    item->first_node = first;
    p->top_nodes += (uint32_t)c.inners;
    for (int i = 0; i < c.inners; ++i) {
        if (!list_parts(p, c.inner[i], first + (uint32_t)i, depth + 1)) return false;
    }
    return true;
}

static void run_parts(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const parts* p = user;
    for (size_t i = begin; i < end; ++i) {
        part* item = &p->items[i];
        TACT_ASSERT(!p->wide || item->place < p->wide->node_count);
        emitter e = {.b = p->b, .whole = item->whole};
        if (p->wide) {
            e.nodes = p->wide->nodes;
            e.order = p->wide->order;
            e.node = item->first_node;
            e.slot = item->first_slot;
        }
        emit(&e, item->binary, item->place, item->depth);
        if (p->wide) {
            TACT_ASSERT(e.slot <= item->first_slot + item->slots);
            TACT_ASSERT(!item->whole || e.node == item->first_node + item->nodes);
            for (; e.slot < item->first_slot + item->slots; ++e.slot)
                e.order[e.slot] = UINT32_MAX;
            item->cost = e.cost;
        } else {
            item->nodes = e.node;
            // Each part begins with a block, so that it can be counted by itself. Leaves of one fit anywhere.
            const uint32_t unit = p->b->desc.max_leaf == 1 ? 1 : TACT_BVH8_BLOCK;
            item->slots = (e.slot + unit - 1) / unit * unit;
            item->deepest = e.deepest;
        }
    }
}

/// Returns how many slots are taken.
static size_t lay_out(parts* p, tact_bvh8* wide)
{
    TACT_ASSERT(wide->slot_count == 0 && p->count >= 1);
    wide->node_count = p->top_nodes;
    for (size_t i = 0; i < p->count; ++i) {
        part* item = &p->items[i];
        item->first_slot = (uint32_t)wide->slot_count;
        wide->slot_count += item->slots;
        wide->depth = item->deepest > wide->depth ? item->deepest : wide->depth;
        if (!item->whole) continue;
        item->first_node = (uint32_t)wide->node_count;
        wide->node_count += item->nodes;
    }
    const size_t taken = wide->slot_count;
    wide->slot_count = (taken + TACT_BVH8_BLOCK - 1) / TACT_BVH8_BLOCK * TACT_BVH8_BLOCK;
    TACT_ASSERT(wide->node_count <= UINT32_MAX && wide->slot_count <= UINT32_MAX);
    return taken;
}

static tact_result empty_tree(tact_env* env, tact_bvh8* wide)
{
    wide->nodes = tact_allocate_zeroed(env, 1, sizeof *wide->nodes);
    wide->order = tact_allocate(env, 1, sizeof *wide->order);
    if (!wide->nodes || !wide->order) {
        tact_bvh8_free(env, wide);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    wide->node_count = wide->depth = 1;
    wide->sah_cost = 1.0;
    tact_bvh8_set_boxes(wide->nodes, NULL, 0);
    return TACT_OK;
}

static void finish(parts* p, tact_bvh8* wide)
{
    TACT_ASSERT(count_of(&p->b->nodes[0]) == p->b->count);
    double cost = 0.0;
    for (size_t i = 0; i < p->count; ++i)
        cost += p->items[i].cost;
    const double area = (double)area_of(p->b, &p->b->nodes[0]);
    wide->count = p->b->count;
    wide->sah_cost = area > 0.0 ? 1.0 + cost / area : 1.0;
}

tact_result tact_build_collapse(const tact_builder* b, tact_bvh8* wide)
{
    TACT_ASSERT(!wide->nodes && !wide->order);
    if (b->count == 0) return empty_tree(b->env, wide);
    parts p = {.b = b, .top_nodes = 1, .size = b->task_size};
    size_t taken = 0;
    bool good = list_parts(&p, 0, 0, 1);
    if (good) {
        tact_parallel_for(b->threads, p.count, 1, run_parts, &p);
        taken = lay_out(&p, wide);
        wide->nodes = tact_allocate(b->env, wide->node_count, sizeof *wide->nodes);
        wide->order = tact_allocate(b->env, wide->slot_count, sizeof *wide->order);
        good = wide->nodes && wide->order;
    }
    if (good) {
        p.wide = wide;
        tact_parallel_for(b->threads, p.count, 1, run_parts, &p);
        for (size_t i = taken; i < wide->slot_count; ++i)
            wide->order[i] = UINT32_MAX;
        finish(&p, wide);
    } else {
        tact_bvh8_free(b->env, wide);
    }
    tact_release(b->env, p.items);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}
