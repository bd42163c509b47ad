// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a region touches. Exact cases by hand; random ones against samples of the triangles, projected here: what has a
// sample inside must be found, what is found must have its nearest point inside, and no sample may be nearer. And trees
// against brute force, to the byte.

#include "tests/support/run.h"

#include "core/scene/scene.h"
#include "cpu_ref/pick/touched.h"
#include "tact/tact.h"
#include "tests/support/counting_context.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

typedef struct answer {
    tact_pick_list list;
    tact_pick_touch* touches;
} answer;

static tact_pick_touch_job job_of(const tact_scene* scene, const tact_pick_view* view, const tact_pick_region* region)
{
    return (tact_pick_touch_job){.scene = &scene->trace,
                                 .matrices = (const float(*)[12])scene->matrices,
                                 .view = view,
                                 .region = region,
                                 .group = TACT_PICK_BY_PRIMITIVE,
                                 .threads = 1};
}

static answer ask(tact_scene* scene, const tact_pick_touch_job* job)
{
    answer a;
    assert_int_equal(tact_pick_touched(&scene->context->env, job, &a.list, &a.touches), TACT_OK);
    return a;
}

static void drop(tact_scene* scene, answer* a)
{
    tact_pick_touched_free(&scene->context->env, &a->list, &a->touches);
}

static void same(const answer* a, const answer* b)
{
    assert_int_equal(a->list.count, b->list.count);
    if (a->list.count == 0) return;
    assert_memory_equal(a->list.items, b->list.items, a->list.count * sizeof *a->list.items);
    assert_memory_equal(a->touches, b->touches, a->list.count * sizeof *a->touches);
}

static uint32_t add_mesh(tact_scene* scene, const float* positions, size_t triangles)
{
    const tact_mesh_desc desc = {.positions = positions, .vertex_count = 3 * triangles, .triangle_count = triangles};
    return put_mesh(scene, &desc);
}

static void add_instance(tact_scene* scene, uint32_t mesh, const float* matrix)
{
    put_instance(scene, mesh, matrix);
}

// Exact cases: a view of 16 x 16 pixels in which x and y of the world are pixels and z is the depth.

