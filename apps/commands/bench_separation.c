// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/commands.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/separation.h"
#include "apps/system.h"

enum { CONTESTANTS = 6, SERIES = 3, MOST_REPEATS = 1001, TRIES = 1000 };

typedef enum series { RANDOM_POSES, PATH, SLOW_PATH } series;

static const char* const series_names[] = {"random", "path", "slow path"};

/// The orbit's angle from pose to pose. B turns about itself by as much again.
static const double path_steps[] = {0.0, 1e-2, 1e-3};

/// Ours, with a front or without, or a peer.
typedef struct contestant {
    const tact_separation_peer* peer;
    bool front;
    void* own;
    double build_ms;
    double* samples[SERIES];
    tact_spread spread[SERIES];
    uint64_t differing[SERIES];  ///< poses whose distance is another one: by a bit of ours, by 2^-16 of a peer
} contestant;

typedef struct separation_bench {
    tact_common_options common;
    bool quick, peers;
    const char *out, *file;
    uint64_t pose_count, repeat;
    tact_session session;
    tact_model_mesh model;
    tact_mesh* mesh;
    double middle[3], radius;
    float (*poses[SERIES])[12];
    tact_mesh_distance *expected[SERIES], *found;
    double* distances;
    contestant contestants[CONTESTANTS];
    size_t contestant_count;
    uint64_t wrong;
} separation_bench;

// ---- Poses ----

static void place(const separation_bench* bench, const double q[4], const double at[3], float pose[12])
{
    double to[3];
    for (int k = 0; k < 3; ++k)
        to[k] = bench->middle[k] + at[k];
    tact_pose_about(q, bench->middle, to, pose);
}

/// Random turns, in a random direction, up to two radii away; those that overlap are drawn again.
static bool random_poses(separation_bench* bench, tact_problem* problem)
{
    tact_random random = {bench->common.seed};
    for (uint64_t i = 0, tries = 0; i < bench->pose_count; ++tries) {
        double q[4], at[3];
        float* pose = bench->poses[RANDOM_POSES][i];
        tact_random_quaternion(&random, q);
        const double length = tact_random_direction(&random, 3, at);
        const double far = 2.0 * bench->radius * tact_random_fraction(&random);
        for (int k = 0; k < 3; ++k)
            at[k] = at[k] / length * far;
        place(bench, q, at, pose);
        if (tries > TRIES * (i + 1)) return tact_problem_set(problem, "no poses found in which the meshes are apart");
        if (tact_mesh_separation(bench->mesh, bench->mesh, pose, INFINITY, NULL, bench->found) < 0) {
            return tact_problem_set(problem, "%s", tact_context_error(bench->session.context));
        }
        i += bench->found->distance > 0.0f;
    }
    return true;
}

static void path_poses(separation_bench* bench, series which)
{
    for (uint64_t i = 0; i < bench->pose_count; ++i) {
        const double angle = path_steps[which] * (double)i, far = 1.7 * bench->radius;
        const double q[4] = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
        const double at[3] = {far * cos(angle), 0.1 * far, far * sin(angle)};
        place(bench, q, at, bench->poses[which][i]);
    }
}

// ---- Preparing ----

static void measure(separation_bench* bench)
{
    tact_mesh_info info;
    tact_mesh_get_info(bench->mesh, &info);
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double low = (double)info.lower[k], high = (double)info.upper[k];
        bench->middle[k] = 0.5 * (low + high);
        square += (high - low) * (high - low);
    }
    bench->radius = 0.5 * sqrt(square);
}

static bool build(separation_bench* bench, double* ms, tact_problem* problem)
{
    const tact_model_mesh* m = &bench->model;
    const tact_mesh_desc desc = tact_model_mesh_desc(m);
    const double start = tact_system_milliseconds();
    // The boxes for separation are made by the first query.
    tact_mesh_distance first;
    if (tact_mesh_create(bench->session.context, &desc, &bench->mesh) < 0 ||
        tact_mesh_separation(bench->mesh, bench->mesh, NULL, 0.0f, NULL, &first) < 0) {
        return tact_problem_set(problem, "the mesh: %s", tact_context_error(bench->session.context));
    }
    *ms = tact_system_milliseconds() - start;
    return true;
}

