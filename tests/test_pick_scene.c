// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Picks of scenes against a brute force that is made here: which pixels are meant is asked of every pixel of the view,
// what is met of the reference ray by ray, and things are told apart and ranked by trying all of them.

#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/pick_scenes.h"

static tact_context* context;

static int set_up(void** state)
{
    context = make_context(false, NULL);
    return tact_picker_create(context, &picker) == TACT_OK ? 0 : 1;
}

static int tear_down(void** state)
{
    tact_picker_destroy(picker);
    tact_context_destroy(context);
    return 0;
}

// ---- The tests ----

static void random_region(test_random* r, const tact_pick_view* view, uint32_t shape, tact_pick_region* region,
                          float lasso[9][2])
{
    const int32_t x = view->left, y = view->top;
    const uint32_t w = view->width + 10, h = view->height + 10;
    *region = (tact_pick_region){.shape = (tact_pick_shape)shape};
    region->x = x + (int32_t)test_random_below(r, w) - 5;
    region->y = y + (int32_t)test_random_below(r, h) - 5;
    region->radius = test_random_below(r, 9);
    for (int k = 0; k < 4; ++k)
        region->rectangle[k] = (k & 1 ? y : x) + (int32_t)test_random_below(r, k & 1 ? h : w) - 5;
    region->lasso_count = test_random_below(r, 10);
    region->lasso = (const float(*)[2])lasso;
    for (size_t i = 0; i < region->lasso_count; ++i) {
        lasso[i][0] = (float)x + (float)w * test_random_unit(r) - 5.0f;
        lasso[i][1] = (float)y + (float)h * test_random_unit(r) - 5.0f;
    }
}

TEST(equals_brute_force)
{
    test_random r = test_random_seeded(1);
    size_t found = 0;
    for (uint32_t i = 0; i < 120; ++i) {
        float lasso[9][2];
        question q = {.backend = TACT_BACKEND_REFERENCE};
        q.scene = make_soup(context, &r, 30, 7);
        q.view = make_view(33, 24, 6.0f, 6.0f * test_random_unit(&r), i / 4);
        q.view.left = (int32_t)test_random_below(&r, 200) - 100;
        q.view.top = (int32_t)test_random_below(&r, 200) - 100;
        random_region(&r, &q.view, i % 4, &q.region, lasso);
        q.options.extent = i % 3 == 2 ? TACT_PICK_ALL : TACT_PICK_VISIBLE;
        q.options.group = (tact_pick_group)(i / 12 % 3);
        q.options.max_layers = i % 7 == 2 ? 3 : 0;
        q.options.keep = i % 5 == 1;
        found += check_picks(&q, 10.0f);
        tact_scene_destroy(q.scene);
    }
    assert_true(found > 700);
}

TEST(layers_and_ties)
{
    tact_scene* scene = KEEP(make_layers(context, 20));
    const tact_pick_view view = facing_view(10, 10);
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = 3, .y = 5};
    tact_pick_options options = {.extent = TACT_PICK_ALL};
    tact_pick picks[40];
    size_t count = 0;
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, &options, picks, 40, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 20);
    for (uint32_t i = 0; i < 20; ++i) {
        assert_int_equal(picks[i].instance, i);
        assert_int_equal(picks[i].layer, i);
        assert_int_equal(picks[i].pixels, 1);
        const float z = i == 2 ? -0.125f : -0.125f * (float)i;
        assert_true(picks[i].position[0] == 0.35f && fabsf(picks[i].position[1] - 0.45f) < 1e-6f);
        assert_true(picks[i].position[2] == z && picks[i].normal[2] == 1.0f);
        assert_true(fabsf(picks[i].depth - (0.5f - 0.05f * z)) < 1e-6f);
    }
    // What is visible is the first; of what was cut off after two layers, the second, by its number.
    options.max_layers = 2;
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, &options, picks, 40, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(picks[1].instance, 1);
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, NULL, picks, 40, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(picks[0].instance, 0);
}

