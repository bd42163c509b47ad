// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Kernels of image tests by themselves, on OpenGL and OpenCL, against the host's arithmetic: those that bring and
/// measure objects, and the one of convex objects, whose images OpenGL alone draws.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "cpu_ref/image/raster.h"
#include "gpu/blocks/blocks.h"
#include "gpu/image/image.h"
#include "tests/support/one_device.h"
#include "tests/support/random.h"

/// A device, between entering and leaving it.
static tact_device* begin(void** state, tact_context** context)
{
    const tact_backend backend = one_device_of(state);
    *context = one_device_require(backend);
    tact_device* device = (*context)->devices[tact_context_find(*context, backend)];
    assert_int_equal(tact_device_enter(device), TACT_OK);
    return device;
}

static void end(tact_context* context, tact_device* device)
{
    assert_int_equal(tact_device_result(device), TACT_OK);
    tact_device_leave(device);
    tact_context_destroy(context);
}

static tact_buffer* buffer_of(tact_device* device, size_t bytes, const void* data)
{
    tact_buffer* buffer = NULL;
    assert_int_equal(tact_buffer_create(device, bytes, data, &buffer), TACT_OK);
    return buffer;
}

static void random_points(test_random* r, float (*points)[4], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k)
            points[i][k] = 2.0f + test_random_signed(r);
        points[i][3] = 0.0f;
    }
}

TEST_AS(ONE_DEVICE_TEST, vertices_are_gathered)
{
    enum { COUNT = 700, FIRST = 5, ROOM = COUNT + 2 * FIRST, MARK = 0x7f800000 };
    static uint32_t source[COUNT * 7], expected[ROOM][4], got[ROOM][4];
    tact_context* context;
    tact_device* device = begin(state, &context);
    test_random r = test_random_seeded(9201);
    for (uint32_t words = 3; words <= 7; words += 2) {
        memset(expected, 0x5a, sizeof expected);
        for (size_t i = 0; i < COUNT; ++i) {
            bool finite = true;
            for (size_t k = 0; k < words; ++k)
                source[i * words + k] = (uint32_t)test_random_bits(&r);
            // Some are infinite, and random bits are at times no number.
            if (i % 50 == 0) source[i * words + i % 3] = MARK;
            for (size_t k = 0; k < 3; ++k)
                finite = finite && (source[i * words + k] & MARK) != MARK;
            for (size_t k = 0; k < 3; ++k)
                expected[FIRST + i][k] = finite ? source[i * words + k] : (uint32_t)MARK;
            expected[FIRST + i][3] = 0;
        }
        tact_buffer* from = buffer_of(device, COUNT * words * sizeof *source, source);
        memset(got, 0x5a, sizeof got);
        tact_buffer* to = buffer_of(device, sizeof got, got);
        TACT_LAUNCH_ITEMS(device, image_gather, COUNT, .source = from, .target = to, .count = COUNT, .words = words,
                          .first = FIRST, .mark = MARK);
        assert_int_equal(tact_buffer_read(to, 0, got, sizeof got), TACT_OK);
        assert_memory_equal(got, expected, sizeof got);
        tact_buffer_destroy(from);
        tact_buffer_destroy(to);
    }
    end(context, device);
}

TEST_AS(ONE_DEVICE_TEST, the_mean_is_that_of_all)
{
    enum { MOST = 1000 };
    static const uint32_t counts[] = {1, 3, 255, 256, 257, MOST};
    static float points[MOST][4];
    tact_context* context;
    tact_device* device = begin(state, &context);
    test_random r = test_random_seeded(9202);
    random_points(&r, points, MOST);
    tact_buffer *from = buffer_of(device, sizeof points, points), *to = buffer_of(device, 16, NULL);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        float mean[4];
        TACT_LAUNCH(device, image_centre, 1, .source = from, .mean = to, .count = counts[n],
                    .share = 1.0f / (float)counts[n]);
        assert_int_equal(tact_buffer_read(to, 0, mean, sizeof mean), TACT_OK);
        for (int k = 0; k < 3; ++k) {
            double sum = 0.0;
            for (uint32_t i = 0; i < counts[n]; ++i)
                sum += (double)points[i][k];
            assert_true(fabs((double)mean[k] - sum / counts[n]) < 4e-6);
        }
        assert_true(mean[3] == 0.0f);
    }
    tact_buffer_destroy(from);
    tact_buffer_destroy(to);
    end(context, device);
}

typedef struct face {
    double nearest, reach;  ///< of a plane and of the corners; negative: it has no area
} face;

static face face_of(const float (*points)[4], const uint32_t corners[3], const float mean[4])
{
    double p[3][3], n[3], length = 0.0, along = 0.0;
    face f = {.reach = 0.0};
    for (int i = 0; i < 3; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            p[i][k] = (double)points[corners[i]][k] - (double)mean[k];
            square += p[i][k] * p[i][k];
        }
        f.reach = fmax(f.reach, sqrt(square));
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        length += n[i] * n[i];
        along += n[i] * p[0][i];
    }
    f.nearest = length > 0.0 ? fabs(along) / sqrt(length) : -1.0;
    return f;
}

