// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Calls of the geometry library made of bytes.

#include "tact/geometry.h"
#include "tests/fuzz/call_input.h"

/// The tree of a mesh, if it is one of a solid; its surface may pass through itself, unless that is refused.
static void cut_solid(const tact_mesh_view* mesh, const tact_vec3* points)
{
    tact_bsp tree;
    const tact_bsp_settings strict = {.no_crossings = true};
    size_t crossings = 0;
    if (tact_bsp_make(mesh, &strict, NULL, &tree) == TACT_OK &&
        (tact_mesh_crossings(mesh, NULL, NULL, 0, &crossings) != TACT_OK || crossings)) {
        die("a tree of a mesh that meets itself");
    }
    tact_bsp_free(&tree);
    if (tact_bsp_make(mesh, NULL, NULL, &tree) != TACT_OK) return;
    if (tree.solid_leaves + tree.empty_leaves != tree.node_count + 1) die("a tree's leaves");
    for (int i = 0; i < MOST; ++i)
        (void)tact_bsp_locate(&tree, points[i]);
    tact_bsp_free(&tree);
}

/// Programmes of any numbers: what one says of its half-spaces, the largest ball in them must say too.
static void programmes(input* in, const tact_vec3* points, size_t count)
{
    tact_plane planes[MOST];
    tact_half_plane lines[MOST];
    float other[MOST + 9];
    numbers(in, other, MOST + 9);
    for (size_t i = 0; i < count; ++i) {
        planes[i] = (tact_plane){points[i], other[i]};
        lines[i] = (tact_half_plane){{points[i].x, points[i].y}, points[i].z};
    }
    const float* b = other + MOST;
    const tact_aabb box = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
    const tact_vec3 down = {b[6], b[7], b[8]};
    const tact_lp_result flat =
        tact_lp_2d(lines, count, (tact_vec2){b[6], b[7]}, (tact_vec2){b[0], b[1]}, (tact_vec2){b[3], b[4]});
    const tact_lp_result deep = tact_lp_3d(planes, count, down, box);
    if (flat.status == TACT_LP_OPTIMUM && !(flat.point.x >= b[0] && flat.point.x <= b[3])) die("out of the box");
    if (deep.status == TACT_LP_OPTIMUM && !(deep.point.z >= b[2] && deep.point.z <= b[5])) die("out of the box");
    const tact_lp_ball ball = tact_half_spaces_ball(planes, count, box);
    if (ball.status != TACT_LP_INVALID && deep.status != TACT_LP_INVALID &&
        (ball.status == TACT_LP_INFEASIBLE) != (deep.status == TACT_LP_INFEASIBLE)) {
        die("a ball in no half-spaces");
    }
    const tact_qp_result near = tact_half_spaces_closest(planes, count, down);
    if (near.status == TACT_LP_OPTIMUM && near.tight_count > 3) die("a point held by four planes");
    const size_t half = count / 2;
    const tact_lp_gap gap = tact_points_gap(points, half, points + half, count - half);
    if (gap.holds && !(gap.apart && gap.valid)) die("a gap of numbers that are none");
}

static void check_convex(tact_convex_mesh* mesh)
{
    const uint32_t corners = mesh->face_count ? mesh->face_start[mesh->face_count] : 0;
    for (uint32_t i = 0; i < corners; ++i)
        if (mesh->face_points[i] >= mesh->point_count) die("a convex mesh's point");
    if (mesh->kind == TACT_CONVEX_MESH_SOLID && mesh->point_count + mesh->face_count != corners / 2 + 2)
        die("a convex mesh does not close");
    tact_convex_mesh_free(mesh);
}

/// Polyhedra of half-spaces and of sums.
static void convexes(input* in, const tact_vec3* points, size_t count)
{
    tact_plane planes[MOST];
    tact_convex_mesh mesh;
    float other[MOST + 1];
    numbers(in, other, MOST + 1);
    for (size_t i = 0; i < count; ++i)
        planes[i] = (tact_plane){points[i], other[i]};
    const float r = fabsf(other[MOST]);
    if (tact_half_spaces_mesh(planes, count, (tact_aabb){{-r, -r, -r}, {r, r, r}}, NULL, &mesh) == TACT_OK)
        check_convex(&mesh);
    const size_t half = count / 2;
    if (tact_hull_around(points, count, 8 + (uint32_t)below(in, 8), NULL, &mesh) == TACT_OK) check_convex(&mesh);
    if (tact_minkowski_sum(points, half, points + half, count - half, NULL, &mesh) == TACT_OK) check_convex(&mesh);
    tact_hull_hierarchy levels;
    if (tact_hull_hierarchy_make(points, count, NULL, &levels) == TACT_OK) {
        const uint32_t at = tact_hull_hierarchy_extreme(&levels, (tact_vec3){other[0], other[1], other[2]});
        if (at != UINT32_MAX && at >= count) die("an extreme point that is not there");
        tact_hull_hierarchy_free(&levels);
    }
    static const uint32_t all_k[] = {6, 8, 12, 14, 18, 20, 26, 7};
    const tact_kdop kdop = tact_kdop_from_points(all_k[byte(in) % 8], points, count, 0);
    if (tact_kdop_mesh(&kdop, NULL, &mesh) == TACT_OK) check_convex(&mesh);
}

