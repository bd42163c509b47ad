// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/trace/build_internal.h"

// Makes a binary tree better by taking subtrees out and putting them where they add less surface (Meister, Bittner,
// "Parallel reinsertion for bounding volume hierarchy optimization", 2018). Rounds: a share of the nodes look for a
// better place, all threads at once and no node moving; then they move one after the other, the greatest gain first,
// unless one that moved before touched the same nodes. The order is by numbers alone, so threads do not show. After
// each node has looked once, only those look again beside which something has moved.

enum {
    SHARE = 8,  ///< one node in so many looks for a better place in each round; others in the next
    ROUNDS = 3 * SHARE,
    GRAIN = 256,
    MOST_VISITS = 512,  ///< of one node: boxes that all overlap would have it look everywhere
    MOST_STILL = 8,     ///< so many nodes further up than the last one that would be smaller without it
    STACK = 256,
    BRANCH_DEPTH = 11  ///< subtrees that begin there are planned by one thread each
};

typedef struct move {
    float gain;
    uint32_t to;
} move;

/// A subtree that is planned by one thread.
typedef struct branch {
    uint32_t node, depth;
    bool too_deep;
    tact_build_costs costs;
} branch;

typedef struct reinsertion {
    const tact_builder* b;
    uint32_t* parents;  ///< by pair: the node above it
    uint32_t* pairs;    ///< those in use
    size_t pair_count;
    uint32_t* order;  ///< nodes that look for a place
    uint32_t *keys, *by_gain;
    move* moves;
    unsigned char* touched;  ///< the last round, counted from 1, in which a node was part of a move
    unsigned char* due;      ///< whether a node is to look for a place
    branch* branches;
    size_t candidates, branch_count;
} reinsertion;

static bool is_leaf(const tact_build_node* n)
{
    return (n->count & (uint32_t)TACT_BUILD_LEAF_BIT) != 0;
}

/// Two rows, of which the fourth means nothing.
typedef struct box {
    f4 lower, negated;
} box;

LANES_FN box box_of(const reinsertion* r, uint32_t node)
{
    const float* rows = (const float*)(const void*)&r->b->nodes[node];
    return (box){f4_load(rows), f4_load(rows + 4)};
}

LANES_FN box join(box a, box b)
{
    return (box){f4_min(a.lower, b.lower), f4_min(a.negated, b.negated)};
}

/// As tact_build_area().
LANES_FN float area_of(const reinsertion* r, box a)
{
    float width[4];
    f4_store(width, f4_mul(f4_three(f4_add(a.lower, a.negated)), f4_set(-r->b->unit)));
    return width[0] * (width[1] + width[2]) + width[1] * width[2];
}

typedef struct place {
    float gain;  ///< surface saved by taking the node out, less what grows on the way here
    uint32_t node;
} place;

/// Looks for the best place under `start`. Where the stack is full what is left out is only not looked at.
static void search_under(const reinsertion* r, box n, float area, place start, move* best, int* visits)
{
    place stack[STACK];
    int top = 0;
    stack[top++] = start;
    while (top > 0 && *visits < MOST_VISITS) {
        ++*visits;
        const place p = stack[--top];
        if (!(p.gain - area > best->gain)) continue;
        const box at = box_of(r, p.node);
        const float gain = p.gain - area_of(r, join(at, n));
        if (gain > best->gain) *best = (move){gain, p.node};
        const tact_build_node* node = &r->b->nodes[p.node];
        if (is_leaf(node) || top + 2 > STACK) continue;
        const float under = gain + area_of(r, at);
        if (!(under - area > best->gain)) continue;
        stack[top++] = (place){under, node->first};
        stack[top++] = (place){under, node->first + 1};
    }
}

