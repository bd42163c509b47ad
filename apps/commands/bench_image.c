// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/plot.h"
#include "apps/commands.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/progress.h"
#include "apps/system.h"
#include "tact/image_space.h"
#include "tact/mesh_overlap.h"

enum { PAIRS_MAX = 8, ROWS_MAX = 512, MOST_REPEATS = 1001, BUDGET = 2000000 };

static const uint32_t resolutions[] = {16, 32, 64, 128, 256};
enum { RESOLUTIONS = sizeof resolutions / sizeof resolutions[0] };

/// A mesh against a copy of itself.
typedef struct image_pair {
    char name[64];
    bool convex;
    tact_model_mesh model;
    tact_mesh* mesh;
    double build_ms;
    float (*poses)[12];
    uint8_t* overlaps;  ///< exactly
    size_t pose_count, overlapping;
} image_pair;

typedef enum image_way { QUERY, READBACK, COMPUTE_GL, COMPUTE_CL, COMPUTE_CPU, WAYS } image_way;

static const char* const way_names[WAYS] = {"occlusion query", "readback", "exact, gl", "exact, cl", "exact, cpu"};

typedef struct image_row {
    const image_pair* pair;
    image_way way;
    uint32_t resolution;  ///< 0: exact
    double* samples;
    tact_spread spread;  ///< of all poses
    size_t false_hits, misses;
    double tolerance;  ///< the largest, over the mesh's radius
} image_row;

typedef struct image_bench {
    tact_common_options common;
    bool quick;
    const char *out, *file;
    uint64_t pose_count, repeat;
    tact_session session;
    tact_image_tester* tester;
    image_pair pairs[PAIRS_MAX];
    size_t pair_count;
    image_row rows[ROWS_MAX];
    size_t row_count;
    tact_image_result* results;
    uint8_t* relations;
    uint64_t wrong;
} image_bench;

// ---- What is tested ----

