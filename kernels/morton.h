// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Morton codes of points and of boxes' centres within given bounds, shared by C, GLSL and OpenCL C. Each axis of the
// bounds is cut into 2^10 or 2^21 cells; the bits of the three cell numbers alternate in the code, x highest.
//
// Defined for every input: what lies outside the bounds is moved to their border, a NaN coordinate is in cell 0, and so
// is everything on an axis whose extent is not within 1e-20 and 1e30 (empty, inverted, infinite or NaN bounds).
#ifndef TACT_MORTON_H
#define TACT_MORTON_H

#include "dialect.h"
#include "ordered.h"

#define TACT_MORTON_CELLS_30 1024u
#define TACT_MORTON_CELLS_63 2097152u

// Cells per unit of length, 0 for an axis without a usable extent. The limits keep quotients where tact_div is exact;
// bits are compared, because GLSL does not promise that comparing a NaN gives false.
FN float tact_morton_scale(float lower, float upper, uint cells)
{
    PRECISE float extent = upper - lower;
    uint bits = as_uint(extent);
    PRECISE float scale = 0.0f;
    if (bits >= 0x1e3ce508u && bits <= 0x7149f2cau) scale = tact_div(to_float(cells), extent);
    return scale;
}

// The cell of the middle of [low, high] clamped to the bounds; low and high are the same for a point.
FN uint tact_morton_cell(float low, float high, float lower, float upper, float scale, uint cells)
{
    if (as_uint(scale) == 0u || tact_bits_are_nan(as_uint(low)) || tact_bits_are_nan(as_uint(high))) return 0u;
    float a = low < lower ? lower : low;
    float b = high < lower ? lower : high;
    if (a > upper) a = upper;
    if (b > upper) b = upper;
    // Halved first: the sum cannot overflow, and the middle of a point is the point.
    PRECISE float half_a = a * 0.5f;
    PRECISE float half_b = b * 0.5f;
    PRECISE float middle = half_a + half_b;
    PRECISE float offset = middle - lower;
    PRECISE float position = offset * scale;
    return position < to_float(cells) ? to_uint(position) : cells - 1u;
}

// Bit i of a 10-bit number to bit 3 i.
FN uint tact_morton_spread(uint v)
{
    uint s = v & 0x3ffu;
    s = (s | (s << 16u)) & 0x030000ffu;
    s = (s | (s << 8u)) & 0x0300f00fu;
    s = (s | (s << 4u)) & 0x030c30c3u;
    s = (s | (s << 2u)) & 0x09249249u;
    return s;
}

// The code of the lowest ten bits of each cell number.
FN uint tact_morton_30(uint x, uint y, uint z)
{
    return (tact_morton_spread(x) << 2u) | (tact_morton_spread(y) << 1u) | tact_morton_spread(z);
}

// The code of 21-bit cell numbers, 63 bits, as two words.
FN uint tact_morton_63_low(uint x, uint y, uint z)
{
    return tact_morton_30(x, y, z) | (tact_morton_30(x >> 10u, y >> 10u, z >> 10u) << 30u);
}
FN uint tact_morton_63_high(uint x, uint y, uint z)
{
    return (tact_morton_30(x >> 10u, y >> 10u, z >> 10u) >> 2u) | (tact_morton_30(x >> 20u, y >> 20u, z >> 20u) << 28u);
}

#endif
