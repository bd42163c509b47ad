// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Objects of any shape in cells: to the bit against the reference (tests/support/image_cells_reference.h), and
/// within the tolerance against exact overlap of meshes. Arguments: `long` for more pairs, or anything else; then which
/// of the tests to run.

#include "tests/support/run.h"

#include "tests/support/counting_allocator.h"
#include "tests/support/gl_state.h"
#include "tests/support/image_cells_reference.h"
#include "tests/support/image_concave_check.h"
#include "tests/support/image_lab.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

static size_t rounds = 1;

static void run_made(image_lab* l, const tact_image_body* a, const tact_image_body* b, tact_image_method method,
                     tact_image_making making, uint32_t resolution, tact_image_result* r, size_t count)
{
    const tact_image_options options = {.method = method, .resolution = resolution, .making = making};
    const tact_result result = call_image_concave(l->tester, a, b, &options, r, count);
    if (result != TACT_OK) fail_msg("%d: %s", (int)result, tact_context_error(l->context));
}

static void run(image_lab* l, const tact_image_body* a, const tact_image_body* b, tact_image_method method,
                uint32_t resolution, tact_image_result* r, size_t count)
{
    run_made(l, a, b, method, TACT_IMAGE_DRAWN, resolution, r, count);
}

// Both methods, the one that only counts as well as the other; what it says besides is zero. Images are the same when
// they are computed.
static void run_both(image_lab* l, const tact_image_body* a, const tact_image_body* b, uint32_t resolution,
                     tact_image_result* r, size_t count)
{
    tact_image_result* queried = scratch_zeroed(count, sizeof *queried);
    run(l, a, b, TACT_IMAGE_READBACK, resolution, r, count);
    run_made(l, a, b, TACT_IMAGE_READBACK, TACT_IMAGE_COMPUTED, resolution, queried, count);
    assert_memory_equal(queried, r, count * sizeof *r);
    run(l, a, b, TACT_IMAGE_QUERY, resolution, queried, count);
    for (size_t i = 0; i < count; ++i) {
        tact_image_result wanted = r[i];
        wanted.common = 0;
        memset(wanted.box, 0, sizeof wanted.box);
        wanted.nearest = wanted.farthest = 0;
        assert_memory_equal(&queried[i], &wanted, sizeof wanted);
    }
}

static void compare(const tact_image_result* r, const tact_image_result* wanted, const char* what, size_t i)
{
    if (memcmp(r, wanted, sizeof *r) == 0) return;
    fail_msg(
        "%s %zu: samples %u %u, not %u %u; inside %u, not %u; leaks %u %u, not %u %u; common %u, not %u; box %u %u %u "
        "%u, not %u %u "
        "%u %u; depths %g %g, not %g %g; tolerance %g, not %g",
        what, i, (unsigned)r->samples[0], (unsigned)r->samples[1], (unsigned)wanted->samples[0],
        (unsigned)wanted->samples[1], (unsigned)r->inside, (unsigned)wanted->inside, (unsigned)r->leaks[0],
        (unsigned)r->leaks[1], (unsigned)wanted->leaks[0], (unsigned)wanted->leaks[1], (unsigned)r->common,
        (unsigned)wanted->common, (unsigned)r->box[0], (unsigned)r->box[1], (unsigned)r->box[2], (unsigned)r->box[3],
        (unsigned)wanted->box[0], (unsigned)wanted->box[1], (unsigned)wanted->box[2], (unsigned)wanted->box[3],
        (double)r->nearest, (double)r->farthest, (double)wanted->nearest, (double)wanted->farthest,
        (double)r->tolerance, (double)wanted->tolerance);
}

enum { SHAPES = 6 };

