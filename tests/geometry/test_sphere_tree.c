// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Trees of spheres: each level holds all of the solid, by points of it and all vertices; levels get closer; the tree is
// one.

#include "tests/support/run.h"

#include <math.h>

#include "tact/geometry/bounding_sphere.h"
#include "tact/geometry/containment.h"
#include "tact/geometry/sphere_tree.h"
#include "tests/geometry/solids.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

static void free_spheres(void* tree)
{
    tact_sphere_tree_free(tree);
}

static tact_sphere_tree* make(const solid* s, const tact_sphere_tree_settings* settings)
{
    tact_sphere_tree* tree = scratch(sizeof *tree);
    const tact_mesh_view view = solid_view(s);
    if (tact_sphere_tree_make(&view, settings, NULL, tree) != TACT_OK) fail_msg("%s", tact_last_error());
    at_end(free_spheres, tree);
    return tree;
}

static bool in_level(const tact_sphere_tree* tree, uint32_t level, tact_vec3 p)
{
    for (uint32_t i = tree->level_start[level]; i < tree->level_start[level + 1]; ++i)
        if (tact_sphere_contains_point(tree->spheres[i], p)) return true;
    return false;
}

/// A tree by its numbers, and children near their parents.
static void check_shape(const tact_sphere_tree* tree, uint32_t levels, uint32_t children)
{
    assert_int_equal(tree->level_count, levels);
    assert_true(tree->level_start[0] == 0 && tree->level_start[1] == 1);
    assert_int_equal(tree->level_start[levels], tree->sphere_count);
    for (uint32_t l = 0; l + 1 < levels; ++l) {
        uint32_t next = tree->level_start[l + 1];
        for (uint32_t i = tree->level_start[l]; i < tree->level_start[l + 1]; ++i) {
            const uint32_t begin = tree->first_child[i], end = tree->first_child[i + 1];
            assert_int_equal(begin, next);
            assert_true(end > begin && end - begin <= children);
            for (uint32_t k = begin; k < end; ++k) {
                const tact_sphere a = tree->spheres[i], b = tree->spheres[k];
                const double x = (double)a.center.x - (double)b.center.x, y = (double)a.center.y - (double)b.center.y,
                             z = (double)a.center.z - (double)b.center.z;
                assert_true(sqrt(x * x + y * y + z * z) <= (double)a.radius * 1.0001);
                assert_true(b.radius <= a.radius * 1.0001f);
            }
            next = end;
        }
        assert_int_equal(next, tree->level_start[l + 2]);
    }
    for (uint32_t i = tree->level_start[levels - 1]; i <= tree->sphere_count; ++i)
        assert_int_equal(tree->first_child[i], tree->sphere_count);
}

/// Points outside of the solid that each level has, of those in a box; none of the solid's is outside of a level.
static void count_beyond(test_random* r, const solid* s, const tact_sphere_tree* tree, float size, size_t* beyond)
{
    const tact_mesh_view view = solid_view(s);
    for (uint32_t l = 0; l < tree->level_count; ++l) {
        beyond[l] = 0;
        for (size_t v = 0; v < view.vertex_count; ++v)
            assert_true(in_level(tree, l, view.positions[v]));
    }
    for (int i = 0; i < 4000; ++i) {
        const tact_vec3 p = {size * test_random_signed(r), size * test_random_signed(r), size * test_random_signed(r)};
        const bool inside = tact_mesh_locate(view.positions, view.indices, (uint32_t)view.triangle_count, p, NULL) !=
                            TACT_POINT_OUTSIDE;
        for (uint32_t l = 0; l < tree->level_count; ++l) {
            const bool in = in_level(tree, l, p);
            assert_true(in || !inside);
            beyond[l] += in && !inside;
        }
    }
}

