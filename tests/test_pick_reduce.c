// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Images of picks reduced on a device, OpenGL's or OpenCL's as the first argument says, byte for byte against the host.
// "tiny" stands for OpenCL and a few small runs, for checkers that interpret kernels. A second argument, "time",
// measures.
#include "tests/support/run.h"

#include "base/platform.h"
#include "gpu/pick/reduce.h"
#include "kernels/pick_layout.h"
#include "tests/support/pick_images.h"
#include "tests/support/tested_device.h"

static tact_env* env;
static bool tiny;

static void ok_(tact_result result, int line)
{
    if (result == TACT_OK) return;
    print_error("%s: %s\n", tact_result_name(result), env->error);
    _fail(__FILE__, line);
}
#define OK(call) ok_(call, __LINE__)

typedef struct on_device {
    tact_buffer *ids, *surfaces;
} on_device;

static on_device upload(const pick_image* image)
{
    const size_t count = (size_t)image->width * image->height;
    on_device d;
    OK(tact_buffer_create(device, count * sizeof *image->ids, image->ids, &d.ids));
    OK(tact_buffer_create(device, count * sizeof *image->surfaces, image->surfaces, &d.surfaces));
    return d;
}

static void discard(on_device* d)
{
    tact_buffer_destroy(d->ids);
    tact_buffer_destroy(d->surfaces);
}

static void expect_same(const tact_pick_list* got, const tact_pick_list* expected)
{
    assert_int_equal(got->count, expected->count);
    for (size_t i = 0; i < got->count; ++i) {
        const tact_pick_found *g = &got->items[i], *e = &expected->items[i];
        if (memcmp(g, e, sizeof *g) == 0) continue;
        fail_msg("thing %zu is (%u %u %u) at %u, %u pixels; expected (%u %u %u) at %u, %u pixels", i, g->ids.object,
                 g->ids.instance, g->ids.primitive, g->pixel, g->pixels, e->ids.object, e->ids.instance,
                 e->ids.primitive, e->pixel, e->pixels);
    }
}

/// One that finds on the device.
static tact_pick_reducer* make_reducer(void)
{
    tact_pick_reducer* reducer = NULL;
    OK(tact_pick_reducer_create(device, &reducer));
    tact_pick_reducer_set_place(reducer, TACT_PICK_PLACE_DEVICE);
    return reducer;
}

/// How many bytes came back.
static uint64_t check(tact_pick_reducer* reducer, const tact_pick_mask* mask, tact_pick_rule rule,
                      const pick_image* image, bool up)
{
    tact_pick_list expected, got;
    OK(tact_pick_reduce(env, mask, &rule, image->ids, image->surfaces, up, &expected));
    on_device d = upload(image);
    OK(tact_pick_reducer_start(reducer, mask, &rule, d.ids, d.surfaces, up));
    bool done = false;
    OK(tact_pick_reducer_poll(reducer, &done));
    OK(tact_pick_reducer_collect(reducer, &got));
    expect_same(&got, &expected);
    tact_pick_list_free(env, &got);
    OK(tact_pick_reducer_poll(reducer, &done));
    assert_true(done);
    OK(tact_pick_reducer_collect(reducer, &got));
    expect_same(&got, &expected);
    tact_pick_list_free(env, &got);
    tact_pick_list_free(env, &expected);
    discard(&d);
    return tact_pick_reducer_bytes(reducer);
}

static void check_patterns(tact_pick_place place)
{
    tact_pick_reducer* reducer = make_reducer();
    tact_pick_reducer_set_place(reducer, place);
    const uint32_t sizes[][2] = {{1, 1}, {64, 48}, {33, 7}, {4096, 16}, {1, 300}, {150, 150}, {9, 1}, {401, 400}};
    const uint32_t rounds = tiny ? 3 : 8 * 6;
    for (int pattern = 0; pattern < PICK_PATTERNS; ++pattern) {
        for (uint32_t i = 0; i < rounds; ++i) {
            const uint32_t width = sizes[i % 8][0], height = sizes[i % 8][1];
            pick_image image = pick_image_make((pick_pattern)pattern, width, height, i % 2 ? 9000 : 40, i);
            tact_pick_mask mask = pick_mask_random(width, height, i % 4 ? 0.5f : 1.0f, i % 5 == 1, i);
            const tact_pick_rule rule = {(tact_pick_group)(i % 3), i % 6 < 3};
            check(reducer, &mask, rule, &image, i % 16 < 8);
            free(mask.bits);
            pick_image_free(&image);
        }
    }
    tact_pick_reducer_destroy(reducer);
}

