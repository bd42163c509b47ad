// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// When boxes of two parts meet, one of which moves and turns, belongs to the definition: no item begins earlier. Each
// step is monotone, also as it is rounded, so that boxes meet no later than those within them; so the trees over parts
// change nothing.

#include "cpu_ref/contacts/cast_parts.h"

#include <math.h>
#include <string.h>

#include "cpu_ref/contacts/part_boxes.h"

/// An angle by which a stretch turns.
#define STRETCH 0.125

void tact_cast_axes(const tact_casts_job* job, size_t number, double fraction, double axes[3][3])
{
    const float4* rows = job->rows + TACT_POSED_ROWS * job->body_count + (size_t)TACT_CAST_ROWS * number;
    const tact_quat p = job->casts[number].from.rotation;
    const float4 d = rows[TACT_POSED_ROWS];
    const double q[4] = {(double)p.x + fraction * (double)d.x, (double)p.y + fraction * (double)d.y,
                         (double)p.z + fraction * (double)d.z, (double)p.w + fraction * (double)d.w};
    tact_quat_axes(&(tact_quat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]}, axes);
}

void tact_cast_way_make(const tact_casts_job* job, size_t number, tact_cast_way* way)
{
    const tact_body_cast* cast = &job->casts[number];
    const float4* rows = job->rows + TACT_POSED_ROWS * job->body_count + (size_t)TACT_CAST_ROWS * number;
    const double turn = (double)rows[TACT_POSED_ROWS + 1].w, pieces = ceil(turn / STRETCH);
    const double from[3] = {cast->from.x, cast->from.y, cast->from.z}, to[3] = {cast->to.x, cast->to.y, cast->to.z};
    for (int k = 0; k < 3; ++k) {
        way->from[k] = from[k];
        way->move[k] = to[k] - from[k];
    }
    way->count = pieces < 1.0 ? 1 : pieces > TACT_CAST_MOST_STRETCHES ? TACT_CAST_MOST_STRETCHES : (uint32_t)pieces;
    for (uint32_t k = 0; k < way->count; ++k) {
        tact_cast_stretch* s = &way->stretches[k];
        s->first = (double)k / way->count;
        s->last = (double)(k + 1) / way->count;
        // A chord is shorter than its arc.
        s->about = 0.5 * turn / way->count * (1.0 + 1e-6);
        tact_cast_axes(job, number, 0.5 * (s->first + s->last), s->axes);
    }
}

// ---- Two boxes ----

typedef struct box {
    double lower[3], upper[3];
    double far, size;  // of a corner from the origin; of the longest edge
} box;

static box box_of(const double lower[3], const double upper[3])
{
    box b = {.far = 0.0, .size = 0.0};
    for (int k = 0; k < 3; ++k) {
        b.lower[k] = lower[k];
        b.upper[k] = upper[k];
        const double low = fabs(lower[k]), high = fabs(upper[k]), most = low > high ? low : high;
        const double size = upper[k] - lower[k];
        b.far += most * most;
        b.size = size > b.size ? size : b.size;
    }
    b.far = sqrt(b.far);
    return b;
}

static box box_of_floats(const float lower[3], const float upper[3])
{
    const double low[3] = {(double)lower[0], (double)lower[1], (double)lower[2]},
                 high[3] = {(double)upper[0], (double)upper[1], (double)upper[2]};
    return box_of(low, high);
}

static box box_of_shape(const tact_shape_tables* tables, uint32_t shape)
{
    tact_part_box whole = tact_shape_box(tables, shape);
    for (int k = 0; k < 3; ++k) {
        whole.lower[k] -= whole.radius;
        whole.upper[k] += whole.radius;
    }
    return box_of(whole.lower, whole.upper);
}

/// A body and a cast's shape. Boxes are compared in the body's frame, in units of its shape; of a half-space heights
/// alone.
typedef struct pair_walk {
    tact_cast_walk* walk;
    const tact_shape_bounds *own, *other;
    bool plane;
    int axes;
    double scale;                                   // of the cast's shape
    double turned[TACT_CAST_MOST_STRETCHES][3][3];  // its axes in each stretch
    double from[3], move[3], inverse[3];            // of its position; 0 where it does not move
    double around;                                  // its margin, and what positions are rounded by
} pair_walk;

