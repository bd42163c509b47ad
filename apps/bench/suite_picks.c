// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/suite.h"
#include "apps/inputs/pick_input.h"
#include "apps/inputs/scenes.h"

// What is seen in a rectangle, by rays and drawn.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };
enum { BY_RAYS = 0, DRAWN = 1, ROW = 5 };

typedef struct pick_work {
    bool drawn;
    tact_model model;
    tact_scene* scene;
    tact_picker* picker;
    tact_pick_view view;
    tact_pick_region region;
} pick_work;

/// Rows of spheres side by side, none before another, each many pixels wide: who is seen is no matter of rounding.
static bool make_model(pick_work* w, tact_problem* problem)
{
    tact_model_mesh mesh;
    if (!tact_mesh_icosphere(4, &mesh, problem) || !tact_model_add_mesh(&w->model, &mesh, problem)) return false;
    for (int i = 0; i < ROW * ROW; ++i) {
        const float pose[12] = {1.0f, 0.0f, 0.0f, 3.0f * (float)(i % ROW),
                                0.0f, 1.0f, 0.0f, 3.0f * (float)(i / ROW),
                                0.0f, 0.0f, 1.0f, 0.0f};
        if (!tact_model_add_instance(&w->model, 0, pose, problem)) return false;
    }
    return true;
}

static bool open_picks(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    pick_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the picks");
    w->drawn = query->argument == DRAWN;
    tact_scene_stats stats;
    if (!make_model(w, problem) || !tact_model_build(&w->model, input->context, &w->scene, &stats, problem))
        return false;
    *setup_ms = stats.build_ms;
    uint32_t side = (uint32_t)sqrt((double)size);
    const tact_bounds bounds = tact_ray_bounds(&stats);
    w->view = tact_pick_camera(&bounds, side, side, 0);
    w->region = (tact_pick_region){.shape = TACT_PICK_FRAME};
    const tact_result result = tact_picker_create(input->context, &w->picker);
    return result >= 0 || tact_problem_from_result(problem, result, input->context, "picking");
}

static tact_result ask_picks(void* own, const tact_query_options* options, tact_query_report* report)
{
    pick_work* w = own;
    const bool draw = w->drawn && options->backend == TACT_BACKEND_GL;
    const tact_pick_options how = {.group = w->drawn ? TACT_PICK_BY_INSTANCE : TACT_PICK_BY_PRIMITIVE,
                                   .method = draw ? TACT_PICK_RASTER : TACT_PICK_RAYS};
    size_t count = 0;
    return tact_pick_scene(w->picker, w->scene,
                           &(tact_pick_work){.view = &w->view, .region = &w->region, .options = &how, .count = &count},
                           options, report);
}

/// By rays the picks to the bit; drawn, which instances are seen, whatever the order of their depths.
static bool answer_picks(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const pick_work* w = own;
    size_t count = 0;
    const tact_pick* picks = tact_pick_last(w->picker, &count);
    answer->results = count;
    if (!w->drawn) {
        answer->digest = tact_digest_of(picks, count * sizeof *picks);
        return true;
    }
    uint8_t seen[ROW * ROW + 1] = {0};
    for (size_t i = 0; i < count; ++i)
        seen[picks[i].instance < ROW * ROW ? picks[i].instance : ROW * ROW] += 1;
    answer->digest = tact_digest_of(seen, sizeof seen);
    return true;
}

static void close_picks(void* own)
{
    pick_work* w = own;
    if (!w) return;
    tact_picker_destroy(w->picker);
    tact_scene_destroy(w->scene);
    tact_model_free(&w->model);
    free(w);
}

#define PICKS                                                                                             \
    .unit = "pixels", .open = open_picks, .ask = ask_picks, .answer = answer_picks, .close = close_picks, \
    .most = 10000000, .quick_most = 1000000

const tact_suite_query tact_suite_pick_queries[] = {
    {TACT_SUITE_ROW("pick", "Picks, by rays", "spheres", "triangles seen",
                    "Which triangles of 25 spheres are seen in a view of so many pixels, by a ray through each."),
     .backends = ALL, .first = 100, .reference_most = 100, .argument = BY_RAYS, PICKS},
    {TACT_SUITE_ROW("pick_drawn", "Picks, drawn", "spheres", "objects seen",
                    "Which of the spheres are seen, drawn by OpenGL; the CPU's times are those of rays."),
     .backends = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL, .within_tolerance = true, .first = 10000,
     .argument = DRAWN, PICKS},
    {.name = NULL},
};
