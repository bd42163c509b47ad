// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/geometry_trees.h"

#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT, MANY = TACT_TREE_BOXES };

static tact_vec3 place(tact_random* r, tact_vec3 around, double by)
{
    const float x = (float)tact_random_between(r, -by, by), y = (float)tact_random_between(r, -by, by);
    return (tact_vec3){around.x + x, around.y + y, around.z + (float)tact_random_between(r, -by, by)};
}

static tact_aabb box_at(tact_random* r, tact_vec3 at, double size)
{
    const tact_vec3 half = {(float)tact_random_between(r, 0.1 * size, size),
                            (float)tact_random_between(r, 0.1 * size, size),
                            (float)tact_random_between(r, 0.1 * size, size)};
    return (tact_aabb){{at.x - half.x, at.y - half.y, at.z - half.z}, {at.x + half.x, at.y + half.y, at.z + half.z}};
}

/// Half of them anywhere, half in clusters; most small, one in 64 large.
void tact_tree_boxes_make(tact_tree_boxes* d)
{
    tact_random r = {17};
    const tact_vec3 zero = {0, 0, 0};
    tact_vec3 cluster = zero;
    for (size_t i = 0; i < MANY; ++i) {
        if (i % 128 == 0) cluster = place(&r, zero, 45.0);
        const tact_vec3 at = i % 2 ? place(&r, cluster, 4.0) : place(&r, zero, 50.0);
        d->boxes[i] = box_at(&r, at, i % 64 == 0 ? 1.5 : 0.25);
    }
    for (size_t i = 0; i < N; ++i) {
        const tact_vec3 at = place(&r, zero, 50.0), to = place(&r, zero, 50.0);
        d->asked[i] = box_at(&r, at, 2.0);
        d->points[i] = at;
        d->rays[i] = (tact_ray){at.x, at.y, at.z, 0.0f, to.x - at.x, to.y - at.y, to.z - at.z, 1.0f};
        const tact_aabb b = d->boxes[i * (MANY / N)];
        const float by = 0.1f;
        d->moved[i] =
            (tact_aabb){{b.lower.x + by, b.lower.y, b.lower.z - by}, {b.upper.x + by, b.upper.y, b.upper.z - by}};
    }
}

typedef struct tree_bench {
    tact_tree_boxes data;
    tact_volume_tree* tree;
    tact_volume_front* front;
    bool there;  ///< boxes are where they have moved to
} tree_bench;

static void release(void* own)
{
    tree_bench* b = own;
    if (!b) return;
    tact_volume_front_destroy(b->front);
    tact_volume_tree_destroy(b->tree);
    free(b);
}

static void* make_of(size_t count, int quality)
{
    tree_bench* b = calloc(1, sizeof *b);
    if (!b) return NULL;
    tact_tree_boxes_make(&b->data);
    const tact_aabb* boxes = count == N ? b->data.asked : b->data.boxes;
    bool good = tact_volume_tree_create(boxes, quality < 0 ? 0 : count,
                                        quality < 0 ? TACT_VOLUME_TREE_FAST : (tact_volume_tree_quality)quality, NULL,
                                        &b->tree) == TACT_OK;
    for (size_t i = 0; quality < 0 && i < count && good; ++i) {
        uint32_t id;
        good = tact_volume_tree_insert(b->tree, boxes[i], &id) == TACT_OK;
    }
    good = good && tact_volume_front_create(b->tree, b->tree, TACT_DESCEND_LARGER, 0, NULL, &b->front) == TACT_OK;
    if (good) return b;
    release(b);
    return NULL;
}

#define MAKE(name, count, quality)                 \
    static void* name(const tact_geometry_data* d) \
    {                                              \
        (void)d;                                   \
        return make_of((count), (quality));        \
    }

MAKE(many_fast, MANY, TACT_VOLUME_TREE_FAST)
MAKE(many_medium, MANY, TACT_VOLUME_TREE_MEDIUM)
MAKE(many_high, MANY, TACT_VOLUME_TREE_HIGH)
MAKE(many_single, MANY, -1)
MAKE(few_medium, N, TACT_VOLUME_TREE_MEDIUM)

/// Of the first boxes, not of those that are asked for.
static void* first_medium(const tact_geometry_data* d)
{
    tree_bench* b = make_of(N, TACT_VOLUME_TREE_MEDIUM);
    (void)d;
    if (b && tact_volume_tree_refit(b->tree, b->data.boxes, N) == TACT_OK &&
        tact_volume_tree_rebuild(b->tree, TACT_VOLUME_TREE_MEDIUM) == TACT_OK) {
        return b;
    }
    release(b);
    return NULL;
}

#define RUN(name) static size_t name(const tact_geometry_data* geometry, void* own)

/// Made anew.
static size_t make_again(void* own, int quality)
{
    const tree_bench* b = own;
    tact_volume_tree* tree = NULL;
    size_t count = 0;
    const bool single = quality < 0;
    tact_volume_tree_create(b->data.asked, single ? 0 : N,
                            single ? TACT_VOLUME_TREE_FAST : (tact_volume_tree_quality)quality, NULL, &tree);
    for (size_t i = 0; single && tree && i < N; ++i) {
        uint32_t id;
        if (tact_volume_tree_insert(tree, b->data.asked[i], &id) != TACT_OK) break;
    }
    count = tact_volume_tree_get_info(tree).count;
    tact_volume_tree_destroy(tree);
    return count;
}