/// Goes up from a node, looking under each sibling on the way.
static move search(const reinsertion* r, uint32_t node)
{
    TACT_ASSERT(node >= 2 && r->b->nodes[r->parents[node / 2]].first == (node & ~1u));
    move best = {0.0f, node};
    const uint32_t parent = r->parents[node / 2];
    const box n = box_of(r, node);
    const float area = area_of(r, n);
    float gain = area_of(r, box_of(r, parent));
    box rest = box_of(r, node ^ 1);  // what the node above would contain without it
    uint32_t sibling = node ^ 1, pivot = parent;
    int visits = 0, still = 0;
    for (;;) {
        search_under(r, n, area, (place){gain, sibling}, &best, &visits);
        if (still > 0) {
            ++still;
        } else if (pivot != parent) {
            rest = join(rest, box_of(r, sibling));
            const float less = area_of(r, box_of(r, pivot)) - area_of(r, rest);
            gain += less;
            still = !(less > 0.0f);  // and so it is further up
        }
        if (pivot == 0 || visits >= MOST_VISITS || still >= MOST_STILL) break;
        sibling = pivot ^ 1;
        pivot = r->parents[pivot / 2];
    }
    if (best.to == (node ^ 1) || best.to == parent) best = (move){0.0f, node};
    return best;
}

static void search_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const reinsertion* r = user;
    for (size_t i = begin; i < end; ++i)
        r->moves[i] = search(r, r->order[i]);
}

static void set_parents(const reinsertion* r, uint32_t node)
{
    TACT_ASSERT(r->b->nodes[node].first % 2 == 0 || is_leaf(&r->b->nodes[node]));
    if (!is_leaf(&r->b->nodes[node])) r->parents[r->b->nodes[node].first / 2] = node;
}

/// Boxes from a node up, as far as they change. Counts are made again at last.
static void fit_up(const reinsertion* r, uint32_t node)
{
    for (;;) {
        tact_build_node* n = &r->b->nodes[node];
        TACT_ASSERT(!is_leaf(n));
        const float before[] = {n->lower[0], n->lower[1], n->lower[2], n->negated[0], n->negated[1], n->negated[2]};
        tact_build_join(r->b, node);
        const bool same =
            memcmp(before, n->lower, sizeof n->lower) == 0 && memcmp(before + 3, n->negated, sizeof n->negated) == 0;
        if (same || node == 0) break;
        node = r->parents[node / 2];
    }
}

static bool is_under(const reinsertion* r, uint32_t node, uint32_t above)
{
    while (node != 0 && node != above)
        node = r->parents[node / 2];
    return node == above;
}

/// The sibling takes the parent's place, and the pair so freed goes where the node goes.
static void reinsert(const reinsertion* r, uint32_t node, uint32_t to)
{
    TACT_ASSERT(node >= 2 && to != node && to != (node ^ 1));
    TACT_ASSERT(r->parents[node / 2] != to && !is_under(r, to, node));
    const uint32_t sibling = node ^ 1, parent = r->parents[node / 2];
    const tact_build_node beside = r->b->nodes[sibling];
    r->b->nodes[sibling] = r->b->nodes[to];
    r->b->nodes[to].first = node & ~1u;
    r->b->nodes[to].count = 0;
    r->b->nodes[parent] = beside;
    set_parents(r, sibling);
    set_parents(r, parent);
    r->parents[node / 2] = to;
    // What is above both is fitted twice, unless the first time changes nothing there.
    if (parent != 0) fit_up(r, r->parents[parent / 2]);
    fit_up(r, to);
}

/// A node and the one beside it are due again, what is in either, and what is above and beside that.
static void look_again(const reinsertion* r, uint32_t node)
{
    // The root has none beside it.
    for (uint32_t k = 0; k <= (node > 0); ++k) {
        const tact_build_node* n = &r->b->nodes[node ^ k];
        r->due[node ^ k] = 1;
        TACT_ASSERT(is_leaf(n) || n->first + 1 < 2 * r->b->count + 2);
        if (!is_leaf(n)) r->due[n->first] = r->due[n->first + 1] = 1;
    }
    if (node == 0) return;
    const uint32_t above = r->parents[node / 2];
    r->due[above] = r->due[above ^ 1] = 1;
}

