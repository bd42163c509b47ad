// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Which cells of an image of the filter triangles mark: by a model of it, and where areas are known no better than the
/// setup says, which no device at hand needs.

#include "tests/support/run.h"

#include "tests/support/filter_images.h"

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

static bool* modelled(const filter_scene* s, const tact_filter_view* v, walk* over)
{
    const uint32_t* first = first_triangles(s);
    uint32_t* cells = scratch_zeroed((size_t)v->cells[0] * v->cells[1] * v->cells[2], 4);
    bool* flags = scratch_zeroed(first[s->object_count], sizeof *flags);
    for (int asking = 0; asking < 2; ++asking) {
        for (uint32_t o = 0; o < s->object_count; ++o) {
            for (uint32_t t = first[o]; t < first[o + 1]; ++t) {
                const tact_triangle moved = filter_triangle(s, o, t - first[o]);
                visitor who = {cells, o, false};
                model m;
                to_cells(v, moved.a, m.corner[0]);
                to_cells(v, moved.b, m.corner[1]);
                to_cells(v, moved.c, m.corner[2]);
                over(v, &m, asking ? visit_ask : visit_mark, &who);
                if (asking) flags[t] = who.many;
            }
        }
    }
    return flags;
}

TEST_AS(DEVICE_TEST, test_model)
{
    device_fixture* f = *state;
    require_device(f);
    test_random r = test_random_seeded(64);
    uint32_t sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 4; ++i) {
        enum { OBJECTS = 12 };
        filter_scene s = {0};
        filter_add_form(&s, FILTER_BALL, 8, 10);
        filter_add_form(&s, FILTER_RING, 12, 6);
        filter_add_soup(&s, &r, SMOOTH, 50);
        scatter(&s, &r, OBJECTS, 2.5f);
        tact_filter_job job = filter_job_unsolved(&s);
        job.options.cells_log2 = 12 + 3 * i;
        // All objects take part, so that the model has what the image has.
        tact_pair all[OBJECTS - 1];
        for (uint32_t k = 0; k + 1 < OBJECTS; ++k)
            all[k] = (tact_pair){k, k + 1};
        job.candidates = all;
        job.candidate_count = OBJECTS - 1;
        const outcome o = run(f, &job, 1);
        const bool *is_left = check(&s, &o), *least = modelled(&s, &o.view, visit_points),
                   *most = modelled(&s, &o.view, visit_wide);
        const uint32_t triangles = first_triangles(&s)[OBJECTS];
        for (uint32_t t = 0; t < triangles; ++t) {
            assert_true(!least[t] || is_left[t]);
            assert_true(!is_left[t] || most[t]);
            sum[0] += least[t];
            sum[1] += is_left[t];
            sum[2] += most[t];
        }
        filter_free(&s);
    }
    print_message("          triangles: %u demanded, %u left, %u allowed\n", sum[0], sum[1], sum[2]);
    // The bounds are close, else they would say nothing.
    assert_true(sum[0] > 100 && sum[2] - sum[0] < sum[0] / 4);
}

// ---- Areas that are wrong ----

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
