// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Concave image tests whose images are computed, on each device: results and images, to the bit, are those of the CPU,
/// which other tests hold against the definition. With an argument, `gl` or `cl`, on that device alone.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "gpu/image/cells.h"
#include "tests/support/image_concave_check.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/test_context.h"

static int only;

/// The devices, one after another.
static bool next_device(int* backend)
{
    for (++*backend; *backend <= TACT_BACKEND_CL; ++*backend) {
        if (only && *backend != only) continue;
        if (!device_missing(context, (tact_backend)*backend)) return true;
    }
    return false;
}

static int first_device(void)
{
    int backend = TACT_BACKEND_CPU;
    if (!next_device(&backend)) skip_because("the devices are missing");
    return TACT_BACKEND_CPU;
}

typedef struct seen {
    tact_image_result* results;
    uint32_t* cells[4];
    size_t count, words;
} seen;

static seen make_room(size_t count, uint32_t resolution)
{
    seen s = {.results = scratch_zeroed(count, sizeof *s.results), .count = count};
    s.words = (size_t)resolution * resolution * ((tact_image_slots(resolution) + 1) / 32);
    for (int k = 0; k < 4 && count == 1; ++k)
        s.cells[k] = scratch_zeroed(s.words, 4);
    return s;
}

static void look(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b, uint32_t resolution,
                 tact_image_method method, tact_backend backend, seen* s)
{
    const tact_image_options how = {.method = method, .resolution = resolution, .making = TACT_IMAGE_COMPUTED};
    const tact_image_cells cells = {s->cells[0], s->cells[1], s->cells[2], s->cells[3]};
    const tact_image_work work = {.a = a,
                                  .b = b,
                                  .options = &how,
                                  .results = s->results,
                                  .count = s->count,
                                  .cells = s->count == 1 ? &cells : NULL};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    tact_query_report report;
    const tact_result result = tact_image_concave(tester, &work, &options, &report);
    if (result != TACT_OK) fail_msg("%s: %s", tact_backend_name(backend), tact_context_error(context));
    assert_int_equal(report.backend, backend);
}

static void expect_same(const seen* got, const seen* wanted, tact_backend backend, const char* what, size_t number)
{
    for (size_t i = 0; i < got->count; ++i) {
        const tact_image_result *r = &got->results[i], *w = &wanted->results[i];
        if (memcmp(r, w, sizeof *r) == 0) continue;
        fail_msg("%s, %s %zu, test %zu: samples %u %u, not %u %u; inside %u, not %u; leaks %u %u, not %u %u",
                 tact_backend_name(backend), what, number, i, (unsigned)r->samples[0], (unsigned)r->samples[1],
                 (unsigned)w->samples[0], (unsigned)w->samples[1], (unsigned)r->inside, (unsigned)w->inside,
                 (unsigned)r->leaks[0], (unsigned)r->leaks[1], (unsigned)w->leaks[0], (unsigned)w->leaks[1]);
    }
    for (int k = 0; k < 4 && got->count == 1; ++k)
        for (size_t i = 0; i < got->words; ++i) {
            if (got->cells[k][i] == wanted->cells[k][i]) continue;
            fail_msg("%s, %s %zu: word %zu of image %d is %08x, not %08x", tact_backend_name(backend), what, number, i,
                     k, (unsigned)got->cells[k][i], (unsigned)wanted->cells[k][i]);
        }
}

/// Both methods on every device, against the CPU.
static void compare(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b, uint32_t resolution,
                    size_t count, const char* what, size_t number, seen* wanted)
{
    *wanted = make_room(count, resolution);
    for (int method = 0; method < 2; ++method) {
        look(tester, a, b, resolution, (tact_image_method)method, TACT_BACKEND_CPU, wanted);
        for (int backend = first_device(); next_device(&backend);) {
            seen got = make_room(count, resolution);
            look(tester, a, b, resolution, (tact_image_method)method, (tact_backend)backend, &got);
            expect_same(&got, wanted, (tact_backend)backend, what, number);
        }
    }
}

static void random_pose(test_random* r, float reach, float pose[12])
{
    image_random_turn(r, pose);
    for (int k = 0; k < 3; ++k)
        pose[4 * k + 3] = reach * test_random_signed(r);
}

