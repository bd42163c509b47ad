// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/rays.h"
#include "kernels/closest_point.h"
#include "tact/tact.h"
#include "tests/support/closest_check.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/objects.h"
#include "tests/support/shape_lab.h"
#include "tests/support/test_scenes.h"

// Closest points: every backend against the brute force, the brute force against closest points in double precision,
// and the claims that pruning rests on.

/// The least distance in double precision; HUGE_VAL for none.
static double oracle(const tact_model* model, const tact_closest_query* q)
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < model->instance_count; ++i) {
        const tact_model_mesh* mesh = &model->meshes[model->instances[i].mesh];
        for (size_t k = 0; k < mesh->triangle_count; ++k) {
            bool good = true;
            for (size_t c = 0; c < 9; ++c)
                good = good &&
                       fabsf(mesh->positions[3 * (size_t)mesh->indices[3 * k + c / 3] + c % 3]) <= TACT_MAX_COORDINATE;
            if (!good) continue;
            const tact_triangle t = triangle_of(model, i, k);
            const tact_closest r = tact_closest_on_triangle((tact_vec3){q->x, q->y, q->z}, &t);
            if ((double)r.distance < best) best = (double)r.distance;
        }
    }
    return best;
}

/// What moving a vertex in single precision may cost.
static double rounding_of(const tact_scene_stats* stats, const tact_closest_query* q, double distance)
{
    double size = fabs(distance);
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, fabs((double)stats->lower[k]));
        size = fmax(size, fabs((double)stats->upper[k]));
    }
    size = fmax(size, fmax(fabs((double)q->x), fmax(fabs((double)q->y), fabs((double)q->z))));
    return size * 0x1p-18;
}

static void expect_like_oracle(const char* name, const tact_model* model, const tact_scene_stats* stats,
                               const tact_closest_query* q, const tact_closest_hit* hit)
{
    const bool valid = fabsf(q->x) <= TACT_MAX_COORDINATE && fabsf(q->y) <= TACT_MAX_COORDINATE &&
                       fabsf(q->z) <= TACT_MAX_COORDINATE && q->max_distance >= 0.0f;
    const double least = valid ? oracle(model, q) : HUGE_VAL;
    const double slack = rounding_of(stats, q, isfinite(least) ? least : 0.0);
    if (hit->instance == TACT_NONE) {
        if (least < (double)q->max_distance - slack)
            fail_msg("%s: nothing found, there is something at %g", name, least);
        assert_int_equal(hit->primitive, TACT_NONE);
        assert_memory_equal(&hit->distance, &q->max_distance, sizeof(float));
        return;
    }
    if (!(fabs((double)hit->distance - least) <= slack)) {
        fail_msg("%s: point %a %a %a: distance %g, should be %g", name, (double)q->x, (double)q->y, (double)q->z,
                 (double)hit->distance, least);
    }
    const double dx = (double)hit->x - (double)q->x, dy = (double)hit->y - (double)q->y,
                 dz = (double)hit->z - (double)q->z;
    const double led = sqrt(dx * dx + dy * dy + dz * dz);
    if (!(fabs(led - least) <= slack)) fail_msg("%s: the point is %g away, should be %g", name, led, least);
    assert_true(hit->u >= 0.0f && hit->v >= 0.0f && hit->u + hit->v <= 1.0f + 0x1p-22f);
}

static void conform(const char* name, const tact_model* model, const tact_scene_stats* stats, tact_scene* scene,
                    const tact_closest_query* points, size_t count)
{
    tact_closest_hit hits[60];
    const size_t few = count < 60 ? count : 60;
    conform_bytes(name, scene, points, count);
    find(scene, TACT_BACKEND_REFERENCE, 0, points, few, hits);
    for (size_t i = 0; i < few; ++i)
        expect_like_oracle(name, model, stats, &points[i], &hits[i]);
}

