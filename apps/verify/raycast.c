// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "apps/verify/verify.h"

enum { RAY_SETS = 3, MODES = 3 };

static const char* const set_names[RAY_SETS] = {"camera", "random", "hard"};
static const char* const mode_names[MODES] = {"closest", "any", "count"};
static const char* const query_names[MODES] = {"ray_closest", "ray_any", "ray_count"};

/// Rays for a scene.
typedef struct ray_set {
    const char* scene_name;
    const char* name;
    const tact_suite_mesh* mesh;
    tact_scene* scene;
    tact_ray* rays;
    size_t count;
} ray_set;

static void describe_ray(const tact_verify_case* c, const tact_suite_answer answers[2], size_t at, char* text,
                         size_t size)
{
    (void)answers;
    const tact_ray* r = (const tact_ray*)c->inputs + at;
    snprintf(text, size, "o %a %a %a  d %a %a %a  t %a to %a", (double)r->ox, (double)r->oy, (double)r->oz,
             (double)r->dx, (double)r->dy, (double)r->dz, (double)r->tmin, (double)r->tmax);
}

static void describe_hit(const tact_verify_case* c, const tact_suite_answer* answer, size_t at, char* text, size_t size)
{
    (void)c;
    const tact_hit* h = (const tact_hit*)answer->items + at;
    snprintf(text, size, "instance %" PRIu32 " primitive %" PRIu32 " t %a u %a v %a", h->instance, h->primitive,
             (double)h->t, (double)h->u, (double)h->v);
}

static bool check_set(tact_verify_run* run, const ray_set* s, tact_problem* problem)
{
    bool good = true;
    for (int mode = 0; good && mode < MODES; ++mode) {
        tact_suite_input input = {.mesh = s->mesh, .scene = s->scene, .queries = s->rays};
        tact_verify_case c = {.row = {"raycast", s->scene_name, s->name, mode_names[mode], s->count},
                              .inputs = s->rays,
                              .describe = describe_hit,
                              .input = describe_ray};
        good = tact_verify_suite(run, query_names[mode], &input, &c, problem);
    }
    return good;
}

static bool verify_model(tact_verify_run* run, const char* name, const tact_model* model, uint64_t count,
                         tact_problem* problem)
{
    const tact_suite_mesh mesh = {.model = *model};
    ray_set s = {.scene_name = name, .mesh = &mesh};
    tact_scene_stats stats;
    if (!tact_model_build(model, run->session.context, &s.scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    // The camera's picture is about twice as wide as high.
    uint32_t height = 1;
    while ((uint64_t)(height + 1) * (height + 1) * 2 <= count)
        ++height;
    s.rays = malloc((size_t)count * sizeof *s.rays);
    bool good = s.rays != NULL || tact_problem_out_of_memory(problem, "rays and hits");
    for (int set = 0; good && set < RAY_SETS; ++set) {
        s.name = set_names[set];
        s.count = set == 0 ? (size_t)height * height * 2 : (size_t)count;
        if (set == 0) tact_rays_camera(&bounds, 2 * height, height, s.rays);
        if (set == 1) tact_rays_random(&bounds, run->common.seed, count, s.rays);
        if (set == 2) tact_rays_hard(model, &bounds, run->common.seed, count, s.rays);
        good = check_set(run, &s, problem);
    }
    free(s.rays);
    tact_scene_destroy(s.scene);
    return good;
}

bool tact_verify_raycast(tact_verify_run* run, tact_problem* problem)
{
    bool good = tact_verify_scenes(run, verify_model, problem);
    for (size_t i = 0; good && i < run->meshes.count; ++i) {
        tact_model model = {0};
        tact_model_mesh mesh;
        good = tact_mesh_file_read_guarded(run->meshes.items[i], &mesh, problem) &&
               tact_model_add_mesh(&model, &mesh, problem) && tact_model_add_instance(&model, 0, NULL, problem) &&
               verify_model(run, run->meshes.items[i], &model, run->quick ? 300 : 4000, problem);
        tact_model_free(&model);
    }
    return good;
}