/// More hits than are held at once.
TEST(many_layers)
{
    tact_scene* scene = KEEP(make_layers(context, 20));
    const tact_pick_view view = facing_view(300, 300);
    const tact_pick_region region = {.shape = TACT_PICK_FRAME};
    const tact_pick_options options = {.extent = TACT_PICK_ALL};
    tact_pick picks[40];
    size_t count = 0;
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, &options, picks, 40, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 20);
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < 20; ++i) {
        assert_int_equal(picks[i].instance, i);
        // A centre on the diagonal is in both triangles.
        assert_int_equal(picks[i].pixels, 90000 + 300);
        pixels += picks[i].pixels;
    }
    assert_int_equal(pixels, 20 * 90300);
}

/// More pixels than are cast at once: the same as in parts.
TEST(large_frame)
{
    test_random r = test_random_seeded(3);
    tact_scene* scene = KEEP(make_soup(context, &r, 30, 7));
    const tact_pick_view view = make_view(1500, 1400, 6.0f, 1.0f, 0);
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    tact_pick_options options = {.group = TACT_PICK_BY_PRIMITIVE};
    static tact_pick whole[1024], kept[1024], part[1024];
    size_t count = 0, again = 0, parts = 0;
    assert_int_equal(call_pick_scene(picker, scene, &view, &frame, &options, whole, 1024, &count, NULL, NULL), TACT_OK);
    options.keep = true;
    assert_int_equal(call_pick_scene(picker, scene, &view, &frame, &options, kept, 1024, &again, NULL, NULL), TACT_OK);
    assert_int_equal(count, again);
    assert_memory_equal(whole, kept, count * sizeof *whole);
    options.keep = false;
    uint32_t sums[1024] = {0};
    bool seen[1024] = {false};
    for (int32_t y = 0; y < 1400; y += 350) {
        const tact_pick_region rows = {.shape = TACT_PICK_RECTANGLE, .rectangle = {0, y, 1500, y + 350}};
        assert_int_equal(call_pick_scene(picker, scene, &view, &rows, &options, part, 1024, &parts, NULL, NULL),
                         TACT_OK);
        for (size_t i = 0; i < parts; ++i) {
            for (size_t k = 0; k < count; ++k) {
                if (!same_thing(TACT_PICK_BY_PRIMITIVE, &part[i], &whole[k])) continue;
                sums[k] += part[i].pixels;
                seen[k] = seen[k] || (part[i].x == whole[k].x && part[i].y == whole[k].y);
            }
        }
    }
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(whole[i].pixels, sums[i]);
        assert_true(seen[i]);
    }
    assert_true(count > 30);
}

TEST(nothing_under_it)
{
    tact_scene* scene = KEEP(make_layers(context, 3));
    tact_pick_view view = facing_view(10, 10);
    const float line[2][2] = {{0, 0}, {9, 9}};
    const tact_pick_region outside[] = {
        {.shape = TACT_PICK_POINT, .x = -1, .y = 5},
        {.shape = TACT_PICK_POINT, .x = INT32_MAX, .y = INT32_MIN, .radius = 1024},
        {.shape = TACT_PICK_RECTANGLE, .rectangle = {10, 0, 20, 10}},
        {.shape = TACT_PICK_RECTANGLE, .rectangle = {4, 4, 4, 9}},
        {.shape = TACT_PICK_LASSO},
        {.shape = TACT_PICK_LASSO, .lasso = line, .lasso_count = 2},
    };
    tact_pick pick;
    size_t count = 7;
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
        for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
            const tact_pick_options options = {.extent = (tact_pick_extent)extent, .keep = i & 1};
            tact_query_report report;
            count = 7;
            assert_int_equal(
                call_pick_scene(picker, scene, &view, &outside[i], &options, &pick, 1, &count, NULL, &report), TACT_OK);
            assert_int_equal(count, 0);
            assert_int_equal(report.backend, TACT_BACKEND_CPU);
            assert_null(tact_pick_last(picker, &count));
        }
    }
    // A view of no size shows nothing, whatever its matrix.
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    view.width = 0;
    view.world_to_clip[3] = NAN;
    assert_int_equal(call_pick_scene(picker, scene, &view, &frame, NULL, &pick, 1, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    // An empty scene.
    tact_scene* empty = KEEP(new_scene(context));
    assert_int_equal(tact_scene_commit(empty), TACT_OK);
    view = facing_view(10, 10);
    assert_int_equal(call_pick_scene(picker, empty, &view, &frame, NULL, &pick, 1, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
}

TEST(too_little_room)
{
    tact_scene* scene = KEEP(make_layers(context, 9));
    const tact_pick_view view = facing_view(10, 10);
    const tact_pick_region region = {.shape = TACT_PICK_RECTANGLE, .rectangle = {5, 5, 2, 2}};
    const tact_pick_options options = {.extent = TACT_PICK_ALL};
    tact_pick picks[5];
    size_t count = 0;
    memset(picks, 0x55, sizeof picks);
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, &options, picks, 4, &count, NULL, NULL),
                     TACT_INCOMPLETE);
    assert_int_equal(count, 9);
    assert_int_equal(picks[3].instance, 3);
    assert_int_equal(picks[4].instance, 0x55555555);
    const tact_pick* all = tact_pick_last(picker, &count);
    assert_int_equal(count, 9);
    assert_memory_equal(all, picks, 4 * sizeof *picks);
    assert_int_equal(all[8].instance, 8);
}

static uint32_t pick_one(tact_scene* scene, const tact_pick_view* view, int32_t x, int32_t y, bool keep,
                         bool* from_kept)
{
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = x, .y = y};
    const tact_pick_options options = {.keep = keep};
    tact_query_report report;
    tact_pick pick = {.instance = 0};
    size_t count = 0;
    assert_int_equal(call_pick_scene(picker, scene, view, &region, &options, &pick, 1, &count, NULL, &report), TACT_OK);
    if (from_kept) *from_kept = strstr(report.reason, "the view was kept") != NULL;
    return count ? pick.instance : TACT_NONE;
}