TEST(every_device_agrees_on_the_scenes_of_verify)
{
    enum { COUNT = 300 };
    static tact_closest_query points[COUNT];
    for (size_t i = 0; i < tact_test_scene_count; ++i) {
        const tact_test_scene* test = &tact_test_scenes[i];
        tact_model model;
        tact_scene_stats stats;
        tact_scene* scene = build_test_scene(test, &model, &stats);
        const size_t count = tact_model_triangles(&model) > 20000 ? COUNT / 5 : COUNT;
        const tact_bounds bounds = tact_ray_bounds(&stats);
        tact_points_random(&bounds, 1, count, INFINITY, points);
        conform(test->name, &model, &stats, scene, points, count);
        tact_points_random(&bounds, 2, count, (float)(0.2 * (bounds.upper[0] - bounds.lower[0])), points);
        conform(test->name, &model, &stats, scene, points, count);
        tact_points_hard(&model, &bounds, 1, count, points);
        conform(test->name, &model, &stats, scene, points, count);
        tact_scene_destroy(scene);
        tact_model_free(&model);
    }
}

/// Pruning claims that a box around a triangle is never farther than it, however the instance is moved.
TEST(no_box_around_a_triangle_is_farther_than_the_triangle)
{
    test_random r = test_random_seeded(7);
    static soup s;
    uint64_t compared = 0;
    for (int round = 0; round < 600; ++round) {
        const soup_kind kind = (soup_kind)(round % SOUP_KINDS);
        float m[12];
        fill_soup(&r, kind, 20, &s);
        random_pose(&r, kind, m);
        for (size_t k = 0; k < s.triangles; ++k) {
            float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, q[3][3], p[3];
            bool good = true;
            for (size_t c = 0; c < 3; ++c) {
                const float* v = s.positions + 3 * (size_t)s.indices[3 * k + c];
                for (int i = 0; i < 3; ++i) {
                    low[i] = v[i] < low[i] ? v[i] : low[i];
                    high[i] = v[i] > high[i] ? v[i] : high[i];
                    q[c][i] = tact_pose_apply(m[4 * i], m[4 * i + 1], m[4 * i + 2], m[4 * i + 3], v[0], v[1], v[2]);
                    good = good && fabsf(v[i]) <= TACT_MAX_COORDINATE && fabsf(q[c][i]) <= TACT_MAX_COORDINATE;
                }
            }
            if (!good) continue;
            TactSpan span[3];
            for (int i = 0; i < 3; ++i) {
                span[i] = tact_moved_span(m[4 * i], m[4 * i + 1], m[4 * i + 2], m[4 * i + 3], low[0], low[1], low[2],
                                          high[0], high[1], high[2]);
                p[i] = q[test_random_below(&r, 3)][i] * (1.0f + test_random_signed(&r) * 1e-6f) +
                       (round % 3 ? coordinate(&r, kind) : 0.0f);
            }
            const float gap = tact_box_gap2(p[0], p[1], p[2], span[0].low, span[1].low, span[2].low, span[0].high,
                                            span[1].high, span[2].high);
            const TactClosest c = tact_triangle_closest(p[0], p[1], p[2], q[0][0], q[0][1], q[0][2], q[1][0], q[1][1],
                                                        q[1][2], q[2][0], q[2][1], q[2][2], 0.0f, TACT_CLOSEST_FAR2);
            if (p[0] != p[0] || p[1] != p[1] || p[2] != p[2]) continue;
            assert_true(gap <= c.d2);
            ++compared;
        }
    }
    assert_true(compared > 5000);
}

/// From the middle of a sphere all triangles are about as far, so that a search goes through most of the tree: far more
/// steps than a device takes in one launch.
TEST(long_searches_are_finished)
{
    tact_model model = {0};
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_mesh_icosphere(6, &mesh, &problem));
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    const float turned[12] = {0.36f, 0.48f, -0.8f, 1, -0.8f, 0.6f, 0, 2, 0.48f, 0.64f, 0.6f, 3};
    assert_true(tact_model_add_instance(&model, 0, turned, &problem));
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    tact_closest_query points[40];
    for (int i = 0; i < 40; ++i)
        points[i] = (tact_closest_query){1.0f + (float)i * 1e-6f, 2, i % 2 ? 3.0f : 7.0f, INFINITY};
    conform("sphere", &model, &stats, scene, points, 40);
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

