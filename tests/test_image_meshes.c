// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Concave image-space tests of meshes as people have them: every answer that is not the exact one lies within the
/// tolerance that came with it. Arguments: `long` for some 2,500 poses, or anything else; then which of the tests to
/// run.

#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "tact/geometry/mesh_report.h"
#include "tact/tact.h"
#include "tests/support/image_concave_check.h"
#include "tests/support/image_lab.h"

enum { POSES_MAX = 100, RESOLUTIONS = 2 };

static const uint32_t resolutions[RESOLUTIONS] = {32, 128};
static bool thorough;

// `poses` of A and B, a third of them anywhere, the rest all but touching, or with their middles no farther apart than
// `within`; at both resolutions.
static void check_pair(image_lab* l, const char* name, const concave_solid* a, const concave_solid* b, float within,
                       size_t poses, uint64_t seed)
{
    test_random random = test_random_seeded(seed);
    tact_mesh* point = KEEP(concave_point(l->context));
    concave_pair pair = {{a, b}, {concave_mesh(l->context, a), concave_mesh(l->context, b)}, point, 2e-6};
    concave_tally t[RESOLUTIONS] = {{0}};
    for (size_t done = 0; done < poses; done += POSES_MAX) {
        static float at[POSES_MAX][12];
        static tact_image_result r[2][POSES_MAX];
        const size_t count = poses - done < POSES_MAX ? poses - done : POSES_MAX;
        for (size_t i = 0; i < count; ++i) {
            concave_near_pose(&random, &pair, i, at[i]);
            for (int k = 0; k < 3 && within > 0.0f && i % 3 > 0; ++k)
                at[i][4 * k + 3] = within * test_random_signed(&random);
        }
        tact_image_body bodies[2] = {concave_body(a, NULL, 0), concave_body(b, (const float(*)[12])at, count)};
        bodies[0].closed = bodies[1].closed = true;
        for (int k = 0; k < RESOLUTIONS; ++k) {
            for (int m = 0; m < 2; ++m) {
                const tact_image_options options = {.method = m == 0 ? TACT_IMAGE_QUERY : TACT_IMAGE_READBACK,
                                                    .resolution = resolutions[k]};
                assert_int_equal(call_image_concave(l->tester, &bodies[0], &bodies[1], &options, r[m], count), TACT_OK);
            }
            for (size_t i = 0; i < count; ++i) {
                assert_int_equal(r[0][i].overlap, r[1][i].overlap);
                assert_memory_equal(r[0][i].samples, r[1][i].samples, sizeof r[0][i].samples);
                assert_int_equal(r[1][i].leaks[0] + r[1][i].leaks[1], 0);
                concave_check(&pair, at[i], &r[1][i], &t[k]);
            }
        }
    }
    for (int k = 0; k < RESOLUTIONS; ++k) {
        print_message(
            "%-28s %3u px: %4zu poses, %4zu apart, %3zu inside, %4zu meet; reported although apart %3zu, "
            "missed %3zu, outside %zu (at most %.2f and %.2f of the tolerance)\n",
            name, (unsigned)resolutions[k], t[k].poses, t[k].apart, t[k].inside, t[k].meeting, t[k].false_hits,
            t[k].misses, t[k].outside, t[k].worst_gap, t[k].worst_depth);
        assert_int_equal(t[k].outside, 0);
        assert_true(!thorough || (t[k].apart > 0 && t[k].apart < t[k].poses));
    }
    tact_mesh_destroy(pair.meshes[0]);
    tact_mesh_destroy(pair.meshes[1]);
}

static size_t number(size_t few, size_t many)
{
    return thorough ? many : few;
}

// A ring of a circle's cross-section.
static concave_solid make_ring(uint32_t along, uint32_t around, double thick)
{
    concave_solid s = concave_make((size_t)along * around, (size_t)along * around * 2);
    for (uint32_t i = 0; i < along; ++i) {
        for (uint32_t k = 0; k < around; ++k) {
            const double t = 6.283185307179586 * i / along, a = 6.283185307179586 * k / around;
            const double out = 1.0 - thick + thick * cos(a);
            float* p = s.positions + 3 * ((size_t)i * around + k);
            p[0] = (float)(out * cos(t));
            p[1] = (float)(out * sin(t));
            p[2] = (float)(thick * sin(a));
        }
    }
    concave_grid(along, around, s.indices);
    concave_measure(&s);
    return s;
}

// What is not closed is not tested, and the reason is given.
static void refuse(image_lab* l, const char* name, concave_solid* s)
{
    const tact_image_body body = concave_body(s, NULL, 0);
    tact_image_result result;
    assert_int_equal(call_image_concave(l->tester, &body, &body, NULL, &result, 1), TACT_ERROR_INVALID_ARGUMENT);
    print_message("%s: %s\n", name, tact_context_error(l->context));
    assert_non_null(strstr(tact_context_error(l->context), "edges have"));
}

