// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>

#include "apps/commands.h"
#include "apps/commands/mesh_scene.h"
#include "apps/inputs/npy.h"
#include "apps/pictures/pictures.h"

typedef struct raycast_run {
    tact_query_run run;
    tact_mesh_scene scene;
    const char *source, *out, *image;
    int mode;          ///< a tact_ray_mode
    int cull;          ///< a tact_ray_cull
    uint64_t mask;     ///< 0: every mesh
    uint64_t samples;  ///< rays along each side of a pixel of the picture
    tact_ray_source camera;
    tact_ray* rays;
    tact_hit* hits;
    uint64_t triangles_hit;
} raycast_run;

static const char* const modes[] = {"closest", "any", "count", NULL};
static const char* const sides[] = {"none", "back", "front", NULL};

static bool load(void* command, tact_problem* problem)
{
    raycast_run* r = command;
    if (!tact_mesh_scene_check(&r->scene, &r->run, problem) || !tact_ray_source_parse(r->source, &r->camera, problem)) {
        return false;
    }
    if (r->image && r->camera.kind != TACT_RAYS_CAMERA) {
        return tact_problem_set(problem, "--image %s: needs --rays camera:WxH", r->image);
    }
    if (r->image && r->mode != TACT_RAY_CLOSEST) {
        return tact_problem_set(problem, "--image %s: needs --mode closest", r->image);
    }
    return tact_mesh_scene_load(&r->scene, problem) &&
           (r->camera.kind != TACT_RAYS_FILE || tact_rays_make(&r->camera, NULL, 0, &r->rays, &r->run.count, problem));
}

/// Mesh i is seen by the rays that have bit i, as far as there are bits.
static uint32_t mask_of(size_t file)
{
    return file < 32 ? 1u << file : 0u;
}

static bool set_masks(raycast_run* r, tact_problem* problem)
{
    if (r->mask == 0) return true;
    tact_result result = TACT_OK;
    const size_t count = r->scene.cut ? r->scene.id_count : r->scene.files.count;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const size_t file = r->scene.cut ? r->scene.ids[i] : i;
        result = tact_scene_set_mask(r->scene.scene, (uint32_t)i, mask_of(file));
    }
    if (result == TACT_OK) result = tact_scene_commit(r->scene.scene);
    return tact_query_succeeded(&r->run, result, "masks", problem);
}

static bool prepare(void* command, tact_problem* problem)
{
    raycast_run* r = command;
    tact_query_run* run = &r->run;
    if (!tact_mesh_scene_build(&r->scene, run, problem)) return false;
    if (!r->rays && !tact_rays_make(&r->camera, &r->scene.bounds, run->common.seed, &r->rays, &run->count, problem)) {
        return false;
    }
    return tact_query_answers(run, sizeof *r->hits, (void**)&r->hits, problem) && set_masks(r, problem);
}

static tact_ray_rules rules_of(const raycast_run* r)
{
    return (tact_ray_rules){.mask = (uint32_t)r->mask, .cull = (tact_ray_cull)r->cull};
}

/// Casts this process's rays.
static tact_result cast(raycast_run* r, const tact_raycast_work* work, const tact_query_options* options)
{
    tact_ranks* ranks = r->run.session.ranks;
    if (!ranks) return tact_raycast_with(r->scene.scene, work, options, &r->run.report);
    if (!r->scene.cut) return tact_ranks_raycast(ranks, r->scene.scene, work, options, &r->run.report);
    const tact_ranks_part part = tact_mesh_scene_part(&r->scene);
    return tact_ranks_raycast_cut(ranks, &part, work, options, &r->run.report);
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    raycast_run* r = command;
    const tact_ray_rules rules = rules_of(r);
    uint64_t begin = 0, own = 0;
    tact_query_slice(&r->run, r->run.count, &begin, &own);
    const tact_raycast_work work = {.mode = (tact_ray_mode)r->mode,
                                    .rays = r->rays + begin,
                                    .count = (size_t)own,
                                    .rules = &rules,
                                    .hits = r->hits};
    const uint64_t hit = sizeof *r->hits;
    return tact_query_succeeded(&r->run, cast(r, &work, options), "ray casts", problem) &&
           tact_query_collect(&r->run, r->hits, own * hit, r->hits, r->run.count * hit, problem);
}