/// More searches that one launch does not finish than are carried to the next at a time (4,096), among others.
TEST(thousands_of_long_searches_are_finished)
{
    enum { COUNT = 4300, PLACES = 10 };
    tact_model model = {0};
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_mesh_icosphere(4, &mesh, &problem));
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, NULL, &problem));
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    static tact_closest_query points[COUNT];
    static tact_closest_hit expected[COUNT], got[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        const float x = (float)(i % PLACES) * 1e-6f;
        points[i] = (tact_closest_query){x, 2e-5f - x, i % 41 ? 0.0f : 3.0f, INFINITY};
    }
    // What is asked repeats itself, and so must the answers.
    find(scene, TACT_BACKEND_REFERENCE, 0, points, 41 * PLACES, expected);
    for (int i = 41 * PLACES; i < COUNT; ++i)
        expected[i] = expected[i - 41 * PLACES];
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        find(scene, (tact_backend)backend, 0, points, COUNT, got);
        compare("many in a sphere", tact_backend_name((tact_backend)backend), points, COUNT, expected, got);
    }
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

static const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

TEST(ties_go_to_the_smaller_instance_and_primitive)
{
    enum { BACKENDS = TACT_BACKEND_REFERENCE - TACT_BACKEND_CPU + 1 };
    const float twice[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_mesh_desc desc = {.positions = twice, .vertex_count = 6, .triangle_count = 2};
    const float up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t mesh = put_mesh(scene, &desc);
    put_instance(scene, mesh, up);
    put_instance(scene, mesh, NULL);
    put_instance(scene, mesh, NULL);
    const tact_closest_query points[3] = {
        {0.25f, 0.25f, 1, 5}, {0.25f, 0.25f, 0.5f, 0.5f}, {0.25f, 0.25f, 0.5f, 0.25f}};
    const uint32_t expected[3] = {0, 1, TACT_NONE};
    // With all instances in one part of the top level, then in two, then in the other.
    for (int i = 0; i < 4 * BACKENDS; ++i) {
        const int backend = TACT_BACKEND_CPU + i % BACKENDS;
        if (i > 0 && i % BACKENDS == 0) {
            assert_int_equal(tact_scene_set_dynamic(scene, (uint32_t)(i / BACKENDS) - 1, true), TACT_OK);
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        if (device_missing(context, (tact_backend)backend)) continue;
        tact_closest_hit hits[3];
        find(scene, (tact_backend)backend, 0, points, 3, hits);
        for (int k = 0; k < 3; ++k)
            assert_int_equal(hits[k].instance, expected[k]);
        assert_int_equal(hits[0].primitive, 0);
        assert_true(hits[0].distance == 1.0f && hits[0].x == 0.25f && hits[0].y == 0.25f && hits[0].z == 2.0f);
        assert_true(hits[0].u == 0.25f && hits[0].v == 0.25f);
    }
}

/// The instance decides before the shape does: the nearest of the second comes before that of the first in its own
/// list.
TEST(ties_of_shapes_go_to_the_smaller_instance)
{
    for (int turned = 0; turned < 2; ++turned) {
        const float side = turned ? -1.0f : 1.0f;
        const tact_sphere first[2] = {{{50 * side, 0, 0}, 1}, {{2 * side, 0, 0}, 1}},
                          second[2] = {{{-2 * side, 0, 0}, 1}, {{-50 * side, 0, 0}, 1}};
        uint32_t meshes[2], id;
        tact_scene* scene = new_scene(context);
        assert_int_equal(tact_scene_add_spheres(scene, first, 2, &meshes[0]), TACT_OK);
        assert_int_equal(tact_scene_add_spheres(scene, second, 2, &meshes[1]), TACT_OK);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(tact_scene_add_instance(scene, meshes[i], NULL, &id), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const tact_closest_query point = {0, 0, 0, 9};
        for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_REFERENCE; ++backend) {
            if (device_missing(context, (tact_backend)backend)) continue;
            tact_closest_hit hit;
            find(scene, (tact_backend)backend, 0, &point, 1, &hit);
            assert_true(hit.distance == 1.0f && hit.instance == 0 && hit.primitive == 1);
        }
        tact_scene_destroy(scene);
    }
}

/// A scene of one triangle, twice as large and turned, gives distances of the world.
TEST(distances_are_those_of_the_world)
{
    const tact_mesh_desc desc = {.positions = corner, .vertex_count = 3, .triangle_count = 1};
    const float m[12] = {0, 0, 2, 10, 2, 0, 0, 0, 0, 2, 0, 0};  // x to y, y to z, z to x
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t mesh = put_mesh(scene, &desc);
    put_instance(scene, mesh, m);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_closest_query points[] = {{13, 0.5f, 0.5f, INFINITY}, {10, 3, 0, INFINITY}, {10, -3, -4, 6}};
    tact_closest_hit hits[3];
    find(scene, TACT_BACKEND_CPU, 0, points, 3, hits);
    assert_true(hits[0].distance == 3.0f && hits[0].u == 0.25f && hits[0].v == 0.25f);
    assert_true(hits[1].distance == 1.0f && hits[1].u == 1.0f && hits[1].y == 2.0f);
    assert_true(hits[2].distance == 5.0f && hits[2].u == 0.0f && hits[2].v == 0.0f && hits[2].x == 10.0f);
}

static bool stop(double done, void* user)
{
    return false;
}

TEST(wrong_use_is_refused_and_work_can_be_cancelled)
{
    const tact_closest_query point = {0, 0, 0, 1};
    tact_closest_hit hit;
    assert_int_equal(tact_closest_points(NULL, &point, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_closest_points(scene, &point, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_closest_points(scene, NULL, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_closest_points(scene, &point, 1, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_closest_points(scene, NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_closest_points(scene, &point, 1, &hit, NULL, NULL), TACT_OK);
    assert_int_equal(hit.instance, TACT_NONE);
    assert_true(hit.distance == 1.0f);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .shadow = true};
    assert_int_equal(tact_closest_points(scene, &point, 1, &hit, &options, NULL), TACT_OK);
    const tact_query_options cancelled = {.backend = TACT_BACKEND_CPU, .progress = stop};
    assert_int_equal(tact_closest_points(scene, &point, 1, &hit, &cancelled, NULL), TACT_ERROR_CANCELLED);
}

// ---- Shapes ----

static double shape_oracle(const shape_lab* lab, const tact_closest_query* q)
{
    double best = HUGE_VAL;
    const double at[3] = {(double)q->x, (double)q->y, (double)q->z};
    for (int n = 0; n < PLACED; ++n) {
        for (int i = 0; i < SHAPES; ++i)
            best = fmin(best, fabs(beyond_shape(lab, n, i, at)));
    }
    return best;
}

static void expect_shape_answers(const shape_lab* lab, tact_scene* scene, const tact_closest_query* points,
                                 size_t count)
{
    tact_closest_hit* hits = scratch(count * sizeof *hits);
    find(scene, TACT_BACKEND_REFERENCE, 0, points, count, hits);
    for (size_t i = 0; i < count; ++i) {
        const double least = shape_oracle(lab, &points[i]), slack = 0x1p-15 * (64.0 + least);
        if (hits[i].instance == TACT_NONE) {
            assert_true(least >= (double)points[i].max_distance - slack);
            continue;
        }
        if (!(fabs((double)hits[i].distance - least) <= slack)) {
            fail_msg("point %zu: %g away, should be %g", i, (double)hits[i].distance, least);
        }
        const double dx = (double)hits[i].x - (double)points[i].x, dy = (double)hits[i].y - (double)points[i].y,
                     dz = (double)hits[i].z - (double)points[i].z;
        assert_true(fabs(sqrt(dx * dx + dy * dy + dz * dz) - least) <= slack);
        assert_true(hits[i].u == 0.0f && hits[i].v == 0.0f);
    }
}

TEST(shapes_are_found_alike_everywhere)
{
    enum { COUNT = 200, ROUNDS = 6 };
    static shape_lab lab;
    static tact_closest_query points[COUNT];
    test_random r = test_random_seeded(21);
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t id;
        fill_shapes(&r, &lab);
        tact_scene* scene = new_scene(context);
        for (int n = 0; n < PLACED; ++n) {
            // Each kind alone first, then all together.
            lab.kinds[n] = round < 3 ? (uint32_t)round : (uint32_t)n % 3;
            similar(&r, lab.matrices[n]);
        }
        put_lab(scene, &lab);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (size_t i = 0; i < COUNT; ++i) {
            const tact_vec3 at = somewhere(&r), centre = lab.spheres[i % SHAPES].center;
            const float* m = lab.matrices[i % PLACED];
            points[i] = (tact_closest_query){4 * at.x, 4 * at.y, 4 * at.z, i % 3 ? INFINITY : 0.5f};
            if (i % 4 == 0 && i % SHAPES != 4) {  // centres of spheres, ends of axes and corners of boxes
                points[i].x = tact_pose_apply(m[0], m[1], m[2], m[3], centre.x, centre.y, centre.z);
                points[i].y = tact_pose_apply(m[4], m[5], m[6], m[7], centre.x, centre.y, centre.z);
                points[i].z = tact_pose_apply(m[8], m[9], m[10], m[11], centre.x, centre.y, centre.z);
            }
        }
        conform_bytes("shapes", scene, points, COUNT);
        expect_shape_answers(&lab, scene, points, COUNT);
        // With triangles among them.
        const tact_mesh_desc desc = {.positions = corner, .vertex_count = 3, .triangle_count = 1};
        const uint32_t mesh = put_mesh(scene, &desc);
        assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        conform_bytes("shapes and a triangle", scene, points, COUNT);
        tact_scene_destroy(scene);
    }
}

TEST(points_of_shapes_are_those_of_their_surfaces)
{
    const tact_sphere ball = {{0, 0, 0}, 1};
    const tact_aabb box = {{-1, -2, -3}, {1, 2, 3}};
    const tact_capsule capsule = {{0, 0, 0}, {0, 4, 0}, 1};
    const float moved[3][12] = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0},
                                {1, 0, 0, 20, 0, 1, 0, 0, 0, 0, 1, 0},
                                {1, 0, 0, 40, 0, 1, 0, 0, 0, 0, 1, 0}};
    uint32_t mesh, id;
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_scene_add_spheres(scene, &ball, 1, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, moved[0], &id), TACT_OK);
    assert_int_equal(tact_scene_add_boxes(scene, &box, 1, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, moved[1], &id), TACT_OK);
    assert_int_equal(tact_scene_add_capsules(scene, &capsule, 1, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, moved[2], &id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    // Outside and inside each, and on the capsule's axis, from where all around is as near.
    static const tact_closest_query points[7] = {{0, 0, 5, 9},  {0, 0.5f, 0, 9}, {24, 0, 0, 9}, {20.75f, 0, 0, 9},
                                                 {40, 2, 3, 9}, {40, 6, 0, 9},   {40, 2, 0, 9}};
    static const float right[7][4] = {{3, 0, 0, 2},  {1.5f, 0, 2, 0}, {3, 21, 0, 0}, {0.25f, 21, 0, 0},
                                      {2, 40, 2, 1}, {1, 40, 5, 0},   {1, 0, 2, 0}};
    tact_closest_hit hits[7];
    find(scene, TACT_BACKEND_CPU, 0, points, 7, hits);
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(hits[i].instance, i < 2 ? 0 : i < 4 ? 1 : 2);
        assert_int_equal(hits[i].primitive, 0);
        assert_true(hits[i].distance == right[i][0] && hits[i].y == right[i][2]);
        if (i < 6) assert_true(hits[i].x == right[i][1] && hits[i].z == right[i][3]);
    }
    assert_true(hypotf(hits[6].x - 40.0f, hits[6].z) == 1.0f);
}

/// Rounding puts a point of a slanted axis beside it, anywhere. It is led to the surface all the same.
TEST(points_on_a_slanted_axis_are_led_across_it)
{
    const tact_capsule capsule = {{0.1f, 0.3f, -0.7f}, {3.1f, 2.7f, 1.9f}, 0.5f};
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_capsules(scene, &capsule, 1), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    enum { COUNT = 200 };
    tact_closest_query points[COUNT];
    tact_closest_hit hits[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        const float t = (float)(i + 1) / (float)(COUNT + 1);
        points[i] = (tact_closest_query){0.1f + 3.0f * t, 0.3f + 2.4f * t, -0.7f + 2.6f * t, INFINITY};
    }
    conform_bytes("axis", scene, points, COUNT);
    find(scene, TACT_BACKEND_CPU, 0, points, COUNT, hits);
    for (int i = 0; i < COUNT; ++i) {
        const double at[3] = {(double)hits[i].x, (double)hits[i].y, (double)hits[i].z};
        assert_true(fabs(beyond_round(at, capsule.a, capsule.b, 0.5)) < 2e-6);
        assert_true(fabsf(hits[i].distance - 0.5f) < 2e-6f);
    }
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
