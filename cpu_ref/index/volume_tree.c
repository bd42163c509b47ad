// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Making trees of volumes, and what keeps all of one fitted.

#include "cpu_ref/index/volume_tree.h"

#include <string.h>

#include "cpu_ref/blocks.h"

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

tact_bvh_child tact_volume_over(const tact_volume_tree* tree, uint32_t node)
{
    TACT_ASSERT(node < tree->node_end);
    const tact_bvh_child *a = &tree->nodes[node].children[0], *b = &tree->nodes[node].children[1];
    tact_bvh_child over = {.child = node, .count = 1 + (a->count > b->count ? a->count : b->count)};
    for (int k = 0; k < 3; ++k) {
        over.lower[k] = least(a->lower[k], b->lower[k]);
        over.upper[k] = most(a->upper[k], b->upper[k]);
    }
    return over;
}

void tact_volume_fit_upwards(tact_volume_tree* tree, uint32_t node)
{
    while (node != 0) {
        const uint32_t place = tree->parents[node];
        tact_bvh_child* child = tact_volume_at(tree, place);
        const tact_bvh_child over = tact_volume_over(tree, node);
        TACT_ASSERT(child->child == node);
        if (memcmp(child, &over, sizeof over) == 0) return;
        *child = over;
        node = place >> 1;
    }
}

void tact_volume_link(tact_volume_tree* tree, uint32_t place)
{
    const tact_bvh_child* child = tact_volume_at(tree, place);
    if (child->child == TACT_VOLUME_ABSENT) return;
    if (tact_volume_is_leaf(child)) {
        tree->places[tact_volume_id(child)] = place;
    } else {
        tree->parents[child->child] = place;
    }
}

void tact_volume_halve(tact_volume_tree* tree, const uint32_t* ids, uint32_t count, const uint32_t* nodes)
{
    typedef struct part {
        uint32_t node, begin, end;
    } part;
    part stack[TACT_VOLUME_STACK];
    uint32_t depth = 0, used = 1;
    TACT_ASSERT(count >= 2);
    stack[depth++] = (part){nodes[0], 0, count};
    while (depth > 0) {
        const part p = stack[--depth];
        const uint32_t middle = p.begin + (p.end - p.begin) / 2;
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t begin = side ? middle : p.begin, end = side ? p.end : middle, place = 2 * p.node + side;
            tact_bvh_child* child = tact_volume_at(tree, place);
            if (end - begin == 1) {
                *child = tact_volume_leaf(&tree->boxes[ids[begin]], ids[begin]);
            } else {
                TACT_ASSERT(used < count - 1 && depth < TACT_VOLUME_STACK);
                child->child = nodes[used++];
                stack[depth++] = (part){child->child, begin, end};
            }
            tact_volume_link(tree, place);
        }
    }
    TACT_ASSERT(used == count - 1);
    for (uint32_t i = used; i-- > 1;)
        *tact_volume_at(tree, tree->parents[nodes[i]]) = tact_volume_over(tree, nodes[i]);
}

// ---- Making ----

/// Room for this many nodes, used or not. False when out of memory.
static bool reserve_nodes(tact_volume_tree* tree, size_t count)
{
    void *nodes = tree->nodes, *parents = tree->parents;
    bool good = tact_reserve(&tree->env, &nodes, &tree->node_capacity, tree->node_end, count, sizeof *tree->nodes);
    tree->nodes = nodes;
    good = good &&
           tact_reserve(&tree->env, &parents, &tree->parent_capacity, tree->node_end, count, sizeof *tree->parents);
    tree->parents = parents;
    return good;
}

/// A tree without boxes, or with one.
static void make_small(tact_volume_tree* tree, const uint32_t* ids)
{
    tree->node_end = 1;
    tree->nodes[0].children[0] = tree->nodes[0].children[1] = tact_volume_no_child();
    if (tree->count == 0) return;
    tree->nodes[0].children[0] = tact_volume_leaf(&tree->boxes[ids[0]], ids[0]);
    tact_volume_link(tree, 0);
}

/// Brings ids into the order of a Morton curve.
static tact_result sort_along_curve(tact_volume_tree* tree, uint32_t* ids)
{
    const size_t count = tree->count;
    float bounds[8];
    float* boxes = tact_allocate(&tree->env, count, 8 * sizeof *boxes);
    uint32_t* codes = tact_allocate(&tree->env, count, 2 * sizeof *codes);
    tact_result result = boxes && codes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        for (size_t i = 0; i < count; ++i) {
            const tact_aabb* b = &tree->boxes[ids[i]];
            const float row[8] = {b->lower.x, b->lower.y, b->lower.z, 0.0f, b->upper.x, b->upper.y, b->upper.z, 0.0f};
            memcpy(boxes + 8 * i, row, sizeof row);
        }
        tact_reduce_bounds_cpu(TACT_BOXES, boxes, count, bounds);
        tact_morton_cpu(1, TACT_BOXES, boxes, count, bounds, true, codes);
        const tact_sort_cpu_job job = {.keys_in = codes,
                                       .keys_out = codes,
                                       .values_in = ids,
                                       .values_out = ids,
                                       .count = count,
                                       .key_words = 2,
                                       .key_bits = 63};
        result = tact_sort_cpu(&tree->env, 1, &job);
    }
    tact_release(&tree->env, boxes);
    tact_release(&tree->env, codes);
    return result;
}

