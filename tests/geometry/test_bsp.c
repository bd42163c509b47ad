// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Trees of solids against the exact parity of the library: random cubes with faces in one plane, balls with bumps,
// rings; what is refused, and limits.

#include "tests/support/run.h"

#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/predicates.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/solids.h"
#include "tests/support/effort.h"

static tact_bsp_place expected(const solid* s, tact_vec3 p)
{
    const tact_location at = tact_mesh_locate(s->positions, s->indices, (uint32_t)s->triangles, p, NULL);
    return at == TACT_POINT_INSIDE ? TACT_BSP_INSIDE : at == TACT_POINT_OUTSIDE ? TACT_BSP_OUTSIDE : TACT_BSP_SURFACE;
}

/// A point anywhere, at a vertex, on or near a side or a face.
static tact_vec3 some_point(test_random* r, const solid* s, float size)
{
    const uint32_t* t = s->indices + 3 * (size_t)test_random_below(r, (uint32_t)s->triangles);
    const tact_vec3 a = s->positions[t[0]], b = s->positions[t[1]], c = s->positions[t[2]];
    switch (test_random_below(r, 6)) {
        case 0:
            return a;
        case 1:
            return mean3(a, b, test_random_unit(r));
        case 2:
            return mean3(mean3(a, b, test_random_unit(r)), c, test_random_unit(r));
        default:
            return (tact_vec3){size * test_random_signed(r), size * test_random_signed(r),
                               size * test_random_signed(r)};
    }
}

/// The counts of a tree follow from its nodes, and each face is in its node's plane.
static void check_tree(const tact_bsp* tree)
{
    uint64_t leaves[2] = {0, 0};
    size_t links = 0;
    for (size_t i = 0; i < tree->node_count; ++i) {
        const tact_bsp_node* node = &tree->nodes[i];
        for (int k = 0; k < 2; ++k) {
            assert_true(node->child[k] < (int64_t)tree->node_count && node->child[k] >= TACT_BSP_SOLID);
            assert_true(node->child[k] < 0 || (size_t)node->child[k] > i);
            links += node->child[k] >= 0;
            if (node->child[k] < 0) ++leaves[node->child[k] == TACT_BSP_SOLID];
        }
        const size_t end = i + 1 < tree->node_count ? tree->nodes[i + 1].first_face : tree->face_count;
        for (size_t f = node->first_face; f < end; ++f) {
            const uint32_t* t = tree->indices + 3 * (size_t)tree->faces[f];
            for (int k = 0; k < 3; ++k) {
                const tact_vec3 p = tree->positions[t[k]];
                if (node->triangle >= TACT_BSP_AXIS) {
                    const uint32_t axis = node->triangle - TACT_BSP_AXIS;
                    assert_true((&p.x)[axis] == (&node->point.x)[axis]);
                } else {
                    const uint32_t* own = tree->indices + 3 * (size_t)node->triangle;
                    assert_int_equal(
                        tact_orient3d(tree->positions[own[0]], tree->positions[own[1]], tree->positions[own[2]], p), 0);
                }
            }
        }
    }
    assert_int_equal(links + 1, tree->node_count);
    assert_true(leaves[0] == tree->empty_leaves && leaves[1] == tree->solid_leaves);
    assert_int_equal(leaves[0] + leaves[1], tree->node_count + 1);
    assert_true(tree->depth >= tree->mean_depth && tree->mean_depth >= 1.0);
}

static void check_points(test_random* r, const solid* s, const tact_bsp_settings* settings, float size, size_t count)
{
    const tact_bsp* tree = solid_tree(s, settings);
    check_tree(tree);
    size_t found[3] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = some_point(r, s, size);
        const tact_bsp_place place = tact_bsp_locate(tree, p);
        ++found[place];
        if (place != expected(s, p))
            fail_msg("point %zu (%a %a %a): %d", i, (double)p.x, (double)p.y, (double)p.z, place);
    }
    assert_true(count < 1000 || (found[0] > count / 20 && found[1] > count / 20 && found[2] > count / 20));
}

