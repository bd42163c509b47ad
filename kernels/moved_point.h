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

#endif
