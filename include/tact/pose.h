// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file pose.h
/// Where bodies and convex shapes are, and how they are turned.

#include <stdint.h>

/// A unit quaternion: x, y, z times the sine of half the angle about that axis, and its cosine.
typedef struct tact_quat {
    float x, y, z, w;  ///< of unit length
} tact_quat;

/// Where a body is: x -> position + rotation(scale x).
typedef struct tact_pose {
    double x, y, z;      ///< position, within 2^40 of the origin
    tact_quat rotation;  ///< of length 0.5 to 2, which is brought to 1; zeros stand for none
    float scale;         ///< > 0; 0 stands for 1
    uint32_t reserved;   ///< zero
} tact_pose;