/// Of rays that are cast for it, several a pixel; of those that were asked for where there shall be one, and where no
/// process has the whole scene.
static bool draw(const raycast_run* r, tact_problem* problem)
{
    const size_t meshes = r->scene.model.instance_count;
    if (r->samples == 1 || r->scene.cut) {
        return tact_picture_of_hits(r->image, &r->scene.model, r->rays, r->hits, r->camera.width, r->camera.height,
                                    problem);
    }
    uint32_t* masks = malloc((meshes + 1) * sizeof *masks);
    if (!masks) return tact_problem_out_of_memory(problem, "the picture");
    for (size_t i = 0; i < meshes; ++i)
        masks[i] = mask_of(i);
    const tact_ray_rules rules = rules_of(r);
    const tact_scene_picture picture = {.model = &r->scene.model,
                                        .rules = &rules,
                                        .masks = r->mask ? masks : NULL,
                                        .width = r->camera.width,
                                        .height = r->camera.height,
                                        .samples = (uint32_t)r->samples,
                                        .threads = (int)r->run.common.threads};
    const bool good = tact_picture_of_scene(r->image, &picture, problem);
    free(masks);
    return good;
}

static bool finish(void* command, tact_problem* problem)
{
    raycast_run* r = command;
    for (uint64_t i = 0; i < r->run.count; ++i) {
        const tact_hit* hit = &r->hits[i];
        const uint32_t triangles = r->mode == TACT_RAY_COUNT ? hit->primitive : (hit->instance != TACT_NONE ? 1u : 0u);
        r->run.found += triangles > 0;
        r->triangles_hit += triangles;
    }
    if (r->out && !tact_npy_write(r->out, TACT_NPY_HIT, r->run.count, 0, r->hits, problem)) return false;
    return !r->image || draw(r, problem);
}

static void json(const void* command, cJSON* root)
{
    const raycast_run* r = command;
    tact_json_count(root, "rays", r->run.count);
    tact_json_count(root, "hits", r->run.found);
    if (r->mode == TACT_RAY_COUNT) tact_json_count(root, "triangles_hit", r->triangles_hit);
    tact_json_text(root, "mode", modes[r->mode]);
    tact_json_text(root, "cull", sides[r->cull]);
    if (r->mask) tact_json_count(root, "mask", r->mask);
    tact_json_text(root, "source", r->source);
    tact_mesh_scene_json(&r->scene, root);
}

static void print(const void* command)
{
    const raycast_run* r = command;
    tact_mesh_scene_print(&r->scene);
    printf("rays    %" PRIu64 " (%s), mode %s", r->run.count, r->source, modes[r->mode]);
    if (r->cull) printf(", %s sides left out", sides[r->cull]);
    if (r->mask) printf(", mask %" PRIu64, r->mask);
    printf("\nhits    %" PRIu64 " (%.2f %%)", r->run.found, tact_query_percent(r->run.found, r->run.count));
    if (r->mode == TACT_RAY_COUNT) printf(", %" PRIu64 " triangles", r->triangles_hit);
    putchar('\n');
}

static void release(void* command)
{
    raycast_run* r = command;
    tact_mesh_scene_free(&r->scene);
    free(r->rays);
    free(r->hits);
}

static const tact_query_command description = {
    .name = "raycast",
    .help =
        "Usage: tact raycast FILE [FILE ...] [options]\n\n"
        "Casts a batch of rays against meshes, which are instances 0, 1, ... in the order given.\n",
    .doing = "casting rays",
    .items = "rays",
    .rate_key = "rays_per_second",
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_raycast(int argc, char** argv, tact_problem* problem)
{
    raycast_run r = {.source = "camera:1024x1024", .samples = 3};
    const tact_option own[] = {
        TACT_MESH_OPTION(&r.scene.files),
        TACT_TEXT("rays", "R", "camera:WxH (default camera:1024x1024), random:N or a .npy file", &r.source),
        TACT_CHOICE("mode", "M", "closest (default), any or count", &r.mode, modes),
        TACT_CHOICE("cull", "S", "sides that are not hit: none (default), back or front", &r.cull, sides),
        TACT_NUMBER("mask", "N",
                    "cast only at the meshes whose bits it has: 1 the first, 2 the second, 4 the third ...", &r.mask, 1,
                    UINT32_MAX),
        TACT_MPI_OPTION(&r.run.common),
        TACT_CUT_OPTION(&r.scene),
        TACT_OUTPUT("out", "FILE.npy", "write the hits", &r.out),
        TACT_PICTURE("image", "write a picture (camera rays, closest hits)", &r.image),
        TACT_NUMBER("samples", "N", "its pixels are means of N x N rays, cast beside the others (default 3)",
                    &r.samples, 1, 16),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &r, own, &r.scene.files, argc, argv, problem);
}