static tact_pick_view flat_view(void)
{
    tact_pick_view v = {.order = TACT_MATRIX_BY_ROWS, .depth = TACT_CLIP_ZERO_TO_ONE, .width = 16, .height = 16};
    const float m[16] = {0.125f, 0, 0, -1, 0, -0.125f, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(v.world_to_clip, m, sizeof m);
    return v;
}

/// Whether one triangle is touched, by brute force and by the trees; `touch` receives its nearest point.
static bool touches(const tact_pick_view* view, const tact_pick_region* region, const float triangle[9],
                    tact_pick_touch* touch)
{
    tact_context* context = counting_context(0, NULL);
    tact_scene* scene = new_scene(context);
    add_instance(scene, add_mesh(scene, triangle, 1), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_pick_touch_job job = job_of(scene, view, region);
    answer trees = ask(scene, &job);
    job.brute = true;
    answer brute = ask(scene, &job);
    same(&trees, &brute);
    const bool touched = brute.list.count == 1;
    if (touched && touch) *touch = brute.touches[0];
    drop(scene, &trees);
    drop(scene, &brute);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return touched;
}

/// In the plane of depth z.
static bool touches_flat(const tact_pick_region* region, float ax, float ay, float bx, float by, float cx, float cy)
{
    const tact_pick_view view = flat_view();
    const float triangle[9] = {ax, ay, 0.5f, bx, by, 0.5f, cx, cy, 0.5f};
    return touches(&view, region, triangle, NULL);
}

static const tact_pick_region square = {.shape = TACT_PICK_RECTANGLE, .rectangle = {8, 8, 4, 4}};

TEST(a_rectangle_is_closed_and_an_area)
{
    const float e = 0x1p-18f;
    // Between the centres of pixels.
    assert_true(touches_flat(&square, 5.1f, 5.1f, 5.2f, 5.1f, 5.1f, 5.2f));
    // Around everything; beside it on each side.
    assert_true(touches_flat(&square, -100, -100, 300, -100, -100, 300));
    assert_true(touches_flat(&square, 8, 5, 9, 5, 9, 6));
    assert_false(touches_flat(&square, 8 + e, 5, 9, 5, 9, 6));
    assert_true(touches_flat(&square, 5, 4, 6, 3, 5, 3));
    assert_false(touches_flat(&square, 5, 4 - e, 6, 3, 5, 3));
    assert_true(touches_flat(&square, 4, 5, 3, 5, 3, 6));
    assert_false(touches_flat(&square, 4 - e, 5, 3, 5, 3, 6));
    assert_true(touches_flat(&square, 5, 8, 5, 9, 6, 9));
    assert_false(touches_flat(&square, 5, 8 + e, 5, 9, 6, 9));
    // Needles past a corner: the box of each meets the square.
    assert_true(touches_flat(&square, 0, 8, 8, 0, 0, 8));
    assert_false(touches_flat(&square, 0, 8 - 2 * e, 8 - 2 * e, 0, 0, 8 - 2 * e));
    assert_true(touches_flat(&square, 0, 10, 10, 0, 9.99f, 0));
    // Without area.
    assert_true(touches_flat(&square, 6, 6, 6, 6, 6, 6));
    assert_true(touches_flat(&square, 0, 6, 16, 6, 16, 6));
    assert_false(touches_flat(&square, 0, 9, 16, 9, 16, 9));
    // Cut to the view.
    const tact_pick_region beyond = {.shape = TACT_PICK_RECTANGLE, .rectangle = {14, -5, 40, 40}};
    assert_true(touches_flat(&beyond, 15, 1, 15.5f, 1, 15, 2));
    assert_false(touches_flat(&beyond, 17, 1, 18, 1, 17, 2));
    const tact_pick_region nothing[] = {{.shape = TACT_PICK_RECTANGLE, .rectangle = {4, 4, 4, 8}},
                                        {.shape = TACT_PICK_RECTANGLE, .rectangle = {16, 0, 20, 16}},
                                        {.shape = TACT_PICK_POINT, .x = -2, .y = 4, .radius = 1},
                                        {.shape = TACT_PICK_POINT, .x = INT32_MIN, .y = INT32_MAX, .radius = 1024},
                                        {.shape = TACT_PICK_POINT, .x = 4, .y = 4, .radius = 0xffffffffu}};
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; ++i)
        assert_false(touches_flat(&nothing[i], -100, -100, 300, -100, -100, 300));
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    assert_true(touches_flat(&frame, 16, 16, 17, 16, 16, 17));
    assert_false(touches_flat(&frame, NAN, 4, 17, 16, 16, 17));
}

TEST(a_point_is_its_squares)
{
    tact_pick_region at = {.shape = TACT_PICK_POINT, .x = 5, .y = 5};
    assert_true(touches_flat(&at, 5.1f, 5.1f, 5.2f, 5.1f, 5.1f, 5.2f));
    assert_true(touches_flat(&at, 6, 5.1f, 6.2f, 5.1f, 6.1f, 5.2f));
    assert_false(touches_flat(&at, 6.01f, 5.1f, 6.2f, 5.1f, 6.1f, 5.2f));
    // Radius 2: the disc's corner squares are missing.
    at.radius = 2;
    assert_false(touches_flat(&at, 7.1f, 7.1f, 7.2f, 7.1f, 7.1f, 7.2f));
    assert_true(touches_flat(&at, 7.1f, 5.9f, 7.2f, 5.9f, 7.1f, 5.8f));
    assert_true(touches_flat(&at, 6.1f, 6.1f, 6.2f, 6.1f, 6.1f, 6.2f));
    assert_true(touches_flat(&at, 7, 7, 9, 9, 9, 7));
    assert_false(touches_flat(&at, 7.001f, 7.001f, 9, 9, 9, 7.001f));
    // A point outside of the view reaches into it.
    at.x = -2;
    assert_true(touches_flat(&at, 0, 5, 0.5f, 5, 0, 5.5f));
    assert_false(touches_flat(&at, 0, 6.5f, 0.5f, 6.5f, 0, 6.75f));
    // Nearest to the point first, then to the viewer.
    const tact_pick_view view = flat_view();
    const float slope[9] = {3, 5.5f, 0.25f, 15, 5.25f, 0.75f, 15, 5.75f, 0.75f};
    at.x = 9;
    at.y = 5;
    at.radius = 4;
    tact_pick_touch touch;
    assert_true(touches(&view, &at, slope, &touch));
    assert_true(fabs(touch.x - 9.0) < 1e-12 && touch.y > 5.0 && touch.y < 6.0);
    assert_true(fabs(touch.depth - 0.5) < 1e-12);
    assert_true(fabs(touch.position[0] - 9.0) < 1e-12 && fabs(touch.position[2] - 0.5) < 1e-12);
}

static bool in_lasso(const float (*lasso)[2], size_t count, float x, float y)
{
    const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = count};
    return touches_flat(&region, x, y, x + 0.125f, y, x, y + 0.125f);
}

