// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact verify` of what scenes do besides plain casts: all hits, casts that are submitted, alpha masks and rules, trees
// that a device built and fitted to moved vertices, and culling, of a scene's instances and of volumes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/model.h"
#include "apps/inputs/random.h"
#include "apps/inputs/rays.h"
#include "apps/verify/verify.h"

enum {
    ALL_HITS,
    SUBMITTED,
    MASKED,
    BUILT,
    FITTED,
    IN_VIEW,
    CULLED,
    MODES,
    HITS_EACH = 8,
    ALPHA_SIZE = 16,
    VOLUMES = 500
};
static const char* const mode_names[MODES] = {"all-hits", "submit", "alpha", "built", "fitted", "in-view", "cull"};

typedef struct scene_case {
    tact_context* context;
    int mode;
    const tact_model* model;
    tact_bounds bounds;
    const tact_ray* rays;
    size_t count;
    uint64_t seed;
    uint8_t* answer;
    size_t room;
} scene_case;

/// Holes in every mesh, by a pattern in the plane of x and y.
static tact_result add_holes(const scene_case* c, tact_scene* scene)
{
    static uint8_t texels[ALPHA_SIZE * ALPHA_SIZE];
    for (size_t i = 0; i < sizeof texels; ++i)
        texels[i] = (uint8_t)(i * i * 37 % 256);
    tact_result result = TACT_OK;
    for (size_t i = 0; i < c->model->mesh_count && result == TACT_OK; ++i) {
        const tact_alpha_desc alpha = {.uvs = c->model->meshes[i].positions,
                                       .uv_stride = 3 * sizeof(float),
                                       .texels = texels,
                                       .width = ALPHA_SIZE,
                                       .height = ALPHA_SIZE,
                                       .threshold = 128};
        if (c->model->meshes[i].vertex_count > 0) result = tact_scene_set_alpha(scene, (uint32_t)i, &alpha);
    }
    for (uint32_t i = 0; i < c->model->instance_count && result == TACT_OK; i += 3)
        result = tact_scene_set_mask(scene, i, 2);
    return result;
}

/// Moves every vertex a little, so that the trees are fitted.
static tact_result move_vertices(const scene_case* c, tact_scene* scene)
{
    tact_result result = TACT_OK;
    tact_random random = {c->seed};
    for (size_t i = 0; i < c->model->mesh_count && result == TACT_OK; ++i) {
        const tact_model_mesh* m = &c->model->meshes[i];
        float* moved = malloc(m->vertex_count * 3 * sizeof *moved + 1);
        if (!moved) return TACT_ERROR_OUT_OF_MEMORY;
        for (size_t k = 0; k < 3 * m->vertex_count; ++k)
            moved[k] = m->positions[k] * (float)(1.0 + 0.125 * tact_random_fraction(&random));
        result = tact_scene_update_mesh(scene, (uint32_t)i, moved, 0, TACT_UPDATE_REFIT);
        free(moved);
    }
    return result;
}

/// Brings the scene to where the mode asks. `builder` AUTO: by the CPU.
static tact_result make_ready(const scene_case* c, tact_scene* scene, tact_backend builder)
{
    tact_result result = TACT_OK;
    if (builder != TACT_BACKEND_AUTO) result = tact_scene_build_on(scene, builder);
    if (result == TACT_OK && c->mode == MASKED) result = add_holes(c, scene);
    if (result == TACT_OK && (c->mode == BUILT || c->mode == FITTED)) {
        // Vertices that stay where they are make trees that were built elsewhere be built again.
        for (size_t i = 0; i < c->model->mesh_count && result == TACT_OK; ++i) {
            result = tact_scene_update_mesh(scene, (uint32_t)i, c->model->meshes[i].positions, 0, TACT_UPDATE_REBUILD);
        }
    }
    if (result == TACT_OK) result = tact_scene_commit(scene);
    if (result == TACT_OK && c->mode == FITTED) result = move_vertices(c, scene);
    return result == TACT_OK ? tact_scene_commit(scene) : result;
}

static tact_result submit(const scene_case* c, tact_scene* scene, const tact_query_options* options, tact_hit* hits)
{
    const tact_raycast_work job = {.mode = TACT_RAY_CLOSEST, .count = c->count, .rays = c->rays, .hits = hits};
    tact_ticket ticket = 0;
    bool done = false;
    tact_query_options submitted = *options;
    submitted.ticket = &ticket;
    tact_result result = tact_raycast_with(scene, &job, &submitted, NULL);
    if (result == TACT_OK) result = tact_poll(c->context, ticket, &done);
    return result == TACT_OK ? tact_wait(c->context, ticket, NULL) : result;
}

/// Half of the box, and a corner of that.
static void view_planes(const scene_case* c, tact_plane planes[2])
{
    const double x = 0.5 * (c->bounds.lower[0] + c->bounds.upper[0]);
    planes[0] = (tact_plane){{1, 0, 0}, (float)x};
    planes[1] = (tact_plane){{0.5f, -0.25f, 1}, (float)c->bounds.upper[2]};
}

