// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs of boxes of two trees, or of one: by a rule of descent, from the roots or from where the last search ended.

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/index/volume_tree.h"

enum {
    STACK = 4 * TACT_VOLUME_STACK,  ///< two ways down, of which a step adds three pairs at most for two nodes
    LEAST_FRONT = 1024,
    PAIRS_A_BOX = 16,
};

/// In place of a place: the root as a child.
#define ROOT 0xfffffffeu

typedef struct place_pair {
    uint32_t a, b;
} place_pair;

typedef struct pair_list {
    place_pair* pairs;
    size_t count, capacity;
} pair_list;

struct tact_volume_front {
    tact_env env;
    const tact_volume_tree *a, *b;
    tact_descent rule;
    size_t limit;
    uint64_t version_a, version_b;  ///< of the trees as the front was left
    pair_list begin;                ///< of the next call
    pair_list end;                  ///< of the call under way
    size_t fresh;                   ///< how large it was when the last call from the roots ended
};

typedef struct search {
    const tact_volume_tree *a, *b;
    tact_bvh_child root_a, root_b;
    bool within;
    tact_descent rule;
    tact_volume_pair_fn* found;
    void* user;
    tact_volume_front* front;  ///< receives where the search ends; NULL: nothing does
} search;

typedef struct entry {
    uint32_t a, b;
    bool second;  ///< the turn of the second tree
} entry;

typedef struct open_pairs {
    uint32_t depth;
    entry entries[STACK];
} open_pairs;

static search search_of(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                        tact_volume_pair_fn* found, void* user)
{
    return (search){.a = a,
                    .b = b,
                    .root_a = tact_volume_over(a, 0),
                    .root_b = tact_volume_over(b, 0),
                    .within = a == b,
                    .rule = rule,
                    .found = found,
                    .user = user};
}

static const tact_bvh_child* first_at(const search* s, uint32_t place)
{
    return place == ROOT ? &s->root_a : tact_volume_at(s->a, place);
}

static const tact_bvh_child* second_at(const search* s, uint32_t place)
{
    return place == ROOT ? &s->root_b : tact_volume_at(s->b, place);
}

static bool meet(const tact_bvh_child* a, const tact_bvh_child* b)
{
    const bool x = (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]);
    const bool y = (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]);
    const bool z = (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
    return x & y & z;
}

/// The search has ended here. A front that becomes too large, or has no memory, holds nothing.
static void record(const search* s, uint32_t a, uint32_t b)
{
    tact_volume_front* f = s->front;
    if (!f || f->end.count == SIZE_MAX) return;
    void* pairs = f->end.pairs;
    const size_t count = f->end.count;
    const bool good =
        count < f->limit && tact_reserve(&f->env, &pairs, &f->end.capacity, count, count + 1, sizeof *f->end.pairs);
    f->end.pairs = pairs;
    if (good) f->end.pairs[count] = (place_pair){a, b};
    f->end.count = good ? count + 1 : SIZE_MAX;
}

static bool report(const search* s, const tact_bvh_child* a, const tact_bvh_child* b)
{
    const uint32_t x = tact_volume_id(a), y = tact_volume_id(b);
    return s->within && y < x ? s->found(y, x, s->user) : s->found(x, y, s->user);
}

/// Looks at a pair: it is apart, two boxes, or to be opened. False: `found` has ended the search.
static inline bool offer(const search* s, open_pairs* open, uint32_t a, uint32_t b, bool second)
{
    const tact_bvh_child *x = first_at(s, a), *y = second_at(s, b);
    const bool same = s->within && a == b;
    if (same && tact_volume_is_leaf(x)) return true;
    const bool apart = !meet(x, y);
    if (!apart && !(tact_volume_is_leaf(x) && tact_volume_is_leaf(y))) {
        TACT_ASSERT(open->depth < STACK);
        open->entries[open->depth++] = (entry){a, b, second};
        return true;
    }
    record(s, a, b);
    return apart || report(s, x, y);
}

static bool offer_within(const search* s, open_pairs* open, uint32_t left, uint32_t right)
{
    return offer(s, open, left, right, false) && offer(s, open, right, right, false) &&
           offer(s, open, left, left, false);
}