TEST(a_lasso_is_its_area_by_the_even_odd_rule)
{
    // A square with a square hole, the way between them gone twice; and a star that crosses itself.
    static const float hole[][2] = {{2, 2}, {14, 2}, {14, 14}, {2, 14}, {2, 2},
                                    {5, 5}, {5, 11}, {11, 11}, {11, 5}, {5, 5}};
    static const float star[][2] = {{8, 0}, {12.7f, 14.5f}, {0.4f, 5.5f}, {15.6f, 5.5f}, {3.3f, 14.5f}};
    static const float tiny[][2] = {{5.125f, 5.125f}, {5.25f, 5.125f}, {5.125f, 5.25f}};
    static const float bad[][2] = {{2, 2}, {14, 2}, {NAN, 14}};
    assert_true(in_lasso(hole, 10, 3.5f, 8));
    assert_false(in_lasso(hole, 10, 8, 8));
    assert_false(in_lasso(hole, 10, 1, 1));
    assert_true(in_lasso(hole, 10, 12, 12));
    assert_true(in_lasso(star, 5, 8, 2));
    assert_false(in_lasso(star, 5, 8, 8));
    assert_true(in_lasso(tiny, 3, 5.1f, 5.1f));
    assert_false(in_lasso(tiny, 3, 5.5f, 5.5f));
    assert_false(in_lasso(bad, 3, 5, 5));
    assert_false(in_lasso(hole, 2, 5, 5));
    const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = hole, .lasso_count = 10};
    const tact_pick_region small = {.shape = TACT_PICK_LASSO, .lasso = tiny, .lasso_count = 3};
    // Across the hole; nearly all of the hole; just touching its border; around everything.
    assert_true(touches_flat(&region, 6, 8, 12, 8, 12, 9));
    assert_false(touches_flat(&region, 5.5f, 5.5f, 10.5f, 5.5f, 5.5f, 10.5f));
    assert_true(touches_flat(&region, 5.5f, 5.5f, 11, 5.5f, 5.5f, 10.5f));
    assert_true(touches_flat(&region, -100, -100, 300, -100, -100, 300));
    assert_true(touches_flat(&small, -100, -100, 300, -100, -100, 300));
    // Only edges cross: no corner of either is in the other.
    assert_true(touches_flat(&region, 0, 7, 16, 7, 16, 7.5f));
    // Collinear with an edge.
    assert_true(touches_flat(&region, 6, 5, 7, 5, 8, 5));
    assert_false(touches_flat(&region, 6, 5.5f, 7, 5.5f, 8, 5.5f));
    // Nearest within the area, not within its bounds: the near end of this one is in the hole.
    const tact_pick_view view = flat_view();
    const float slope[9] = {6, 8, 0.25f, 14, 7.9f, 0.75f, 14, 8.1f, 0.75f};
    tact_pick_touch touch;
    assert_true(touches(&view, &region, slope, &touch));
    assert_true(fabs(touch.x - 11.0) < 1e-9);
}

TEST(what_is_in_front_of_near_or_behind_the_eye_is_cut_off)
{
    // 90 degrees, near 1, far at infinity.
    tact_pick_view view = {
        .order = TACT_MATRIX_BY_ROWS, .depth = TACT_CLIP_MINUS_ONE_TO_ONE, .width = 16, .height = 16};
    const float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -2, 0, 0, -1, 0};
    memcpy(view.world_to_clip, m, sizeof m);
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    const float through[9] = {0, 0, -5, 0.5f, 0, 5, -0.5f, 0.5f, 5}, behind[9] = {0, 0, 5, 1, 0, 5, 0, 1, 5};
    const float before[9] = {0, 0, -0.5f, 0.1f, 0, -0.5f, 0, 0.1f, -0.5f}, at_near[9] = {0, 0, -1, 0, 0, 1, 0, 1, 0};
    const float far[9] = {0, 0, -1e18f, 1, 0, -1e18f, 0, 1, -1e18f}, at_eye[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    // Its corners are behind the eye or far to the side, all projected within the view if divided blindly.
    const float trap[9] = {1, 1, 2, -1, 1, 2, 0, -1, 2};
    tact_pick_touch touch;
    assert_true(touches(&view, &frame, through, &touch));
    assert_true(touch.depth < 1e-12 && fabs(touch.position[2] + 1.0) < 1e-12);
    assert_false(touches(&view, &frame, behind, NULL));
    assert_false(touches(&view, &frame, trap, NULL));
    assert_false(touches(&view, &frame, before, NULL));
    assert_true(touches(&view, &frame, at_near, NULL));
    assert_true(touches(&view, &frame, far, NULL));
    assert_false(touches(&view, &frame, at_eye, NULL));
    // A wall around the eye's plane that is seen only far to the side stays unseen.
    const float side[9] = {3, 0, -1.5f, 3, 1, 1, 3, -1, 1};
    assert_false(touches(&view, &frame, side, NULL));
    view.width = 0;
    assert_false(touches(&view, &frame, through, NULL));
    // Depths beyond the far plane, both ways round.
    tact_pick_view flat = flat_view();
    const float deep[9] = {5, 5, 1.5f, 6, 5, 1.5f, 5, 6, 1.5f}, last[9] = {5, 5, 1, 6, 5, 2, 5, 6, 2};
    for (int reversed = 0; reversed < 2; ++reversed) {
        flat.reversed = reversed;
        assert_false(touches(&flat, &square, deep, NULL));
        assert_true(touches(&flat, &square, last, &touch));
        assert_true(touch.depth == 1.0);
    }
}

