// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>

typedef struct view {
    double x, z, per_unit;  // world to pixels
} view;

static bool project(const void* user, const float position[3], double out[3])
{
    const view* v = user;
    out[0] = ((double)position[0] - v->x) * v->per_unit;
    out[1] = ((double)position[2] - v->z) * v->per_unit;
    out[2] = 1.0;
    return true;
}

static void draw_boxes(tact_debug_draw draw, const tact_aabb* boxes, size_t count, tact_debug_color color)
{
    tact_debug_color colors[TACT_DEBUG_KINDS];
    for (int i = 0; i < TACT_DEBUG_KINDS; ++i)
        colors[i] = color;
    draw.colors = colors;
    for (size_t i = 0; i < count; ++i)
        (void)tact_debug_aabb(&draw, TACT_DEBUG_VOLUME, boxes[i]);
}

static uint8_t opacity(double cover)
{
    return (uint8_t)(255.0 * fmin(fmax(cover, 0.05), 1.0));
}

static void draw_all(tact_debug_draw draw, const tact_cull_picture* p)
{
    // The more boxes there are the fainter, so that many still show their density.
    const double strong = 20.0 / sqrt((double)p->count + 1.0);
    const tact_debug_color grey = {120, 126, 140, opacity(strong)}, green = {70, 220, 120, opacity(3.0 * strong)};
    const tact_debug_color orange = {255, 150, 40, 230};
    for (size_t i = 0, next = 0; i < p->count; ++i) {
        const bool kept = next < p->kept_count && p->kept[next] == i;
        next += kept;
        if (!kept) draw_boxes(draw, &p->boxes[i], 1, grey);
    }
    for (size_t i = 0; i < p->kept_count; ++i)
        draw_boxes(draw, &p->boxes[p->kept[i]], 1, green);
    draw_boxes(draw, p->against, p->against_count, orange);
    tact_debug_color white[TACT_DEBUG_KINDS] = {[TACT_DEBUG_FRUSTUM] = {255, 255, 255, 230}};
    draw.colors = white;
    if (p->frustum) (void)tact_debug_frustum(&draw, p->frustum, 0.0f);
}

bool tact_picture_of_culling(const char* path, const tact_cull_picture* picture, uint32_t size, tact_problem* problem)
{
    const tact_aabb* b = &picture->bounds;
    const double width = (double)b->upper.x - (double)b->lower.x, depth = (double)b->upper.z - (double)b->lower.z;
    double shown = 1.1 * fmax(width, depth);
    if (!(shown > 0.0)) shown = 1.0;
    const view v = {.x = 0.5 * ((double)b->lower.x + (double)b->upper.x - shown),
                    .z = 0.5 * ((double)b->lower.z + (double)b->upper.z - shown),
                    .per_unit = (double)size / shown};
    unsigned char* rgb = malloc((size_t)size * size * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, path);
    static const unsigned char night[3] = {16, 19, 26};
    for (size_t i = 0; i < (size_t)size * size * 3; ++i)
        rgb[i] = night[i % 3];
    tact_debug_picture to = {size, size, rgb, NULL, project, &v};
    draw_all(tact_debug_picture_draw(&to), picture);
    const bool good = tact_picture_write(path, size, size, rgb, problem);
    free(rgb);
    return good;
}