static bool allocate(separation_bench* bench, tact_problem* problem)
{
    const size_t count = (size_t)bench->pose_count;
    bench->found = malloc(count * sizeof *bench->found);
    bench->distances = malloc(count * sizeof *bench->distances);
    bool good = bench->found && bench->distances;
    for (int s = 0; s < SERIES; ++s) {
        bench->poses[s] = malloc(count * sizeof *bench->poses[s]);
        bench->expected[s] = malloc(count * sizeof *bench->expected[s]);
        good = good && bench->poses[s] && bench->expected[s];
    }
    return good || tact_problem_out_of_memory(problem, "the poses");
}

static bool find_contestants(separation_bench* bench, double build_ms, tact_problem* problem)
{
    for (int front = 0; front < 2; ++front)
        bench->contestants[bench->contestant_count++] = (contestant){.front = front != 0, .build_ms = build_ms};
    const tact_separation_peer* peer;
    for (size_t i = 0; bench->peers && (peer = tact_separation_peer_at(i)) != NULL; ++i) {
        contestant* c = &bench->contestants[bench->contestant_count];
        *c = (contestant){.peer = peer};
        const tact_model_mesh* m = &bench->model;
        const tact_overlap_peer_mesh mesh = {m->positions, m->vertex_count, m->indices, m->triangle_count};
        const double start = tact_system_milliseconds();
        c->own = peer->make(&mesh, &mesh);
        // It has been given the mesh twice; ours is one object.
        c->build_ms = 0.5 * (tact_system_milliseconds() - start);
        if (!c->own) return tact_problem_set(problem, "%s did not take the mesh", peer->name);
        ++bench->contestant_count;
    }
    for (size_t i = 0; i < bench->contestant_count; ++i) {
        for (int s = 0; s < SERIES; ++s) {
            bench->contestants[i].samples[s] = malloc((size_t)bench->repeat * sizeof(double));
            if (!bench->contestants[i].samples[s]) return tact_problem_out_of_memory(problem, "the times");
        }
    }
    return true;
}

// ---- Measuring ----

static bool run_ours(separation_bench* bench, const contestant* c, series which, tact_problem* problem)
{
    tact_mesh_front* front = NULL;
    tact_result result = c->front ? tact_mesh_front_create(bench->mesh, bench->mesh, &front) : TACT_OK;
    for (uint64_t i = 0; i < bench->pose_count && result == TACT_OK; ++i) {
        result =
            tact_mesh_separation(bench->mesh, bench->mesh, bench->poses[which][i], INFINITY, front, &bench->found[i]);
    }
    tact_mesh_front_destroy(front);
    return result == TACT_OK || tact_problem_set(problem, "%s", tact_context_error(bench->session.context));
}

static void compare(separation_bench* bench, contestant* c, series which)
{
    c->differing[which] = 0;
    for (uint64_t i = 0; i < bench->pose_count; ++i) {
        const tact_mesh_distance* expected = &bench->expected[which][i];
        const double ours = (double)expected->distance, theirs = bench->distances[i] > 0.0 ? bench->distances[i] : 0.0;
        c->differing[which] += c->peer ? !(fabs(ours - theirs) <= 0x1p-16 * (ours + bench->radius))
                                       : memcmp(expected, &bench->found[i], sizeof *expected) != 0;
    }
}

static bool run_once(separation_bench* bench, contestant* c, series which, double* ms, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    const bool good = c->peer ? c->peer->run(c->own, (const float(*)[12])bench->poses[which], (size_t)bench->pose_count,
                                             bench->distances) ||
                                    tact_problem_set(problem, "%s failed", c->peer->name)
                              : run_ours(bench, c, which, problem);
    *ms = tact_system_milliseconds() - start;
    return good;
}

