// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/trace/build_internal.h"

// Makes a binary tree better by taking subtrees out and putting them where they add less surface (Meister, Bittner,
// "Parallel reinsertion for bounding volume hierarchy optimization", 2018). Rounds: a share of the nodes look for a
// better place, all threads at once and nobody moving; then they move one after the other, the greatest gain
// first, unless one that moved before touched the same nodes. The order is by numbers alone, so threads do not show.

enum {
    ROUNDS = 16,
    SHARE = 8,  ///< one node in so many looks for a better place in each round; others in the next
    GRAIN = 256,
    MOST_VISITS = 512,  ///< of one node: boxes that all overlap would have it look everywhere
    STACK = 256
};

typedef struct move {
    float gain;
    uint32_t to;
} move;

typedef struct reinsertion {
    const tact_builder* b;
    uint32_t* parents;  ///< by pair: the node above it
    uint32_t* pairs;    ///< those in use
    size_t pair_count;
    uint32_t* order;  ///< nodes that look for a place
    uint32_t *keys, *by_gain;
    move* moves;
    unsigned char* touched;
    size_t candidates;
} reinsertion;

static bool is_leaf(const tact_build_node* n)
{
    return (n->count & (uint32_t)TACT_BUILD_LEAF_BIT) != 0;
}

static float area_of(const reinsertion* r, uint32_t node)
{
    const tact_build_node* n = &r->b->nodes[node];
    return tact_build_area(n->lower, n->negated, r->b->unit);
}

static float joint_area(const reinsertion* r, const tact_build_node* x, const tact_build_node* y)
{
    float lower[3], negated[3];
    for (int k = 0; k < 3; ++k) {
        lower[k] = x->lower[k] < y->lower[k] ? x->lower[k] : y->lower[k];
        negated[k] = x->negated[k] < y->negated[k] ? x->negated[k] : y->negated[k];
    }
    return tact_build_area(lower, negated, r->b->unit);
}

static void grow(tact_build_node* n, const tact_build_node* by)
{
    for (int k = 0; k < 3; ++k) {
        n->lower[k] = by->lower[k] < n->lower[k] ? by->lower[k] : n->lower[k];
        n->negated[k] = by->negated[k] < n->negated[k] ? by->negated[k] : n->negated[k];
    }
}

typedef struct place {
    float gain;  ///< surface saved by taking the node out, less what grows on the way here
    uint32_t node;
} place;

/// Looks for the best place under `start`. Where the stack is full what is left out is only not looked at.
static void search_under(const reinsertion* r, uint32_t node, float area, place start, move* best, int* visits)
{
    TACT_ASSERT(node >= 2 && start.node != node);
    const tact_build_node* n = &r->b->nodes[node];
    place stack[STACK];
    int top = 0;
    stack[top++] = start;
    while (top > 0 && *visits < MOST_VISITS) {
        ++*visits;
        const place p = stack[--top];
        if (!(p.gain - area > best->gain)) continue;
        const tact_build_node* at = &r->b->nodes[p.node];
        const float gain = p.gain - joint_area(r, at, n);
        if (gain > best->gain) *best = (move){gain, p.node};
        if (is_leaf(at) || top + 2 > STACK) continue;
        const float under = gain + area_of(r, p.node);
        stack[top++] = (place){under, at->first};
        stack[top++] = (place){under, at->first + 1};
    }
}

