// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What images leave of many objects: never too little, and not much too much.

#include "tests/support/run.h"

#include "gpu/filter/image.h"
#include "tests/support/device_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/filter_world.h"

typedef struct outcome {
    uint32_t* left;  // two words each
    uint32_t count;
    tact_filter_count counts[TACT_FILTER_STAGES];
    tact_filter_view view;
} outcome;

static outcome run(device_fixture* f, const tact_filter_job* job, const tact_filter_options* options, uint32_t rounds)
{
    tact_gpu_filter_scene scene = {0};
    tact_gpu_filter_image* image = NULL;
    tact_buffer* left = NULL;
    outcome o = {0};
    tact_filter_job asked = *job;
    asked.options = *options;
    expect_ok(f, tact_gpu_filter_scene_make(f->device, job, &scene));
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    if (rounds) tact_gpu_filter_image_limit(image, rounds);
    expect_ok(f, tact_gpu_filter_image_run(image, &scene, &asked, &left, &o.count, o.counts));
    o.left = malloc((size_t)o.count * 8 + 8);
    assert_non_null(o.left);
    if (o.count) expect_ok(f, tact_buffer_read(left, 0, o.left, (size_t)o.count * 8));
    o.view = *tact_gpu_filter_image_view(image);
    // The same once more, with buffers that are dirty now.
    uint32_t again = 0;
    tact_filter_count counts[TACT_FILTER_STAGES];
    expect_ok(f, tact_gpu_filter_image_run(image, &scene, &asked, &left, &again, counts));
    assert_int_equal(again, o.count);
    uint32_t* words = scratch((size_t)again * 8 + 8);
    if (again) expect_ok(f, tact_buffer_read(left, 0, words, (size_t)again * 8));
    assert_memory_equal(words, o.left, (size_t)again * 8);
    tact_gpu_filter_image_destroy(image);
    tact_gpu_filter_scene_release(&scene);
    return o;
}

// Ascending, there, in range; and counted rightly.
static bool* check(const filter_world* w, const outcome* o)
{
    bool* is_left = scratch_zeroed(w->triangle_count + 1, sizeof *is_left);
    uint64_t objects = 0;
    for (uint32_t i = 0; i < o->count; ++i) {
        const uint32_t *e = &o->left[2 * i], *before = i ? e - 2 : NULL;
        assert_in_range(e[0], 0, w->object_count - 1);
        assert_in_range(e[1], 0, w->first[e[0] + 1] - w->first[e[0]] - 1);
        if (before) assert_true(before[0] < e[0] || (before[0] == e[0] && before[1] < e[1]));
        objects += !before || before[0] != e[0];
        is_left[w->first[e[0]] + e[1]] = true;
        assert_true(w->counts[w->first[e[0]] + e[1]]);
    }
    const tact_filter_count* c = o->counts;
    assert_int_equal(c[TACT_FILTER_TRIANGLES].triangles, o->count);
    assert_int_equal(c[TACT_FILTER_TRIANGLES].objects, objects);
    assert_true(c[TACT_FILTER_OBJECTS].triangles <= w->triangle_count);
    assert_true(c[TACT_FILTER_PARTS].triangles <= c[TACT_FILTER_OBJECTS].triangles);
    assert_true(c[TACT_FILTER_TRIANGLES].triangles <= c[TACT_FILTER_PARTS].triangles);
    assert_true(c[TACT_FILTER_OBJECTS].objects <= w->object_count);
    assert_true(c[TACT_FILTER_PARTS].objects <= c[TACT_FILTER_OBJECTS].objects);
    assert_true(c[TACT_FILTER_TRIANGLES].objects <= c[TACT_FILTER_PARTS].objects);
    for (int s = TACT_FILTER_OBJECTS; s <= TACT_FILTER_TRIANGLES; ++s)
        assert_true(c[s].ran);
    return is_left;
}

// Nothing that overlaps is left out, after one image as after all. The number of pairs.
static uint64_t expect_all(device_fixture* f, filter_world* w, const tact_filter_options* options)
{
    const tact_filter_job job = world_finish(w);
    bool* hit = scratch_zeroed(w->triangle_count + 1, sizeof *hit);
    const uint64_t pairs = world_exact(w, hit);
    uint32_t before = UINT32_MAX;
    for (uint32_t rounds = 1; rounds <= 4; rounds += 3) {
        outcome o = run(f, &job, options, rounds == 4 ? 0 : rounds);
        bool* is_left = check(w, &o);
        uint32_t lost = 0;
        for (uint32_t i = 0; i < w->triangle_count; ++i)
            lost += hit[i] && !is_left[i];
        assert_int_equal(lost, 0);
        assert_true(o.count <= before);
        before = o.count;
        free(o.left);
    }
    return pairs;
}

