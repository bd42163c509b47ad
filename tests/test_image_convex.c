// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Convex objects in images against GJK and the expanding polytope. Arguments: `long` for 100,000 pairs at each of two
/// resolutions, or anything else; then which of the tests to run. With TACT_TEST_PICTURES a folder, what some tests see
/// is written there.

#include "tests/support/run.h"

#include "apps/pictures/pictures.h"
#include "base/platform.h"
#include "core/context/context.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/image_concave_check.h"
#include "tests/support/image_lab.h"
#include "tests/support/image_shapes.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

enum { SHAPES = 16, POSES = 500 };

static size_t rounds = 4;  // of POSES pairs, at each resolution

typedef struct tally {
    size_t pairs, apart, hits, drawn, unsure;
    size_t false_hits, false_misses;  // within the tolerance
    size_t outside, differ, samples_differ;
    double worst_gap, worst_depth;  // of the disagreements, as a share of what is allowed
    double deepest;                 // missed, in pixels
    double depth_sum, gap_sum;      // tolerances of what was drawn, in pixels
    double query_ms, readback_ms;
} tally;

static double pixel_of(const tact_image_result* r, uint32_t resolution)
{
    return 2.0 * hypot((double)r->view.half_extent[0], (double)r->view.half_extent[1]) / resolution;
}

static void judge(tally* t, const tact_image_result* r, const tact_convex_contact* truth, double slack,
                  uint32_t resolution)
{
    const double distance = (double)truth->distance;
    ++t->pairs;
    t->drawn += r->drawn;
    if (r->drawn) {
        const double pixel = pixel_of(r, resolution);
        t->gap_sum += (double)r->gap / pixel;
        t->depth_sum += (double)r->depth / pixel;
    }
    if (!truth->converged) {
        ++t->unsure;
        return;
    }
    const bool overlap = distance <= 0.0;
    t->hits += overlap;
    t->apart += !overlap;
    if (overlap == r->overlap) return;
    const double allowed = (overlap ? (double)r->depth : (double)r->gap) + slack;
    const double share = fabs(distance) / allowed;
    if (overlap) {
        ++t->false_misses;
        t->worst_depth = fmax(t->worst_depth, share);
        t->deepest = fmax(t->deepest, -distance / pixel_of(r, resolution));
    } else {
        ++t->false_hits;
        t->worst_gap = fmax(t->worst_gap, share);
    }
    if (share <= 1.0) return;
    ++t->outside;
    print_message("outside: distance %g, allowed %g, drawn %d, samples %u %u\n", distance, allowed, (int)r->drawn,
                  (unsigned)r->samples[0], (unsigned)r->samples[1]);
}

static void compare_methods(tally* t, const tact_image_result* q, const tact_image_result* r,
                            const tact_convex_contact* truth, double slack)
{
    t->differ += q->overlap != r->overlap || q->drawn != r->drawn || q->gap != r->gap || q->depth != r->depth;
    t->samples_differ += q->samples[0] != r->samples[0] || q->samples[1] != r->samples[1];
    if (!r->overlap) return;
    const float* h = r->view.half_extent;
    double centre = 0;
    for (int k = 0; k < 3; ++k)
        centre += (double)r->view.centre[k] * (double)r->view.axes[2][k];
    assert_true((double)r->penetration > 0.0);
    // An upper bound, from which only what the tolerance says may be missing.
    if (truth->converged && truth->distance < 0.0f) {
        assert_true((double)r->penetration >= -(double)truth->distance - (double)r->tolerance - slack);
    }
    if (r->common == 0) return;
    assert_true(r->box[0] <= r->box[2] && r->box[1] <= r->box[3]);
    assert_true(r->nearest <= r->farthest);
    assert_true(fabs((double)r->nearest - centre) <= (double)h[2] + slack);
    assert_true(fabs((double)r->farthest - centre) <= (double)h[2] + slack);
}

static image_shape shapes[SHAPES];

static void make_shapes(test_random* r)
{
    for (uint32_t i = 0; i < SHAPES; ++i)
        image_make_shape(r, i % 4, &shapes[i]);
}

static void free_shapes(void)
{
    for (uint32_t i = 0; i < SHAPES; ++i)
        tact_hull_mesh_free(&shapes[i].hull);
}

