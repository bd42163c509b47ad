// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a tree of volumes has in a box, a sphere or a frustum, along a ray, and near a point.

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/index/box_tests.h"
#include "cpu_ref/index/id_list.h"
#include "cpu_ref/index/volume_tree.h"

static tact_aabb box_of(const tact_bvh_child* child)
{
    return (tact_aabb){{child->lower[0], child->lower[1], child->lower[2]},
                       {child->upper[0], child->upper[1], child->upper[2]}};
}

/// Square of the distance of a point from a box; grows with no box that holds this one. Infinite for what is not there.
static double distance2(const double point[3], const tact_bvh_child* child)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double below = (double)child->lower[k] - point[k], above = point[k] - (double)child->upper[k];
        const double out = below > above ? below : above;
        if (out > 0.0) sum += out * out;
    }
    return sum;
}

// ---- Boxes, spheres ----

typedef bool meets_fn(const void* shape, const tact_bvh_child* child);

static bool meets_box(const void* shape, const tact_bvh_child* child)
{
    return tact_sides_meet(shape, child->lower, child->upper);
}

/// A sphere, with the square of a radius that is larger by more than rounding.
typedef struct wide_sphere {
    tact_sphere sphere;
    double center[3], reach2;
} wide_sphere;

static bool meets_sphere(const void* shape, const tact_bvh_child* child)
{
    const wide_sphere* s = shape;
    if (!(distance2(s->center, child) <= s->reach2)) return false;
    return !tact_volume_is_leaf(child) || tact_sphere_overlaps_aabb(s->sphere, box_of(child));
}

static inline bool walk(const tact_volume_tree* tree, meets_fn* meets, const void* shape, tact_volume_fn* found,
                        void* user)
{
    uint32_t stack[TACT_VOLUME_STACK], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const tact_bvh_node* node = &tree->nodes[stack[--depth]];
        for (int side = 1; side >= 0; --side) {
            const tact_bvh_child* child = &node->children[side];
            if (!meets(shape, child) || child->child == TACT_VOLUME_ABSENT) continue;
            if (tact_volume_is_leaf(child)) {
                if (!found(tact_volume_id(child), user)) return false;
            } else {
                TACT_ASSERT(depth < TACT_VOLUME_STACK);
                TACT_PREFETCH(&tree->nodes[child->child]);
                stack[depth++] = child->child;
            }
        }
    }
    return true;
}

bool tact_volume_tree_each_in_box(const tact_volume_tree* tree, tact_aabb box, tact_volume_fn* found, void* user)
{
    return tact_aabb_is_empty(box) || walk(tree, meets_box, &box, found, user);
}

bool tact_volume_tree_each_in_sphere(const tact_volume_tree* tree, tact_sphere sphere, tact_volume_fn* found,
                                     void* user)
{
    const double r = (double)sphere.radius;
    const wide_sphere s = {
        sphere, {(double)sphere.center.x, (double)sphere.center.y, (double)sphere.center.z}, r * r * (1.0 + 0x1p-20)};
    return !(r >= 0.0) || walk(tree, meets_sphere, &s, found, user);
}

// ---- Frusta ----

bool tact_volume_tree_each_in_frustum(const tact_volume_tree* tree, const tact_frustum* frustum, tact_volume_fn* found,
                                      void* user)
{
    typedef struct entry {
        uint32_t node, planes;
    } entry;
    entry stack[TACT_VOLUME_STACK];
    uint32_t depth = 0;
    if (!frustum->planes) return true;
    stack[depth++] = (entry){0, frustum->planes};
    while (depth > 0) {
        const entry e = stack[--depth];
        for (int side = 1; side >= 0; --side) {
            const tact_bvh_child* child = &tree->nodes[e.node].children[side];
            uint32_t planes = e.planes;
            if (child->child == TACT_VOLUME_ABSENT) continue;
            if (!tact_volume_is_leaf(child)) {
                TACT_ASSERT(depth < TACT_VOLUME_STACK);
                if (tact_sides_may_be_in(frustum, child->lower, child->upper, &planes))
                    stack[depth++] = (entry){child->child, planes};
                continue;
            }
            if (planes && tact_frustum_aabb_masked(frustum, box_of(child), &planes, NULL) == TACT_OUTSIDE) continue;
            if (!found(tact_volume_id(child), user)) return false;
        }
    }
    return true;
}