static bool take(const reinsertion* r, uint32_t node, uint32_t to, unsigned char round)
{
    TACT_ASSERT(node < 2 * r->b->count + 2 && to < 2 * r->b->count + 2);
    const uint32_t parent = r->parents[node / 2], above = to ? r->parents[to / 2] : 0;
    const uint32_t all[] = {node, node ^ 1, parent, to, above};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (r->touched[all[i]] == round) return false;
    }
    // Others may have moved: what was elsewhere may lie under the node by now.
    if ((!is_leaf(&r->b->nodes[node]) && is_under(r, to, node)) || to == (node ^ 1) || to == parent) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        r->touched[all[i]] = round;
    return true;
}

/// The bits of a number that is not negative, so that greater numbers come first.
static uint32_t descending(float x)
{
    TACT_ASSERT(x >= 0.0f);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return ~bits;
}

static bool sort(const reinsertion* r, uint32_t* values, size_t count)
{
    TACT_ASSERT(count <= r->b->count + 1);
    const tact_sort_cpu_job job = {.keys_in = r->keys,
                                   .keys_out = r->keys,
                                   .values_in = values,
                                   .values_out = values,
                                   .count = count,
                                   .key_words = 1,
                                   .key_bits = 32};
    return tact_sort_cpu(r->b->env, r->b->threads, &job) == TACT_OK;
}

/// False when out of memory.
static bool round_of_moves(reinsertion* r, size_t round)
{
    const size_t count = 2 * r->pair_count;
    r->candidates = 0;
    for (size_t i = round % SHARE; i < count; i += SHARE) {
        const uint32_t node = 2 * r->pairs[i / 2] + (uint32_t)(i & 1);
        if (!r->due[node]) continue;
        r->due[node] = 0;
        r->order[r->candidates++] = node;
    }
    tact_parallel_for(r->b->threads, r->candidates, GRAIN, search_piece, r);
    size_t found = 0;
    for (size_t i = 0; i < r->candidates; ++i) {
        if (!(r->moves[i].gain > 0.0f)) continue;
        r->keys[found] = descending(r->moves[i].gain);
        r->by_gain[found++] = (uint32_t)i;
    }
    if (!sort(r, r->by_gain, found)) return false;
    for (size_t i = 0; i < found; ++i) {
        const uint32_t of = r->by_gain[i], node = r->order[of], to = r->moves[of].to;
        const uint32_t parent = r->parents[node / 2];
        if (!take(r, node, to, (unsigned char)(round + 1))) {
            r->due[node] = 1;
            continue;
        }
        reinsert(r, node, to);
        look_again(r, node);
        look_again(r, parent);
        look_again(r, to);
    }
    return true;
}

/// Lists the pairs in use, and the nodes above them, in the order in which they lie in memory.
static void list_pairs(reinsertion* r)
{
    const tact_build_node* nodes = r->b->nodes;
    uint32_t stack[STACK];
    int top = 0;
    r->pair_count = 0;
    stack[top++] = 0;
    while (top > 0) {
        const uint32_t node = stack[--top];
        if (is_leaf(&nodes[node])) continue;
        const uint32_t first = nodes[node].first;
        TACT_ASSERT(top + 2 <= STACK && r->pair_count < r->b->count);
        r->parents[first / 2] = node;
        r->pairs[r->pair_count++] = first / 2;
        stack[top++] = first + 1;
        stack[top++] = first;
    }
}

static void plan_inner(const tact_builder* b, uint32_t node, const tact_build_costs* left,
                       const tact_build_costs* right, tact_build_costs* costs)
{
    tact_build_node* n = &b->nodes[node];
    n->count = (b->nodes[n->first].count + b->nodes[n->first + 1].count) & ~(uint32_t)TACT_BUILD_LEAF_BIT;
    tact_build_plan(b, node, left, right, costs);
}

/// Counts and plans of a subtree. False when it is too deep.
static bool plan_again(const tact_builder* b, uint32_t node, uint32_t depth, tact_build_costs* costs)
{
    const tact_build_node* n = &b->nodes[node];
    if (depth > TACT_BUILD_MAX_DEPTH) return false;
    if (is_leaf(n)) {
        tact_build_plan_leaf(b, node, costs);
        return true;
    }
    tact_build_costs left, right;
    if (!plan_again(b, n->first, depth + 1, &left) || !plan_again(b, n->first + 1, depth + 1, &right)) return false;
    plan_inner(b, node, &left, &right, costs);
    return true;
}

