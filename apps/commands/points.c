// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact points`: points against solids.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/commands/mesh_scene.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/rays.h"
#include "tact/points.h"

typedef struct points_run {
    tact_query_run run;
    tact_mesh_scene scene;
    const char *source, *number, *out;
    float most;  ///< greatest distance
    bool random;
    tact_npy_table table;  ///< of the file
    tact_closest_query* points;
    tact_point_location* locations;
    uint64_t inside;
} points_run;

static bool load(void* command, tact_problem* problem)
{
    points_run* p = command;
    char* end = NULL;
    const double most = strtod(p->number, &end);
    p->most = (float)most;
    p->random = strncmp(p->source, "random:", 7) == 0;
    if (!tact_mesh_scene_check(&p->scene, problem)) return false;
    if (p->random && !tact_number_parse(p->source + 7, 0, TACT_RAYS_MAX, &p->table.rows, NULL)) {
        return tact_problem_set(problem, "--points %s: must be random:N with a whole number up to 2^31", p->source);
    }
    if (end == p->number || *end || !(most >= 0.0)) {
        return tact_problem_set(problem, "--max-distance %s: must be a number from 0 on", p->number);
    }
    return tact_mesh_scene_load(&p->scene, problem);
}

static bool prepare(void* command, tact_problem* problem)
{
    points_run* p = command;
    if (!tact_mesh_scene_build(&p->scene, &p->run, problem)) return false;
    if (!p->random && !tact_npy_read(p->source, TACT_NPY_FLOAT32, 3, &p->table, problem)) return false;
    p->run.count = p->table.rows;
    p->points = tact_query_room(NULL, p->run.count, sizeof *p->points, problem);
    p->locations = tact_query_room(NULL, p->run.count, sizeof *p->locations, problem);
    p->run.answer = p->locations;
    p->run.answer_bytes = (size_t)p->run.count * sizeof *p->locations;
    if (!p->points || !p->locations) return false;
    if (p->random) tact_points_random(&p->scene.bounds, p->run.common.seed, p->run.count, p->most, p->points);
    const float* from = p->table.data;
    for (uint64_t i = 0; !p->random && i < p->run.count; ++i, from += 3)
        p->points[i] = (tact_closest_query){from[0], from[1], from[2], p->most};
    return true;
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    points_run* p = command;
    const tact_result result =
        tact_locate_points(p->scene.scene, p->points, (size_t)p->run.count, p->locations, options, &p->run.report);
    return tact_query_succeeded(&p->run, result, "locating points", problem);
}

static bool finish(void* command, tact_problem* problem)
{
    static const char descr[] =
        "[('inside', '<u4'), ('distance', '<f4'), ('winding', '<f4'), ('instance', '<u4'), ('primitive', '<u4'), "
        "('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('feature', '<u4'), ('u', '<f4'), ('v', '<f4')]";
    points_run* p = command;
    for (uint64_t i = 0; i < p->run.count; ++i) {
        p->inside += p->locations[i].inside;
        p->run.found += p->locations[i].instance != TACT_NONE;
    }
    return !p->out || tact_npy_write_as(p->out, descr, sizeof *p->locations, p->run.count, 0, p->locations, problem);
}

static void json(const void* command, cJSON* root)
{
    const points_run* p = command;
    tact_json_count(root, "points", p->run.count);
    tact_json_count(root, "inside", p->inside);
    tact_json_text(root, "source", p->source);
    tact_json_number(root, "max_distance", (double)p->most);
    tact_mesh_scene_json(&p->scene, root);
}

static void print(const void* command)
{
    const points_run* p = command;
    tact_mesh_scene_print(&p->scene);
    printf("points  %" PRIu64 " (%s)\n", p->run.count, p->source);
    printf("inside  %" PRIu64 " (%.2f %%)\n", p->inside, tact_query_percent(p->inside, p->run.count));
}

static void release(void* command)
{
    points_run* p = command;
    tact_mesh_scene_free(&p->scene);
    free(p->table.data);
    free(p->points);
    free(p->locations);
}

static const tact_query_command command = {
    .name = "points",
    .help =
        "Usage: tact points --mesh FILE [--mesh FILE ...] [options]\n\n"
        "Tells of points whether they are inside of the meshes, and how far they are from the surface. Files given as\n"
        "--mesh are instances 0, 1, ... in that order.\n",
    .doing = "locating points",
    .items = "points",
    .rate_key = "per_second",
    .load = load,
    .prepare = prepare,
    .ask = ask,
    .finish = finish,
    .json = json,
    .print = print,
    .release = release,
};

int tact_command_points(int argc, char** argv, tact_problem* problem)
{
    points_run p = {.source = "random:100000", .number = "inf"};
    const tact_option own[] = {
        TACT_MESH_OPTION(&p.scene.files),
        TACT_TEXT("points", "P", "random:N (default random:100000) or a .npy file", &p.source),
        TACT_TEXT("max-distance", "D", "how far the closest point may be (default: however far)", &p.number),
        TACT_TEXT("out", "FILE.npy", "write the answers", &p.out),
        {.name = NULL},
    };
    return tact_query_command_run(&command, &p, own, NULL, argc, argv, problem);
}
