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

/// Two meshes in their poses, and what the reference says.
typedef struct overlap_case {
    const char* scene;
    const char* set;
    tact_mesh* meshes[2];
    float (*poses)[12];
    size_t pose_count;
    overlap_mode mode;
    tact_mesh_pair* pairs[2];  ///< expected, and got
    size_t pair_count[2];
    uint8_t* relations[2];
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

static tact_result ask(overlap_case* c, int which, const tact_query_options* options)
{
    const float(*poses)[12] = (const float(*)[12])c->poses;
    if (c->mode != ALL_PAIRS) {
        return tact_mesh_overlap(c->meshes[0], c->meshes[1], poses, c->pose_count, c->mode == SOLID,
                                 c->relations[which], options, NULL);
    }
    size_t room = 1024;
    for (;;) {
        free(c->pairs[which]);
        c->pairs[which] = room <= SIZE_MAX / sizeof(tact_mesh_pair) ? malloc(room * sizeof(tact_mesh_pair)) : NULL;
        if (!c->pairs[which]) return TACT_ERROR_OUT_OF_MEMORY;
        const tact_result result = tact_mesh_overlap_pairs(c->meshes[0], c->meshes[1], poses, c->pose_count,
                                                           c->pairs[which], room, &c->pair_count[which], options, NULL);
        if (result != TACT_INCOMPLETE) return result;
        room = c->pair_count[which];
    }
}

static void describe(char* text, size_t size, const overlap_case* c, int which, size_t at)
{
    if (c->mode != ALL_PAIRS) {
        snprintf(text, size, "%d", (int)c->relations[which][at]);
    } else if (at < c->pair_count[which]) {
        const tact_mesh_pair* p = &c->pairs[which][at];
        snprintf(text, size, "pose %" PRIu32 ", %" PRIu32 " and %" PRIu32, p->pose, p->a, p->b);
    } else {
        snprintf(text, size, "none");
    }
}

/// How many items differ, and the first of them. Lists of other lengths differ in what one has more, at least.
static uint64_t compare(const overlap_case* c, size_t* first)
{
    const bool list = c->mode == ALL_PAIRS;
    const size_t counts[2] = {list ? c->pair_count[0] : c->pose_count, list ? c->pair_count[1] : c->pose_count};
    const size_t most = counts[0] > counts[1] ? counts[0] : counts[1];
    uint64_t differing = 0;
    for (size_t i = 0; i < most; ++i) {
        const bool same = i < counts[0] && i < counts[1] &&
                          (list ? memcmp(&c->pairs[0][i], &c->pairs[1][i], sizeof **c->pairs) == 0
                                : c->relations[0][i] == c->relations[1][i]);
        if (!same && differing++ == 0) *first = i;
    }
    return differing;
}

static void check_one(tact_verify_run* run, overlap_case* c, tact_contestant* who)
{
    const tact_verify_row row = {"overlap", c->scene, c->set, mode_names[c->mode], c->pose_count};
    if (who->missing[0]) {
        tact_verify_skip(run, &row, who, who->missing);
        return;
    }
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    memset(c->relations[1], 0xa5, c->pose_count);
    const tact_result result = ask(c, 1, &options);
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
        return;
    }
    size_t first = 0;
    const uint64_t differing = compare(c, &first);
    const tact_digest digest = c->mode == ALL_PAIRS ? tact_digest_of(c->pairs[1], c->pair_count[1] * sizeof **c->pairs)
                                                    : tact_digest_of(c->relations[1], c->pose_count);
    tact_verify_answer(run, &row, who, digest.text, differing);
    if (differing == 0) return;
    char item[320], expected[64], got[64];
    const int which = c->mode == ALL_PAIRS && first >= c->pair_count[0];
    const size_t pose = c->mode == ALL_PAIRS ? c->pairs[which][first].pose : first;
    size_t used = (size_t)snprintf(item, sizeof item, "pose %zu:", pose);
    for (int k = 0; k < 12 && pose < c->pose_count; ++k)
        used += (size_t)snprintf(item + used, sizeof item - used, " %a", (double)c->poses[pose][k]);
    describe(expected, sizeof expected, c, 0, first);
    describe(got, sizeof got, c, 1, first);
    tact_verify_difference(run, &row, who, first, differing, item, expected, got);
}

static bool check_case(tact_verify_run* run, overlap_case* c, tact_problem* problem)
{
    for (int mode = 0; mode < MODES; ++mode) {
        c->mode = (overlap_mode)mode;
        const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        const tact_result result = ask(c, 0, &options);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the reference");
        for (int i = 0; i < TACT_CONTESTANTS; ++i) {
            if (tact_verify_wants(run, &run->contestants[i])) check_one(run, c, &run->contestants[i]);
        }
        tact_progress_update((double)mode / MODES, &run->progress);
    }
    ++run->progress.part;
    return true;
}

static bool make_case(tact_verify_run* run, const tact_model_mesh models[2], overlap_case* c, tact_problem* problem)
{
    for (int i = 0; i < 2; ++i) {
        const tact_mesh_desc desc = tact_model_mesh_desc(&models[i]);
        const tact_result result = tact_mesh_create(run->session.context, &desc, &c->meshes[i]);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, c->scene);
        c->relations[i] = malloc(c->pose_count);
        if (!c->relations[i]) return tact_problem_out_of_memory(problem, "the poses");
    }
    c->poses = malloc(c->pose_count * sizeof *c->poses);
    return c->poses || tact_problem_out_of_memory(problem, "the poses");
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
    for (int i = 0; i < 2; ++i) {
        tact_mesh_destroy(c.meshes[i]);
        free(c.pairs[i]);
        free(c.relations[i]);
    }
    free(c.poses);
    return good;
}

uint64_t tact_verify_overlap_parts(const tact_verify_run* run)
{
    uint64_t count = run->meshes.count;
    for (size_t i = 0; i < SCENES; ++i)
        count += tact_verify_wants_scene(run, scenes[i].name);
    return count * PLACINGS;
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
        for (int i = 0; i < TACT_CONTESTANTS; ++i) {
            if (tact_verify_wants(run, &run->contestants[i]))
                tact_verify_skip(run, &row, &run->contestants[i],
                                 "more than 5000 triangles: brute force takes too long");
        }
        run->progress.part += PLACINGS;
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
