// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs of bodies to pairs of their parts. What a box keeps for it too much is found to have no contact, so that no
// result depends on the boxes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/contacts/part_boxes.h"
#include "cpu_ref/geometry/round_internal.h"

enum { GRAIN = 64 };

void tact_quat_axes(const tact_quat* rotation, double axes[3][3])
{
    const double x = (double)rotation->x, y = (double)rotation->y, z = (double)rotation->z, w = (double)rotation->w;
    const double scale = 2.0 / (x * x + y * y + z * z + w * w);
    const double m[3][3] = {{1.0 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y)},
                            {scale * (x * y + w * z), 1.0 - scale * (x * x + z * z), scale * (y * z - w * x)},
                            {scale * (x * z - w * y), scale * (y * z + w * x), 1.0 - scale * (x * x + y * y)}};
    memcpy(axes, m, sizeof m);
}

void tact_box_moved(const double lower[3], const double upper[3], double axes[3][3], const double at[3], double scale,
                    double radius, double low[3], double high[3])
{
    // More than contacts are rounded by.
    double size = radius;
    for (int k = 0; k < 3; ++k) {
        const double low_size = fabs(lower[k]), high_size = fabs(upper[k]);
        const double most = low_size > high_size ? low_size : high_size;
        size = most > size ? most : size;
    }
    const double slack = 4e-5 * size * scale;
    for (int i = 0; i < 3; ++i) {
        double middle = at[i], half = radius * scale + slack + 1e-6 * fabs(at[i]);
        for (int k = 0; k < 3; ++k) {
            middle += axes[i][k] * 0.5 * (lower[k] + upper[k]) * scale;
            half += fabs(axes[i][k]) * 0.5 * (upper[k] - lower[k]) * scale;
        }
        low[i] = middle - half;
        high[i] = middle + half;
    }
}

tact_seen tact_seen_from(const tact_pose* a, const tact_pose* b)
{
    double of_a[3][3], of_b[3][3];
    tact_quat_axes(&a->rotation, of_a);
    tact_quat_axes(&b->rotation, of_b);
    const double between[3] = {b->x - a->x, b->y - a->y, b->z - a->z}, scale = (double)a->scale;
    tact_seen s;
    for (int i = 0; i < 3; ++i) {
        s.at[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            s.at[i] += of_a[k][i] * between[k] / scale;
            s.axes[i][k] = of_a[0][i] * of_b[0][k] + of_a[1][i] * of_b[1][k] + of_a[2][i] * of_b[2][k];
        }
    }
    s.scale = (double)b->scale / scale;
    return s;
}

tact_part_box tact_part_cover(const tact_part_box* box, const tact_seen* other, double margin)
{
    tact_part_box r;
    double axes[3][3];
    memcpy(axes, other->axes, sizeof axes);
    tact_box_moved(box->lower, box->upper, axes, other->at, other->scale, box->radius, r.lower, r.upper);
    r.radius = 0.0;
    for (int k = 0; k < 3; ++k) {
        r.lower[k] -= margin;
        r.upper[k] += margin;
    }
    return r;
}

static bool meets(const float lower[3], const float upper[3], const tact_part_box* box)
{
    for (int k = 0; k < 3; ++k) {
        const double slack = tact_part_slack(lower[k], upper[k]);
        if ((double)lower[k] - slack > box->upper[k] || (double)upper[k] + slack < box->lower[k]) return false;
    }
    return true;
}

/// A body as parts of another are compared with it, in the frame and units of the latter's shape.
typedef struct part_probe {
    float low[3], high[3];              // no less than the next, for trees
    tact_part_box box;                  // of axes of that frame
    bool turned;                        // it has the next four too
    double at[3], axes[3][3], half[3];  // the middle of its own box, its axes by columns, and its half lengths
    double reach;                       // around that, margins included
    const tact_shape_tables* tables;    // NULL: the parts are no triangles
    const uint4* mesh;                  // their shape
} part_probe;

static float at_most(double x)
{
    return d_sum_down((dsum){x, 0.0});
}

static float at_least(double x)
{
    return d_sum_up((dsum){x, 0.0});
}