static void make_shapes(concave_solid s[SHAPES])
{
    s[0] = concave_knot(24, 4, 0.12);
    s[1] = concave_box((const float[3]){-0.7f, -0.4f, -0.3f}, (const float[3]){0.7f, 0.4f, 0.3f});
    s[2] = concave_hollow(0.8f, 0.6f);
    s[3] = concave_box((const float[3]){-400, -300, -200}, (const float[3]){0.3f, 0.3f, 0.3f});
    // Open: some triangles are left out.
    s[4] = concave_knot(24, 4, 0.15);
    s[4].triangles -= 9;
    s[5] = concave_box((const float[3]){-0.5f, -0.5f, -0.5f}, (const float[3]){0.5f, 0.5f, 0.5f});
    s[5].triangles -= 1;
}

static void free_shapes(concave_solid s[SHAPES])
{
}

static void random_pose(test_random* r, float reach, float pose[12])
{
    image_random_turn(r, pose);
    for (int k = 0; k < 3; ++k)
        pose[4 * k + 3] = reach * test_random_signed(r);
}

// To the bit, cells and all.
TEST_AS(IMAGE_LAB_TEST, test_definition)
{
    image_lab* l = image_lab_require(state);
    enum { POSES = 12 };
    static const uint32_t resolutions[] = {16, 64, 128, 256, 5};
    test_random random = test_random_seeded(6301);
    concave_solid s[SHAPES];
    make_shapes(s);
    size_t hits = 0, drawn = 0, leaks = 0, all = 0;
    for (size_t n = 0; n < rounds * 24; ++n) {
        const uint32_t size = resolutions[n % 5];
        const size_t count = size > 64 ? 2 : POSES;
        float pa[POSES][12], pb[POSES][12];
        tact_image_result r[POSES];
        for (size_t i = 0; i < count; ++i) {
            random_pose(&random, 0.2f, pa[i]);
            random_pose(&random, 1.0f, pb[i]);
        }
        tact_image_body a = concave_body(&s[test_random_below(&random, SHAPES)], (const float(*)[12])pa, count);
        tact_image_body b = concave_body(&s[test_random_below(&random, SHAPES)], (const float(*)[12])pb, count);
        a.closed = b.closed = true;
        run_both(l, &a, &b, size, r, count);
        for (size_t i = 0; i < count; ++i) {
            const tact_image_result wanted = cells_reference(l->tester, &a, &b, i, size, NULL);
            compare(&r[i], &wanted, "pose", i);
            hits += wanted.overlap;
            drawn += wanted.drawn;
            leaks += wanted.leaks[0] > 0 || wanted.leaks[1] > 0;
            ++all;
        }
    }
    print_message("%zu poses, %zu drawn, %zu overlap, %zu leak\n", all, drawn, hits, leaks);
    assert_true(hits > all / 5 && hits < all * 9 / 10 && leaks > all / 10);
    free_shapes(s);
}

TEST_AS(IMAGE_LAB_TEST, test_pictures)
{
    image_lab* l = image_lab_require(state);
    test_random random = test_random_seeded(6302);
    concave_solid s[SHAPES];
    make_shapes(s);
    static const uint32_t resolutions[] = {20, 200, 300};
    for (int n = 0; n < 3; ++n) {
        const uint32_t size = resolutions[n];
        const size_t words = (size_t)size * size * (tact_image_slots(size) + 1) / 32;
        float pb[1][12];
        random_pose(&random, 0.3f, pb[0]);
        const tact_image_body a = concave_body(&s[0], NULL, 0);
        const tact_image_body b = concave_body(&s[n], (const float(*)[12])pb, 1);
        uint32_t *got[4], *wanted[4];
        for (int k = 0; k < 4; ++k) {
            got[k] = malloc(words * 4);
            assert_non_null(got[k]);
        }
        const tact_image_cells cells = {.solid_a = got[0], .edges_b = got[1], .solid_b = got[2], .edges_a = got[3]};
        tact_image_result r;
        assert_int_equal(call_image_concave_picture(l->tester, &a, &b, size, &cells, &r), TACT_OK);
        const tact_image_result reference = cells_reference(l->tester, &a, &b, 0, size, wanted);
        compare(&r, &reference, "picture", (size_t)n);
        for (int k = 0; k < 4; ++k) {
            assert_memory_equal(got[k], wanted[k], words * 4);
            free(got[k]);
            free(wanted[k]);
        }
    }
    free_shapes(s);
}