TEST(kept_views)
{
    bool kept = true;
    tact_scene* scene = make_layers(context, 3);
    tact_pick_view view = facing_view(10, 10);
    assert_int_equal(pick_one(scene, &view, 3, 3, true, &kept), 0);
    assert_false(kept);
    assert_int_equal(pick_one(scene, &view, 8, 3, true, &kept), 0);
    assert_true(kept);
    // A move, once committed.
    const float away[12] = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_int_equal(tact_scene_move_instance(scene, 0, away), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(pick_one(scene, &view, 8, 3, true, &kept), 1);
    assert_false(kept);
    // Another view, and back.
    view.left = 5;
    assert_int_equal(pick_one(scene, &view, 4, 3, true, &kept), TACT_NONE);
    assert_false(kept);
    assert_int_equal(pick_one(scene, &view, 14, 3, true, &kept), 1);
    assert_false(kept);  // nothing had to be cast for a pixel outside
    assert_int_equal(pick_one(scene, &view, 6, 3, true, &kept), 1);
    assert_true(kept);
    // Calls that keep nothing leave it.
    assert_int_equal(pick_one(scene, &view, 14, 3, false, &kept), 1);
    assert_false(kept);
    assert_int_equal(pick_one(scene, &view, 13, 3, true, &kept), 1);
    assert_true(kept);
    // Another scene, most likely at the same address, of as many changes.
    tact_scene_destroy(scene);
    scene = make_layers(context, 3);
    assert_int_equal(tact_scene_move_instance(scene, 2, away), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(pick_one(scene, &view, 13, 3, true, &kept), 0);
    assert_false(kept);
    // Removed, and its id given out again.
    assert_int_equal(tact_scene_remove_instance(scene, 0), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(pick_one(scene, &view, 13, 3, true, &kept), 1);
    assert_false(kept);
    const float front[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3};
    assert_int_equal(add_instance(scene, 0, front), 0);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(pick_one(scene, &view, 13, 3, true, &kept), 0);
    assert_false(kept);
    tact_scene_destroy(scene);
}

static bool stop(double fraction, void* user)
{
    return false;
}

static void refuses(tact_result expected, tact_scene* scene, const tact_pick_view* view, const tact_pick_region* region,
                    const tact_pick_options* options, const tact_query_options* query)
{
    tact_pick pick;
    size_t count = 3;
    assert_int_equal(call_pick_scene(picker, scene, view, region, options, &pick, 1, &count, query, NULL), expected);
    assert_int_equal(count, 0);
    assert_null(tact_pick_last(picker, &count));
    assert_int_equal(count, 0);
}

TEST(refusals)
{
    const tact_result bad = TACT_ERROR_INVALID_ARGUMENT;
    tact_scene* scene = make_layers(context, 3);
    const tact_pick_view view = facing_view(10, 10);
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME}, strange = {.shape = (tact_pick_shape)9};
    const float broken[3][2] = {{0, 0}, {NAN, 1}, {4, 4}};
    const tact_pick_region lasso = {.shape = TACT_PICK_LASSO, .lasso = broken, .lasso_count = 3};
    const tact_pick_region wide = {.shape = TACT_PICK_POINT, .radius = 1025};
    refuses(bad, NULL, &view, &frame, NULL, NULL);
    refuses(bad, scene, NULL, &frame, NULL, NULL);
    refuses(bad, scene, &view, NULL, NULL, NULL);
    refuses(bad, scene, &view, &strange, NULL, NULL);
    refuses(bad, scene, &view, &lasso, NULL, NULL);
    refuses(bad, scene, &view, &wide, NULL, NULL);
    tact_pick_view v = view;
    v.world_to_clip[0] = NAN;
    refuses(bad, scene, &v, &frame, NULL, NULL);
    v = view;
    v.world_to_clip[0] = 0.0f;
    refuses(bad, scene, &v, &frame, NULL, NULL);
    v = view;
    v.width = TACT_PICK_SIZE_MAX + 1;
    refuses(bad, scene, &v, &frame, NULL, NULL);
    v = view;
    v.left = INT32_MAX - 3;
    refuses(bad, scene, &v, &frame, NULL, NULL);
    v = view;
    v.depth = (tact_clip_depth)5;
    refuses(bad, scene, &v, &frame, NULL, NULL);
    const tact_pick_options options[] = {
        {.extent = (tact_pick_extent)3},
        {.group = (tact_pick_group)3},
        {.method = (tact_pick_method)2},
        {.extent = TACT_PICK_TOUCHED, .method = TACT_PICK_RASTER},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i)
        refuses(bad, scene, &view, &frame, &options[i], NULL);
    const tact_pick_options drawn = {.method = TACT_PICK_RASTER};
    refuses(TACT_ERROR_NO_DEVICE, scene, &view, &frame, &drawn, NULL);
    const tact_query_options cl = {.backend = TACT_BACKEND_CL}, cancelled = {.progress = stop}, odd = {.threads = -1};
    refuses(TACT_ERROR_NO_DEVICE, scene, &view, &frame, NULL, &cl);
    refuses(bad, scene, &view, &frame, &drawn, &cl);
    refuses(bad, scene, &view, &frame, NULL, &odd);
    refuses(TACT_ERROR_CANCELLED, scene, &view, &frame, NULL, &cancelled);
    add_instance(scene, 0, NULL);
    refuses(bad, scene, &view, &frame, NULL, NULL);
    tact_scene_destroy(scene);
    tact_context* other = KEEP(make_context(false, NULL));
    scene = make_layers(other, 1);
    refuses(bad, scene, &view, &frame, NULL, NULL);
    tact_scene_destroy(scene);
    size_t count;
    assert_int_equal(call_pick_scene(NULL, NULL, NULL, NULL, NULL, NULL, 0, &count, NULL, NULL), bad);
    assert_null(tact_pick_last(NULL, &count));
    tact_picker_destroy(NULL);
}

static bool never_back(double fraction, void* user)
{
    double* last = user;
    assert_true(fraction >= *last && fraction <= 1.0);
    *last = fraction;
    return true;
}

/// However many casts a call takes, it tells of itself as one.
TEST(progress_goes_ahead)
{
    test_random r = test_random_seeded(6);
    tact_scene* scene = KEEP(make_soup(context, &r, 30, 7));
    const tact_pick_view view = make_view(160, 120, 6.0f, 2.0f, 0);
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
        const tact_pick_options options = {.extent = (tact_pick_extent)extent};
        double last = 0.0;
        const tact_query_options query = {.progress = never_back, .progress_user = &last};
        size_t count = 0;
        assert_int_equal(call_pick_scene(picker, scene, &view, &frame, &options, NULL, 0, &count, &query, NULL),
                         TACT_INCOMPLETE);
        assert_true(count > 0 && last > 0.999);
    }
}

/// Every number of threads, the reference and the check give the same bytes.
TEST(same_for_all)
{
    test_random r = test_random_seeded(5);
    tact_scene* scene = KEEP(make_soup(context, &r, 30, 7));
    const tact_pick_view view = make_view(120, 90, 6.0f, 2.0f, 0);
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    static tact_pick first[1024], other[1024];
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
        const tact_pick_options options = {.extent = (tact_pick_extent)extent, .group = TACT_PICK_BY_PRIMITIVE};
        size_t count = 0, again = 0;
        tact_query_report report;
        tact_query_options query = {.threads = 1};
        assert_int_equal(call_pick_scene(picker, scene, &view, &frame, &options, first, 1024, &count, &query, &report),
                         TACT_OK);
        assert_true(count > 50 && count <= 1024);
        assert_int_equal(report.threads, 1);
        for (int i = 2; i < 8; ++i) {
            query = (tact_query_options){.threads = i};
            if (i == 6) query.shadow = true;
            if (i == 7) query.backend = TACT_BACKEND_REFERENCE;
            assert_int_equal(
                call_pick_scene(picker, scene, &view, &frame, &options, other, 1024, &again, &query, &report), TACT_OK);
            assert_int_equal(count, again);
            assert_memory_equal(first, other, count * sizeof *first);
            if (i == 6) assert_non_null(strstr(report.reason, "shadow: equal"));
        }
    }
}