TEST(any_objects_at_any_resolution)
{
    enum { SHAPES = 7, POSES = 4 };
    static const uint32_t resolutions[] = {64, 5, 16, 100, 128, 4, 129, 256, 257, 512, 1024};
    tact_image_tester* tester = KEEP(new_image_tester(context));
    test_random random = test_random_seeded(7701);
    concave_solid s[SHAPES] = {
        concave_knot(24, 4, 0.12),
        concave_box((const float[3]){-0.7f, -0.4f, -0.3f}, (const float[3]){0.7f, 0.4f, 0.3f}),
        concave_hollow(0.8f, 0.6f),
        concave_box((const float[3]){-400, -300, -200}, (const float[3]){0.3f, 0.3f, 0.3f}),
        concave_knot(24, 4, 0.15),  // open: some triangles are left out
        concave_box((const float[3]){-0.5f, -0.5f, -0.5f}, (const float[3]){0.5f, 0.5f, 0.5f}),
        concave_box((const float[3]){-1e6f, -1e6f, -1e6f}, (const float[3]){1e6f, 0.4f, 1e6f}),
    };
    s[4].triangles -= 9;
    s[5].triangles -= 1;
    size_t hits = 0, leaks = 0, all = 0;
    for (size_t n = 0; n < 29; ++n) {
        const uint32_t size = resolutions[n < 11 ? n : n % 6];
        const size_t count = size > 128 || n % 3 == 2 ? 1 : POSES;
        float pa[POSES][12], pb[POSES][12];
        for (size_t i = 0; i < count; ++i) {
            random_pose(&random, 0.2f, pa[i]);
            random_pose(&random, 1.6f, pb[i]);
        }
        tact_image_body a = concave_body(&s[test_random_below(&random, SHAPES)], (const float(*)[12])pa, count);
        tact_image_body b = concave_body(&s[test_random_below(&random, SHAPES)], (const float(*)[12])pb, count);
        a.closed = b.closed = n % 2 == 0 || a.mesh.triangle_count % 12 != 0 || b.mesh.triangle_count % 12 != 0;
        seen wanted;
        compare(tester, &a, &b, size, count, "pair", n, &wanted);
        for (size_t i = 0; i < count; ++i, ++all) {
            hits += wanted.results[i].overlap;
            leaks += wanted.results[i].leaks[0] + wanted.results[i].leaks[1] > 0;
        }
    }
    print_message("%zu tests, %zu overlap, %zu leak\n", all, hits, leaks);
    assert_true(hits > all / 5 && hits < all * 9 / 10 && leaks > all / 20);
}

// Flat, a line, a point, touching, huge, tiny.
TEST(degenerate_objects)
{
    static const float cases[][6] = {{-1, -1, 0.5f, 2, 2, 0.5f},
                                     {0.5f, 0.5f, -1, 0.5f, 0.5f, 2},
                                     {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
                                     {1, 0, 0, 2, 1, 1},
                                     {-1e18f, -1e18f, -1e18f, 1e18f, 1e18f, 1e18f},
                                     {0.5f, 0.5f, 0.5f, 0.5f + 1e-7f, 0.5f, 0.5f},
                                     {0, 0, 0, 1e-40f, 1e-40f, 1e-40f}};
    tact_image_tester* tester = KEEP(new_image_tester(context));
    concave_solid a = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    tact_image_body body_a = concave_body(&a, NULL, 0);
    body_a.closed = true;
    seen wanted;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        concave_solid b = concave_box(cases[i], cases[i] + 3);
        tact_image_body body_b = concave_body(&b, NULL, 0);
        body_b.closed = true;
        compare(tester, &body_a, &body_b, 16, 1, "case", i, &wanted);
        compare(tester, &body_b, &body_b, 200, 1, "itself", i, &wanted);
    }
    tact_image_body none = body_a;
    none.mesh.triangle_count = 0;
    compare(tester, &body_a, &none, 16, 1, "nothing", 0, &wanted);
    assert_false(wanted.results[0].drawn);
    // Bounds that are wrong, of vertices that overflow all that is computed.
    const tact_image_bounds small = {.lower = {0.4f, 0.4f, 0.4f}, .upper = {0.4001f, 0.4001f, 0.4001f}};
    a.positions[3] = -1e18f;
    a.positions[7] = 1e18f;
    body_a.bounds = &small;
    compare(tester, &body_a, &body_a, 16, 1, "overflow", 0, &wanted);
}

// No index array, and a stride.
TEST(loose_triangles)
{
    tact_image_tester* tester = KEEP(new_image_tester(context));
    concave_solid s = concave_hollow(0.8f, 0.6f);
    float(*rows)[5] = scratch_zeroed(3 * s.triangles, sizeof *rows);
    for (size_t i = 0; i < 3 * s.triangles; ++i)
        memcpy(rows[i], s.positions + 3 * s.indices[i], 12);
    const float pose[1][12] = {{0.8f, 0.6f, 0, 0.3f, -0.6f, 0.8f, 0, 0.4f, 0, 0, 1, 0.5f}};
    tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&s, pose, 1);
    b.mesh.indices = NULL;
    b.mesh.positions = rows[0];
    b.mesh.vertex_count = 3 * s.triangles;
    b.mesh.position_stride = sizeof *rows;
    seen wanted;
    compare(tester, &a, &b, 64, 1, "loose", 0, &wanted);
    assert_true(wanted.results[0].overlap);
}

