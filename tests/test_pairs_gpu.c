// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The broad phase on devices against its definition: every kind of set, both methods, OpenGL and OpenCL. Sets are
// small: software renderers take their time.
#include "tests/support/run.h"

#include "core/volumes/volumes.h"
#include "gpu/pairs/internal.h"
#include "tact/pairs.h"
#include "tests/support/calls.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/pair_sets.h"

typedef struct pairs_fixture {
    tact_context* context;
    tact_backend backend;
} pairs_fixture;

static int setup(void** state, tact_backend backend)
{
    pairs_fixture* f = calloc(1, sizeof *f);
    if (!f) return -1;
    tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 2};
    if (backend == TACT_BACKEND_GL) desc.gl = TACT_DEVICE_OWN;
    if (backend == TACT_BACKEND_CL) desc.cl = TACT_DEVICE_OWN;
    if (tact_context_create(&desc, &f->context) != TACT_OK) return -1;
    f->backend = backend;
    *state = f;
    return 0;
}

static int setup_gl(void** state)
{
    return setup(state, TACT_BACKEND_GL);
}

static int setup_cl(void** state)
{
    return setup(state, TACT_BACKEND_CL);
}

static int teardown(void** state)
{
    pairs_fixture* f = *state;
    tact_context_destroy(f->context);
    free(f);
    return 0;
}

static pairs_fixture* require(void** state)
{
    pairs_fixture* f = *state;
    need_device(f->context, f->backend);
    return f;
}

static tact_device* device_of(pairs_fixture* f)
{
    return f->context->devices[tact_context_find(f->context, f->backend)];
}

static void compare_lists(const char* what, tact_pairs_method method, const tact_pair* got, size_t count,
                          const tact_pair* expected, size_t expected_count)
{
    for (size_t i = 0; i < count && i < expected_count; ++i) {
        if (got[i].a == expected[i].a && got[i].b == expected[i].b) continue;
        fail_msg("%s, %s: pair %zu of %zu is (%u, %u), expected (%u, %u)", what, tact_pairs_method_name(method), i,
                 count, got[i].a, got[i].b, expected[i].a, expected[i].b);
    }
    if (count != expected_count) {
        fail_msg("%s, %s: %zu pairs, expected %zu", what, tact_pairs_method_name(method), count, expected_count);
    }
}

static void compare_with(pairs_fixture* f, const char* what, tact_volumes* a, tact_volumes* b, tact_pairs_method method,
                         const tact_pair* expected, size_t expected_count)
{
    const tact_query_options options = {.backend = f->backend, .no_fallback = true};
    size_t count = 0;
    tact_query_report report;
    const tact_result result = call_pairs_find(a, b, method, NULL, 0, &count, &options, &report);
    if (result != TACT_OK) {
        fail_msg("%s, %s: %s: %s", what, tact_pairs_method_name(method), tact_result_name(result),
                 tact_context_error(f->context));
    }
    assert_int_equal(report.backend, f->backend);
    assert_int_equal(report.failures, 0);
    expect_method(what, a, method);
    const tact_pair* got = tact_pairs_last(a, &count);
    compare_lists(what, method, got, count, expected, expected_count);
}

/// Devices refuse a method that they do not have, and name it.
static void expect_refusal(pairs_fixture* f, tact_volumes* a, tact_volumes* b, tact_pairs_method method)
{
    const tact_query_options options = {.backend = f->backend, .no_fallback = true};
    size_t count = 0;
    assert_int_equal(call_pairs_find(a, b, method, NULL, 0, &count, &options, NULL), TACT_ERROR_UNSUPPORTED);
    assert_int_equal(count, 0);
    assert_non_null(strstr(tact_context_error(f->context), tact_pairs_method_name(method)));
}