static void run_round(image_lab* l, test_random* r, uint32_t resolution, tally* t)
{
    static float poses_a[POSES][12], poses_b[POSES][12];
    static tact_image_result queried[POSES], read[POSES];
    const image_shape* a = &shapes[test_random_below(r, SHAPES)];
    const image_shape* b = &shapes[test_random_below(r, SHAPES)];
    const float offset = test_random_below(r, 4) == 0 ? 100.0f : 1.0f;
    for (size_t i = 0; i < POSES; ++i)
        image_random_pair(r, a, b, 4.0f / (float)resolution, offset, poses_a[i], poses_b[i]);
    const tact_image_body body_a = image_body_of(a, (const float(*)[12])poses_a, POSES);
    const tact_image_body body_b = image_body_of(b, (const float(*)[12])poses_b, POSES);
    tact_image_options options = {.method = TACT_IMAGE_QUERY, .resolution = resolution};
    const double start = tact_platform_milliseconds();
    assert_int_equal(call_image_convex(l->tester, &body_a, &body_b, &options, queried, POSES), TACT_OK);
    const double middle = tact_platform_milliseconds();
    options.method = TACT_IMAGE_READBACK;
    assert_int_equal(call_image_convex(l->tester, &body_a, &body_b, &options, read, POSES), TACT_OK);
    t->query_ms += middle - start;
    t->readback_ms += tact_platform_milliseconds() - middle;
    // The points that the truth is told of are rounded.
    const double slack = 4e-7 * ((double)offset + 3.0);
    for (size_t i = 0; i < POSES; ++i) {
        const tact_convex_contact truth = image_truth(a, poses_a[i], b, poses_b[i]);
        judge(t, &queried[i], &truth, slack, resolution);
        compare_methods(t, &queried[i], &read[i], &truth, slack);
    }
}

TEST_AS(IMAGE_LAB_TEST, test_random_pairs)
{
    image_lab* l = image_lab_require(state);
    static const uint32_t resolutions[] = {32, 128};
    test_random r = test_random_seeded(6101);
    make_shapes(&r);
    for (int k = 0; k < 2; ++k) {
        tally t = {0};
        for (size_t i = 0; i < rounds; ++i)
            run_round(l, &r, resolutions[k], &t);
        print_message(
            "%u pixels: %zu pairs, %zu apart, %zu overlapping, %zu unsure, %zu drawn; reported although apart "
            "%zu, missed %zu (at most %.3f and %.3f of what is allowed, the latter %.2f pixels); tolerance %.3f and "
            "%.2f pixels on "
            "average; outside %zu; methods differ %zu (samples %zu); %.1f us queries, %.1f us readback\n",
            (unsigned)resolutions[k], t.pairs, t.apart, t.hits, t.unsure, t.drawn, t.false_hits, t.false_misses,
            t.worst_gap, t.worst_depth, t.deepest, t.gap_sum / (double)t.drawn, t.depth_sum / (double)t.drawn,
            t.outside, t.differ, t.samples_differ, 1e3 * t.query_ms / (double)t.pairs,
            1e3 * t.readback_ms / (double)t.pairs);
        assert_int_equal(t.outside, 0);
        assert_int_equal(t.differ, 0);
        assert_int_equal(t.samples_differ, 0);
        // A test that calls everything tolerable proves nothing, nor one without hits and misses.
        assert_true(t.apart > t.pairs / 5 && t.hits > t.pairs / 5);
        assert_true(t.gap_sum / (double)t.drawn < 0.1);
        assert_true(t.depth_sum / (double)t.drawn < 12.0);
        assert_true(t.unsure < t.pairs / 50);
        assert_true(t.false_misses < t.pairs / 10);
    }
    free_shapes();
}

static tact_image_body box_body(const float positions[24])
{
    const tact_image_body body = {
        .mesh = {.positions = positions, .vertex_count = 8, .indices = box_indices, .triangle_count = 12}};
    return body;
}

// Two boxes along the axes: everything is known.
TEST_AS(IMAGE_LAB_TEST, test_known_boxes)
{
    image_lab* l = image_lab_require(state);
    float pa[24], pb[24];
    box_corners((const float[3]){0, 0, 0}, (const float[3]){4, 3, 2}, pa);
    box_corners((const float[3]){1, 1, 1.5f}, (const float[3]){3, 2, 5}, pb);
    const tact_image_body a = box_body(pa), b = box_body(pb);
    const tact_image_options options = {.method = TACT_IMAGE_READBACK, .resolution = 64};
    tact_image_result r;
    assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r, 1), TACT_OK);
    assert_true(r.drawn && r.overlap);
    // The view is [1, 3] x [1, 2] x [1.5, 2], along z, and full of both.
    assert_float_equal(r.view.half_extent[2], 0.25, 1e-5);
    assert_float_equal(fabsf(r.view.axes[2][2]), 1.0, 1e-6);
    assert_int_equal(r.common, 64 * 64);
    assert_int_equal(r.samples[0], 64 * 64);
    assert_true(r.box[0] == 0 && r.box[1] == 0 && r.box[2] == 63 && r.box[3] == 63);
    assert_float_equal(r.nearest, 1.5, 1e-4);
    assert_float_equal(r.farthest, 2.0, 1e-4);
    assert_float_equal(r.penetration, 0.5, 1e-4);
    assert_true(r.tolerance < 0.5f);
    // Inside each other, identical, turned inside out.
    box_corners((const float[3]){1, 1, 0.5f}, (const float[3]){3, 2, 1}, pb);
    assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r, 1), TACT_OK);
    assert_true(r.overlap);
    assert_int_equal(call_image_convex(l->tester, &a, &a, &options, &r, 1), TACT_OK);
    assert_true(r.overlap);
    uint32_t reversed[36];
    for (int i = 0; i < 36; ++i)
        reversed[i] = box_indices[35 - i];
    tact_image_body inside_out = a;
    inside_out.mesh.indices = reversed;
    assert_int_equal(call_image_convex(l->tester, &inside_out, &b, &options, &r, 1), TACT_OK);
    assert_true(r.overlap);
}

