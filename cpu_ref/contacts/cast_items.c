// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts to items: the parts of bodies whose boxes a cast passes. The boxes of bodies and parts belong to the
// definition; the trees over them do not, since a box within another is passed only where that is, and no earlier.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/contacts/cast_parts.h"
#include "cpu_ref/contacts/part_boxes.h"

/// A device's casts have as many items worked out ahead, for a bound.
enum { GRAIN = 16, AHEAD = 4 };

_Static_assert(TACT_CAST_ROWS == 2 * TACT_POSED_ROWS, "the kernel counts on it");

// ---- Rows ----

static float without_dust(double x, double least)
{
    return fabs(x) < least ? 0.0f : (float)x;
}

/// What is added to the first rotation on the way to the second, or to its negative, which is the same rotation.
static void turned_by(const tact_body_cast* cast, double added[4])
{
    const tact_quat p = cast->from.rotation, q = cast->to.rotation;
    const double from[4] = {(double)p.x, (double)p.y, (double)p.z, (double)p.w};
    const double to[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    const double cosine = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    for (int k = 0; k < 4; ++k)
        added[k] = (cosine < 0.0 ? -to[k] : to[k]) - from[k];
}

void tact_cast_rows(const tact_body_cast* cast, float4 rows[TACT_CAST_ROWS])
{
    const tact_quat p = cast->from.rotation;
    double d[4];
    turned_by(cast, d);
    const double length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3];
    tact_body_rows(&cast->from, cast->shape, cast->margin, rows);
    memset(rows + TACT_POSED_ROWS, 0, (TACT_CAST_ROWS - TACT_POSED_ROWS) * sizeof *rows);
    // The chord between both rotations is seen under the largest angle where it is nearest, at 1 - length2 / 4; bodies
    // turn by twice that.
    const double bound = 2.0 * sqrt(length2 / (1.0 - 0.25 * length2)) * (1.0 + 1e-5);
    // The vector of what turns the first rotation into the other is along the axis.
    const double x = (double)p.x, y = (double)p.y, z = (double)p.z, w = (double)p.w;
    const double axis[3] = {w * d[0] - x * d[3] - z * d[1] + y * d[2], w * d[1] - y * d[3] - x * d[2] + z * d[0],
                            w * d[2] - z * d[3] - y * d[0] + x * d[1]};
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    // Two rotations that are equal but for what their lengths are off by have no axis.
    if (!(bound > 1e-6) || !(length > 1e-9)) return;
    rows[4] = (float4){without_dust(d[0], (double)TACT_CAST_LEAST), without_dust(d[1], (double)TACT_CAST_LEAST),
                       without_dust(d[2], (double)TACT_CAST_LEAST), without_dust(d[3], (double)TACT_CAST_LEAST)};
    float spin[3];
    for (int k = 0; k < 3; ++k)
        spin[k] = without_dust(axis[k] / length, (double)TACT_CAST_LEAST) * (float)bound;
    rows[5] = (float4){spin[0], spin[1], spin[2], (float)bound};
}

// ---- Boxes that a cast passes ----

/// A point that moves, and a distance that it passes boxes by.
typedef struct sweep {
    double from[3], move[3];
    double about;
    double inverse[3];  // of the motion; 0 where there is none
} sweep;

static void finish_sweep(sweep* s)
{
    for (int k = 0; k < 3; ++k) {
        s->about += 0x1p-44 * (fabs(s->from[k]) + fabs(s->move[k]));
        s->inverse[k] = fabs(s->move[k]) < 0x1p-1000 ? 0.0 : 1.0 / s->move[k];
    }
}

/// `enter` becomes when.
static bool passes(const sweep* s, const float lower[3], const float upper[3], double* enter)
{
    // What is found along the way is certain to parts of both sizes. Each step grows with the box, so that a box passes
    // where one within it does.
    double size = 0.0, first = 0.0, last = 1.0;
    for (int k = 0; k < 3; ++k) {
        const double own = (double)upper[k] - (double)lower[k];
        size = own > size ? own : size;
    }
    const double around = s->about + 1e-4 * size;
    for (int k = 0; k < 3; ++k) {
        const double low = (double)lower[k] - around - s->from[k], high = (double)upper[k] + around - s->from[k];
        if (s->inverse[k] == 0.0) {
            if (low > 0.0 || high < 0.0) return false;
            continue;
        }
        const bool up = s->inverse[k] > 0.0;
        const double in = (up ? low : high) * s->inverse[k], out = (up ? high : low) * s->inverse[k];
        first = in > first ? in : first;
        last = out < last ? out : last;
    }
    *enter = first;
    return first <= last;
}

