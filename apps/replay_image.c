// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/replay_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/picture.h"
#include "apps/rays.h"

enum { WIDTH = 800, HEIGHT = 600, ASKED = 500 };

typedef struct sketch {
    const tact_recording* recording;
    size_t index;
    const tact_recorded_query* query;
    tact_scene* scene;
    tact_scene_stats stats;
    tact_ray* rays;  ///< of the camera
    tact_hit* hits;
    unsigned char* rgb;
} sketch;

static bool find_array(const sketch* s, const char* name, tact_recorded_array* array)
{
    for (size_t k = 0; tact_recording_array(s->recording, s->index, k, array); ++k)
        if (strcmp(array->name, name) == 0) return true;
    return false;
}

// ---- What is seen ----

/// Volumes as primitives of one instance for each array of them.
static tact_result add_volumes(const sketch* s)
{
    tact_recorded_array a;
    tact_result result = TACT_OK;
    for (size_t k = 0; result == TACT_OK && tact_recording_array(s->recording, s->index, k, &a); ++k) {
        if (strcmp(a.name, "volumes") != 0 || (a.columns != 6 && a.columns != 4)) continue;
        uint32_t mesh = 0, id = 0;
        result = a.columns == 6 ? tact_scene_add_boxes(s->scene, a.data, a.rows, &mesh)
                                : tact_scene_add_spheres(s->scene, a.data, a.rows, &mesh);
        if (result == TACT_OK) result = tact_scene_add_instance(s->scene, mesh, NULL, &id);
    }
    return result;
}

/// Meshes: the first where it is and the second in its poses, or the filter's objects.
static tact_result add_meshes(const sketch* s)
{
    const bool filter = s->query->kind == TACT_RECORDED_FILTER;
    tact_recorded_mesh m;
    tact_result result = TACT_OK;
    size_t count = 0;
    uint32_t id = 0;
    for (; result == TACT_OK && tact_recording_mesh(s->recording, s->index, count, &m); ++count) {
        const tact_mesh_desc desc = {.positions = m.positions,
                                     .vertex_count = m.vertex_count,
                                     .indices = m.indices,
                                     .triangle_count = m.triangle_count};
        result = tact_scene_add_mesh(s->scene, &desc, &id);
    }
    if (result == TACT_OK && !filter && count > 0) result = tact_scene_add_instance(s->scene, 0, NULL, &id);
    tact_recorded_array a;
    if (!find_array(s, filter ? "objects" : "poses", &a) || (!filter && count < 2)) return result;
    const uint32_t* row = a.data;
    for (size_t i = 0; i < a.rows && i < ASKED && result == TACT_OK; ++i, row += a.columns) {
        float pose[12];
        memcpy(pose, filter ? row + 1 : row, sizeof pose);
        // A pose that no instance can have (it flattens, say) is left out.
        const tact_result added = tact_scene_add_instance(s->scene, filter ? row[0] : 1, pose, &id);
        if (added != TACT_ERROR_INVALID_ARGUMENT) result = added;
    }
    return result;
}

static tact_result make_scene(sketch* s, tact_context* context)
{
    tact_result result = tact_recording_make_scene(s->recording, s->index, &s->scene);
    if (result != TACT_OK || s->scene) return result;
    result = tact_scene_create(context, &s->scene);
    if (result == TACT_OK) result = add_volumes(s);
    if (result == TACT_OK) result = add_meshes(s);
    return result == TACT_OK ? tact_scene_commit(s->scene) : result;
}

// ---- Shading ----

static bool place(const sketch* s, size_t x, size_t y, double p[3])
{
    const size_t i = y * WIDTH + x;
    const tact_hit* h = &s->hits[i];
    const tact_ray* r = &s->rays[i];
    p[0] = (double)r->ox + (double)h->t * (double)r->dx;
    p[1] = (double)r->oy + (double)h->t * (double)r->dy;
    p[2] = (double)r->oz + (double)h->t * (double)r->dz;
    return h->instance != TACT_NONE;
}