// A ball of many triangles, also more than a software rasteriser takes in during one query.
TEST_AS(IMAGE_LAB_TEST, test_many_triangles)
{
    image_lab* l = image_lab_require(state);
    enum { POSES_HERE = 40 };
    for (uint32_t rings = 40; rings <= 160; rings += (uint32_t)effort(120, 40)) {
        const uint32_t around = 2 * rings;
        tact_vec3* points = scratch((size_t)(rings + 1) * around * sizeof *points);
        uint32_t* indices = malloc((size_t)rings * around * 6 * sizeof *indices);
        size_t count = 0;
        for (uint32_t i = 0; i <= rings; ++i) {
            for (uint32_t k = 0; k < around; ++k) {
                const double a = 3.14159265358979 * i / rings, b = 6.28318530717959 * k / around;
                points[i * around + k] = (tact_vec3){(float)(sin(a) * cos(b)), (float)(sin(a) * sin(b)), (float)cos(a)};
                if (i == rings) continue;
                const uint32_t p = i * around + k, q = i * around + (k + 1) % around;
                const uint32_t six[6] = {p, p + around, q, q, p + around, q + around};
                memcpy(indices + count, six, sizeof six);
                count += 6;
            }
        }
        static float poses[POSES_HERE][12];
        for (int i = 0; i < POSES_HERE; ++i) {
            const float pose[12] = {1, 0, 0, 0.03f * (float)(i + 20), 0, 1, 0, 1.2f, 0, 0, 1, 0.7f};
            memcpy(poses[i], pose, sizeof pose);
        }
        const tact_image_body a = {.mesh = {.positions = &points[0].x,
                                            .vertex_count = (size_t)(rings + 1) * around,
                                            .indices = indices,
                                            .triangle_count = count / 3}};
        tact_image_body b = a;
        b.poses = (const float(*)[12])poses;
        b.pose_count = POSES_HERE;
        static tact_image_result r[2][POSES_HERE];
        for (int m = 0; m < 2; ++m) {
            const tact_image_options options = {.method = (tact_image_method)m, .resolution = 64};
            assert_int_equal(call_image_convex(l->tester, &a, &b, &options, r[m], POSES_HERE), TACT_OK);
        }
        size_t hits = 0;
        for (int i = 0; i < POSES_HERE; ++i) {
            assert_int_equal(r[0][i].overlap, r[1][i].overlap);
            assert_memory_equal(r[0][i].samples, r[1][i].samples, sizeof r[0][i].samples);
            assert_int_equal(r[0][i].common, 0);
            hits += r[0][i].overlap;
        }
        assert_true(hits > 10 && hits < POSES_HERE);
        free(indices);
    }
}

