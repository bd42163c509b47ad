// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Concave image tests by the stencil buffer, the way of the book (Ericson, Real-Time Collision Detection, 10.3): that
/// it agrees with the defined test where much is seen, what it misses, and that no report says that it is exact.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "tests/support/effort.h"
#include "tests/support/image_concave_check.h"
#include "tests/support/image_lab.h"
#include "tests/support/one_device.h"

static tact_result look(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                        tact_image_method method, tact_backend backend, uint32_t resolution, tact_image_result* r,
                        size_t count, tact_query_report* report)
{
    const tact_image_options how = {.method = method, .resolution = resolution};
    const tact_image_work work = {.a = a, .b = b, .options = &how, .results = r, .count = count};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    return tact_image_concave(tester, &work, &options, report);
}

static void by_stencil(image_lab* l, const tact_image_body* a, const tact_image_body* b, uint32_t resolution,
                       tact_image_result* r, size_t count)
{
    tact_query_report report;
    if (look(l->tester, a, b, TACT_IMAGE_STENCIL, TACT_BACKEND_AUTO, resolution, r, count, &report) != TACT_OK) {
        fail_msg("%s", tact_context_error(l->context));
    }
    assert_int_equal(report.backend, TACT_BACKEND_GL);
    assert_false(report.exact);
    assert_true(report.tolerance == (double)INFINITY);
    assert_non_null(strstr(report.reason, "approximate"));
    for (size_t i = 0; i < count; ++i) {
        const float bound = r[i].drawn ? INFINITY : 0.0f;
        assert_true(r[i].gap == bound && r[i].depth == bound && r[i].tolerance == bound);
        assert_int_equal(r[i].overlap, r[i].samples[0] + r[i].samples[1] > 0);
        assert_int_equal(r[i].inside + r[i].leaks[0] + r[i].leaks[1] + r[i].common + r[i].box[2], 0);
    }
}

static void by_definition(image_lab* l, const tact_image_body* a, const tact_image_body* b, uint32_t resolution,
                          tact_image_result* r, size_t count)
{
    assert_int_equal(look(l->tester, a, b, TACT_IMAGE_READBACK, TACT_BACKEND_CPU, resolution, r, count, NULL), TACT_OK);
}

/// Whether both see the only test's objects overlap, in either order of them.
static bool agrees(image_lab* l, const concave_solid* a, const concave_solid* b, uint32_t resolution, bool overlap)
{
    const tact_image_body body_a = concave_body(a, NULL, 0), body_b = concave_body(b, NULL, 0);
    tact_image_result r, swapped, defined;
    by_stencil(l, &body_a, &body_b, resolution, &r, 1);
    by_stencil(l, &body_b, &body_a, resolution, &swapped, 1);
    by_definition(l, &body_a, &body_b, resolution, &defined, 1);
    assert_int_equal(r.overlap, swapped.overlap);
    assert_int_equal(r.drawn, defined.drawn);
    assert_int_equal(defined.overlap, overlap);
    return r.overlap == overlap;
}

static concave_solid box(float x, float y, float z, float to_x, float to_y, float to_z)
{
    return concave_box((const float[3]){x, y, z}, (const float[3]){to_x, to_y, to_z});
}

/// Both as one object, the first one drawn first.
static concave_solid both_of(const concave_solid* a, const concave_solid* b)
{
    concave_solid s = concave_make(a->vertices + b->vertices, a->triangles + b->triangles);
    memcpy(s.positions, a->positions, 12 * a->vertices);
    memcpy(s.positions + 3 * a->vertices, b->positions, 12 * b->vertices);
    memcpy(s.indices, a->indices, 12 * a->triangles);
    for (size_t i = 0; i < 3 * b->triangles; ++i)
        s.indices[3 * a->triangles + i] = (uint32_t)a->vertices + b->indices[i];
    concave_measure(&s);
    return s;
}

