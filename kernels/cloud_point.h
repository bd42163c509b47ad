// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Squared distances between points of clouds and queries: the arithmetic shared by C, GLSL and OpenCL C.
// docs/results.md states it in prose; change neither without the other.
//
// The square of a point's distance is that of its distance from a box with no extent, tact_box_gap2(), which is
// monotone as rounded. So a box around points is never computed to be farther than one of them, and trees leave out
// boxes by a plain comparison. What is below 2^-100 counts as 0: devices that make zeros of numbers below 2^-126 then
// have the same sums.
#ifndef TACT_CLOUD_POINT_H
#define TACT_CLOUD_POINT_H

#include "closest_point.h"

// 2^-100, and the number before it.
#define TACT_CLOUD_LEAST 7.88860905221011805411728565282786229673206e-31f
#define TACT_CLOUD_BELOW 7.88860858201237772520228246533324740783379e-31f

FN float tact_cloud_cut(float d2)
{
    return d2 < TACT_CLOUD_LEAST ? 0.0f : d2;
}

FN float tact_cloud_distance2(float px, float py, float pz, float x, float y, float z)
{
    PRECISE float dx = x - px;
    PRECISE float dy = y - py;
    PRECISE float dz = z - pz;
    return tact_cloud_cut(tact_dot3(dx, dy, dz, dx, dy, dz));
}

// The square that distances are compared with; negative when nothing is to be found.
FN float tact_cloud_limit2(float px, float py, float pz, float most)
{
    float limit2 = tact_closest_limit2(px, py, pz, most);
    return limit2 >= 0.0f ? tact_cloud_cut(limit2) : limit2;
}

// What squares that are not cut are compared with, those of boxes too: where they are at most this, the cut ones are
// at most the limit, and nowhere else.
FN float tact_cloud_reach2(float limit2)
{
    return limit2 < TACT_CLOUD_LEAST ? TACT_CLOUD_BELOW : limit2;
}

#endif