/// A cast while its items are looked for.
typedef struct search {
    const tact_casts_job* job;
    TactShapes shapes;
    uint32_t cast, body;
    TactCore core;
    sweep world, local;
    const tact_cast_way* way;  // NULL: the shape has no parts
    bool straight;             // a ball that does not turn
    double enter;              // of the body's box
    double bound;              // what begins later is left out
    tact_cast_found_fn* found;
    void* user;
} search;

typedef void visit_fn(uint32_t id, search* s);

/// A place of a tree that is still to be looked at.
typedef struct waiting {
    const tact_bvh_child* child;
    double enter;
} waiting;

/// Visits what lies in leaves that the sweep passes, the early ones first; or with `all` everything.
static void visit_tree(const tact_bvh* tree, const sweep* w, bool all, visit_fn* visit, search* s)
{
    static const tact_bvh_child root = {.child = 0};
    waiting stack[TACT_BVH_STACK];
    uint32_t depth = 0;
    stack[depth++] = (waiting){&root, 0.0};
    while (depth > 0) {
        const waiting now = stack[--depth];
        const uint32_t first = now.child->child & ~(uint32_t)TACT_BVH_LEAF_BIT, base = depth;
        if (tact_cast_earlier(now.enter) > s->bound) continue;
        if (first != now.child->child) {
            for (uint32_t i = 0; i < now.child->count; ++i)
                visit(tree->order[first + i], s);
            continue;
        }
        for (int c = 0; c < 2; ++c) {
            const tact_bvh_child* child = &tree->nodes[first].children[c];
            const bool absent = tact_child_is_absent(child);
            double enter = 0.0;
            if (absent || (!all && !passes(w, child->lower, child->upper, &enter))) continue;
            TACT_ASSERT(depth < TACT_BVH_STACK);
            stack[depth++] = (waiting){child, enter};
        }
        if (depth == base + 2 && stack[base].enter < stack[base + 1].enter) {
            const waiting swapped = stack[base];
            stack[base] = stack[base + 1];
            stack[base + 1] = swapped;
        }
    }
}

static double size_of(const TactCore* core)
{
    return (double)core->extent + (double)core->radius;
}

/// When a point that passes at `between` of another, and moves, is within a distance of it. False: never.
static bool when_within(const double between[3], const double move[3], double distance, double* begin, double* end)
{
    double move2 = 0.0, along = 0.0, beside2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        move2 += move[k] * move[k];
        along += between[k] * move[k];
    }
    const double closest = move2 > 0.0 ? along / move2 : 0.0;
    for (int k = 0; k < 3; ++k) {
        const double beside = between[k] - closest * move[k];
        beside2 += beside * beside;
    }
    const double left2 = distance * distance - beside2;
    if (!(left2 >= 0.0)) return false;
    const double half = move2 > 0.0 ? sqrt(left2 / move2) : 2.0;
    *begin = closest - half;
    *end = closest + half;
    return *begin <= 1.0 && *end >= 0.0;
}

/// The same of a half-space, of whose motion what is along its plane is taken out, since it changes nothing.
static bool when_above(const TactBodyRow* plane, double between[3], double move[3], double distance, double* begin,
                       double* end)
{
    const TactPlaced axes = tact_axes_of(plane->qx, plane->qy, plane->qz, plane->qw);
    const double up[3] = {(double)axes.y.x, (double)axes.y.y, (double)axes.y.z};
    const double height = -(up[0] * between[0] + up[1] * between[1] + up[2] * between[2]);
    const double rise = up[0] * move[0] + up[1] * move[1] + up[2] * move[2];
    for (int k = 0; k < 3; ++k) {
        between[k] = -height * up[k];
        move[k] = rise * up[k];
    }
    *begin = height > distance ? (rise < 0.0 ? (distance - height) / rise : 2.0) : 0.0;
    *end = height < -distance || rise == 0.0 ? 1.0 : ((rise < 0.0 ? -distance : distance) - height) / rise;
    return *begin <= 1.0;
}

/// Two parts, and how the cast's moves past the body's.
typedef struct passing {
    TactPart part;
    double between[3];  // from the cast's part, where the cast begins, to the body's
    double move[3];
    double outer;  // the sizes and the margin
} passing;

