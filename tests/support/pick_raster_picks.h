// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Picks by drawing: windows, layers, what is kept, failures, and the caller's context. For test_pick_raster.c, after
/// its own parts.

#include "tests/support/calls.h"
#include "tests/support/gl_state.h"
#include "tests/support/objects.h"

typedef struct kept_list {
    tact_env* env;
    tact_pick_list list;
} kept_list;

static void end_list(void* object)
{
    kept_list* kept = object;
    tact_pick_list_free(kept->env, &kept->list);
}

/// The list is there until the test ends.
static tact_result pick(tact_pick_drawer* drawer, tact_env* env, tact_scene* scene, const tact_pick_view* view,
                        const tact_pick_region* region, const tact_pick_options* options, tact_pick_list* list)
{
    tact_pick_mask mask = {0};
    assert_int_equal(tact_pick_mask_make(env, view, region, &mask), TACT_OK);
    const tact_result result = pick_by_drawer(drawer, scene, view, &mask, options, NULL, NULL, list);
    tact_pick_mask_free(env, &mask);
    kept_list* kept = scratch(sizeof *kept);
    *kept = (kept_list){env, *list};
    at_end(end_list, kept);
    return result;
}

static uint64_t pixels_of(const tact_pick_list* list)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < list->count; ++i)
        sum += list->items[i].pixels;
    return sum;
}

// ---- Windows ----

static void test_windows(void** state)
{
    lab* l = require(state);
    tact_model_mesh mesh = pick_mesh("bunny.obj");
    pick_fit(&mesh);
    tact_scene* scenes[2] = {KEEP(pick_instances(l->context, 3000, 0.06f, 93)), KEEP(pick_scene_of(l->context, mesh))};
    test_random r = test_random_seeded(94);
    size_t compared = 0, differ = 0;
    for (int i = 0; i < 8; ++i) {
        tact_scene* scene = scenes[i / 4];
        pick_camera camera = i & 1 ? close_by : outside;
        camera.orthographic = i == 2;
        camera.tall = i == 2 ? 1.0 : camera.tall;
        camera.reversed = i == 3;
        const tact_pick_view view = sized(&camera);
        checking c = {.e = explain_make(&view, l->bits), .scene = scene};
        pick_image whole, part;
        assert_int_equal(pick_draw(l->device, l->drawer, scene, &view, &whole), TACT_OK);
        for (int k = 0; k < 40; ++k) {
            const int32_t x = (int32_t)test_random_below(&r, view.width),
                          y = (int32_t)test_random_below(&r, view.height);
            tact_pick_view window;
            assert_true(tact_pick_window(&view, x, y, k % 8 ? 3 : 31, &window));
            assert_int_equal(pick_draw(l->device, l->drawer, scene, &window, &part), TACT_OK);
            for (uint32_t j = 0; j < window.width * window.height; ++j) {
                const int32_t px = window.left + (int32_t)(j % window.width),
                              py = window.top + (int32_t)(j / window.width);
                if (px < 0 || py < 0 || px >= (int32_t)view.width || py >= (int32_t)view.height) continue;
                const size_t at = (size_t)py * view.width + (size_t)px;
                const thing a = of_ids(&whole.ids[at], &whole.surfaces[at]),
                            b = of_ids(&part.ids[j], &part.surfaces[j]);
                tact_ray ray;
                ++compared;
                if (same_thing(&a, &b)) continue;
                ++differ;
                assert_true(tact_pick_ray(&view, px + 0.5, py + 0.5, &ray));
                if (!explained(&c, &a, &b, &ray, px + 0.5, py + 0.5)) fail_msg("a window differs at %d %d", px, py);
            }
            pick_image_free(&part);
        }
        pick_image_free(&whole);
    }
    print_message("windows: %zu pixels, %zu differ from the whole view's\n", compared, differ);
    assert_true(differ * 100 < compared);
}

// ---- Layers ----

typedef struct cover {
    uint32_t surely, perhaps;  // pixels
} cover;

// How many pixels of the view a triangle covers, by its places in double precision.
static cover cover_of(const explain_triangle* t, const tact_pick_view* view)
{
    cover c = {0, 0};
    double lower[2] = {HUGE_VAL, HUGE_VAL}, upper[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < t->count; ++i) {
        for (int k = 0; k < 2; ++k) {
            lower[k] = fmin(lower[k], t->at[i][k] - t->moved);
            upper[k] = fmax(upper[k], t->at[i][k] + t->moved);
        }
    }
    for (double y = fmax(0.5, floor(lower[1]) + 0.5); y < view->height && y <= upper[1]; y += 1.0) {
        for (double x = fmax(0.5, floor(lower[0]) + 0.5); x < view->width && x <= upper[0]; x += 1.0) {
            const bool near = explain_edge(t, x, y) <= t->moved, inside = explain_covers(t, x, y);
            c.surely += inside && !near;
            c.perhaps += inside || near;
        }
    }
    return c;
}