TEST_AS(IMAGE_LAB_TEST, what_it_sees)
{
    image_lab* l = image_lab_require(state);
    static const uint32_t resolutions[] = {16, 64, 100, 256, 1024};
    concave_solid slab = box(-0.7f, -0.7f, -0.3f, 0.7f, 0.7f, 0.3f);
    concave_solid bar = box(-0.9f, -0.1f, -0.1f, 0.1f, 0.1f, 0.1f);
    concave_solid post = box(-0.2f, -0.2f, -0.8f, 0.2f, 0.2f, 0.8f);
    concave_solid within = box(-0.2f, -0.2f, -0.1f, 0.2f, 0.2f, 0.1f);
    concave_solid shell = concave_hollow(0.6f, 0.5f), knot = concave_knot(48, 8, 0.12);
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; ++i) {
        const uint32_t size = resolutions[i];
        assert_true(agrees(l, &slab, &bar, size, true));
        assert_true(agrees(l, &slab, &post, size, true));
        assert_true(agrees(l, &slab, &within, size, true));
        assert_true(agrees(l, &shell, &within, size, false));  // in its cavity
        assert_true(agrees(l, &shell, &bar, size, true));
        assert_true(agrees(l, &knot, &slab, size, true));
    }
    // Each direction by itself: an edge of the bar is in the slab, none of the slab's in the bar.
    const tact_image_body a = concave_body(&slab, NULL, 0), b = concave_body(&within, NULL, 0);
    tact_image_result r, swapped;
    by_stencil(l, &a, &b, 64, &r, 1);
    by_stencil(l, &b, &a, 64, &swapped, 1);
    assert_true(r.samples[0] > 0 && r.samples[1] == 0);
    assert_true(swapped.samples[0] == 0 && swapped.samples[1] == r.samples[0]);
}

/// Random poses of all kinds of solids, several hundred in a call. Where the defined test sees much the stencil sees
/// something; where that sees nothing, so does the stencil, but for what a pixel decides.
TEST_AS(IMAGE_LAB_TEST, it_agrees_where_much_is_seen)
{
    enum { SHAPES = 5, POSES = 300, MUCH = 12 };
    static const uint32_t resolutions[] = {32, 64, 128};
    static float pa[POSES][12], pb[POSES][12];
    static tact_image_result seen[POSES], defined[POSES];
    image_lab* l = image_lab_require(state);
    test_random random = test_random_seeded(8801);
    const concave_solid s[SHAPES] = {concave_knot(48, 8, 0.12), box(-0.7f, -0.4f, -0.3f, 0.7f, 0.4f, 0.3f),
                                     concave_hollow(0.8f, 0.6f), box(-0.9f, -0.03f, -0.03f, 0.9f, 0.03f, 0.03f),
                                     box(-0.6f, -0.6f, -0.02f, 0.6f, 0.6f, 0.02f)};
    const size_t rounds = effort(12, 60);
    size_t much = 0, apart = 0, missed = 0, told = 0;
    for (size_t n = 0; n < rounds; ++n) {
        for (size_t i = 0; i < POSES; ++i) {
            image_random_turn(&random, pa[i]);
            image_random_turn(&random, pb[i]);
            for (int k = 0; k < 3; ++k) {
                pa[i][4 * k + 3] = 0.2f * test_random_signed(&random);
                pb[i][4 * k + 3] = 1.2f * test_random_signed(&random);
            }
        }
        const concave_solid *of_a = &s[n % SHAPES], *of_b = &s[test_random_below(&random, SHAPES)];
        const tact_image_body a = concave_body(of_a, (const float(*)[12])pa, POSES);
        const tact_image_body b = concave_body(of_b, (const float(*)[12])pb, POSES);
        by_stencil(l, &a, &b, resolutions[n % 3], seen, POSES);
        by_definition(l, &a, &b, resolutions[n % 3], defined, POSES);
        for (size_t i = 0; i < POSES; ++i) {
            const bool sees_much = defined[i].samples[0] + defined[i].samples[1] >= MUCH;
            assert_int_equal(seen[i].drawn, defined[i].drawn);
            much += sees_much;
            missed += sees_much && !seen[i].overlap;
            apart += defined[i].drawn && !defined[i].overlap;
            told += seen[i].overlap && !defined[i].overlap;
        }
    }
    print_message("%zu see much, of which %zu are missed; %zu see nothing, of which %zu are told\n", much, missed,
                  apart, told);
    assert_true(much > 40 * rounds && apart > 20 * rounds);
    assert_true(missed * 500 <= much && told * 25 <= apart);
}

