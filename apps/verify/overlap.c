// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/filter_input.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"
#include "apps/verify/verify.h"
#include "tact/mesh_overlap.h"

enum { MODES = 3, QUICK_POSES = 8, POSES = 20, MOST_TRIANGLES = 5000 };

typedef enum overlap_mode { ALL_PAIRS, ANY, SOLID } overlap_mode;

static const char* const mode_names[MODES] = {"all pairs", "boolean", "solid"};

/// How B is placed: anywhere near; small, so that it often is inside; turned by right angles and moved by halves, so
/// that faces, edges and corners meet exactly.
typedef enum placing { NEAR, SMALL, LATTICE, PLACINGS } placing;

static const char* const placing_names[PLACINGS] = {"near", "small", "lattice"};

typedef struct overlap_scene {
    const char* name;
    bool (*make)(bool quick, uint64_t seed, tact_model_mesh meshes[2], tact_problem* problem);
} overlap_scene;

static bool make_spheres(bool quick, uint64_t seed, tact_model_mesh meshes[2], tact_problem* problem)
{
    (void)seed;
    return tact_mesh_icosphere(quick ? 2 : 3, &meshes[0], problem) && tact_mesh_icosphere(2, &meshes[1], problem);
}

static bool make_knots(bool quick, uint64_t seed, tact_model_mesh meshes[2], tact_problem* problem)
{
    (void)quick, (void)seed;
    return tact_mesh_torus_knot(&meshes[0], problem) && tact_mesh_torus_knot(&meshes[1], problem);
}

static bool make_cubes(bool quick, uint64_t seed, tact_model_mesh meshes[2], tact_problem* problem)
{
    (void)quick, (void)seed;
    return tact_mesh_cube(1.0, &meshes[0], problem) && tact_mesh_cube(1.0, &meshes[1], problem);
}

static bool make_landscape(bool quick, uint64_t seed, tact_model_mesh meshes[2], tact_problem* problem)
{
    return tact_mesh_terrain(quick ? 16 : 32, seed, &meshes[0], problem) &&
           tact_mesh_needles(quick ? 100 : 400, seed, &meshes[1], problem);
}

static bool make_degenerate(bool quick, uint64_t seed, tact_model_mesh meshes[2], tact_problem* problem)
{
    return tact_mesh_degenerate(quick ? 200 : 800, seed, &meshes[0], problem) &&
           tact_mesh_degenerate(quick ? 200 : 800, seed + 1, &meshes[1], problem);
}

static const overlap_scene scenes[] = {{"spheres", make_spheres},
                                       {"knots", make_knots},
                                       {"cubes", make_cubes},
                                       {"landscape and needles", make_landscape},
                                       {"degenerate", make_degenerate}};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/// Two meshes in their poses, and the last answer.
typedef struct overlap_case {
    const char* scene;
    const char* set;
    tact_mesh* meshes[2];
    float (*poses)[12];
    size_t pose_count;
    overlap_mode mode;
    tact_mesh_pair* pairs;
    size_t pair_count, room;
    uint8_t* relations;
} overlap_case;

static void place_in_lattice(tact_random* random, float pose[12])
{
    memset(pose, 0, 12 * sizeof *pose);
    const int first = (int)tact_random_below(random, 3), step = 1 + (int)tact_random_below(random, 2);
    for (int r = 0; r < 3; ++r) {
        pose[4 * r + (first + r * step) % 3] = tact_random_below(random, 2) ? 1.0f : -1.0f;
        pose[4 * r + 3] = 0.5f * (float)((int)tact_random_below(random, 11) - 5);
    }
}

static void place(const tact_model_mesh models[2], placing how, uint64_t seed, overlap_case* c)
{
    tact_random random = {seed + 7};
    tact_poses_scatter(&models[0], &models[1], seed, 1.2, true, c->poses, c->pose_count);
    for (size_t i = 0; i < c->pose_count; ++i) {
        float* pose = c->poses[i];
        if (how == LATTICE) place_in_lattice(&random, pose);
        for (int k = 0; how == SMALL && k < 12; ++k)
            pose[k] *= k % 4 == 3 ? 0.8f : 0.1f;
    }
}

static tact_result ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    overlap_case* c = own;
    const float(*poses)[12] = (const float(*)[12])c->poses;
    if (c->mode != ALL_PAIRS) {
        memset(c->relations, 0xa5, c->pose_count);
        return tact_mesh_overlap(
            c->meshes[0], c->meshes[1],
            &(tact_overlap_work){
                .poses = poses, .pose_count = c->pose_count, .solid = c->mode == SOLID, .relations = c->relations},
            options, report);
    }
    for (;;) {
        const tact_result result = tact_mesh_overlap_pairs(c->meshes[0], c->meshes[1],
                                                           &(tact_overlap_work){.poses = poses,
                                                                                .pose_count = c->pose_count,
                                                                                .pairs = c->pairs,
                                                                                .capacity = c->room,
                                                                                .count = &c->pair_count},
                                                           options, report);
        if (result != TACT_INCOMPLETE) return result;
        tact_mesh_pair* pairs = realloc(c->pairs, c->pair_count * sizeof *pairs);
        if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
        c->pairs = pairs;
        c->room = c->pair_count;
    }
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const overlap_case* c = own;
    *to = c->mode == ALL_PAIRS ? tact_suite_items(c->pairs, c->pair_count, sizeof *c->pairs)
                               : tact_suite_items(c->relations, c->pose_count, 1);
    return true;
}

