// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Which texel of an alpha mask a hit lies on, to the bit: the nearest one, that is the one that holds the point.
#ifndef TACT_RAY_ALPHA_H
#define TACT_RAY_ALPHA_H

#include "dialect.h"

// What lies beyond 0 to 1: the image again, or its outermost texels.
#define TACT_ALPHA_REPEAT 0u
#define TACT_ALPHA_CLAMP 1u

// A coordinate at a hit: the corners' by their weights.
FN float tact_alpha_coordinate(float a, float b, float c, float u, float v)
{
    PRECISE float w = (1.0f - u) - v;
    PRECISE float x = (w * a + u * b) + v * c;
    return x;
}

// The column, or row, of `count` (at least 1, at most 2^16) that holds a coordinate; one that is not finite is in the
// first.
FN uint tact_alpha_texel(float coordinate, uint count, uint wrap)
{
    PRECISE float part = coordinate - FLOOR(coordinate);
    float place = wrap == TACT_ALPHA_REPEAT ? part : coordinate;
    PRECISE float texel = place * to_float(count);
    uint at = 0u;
    if (texel >= to_float(count)) {
        at = place <= 3.40282347e38f ? count - 1u : 0u;
    } else if (texel > 0.0f) {
        at = to_uint(texel);
    }
    return at;
}

#endif