TEST_AS(DEVICE_TEST_GL, test_soups)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(61);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < effort(3, 8) * SOUP_KINDS; ++i) {
        const soup_kind kind = (soup_kind)(i % SOUP_KINDS);
        filter_world w = world_make(4, 4 + test_random_below(&r, 30));
        for (uint32_t s = 0; s < w.shape_count; ++s)
            world_soup(&w.shapes[s], &r, kind, 1 + test_random_below(&r, s == 3 ? 100 : 20));
        for (uint32_t k = 0; k < w.object_count; ++k) {
            w.objects[k].shape = test_random_below(&r, w.shape_count);
            random_pose(&r, kind, w.objects[k].pose);
        }
        const tact_filter_options options = {.cells_log2 = i % 3 == 0 ? 0 : 12 + i % 5};
        pairs += expect_all(f, &w, &options);
        world_free(&w);
    }
    assert_true(pairs > effort(400, 1000));
}

// Boxes, rings and balls that just touch, in steps of powers of two, near the origin and far from it: what meets is
// often on the border of cells.
TEST_AS(DEVICE_TEST_GL, test_touching)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(62);
    static const float turns[3][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                       {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0},
                                       {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}};
    static const float far[5] = {0, 0x1p20f, -0x1p30f, 0x1p58f, 3e5f};
    static const float sizes[5] = {1, 0.25f, 0x1p8f, 0x1p36f, 0x1p-3f};
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < 10; ++i) {
        filter_world w = world_make(2, 40);
        world_surface(&w.shapes[0], 2, 4, 0);  // an octahedron
        world_surface(&w.shapes[1], 4, 4, 0.5f);
        for (uint32_t k = 0; k < w.object_count; ++k) {
            float* pose = w.objects[k].pose;
            w.objects[k].shape = test_random_below(&r, 2);
            memcpy(pose, turns[test_random_below(&r, 3)], sizeof turns[0]);
            const float size = sizes[i / 2];
            for (int m = 0; m < 12; ++m) {
                if (m % 4 == 3) {
                    pose[m] = far[i / 2] + 2 * size * (float)((int)test_random_below(&r, 5) - 2);
                } else {
                    pose[m] *= size;
                }
            }
        }
        const tact_filter_options options = {.cells_log2 = i % 2 ? 0 : 20};
        pairs += expect_all(f, &w, &options);
        world_free(&w);
    }
    assert_true(pairs > 1000);
}

// Triangles through all of the scene, all objects the same, no triangles at all, objects without area.
TEST_AS(DEVICE_TEST_GL, test_extremes)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(63);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        filter_world w = world_make(3, i == 1 ? 6 : 20);
        world_soup(&w.shapes[0], &r, i % 2 ? NEEDLES : SMOOTH, 12);
        world_surface(&w.shapes[1], 3, 5, i % 2 ? 0.2f : 0.0f);
        world_shape_room(&w.shapes[2], 3, i == 3 ? 0 : 1);
        memset(w.shapes[2].positions, 0, 36);
        for (uint32_t k = 0; k < 3 && i != 3; ++k)
            w.shapes[2].indices[k] = k;
        for (uint32_t k = 0; k < w.object_count; ++k) {
            float place[3];
            for (int m = 0; m < 3; ++m)
                place[m] = i == 1 ? 0.0f : test_random_signed(&r) * (i == 5 ? 0x1p55f : 3.0f);
            if (i != 1 || k == 0) world_turn(&r, k % 5 == 0 ? 60.0f : 1.0f, place, w.objects[k].pose);
            if (i == 1 && k) memcpy(w.objects[k].pose, w.objects[0].pose, sizeof w.objects[0].pose);
            if (i == 5) w.objects[k].pose[0] *= 0x1p54f;
            if (i == 6) memset(&w.objects[k].pose[8], 0, 16);
            if (i == 7) w.objects[k].pose[3] = INFINITY - (k % 2 ? 0.0f : INFINITY);
            w.objects[k].shape = i == 3 ? 2 : i == 1 ? 1 : k % 3;
        }
        const tact_filter_options options = {.cells_log2 = i % 2 ? 0 : 22};
        pairs += expect_all(f, &w, &options);
        world_free(&w);
    }
    assert_true(pairs > 1000);
}