TEST(test_patterns)
{
    check_patterns(TACT_PICK_PLACE_DEVICE);
}

TEST(test_patterns_elsewhere)
{
    if (tiny) skip_because("too slow when interpreted");
    check_patterns(TACT_PICK_PLACE_HOST);
    check_patterns(TACT_PICK_PLACE_AUTO);
}

TEST(test_regions)
{
    tact_pick_reducer* reducer = make_reducer();
    const float corners[4][2] = {{3.0f, 1.0f}, {90.5f, 20.25f}, {10.0f, 70.0f}, {60.0f, -9.0f}};
    const tact_pick_region regions[] = {
        {.shape = TACT_PICK_FRAME},
        {.shape = TACT_PICK_POINT, .x = 95, .y = 3, .radius = 20},
        {.shape = TACT_PICK_POINT, .x = -3, .y = 40, .radius = 30},
        {.shape = TACT_PICK_RECTANGLE, .rectangle = {90, 60, 10, 5}},
        {.shape = TACT_PICK_LASSO, .lasso = corners, .lasso_count = 4},
        {.shape = TACT_PICK_RECTANGLE},
    };
    const tact_pick_view view = {.width = 100, .height = 66};
    for (uint32_t i = 0; i < 6; ++i) {
        tact_pick_mask mask;
        OK(tact_pick_mask_make(env, &view, &regions[i], &mask));
        pick_image image = pick_image_make(PICK_RUNS, mask.width, mask.height, 300, i);
        for (int k = 0; k < (tiny ? 1 : 6); ++k)
            check(reducer, &mask, (tact_pick_rule){(tact_pick_group)(k / 2), k % 2 == 0}, &image, k % 3 == 0);
        pick_image_free(&image);
        tact_pick_mask_free(env, &mask);
    }
    tact_pick_reducer_destroy(reducer);
}

/// Things without number, and what comes back is no more than they are.
TEST(test_many)
{
    if (tiny) skip_because("too slow when interpreted");
    tact_pick_reducer* reducer = make_reducer();
    const pick_pattern patterns[] = {PICK_EACH, PICK_ANY, PICK_ONE, PICK_RUNS};
    const uint64_t most[] = {32u << 20, 32u << 20, 40, 32u << 20};
    for (int i = 0; i < 4; ++i) {
        pick_image image = pick_image_make(patterns[i], 1024, 1024, 3000000, (uint64_t)i);
        const tact_pick_mask mask = pick_mask_random(1024, 1024, 1.0f, false, 0);
        const tact_pick_rule rule = {i == 2 ? TACT_PICK_BY_INSTANCE : TACT_PICK_BY_PRIMITIVE, false};
        const uint64_t bytes = check(reducer, &mask, rule, &image, false);
        assert_true(bytes <= most[i] + 8);
        pick_image_free(&image);
    }
    tact_pick_reducer_destroy(reducer);
}

/// All ids at one place of the table: some hundreds are found on the device, thousands go to the host.
TEST(test_clashes)
{
    tact_pick_reducer* reducer = make_reducer();
    for (uint32_t size = 14; size <= (tiny ? 14u : 56u); size *= 4) {
        pick_image image = pick_image_make(PICK_EACH, size, size, 0, 1);
        uint32_t object = 0;
        for (uint32_t i = 0; i < size * size; ++i) {
            while (pick_hash(object, 0, 0, TACT_PICK_BY_OBJECT) & 8191u)
                ++object;
            image.ids[i].object = object++;
        }
        const tact_pick_mask mask = pick_mask_random(size, size, 1.0f, false, 0);
        const uint64_t bytes = check(reducer, &mask, (tact_pick_rule){TACT_PICK_BY_OBJECT, false}, &image, false);
        if (size == 14) assert_int_equal(bytes, 8 + 14 * 14 * 32);
        if (size == 56) assert_int_equal(bytes, 8 + 56 * 56 * 24);
        pick_image_free(&image);
    }
    tact_pick_reducer_destroy(reducer);
}