TEST_AS(IMAGE_LAB_TEST, test_degenerate)
{
    image_lab* l = image_lab_require(state);
    float pa[24], pb[24];
    box_corners((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1}, pa);
    tact_image_body a = box_body(pa), b = box_body(pb);
    tact_image_result r;
    for (int method = 0; method < 2; ++method) {
        const tact_image_options options = {.method = (tact_image_method)method, .resolution = 16};
        // Apart, flat, a line, a point, the same point twice; huge and tiny.
        static const float cases[][6] = {{2, 2, 2, 3, 3, 3},
                                         {-1, -1, 0.5f, 2, 2, 0.5f},
                                         {0.5f, 0.5f, -1, 0.5f, 0.5f, 2},
                                         {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
                                         {1, 0, 0, 2, 1, 1},
                                         {-1e18f, -1e18f, -1e18f, 1e18f, 1e18f, 1e18f},
                                         {0.5f, 0.5f, 0.5f, 0.5f + 1e-7f, 0.5f, 0.5f}};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
            box_corners(cases[i], cases[i] + 3, pb);
            assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r, 1), TACT_OK);
            if (i == 0) assert_false(r.overlap || r.drawn);
            assert_true(r.tolerance >= 0.0f && r.tolerance < INFINITY);
            assert_int_equal(call_image_convex(l->tester, &b, &b, &options, &r, 1), TACT_OK);
        }
        // A plate without thickness, turned, through the box.
        static const float turned[1][12] = {
            {0.36f, 0.48f, -0.8f, 0.5f, -0.8f, 0.6f, 0, 0.5f, 0.48f, 0.64f, 0.6f, 0.5f}};
        box_corners((const float[3]){-1, -1, 0}, (const float[3]){1, 1, 0}, pb);
        b.poses = turned;
        b.pose_count = 1;
        assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r, 1), TACT_OK);
        assert_true(r.overlap);
        assert_int_equal(call_image_convex(l->tester, &b, &a, &options, &r, 1), TACT_OK);
        assert_true(r.overlap);
        b.pose_count = 0;
        b.mesh.triangle_count = 0;
        assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r, 1), TACT_OK);
        assert_false(r.overlap || r.drawn);
        b.mesh.triangle_count = 12;
        // A pose that leaves nothing.
        const float flat[1][12] = {{0}};
        b.poses = flat;
        b.pose_count = 1;
        box_corners((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1}, pb);
        assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r, 1), TACT_OK);
        b.pose_count = 0;
    }
}