/// Lit from the eye, by the surface between three pixels, so that shapes are shaded as triangles are.
static void shade(const sketch* s, size_t x, size_t y)
{
    unsigned char* out = s->rgb + 3 * (y * WIDTH + x);
    const size_t x1 = x + 1 < WIDTH ? x + 1 : x - 1, y1 = y + 1 < HEIGHT ? y + 1 : y - 1;
    double p[3], q[3], r[3];
    if (!place(s, x, y, p)) {
        memset(out, 244, 3);
        return;
    }
    double light = 0.35;
    if (place(s, x1, y, q) && place(s, x, y1, r)) {
        double n[3], length = 0.0;
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            n[k] = (q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]);
            length += n[k] * n[k];
        }
        if (length > 0.0) light = 0.25 + 0.6 * fabs(n[2]) / sqrt(length);
    }
    const double tint[3] = {0.80, 0.78, 0.74};
    for (int k = 0; k < 3; ++k)
        out[k] = (unsigned char)(255.0 * tint[k] * light + 0.5);
}

// ---- What was asked ----

/// A place of the world as a pixel and how far it is along the view. False when it lies behind the eye.
static bool project(const sketch* s, const float position[3], double out[3])
{
    const tact_ray* r = &s->rays[0];
    const double slope = sqrt(1.0 / 3.0), far = (double)r->oz - (double)position[2];
    if (!(far > 0.0)) return false;
    out[0] = (((double)position[0] - (double)r->ox) / (far * slope * WIDTH / HEIGHT) + 1.0) * 0.5 * WIDTH;
    out[1] = (1.0 - ((double)position[1] - (double)r->oy) / (far * slope)) * 0.5 * HEIGHT;
    out[2] = far;
    return true;
}

static void dot(const sketch* s, double x, double y, double far, tact_debug_color c)
{
    if (!(x >= 0.0 && y >= 0.0 && x < WIDTH && y < HEIGHT)) return;
    const size_t i = (size_t)y * WIDTH + (size_t)x;
    // What lies behind a surface shows through a little.
    const bool hidden = s->hits[i].instance != TACT_NONE && far > (double)s->hits[i].t * 1.001;
    const double part = hidden ? 0.25 : 0.9;
    const uint8_t rgb[3] = {c.r, c.g, c.b};
    for (int k = 0; k < 3; ++k)
        s->rgb[3 * i + (size_t)k] = (unsigned char)(s->rgb[3 * i + (size_t)k] * (1.0 - part) + rgb[k] * part + 0.5);
}

static tact_result draw_lines(const tact_debug_vertex* v, size_t count, void* user)
{
    const sketch* s = user;
    for (size_t i = 0; i + 1 < count; i += 2) {
        double a[3], b[3];
        if (!project(s, v[i].position, a) || !project(s, v[i + 1].position, b)) continue;
        const double longest = fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
        const int steps = longest < 4.0 * WIDTH ? (int)longest + 1 : 4 * WIDTH;
        for (int k = 0; k <= steps; ++k) {
            const double t = (double)k / steps;
            // One over the distance is linear in the picture.
            const double far = 1.0 / ((1.0 - t) / a[2] + t / b[2]);
            dot(s, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), far, v[i].color);
        }
    }
    return TACT_OK;
}

static tact_result draw_points(const tact_debug_vertex* v, size_t count, void* user)
{
    const sketch* s = user;
    for (size_t i = 0; i < count; ++i) {
        double p[3];
        if (!project(s, v[i].position, p)) continue;
        for (int k = 0; k < 25; ++k)
            dot(s, p[0] + k % 5 - 2, p[1] + k / 5 - 2, p[2] * 0.998, v[i].color);
    }
    return TACT_OK;
}

static tact_result draw_rays(const sketch* s, tact_debug_draw* draw, const tact_recorded_array* a, float reach)
{
    const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    const tact_ray* rays = a->data;
    tact_hit hits[ASKED];
    const size_t count = a->rows < ASKED ? a->rows : ASKED;
    tact_result result = tact_raycast(s->scene, TACT_RAY_CLOSEST, rays, count, hits, &on_cpu, NULL);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        result = tact_debug_ray(draw, &rays[i], &hits[i], NULL, reach);
    return result;
}

static tact_result draw_closest(const sketch* s, tact_debug_draw* draw, const tact_recorded_array* a, float reach)
{
    const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    const tact_closest_query* points = a->data;
    tact_closest_hit hits[ASKED];
    const size_t count = a->rows < ASKED ? a->rows : ASKED;
    tact_result result = tact_closest_points(s->scene, points, count, hits, &on_cpu, NULL);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (hits[i].instance == TACT_NONE) continue;
        const tact_closest_query* p = &points[i];
        const tact_ray way = {p->x, p->y, p->z, 0, hits[i].x - p->x, hits[i].y - p->y, hits[i].z - p->z, 1};
        const tact_hit end = {hits[i].instance, hits[i].primitive, 1, 0, 0};
        result = tact_debug_ray(draw, &way, &end, NULL, reach);
    }
    return result;
}

