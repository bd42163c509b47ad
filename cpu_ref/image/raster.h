// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Drawing on the host, as image.h defines it: what the reference and the CPU's engine share. The shaders
/// image_place.vert, image_depth.*, image_solid.* and image_edges.* are the same arithmetic.

#include <math.h>

#include "cpu_ref/image/image.h"
#include "kernels/ordered.h"

/// Depth where there is nothing: fronts so far behind, backs so far in front.
#define TACT_IMAGE_NOWHERE 1e30f

/// Rows of an image, `rows` of them from `first` on.
typedef struct tact_image_band {
    uint32_t resolution, first, rows;
    uint32_t words;      ///< of a pixel's cells
    float* depths[4];    ///< A's front, A's back, B's front, B's back
    uint32_t* cells[4];  ///< A's solid, B's solid, A's edges, B's edges
} tact_image_band;

/// What is found in the bands of an image, one after another.
void tact_image_find_begin(uint32_t* found);
void tact_image_find_depths(const tact_image_band* band, uint32_t* found);
void tact_image_find_cells(const tact_image_band* band, uint32_t* found);
void tact_image_keep_picture(const tact_image_job* job, const tact_image_band* band);

typedef struct tact_image_vertex {
    int32_t x, y;
    float depth;
} tact_image_vertex;

static inline int32_t tact_image_snap(float v, float steps)
{
    const float product = v * steps;
    float s = floorf(product + 0.5f);
    // Differences of such numbers, and of those and a pixel's centre, are whole in 32 bits. Not a number: the least.
    s = s >= -536870912.0f ? s : -536870912.0f;
    s = s <= 536870912.0f ? s : 536870912.0f;
    return (int32_t)s;
}

static inline tact_image_vertex tact_image_move(const tact_image_fit* fit, int which, const float p[3])
{
    float moved[3];
    for (int i = 0; i < 3; ++i) {
        const double* row = fit->rows[which][i];
        const float x = tact_image_in_single(row[0]) * p[0], y = tact_image_in_single(row[1]) * p[1];
        const float z = tact_image_in_single(row[2]) * p[2];
        moved[i] = ((x + y) + z) + tact_image_in_single(row[3]);
    }
    float depth = moved[2];
    depth = depth >= -1e28f ? depth : -1e28f;
    depth = depth <= 1e28f ? depth : 1e28f;
    const float steps = (float)(1u << fit->bits);
    return (tact_image_vertex){tact_image_snap(moved[0], steps), tact_image_snap(moved[1], steps), depth};
}

static inline tact_image_vertex tact_image_vertex_of(const tact_image_body* body, const tact_image_fit* fit, int which,
                                                     size_t i)
{
    const float* p = (const float*)(const void*)((const char*)body->mesh.positions + i * tact_image_stride(body));
    return tact_image_move(fit, which, p);
}

static inline size_t tact_image_corner(const tact_image_body* body, size_t corner)
{
    return body->mesh.indices ? body->mesh.indices[corner] : corner;
}

/// Of a pixel's centre.
static inline int64_t tact_image_centre(uint32_t pixel, uint32_t resolution, uint32_t bits)
{
    return (2 * (int64_t)pixel + 1 - (int64_t)resolution) * (INT64_C(1) << (bits - 1));
}

static inline int64_t tact_image_cross(int64_t ax, int64_t ay, int64_t bx, int64_t by)
{
    return ax * by - ay * bx;
}

/// Rounded as the shaders do: 16 bits at a time.
static inline float tact_image_float(int64_t v)
{
    const int64_t whole = INT64_C(1) << 40;  // up to here only the last step rounds
    if (v < whole && v > -whole) return (float)v;
    const uint64_t u = (uint64_t)v;
    const int32_t upper = (int32_t)(uint32_t)(u >> 32);
    float r = (float)(upper >> 16) * 65536.0f + (float)(upper & 0xffff);
    r = r * 65536.0f + (float)((u >> 16) & 0xffffu);
    r = r * 65536.0f + (float)(u & 0xffffu);
    return r;
}

typedef struct tact_image_face {
    tact_image_vertex v[3];
    float slope_b, slope_c;  ///< of the second and third corner what is deeper, over twice the area
    float least, most;       ///< depths of the corners
} tact_image_face;

