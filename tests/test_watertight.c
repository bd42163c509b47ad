// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A ray from inside a closed mesh must hit it, above all when it is aimed at an edge or a vertex, however the instance
// is turned, scaled and moved. Which device answers does not matter: they agree (test_conformance.c).

#include "tests/support/run.h"

#include <cglm/cglm.h>

#include "apps/inputs/scenes.h"
#include "tests/support/meshes.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

enum { RAYS = 30000 };

/// The cube from -1 to 1, whose faces lie in those of its bounding box.
static void make_cube(tact_model_mesh* mesh)
{
    mesh->positions = malloc(24 * sizeof(float));
    mesh->indices = malloc(sizeof box_indices);
    assert_true(mesh->positions && mesh->indices);
    cube_corners(0, 0, 0, 1, mesh->positions);
    memcpy(mesh->indices, box_indices, sizeof box_indices);
    mesh->vertex_count = 8;
    mesh->triangle_count = 12;
}

/// Rotation, scales that differ by up to `spread`, and a translation of up to `distance` times the scale.
static void random_matrix(test_random* r, bool turned, float spread, float distance, float rows[12])
{
    const float size = powf(10.0f, 4.0f * test_random_signed(r));
    vec3 axis = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    mat4 m;
    glm_rotate_make(m, turned ? 3.0f * test_random_signed(r) : 0.0f, axis);
    glm_scale(m,
              (vec3){size, size * (1.0f + spread * test_random_unit(r)), size * (1.0f + spread * test_random_unit(r))});
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            rows[4 * i + j] = m[j][i];
        rows[4 * i + 3] = distance * size * test_random_signed(r);
    }
}

static void move(const float rows[12], const float p[3], float moved[3])
{
    for (int i = 0; i < 3; ++i) {
        moved[i] = rows[4 * i] * p[0] + rows[4 * i + 1] * p[1] + rows[4 * i + 2] * p[2] + rows[4 * i + 3];
    }
}

static const float* corner_of(const tact_model_mesh* mesh, size_t triangle, size_t corner)
{
    return mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + corner];
}

static tact_ray aimed_ray(test_random* r, const tact_model_mesh* mesh, const float rows[12], int kind)
{
    const size_t triangle = test_random_below(r, (uint32_t)mesh->triangle_count);
    const float* a = corner_of(mesh, triangle, 0);
    const float* b = corner_of(mesh, triangle, 1);
    const float along = kind == 0 ? 0.0f : kind == 1 ? 0.5f : test_random_unit(r);
    float inside[3], target[3], origin[3], goal[3];
    for (int k = 0; k < 3; ++k) {
        inside[k] = 0.5f * test_random_signed(r);
        target[k] = a[k] + along * (b[k] - a[k]);
    }
    move(rows, inside, origin);
    move(rows, target, goal);
    tact_ray ray = {origin[0],           origin[1],           origin[2],           0,
                    goal[0] - origin[0], goal[1] - origin[1], goal[2] - origin[2], INFINITY};
    if (kind == 3) {  // along an axis of the world
        ray.dx = ray.dy = ray.dz = 0.0f;
        *(triangle % 3 == 0 ? &ray.dx : triangle % 3 == 1 ? &ray.dy : &ray.dz) = triangle & 8 ? -1.0f : 1.0f;
    }
    return ray;
}

/// A sphere of 20 x 4^levels triangles, or, with no levels, a cube that is not turned.
static void expect_hits(unsigned levels, uint64_t seed, float spread, float distance)
{
    test_random r = {seed};
    tact_problem problem = {0};
    tact_model_mesh mesh = {0};
    float rows[12];
    random_matrix(&r, levels > 0, spread, distance, rows);
    tact_model model = {0};
    if (levels == 0) {
        make_cube(&mesh);
    } else {
        assert_true(tact_mesh_icosphere(levels, &mesh, &problem));
    }
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, rows, &problem));
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    static tact_ray rays[RAYS];
    static tact_hit hits[RAYS];
    for (int i = 0; i < RAYS; ++i)
        rays[i] = aimed_ray(&r, &model.meshes[0], rows, i % 4);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, NULL, NULL), TACT_OK);
    for (int i = 0; i < RAYS; ++i) {
        if (hits[i].instance == TACT_NONE) fail_msg("seed %d: ray %d left the mesh", (int)seed, i);
    }
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

TEST(no_ray_leaves_a_turned_and_scaled_sphere)
{
    for (uint64_t seed = 1; seed <= 12; ++seed)
        expect_hits(3 + (unsigned)seed % 3, seed, 0.0f, 10.0f);
}

TEST(no_ray_leaves_a_stretched_sphere)
{
    for (uint64_t seed = 21; seed <= 32; ++seed)
        expect_hits(3 + (unsigned)seed % 3, seed, 5.0f, 10.0f);
}

TEST(no_ray_leaves_a_sphere_far_from_the_origin)
{
    for (uint64_t seed = 41; seed <= 52; ++seed)
        expect_hits(3 + (unsigned)seed % 3, seed, 0.0f, 1e4f);
}

TEST(no_ray_leaves_a_cube_through_the_faces_of_its_box)
{
    for (uint64_t seed = 61; seed <= 84; ++seed)
        expect_hits(0, seed, seed & 1 ? 5.0f : 0.0f, seed & 2 ? 100.0f : 0.0f);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
