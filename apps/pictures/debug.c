// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>

static void dot(const tact_debug_picture* p, double x, double y, double far, tact_debug_color c)
{
    if (!(x >= 0.0 && y >= 0.0 && x < p->width && y < p->height)) return;
    const size_t i = (size_t)y * p->width + (size_t)x;
    const bool hidden = p->distance && far > (double)p->distance[i] * 1.001;
    const double part = (hidden ? 0.25 : 0.9) * c.a / 255.0;
    const uint8_t color[3] = {c.r, c.g, c.b};
    for (int k = 0; k < 3; ++k) {
        unsigned char* out = p->rgb + 3 * i + k;
        *out = (unsigned char)(*out * (1.0 - part) + color[k] * part + 0.5);
    }
}

static void draw_point(const tact_debug_picture* p, const tact_debug_vertex* v)
{
    double at[3];
    if (!p->project(p->user, v->position, at)) return;
    for (int k = 0; k < 25; ++k)
        dot(p, at[0] + k % 5 - 2, at[1] + k / 5 - 2, at[2] * 0.998, v->color);
}

static void draw_line(const tact_debug_picture* p, const tact_debug_vertex v[2])
{
    double a[3], b[3];
    if (!p->project(p->user, v[0].position, a) || !p->project(p->user, v[1].position, b)) return;
    const double longest = fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
    const int most = 4 * (int)p->width, steps = longest < most ? (int)longest + 1 : most;
    for (int k = 0; k <= steps; ++k) {
        const double t = (double)k / steps;
        // One over the distance is linear in the picture.
        dot(p, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), 1.0 / ((1.0 - t) / a[2] + t / b[2]), v[0].color);
    }
}

static void draw_triangle(const tact_debug_picture* p, const tact_debug_vertex v[3])
{
    double c[3][3], low[2], high[2];
    for (int i = 0; i < 3; ++i)
        if (!p->project(p->user, v[i].position, c[i])) return;
    const double sides[2] = {p->width, p->height};
    for (int k = 0; k < 2; ++k) {
        low[k] = fmax(0.0, floor(fmin(c[0][k], fmin(c[1][k], c[2][k])))) + 0.5;
        high[k] = fmin(sides[k], fmax(c[0][k], fmax(c[1][k], c[2][k])));
    }
    const double area = (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    for (double y = low[1]; y <= high[1]; y += 1.0) {
        for (double x = low[0]; x <= high[0]; x += 1.0) {
            double part[3], sum = 0.0;
            for (int i = 0; i < 3; ++i) {
                const double *a = c[(i + 1) % 3], *b = c[(i + 2) % 3];
                part[i] = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area;
                sum += part[i] / c[i][2];
            }
            if (part[0] >= 0.0 && part[1] >= 0.0 && part[2] >= 0.0) dot(p, x, y, 1.0 / sum, v[0].color);
        }
    }
}

static tact_result draw_points(const tact_debug_vertex* v, size_t count, void* picture)
{
    for (size_t i = 0; i < count; ++i)
        draw_point(picture, v + i);
    return TACT_OK;
}

static tact_result draw_lines(const tact_debug_vertex* v, size_t count, void* picture)
{
    for (size_t i = 0; i + 1 < count; i += 2)
        draw_line(picture, v + i);
    return TACT_OK;
}

static tact_result draw_triangles(const tact_debug_vertex* v, size_t count, void* picture)
{
    for (size_t i = 0; i + 2 < count; i += 3)
        draw_triangle(picture, v + i);
    return TACT_OK;
}

tact_debug_draw tact_debug_picture_draw(tact_debug_picture* picture)
{
    return (tact_debug_draw){.points = draw_points, .lines = draw_lines, .triangles = draw_triangles, .user = picture};
}

void tact_debug_picture_list(tact_debug_picture* picture, const tact_debug_list* list)
{
    size_t count;
    const tact_debug_vertex* v = tact_debug_list_triangles(list, &count);
    (void)draw_triangles(v, count, picture);
    v = tact_debug_list_lines(list, &count);
    (void)draw_lines(v, count, picture);
    v = tact_debug_list_points(list, &count);
    (void)draw_points(v, count, picture);
}