// A file's mesh as it is if it is closed, else repaired, in a ball of radius 1 around its middle.
static bool load(image_lab* l, const char* name, concave_solid* s)
{
    char path[256];
    tact_model_mesh mesh = {0};
    tact_problem problem;
    tact_mesh_report report;
    snprintf(path, sizeof path, "/usr/share/glmark2/models/%s", name);
    if (!tact_mesh_file_read_guarded(path, &mesh, &problem)) {
        leave_out(path);
        return false;
    }
    const tact_mesh_view view = {(const tact_vec3*)mesh.positions, mesh.vertex_count, mesh.indices,
                                 mesh.triangle_count};
    tact_mesh_copy copy;
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    *s = concave_make(copy.vertex_count, copy.triangle_count);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    memcpy(s->positions, copy.positions, 12 * copy.vertex_count);
    memcpy(s->indices, copy.indices, 12 * copy.triangle_count);
    tact_mesh_copy_free(&copy);
    tact_model_mesh_free(&mesh);
    for (size_t i = 0; i < 3 * s->vertices; ++i) {
        low[i % 3] = fminf(low[i % 3], s->positions[i]);
        high[i % 3] = fmaxf(high[i % 3], s->positions[i]);
    }
    for (size_t i = 0; i < 3 * s->vertices; ++i)
        s->positions[i] -= 0.5f * (low[i % 3] + high[i % 3]);
    concave_measure(s);
    for (size_t i = 0; i < 3 * s->vertices; ++i)
        s->positions[i] /= s->radius;
    concave_measure(s);
    const tact_mesh_view repaired = {(const tact_vec3*)s->positions, s->vertices, s->indices, s->triangles};
    assert_int_equal(tact_mesh_report_make(&repaired, NULL, &report), TACT_OK);
    if (!report.closed) refuse(l, name, s);
    return report.closed;
}

TEST_AS(IMAGE_LAB_TEST, test_knots)
{
    image_lab* l = image_lab_require(state);
    concave_solid fine = concave_knot(120, 12, 0.1), coarse = concave_knot(24, 5, 0.2);
    check_pair(l, "torus knots", &fine, &fine, 0, number(12, 300), 1);
    check_pair(l, "torus knots, coarse", &coarse, &fine, 0, number(12, 300), 2);
}

TEST_AS(IMAGE_LAB_TEST, test_shells)
{
    image_lab* l = image_lab_require(state);
    concave_solid outer = concave_hollow(1.0f, 0.8f), inner = concave_hollow(0.6f, 0.55f);
    concave_solid ball = concave_box((const float[3]){-0.3f, -0.3f, -0.3f}, (const float[3]){0.3f, 0.3f, 0.3f});
    check_pair(l, "nested shells", &outer, &inner, 0.25f, number(15, 300), 3);
    check_pair(l, "a box in a shell", &outer, &ball, 0.45f, number(15, 300), 4);
    concave_solid block = concave_box((const float[3]){-2, -2, -2}, (const float[3]){2, 2, 2});
    concave_solid knot = concave_knot(40, 6, 0.15);
    check_pair(l, "a knot in a block", &block, &knot, 1.6f, number(15, 300), 11);
}

TEST_AS(IMAGE_LAB_TEST, test_rings)
{
    image_lab* l = image_lab_require(state);
    concave_solid ring = make_ring(64, 12, 0.12);
    check_pair(l, "interlocked rings", &ring, &ring, 0, number(12, 300), 5);
}

TEST_AS(IMAGE_LAB_TEST, test_plates)
{
    image_lab* l = image_lab_require(state);
    concave_solid plate = concave_box((const float[3]){-0.9f, -0.7f, -0.005f}, (const float[3]){0.9f, 0.7f, 0.005f});
    concave_solid rod = concave_box((const float[3]){-0.9f, -0.01f, -0.01f}, (const float[3]){0.9f, 0.01f, 0.01f});
    check_pair(l, "thin plates", &plate, &plate, 0, number(15, 300), 6);
    check_pair(l, "a rod and a plate", &rod, &plate, 0, number(15, 300), 7);
}

TEST_AS(IMAGE_LAB_TEST, test_files)
{
    image_lab* l = image_lab_require(state);
    static const char* const names[] = {"bunny.obj", "horse.3ds", "asteroid-high.3ds"};
    concave_solid s[3] = {{0}};
    bool there[3];
    for (int i = 0; i < 3; ++i)
        there[i] = load(l, names[i], &s[i]);
    if (!there[0] && !there[2]) skip_because("no meshes (package glmark2-data)");
    if (there[0]) check_pair(l, "bunny and bunny", &s[0], &s[0], 0, number(2, 300), 8);
    if (there[0] && there[2]) check_pair(l, "bunny and asteroid", &s[0], &s[2], 0, number(2, 100), 9);
    if (there[2]) check_pair(l, "asteroid and asteroid", &s[2], &s[2], 0, number(2, 100), 10);
}

// What the others measure depths with finds depths.
TEST_AS(IMAGE_LAB_TEST, test_measure)
{
    image_lab* l = image_lab_require(state);
    concave_solid block = concave_box((const float[3]){-2, -2, -2}, (const float[3]){2, 2, 2});
    concave_solid knot = concave_knot(40, 6, 0.15);
    tact_mesh* point = KEEP(concave_point(l->context));
    concave_pair pair = {
        {&block, &knot}, {concave_mesh(l->context, &block), concave_mesh(l->context, &knot)}, point, 0};
    const float pose[12] = {1, 0, 0, 1.5f, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_image_view view = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .half_extent = {3, 3, 3}};
    // The knot's left end is about 1 from its middle.
    const double depth = concave_deepest(&pair, 1, pose, &view);
    assert_true(depth > 1.2 && depth < 1.7);
    assert_true(concave_deepest(&pair, 0, pose, &view) == 0.0);
    tact_mesh_destroy(pair.meshes[0]);
    tact_mesh_destroy(pair.meshes[1]);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    if (argc > 2) run_only(argv[2]);
    return run_all(all_tests, NULL, NULL);
}