static tact_result make_fast(tact_volume_tree* tree, uint32_t* ids)
{
    const tact_result result = sort_along_curve(tree, ids);
    if (result != TACT_OK) return result;
    uint32_t* const nodes = tree->order + tree->count;
    tree->node_end = tree->count - 1;
    for (uint32_t i = 0; i < tree->node_end; ++i)
        nodes[i] = i;
    tact_volume_halve(tree, ids, tree->count, nodes);
    return TACT_OK;
}

static tact_result make_binned(tact_volume_tree* tree, const uint32_t* ids)
{
    tact_bvh built = {0};
    tact_bvh_box* boxes = tact_allocate(&tree->env, tree->count, sizeof *boxes);
    if (!boxes) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < tree->count; ++i) {
        const tact_aabb* b = &tree->boxes[ids[i]];
        boxes[i] = (tact_bvh_box){{b->lower.x, b->lower.y, b->lower.z}, {b->upper.x, b->upper.y, b->upper.z}};
    }
    const tact_result result = tact_bvh_build(&tree->env, 1, boxes, ids, tree->count, 1, TACT_BVH_MAX_DEPTH, &built);
    tact_release(&tree->env, boxes);
    if (result != TACT_OK) return result;
    TACT_ASSERT(built.node_count == tree->count - 1);
    tree->node_end = tree->count - 1;
    memcpy(tree->nodes, built.nodes, built.node_count * sizeof *tree->nodes);
    for (uint32_t place = 2 * tree->node_end; place-- > 0;) {
        tact_bvh_child* child = tact_volume_at(tree, place);
        if (tact_volume_is_leaf(child)) {
            const uint32_t id = built.order[tact_volume_id(child)];
            *child = tact_volume_leaf(&tree->boxes[id], id);
        } else {
            *child = tact_volume_over(tree, child->child);  // comes later in the array, so it is done
        }
        tact_volume_link(tree, place);
    }
    tact_bvh_free(&tree->env, &built);
    return TACT_OK;
}

/// The tree of the boxes that are there.
static tact_result make(tact_volume_tree* tree, tact_volume_tree_quality quality)
{
    if (!reserve_nodes(tree, tree->count > 1 ? tree->count : 1)) return TACT_ERROR_OUT_OF_MEMORY;
    uint32_t *const ids = tree->order, count = 0;
    for (uint32_t id = 0; id < tree->id_end; ++id)
        if (tact_volume_has(tree, id)) ids[count++] = id;
    TACT_ASSERT(count == tree->count);
    tact_result result = TACT_OK;
    if (count < 2) {
        make_small(tree, ids);
    } else {
        result = quality == TACT_VOLUME_TREE_FAST ? make_fast(tree, ids) : make_binned(tree, ids);
    }
    if (result != TACT_OK) return result;
    tree->parents[0] = TACT_VOLUME_ABSENT;
    tree->free_node = TACT_VOLUME_ABSENT;
    ++tree->version;
    if (quality == TACT_VOLUME_TREE_HIGH) tact_volume_tree_optimise(tree, 8);
    return TACT_OK;
}

static tact_result check_boxes(const tact_volume_tree* tree, const tact_aabb* boxes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (tree && !tact_volume_has(tree, (uint32_t)i)) continue;
        if (!tact_volume_is_box(&boxes[i]))
            return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "boxes[%zu] is empty, infinite or has a NaN", i);
    }
    return TACT_OK;
}

static tact_result fill(tact_volume_tree* tree, const tact_aabb* boxes, size_t count, tact_volume_tree_quality quality)
{
    const size_t room = count ? count : 1;
    tree->places = tact_allocate_zeroed(&tree->env, room, sizeof *tree->places);
    tree->boxes = tact_allocate(&tree->env, room, sizeof *tree->boxes);
    tree->order = tact_allocate(&tree->env, 2 * room, sizeof *tree->order);
    if (!tree->places || !tree->boxes || !tree->order) return TACT_ERROR_OUT_OF_MEMORY;
    if (count) memcpy(tree->boxes, boxes, count * sizeof *boxes);
    tree->place_capacity = tree->box_capacity = room;
    tree->order_capacity = 2 * room;
    tree->id_end = tree->count = (uint32_t)count;
    tree->free_id = TACT_VOLUME_ABSENT;
    return make(tree, quality);
}