// Random scenes.

enum { PERSPECTIVE, INFINITE_FAR, ORTHOGRAPHIC, KINDS };

static tact_pick_view random_view(test_random* r, int k)
{
    const int kind = k % KINDS;
    const double least = k / KINDS & 1 ? 0.0 : -1.0, near = 0.5, far = 6.0;
    tact_pick_view v = {.order = k & 1 ? TACT_MATRIX_BY_ROWS : TACT_MATRIX_BY_COLUMNS,
                        .depth = least == 0.0 ? TACT_CLIP_ZERO_TO_ONE : TACT_CLIP_MINUS_ONE_TO_ONE,
                        .reversed = k / (2 * KINDS) & 1,
                        .width = 64 + test_random_below(r, 200),
                        .height = 48 + test_random_below(r, 200),
                        .left = (int32_t)test_random_below(r, 100) - 50,
                        .top = (int32_t)test_random_below(r, 100) - 50};
    const double first = v.reversed ? 1.0 : least, last = v.reversed ? least : 1.0;
    // z = a d + b of the distance d ahead.
    double a = (last - first) / (far - near), b = first - a * near;
    if (kind == INFINITE_FAR) {
        a = last;
        b = (first - last) * near;
    } else if (kind == PERSPECTIVE) {
        b = (first - last) / (1.0 / near - 1.0 / far);
        a = first - b / near;
    }
    // The eye at (0, 0, 2), turned about y and x.
    const double u = 0.6 * (double)test_random_signed(r), t = 0.6 * (double)test_random_signed(r);
    const double rotation[3][3] = {
        {cos(u), 0, -sin(u)}, {sin(t) * sin(u), cos(t), sin(t) * cos(u)}, {cos(t) * sin(u), -sin(t), cos(t) * cos(u)}};
    double rows[4][4];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            const double e = j < 3 ? rotation[i][j] : -2.0 * rotation[i][2];
            if (i < 2) rows[i][j] = e * (kind == ORTHOGRAPHIC ? 0.7 : 1.3);
            if (i == 2) rows[2][j] = -a * e + (j == 3 ? b : 0.0);
            if (i == 2) rows[3][j] = kind == ORTHOGRAPHIC ? (j == 3 ? 1.0 : 0.0) : -e;
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            v.world_to_clip[k & 1 ? 4 * i + j : i + 4 * j] = (float)rows[i][j];
    }
    return v;
}

static tact_pick_region random_region(test_random* r, const tact_pick_view* v, int k, float (*lasso)[2])
{
    tact_pick_region region = {.shape = (tact_pick_shape)(k % 4)};
    const int32_t w = (int32_t)v->width, h = (int32_t)v->height;
    for (int i = 0; i < 4; ++i) {
        const int32_t size = i & 1 ? h : w;
        region.rectangle[i] = (i & 1 ? v->top : v->left) + (int32_t)test_random_below(r, (uint32_t)(size + 20)) - 10;
    }
    region.x = region.rectangle[0];
    region.y = region.rectangle[1];
    region.radius = k / 4 % 3 == 0 ? test_random_below(r, 3) : test_random_below(r, 60);
    region.lasso_count = 3 + test_random_below(r, 30);
    region.lasso = (const float(*)[2])lasso;
    const bool small = k / 4 % 3 == 0;
    for (size_t i = 0; i < region.lasso_count; ++i) {
        const float spread = small ? 6.0f : 0.6f * (float)(i & 1 ? h : w);
        lasso[i][0] = (float)region.x + spread * test_random_signed(r);
        lasso[i][1] = (float)region.y + spread * test_random_signed(r);
    }
    return region;
}

enum { TRIANGLES = 120 };

