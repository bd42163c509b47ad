// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What shaders allow for that no device at hand needs: areas that are known no better than the setup says. The shaders
/// are the library's; what they draw is made to be wrong by as much as they are told that it may be.

#include "tests/support/run.h"

#include "gpu/raster.h"
#include "tests/support/device_fixture.h"
#include "tests/support/random.h"

extern const unsigned char tact_shader_filter_cells_vert[], tact_shader_filter_cells_frag[];

enum { SIZE = 64 };

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