static uint32_t picked(const tact_pick_list* list, uint32_t instance, uint32_t primitive)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const tact_pick_ids* ids = &list->items[i].ids;
        if (ids->instance == instance && ids->primitive == primitive) sum += list->items[i].pixels;
    }
    return sum;
}

// All under a view: each triangle as often as it covers a pixel's centre.
static void check_all(lab* l, const char* name, tact_scene* scene, const tact_pick_view* view, bool rays_too)
{
    const explain_view e = explain_make(view, l->bits);
    const tact_pick_region frame = {0};
    const tact_pick_options all = {.extent = TACT_PICK_ALL, .group = TACT_PICK_BY_PRIMITIVE};
    tact_pick_list list;
    tact_ray none = {0};
    uint64_t surely = 0, perhaps = 0;
    assert_int_equal(pick(l->drawer, &l->context->env, scene, view, &frame, &all, &list), TACT_OK);
    const uint64_t sum = pixels_of(&list);
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        const tact_scene_mesh* mesh = &scene->meshes[scene->instances[i].mesh];
        for (uint32_t k = 0; k < mesh->triangle_count; ++k) {
            const explain_triangle t = explain_triangle_of(&e, scene, i, k, &none);
            if (t.count < 3) continue;
            const cover c = cover_of(&t, view);
            const uint32_t got = c.perhaps ? picked(&list, i, k) : 0;
            surely += c.surely;
            perhaps += c.perhaps;
            if (got < c.surely || got > c.perhaps) {
                fail_msg("%s: triangle %u of %u: %u pixels of %u to %u", name, k, i, got, c.surely, c.perhaps);
            }
        }
    }
    // And by rays.
    tact_ray* rays = rays_of(view);
    const size_t pixels = (size_t)view->width * view->height;
    tact_hit* hits = scratch(sizeof *hits * pixels);
    uint64_t by_rays = 0;
    assert_int_equal(tact_raycast(scene, TACT_RAY_COUNT, rays, pixels, hits, NULL, NULL), TACT_OK);
    for (size_t i = 0; i < pixels; ++i)
        by_rays += hits[i].primitive;
    print_message("%s: %llu surfaces drawn, %llu by rays, %llu to %llu by the triangles; %zu things\n", name,
                  (unsigned long long)sum, (unsigned long long)by_rays, (unsigned long long)surely,
                  (unsigned long long)perhaps, list.count);
    assert_true(sum >= surely && sum <= perhaps && sum > pixels / 50);
    if (rays_too) assert_true(by_rays + (perhaps - surely) >= sum && by_rays <= sum + (perhaps - surely));
}

static void test_all(void** state)
{
    lab* l = require(state);
    tact_problem problem;
    tact_scene* ball = KEEP(pick_instances(l->context, 40, 0.4f, 95));
    for (int i = 0; i < 4; ++i) {
        pick_camera c = i & 1 ? within : outside;
        c.reversed = i >= 2;
        const tact_pick_view view = pick_view_of(&c, 61, 47);
        check_all(l, "balls", ball, &view, true);
    }
    // Coplanar and all but: every one counts, also those at one depth.
    tact_scene* sheets = KEEP(pick_scene_of(l->context, pick_sheets(4)));
    const tact_pick_view view = pick_view_of(&outside, 61, 47);
    check_all(l, "sheets", sheets, &view, true);
    for (int i = 0; i < 3; ++i)
        put_instance(sheets, 0, NULL);
    assert_int_equal(tact_scene_commit(sheets), TACT_OK);
    check_all(l, "equal sheets", sheets, &view, true);
    tact_model_mesh mesh = {0};
    assert_true(tact_mesh_degenerate(600, 3, &mesh, &problem));
    tact_scene* bad = KEEP(pick_scene_of(l->context, mesh));
    tact_pick_list list;
    const tact_pick_region frame = {0};
    const tact_pick_options all = {.extent = TACT_PICK_ALL, .group = TACT_PICK_BY_PRIMITIVE};
    assert_int_equal(pick(l->drawer, &l->context->env, bad, &view, &frame, &all, &list), TACT_OK);
    print_message("degenerate: %zu things\n", list.count);
}

