// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The pixels of regions, and the distinct things of an image, on the host: each against the plainest test of every
// pixel. The argument "time" measures.
#include "tests/support/run.h"

#include "base/platform.h"
#include "cpu_ref/pick/code.h"
#include "tact/geometry/predicates.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/pick_images.h"
#include "tests/support/quiet.h"

static tact_env env;

// ---- Regions ----

/// Whether the pixel (x, y) of the whole view is meant.
typedef bool inside_fn(const tact_pick_region* region, int64_t x, int64_t y);

static tact_pick_view view_of(uint32_t width, uint32_t height, int32_t left, int32_t top)
{
    return (tact_pick_view){.width = width, .height = height, .left = left, .top = top};
}

static bool has_pixel(const tact_pick_mask* mask, uint32_t x, uint32_t y)
{
    if (x < mask->x || y < mask->y || x - mask->x >= mask->width || y - mask->y >= mask->height) return false;
    return pick_mask_has(mask, x - mask->x, y - mask->y);
}

/// The box is that of the pixels, and there are bits only where they say something.
static void expect_tight(const tact_pick_mask* mask, uint64_t pixels, const uint32_t bounds[4])
{
    if (pixels == 0) {
        assert_true(mask->width == 0 && mask->height == 0 && !mask->bits);
        return;
    }
    assert_int_equal(mask->x, bounds[0]);
    assert_int_equal(mask->y, bounds[1]);
    assert_int_equal(mask->x + mask->width, bounds[2]);
    assert_int_equal(mask->y + mask->height, bounds[3]);
    assert_int_equal(mask->row_words, (mask->width + 31) / 32);
    assert_true((mask->bits == NULL) == (pixels == (uint64_t)mask->width * mask->height));
    for (uint32_t y = 0; mask->bits && mask->width % 32 && y < mask->height; ++y)
        assert_int_equal(mask->bits[(y + 1) * mask->row_words - 1] >> mask->width % 32, 0);
}

/// How many pixels.
static uint64_t check_region(const tact_pick_view* view, const tact_pick_region* region, inside_fn* inside)
{
    tact_pick_mask mask;
    assert_int_equal(tact_pick_mask_make(&env, view, region, &mask), TACT_OK);
    uint64_t pixels = 0;
    uint32_t b[4] = {UINT32_MAX, UINT32_MAX, 0, 0};
    for (uint32_t y = 0; y < view->height; ++y) {
        for (uint32_t x = 0; x < view->width; ++x) {
            const bool expected = inside(region, (int64_t)x + view->left, (int64_t)y + view->top);
            if (has_pixel(&mask, x, y) != expected) fail_msg("pixel %u, %u should be %d", x, y, (int)expected);
            if (!expected) continue;
            ++pixels;
            b[0] = x < b[0] ? x : b[0];
            b[1] = y < b[1] ? y : b[1];
            b[2] = x + 1 > b[2] ? x + 1 : b[2];
            b[3] = y + 1;
        }
    }
    expect_tight(&mask, pixels, b);
    if (region->shape == TACT_PICK_POINT && pixels) {
        assert_int_equal((int64_t)mask.x + mask.point_x + view->left, region->x);
        assert_int_equal((int64_t)mask.y + mask.point_y + view->top, region->y);
    }
    assert_true(mask.point == (region->shape == TACT_PICK_POINT));
    tact_pick_mask_free(&env, &mask);
    return pixels;
}

static bool in_frame(const tact_pick_region* region, int64_t x, int64_t y)
{
    return true;
}

static bool in_disc(const tact_pick_region* region, int64_t x, int64_t y)
{
    const int64_t dx = x - region->x, dy = y - region->y;
    if (llabs(dx) > 5000 || llabs(dy) > 5000) return false;
    return dx * dx + dy * dy <= (int64_t)region->radius * region->radius;
}

static bool in_rectangle(const tact_pick_region* region, int64_t x, int64_t y)
{
    const int32_t* r = region->rectangle;
    const bool in_x = r[0] < r[2] ? x >= r[0] && x < r[2] : x >= r[2] && x < r[0];
    return in_x && (r[1] < r[3] ? y >= r[1] && y < r[3] : y >= r[3] && y < r[1]);
}

TEST(test_frame)
{
    const tact_pick_region all = {0};
    const tact_pick_view views[] = {view_of(7, 5, 0, 0), view_of(0, 5, 0, 0), view_of(5, 0, 0, 0),
                                    view_of(3, 3, -100, INT32_MAX - 2), view_of(70, 2, INT32_MIN, INT32_MIN)};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; ++i)
        assert_int_equal(check_region(&views[i], &all, in_frame), views[i].width * views[i].height);
}

