// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct canvas {
    const tact_pick_picture* picture;
    size_t pixels;
    size_t* first;   ///< of each instance: where its triangles' marks begin
    bool* marks;     ///< of each triangle of each instance: it is of what was picked
    tact_ray* rays;  ///< of each pixel, row after row
    tact_hit* front;
    tact_hit* behind;  ///< of what was picked alone
    unsigned char* shown;
    unsigned char* rgb;
} canvas;

enum { NOT_PICKED = 0, SEEN = 1, HIDDEN = 2 };

static void canvas_free(canvas* c)
{
    free(c->first);
    free(c->marks);
    free(c->rays);
    free(c->front);
    free(c->behind);
    free(c->shown);
    free(c->rgb);
}

static bool canvas_make(canvas* c, const tact_pick_picture* picture)
{
    const tact_model* model = &picture->input->model;
    const size_t pixels = (size_t)picture->view->width * picture->view->height;
    if (pixels > SIZE_MAX / sizeof(tact_ray)) return false;
    *c = (canvas){.picture = picture, .pixels = pixels};
    c->first = malloc((model->instance_count + 1) * sizeof *c->first);
    c->marks = calloc((size_t)tact_model_triangles(model) + 1, sizeof *c->marks);
    c->rays = malloc(pixels * sizeof *c->rays + 1);
    c->front = malloc(pixels * sizeof *c->front + 1);
    c->behind = picture->hidden ? malloc(pixels * sizeof *c->behind + 1) : NULL;
    c->shown = calloc(pixels + 1, 1);
    c->rgb = malloc(3 * pixels + 1);
    return c->first && c->marks && c->rays && c->front && (c->behind || !picture->hidden) && c->shown && c->rgb;
}

// ---- What was picked ----

static size_t triangles_of(const tact_model* model, size_t instance)
{
    return model->meshes[model->instances[instance].mesh].triangle_count;
}

static void mark_picks(canvas* c)
{
    const tact_pick_picture* p = c->picture;
    const tact_model* model = &p->input->model;
    size_t first = 0;
    for (size_t i = 0; i < model->instance_count; ++i) {
        c->first[i] = first;
        first += triangles_of(model, i);
    }
    for (size_t k = 0; k < p->count; ++k) {
        const tact_pick* pick = &p->picks[k];
        if (pick->instance >= model->instance_count) continue;
        const size_t triangles = triangles_of(model, pick->instance);
        bool* marks = c->marks + c->first[pick->instance];
        if (p->group != TACT_PICK_BY_PRIMITIVE) {
            // An object has one instance here.
            memset(marks, 1, triangles * sizeof *marks);
        } else if (pick->primitive < triangles) {
            marks[pick->primitive] = true;
        }
    }
}

/// All marked triangles, with corners of their own.
static bool make_marked(const canvas* c, tact_model_mesh* mesh, tact_problem* problem)
{
    const tact_model* model = &c->picture->input->model;
    const size_t all = (size_t)tact_model_triangles(model);
    size_t count = 0;
    for (size_t i = 0; i < all; ++i)
        count += c->marks[i];
    *mesh = (tact_model_mesh){.vertex_count = 3 * count, .triangle_count = count};
    mesh->positions = count <= SIZE_MAX / 36 ? malloc(36 * count + 1) : NULL;
    mesh->indices = count <= UINT32_MAX / 3 ? malloc(12 * count + 1) : NULL;
    if (!mesh->positions || !mesh->indices) {
        tact_model_mesh_free(mesh);
        return tact_problem_out_of_memory(problem, "the picture");
    }
    float* to = mesh->positions;
    for (size_t i = 0; i < model->instance_count; ++i) {
        for (size_t t = 0; t < triangles_of(model, i); ++t) {
            if (!c->marks[c->first[i] + t]) continue;
            double corners[3][3];
            tact_model_corners(model, i, t, corners);
            for (int k = 0; k < 9; ++k)
                *to++ = (float)corners[k / 3][k % 3];
        }
    }
    for (size_t i = 0; i < 3 * count; ++i)
        mesh->indices[i] = (uint32_t)i;
    return true;
}

// ---- What is seen ----

static void make_rays(canvas* c)
{
    const tact_pick_view* view = c->picture->view;
    tact_ray* ray = c->rays;
    for (uint32_t y = 0; y < view->height; ++y) {
        for (uint32_t x = 0; x < view->width; ++x, ++ray) {
            // One that goes nowhere hits nothing.
            if (!tact_pick_ray(view, (double)x + 0.5, (double)y + 0.5, ray)) *ray = (tact_ray){0};
        }
    }
}

