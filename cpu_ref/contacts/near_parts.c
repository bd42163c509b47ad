// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/contacts/near_parts.h"

#include <float.h>

#include "cpu_ref/contacts/part_boxes.h"

/// Two bodies whose trees are walked: the first's, in whose frame boxes are compared, and the second's where it has
/// one.
typedef struct pair_walk {
    tact_near_walk* walk;
    tact_near_body first, second;
    const tact_shape_bounds *own, *other;
    bool swapped;          // the first is B
    double scale;          // of a unit of the first's shape
    tact_seen seen;        // the second by the first
    tact_part_box whole;   // what the second covers
    bool plane;            // the second is a half-space
    double up[3], height;  // heights over it are up x + height, in the first's units
} pair_walk;

/// How far two boxes are from each other, less what distances are rounded by.
static double apart(const float lower[3], const float upper[3], const tact_part_box* box)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double slack = tact_part_slack(lower[k], upper[k]);
        const double over = (double)lower[k] - slack - box->upper[k], under = box->lower[k] - (double)upper[k] - slack;
        const double gap = over > under ? over : under;
        if (gap > 0.0) sum += gap * gap;
    }
    return sum > 0.0 ? sqrt(sum) * (1.0 - 1e-5) : -DBL_MAX;
}

/// The lowest place of a box over the plane.
static double above(const pair_walk* w, const float lower[3], const float upper[3])
{
    double least = w->height - 1e-6 * fabs(w->height), size = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double slack = tact_part_slack(lower[k], upper[k]);
        const double at = w->up[k] < 0.0 ? (double)upper[k] + slack : (double)lower[k] - slack;
        least += w->up[k] * at;
        size += fabs(at);
    }
    return least - 1e-6 * size;
}

static double least_of(const pair_walk* w, const float lower[3], const float upper[3], const tact_part_box* box)
{
    return w->scale * (w->plane ? above(w, lower, upper) : apart(lower, upper, box));
}

static tact_part_box cover(const pair_walk* w, const float lower[3], const float upper[3])
{
    tact_part_box box = {.radius = 0.0};
    for (int k = 0; k < 3; ++k) {
        box.lower[k] = (double)lower[k];
        box.upper[k] = (double)upper[k];
    }
    return tact_part_cover(&box, &w->seen, 0.0);
}

static void visit(const pair_walk* w, uint32_t part, uint32_t other, double least)
{
    const tact_near_item item = w->swapped ? (tact_near_item){w->second.row, w->first.row, other, part}
                                           : (tact_near_item){w->first.row, w->second.row, part, other};
    w->walk->bound = w->walk->visit(item, least, w->walk->user);
}

static void visit_all(const pair_walk* w)
{
    for (size_t i = 0; i < w->own->tree.count; ++i) {
        const uint32_t part = w->own->tree.order[i];
        for (size_t k = 0; k < (w->other->tree.nodes ? w->other->tree.count : 1); ++k)
            visit(w, part, w->other->tree.nodes ? w->other->tree.order[k] : 0, -DBL_MAX);
    }
}

static void visit_part(const pair_walk* w, const tact_bvh_child* leaf, uint32_t other, const tact_part_box* box)
{
    const uint32_t* order = w->own->tree.order + (leaf->child & ~(uint32_t)TACT_BVH_LEAF_BIT);
    for (uint32_t i = 0; i < leaf->count; ++i) {
        const tact_bvh_box* own = &w->own->boxes[order[i]];
        const double least = least_of(w, own->lower, own->upper, box);
        if (least <= w->walk->bound) visit(w, order[i], other, least);
    }
}

static void visit_leaves(const pair_walk* w, const tact_bvh_child* own, const tact_bvh_child* other)
{
    if (!other) {
        visit_part(w, own, 0, &w->whole);
        return;
    }
    const uint32_t* order = w->other->tree.order + (other->child & ~(uint32_t)TACT_BVH_LEAF_BIT);
    for (uint32_t i = 0; i < other->count; ++i) {
        const tact_bvh_box* part = &w->other->boxes[order[i]];
        const tact_part_box box = cover(w, part->lower, part->upper);
        visit_part(w, own, order[i], &box);
    }
}