/// By every method that devices have: no grid between two sets.
static void compare(pairs_fixture* f, const char* what, tact_volumes* a, tact_volumes* b)
{
    static const tact_pairs_method methods[] = {TACT_PAIRS_GRID, TACT_PAIRS_BVH, TACT_PAIRS_AUTO};
    size_t count = 0;
    tact_pair* expected = define_pairs(a, b, &count);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        if (b && methods[m] == TACT_PAIRS_GRID) continue;
        compare_with(f, what, a, b, methods[m], expected, count);
    }
}

TEST_AS(BOTH, every_kind_of_set)
{
    pairs_fixture* f = require(state);
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 64, 65, 300, 1500};
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        // Each number with half of the scenes, each scene with half of the numbers, if not thorough.
        for (size_t c = s % effort(2, 1); c < sizeof counts / sizeof counts[0]; c += effort(2, 1)) {
            const size_t n = counts[c];
            tact_aabb* boxes = scratch((n + 1) * sizeof *boxes);
            tact_volume_scenes[s].make(n, 7 + c, boxes);
            tact_volumes* set = make_boxes(f->context, boxes, n);
            compare(f, tact_volume_scenes[s].name, set, NULL);
            tact_volumes_destroy(set);
        }
    }
}

TEST_AS(BOTH, spheres_too)
{
    pairs_fixture* f = require(state);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        enum { N = 700 };
        tact_aabb* boxes = scratch(N * sizeof *boxes);
        tact_sphere* spheres = scratch(N * sizeof *spheres);
        tact_volume_scenes[s].make(N, 3, boxes);
        make_odd_spheres(boxes, N, spheres);
        tact_volumes* set = make_spheres(f->context, spheres, N);
        compare(f, tact_volume_scenes[s].name, set, NULL);
        tact_volumes* more = make_spheres(f->context, spheres, N / 3);
        compare(f, tact_volume_scenes[s].name, more, set);
        tact_volumes* others = make_boxes(f->context, boxes, N / 2);
        compare(f, tact_volume_scenes[s].name, set, others);
        compare(f, tact_volume_scenes[s].name, others, set);
        tact_volumes_destroy(others);
        tact_volumes_destroy(more);
        tact_volumes_destroy(set);
    }
}

TEST_AS(BOTH, between_two_sets)
{
    pairs_fixture* f = require(state);
    static const size_t counts[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 700}, {700, 1}, {300, 800}, {800, 300}};
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        for (size_t c = s % effort(2, 1); c < sizeof counts / sizeof counts[0]; c += effort(2, 1)) {
            tact_aabb* boxes = scratch(2000 * sizeof *boxes);
            tact_volume_scenes[s].make(counts[c][0] + counts[c][1], 11, boxes);
            tact_volumes* a = make_boxes(f->context, boxes, counts[c][0]);
            tact_volumes* b = make_boxes(f->context, boxes + counts[c][0], counts[c][1]);
            compare(f, tact_volume_scenes[s].name, a, b);
            tact_volumes_destroy(a);
            tact_volumes_destroy(b);
        }
    }
}

/// Frames of moving, removing, adding and filtering; refits and sorts in turn.
TEST_AS(BOTH, things_move)
{
    pairs_fixture* f = require(state);
    enum { N = 600, FRAMES = 20 };
    test_random r = test_random_seeded(17);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_aabb *boxes = scratch(N * sizeof *boxes), *moved = scratch(N * sizeof *moved);
        tact_volume_scenes[s].make(N, 5, boxes);
        tact_volumes* set = make_boxes(f->context, boxes, N);
        tact_volumes* other = make_boxes(f->context, boxes, N / 4);
        for (unsigned frame = 1; frame <= effort(10, FRAMES); ++frame) {
            tact_input_volumes_move(boxes, N, 9, frame, frame > 14 ? 4.0 : 0.1, moved);
            move_all(set, moved, N);
            if (frame % 3 == 0) exchange_some(set, moved, N, &r);
            if (frame == 10) filter_thirds(set, N);
            char what[64];
            snprintf(what, sizeof what, "%s, frame %u", tact_volume_scenes[s].name, frame);
            compare(f, what, set, NULL);
            if (frame % 5 == 0) compare(f, what, set, other);
        }
        tact_volumes_destroy(other);
        tact_volumes_destroy(set);
    }
}