// Turned, squashed to `flat` and turned again.
static tact_scene* squashed(lab* l, uint32_t count, float flat, uint64_t seed, double* condition)
{
    test_random r = test_random_seeded(seed);
    tact_problem problem;
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(2, &ball, &problem));
    tact_scene* scene = new_scene(l->context);
    const uint32_t mesh = pick_add_mesh(scene, &ball);
    for (uint32_t i = 0; i < count; ++i) {
        float a[12], b[12], m[12];
        pick_random_pose(&r, 0.5f, a);
        pick_random_pose(&r, 1.0f, b);
        for (int k = 0; k < 12; ++k) {
            const int row = k / 4 * 4, column = k % 4;
            m[k] = column == 3 ? a[k]
                               : a[row] * b[column] + a[row + 1] * b[4 + column] + flat * a[row + 2] * b[8 + column];
        }
        *condition = fmax(*condition, explain_condition(m));
        put_instance(scene, mesh, m);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

// Matrices of any condition are drawn as sharp as others: within the drawing's own bound, which does not know it, of
// the triangles in double precision. It is the rays, which go into the object's frame by a rounded inverse, that lose
// their way.
static void test_squashed(void** state)
{
    lab* l = require(state);
    const pick_camera* cameras[] = {&outside, &close_by};
    for (int i = 0; i < 8; ++i) {
        double condition = 0.0, worst = 0.0;
        tact_scene* scene = KEEP(squashed(l, 40, (float)pow(10.0, -(i / 2) - 1), 300 + (uint64_t)i, &condition));
        const tact_pick_view small = pick_view_of(cameras[i & 1], 61, 47), view = sized(cameras[i & 1]);
        check_all(l, "squashed", scene, &small, false);
        const size_t pixels = (size_t)view.width * view.height;
        checking c = {.e = explain_make(&view, l->bits), .scene = scene, .t = {.pixels = pixels}};
        pick_image image;
        assert_int_equal(pick_draw(l->device, l->drawer, scene, &view, &image), TACT_OK);
        tact_ray* rays = rays_of(&view);
        tact_hit* hits = scratch(sizeof *hits * pixels);
        const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, pixels, hits, &cpu, NULL), TACT_OK);
        for (size_t k = 0; k < pixels; ++k) {
            const thing a = of_ids(&image.ids[k], &image.surfaces[k]), b = of_hit(&hits[k]);
            const double x = (double)(k % view.width) + 0.5, y = (double)(k / view.width) + 0.5;
            c.t.covered += a.shown;
            if (a.shown) check_shown(&c, &a, image.surfaces[k].depth, NULL, &rays[k], x, y);
            if (!b.shown) continue;
            const explain_triangle t = explain_triangle_of(&c.e, scene, b.instance, b.primitive, &rays[k]);
            if (!t.clipped && !explain_covers(&t, x, y)) worst = fmax(worst, explain_edge(&t, x, y));
        }
        print_message("squashed: condition up to %.1e; rays up to %.4f px off\n", condition, worst);
        tell("squashed", &c.t);
        assert_int_equal(c.t.wrong_place + c.t.wrong_depth + c.t.beyond, 0);
        assert_true(c.t.covered > pixels / 50);
        pick_image_free(&image);
    }
}

// Where the layers of a pixel are not those of its ray: what only one of them has is seen near an edge, and what both
// have in another order lies next to what it changed places with.
static void excuse_layers(checking* c, const tact_pick_list* list, const tact_hit* hits, size_t count,
                          const tact_ray* ray, double x, double y)
{
    const thing nothing = {false, 0, 0};
    bool used[256] = {false};
    for (size_t i = 0; i < list->count; ++i) {
        const thing a = of_ids(&list->items[i].ids, &list->items[i].surface);
        size_t k = 0;
        while (k < count && (hits[k].instance != a.instance || hits[k].primitive != a.primitive))
            ++k;
        if (k == count) {
            assert_true(explained(c, &a, &nothing, ray, x, y));
            continue;
        }
        used[k] = true;
        // All that the ray met later than this and the image shows before it.
        for (size_t n = 0; n < i; ++n) {
            const thing b = of_ids(&list->items[n].ids, &list->items[n].surface);
            for (size_t m = k + 1; m < count; ++m) {
                if (hits[m].instance != b.instance || hits[m].primitive != b.primitive) continue;
                assert_true(explained(c, &a, &b, ray, x, y));
            }
        }
    }
    for (size_t k = 0; k < count; ++k) {
        const thing a = of_hit(&hits[k]);
        if (!used[k]) assert_true(explained(c, &a, &nothing, ray, x, y));
    }
}