tact_result tact_volume_tree_create(const tact_aabb* boxes, size_t count, tact_volume_tree_quality quality,
                                    const tact_allocator* allocator, tact_volume_tree** tree)
{
    tact_env env;
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    *tree = NULL;
    if (!boxes && count) return tact_null(NULL, "boxes");
    if (quality < TACT_VOLUME_TREE_MEDIUM || quality > TACT_VOLUME_TREE_HIGH)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "quality %d is none", (int)quality);
    if (count > TACT_VOLUME_TREE_LIMIT)
        return tact_fail(NULL, TACT_ERROR_LIMIT, "%zu boxes are more than a tree holds (2^30)", count);
    tact_result result = check_boxes(NULL, boxes, count);
    if (result != TACT_OK) return result;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_volume_tree* made = tact_allocate_zeroed(&env, 1, sizeof *made);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    tact_env_init(&made->env, allocator, NULL, NULL, NULL, NULL);
    result = fill(made, boxes, count, quality);
    if (result == TACT_OK) {
        *tree = made;
    } else {
        tact_volume_tree_destroy(made);
    }
    return result;
}

void tact_volume_tree_destroy(tact_volume_tree* tree)
{
    if (!tree) return;
    void* const arrays[] = {tree->nodes, tree->parents, tree->places, tree->boxes, tree->order};
    const tact_allocator allocator = tree->env.allocator;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(&tree->env, arrays[i]);
    allocator.release(tree, allocator.user);
}

tact_result tact_volume_tree_rebuild(tact_volume_tree* tree, tact_volume_tree_quality quality)
{
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    if (quality < TACT_VOLUME_TREE_MEDIUM || quality > TACT_VOLUME_TREE_HIGH)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "quality %d is none", (int)quality);
    return make(tree, quality);
}

// ---- All at once ----

/// The nodes, each before those below it, in the room for changes. Returns how many.
static uint32_t list_nodes(tact_volume_tree* tree)
{
    uint32_t* const list = tree->order;
    uint32_t count = 1;
    list[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (int side = 0; side < 2; ++side) {
            const tact_bvh_child* child = &tree->nodes[list[i]].children[side];
            if (!tact_volume_is_leaf(child)) list[count++] = child->child;
        }
    }
    return count;
}

tact_result tact_volume_tree_refit(tact_volume_tree* tree, const tact_aabb* boxes, size_t count)
{
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    if (!boxes && count) return tact_null(NULL, "boxes");
    if (count != tree->id_end)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%zu boxes for %u ids", count, (unsigned)tree->id_end);
    const tact_result result = check_boxes(tree, boxes, count);
    if (result != TACT_OK) return result;
    for (uint32_t id = 0; id < tree->id_end; ++id) {
        if (!tact_volume_has(tree, id)) continue;
        tree->boxes[id] = boxes[id];
        *tact_volume_at(tree, tree->places[id]) = tact_volume_leaf(&boxes[id], id);
    }
    for (uint32_t i = list_nodes(tree); i-- > 1;)
        *tact_volume_at(tree, tree->parents[tree->order[i]]) = tact_volume_over(tree, tree->order[i]);
    return TACT_OK;
}

double tact_volume_cost(const tact_volume_tree* tree)
{
    double sum = 0.0;
    if (tree->count == 0) return 0.0;
    for (uint32_t node = 0; node < tree->node_end; ++node) {
        if (node != 0 && (tree->parents[node] & TACT_VOLUME_BIT)) continue;
        for (int side = 0; side < 2; ++side)
            sum += tact_volume_area(tree->nodes[node].children[side].lower, tree->nodes[node].children[side].upper);
    }
    const tact_bvh_child root = tact_volume_over(tree, 0);
    const double area = tact_volume_area(root.lower, root.upper);
    return area > 0.0 ? 1.0 + sum / area : 1.0;
}

tact_volume_tree_info tact_volume_tree_get_info(const tact_volume_tree* tree)
{
    if (!tree) return (tact_volume_tree_info){0};
    const size_t bytes = sizeof *tree + tree->node_capacity * sizeof *tree->nodes +
                         tree->parent_capacity * sizeof *tree->parents + tree->place_capacity * sizeof *tree->places +
                         tree->box_capacity * sizeof *tree->boxes + tree->order_capacity * sizeof *tree->order;
    return (tact_volume_tree_info){.count = tree->count,
                                   .id_end = tree->id_end,
                                   .height = tact_volume_over(tree, 0).count,
                                   .cost = tact_volume_cost(tree),
                                   .bytes = bytes};
}

tact_aabb tact_volume_tree_box(const tact_volume_tree* tree, uint32_t id)
{
    if (!tree || !tact_volume_has(tree, id)) {
        const tact_aabb none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        return none;
    }
    return tree->boxes[id];
}