/// The pairs do not change when everything is scaled by a power of two, which is exact.
TEST_AS(BOTH, scale_does_not_matter)
{
    pairs_fixture* f = require(state);
    enum { N = 500 };
    static const int powers[] = {-60, -20, -7, 0, 1, 20, 60, -140, 100};
    tact_aabb *boxes = scratch(N * sizeof *boxes), *scaled = scratch(N * sizeof *scaled);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_volume_scenes[s].make(N, 21, boxes);
        for (size_t p = 0; p < sizeof powers / sizeof powers[0]; ++p) {
            scale_boxes(boxes, N, powers[p], p % 2 != 0, scaled);
            tact_volumes* set = make_boxes(f->context, scaled, N);
            compare(f, tact_volume_scenes[s].name, set, NULL);
            tact_volumes_destroy(set);
        }
    }
}

typedef struct list {
    tact_pair* pairs;
    uint64_t count;
} list;

static tact_result room_in_list(void* user, uint64_t count, tact_pair** pairs)
{
    list* l = user;
    free(l->pairs);
    l->pairs = malloc((size_t)(count + 1) * sizeof *l->pairs);
    l->count = count;
    *pairs = l->pairs;
    return l->pairs ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Pairs of a tile and steps of a launch, 0: the usual.
typedef struct pieces {
    tact_pairs_method method;
    uint32_t tile, steps;
} pieces;

/// Asks the device itself for the pairs that are expected.
static void compare_pieces(pairs_fixture* f, const char* what, tact_volumes* a, tact_volumes* b, const pieces* p,
                           const tact_pair* expected, size_t count)
{
    tact_gpu_volumes *resident_a = NULL, *resident_b = NULL;
    list got = {NULL, 0};
    tact_gpu_pairs_job job = {
        .a = {tact_volumes_view(a), &resident_a, NULL, TACT_VOLUME_AABB},
        .within = !b,
        .method = p->method,
        .tile = p->tile,
        .steps = p->steps,
        .room = room_in_list,
        .room_user = &got,
    };
    if (b) job.b = (tact_gpu_side){tact_volumes_view(b), &resident_b, NULL, TACT_VOLUME_AABB};
    tact_query_report report;
    assert_int_equal(tact_gpu_pairs(device_of(f), &job, &report), TACT_OK);
    assert_int_equal(job.used, p->method);
    compare_lists(what, p->method, got.pairs, (size_t)got.count, expected, count);
    tact_gpu_volumes_release(resident_a);
    tact_gpu_volumes_release(resident_b);
    free(got.pairs);
}

/// Results of many tiles, down to one row each, and walks of many launches.
TEST_AS(BOTH, small_tiles_and_launches)
{
    pairs_fixture* f = require(state);
    const size_t n = effort(200, 400);
    // 13 steps break a walk off amid the leaves of a group.
    static const pieces all[] = {{TACT_PAIRS_BVH, 1, 0},    {TACT_PAIRS_GRID, 7, 0}, {TACT_PAIRS_BVH, 100, 0},
                                 {TACT_PAIRS_GRID, 600, 0}, {TACT_PAIRS_BVH, 0, 13}, {TACT_PAIRS_GRID, 0, 13}};
    tact_aabb* boxes = scratch(n * sizeof *boxes);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        tact_volume_scenes[s].make(n, 3, boxes);
        tact_volumes* a = make_boxes(f->context, boxes, n);
        tact_volumes* b = make_boxes(f->context, boxes, n / 3);
        for (int two = 0; two < 2; ++two) {
            size_t count = 0;
            tact_pair* expected = define_pairs(a, two ? b : NULL, &count);
            for (size_t p = s == 5 ? 2 : 0; p < sizeof all / sizeof all[0]; ++p) {
                if (two && all[p].method == TACT_PAIRS_GRID) continue;
                compare_pieces(f, tact_volume_scenes[s].name, a, two ? b : NULL, &all[p], expected, count);
            }
        }
        tact_volumes_destroy(b);
        tact_volumes_destroy(a);
    }
}

