// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Boxes that come, go and move, and subtrees that are put where they cost less.

#include <string.h>

#include "base/simd.h"
#include "cpu_ref/index/volume_tree.h"

enum {
    INSERT_STEPS = 48,     ///< nodes looked at for the place of a box
    OPTIMISE_STEPS = 512,  ///< and of a subtree that is put elsewhere
    WAITING = 64           ///< nodes that are still to be looked at
};

/// In place of a place: above the root.
#define ABOVE_ROOT 0xfffffffeu

/// A child is two rows of four numbers, of which the last ones do not count.
static double joint_area(const tact_bvh_child* a, const tact_bvh_child* b)
{
    float lower[4], upper[4];
    const float *x = (const float*)(const void*)a, *y = (const float*)(const void*)b;
    f4_store(lower, f4_min(f4_load(x), f4_load(y)));
    f4_store(upper, f4_max(f4_load(x + 4), f4_load(y + 4)));
    return tact_volume_area(lower, upper);
}

static double growth(const tact_bvh_child* child, const tact_bvh_child* by)
{
    return joint_area(child, by) - tact_volume_area(child->lower, child->upper);
}

/// Where something goes: beside what is at `place`, at this cost in surface.
typedef struct choice {
    uint32_t place;
    double cost;
} choice;

/// Looks for a better place than the one given, from the root down: the surfaces that grow and that of the new node
/// are the cost, and what has grown already with the thing's own surface is a bound of it for all that lies below. The
/// node of the least bound is next, so that few are looked at in vain.
static choice choose(const tact_volume_tree* tree, const tact_bvh_child* thing, choice best, uint32_t steps)
{
    typedef struct entry {
        double grown;
        uint32_t node;
    } entry;
    entry waiting[WAITING];  // the least bound last
    uint32_t count = 0;
    const double own = tact_volume_area(thing->lower, thing->upper);
    const tact_bvh_child root = tact_volume_over(tree, 0);
    const double above = joint_area(&root, thing);
    if (above < best.cost) best = (choice){ABOVE_ROOT, above};
    waiting[count++] = (entry){growth(&root, thing), 0};
    while (count > 0 && steps-- > 0) {
        const entry e = waiting[--count];
        if (!(e.grown + own < best.cost)) break;
        const tact_bvh_node* node = &tree->nodes[e.node];
        double bounds[2];
        for (uint32_t side = 0; side < 2; ++side) {
            const tact_bvh_child* child = &node->children[side];
            const double here = e.grown + joint_area(child, thing);
            bounds[side] = here - tact_volume_area(child->lower, child->upper);
            best.place = here < best.cost ? 2 * e.node + side : best.place;
            best.cost = here < best.cost ? here : best.cost;
        }
        for (uint32_t side = 0; side < 2; ++side) {
            const tact_bvh_child* child = &node->children[side];
            if (!(bounds[side] + own < best.cost) || tact_volume_is_leaf(child)) continue;
            if (count == WAITING) memmove(waiting, waiting + 1, --count * sizeof *waiting);  // the worst goes
            uint32_t at = count++;
            for (; at > 0 && waiting[at - 1].grown < bounds[side]; --at)
                waiting[at] = waiting[at - 1];
            waiting[at] = (entry){bounds[side], child->child};
            TACT_PREFETCH(&tree->nodes[child->child]);
        }
    }
    return best;
}

static uint32_t take_node(tact_volume_tree* tree)
{
    if (tree->free_node == TACT_VOLUME_ABSENT) {
        TACT_ASSERT(tree->node_end < tree->node_capacity);
        return tree->node_end++;
    }
    const uint32_t node = tree->free_node, next = tree->parents[node];
    tree->free_node = next == TACT_VOLUME_ABSENT ? next : next & ~TACT_VOLUME_BIT;
    return node;
}

static void free_node(tact_volume_tree* tree, uint32_t node)
{
    tree->parents[node] =
        tree->free_node == TACT_VOLUME_ABSENT ? TACT_VOLUME_ABSENT : tree->free_node | TACT_VOLUME_BIT;
    tree->free_node = node;
}

/// Hangs a subtree or a box beside what is at a place, below `node`, which is in no use.
static void put_beside(tact_volume_tree* tree, uint32_t place, uint32_t node, const tact_bvh_child* thing)
{
    const uint32_t above = place == ABOVE_ROOT ? 0 : place >> 1;
    if (place == ABOVE_ROOT) {
        tree->nodes[node] = tree->nodes[0];
        tact_volume_link(tree, 2 * node);
        tact_volume_link(tree, 2 * node + 1);
        tree->nodes[0].children[1] = *thing;
        tact_volume_link(tree, 1);
        place = 0;
    } else {
        tree->nodes[node].children[0] = *tact_volume_at(tree, place);
        tree->nodes[node].children[1] = *thing;
        tact_volume_link(tree, 2 * node);
        tact_volume_link(tree, 2 * node + 1);
    }
    *tact_volume_at(tree, place) = tact_volume_over(tree, node);
    tact_volume_link(tree, place);
    tact_volume_fit_upwards(tree, above);
}

// ---- Height ----

