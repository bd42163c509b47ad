// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/filter_input.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/verify/verify.h"
#include "tact/image_space.h"

// What is drawn is defined to the bit, which the test `conformance` compares. Here each answer must be within its own
// tolerance of the signed distance that GJK and the expanding polytope give. What tests of concave objects promise
// where they see no overlap is about edges.

enum { SHAPES = 3, MODES = 4, CONCAVE_SHARE = 10, PARTS = 8, QUICK_POSES = 200, POSES = 4000, RESOLUTION = 64 };

static const char* const shape_names[SHAPES] = {"cubes", "spheres", "sphere and plate"};
static const char* const mode_names[MODES] = {"convex query", "convex readback", "concave query", "concave readback"};

typedef struct image_case {
    const char* scene;
    tact_model_mesh models[2];
    float (*poses)[12];
    size_t pose_count, count;  ///< made; tested, fewer by the slower method
    bool concave;              ///< as they are convex too, the truth of both is the same
    tact_image_result* results;
    uint8_t* overlaps;
    tact_image_tester* tester;
} image_case;

static bool make_shapes(int shape, tact_model_mesh models[2], tact_problem* problem)
{
    if (shape == 0) return tact_mesh_cube(1.0, &models[0], problem) && tact_mesh_cube(0.5, &models[1], problem);
    if (!tact_mesh_icosphere(2, &models[0], problem)) return false;
    if (shape == 1) return tact_mesh_icosphere(1, &models[1], problem);
    if (!tact_mesh_cube(1.0, &models[1], problem)) return false;
    for (size_t i = 0; i < models[1].vertex_count; ++i)
        models[1].positions[3 * i] *= 0.05f;
    return true;
}

/// A vertex of A, or of B moved.
static void vertex_of(const image_case* c, int which, size_t pose, size_t vertex, double p[3])
{
    const float* x = c->models[which].positions + 3 * vertex;
    for (size_t k = 0; k < 3; ++k) {
        const float* row = c->poses[pose] + 4 * k;
        p[k] = which == 0 ? (double)x[k]
                          : (double)row[0] * (double)x[0] + (double)row[1] * (double)x[1] +
                                (double)row[2] * (double)x[2] + (double)row[3];
    }
}

/// How deep a point is below the surface of a mesh: less than nothing outside.
static double depth_below(const image_case* c, int which, size_t pose, const double p[3])
{
    const tact_model_mesh* m = &c->models[which];
    double depth = HUGE_VAL;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        double v[3][3], a[3], b[3], far = 0.0, square = 0.0;
        for (size_t k = 0; k < 3; ++k)
            vertex_of(c, which, pose, m->indices[3 * t + k], v[k]);
        for (int k = 0; k < 3; ++k) {
            a[k] = v[1][k] - v[0][k];
            b[k] = v[2][k] - v[0][k];
        }
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double n = a[i] * b[j] - a[j] * b[i];
            far += n * (v[0][k] - p[k]);
            square += n * n;
        }
        depth = fmin(depth, far / sqrt(square));
    }
    return depth;
}

/// How deep a point of an edge of either is below the surface of the other, of some points of each edge.
static double deepest_edge(const image_case* c, size_t pose)
{
    double deepest = 0.0;
    for (int which = 0; which < 2; ++which) {
        const tact_model_mesh* m = &c->models[which];
        for (size_t i = 0; i < 3 * m->triangle_count; ++i) {
            double from[3], to[3], p[3];
            vertex_of(c, which, pose, m->indices[i], from);
            vertex_of(c, which, pose, m->indices[i % 3 == 2 ? i - 2 : i + 1], to);
            for (int part = 0; part < PARTS; ++part) {
                for (int k = 0; k < 3; ++k)
                    p[k] = from[k] + (to[k] - from[k]) * part / PARTS;
                deepest = fmax(deepest, depth_below(c, 1 - which, pose, p));
            }
        }
    }
    return deepest;
}

/// How far an answer is beyond what is allowed, as a share of it; at most 1 is good. NaN where the distance is not
/// known.
static double excess_of(const image_case* c, size_t pose, double* distance)
{
    static const double slack = 2e-6;  // the points that the truth is told of are rounded
    const tact_image_result* r = &c->results[pose];
    *distance = tact_suite_convex_distance(c->models, c->poses[pose]);
    const bool overlap = *distance <= 0.0;
    if (isnan(*distance)) return (double)NAN;
    if (overlap == r->overlap) return 0.0;
    if (c->concave && overlap) return deepest_edge(c, pose) / ((double)r->depth + slack);
    return fabs(*distance) / ((overlap ? (double)r->depth : (double)r->gap) + slack);
}