/// Rows longer than any are sorted by one item, of boxes that all share a cell: all n (n - 1) / 2 pairs.
TEST_AS(BOTH, all_pairs_of_some_thousands)
{
    pairs_fixture* f = require(state);
    const size_t n = effort(2000, 5000);
    tact_aabb* boxes = scratch(n * sizeof *boxes);
    tact_volume_scene_named("coincident")->make(n, 1, boxes);
    tact_volumes* set = KEEP(make_boxes(f->context, boxes, n));
    const tact_query_options options = {.backend = f->backend, .no_fallback = true};
    for (int m = 0; m < 2; ++m) {
        const tact_pairs_method method = m ? TACT_PAIRS_GRID : TACT_PAIRS_BVH;
        size_t count = 0;
        assert_int_equal(call_pairs_find(set, NULL, method, NULL, 0, &count, &options, NULL), TACT_OK);
        expect_method("all pairs", set, method);
        assert_int_equal(count, n * (n - 1) / 2);
        const tact_pair* pairs = tact_pairs_last(set, &count);
        for (uint32_t a = 0; a < n; ++a) {
            for (uint32_t b = a + 1; b < n; ++b, ++pairs) {
                if (pairs->a != a || pairs->b != b) fail_msg("(%u, %u) is not (%u, %u)", pairs->a, pairs->b, a, b);
            }
        }
    }
}

/// Whatever buffer cannot be had, the CPU answers, and the next query is as if nothing had been.
TEST_AS(BOTH, a_failing_buffer_is_answered_by_the_cpu)
{
    pairs_fixture* f = require(state);
    enum { N = 500 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 4, boxes);
    const tact_query_options options = {.backend = f->backend};
    bool failed = true;
    for (uint32_t number = 1; failed; ++number) {
        tact_volumes* set = make_boxes(f->context, boxes, N);
        size_t expected_count = 0, count = 0;
        tact_pair* expected = define_pairs(set, NULL, &expected_count);
        tact_device_fail_buffer(device_of(f), number);
        tact_query_report report;
        assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, &options, &report), TACT_OK);
        tact_device_fail_buffer(device_of(f), 0);
        failed = report.failures > 0;
        assert_int_equal(report.backend, failed ? TACT_BACKEND_CPU : f->backend);
        compare_lists("failed", TACT_PAIRS_AUTO, tact_pairs_last(set, &count), count, expected, expected_count);
        compare_with(f, "after a failure", set, NULL, TACT_PAIRS_AUTO, expected, expected_count);
        tact_volumes_destroy(set);
        assert_true(number < 100);
    }
}

/// A device that is lost at any launch: the CPU answers, from then on.
TEST_AS(BOTH, a_lost_device_is_answered_by_the_cpu)
{
    require(state);
    enum { N = 300 };
    tact_aabb boxes[N];
    tact_input_volumes_uniform(N, 4, boxes);
    for (uint32_t number = 1; number < 16; number += 2) {
        pairs_fixture* own = NULL;
        const pairs_fixture* given = *state;
        assert_int_equal(setup((void**)&own, given->backend), 0);
        tact_volumes* set = make_boxes(own->context, boxes, N);
        size_t expected_count = 0, count = 0;
        tact_pair* expected = define_pairs(set, NULL, &expected_count);
        const tact_query_options options = {.backend = own->backend};
        tact_query_report report;
        tact_device_fail_launch(device_of(own), number);
        assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_BVH, NULL, 0, &count, &options, &report), TACT_OK);
        compare_lists("lost", TACT_PAIRS_BVH, tact_pairs_last(set, &count), count, expected, expected_count);
        tact_volumes_destroy(set);
        teardown((void**)&own);
    }
}