// One inside the other, without touching: either way round, in the cavity, around all.
TEST_AS(IMAGE_LAB_TEST, test_containment)
{
    image_lab* l = image_lab_require(state);
    concave_solid outer = concave_box((const float[3]){-1, -1, -1}, (const float[3]){1, 1, 1});
    concave_solid inner = concave_box((const float[3]){-0.3f, -0.2f, -0.3f}, (const float[3]){0.3f, 0.3f, 0.2f});
    concave_solid hollow = concave_hollow(1.0f, 0.6f);
    const tact_image_body o = concave_body(&outer, NULL, 0), i = concave_body(&inner, NULL, 0);
    const tact_image_body h = concave_body(&hollow, NULL, 0);
    tact_image_result r;
    run_both(l, &o, &i, 32, &r, 1);
    assert_true(r.overlap && r.samples[0] > 0 && r.samples[1] == 0);
    run_both(l, &i, &o, 32, &r, 1);
    assert_true(r.overlap && r.samples[1] > 0 && r.samples[0] == 0);
    run_both(l, &h, &i, 32, &r, 1);
    assert_false(r.overlap);
    assert_true(r.drawn && r.tolerance < 0.2f);
    run_both(l, &i, &h, 32, &r, 1);
    assert_false(r.overlap);
    // Its wall is inside the larger one, and something in its wall.
    concave_solid around = concave_box((const float[3]){-2, -2, -2}, (const float[3]){2, 2, 2});
    const tact_image_body c = concave_body(&around, NULL, 0);
    run_both(l, &h, &c, 32, &r, 1);
    assert_true(r.overlap);
    const float to_wall[1][12] = {{0.2f, 0, 0, 0.8f, 0, 0.2f, 0, 0, 0, 0, 0.2f, 0}};
    const tact_image_body w = concave_body(&inner, to_wall, 1);
    run_both(l, &h, &w, 64, &r, 1);
    assert_true(r.overlap && r.samples[0] > 0);
}

// Boxes along the axes: their edges are seen from their ends, which images of edges alone would miss.
TEST_AS(IMAGE_LAB_TEST, test_edge_on)
{
    image_lab* l = image_lab_require(state);
    concave_solid a = concave_box((const float[3]){0, 0, 0}, (const float[3]){4, 3, 2});
    concave_solid b = concave_box((const float[3]){1, 1, 1.5f}, (const float[3]){3, 2, 5});
    const tact_image_body body_a = concave_body(&a, NULL, 0), body_b = concave_body(&b, NULL, 0);
    tact_image_result r;
    run_both(l, &body_a, &body_b, 64, &r, 1);
    assert_true(r.overlap && r.samples[0] > 0);
    // Along z, from 1.5 to 2, of B's rim.
    assert_float_equal(fabsf(r.view.axes[2][2]), 1.0, 1e-6);
    assert_float_equal(r.nearest, 1.5, 0.01);
    assert_float_equal(r.farthest, 2.0, 0.01);
    // The rim, whose edges along the view fill their rows, and the diagonal of the face in A, with the pixels that have
    // a corner on it.
    assert_true(r.samples[0] >= 4 * 63 + 62 && r.samples[0] <= 4 * 63 + 62 + 2 * 61);
    // Side by side, and farther from each other than the tolerance allows to confuse.
    float apart[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.51f}};
    const tact_image_body moved = concave_body(&b, (const float(*)[12])apart, 1);
    run_both(l, &body_a, &moved, 64, &r, 1);
    assert_false(r.overlap || r.drawn);
    // Far from its frame's origin, turned, and inside a larger one: its edges are the rim of the view, and must not be
    // rounded out of it.
    concave_solid around = concave_box((const float[3]){4900, 3900, -7100}, (const float[3]){5100, 4100, -6900});
    concave_solid distant = concave_box((const float[3]){5000.3f, 4000.7f, -7000}, (const float[3]){5001, 4002, -6998});
    test_random random = test_random_seeded(6307);
    for (int i = 0; i < 40; ++i) {
        float pose[1][12];
        random_pose(&random, 1.0f, pose[0]);
        const tact_image_body body_around = concave_body(&around, (const float(*)[12])pose, 1);
        const tact_image_body turned = concave_body(&distant, (const float(*)[12])pose, 1);
        run_both(l, &body_around, &turned, 64, &r, 1);
        assert_true(r.samples[0] >= 340);  // 314 without one of the sides
    }
}