TEST(cubes_are_as_their_cells)
{
    test_random r = test_random_seeded(301);
    for (size_t i = 0; i < effort(120, 2000); ++i) {
        cubes* m = scratch(sizeof *m);
        cubes_build(m, &r, i % 2 ? 1.0f : 0.7f);
        if (m->count == 0) continue;
        const solid s = {m->vertices, m->indices, 64, m->count};
        const tact_bsp_settings settings = {.faces_only = i % 3 == 0, .candidates = (uint32_t)(i % 5)};
        tact_bsp* tree = solid_tree(&s, &settings);
        check_tree(tree);
        for (int h = 0; h < 9 * 9 * 9; ++h) {
            const int halves[3] = {h % 9 - 1, h / 9 % 9 - 1, h / 81 - 1};
            const float scale = 0.5f * (i % 2 ? 1.0f : 0.7f);
            const tact_vec3 p = {scale * (float)halves[0], scale * (float)halves[1], scale * (float)halves[2]};
            const tact_location at = cubes_expect(m, halves);
            const tact_bsp_place place = tact_bsp_locate(tree, p);
            assert_int_equal(place, at == TACT_POINT_INSIDE    ? TACT_BSP_INSIDE
                                    : at == TACT_POINT_OUTSIDE ? TACT_BSP_OUTSIDE
                                                               : TACT_BSP_SURFACE);
        }
    }
}

TEST(points_of_any_solid_are_where_parity_says)
{
    test_random r = test_random_seeded(302);
    const size_t many = effort(4000, 100000);
    for (uint32_t k = 0; k < 10; ++k) {
        const tact_vec3 at = {k % 2 ? 0.1f : 0.0f, k % 3 ? -0.05f : 0.0f, 0.0f};
        const solid s = solid_ball(&r, k < 5 ? 200 : 1000, k % 5 == 0 ? 0.0f : 0.25f, at, 1.0f);
        const tact_bsp_settings settings = {.faces_only = k == 3};
        check_points(&r, &s, k % 2 ? &settings : NULL, 1.2f, many);
    }
    const solid torus = solid_torus(24, 12, 1.0f, 0.6f);
    check_points(&r, &torus, NULL, 1.5f, many);
}

/// Coordinates at the ends of what floats hold, where products in double are as far from 1 as they can be, and corners
/// that are whole numbers, so that much lies in one plane.
TEST(scale_and_grids_do_not_matter)
{
    test_random r = test_random_seeded(303);
    const float scales[] = {0x1p-140f, 0x1p-60f, 0x1p60f, 0x1p120f};
    uint64_t unsure = 0;
    for (int k = 0; k < 4; ++k) {
        solid s = solid_ball(&r, 150, 0.2f, (tact_vec3){0, 0, 0}, scales[k]);
        check_points(&r, &s, NULL, 1.2f * scales[k], effort(1000, 10000));
        unsure += solid_tree(&s, NULL)->unsure;
        solid grid = solid_ball(&r, 150, 0.2f, (tact_vec3){0, 0, 0}, 8.0f);
        for (size_t i = 0; i < grid.vertices; ++i)
            grid.positions[i] =
                (tact_vec3){rintf(grid.positions[i].x), rintf(grid.positions[i].y), rintf(grid.positions[i].z)};
        // Rounding may have folded it; then it is not a solid and what is inside is not defined.
        const tact_mesh_view view = solid_view(&grid);
        tact_bsp tree;
        if (tact_bsp_make(&view, NULL, NULL, &tree) == TACT_OK) unsure += tree.unsure;
        tact_bsp_free(&tree);
    }
    assert_true(unsure > 100);
}

TEST(equal_meshes_make_equal_trees)
{
    test_random r = test_random_seeded(304);
    const solid s = solid_ball(&r, 600, 0.2f, (tact_vec3){0, 0, 0}, 1.0f);
    const tact_bsp *a = solid_tree(&s, NULL), *b = solid_tree(&s, NULL);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->faces, b->faces, a->face_count * sizeof *a->faces);
    // Without planes across axes a convex solid is a list; with them it is a tree.
    const solid ball = solid_ball(&r, 1000, 0.0f, (tact_vec3){0, 0, 0}, 1.0f);
    const tact_bsp_settings list = {.faces_only = true};
    assert_true(solid_tree(&ball, &list)->depth > 500);
    assert_true(solid_tree(&ball, NULL)->depth < 60);
}