static tact_scene* random_scene(tact_context* context, test_random* r, size_t instances)
{
    tact_scene* scene = new_scene(context);
    for (int m = 0; m < 2; ++m) {
        float p[9 * TRIANGLES];
        for (size_t i = 0; i < TRIANGLES; ++i) {
            const float size = i % 7 == 0 ? 2.5f : 0.3f;
            const float centre[3] = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
            for (size_t k = 0; k < 9; ++k)
                p[9 * i + k] = centre[k % 3] + size * test_random_signed(r);
            if (i % 11 == 0) memcpy(p + 9 * i + 3, p + 9 * i, 3 * sizeof *p);
            if (i % 13 == 5) memcpy(p + 9 * i, p + 9 * i - 9, 9 * sizeof *p);
        }
        p[40] = NAN;
        add_mesh(scene, p, TRIANGLES);
    }
    for (size_t i = 0; i < instances; ++i) {
        const float s = instances > 10 ? 0.02f : 0.5f + 0.5f * test_random_unit(r), t = 3.0f * test_random_signed(r);
        const float c = s * cosf(t), d = s * sinf(t);
        const float m[12] = {c, -d, 0, 1.5f * test_random_signed(r), d, c, 0, 1.5f * test_random_signed(r),
                             0, 0,  s, 2.0f * test_random_signed(r)};
        add_instance(scene, (uint32_t)(i & 1), m);
    }
    add_instance(scene, 0, NULL);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// Projects here: pixels of the whole view and depth. How far inside the near and far planes it is; negative: outside.
static double project(const tact_pick_view* v, const double p[3], double out[3])
{
    double clip[4];
    for (int i = 0; i < 4; ++i) {
        clip[i] = 0.0;
        for (int j = 0; j < 4; ++j) {
            const float e = v->world_to_clip[v->order == TACT_MATRIX_BY_ROWS ? 4 * i + j : i + 4 * j];
            clip[i] += (double)e * (j < 3 ? p[j] : 1.0);
        }
    }
    if (!(clip[3] > 1e-12)) return -1.0;
    out[0] = (double)v->left + (clip[0] / clip[3] + 1.0) * 0.5 * (double)v->width;
    out[1] = (double)v->top + (1.0 - clip[1] / clip[3]) * 0.5 * (double)v->height;
    const double z = clip[2] / clip[3];
    out[2] = v->depth == TACT_CLIP_ZERO_TO_ONE ? z : 0.5 * (z + 1.0);
    return fmin(out[2], 1.0 - out[2]);
}

static double distance_to_edge(const float a[2], const float b[2], double x, double y)
{
    const double dx = (double)b[0] - (double)a[0], dy = (double)b[1] - (double)a[1];
    const double ex = x - (double)a[0], ey = y - (double)a[1];
    const double t = fmin(fmax((ex * dx + ey * dy) / fmax(dx * dx + dy * dy, 1e-30), 0.0), 1.0);
    return hypot(ex - t * dx, ey - t * dy);
}

/// How far inside the region a place of the whole view is; negative: outside.
static double inside(const tact_pick_view* v, const tact_pick_region* g, double x, double y)
{
    const double left = (double)v->left, top = (double)v->top;
    double margin = fmin(fmin(x - left, left + (double)v->width - x), fmin(y - top, top + (double)v->height - y));
    if (g->shape == TACT_PICK_RECTANGLE) {
        const int32_t* r = g->rectangle;
        margin = fmin(margin, fmin(x - (double)(r[0] < r[2] ? r[0] : r[2]), (double)(r[0] < r[2] ? r[2] : r[0]) - x));
        margin = fmin(margin, fmin(y - (double)(r[1] < r[3] ? r[1] : r[3]), (double)(r[1] < r[3] ? r[3] : r[1]) - y));
    } else if (g->shape == TACT_PICK_POINT) {
        // Over the squares around the place: the best of their margins.
        double best = -1e9;
        for (int k = 0; k < 9; ++k) {
            const double px = floor(x) + k % 3 - 1, py = floor(y) + k / 3 - 1;
            const double dx = px - (double)g->x, dy = py - (double)g->y;
            if (dx * dx + dy * dy > (double)g->radius * (double)g->radius) continue;
            best = fmax(best, fmin(fmin(x - px, px + 1.0 - x), fmin(y - py, py + 1.0 - y)));
        }
        margin = fmin(margin, best);
    } else if (g->shape == TACT_PICK_LASSO) {
        bool in = false;
        double near = 1e9;
        for (size_t i = 0, j = g->lasso_count - 1; i < g->lasso_count; j = i++) {
            const float *a = g->lasso[i], *b = g->lasso[j];
            near = fmin(near, distance_to_edge(a, b, x, y));
            if (((double)a[1] > y) == ((double)b[1] > y)) continue;
            const double slope = ((double)b[0] - (double)a[0]) / ((double)b[1] - (double)a[1]);
            if (x < (double)a[0] + (y - (double)a[1]) * slope) in = !in;
        }
        margin = fmin(margin, in ? near : -near);
    }
    return margin;
}

static void world_corners(const tact_scene* s, uint32_t instance, uint32_t primitive, double p[3][3])
{
    const tact_scene_mesh* mesh = &s->meshes[s->instances[instance].mesh];
    for (size_t c = 0; c < 3; ++c) {
        const float* q = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)primitive + c];
        for (int i = 0; i < 3; ++i) {
            const float* row = s->matrices[instance] + 4 * i;
            p[c][i] = (double)row[0] * (double)q[0] + (double)row[1] * (double)q[1] + (double)row[2] * (double)q[2] +
                      (double)row[3];
        }
    }
}

