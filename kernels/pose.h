// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Points moved by a 3 x 4 matrix. Shared by C, GLSL and OpenCL C; the order of the operations is part of what overlap
// of meshes means.
#ifndef TACT_POSE_H
#define TACT_POSE_H

#include "dialect.h"

// One row of a pose applied to a point.
FN float tact_pose_apply(float m0, float m1, float m2, float m3, float x, float y, float z)
{
    PRECISE float r = ((m0 * x + m1 * y) + m2 * z) + m3;
    return r;
}

#endif