static tact_result draw_spheres(const sketch* s, tact_debug_draw* draw, const tact_recorded_array* a, float reach)
{
    const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    const tact_sphere_cast* casts = a->data;
    tact_sphere_hit hits[ASKED];
    const size_t count = a->rows < ASKED ? a->rows : ASKED;
    tact_result result = tact_cast_spheres(s->scene, casts, count, hits, &on_cpu, NULL);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const tact_ray* r = &casts[i].ray;
        const float t = hits[i].t;
        const tact_hit end = {hits[i].instance, hits[i].primitive, t, 0, 0};
        result = tact_debug_ray(draw, r, &end, NULL, reach);
        if (result != TACT_OK || hits[i].instance == TACT_NONE) continue;
        const tact_sphere there = {{r->ox + t * r->dx, r->oy + t * r->dy, r->oz + t * r->dz}, casts[i].radius};
        result = tact_debug_sphere(draw, TACT_DEBUG_VOLUME, there);
    }
    return result;
}

static tact_result draw_asked(sketch* s)
{
    tact_debug_draw draw = {.points = draw_points, .lines = draw_lines, .user = s};
    float reach = 0.0f;
    for (int k = 0; k < 3; ++k)
        reach = fmaxf(reach, s->stats.upper[k] - s->stats.lower[k]);
    tact_recorded_array a;
    if (find_array(s, "rays", &a)) return draw_rays(s, &draw, &a, 2.0f * reach);
    if (find_array(s, "points", &a)) return draw_closest(s, &draw, &a, 2.0f * reach);
    if (find_array(s, "casts", &a)) return draw_spheres(s, &draw, &a, 2.0f * reach);
    return s->query->kind == TACT_RECORDED_SCENE_CULL ? tact_debug_scene_bounds(&draw, s->scene) : TACT_OK;
}

static tact_result look(sketch* s)
{
    const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    tact_result result = tact_scene_get_stats(s->scene, &s->stats);
    if (result != TACT_OK) return result;
    const tact_bounds bounds = tact_ray_bounds(&s->stats);
    tact_rays_camera(&bounds, WIDTH, HEIGHT, s->rays);
    result = tact_raycast(s->scene, TACT_RAY_CLOSEST, s->rays, (size_t)WIDTH * HEIGHT, s->hits, &on_cpu, NULL);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT && result == TACT_OK; ++i)
        shade(s, i % WIDTH, i / WIDTH);
    return result == TACT_OK ? draw_asked(s) : result;
}

bool tact_replay_image(const tact_recording* recording, size_t index, const tact_recorded_query* query,
                       tact_context* context, const char* path, tact_problem* problem)
{
    const bool bent = query->kind == TACT_RECORDED_CULL && query->parameters[0] > TACT_CULL_SPHERES;
    const bool particles = query->kind == TACT_RECORDED_PARTICLES || query->kind == TACT_RECORDED_CONTACTS;
    if (particles || bent || query->missing[0]) {
        return tact_problem_set(problem, "--image: query %llu is not drawn: %s", (unsigned long long)query->number,
                                query->missing[0] ? query->missing : "there are no pictures of this kind");
    }
    enum { PIXELS = WIDTH * HEIGHT };
    sketch s = {.recording = recording, .index = index, .query = query};
    s.rays = malloc(PIXELS * sizeof *s.rays);
    s.hits = malloc(PIXELS * sizeof *s.hits);
    s.rgb = malloc((size_t)3 * PIXELS);
    bool good = s.rays && s.hits && s.rgb;
    if (!good) tact_problem_out_of_memory(problem, "a picture");
    if (good) {
        tact_result result = make_scene(&s, context);
        if (result == TACT_OK) result = look(&s);
        good = result >= TACT_OK || tact_problem_from_result(problem, result, context, "--image");
    }
    if (good) good = tact_picture_write(path, WIDTH, HEIGHT, s.rgb, problem);
    tact_scene_destroy(s.scene);
    free(s.rays);
    free(s.hits);
    free(s.rgb);
    return good;
}
