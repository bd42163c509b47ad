// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Triangles of a filter's objects, moved to the world and turned into the frame of a view.
#ifndef TACT_FILTER_CELLS_H
#define TACT_FILTER_CELLS_H

#include "filter_layout.h"
#include "moved_point.h"

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

#endif