// ---- In numbers ----

static int by_id(const void* a, const void* b)
{
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

tact_result tact_volume_tree_find(const tact_volume_tree* tree, const tact_volume_tree_work* work)
{
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    if (!work) return tact_null(NULL, "work");
    if (!work->offsets) return tact_null(NULL, "offsets");
    if (!work->ids && work->capacity) return tact_null(NULL, "ids");
    const int kinds = (work->boxes != NULL) + (work->spheres != NULL) + (work->frusta != NULL);
    if (kinds == 0 && work->count) return tact_null(NULL, "boxes");
    if (kinds > 1)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%d of boxes, spheres and frusta are given, not one",
                         kinds);
    tact_id_list l = {.ids = work->ids, .capacity = work->capacity};
    for (size_t i = 0; i < work->count; ++i) {
        work->offsets[i] = l.count;
        if (work->boxes) {
            tact_volume_tree_each_in_box(tree, work->boxes[i], tact_list_id, &l);
        } else if (work->spheres) {
            tact_volume_tree_each_in_sphere(tree, work->spheres[i], tact_list_id, &l);
        } else {
            tact_volume_tree_each_in_frustum(tree, &work->frusta[i], tact_list_id, &l);
        }
        const uint64_t some = l.count - work->offsets[i];
        if (some > 1 && l.count <= l.capacity) qsort(l.ids + work->offsets[i], (size_t)some, sizeof *l.ids, by_id);
    }
    work->offsets[work->count] = l.count;
    return l.count <= l.capacity ? TACT_OK : TACT_INCOMPLETE;
}

// ---- Rays ----

float tact_volume_tree_ray(const tact_volume_tree* tree, const tact_ray* ray, tact_volume_ray_fn* met, void* user)
{
    typedef struct entry {
        uint32_t child;
        float from;
    } entry;
    entry stack[TACT_VOLUME_STACK + 1];
    uint32_t depth = 0;
    float end = ray->tmax;
    if (!d_ray_valid(ray)) return end;
    const tact_slab_ray r = tact_slab_ray_of(ray);
    stack[depth++] = (entry){0, ray->tmin};
    while (depth > 0) {
        const entry e = stack[--depth];
        if (e.from > end) continue;
        if (e.child & TACT_VOLUME_BIT) {
            const float now = met(e.child & ~TACT_VOLUME_BIT, ray, end, user);
            end = now < end ? now : end;
            if (end < ray->tmin) break;
            continue;
        }
        const tact_bvh_child* children = tree->nodes[e.child].children;
        float from[2];
        bool meets[2];
        for (int side = 0; side < 2; ++side)
            meets[side] = children[side].child != TACT_VOLUME_ABSENT &&
                          tact_sides_on_ray(&r, children[side].lower, children[side].upper, end, &from[side]);
        const int near = meets[0] && meets[1] && from[1] < from[0];
        for (int i = 1; i >= 0; --i) {
            const int side = i ? !near : near;
            TACT_ASSERT(depth < TACT_VOLUME_STACK + 1);
            if (meets[side]) stack[depth++] = (entry){children[side].child, from[side]};
        }
    }
    return end;
}

// ---- Nearest ----

enum { QUEUE = 256 };

typedef struct near_entry {
    double distance2;
    uint32_t child;  ///< a node, or a box with the leaf bit
} near_entry;

/// A search for the nearest: a heap with the nearest child on top, and what has been found, in order.
typedef struct near_search {
    const tact_volume_tree* tree;
    tact_vec3 point;
    double at[3];
    float limit2;
    tact_volume_distance_fn* distance;
    void* user;
    tact_volume_neighbour* found;
    size_t count, most;
    uint32_t queued;
    near_entry queue[QUEUE];
} near_search;

/// Whether what is in a box at this distance may be among those found.
static bool may_count(const near_search* s, double d)
{
    return d * (1.0 - 0x1p-20) <= (double)s->limit2;
}

static bool comes_before(const tact_volume_neighbour* a, const tact_volume_neighbour* b)
{
    return a->distance2 < b->distance2 || (a->distance2 == b->distance2 && a->id < b->id);
}