static bool opens_first(const search* s, const entry* e, const tact_bvh_child* a, const tact_bvh_child* b)
{
    if (tact_volume_is_leaf(b)) return true;
    if (tact_volume_is_leaf(a)) return false;
    switch (s->rule) {
        case TACT_DESCEND_FIRST:
            return true;
        case TACT_DESCEND_ALTERNATE:
            return !e->second;
        default:
            return tact_volume_area(a->lower, a->upper) >= tact_volume_area(b->lower, b->upper);
    }
}

static bool open_one(const search* s, open_pairs* open, const entry* e)
{
    const tact_bvh_child *a = first_at(s, e->a), *b = second_at(s, e->b);
    const uint32_t below_a = 2 * a->child, below_b = 2 * b->child;
    if (s->within && e->a == e->b) return offer_within(s, open, below_a, below_a + 1);
    if (s->rule == TACT_DESCEND_BOTH && !tact_volume_is_leaf(a) && !tact_volume_is_leaf(b)) {
        return offer(s, open, below_a, below_b, false) && offer(s, open, below_a, below_b + 1, false) &&
               offer(s, open, below_a + 1, below_b, false) && offer(s, open, below_a + 1, below_b + 1, false);
    }
    if (opens_first(s, e, a, b)) return offer(s, open, below_a, e->b, true) && offer(s, open, below_a + 1, e->b, true);
    return offer(s, open, e->a, below_b, false) && offer(s, open, e->a, below_b + 1, false);
}

static bool run(const search* s, uint32_t a, uint32_t b)
{
    open_pairs open;
    open.depth = 0;
    if (!offer(s, &open, a, b, false)) return false;
    while (open.depth > 0) {
        const entry e = open.entries[--open.depth];
        if (!open_one(s, &open, &e)) return false;
    }
    return true;
}

bool tact_volume_tree_each_pair(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                tact_volume_pair_fn* found, void* user)
{
    const search s = search_of(a, b, rule, found, user);
    return run(&s, ROOT, ROOT);
}

// ---- Counts ----

/// How many pairs are compared where a pair is opened: a box is not compared with itself.
static uint64_t tests_below(const search* s, const entry* e)
{
    const tact_bvh_child *a = first_at(s, e->a), *b = second_at(s, e->b);
    if (s->within && e->a == e->b) {
        const tact_bvh_child *left = tact_volume_at(s->a, 2 * a->child),
                             *right = tact_volume_at(s->a, 2 * a->child + 1);
        return 1u + !tact_volume_is_leaf(left) + !tact_volume_is_leaf(right);
    }
    return s->rule == TACT_DESCEND_BOTH && !tact_volume_is_leaf(a) && !tact_volume_is_leaf(b) ? 4 : 2;
}

static bool count_pair(uint32_t a, uint32_t b, void* user)
{
    (void)a, (void)b;
    ++*(uint64_t*)user;
    return true;
}

tact_volume_pair_counts tact_volume_tree_count_pairs(const tact_volume_tree* a, const tact_volume_tree* b,
                                                     tact_descent rule)
{
    tact_volume_pair_counts counts = {0};
    const search s = search_of(a, b, rule, count_pair, &counts.found);
    open_pairs open;
    open.depth = 0;
    offer(&s, &open, ROOT, ROOT, false);
    counts.tested = 1;
    while (open.depth > 0) {
        const entry e = open.entries[--open.depth];
        counts.tested += tests_below(&s, &e);
        ++counts.opened;
        open_one(&s, &open, &e);
    }
    return counts;
}

// ---- Lists ----

typedef struct listing {
    uint32_t* pairs;
    size_t count, capacity;
} listing;

static bool list_pair(uint32_t a, uint32_t b, void* user)
{
    listing* l = user;
    if (l->count < l->capacity) {
        l->pairs[2 * l->count] = a;
        l->pairs[2 * l->count + 1] = b;
    }
    ++l->count;
    return true;
}