/// Tori and boxes of any numbers, and comparisons.
static void tori_and_boxes(const float* x)
{
    const tact_torus torus = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, x[6], x[7]};
    const tact_ray ray = {x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]};
    tact_ray_solid_hit parts[2];
    const size_t count = tact_ray_torus(&ray, &torus, parts);
    if (count == 2 && !(parts[0].exit <= parts[1].t)) die("parts of a torus that are not in order");
    const tact_vec3 p = {x[8], x[9], x[10]};
    const tact_closest closest = tact_closest_on_torus(p, &torus);
    const bool inside = tact_torus_contains_point(&torus, p);
    if (inside && (closest.distance > 0.0f || !tact_torus_overlaps_sphere(&torus, (tact_sphere){p, 0.0f})))
        die("a point of a torus");
    if (inside && !tact_aabb_contains_point(tact_aabb_from_torus(&torus), p)) die("a box of a torus");
    tact_obb boxes[2];
    for (int i = 0; i < 2; ++i) {
        const float* b = x + 9 * i;
        boxes[i] = (tact_obb){p, {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}}, {b[1], b[3], b[5]}};
    }
    if (tact_obb_overlaps_obb_edges(&boxes[0], &boxes[1]) != tact_obb_overlaps_obb_edges(&boxes[1], &boxes[0]))
        die("boxes that overlap one way");
    const double a = (double)x[16], b = (double)x[17], tolerance = (double)x[18];
    if (tact_near_absolute(a, b, tolerance) != tact_near_absolute(b, a, tolerance)) die("near one way");
    if (tact_near_relative(a, b, tolerance) && !tact_near_combined(a, b, tolerance)) die("near by less");
    if ((a == b) != (tact_doubles_apart(a, b) == 0)) die("equal numbers that are apart");
}

/// Small functions of any numbers: what they make holds what it is made of.
static void small_shapes(input* in, const tact_vec3* points, const tact_vec2* flat, size_t count)
{
    float x[30], weights[4];
    numbers(in, x, 30);
    const tact_capsule a = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, x[6]},
                       b = {{x[7], x[8], x[9]}, {x[1], x[2], x[3]}, x[4]};
    const tact_capsule both = tact_capsule_union(&a, &b);
    if (!isnan(tact_capsule_volume(&a)) && both.radius >= 0.0f && both.radius < a.radius) die("a union of capsules");
    const tact_lozenge l = {{x[10], x[11], x[12]}, {{x[13], x[14], x[15]}, {x[16], x[17], x[18]}}, x[19]};
    const tact_lozenge other = tact_lozenge_from_capsule(&a), whole = tact_lozenge_union(&l, &other);
    if (!isnan(tact_lozenge_volume(&l)) && whole.radius >= 0.0f && whole.radius < l.radius) die("a union of lozenges");
    const tact_ray ray = {x[20], x[21], x[22], 0.0f, x[23], x[24], x[25], 1.0f};
    const tact_ray_solid_hit hit = tact_ray_lozenge(&ray, &l);
    if (hit.hit && !(hit.t <= hit.exit)) die("a ray in a lozenge");
    tori_and_boxes(x);
    const tact_screw screw = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, x[26], x[27]};
    const tact_aabb turned = tact_aabb_from_screw(points, count, 0, &screw);
    if (!tact_aabb_is_empty(turned) && !tact_aabb_contains_point(turned, points[0])) die("a box of a screw");
    const tact_aabb box = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, swept = tact_aabb_swept(box, screw.point);
    if (!tact_aabb_is_empty(swept) && !tact_aabb_contains_aabb(swept, box)) die("a box of a motion");
    const tact_sphere sphere = {{x[6], x[7], x[8]}, x[9]};
    if (tact_hollow_sphere_overlaps_hollow_aabb(sphere, box) && !tact_hollow_sphere_overlaps_aabb(sphere, box))
        die("hollow shapes");
    const tact_aabb around = tact_aabb_from_points(points, count, 0);
    if (tact_aabb_overlaps_polygon(box, points, count) && !tact_aabb_overlaps_aabb(box, around)) die("a polygon");
    (void)tact_polygon_is_convex_2d(flat, (uint32_t)count);
    tact_plane plane;
    const double off = tact_polygon_plane(points, count, &plane);
    if (off >= 0.0 && !isfinite(plane.distance)) die("a plane of numbers that are none");
    (void)tact_polygon_is_convex(points, (uint32_t)count);
    const tact_thick_sides sides = tact_points_thick_plane(points, count, (tact_plane){points[0], x[0]}, x[1]);
    const size_t on_sides = sides.front + sides.behind + sides.within;
    if (on_sides != 0 && on_sides != count) die("points on no side");
    const tact_interval p = {(double)x[0], (double)x[1]}, q = {(double)x[2], (double)x[3]};
    const bool inside = tact_interval_contains(p, (double)x[0]) && tact_interval_contains(q, (double)x[3]);
    if (inside && !tact_interval_contains(tact_interval_multiply(p, q), (double)x[0] * (double)x[3])) die("a product");
    (void)tact_barycentric_tetrahedron(points, points[4], weights);
    (void)tact_barycentric_2d(flat[0], flat[1], flat[2], flat[3], weights);
    const tact_triangle t = {points[0], points[1], points[2]};
    (void)tact_barycentric_triangle(&t, points[3], weights);
}

