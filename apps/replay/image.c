// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/pictures/pictures.h"

enum { WIDTH = 800, HEIGHT = 600, LARGEST = 4096 };

typedef struct image {
    tact_sketch sketch;
    uint32_t width, height;
    tact_ray* rays;
    tact_hit* hits;
    float* distance;
    unsigned char* rgb;
} image;

// ---- Shading ----

static bool place(const image* m, size_t x, size_t y, double p[3])
{
    const size_t i = y * m->width + x;
    const tact_hit* h = &m->hits[i];
    const tact_ray* r = &m->rays[i];
    p[0] = (double)r->ox + (double)h->t * (double)r->dx;
    p[1] = (double)r->oy + (double)h->t * (double)r->dy;
    p[2] = (double)r->oz + (double)h->t * (double)r->dz;
    return h->instance != TACT_NONE;
}

/// Lit from the eye, by the surface between three pixels, so that shapes are shaded as triangles are.
static void shade(const image* m, size_t x, size_t y)
{
    const size_t i = y * m->width + x;
    unsigned char* out = m->rgb + 3 * i;
    const size_t x1 = x + 1 < m->width ? x + 1 : x > 0 ? x - 1 : x, y1 = y + 1 < m->height ? y + 1 : y > 0 ? y - 1 : y;
    double p[3], q[3], r[3];
    m->distance[i] = INFINITY;
    if (!place(m, x, y, p)) {
        memset(out, 244, 3);
        return;
    }
    m->distance[i] = m->hits[i].t;
    double light = 0.35;
    if (place(m, x1, y, q) && place(m, x, y1, r)) {
        const double d[3] = {(double)m->rays[i].dx, (double)m->rays[i].dy, (double)m->rays[i].dz};
        double along = 0.0, length = 0.0, way = 0.0;
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const double n = (q[a] - p[a]) * (r[b] - p[b]) - (q[b] - p[b]) * (r[a] - p[a]);
            along += n * d[k];
            length += n * n;
            way += d[k] * d[k];
        }
        if (length > 0.0 && way > 0.0) light = 0.25 + 0.6 * fabs(along) / sqrt(length * way);
    }
    static const double tint[3] = {0.80, 0.78, 0.74};
    for (int k = 0; k < 3; ++k)
        out[k] = (unsigned char)(255.0 * tint[k] * light + 0.5);
}

static bool project(const void* user, const float position[3], double out[3])
{
    const image* m = user;
    if (m->sketch.view) {
        float depth;
        if (!tact_pick_project(m->sketch.view, position, out, &depth)) return false;
        out[0] -= m->sketch.own.left;
        out[1] -= m->sketch.own.top;
        out[2] = 1.0;
        return true;
    }
    const tact_ray* r = &m->rays[0];
    const double slope = sqrt(1.0 / 3.0), far = (double)r->oz - (double)position[2];
    if (!(far > 0.0)) return false;
    out[0] = (((double)position[0] - (double)r->ox) / (far * slope * WIDTH / HEIGHT) + 1.0) * 0.5 * WIDTH;
    out[1] = (1.0 - ((double)position[1] - (double)r->oy) / (far * slope)) * 0.5 * HEIGHT;
    out[2] = far;
    return true;
}

static void aim(image* m)
{
    if (!m->sketch.view) {
        tact_rays_camera(&m->sketch.bounds, m->width, m->height, m->rays);
        return;
    }
    for (size_t i = 0; i < (size_t)m->width * m->height; ++i) {
        const double x = m->sketch.own.left + (double)(i % m->width) + 0.5,
                     y = m->sketch.own.top + (double)(i / m->width) + 0.5;
        // Nothing is seen where there is no line of sight.
        if (!tact_pick_ray(m->sketch.view, x, y, &m->rays[i])) m->rays[i] = (tact_ray){0, 0, 0, 1, 0, 0, 1, 0};
    }
}

// ---- The picture ----

static tact_result draw(image* m)
{
    const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    const size_t pixels = (size_t)m->width * m->height;
    tact_result result = tact_sketch_make(&m->sketch);
    if (result < TACT_OK) return result;
    aim(m);
    result = tact_raycast(m->sketch.scene, TACT_RAY_CLOSEST, m->rays, pixels, m->hits, &on_cpu, NULL);
    if (result < TACT_OK) return result;
    for (size_t i = 0; i < pixels; ++i)
        shade(m, i % m->width, i / m->width);
    tact_debug_picture over = {m->width, m->height, m->rgb, m->sketch.view ? NULL : m->distance, project, m};
    tact_debug_picture_list(&over, m->sketch.list);
    return TACT_OK;
}

/// The size of the picture: that of the query's own view, if it has one. False: there is no such picture.
static bool choose_size(image* m)
{
    const tact_pick_view* view = m->sketch.view;
    m->width = view ? view->width : WIDTH;
    m->height = view ? view->height : HEIGHT;
    return m->width > 0 && m->height > 0 && m->width <= LARGEST && m->height <= LARGEST;
}

static bool make_room(image* m)
{
    const size_t pixels = (size_t)m->width * m->height;
    m->rays = malloc(pixels * sizeof *m->rays);
    m->hits = malloc(pixels * sizeof *m->hits);
    m->distance = malloc(pixels * sizeof *m->distance);
    m->rgb = malloc(3 * pixels);
    return m->rays && m->hits && m->distance && m->rgb;
}

bool tact_replay_image(tact_recording* recording, size_t index, const tact_recorded_query* query, tact_context* context,
                       const char* path, tact_problem* problem)
{
    image m = {.sketch = {.recording = recording, .index = index, .query = query, .context = context}};
    tact_sketch* s = &m.sketch;
    tact_result result = query->missing[0] ? TACT_ERROR_INVALID_ARGUMENT : tact_sketch_begin(s);
    if (result == TACT_ERROR_INVALID_ARGUMENT || (result == TACT_OK && !choose_size(&m))) {
        tact_sketch_end(s);
        return tact_problem_set(problem, "--image: query %llu is not drawn: %s", (unsigned long long)query->number,
                                query->missing[0] ? query->missing : "its view is empty or too large");
    }
    bool good = (result == TACT_OK && make_room(&m)) || tact_problem_out_of_memory(problem, "a picture");
    if (good) {
        result = draw(&m);
        good = result >= TACT_OK || tact_problem_from_result(problem, result, context, "--image");
    }
    if (good) good = tact_picture_write(path, m.width, m.height, m.rgb, problem);
    tact_sketch_end(s);
    free(m.rays);
    free(m.hits);
    free(m.distance);
    free(m.rgb);
    return good;
}