static tact_pairs_info info_of(pairs_fixture* f, tact_volumes* set, tact_pairs_method method)
{
    size_t count = 0;
    tact_pair* expected = define_pairs(set, NULL, &count);
    compare_with(f, "info", set, NULL, method, expected, count);
    tact_pairs_info info;
    assert_int_equal(tact_pairs_get_info(set, &info), TACT_OK);
    return info;
}

/// A grid has cells for boxes of like sizes, and a list for the few that are wider, be they without end.
TEST_AS(BOTH, the_grid_takes_a_few_wide_boxes)
{
    pairs_fixture* f = require(state);
    enum { N = 2000 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_input_volumes_uniform(N, 4, boxes);
    boxes[5] = (tact_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0.5f}};
    boxes[700] = (tact_aabb){{0.2f, 0.2f, 0.2f}, {0.8f, 0.9f, 0.3f}};
    boxes[1999] = (tact_aabb){{-1e30f, 0.1f, 0.1f}, {1e30f, 0.1f, 0.9f}};
    boxes[6].lower.x = NAN;
    boxes[7] = (tact_aabb){{-3e5f, 0.5f, 0.5f}, {-3e5f, 0.51f, 0.51f}};
    tact_volumes* set = make_boxes(f->context, boxes, N);
    assert_int_equal(info_of(f, set, TACT_PAIRS_GRID).method, TACT_PAIRS_GRID);
    assert_int_equal(info_of(f, set, TACT_PAIRS_AUTO).method, TACT_PAIRS_GRID);
    assert_int_equal(info_of(f, set, TACT_PAIRS_BVH).method, TACT_PAIRS_BVH);
    tact_volumes_destroy(set);
    // Sizes over 1000:1 are for the tree.
    tact_volume_scene_named("sizes")->make(N, 4, boxes);
    set = make_boxes(f->context, boxes, N);
    assert_int_equal(info_of(f, set, TACT_PAIRS_AUTO).method, TACT_PAIRS_BVH);
    tact_volumes_destroy(set);
}

/// A grid that is asked for does what `auto` leaves to the tree: hundreds of boxes wider than a cell, all in one cell,
/// numbers so small or large that there is one cell for all, and boxes of which none is in the sample.
TEST_AS(BOTH, a_grid_that_is_asked_for_is_taken)
{
    pairs_fixture* f = require(state);
    enum { N = 9000, FEW = 1500 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    for (int kind = 0; kind < 5; ++kind) {
        const uint32_t count = kind == 4 ? N : FEW;
        tact_input_volumes_uniform(count, 4, boxes);
        if (kind == 1) tact_volume_scene_named("coincident")->make(count, 4, boxes);
        if (kind == 2 || kind == 3) scale_boxes(boxes, count, kind == 2 ? -120 : 110, false, boxes);
        for (uint32_t i = 0; i < count && kind == 0; i += 5)
            boxes[i].upper.x += 0.5f;
        for (uint64_t i = 0; i < TACT_SAMPLE && kind == 4; ++i)
            boxes[i * N / TACT_SAMPLE].lower.x = NAN;
        tact_volumes* set = make_boxes(f->context, boxes, count);
        assert_non_null(strstr(info_of(f, set, TACT_PAIRS_GRID).reason, "selected: a grid"));
        assert_int_equal(info_of(f, set, TACT_PAIRS_AUTO).method, TACT_PAIRS_BVH);
        tact_volumes_destroy(set);
    }
}

TEST_AS(BOTH, small_motion_refits)
{
    pairs_fixture* f = require(state);
    enum { N = 1000 };
    tact_aabb *boxes = scratch(N * sizeof *boxes), *moved = scratch(N * sizeof *moved);
    tact_input_volumes_uniform(N, 4, boxes);
    tact_volumes* set = KEEP(make_boxes(f->context, boxes, N));
    assert_true(info_of(f, set, TACT_PAIRS_BVH).rebuilt);
    for (unsigned frame = 1; frame < 4; ++frame) {
        tact_input_volumes_move(boxes, N, 1, frame, 0.05, moved);
        assert_int_equal(tact_volumes_move_aabbs(set, NULL, moved, N), TACT_OK);
        assert_false(info_of(f, set, TACT_PAIRS_BVH).rebuilt);
    }
    // All elsewhere.
    tact_input_volumes_uniform(N, 5, boxes);
    assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, N), TACT_OK);
    assert_true(info_of(f, set, TACT_PAIRS_BVH).rebuilt);
}