/// Parts of what encloses a solid are as many as asked for, closed and convex.
static void decompose(input* in, const tact_mesh_view* solid)
{
    tact_decomposition parts;
    tact_decompose_settings settings = {.most = 1 + below(in, 6), .corners = byte(in) % 2 ? 8 + below(in, 9) : 0};
    numbers(in, &settings.excess, 1);
    if (tact_mesh_decompose(solid, &settings, NULL, &parts) != TACT_OK) return;
    if (parts.count == 0 || parts.count > settings.most) die("a number of parts");
    for (size_t i = 0; i < parts.count; ++i) {
        const tact_mesh_copy* p = &parts.parts[i];
        const tact_mesh_view view = {p->positions, p->vertex_count, p->indices, p->triangle_count};
        tact_mesh_report report;
        if (tact_mesh_report_make(&view, NULL, &report) != TACT_OK) die("a report");
        if (!report.closed || !report.convex) die("a part is not convex");
        if (settings.corners && p->vertex_count > settings.corners) die("a part's corners");
    }
    tact_decomposition_free(&parts);
}

/// Twice the area of parts in double precision. Each corner is a point.
static double parts_area(const tact_polygon_parts* parts)
{
    double sum = 0.0;
    for (size_t i = 0; i < parts->part_count; ++i) {
        const uint32_t begin = parts->start[i], end = parts->start[i + 1];
        if (end < begin + 3) die("a part of two corners");
        for (uint32_t c = begin; c < end; ++c) {
            if (parts->corners[c] >= parts->point_count) die("a part's corner");
            const tact_vec2 a = parts->points[parts->corners[c]],
                            b = parts->points[parts->corners[c + 1 < end ? c + 1 : begin]];
            sum += (double)a.x * (double)b.y - (double)b.x * (double)a.y;
        }
    }
    return sum;
}

/// Rings of any numbers: triangles and convex parts cover the same.
static void polygons(input* in, const tact_vec2* flat, size_t count)
{
    const uint32_t first = below(in, (uint32_t)count + 1), start[3] = {0, first, (uint32_t)count};
    const tact_polygon_view view = {flat, count, start, 2};
    const tact_polygon_rule rule = (tact_polygon_rule)(byte(in) % 2);
    tact_polygon_parts triangles, parts;
    const tact_result result = tact_polygon_triangulate(&view, rule, NULL, &triangles);
    if (tact_polygon_convex_parts(&view, rule, NULL, &parts) != result) die("parts of what has no triangles");
    if (result == TACT_OK) {
        double size = 0.0;
        for (size_t i = 0; i < count; ++i)
            size = fmax(size, fmax(fabs((double)flat[i].x), fabs((double)flat[i].y)));
        if (parts.part_count > triangles.part_count) die("more parts than triangles");
        if (!(fabs(parts_area(&triangles) - parts_area(&parts)) <= 1e-4 * size * size)) die("areas of parts");
        tact_polygon_parts_free(&triangles);
        tact_polygon_parts_free(&parts);
    }
    if (tact_polygon_least_parts(flat, count, NULL, &parts) == TACT_OK) {
        if (parts.point_count != count || parts.part_count > count - 2) die("least parts");
        (void)parts_area(&parts);
        tact_polygon_parts_free(&parts);
    }
}

