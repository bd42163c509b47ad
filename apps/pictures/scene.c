// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/rays.h"
#include "apps/pictures/pictures.h"

/// So many rays are cast at a time, or those of a row.
enum { BATCH = 1 << 20 };

/// Adds a triangle's normal, as long as its area is large, to those of its corners.
static void add_normals(const tact_model_mesh* mesh, size_t triangle, float* normals)
{
    const uint32_t* at = mesh->indices + 3 * triangle;
    double e[2][3];
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i)
            e[k][i] = (double)mesh->positions[3 * (size_t)at[k + 1] + (size_t)i] -
                      (double)mesh->positions[3 * (size_t)at[0] + (size_t)i];
    const double n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                         e[0][0] * e[1][1] - e[0][1] * e[1][0]};
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            normals[3 * (size_t)at[c] + (size_t)i] += (float)n[i];
}

typedef struct corner {
    float position[3];
    uint32_t vertex;
} corner;

/// Any order in which equal ones are neighbours, numbers or not.
static int by_position(const void* a, const void* b)
{
    return memcmp(((const corner*)a)->position, ((const corner*)b)->position, sizeof(float[3]));
}

/// Vertices at one place get the sum of their normals: files often have one for each triangle.
static bool join_places(const tact_model_mesh* mesh, float* normals)
{
    const size_t count = mesh->vertex_count;
    corner* corners = malloc((count + 1) * sizeof *corners);
    if (!corners) return false;
    for (size_t v = 0; v < count; ++v) {
        const float* p = mesh->positions + 3 * v;
        corners[v] = (corner){{p[0], p[1], p[2]}, (uint32_t)v};
    }
    qsort(corners, count, sizeof *corners, by_position);
    for (size_t from = 0, to = 0; from < count; from = to) {
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (to = from; to < count && (to == from || by_position(&corners[from], &corners[to]) == 0); ++to)
            for (int i = 0; i < 3; ++i)
                sum[i] += normals[3 * (size_t)corners[to].vertex + (size_t)i];
        for (size_t k = from; k < to; ++k)
            for (int i = 0; i < 3; ++i)
                normals[3 * (size_t)corners[k].vertex + (size_t)i] = sum[i];
    }
    free(corners);
    return true;
}

/// The normals of a mesh's vertices, of whatever length; NULL when memory runs out.
static float* normals_of(const tact_model_mesh* mesh)
{
    float* normals = calloc(3 * mesh->vertex_count + 1, sizeof *normals);
    for (size_t t = 0; normals && t < mesh->triangle_count; ++t)
        add_normals(mesh, t, normals);
    if (normals && join_places(mesh, normals)) return normals;
    free(normals);
    return NULL;
}

/// Those of each mesh; what there is no memory for stays flat.
static float** make_normals(const tact_model* model)
{
    float** normals = calloc(model->mesh_count + 1, sizeof *normals);
    for (size_t m = 0; normals && m < model->mesh_count; ++m)
        normals[m] = normals_of(&model->meshes[m]);
    return normals;
}

static void free_normals(const tact_model* model, float** normals)
{
    for (size_t m = 0; normals && m < model->mesh_count; ++m)
        free(normals[m]);
    free(normals);
}

/// Rays, hits and the picture.
typedef struct canvas {
    tact_ray* rays;
    tact_hit* hits;
    unsigned char* rgb;
    uint32_t rows;  ///< of the picture in a batch
} canvas;

static bool open_canvas(canvas* c, const tact_scene_picture* p)
{
    if ((uint64_t)p->width * p->samples > UINT32_MAX || (uint64_t)p->height * p->samples > UINT32_MAX) return false;
    const size_t row = (size_t)p->width * p->samples * p->samples;
    c->rows = row < BATCH ? (uint32_t)(BATCH / row) : 1;
    c->rows = c->rows < p->height ? c->rows : p->height;
    c->rays = malloc(row * c->rows * sizeof *c->rays);
    c->hits = malloc(row * c->rows * sizeof *c->hits);
    c->rgb = malloc((size_t)3 * p->width * p->height);
    return c->rays && c->hits && c->rgb;
}

static bool cast(const canvas* c, const tact_scene_picture* p, tact_scene* scene, tact_picture_look* look,
                 const tact_bounds* bounds, tact_problem* problem)
{
    const uint32_t width = p->width * p->samples, height = p->height * p->samples;
    for (look->first_row = 0; look->first_row < p->height; look->first_row += look->rows) {
        const uint32_t left = p->height - look->first_row;
        look->rows = left < c->rows ? left : c->rows;
        const uint32_t rows = look->rows * p->samples;
        tact_rays_camera_rows(bounds, width, height, look->first_row * p->samples, rows, c->rays);
        const tact_raycast_work work = {.mode = TACT_RAY_CLOSEST,
                                        .rays = c->rays,
                                        .count = (size_t)width * rows,
                                        .rules = p->rules,
                                        .hits = c->hits};
        const tact_result result = tact_raycast_with(scene, &work, NULL, NULL);
        if (result < 0) return tact_problem_set(problem, "rays of the picture: %s", tact_result_string(result));
        tact_picture_shade_rows(look, c->rays, c->hits, c->rgb + (size_t)3 * p->width * look->first_row);
    }
    return true;
}

/// A scene of the picture's own, in a context of its own: what another one was asked, records and explains stays as it
/// is.
static bool draw(const canvas* c, const tact_scene_picture* p, tact_picture_look* look, tact_problem* problem)
{
    const tact_context_desc desc = {
        .threads = p->threads, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .disable_calibration = true};
    tact_context* context = NULL;
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (tact_context_create(&desc, &context) < 0) return tact_problem_out_of_memory(problem, "a picture");
    bool good = tact_model_build(p->model, context, &scene, &stats, problem);
    tact_result result = TACT_OK;
    for (size_t i = 0; good && p->masks && i < p->model->instance_count && result == TACT_OK; ++i)
        result = tact_scene_set_mask(scene, (uint32_t)i, p->masks[i]);
    if (good && p->masks && result == TACT_OK) result = tact_scene_commit(scene);
    if (result < 0) good = tact_problem_set(problem, "masks of the picture: %s", tact_result_string(result));
    if (good) {
        const tact_bounds bounds = tact_ray_bounds(&stats);
        good = cast(c, p, scene, look, &bounds, problem);
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return good;
}

bool tact_picture_of_scene(const char* path, const tact_scene_picture* picture, tact_problem* problem)
{
    if (!tact_picture_fits(path, picture->width, picture->height, problem)) return false;
    canvas c = {0};
    float** normals = make_normals(picture->model);
    tact_picture_look look = {.model = picture->model,
                              .marked = picture->marked,
                              .normals = normals,
                              .width = picture->width,
                              .height = picture->height,
                              .samples = picture->samples};
    const bool room = normals && open_canvas(&c, picture);
    const bool good = (room || tact_problem_out_of_memory(problem, path)) && draw(&c, picture, &look, problem) &&
                      tact_picture_write(path, picture->width, picture->height, c.rgb, problem);
    free_normals(picture->model, normals);
    free(c.rays);
    free(c.hits);
    free(c.rgb);
    return good;
}