/// What is in a tile stays there, in any batch.
TEST_AS(IMAGE_LAB_TEST, tests_do_not_see_each_other)
{
    enum { TESTS = 1500 };
    static const uint32_t resolutions[] = {8, 16, 50, 64, 300};
    static float poses[TESTS][12];
    static tact_image_result r[TESTS];
    image_lab* l = image_lab_require(state);
    concave_solid shell = concave_hollow(40.0f, 0.5f), bar = box(-0.2f, -0.1f, -0.1f, 0.2f, 0.1f, 0.1f);
    for (size_t i = 0; i < TESTS; ++i) {
        image_random_turn(&(test_random){i}, poses[i]);
        for (int k = 0; k < 3; ++k)
            poses[i][4 * k + 3] = 0.0f;
        // In the cavity, in a wall far larger than the tile, or outside of the box.
        if (i % 3 == 1) poses[i][3] = -20.0f;
        if (i % 3 == 2) poses[i][7] = 50.0f;
    }
    const tact_image_body a = concave_body(&shell, NULL, 0);
    for (size_t n = 0; n < sizeof resolutions / sizeof *resolutions; ++n) {
        const size_t count = resolutions[n] > 64 ? 40 : TESTS;
        const tact_image_body b = concave_body(&bar, (const float(*)[12])poses, count);
        by_stencil(l, &a, &b, resolutions[n], r, count);
        for (size_t i = 0; i < count; ++i) {
            if (r[i].overlap == (i % 3 == 1) && r[i].drawn == (i % 3 != 2)) continue;
            fail_msg("test %zu at %u: %s, %u and %u samples", i, (unsigned)resolutions[n],
                     r[i].overlap ? "overlap" : "apart", (unsigned)r[i].samples[0], (unsigned)r[i].samples[1]);
        }
    }
}

// More triangles than one command draws.
TEST_AS(IMAGE_LAB_TEST, meshes_of_any_size)
{
    enum { POSES = 9 };
    image_lab* l = image_lab_require(state);
    concave_solid knot = concave_knot(3000, 50, 0.15), small = box(-0.1f, -0.1f, -0.1f, 0.1f, 0.1f, 0.1f);
    float poses[POSES][12];
    tact_image_result r[POSES], defined[POSES];
    for (size_t i = 0; i < POSES; ++i) {
        const float pose[12] = {1, 0, 0, 0.2f * (float)i, 0, 1, 0, 0, 0, 0, 1, 0};
        memcpy(poses[i], pose, sizeof pose);
    }
    const tact_image_body a = concave_body(&knot, NULL, 0);
    const tact_image_body b = concave_body(&small, (const float(*)[12])poses, POSES);
    by_stencil(l, &a, &b, 32, r, POSES);
    by_definition(l, &a, &b, 32, defined, POSES);
    size_t hits = 0;
    for (size_t i = 0; i < POSES; ++i) {
        assert_int_equal(r[i].overlap, defined[i].overlap);
        hits += r[i].overlap;
    }
    assert_in_range(hits, 2, POSES - 2);
}

// ---- What it misses ----

/// The way from the near to the far side of a view along which nothing moves in its image, over the view's depth.
static void line_of_sight(const tact_image_view* v, float way[3])
{
    static const float skew[2] = {0.17f, 0.11f};
    for (int k = 0; k < 3; ++k) {
        way[k] = v->axes[2][k];
        for (int i = 0; i < 2; ++i)
            way[k] -= v->axes[i][k] * v->half_extent[i] / v->half_extent[2] * skew[i] / (1.0f - skew[i]);
    }
}

/// Moves what is above z = 0 along a line, by its z.
static concave_solid sheared(concave_solid s, const float way[3])
{
    for (size_t i = 0; i < s.vertices; ++i)
        for (int k = 0; k < 2; ++k)
            s.positions[3 * i + k] += s.positions[3 * i + 2] * way[k] / way[2];
    concave_measure(&s);
    return s;
}

static tact_image_view view_of(image_lab* l, const concave_solid* a, const concave_solid* b)
{
    const tact_image_body body_a = concave_body(a, NULL, 0), body_b = concave_body(b, NULL, 0);
    tact_image_result r;
    by_stencil(l, &body_a, &body_b, 64, &r, 1);
    assert_true(r.drawn && fabsf(r.view.axes[2][2]) == 1.0f);
    return r.view;
}

/// A needle through a slab, thinner than a pixel, and a lid that keeps the view wide. Along the line of sight its edges
/// are seen from their ends and have no pixel.
TEST_AS(IMAGE_LAB_TEST, edges_along_the_line_of_sight_are_missed)
{
    image_lab* l = image_lab_require(state);
    float way[3];
    concave_solid slab = box(-0.7f, -0.7f, -0.1f, 0.7f, 0.7f, 0.1f), lid = box(-0.7f, -0.7f, 0.4f, 0.7f, 0.7f, 0.6f);
    const concave_solid straight = box(-0.001f, -0.001f, -0.15f, 0.001f, 0.001f, 0.15f);
    concave_solid needle = both_of(&straight, &lid);
    const tact_image_view view = view_of(l, &slab, &needle);
    assert_true(agrees(l, &slab, &needle, 64, true));
    line_of_sight(&view, way);
    const concave_solid askew = sheared(straight, way);
    needle = both_of(&askew, &lid);
    const tact_image_view again = view_of(l, &slab, &needle);
    assert_memory_equal(&again, &view, sizeof view);
    assert_false(agrees(l, &slab, &needle, 64, true));
}

