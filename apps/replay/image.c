// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/replay/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/pictures/picture.h"
#include "apps/replay/sketch.h"

enum { WIDTH = 800, HEIGHT = 600 };

bool tact_sketch_array(const tact_sketch* s, const char* name, tact_recorded_array* array)
{
    for (size_t k = 0; tact_recording_array(s->recording, s->index, k, array); ++k)
        if (strcmp(array->name, name) == 0) return true;
    return false;
}

// ---- What was found ----

tact_result tact_sketch_instance(tact_sketch* s, uint32_t mesh, const float* matrix, size_t primitives, uint32_t* id)
{
    const tact_result result = tact_scene_add_instance(s->scene, mesh, matrix, id);
    if (result == TACT_ERROR_INVALID_ARGUMENT) {
        *id = TACT_NONE;
        return TACT_OK;
    }
    return result == TACT_OK ? tact_sketch_count(s, primitives) : result;
}

tact_result tact_sketch_count(tact_sketch* s, size_t primitives)
{
    size_t* first = realloc(s->first, (s->instance_count + 1) * sizeof *first);
    if (first) s->first = first;
    uint8_t* marks = realloc(s->marks, s->mark_count + primitives + 1);
    if (marks) s->marks = marks;
    if (!first || !marks) return TACT_ERROR_OUT_OF_MEMORY;
    s->first[s->instance_count++] = s->mark_count;
    memset(s->marks + s->mark_count, 0, primitives);
    s->mark_count += primitives;
    return TACT_OK;
}

void tact_sketch_mark(tact_sketch* s, uint32_t instance, uint32_t primitive)
{
    if (instance >= s->instance_count) return;
    const size_t from = s->first[instance];
    const size_t end = instance + 1 < s->instance_count ? s->first[instance + 1] : s->mark_count;
    if (primitive == TACT_NONE) memset(s->marks + from, 1, end - from);
    if (primitive < end - from) s->marks[from + primitive] = 1;
}

static bool is_marked(const tact_sketch* s, const tact_hit* h)
{
    if (h->instance >= s->instance_count) return false;
    const size_t at = s->first[h->instance] + h->primitive;
    return at < (h->instance + 1 < s->instance_count ? s->first[h->instance + 1] : s->mark_count) && s->marks[at];
}

// ---- Shading ----

static bool place(const tact_sketch* s, size_t x, size_t y, double p[3])
{
    const size_t i = y * s->width + x;
    const tact_hit* h = &s->hits[i];
    const tact_ray* r = &s->rays[i];
    p[0] = (double)r->ox + (double)h->t * (double)r->dx;
    p[1] = (double)r->oy + (double)h->t * (double)r->dy;
    p[2] = (double)r->oz + (double)h->t * (double)r->dz;
    return h->instance != TACT_NONE;
}

/// Lit from the eye, by the surface between three pixels, so that shapes are shaded as triangles are.
static void shade(const tact_sketch* s, size_t x, size_t y)
{
    const size_t i = y * s->width + x;
    unsigned char* out = s->rgb + 3 * i;
    const size_t x1 = x + 1 < s->width ? x + 1 : x > 0 ? x - 1 : x, y1 = y + 1 < s->height ? y + 1 : y > 0 ? y - 1 : y;
    double p[3], q[3], r[3];
    if (!place(s, x, y, p)) {
        memset(out, 244, 3);
        return;
    }
    double light = 0.35;
    if (place(s, x1, y, q) && place(s, x, y1, r)) {
        const double d[3] = {(double)s->rays[i].dx, (double)s->rays[i].dy, (double)s->rays[i].dz};
        double along = 0.0, length = 0.0, way = 0.0;
        for (int k = 0; k < 3; ++k) {
            const int m = (k + 1) % 3, o = (k + 2) % 3;
            const double n = (q[m] - p[m]) * (r[o] - p[o]) - (q[o] - p[o]) * (r[m] - p[m]);
            along += n * d[k];
            length += n * n;
            way += d[k] * d[k];
        }
        if (length > 0.0 && way > 0.0) light = 0.25 + 0.6 * fabs(along) / sqrt(length * way);
    }
    static const double plain[3] = {0.80, 0.78, 0.74}, found[3] = {1.0, 0.52, 0.25};
    const double* tint = is_marked(s, &s->hits[i]) ? found : plain;
    for (int k = 0; k < 3; ++k)
        out[k] = (unsigned char)(255.0 * tint[k] * light + 0.5);
}

// ---- Lines and points ----

/// A place of the world as a pixel and how far it is along the view. False when it lies behind the eye.
static bool project(const tact_sketch* s, const float position[3], double out[3])
{
    if (s->own_view) {
        float depth;
        if (!tact_pick_project(&s->view, position, out, &depth)) return false;
        out[0] -= s->view.left;
        out[1] -= s->view.top;
        // Not a distance: nothing is hidden.
        out[2] = 1.0;
        return true;
    }
    const tact_ray* r = &s->rays[0];
    const double slope = sqrt(1.0 / 3.0), far = (double)r->oz - (double)position[2];
    if (!(far > 0.0)) return false;
    out[0] = (((double)position[0] - (double)r->ox) / (far * slope * WIDTH / HEIGHT) + 1.0) * 0.5 * WIDTH;
    out[1] = (1.0 - ((double)position[1] - (double)r->oy) / (far * slope)) * 0.5 * HEIGHT;
    out[2] = far;
    return true;
}

