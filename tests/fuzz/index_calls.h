// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Calls of the spatial indices made of bytes: trees that change must find what a look at all finds.

#include "tact/geometry.h"
#include "tests/fuzz/call_input.h"

typedef struct count_found {
    uint32_t count, last;
} count_found;

static bool count_id(uint32_t id, void* user)
{
    count_found* c = user;
    ++c->count;
    c->last = id;
    return true;
}

static bool count_id_pair(uint32_t a, uint32_t b, void* user)
{
    return count_id(a < b ? a : b, user);
}

static float shorten(uint32_t id, const tact_ray* ray, float end, void* user)
{
    (void)ray;
    count_id(id, user);
    return id % 3 ? end : 0.5f * end;
}

static void check_tree(input* in, const tact_volume_tree* tree, uint32_t end)
{
    float x[14];
    numbers(in, x, 14);
    const tact_aabb box = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    count_found in_box = {0, 0}, in_sphere = {0, 0}, on_ray = {0, 0};
    uint32_t expected = 0;
    for (uint32_t id = 0; id < end; ++id)
        expected += tact_aabb_overlaps_aabb(box, tact_volume_tree_box(tree, id));
    tact_volume_tree_each_in_box(tree, box, count_id, &in_box);
    if (in_box.count != expected) die("boxes in a box");
    tact_volume_tree_each_in_sphere(tree, (tact_sphere){{x[6], x[7], x[8]}, x[9]}, count_id, &in_sphere);
    const tact_ray ray = {x[0], x[1], x[2], 0.0f, x[10], x[11], x[12], x[13]};
    tact_volume_tree_ray(tree, &ray, shorten, &on_ray);
    tact_volume_neighbour near[4];
    const size_t found = tact_volume_tree_nearest(tree, box.lower, x[13], NULL, NULL, near, 4);
    for (size_t i = 1; i < found; ++i)
        if (near[i].distance2 < near[i - 1].distance2) die("the nearest are not in order");
    const tact_volume_tree_info info = tact_volume_tree_get_info(tree);
    if (on_ray.count > info.count || in_sphere.count > info.count || found > info.count)
        die("more boxes than there are");
    if (info.height > TACT_VOLUME_TREE_HEIGHT) die("a tree that is too high");
}

static bool follow(tact_voxel cell, float t, void* user)
{
    tact_voxel* last = user;
    (void)t;
    if (last->x != UINT32_MAX && (cell.x + 1 - last->x > 2 || cell.y + 1 - last->y > 2 || cell.z + 1 - last->z > 2))
        die("a ray leaves out cells");
    *last = cell;
    return true;
}

static void cells(input* in)
{
    tact_vec3 points[MOST];
    uint32_t indices[3 * MOST];
    tact_voxels* v = NULL;
    float x[10];
    numbers(in, &points[0].x, 3 * MOST);
    numbers(in, x, 10);
    for (size_t i = 0; i < 3 * MOST; ++i)
        indices[i] = byte(in) % (MOST + (i % 8 == 0));
    tact_voxel_grid grid = {points[0], x[0], {1 + byte(in) % 40, 1 + byte(in) % 40, 1 + byte(in) % 40}};
    const tact_aabb box = {points[1], points[2]};
    if (byte(in) % 2) (void)tact_voxel_grid_fit(box, byte(in), &grid);
    const tact_ray ray = {x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]};
    tact_voxel last = {UINT32_MAX, 0, 0};
    tact_voxel_each_on_ray(&grid, &ray, follow, &last);
    if (tact_voxels_create(&grid, TACT_VOXELS_SPARSE, NULL, &v) != TACT_OK) return;
    const tact_mesh_view mesh = {points, MOST, indices, below(in, MOST + 1)};
    (void)tact_voxels_fill_points(v, points, MOST);
    (void)tact_voxels_fill_triangles(v, &mesh);
    (void)tact_voxels_fill_solid(v, &mesh);
    const tact_voxel_hit hit = tact_voxels_ray(v, &ray);
    if (hit.hit && !tact_voxels_get(v, hit.cell)) die("a hit with an empty cell");
    tact_voxels_destroy(v);
}

static void portals(input* in)
{
    enum { CELLS = 6 };
    tact_vec3 points[MOST], eye;
    tact_portal doors[8];
    tact_portals* graph = NULL;
    uint32_t seen[CELLS], count = 0;
    float m[16];
    numbers(in, &points[0].x, 3 * MOST);
    numbers(in, &eye.x, 3);
    numbers(in, m, 16);
    for (size_t i = 0; i < 8; ++i) {
        const tact_portal door = {{byte(in) % CELLS, byte(in) % CELLS}, byte(in) % MOST, byte(in) % 8 ? 3 : byte(in)};
        // Those that are good are kept.
        if (tact_portals_create(&door, 1, points, MOST, CELLS, NULL, &graph) == TACT_OK) doors[count++] = door;
        tact_portals_destroy(graph);
    }
    if (tact_portals_create(doors, count, points, MOST, CELLS, NULL, &graph) != TACT_OK) die("good portals together");
    tact_frustum f;
    const bool has_frustum = tact_frustum_from_matrix(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &f);
    tact_portal_view view = {.eye = eye, .cell = byte(in) % CELLS, .limit = byte(in), .cells = seen, .capacity = CELLS};
    view.frustum = has_frustum ? &f : NULL;
    if (tact_portals_see(graph, &view) == TACT_OK && (view.count < 1 || view.count > CELLS)) die("cells seen");
    tact_portals_destroy(graph);
}