// Many large triangles: more rows than the list has room for at first, in more batches than one. Then few.
TEST(triangles_that_cover_their_tiles)
{
    enum { POSES = 600 };
    static float poses[POSES][12];
    test_random random = test_random_seeded(7702);
    tact_image_tester* tester = KEEP(new_image_tester(context));
    concave_solid a = concave_box((const float[3]){-9, -9, -9}, (const float[3]){0.4f, 0.5f, 0.6f});
    concave_solid b = concave_box((const float[3]){-0.5f, -0.5f, -0.5f}, (const float[3]){8, 9, 10});
    for (size_t i = 0; i < POSES; ++i)
        random_pose(&random, 0.3f, poses[i]);
    const tact_image_body body_a = concave_body(&a, NULL, 0);
    const tact_image_body body_b = concave_body(&b, (const float(*)[12])poses, POSES);
    seen wanted;
    compare(tester, &body_a, &body_b, 64, POSES, "large", 0, &wanted);
    const tact_image_body fewer = concave_body(&b, (const float(*)[12])poses, 3);
    compare(tester, &body_a, &fewer, 64, 3, "few", 0, &wanted);
    compare(tester, &body_a, &fewer, 1024, 3, "fine", 0, &wanted);
}

TEST(many_triangles)
{
    tact_image_tester* tester = KEEP(new_image_tester(context));
    concave_solid s = concave_knot(3000, 50, 0.15);  // 300,000
    float pose[1][12];
    test_random random = test_random_seeded(7703);
    random_pose(&random, 0.3f, pose[0]);
    const tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&s, (const float(*)[12])pose, 1);
    seen wanted;
    compare(tester, &a, &b, 64, 1, "knot", 0, &wanted);
    assert_true(wanted.results[0].overlap);
}

// Windows of some tiles each, and of parts of one.
TEST(any_windows)
{
    enum { POSES = 9 };
    static const uint32_t windows[] = {1, 7, 100, 192, 193, 500};
    float poses[POSES][12];
    test_random random = test_random_seeded(7704);
    concave_solid s = concave_knot(24, 4, 0.15),
                  box = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    tact_image_result wanted[POSES], got[POSES];
    for (size_t i = 0; i < POSES; ++i)
        random_pose(&random, 0.5f, poses[i]);
    const tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&box, (const float(*)[12])poses, POSES);
    tact_image_job job = {.bodies = {&a, &b}, .concave = true, .once = {true, true}, .results = wanted, .count = POSES};
    job.options = (tact_image_options){.method = TACT_IMAGE_READBACK, .resolution = 32};
    for (int backend = first_device(); next_device(&backend);) {
        tact_gpu_concave* g;
        tact_device* device = context->devices[tact_context_find(context, (tact_backend)backend)];
        assert_int_equal(tact_gpu_concave_create(device, &g), TACT_OK);
        job.results = wanted;
        assert_int_equal(tact_gpu_concave_run(g, &job, false), TACT_OK);
        for (size_t i = 0; i < sizeof windows / sizeof *windows; ++i) {
            memset(got, 1, sizeof got);
            job.results = got;
            tact_gpu_concave_limit(g, windows[i]);
            assert_int_equal(tact_gpu_concave_run(g, &job, false), TACT_OK);
            assert_memory_equal(got, wanted, sizeof got);
        }
        tact_gpu_concave_destroy(g);
    }
    size_t hits = 0;
    for (size_t i = 0; i < POSES; ++i)
        hits += wanted[i].overlap;
    assert_true(hits > 0);
}

// What had no room is done again once, and then there is room: a call waits once for each of its images.
TEST(room_is_found_once)
{
    enum { POSES = 256 };
    static float poses[POSES][12];
    test_random random = test_random_seeded(7705);
    concave_solid box = concave_hollow(0.6f, 0.5f);
    for (size_t i = 0; i < POSES; ++i)
        random_pose(&random, 0.1f, poses[i]);
    const tact_image_body a = concave_body(&box, NULL, 0), b = concave_body(&box, (const float(*)[12])poses, POSES);
    for (int backend = first_device(); next_device(&backend);) {
        tact_image_tester* tester = KEEP(new_image_tester(context));
        uint64_t waits[3];
        for (int call = 0; call < 3; ++call) {
            tact_device_counts before, after;
            seen s = make_room(POSES, 64);
            assert_int_equal(tact_context_device_counts(context, (tact_backend)backend, &before), TACT_OK);
            look(tester, &a, &b, 64, TACT_IMAGE_READBACK, (tact_backend)backend, &s);
            assert_int_equal(tact_context_device_counts(context, (tact_backend)backend, &after), TACT_OK);
            waits[call] = after.waits - before.waits;
        }
        assert_true(waits[0] > 1);
        assert_int_equal(waits[1], 1);
        assert_int_equal(waits[2], 1);
    }
}

