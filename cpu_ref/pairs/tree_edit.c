// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Building and changing the dynamic tree.

#include <float.h>

#include "base/parallel.h"
#include "cpu_ref/pairs/tree.h"

void tact_tree_init(tact_tree* tree, tact_env* env)
{
    *tree = (tact_tree){.env = env, .first_free = TACT_TREE_NONE, .root = TACT_TREE_NONE};
}

void tact_tree_release(tact_tree* tree)
{
    tact_release(tree->env, tree->nodes);
    tact_release(tree->env, tree->leaf_of);
    tact_tree_init(tree, tree->env);
}

tact_result tact_tree_reserve_ids(tact_tree* tree, uint32_t end)
{
    void* leaf_of = tree->leaf_of;
    if (!tact_reserve(tree->env, &leaf_of, &tree->leaf_capacity, tree->id_end, end, sizeof *tree->leaf_of)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->leaf_of = leaf_of;
    for (; tree->id_end < end; ++tree->id_end)
        tree->leaf_of[tree->id_end] = TACT_TREE_NONE;
    TACT_ASSERT(tree->id_end >= end && tree->id_end <= tree->leaf_capacity);
    return TACT_OK;
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

static tact_aabb join(const tact_aabb* a, const tact_aabb* b)
{
    return (tact_aabb){{least(a->lower.x, b->lower.x), least(a->lower.y, b->lower.y), least(a->lower.z, b->lower.z)},
                       {most(a->upper.x, b->upper.x), most(a->upper.y, b->upper.y), most(a->upper.z, b->upper.z)}};
}

static double width(float lower, float upper)
{
    return (double)most(least(upper, FLT_MAX), -FLT_MAX) - (double)most(least(lower, FLT_MAX), -FLT_MAX);
}

/// Half the surface; finite for infinite boxes too.
static double area(const tact_aabb* b)
{
    const double x = width(b->lower.x, b->upper.x), y = width(b->lower.y, b->upper.y),
                 z = width(b->lower.z, b->upper.z);
    return x * y + y * z + z * x;
}

static double joint_area(const tact_aabb* a, const tact_aabb* b)
{
    const tact_aabb both = join(a, b);
    return area(&both);
}

static bool same_box(const tact_aabb* a, const tact_aabb* b)
{
    return a->lower.x == b->lower.x && a->lower.y == b->lower.y && a->lower.z == b->lower.z &&
           a->upper.x == b->upper.x && a->upper.y == b->upper.y && a->upper.z == b->upper.z;
}

static tact_tree_node* node_at(const tact_tree* tree, uint32_t index)
{
    TACT_ASSERT(index < tree->node_end);
    return &tree->nodes[index];
}

static uint32_t other_child(const tact_tree_node* parent, uint32_t child)
{
    TACT_ASSERT(parent->child[0] == child || parent->child[1] == child);
    return parent->child[parent->child[0] == child];
}

/// A node's box and height from its children. Returns whether they changed.
static bool refresh(tact_tree* tree, uint32_t index)
{
    tact_tree_node* n = node_at(tree, index);
    TACT_ASSERT(n->child[0] != TACT_TREE_NONE && n->child[0] != n->child[1]);
    const tact_tree_node *left = node_at(tree, n->child[0]), *right = node_at(tree, n->child[1]);
    const tact_aabb box = join(&left->box, &right->box);
    const uint32_t height = 1 + (left->height > right->height ? left->height : right->height);
    const bool changed = height != n->height || !same_box(&box, &n->box);
    n->box = box;
    n->height = height;
    return changed;
}

static void replace_child(tact_tree* tree, uint32_t parent, uint32_t old, uint32_t new)
{
    if (parent == TACT_TREE_NONE) {
        tree->root = new;
    } else {
        tact_tree_node* p = node_at(tree, parent);
        TACT_ASSERT(p->child[0] == old || p->child[1] == old);
        p->child[p->child[0] == old ? 0 : 1] = new;
    }
    node_at(tree, new)->parent = parent;
}

/// Lifts the higher child of a node whose children differ by 2 in height: it takes the node's place and keeps one of
/// its own children, the other goes to the node. Returns what is now in the node's place.
static uint32_t balance(tact_tree* tree, uint32_t index)
{
    tact_tree_node* n = node_at(tree, index);
    const uint32_t heights[2] = {node_at(tree, n->child[0])->height, node_at(tree, n->child[1])->height};
    if (heights[0] <= heights[1] + 1 && heights[1] <= heights[0] + 1) return index;
    const int side = heights[1] > heights[0];
    TACT_ASSERT(heights[side] == heights[!side] + 2);
    const uint32_t lifted = n->child[side];
    tact_tree_node *up = node_at(tree, lifted), *low = node_at(tree, n->child[!side]);
    const tact_tree_node *f = node_at(tree, up->child[0]), *g = node_at(tree, up->child[1]);
    int kept = f->height < g->height;
    // Equally high: the one stays that leaves the other nearer to what it comes to.
    if (f->height == g->height) kept = joint_area(&low->box, &f->box) < joint_area(&low->box, &g->box);
    const uint32_t given = up->child[!kept];
    replace_child(tree, n->parent, index, lifted);
    up->child[!kept] = index;
    n->parent = lifted;
    n->child[side] = given;
    node_at(tree, given)->parent = index;
    refresh(tree, index);
    refresh(tree, lifted);
    return lifted;
}

/// From a node whose child has changed up to where nothing changes any more.
static void refresh_upwards(tact_tree* tree, uint32_t index)
{
    while (index != TACT_TREE_NONE) {
        const bool changed = refresh(tree, index);
        const uint32_t now = balance(tree, index);
        if (!changed && now == index) return;
        index = node_at(tree, now)->parent;
    }
}

static uint32_t take_node(tact_tree* tree)
{
    if (tree->first_free != TACT_TREE_NONE) {
        const uint32_t index = tree->first_free;
        tree->first_free = node_at(tree, index)->parent;
        return index;
    }
    void* nodes = tree->nodes;
    if (!tact_reserve(tree->env, &nodes, &tree->node_capacity, tree->node_end, (size_t)tree->node_end + 1,
                      sizeof *tree->nodes)) {
        return TACT_TREE_NONE;
    }
    tree->nodes = nodes;
    return tree->node_end++;
}

static void free_node(tact_tree* tree, uint32_t index)
{
    TACT_ASSERT(tree->first_free != index);
    node_at(tree, index)->parent = tree->first_free;
    tree->first_free = index;
}

/// How much area it costs to have the box below this child: of a leaf, a new node over both.
static double descent_cost(const tact_tree_node* child, const tact_aabb* box)
{
    const double joined = joint_area(&child->box, box);
    return tact_tree_is_leaf(child) ? joined : joined - area(&child->box);
}

/// The node that the box should become a sibling of. Always one of height 0 or 1: a leaf beside anything higher would
/// be out of balance by more than one rotation mends.
static uint32_t choose_sibling(const tact_tree* tree, uint32_t from, const tact_aabb* box)
{
    uint32_t index = from;
    while (!tact_tree_is_leaf(node_at(tree, index))) {
        const tact_tree_node* n = node_at(tree, index);
        const double costs[2] = {descent_cost(node_at(tree, n->child[0]), box),
                                 descent_cost(node_at(tree, n->child[1]), box)};
        const int cheaper = costs[1] < costs[0];
        if (n->height == 1) {
            // Beside the two leaves, under a node over all three, or beside one of them.
            const double joined = joint_area(&n->box, box);
            if (joined <= joined - area(&n->box) + costs[cheaper]) break;
        }
        index = n->child[cheaper];
    }
    TACT_ASSERT(node_at(tree, index)->height <= 1);
    return index;
}

/// Hangs a leaf into the tree somewhere at or below `from`, with `parent` as its new parent node.
static void attach(tact_tree* tree, uint32_t leaf, uint32_t parent, uint32_t from)
{
    TACT_ASSERT(tact_tree_is_leaf(node_at(tree, leaf)) && leaf != parent);
    const uint32_t sibling = choose_sibling(tree, from, &node_at(tree, leaf)->box);
    tact_tree_node* p = node_at(tree, parent);
    // No height yet, so that it counts as changed.
    *p = (tact_tree_node){.parent = TACT_TREE_NONE, .child = {sibling, leaf}};
    replace_child(tree, node_at(tree, sibling)->parent, sibling, parent);
    node_at(tree, sibling)->parent = parent;
    node_at(tree, leaf)->parent = parent;
    refresh_upwards(tree, parent);
}

/// Takes a leaf out of a tree of more than one. Returns its parent, now unused; *near is its sibling.
static uint32_t detach(tact_tree* tree, uint32_t leaf, uint32_t* near)
{
    TACT_ASSERT(tree->leaves >= 1 && leaf != tree->root);
    const uint32_t parent = node_at(tree, leaf)->parent, above = node_at(tree, parent)->parent;
    *near = other_child(node_at(tree, parent), leaf);
    replace_child(tree, above, parent, *near);
    refresh_upwards(tree, above);
    return parent;
}

tact_result tact_tree_insert(tact_tree* tree, uint32_t id, const tact_aabb* box)
{
    TACT_ASSERT(id < tree->id_end && tree->leaf_of[id] == TACT_TREE_NONE);
    const uint32_t leaf = take_node(tree);
    if (leaf == TACT_TREE_NONE) return TACT_ERROR_OUT_OF_MEMORY;
    const uint32_t parent = tree->leaves > 0 ? take_node(tree) : TACT_TREE_NONE;
    if (tree->leaves > 0 && parent == TACT_TREE_NONE) {
        free_node(tree, leaf);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    *node_at(tree, leaf) = (tact_tree_node){.box = *box, .parent = TACT_TREE_NONE, .child = {TACT_TREE_NONE, id}};
    tree->leaf_of[id] = leaf;
    if (tree->leaves++ == 0) {
        tree->root = leaf;
    } else {
        attach(tree, leaf, parent, tree->root);
    }
    return TACT_OK;
}

void tact_tree_remove(tact_tree* tree, uint32_t id)
{
    TACT_ASSERT(id < tree->id_end && tree->leaf_of[id] != TACT_TREE_NONE && tree->leaves >= 1);
    const uint32_t leaf = tree->leaf_of[id];
    tree->leaf_of[id] = TACT_TREE_NONE;
    if (--tree->leaves == 0) {
        tree->root = TACT_TREE_NONE;
    } else {
        uint32_t near;
        free_node(tree, detach(tree, leaf, &near));
    }
    free_node(tree, leaf);
}

void tact_tree_move(tact_tree* tree, uint32_t id, const tact_aabb* box)
{
    TACT_ASSERT(id < tree->id_end && tree->leaf_of[id] != TACT_TREE_NONE);
    const uint32_t leaf = tree->leaf_of[id];
    if (tree->leaves == 1) {
        node_at(tree, leaf)->box = *box;
        return;
    }
    uint32_t near;
    const uint32_t parent = detach(tree, leaf, &near);
    node_at(tree, leaf)->box = *box;
    // It has not gone far, most of the time: the search starts at the lowest ancestor that holds it.
    while (node_at(tree, near)->parent != TACT_TREE_NONE && !tact_tree_box_holds(&node_at(tree, near)->box, box))
        near = node_at(tree, near)->parent;
    attach(tree, leaf, parent, near);
}

// Building all at once. The subtree of `count` leaves takes 2 count - 1 nodes in a row, its root first, so that
// subtrees can be built apart and a walk downwards goes forwards in memory.

enum { TASK = 2048 };  // leaves of the subtrees that threads build

typedef struct build_loop {
    tact_tree* tree;
    const uint64_t* items;
    const tact_aabb* boxes;
    uint32_t task_height;
} build_loop;

static void build_leaf(const build_loop* l, uint32_t first, uint32_t at, uint32_t parent)
{
    const uint32_t id = (uint32_t)l->items[first];
    TACT_ASSERT(id < l->tree->id_end && l->tree->leaf_of[id] == TACT_TREE_NONE);
    l->tree->nodes[at] = (tact_tree_node){.box = l->boxes[id], .parent = parent, .child = {TACT_TREE_NONE, id}};
    l->tree->leaf_of[id] = at;
}

/// Recurses as deep as the tree is high. With `tops`, subtrees of at most TASK leaves are taken to be there.
static void build_range(const build_loop* l, uint32_t first, uint32_t count, uint32_t at, uint32_t parent, bool tops)
{
    TACT_ASSERT(count >= 1 && first + count <= l->tree->leaves && at + 2 * count - 1 <= l->tree->node_end);
    tact_tree_node* n = &l->tree->nodes[at];
    if (tops && count <= TASK) {
        n->parent = parent;
        return;
    }
    if (count == 1) {
        build_leaf(l, first, at, parent);
        return;
    }
    const uint32_t half = count / 2;
    *n = (tact_tree_node){.parent = parent, .child = {at + 1, at + 2 * half}};
    build_range(l, first, half, n->child[0], at, tops);
    build_range(l, first + half, count - half, n->child[1], at, tops);
    refresh(l->tree, at);
}

/// Where the subtree number `task` of the 2^task_height is, following its bits from the root.
static void build_tasks(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const build_loop* l = user;
    for (size_t task = begin; task < end; ++task) {
        uint32_t first = 0, count = l->tree->leaves, at = 0;
        uint32_t bit = l->task_height;
        while (count > TASK) {
            const uint32_t half = count / 2;
            if (bit == 0) return;
            if (task >> --bit & 1) {
                first += half;
                at += 2 * half;
                count -= half;
            } else {
                at += 1;
                count = half;
            }
        }
        // A subtree that is complete earlier belongs to the task whose remaining bits are zero.
        if ((task & (((size_t)1 << bit) - 1)) == 0) build_range(l, first, count, at, TACT_TREE_NONE, false);
    }
}

tact_result tact_tree_build(tact_tree* tree, int threads, const uint64_t* items, uint32_t count, const tact_aabb* boxes)
{
    TACT_ASSERT(count == 0 || (items && boxes));
    void* nodes = tree->nodes;
    if (!tact_reserve(tree->env, &nodes, &tree->node_capacity, 0, 2 * (size_t)count + 1, sizeof *tree->nodes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->nodes = nodes;
    for (uint32_t i = 0; i < tree->id_end; ++i)
        tree->leaf_of[i] = TACT_TREE_NONE;
    tree->first_free = TACT_TREE_NONE;
    tree->leaves = count;
    tree->node_end = count > 0 ? 2 * count - 1 : 0;
    tree->root = count > 0 ? 0 : TACT_TREE_NONE;
    if (count == 0) return TACT_OK;
    build_loop loop = {tree, items, boxes, 0};
    // Ranges halve, rounded up at worst.
    for (uint32_t size = count; size > TASK; size -= size / 2)
        ++loop.task_height;
    tact_parallel_for(threads, (size_t)1 << loop.task_height, 1, build_tasks, &loop);
    TACT_ASSERT(loop.task_height < TACT_TREE_MOST_HEIGHT);
    build_range(&loop, 0, count, 0, TACT_TREE_NONE, true);
    return TACT_OK;
}

#if defined(TACT_ASSERTS)

static bool leaf_is_valid(const tact_tree* t, uint32_t index, const tact_aabb* boxes)
{
    const tact_tree_node* n = node_at(t, index);
    const uint32_t id = n->child[1];
    if (n->child[0] != TACT_TREE_NONE || id >= t->id_end || t->leaf_of[id] != index) return false;
    return same_box(&n->box, &boxes[id]);
}

/// Counts the leaves under a node and the nodes; false when something there is wrong.
static bool subtree_is_valid(const tact_tree* t, uint32_t index, uint32_t parent, uint32_t depth,
                             const tact_aabb* boxes, uint32_t* leaves, uint32_t* nodes)
{
    if (index >= t->node_end || depth > TACT_TREE_MOST_HEIGHT || ++*nodes > t->node_end) return false;
    const tact_tree_node* n = node_at(t, index);
    if (n->parent != parent) return false;
    if (tact_tree_is_leaf(n)) {
        ++*leaves;
        return leaf_is_valid(t, index, boxes);
    }
    for (int k = 0; k < 2; ++k) {
        if (!subtree_is_valid(t, n->child[k], index, depth + 1, boxes, leaves, nodes)) return false;
    }
    const tact_tree_node *left = node_at(t, n->child[0]), *right = node_at(t, n->child[1]);
    const uint32_t low = left->height < right->height ? left->height : right->height;
    const tact_aabb box = join(&left->box, &right->box);
    if (n->height != 1 + (left->height > right->height ? left->height : right->height)) return false;
    return n->height <= low + 2 && same_box(&box, &n->box);
}

static uint32_t count_free(const tact_tree* t)
{
    uint32_t count = 0;
    for (uint32_t at = t->first_free; at != TACT_TREE_NONE && count <= t->node_end; at = t->nodes[at].parent)
        ++count;
    return count;
}

bool tact_tree_is_valid(const tact_tree* t, const tact_aabb* boxes)
{
    if (t->node_end > TACT_VALIDATE_MOST) return true;
    uint32_t leaves = 0, nodes = 0, known = 0;
    if (t->root == TACT_TREE_NONE) return t->leaves == 0 && count_free(t) == t->node_end;
    if (!subtree_is_valid(t, t->root, TACT_TREE_NONE, 1, boxes, &leaves, &nodes)) return false;
    for (uint32_t id = 0; id < t->id_end; ++id)
        known += t->leaf_of[id] != TACT_TREE_NONE;
    return leaves == t->leaves && known == leaves && nodes == 2 * leaves - 1 && nodes + count_free(t) == t->node_end;
}

bool tact_tree_holds_all(const tact_tree* t, const tact_volume_view* of)
{
    if (of->count > TACT_VALIDATE_MOST) return true;
    for (uint32_t id = 0; id < t->id_end; ++id) {
        const bool live = id < of->count && tact_volume_is_live(&of->boxes[id]);
        if (live != (t->leaf_of[id] != TACT_TREE_NONE)) return false;
        if (live && !tact_tree_box_holds(&node_at(t, t->leaf_of[id])->box, &of->boxes[id])) return false;
    }
    return true;
}

#endif