static void bit_rows(input* in)
{
    tact_aabb boxes[MOST];
    tact_implicit_grid* grid = NULL;
    uint32_t ids[MOST];
    numbers(in, &boxes[0].lower.x, 6 * MOST);
    const uint32_t slabs = byte(in);
    uint32_t count = 0;
    for (uint32_t i = 0; i < MOST; ++i)
        if (!tact_aabb_is_empty(boxes[i])) boxes[count++] = boxes[i];
    if (tact_implicit_grid_create(boxes, count, slabs, NULL, &grid) != TACT_OK) die("boxes that are none");
    for (uint32_t k = 0; k < MOST; ++k) {
        size_t expected = 0;
        for (uint32_t i = 0; i < count; ++i)
            expected += tact_aabb_overlaps_aabb(boxes[k], boxes[i]);
        if (tact_implicit_grid_in_box(grid, boxes[k], ids, MOST) != expected) die("boxes of bit rows");
    }
    tact_implicit_grid_destroy(grid);
}

static void octrees(input* in)
{
    tact_aabb boxes[MOST], world;
    tact_octree linear;
    tact_loose_octree* loose = NULL;
    count_found found = {0, 0};
    uint32_t id, expected = 0, there = 0;
    numbers(in, &boxes[0].lower.x, 6 * MOST);
    numbers(in, &world.lower.x, 6);
    const tact_octree_settings settings = {.leaf_points = byte(in) % 8, .levels = byte(in) % 24};
    if (tact_octree_make(&boxes[0].lower, 2 * below(in, MOST + 1), &settings, NULL, &linear) == TACT_OK) {
        for (uint32_t i = 0; i < linear.point_count; ++i)
            if (tact_octree_find(&linear, (&boxes[0].lower)[i]) >= linear.leaf_count) die("a point in no leaf");
        tact_octree_each_in_box(&linear, boxes[0], count_id, &found);
        tact_octree_free(&linear);
    }
    if (tact_loose_octree_create(world, byte(in) % 22, NULL, &loose) != TACT_OK) return;
    for (uint32_t i = 0; i < MOST; ++i)
        there += tact_loose_octree_insert(loose, boxes[i], &id) == TACT_OK;
    for (uint32_t i = 0; i < MOST; ++i) {
        const uint32_t at = byte(in) % MOST;
        if (tact_loose_octree_move(loose, at, boxes[byte(in) % MOST]) == TACT_OK && byte(in) % 3 == 0)
            there -= tact_loose_octree_remove(loose, at) == TACT_OK;
    }
    found.count = 0;
    const tact_aabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    tact_loose_octree_each_in_box(loose, all, count_id, &found);
    expected = (uint32_t)tact_loose_octree_get_info(loose).count;
    if (found.count != expected || there != expected) die("boxes of a loose octree");
    tact_loose_octree_destroy(loose);
}

static void volume_trees(input* in)
{
    enum { BOXES = 24, CHANGES = 40 };
    tact_aabb boxes[BOXES];
    tact_volume_tree* tree = NULL;
    tact_volume_front* front = NULL;
    uint32_t id;
    numbers(in, &boxes[0].lower.x, 6 * BOXES);
    if (tact_volume_tree_create(boxes, below(in, BOXES + 1), (tact_volume_tree_quality)(byte(in) % 4), NULL, &tree) !=
            TACT_OK &&
        tact_volume_tree_create(NULL, 0, TACT_VOLUME_TREE_FAST, NULL, &tree) != TACT_OK) {
        return;
    }
    if (tact_volume_front_create(tree, tree, (tact_descent)(byte(in) % 5), byte(in), NULL, &front) != TACT_OK) {
        tact_volume_tree_destroy(tree);
        return;
    }
    for (int i = 0; i < CHANGES; ++i) {
        const tact_aabb* box = &boxes[byte(in) % BOXES];
        const tact_aabb up = {{fminf(box->lower.x, box->upper.x), fminf(box->lower.y, box->upper.y), 0.0f},
                              {fmaxf(box->lower.x, box->upper.x), fmaxf(box->lower.y, box->upper.y), 1.0f}};
        const uint32_t some = byte(in) % (BOXES + CHANGES);
        switch (byte(in) % 6) {
            case 0:
                (void)tact_volume_tree_insert(tree, *box, &id);
                break;
            case 1:
                (void)tact_volume_tree_insert(tree, up, &id);
                break;
            case 2:
                (void)tact_volume_tree_remove(tree, some);
                break;
            case 3:
                (void)tact_volume_tree_move(tree, some, up);
                break;
            case 4:
                (void)tact_volume_tree_optimise(tree, 1);
                break;
            default:
                (void)tact_volume_tree_rebuild(tree, (tact_volume_tree_quality)(byte(in) % 3));
                break;
        }
        if (i % 8) continue;
        count_found a = {0, 0}, b = {0, 0};
        check_tree(in, tree, tact_volume_tree_get_info(tree).id_end);
        tact_volume_tree_each_pair(tree, tree, TACT_DESCEND_LARGER, count_id_pair, &a);
        tact_volume_front_each_pair(front, count_id_pair, &b);
        if (a.count != b.count) die("a front finds other pairs");
        if (a.count != tact_volume_tree_count_pairs(tree, tree, (tact_descent)(i / 8 % 4)).found)
            die("other pairs are counted");
    }
    tact_volume_front_destroy(front);
    tact_volume_tree_destroy(tree);
}