/// For oclgrind, which is slow: each kernel once, on few boxes.
static void tiny(void** state)
{
    pairs_fixture* f = require(state);
    enum { N = 70 };
    static const char* const scenes[] = {"uniform", "coincident", "hostile"};
    tact_aabb boxes[N];
    tact_sphere spheres[N];
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
        tact_volume_scene_named(scenes[s])->make(N, 2, boxes);
        tact_input_volumes_to_spheres(boxes, N, spheres);
        tact_volumes* a = make_boxes(f->context, boxes, N);
        tact_volumes* b = make_spheres(f->context, spheres, N / 2);
        const tact_categories categories = {1, 2};
        const uint32_t id = 3;
        assert_int_equal(tact_volumes_set_categories(b, &id, &categories, 1), TACT_OK);
        compare(f, scenes[s], a, NULL);
        compare(f, scenes[s], b, a);
        tact_volumes_destroy(b);
        tact_volumes_destroy(a);
    }
}

TEST_AS(BOTH, other_methods_are_the_cpus)
{
    pairs_fixture* f = require(state);
    enum { N = 100 };
    static const tact_pairs_method others[] = {TACT_PAIRS_BRUTE, TACT_PAIRS_SAP, TACT_PAIRS_HGRID, TACT_PAIRS_TREE,
                                               TACT_PAIRS_GRID};
    tact_aabb boxes[N];
    tact_input_volumes_uniform(N, 4, boxes);
    tact_volumes* set = KEEP(make_boxes(f->context, boxes, N));
    tact_volumes* second = KEEP(make_boxes(f->context, boxes, N));
    for (size_t m = 0; m < sizeof others / sizeof others[0]; ++m) {
        // Within a set devices have a grid.
        tact_volumes* other = others[m] == TACT_PAIRS_GRID ? second : NULL;
        expect_refusal(f, set, other, others[m]);
        for (int forced = 0; forced < 2; ++forced) {
            const tact_query_options options = {.backend = forced ? f->backend : TACT_BACKEND_AUTO};
            size_t count = 0;
            tact_query_report report;
            assert_int_equal(call_pairs_find(set, other, others[m], NULL, 0, &count, &options, &report), TACT_OK);
            assert_int_equal(report.backend, TACT_BACKEND_CPU);
            assert_int_equal(report.failures, forced);
            expect_method("another method", set, others[m]);
        }
    }
}

static bool stop(double done, void* user)
{
    ++*(int*)user;
    return false;
}

TEST_AS(BOTH, a_long_query_can_be_stopped)
{
    pairs_fixture* f = require(state);
    enum { N = 6000 };
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_volume_scene_named("coincident")->make(N, 1, boxes);
    tact_volumes* set = KEEP(make_boxes(f->context, boxes, N));
    int asked = 0;
    const tact_query_options options = {.backend = f->backend, .progress = stop, .progress_user = &asked};
    size_t count = 0;
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_BVH, NULL, 0, &count, &options, NULL), TACT_ERROR_CANCELLED);
    assert_int_equal(asked, 1);
}

#define BOTH(name)                                    \
    {#name " (gl)", name, setup_gl, teardown, NULL},  \
    {                                                 \
#name " (cl)", name, setup_cl, teardown, NULL \
    }

#include TEST_LIST

int main(int argc, char** argv)
{
    const struct CMUnitTest small[] = {{"tiny (cl)", tiny, setup_cl, teardown, NULL}};
    if (argc > 1 && strcmp(argv[1], "tiny") == 0) {
        return run_all(small, NULL, NULL);
    }
    return run_all(all_tests, NULL, NULL);
}