RUN(make_fast)
{
    (void)geometry;
    return make_again(own, TACT_VOLUME_TREE_FAST);
}

RUN(make_medium)
{
    (void)geometry;
    return make_again(own, TACT_VOLUME_TREE_MEDIUM);
}

RUN(make_high)
{
    (void)geometry;
    return make_again(own, TACT_VOLUME_TREE_HIGH);
}

RUN(make_single)
{
    (void)geometry;
    return make_again(own, -1);
}

static bool count_one(uint32_t id, void* user)
{
    (void)id;
    ++*(size_t*)user;
    return true;
}

RUN(in_boxes)
{
    const tree_bench* b = own;
    size_t count = 0;
    (void)geometry;
    for (size_t i = 0; i < N; ++i)
        tact_volume_tree_each_in_box(b->tree, b->data.asked[i], count_one, &count);
    return count;
}

static float count_met(uint32_t id, const tact_ray* ray, float end, void* user)
{
    (void)id;
    (void)ray;
    ++*(size_t*)user;
    return end;
}

RUN(on_rays)
{
    const tree_bench* b = own;
    size_t count = 0;
    (void)geometry;
    for (size_t i = 0; i < N; ++i)
        tact_volume_tree_ray(b->tree, &b->data.rays[i], count_met, &count);
    return count;
}

RUN(nearest)
{
    const tree_bench* b = own;
    tact_volume_neighbour found[8];
    size_t count = 0;
    (void)geometry;
    for (size_t i = 0; i < N; ++i) {
        tact_volume_tree_nearest(b->tree, b->data.points[i], 1e30f, NULL, NULL, found, 8);
        count += found[7].id % 7;
    }
    return count;
}

RUN(moves)
{
    tree_bench* b = own;
    size_t count = 0;
    (void)geometry;
    b->there = !b->there;
    for (size_t i = 0; i < N; ++i) {
        const size_t id = i * (MANY / N);
        const tact_aabb to = b->there ? b->data.moved[i] : b->data.boxes[id];
        count += tact_volume_tree_move(b->tree, (uint32_t)id, to) == TACT_OK;
    }
    return count;
}

RUN(comes_and_goes)
{
    tree_bench* b = own;
    size_t count = 0;
    (void)geometry;
    for (size_t i = 0; i < N; ++i) {
        uint32_t id = (uint32_t)(i * (MANY / N));
        count += tact_volume_tree_remove(b->tree, id) == TACT_OK &&
                 tact_volume_tree_insert(b->tree, b->data.boxes[id], &id) == TACT_OK;
    }
    return count;
}

static bool count_pair(uint32_t one, uint32_t other, void* user)
{
    (void)one;
    (void)other;
    ++*(size_t*)user;
    return true;
}

static size_t pairs_by(void* own, tact_descent rule)
{
    const tree_bench* b = own;
    size_t count = 0;
    tact_volume_tree_each_pair(b->tree, b->tree, rule, count_pair, &count);
    return count;
}

RUN(pairs_larger)
{
    (void)geometry;
    return pairs_by(own, TACT_DESCEND_LARGER);
}

RUN(pairs_first)
{
    (void)geometry;
    return pairs_by(own, TACT_DESCEND_FIRST);
}

RUN(pairs_both)
{
    (void)geometry;
    return pairs_by(own, TACT_DESCEND_BOTH);
}

RUN(pairs_alternate)
{
    (void)geometry;
    return pairs_by(own, TACT_DESCEND_ALTERNATE);
}

RUN(pairs_front)
{
    const tree_bench* b = own;
    size_t count = 0;
    (void)geometry;
    tact_volume_front_each_pair(b->front, count_pair, &count);
    return count;
}

#define ROW(test, variant, make, run)                        \
    {                                                        \
        "volumes: " test, variant, false, make, run, release \
    }
#define QUALITIES(test, run)                                                                                     \
    ROW(test, "fast", many_fast, run), ROW(test, "medium", many_medium, run), ROW(test, "high", many_high, run), \
        ROW(test, "one by one", many_single, run)

size_t tact_geometry_ways_trees(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {ROW("make", "fast", few_medium, make_fast),
                                            ROW("make", "medium", few_medium, make_medium),
                                            ROW("make", "high", few_medium, make_high),
                                            ROW("make", "one by one", few_medium, make_single),
                                            QUALITIES("in a box", in_boxes),
                                            ROW("in a box, of 4096", "medium", first_medium, in_boxes),
                                            QUALITIES("on a ray", on_rays),
                                            QUALITIES("nearest 8", nearest),
                                            ROW("move", "medium", many_medium, moves),
                                            ROW("out and in", "medium", many_medium, comes_and_goes),
                                            ROW("pairs", "larger", few_medium, pairs_larger),
                                            ROW("pairs", "first", few_medium, pairs_first),
                                            ROW("pairs", "both", few_medium, pairs_both),
                                            ROW("pairs", "alternate", few_medium, pairs_alternate),
                                            ROW("pairs", "front", few_medium, pairs_front)};
    *ways = all;
    return sizeof all / sizeof all[0];
}
