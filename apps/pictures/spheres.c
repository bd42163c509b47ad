// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The picture is cut into tiles. Spheres are sorted from front to back and listed for each tile they touch, so that a
// tile that is covered needs to look at no more of them.

#include "apps/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>

enum { TILE = 32, DEPTH_KEYS = 1 << 16 };

/// Sphere samples a picture may take: some seconds' worth.
#define MOST_SAMPLES 4e9

/// A sphere as the eye sees it.
typedef struct seen {
    float x, y, z, radius;  ///< z: depth of the centre
    uint32_t row;
    uint16_t tile[4];  ///< columns first to last, rows first to last
} seen;

typedef struct plan {
    const tact_sphere_view* view;
    seen *spheres, *sorted;
    size_t count;
    uint32_t across, down;
    size_t* first;  ///< of each tile in `list`, and one more
    uint32_t* list;
    double samples;
} plan;

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void tact_sphere_view_ray(const tact_sphere_view* v, uint32_t column, uint32_t row, float direction[3])
{
    const float x = v->tangent_x * (2.0f * ((float)column + 0.5f) / (float)v->width - 1.0f);
    const float y = v->tangent_y * (1.0f - 2.0f * ((float)row + 0.5f) / (float)v->height);
    for (int i = 0; i < 3; ++i)
        direction[i] = v->right[i] * x + v->up[i] * y - v->back[i];
}

/// The slopes between which a circle lies, seen from the origin along depth.
static void slopes(float x, float z, float radius, float* low, float* high)
{
    const float below = z * z - radius * radius;
    const float root = radius * sqrtf(x * x + below);
    *low = (x * z - root) / below;
    *high = (x * z + root) / below;
}

/// The tiles from `low` to `high`, both from -1 to 1 across the picture. False when there are none.
static bool tiles_of(float low, float high, uint32_t samples, uint16_t tile[2])
{
    const float scale = 0.5f * (float)samples;
    // A sample more on each side, for rounding.
    float from = floorf((low + 1.0f) * scale) - 1.0f, to = floorf((high + 1.0f) * scale) + 1.0f;
    const float last = (float)(samples - 1);
    if (!(to >= 0.0f && from <= last)) return false;
    from = from < 0.0f ? 0.0f : from;
    to = to > last ? last : to;
    tile[0] = (uint16_t)((uint32_t)from / TILE);
    tile[1] = (uint16_t)((uint32_t)to / TILE);
    return true;
}

static bool look_at(const tact_sphere_view* v, const float* row, seen* s)
{
    const float c[3] = {row[0] - v->eye[0], row[1] - v->eye[1], row[2] - v->eye[2]};
    s->x = dot(c, v->right);
    s->y = dot(c, v->up);
    s->z = -dot(c, v->back);
    s->radius = row[3];
    // What is about the eye, or beside numbers, is not seen.
    if (!(s->radius > 0.0f && s->z > 1.01f * s->radius && fabsf(s->x) + fabsf(s->y) + s->z < 1e15f)) return false;
    float low[2], high[2];
    if (v->parallel) {
        low[0] = s->x - s->radius;
        high[0] = s->x + s->radius;
        low[1] = s->y - s->radius;
        high[1] = s->y + s->radius;
    } else {
        slopes(s->x, s->z, s->radius, &low[0], &high[0]);
        slopes(s->y, s->z, s->radius, &low[1], &high[1]);
    }
    return tiles_of(low[0] / v->tangent_x, high[0] / v->tangent_x, v->width, &s->tile[0]) &&
           tiles_of(-high[1] / v->tangent_y, -low[1] / v->tangent_y, v->height, &s->tile[2]);
}

static uint32_t tiles_across(const seen* s)
{
    return (uint32_t)(s->tile[1] - s->tile[0] + 1) * (uint32_t)(s->tile[3] - s->tile[2] + 1);
}