static double distance_of(const tact_pick_view* v, const tact_pick_region* g, uint32_t pixel)
{
    if (g->shape != TACT_PICK_POINT) return 0.0;
    const double dx = (double)(pixel % v->width) + (double)v->left - (double)g->x;
    const double dy = (double)(pixel / v->width) + (double)v->top - (double)g->y;
    return dx * dx + dy * dy;
}

/// The point that is told is on the triangle, in the region, at the depth told, in the pixel told.
static void check_witness(const tact_scene* s, const tact_pick_view* v, const tact_pick_region* g,
                          const tact_pick_found* f, const tact_pick_touch* t)
{
    double p[3][3], at[3], screen[3];
    world_corners(s, f->ids.instance, f->ids.primitive, p);
    for (int i = 0; i < 3; ++i) {
        at[i] = p[0][i] + t->u * (p[1][i] - p[0][i]) + t->v * (p[2][i] - p[0][i]);
        assert_true(fabs(at[i] - t->position[i]) < 1e-9);
    }
    assert_int_equal(f->ids.object, s->instances[f->ids.instance].mesh);
    assert_true(t->u >= 0.0 && t->v >= 0.0 && t->u + t->v <= 1.0 + 1e-9);
    assert_true(project(v, at, screen) > -1e-9);
    assert_true(inside(v, g, screen[0], screen[1]) > -1e-5);
    assert_true(fabs(screen[0] - (double)v->left - t->x) < 1e-5 && fabs(screen[1] - (double)v->top - t->y) < 1e-5);
    assert_true(fabs(screen[2] - t->depth) < 1e-6);
    float depth;
    memcpy(&depth, &f->surface.depth, sizeof depth);
    assert_true(depth == (float)t->depth);
    const double px = (double)(f->pixel % v->width), py = (double)(f->pixel / v->width);
    assert_true(t->x >= px - 1e-9 && t->x <= px + 1.0 + 1e-9 && t->y >= py - 1e-9 && t->y <= py + 1.0 + 1e-9);
    if (g->shape == TACT_PICK_POINT) {
        assert_true(distance_of(v, g, f->pixel) <= (double)g->radius * (double)g->radius);
    }
}

/// Samples every triangle. Returns how many of those with a sample inside there were.
static size_t check_samples(const tact_scene* s, const tact_pick_view* v, const tact_pick_region* g, const answer* a)
{
    enum { STEPS = 24 };
    size_t seen = 0;
    for (uint32_t n = 0; n < s->instance_count; ++n) {
        if (s->instances[n].mesh == TACT_NONE) continue;
        for (uint32_t k = 0; k < s->meshes[s->instances[n].mesh].triangle_count; ++k) {
            const tact_pick_touch* touch = NULL;
            const tact_pick_found* found = NULL;
            for (size_t i = 0; i < a->list.count && !touch; ++i) {
                if (a->list.items[i].ids.instance != n || a->list.items[i].ids.primitive != k) continue;
                touch = &a->touches[i];
                found = &a->list.items[i];
            }
            double p[3][3];
            world_corners(s, n, k, p);
            bool in = false;
            for (int i = 0; i <= STEPS; ++i) {
                for (int j = 0; i + j <= STEPS; ++j) {
                    double at[3], screen[3];
                    for (int x = 0; x < 3; ++x)
                        at[x] = p[0][x] + (p[1][x] - p[0][x]) * i / STEPS + (p[2][x] - p[0][x]) * j / STEPS;
                    if (!(project(v, at, screen) > 1e-9) || !(inside(v, g, screen[0], screen[1]) > 1e-7)) continue;
                    in = true;
                    if (!touch) fail_msg("triangle %u of instance %u is touched at %g %g", k, n, screen[0], screen[1]);
                    const double ahead = v->reversed ? screen[2] - touch->depth : touch->depth - screen[2];
                    if (g->shape != TACT_PICK_POINT) {
                        assert_true(ahead < 1e-9);
                    } else {
                        const double dx = floor(screen[0]) - (double)g->x, dy = floor(screen[1]) - (double)g->y;
                        const double d = dx * dx + dy * dy, e = distance_of(v, g, found->pixel);
                        assert_true(d > e || (d == e && ahead < 1e-9));
                    }
                }
            }
            seen += in;
        }
    }
    return seen;
}

