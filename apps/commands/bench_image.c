// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/depth.h"
#include "apps/bench/plot.h"
#include "apps/commands.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/scenes.h"

enum { BUDGET = 2000000, MOST_REPEATS = 1001, MESHES = 5, FIRST_OF_ANY_SHAPE = 3 };

typedef struct image_bench {
    tact_bench_run run;
    const char* file;
    uint64_t poses;
} image_bench;

typedef struct way_name {
    char text[64];
} way_name;

static way_name name_of(const tact_contestant* who)
{
    way_name name;
    snprintf(name.text, sizeof name.text, "%.40s, %s", who->name, tact_backend_name(who->backend));
    return name;
}

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    const uint32_t resolution = tact_suite_resolution(who->variant);
    const uint64_t overlapping = d->expected.results;
    tact_report_row(r);
    tact_report_text(r, "mesh", "mesh", d->input.mesh->name);
    tact_report_count(r, ">triangles", "triangles", tact_model_triangles(&d->input.mesh->model));
    tact_json_truth(r->row, "convex", strcmp(d->query->name, "convex") == 0);
    tact_report_text(r, "by", "by", name_of(who).text);
    tact_report_number(r, ">pixels", "resolution", "%.0f", resolution ? resolution : (double)NAN);
    tact_report_count(r, ">poses", "poses", d->size);
    tact_report_spread(r, ">us a pose", "us_per_pose", "%.2f", 1000.0 / (double)d->size, &who->ms);
    tact_report_count(r, ">overlap", "overlapping", overlapping);
    tact_report_count(r, ">wrong", "wrongly_overlapping", who->differing);
    tact_report_count(r, ">missed", "missed", who->other);
    // Of stencils there is none.
    const double tolerance = isfinite(who->extra) ? who->extra : (double)NAN;
    tact_report_number(r, ">tolerance", resolution ? "tolerance_per_radius" : NULL, "%.4f", tolerance);
    if (resolution) tact_json_truth(r->row, "approximate", !isfinite(who->extra));
    if (!resolution) tact_json_time(r->row, "build_ms", who->build_ms);
}

/// Cost against resolution.
static bool plot(const image_bench* b, const tact_depth* d, int number, tact_problem* problem)
{
    tact_plot chart = {.x_label = "pixels along an image's side", .y_label = "microseconds"};
    snprintf(chart.title, sizeof chart.title, "%s: a pair of objects in one pose", d->input.mesh->name);
    for (size_t i = 0; i < d->count; ++i) {
        const tact_contestant* who = &d->all[i];
        const double us = 1000.0 * who->ms.median / (double)d->size;
        const uint32_t resolution = tact_suite_resolution(who->variant);
        if (resolution) tact_plot_add(&chart, name_of(who).text, false, (double)resolution, us);
        for (unsigned v = 1; v <= 5 && !resolution; ++v)
            tact_plot_add(&chart, name_of(who).text, true, (double)tact_suite_resolution(v), us);
    }
    return !b->run.out || tact_plot_write(tact_bench_path_of(&b->run, "image-%d.svg", number).text, &chart, problem);
}

static const char* name_of_mesh(const image_bench* b, int number)
{
    static const char* const names[] = {"sphere, 80", "sphere, 1280", "sphere, 20480", "torus knot"};
    return number > FIRST_OF_ANY_SHAPE ? b->file : names[number];
}

static bool make_mesh(const image_bench* b, int number, tact_suite_mesh* mesh, tact_problem* problem)
{
    static const unsigned levels[] = {1, 3, 5};
    tact_model_mesh from;
    if (number > FIRST_OF_ANY_SHAPE) return tact_suite_mesh_read(mesh, b->file, problem);
    const bool made = number < FIRST_OF_ANY_SHAPE ? tact_mesh_icosphere(levels[number], &from, problem)
                                                  : tact_mesh_torus_knot(&from, problem);
    return tact_suite_mesh_take(mesh, name_of_mesh(b, number), made, &from, problem);
}

static bool measure_mesh(image_bench* b, int number, int chart, tact_problem* problem)
{
    tact_suite_mesh mesh = {.name = ""};
    tact_depth d = {.query = &tact_suite_image_queries[number >= FIRST_OF_ANY_SHAPE], .input.mesh = &mesh};
    if (tact_bench_stopped(&b->run, problem, "%s", name_of_mesh(b, number))) return true;
    bool good = make_mesh(b, number, &mesh, problem);
    if (good) {
        // Large meshes in fewer poses, so that drawing in software ends.
        const uint64_t fit = BUDGET / (tact_model_triangles(&mesh.model) + 1) + 4;
        d.size = b->poses < fit ? b->poses : fit;
        good = tact_depth_measure(&b->run, &d, problem);
        for (size_t i = 0; good && i < d.count; ++i)
            add_row(&b->run.report, &d, &d.all[i]);
        good = good && (d.count == 0 || plot(b, &d, chart, problem));
        tact_depth_close(&d);
    }
    tact_model_free(&mesh.model);
    ++b->run.progress.part;
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    image_bench* b = (void*)run;
    if (!tact_bench_one_mesh(run, &b->file, NULL, problem)) return false;
    if (run->common.backend != TACT_BACKEND_AUTO) {
        return tact_problem_set(problem, "--backend: all are measured beside each other");
    }
    if (run->common.repeat > MOST_REPEATS) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": at most %d rounds", run->common.repeat, MOST_REPEATS);
    }
    if (b->poses == 0) b->poses = run->quick ? 32 : 256;
    bool good = tact_bench_begin(run, "bench image", 1, 5, problem);
    run->progress.parts = MESHES;
    for (int i = 0, chart = 0; good && i < (b->file ? MESHES : MESHES - 1); ++i)
        if (i != 2 || !run->quick) good = measure_mesh(b, i, chart++, problem);
    char heading[200];
    snprintf(heading, sizeof heading, "medians of %" PRIu64 " rounds; tolerance: the largest, in radii of the mesh",
             run->repeat);
    return good && tact_bench_report(run, TACT_BACKEND_GL, heading, problem) &&
           tact_bench_verdict(run->wrong, "exact answers differ between backends", problem);
}

static const char help_text[] =
    "Usage: tact bench image [--mesh FILE] [--poses N] [--out DIR] [options]\n\n"
    "Times whether two objects overlap: in images at several resolutions, which OpenGL draws and occlusion queries\n"
    "count, which it draws and reduces, which the CPU makes, and exactly, on every backend. Convex: spheres of 80, "
    "1280\n"
    "and 20480 triangles; of any shape: a torus knot and the mesh, which must be closed, whose images OpenGL and "
    "OpenCL\n"
    "also compute, and of which OpenGL counts parity in its stencil buffer too, approximately. Poses are random, with\n"
    "boxes that meet.\n";

int tact_command_bench_image(int argc, char** argv, tact_problem* problem)
{
    image_bench b = {.poses = 0};
    const tact_option own[] = {
        TACT_TEXT("mesh", "FILE", "one more mesh, which must be closed", &b.file),
        TACT_NUMBER("poses", "N", "at most (default: 256, --quick: 32; large meshes have fewer)", &b.poses, 1, 100000),
        TACT_BENCH_QUICK(b.run, "one round where --repeat says nothing, without the sphere of 20480"),
        TACT_BENCH_OUT(b.run, "bench.json, bench.csv and charts"),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