// Pairs that have one point in common: a corner of one is in the middle of the other's edge, and both go away from
// there. Far from the origin and in frames that are turned the rounding is an eighth of a cell.
TEST_AS(DEVICE_TEST_GL, test_points)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(67);
    enum { PAIRS = 400 };
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        filter_world w = world_make(2 * PAIRS, 2 * PAIRS);
        for (uint32_t k = 0; k < 2 * PAIRS; ++k) {
            const float far = i % 2 ? 0x1p20f : -0x1p40f, step = fabsf(far) * 0x1p-23f;
            world_shape_room(&w.shapes[k], 3, 1);
            float* p = w.shapes[k].positions;
            for (uint32_t c = 0; c < 3; ++c) {
                w.shapes[k].indices[c] = c;
                memcpy(w.objects[k].pose, (const float[12]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 48);
            }
            w.objects[k].shape = k;
            for (int m = 0; m < 3; ++m) {
                const float away = (float)(1 + test_random_below(&r, 4)) * step;
                const float along = (float)((int)test_random_below(&r, 5) - 2) * step;
                const float middle = far + (float)test_random_below(&r, 1 << 9) * 8 * step;
                if (k % 2 == 0) {
                    // The edge about the middle, and a corner on the one side.
                    p[m] = middle - along;
                    p[3 + m] = middle + along;
                    p[6 + m] = middle - away;
                } else {
                    const float* other = w.shapes[k - 1].positions;
                    p[m] = 0.5f * (other[m] + other[3 + m]);
                    p[3 + m] = p[m] + away;
                    p[6 + m] = p[m] + 2 * away;
                }
            }
        }
        const tact_filter_options options = {.cells_log2 = 20};
        pairs += expect_all(f, &w, &options);
        world_free(&w);
    }
    assert_true(pairs >= 4 * PAIRS);
}

// More bricks than there may be; and more triangles than are drawn at once.
TEST_AS(DEVICE_TEST_GL, test_many)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(68);
    filter_world w = world_make(1, (uint32_t)effort(30, 60));
    world_soup(&w.shapes[0], &r, SMOOTH, 300);
    for (uint32_t k = 0; k < w.object_count; ++k)
        world_turn(&r, 1.0f, (const float[3]){0, 0, 0}, w.objects[k].pose);
    const tact_filter_options small = {.cells_log2 = 12};
    assert_true(expect_all(f, &w, &small) > effort(200, 1000));
    world_free(&w);
    if (!effort_is_thorough()) return;
    // A lattice, of which every seventh is large enough to meet the next ones.
    enum { ACROSS = 10, WIDE = 9, PARTS = 10 };
    w = world_make(1, ACROSS * ACROSS * WIDE);
    world_surface(&w.shapes[0], 10, 16, 0);
    for (uint32_t k = 0; k < w.object_count; ++k) {
        const float place[3] = {2.1f * (float)(k % ACROSS), 2.1f * (float)(k / ACROSS % ACROSS),
                                2.1f * (float)(k / (ACROSS * ACROSS))};
        world_turn(&r, k % 7 == 0 ? 1.2f : 1.0f, place, w.objects[k].pose);
    }
    assert_true(w.object_count * PARTS * TACT_FILTER_PART > 1 << 18);
    const tact_filter_options options = {.cells_log2 = 18};
    assert_true(expect_all(f, &w, &options) > 1000);
    world_free(&w);
}

// ---- A model of the first image ----

typedef struct model {
    double corner[3][3];  // in cells
} model;

static void to_cells(const tact_filter_view* v, tact_vec3 p, double to[3])
{
    for (int k = 0; k < 3; ++k) {
        const double turned = (double)v->rows[3 * k] * (double)p.x + (double)v->rows[3 * k + 1] * (double)p.y +
                              (double)v->rows[3 * k + 2] * (double)p.z;
        to[k] = (turned - (double)v->corner[k]) * (double)v->scale;
    }
}

static uint32_t cell_along(const tact_filter_view* v, int k, double x)
{
    const double most = (double)v->cells[k] - 1;
    return (uint32_t)fmin(fmax(floor(x), 0), most);
}

static void mark(uint32_t* cells, size_t cell, uint32_t object)
{
    cells[cell] = cells[cell] == 0 || cells[cell] == object + 1 ? object + 1 : UINT32_MAX;
}

typedef void visit(void* user, size_t cell);

// The cells in which points of the triangle surely lie.
static void visit_points(const tact_filter_view* v, const model* m, visit* each, void* user)
{
    enum { STEPS = 12 };
    for (int i = 0; i <= STEPS; ++i) {
        for (int j = 0; i + j <= STEPS; ++j) {
            uint32_t at[3];
            for (int k = 0; k < 3; ++k) {
                at[k] = cell_along(
                    v, k, (m->corner[0][k] * i + m->corner[1][k] * j + m->corner[2][k] * (STEPS - i - j)) / STEPS);
            }
            each(user, ((size_t)at[1] * v->cells[0] + at[0]) * v->cells[2] + at[2]);
        }
    }
}