TEST(test_disc)
{
    test_random r = test_random_seeded(1);
    for (int i = 0; i < 300; ++i) {
        const tact_pick_view view = view_of(1 + test_random_below(&r, 90), 1 + test_random_below(&r, 90),
                                            (int32_t)test_random_below(&r, 50) - 25, (int32_t)test_random_below(&r, 9));
        const tact_pick_region region = {.shape = TACT_PICK_POINT,
                                         .x = (int32_t)test_random_below(&r, 160) - 50,
                                         .y = (int32_t)test_random_below(&r, 160) - 50,
                                         .radius = i % 4 ? test_random_below(&r, 60) : 0};
        check_region(&view, &region, in_disc);
    }
    const tact_pick_view far_view = view_of(40, 40, INT32_MAX - 39, INT32_MIN);
    const tact_pick_region corner = {.shape = TACT_PICK_POINT, .x = INT32_MAX, .y = INT32_MIN, .radius = 20};
    assert_true(check_region(&far_view, &corner, in_disc) > 300);
    const tact_pick_view view = view_of(2100, 2100, 0, 0);
    const tact_pick_region large = {.shape = TACT_PICK_POINT, .x = 1030, .y = 1040, .radius = 1024};
    assert_true(check_region(&view, &large, in_disc) > 3000000);
    // Farther away than the difference of two numbers of 32 bits tells.
    const tact_pick_region away = {.shape = TACT_PICK_POINT, .x = INT32_MIN, .y = INT32_MIN, .radius = 1024};
    assert_int_equal(check_region(&far_view, &away, in_disc), 0);
}

TEST(test_rectangle)
{
    test_random r = test_random_seeded(2);
    const int32_t ends[] = {INT32_MIN, INT32_MAX, 0, 5};
    for (int i = 0; i < 600; ++i) {
        const tact_pick_view view = view_of(test_random_below(&r, 40), test_random_below(&r, 40),
                                            (int32_t)test_random_below(&r, 50) - 25, (int32_t)test_random_below(&r, 9));
        tact_pick_region region = {.shape = TACT_PICK_RECTANGLE};
        for (int k = 0; k < 4; ++k) {
            region.rectangle[k] =
                test_random_below(&r, 3) ? (int32_t)test_random_below(&r, 80) - 30 : ends[test_random_below(&r, 4)];
        }
        check_region(&view, &region, in_rectangle);
    }
    const tact_pick_region all = {.shape = TACT_PICK_RECTANGLE,
                                  .rectangle = {INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX}};
    const tact_pick_view view = view_of(64, 64, -32, -32);
    assert_int_equal(check_region(&view, &all, in_rectangle), 64 * 64);
}

// ---- Lassos ----

/// In quarters of pixels, all of them whole numbers.
static bool in_lasso_by_integers(const tact_pick_region* region, int64_t x, int64_t y)
{
    const int64_t cx = 4 * x + 2, cy = 4 * y + 2;
    bool inside = false;
    for (size_t i = 0; i < region->lasso_count && region->lasso_count > 2; ++i) {
        const float *a = region->lasso[i], *b = region->lasso[(i + 1) % region->lasso_count];
        const int64_t ax = (int64_t)(4.0f * a[0]), ay = (int64_t)(4.0f * a[1]);
        const int64_t bx = (int64_t)(4.0f * b[0]), by = (int64_t)(4.0f * b[1]);
        if ((ay <= cy) == (by <= cy)) continue;
        // The centre is on the edge or right of it.
        const int64_t cross = (cx - ax) * (by - ay) - (bx - ax) * (cy - ay);
        if (by > ay ? cross >= 0 : cross <= 0) inside = !inside;
    }
    return inside;
}

static bool in_lasso_by_predicate(const tact_pick_region* region, int64_t x, int64_t y)
{
    const tact_vec2 c = {(float)x + 0.5f, (float)y + 0.5f};
    bool inside = false;
    for (size_t i = 0; i < region->lasso_count && region->lasso_count > 2; ++i) {
        const float *p = region->lasso[i], *q = region->lasso[(i + 1) % region->lasso_count];
        const tact_vec2 a = {p[0], p[1]}, b = {q[0], q[1]};
        if ((a.y <= c.y) == (b.y <= c.y)) continue;
        const int side = b.y > a.y ? tact_orient2d(a, b, c) : tact_orient2d(b, a, c);
        if (side <= 0) inside = !inside;
    }
    return inside;
}

enum { CORNERS = 40 };

