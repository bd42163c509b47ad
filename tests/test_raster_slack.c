// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What shaders allow for that no device at hand needs: a rasterizer that puts faces off their place, and areas that
/// are known no better than the setup says. The shaders are the library's; what they draw is made to be wrong by as
/// much as they are told that it may be.

#include "tests/support/run.h"

#include "gpu/raster.h"
#include "tests/support/device_fixture.h"
#include "tests/support/image_shapes.h"

extern const unsigned char tact_shader_image_convex_vert[], tact_shader_image_convex_geom[],
    tact_shader_image_convex_frag[], tact_shader_filter_cells_vert[], tact_shader_filter_cells_frag[];

enum { SIZE = 64 };

// ---- Faces of convex objects ----

typedef struct convex_lab {
    tact_raster* raster;
    tact_raster_program* program;
    tact_raster_target* target;
    tact_buffer *vertices, *indices, *instances, *pixels;
} convex_lab;

static void convex_open(device_fixture* f, convex_lab* l)
{
    static const tact_raster_program_desc desc = {"image_convex", tact_shader_image_convex_vert,
                                                  tact_shader_image_convex_geom, tact_shader_image_convex_frag};
    const tact_raster_target_desc target = {.width = SIZE, .height = SIZE, .colours = {TACT_RASTER_RGBA32F}};
    expect_ok(f, tact_raster_create(f->device, &l->raster));
    expect_ok(f, tact_raster_program_create(l->raster, &desc, &l->program));
    expect_ok(f, tact_raster_target_create(l->raster, &target, &l->target));
    expect_ok(f, tact_buffer_create(f->device, (uint64_t)IMAGE_POINTS_MAX * 12, NULL, &l->vertices));
    expect_ok(f, tact_buffer_create(f->device, (uint64_t)IMAGE_POINTS_MAX * 24, NULL, &l->indices));
    expect_ok(f, tact_buffer_create(f->device, 64, NULL, &l->instances));
    expect_ok(f, tact_buffer_create(f->device, (uint64_t)SIZE * SIZE * 16, NULL, &l->pixels));
}

static void convex_close(convex_lab* l)
{
    tact_buffer_destroy(l->vertices);
    tact_buffer_destroy(l->indices);
    tact_buffer_destroy(l->instances);
    tact_buffer_destroy(l->pixels);
    tact_raster_target_destroy(l->target);
    tact_raster_program_destroy(l->program);
    tact_raster_destroy(l->raster);
}

/// Of the object in pixels from the tile's middle, which lies `stretch` times as far from the corner as it is drawn.
static void convex_draw(device_fixture* f, convex_lab* l, const image_shape* s, float slack, float stretch,
                        float (*pixels)[4])
{
    static const tact_raster_pass pass = {.colour_mask = 15, .blend = TACT_RASTER_BLEND_MIN, .clip_distances = 4};
    static const float nothing[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    const float instance[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, SIZE / 2, SIZE / 2, slack, SIZE / 2};
    const float middle[3] = {0, 0, 0.5f}, target[2] = {SIZE * stretch, SIZE * stretch}, both = 0.0f;
    const uint32_t all[4] = {0, 0, SIZE, SIZE};
    expect_ok(f, tact_buffer_write(l->vertices, 0, s->points, s->count * 12));
    expect_ok(f, tact_buffer_write(l->indices, 0, s->hull.triangles, s->hull.triangle_count * 12));
    expect_ok(f, tact_buffer_write(l->instances, 0, instance, sizeof instance));
    const tact_raster_mesh mesh = {.vertices = l->vertices,
                                   .stride = 12,
                                   .indices = l->indices,
                                   .count = (uint32_t)(3 * s->hull.triangle_count),
                                   .instances = l->instances,
                                   .instance_vectors = 4};
    expect_ok(f, tact_raster_begin(l->raster));
    tact_raster_bind(l->raster, l->target);
    tact_raster_set_pass(l->raster, &pass);
    tact_raster_clear_float(l->raster, 0, nothing);
    tact_raster_use(l->raster, l->program, &mesh);
    tact_raster_set_float(l->program, 0, middle, 3);
    tact_raster_set_float(l->program, 1, &both, 1);
    tact_raster_set_float(l->program, 2, target, 2);
    tact_raster_set_uint(l->program, 3, 0);
    tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, 1);
    expect_ok(f, tact_raster_copy(l->raster, TACT_RASTER_COLOUR_0, all, l->pixels, 0));
    expect_ok(f, tact_raster_end(l->raster));
    expect_ok(f, tact_buffer_read(l->pixels, 0, pixels, sizeof(float[SIZE * SIZE][4])));
}