// Which part of a device makes the images is the caller's to say, and else a question of cost.
TEST(the_caller_may_say_how)
{
    static const float pose[1][12] = {{1, 0, 0, 0.3f, 0, 1, 0, 0.4f, 0, 0, 1, 0.5f}};
    concave_solid box = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    const tact_image_body a = concave_body(&box, NULL, 0), b = concave_body(&box, pose, 1);
    tact_image_tester* tester = KEEP(new_image_tester(context));
    tact_image_result r;
    tact_explanation e;
    for (int backend = first_device(); next_device(&backend);) {
        const bool gl = backend == TACT_BACKEND_GL;
        for (int making = 0; making < 4; ++making) {
            const tact_image_options how = {
                .method = TACT_IMAGE_READBACK, .resolution = 16, .making = (tact_image_making)making};
            const tact_image_work work = {.a = &a, .b = &b, .options = &how, .results = &r, .count = 1};
            const tact_query_options options = {.backend = (tact_backend)backend, .no_fallback = true};
            const tact_result result = tact_image_concave(tester, &work, &options, NULL);
            if (making == 3) {
                assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
                continue;
            }
            assert_int_equal(result, making == TACT_IMAGE_DRAWN && !gl ? TACT_ERROR_UNSUPPORTED : TACT_OK);
            if (result != TACT_OK) continue;
            assert_int_equal(tact_explain(context, &e), TACT_OK);
            if (making == TACT_IMAGE_DRAWN) assert_string_equal(e.method, "concave drawn");
            if (making == TACT_IMAGE_COMPUTED) assert_string_equal(e.method, "concave");
            const char* why = e.candidates[backend - TACT_BACKEND_CPU].why;
            assert_true((strstr(why, "; as concave") != NULL) == (gl && making == TACT_IMAGE_MADE_EITHER_WAY));
            // Convex objects are drawn, or the CPU's.
            const tact_result convex = tact_image_convex(tester, &work, &options, NULL);
            assert_int_equal(convex, gl && making != TACT_IMAGE_COMPUTED ? TACT_OK : TACT_ERROR_UNSUPPORTED);
        }
    }
}

TEST(buffers_that_cannot_be_made)
{
    static const float pose[1][12] = {{1, 0, 0, 0.3f, 0, 1, 0, 0.4f, 0, 0, 1, 0.5f}};
    concave_solid box = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    const tact_image_body a = concave_body(&box, NULL, 0), b = concave_body(&box, pose, 1);
    for (int backend = first_device(); next_device(&backend);) {
        tact_device* device = context->devices[tact_context_find(context, (tact_backend)backend)];
        const tact_query_options options = {.backend = (tact_backend)backend, .no_fallback = true};
        const tact_image_options how = {.method = TACT_IMAGE_READBACK, .making = TACT_IMAGE_COMPUTED};
        size_t failures = 0;
        for (uint32_t number = 1; number < 20; ++number) {
            tact_image_result r = {0};
            const tact_image_work work = {.a = &a, .b = &b, .options = &how, .results = &r, .count = 1};
            tact_image_tester* tester = new_image_tester(context);
            tact_device_fail_buffer(device, number);
            const tact_result result = tact_image_concave(tester, &work, &options, NULL);
            tact_device_fail_buffer(device, 0);
            assert_true(result == TACT_OK || result == TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            failures += result != TACT_OK;
            assert_int_equal(tact_image_concave(tester, &work, &options, NULL), TACT_OK);
            assert_true(r.overlap);
            tact_image_tester_destroy(tester);
        }
        // Vertices and indices of both, where they are, four images, what is found, rows and their counts.
        assert_int_equal(failures, 13);
    }
}

static int open_quiet(void** state)
{
    const tact_context_desc desc = {.log = quiet};
    return open_described(&desc);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    if (argc > 1) only = strcmp(argv[1], "cl") == 0 ? TACT_BACKEND_CL : TACT_BACKEND_GL;
    return run_all(all_tests, open_quiet, close_context);
}