TEST(test_lasso_of_quarters)
{
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 2000; ++i) {
        float corners[CORNERS][2];
        // Halves are centres, so that many are on edges.
        const float unit = i % 3 ? 0.5f : 0.25f;
        const uint32_t range = 8 + test_random_below(&r, 300);
        const tact_pick_view view = view_of(1 + test_random_below(&r, 70), 1 + test_random_below(&r, 70),
                                            (int32_t)test_random_below(&r, 50) - 25, (int32_t)test_random_below(&r, 9));
        for (int k = 0; k < CORNERS; ++k) {
            corners[k][0] = (float)((int32_t)test_random_below(&r, range) - 50) * unit;
            corners[k][1] = (float)((int32_t)test_random_below(&r, range) - 50) * unit;
        }
        const tact_pick_region region = {.shape = TACT_PICK_LASSO,
                                         .lasso = (const float(*)[2])corners,
                                         .lasso_count = test_random_below(&r, i % 2 ? 6 : CORNERS)};
        check_region(&view, &region, in_lasso_by_integers);
    }
}

/// From the public words: a centre on the upper or the left edge is inside, one on the lower or the right is not.
TEST(test_lasso_on_centres)
{
    const float square[5][2] = {{0.5f, 0.5f}, {2.5f, 0.5f}, {2.5f, 2.5f}, {0.5f, 2.5f}, {0.5f, 0.5f}};
    const tact_pick_view view = view_of(9, 9, 0, 0);
    const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = square, .lasso_count = 5};
    tact_pick_mask mask;
    assert_int_equal(tact_pick_mask_make(&env, &view, &region, &mask), TACT_OK);
    assert_true(mask.x == 0 && mask.y == 0 && mask.width == 2 && mask.height == 2 && !mask.bits);
    // Crossed twice by itself: nothing is inside.
    const float twice[8][2] = {{1, 1}, {5, 1}, {5, 5}, {1, 5}, {1, 1}, {5, 1}, {5, 5}, {1, 5}};
    const tact_pick_region none = {.shape = TACT_PICK_LASSO, .lasso = twice, .lasso_count = 8};
    assert_int_equal(tact_pick_mask_make(&env, &view, &none, &mask), TACT_OK);
    assert_true(mask.width == 0 && !mask.bits);
}

/// Where a float is 256 pixels, or has no halves any more, and a centre has more digits than it.
TEST(test_lasso_far_out)
{
    test_random r = test_random_seeded(4);
    uint64_t pixels = 0;
    for (int i = 0; i < 300; ++i) {
        float corners[CORNERS][2];
        const float step = i % 2 ? 128.0f : 1.0f, from = i % 2 ? 0x1p30f : -0x1p23f;
        const tact_pick_view view = view_of(300, 90, (int32_t)from + 17, i % 4 < 2 ? (int32_t)from : -40);
        for (int k = 0; k < CORNERS; ++k) {
            corners[k][0] = from + (float)((int32_t)test_random_below(&r, 900) - 300) * step;
            corners[k][1] = (i % 4 < 2 ? from : 0.0f) + (float)((int32_t)test_random_below(&r, 9) - 4) * step;
        }
        const tact_pick_region region = {.shape = TACT_PICK_LASSO,
                                         .lasso = (const float(*)[2])corners,
                                         .lasso_count = 3 + test_random_below(&r, CORNERS - 3)};
        pixels += check_region(&view, &region, in_lasso_by_integers);
    }
    assert_true(pixels > 100000);
}

static float any_coordinate(test_random* r, int how)
{
    const float sizes[] = {1e30f, 3.4e38f, 1e5f, 40.0f, 1e-30f};
    if (how == 0) return 60.0f * test_random_unit(r) - 10.0f;
    if (how == 1) return sizes[test_random_below(r, 5)] * test_random_signed(r);
    float f;
    do {
        f = test_random_any(r);
    } while (!isfinite(f));
    return f;
}

TEST(test_lasso_of_floats)
{
    test_random r = test_random_seeded(5);
    for (int i = 0; i < 1500; ++i) {
        float corners[CORNERS][2];
        const tact_pick_view view = view_of(1 + test_random_below(&r, 70), 1 + test_random_below(&r, 70),
                                            (int32_t)test_random_below(&r, 50) - 25, (int32_t)test_random_below(&r, 9));
        for (int k = 0; k < CORNERS; ++k) {
            corners[k][0] = any_coordinate(&r, i % 3);
            corners[k][1] = any_coordinate(&r, i % 5 ? i % 3 : 0);
        }
        const tact_pick_region region = {.shape = TACT_PICK_LASSO,
                                         .lasso = (const float(*)[2])corners,
                                         .lasso_count = test_random_below(&r, i % 2 ? 6 : CORNERS)};
        check_region(&view, &region, in_lasso_by_predicate);
    }
}

