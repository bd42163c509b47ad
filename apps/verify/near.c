// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/rays.h"
#include "apps/inputs/scenes.h"
#include "apps/verify/verify.h"
#include "tact/spherecast.h"

enum { SETS = 2 };

/// Queries for a scene.
typedef struct near_set {
    const char *scene_name, *name;
    const tact_suite_mesh* mesh;
    tact_scene* scene;
    size_t count;
    tact_closest_query* points;
    tact_ray* rays;
    tact_sphere_cast* casts;
    tact_closest_query* balls;  ///< the points, some with a limit
} near_set;

static void fill(near_set* s, bool hard, const tact_bounds* bounds, uint64_t seed)
{
    const tact_model* model = &s->mesh->model;
    if (hard) {
        tact_points_hard(model, bounds, seed, s->count, s->points);
        tact_rays_hard(model, bounds, seed, s->count, s->rays);
    } else {
        tact_points_random(bounds, seed, s->count, INFINITY, s->points);
        tact_rays_random(bounds, seed, s->count, s->rays);
    }
    const float size = (float)(bounds->upper[0] - bounds->lower[0]);
    for (size_t i = 0; i < s->count; ++i)
        s->casts[i] = (tact_sphere_cast){s->rays[i], size * 0.02f * (float)(i % 5)};
    for (size_t i = 0; i < s->count; ++i) {
        s->balls[i] = s->points[i];
        s->balls[i].max_distance = size * 0.04f * (float)(i % 4);
    }
}

static bool check(tact_verify_run* run, const near_set* s, const char* query, const char* mode, tact_problem* problem)
{
    const bool spheres = strcmp(mode, "spheres") == 0;
    tact_suite_input input = {
        .mesh = s->mesh, .scene = s->scene, .queries = spheres ? (const void*)s->casts : s->points};
    tact_verify_case c = {.row = {"near", s->scene_name, s->name, mode, s->count},
                          .inputs = input.queries,
                          .input_bytes = spheres ? sizeof *s->casts : sizeof *s->points};
    return tact_verify_suite(run, query, &input, &c, problem);
}

/// Clouds of the vertices of a scene's first mesh, with its queries.
static bool check_clouds(tact_verify_run* run, const near_set* s, tact_problem* problem)
{
    static const char* const queries[] = {"nearest_points", "points_within", "spheres_touch"};
    static const char* const modes[] = {"neighbours", "within", "touch"};
    bool good = true;
    for (int i = 0; good && i < 3; ++i) {
        tact_suite_input input = {.mesh = s->mesh, .queries = s->balls};
        // Lists have no item of each query.
        tact_verify_case c = {.row = {"cloud", s->scene_name, s->name, modes[i], s->count},
                              .inputs = i == 1 ? NULL : s->balls,
                              .input_bytes = sizeof *s->balls};
        good = tact_verify_suite(run, queries[i], &input, &c, problem);
    }
    return good;
}

static bool verify_model(tact_verify_run* run, const char* name, const tact_model* model, uint64_t rays,
                         tact_problem* problem)
{
    static const char* const sets[SETS] = {"random", "hard"};
    const tact_suite_mesh mesh = {.model = *model};
    // Brute force costs more here than for rays.
    near_set s = {.scene_name = name, .mesh = &mesh, .count = 1 + (size_t)rays / 4};
    tact_scene_stats stats;
    if (!tact_model_build(model, run->session.context, &s.scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    s.points = malloc(s.count * sizeof *s.points);
    s.rays = malloc(s.count * sizeof *s.rays);
    s.casts = malloc(s.count * sizeof *s.casts);
    s.balls = malloc(s.count * sizeof *s.balls);
    bool good = s.points && s.rays && s.casts && s.balls;
    if (!good) tact_problem_out_of_memory(problem, "queries");
    for (int set = 0; good && set < SETS; ++set) {
        s.name = sets[set];
        fill(&s, set == 1, &bounds, run->common.seed);
        good = check(run, &s, "closest_points", "closest", problem) &&
               check(run, &s, "locate_points", "locate", problem) &&
               check(run, &s, "sphere_cast", "spheres", problem) &&
               (model->mesh_count == 0 || model->meshes[0].vertex_count == 0 || check_clouds(run, &s, problem));
    }
    free(s.points);
    free(s.rays);
    free(s.casts);
    free(s.balls);
    tact_scene_destroy(s.scene);
    return good;
}

bool tact_verify_near(tact_verify_run* run, tact_problem* problem)
{
    return tact_verify_scenes(run, verify_model, problem);
}
