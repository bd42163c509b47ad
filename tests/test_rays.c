// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/npy.h"
#include "apps/inputs/rays.h"
#include "apps/inputs/scenes.h"
#include "apps/timing.h"
#include "tests/support/objects.h"

TEST(sources_are_parsed_whole)
{
    tact_ray_source source;
    tact_problem problem = {0};
    assert_true(tact_ray_source_parse("camera:640x480", &source, &problem));
    assert_int_equal(source.kind, TACT_RAYS_CAMERA);
    assert_int_equal(source.width, 640);
    assert_int_equal(source.height, 480);
    assert_int_equal(source.count, 640 * 480);
    assert_true(tact_ray_source_parse("camera:1x2147483648", &source, &problem));
    assert_true(tact_ray_source_parse("random:0", &source, &problem));
    assert_int_equal(source.count, 0);
    assert_true(tact_ray_source_parse("some rays.npy", &source, &problem));
    assert_string_equal(source.path, "some rays.npy");
    static const char* const bad[] = {"camera:",
                                      "camera:5",
                                      "camera:0x5",
                                      "camera:5x0",
                                      "camera:5x5x5",
                                      "camera:5x5 ",
                                      "camera:-5x5",
                                      "camera: 5x5",
                                      "camera:65536x32769",
                                      "camera:4294967295x4294967295",
                                      "camera:4294967296x1",
                                      "random:",
                                      "random:1e-6",
                                      "random:-1",
                                      "random:+1",
                                      "random:2147483649",
                                      "random:99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        if (tact_ray_source_parse(bad[i], &source, &problem)) fail_msg("%s was taken", bad[i]);
        assert_int_equal(problem.exit_code, TACT_EXIT_WRONG_USE);
        assert_non_null(strstr(problem.text, bad[i][strlen(bad[i]) - 1] == ' ' ? "camera:5x5" : bad[i]));
    }
}

/// Every corner of the box lies within the picture: its direction from the eye within the corner pixels' outer edges.
TEST(the_camera_sees_all_of_the_box_at_any_aspect)
{
    static const tact_bounds boxes[] = {{{-1, -1, -1}, {1, 1, 1}},
                                        {{0, 0, 0}, {10, 1, 1}},
                                        {{5, -100, 3}, {6, 100, 400}},
                                        {{-1e-6, 0, 0}, {1e-6, 1e-6, 0}},
                                        {{-1e12, -1e12, -1e12}, {1e12, 1e12, 1e12}}};
    static const uint32_t sizes[][2] = {{16, 16}, {64, 8}, {8, 64}, {1, 1}, {3, 1}, {1, 100}};
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; ++b) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            const uint32_t width = sizes[s][0], height = sizes[s][1];
            const tact_bounds* box = &boxes[b];
            tact_ray rays[1024];
            tact_rays_camera(box, width, height, rays);
            const double tangent = sqrt(1.0 / 3.0);
            for (int corner = 0; corner < 8; ++corner) {
                const double x = corner & 1 ? box->upper[0] : box->lower[0];
                const double y = corner & 2 ? box->upper[1] : box->lower[1];
                const double z = corner & 4 ? box->upper[2] : box->lower[2];
                const double depth = (double)rays[0].oz - z;
                assert_true(depth > 0.0);
                assert_true(fabs((x - (double)rays[0].ox) / depth) <= tangent * width / height);
                assert_true(fabs((y - (double)rays[0].oy) / depth) <= tangent);
            }
        }
    }
}

TEST(camera_rays_go_row_by_row_from_the_top_left)
{
    const tact_bounds box = {{-1, -2, -3}, {1, 2, 3}};
    tact_ray rays[6];
    tact_rays_camera(&box, 3, 2, rays);
    for (int i = 0; i < 6; ++i) {
        assert_true(rays[i].ox == 0.0f && rays[i].oy == 0.0f && rays[i].oz == rays[0].oz && rays[i].oz > 3.0f);
        assert_true(rays[i].dz == -1.0f && rays[i].tmin == 0.0f && isinf(rays[i].tmax));
        assert_true(rays[i].dx == rays[i % 3].dx);
        assert_true(i < 3 ? rays[i].dy > 0.0f : rays[i].dy < 0.0f);
    }
    assert_true(rays[0].dx < 0.0f && rays[1].dx == 0.0f && rays[2].dx == -rays[0].dx);
    // Half way up the upper half of a field of view of 60 degrees.
    assert_true(rays[0].dy == (float)(0.5 * sqrt(1.0 / 3.0)));
}