static const tact_suite_query overlap_query = {.name = "overlap", .ask = ask, .answer = answer};

static void describe(const tact_verify_case* checked, const tact_suite_answer* of, size_t at, char* text, size_t size)
{
    const overlap_case* c = checked->own;
    const tact_mesh_pair* p = (const tact_mesh_pair*)of->items + at;
    if (c->mode != ALL_PAIRS)
        snprintf(text, size, "%d", (int)((const uint8_t*)of->items)[at]);
    else
        snprintf(text, size, "pose %" PRIu32 ", %" PRIu32 " and %" PRIu32, p->pose, p->a, p->b);
}

static void describe_pose(const tact_verify_case* checked, const tact_suite_answer answers[2], size_t at, char* text,
                          size_t size)
{
    const overlap_case* c = checked->own;
    const tact_suite_answer* longer = &answers[at >= answers[0].count];
    const size_t pose = c->mode == ALL_PAIRS ? ((const tact_mesh_pair*)longer->items)[at].pose : at;
    size_t used = (size_t)snprintf(text, size, "pose %zu:", pose);
    for (int k = 0; k < 12 && pose < c->pose_count; ++k)
        used += (size_t)snprintf(text + used, size - used, " %a", (double)c->poses[pose][k]);
}

static bool check_case(tact_verify_run* run, overlap_case* c, tact_problem* problem)
{
    bool good = true;
    for (int mode = 0; good && mode < MODES; ++mode) {
        c->mode = (overlap_mode)mode;
        const tact_verify_case checked = {.row = {"overlap", c->scene, c->set, mode_names[mode], c->pose_count},
                                          .query = &overlap_query,
                                          .own = c,
                                          .lenient = true,
                                          .describe = describe,
                                          .input = describe_pose};
        good = tact_verify_check(run, &checked, problem);
    }
    return good;
}

static bool make_case(tact_verify_run* run, const tact_model_mesh models[2], overlap_case* c, tact_problem* problem)
{
    for (int i = 0; i < 2; ++i) {
        const tact_mesh_desc desc = tact_model_mesh_desc(&models[i]);
        const tact_result result = tact_mesh_create(run->session.context, &desc, &c->meshes[i]);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, c->scene);
    }
    c->relations = malloc(c->pose_count);
    c->poses = malloc(c->pose_count * sizeof *c->poses);
    return (c->relations && c->poses) || tact_problem_out_of_memory(problem, "the poses");
}

static bool verify_meshes(tact_verify_run* run, const char* name, const tact_model_mesh models[2], size_t poses,
                          tact_problem* problem)
{
    overlap_case c = {.scene = name, .pose_count = poses};
    bool good = make_case(run, models, &c, problem);
    for (int how = 0; good && how < PLACINGS; ++how) {
        c.set = placing_names[how];
        place(models, (placing)how, run->common.seed, &c);
        good = check_case(run, &c, problem);
    }
    tact_mesh_destroy(c.meshes[0]);
    tact_mesh_destroy(c.meshes[1]);
    free(c.pairs);
    free(c.relations);
    free(c.poses);
    return good;
}

/// A file against itself. Brute force on a large one would take hours.
static bool verify_file(tact_verify_run* run, const char* path, tact_problem* problem)
{
    tact_model_mesh mesh;
    if (!tact_mesh_file_read_guarded(path, &mesh, problem)) return false;
    bool good = true;
    if (mesh.triangle_count <= MOST_TRIANGLES) {
        const tact_model_mesh both[2] = {mesh, mesh};
        good = verify_meshes(run, path, both, 3, problem);
    } else {
        const tact_verify_row row = {"overlap", path, "-", "-", 0};
        for (int i = 0; i < TACT_VERIFY_DEVICES; ++i) {
            if (tact_verify_wants(run, &run->devices[i]))
                tact_verify_skip(run, &row, &run->devices[i], "more than 5000 triangles: brute force takes too long");
        }
    }
    tact_model_mesh_free(&mesh);
    return good;
}

bool tact_verify_overlap(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < SCENES; ++i) {
        if (!tact_verify_wants_scene(run, scenes[i].name)) continue;
        tact_model_mesh models[2] = {{0}};
        good = scenes[i].make(run->quick, run->common.seed, models, problem) &&
               verify_meshes(run, scenes[i].name, models, run->quick ? QUICK_POSES : POSES, problem);
        tact_model_mesh_free(&models[0]);
        tact_model_mesh_free(&models[1]);
    }
    for (size_t i = 0; good && i < run->meshes.count; ++i)
        good = verify_file(run, run->meshes.items[i], problem);
    return good;
}