TEST_AS(ONE_DEVICE_TEST, faces_are_measured)
{
    enum { POINTS = 300, FACES = 400 };
    static float points[POINTS][4], nearest[FACES], reach[FACES];
    static uint32_t indices[FACES][3], past[FACES][3];
    const float mean[4] = {2.0f, 2.1f, 1.9f, 0.0f};
    tact_context* context;
    tact_device* device = begin(state, &context);
    test_random r = test_random_seeded(9203);
    random_points(&r, points, POINTS);
    for (size_t i = 0; i < FACES; ++i) {
        for (size_t k = 0; k < 3; ++k)
            indices[i][k] = test_random_below(&r, POINTS);
        if (i % 40 == 0) indices[i][2] = indices[i][1];  // no area
        memcpy(past[i], indices[i], sizeof past[i]);
        // Past the vertices: the first one is taken.
        if (i % 40 == 1) indices[i][1] = 0, past[i][1] = POINTS + 7;
    }
    tact_buffer *corners = buffer_of(device, sizeof points, points), *list = buffer_of(device, sizeof past, past);
    tact_buffer *centre = buffer_of(device, sizeof mean, mean), *out[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i)
        out[i] = buffer_of(device, sizeof nearest, NULL);
    for (uint32_t indexed = 0; indexed < 2; ++indexed) {
        const uint32_t faces = indexed ? FACES : POINTS / 3;
        TACT_LAUNCH_ITEMS(device, image_faces, faces, .corners = corners, .indices = indexed ? list : corners,
                          .mean = centre, .nearest = out[0], .reach = out[1], .faces = faces, .count = POINTS,
                          .indexed = indexed);
        assert_int_equal(tact_buffer_read(out[0], 0, nearest, faces * sizeof *nearest), TACT_OK);
        assert_int_equal(tact_buffer_read(out[1], 0, reach, faces * sizeof *reach), TACT_OK);
        for (uint32_t i = 0; i < faces; ++i) {
            const uint32_t in_order[3] = {3 * i, 3 * i + 1, 3 * i + 2};
            const face f = face_of((const float(*)[4])points, indexed ? indices[i] : in_order, mean);
            assert_true(fabs((double)reach[i] - f.reach) <= 1e-6 * f.reach);
            if (f.nearest < 0.0) {
                assert_true(isnan(nearest[i]));
                continue;
            }
            // Never more than it is but for rounding, and hardly less unless the face is a sliver.
            const double error = (double)nearest[i] - f.nearest;
            assert_true(error <= 1e-6 * f.reach && error >= -1e-3 * f.reach);
        }
    }
    tact_buffer_destroy(corners);
    tact_buffer_destroy(list);
    tact_buffer_destroy(centre);
    tact_buffer_destroy(out[0]);
    tact_buffer_destroy(out[1]);
    end(context, device);
}

/// Depths of two objects in tiles of one image, some of which show one, or none; `depths` as the host has them.
static void fill_tile(test_random* r, uint32_t tile, uint32_t size, float* depths[4])
{
    for (uint32_t i = 0; i < size * size; ++i) {
        for (int body = 0; body < 2; ++body) {
            const float a = 1.6f * test_random_unit(r) - 0.3f, b = 1.6f * test_random_unit(r) - 0.3f;
            const bool there = tile % 4 != 3 && test_random_below(r, 3) > 0 && (tile % 4 != 2 || body == 0);
            depths[2 * body][i] = there ? fminf(a, b) : TACT_IMAGE_NOWHERE;
            depths[2 * body + 1][i] = there ? fmaxf(a, b) : -TACT_IMAGE_NOWHERE;
        }
    }
}

TEST_AS(ONE_DEVICE_TEST, tiles_of_depths_are_reduced)
{
    enum { TILES = 7, ACROSS = 3, MOST = 20, WIDTH = ACROSS * MOST, PIXELS = WIDTH * WIDTH };
    static const uint32_t sizes[] = {4, 16, MOST};
    static float pixels[PIXELS][4], depths[4][MOST * MOST];
    float* planes[4] = {depths[0], depths[1], depths[2], depths[3]};
    tact_context* context;
    tact_device* device = begin(state, &context);
    test_random r = test_random_seeded(9204);
    tact_buffer *image = buffer_of(device, sizeof pixels, NULL), *to = NULL;
    size_t common = 0;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; ++n) {
        const uint32_t size = sizes[n], width = ACROSS * size;
        uint32_t expected[TILES][TACT_IMAGE_FOUND], got[TILES][TACT_IMAGE_FOUND] = {{0}};
        for (uint32_t t = 0; t < TILES; ++t) {
            fill_tile(&r, t, size, planes);
            const tact_image_band band = {
                .resolution = size, .rows = size, .depths = {planes[0], planes[1], planes[2], planes[3]}};
            tact_image_find_begin(expected[t]);
            tact_image_find_depths(&band, expected[t]);
            common += expected[t][2];
            for (uint32_t i = 0; i < size * size; ++i) {
                const uint32_t x = t % ACROSS * size + i % size, y = t / ACROSS * size + i / size;
                const float pixel[4] = {planes[0][i], planes[2][i], -planes[1][i], -planes[3][i]};
                memcpy(pixels[y * width + x], pixel, sizeof pixel);
            }
        }
        assert_int_equal(tact_buffer_write(image, 0, pixels, sizeof pixels), TACT_OK);
        to = buffer_of(device, sizeof got, got);
        TACT_LAUNCH(device, image_tiles, TILES, .pixels = image, .found = to, .tiles = TILES, .size = size,
                    .across = ACROSS, .width = width);
        assert_int_equal(tact_buffer_read(to, 0, got, sizeof got), TACT_OK);
        assert_memory_equal(got, expected, sizeof got);
        tact_buffer_destroy(to);
    }
    assert_true(common > 50);
    tact_buffer_destroy(image);
    end(context, device);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
