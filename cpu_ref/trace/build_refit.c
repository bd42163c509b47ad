// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>

#include "base/parallel.h"
#include "cpu_ref/trace/build.h"

// The boxes of a tree are made again from the leaves up, the nodes staying where they are. Subtrees are done by
// threads, and then the few nodes above them.

enum { WIDTH = TACT_BVH8_WIDTH, MOST_UNITS = 512, MOST_ABOVE = MOST_UNITS };

typedef struct unit {
    uint32_t node;
    tact_bvh_box box;
    double cost;
    bool good;
} unit;

typedef struct refit {
    tact_bvh8_node* nodes;
    tact_build_leaf_fn* leaf;
    void* user;
    unit units[MOST_UNITS];
    size_t unit_count;
    unit above[MOST_ABOVE];  ///< nodes above the units, parents before children
    size_t above_count;
} refit;

static tact_bvh_box empty_box(void)
{
    return (tact_bvh_box){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static void grow(tact_bvh_box* box, const tact_bvh_box* by)
{
    for (int k = 0; k < 3; ++k) {
        box->lower[k] = by->lower[k] < box->lower[k] ? by->lower[k] : box->lower[k];
        box->upper[k] = by->upper[k] > box->upper[k] ? by->upper[k] : box->upper[k];
    }
}

static double half_area(const tact_bvh_box* b)
{
    const double x = (double)b->upper[0] - (double)b->lower[0], y = (double)b->upper[1] - (double)b->lower[1],
                 z = (double)b->upper[2] - (double)b->lower[2];
    return x * y + y * z + z * x;
}

/// What a node that is done already came to, NULL when there is none.
static const unit* find_done(const refit* r, uint32_t node)
{
    TACT_ASSERT(r->unit_count <= MOST_UNITS && r->above_count <= MOST_ABOVE);
    for (size_t i = 0; i < r->unit_count; ++i) {
        if (r->units[i].node == node) return &r->units[i];
    }
    for (size_t i = 0; i < r->above_count; ++i) {
        if (r->above[i].node == node) return &r->above[i];
    }
    return NULL;
}

/// Fits a node, and what is under it unless that is `done` already.
static void fit(const refit* r, bool done, unit* u)
{
    tact_bvh8_node* node = &r->nodes[u->node];
    tact_bvh_box boxes[WIDTH];
    int count = 0;
    u->box = empty_box();
    u->cost = 0.0;
    u->good = true;
    for (; count < WIDTH && tact_bvh8_kind(node, count); ++count) {
        const uint32_t kind = tact_bvh8_kind(node, count), child = tact_bvh8_child(node, count);
        tact_bvh_box* box = &boxes[count];
        if (kind != TACT_BVH8_INNER) {
            *box = empty_box();
            u->good = r->leaf(child, kind, box, r->user) && u->good;
            u->cost += half_area(box) * (double)tact_build_leaf_cost(kind);
        } else {
            unit under = {.node = child};
            if (done) {
                TACT_ASSERT(find_done(r, child) != NULL);
                under = *find_done(r, child);
            } else {
                fit(r, false, &under);
            }
            *box = under.box;
            u->good = u->good && under.good;
            u->cost += under.cost + half_area(box);
        }
        grow(&u->box, box);
        TACT_ASSERT(!u->good || box->lower[0] <= box->upper[0]);
    }
    // Boxes of what is out of range need not be set: the tree is of no use then.
    if (u->good) tact_bvh8_set_boxes(node, boxes, count);
}

static void fit_units(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    refit* r = user;
    TACT_ASSERT(end <= r->unit_count);
    for (size_t i = begin; i < end; ++i)
        fit(r, false, &r->units[i]);
}

/// Opens nodes from the root down while there is room for what is in them.
static void find_units(refit* r, uint32_t root)
{
    r->units[0] = (unit){.node = root};
    r->unit_count = 1;
    for (size_t at = 0; at < r->unit_count;) {
        const uint32_t open = r->units[at].node;
        const tact_bvh8_node* node = &r->nodes[open];
        uint32_t inner[WIDTH];
        size_t count = 0;
        for (int i = 0; i < WIDTH; ++i) {
            if (tact_bvh8_kind(node, i) == TACT_BVH8_INNER) inner[count++] = tact_bvh8_child(node, i);
        }
        if (r->above_count == MOST_ABOVE || r->unit_count + count > MOST_UNITS) break;
        if (count == 0) {
            TACT_ASSERT(at < MOST_UNITS);
            ++at;
            continue;
        }
        // The first child takes its place, at which the nodes that are left open come round later.
        r->above[r->above_count++] = (unit){.node = open};
        memmove(&r->units[at], &r->units[at + 1], (r->unit_count - at - 1) * sizeof *r->units);
        --r->unit_count;
        for (size_t i = 0; i < count; ++i)
            r->units[r->unit_count++] = (unit){.node = inner[i]};
    }
}

tact_result tact_bvh8_refit(tact_env* env, int threads, tact_bvh8_node* nodes, uint32_t root, tact_build_leaf_fn* leaf,
                            void* user, bool* good, double* sah_cost)
{
    TACT_ASSERT(nodes && leaf && good && sah_cost);
    refit* r = tact_allocate_zeroed(env, 1, sizeof *r);
    if (!r) return TACT_ERROR_OUT_OF_MEMORY;
    r->nodes = nodes;
    r->leaf = leaf;
    r->user = user;
    find_units(r, root);
    TACT_ASSERT(r->unit_count >= 1);
    tact_parallel_for(threads, r->unit_count, 1, fit_units, r);
    unit all = r->units[0];
    for (size_t i = r->above_count; i-- > 0;) {
        fit(r, true, &r->above[i]);
        all = r->above[i];
    }
    TACT_ASSERT(all.node == root);
    *good = all.good;
    const double area = half_area(&all.box);
    *sah_cost = all.good && area > 0.0 ? 1.0 + all.cost / area : 1.0;
    tact_release(env, r);
    return TACT_OK;
}