/// An image in parts, put together.
TEST(test_parts)
{
    tact_pick_reducer* reducer = make_reducer();
    const tact_pick_rule rule = {TACT_PICK_BY_INSTANCE, false};
    pick_image image = pick_image_make(PICK_ANY, 70, 50, 200, 3);
    for (int k = 0; k < 2; ++k) {
        tact_pick_mask mask = pick_mask_random(70, 50, 0.7f, k == 1, 4);
        tact_pick_list expected, all = {0};
        OK(tact_pick_reduce(env, &mask, &rule, image.ids, image.surfaces, false, &expected));
        for (uint32_t first = 0; first < 50; first += 20) {
            const tact_pick_mask rows = tact_pick_mask_rows(&mask, first, first < 40 ? 20 : 10);
            const pick_image part = {70, rows.height, image.ids + (size_t)first * 70,
                                     image.surfaces + (size_t)first * 70};
            on_device d = upload(&part);
            tact_pick_list list;
            OK(tact_pick_reducer_start(reducer, &rows, &rule, d.ids, d.surfaces, false));
            OK(tact_pick_reducer_collect(reducer, &list));
            tact_pick_list_move(&list, first * 70);
            OK(tact_pick_list_merge(env, &mask, &rule, &all, &list, 0));
            tact_pick_list_free(env, &list);
            discard(&d);
        }
        expect_same(&all, &expected);
        tact_pick_list_free(env, &all);
        tact_pick_list_free(env, &expected);
        free(mask.bits);
    }
    pick_image_free(&image);
    tact_pick_reducer_destroy(reducer);
}

/// The call fails so, and the device forgets it.
static void expect_failure(tact_result result, tact_result failure)
{
    assert_int_equal(result, failure);
    tact_device_forgive(device);
}