/// Edges past a centre so near that doubles round the difference away.
TEST(test_lasso_near_centres)
{
    const tact_pick_view view = view_of(2, 2, 0, 0);
    uint64_t pixels = 0;
    for (int i = 0; i < 4000; ++i) {
        const int32_t a = 4194304 + i * 7, b = a + i % 3 - 1;
        const float far_end = i % 2 ? -1024.0f : -65536.0f;
        const float corners[3][2] = {{far_end * (float)a, far_end * (float)b},
                                     {0.5f + (float)a * 0x1p-24f, 0.5f + (float)b * 0x1p-24f},
                                     {i % 4 < 2 ? 1e9f : -1e9f, i % 8 < 4 ? 0.9f : -5.0f}};
        const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = corners, .lasso_count = 3};
        pixels += check_region(&view, &region, in_lasso_by_predicate);
    }
    assert_true(pixels > 1000);
}

/// Long edges through centres, or past them by as little as floats tell: rows are painted in steps, whose rounding adds
/// up, and centres that are as near as that need the edge itself.
TEST(test_lasso_of_long_edges)
{
    test_random r = test_random_seeded(12);
    const tact_pick_view view = view_of(500, 640, -20, 30);
    uint64_t pixels = 0;
    for (int i = 0; i < 80; ++i) {
        const int32_t rows = 7 + (int32_t)test_random_below(&r, 8), times = 600 / rows;
        const int32_t columns = (int32_t)test_random_below(&r, 480) / times - 240 / times;
        const float top = 31.5f + (float)test_random_below(&r, 20), left = 230.5f;
        float corners[3][2] = {{left, top},
                               {left + (float)(columns * times), top + (float)(rows * times)},
                               {475.25f, i % 2 ? 40.0f : 660.0f}};
        for (int k = 0; k < 4; ++k) {
            const uint32_t way = test_random_below(&r, 3);
            if (way) corners[k / 2][k % 2] = nextafterf(corners[k / 2][k % 2], way == 1 ? 1e9f : -1e9f);
        }
        const tact_pick_region region = {
            .shape = TACT_PICK_LASSO, .lasso = (const float(*)[2])corners, .lasso_count = 3};
        pixels += check_region(&view, &region, in_lasso_by_predicate);
    }
    assert_true(pixels > 1000000);
}

/// The same from corners so far away that doubles do not hold their distance from a centre.
TEST(test_lasso_from_afar)
{
    test_random r = test_random_seeded(10);
    for (int i = 0; i < 20000; ++i) {
        const uint32_t column = test_random_below(&r, 2000), row = test_random_below(&r, 2000);
        const tact_pick_view view = view_of(1, 1, (int32_t)column, (int32_t)row);
        const float x = (float)(1 + test_random_below(&r, 1000)) * 0x1p-10f;
        const float y = (float)(1 + test_random_below(&r, 1000)) * 0x1p-10f;
        const float far_away = (float)ldexp(-1.0, 40 + (int)test_random_below(&r, 30));
        const float corners[3][2] = {{far_away * x, far_away * y},
                                     {(float)column + 0.5f + x, (float)row + 0.5f + y},
                                     {i % 2 ? 1e20f : -1e20f, i % 4 < 2 ? (float)row : 1e20f}};
        const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = corners, .lasso_count = 3};
        check_region(&view, &region, in_lasso_by_predicate);
    }
}

/// Triangles around a point that fill a square: no pixel is in two of them, and none in none.
TEST(test_lassos_that_share_edges)
{
    test_random r = test_random_seeded(6);
    for (int i = 0; i < 200; ++i) {
        const tact_pick_view view = view_of(64, 64, 0, 0);
        const float cx = i % 2 ? (float)test_random_below(&r, 128) / 2.0f : 64.0f * test_random_unit(&r);
        const float cy = i % 2 ? (float)test_random_below(&r, 128) / 2.0f : 64.0f * test_random_unit(&r);
        const float x = 64.0f * test_random_unit(&r), y = 64.0f * test_random_unit(&r);
        const float around[8][2] = {{0, 0}, {x, 0}, {64, 0}, {64, y}, {64, 64}, {x, 64}, {0, 64}, {0, y}};
        uint8_t covered[64][64] = {{0}};
        for (int k = 0; k < 8; ++k) {
            const float* q = around[(k + 1) % 8];
            const float triangle[3][2] = {{cx, cy}, {around[k][0], around[k][1]}, {q[0], q[1]}};
            const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = triangle, .lasso_count = 3};
            tact_pick_mask mask;
            assert_int_equal(tact_pick_mask_make(&env, &view, &region, &mask), TACT_OK);
            for (uint32_t p = 0; p < 64 * 64; ++p)
                covered[p / 64][p % 64] += has_pixel(&mask, p % 64, p / 64);
            tact_pick_mask_free(&env, &mask);
        }
        for (uint32_t p = 0; p < 64 * 64; ++p)
            assert_int_equal(covered[p / 64][p % 64], 1);
    }
}