static void dot(const tact_sketch* s, double x, double y, double far, tact_debug_color c)
{
    if (!(x >= 0.0 && y >= 0.0 && x < s->width && y < s->height)) return;
    const size_t i = (size_t)y * s->width + (size_t)x;
    // What lies behind a surface shows through a little.
    const bool hidden = !s->own_view && s->hits[i].instance != TACT_NONE && far > (double)s->hits[i].t * 1.001;
    const double part = (hidden ? 0.25 : 0.9) * c.a / 255.0;
    const uint8_t rgb[3] = {c.r, c.g, c.b};
    for (int k = 0; k < 3; ++k)
        s->rgb[3 * i + (size_t)k] = (unsigned char)(s->rgb[3 * i + (size_t)k] * (1.0 - part) + rgb[k] * part + 0.5);
}

static tact_result draw_lines(const tact_debug_vertex* v, size_t count, void* user)
{
    const tact_sketch* s = user;
    for (size_t i = 0; i + 1 < count; i += 2) {
        double a[3], b[3];
        if (!project(s, v[i].position, a) || !project(s, v[i + 1].position, b)) continue;
        const double longest = fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
        const int most = 4 * (int)s->width, steps = longest < most ? (int)longest + 1 : most;
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
    const tact_sketch* s = user;
    for (size_t i = 0; i < count; ++i) {
        double p[3];
        if (!project(s, v[i].position, p)) continue;
        for (int k = 0; k < 25; ++k)
            dot(s, p[0] + k % 5 - 2, p[1] + k / 5 - 2, p[2] * 0.998, v[i].color);
    }
    return TACT_OK;
}

tact_result tact_sketch_line(tact_sketch* s, tact_debug_color color, const float a[3], const float b[3])
{
    const tact_debug_vertex v[2] = {{{a[0], a[1], a[2]}, color}, {{b[0], b[1], b[2]}, color}};
    return draw_lines(v, 2, s);
}

// ---- The picture ----

static void aim(tact_sketch* s)
{
    if (!s->own_view) {
        tact_rays_camera(&s->bounds, s->width, s->height, s->rays);
        return;
    }
    for (size_t i = 0; i < (size_t)s->width * s->height; ++i) {
        const double x = s->view.left + (double)(i % s->width) + 0.5, y = s->view.top + (double)(i / s->width) + 0.5;
        // Nothing is seen where there is no line of sight.
        if (!tact_pick_ray(&s->view, x, y, &s->rays[i])) s->rays[i] = (tact_ray){0, 0, 0, 1, 0, 0, 1, 0};
    }
}

static tact_result look(tact_sketch* s)
{
    const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    const size_t pixels = (size_t)s->width * s->height;
    for (int k = 0; k < 3; ++k)
        s->reach = fmaxf(s->reach, (float)(s->bounds.upper[k] - s->bounds.lower[k]));
    aim(s);
    const tact_result result = tact_raycast(s->scene, TACT_RAY_CLOSEST, s->rays, pixels, s->hits, &on_cpu, NULL);
    for (size_t i = 0; i < pixels && result == TACT_OK; ++i)
        shade(s, i % s->width, i / s->width);
    return result == TACT_OK ? tact_sketch_over(s) : result;
}

static bool make_room(tact_sketch* s)
{
    const size_t pixels = (size_t)s->width * s->height;
    s->rays = malloc((pixels + 1) * sizeof *s->rays);
    s->hits = malloc((pixels + 1) * sizeof *s->hits);
    s->rgb = malloc(3 * pixels + 1);
    return s->rays && s->hits && s->rgb;
}

/// The size of the picture: that of the query's own view, if it has one. False: there is no such picture.
static bool choose_view(tact_sketch* s)
{
    enum { LARGEST = 4096 };
    tact_recorded_array a;
    s->width = WIDTH;
    s->height = HEIGHT;
    if (!tact_sketch_array(s, "view", &a)) return true;
    if (a.rows != 1) return false;
    const uint32_t* w = a.data;
    memcpy(s->view.world_to_clip, w, sizeof s->view.world_to_clip);
    s->view.order = (tact_matrix_order)w[16];
    s->view.depth = (tact_clip_depth)w[17];
    s->view.reversed = w[18] != 0;
    s->view.width = s->width = w[19];
    s->view.height = s->height = w[20];
    s->view.left = (int32_t)w[21];
    s->view.top = (int32_t)w[22];
    s->own_view = true;
    return s->width > 0 && s->height > 0 && s->width <= LARGEST && s->height <= LARGEST;
}

bool tact_replay_image(const tact_recording* recording, size_t index, const tact_recorded_query* query,
                       tact_context* context, const char* path, tact_problem* problem)
{
    tact_sketch s = {.recording = recording, .index = index, .query = query, .context = context};
    if (query->missing[0] || !choose_view(&s)) {
        return tact_problem_set(problem, "--image: query %llu is not drawn: %s", (unsigned long long)query->number,
                                query->missing[0] ? query->missing : "its view is empty or too large");
    }
    s.draw = (tact_debug_draw){.points = draw_points, .lines = draw_lines, .user = &s};
    bool good = make_room(&s);
    if (!good) tact_problem_out_of_memory(problem, "a picture");
    if (good) {
        tact_result result = tact_sketch_make(&s);
        if (result >= TACT_OK) result = look(&s);
        good = result >= TACT_OK || tact_problem_from_result(problem, result, context, "--image");
    }
    if (good) good = tact_picture_write(path, s.width, s.height, s.rgb, problem);
    tact_scene_destroy(s.scene);
    free(s.rays);
    free(s.hits);
    free(s.rgb);
    free(s.first);
    free(s.marks);
    return good;
}