static part_probe make_probe(const tact_shape_tables* t, uint32_t surface, const tact_part_box* own,
                             const tact_seen* seen, double margin)
{
    part_probe p = {.box = tact_part_cover(own, seen, margin), .turned = true};
    double size = own->radius, far = 0.0;
    for (int i = 0; i < 3; ++i)
        size = fmax(size, fmax(fabs(own->lower[i]), fabs(own->upper[i])));
    memcpy(p.axes, seen->axes, sizeof p.axes);
    for (int i = 0; i < 3; ++i) {
        p.at[i] = seen->at[i];
        p.half[i] = 0.5 * (own->upper[i] - own->lower[i]) * seen->scale;
        for (int k = 0; k < 3; ++k)
            p.at[i] += seen->axes[i][k] * 0.5 * (own->lower[k] + own->upper[k]) * seen->scale;
        far = fmax(far, fabs(seen->at[i]));
        p.low[i] = at_most(p.box.lower[i]);
        p.high[i] = at_least(p.box.upper[i]);
    }
    // As much more as tact_box_moved() adds.
    p.reach = (own->radius + 4e-5 * size) * seen->scale + 1e-6 * far + margin;
    if (tact_shape_kind(t, surface) == TACT_KIND_MESH) {
        p.tables = t;
        p.mesh = t->shapes + TACT_SHAPE_ROWS * (size_t)surface;
    }
    return p;
}

/// Whether a part's box may meet a body that is turned.
static bool meets_turned(const tact_bvh_box* box, const part_probe* p)
{
    double c[3], e[3], beyond2 = 0.0;
    for (int i = 0; i < 3; ++i) {
        c[i] = 0.5 * ((double)box->lower[i] + (double)box->upper[i]) - p->at[i];
        e[i] = 0.5 * ((double)box->upper[i] - (double)box->lower[i]) + tact_part_slack(box->lower[i], box->upper[i]);
        const double beyond = fmax(fabs(c[i]) - e[i], 0.0);
        beyond2 += beyond * beyond;
    }
    if (p->half[0] == 0.0 && p->half[1] == 0.0 && p->half[2] == 0.0) return beyond2 <= p->reach * p->reach;
    for (int k = 0; k < 3; ++k) {
        double along = 0.0, reach = p->half[k] + p->reach;
        for (int i = 0; i < 3; ++i) {
            along += c[i] * p->axes[i][k];
            reach += e[i] * fabs(p->axes[i][k]);
        }
        if (fabs(along) > reach) return false;
    }
    return true;
}

/// Whether the body comes near the plane of a triangle.
static bool meets_plane(uint32_t part, const tact_bvh_box* box, const part_probe* p)
{
    const float4 place = p->tables->points[p->mesh[0].y + TACT_TRIANGLE_POINTS * (size_t)part + 3];
    const uint4 plane = p->tables->faces[TACT_FACE_ROWS * ((size_t)p->mesh[0].w + (size_t)2 * part)];
    const double n[3] = {(double)as_float(plane.x), (double)as_float(plane.y), (double)as_float(plane.z)};
    const double from[3] = {p->at[0] - (double)place.x, p->at[1] - (double)place.y, p->at[2] - (double)place.z};
    double along = -(double)as_float(plane.w), reach = p->reach + (double)as_float(p->mesh[2].x);
    for (int k = 0; k < 3; ++k) {
        along += n[k] * from[k];
        reach += p->half[k] * fabs(n[0] * p->axes[0][k] + n[1] * p->axes[1][k] + n[2] * p->axes[2][k]);
        reach += tact_part_slack(box->lower[k], box->upper[k]) + 1e-6 * fabs(from[k]);
    }
    return fabs(along) <= reach;
}

static bool meets_part(const tact_shape_bounds* shape, uint32_t part, const part_probe* p)
{
    const tact_bvh_box* box = &shape->boxes[part];
    if (!meets(box->lower, box->upper, &p->box)) return false;
    return !p->turned || (meets_turned(box, p) && (!p->tables || meets_plane(part, box, p)));
}

/// Whether the box of a tree's node, which has room for what is rounded, meets a body's.
static bool is_near(const tact_bvh_child* c, const part_probe* p)
{
    const bool x = (c->lower[0] <= p->high[0]) & (c->upper[0] >= p->low[0]),
               y = (c->lower[1] <= p->high[1]) & (c->upper[1] >= p->low[1]),
               z = (c->lower[2] <= p->high[2]) & (c->upper[2] >= p->low[2]);
    return x & y & z;
}

/// What is done with each part that is found.
typedef void found_fn(uint32_t part, void* user);