/// Rounds in which everybody has a turn, so that what else the machine does befalls all alike. The first is not timed.
static bool measure_series(separation_bench* bench, series which, tact_problem* problem)
{
    for (uint64_t round = 0; round <= bench->repeat; ++round) {
        for (size_t i = 0; i < bench->contestant_count; ++i) {
            contestant* c = &bench->contestants[i];
            double ms;
            if (!run_once(bench, c, which, &ms, problem)) return false;
            if (round > 0) {
                c->samples[which][round - 1] = ms;
                continue;
            }
            if (i == 0) {
                memcpy(bench->expected[which], bench->found, (size_t)bench->pose_count * sizeof *bench->found);
            }
            compare(bench, c, which);
            if (!c->peer) bench->wrong += c->differing[which] > 0;
        }
    }
    for (size_t i = 0; i < bench->contestant_count; ++i) {
        contestant* c = &bench->contestants[i];
        c->spread[which] = tact_spread_of(c->samples[which], (size_t)bench->repeat);
    }
    return true;
}

// ---- Reporting ----

static const char* name_of(const contestant* c)
{
    return c->peer ? c->peer->name : c->front ? "tact, front" : "tact";
}

static double per_pose(const separation_bench* bench, double ms)
{
    return 1000.0 * ms / (double)bench->pose_count;
}

/// The fastest peer's median time over this one's; 0: unknown.
static double against_peers(const separation_bench* bench, const contestant* c, int which)
{
    double least = 0.0;
    for (size_t i = 0; i < bench->contestant_count; ++i) {
        const contestant* p = &bench->contestants[i];
        if (p->peer && (least == 0.0 || p->spread[which].median < least)) least = p->spread[which].median;
    }
    return c->peer ? 0.0 : least / c->spread[which].median;
}

static void make_table(tact_table* table, const separation_bench* bench)
{
    static const char* const heads[] = {"poses", "by", ">us a pose", ">min", ">max", ">x peer", ">build ms", ">differ"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (int s = 0; s < SERIES; ++s) {
        for (size_t i = 0; i < bench->contestant_count; ++i) {
            const contestant* c = &bench->contestants[i];
            const double ratio = against_peers(bench, c, s);
            tact_table_add(table, "%s", series_names[s]);
            tact_table_add(table, "%s", name_of(c));
            tact_table_add(table, "%.2f", per_pose(bench, c->spread[s].median));
            tact_table_add(table, "%.2f", per_pose(bench, c->spread[s].low));
            tact_table_add(table, "%.2f", per_pose(bench, c->spread[s].high));
            tact_table_add(table, ratio > 0.0 ? "%.2f" : "-", ratio);
            tact_table_add(table, "%.1f", c->build_ms);
            tact_table_add(table, "%" PRIu64, c->differing[s]);
        }
    }
}

static cJSON* to_json(const separation_bench* bench)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench separation", &bench->session);
    tact_json_text(root, "mesh", bench->file ? bench->file : "icosphere");
    tact_json_count(root, "triangles", bench->model.triangle_count);
    tact_json_count(root, "poses", bench->pose_count);
    tact_json_count(root, "seed", bench->common.seed);
    tact_json_count(root, "repeat", bench->repeat);
    cJSON* rows = tact_json_array(root, "rows");
    for (int s = 0; s < SERIES; ++s) {
        for (size_t i = 0; i < bench->contestant_count; ++i) {
            const contestant* c = &bench->contestants[i];
            cJSON* row = tact_json_append(rows);
            tact_json_text(row, "poses", series_names[s]);
            tact_json_text(row, "by", name_of(c));
            tact_json_truth(row, "peer", c->peer != NULL);
            cJSON* us = tact_json_object(row, "us_per_pose");
            tact_json_number(us, "median", per_pose(bench, c->spread[s].median));
            tact_json_number(us, "min", per_pose(bench, c->spread[s].low));
            tact_json_number(us, "max", per_pose(bench, c->spread[s].high));
            const double ratio = against_peers(bench, c, s);
            if (ratio > 0.0) tact_json_number(row, "times_peer", ratio);
            tact_json_number(row, "build_ms", c->build_ms);
            tact_json_count(row, "poses_differing", c->differing[s]);
        }
    }
    return root;
}

