// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Part of test_pick_touched: a dense mesh, most of which is wholly inside of a region or wholly outside.

enum { DENSE = 96, DENSE_TRIANGLES = 2 * DENSE * DENSE };

/// Over all of flat_view() and beyond.
static tact_scene* dense_scene(tact_context* context, test_random* r)
{
    tact_scene* scene = new_scene(context);
    float* p = scratch(9 * (size_t)DENSE_TRIANGLES * sizeof *p);
    for (size_t i = 0; i < DENSE_TRIANGLES; ++i) {
        const float x = (float)(i / 2 % DENSE) * 0.1875f - 1.0f, y = (float)(i / 2 / DENSE) * 0.1875f - 1.0f;
        const float size = i % 500 == 0 ? 2.0f : 0.1875f;
        for (size_t k = 0; k < 9; ++k)
            p[9 * i + k] = (k % 3 == 2 ? 0.5f : k % 3 ? y : x) + 0.5f * size * test_random_signed(r);
        // Some are parallel to the screen: no corner of those is the nearest.
        if (i % 3 == 0) p[9 * i + 2] = p[9 * i + 5] = p[9 * i + 8] = 0.25f;
    }
    add_instance(scene, add_mesh(scene, p, DENSE_TRIANGLES), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// By trees and by brute force; depths[i] is that of triangle i, 2 where it is not touched. Returns how many are.
static size_t ask_dense(tact_scene* scene, const tact_pick_view* view, const tact_pick_region* region, double* depths)
{
    tact_pick_touch_job job = job_of(scene, view, region);
    answer trees = ask(scene, &job);
    job.brute = true;
    answer brute = ask(scene, &job);
    same(&trees, &brute);
    for (size_t i = 0; i < DENSE_TRIANGLES; ++i)
        depths[i] = 2.0;
    for (size_t i = 0; i < brute.list.count; ++i)
        depths[brute.list.items[i].ids.primitive] = brute.touches[i].depth;
    const size_t count = brute.list.count;
    drop(scene, &trees);
    drop(scene, &brute);
    return count;
}

/// A grid decides most of a lasso. One with a needle far beyond the view, which adds no area there, has no grid, so its
/// edges decide all.
static void a_grid_decides_a_lasso_as_its_edges_do(void** state)
{
    enum { CORNERS = 14 };
    test_random r = test_random_seeded(31);
    tact_context* context = counting_context(0, NULL);
    tact_scene* scene = dense_scene(context, &r);
    double* depths = scratch(2 * DENSE_TRIANGLES * sizeof *depths);
    size_t found = 0, differing = 0;
    for (int k = 0; k < 24; ++k) {
        tact_pick_view view = flat_view();
        view.reversed = k & 1;
        float lasso[CORNERS + 2][2] = {{8.0f, -1.0f}, {2e6f, -1.0f}, {8.0f, -1.0f}};
        for (int i = 3; i < CORNERS + 2; ++i) {
            lasso[i][0] = 8.0f + 8.0f * test_random_signed(&r);
            lasso[i][1] = 8.0f + 8.0f * test_random_signed(&r);
        }
        const tact_pick_region needle = {
            .shape = TACT_PICK_LASSO, .lasso = (const float(*)[2])lasso, .lasso_count = CORNERS + 2};
        const tact_pick_region plain = {
            .shape = TACT_PICK_LASSO, .lasso = (const float(*)[2])lasso + 2, .lasso_count = CORNERS};
        const size_t count = ask_dense(scene, &view, &plain, depths);
        assert_int_equal(ask_dense(scene, &view, &needle, depths + DENSE_TRIANGLES), count);
        for (size_t i = 0; i < DENSE_TRIANGLES; ++i)
            differing += !(fabs(depths[i] - depths[DENSE_TRIANGLES + i]) < 1e-9);
        found += count;
    }
    assert_int_equal(differing, 0);
    assert_true(found > 24 * DENSE_TRIANGLES / 8 && found < 24 * DENSE_TRIANGLES * 7 / 8);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

/// A lasso along a rectangle's sides is that rectangle.
static void a_lasso_of_a_rectangle_is_that(void** state)
{
    test_random r = test_random_seeded(32);
    tact_context* context = counting_context(0, NULL);
    tact_scene* scene = dense_scene(context, &r);
    double* depths = scratch(2 * DENSE_TRIANGLES * sizeof *depths);
    const tact_pick_view view = flat_view();
    for (int32_t k = 0; k < 6; ++k) {
        const int32_t x0 = k, y0 = k / 2, x1 = 16 - k / 2, y1 = 15 - k;
        const float lasso[4][2] = {
            {(float)x0, (float)y0}, {(float)x1, (float)y0}, {(float)x1, (float)y1}, {(float)x0, (float)y1}};
        const tact_pick_region drawn = {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = 4};
        const tact_pick_region told = {.shape = TACT_PICK_RECTANGLE, .rectangle = {x0, y0, x1, y1}};
        assert_int_equal(ask_dense(scene, &view, &drawn, depths),
                         ask_dense(scene, &view, &told, depths + DENSE_TRIANGLES));
        for (size_t i = 0; i < DENSE_TRIANGLES; ++i)
            assert_true(fabs(depths[i] - depths[DENSE_TRIANGLES + i]) < 1e-9);
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}