static void find_parts(const tact_shape_bounds* shape, const part_probe* probe, found_fn* found, void* user)
{
    uint32_t stack[TACT_BVH_STACK], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const tact_bvh_node* node = &shape->tree.nodes[stack[--depth]];
        for (int c = 0; c < 2; ++c) {
            const tact_bvh_child* child = &node->children[c];
            if (!is_near(child, probe)) continue;
            if (!(child->child & (uint32_t)TACT_BVH_LEAF_BIT)) {
                TACT_ASSERT(depth < TACT_BVH_STACK);
                stack[depth++] = child->child;
                continue;
            }
            const uint32_t first = child->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
            for (uint32_t i = 0; i < child->count; ++i) {
                const uint32_t part = shape->tree.order[first + i];
                if (meets_part(shape, part, probe)) found(part, user);
            }
        }
    }
}

/// The parts that GRAIN pairs may touch by.
typedef struct found_parts {
    tact_pair* rows;
    size_t count, capacity;
    bool failed;  // out of memory
} found_parts;

typedef struct expansion {
    const tact_env* env;
    const tact_shape_tables* tables;
    const tact_body* bodies;
    const tact_pair* pairs;
    size_t* first;       // of each pair's rows
    found_parts* found;  // of each piece
    tact_contact_items* items;
    bool all;  // whatever their boxes are
} expansion;

/// A pair while its parts are looked for.
typedef struct pair_search {
    const expansion* e;
    const tact_shape_bounds *a, *b;
    uint32_t shape_b;
    tact_seen a_from_b;
    double margin_b;  // in units of B's shape
    uint32_t part_a;
    found_parts* to;
    bool good;
} pair_search;

#define WITHOUT_END ((double)INFINITY)

static const part_probe everywhere = {
    .low = {-INFINITY, -INFINITY, -INFINITY},
    .high = {INFINITY, INFINITY, INFINITY},
    .box = {{-WITHOUT_END, -WITHOUT_END, -WITHOUT_END}, {WITHOUT_END, WITHOUT_END, WITHOUT_END}, 0.0}};

static void found_both(uint32_t part, void* user)
{
    pair_search* s = user;
    found_parts* to = s->to;
    if (to->count == to->capacity) {
        void* rows = to->rows;
        s->good = s->good && tact_reserve_in_loop(s->e->env, &rows, &to->capacity, to->count,
                                                  to->count + 8 * (size_t)GRAIN, sizeof *to->rows);
        to->rows = rows;
        if (!s->good) return;
    }
    to->rows[to->count++] = (tact_pair){s->part_a, part};
}

static void found_first(uint32_t part, void* user)
{
    pair_search* s = user;
    s->part_a = part;
    if (!s->b->tree.nodes) {
        found_both(0, s);
        return;
    }
    part_probe probe = everywhere;
    tact_part_box box = {.radius = 0.0};
    for (int k = 0; k < 3; ++k) {
        box.lower[k] = (double)s->a->boxes[part].lower[k];
        box.upper[k] = (double)s->a->boxes[part].upper[k];
    }
    if (!s->e->all) probe = make_probe(s->e->tables, s->shape_b, &box, &s->a_from_b, s->margin_b);
    find_parts(s->b, &probe, found_both, s);
}

tact_part_box tact_shape_box(const tact_shape_tables* t, uint32_t shape)
{
    tact_part_box r;
    memcpy(r.lower, t->bounds[shape].lower, sizeof r.lower);
    memcpy(r.upper, t->bounds[shape].upper, sizeof r.upper);
    r.radius = t->bounds[shape].radius;
    return r;
}