TEST(random_rays_are_the_same_everywhere)
{
    const tact_bounds box = {{-1, 0, 10}, {3, 0.5, 12}};
    tact_ray rays[1000], again[1000];
    tact_rays_random(&box, 1, 1000, rays);
    tact_rays_random(&box, 1, 1000, again);
    assert_memory_equal(rays, again, sizeof rays);
    // Fixed for good: users compare digests of what these rays hit.
    assert_string_equal(tact_digest_of(rays, sizeof rays).text, "19a0f59ead3314a4");
    tact_rays_random(&box, 2, 1000, again);
    assert_memory_not_equal(rays, again, sizeof rays);
    for (int i = 0; i < 1000; ++i) {
        const float o[3] = {rays[i].ox, rays[i].oy, rays[i].oz}, d[3] = {rays[i].dx, rays[i].dy, rays[i].dz};
        for (int k = 0; k < 3; ++k) {
            const double size = box.upper[k] - box.lower[k], target = (double)o[k] + (double)d[k];
            assert_true((double)o[k] >= box.lower[k] - 0.5 * size - 1e-6 &&
                        (double)o[k] <= box.upper[k] + 0.5 * size + 1e-6);
            assert_true(target >= box.lower[k] - 1e-5 && target <= box.upper[k] + 1e-5);
        }
    }
}

TEST(empty_and_flat_scenes_have_a_box)
{
    tact_scene_stats stats = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    tact_bounds box = tact_ray_bounds(&stats);
    assert_true(box.lower[0] == 0.0 && box.upper[2] == 1.0);
    for (int i = 0; i < 3; ++i)
        stats.lower[i] = stats.upper[i] = 4.0f;
    box = tact_ray_bounds(&stats);
    assert_true(box.lower[1] == 3.5 && box.upper[1] == 4.5);
    stats.upper[2] = 6.0f;
    box = tact_ray_bounds(&stats);
    assert_true(box.lower[1] == 4.0 && box.upper[1] == 4.0);
    tact_ray ray;
    tact_rays_camera(&box, 1, 1, &ray);
    assert_true(ray.oz > 6.0f);
}

TEST(ray_files_are_read)
{
    tact_problem problem = {0};
    const tact_ray rays[2] = {{1, 2, 3, 0, 4, 5, 6, INFINITY}, {NAN, 0, 0, 0, 0, 0, 0, 0}};
    assert_true(tact_npy_write("rays_two.npy", TACT_NPY_FLOAT32, 2, 8, rays, &problem));
    const tact_ray_source source = {.kind = TACT_RAYS_FILE, .path = "rays_two.npy"};
    tact_ray* read = NULL;
    uint64_t count = 0;
    assert_true(tact_rays_make(&source, NULL, 0, &read, &count, &problem));
    assert_int_equal(count, 2);
    assert_memory_equal(read, rays, sizeof rays);
    free(read);
}

TEST(icospheres_are_closed)
{
    for (unsigned levels = 0; levels <= 3; ++levels) {
        tact_model_mesh mesh;
        tact_problem problem = {0};
        assert_true(tact_mesh_icosphere(levels, &mesh, &problem));
        assert_int_equal(mesh.triangle_count, (size_t)20 << (2 * levels));
        assert_int_equal(mesh.vertex_count, mesh.triangle_count / 2 + 2);
        // Each directed edge once, and its twin once.
        const size_t n = mesh.vertex_count;
        unsigned char* edges = scratch_zeroed(n, n);
        for (size_t i = 0; i < 3 * mesh.triangle_count; ++i) {
            const size_t next = i % 3 == 2 ? i - 2 : i + 1;
            ++edges[mesh.indices[i] * n + mesh.indices[next]];
        }
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = 0; b < n; ++b) {
                assert_true(edges[a * n + b] <= 1);
                assert_int_equal(edges[a * n + b], edges[b * n + a]);
            }
        }
        // Outside is where the corners turn counter-clockwise.
        const float* p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = mesh.positions + 3 * (size_t)mesh.indices[k];
        const float a[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
        const float b[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
        assert_true((a[1] * b[2] - a[2] * b[1]) * p[0][0] + (a[2] * b[0] - a[0] * b[2]) * p[0][1] +
                        (a[0] * b[1] - a[1] * b[0]) * p[0][2] >
                    0.0f);
        tact_model_mesh_free(&mesh);
    }
}

TEST(every_test_scene_can_be_made_and_committed)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = KEEP(new_context(&desc));
    for (size_t i = 0; i < tact_test_scene_count; ++i) {
        tact_model model = {0};
        tact_scene* scene = NULL;
        tact_scene_stats stats;
        tact_problem problem = {0};
        assert_true(tact_test_scenes[i].make(true, &model, &problem));
        if (!tact_model_build(&model, context, &scene, &stats, &problem)) fail_msg("%s", problem.text);
        const tact_bounds bounds = tact_ray_bounds(&stats);
        tact_ray rays[200], again[200];
        tact_rays_hard(&model, &bounds, 3, 200, rays);
        tact_rays_hard(&model, &bounds, 3, 200, again);
        assert_memory_equal(rays, again, sizeof rays);
        tact_scene_destroy(scene);
        tact_model_free(&model);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