// One pixel: layers from the front, in the order of their depths.
static void test_layers(void** state)
{
    lab* l = require(state);
    tact_scene* scene = KEEP(pick_instances(l->context, 300, 0.3f, 96));
    const tact_pick_view view = pick_view_of(&outside, 320, 240);
    test_random r = test_random_seeded(97);
    size_t layers = 0, matched = 0, tried = 0;
    checking c = {.e = explain_make(&view, l->bits), .scene = scene};
    for (int i = 0; i < 100; ++i) {
        const int32_t x = 100 + (int32_t)test_random_below(&r, 120), y = 60 + (int32_t)test_random_below(&r, 120);
        const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = x, .y = y};
        tact_pick_options all = {.extent = TACT_PICK_ALL, .group = TACT_PICK_BY_PRIMITIVE};
        tact_pick_list list, few;
        tact_ray ray;
        uint64_t offsets[2];
        tact_hit hits[256];
        assert_int_equal(pick(l->drawer, &l->context->env, scene, &view, &point, &all, &list), TACT_OK);
        all.max_layers = 2;
        assert_int_equal(pick(l->drawer, &l->context->env, scene, &view, &point, &all, &few), TACT_OK);
        assert_int_equal(few.count, list.count < 2 ? list.count : 2);
        assert_true(tact_pick_ray(&view, x + 0.5, y + 0.5, &ray));
        assert_int_equal(call_raycast_all(scene, &ray, 1, 0, offsets, hits, 256, NULL, NULL), TACT_OK);
        bool same = offsets[1] == list.count;
        for (size_t k = 0; k < list.count; ++k) {
            assert_int_equal(list.layers ? list.layers[k] : 0, k);
            assert_int_equal(list.items[k].pixels, 1);
            assert_true(k == 0 || list.items[k].surface.depth >= list.items[k - 1].surface.depth);
            same = same && hits[k].instance == list.items[k].ids.instance &&
                   hits[k].primitive == list.items[k].ids.primitive;
        }
        if (!same) excuse_layers(&c, &list, hits, (size_t)offsets[1], &ray, x + 0.5, y + 0.5);
        layers += list.count;
        matched += same;
        ++tried;
    }
    print_message("layers: %zu of %zu lines of sight as the rays have them, %zu layers\n", matched, tried, layers);
    assert_true(layers > 200 && matched * 10 > tried * 9);
}

// ---- Slivers ----

static double between(test_random* r, double least, double most)
{
    return least + (most - least) * (double)test_random_unit(r);
}

// Triangles thinner than the rasteriser's grid that go far back, all behind a wall; or edge-on to the bit.
static tact_scene* slivers_behind_wall(lab* l, const double eye[3], uint32_t count, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    tact_model_mesh mesh = {0};
    mesh.positions = malloc((3 * (size_t)count + 4) * 12);
    mesh.indices = malloc(((size_t)count + 2) * 12);
    mesh.vertex_count = 3 * count + 4;
    mesh.triangle_count = count + 2;
    float* p = mesh.positions;
    for (uint32_t i = 0; i < count; ++i) {
        // On one line of sight, but for the last corner, which is next to nothing aside.
        const double x = between(&r, -0.9, 0.9), y = between(&r, -0.9, 0.9);
        const double aside = i % 3 ? pow(10.0, between(&r, -5.0, -2.5)) : 0.0;
        for (int k = 0; k < 3; ++k, p += 3) {
            const double far = 0.02 + pow(10.0, between(&r, -2.0, 1.0)), t = 1.0 + far / eye[2];
            p[0] = (float)(eye[0] + (x - eye[0]) * t + (k == 2 ? aside : 0.0));
            p[1] = (float)(eye[1] + (y - eye[1]) * t + (k == 1 ? 0.2 * (double)(i & 1) : 0.0));
            p[2] = (float)-far;
        }
    }
    static const float wall[12] = {-4, -4, 0, 4, -4, 0, 4, 4, 0, -4, 4, 0};
    memcpy(p, wall, sizeof wall);
    for (uint32_t i = 0; i < 3 * count; ++i)
        mesh.indices[i] = i;
    const uint32_t quad[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; ++i)
        mesh.indices[3 * count + (uint32_t)i] = 3 * count + quad[i];
    return pick_scene_of(l->context, mesh);
}

// None of them comes through the wall, and none has a depth that it has nowhere.
static void test_slivers(void** state)
{
    lab* l = require(state);
    enum { COUNT = 30000 };
    for (int i = 0; i < 4; ++i) {
        const pick_camera camera = {.eye = {0.1, 0.05, 2.0},
                                    .target = {0.1, 0.05, 0.0},
                                    .tall = 0.4,
                                    .near = 0.1,
                                    .far = i & 1 ? 0.0 : 50.0,
                                    .reversed = i >= 2,
                                    .depth = i == 1 ? TACT_CLIP_ZERO_TO_ONE : TACT_CLIP_MINUS_ONE_TO_ONE};
        tact_scene* scene = KEEP(slivers_behind_wall(l, camera.eye, COUNT, 200 + (uint64_t)i));
        const tact_pick_view view = pick_view_of(&camera, 320, 240);
        const explain_view e = explain_make(&view, l->bits);
        const tact_pick_region frame = {0};
        const tact_pick_options options[2] = {{.group = TACT_PICK_BY_PRIMITIVE},
                                              {.group = TACT_PICK_BY_PRIMITIVE, .extent = TACT_PICK_ALL}};
        tact_pick_list lists[2];
        size_t through = 0, beyond = 0;
        for (int k = 0; k < 2; ++k)
            assert_int_equal(pick(l->drawer, &l->context->env, scene, &view, &frame, &options[k], &lists[k]), TACT_OK);
        for (size_t n = 0; n < lists[0].count; ++n)
            if (lists[0].items[n].ids.primitive < COUNT) through += lists[0].items[n].pixels;
        for (size_t n = 0; n < lists[1].count; ++n) {
            const tact_pick_found* f = &lists[1].items[n];
            if (f->ids.primitive >= COUNT) continue;
            const tact_ray none = {0};
            const explain_triangle t = explain_triangle_of(&e, scene, 0, f->ids.primitive, &none);
            float depth;
            memcpy(&depth, &f->surface.depth, sizeof depth);
            const double drawn = view.reversed ? (double)depth : 1.0 - (double)depth, more = 0x1p-24;
            if (!t.clipped && !(drawn >= t.least - more && drawn <= t.greatest + more)) ++beyond;
        }
        print_message("slivers: %zu things, %zu pixels through the wall, %zu depths beyond corners\n", lists[1].count,
                      through, beyond);
        assert_true(lists[1].count > 500);
        assert_int_equal(through, 0);
        assert_int_equal(beyond, 0);
    }
}