/// Lists ids and nodes of a subtree. Returns how many ids.
static uint32_t list_subtree(tact_volume_tree* tree, uint32_t top, uint32_t* ids, uint32_t* nodes)
{
    uint32_t stack[TACT_VOLUME_STACK + 1], depth = 0, id_count = 0, node_count = 0;
    stack[depth++] = top;
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        nodes[node_count++] = node;
        // The left side's boxes are listed before the right side's, so that neighbours stay neighbours.
        for (int side = 1; side >= 0; --side) {
            const tact_bvh_child* child = &tree->nodes[node].children[side];
            TACT_ASSERT(depth < TACT_VOLUME_STACK + 1);
            if (!tact_volume_is_leaf(child)) stack[depth++] = child->child;
        }
        for (int side = 0; side < 2; ++side) {
            const tact_bvh_child* child = &tree->nodes[node].children[side];
            if (tact_volume_is_leaf(child)) ids[id_count++] = tact_volume_id(child);
        }
    }
    TACT_ASSERT(node_count + 1 == id_count);
    return id_count;
}

static uint32_t log2_ceil(uint32_t n)
{
    uint32_t bits = 0;
    while (((uint64_t)1 << bits) < n)
        ++bits;
    return bits;
}

/// Halves the lowest subtree above a node that is more than twice as high as one of its size must be, if the tree has
/// become too high. There is one then: 2^30 boxes need 30 nodes.
static void keep_height(tact_volume_tree* tree, uint32_t node)
{
    if (tact_volume_over(tree, 0).count <= TACT_VOLUME_TREE_HEIGHT) return;
    uint32_t *const ids = tree->order, *const nodes = tree->order + tree->id_end;
    for (;;) {
        const uint32_t height = tact_volume_over(tree, node).count;
        const uint32_t count = list_subtree(tree, node, ids, nodes);
        if (height > 2 * log2_ceil(count)) {
            tact_volume_halve(tree, ids, count, nodes);
            tact_volume_fit_upwards(tree, node);
            TACT_ASSERT(tact_volume_over(tree, 0).count <= TACT_VOLUME_TREE_HEIGHT);
            return;
        }
        TACT_ASSERT(node != 0);
        node = tree->parents[node] >> 1;
    }
}

// ---- One box ----

/// Hangs a box that is in no place into the tree. There must be a node for it.
static void hang(tact_volume_tree* tree, uint32_t id)
{
    const tact_bvh_child leaf = tact_volume_leaf(&tree->boxes[id], id);
    tact_bvh_child* const root = tree->nodes[0].children;
    ++tree->version;
    if (tree->count < 2) {
        const uint32_t side = root[0].child != TACT_VOLUME_ABSENT;
        root[side] = leaf;
        tact_volume_link(tree, side);
    } else {
        const choice best = choose(tree, &leaf, (choice){ABOVE_ROOT, HUGE_VAL}, INSERT_STEPS);
        const uint32_t node = take_node(tree);
        put_beside(tree, best.place, node, &leaf);
        keep_height(tree, tree->places[id] >> 1);
    }
    ++tree->count;
}

/// Takes what is at a place out. The place's node is freed, if it is not the root, and what was beside takes its place.
static void unhang(tact_volume_tree* tree, uint32_t place)
{
    const uint32_t node = place >> 1;
    const tact_bvh_child beside = *tact_volume_at(tree, place ^ 1);
    ++tree->version;
    if (node != 0) {
        const uint32_t up = tree->parents[node];
        *tact_volume_at(tree, up) = beside;
        tact_volume_link(tree, up);
        free_node(tree, node);
        tact_volume_fit_upwards(tree, up >> 1);
    } else if (tact_volume_is_leaf(&beside)) {
        *tact_volume_at(tree, place) = tact_volume_no_child();
    } else {
        tree->nodes[0] = tree->nodes[beside.child];
        tact_volume_link(tree, 0);
        tact_volume_link(tree, 1);
        free_node(tree, beside.child);
    }
}

/// Room for one more box. False when out of memory.
static bool reserve_one(tact_volume_tree* tree)
{
    const size_t ids = (size_t)tree->id_end + 1, used = tree->id_end;
    void *nodes = tree->nodes, *parents = tree->parents, *places = tree->places, *boxes = tree->boxes,
         *order = tree->order;
    bool good = true;
    if (tree->free_node == TACT_VOLUME_ABSENT) {
        const size_t more = (size_t)tree->node_end + 1;
        good = tact_reserve(&tree->env, &nodes, &tree->node_capacity, tree->node_end, more, sizeof *tree->nodes);
        tree->nodes = nodes;
        good = good &&
               tact_reserve(&tree->env, &parents, &tree->parent_capacity, tree->node_end, more, sizeof *tree->parents);
        tree->parents = parents;
    }
    if (!good || tree->free_id != TACT_VOLUME_ABSENT) return good;
    good = tact_reserve(&tree->env, &places, &tree->place_capacity, used, ids, sizeof *tree->places);
    tree->places = places;
    good = good && tact_reserve(&tree->env, &boxes, &tree->box_capacity, used, ids, sizeof *tree->boxes);
    tree->boxes = boxes;
    good = good && tact_reserve(&tree->env, &order, &tree->order_capacity, 0, 2 * ids, sizeof *tree->order);
    tree->order = order;
    return good;
}