static int by_ids(const void* a, const void* b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

tact_result tact_volume_tree_pairs(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                   uint32_t* pairs, size_t capacity, size_t* count)
{
    tact_error_begin(NULL);
    if (!a) return tact_null(NULL, "a");
    if (!b) return tact_null(NULL, "b");
    if (!pairs && capacity) return tact_null(NULL, "pairs");
    if (!count) return tact_null(NULL, "count");
    listing l = {.pairs = pairs, .capacity = capacity};
    tact_volume_tree_each_pair(a, b, rule, list_pair, &l);
    *count = l.count;
    if (l.count > capacity) return TACT_INCOMPLETE;
    if (l.count > 1) qsort(pairs, l.count, 2 * sizeof *pairs, by_ids);
    return TACT_OK;
}

// ---- Witnesses ----

typedef struct touching {
    tact_volume_pair_fn* touches;
    void* user;
    tact_volume_witness* witness;
} touching;

static bool ends_at_touch(uint32_t a, uint32_t b, void* user)
{
    const touching* t = user;
    if (!t->touches(a, b, t->user)) return true;
    if (t->witness) *t->witness = (tact_volume_witness){a, b};
    return false;
}

bool tact_volume_tree_touch(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                            tact_volume_pair_fn* touches, void* user, tact_volume_witness* witness)
{
    touching t = {touches, user, witness};
    const bool there = witness && tact_volume_has(a, witness->a) && tact_volume_has(b, witness->b) &&
                       !(a == b && witness->a >= witness->b);
    if (there && meet(tact_volume_at(a, a->places[witness->a]), tact_volume_at(b, b->places[witness->b])) &&
        touches(witness->a, witness->b, user)) {
        return true;
    }
    return !tact_volume_tree_each_pair(a, b, rule, ends_at_touch, &t);
}

// ---- Fronts ----

tact_result tact_volume_front_create(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                     size_t limit, const tact_allocator* allocator, tact_volume_front** front)
{
    tact_env env;
    tact_error_begin(NULL);
    if (!front) return tact_null(NULL, "front");
    *front = NULL;
    if (!a) return tact_null(NULL, "a");
    if (!b) return tact_null(NULL, "b");
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_volume_front* f = tact_allocate_zeroed(&env, 1, sizeof *f);
    if (!f) return TACT_ERROR_OUT_OF_MEMORY;
    tact_env_init(&f->env, allocator, NULL, NULL, NULL, NULL);
    f->a = a;
    f->b = b;
    f->rule = rule;
    f->limit = limit;
    *front = f;
    return TACT_OK;
}

void tact_volume_front_destroy(tact_volume_front* front)
{
    if (!front) return;
    const tact_allocator allocator = front->env.allocator;
    tact_release(&front->env, front->begin.pairs);
    tact_release(&front->env, front->end.pairs);
    allocator.release(front, allocator.user);
}

static bool is_current(const tact_volume_front* f)
{
    return f->begin.count > 0 && f->version_a == f->a->version && f->version_b == f->b->version;
}

size_t tact_volume_front_size(const tact_volume_front* front)
{
    return front && is_current(front) ? front->begin.count : 0;
}

bool tact_volume_front_each_pair(tact_volume_front* front, tact_volume_pair_fn* found, void* user)
{
    search s = search_of(front->a, front->b, front->rule, found, user);
    const bool current = is_current(front);
    const size_t given = front->limit;
    const size_t usual = (size_t)PAIRS_A_BOX * front->a->count + (size_t)PAIRS_A_BOX * front->b->count + LEAST_FRONT;
    s.front = front;
    front->limit = given ? given : usual;
    front->end.count = 0;
    bool whole = current || run(&s, ROOT, ROOT);
    for (size_t i = 0; current && whole && i < front->begin.count; ++i)
        whole = run(&s, front->begin.pairs[i].a, front->begin.pairs[i].b);
    front->limit = given;
    if (!whole) return false;
    const pair_list begin = front->begin;
    front->begin = front->end;
    front->end = begin;
    front->version_a = front->a->version;
    front->version_b = front->b->version;
    if (!current) front->fresh = front->begin.count;
    if (front->begin.count == SIZE_MAX || front->begin.count / 2 > front->fresh) front->begin.count = 0;
    return true;
}