/// The depths between which a line of sight is in the object: of convex ones the last front and the first back.
static void depths_at(const image_shape* s, double x, double y, double range[2])
{
    range[0] = -HUGE_VAL;
    range[1] = HUGE_VAL;
    for (size_t t = 0; t < s->hull.triangle_count; ++t) {
        double p[3][3], n[3];
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 v = s->points[s->hull.triangles[3 * t + (size_t)k]];
            p[k][0] = (double)v.x;
            p[k][1] = (double)v.y;
            p[k][2] = (double)v.z;
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        }
        if (n[2] == 0.0) continue;
        const double depth = p[0][2] - (n[0] * (x - p[0][0]) + n[1] * (y - p[0][1])) / n[2];
        if (n[2] < 0.0 && depth > range[0]) range[0] = depth;
        if (n[2] > 0.0 && depth < range[1]) range[1] = depth;
    }
}

/// Faces are drawn off their place by up to the slack that the shader is given, and their depths are those of their
/// planes where they are drawn: at a rim far outside of the object, but for being moved into it.
TEST_AS(DEVICE_TEST_GL, test_faces_stay_in_the_object)
{
    device_fixture* f = *state;
    require_device(f);
    static float pixels[SIZE * SIZE][4];
    convex_lab l = {0};
    convex_open(f, &l);
    test_random r = test_random_seeded(6401);
    size_t checked = 0, steep = 0, outside = 0;
    for (int i = 0; i < 60; ++i) {
        const double slack = i % 2 ? 1.0 : 0.25;
        // At the far corner 0.9 of the slack; the rest is the device's own.
        const double stretch = 1.0 + 0.9 * slack / (SIZE * sqrt(2.0));
        image_shape s = {.count = 20};
        for (uint32_t k = 0; k < s.count; ++k) {
            s.points[k] = (tact_vec3){28.0f * test_random_signed(&r), 28.0f * test_random_signed(&r),
                                      0.5f + 0.45f * test_random_signed(&r)};
        }
        assert_int_equal(tact_hull_mesh_3d(s.points, s.count, NULL, &s.hull), TACT_OK);
        convex_draw(f, &l, &s, (float)slack, (float)stretch, pixels);
        for (int k = 0; k < SIZE * SIZE; ++k) {
            const double x = k % SIZE + 0.5, y = k / SIZE + 0.5;
            double range[2], drawn[2];
            depths_at(&s, x * stretch - SIZE / 2, y * stretch - SIZE / 2, range);
            depths_at(&s, x - SIZE / 2, y - SIZE / 2, drawn);
            if (pixels[k][0] > 1e29f || range[0] > range[1]) continue;
            ++checked;
            steep += drawn[0] < range[0] - 1e-3;
            if ((double)pixels[k][0] >= range[0] - 1e-5 && -(double)pixels[k][2] <= range[1] + 1e-5) continue;
            if (outside++ == 0) {
                print_message("object %d, pixel %d: depths %g to %g, but in the object are %g to %g\n", i, k,
                              (double)pixels[k][0], -(double)pixels[k][2], range[0], range[1]);
            }
        }
        tact_hull_mesh_free(&s.hull);
    }
    convex_close(&l);
    assert_int_equal(outside, 0);
    assert_true(checked > 20000 && steep > 1000);
}

// ---- Cells of the filter ----

typedef struct cells_lab {
    tact_raster* raster;
    tact_raster_program* program;
    tact_raster_target* target;
    tact_buffer* buffers[6];  // as the shader binds them
} cells_lab;

enum { SETUPS, CELLS, OBJECT = 7 };

