// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "apps/verify/verify.h"

enum { RAY_SETS = 3, MODES = 3 };

static const char* const set_names[RAY_SETS] = {"camera", "random", "hard"};
static const char* const mode_names[MODES] = {"closest", "any", "count"};

/// One scene and set of rays, ready to be cast.
typedef struct verify_case {
    const char* scene_name;
    const char* set_name;
    tact_scene* scene;
    const tact_ray* rays;
    size_t count;
    tact_hit* expected;
    tact_hit* got;
} verify_case;

static void describe_ray(char* text, size_t size, const tact_ray* r)
{
    snprintf(text, size, "o %a %a %a  d %a %a %a  t %a to %a", (double)r->ox, (double)r->oy, (double)r->oz,
             (double)r->dx, (double)r->dy, (double)r->dz, (double)r->tmin, (double)r->tmax);
}

static void describe_hit(char* text, size_t size, const tact_hit* h)
{
    snprintf(text, size, "instance %" PRIu32 " primitive %" PRIu32 " t %a u %a v %a", h->instance, h->primitive,
             (double)h->t, (double)h->u, (double)h->v);
}

/// Runs one contestant on one case and mode and notes what came of it.
static void check_one(tact_verify_run* run, const verify_case* c, int mode, tact_contestant* who)
{
    const tact_verify_row row = {"raycast", c->scene_name, c->set_name, mode_names[mode], c->count};
    if (who->missing[0]) {
        tact_verify_skip(run, &row, who, who->missing);
        return;
    }
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    memset(c->got, 0xa5, c->count * sizeof *c->got);
    tact_query_report report;
    const tact_result result =
        tact_raycast(c->scene, (tact_ray_mode)mode, c->rays, c->count, c->got, &options, &report);
    if (result < 0) {
        const char* detail = tact_context_error(run->session.context);
        tact_verify_fail(run, &row, who, *detail ? detail : tact_result_string(result));
        return;
    }
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < c->count; ++i) {
        if (memcmp(&c->expected[i], &c->got[i], sizeof *c->got) != 0 && differing++ == 0) first = i;
    }
    tact_verify_answer(run, &row, who, tact_digest_of(c->got, c->count * sizeof *c->got).text, differing);
    if (differing == 0) return;
    char ray[320], expected[160], got[160];
    describe_ray(ray, sizeof ray, &c->rays[first]);
    describe_hit(expected, sizeof expected, &c->expected[first]);
    describe_hit(got, sizeof got, &c->got[first]);
    tact_verify_difference(run, &row, who, first, differing, ray, expected, got);
}

static bool check_case(tact_verify_run* run, const verify_case* c, tact_problem* problem)
{
    for (int mode = 0; mode < MODES; ++mode) {
        const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        const tact_result result =
            tact_raycast(c->scene, (tact_ray_mode)mode, c->rays, c->count, c->expected, &options, NULL);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the reference");
        for (int i = 0; i < TACT_CONTESTANTS; ++i) {
            if (tact_verify_wants(run, &run->contestants[i])) check_one(run, c, mode, &run->contestants[i]);
        }
        tact_progress_update((double)mode / MODES, &run->progress);
    }
    ++run->progress.part;
    return true;
}

static bool verify_model(tact_verify_run* run, const char* name, const tact_model* model, uint64_t count,
                         tact_problem* problem)
{
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(model, run->session.context, &scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    // The camera's picture is about twice as wide as high.
    uint32_t height = 1;
    while ((uint64_t)(height + 1) * (height + 1) * 2 <= count)
        ++height;
    tact_ray* rays = malloc((size_t)count * sizeof *rays);
    tact_hit* expected = malloc((size_t)count * sizeof *expected);
    tact_hit* got = malloc((size_t)count * sizeof *got);
    bool good = rays && expected && got;
    if (!good) tact_problem_out_of_memory(problem, "rays and hits");
    for (int set = 0; good && set < RAY_SETS; ++set) {
        verify_case c = {name, set_names[set], scene, rays, (size_t)count, expected, got};
        if (set == 0) {
            c.count = (size_t)height * height * 2;
            tact_rays_camera(&bounds, 2 * height, height, rays);
        } else if (set == 1) {
            tact_rays_random(&bounds, run->common.seed, count, rays);
        } else {
            tact_rays_hard(model, &bounds, run->common.seed, count, rays);
        }
        good = check_case(run, &c, problem);
    }
    free(rays);
    free(expected);
    free(got);
    tact_scene_destroy(scene);
    return good;
}

uint64_t tact_verify_raycast_parts(const tact_verify_run* run)
{
    return (run->meshes.count + tact_verify_scene_count(run)) * RAY_SETS;
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