/// The fractions of a stretch at which two boxes meet. `lower`: of the own box.
static bool meet_in(const pair_walk* w, uint32_t number, const box* own, const double lower[3], const box* other,
                    double* begin, double* end)
{
    const tact_cast_stretch* s = &w->walk->way->stretches[number];
    // What is found along the way is certain to parts of both sizes, and to less of how far parts are from positions.
    const double around = w->around + w->scale * (other->far * (s->about + 2e-6) + 1e-4 * other->size) +
                          (1e-4 * own->size + 2e-6 * own->far);
    double first = s->first, last = s->last;
    for (int i = 0; i < w->axes; ++i) {
        double below = 0.0, above = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double axis = w->turned[number][i][k];
            below += axis * (axis > 0.0 ? other->lower[k] : other->upper[k]);
            above += axis * (axis > 0.0 ? other->upper[k] : other->lower[k]);
        }
        const double low = lower[i] - w->scale * above - around - w->from[i],
                     high = own->upper[i] - w->scale * below + around - w->from[i];
        if (w->inverse[i] == 0.0) {
            if (low > 0.0 || high < 0.0) return false;
            continue;
        }
        const bool up = w->inverse[i] > 0.0;
        const double enter = (up ? low : high) * w->inverse[i], leave = (up ? high : low) * w->inverse[i];
        first = enter > first ? enter : first;
        last = leave < last ? leave : last;
    }
    *begin = first;
    *end = last;
    return first <= last;
}

/// When two boxes meet first. `stretch`: the first in which boxes around them meet; becomes theirs. False: never.
static bool meet(const pair_walk* w, const box* own, const box* other, uint32_t* stretch, double* begin)
{
    double end;
    for (uint32_t k = *stretch; k < w->walk->way->count; ++k) {
        if (!meet_in(w, k, own, own->lower, other, begin, &end)) continue;
        *stretch = k;
        if (w->walk->enter > *begin) *begin = w->walk->enter;
        return true;
    }
    return false;
}

/// When two boxes part at last; of a half-space, when the other is below its surface.
static double part_at(const pair_walk* w, const box* own, const box* other, uint32_t stretch)
{
    static const double surface[3] = {0.0, 0.0, 0.0};
    double begin, end;
    for (uint32_t k = w->walk->way->count; k > stretch; --k)
        if (meet_in(w, k - 1, own, w->plane ? surface : own->lower, other, &begin, &end)) return end;
    return 1.0;
}

static void visit(const pair_walk* w, uint32_t part, uint32_t cast_part, const box* own, const box* other,
                  uint32_t stretch)
{
    tact_cast_near near = {.part = part, .cast_part = cast_part};
    if (!meet(w, own, other, &stretch, &near.begin) || tact_cast_earlier(near.begin) > w->walk->bound) return;
    near.end = part_at(w, own, other, stretch);
    w->walk->bound = w->walk->visit(&near, w->walk->user);
}

// ---- All parts ----

static box box_of_part(const tact_shape_bounds* shape, uint32_t part)
{
    return box_of_floats(shape->boxes[part].lower, shape->boxes[part].upper);
}

static void visit_all(const pair_walk* w, const box* whole)
{
    const tact_bvh *own = &w->own->tree, *other = &w->other->tree;
    for (size_t i = 0; i < (own->nodes ? own->count : 1); ++i) {
        const uint32_t part = own->nodes ? own->order[i] : 0;
        const box of_own = own->nodes ? box_of_part(w->own, part) : *whole;
        for (size_t k = 0; k < other->count; ++k) {
            const box of_other = box_of_part(w->other, other->order[k]);
            visit(w, part, other->order[k], &of_own, &of_other, 0);
        }
    }
}

/// Two places of the trees that are still to be looked at.
typedef struct waiting {
    const tact_bvh_child *own, *other;  // own: NULL where it has no tree
    uint32_t stretch;
    double begin;
} waiting;

static void visit_leaves(const pair_walk* w, const waiting* at, const box* whole)
{
    const uint32_t* others = w->other->tree.order + (at->other->child & ~(uint32_t)TACT_BVH_LEAF_BIT);
    for (uint32_t i = 0; i < (at->own ? at->own->count : 1); ++i) {
        uint32_t part = 0;
        if (at->own) part = w->own->tree.order[(at->own->child & ~(uint32_t)TACT_BVH_LEAF_BIT) + i];
        const box own = at->own ? box_of_part(w->own, part) : *whole;
        for (uint32_t k = 0; k < at->other->count; ++k) {
            const box other = box_of_part(w->other, others[k]);
            visit(w, part, others[k], &own, &other, at->stretch);
        }
    }
}

/// Where trees begin; nothing is known of its box, which is not looked at.
static const tact_bvh_child root = {.child = 0};