TEST_AS(IMAGE_LAB_TEST, test_errors)
{
    image_lab* l = image_lab_require(state);
    float pa[24];
    box_corners((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1}, pa);
    const tact_image_body good = box_body(pa);
    tact_image_result r;
    tact_image_options options = {.method = TACT_IMAGE_QUERY, .resolution = 3};
    assert_int_equal(call_image_convex(l->tester, &good, &good, &options, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    options.resolution = 2000;
    assert_int_equal(call_image_convex(l->tester, &good, &good, &options, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    tact_image_body bad = good;
    float poses[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1, 0, 0, NAN, 0, 1, 0, 0, 0, 0, 1, 0}};
    tact_image_result two[3];
    bad.poses = (const float(*)[12])poses;
    bad.pose_count = 2;
    assert_int_equal(call_image_convex(l->tester, &good, &bad, NULL, two, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "pose 1 of object B"));
    assert_int_equal(call_image_convex(l->tester, &bad, &good, NULL, two, 3), TACT_ERROR_INVALID_ARGUMENT);
    bad = good;
    const uint32_t past[36] = {0, 1, 8};
    bad.mesh.indices = past;
    assert_int_equal(call_image_convex(l->tester, &good, &bad, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "refers to vertex 8"));
    bad = good;
    bad.mesh.positions = NULL;
    assert_int_equal(call_image_convex(l->tester, &bad, &good, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    // A context of the library's own has no buffers of the caller's.
    const tact_device_array array = {.backend = TACT_BACKEND_GL, .gl_buffer = 1};
    bad.mesh.device_positions = &array;
    assert_int_equal(call_image_convex(l->tester, &bad, &good, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    pa[5] = INFINITY;
    assert_int_equal(call_image_convex(l->tester, &good, &good, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    // Nor where nothing is measured.
    const tact_image_bounds bounds = {.upper = {1, 1, 1}, .centre = {0.5f, 0.5f, 0.5f}};
    tact_image_body bounded = good;
    bounded.bounds = &bounds;
    bounded.closed = true;
    for (int i = 0; i < 2; ++i) {
        pa[5] = i ? NAN : 2e19f;
        assert_int_equal(call_image_convex(l->tester, &bounded, &bounded, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_context_error(l->context), "object A has a vertex that is not finite"));
        assert_int_equal(call_image_concave(l->tester, &bounded, &bounded, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_context_error(l->context), "object A has a vertex that is not finite"));
    }
    pa[5] = 0;
    assert_int_equal(call_image_convex(l->tester, &bounded, &bounded, NULL, &r, 1), TACT_OK);
    assert_int_equal(call_image_concave(l->tester, &bounded, &bounded, NULL, &r, 1), TACT_OK);
    assert_int_equal(call_image_convex(l->tester, &good, &good, NULL, NULL, 0), TACT_OK);

    // Pictures are of one test, and of the kind that is asked for.
    static float layer[64 * 64];
    const tact_image_layers layers = {.front_a = layer};
    const tact_image_cells cells = {NULL, NULL, NULL, NULL};
    tact_image_work work = {.a = &good, .b = &good, .results = two, .count = 2, .layers = &layers};
    assert_int_equal(tact_image_convex(l->tester, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.count = 1;
    assert_int_equal(tact_image_convex(l->tester, &work, NULL, NULL), TACT_OK);
    assert_int_equal(tact_image_concave(l->tester, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.cells = &cells;
    assert_int_equal(tact_image_convex(l->tester, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

static const tact_backend all_backends[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU, TACT_BACKEND_GL};

/// What each backend gives of two bodies, layers and all, is the reference's.
static void expect_same(image_lab* l, const tact_image_body* a, const tact_image_body* b, uint32_t resolution,
                        tact_image_method method)
{
    static float layers[3][4][300 * 300];
    tact_image_result r[3];
    const size_t pixels = (size_t)resolution * resolution;
    for (int k = 0; k < 3; ++k) {
        const tact_image_layers all = {layers[k][0], layers[k][1], layers[k][2], layers[k][3]};
        const tact_image_options how = {.method = method, .resolution = resolution};
        const tact_image_work work = {.a = a, .b = b, .options = &how, .results = &r[k], .count = 1, .layers = &all};
        const tact_query_options options = {.backend = all_backends[k], .no_fallback = true};
        tact_query_report report;
        assert_int_equal(tact_image_convex(l->tester, &work, &options, &report), TACT_OK);
        assert_int_equal(report.backend, all_backends[k]);
        assert_memory_equal(&r[k], &r[0], sizeof r[0]);
        for (int i = 0; i < 4; ++i) {
            for (size_t p = 0; p < pixels; ++p) {
                const float got = layers[k][i][p], wanted = layers[0][i][p];
                if (got == wanted || (isnan(got) && isnan(wanted))) continue;
                fail_msg("%s: layer %d, pixel %zu is %a, by the reference %a", tact_backend_name(all_backends[k]), i, p,
                         (double)got, (double)wanted);
            }
        }
    }
}

TEST_AS(IMAGE_LAB_TEST, test_all_backends_see_the_same)
{
    image_lab* l = image_lab_require(state);
    static const uint32_t resolutions[] = {4, 33, 64, 300};
    test_random r = test_random_seeded(6121);
    make_shapes(&r);
    for (size_t i = 0; i < effort(24, 400); ++i) {
        float pa[1][12], pb[1][12];
        const image_shape *s = &shapes[test_random_below(&r, SHAPES)], *t = &shapes[test_random_below(&r, SHAPES)];
        image_random_pair(&r, s, t, 0.2f, i % 5 ? 1.0f : 100.0f, pa[0], pb[0]);
        const tact_image_body a = image_body_of(s, (const float(*)[12])pa, 1);
        const tact_image_body b = image_body_of(t, (const float(*)[12])pb, 1);
        expect_same(l, &a, &b, resolutions[i % 12 ? i % 3 : 3], i % 2 ? TACT_IMAGE_QUERY : TACT_IMAGE_READBACK);
    }
    free_shapes();
    // Hostile numbers: as large as may be, flat, far away; a pose that leaves nothing, or turns it all over.
    static const float boxes[][6] = {{-1e18f, -1e18f, -1e18f, 1e18f, 1e18f, 1e18f},
                                     {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
                                     {-1, -1, 0.5f, 2, 2, 0.5f},
                                     {1e17f, 0, 0, 1.1e17f, 1e-17f, 1},
                                     {-1e-30f, -1e-30f, 0, 1e-30f, 1e-30f, 1e-38f},
                                     {0, 0, 0, 1, 1, 1}};
    static const float poses[][1][12] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                         {{0}},
                                         {{1e18f, 0, 0, 1e18f, 0, 1, 0, -1e18f, 0, 0, 1e-18f, 0}},
                                         {{0.36f, 0.48f, -0.8f, 0, -0.8f, 0.6f, 0, 0, 0.48f, 0.64f, 0.6f, 0}}};
    for (int i = 0; i < 6 * 6 * 4; ++i) {
        float p[2][24];
        box_corners(boxes[i % 6], boxes[i % 6] + 3, p[0]);
        box_corners(boxes[i / 6 % 6], boxes[i / 6 % 6] + 3, p[1]);
        const tact_image_body a = box_body(p[0]);
        tact_image_body b = box_body(p[1]);
        b.poses = poses[i / 36];
        b.pose_count = 1;
        b.convex = true;
        tact_image_body c = a;
        c.convex = true;
        expect_same(l, &c, &b, 16, i % 2 ? TACT_IMAGE_QUERY : TACT_IMAGE_READBACK);
    }
}

/// The layers against lines of sight through the exact shape: within what vertices are moved by.
TEST(layers_are_where_lines_of_sight_meet)
{
    enum { SIZE = 64 };
    static float layers[4][SIZE * SIZE];
    const tact_context_desc none = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* plain = KEEP(new_context(&none));
    tact_image_tester* tester = KEEP(new_image_tester(plain));
    const tact_image_options how = {.method = TACT_IMAGE_READBACK, .resolution = SIZE};
    test_random r = test_random_seeded(6131);
    size_t checked = 0;
    (void)state;
    make_shapes(&r);
    for (uint32_t n = 0; n < SHAPES; ++n) {
        const image_shape* s = &shapes[n];
        const tact_image_body a = image_body_of(s, NULL, 0);
        const tact_image_layers all = {layers[0], layers[1], layers[2], layers[3]};
        tact_image_result result;
        tact_query_report report;
        const tact_image_work work = {
            .a = &a, .b = &a, .options = &how, .results = &result, .count = 1, .layers = &all};
        assert_int_equal(tact_image_convex(tester, &work, NULL, &report), TACT_OK);
        assert_int_equal(report.backend, TACT_BACKEND_CPU);
        const tact_image_view* v = &result.view;
        for (int p = 0; p < SIZE * SIZE && result.drawn; ++p) {
            const double x = ((p % SIZE + 0.5) / (SIZE / 2) - 1.0) * (double)v->half_extent[0];
            const double y = ((p / SIZE + 0.5) / (SIZE / 2) - 1.0) * (double)v->half_extent[1];
            double range[2] = {-HUGE_VAL, HUGE_VAL};
            for (size_t t = 0; t < s->hull.triangle_count; ++t) {
                // In the view's frame.
                double q[3][3], m[3];
                for (int k = 0; k < 3; ++k) {
                    const tact_vec3 w = s->points[s->hull.triangles[3 * t + (size_t)k]];
                    const double d[3] = {(double)w.x - (double)v->centre[0], (double)w.y - (double)v->centre[1],
                                         (double)w.z - (double)v->centre[2]};
                    for (int i = 0; i < 3; ++i) {
                        q[k][i] =
                            d[0] * (double)v->axes[i][0] + d[1] * (double)v->axes[i][1] + d[2] * (double)v->axes[i][2];
                    }
                }
                for (int i = 0; i < 3; ++i) {
                    const int j = (i + 1) % 3, k = (i + 2) % 3;
                    m[i] = (q[1][j] - q[0][j]) * (q[2][k] - q[0][k]) - (q[1][k] - q[0][k]) * (q[2][j] - q[0][j]);
                }
                // Steep faces move far in depth with the grid: they bound by less than they promise.
                if (fabs(m[2]) < 0.05 * sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])) continue;
                const double depth = q[0][2] - (m[0] * (x - q[0][0]) + m[1] * (y - q[0][1])) / m[2];
                if (m[2] < 0.0) range[0] = fmax(range[0], depth);
                if (m[2] > 0.0) range[1] = fmin(range[1], depth);
            }
            if (isnan(layers[0][p])) continue;
            const double scale = 2.0 * (double)v->half_extent[2];
            const double front = ((double)layers[0][p] - 0.5) * scale, back = ((double)layers[1][p] - 0.5) * scale;
            const double near_by = 40.0 * (double)result.gap + 1e-5;
            ++checked;
            if (front < range[0] - near_by || back > range[1] + near_by || front > back) {
                fail_msg("shape %u, pixel %d: %g to %g, but lines of sight meet %g to %g", (unsigned)n, p, front, back,
                         range[0], range[1]);
            }
        }
    }
    free_shapes();
    assert_true(checked > 10000);
}

// Two prisms with a wall each along one line, and the second moved away from it by a few thousandths of a pixel: on its
// grid the rasterizer moves both walls, at times beyond a pixel's centre. What is then reported is within the gap.
TEST_AS(IMAGE_LAB_TEST, test_walls_within_the_gap)
{
    image_lab* l = image_lab_require(state);
    enum { PAIRS = 4000 };
    static const float a[18] = {-0.2f, -0.2f, 0,    1.3f, 0, 0,    0, 0.9f, 0,
                                -0.2f, -0.2f, 0.3f, 1.3f, 0, 0.3f, 0, 0.9f, 0.3f};
    static const float b[18] = {1.4f, 1.1f, 0, 1.3f, 0, 0, 0, 0.9f, 0, 1.4f, 1.1f, 0.3f, 1.3f, 0, 0.3f, 0, 0.9f, 0.3f};
    static const uint32_t faces[24] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5};
    static float poses[PAIRS][12];
    static tact_image_result r[PAIRS];
    test_random random = test_random_seeded(6111);
    const double across[2] = {0.9 / sqrt(2.5), 1.3 / sqrt(2.5)};  // of unit length
    for (size_t i = 0; i < PAIRS; ++i) {
        const double away = 3e-5 * (double)test_random_unit(&random), along = 0.2 * (double)test_random_signed(&random);
        const float pose[12] = {1, 0, 0, (float)(across[0] * away + across[1] * along),
                                0, 1, 0, (float)(across[1] * away - across[0] * along),
                                0, 0, 1, 0};
        memcpy(poses[i], pose, sizeof pose);
    }
    const tact_image_body body_a = {.mesh = {.positions = a, .vertex_count = 6, .indices = faces, .triangle_count = 8}};
    tact_image_body body_b = body_a;
    body_b.mesh.positions = b;
    body_b.poses = (const float(*)[12])poses;
    body_b.pose_count = PAIRS;
    size_t false_hits = 0;
    double worst = 0;
    for (int method = 0; method < 2; ++method) {
        const tact_image_options options = {.method = (tact_image_method)method, .resolution = 64};
        assert_int_equal(call_image_convex(l->tester, &body_a, &body_b, &options, r, PAIRS), TACT_OK);
        for (size_t i = 0; i < PAIRS; ++i) {
            // The coordinates are rounded.
            const double distance = across[0] * (double)poses[i][3] + across[1] * (double)poses[i][7] - 1e-7;
            assert_true(r[i].drawn);
            if (!r[i].overlap || distance <= 0.0) continue;
            ++false_hits;
            worst = fmax(worst, distance / (double)r[i].gap);
        }
    }
    print_message("%zu of %d reported although apart, at most %.3f of the gap\n", false_hits, 2 * PAIRS, worst);
    assert_true(worst <= 1.0);
    // What other rasterizers do is theirs.
    tact_device* device = l->context->devices[tact_context_find(l->context, TACT_BACKEND_GL)];
    if (tact_device_describe(device)->software) assert_true(false_hits > 4);
}

static void refuse(image_lab* l, const tact_image_body* body, const char* what)
{
    float p[24];
    box_corners((const float[3]){-1, -1, -1}, (const float[3]){1, 1, 1}, p);
    const tact_image_body box = box_body(p);
    tact_image_result r;
    assert_int_equal(call_image_convex(l->tester, &box, body, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    if (!strstr(tact_context_error(l->context), "object B is not convex")) fail_msg("%s was not refused", what);
    assert_int_equal(call_image_convex(l->tester, body, &box, NULL, &r, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(l->context), "object A is not convex"));
}

// Of an L the tolerance would shrink with the pixels, although a box in one of its arms is missed at any depth.
TEST_AS(IMAGE_LAB_TEST, test_not_convex)
{
    image_lab* l = image_lab_require(state);
    concave_solid knot = concave_knot(24, 6, 0.12), hollow = concave_hollow(0.8f, 0.6f);
    concave_solid dented = concave_box((const float[3]){-1, -1, -1}, (const float[3]){1, 1, 1});
    concave_solid open = concave_box((const float[3]){-1, -1, -1}, (const float[3]){1, 1, 1});
    const tact_image_body body_knot = concave_body(&knot, NULL, 0), body_hollow = concave_body(&hollow, NULL, 0);
    refuse(l, &body_knot, "a knot");
    refuse(l, &body_hollow, "a hollow box");
    dented.positions[0] -= 0.01f;
    dented.positions[1] -= 0.01f;
    dented.positions[2] -= 0.01f;
    tact_image_body body = concave_body(&dented, NULL, 0);
    refuse(l, &body, "a box with a corner pulled out, and dents beside it");
    body = concave_body(&open, NULL, 0);
    body.mesh.triangle_count = 11;
    refuse(l, &body, "a box without a triangle");
    // What rounding does to a box that is turned, also far away, is no dent, whatever its triangles' order.
    test_random r = test_random_seeded(6109);
    for (int i = 0; i < 200; ++i) {
        float turn[12];
        image_random_turn(&r, turn);
        const float far_away = i % 2 ? 5000.0f : 0.0f, thin = i % 4 < 2 ? 1.0f : 0.001f;
        concave_solid box = concave_box((const float[3]){-1, -0.7f, -thin}, (const float[3]){1, 0.7f, thin});
        for (size_t v = 0; v < 8; ++v) {
            float p[3];
            for (int k = 0; k < 3; ++k) {
                const float* q = box.positions + 3 * v;
                p[k] = far_away + turn[4 * k] * q[0] + turn[4 * k + 1] * q[1] + turn[4 * k + 2] * q[2];
            }
            memcpy(box.positions + 3 * v, p, sizeof p);
        }
        const uint32_t swap = box.indices[0];
        box.indices[0] = box.indices[1];
        box.indices[1] = swap;
        const tact_image_body turned = concave_body(&box, NULL, 0);
        tact_image_result result;
        const tact_result got = call_image_convex(l->tester, &turned, &turned, NULL, &result, 1);
        if (got != TACT_OK) fail_msg("box %d: %s", i, tact_context_error(l->context));
    }
}

// Both methods count pixels, also where objects have several back faces in one: a flat one has two.
TEST_AS(IMAGE_LAB_TEST, test_each_pixel_counts_once)
{
    image_lab* l = image_lab_require(state);
    concave_solid knot = concave_knot(24, 6, 0.12),
                  box = concave_box((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1});
    concave_solid plate = concave_box((const float[3]){0, 0, 0.5f}, (const float[3]){1, 1, 0.5f});
    const concave_solid* pairs[][2] = {{&box, &plate}, {&plate, &box}, {&plate, &plate}, {&box, &knot}, {&knot, &knot}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        tact_image_result r[2];
        for (int method = 0; method < 2; ++method) {
            tact_image_body a = concave_body(pairs[i][0], NULL, 0), b = concave_body(pairs[i][1], NULL, 0);
            a.convex = b.convex = true;
            const tact_image_options options = {.method = (tact_image_method)method, .resolution = 64};
            assert_int_equal(call_image_convex(l->tester, &a, &b, &options, &r[method], 1), TACT_OK);
        }
        if (memcmp(r[0].samples, r[1].samples, sizeof r[0].samples) != 0) {
            fail_msg("pair %zu: %u and %u samples by queries, %u and %u by readback", i, (unsigned)r[0].samples[0],
                     (unsigned)r[0].samples[1], (unsigned)r[1].samples[0], (unsigned)r[1].samples[1]);
        }
        assert_int_equal(r[0].overlap, r[1].overlap);
        assert_true(r[0].samples[0] <= 64 * 64 && (i == 2 || r[0].samples[0] > 0));
        if (i < 2) assert_int_equal(r[0].samples[0], 64 * 64);
    }
}

TEST_AS(IMAGE_LAB_TEST, test_failures)
{
    image_lab* l = image_lab_require(state);
    float pa[24], pb[24];
    box_corners((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1}, pa);
    box_corners((const float[3]){0.5f, 0.5f, 0.5f}, (const float[3]){2, 2, 2}, pb);
    const tact_image_body a = box_body(pa), b = box_body(pb);
    image_lab_fail_buffers(l, call_image_convex, &a, &b, 6, 14);
}

static tact_result picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b)
{
    static float layers[4][16 * 16];
    const tact_image_layers all = {layers[0], layers[1], layers[2], layers[3]};
    tact_image_result r;
    return call_image_convex_picture(tester, a, b, 16, &all, &r);
}

TEST_AS(IMAGE_LAB_TEST, test_out_of_memory)
{
    image_lab_require(state);
    float pa[24];
    box_corners((const float[3]){0, 0, 0}, (const float[3]){1, 1, 1}, pa);
    const tact_image_body a = box_body(pa);
    image_lab_fail_memory(call_image_convex, picture, &a, &a, 10, 399);
}

#include "tests/support/image_adopted.h"

static void write_pictures(image_lab* l, const char* folder)
{
    enum { SIZE = 128 };
    static float layers[4][SIZE * SIZE];
    const tact_image_layers all = {layers[0], layers[1], layers[2], layers[3]};
    test_random r = test_random_seeded(6103);
    make_shapes(&r);
    for (uint32_t i = 0; i < 4; ++i) {
        float pa[1][12], pb[1][12];
        image_random_pair(&r, &shapes[i], &shapes[(5 * i + 2) % SHAPES], 0.3f, 1.0f, pa[0], pb[0]);
        const tact_image_body a = image_body_of(&shapes[i], (const float(*)[12])pa, 1);
        const tact_image_body b = image_body_of(&shapes[(5 * i + 2) % SHAPES], (const float(*)[12])pb, 1);
        tact_image_result result;
        assert_int_equal(call_image_convex_picture(l->tester, &a, &b, SIZE, &all, &result), TACT_OK);
        const tact_convex_contact truth = image_truth(&shapes[i], pa[0], &shapes[(5 * i + 2) % SHAPES], pb[0]);
        char path[512];
        tact_problem problem = {0};
        snprintf(path, sizeof path, "%s/convex%u.png", folder, (unsigned)i);
        assert_true(tact_picture_of_layers(path, &all, SIZE, 3, &problem));
        printf("%s: overlap %d, distance %g, tolerance %g, penetration %g, common %u\n", path, (int)result.overlap,
               (double)truth.distance, (double)result.tolerance, (double)result.penetration, (unsigned)result.common);
    }
    free_shapes();
}

TEST_AS(IMAGE_LAB_TEST, test_pictures)
{
    image_lab* l = image_lab_require(state);
    const char* folder = getenv("TACT_TEST_PICTURES");
    if (folder) write_pictures(l, folder);
}

TEST_ELSEWHERE(ON_GL, test_state_untouched)
TEST_ELSEWHERE(ON_GL, test_deforming)

#include TEST_LIST

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "long") == 0) rounds = 200;
    if (argc > 2) run_only(argv[2]);
    return run_all(all_tests, NULL, NULL);
}
