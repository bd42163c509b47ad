// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a test of concave objects in cells is defined to give (gpu/image/image.h), computed triangle by triangle and
/// pixel by pixel on the host. Include after run.h.

#include "gpu/image/image.h"
#include "tact/image_space.h"

typedef struct cells_vertex {
    int64_t x, y;
    float depth;
} cells_vertex;

/// Cells of one object in one test: `words` of each pixel.
typedef struct cells_mask {
    uint32_t resolution, words;
    uint32_t* bits;
} cells_mask;

static inline int64_t cells_snap(float v, float steps)
{
    const float product = v * steps;
    float s = floorf(product + 0.5f);
    s = s > 536870912.0f ? 536870912.0f : s;
    s = s < -536870912.0f ? -536870912.0f : s;
    return (int64_t)s;
}

static inline cells_vertex cells_move(const double rows[3][4], uint32_t bits, const float p[3])
{
    float moved[3];
    for (int i = 0; i < 3; ++i) {
        const float m[4] = {(float)rows[i][0], (float)rows[i][1], (float)rows[i][2], (float)rows[i][3]};
        const float x = m[0] * p[0], y = m[1] * p[1], z = m[2] * p[2];
        moved[i] = ((x + y) + z) + m[3];
    }
    const float steps = (float)(1u << bits);
    return (cells_vertex){cells_snap(moved[0], steps), cells_snap(moved[1], steps), moved[2]};
}

static inline int64_t cells_cross(int64_t ax, int64_t ay, int64_t bx, int64_t by)
{
    return ax * by - ay * bx;
}

/// Rounded as the shaders do: 16 bits at a time.
static inline float cells_float(int64_t v)
{
    const uint64_t u = (uint64_t)v;
    const int32_t upper = (int32_t)(uint32_t)(u >> 32);
    float r = (float)(upper >> 16) * 65536.0f + (float)(upper & 0xffff);
    r = r * 65536.0f + (float)((u >> 16) & 0xffffu);
    r = r * 65536.0f + (float)(u & 0xffffu);
    return r;
}

/// Is the centre, at 0 0, moved by next to nothing up and by less to the left, on the left of a to b?
static inline bool cells_left(const cells_vertex* a, const cells_vertex* b, int64_t cross)
{
    if (cross != 0) return cross > 0;
    // Of the moved centre the cross product's change is -dx' for a step up, and then -dy for one to the left.
    const int64_t dx = b->x - a->x, dy = b->y - a->y;
    return dx != 0 ? dx > 0 : dy >= 0;
}

static inline void cells_flip(const cells_mask* m, uint32_t x, uint32_t y, float depth)
{
    uint32_t* row = m->bits + ((size_t)y * m->resolution + x) * m->words;
    const uint32_t slots = 32 * m->words - 1;
    const float behind = floorf(depth + 0.5f);
    const uint32_t first = behind < 0.0f ? 0 : behind > (float)slots ? slots : (uint32_t)behind;
    for (uint32_t s = first; s <= slots; ++s)
        row[s / 32] ^= 1u << s % 32;
}

static inline void cells_triangle(const cells_mask* m, uint32_t bits, const cells_vertex v[3])
{
    const int64_t area = cells_cross(v[1].x - v[0].x, v[1].y - v[0].y, v[2].x - v[0].x, v[2].y - v[0].y);
    if (area == 0) return;
    const float inverse = 1.0f / cells_float(area);
    const float slope_b = (v[1].depth - v[0].depth) * inverse, slope_c = (v[2].depth - v[0].depth) * inverse;
    const float least = fminf(fminf(v[0].depth, v[1].depth), v[2].depth);
    const float most = fmaxf(fmaxf(v[0].depth, v[1].depth), v[2].depth);
    for (uint32_t y = 0; y < m->resolution; ++y) {
        for (uint32_t x = 0; x < m->resolution; ++x) {
            const int64_t half = INT64_C(1) << (bits - 1);
            const int64_t cx = (2 * (int64_t)x + 1 - m->resolution) * half,
                          cy = (2 * (int64_t)y + 1 - m->resolution) * half;
            cells_vertex r[3];
            for (int i = 0; i < 3; ++i)
                r[i] = (cells_vertex){v[i].x - cx, v[i].y - cy, v[i].depth};
            const int64_t ab = cells_cross(r[0].x, r[0].y, r[1].x, r[1].y);
            const int64_t bc = cells_cross(r[1].x, r[1].y, r[2].x, r[2].y);
            const int64_t ca = cells_cross(r[2].x, r[2].y, r[0].x, r[0].y);
            const bool left = cells_left(&r[0], &r[1], ab);
            if (cells_left(&r[1], &r[2], bc) != left || cells_left(&r[2], &r[0], ca) != left) continue;
            const float far_b = cells_float(ca) * slope_b, far_c = cells_float(ab) * slope_c;
            float depth = v[0].depth + (far_b + far_c);
            depth = depth < least ? least : depth;
            depth = depth > most ? most : depth;
            cells_flip(m, x, y, depth);
        }
    }
}