/// An object smaller than a pixel, between pixels' centres. Finer images see it.
TEST_AS(IMAGE_LAB_TEST, what_is_between_centres_is_missed)
{
    image_lab* l = image_lab_require(state);
    concave_solid slab = box(-0.7f, -0.7f, -0.3f, 0.7f, 0.7f, 0.3f), lid = box(-0.7f, -0.7f, 0.4f, 0.7f, 0.7f, 0.6f);
    concave_solid grain = box(-0.003f, -0.003f, -0.003f, 0.003f, 0.003f, 0.003f);
    concave_solid both = both_of(&grain, &lid);
    assert_false(agrees(l, &slab, &both, 64, true));
    assert_true(agrees(l, &slab, &both, 1024, true));
}

/// A bar in a slab and another one behind it, in the same pixels: of two edges the one that is drawn last is seen.
TEST_AS(IMAGE_LAB_TEST, a_pixel_has_one_edge)
{
    enum { ROUNDS = 40 };
    image_lab* l = image_lab_require(state);
    const concave_solid slab = box(-0.7f, -0.7f, -0.3f, 0.7f, 0.7f, 0.3f);
    const concave_solid lid = box(-0.7f, -0.7f, 0.7f, 0.7f, 0.7f, 0.8f), solid = both_of(&slab, &lid);
    const concave_solid bar = box(-0.5f, -0.45f, -0.1f, 0.5f, 0.45f, 0.1f);
    concave_solid bars = bar, turned = bar;
    float way[3] = {0, 0, 1};
    // Where the other one must lie depends on the view, which is fitted to both.
    for (int i = 0; i < ROUNDS; ++i) {
        concave_solid behind = box(-0.5f, -0.45f, -0.1f, 0.5f, 0.45f, 0.1f);
        for (size_t k = 0; k < behind.vertices; ++k)
            for (int c = 0; c < 3; ++c)
                behind.positions[3 * k + c] += 0.5f * way[c] / way[2];
        bars = both_of(&bar, &behind);
        turned = both_of(&behind, &bar);
        const tact_image_view view = view_of(l, &solid, &bars);
        line_of_sight(&view, way);
    }
    assert_false(agrees(l, &solid, &bars, 64, true));
    assert_true(agrees(l, &solid, &turned, 64, true));
}

// ---- Calls ----

static tact_result ask(tact_image_tester* tester, bool concave, const tact_image_options* how,
                       const tact_query_options* options, const tact_image_cells* cells)
{
    static const float pose[1][12] = {{1, 0, 0, 0.3f, 0, 1, 0, 0.4f, 0, 0, 1, 0.5f}};
    concave_solid s = box(0, 0, 0, 1, 1, 1);
    const tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&s, pose, 1);
    tact_image_result r;
    const tact_image_work work = {.a = &a, .b = &b, .options = how, .results = &r, .count = 1, .cells = cells};
    return (concave ? tact_image_concave : tact_image_convex)(tester, &work, options, NULL);
}

static void expect_failure(const tact_context* context, tact_result got, tact_result wanted, const char* detail)
{
    assert_int_equal(got, wanted);
    if (!strstr(tact_context_error(context), detail)) fail_msg("%s", tact_context_error(context));
}

TEST_AS(IMAGE_LAB_TEST, opengl_draws_it_when_asked_by_name)
{
    image_lab* l = image_lab_require(state);
    tact_image_options how = {.method = TACT_IMAGE_STENCIL, .resolution = 16};
    tact_explanation e;
    for (int making = TACT_IMAGE_MADE_EITHER_WAY; making <= TACT_IMAGE_DRAWN; ++making) {
        how.making = (tact_image_making)making;
        assert_int_equal(ask(l->tester, true, &how, NULL, NULL), TACT_OK);
        assert_int_equal(tact_explain(l->context, &e), TACT_OK);
        assert_int_equal(e.answered, TACT_BACKEND_GL);
        assert_string_equal(e.method, "concave stencil (approximate)");
    }
    // By no other name.
    how = (tact_image_options){.resolution = 16};
    for (int method = TACT_IMAGE_QUERY; method <= TACT_IMAGE_READBACK; ++method) {
        how.method = (tact_image_method)method;
        assert_int_equal(ask(l->tester, true, &how, &call_drawing, NULL), TACT_OK);
        assert_int_equal(tact_explain(l->context, &e), TACT_OK);
        assert_null(strstr(e.method, "stencil"));
        for (size_t i = 0; i < e.count; ++i)
            assert_null(strstr(e.candidates[i].why, "stencil"));
    }
}