// An overlap a thousandth of the objects, or a millionth, whose faces reach far beyond it; the latter on a coarser
// grid.
TEST_AS(IMAGE_LAB_TEST, test_far_reaching)
{
    image_lab* l = image_lab_require(state);
    enum { POSES = 20 };
    static const float far_ends[] = {1e3f, 1e6f};
    test_random random = test_random_seeded(6303);
    for (int k = 0; k < 2; ++k) {
        const float far_end = far_ends[k];
        concave_solid a =
            concave_box((const float[3]){-far_end, -far_end, -far_end}, (const float[3]){0.5f, 0.5f, 0.5f});
        concave_solid b =
            concave_box((const float[3]){-0.5f, -0.5f, -0.5f}, (const float[3]){far_end, far_end, far_end});
        size_t hits = 0;
        for (int i = 0; i < POSES; ++i) {
            float pose[2][1][12];
            for (int n = 0; n < 2; ++n) {
                random_pose(&random, 0.3f, pose[n][0]);
                for (int c = 0; c < 12 && i % 2 == 0; ++c) {
                    if (c % 4 != 3) pose[n][0][c] = c % 5 == 0 ? 1.0f : test_random_signed(&random) / far_end;
                }
            }
            const tact_image_body body_a = concave_body(&a, (const float(*)[12])pose[0], 1);
            const tact_image_body body_b = concave_body(&b, (const float(*)[12])pose[1], 1);
            tact_image_result r;
            run_both(l, &body_a, &body_b, 64, &r, 1);
            const tact_image_result wanted = cells_reference(l->tester, &body_a, &body_b, 0, 64, NULL);
            compare(&r, &wanted, "far", (size_t)i);
            assert_int_equal(r.leaks[0] + r.leaks[1], 0);
            hits += r.overlap;
        }
        assert_true(hits > POSES / 4);
    }
}