/// Nearest first, and nothing twice.
static void check_order(const tact_pick_view* v, const tact_pick_region* g, const answer* a)
{
    for (size_t i = 1; i < a->list.count; ++i) {
        const tact_pick_found *x = &a->list.items[i - 1], *y = &a->list.items[i];
        float dx, dy;
        memcpy(&dx, &x->surface.depth, sizeof dx);
        memcpy(&dy, &y->surface.depth, sizeof dy);
        if (v->reversed) dx = -dx, dy = -dy;
        const double keys[2][6] = {
            {distance_of(v, g, x->pixel), (double)dx, x->pixel, x->ids.object, x->ids.instance, x->ids.primitive},
            {distance_of(v, g, y->pixel), (double)dy, y->pixel, y->ids.object, y->ids.instance, y->ids.primitive}};
        int k = 0;
        while (k < 5 && keys[0][k] == keys[1][k])
            ++k;
        assert_true(keys[0][k] < keys[1][k]);
    }
}

/// The first of each thing in the list of all triangles.
static void check_group(const answer* all, const answer* grouped, tact_pick_group group)
{
    size_t next = 0;
    for (size_t i = 0; i < all->list.count; ++i) {
        const tact_pick_ids* x = &all->list.items[i].ids;
        bool first = true;
        for (size_t j = 0; j < next && first; ++j) {
            const tact_pick_ids* y = &grouped->list.items[j].ids;
            first = group == TACT_PICK_BY_OBJECT ? x->object != y->object : x->instance != y->instance;
        }
        if (!first) continue;
        assert_true(next < grouped->list.count);
        assert_memory_equal(&grouped->list.items[next], &all->list.items[i], sizeof all->list.items[i]);
        assert_memory_equal(&grouped->touches[next], &all->touches[i], sizeof all->touches[i]);
        ++next;
    }
    assert_int_equal(next, grouped->list.count);
}

TEST(random_scenes_are_told_rightly)
{
    test_random r = test_random_seeded(7);
    tact_context* context = counting_context(0, NULL);
    size_t found = 0, seen = 0, triangles = 0;
    for (int k = 0; k < (int)effort_of(144); ++k) {
        tact_scene* scene = random_scene(context, &r, 3);
        const tact_pick_view view = random_view(&r, k / 4);
        float lasso[40][2];
        const tact_pick_region region = random_region(&r, &view, k, lasso);
        tact_pick_touch_job job = job_of(scene, &view, &region);
        job.brute = true;
        answer all = ask(scene, &job);
        for (size_t i = 0; i < all.list.count; ++i)
            check_witness(scene, &view, &region, &all.list.items[i], &all.touches[i]);
        check_order(&view, &region, &all);
        seen += check_samples(scene, &view, &region, &all);
        found += all.list.count;
        triangles += 3 * TRIANGLES;
        for (int group = 0; group < 3; ++group) {
            job.group = (tact_pick_group)group;
            job.brute = true;
            answer brute = ask(scene, &job);
            if (group != TACT_PICK_BY_PRIMITIVE) check_group(&all, &brute, job.group);
            job.brute = false;
            for (job.threads = 1; job.threads < 4; ++job.threads) {
                answer trees = ask(scene, &job);
                same(&trees, &brute);
                drop(scene, &trees);
            }
            drop(scene, &brute);
        }
        drop(scene, &all);
        tact_scene_destroy(scene);
    }
    // Not everything is found, and most of what is found is seen by samples too.
    print_message("%zu of %zu triangles touched, %zu of them seen by samples\n", found, triangles, seen);
    assert_true(seen > effort_of(2000) && seen <= found && found < triangles / 2 && seen > found * 3 / 4);
    tact_context_destroy(context);
}

