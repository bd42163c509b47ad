// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs of bodies to pairs of their parts. What a box keeps for it too much is found to have no contact, so that no
// result depends on the boxes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/contacts/part_boxes.h"

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

static const tact_part_box everything = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}, 0.0};

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

/// What is done with each part that is found.
typedef void found_fn(uint32_t part, void* user);

static void find_parts(const tact_shape_bounds* shape, const tact_part_box* box, found_fn* found, void* user)
{
    uint32_t stack[TACT_BVH_STACK], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const tact_bvh_node* node = &shape->tree.nodes[stack[--depth]];
        for (int c = 0; c < 2; ++c) {
            const tact_bvh_child* child = &node->children[c];
            if (!meets(child->lower, child->upper, box)) continue;
            if (!(child->child & (uint32_t)TACT_BVH_LEAF_BIT)) {
                TACT_ASSERT(depth < TACT_BVH_STACK);
                stack[depth++] = child->child;
                continue;
            }
            const uint32_t first = child->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
            for (uint32_t i = 0; i < child->count; ++i) {
                const uint32_t part = shape->tree.order[first + i];
                if (meets(shape->boxes[part].lower, shape->boxes[part].upper, box)) found(part, user);
            }
        }
    }
}

typedef struct expansion {
    const tact_shape_tables* tables;
    const tact_body* bodies;
    const tact_pair* pairs;
    size_t* first;  // of each pair's rows
    tact_contact_items* items;
    bool all;  // whatever their boxes are
} expansion;

/// A pair while its parts are looked for.
typedef struct pair_search {
    const expansion* e;
    const tact_shape_bounds *a, *b;
    tact_seen b_from_a, a_from_b;
    double margin_b;  // in units of B's shape
    uint32_t part_a;
    tact_pair* parts;  // NULL: they are counted
    size_t count;
} pair_search;

static void found_both(uint32_t part, void* user)
{
    pair_search* s = user;
    if (s->parts) s->parts[s->count] = (tact_pair){s->part_a, part};
    ++s->count;
}

static void found_first(uint32_t part, void* user)
{
    pair_search* s = user;
    s->part_a = part;
    if (!s->b->tree.nodes) {
        found_both(0, s);
        return;
    }
    tact_part_box box = {.radius = 0.0};
    for (int k = 0; k < 3; ++k) {
        box.lower[k] = (double)s->a->boxes[part].lower[k];
        box.upper[k] = (double)s->a->boxes[part].upper[k];
    }
    box = s->e->all ? everything : tact_part_cover(&box, &s->a_from_b, s->margin_b);
    find_parts(s->b, &box, found_both, s);
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

/// Counts the parts of a pair that may touch, or writes them to `parts`.
static size_t search(const expansion* e, tact_pair pair, tact_pair* parts)
{
    const tact_body *a = &e->bodies[pair.a], *b = &e->bodies[pair.b];
    const tact_shape_tables* t = e->tables;
    pair_search s = {.e = e, .a = &t->bounds[a->shape], .b = &t->bounds[b->shape], .parts = parts};
    if (tact_shape_kind(t, a->shape) == TACT_KIND_MESH && tact_shape_kind(t, b->shape) == TACT_KIND_MESH) return 0;
    if (!s.a->tree.nodes && !s.b->tree.nodes) {
        found_both(0, &s);
        return 1;
    }
    const double margin = ((double)a->margin + (double)b->margin) * (1.0 + 1e-6);
    s.b_from_a = tact_seen_from(&a->pose, &b->pose);
    s.a_from_b = tact_seen_from(&b->pose, &a->pose);
    s.margin_b = margin / (double)b->pose.scale;
    if (s.a->tree.nodes) {
        const tact_part_box own = tact_shape_box(t, b->shape);
        const tact_part_box box = tact_shape_kind(t, b->shape) == TACT_KIND_HALF_SPACE
                                      ? everything
                                      : tact_part_cover(&own, &s.b_from_a, margin / (double)a->pose.scale);
        find_parts(s.a, &box, found_first, &s);
    } else {
        const tact_part_box own = tact_shape_box(t, a->shape);
        const tact_part_box box = e->all || tact_shape_kind(t, a->shape) == TACT_KIND_HALF_SPACE
                                      ? everything
                                      : tact_part_cover(&own, &s.a_from_b, s.margin_b);
        find_parts(s.b, &box, found_both, &s);
    }
    if (parts) qsort(parts, s.count, sizeof *parts, compare_parts);
    return s.count;
}

static void count_all(size_t begin, size_t end, int worker, void* user)
{
    const expansion* e = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        e->first[i] = search(e, e->pairs[i], NULL);
}

static void fill_all(size_t begin, size_t end, int worker, void* user)
{
    const expansion* e = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const size_t count = search(e, e->pairs[i], e->items->parts + e->first[i]);
        TACT_ASSERT(e->first[i] + count == e->first[i + 1]);
        for (size_t k = 0; k < count; ++k)
            e->items->pairs[e->first[i] + k] = e->pairs[i];
    }
}

tact_result tact_contact_items_find(tact_env* env, int threads, const tact_shape_tables* tables,
                                    const tact_body* bodies, const tact_pair* pairs, size_t count, bool all,
                                    tact_contact_items* items)
{
    expansion e = {tables, bodies, pairs, tact_allocate(env, count + 1, sizeof *e.first), items, all};
    if (!e.first) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, count, GRAIN, count_all, &e);
    size_t total = 0;
    for (size_t i = 0; i <= count; ++i) {
        const size_t own = i < count ? e.first[i] : 0;
        e.first[i] = total;
        total += own;
    }
    tact_result result = TACT_OK;
    void *item_pairs = items->pairs, *parts = items->parts;
    if (total > TACT_MAX_PAIRS) {
        result = tact_fail(env, TACT_ERROR_LIMIT, "%zu pairs of parts: at most 2^30", total);
    } else {
        bool good = tact_reserve(env, &item_pairs, &items->capacity, 0, total, sizeof *items->pairs);
        items->pairs = item_pairs;
        good = good && tact_reserve(env, &parts, &items->part_capacity, 0, total, sizeof *items->parts);
        items->parts = parts;
        if (!good) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    items->count = result == TACT_OK ? total : 0;
    if (result == TACT_OK) tact_parallel_for(threads, count, GRAIN, fill_all, &e);
    tact_release(env, e.first);
    return result;
}

void tact_contact_items_release(tact_env* env, tact_contact_items* items)
{
    tact_release(env, items->pairs);
    tact_release(env, items->parts);
    memset(items, 0, sizeof *items);
}