static void expect_invalid(tact_pick_view view, tact_pick_region region)
{
    tact_pick_mask mask = {.width = 1};
    assert_int_equal(tact_pick_mask_make(&env, &view, &region, &mask), TACT_ERROR_INVALID_ARGUMENT);
    assert_true(mask.width == 0 && !mask.bits);
    assert_true(env.error[0] != '\0');
}

TEST(test_invalid_regions)
{
    const tact_pick_view view = view_of(64, 64, 0, 0);
    const float bad[3][2] = {{0, 0}, {NAN, 0}, {0, 9}}, endless[2][2] = {{0, 0}, {0, -INFINITY}};
    expect_invalid(view, (tact_pick_region){.shape = TACT_PICK_LASSO, .lasso = bad, .lasso_count = 3});
    expect_invalid(view, (tact_pick_region){.shape = TACT_PICK_LASSO, .lasso = endless, .lasso_count = 2});
    expect_invalid(view, (tact_pick_region){.shape = TACT_PICK_LASSO, .lasso_count = 3});
    expect_invalid(view, (tact_pick_region){.shape = TACT_PICK_POINT, .radius = 1025});
    expect_invalid(view, (tact_pick_region){.shape = (tact_pick_shape)4});
    expect_invalid(view_of(16385, 1, 0, 0), (tact_pick_region){0});
    expect_invalid(view_of(2, 1, INT32_MAX, 0), (tact_pick_region){0});
    tact_pick_mask none = {0};
    tact_pick_mask_free(&env, &none);
}

// ---- Reduction ----

static void expect_things(const tact_pick_list* list, const pick_plain* expected, size_t count)
{
    assert_int_equal(list->count, count);
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&list->items[i], &expected[i].found, sizeof list->items[i])) fail_msg("thing %zu differs", i);
        assert_int_equal(list->layers ? list->layers[i] : 0, expected[i].layer);
    }
}

static void check_reduction(const tact_pick_mask* mask, tact_pick_rule rule, const pick_image* image, bool up)
{
    pick_plain* expected;
    const size_t count = pick_plain_reduce(mask, rule, image, 1, up, &expected);
    tact_pick_list list;
    assert_int_equal(tact_pick_reduce(&env, mask, &rule, image->ids, image->surfaces, up, &list), TACT_OK);
    expect_things(&list, expected, count);
    tact_pick_list_free(&env, &list);
    free(expected);
}

TEST(test_reduction)
{
    const uint32_t sizes[][2] = {{1, 1}, {64, 48}, {33, 7}, {400, 3}, {1, 300}, {150, 150}};
    for (int pattern = 0; pattern < PICK_PATTERNS; ++pattern) {
        for (uint32_t i = 0; i < 6 * 12; ++i) {
            const uint32_t width = sizes[i % 6][0], height = sizes[i % 6][1];
            pick_image image = pick_image_make((pick_pattern)pattern, width, height, i % 2 ? 9000 : 40, i);
            tact_pick_mask mask = pick_mask_random(width, height, i % 4 ? 0.5f : 1.0f, i % 5 == 0, i);
            const tact_pick_rule rule = {(tact_pick_group)(i % 3), i % 7 < 3};
            check_reduction(&mask, rule, &image, i % 8 < 4);
            free(mask.bits);
            pick_image_free(&image);
        }
    }
    const tact_pick_mask none = {0};
    const pick_image nothing = {0};
    check_reduction(&none, (tact_pick_rule){0}, &nothing, false);
}

/// The object at this place of the host's table, with its sixth salt: that of 65,536 slots.
static uint32_t object_of(uint32_t hash)
{
    uint32_t h = hash ^ hash >> 16;
    h = h ^ h >> 13 ^ h >> 26;
    h = h ^ h >> 15 ^ h >> 30;
    uint32_t inverse = 1, salt = 0;
    for (int i = 0; i < 5; ++i)
        inverse *= 2u - 0x9e3779b1u * inverse;
    for (int i = 0; i < 6; ++i)
        salt = salt * 0x2c1b3c6du + 0x297a2d39u;
    return h * inverse ^ salt;
}