/// Merging flat parts adds nothing, and leaves a closed mesh closed.
static void merge_parts(input* in, const tact_mesh_view* mesh)
{
    tact_mesh_copy copy;
    tact_mesh_report before, after;
    float tolerance;
    numbers(in, &tolerance, 1);
    if (byte(in) % 2) tolerance = 0.0f;
    if (tact_mesh_merge_flat(mesh, tolerance, NULL, &copy, NULL) != TACT_OK) return;
    const tact_mesh_view view = {copy.positions, copy.vertex_count, copy.indices, copy.triangle_count};
    if (copy.triangle_count > mesh->triangle_count || copy.vertex_count > mesh->vertex_count) die("merged parts grow");
    if (tact_mesh_report_make(mesh, NULL, &before) != TACT_OK || tact_mesh_report_make(&view, NULL, &after) != TACT_OK)
        die("a report");
    if (before.closed && tolerance == 0.0f && !after.closed) die("merged parts are open");
    tact_mesh_copy_free(&copy);
}

/// What is left of two solids, each the hull of some points or what a mended mesh encloses, is closed.
static void combine_solids(input* in, const tact_mesh_view* mended, const tact_vec3* points, size_t count)
{
    tact_hull_mesh hull;
    tact_mesh_copy copy;
    tact_mesh_report report;
    if (tact_hull_mesh_3d(points, count / 2, NULL, &hull) != TACT_OK) return;
    const tact_mesh_view a = {points, count, hull.triangles, hull.triangle_count};
    const tact_mesh_operation operation = (tact_mesh_operation)below(in, 3);
    if (tact_mesh_combine(&a, mended, operation, NULL, &copy, NULL) == TACT_OK) {
        const tact_mesh_view view = {copy.positions, copy.vertex_count, copy.indices, copy.triangle_count};
        if (tact_mesh_report_make(&view, NULL, &report) != TACT_OK) die("a report");
        if (copy.triangle_count && (!report.closed || !report.oriented)) die("a combined mesh is open");
        decompose(in, &view);
        tact_mesh_copy_free(&copy);
    }
    tact_hull_mesh_free(&hull);
}