TEST(trees_equal_brute_force_for_many_instances)
{
    test_random r = test_random_seeded(8);
    tact_context* context = counting_context(0, NULL);
    tact_scene* scene = random_scene(context, &r, 10000);
    size_t most = 0;
    for (int k = 0; k < (int)effort_of(12); ++k) {
        const tact_pick_view view = random_view(&r, 5 * k);
        float lasso[40][2];
        const tact_pick_region region = random_region(&r, &view, k, lasso);
        tact_pick_touch_job job = job_of(scene, &view, &region);
        job.group = (tact_pick_group)(k % 3);
        job.threads = 2;
        job.brute = true;
        answer brute = ask(scene, &job);
        job.brute = false;
        answer trees = ask(scene, &job);
        job.threads = 5;
        answer again = ask(scene, &job);
        same(&trees, &brute);
        same(&again, &brute);
        most = trees.list.count > most ? trees.list.count : most;
        drop(scene, &brute);
        drop(scene, &trees);
        drop(scene, &again);
    }
    // More than the lanes' buffers hold.
    assert_true(most > 150000);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

/// Far from their own origin, very large and very small: what is left out by the trees must be right there too.
TEST(trees_are_right_at_any_scale)
{
    test_random r = test_random_seeded(9);
    tact_context* context = counting_context(0, NULL);
    size_t found = 0;
    for (int k = 0; k < (int)effort_of(60); ++k) {
        tact_scene* scene = new_scene(context);
        const float far = k % 3 == 0 ? 1e6f : k % 3 == 1 ? 1e15f : 1.0f, size = k % 5 == 0 ? 1e-6f : 1.0f;
        float p[9 * TRIANGLES];
        for (size_t i = 0; i < 9 * TRIANGLES; ++i)
            p[i] = far + far * 1e-5f * size * test_random_signed(&r);
        const float scale = 1e5f / far;
        const float m[12] = {scale, 0, 0, -far * scale, 0, scale, 0, -far * scale, 0, 0, scale, -far * scale};
        add_instance(scene, add_mesh(scene, p, TRIANGLES), m);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const tact_pick_view view = random_view(&r, k);
        float lasso[40][2];
        const tact_pick_region region = random_region(&r, &view, k, lasso);
        tact_pick_touch_job job = job_of(scene, &view, &region);
        for (int group = 0; group < 3; ++group) {
            job.group = (tact_pick_group)group;
            job.brute = false;
            answer trees = ask(scene, &job);
            job.brute = true;
            answer brute = ask(scene, &job);
            same(&trees, &brute);
            found += brute.list.count;
            drop(scene, &trees);
            drop(scene, &brute);
        }
        tact_scene_destroy(scene);
    }
    assert_true(found > effort_of(1000));
    tact_context_destroy(context);
}

static bool stop(double fraction, void* user)
{
    ++*(int*)user;
    return false;
}

typedef struct patience {
    int calls, stop_at;
    double last;
} patience;

static bool wait_and_stop(double fraction, void* user)
{
    patience* p = user;
    assert_true(fraction >= p->last && fraction <= 1.0);
    p->last = fraction;
    return ++p->calls != p->stop_at;
}

TEST(memory_may_run_out_and_the_caller_may_cancel)
{
    test_random r = test_random_seeded(10);
    counting_allocator counter = {0};
    tact_context* context = counting_context(0, &counter);
    tact_scene* scene = random_scene(context, &r, 40);
    for (int k = 0; k < (int)effort_of(8); ++k) {
        const tact_pick_view view = random_view(&r, k);
        float lasso[40][2];
        const tact_pick_region region = random_region(&r, &view, k + 4, lasso);
        tact_pick_touch_job job = job_of(scene, &view, &region);
        job.group = (tact_pick_group)(k % 3);
        job.threads = 2;
        answer whole = ask(scene, &job);
        const size_t before = counter.live;
        for (size_t n = 1;; ++n) {
            counter.fail_at = counter.requests + n;
            counter.failed = false;
            answer a;
            const tact_result result = tact_pick_touched(&context->env, &job, &a.list, &a.touches);
            counter.fail_at = 0;
            assert_int_equal(result, counter.failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
            if (result == TACT_OK) same(&a, &whole);
            if (result != TACT_OK) assert_true(!a.list.items && !a.touches && a.list.count == 0);
            drop(scene, &a);
            assert_int_equal(counter.live, before);
            if (!counter.failed) break;
        }
        int calls = 0;
        job.progress = stop;
        job.progress_user = &calls;
        answer a;
        const tact_result stopped = tact_pick_touched(&context->env, &job, &a.list, &a.touches);
        assert_int_equal(stopped, calls ? TACT_ERROR_CANCELLED : TACT_OK);
        assert_true(calls == 1 || whole.list.count == 0);
        drop(scene, &a);
        // Wherever it is stopped, also while what was found is sorted and told.
        patience p = {0};
        job.progress = wait_and_stop;
        job.progress_user = &p;
        tact_result result = TACT_ERROR_CANCELLED;
        for (int n = 1; result == TACT_ERROR_CANCELLED && n < 1000; ++n) {
            p = (patience){.stop_at = n};
            result = tact_pick_touched(&context->env, &job, &a.list, &a.touches);
            assert_int_equal(result, p.calls == n ? TACT_ERROR_CANCELLED : TACT_OK);
            drop(scene, &a);
            assert_int_equal(counter.live, before);
        }
        assert_int_equal(result, TACT_OK);
        assert_true(whole.list.count == 0 || p.last == 1.0);
        drop(scene, &whole);
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

#include "tests/support/pick_dense.h"

TEST_ELSEWHERE(cmocka_unit_test, a_grid_decides_a_lasso_as_its_edges_do)
TEST_ELSEWHERE(cmocka_unit_test, a_lasso_of_a_rectangle_is_that)

#include TEST_LIST
RUN_ALL(NULL, NULL)