static bool cast(const canvas* c, tact_scene* scene, tact_hit* hits, tact_problem* problem)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    const tact_result result = tact_raycast(scene, TACT_RAY_CLOSEST, c->rays, c->pixels, hits, &options, NULL);
    return result >= 0 || tact_problem_from_result(problem, result, c->picture->context, "the picture");
}

static bool cast_behind(canvas* c, tact_problem* problem)
{
    tact_model model = {0};
    tact_model_mesh mesh;
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    const bool good = make_marked(c, &mesh, problem) && tact_model_add_mesh(&model, &mesh, problem) &&
                      tact_model_add_instance(&model, 0, NULL, problem) &&
                      tact_model_build(&model, c->picture->context, &scene, &stats, problem) &&
                      cast(c, scene, c->behind, problem);
    tact_scene_destroy(scene);
    tact_model_free(&model);
    return good;
}

static void tell_apart(canvas* c)
{
    for (size_t i = 0; i < c->pixels; ++i) {
        const tact_hit* hit = &c->front[i];
        if (hit->instance != TACT_NONE && c->marks[c->first[hit->instance] + hit->primitive]) {
            c->shown[i] = SEEN;
        } else if (c->behind && c->behind[i].instance != TACT_NONE) {
            c->shown[i] = HIDDEN;
        }
    }
}

// ---- Colours ----

typedef struct paint {
    double rgb[3];
} paint;

static void blend(unsigned char* rgb, paint with, double share)
{
    for (int k = 0; k < 3; ++k) {
        const double value = (double)rgb[k] * (1.0 - share) + with.rgb[k] * share;
        rgb[k] = (unsigned char)(value < 0.0 ? 0.0 : value > 255.0 ? 255.0 : value + 0.5);
    }
}

static void colour(canvas* c)
{
    static const paint warm = {{255.0, 150.0, 40.0}}, cool = {{90.0, 195.0, 255.0}}, dark = {{22.0, 25.0, 31.0}};
    const uint32_t width = c->picture->view->width;
    for (size_t i = 0; i < c->pixels; ++i) {
        unsigned char* rgb = c->rgb + 3 * i;
        const double light = (0.3 * rgb[0] + 0.55 * rgb[1] + 0.15 * rgb[2]) / 255.0;
        if (c->shown[i] == SEEN) {
            const double bright = 0.12 + 0.95 * light;
            blend(rgb, (paint){{bright * warm.rgb[0], bright * warm.rgb[1], bright * warm.rgb[2]}}, 1.0);
            continue;
        }
        blend(rgb, dark, 0.45);
        const bool stripe = (i % width + i / width) % 7 < 2;
        if (c->shown[i] == HIDDEN) blend(rgb, cool, stripe ? 0.75 : 0.2);
    }
}

/// Where what was picked ends, or goes behind something.
static void outline(canvas* c)
{
    static const paint seen = {{255.0, 232.0, 190.0}}, hidden = {{150.0, 220.0, 255.0}};
    const uint32_t width = c->picture->view->width, height = c->picture->view->height;
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            const size_t i = (size_t)y * width + x;
            if (c->shown[i] == NOT_PICKED) continue;
            const bool edge = (x > 0 && c->shown[i - 1] < c->shown[i]) ||
                              (y > 0 && c->shown[i - width] < c->shown[i]) ||
                              (x + 1 < width && c->shown[i + 1] < c->shown[i]) ||
                              (y + 1 < height && c->shown[i + width] < c->shown[i]);
            const bool border = (x > 0 && !c->shown[i - 1]) || (y > 0 && !c->shown[i - width]) ||
                                (x + 1 < width && !c->shown[i + 1]) || (y + 1 < height && !c->shown[i + width]);
            if (border || (edge && c->shown[i] == HIDDEN))
                blend(c->rgb + 3 * i, c->shown[i] == SEEN ? seen : hidden, 0.85);
        }
    }
}

// ---- The region ----

static void dot(canvas* c, double x, double y)
{
    static const paint ink = {{245.0, 245.0, 245.0}};
    const tact_pick_view* view = c->picture->view;
    const double at[2] = {floor(x), floor(y)};
    if (!(at[0] >= 0.0 && at[1] >= 0.0 && at[0] < (double)view->width && at[1] < (double)view->height)) return;
    blend(c->rgb + 3 * ((size_t)at[1] * view->width + (size_t)at[0]), ink, 0.85);
}