static void measure(near_search* s, uint32_t id, double box_distance2)
{
    const float own = box_distance2 <= (double)FLT_MAX ? (float)box_distance2 : INFINITY;
    const float d = s->distance ? s->distance(id, s->point, s->limit2, s->user) : own;
    const tact_volume_neighbour n = {id, d};
    if (!(d <= s->limit2 && d < INFINITY)) return;
    if (s->count == s->most && !comes_before(&n, &s->found[s->count - 1])) return;
    size_t i = s->count < s->most ? s->count++ : s->count - 1;
    for (; i > 0 && comes_before(&n, &s->found[i - 1]); --i)
        s->found[i] = s->found[i - 1];
    s->found[i] = n;
    if (s->count == s->most) s->limit2 = s->found[s->count - 1].distance2;
}

/// Nearer ones first; of equal ones nodes before boxes, then by number.
static bool is_nearer(const near_entry* a, const near_entry* b)
{
    return a->distance2 < b->distance2 || (a->distance2 == b->distance2 && a->child < b->child);
}

static void push(near_search* s, near_entry e)
{
    uint32_t i = s->queued++;
    for (; i > 0 && is_nearer(&e, &s->queue[(i - 1) / 2]); i = (i - 1) / 2)
        s->queue[i] = s->queue[(i - 1) / 2];
    s->queue[i] = e;
}

static near_entry pop(near_search* s)
{
    const near_entry top = s->queue[0], last = s->queue[--s->queued];
    uint32_t i = 0;
    for (;;) {
        uint32_t next = 2 * i + 1;
        if (next >= s->queued) break;
        if (next + 1 < s->queued && is_nearer(&s->queue[next + 1], &s->queue[next])) ++next;
        if (!is_nearer(&s->queue[next], &last)) break;
        s->queue[i] = s->queue[next];
        i = next;
    }
    s->queue[i] = last;
    return top;
}

/// Searches what is under a child at once, nearer sides first.
static void search_below(near_search* s, near_entry from)
{
    near_entry stack[TACT_VOLUME_STACK + 1];
    uint32_t depth = 0;
    stack[depth++] = from;
    while (depth > 0) {
        const near_entry e = stack[--depth];
        if (!may_count(s, e.distance2)) continue;
        if (e.child & TACT_VOLUME_BIT) {
            measure(s, e.child & ~TACT_VOLUME_BIT, e.distance2);
            continue;
        }
        const tact_bvh_child* children = s->tree->nodes[e.child].children;
        const near_entry sides[2] = {{distance2(s->at, &children[0]), children[0].child},
                                     {distance2(s->at, &children[1]), children[1].child}};
        const int near = is_nearer(&sides[1], &sides[0]);
        TACT_ASSERT(depth + 1 < TACT_VOLUME_STACK + 1 && sides[!near].child != TACT_VOLUME_ABSENT);
        stack[depth++] = sides[!near];
        stack[depth++] = sides[near];
    }
}

static void search_best_first(near_search* s)
{
    push(s, (near_entry){0.0, 0});
    while (s->queued > 0) {
        const near_entry e = pop(s);
        if (!may_count(s, e.distance2)) return;
        if (e.child & TACT_VOLUME_BIT) {
            measure(s, e.child & ~TACT_VOLUME_BIT, e.distance2);
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            const tact_bvh_child* child = &s->tree->nodes[e.child].children[side];
            const near_entry next = {distance2(s->at, child), child->child};
            if (child->child == TACT_VOLUME_ABSENT || !may_count(s, next.distance2)) continue;
            if (s->queued < QUEUE) {
                push(s, next);
            } else {
                search_below(s, next);
            }
        }
    }
}

size_t tact_volume_tree_nearest(const tact_volume_tree* tree, tact_vec3 point, float limit2,
                                tact_volume_distance_fn* distance, void* user, tact_volume_neighbour* found,
                                size_t most)
{
    near_search s;
    if (!isfinite(point.x) || !isfinite(point.y) || !isfinite(point.z) || !(limit2 >= 0.0f) || most == 0) return 0;
    s.tree = tree;
    s.point = point;
    s.at[0] = (double)point.x;
    s.at[1] = (double)point.y;
    s.at[2] = (double)point.z;
    s.limit2 = limit2;
    s.distance = distance;
    s.user = user;
    s.found = found;
    s.count = 0;
    s.most = most;
    s.queued = 0;
    search_best_first(&s);
    return s.count;
}