static inline void cells_mark(const cells_mask* m, uint32_t x, uint32_t y, float nearest, float farthest)
{
    uint32_t* row = m->bits + ((size_t)y * m->resolution + x) * m->words;
    const float slots = (float)(32 * m->words - 1);
    const int first = (int)fminf(fmaxf(ceilf(nearest) - 1.0f, 0.0f), slots);
    const int end = (int)fminf(fmaxf(floorf(farthest) + 1.0f, 0.0f), slots);
    for (int s = first; s < end; ++s)
        row[s / 32] |= 1u << s % 32;
}

/// From where to where along p + t d, t from 0 to 1, one coordinate is within the reach of 0.
static inline void cells_clip(int64_t p, int64_t d, int64_t reach, float* enter, float* leave)
{
    if (d == 0) return;
    const float inverse = 1.0f / cells_float(d);
    const float s = cells_float(-reach - p) * inverse, t = cells_float(reach - p) * inverse;
    *enter = fmaxf(*enter, fminf(s, t));
    *leave = fminf(*leave, fmaxf(s, t));
}

static inline void cells_edge(const cells_mask* m, uint32_t bits, const cells_vertex* from, const cells_vertex* to)
{
    const bool swapped = from->x != to->x   ? from->x > to->x
                         : from->y != to->y ? from->y > to->y
                                            : from->depth > to->depth;
    const cells_vertex p = swapped ? *to : *from, q = swapped ? *from : *to;
    const int64_t reach = INT64_C(1) << (bits - 1), dx = q.x - p.x, dy = q.y - p.y;
    for (uint32_t y = 0; y < m->resolution; ++y) {
        for (uint32_t x = 0; x < m->resolution; ++x) {
            const int64_t px = p.x - (2 * (int64_t)x + 1 - m->resolution) * reach;
            const int64_t py = p.y - (2 * (int64_t)y + 1 - m->resolution) * reach;
            const int64_t qx = px + dx, qy = py + dy;
            if ((px > reach && qx > reach) || (px < -reach && qx < -reach)) continue;
            if ((py > reach && qy > reach) || (py < -reach && qy < -reach)) continue;
            if (llabs(dx * py - dy * px) > reach * (llabs(dx) + llabs(dy))) continue;
            float enter = 0.0f, leave = 1.0f;
            cells_clip(px, dx, reach, &enter, &leave);
            cells_clip(py, dy, reach, &enter, &leave);
            enter = fminf(enter, 1.0f);
            leave = fmaxf(leave, 0.0f);
            const float rise = q.depth - p.depth, za = enter * rise, zb = leave * rise;
            const float z = p.depth + za, w = p.depth + zb;
            const float wider = (fabsf(p.depth) + fabsf(q.depth)) * 0x1p-20f;
            cells_mark(m, x, y, fminf(z, w) - wider, fmaxf(z, w) + wider);
        }
    }
}

static inline tact_image_bounds cells_bounds(const tact_image_body* body)
{
    tact_image_bounds b = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < body->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            b.lower[k] = fminf(b.lower[k], body->positions[3 * i + (size_t)k]);
            b.upper[k] = fmaxf(b.upper[k], body->positions[3 * i + (size_t)k]);
        }
    }
    return b;
}

/// The faces of an object, or its edges. `bits` of the mask are zero before.
static inline void cells_draw(const tact_image_body* body, const tact_image_fit* fit, int which, bool edges,
                              const cells_mask* m)
{
    for (size_t t = 0; t < body->triangle_count; ++t) {
        cells_vertex v[3];
        for (size_t k = 0; k < 3; ++k) {
            const size_t i = body->indices ? body->indices[3 * t + k] : 3 * t + k;
            v[k] = cells_move((const double(*)[4])fit->rows[which], fit->bits, body->positions + 3 * i);
        }
        if (!edges) cells_triangle(m, fit->bits, v);
        for (int k = 0; edges && k < 3; ++k)
            cells_edge(m, fit->bits, &v[k], &v[(k + 1) % 3]);
    }
}