static bool begin_passing(const search* s, uint32_t part, const TactCore* core, passing* p)
{
    const tact_casts_job* job = s->job;
    p->part = tact_part_of(&s->shapes, tact_body_of(job->rows, s->body), part);
    const TactBodyRow* row = &p->part.row;
    const double at[3] = {(double)row->hx + (double)row->lx, (double)row->hy + (double)row->ly,
                          (double)row->hz + (double)row->lz};
    for (int k = 0; k < 3; ++k) {
        p->between[k] = at[k] - s->world.from[k];
        p->move[k] = s->world.move[k];
    }
    p->outer = size_of(&p->part.core) + size_of(core) + (double)job->casts[s->cast].margin;
    return p->outer >= 0x1p-60 && p->outer <= 0x1p90;
}

static double start_of(const tact_cast_item* item)
{
    return (double)item->start + (double)item->start_rest;
}

/// An item from `begin` to `end`, but for its place.
static tact_cast_item item_of(const search* s, const passing* p, uint32_t part, double begin, double end)
{
    begin = begin > 0x1p-30 ? begin * (1.0 - 1e-12) : 0.0;
    end = end < 1.0 ? end * (1.0 + 1e-12) : 1.0;
    tact_cast_item item = {.cast = s->cast, .body = s->body, .part = part, .start = (float)begin};
    item.start_rest = (float)(begin - (double)item.start);
    item.span = (float)((end - start_of(&item)) * (1.0 + 1e-6));
    for (int k = 0; k < 3; ++k)
        item.move[k] = without_dust((double)item.span * p->move[k], 0x1p-40 * p->outer);
    return item;
}

static void place_item(search* s, const passing* p, tact_cast_item* item)
{
    for (int k = 0; k < 3; ++k)
        item->place[k] = without_dust(start_of(item) * p->move[k] - p->between[k], 0x1p-40 * p->outer);
    const double bound = s->found(item, s->user);
    // Others may begin before the path passes a box.
    if (s->way || s->straight) s->bound = bound;
}

/// Adds an item unless the bounding spheres never meet.
static void add_item(search* s, uint32_t part)
{
    passing p;
    if (!begin_passing(s, part, &s->core, &p)) return;
    double begin, end, reach = p.outer * (1.0 + 1e-4);
    for (int k = 0; k < 3; ++k)
        reach += 0x1p-44 * (fabs(p.between[k]) + fabs(p.move[k]));
    const bool meet = p.part.core.kind == TACT_KIND_HALF_SPACE
                          ? when_above(&p.part.row, p.between, p.move, reach, &begin, &end)
                          : when_within(p.between, p.move, reach, &begin, &end);
    if (!meet) return;
    if (s->straight && s->enter > begin) begin = s->enter;
    if (begin > end) return;
    tact_cast_item item = item_of(s, &p, part, begin, end);
    place_item(s, &p, &item);
}

static void found_part(uint32_t part, search* s)
{
    const tact_bvh_box* box = &s->job->tables->bounds[s->job->bodies[s->body].shape].boxes[part];
    double enter;
    if (passes(&s->local, box->lower, box->upper, &enter)) add_item(s, part);
}

/// From the position of the cast's shape to a part's, along the world's axes, at a fraction of its way.
static void arm_at(const search* s, uint32_t part, double fraction, double arm[3])
{
    const tact_shape_tables* t = s->job->tables;
    const tact_body_cast* cast = &s->job->casts[s->cast];
    const uint4* row = t->shapes + TACT_SHAPE_ROWS * (size_t)cast->shape;
    const size_t at = row->x == TACT_KIND_COMPOUND ? TACT_CHILD_POINTS * (size_t)part
                                                   : TACT_TRIANGLE_POINTS * (size_t)part + TACT_TRIANGLE_POINTS - 1;
    const float4 own = t->points[row->y + at];
    const double place[3] = {(double)own.x, (double)own.y, (double)own.z}, scale = (double)cast->from.scale;
    double axes[3][3];
    tact_cast_axes(s->job, s->cast, fraction, axes);
    for (int i = 0; i < 3; ++i)
        arm[i] = scale * (axes[i][0] * place[0] + axes[i][1] * place[1] + axes[i][2] * place[2]);
}