static double side(const double a[3], const double b[3], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

// Whether the pixel, made larger on all sides, reaches into the triangle's footprint, and the depths there.
static bool footprint(const model* m, double x, double y, double half, double range[2])
{
    const double area = side(m->corner[0], m->corner[1], m->corner[2][0], m->corner[2][1]);
    const double turn = area < 0 ? -1 : 1;
    range[0] = fmin(m->corner[0][2], fmin(m->corner[1][2], m->corner[2][2]));
    range[1] = fmax(m->corner[0][2], fmax(m->corner[1][2], m->corner[2][2]));
    double size = 0;
    for (int e = 0; e < 3; ++e) {
        const double *a = m->corner[e], *b = m->corner[(e + 1) % 3];
        const double reach = half * (fabs(b[0] - a[0]) + fabs(b[1] - a[1]));
        if (turn * side(a, b, x, y) < -reach) return false;
        size = fmax(size, fabs(b[0] - a[0]) + fabs(b[1] - a[1]) + fabs(b[2] - a[2]));
    }
    if (fabs(area) < 1e-3 * size * size) return true;
    const double *a = m->corner[0], *b = m->corner[1], *c = m->corner[2];
    const double nx = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
    const double ny = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
    const double middle = a[2] - (nx * (x - a[0]) + ny * (y - a[1])) / area;
    const double around = half * (fabs(nx) + fabs(ny)) / fabs(area);
    range[0] = fmax(range[0], middle - around);
    range[1] = fmin(range[1], middle + around);
    return true;
}

// All cells that the shader may mark, and a hundredth of a cell more.
static void visit_wide(const tact_filter_view* v, const model* m, visit* each, void* user)
{
    const double more = (double)v->slack + 0.01;
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = cell_along(v, k, fmin(m->corner[0][k], fmin(m->corner[1][k], m->corner[2][k])) - more);
        high[k] = cell_along(v, k, fmax(m->corner[0][k], fmax(m->corner[1][k], m->corner[2][k])) + more);
    }
    for (uint32_t y = low[1]; y <= high[1]; ++y) {
        for (uint32_t x = low[0]; x <= high[0]; ++x) {
            double range[2];
            if (!footprint(m, x + 0.5, y + 0.5, 0.5 + more, range)) continue;
            const uint32_t end = cell_along(v, 2, range[1] + more);
            for (uint32_t z = cell_along(v, 2, range[0] - more); z <= end; ++z)
                each(user, ((size_t)y * v->cells[0] + x) * v->cells[2] + z);
        }
    }
}

typedef struct visitor {
    uint32_t* cells;
    uint32_t object;
    bool many;
} visitor;

static void visit_mark(void* user, size_t cell)
{
    const visitor* w = user;
    mark(w->cells, cell, w->object);
}

static void visit_ask(void* user, size_t cell)
{
    visitor* w = user;
    w->many = w->many || w->cells[cell] == UINT32_MAX;
}

typedef void walk(const tact_filter_view* v, const model* m, visit* each, void* user);

static bool* modelled(const filter_world* w, const tact_filter_view* v, walk* over)
{
    uint32_t* cells = scratch_zeroed((size_t)v->cells[0] * v->cells[1] * v->cells[2], 4);
    bool* flags = scratch_zeroed(w->triangle_count, sizeof *flags);
    for (int asking = 0; asking < 2; ++asking) {
        for (uint32_t o = 0; o < w->object_count; ++o) {
            for (uint32_t t = w->first[o]; t < w->first[o + 1]; ++t) {
                visitor who = {cells, o, false};
                model m;
                to_cells(v, w->placed[t].a, m.corner[0]);
                to_cells(v, w->placed[t].b, m.corner[1]);
                to_cells(v, w->placed[t].c, m.corner[2]);
                over(v, &m, asking ? visit_ask : visit_mark, &who);
                if (asking) flags[t] = who.many;
            }
        }
    }
    return flags;
}

static void scatter(filter_world* w, test_random* r, float width)
{
    for (uint32_t k = 0; k < w->object_count; ++k) {
        const float place[3] = {width * test_random_signed(r), width * test_random_signed(r),
                                width * test_random_signed(r)};
        world_turn(r, 0.5f + test_random_unit(r), place, w->objects[k].pose);
        w->objects[k].shape = k % w->shape_count;
    }
}