/// A line in dashes, cut off at the view before it is walked: lassos may be anywhere.
static void line(canvas* c, const double from[2], const double to[2])
{
    const double most[2] = {(double)c->picture->view->width, (double)c->picture->view->height};
    double low = 0.0, high = 1.0;
    const double d[2] = {to[0] - from[0], to[1] - from[1]};
    for (int k = 0; k < 2; ++k) {
        if (d[k] == 0.0) {
            if (from[k] < 0.0 || from[k] > most[k]) return;
            continue;
        }
        const double a = -from[k] / d[k], b = (most[k] - from[k]) / d[k];
        low = fmax(low, fmin(a, b));
        high = fmin(high, fmax(a, b));
    }
    if (!(low < high)) return;
    const double steps = ceil(fmax(fabs(d[0]), fabs(d[1])) * (high - low));
    if (!(steps <= 65536.0)) return;
    for (double i = 0.0; i <= steps; i += 1.0) {
        if (fmod(i, 8.0) >= 5.0) continue;
        const double t = low + (high - low) * i / fmax(steps, 1.0);
        dot(c, from[0] + t * d[0], from[1] + t * d[1]);
    }
}

static void draw_point(canvas* c, const tact_pick_region* region)
{
    const double x = (double)region->x + 0.5, y = (double)region->y + 0.5;
    const double reach = (double)region->radius + 0.5;
    for (int k = 0; k < 4; ++k) {
        const double a = k == 0 ? -1.0 : k == 1 ? 1.0 : 0.0, b = k == 2 ? -1.0 : k == 3 ? 1.0 : 0.0;
        for (double i = reach + 2.5; i < reach + 9.0; i += 1.0)
            dot(c, x + a * i, y + b * i);
    }
    if (region->radius == 0) return;
    const int steps = (int)(8.0 * reach) + 8;
    for (int i = 0; i < steps; ++i) {
        const double angle = 6.283185307179586 * i / steps;
        dot(c, x + reach * cos(angle), y + reach * sin(angle));
    }
}

static void draw_region(canvas* c)
{
    const tact_pick_region* r = c->picture->region;
    if (r->shape == TACT_PICK_POINT) draw_point(c, r);
    if (r->shape == TACT_PICK_RECTANGLE) {
        const double low[2] = {(double)(r->rectangle[0] < r->rectangle[2] ? r->rectangle[0] : r->rectangle[2]) + 0.5,
                               (double)(r->rectangle[1] < r->rectangle[3] ? r->rectangle[1] : r->rectangle[3]) + 0.5};
        const double high[2] = {(double)(r->rectangle[0] > r->rectangle[2] ? r->rectangle[0] : r->rectangle[2]) - 0.5,
                                (double)(r->rectangle[1] > r->rectangle[3] ? r->rectangle[1] : r->rectangle[3]) - 0.5};
        const double corners[5][2] = {
            {low[0], low[1]}, {high[0], low[1]}, {high[0], high[1]}, {low[0], high[1]}, {low[0], low[1]}};
        for (int i = 0; i < 4; ++i)
            line(c, corners[i], corners[i + 1]);
    }
    if (r->shape == TACT_PICK_LASSO) {
        for (size_t i = 0; i < r->lasso_count; ++i) {
            const float *a = r->lasso[i], *b = r->lasso[(i + 1) % r->lasso_count];
            line(c, (double[2]){(double)a[0], (double)a[1]}, (double[2]){(double)b[0], (double)b[1]});
        }
    }
}

bool tact_picture_of_picks(const char* path, const tact_pick_picture* picture, tact_problem* problem)
{
    canvas c = {0};
    bool good = canvas_make(&c, picture) || tact_problem_out_of_memory(problem, path);
    if (good) {
        mark_picks(&c);
        make_rays(&c);
        good = cast(&c, picture->scene, c.front, problem) && (!picture->hidden || cast_behind(&c, problem));
    }
    if (good) {
        const tact_pick_view* view = picture->view;
        tell_apart(&c);
        tact_picture_shade(&picture->input->model, NULL, c.rays, c.front, view->width, view->height, c.rgb);
        colour(&c);
        outline(&c);
        draw_region(&c);
        good = tact_picture_write(path, view->width, view->height, c.rgb, problem);
    }
    canvas_free(&c);
    return good;
}