/// False: it covers nothing.
static inline bool tact_image_face_of(const tact_image_vertex* a, const tact_image_vertex* b,
                                      const tact_image_vertex* c, tact_image_face* f)
{
    const int64_t area =
        tact_image_cross((int64_t)b->x - a->x, (int64_t)b->y - a->y, (int64_t)c->x - a->x, (int64_t)c->y - a->y);
    if (area == 0) return false;
    const float inverse = 1.0f / tact_image_float(area);
    *f = (tact_image_face){.v = {*a, *b, *c}};
    f->slope_b = (b->depth - a->depth) * inverse;
    f->slope_c = (c->depth - a->depth) * inverse;
    f->least = fminf(fminf(a->depth, b->depth), c->depth);
    f->most = fmaxf(fmaxf(a->depth, b->depth), c->depth);
    return true;
}

/// By the cross products of the edges from the third corner and from the first, as seen from a pixel's centre.
static inline float tact_image_face_depth(const tact_image_face* f, int64_t ca, int64_t ab)
{
    const float far_b = tact_image_float(ca) * f->slope_b, far_c = tact_image_float(ab) * f->slope_c;
    float depth = f->v[0].depth + (far_b + far_c);
    depth = depth >= f->least ? depth : f->least;
    depth = depth <= f->most ? depth : f->most;
    return depth;
}

/// The first cell whose centre is farther.
static inline uint32_t tact_image_first_cell(float depth, uint32_t slots)
{
    const float behind = floorf(depth + 0.5f);
    return behind > 0.0f ? behind < (float)slots ? (uint32_t)behind : slots : 0;
}

/// Between two points of the grid, p the lesser one.
typedef struct tact_image_edge {
    tact_image_vertex p, q;
    float inverse_x, inverse_y;  ///< of the differences; 0 for 0
} tact_image_edge;

/// The same in both directions. Whether the ends were swapped.
static inline bool tact_image_edge_of(const tact_image_vertex* from, const tact_image_vertex* to, tact_image_edge* e)
{
    const bool swapped = from->x != to->x   ? from->x > to->x
                         : from->y != to->y ? from->y > to->y
                                            : from->depth > to->depth;
    e->p = swapped ? *to : *from;
    e->q = swapped ? *from : *to;
    const int64_t dx = (int64_t)e->q.x - e->p.x, dy = (int64_t)e->q.y - e->p.y;
    e->inverse_x = dx ? 1.0f / tact_image_float(dx) : 0.0f;
    e->inverse_y = dy ? 1.0f / tact_image_float(dy) : 0.0f;
    return swapped;
}

/// From where to where along p + t d, t from 0 to 1, one coordinate is within the reach of 0.
static inline void tact_image_clip(int64_t p, float inverse, int64_t reach, float* enter, float* leave)
{
    const float s = tact_image_float(-reach - p) * inverse, t = tact_image_float(reach - p) * inverse;
    *enter = fmaxf(*enter, fminf(s, t));
    *leave = fminf(*leave, fmaxf(s, t));
}

/// Sets the cells of a pixel through whose square, its sides included, the edge runs.
static inline void tact_image_mark(const tact_image_edge* e, int64_t centre_x, int64_t centre_y, uint32_t bits,
                                   uint32_t words, uint32_t* cells)
{
    const int64_t reach = INT64_C(1) << (bits - 1);
    const int64_t px = e->p.x - centre_x, py = e->p.y - centre_y, qx = e->q.x - centre_x, qy = e->q.y - centre_y;
    const int64_t dx = qx - px, dy = qy - py;
    if ((px > reach && qx > reach) || (px < -reach && qx < -reach)) return;
    if ((py > reach && qy > reach) || (py < -reach && qy < -reach)) return;
    const int64_t cross = dx * py - dy * px, width = reach * ((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
    if (cross > width || cross < -width) return;
    float enter = 0.0f, leave = 1.0f;
    if (dx) tact_image_clip(px, e->inverse_x, reach, &enter, &leave);
    if (dy) tact_image_clip(py, e->inverse_y, reach, &enter, &leave);
    enter = fminf(enter, 1.0f);
    leave = fmaxf(leave, 0.0f);
    const float rise = e->q.depth - e->p.depth, za = enter * rise, zb = leave * rise;
    const float z = e->p.depth + za, w = e->p.depth + zb;
    const float wider = (fabsf(e->p.depth) + fabsf(e->q.depth)) * 0x1p-20f, slots = (float)(32 * words - 1);
    const int first = (int)fminf(fmaxf(ceilf(fminf(z, w) - wider) - 1.0f, 0.0f), slots);
    const int end = (int)fminf(fmaxf(floorf(fmaxf(z, w) + wider) + 1.0f, 0.0f), slots);
    for (int s = first; s < end;) {
        const int bit = s % 32, run = end - s < 32 - bit ? end - s : 32 - bit;
        cells[s / 32] |= (run < 32 ? (1u << run) - 1 : UINT32_MAX) << bit;
        s += run;
    }
}