/// A polyhedron and a copy that is moved: closest features from any cache, against GJK.
static void closest_features(input* in, const tact_vec3* points, const tact_hull_mesh* mesh)
{
    tact_vec3 corners[MOST];
    uint32_t number[MOST], faces[6 * MOST];
    tact_hull_side sides[2 * MOST];
    tact_hull_edge edges[3 * MOST];
    uint32_t start[2 * MOST + 1], neighbour_start[MOST + 1], neighbours[6 * MOST];
    if (mesh->dimension != 3) return;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        corners[i] = points[mesh->vertices[i]];
        number[mesh->vertices[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
        faces[i] = number[mesh->triangles[i]];
    for (uint32_t f = 0; f <= mesh->triangle_count; ++f)
        start[f] = 3 * f;
    tact_hull hull = {.points = corners,
                      .point_count = (uint32_t)mesh->vertex_count,
                      .face_start = start,
                      .face_points = faces,
                      .face_count = (uint32_t)mesh->triangle_count};
    tact_polytope polytope;
    if (tact_hull_link(&hull, neighbour_start, neighbours) != TACT_OK) return;
    hull.neighbour_start = neighbour_start;
    hull.neighbours = neighbours;
    if (tact_polytope_make(&hull, sides, edges, &polytope) != TACT_OK) return;
    tact_pose pose = {.rotation = {0, 0, 0, 1}};
    float x[7];
    numbers(in, x, 7);
    pose.x = (double)x[0];
    pose.y = (double)x[1];
    pose.z = (double)x[2];
    pose.rotation = (tact_quat){x[3], x[4], x[5], x[6]};
    tact_polytope_cache cache = {byte(in) % 4, byte(in), byte(in) % 4, byte(in)};
    const tact_convex_contact c = tact_polytope_closest(&polytope, NULL, &polytope, &pose, &cache);
    const tact_posed_convex posed = {tact_convex_hull(&hull), &pose, {0}};
    const tact_convex_contact d = tact_convex_distance(tact_convex_hull(&hull), tact_convex_posed(&posed), NULL);
    if (isinf(c.distance) != isinf(d.distance)) die("closest features of no pose");
    const double size = polytope.extent * (1.0 + (double)pose.scale) + fabs(pose.x) + fabs(pose.y) + fabs(pose.z);
    if (fabs((double)c.distance - (double)d.distance) > 1e-5 * size) die("closest features");
}

/// Spheres of every level hold the corners of a hull.
static void spheres(input* in, const tact_mesh_view* hull)
{
    tact_sphere_tree tree;
    const tact_sphere_tree_settings settings = {
        .method = (tact_sphere_tree_method)below(in, 2), .levels = 1 + below(in, 3), .cells = 2 + below(in, 9)};
    if (tact_sphere_tree_make(hull, &settings, NULL, &tree) != TACT_OK) return;
    for (uint32_t l = 0; l < tree.level_count; ++l) {
        for (size_t k = 0; k < 3 * hull->triangle_count; ++k) {
            bool in_one = false;
            for (uint32_t i = tree.level_start[l]; i < tree.level_start[l + 1] && !in_one; ++i)
                in_one = tact_sphere_contains_point(tree.spheres[i], hull->positions[hull->indices[k]]);
            if (!in_one) die("a corner without a sphere");
        }
    }
    tact_sphere_tree_free(&tree);
}

/// What has no second way of being answered must at least end, and hold what it says.
static void shapes(input* in)
{
    tact_vec3 points[MOST];
    tact_vec2 flat[MOST];
    uint32_t indices[3 * MOST];
    tact_hull_mesh hull;
    tact_obb box;
    const size_t count = below(in, MOST + 1), triangles = below(in, MOST + 1);
    numbers(in, &points[0].x, 3 * count);
    for (size_t i = 0; i < count; ++i)
        flat[i] = (tact_vec2){points[i].x, points[i].y};
    for (size_t i = 0; i < 3 * triangles; ++i)
        indices[i] = byte(in) % MOST;
    if (tact_hull_mesh_3d(points, count, NULL, &hull) == TACT_OK) {
        for (size_t i = 0; i < hull.vertex_count; ++i)
            if (hull.vertices[i] >= count) die("a hull's vertex");
        const tact_mesh_view view = {points, count, hull.triangles, hull.triangle_count};
        combine_solids(in, &view, points, count);
        closest_features(in, points, &hull);
        spheres(in, &view);
        tact_hull_mesh_free(&hull);
    }
    if (tact_hull_mesh_2d(flat, count, NULL, &hull) == TACT_OK) tact_hull_mesh_free(&hull);
    (void)tact_obb_fit_principal(NULL, points, count, TACT_OBB_LEAST_AXIS, &box);
    if (tact_obb_fit_exact(NULL, points, count, &box) == TACT_OK) {
        for (size_t i = 0; i < count; ++i)
            if (!tact_obb_contains_point(&box, points[i])) die("a point out of its box");
    }
    (void)tact_obb_fit_simple(points, count, &box);
    (void)tact_sphere_fit_smallest(points, count, 0);
    (void)tact_sphere_fit_eigen(points, count, 0);
    (void)tact_kdop_from_points(26, points, count, 0);
    programmes(in, points, count);
    convexes(in, points, count);
    if (count > 4) small_shapes(in, points, flat, count);
    const tact_mesh_view mesh = {points, count, indices, triangles};
    tact_mesh_report report;
    tact_mesh_copy copy;
    (void)tact_mesh_report_make(&mesh, NULL, &report);
    if (tact_mesh_repair(&mesh, NULL, &copy) == TACT_OK) {
        if (copy.triangle_count > triangles || copy.vertex_count > count) die("a repaired mesh has grown");
        const tact_mesh_view repaired = {copy.positions, copy.vertex_count, copy.indices, copy.triangle_count};
        cut_solid(&repaired, points);
        tact_mesh_copy_free(&copy);
    }
    tact_mesh_mend_options mending = {.keep_holes = byte(in) % 4 == 0, .keep_junctions = byte(in) % 4 == 0};
    numbers(in, &mending.tolerance, 1);
    tact_mesh_mended mended;
    if (tact_mesh_mend(&mesh, &mending, NULL, &copy, &mended) == TACT_OK) {
        if (copy.vertex_count > count || mended.after.triangles != copy.triangle_count) die("a mended mesh");
        if (mended.largest_move > (double)mending.tolerance) die("a vertex has moved too far");
        const tact_mesh_view view = {copy.positions, copy.vertex_count, copy.indices, copy.triangle_count};
        combine_solids(in, &view, points, count);
        tact_mesh_copy_free(&copy);
    }
    // At the end, so that files of the corpus still mean what they did.
    polygons(in, flat, count);
    merge_parts(in, &mesh);
}