/// Two places that are still to be looked at.
typedef struct waiting {
    const tact_bvh_child *own, *other;  // other: NULL where it has no tree
    double least;
} waiting;

/// Puts two places on a stack, the nearer one on top.
static uint32_t push(waiting* stack, uint32_t depth, waiting p, waiting q, double bound)
{
    const waiting* far_one = p.least > q.least ? &p : &q;
    const waiting* near_one = p.least > q.least ? &q : &p;
    if (far_one->least <= bound) stack[depth++] = *far_one;
    if (near_one->least <= bound) stack[depth++] = *near_one;
    return depth;
}

static void walk_trees(const pair_walk* w)
{
    enum { MOST = 2 * TACT_BVH_STACK };
    const double bigger = w->seen.scale;
    static const tact_bvh_child root = {.child = 0};
    waiting stack[MOST];
    uint32_t depth = 0;
    stack[depth++] = (waiting){&root, w->other->tree.nodes ? &root : NULL, -DBL_MAX};
    while (depth > 0) {
        const waiting now = stack[--depth];
        if (now.least > w->walk->bound) continue;
        const bool other_inner = now.other && !tact_child_is_leaf(now.other);
        if (tact_child_is_leaf(now.own) && !other_inner) {
            visit_leaves(w, now.own, now.other);
            continue;
        }
        TACT_ASSERT(depth + 2 <= MOST);
        waiting two[2];
        const bool open_own = !tact_child_is_leaf(now.own) &&
                              (!other_inner || now.own == &root ||
                               (now.other != &root && tact_child_size(now.own) >= bigger * tact_child_size(now.other)));
        if (open_own) {
            const tact_part_box box =
                now.other && now.other != &root ? cover(w, now.other->lower, now.other->upper) : w->whole;
            for (int c = 0; c < 2; ++c) {
                const tact_bvh_child* child = &w->own->tree.nodes[now.own->child].children[c];
                const double least =
                    tact_child_is_absent(child) ? HUGE_VAL : least_of(w, child->lower, child->upper, &box);
                two[c] = (waiting){child, now.other, least};
            }
        } else {
            for (int c = 0; c < 2; ++c) {
                const tact_bvh_child* child = &w->other->tree.nodes[now.other->child].children[c];
                const tact_part_box box = cover(w, child->lower, child->upper);
                two[c] = (waiting){
                    now.own, child,
                    tact_child_is_absent(child) ? HUGE_VAL : least_of(w, now.own->lower, now.own->upper, &box)};
            }
        }
        depth = push(stack, depth, two[0], two[1], w->walk->bound);
    }
}

/// Heights over a half-space, in the frame of the first.
static void see_plane(pair_walk* w)
{
    double own[3][3], plane[3][3];
    const tact_pose *a = &w->first.body->pose, *b = &w->second.body->pose;
    tact_quat_axes(&a->rotation, own);
    tact_quat_axes(&b->rotation, plane);
    const double between[3] = {a->x - b->x, a->y - b->y, a->z - b->z};
    w->height = 0.0;
    for (int i = 0; i < 3; ++i) {
        w->height += plane[i][1] * between[i] / w->scale;
        w->up[i] = 0.0;
        for (int k = 0; k < 3; ++k)
            w->up[i] += own[k][i] * plane[k][1];
    }
    // What is between positions is rounded by its length, whatever the height.
    for (int i = 0; i < 3; ++i)
        w->height -= 1e-6 * fabs(between[i]) / w->scale;
}