tact_result tact_volume_tree_insert(tact_volume_tree* tree, tact_aabb box, uint32_t* id)
{
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    if (!id) return tact_null(NULL, "id");
    *id = TACT_VOLUME_TREE_NONE;
    const tact_result result = tact_volume_check_new(&box, tree->count);
    if (result < 0) return result;
    if (!reserve_one(tree)) return TACT_ERROR_OUT_OF_MEMORY;
    uint32_t at = tree->free_id;
    if (at == TACT_VOLUME_ABSENT) {
        at = tree->id_end++;
    } else {
        const uint32_t next = tree->places[at];
        tree->free_id = next == TACT_VOLUME_ABSENT ? next : next & ~TACT_VOLUME_BIT;
    }
    tree->boxes[at] = box;
    hang(tree, at);
    *id = at;
    return TACT_OK;
}

static tact_result check_id(const tact_volume_tree* tree, uint32_t id)
{
    if (!tree) return tact_null(NULL, "tree");
    if (!tact_volume_has(tree, id))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no box has the id %u", (unsigned)id);
    return TACT_OK;
}

tact_result tact_volume_tree_remove(tact_volume_tree* tree, uint32_t id)
{
    tact_error_begin(NULL);
    const tact_result result = check_id(tree, id);
    if (result != TACT_OK) return result;
    unhang(tree, tree->places[id]);
    --tree->count;
    tree->places[id] = tree->free_id == TACT_VOLUME_ABSENT ? TACT_VOLUME_ABSENT : tree->free_id | TACT_VOLUME_BIT;
    tree->free_id = id;
    return TACT_OK;
}

tact_result tact_volume_tree_move(tact_volume_tree* tree, uint32_t id, tact_aabb box)
{
    tact_error_begin(NULL);
    const tact_result result = check_id(tree, id);
    if (result != TACT_OK) return result;
    if (!tact_volume_is_box(&box))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the box is empty, infinite or has a NaN");
    const uint32_t place = tree->places[id];
    const bool meets = tact_aabb_overlaps_aabb(box, tree->boxes[id]);
    tree->boxes[id] = box;
    if (meets) {
        *tact_volume_at(tree, place) = tact_volume_leaf(&box, id);
        tact_volume_fit_upwards(tree, place >> 1);
    } else {
        unhang(tree, place);
        --tree->count;
        hang(tree, id);
    }
    return TACT_OK;
}

// ---- Improving ----

/// What it costs to have a thing beside what is at a place.
static double cost_at(const tact_volume_tree* tree, uint32_t place, const tact_bvh_child* thing)
{
    double cost = joint_area(tact_volume_at(tree, place), thing);
    uint32_t node = place >> 1;
    while (node != 0) {
        const uint32_t up = tree->parents[node];
        cost += growth(tact_volume_at(tree, up), thing);
        node = up >> 1;
    }
    const tact_bvh_child root = tact_volume_over(tree, 0);
    return cost + growth(&root, thing);
}

/// The height of the tree's way past a place, with a thing beside what is there.
static uint32_t height_with(const tact_volume_tree* tree, uint32_t place, const tact_bvh_child* thing)
{
    const bool above = place == ABOVE_ROOT;
    uint32_t height = above ? tact_volume_over(tree, 0).count : tact_volume_at(tree, place)->count;
    if (thing->count > height) height = thing->count;
    for (uint32_t node = above ? 0 : place >> 1; node != 0; node = tree->parents[node] >> 1)
        ++height;
    return height + (above ? 1 : 2);
}

/// Takes out what is at a place and puts it where it costs least, unless the tree becomes too high.
static void reinsert(tact_volume_tree* tree, uint32_t place)
{
    const uint32_t node = place >> 1, up = tree->parents[node];
    const tact_bvh_child thing = *tact_volume_at(tree, place);
    unhang(tree, place);
    // What was beside is at `up` now.
    const choice was = {up, cost_at(tree, up, &thing)};
    const choice best = choose(tree, &thing, was, OPTIMISE_STEPS);
    const uint32_t taken = take_node(tree);
    TACT_ASSERT(taken == node);
    const bool fits = height_with(tree, best.place, &thing) <= TACT_VOLUME_TREE_HEIGHT;
    put_beside(tree, fits ? best.place : was.place, taken, &thing);
}

double tact_volume_tree_optimise(tact_volume_tree* tree, uint32_t passes)
{
    if (!tree) return 0.0;
    double cost = tact_volume_cost(tree);
    for (uint32_t pass = 0; pass < passes; ++pass) {
        for (uint32_t node = 1; node < tree->node_end; ++node) {
            for (uint32_t side = 0; side < 2; ++side)
                if (!(tree->parents[node] & TACT_VOLUME_BIT)) reinsert(tree, 2 * node + side);
        }
        const double now = tact_volume_cost(tree);
        const bool little = !(now < 0.99 * cost);
        cost = now;
        if (little) break;
    }
    return cost;
}