static void find_seen(plan* p, const float* rows, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        seen* s = &p->spheres[p->count];
        if (!look_at(p->view, rows + 7 * i, s)) continue;
        s->row = (uint32_t)i;
        p->samples += (double)tiles_across(s) > 4.0 ? (double)tiles_across(s) * TILE * TILE : 100.0;
        ++p->count;
    }
}

/// By nearest depth, in steps; the order among equals stays.
static bool sort_by_depth(plan* p)
{
    float near = INFINITY, far = -INFINITY;
    for (size_t i = 0; i < p->count; ++i) {
        const float z = p->spheres[i].z - p->spheres[i].radius;
        near = z < near ? z : near;
        far = z > far ? z : far;
    }
    const float scale = far > near ? (float)(DEPTH_KEYS - 1) / (far - near) : 0.0f;
    size_t* first = calloc(DEPTH_KEYS + 1, sizeof *first);
    if (!first) return false;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < p->count; ++i) {
            const float z = p->spheres[i].z - p->spheres[i].radius;
            const uint32_t key = (uint32_t)((z - near) * scale);
            if (pass == 0) {
                ++first[key + 1];
            } else {
                p->sorted[first[key]++] = p->spheres[i];
            }
        }
        for (size_t k = 0; pass == 0 && k < DEPTH_KEYS; ++k)
            first[k + 1] += first[k];
    }
    free(first);
    return true;
}

static void thin_out(plan* p)
{
    if (!(p->samples > MOST_SAMPLES)) return;
    const size_t stride = (size_t)ceil(p->samples / MOST_SAMPLES);
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i += stride)
        p->sorted[kept++] = p->sorted[i];
    p->count = kept;
}

static bool list_tiles(plan* p)
{
    const size_t tiles = (size_t)p->across * p->down;
    p->first = calloc(tiles + 2, sizeof *p->first);
    if (!p->first) return false;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < p->count; ++i) {
            const seen* s = &p->sorted[i];
            for (uint32_t y = s->tile[2]; y <= s->tile[3]; ++y) {
                for (uint32_t x = s->tile[0]; x <= s->tile[1]; ++x) {
                    size_t* const at = &p->first[(size_t)y * p->across + x + 1];
                    if (pass == 0) {
                        ++at[1];
                    } else {
                        p->list[(*at)++] = (uint32_t)i;
                    }
                }
            }
        }
        if (pass == 1) break;
        for (size_t t = 0; t <= tiles; ++t)
            p->first[t + 1] += p->first[t];
        p->list = malloc((p->first[tiles + 1] + 1) * sizeof *p->list);
        if (!p->list) return false;
    }
    return true;
}

/// One sphere over the samples of a tile.
static void draw_in_tile(const plan* p, const seen* s, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, float* depth,
                         uint32_t* sphere)
{
    const tact_sphere_view* v = p->view;
    const float step_x = 2.0f * v->tangent_x / (float)v->width, step_y = 2.0f * v->tangent_y / (float)v->height;
    const float squared = s->radius * s->radius;
    for (uint32_t row = y0; row < y1; ++row) {
        const float dy = v->tangent_y - ((float)row + 0.5f) * step_y;
        float* z = depth + (size_t)row * v->width;
        uint32_t* id = sphere + (size_t)row * v->width;
        for (uint32_t column = x0; column < x1; ++column) {
            const float dx = ((float)column + 0.5f) * step_x - v->tangent_x;
            // How far the middle of the sphere's chord along the ray is from its centre.
            float length = 1.0f, along = s->z, px = dx - s->x, py = dy - s->y, pz = 0.0f;
            if (!v->parallel) {
                length = 1.0f / (dx * dx + dy * dy + 1.0f);
                along = (dx * s->x + dy * s->y + s->z) * length;
                px = dx * along - s->x;
                py = dy * along - s->y;
                pz = along - s->z;
            }
            const float inside = squared - (px * px + py * py + pz * pz);
            if (!(inside >= 0.0f)) continue;
            const float t = along - sqrtf(inside * length);
            if (t < z[column] || (t == z[column] && s->row < id[column])) {
                z[column] = t;
                id[column] = s->row;
            }
        }
    }
}