static image_pair* add_pair(image_bench* bench, const char* name, bool convex)
{
    image_pair* p = &bench->pairs[bench->pair_count++];
    *p = (image_pair){.convex = convex};
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static bool make_meshes(image_bench* bench, tact_problem* problem)
{
    static const unsigned levels[] = {1, 3, 5};
    static const char* const names[] = {"sphere, 80", "sphere, 1280", "sphere, 20480"};
    for (int i = 0; i < (bench->quick ? 2 : 3); ++i) {
        image_pair* p = add_pair(bench, names[i], true);
        if (!tact_mesh_icosphere(levels[i], &p->model, problem)) return false;
    }
    if (!tact_mesh_torus_knot(&add_pair(bench, "torus knot", false)->model, problem)) return false;
    if (!bench->file) return true;
    const char* slash = strrchr(bench->file, '/');
    image_pair* p = add_pair(bench, slash ? slash + 1 : bench->file, false);
    return tact_mesh_file_read_guarded(bench->file, &p->model, problem);
}

static bool prepare_pair(image_bench* bench, image_pair* p, tact_problem* problem)
{
    const tact_model_mesh* m = &p->model;
    const tact_mesh_desc desc = tact_model_mesh_desc(m);
    // Large meshes in fewer poses, so that drawing in software ends.
    const size_t fit = BUDGET / (m->triangle_count + 1) + 4;
    p->pose_count = bench->pose_count < fit ? (size_t)bench->pose_count : fit;
    p->poses = malloc(p->pose_count * sizeof *p->poses);
    p->overlaps = malloc(p->pose_count);
    if (!p->poses || !p->overlaps) return tact_problem_out_of_memory(problem, "the poses");
    tact_poses_scatter(m, m, bench->common.seed, 1.6, true, p->poses, p->pose_count);
    tact_mesh_info info;
    if (tact_mesh_create(bench->session.context, &desc, &p->mesh) < 0 || tact_mesh_get_info(p->mesh, &info) < 0) {
        return tact_problem_set(problem, "%s: %s", p->name, tact_context_error(bench->session.context));
    }
    if (!info.closed) return tact_problem_set(problem, "%s: it is not closed", p->name);
    p->build_ms = info.build_ms;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    if (tact_mesh_overlap(p->mesh, p->mesh, (const float(*)[12])p->poses, p->pose_count, true, p->overlaps, &options,
                          NULL) < 0) {
        return tact_problem_set(problem, "%s: %s", p->name, tact_context_error(bench->session.context));
    }
    for (size_t i = 0; i < p->pose_count; ++i)
        p->overlapping += p->overlaps[i] != TACT_MESHES_APART;
    return true;
}

static bool add_row(image_bench* bench, const image_pair* p, image_way way, uint32_t resolution, tact_problem* problem)
{
    image_row* r = &bench->rows[bench->row_count];
    *r = (image_row){.pair = p, .way = way, .resolution = resolution};
    r->samples = malloc((size_t)bench->repeat * sizeof *r->samples);
    if (!r->samples) return tact_problem_out_of_memory(problem, "the times");
    ++bench->row_count;
    return true;
}

static bool find_rows(image_bench* bench, tact_problem* problem)
{
    static const tact_backend backends[] = {TACT_BACKEND_GL, TACT_BACKEND_CL, TACT_BACKEND_CPU};
    for (size_t i = 0; i < bench->pair_count; ++i) {
        const image_pair* p = &bench->pairs[i];
        for (int way = QUERY; way <= READBACK; ++way)
            for (int k = 0; k < RESOLUTIONS; ++k)
                if (!add_row(bench, p, (image_way)way, resolutions[k], problem)) return false;
        for (int k = 0; k < 3; ++k) {
            tact_device_info info;
            if (tact_session_device(&bench->session, backends[k], &info) < 0) continue;
            if (!add_row(bench, p, (image_way)(COMPUTE_GL + k), 0, problem)) return false;
        }
    }
    return true;
}

// ---- Measuring ----

static tact_result draw(image_bench* bench, const image_row* r)
{
    const image_pair* p = r->pair;
    tact_image_body a = {.positions = p->model.positions,
                         .vertex_count = p->model.vertex_count,
                         .indices = p->model.indices,
                         .triangle_count = p->model.triangle_count,
                         .closed = true,
                         .convex = true};
    tact_image_body b = a;
    b.poses = (const float(*)[12])p->poses;
    b.pose_count = p->pose_count;
    const tact_image_options options = {r->way == QUERY ? TACT_IMAGE_QUERY : TACT_IMAGE_READBACK, r->resolution};
    return (p->convex ? tact_image_convex : tact_image_concave)(bench->tester, &a, &b, &options, bench->results,
                                                                p->pose_count);
}

static tact_result compute(image_bench* bench, const image_row* r)
{
    static const tact_backend backends[WAYS] = {
        [COMPUTE_GL] = TACT_BACKEND_GL, [COMPUTE_CL] = TACT_BACKEND_CL, [COMPUTE_CPU] = TACT_BACKEND_CPU};
    const tact_query_options options = {
        .backend = backends[r->way], .threads = (int)bench->common.threads, .no_fallback = true};
    const image_pair* p = r->pair;
    return tact_mesh_overlap(p->mesh, p->mesh, (const float(*)[12])p->poses, p->pose_count, true, bench->relations,
                             &options, NULL);
}

static void compare(image_bench* bench, image_row* r)
{
    const image_pair* p = r->pair;
    const double radius = tact_mesh_extent_of(&p->model).radius;
    for (size_t i = 0; i < p->pose_count; ++i) {
        const bool exact = p->overlaps[i] != TACT_MESHES_APART;
        const bool said = r->resolution ? bench->results[i].overlap : bench->relations[i] != TACT_MESHES_APART;
        r->false_hits += said && !exact;
        r->misses += !said && exact;
        if (r->resolution) r->tolerance = fmax(r->tolerance, (double)bench->results[i].tolerance / radius);
        bench->wrong += !r->resolution && bench->relations[i] != p->overlaps[i];
    }
}

/// Rounds in which everybody has a turn, so that what else the machine does befalls all alike. The first is not timed.
static bool measure(image_bench* bench, tact_progress* progress, tact_problem* problem)
{
    for (uint64_t round = 0; round <= bench->repeat; ++round) {
        for (size_t i = 0; i < bench->row_count; ++i) {
            image_row* r = &bench->rows[i];
            tact_progress_update(((double)round + (double)i / (double)bench->row_count) / (double)(bench->repeat + 1),
                                 progress);
            const double start = tact_system_milliseconds();
            const tact_result result = r->resolution ? draw(bench, r) : compute(bench, r);
            const double ms = tact_system_milliseconds() - start;
            if (result < 0) {
                return tact_problem_set(problem, "%s by %s: %s", r->pair->name, way_names[r->way],
                                        tact_context_error(bench->session.context));
            }
            if (round == 0) compare(bench, r);
            if (round > 0) r->samples[round - 1] = ms;
        }
    }
    for (size_t i = 0; i < bench->row_count; ++i)
        bench->rows[i].spread = tact_spread_of(bench->rows[i].samples, (size_t)bench->repeat);
    return true;
}

// ---- Reporting ----

static double per_pose(const image_row* r, double ms)
{
    return 1000.0 * ms / (double)r->pair->pose_count;
}

static void make_table(tact_table* table, const image_bench* bench)
{
    static const char* const heads[] = {"mesh", ">triangles", "by",       ">pixels", ">poses",  ">us a pose",
                                        ">min", ">max",       ">overlap", ">wrong",  ">missed", ">tolerance"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < bench->row_count; ++i) {
        const image_row* r = &bench->rows[i];
        tact_table_add(table, "%s", r->pair->name);
        tact_table_add(table, "%zu", r->pair->model.triangle_count);
        tact_table_add(table, "%s", way_names[r->way]);
        tact_table_add(table, r->resolution ? "%" PRIu32 : "-", r->resolution);
        tact_table_add(table, "%zu", r->pair->pose_count);
        tact_table_add(table, "%.2f", per_pose(r, r->spread.median));
        tact_table_add(table, "%.2f", per_pose(r, r->spread.low));
        tact_table_add(table, "%.2f", per_pose(r, r->spread.high));
        tact_table_add(table, "%zu", r->pair->overlapping);
        tact_table_add(table, "%zu", r->false_hits);
        tact_table_add(table, "%zu", r->misses);
        tact_table_add(table, r->resolution ? "%.4f" : "0", r->tolerance);
    }
}

static cJSON* to_json(const image_bench* bench)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench image", &bench->session);
    tact_json_count(root, "seed", bench->common.seed);
    tact_json_count(root, "repeat", bench->repeat);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < bench->row_count; ++i) {
        const image_row* r = &bench->rows[i];
        cJSON* row = tact_json_append(rows);
        tact_json_text(row, "mesh", r->pair->name);
        tact_json_count(row, "triangles", r->pair->model.triangle_count);
        tact_json_truth(row, "convex", r->pair->convex);
        tact_json_text(row, "by", way_names[r->way]);
        if (r->resolution) tact_json_count(row, "resolution", r->resolution);
        tact_json_count(row, "poses", r->pair->pose_count);
        tact_json_count(row, "overlapping", r->pair->overlapping);
        cJSON* us = tact_json_object(row, "us_per_pose");
        tact_json_number(us, "median", per_pose(r, r->spread.median));
        tact_json_number(us, "min", per_pose(r, r->spread.low));
        tact_json_number(us, "max", per_pose(r, r->spread.high));
        tact_json_count(row, "wrongly_overlapping", r->false_hits);
        tact_json_count(row, "missed", r->misses);
        if (r->resolution) tact_json_number(row, "tolerance_per_radius", r->tolerance);
        if (!r->resolution) tact_json_number(row, "build_ms", r->pair->build_ms);
    }
    return root;
}

