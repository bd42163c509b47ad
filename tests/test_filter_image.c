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

static outcome run_with(device_fixture* f, tact_gpu_filter_image* image, const tact_filter_job* job,
                        const tact_filter_options* options)
{
    tact_gpu_filter_scene scene = {0};
    tact_buffer* left = NULL;
    outcome o = {0};
    tact_filter_job asked = *job;
    asked.options = *options;
    expect_ok(f, tact_gpu_filter_scene_make(f->device, job, &scene));
    expect_ok(f, tact_gpu_filter_image_run(image, &scene, &asked, &left, &o.count, o.counts));
    o.left = malloc((size_t)o.count * 8 + 8);
    assert_non_null(o.left);
    if (o.count) expect_ok(f, tact_buffer_read(left, 0, o.left, (size_t)o.count * 8));
    o.view = *tact_gpu_filter_image_view(image);
    tact_gpu_filter_scene_release(&scene);
    return o;
}

/// The same triangles, and the same counts.
static void expect_same(const outcome* a, const outcome* b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->left, b->left, (size_t)a->count * 8);
    for (int s = TACT_FILTER_OBJECTS; s <= TACT_FILTER_TRIANGLES; ++s) {
        assert_int_equal(a->counts[s].objects, b->counts[s].objects);
        assert_int_equal(a->counts[s].triangles, b->counts[s].triangles);
        assert_int_equal(a->counts[s].rounds, b->counts[s].rounds);
    }
}