static double milliseconds_of_objects(const uint32_t* objects)
{
    pick_image image = pick_image_make(PICK_EACH, 256, 256, 0, 1);
    for (uint32_t i = 0; i < 256 * 256; ++i)
        image.ids[i].object = objects[i];
    const tact_pick_mask mask = {.width = 256, .height = 256};
    const double start = tact_platform_milliseconds();
    check_reduction(&mask, (tact_pick_rule){TACT_PICK_BY_OBJECT, false}, &image, false);
    pick_image_free(&image);
    return tact_platform_milliseconds() - start;
}

/// 65,536 objects at one place of the table, which would take hundreds of millions of steps.
TEST(test_clashes)
{
    uint32_t* objects = scratch(256 * 256 * sizeof *objects);
    for (uint32_t i = 0; i < 256 * 256; ++i)
        objects[i] = i * 12345u;
    const double plain = milliseconds_of_objects(objects);
    for (uint32_t i = 0; i < 256 * 256; ++i)
        objects[i] = object_of(i << 16);
    const double clashing = milliseconds_of_objects(objects);
    print_message("65,536 objects: %.1f ms; that clash: %.1f ms\n", plain, clashing);
    assert_true(clashing < 4.0 * plain + 100.0);
}

TEST(test_too_many_pixels)
{
    const tact_pick_mask mask = {.width = 65536, .height = 65536};
    const tact_pick_rule rule = {0};
    tact_pick_list list;
    assert_int_equal(tact_pick_reduce(&env, &mask, &rule, NULL, NULL, false, &list), TACT_ERROR_LIMIT);
}

TEST(test_layers)
{
    for (uint32_t i = 0; i < 60; ++i) {
        enum { LAYERS = 4 };
        const uint32_t width = 1 + i * 7 % 50, height = 1 + i * 5 % 40;
        pick_image images[LAYERS];
        for (uint32_t k = 0; k < LAYERS; ++k)
            images[k] = pick_image_make((pick_pattern)((i + k) % PICK_PATTERNS), width, height, 60, i + k);
        tact_pick_mask mask = pick_mask_random(width, height, i % 4 ? 0.5f : 1.0f, i % 5 == 0, i);
        const tact_pick_rule rule = {(tact_pick_group)(i % 3), i % 7 < 3};
        pick_plain* expected;
        const size_t count = pick_plain_reduce(&mask, rule, images, LAYERS, false, &expected);
        tact_pick_list list = {0};
        for (uint32_t k = 0; k < LAYERS; ++k) {
            tact_pick_list behind;
            assert_int_equal(tact_pick_reduce(&env, &mask, &rule, images[k].ids, images[k].surfaces, false, &behind),
                             TACT_OK);
            assert_int_equal(tact_pick_list_merge(&env, &mask, &rule, &list, &behind, k), TACT_OK);
            tact_pick_list_free(&env, &behind);
            pick_image_free(&images[k]);
        }
        expect_things(&list, expected, count);
        tact_pick_list_free(&env, &list);
        free(expected);
        free(mask.bits);
    }
}

/// Very many surfaces in one place, the ids against the order: what is quadratic does not end.
TEST(test_one_place)
{
    enum { THINGS = 300000 };
    const tact_pick_view view = {.width = 4, .height = 4};
    const tact_pick_region region = {.shape = TACT_PICK_FRAME};
    const tact_pick_rule rule = {TACT_PICK_BY_PRIMITIVE, false};
    tact_pick_mask mask;
    assert_int_equal(tact_pick_mask_make(&env, &view, &region, &mask), TACT_OK);
    tact_pick_list list = {.items = tact_allocate_zeroed(&env, THINGS, sizeof *list.items)};
    assert_non_null(list.items);
    list.count = list.capacity = THINGS;
    for (uint32_t i = 0; i < THINGS; ++i) {
        const uint32_t back = THINGS - 1 - i;
        list.items[i].ids = (tact_pick_ids){back >> 9, back >> 3 & 63, back & 7, 0};
        list.items[i].pixel = 5;
        list.items[i].surface.depth = i % 3 ? 7 : 9;
    }
    assert_int_equal(tact_pick_list_sort(&env, &mask, &rule, &list), TACT_OK);
    for (uint32_t i = 1; i < THINGS; ++i) {
        const tact_pick_found *a = &list.items[i - 1], *b = &list.items[i];
        const uint32_t id_a = a->ids.object << 9 | a->ids.instance << 3 | a->ids.primitive;
        const uint32_t id_b = b->ids.object << 9 | b->ids.instance << 3 | b->ids.primitive;
        assert_true(a->surface.depth < b->surface.depth || (a->surface.depth == b->surface.depth && id_a < id_b));
    }
    tact_pick_list_free(&env, &list);
    tact_pick_mask_free(&env, &mask);
}