TEST_AS(IMAGE_LAB_TEST, nothing_else_takes_its_place)
{
    static const tact_backend others[] = {TACT_BACKEND_CPU, TACT_BACKEND_CL, TACT_BACKEND_REFERENCE};
    image_lab* l = image_lab_require(state);
    const tact_context* context = l->context;
    tact_image_options how = {.method = TACT_IMAGE_STENCIL, .resolution = 16};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        const tact_query_options options = {.backend = others[i]};
        expect_failure(context, ask(l->tester, true, &how, &options, NULL), TACT_ERROR_UNSUPPORTED,
                       "was selected, but OpenGL alone has the stencil method");
    }
    const tact_query_options shadow = {.shadow = true};
    expect_failure(context, ask(l->tester, true, &how, &shadow, NULL), TACT_ERROR_INVALID_ARGUMENT, "no reference");
    expect_failure(context, ask(l->tester, true, &how, NULL, &(tact_image_cells){.solid_a = NULL}),
                   TACT_ERROR_INVALID_ARGUMENT, "no picture");
    expect_failure(context, ask(l->tester, false, &how, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT,
                   "of tact_image_concave() alone");
    how.making = TACT_IMAGE_COMPUTED;
    expect_failure(context, ask(l->tester, true, &how, NULL, NULL), TACT_ERROR_UNSUPPORTED, "no stencil buffer");
    how = (tact_image_options){.method = (tact_image_method)3};
    expect_failure(context, ask(l->tester, true, &how, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT, "no method 3");
}

TEST(without_opengl_it_fails)
{
    tact_context* context = one_device_context(TACT_BACKEND_CPU);
    assert_non_null(context);
    const tact_image_options how = {.method = TACT_IMAGE_STENCIL};
    tact_image_tester* tester = new_image_tester(context);
    expect_failure(context, ask(tester, true, &how, NULL, NULL), TACT_ERROR_NO_DEVICE, "no gl device here");
    tact_image_tester_destroy(tester);
    tact_context_destroy(context);
}

/// A wait for each target of tests, and no buffer made anew.
TEST_AS(IMAGE_LAB_TEST, calls_take_little_of_the_device)
{
    enum { TESTS = 520, A_TARGET = 256 };
    static float poses[TESTS][12];
    static tact_image_result r[TESTS];
    image_lab* l = image_lab_require(state);
    concave_solid s = concave_hollow(0.6f, 0.5f);
    for (size_t i = 0; i < TESTS; ++i)
        image_random_turn(&(test_random){i}, poses[i]);
    const tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&s, (const float(*)[12])poses, TESTS);
    for (int call = 0; call < 3; ++call) {
        tact_device_counts before, after;
        assert_int_equal(tact_context_device_counts(l->context, TACT_BACKEND_GL, &before), TACT_OK);
        by_stencil(l, &a, &b, 64, r, TESTS);
        assert_int_equal(tact_context_device_counts(l->context, TACT_BACKEND_GL, &after), TACT_OK);
        if (call == 0) continue;
        assert_int_equal(after.waits - before.waits, (TESTS + A_TARGET - 1) / A_TARGET);
        assert_int_equal(after.allocations - before.allocations, 0);
        // Edges, faces and what is odd, each twice.
        assert_int_equal(after.launches - before.launches, 6 * (after.waits - before.waits));
    }
}

static tact_result call_stencil(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                                const tact_image_options* options, tact_image_result* results, size_t count)
{
    return look(tester, a, b, TACT_IMAGE_STENCIL, TACT_BACKEND_GL, options->resolution, results, count, NULL);
}

static tact_result no_picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b)
{
    (void)tester, (void)a, (void)b;
    return TACT_OK;
}

TEST_AS(IMAGE_LAB_TEST, failures)
{
    static const float pose[1][12] = {{1, 0, 0, 0.3f, 0, 1, 0, 0.4f, 0, 0, 1, 0.5f}};
    image_lab* l = image_lab_require(state);
    concave_solid s = box(0, 0, 0, 1, 1, 1);
    const tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&s, pose, 1);
    // Vertices, indices and views of both, and counts.
    image_lab_fail_buffers(l, call_stencil, &a, &b, 7, 7);
    image_lab_fail_memory(call_stencil, no_picture, &a, &b, 10, 399);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