/// A chart for each mesh: cost against resolution.
static bool plot(const image_bench* bench, tact_problem* problem)
{
    bool good = true;
    for (size_t p = 0; p < bench->pair_count && good; ++p) {
        tact_plot* chart = calloc(1, sizeof *chart);
        if (!chart) return tact_problem_out_of_memory(problem, "a chart");
        snprintf(chart->title, sizeof chart->title, "%s: a pair of objects in one pose", bench->pairs[p].name);
        chart->x_label = "pixels along an image's side";
        chart->y_label = "microseconds";
        for (size_t i = 0; i < bench->row_count; ++i) {
            const image_row* r = &bench->rows[i];
            if (r->pair != &bench->pairs[p]) continue;
            const double us = per_pose(r, r->spread.median);
            if (r->resolution) tact_plot_add(chart, way_names[r->way], false, (double)r->resolution, us);
            for (int k = 0; k < RESOLUTIONS && !r->resolution; ++k)
                tact_plot_add(chart, way_names[r->way], true, (double)resolutions[k], us);
        }
        char path[4096];
        snprintf(path, sizeof path, "%s/image-%zu.svg", bench->out, p);
        good = tact_plot_write(path, chart, problem);
        free(chart);
    }
    return good;
}

static bool report(const image_bench* bench, tact_problem* problem)
{
    tact_table table;
    make_table(&table, bench);
    tact_bench_output output = {&bench->session, TACT_BACKEND_GL, bench->common.json, bench->out, ""};
    snprintf(output.heading, sizeof output.heading,
             "medians of %" PRIu64 " rounds; tolerance: the largest, in radii of the mesh", bench->repeat);
    return tact_bench_finish(&output, to_json(bench), &table, problem) && (!bench->out || plot(bench, problem));
}