TEST(test_too_many_surfaces)
{
    const tact_pick_mask mask = {.width = 1, .height = 1};
    const tact_pick_rule rule = {0};
    tact_pick_found item = {.pixels = 0x80000000u};
    const tact_pick_list behind = {.items = &item, .count = 1, .capacity = 1};
    tact_pick_list list = {0};
    assert_int_equal(tact_pick_list_merge(&env, &mask, &rule, &list, &behind, 0), TACT_OK);
    item.pixels = 0x7fffffffu;
    assert_int_equal(tact_pick_list_merge(&env, &mask, &rule, &list, &behind, 1), TACT_OK);
    assert_int_equal(list.items[0].pixels, 0xffffffffu);
    item.pixels = 1;
    assert_int_equal(tact_pick_list_merge(&env, &mask, &rule, &list, &behind, 2), TACT_ERROR_LIMIT);
    tact_pick_list_free(&env, &list);
}

/// A lasso, two layers in pieces, put together.
static tact_result all_of_it(tact_env* e, const pick_image images[2], tact_pick_list* list)
{
    static const float corners[4][2] = {{-5, 3}, {70, 10}, {60, 55}, {20, 30}};
    const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = corners, .lasso_count = 4};
    const tact_pick_view view = view_of(images[0].width, images[0].height, 0, 0);
    const tact_pick_rule rule = {TACT_PICK_BY_PRIMITIVE, true};
    tact_pick_mask mask;
    tact_result result = tact_pick_mask_make(e, &view, &region, &mask);
    *list = (tact_pick_list){0};
    for (uint32_t i = 0; i < 2 && result == TACT_OK; ++i) {
        tact_pick_list behind;
        result = tact_pick_reduce(e, &mask, &rule, images[i].ids, images[i].surfaces, false, &behind);
        if (result == TACT_OK) result = tact_pick_list_merge(e, &mask, &rule, list, &behind, i);
        tact_pick_list_free(e, &behind);
    }
    tact_pick_mask_free(e, &mask);
    return result;
}

TEST(test_without_memory)
{
    pick_image images[2];
    for (uint32_t i = 0; i < 2; ++i)
        images[i] = pick_image_make(PICK_ANY, 64, 48, 3000, i);
    tact_pick_list expected, list;
    assert_int_equal(all_of_it(&env, images, &expected), TACT_OK);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t number = 1; result != TACT_OK; ++number) {
        counting_allocator c = {.fail_at = number};
        const tact_allocator hooks = counting_hooks(&c);
        tact_env e;
        tact_env_init(&e, &hooks, quiet, NULL, NULL, NULL);
        result = all_of_it(&e, images, &list);
        assert_int_equal(result, c.failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
        if (result == TACT_OK) {
            assert_true(number > 20 && list.count == expected.count);
            assert_memory_equal(list.items, expected.items, list.count * sizeof *list.items);
            assert_memory_equal(list.layers, expected.layers, list.count * sizeof *list.layers);
        }
        tact_pick_list_free(&e, &list);
        assert_int_equal(c.live, 0);
    }
    tact_pick_list_free(&env, &expected);
    pick_image_free(&images[0]);
    pick_image_free(&images[1]);
}

// ---- Codes ----

TEST(test_normals)
{
    test_random r = test_random_seeded(7);
    double worst = 0.0;
    for (int i = 0; i < 300000; ++i) {
        double v[3];
        for (int k = 0; k < 3; ++k)
            v[k] = i % 7 == k ? 0.0 : (double)test_random_signed(&r);
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (length < 1e-3) continue;
        const double scale = i % 3 == 0 ? 1e38 : i % 3 == 1 ? 1e-30 : 1.0;
        float f[3];
        tact_pick_decode_normal(
            tact_pick_encode_normal((float)(v[0] * scale), (float)(v[1] * scale), (float)(v[2] * scale)), f);
        const double n[3] = {(double)f[0], (double)f[1], (double)f[2]};
        const double cross[3] = {v[1] * n[2] - v[2] * n[1], v[2] * n[0] - v[0] * n[2], v[0] * n[1] - v[1] * n[0]};
        const double sine = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / length;
        const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        assert_true(v[0] * n[0] + v[1] * n[1] + v[2] * n[2] > 0.0 && fabs(size - 1.0) < 1e-6);
        worst = fmax(worst, asin(sine) * 180.0 / 3.14159265358979);
    }
    print_message("normals are within %.5f degrees\n", worst);
    assert_true(worst < 0.01);
    const float axes[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 6; ++i) {
        float n[3];
        tact_pick_decode_normal(tact_pick_encode_normal(9 * axes[i][0], 9 * axes[i][1], 9 * axes[i][2]), n);
        for (int k = 0; k < 3; ++k)
            assert_true(n[k] == axes[i][k]);
    }
    assert_int_equal(tact_pick_encode_normal(0, -0.0f, 0), TACT_PICK_NO_NORMAL);
    assert_int_equal(tact_pick_encode_normal(1, NAN, 0), TACT_PICK_NO_NORMAL);
    assert_int_equal(tact_pick_encode_normal(1, 0, -INFINITY), TACT_PICK_NO_NORMAL);
}

