// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Vertices of triangles that a pose moves, for kernels that overlap meshes. Not for C, which has no float4.
#ifndef TACT_MOVED_POINT_H
#define TACT_MOVED_POINT_H

#include "pose.h"
#include "triangle_overlap.h"

// TACT_MAX_COORDINATE, 2^60. NaN and infinity are above it.
#define TACT_MOST_BITS 0x5d800000u

FN bool tact_point_in_range(TactPoint p)
{
    return (as_uint(p.x) & 0x7fffffffu) <= TACT_MOST_BITS && (as_uint(p.y) & 0x7fffffffu) <= TACT_MOST_BITS &&
           (as_uint(p.z) & 0x7fffffffu) <= TACT_MOST_BITS;
}

FN TactPoint tact_moved_point(float4 m0, float4 m1, float4 m2, float4 p)
{
    return tact_point(tact_pose_apply(m0.x, m0.y, m0.z, m0.w, p.x, p.y, p.z),
                      tact_pose_apply(m1.x, m1.y, m1.z, m1.w, p.x, p.y, p.z),
                      tact_pose_apply(m2.x, m2.y, m2.z, m2.w, p.x, p.y, p.z));
}

// ---- Devices that make zeros of numbers below 2^-126 ----

FN bool tact_is_subnormal(float x)
{
    return (as_uint(x) & 0x7fffffffu) - 1u < 0x007fffffu;
}

// Whether what should be `is_zero` only then has become a number below 2^-126, which is kept or is not.
FN bool tact_is_lost(float x, bool is_zero)
{
    return (as_uint(x) & 0x7f800000u) == 0u && !is_zero;
}

FN bool tact_row_lost(float4 m, float4 p)
{
    PRECISE float x = m.x * p.x;
    PRECISE float y = m.y * p.y;
    PRECISE float z = m.z * p.z;
    PRECISE float xy = x + y;
    PRECISE float xyz = xy + z;
    PRECISE float all = xyz + m.w;
    return tact_is_subnormal(m.x) || tact_is_subnormal(m.y) || tact_is_subnormal(m.z) || tact_is_subnormal(m.w) ||
           tact_is_subnormal(p.x) || tact_is_subnormal(p.y) || tact_is_subnormal(p.z) ||
           tact_is_lost(x, m.x == 0.0f || p.x == 0.0f) || tact_is_lost(y, m.y == 0.0f || p.y == 0.0f) ||
           tact_is_lost(z, m.z == 0.0f || p.z == 0.0f) || tact_is_lost(xy, x == -y) || tact_is_lost(xyz, xy == -z) ||
           tact_is_lost(all, xyz == -m.w);
}

// Whether such a device may move a point elsewhere than the definition does: some number on the way is below 2^-126 and
// not zero. Otherwise all of them are the definition's.
FN bool tact_point_lost(float4 m0, float4 m1, float4 m2, float4 p)
{
    return tact_row_lost(m0, p) || tact_row_lost(m1, p) || tact_row_lost(m2, p);
}

#endif
