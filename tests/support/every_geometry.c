// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Geometry that takes memory, as entries of every_query.c. It is without a context.

#include "tact/geometry.h"

#include "tests/support/every_query_inner.h"

#define TRY_BARE(w, call) TRY_(w, call, NULL, false)

tact_result every_query_geometry(query_world* w)
{
    enum { POINTS = 40 };
    test_random r = {w->seed};
    tact_vec3 points[POINTS];
    tact_vec2 flat[POINTS];
    uint32_t indices[3 * 20], across[3 * 20];
    tact_hull_mesh hull = {0};
    tact_mesh_copy copy = {0}, flat_copy = {0};
    tact_bsp tree = {0};
    tact_convex_mesh convex = {0};
    tact_decomposition pieces = {0};
    tact_hull_hierarchy hierarchy = {0};
    tact_polygon_parts parts = {0};
    tact_mesh_report report;
    tact_mesh_mended mended;
    tact_obb box;
    tact_result result;
    fill(&r, &points[0].x, 3 * POINTS, 1);
    fill(&r, &flat[0].x, 2 * POINTS, 1);
    for (size_t i = 0; i < 3 * 20; ++i)
        indices[i] = test_random_below(&r, POINTS);
    TRY_BARE(w, tact_hull_mesh_2d(flat, POINTS, w->allocator, &hull));
    put(w, hull.vertices, hull.vertex_count * sizeof *hull.vertices);
    tact_hull_mesh_free(&hull);
    hull = (tact_hull_mesh){0};
    TRY_BARE(w, tact_hull_mesh_3d(points, POINTS, w->allocator, &hull));
    put(w, hull.vertices, hull.vertex_count * sizeof *hull.vertices);
    const tact_mesh_view mesh = {points, POINTS, indices, 20};
    TRY_BARE(w, tact_mesh_report_make(&mesh, w->allocator, &report));
    put_words(w, &report.area, sizeof report.area, sizeof report.area);
    TRY_BARE(w, tact_mesh_adjacency(indices, 20, POINTS, w->allocator, across));
    put(w, across, sizeof across);
    TRY_BARE(w, tact_mesh_repair(&mesh, w->allocator, &copy));
    put(w, copy.positions, copy.vertex_count * sizeof *copy.positions);
    put(w, copy.indices, 3 * copy.triangle_count * sizeof *copy.indices);
    tact_mesh_copy_free(&copy);
    const tact_mesh_mend_options mending = {.tolerance = 0.125f};
    TRY_BARE(w, tact_mesh_mend(&mesh, &mending, w->allocator, &copy, &mended));
    put(w, copy.positions, copy.vertex_count * sizeof *copy.positions);
    put(w, copy.indices, 3 * copy.triangle_count * sizeof *copy.indices);
    // A tetrahedron: most meshes at random enclose nothing.
    const tact_vec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t sides[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const tact_mesh_view solid = {tetrahedron, 4, sides, 4};
    const tact_bsp_settings strict = {.no_crossings = true};
    TRY_BARE(w, tact_bsp_make(&solid, &strict, w->allocator, &tree));
    put(w, tree.faces, tree.face_count * sizeof *tree.faces);
    const tact_vec3 moved[4] = {{0.25f, 0.125f, 0.25f}, {1, 0, 0.5f}, {0.0f, 1.5f, 0}, {0.25f, 0, 1}};
    const tact_mesh_view other = {moved, 4, sides, 4};
    tact_mesh_copy_free(&copy);
    TRY_BARE(w, tact_mesh_combine(&solid, &other, TACT_MESH_DIFFERENCE, w->allocator, &copy, NULL));
    put(w, copy.positions, copy.vertex_count * sizeof *copy.positions);
    put(w, copy.indices, 3 * copy.triangle_count * sizeof *copy.indices);
    const tact_mesh_view left = {copy.positions, copy.vertex_count, copy.indices, copy.triangle_count};
    for (int k = 0; k < 2; ++k) {
        TRY_BARE(w, tact_mesh_merge_flat(&left, 0.125f * (float)k, w->allocator, &flat_copy, NULL));
        put(w, flat_copy.positions, flat_copy.vertex_count * sizeof *flat_copy.positions);
        put(w, flat_copy.indices, 3 * flat_copy.triangle_count * sizeof *flat_copy.indices);
        tact_mesh_copy_free(&flat_copy);
    }
    size_t crossings;
    TRY_BARE(w, tact_mesh_crossings(&other, w->allocator, across, 0, &crossings));
    const uint64_t crossing_pairs = crossings;
    put_words(w, &crossing_pairs, sizeof crossing_pairs, sizeof crossing_pairs);
    // The same with a pit in a side.
    const tact_vec3 bent_points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25f, 0.25f, 0.25f}};
    const uint32_t bent_sides[18] = {0, 2, 4, 2, 1, 4, 1, 0, 4, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const tact_mesh_view bent = {bent_points, 5, bent_sides, 6};
    const tact_decompose_settings parting = {.most = 2, .excess = 0.25f};
    TRY_BARE(w, tact_mesh_decompose(&bent, &parting, w->allocator, &pieces));
    for (size_t i = 0; i < pieces.count; ++i) {
        put(w, pieces.parts[i].positions, pieces.parts[i].vertex_count * sizeof *pieces.parts[i].positions);
        put(w, pieces.parts[i].indices, 3 * pieces.parts[i].triangle_count * sizeof *pieces.parts[i].indices);
    }
    TRY_BARE(w, tact_hull_around(points, POINTS, 10, w->allocator, &convex));
    put(w, convex.points, convex.point_count * sizeof *convex.points);
    tact_convex_mesh_free(&convex);
    const tact_kdop kdop = tact_kdop_from_points(14, tetrahedron, 4, 0);
    TRY_BARE(w, tact_kdop_mesh(&kdop, w->allocator, &convex));
    put(w, convex.points, convex.point_count * sizeof *convex.points);
    tact_convex_mesh_free(&convex);
    TRY_BARE(w, tact_minkowski_sum(tetrahedron, 4, tetrahedron, 4, w->allocator, &convex));
    put(w, convex.points, convex.point_count * sizeof *convex.points);
    tact_convex_mesh_free(&convex);
    TRY_BARE(w, tact_minkowski_difference(tetrahedron, 4, tetrahedron, 4, w->allocator, &convex));
    put(w, convex.points, convex.point_count * sizeof *convex.points);
    tact_convex_mesh_free(&convex);
    const tact_plane cut = {{1, 1, 1}, 1};
    TRY_BARE(w, tact_half_spaces_mesh(&cut, 1, (tact_aabb){{0, 0, 0}, {2, 2, 2}}, w->allocator, &convex));
    put(w, convex.points, convex.point_count * sizeof *convex.points);
    TRY_BARE(w, tact_hull_hierarchy_make(points, POINTS, w->allocator, &hierarchy));
    put(w, hierarchy.points, hierarchy.sizes[hierarchy.level_count - 1] * sizeof *hierarchy.points);
    // Points at random: their edges cross.
    const tact_polygon_view polygon = {.vertices = flat, .vertex_count = POINTS};
    TRY_BARE(w, tact_polygon_triangulate(&polygon, TACT_POLYGON_EVEN_ODD, w->allocator, &parts));
    put(w, parts.points, parts.point_count * sizeof *parts.points);
    put(w, parts.corners, parts.start[parts.part_count] * sizeof *parts.corners);
    tact_polygon_parts_free(&parts);
    TRY_BARE(w, tact_polygon_convex_parts(&polygon, TACT_POLYGON_NONZERO, w->allocator, &parts));
    put(w, parts.corners, parts.start[parts.part_count] * sizeof *parts.corners);
    tact_polygon_parts_free(&parts);
    const tact_vec2 comb[10] = {{0, 0}, {8, 0}, {8, 4}, {7, 1}, {6, 4}, {5, 1}, {4, 4}, {3, 1}, {2, 4}, {1, 1}};
    TRY_BARE(w, tact_polygon_least_parts(comb, 10, w->allocator, &parts));
    put(w, parts.corners, parts.start[parts.part_count] * sizeof *parts.corners);
    TRY_BARE(w, tact_obb_fit_principal(w->allocator, points, POINTS, TACT_OBB_LEAST_AXIS, &box));
    put(w, &box, sizeof box);
    TRY_BARE(w, tact_obb_fit_surface(w->allocator, points, POINTS, indices, 20, TACT_OBB_LEAST_AXIS, &box));
    put(w, &box, sizeof box);
    TRY_BARE(w, tact_obb_fit_solid(w->allocator, points, POINTS, indices, 20, TACT_OBB_LEAST_AXIS, &box));
    put(w, &box, sizeof box);
    TRY_BARE(w, tact_obb_fit_exact(w->allocator, points, POINTS, &box));
    put(w, &box, sizeof box);
    TRY_BARE(w, tact_obb_improve(w->allocator, points, POINTS, &box));
    put(w, &box, sizeof box);
out:
    tact_hull_mesh_free(&hull);
    tact_mesh_copy_free(&copy);
    tact_mesh_copy_free(&flat_copy);
    tact_bsp_free(&tree);
    tact_convex_mesh_free(&convex);
    tact_hull_hierarchy_free(&hierarchy);
    tact_polygon_parts_free(&parts);
    tact_decomposition_free(&pieces);
    return result;
}