/// Of a half-space the height alone.
static void keep_height(const TactBodyRow* plane, double v[3])
{
    const TactPlaced axes = tact_axes_of(plane->qx, plane->qy, plane->qz, plane->qw);
    const double up[3] = {(double)axes.y.x, (double)axes.y.y, (double)axes.y.z};
    const double along = up[0] * v[0] + up[1] * v[1] + up[2] * v[2];
    for (int k = 0; k < 3; ++k)
        v[k] = along * up[k];
}

/// Adds an item of parts whose boxes meet.
static double found_near(const tact_cast_near* near, void* user)
{
    search* s = user;
    const TactPart own = tact_part_of(
        &s->shapes, tact_body_of(s->job->rows, (uint32_t)s->job->body_count + 2 * s->cast), near->cast_part);
    passing p;
    if (!begin_passing(s, near->part, &own.core, &p)) return s->bound;
    const bool plane = p.part.core.kind == TACT_KIND_HALF_SPACE;
    if (plane) keep_height(&p.part.row, p.move);
    tact_cast_item item = item_of(s, &p, near->part, near->begin, near->end);
    item.cast_part = near->cast_part;
    double arm[3], length = 0.0;
    arm_at(s, near->cast_part, start_of(&item), arm);
    for (int k = 0; k < 3; ++k) {
        p.between[k] -= arm[k];
        length += fabs(arm[k]);
    }
    if (s->way->count > 1 && p.outer < 0x1p-40 * length) return s->bound;
    if (plane) keep_height(&p.part.row, p.between);
    place_item(s, &p, &item);
    return s->bound;
}

/// The sweep as the body sees it, in units of its shape.
static sweep seen_by(const tact_pose* pose, const sweep* world)
{
    double axes[3][3];
    tact_quat_axes(&pose->rotation, axes);
    const double scale = (double)pose->scale, place[3] = {pose->x, pose->y, pose->z};
    sweep r = {.about = world->about / scale};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            r.from[i] += axes[k][i] * (world->from[k] - place[k]) / scale;
            r.move[i] += axes[k][i] * world->move[k] / scale;
        }
    }
    finish_sweep(&r);
    return r;
}

static void found_body(uint32_t id, search* s)
{
    const tact_casts_job* job = s->job;
    const tact_body* body = &job->bodies[id];
    const tact_aabb* box = &job->boxes[id];
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    if (!tact_box_is_there(box) || !tact_categories_meet(body->categories, job->casts[s->cast].categories)) return;
    s->enter = 0.0;
    if (!tact_box_is_endless(box) && !passes(&s->world, lower, upper, &s->enter)) return;
    s->body = id;
    if (s->way) {
        tact_cast_walk walk = {job, s->way, s->cast, id, s->enter, s->bound, found_near, s};
        tact_cast_walk_parts(&walk);
        return;
    }
    const tact_shape_bounds* bounds = &job->tables->bounds[body->shape];
    if (!bounds->tree.nodes) {
        add_item(s, 0);
        return;
    }
    s->local = seen_by(&body->pose, &s->world);
    visit_tree(&bounds->tree, &s->local, job->reference, found_part, s);
}

void tact_cast_walk_items(const tact_casts_job* job, size_t number, tact_cast_found_fn* found, void* user)
{
    const tact_body_cast* cast = &job->casts[number];
    search s = {.job = job,
                .shapes = tact_shapes_of(job->tables),
                .cast = (uint32_t)number,
                .bound = TACT_CAST_UNBOUND,
                .found = found,
                .user = user};
    tact_cast_way way;
    if (tact_cast_has_parts(job, number)) {
        tact_cast_way_make(job, number, &way);
        s.way = &way;
    }
    s.core = tact_core_of(&s.shapes, cast->shape, cast->from.scale);
    const float4* rows = job->rows + TACT_POSED_ROWS * job->body_count + (size_t)TACT_CAST_ROWS * number;
    s.straight = s.core.kind == TACT_KIND_SPHERE && rows[TACT_POSED_ROWS + 1].w == 0.0f;
    const double from[3] = {cast->from.x, cast->from.y, cast->from.z}, to[3] = {cast->to.x, cast->to.y, cast->to.z};
    s.world.about = (size_of(&s.core) + (double)cast->margin) * (1.0 + 1e-3);
    for (int k = 0; k < 3; ++k) {
        s.world.from[k] = from[k];
        s.world.move[k] = to[k] - from[k];
    }
    finish_sweep(&s.world);
    if (job->reference) {
        for (size_t i = 0; i < job->body_count; ++i)
            found_body((uint32_t)i, &s);
    } else {
        for (size_t i = 0; i < job->tree->endless_count; ++i)
            found_body(job->tree->endless[i], &s);
        visit_tree(&job->tree->tree, &s.world, false, found_body, &s);
    }
}