TEST(test_barycentrics)
{
    test_random r = test_random_seeded(8);
    for (int i = 0; i < 100000; ++i) {
        const float b = test_random_unit(&r), c = (1.0f - b) * test_random_unit(&r);
        float out[3];
        tact_pick_decode_barycentric(tact_pick_encode_barycentric(1.0f - b - c, b, c), out);
        assert_true(fabsf(out[0] - (1.0f - b - c)) < 2e-5f && fabsf(out[1] - b) < 1e-5f && fabsf(out[2] - c) < 2e-5f);
        assert_true(out[0] >= 0.0f);
    }
    float out[3];
    tact_pick_decode_barycentric(tact_pick_encode_barycentric(0, 0.5f, 0.5f), out);
    assert_true(out[0] == 0.0f && out[1] + out[2] == 1.0f);
    tact_pick_decode_barycentric(tact_pick_encode_barycentric(-0.01f, 1.01f, -0.0f), out);
    assert_true(out[0] == 0.0f && out[1] == 1.0f && out[2] == 0.0f);
    assert_int_equal(tact_pick_encode_barycentric(0, 0, 0), TACT_PICK_NOTHING);
    assert_int_equal(tact_pick_encode_barycentric(0, NAN, 0), TACT_PICK_NOTHING);
}

TEST(test_telling)
{
    tact_pick_view view = view_of(200, 100, -50, 1000);
    for (int i = 0; i < 4; ++i)
        view.world_to_clip[5 * i] = 1.0f;
    const tact_pick_mask mask = {.x = 20, .y = 30, .width = 10, .height = 10};
    const float depth = 0.25f;
    tact_pick_found found = {
        {1, 2, 3, tact_pick_encode_normal(0, 0, -5)}, {0, tact_pick_encode_barycentric(0, 1, 0)}, 47, 11};
    memcpy(&found.surface.depth, &depth, sizeof depth);
    tact_pick pick, expected = {1, 2, 3, 11, -50 + 27, 1034, 6, depth, {0}, {0, 0, -1}, {0, 1, 0}};
    assert_true(tact_pick_unproject(&view, -22.5, 1034.5, depth, expected.position));
    tact_pick_tell(&view, &mask, &found, 6, &pick);
    assert_memory_equal(&pick, &expected, sizeof pick);
}

// ---- Time ----

static void measure_lasso(uint32_t size, size_t count, bool star)
{
    float(*corners)[2] = malloc(count * sizeof *corners);
    test_random r = test_random_seeded(9);
    for (size_t i = 0; i < count; ++i) {
        const double angle = 6.283185307179586 * (double)i / (double)count;
        corners[i][0] = star ? (float)size * test_random_unit(&r) : (float)(size * (0.5 + 0.49 * cos(angle)));
        corners[i][1] = star ? (float)size * test_random_unit(&r) : (float)(size * (0.5 + 0.49 * sin(angle)));
    }
    const tact_pick_view view = view_of(size, size, 0, 0);
    const tact_pick_region region = {
        .shape = TACT_PICK_LASSO, .lasso = (const float(*)[2])corners, .lasso_count = count};
    tact_pick_mask mask;
    const double start = tact_platform_milliseconds();
    if (tact_pick_mask_make(&env, &view, &region, &mask) != TACT_OK) abort();
    printf("lasso of %zu corners%s on %u x %u: %.2f ms\n", count, star ? " anywhere" : " around", size, size,
           tact_platform_milliseconds() - start);
    tact_pick_mask_free(&env, &mask);
    free(corners);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    tact_env_init(&env, NULL, quiet, NULL, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        measure_lasso(4096, 10000, false);
        measure_lasso(4096, 10000, true);
        measure_lasso(1024, 200, false);
        measure_lasso(1024, 1000000, false);
        measure_lasso(1024, 1000000, true);
        return 0;
    }
    return run_all_named("pick_found", all_tests, NULL, NULL);
}