void tact_near_parts(tact_near_walk* walk, tact_near_body a, tact_near_body b)
{
    const tact_shape_tables* t = walk->tables;
    const tact_shape_bounds *of_a = &t->bounds[a.body->shape], *of_b = &t->bounds[b.body->shape];
    if (!of_a->tree.nodes && !of_b->tree.nodes) {
        walk->bound = walk->visit((tact_near_item){a.row, b.row, 0, 0}, -DBL_MAX, walk->user);
        return;
    }
    const bool swapped = !of_a->tree.nodes && of_b->tree.nodes;
    pair_walk w = {.walk = walk,
                   .first = swapped ? b : a,
                   .second = swapped ? a : b,
                   .own = swapped ? of_b : of_a,
                   .other = swapped ? of_a : of_b,
                   .swapped = swapped};
    if (walk->all) {
        visit_all(&w);
        return;
    }
    w.scale = (double)w.first.body->pose.scale;
    w.plane = tact_shape_kind(t, w.second.body->shape) == TACT_KIND_HALF_SPACE;
    if (w.plane) {
        see_plane(&w);
    } else {
        const tact_part_box box = tact_shape_box(t, w.second.body->shape);
        w.seen = tact_seen_from(&w.first.body->pose, &w.second.body->pose);
        w.whole = tact_part_cover(&box, &w.seen, 0.0);
    }
    walk_trees(&w);
}

// ---- All bodies of a set ----

typedef struct set_walk {
    tact_near_walk* walk;
    const tact_near_set* set;
    tact_near_body b;
    tact_part_box box;
} set_walk;

static void visit_body(const set_walk* w, uint32_t id)
{
    const tact_body* body = &w->set->bodies[id];
    if (!tact_box_is_there(&w->set->boxes[id]) || !tact_categories_meet(body->categories, w->b.body->categories))
        return;
    tact_near_parts(w->walk, (tact_near_body){body, id}, w->b);
}

static void walk_set(const set_walk* w)
{
    const tact_bvh* tree = &w->set->tree->tree;
    static const tact_bvh_child root = {.child = 0};
    waiting stack[TACT_BVH_STACK];
    uint32_t depth = 0;
    stack[depth++] = (waiting){&root, NULL, -DBL_MAX};
    while (depth > 0) {
        const waiting now = stack[--depth];
        if (now.least > w->walk->bound) continue;
        if (tact_child_is_leaf(now.own)) {
            const uint32_t* order = tree->order + (now.own->child & ~(uint32_t)TACT_BVH_LEAF_BIT);
            for (uint32_t i = 0; i < now.own->count; ++i) {
                const tact_aabb* box = &w->set->boxes[order[i]];
                const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
                const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
                if (apart(lower, upper, &w->box) <= w->walk->bound) visit_body(w, order[i]);
            }
            continue;
        }
        waiting two[2];
        for (int c = 0; c < 2; ++c) {
            const tact_bvh_child* child = &tree->nodes[now.own->child].children[c];
            two[c] = (waiting){child, NULL,
                               tact_child_is_absent(child) ? HUGE_VAL : apart(child->lower, child->upper, &w->box)};
        }
        TACT_ASSERT(depth + 2 <= TACT_BVH_STACK);
        depth = push(stack, depth, two[0], two[1], w->walk->bound);
    }
}

void tact_near_bodies(tact_near_walk* walk, const tact_near_set* set, tact_near_body b, const tact_aabb* box)
{
    const set_walk w = {walk,
                        set,
                        b,
                        {{(double)box->lower.x, (double)box->lower.y, (double)box->lower.z},
                         {(double)box->upper.x, (double)box->upper.y, (double)box->upper.z},
                         0.0}};
    if (walk->all) {
        for (size_t i = 0; i < set->count; ++i)
            visit_body(&w, (uint32_t)i);
        return;
    }
    for (size_t i = 0; i < set->tree->endless_count && walk->bound > TACT_NEAR_STOP; ++i)
        visit_body(&w, set->tree->endless[i]);
    walk_set(&w);
}
