// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Triangles of a filter's objects, moved to the world and turned into the frame of a view, and the cells of the view's
// image that they touch. gpu/filter/view.h says why none is missed.
#ifndef TACT_FILTER_CELLS_H
#define TACT_FILTER_CELLS_H

#include "filter_layout.h"
#include "moved_point.h"
#include "overlap_box.h"

FN float4 tact_filter_row(uint4 m)
{
    return make_float4(as_float(m.x), as_float(m.y), as_float(m.z), as_float(m.w));
}

// A corner in the world; w is 1 where its coordinates are in range, else 0.
FN float4 tact_filter_moved(uint4 m0, uint4 m1, uint4 m2, float4 p)
{
    TactPoint q = tact_moved_point(tact_filter_row(m0), tact_filter_row(m1), tact_filter_row(m2), p);
    return make_float4(q.x, q.y, q.z, tact_point_in_range(q) ? 1.0f : 0.0f);
}

FN float tact_filter_bounded(float x)
{
    return x < 1e30f ? x : 1e30f;
}

// As far as the device may have moved a corner elsewhere than the definition does, in each coordinate.
FN float tact_filter_astray(float4 a, float4 b, float4 c, float4 p)
{
    if (TACT_FLUSHES == 0 || !tact_point_lost(a, b, c, p)) return 0.0f;
    float x = tact_filter_bounded(tact_moved_astray(a.x, a.y, a.z, a.w, ABS(p.x), ABS(p.y), ABS(p.z)));
    float y = tact_filter_bounded(tact_moved_astray(b.x, b.y, b.z, b.w, ABS(p.x), ABS(p.y), ABS(p.z)));
    float z = tact_filter_bounded(tact_moved_astray(c.x, c.y, c.z, c.w, ABS(p.x), ABS(p.y), ABS(p.z)));
    return tact_widest(x, y, z);
}

// A coordinate in the view's frame. Every kernel gets the same bits of the same corner: gpu/filter/view.h relies on it.
FN float tact_filter_turned(float r0, float r1, float r2, float4 p)
{
    PRECISE float r = (r0 * p.x + r1 * p.y) + r2 * p.z;
    return r;
}

FN float4 tact_filter_seen(float4 row_x, float4 row_y, float4 row_z, float4 p)
{
    return make_float4(tact_filter_turned(row_x.x, row_x.y, row_x.z, p),
                       tact_filter_turned(row_y.x, row_y.y, row_y.z, p),
                       tact_filter_turned(row_z.x, row_z.y, row_z.z, p), p.w);
}

FN float tact_filter_least(float a, float b, float c)
{
    float r = a < b ? a : b;
    return r < c ? r : c;
}

FN float tact_filter_most(float a, float b, float c)
{
    float r = a > b ? a : b;
    return r > c ? r : c;
}

// The pixels that a triangle may touch, the last column and row too.
STRUCT(TactFilterBox)
{
    uint left;
    uint low;
    uint right;
    uint high;
};

// Of `size` cells, or pixels, in a row the one in which a place is, or the nearest one.
FN uint tact_filter_cell(float place, uint size)
{
    float whole = FLOOR(place);
    float most = to_float(size - 1u);
    return whole > 0.0f ? to_uint(whole < most ? whole : most) : 0u;
}

FN TactFilterBox tact_filter_box(float4 ab, float cx, float cy, float slack, uint width, uint height)
{
    TactFilterBox box;
    box.left = tact_filter_cell(tact_filter_least(ab.x, ab.z, cx) - slack, width);
    box.low = tact_filter_cell(tact_filter_least(ab.y, ab.w, cy) - slack, height);
    box.right = tact_filter_cell(tact_filter_most(ab.x, ab.z, cx) + slack, width);
    box.high = tact_filter_cell(tact_filter_most(ab.y, ab.w, cy) + slack, height);
    return box;
}

// Pixels of a box's row that are a piece of it, and how many pieces a row has. Times the cells of the deepest view they
// are half of the rounds after which llvmpipe leaves loops.
#define TACT_FILTER_RUN 8u

FN uint tact_filter_runs(TactFilterBox box)
{
    return (box.right - box.left) / TACT_FILTER_RUN + 1u;
}

// Whether one item may go through all of a triangle's pixels, with so many cells in each at most: of 16 items side by
// side, which wait for each other in each pixel, that is still less than those rounds.
FN bool tact_filter_is_small(TactFilterBox box, float cells)
{
    uint pixels = (box.right - box.left + 1u) * (box.high - box.low + 1u);
    return pixels <= 64u && to_float(pixels) * cells <= 8192.0f;
}

#endif