static int compare_parts(const void* p, const void* q)
{
    const tact_pair *a = p, *b = q;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

/// Few are sorted in place.
static void sort_parts(tact_pair* parts, size_t count)
{
    enum { FEW = 48 };
    if (count > FEW) {
        qsort(parts, count, sizeof *parts, compare_parts);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const tact_pair own = parts[i];
        size_t k = i;
        for (; k > 0 && compare_parts(&own, &parts[k - 1]) < 0; --k)
            parts[k] = parts[k - 1];
        parts[k] = own;
    }
}

/// Adds the parts of a pair that may touch. False: out of memory.
static bool search(const expansion* e, tact_pair pair, found_parts* to)
{
    const tact_body *a = &e->bodies[pair.a], *b = &e->bodies[pair.b];
    const tact_shape_tables* t = e->tables;
    pair_search s = {
        .e = e, .a = &t->bounds[a->shape], .b = &t->bounds[b->shape], .shape_b = b->shape, .to = to, .good = true};
    const size_t before = to->count;
    const double margin = ((double)a->margin + (double)b->margin) * (1.0 + 1e-6);
    if (tact_shape_kind(t, a->shape) == TACT_KIND_MESH && tact_shape_kind(t, b->shape) == TACT_KIND_MESH) return true;
    if (!s.a->tree.nodes && !s.b->tree.nodes) {
        found_both(0, &s);
        return s.good;
    }
    s.a_from_b = tact_seen_from(&b->pose, &a->pose);
    s.margin_b = margin / (double)b->pose.scale;
    part_probe probe = everywhere;
    if (s.a->tree.nodes) {
        const tact_part_box own = tact_shape_box(t, b->shape);
        const tact_seen b_from_a = tact_seen_from(&a->pose, &b->pose);
        if (tact_shape_kind(t, b->shape) != TACT_KIND_HALF_SPACE && !e->all)
            probe = make_probe(t, a->shape, &own, &b_from_a, margin / (double)a->pose.scale);
        find_parts(s.a, &probe, found_first, &s);
    } else {
        const tact_part_box own = tact_shape_box(t, a->shape);
        if (tact_shape_kind(t, a->shape) != TACT_KIND_HALF_SPACE && !e->all)
            probe = make_probe(t, b->shape, &own, &s.a_from_b, s.margin_b);
        find_parts(s.b, &probe, found_both, &s);
    }
    if (s.good) sort_parts(to->rows + before, to->count - before);
    return s.good;
}

static void search_all(size_t begin, size_t end, int worker, void* user)
{
    const expansion* e = user;
    found_parts* to = &e->found[begin / GRAIN];
    (void)worker;
    bool good = true;
    for (size_t i = begin; good && i < end; ++i) {
        const size_t before = to->count;
        good = search(e, e->pairs[i], to);
        e->first[i] = to->count - before;
    }
    to->failed = !good;
}

static void put_all(size_t begin, size_t end, int worker, void* user)
{
    const expansion* e = user;
    found_parts* from = &e->found[begin / GRAIN];
    (void)worker;
    TACT_ASSERT(e->first[begin] + from->count == e->first[end]);
    if (from->count > 0) memcpy(e->items->parts + e->first[begin], from->rows, from->count * sizeof *from->rows);
    for (size_t i = begin; i < end; ++i)
        for (size_t k = e->first[i]; k < e->first[i + 1]; ++k)
            e->items->pairs[k] = e->pairs[i];
}

size_t tact_begins_of(size_t* counts, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i <= count; ++i) {
        const size_t own = i < count ? counts[i] : 0;
        counts[i] = total;
        total += own;
    }
    return total;
}

tact_result tact_contact_items_find(tact_env* env, int threads, const tact_shape_tables* tables,
                                    const tact_body* bodies, const tact_pair* pairs, size_t count, bool all,
                                    tact_contact_items* items)
{
    const size_t pieces = (count + GRAIN - 1) / GRAIN;
    expansion e = {env, tables, bodies, pairs, tact_allocate(env, count + 1, sizeof *e.first), NULL, items, all};
    e.found = e.first ? tact_allocate_zeroed(env, pieces + 1, sizeof *e.found) : NULL;
    tact_result result = e.found ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) tact_parallel_for(threads, count, GRAIN, search_all, &e);
    for (size_t p = 0; result == TACT_OK && p < pieces; ++p) {
        if (e.found[p].failed) result = tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: pairs of parts");
    }
    const size_t total = result == TACT_OK ? tact_begins_of(e.first, count) : 0;
    if (total > TACT_MAX_PAIRS) result = tact_fail(env, TACT_ERROR_LIMIT, "%zu pairs of parts: at most 2^30", total);
    if (result == TACT_OK) {
        void *item_pairs = items->pairs, *parts = items->parts;
        bool good = tact_reserve(env, &item_pairs, &items->capacity, 0, total, sizeof *items->pairs);
        items->pairs = item_pairs;
        good = good && tact_reserve(env, &parts, &items->part_capacity, 0, total, sizeof *items->parts);
        items->parts = parts;
        if (!good) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    items->count = result == TACT_OK ? total : 0;
    if (result == TACT_OK) tact_parallel_for(threads, count, GRAIN, put_all, &e);
    for (size_t p = 0; e.found && p < pieces; ++p)
        tact_release(env, e.found[p].rows);
    tact_release(env, e.found);
    tact_release(env, e.first);
    return result;
}

void tact_contact_items_release(tact_env* env, tact_contact_items* items)
{
    tact_release(env, items->pairs);
    tact_release(env, items->parts);
    memset(items, 0, sizeof *items);
}