static tact_result cull_volumes(const scene_case* c, tact_context* context, const tact_query_options* options,
                                uint8_t* out)
{
    tact_plane planes[2];
    tact_aabb boxes[VOLUMES];
    tact_random random = {c->seed};
    view_planes(c, planes);
    for (int i = 0; i < VOLUMES; ++i) {
        float at[3];
        for (int k = 0; k < 3; ++k) {
            const double size = c->bounds.upper[k] - c->bounds.lower[k];
            at[k] = (float)(c->bounds.lower[k] + size * tact_random_fraction(&random));
        }
        const float half = (float)(0.05 * (c->bounds.upper[0] - c->bounds.lower[0]));
        boxes[i] = (tact_aabb){{at[0] - half, at[1] - half, at[2] - half}, {at[0] + half, at[1] + half, at[2] + half}};
    }
    const tact_cull_work work = {.kind = TACT_CULL_AABBS,
                                 .volumes = boxes,
                                 .count = VOLUMES,
                                 .planes = planes,
                                 .plane_count = 2,
                                 .boxes = boxes,
                                 .box_count = VOLUMES / 10};
    tact_culler* culler = NULL;
    size_t kept = 0;
    tact_result result = tact_culler_create(context, &culler);
    if (result == TACT_OK) {
        result = tact_cull_volumes(
            culler, &work,
            &(tact_cull_room){
                .ids = (uint32_t*)(void*)out, .capacity = VOLUMES, .count = &kept, .classes = out + 4 * VOLUMES},
            options, NULL);
    }
    tact_culler_destroy(culler);
    return result;
}

/// The answer's bytes, what is not written being zero.
static tact_result ask(const scene_case* c, tact_scene* scene, tact_context* context, const tact_query_options* options,
                       uint8_t* out)
{
    memset(out, 0, c->room);
    tact_hit* hits = (tact_hit*)(void*)out;
    const tact_ray_rules rules = {.mask = 2, .cull = TACT_RAY_CULL_BACK};
    tact_plane planes[2];
    size_t found = 0;
    tact_result result;
    switch (c->mode) {
        case ALL_HITS:
            result = tact_raycast_all(scene,
                                      &(tact_raycast_all_work){.rays = c->rays,
                                                               .count = c->count,
                                                               .offsets = (uint64_t*)(void*)out,
                                                               .hits = (tact_hit*)(void*)(out + 8 * (c->count + 1)),
                                                               .capacity = c->count * HITS_EACH},
                                      options, NULL);
            return result == TACT_INCOMPLETE ? TACT_OK : result;  // the first ones are there
        case SUBMITTED:
            return submit(c, scene, options, hits);
        case MASKED:
            return tact_raycast_with(
                scene, &(tact_raycast_work){.rays = c->rays, .count = c->count, .rules = &rules, .hits = hits}, options,
                NULL);
        case IN_VIEW: {
            view_planes(c, planes);
            const tact_cull_scene_work work = {.planes = planes, .plane_count = 2};
            const size_t most = c->model->instance_count;
            return tact_cull_scene(
                scene, &work,
                &(tact_cull_room){
                    .ids = (uint32_t*)(void*)out, .capacity = most, .count = &found, .classes = out + 4 * most},
                options, NULL);
        }
        case CULLED:
            return cull_volumes(c, context, options, out);
        default:
            return tact_raycast(scene, TACT_RAY_CLOSEST, c->rays, c->count, hits, options, NULL);
    }
}

/// Makes the scene anew, which a device builds where that is what is compared, and asks.
static tact_result make_and_ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    (void)report;
    scene_case* c = own;
    const bool builds = options->backend != TACT_BACKEND_REFERENCE && (c->mode == BUILT || c->mode == FITTED);
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    tact_problem problem = {0};
    if (!tact_model_build(c->model, c->context, &scene, &stats, &problem)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = make_ready(c, scene, builds ? options->backend : TACT_BACKEND_AUTO);
    if (result == TACT_OK) result = ask(c, scene, c->context, options, c->answer);
    tact_scene_destroy(scene);
    return result;
}

/// Where the answer is no array of like items, words are counted.
static bool answer_words(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const scene_case* c = own;
    *answer = tact_suite_items(c->answer, c->room / 4, 4);
    answer->digest = tact_digest_of(c->answer, c->room);
    return true;
}

static const tact_suite_query scene_query = {.name = "scene", .ask = make_and_ask, .answer = answer_words};

static size_t room_of(const scene_case* c)
{
    switch (c->mode) {
        case ALL_HITS:
            return 8 * (c->count + 1) + c->count * HITS_EACH * sizeof(tact_hit);
        case IN_VIEW:
            return (5 * c->model->instance_count + 8) / 4 * 4;
        case CULLED:
            return (size_t)5 * VOLUMES;
        default:
            return c->count * sizeof(tact_hit);
    }
}

static bool verify_model(tact_verify_run* run, const char* name, const tact_model* model, uint64_t count,
                         tact_problem* problem)
{
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(model, run->session.context, &scene, &stats, problem)) return false;
    tact_scene_destroy(scene);
    const size_t rays = 1 + (size_t)count / 4;
    scene_case c = {.context = run->session.context,
                    .model = model,
                    .bounds = tact_ray_bounds(&stats),
                    .count = rays,
                    .seed = run->common.seed};
    tact_ray* made = malloc(rays * sizeof *made);
    if (!made) return tact_problem_out_of_memory(problem, "rays");
    tact_rays_random(&c.bounds, run->common.seed, rays, made);
    c.rays = made;
    bool good = true;
    for (c.mode = 0; good && c.mode < MODES; ++c.mode) {
        const size_t asked = c.mode == IN_VIEW ? model->instance_count : c.mode == CULLED ? VOLUMES : rays;
        const tact_verify_case checked = {.row = {"scene", name, "random", mode_names[c.mode], asked},
                                          .query = &scene_query,
                                          .own = &c,
                                          .lenient = true};
        c.room = room_of(&c);
        c.answer = malloc(c.room);
        good =
            (c.answer || tact_problem_out_of_memory(problem, "answers")) && tact_verify_check(run, &checked, problem);
        free(c.answer);
    }
    free(made);
    return good;
}

bool tact_verify_scene(tact_verify_run* run, tact_problem* problem)
{
    return tact_verify_scenes(run, verify_model, problem);
}