TEST(levels_hold_the_solid_and_get_closer)
{
    test_random r = {1};
    const solid ring = solid_torus(40, 16, 1.0f, 0.3f);
    const solid box = solid_box((tact_vec3){-1, -0.25f, -0.5f}, (tact_vec3){1, 0.25f, 0.5f});
    const solid ball = solid_ball(&r, 200, 0.3f, (tact_vec3){0, 0, 0}, 1.0f);
    const solid* solids[3] = {&ring, &box, &ball};
    for (int k = 0; k < 3; ++k) {
        size_t beyond[2][4];
        for (int method = 0; method < 2; ++method) {
            const tact_sphere_tree_settings settings = {
                .method = (tact_sphere_tree_method)method, .levels = 4, .cells = 48};
            const tact_sphere_tree* tree = make(solids[k], &settings);
            check_shape(tree, 4, 8);
            count_beyond(&r, solids[k], tree, 1.5f, beyond[method]);
            print_message("method %d: %zu spheres, %zu %zu %zu %zu beyond\n", method, tree->sphere_count,
                          beyond[method][0], beyond[method][1], beyond[method][2], beyond[method][3]);
            // Eight spheres may have more beyond a ball than the one around it.
            assert_true(beyond[method][2] < beyond[method][1] && beyond[method][3] < beyond[method][2] &&
                        beyond[method][3] < beyond[method][0]);
        }
        // What grows with the solid fits it better than cubes that are anywhere.
        assert_true(beyond[0][1] < beyond[1][1] && beyond[0][3] < beyond[1][3]);
    }
}

TEST(any_number_of_children)
{
    test_random r = {2};
    const solid ring = solid_torus(24, 9, 1.0f, 0.3f);
    size_t last[2] = {0};
    for (uint32_t children = 2; children <= 64; children *= 2) {
        const tact_sphere_tree_settings settings = {.levels = 2, .children = children, .cells = 32};
        const tact_sphere_tree* tree = make(&ring, &settings);
        check_shape(tree, 2, children);
        assert_int_equal(tree->sphere_count, 1 + children);
        size_t beyond[2];
        count_beyond(&r, &ring, tree, 1.5f, beyond);
        if (children == 2 || children == 8) last[children == 8] = beyond[1];
        if (children == 64) assert_true(beyond[1] < last[1] && last[1] < last[0]);
        const tact_sphere_tree* again = make(&ring, &settings);
        assert_memory_equal(again->spheres, tree->spheres, tree->sphere_count * sizeof *tree->spheres);
    }
}

/// Fewer cells than spheres: levels go on with what cannot be divided.
TEST(few_cells_go_on_alone)
{
    const solid box = solid_box((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1});
    for (int method = 0; method < 2; ++method) {
        const tact_sphere_tree_settings settings = {
            .method = (tact_sphere_tree_method)method, .levels = 8, .children = 8, .cells = 2};
        const tact_sphere_tree* tree = make(&box, &settings);
        check_shape(tree, 8, 8);
        for (uint32_t l = 0; l < 8; ++l)
            assert_true(in_level(tree, l, (tact_vec3){1, 1, 1}) && in_level(tree, l, (tact_vec3){0.5f, 0.5f, 0}));
    }
}

TEST(what_is_wrong_is_refused)
{
    const solid box = solid_box((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1});
    tact_mesh_view view = solid_view(&box);
    const tact_sphere_tree_settings wrong[] = {{.method = (tact_sphere_tree_method)2},
                                               {.levels = 9},
                                               {.children = 1},
                                               {.children = 65},
                                               {.cells = 1},
                                               {.cells = 257}};
    tact_sphere_tree tree;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(tact_sphere_tree_make(&view, &wrong[i], NULL, &tree), TACT_ERROR_INVALID_ARGUMENT);
        assert_null(tree.spheres);
    }
    --view.triangle_count;
    assert_int_equal(tact_sphere_tree_make(&view, NULL, NULL, &tree), TACT_ERROR_INVALID_ARGUMENT);
    view.triangle_count = 0;
    assert_int_equal(tact_sphere_tree_make(&view, NULL, NULL, &tree), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "no triangles"));
    view = solid_view(&box);
    const tact_sphere_tree_settings small = {.levels = 2, .cells = 4};
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        const tact_result result = tact_sphere_tree_make(&view, &small, &hooks, &tree);
        if (result == TACT_OK) tact_sphere_tree_free(&tree);
        assert_int_equal(counter.live, 0);
        if (result == TACT_OK) {
            assert_true(fail_at > 8);
            return;
        }
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_null(tree.spheres);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