// ---- Regions, and what is kept ----

static bool same_lists(const tact_pick_list* a, const tact_pick_list* b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

// The answer from an image of the whole view.
static void by_image(lab* l, const pick_image* image, const tact_pick_view* view, const tact_pick_region* region,
                     tact_pick_list* list)
{
    tact_env* env = &l->context->env;
    const tact_pick_rule rule = {TACT_PICK_BY_INSTANCE, view->reversed};
    tact_pick_mask mask;
    assert_int_equal(tact_pick_mask_make(env, view, region, &mask), TACT_OK);
    const size_t pixels = (size_t)mask.width * mask.height;
    tact_pick_ids* ids = scratch(pixels * sizeof *ids + 1);
    tact_pick_surface* surfaces = scratch(pixels * sizeof *surfaces + 1);
    for (uint32_t y = 0; y < mask.height; ++y) {
        const size_t from = (size_t)(mask.y + y) * image->width + mask.x;
        memcpy(ids + (size_t)y * mask.width, image->ids + from, mask.width * sizeof *ids);
        memcpy(surfaces + (size_t)y * mask.width, image->surfaces + from, mask.width * sizeof *surfaces);
    }
    assert_int_equal(tact_pick_reduce(env, &mask, &rule, ids, surfaces, false, list), TACT_OK);
    tact_pick_mask_free(env, &mask);
}

static void test_kept(void** state)
{
    lab* l = require(state);
    tact_env* env = &l->context->env;
    tact_scene* scenes[2] = {KEEP(pick_instances(l->context, 400, 0.2f, 98)),
                             KEEP(pick_instances(l->context, 200, 0.3f, 99))};
    static const float lasso[5][2] = {
        {100.3f, 40.1f}, {160.9f, 60.0f}, {150.2f, 99.7f}, {90.0f, 90.0f}, {130.0f, 60.0f}};
    const tact_pick_region regions[] = {{.shape = TACT_PICK_POINT, .x = 150, .y = 110, .radius = 9},
                                        {.shape = TACT_PICK_RECTANGLE, .rectangle = {100, 90, 163, 150}},
                                        {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = 5},
                                        {.shape = TACT_PICK_POINT, .x = -50, .y = 3},
                                        {.shape = TACT_PICK_FRAME},
                                        {.shape = TACT_PICK_RECTANGLE, .rectangle = {-9, 230, 20, 400}}};
    const tact_pick_options keep = {.keep = true}, fresh = {0};
    uint32_t things = 0;
    for (int i = 0; i < 8; ++i) {
        pick_camera camera = outside;
        camera.reversed = (i & 2) != 0;
        const tact_pick_view view = pick_view_of(&camera, 320, 240);
        tact_scene* scene = scenes[i & 1];
        pick_image image;
        if (i == 4) {
            const float away[12] = {1, 0, 0, 1e4f, 0, 1, 0, 0, 0, 0, 1, 0};
            for (uint32_t k = 0; k < 100; ++k)
                assert_int_equal(tact_scene_move_instance(scene, k, away), TACT_OK);
        }
        if (i == 6) {
            for (uint32_t k = 100; k < 250; ++k)
                assert_int_equal(tact_scene_remove_instance(scene, k), TACT_OK);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_int_equal(pick_draw(l->device, l->drawer, scene, &view, &image), TACT_OK);
        for (size_t k = 0; k < sizeof regions / sizeof regions[0]; ++k) {
            tact_pick_list expected, kept, drawn;
            by_image(l, &image, &view, &regions[k], &expected);
            assert_int_equal(pick(l->drawer, env, scene, &view, &regions[k], &keep, &kept), TACT_OK);
            assert_true(same_lists(&expected, &kept));
            tact_pick_drawer_set_place(l->drawer, TACT_PICK_PLACE_DEVICE);
            assert_int_equal(pick(l->drawer, env, scene, &view, &regions[k], &keep, &kept), TACT_OK);
            assert_true(same_lists(&expected, &kept));
            tact_pick_drawer_set_place(l->drawer, TACT_PICK_PLACE_AUTO);
            // Drawn by itself it is the same but for rounding at edges.
            assert_int_equal(pick(l->drawer, env, scene, &view, &regions[k], &fresh, &drawn), TACT_OK);
            const uint64_t pixels[2] = {pixels_of(&kept), pixels_of(&drawn)};
            assert_true(pixels[0] <= pixels[1] + 3 && pixels[1] <= pixels[0] + 3);
            assert_true(drawn.count <= kept.count + 2 && kept.count <= drawn.count + 2);
            if (regions[k].shape == TACT_PICK_FRAME) assert_true(same_lists(&kept, &drawn));
            things += (uint32_t)kept.count;
            tact_pick_list_free(env, &expected);
        }
        pick_image_free(&image);
    }
    assert_true(things > 100);
}

// More pixels than are gone through at once.
static void test_bands(void** state)
{
    lab* l = require(state);
    if (!at_length) skip_because("only with the argument long");
    tact_env* env = &l->context->env;
    tact_scene* scene = KEEP(pick_instances(l->context, 400, 0.2f, 102));
    const tact_pick_view view = pick_view_of(&outside, 16384, 300);
    const tact_pick_region frame = {0};
    pick_image image;
    assert_int_equal(pick_draw(l->device, l->drawer, scene, &view, &image), TACT_OK);
    for (int k = 0; k < 3; ++k) {
        const tact_pick_options options = {.extent = k == 2 ? TACT_PICK_ALL : TACT_PICK_VISIBLE, .keep = k == 1};
        tact_pick_list expected, list;
        by_image(l, &image, &view, &frame, &expected);
        assert_int_equal(pick(l->drawer, env, scene, &view, &frame, &options, &list), TACT_OK);
        const uint64_t sums[2] = {pixels_of(&expected), pixels_of(&list)};
        print_message("bands: %llu and %llu pixels\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
        if (k == 1) assert_true(same_lists(&expected, &list));
        if (k == 0) assert_true(expected.count == list.count && sums[0] < sums[1] + 100 && sums[1] < sums[0] + 100);
        if (k == 2) assert_true(sums[1] > sums[0]);
        tact_pick_list_free(env, &expected);
    }
    pick_image_free(&image);
}

// Buffers that hold no more than some rows, and not all records: the same things, found in pieces. Records of one batch
// must not be gone before the last's fragments are there.
static void test_small_buffers(void** state)
{
    lab* l = require(state);
    tact_env* env = &l->context->env;
    tact_device_info* info = (tact_device_info*)tact_device_describe(l->device);
    const uint64_t limit = info->max_buffer_bytes;
    tact_scene* scene = KEEP(pick_instances(l->context, 900, 0.2f, 103));
    const tact_pick_view view = pick_view_of(&outside, 320, 240);
    static const float lasso[3][2] = {{10.3f, 4.1f}, {300.9f, 120.0f}, {60.2f, 230.7f}};
    const tact_pick_region regions[] = {{.shape = TACT_PICK_FRAME},
                                        {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = 3},
                                        {.shape = TACT_PICK_POINT, .x = 160, .y = 120, .radius = 70}};
    // Each region, each place, kept or not; if not thorough, some of all this.
    for (int i = 0; i < 13; i += (int)effort(3, 1)) {
        const tact_pick_options options = {
            .extent = i == 12 ? TACT_PICK_ALL : TACT_PICK_VISIBLE, .max_layers = 3, .keep = i % 2 == 1};
        const tact_pick_region* region = &regions[i / 4 % 3];
        tact_pick_drawer* drawer = NULL;
        tact_pick_list whole, part;
        assert_int_equal(pick(l->drawer, env, scene, &view, region, &options, &whole), TACT_OK);
        assert_int_equal(tact_pick_drawer_create(l->device, &drawer), TACT_OK);
        tact_pick_drawer_set_place(drawer, i / 2 % 2 ? TACT_PICK_PLACE_DEVICE : TACT_PICK_PLACE_HOST);
        info->max_buffer_bytes = 9 * 320 * 16;
        const tact_result result = pick(drawer, env, scene, &view, region, &options, &part);
        info->max_buffer_bytes = limit;
        assert_int_equal(result, TACT_OK);
        // Bands are views of their own: rounded otherwise at edges. What is kept is one image.
        const uint64_t sums[2] = {pixels_of(&whole), pixels_of(&part)};
        print_message("small buffers %d: %zu and %zu things, %llu and %llu pixels\n", i, whole.count, part.count,
                      (unsigned long long)sums[0], (unsigned long long)sums[1]);
        assert_true(sums[0] > 1000 && sums[0] <= sums[1] + sums[1] / 500 && sums[1] <= sums[0] + sums[0] / 500);
        if (options.keep) assert_true(same_lists(&whole, &part));
        // A row alone is too much: said, not guessed. What a drawer holds already it may use.
        tact_pick_list none;
        tact_pick_drawer_destroy(drawer);
        assert_int_equal(tact_pick_drawer_create(l->device, &drawer), TACT_OK);
        info->max_buffer_bytes = 1600;
        assert_int_equal(pick(drawer, env, scene, &view, &regions[0], &options, &none), TACT_ERROR_LIMIT);
        info->max_buffer_bytes = limit;
        assert_true(none.count == 0 && none.items == NULL);
        tact_pick_drawer_destroy(drawer);
    }
}

// A window over a large mesh draws what is near its few pixels, not the mesh.
static void test_large(void** state)
{
    lab* l = require(state);
    tact_env* env = &l->context->env;
    tact_problem problem;
    tact_model_mesh mesh = {0};
    assert_true(tact_mesh_terrain(at_length ? 2240 : 400, 6, &mesh, &problem));
    tact_scene* scene = KEEP(pick_scene_of(l->context, mesh));
    const tact_pick_view view = pick_view_of(&outside, 1024, 768);
    const tact_pick_options options[3] = {{0}, {0}, {.extent = TACT_PICK_ALL}};
    for (int k = 0; k < 8; ++k) {
        const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 512, .y = 400, .radius = 1}, frame = {0};
        tact_pick_mask mask;
        tact_pick_list list;
        tact_query_report report = {0};
        assert_int_equal(tact_pick_mask_make(env, &view, k < 2 ? &frame : &point, &mask), TACT_OK);
        assert_int_equal(pick_by_drawer(l->drawer, scene, &view, &mask, &options[k < 6 ? 0 : 2], NULL, &report, &list),
                         TACT_OK);
        const tact_pick_pieces* p = &l->drawer->pieces;
        print_message("large %d: %llu triangles, %s: %llu in %zu pieces, upload %.2f ms, query %.2f ms, %.0f MiB\n", k,
                      (unsigned long long)scene->triangle_total,
                      k < 2   ? "the view"
                      : k < 6 ? "3 x 3"
                              : "3 x 3, all",
                      (unsigned long long)p->triangles, p->count, report.upload_ms, report.query_ms,
                      (double)report.memory_bytes / 1048576.0);
        assert_true(list.count > 0 && (k < 2 || p->triangles < 20000));
        tact_pick_list_free(env, &list);
        tact_pick_mask_free(env, &mask);
    }
}

static void test_nothing(void** state)
{
    lab* l = require(state);
    tact_env* env = &l->context->env;
    tact_pick_list list;
    const tact_pick_region frame = {0};
    tact_scene* scene = KEEP(new_scene(l->context));
    for (int i = 0; i < 4; ++i) {
        // No mesh, then one without triangles, then one that is out of range.
        static const float far[9] = {INFINITY, 0, 0, 1, NAN, 0, 0, 1e30f, 1};
        const tact_mesh_desc empty = {0}, bad = {.positions = far, .vertex_count = 3, .triangle_count = 1};
        uint32_t mesh, id;
        if (i == 1) assert_int_equal(tact_scene_add_mesh(scene, &empty, &mesh), TACT_OK);
        if (i == 2) assert_int_equal(tact_scene_add_mesh(scene, &bad, &mesh), TACT_OK);
        if (i > 0 && i < 3) assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (int k = 0; k < 6; ++k) {
            const tact_pick_options options = {.extent = k & 1 ? TACT_PICK_ALL : TACT_PICK_VISIBLE, .keep = k == 2};
            const tact_pick_view view = pick_view_of(&outside, k < 4 ? 64 : 0, k < 4 ? 48 : 7);
            assert_int_equal(pick(l->drawer, env, scene, &view, &frame, &options, &list), TACT_OK);
            assert_int_equal(list.count, 0);
        }
    }
    const tact_pick_view view = pick_view_of(&outside, 64, 48);
    const tact_pick_options touched = {.extent = TACT_PICK_TOUCHED};
    assert_int_equal(pick(l->drawer, env, scene, &view, &frame, &touched, &list), TACT_ERROR_INVALID_ARGUMENT);
}

// What is drawn is not to the bit, and the report says so; by rays it is what it was.
static void test_report(void** state)
{
    lab* l = require(state);
    tact_scene* scene = KEEP(pick_instances(l->context, 50, 0.3f, 100));
    const tact_pick_view view = pick_view_of(&outside, 60, 60);
    const tact_pick_region frame = {0};
    tact_picker* picker = KEEP(new_picker(l->context));
    for (int i = 0; i < 2; ++i) {
        const tact_pick_options options = {.method = i ? TACT_PICK_RASTER : TACT_PICK_RAYS};
        const tact_query_options query = {.backend = i ? TACT_BACKEND_GL : TACT_BACKEND_CPU, .no_fallback = true};
        tact_query_report report = {0};
        size_t count = 0;
        const tact_result result =
            call_pick_scene(picker, scene, &view, &frame, &options, NULL, 0, &count, &query, &report);
        assert_true(result == TACT_INCOMPLETE && count > 10);
        assert_int_equal(report.exact, i == 0);
    }
}

static bool stop(double fraction, void* user)
{
    return ++*(int*)user < 3;
}

static void test_failures(void** state)
{
    lab* l = require(state);
    tact_env* env = &l->context->env;
    const tact_pick_view view = pick_view_of(&outside, 60, 60);
    const tact_pick_region frame = {0};
    for (int k = 0; k < 3; ++k) {
        const tact_pick_options options = {.extent = k == 1 ? TACT_PICK_ALL : TACT_PICK_VISIBLE, .keep = k == 2};
        tact_scene* scene = pick_instances(l->context, 50, 0.3f, 100);
        tact_pick_list list, again;
        uint32_t failures = 0;
        for (;; ++failures) {
            tact_pick_drawer* drawer = NULL;
            assert_int_equal(tact_pick_drawer_create(l->device, &drawer), TACT_OK);
            tact_pick_drawer_set_place(drawer, TACT_PICK_PLACE_DEVICE);
            tact_device_fail_buffer(l->device, failures + 1);
            const tact_result result = pick(drawer, env, scene, &view, &frame, &options, &list);
            tact_device_fail_buffer(l->device, 0);
            if (result == TACT_OK) {
                tact_pick_drawer_destroy(drawer);
                break;
            }
            assert_int_equal(result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            assert_int_equal(list.count, 0);
            assert_int_equal(pick(drawer, env, scene, &view, &frame, &options, &again), TACT_OK);
            assert_true(again.count > 10);
            tact_pick_drawer_destroy(drawer);
            // Anew, so that the scene's own buffers are made again too.
            tact_scene_destroy(scene);
            scene = pick_instances(l->context, 50, 0.3f, 100);
        }
        print_message("failures: %u buffers\n", failures);
        assert_true(failures >= 13 && list.count > 10);
        // Cancelled between layers, and then not.
        if (k == 1) {
            int calls = 0;
            tact_pick_mask mask;
            const tact_query_options query = {.progress = stop, .progress_user = &calls};
            assert_int_equal(tact_pick_mask_make(env, &view, &frame, &mask), TACT_OK);
            assert_int_equal(pick_by_drawer(l->drawer, scene, &view, &mask, &options, &query, NULL, &list),
                             TACT_ERROR_CANCELLED);
            assert_int_equal(calls, 3);
            calls = -1000;
            tact_query_report report = {0};
            assert_int_equal(pick_by_drawer(l->drawer, scene, &view, &mask, &options, &query, &report, &list), TACT_OK);
            assert_true(report.memory_bytes > 60 * 60 * 44 && list.count > 10);
            tact_pick_list_free(env, &list);
            tact_pick_mask_free(env, &mask);
        }
        tact_scene_destroy(scene);
    }
}

// ---- The caller's context ----

#ifdef TACT_HAVE_GL
static void test_adopted(void** state)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    tact_device* device = c->context->devices[tact_context_find(c->context, TACT_BACKEND_GL)];
    tact_scene* scene = KEEP(pick_instances(c->context, 50, 0.3f, 101));
    const tact_pick_region frame = {0};
    tact_pick_list lists[2][3];
    for (int i = 0; i < 2; ++i) {
        if (i == 1) {
            unusual_state(gl);
            if (gl->ARB_clip_control) gl->ClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
            assert_int_equal(gl->GetError(), GL_NO_ERROR);
        }
        const state_values before = all_state(gl);
        tact_pick_drawer* drawer = NULL;
        assert_int_equal(tact_pick_drawer_create(device, &drawer), TACT_OK);
        for (int k = 0; k < 3; ++k) {
            const tact_pick_view view = pick_view_of(&outside, 60, 60);
            const tact_pick_options options = {.extent = k == 1 ? TACT_PICK_ALL : TACT_PICK_VISIBLE, .keep = k == 2};
            assert_int_equal(pick(drawer, &c->context->env, scene, &view, &frame, &options, &lists[i][k]), TACT_OK);
            assert_true(lists[i][k].count > 10);
        }
        tact_pick_drawer_destroy(drawer);
        expect_state(gl, &before, "picks");
        if (i == 1 && gl->ARB_clip_control) {
            GLint origin = 0, depth = 0;
            gl->GetIntegerv(GL_CLIP_ORIGIN, &origin);
            gl->GetIntegerv(GL_CLIP_DEPTH_MODE, &depth);
            assert_int_equal(origin, GL_UPPER_LEFT);
            assert_int_equal(depth, GL_ZERO_TO_ONE);
        }
        assert_int_equal(gl->GetError(), GL_NO_ERROR);
    }
    for (int k = 0; k < 3; ++k)
        assert_true(same_lists(&lists[0][k], &lists[1][k]));
    usual_state(gl);
}
#else
static void test_adopted(void** state)
{
    skip_because("built without OpenGL");
}
#endif