static bool execute(image_bench* bench, tact_problem* problem)
{
    if (bench->common.backend != TACT_BACKEND_AUTO) {
        return tact_problem_set(problem, "--backend: all are measured beside each other");
    }
    if (bench->common.repeat > MOST_REPEATS) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": at most %d rounds", bench->common.repeat, MOST_REPEATS);
    }
    bench->repeat = bench->common.repeat ? bench->common.repeat : bench->quick ? 1 : 5;
    if (bench->pose_count == 0) bench->pose_count = bench->quick ? 32 : 256;
    if (bench->out && !tact_system_make_directory(bench->out, problem)) return false;
    if (!make_meshes(bench, problem) || !tact_session_open(&bench->session, &bench->common, problem)) return false;
    const tact_result result = tact_image_tester_create(bench->session.context, &bench->tester);
    if (result < 0) return tact_problem_from_result(problem, result, bench->session.context, "drawing");
    bench->results = malloc((size_t)bench->pose_count * sizeof *bench->results);
    bench->relations = malloc((size_t)bench->pose_count);
    if (!bench->results || !bench->relations) return tact_problem_out_of_memory(problem, "the poses");
    for (size_t i = 0; i < bench->pair_count; ++i)
        if (!prepare_pair(bench, &bench->pairs[i], problem)) return false;
    tact_progress progress;
    tact_progress_start(&progress, "measuring", bench->common.quiet);
    const bool measured = find_rows(bench, problem) && measure(bench, &progress, problem);
    tact_progress_end(&progress);
    if (!measured || !report(bench, problem)) return false;
    return tact_bench_verdict(bench->wrong, "exact answers differ between backends", problem);
}

static void release(image_bench* bench)
{
    for (size_t i = 0; i < bench->row_count; ++i)
        free(bench->rows[i].samples);
    for (size_t i = 0; i < bench->pair_count; ++i) {
        tact_mesh_destroy(bench->pairs[i].mesh);
        tact_model_mesh_free(&bench->pairs[i].model);
        free(bench->pairs[i].poses);
        free(bench->pairs[i].overlaps);
    }
    free(bench->results);
    free(bench->relations);
    tact_image_tester_destroy(bench->tester);
    tact_session_close(&bench->session);
}

static const char help_text[] =
    "Usage: tact bench image [--mesh FILE] [--poses N] [--out DIR] [options]\n\n"
    "Times whether two objects overlap: by drawing them at several resolutions, by occlusion queries and by reading\n"
    "back, and exactly, on every backend. Convex: spheres of 80, 1280 and 20480 triangles; of any shape: a torus knot\n"
    "and the mesh, which must be closed. Poses are random, with boxes that meet. Needs OpenGL.\n";

int tact_command_bench_image(int argc, char** argv, tact_problem* problem)
{
    image_bench* bench = calloc(1, sizeof *bench);
    if (!bench) {
        tact_problem_out_of_memory(problem, "the benchmark");
        return problem->exit_code;
    }
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&bench->common, common);
    const tact_option own[] = {
        {"mesh", "FILE", "one more mesh, which must be closed", TACT_OPTION_TEXT, &bench->file, 0, 0, NULL},
        {"poses", "N", "at most (default: 256, --quick: 32; large meshes have fewer)", TACT_OPTION_NUMBER,
         &bench->pose_count, 1, 100000, NULL},
        {"quick", NULL, "one round where --repeat says nothing, without the sphere of 20480", TACT_OPTION_FLAG,
         &bench->quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json, bench.csv and charts there", TACT_OPTION_TEXT, &bench->out, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {.own = own, .common = common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(bench, problem));
    release(bench);
    free(bench);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