/// Whether the own place is opened next, of two that are not both leaves.
static bool opens_own(const pair_walk* w, const waiting* at)
{
    if (!at->own || tact_child_is_leaf(at->own)) return false;
    if (tact_child_is_leaf(at->other) || at->own == &root) return true;
    return at->other != &root && tact_child_size(at->own) >= w->scale * tact_child_size(at->other);
}

static void walk_trees(const pair_walk* w, const box* whole)
{
    enum { MOST = 2 * TACT_BVH_STACK };
    waiting stack[MOST];
    uint32_t depth = 0;
    stack[depth++] = (waiting){.own = w->own->tree.nodes ? &root : NULL, .other = &root};
    while (depth > 0) {
        const waiting now = stack[--depth];
        if (tact_cast_earlier(now.begin) > w->walk->bound) continue;
        if (tact_child_is_leaf(now.other) && (!now.own || tact_child_is_leaf(now.own))) {
            visit_leaves(w, &now, whole);
            continue;
        }
        const bool own = opens_own(w, &now);
        const tact_bvh_node* node = own ? &w->own->tree.nodes[now.own->child] : &w->other->tree.nodes[now.other->child];
        const uint32_t base = depth;
        for (int c = 0; c < 2; ++c) {
            waiting next = now;
            *(own ? &next.own : &next.other) = &node->children[c];
            if (tact_child_is_absent(&node->children[c])) continue;
            if ((!next.own || next.own != &root) && next.other != &root) {
                const box a = next.own ? box_of_floats(next.own->lower, next.own->upper) : *whole;
                const box b = box_of_floats(next.other->lower, next.other->upper);
                if (!meet(w, &a, &b, &next.stretch, &next.begin)) continue;
            }
            TACT_ASSERT(depth < MOST && next.begin >= now.begin);
            stack[depth++] = next;
        }
        // The early one on top.
        if (depth == base + 2 && stack[base].begin < stack[base + 1].begin) {
            const waiting swapped = stack[base];
            stack[base] = stack[base + 1];
            stack[base + 1] = swapped;
        }
    }
}

/// The cast's shape as the body sees it.
static void see(pair_walk* w)
{
    const tact_cast_walk* walk = w->walk;
    const tact_casts_job* job = walk->job;
    const tact_body* body = &job->bodies[walk->body];
    const tact_body_cast* cast = &job->casts[walk->cast];
    const tact_cast_way* way = walk->way;
    const double scale = w->plane ? 1.0 : (double)body->pose.scale,
                 place[3] = {body->pose.x, body->pose.y, body->pose.z};
    double axes[3][3];
    tact_quat_axes(&body->pose.rotation, axes);
    w->axes = w->plane ? 1 : 3;
    w->scale = (double)cast->from.scale / scale;
    w->around = (double)cast->margin * (1.0 + 1e-6) / scale;
    for (int k = 0; k < 3; ++k)
        w->around += 0x1p-44 * (fabs(way->from[k]) + fabs(way->move[k]) + fabs(way->from[k] - place[k])) / scale;
    for (int i = 0; i < w->axes; ++i) {
        // A half-space's height is along its y axis.
        const int axis = w->plane ? 1 : i;
        w->from[i] = w->move[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            w->from[i] += axes[k][axis] * (way->from[k] - place[k]) / scale;
            w->move[i] += axes[k][axis] * way->move[k] / scale;
        }
        w->inverse[i] = fabs(w->move[i]) < 0x1p-1000 ? 0.0 : 1.0 / w->move[i];
        for (uint32_t s = 0; s < way->count; ++s) {
            const double(*turned)[3] = way->stretches[s].axes;
            for (int k = 0; k < 3; ++k)
                w->turned[s][i][k] =
                    axes[0][axis] * turned[0][k] + axes[1][axis] * turned[1][k] + axes[2][axis] * turned[2][k];
        }
    }
}

void tact_cast_walk_parts(tact_cast_walk* walk)
{
    const tact_shape_tables* tables = walk->job->tables;
    const uint32_t shape = walk->job->bodies[walk->body].shape;
    pair_walk w;
    w.walk = walk;
    w.own = &tables->bounds[shape];
    w.other = &tables->bounds[walk->job->casts[walk->cast].shape];
    w.plane = tact_shape_kind(tables, shape) == TACT_KIND_HALF_SPACE;
    see(&w);
    box whole = {.upper = {0.0}};
    if (w.plane) {
        whole.lower[0] = -HUGE_VAL;
    } else if (!w.own->tree.nodes) {
        whole = box_of_shape(tables, shape);
    }
    if (walk->job->reference) {
        visit_all(&w, &whole);
    } else {
        walk_trees(&w, &whole);
    }
}