static outcome run(device_fixture* f, const tact_filter_job* job, const tact_filter_options* options, uint32_t rounds)
{
    tact_gpu_filter_image* image = NULL;
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    if (rounds) tact_gpu_filter_image_limit(image, rounds);
    outcome o = run_with(f, image, job, options);
    // The same once more, with buffers that are dirty now, and without waiting for how much there is.
    outcome again = run_with(f, image, job, options);
    expect_same(&again, &o);
    free(again.left);
    tact_gpu_filter_image_destroy(image);
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

TEST_AS(DEVICE_TEST, test_soups)
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
TEST_AS(DEVICE_TEST, test_touching)
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
TEST_AS(DEVICE_TEST, test_extremes)
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
TEST_AS(DEVICE_TEST, test_points)
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
TEST_AS(DEVICE_TEST, test_many)
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

// All cells that the kernel may mark, and a hundredth of a cell more.
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

TEST_AS(DEVICE_TEST, test_model)
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
TEST_AS(DEVICE_TEST, test_apart)
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

TEST_AS(DEVICE_TEST, test_fast)
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

// ---- Large triangles ----

enum { WORLDS = 9 };

static const float upright[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static void world_triangle(world_shape* s, const float (*corners)[3])
{
    world_shape_room(s, 3, 1);
    memcpy(s->positions, corners, 36);
    for (uint32_t k = 0; k < 3; ++k)
        s->indices[k] = k;
}

/// Many small balls, and triangles that go through all of them: across, along the view, or as thin as a hair.
static filter_world large_ones(test_random* r, int kind, uint32_t balls, uint32_t large)
{
    filter_world w = world_make(2, balls + large);
    world_surface(&w.shapes[0], 6, 10, 0);
    static const float corners[3][3][3] = {{{-3, -3, 0}, {3, -2, 0.1f}, {0, 4, -0.2f}},
                                           {{0, -3, -3}, {0.001f, -2, 3}, {0, 3, 2}},
                                           {{0, 0, -30}, {0.001f, 0, 30}, {0, 0.002f, 20}}};
    world_triangle(&w.shapes[1], corners[kind]);
    for (uint32_t k = 0; k < w.object_count; ++k) {
        float place[3];
        for (int m = 0; m < 3; ++m)
            place[m] = 2 * test_random_signed(r) * (kind == 2 && m == 2 ? 10.0f : 1.0f);
        if (k < balls) {
            world_turn(r, 0.1f, place, w.objects[k].pose);
            continue;
        }
        w.objects[k].shape = 1;
        memcpy(w.objects[k].pose, upright, sizeof upright);
        for (int m = 0; m < 3; ++m)
            w.objects[k].pose[4 * m + 3] = 0.3f * place[m];
    }
    return w;
}

/// Worlds unlike each other: soups, with what is huge and what is degenerate; large triangles; objects without any.
static filter_world world_like(test_random* r, int number)
{
    if (number >= SOUP_KINDS && number < SOUP_KINDS + 3) return large_ones(r, number - SOUP_KINDS, 60, 12);
    filter_world w = world_make(3, number < SOUP_KINDS ? 30 : 12);
    world_soup(&w.shapes[0], r, number < SOUP_KINDS ? (soup_kind)number : SMOOTH, 20);
    world_soup(&w.shapes[1], r, number < SOUP_KINDS ? (soup_kind)number : LATTICE, 90);
    world_shape_room(&w.shapes[2], 3, 0);
    for (uint32_t k = 0; k < w.object_count; ++k) {
        w.objects[k].shape = test_random_below(r, 3);
        random_pose(r, number < SOUP_KINDS ? (soup_kind)number : SMOOTH, w.objects[k].pose);
    }
    return w;
}

/// Few enough for an interpreter of kernels.
TEST_AS(DEVICE_TEST, test_few_large_ones)
{
    device_fixture* f = *state;
    require_device(f);
    uint64_t pairs = 0;
    for (int kind = 0; kind < 3; ++kind) {
        test_random r = test_random_seeded(73);
        filter_world w = large_ones(&r, kind, 12, 3);
        const tact_filter_options options = {.cells_log2 = 12};
        pairs += expect_all(f, &w, &options);
        world_free(&w);
    }
    assert_true(pairs > 10);
}

static void miss(void** state)
{
    fixture_teardown(state);
    skip_because("a device is missing");
}

/// And nothing is lost of large triangles.
TEST(both_devices_leave_the_same)
{
    void *gl = NULL, *cl = NULL;
    assert_int_equal(fixture_setup_gl(&gl), 0);
    if (!((device_fixture*)gl)->device) miss(&gl);
    assert_int_equal(fixture_setup_cl(&cl), 0);
    if (!((device_fixture*)cl)->device) {
        fixture_teardown(&gl);
        miss(&cl);
    }
    assert_true(WORLDS >= SOUP_KINDS + 3);
    uint64_t left = 0, pairs = 0;
    for (int number = 0; number < WORLDS; ++number) {
        for (uint32_t log2 = 12; log2 <= 22; log2 += 10) {
            test_random r = test_random_seeded(69 + (uint64_t)number);
            filter_world w = world_like(&r, number);
            const tact_filter_job job = world_finish(&w);
            for (int fast = 0; fast < 2; ++fast) {
                const tact_filter_options options = {.cells_log2 = log2, .fast = fast != 0};
                outcome a = run(gl, &job, &options, 0), b = run(cl, &job, &options, 0);
                expect_same(&a, &b);
                left += a.count;
                free(a.left);
                free(b.left);
            }
            world_free(&w);
            if (number < SOUP_KINDS) continue;
            r = test_random_seeded(69 + (uint64_t)number);
            w = world_like(&r, number);
            const tact_filter_options options = {.cells_log2 = log2};
            pairs += expect_all(log2 == 12 ? gl : cl, &w, &options);
            world_free(&w);
        }
    }
    assert_true(left > 1000 && pairs > 100);
    fixture_teardown(&cl);
    fixture_teardown(&gl);
}

/// What the run before had is what is launched for: of more there is nothing missing.
TEST_AS(DEVICE_TEST, test_what_the_last_run_had)
{
    device_fixture* f = *state;
    require_device(f);
    tact_gpu_filter_image* image = NULL;
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    for (int number = 0; number < 2 * WORLDS; ++number) {
        test_random r = test_random_seeded(70 + (uint64_t)number);
        filter_world w = world_like(&r, number * 4 % WORLDS);
        const tact_filter_job job = world_finish(&w);
        const tact_filter_options options = {.cells_log2 = number % 3 == 0 ? 12 : 20, .fast = number % 5 == 4};
        outcome fresh = run(f, &job, &options, 0), after = run_with(f, image, &job, &options);
        expect_same(&after, &fresh);
        free(fresh.left);
        free(after.left);
        world_free(&w);
    }
    tact_gpu_filter_image_destroy(image);
}

/// Balls around balls: nothing is left unless the inner ones are as large as the outer ones, and yet they share cells.
static filter_world balls_in_balls(float inner)
{
    enum { BALLS = 54 };
    test_random r = test_random_seeded(71);
    filter_world w = world_make(1, BALLS);
    world_surface(&w.shapes[0], 10, 16, 0);
    for (uint32_t k = 0; k < BALLS; ++k) {
        const uint32_t at = k / 2;
        const float place[3] = {2.2f * (float)(at % 3), 2.2f * (float)(at / 3 % 3), 2.2f * (float)(at / 9)};
        world_turn(&r, k % 2 ? inner : 1.0f, place, w.objects[k].pose);
    }
    return w;
}

/// Triangles two and two, so far away at most: they cross, or one lies above the other.
static filter_world scattered_pairs(float reach, bool cross)
{
    test_random r = test_random_seeded(72);
    filter_world w = world_make(1, 8000);
    static const float corners[3][3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    world_triangle(&w.shapes[0], corners);
    float place[3] = {0, 0, 0};
    for (uint32_t k = 0; k < w.object_count; ++k) {
        for (int m = 0; m < 3 && k % 2 == 0; ++m)
            place[m] = reach * test_random_signed(&r);
        if (k % 2 == 0 || cross) {
            world_turn(&r, 1.0f, place, w.objects[k].pose);
            continue;
        }
        memcpy(w.objects[k].pose, w.objects[k - 1].pose, sizeof w.objects[k].pose);
        for (int m = 0; m < 3; ++m)
            w.objects[k].pose[4 * m + 3] += 1.3f * w.objects[k].pose[4 * m + 2];
    }
    return w;
}

/// What differs from the run before is how many triangles are left, or whether there is room for bricks, and that
/// alone.
TEST_AS(DEVICE_TEST, test_one_thing_differs)
{
    device_fixture* f = *state;
    require_device(f);
    static const struct {
        float inner, reach;  ///< of balls, else of pairs
        bool cross;
        uint32_t log2;
    } runs[] = {{0, 1, true, 20},   {0, 60, true, 20}, {0, 60, true, 13}, {0, 60, false, 13},
                {0, 60, false, 20}, {0.8f, 0, 0, 12},  {0.999f, 0, 0, 12}};
    tact_gpu_filter_image* image = NULL;
    expect_ok(f, tact_gpu_filter_image_create(f->device, &image));
    tact_gpu_filter_image_limit(image, 1);
    uint32_t left[sizeof runs / sizeof *runs];
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        filter_world w =
            runs[i].inner > 0 ? balls_in_balls(runs[i].inner) : scattered_pairs(runs[i].reach, runs[i].cross);
        const tact_filter_job job = world_finish(&w);
        const tact_filter_options options = {.cells_log2 = runs[i].log2};
        outcome fresh = run(f, &job, &options, 1), after = run_with(f, image, &job, &options);
        expect_same(&after, &fresh);
        left[i] = fresh.count;
        free(fresh.left);
        free(after.left);
        world_free(&w);
    }
    // Without bricks more is left.
    assert_true(left[3] > left[4] + 1000 && left[6] > left[5] + 5000);
    tact_gpu_filter_image_destroy(image);
}

// ---- Areas that are known no better than the setup says, which no device at hand needs ----

enum { SIZE = 64, SETUPS = 0, CELLS = 2, BUFFERS = 6, OBJECT = 7 };

/// How many pieces kernels/filter_setup.kernel cuts it into.
static uint32_t pieces_of(const float p[3][2])
{
    uint32_t pixels[2];
    for (int k = 0; k < 2; ++k) {
        const float low = fminf(p[0][k], fminf(p[1][k], p[2][k])), high = fmaxf(p[0][k], fmaxf(p[1][k], p[2][k]));
        pixels[k] = (uint32_t)(floorf(high + 1e-4f) - floorf(low - 1e-4f)) + 1;
    }
    return (pixels[0] + 7) / 8 * pixels[1];
}

/// A triangle in one layer of cells of which nothing but the area is in doubt.
static void mark_cells(device_fixture* f, tact_buffer* buffers[BUFFERS], const float p[3][2], float area, float wrong,
                       bool large, uint32_t* cells)
{
    static const uint32_t zeros[SIZE * SIZE];
    const float setup[14] = {p[0][0], p[0][1], p[1][0], p[1][1], p[2][0], p[2][1], area,
                             wrong,   0,       0,       0.5f,    1e9f,    0.5f,    0.5f};
    const uint32_t object[2] = {OBJECT, large}, state[2] = {0, pieces_of(p)};
    expect_ok(f, tact_buffer_write(buffers[SETUPS], 0, setup, sizeof setup));
    expect_ok(f, tact_buffer_write(buffers[SETUPS], sizeof setup, object, sizeof object));
    for (int i = 1; i < BUFFERS; ++i)
        expect_ok(f, tact_buffer_write(buffers[i], 0, zeros, sizeof zeros));
    expect_ok(f, tact_buffer_write(buffers[5], 0, state, sizeof state));
    const tact_filter_mark_args args = {.setups = buffers[SETUPS],
                                        .pieces = buffers[1],
                                        .cells = buffers[CELLS],
                                        .bricks = buffers[3],
                                        .flags = buffers[4],
                                        .state = buffers[5],
                                        .count = 1,
                                        .pieces_at = 1,
                                        .width = SIZE,
                                        .height = SIZE,
                                        .depth = 1,
                                        .coarse_width = 1,
                                        .coarse_depth = 1,
                                        .slack = 1e-4f,
                                        .wide = 0.5002f,
                                        .deep = 0.5002f};
    const tact_kernel_id kernel = large ? TACT_KERNEL_filter_mark_pieces : TACT_KERNEL_filter_mark;
    expect_ok(f, tact_device_launch_items(f->device, kernel, large ? state[1] : 1, &args, sizeof args));
    expect_ok(f, tact_buffer_read(buffers[CELLS], 0, cells, sizeof(uint32_t[SIZE * SIZE])));
}

/// Twice the area is off by as much as the setup says that it may be, also to the other sign: no cell is lost.
TEST_AS(DEVICE_TEST, test_areas_may_be_wrong)
{
    device_fixture* f = *state;
    require_device(f);
    static uint32_t cells[SIZE * SIZE];
    tact_buffer* buffers[BUFFERS];
    for (int i = 0; i < BUFFERS; ++i)
        expect_ok(f, tact_buffer_create(f->device, (size_t)SIZE * SIZE * 4, NULL, &buffers[i]));
    test_random r = test_random_seeded(6402);
    size_t marked = 0, touched = 0, lost = 0;
    for (int i = 0; i < 200; ++i) {
        float p[3][2];
        for (int k = 0; k < 6; ++k)
            p[k / 2][k % 2] = 1.0f + (SIZE - 2.0f) * test_random_unit(&r);
        if (i % 4 == 3) {  // a needle
            for (int k = 0; k < 2; ++k)
                p[2][k] = p[0][k] + 0.4f * (p[1][k] - p[0][k]) + 0.01f * test_random_signed(&r);
        }
        const float area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        const float wrong = i % 4 == 3 ? 60.0f : 0.2f * fabsf(area);
        mark_cells(f, buffers, (const float(*)[2])p, area + (i % 2 ? 0.99f : -0.99f) * wrong, wrong, i % 3 > 0, cells);
        for (int k = 0; k < SIZE * SIZE; ++k)
            marked += cells[k] == OBJECT;
        for (int n = 0; n < 1500; ++n) {
            float u = test_random_unit(&r), v = test_random_unit(&r);
            if (u + v > 1.0f) {
                u = 1.0f - u;
                v = 1.0f - v;
            }
            if (n % 3 == 0) v = 0.0f;
            if (n < 3) u = v = 0.0f;
            const float* corner[3] = {p[n % 3], p[(n + 1) % 3], p[(n + 2) % 3]};
            float q[2];
            for (int k = 0; k < 2; ++k)
                q[k] = corner[0][k] + u * (corner[1][k] - corner[0][k]) + v * (corner[2][k] - corner[0][k]);
            const int cell = (int)q[1] * SIZE + (int)q[0];
            ++touched;
            lost += cells[cell] != OBJECT;
        }
    }
    for (int i = 0; i < BUFFERS; ++i)
        tact_buffer_destroy(buffers[i]);
    assert_int_equal(lost, 0);
    // And what is far from a triangle stays empty.
    assert_true(marked < 200u * SIZE * SIZE / 2 && touched > 100000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