/// The samples of the tile that the sphere may cover.
static void narrow(const plan* p, const seen* s, uint32_t* x0, uint32_t* y0, uint32_t* x1, uint32_t* y1)
{
    const tact_sphere_view* v = p->view;
    float low[2] = {s->x - s->radius, s->y - s->radius}, high[2] = {s->x + s->radius, s->y + s->radius};
    if (!v->parallel) {
        slopes(s->x, s->z, s->radius, &low[0], &high[0]);
        slopes(s->y, s->z, s->radius, &low[1], &high[1]);
    }
    const float half_x = 0.5f * (float)v->width, half_y = 0.5f * (float)v->height;
    const float left = floorf((low[0] / v->tangent_x + 1.0f) * half_x) - 1.0f;
    const float right = ceilf((high[0] / v->tangent_x + 1.0f) * half_x) + 1.0f;
    const float top = floorf((1.0f - high[1] / v->tangent_y) * half_y) - 1.0f;
    const float bottom = ceilf((1.0f - low[1] / v->tangent_y) * half_y) + 1.0f;
    if (left > (float)*x0 && left < (float)*x1) *x0 = (uint32_t)left;
    if (right < (float)*x1 && right > (float)*x0) *x1 = (uint32_t)right;
    if (top > (float)*y0 && top < (float)*y1) *y0 = (uint32_t)top;
    if (bottom < (float)*y1 && bottom > (float)*y0) *y1 = (uint32_t)bottom;
}

static float farthest(const plan* p, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, const float* depth)
{
    float most = 0.0f;
    for (uint32_t row = y0; row < y1; ++row) {
        const float* z = depth + (size_t)row * p->view->width;
        for (uint32_t column = x0; column < x1; ++column)
            most = z[column] > most ? z[column] : most;
    }
    return most;
}

static void draw_tile(const plan* p, size_t tile, float* depth, uint32_t* sphere)
{
    const tact_sphere_view* v = p->view;
    const uint32_t x0 = (uint32_t)(tile % p->across) * TILE, y0 = (uint32_t)(tile / p->across) * TILE;
    const uint32_t x1 = x0 + TILE < v->width ? x0 + TILE : v->width;
    const uint32_t y1 = y0 + TILE < v->height ? y0 + TILE : v->height;
    float covered = INFINITY;
    // Depths are sorted in steps: what comes later may be nearer by a step.
    for (size_t i = p->first[tile]; i < p->first[tile + 1]; ++i) {
        const seen* s = &p->sorted[p->list[i]];
        if ((i - p->first[tile]) % 64 == 63) covered = farthest(p, x0, y0, x1, y1, depth);
        if (s->z - s->radius > covered) continue;
        uint32_t left = x0, top = y0, right = x1, bottom = y1;
        narrow(p, s, &left, &top, &right, &bottom);
        draw_in_tile(p, s, left, top, right, bottom, depth, sphere);
    }
}

bool tact_spheres_draw(const tact_sphere_view* view, const float* rows, size_t count, float* depth, uint32_t* sphere,
                       tact_problem* problem)
{
    plan p = {.view = view, .across = (view->width + TILE - 1) / TILE, .down = (view->height + TILE - 1) / TILE};
    p.spheres = malloc((count + 1) * sizeof *p.spheres);
    p.sorted = malloc((count + 1) * sizeof *p.sorted);
    bool good = p.spheres && p.sorted;
    if (good) find_seen(&p, rows, count);
    good = good && sort_by_depth(&p);
    if (good) thin_out(&p);
    good = good && list_tiles(&p);
    if (good) {
        const ptrdiff_t tiles = (ptrdiff_t)p.across * (ptrdiff_t)p.down;
#if defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 8)
#endif
        for (ptrdiff_t tile = 0; tile < tiles; ++tile)
            draw_tile(&p, (size_t)tile, depth, sphere);
    }
    free(p.spheres);
    free(p.sorted);
    free(p.first);
    free(p.list);
    return good || tact_problem_out_of_memory(problem, "a picture");
}
