// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "apps/bench/geometry_trees.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT, MANY = TACT_TREE_BOXES, LEVELS = 8 };

typedef struct octree_bench {
    tact_tree_boxes data;
    tact_loose_octree* tree;
    tact_octree linear;  ///< of the boxes' lower corners
    tact_implicit_grid* rows;
    bool there;  ///< boxes are where they have moved to
} octree_bench;

static const tact_aabb world = {{-60, -60, -60}, {60, 60, 60}};

static void release(void* own)
{
    octree_bench* b = own;
    if (!b) return;
    tact_loose_octree_destroy(b->tree);
    tact_octree_free(&b->linear);
    tact_implicit_grid_destroy(b->rows);
    free(b);
}

static tact_loose_octree* fill(const tact_aabb* boxes, size_t count)
{
    tact_loose_octree* tree = NULL;
    bool good = tact_loose_octree_create(world, LEVELS, NULL, &tree) == TACT_OK;
    for (size_t i = 0; i < count && good; ++i) {
        uint32_t id;
        good = tact_loose_octree_insert(tree, boxes[i], &id) == TACT_OK;
    }
    if (good) return tree;
    tact_loose_octree_destroy(tree);
    return NULL;
}

static void* make(const tact_geometry_data* d)
{
    octree_bench* b = calloc(1, sizeof *b);
    tact_vec3* points = malloc(MANY * sizeof *points);
    bool good = b && points;
    (void)d;
    if (good) {
        tact_tree_boxes_make(&b->data);
        for (size_t i = 0; i < MANY; ++i)
            points[i] = b->data.boxes[i].lower;
        b->tree = fill(b->data.boxes, MANY);
        good = b->tree && tact_octree_make(points, MANY, NULL, NULL, &b->linear) == TACT_OK &&
               tact_implicit_grid_create(b->data.boxes, MANY, 0, NULL, &b->rows) == TACT_OK;
    }
    free(points);
    if (good) return b;
    release(b);
    return NULL;
}

static size_t make_again(const tact_geometry_data* d, void* own)
{
    const octree_bench* b = own;
    tact_loose_octree* tree = fill(b->data.asked, N);
    const size_t count = tact_loose_octree_get_info(tree).count;
    (void)d;
    tact_loose_octree_destroy(tree);
    return count;
}

static bool count_one(uint32_t id, void* user)
{
    (void)id;
    ++*(size_t*)user;
    return true;
}

static size_t in_boxes(const tact_geometry_data* d, void* own)
{
    const octree_bench* b = own;
    size_t count = 0;
    (void)d;
    for (size_t i = 0; i < N; ++i)
        tact_loose_octree_each_in_box(b->tree, b->data.asked[i], count_one, &count);
    return count;
}

static size_t in_rows(const tact_geometry_data* d, void* own)
{
    const octree_bench* b = own;
    size_t count = 0;
    (void)d;
    for (size_t i = 0; i < N; ++i)
        tact_implicit_grid_each_in_box(b->rows, b->data.asked[i], count_one, &count);
    return count;
}

/// Of the 4,096 boxes alone that are asked for elsewhere.
static void* make_few(const tact_geometry_data* d)
{
    octree_bench* b = calloc(1, sizeof *b);
    (void)d;
    if (!b) return NULL;
    tact_tree_boxes_make(&b->data);
    if (tact_implicit_grid_create(b->data.boxes, N, 0, NULL, &b->rows) == TACT_OK) return b;
    release(b);
    return NULL;
}

static float count_met(uint32_t id, const tact_ray* ray, float end, void* user)
{
    (void)ray;
    count_one(id, user);
    return end;
}

static size_t on_rays(const tact_geometry_data* d, void* own)
{
    const octree_bench* b = own;
    size_t count = 0;
    (void)d;
    for (size_t i = 0; i < N; ++i)
        tact_loose_octree_ray(b->tree, &b->data.rays[i], count_met, &count);
    return count;
}

static size_t moves(const tact_geometry_data* d, void* own)
{
    octree_bench* b = own;
    size_t count = 0;
    (void)d;
    b->there = !b->there;
    for (size_t i = 0; i < N; ++i) {
        const size_t id = i * (MANY / N);
        const tact_aabb to = b->there ? b->data.moved[i] : b->data.boxes[id];
        count += tact_loose_octree_move(b->tree, (uint32_t)id, to) == TACT_OK;
    }
    return count;
}

static size_t comes_and_goes(const tact_geometry_data* d, void* own)
{
    octree_bench* b = own;
    size_t count = 0;
    (void)d;
    for (size_t i = 0; i < N; ++i) {
        uint32_t id = (uint32_t)(i * (MANY / N));
        count += tact_loose_octree_remove(b->tree, id) == TACT_OK &&
                 tact_loose_octree_insert(b->tree, b->data.boxes[id], &id) == TACT_OK;
    }
    return count;
}

static size_t leaves(const tact_geometry_data* d, void* own)
{
    const octree_bench* b = own;
    size_t count = 0;
    (void)d;
    for (size_t i = 0; i < N; ++i)
        count += tact_octree_find(&b->linear, b->data.boxes[i * (MANY / N)].lower) != TACT_OCTREE_NONE;
    return count;
}

size_t tact_geometry_ways_octrees(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        {"volumes: make", "loose octree", false, make, make_again, release},
        {"volumes: in a box", "loose octree", false, make, in_boxes, release},
        {"volumes: in a box", "implicit grid", false, make, in_rows, release},
        {"volumes: in a box, of 4096", "implicit grid", false, make_few, in_rows, release},
        {"volumes: on a ray", "loose octree", false, make, on_rays, release},
        {"volumes: move", "loose octree", false, make, moves, release},
        {"volumes: out and in", "loose octree", false, make, comes_and_goes, release},
        {"points: leaf of one", "linear octree", false, make, leaves, release}};
    *ways = all;
    return sizeof all / sizeof all[0];
}