static void refused(const tact_mesh_view* view, const tact_bsp_settings* settings, tact_result result, const char* why)
{
    tact_bsp tree;
    memset(&tree, 0xff, sizeof tree);
    assert_int_equal(tact_bsp_make(view, settings, NULL, &tree), result);
    if (!strstr(tact_last_error(), why)) fail_msg("\"%s\" lacks \"%s\"", tact_last_error(), why);
    const tact_bsp none = {0};
    assert_memory_equal(&tree, &none, sizeof tree);
    assert_int_equal(tact_bsp_locate(&tree, (tact_vec3){0, 0, 0}), TACT_BSP_OUTSIDE);
}

TEST(what_is_no_solid_is_refused)
{
    const tact_vec3 low = {0, 0, 0}, high = {1, 1, 1};
    solid s = solid_box(low, high);
    tact_mesh_view view = solid_view(&s);
    view.triangle_count = 0;
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "no volume");
    view.triangle_count = 11;
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "is open: 3 of its edges");
    view.triangle_count = 12;
    view.vertex_count = 7;
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "triangles of mesh given have a vertex");
    view.vertex_count = 8;
    s.positions[3].y = NAN;
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "triangles of mesh given have a vertex");
    s = solid_box(low, high);
    view = solid_view(&s);
    s.indices[0] = 2, s.indices[1] = 0;
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "not oriented: 3 edges");
    s = solid_box((tact_vec3){1, 0, 0}, (tact_vec3){0, 1, 1});
    view = solid_view(&s);
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "inside out");
    s = solid_box(low, (tact_vec3){1, 1, 0});
    view = solid_view(&s);
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "no volume");
    // A box with a sheet of two faces, one against the other, in the open.
    s = solid_box(low, high);
    tact_vec3 p[11];
    uint32_t t[14 * 3];
    memcpy(p, s.positions, 8 * sizeof *p);
    memcpy(t, s.indices, 36 * sizeof *t);
    p[8] = (tact_vec3){2, 0, 0}, p[9] = (tact_vec3){3, 0, 0.5f}, p[10] = (tact_vec3){2, 1, 0};
    memcpy(t + 36, (uint32_t[]){8, 9, 10, 8, 10, 9}, 24);
    view = (tact_mesh_view){p, 11, t, 14};
    refused(&view, NULL, TACT_ERROR_INVALID_ARGUMENT, "lie on each other and face opposite ways");
}

/// Two boxes as one mesh.
static solid two_boxes(tact_vec3 low, tact_vec3 high)
{
    const solid a = solid_box((tact_vec3){0, 0, 0}, (tact_vec3){2, 2, 2}), b = solid_box(low, high);
    solid s = {scratch(16 * sizeof(tact_vec3)), scratch(72 * sizeof(uint32_t)), 16, 24};
    memcpy(s.positions, a.positions, 8 * sizeof *s.positions);
    memcpy(s.positions + 8, b.positions, 8 * sizeof *s.positions);
    for (int i = 0; i < 36; ++i) {
        s.indices[i] = a.indices[i];
        s.indices[36 + i] = b.indices[i] + 8;
    }
    return s;
}

TEST(meshes_that_meet_themselves_are_refused_where_that_is_asked_for)
{
    const tact_bsp_settings strict = {.no_crossings = true};
    // Through each other; with parts of faces on each other; apart, and with an edge and with a corner in common.
    const tact_vec3 boxes[5][2] = {{{1, 1, 1}, {3, 3, 3}},
                                   {{2, 0.5f, 0.5f}, {3, 1, 1}},
                                   {{2.5f, 0, 0}, {3, 2, 2}},
                                   {{2, 2, 0}, {3, 3, 2}},
                                   {{2, 2, 2}, {3, 3, 3}}};
    for (int i = 0; i < 5; ++i) {
        const solid s = two_boxes(boxes[i][0], boxes[i][1]);
        const tact_mesh_view view = solid_view(&s);
        uint32_t pair[2];
        size_t count;
        char why[200];
        assert_true(solid_tree(&s, NULL)->node_count > 0);
        (void)tact_mesh_crossings(&view, NULL, pair, 1, &count);
        assert_int_equal(count > 0, i < 2);
        snprintf(why, sizeof why, "touches itself in %zu pairs of triangles, first %u and %u", count, (unsigned)pair[0],
                 (unsigned)pair[1]);
        if (count) {
            refused(&view, &strict, TACT_ERROR_INVALID_ARGUMENT, why);
        } else {
            assert_true(solid_tree(&s, &strict)->node_count > 0);
        }
    }
}