static void cells_open(device_fixture* f, cells_lab* l)
{
    static const tact_raster_program_desc desc = {"filter_cells", tact_shader_filter_cells_vert, NULL,
                                                  tact_shader_filter_cells_frag};
    const tact_raster_target_desc target = {.width = SIZE, .height = SIZE, .colours = {TACT_RASTER_R32UI}};
    expect_ok(f, tact_raster_create(f->device, &l->raster));
    expect_ok(f, tact_raster_program_create(l->raster, &desc, &l->program));
    expect_ok(f, tact_raster_target_create(l->raster, &target, &l->target));
    for (int i = 0; i < 6; ++i)
        expect_ok(f, tact_buffer_create(f->device, (uint64_t)SIZE * SIZE * 4, NULL, &l->buffers[i]));
}

static void cells_close(cells_lab* l)
{
    for (int i = 0; i < 6; ++i)
        tact_buffer_destroy(l->buffers[i]);
    tact_raster_target_destroy(l->target);
    tact_raster_program_destroy(l->program);
    tact_raster_destroy(l->raster);
}

/// A triangle in one layer of cells of which nothing but the area is in doubt.
static void cells_draw(device_fixture* f, cells_lab* l, const float p[3][2], float area, float wrong, uint32_t* cells)
{
    static uint32_t zeros[SIZE * SIZE];
    const tact_raster_pass pass = {.viewport = {0, 0, SIZE, SIZE}};
    const float setup[14] = {p[0][0], p[0][1], p[1][0], p[1][1], p[2][0], p[2][1], area,
                             wrong,   0,       0,       0.5f,    1e9f,    0.5f,    0.5f};
    const uint32_t object[2] = {OBJECT, 0};
    const float slack = 1e-4f, wide = 0.5002f, target[2] = {SIZE, SIZE};
    expect_ok(f, tact_buffer_write(l->buffers[SETUPS], 0, setup, sizeof setup));
    expect_ok(f, tact_buffer_write(l->buffers[SETUPS], sizeof setup, object, sizeof object));
    expect_ok(f, tact_buffer_write(l->buffers[CELLS], 0, zeros, sizeof zeros));
    const tact_raster_mesh mesh = {.count = 3};
    expect_ok(f, tact_raster_begin(l->raster));
    tact_raster_bind(l->raster, l->target);
    tact_raster_set_pass(l->raster, &pass);
    tact_raster_use(l->raster, l->program, &mesh);
    for (uint32_t i = 0; i < 6; ++i)
        tact_raster_bind_storage(l->raster, i, l->buffers[i]);
    const uint32_t words[][2] = {{0, SIZE}, {1, SIZE}, {2, 1}, {6, 0}, {7, 0}, {8, 0}, {9, 1}, {10, 1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        tact_raster_set_uint(l->program, (int)words[i][0], words[i][1]);
    tact_raster_set_float(l->program, 3, &slack, 1);
    tact_raster_set_float(l->program, 4, &wide, 1);
    tact_raster_set_float(l->program, 5, target, 2);
    tact_raster_set_float(l->program, 11, &wide, 1);
    tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, 1);
    tact_raster_settle(l->raster);
    for (uint32_t i = 0; i < 6; ++i)
        tact_raster_bind_storage(l->raster, i, NULL);
    expect_ok(f, tact_raster_end(l->raster));
    expect_ok(f, tact_buffer_read(l->buffers[CELLS], 0, cells, sizeof(uint32_t[SIZE * SIZE])));
}

/// Twice the area is off by as much as the setup says that it may be, also to the other sign: no cell is lost.
TEST_AS(DEVICE_TEST_GL, test_areas_may_be_wrong)
{
    device_fixture* f = *state;
    require_device(f);
    static uint32_t cells[SIZE * SIZE];
    cells_lab l = {0};
    cells_open(f, &l);
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
        cells_draw(f, &l, (const float(*)[2])p, area + (i % 2 ? 0.99f : -0.99f) * wrong, wrong, cells);
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
    cells_close(&l);
    assert_int_equal(lost, 0);
    // And what is far from a triangle stays empty.
    assert_true(marked < 200u * SIZE * SIZE / 2 && touched > 100000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