TEST_AS(IMAGE_LAB_TEST, test_refusals)
{
    image_lab* l = image_lab_require(state);
    concave_solid good = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    concave_solid open = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    const tact_image_body a = concave_body(&good, NULL, 0);
    tact_image_body b = concave_body(&open, NULL, 0);
    tact_image_result r;
    b.mesh.triangle_count = 11;
    b.mesh.indices = open.indices + 3;  // seen from the front
    assert_int_equal(call_image_concave(l->tester, &a, &b, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "object B is open: 3 edges have only one triangle"));
    assert_int_equal(call_image_concave(l->tester, &b, &a, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "object A is open"));
    b.closed = true;
    run_both(l, &a, &b, 16, &r, 1);
    assert_true(r.leaks[0] == 0 && r.leaks[1] > 0);
    // Two boxes with an edge in common.
    concave_solid two = concave_make(16, 24);
    for (size_t i = 0; i < 2; ++i) {
        for (size_t k = 0; k < 36; ++k)
            two.indices[36 * i + k] = (uint32_t)(8 * i) + good.indices[k];
        for (size_t k = 0; k < 24; ++k)
            two.positions[24 * i + k] = good.positions[k] + (float)(i == 1 && k % 3 < 2);
    }
    b = concave_body(&two, NULL, 0);
    assert_int_equal(call_image_concave(l->tester, &a, &b, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "1 edge has more than two triangles"));
    b = concave_body(&open, NULL, 0);
    open.positions[4] = NAN;
    assert_int_equal(call_image_concave(l->tester, &a, &b, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    open.positions[4] = 0;
    open.indices[3] = 8;
    assert_int_equal(call_image_concave(l->tester, &a, &b, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    b.closed = true;
    assert_int_equal(call_image_concave(l->tester, &a, &b, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "refers to vertex 8"));
    const tact_image_options wrong = {.method = TACT_IMAGE_QUERY, .resolution = 3};
    assert_int_equal(call_image_concave(l->tester, &a, &a, &wrong, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_image_concave(l->tester, &a, NULL, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    const float pose[1][12] = {{1, 0, 0, INFINITY, 0, 1, 0, 0, 0, 0, 1, 0}};
    b = concave_body(&good, pose, 1);
    assert_int_equal(call_image_concave(l->tester, &a, &b, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_image_slots(3) + tact_image_slots(2000), 0);
    assert_true(tact_image_slots(64) == 127 && tact_image_slots(129) == 255 && tact_image_slots(1024) == 511);
}

TEST_AS(IMAGE_LAB_TEST, test_degenerate)
{
    image_lab* l = image_lab_require(state);
    concave_solid a = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    tact_image_body body_a = concave_body(&a, NULL, 0);
    body_a.closed = true;
    tact_image_result r;
    // Flat, a line, a point, touching, huge, tiny.
    static const float cases[][6] = {{-1, -1, 0.5f, 2, 2, 0.5f},
                                     {0.5f, 0.5f, -1, 0.5f, 0.5f, 2},
                                     {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
                                     {1, 0, 0, 2, 1, 1},
                                     {-1e18f, -1e18f, -1e18f, 1e18f, 1e18f, 1e18f},
                                     {0.5f, 0.5f, 0.5f, 0.5f + 1e-7f, 0.5f, 0.5f},
                                     {0, 0, 0, 1e-40f, 1e-40f, 1e-40f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        concave_solid b = concave_box(cases[i], cases[i] + 3);
        tact_image_body body_b = concave_body(&b, NULL, 0);
        body_b.closed = true;
        run_both(l, &body_a, &body_b, 16, &r, 1);
        tact_image_result wanted = cells_reference(l->tester, &body_a, &body_b, 0, 16, NULL);
        compare(&r, &wanted, "case", i);
        assert_true(r.drawn && r.tolerance > 0.0f && r.tolerance < INFINITY);
        // Edges in a solid are found, whatever they bound.
        if (i < 3) assert_true(r.overlap);
        if (i == 4) assert_true(r.overlap && r.samples[1] > 0);
        run_both(l, &body_b, &body_b, 16, &r, 1);
        wanted = cells_reference(l->tester, &body_b, &body_b, 0, 16, NULL);
        compare(&r, &wanted, "itself", i);
    }
    tact_image_body none = body_a;
    none.mesh.triangle_count = 0;
    run_both(l, &body_a, &none, 16, &r, 1);
    assert_false(r.overlap || r.drawn);
    static uint32_t words[4][16 * 16 * 4];
    memset(words, 255, sizeof words);
    const tact_image_cells cells = {words[0], words[1], words[2], words[3]};
    assert_int_equal(call_image_concave_picture(l->tester, &body_a, &none, 16, &cells, &r), TACT_OK);
    assert_int_equal(words[0][5] | words[3][1023], 0);
    // A pose that leaves nothing; bounds that are wrong, of vertices that overflow all that is computed.
    const float flat[1][12] = {{0}};
    const tact_image_body nothing = concave_body(&a, flat, 1);
    run_both(l, &body_a, &nothing, 16, &r, 1);
    const tact_image_bounds small = {.lower = {0.4f, 0.4f, 0.4f}, .upper = {0.4001f, 0.4001f, 0.4001f}};
    a.positions[3] = -1e18f;
    a.positions[7] = 1e18f;
    body_a.bounds = &small;
    run(l, &body_a, &body_a, TACT_IMAGE_QUERY, 16, &r, 1);
}

// Exact overlap of solids: what is reported is within the tolerance of it.
TEST_AS(IMAGE_LAB_TEST, test_exact)
{
    image_lab* l = image_lab_require(state);
    enum { POSES = 100, SOLIDS = 5, PAIRS = 5 };
    concave_solid s[SOLIDS] = {
        concave_knot(42, 6, 0.12),
        concave_box((const float[3]){-0.7f, -0.4f, -0.3f}, (const float[3]){0.7f, 0.4f, 0.3f}),
        concave_hollow(0.9f, 0.7f), concave_knot(60, 8, 0.2),
        concave_box((const float[3]){-0.05f, -0.04f, -0.06f}, (const float[3]){0.05f, 0.04f, 0.06f})};
    static const int pairs[][2] = {{0, 0}, {0, 1}, {2, 1}, {3, 2}, {3, 4}};
    test_random random = test_random_seeded(6304);
    concave_tally t = {0};
    tact_mesh* point = KEEP(concave_point(l->context));
    for (size_t n = 0; n < PAIRS * rounds; ++n) {
        const concave_solid *a = &s[pairs[n % PAIRS][0]], *b = &s[pairs[n % PAIRS][1]];
        concave_pair pair = {{a, b}, {concave_mesh(l->context, a), concave_mesh(l->context, b)}, point, 2e-6};
        static float poses[POSES][12];
        static tact_image_result r[POSES];
        for (size_t i = 0; i < POSES; ++i)
            concave_near_pose(&random, &pair, i, poses[i]);
        const tact_image_body body_a = concave_body(a, NULL, 0);
        const tact_image_body body_b = concave_body(b, (const float(*)[12])poses, POSES);
        run(l, &body_a, &body_b, TACT_IMAGE_READBACK, 64, r, POSES);
        for (size_t i = 0; i < POSES; ++i)
            concave_check(&pair, poses[i], &r[i], &t);
        tact_mesh_destroy(pair.meshes[0]);
        tact_mesh_destroy(pair.meshes[1]);
    }
    print_message(
        "%zu poses: %zu apart, %zu inside, %zu meeting; %zu reported although apart, %zu missed, %zu outside "
        "the tolerance (at most %.3f and %.3f of it)\n",
        t.poses, t.apart, t.inside, t.meeting, t.false_hits, t.misses, t.outside, t.worst_gap, t.worst_depth);
    assert_int_equal(t.outside, 0);
    assert_true(t.apart > t.poses / 10 && t.meeting > t.poses / 4 && t.inside > 0);
    assert_true(t.false_hits + t.misses > 0 && t.false_hits + t.misses < t.poses / 2);
}

// Two beams of one width that cross flush: all edges run along the other's surface, and much is inside both.
TEST_AS(IMAGE_LAB_TEST, test_flush)
{
    image_lab* l = image_lab_require(state);
    concave_solid a = concave_box((const float[3]){-1, -0.2f, -0.2f}, (const float[3]){1, 0.2f, 0.2f});
    concave_solid b = concave_box((const float[3]){-0.2f, -1, -0.2f}, (const float[3]){0.2f, 1, 0.2f});
    test_random random = test_random_seeded(6306);
    for (int i = 0; i < 20; ++i) {
        float pose[1][12];
        random_pose(&random, 1.0f, pose[0]);
        const tact_image_body body_a = concave_body(&a, (const float(*)[12])pose, 1),
                              body_b = concave_body(&b, (const float(*)[12])pose, 1);
        tact_image_result r;
        run_both(l, &body_a, &body_b, 32, &r, 1);
        const tact_image_result wanted = cells_reference(l->tester, &body_a, &body_b, 0, 32, NULL);
        compare(&r, &wanted, "flush", (size_t)i);
        assert_true(r.overlap && r.inside > 100);
    }
}

// More tests than one target holds, with others between that are not drawn.
TEST_AS(IMAGE_LAB_TEST, test_many_tiles)
{
    image_lab* l = image_lab_require(state);
    enum { POSES = 1300 };
    concave_solid a = concave_knot(12, 3, 0.2);
    concave_solid b = concave_box((const float[3]){-0.2f, -0.2f, -0.2f}, (const float[3]){0.2f, 0.2f, 0.2f});
    static float poses[POSES][12];
    static tact_image_result r[POSES];
    test_random random = test_random_seeded(6305);
    for (size_t i = 0; i < POSES; ++i)
        random_pose(&random, 1.5f, poses[i]);
    const tact_image_body body_a = concave_body(&a, NULL, 0),
                          body_b = concave_body(&b, (const float(*)[12])poses, POSES);
    run_both(l, &body_a, &body_b, 8, r, POSES);
    size_t drawn = 0;
    for (size_t i = 0; i < POSES; ++i) {
        const tact_image_result wanted = cells_reference(l->tester, &body_a, &body_b, i, 8, NULL);
        compare(&r[i], &wanted, "tile", i);
        drawn += r[i].drawn;
    }
    assert_true(drawn > 300 && drawn < POSES);
    const tact_image_body fewer = concave_body(&b, (const float(*)[12])poses, 150);
    run_both(l, &body_a, &fewer, 100, r, 150);
    for (size_t i = 0; i < 150; i += 10) {
        const tact_image_result wanted = cells_reference(l->tester, &body_a, &fewer, i, 100, NULL);
        compare(&r[i], &wanted, "tile", i);
    }
}

TEST_AS(IMAGE_LAB_TEST, test_failures)
{
    image_lab* l = image_lab_require(state);
    concave_solid s = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    const float pose[1][12] = {{1, 0, 0, 0.3f, 0, 1, 0, 0.4f, 0, 0, 1, 0.5f}};
    const tact_image_body a = concave_body(&s, NULL, 0), b = concave_body(&s, pose, 1);
    image_lab_fail_buffers(l, call_image_concave, &a, &b, 11, 19);
}

static tact_result picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b)
{
    static uint32_t words[4][16 * 16 * 4];
    const tact_image_cells cells = {words[0], words[1], words[2], words[3]};
    tact_image_result r;
    return call_image_concave_picture(tester, a, b, 16, &cells, &r);
}

TEST_AS(IMAGE_LAB_TEST, test_out_of_memory)
{
    image_lab_require(state);
    concave_solid s = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    tact_image_body a = concave_body(&s, NULL, 0), b = a;
    b.mesh.indices = NULL;
    static float corners[12 * 9];
    for (size_t i = 0; i < 36; ++i)
        memcpy(corners + 3 * i, s.positions + 3 * s.indices[i], 12);
    b.mesh.positions = corners;
    b.mesh.vertex_count = 36;
    image_lab_fail_memory(call_image_concave, picture, &a, &b, 40, 999);
}

#ifdef TACT_HAVE_GL

TEST_AS(ON_GL, test_state_untouched)
{
    caller* c = caller_require(state);
    concave_solid knot = concave_knot(24, 4, 0.12);
    test_random random = test_random_seeded(6306);
    static float poses[20][12];
    for (int i = 0; i < 20; ++i)
        random_pose(&random, 0.7f, poses[i]);
    const tact_image_body a = concave_body(&knot, NULL, 0);
    tact_image_body b = concave_body(&knot, (const float(*)[12])poses, 20);
    b.mesh.triangle_count -= 5;
    b.closed = true;
    static tact_image_result results[2][2][20];
    for (int unusual = 0; unusual < 2; ++unusual) {
        if (unusual) unusual_state(&c->gl);
        const state_values before = all_state(&c->gl);
        tact_image_tester* tester = new_image_tester(c->context);
        for (int m = 0; m < 2; ++m) {
            const tact_image_options options = {.method = (tact_image_method)m, .resolution = 32};
            assert_int_equal(call_image_concave(tester, &a, &b, &options, results[unusual][m], 20), TACT_OK);
        }
        tact_image_tester_destroy(tester);
        expect_state(&c->gl, &before, "concave tests");
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_int_equal(c->gl.GetError(), GL_NO_ERROR);
    usual_state(&c->gl);
}

// An object whose vertices move in the caller's buffer from frame to frame, against the same from the host.
TEST_AS(ON_GL, test_deforming)
{
    caller* c = caller_require(state);
    enum { WORDS = 5, FRAMES = 12 };
    concave_solid knot = concave_knot(24, 4, 0.12), moving = concave_knot(24, 4, 0.15);
    const size_t row_bytes = moving.vertices * WORDS * 4, index_bytes = moving.triangles * 12;
    float* rows = scratch_zeroed(moving.vertices, WORDS * 4);
    const tact_device_array positions = caller_make_array(c, row_bytes + 64, 64);
    const tact_device_array indices = caller_make_array(c, index_bytes + 16, 16);
    caller_write_array(c, &indices, moving.indices, index_bytes);
    tact_image_tester* tester = KEEP(new_image_tester(c->context));
    const tact_image_body body_a = concave_body(&knot, NULL, 0);
    tact_image_body on_host = concave_body(&moving, NULL, 0);
    on_host.mesh.positions = rows;
    on_host.mesh.position_stride = WORDS * 4;
    tact_image_body on_device = on_host;
    on_device.mesh.positions = NULL;
    on_device.mesh.indices = NULL;
    on_device.mesh.device_positions = &positions;
    on_device.mesh.device_indices = &indices;
    size_t hits = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (size_t i = 0; i < moving.vertices; ++i) {
            const float* p = moving.positions + 3 * i;
            rows[WORDS * i] = p[0] * (0.2f + 0.1f * (float)frame) + 1.6f;
            rows[WORDS * i + 1] = p[1] + 0.1f * sinf((float)frame + 3 * p[0]);
            rows[WORDS * i + 2] = p[2];
        }
        caller_write_array(c, &positions, rows, row_bytes);
        for (int m = 0; m < 2; ++m) {
            const tact_image_options options = {.method = (tact_image_method)m, .resolution = 64};
            tact_image_result host, device;
            assert_int_equal(call_image_concave(tester, &body_a, &on_host, &options, &host, 1), TACT_OK);
            assert_int_equal(call_image_concave(tester, &body_a, &on_device, &options, &device, 1), TACT_OK);
            compare(&device, &host, "frame", (size_t)frame);
            assert_int_equal(host.leaks[0] + host.leaks[1], 0);
            hits += host.overlap;
        }
    }
    assert_true(hits > 2 && hits < 2 * FRAMES - 1);
    // Open: of what is on the device that is only seen.
    on_device.mesh.triangle_count = moving.triangles / 2;
    tact_image_result open;
    assert_int_equal(call_image_concave(tester, &body_a, &on_device, NULL, &open, 1), TACT_OK);
    assert_true(open.leaks[1] > 0 && open.leaks[0] == 0);
    on_device.mesh.triangle_count = moving.triangles;
    rows[7] = NAN;
    caller_write_array(c, &positions, rows, row_bytes);
    assert_int_equal(call_image_concave(tester, &body_a, &on_device, NULL, &open, 1), TACT_ERROR_INVALID_ARGUMENT);
}

#else

TEST_AS(ON_GL, test_state_untouched)
{
    skip_because("built without OpenGL");
}
TEST_AS(ON_GL, test_deforming)
{
    skip_because("built without OpenGL");
}

#endif

#include TEST_LIST

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "long") == 0) rounds = 20;
    if (argc > 2) run_only(argv[2]);
    return run_all(all_tests, NULL, NULL);
}
