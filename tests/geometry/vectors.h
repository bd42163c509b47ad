// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Vectors in short, and the relations that tests ask about.

#include "tact/geometry/types.h"

static inline tact_vec2 v2(float x, float y)
{
    return (tact_vec2){x, y};
}

static inline tact_vec3 v3(float x, float y, float z)
{
    return (tact_vec3){x, y, z};
}

static inline bool same_vec(tact_vec3 a, tact_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool near(float a, double b, double slack)
{
    return fabs((double)a - b) <= slack;
}