tact_result every_query_indices(query_world* w)
{
    enum { BOXES = 40, ROOM = 400 };
    test_random r = {w->seed};
    tact_aabb boxes[BOXES], asked[4];
    uint64_t offsets[5];
    uint32_t ids[2 * ROOM], id;
    tact_volume_neighbour near[8];
    tact_volume_tree* tree = NULL;
    tact_voxels* voxels = NULL;
    tact_octree octree = {0};
    tact_sphere_tree spheres = {0};
    tact_loose_octree* loose = NULL;
    tact_portals* portals = NULL;
    tact_implicit_grid* rows = NULL;
    size_t count;
    tact_result result;
    for (size_t i = 0; i < BOXES + 4; ++i) {
        tact_aabb* box = i < BOXES ? &boxes[i] : &asked[i - BOXES];
        fill(&r, &box->lower.x, 3, 1);
        box->upper = (tact_vec3){box->lower.x + 0.5f, box->lower.y + 0.25f, box->lower.z + 1.0f};
    }
    TRY_BARE(w, tact_volume_tree_create(boxes, BOXES, (tact_volume_tree_quality)(w->seed % 3), w->allocator, &tree));
    TRY_BARE(w, tact_volume_tree_insert(tree, asked[0], &id));
    TRY_BARE(w, tact_volume_tree_move(tree, 3, asked[1]));
    TRY_BARE(w, tact_volume_tree_remove(tree, 7));
    const tact_volume_tree_work work = {.boxes = asked, .count = 4, .offsets = offsets, .ids = ids, .capacity = ROOM};
    TRY_BARE(w, tact_volume_tree_find(tree, &work));
    put_words(w, offsets, sizeof offsets, sizeof offsets[0]);
    put(w, ids, (size_t)offsets[4] * sizeof *ids);
    TRY_BARE(w, tact_volume_tree_pairs(tree, tree, TACT_DESCEND_BOTH, ids, ROOM, &count));
    put(w, ids, 2 * count * sizeof *ids);
    TRY_BARE(w, tact_volume_tree_rebuild(tree, TACT_VOLUME_TREE_HIGH));
    count = tact_volume_tree_nearest(tree, asked[2].lower, 4.0f, NULL, NULL, near, 8);
    put(w, near, count * sizeof *near);
    const double cost = tact_volume_tree_get_info(tree).cost;
    put_words(w, &cost, sizeof cost, sizeof cost);
    const tact_vec3 corners[4] = {{0, 0, 0}, {3, 0, 1}, {1, 3, 0}, {0, 1, 3}};
    const uint32_t sides[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const tact_mesh_view solid = {corners, 4, sides, 4};
    const tact_voxel_grid grid = {{-0.5f, -0.5f, -0.5f}, 0.25f, {16, 16, 16}};
    TRY_BARE(w, tact_voxels_create(&grid, (tact_voxel_storage)(w->seed % 2), w->allocator, &voxels));
    TRY_BARE(w, tact_voxels_set(voxels, (tact_voxel){15, 15, 15}, true));
    TRY_BARE(w, tact_voxels_fill_points(voxels, &boxes[0].lower, 2));
    TRY_BARE(w, tact_voxels_fill_triangles(voxels, &solid));
    TRY_BARE(w, tact_voxels_fill_solid(voxels, &solid));
    for (size_t i = 0; i < BOXES; ++i) {
        const tact_vec3 at = boxes[i].lower;
        const tact_ray ray = {at.x, at.y, at.z - 2.0f, 0.0f, at.y, at.x, 1.0f, 8.0f};
        const tact_voxel_hit hit = tact_voxels_ray(voxels, &ray);
        put(w, &hit.t, sizeof hit.t);
        put(w, &hit.cell, sizeof hit.cell);
    }
    TRY_BARE(w, tact_octree_make(&boxes[0].lower, 2 * BOXES, NULL, w->allocator, &octree));
    put_words(w, octree.codes, octree.leaf_count * sizeof *octree.codes, sizeof *octree.codes);
    put(w, octree.points, octree.point_count * sizeof *octree.points);
    const tact_aabb world = {{-2, -2, -2}, {2, 2, 2}};
    TRY_BARE(w, tact_loose_octree_create(world, 6, w->allocator, &loose));
    for (size_t i = 0; i < 8; ++i)
        TRY_BARE(w, tact_loose_octree_insert(loose, boxes[i], &id));
    TRY_BARE(w, tact_loose_octree_move(loose, 5, boxes[9]));
    TRY_BARE(w, tact_loose_octree_remove(loose, 2));
    const uint64_t cells = tact_loose_octree_get_info(loose).cells;
    put_words(w, &cells, sizeof cells, sizeof cells);
    const tact_portal doors[3] = {{{0, 1}, 0, 3}, {{1, 2}, 1, 3}, {{0, 2}, 0, 3}};
    TRY_BARE(w, tact_portals_create(doors, 3, corners, 4, 3, w->allocator, &portals));
    tact_portal_view view = {.eye = boxes[11].lower, .cells = ids, .capacity = 3};
    TRY_BARE(w, tact_portals_see(portals, &view));
    put(w, ids, view.count * sizeof *ids);
    TRY_BARE(w, tact_implicit_grid_create(boxes, BOXES, 8, w->allocator, &rows));
    count = tact_implicit_grid_in_box(rows, asked[3], ids, ROOM);
    put(w, ids, count * sizeof *ids);
    const tact_sphere_tree_settings proxies = {
        .method = (tact_sphere_tree_method)(w->seed % 2), .levels = 3, .children = 4, .cells = 8};
    TRY_BARE(w, tact_sphere_tree_make(&solid, &proxies, w->allocator, &spheres));
    put(w, spheres.spheres, spheres.sphere_count * sizeof *spheres.spheres);
    put(w, spheres.first_child, (spheres.sphere_count + 1) * sizeof *spheres.first_child);
    const uint64_t full = tact_voxels_get_info(voxels).full;
    put_words(w, &full, sizeof full, sizeof full);
out:
    tact_implicit_grid_destroy(rows);
    tact_portals_destroy(portals);
    tact_octree_free(&octree);
    tact_sphere_tree_free(&spheres);
    tact_loose_octree_destroy(loose);
    tact_voxels_destroy(voxels);
    tact_volume_tree_destroy(tree);
    return result;
}
