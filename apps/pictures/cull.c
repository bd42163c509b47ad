// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/cull.h"

#include <math.h>
#include <stdlib.h>

#include "apps/pictures/picture.h"

typedef struct canvas {
    unsigned char* rgb;
    double size;            // pixels
    double x, z, per_unit;  // world to pixels
} canvas;

typedef struct paint {
    double r, g, b, cover;
} paint;

static void blend(const canvas* c, double column, double row, paint p)
{
    if (!(column >= 0.0 && column < c->size && row >= 0.0 && row < c->size)) return;
    unsigned char* to = c->rgb + 3 * ((size_t)row * (size_t)c->size + (size_t)column);
    const double paints[3] = {p.r, p.g, p.b};
    for (int i = 0; i < 3; ++i)
        to[i] = (unsigned char)((double)to[i] + (paints[i] - (double)to[i]) * p.cover + 0.5);
}

static double clamp_to(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/// The columns or rows that an interval covers, at least one when any of it is in the picture; false when none is.
static bool span(const canvas* c, double low, double high, double origin, double* first, double* last)
{
    const double from = (low - origin) * c->per_unit, to = (high - origin) * c->per_unit;
    if (!(from <= to && to >= 0.0 && from < c->size)) return false;
    *first = floor(clamp_to(from, -1.0, c->size));
    *last = floor(clamp_to(to, -1.0, c->size));
    return true;
}

static void draw_box(const canvas* c, const tact_aabb* b, paint edge, paint fill)
{
    double x0, x1, z0, z1;
    if (!span(c, (double)b->lower.x, (double)b->upper.x, c->x, &x0, &x1) ||
        !span(c, (double)b->lower.z, (double)b->upper.z, c->z, &z0, &z1)) {
        return;
    }
    for (double row = z0; row <= z1; row += 1.0) {
        for (double column = x0; column <= x1; column += 1.0) {
            const bool on_edge = row <= z0 || row >= z1 || column <= x0 || column >= x1;
            blend(c, column, row, on_edge ? edge : fill);
        }
    }
}

static void draw_line(const canvas* c, tact_vec3 a, tact_vec3 b, paint p)
{
    const double ax = ((double)a.x - c->x) * c->per_unit, az = ((double)a.z - c->z) * c->per_unit;
    const double bx = ((double)b.x - c->x) * c->per_unit, bz = ((double)b.z - c->z) * c->per_unit;
    const double length = fmax(fabs(bx - ax), fabs(bz - az));
    if (!(length < 1e5)) return;
    const double steps = ceil(length) + 1.0;
    for (double i = 0.0; i <= steps; i += 1.0) {
        const double x = ax + (bx - ax) * i / steps, z = az + (bz - az) * i / steps;
        blend(c, floor(x), floor(z), p);
        blend(c, floor(x) + 1.0, floor(z), (paint){p.r, p.g, p.b, p.cover * 0.5});
    }
}

static void draw_frustum(const canvas* c, const tact_frustum* f)
{
    const paint white = {255, 255, 255, 0.9};
    for (uint32_t k = 0; k < 8; ++k) {
        for (uint32_t bit = 1; bit < 8; bit <<= 1) {
            const bool infinite = (f->directions >> k & 1) || (f->directions >> (k | bit) & 1);
            if (!(k & bit) && !infinite) draw_line(c, f->corner[k], f->corner[k | bit], white);
        }
    }
}

static void draw_all(const canvas* c, const tact_cull_picture* p)
{
    // The more boxes there are the fainter, so that many still show their density.
    const double strong = clamp_to(20.0 / sqrt((double)p->count + 1.0), 0.08, 0.9);
    const paint gray = {120, 126, 140, strong}, gray_fill = {120, 126, 140, strong * 0.3};
    const paint green = {70, 220, 120, clamp_to(strong * 2.0, 0.15, 1.0)};
    const paint green_fill = {70, 220, 120, clamp_to(strong, 0.08, 0.4)};
    const paint orange = {255, 150, 40, 0.9}, orange_fill = {255, 150, 40, 0.1};
    size_t next = 0;
    for (size_t i = 0; i < p->count; ++i) {
        if (next < p->kept_count && p->kept[next] == i) {
            ++next;
        } else {
            draw_box(c, &p->boxes[i], gray, gray_fill);
        }
    }
    for (size_t i = 0; i < p->kept_count; ++i)
        draw_box(c, &p->boxes[p->kept[i]], green, green_fill);
    for (size_t i = 0; i < p->against_count; ++i)
        draw_box(c, &p->against[i], orange, orange_fill);
    if (p->frustum && p->frustum->planes) draw_frustum(c, p->frustum);
}

bool tact_picture_of_culling(const char* path, const tact_cull_picture* picture, uint32_t size, tact_problem* problem)
{
    const double width = (double)picture->bounds.upper.x - (double)picture->bounds.lower.x;
    const double depth = (double)picture->bounds.upper.z - (double)picture->bounds.lower.z;
    double shown = 1.1 * fmax(width, depth);
    if (!(shown > 0.0)) shown = 1.0;
    canvas c = {.size = (double)size, .per_unit = (double)size / shown};
    c.x = 0.5 * ((double)picture->bounds.lower.x + (double)picture->bounds.upper.x - shown);
    c.z = 0.5 * ((double)picture->bounds.lower.z + (double)picture->bounds.upper.z - shown);
    c.rgb = malloc((size_t)size * size * 3);
    if (!c.rgb) return tact_problem_out_of_memory(problem, path);
    for (size_t i = 0; i < (size_t)size * size; ++i) {
        c.rgb[3 * i] = 16;
        c.rgb[3 * i + 1] = 19;
        c.rgb[3 * i + 2] = 26;
    }
    draw_all(&c, picture);
    const bool good = tact_picture_write(path, size, size, c.rgb, problem);
    free(c.rgb);
    return good;
}