TEST(test_failures)
{
    const uint64_t before = tact_device_bytes(device);
    pick_image image = pick_image_make(PICK_EACH, 64, 64, 0, 0);
    const tact_pick_mask mask = pick_mask_random(64, 64, 1.0f, false, 0);
    const tact_pick_rule rule = {0};
    on_device d = upload(&image);
    tact_pick_reducer* reducer = make_reducer();
    tact_pick_list list;
    bool done;
    expect_failure(tact_pick_reducer_collect(reducer, &list), TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(tact_pick_reducer_poll(reducer, &done), TACT_ERROR_INVALID_ARGUMENT);
    const tact_pick_mask large = {.width = 64, .height = 65};
    expect_failure(tact_pick_reducer_start(reducer, &large, &rule, d.ids, d.surfaces, false),
                   TACT_ERROR_INVALID_ARGUMENT);
    expect_failure(tact_pick_reducer_start(reducer, &mask, &rule, d.surfaces, d.surfaces, false),
                   TACT_ERROR_INVALID_ARGUMENT);
    const tact_pick_mask larger = {.width = 65536, .height = 65536};
    expect_failure(tact_pick_reducer_start(reducer, &larger, &rule, d.ids, d.surfaces, false), TACT_ERROR_LIMIT);
    for (uint32_t number = 1; number <= 6; ++number) {
        tact_pick_reducer_destroy(reducer);
        reducer = make_reducer();
        tact_device_fail_buffer(device, number);
        const tact_result started = tact_pick_reducer_start(reducer, &mask, &rule, d.ids, d.surfaces, false);
        tact_device_forgive(device);
        assert_int_equal(started, number < 6 ? TACT_ERROR_DEVICE_OUT_OF_MEMORY : TACT_OK);
        const tact_result failed = tact_pick_reducer_collect(reducer, &list);
        tact_device_forgive(device);
        assert_int_equal(failed, number < 6 ? TACT_ERROR_INVALID_ARGUMENT : TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        assert_true(!list.items && !list.count);
    }
    tact_device_fail_buffer(device, 0);
    // The answer is still there.
    OK(tact_pick_reducer_collect(reducer, &list));
    assert_int_equal(list.count, 4096);
    tact_pick_list_free(env, &list);
    tact_pick_reducer_destroy(reducer);
    tact_pick_reducer_destroy(NULL);
    discard(&d);
    pick_image_free(&image);
    assert_int_equal(tact_device_bytes(device), before);
}

// ---- Time ----

enum { RUNS = 5 };

/// Milliseconds of starting, and of starting and collecting.
static void measure_place(tact_pick_place place, const pick_image* image, const on_device* d)
{
    const tact_pick_mask mask = {.width = image->width, .height = image->height};
    const tact_pick_rule rule = {TACT_PICK_BY_INSTANCE, false};
    tact_pick_reducer* reducer = make_reducer();
    tact_pick_reducer_set_place(reducer, place);
    double started = 1e30, collected = 1e30;
    size_t found = 0;
    for (int run = 0; run < RUNS; ++run) {
        tact_pick_list list;
        OK(tact_device_finish(device));
        const double start = tact_platform_milliseconds();
        OK(tact_pick_reducer_start(reducer, &mask, &rule, d->ids, d->surfaces, false));
        const double middle = tact_platform_milliseconds();
        OK(tact_pick_reducer_collect(reducer, &list));
        const double end = tact_platform_milliseconds();
        found = list.count;
        tact_pick_list_free(env, &list);
        started = middle - start < started ? middle - start : started;
        collected = end - start < collected ? end - start : collected;
    }
    printf("  %s %zu things: start %.2f ms, with collect %.2f ms, %llu bytes back\n",
           place == TACT_PICK_PLACE_HOST ? "host  " : "device", found, started, collected,
           (unsigned long long)tact_pick_reducer_bytes(reducer));
    tact_pick_reducer_destroy(reducer);
}

/// The floor: all bytes of the image, read once by the host.
static void measure_floor(const pick_image* image, const on_device* d)
{
    const size_t count = (size_t)image->width * image->height;
    double best = 1e30;
    for (int run = 0; run < RUNS; ++run) {
        const double start = tact_platform_milliseconds();
        OK(tact_buffer_read(d->ids, 0, image->ids, count * sizeof *image->ids));
        OK(tact_buffer_read(d->surfaces, 0, image->surfaces, count * sizeof *image->surfaces));
        const double end = tact_platform_milliseconds();
        best = end - start < best ? end - start : best;
    }
    printf("  reading it alone: %.2f ms, %zu bytes\n", best, count * 24);
}

static void measure(uint32_t width, uint32_t height, pick_pattern pattern, uint32_t things, const char* what)
{
    pick_image image = pick_image_make(pattern, width, height, things, 1);
    on_device d = upload(&image);
    printf("%u x %u, %s\n", width, height, what);
    measure_floor(&image, &d);
    measure_place(TACT_PICK_PLACE_HOST, &image, &d);
    measure_place(TACT_PICK_PLACE_DEVICE, &image, &d);
    discard(&d);
    pick_image_free(&image);
}

static void measure_all(void)
{
    const uint32_t sizes[2][2] = {{1024, 768}, {3840, 2160}};
    for (int i = 0; i < 2; ++i) {
        measure(sizes[i][0], sizes[i][1], PICK_ONE, 1, "one");
        measure(sizes[i][0], sizes[i][1], PICK_RUNS, 1000, "runs of 20");
        measure(sizes[i][0], sizes[i][1], PICK_RUNS, 1000000, "runs of 20");
        measure(sizes[i][0], sizes[i][1], PICK_ANY, 1000000, "any");
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    int code = tested_open(argc, argv);
    if (code >= 0) return code;
    env = &context->env;
    if (tact_device_enter(device) != TACT_OK) return 1;
    code = 0;
    if (argc > 2 && strcmp(argv[2], "time") == 0)
        measure_all();
    else
        code = run_all(all_tests, NULL, NULL);
    tact_device_leave(device);
    return tested_close(code);
}