/// Goes up from a node, looking under each sibling on the way.
static move search(const reinsertion* r, uint32_t node)
{
    TACT_ASSERT(node >= 2 && r->b->nodes[r->parents[node / 2]].first == (node & ~1u));
    move best = {0.0f, node};
    const uint32_t parent = r->parents[node / 2];
    const float area = area_of(r, node);
    float gain = area_of(r, parent);
    tact_build_node rest = r->b->nodes[node ^ 1];  // what the node above would contain without it
    uint32_t sibling = node ^ 1, pivot = parent;
    int visits = 0;
    for (;;) {
        search_under(r, node, area, (place){gain, sibling}, &best, &visits);
        if (pivot != parent) {
            grow(&rest, &r->b->nodes[sibling]);
            gain += area_of(r, pivot) - tact_build_area(rest.lower, rest.negated, r->b->unit);
        }
        if (pivot == 0 || visits >= MOST_VISITS) break;
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
    for (size_t i = begin; i < end; ++i) {
        r->moves[i] = search(r, r->order[i]);
    }
}

static void set_parents(const reinsertion* r, uint32_t node)
{
    TACT_ASSERT(r->b->nodes[node].first % 2 == 0 || is_leaf(&r->b->nodes[node]));
    if (!is_leaf(&r->b->nodes[node])) r->parents[r->b->nodes[node].first / 2] = node;
}

/// Boxes and counts from a node up.
static void fit_up(const reinsertion* r, uint32_t node)
{
    for (;;) {
        tact_build_node* n = &r->b->nodes[node];
        TACT_ASSERT(!is_leaf(n));
        const tact_build_node *x = &r->b->nodes[n->first], *y = x + 1;
        memcpy(n->lower, x->lower, sizeof n->lower);
        memcpy(n->negated, x->negated, sizeof n->negated);
        grow(n, y);
        n->count = (x->count + y->count) & ~(uint32_t)TACT_BUILD_LEAF_BIT;
        if (node == 0) break;
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
    fit_up(r, to);
    // A leaf that has come up needs no fitting, but what is above it does.
    if (!is_leaf(&r->b->nodes[parent])) {
        fit_up(r, parent);
    } else if (parent != 0) {
        fit_up(r, r->parents[parent / 2]);
    }
}

static bool take(const reinsertion* r, uint32_t node, uint32_t to)
{
    TACT_ASSERT(node < 2 * r->b->count + 2 && to < 2 * r->b->count + 2);
    const uint32_t parent = r->parents[node / 2], above = to ? r->parents[to / 2] : 0;
    const uint32_t all[] = {node, node ^ 1, parent, to, above};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (r->touched[all[i]]) return false;
    }
    // Others may have moved: what was elsewhere may lie under the node by now.
    if (is_under(r, to, node) || to == (node ^ 1) || to == parent) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        r->touched[all[i]] = 1;
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
    for (size_t i = round % SHARE; i < count; i += SHARE)
        r->order[r->candidates++] = 2 * r->pairs[i / 2] + (uint32_t)(i & 1);
    TACT_ASSERT(r->candidates <= r->b->count + 1);
    tact_parallel_for(r->b->threads, r->candidates, GRAIN, search_piece, r);
    for (size_t i = 0; i < r->candidates; ++i) {
        r->keys[i] = descending(r->moves[i].gain);
        r->by_gain[i] = (uint32_t)i;
    }
    if (!sort(r, r->by_gain, r->candidates)) return false;
    memset(r->touched, 0, 2 * r->b->count + 2);
    for (size_t i = 0; i < r->candidates; ++i) {
        const uint32_t of = r->by_gain[i], node = r->order[of], to = r->moves[of].to;
        if (!(r->moves[of].gain > 0.0f)) break;
        if (!take(r, node, to)) continue;
        reinsert(r, node, to);
    }
    return true;
}

/// Lists the pairs in use level by level, and the nodes above them. Returns the number of levels.
static uint32_t list_pairs(reinsertion* r)
{
    uint32_t levels = 1;
    r->pair_count = 0;
    const tact_build_node* nodes = r->b->nodes;
    if (is_leaf(&nodes[0])) return levels;
    r->pairs[r->pair_count++] = nodes[0].first / 2;
    r->parents[nodes[0].first / 2] = 0;
    for (size_t begin = 0, end = 1; begin < end; begin = end, end = r->pair_count) {
        ++levels;
        for (size_t i = begin; i < end; ++i) {
            for (uint32_t node = 2 * r->pairs[i]; node <= 2 * r->pairs[i] + 1; ++node) {
                if (is_leaf(&nodes[node])) continue;
                r->parents[nodes[node].first / 2] = node;
                r->pairs[r->pair_count++] = nodes[node].first / 2;
                TACT_ASSERT(r->pair_count <= r->b->count);
            }
        }
    }
    TACT_ASSERT(r->pair_count < r->b->count);
    return levels;
}

/// The tree is no deeper than TACT_BUILD_MAX_DEPTH.
static void plan_again(const tact_builder* b, uint32_t node, tact_build_costs* costs)
{
    const tact_build_node* n = &b->nodes[node];
    if (is_leaf(n)) {
        tact_build_plan_leaf(b, node, costs);
        return;
    }
    tact_build_costs left, right;
    plan_again(b, n->first, &left);
    plan_again(b, n->first + 1, &right);
    tact_build_plan(b, node, &left, &right, costs);
}

static bool improve(reinsertion* r, bool* too_deep)
{
    (void)list_pairs(r);
    for (size_t round = 0; round < ROUNDS; ++round) {
        if (!round_of_moves(r, round)) return false;
        TACT_ASSERT((r->b->nodes[0].count & ~(uint32_t)TACT_BUILD_LEAF_BIT) == r->b->count);
    }
    *too_deep = list_pairs(r) > TACT_BUILD_MAX_DEPTH;
    if (!*too_deep) {
        tact_build_costs costs;
        plan_again(r->b, 0, &costs);
    }
    return true;
}

bool tact_build_reinsert(const tact_builder* b, bool* too_deep)
{
    TACT_ASSERT(b->nodes && b->plans);
    *too_deep = false;
    reinsertion r = {.b = b};
    const size_t most = b->count + 1;
    r.parents = tact_allocate(b->env, most, sizeof *r.parents);
    r.pairs = tact_allocate(b->env, most, sizeof *r.pairs);
    r.keys = tact_allocate(b->env, most, sizeof *r.keys);
    r.order = tact_allocate(b->env, most, sizeof *r.order);
    r.by_gain = tact_allocate(b->env, most, sizeof *r.by_gain);
    r.moves = tact_allocate(b->env, most, sizeof *r.moves);
    r.touched = tact_allocate(b->env, 2 * most, 1);
    const bool good =
        r.parents && r.pairs && r.keys && r.order && r.by_gain && r.moves && r.touched && improve(&r, too_deep);
    tact_release(b->env, r.parents);
    tact_release(b->env, r.pairs);
    tact_release(b->env, r.keys);
    tact_release(b->env, r.order);
    tact_release(b->env, r.by_gain);
    tact_release(b->env, r.moves);
    tact_release(b->env, r.touched);
    return good;
}