TEST(limits_end_a_build)
{
    test_random r = test_random_seeded(305);
    const solid s = solid_ball(&r, 1000, 0.0f, (tact_vec3){0, 0, 0}, 1.0f);
    const tact_mesh_view view = solid_view(&s);
    tact_bsp_settings settings = {.faces_only = true, .depth_limit = 100};
    refused(&view, &settings, TACT_ERROR_LIMIT, "deeper than 100 nodes");
    settings = (tact_bsp_settings){.memory_limit = 200000};
    refused(&view, &settings, TACT_ERROR_LIMIT, "more than 200000 bytes");
    settings = (tact_bsp_settings){.split_cost = -1.0f};
    refused(&view, &settings, TACT_ERROR_INVALID_ARGUMENT, "split_cost");
    settings = (tact_bsp_settings){.split_cost = NAN};
    refused(&view, &settings, TACT_ERROR_INVALID_ARGUMENT, "split_cost");
    settings = (tact_bsp_settings){.memory_limit = UINT64_MAX};
    assert_true(solid_tree(&s, &settings)->peak_bytes > 200000);
}

/// Closed surfaces that pass through themselves everywhere are no solids: what is inside is not defined, but a tree of
/// them is whole and all ends, or the detail says why there is none.
TEST(tangles_end)
{
    test_random r = test_random_seeded(306);
    size_t made = 0, refusals = 0;
    for (size_t i = 0; i < effort(160, 5000); ++i) {
        const solid s = solid_ball(&r, 20 + 10 * (i % 20), 0.2f, (tact_vec3){0, 0, 0}, 1.0f);
        for (size_t k = 0; k < s.vertices; ++k) {
            s.positions[k] = (tact_vec3){test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
            if (i % 2 == 0) continue;
            s.positions[k] = (tact_vec3){rintf(3.0f * s.positions[k].x), rintf(3.0f * s.positions[k].y),
                                         rintf(3.0f * s.positions[k].z)};
        }
        const tact_mesh_view view = solid_view(&s);
        tact_bsp tree;
        const tact_result result = tact_bsp_make(&view, NULL, NULL, &tree);
        if (result == TACT_OK) {
            check_tree(&tree);
            for (size_t k = 0; k < s.vertices; ++k)
                (void)tact_bsp_locate(&tree, s.positions[k]);
            ++made;
        } else {
            assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
            assert_true(tact_last_error()[0] != 0 && tree.nodes == NULL);
            ++refusals;
        }
        tact_bsp_free(&tree);
    }
    assert_true(10 * made > effort(160, 5000) && 10 * refusals > effort(160, 5000));
}

/// Triangles without area fill cracks and end in no plane.
TEST(needles_are_left_out)
{
    const tact_vec3 p[5] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 0, 0}};
    const uint32_t t[] = {0, 2, 4, 4, 2, 1, 0, 4, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    solid s = {(tact_vec3*)p, (uint32_t*)t, 5, 6};
    tact_bsp* tree = solid_tree(&s, NULL);
    check_tree(tree);
    assert_int_equal(tact_bsp_locate(tree, (tact_vec3){0.25f, 0.25f, 0.25f}), TACT_BSP_INSIDE);
    assert_int_equal(tact_bsp_locate(tree, p[4]), TACT_BSP_SURFACE);
    for (size_t i = 0; i < tree->face_count; ++i)
        assert_true(tree->faces[i] != 2);
}

/// Points that no place has.
TEST(points_that_are_not_finite_are_outside)
{
    const solid s = solid_box((tact_vec3){-1, -1, -1}, (tact_vec3){1, 1, 1});
    const tact_bsp* tree = solid_tree(&s, NULL);
    const tact_vec3 p[4] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, 0}, {1, 0, 0}};
    uint8_t places[4];
    tact_bsp_locate_many(tree, p, 4, places);
    assert_int_equal(places[0], TACT_BSP_OUTSIDE);
    assert_int_equal(places[1], TACT_BSP_OUTSIDE);
    assert_int_equal(places[2], TACT_BSP_INSIDE);
    assert_int_equal(places[3], TACT_BSP_SURFACE);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