static void check_results(tact_verify_run* run, const image_case* c, const tact_verify_row* row,
                          tact_verify_device* who)
{
    uint64_t differing = 0, undecided = 0;
    size_t first = 0;
    for (size_t i = 0; i < c->count; ++i) {
        double distance;
        c->overlaps[i] = c->results[i].overlap;
        const double excess = excess_of(c, i, &distance);
        undecided += isnan(excess) != 0;
        if (excess > 1.0 && differing++ == 0) first = i;
    }
    tact_verify_answer_but(run, row, who, tact_digest_of(c->overlaps, c->count).text, differing, undecided);
    if (differing == 0) return;
    double distance;
    char item[64], expected[64], got[96];
    const tact_image_result* r = &c->results[first];
    excess_of(c, first, &distance);
    snprintf(item, sizeof item, "pose %zu", first);
    snprintf(expected, sizeof expected, "a distance of %a", distance);
    snprintf(got, sizeof got, "%s, gap %a, depth %a", r->overlap ? "overlap" : "apart", (double)r->gap,
             (double)r->depth);
    tact_verify_difference(run, row, who, first, differing, item, expected, got);
}

static void check_mode(tact_verify_run* run, image_case* c, int mode, tact_verify_device* who)
{
    c->concave = mode >= 2;
    c->count = c->concave ? c->pose_count / CONCAVE_SHARE : c->pose_count;
    const tact_verify_row row = {"image", c->scene, "64 x 64", mode_names[mode], c->count};
    if (who->missing[0]) {
        tact_verify_skip(run, &row, who, who->missing);
        return;
    }
    tact_image_body bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = (tact_image_body){.mesh = {.positions = c->models[i].positions,
                                               .vertex_count = c->models[i].vertex_count,
                                               .indices = c->models[i].indices,
                                               .triangle_count = c->models[i].triangle_count}};
    }
    bodies[1].poses = (const float(*)[12])c->poses;
    bodies[1].pose_count = c->count;
    const tact_image_options options = {.method = mode % 2 ? TACT_IMAGE_READBACK : TACT_IMAGE_QUERY,
                                        .resolution = RESOLUTION};
    tact_result result = TACT_OK;
    if (!c->tester) result = tact_image_tester_create(run->session.context, &c->tester);
    const tact_image_work work = {
        .a = &bodies[0], .b = &bodies[1], .options = &options, .results = c->results, .count = c->count};
    const tact_query_options how = {.backend = who->backend, .no_fallback = true};
    if (result == TACT_OK) {
        result = (c->concave ? tact_image_concave : tact_image_convex)(c->tester, &work, &how, NULL);
    }
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
    } else {
        check_results(run, c, &row, who);
    }
}

static bool verify_shape(tact_verify_run* run, int shape, tact_verify_device* who, tact_problem* problem)
{
    image_case c = {.scene = shape_names[shape], .pose_count = run->quick ? QUICK_POSES : POSES};
    bool good = make_shapes(shape, c.models, problem);
    c.poses = malloc(c.pose_count * sizeof *c.poses);
    c.results = malloc(c.pose_count * sizeof *c.results);
    c.overlaps = malloc(c.pose_count);
    if (good && (!c.poses || !c.results || !c.overlaps)) good = tact_problem_out_of_memory(problem, "the poses");
    if (good) {
        tact_poses_scatter(&c.models[0], &c.models[1], run->common.seed, 2.0, true, c.poses, c.pose_count);
        for (int mode = 0; mode < MODES && (good = tact_verify_goes_on(problem)); ++mode)
            check_mode(run, &c, mode, who);
    }
    tact_image_tester_destroy(c.tester);
    tact_model_mesh_free(&c.models[0]);
    tact_model_mesh_free(&c.models[1]);
    free(c.poses);
    free(c.results);
    free(c.overlaps);
    return good;
}

/// On OpenGL and the CPU, which draw.
bool tact_verify_images(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (int i = 0; i < TACT_VERIFY_DEVICES; ++i) {
        tact_verify_device* who = &run->devices[i];
        const bool draws = who->backend == TACT_BACKEND_GL || who->backend == TACT_BACKEND_CPU;
        if (!draws || !tact_verify_wants(run, who)) continue;
        for (int shape = 0; good && shape < SHAPES; ++shape)
            if (tact_verify_wants_scene(run, shape_names[shape])) good = verify_shape(run, shape, who, problem);
    }
    return good;
}