/// Samples, leaks, common pixels, box and depths, of masks: A's solid, edges of B, B's solid, edges of A.
static inline void cells_count(const cells_mask m[4], double near_depth, tact_image_result* r)
{
    const uint32_t size = m[0].resolution, words = m[0].words;
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < size * size; ++i) {
        bool any[2] = {false, false};
        for (int way = 0; way < 2; ++way) {
            const uint32_t *solid = m[2 * way].bits + (size_t)i * words,
                           *edges = m[2 * way + 1].bits + (size_t)i * words;
            if (solid[words - 1] >> 31) {
                ++r->leaks[way];
                continue;
            }
            for (uint32_t s = 0; s < 32 * words; ++s) {
                if (!((solid[s / 32] & edges[s / 32]) >> s % 32 & 1)) continue;
                any[way] = true;
                first = s < first ? s : first;
                last = s + 1 > last ? s + 1 : last;
            }
            r->samples[way] += any[way];
        }
        const uint32_t *a = m[0].bits + (size_t)i * words, *b = m[2].bits + (size_t)i * words;
        bool both = false;
        for (uint32_t s = 0; s < 32 * words && !((a[words - 1] | b[words - 1]) >> 31); ++s) {
            if (!((a[s / 32] & b[s / 32]) >> s % 32 & 1)) continue;
            both = true;
            first = s < first ? s : first;
            last = s + 1 > last ? s + 1 : last;
        }
        r->inside += both;
        if (!any[0] && !any[1] && !both) continue;
        const uint32_t x = i % size, y = i / size;
        if (r->common++ == 0) {
            r->box[0] = r->box[2] = x;
            r->box[1] = r->box[3] = y;
        }
        r->box[0] = x < r->box[0] ? x : r->box[0];
        r->box[2] = x > r->box[2] ? x : r->box[2];
        r->box[3] = y;
    }
    r->overlap = r->common > 0;
    if (!r->overlap) return;
    const double cell = 2.0 * (double)r->view.half_extent[2] / (32 * words - 1);
    r->nearest = (float)(near_depth + cell * first);
    r->farthest = (float)(near_depth + cell * last);
}

/// The result by readback of test `i`; the words of all four masks if `keep` is not NULL, else they are released.
static inline tact_image_result cells_reference(const tact_image_body* a, const tact_image_body* b, size_t i,
                                                uint32_t resolution, uint32_t* keep[4])
{
    const tact_image_body* bodies[2] = {a, b};
    tact_image_result r = {.overlap = false};
    if (a->triangle_count == 0 || b->triangle_count == 0) return r;
    const float* poses[2];
    for (int k = 0; k < 2; ++k)
        poses[k] = bodies[k]->pose_count ? bodies[k]->poses[bodies[k]->pose_count == 1 ? 0 : i] : NULL;
    const tact_image_bounds ba = cells_bounds(a), bb = cells_bounds(b);
    const uint32_t slots = tact_image_slots(resolution);
    const tact_image_fit fit = tact_image_fit_cells(&ba, poses[0], &bb, poses[1], resolution, slots);
    if (!fit.meets) return r;
    cells_mask m[4];
    for (int k = 0; k < 4; ++k) {
        m[k] = (cells_mask){resolution, (slots + 1) / 32, NULL};
        m[k].bits = calloc((size_t)resolution * resolution * m[k].words, 4);
        assert_non_null(m[k].bits);
        const int which = k == 1 || k == 2;
        cells_draw(bodies[which], &fit, which, k % 2 == 1, &m[k]);
    }
    r.drawn = true;
    r.view = fit.view;
    const float tolerance = (float)fit.gap;
    r.tolerance = (double)tolerance < fit.gap ? nextafterf(tolerance, INFINITY) : tolerance;
    r.gap = r.depth = r.tolerance;
    cells_count(m, fit.near_depth, &r);
    for (int k = 0; k < 4; ++k) {
        if (keep) {
            keep[k] = m[k].bits;
        } else {
            free(m[k].bits);
        }
    }
    return r;
}