TEST_AS(DEVICE_TEST_GL, test_model)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(64);
    uint32_t sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 4; ++i) {
        filter_world w = world_make(3, 12);
        world_surface(&w.shapes[0], 8, 10, 0);
        world_surface(&w.shapes[1], 12, 6, 0.2f);
        world_soup(&w.shapes[2], &r, SMOOTH, 50);
        scatter(&w, &r, 2.5f);
        const tact_filter_job job = world_finish(&w);
        const tact_filter_options options = {.cells_log2 = 12 + 3 * i};
        // All objects take part, so that the model has what the image has.
        tact_pair* all = scratch(w.object_count * sizeof *all);
        for (uint32_t k = 0; k + 1 < w.object_count; ++k)
            all[k] = (tact_pair){k, k + 1};
        tact_filter_job whole = job;
        whole.candidates = all;
        whole.candidate_count = w.object_count - 1;
        outcome o = run(f, &whole, &options, 1);
        bool *is_left = check(&w, &o), *least = modelled(&w, &o.view, visit_points);
        bool* most = modelled(&w, &o.view, visit_wide);
        for (uint32_t t = 0; t < w.triangle_count; ++t) {
            assert_true(!least[t] || is_left[t]);
            assert_true(!is_left[t] || most[t]);
            sum[0] += least[t];
            sum[1] += is_left[t];
            sum[2] += most[t];
        }
        free(o.left);
        world_free(&w);
    }
    print_message("          triangles: %u demanded, %u left, %u allowed\n", sum[0], sum[1], sum[2]);
    // The bounds are close, else they would say nothing.
    assert_true(sum[0] > 100 && sum[2] - sum[0] < sum[0] / 4);
}

// Two that meet among many that do not, and nothing else is left; and nothing of what nobody meets.
TEST_AS(DEVICE_TEST_GL, test_apart)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(65);
    filter_world w = world_make(1, 27);
    world_surface(&w.shapes[0], 10, 16, 0);
    for (uint32_t k = 0; k < 27; ++k) {
        const float place[3] = {2.2f * (float)(k % 3), 2.2f * (float)(k / 3 % 3), 2.2f * (float)(k / 9)};
        world_turn(&r, k == 13 ? 1.3f : 1.0f, place, w.objects[k].pose);
    }
    tact_filter_job job = world_finish(&w);
    // One enlarged ball among others, seen with those whose boxes meet its own: six of them are met.
    const tact_filter_options options = {0};
    outcome o = run(f, &job, &options, 0);
    check(&w, &o);
    assert_int_equal(o.counts[TACT_FILTER_TRIANGLES].objects, 7);
    assert_true(o.count < 7 * 320 / 3);
    free(o.left);
    // Smaller: nothing meets, though the boxes of all take part.
    for (uint32_t k = 0; k < 27; ++k)
        for (int m = 0; m < 11; ++m)
            if (m % 4 != 3) w.objects[k].pose[m] *= 0.7f;
    o = run(f, &job, &options, 0);
    assert_int_equal(o.count, 0);
    for (int s = TACT_FILTER_OBJECTS; s <= TACT_FILTER_TRIANGLES; ++s)
        assert_true(o.counts[s].ran);
    assert_int_equal(o.counts[TACT_FILTER_TRIANGLES].objects, 0);
    free(o.left);
    job.candidate_count = 0;
    o = run(f, &job, &options, 0);
    assert_int_equal(o.count, 0);
    free(o.left);
    world_free(&w);
}

TEST_AS(DEVICE_TEST_GL, test_fast)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(66);
    filter_world w = world_make(2, 40);
    world_surface(&w.shapes[0], 10, 16, 0);
    world_surface(&w.shapes[1], 16, 10, 0.2f);
    scatter(&w, &r, 5.0f);
    const tact_filter_job job = world_finish(&w);
    for (uint32_t rounds = 0; rounds < 2; ++rounds) {
        const tact_filter_options slow = {0}, fast = {.fast = true};
        outcome a = run(f, &job, &slow, rounds), b = run(f, &job, &fast, rounds);
        bool *left = check(&w, &a), *few = check(&w, &b);
        print_message("          rounds %u: reliable %u, fast %u\n", rounds, a.count, b.count);
        assert_true(b.count > 0 && b.count <= a.count);
        for (uint32_t t = 0; t < w.triangle_count && rounds == 1; ++t)
            assert_true(!few[t] || left[t]);
        free(a.left);
        free(b.left);
    }
    world_free(&w);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