static int compare_items(const void* p, const void* q)
{
    const tact_cast_item *a = p, *b = q;
    const double from_a = start_of(a), from_b = start_of(b);
    if (from_a != from_b) return from_a < from_b ? -1 : 1;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return (a->cast_part > b->cast_part) - (a->cast_part < b->cast_part);
}

typedef struct items_loop {
    const tact_casts_job* job;
    TactShapes shapes;
    tact_cast_items* items;
    double* bounds;  // of each cast; NULL: there are none
} items_loop;

/// Items of a cast, counted or listed.
typedef struct gathered {
    double bound;
    tact_cast_item* items;  // NULL: they are counted
    size_t count;
} gathered;

static double gather(const tact_cast_item* item, void* user)
{
    gathered* g = user;
    // The bound holds for the first one, too.
    if (tact_cast_earlier(start_of(item)) > g->bound) return g->bound;
    if (g->items) g->items[g->count] = *item;
    ++g->count;
    return g->bound;
}

static void count_all(size_t begin, size_t end, int worker, void* user)
{
    const items_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        if (tact_casts_are_searched(l->job)) {
            l->items->first[i] = 1;
            continue;
        }
        gathered g = {.bound = TACT_CAST_UNBOUND};
        if (l->bounds) {
            tact_cast_best best = {.outcome = {0.0f, TACT_CAST_NONE}};
            if (tact_cast_has_parts(l->job, i)) tact_cast_search(l->job, &l->shapes, i, AHEAD, &best);
            if (best.outcome.state == TACT_CAST_HIT) g.bound = tact_cast_fraction(&best.item, best.outcome.along);
            l->bounds[i] = g.bound;
        }
        tact_cast_walk_items(l->job, i, gather, &g);
        l->items->first[i] = g.count;
    }
}

static void fill_all(size_t begin, size_t end, int worker, void* user)
{
    const items_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        if (tact_casts_are_searched(l->job) || l->items->first[i] == l->items->first[i + 1]) continue;
        gathered g = {.bound = l->bounds ? l->bounds[i] : TACT_CAST_UNBOUND,
                      .items = l->items->items + l->items->first[i]};
        tact_cast_walk_items(l->job, i, gather, &g);
        TACT_ASSERT(l->items->first[i] + g.count == l->items->first[i + 1]);
        qsort(g.items, g.count, sizeof *g.items, compare_items);
    }
}

tact_result tact_cast_items_find(tact_env* env, const tact_casts_job* job, tact_cast_items* items)
{
    items_loop loop = {.job = job, .shapes = tact_shapes_of(job->tables), .items = items};
    void *list = items->items, *outcomes = items->outcomes, *first = items->first, *bounds = items->bounds;
    items->count = 0;
    bool good = tact_reserve(env, &first, &items->first_capacity, 0, job->cast_count + 1, sizeof *items->first);
    items->first = first;
    good = good && tact_reserve(env, &bounds, &items->bound_capacity, 0, job->cast_count, sizeof *items->bounds);
    items->bounds = bounds;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    if (job->tables->with_parts && !job->all && !job->reference && !job->searches) loop.bounds = items->bounds;
    const int threads = job->reference ? 1 : job->threads;
    tact_parallel_for(threads, job->cast_count, GRAIN, count_all, &loop);
    const size_t total = tact_begins_of(items->first, job->cast_count);
    if (total > TACT_MAX_PAIRS) return tact_fail(env, TACT_ERROR_LIMIT, "%zu casts against parts: at most 2^30", total);
    good = tact_reserve(env, &list, &items->item_capacity, 0, total, sizeof *items->items);
    items->items = list;
    good = good && tact_reserve(env, &outcomes, &items->outcome_capacity, 0, total, sizeof *items->outcomes);
    items->outcomes = outcomes;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    items->count = total;
    tact_parallel_for(threads, job->cast_count, GRAIN, fill_all, &loop);
    return TACT_OK;
}

void tact_cast_items_release(tact_env* env, tact_cast_items* items)
{
    tact_release(env, items->items);
    tact_release(env, items->outcomes);
    tact_release(env, items->first);
    tact_release(env, items->bounds);
    memset(items, 0, sizeof *items);
}