static void plan_branches(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const reinsertion* r = user;
    for (size_t i = begin; i < end; ++i) {
        branch* of = &r->branches[i];
        of->too_deep = !plan_again(r->b, of->node, of->depth, &of->costs);
    }
}

/// Lists what one thread plans each, from left to right.
static void list_branches(reinsertion* r, uint32_t node, uint32_t depth)
{
    const tact_build_node* n = &r->b->nodes[node];
    if (depth == BRANCH_DEPTH || is_leaf(n)) {
        TACT_ASSERT(r->branch_count < (size_t)1 << BRANCH_DEPTH);
        r->branches[r->branch_count++] = (branch){.node = node, .depth = depth};
        return;
    }
    list_branches(r, n->first, depth + 1);
    list_branches(r, n->first + 1, depth + 1);
}

/// What is above the branches, of which `next` is the first that has not been taken.
static void plan_top(const reinsertion* r, uint32_t node, size_t* next, tact_build_costs* costs)
{
    if (*next < r->branch_count && r->branches[*next].node == node) {
        *costs = r->branches[(*next)++].costs;
        return;
    }
    const uint32_t first = r->b->nodes[node].first;
    tact_build_costs left, right;
    plan_top(r, first, next, &left);
    plan_top(r, first + 1, next, &right);
    plan_inner(r->b, node, &left, &right, costs);
}

static bool improve(reinsertion* r, bool* too_deep)
{
    list_pairs(r);
    memset(r->touched, 0, 2 * r->b->count + 2);
    memset(r->due, 1, 2 * r->b->count + 2);
    for (size_t round = 0; round < ROUNDS; ++round) {
        if (!round_of_moves(r, round)) return false;
    }
    list_branches(r, 0, 1);
    tact_parallel_for(r->b->threads, r->branch_count, 1, plan_branches, r);
    for (size_t i = 0; i < r->branch_count; ++i)
        *too_deep = *too_deep || r->branches[i].too_deep;
    if (!*too_deep) {
        tact_build_costs costs;
        size_t next = 0;
        plan_top(r, 0, &next, &costs);
        TACT_ASSERT(next == r->branch_count);
        TACT_ASSERT((r->b->nodes[0].count & ~(uint32_t)TACT_BUILD_LEAF_BIT) == r->b->count);
    }
    return true;
}

/// What nodes and pairs need by the `share` of the nodes that looks for a place in a round: one block, which for large
/// trees is more than what is kept of freed memory.
static void* make_room(reinsertion* r, size_t share)
{
    const size_t pairs = SHARE / 2 * share, nodes = SHARE * share;
    TACT_ASSERT(pairs > r->b->count && nodes >= 2 * r->b->count + 2);
    const size_t each = sizeof *r->moves + 3 * sizeof(uint32_t) + SHARE / 2 * (2 * sizeof(uint32_t)) + SHARE * 2;
    void* room = tact_allocate(r->b->env, share, each);
    if (!room) return NULL;
    r->moves = room;
    r->order = (uint32_t*)(void*)(r->moves + share);
    r->keys = r->order + share;
    r->by_gain = r->keys + share;
    r->parents = r->by_gain + share;
    r->pairs = r->parents + pairs;
    r->touched = (unsigned char*)(r->pairs + pairs);
    r->due = r->touched + nodes;
    return room;
}

bool tact_build_reinsert(const tact_builder* b, bool* too_deep)
{
    TACT_ASSERT(b->nodes && b->plans);
    *too_deep = false;
    reinsertion r = {.b = b};
    void* room = make_room(&r, 2 * (b->count + 1) / SHARE + 1);
    r.branches = tact_allocate(b->env, (size_t)1 << BRANCH_DEPTH, sizeof *r.branches);
    const bool good = room && r.branches && improve(&r, too_deep);
    tact_release(b->env, room);
    tact_release(b->env, r.branches);
    return good;
}
