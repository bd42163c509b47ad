// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tools/debug_draw/debug_draw.h"

#include <math.h>

#include "base/env.h"

static const tact_debug_color defaults[TACT_DEBUG_KINDS] = {
    [TACT_DEBUG_VOLUME] = {236, 196, 72, 255},    [TACT_DEBUG_NODE] = {96, 178, 236, 255},
    [TACT_DEBUG_LEAF] = {122, 214, 122, 255},     [TACT_DEBUG_INSTANCE] = {236, 196, 72, 255},
    [TACT_DEBUG_FRUSTUM] = {214, 140, 236, 255},  [TACT_DEBUG_PLANE] = {150, 160, 178, 255},
    [TACT_DEBUG_TRIANGLE] = {255, 255, 255, 255}, [TACT_DEBUG_FACE] = {255, 214, 92, 150},
    [TACT_DEBUG_RAY] = {92, 222, 214, 255},       [TACT_DEBUG_MISS] = {128, 134, 148, 255},
    [TACT_DEBUG_HIT] = {255, 92, 92, 255},        [TACT_DEBUG_NORMAL] = {130, 150, 255, 255},
    [TACT_DEBUG_CONTACT] = {255, 92, 92, 255},    [TACT_DEBUG_PENETRATION] = {255, 150, 60, 255},
};

tact_debug_color tact_debug_default_color(tact_debug_kind kind)
{
    const tact_debug_color white = {255, 255, 255, 255};
    return (unsigned)kind < TACT_DEBUG_KINDS ? defaults[kind] : white;
}

void tact_debug_begin(tact_debug_batch* batch, tact_debug_draw* draw)
{
    batch->draw = draw;
    batch->result = TACT_OK;
    batch->left_out = false;
    batch->corners = 1;
    batch->count = 0;
}

static tact_debug_fn* callback(const tact_debug_batch* batch)
{
    const tact_debug_draw* d = batch->draw;
    return batch->corners == 1 ? d->points : batch->corners == 2 ? d->lines : d->triangles;
}

static void flush(tact_debug_batch* batch)
{
    tact_debug_fn* to = callback(batch);
    if (batch->count && to && batch->result >= 0) {
        const tact_result result = to(batch->vertices, batch->count, batch->draw->user);
        if (result < 0) batch->result = result;
    }
    batch->count = 0;
}

tact_result tact_debug_end(tact_debug_batch* batch)
{
    flush(batch);
    if (batch->result < 0 && !tact_last_error()[0]) {
        tact_fail(NULL, batch->result, "a function of the draw returned %s", tact_result_name(batch->result));
    }
    if (batch->result < 0) return batch->result;
    return batch->left_out ? TACT_INCOMPLETE : TACT_OK;
}

void tact_debug_put(tact_debug_batch* batch, tact_debug_kind kind, const tact_debug_point* corners, uint32_t count)
{
    tact_debug_draw* d = batch->draw;
    if (batch->result < 0) return;
    if (batch->corners != count || batch->count + count > TACT_DEBUG_BATCH) flush(batch);
    batch->corners = count;
    tact_debug_vertex v[3];
    const tact_debug_color color =
        d->colors && (unsigned)kind < TACT_DEBUG_KINDS ? d->colors[kind] : tact_debug_default_color(kind);
    for (uint32_t c = 0; c < count; ++c) {
        v[c].color = color;
        for (int i = 0; i < 3; ++i) {
            v[c].position[i] = (float)corners[c].p[i];
            if (!isfinite(v[c].position[i])) return;
        }
    }
    if (d->asked < UINT64_MAX) ++d->asked;
    if (d->limit && d->asked > d->limit) {
        batch->left_out = true;
        return;
    }
    for (uint32_t c = 0; c < count; ++c)
        batch->vertices[batch->count++] = v[c];
}

void tact_debug_put_line(tact_debug_batch* batch, tact_debug_kind kind, tact_debug_point a, tact_debug_point b)
{
    const tact_debug_point ends[2] = {a, b};
    tact_debug_put(batch, kind, ends, 2);
}

void tact_debug_put_edges(tact_debug_batch* batch, tact_debug_kind kind, const tact_debug_point corners[8])
{
    for (uint32_t axis = 0; axis < 3; ++axis) {
        for (uint32_t c = 0; c < 8; ++c) {
            if (!(c >> axis & 1u)) tact_debug_put_line(batch, kind, corners[c], corners[c | 1u << axis]);
        }
    }
}

bool tact_debug_finite(const float* numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) return false;
    }
    return true;
}

tact_debug_point tact_debug_move(const float* m, const float* p)
{
    tact_debug_point q;
    for (int r = 0; r < 3; ++r) {
        q.p[r] = (double)p[r];
        if (m) {
            q.p[r] = (double)m[4 * r] * (double)p[0] + (double)m[4 * r + 1] * (double)p[1] +
                     (double)m[4 * r + 2] * (double)p[2] + (double)m[4 * r + 3];
        }
    }
    return q;
}

tact_debug_point tact_debug_along(tact_debug_point a, double s, tact_debug_point b)
{
    for (int i = 0; i < 3; ++i)
        a.p[i] += s * b.p[i];
    return a;
}

tact_debug_point tact_debug_at(tact_vec3 v)
{
    const tact_debug_point p = {{(double)v.x, (double)v.y, (double)v.z}};
    return p;
}

void tact_debug_put_box(tact_debug_batch* batch, tact_debug_kind kind, tact_aabb box, const float matrix[12])
{
    const float *lower = &box.lower.x, *upper = &box.upper.x;
    if (!tact_debug_finite(lower, 3) || !tact_debug_finite(upper, 3) || (matrix && !tact_debug_finite(matrix, 12))) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        if (lower[i] > upper[i]) return;
    }
    tact_debug_point corners[8];
    for (uint32_t c = 0; c < 8; ++c) {
        const float p[3] = {c & 1u ? upper[0] : lower[0], c & 2u ? upper[1] : lower[1], c & 4u ? upper[2] : lower[2]};
        corners[c] = tact_debug_move(matrix, p);
    }
    tact_debug_put_edges(batch, kind, corners);
}
