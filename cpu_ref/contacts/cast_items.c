// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts to items: the parts of bodies whose boxes a cast passes. The boxes of bodies and parts belong to the
// definition; the trees over them do not, since a box within another is passed only where that is.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/contacts/casts.h"

enum { GRAIN = 16 };

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

static bool passes(const sweep* s, const float lower[3], const float upper[3])
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
        const double enter = (up ? low : high) * s->inverse[k], leave = (up ? high : low) * s->inverse[k];
        first = enter > first ? enter : first;
        last = leave < last ? leave : last;
    }
    return first <= last;
}

typedef void visit_fn(uint32_t id, void* user);

/// Visits what lies in leaves that the sweep passes; or with `all` everything.
static void visit_tree(const tact_bvh* tree, const sweep* s, bool all, visit_fn* visit, void* user)
{
    uint32_t stack[TACT_BVH_STACK], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const tact_bvh_node* node = &tree->nodes[stack[--depth]];
        for (int c = 0; c < 2; ++c) {
            const tact_bvh_child* child = &node->children[c];
            const bool leaf = (child->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
            if ((leaf && child->count == 0) || (!all && !passes(s, child->lower, child->upper))) continue;
            if (!leaf) {
                TACT_ASSERT(depth < TACT_BVH_STACK);
                stack[depth++] = child->child;
                continue;
            }
            const uint32_t first = child->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
            for (uint32_t i = 0; i < child->count; ++i)
                visit(tree->order[first + i], user);
        }
    }
}

/// A cast while its items are looked for.
typedef struct search {
    const tact_casts_job* job;
    TactShapes shapes;
    uint32_t cast, body;
    TactCore core;
    sweep world, local;
    tact_cast_item* items;  // NULL: they are counted
    size_t count;
} search;

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

/// Adds an item unless the bounding spheres never meet.
static void add_item(search* s, uint32_t part)
{
    const tact_casts_job* job = s->job;
    const tact_body_cast* cast = &job->casts[s->cast];
    const TactPart of = tact_part_of(&s->shapes, tact_body_of(job->rows, s->body), part);
    const double at[3] = {(double)of.row.hx + (double)of.row.lx, (double)of.row.hy + (double)of.row.ly,
                          (double)of.row.hz + (double)of.row.lz};
    const double outer = size_of(&of.core) + size_of(&s->core) + (double)cast->margin;
    if (!(outer >= 0x1p-60 && outer <= 0x1p90)) return;
    double between[3], move[3], begin, end, reach = outer * (1.0 + 1e-4);
    for (int k = 0; k < 3; ++k) {
        between[k] = at[k] - s->world.from[k];
        move[k] = s->world.move[k];
        reach += 0x1p-44 * (fabs(between[k]) + fabs(move[k]));
    }
    const bool meet = of.core.kind == TACT_KIND_HALF_SPACE ? when_above(&of.row, between, move, reach, &begin, &end)
                                                           : when_within(between, move, reach, &begin, &end);
    if (!meet) return;
    begin = begin > 0x1p-30 ? begin * (1.0 - 1e-12) : 0.0;
    end = end < 1.0 ? end * (1.0 + 1e-12) : 1.0;
    if (s->items) {
        tact_cast_item* item = &s->items[s->count];
        *item = (tact_cast_item){.cast = s->cast, .body = s->body, .part = part, .start = (float)begin};
        item->start_rest = (float)(begin - (double)item->start);
        const double start = (double)item->start + (double)item->start_rest;
        item->span = (float)((end - start) * (1.0 + 1e-6));
        for (int k = 0; k < 3; ++k) {
            item->place[k] = without_dust(start * move[k] - between[k], 0x1p-40 * outer);
            item->move[k] = without_dust((double)item->span * move[k], 0x1p-40 * outer);
        }
    }
    ++s->count;
}

static void found_part(uint32_t part, void* user)
{
    search* s = user;
    const tact_bvh_box* box = &s->job->tables->bounds[s->job->bodies[s->body].shape].boxes[part];
    if (passes(&s->local, box->lower, box->upper)) add_item(s, part);
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

static void found_body(uint32_t id, void* user)
{
    search* s = user;
    const tact_casts_job* job = s->job;
    const tact_body* body = &job->bodies[id];
    const tact_aabb* box = &job->boxes[id];
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    if (!tact_box_is_there(box) || !tact_categories_meet(body->categories, job->casts[s->cast].categories)) return;
    if (!tact_box_is_endless(box) && !passes(&s->world, lower, upper)) return;
    const tact_shape_bounds* bounds = &job->tables->bounds[body->shape];
    s->body = id;
    if (!bounds->tree.nodes) {
        add_item(s, 0);
        return;
    }
    s->local = seen_by(&body->pose, &s->world);
    visit_tree(&bounds->tree, &s->local, job->reference, found_part, s);
}

static int compare_items(const void* p, const void* q)
{
    const tact_cast_item *a = p, *b = q;
    const double from_a = (double)a->start + (double)a->start_rest, from_b = (double)b->start + (double)b->start_rest;
    if (from_a != from_b) return from_a < from_b ? -1 : 1;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

/// Counts the items of a cast, or writes them to `items`.
static size_t find_items(const tact_casts_job* job, size_t number, tact_cast_item* items)
{
    const tact_body_cast* cast = &job->casts[number];
    search s = {.job = job, .shapes = tact_shapes_of(job->tables), .cast = (uint32_t)number, .items = items};
    s.core = tact_core_of(&s.shapes, cast->shape, cast->from.scale);
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
    if (items) qsort(items, s.count, sizeof *items, compare_items);
    return s.count;
}

typedef struct items_loop {
    const tact_casts_job* job;
    tact_cast_items* items;
} items_loop;

static void count_all(size_t begin, size_t end, int worker, void* user)
{
    const items_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        l->items->first[i] = find_items(l->job, i, NULL);
}

static void fill_all(size_t begin, size_t end, int worker, void* user)
{
    const items_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        if (l->items->first[i] == l->items->first[i + 1]) continue;
        const size_t count = find_items(l->job, i, l->items->items + l->items->first[i]);
        TACT_ASSERT(l->items->first[i] + count == l->items->first[i + 1]);
        (void)count;
    }
}

tact_result tact_cast_items_find(tact_env* env, const tact_casts_job* job, tact_cast_items* items)
{
    const items_loop loop = {job, items};
    void *list = items->items, *outcomes = items->outcomes, *first = items->first;
    items->count = 0;
    bool good = tact_reserve(env, &first, &items->first_capacity, 0, job->cast_count + 1, sizeof *items->first);
    items->first = first;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    const int threads = job->reference ? 1 : job->threads;
    tact_parallel_for(threads, job->cast_count, GRAIN, count_all, (void*)&loop);
    const size_t total = tact_begins_of(items->first, job->cast_count);
    if (total > TACT_MAX_PAIRS) return tact_fail(env, TACT_ERROR_LIMIT, "%zu casts against parts: at most 2^30", total);
    good = tact_reserve(env, &list, &items->item_capacity, 0, total, sizeof *items->items);
    items->items = list;
    good = good && tact_reserve(env, &outcomes, &items->outcome_capacity, 0, total, sizeof *items->outcomes);
    items->outcomes = outcomes;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    items->count = total;
    tact_parallel_for(threads, job->cast_count, GRAIN, fill_all, (void*)&loop);
    return TACT_OK;
}

void tact_cast_items_release(tact_env* env, tact_cast_items* items)
{
    tact_release(env, items->items);
    tact_release(env, items->outcomes);
    tact_release(env, items->first);
    memset(items, 0, sizeof *items);
}