static bool report(const separation_bench* bench, tact_problem* problem)
{
    tact_table table;
    make_table(&table, bench);
    tact_bench_output output = {&bench->session, TACT_BACKEND_CPU, bench->common.json, bench->out, ""};
    snprintf(output.heading, sizeof output.heading,
             "%zu triangles against themselves in %" PRIu64 " poses, one thread; medians of %" PRIu64 " rounds",
             bench->model.triangle_count, bench->pose_count, bench->repeat);
    return tact_bench_finish(&output, to_json(bench), &table, problem);
}

static bool execute(separation_bench* bench, tact_problem* problem)
{
    double build_ms = 0.0;
    const tact_backend backend = bench->common.backend;
    if (backend != TACT_BACKEND_AUTO && backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: distances are found on the CPU alone");
    }
    if (bench->common.threads > 1) return tact_problem_set(problem, "--threads: one thread is timed");
    bench->repeat = bench->common.repeat ? bench->common.repeat : bench->quick ? 3 : 7;
    if (bench->repeat > MOST_REPEATS) bench->repeat = MOST_REPEATS;
    if (bench->out && !tact_system_make_directory(bench->out, problem)) return false;
    const bool loaded = bench->file ? tact_mesh_file_read_guarded(bench->file, &bench->model, problem)
                                    : tact_mesh_icosphere(bench->quick ? 4 : 5, &bench->model, problem);
    if (!loaded || !tact_session_open(&bench->session, &bench->common, problem)) return false;
    if (!allocate(bench, problem) || !build(bench, &build_ms, problem)) return false;
    measure(bench);
    if (!find_contestants(bench, build_ms, problem) || !random_poses(bench, problem)) return false;
    path_poses(bench, PATH);
    path_poses(bench, SLOW_PATH);
    for (int s = 0; s < SERIES; ++s)
        if (!measure_series(bench, (series)s, problem)) return false;
    if (!report(bench, problem)) return false;
    return tact_bench_verdict(bench->wrong, "measurements gave other results than the rest", problem);
}

static void release(separation_bench* bench)
{
    for (size_t i = 0; i < CONTESTANTS; ++i) {
        contestant* c = &bench->contestants[i];
        if (c->own) c->peer->release(c->own);
        for (int s = 0; s < SERIES; ++s)
            free(c->samples[s]);
    }
    tact_mesh_destroy(bench->mesh);
    tact_model_mesh_free(&bench->model);
    for (int s = 0; s < SERIES; ++s) {
        free(bench->poses[s]);
        free(bench->expected[s]);
    }
    free(bench->found);
    free(bench->distances);
    tact_session_close(&bench->session);
}

static const char help_text[] =
    "Usage: tact bench separation [--mesh FILE] [--poses N] [--peers] [--out DIR] [options]\n\n"
    "Times how far apart a mesh and a copy of it are, on one thread: in random poses in which they do not overlap, "
    "and\n"
    "along orbits of 1/100 and of 1/1000 radian a pose, without and with a front that remembers the pose before. The\n"
    "results of ours must be equal byte for byte; distances of peers differ where they are 2^-16 apart.\n";

int tact_command_bench_separation(int argc, char** argv, tact_problem* problem)
{
    separation_bench bench = {.pose_count = 100};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&bench.common, common);
    const tact_option own[] = {
        {"mesh", "FILE", "the mesh (default: a sphere)", TACT_OPTION_TEXT, &bench.file, 0, 0, NULL},
        {"poses", "N", "how many of each sort (default: 100)", TACT_OPTION_NUMBER, &bench.pose_count, 1, 1000000, NULL},
        {"quick", NULL, "three rounds", TACT_OPTION_FLAG, &bench.quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json and bench.csv there", TACT_OPTION_TEXT, &bench.out, 0, 0, NULL},
        {"peers", NULL, "also time the libraries that were found when building", TACT_OPTION_FLAG, &bench.peers, 0, 0,
         NULL},
        {.name = NULL},
    };
    const tact_option_set set = {.own = own, .common = common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&bench, problem));
    release(&bench);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