/// A window and a part of the view give what the view gives there.
TEST(windows)
{
    tact_scene* scene = KEEP(make_layers(context, 3));
    const tact_pick_view view = facing_view(100, 100);
    tact_pick_view window;
    assert_true(tact_pick_window(&view, 40, 70, 3, &window));
    assert_int_equal(pick_one(scene, &window, 40, 70, false, NULL), 0);
    size_t count = 0;
    const tact_pick* picks = tact_pick_last(picker, &count);
    assert_true(fabsf(picks[0].position[0] - 0.405f) < 1e-5f && fabsf(picks[0].position[1] - 0.295f) < 1e-5f);
    assert_int_equal(picks[0].x, 40);
    assert_int_equal(picks[0].y, 70);
    // Half outside, and wholly so: the square ends there.
    assert_true(tact_pick_window(&view, 0, 0, 5, &window));
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    tact_pick pick;
    assert_int_equal(call_pick_scene(picker, scene, &window, &frame, NULL, &pick, 1, &count, NULL, NULL), TACT_OK);
    assert_int_equal(pick.pixels, 9);
    assert_true(tact_pick_window(&view, -5, 0, 5, &window));
    assert_int_equal(call_pick_scene(picker, scene, &window, &frame, NULL, &pick, 1, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
}

TEST(ten_thousand_instances)
{
    test_random r = test_random_seeded(7);
    tact_scene* scene = KEEP(new_scene(context));
    add_mesh(scene, square, 2);
    for (int i = 0; i < 10000; ++i) {
        float matrix[12];
        random_matrix(&r, 60.0f, matrix);
        add_instance(scene, 0, matrix);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    uint32_t* objects = calloc(10000, sizeof *objects);
    size_t found = 0;
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_ALL; ++extent) {
        question q = {.scene = scene, .objects = objects, .backend = TACT_BACKEND_CPU};
        q.view = make_view(80, 60, 100.0f, 0.7f, 0);
        q.options.extent = (tact_pick_extent)extent;
        found += check_picks(&q, 200.0f);
    }
    assert_true(found > 2000);
    free(objects);
}

TEST(bunny)
{
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    if (!tact_mesh_file_read("/usr/share/glmark2/models/bunny.obj", &mesh, &problem))
        skip_because("no bunny (package glmark2-data)");
    const uint32_t objects[1] = {0};
    const tact_mesh_desc desc = tact_model_mesh_desc(&mesh);
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t id = put_mesh(scene, &desc);
    add_instance(scene, id, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    float size = 0.0f;
    for (int k = 0; k < 3; ++k)
        size = fmaxf(size, fmaxf(fabsf(stats.lower[k]), fabsf(stats.upper[k])));
    for (uint32_t extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_ALL; ++extent) {
        question q = {.scene = scene, .objects = objects, .backend = TACT_BACKEND_CPU};
        q.view = make_view(120, 90, 2.0f * size, 0.3f, 0);
        q.options.extent = (tact_pick_extent)extent;
        q.options.group = TACT_PICK_BY_PRIMITIVE;
        assert_true(check_picks(&q, 4.0f * size) > 500);
    }
    tact_model_mesh_free(&mesh);
}

/// Whether the square of an instance of make_grid(), seen from the front, has a point in an open box of places. Those
/// that only share an edge with it are left to the tests of what is touched.
static int touch_class(const float matrix[12], const double box[4], double size)
{
    const double low[2] = {(double)matrix[3] * size, (1.0 - (double)matrix[7] - (double)matrix[5]) * size};
    const double high[2] = {low[0] + (double)matrix[0] * size, low[1] + (double)matrix[5] * size};
    const double gap = fmax(fmax(low[0] - box[2], box[0] - high[0]), fmax(low[1] - box[3], box[1] - high[1]));
    return gap > 1e-3 ? 0 : gap < -1e-3 ? 1 : 2;
}

/// TOUCHED goes by area, not by centres of pixels: squares far smaller than pixels are all found.
TEST(touched)
{
    enum { SQUARES = 2000 };
    static float matrix[SQUARES][12];
    static tact_pick picks[SQUARES];
    test_random r = test_random_seeded(13);
    tact_scene* scene = KEEP(new_scene(context));
    add_mesh(scene, square, 2);
    for (uint32_t i = 0; i < SQUARES; ++i) {
        const float side = 1e-3f + (i % 10 == 0 ? 0.1f * test_random_unit(&r) : 0.0f);
        const float made[12] = {side, 0, 0, test_random_unit(&r), 0, side, 0, test_random_unit(&r),
                                0,    0, 1, (float)i * 1e-3f};
        memcpy(matrix[i], made, sizeof made);
        add_instance(scene, 0, made);
    }
    assert_int_equal(tact_scene_remove_instance(scene, 7), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_pick_view view = facing_view(20, 20);
    const tact_pick_region region = {.shape = TACT_PICK_RECTANGLE, .rectangle = {3, 5, 11, 9}};
    const tact_pick_options options = {.extent = TACT_PICK_TOUCHED};
    const double box[4] = {3, 5, 11, 9};
    bool found[SQUARES] = {false};
    size_t count = 0, again = 0, sure = 0;
    for (int backend = 0; backend < 2; ++backend) {
        const tact_query_options query = {.backend = backend ? TACT_BACKEND_REFERENCE : TACT_BACKEND_AUTO,
                                          .shadow = true};
        assert_int_equal(call_pick_scene(picker, scene, &view, &region, &options, picks, SQUARES, &count, &query, NULL),
                         TACT_OK);
        assert_true(backend == 0 || count == again);
        again = count;
    }
    for (size_t i = 0; i < count; ++i) {
        const tact_pick* p = &picks[i];
        assert_true(!found[p->instance] && p->pixels == 0 && p->layer == 0 && p->object == 0);
        found[p->instance] = true;
        assert_true(p->x >= 3 && p->x < 11 && p->y >= 5 && p->y < 9);
        assert_true(i == 0 || p->depth >= picks[i - 1].depth);
        assert_true(fabsf(p->position[2] - matrix[p->instance][11]) < 1e-6f && p->normal[2] == 1.0f);
        double place[2];
        float depth;
        assert_true(tact_pick_project(&view, p->position, place, &depth));
        assert_true(floor(place[0] + 1e-4) >= p->x && floor(place[0] - 1e-4) <= p->x &&
                    fabsf(depth - p->depth) < 1e-6f);
        assert_true(floor(place[1] + 1e-4) >= p->y && floor(place[1] - 1e-4) <= p->y);
        assert_true(fabsf(p->barycentric[0] + p->barycentric[1] + p->barycentric[2] - 1.0f) < 1e-6f);
    }
    for (uint32_t i = 0; i < SQUARES; ++i) {
        const int class = touch_class(matrix[i], box, 20.0);
        if (class == 2) continue;
        assert_int_equal(found[i], class == 1 && i != 7);
        sure += found[i];
    }
    assert_true(sure > 100);
    // By centres of pixels, nearly all of them are missed.
    const tact_pick_options centres = {.extent = TACT_PICK_ALL};
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, &centres, picks, SQUARES, &count, NULL, NULL),
                     TACT_OK);
    assert_true(count < again / 2);
}

/// An argument names the tests to run, such as "kept*".

#include TEST_LIST

int main(int argc, char** argv)
{
    if (argc > 1) run_only(argv[1]);
    return run_all(all_tests, set_up, tear_down);
}
